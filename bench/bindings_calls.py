"""Calls that programs make in loops, written once for cucore and cuda.core, whose names agree.

calls(core, kernels) yields (case, function). If the function has a method prepare(), it runs before each batch of
BATCH calls, outside the measured time.
"""
import importlib

BATCH = 100


class Uses:
    """Uses a new object in each call; all objects are created before the batch."""

    def __init__(self, make, function):
        self.make, self.function, self.made = make, function, []

    def prepare(self):
        self.made = [self.make() for _ in range(BATCH)]

    def __call__(self):
        self.function(self.made.pop())


class Makes:
    """Creates objects that live until the next batch."""

    def __init__(self, function):
        self.function, self.made = function, []

    def prepare(self):
        self.made = []

    def __call__(self):
        self.made.append(self.function())


class Described:
    """A device array that has only the CUDA array interface."""

    def __init__(self, address):
        self.said = {"shape": (8, 8), "typestr": "<f4", "data": (address, False), "strides": None, "version": 3}

    @property
    def __cuda_array_interface__(self):
        return self.said


class Foreign:
    """A stream of another library."""

    def __init__(self, handle):
        self.said = 0, int(handle)

    def __cuda_stream__(self):
        return self.said


def reads(thing, names):
    """Yield functions that read attributes as a program does."""
    for name in names:
        yield name, eval(f"lambda thing=thing: thing.{name}", {"thing": thing})


def streams(core, device):
    stream, other = device.create_stream(), device.create_stream()
    event = stream.record()
    foreign = Foreign(other.handle)
    yield "record", lambda: stream.record(event)
    yield "record_new", lambda: stream.record()
    yield "wait_event", lambda: other.wait(event)
    yield "wait_stream", lambda: other.wait(stream)
    yield "event_is_done", lambda: event.is_done
    yield "event_sync", lambda: event.sync()
    yield "stream_sync", lambda: stream.sync()
    yield "device_sync", lambda: device.sync()
    yield "event_create", Makes(device.create_event)
    timed = core.EventOptions(timing_enabled=True)
    yield "event_create_options", Makes(lambda: device.create_event(timed))
    yield "event_close", Uses(device.create_event, lambda made: made.close())
    yield "stream_create", Makes(device.create_stream)
    chosen = core.StreamOptions(nonblocking=False, priority=0)
    yield "stream_create_options", Makes(lambda: device.create_stream(options=chosen))
    yield "stream_close", Uses(device.create_stream, lambda made: made.close())
    yield "stream_foreign", lambda: device.create_stream(foreign)
    yield "stream_from_handle", lambda handle=int(other.handle): core.Stream.from_handle(handle)
    yield "stream_protocol", lambda: stream.__cuda_stream__()
    yield "stream_equal", lambda: stream == other
    yield "stream_hash", lambda: hash(stream)
    first, last = stream.record(options=timed), stream.record(options=timed)
    stream.sync()
    yield "event_elapsed", lambda: last - first
    yield "event_equal", lambda: first == last
    yield "event_hash", lambda: hash(first)
    for case, function in reads(stream, ("handle", "device", "context", "priority", "is_nonblocking")):
        yield f"stream.{case}", function
    for case, function in reads(event, ("handle", "device", "is_timing_enabled")):
        yield f"event.{case}", function


def devices(core, device):
    yield "device_current", lambda: core.Device()
    yield "device_lookup", lambda: core.Device(0)
    yield "device_default_stream", lambda: device.default_stream
    yield "device_set_current", lambda: device.set_current()
    for case, function in reads(device, ("device_id", "memory_resource", "arch", "compute_capability", "name")):
        yield f"device.{case}", function
    yield "device.properties", lambda: device.properties.multiprocessor_count
    yield "launch_config", lambda: core.LaunchConfig(grid=(8, 8), block=128, shmem_size=1024)
    yield "launch_config_1d", lambda: core.LaunchConfig(grid=8, block=128)
    config, same = (core.LaunchConfig(grid=(8, 8), block=128) for _ in range(2))
    yield "launch_config_equal", lambda: config == same
    yield "launch_config_hash", lambda: hash(config)
    for case, function in reads(config, ("grid", "block", "cluster", "shmem_size", "is_cooperative")):
        yield f"launch_config.{case}", function


