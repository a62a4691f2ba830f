"""Memory pools: resources that allocate in stream order."""
from __future__ import annotations

import ctypes
import multiprocessing.reduction
import os
import uuid as uuids
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import raw
from ._device import Device
from ._errors import CUDAError, check
from ._handle import call, create, get, given_as, options, word
from ._ipc import IPCAllocationHandle
from ._managed import ManagedBuffer, as_managed, located
from ._memory import CLASSES, Buffer, MemoryResource
from ._native import methods
from ._sets import LiveSet
from ._stream import StreamLike

if TYPE_CHECKING:
    from typing_extensions import Self

_KINDS = {"device": raw.CUC_MEMORY_DEVICE, "pinned": raw.CUC_MEMORY_PINNED, "managed": raw.CUC_MEMORY_MANAGED}


@dataclass
class DeviceMemoryResourceOptions:
    ipc_enabled: bool = False  #: other processes can import the pool
    max_size: int = 0  #: maximum size in bytes; 0: the system's limit


@dataclass
class PinnedMemoryResourceOptions:
    ipc_enabled: bool = False  #: other processes can import the pool
    max_size: int = 0
    numa_id: int | None = None  #: a host NUMA node; None: anywhere, or the device's node if ipc_enabled


@dataclass
class ManagedMemoryResourceOptions:
    preferred_location: int | None = None  #: a device or NUMA node; without a type, -1 is the host
    preferred_location_type: str | None = None  #: "device", "host" or "host_numa"; None: derived from the number
    max_size: int = 0


class PoolAttributes:
    """Attributes of a pool by name, such as `used_mem_current`; some are settable."""

    __slots__ = ("_h", "_pool", "__weakref__")
    _pool: MemoryPool
    _h: int  # the pool may be closed later

    def __init__(self, pool: MemoryPool) -> None:
        object.__setattr__(self, "_pool", pool)
        object.__setattr__(self, "_h", pool._open())

    def __reduce__(self) -> tuple[Any, ...]:
        return PoolAttributes, (self._pool,)

    @staticmethod
    def _number(name: str) -> int:
        for number, known in raw.NAMES["memory_pool_attribute"].items():
            if known == name:
                return number
        raise AttributeError(f"a pool has no attribute {name}")

    def __getattr__(self, name: str) -> int:
        number = self._number(name)  # must come first: reading an unset `_pool` calls this method again
        value = get(ctypes.c_uint64, raw.cuc_memory_pool_get_attribute, self._h, number)
        return bool(value) if name.startswith("reuse_") else int(value)

    def __setattr__(self, name: str, value: int) -> None:
        call(raw.cuc_memory_pool_set_attribute, self._h, self._number(name), value)

    def __dir__(self) -> list[str]:
        return list(raw.NAMES["memory_pool_attribute"].values())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)}' for name in sorted(dir(self)))})"


class PeerAccess(LiveSet):
    """The other devices that can access a pool, as a set of devices or ordinals."""

    __slots__ = ("_pool",)

    def __init__(self, pool: MemoryPool) -> None:
        self._pool = pool

    def _member(self, value: Any) -> Any:
        return _device_or_none(value) or value

    def __contains__(self, device: object) -> bool:
        peer = _device_or_none(device)
        return peer is not None and peer.device_id != self._pool.device_id and \
            get(ctypes.c_int32, raw.cuc_memory_pool_get_access, self._pool._h, peer._h) != raw.CUC_ACCESS_NONE

    def __iter__(self) -> Iterator[Device]:
        return iter([d for d in Device.get_all_devices() if d in self])

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def add(self, value: Device | int) -> None:
        device = Device(value)
        if device.device_id != self._pool.device_id:  # its own device always has access
            check(raw.cuc_memory_pool_set_access(self._pool._h, device._h, raw.CUC_ACCESS_READ_WRITE))

    def discard(self, value: Device | int) -> None:
        if value in self:
            check(raw.cuc_memory_pool_set_access(self._pool._h, Device(value)._h, raw.CUC_ACCESS_NONE))


