"""Test kernels; each is an idiom of cuTile users."""
import math

import numpy as np

import cucore.tile as ct
from cucore.tile import RoundingMode as RMd

ConstInt = ct.Constant[int]
ConstBool = ct.Constant[bool]
INV_LOG_2 = 1.0 / math.log(2)


@ct.kernel
def add_tiles(a, b, c, n: ConstInt):
    """Adds."""
    i = ct.bid(0)
    x = ct.load(a, index=(i,), shape=(n,))
    y = ct.load(b, index=i, shape=n)
    ct.store(c, index=(i,), tile=x + y)


@ct.kernel
def add_elements(a, b, c, n: ConstInt):
    at = ct.bid(0) * n + ct.arange(n, dtype=np.int32)
    x, y = ct.gather(a, at), ct.gather(b, (at,))
    ct.scatter(c, at, x + y)


@ct.kernel
def add_2d(a, b, c, m: ConstInt, n: ConstInt):
    i, j = ct.bid(0), ct.bid(1)
    rows = (i * m + ct.arange(m, dtype=ct.int32))[:, None]
    columns = (j * n + ct.arange(n, dtype=ct.int32))[None, :]
    ct.scatter(c, (rows, columns), ct.gather(a, (rows, columns)) + ct.gather(b, (rows, columns)))


@ct.kernel
def transpose(x, y, tm: ConstInt, tn: ConstInt):
    i, j = ct.bid(0), ct.bid(1)
    tile = ct.load(x, index=(i, j), shape=(tm, tn))
    ct.store(y, index=(j, i), tile=ct.transpose(tile))


@ct.kernel
def transpose_by_order(x, y, tm: ConstInt, tn: ConstInt):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(y, index=(i, j), tile=ct.load(x, index=(i, j), shape=(tm, tn), order="F"))


@ct.kernel
def store_by_order(x, y, tm: ConstInt, tn: ConstInt):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(y, index=(i, j), tile=ct.load(x, index=(i, j), shape=(tm, tn)), order=(1, 0))


def grouped(m_tiles, n_tiles, group, block):
    """Map a block to its output tile, so that neighboring blocks work on nearby tiles."""
    in_group = group * n_tiles
    first = block // in_group * group
    size = min(m_tiles - first, group)
    return first + block % in_group % size, block % in_group // size


@ct.kernel(num_ctas=ct.ByTarget(sm_100=2))
def matmul(A, B, C, tm: ConstInt, tn: ConstInt, tk: ConstInt):
    M, N = A.shape[0], B.shape[1]
    i, j = grouped(ct.cdiv(M, tm), ct.cdiv(N, tn), 8, ct.bid(0))
    acc = ct.full((tm, tn), 0, dtype=ct.float32)
    dtype = ct.tfloat32 if A.dtype == ct.float32 else A.dtype
    for k in range(ct.num_tiles(A, axis=1, shape=(tm, tk))):
        a = ct.load(A, index=(i, k), shape=(tm, tk), padding_mode=ct.PaddingMode.ZERO).astype(dtype)
        b = ct.load(B, index=(k, j), shape=(tk, tn), padding_mode=ct.PaddingMode.ZERO).astype(dtype)
        acc = ct.mma(a, b, acc)
    ct.store(C, index=(i, j), tile=ct.astype(acc, C.dtype))


@ct.kernel
def persistent_matmul(A, B, C, tm: ConstInt, tn: ConstInt, tk: ConstInt):
    tiles_m, tiles_n = ct.cdiv(A.shape[0], tm), ct.cdiv(B.shape[1], tn)
    for current in range(ct.bid(0), tiles_m * tiles_n, ct.num_blocks(0)):
        acc = ct.zeros((tm, tn), ct.float32)
        i, j = grouped(tiles_m, tiles_n, 8, current)
        for k in range(ct.num_tiles(A, axis=1, shape=(tm, tk))):
            a = ct.load(A, (i, k), (tm, tk))
            b = ct.load(B, (k, j), (tk, tn))
            acc += a @ b
        ct.store(C, (i, j), acc.astype(C.dtype))


