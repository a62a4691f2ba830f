"""Tests the behavior that all objects share: type checks, no copying, safe closing while another
thread uses the object, and comparison by the underlying handle."""
import array
import copy
import pathlib
import pickle
import sys
import unittest

import cucore
from cucore import (
    LEGACY_DEFAULT_STREAM,
    PER_THREAD_DEFAULT_STREAM,
    Buffer,
    Context,
    Device,
    DeviceMemoryResource,
    DeviceMemoryResourceOptions,
    Event,
    Graph,
    Kernel,
    LaunchConfig,
    LegacyManagedMemoryResource,
    LegacyPinnedMemoryResource,
    Linker,
    ObjectCode,
    PinnedMemoryResource,
    PreparedLaunch,
    Program,
    Stream,
    SynchronousMemoryResource,
    Tensor,
    VirtualMemoryBuffer,
    VirtualMemoryResource,
    launch,
    tuning,
    utils,
)
from support import SAXPY, DeviceTest, child, compiled

TILE = "kernel k(x: f32[N]) grid 1 { store(x, [0], load(x, [0], [4])) }"
PIECES = type("Pieces", (), {"pieces": ((0, 4096),), "size": 4096})()


class Kinds(DeviceTest):
    def setUp(self):
        super().setUp()
        self.buffer = self.floats([0] * 16)
        self.code = compiled(SAXPY)
        self.kernel = self.code.get_kernel("saxpy")
        graph = Graph(self.device)
        graph.memset(self.buffer, 0, 4)
        self.all = {Stream: self.stream, Buffer: self.buffer, Event: self.stream.record(), Kernel: self.kernel,
                    ObjectCode: self.code, Context: self.device.context, Linker: Linker.empty(),
                    Program: Program(TILE, "tile"), cucore.MemoryResource: self.device.memory_resource,
                    Graph: graph, cucore.GraphExec: graph.instantiate()}

    def test_an_object_of_another_kind_is_refused(self):
        stream, virtual = self.stream, VirtualMemoryResource(self.device)
        linker, graph, handle = Linker.empty(), Graph(self.device), self.stream.record().handle

        def allocate_from(mr):
            self.device.memory_resource = mr

        with stream.capture() as capture:
            builder_takes = capture.embed
            for wrong in (self.buffer, stream):
                with self.assertRaisesRegex(TypeError, "child is a"):
                    builder_takes(wrong)
        run = capture.graph.instantiate()
        for takes, call in [
                (Event, stream.record), (ObjectCode, Linker), (ObjectCode, linker.add),
                (cucore.MemoryResource, allocate_from),
                (cucore.MemoryResource, lambda x: Buffer.from_handle(4096, 16, mr=x)),
                (cucore.MemoryResource, lambda x: VirtualMemoryBuffer.from_ipc_descriptor(x, PIECES)),
                (Context, lambda x: Event.from_handle(handle, context=x)),
                (Context, self.device.context.enable_peer_access), (Context, self.device.context.disable_peer_access),
                (ObjectCode, lambda x: Kernel.from_handle(4096, x)),
                (Program, tuning.candidates), (Program, tuning.record_of),
                (Buffer, lambda x: virtual.modify_allocation(x, 4 << 20)), (Buffer, Tensor.from_buffer),
                (Buffer, graph.keep), (Event, graph.record), (Event, graph.wait), (Graph, graph.embed),
                (Graph, lambda x: run.update(x))]:
            for kind, wrong in self.all.items():
                if kind is not takes:
                    with self.subTest(takes=takes.__name__, given=kind.__name__), \
                            self.assertRaises((TypeError, AttributeError)):
                        call(wrong)

    def test_a_launch_checks_each_object(self):
        """Cover the first launch, and a launch through the plan that it creates."""
        x, config = self.buffer, LaunchConfig(grid=1, block=1)
        for _ in range(2):
            launch(self.stream, config, self.kernel, 1.0, x, x, 1)
        prepared = PreparedLaunch(self.stream, config, self.kernel, 1.0, x, x, 1)
        prepared()
        for kind, wrong in {**self.all, Tensor: x.view("f32")}.items():
            for launches in (launch, PreparedLaunch):
                with self.subTest(given=kind.__name__):
                    if kind is not Stream:
                        with self.assertRaisesRegex(TypeError, "expected a stream"):
                            launches(wrong, config, self.kernel, 1.0, x, x, 1)
                    with self.assertRaisesRegex(TypeError, "config is a"):
                        launches(self.stream, wrong, self.kernel, 1.0, x, x, 1)
                    if kind is not Kernel:
                        with self.assertRaisesRegex(TypeError, "kernel is a"):
                            launches(self.stream, config, wrong, 1.0, x, x, 1)
            if kind is not Stream:
                with self.assertRaisesRegex(TypeError, "expected a stream"):
                    Tensor.from_dlpack(x.view("f32"), stream=wrong)

    def test_objects_cannot_be_copied(self):
        for each in [*self.all.values(), self.buffer.view("f32"),
                     PreparedLaunch(self.stream, LaunchConfig(grid=1, block=1), self.kernel, 1.0, self.buffer, self.buffer, 1)]:
            for how in (copy.copy, copy.deepcopy, pickle.dumps):
                if type(each) not in (ObjectCode, cucore.DeviceMemoryResource):
                    with self.subTest(type(each).__name__, how=how.__name__), self.assertRaises(TypeError):
                        how(each)
        again = copy.copy(self.kernel.attributes)
        self.assertEqual(again.num_regs, self.kernel.attributes.num_regs)
        self.assertEqual(copy.deepcopy(LaunchConfig(grid=3, block=2)).grid, (3, 1, 1))
        for each in (LEGACY_DEFAULT_STREAM, PER_THREAD_DEFAULT_STREAM):
            self.assertIs(pickle.loads(pickle.dumps(each)), each)

    def test_code_is_pickled(self):
        code = ObjectCode.from_ptx(self.code.code, name="some", symbol_mapping={"first": "saxpy"}) \
            if self.code.code_type == "ptx" else \
            ObjectCode.from_cubin(self.code.code, name="some", symbol_mapping={"first": "saxpy"})
        for again in (pickle.loads(pickle.dumps(code)), copy.copy(code), copy.deepcopy(code)):
            self.assertEqual((again.code, again.name, again.code_type, again.symbol_mapping),
                             (code.code, "some", code.code_type, {"first": "saxpy"}))
            code.close()
            self.assertEqual(again.get_kernel("first").symbol, "saxpy")
            code = again

    def test_objects_are_compared_by_what_they_represent(self):
        x = self.buffer
        for one, same, other in [
                (x, x[0:64], x[0:32]), (x, Buffer.from_handle(x.handle, 64, owner=x), self.floats([0] * 16)),
                (self.kernel, self.code.get_kernel("saxpy"), compiled(SAXPY + "\n").get_kernel("saxpy")),
                (self.code, self.kernel.object_code, compiled(SAXPY + "\n")),
                (self.all[Event], Event.from_handle(self.all[Event].handle), self.stream.record()),
                (self.device.default_stream, LEGACY_DEFAULT_STREAM, self.stream)]:
            with self.subTest(type(one).__name__):
                self.assertEqual(one, same)
                self.assertEqual(hash(one), hash(same))
                self.assertNotEqual(one, other)
                self.assertNotEqual(one, 5)
        before = hash(self.kernel)
        self.kernel.get_function()  # loads the code
        self.assertEqual(hash(self.kernel), before)

    def test_objects_report_whether_they_are_closed(self):
        with utils.HostRegistration(bytearray(64)) as there:
            self.assertFalse(there.is_closed)
        self.assertTrue(there.is_closed)
        for each in self.all.values():
            self.assertFalse(each.is_closed)
            each.close()
            each.close()
            self.assertTrue(each.is_closed)


