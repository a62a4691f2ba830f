"""Statements of a kernel: which arm of an if, what a loop carries, where a function ends."""
from __future__ import annotations

import ast
import contextlib
import inspect
import types
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from .. import raw
from . import _ops as ops
from ._errors import CAUGHT, TileCompilerError, TileTypeError, of_python
from ._expression import Expressions, Nested
from ._join import PENDING, UNBOUND, Differs, Known, Slot, changes, covers, form, join, variables
from ._syntax import loaded, read_first, returns, stored, syntax_of
from ._trees import is_tree, leaves
from ._values import Array, Chosen, Value, View, is_number, plain

if TYPE_CHECKING:
    from ._compile import Compiler


RESULT = "$result"  # the name that a function that is put in has its result by
CHOSEN = "$chosen"  # the value of a conditional expression
RETURNING = "$returning"  # whether a loop was left by a return


def void(_value: Any) -> None:
    """Drop the value of an expression."""


class Loop:
    """A loop that is gone through: the names that it gives other values, and the forms that come together."""

    def __init__(self, first: dict[str, Any], turns: dict[str, Slot], ends: dict[str, Slot]) -> None:
        self.first, self.turns, self.ends = first, turns, ends
        self.turned: dict[str, Any] = {}
        self.ended: dict[str, Any] = {}
        self.advance: Callable[[], None] | None = None  # what is done before the next turn


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
        if not is_kernel:
            self.names.update({RESULT: PENDING, RETURNING: False})
        self.loops: list[ast.stmt] = []  # the loops, the outer ones first
        self.open_loops: list[Any] = []  # as Loop; None: one that is unrolled
        self.local = frozenset() if outside is not None or isinstance(node, ast.Lambda) else \
            frozenset(function.__code__.co_varnames) & frozenset(stored(
                [each for each in ast.walk(node) if isinstance(each, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For))]))
        self.closure: dict[str, Any] = {}
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            try:
                self.closure[name] = cell.cell_contents
            except ValueError:
                pass

    # ---- where paths meet ----

    def slots(self, first: dict[str, Any], end: str, guess: Callable[[Any], Any]) -> dict[str, Slot]:
        """A slot for each name: of the form that was found before, else of what is guessed from its value."""
        made = {}
        for name, value in first.items():
            found = self.compiler.learned(end, name)
            form = guess(value) if found is None else found
            made[name] = Slot(self.b, self.compiler.arrays, name, form, value)
        return made

    def met(self, into: dict[str, Any], slots: dict[str, Slot]) -> None:
        """The end of a path: its values meet those of the others, and go into the slots."""
        for name, slot in slots.items():
            value = self.names.get(name, UNBOUND)
            into[name] = self.joined(into.get(name), form(self.b, value))
            slot.put(value)

    def joined(self, x: Any, y: Any) -> Any:
        return join(x, y, self.compiler.arrays)

    def settled(self, end: str, forms: dict[str, Any], slots: dict[str, Slot]) -> dict[str, Any]:
        """What names stand for behind the meeting of paths. A slot without the variables for it is learned from."""
        made = {}
        for name, slot in slots.items():
            if name in forms:
                needed = variables(forms[name])
                if not covers(slot.form, needed):
                    self.compiler.learn(end, name, self.joined(self.compiler.learned(end, name), needed))
                made[name] = slot.get(forms[name])
        return made

    def fork(self, node: ast.AST, condition: Value, names: list[str], arms: list[Callable[[], bool] | None]) -> bool:
        """An if of the kernel's; whether what follows is reached. `names` are those that the arms bind."""
        first = {name: self.names.get(name, UNBOUND) for name in names}
        forms: dict[str, Any] = {}
        with self.compiler.at(node):
            slots = self.slots(first, "end", lambda value: variables(form(self.b, value)))
            saved, reached = dict(self.names), False
            self.b.call("if", condition.handle)
            self.depth += 1
            for turn, arm in enumerate(arms):
                self.names = dict(saved)
                if arm is None:  # the slots have the values from before
                    reached = True
                    for name in names:
                        forms[name] = self.joined(forms.get(name), form(self.b, first[name]))
                    continue
                if turn:
                    self.b.call("else")
                with self.compiler.at(turn):
                    if arm():
                        reached = True
                        self.met(forms, slots)
            self.depth -= 1
            self.b.call("end")
            self.names = saved
            self.names.update(self.settled("end", forms, slots))
        return reached

    def either(self, node: ast.expr, condition: Value, then: Callable[[], Any], otherwise: Callable[[], Any],
               cheap: bool) -> Any:
        if cheap:
            x, y = then(), otherwise()
            if not is_tree(x) and not is_tree(y) and all(isinstance(each, Value) or is_number(each) for each in (x, y)):
                met = self.joined(form(self.b, x), form(self.b, y))
                if isinstance(met, Differs):
                    self.refuse(node, met.reason.format(name="what is chosen"), TileTypeError)
                return met.value if isinstance(met, Known) else ops.where(self.b, condition, x, y)
            then, otherwise = (lambda: x), (lambda: y)

        def arm(value: Callable[[], Any]) -> bool:
            self.names[CHOSEN] = value()
            return True

        bound = [each.target.id for each in ast.walk(node) if isinstance(each, ast.NamedExpr)]
        self.fork(node, condition, [CHOSEN, *bound], [lambda: arm(then), lambda: arm(otherwise)])
        chosen = self.names.pop(CHOSEN)
        for leaf in leaves(chosen) if is_tree(chosen) else (chosen,):
            if isinstance(leaf, Differs):
                self.refuse(node, leaf.reason.format(name="what is chosen"), TileTypeError)
        return chosen

    # ---- statements ----

    def run(self, statements: list[ast.stmt]) -> bool:
        """Go through statements; False when what stands behind them is not reached."""
        for position, statement in enumerate(statements):
            self.b.at(statement.lineno)
            rest = statements[position + 1:]
            if not self.is_kernel and returns(statement):
                if isinstance(statement, ast.If) and not self.loops:
                    return self.returning(statement, statement.test, statement.body + rest, statement.orelse + rest)
                if isinstance(statement, (ast.For, ast.While)):
                    self.do(statement)
                    return self.returning(statement, ast.copy_location(ast.Name(RETURNING, ast.Load()), statement), 
                                          [ast.copy_location(ast.Break(), statement)] if self.loops else None, rest)
            if self.do(statement) is False:
                return False
        return True

    def do(self, statement: ast.stmt) -> bool | None:
        handler = getattr(self, f"do_{type(statement).__name__}", None)
        if handler is None:
            self.refuse(statement, f"a kernel has no {type(statement).__name__.lower()}")
        try:
            reached: bool | None = handler(statement)
        except TileCompilerError:
            raise
        except CAUGHT as error:
            self.refuse(statement, str(error) or type(error).__name__, of_python(error))
        return reached

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
            self.refuse(node, "only a name can be assigned to: tiles and tuples do not change", TileTypeError)
        now = self.look(ast.Name(node.target.id, ast.Load(), lineno=node.lineno, col_offset=node.col_offset))
        self.names[node.target.id] = self.binary(node, type(node.op), now, self.eval(node.value))

    def do_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.names[node.name] = Nested(self, node)

    def do_Return(self, node: ast.Return) -> bool:
        if self.is_kernel:
            if node.value is not None and not (isinstance(node.value, ast.Constant) and
                                               node.value.value is None):
                self.refuse(node, "a kernel returns nothing")
            self.b.call("return")
            return False
        self.names[RESULT] = self.eval(node.value) if node.value is not None else None
        if not self.loops:
            return False
        if any(isinstance(loop, ast.For) for loop in self.loops):
            self.refuse(node, "a function that a kernel calls does not return out of a for: a while, or a break, leaves it")
        self.names[RETURNING] = True
        return self.do_Break(node)

    def returning(self, node: ast.stmt, test: ast.expr, then: list[ast.stmt] | None, otherwise: list[ast.stmt]) -> bool:
        """A branch with a return, of a function that is put in: what follows it is in its arms. Without `then` the
        function has returned there."""
        condition = self.truth(test, self.eval(test))
        if not isinstance(condition, Value):
            return self.run((then or []) if condition else otherwise) if then is not None or not condition else False
        outcome: list[bool] = []

        def arm(statements: list[ast.stmt] | None) -> bool:
            outcome.append(self.run(statements) if statements is not None else False)
            if outcome[-1] and not self.loops:
                self.names[RESULT] = None
            return not self.loops or outcome[-1]

        names = [RESULT, *stored([*(then or []), *otherwise])] if self.loops else [RESULT]
        self.fork(node, condition, names, [lambda: arm(then), lambda: arm(otherwise)])
        return any(outcome) if self.loops else False

    def do_Break(self, node: ast.stmt) -> bool:
        if not self.open_loops or self.open_loops[-1] is None:
            self.refuse(node, "a loop that is unrolled has no break and no continue")
        loop = self.open_loops[-1]
        self.met(loop.ended, loop.ends)
        self.b.call("break")
        return False

    def do_Continue(self, node: ast.stmt) -> bool:
        if not self.open_loops or self.open_loops[-1] is None:
            self.refuse(node, "a loop that is unrolled has no break and no continue")
        self.turn(self.open_loops[-1])
        self.b.call("continue")
        return False

    def turn(self, loop: Loop) -> None:
        """The end of a turn."""
        self.met(loop.turned, loop.turns)
        if loop.advance:
            loop.advance()

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
        condition = self.truth(node.test, self.eval(node.test))
        if not isinstance(condition, Value):
            return self.run(node.body if condition else node.orelse)
        needed = self.read_after(node)
        names = [name for name in stored(node.body + node.orelse) if name in needed or name.startswith("$")]
        return self.fork(node, condition, names,
                         [lambda: self.run(node.body), (lambda: self.run(node.orelse)) if node.orelse else None])

    # ---- loops ----

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
        if not isinstance(step, Value) and (not isinstance(step, int) or isinstance(step, bool) or step < 1):
            self.refuse(node.iter, f"the step of a range is {step}: expected 1 or more", TileTypeError)
        with self.loop(node, ends=True) as loop:
            if isinstance(step, Value):
                # Of a step below 1 there is no turn, as with Python's range() upwards; to ask once costs no turn.
                last = ops.where(self.b, ops.binary(self.b, "gt", step, 0), last, first)
                counter = self.b.call("declare", plain(node.target.id).encode(),
                                      self.b.cast(self.b.value(first), raw.CUC_I64).handle)
                wide = self.b.cast(step, raw.CUC_I64)
                self.b.call("loop")
                now = Value(self.b.call("get", counter), loose=True)
                self.b.call("while", ops.binary(self.b, "lt", now, last).handle)
                loop.advance = lambda: void(self.b.call("set", counter, self.b.call(
                    "add", self.b.call("get", counter), wide.handle)))
            else:
                now = Value(self.b.call("for", self.b.value(first).handle, self.b.value(last).handle, step), loose=True)
            self.enter(loop)
            self.names[node.target.id] = now
            if self.run(node.body):
                self.turn(loop)

    def do_While(self, node: ast.While) -> None:
        if node.orelse:
            self.refuse(node, "a loop has no else")
        with self.loop(node, ends=not (isinstance(node.test, ast.Constant) and node.test.value)) as loop:
            self.b.call("loop")
            self.enter(loop)
            condition = self.truth(node.test, self.eval(node.test))
            if isinstance(condition, Value):
                self.b.call("while", condition.handle)
            elif not condition:
                self.b.call("break")
            if condition is not False and self.run(node.body):
                self.turn(loop)

    @contextlib.contextmanager
    def loop(self, node: ast.For | ast.While, ends: bool) -> Iterator[Loop]:
        """A loop of the builder's, which the block begins. `ends`: not only by a break.

        What a name stands for meets at the beginning of a turn and behind the loop. One slot serves both, unless the
        value is the same in every turn, or the types differ.
        """
        after = self.read_after(node)
        again = read_first(node.body) | (loaded(node.test) if isinstance(node, ast.While) else set())
        own = [node.target.id] if isinstance(node, ast.For) and isinstance(node.target, ast.Name) else []
        names = [name for name in dict.fromkeys([*stored(node.body), *own, *self.hidden(node)])
                 if name in after or name in again or name.startswith("$")]
        first = {name: self.names.get(name, UNBOUND) for name in names}
        saved = dict(self.names)
        with self.compiler.at(node):
            turns = self.slots(first, "turn", lambda value: variables(form(self.b, value), keep_numbers=False))
            behind = {name: self.compiler.learned("end", name) for name in names}
            ends_in = {name: turns[name] if behind[name] is None or covers(turns[name].form, behind[name]) else
                       Slot(self.b, self.compiler.arrays, name, behind[name], first[name]) for name in names}
            loop = Loop(first, turns, ends_in)
            self.depth += 1
            self.loops.append(node)
            self.open_loops.append(loop)
            yield loop
            self.open_loops.pop()
            self.loops.pop()
            self.depth -= 1
            self.b.call("end")
            self.names = saved
            heads = {name: self.joined(form(self.b, first[name]), loop.turned.get(name)) for name in names}
            if ends:
                # A variable that changes in turns is the one that is there behind the loop.
                for name in names:
                    both = self.joined(heads[name], loop.ended.get(name))
                    if changes(variables(heads[name])) and changes(variables(both)):
                        heads[name] = both
                    loop.ended[name] = both
            self.settled("turn", heads, turns)
            self.names.update(self.settled("end", loop.ended, ends_in))

    def enter(self, loop: Loop) -> None:
        """The beginning of a turn: names stand for what their slots have."""
        for name, slot in loop.turns.items():
            self.names[name] = slot.now(loop.first[name])

    def hidden(self, node: ast.stmt) -> list[str]:
        """Names that a return in a loop binds."""
        return [RESULT, RETURNING] if not self.is_kernel and returns(node) else []

    def unroll(self, node: ast.For, values: Any) -> None:
        if isinstance(values, (Value, Array, Chosen, View)):
            self.refuse(node.iter, "a loop goes over range(), or over what is known when the kernel is "
                                   "compiled")
        self.open_loops.append(None)
        for turn, value in enumerate(values):
            self.assign(node.target, value)
            with self.compiler.at(turn):
                if not self.run(node.body):
                    self.refuse(node, "a loop that is unrolled has no return")
        self.open_loops.pop()

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