@ct.kernel(occupancy=2)
def attention(Q, K, V, Out, qk_scale: float, input_pos: int, D: ConstInt, DV: ConstInt, H: ConstInt,
              TM: ConstInt, TN: ConstInt, GROUP: ConstInt, CAUSAL: ConstBool, EVEN_K: ConstBool):
    block_x, block_y = ct.bid(0), ct.bid(1)
    batch, head = block_y // H, block_y % H
    kv_head = head // GROUP
    qk_scale = qk_scale * INV_LOG_2
    offs_m = block_x * TM + ct.arange(TM, dtype=np.int32)
    offs_m += input_pos
    offs_m = offs_m[:, None]
    offs_n_tile = ct.arange(TN, dtype=np.int32)[None, :]
    m_i = ct.full((TM, 1), -np.inf, dtype=np.float32)
    l_i = ct.full((TM, 1), 0.0, dtype=np.float32)
    acc = ct.full((TM, DV), 0.0, dtype=np.float32)
    q = ct.load(Q, index=(batch, head, block_x, 0), shape=(1, 1, TM, D)).reshape((TM, D))
    m_end = input_pos + (block_x + 1) * TM
    seqlen = K.shape[2]
    if CAUSAL:
        mask_start = min((input_pos + block_x * TM) // TN, seqlen // TN)
        turns = ct.cdiv(min(m_end, seqlen), TN)
    else:
        turns = ct.cdiv(seqlen, TN)
        mask_start = seqlen // TN
    for j in range(0, turns):
        k = ct.load(K, index=(batch, kv_head, 0, j), shape=(1, 1, D, TN), order=(0, 1, 3, 2), latency=2)
        qk = ct.mma(q, k.reshape((D, TN)), ct.full((TM, TN), 0.0, dtype=np.float32))
        if (CAUSAL or not EVEN_K) and j >= mask_start:
            offs_n = j * TN + offs_n_tile
            mask = ct.full((TM, TN), True, dtype=np.bool_)
            if not EVEN_K:
                mask = mask & (offs_n < seqlen)
            if CAUSAL:
                mask = mask & (offs_m >= offs_n)
            qk += ct.where(mask, 0.0, -np.inf)
        m_ij = max(m_i, ct.max(qk, axis=-1, keepdims=True) * qk_scale)
        qk = qk * qk_scale - m_ij
        p = ct.exp2(qk, flush_to_zero=True)
        alpha = ct.exp2(m_i - m_ij, flush_to_zero=True)
        l_i = l_i * alpha + ct.sum(p, axis=-1, keepdims=True)
        acc = acc * alpha
        v = ct.load(V, index=(batch, kv_head, j, 0), shape=(1, 1, TN, DV), latency=4).reshape((TN, DV))
        acc = ct.mma(p.astype(Q.dtype), v, acc)
        m_i = m_ij
    acc = ct.truediv(acc, l_i, flush_to_zero=True, rounding_mode=RMd.APPROX)
    ct.store(Out, index=(batch, head, block_x, 0), tile=acc.reshape((1, 1, TM, DV)).astype(Out.dtype))


@ct.kernel
def layer_norm(X, W, B, Y, Mean, Rstd, eps, TILE_N: ConstInt):
    row = ct.bid(0)
    num_tiles = ct.num_tiles(X, axis=1, shape=(1, TILE_N))
    N = X.shape[1]
    mean = ct.full((1, TILE_N), 0, dtype=ct.float32)
    for j in range(num_tiles):
        mean += ct.load(X, index=(row, j), shape=(1, TILE_N), padding_mode=ct.PaddingMode.ZERO)
    mean = ct.sum(mean, axis=1) / N
    ct.store(Mean, index=(row,), tile=mean)
    var = ct.full((1, TILE_N), 0, dtype=ct.float32)
    for j in range(num_tiles):
        tx = ct.load(X, index=(row, j), shape=(1, TILE_N), padding_mode=ct.PaddingMode.ZERO)
        mask = (j * TILE_N + ct.arange(TILE_N, dtype=ct.int32)) < N
        centered = ct.where(mask, tx - mean, 0)
        var += centered**2
    rstd = 1 / ct.sqrt(ct.sum(var, axis=1) / N + eps)
    ct.store(Rstd, index=(row,), tile=rstd)
    for j in range(num_tiles):
        tx = ct.load(X, index=(row, j), shape=(1, TILE_N))
        tw = ct.load(W, index=(j,), shape=(TILE_N,))
        tb = ct.load(B, index=(j,), shape=(TILE_N,))
        ct.store(Y, index=(row, j), tile=((tx - mean) * rstd * tw + tb).astype(Y.dtype))


@ct.kernel
def locked_sum(x, total, lock, n: ConstInt):
    part = ct.sum(ct.load(x, (ct.bid(0),), (n,)))
    while ct.atomic_cas(lock, 0, 0, 1, memory_order=ct.MemoryOrder.ACQUIRE) == 1:
        pass
    ct.store(total, (0,), ct.load(total, (0,), (1,)) + part)
    ct.atomic_xchg(lock, 0, 0, memory_order=ct.MemoryOrder.RELEASE)


@ct.kernel
def counted(x, bins, n: ConstInt):
    ids = ct.load(x, (ct.bid(0),), (n,))
    ct.atomic_add(bins, ids, 1)


@ct.kernel(occupancy=4, num_worker_warps=4, opt_level=3)
def _fourier(x_in: ct.Array, y_out: ct.Array, W0, W1, T, N: ConstInt, F0: ConstInt, F1: ConstInt,
             BS: ConstInt):
    """Compute a Fourier transform of N = F0 F1 numbers with matrix products, alternating real and
    imaginary parts."""

    def halves(pair, shape):
        size = pair.shape[:-1] + (1,)
        return (ct.reshape(ct.extract(pair, index=(0,) * pair.ndim, shape=size), shape),
                ct.reshape(ct.extract(pair, index=(0,) * (pair.ndim - 1) + (1,), shape=size), shape))

    def times(ar, ai, br, bi):
        return ct.matmul(ar, br) - ct.matmul(ai, bi), ct.matmul(ai, br) + ct.matmul(ar, bi)

    block = ct.bid(0)
    xr, xi = halves(ct.load(x_in, index=(block, 0, 0), shape=(BS, N, 2)), (BS, F0, F1))
    w0r, w0i = halves(ct.load(W0, (0, 0, 0), (F0, F0, 2)), (1, F0, F0))
    w1r, w1i = halves(ct.load(W1, (0, 0, 0), (F1, F1, 2)), (1, F1, F1))
    tr, ti = halves(ct.load(T, (0, 0, 0), (F0, F1, 2)), (1, F0, F1))
    xr, xi = times(w0r, w0i, xr, xi)
    xr, xi = tr * xr - ti * xi, ti * xr + tr * xi
    xr, xi = ct.permute(xr, (0, 2, 1)), ct.permute(xi, (0, 2, 1))
    xr, xi = times(w1r, w1i, xr, xi)
    y = ct.cat((ct.reshape(xr, (BS, N, 1)), ct.reshape(xi, (BS, N, 1))), axis=-1)
    ct.store(y_out, index=(block, 0, 0), tile=y)


@ct.kernel
def swiglu(input, output, n: ConstInt, approx: ct.Constant[bool]):
    a = ct.astype(ct.load(input, index=(ct.bid(0), 0), shape=(1, n)), np.float32)
    b = ct.astype(ct.load(input, index=(ct.bid(0), 1), shape=(1, n)), np.float32)
    rounding = RMd.APPROX if approx else None
    sigmoid = ct.truediv(1.0, ct.add(1, ct.exp(-a), flush_to_zero=True), rounding_mode=rounding)
    ct.store(output, (ct.bid(0), 0), ct.mul(ct.mul(a, sigmoid), b).astype(output.dtype))


@ct.kernel
def softmax(x, y, n: ConstInt):
    row = ct.load(x, (ct.bid(0), 0), (1, n), padding_mode=ct.PaddingMode.NEG_INF)
    e = ct.exp(row - ct.max(row, axis=1, keepdims=True))
    ct.store(y, (ct.bid(0), 0), e / ct.sum(e, axis=1, keepdims=True))


@ct.kernel
def reductions(x, out, m: ConstInt, n: ConstInt):
    t = ct.load(x, (0, 0), (m, n))
    ct.store(out, (0,), ct.sum(t))
    ct.store(out, (1,), ct.max(ct.min(t, axis=0)))
    ct.store(out, (2,), ct.sum(ct.argmax(t, axis=1)).astype(ct.float32))
    ct.store(out, (3,), ct.argmin(t).astype(ct.float32))
    ct.store(out, (4,), ct.prod(ct.sum(t, axis=(0, 1), keepdims=True)).item())
    ct.store(out, (5,), ct.sum(ct.reduce(t, 1, lambda a, b: a + 2 * b if False else a + b, 0.0)))
    best, where = ct.reduce((t.reshape((-1,)), ct.arange(m * n, dtype=ct.float32)), 0, larger,
                            (-math.inf, -1.0))
    ct.store(out, (6,), best)
    ct.store(out, (7,), where)


def larger(x, i, y, j):
    first = x >= y
    return ct.where(first, x, y), ct.where(first, i, j)


@ct.kernel
def scans(x, out, n: ConstInt):
    t = ct.load(x, (0,), (n,))
    ct.store(out, (0, 0), ct.cumsum(t, 0)[None, :])
    ct.store(out, (1, 0), ct.cumsum(t, axis=0, reverse=True)[None, :])
    ct.store(out, (2, 0), ct.scan(t, 0, lambda a, b: ct.maximum(a, b), -math.inf)[None, :])


@ct.kernel
def ranks(x, out, counts, moved, n: ConstInt):
    t = ct.load(x, (0,), (n,))
    to, count = ct.rank(t % 4, 4)
    ct.store(counts, (0,), count)
    ct.store(out, (0, 0), ct.place(t, to)[None, :])
    ct.store(out, (1, 0), ct.place(t, ct.rank(t, digits=8)[0], padding_value=-7)[None, :])
    ct.store(moved, (0,), ct.place(t, ct.arange(n, dtype=ct.int32) - 5, extent=8))


@ct.kernel
def branches(x, out, which, n: ConstInt):
    t = ct.load(x, (0,), (n,))
    scale = 1.0
    if which == 0:
        sign = ct.full((n,), 1.0, ct.float32)
        scale = 2.0
    elif which == 1:
        sign = ct.full((n,), -1.0, ct.float32)
    else:
        sign = t
        count = 3
        while count > 0:
            count -= 1
            if count == 1:
                continue
            scale += 1.0
    if which == 9:
        return
    ct.store(out, (0,), t * sign * scale)


@ct.kernel
def loops(out, n, parts: ConstInt):
    total = 0
    for i in range(n):
        if i == 7:
            break
        if i % 2 == 1:
            continue
        total += i
    for i in range(10, n, 3):
        total += i
    for step in range(0, n, ct.num_blocks(0) + 1):
        if step % 4 == 0:
            continue
        total = total + step
    low, high = 0, n
    while low + 1 < high:
        middle = (low + high) // 2
        if middle * middle <= n:
            low = middle
        else:
            high = middle
    for part in (1, 2, parts):
        total = total * part
    ct.store(out, (0,), total)
    ct.store(out, (1,), low)
    ct.store(out, (2,), ct.bid(0))
    ct.store(out, (3,), sum([p * 2 for p in (1, 2, 3) if p != 2]))


@ct.kernel
def names(x, out, n: ConstInt):
    """Reuse names for other shapes after their last read."""
    total = ct.zeros((n,), ct.float32)
    for i in range(2):
        t = ct.load(x, (i,), (n,))
        if i == 0:
            t = t * 2.0
            part = ct.sum(t)
        else:
            part = ct.sum(ct.load(x, (0,), (n // 2,)))
        total += t + part
    t = ct.load(x, (0,), (n // 2,))
    for i in range(2):
        t = t * t
    if n > 2:
        part = t
    for i in (0, 1):
        if ct.sum(total) > -1e30:
            t = ct.full((n, 2), i, ct.float32)
            total += ct.max(t)
    ct.store(out, (0,), total)
    ct.store(out, (2,), part)


@ct.kernel
def views(x, y, n: ConstInt):
    def doubled(tile, by=2.0):
        return tile * by

    rows = x.tiled_view((1, n))
    part = y.slice(0, ct.bid(0), ct.bid(0) + 1)
    for j in range(rows.num_tiles(1)):
        t = doubled(rows.load((ct.bid(0), j)))
        halves = ct.extract(t, (0, 0), (1, n // 2)), ct.extract(t, (0, 1), (1, n // 2))
        ct.store(part, (0, j), ct.cat(halves, 1))


@ct.kernel
def gathered(parts, out, n: ConstInt):
    """Use a tuple of arrays, and combine block sums by atomic addition."""
    total = ct.zeros((n,), ct.float32)
    for part in parts[:-1]:
        total += ct.load(part, (ct.bid(0),), (n,))
    view = out.tiled_view((n,))
    view.atomic_store_add((0,), total * parts[-1])
    ct.printf("%d: %5.2f%%\n", ct.bid(0), ct.sum(total))


@ct.kernel
def speaking(x, n: ConstInt):
    t = ct.load(x, (0,), (n,))
    ct.assert_(ct.sum(t) >= 0, "the sum is negative")
    print(f"sum {ct.sum(t)} of", n)


@ct.kernel
def scalars(out, i, f, flag: bool, wide: ct.ScalarInt64):
    ct.store(out, (0,), i * 2.0 + f)
    ct.store(out, (1,), 1.0 if flag else -1.0)
    ct.store(out, (2,), (wide // 2**32).astype(ct.float32))
