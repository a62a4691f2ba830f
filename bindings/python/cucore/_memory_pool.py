"""Pools: memory resources that allocate in stream order."""
from __future__ import annotations

import ctypes
import uuid as uuids
import weakref
from collections.abc import Iterable, Iterator, MutableSet
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import raw
from ._device import Device
from ._errors import check
from ._handle import call, create, get, given_as, options, word
from ._ipc import IPCAllocationHandle
from ._managed import ManagedBuffer, as_managed, located
from ._memory import Buffer, MemoryResource
from ._native import methods
from ._stream import StreamLike

if TYPE_CHECKING:
    from typing_extensions import Self

_KINDS = {"device": raw.CUC_MEMORY_DEVICE, "pinned": raw.CUC_MEMORY_PINNED, "managed": raw.CUC_MEMORY_MANAGED}


@dataclass
class DeviceMemoryResourceOptions:
    max_size: int = 0  #: the most it may ever hold; 0: what the system allows
    ipc_enabled: bool = False  #: other processes can have its memory


@dataclass
class PinnedMemoryResourceOptions:
    max_size: int = 0
    numa_id: int = -1  #: where on the host; -1: anywhere
    ipc_enabled: bool = False  #: other processes can have its memory


@dataclass
class ManagedMemoryResourceOptions:
    preferred_location: int | None = None  #: a device, or -1 for the host
    max_size: int = 0


class PoolAttributes:
    """Attributes of a pool by their names, such as `used_mem_current`; some can be set."""

    __slots__ = ("_pool",)
    _pool: MemoryPool

    def __init__(self, pool: MemoryPool) -> None:
        object.__setattr__(self, "_pool", pool)

    def __reduce__(self) -> tuple[Any, ...]:
        return PoolAttributes, (self._pool,)

    @staticmethod
    def _number(name: str) -> int:
        for number, known in raw.NAMES["memory_pool_attribute"].items():
            if known == name:
                return number
        raise AttributeError(f"a pool has no attribute {name}")

    def __getattr__(self, name: str) -> int:
        number = self._number(name)  # first: `_pool` itself comes here while there is none
        return int(get(ctypes.c_uint64, raw.cuc_memory_pool_get_attribute, self._pool._h, number))

    def __setattr__(self, name: str, value: int) -> None:
        call(raw.cuc_memory_pool_set_attribute, self._pool._h, self._number(name), value)

    def __dir__(self) -> list[str]:
        return list(raw.NAMES["memory_pool_attribute"].values())


class PeerAccess(MutableSet[Any]):
    """The devices other than its own that reach a pool."""

    def __init__(self, pool: MemoryPool) -> None:
        self._pool = pool

    def __contains__(self, device: object) -> bool:
        peer = Device(device)  # type: ignore[arg-type]
        return peer.device_id != self._pool.device_id and \
            get(ctypes.c_int32, raw.cuc_memory_pool_get_access, self._pool._h, peer._h) != raw.CUC_ACCESS_NONE

    def __iter__(self) -> Iterator[Device]:
        return iter([d for d in Device.get_all_devices() if d in self])

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def add(self, value: Device | int) -> None:
        check(raw.cuc_memory_pool_set_access(self._pool._h, Device(value)._h, raw.CUC_ACCESS_READ_WRITE))

    def discard(self, value: Device | int) -> None:
        if value in self:
            check(raw.cuc_memory_pool_set_access(self._pool._h, Device(value)._h, raw.CUC_ACCESS_NONE))

    def __repr__(self) -> str:
        return f"{{{', '.join(map(repr, self))}}}"


