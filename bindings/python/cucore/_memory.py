"""Memory: resources, which allocate, and buffers."""
from __future__ import annotations

import contextlib
import ctypes
import uuid as uuids
import weakref
from collections.abc import Iterable, Iterator, MutableSet
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from . import raw
from ._device import Device
from ._errors import check, last_error
from ._handle import Handle, HostMemory, call, callback, create, get, kept, options
from ._ipc import IPCAllocationHandle, IPCBufferDescriptor, exported, imported
from ._pending import hold
from ._stream import Stream, StreamLike, as_stream

if TYPE_CHECKING:
    from ._managed import ManagedBuffer
    from ._tensor import Tensor

_KINDS = {"device": raw.CUC_MEMORY_DEVICE, "pinned": raw.CUC_MEMORY_PINNED, "managed": raw.CUC_MEMORY_MANAGED}
_ACCESS_DEVICE, _ACCESS_HOST = raw.CUC_MEMORY_ACCESS_DEVICE, raw.CUC_MEMORY_ACCESS_HOST


class MemoryResource(Handle):
    """Something that allocates. A subclass may be a resource of its own: see `allocate()`."""

    __slots__ = ()
    _release = raw.cuc_memory_resource_release

    def __new__(cls, *_args: Any, **_kwargs: Any) -> MemoryResource:
        self = super().__new__(cls)
        self._h = 0  # also where a subclass has an __init__ of its own
        return self

    def __init__(self) -> None:
        if type(self).allocate is MemoryResource.allocate:
            super().__init__()

    def allocate(self, size: int, *, stream: StreamLike) -> Buffer:
        """Memory in the stream's order; its last reference frees it in that order too.

        A subclass gives memory of its own: `Buffer.from_handle(address, size, mr=self,
        stream=stream)`. Its `deallocate()` is called when the buffer is gone.
        """
        return Buffer._own(create(raw.cuc_buffer_create, self._h, size, as_stream(stream)))

    def deallocate(self, ptr: int, size: int, *, stream: Stream | None) -> None:
        """Called for memory of a subclass; may come on any thread."""
        raise NotImplementedError(f"{type(self).__name__} has no deallocate()")

    @property
    def device_id(self) -> int:
        """-1: of no device."""
        return raw.cuc_device_ordinal(raw.cuc_memory_resource_device(self._h))

    @property
    def is_device_accessible(self) -> bool:
        return bool(raw.cuc_memory_resource_access(self._h) & _ACCESS_DEVICE) if self._h else True

    @property
    def is_host_accessible(self) -> bool:
        return bool(raw.cuc_memory_resource_access(self._h) & _ACCESS_HOST) if self._h else False

    @property
    def is_managed(self) -> bool:
        return raw.cuc_memory_resource_kind(self._h) == raw.CUC_MEMORY_MANAGED if self._h else False

    @contextlib.contextmanager
    def _lent(self) -> Iterator[int]:
        """The library's resource; of a subclass a new one, that calls it back and keeps it."""
        if self._h:
            yield self._h
        else:
            handle = _custom(self)
            try:
                yield handle
            finally:
                raw.cuc_memory_resource_release(handle)


def _custom(resource: MemoryResource) -> int:
    def allocate(_user: int, out: int, size: int, stream: int) -> int:
        return raw.cuc_error_set(raw.CUC_ERROR_NOT_SUPPORTED, b"allocate",
                                 b"a resource written in Python allocates by its allocate()")

    def deallocate(_user: int, ptr: int, size: int, stream: int | None) -> int:
        try:
            held = Stream._own(raw.cuc_stream_retain(stream)) if stream else None
            resource.deallocate(ptr, size, stream=held)
        except Exception as error:
            return raw.cuc_error_set(raw.CUC_ERROR_DRIVER, b"deallocate", repr(error).encode())
        return 0

    struct = raw.cuc_memory_callbacks
    callbacks = (callback(struct, "allocate", allocate), callback(struct, "deallocate", deallocate))
    # What it calls must outlive the resource: the buffers hold it beyond this object.
    key = kept.add(callbacks)
    access = (_ACCESS_DEVICE if resource.is_device_accessible else 0) | \
             (_ACCESS_HOST if resource.is_host_accessible else 0)
    made = options(struct, user=key, allocate=callbacks[0], deallocate=callbacks[1],
                   destroy=callback(struct, "destroy", kept.drop), access=access)
    try:
        return create(raw.cuc_memory_resource_create, ctypes.byref(made))
    except BaseException:
        kept.forget(key)
        raise


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

    @staticmethod
    def _number(name: str) -> int:
        for number, known in raw.NAMES["memory_pool_attribute"].items():
            if known == name:
                return number
        raise AttributeError(f"a pool has no attribute {name}")

    def __getattr__(self, name: str) -> int:
        return int(get(ctypes.c_uint64, raw.cuc_memory_pool_get_attribute, self._pool._h,
                       self._number(name)))

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


