"""Waits for the device with asyncio; the event loop keeps serving other tasks."""
import array
import asyncio

from cucore import Device, LaunchConfig, Program, ProgramOptions, launch

SOURCE = r"""
extern "C" __global__ void square(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= x[i];
}
"""
N = 4096
device = Device()
square = Program(SOURCE, "c++", ProgramOptions(arch=f"sm_{device.arch}")).compile("ptx").get_kernel("square")


async def job(number: int) -> float:
    """Runs one of several jobs on its own stream."""
    with device.create_stream() as stream:
        x = device.allocate(4 * N, stream=stream)
        x.copy_from(array.array("f", [number] * N), stream=stream)
        launch(stream, LaunchConfig(grid=N // 256, block=256), square, x, N)
        result = array.array("f", bytes(4 * N))
        x.copy_to(result, stream=stream)
        await stream  # the loop watches an event's file descriptor
        return result[0]


async def main() -> None:
    results = await asyncio.gather(*(job(i) for i in range(8)))
    assert results == [i * i for i in range(8)], results
    print("squares by eight jobs on one loop:", results)


asyncio.run(main())
