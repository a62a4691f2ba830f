"""Exchanges arrays with other libraries without a copy; here with NumPy, in pinned memory.

PyTorch, CuPy, JAX and Numba accept `Buffer.view()` the same way, through DLPack or `__cuda_array_interface__`. Their
arrays can be arguments of `launch()`.
"""
import sys

from cucore import (
    Device,
    LaunchConfig,
    LegacyPinnedMemoryResource,
    Program,
    ProgramOptions,
    Tensor,
    launch,
)

try:
    import numpy as np
except ModuleNotFoundError:
    print("there is no NumPy, which this example is about")
    sys.exit(77)  # not run

SOURCE = r"""
extern "C" __global__ void scale(float *x, float by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= by;
}
"""

device = Device()
scale = Program(SOURCE, "c++", ProgramOptions(arch=f"sm_{device.arch}")).compile("ptx").get_kernel("scale")

memory = LegacyPinnedMemoryResource().allocate(4 * 1000)  # accessible from host and device
array = np.frombuffer(memory.host_view(), dtype=np.float32).reshape(10, 100)
array[:] = np.arange(1000).reshape(10, 100)

with device.create_stream() as stream:
    launch(stream, LaunchConfig(grid=4, block=256), scale, memory, 0.5, 1000)
    stream.sync()
assert (array.ravel() == np.arange(1000) / 2).all()

# Convert NumPy's own memory to a tensor and back.
tensor = Tensor.from_dlpack(array[:, ::2])
assert tensor.shape == (10, 50) and tensor.strides == (100, 2) and tensor.dtype == "f32"
assert np.shares_memory(np.from_dlpack(tensor), array)
print("scaled in place, and seen by NumPy without a copy")
