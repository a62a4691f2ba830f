"""Kernels of test_tile_contexts.py: with blocks and nested functions."""
import contextlib
import dataclasses
import functools

import cucore.tile as ct


def note(out, value):
    """Append a number."""
    at = ct.gather(out, 0) + 1
    ct.scatter(out, 0, at)
    ct.scatter(out, at, value)


@contextlib.contextmanager
def between(out, first, last):
    note(out, first)
    yield first
    note(out, last)


@contextlib.contextmanager
def two_deep(out, n):
    note(out, n)
    with between(out, n + 1, n + 3) as inner:
        note(out, inner + 1)
        yield inner * 10
        note(out, n + 2)
    with between(out, n + 5, n + 6):
        note(out, n + 7)


@contextlib.contextmanager
def notes(out, n):
    def say():
        note(out, n)
    yield say
    n += 1


@contextlib.contextmanager
def ends_in_a_loop(out, n):
    yield
    while True:
        note(out, n)
        break
        yield  # not reached


@ct.kernel
def left_by_break(out, n):
    i = 0
    while True:
        with between(out, 10 + i, 20 + i):
            note(out, i)
            if i == n:
                break
        note(out, 30)
        i += 1
    note(out, 40 + i)


@ct.kernel
def left_by_continue(out, n):
    for i in range(3):
        with between(out, 10 + i, 20 + i), between(out, 30, 40):
            if i == n:
                continue
            note(out, 50)
        note(out, 60)


@ct.kernel
def left_by_return(out, n):
    with between(out, 10, 20):
        with between(out, 30, 40):
            if n > 0:
                return
        note(out, 50)
    note(out, 60)


@ct.kernel
def only_what_the_loop_entered(out, n):
    with between(out, 10, 20):
        while True:
            with between(out, 30, 40):
                if n > 0:
                    break
            note(out, 50)
            break
        note(out, 60)


@ct.kernel
def generators_within(out, n):
    i = 0
    while i < 2:
        with two_deep(out, 10 * i) as value:
            note(out, value)
            if i == n:
                break
        i += 1


@ct.kernel
def functions_of_a_generator(out, n):
    i = 0
    while True:
        with notes(out, 10 * i) as say:
            say()
            if i == n:
                break
        say()
        i += 1


def found(out, n):
    with between(out, 10, 20):
        if n > 1:
            return n
        with ends_in_a_loop(out, 30):
            if n > 0:
                return n + 100
        note(out, 50)
    note(out, 60)
    return -1


@ct.kernel
def returned_from(out, n):
    note(out, found(out, n))


def searched(out, n):
    i = 0
    with between(out, 10, 20):
        while i < 2:
            with between(out, 30, 40):
                while True:
                    with between(out, 50, 60):
                        if i == n:
                            return i
                    break
            i += 1
    return 9


@ct.kernel
def returned_from_loops(out, n):
    note(out, searched(out, n))


@ct.kernel
def kept_for_later(out, n):
    scope = between(out, 10, 20)
    note(out, n)
    with scope as first:
        ct.static_assert(first == 10)
        note(out, 30)


def told(out, n):
    with notes(out, 10) as say:
        if n > 0:
            return say
    return say


@ct.kernel
def functions_returned(out, n):
    told(out, n)()


@ct.kernel
def functions_behind_a_loop(out, n):
    while True:
        with notes(out, 0) as say:
            say()
            if n > 0:
                break
        break
    say()


@ct.kernel
def functions_see_ifs(out, n):
    x = 1
    get = lambda: x  # noqa: E731
    if n > 0:
        x = 2
    note(out, get())


@ct.kernel
def functions_see_loops(out, n):
    x = 1
    get = lambda: x  # noqa: E731
    for i in range(n):
        x = i + 10
    note(out, get())
    while True:
        x = 7
        put = lambda: note(out, x)  # noqa: E731
        break
    put()


@ct.kernel
def functions_of_comprehensions(out, n):
    gets = tuple(lambda: x for x in ct.static_iter(range(3)))
    x = 99
    for get in gets:
        note(out, get())
    for value in tuple((lambda: x)() for x in (5, 6)):
        note(out, value)
    for _ in range(n):
        tuple(x + y for x, y in ((1, 2), (3, 4)))
    note(out, x)


