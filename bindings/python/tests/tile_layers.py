"""Kernels of neural network layers: experts, grouped products, decoding, random numbers."""
import math

import numpy as np

import cucore.tile as ct
from cucore.tile import RoundingMode as RMd

ConstInt = ct.Constant[int]
ConstBool = ct.Constant[bool]
ZERO = ct.PaddingMode.ZERO


@ct.kernel
def experts(a_flat, b, c_flat, weights, token_ids, expert_ids, padded, N: ConstInt, K: ConstInt, EM: int,
            tokens: int, TM: ConstInt, TN: ConstInt, TK: ConstInt, GROUP: ConstInt, WEIGHTED: ConstInt,
            top_k: ConstInt):
    """Multiply gathered token rows by the weights of the block's expert."""
    bid = ct.bid(axis=0)
    m_tiles, n_tiles = ct.cdiv(EM, TM), ct.cdiv(N, TN)
    in_group = GROUP * n_tiles
    first = bid // in_group * GROUP
    group = min(m_tiles - first, GROUP)
    i = first + ((bid % in_group) % group)
    j = (bid % in_group) // group
    count = ct.gather(padded, 0, padding_value=0)
    if i * TM < count:
        offs = i * TM + ct.arange(TM, dtype=ct.int32)
        token = ct.gather(token_ids, offs, padding_value=0)
        valid = token < tokens
        expert = ct.load(expert_ids, index=(i,), shape=(1,)).item()
        rows = (token // top_k)[:, None] * K
        acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
        for k in range(0, ct.cdiv(K, TK)):
            cols = k * TK + ct.arange(TK, dtype=ct.int32)
            inside = ct.broadcast_to(valid[:, None], (TM, TK)) & (cols[None, :] < K)
            x = ct.gather(a_flat, rows + cols[None, :], mask=inside, padding_value=0)
            w = ct.load(b, index=(expert, k, j), shape=(1, TK, TN), order=(0, 2, 1), padding_mode=ZERO)
            acc = ct.mma(x, ct.reshape(w, (TK, TN)), acc)
        if WEIGHTED:
            weight = ct.gather(weights, token, padding_value=0)
            acc = acc * ct.expand_dims(weight, axis=1)
        to = j * TN + ct.arange(TN, dtype=ct.int32)
        where = N * token[:, None] + to[None, :]
        ct.scatter(c_flat, where, ct.astype(acc, c_flat.dtype), mask=valid[:, None] & (to[None, :] < N))


@ct.kernel
def groups(As, Bs, Cs, TM: ConstInt, TN: ConstInt, TK: ConstInt, STEP: ConstInt, TRANSPOSED: ConstBool):
    """Compute products of many shapes; each block moves from one to the next."""
    at = ct.bid(0)
    end = 0
    for g in ct.static_iter(range(len(As))):
        Ai, Bi, Ci = As[g], Bs[g], Cs[g]
        m_tiles, k_tiles = ct.num_tiles(Ai, 0, (TM, TK)), ct.num_tiles(Ai, 1, (TM, TK))
        if TRANSPOSED:
            n_tiles = ct.num_tiles(Bi, 0, (TN, TK))
        else:
            n_tiles = ct.num_tiles(Bi, 1, (TK, TN))
        count = m_tiles * n_tiles
        while at >= end and at < end + count:
            here = at - end
            i, j = here // n_tiles, here % n_tiles
            acc = ct.zeros((TM, TN), dtype=ct.float32)
            for k in range(k_tiles):
                a = ct.load(Ai, (i, k), shape=(TM, TK), padding_mode=ZERO)
                if TRANSPOSED:
                    b = ct.transpose(ct.load(Bi, (j, k), shape=(TN, TK), padding_mode=ZERO))
                else:
                    b = ct.load(Bi, (k, j), shape=(TK, TN), padding_mode=ZERO)
                acc = ct.mma(a, b, acc)
            ct.store(Ci, (i, j), tile=ct.astype(acc, Ci.dtype))
            at += STEP
        end = end + count


@ct.kernel
def gathered_product(parts, w, out, TM: ConstInt, TN: ConstInt, TK: ConstInt):
    """In each block, read the array that is selected from a list at run time."""
    rows = parts[0].shape[0]
    per_part = ct.cdiv(rows, TM)
    i, j = ct.bid(0), ct.bid(1)
    part = parts[i // per_part]
    dtype = ct.tfloat32 if part.dtype == ct.float32 else part.dtype
    acc = ct.full((TM, TN), 0, dtype=ct.float32)
    for k in range(ct.num_tiles(w, axis=0, shape=(TK, TN))):
        a = ct.load(part, index=(i % per_part, k), shape=(TM, TK), padding_mode=ZERO).astype(dtype)
        b = ct.load(w, index=(k, j), shape=(TK, TN), padding_mode=ZERO).astype(dtype)
        acc = ct.mma(a, b, acc)
    ct.store(out, index=(i, j), tile=ct.astype(acc, out.dtype))


@ct.kernel
def list_ops(arrays, out, n: ConstInt):
    """Use all queries and accesses on an array that is selected at run time."""
    which = ct.bid(0) % len(arrays)
    one = arrays[which]
    total = ct.zeros((n,), dtype=ct.float32)
    for i in range(len(arrays)):
        total += ct.load(arrays[i], (0,), (n,), padding_mode=ZERO)
    offs = ct.arange(n, dtype=ct.int32)
    here = ct.gather(one, offs, padding_value=-1.0) + ct.num_tiles(one, 0, (4,)) * 100
    ct.scatter(one, offs, here + one.shape[0] * 1000)
    ct.store(out, (ct.bid(0), 0), ct.reshape(total, (1, n)))


@ct.kernel(occupancy=4)
def softmax_rows(output, input, ROWS: ConstInt, TILE: ConstInt):
    """Gather rows in a loop."""
    offsets = ct.arange(TILE, dtype=ct.int32)
    for row in range(ct.bid(0), ROWS, ct.num_blocks(0)):
        x = ct.gather(input, (row, offsets), check_bounds=True, padding_value=-math.inf).astype(ct.float32)
        e = ct.exp(x - ct.max(x, 0, keepdims=True))
        y = ct.truediv(e, ct.sum(e, 0, keepdims=True), rounding_mode=RMd.APPROX, flush_to_zero=True)
        ct.scatter(output, (row, offsets), ct.astype(y, input.dtype), check_bounds=TILE != 64)


@ct.kernel
def softmax_chunks(output, input, ROWS: ConstInt, COLS: ConstInt, TILE: ConstInt):
    """Make three passes over a row that is longer than a tile."""
    for row in range(ct.bid(0), ROWS, ct.num_blocks(0)):
        top = ct.full((1,), -math.inf, dtype=ct.float32)
        total = ct.full((1,), 0.0, dtype=ct.float32)
        base = ct.arange(TILE, dtype=ct.int32)
        chunks = (COLS + TILE - 1) // TILE
        for chunk in range(chunks):
            at = ct.full((TILE,), chunk * TILE, dtype=ct.int32) + base
            x = ct.gather(input, (row, at), padding_value=-math.inf).astype(ct.float32)
            top = ct.maximum(top, ct.max(x, 0, keepdims=True))
        for chunk in range(chunks):
            at = ct.full((TILE,), chunk * TILE, dtype=ct.int32) + base
            x = ct.gather(input, (row, at), padding_value=-math.inf).astype(ct.float32)
            total = total + ct.sum(ct.exp(x - top), 0, keepdims=True)
        inverse = ct.truediv(1.0, total, rounding_mode=RMd.APPROX, flush_to_zero=True)
        for chunk in range(chunks):
            at = ct.full((TILE,), chunk * TILE, dtype=ct.int32) + base
            x = ct.gather(input, (row, at), padding_value=-math.inf).astype(ct.float32)
            ct.scatter(output, (row, at), ct.astype(ct.exp(x - top) * inverse, input.dtype))


@ct.kernel
def rotate(q, cos, sin, COS_BATCH: ConstInt, SEQ: ConstInt, HEADS: ConstInt, HALF: ConstInt):
    """Apply a rotary position embedding in place."""
    batch, row = ct.bid(0) // SEQ, ct.bid(0) % SEQ
    cos_batch = 0 if COS_BATCH == 1 else batch
    c = ct.load(cos, index=(cos_batch, row, 0), shape=(1, 1, HALF), padding_mode=ZERO).reshape((1, HALF))
    s = ct.load(sin, index=(cos_batch, row, 0), shape=(1, 1, HALF), padding_mode=ZERO).reshape((1, HALF))
    shape = (1, HEADS, 1, HALF)
    x = ct.load(q, index=(batch, 0, row, 0), shape=shape, padding_mode=ZERO).reshape((HEADS, HALF))
    y = ct.load(q, index=(batch, 0, row, 1), shape=shape, padding_mode=ZERO).reshape((HEADS, HALF))
    ct.store(q, index=(batch, 0, row, 0), tile=(x * c - y * s).reshape(shape).astype(q.dtype))
    ct.store(q, index=(batch, 0, row, 1), tile=(y * c + x * s).reshape(shape).astype(q.dtype))


@ct.kernel
def dropout(x, output, P: ct.Constant[float], SEED: ConstInt, TILE: ConstInt, TRAINING: ConstBool):
    """Make random numbers with a wrapping 32-bit hash."""
    offsets = ct.arange(TILE, dtype=ct.int32) + ct.bid(0) * TILE
    value = ct.gather(x, offsets, padding_value=0)
    result = ct.zeros((TILE,), dtype=value.dtype)
    if TRAINING:
        mixed = offsets * 1103515245 + ct.full((TILE,), SEED, dtype=ct.int32)
        mixed = ct.bitwise_xor(mixed, ct.bitwise_rshift(mixed, 16))
        mixed = ct.bitwise_xor(mixed, ct.bitwise_lshift(mixed, 8))
        mixed = ct.bitwise_xor(mixed, ct.bitwise_rshift(mixed, 4))
        share = ct.astype(ct.bitwise_and(mixed, 0x7FFFFFFF), ct.float32) / 2147483647.0
        if P >= 1.0:
            scale = ct.zeros((TILE,), dtype=value.dtype)
        else:
            scale = ct.full((TILE,), 1.0 / (1.0 - P), dtype=value.dtype)
        result = ct.where(share > P, value * scale, result)
    else:
        result = value
    ct.scatter(output, offsets, result)


@ct.kernel
def decode(Q, K, V, Out, Lse, scale: float, S: int, D: ConstInt, TN: ConstInt, SPLIT: ConstInt,
           PER_KV: ConstInt, QT: ConstInt):
    """Attend from one query of several heads to a part of the keys, and store the values with which
    the parts are merged."""
    batch, head, tile_id = ct.bid(0), ct.bid(1), ct.bid(2)
    qk_scale = ct.mul(scale, 1.0 / math.log(2))
    q = ct.load(Q, index=(batch, head, 0, 0), shape=(1, 1, QT, D), order=(0, 1, 2, 3), allow_tma=True)
    q = ct.transpose(ct.reshape(q, (QT, D)))
    start = ct.mul(tile_id, SPLIT)
    end = ct.minimum(ct.add(start, SPLIT), S)
    m = ct.full((QT,), -math.inf, dtype=ct.float32)
    l = ct.full((TN, QT), 1.0, dtype=ct.float32)
    acc = ct.full((D, QT), 0.0, dtype=ct.float32)
    offs = ct.arange(TN, dtype=ct.int32)
    if end > start:
        for turn in range(ct.cdiv(SPLIT, TN)):
            at = start // TN + turn
            k = ct.reshape(ct.load(K, index=(batch, head, at, 0), shape=(1, 1, TN, D)), (TN, D))
            qk = ct.matmul(k, q)
            if at * TN + TN > S:
                qk = ct.where(ct.less(ct.add(at * TN, offs[:, None]), S), qk, -1.0e6)
            scaled = ct.mul(qk, qk_scale)
            m_new = ct.maximum(m, ct.max(scaled, 0))
            p = ct.exp2(ct.sub(scaled, m_new[None, :]))
            alpha = ct.exp2(ct.sub(m, m_new))
            l = ct.add(ct.mul(l, alpha[None, :]), p)
            acc = ct.mul(acc, alpha[None, :])
            v = ct.transpose(ct.reshape(ct.load(V, index=(batch, head, at, 0), shape=(1, 1, TN, D)), (TN, D)))
            acc = ct.mma(v, ct.astype(p, q.dtype), acc=acc)
            m = m_new
    total = ct.sum(l, 0)
    acc = ct.truediv(acc, total[None, :], flush_to_zero=True, rounding_mode=RMd.APPROX)
    acc = ct.astype(ct.transpose(acc), Out.dtype)
    rows, columns = ct.arange(QT, dtype=ct.int32)[:, None], ct.arange(D, dtype=ct.int32)[None, :]
    if PER_KV == QT:
        ct.store(Out, index=(batch, head, 0, tile_id, 0), tile=ct.reshape(acc, (1, 1, QT, 1, D)),
                 order=(0, 1, 2, 3, 4), allow_tma=True)
    else:
        ct.scatter(Out, (batch, head, rows, tile_id, columns), acc, check_bounds=True, latency=1)
    ct.scatter(Lse, (batch, head, ct.arange(QT, dtype=ct.int32), tile_id), ct.add(m, ct.log2(total)),
               check_bounds=True, latency=1)


@ct.kernel
def count_experts(ids, counts, EXPERTS: ConstInt, NUMEL: ConstInt, EACH: ConstInt, CHUNK: ConstInt,
                  WIDE: ConstInt):
    """In each block, count the tokens of each expert in the block's part of the ids."""
    bid = ct.bid(0)
    start = bid * EACH
    expert = ct.arange(WIDE, dtype=ct.int32)
    found = ct.zeros((WIDE,), dtype=ct.int32)
    within = ct.arange(CHUNK, dtype=ct.int32)
    for sub in range(0, EACH, CHUNK):
        at = start + sub + within
        mask = (at < NUMEL) & ((sub + within) < EACH)
        mine = ct.gather(ids, at, mask=mask, padding_value=EXPERTS)
        found = found + ct.sum((mine[:, None] == expert[None, :]).astype(ct.int32), axis=0)
    ct.scatter(counts, (bid + 1) * EXPERTS + expert, found, mask=expert < EXPERTS)


@ct.kernel
def stamp_blocks(ends, blocks, SIZE: ConstInt):
    """In block e, store e for every block of tokens that belongs to expert e."""
    bid = ct.bid(0)
    first = ct.gather(ends, bid, padding_value=0) // SIZE
    last = (ct.gather(ends, bid + 1, padding_value=0) + SIZE - 1) // SIZE
    count = max(0, last - first)
    for i in range(count):
        ct.scatter(blocks, first + i, bid)


@ct.kernel
def running_totals(counts, ends, EXPERTS: ConstInt, SIZE: ConstInt):
    """Loop from 1 on over one-element tiles."""
    last = ct.zeros((1,), dtype=ct.int32)
    for i in range(1, EXPERTS + 1):
        count = ct.gather(counts, i - 1 + ct.arange(1, dtype=ct.int32), padding_value=0)
        size = ct.full((1,), SIZE, dtype=count.dtype)
        last = last + (count + (size - ct.ones((1,), dtype=count.dtype))) // size * size
        ct.scatter(ends, ct.full((1,), i, dtype=ct.int32), last)


@ct.kernel
def batched(A, B, C, tm: ConstInt, tn: ConstInt, tk: ConstInt):
    """Compute batched products on a three-axis grid."""
    batch, i, j = ct.bid(0), ct.bid(1), ct.bid(2)
    acc = ct.zeros((tm, tn), dtype=ct.float32)
    for k in range(ct.num_tiles(A, axis=2, shape=(1, tm, tk))):
        a = ct.load(A, index=(batch, i, k), shape=(1, tm, tk), padding_mode=ZERO)
        b = ct.load(B, index=(batch, k, j), shape=(1, tk, tn), padding_mode=ZERO)
        acc = ct.mma(a.reshape((tm, tk)), b.reshape((tk, tn)), acc)
    ct.store(C, index=(batch, i, j), tile=acc.astype(C.dtype).reshape((1, tm, tn)))


@ct.kernel
def rounded(x, y, out, n: ConstInt):
    """Use every rounding mode, for sums, quotients and other operations."""
    a, b = ct.load(x, (0,), (n,)), ct.load(y, (0,), (n,))
    ways = (RMd.RN, RMd.RZ, RMd.RM, RMd.RP)
    for i, way in enumerate(ways):
        ct.store(out, (i, 0), ct.reshape(ct.add(a, b, rounding_mode=way), (1, n)))
        ct.store(out, (4 + i, 0), ct.reshape(ct.truediv(a, b, rounding_mode=way), (1, n)))
    close = ct.truediv(a, b, rounding_mode=RMd.APPROX, flush_to_zero=True)
    ct.store(out, (8, 0), ct.reshape(close * ct.exp2(a * 0.0, flush_to_zero=True), (1, n)))
    ct.store(out, (9, 0), ct.reshape(ct.mul(a, 1e-30, flush_to_zero=True) * 1e30, (1, n)))
    ct.store(out, (10, 0), ct.reshape(ct.maximum(a, b, flush_to_zero=True), (1, n)))


def products_of_tf32(a, b):
    if a.dtype == ct.float32:
        a = ct.astype(a, ct.tfloat32)
    if b.dtype == ct.float32:
        b = ct.astype(b, ct.tfloat32)
    return ct.astype(ct.matmul(a, b), ct.float32)


def inverse_of_lower(A, SIZE, STEPS):
    """Compute (I - A)^-1 of a strictly lower triangular matrix by repeated squaring."""
    offs = ct.arange(SIZE, dtype=ct.int32)
    eye = ct.where(ct.expand_dims(offs, axis=1) == ct.expand_dims(offs, axis=0), 1.0, 0.0)
    P, power = eye + A, A
    for _ in range(1, STEPS):
        power = products_of_tf32(power, power)
        P = products_of_tf32(P, eye + power)
    return P


@ct.kernel
def gated(K, Beta, G, Out, Last, HEADS: ConstInt, NORM: ConstBool, C: ConstInt, D: ConstInt, STEPS: ConstInt):
    """Process chunks of a sequence, each with a triangular solve, and load a single element."""
    b, h, chunk = ct.bid(0) // HEADS, ct.bid(0) % HEADS, ct.bid(1)
    k = ct.load(K, index=(b, chunk, h, 0), shape=(1, C, 1, D), padding_mode=ZERO).reshape((C, D))
    k = ct.astype(k, ct.float32)
    if NORM:
        k = k * ct.rsqrt(ct.sum(k * k, axis=1, keepdims=True) + 1e-6)
    beta = ct.load(Beta, index=(b, chunk, h), shape=(1, C, 1), padding_mode=ZERO).reshape((C,))
    g = ct.cumsum(ct.load(G, index=(b, chunk, h), shape=(1, C, 1), padding_mode=ZERO).reshape((C,)), axis=0)
    offs = ct.arange(C, dtype=ct.int32)
    row, col = ct.expand_dims(offs, axis=1), ct.expand_dims(offs, axis=0)
    decay = ct.where(row >= col, ct.exp(ct.expand_dims(g, axis=1) - ct.expand_dims(g, axis=0)), 0.0)
    kb = k * ct.expand_dims(beta, axis=1)
    attn = ct.where(row > col, -(products_of_tf32(kb, ct.transpose(k)) * decay), 0.0)
    attn = inverse_of_lower(attn, C, STEPS)
    ct.store(Out, index=(b, h, chunk, 0, 0), tile=ct.reshape(products_of_tf32(attn, kb), (1, 1, 1, C, D)))
    last = ct.astype(ct.load(G, index=(b, chunk * C + C - 1, h), shape=(), padding_mode=ZERO), ct.float32)
    ct.store(Last, index=(b, h, chunk), tile=ct.reshape(ct.exp(last), (1, 1, 1)))


@ct.kernel
def rms_rows(x, w, out, Rstd, eps: ct.Constant[float], TILE: ConstInt):
    """Use array extents as numbers, and scatter a scalar."""
    row = ct.bid(0)
    M, N = x.shape
    offsets = ct.arange(TILE, dtype=ct.int32)
    total = ct.full((TILE,), 0.0, dtype=ct.float32)
    for j in range(0, ct.cdiv(N, TILE)):
        xj = ct.astype(ct.gather(x, (row, j * TILE + offsets), latency=1), ct.float32)
        total += xj * xj
    count = ct.full((1,), N * 1.0, dtype=ct.float32)
    mean = ct.truediv(ct.reshape(ct.sum(total, axis=0, keepdims=False), (1,)), count)
    rms = ct.rsqrt(ct.sum(total, axis=0, keepdims=False) / N + eps)
    ct.scatter(Rstd, row, rms)
    for j in range(0, ct.cdiv(N, TILE)):
        at = j * TILE + offsets
        y = ct.gather(x, (row, at), latency=1) * rms * ct.gather(w, at) + (mean - mean)
        ct.scatter(out, (row, at), ct.astype(y, x.dtype), latency=1)


@ct.kernel
def sparse(Q, K, V, Indices, Out, scale: float, D: ConstInt, TN: ConstInt, TURNS: int, GROUP: ConstInt,
           TH: ConstInt, BLOCKS: ConstInt):
    """Attend to keys that indices select."""
    at, batch, block = ct.bid(0), ct.bid(1) // BLOCKS, ct.bid(1) % BLOCKS
    if GROUP > 0:
        kv = block * TH // GROUP
    else:
        kv = block * TH
    qk_scale = scale * (1.0 / math.log(2))
    m = ct.full((TH,), -math.inf, dtype=ct.float32)
    l = ct.full((TH,), 0.0, dtype=ct.float32)
    acc = ct.full((TH, D), 0.0, dtype=ct.float32)
    q = ct.reshape(ct.load(Q, index=(batch, block, at, 0), shape=(1, TH, 1, D)), (TH, D))
    for i in range(0, TURNS):
        chosen = ct.reshape(ct.load(Indices, index=(batch, at, kv, i), shape=(1, 1, 1, TN)), (TN,))
        rows, columns = ct.expand_dims(chosen, 1), ct.expand_dims(ct.arange(D, dtype=ct.int32), 0)
        k = ct.gather(K, (batch, kv, rows, columns))
        v = ct.gather(V, (batch, kv, rows, columns))
        qk = ct.mma(q, ct.permute(k, (1, 0)), ct.full((TH, TN), 0.0, dtype=ct.float32))
        valid = ct.expand_dims(chosen <= at, 0)
        qk = ct.where(valid, qk, -1.0e6)
        m_new = ct.maximum(m, ct.max(qk, axis=-1) * qk_scale)
        p = ct.where(valid, ct.exp2(qk * qk_scale - m_new[:, None], flush_to_zero=True), 0.0)
        alpha = ct.exp2(m - m_new, flush_to_zero=True)
        l = l * alpha + ct.sum(p, axis=-1)
        acc = ct.mma(ct.astype(p, Q.dtype), v, acc * alpha[:, None])
        m = m_new
    acc = ct.truediv(acc, l[:, None], flush_to_zero=True, rounding_mode=RMd.APPROX)
    ct.store(Out, index=(batch, block, at, 0), tile=ct.astype(ct.reshape(acc, (1, TH, 1, D)), Out.dtype))


def normalized(X, DY, W, row, j, mean, rstd, TILE, N):
    """Return a tuple with the values that both passes over a row need."""
    x = ct.load(X, index=(row, j), shape=(1, TILE), padding_mode=ZERO)
    dy = ct.load(DY, index=(row, j), shape=(1, TILE), padding_mode=ZERO)
    w = ct.load(W, index=(j,), shape=(TILE,), padding_mode=ZERO)
    inside = j * TILE + ct.arange(TILE, dtype=ct.int32) < N
    xhat, wdy = ct.where(inside, (x - mean) * rstd, 0), ct.where(inside, w * dy, 0)
    return dy, xhat, wdy


@ct.kernel
def norm_backward(DX, DY, DW, DB, X, W, Mean, Rstd, Locks, TILE: ConstInt):
    """Compute layer norm gradients. Weight gradients accumulate under locks, several rows under
    each lock."""
    row, N, groups = ct.bid(0), X.shape[1], DW.shape[0]
    group, turns = row % groups, ct.num_tiles(X, axis=1, shape=(1, TILE))
    mean, rstd = ct.load(Mean, index=(row,), shape=(1,)), ct.load(Rstd, index=(row,), shape=(1,))
    c1 = ct.full((1, TILE), 0, dtype=ct.float32)
    c2 = ct.full((1, TILE), 0, dtype=ct.float32)
    for j in range(turns):
        _, xhat, wdy = normalized(X, DY, W, row, j, mean, rstd, TILE, N)
        c1 += xhat * wdy
        c2 += wdy
    c1, c2 = ct.sum(c1, axis=1) / N, ct.sum(c2, axis=1) / N
    for j in range(turns):
        dy, xhat, wdy = normalized(X, DY, W, row, j, mean, rstd, TILE, N)
        ct.store(DX, index=(row, j), tile=((wdy - (xhat * c1 + c2)) * rstd).astype(DX.dtype))
        while ct.atomic_cas(Locks, group, 0, 1, memory_order=ct.MemoryOrder.ACQUIRE) == 1:
            pass
        dw = ct.load(DW, index=(group, j), shape=(1, TILE), padding_mode=ZERO) + dy * xhat
        db = ct.load(DB, index=(group, j), shape=(1, TILE), padding_mode=ZERO) + dy
        ct.store(DW, index=(group, j), tile=dw)
        ct.store(DB, index=(group, j), tile=db)
        ct.atomic_xchg(Locks, group, 0, memory_order=ct.MemoryOrder.RELEASE)


@ct.kernel
def norm_backward_sums(DW, DB, out_w, out_b, TM: ConstInt, TILE: ConstInt):
    """Sum the groups' partial gradients."""
    j = ct.bid(0)
    dw, db = ct.zeros((TM, TILE), dtype=ct.float32), ct.zeros((TM, TILE), dtype=ct.float32)
    for i in range(ct.num_tiles(DW, axis=0, shape=(TM, TILE))):
        dw += ct.load(DW, index=(i, j), shape=(TM, TILE), padding_mode=ZERO)
        db += ct.load(DB, index=(i, j), shape=(TM, TILE), padding_mode=ZERO)
    ct.store(out_w, index=(j,), tile=ct.sum(dw, axis=0).astype(out_w.dtype))
    ct.store(out_b, index=(j,), tile=ct.sum(db, axis=0).astype(out_b.dtype))


@ct.kernel
def fourier_of_three(x, y, W0, W1, W2, T0, T1, N: ConstInt, F0: ConstInt, F1: ConstInt, F2: ConstInt, BS: ConstInt,
                     D: ConstInt):
    """Compute a transform of N = F0 F1 F2 as three products, loading numbers in rows of D."""

    def parts(pair, shape):
        size = pair.shape[:-1] + (1,)
        return tuple(ct.reshape(ct.extract(pair, index=(0,) * (pair.ndim - 1) + (i,), shape=size), shape)
                     for i in range(2))

    def product(a, b):
        return ct.matmul(a[0], b[0]) - ct.matmul(a[1], b[1]), ct.matmul(a[1], b[0]) + ct.matmul(a[0], b[1])

    def turned(x, by, shape, order):
        made = by[0] * x[0] - by[1] * x[1], by[1] * x[0] + by[0] * x[1]
        return tuple(ct.permute(ct.reshape(each, shape), order) for each in made)

    def shaped(x, shape):
        return tuple(ct.reshape(each, shape) for each in x)

    given = ct.reshape(ct.load(x, index=(ct.bid(0), 0, 0), shape=(BS, N * 2 // D, D)), (BS, N, 2))
    w0 = parts(ct.load(W0, index=(0, 0, 0), shape=(F0, F0, 2)), (1, F0, F0))
    w1 = parts(ct.load(W1, index=(0, 0, 0), shape=(F1, F1, 2)), (1, F1, F1))
    w2 = parts(ct.load(W2, index=(0, 0, 0), shape=(F2, F2, 2)), (1, F2, F2))
    t0 = parts(ct.load(T0, index=(0, 0, 0), shape=(F0, F1 * F2, 2)), (N, 1))
    t1 = parts(ct.load(T1, index=(0, 0, 0), shape=(F1, F2, 2)), (F1 * F2, 1))
    z = product(w0, parts(given, (BS, F0, F1 * F2)))
    z = turned(shaped(z, (BS, N, 1)), t0, (BS, F0, F1, F2), (0, 2, 3, 1))
    z = product(w1, shaped(z, (BS, F1, F2 * F0)))
    z = turned(shaped(z, (BS, F1 * F2, F0)), t1, (BS, F1, F2, F0), (0, 2, 3, 1))
    z = product(w2, shaped(z, (BS, F2, F0 * F1)))
    z = tuple(ct.reshape(ct.permute(ct.reshape(each, (BS, F2, F0, F1)), (0, 1, 3, 2)), (BS, N, 1)) for each in z)
    ct.store(y, index=(ct.bid(0), 0, 0), tile=ct.reshape(ct.cat(z, axis=-1), (BS, N * 2 // D, D)))


def numpy_softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@ct.kernel
def doubled_early(x, out, TILE: ConstInt):
    """Let the dependent kernel start before this one completes."""
    ct.grid_dependency_control_launch_dependents()
    ct.store(out, (ct.bid(0),), 2 * ct.load(x, (ct.bid(0),), (TILE,)))


@ct.kernel
def increased_behind(x, out, TILE: ConstInt):
    """Wait for the writes of the preceding kernel, which may still be running at the start."""
    ct.grid_dependency_control_wait()
    ct.store(out, (ct.bid(0),), ct.load(x, (ct.bid(0),), (TILE,)) + 1)


@ct.kernel
def through_bytes(x, parts, out, N: ConstInt, W: ConstInt):
    """Pack a tile into bytes, and make a tile from bytes."""
    taken = ct.pack_to_bytes(ct.load(x, (0, 0), (2, N)))
    ct.store(parts, (0,), taken)
    ct.store(out, (0,), ct.unpack_from_bytes(taken, x.dtype))
