"""Computes a row softmax with a Python tile kernel."""
import array
import math

import cucore.tile as ct
from cucore import Device


@ct.kernel
def softmax(x, y, n: ct.Constant[int]):
    row = ct.load(x, index=(ct.bid(0), 0), shape=(1, n), padding_mode=ct.PaddingMode.NEG_INF)
    e = ct.exp(row - ct.max(row, axis=1, keepdims=True))
    ct.store(y, index=(ct.bid(0), 0), tile=e / ct.sum(e, axis=1, keepdims=True))


M, N = 6, 50
values = array.array("f", [math.sin(i) for i in range(M * N)])
device = Device()

with device.create_stream() as stream:
    x = device.allocate(4 * M * N, stream=stream)
    y = device.allocate(4 * M * N, stream=stream)
    x.copy_from(values, stream=stream)
    # Arrays of PyTorch, CuPy and JAX can be passed directly.
    ct.launch(stream, (M,), softmax, (x.view("f32", (M, N)), y.view("f32", (M, N)), 64))
    result = array.array("f", bytes(4 * M * N))
    y.copy_to(result, stream=stream)
    stream.sync()

for m in range(M):
    row = values[m * N:(m + 1) * N]
    total = sum(math.exp(v) for v in row)
    assert all(abs(result[m * N + i] - math.exp(v) / total) < 1e-6 for i, v in enumerate(row))
print(f"softmax of {M} rows: right")
