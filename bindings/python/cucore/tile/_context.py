"""Context managers in kernels: generators decorated with @contextlib.contextmanager.

Entering a with block compiles the generator up to its yield. Every path that leaves the block
emits the code after the yield: at the end of the block, and before a break, continue or return.
"""
from __future__ import annotations

import ast
import contextlib
import types
from collections.abc import Iterator
from typing import Any

from ._errors import TileSyntaxError, TileTypeError
from ._syntax import syntax_of

_HELPER = contextlib.contextmanager(lambda: iter(())).__code__  # shared by all functions with that decorator


class Generator:
    """A call of a @contextlib.contextmanager function, which a with statement enters."""

    __slots__ = ("function", "arguments", "named")

    def __init__(self, function: types.FunctionType, arguments: list[Any], named: dict[str, Any]) -> None:
        self.function, self.arguments, self.named = function, arguments, named


class Manager:
    """A generator suspended at its yield. `loops` is the number of loops in the function that enclose the with."""

    __slots__ = ("scope", "rest", "loops")

    def __init__(self, scope: Any, rest: list[ast.stmt], loops: int) -> None:
        self.scope, self.rest, self.loops = scope, rest, loops


class Leave(ast.stmt):
    """Marks the end of a with block for one of its managers; the inner managers come first."""

    _fields = ()


def is_manager(function: types.FunctionType) -> bool:
    """Return whether a function has the decorator @contextlib.contextmanager."""
    return function.__code__ is _HELPER


def block(node: ast.With) -> list[ast.stmt]:
    """Return the statements of a with block, followed by the exits of its managers."""
    place = {"lineno": node.end_lineno or node.lineno, "col_offset": node.col_offset}
    return [*node.body, *(Leave(**place) for _ in node.items)]


def body_of(scope: Any, function: types.FunctionType) -> list[ast.stmt]:
    """Return the statements of a generator, which must have exactly one yield that is always
    reached."""
    body: list[ast.stmt] = syntax_of(function).body  # type: ignore[assignment]
    found = list(_jumps(body, False))
    for node, _ in found:
        if isinstance(node, ast.Return):
            scope.refuse(node, f"{function.__name__}() is a context manager, which ends without a return", TileSyntaxError)
    yields = [(node, inside) for node, inside in found if isinstance(node, (ast.Yield, ast.YieldFrom))]
    if not yields:
        scope.refuse(scope.node, f"{function.__name__}() is a context manager with no reachable `yield` statement",
                     TileTypeError)
    if len(yields) > 1:
        scope.refuse(yields[1][0], f"{function.__name__}() is a context manager, which must have one `yield` statement",
                     TileTypeError)
    node, inside = yields[0]
    if inside:
        scope.refuse(node, f"the `yield` of {function.__name__}() has to be a statement of its own, outside of loops and "
                           "conditional statements", TileTypeError)
    return body


def yields(node: ast.AST) -> bool:
    return any(isinstance(each, (ast.Yield, ast.YieldFrom)) for each, _ in _jumps([node], False))


def _jumps(nodes: list[Any], inside: bool) -> Iterator[tuple[ast.AST, bool]]:
    """Iterate over the reachable yields and returns, and tell whether each is nested in anything
    but with blocks."""
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            continue
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield):
            yield node.value, inside
            continue
        if isinstance(node, (ast.Return, ast.Yield, ast.YieldFrom)):
            yield node, True
        for name, part in ast.iter_fields(node):
            kept = inside or not isinstance(node, ast.With) or name != "body"
            yield from _jumps(part if isinstance(part, list) else [part] if isinstance(part, ast.AST) else [], kept)
        if isinstance(node, (ast.Break, ast.Continue, ast.Return, ast.Raise)):
            return  # nothing after this is reachable


__all__ = ["Generator", "Leave", "Manager", "block", "body_of", "is_manager", "yields"]
