"""Tests releases in any order, on any thread, at exit and after a fork: no crash, no hang."""
import array
import gc
import os
import pathlib
import queue
import random
import re
import threading
import unittest

from cucore import (
    Buffer,
    ContextOptions,
    DeviceMemoryResource,
    DeviceMemoryResourceOptions,
    Graph,
    InvalidArgumentError,
    LaunchConfig,
    LegacyPinnedMemoryResource,
    NotSupportedError,
    PreparedLaunch,
    SMResourceOptions,
    Stream,
    Tensor,
    VirtualMemoryResource,
    host_launch,
    launch,
)
from cucore import _handle
from support import ROOT, SAXPY, DeviceTest, child, compiled

START = """
import cucore, os, sys, threading
from cucore import *
device = Device(0)
stream = device.create_stream()
buffer = device.allocate(64, stream=stream)
event = stream.record()
view = buffer.view("f32")
capsule = view.__dlpack__()
pinned = LegacyPinnedMemoryResource().allocate(64)
mapped = pinned.host_view()
"""


def device_pool(device, stream):
    """Return a buffer that holds the only reference to a shared pool."""
    pool = DeviceMemoryResource(device, DeviceMemoryResourceOptions(ipc_enabled=True))
    return pool.allocate(5000, stream=stream)


def deciding(device):
    """Build a graph with nested bodies, some of which are referenced separately."""
    graph = Graph(device)
    loop = graph.while_loop(graph.create_condition(default_value=0))
    inner = loop.body.if_else(loop.body.create_condition(default_value=1))
    return [graph, loop, loop.body, inner, inner.then, inner.else_, graph.create_condition()]


def growing(device, stream):
    """Return several buffers over the same memory."""
    try:
        resource = VirtualMemoryResource(device)
    except NotSupportedError:
        return []
    first = resource.allocate(100, stream=stream)
    return [resource, first, resource.modify_allocation(first, 3 << 20), resource.modify_allocation(first, 10),
            first[0:50]]


def parts(device):
    try:
        groups, rest = device.resources.sm.split(SMResourceOptions(count=16))
    except NotSupportedError:
        return []
    part = device.create_context(ContextOptions(groups))
    stream = part.create_stream()
    return [part, stream, stream.record(), part.resources, rest, device.allocate(16, stream=stream)]