class GraphMemoryAttributes:
    """What a device has for the memory of graphs, in bytes: `used_mem_current`, `used_mem_high`,
    `reserved_mem_current` and `reserved_mem_high`. A high mark starts anew when it is set to 0.
    """

    __slots__ = ("_device",)
    _device: Device
    _NAMES = ("used_mem_current", "used_mem_high", "reserved_mem_current", "reserved_mem_high")

    def __init__(self, device: Device) -> None:
        object.__setattr__(self, "_device", device)

    def _number(self, name: str) -> int:
        if name not in self._NAMES:
            raise AttributeError(f"the memory of graphs has no attribute {name}")
        return self._NAMES.index(name)  # as CUC_GRAPH_MEMORY_

    def __getattr__(self, name: str) -> int:
        return int(get(ctypes.c_uint64, raw.cuc_device_get_graph_memory, self._device._h,
                       self._number(name)))

    def __setattr__(self, name: str, value: int) -> None:
        number = self._number(name)
        if not name.endswith("_high"):
            raise AttributeError(f"{name} can only be read")
        if value != 0:
            raise ValueError(f"{name} can only be set to 0, not {value!r}")
        check(raw.cuc_device_reset_graph_memory(self._device._h, number))

    def __dir__(self) -> list[str]:
        return list(self._NAMES)


class GraphMemoryResource(MemoryResource):
    """Memory that is a graph's: allocated and freed by its nodes, on a stream that is captured. There is
    one a device.
    """

    __slots__ = ("_device", "attributes")
    _device: Device
    attributes: GraphMemoryAttributes
    _made: ClassVar[dict[int, GraphMemoryResource]] = {}

    def __new__(cls, device: Device | int = 0) -> GraphMemoryResource:
        of = Device(device)
        found = cls._made.get(of.device_id)
        if found is None:
            found = super().__new__(cls)
            found._device, found.attributes = of, GraphMemoryAttributes(of)
            found._h = create(raw.cuc_memory_pool_get_default, of._h, raw.CUC_MEMORY_DEVICE)
            found = cls._made.setdefault(of.device_id, found)
        return found

    def __init__(self, device: Device | int = 0) -> None:
        pass

    def allocate(self, size: int, *, stream: StreamLike) -> Buffer:
        if not as_stream(stream).is_capturing:
            raise RuntimeError("the stream is not being captured, and this memory is a graph's: use "
                               "a DeviceMemoryResource")
        return super().allocate(size, stream=stream)

    @property
    def device_id(self) -> int:
        return self._device.device_id

    def trim(self) -> None:
        """Give back what is kept for graphs' next launches."""
        check(raw.cuc_device_trim_graph_memory(self._device._h))

    def close(self) -> None:
        """Does nothing: it is the device's."""


class MemoryPool(MemoryResource):
    """A pool of the driver: allocates and frees in stream order."""

    __slots__ = ("_ipc",)
    _ipc: tuple[IPCAllocationHandle | None, uuids.UUID] | None  # None: it is of this process alone

    def __new__(cls, *_args: Any, **_kwargs: Any) -> MemoryPool:
        self = super().__new__(cls)
        self._ipc = None
        return self  # type: ignore[return-value]

    def _make(self, device: Device, kind: int, ipc: bool = False, **fields: Any) -> None:
        made = options(raw.cuc_memory_pool_options, kind=kind,
                       flags=raw.CUC_MEMORY_POOL_IPC if ipc else 0, **fields)
        self._h = create(raw.cuc_memory_pool_create, device._h, ctypes.byref(made))
        if ipc:
            uuid = uuids.uuid4()
            fd = get(ctypes.c_int32, raw.cuc_memory_pool_export, self._h)
            self._ipc = IPCAllocationHandle(fd, uuid), uuid

    def allocate(self, size: int, *, stream: StreamLike) -> Buffer:
        made = super().allocate(size, stream=stream)
        if self._ipc is not None:
            made._pool = self
        return made

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
    def from_allocation_handle(cls, device: Device | int, handle: IPCAllocationHandle | int) -> MemoryPool:
        """Another process's pool; buffers come by `Buffer.from_ipc_descriptor()`."""
        self = cls.__new__(cls)
        self._h = create(raw.cuc_memory_pool_import, Device(device)._h, int(handle))
        uuid = handle.uuid if isinstance(handle, IPCAllocationHandle) else uuids.uuid4()
        self._ipc = None, uuid
        return self

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
        return MemoryPool._own(create(raw.cuc_memory_pool_get_current, Device(device)._h, _KINDS[kind]))

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
        known = cls.from_allocation_handle(device_id, handle).register(handle.uuid)
    return known


