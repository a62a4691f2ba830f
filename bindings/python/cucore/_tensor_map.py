"""Tensor maps: descriptors for the Tensor Memory Accelerator (TMA) of compute capability 9.0 and later."""
from __future__ import annotations

import ctypes
import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, Union

from . import _tensor, raw
from ._device import Device
from ._errors import check
from ._handle import given_as, not_copied, not_made, numbers, options as struct_of
from ._tensor import Tensor, as_tensor, dtype_number


class TensorMapDataType(enum.IntEnum):
    """Element types of tensor maps, with the driver's values. A type must have the size of the
    array's elements."""

    UINT8 = 0
    UINT16 = 1
    UINT32 = 2
    INT32 = 3
    UINT64 = 4
    INT64 = 5
    FLOAT16 = 6
    FLOAT32 = 7
    FLOAT64 = 8
    BFLOAT16 = 9
    FLOAT32_FTZ = 10  #: flushes subnormals to 0
    TFLOAT32 = 11  #: rounds f32 to tf32
    TFLOAT32_FTZ = 12


class TensorMapInterleave(enum.IntEnum):
    """Layout of channels in global memory."""

    NONE = raw.CUC_TENSOR_MAP_INTERLEAVE_NONE
    INTERLEAVE_16B = raw.CUC_TENSOR_MAP_INTERLEAVE_16B
    INTERLEAVE_32B = raw.CUC_TENSOR_MAP_INTERLEAVE_32B


class TensorMapSwizzle(enum.IntEnum):
    """Layout of a box in shared memory."""

    NONE = raw.CUC_TENSOR_MAP_SWIZZLE_NONE
    SWIZZLE_32B = raw.CUC_TENSOR_MAP_SWIZZLE_32B
    SWIZZLE_64B = raw.CUC_TENSOR_MAP_SWIZZLE_64B
    SWIZZLE_128B = raw.CUC_TENSOR_MAP_SWIZZLE_128B
    SWIZZLE_128B_ATOM_32B = raw.CUC_TENSOR_MAP_SWIZZLE_128B_ATOM_32B
    SWIZZLE_128B_ATOM_32B_FLIP_8B = raw.CUC_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B
    SWIZZLE_128B_ATOM_64B = raw.CUC_TENSOR_MAP_SWIZZLE_128B_ATOM_64B


class TensorMapL2Promotion(enum.IntEnum):
    """Size of the global memory block that is promoted to L2."""

    NONE = raw.CUC_TENSOR_MAP_L2_NONE
    L2_64B = raw.CUC_TENSOR_MAP_L2_64B
    L2_128B = raw.CUC_TENSOR_MAP_L2_128B
    L2_256B = raw.CUC_TENSOR_MAP_L2_256B


class TensorMapOOBFill(enum.IntEnum):
    """Value that is read outside the array."""

    NONE = raw.CUC_TENSOR_MAP_FILL_ZERO
    NAN_REQUEST_ZERO_FMA = raw.CUC_TENSOR_MAP_FILL_NAN


class TensorMapIm2ColWideMode(enum.IntEnum):
    """Number of pixels that an im2col copy takes along the image width."""

    W = 0  #: as many pixels as a column has
    W128 = 1


@dataclass
class TensorMapDescriptorOptions:
    """Options of a tensor map. Dimensions are in the array's order."""

    box_dim: Sequence[int] = ()  #: size of the copied box in elements, per dimension
    element_strides: Sequence[int] | None = None  #: take only every n-th element, per dimension
    data_type: Any = None  #: a TensorMapDataType or a dtype; None: the array's
    interleave: TensorMapInterleave | int | str = TensorMapInterleave.NONE
    swizzle: TensorMapSwizzle | int | str = TensorMapSwizzle.NONE
    l2_promotion: TensorMapL2Promotion | int | str = TensorMapL2Promotion.NONE
    oob_fill: TensorMapOOBFill | int | str = TensorMapOOBFill.NONE


_DTYPES = {  # by TensorMapDataType
    0: raw.CUC_U8, 1: raw.CUC_U16, 2: raw.CUC_U32, 3: raw.CUC_I32, 4: raw.CUC_U64, 5: raw.CUC_I64,
    6: raw.CUC_F16, 7: raw.CUC_F32, 8: raw.CUC_F64, 9: raw.CUC_BF16, 10: raw.CUC_F32, 11: raw.CUC_TF32,
    12: raw.CUC_TF32,
}
_Choice = TypeVar("_Choice", bound=enum.IntEnum)


