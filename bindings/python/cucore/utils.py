"""Provides the contents of `cuda.core.utils`: batched copies, prefetches and discards; program
caches; and `StridedMemoryView`, which wraps arrays of any library and is the base of
`cucore.Tensor`.
"""
from __future__ import annotations

import ctypes
import functools
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from . import raw
from ._device import Device
from ._errors import check
from ._handle import HostMemory, assign, call, get, not_copied, options
from ._managed import CopyOptions, copy_batch, discard_batch, discard_prefetch_batch, prefetch_batch
from ._memory import Buffer
from ._native import TensorBase, methods
from ._program_cache import (
                      FileStreamProgramCache,
                      InMemoryProgramCache,
                      ProgramCacheResource,
                      make_program_cache_key,
)
from ._stream import Stream, StreamLike, as_stream
from ._tensor import TYPESTRS, Tensor, _extent, dtype_number, has_interface, lay, numpy_dtype, stream_of
from ._tensor_map import TensorMapDescriptor, TensorMapDescriptorOptions, options_of


@methods
class StridedMemoryView(TensorBase):
    """An array of any library, in host or device memory, without a copy. `stream_ptr` is the
    address of the stream that will use the array; that stream is ordered after the array's
    producer. -1 means no ordering; DLPack requires -1 for host arrays.
    """

    __slots__ = ()
    exporting_obj: Any  #: the viewed object
    _dtype_number, _numpy_dtype, _typestrs = staticmethod(dtype_number), staticmethod(numpy_dtype), TYPESTRS
    _failed = staticmethod(Tensor._failed)

    def __init__(self, obj: Any = None, stream_ptr: int | None = None) -> None:
        which = "from_dlpack" if has_interface(obj, "__dlpack__") else "from_cuda_array_interface"
        warnings.warn(f"calling {type(self).__name__} is deprecated: use {type(self).__name__}.{which}() or "
                      "from_any_interface()", DeprecationWarning, stacklevel=2)
        made = self.from_any_interface(obj, stream_ptr)
        if isinstance(made, _Records) and type(self) is StridedMemoryView:
            self.__class__ = _Records  # a class of the same layout, whose last axis is bytes
        self._see(made._tensor, obj)

    @classmethod
    def _of(cls, tensor: Tensor, obj: Any) -> StridedMemoryView:
        self = cls.__new__(cls)
        self._see(tensor, obj)
        return self

    def _see(self, tensor: Tensor, obj: Any) -> None:
        self._address, self._memory = tensor._address, tensor
        self._buffer, self._stream, self.exporting_obj = tensor._buffer, tensor._stream, obj

    @property
    def _tensor(self) -> Tensor:
        return Tensor._of(raw.cuc_tensor.from_address(self._address), self._buffer, self, self._stream)

    @classmethod
    def from_dlpack(cls, obj: Any, stream_ptr: int | None = None) -> StridedMemoryView:
        queue = _consumer(stream_ptr)
        kind = obj.__dlpack_device__()[0]
        if kind not in _DL_DEVICES:  # before the producer exports, and perhaps copies, anything
            raise BufferError(f"device not supported: the array is on a DLPack device of type {int(kind)}")
        on_host = kind == raw.CUC_DL_CPU
        return cls._of(Tensor.from_dlpack(obj, stream=None if on_host else queue), obj)

    @classmethod
    def from_cuda_array_interface(cls, obj: Any, stream_ptr: int | None = None) -> StridedMemoryView:
        queue = _consumer(stream_ptr)
        if _is_of_records(obj.__cuda_array_interface__):
            return _Records._of(Tensor.from_cuda_array_interface(_Bytes(obj), stream=queue), obj)
        return cls._of(Tensor.from_cuda_array_interface(obj, stream=queue), obj)

    @classmethod
    def from_array_interface(cls, obj: Any) -> StridedMemoryView:
        """View a host array through `__array_interface__`."""
        said = obj.__array_interface__
        if _is_of_records(said):
            return _Records._of(Tensor._described(_as_bytes(said), -1, obj), obj)
        return cls._of(Tensor._described(said, -1, obj), obj)

    @classmethod
    def from_any_interface(cls, obj: Any, stream_ptr: int | None = None) -> StridedMemoryView:
        """View an array through `__dlpack__`, or through an array interface for element types that
        DLPack lacks."""
        if isinstance(obj, Buffer):
            return cls.from_buffer(obj, (obj.size,), itemsize=1)
        refused = None
        if has_interface(obj, "__dlpack__"):
            if stream_ptr is None:
                _consumer(stream_ptr)  # reject a bad stream, whatever interfaces the array has
            try:
                return cls.from_dlpack(obj, stream_ptr)
            except BufferError as error:
                refused = error
        if has_interface(obj, "__cuda_array_interface__"):
            return cls.from_cuda_array_interface(obj, stream_ptr)
        if has_interface(obj, "__array_interface__"):
            return cls.from_array_interface(obj)
        raise refused or BufferError(f"expected an array with __dlpack__ or an array interface, not "
                                     f"{type(obj).__name__}")

    @classmethod
    def from_buffer(cls, buffer: Buffer, shape: tuple[int, ...], strides: tuple[int, ...] | None = None, *,
                    itemsize: int | None = None, dtype: Any = None,
                    is_readonly: bool = False) -> StridedMemoryView:
        """View a buffer as an array. Strides are in elements."""
        if (dtype is None) == (itemsize is None):
            raise ValueError("expected a dtype or an itemsize")
        kind = dtype_number(dtype) if dtype is not None else dtype_number(f"u{8 * (itemsize or 0)}")
        tensor = Tensor.from_buffer(buffer, kind, shape if strides is None else (0,) * len(shape))
        struct = tensor._struct
        if strides is not None:
            lay(struct, shape, strides)
            tensor._inside(buffer)
        if is_readonly:
            struct.flags |= raw.CUC_TENSOR_READ_ONLY
        return cls._of(tensor, buffer)

    @property
    def ptr(self) -> int:
        return self._tensor.ptr

    @property
    def shape(self) -> tuple[int, ...]:
        return self._tensor.shape

    @property
    def strides(self) -> tuple[int, ...]:
        """In elements."""
        return self._tensor.strides

    @property
    def size(self) -> int:
        """In elements."""
        return self._tensor.size

    @property
    def dtype(self) -> Any:
        """The NumPy dtype, or the type's name if NumPy is missing or lacks it."""
        return numpy_dtype(self._tensor._struct.dtype)

    @property
    def device_id(self) -> int:
        """-1 for host memory."""
        return self._tensor.device_id

    @property
    def is_device_accessible(self) -> bool:
        struct = self._tensor._struct
        return struct.device >= 0 or bool(struct.flags & (raw.CUC_TENSOR_PINNED | raw.CUC_TENSOR_MANAGED))

    @property
    def readonly(self) -> bool:
        return self._tensor.is_read_only

    def view(self, layout: Any = None, dtype: Any = None) -> StridedMemoryView:
        """View the same memory with another layout, or with an element type of the same size. A
        layout is a shape, or an object with `shape` and `strides` (in elements); it must stay
        within the array's bytes.
        """
        if layout is None and dtype is None:
            return self
        old = self._tensor
        kind = dtype_number(dtype) if dtype is not None else dtype_number(old.dtype)
        shape, strides = old.shape, old.strides
        if layout is not None:
            shape = tuple(getattr(layout, "shape", layout))
            strides = tuple(getattr(layout, "strides", None) or _dense(shape))
        elif raw.cuc_dtype_bits(kind) != raw.cuc_dtype_bits(dtype_number(old.dtype)):
            raise ValueError(f"elements of {old.dtype} do not become {dtype} without a layout")
        given = old._struct
        struct = raw.cuc_tensor(data=given.data, dtype=kind, device=given.device, flags=given.flags)
        lay(struct, shape, strides)
        check(raw.cuc_tensor_check(ctypes.byref(struct)))
        (start, size), (first, room) = _extent(struct), _extent(given)
        if start < first or start + size > first + room:
            raise ValueError(f"the layout reaches {size} bytes from {start - first} on, and the array has {room}")
        made = Tensor._of(struct, old._buffer, self, old._stream)
        return self._of(made, self.exporting_obj)

    def as_tensor_map(self, box_dim: Sequence[int] | None = None, *,
                      options: TensorMapDescriptorOptions | dict[str, Any] | None = None,
                      **fields: Any) -> TensorMapDescriptor:
        """Create a tensor map (TMA descriptor) for copying boxes of this array, as a kernel
        argument. The other fields of TensorMapDescriptorOptions may be given by name.
        """
        return TensorMapDescriptor.tiled(self._tensor, options_of(box_dim, options, fields))

    def __dlpack__(self, *, stream: int | None = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any:
        return self._tensor.__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device,
                                       copy=copy)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._tensor.__dlpack_device__()

    def __repr__(self) -> str:
        return f"<StridedMemoryView of {self._tensor!r}>"


