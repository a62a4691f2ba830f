"""What `cuda.core.utils` has: copies, moves and discards of several buffers at once, and arrays of any
library as `StridedMemoryView`, which a `cucore.Tensor` is underneath.
"""
from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from . import raw
from ._device import Device
from ._managed import CopyOptions, copy_batch, discard_batch, discard_prefetch_batch, prefetch_batch
from ._memory import Buffer
from ._stream import Stream
from ._tensor import Tensor, dtype_number, stream_of, typed


class StridedMemoryView:
    """An array of any library, in the host's or a device's memory, without a copy. `stream_ptr` is the
    address of the stream that it will be used on, which is ordered behind what makes the array, or -1
    for no order; host arrays need none.
    """

    __slots__ = ("_tensor", "exporting_obj")
    _tensor: Tensor
    exporting_obj: Any  #: what it is a view of

    def __init__(self, obj: Any = None, stream_ptr: int | None = None) -> None:
        made = self.from_any_interface(obj, stream_ptr)
        self._tensor, self.exporting_obj = made._tensor, obj

    @classmethod
    def _of(cls, tensor: Tensor, obj: Any) -> StridedMemoryView:
        self = cls.__new__(cls)
        self._tensor, self.exporting_obj = tensor, obj
        return self

    @classmethod
    def from_dlpack(cls, obj: Any, stream_ptr: int | None = None) -> StridedMemoryView:
        on_host = obj.__dlpack_device__()[0] == raw.CUC_DL_CPU
        return cls._of(Tensor.from_dlpack(obj, stream=None if on_host else _consumer(stream_ptr)), obj)

    @classmethod
    def from_cuda_array_interface(cls, obj: Any, stream_ptr: int | None = None) -> StridedMemoryView:
        return cls._of(Tensor.from_cuda_array_interface(obj, stream=_consumer(stream_ptr)), obj)

    @classmethod
    def from_array_interface(cls, obj: Any) -> StridedMemoryView:
        """A host array by `__array_interface__`."""
        said = obj.__array_interface__
        return cls._of(Tensor._described(said, -1, obj), obj)

    @classmethod
    def from_any_interface(cls, obj: Any, stream_ptr: int | None = None) -> StridedMemoryView:
        """By `__dlpack__`, or else by an array interface."""
        if isinstance(obj, Buffer):
            return cls.from_buffer(obj, (obj.size,), itemsize=1)
        if hasattr(obj, "__dlpack__"):
            return cls.from_dlpack(obj, stream_ptr)
        if hasattr(obj, "__cuda_array_interface__"):
            return cls.from_cuda_array_interface(obj, stream_ptr)
        if hasattr(obj, "__array_interface__"):
            return cls.from_array_interface(obj)
        raise TypeError(f"expected an array with __dlpack__ or an array interface, not "
                        f"{type(obj).__name__}")

    @classmethod
    def from_buffer(cls, buffer: Buffer, shape: tuple[int, ...], strides: tuple[int, ...] | None = None, *,
                    itemsize: int | None = None, dtype: Any = None,
                    is_readonly: bool = False) -> StridedMemoryView:
        """A buffer as an array. Strides are in elements."""
        if (dtype is None) == (itemsize is None):
            raise ValueError("expected a dtype or an itemsize")
        kind = dtype_number(dtype) if dtype is not None else dtype_number(f"u{8 * (itemsize or 0)}")
        tensor = Tensor.from_buffer(buffer, kind, shape if strides is None else (0,) * len(shape))
        struct = tensor._struct
        if strides is not None:
            if len(strides) != len(shape):
                raise ValueError(f"there are {len(strides)} strides for {len(shape)} axes")
            for axis, (extent, stride) in enumerate(zip(shape, strides)):
                struct.shape[axis], struct.strides[axis] = extent, stride
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
        """As NumPy has it, or the name where NumPy has none, or is not there."""
        try:
            import numpy
            return numpy.dtype(typed(dtype_number(self._tensor.dtype)))
        except (ImportError, TypeError):
            return self._tensor.dtype

    @property
    def device_id(self) -> int:
        """-1: the host's."""
        return self._tensor.device_id

    @property
    def is_device_accessible(self) -> bool:
        struct = self._tensor._struct
        return struct.device >= 0 or bool(struct.flags & (raw.CUC_TENSOR_PINNED | raw.CUC_TENSOR_MANAGED))

    @property
    def readonly(self) -> bool:
        return self._tensor.is_read_only

    def __dlpack__(self, *, stream: int | None = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any:
        return self._tensor.__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device,
                                       copy=copy)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._tensor.__dlpack_device__()

    def __repr__(self) -> str:
        return f"<StridedMemoryView of {self._tensor!r}>"


def _consumer(stream_ptr: int | None) -> Stream | None:
    if stream_ptr is None:
        raise BufferError("a stream_ptr of None is ambiguous: expected a stream's address, or -1 for no "
                          "order")
    return None if stream_ptr == -1 else stream_of(stream_ptr or 1, Device())


class _Viewable:
    """An argument that `args_viewable_as_strided_memory()` has taken."""

    __slots__ = ("obj",)

    def __init__(self, obj: Any) -> None:
        self.obj = obj

    def view(self, stream_ptr: int | None = None) -> StridedMemoryView:
        return StridedMemoryView.from_any_interface(self.obj, stream_ptr)


def args_viewable_as_strided_memory(arg_indices: Iterable[int]) -> Callable[[Callable[..., Any]],
                                                                            Callable[..., Any]]:
    """Let a function take arrays of any library: the positional arguments of these numbers come as
    objects whose `view(stream_ptr)` is a StridedMemoryView.
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
    "CopyOptions", "StridedMemoryView", "args_viewable_as_strided_memory", "copy_batch", "discard_batch",
    "discard_prefetch_batch", "prefetch_batch",
]
