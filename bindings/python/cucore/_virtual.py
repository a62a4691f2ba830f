"""Virtual memory: buffers that grow without copying."""
from __future__ import annotations

import ctypes
import multiprocessing.context
import multiprocessing.reduction
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from . import raw
from ._device import Device
from ._errors import NotSupportedError, check
from ._handle import assign, create, get, given_as, handle_of, options
from ._managed import located
from ._memory import Buffer, MemoryResource
from ._native import methods
from ._stream import StreamLike, as_stream

_LOCATIONS = {"device": raw.CUC_LOCATION_DEVICE, "host": raw.CUC_LOCATION_HOST,
              "host_numa": raw.CUC_LOCATION_HOST_NUMA, "host_numa_current": raw.CUC_LOCATION_HOST_NUMA_CURRENT}


@dataclass
class VirtualMemoryResourceOptions:
    """Options of virtual memory."""

    allocation_type: str = "pinned"
    location_type: str = "device"  #: device, host, host_numa or host_numa_current
    handle_type: str | None = None  #: posix_fd: other processes can import the memory
    granularity: str = "recommended"  #: allocation unit: recommended or minimum
    gpu_direct_rdma: bool = False  #: devices on the bus can access it directly
    addr_align: int | None = None  #: alignment of addresses; a power of two
    reserve_size: int = 0  #: address space reserved per buffer for growth; 0: just its size
    numa_id: int = 0  #: number of the NUMA node for host_numa
    peers: Sequence[Device | int] = field(default_factory=tuple)  #: other devices that may access it
    self_access: str = "rw"  #: access of its own device: rw or r
    peer_access: str = "rw"  #: access of the peers: rw or r


class VirtualMemoryDescriptor:
    """Identifies a buffer to another process, with a file descriptor for each of its physical
    allocations. multiprocessing pickles it for the processes that it starts; for other
    processes, send the descriptors over a Unix socket with `socket.send_fds()`.
    """

    __slots__ = ("pieces", "size", "__weakref__")
    pieces: tuple[tuple[int, int], ...]  #: (file descriptor, bytes) pairs; this object closes the descriptors
    size: int  #: size of the buffer

    def __init__(self, pieces: Sequence[tuple[int, int]], size: int) -> None:
        self.pieces, self.size = tuple(pieces), size

    def close(self) -> None:
        pieces, self.pieces = self.pieces, ()
        for fd, _ in pieces:
            os.close(fd)

    def __del__(self) -> None:
        if getattr(self, "pieces", ()):
            self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        multiprocessing.context.assert_spawning(self)  # only multiprocessing can transfer descriptors
        return _sent(self)


def _sent(descriptor: VirtualMemoryDescriptor) -> tuple[Any, ...]:
    """Reduce the descriptor for multiprocessing: for the processes that it starts, and for queues
    and pipes."""
    return _descriptor, ([(multiprocessing.reduction.DupFd(fd), size) for fd, size in descriptor.pieces],
                         descriptor.size)


multiprocessing.reduction.register(VirtualMemoryDescriptor, _sent)


def _descriptor(pieces: Sequence[tuple[Any, int]], size: int) -> VirtualMemoryDescriptor:
    return VirtualMemoryDescriptor([(fd.detach(), each) for fd, each in pieces], size)


@methods
class VirtualMemoryBuffer(Buffer):
    """A buffer of a `VirtualMemoryResource`."""

    __slots__ = ()

    @property
    def ipc_descriptor(self) -> VirtualMemoryDescriptor:  # type: ignore[override]
        """Identifies the buffer to another process; the resource's handle_type must be posix_fd."""
        count = ctypes.c_size_t()
        check(raw.cuc_buffer_export_pieces(None, 0, ctypes.byref(count), self._h))
        pieces = (raw.cuc_memory_piece * count.value)()
        check(raw.cuc_buffer_export_pieces(pieces, count.value, ctypes.byref(count), self._h))
        return VirtualMemoryDescriptor([(p.fd, p.bytes) for p in pieces], self.size)

    @classmethod
    def from_ipc_descriptor(cls, mr: MemoryResource, ipc_descriptor: Any, *,
                            stream: StreamLike = None) -> VirtualMemoryBuffer:
        """Map another process's memory at addresses of this resource. If the buffer grows, it grows
        with memory of this process."""
        given = ipc_descriptor.pieces
        pieces = (raw.cuc_memory_piece * max(len(given), 1))()
        for made, (fd, size) in zip(pieces, given):
            assign(made, "fd", fd)
            assign(made, "bytes", size)
        made = cls._own(create(raw.cuc_buffer_from_pieces, None if stream is None else as_stream(stream)._h,
                               handle_of(MemoryResource, mr, "mr"), pieces, len(given), ipc_descriptor.size))
        made._resource = mr
        return made


