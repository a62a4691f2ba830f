"""Python code executed at compile time: ct.static_eval() and similar functions."""
from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import _ops as ops
from ._errors import TileStaticEvalError, TileTypeError
from ._trees import leaves, mapped
from ._values import Array, Chosen, Value, View

if TYPE_CHECKING:
    from ._expression import Expressions

MOST_TURNS = 1000  # limit for static_iter()


class Proxy:
    """Represents a tile to compile-time Python, which can query its type and compute with it."""

    __slots__ = ("_scope", "_value")
    __hash__ = object.__hash__

    def __init__(self, scope: Expressions, value: Value) -> None:
        self._scope, self._value = scope, value

    @property
    def shape(self) -> tuple[int, ...]:
        return self._scope.b.shape(self._value)

    @property
    def ndim(self) -> int:
        return self._scope.b.rank(self._value)

    @property
    def dtype(self) -> Any:
        return self._scope.dtype_of(self._value)

    def __getattr__(self, name: str) -> Any:
        return wrapped(self._scope, self._scope.attribute(self._value, name))

    def __bool__(self) -> bool:
        raise TypeError("what a tile holds is not known when the kernel is compiled")

    def __repr__(self) -> str:
        return f"<tile[{self.dtype}, {self.shape}]>"


def _binary(name: str, swapped: bool) -> Callable[..., Proxy]:
    def method(self: Proxy, other: Any) -> Proxy:
        x, y = self._value, unwrapped(other)
        b = self._scope.b
        if swapped:
            x, y = y, x
        return Proxy(self._scope, ops.matmul(b, x, y) if name == "matmul" else ops.binary(b, name, x, y))
    return method


for _method, _name in {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "floordiv": "floordiv",
                       "mod": "mod", "pow": "pow", "and": "bitand", "or": "bitor", "xor": "bitxor",
                       "lshift": "shl", "rshift": "shr", "matmul": "matmul"}.items():
    setattr(Proxy, f"__{_method}__", _binary(_name, False))
    setattr(Proxy, f"__r{_method}__", _binary(_name, True))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(Proxy, f"__{_name}__", _binary(_name, False))
for _method, _name in {"neg": "neg", "invert": "bitnot", "abs": "abs"}.items():
    setattr(Proxy, f"__{_method}__",
            lambda self, name=_name: Proxy(self._scope, ops.unary(self._scope.b, name, self._value)))


class ArrayProxy:
    """Represents an array or array view to compile-time Python, which can query its type."""

    __slots__ = ("_scope", "_array")

    def __init__(self, scope: Expressions, array: Any) -> None:
        self._scope, self._array = scope, array

    def __getattr__(self, name: str) -> Any:
        return wrapped(self._scope, self._scope.attribute(self._array, name))


class Called:
    """A tile's or array's method, or a function defined in the kernel, made callable from
    compile-time Python."""

    __slots__ = ("_scope", "_callee")

    def __init__(self, scope: Expressions, callee: Any) -> None:
        self._scope, self._callee = scope, callee

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return called(self._scope, self._callee, arguments, named)


def called(scope: Expressions, callee: Any, arguments: Any, named: Any) -> Any:
    """Call a kernel-side function with Python arguments, and return a Python-side result."""
    return wrapped(scope, scope.call(scope.node, callee, list(map(unwrapped, arguments)),
                                     {name: unwrapped(each) for name, each in named.items()}))


def wrapped(scope: Expressions, value: Any) -> Any:
    def change(leaf: Any) -> Any:
        if isinstance(leaf, Value):
            return Proxy(scope, leaf)
        if isinstance(leaf, (Array, Chosen, View)):
            return ArrayProxy(scope, leaf)
        if scope.is_called(leaf):
            return Called(scope, leaf)
        return leaf
    return _changed(value, change)


def _changed(value: Any, change: Callable[[Any], Any]) -> Any:
    """Map the leaves of a value. If none of them changes, return the same object, so that a Python
    list keeps its identity."""
    made = mapped(value, change)
    return value if all(x is y for x, y in zip(leaves(value), leaves(made))) else made


def unwrapped(value: Any) -> Any:
    def change(leaf: Any) -> Any:
        return leaf._value if isinstance(leaf, Proxy) else leaf._array if isinstance(leaf, ArrayProxy) else \
            leaf._callee if isinstance(leaf, Called) else leaf
    return _changed(value, change)


def run(scope: Expressions, node: ast.expr) -> Any:
    """Evaluate a Python expression with the kernel's names."""
    if any(isinstance(each, ast.NamedExpr) for each in ast.walk(node)):
        scope.refuse(node, "Python that runs while a kernel is compiled binds no names by :=")
    names = dict(scope.function.__globals__)
    # Names that comprehensions and lambdas bind.
    own = {each.id if isinstance(each, ast.Name) else each.arg for each in ast.walk(node)
           if isinstance(each, ast.arg) or isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load) and \
                (each.id not in own or scope.find(each.id) is not scope.UNDEFINED):
            names[each.id] = wrapped(scope, scope.look(each))
    try:
        return eval(compile(ast.Expression(node), scope.file, "eval"), names)
    except Exception as error:
        scope.refuse(node, f"{type(error).__name__}: {error}", TileStaticEvalError)


def iterated(scope: Expressions, node: ast.expr) -> tuple[Any, ...]:
    """Return the items that static_iter() iterates over."""
    values = run(scope, node)
    try:
        values = iter(values)
    except TypeError as error:
        scope.refuse(node, f"static_iter: {error}", TileTypeError)
    try:
        given = []
        for each in values:
            given.append(unwrapped(each))
            if len(given) > MOST_TURNS:
                scope.refuse(node, f"static_iter: more than {MOST_TURNS} iterations", TileStaticEvalError)
        return tuple(given)
    except TypeError as error:
        scope.refuse(node, f"TypeError: {error}", TileStaticEvalError)


def truth(scope: Expressions, node: ast.expr) -> bool:
    """Evaluate a condition, which must be known at compile time."""
    value = run(scope, node)
    if isinstance(value, (Proxy, ArrayProxy)):
        scope.refuse(node, "the condition is not known when the kernel is compiled", TileTypeError)
    if type(value).__name__ not in ("bool", "bool_"):
        scope.refuse(node, f"the condition is a {type(value).__name__}: expected a bool", TileTypeError)
    return bool(value)


__all__ = ["MOST_TURNS", "Proxy", "iterated", "run", "truth", "unwrapped"]
