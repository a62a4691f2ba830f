"""The library's methods in the place of Python definitions: the same results, errors and lifetimes."""
import gc
import os
import sys
import threading
import unittest
import weakref

import cucore
from cucore import Buffer, Device, DeviceMemoryResource, DeviceMemoryResourceOptions, Event, MemoryResource, Stream
from cucore import _native
from cucore.utils import StridedMemoryView
from support import DeviceTest, child

PROGRAM = """
import gc, sys, threading
from cucore import *
device = Device(0)
stream, other = device.create_stream(), device.create_stream()
"""


class Replaced(unittest.TestCase):
    def test_methods_are_the_librarys_or_pythons(self):
        native = os.environ.get("CUCORE_PYTHON_NATIVE") != "0"
        self.assertEqual(_native.is_there, native)
        kind = "method_descriptor" if native else "function"
        for cls, names in ((Stream, ("wait", "record", "sync", "close")), (Buffer, ("fill", "copy_to", "close")),
                           (Event, ("record", "sync")), (MemoryResource, ("allocate",)), (Device, ("allocate",))):
            for name in names:
                self.assertEqual(type(cls.__dict__[name]).__name__, kind, f"{cls.__name__}.{name}")

    def test_python_alone_does_the_same(self):
        said = child(PROGRAM + """
from cucore import _native
event = stream.record()
other.wait(event)
stream.wait(other)
with device.allocate(64, stream=stream) as buffer:
    buffer.fill(1, stream=stream)
    view = buffer.view("f32")
    print(_native.is_there, buffer.size, view.shape, Tensor.from_dlpack(view).shape)
stream.sync()
print(event.is_done, Device(0) is device, stream.device is device, buffer.is_closed, stream == other)
""", CUCORE_PYTHON_NATIVE="0")
        self.assertEqual(said, "False 64 (16,) (16,)\nTrue True True True False\n")


class Same(DeviceTest):
    def test_errors_name_the_call_and_the_type(self):
        buffer = self.device.allocate(64, stream=self.stream)
        closed = self.device.allocate(64, stream=self.stream)
        closed.close()
        for kind, text, do in (
                (ValueError, "expected an Event, a Stream", lambda: self.stream.wait(4)),
                (TypeError, "expected a Event", lambda: self.stream.record("event")),
                (TypeError, "stream", lambda: buffer.fill(0)),
                (TypeError, "unexpected keyword", lambda: buffer.fill(0, stream=self.stream, color=1)),
                (OverflowError, "256", lambda: buffer.fill(256, stream=self.stream)),
                (ValueError, "3 bytes|1, 2 or 4", lambda: buffer.fill(b"abc", stream=self.stream)),
                (ValueError, "the source has 64 bytes", lambda: buffer.copy_to(closed, stream=self.stream)),
                (OverflowError, "fit", lambda: self.device.allocate(-1, stream=self.stream)),
                (OverflowError, "fit", lambda: self.device.allocate(1 << 64, stream=self.stream)),
                (TypeError, "expected a stream", lambda: self.device.allocate(64, stream="s")),
                (ValueError, r"^Buffer\.copy_to\(\)", lambda: buffer.copy_to(buffer, stream=self.stream))):
            with self.assertRaisesRegex(kind, text):
                do()

    def test_subclasses_are_taken_and_override(self):
        made = []

        class Mine(MemoryResource):
            is_device_accessible, is_host_accessible, device_id = True, False, 0

            def allocate(self, size, *, stream):
                made.append(size)
                return Buffer.from_handle(4096, size, mr=self, stream=stream)

            def deallocate(self, ptr, size, *, stream):
                made.append(-size)

        class Pool(DeviceMemoryResource):
            def allocate(self, size, *, stream):
                made.append("pool")
                return super().allocate(size, stream=stream)

        try:
            for resource in (Mine(), Pool(0, DeviceMemoryResourceOptions())):
                self.device.memory_resource = resource
                buffer = self.device.allocate(96, stream=self.stream)
                self.assertIs(buffer.memory_resource, resource)
                buffer.close()
        finally:
            self.device.memory_resource = None
        self.assertEqual(made, [96, -96, "pool"])
        self.assertIsNot(type(self.device.memory_resource), Pool)

    def test_equality_and_hashes_are_those_of_the_handles(self):
        other = self.device.create_stream()
        again = Stream.from_handle(self.stream.handle)
        self.assertEqual(self.stream, again)
        self.assertNotEqual(self.stream, other)
        self.assertFalse(self.stream == 3 or self.stream is None)
        self.assertEqual(len({self.stream, again, other}), 2)
        self.assertEqual(hash(self.stream), hash(self.stream.handle))
        event = self.stream.record()
        self.assertEqual(hash(event), hash(event.handle))

    def test_devices_are_one_object_each(self):
        self.assertIs(Device(0), self.device)
        self.assertIs(Device(self.device), self.device)
        self.assertIs(self.stream.device, self.device)
        self.assertIs(self.stream.record().device, self.device)
        for bad in (-1, 1000, 1 << 70):
            with self.assertRaises((ValueError, OverflowError, cucore.CUDAError)):
                Device(bad)


