"""Arrays to and from other libraries, without a copy, kept as long as somebody needs them."""
import array
import ctypes
import gc
import sys
import unittest

import cucore
from cucore import Buffer, LaunchConfig, Tensor, as_tensor, launch
from support import SAXPY, DeviceTest, kernel

try:
    import numpy
except ModuleNotFoundError:
    numpy = None


class Capsules(DeviceTest):
    """Of memory whose end is seen."""

    def setUp(self):
        super().setUp()
        self.freed = []
        memory = self.floats(range(6))
        freed = self.freed

        class Owner:
            def __init__(self):
                self.memory = memory

            def __del__(self):
                freed.append(self.memory.size)

        self.buffer = Buffer.from_handle(memory.handle, memory.size, owner=Owner())

    def test_one_that_nobody_consumes_frees_what_it_keeps(self):
        for how in ({}, {"max_version": (1, 0)}, {"stream": -1}):
            capsule = self.buffer.view("f32").__dlpack__(**how)
            self.assertIn("dltensor", repr(capsule))
            del capsule
        del self.buffer
        gc.collect()
        self.assertEqual(self.freed, [24])

    def test_one_that_is_consumed_lives_with_the_consumer(self):
        tensor = Tensor.from_dlpack(self.buffer.view("f32", (2, 3)), stream=self.stream)
        address = self.buffer.handle
        del self.buffer
        gc.collect()
        self.assertEqual(self.freed, [])
        self.assertEqual((tensor.shape, tensor.dtype, tensor.ptr), ((2, 3), "f32", address))
        again = Tensor.from_dlpack(tensor)
        del tensor
        gc.collect()
        self.assertEqual((self.freed, again.shape), ([], (2, 3)))
        del again
        gc.collect()
        self.assertEqual(self.freed, [24])

    def test_it_is_consumed_once(self):
        capsule = self.buffer.view().__dlpack__()
        Tensor.from_capsule(capsule)
        with self.assertRaisesRegex(ValueError, "nobody has consumed"):
            Tensor.from_capsule(capsule)

    def test_what_cannot_be_is_refused(self):
        view = self.buffer.view("f32")
        with self.assertRaises(BufferError):
            view.__dlpack__(copy=True)
        with self.assertRaises(BufferError):
            view.__dlpack__(dl_device=(1, 0))
        with self.assertRaises(BufferError):
            self.floats([1]).view().__dlpack__(stream=0)


class Order(DeviceTest):
    def test_the_consumers_stream_waits_for_the_buffers(self):
        view = self.floats([1]).view("f32")
        other = self.device.create_stream()
        for stream in (None, 1, 2, -1, other.handle, self.stream.handle):
            view.__dlpack__(stream=stream)
        self.assertEqual(view.__dlpack_device__(), (2, 0))

    def test_the_interface_says_the_stream(self):
        view = self.floats(range(6)).view("f32", (2, 3))
        said = view.__cuda_array_interface__
        self.assertEqual((said["version"], said["shape"], said["typestr"], said["strides"]),
                         (3, (2, 3), "<f4", None))
        self.assertEqual((said["stream"], said["data"]), (self.stream.handle, (view.ptr, False)))


class Header(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("previous", ctypes.c_void_p)]


GIVE = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(ctypes.c_void_p))
CURRENT = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))


class Exchange(ctypes.Structure):
    """DLPackExchangeAPI."""

    _fields_ = [("header", Header), ("allocate", ctypes.c_void_p), ("give", GIVE), ("take", ctypes.c_void_p),
                ("borrow", ctypes.c_void_p), ("current_stream", CURRENT)]


def exchanging(version=1, previous=None):
    """A class of arrays with the exchange API; its `calls` are those that were made."""

    class Array:
        def __init__(self, view):
            self.view = view

        def __dlpack__(self, **how):
            Array.calls.append("__dlpack__")
            return self.view.__dlpack__(**how)

        def __dlpack_device__(self):
            return self.view.__dlpack_device__()

    def give(array, out):
        Array.calls.append("give")
        if array.view is None:
            return -1
        made = ctypes.c_void_p()
        cucore.raw.cuc_tensor_to_dlpack(ctypes.byref(made), array.view._address, array.view._buffer._h)
        out[0] = made.value
        return 0

    def current_stream(kind, number, out):
        Array.calls.append(("current", kind, number))
        out[0] = Array.stream
        return 0

    Array.calls, Array.stream = [], 0
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    Array.table = Exchange(Header(version, 3, previous), None, GIVE(give), None, None, CURRENT(current_stream))
    Array.name = b"dlpack_exchange_api"
    Array.__dlpack_c_exchange_api__ = new(ctypes.addressof(Array.table), Array.name, None)
    return Array


