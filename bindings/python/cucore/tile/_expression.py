"""Expressions in kernels: evaluated in Python if all operands are known, otherwise built for run
time."""
from __future__ import annotations

import ast
import builtins
import dataclasses
import functools
import inspect
import itertools
import operator
import types
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from .. import raw
from . import _ops as ops
from . import _text
from ._context import Generator, is_manager
from ._docs import TEXTS
from ._errors import (
    CAUGHT,
    StaticException,
    TileCompilerError,
    TileStaticAssertionError,
    TileStaticEvalError,
    TileSyntaxError,
    TileTypeError,
    TileValueError,
    of_python,
)
from ._join import UNDEFINED, Differs
from ._promote import of_number
from ._syntax import syntax_of
from ._trees import children, is_tree, leaves, mapped
from ._values import (
    Array,
    Builder,
    Chosen,
    DType,
    Memory,
    Text,
    Value,
    View,
    is_number,
    named,
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
_OPERATORS = {python: kind for kind, (_, python) in _BINARY.items()}  # functions of the operator module
_COMPARE: dict[Any, tuple[str, Any]] = {
    ast.Eq: ("eq", operator.eq), ast.NotEq: ("ne", operator.ne), ast.Lt: ("lt", operator.lt),
    ast.LtE: ("le", operator.le), ast.Gt: ("gt", operator.gt), ast.GtE: ("ge", operator.ge),
}
_UNARY: dict[Any, Any] = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert,
                          ast.Not: operator.not_}
_OF_PYTHON: dict[Any, Any] = {ast.Is: operator.is_, ast.IsNot: operator.is_not,
                              ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b}
_CONVERSIONS: dict[str, Callable[[Any], str]] = {"r": repr, "s": str, "a": ascii}
_METHODS: dict[Any, str] = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv",
            ast.Mod: "mod", ast.Pow: "pow", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
            ast.LShift: "lshift", ast.RShift: "rshift", ast.MatMult: "matmul"}

# Size limits of constants computed in kernels, so that a small source cannot take hours or use up
# all memory.
MOST_BITS, MOST_ELEMENTS = 1 << 16, 1 << 16


def _is_too_large(kind: type, x: Any, y: Any) -> bool:
    """Return whether the result for two constants exceeds the limits of a kernel constant."""
    if kind is ast.Mult:
        for these, times in ((x, y), (y, x)):
            if isinstance(these, (str, bytes, list, tuple)) and isinstance(times, int):
                return len(these) * times > MOST_ELEMENTS
    if not isinstance(x, int) or not isinstance(y, int):
        return False
    if kind is ast.Mult:
        return x.bit_length() + y.bit_length() > MOST_BITS
    if kind is ast.Pow:
        return (x.bit_length() - 1) * y > MOST_BITS
    return kind is ast.LShift and x != 0 and x.bit_length() + y > MOST_BITS


def _is_cheap(node: ast.expr) -> bool:
    """Return whether an expression is plain arithmetic, without calls, memory accesses or name
    bindings."""
    return not any(isinstance(each, (ast.Call, ast.NamedExpr, ast.Subscript)) for each in ast.walk(node))


EFFECTS = frozenset(name for name in ops.OPS if name.startswith(("load", "store", "atomic_")) or
                    name in ("gather", "scatter", "print", "printf", "assert_"))
STATIC = frozenset(("static_eval", "static_iter", "static_assert", "static_exception"))


class Op:
    """A `cucore.tile` operation for use in kernels. Calling it elsewhere is an error."""

    def __init__(self, name: str, host: Callable[..., Any] | None = None) -> None:
        self.name, self.host = name, host
        self.__name__, self.__doc__ = name, TEXTS[name]
        parameters = list(inspect.signature(ops.OPS[name]).parameters.values())[1:]  # omit the builder
        self.__signature__ = inspect.Signature(
            [each.replace(annotation=inspect.Parameter.empty) for each in parameters])

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        if self.host is not None:
            return self.host(*arguments, **named)
        scope = next((each._scope for each in (*arguments, *named.values()) if hasattr(each, "_scope")), None)
        if scope is not None:  # within static_eval()
            from ._host import called
            return called(scope, self, arguments, named)
        raise RuntimeError(f"ct.{self.name}() is for kernels: it is called in a function with "
                           "@ct.kernel, which ct.launch() runs")

    def __repr__(self) -> str:
        return f"<ct.{self.name}>"


