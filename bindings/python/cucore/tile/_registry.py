"""Registry of operations by name, and their shared helpers."""
from __future__ import annotations

import ctypes
import enum
from typing import Any, Callable, TypeVar

from .. import raw
from .._tensor import dtype_number
from ._promote import BOOL, FLOAT, INTEGER, category, check_number, check_stored, said
from ._values import Array, Builder, Chosen, DType, Value, is_number

OPS: dict[str, Callable[..., Any]] = {}


class PaddingMode(enum.Enum):
    """Value that a load returns outside an array."""

    UNDETERMINED = "undetermined"
    ZERO = "zero"
    NEG_ZERO = "neg_zero"
    NAN = "nan"
    POS_INF = "pos_inf"
    NEG_INF = "neg_inf"


class RoundingMode(enum.Enum):
    """Rounding of arithmetic and casts. FULL and APPROX are faster and less exact, for float32
    only. No operation supports RA, which rounds to nearest with ties away from zero. RZI, which
    rounds towards zero, is the rounding of casts to integers."""

    RN = raw.CUC_TILE_RN
    RZ = raw.CUC_TILE_RZ
    RM = raw.CUC_TILE_RM
    RP = raw.CUC_TILE_RP
    FULL = raw.CUC_TILE_FULL
    APPROX = raw.CUC_TILE_APPROX
    RA = "nearest_away"
    RZI = "nearest_int_to_zero"


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


# Options of operations that select code, so they cannot be run-time values. All of them are
# keyword-only.
_FLAGS = frozenset(("allow_tma", "check_bounds", "flush_to_zero", "keepdims", "propagate_nan", "reverse", "use_fast_acc"))


def check_flags(named: dict[str, Any]) -> None:
    """Check that options that are flags are bools known at compile time."""
    for name in named.keys() & _FLAGS:
        if not isinstance(named[name], bool) and (name != "allow_tma" or named[name] is not None):
            raise TypeError(f"{name}: expected True or False, known when the kernel is compiled")


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
    """Return the array axis of each tile axis; None if the orders are equal."""
    if order in ("C", None):
        return None
    axes = tuple(reversed(range(rank))) if order == "F" else numbers(order, "order")
    if sorted(axes) != list(range(rank)):
        raise TypeError(f"order is {order!r}: expected \"C\", \"F\" or a permutation of {rank} axes")
    return None if axes == tuple(range(rank)) else axes


def access(b: Builder, *, shape: tuple[int, ...] | None = None, pad: Any = None, mask: Any = None,
           order: Any = None, scope: Any = None, latency: Any = None, tma: Any = None) -> Any:
    """Build the options of a memory access; the struct keeps alive the memory that it points to."""
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


def fitting(b: Builder, value: Any, dtype: int, what: str = "array") -> Value:
    """Convert a value to an array's dtype, if the conversion is implicit."""
    if is_number(value):
        if dtype != raw.CUC_E8M0:
            check_number(value, dtype, what)
        return b.as_kind(value, dtype)
    made = b.value(value)
    if made.loose and dtype in (raw.CUC_I32, raw.CUC_I64):
        return b.cast(made, dtype)
    check_stored(b.kind(made), dtype, what)
    return b.as_kind(made, dtype)


_BITS = frozenset(("bitand", "bitor", "bitxor"))
_SHIFTS = frozenset(("shl", "shr"))
_COMPARED = frozenset(("eq", "ne", "lt", "le", "gt", "ge"))
_FLOATS = frozenset(("div", "atan2"))


def operands(b: Builder, name: str, x: Any, y: Any) -> tuple[Value, Value, bool]:
    """Check the two operands of an operation against the types that it accepts, and return them as
    Builder.meet() does."""
    kinds = [b.kind(each) for each in (x, y)]
    soft = [is_number(each) or isinstance(each, Value) and each.loose for each in (x, y)]
    if name in _BITS or name in _SHIFTS:
        for kind in kinds:
            if category(kind) >= FLOAT or kind == raw.CUC_BOOL and name in _SHIFTS:
                raise TypeError(f"{name}: expected integers{'' if name in _SHIFTS else ' or bools'}, got {said(kind)}: "
                                "ct.bitcast() gives the bits of others")
        if name in _BITS and kinds[0] != kinds[1] and soft[0] == soft[1] or set(kinds) == {raw.CUC_BOOL, raw.CUC_I8}:
            raise TypeError(f"{name}: expected two of one dtype, got {said(kinds[0])} and {said(kinds[1])}")
    elif name not in _COMPARED:
        if set(kinds) == {raw.CUC_BOOL} and not all(map(is_number, (x, y))):
            raise TypeError(f"{name}: expected numbers, got bools: write ct.astype()")
        for kind in kinds:
            if category(kind) > FLOAT:
                raise TypeError(f"{name}: nothing is computed in {said(kind)}: write ct.astype()")
    return b.meet(x, y, name in _FLOATS)


def binary(b: Builder, name: str, x: Any, y: Any) -> Value:
    a, c, loose = operands(b, name, x, y)
    if name in ("lt", "le", "gt", "ge") and b.kind(a) == b.kind(c) == raw.CUC_BOOL:  # bools are ordered as numbers
        a, c = b.cast(a, raw.CUC_U8), b.cast(c, raw.CUC_U8)
    return Value(b.call(name, a.handle, c.handle), loose and name not in _COMPARED and name not in _FLOATS)


_OF_FLOATS = frozenset(("exp", "exp2", "log", "log2", "sqrt", "rsqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "erf",
                        "sigmoid", "expm1", "log1p"))
_ONLY_FLOATS = frozenset(("floor", "ceil"))


def operand(b: Builder, name: str, x: Any) -> Value:
    """Check the operand of an operation against the types that it accepts."""
    given = b.value(x)
    if not isinstance(x, Value):
        return given
    kind = b.kind(given)
    of = category(kind)
    if of > FLOAT:
        raise TypeError(f"{name}: nothing is computed in {said(kind)}: write ct.astype()")
    if of < FLOAT and name in _ONLY_FLOATS or of == FLOAT and name == "bitnot":
        raise TypeError(f"{name}: expected {'floats' if of < FLOAT else 'integers or bools'}, got {said(kind)}")
    if of < FLOAT and name in _OF_FLOATS:
        return b.cast(given, raw.CUC_F32)
    return b.cast(given, raw.CUC_I32) if of == BOOL and name == "neg" else given


def unary(b: Builder, name: str, x: Any) -> Value:
    given = operand(b, name, x)
    if name == "abs" and b.kind(given) == raw.CUC_BOOL:
        return given
    return Value(b.call(name, given.handle), given.loose and name in ("neg", "abs"))
