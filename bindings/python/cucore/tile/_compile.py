"""From the syntax tree of a Python function to a tile program.

The function is gone through once, as Python would run it. What Python can compute there and then,
from constants, shapes of tiles, dtypes and globals, it does; the rest becomes calls of the tile
builder. A condition that is known takes one arm; functions that are called are put in. A name that
a loop or an if gives another value becomes a variable of the builder.
"""
from __future__ import annotations

import ast
import builtins
import inspect
import operator
import textwrap
import types
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from .. import raw
from . import _ops as ops
from ._values import (Array, Builder, DType, TileCompilerError, TileSyntaxError, Value, Variable, View)

_BINARY = {
    ast.Add: ("add", operator.add), ast.Sub: ("sub", operator.sub), ast.Mult: ("mul", operator.mul),
    ast.Div: ("div", operator.truediv), ast.FloorDiv: ("floordiv", operator.floordiv),
    ast.Mod: ("mod", operator.mod), ast.Pow: ("pow", operator.pow),
    ast.BitAnd: ("bitand", operator.and_), ast.BitOr: ("bitor", operator.or_),
    ast.BitXor: ("bitxor", operator.xor), ast.LShift: ("shl", operator.lshift),
    ast.RShift: ("shr", operator.rshift), ast.MatMult: ("matmul", operator.matmul),
}
_COMPARE = {
    ast.Eq: ("eq", operator.eq), ast.NotEq: ("ne", operator.ne), ast.Lt: ("lt", operator.lt),
    ast.LtE: ("le", operator.le), ast.Gt: ("gt", operator.gt), ast.GtE: ("ge", operator.ge),
}
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


class _Return(Exception):
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


def syntax_of(function: types.FunctionType) -> ast.FunctionDef | ast.Lambda:
    """The tree of a function, with the lines of its file."""
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        raise TileCompilerError(f"the source of {function.__name__}() is not there: kernels are "
                                "written in files") from None
    source = textwrap.dedent("".join(lines))
    try:
        tree = ast.parse(source)
    except SyntaxError:  # a lambda in the middle of an expression
        tree = ast.parse(f"({source[source.index('lambda'):].rstrip().rstrip(',)')})")
    ast.increment_lineno(tree, first - 1)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == function.__name__:
            return node
        if isinstance(node, ast.Lambda) and function.__name__ == "<lambda>":
            return node
    raise TileCompilerError(f"the source of {function.__name__}() is not a function")


def stored(nodes: list[ast.stmt]) -> list[str]:
    """Names that statements bind, in the order that they come."""
    found: dict[str, None] = {}
    for node in nodes:
        for each in ast.walk(node):
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                found[each.id] = None
    return list(found)


def loaded(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def read_first(nodes: list[ast.stmt]) -> set[str]:
    """Names that statements may read before they have bound them."""
    reads: set[str] = set()
    bound: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Assign):
            reads |= loaded(node.value) - bound
            for target in node.targets:
                reads |= loaded(target) - bound
                bound |= set(stored([ast.Expr(target)])) if not isinstance(target, ast.Name) \
                    else {target.id}
        elif isinstance(node, ast.AugAssign):
            reads |= (loaded(node.value) | loaded(node.target) | set(stored([node]))) - bound
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            reads |= (loaded(node.value) if node.value else set()) - bound
            bound.add(node.target.id)
        elif isinstance(node, ast.If):
            reads |= loaded(node.test) - bound
            reads |= (read_first(node.body) | read_first(node.orelse)) - bound
            bound |= always(node.body) & always(node.orelse)
        elif isinstance(node, (ast.For, ast.While)):
            head = node.iter if isinstance(node, ast.For) else node.test
            own = set(stored([ast.Expr(node.target)])) if isinstance(node, ast.For) else set()
            reads |= (loaded(head) | (read_first(node.body) - own)) - bound
        else:
            reads |= loaded(node) - bound
    return reads


def always(nodes: list[ast.stmt]) -> set[str]:
    """Names that statements bind whatever happens."""
    bound: set[str] = set()
    for node in nodes:
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.Expr)):
            bound |= set(stored([node]))
        elif isinstance(node, ast.If):
            bound |= always(node.body) & always(node.orelse)
    return bound


