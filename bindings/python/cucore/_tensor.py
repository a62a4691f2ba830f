"""Arrays over memory: what kernels take, and what goes to and comes from other libraries."""
from __future__ import annotations

import ctypes
from typing import Any, ClassVar

from . import raw
from ._device import Device
from ._errors import check, last_error
from ._handle import HostMemory
from ._memory import Buffer
from ._pending import hold
from ._stream import Stream, StreamLike, as_stream

_NAMES: dict[int, str] = raw.NAMES["dtype"]
_DTYPES: dict[str, int] = {name: number for number, name in _NAMES.items() if number}
# What NumPy, PyTorch and others call them.
_DTYPES.update({
    "int8": raw.CUC_I8, "int16": raw.CUC_I16, "int32": raw.CUC_I32, "int64": raw.CUC_I64,
    "uint8": raw.CUC_U8, "uint16": raw.CUC_U16, "uint32": raw.CUC_U32, "uint64": raw.CUC_U64,
    "float16": raw.CUC_F16, "bfloat16": raw.CUC_BF16, "float32": raw.CUC_F32,
    "float64": raw.CUC_F64, "bool_": raw.CUC_BOOL, "tfloat32": raw.CUC_TF32,
    "complex64": raw.CUC_C64, "complex128": raw.CUC_C128, "float8_e4m3fn": raw.CUC_E4M3,
    "float8_e5m2": raw.CUC_E5M2, "float8_e8m0fnu": raw.CUC_E8M0,
})
_TYPESTR = {
    raw.CUC_BOOL: "|b1", raw.CUC_I8: "|i1", raw.CUC_I16: "<i2", raw.CUC_I32: "<i4",
    raw.CUC_I64: "<i8", raw.CUC_U8: "|u1", raw.CUC_U16: "<u2", raw.CUC_U32: "<u4",
    raw.CUC_U64: "<u8", raw.CUC_F16: "<f2", raw.CUC_F32: "<f4", raw.CUC_F64: "<f8",
    raw.CUC_C64: "<c8", raw.CUC_C128: "<c16",
}
_FROM_TYPESTR = {kind[1:]: number for number, kind in _TYPESTR.items()}


def dtype_number(value: Any) -> int:
    """A dtype of any library, by its name."""
    if isinstance(value, int):
        return value
    name = value if isinstance(value, str) else getattr(value, "name", None) or \
        getattr(value, "__name__", None) or str(value)
    number = _DTYPES.get(str(name).rsplit(".", 1)[-1])
    if number is None:
        raise TypeError(f"there is no element type {name}; there are {', '.join(sorted(_DTYPES))}")
    return number


def dtype_name(number: int) -> str:
    return _NAMES.get(number, "unknown")


# ---- capsules ------------------------------------------------------------------------------------

_api = ctypes.pythonapi
_capsule_new = _api.PyCapsule_New
_capsule_new.restype = ctypes.py_object
_capsule_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_capsule_pointer = _api.PyCapsule_GetPointer
_capsule_pointer.restype = ctypes.c_void_p
_capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_capsule_name = _api.PyCapsule_GetName
_capsule_name.restype = ctypes.c_char_p
_capsule_name.argtypes = [ctypes.py_object]
_capsule_rename = _api.PyCapsule_SetName
_capsule_rename.restype = ctypes.c_int
_capsule_rename.argtypes = [ctypes.py_object, ctypes.c_char_p]

# The same by address, for a destructor: its capsule must not be counted up again.
_dying_is = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_IsValid", _api))
_dying_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _api))
_Deleter = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)

# What a capsule is called before and after it is consumed. C keeps the texts' addresses.
_OLD, _OLD_USED = ctypes.c_char_p(b"dltensor"), ctypes.c_char_p(b"used_dltensor")
_NEW, _NEW_USED = ctypes.c_char_p(b"dltensor_versioned"), ctypes.c_char_p(b"used_dltensor_versioned")
_OLD_DELETER = raw.cuc_dl_managed_tensor.deleter.offset
_NEW_DELETER = raw.cuc_dl_managed_tensor_versioned.deleter.offset


_deleters: dict[int | None, Any] = {None: lambda _managed: None}  # by their addresses


def _delete(managed: int, offset: int) -> None:
    address = ctypes.c_void_p.from_address(managed + offset).value
    deleter = _deleters.get(address)
    if deleter is None:
        deleter = _deleters[address] = _Deleter(address or 0)
    deleter(managed)


