"""Small kernels, each for one cuTile name or idiom, that only compute a result."""
import contextlib
import dataclasses
import functools
import typing

import numpy as np

import cucore.tile as ct

ConstInt = ct.Constant[int]
Width = typing.Annotated[ct.Array, ct.ArrayAnnotation(static_shape_dims=(1,))]
Strides = typing.Annotated[ct.Array, ct.ArrayAnnotation(index_dtype=ct.int64, static_stride_dims=(0, -1))]
LOOK = {"low": 2, "high": 5}


@ct.kernel
def dots(x, y, m, out, n: ConstInt, k: ConstInt):
    """Compute products of one-axis tiles."""
    a, b = ct.load(x, (0,), (k,)), ct.load(y, (0,), (k,))
    c = ct.load(m, (0, 0), (k, n))
    ct.store(out, (0, 0), ct.reshape(a @ b, (1, 1)))
    ct.store(out, (1, 0), (a @ c)[None, :])
    ct.store(out, (2, 0), (ct.transpose(c) @ b)[None, :])
    ct.store(out, (3, 0), ct.matmul(a.astype(ct.float16), c)[None, :])
    ha, hb = a.astype(ct.float16), b.astype(ct.float16)
    ct.static_assert((ha @ hb).dtype == ct.float16 and (ha @ b).dtype == ct.float32)


@ct.kernel
def literals(out, first):
    """Make tiles from literals."""
    ct.store(out, (0, 0), ct.astile(((1, 2, 3), (first, 5, first + 1)), dtype=ct.int32))
    ct.store(out, (2, 0), ct.astile(((7,),), dtype=ct.int32))
    ct.store(out, (2, 1), ct.astile(((1.9,),), dtype=ct.float32).astype(ct.int32))
    ct.store(out, (2, 2), ct.astile(True, dtype=ct.int32))


@ct.kernel
def wide_numbers(out):
    """Use integers that fit only in unsigned 64 bits."""
    ct.store(out, (0,), ct.full((1,), 2**64 - 3, ct.uint64))
    ct.store(out, (1,), ct.load(out, (0,), (1,)) - 2**63)


@ct.kernel
def rows_by_number(table, ids, out, back, n: ConstInt, start):
    """Load and store rows and columns that a tile selects."""
    which = ct.load(ids, (0,), (4,))
    whole = ct.load_advanced_indexing(table, (which, ct.Slice(0, n)), padding_mode=ct.PaddingMode.NEG_INF)
    ct.store(out, (0, 0), ct.maximum(whole, -99.0))
    part = ct.load_advanced_indexing(table, (which, ct.Slice(start, 4)), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, (1, 0), part)
    columns = ct.load_advanced_indexing(table, (ct.Slice(1, 4), which))
    ct.store(out, (2, 0), columns)
    ct.store_advanced_indexing(back, (which, ct.Slice(0, n)), whole)
    ct.store_advanced_indexing(back, (ct.Slice(start + 1, 1), ct.arange(2, dtype=ct.int32)), 50)


@ct.kernel
def windows(x, out, n: ConstInt, step: ConstInt):
    """Use tiles of a view that overlap or leave gaps."""
    view = x.tiled_view((1, n), traversal_steps=(1, step), padding_mode=ct.PaddingMode.ZERO)
    ct.static_assert(view.traversal_steps == (1, step) and view.tile_shape == (1, n))
    to = out.tiled_view((1, n))
    for i in range(view.num_tiles(1)):
        to.store((i, 0), view.load((ct.bid(0), i)))


@ct.kernel
def spread(x, n: ConstInt, step: ConstInt):
    view = x.tiled_view(n, traversal_steps=step)
    view.store(ct.bid(0), ct.full((n,), ct.bid(0) + 1, ct.int32))