class Function:
    """One function while it is gone through: a kernel, or one that is put in."""

    def __init__(self, compiler: Compiler, function: types.FunctionType, node: Any, is_kernel: bool,
                 outside: Function | None = None) -> None:
        self.compiler, self.b = compiler, compiler.builder
        self.function, self.node, self.is_kernel = function, node, is_kernel
        self.outside = outside  # of a function that is written in another
        self.file = inspect.getsourcefile(function) or "<python>"
        self.names: dict[str, Any] = {}
        self.depth = 0  # ifs and loops of the builder that are open
        self.closure: dict[str, Any] = {}
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            try:
                self.closure[name] = cell.cell_contents
            except ValueError:
                pass

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
        scope: Function | None = self
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
            if there.loose:
                made = self.b.typed(made) if made.loose else made
            self.b.call("set", there.handle, made.handle)
        else:
            self.names[name] = value

    def declare(self, name: str, value: Any) -> bool:
        """Make a variable of a name that is bound to a value; whether that can be."""
        if not isinstance(value, (Value, int, float)):
            return False
        made = self.b.value(value)
        loose = made.loose
        if loose:
            made = self.b.typed(made)
        self.names[name] = Variable(self.b.call("declare", name.encode(), made.handle), loose)
        return True

    # ---- statements ----

    def run(self, statements: list[ast.stmt]) -> bool:
        """Go through statements; False when what stands behind them is not reached."""
        for statement in statements:
            self.b.at(statement.lineno)
            handler = getattr(self, f"do_{type(statement).__name__}", None)
            if handler is None:
                self.refuse(statement, f"a kernel has no {type(statement).__name__.lower()}")
            if handler(statement) is False:
                return False
        return True

    def do_Pass(self, node: ast.Pass) -> None:
        pass

    def do_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring
            self.eval(node.value)

    def do_Assign(self, node: ast.Assign) -> None:
        value = self.eval(node.value)
        for target in node.targets:
            self.assign(target, value)

    def do_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.assign(node.target, self.eval(node.value))

    def do_AugAssign(self, node: ast.AugAssign) -> None:
        if not isinstance(node.target, ast.Name):
            self.refuse(node, "only a name can be assigned to")
        now = self.look(ast.Name(node.target.id, ast.Load(), lineno=node.lineno, col_offset=node.col_offset))
        self.bind(node.target.id, self.binary(node, type(node.op), now, self.eval(node.value)), node)

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

    def do_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.names[node.name] = _Nested(self, node)

    def do_Return(self, node: ast.Return) -> bool:
        if self.is_kernel:
            if node.value is not None and not (isinstance(node.value, ast.Constant) and
                                               node.value.value is None):
                self.refuse(node, "a kernel returns nothing")
            self.b.call("return")
            return False
        if self.depth:
            self.refuse(node, "a function that is put in returns at its end, or where a condition is "
                              "known when the kernel is compiled")
        raise _Return(self.eval(node.value) if node.value is not None else None)

    def do_Break(self, node: ast.Break) -> bool:
        self.b.call("break")
        return False

    def do_Continue(self, node: ast.Continue) -> bool:
        if self.steps and self.steps[-1]:
            self.steps[-1]()
        self.b.call("continue")
        return False

    def do_Assert(self, node: ast.Assert) -> None:
        said = self.eval(node.msg) if node.msg is not None else ""
        condition = self.eval(node.test)
        if isinstance(condition, Value):
            ops.assert_(self.b, condition, said)
        elif not condition:
            self.refuse(node, str(said) or "the assertion does not hold")

    def do_With(self, node: ast.With) -> bool:
        self.refuse(node, "a kernel has no with")

    # ---- if ----

    def do_If(self, node: ast.If) -> bool:
        condition = self.eval(node.test)
        if not isinstance(condition, Value):
            return self.run(node.body if condition else node.orelse)
        # Names that are bound already go on as variables; those that both arms bind, too, and their
        # types are known from the first time that this was gone through.
        key = self.compiler.next_if()
        types_known = self.compiler.types.setdefault(key, {})
        outer = {name: self.names[name] for name in stored(node.body + node.orelse) if name in self.names}
        for name, value in outer.items():
            if not isinstance(value, Variable):
                self.declare(name, value)
        fresh = [n for n in stored(node.body) if n in set(stored(node.orelse)) and n not in outer]
        for name in fresh:
            if name in types_known:
                kind, shape, loose = types_known[name]
                zero = Value(self.b.call("zeros", kind, *self.b.integers(shape)))
                self.names[name] = Variable(self.b.call("declare", name.encode(), zero.handle), loose)
        before = dict(self.names)
        self.b.call("if", condition.handle)
        self.depth += 1
        ends = []
        for turn, arm in enumerate((node.body, node.orelse)):
            if turn and arm:
                self.b.call("else")
            self.names = dict(before)
            ends.append(self.run(arm) if arm else True)
            for name in fresh:
                if name not in types_known and ends[-1]:
                    self.compiler.learn(key, name, self.names.get(name))
        self.depth -= 1
        self.names = before
        self.b.call("end")
        return any(ends)

    # ---- loops ----

    steps: list[Any]

    def carried(self, node: ast.For | ast.While, own: set[str]) -> list[str]:
        """Names of outside that a loop changes and that are read again."""
        again = read_first(node.body) | self.read_after(node)
        if isinstance(node, ast.While):
            again |= loaded(node.test)
        return [n for n in stored(node.body) if n in self.names and n in again and n not in own]

    def read_after(self, node: ast.AST) -> set[str]:
        """Names that are read behind a loop, or before it in a loop around it."""
        inside = set(map(id, ast.walk(node)))
        body = self.node.body if isinstance(self.node.body, list) else [self.node.body]
        found: set[str] = set()
        for statement in body:
            for each in ast.walk(statement):
                if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load) and id(each) not in inside:
                    found.add(each.id)
                elif isinstance(each, ast.AugAssign) and id(each) not in inside and \
                        isinstance(each.target, ast.Name):
                    found.add(each.target.id)
        return found

    def do_For(self, node: ast.For) -> None:
        if node.orelse:
            self.refuse(node, "a loop has no else")
        bounds = self.range_of(node.iter)
        if bounds is None:
            return self.unroll(node, self.eval(node.iter))
        if not isinstance(node.target, ast.Name):
            self.refuse(node.target, "expected a name for the number of the turn")
        first, last, step = bounds
        self.open_loop(node, {node.target.id})
        hidden = self.names.get(node.target.id)
        if isinstance(step, int) and not isinstance(step, bool) and step > 0:
            turn = self.b.call("for", self.b.value(first).handle, self.b.value(last).handle, step)
            self.names[node.target.id] = Value(turn, loose=True)
            self.steps.append(None)
        elif isinstance(step, Value):
            counter = self.b.call("declare", node.target.id.encode(),
                                  self.b.cast(self.b.value(first), raw.CUC_I64).handle)
            self.b.call("loop")
            now = Value(self.b.call("get", counter), loose=True)
            self.b.call("while", ops.binary(self.b, "lt", now, last).handle)
            self.names[node.target.id] = now

            def advance() -> None:
                here = Value(self.b.call("get", counter), loose=True)
                self.b.call("set", counter,
                            ops.binary(self.b, "add", here, self.b.cast(step, raw.CUC_I64)).handle)

            self.steps.append(advance)
        else:
            self.refuse(node.iter, f"the step of a range is {step}: expected 1 or more")
        self.close_loop(node, hidden, node.target.id)

    def do_While(self, node: ast.While) -> None:
        if node.orelse:
            self.refuse(node, "a loop has no else")
        self.open_loop(node, set())
        self.b.call("loop")
        condition = self.eval(node.test)
        if isinstance(condition, Value):
            self.b.call("while", condition.handle)
        elif not condition:
            self.b.call("break")
        self.steps.append(None)
        self.close_loop(node, None, None)

    def open_loop(self, node: ast.For | ast.While, own: set[str]) -> None:
        for name in self.carried(node, own):
            value = self.names[name]
            if not isinstance(value, Variable) and not self.declare(name, value):
                continue
        self.depth += 1

    def close_loop(self, node: ast.For | ast.While, hidden: Any, own: str | None) -> None:
        before = dict(self.names)
        if self.run(node.body) and self.steps[-1]:
            self.steps[-1]()
        self.steps.pop()
        self.depth -= 1
        self.names = before
        if own is not None:
            del self.names[own]
            if hidden is not None:
                self.names[own] = hidden
        self.b.call("end")

    def unroll(self, node: ast.For, values: Any) -> None:
        if isinstance(values, (Value, Array, View)):
            self.refuse(node.iter, "a loop goes over range(), or over what is known when the kernel is "
                                   "compiled")
        for value in values:
            self.assign(node.target, value)
            if not self.run(node.body):
                self.refuse(node, "a loop that is unrolled has no break and no continue")

    def range_of(self, node: ast.expr) -> tuple[Any, Any, Any] | None:
        """The bounds, where it is a call of range()."""
        if not isinstance(node, ast.Call) or node.keywords or self.eval(node.func) is not range:
            return None
        given = [self.eval(a) for a in node.args]
        if not 1 <= len(given) <= 3:
            self.refuse(node, "range() takes 1 to 3 numbers")
        if len(given) == 1:
            return 0, given[0], 1
        return given[0], given[1], given[2] if len(given) == 3 else 1

    # ---- expressions ----

    def eval(self, node: ast.expr) -> Any:
        handler = getattr(self, f"of_{type(node).__name__}", None)
        if handler is None:
            self.refuse(node, f"a kernel has no {type(node).__name__.lower()}")
        try:
            return handler(node)
        except (TileSyntaxError, _Return):
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
        return _Nested(self, node)

    def of_JoinedStr(self, node: ast.JoinedStr) -> Any:
        return tuple(self.eval(v.value) if isinstance(v, ast.FormattedValue) else self.eval(v)
                     for v in node.values)

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
            return {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert,
                    ast.Not: operator.not_}[type(node.op)](x)
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
                part = {ast.Is: lambda a, b: a is b, ast.IsNot: lambda a, b: a is not b,
                        ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b}[type(kind)](left, right)
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
        if isinstance(value, (Array, View)):
            self.refuse(node, "an array is read by ct.load() and ct.gather()")
        if isinstance(node.slice, ast.Slice):
            part = slice(*(self.eval(e) if e is not None else None
                           for e in (node.slice.lower, node.slice.upper, node.slice.step)))
            return value[part]
        index = self.eval(node.slice)
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
        if isinstance(value, Array):
            if name == "shape":
                return _Shape(ops.extent(self.b, value, axis) for axis in range(value.rank))
            if name == "strides":
                return tuple(Value(self.b.call("stride", value.handle, axis), loose=True)
                             for axis in range(value.rank))
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
            if callee.name == "print":
                arguments = [p for a in arguments for p in (a if isinstance(a, tuple) else (a,))]
            if callee.name in ("reduce", "scan"):
                arguments, named = self.with_function(node, arguments, named)
            return ops.OPS[callee.name](self.b, *arguments, **named)
        if isinstance(callee, _Method):
            return callee.function(self.b, callee.receiver, *arguments, **named)
        if isinstance(callee, DType):
            return self.b.cast(self.b.value(arguments[0]), callee.number)
        if isinstance(callee, _Nested):
            return self.compiler.inline(callee.outside.function, callee.node, arguments, named,
                                        callee.outside)
        if hasattr(callee, "__cucore_tile_function__"):
            callee = callee.__cucore_tile_function__
        if isinstance(callee, types.FunctionType) and not _is_librarys(callee):
            return self.compiler.inline(callee, syntax_of(callee), arguments, named, None)
        if not any(isinstance(a, (Value, Array, View)) for a in (*arguments, *named.values())):
            if callee is builtins.print:
                return ops.print_(self.b, *arguments, **named)
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
        if callee is builtins.print:
            flat = [p for a in arguments for p in (a if isinstance(a, tuple) else (a,))]
            return ops.print_(self.b, *flat, **named)
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


