"""Compilation errors of kernels, named as in cuTile."""
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .. import raw
from .._errors import CompileError, CUDAError
from .._tensor import _DTYPES

TileError = CUDAError  # the base of all failures


class TileCompilerError(CompileError):
    """A kernel that does not compile; the message gives the location in the Python source."""


class _Placed(TileCompilerError, SyntaxError):
    """An error with a source location, in `filename`, `lineno` and `text`; the message shows the
    line."""

    def __init__(self, *arguments: Any) -> None:
        SyntaxError.__init__(self, *arguments)


class TileSyntaxError(_Placed):
    """Python code that kernels do not support."""


class TileTypeError(_Placed):
    """A value whose type, dtype or shape an operation does not accept."""


class TileValueError(_Placed):
    """A constant that an operation does not accept."""


class TileUnsupportedFeatureError(_Placed):
    """A feature the device lacks."""


class TileRecursionError(_Placed):
    """Unbounded recursion."""


class TileStaticAssertionError(_Placed):
    """`ct.static_assert()` failed, or `ct.ensure_constant()` received a non-constant."""


class TileStaticEvalError(_Placed):
    """Python code run by `ct.static_eval()` or a similar function failed."""


class StaticException(_Placed):
    """Raised by `raise ct.static_exception(...)`."""


TileCompilerExecutionError = TileCompilerTimeoutError = TileInternalError = CompileError

# Keyed by the prefix of the compiler's error code; src/explain/tile_code.def lists the codes.
_GROUPS = {"T0": TileSyntaxError, "T4": TileSyntaxError, "T6": TileUnsupportedFeatureError}
_OF_PYTHON: dict[type[BaseException], type[_Placed]] = {
    AssertionError: TileStaticAssertionError, RecursionError: TileRecursionError, ValueError: TileValueError,
    ArithmeticError: TileValueError, LookupError: TileTypeError, TypeError: TileTypeError,
    AttributeError: TileTypeError, MemoryError: TileValueError,
}
CAUGHT = tuple(_OF_PYTHON)

# Tile language dtype names to cuTile names.
NAMES: dict[str, str] = {raw.NAMES["dtype"][number]: name for name, number in _DTYPES.items()}

# Translations of the compiler's advice from the tile language to Python.
_ADVICE: list[tuple[str, Callable[[re.Match[str]], str]]] = [
    (r"write cast\(\.\., (\w+)\)", lambda match: f"write .astype(ct.{NAMES.get(match[1], match[1])})"),
    (r"write a cast", lambda _: "write ct.astype()"),
    (r"write reshape or squeeze", lambda _: "write ct.reshape()"),
]


def compilers(log: str) -> TileCompilerError:
    """Build the exception for a log of the tile compiler."""
    code = re.search(r"error (T\d)", log)
    for said, instead in _ADVICE:
        log = re.sub(said, instead, log)
    return _GROUPS.get(code[1] if code else "", TileTypeError)(log.rstrip())


def of_python(error: BaseException) -> type[_Placed]:
    """Return the class that corresponds to a Python exception."""
    return next(made for kind, made in _OF_PYTHON.items() if isinstance(error, kind))
