"""Tensors: arrays in memory that kernels accept and other libraries can exchange."""
from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from operator import index
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from . import _memory, raw
from ._device import Device
from ._errors import check, last_error
from ._handle import HostMemory, c_number, handle_of, may_call, not_copied, numbers
from ._memory import Buffer
from ._native import TensorBase, methods
from ._pending import hold
from ._stream import Stream, StreamLike, as_stream

if TYPE_CHECKING:
    from ._tensor_map import TensorMapDescriptor

_TensorMapDescriptor: type[TensorMapDescriptor]  # set by its module, which imports this one

_NAMES: dict[int, str] = raw.NAMES["dtype"]
_DTYPES: dict[str, int] = {name: number for number, name in _NAMES.items() if number}
# Names in NumPy, PyTorch and other libraries.
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
    # As in ml_dtypes and PyTorch. NumPy has no type code for these, so array interfaces describe
    # them as void bytes.
    raw.CUC_BF16: "<V2", raw.CUC_E4M3: "<V1", raw.CUC_E5M2: "<f1", raw.CUC_E8M0: "<V1",
}
_OTHER_ORDER = ">" if sys.byteorder == "little" else "<"
_FROM_TYPESTR = {kind[1:]: number for number, kind in _TYPESTR.items() if kind != "<V1"}
#: Type strings that determine an element type by themselves, in native byte order.
TYPESTRS = {kind: number for number, kind in _TYPESTR.items() if kind[1] != "V"}
_ML_DTYPES = {raw.CUC_BF16: "bfloat16", raw.CUC_E4M3: "float8_e4m3fn", raw.CUC_E5M2: "float8_e5m2",
              raw.CUC_E8M0: "float8_e8m0fnu"}


def dtype_number(value: Any) -> int:
    """Return the dtype constant for any library's dtype, looked up by name."""
    number = _DTYPES.get(value) if type(value) is str else None
    if number is not None:
        return number
    if isinstance(value, int):
        if value not in _NAMES or not value:
            raise TypeError(f"there is no element type {value}: expected one of {', '.join(sorted(_DTYPES))}")
        return value
    if getattr(value, "byteorder", "=") == _OTHER_ORDER:
        raise TypeError(f"{value!r} has non-native byte order: expected native order, by .newbyteorder('=')")
    name = value if isinstance(value, str) else getattr(value, "name", None) or \
        getattr(value, "__name__", None) or str(value)
    number = _DTYPES.get(str(name).rsplit(".", 1)[-1])
    if number is None:
        raise TypeError(f"there is no element type {name}; there are {', '.join(sorted(_DTYPES))}")
    return number


def numpy_dtype(number: int) -> Any:
    """Return the NumPy dtype, which may come from ml_dtypes. Return the dtype's name if the package
    is not installed."""
    try:
        import numpy
        if number in _ML_DTYPES:
            import ml_dtypes
            return numpy.dtype(getattr(ml_dtypes, _ML_DTYPES[number]))
        return numpy.dtype(_TYPESTR[number])
    except (ImportError, AttributeError, KeyError):
        return dtype_name(number)


def dtype_name(number: int) -> str:
    return _NAMES.get(number, "unknown")


# ---- tensors -------------------------------------------------------------------------------------