def memory(core, device):
    stream, other = device.create_stream(), device.create_stream()
    pool = core.DeviceMemoryResource(device.device_id, core.DeviceMemoryResourceOptions())
    pinned = core.LegacyPinnedMemoryResource()
    buffer, second = device.allocate(256, stream=stream), device.allocate(256, stream=stream)
    host = pinned.allocate(256, stream=stream)
    one = lambda: device.allocate(256, stream=stream)  # noqa: E731
    yield "allocate", Makes(one)
    yield "close", Uses(one, lambda made: made.close())
    yield "close_on_stream", Uses(one, lambda made: made.close(other))
    yield "allocate_close", lambda: device.allocate(256, stream=stream).close()
    yield "allocate_drop", lambda: device.allocate(256, stream=stream)
    # An empty pool returns its memory to the system at each wait; the driver's time would dominate.
    yield "pool_allocate_close", lambda kept=pool.allocate(256, stream=stream): pool.allocate(256, stream=stream).close()
    yield "pinned_allocate_close", lambda: pinned.allocate(256, stream=stream).close()
    yield "copy_to", lambda: buffer.copy_to(second, stream=stream)
    yield "copy_from", lambda: buffer.copy_from(second, stream=stream)
    yield "copy_new", lambda: buffer.copy_to(stream=stream)
    yield "copy_from_pinned", lambda: buffer.copy_from(host, stream=stream)
    yield "copy_to_pinned", lambda: buffer.copy_to(host, stream=stream)
    yield "fill", lambda: buffer.fill(0, stream=stream)
    yield "fill_4", lambda: buffer.fill(b"\x00\x00\x80\x3f", stream=stream)
    address = int(buffer.handle)
    yield "buffer_from_handle", lambda: core.Buffer.from_handle(address, 256)
    yield "buffer_from_handle_owner", lambda: core.Buffer.from_handle(address, 256, owner=buffer)
    yield "buffer_equal", lambda: buffer == second
    yield "buffer_hash", lambda: hash(buffer)
    for case, function in reads(buffer, ("handle", "size", "device_id", "memory_resource", "is_device_accessible",
                                         "is_host_accessible", "is_managed", "owner")):
        yield f"buffer.{case}", function
    for case, function in reads(pool, ("handle", "device_id", "is_device_accessible")):
        yield f"pool.{case}", function


def arrays(core, device):
    stream = device.create_stream()
    view = importlib.import_module(core.__name__ + ".utils").StridedMemoryView
    buffer = device.allocate(256, stream=stream)
    yield "dlpack_export", lambda: buffer.__dlpack__(stream=-1)
    yield "dlpack_export_versioned", lambda: buffer.__dlpack__(stream=-1, max_version=(1, 1))
    yield "dlpack_device", lambda: buffer.__dlpack_device__()
    try:
        import numpy
    except ImportError:
        return
    f32, there = numpy.dtype("float32"), numpy.zeros((8, 8), "float32")
    yield "view_buffer", lambda: view.from_buffer(buffer, (8, 8), dtype=f32)
    yield "view_numpy", lambda: view.from_dlpack(there, -1)
    yield "view_array_interface", lambda: view.from_array_interface(there)
    made = view.from_buffer(buffer, (8, 8), dtype=f32)
    described = Described(int(buffer.handle))
    yield "view_cuda_array_interface", lambda: view.from_cuda_array_interface(described, -1)
    yield "view_export", lambda: made.__dlpack__(stream=-1)
    yield "view_export_versioned", lambda: made.__dlpack__(stream=-1, max_version=(1, 1))
    yield "view_of_view", lambda: made.view(dtype=numpy.dtype("int32"))
    for case, function in reads(made, ("ptr", "shape", "strides", "size", "dtype", "device_id", "readonly",
                                       "is_device_accessible", "exporting_obj")):
        yield f"view.{case}", function
    try:
        import torch
    except ImportError:
        return
    theirs, ours = torch.zeros(8, 8, device="cuda" if torch.cuda.is_available() else "cpu"), stream.handle
    pointer = int(ours)
    yield "view_torch", lambda: view.from_dlpack(theirs, -1)
    yield "view_torch_ordered", lambda: view.from_dlpack(theirs, pointer)
    yield "view_torch_any", lambda: view.from_any_interface(theirs, -1)
    yield "view_torch_shape", lambda: view.from_dlpack(theirs, -1).shape
    if torch.cuda.is_available():
        yield "view_torch_interface", lambda: view.from_cuda_array_interface(theirs, -1)
        yield "dlpack_to_torch", lambda: torch.from_dlpack(buffer)
        queue = torch.cuda.Stream()
        yield "stream_torch", lambda: device.create_stream(queue)


def graphs(core, device, kernel):
    stream = device.create_stream()
    config = core.LaunchConfig(grid=1, block=32)
    builder = device.create_graph_builder().begin_building()
    core.launch(builder, config, kernel)
    core.launch(builder, config, kernel)
    graph = builder.end_building().complete()
    yield "graph_launch", lambda: graph.launch(stream)


def calls(core, kernels):
    """Yield all (case, function) pairs; `kernels` maps names to the package's kernels."""
    device = core.Device(0)
    device.set_current()
    stream = device.create_stream()
    config = core.LaunchConfig(grid=1, block=32)
    buffer = device.allocate(256, stream=stream)
    try:
        from numpy import float32, int32
    except ImportError:
        from ctypes import c_float as float32, c_int32 as int32
    one, half = int32(1), float32(0.5)
    given = {"k0": (), "k3": (buffer, buffer, one), "k10": (buffer,) * 4 + (one,) * 3 + (half,) * 3}
    for name, arguments in given.items():
        yield (f"launch_{name[1:]}",
               lambda kernel=kernels[name], arguments=arguments: core.launch(stream, config, kernel, *arguments))
    for group in (devices, streams, memory, arrays):
        yield from group(core, device)
    yield from graphs(core, device, kernels["k0"])
