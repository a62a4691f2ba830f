"""The operations by their names, and what several of them need."""
from __future__ import annotations

import ctypes
import enum
from typing import Any, Callable, TypeVar

from .. import raw
from .._tensor import dtype_number
from ._values import Array, Builder, Chosen, DType, Value

OPS: dict[str, Callable[..., Any]] = {}


class PaddingMode(enum.Enum):
    """What a load reads outside of an array."""

    UNDETERMINED = "undetermined"
    ZERO = "zero"
    NEG_ZERO = "neg_zero"
    NAN = "nan"
    POS_INF = "pos_inf"
    NEG_INF = "neg_inf"


class RoundingMode(enum.Enum):
    """How arithmetic and casts round; FULL and APPROX are quicker and less exact, of float32 alone."""

    RN = raw.CUC_TILE_RN
    RZ = raw.CUC_TILE_RZ
    RM = raw.CUC_TILE_RM
    RP = raw.CUC_TILE_RP
    FULL = raw.CUC_TILE_FULL
    APPROX = raw.CUC_TILE_APPROX


class MemoryOrder(enum.Enum):
    WEAK = raw.CUC_TILE_WEAK
    RELAXED = raw.CUC_TILE_RELAXED
    ACQUIRE = raw.CUC_TILE_ACQUIRE
    RELEASE = raw.CUC_TILE_RELEASE
    ACQ_REL = raw.CUC_TILE_ACQ_REL


class MemoryScope(enum.Enum):
    NONE = 0
    BLOCK = raw.CUC_TILE_SCOPE_BLOCK
    DEVICE = raw.CUC_TILE_SCOPE_DEVICE
    SYS = raw.CUC_TILE_SCOPE_SYSTEM


PADS = {PaddingMode.NEG_ZERO: -0.0, PaddingMode.NAN: float("nan"),
         PaddingMode.POS_INF: float("inf"), PaddingMode.NEG_INF: float("-inf")}


F = TypeVar("F", bound=Callable[..., Any])


def op(*names: str) -> Callable[[F], F]:
    def add(function: F) -> F:
        for name in names:
            OPS[name] = function
        return function
    return add


def constant(value: Any, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        if hasattr(value, "__index__") and not isinstance(value, bool):
            return int(value.__index__())
        raise TypeError(f"{what}: expected an integer that is known when the kernel is compiled")
    return value


def numbers(value: Any, what: str) -> tuple[int, ...]:
    given = value if isinstance(value, (tuple, list)) else (value,)
    return tuple(constant(v, what) for v in given)


def several(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def axis_of(b: Builder, x: Value, axis: Any) -> int:
    rank, given = b.rank(x), constant(axis, "axis")
    if not -rank <= given < rank:
        raise TypeError(f"axis is {given}: the tile has {rank}")
    return given % rank


def permutation(order: Any, rank: int) -> tuple[int, ...] | None:
    """Which axis of the array each axis of a tile is; None when they are the same."""
    if order in ("C", None):
        return None
    axes = tuple(reversed(range(rank))) if order == "F" else numbers(order, "order")
    if sorted(axes) != list(range(rank)):
        raise TypeError(f"order is {order!r}: expected \"C\", \"F\" or a permutation of {rank} axes")
    return None if axes == tuple(range(rank)) else axes


def access(b: Builder, *, shape: tuple[int, ...] | None = None, pad: Any = None, mask: Any = None,
           order: Any = None, scope: Any = None, latency: Any = None, tma: Any = None) -> Any:
    """The options of an access; what they point to is kept with them."""
    made = raw.cuc_tile_access_options(struct_size=ctypes.sizeof(raw.cuc_tile_access_options))
    if shape is not None:
        count, extents = b.integers(shape)
        made.rank, made.shape, made._kept = count, ctypes.addressof(extents), extents
    if pad is not None:
        made.pad = b.value(pad).handle
    if mask is not None:
        made.mask = b.value(mask).handle
    made.order = order.value if order is not None else 0
    made.scope = scope.value if scope is not None else 0
    made.latency = latency or 0
    made.tma = {None: raw.CUC_DEFAULT, True: raw.CUC_ON, False: raw.CUC_OFF}[tma]
    return made


def array_of(value: Any) -> Array:
    if isinstance(value, Chosen):
        raise TypeError("an array that is found when the kernel runs takes loads, stores, gathers and "
                        "scatters: index the list by a number that is known when it is compiled")
    if not isinstance(value, Array):
        raise TypeError(f"expected an array, not {type(value).__name__}")
    return value


def number(dtype: Any) -> int:
    return dtype.number if isinstance(dtype, DType) else dtype_number(dtype)


def fitting(b: Builder, value: Any, dtype: int) -> Value:
    """A value for an array: integers that are loose take its type."""
    made = b.value(value)
    return b.cast(made, dtype) if made.loose and not isinstance(value, int) else made


def binary(b: Builder, name: str, x: Any, y: Any) -> Value:
    a, c, loose = b.meet(x, y)
    compared = name in ("eq", "ne", "lt", "le", "gt", "ge")
    result = Value(b.call(name, a.handle, c.handle), loose and not compared and name != "div")
    return result


def unary(b: Builder, name: str, x: Any) -> Value:
    given = b.value(x)
    return Value(b.call(name, given.handle), given.loose and name in ("neg", "abs"))
