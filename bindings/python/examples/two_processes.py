"""Shares one process's memory with another process, which waits for an event of the first."""
import array
import multiprocessing

from cucore import Device, DeviceMemoryResource, DeviceMemoryResourceOptions, EventOptions

N = 1000


def reader(buffer, written, connection):
    """Runs in the other process, which has its own driver state."""
    stream = Device().create_stream()
    stream.wait(written)  # recorded by the first process
    values = array.array("f", bytes(4 * N))
    buffer.copy_to(values, stream=stream)
    stream.sync()
    buffer.close()
    stream.sync()
    connection.send(sum(values))


def main():
    device = Device()
    stream = device.create_stream()
    pool = DeviceMemoryResource(device, DeviceMemoryResourceOptions(ipc_enabled=True))
    buffer = pool.allocate(4 * N, stream=stream)
    buffer.copy_from(array.array("f", range(N)), stream=stream)
    written = stream.record(options=EventOptions(ipc_enabled=True))

    spawn = multiprocessing.get_context("spawn")
    here, there = spawn.Pipe()
    other = spawn.Process(target=reader, args=(buffer, written, there))
    other.start()
    total = here.recv()
    other.join()
    assert other.exitcode == 0 and total == N * (N - 1) / 2
    print(f"the other process saw {N} numbers that sum to {total:g}")


if __name__ == "__main__":
    main()