class Lifetimes(DeviceTest):
    def test_a_buffer_keeps_its_resource_and_nothing_keeps_a_buffer(self):
        pool = DeviceMemoryResource(0, DeviceMemoryResourceOptions())
        buffer, gone = pool.allocate(64, stream=self.stream), weakref.ref(pool)
        del pool
        self.assertIs(buffer.memory_resource, gone())
        ended = weakref.ref(buffer)
        del buffer
        self.assertIsNone(ended())
        self.assertIsNone(gone())

    def test_cycles_are_collected(self):
        class Pool(DeviceMemoryResource):
            pass

        pool = Pool(0, DeviceMemoryResourceOptions())
        pool.buffers = [pool.allocate(64, stream=self.stream)]
        ended = weakref.ref(pool)
        del pool
        gc.collect()
        self.assertIsNone(ended())

    def test_references_are_neither_lost_nor_kept(self):
        buffer, second = (self.device.allocate(64, stream=self.stream) for _ in range(2))
        event = self.stream.record()
        things = (self.stream, event, buffer, second, self.device, None, True, Buffer, Event)

        def work():
            for _ in range(50):
                self.stream.wait(event)
                self.stream.record(event)
                buffer.copy_to(second, stream=self.stream)
                second.copy_from(buffer, stream=self.stream)
                buffer.fill(0, stream=self.stream)
                self.device.allocate(8, stream=self.stream).close(self.stream)
                self.stream.record().close()
                event.is_done, buffer.memory_resource, self.stream.device, Device(0), self.stream == event
                for wrong in (lambda: self.stream.wait(3), lambda: buffer.fill("x", stream=self.stream)):
                    self.assertRaises((ValueError, TypeError), wrong)

        work()
        before = [sys.getrefcount(each) for each in things]
        work()
        for each, old in zip(things, before):
            self.assertLess(abs(sys.getrefcount(each) - old), 40, each)

    def test_views_keep_what_they_see(self):
        buffer = self.device.allocate(64, stream=self.stream)
        view = StridedMemoryView.from_any_interface(buffer, -1)
        self.assertIs(view.exporting_obj, buffer)
        cycle = [view]
        cycle.append(cycle)
        ended = weakref.ref(view)
        del view, cycle
        gc.collect()
        self.assertIsNone(ended())

    def test_objects_are_closed_while_others_use_them(self):
        self.assertEqual(child(PROGRAM + """
sys.setswitchinterval(1e-6)
box, ended, failures = [], threading.Event(), []
def use():
    while not ended.is_set():
        try:
            buffer, event, queue = box[0]
            queue.wait(event)
            queue.record(event)
            buffer.fill(1, stream=queue)
            event.is_done, queue.is_done, buffer.handle, queue.handle
        except (CUDAError, ValueError, IndexError):
            pass
        except BaseException as error:
            failures.append(error)
threads = [threading.Thread(target=use) for _ in range(4)]
for each in threads: each.start()
for _ in range(300):
    queue = device.create_stream()
    box[:] = [(device.allocate(64, stream=queue), queue.record(), queue)]
    stream.sync()
    for each in box[0]: each.close()
ended.set()
for each in threads: each.join()
print(failures)
""", PYTHONMALLOC="debug"), "[]\n")


if __name__ == "__main__":
    unittest.main()