class Closing(DeviceTest):
    def test_a_call_in_progress_keeps_what_it_uses(self):
        """Another thread closes the object, and the C library overwrites freed memory."""
        for made, use in [
                ("compiled(SAXPY).get_kernel('saxpy')", "launch(stream, config, it, 1.0, x, x, 1)"),
                ("device.create_stream()", "launch(it, config, kernel, 1.0, x, x, 1)"),
                ("device.allocate(64, stream=stream)", "launch(stream, config, kernel, 1.0, it, it, 1)"),
                ("compiled(SAXPY).get_kernel('saxpy')", "launch(stream, config, it, c_float(1), x.view('f32'), x, 1)"),
                ("PreparedLaunch(device.create_stream(), config, compiled(SAXPY).get_kernel('saxpy'), 1.0, x, x, 1)",
                 "it()"),
                ("graph.instantiate()", "it.launch(stream)"),
                ("device.create_event()", "(it.record(stream), it.sync())")]:
            with self.subTest(use=use):
                self.assertEqual(child(f"""
import sys, threading
from ctypes import c_float
sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
from cucore import *
from support import SAXPY, compiled
sys.setswitchinterval(1e-6)
device = Device(0)
stream, config = device.create_stream(), LaunchConfig(grid=1, block=1)
kernel, x, graph = compiled(SAXPY).get_kernel("saxpy"), device.allocate(64, stream=stream), Graph(device)
graph.memset(x, 0, 64)
said = set()
def run(it):
    try:
        for _ in range(100):
            {use}
    except (CUDAError, ValueError) as error:
        said.add(str(error).splitlines()[0])
for _ in range(30):
    it = {made}
    threads = [threading.Thread(target=run, args=(it,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for each in [it.kernel, it.stream] if isinstance(it, PreparedLaunch) else [it]:
        each.close()
    for thread in threads:
        thread.join()
stream.sync()
print(sorted(each for each in said if "NULL" not in each and "closed" not in each))
""", MALLOC_PERTURB_="165"), "[]\n")

    def test_a_handle_stays_valid_while_it_is_referenced(self):
        event = self.device.create_event()
        handle, number = event._h, event.handle
        event.close()
        self.assertEqual(cucore.raw.cuc_event_handle(handle), number)
        self.assertEqual(cucore.raw.cuc_event_query(handle), cucore.raw.CUC_OK)

    def test_a_closed_resource_allocates_nothing(self):
        made = [PinnedMemoryResource, LegacyPinnedMemoryResource, LegacyManagedMemoryResource,
                lambda: VirtualMemoryResource(self.device), lambda: SynchronousMemoryResource(self.device),
                lambda: DeviceMemoryResource(self.device),
                lambda: DeviceMemoryResource(self.device, DeviceMemoryResourceOptions())]
        graph = Graph(self.device)

        def allocate_from(mr):
            self.device.memory_resource = mr

        for make in made:
            with make() as mr:
                self.assertFalse(mr.is_closed)
                buffer = mr.allocate(64, stream=self.stream)
                self.assertIs(buffer.memory_resource, mr)
                self.assertIs(buffer[0:16].memory_resource, mr)
            self.assertEqual((mr.is_closed, mr.is_device_accessible, mr.is_host_accessible), (True, False, False))
            for use in (lambda: mr.allocate(64, stream=self.stream), lambda: graph.allocate(64, memory_resource=mr),
                        lambda: Buffer.from_handle(4096, 64, mr=mr), lambda: allocate_from(mr)):
                with self.subTest(type(mr).__name__), self.assertRaisesRegex(ValueError, "is closed"):
                    use()
            self.assertEqual(buffer.size, 64)

    @unittest.skipIf(sys.version_info < (3, 12), "Python 3.12 looks for __buffer__")
    def test_host_accessible_memory_supports_pythons_buffer_protocol(self):
        memory = LegacyPinnedMemoryResource().allocate(8)
        memoryview(memory)[:] = b"01234567"
        self.assertEqual(bytes(memory.host_view()), b"01234567")
        with self.assertRaisesRegex(BufferError, "cannot reach"):
            memoryview(self.floats([1]))

    def test_a_device_returns_the_resource_that_was_set(self):
        with DeviceMemoryResource(self.device, DeviceMemoryResourceOptions()) as mr:
            self.assertTrue(mr.is_handle_owned)
            self.assertFalse(DeviceMemoryResource(self.device).is_handle_owned)
            before, self.device.memory_resource = self.device.memory_resource, mr
            try:
                self.assertIs(self.device.memory_resource, mr)
                self.assertIs(self.device.allocate(16, stream=self.stream).memory_resource, mr)
                mr.close()  # the device holds a reference of its own
                self.assertGreater(self.device.allocate(16, stream=self.stream).handle, 0)
            finally:
                self.device.memory_resource = None
            self.assertEqual(self.device.memory_resource.device_id, before.device_id)
            self.assertIsNot(self.device.memory_resource, mr)