class Orders(DeviceTest):
    def everything(self, chance):
        stream = self.device.create_stream()
        buffer = self.device.allocate(256, stream=stream)
        view = buffer.view("f32")
        code = compiled(SAXPY)
        kernel = code.get_kernel("saxpy")
        launch(stream, LaunchConfig(grid=1, block=32), kernel, 1.0, buffer, buffer, 16)
        with stream.capture() as capture:
            launch(stream, LaunchConfig(grid=1, block=32), kernel, 1.0, buffer, buffer, 16)
        run = capture.graph.instantiate()
        run.launch(stream)
        prepared = PreparedLaunch(stream, LaunchConfig(grid=1, block=32), kernel, 1.0, buffer, buffer, 16)
        made = Graph(self.device)
        node = made.launch(LaunchConfig(grid=1, block=32), kernel, 1.0, buffer, buffer, 16)
        node.callback(lambda: None).memset(buffer, 0, 4)
        made.instantiate().launch(stream)
        host_launch(stream, lambda: None)
        objects = [stream, buffer, view, kernel, capture, run, prepared, buffer[16:32],
                   view.__dlpack__(), view.__dlpack__(max_version=(1, 0)), stream.record(),
                   self.device.memory_resource, stream.context, self.device.default_stream,
                   made, node, made.instantiate(), Tensor.from_dlpack(view), Tensor.from_dlpack(view),
                   stream.create_graph_builder(), device_pool(self.device, stream), *deciding(self.device),
                   *growing(self.device, stream), *parts(self.device)]
        chance.shuffle(objects)
        return objects

    def test_in_random_order_on_many_threads(self):
        failures = []

        def work(seed):
            chance = random.Random(seed)
            try:
                for _ in range(20):
                    objects = self.everything(chance)
                    while objects:
                        objects.pop()
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_nothing_is_left(self):
        """Use the fake driver, which counts live objects."""
        fake = pathlib.Path(os.environ.get("CUCORE_BUILD", "")) / "tests" / "libfake_driver.so"
        if not fake.exists():
            self.skipTest("no fake driver was built")
        names = re.findall(r"^CONTROL(?:_VOID)?\((?:\w+, )?(\w+),",
                           (ROOT / "tests/support/fake_control.def").read_text(), re.M)
        said = child(f"""
import ctypes, gc, random, sys, time
sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
import test_lifetime

table = (ctypes.c_void_p * {len(names)}).in_dll(ctypes.CDLL({str(fake)!r}), "fake_control")
live = ctypes.CFUNCTYPE(ctypes.c_int)(table[{names.index("live_total")}])
case, counts = test_lifetime.Orders(), []
case.setUp()
for seed in range(12):
    objects = case.everything(random.Random(seed))
    many = live()
    while objects:
        objects.pop()
    gc.collect()
    case.stream.sync()
    until = time.monotonic() + 0.5  # what graphs kept is let go by a thread of the driver's, and then here
    while counts and live() > counts[0] and time.monotonic() < until:
        test_lifetime.Graph(case.device).close()
        time.sleep(0.01)
    counts.append(live())
# A few objects may be on their way to that thread, but a leak in each round adds up.
print(many > counts[0] + 20, counts[-1] < counts[0] + 6, counts)
""", CUCORE_DRIVER=str(fake))
        self.assertTrue(said.startswith("True True"), said)

    def test_references_dropped_in_a_driver_callback_are_released_later(self):
        """CUDA calls are forbidden in a callback, and the collector cannot know that it runs in
        one."""
        for make in (lambda: Graph(self.device), self.device.create_stream):
            cycle = [make()]
            cycle.append(cycle)
            handles, said = [int(cycle[0]._h)], []
            held, cycle = [cycle], None

            def drop():
                threading.current_thread()  # registers the thread with the interpreter
                held.clear()
                gc.collect()
                said.extend(handle for _, handle in _handle._left)

            host_launch(self.stream, drop)
            self.stream.sync()
            self.assertIn(handles[0], said)
            self.device.create_stream().close()  # now it is released
            self.assertEqual(_handle._left, [])

    def test_arrays_exchanged_with_others_dropped_in_a_callback_are_released_later(self):
        memory = LegacyPinnedMemoryResource().allocate(64)
        for take in (lambda view: view.__dlpack__(), lambda view: view.__dlpack__(max_version=(1, 0)),
                     lambda view: Tensor.from_capsule(view.__dlpack__()),
                     lambda view: Tensor.from_capsule(view.__dlpack__(max_version=(1, 0)))):
            for known in (False, True):
                ran, went = [], []
                owner = type("Owner", (), {"__del__": lambda _, went=went: went.append(threading.get_ident())})
                held = [take(Buffer.from_handle(memory.handle, 64, owner=owner()).view())]

                def drop(known=known, ran=ran, held=held):
                    if known:
                        threading.current_thread()
                    ran.append(threading.get_ident())
                    held.clear()

                host_launch(self.stream, drop)
                self.stream.sync()
                self.assertEqual(went, [threading.get_ident()])
                self.assertNotEqual(went, ran)

    def test_on_threads_that_only_finalize(self):
        """Threads that run finalizers release objects in any order, while others create more."""
        queues = [queue.SimpleQueue() for _ in range(3)]
        failures = []

        def finalise(mine):
            while (each := mine.get()) is not None:
                del each

        def make(seed):
            chance = random.Random(seed)
            try:
                for _ in range(15):
                    for each in self.everything(chance):
                        chance.choice(queues).put(each)
            except BaseException as error:
                failures.append(error)

        finalisers = [threading.Thread(target=finalise, args=(q,)) for q in queues]
        makers = [threading.Thread(target=make, args=(seed,)) for seed in range(3)]
        for thread in finalisers + makers:
            thread.start()
        for thread in makers:
            thread.join()
        for q in queues:
            q.put(None)
        for thread in finalisers:
            thread.join()
        self.assertEqual(failures, [])

    def test_in_finalizers_of_their_users(self):
        """Finalizers of other objects use them, or even keep them."""
        kept, test = [], self

        class User:
            def __init__(self, chance):
                self.objects = test.everything(chance)
                self.me = self

            def __del__(self):
                self.objects[0].sync() if isinstance(self.objects[0], Stream) else None
                kept.append(self.objects.pop())

        chance = random.Random(3)
        for _ in range(10):
            User(chance)
            gc.collect()
        self.assertEqual(len(kept), 10)
        kept.clear()

    def test_by_the_collector_on_another_thread(self):
        chance = random.Random(1)
        for _ in range(10):
            cycle = self.everything(chance)
            cycle.append(cycle)
            del cycle
            collector = threading.Thread(target=gc.collect)
            collector.start()
            collector.join()

    def test_a_buffer_in_use_may_be_released(self):
        x, y = self.floats([1] * 64), self.floats([1] * 64)
        for _ in range(50):
            temporary = x.copy_to(stream=self.stream)
            launch(self.stream, LaunchConfig(grid=1, block=64), compiled(SAXPY).get_kernel("saxpy"), 1.0,
                   temporary, y, 64)
            del temporary
        self.assertEqual(self.read(y), [51] * 64)


