"""Memory resources and buffers."""
from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from . import _device, raw
from ._device import Device
from ._errors import CUDAError, check, last_error
from ._handle import Handle, HostMemory, callback, c_number, check_elements, create, handle_of, kept, options
from ._native import BufferBase, ResourceBase, methods
from ._ipc import IPCBufferDescriptor, exported, imported
from ._pending import hold
from ._stream import Stream, StreamLike, as_stream

if TYPE_CHECKING:
    from typing_extensions import Buffer as Bytes, Self

    from ._memory_pool import MemoryPool
    from ._tensor import Tensor

_Tensor: type[Tensor]  # set by its module, which imports this one

_ACCESS_DEVICE, _ACCESS_HOST = raw.CUC_MEMORY_ACCESS_DEVICE, raw.CUC_MEMORY_ACCESS_HOST


#: Classes for resources created elsewhere, by (is a pool, kind).
CLASSES: dict[tuple[bool, int], type[MemoryResource]] = {}


@methods
class MemoryResource(Handle, ResourceBase):
    """An allocator. A subclass can implement its own: see `allocate()`."""

    __slots__ = ("_closed",)
    _release = raw.cuc_memory_resource_release
    _closed: bool

    def __new__(cls, *_args: Any, **_kwargs: Any) -> Self:
        self = super().__new__(cls)
        self._h, self._ipc = 0, None  # set even if a subclass defines its own __init__
        self._closed = False
        return self

    def __init__(self) -> None:
        if type(self).allocate is MemoryResource.allocate:
            raise TypeError(f"{type(self).__name__} is abstract: a resource of one's own has an allocate() and a "
                            "deallocate()")

    @staticmethod
    def _found(handle: int) -> MemoryResource:
        """Wrap a resource that was created elsewhere in the class of its kind."""
        kind = bool(raw.cuc_memory_resource_is_pool(handle)), raw.cuc_memory_resource_kind(handle)
        return CLASSES.get(kind, MemoryResource)._own(handle)

    def allocate(self, size: int, *, stream: StreamLike) -> Buffer:
        """Allocate in stream order; dropping the last reference also frees the memory in stream
        order.

        A subclass returns its own memory: `Buffer.from_handle(address, size, mr=self, stream=stream)`. Its
        `deallocate()` is called when the buffer is released.
        """
        return Buffer._of(self, size, as_stream(stream)._h)

    @property
    def is_closed(self) -> bool:
        return self._closed

    def close(self) -> None:
        """Stop allocating. Existing buffers stay valid."""
        self._closed = self._closed or bool(self._h)
        super().close()

    def _open(self) -> int:
        """Return the handle; raise an error if it is 0, because C takes NULL for the device's own
        resource."""
        if not self._h:
            raise ValueError(f"the {type(self).__name__} is closed" if self._closed else
                             f"{type(self).__name__} allocates by its own allocate() alone")
        return self._h

    def deallocate(self, ptr: int, size: int, *, stream: Stream) -> None:
        """Free a subclass's memory. `stream` orders the release; it is the default stream if the
        buffer had none. May run on any thread."""
        raise NotImplementedError(f"{type(self).__name__} has no deallocate()")

    @property
    def device_id(self) -> int:
        """-1 if the memory belongs to no device."""
        return raw.cuc_device_ordinal(raw.cuc_memory_resource_device(self._h))

    @property
    def is_device_accessible(self) -> bool:
        return bool(raw.cuc_memory_resource_access(self._h) & _ACCESS_DEVICE) if self._h else not self._closed

    @property
    def is_host_accessible(self) -> bool:
        return bool(raw.cuc_memory_resource_access(self._h) & _ACCESS_HOST) if self._h else False

    @property
    def is_managed(self) -> bool:
        return raw.cuc_memory_resource_kind(self._h) == raw.CUC_MEMORY_MANAGED if self._h else False

    @contextlib.contextmanager
    def _lent(self) -> Iterator[int]:
        """Yield the library's resource; for a subclass, a new resource that calls it back and keeps
        it alive."""
        if self._h or self._closed:
            yield self._open()
        else:
            handle = _custom(self)
            try:
                yield handle
            finally:
                raw.cuc_memory_resource_release(handle)


def _access_of(resource: MemoryResource) -> int:
    """Return CUC_MEMORY_ACCESS_ bits from the subclass's properties."""
    return (_ACCESS_DEVICE if resource.is_device_accessible else 0) | \
           (_ACCESS_HOST if resource.is_host_accessible else 0) | \
           (raw.CUC_MEMORY_ACCESS_MANAGED if resource.is_managed else 0)