def _choice(kind: type[_Choice], value: Union[_Choice, int, str]) -> int:
    """Convert a member, its number, or its name with or without the common prefix."""
    if isinstance(value, str):
        wanted = value.upper()
        for name, member in kind.__members__.items():
            if wanted in (name, name.partition("_")[2]):
                return int(member)
        raise ValueError(f"{value!r} is none of {', '.join(kind.__members__)}")
    return int(kind(value))


def _struct(given: TensorMapDescriptorOptions, rank: int) -> Any:
    made = struct_of(
        raw.cuc_tensor_map_options,
        interleave=_choice(TensorMapInterleave, given.interleave), swizzle=_choice(TensorMapSwizzle, given.swizzle),
        l2_promotion=_choice(TensorMapL2Promotion, given.l2_promotion),
        fill=_choice(TensorMapOOBFill, given.oob_fill))
    kind = given.data_type
    if isinstance(kind, TensorMapDataType):
        made.dtype = _DTYPES[int(kind)]
        made.flags = raw.CUC_TENSOR_MAP_FTZ if kind.name.endswith("_FTZ") else 0
    elif kind is not None:
        made.dtype = dtype_number(kind)
    if given.element_strides is not None:
        _same_rank("element_strides", given.element_strides, rank)
        for axis, step in enumerate(numbers(ctypes.c_uint32, "element_strides", given.element_strides)):
            made.steps[axis] = step
    return made


def _same_rank(name: str, values: Sequence[int], rank: int) -> None:
    if len(values) != rank:
        raise ValueError(f"{name} has {len(values)} numbers, and the array {rank} dimensions")


