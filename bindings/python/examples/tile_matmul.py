"""Multiplies matrices with a Python tile kernel; calls of plain Python functions are inlined."""
import array

import cucore.tile as ct
from cucore import Device

ConstInt = ct.Constant[int]


def grouped(m_tiles, n_tiles, group, block):
    """Map a block to its output tile, so that neighboring blocks share rows and columns."""
    in_group = group * n_tiles
    first = block // in_group * group
    size = min(m_tiles - first, group)
    return first + block % in_group % size, block % in_group // size


@ct.kernel
def matmul(A, B, C, tm: ConstInt, tn: ConstInt, tk: ConstInt):
    m, n = grouped(ct.cdiv(A.shape[0], tm), ct.cdiv(B.shape[1], tn), 8, ct.bid(0))
    acc = ct.full((tm, tn), 0, dtype=ct.float32)
    for k in range(ct.num_tiles(A, axis=1, shape=(tm, tk))):
        a = ct.load(A, index=(m, k), shape=(tm, tk), padding_mode=ct.PaddingMode.ZERO)
        b = ct.load(B, index=(k, n), shape=(tk, tn), padding_mode=ct.PaddingMode.ZERO)
        acc = ct.mma(a, b, acc)
    ct.store(C, index=(m, n), tile=acc.astype(C.dtype))


M, N, K = 50, 40, 30
left, right = ([float((i * 7 + by) % 5 - 2) for i in range(size)] for size, by in ((M * K, 1), (K * N, 3)))
device = Device()

with device.create_stream() as stream:
    def put(values, shape):
        buffer = device.allocate(4 * len(values), stream=stream)
        buffer.copy_from(array.array("f", values), stream=stream)
        return buffer.view("f32", shape)

    A, B, C = put(left, (M, K)), put(right, (K, N)), put([0.0] * (M * N), (M, N))
    ct.launch(stream, (ct.cdiv(M, 16) * ct.cdiv(N, 16),), matmul, (A, B, C, 16, 16, 16))
    result = array.array("f", bytes(4 * M * N))
    C.copy_to(result, stream=stream)
    stream.sync()

for m in range(M):
    for n in range(N):
        assert result[m * N + n] == sum(left[m * K + k] * right[k * N + n] for k in range(K))
print(f"product of {M} x {K} and {K} x {N}: right")