class _Method:
    """A bound method such as `x.astype`."""

    __slots__ = ("function", "receiver")

    def __init__(self, function: Callable[..., Any], receiver: Any) -> None:
        self.function, self.receiver = function, receiver


class _Shape(tuple):  # type: ignore[type-arg]
    """The shape of an array, whose extents are known only at launch."""

    __slots__ = ()


Defaults = tuple[tuple[Any, ...], dict[str, Any]]  # positional and keyword-only defaults


def defaults_of(function: types.FunctionType) -> Defaults:
    return function.__defaults__ or (), function.__kwdefaults__ or {}


class Nested:
    """A function or lambda defined in a kernel. It looks callable, so that functools.partial
    accepts it."""

    __slots__ = ("outside", "node", "defaults")

    def __init__(self, outside: Expressions, node: Any, defaults: Defaults) -> None:
        self.outside, self.node, self.defaults = outside, node, defaults

    def __call__(self, *_arguments: Any, **_named: Any) -> Any:
        raise TypeError("a function that is written in a kernel is called by kernels alone")


def _is_librarys(function: types.FunctionType) -> bool:
    """Return whether a function belongs to Python or NumPy, so that it must be called rather than
    inlined."""
    module = (function.__module__ or "").partition(".")[0]
    return module in ("math", "numpy", "operator", "functools", "itertools", "typing", "builtins", "dataclasses")


@functools.lru_cache(maxsize=256)
def _plain_dataclass(kind: type) -> None:
    """Return whether a dataclass's objects consist only of the given fields, so that loops and ifs
    can decompose them."""
    of: Any = kind
    init = getattr(kind, "__init__", None)
    written = isinstance(init, types.FunctionType) and init.__code__.co_filename != "<string>"
    wrong = "is not frozen" if not of.__dataclass_params__.frozen else \
        "derives from a dataclass and is none" if "__dataclass_fields__" not in vars(kind) else \
        "has an __init__() of its own" if written else \
        "has a __new__() of its own" if isinstance(vars(kind).get("__new__"), staticmethod) else ""
    for field in dataclasses.fields(of):
        if not field.init:
            wrong = wrong or f"keeps {field.name} out of its __init__()"
        if field.default_factory is not dataclasses.MISSING:
            wrong = wrong or f"has a default_factory for {field.name}"
    if wrong:
        raise TypeError(f"{kind.__name__} {wrong}: a kernel makes frozen dataclasses of their fields alone")


def _of_fields(kind: type, arguments: list[Any], named: dict[str, Any]) -> Any:
    """Create a dataclass object without running its __post_init__()."""
    given = inspect.signature(kind).bind(*arguments, **named)
    given.apply_defaults()
    names = {each.name for each in dataclasses.fields(kind)}  # type: ignore[arg-type]
    if names != {*given.arguments}:
        raise TypeError(f"{kind.__name__} has an InitVar: a kernel makes frozen dataclasses of their fields alone")
    made: Any = object.__new__(kind)
    for name, value in given.arguments.items():
        object.__setattr__(made, name, value)
    return made