def _device_of(resource: MemoryResource) -> Device | None:
    """Return the device that a subclass reports for its memory; None if it returns -1 or raises."""
    try:
        said: Any = resource.device_id
    except (AttributeError, NotImplementedError, RuntimeError):
        return None
    return Device(said) if isinstance(said, Device) or said >= 0 else None


def _stream_to_free_on(resource: MemoryResource, stream: int | None) -> Stream:
    """Return the buffer's stream, or the default stream of the resource's device, because
    deallocate() always receives one."""
    if stream:
        return Stream._own(raw.cuc_stream_retain(stream))
    return (_device_of(resource) or Device()).default_stream


def _custom(resource: MemoryResource) -> int:
    def allocate(_user: int, out: int, stream: int | None, size: int) -> int:
        return raw.cuc_error_set(raw.CUC_ERROR_NOT_SUPPORTED, b"allocate",
                                 b"a resource written in Python allocates by its allocate()")

    def deallocate(_user: int, stream: int | None, ptr: int, size: int) -> int:
        try:
            resource.deallocate(ptr, size, stream=_stream_to_free_on(resource, stream))
        except Exception as error:
            return raw.cuc_error_set(raw.CUC_ERROR_DRIVER, b"deallocate", repr(error).encode())
        return 0

    struct = raw.cuc_memory_callbacks
    callbacks = (callback(struct, "allocate", allocate), callback(struct, "deallocate", deallocate))
    # The callbacks must outlive the resource, which buffers keep alive beyond this object.
    key = kept.add(callbacks)
    access = _access_of(resource) or _ACCESS_DEVICE  # if it reports neither, exporting the memory raises instead
    made = options(struct, user=key, allocate=callbacks[0], deallocate=callbacks[1],
                   destroy=callback(struct, "destroy", kept.drop), access=access)
    try:
        return create(raw.cuc_memory_resource_create, ctypes.byref(made))
    except BaseException:
        kept.forget(key)
        raise


def _buffer_of(pool: MemoryPool, descriptor: IPCBufferDescriptor) -> Buffer:
    """Unpickle a buffer, whose release is ordered on the default stream."""
    device = Device(pool.device_id if pool.device_id >= 0 else None)  # host memory has no device
    return Buffer.from_ipc_descriptor(pool, descriptor, stream=device.default_stream)


def pattern_of(value: int | Bytes) -> bytes:
    """Return the fill pattern. Do not use bytes() of a NumPy integer, which would give that many
    zeros."""
    if isinstance(value, int):
        return bytes((value,)) if 0 <= value < 256 else bytes((c_number(ctypes.c_uint8, "value", value),))
    memory = memoryview(value)
    check_elements(value, memory.format)
    return memory.tobytes()


