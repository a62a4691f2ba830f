"""Compiles the syntax tree of a Python function to a tile program.

The compiler executes the function once, symbolically. It evaluates everything that depends only
on constants, tile shapes, dtypes and globals; the rest becomes calls of the tile builder. A
condition that is known at compile time selects one branch, and calls are inlined. A name that a
loop or an if rebinds becomes a builder variable.
"""
from __future__ import annotations

import ast
import contextlib
import sys
import types
from collections.abc import Iterator
from typing import Any

from .. import raw
from ._constant import value_of
from ._expression import Defaults, Expressions, defaults_of
from ._ops import Needed
from ._statement import RESULT, Function
from ._syntax import syntax_of
from ._errors import TileCompilerError
from ._values import Array, Builder, Value, plain


DEEPEST = 200  # nesting limit of inlined calls
FRAMES = 40  # Python stack frames per nested call, at most


class Compiler:
    """Compiles a kernel to a tile program for given kinds of arguments."""

    def __init__(self, forms: dict[Any, Any]) -> None:
        self.builder = Builder()
        self.forms = forms
        self.arrays: list[Array] = []
        self.depth = 0
        self.combining = 0  # nesting depth of the reduction and scan functions being compiled
        self.path: tuple[Any, ...] = ()
        self.visits: dict[tuple[Any, ...], int] = {}
        self.changed = False

    # ---- facts about names, kept from one pass to the next ----

    @contextlib.contextmanager
    def at(self, place: Any) -> Iterator[None]:
        """Enter a syntax node, loop iteration or branch, and extend `path`, which identifies it in
        every pass."""
        above = self.path
        here = (type(place).__name__, getattr(place, "lineno", 0), getattr(place, "col_offset", 0)) \
            if isinstance(place, ast.AST) else place
        key = (*above, here)
        self.visits[key] = self.visits.get(key, 0) + 1
        self.path = (*key, self.visits[key])
        try:
            yield
        finally:
            self.path = above

    def learned(self, end: str, name: str) -> Any:
        """Return the form that an earlier pass recorded for a name at the start or the end of the
        current if or loop; None if it recorded none."""
        return self.forms.get((self.path, end, name))

    def learn(self, end: str, name: str, form: Any) -> None:
        self.forms[self.path, end, name] = form
        self.changed = True

    def inline(self, function: types.FunctionType, node: Any, arguments: list[Any],
               named: dict[str, Any], defaults: Defaults, outside: Expressions | None) -> Any:
        """Inline a function at its call."""
        scope = Function(self, function, node, is_kernel=False, outside=outside)
        scope.names.update(bound(node.args, arguments, named, defaults))
        with self.inside(scope):
            if isinstance(node, ast.Lambda):
                return scope.eval(node.body)
            if scope.run(node.body):
                return None
            return scope.look(ast.Name(RESULT, ast.Load(), lineno=node.lineno, col_offset=node.col_offset))

    @contextlib.contextmanager
    def inside(self, scope: Function) -> Iterator[None]:
        """Make `scope` current while an inlined function's statements are compiled."""
        if self.depth >= DEEPEST:
            raise RecursionError("functions that call themselves cannot be put in")
        b = self.builder
        file, line = b.place
        raw.cuc_tile_enter(b.program, file, line)
        b.places.append((scope.file.encode(), scope.node.lineno))
        self.depth += 1
        try:
            with self.at(scope.node):
                yield
        finally:
            self.depth -= 1
            b.places.pop()
            raw.cuc_tile_leave(b.program)

    def entered(self, function: types.FunctionType, arguments: list[Any], named: dict[str, Any]) -> Function:
        """Bind the parameters of a function without compiling its statements."""
        node = syntax_of(function)
        scope = Function(self, function, node, is_kernel=False)
        scope.names.update(bound(node.args, arguments, named, defaults_of(function)))
        return scope