class ExchangeApi(DeviceTest):
    def test_an_array_comes_by_it_and_keeps_its_memory(self):
        kind = exchanging()
        memory = self.floats(range(4))
        tensor = Tensor.from_dlpack(kind(memory.view("f32")))
        self.assertEqual((kind.calls, tensor.shape, tensor.ptr), (["give"], (4,), memory.handle))
        memory.close()
        out = array.array("f", bytes(16))
        tensor.copy_to(out, stream=self.stream)
        self.stream.sync()
        self.assertEqual(list(out), [0, 1, 2, 3])

    def test_the_stream_given_waits_for_the_producers(self):
        kind = exchanging()
        given = kind(self.floats([1]).view("f32"))
        other = self.device.create_stream()
        for current in (0, 1, 2, other.handle, self.stream.handle):
            kind.calls.clear()
            kind.stream = current
            Tensor.from_dlpack(given, stream=self.stream)
            self.assertEqual(kind.calls, ["give", ("current", 2, 0)])

    def test_another_librarys_stream_is_taken(self):
        kind, stream = exchanging(), self.stream

        class Theirs:
            def __cuda_stream__(self):
                return 0, stream.handle

        Tensor.from_dlpack(kind(self.floats([1]).view("f32")), stream=Theirs())
        self.assertEqual(kind.calls, ["give", ("current", 2, 0)])

    def test_an_exception_of_the_producer_is_raised(self):
        with self.assertRaises(SystemError):  # it said -1, and set none
            Tensor.from_dlpack(exchanging()(None))

    def test_one_of_another_major_version_is_asked_by_its_methods(self):
        kind = exchanging(version=2)
        Tensor.from_dlpack(kind(self.floats([1]).view("f32")))
        self.assertEqual(kind.calls, ["__dlpack__"])

    def test_an_older_table_is_taken(self):
        old = exchanging()
        kind = exchanging(version=2, previous=ctypes.addressof(old.table))
        Tensor.from_dlpack(kind(self.floats([1]).view("f32")))
        self.assertEqual((kind.calls, old.calls), ([], ["give"]))


class Methods(DeviceTest):
    def test_arguments_that_are_not_known_are_refused(self):
        view = self.floats([1]).view("f32")
        for wrong in (lambda: view.__dlpack__(1), lambda: view.__dlpack__(streams=1),
                      lambda: view.__dlpack__(max_version=3), lambda: view.__dlpack__(max_version=()),
                      lambda: view.__dlpack__(stream="1"), lambda: Tensor.from_dlpack(),
                      lambda: Tensor.from_dlpack(view, view), lambda: Tensor.from_capsule(view),
                      lambda: Tensor.__dlpack__(3)):
            with self.assertRaises((TypeError, ValueError)):
                wrong()

    def test_references_are_given_back(self):
        view = self.floats(range(4)).view("f32")
        kind = exchanging()
        theirs = kind(view)
        objects = [view, view._buffer, view._stream, Tensor, theirs, kind, None, False]
        Tensor.from_dlpack(theirs, stream=self.stream)
        before = list(map(sys.getrefcount, objects))
        for _ in range(100):
            view.__dlpack__(stream=-1)
            view.__dlpack__(stream=self.stream.handle, max_version=(1, 0), copy=False)
            view.__dlpack_device__()
            Tensor.from_capsule(view.__dlpack__(stream=-1))
            Tensor.from_dlpack(theirs, stream=self.stream)
            Tensor.from_dlpack(view)
            kind.calls.clear()
        after = list(map(sys.getrefcount, objects))
        self.assertTrue(all(abs(b - a) < 20 for a, b in zip(before, after)), (before, after))


class Foreign:
    """Another library's array, with strides in bytes."""

    def __init__(self, buffer, **said):
        self.buffer = buffer
        self.__cuda_array_interface__ = {"shape": (4,), "typestr": "<f4", "version": 3, "strides": None,
                                         "data": (buffer.handle, False), **said}


