"""Statements of a kernel: which arm of an if, what a loop carries, where a function ends."""
from __future__ import annotations

import ast
import contextlib
import functools
import inspect
import types
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .. import raw
from . import _ops as ops
from ._errors import TileTypeError
from ._expression import Expressions, Nested, Return
from ._syntax import loaded, read_first, returns, stored, syntax_of
from ._trees import is_tree, leaves, mapped
from ._values import Array, Carried, Chosen, Kind, Value, Variable, View, plain

if TYPE_CHECKING:
    from ._compile import Compiler


RESULT = "$result"  # the name that a function that is put in has its result by


def _carried(leaf: Any) -> bool:
    """Whether a loop or an if can give it another value."""
    return isinstance(leaf, (Value, int, float))


class Function(Expressions):
    """One function while it is gone through: a kernel, or one that is put in."""

    def __init__(self, compiler: Compiler, function: types.FunctionType, node: Any, is_kernel: bool,
                 outside: Expressions | None = None) -> None:
        self.compiler, self.b = compiler, compiler.builder
        self.function, self.node, self.is_kernel = function, node, is_kernel
        self.outside = outside  # of a function that is written in another
        self.file = inspect.getsourcefile(function) or "<python>"
        self.names: dict[str, Any] = {}
        self.depth = 0  # ifs and loops of the builder that are open
        self.loops: list[ast.stmt] = []  # the loops, the outer ones first
        self.steps: list[Any] = []  # what each of them does before its next turn
        self.arms = 0  # of ifs with a return, which have all that follows in them, that are open
        self.gave: bool | None = None  # whether the return that was reached last gave a value
        self.closure: dict[str, Any] = {}
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            try:
                self.closure[name] = cell.cell_contents
            except ValueError:
                pass

    # ---- variables ----

    def declare(self, name: str, value: Any) -> bool:
        """Make a variable of a name that is bound to a value; whether that can be."""
        if isinstance(value, Carried) or not any(map(_carried, leaves(value))):
            return False
        made = mapped(value, lambda leaf: self.variable(name, leaf) if _carried(leaf) else leaf)
        self.names[name] = Carried(made) if is_tree(made) else made
        return True

    def variable(self, name: str, value: Any) -> Variable:
        made = self.b.value(value)
        loose = made.loose
        if loose:
            made = self.b.typed(made)
        handle = self.b.call("declare", plain(name).encode(), made.handle)
        kind = self.b.dtype(made) or (raw.CUC_BOOL if isinstance(value, bool) else raw.CUC_F32)
        return Variable(handle, kind, loose)

    def settle(self, names: list[str]) -> None:
        """Where a loop or an if has ended: its variables are values again."""
        for name in names:
            if name in self.names:
                self.names[name] = self.now(self.names[name])

    # ---- statements ----

    def run(self, statements: list[ast.stmt]) -> bool:
        """Go through statements; False when what stands behind them is not reached."""
        for position, statement in enumerate(statements):
            self.b.at(statement.lineno)
            if isinstance(statement, ast.If) and not self.is_kernel and not self.loops and returns(statement):
                return self.returning(statement, statements[position + 1:])
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

    def do_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.names[node.name] = Nested(self, node)

    def do_Return(self, node: ast.Return) -> bool:
        if self.is_kernel:
            if node.value is not None and not (isinstance(node.value, ast.Constant) and
                                               node.value.value is None):
                self.refuse(node, "a kernel returns nothing")
            self.b.call("return")
            return False
        value = self.eval(node.value) if node.value is not None else None
        if self.depth == 0:
            raise Return(value)
        if self.depth != self.arms:
            self.refuse(node, "a function that is put in does not return out of a loop")
        self.gave = value is not None
        if self.gave:
            self.bind(RESULT, value, node)
        return False

    def returning(self, node: ast.If, rest: list[ast.stmt]) -> bool:
        """An if with a return, of a function that is put in: what follows it is in its arms."""
        condition = self.eval(node.test)
        if not isinstance(condition, Value):
            return self.run((node.body if condition else node.orelse) + rest)
        whole = ast.copy_location(ast.If(node.test, node.body + rest, node.orelse + rest), node)
        whole.end_lineno, whole.end_col_offset = self.node.end_lineno, self.node.end_col_offset
        self.arms += 1
        gave = self.branch(whole, condition, (RESULT,))[1]
        self.arms -= 1
        if len(gave) > 1:
            self.refuse(node, "a function that is put in returns a value in one arm and none in the other")
        self.gave, = gave
        if self.depth == 0:
            if self.gave and RESULT not in self.names:
                self.refuse(node, "what the function returns has no type yet")
            raise Return(self.now(self.names[RESULT]) if self.gave else None)
        return False

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

    def do_Raise(self, node: ast.Raise) -> bool:
        if isinstance(node.exc, ast.Call):
            self.eval(node.exc)  # raises
        self.refuse(node, "a kernel raises nothing but ct.static_exception()")

    def do_With(self, node: ast.With) -> None:
        """Of generators with @contextlib.contextmanager: what is ahead of their yield, the block, and the rest."""
        with contextlib.ExitStack() as stack:
            for item in node.items:
                stack.enter_context(self.managed(item))
            if not self.run(node.body):
                self.refuse(node, "a block of with is not left by return, break or continue")

    @contextlib.contextmanager
    def managed(self, item: ast.withitem) -> Iterator[None]:
        of = item.context_expr
        made = self.eval(of.func) if isinstance(of, ast.Call) else None
        generator: Any = getattr(made, "__wrapped__", None)
        if not isinstance(of, ast.Call) or not inspect.isgeneratorfunction(generator):
            self.refuse(of, "with takes a call of a function with @contextlib.contextmanager")
        given = [self.eval(each) for each in of.args]
        named = {str(each.arg): self.eval(each.value) for each in of.keywords}
        body: Any = syntax_of(generator).body
        at = next((i for i, each in enumerate(body)
                   if isinstance(each, ast.Expr) and isinstance(each.value, ast.Yield)), -1)
        if at < 0:
            self.refuse(of, "a function with @contextlib.contextmanager has one yield, as a statement of its own")
        scope = self.compiler.entered(generator, given, named)
        with self.compiler.inside(scope):
            scope.run(body[:at])
            what = body[at].value.value
            value = scope.eval(what) if what is not None else None
        if item.optional_vars is not None:
            self.assign(item.optional_vars, value)
        yield
        with self.compiler.inside(scope):
            scope.run(body[at + 1:])

    # ---- if ----

    def do_If(self, node: ast.If) -> bool:
        condition = self.eval(node.test)
        if not isinstance(condition, Value):
            return self.run(node.body if condition else node.orelse)
        return self.branch(node, condition)[0]

    def branch(self, node: ast.If, condition: Value, more: tuple[str, ...] = ()) -> tuple[bool, set[bool | None]]:
        """An if of the kernel's; whether what follows is reached, and what `gave` was in its arms. `more`
        are names that both arms bind, though they are not written so."""
        # Names that are bound already go on as variables; those that both arms bind, too, and their
        # types are known from the first time that this was gone through.
        key = self.compiler.next_if()
        types_known = self.compiler.types.setdefault(key, {})
        outer = {name: self.names[name] for name in stored(node.body + node.orelse) if name in self.names}
        needed = self.read_after(node)
        mine = [name for name, value in outer.items()
                if name in needed and not isinstance(value, (Variable, Carried)) and self.declare(name, value)]
        fresh = [n for n in stored(node.body)
                 if n in set(stored(node.orelse)) and n not in outer and n in needed]
        fresh += [n for n in more if n not in self.names]
        for name in fresh:
            if name in types_known:
                made = mapped(types_known[name], functools.partial(self.zero, name))
                self.names[name] = Carried(made) if is_tree(made) else made
        before = dict(self.names)
        self.b.call("if", condition.handle)
        self.depth += 1
        ends, gave = [], set()
        for turn, arm in enumerate((node.body, node.orelse)):
            if turn and arm:
                self.b.call("else")
            self.names = dict(before)
            self.gave = None
            ends.append(self.run(arm) if arm else True)
            gave.add(self.gave if not ends[-1] else False)
            for name in fresh:
                if name not in types_known and (ends[-1] or name in more):
                    self.compiler.learn(key, name, self.names.get(name))
        self.depth -= 1
        self.names = before
        self.b.call("end")
        self.settle(mine + fresh)
        return any(ends), gave

    def zero(self, name: str, leaf: Any) -> Any:
        """A variable of a type that is known, and the value is not."""
        if not isinstance(leaf, Kind):
            return leaf
        zero = Value(self.b.call("zeros", leaf.dtype, *self.b.integers(leaf.shape)))
        return Variable(self.b.call("declare", plain(name).encode(), zero.handle), leaf.dtype, leaf.loose)

    # ---- loops ----

    def carried(self, node: ast.For | ast.While, own: set[str]) -> list[str]:
        """Names of outside that a loop changes and that are read again."""
        again = read_first(node.body) | self.read_after(node)
        if isinstance(node, ast.While):
            again |= loaded(node.test)
        return [n for n in stored(node.body) if n in self.names and n in again and n not in own]

    def read_after(self, node: ast.stmt) -> set[str]:
        """Names that are read behind a loop or an if, or anywhere in a loop around it."""
        inside = set(map(id, ast.walk(node)))
        around = set(map(id, ast.walk(self.loops[0]))) if self.loops else set()
        end = (node.end_lineno or node.lineno, node.end_col_offset or 0)
        found: set[str] = set()
        for each in ast.walk(self.node):
            target = each.target if isinstance(each, ast.AugAssign) else each
            reads = isinstance(each, ast.AugAssign) or \
                isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)
            if reads and isinstance(target, ast.Name) and id(each) not in inside and \
                    (id(each) in around or (target.lineno, target.col_offset) >= end):
                found.add(target.id)
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
        mine = self.open_loop(node, {node.target.id})
        hidden = self.names.get(node.target.id)
        if isinstance(step, int) and not isinstance(step, bool) and step > 0:
            turn = self.b.call("for", self.b.value(first).handle, self.b.value(last).handle, step)
            self.names[node.target.id] = Value(turn, loose=True)
            self.steps.append(None)
        elif isinstance(step, Value):
            # Of a step below 1 there is no turn, as with Python's range() upwards; to ask once costs no turn.
            last = ops.where(self.b, ops.binary(self.b, "gt", step, 0), last, first)
            counter = self.b.call("declare", plain(node.target.id).encode(),
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
            self.refuse(node.iter, f"the step of a range is {step}: expected 1 or more", TileTypeError)
        self.close_loop(node, mine, hidden, node.target.id)

    def do_While(self, node: ast.While) -> None:
        if node.orelse:
            self.refuse(node, "a loop has no else")
        mine = self.open_loop(node, set())
        self.b.call("loop")
        condition = self.eval(node.test)
        if isinstance(condition, Value):
            self.b.call("while", condition.handle)
        elif not condition:
            self.b.call("break")
        self.steps.append(None)
        self.close_loop(node, mine, None, None)

    def open_loop(self, node: ast.For | ast.While, own: set[str]) -> list[str]:
        """Make variables of what the loop carries; those that were none before."""
        made = [name for name in self.carried(node, own)
                if not isinstance(self.names[name], (Variable, Carried)) and
                self.declare(name, self.names[name])]
        self.depth += 1
        self.loops.append(node)
        return made

    def close_loop(self, node: ast.For | ast.While, mine: list[str], hidden: Any,
                   own: str | None) -> None:
        before = dict(self.names)
        if self.run(node.body) and self.steps[-1]:
            self.steps[-1]()
        self.steps.pop()
        self.loops.pop()
        self.depth -= 1
        self.names = before
        if own is not None:
            del self.names[own]
            if hidden is not None:
                self.names[own] = hidden
        self.b.call("end")
        self.settle(mine)

    def unroll(self, node: ast.For, values: Any) -> None:
        if isinstance(values, (Value, Array, Chosen, View)):
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