class _Nested:
    """A function or lambda that is written in a kernel."""

    __slots__ = ("outside", "node")

    def __init__(self, outside: Function, node: Any) -> None:
        self.outside, self.node = outside, node


def _is_librarys(function: types.FunctionType) -> bool:
    """Whether a function is Python's or NumPy's own, to be called and not to be put in."""
    module = (function.__module__ or "").partition(".")[0]
    return module in ("math", "numpy", "operator", "functools", "itertools", "typing", "builtins")


class Compiler:
    """Makes the tile program of a kernel, for arguments of certain kinds."""

    def __init__(self, types_known: dict[int, dict[str, Any]]) -> None:
        self.builder = Builder()
        self.types = types_known
        self.ifs = 0
        self.learned = False
        self.depth = 0

    def next_if(self) -> int:
        self.ifs += 1
        return self.ifs

    def learn(self, key: int, name: str, value: Any) -> None:
        """Remember the type of a name that both arms of an if bind first."""
        if isinstance(value, bool) or not isinstance(value, (Value, int, float)):
            if isinstance(value, bool):
                self.types[key][name] = (raw.CUC_BOOL, (), False)
                self.learned = True
            return
        made = self.builder.value(value)
        if made.loose:
            kind: Any = (raw.CUC_I64, (), True)
        else:
            kind = (self.builder.dtype(made) or raw.CUC_F32, self.builder.shape(made), False)
        if name not in self.types[key]:
            self.types[key][name] = kind
            self.learned = True

    def inline(self, function: types.FunctionType, node: Any, arguments: list[Any],
               named: dict[str, Any], outside: Function | None) -> Any:
        """Put a function in where it is called."""
        if self.depth >= 60:
            raise RecursionError("functions that call themselves cannot be put in")
        scope = Function(self, function, node, is_kernel=False, outside=outside)
        scope.steps = []
        scope.names.update(bound(scope, node.args, arguments, named))
        b = self.builder
        file, line = b.place
        raw.cuc_tile_enter(b.program, file, line)
        b.places.append((scope.file.encode(), node.lineno))
        self.depth += 1
        result = None
        try:
            if isinstance(node, ast.Lambda):
                result = scope.eval(node.body)
            else:
                scope.run(node.body)
        except _Return as returned:
            result = returned.value
        finally:
            self.depth -= 1
            b.places.pop()
            raw.cuc_tile_leave(b.program)
        return result


