"""cuda.core, which knows nothing of cucore, on the simulated driver under its real name.

Compiles SAXPY to PTX, runs it on random data of a ragged size, and compares with NumPy. Run by
cuda_core.sh, with libcucore-sim.so on the loader's path as libcuda.so.1.
"""
import numpy as np

from cuda.core import (Device, LaunchConfig, LegacyPinnedMemoryResource, Program, ProgramOptions,
                       launch)

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
# One fused multiply-add: half a unit in the last place of a result below 4.
assert error <= 2.4e-7