def _destructor_of(name: Any, offset: int) -> Any:
    """What a capsule of a name calls in the end; one that was consumed has another name."""

    def destroy(capsule: int) -> None:
        if _dying_is(capsule, name):
            _delete(_dying_pointer(capsule, name), offset)

    return ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(destroy)


_old_destructor = _destructor_of(_OLD, _OLD_DELETER)
_new_destructor = _destructor_of(_NEW, _NEW_DELETER)
_old_destructor_at = ctypes.cast(_old_destructor, ctypes.c_void_p)
_new_destructor_at = ctypes.cast(_new_destructor, ctypes.c_void_p)
_to_old = raw.prototype("cuc_tensor_to_dlpack_unversioned", release_gil=False)
_to_new = raw.prototype("cuc_tensor_to_dlpack", release_gil=False)
_from_old = raw.prototype("cuc_tensor_from_dlpack_unversioned", release_gil=False)
_from_new = raw.prototype("cuc_tensor_from_dlpack", release_gil=False)
# These are called with objects of ctypes alone: nothing is converted.
for _function in (_to_old, _to_new, _from_old, _from_new, _capsule_new):
    _function.argtypes = None
_pointer, _byref = ctypes.c_void_p, ctypes.byref


class _Managed:
    """Somebody's DLPack tensor, given back when this is collected."""

    __slots__ = ("_at", "_offset")

    def __init__(self, at: int, offset: int) -> None:
        self._at, self._offset = at, offset

    def __del__(self) -> None:
        _delete(self._at, self._offset)


# ---- tensors -------------------------------------------------------------------------------------

