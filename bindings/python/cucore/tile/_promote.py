"""Type promotion: the common dtype of two operands, and implicit conversions.

Each dtype belongs to a category, and the categories are ordered: bool, integers, floats. The higher
category wins, then the wider dtype. Signed and unsigned integers have no common dtype, nor do
float16 and bfloat16, nor a restricted float (tf32 or an 8-bit float) and anything else. A Python
number has no dtype of its own: it adopts the other operand's, unless its own category is higher. An
index that the compiler computes counts as int32, or as 64-bit together with other indices.
"""
from __future__ import annotations

from .. import raw
from ._errors import NAMES

BOOL, INTEGER, FLOAT, RESTRICTED = range(4)
_FLOATS = {raw.CUC_F16: 16, raw.CUC_BF16: 16, raw.CUC_F32: 32, raw.CUC_F64: 64}
_SIGNED = {raw.CUC_I8: 8, raw.CUC_I16: 16, raw.CUC_I32: 32, raw.CUC_I64: 64}
_UNSIGNED = {raw.CUC_U8: 8, raw.CUC_U16: 16, raw.CUC_U32: 32, raw.CUC_U64: 64}


def category(dtype: int) -> int:
    if dtype == raw.CUC_BOOL:
        return BOOL
    return FLOAT if dtype in _FLOATS else INTEGER if dtype in _SIGNED or dtype in _UNSIGNED else RESTRICTED


def signed(dtype: int) -> bool:
    """Return whether a dtype is a signed integer type."""
    return dtype in _SIGNED


def said(dtype: int) -> str:
    """Return the name of a dtype."""
    name = raw.NAMES["dtype"].get(dtype, "unknown")
    return NAMES.get(name, name)


def common(x: int, y: int) -> int | None:
    """Return the common dtype of two dtypes; None if there is none."""
    if x == y:
        return x
    a, c = category(x), category(y)
    if RESTRICTED in (a, c):
        return None
    if a != c:
        return x if a > c else y
    for table in (_FLOATS, _SIGNED, _UNSIGNED):
        if x in table and y in table:
            return None if table[x] == table[y] else x if table[x] > table[y] else y
    return None


def promoted(x: int, y: int) -> int:
    """Return the common dtype of two dtypes; raise an error if there is none."""
    dtype = common(x, y)
    if dtype is None:
        raise TypeError(f"{said(x)} and {said(y)} have no common dtype: write ct.astype()")
    return dtype


def of_number(value: float) -> int:
    """Return the dtype of a Python number by itself."""
    if isinstance(value, bool):
        return raw.CUC_BOOL
    if isinstance(value, int):
        return raw.CUC_I32 if -2**31 <= value < 2**31 else raw.CUC_I64 if -2**63 <= value < 2**63 else raw.CUC_U64
    return raw.CUC_F32


def bounds(dtype: int) -> tuple[int, int]:
    """Return the smallest and largest integer of a dtype."""
    if dtype in _SIGNED:
        return -(1 << _SIGNED[dtype] - 1), (1 << _SIGNED[dtype] - 1) - 1
    return 0, (1 << _UNSIGNED[dtype]) - 1


def with_number(dtype: int, value: float) -> int:
    """Return the common dtype of a tile and a Python number."""
    own, of = category(of_number(value)), min(category(dtype), FLOAT)
    if own > of:
        return of_number(value)
    if own == of == INTEGER:
        within(value, dtype)
    return dtype


def within(value: float, dtype: int) -> None:
    low, high = bounds(dtype)
    if not low <= value <= high:
        raise ValueError(f"{value} is out of the range of {said(dtype)}")


def check_stored(source: int, target: int, what: str = "array") -> None:
    """Reject storing a tile in an array of another dtype, unless the conversion is implicit."""
    if common(source, target) != target:
        raise TypeError(f"a tile of {said(source)} does not go into an {what} of {said(target)} by itself: write "
                        f".astype(ct.{said(target)})")


def check_number(value: float, target: int, what: str = "array") -> None:
    """Make the same check for a Python number."""
    own, of = category(of_number(value)), min(category(target), FLOAT)
    if own > of and not (of == BOOL and own == INTEGER and value in (0, 1)):
        raise TypeError(f"{value!r} does not go into an {what} of {said(target)} by itself: write ct.{said(target)}"
                        f"({value!r})")
    if own == of == INTEGER:
        within(value, target)
