"""Statements in kernels: selection of branches, loop-carried names, exits from functions."""
from __future__ import annotations

import ast
import contextlib
import inspect
import types
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from .. import raw
from . import _ops as ops
from ._context import Generator, Leave, Manager, block, body_of, yields
from ._errors import CAUGHT, TileCompilerError, TileTypeError, of_python
from ._expression import Expressions, Nested
from ._join import PENDING, UNBOUND, Differs, Known, Slot, changes, covers, form, join, same, variables
from ._syntax import loaded, read_first, returns, stored
from ._trees import is_tree, leaves
from ._values import Array, Chosen, Value, View, is_number, plain

if TYPE_CHECKING:
    from ._compile import Compiler


RESULT = "$result"  # the variable that holds an inlined function's result
CHOSEN = "$chosen"  # value of a conditional expression
RETURNING = "$returning"  # true if a return statement left the loop


def void(_value: Any) -> None:
    """Discard an expression's value."""


State = tuple[list[Manager], list[tuple["Function", dict[str, Any], Any]]]  # the result of Function.state()


def generators_of(kept: State) -> list[tuple[Function, dict[str, Any]]]:
    """Return the generators that have been entered, including nested ones, with their names."""
    return [each for scope, names, inner in kept[1] for each in ((scope, names), *generators_of(inner))]


class Loop:
    """A loop being compiled: the names that it rebinds, and the forms that meet."""

    def __init__(self, first: dict[str, Any], turns: dict[str, Slot], ends: dict[str, Slot]) -> None:
        self.first, self.turns, self.ends = first, turns, ends
        self.turned: dict[str, Any] = {}
        self.ended: dict[str, Any] = {}
        self.left: dict[Function, list[dict[str, Any]]] = {}  # names of generators on paths that end an iteration
        self.advance: Callable[[], None] | None = None  # emits the step to the next iteration


LEFT = Differs("{name} is of a context manager, which changes it after its yield on some paths and not on others")