def _is_of_records(said: dict[str, Any]) -> bool:
    """Return whether the elements of an array interface are not numbers, such as NumPy's structured
    types."""
    letters = str(said["typestr"])
    return letters.startswith("|V") and letters != "|V0"


def _as_bytes(said: dict[str, Any]) -> dict[str, Any]:
    """Return the array with one more axis at the end, along which lie the bytes of each element."""
    size, strides = int(said["typestr"][2:]), said.get("strides")
    for stride in strides or ():
        if stride % size:
            raise ValueError(f"a stride of {stride} bytes is not a multiple of the {size} of an element")
    return {**said, "typestr": "|u1", "shape": (*said["shape"], size),
            "strides": None if strides is None else (*strides, 1)}


class _Bytes:
    """Presents an array of records as an array of bytes."""

    def __init__(self, obj: Any) -> None:
        self.obj, self.__cuda_array_interface__ = obj, _as_bytes(obj.__cuda_array_interface__)


class _Records(StridedMemoryView):
    """A view whose elements are records; internally, their bytes are the last axis."""

    __slots__ = ()

    @property
    def _bytes(self) -> int:
        return self._tensor.shape[-1]

    @property
    def shape(self) -> tuple[int, ...]:
        return self._tensor.shape[:-1]

    @property
    def strides(self) -> tuple[int, ...]:
        return tuple(stride // self._bytes for stride in self._tensor.strides[:-1])

    @property
    def size(self) -> int:
        return self._tensor.size // self._bytes

    @property
    def dtype(self) -> Any:
        try:
            import numpy
            return numpy.dtype(f"V{self._bytes}")
        except ImportError:
            return f"V{self._bytes}"

    def view(self, layout: Any = None, dtype: Any = None) -> StridedMemoryView:
        raise TypeError("a view of records has no other elements or layout")

    __dlpack_c_exchange_api__ = __c_dlpack_exchange_api__ = None

    def __dlpack__(self, **how: Any) -> Any:
        raise BufferError(f"Structured dtypes, here of {self._bytes} bytes, have no element type in DLPack")


def _params(kind: Any, sizes: dict[str, int], **places: Any) -> Any:
    made = options(kind, **{name: int(place) for name, place in places.items()})
    known = {name for name, *_ in kind._fields_}
    for name, value in sizes.items():
        if name not in known:
            raise TypeError(f"there is no {name}: expected {', '.join(sorted(known - {'struct_size'}))}")
        assign(made, name, value)
    return made


def copy_2d(dst: Any, src: Any, *, stream: StreamLike, **sizes: int) -> None:
    """Copy a rectangle between device buffers. `sizes` are the fields of `cuc_copy_2d_params`: `row_bytes`, `rows`,
    `dst_pitch`, `src_pitch` and offsets."""
    made = _params(raw.cuc_copy_2d_params, sizes, dst=dst, src=src)
    check(raw.cuc_copy_2d(as_stream(stream)._h, ctypes.byref(made)))


def copy_3d(dst: Any, src: Any, *, stream: StreamLike, **sizes: int) -> None:
    """Copy a 3D block between device buffers; like `copy_2d()`, plus `slices`, `dst_slice_rows` and so on."""
    made = _params(raw.cuc_copy_3d_params, sizes, dst=dst, src=src)
    check(raw.cuc_copy_3d(as_stream(stream)._h, ctypes.byref(made)))


def copy_peer(dst: Any, dst_device: Device | int, src: Any, src_device: Device | int, size: int, *,
              stream: StreamLike) -> None:
    """Copy bytes between two devices."""
    call(raw.cuc_copy_peer, as_stream(stream)._h, int(dst), Device(dst_device)._h, int(src), Device(src_device)._h,
         size)


class HostRegistration:
    """Page-locks the memory of a host array, such as NumPy's, until it is closed or dropped. Copies
    then need no staging, and kernels can access the memory."""

    __slots__ = ("_device", "_memory")
    _memory: HostMemory | None

    def __init__(self, array: Any, device: Device | int = 0, *, flags: int = 0) -> None:
        self._device, self._memory = Device(device), None
        memory = HostMemory(array, writable=not flags & raw.CUC_HOST_READ_ONLY)
        call(raw.cuc_host_register, self._device._h, memory.address, memory.size, flags)
        self._memory = memory

    @property
    def device_pointer(self) -> int:
        """The address for use in kernels."""
        if self._memory is None:
            raise ValueError("the registration is closed")
        return int(get(ctypes.c_uint64, raw.cuc_host_get_device_pointer, self._device._h, self._memory.address))

    def __reduce__(self) -> tuple[Any, ...]:
        return not_copied(self)

    @property
    def is_closed(self) -> bool:
        return self._memory is None

    def close(self) -> None:
        memory, self._memory = self._memory, None
        if memory is not None:
            check(raw.cuc_host_unregister(self._device._h, memory.address))

    def __enter__(self) -> HostRegistration:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_memory", None) is not None:
            raw.cuc_host_unregister(self._device._h, self._memory.address)  # type: ignore[union-attr]


def _dense(shape: Sequence[int]) -> list[int]:
    strides: list[int] = []
    step = 1
    for extent in reversed(shape):
        strides.insert(0, step)
        step *= max(extent, 1)
    return strides


_DL_DEVICES = (raw.CUC_DL_CPU, raw.CUC_DL_CUDA, raw.CUC_DL_CUDA_HOST, raw.CUC_DL_CUDA_MANAGED)


def _consumer(stream_ptr: int | None) -> Stream | None:
    if stream_ptr is None:
        raise BufferError("a stream_ptr of None is ambiguous: expected a stream's address, or -1 for no "
                          "order")
    return None if stream_ptr == -1 else stream_of(stream_ptr or 1, Device())


class _Viewable:
    """An argument accepted by `args_viewable_as_strided_memory()`."""

    __slots__ = ("obj",)

    def __init__(self, obj: Any) -> None:
        self.obj = obj

    def view(self, stream_ptr: int | None = None) -> StridedMemoryView:
        return StridedMemoryView.from_any_interface(self.obj, stream_ptr)


def args_viewable_as_strided_memory(arg_indices: Iterable[int]) -> Callable[[Callable[..., Any]],
                                                                            Callable[..., Any]]:
    """Decorator that lets a function accept arrays of any library. The positional arguments at
    these indices arrive as objects whose `view(stream_ptr)` returns a StridedMemoryView.
    """
    wanted = tuple(arg_indices)

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            given = list(args)
            for index in wanted:
                given[index] = _Viewable(given[index])
            return function(*given, **kwargs)

        return called

    return decorate


__all__ = [
    "CopyOptions", "FileStreamProgramCache", "HostRegistration", "InMemoryProgramCache", "ProgramCacheResource",
    "StridedMemoryView", "args_viewable_as_strided_memory", "copy_2d", "copy_3d", "copy_batch", "copy_peer",
    "discard_batch", "discard_prefetch_batch", "make_program_cache_key", "prefetch_batch",
]
