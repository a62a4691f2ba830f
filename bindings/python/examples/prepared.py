"""Repeats the same launch in two ways: prepared once, or captured in a graph."""
import array

from cucore import Device, LaunchConfig, PreparedLaunch, Program, ProgramOptions, launch

SOURCE = 'extern "C" __global__ void add(int *x, int by) { atomicAdd(x, by); }'

device = Device()
add = Program(SOURCE, "c++", ProgramOptions(arch=f"sm_{device.arch}")).compile("ptx").get_kernel("add")
config = LaunchConfig(grid=2, block=32)

with device.create_stream() as stream:
    total = device.allocate(4, stream=stream)
    total.fill(0, stream=stream)

    once = PreparedLaunch(stream, config, add, total, 1)
    for _ in range(10):
        once()  # one library call, without conversions

    with stream.capture() as capture:
        for by in (1, 2, 3):
            launch(stream, config, add, total, by)
    graph = capture.graph.instantiate()
    for _ in range(10):
        graph.launch(stream)

    result = array.array("i", [0])
    total.copy_to(result, stream=stream)
    stream.sync()

assert result[0] == 64 * (10 * 1 + 10 * 6), result
print(f"{result[0]} after 10 prepared launches and 10 launches of a graph of 3")