@methods
class MemoryPool(MemoryResource):
    """A pool of the driver: allocates and frees in stream order."""

    __slots__ = ("_made",)
    _made: bool  # here, and not the device's or another process's
    _ipc: tuple[IPCAllocationHandle | None, uuids.UUID] | None  # None: it is of this process alone

    def __new__(cls, *_args: Any, **_kwargs: Any) -> Self:
        self = super().__new__(cls)
        self._made = False
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
        """Whether the pool itself goes with this object and its buffers: it is no default or current one, which
        stays, and no other process's.
        """
        return self._made

    @property
    def is_ipc_enabled(self) -> bool:
        return self._ipc is not None

    @property
    def is_mapped(self) -> bool:
        """Whether it is another process's."""
        return self._ipc is not None and self._ipc[0] is None

    @property
    def uuid(self) -> uuids.UUID | None:
        """What a pool for other processes is called there, too."""
        return self._ipc[1] if self._ipc else None

    @property
    def allocation_handle(self) -> IPCAllocationHandle:
        """What another process imports it by."""
        if self._ipc is None or self._ipc[0] is None:
            raise RuntimeError("the pool is not for other processes: make it with ipc_enabled=True"
                               if self._ipc is None else "the pool is another process's")
        return self._ipc[0]

    @classmethod
    def _imported(cls, device_id: Device | int | None, handle: IPCAllocationHandle | int) -> Self:
        self = cls.__new__(cls)
        self._take(create(raw.cuc_memory_pool_import, Device(device_id)._h, int(handle)))
        uuid = handle.uuid if isinstance(handle, IPCAllocationHandle) else uuids.uuid4()
        self._ipc = None, uuid
        return self

    @classmethod
    def from_allocation_handle(cls, device_id: Device | int, alloc_handle: IPCAllocationHandle | int) -> Self:
        """Another process's pool; buffers come by `Buffer.from_ipc_descriptor()`."""
        return cls._imported(device_id, alloc_handle)

    def register(self, uuid: uuids.UUID) -> MemoryPool:
        """Let `from_registry()` find it; gives the one that is there already, if one is."""
        known: MemoryPool = _registry.setdefault(uuid, self)
        return known

    @staticmethod
    def from_registry(uuid: uuids.UUID) -> MemoryPool:
        found = _registry.get(uuid)
        if found is None:
            raise RuntimeError(f"no pool is registered as {uuid}")
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return _pool_of, (type(self), self.device_id, self.allocation_handle)

    @property
    def handle(self) -> int:
        """The CUmemoryPool."""
        return raw.cuc_memory_pool_handle(self._h) or 0

    @property
    def attributes(self) -> PoolAttributes:
        return PoolAttributes(self)

    @property
    def peer_accessible_by(self) -> PeerAccess:
        """The other devices that reach it, as a set: changes take effect at once."""
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
        """The pool that a device's allocations come from, of a kind: "device", "pinned" or "managed"."""
        return MemoryPool._own(create(raw.cuc_memory_pool_get_current, Device(device)._h, word("kind", kind, _KINDS)))

    def make_current(self) -> None:
        """Let its device's allocations come from it. It is kept from then on: whoever asked for the current pool
        meanwhile has it by its handle.
        """
        check(raw.cuc_memory_pool_make_current(self._h))
        if not any(each is self for each in _been_current):
            _been_current.append(self)

    @property
    def statistics(self) -> dict[str, int]:
        """Bytes `reserved_bytes` from the system and `used_bytes` in allocations, and the most of each."""
        out = options(raw.cuc_memory_pool_statistics)
        check(raw.cuc_memory_pool_get_statistics(ctypes.byref(out), self._h))
        return {name: getattr(out, name) for name, *_ in out._fields_ if name != "struct_size"}

    def reset_high_marks(self) -> None:
        """Count the most of each from now on."""
        check(raw.cuc_memory_pool_reset_high_marks(self._h))

    def trim(self, keep: int = 0) -> None:
        """Give what is not used back to the system, down to `keep` bytes."""
        call(raw.cuc_memory_pool_trim, self._h, keep)


_registry: weakref.WeakValueDictionary[uuids.UUID, MemoryPool] = weakref.WeakValueDictionary()
_been_current: list[MemoryPool] = []


def _pool_of(cls: type[MemoryPool], device_id: int, handle: IPCAllocationHandle) -> MemoryPool:
    """A pool that was pickled: one object of it in a process."""
    known = _registry.get(handle.uuid)
    if known is None:
        known = cls._imported(device_id, handle).register(handle.uuid)
    return known


class DeviceMemoryResource(MemoryPool):
    """A pool on a device: its default one, or a new one when options are given."""

    __slots__ = ()

    def __init__(self, device_id: Device | int,
                 options: DeviceMemoryResourceOptions | dict[str, Any] | None = None) -> None:
        if options is None:
            self._take(create(raw.cuc_memory_pool_get_default, Device(device_id)._h, raw.CUC_MEMORY_DEVICE))
        else:
            given = given_as(DeviceMemoryResourceOptions, options)
            self._make(Device(device_id), raw.CUC_MEMORY_DEVICE, given.ipc_enabled, max_bytes=given.max_size)


class PinnedMemoryResource(MemoryPool):
    """A pool of page-locked host memory, that the host and devices reach."""

    __slots__ = ()

    def __init__(self, options: PinnedMemoryResourceOptions | dict[str, Any] | None = None) -> None:
        given = given_as(PinnedMemoryResourceOptions, options)
        location = raw.cuc_memory_location()
        if given.numa_id >= 0:
            location = located(raw.CUC_LOCATION_HOST_NUMA, given.numa_id)
        self._make(Device(), raw.CUC_MEMORY_PINNED, given.ipc_enabled, max_bytes=given.max_size,
                   location=location)

    @classmethod
    def from_allocation_handle(  # type: ignore[override]  # as cuda.core has it: it is of no device
            cls, alloc_handle: IPCAllocationHandle | int) -> Self:
        """Another process's pool, of the host's memory."""
        return cls._imported(None, alloc_handle)


class ManagedMemoryResource(MemoryPool):
    """A pool of managed memory, that moves between host and devices. Drivers of CUDA 13 have it."""

    __slots__ = ()

    def allocate(self, size: int, *, stream: StreamLike) -> ManagedBuffer:
        return as_managed(super().allocate(size, stream=stream))

    def __init__(self, options: ManagedMemoryResourceOptions | dict[str, Any] | None = None) -> None:
        given = given_as(ManagedMemoryResourceOptions, options)
        location = raw.cuc_memory_location()
        if given.preferred_location is not None:
            location = raw.cuc_memory_location(raw.CUC_LOCATION_HOST, 0) \
                if given.preferred_location < 0 \
                else located(raw.CUC_LOCATION_DEVICE, given.preferred_location)
        self._make(Device(), raw.CUC_MEMORY_MANAGED, max_bytes=given.max_size, location=location)
