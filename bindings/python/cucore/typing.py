"""Enumerations for options, and annotation types, under the names of `cuda.core.typing`.

Each member equals its string: `SourceCodeType.PTX == "ptx"`. Options accept either.
"""
from __future__ import annotations

import enum
from typing import Any, Protocol, Union


class _Text(str, enum.Enum):
    """A string enumeration, like enum.StrEnum of Python 3.11."""

    __str__ = str.__str__
    __format__ = str.__format__  # type: ignore[assignment]

    @classmethod
    def _missing_(cls, value: object) -> Any:
        raise ValueError(f"{value!r} is not a valid {cls.__name__}. Must be one of "
                         f"{', '.join(repr(each.value) for each in cls)}")


class SourceCodeType(_Text):
    """Languages of a `Program`."""

    CXX = "c++"
    PTX = "ptx"
    TILE = "tile"


class ObjectCodeFormatType(_Text):
    """Kinds of `ObjectCode`."""

    PTX = "ptx"
    CUBIN = "cubin"
    LTOIR = "ltoir"
    FATBIN = "fatbin"
    OBJECT = "object"
    LIBRARY = "library"


class CompilerBackendType(_Text):
    """Compilers and linkers: `Program.backend`, `Linker.backend`."""

    NVRTC = "NVRTC"
    NVJITLINK = "nvJitLink"
    DRIVER = "driver"
    TILE = "cucore"


class PCHStatusType(_Text):
    """Outcomes of precompiling headers: `Program.pch_status`."""

    CREATED = "created"
    NOT_ATTEMPTED = "not_attempted"
    FAILED = "failed"


class GraphConditionalType(_Text):
    """Kinds of conditional nodes: `ConditionalNode.cond_type`."""

    IF = "if"
    WHILE = "while"
    SWITCH = "switch"


class GraphMemoryType(_Text):
    """Kinds of memory that nodes of a graph allocate: `AllocNode.memory_type`."""

    DEVICE = "device"
    HOST = "host"
    MANAGED = "managed"


class ManagedMemoryLocationType(_Text):
    """Preferred locations of managed memory."""

    DEVICE = "device"
    HOST = "host"
    HOST_NUMA = "host_numa"


class VirtualMemoryHandleType(_Text):
    """Handle types for sharing virtual memory between processes."""

    POSIX_FD = "posix_fd"
    WIN32_KMT = "win32_kmt"
    FABRIC = "fabric"


class VirtualMemoryLocationType(_Text):
    """Locations of virtual memory."""

    DEVICE = "device"
    HOST = "host"
    HOST_NUMA = "host_numa"
    HOST_NUMA_CURRENT = "host_numa_current"


class VirtualMemoryGranularityType(_Text):
    """Granularities of virtual memory."""

    MINIMUM = "minimum"
    RECOMMENDED = "recommended"


class VirtualMemoryAccessType(_Text):
    """Access modes of virtual memory."""

    READ_WRITE = "rw"
    READ = "r"


class VirtualMemoryAllocationType(_Text):
    """Kinds of physical memory that back virtual memory."""

    PINNED = "pinned"
    MANAGED = "managed"


class IsStreamType(Protocol):
    """A stream of any library: the method returns (0, address of the CUstream)."""

    def __cuda_stream__(self) -> tuple[int, int]: ...


#: `Buffer.handle`: an address, or None once the buffer is closed.
DevicePointerType = Union[int, None]

__all__ = [
    "CompilerBackendType", "DevicePointerType", "GraphConditionalType", "GraphMemoryType", "IsStreamType",
    "ManagedMemoryLocationType", "ObjectCodeFormatType", "PCHStatusType", "SourceCodeType",
    "VirtualMemoryAccessType", "VirtualMemoryAllocationType", "VirtualMemoryGranularityType",
    "VirtualMemoryHandleType", "VirtualMemoryLocationType",
]