@ct.kernel
def flat(x, out, counts):
    """Access an array's memory by the offset from its first element."""
    memory, bins = x.get_raw_memory(), counts.get_raw_memory()
    at = ct.arange(4, dtype=ct.int32) * 5
    ct.store(out, (0,), memory.load_offset(at, mask=at < 12, padding_value=-1))
    memory.store_offset(at + 1, ct.astype(at, memory.dtype), mask=at > 0)
    old = bins.atomic_add_offset(ct.arange(4, dtype=ct.int32) % 2, 3)
    bins.atomic_cas_offset(2, 0, 9)
    bins.atomic_max_offset(3, ct.sum(old))


@ct.kernel
def known_extents(x: Width, y: Strides, out):
    """Use constant extents and strides."""
    ct.store(out, (0, 0), ct.load(x, (0, 0), (2, ct.ensure_constant(x.shape[1]))))
    ct.static_assert(y.strides[-1] == 1)
    ct.store(out, (1, 0), ct.full((2, ct.static_eval(y.strides[0])), x.shape[1], ct.float32))


@ct.kernel
def widths(xs: typing.Annotated[list, ct.ListAnnotation(element=ct.ArrayAnnotation(static_shape_dims=(-1,),
                                                                                  static_stride_dims=(0,)))], out):
    ct.static_assert(xs[0] is not None and (xs is None) is False)
    ct.store(out, (0,), ct.full((2,), ct.ensure_constant(xs[0].shape[1] + xs[1].strides[0]), out.dtype))