class Tensor:
    """An array over memory that it keeps: a shape, strides, a dtype. It can be an argument of a
    kernel, and goes to other libraries by `__dlpack__` and `__cuda_array_interface__`.
    """

    __slots__ = ("_struct", "_address", "_p", "_owner", "_stream", "__weakref__")
    _p: Any
    _struct: Any
    _address: int
    _owner: Any
    _stream: Stream | None
    __hash__: ClassVar[None]  # type: ignore[assignment]

    def __init__(self) -> None:
        raise TypeError("a Tensor is made by Buffer.view(), Tensor.from_dlpack() or as_tensor()")

    @classmethod
    def _of(cls, struct: Any, owner: Any, stream: Stream | None = None) -> Tensor:
        self = cls.__new__(cls)
        self._struct, self._owner, self._stream = struct, owner, stream
        self._address = ctypes.addressof(struct)
        self._p = _byref(struct)
        return self

    @classmethod
    def from_buffer(cls, buffer: Buffer, dtype: Any = "u8",
                    shape: tuple[int, ...] | int | None = None) -> Tensor:
        number = dtype_number(dtype)
        if shape is None:
            bits = raw.cuc_dtype_bits(number)
            shape = (buffer.size * 8 // bits,)
        elif isinstance(shape, int):
            shape = (shape,)
        struct = raw.cuc_tensor()
        extents = (ctypes.c_int64 * len(shape))(*shape)
        check(raw.cuc_tensor_from_buffer(ctypes.byref(struct), buffer._h, number, len(shape), extents))
        handle = raw.cuc_buffer_stream(buffer._h)
        stream = Stream._own(raw.cuc_stream_retain(handle)) if handle else None
        return cls._of(struct, buffer._again(), stream)

    @classmethod
    def from_dlpack(cls, value: Any, *, stream: StreamLike = None) -> Tensor:
        """Another library's array, without a copy. Work put on `stream` afterwards may use it;
        without a stream nothing is ordered, as with an address.
        """
        export = value.__dlpack__
        kind = value.__dlpack_device__()[0]
        how: dict[str, Any] = {}
        if kind != raw.CUC_DL_CPU:
            how["stream"] = as_stream(stream).handle if stream is not None else -1
        try:
            capsule = export(max_version=(raw.CUC_DL_VERSION_MAJOR, raw.CUC_DL_VERSION_MINOR), **how)
        except TypeError:  # of before DLPack 1.0
            capsule = export(**how)
        return cls._consume(capsule)

    @classmethod
    def _consume(cls, capsule: Any) -> Tensor:
        name = _capsule_name(capsule)
        if name == b"dltensor_versioned":
            convert, used, offset = _from_new, _NEW_USED, _NEW_DELETER
        elif name == b"dltensor":
            convert, used, offset = _from_old, _OLD_USED, _OLD_DELETER
        else:
            raise ValueError("expected a DLPack capsule that nobody has consumed")
        at = _capsule_pointer(capsule, name)
        struct = raw.cuc_tensor()
        if convert(_byref(struct), _pointer(at)):
            raise last_error()
        _capsule_rename(capsule, used)
        return cls._of(struct, _Managed(at, offset))

    @classmethod
    def from_cuda_array_interface(cls, value: Any, *, stream: StreamLike = None) -> Tensor:
        """Another library's array by `__cuda_array_interface__`, without a copy."""
        said = value.__cuda_array_interface__
        number = _FROM_TYPESTR.get(said["typestr"][1:])
        if number is None:
            raise TypeError(f"elements of {said['typestr']} are not known")
        if said.get("mask") is not None:
            raise TypeError("an array with a mask is not taken")
        address, read_only = said["data"]
        shape = tuple(said["shape"])
        item = raw.cuc_dtype_bits(number) // 8
        struct = raw.cuc_tensor(data=address or 0, dtype=number, rank=len(shape),
                                device=_device_of(address))
        if read_only:
            struct.flags = raw.CUC_TENSOR_READ_ONLY
        strides, step = said.get("strides"), item
        if strides is None:
            strides = []
            for extent in reversed(shape):
                strides.insert(0, step)
                step *= max(extent, 1)
        for axis, (extent, stride) in enumerate(zip(shape, strides)):
            if stride % item:
                raise ValueError(f"a stride of {stride} bytes is no multiple of the {item} of an element")
            struct.shape[axis], struct.strides[axis] = extent, stride // item
        check(raw.cuc_tensor_check(ctypes.byref(struct)))
        producer = said.get("stream")
        if producer and stream is not None:
            queue = as_stream(stream)
            queue.wait(_stream_of(producer, queue.device))
        return cls._of(struct, value)

    @property
    def ptr(self) -> int:
        return int(self._struct.data)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self._struct.shape[:self._struct.rank])

    @property
    def strides(self) -> tuple[int, ...]:
        """In elements."""
        return tuple(self._struct.strides[:self._struct.rank])

    @property
    def ndim(self) -> int:
        return int(self._struct.rank)

    @property
    def size(self) -> int:
        """How many elements."""
        return int(raw.cuc_tensor_elements(self._address))

    @property
    def nbytes(self) -> int:
        return int(raw.cuc_tensor_bytes(self._address))

    @property
    def dtype(self) -> str:
        """Such as "f32"."""
        return _NAMES[self._struct.dtype]

    @property
    def device_id(self) -> int:
        """-1: the host's."""
        return int(self._struct.device)

    @property
    def is_contiguous(self) -> bool:
        return bool(raw.cuc_tensor_is_contiguous(self._address))

    @property
    def is_read_only(self) -> bool:
        return bool(self._struct.flags & raw.CUC_TENSOR_READ_ONLY)

    def _whole(self) -> None:
        if not self.is_contiguous:
            raise ValueError("the array has gaps: only one without can be copied at once")

    def copy_to(self, dst: Any, *, stream: StreamLike) -> None:
        """Copy all elements to a writable host array, which has them once the stream was waited for."""
        self._whole()
        queue, host = as_stream(stream), HostMemory(dst, writable=True)
        Buffer._same_size(host.size, self.nbytes)
        check(raw.cuc_copy_to_host(queue._h, host.address, self.ptr, host.size))
        hold(queue, host)

    def copy_from(self, src: Any, *, stream: StreamLike) -> None:
        """Copy all elements from a host array."""
        self._whole()
        queue, host = as_stream(stream), HostMemory(src, writable=False)
        Buffer._same_size(self.nbytes, host.size)
        check(raw.cuc_copy_to_device(queue._h, self.ptr, host.address, host.size))
        hold(queue, host)

    @property
    def owner(self) -> Any:
        """What keeps the memory."""
        return self._owner

    def _ready(self, stream: int | None) -> None:
        """Order what the consumer does after what is on the buffer's own stream."""
        own = self._stream
        if own is None or stream == -1:
            return
        handle = 1 if stream is None else stream
        if handle == 0:
            raise BufferError("a stream of 0 is ambiguous: 1 is the legacy default stream")
        if own.handle != handle:
            with _stream_of(handle, own.device) as consumer:
                consumer.wait(own)

    def __dlpack_device__(self) -> tuple[int, int]:
        struct = self._struct
        if struct.flags & raw.CUC_TENSOR_PINNED:
            return raw.CUC_DL_CUDA_HOST, 0
        if struct.flags & raw.CUC_TENSOR_MANAGED:
            return raw.CUC_DL_CUDA_MANAGED, max(struct.device, 0)
        return (raw.CUC_DL_CUDA, struct.device) if struct.device >= 0 else (raw.CUC_DL_CPU, 0)

    def __dlpack__(self, *, stream: int | None = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any:
        """Give the array to another library, which keeps the memory as long as it needs it."""
        if copy:
            raise BufferError("a copy is not made here: Buffer.copy_to() makes one")
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"the array is on {self.__dlpack_device__()}, not on {tuple(dl_device)}")
        if stream != -1 and self._stream is not None:
            self._ready(stream)
        owner = self._owner
        if type(owner) is not Buffer:
            # Others' memory: the buffer made here keeps them, and goes with the consumer.
            owner = Buffer.from_handle(*_extent(self._struct), owner=self)
        out = _pointer()
        if max_version is not None and max_version[0] >= 1:
            if _to_new(_byref(out), self._p, _pointer(owner._h)):
                raise last_error()
            return _capsule_new(out, _NEW, _new_destructor_at)
        if _to_old(_byref(out), self._p, _pointer(owner._h)):
            raise last_error()
        return _capsule_new(out, _OLD, _old_destructor_at)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        struct = self._struct
        kind = _TYPESTR.get(struct.dtype)
        if kind is None:
            raise AttributeError(f"__cuda_array_interface__ has no {self.dtype}; __dlpack__ may have")
        if struct.device < 0 and not struct.flags & (raw.CUC_TENSOR_PINNED | raw.CUC_TENSOR_MANAGED):
            raise AttributeError("the array is in the host's memory")
        item = raw.cuc_dtype_bits(struct.dtype) // 8
        return {
            "shape": self.shape, "typestr": kind, "version": 3,
            "data": (struct.data, self.is_read_only),
            "strides": None if self.is_contiguous else tuple(s * item for s in self.strides),
            "stream": self._stream.handle if self._stream is not None else None,
        }

    def __repr__(self) -> str:
        where = f"on device {self.device_id}" if self.device_id >= 0 else "on the host"
        return f"<Tensor {self.dtype}{list(self.shape)} {where} at {self.ptr:#x}>"