@methods
class Buffer(Handle, BufferBase):
    """A block of memory. Made by `Device.allocate()` and `MemoryResource.allocate()`.

    After it is closed or collected and has no views left, it is freed in the order of its
    stream, after the work enqueued there so far. If other streams use it, make its stream wait
    for them with `Stream.wait()` first.
    """

    __slots__ = ()
    _release = raw.cuc_buffer_release
    _made_by = "allocate() of a device or a memory resource and Buffer.from_handle()"
    _pool: MemoryPool | None  # the pool, if it is shared with or imported from another process
    _named: IPCBufferDescriptor | None
    _resource: MemoryResource | None  # the Python object that allocated it, if any

    @classmethod
    def _own(cls, handle: int | None) -> Self:
        self = cls.__new__(cls)
        self._h = cls._reference(handle) if handle else 0
        self._pool = self._named = self._resource = None
        return self

    @classmethod
    def _of(cls, resource: MemoryResource, size: int, stream: int | None) -> Self:
        """Allocate a new buffer."""
        self = cls._own(create(raw.cuc_buffer_create, stream, resource._h or resource._open(), size))
        self._resource = resource
        if resource._ipc is not None:
            self._pool = resource  # type: ignore[assignment]  # a pool has `_ipc`
        return self

    @classmethod
    def from_handle(cls, ptr: int, size: int, mr: MemoryResource | None = None, owner: Any = None,
                    stream: StreamLike = None) -> Self:
        """Wrap existing memory, which `mr` frees, `owner` keeps alive, or neither does."""
        if mr is not None:
            handle_of(MemoryResource, mr, "mr")
        if mr is not None and owner is not None:
            raise ValueError("expected a memory resource that frees the memory or an owner that "
                             "keeps it, not both")
        key = kept.add(owner) if owner is not None else 0
        queue = as_stream(stream) if stream is not None else None
        made = options(raw.cuc_buffer_options, owner=key or None, stream=queue._h if queue else None)
        if key:
            made.drop_owner = callback(raw.cuc_buffer_options, "drop_owner", kept.drop)
        if mr is not None and not mr._h and not mr._closed and mr.is_device_accessible:
            said = _device_of(mr)
            made.device = said._h if said is not None else None  # else the driver derives the device from the address
        try:
            with mr._lent() if mr is not None else contextlib.nullcontext() as made.resource:
                self = cls._own(create(raw.cuc_buffer_from_pointer, int(ptr), size,
                                       ctypes.byref(made)))
                self._resource = mr
                return self
        except BaseException:
            kept.forget(key)
            raise

    @classmethod
    def from_ipc_descriptor(cls, mr: MemoryPool, ipc_descriptor: IPCBufferDescriptor, *,
                            stream: StreamLike) -> Self:
        """Import a buffer of another process from a pool of that process, which must have been
        imported before. Close it before the owner closes its own buffer.
        """
        given = imported(ipc_descriptor, IPCBufferDescriptor)
        queue = as_stream(stream)
        made = cls._own(create(raw.cuc_buffer_from_ipc_handle, queue._h, handle_of(MemoryResource, mr, "mr"),
                               ctypes.byref(given), ipc_descriptor.size))
        made._pool = made._resource = mr
        made._named = ipc_descriptor  # so that this process can pass the buffer on
        return made

    @property
    def ipc_descriptor(self) -> IPCBufferDescriptor:
        """Identifies the buffer to a process that has imported its pool; requires a pool with ipc_enabled."""
        handle = self._h  # 0 once closed
        if handle and self._pool is None and not raw.cuc_buffer_parent(handle):
            raise RuntimeError("Memory resource is not IPC-enabled: make it with ipc_enabled=True")
        if self._named is None:
            self._named = IPCBufferDescriptor(exported(raw.cuc_buffer_export, handle), self.size)
        return self._named

    def __reduce__(self) -> tuple[Any, ...]:
        if self._pool is None:
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
        """-1 if it belongs to no device."""
        return raw.cuc_device_ordinal(raw.cuc_buffer_device(self._h))

    @property
    def memory_resource(self) -> MemoryResource | None:
        """The resource that allocated the buffer or its parent; None for wrapped memory."""
        if self._resource is not None and self._h:
            return self._resource
        handle = raw.cuc_memory_resource_retain(raw.cuc_buffer_memory_resource(self._h))
        return MemoryResource._found(handle) if handle else None

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
        """True for memory of another process."""
        return self._pool is not None and self._pool.is_mapped

    def set_deallocation_stream(self, stream: StreamLike) -> None:
        """Order the release on this stream."""
        check(raw.cuc_buffer_set_stream(self._h, as_stream(stream)._h))

    def close(self, stream: StreamLike = None) -> None:
        """Release the buffer now, in the order of its own stream or of the given one."""
        if stream is not None and self._h:
            self.set_deallocation_stream(stream)
        super().close()

    def __getitem__(self, part: slice) -> Self:
        """Return a slice in bytes, `buffer[256:512]`, which keeps the whole buffer alive."""
        if not isinstance(part, slice):
            raise TypeError("a part of a buffer is a slice of bytes, buffer[0:256]")
        self._open()
        start, stop, step = part.indices(self.size)
        if step != 1:
            raise ValueError("a part of a buffer has no step")
        made = type(self)._own(create(raw.cuc_buffer_slice, self._h, start, max(stop - start, 0)))
        made._resource = self.memory_resource
        return made

    def copy_to(self, dst: Any = None, *, stream: StreamLike) -> Any:
        """Copy the whole buffer to another buffer, to a new one if none is given, or to a writable
        host array.

        A host array is filled when the stream completes, and is kept alive until then.
        """
        queue = as_stream(stream)
        self._open()
        size = self.size
        if dst is None:
            own = self.memory_resource
            if own is not None and not own.is_closed:
                dst = own.allocate(size, stream=queue)
            else:
                dst = Buffer._own(create(raw.cuc_buffer_create, queue._h,
                                         raw.cuc_buffer_memory_resource(self._h), size))
        if isinstance(dst, Buffer):
            dst._open()
            self._same_size(dst.size, size)
            done = raw.cuc_buffer_copy(queue._h, dst._h, 0, self._h, 0, size)
        else:
            host = HostMemory(dst, writable=True)
            self._same_size(host.size, size)
            done = raw.cuc_buffer_read_async(queue._h, host.address, self._h, 0, size)
            if not done:
                hold(queue, host)
        if done:
            raise last_error()
        return dst

    def copy_from(self, src: Any, *, stream: StreamLike) -> None:
        """Fill the whole buffer from another buffer, a host array or bytes. Host memory is kept
        alive until the copy completes and must not change before that.
        """
        queue = as_stream(stream)
        self._open()
        size = self.size
        if isinstance(src, Buffer):
            src._open()
            self._same_size(size, src.size)
            done = raw.cuc_buffer_copy(queue._h, self._h, 0, src._h, 0, size)
        else:
            host = HostMemory(src, writable=False)
            self._same_size(size, host.size)
            done = raw.cuc_buffer_write_async(queue._h, self._h, 0, host.address, size)
            if not done:
                hold(queue, host)
        if done:
            raise last_error()

    @staticmethod
    def _same_size(dst: int, src: int) -> None:
        if dst != src:
            raise ValueError(f"the source has {src} bytes and the destination {dst}: expected as "
                             f"many; a part of a buffer is buffer[0:{min(src, dst)}]")

    def fill(self, value: int | Bytes, *, stream: StreamLike) -> None:
        """Fill with a byte, or with a pattern of 1, 2 or 4 bytes from an object with the buffer
        protocol, such as a NumPy scalar.
        """
        pattern = pattern_of(value)
        if raw.cuc_buffer_fill(as_stream(stream)._h, self._h, 0, int.from_bytes(pattern, "little"),
                               len(pattern), self.size):
            raise last_error()

    def view(self, dtype: str = "u8", shape: tuple[int, ...] | int | None = None) -> Tensor:
        """View the buffer as an array, which keeps the buffer alive. Without a shape, view all of
        it."""
        return _Tensor.from_buffer(self, dtype, shape)

    def host_view(self) -> memoryview:
        """Return a zero-copy host view of the bytes of host-accessible memory. The view keeps the
        buffer alive."""
        out = ctypes.c_void_p()
        check(raw.cuc_buffer_get_host_pointer(ctypes.byref(out), self._h))
        array = (ctypes.c_uint8 * self.size).from_address(out.value or 0)
        array._buffer = self._again()  # type: ignore[attr-defined]
        return memoryview(array).cast("B")

    @property
    def parent(self) -> Buffer | None:
        """The buffer that this one is a slice of."""
        handle = raw.cuc_buffer_parent(self._h)
        return Buffer._own(raw.cuc_buffer_retain(handle)) if handle else None

    def _again(self) -> Buffer:
        """Take another reference that outlives closing this object."""
        return Buffer._own(raw.cuc_buffer_retain(self._h))

    def _reached(self) -> Buffer:
        """Return self if the device or host can access the memory. A custom resource reports this
        itself."""
        resource = self._resource
        if resource is not None and not resource._h and not resource._closed and not _access_of(resource):
            raise BufferError(f"the buffer is neither device-accessible nor host-accessible, as its "
                              f"{type(resource).__name__} says")
        return self

    def __dlpack__(self, **how: Any) -> Any:
        return self._reached().view().__dlpack__(**how)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._reached().view().__dlpack_device__()

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return self.view().__cuda_array_interface__

    def __buffer__(self, flags: int) -> memoryview:
        """Supports memoryview(buffer) like `host_view()`, from Python 3.12 on."""
        try:
            return self.host_view()
        except CUDAError as error:  # the protocol requires this exception
            raise BufferError(str(error)) from error

    def __eq__(self, other: object) -> bool:
        """True if both refer to the same memory."""
        return (self.handle, self.size) == (other.handle, other.size) if isinstance(other, Buffer) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.handle, self.size))

    def __repr__(self) -> str:
        mapped = " is_mapped=True" if self.is_mapped else ""
        return f"<Buffer ptr={self.handle:#x} size={self.size}{mapped}>" if self._h else "<Buffer, closed>"


_device._MemoryResource = MemoryResource