def bound(scope: Function, parameters: ast.arguments, arguments: list[Any],
          named: dict[str, Any]) -> dict[str, Any]:
    """Names of parameters and their values, as Python binds them."""
    names = [a.arg for a in parameters.posonlyargs + parameters.args]
    result = dict(zip(names, arguments))
    rest = arguments[len(names):]
    if parameters.vararg:
        result[parameters.vararg.arg] = tuple(rest)
    elif rest:
        raise TypeError(f"the function takes {len(names)} arguments, {len(arguments)} were given")
    more = {}
    for name, value in named.items():
        if name in names + [a.arg for a in parameters.kwonlyargs]:
            if name in result:
                raise TypeError(f"{name} is given twice")
            result[name] = value
        else:
            more[name] = value
    if parameters.kwarg:
        result[parameters.kwarg.arg] = more
    elif more:
        raise TypeError(f"the function has no parameter {next(iter(more))}")
    for name, node in zip(reversed(names), reversed(parameters.defaults)):
        if name not in result:
            result[name] = scope.eval(node)
    for parameter, default in zip(parameters.kwonlyargs, parameters.kw_defaults):
        if parameter.arg not in result and default is not None:
            result[parameter.arg] = scope.eval(default)
    missing = [n for n in names + [a.arg for a in parameters.kwonlyargs] if n not in result]
    if missing:
        raise TypeError(f"no value is given for {', '.join(missing)}")
    return result