@methods
class VirtualMemoryResource(MemoryResource):
    """Memory with buffers that can grow: `modify_allocation()` keeps the contents without
    copying."""

    __slots__ = ("config",)
    config: VirtualMemoryResourceOptions

    def __init__(self, device_id: Device | int,
                 config: VirtualMemoryResourceOptions | dict[str, Any] | None = None) -> None:
        self.config = given = given_as(VirtualMemoryResourceOptions, config)
        _one_of(given, "location_type", *_LOCATIONS)
        _one_of(given, "granularity", "recommended", "minimum")
        _one_of(given, "self_access", "rw", "r")
        _one_of(given, "peer_access", "rw", "r")
        if given.allocation_type != "pinned" or given.handle_type not in (None, "posix_fd"):
            raise NotSupportedError(f"allocation_type is {given.allocation_type!r} and handle_type "
                                    f"{given.handle_type!r}: there are 'pinned', and None and 'posix_fd'")
        flags = (raw.CUC_MEMORY_VIRTUAL_READ_ONLY if given.self_access == "r" else 0) | \
                (raw.CUC_MEMORY_VIRTUAL_PEERS_READ_ONLY if given.peer_access == "r" else 0) | \
                (raw.CUC_MEMORY_VIRTUAL_RDMA if given.gpu_direct_rdma else 0) | \
                (raw.CUC_MEMORY_VIRTUAL_FINE if given.granularity == "minimum" else 0) | \
                (raw.CUC_MEMORY_VIRTUAL_IPC if given.handle_type else 0)
        of = Device(device_id)
        place = located(_LOCATIONS[given.location_type],
                        of.device_id if given.location_type == "device" else given.numa_id)
        peers = [Device(p) for p in given.peers]
        handles = (ctypes.c_void_p * max(len(peers), 1))(*[p._h for p in peers])
        made = options(raw.cuc_memory_virtual_options, reserve_bytes=given.reserve_size, flags=flags,
                       align=given.addr_align or 0, peer_count=len(peers), location=place)
        made.peers = ctypes.addressof(handles) if peers else None
        self._take(create(raw.cuc_memory_virtual_create, of._h, ctypes.byref(made)))

    def allocate(self, size: int, *, stream: StreamLike = None) -> VirtualMemoryBuffer:
        """Allocate a buffer; its release waits for the stream."""
        return VirtualMemoryBuffer._of(self, size, None if stream is None else as_stream(stream)._h)

    def modify_allocation(self, buf: Buffer, new_size: int,
                          config: VirtualMemoryResourceOptions | dict[str, Any] | None = None) -> VirtualMemoryBuffer:
        """Return a buffer of another size over the same memory, at the same address if enough was
        reserved. The old buffer stays valid; close both separately.
        """
        if config is not None and given_as(VirtualMemoryResourceOptions, config) != self.config:
            raise NotSupportedError("memory keeps what it was made with: config is to be None")
        made = VirtualMemoryBuffer._own(create(raw.cuc_buffer_grow, handle_of(Buffer, buf, "buf"), new_size))
        made._resource = self
        return made

    @property
    def granularity(self) -> int:
        """The allocation unit in bytes."""
        return int(get(ctypes.c_size_t, raw.cuc_memory_get_granularity, self._h))


def _one_of(given: VirtualMemoryResourceOptions, name: str, *allowed: str) -> None:
    if getattr(given, name) not in allowed:
        raise ValueError(f"{name} is {getattr(given, name)!r}: expected one of {', '.join(allowed)}")
