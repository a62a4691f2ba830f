"""Links two sources into one kernel, and looks up a template by name."""
import array

from cucore import Device, LaunchConfig, Linker, LinkerOptions, Program, ProgramOptions, launch

device = Device()
arch = f"sm_{device.arch}"
parts = ProgramOptions(arch=arch, relocatable_device_code=True)
half = Program("__device__ float half_of(float x) { return 0.5f * x; }", "c++", parts)
whole = Program(r"""
__device__ float half_of(float);
template <class T> __global__ void halve(T *x) { x[threadIdx.x] = half_of(x[threadIdx.x]); }
""", "c++", parts)

# With LTO-IR the linker can inline half_of(). The code also keeps PTX, for the simulated driver.
with Linker(half.compile("ltoir"), whole.compile("ltoir", name_expressions=["halve<float>"]),
            options=LinkerOptions(arch=arch)) as linker:
    halve = linker.link("cubin").get_kernel("halve<float>")

with device.create_stream() as stream:
    x = device.allocate(128, stream=stream)
    x.copy_from(array.array("f", range(32)), stream=stream)
    launch(stream, LaunchConfig(grid=1, block=32), halve, x)
    result = array.array("f", bytes(128))
    x.copy_to(result, stream=stream)
    stream.sync()
assert result == array.array("f", (i / 2 for i in range(32)))
print("halve<float> of two sources: right")