def compile_function(function: types.FunctionType, kinds: list[tuple[Any, ...]]) -> str:
    """The text of a tile program: a kernel for parameters of these kinds.

    A kind is ("array", dtype, rank), ("scalar", dtype) or ("constant", value).
    """
    node = syntax_of(function)
    types_known: dict[int, dict[str, Any]] = {}
    for _ in range(20):  # each turn learns the types of what ifs bind first, the outer ones first
        compiler = Compiler(types_known)
        try:
            scope = Function(compiler, function, node, is_kernel=True)
            scope.steps = []
            b = compiler.builder
            b.places = [(scope.file.encode(), node.lineno)]
            b.call("kernel_begin", function.__name__.encode())
            names = [a.arg for a in node.args.posonlyargs + node.args.args]
            for name, kind in zip(names, kinds):
                if kind[0] == "array":
                    extents = ", ".join(f"{name}_{axis}" for axis in range(kind[2]))
                    handle = b.call("tensor", name.encode(), kind[1], extents.encode())
                    scope.names[name] = Array(handle, kind[1], kind[2])
                elif kind[0] == "scalar":
                    scope.names[name] = Value(b.call("scalar", name.encode(), kind[1]))
                else:
                    scope.names[name] = kind[1]
            try:
                scope.run(node.body)
            except TileSyntaxError:
                # A name that both arms of an if bind may be missing only for now.
                if not compiler.learned:
                    raise
                continue
            if compiler.learned:
                continue
            b.call("kernel_end")
            return b.finish()
        finally:
            compiler.builder.close()
    raise TileCompilerError(f"{scope.file}:{node.lineno}: the types of what ifs bind do not settle")
