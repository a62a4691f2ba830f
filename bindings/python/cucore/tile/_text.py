"""Strings that contain run-time values: str(), repr(), f-strings, and their print formats."""
from __future__ import annotations

import dataclasses
import re
import types
from typing import TYPE_CHECKING, Any

from .. import raw
from ._errors import TileTypeError
from ._promote import FLOAT, category
from ._trees import leaves
from ._values import Builder, Shown, Text, Value, named

if TYPE_CHECKING:
    from ._expression import Expressions

_SPEC = re.compile(r"(?P<align>[<>^])?(?P<sign>[+ -])?(?P<alt>#)?(?P<zero>0)?(?P<width>\d+)?"
                   r"(?:\.(?P<precision>\d+))?(?P<type>[diouxXeEfFgGaA])?")
INTEGER_FORMATS, FLOAT_FORMATS = "diouxX", "eEfFgGaA"


def joined(*parts: Any) -> Any:
    """Concatenate strings: the result is a str, or a Text if it contains values."""
    made: list[Any] = []
    for part in parts:
        for each in part if isinstance(part, Text) else (part,):
            if made and isinstance(each, str) and isinstance(made[-1], str):
                made[-1] += each
            elif each != "":
                made.append(each)
    return "".join(made) if all(isinstance(each, str) for each in made) else Text(made)


def has_values(given: Any) -> bool:
    return any(isinstance(each, Value) for each in leaves(given))


def _methods(value: Any, name: str) -> Any:
    """Return a method that the dataclass itself defines; None if Python generates it or there is
    none."""
    found = getattr(type(value), name, None)
    if not isinstance(found, types.FunctionType) or found.__module__ != type(value).__module__:
        return None
    return found if "__create_fn__" not in found.__qualname__ and not hasattr(found, "__wrapped__") else None


def _quoted(text: Any) -> Any:
    """Return the repr() of a text, with the same quotes for all parts."""
    parts = [each for each in text if isinstance(each, str)]
    known = "".join(parts)
    quote = '"' if "'" in known and '"' not in known else "'"

    def inner(part: str) -> str:
        body = repr('"' + part)[2:-1]
        return body.replace("\\'", "'") if quote == '"' else body
    return joined(quote, *(inner(each) if isinstance(each, str) else each for each in text), quote)


def repr_of(scope: Expressions, value: Any) -> Any:
    """Implement repr(), also for values."""
    if isinstance(value, Text):
        return _quoted(value)
    if isinstance(value, Value):
        return Text((value,))
    if not has_values(value):
        return repr(value)
    if dataclasses.is_dataclass(value):
        own = _methods(value, "__repr__")
        if own is not None:
            return scope.call(scope.node, own, [value], {})
        if type(value).__repr__ is object.__repr__:
            return f"<{type(value).__qualname__.rpartition('.')[2]} object>"
        between = [joined(f"{each.name}=", repr_of(scope, getattr(value, each.name)))
                   for each in dataclasses.fields(value) if each.repr]
        return joined(type(value).__qualname__.rpartition(".")[2], "(", *_separated(between), ")")
    if isinstance(value, dict):
        return joined("{", *_separated([joined(repr_of(scope, k), ": ", repr_of(scope, v)) for k, v in value.items()]), "}")
    inside = [repr_of(scope, each) for each in value]
    if hasattr(value, "_fields"):
        return joined(type(value).__name__, "(", *_separated(
            [joined(f"{name}=", each) for name, each in zip(value._fields, inside)]), ")")
    if isinstance(value, list):
        return joined("[", *_separated(inside), "]")
    return joined("(", *_separated(inside), ",)" if len(inside) == 1 else ")")


def _separated(parts: list[Any]) -> list[Any]:
    return [each for part in parts for each in (", ", part)][1:]


def str_of(scope: Expressions, value: Any) -> Any:
    """Implement str(), also for values."""
    if isinstance(value, (str, Text)):
        return value
    if dataclasses.is_dataclass(value) and has_values(value):
        own = _methods(value, "__str__")
        if own is not None:
            return scope.call(scope.node, own, [value], {})
    return repr_of(scope, value) if has_values(value) else str(value)


def formatted(scope: Expressions, value: Any, spec: str) -> Any:
    """Format a replacement field of an f-string."""
    if dataclasses.is_dataclass(value) and type(value).__format__ is not object.__format__:
        raise TypeError("an f-string does not call the __format__() of a dataclass")
    if isinstance(value, Value):
        return Shown(value, c_format(scope.b, value, spec)) if spec else Text((value,))
    if has_values(value):
        if spec:
            raise TypeError(f"the format {spec!r} is of a number or tile, not of a {type(value).__name__}")
        return str_of(scope, value)
    return format(value, spec)


def c_format(b: Builder, value: Value, spec: str) -> str:
    """Translate a Python format to a C format."""
    found = _SPEC.fullmatch(spec)
    if found is None:
        raise ValueError(f"the format {spec!r} is not read: expected one such as 8.3f")
    of = found.groupdict(default="")
    flags = ("-" if of["align"] == "<" else "") + of["sign"].replace("-", "") + of["alt"] + \
        (of["zero"] if of["align"] != "<" else "")
    return checked(b, value, flags + of["width"] + ("." + of["precision"] if of["precision"] else "") +
                   (of["type"] or default(b, value)))


def checked(b: Builder, value: Value, how: str) -> str:
    """Check that a C format suits the value's dtype."""
    kind = b.kind(value)
    suits = FLOAT_FORMATS if category(kind) >= FLOAT else INTEGER_FORMATS
    if how[-1] not in suits:
        raise TileTypeError(f"the format {how!r} does not write {named(kind)}: expected one of {' '.join(suits)}")
    return how.replace("F", "f")


def default(b: Builder, value: Value) -> str:
    kind = b.kind(value)
    if category(kind) >= FLOAT:
        return "f"
    return "d" if kind in (raw.CUC_BOOL, raw.CUC_I8, raw.CUC_I16, raw.CUC_I32, raw.CUC_I64) else "u"


__all__ = ["c_format", "checked", "default", "formatted", "has_values", "joined", "repr_of", "str_of"]
