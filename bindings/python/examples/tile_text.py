"""Runs a tile program given as text: cucore compiles it itself, without a toolkit."""
import array

from cucore import Device, Program, ProgramOptions, launch

SOURCE = """
kernel softmax(x: f32[M, N], y: f32[M, N]) const BN = 128 grid M {
    m = block(0)
    row = load(x, [m, 0], [1, BN], pad=-inf)
    e = exp(row - max(row))
    store(y, [m, 0], e / sum(e))
}
"""
M, N = 4, 100

device = Device()
program = Program(SOURCE, "tile", ProgramOptions(arch=f"sm_{device.arch}", constants={"BN": 128}))
softmax = program.compile().get_kernel("softmax")

with device.create_stream() as stream:
    x = device.allocate(4 * M * N, stream=stream)
    y = device.allocate(4 * M * N, stream=stream)
    x.copy_from(array.array("f", [float(i % 7) for i in range(M * N)]), stream=stream)
    # The compiler chooses the block, the kernel declares the grid, and M and N come from the tensors.
    launch(stream, None, softmax, x.view("f32", (M, N)), y.view("f32", (M, N)))
    result = array.array("f", bytes(4 * M * N))
    y.copy_to(result, stream=stream)
    stream.sync()

for m in range(M):
    assert abs(sum(result[m * N:(m + 1) * N]) - 1) < 1e-5
print("rows of the softmax sum to 1")