def _device_or_none(value: object) -> Device | None:
    """Return the device that a value stands for, or None."""
    try:
        return Device(value)  # type: ignore[arg-type]
    except (CUDAError, TypeError, ValueError, OverflowError):
        return None


@methods
class MemoryPool(MemoryResource):
    """A driver memory pool, which allocates and frees in stream order."""

    __slots__ = ("_made", "_place")
    _made: bool  # created here: not the device's own pool, and not imported
    _place: tuple[str, int | None] | None  # the requested location: kind and number
    _ipc: tuple[IPCAllocationHandle, uuids.UUID] | None  # None: the pool is private to this process

    def __new__(cls, *_args: Any, **_kwargs: Any) -> Self:
        self = super().__new__(cls)
        self._made, self._place = False, None
        return self

    def _make(self, device: Device, kind: int, ipc: bool = False, **fields: Any) -> None:
        made = options(raw.cuc_memory_pool_options, kind=kind,
                       flags=raw.CUC_MEMORY_POOL_IPC if ipc else 0, **fields)
        self._take(create(raw.cuc_memory_pool_create, device._h, ctypes.byref(made)))
        self._made = True
        if ipc:
            uuid = uuids.uuid4()
            fd = get(ctypes.c_int32, raw.cuc_memory_pool_export, self._h)
            self._ipc = IPCAllocationHandle(fd, uuid), uuid

    @property
    def is_handle_owned(self) -> bool:
        """Whether the pool is destroyed with this object and its buffers; false for default,
        current and imported pools.
        """
        return self._made

    @property
    def is_ipc_enabled(self) -> bool:
        return self._ipc is not None

    @property
    def is_mapped(self) -> bool:
        """True for a pool of another process."""
        return self._ipc is not None and not self._made

    @property
    def uuid(self) -> uuids.UUID | None:
        """The UUID of a shared pool, the same in every process."""
        return self._ipc[1] if self._ipc else None

    @property
    def allocation_handle(self) -> IPCAllocationHandle:
        """The handle with which another process imports the pool."""
        if self._ipc is None:
            raise RuntimeError("Memory resource is not IPC-enabled: make it with ipc_enabled=True")
        return self._ipc[0]

    @classmethod
    def _imported(cls, device_id: Device | int | None, handle: IPCAllocationHandle | int) -> Self:
        known = _registry.get(handle.uuid) if isinstance(handle, IPCAllocationHandle) else None
        if known is not None and not known.is_closed:
            if not isinstance(known, cls):
                raise TypeError(f"the pool {known.uuid} is a {type(known).__name__} here, not a {cls.__name__}")
            return known
        self = cls.__new__(cls)
        self._take(create(raw.cuc_memory_pool_from_fd, Device(device_id)._h, int(handle)))
        uuid = handle.uuid if isinstance(handle, IPCAllocationHandle) else uuids.uuid4()
        self._ipc = IPCAllocationHandle(os.dup(int(handle)), uuid), uuid  # so that this process can share it further
        if isinstance(handle, IPCAllocationHandle):
            _registry[uuid] = self
        return self

    @classmethod
    def from_allocation_handle(cls, device_id: Device | int, alloc_handle: IPCAllocationHandle | int) -> Self:
        """Import a pool of another process; `Buffer.from_ipc_descriptor()` imports its buffers.
        Importing it again returns the same pool.
        """
        return cls._imported(device_id, alloc_handle)

    def register(self, uuid: uuids.UUID) -> MemoryPool:
        """Make the pool available to `from_registry()`; if one is already registered, return that
        pool."""
        known: MemoryPool = _registry.setdefault(uuid, self)
        return known

    @staticmethod
    def from_registry(uuid: uuids.UUID) -> MemoryPool:
        found = _registry.get(uuid)
        if found is None:
            raise RuntimeError(f"no pool is registered as {uuid}")
        return found

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        multiprocessing.reduction.register(cls, _sent)  # the lookup uses the exact class

    def __reduce__(self) -> tuple[Any, ...]:
        """Reduce for pickle without multiprocessing; the receiver must already have the pool."""
        if self._ipc is None:
            raise TypeError(f"a {type(self).__name__} of this process alone is not pickled: make it with "
                            "ipc_enabled=True")
        return MemoryPool.from_registry, (self._ipc[1],)

    @property
    def handle(self) -> int:
        """The CUmemoryPool."""
        return raw.cuc_memory_pool_handle(self._h) or 0

    @property
    def attributes(self) -> PoolAttributes:
        return PoolAttributes(self)

    @property
    def peer_accessible_by(self) -> PeerAccess:
        """The other devices that can access the pool, as a set; changes take effect at once."""
        return PeerAccess(self)

    @peer_accessible_by.setter
    def peer_accessible_by(self, devices: Iterable[Device | int]) -> None:
        given, there = {Device(d) for d in devices}, PeerAccess(self)
        for device in set(there) - given:
            there.discard(device)
        for device in given - set(there):
            there.add(device)

    @classmethod
    def current(cls, device: Device | int = 0, kind: str = "device") -> MemoryPool:
        """The current pool of a device, by kind: "device", "pinned" or "managed"."""
        made = create(raw.cuc_memory_pool_get_current, Device(device)._h, word("kind", kind, _KINDS))
        return MemoryResource._found(made)  # type: ignore[return-value]

    def make_current(self) -> None:
        """Make this its device's current pool. It then stays alive, because others may have
        obtained it as the current pool.
        """
        check(raw.cuc_memory_pool_make_current(self._h))
        if not any(each is self for each in _been_current):
            _been_current.append(self)

    @property
    def statistics(self) -> dict[str, int]:
        """Return `reserved_bytes` (obtained from the system), `used_bytes` (in allocations), and
        the high-water marks of both."""
        out = options(raw.cuc_memory_pool_statistics)
        check(raw.cuc_memory_pool_get_statistics(ctypes.byref(out), self._h))
        return {name: getattr(out, name) for name, *_ in out._fields_ if name != "struct_size"}

    def reset_high_watermarks(self) -> None:
        """Reset both high-water marks."""
        check(raw.cuc_memory_pool_reset_high_watermarks(self._h))

    def trim(self, keep: int = 0) -> None:
        """Return unused memory to the system, keeping at least `keep` bytes reserved."""
        call(raw.cuc_memory_pool_trim, self._h, keep)


