"""Virtual memory: buffers that grow without a copy."""
from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field

from . import raw
from ._device import Device
from ._errors import NotSupportedError
from ._handle import create, get, options
from ._memory import Buffer, MemoryResource
from ._stream import StreamLike, as_stream

_LOCATIONS = {"device": raw.CUC_LOCATION_DEVICE, "host": raw.CUC_LOCATION_HOST,
              "host_numa": raw.CUC_LOCATION_HOST_NUMA, "host_numa_current": raw.CUC_LOCATION_HOST_NUMA_CURRENT}


@dataclass
class VirtualMemoryResourceOptions:
    """What virtual memory is like."""

    allocation_type: str = "pinned"
    location_type: str = "device"  #: device, host, host_numa or host_numa_current
    handle_type: str | None = None  #: of exports to other processes; there are none
    granularity: str = "recommended"  #: or minimum: of the pieces that memory is allocated in
    gpu_direct_rdma: bool = False  #: other devices of the bus reach it
    addr_align: int | None = None  #: of addresses, a power of two
    reserve_size: int = 0  #: addresses for each buffer to grow into; 0: as many as it takes
    numa_id: int = 0  #: of host_numa
    peers: Sequence[Device | int] = field(default_factory=tuple)  #: other devices that reach it
    self_access: str = "rw"  #: rw or r: its own device's
    peer_access: str = "rw"  #: rw or r: theirs


class VirtualMemoryResource(MemoryResource):
    """Memory whose buffers can grow: `modify_allocation()` keeps the contents, and makes no copy."""

    __slots__ = ("config",)
    config: VirtualMemoryResourceOptions

    def __init__(self, device: Device | int, config: VirtualMemoryResourceOptions | None = None) -> None:
        given = config or VirtualMemoryResourceOptions()
        self.config = given
        _one_of(given, "location_type", *_LOCATIONS)
        _one_of(given, "granularity", "recommended", "minimum")
        _one_of(given, "self_access", "rw", "r")
        _one_of(given, "peer_access", "rw", "r")
        if given.allocation_type != "pinned" or given.handle_type is not None:
            raise NotSupportedError(f"allocation_type is {given.allocation_type!r} and handle_type "
                                          f"{given.handle_type!r}: there are 'pinned' and None")
        flags = (raw.CUC_MEMORY_VIRTUAL_READ_ONLY if given.self_access == "r" else 0) | \
                (raw.CUC_MEMORY_VIRTUAL_PEERS_READ_ONLY if given.peer_access == "r" else 0) | \
                (raw.CUC_MEMORY_VIRTUAL_RDMA if given.gpu_direct_rdma else 0) | \
                (raw.CUC_MEMORY_VIRTUAL_FINE if given.granularity == "minimum" else 0)
        of = Device(device)
        place = raw.cuc_memory_location(_LOCATIONS[given.location_type], of.device_id
                                        if given.location_type == "device" else given.numa_id)
        peers = [Device(p) for p in given.peers]
        handles = (ctypes.c_void_p * max(len(peers), 1))(*[p._h for p in peers])
        made = options(raw.cuc_memory_virtual_options, reserve_bytes=given.reserve_size, flags=flags,
                       align=given.addr_align or 0, peer_count=len(peers), location=place)
        made.peers = ctypes.addressof(handles) if peers else None
        self._h = create(raw.cuc_memory_virtual, of._h, ctypes.byref(made))

    def allocate(self, size: int, *, stream: StreamLike = None) -> Buffer:
        """A buffer; its end waits for the stream."""
        return Buffer._own(create(raw.cuc_buffer_create, self._h, size,
                                  None if stream is None else as_stream(stream)))

    def modify_allocation(self, buf: Buffer, new_size: int,
                          config: VirtualMemoryResourceOptions | None = None) -> Buffer:
        """A buffer of another size over the same memory, at the same address where so much was reserved. The
        old one stays as it is; each is closed by itself.
        """
        if config is not None and config != self.config:
            raise NotSupportedError("memory keeps what it was made with: config is to be None")
        return Buffer._own(create(raw.cuc_buffer_grow, buf._h, new_size))

    @property
    def granularity(self) -> int:
        """The bytes of the pieces that memory is allocated in."""
        return int(get(ctypes.c_size_t, raw.cuc_memory_get_granularity, self._h))


def _one_of(given: VirtualMemoryResourceOptions, name: str, *allowed: str) -> None:
    if getattr(given, name) not in allowed:
        raise ValueError(f"{name} is {getattr(given, name)!r}: expected one of {', '.join(allowed)}")

