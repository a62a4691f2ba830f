"""Objects let go in any order, on any thread, at exit and after a fork: no crash, no hang."""
import array
import gc
import random
import threading
import unittest

from cucore import (
    InvalidArgumentError,
    LaunchConfig,
    LegacyPinnedMemoryResource,
    PreparedLaunch,
    Tensor,
    launch,
)
from support import SAXPY, DeviceTest, child, compiled

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


class Orders(DeviceTest):
    def everything(self, chance):
        stream = self.device.create_stream()
        buffer = self.device.allocate(256, stream=stream)
        view = buffer.view("f32")
        code = compiled(SAXPY)
        kernel = code.get_kernel("saxpy")
        launch(stream, LaunchConfig(1, 32), kernel, 1.0, buffer, buffer, 16)
        with stream.capture() as capture:
            launch(stream, LaunchConfig(1, 32), kernel, 1.0, buffer, buffer, 16)
        run = capture.graph.instantiate()
        run.launch(stream)
        prepared = PreparedLaunch(stream, LaunchConfig(1, 32), kernel, 1.0, buffer, buffer, 16)
        objects = [stream, buffer, view, kernel, capture, run, prepared, buffer[16:32],
                   view.__dlpack__(), view.__dlpack__(max_version=(1, 0)), stream.record(),
                   self.device.memory_resource, stream.context, self.device.default_stream]
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

    def test_by_the_collector_on_another_thread(self):
        chance = random.Random(1)
        for _ in range(10):
            cycle = self.everything(chance)
            cycle.append(cycle)
            del cycle
            collector = threading.Thread(target=gc.collect)
            collector.start()
            collector.join()

    def test_a_buffer_that_work_uses_may_go(self):
        x, y = self.floats([1] * 64), self.floats([1] * 64)
        for _ in range(50):
            temporary = x.copy_to(stream=self.stream)
            launch(self.stream, LaunchConfig(1, 64), compiled(SAXPY).get_kernel("saxpy"), 1.0,
                   temporary, y, 64)
            del temporary
        self.assertEqual(self.read(y), [51] * 64)


class Closed(DeviceTest):
    """What is closed is not used: a failure, and no crash."""

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
        prepared = PreparedLaunch(self.stream, LaunchConfig(1, 32), compiled(SAXPY).get_kernel("saxpy"),
                                  2.0, x, y, 32)
        x.close()
        y.close()
        prepared()
        self.assertEqual(self.read(seen), [2] * 32)

    def test_a_prepared_launch_notices_what_is_closed(self):
        y = self.floats([0])
        stream, kernel = self.device.create_stream(), compiled(SAXPY).get_kernel("saxpy")
        prepared = PreparedLaunch(stream, LaunchConfig(1, 32), kernel, 2.0, y, y, 1)
        kernel.close()
        with self.assertRaisesRegex(InvalidArgumentError, "kernel is NULL"):
            prepared()
        stream.close()
        with self.assertRaisesRegex(InvalidArgumentError, "stream is NULL"):
            prepared()

    def test_closed_buffers_are_refused(self):
        x, y = self.floats([1]), self.floats([0])
        x.close()
        with self.assertRaises(InvalidArgumentError):
            launch(self.stream, LaunchConfig(1, 32), compiled(SAXPY).get_kernel("saxpy"), 2.0, x, y, 1)
        for use in (lambda: x.view(), lambda: x.copy_to(stream=self.stream), lambda: x[0:1],
                    lambda: x.fill(0, stream=self.stream), lambda: x.host_view()):
            with self.assertRaises((InvalidArgumentError, ValueError)):
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

    def test_a_child_of_a_fork_fails_and_lets_go(self):
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