_registry: weakref.WeakValueDictionary[uuids.UUID, MemoryPool] = weakref.WeakValueDictionary()
_been_current: list[MemoryPool] = []


def _pool_of(cls: type[MemoryPool], device_id: int | None, handle: IPCAllocationHandle) -> MemoryPool:
    """Unpickle a pool sent by multiprocessing; each process has one object per pool."""
    return cls._imported(device_id, handle)


def _sent(pool: MemoryPool) -> tuple[Any, ...]:
    """Reduce a pool for multiprocessing."""
    return _pool_of, (type(pool), pool.device_id if pool.device_id >= 0 else None, pool.allocation_handle)


@methods
class DeviceMemoryResource(MemoryPool):
    """A device pool: the current one, or a new one if options are given."""

    __slots__ = ()

    def __init__(self, device_id: Device | int,
                 options: DeviceMemoryResourceOptions | dict[str, Any] | None = None) -> None:
        if options is None:
            self._take(create(raw.cuc_memory_pool_get_current, Device(device_id)._h, raw.CUC_MEMORY_DEVICE))
        else:
            given = given_as(DeviceMemoryResourceOptions, options)
            self._make(Device(device_id), raw.CUC_MEMORY_DEVICE, given.ipc_enabled, max_bytes=given.max_size)


