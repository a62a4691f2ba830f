"""How a kernel can fail to compile. Each class has the name that cuTile gives it."""
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .. import raw
from .._errors import CompileError, CUDAError
from .._tensor import _DTYPES

TileError = CUDAError  # every failure is one


class TileCompilerError(CompileError):
    """A kernel does not compile; the message has the place in the Python source."""


class _Placed(TileCompilerError, SyntaxError):
    """An error of the source: `filename`, `lineno`, `text`, and the line is shown with the message."""

    def __init__(self, *arguments: Any) -> None:
        SyntaxError.__init__(self, *arguments)


class TileSyntaxError(_Placed):
    """Python that a kernel cannot have."""


class TileTypeError(_Placed):
    """A value of a type, dtype or shape that an operation does not take."""


class TileValueError(_Placed):
    """A constant that an operation does not take."""


class TileUnsupportedFeatureError(_Placed):
    """Something that the device does not have."""


class TileRecursionError(_Placed):
    """A function that calls itself without end."""


class TileStaticAssertionError(_Placed):
    """`ct.static_assert()` of what does not hold, or `ct.ensure_constant()` of what is none."""


class TileStaticEvalError(_Placed):
    """Python that `ct.static_eval()` and its like run, and that fails."""


class StaticException(_Placed):
    """What `raise ct.static_exception(...)` raised."""


TileCompilerExecutionError = TileCompilerTimeoutError = TileInternalError = CompileError

# By the group of a code of the compiler's: docs/tile-language.md lists them.
_GROUPS = {"T0": TileSyntaxError, "T4": TileSyntaxError, "T6": TileUnsupportedFeatureError}
_OF_PYTHON: dict[type[BaseException], type[_Placed]] = {
    AssertionError: TileStaticAssertionError, RecursionError: TileRecursionError, ValueError: TileValueError,
    ArithmeticError: TileValueError, LookupError: TileTypeError, TypeError: TileTypeError,
    AttributeError: TileTypeError, MemoryError: TileValueError,
}
CAUGHT = tuple(_OF_PYTHON)

# What the tile language calls a dtype, and cuTile.
NAMES: dict[str, str] = {raw.NAMES["dtype"][number]: name for name, number in _DTYPES.items()}

# The compiler's advice is for the tile language: what it is in Python.
_ADVICE: list[tuple[str, Callable[[re.Match[str]], str]]] = [
    (r"write cast\(\.\., (\w+)\)", lambda match: f"write .astype(ct.{NAMES.get(match[1], match[1])})"),
    (r"write a cast", lambda _: "write ct.astype()"),
    (r"write reshape or squeeze", lambda _: "write ct.reshape()"),
]


def compilers(log: str) -> TileCompilerError:
    """The error for what the tile compiler says."""
    code = re.search(r"error (T\d)", log)
    for said, instead in _ADVICE:
        log = re.sub(said, instead, log)
    return _GROUPS.get(code[1] if code else "", TileTypeError)(log.rstrip())


def of_python(error: BaseException) -> type[_Placed]:
    """The class that stands for an exception of Python's."""
    return next(made for kind, made in _OF_PYTHON.items() if isinstance(error, kind))
