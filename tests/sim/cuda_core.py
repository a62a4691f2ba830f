"""Runs cuda.core, which knows nothing of cucore, on the simulated driver under the name libcuda.so.1.

Compiles SAXPY to PTX, runs it on random data of an odd size, and compares with NumPy. Then
captures graphs with branches, host functions, child graphs and their own memory, and launches
and updates them. Also tests conditional nodes, virtual memory and groups of multiprocessors.
cuda_core.sh runs this with libcucore-sim.so on the loader's path as libcuda.so.1.
"""
import pathlib
import tempfile

import numpy as np

from cuda.core import (Device, GraphMemoryResource, LaunchConfig, LegacyPinnedMemoryResource, Program,
                       ProgramOptions, SMResourceOptions, VirtualMemoryResource, VirtualMemoryResourceOptions,
                       launch)
from cuda.core.graph import GraphBuilder, GraphCompleteOptions, GraphDebugPrintOptions

SOURCE = r"""
extern "C" __global__ void saxpy(float a, const float *x, float *y, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
"""
N = 10007

device = Device(0)
device.set_current()
assert "(simulated)" in device.name, device.name
stream = device.create_stream()
program = Program(SOURCE, code_type="c++", options=ProgramOptions(arch="sm_" + device.arch))
kernel = program.compile("ptx").get_kernel("saxpy")

pinned = LegacyPinnedMemoryResource()
host = [pinned.allocate(4 * N, stream=stream) for _ in range(2)]
x, y = (np.from_dlpack(h).view(np.float32) for h in host)
random = np.random.default_rng(1)
x[:] = random.random(N, dtype=np.float32)
y[:] = random.random(N, dtype=np.float32)
expected = 2.5 * x.astype(np.float64) + y

buffers = [device.allocate(4 * N, stream=stream) for _ in range(2)]
for h, b in zip(host, buffers):
    h.copy_to(b, stream=stream)