@methods
class Tensor(TensorBase):
    """An array in memory, which it keeps alive, with shape, strides and dtype. It can be a kernel
    argument, and `__dlpack__` and `__cuda_array_interface__` export it.
    """

    __slots__ = ()
    _address: int  # address of the cuc_tensor
    _memory: Any  # keeps the cuc_tensor and foreign memory alive
    _buffer: Buffer | None  # its own reference to the memory, if that belongs to a buffer
    _stream: Stream | None
    __hash__: ClassVar[None]  # type: ignore[assignment]
    _may_call = staticmethod(may_call)
    if TYPE_CHECKING:
        def __dlpack__(self, *, stream: int | None = None, max_version: tuple[int, int] | None = None,
                       dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any: ...

        def __dlpack_device__(self) -> tuple[int, int]: ...

        @classmethod
        def from_dlpack(cls, value: Any, *, stream: StreamLike = None) -> Tensor: ...

        @classmethod
        def from_capsule(cls, capsule: Any) -> Tensor: ...

    def __init__(self) -> None:
        raise TypeError("a Tensor is made by Buffer.view(), Tensor.from_dlpack() or as_tensor()")

    @classmethod
    def _of(cls, struct: Any, buffer: Buffer | None, owner: Any = None,
            stream: Stream | None = None) -> Tensor:
        self = cls.__new__(cls)
        self._address = ctypes.addressof(struct)
        self._memory = (struct, owner)
        self._buffer, self._stream = buffer, stream
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return not_copied(self)

    @property
    def _struct(self) -> Any:
        made = raw.cuc_tensor.from_address(self._address)
        made._owner = self  # the parent keeps the memory
        return made

    @classmethod
    def from_buffer(cls, buffer: Buffer, dtype: Any = "u8",
                    shape: tuple[int, ...] | int | None = None) -> Tensor:
        number = dtype_number(dtype)
        if shape is None:
            bits = raw.cuc_dtype_bits(number)
            shape = (buffer.size * 8 // bits,)
        else:
            try:
                shape = (index(shape),)  # type: ignore[arg-type]
            except TypeError:
                shape = tuple(shape)  # type: ignore[arg-type]
        struct = raw.cuc_tensor()
        extents = numbers(ctypes.c_int64, "shape", shape)
        check(raw.cuc_tensor_from_buffer(ctypes.byref(struct), handle_of(Buffer, buffer, "buffer"), number, len(shape),
                                         extents))
        handle = raw.cuc_buffer_stream(buffer._h)
        stream = Stream._own(raw.cuc_stream_retain(handle)) if handle else None
        return cls._of(struct, buffer._again(), stream=stream)

    @classmethod
    def _import(cls, value: Any, stream: StreamLike) -> Tensor:
        """Implement from_dlpack() for the cases that the C code leaves to Python."""
        if stream is not None and not isinstance(stream, Stream):
            return cls.from_dlpack(value, stream=as_stream(stream))
        export = value.__dlpack__
        kind = value.__dlpack_device__()[0]
        how: dict[str, Any] = {}
        if kind != raw.CUC_DL_CPU:
            how["stream"] = stream.handle if stream is not None else -1
        try:
            capsule = export(max_version=(raw.CUC_DL_VERSION_MAJOR, raw.CUC_DL_VERSION_MINOR), **how)
        except TypeError:  # this producer is older than DLPack 1.0
            capsule = export(**how)
        return cls.from_capsule(capsule)

    @staticmethod
    def _failed() -> NoReturn:
        error = last_error()  # convert to the exception that the protocol prescribes
        raise BufferError(str(error)) from error

    @classmethod
    def from_cuda_array_interface(cls, value: Any, *, stream: StreamLike = None) -> Tensor:
        """Import another library's array through `__cuda_array_interface__`, without a copy."""
        said = value.__cuda_array_interface__
        made = cls._described(said, _device_of(said["data"][0]), value)
        producer = said.get("stream")
        if producer and stream is not None:
            queue = as_stream(stream)
            queue.wait(stream_of(producer, queue.device))
        return made

    @classmethod
    def from_host(cls, value: Any) -> Tensor:
        """Wrap an array in host memory, such as NumPy's, without a copy: for `Program.interpret()`."""
        if isinstance(value, Tensor):
            return value
        said = getattr(value, "__array_interface__", None)
        if said is not None:
            return cls._described(said, -1, value)
        if hasattr(value, "__dlpack__"):
            return cls.from_dlpack(value)
        raise TypeError(f"expected an array in the host's memory, with __array_interface__ or __dlpack__, not "
                        f"{type(value).__name__}")

    def _laid(self, shape: tuple[int, ...], strides: tuple[int, ...], dtype: int | None = None) -> Tensor:
        """Return the same memory with other extents, or with an element type of equal size."""
        made = raw.cuc_tensor.from_buffer_copy(self._struct)
        made.dtype = made.dtype if dtype is None else dtype
        lay(made, shape, strides)
        check(raw.cuc_tensor_check(ctypes.byref(made)))
        return Tensor._of(made, self._buffer._again() if self._buffer is not None else None, self, self._stream)

    @classmethod
    def _described(cls, said: dict[str, Any], device: int, value: Any) -> Tensor:
        """Build a tensor from an array interface dictionary."""
        number = _element(said, value)
        if said.get("mask") is not None:
            raise TypeError("an array with a mask is not taken")
        address, read_only = said["data"]
        shape = tuple(said["shape"])
        item = raw.cuc_dtype_bits(number) // 8
        struct = raw.cuc_tensor(data=address or 0, dtype=number, device=device)
        if read_only:
            struct.flags = raw.CUC_TENSOR_READ_ONLY
        strides, step = said.get("strides"), item
        if strides is None:
            strides = []
            for extent in reversed(shape):
                strides.insert(0, step)
                step *= max(extent, 1)
        for stride in strides:
            if stride % item:
                raise ValueError(f"a stride of {stride} bytes is not a multiple of the {item} of an element")
        lay(struct, shape, [stride // item for stride in strides])
        check(raw.cuc_tensor_check(ctypes.byref(struct)))
        return cls._of(struct, None, value)

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
        """The number of elements."""
        return int(raw.cuc_tensor_elements(self._address))

    @property
    def nbytes(self) -> int:
        return int(raw.cuc_tensor_bytes(self._address))

    @property
    def dtype(self) -> str:
        """The element type, such as "f32"."""
        return _NAMES[self._struct.dtype]

    @property
    def device_id(self) -> int:
        """-1 for host memory."""
        return int(self._struct.device)

    @property
    def is_contiguous(self) -> bool:
        return bool(raw.cuc_tensor_is_contiguous(self._address))

    @property
    def is_read_only(self) -> bool:
        return bool(self._struct.flags & raw.CUC_TENSOR_READ_ONLY)

    def _inside(self, buffer: Buffer) -> None:
        """Reject a tensor that extends past its buffer."""
        check(raw.cuc_tensor_check(self._address))
        start, size = _extent(self._struct)
        if start < buffer.handle or start + size > buffer.handle + buffer.size:
            raise ValueError(f"the array reaches beyond the {buffer.size} bytes of its buffer")

    def _whole(self) -> None:
        if not self.is_contiguous:
            raise ValueError("the array has gaps: only one without can be copied at once")

    def copy_to(self, dst: Any, *, stream: StreamLike) -> None:
        """Copy all elements to a writable host array, which is filled when the stream completes."""
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

    def as_tensor_map(self, box_dim: Any = None, *, options: Any = None, **fields: Any) -> TensorMapDescriptor:
        """Create a tensor map (TMA descriptor) for copying boxes of this array, as a kernel
        argument. The fields are those of TensorMapDescriptorOptions.
        """
        return _TensorMapDescriptor._of_tensor(self, box_dim, options, fields)

    @property
    def owner(self) -> Any:
        """The object that keeps the memory alive."""
        if self._buffer is not None:
            return self._buffer
        return self._memory[1] if type(self._memory) is tuple else self._memory or self

    def _ready(self, stream: int | None) -> None:
        """Order the consumer's work after the work on the buffer's own stream."""
        own = self._stream
        if own is None or stream == -1:
            return
        handle = 1 if stream is None else stream
        if handle == 0:
            raise BufferError("a stream of 0 is ambiguous: 1 is the legacy default stream")
        if own.handle != handle:
            with stream_of(handle, own.device) as consumer:
                consumer.wait(own)

    def _export(self, stream: int | None, max_version: tuple[int, int] | None,
                dl_device: tuple[int, int] | None, copy: bool | None) -> Any:
        """Implement __dlpack__() for the cases that the C code leaves to Python."""
        if copy:
            raise BufferError("a copy is not made here: Buffer.copy_to() makes one")
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"the array is on {self.__dlpack_device__()}, not on {tuple(dl_device)}")
        if max_version is not None:
            if not isinstance(max_version, tuple) or len(max_version) != 2:
                raise BufferError(f"max_version is {max_version!r}: expected (major, minor)")
            max_version = (raw.CUC_DL_VERSION_MAJOR, raw.CUC_DL_VERSION_MINOR) if max_version >= (1, 0) else None
        self._ready(stream)
        given = self
        if self._buffer is None:
            # Foreign memory: a new buffer keeps it alive, as long as the consumer lives.
            struct = self._struct
            buffer = Buffer.from_handle(*_extent(struct), owner=self)
            given = Tensor._of(struct, buffer, self)
        elif not self._buffer._h:
            raise ValueError("the array's buffer is closed")
        return given.__dlpack__(stream=-1, max_version=max_version)

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
            "data": (struct.data if self.size else 0, self.is_read_only),
            "strides": None if self.is_contiguous else tuple(s * item for s in self.strides),
            "stream": self._stream.handle if self._stream is not None else None,
        }

    def __repr__(self) -> str:
        where = f"on device {self.device_id}" if self.device_id >= 0 else "on the host"
        return f"<Tensor {self.dtype}{list(self.shape)} {where} at {self.ptr:#x}>"


if raw.prototype("cuc_python_add_dlpack", release_gil=False)(id(Tensor)) < 0:
    raise last_error()


def lay(struct: Any, shape: Sequence[int], strides: Sequence[int]) -> None:
    """Set the axes of a cuc_tensor, with strides in elements."""
    if len(strides) != len(shape):
        raise ValueError(f"there are {len(strides)} strides for {len(shape)} axes")
    if len(shape) > raw.CUC_TENSOR_MAX_RANK:
        raise ValueError(f"there are {len(shape)} axes: expected at most {raw.CUC_TENSOR_MAX_RANK}")
    struct.rank = len(shape)
    extents, steps = struct.shape, struct.strides
    for axis, (extent, stride) in enumerate(zip(shape, strides)):
        extents[axis] = c_number(ctypes.c_int64, "shape", extent)
        steps[axis] = c_number(ctypes.c_int64, "strides", stride)


def _extent(struct: Any) -> tuple[int, int]:
    """Return the start offset and length of the bytes that a tensor covers."""
    item = raw.cuc_dtype_bits(struct.dtype) // 8
    low = high = 0
    for axis in range(struct.rank):
        if struct.shape[axis] == 0:
            return struct.data, 0
        reach = (struct.shape[axis] - 1) * struct.strides[axis]
        low, high = low + min(reach, 0), high + max(reach, 0)
    return struct.data + low * item, (high - low + 1) * item


def _element(said: dict[str, Any], value: Any) -> int:
    """Return the element type of an array interface. Some one-byte types have the same type string,
    so the array's own `dtype` decides."""
    letters = said["typestr"]
    known = getattr(value, "dtype", None) if letters[1:2] == "V" else None
    try:
        number = dtype_number(known) if known is not None else _FROM_TYPESTR.get(letters[1:])
    except TypeError:
        number = None
    if number is None or (letters[1] == "V" and raw.cuc_dtype_bits(number) // 8 != int(letters[2:])):
        raise TypeError(f"elements of {letters} are not known" + (f", whose dtype is {known!r}" if known else ""))
    if letters[0] == _OTHER_ORDER and raw.cuc_dtype_bits(number) > 8:
        raise TypeError(f"elements of {letters} have non-native byte order: expected native order")
    return number


def has_interface(value: Any, name: str) -> bool:
    """Return whether a value supports an array protocol. Examine the class, because PyTorch's
    `__cuda_array_interface__` raises KeyError for dtypes that it does not cover."""
    return hasattr(type(value), name) or name in getattr(value, "__dict__", ())


def stream_of(handle: int, device: Device) -> Stream:
    """Wrap another library's stream. 1 and 2 mean the default streams; the thread may have no
    context."""
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
    """Convert a Tensor, a Buffer or another library's array to a Tensor."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, Buffer):
        return value.view()
    if has_interface(value, "__dlpack__"):  # DLPack covers more element types
        try:
            return Tensor.from_dlpack(value, stream=stream)
        except BufferError:
            if not hasattr(type(value), "__cuda_array_interface__"):
                raise
    if has_interface(value, "__cuda_array_interface__"):
        return Tensor.from_cuda_array_interface(value, stream=stream)
    raise TypeError(f"expected an array with __dlpack__ or __cuda_array_interface__, "
                    f"not {type(value).__name__}")


__all__ = ["Tensor", "as_tensor", "dtype_name", "dtype_number", "has_interface", "lay", "numpy_dtype",
           "stream_of"]


_memory._Tensor = Tensor