class Closed(DeviceTest):
    """Tests that using a closed object fails without a crash."""

    def test_a_view_outlives_the_buffer(self):
        buffer = self.floats([1, 2])
        view = buffer.view("f32")
        buffer.close()
        self.floats([3, 4])
        capsule = view.__dlpack__()
        del view
        out = array.array("f", bytes(8))
        Tensor.from_capsule(capsule).copy_to(out, stream=self.stream)
        self.stream.sync()
        self.assertEqual(list(out), [1, 2])
        pinned = LegacyPinnedMemoryResource().allocate(8)
        memory = pinned.host_view()
        pinned.close()
        memory[:] = b"01234567"

    def test_a_prepared_launch_keeps_its_buffers(self):
        x, y = self.floats([1] * 32), self.floats([0] * 32)
        seen = y[0:128]
        prepared = PreparedLaunch(self.stream, LaunchConfig(grid=1, block=32), compiled(SAXPY).get_kernel("saxpy"),
                                  2.0, x, y, 32)
        x.close()
        y.close()
        prepared()
        self.assertEqual(self.read(seen), [2] * 32)

    def test_a_prepared_launch_keeps_its_stream_config_and_kernel(self):
        y = self.floats([0] * 32)
        prepared = PreparedLaunch(self.device.create_stream(), LaunchConfig(grid=1, block=32),
                                  compiled(SAXPY).get_kernel("saxpy"), 2.0, y, y, 32)
        others = [(self.device.create_stream(), LaunchConfig(grid=1, block=1), compiled(SAXPY).get_kernel("saxpy"))
                  for _ in range(50)]
        prepared()
        self.device.sync()
        self.assertEqual(self.read(y), [0] * 32)
        self.assertEqual(len(others), 50)

    def test_a_prepared_launch_gets_other_arguments_while_it_launches(self):
        """The arguments of the launch in progress stay valid; the interpreter overwrites freed
        memory."""
        self.assertEqual(child(f"""
import sys, threading
sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
from cucore import *
from support import SAXPY, compiled
sys.setswitchinterval(1e-6)
device = Device(0)
stream = device.create_stream()
y = device.allocate(128, stream=stream)
prepared = PreparedLaunch(stream, LaunchConfig(grid=1, block=32), compiled(SAXPY).get_kernel("saxpy"), 0.0, y, y, 32)
ended = threading.Event()
def replace():
    while not ended.is_set():
        prepared.replace(0.0, y, y, 32)
threads = [threading.Thread(target=replace) for _ in range(2)]
for thread in threads:
    thread.start()
for _ in range(500):
    prepared()
ended.set()
for thread in threads:
    thread.join()
stream.sync()
print("launched")
""", PYTHONMALLOC="debug"), "launched\n")

    def test_a_prepared_launch_detects_closed_objects(self):
        y = self.floats([0])
        stream, kernel = self.device.create_stream(), compiled(SAXPY).get_kernel("saxpy")
        prepared = PreparedLaunch(stream, LaunchConfig(grid=1, block=32), kernel, 2.0, y, y, 1)
        kernel.close()
        with self.assertRaisesRegex(InvalidArgumentError, "kernel is closed"):
            prepared()
        stream.close()
        with self.assertRaisesRegex(InvalidArgumentError, "stream is closed"):
            prepared()

    def test_a_pool_that_was_current_stays(self):
        """The device refers to its memory resource only by handle."""
        self.assertEqual(child("""
import gc
from cucore import *
device = Device(0)
stream = device.create_stream()
default = DeviceMemoryResource(device)
pool = DeviceMemoryResource(device, DeviceMemoryResourceOptions())
pool.make_current()
device.memory_resource
pool = DeviceMemoryResource(device, DeviceMemoryResourceOptions())
pool.make_current()
del pool
gc.collect()
for pool in (device.memory_resource, MemoryPool.current(device)):
    pool.allocate(64, stream=stream).close()
default.make_current()
stream.sync()
print("allocated")
"""), "allocated\n")

    def test_a_finalizer_may_copy_while_other_memory_is_released(self):
        self.assertEqual(child("""
import signal
from cucore import *
signal.alarm(60)
device = Device(0)
stream = device.create_stream()
buffer = device.allocate(16, stream=stream)
class Data(bytearray):
    def __del__(self):
        buffer.copy_from(b"1" * 16, stream=stream)
        print("copied", flush=True)
buffer.copy_from(Data(16), stream=stream)
stream.sync()
stream.sync()
out = bytearray(16)
buffer.copy_to(out, stream=stream)
stream.sync()
print(bytes(out) == b"1" * 16)
"""), "copied\nTrue\n")

    def test_closed_buffers_are_refused(self):
        x, y = self.floats([1]), self.floats([0])
        x.close()
        with self.assertRaises(InvalidArgumentError):
            launch(self.stream, LaunchConfig(grid=1, block=32), compiled(SAXPY).get_kernel("saxpy"), 2.0, x, y, 1)
        for use in (lambda: x.view(), lambda: x.copy_to(stream=self.stream), lambda: x[0:1],
                    lambda: x.fill(0, stream=self.stream), lambda: x.host_view()):
            with self.assertRaises((InvalidArgumentError, ValueError)):
                use()

    def test_messages_call_closed_objects_closed(self):
        """Messages call a closed object closed, not NULL or empty."""
        x, y = self.floats([1]), self.floats([0])
        stream, event, host = self.device.create_stream(), self.device.create_event(), bytearray(4)
        x.close()
        stream.close()
        event.close()
        for what, use in (
                ("buffer", lambda: x.fill(0, stream=self.stream)), ("Buffer", lambda: x.copy_from(host, stream=self.stream)),
                ("Buffer", lambda: x.copy_to(host, stream=self.stream)), ("Buffer", lambda: x.copy_to(stream=self.stream)),
                ("Buffer", lambda: x.copy_to(y, stream=self.stream)), ("Buffer", lambda: y.copy_to(x, stream=self.stream)),
                ("Buffer", lambda: y.copy_from(x, stream=self.stream)), ("buffer", lambda: x.view()),
                ("Buffer", lambda: x[0:1]), ("stream", lambda: self.device.allocate(64, stream=stream)),
                ("stream", lambda: y.fill(0, stream=stream)), ("stream", lambda: y.copy_to(host, stream=stream)),
                ("stream", lambda: stream.sync()),
                ("event", lambda: self.stream.record(event)), ("event", lambda: self.stream.wait(event)),
                ("event", lambda: event.sync())):
            with self.subTest(what), self.assertRaisesRegex(ValueError, rf"\b{what} is closed"):
                use()