@ct.kernel
def annotated(x: ct.IndexedWithInt64, n: typing.Annotated[int, ct.ConstantAnnotation()],
              wide: typing.Annotated[int, ct.ScalarAnnotation(dtype=ct.int64)],
              several: typing.Annotated[list, ct.ListAnnotation(element=ct.ArrayAnnotation(static_shape_dims=(0,)))]):
    ct.store(x, (0,), ct.full((n,), wide // 2**33, ct.int32))
    ct.store(x, (1,), ct.full((n,), several[0].shape[0], ct.int32))


@dataclasses.dataclass(frozen=True)
class Pair:
    """A complex number whose parts are tiles."""

    re: object
    im: object

    def __mul__(self, other):
        return Pair(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)

    def __rmul__(self, factor):
        return Pair(factor * self.re, factor * self.im)

    @property
    def square(self):
        return self.re * self.re + self.im * self.im

    def shifted(self, by):
        return dataclasses.replace(self, re=self.re + by) if False else Pair(self.re + by, self.im)


class Range(typing.NamedTuple):
    low: object
    high: object


@ct.kernel
def records(x, out, n: ConstInt, turns):
    """Use dataclasses and named tuples of tiles, also carried through a loop."""
    a = ct.load(x, (0,), (n,))
    z = Pair(a, a * 0.5)
    span = Range(a, high=a)
    for i in range(turns):
        z = 0.5 * (z * Pair(a, -a)).shifted(1.0)
        span = Range(ct.minimum(span.low, z.re), ct.maximum(span.high, z.re))
    ct.store(out, (0,), z.re)
    ct.store(out, (1,), z.square)
    ct.store(out, (2,), span.high - span.low)


@ct.kernel
def carried(x, out, n: ConstInt, turns):
    """Modify tuples and dictionaries in loops and ifs."""
    a = ct.load(x, (0,), (n,))
    state = (a, 0, {"sum": a})
    for i in range(turns):
        first, count, more = state
        if i % 2 == 0:
            state = (first + 1.0, count + 1, {"sum": more["sum"] + first})
        else:
            state = (first * 2.0, count, more)
    if turns > 2:
        pair = (state[0], 1.0)
    else:
        pair = (a, 2.0)
    low, high = (0, 1) if turns >= 0 else (7, 7)
    for i in range(turns):
        low, high = high, low + high
    ct.store(out, (0,), state[0])
    ct.store(out, (1,), state[2]["sum"])
    ct.store(out, (2,), ct.full((n,), state[1], ct.float32))
    ct.store(out, (3,), pair[0] * pair[1])
    ct.store(out, (4,), ct.full((n,), low, ct.float32))


def early(x, i, best):
    """Return from several places."""
    if i == 0:
        return x, 0.0
    scaled = x * 2.0
    if i == 1:
        if best > 5:
            return scaled, 1.0
        scaled = scaled + 1.0
    elif i == 2:
        return -scaled, 2.0
    return scaled + 100.0, ct.sum(x)


def logged(out, i, n):
    if i > 2:
        return
    ct.store(out, (i, 1), ct.full((1, n), 7.0, ct.float32))


@ct.kernel
def returning(x, out, best, n: ConstInt):
    a = ct.load(x, (0,), (n,))
    tile, number = early(a, ct.bid(0), best)
    ct.store(out, (ct.bid(0), 0), (tile + number)[None, :])
    logged(out, ct.bid(0), n)


@ct.kernel
def of_python(x, out, n: ConstInt, name: ct.Constant[str]):
    """Run Python at compile time."""
    a = ct.load(x, (0,), (n,))
    b = ct.static_eval(a + 1 if n % 2 == 0 else a - 1)
    biggest = ct.static_eval(max({k: v for k, v in LOOK.items()}.values()) + [len(s) for s in ["a", "bb"]][1])
    ct.store(out, (0,), b * biggest)
    states = ()
    for i, each in ct.static_iter(enumerate([a] * LOOK[name])):
        states += (each * i,)
    ct.store(out, (1,), sum(states))
    ct.static_assert(a.shape == (n,) and a.dtype == ct.float32, f"{a} is of another kind")
    ct.store(out, (2,), functools.partial(ct.add, a)(max(states) + min(a, 0.0)) + a[np.newaxis, :].reshape((n,)))
    label = "-".join(["a", f"{n:03d}"])
    ct.static_assert(label == "a-008", label)
    if name not in LOOK:
        raise ct.static_exception(KeyError(name))


@ct.kernel
def scaled(x, x_scale, y, y_scale, out, m: ConstInt, n: ConstInt, k: ConstInt, blocks: ConstInt):
    """Compute a product with scaled blocks."""
    a = ct.load(x, (0, 0), (m, k)).astype(ct.float8_e4m3fn)
    b = ct.load(y, (0, 0), (k, n)).astype(ct.float8_e4m3fn)
    sa = ct.bitcast(ct.load(x_scale, (0, 0), (m, blocks)), ct.float8_e8m0fnu)
    sb = ct.bitcast(ct.load(y_scale, (0, 0), (blocks, n)), ct.float8_e8m0fnu)
    ct.store(out, (0, 0), ct.mma_scaled(a, sa, b, sb, ct.full((m, n), 1.0, ct.float32)))


@contextlib.contextmanager
def counted(out, at, by=1):
    """A context manager with entry and exit actions."""
    ct.atomic_add(out, at, by)
    yield by * 10
    ct.atomic_add(out, at, 100)


@ct.kernel
def within(out, turns):
    """Use with blocks, also in loops and ifs."""
    for i in range(turns):
        with counted(out, 0), counted(out, 1, by=i + 1) as ten:
            if i > 0:
                with counted(out, 2) as other:
                    ct.atomic_add(out, 3, ten + other)


@ct.kernel
def inserted(x, out, n: ConstInt):
    a = ct.load(x, (0,), (n,))
    ct.store(out, (0,), a.insert((1,), ct.extract(a, (0,), (n // 2,))))
    ct.store(out, (1,), ct.load(x, (0,), (n,), memory_order=ct.MemoryOrder.WEAK, memory_scope=ct.MemoryScope.NONE))


@ct.kernel
def said(x, n: ConstInt):
    """Print tuples, and numbers in Python formats."""
    t = ct.load(x, (0,), (n,))
    print(f"{n:04d} {(ct.bid(0), ct.num_blocks(0))} {'s'!r}", (ct.sum(t), n), sep="|")


@ct.kernel
def lines(x, n: ConstInt):
    """Print lines in pieces, and use C formats."""
    t, i = ct.load(x, (0,), (n,)), ct.bid(0)
    print("{a", 1, end="")
    print("}", 100, "%", end=" | ")
    print(f"{t:.1f} {ct.sum(t):8.3e} {i:03d} {t:>9} {i:2d} {n:4d}")
    ct.printf("%d of %-5.1F", i, ct.max(t))
    ct.printf("%% %x\n\n", i + 255)
    for j in range(2):
        print(j, end="")
        if j == 1:
            print(" is one", end="")
    print("end", end="")


@dataclasses.dataclass(frozen=True)
class Halves:
    left: object
    hidden: object = dataclasses.field(repr=False)


@dataclasses.dataclass(frozen=True)
class Worded:
    value: object

    def __str__(self):
        return f"worded {{{self.value}}}"

    def __repr__(self):
        return f"Worded<{self.value}>"


@dataclasses.dataclass(frozen=True, repr=False)
class Nameless:
    value: object


@ct.kernel
def shown(x, n: ConstInt):
    """Print tiles as lists, and containers of tiles through str() and repr()."""
    i, t = ct.bid(0), ct.astype(ct.load(x, (0,), (n,)), ct.int32)
    print(ct.reshape(t, (2, n // 2)), ct.reshape(t, (n // 2, 1, 2)), ct.sum(t), t > 1)
    print(f"{ct.reshape(t, (2, n // 2)):<3d}|", Halves(t, 1), (Halves(i, t),), Nameless(t), {"a": i})
    print(Worded(i), (Worded(i),), ("it's", f"{i}", f"it's {i}", f"'{i}\""), repr(f"{i}") + str((i,)) + "!")
    ct.printf("%d %5.2f %%\n", t > 1, ct.astype(t, ct.float16))


@ct.kernel
def evaluated(x, parts: tuple[ConstInt, ct.Array], out):
    """Use methods, operations and nested functions in static_eval(); replace(); partly constant
    tuples; `in`."""
    n, y = parts
    t = ct.load(x, (0,), (n,))
    twice = lambda v: v + v  # noqa: E731
    ct.static_assert(n == 4)
    small = ct.static_eval(ct.minimum(t, 2.0).reshape((n,)))
    again = ct.static_eval({"f": twice})["f"]
    pair = dataclasses.replace(Halves(t, 1), left=small)
    if 2 in (2, t):
        ct.store(out, (0,), again(pair.left) + ct.load(y, (0,), (n,)))


shapes = []


@ct.kernel
def notes(x):
    t = ct.load(x, (0,), (4,))
    method = ct.static_eval(t.reshape)
    ct.static_eval(shapes.append(method((2, 2)).shape))


@ct.kernel
def scanned_together(x, out):
    t = ct.load(x, (0, 0), (2, 4))
    sums, counts = ct.scan((t, ct.full((2, 1), 1.0, ct.float32)), 1, lambda a, n, c, m: (a + c, n + m), (0.0, 0.0))
    ct.store(out, (0, 0), sums / counts)


@ct.kernel
def to_tf32(x, out, how: ct.Constant):
    t = ct.load(x, (0,), (4,))
    ct.store(out, (0,), ct.astype(ct.astype(t, ct.tfloat32, rounding_mode=how), ct.float32))


@dataclasses.dataclass
class Loose:
    value: object


@ct.kernel
def makes_loose(out):
    ct.store(out, (0,), Loose(1).value)


@dataclasses.dataclass(frozen=True)
class Setting:
    by: object


@ct.kernel
def reciprocal(out, c: ct.Constant):
    """Distinguish constants by type and, for floats, by their bits."""
    by = c.by if isinstance(c, Setting) else c[0] if isinstance(c, tuple) else c
    ct.store(out, (0,), 1.0 / ct.full((1,), by, ct.float32))
    ct.store(out, (1,), {int: 1.0, float: 2.0, bool: 3.0}[type(by)])


@ct.kernel
def by_default(out, by=2, more: ConstInt = 3, n: ConstInt = 4):
    ct.store(out, (0,), ct.full((n,), more, ct.int32) * by)


@ct.kernel
def steps(out, first, last, step):
    """Count loop iterations, and sum their indices."""
    total, turns = 0, 0
    for i in range(first, last, step):
        total += i
        turns += 1
    ct.store(out, (0,), turns)
    ct.store(out, (1,), total)


@ct.kernel
def partly(x, out, n: ConstInt):
    def between(tile, low, high):
        return ct.minimum(ct.maximum(tile, low), high)

    clamped = functools.partial(between, high=1.0)
    ct.store(out, (0,), functools.partial(clamped, low=0.0)(ct.load(x, (0,), (n,))))


@ct.kernel
def scaled_by_two(out, scale: ct.Constant[float]):
    """Run the example in cuTile's documentation of mma_scaled."""
    sx, sy = ct.full((2, 2), scale, ct.float8_e8m0fnu), ct.ones((2, 2), ct.float8_e8m0fnu)
    ones = ct.ones((2, 64), ct.float8_e4m3fn)
    ct.store(out, (0, 0), ct.mma_scaled(ones, sx, ct.ones((64, 2), ct.float8_e4m3fn), sy, ct.zeros((2, 2), ct.float32)))


@ct.kernel
def scales(out):
    """Store the bits of constants, which are the nearest powers of two."""
    for i, each in ct.static_iter(enumerate((0, 2.0**-130, 2.0**-127, 0.75, 1, 1.49, 1.5, 2.0**127, 2.0**128,
                                             float("nan")))):
        ct.store(out, (i,), ct.bitcast(ct.full((1,), each, ct.float8_e8m0fnu), ct.uint8))
    ct.store(out, (10,), ct.zeros((1,), ct.float8_e8m0fnu))


@ct.kernel
def endless(out, speaks: ct.Constant[bool]):
    i = ct.bid(0) + 1
    while i > 0:
        ct.store(out, (0,), i)
        if speaks:
            print(i)


@ct.kernel
def negative(x, n: ConstInt):
    below(ct.load(x, (0,), (n,)))


def below(tile):
    ct.assert_(ct.sum(tile) < 0, "the sum is not below 0")


WRONG = [
    # body, exception class, message
    ("print('a{}b', n)", ct.TileValueError, "stands for a value"),
    ("for i in range(9, 0, -1): pass", ct.TileTypeError, "the step of a range is -1: expected 1 or more"),
    ("ct.store(a, (0,), ct.zeros((8,), ct.float64))", ct.TileTypeError, "write .astype(ct.float32)"),
    ("ct.full((2,), -1, ct.float8_e8m0fnu)", ct.TileValueError, "no negative values"),
    ("ct.full((2,), ct.bid(0), ct.float8_e8m0fnu)", ct.TileTypeError, "known when the kernel is compiled"),
    ("sorted((1, 2), key=lambda i: i)", ct.TileTypeError, "called by kernels alone"),
    ("print('{', '}', sep='')", ct.TileValueError, "stands for a value"),
    ("ct.printf('%s', n)", ct.TileValueError, "%s: expected one of"),
    ("ct.printf('%d %d', n)", ct.TileValueError, "takes more values than the 1"),
    ("ct.printf('%d', n, n)", ct.TileValueError, "takes fewer values than the 2"),
    ("ct.static_assert(n == 3, f'n is {n}')", ct.TileStaticAssertionError, "n is 8"),
    ("ct.ensure_constant(ct.bid(0))", ct.TileStaticAssertionError, "not known when the kernel is compiled"),
    ("ct.static_eval(1 // 0)", ct.TileStaticEvalError, "ZeroDivisionError"),
    ("ct.static_eval((b := n))", ct.TileSyntaxError, ":="),
    ("ct.static_assert(ct.load(a, (0,), (n,)) > 0)", ct.TileTypeError, "not known"),
    ("raise ct.static_exception(KeyError('gone'))", ct.StaticException, "KeyError: 'gone'"),
    ("raise ValueError('no')", ct.TileSyntaxError, "raises nothing but"),
    ("again(ct.bid(0))", ct.TileRecursionError, "call themselves"),
    ("ct.load(a, (0,), (n,)) + ct.load(a, (0,), (4,))", ct.TileTypeError, "broadcast"),
    ("ct.load(a, (0, 0, 0), (n,))", ct.TileTypeError, "T301"),
    ("ct.reshape(ct.load(a, (0,), (n,)), (3, 3))", ct.TileTypeError, "T203"),
    ("ct.load_advanced_indexing(a, (ct.Slice(0, 4),))", ct.TileTypeError, "one tile of integers"),
    ("a.slice(0, 1, 2).get_raw_memory()", ct.TileTypeError, "part of one"),
    ("a.tiled_view((4,), traversal_steps=0)", ct.TileTypeError, "steps of 1 or more"),
    ("ct.astile(((1, 2), (3,)), dtype=ct.int32)", ct.TileTypeError, "one length"),
    ("ct.unpack_from_bytes(ct.zeros((3,), ct.uint8), ct.int32)", ct.TileTypeError, "not a whole number"),
    ("for _ in ct.static_iter(range(1001)): pass", ct.TileStaticEvalError, "1000"),
    ("for _ in ct.static_iter(42): pass", ct.TileTypeError, "'int' object is not iterable"),
    ("ct.scatter(a, ct.arange(1), ct.arange(8, dtype=ct.float32))", ct.TileTypeError,
     "value has shape [8]: expected one that broadcasts to [1]"),
    ("ct.gather(a, ct.arange(4), mask=ct.arange(8) > 2)", ct.TileTypeError, "mask has shape [8]"),
    ("ct.gather(a, 0, padding_value=ct.ones((4,), ct.float32))", ct.TileTypeError, "padding has shape [4]"),
    ("ct.atomic_add(a, 0, ct.ones((4,), ct.float32))", ct.TileTypeError, "update has shape [4]"),
    ("ct.atomic_cas(a, 0, ct.ones((4,), ct.float32), 0)", ct.TileTypeError, "expected has shape [4]"),
    ("ct.full((2,), np.float32((1, 2, 3)), ct.float32)", ct.TileTypeError, "not ndarray"),
    ("9**9**9", ct.TileValueError, "65536 bits"),
    ("n << (1 << 40)", ct.TileValueError, "65536 bits"),
    ("(1 << 60000) * (1 << 60000)", ct.TileValueError, "65536 bits"),
    ("'a' * (1 << 40)", ct.TileValueError, "65536 elements"),
    ("[i for i in range(10**10)]", ct.TileValueError, "65536 iterations"),
    ("[0 for i in range(1000) for j in range(1000)]", ct.TileValueError, "65536 iterations"),
    ("mixed(a, ct.bid(0))", ct.TileTypeError, "another type on each path: an index, and None"),
    ("out_of_loop(ct.bid(0))", ct.TileSyntaxError, "out of a for"),
    ("t = (1, 2)\n    for i in range(ct.bid(0)): t = (1, 2, t[0])\n    ct.store(a, (0,), t[0])", ct.TileTypeError,
     "another type on each path: a tuple of 2, and a tuple of 3"),
    ("t = (1, (2, 3)) if ct.bid(0) > 0 else (1, 2)", ct.TileTypeError, "another type on each path"),
    ("ct.sum(ct.load(a, (0,), (n,)), 0, keepdims=ct.bid(0) > 0)", ct.TileTypeError, "keepdims: expected True or False"),
    ("ct.cumsum(ct.load(a, (0,), (n,)), reverse=ct.bid(0) > 0)", ct.TileTypeError, "reverse: expected True or False"),
    ("ct.load(a, (0,), (n,)).max(0, keepdims=1)", ct.TileTypeError, "keepdims: expected True or False"),
    ("ct.bid(0) is n", ct.TileTypeError, "is compares it only with None"),
    ("(a, 1) is not (a, 1)", ct.TileTypeError, "is not compares it only with None"),
    ("with contextlib.nullcontext(): pass", ct.TileSyntaxError, "with takes a call"),
]