class Arrays(DeviceTest):
    def test_one_comes_in_by_the_interface(self):
        producer = self.device.create_stream()
        foreign = Foreign(self.floats(range(8)), shape=(2, 2), strides=(16, 8), stream=producer.handle)
        tensor = as_tensor(foreign, stream=self.stream)
        self.assertEqual((tensor.shape, tensor.strides, tensor.dtype), ((2, 2), (4, 2), "f32"))
        self.assertFalse(tensor.is_contiguous)
        self.assertEqual(tensor.__cuda_array_interface__["strides"], (16, 8))
        self.assertIs(tensor.owner, foreign)

    def test_one_is_an_argument_of_a_kernel(self):
        x, y = self.floats([1, 2, 3, 4]), self.floats([0] * 4)
        launch(self.stream, LaunchConfig(1, 32), kernel(SAXPY, "saxpy"), 3.0, Foreign(x), Foreign(y), 4)
        self.assertEqual(self.read(y), [3, 6, 9, 12])

    def test_one_that_makes_no_sense_is_refused(self):
        buffer = self.floats(range(4))
        for said, error in (({"typestr": "<U4"}, TypeError), ({"strides": (3,)}, ValueError),
                            ({"mask": object()}, TypeError), ({"shape": (-1,)}, ValueError)):
            with self.subTest(said), self.assertRaises(error):
                as_tensor(Foreign(buffer, **said))
        with self.assertRaisesRegex(TypeError, "not list"):
            as_tensor([1, 2])

    def test_elements_are_copied_from_and_to_the_host(self):
        tensor = self.floats([0] * 6).view("f32", (2, 3))
        tensor.copy_from(array.array("f", range(6)), stream=self.stream)
        out = array.array("f", bytes(24))
        tensor.copy_to(out, stream=self.stream)
        self.stream.sync()
        self.assertEqual(list(out), list(range(6)))
        with self.assertRaisesRegex(ValueError, "24 bytes and the destination 20"):
            tensor.copy_to(array.array("f", bytes(20)), stream=self.stream)
        gaps = as_tensor(Foreign(tensor.owner, shape=(2,), strides=(8,)))
        with self.assertRaisesRegex(ValueError, "has gaps"):
            gaps.copy_to(bytearray(8), stream=self.stream)

    def test_dtypes_have_the_names_of_others(self):
        buffer = self.floats(range(4))
        for name, shape in (("float32", (4,)), ("bfloat16", (8,)), ("float8_e4m3fn", (16,)),
                            (ctypes.c_int, None)):
            if shape is None:
                with self.assertRaisesRegex(TypeError, "there is no element type"):
                    buffer.view(name)
            else:
                self.assertEqual(buffer.view(name).shape, shape)


@unittest.skipUnless(numpy, "no NumPy")
class NumPy(DeviceTest):
    def test_pinned_memory_is_an_array_of_it(self):
        memory = cucore.LegacyPinnedMemoryResource().allocate(32)
        memory.host_view()[:] = bytes(32)
        array = numpy.frombuffer(memory.host_view(), dtype=numpy.float32)
        array[:] = range(8)
        y = self.floats([1] * 8)
        launch(self.stream, LaunchConfig(1, 32), kernel(SAXPY, "saxpy"), 2.0, memory, y, 8)
        self.assertEqual(self.read(y), [2 * i + 1 for i in range(8)])

    def test_its_arrays_come_in(self):
        array = numpy.arange(12, dtype=numpy.int16).reshape(3, 4)[:, ::2]
        tensor = Tensor.from_dlpack(array)
        self.assertEqual((tensor.shape, tensor.strides, tensor.dtype, tensor.device_id),
                         ((3, 2), (4, 2), "i16", -1))
        self.assertEqual(tensor.ptr, array.ctypes.data)
        before = array.copy()
        del array
        gc.collect()
        back = numpy.from_dlpack(tensor)
        self.assertTrue((back == before).all())

    def test_they_are_copied_from_and_to(self):
        buffer = self.device.allocate(64, stream=self.stream)
        buffer.copy_from(numpy.arange(16, dtype=numpy.float32), stream=self.stream)
        out = numpy.empty(16, dtype=numpy.float32)
        buffer.copy_to(out, stream=self.stream)
        self.stream.sync()
        self.assertTrue((out == numpy.arange(16)).all())


if __name__ == "__main__":
    unittest.main()