@methods
class PinnedMemoryResource(MemoryPool):
    """A pool of page-locked host memory that host and devices can access: the current pool, or a
    new one if options are given.
    """

    __slots__ = ()

    def __init__(self, options: PinnedMemoryResourceOptions | dict[str, Any] | None = None) -> None:
        if options is None:
            self._take(create(raw.cuc_memory_pool_get_current, Device()._h, raw.CUC_MEMORY_PINNED))
            return
        given = given_as(PinnedMemoryResourceOptions, options)
        location = raw.cuc_memory_location()
        if given.numa_id is not None and given.numa_id < 0:
            raise ValueError(f"numa_id must be >= 0, the number of a node, or None, not {given.numa_id}")
        node = given.numa_id
        if node is None and given.ipc_enabled and Device().properties.host_numa_id >= 0:
            node = Device().properties.host_numa_id  # memory shared between processes needs a node
        if node is not None:
            location, self._place = located(raw.CUC_LOCATION_HOST_NUMA, node), ("host_numa", node)
        self._make(Device(), raw.CUC_MEMORY_PINNED, given.ipc_enabled, max_bytes=given.max_size,
                   location=location)

    @property
    def device_id(self) -> int:
        """-1: it is host memory."""
        return -1

    @property
    def numa_id(self) -> int:
        """The requested host NUMA node; -1 for any."""
        return -1 if self._place is None or self._place[1] is None else self._place[1]

    @classmethod
    def from_allocation_handle(  # type: ignore[override]  # as in cuda.core: it belongs to no device
            cls, alloc_handle: IPCAllocationHandle | int) -> Self:
        """Import another process's pool of host memory."""
        return cls._imported(None, alloc_handle)


@methods
class ManagedMemoryResource(MemoryPool):
    """A pool of managed memory, which migrates between host and devices: the current pool, or a new
    one if options are given. Requires a CUDA 13 driver.
    """

    __slots__ = ()

    @property
    def preferred_location(self) -> tuple[str, int | None] | None:
        """The requested location, such as ("device", 0) or ("host", None); None for any."""
        return self._place

    def allocate(self, size: int, *, stream: StreamLike) -> ManagedBuffer:
        return as_managed(super().allocate(size, stream=stream))

    def __init__(self, options: ManagedMemoryResourceOptions | dict[str, Any] | None = None) -> None:
        if options is None:
            self._take(create(raw.cuc_memory_pool_get_current, Device()._h, raw.CUC_MEMORY_MANAGED))
            return
        given = given_as(ManagedMemoryResourceOptions, options)
        self._place = place = _preferred(given.preferred_location_type, given.preferred_location)
        location = raw.cuc_memory_location()
        if place is not None:
            location = located(_LOCATIONS[place[0]], place[1] or 0)
        self._make(Device(), raw.CUC_MEMORY_MANAGED, max_bytes=given.max_size, location=location)


_LOCATIONS = {"device": raw.CUC_LOCATION_DEVICE, "host": raw.CUC_LOCATION_HOST,
              "host_numa": raw.CUC_LOCATION_HOST_NUMA}


def _preferred(kind: str | None, number: int | None) -> tuple[str, int | None] | None:
    """Return the location by kind and number; the options may omit either."""
    if kind is None:
        if number is None:
            return None
        if number < -1:
            raise ValueError(f"preferred_location must be a device, -1 for the host, or None, not {number}")
        return ("host", None) if number == -1 else ("device", number)
    word("preferred_location_type", kind, _LOCATIONS)
    kind = getattr(kind, "value", kind)
    if kind == "device" and (number is None or number < 0):
        raise ValueError(f"preferred_location must be a device ordinal where its type is 'device', not {number!r}")
    if kind == "host" and number is not None:
        raise ValueError(f"preferred_location must be None where its type is 'host', not {number!r}")
    if kind == "host_numa":
        number = Device().properties.host_numa_id if number is None else number
        if number < 0:
            raise ValueError(f"preferred_location must be a NUMA node ID where its type is 'host_numa', not {number}")
    return kind, number


CLASSES.update({(True, raw.CUC_MEMORY_DEVICE): DeviceMemoryResource, (True, raw.CUC_MEMORY_PINNED): PinnedMemoryResource,
                (True, raw.CUC_MEMORY_MANAGED): ManagedMemoryResource})
