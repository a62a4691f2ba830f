"""Expressions of a kernel: what Python can compute at once it does, the rest is built."""
from __future__ import annotations

import ast
import builtins
import inspect
import operator
import types
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from .. import raw
from . import _ops as ops
from ._syntax import syntax_of
from ._values import (
    INTEGERS,
    Array,
    Builder,
    Chosen,
    DType,
    Text,
    TileCompilerError,
    TileSyntaxError,
    Value,
    Variable,
    View,
)

if TYPE_CHECKING:
    from ._compile import Compiler

_BINARY: dict[Any, tuple[str, Any]] = {
    ast.Add: ("add", operator.add), ast.Sub: ("sub", operator.sub), ast.Mult: ("mul", operator.mul),
    ast.Div: ("div", operator.truediv), ast.FloorDiv: ("floordiv", operator.floordiv),
    ast.Mod: ("mod", operator.mod), ast.Pow: ("pow", operator.pow),
    ast.BitAnd: ("bitand", operator.and_), ast.BitOr: ("bitor", operator.or_),
    ast.BitXor: ("bitxor", operator.xor), ast.LShift: ("shl", operator.lshift),
    ast.RShift: ("shr", operator.rshift), ast.MatMult: ("matmul", operator.matmul),
}
_COMPARE: dict[Any, tuple[str, Any]] = {
    ast.Eq: ("eq", operator.eq), ast.NotEq: ("ne", operator.ne), ast.Lt: ("lt", operator.lt),
    ast.LtE: ("le", operator.le), ast.Gt: ("gt", operator.gt), ast.GtE: ("ge", operator.ge),
}
_UNARY: dict[Any, Any] = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert,
                          ast.Not: operator.not_}
_OF_PYTHON: dict[Any, Any] = {ast.Is: operator.is_, ast.IsNot: operator.is_not,
                              ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b}
_UNBOUND = object()


class Op:
    """An operation of `cucore.tile`: what a kernel calls. Outside of one it is an error."""

    def __init__(self, name: str, host: Callable[..., Any] | None = None) -> None:
        self.name, self.host = name, host

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        if self.host is not None:
            return self.host(*arguments, **named)
        raise RuntimeError(f"ct.{self.name}() is for kernels: it is called in a function with "
                           "@ct.kernel, which ct.launch() runs")

    def __repr__(self) -> str:
        return f"<ct.{self.name}>"


class Return(Exception):
    """The end of a function that is put in."""

    def __init__(self, value: Any) -> None:
        self.value = value


class _Method:
    """`x.astype` and its like, before it is called."""

    __slots__ = ("function", "receiver")

    def __init__(self, function: Callable[..., Any], receiver: Any) -> None:
        self.function, self.receiver = function, receiver


class _Shape(tuple):  # type: ignore[type-arg]
    """The shape of an array, whose extents are known at a launch."""

    __slots__ = ()


class Nested:
    """A function or lambda that is written in a kernel."""

    __slots__ = ("outside", "node")

    def __init__(self, outside: Expressions, node: Any) -> None:
        self.outside, self.node = outside, node


def _is_librarys(function: types.FunctionType) -> bool:
    """Whether a function is Python's or NumPy's own, to be called and not to be put in."""
    module = (function.__module__ or "").partition(".")[0]
    return module in ("math", "numpy", "operator", "functools", "itertools", "typing", "builtins")