@ct.kernel
def defaults_of_functions(out, n):
    x = n
    get = lambda x=x, *, y=x + 1: x * 10 + y  # noqa: E731
    x = 50  # noqa: F841
    note(out, get())
    for each in tuple(lambda i=i: i for i in range(2)):
        note(out, each())


def tripled(function):
    @functools.wraps(function)
    def wrapper(out, n):
        note(out, 3)
        return function(out, n * 3)
    return wrapper


@tripled
def noted(out, n):
    note(out, n)


@ct.kernel
def wrapped_functions(out, n):
    noted(out, n)


def counted_down(n):
    return 0 if n == 0 else 1 + counted_down(n - 1)


@dataclasses.dataclass(frozen=True)
class Writer:
    out: ct.Array
    first: int

    def __post_init__(self):
        note(self.out, self.first)

    def __setitem__(self, index, value):
        ct.scatter(self.out, index, value * 10)


@ct.kernel
def scalars_apart(out, n):
    view = out.tiled_view((), traversal_steps=2)
    for i in range(1, n):
        view.store(i, view.load(i - 1) + i + 1)
    view.atomic_store_add(0, n)


@ct.kernel
def methods_of_dataclasses(out, n):
    writer = Writer(out, n)
    writer[1] = n + 1
    note(out, counted_down(150))
    note(out, ct.num_tiles(out, 0, ()))
    ct.store(out, (3,), ct.cat((ct.full((1,), 7, ct.int32),), 0))


# Statements of a kernel, and the expected message.
HEAD = """import contextlib
import dataclasses
import cucore.tile as ct
from tile_contexts import between, note, notes
@contextlib.contextmanager
def twice(out):
    yield
    note(out, 1)
    yield
@contextlib.contextmanager
def never(out):
    while True:
        break
        yield
@contextlib.contextmanager
def none(out):
    note(out, 1)
@contextlib.contextmanager
def maybe(out):
    if True:
        yield
@contextlib.contextmanager
def returns(out):
    if ct.bid(0) == 1:
        return
    yield
@contextlib.contextmanager
def grows(out, n):
    def say():
        note(out, n)
    yield say
    n = n + ct.bid(0)
@dataclasses.dataclass
class Thawed:
    n: int
def told(out, n):
    with grows(out, n) as say:
        if n > 0:
            return say
    return say
@ct.kernel
def wrong(out, n):
"""
WRONG = [
    ("with twice(out): pass", ct.TileTypeError, "twice() is a context manager, which must have one `yield`"),
    ("with never(out): pass", ct.TileTypeError, "never() is a context manager with no reachable `yield`"),
    ("with none(out): pass", ct.TileTypeError, "none() is a context manager with no reachable `yield`"),
    ("with maybe(out): pass", ct.TileTypeError, "outside of loops and conditional statements"),
    ("with returns(out): pass", ct.TileSyntaxError, "ends without a return"),
    ("with n: pass", ct.TileSyntaxError, "with takes a call of a function with @contextlib.contextmanager"),
    ("between(out, 1, 2) + 1", ct.TileTypeError, "unsupported operand"),
    ("told(out, n)()", ct.TileTypeError, "n is of a context manager, which changes it after its yield on some paths"),
    ("x = 3\n    tuple(x for _ in (1, 2) for x in range(x))", ct.TileSyntaxError, "nothing binds x before this"),
    ("tuple(i for i in (1, 2) for x in ct.static_iter(range(x)))", ct.TileSyntaxError, "nothing binds x before this"),
    ("if n > 0:\n        x = 2\n    ct.static_eval(x)", ct.TileTypeError, "nothing binds x here"),
    ("ct.static_eval(Thawed(2))", ct.TileTypeError, "Thawed is not frozen"),
    ("@ct.function\n    def f(): pass", ct.TileSyntaxError, "has no decorator"),
    ("def f(): return 1\n    if n > 0:\n        def f(): return 2\n    note(out, f())", ct.TileTypeError,
     "another type on each path"),
]