y[:] = np.nan
launch(stream, LaunchConfig(grid=(N + 255) // 256, block=256), kernel, np.float32(2.5), *buffers,
       np.uint64(N))
buffers[1].copy_to(host[1], stream=stream)
stream.sync()
error = np.abs(y - expected).max()
print(f"cuda.core on {device.name}: SAXPY of {N} elements, largest error {error:g}")
# One fused multiply-add is off by half a unit in the last place of a result below 4.
assert error <= 2.4e-7

# Graphs. The host repeats the captured operations in y and z, with integers that floats hold
# exactly.
SOURCE = r"""
extern "C" __global__ void add(float *y, float a) { y[blockIdx.x * blockDim.x + threadIdx.x] += a; }
extern "C" __global__ void scale(float *y, float a) { y[blockIdx.x * blockDim.x + threadIdx.x] *= a; }
extern "C" __global__ void sum(float *z, const float *x, const float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    z[i] = x[i] + y[i];
}
"""
N = 1024
code = Program(SOURCE, code_type="c++",
               options=ProgramOptions(arch="sm_" + device.arch)).compile("ptx")
add, scale, total = (code.get_kernel(name) for name in ("add", "scale", "sum"))
config = LaunchConfig(grid=N // 256, block=256)
result = pinned.allocate(4 * N, stream=stream)
seen = np.from_dlpack(result).view(np.float32)
dx, dy, dz = (device.allocate(4 * N, stream=stream) for _ in range(3))
x, y = np.arange(N, dtype=np.float64), np.ones(N)
for buffer, values in ((dx, x), (dy, y)):
    seen[:] = values
    result.copy_to(buffer, stream=stream)
    stream.sync()
calls = []


def capture(a, mode):
    """Capture dx = (dx + a) * 2 in parallel with dy = dy + a, then dz = dx + dy, which is copied to
    `seen`."""
    builder = device.create_graph_builder().begin_building(mode)
    launch(builder, config, add, dx, np.float32(a))
    left, right = builder.split(2)
    launch(left, config, scale, dx, np.float32(2))
    launch(right, config, add, dy, np.float32(a))
    builder = GraphBuilder.join(left, right)
    launch(builder, config, total, dz, dx, dy)
    dz.copy_to(result, stream=builder)
    builder.callback(lambda: calls.append(a))
    return builder.end_building()


def expect(a, more=0):
    global x, y
    x, y = (x + a) * 2, y + a
    stream.sync()
    assert np.array_equal(seen, x + y + more), (seen, x + y + more)


one = capture(1, "relaxed")
graph = one.complete(GraphCompleteOptions(upload_stream=stream))
for _ in range(3):
    graph.launch(stream)
    expect(1)
three = capture(3, "thread_local")
graph.update(three)
graph.launch(stream)
expect(3)
assert calls == [1, 1, 1, 3], calls
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "graph.dot")
    one.debug_dot_print(str(path), GraphDebugPrintOptions(verbose=True))
    drawn = path.read_text()
assert drawn.startswith("digraph") and "scale" in drawn and drawn.count("->") == 6, drawn

other = device.create_graph_builder().begin_building()
launch(other, config, add, dx, np.float32(1))
other.end_building()
try:
    graph.update(other)
    raise SystemExit("a graph of another shape was taken for an update")
except Exception as error:
    assert "TOPOLOGY_CHANGED" in str(error), error

outer = device.create_graph_builder().begin_building()
outer.embed(three)
launch(outer, config, add, dz, np.float32(1))
dz.copy_to(result, stream=outer)
outer = outer.end_building().complete()
outer.launch(stream)
expect(3, 1)

memory = GraphMemoryResource(device)
builder = device.create_graph_builder().begin_building()
own = memory.allocate(4 * N, stream=builder.stream)
own.fill(np.float32(5).tobytes(), stream=builder.stream)
launch(builder, config, add, own, np.float32(2))
own.copy_to(result, stream=builder.stream)
own.close(builder.stream)
own = builder.end_building().complete()
for _ in range(2):
    seen[:] = 0
    own.launch(stream)
    stream.sync()
    assert (seen == 7).all()
    assert memory.attributes.used_mem_current == 0 < memory.attributes.used_mem_high
print("graphs: captured, launched, updated, embedded and drawn, with memory of their own")

DECIDING = r"""
extern "C" __device__ __cudart_builtin__ void cudaGraphSetConditional(unsigned long long handle, unsigned value);
extern "C" __global__ void below(int *x, unsigned long long condition, int limit)
{
    cudaGraphSetConditional(condition, ++*x < limit);
}
extern "C" __global__ void more(int *x, int by)
{
    *x += by;
}
"""
code = Program(DECIDING, code_type="c++", options=ProgramOptions(arch="sm_" + device.arch)).compile("ptx")
below, more = code.get_kernel("below"), code.get_kernel("more")
one = LaunchConfig(grid=1, block=1)
count = LegacyPinnedMemoryResource().allocate(4, stream=stream)
counted = np.from_dlpack(count).view(np.int32)
counted[:] = 0
builder = device.create_graph_builder().begin_building()
condition = builder.create_condition(default_value=1)
body = builder.while_loop(condition).begin_building()
launch(body, one, below, count, condition, np.int32(7))
body.end_building()
for number, branch in enumerate(builder.switch(builder.create_condition(default_value=1), 3)):
    branch.begin_building()
    launch(branch, one, more, count, np.int32(100 * (number + 1)))
    branch.end_building()
builder.end_building().complete().launch(stream)
stream.sync()
assert counted[0] == 207, counted

virtual = VirtualMemoryResource(device, config=VirtualMemoryResourceOptions(handle_type=None))
pages = virtual.allocate(4 << 20)
pages.fill(3, stream=stream)
stream.sync()
pages.close()
groups, rest = device.resources.sm.split(SMResourceOptions(count=16))
assert groups[0].sm_count == 16 and rest.sm_count == device.resources.sm.sm_count - 16
print("graphs that decide, virtual memory, multiprocessors split")