class Ends(unittest.TestCase):
    def test_the_interpreter_ends_with_everything_alive(self):
        self.assertEqual(child(START + "print('ended')"), "ended\n")

    def test_it_ends_while_a_thread_works(self):
        self.assertEqual(child(START + """
def work():
    while True:
        device.allocate(64, stream=stream).view().__dlpack__()
threading.Thread(target=work, daemon=True).start()
import time; time.sleep(0.2)
print('ended')
"""), "ended\n")

    def test_objects_in_cycles_and_modules_may_go_last(self):
        self.assertEqual(child(START + """
sys.keep = [stream, buffer, view, capsule]
sys.keep.append(sys.keep)
import atexit
atexit.register(lambda: buffer.close())
print('ended')
"""), "ended\n")

    def test_calls_fail_and_releases_work_in_a_forked_child(self):
        self.assertEqual(child(START + """
sys.stdout.flush()
pid = os.fork()
if pid == 0:
    try:
        device.create_stream()
    except ForkedError as error:
        print('refused', flush=True)
    del buffer, view, capsule, event, stream, pinned, mapped
    import gc; gc.collect()
    os._exit(0)
assert os.waitpid(pid, 0)[1] == 0
stream.sync()
print('parent')
"""), "refused\nparent\n")

    def test_it_ends_with_graphs_and_functions_in_progress(self):
        self.assertEqual(child(START + """
import time
graph = Graph(device)
graph.callback(time.sleep, user_data=0.05).memset(buffer, 1, 4).callback(print, user_data='called')
run = graph.instantiate()
run.launch(stream)
stream.sync()
host_launch(stream, lambda: time.sleep(0.1))
run.launch(stream)
builder = device.create_graph_builder().begin_building()
host_launch(builder, print)
sys.keep = [graph, run, builder, Tensor.from_dlpack(view)]
print('ended', flush=True)
""").splitlines()[:2], ["called", "ended"])

    def test_functions_in_progress_are_called_before_it_ends(self):
        """A driver thread that enters Python too late would be blocked, and its stream would never
        complete."""
        self.assertEqual(child(START + """
import time
class Last:
    def __del__(self):
        stream.sync()
last = Last()
last.me = last
graph = Graph(device)
graph.callback(time.sleep, user_data=0.1).callback(print, user_data='called from a graph')
graph.instantiate().launch(stream)
host_launch(stream, lambda: time.sleep(0.1))
host_launch(stream, print, user_data='called')
"""), "called from a graph\ncalled\n")

    def test_threads_that_are_cut_off_hold_objects(self):
        self.assertEqual(child(START + """
import time
def work(i):
    mine = device.create_stream()
    held = [device.allocate(64, stream=mine).view() for _ in range(20)]
    graph = Graph(device)
    while True:
        graph.memset(held[0].ptr, i, 4)
        held.append(Tensor.from_dlpack(held[-1]))
        del held[:5]
        held += [device.allocate(64, stream=mine).view() for _ in range(5)]
for i in range(4):
    threading.Thread(target=work, args=(i,), daemon=True).start()
time.sleep(0.3)
print('ended')
"""), "ended\n")

    def test_children_that_end_by_themselves(self):
        """A child of fork() shuts the interpreter down with its parent's objects, while threads of
        the parent work."""
        self.assertEqual(child(START + """
import time
def work():
    mine = device.create_stream()
    while True:
        device.allocate(64, stream=mine).view().__dlpack__()
threading.Thread(target=work, daemon=True).start()
for _ in range(5):
    time.sleep(0.02)
    pid = os.fork()
    if pid == 0:
        import gc
        for call in (device.create_stream, lambda: buffer.view().__dlpack__(), stream.sync,
                     lambda: Graph(device), lambda: stream.record()):
            try:
                call()
            except ForkedError:
                pass
        gc.collect()
        sys.exit(0)
    assert os.waitpid(pid, 0)[1] == 0
print('parent')
"""), "parent\n")

    def test_importing_needs_no_driver(self):
        self.assertEqual(child("""
import cucore
try:
    cucore.Device(0)
except cucore.NoDriverError as error:
    print(error.name)
""", CUCORE_DRIVER="/no/such/driver"), "CUC_ERROR_NO_DRIVER\n")


if __name__ == "__main__":
    unittest.main()