class Expressions:
    """The scope of a function being compiled; evaluates its expressions."""

    compiler: Compiler
    b: Builder
    function: Any  # the Python function
    outside: Expressions | None  # for a nested function: the enclosing scope
    file: str
    node: Any
    names: dict[str, Any]
    closure: dict[str, Any]
    local: frozenset[str]  # names that the function's statements bind, which shadow outer names
    UNDEFINED = UNDEFINED

    # ---- errors ----

    def refuse(self, node: ast.AST, message: str, kind: type[TileCompilerError] = TileSyntaxError) -> NoReturn:
        line = getattr(node, "lineno", self.b.place[1])
        column = getattr(node, "col_offset", 0) + 1
        text = None
        try:
            text = inspect.getsourcelines(inspect.getmodule(self.function) or self.function)[0][line - 1]
        except (OSError, TypeError, IndexError):
            pass
        raise kind(message, (self.file, line, column, text))

    # ---- names ----

    def find(self, name: str) -> Any:
        """Look up a name; UNDEFINED if it has no value."""
        scope: Expressions | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            if name in scope.closure:
                return scope.closure[name]
            if name in scope.local:
                return UNDEFINED
            scope = scope.outside
        module = self.function.__globals__
        return module[name] if name in module else getattr(builtins, name, UNDEFINED)

    def look(self, node: ast.Name) -> Any:
        found = self.find(node.id)
        for leaf in leaves(found) if is_tree(found) else (found,):
            if isinstance(leaf, Differs):
                self.refuse(node, leaf.reason.format(name=node.id), TileSyntaxError if leaf is UNDEFINED else TileTypeError)
        return found

    def assign(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self.names[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            if not isinstance(value, (tuple, list, _Shape)):
                self.refuse(target, "expected as many values as names")
            if len(value) != len(target.elts):
                self.refuse(target, f"{len(value)} values for {len(target.elts)} names", TileValueError)
            for each, part in zip(target.elts, value):
                self.assign(each, part)
        elif isinstance(target, ast.Subscript) and dataclasses.is_dataclass(of := self.eval(target.value)) and \
                isinstance(put := getattr(type(of), "__setitem__", None), types.FunctionType):
            self.call(target, put, [of, self.eval(target.slice), value], {})
        else:
            self.refuse(target, "only a name can be assigned to: tiles and tuples do not change, "
                                "and arrays are stored to by ct.store()", TileTypeError)

    # ---- expressions ----

    def eval(self, node: ast.expr) -> Any:
        handler = getattr(self, f"of_{type(node).__name__}", None)
        if handler is None:
            self.refuse(node, f"a kernel has no {type(node).__name__.lower()}")
        try:
            return handler(node)
        except TileCompilerError:
            raise
        except CAUGHT as error:
            self.refuse(node, str(error) or type(error).__name__, of_python(error))

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
        return self.nested(node)

    def nested(self, node: Any) -> Nested:
        """Create a nested function with the current values of its defaults."""
        by_name = {each.arg: self.eval(default) for each, default in zip(node.args.kwonlyargs, node.args.kw_defaults)
                   if default is not None}
        return Nested(self, node, (tuple(self.eval(each) for each in node.args.defaults), by_name))

    def of_JoinedStr(self, node: ast.JoinedStr) -> Any:
        return _text.joined(*(self.formatted(v) if isinstance(v, ast.FormattedValue) else self.eval(v)
                              for v in node.values))

    def formatted(self, node: ast.FormattedValue) -> Any:
        """Evaluate a replacement field of an f-string."""
        value = self.eval(node.value)
        spec: Any = self.eval(node.format_spec) if node.format_spec else ""
        if _text.has_values(value) and (node.conversion >= 0 or isinstance(node.format_spec, ast.JoinedStr) and
                                        not all(isinstance(each, ast.Constant) for each in node.format_spec.values)):
            self.refuse(node, "the format of a number or tile of the kernel is written out, without !r, !s, !a or braces")
        if node.conversion >= 0:
            value = _CONVERSIONS[chr(node.conversion)](value)
        return _text.formatted(self, value, spec)

    def within(self, node: ast.expr) -> Expressions:
        """Create an inner scope for the names that a comprehension binds."""
        raise NotImplementedError

    def comprehension(self, node: Any) -> Any:
        result: list[Any] = []
        scope = self.within(node)
        taken = itertools.count()

        def turns(generators: list[ast.comprehension], outer: Expressions) -> None:
            if not generators:
                result.append(scope.eval(node.elt))
                return
            of = generators[0]
            for value in outer.eval(of.iter):
                if next(taken) == MOST_ELEMENTS:
                    self.refuse(node, f"a comprehension of more than {MOST_ELEMENTS} iterations", TileValueError)
                scope.assign(of.target, value)
                tests = [scope.truth(test, scope.eval(test)) for test in of.ifs]
                if any(isinstance(test, Value) for test in tests):
                    self.refuse(node, "the condition of a comprehension is not known when the kernel is compiled",
                                TileTypeError)
                if all(tests):
                    turns(generators[1:], scope)

        turns(node.generators, self)
        return tuple(result)

    of_ListComp = comprehension
    of_GeneratorExp = comprehension

    def binary(self, node: ast.AST, kind: type, x: Any, y: Any) -> Any:
        name, python = _BINARY[kind]
        if isinstance(x, Text) or isinstance(y, Text):
            if kind is ast.Add and all(isinstance(each, (str, Text)) for each in (x, y)):
                return _text.joined(x, y)
            self.refuse(node, "texts with values in them are put together by +", TileTypeError)
        if isinstance(x, Value) or isinstance(y, Value):
            if name == "matmul":
                return ops.matmul(self.b, x, y)
            if not is_tree(x) and not is_tree(y):
                return ops.binary(self.b, name, x, y)
        for own, other, method in ((x, y, f"__{_METHODS[kind]}__"), (y, x, f"__r{_METHODS[kind]}__")):
            if dataclasses.is_dataclass(own) and isinstance(getattr(type(own), method, None), types.FunctionType):
                return self.call(node, getattr(own, method), [other], {})
        if _is_too_large(kind, x, y):
            self.refuse(node, f"a constant of more than {MOST_BITS} bits, or {MOST_ELEMENTS} elements", TileValueError)
        return python(x, y)

    def of_BinOp(self, node: ast.BinOp) -> Any:
        x, y = self.eval(node.left), self.eval(node.right)
        self.b.at(node.lineno)
        return self.binary(node, type(node.op), x, y)

    def of_UnaryOp(self, node: ast.UnaryOp) -> Any:
        x = self.eval(node.operand)
        if not isinstance(x, Value):
            return _UNARY[type(node.op)](x)
        if isinstance(node.op, ast.Not):
            return ops.unary(self.b, "bitnot", x if self.b.dtype(x) == raw.CUC_BOOL else ops.binary(self.b, "ne", x, 0))
        if isinstance(node.op, ast.UAdd):
            return x
        return ops.unary(self.b, "neg" if isinstance(node.op, ast.USub) else "bitnot", x)

    def truth(self, node: ast.AST, value: Any) -> Any:
        """Convert to a condition: a Python bool, or a scalar of the kernel."""
        if not isinstance(value, Value):
            return bool(value)
        if self.b.rank(value):
            self.refuse(node, f"the condition is a tile of {list(self.b.shape(value))}: expected a scalar", TileTypeError)
        return value if self.b.dtype(value) == raw.CUC_BOOL else ops.binary(self.b, "ne", value, 0)

    def of_BoolOp(self, node: ast.BoolOp) -> Any:
        """Follow Python for known values; if there are scalars of the kernel, the result is a bool
        scalar."""
        is_and = isinstance(node.op, ast.And)
        result = self.eval(node.values[0])
        for each in node.values[1:]:
            first = self.truth(node, result)
            if not isinstance(first, Value):
                if first != is_and:
                    return result
                result = self.eval(each)
                continue

            def second(each: ast.expr = each) -> Any:
                return self.truth(each, self.eval(each))

            def known(first: Any = first) -> Any:
                return first

            result = self.either(node, first, second if is_and else known, known if is_and else second, _is_cheap(each))
        return result if not isinstance(result, Value) else self.truth(node, result)

    def of_Compare(self, node: ast.Compare) -> Any:
        left, result = self.eval(node.left), None
        for kind, right_node in zip(node.ops, node.comparators):
            right = self.eval(right_node)
            part = self.compared(node, type(kind), left, right)
            if result is None:
                result = part
            elif isinstance(result, Value) and isinstance(part, Value):
                result = ops.binary(self.b, "bitand", result, part)
            else:
                result = part if not isinstance(result, Value) and result else result if part else False
            left = right
        return result

    def compared(self, node: ast.AST, kind: type, x: Any, y: Any) -> Any:
        """Evaluate one comparison. Tuples that contain tiles are compared element by element."""
        if kind in (ast.Is, ast.IsNot):
            if x is not None and y is not None and any(
                    isinstance(leaf, (Value, Array, Chosen, View, Memory)) for each in (x, y) for leaf in leaves(each)):
                self.refuse(node, f"a tile or array has no identity: {'is' if kind is ast.Is else 'is not'} compares it "
                                  "only with None. Write == or !=", TileTypeError)
            return _OF_PYTHON[kind](x, y)
        if isinstance(x, tuple) and isinstance(y, tuple) and kind in _COMPARE and kind not in (ast.Eq, ast.NotEq):
            self.refuse(node, "tuples are compared by == and !=", TileTypeError)
        if not any(isinstance(leaf, (Value, Array, Chosen, View) if is_tree(each) else Value)
                   for each in (x, y) for leaf in leaves(each)):
            return _COMPARE[kind][1](x, y) if kind in _COMPARE else _OF_PYTHON[kind](x, y)
        if kind in (ast.In, ast.NotIn) and is_tree(y):
            differ: list[Any] = []
            for _, each in children(y):
                differ.append(self.inverted(self.scalar_compared(node, x, each)))
                if differ[-1] is False:  # already decided: do not compare the rest
                    break
            absent = self.all_of(differ)
            return absent if kind is ast.NotIn else self.inverted(absent)
        if is_tree(x) or is_tree(y):
            if not is_tree(x) or not is_tree(y) or [k for k, _ in children(x)] != [k for k, _ in children(y)]:
                return kind is ast.NotEq
            equal = self.all_of([self.scalar_compared(node, a, c) for (_, a), (_, c) in zip(children(x), children(y))])
            return equal if kind is ast.Eq else self.inverted(equal)
        if kind not in _COMPARE:
            self.refuse(node, "tiles are compared by == != < <= > >=", TileTypeError)
        if not all(isinstance(each, Value) or is_number(each) or hasattr(each, "dtype") for each in (x, y)) or \
                any(isinstance(each, (Array, Chosen, View)) for each in (x, y)):
            if kind in (ast.Eq, ast.NotEq) and (x is None or y is None or isinstance(x, str) or isinstance(y, str)):
                return kind is ast.NotEq
            self.refuse(node, f"a tile is not compared with {type(y if isinstance(x, Value) else x).__name__}", TileTypeError)
        return ops.binary(self.b, _COMPARE[kind][0], x, y)

    def scalar_compared(self, node: ast.AST, x: Any, y: Any) -> Any:
        """Compare two tuple elements for equality; neither may be a tile with axes."""
        for each in (x, y):
            if isinstance(each, (Array, Chosen, View)) or isinstance(each, Value) and self.b.rank(each):
                self.refuse(node, "tuples of arrays, and of tiles with axes, are not compared", TileTypeError)
        return self.compared(node, ast.Eq, x, y)

    def all_of(self, parts: list[Any]) -> Any:
        """Return whether all parts are true, as a Python bool if known at compile time."""
        result: Any = True
        for part in parts:
            if not isinstance(part, Value):
                if not part:
                    return False
            else:
                result = part if result is True else ops.binary(self.b, "bitand", result, part)
        return result

    def inverted(self, value: Any) -> Any:
        return ops.unary(self.b, "bitnot", value) if isinstance(value, Value) else not value

    def of_IfExp(self, node: ast.IfExp) -> Any:
        condition = self.truth(node.test, self.eval(node.test))
        if not isinstance(condition, Value):
            return self.eval(node.body if condition else node.orelse)
        return self.either(node, condition, lambda: self.eval(node.body), lambda: self.eval(node.orelse),
                           cheap=_is_cheap(node.body) and _is_cheap(node.orelse))

    def either(self, node: ast.expr, condition: Value, then: Callable[[], Any], otherwise: Callable[[], Any],
               cheap: bool) -> Any:
        """Evaluate a conditional expression. Compute only the chosen operand, unless both are
        cheap."""
        raise NotImplementedError

    def of_Subscript(self, node: ast.Subscript) -> Any:
        value = self.eval(node.value)
        if isinstance(value, Value):
            return self.subscript(node, value)
        if isinstance(value, (Array, Chosen, View)):
            self.refuse(node, "an array is read by ct.load() and ct.gather()", TileTypeError)
        if isinstance(node.slice, ast.Slice):
            part = slice(*(self.eval(e) if e is not None else None
                           for e in (node.slice.lower, node.slice.upper, node.slice.step)))
            return value[part]
        index = self.eval(node.slice)
        if isinstance(index, Value) and isinstance(value, (tuple, list)) and value and \
                all(isinstance(each, Array) for each in value):
            return Chosen(tuple(value), index)
        if isinstance(index, Value):
            self.refuse(node, "the index is not known when the kernel is compiled", TileTypeError)
        return value[index]

    def subscript(self, node: ast.Subscript, value: Value) -> Value:
        """Evaluate `x[:, None]`: insert axes of extent 1."""
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        axis, kept = 0, 0
        for part in parts:
            if not isinstance(part, (ast.Slice, ast.Constant)) and self.eval(part) is None:  # np.newaxis
                part = ast.copy_location(ast.Constant(None), part)
            if isinstance(part, ast.Constant) and part.value is None:
                value = Value(self.b.call("expand", value.handle, axis))
            elif isinstance(part, ast.Constant) and part.value is Ellipsis:
                more = self.b.rank(value) - axis - sum(
                    1 for p in parts[parts.index(part) + 1:] if isinstance(p, ast.Slice))
                axis += more - 1
            elif isinstance(part, ast.Slice) and not (part.lower or part.upper or part.step):
                kept += 1
            else:
                self.refuse(node, "a tile is indexed by : and None; ct.extract() takes a part of it", TileTypeError)
            axis += 1
        return value

    def of_Attribute(self, node: ast.Attribute) -> Any:
        return self.attribute(self.eval(node.value), node.attr)

    def dtype_of(self, value: Value) -> DType:
        return named(self.b.kind(value))

    def attribute(self, value: Any, name: str) -> Any:
        if isinstance(value, Value):
            of: dict[str, Callable[[], Any]] = {
                "shape": lambda: self.b.shape(value), "ndim": lambda: self.b.rank(value),
                "dtype": lambda: self.dtype_of(value)}
            methods, what = {each: ops.OPS[each] for each in ops.VALUE_METHODS}, "a tile"
        elif isinstance(value, (Array, Chosen)):
            axes = range(value.rank)
            of = {"shape": lambda: _Shape(ops.extent(self.b, value, axis) for axis in axes),
                  "strides": lambda: tuple(ops.stride(self.b, value, axis) for axis in axes),
                  "ndim": lambda: value.rank,
                  "dtype": lambda: named(value.dtype)}
            methods, what = ops.ARRAY_METHODS, "an array"
        elif isinstance(value, View):
            of = {"tile_shape": lambda: value.shape, "traversal_steps": lambda: value.steps,
                  "dtype": lambda: self.attribute(value.array, "dtype")}
            methods, what = ops.VIEW_METHODS, "a view"
        elif isinstance(value, Memory):
            of = {"dtype": lambda: self.attribute(value.flat, "dtype")}
            methods, what = ops.MEMORY_METHODS, "an array's memory"
        else:
            if is_number(value) and name in ("dtype", "shape", "ndim"):
                return {"dtype": named(of_number(value)), "shape": (), "ndim": 0}[name]
            if dataclasses.is_dataclass(value) and isinstance(getattr(type(value), name, None), property):
                return self.call(self.node, getattr(type(value), name).fget, [value], {})
            return getattr(value, name)
        if name in of:
            return of[name]()
        if name in methods:
            return _Method(methods[name], value)
        raise AttributeError(f"{what} has no {name}")

    # ---- calls ----

    def of_Call(self, node: ast.Call) -> Any:
        callee = self.eval(node.func)
        if isinstance(callee, Op) and callee.name in STATIC:
            return self.static(node, callee.name)
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
        if self.compiler.combining and (isinstance(callee, Op) and callee.name in EFFECTS or callee is builtins.print):
            self.refuse(node, f"{callee.__name__}() reads or writes memory, which a function of ct.reduce() or ct.scan() "
                              "cannot")
        if named and isinstance(callee, (Op, _Method)):
            ops.check_flags(named)
        if isinstance(callee, Op):
            if callee.name in ("reduce", "scan"):
                arguments, named = self.with_function(node, arguments, named)
            elif callee.name == "print":
                arguments = [_text.str_of(self, each) for each in arguments]
            return ops.OPS[callee.name](self.b, *arguments, **named)
        if isinstance(callee, _Method):
            return callee.function(self.b, callee.receiver, *arguments, **named)
        dtype = ops.constructed(callee)
        if dtype is not None:
            if named or len(arguments) > 1:
                raise TypeError(f"{callee} takes one number")
            return ops.typed_scalar(self.b, arguments[0] if arguments else 0, dtype)
        if isinstance(callee, Nested):
            return self.compiler.inline(callee.outside.function, callee.node, arguments, named, callee.defaults,
                                        callee.outside)
        if hasattr(callee, "__cucore_tile_function__"):
            callee = callee.__cucore_tile_function__
        if isinstance(callee, type) and dataclasses.is_dataclass(callee):
            _plain_dataclass(callee)
            after = getattr(callee, "__post_init__", None)
            if isinstance(after, types.FunctionType):
                made = _of_fields(callee, arguments, named)
                self.call(node, after, [made], {})
                return made
        if isinstance(callee, functools.partial):
            return self.call(node, callee.func, [*callee.args, *arguments], {**callee.keywords, **named})
        if isinstance(callee, types.MethodType) and isinstance(callee.__func__, types.FunctionType):
            callee, arguments = callee.__func__, [callee.__self__, *arguments]
        if isinstance(callee, types.FunctionType) and is_manager(callee):
            return Generator(callee.__wrapped__, arguments, named)  # type: ignore[attr-defined]
        if isinstance(callee, types.FunctionType) and not _is_librarys(callee):
            return self.compiler.inline(callee, syntax_of(callee), arguments, named, defaults_of(callee), None)
        if callee is builtins.print:
            return ops.print_(self.b, *(_text.str_of(self, each) for each in arguments), **named)
        if not any(isinstance(a, (Value, Array, Chosen, View, Memory))
                   for each in (*arguments, *named.values()) for a in leaves(each)):
            return callee(*arguments, **named)
        if isinstance(callee, type) and (dataclasses.is_dataclass(callee) or hasattr(callee, "_fields")) or \
                callee in (functools.partial, dataclasses.replace):
            return callee(*arguments, **named)
        if isinstance(callee, types.BuiltinMethodType) and isinstance(callee.__self__, (dict, tuple)):
            return callee(*arguments, **named)
        return self.builtin(node, callee, arguments, named)

    def builtin(self, node: ast.AST, callee: Any, arguments: list[Any], named: dict[str, Any]) -> Any:
        """Evaluate Python's built-in functions on tiles."""
        if callee in (min, max) and not named and len(arguments) > 1:
            result = arguments[0]
            for each in arguments[1:]:
                if isinstance(result, Value) or isinstance(each, Value):
                    result = ops.binary(self.b, "minimum" if callee is min else "maximum", result, each)
                else:
                    result = callee(result, each)
            return result
        if callee in (min, max) and not named and len(arguments) == 1 and isinstance(arguments[0], tuple):
            return self.builtin(node, callee, list(arguments[0]), {})
        if callee is sum and isinstance(arguments[0], (tuple, list)):
            result = arguments[1] if len(arguments) > 1 else named.get("start", 0)
            for each in arguments[0]:
                result = self.binary(node, ast.Add, result, each)
            return result
        if callee in _OPERATORS and not named and len(arguments) == 2:
            return self.binary(node, _OPERATORS[callee], *arguments)
        if callee in (str, repr) and not named and len(arguments) == 1:
            return (_text.str_of if callee is str else _text.repr_of)(self, arguments[0])
        if callee is getattr and not named and len(arguments) == 2:
            return self.attribute(*arguments)
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
        self.refuse(node, f"{name}() cannot be called with a tile", TileTypeError)

    # ---- expressions that Python itself computes ----

    def is_called(self, value: Any) -> bool:
        return isinstance(value, (Nested, _Method))

    def static(self, node: ast.Call, name: str) -> Any:
        from . import _host
        if node.keywords or not 1 <= len(node.args) <= (2 if name == "static_assert" else 1):
            self.refuse(node, f"ct.{name}() takes one expression")
        if name == "static_iter":
            return _host.iterated(self, node.args[0])
        if name == "static_assert":
            if not _host.truth(self, node.args[0]):
                said = _host.run(self, node.args[1]) if len(node.args) > 1 else None
                self.refuse(node, "a static assertion does not hold" if said is None else str(said),
                            TileStaticAssertionError)
            return None
        made = _host.run(self, node.args[0])
        if name == "static_exception":
            if not isinstance(made, BaseException):
                self.refuse(node, "ct.static_exception() takes an exception", TileStaticEvalError)
            try:
                self.refuse(node, f"{type(made).__name__}: {made}", StaticException)
            except StaticException as raised:
                raise raised from made
        made = _host.unwrapped(made)
        if dataclasses.is_dataclass(made) and not isinstance(made, type):
            _plain_dataclass(type(made))
        return made

    def with_function(self, node: ast.AST, arguments: list[Any], named: dict[str, Any]) -> Any:
        """Bind the arguments of reduce() and scan(), whose third argument is a function of the
        kernel."""
        given = dict(zip(("x", "axis", "func", "identity"), arguments)) | named
        func = given.get("func")

        def combine(*values: Value) -> Any:
            self.compiler.combining += 1
            try:
                return self.call(node, func, list(values), {})
            finally:
                self.compiler.combining -= 1

        return [], {**given, "func": combine}
