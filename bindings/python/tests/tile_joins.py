"""Kernels of test_tile_joins.py: values of names where paths meet."""
import cucore.tile as ct


@ct.kernel
def array_of_if(x, y, out, which):
    if which:
        a = x
    else:
        a = y
    ct.store(out, (0,), ct.load(a, (0,), (4,)))


@ct.kernel
def array_of_for(x, y, out, turns):
    a = x
    for _ in range(turns):
        a = y
    ct.store(out, (0,), ct.load(a, (0,), (4,)))


@ct.kernel
def array_of_while(x, y, out, turns):
    pair, i = (x, y), 0
    while i < turns:
        pair = pair[1], pair[0]
        i += 1
    ct.store(out, (0,), ct.load(pair[0], (0,), (4,)))


@ct.kernel
def array_of_expression(x, y, out, which):
    ct.store(out, (0,), ct.load(y if which > 2 else x, (0,), (4,)))


@ct.kernel
def stored_to(x, y, out, turns):
    target = x
    if turns < 100:
        for _ in range(turns):
            target = y
    ct.store(target, (0,), ct.full((4,), 7, x.dtype))
    ct.store(out, (0,), ct.load(y, (0,), (4,)))


def _number(n):
    return ct.full((4,), n, ct.float32)


@ct.kernel
def one_constant(x, y, out, which):
    if which:
        n = 4
    else:
        n = 2 + 2
    ct.store(out, (0,), ct.full((n,), n, ct.float32))  # an extent: the same constant on both paths


@ct.kernel
def one_constant_by_break(x, y, out, which):
    n = 0
    while True:
        if which < 3:
            n = 4
            break
        n = 4
        break
    ct.store(out, (0,), ct.full((n,), n, ct.float32))


@ct.kernel
def first_bound_in_a_loop(x, y, out, turns):
    i = 0
    while True:
        if i >= turns:
            last = _number(i), i
            break
        i += 3
    ct.store(out, (0,), last[0] + last[1])


@ct.kernel
def bound_anew(x, y, out, turns):
    t = ct.load(x, (0,), (4,))
    total = ct.zeros((4,), ct.float32)
    for i in range(turns):
        t = ct.load(x, (i % 2, ), (2,))  # of another shape; rebound before it is read
        total += ct.sum(t)
        t = ct.load(x, (0,), (4,))
    ct.store(out, (0,), total)


@ct.kernel
def two_numbers(x, y, out, which):
    if which > 1:
        n = 5
    else:
        n = 7
    both = ct.arange(4, dtype=ct.int8) + n
    ct.static_assert(both.dtype == ct.int32)
    ct.store(out, (0,), both.astype(ct.float32))


@ct.kernel
def conditions(x, y, out, n):
    total = 0
    if n:
        total += 1
    if n and n > 2:
        total += 2
    if not n or n == 3:
        total += 4
    total += 8 if n else 16
    while n:
        total += 32
        n = 0
    ct.store(out, (0,), ct.full((4,), total, ct.float32))


def found(x, wanted):
    i = 0
    while i < 4:
        if ct.load(x, (i,), ()) == wanted:
            return i + 10
        i += 1
    return -1


@ct.kernel
def out_of_a_loop(x, y, out, n):
    at = found(x, n)
    ct.store(out, (0,), _number(at))


def nested(n):
    i = 0
    while i < n:
        j = 0
        while j < n:
            if i * j == 6:
                return i + 100
            j += 1
        i += 1
    return i


@ct.kernel
def out_of_two_loops(x, y, out, n):
    ct.store(out, (0,), _number(nested(n)))


@ct.kernel
def only_one_arm_runs(x, y, out, n):
    def written(value):
        ct.store(y, (0,), ct.full((4,), value, ct.float32))
        return value
    chosen = written(1) if n > 1 else written(2)
    ct.store(out, (0,), ct.load(y, (0,), (4,)) + chosen)


@ct.kernel
def after_the_loop(x, y, out, n):
    i = -1
    for i in range(n):
        pass
    ct.store(out, (0,), _number(i))


@ct.kernel
def summed_windows(x, y, out, n):
    windows = out.tiled_view((2,), traversal_steps=(1,))
    for i in range(1, 4):
        windows.atomic_store_add((i,), ct.ones((2,), ct.float32))


@ct.kernel
def scalars_of_a_view(x, y, out, n):
    ones = out.tiled_view(())
    for i in range(4):
        ones.store(i, x.tiled_view(()).load(n) if i != 1 else 1.0)


@ct.kernel
def tuples_compared(x, y, out, n):
    i = ct.bid(0)
    pair, total = (n, (i, 2)), 0
    if pair == (3, (0, 2)):
        total += 1
    if pair != (3, (0, 2)):
        total += 2
    if pair == (3, (0, 4)) or pair == (3, 0):
        total += 4
    if n in (1, 3):
        total += 8
    if n not in (1, n + 1):
        total += 16
    ct.store(out, (0,), ct.full((4,), total, ct.float32))


@ct.kernel
def comprehended(x, y, out, n):
    sums = tuple(a * 10 + c for a in (0, 1, 2) if a != 1 for c in range(a + 1))
    ct.store(out, (0,), ct.astile(sums, dtype=ct.float32))


@ct.kernel
def remainders(x, y, out, n):
    i = ct.bid(0)
    ct.store(out, (i,), ct.load(x, (i,), (4,)) % ct.load(y, (i,), (4,)))