def bound(parameters: ast.arguments, arguments: list[Any], named: dict[str, Any], defaults: Defaults) -> dict[str, Any]:
    """Bind arguments to parameter names as Python does."""
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
    for name, value in [*zip(reversed(names), reversed(defaults[0])), *defaults[1].items()]:
        result.setdefault(name, value)
    missing = [n for n in names + [a.arg for a in parameters.kwonlyargs] if n not in result]
    if missing:
        raise TypeError(f"no value is given for {', '.join(missing)}")
    return result


def parameter(b: Builder, name: str, kind: tuple[Any, ...], arrays: list[Array]) -> Any:
    """Create the kernel's value for an argument of a kind; `arrays` collects the arrays that a
    launch passes."""
    if kind[0] == "array":
        known = dict(kind[3][0]) if len(kind) > 3 else {}
        extents = ", ".join(str(known.get(axis, f"{name}_{axis}")) for axis in range(kind[2]))
        made = Array(b.call("tensor", name.encode(), kind[1], extents.encode()), kind[1], kind[2],
                     kind[3] if len(kind) > 3 else ((), ()), len(arrays))
        arrays.append(made)
        return made
    if kind[0] == "scalar":
        arrays.append(Array(0, 0, 0))  # reserves a position among the arguments
        return Value(b.call("scalar", name.encode(), kind[1]))
    if kind[0] == "tuple":
        return tuple(parameter(b, f"{name}_of{i}", each, arrays) for i, each in enumerate(kind[1:]))
    return value_of(kind)


def compile_function(function: types.FunctionType, kinds: list[tuple[Any, ...]]) -> tuple[str, tuple[int, ...]]:
    """Return the text of a tile program with one kernel for parameters of these kinds. Also return
    the indices of the arguments that are passed once more at the end, as flat views with one
    axis.

    A kind is ("array", dtype, rank), the same followed by known extents and strides, ("scalar", dtype), ("tuple",
    kinds...), or the kind of a constant.
    """
    node = syntax_of(function)
    if isinstance(node, ast.Lambda):
        raise TileCompilerError("a kernel is a function with a name")
    most = sys.getrecursionlimit()
    sys.setrecursionlimit(max(most, DEEPEST * FRAMES))
    try:
        return settled(function, node, kinds)
    finally:
        sys.setrecursionlimit(most)


def settled(function: types.FunctionType, node: ast.FunctionDef,
            kinds: list[tuple[Any, ...]]) -> tuple[str, tuple[int, ...]]:
    """Implement compile_function(): repeat the compilation until the types of all names are stable."""
    forms: dict[Any, Any] = {}
    flat: list[int] = []
    for _ in range(50):  # each pass refines the forms of names at ifs and loops, outer ones first
        compiler = Compiler(forms)
        try:
            scope = Function(compiler, function, node, is_kernel=True)
            b = compiler.builder
            b.places = [(scope.file.encode(), node.lineno)]
            b.call("kernel_begin", plain(function.__name__).encode())
            names = [a.arg for a in node.args.posonlyargs + node.args.args]
            arrays = compiler.arrays
            for name, kind in zip(names, kinds):
                scope.names[name] = parameter(b, plain(name), kind, arrays)
            for number in flat:
                name, dtype = f"memory_of_{number}", arrays[number].dtype
                arrays[number].flat = Array(b.call("tensor", name.encode(), dtype, f"{name}_0".encode()), dtype, 1)
            try:
                scope.run(node.body)
            except Needed as needed:
                flat.append(needed.number)
                continue
            except TileCompilerError:
                # Not final yet: a name may have a wrong type in this pass only.
                if not compiler.changed:
                    raise
                continue
            if compiler.changed:
                continue
            b.call("kernel_end")
            return b.finish(), tuple(flat)
        finally:
            compiler.builder.close()
    raise TileCompilerError(f"{scope.file}:{node.lineno}: the types of what ifs bind do not settle")
