"""Objects let go in any order, on any thread, at exit and after a fork: no crash, no hang."""
import gc
import random
import threading
import unittest

from cucore import LaunchConfig, PreparedLaunch, launch
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
