"""Memory resources other than pools."""
from __future__ import annotations

import ctypes
from typing import Any, ClassVar

from . import raw
from ._device import Device
from ._errors import check
from ._handle import create, get
from ._managed import ManagedBuffer, as_managed
from ._memory import CLASSES, Buffer, MemoryResource
from ._native import methods
from ._stream import StreamLike, as_stream


@methods
class SynchronousMemoryResource(MemoryResource):
    """Device memory without a pool: allocating may wait for the device, and freeing always does."""

    __slots__ = ()

    def __init__(self, device_id: Device | int) -> None:
        self._take(create(raw.cuc_memory_synchronous_create, Device(device_id)._h, raw.CUC_MEMORY_DEVICE))


@methods
class UnorderedMemoryResource(MemoryResource):
    """Host-accessible memory without a pool. Its buffers need no stream."""

    __slots__ = ()

    def allocate(self, size: int, *, stream: StreamLike = None) -> Buffer:
        return Buffer._of(self, size, None if stream is None else as_stream(stream)._h)


@methods
class LegacyPinnedMemoryResource(UnorderedMemoryResource):
    """Page-locked host memory without a pool."""

    __slots__ = ()

    def __init__(self) -> None:
        self._take(create(raw.cuc_memory_synchronous_create, Device()._h, raw.CUC_MEMORY_PINNED))


@methods
class LegacyManagedMemoryResource(UnorderedMemoryResource):
    """Managed memory without a pool, supported by every driver."""

    __slots__ = ()

    def __init__(self) -> None:
        self._take(create(raw.cuc_memory_synchronous_create, Device()._h, raw.CUC_MEMORY_MANAGED))

    def allocate(self, size: int, *, stream: StreamLike = None) -> ManagedBuffer:
        return as_managed(super().allocate(size, stream=stream))


CLASSES.update({(False, raw.CUC_MEMORY_DEVICE): SynchronousMemoryResource,
                (False, raw.CUC_MEMORY_PINNED): LegacyPinnedMemoryResource,
                (False, raw.CUC_MEMORY_MANAGED): LegacyManagedMemoryResource})


class GraphMemoryResourceAttributes:
    """A device's graph memory in bytes: `used_mem_current`, `used_mem_high`, `reserved_mem_current` and
    `reserved_mem_high`. Set a high-water mark to 0 to reset it.
    """

    __slots__ = ("_device",)
    _device: Device
    _NAMES = ("used_mem_current", "used_mem_high", "reserved_mem_current", "reserved_mem_high")

    def __init__(self, device: Device) -> None:
        object.__setattr__(self, "_device", device)

    def __reduce__(self) -> tuple[Any, ...]:
        return GraphMemoryResourceAttributes, (self._device,)

    def _number(self, name: str) -> int:
        if name not in self._NAMES:
            raise AttributeError(f"the memory of graphs has no attribute {name}")
        return self._NAMES.index(name)  # as in CUC_GRAPH_MEMORY_

    def __getattr__(self, name: str) -> int:
        number = self._number(name)  # must come first: reading an unset `_device` calls this method again
        return int(get(ctypes.c_uint64, raw.cuc_device_get_graph_memory, self._device._h, number))

    def __setattr__(self, name: str, value: int) -> None:
        number = self._number(name)
        if not name.endswith("_high"):
            raise AttributeError(f"attribute {name!r} of the memory of graphs is not writable")
        if value != 0:
            raise AttributeError(f"Attribute {name!r} may only be set to zero (got {value!r}).")
        check(raw.cuc_device_reset_graph_memory(self._device._h, number))

    def __dir__(self) -> list[str]:
        return list(self._NAMES)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)}' for name in self._NAMES)})"


@methods
class GraphMemoryResource(MemoryResource):
    """Graph memory, which graph nodes on a capturing stream allocate and free. There is one per
    device."""

    __slots__ = ("_device", "attributes")
    _device: Device
    attributes: GraphMemoryResourceAttributes
    _made: ClassVar[dict[int, GraphMemoryResource]] = {}

    def __new__(cls, device_id: Device | int = 0) -> GraphMemoryResource:
        of = Device(device_id)
        found = cls._made.get(of.device_id)
        if found is None:
            found = super().__new__(cls)
            found._device, found.attributes = of, GraphMemoryResourceAttributes(of)
            found._take(create(raw.cuc_memory_pool_get_default, of._h, raw.CUC_MEMORY_DEVICE))
            found = cls._made.setdefault(of.device_id, found)
        return found

    def __init__(self, device_id: Device | int = 0) -> None:
        pass

    def allocate(self, size: int, *, stream: StreamLike) -> Buffer:
        if not as_stream(stream).is_capturing:
            raise RuntimeError("GraphMemoryResource cannot perform memory operations on a non-capturing stream. "
                               "Use a DeviceMemoryResource, or capture the stream")
        return super().allocate(size, stream=stream)

    @property
    def device_id(self) -> int:
        return self._device.device_id

    def trim(self) -> None:
        """Release memory that is reserved for future graph launches."""
        check(raw.cuc_device_trim_graph_memory(self._device._h))

    def close(self) -> None:
        """Does nothing: the resource belongs to the device."""