class DeviceMemoryResource(MemoryPool):
    """A pool on a device: its default one, or a new one when options are given."""

    __slots__ = ()

    def __init__(self, device: Device | int, options: DeviceMemoryResourceOptions | None = None) -> None:
        if options is None:
            self._h = create(raw.cuc_memory_pool_get_default, Device(device)._h, raw.CUC_MEMORY_DEVICE)
        else:
            self._make(Device(device), raw.CUC_MEMORY_DEVICE, options.ipc_enabled,
                       max_bytes=options.max_size)


class PinnedMemoryResource(MemoryPool):
    """A pool of page-locked host memory, that the host and devices reach."""

    __slots__ = ()

    def __init__(self, options: PinnedMemoryResourceOptions | None = None) -> None:
        given = options or PinnedMemoryResourceOptions()
        location = raw.cuc_memory_location()
        if given.numa_id >= 0:
            location = raw.cuc_memory_location(raw.CUC_LOCATION_HOST_NUMA, given.numa_id)
        self._make(Device(), raw.CUC_MEMORY_PINNED, given.ipc_enabled, max_bytes=given.max_size,
                   location=location)


def _managed(made: Buffer) -> Buffer:
    """The same reference as a ManagedBuffer."""
    from ._managed import ManagedBuffer
    handle, made._h = made._h, 0
    return ManagedBuffer._own(handle)


class ManagedMemoryResource(MemoryPool):
    """A pool of managed memory, that moves between host and devices. Drivers of CUDA 13 have it."""

    __slots__ = ()

    def allocate(self, size: int, *, stream: StreamLike) -> ManagedBuffer:
        return _managed(super().allocate(size, stream=stream))  # type: ignore[return-value]

    def __init__(self, options: ManagedMemoryResourceOptions | None = None) -> None:
        given = options or ManagedMemoryResourceOptions()
        location = raw.cuc_memory_location()
        if given.preferred_location is not None:
            location = raw.cuc_memory_location(raw.CUC_LOCATION_HOST, 0) \
                if given.preferred_location < 0 \
                else raw.cuc_memory_location(raw.CUC_LOCATION_DEVICE, given.preferred_location)
        self._make(Device(), raw.CUC_MEMORY_MANAGED, max_bytes=given.max_size, location=location)


class SynchronousMemoryResource(MemoryResource):
    """Memory of a device without a pool: allocating may wait for the device, freeing does."""

    __slots__ = ()

    def __init__(self, device: Device | int) -> None:
        self._h = create(raw.cuc_memory_synchronous, Device(device)._h, raw.CUC_MEMORY_DEVICE)


class _Unordered(MemoryResource):
    """Memory that the host reaches, without a pool. Its buffers need no stream."""

    __slots__ = ()

    def allocate(self, size: int, *, stream: StreamLike = None) -> Buffer:
        return Buffer._own(create(raw.cuc_buffer_create, self._h, size,
                                  None if stream is None else as_stream(stream)))


class LegacyPinnedMemoryResource(_Unordered):
    """Page-locked host memory without a pool."""

    __slots__ = ()

    def __init__(self) -> None:
        self._h = create(raw.cuc_memory_synchronous, Device()._h, raw.CUC_MEMORY_PINNED)


class LegacyManagedMemoryResource(_Unordered):
    """Managed memory without a pool, of every driver."""

    __slots__ = ()

    def __init__(self) -> None:
        self._h = create(raw.cuc_memory_synchronous, Device()._h, raw.CUC_MEMORY_MANAGED)

    def allocate(self, size: int, *, stream: StreamLike = None) -> ManagedBuffer:
        return _managed(super().allocate(size, stream=stream))  # type: ignore[return-value]


def _buffer_of(pool: MemoryPool, descriptor: IPCBufferDescriptor) -> Buffer:
    """A buffer that was pickled. Its end is ordered by the default stream."""
    return Buffer.from_ipc_descriptor(pool, descriptor, stream=Device(pool.device_id).default_stream)