def _extent(struct: Any) -> tuple[int, int]:
    """Where the bytes that a tensor reaches begin, and how many they are."""
    item = raw.cuc_dtype_bits(struct.dtype) // 8
    low = high = 0
    for axis in range(struct.rank):
        if struct.shape[axis] == 0:
            return struct.data, 0
        reach = (struct.shape[axis] - 1) * struct.strides[axis]
        low, high = low + min(reach, 0), high + max(reach, 0)
    return struct.data + low * item, (high - low + 1) * item


def _stream_of(handle: int, device: Device) -> Stream:
    """Another library's stream. 1 and 2 are the default ones, and the thread may have no context."""
    if handle == 1:
        return device.default_stream
    return device.per_thread_default_stream if handle == 2 else Stream.from_handle(handle)


def _device_of(address: int) -> int:
    if not address:
        return -1
    info = raw.cuc_pointer_info(struct_size=ctypes.sizeof(raw.cuc_pointer_info))
    check(raw.cuc_memory_get_pointer_info(ctypes.byref(info), address))
    return int(info.device)


def as_tensor(value: Any, *, stream: StreamLike = None) -> Tensor:
    """The array that a value is: a Tensor, a Buffer, or another library's."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, Buffer):
        return value.view()
    if hasattr(value, "__dlpack__"):  # it has more element types
        return Tensor.from_dlpack(value, stream=stream)
    if hasattr(value, "__cuda_array_interface__"):
        return Tensor.from_cuda_array_interface(value, stream=stream)
    raise TypeError(f"expected an array with __dlpack__ or __cuda_array_interface__, "
                    f"not {type(value).__name__}")


__all__ = ["Tensor", "as_tensor", "dtype_name", "dtype_number"]