def _elements_of(tensor: Tensor, kind: Any) -> Tensor:
    """Reinterpret a byte array with the map's element type; return other arrays unchanged."""
    if kind is None or tensor.dtype != "u8":
        return tensor
    number = _DTYPES[int(kind)] if isinstance(kind, TensorMapDataType) else dtype_number(kind)
    number = raw.CUC_F32 if number == raw.CUC_TF32 else number  # the TMA unit reads it as f32
    size = raw.cuc_dtype_bits(number) // 8
    shape, strides = tensor.shape, tensor.strides
    if size == 1 or not shape:
        return tensor
    if strides[-1] != 1 or shape[-1] % size or any(stride % size for stride in strides[:-1]):
        raise ValueError(f"{tensor!r} is not an array of {size}-byte elements: expected rows without gaps, of a "
                         f"multiple of {size} bytes")
    return tensor._laid((*shape[:-1], shape[-1] // size), (*(stride // size for stride in strides[:-1]), 1), number)


def _is_of_one_device(tensor: Tensor) -> bool:
    """Return whether the array is in a device's own memory rather than in managed or pinned
    memory."""
    struct = tensor._struct
    return struct.device >= 0 and not struct.flags & (raw.CUC_TENSOR_PINNED | raw.CUC_TENSOR_MANAGED)


class TensorMapDescriptor:
    """A tensor map: a kernel argument, received as `const __grid_constant__ CUtensorMap`. It keeps its array alive."""

    __slots__ = ("_address", "_map", "_tensor", "__weakref__")
    _address: int
    _map: Any
    _tensor: Tensor

    def __init__(self) -> None:
        not_made("TensorMapDescriptor objects", "as_tensor_map() of an array, TensorMapDescriptor.im2col() and "
                                                "im2col_wide()")

    def __reduce__(self) -> tuple[Any, ...]:
        return not_copied(self)

    @classmethod
    def _of(cls, tensor: Tensor) -> TensorMapDescriptor:
        self = cls.__new__(cls)
        self._map, self._tensor = raw.cuc_tensor_map(), tensor
        self._address = ctypes.addressof(self._map)
        return self

    @classmethod
    def _of_tensor(cls, tensor: Tensor, box_dim: Any, options: Any, fields: dict[str, Any]) -> TensorMapDescriptor:
        return cls.tiled(tensor, options_of(box_dim, options, fields))

    @classmethod
    def tiled(cls, array: Any, options: TensorMapDescriptorOptions | dict[str, Any]) -> TensorMapDescriptor:
        """A map for copying boxes of an array."""
        given = given_as(TensorMapDescriptorOptions, options)
        tensor = _elements_of(as_tensor(array), given.data_type)
        self = cls._of(tensor)
        _same_rank("box_dim", given.box_dim, tensor.ndim)
        box = numbers(ctypes.c_uint32, "box_dim", given.box_dim)
        check(raw.cuc_tensor_map_encode_tiled(self._address, tensor._address, box,
                                       ctypes.byref(_struct(given, tensor.ndim))))
        return self

    @classmethod
    def im2col(cls, array: Any, pixel_box_lower_corner: Sequence[int], pixel_box_upper_corner: Sequence[int],
               channels_per_pixel: int, pixels_per_column: int,
               options: TensorMapDescriptorOptions | dict[str, Any] | None = None) -> TensorMapDescriptor:
        """Return an im2col map, which copies a column of pixels from consecutive images. The array
        holds images, up to three spatial dimensions, and channels. Corners are offsets from the
        image's own corners.
        """
        tensor = as_tensor(array)
        self = cls._of(tensor)
        image = struct_of(raw.cuc_tensor_map_image, channels=channels_per_pixel, pixels=pixels_per_column)
        for name, field, corner in (("pixel_box_lower_corner", image.lower, pixel_box_lower_corner),
                                    ("pixel_box_upper_corner", image.upper, pixel_box_upper_corner)):
            if len(corner) != tensor.ndim - 2:
                raise ValueError(f"{name} has {len(corner)} numbers, and images of the array "
                                 f"{tensor.ndim - 2} dimensions")
            for axis, value in enumerate(numbers(ctypes.c_int32, name, corner)):
                field[axis] = value
        made = _struct(given_as(TensorMapDescriptorOptions, options), tensor.ndim)
        check(raw.cuc_tensor_map_encode_im2col(self._address, tensor._address, ctypes.byref(image), ctypes.byref(made)))
        return self

    @classmethod
    def im2col_wide(cls, array: Any, pixel_box_lower_corner_width: int, pixel_box_upper_corner_width: int,
                    channels_per_pixel: int, pixels_per_column: int,
                    options: TensorMapDescriptorOptions | dict[str, Any] | None = None, *,
                    mode: TensorMapIm2ColWideMode | int | str = "W") -> TensorMapDescriptor:
        """Return an im2col map along the last image dimension only, for compute capability 10.0; it
        supports swizzles."""
        tensor = as_tensor(array)
        self = cls._of(tensor)
        if tensor.ndim < 3:
            raise ValueError(f"the array has {tensor.ndim} dimensions, expected images, and 3 to 5")
        image = struct_of(raw.cuc_tensor_map_image, channels=channels_per_pixel, pixels=pixels_per_column)
        image.lower[tensor.ndim - 3], image.upper[tensor.ndim - 3] = numbers(
            ctypes.c_int32, "a corner", (pixel_box_lower_corner_width, pixel_box_upper_corner_width))
        made = _struct(given_as(TensorMapDescriptorOptions, options), tensor.ndim)
        if _choice(TensorMapIm2ColWideMode, mode):
            made.flags |= raw.CUC_TENSOR_MAP_W128
        check(raw.cuc_tensor_map_encode_im2col_wide(self._address, tensor._address, ctypes.byref(image), ctypes.byref(made)))
        return self

    @property
    def device(self) -> Device:
        """The array's device."""
        return Device(max(self._tensor.device_id, 0))

    def replace_address(self, tensor: Any) -> None:
        """Point the map at another array with the same shape, strides and type, on the same device
        or in managed or pinned memory."""
        old = self._tensor
        other = _elements_of(as_tensor(tensor), old.dtype)
        if (other.shape, other.strides, other.dtype) != (old.shape, old.strides, old.dtype):
            raise ValueError(f"the map is of {old!r}, and {other!r} does not lie as that does")
        if _is_of_one_device(old) and _is_of_one_device(other) and old.device_id != other.device_id:
            raise ValueError(f"the map is of an array on device {old.device_id}, and {other!r} is on another device")
        check(raw.cuc_tensor_map_replace_address(self._address, other._address))
        self._tensor = other

    def __bytes__(self) -> bytes:
        return bytes(self._map)

    def __repr__(self) -> str:
        return f"<TensorMapDescriptor of {self._tensor!r}>"


def options_of(box_dim: Sequence[int] | None, given: TensorMapDescriptorOptions | dict[str, Any] | None,
               fields: dict[str, Any]) -> TensorMapDescriptorOptions:
    """Return the options of `as_tensor_map()`, from an object or from fields."""
    if given is not None:
        if box_dim is not None or fields:
            raise TypeError("expected options or their fields, not both")
        return given_as(TensorMapDescriptorOptions, given)
    if box_dim is None:
        raise TypeError("expected box_dim, or options with it")
    return TensorMapDescriptorOptions(box_dim, **fields)


_tensor._TensorMapDescriptor = TensorMapDescriptor