class Buffer(Handle):
    """A piece of memory. Made by `Device.allocate()` and `MemoryResource.allocate()`.

    When it is closed or collected, and no view of it is left, it is freed in the order of its
    stream: after what the stream has by then. A kernel on another stream must be ordered before, by
    `Stream.wait()`.
    """

    __slots__ = ("_pool", "_named")
    _release = raw.cuc_buffer_release
    _pool: MemoryPool | None  # that it is of, where that is for, or of, other processes
    _named: IPCBufferDescriptor | None

    @classmethod
    def _own(cls, handle: int | None) -> Buffer:
        self = super()._own(handle)
        self._pool = self._named = None
        return self

    @classmethod
    def from_handle(cls, ptr: int, size: int, mr: MemoryResource | None = None, owner: Any = None,
                    stream: StreamLike = None) -> Buffer:
        """Memory that is there already: freed by `mr`, or kept alive by `owner`, or neither."""
        if mr is not None and owner is not None:
            raise ValueError("expected a memory resource that frees the memory or an owner that "
                             "keeps it, not both")
        key = kept.add(owner) if owner is not None else 0
        queue = as_stream(stream) if stream is not None else None
        made = options(raw.cuc_buffer_options, owner=key or None, stream=queue._h if queue else None)
        if key:
            made.drop_owner = callback(raw.cuc_buffer_options, "drop_owner", kept.drop)
        try:
            with mr._lent() if mr is not None else contextlib.nullcontext() as made.resource:
                return cls._own(create(raw.cuc_buffer_from_pointer, int(ptr), size,
                                       ctypes.byref(made)))
        except BaseException:
            kept.forget(key)
            raise

    @classmethod
    def from_ipc_descriptor(cls, mr: MemoryPool, descriptor: IPCBufferDescriptor, *,
                            stream: StreamLike) -> Buffer:
        """Another process's buffer, of a pool of its that was imported. Close it before that process
        closes its own.
        """
        given = imported(bytes(descriptor))
        queue = as_stream(stream)
        made = cls._own(create(raw.cuc_buffer_import, mr._h, ctypes.byref(given), descriptor.size,
                               queue._h))
        made._pool = mr
        return made

    @property
    def ipc_descriptor(self) -> IPCBufferDescriptor:
        """What names it to a process that has its pool; of a pool with ipc_enabled."""
        handle = self._h  # none once it is closed
        if self._named is None:
            self._named = IPCBufferDescriptor(exported(raw.cuc_buffer_export, handle), self.size)
        return self._named

    def __reduce__(self) -> tuple[Any, ...]:
        if self._pool is None or self._pool.is_mapped:
            raise TypeError("only a buffer of a pool with ipc_enabled can be pickled: it goes by its "
                            "descriptor, and is the same memory")
        return _buffer_of, (self._pool, self.ipc_descriptor)

    @property
    def handle(self) -> int:
        """Its address."""
        return raw.cuc_buffer_ptr(self._h)

    def __int__(self) -> int:
        return raw.cuc_buffer_ptr(self._h)

    @property
    def size(self) -> int:
        """In bytes."""
        return raw.cuc_buffer_bytes(self._h)

    def __len__(self) -> int:
        return raw.cuc_buffer_bytes(self._h)

    @property
    def device_id(self) -> int:
        """-1: of no device."""
        return raw.cuc_device_ordinal(raw.cuc_buffer_device(self._h))

    @property
    def memory_resource(self) -> MemoryResource | None:
        handle = raw.cuc_buffer_memory_resource(self._h)
        return MemoryResource._own(raw.cuc_memory_resource_retain(handle)) if handle else None

    @property
    def owner(self) -> Any:
        return kept.get(raw.cuc_buffer_owner(self._h) or 0)

    @property
    def is_device_accessible(self) -> bool:
        return bool(raw.cuc_buffer_access(self._h) & _ACCESS_DEVICE)

    @property
    def is_host_accessible(self) -> bool:
        return bool(raw.cuc_buffer_access(self._h) & _ACCESS_HOST)

    @property
    def is_managed(self) -> bool:
        return bool(raw.cuc_buffer_access(self._h) & raw.CUC_MEMORY_ACCESS_MANAGED)

    @property
    def is_mapped(self) -> bool:
        """Whether it is another process's memory."""
        return self._pool is not None and self._pool.is_mapped

    def set_deallocation_stream(self, stream: StreamLike) -> None:
        """Free it in this stream's order."""
        check(raw.cuc_buffer_set_stream(self._h, as_stream(stream)))

    def close(self, stream: StreamLike = None) -> None:
        """Free it now, in the order of its stream, or of the one given."""
        if stream is not None and self._h:
            self.set_deallocation_stream(stream)
        super().close()

    def __getitem__(self, part: slice) -> Buffer:
        """A part of it by bytes, `buffer[256:512]`, that keeps the whole."""
        if not isinstance(part, slice):
            raise TypeError("a part of a buffer is a slice of bytes, buffer[0:256]")
        start, stop, step = part.indices(self.size)
        if step != 1:
            raise ValueError("a part of a buffer has no step")
        return type(self)._own(create(raw.cuc_buffer_slice, self._h, start, max(stop - start, 0)))

    def copy_to(self, dst: Any = None, *, stream: StreamLike) -> Any:
        """Copy all of it to a buffer, a new one when none is given, or to a writable host array.

        Host memory is written when the stream has been waited for, and kept until then.
        """
        queue = as_stream(stream)
        size = self.size
        if dst is None:
            resource = raw.cuc_buffer_memory_resource(self._h)
            dst = Buffer._own(create(raw.cuc_buffer_create, resource, size, queue._h))
        if isinstance(dst, Buffer):
            self._same_size(dst.size, size)
            done = raw.cuc_buffer_copy(queue._h, dst._h, 0, self._h, 0, size)
        else:
            host = HostMemory(dst, writable=True)
            self._same_size(host.size, size)
            done = raw.cuc_buffer_read(queue._h, host.address, self._h, 0, size)
            if not done:
                hold(queue, host)
        if done:
            raise last_error()
        return dst

    def copy_from(self, src: Any, *, stream: StreamLike) -> None:
        """Fill all of it from a buffer, or from a host array or bytes, which are kept until it is
        done, and are not to be changed before.
        """
        queue = as_stream(stream)
        size = self.size
        if isinstance(src, Buffer):
            self._same_size(size, src.size)
            done = raw.cuc_buffer_copy(queue._h, self._h, 0, src._h, 0, size)
        else:
            host = HostMemory(src, writable=False)
            self._same_size(size, host.size)
            done = raw.cuc_buffer_write(queue._h, self._h, 0, host.address, size)
            if not done:
                hold(queue, host)
        if done:
            raise last_error()

    @staticmethod
    def _same_size(dst: int, src: int) -> None:
        if dst != src:
            raise ValueError(f"the source has {src} bytes and the destination {dst}: expected as "
                             f"many; a part of a buffer is buffer[0:{min(src, dst)}]")

    def fill(self, value: int | bytes, *, stream: StreamLike) -> None:
        """Fill it with a byte, or with a pattern of 1, 2 or 4 bytes."""
        pattern = bytes([value]) if isinstance(value, int) else bytes(value)
        if raw.cuc_buffer_fill(as_stream(stream), self._h, 0, int.from_bytes(pattern, "little"),
                               len(pattern), self.size):
            raise last_error()

    def view(self, dtype: str = "u8", shape: tuple[int, ...] | int | None = None) -> Tensor:
        """The buffer as an array, that keeps it; all of it when no shape is given."""
        from ._tensor import Tensor
        return Tensor.from_buffer(self, dtype, shape)

    def host_view(self) -> memoryview:
        """Its bytes for the host, without a copy; of memory that the host reaches. Keeps it."""
        out = ctypes.c_void_p()
        check(raw.cuc_buffer_get_host_pointer(ctypes.byref(out), self._h))
        array = (ctypes.c_uint8 * self.size).from_address(out.value or 0)
        array._buffer = self._again()  # type: ignore[attr-defined]
        return memoryview(array).cast("B")

    @property
    def parent(self) -> Buffer | None:
        """The buffer that it is a part of."""
        handle = raw.cuc_buffer_parent(self._h)
        return Buffer._own(raw.cuc_buffer_retain(handle)) if handle else None

    def _again(self) -> Buffer:
        """A reference more, for what keeps the memory though this object is closed."""
        return Buffer._own(raw.cuc_buffer_retain(self._h))

    def __dlpack__(self, **how: Any) -> Any:
        return self.view().__dlpack__(**how)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.view().__dlpack_device__()

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return self.view().__cuda_array_interface__

    def __repr__(self) -> str:
        return f"<Buffer of {self.size} bytes at {self.handle:#x}>" if self._h else "<Buffer, closed>"
