"""Compile-time constants as cache keys; constants with equal keys share one compilation."""
from __future__ import annotations

import struct
from typing import Any

from ._trees import children, is_tree

_bits = struct.Struct("<d").pack


class _Known:
    """A constant of a type that `kind_of()` does not handle, compared by its key."""

    __slots__ = ("value", "_key")

    def __init__(self, value: Any) -> None:
        self.value, self._key = value, _key(value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Known) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


def _key(value: Any) -> tuple[Any, ...]:
    kind = type(value)
    if isinstance(value, (float, complex)):
        return kind, _bits(value.real), _bits(value.imag)
    if is_tree(value):
        return kind, tuple((name, _key(each)) for name, each in children(value))
    if kind.__module__ == "numpy" and hasattr(value, "tobytes"):
        return kind, str(value.dtype), value.shape, value.tobytes()
    if hasattr(value, "__dlpack__"):
        raise TypeError(f"a constant is known when the kernel is compiled: a {kind.__name__} cannot be one")
    return kind, value


def kind_of(value: Any) -> tuple[Any, ...]:
    """Return a key with everything that the code depends on. == does not suffice: it equates 0.0
    with -0.0, and 1 with 1.0 and True, but not NaN with itself."""
    kind = type(value)
    if kind is int or kind is bool or kind is str:
        return "constant", value, kind
    if kind is float:
        return "float", _bits(value)
    if kind is tuple or kind is list:
        return ("tuple", *map(kind_of, value))
    return "constant", _Known(value)


def value_of(kind: tuple[Any, ...]) -> Any:
    """Return the constant of a kind that is not a tuple."""
    if kind[0] == "float":
        return struct.unpack("<d", kind[1])[0]
    return kind[1].value if isinstance(kind[1], _Known) else kind[1]