class Expressions:
    """The names of one function while it is gone through, and the values of its expressions."""

    compiler: Compiler
    b: Builder
    function: Any  # of Python
    outside: Expressions | None  # of a function that is written in another
    file: str
    names: dict[str, Any]
    closure: dict[str, Any]

    # ---- errors ----

    def refuse(self, node: ast.AST, message: str) -> NoReturn:
        line = getattr(node, "lineno", self.b.place[1])
        column = getattr(node, "col_offset", 0) + 1
        text = None
        try:
            text = inspect.getsourcelines(inspect.getmodule(self.function) or self.function)[0][line - 1]
        except (OSError, TypeError, IndexError):
            pass
        raise TileSyntaxError(message, (self.file, line, column, text))

    # ---- names ----

    def look(self, node: ast.Name) -> Any:
        name = node.id
        scope: Expressions | None = self
        while scope is not None:
            found = scope.names.get(name, _UNBOUND)
            if found is not _UNBOUND:
                if isinstance(found, Variable):
                    return Value(self.b.call("get", found.handle), found.loose)
                return found
            if name in scope.closure:
                return scope.closure[name]
            scope = scope.outside
        module = self.function.__globals__
        if name in module:
            return module[name]
        if hasattr(builtins, name):
            return getattr(builtins, name)
        self.refuse(node, f"nothing binds {name} here: a name that an if or a loop binds first ends "
                          "with it, unless both arms do")

    def bind(self, name: str, value: Any, node: ast.AST) -> None:
        there = self.names.get(name)
        if isinstance(there, Variable):
            if not isinstance(value, (Value, int, float)):
                self.refuse(node, f"{name} is a tile outside of the loop or if, and "
                                  f"{type(value).__name__} here")
            made = self.b.value(value)
            if (there.loose or made.loose) and self.b.dtype(made) != there.dtype and \
                    INTEGERS.issuperset((there.dtype, self.b.dtype(made) or there.dtype)):
                made = self.b.cast(made, there.dtype)
            self.b.call("set", there.handle, made.handle)
        else:
            self.names[name] = value

    def assign(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self.bind(target.id, value, target)
        elif isinstance(target, (ast.Tuple, ast.List)):
            if not isinstance(value, (tuple, list, _Shape)):
                self.refuse(target, "expected as many values as names")
            if len(value) != len(target.elts):
                self.refuse(target, f"{len(value)} values for {len(target.elts)} names")
            for each, part in zip(target.elts, value):
                self.assign(each, part)
        else:
            self.refuse(target, "only a name can be assigned to: tiles do not change, "
                                "and arrays are stored to by ct.store()")

    # ---- expressions ----

    def eval(self, node: ast.expr) -> Any:
        handler = getattr(self, f"of_{type(node).__name__}", None)
        if handler is None:
            self.refuse(node, f"a kernel has no {type(node).__name__.lower()}")
        try:
            return handler(node)
        except (TileSyntaxError, Return):
            raise
        except TileCompilerError:
            raise
        except (TypeError, ValueError, AttributeError, KeyError, IndexError, ZeroDivisionError,
                AssertionError, OverflowError) as error:
            self.refuse(node, str(error) or type(error).__name__)

    def of_Constant(self, node: ast.Constant) -> Any:
        return node.value

    def of_Name(self, node: ast.Name) -> Any:
        return self.look(node)

    def of_Tuple(self, node: ast.Tuple) -> Any:
        return tuple(self.elements(node.elts))

    def of_List(self, node: ast.List) -> Any:
        return tuple(self.elements(node.elts))

    def elements(self, nodes: list[ast.expr]) -> Iterator[Any]:
        for each in nodes:
            if isinstance(each, ast.Starred):
                yield from self.eval(each.value)
            else:
                yield self.eval(each)

    def of_Dict(self, node: ast.Dict) -> Any:
        return {self.eval(k): self.eval(v) for k, v in zip(node.keys, node.values) if k is not None}

    def of_Lambda(self, node: ast.Lambda) -> Any:
        return Nested(self, node)

    def of_JoinedStr(self, node: ast.JoinedStr) -> Any:
        parts = Text(self.eval(v.value) if isinstance(v, ast.FormattedValue) else self.eval(v)
                     for v in node.values)
        return parts if any(isinstance(p, Value) for p in parts) else "".join(map(str, parts))

    def comprehension(self, node: Any) -> Any:
        if len(node.generators) != 1:
            self.refuse(node, "a comprehension of a kernel has one for")
        result, saved = [], dict(self.names)
        of = node.generators[0]
        values = self.eval(of.iter)
        for value in values:
            self.assign(of.target, value)
            if all(self.eval(test) for test in of.ifs):
                result.append(self.eval(node.elt))
        self.names = saved
        return tuple(result)

    of_ListComp = comprehension
    of_GeneratorExp = comprehension

    def binary(self, node: ast.AST, kind: type, x: Any, y: Any) -> Any:
        name, python = _BINARY[kind]
        if isinstance(x, Value) or isinstance(y, Value):
            if name == "matmul":
                return ops.matmul(self.b, x, y)
            return ops.binary(self.b, name, x, y)
        return python(x, y)

    def of_BinOp(self, node: ast.BinOp) -> Any:
        x, y = self.eval(node.left), self.eval(node.right)
        self.b.at(node.lineno)
        return self.binary(node, type(node.op), x, y)

    def of_UnaryOp(self, node: ast.UnaryOp) -> Any:
        x = self.eval(node.operand)
        if not isinstance(x, Value):
            return _UNARY[type(node.op)](x)
        if isinstance(node.op, ast.UAdd):
            return x
        return ops.unary(self.b, "neg" if isinstance(node.op, ast.USub) else "bitnot", x)

    def of_BoolOp(self, node: ast.BoolOp) -> Any:
        is_and = isinstance(node.op, ast.And)
        result: Any = None
        for position, each in enumerate(node.values):
            value = self.eval(each)
            if position == 0:
                result = value
            elif isinstance(result, Value) and isinstance(value, Value):
                result = ops.binary(self.b, "bitand" if is_and else "bitor", result, value)
            elif isinstance(result, Value):  # the constant decides, or does not count
                result = (result if value else False) if is_and else (True if value else result)
            else:
                result = value
            if not isinstance(result, Value) and bool(result) != is_and:
                return result
        return result

    def of_Compare(self, node: ast.Compare) -> Any:
        left, result = self.eval(node.left), None
        for kind, right_node in zip(node.ops, node.comparators):
            right = self.eval(right_node)
            if isinstance(left, Value) or isinstance(right, Value):
                if type(kind) not in _COMPARE:
                    if isinstance(kind, (ast.Is, ast.IsNot)):
                        part: Any = isinstance(kind, ast.IsNot)
                    else:
                        self.refuse(node, "tiles are compared by == != < <= > >=")
                else:
                    part = ops.binary(self.b, _COMPARE[type(kind)][0], left, right)
            elif type(kind) in _COMPARE:
                part = _COMPARE[type(kind)][1](left, right)
            else:
                part = _OF_PYTHON[type(kind)](left, right)
            if result is None:
                result = part
            elif isinstance(result, Value) and isinstance(part, Value):
                result = ops.binary(self.b, "bitand", result, part)
            else:
                result = part if not isinstance(result, Value) and result else result
            left = right
        return result

    def of_IfExp(self, node: ast.IfExp) -> Any:
        condition = self.eval(node.test)
        if isinstance(condition, Value):
            return ops.where(self.b, condition, self.eval(node.body), self.eval(node.orelse))
        return self.eval(node.body if condition else node.orelse)

    def of_Subscript(self, node: ast.Subscript) -> Any:
        value = self.eval(node.value)
        if isinstance(value, Value):
            return self.subscript(node, value)
        if isinstance(value, (Array, Chosen, View)):
            self.refuse(node, "an array is read by ct.load() and ct.gather()")
        if isinstance(node.slice, ast.Slice):
            part = slice(*(self.eval(e) if e is not None else None
                           for e in (node.slice.lower, node.slice.upper, node.slice.step)))
            return value[part]
        index = self.eval(node.slice)
        if isinstance(index, Value) and isinstance(value, (tuple, list)) and value and \
                all(isinstance(each, Array) for each in value):
            return Chosen(tuple(value), index)
        if isinstance(index, Value):
            self.refuse(node, "the index is not known when the kernel is compiled")
        return value[index]

    def subscript(self, node: ast.Subscript, value: Value) -> Value:
        """`x[:, None]`: axes of extent 1 more."""
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        axis, kept = 0, 0
        for part in parts:
            if isinstance(part, ast.Constant) and part.value is None:
                value = Value(self.b.call("expand", value.handle, axis))
            elif isinstance(part, ast.Constant) and part.value is Ellipsis:
                more = self.b.rank(value) - axis - sum(
                    1 for p in parts[parts.index(part) + 1:] if isinstance(p, ast.Slice))
                axis += more - 1
            elif isinstance(part, ast.Slice) and not (part.lower or part.upper or part.step):
                kept += 1
            else:
                self.refuse(node, "a tile is indexed by : and None; ct.extract() takes a part of it")
            axis += 1
        return value

    def of_Attribute(self, node: ast.Attribute) -> Any:
        value, name = self.eval(node.value), node.attr
        if isinstance(value, Value):
            if name == "shape":
                return self.b.shape(value)
            if name == "ndim":
                return self.b.rank(value)
            if name == "dtype":
                kind = self.b.dtype(value)
                return DType(kind, raw.NAMES["dtype"].get(kind, "unknown"))
            if name in ops.VALUE_METHODS:
                return _Method(ops.OPS[name], value)
            self.refuse(node, f"a tile has no {name}")
        if isinstance(value, (Array, Chosen)):
            if name == "shape":
                return _Shape(ops.extent(self.b, value, axis) for axis in range(value.rank))
            if name == "strides":
                return tuple(ops.stride(self.b, value, axis) for axis in range(value.rank))
            if name == "ndim":
                return value.rank
            if name == "dtype":
                return DType(value.dtype, raw.NAMES["dtype"][value.dtype])
            if name in ops.ARRAY_METHODS:
                return _Method(ops.ARRAY_METHODS[name], value)
            self.refuse(node, f"an array has no {name}")
        if isinstance(value, View):
            if name == "tile_shape":
                return value.shape
            if name == "dtype":
                return DType(value.array.dtype, raw.NAMES["dtype"][value.array.dtype])
            if name in ops.VIEW_METHODS:
                return _Method(ops.VIEW_METHODS[name], value)
            self.refuse(node, f"a view has no {name}")
        return getattr(value, name)

    # ---- calls ----

    def of_Call(self, node: ast.Call) -> Any:
        callee = self.eval(node.func)
        arguments = list(self.elements(node.args))
        named: dict[str, Any] = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                named.update(self.eval(keyword.value))
            else:
                named[keyword.arg] = self.eval(keyword.value)
        self.b.at(node.lineno)
        return self.call(node, callee, arguments, named)

    def call(self, node: ast.AST, callee: Any, arguments: list[Any], named: dict[str, Any]) -> Any:
        if isinstance(callee, Op):
            if callee.name in ("reduce", "scan"):
                arguments, named = self.with_function(node, arguments, named)
            return ops.OPS[callee.name](self.b, *arguments, **named)
        if isinstance(callee, _Method):
            return callee.function(self.b, callee.receiver, *arguments, **named)
        if isinstance(callee, DType):
            return self.b.cast(self.b.value(arguments[0]), callee.number)
        if isinstance(callee, Nested):
            return self.compiler.inline(callee.outside.function, callee.node, arguments, named,
                                        callee.outside)
        if hasattr(callee, "__cucore_tile_function__"):
            callee = callee.__cucore_tile_function__
        if isinstance(callee, types.FunctionType) and not _is_librarys(callee):
            return self.compiler.inline(callee, syntax_of(callee), arguments, named, None)
        if callee is builtins.print:
            return ops.print_(self.b, *arguments, **named)
        if not any(isinstance(a, (Value, Array, Chosen, View)) for a in (*arguments, *named.values())):
            return callee(*arguments, **named)
        return self.builtin(node, callee, arguments, named)

    def builtin(self, node: ast.AST, callee: Any, arguments: list[Any], named: dict[str, Any]) -> Any:
        """Python's own functions, of tiles."""
        if callee in (min, max) and not named and len(arguments) > 1:
            result = arguments[0]
            for each in arguments[1:]:
                if isinstance(result, Value) or isinstance(each, Value):
                    result = ops.binary(self.b, "minimum" if callee is min else "maximum", result, each)
                else:
                    result = callee(result, each)
            return result
        if callee is abs:
            return ops.unary(self.b, "abs", arguments[0])
        if callee in (float, int, bool):
            kind = {float: raw.CUC_F32, int: raw.CUC_I32, bool: raw.CUC_BOOL}[callee]
            if callee is int and arguments[0].loose:
                return arguments[0]
            return ops.astype(self.b, arguments[0], kind)
        if callee in (tuple, list, len, range, zip, enumerate, isinstance, sum, reversed, type):
            return callee(*arguments, **named)
        if callee is divmod:
            return ops.divmod_(self.b, *arguments)
        if callee is pow:
            return ops.binary(self.b, "pow", *arguments)
        name = getattr(callee, "__name__", type(callee).__name__)
        self.refuse(node, f"{name}() cannot be called with a tile")

    def with_function(self, node: ast.AST, arguments: list[Any], named: dict[str, Any]) -> Any:
        """The arguments of reduce() and scan(), whose third is a function of the kernel's."""
        given = dict(zip(("x", "axis", "func", "identity"), arguments)) | named
        func = given.get("func")
        given["func"] = lambda *values: self.call(node, func, list(values), {})
        return [], given