class Function(Expressions):
    """A function being compiled: a kernel, or a function that is inlined."""

    def __init__(self, compiler: Compiler, function: types.FunctionType, node: Any, is_kernel: bool,
                 outside: Expressions | None = None) -> None:
        self.compiler, self.b = compiler, compiler.builder
        self.function, self.node, self.is_kernel = function, node, is_kernel
        self.outside = outside  # for a nested function: the enclosing function
        self.file = inspect.getsourcefile(function) or "<python>"
        self.names: dict[str, Any] = {}
        if not is_kernel:
            self.names.update({RESULT: PENDING, RETURNING: False})
        self.managers: list[Manager] = []  # managers of the open with blocks
        self.is_left = False  # set for a generator after its with block has ended
        self.loops: list[ast.stmt] = []  # enclosing loops, outermost first
        self.open_loops: list[Any] = []  # the Loop object of each; None for an unrolled loop
        binds = [each.target for each in node.generators] if hasattr(node, "generators") else \
            node.body if isinstance(node, ast.FunctionDef) else []
        self.local = frozenset(stored(binds))
        self.closure: dict[str, Any] = {}
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            try:
                self.closure[name] = cell.cell_contents
            except ValueError:
                pass

    # ---- joins of paths ----

    def slots(self, first: dict[str, Any], end: str, guess: Callable[[Any], Any]) -> dict[str, Slot]:
        """Create a slot for each name, with the form that an earlier pass found or, failing that, a
        guess from its value."""
        made = {}
        for name, value in first.items():
            found = self.compiler.learned(end, name)
            form = guess(value) if found is None else found
            made[name] = Slot(self.b, self.compiler.arrays, name, form, value)
        return made

    def met(self, into: dict[str, Any], slots: dict[str, Slot]) -> None:
        """End a path: join its values with the values of the other paths, and assign them to the
        slots."""
        for name, slot in slots.items():
            value = self.names.get(name, UNBOUND)
            into[name] = self.joined(into.get(name), form(self.b, value))
            slot.put(value)

    def joined(self, x: Any, y: Any) -> Any:
        return join(x, y, self.compiler.arrays)

    def settled(self, end: str, forms: dict[str, Any], slots: dict[str, Slot]) -> dict[str, Any]:
        """Return the values of names after paths meet. If a slot lacks variables, record the form
        for the next pass."""
        made = {}
        for name, slot in slots.items():
            if name in forms:
                needed = variables(forms[name])
                if not covers(slot.form, needed):
                    self.compiler.learn(end, name, self.joined(self.compiler.learned(end, name), needed))
                made[name] = slot.get(forms[name])
        return made

    def fork(self, node: ast.AST, condition: Value, names: list[str], arms: list[Callable[[], bool] | None]) -> bool:
        """Build a conditional; return whether the code after it is reachable. `names` are the names
        that the branches bind."""
        first = {name: self.names.get(name, UNBOUND) for name in names}
        forms: dict[str, Any] = {}
        with self.compiler.at(node):
            slots = self.slots(first, "end", lambda value: variables(form(self.b, value)))
            saved, reached = dict(self.names), False
            kept, left = self.state(), []
            self.b.call("if", condition.handle)
            for turn, arm in enumerate(arms):
                self.names = dict(saved)
                self.restore(kept)
                if arm is None:  # the slots hold the values from before the if
                    reached = True
                    left.append(generators_of(kept))
                    for name in names:
                        forms[name] = self.joined(forms.get(name), form(self.b, first[name]))
                    continue
                if turn:
                    self.b.call("else")
                with self.compiler.at(turn):
                    if arm():
                        reached = True
                        self.met(forms, slots)
                        left.append([(scope, scope.names) for scope, _ in generators_of(kept)])
            self.b.call("end")
            self.names = saved
            self.restore(kept)
            for paths in zip(*left):
                paths[0][0].names = self.together([names for _, names in paths])
            self.names.update(self.settled("end", forms, slots))
        return reached

    def together(self, paths: list[dict[str, Any]]) -> dict[str, Any]:
        """Merge the names of a generator that several paths have left; a name whose values differ
        becomes unreadable."""
        made = dict(paths[0])
        for names in paths[1:]:
            for name in {*made, *names}:
                x, y = (form(self.b, each.get(name, UNBOUND)) for each in (made, names))
                if made.get(name, UNBOUND) is not names.get(name, UNBOUND) and \
                        not (isinstance(x, Known) and isinstance(y, Known) and same(x.value, y.value)):
                    made[name] = LEFT
        return made

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

    def within(self, node: ast.expr) -> Function:
        return Function(self.compiler, self.function, node, is_kernel=False, outside=self)

    # ---- statements ----

    def run(self, statements: list[ast.stmt]) -> bool:
        """Compile statements; return False if the code after them is unreachable."""
        for position, statement in enumerate(statements):
            self.b.at(statement.lineno)
            rest = statements[position + 1:]
            if not self.is_kernel and returns(statement):
                if isinstance(statement, ast.With) and not self.loops:
                    self.enter_with(statement)
                    return self.run([*block(statement), *rest])
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
        if node.decorator_list:
            self.refuse(node.decorator_list[0], "a function that is written in a kernel has no decorator")
        self.names[node.name] = self.nested(node)

    def do_Return(self, node: ast.Return) -> bool:
        if self.is_kernel:
            if node.value is not None and not (isinstance(node.value, ast.Constant) and
                                               node.value.value is None):
                self.refuse(node, "a kernel returns nothing")
            kept = self.state()
            self.leave_all()
            self.restore(kept)
            self.b.call("return")
            return False
        self.names[RESULT] = self.eval(node.value) if node.value is not None else None
        if not self.loops:
            self.leave_all()
            return False
        if any(isinstance(loop, ast.For) for loop in self.loops):
            self.refuse(node, "a function that a kernel calls does not return out of a for: a while, or a break, leaves it")
        self.names[RETURNING] = True
        return self.do_Break(node)

    def returning(self, node: ast.stmt, test: ast.expr, then: list[ast.stmt] | None, otherwise: list[ast.stmt]) -> bool:
        """Compile a branch with a return in an inlined function: the statements after the branch
        move into its arms. If `then` is None, the function returns in that arm."""
        condition = self.truth(test, self.eval(test))
        outcome: list[bool] = []

        def gone(statements: list[ast.stmt] | None) -> bool:
            if statements is None:
                self.leave_all()
            return statements is not None and self.run(statements)

        if not isinstance(condition, Value):
            return gone(then if condition else otherwise)

        def arm(statements: list[ast.stmt] | None) -> bool:
            outcome.append(gone(statements))
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
        self.leave_turn(loop)
        self.met(loop.ended, loop.ends)
        self.b.call("break")
        return False

    def do_Continue(self, node: ast.stmt) -> bool:
        if not self.open_loops or self.open_loops[-1] is None:
            self.refuse(node, "a loop that is unrolled has no break and no continue")
        self.leave_turn(self.open_loops[-1])
        self.turn(self.open_loops[-1])
        self.b.call("continue")
        return False

    def turn(self, loop: Loop) -> None:
        """End an iteration."""
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

    # ---- with ----

    def do_With(self, node: ast.With) -> bool:
        outer = len(self.managers)
        self.enter_with(node)
        reached = self.run(block(node))
        del self.managers[outer:]
        return reached

    def enter_with(self, node: ast.With) -> None:
        """Enter the generators of a with statement: run each up to its yield."""
        for item in node.items:
            generator = self.eval(item.context_expr)
            if not isinstance(generator, Generator):
                self.refuse(item.context_expr, "with takes a call of a function with @contextlib.contextmanager")
            scope = self.compiler.entered(generator.function, generator.arguments, generator.named)
            with self.compiler.inside(scope):
                value, rest = scope.to_yield(body_of(scope, generator.function))
            self.managers.append(Manager(scope, rest, len(self.open_loops)))
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value)

    def to_yield(self, statements: list[ast.stmt]) -> tuple[Any, list[ast.stmt]]:
        """Run a generator up to its yield; return the yielded value and the remaining statements."""
        for position, statement in enumerate(statements):
            rest = statements[position + 1:]
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Yield):
                what = statement.value.value
                return (self.eval(what) if what is not None else None), rest
            if isinstance(statement, ast.With) and yields(statement):
                self.enter_with(statement)
                return self.to_yield([*block(statement), *rest])
            self.run([statement])
        raise AssertionError("a generator has a yield")

    def do_Leave(self, _node: ast.stmt) -> None:
        self.managers[-1].scope.is_left = True
        self.leave()

    def leave(self) -> None:
        """Emit the code after the innermost generator's yield."""
        manager = self.managers.pop()
        with self.compiler.inside(manager.scope):
            manager.scope.run(manager.rest)

    def leave_all(self) -> None:
        """Exit all managers, on a path that leaves the function."""
        while self.managers:
            self.leave()

    def leave_turn(self, loop: Loop) -> None:
        """Exit the managers that were entered in the innermost loop, on a path that ends its
        iteration. They stay active on other paths."""
        kept = self.state()
        while self.managers and self.managers[-1].loops == len(self.open_loops):
            self.leave()
        left = kept[1][len(self.managers):]
        for scope, _ in generators_of((kept[0], left)):
            loop.left.setdefault(scope, []).append(scope.names)
        self.restore(kept)

    def state(self) -> State:
        """Take a snapshot of the active managers with their generators' names."""
        return self.managers[:], [(each.scope, dict(each.scope.names), each.scope.state()) for each in self.managers]

    def restore(self, kept: State) -> None:
        self.managers = kept[0][:]
        for scope, names, inner in kept[1]:
            scope.names = dict(names)
            scope.restore(inner)

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
        """Return the names that are read after a loop or an if, anywhere in an enclosing loop, or
        in a nested function, which may be called later."""
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
            elif isinstance(each, (ast.FunctionDef, ast.Lambda)) and each is not self.node:
                found |= loaded(each)
        return found

    def do_For(self, node: ast.For) -> None:
        if node.orelse:
            self.refuse(node, "a loop has no else")
        bounds = self.range_of(node.iter)
        if bounds is None:
            return self.unroll(node, self.eval(node.iter))
        if not isinstance(node.target, ast.Name):
            self.refuse(node.target, "expected a name for the iteration's number")
        first, last, step = bounds
        if not isinstance(step, Value) and (not isinstance(step, int) or isinstance(step, bool) or step < 1):
            self.refuse(node.iter, f"the step of a range is {step}: expected 1 or more", TileTypeError)
        with self.loop(node, ends=True) as loop:
            if isinstance(step, Value):
                # A step below 1 yields no iterations, as in an ascending Python range(). Checking
                # it once costs nothing per iteration.
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
        """Build a loop whose body is the block of the with statement. `ends` tells whether the
        loop can end without a break.

        Values of a name meet at the start of an iteration and after the loop. One slot serves both unless the value
        is the same in every iteration or the types differ.
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
            self.loops.append(node)
            self.open_loops.append(loop)
            yield loop
            self.open_loops.pop()
            self.loops.pop()
            self.b.call("end")
            self.names = saved
            for scope, paths in loop.left.items():
                scope.names = self.together([*paths, *([scope.names] if scope.is_left else [])])
            heads = {name: self.joined(form(self.b, first[name]), loop.turned.get(name)) for name in names}
            if ends:
                # A variable that changes in iterations is also the variable that is read after the
                # loop.
                for name in names:
                    both = self.joined(heads[name], loop.ended.get(name))
                    if changes(variables(heads[name])) and changes(variables(both)):
                        heads[name] = both
                    loop.ended[name] = both
            self.settled("turn", heads, turns)
            self.names.update(self.settled("end", loop.ended, ends_in))

    def enter(self, loop: Loop) -> None:
        """Start an iteration: names get the values of their slots."""
        for name, slot in loop.turns.items():
            self.names[name] = slot.now(loop.first[name])

    def hidden(self, node: ast.stmt) -> list[str]:
        """Return the hidden names that a return in a loop binds."""
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
        """Return the bounds if the expression is a call of range(); otherwise return None."""
        if not isinstance(node, ast.Call) or node.keywords or self.eval(node.func) is not range:
            return None
        given = [self.eval(a) for a in node.args]
        if not 1 <= len(given) <= 3:
            self.refuse(node, "range() takes 1 to 3 numbers")
        if len(given) == 1:
            return 0, given[0], 1
        return given[0], given[1], given[2] if len(given) == 3 else 1