class Currents(DeviceTest):
    def test_no_call_needs_a_current_context(self):
        self.assertEqual(child(f"""
import sys
sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
from cucore import *
from support import compiled
assert Context.current() is None
device = Device(0)
code = compiled('extern "C" __device__ int v = 5; extern "C" __global__ void k(int *out) {{ *out = v; }}')
assert code.get_global("v")[1] == 4 and code.get_module()
event = device.create_event()
assert Event.from_handle(event.handle) == event and Event.from_handle(event.handle).device is device
for number in 0, 1, 2:
    stream = Stream.from_handle(number)
    wanted = device.per_thread_default_stream if number == 2 else device.default_stream
    assert stream.device is device and stream == wanted, stream
    stream.record().sync()
    stream.close()
    wanted.sync()
assert Context.current() is None
print("none")
"""), "none\n")

    def test_default_streams_are_streams(self):
        for stream in (LEGACY_DEFAULT_STREAM, PER_THREAD_DEFAULT_STREAM):
            self.assertIsInstance(stream, Stream)
            with stream as same:
                same.record().sync()
            self.assertFalse(stream.is_closed)
            self.assertIs(stream.device, self.device)
            y, kernel = self.floats([1]), compiled(SAXPY).get_kernel("saxpy")
            self.stream.sync()
            for _ in range(2):
                launch(stream, LaunchConfig(grid=1, block=1), kernel, 1.0, y, y, 1)
            PreparedLaunch(stream, LaunchConfig(grid=1, block=1), kernel, 1.0, y, y, 1)()
            stream.sync()
            out = array.array("f", [0])
            y.copy_to(out, stream=stream)
            stream.sync()
            self.assertEqual(list(out), [8])
        self.assertEqual(Device(0).per_thread_default_stream, PER_THREAD_DEFAULT_STREAM)

    def test_the_linker_is_known_before_linking(self):
        try:
            self.assertIn(Linker.which_backend(), ("nvJitLink", "driver"))
        except cucore.NotFoundError:
            self.skipTest("no linker")


if __name__ == "__main__":
    unittest.main()
