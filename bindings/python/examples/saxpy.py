"""Computes y = a * x + y: compiles CUDA C++, copies, launches, copies back."""
import array

from cucore import Device, LaunchConfig, Program, ProgramOptions, launch

SOURCE = r"""
extern "C" __global__ void saxpy(float a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
"""
N = 100_000

device = Device()
# PTX runs on every device, including the simulated one; a "cubin" needs no compiler in the driver.
code = Program(SOURCE, "c++", ProgramOptions(arch=f"sm_{device.arch}")).compile("ptx")
saxpy = code.get_kernel("saxpy")

with device.create_stream() as stream:
    x = device.allocate(4 * N, stream=stream)
    y = device.allocate(4 * N, stream=stream)
    x.copy_from(array.array("f", range(N)), stream=stream)
    y.fill(0, stream=stream)
    launch(stream, LaunchConfig(grid=(N + 255) // 256, block=256), saxpy, 2.0, x, y, N)
    result = array.array("f", bytes(4 * N))
    y.copy_to(result, stream=stream)
    stream.sync()

assert result == array.array("f", (2 * i for i in range(N)))
print(f"saxpy of {N} elements on {device.name}: right")
