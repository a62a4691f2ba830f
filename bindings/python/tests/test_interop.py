"""Tests the exchange of arrays with other libraries, without copies and with correct lifetimes."""
import array
import ctypes
import gc
import sys
import unittest
import weakref

import cucore
from cucore import Buffer, LaunchConfig, Tensor, _native, as_tensor, launch, raw
from cucore.utils import StridedMemoryView, args_viewable_as_strided_memory
from support import SAXPY, DeviceTest, child, kernel

try:
    import numpy
except ModuleNotFoundError:
    numpy = None


class Capsules(DeviceTest):
    """Tests capsules for memory whose release can be observed."""

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

    def test_an_unconsumed_capsule_frees_its_memory(self):
        for how in ({}, {"max_version": (1, 0)}, {"stream": -1}):
            capsule = self.buffer.view("f32").__dlpack__(**how)
            self.assertIn("dltensor", repr(capsule))
            del capsule
        del self.buffer
        gc.collect()
        self.assertEqual(self.freed, [24])

    def test_a_consumed_capsule_lives_with_its_consumer(self):
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

    def test_a_propagating_exception_survives_the_release_of_a_capsule(self):
        """Releasing a consumer runs Python code, which must not be called with an exception
        pending."""
        def fail(held):
            raise KeyError("mine")

        for take in (lambda view: view.__dlpack__(), lambda view: view.__dlpack__(max_version=(1, 0)),
                     lambda view: Tensor.from_capsule(view.__dlpack__())):
            held = [take(Buffer.from_handle(self.buffer.handle, 24, owner=type("Owner", (), {
                "__del__": lambda owner: self.freed.append("one")})()).view("f32"))]
            with self.assertRaisesRegex(KeyError, "mine"):
                (held.pop(), fail(held))  # the exception drops the capsule from the stack
        gc.collect()
        self.assertEqual(self.freed, ["one"] * 3)

    def test_a_capsule_is_released_while_its_stream_waits_for_python(self):
        """Unmapping waits for the stream, which waits for a callback that needs the GIL."""
        said = child("""
import signal, time
from cucore import *
signal.alarm(60)
device = Device(0)
stream = device.create_stream()
try:
    resource = VirtualMemoryResource(device)
except NotSupportedError:
    resource = None
for take in (lambda view: view.__dlpack__(), lambda view: view.__dlpack__(max_version=(1, 0)),
             lambda view: Tensor.from_capsule(view.__dlpack__())):
    if resource is None:
        print("called")
        continue
    buffer = resource.allocate(64, stream=stream)
    taken = take(buffer.view())
    buffer.close()
    host_launch(stream, lambda: (time.sleep(0.1), print("called")))
    del taken
""")
        self.assertEqual(said, "called\n" * 3)

    def test_a_capsule_is_consumed_once(self):
        capsule = self.buffer.view().__dlpack__()
        Tensor.from_capsule(capsule)
        with self.assertRaisesRegex(ValueError, "not consumed yet"):
            Tensor.from_capsule(capsule)

    def test_invalid_capsules_are_refused(self):
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

    def test_the_interface_names_the_stream(self):
        view = self.floats(range(6)).view("f32", (2, 3))
        said = view.__cuda_array_interface__
        self.assertEqual((said["version"], said["shape"], said["typestr"], said["strides"]),
                         (3, (2, 3), "<f4", None))
        self.assertEqual((said["stream"], said["data"]), (self.stream.handle, (view.ptr, False)))


class Header(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("previous", ctypes.c_void_p)]


GIVE = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(ctypes.c_void_p))
BORROW = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(cucore.raw.cuc_dl_tensor))
CURRENT = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))


class Exchange(ctypes.Structure):
    """DLPackExchangeAPI."""

    _fields_ = [("header", Header), ("allocate", ctypes.c_void_p), ("give", GIVE), ("take", ctypes.c_void_p),
                ("borrow", ctypes.c_void_p), ("current_stream", CURRENT)]


class HostArray:
    def __init__(self, values, typestr="<i8", shape=None):
        self.values = values
        self.__array_interface__ = {"version": 3, "data": (ctypes.addressof(values), False), "typestr": typestr,
                                    "shape": shape or (len(values),)}


def exchanging(version=1, previous=None):
    """Make an array class with the exchange API; `calls` records the calls."""

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
    def test_an_imported_array_keeps_its_memory(self):
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
        with self.assertRaises(SystemError):  # the function returned -1 without setting an exception
            Tensor.from_dlpack(exchanging()(None))

    def test_an_api_of_another_major_version_is_not_used(self):
        kind = exchanging(version=2)
        Tensor.from_dlpack(kind(self.floats([1]).view("f32")))
        self.assertEqual(kind.calls, ["__dlpack__"])

    def test_an_older_table_is_accepted(self):
        old = exchanging()
        kind = exchanging(version=2, previous=ctypes.addressof(old.table))
        Tensor.from_dlpack(kind(self.floats([1]).view("f32")))
        self.assertEqual((kind.calls, old.calls), ([], ["give"]))


    def test_a_view_uses_the_exchange_api_where_possible(self):
        base = exchanging()
        memory, host = self.floats(range(4)), (ctypes.c_float * 4)()

        class Array(base):
            @property
            def __cuda_array_interface__(self):
                base.calls.append("interface")
                return self.view.__cuda_array_interface__

        def borrow(given, out):
            base.calls.append("borrow")
            if given.kind is None:
                return -1
            tensor = out[0]
            tensor.data, tensor.device.device_type, tensor.device.device_id = given.data, given.kind, 0
            tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes, tensor.ndim = 2, 32, 1, 1
            tensor.shape, tensor.strides, tensor.byte_offset = ctypes.addressof(given.shape), None, 0
            return 0

        base.borrow = BORROW(borrow)
        base.table.borrow = ctypes.cast(base.borrow, ctypes.c_void_p)

        def made(kind=2, of=Array):
            value = of(memory.view("f32"))
            value.kind, value.data, value.shape = kind, memory.handle, (ctypes.c_int64 * 1)(4)
            if kind == 1:
                value.data = ctypes.addressof(host)
            return value

        for kind, of, stream, calls in (
                (2, Array, -1, ["borrow"]), (2, Array, self.stream.handle, ["borrow", ("current", 2, 0)]),
                (1, Array, -1, ["borrow", "interface"]), (None, Array, -1, ["borrow", "interface"])):
            base.calls.clear()
            value = made(kind, of)
            view = StridedMemoryView.from_cuda_array_interface(value, stream)
            self.assertEqual((view.ptr, view.shape, view.exporting_obj is value), (memory.handle, (4,), True))
            self.assertEqual(base.calls, calls if _native.is_there else ["interface"] * len(base.calls), (kind, stream))
        with self.assertRaises(AttributeError):  # an object without the interface
            StridedMemoryView.from_cuda_array_interface(made(of=base), -1)


@unittest.skipUnless(_native.is_there, "views have the API only natively")
class ExchangeApiOfViews(DeviceTest):
    """Tests the functions of StridedMemoryView.__dlpack_c_exchange_api__, called as a C consumer
    calls them."""

    def setUp(self):
        super().setUp()
        point = ctypes.pythonapi.PyCapsule_GetPointer
        point.restype, point.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        self.api = Exchange.from_address(point(StridedMemoryView.__dlpack_c_exchange_api__, b"dlpack_exchange_api"))
        self.take = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.py_object))(self.api.take)
        self.borrow = BORROW(self.api.borrow)
        self.memory = self.floats(range(6))
        self.stream.sync()

    def views(self):
        host = (ctypes.c_int64 * 4)(1, 2, 3, 4)
        yield StridedMemoryView.from_buffer(self.memory, (2, 3), dtype="f32"), raw.CUC_DL_CUDA, (2, 32)
        yield StridedMemoryView.from_buffer(self.memory, (3, 1), (1, 3), dtype="u16"), raw.CUC_DL_CUDA, (1, 16)
        yield StridedMemoryView.from_array_interface(HostArray(host)), raw.CUC_DL_CPU, (0, 64)

    def test_arrays_are_borrowed_and_exported(self):
        for view, device, (code, bits) in self.views():
            with self.subTest(view):
                lent = raw.cuc_dl_tensor(byte_offset=7)
                self.assertEqual(self.borrow(view, ctypes.byref(lent)), 0)
                kind, extents = lent.dtype, ctypes.c_int64 * lent.ndim
                self.assertEqual((lent.data, lent.device.device_type, lent.byte_offset), (view.ptr, device, 0))
                self.assertEqual((kind.code, kind.bits, kind.lanes), (code, bits, 1))
                self.assertEqual(tuple(extents.from_address(lent.shape)), view.shape)
                self.assertEqual(tuple(extents.from_address(lent.strides)), view.strides)
                given, back = ctypes.c_void_p(), ctypes.py_object()
                self.assertEqual(self.api.give(view, ctypes.byref(given)), 0)
                self.assertEqual(self.take(given, ctypes.byref(back)), 0)
                made = back.value
                _native._release(made)
                self.assertIs(type(made), StridedMemoryView)
                self.assertEqual((made.ptr, made.shape, made.strides, made.dtype),
                                 (view.ptr, view.shape, view.strides, view.dtype))

    def test_exported_arrays_keep_the_memory(self):
        given, back = ctypes.c_void_p(), ctypes.py_object()
        self.api.give(StridedMemoryView.from_buffer(self.memory, (6,), dtype="f32"), ctypes.byref(given))
        self.memory.close()
        self.take(given, ctypes.byref(back))
        made = back.value
        _native._release(made)
        out = array.array("f", bytes(24))
        Tensor.from_dlpack(made).copy_to(out, stream=self.stream)
        self.stream.sync()
        self.assertEqual(list(out), [0, 1, 2, 3, 4, 5])

    def test_refusals(self):
        view = StridedMemoryView.from_buffer(self.memory, (6,), dtype="tf32")
        tensor, out, made = raw.cuc_dl_tensor(), ctypes.c_void_p(1), ctypes.py_object()
        allocate = ctypes.PYFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 4)(self.api.allocate)
        rows = [
            ("an array to give", lambda: self.api.give(1, ctypes.byref(out)), TypeError, "View, not <class 'int'>"),
            ("an array to lend", lambda: self.borrow(1, ctypes.byref(tensor)), TypeError, "View, not <class 'int'>"),
            ("elements to give", lambda: self.api.give(view, ctypes.byref(out)), BufferError, "no element type for"),
            ("elements to lend", lambda: self.borrow(view, ctypes.byref(tensor)), BufferError, "no element type for"),
            ("nothing to take", lambda: self.take(None, ctypes.byref(made)), RuntimeError, "tensor cannot be NULL"),
            ("an allocation", lambda: allocate(None, ctypes.addressof(out), None, None), NotImplementedError,
             "not supported by StridedMemoryView"),
        ]
        for name, run, refusal, said in rows:
            with self.subTest(name), self.assertRaisesRegex(refusal, said):
                run()
        said = []
        note = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)(
            lambda context, kind, text: said.append((context, kind)))
        self.assertEqual(allocate(None, ctypes.addressof(out), 7, ctypes.cast(note, ctypes.c_void_p)), -1)
        self.assertEqual((said, out.value), ([(7, b"NotImplementedError")], None))

    def test_there_is_no_current_stream(self):
        for device in (raw.CUC_DL_CPU, raw.CUC_DL_CUDA):
            out = ctypes.c_void_p(1)
            self.assertEqual((self.api.current_stream(device, 0, ctypes.byref(out)), out.value), (0, None))

    def test_records_have_no_api(self):
        records = StridedMemoryView.from_array_interface(HostArray((ctypes.c_uint8 * 24)(), typestr="|V12", shape=(2,)))
        for name in ("__dlpack_c_exchange_api__", "__c_dlpack_exchange_api__"):
            with self.subTest(name):
                self.assertIs(getattr(StridedMemoryView, name), StridedMemoryView.__dlpack_c_exchange_api__)
                self.assertIsNone(getattr(type(records), name))


class Protocols(DeviceTest):
    """Tests edge cases of the protocols."""

    def test_failed_exports_raise_a_buffer_error(self):
        read_only = as_tensor(Foreign(self.floats(range(4)), data=(self.floats([1]).handle, True), shape=(1,)))
        with self.assertRaisesRegex(BufferError, "read-only"):
            read_only.__dlpack__()
        self.assertTrue(Tensor.from_dlpack(read_only).is_read_only)
        with self.assertRaisesRegex(BufferError, "tf32"):
            self.floats(range(4)).view("tf32").__dlpack__()

    def test_failed_imports_raise_a_buffer_error_and_leave_the_producers_memory(self):
        deleted = []
        managed = cucore.raw.cuc_dl_managed_tensor_versioned()
        kind = dict(managed._fields_)["deleter"]
        managed.version.major, managed.dl_tensor.device.device_type = 1, 10  # a device of another kind
        managed.deleter = kind(lambda managed: deleted.append(1))
        new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
            ("PyCapsule_New", ctypes.pythonapi))
        name = ctypes.c_char_p(b"dltensor_versioned")
        capsule = new(ctypes.addressof(managed), name, None)
        with self.assertRaisesRegex(BufferError, "device of type 10"):
            Tensor.from_capsule(capsule)
        self.assertIn('"dltensor_versioned"', repr(capsule))
        self.assertEqual(deleted, [])
        managed.dl_tensor.device.device_type = 2
        managed.dl_tensor.dtype.code, managed.dl_tensor.dtype.bits, managed.dl_tensor.dtype.lanes = 2, 32, 1
        managed.dl_tensor.ndim, managed.dl_tensor.data = 0, self.floats([1]).handle
        tensor = Tensor.from_capsule(capsule)
        self.assertIn('"used_dltensor_versioned"', repr(capsule))
        del capsule
        self.assertEqual((deleted, tensor.shape), ([], ()))
        del tensor
        self.assertEqual(deleted, [1])

    def test_the_interface_of_an_empty_array_has_no_address(self):
        empty = self.floats([1]).view("f32", (0, 4))
        self.assertEqual((empty.__cuda_array_interface__["data"][0], empty.__cuda_array_interface__["shape"]),
                         (0, (0, 4)))

    def test_the_interface_gives_default_streams_by_number(self):
        for stream, number in ((self.device.default_stream, 1), (self.device.per_thread_default_stream, 2)):
            view = self.device.allocate(16, stream=stream).view("f32")
            self.assertEqual(view.__cuda_array_interface__["stream"], number)
            self.assertEqual(stream.__cuda_stream__(), (0, number))

    def test_streams_of_other_versions_of_the_protocol_are_refused(self):
        class Newer:
            def __cuda_stream__(self):
                return 1, 7

        with self.assertRaisesRegex(RuntimeError, "version 1"):
            self.stream.wait(Newer())


class Methods(DeviceTest):
    def test_unknown_arguments_are_refused(self):
        view = self.floats([1]).view("f32")
        for wrong in (lambda: view.__dlpack__(1), lambda: view.__dlpack__(streams=1),
                      lambda: view.__dlpack__(stream="1"), lambda: Tensor.from_dlpack(),
                      lambda: Tensor.from_dlpack(view, view), lambda: Tensor.from_capsule(view),
                      lambda: Tensor.__dlpack__(3)):
            with self.assertRaises((TypeError, ValueError)):
                wrong()

    def test_a_version_is_a_pair(self):
        array = self.floats([1]).view("f32")
        for given in (array, self.floats([1]), StridedMemoryView.from_any_interface(array, -1)):
            for wrong in (3, (), (1,), (9, 8, 7), [1, 0]):
                with self.subTest(given=given, wrong=wrong), self.assertRaisesRegex(BufferError, "max_version"):
                    given.__dlpack__(max_version=wrong)
            for version, name in (((1, 0), "dltensor_versioned"), ((True, 0), "dltensor_versioned"),
                                  ((10**30, 0), "dltensor_versioned"), ((0, 8), "dltensor"), ((False, 8), "dltensor"),
                                  (None, "dltensor")):
                with self.subTest(given=given, version=version):
                    self.assertIn(f'"{name}"', repr(given.__dlpack__(max_version=version)))

    def test_references_are_released(self):
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
    """An array of another library, with strides in bytes."""

    def __init__(self, buffer, **said):
        self.buffer = buffer
        self.__cuda_array_interface__ = {"shape": (4,), "typestr": "<f4", "version": 3, "strides": None,
                                         "data": (buffer.handle, False), **said}


class Arrays(DeviceTest):
    def test_an_array_is_imported_by_the_interface(self):
        producer = self.device.create_stream()
        foreign = Foreign(self.floats(range(8)), shape=(2, 2), strides=(16, 8), stream=producer.handle)
        tensor = as_tensor(foreign, stream=self.stream)
        self.assertEqual((tensor.shape, tensor.strides, tensor.dtype), ((2, 2), (4, 2), "f32"))
        self.assertFalse(tensor.is_contiguous)
        self.assertEqual(tensor.__cuda_array_interface__["strides"], (16, 8))
        self.assertIs(tensor.owner, foreign)

    def test_an_array_is_a_kernel_argument(self):
        x, y = self.floats([1, 2, 3, 4]), self.floats([0] * 4)
        launch(self.stream, LaunchConfig(grid=1, block=32), kernel(SAXPY, "saxpy"), 3.0, Foreign(x), Foreign(y), 4)
        self.assertEqual(self.read(y), [3, 6, 9, 12])

    def test_an_invalid_array_is_refused(self):
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


# Each element type, with its type string in array interfaces and its name in NumPy, ml_dtypes and
# PyTorch.
DTYPES = {
    "bool": ("|b1", "bool"), "i8": ("|i1", "int8"), "i16": ("<i2", "int16"), "i32": ("<i4", "int32"),
    "i64": ("<i8", "int64"), "u8": ("|u1", "uint8"), "u16": ("<u2", "uint16"), "u32": ("<u4", "uint32"),
    "u64": ("<u8", "uint64"), "f16": ("<f2", "float16"), "bf16": ("<V2", "bfloat16"), "f32": ("<f4", "float32"),
    "f64": ("<f8", "float64"), "e4m3": ("<V1", "float8_e4m3fn"), "e5m2": ("<f1", "float8_e5m2"),
    "e8m0": ("<V1", "float8_e8m0fnu"), "c64": ("<c8", "complex64"), "c128": ("<c16", "complex128"),
}
TOUCH = 'extern "C" __global__ void touch(unsigned char *x) { x[0] = 7; }'
STORE = 'extern "C" __global__ void store(%s *y, %s x) { *y = x; }'


class Dtypes(DeviceTest):
    """Tests each element type through each import path."""

    def setUp(self):
        super().setUp()
        self.memory = self.floats([0] * 64)

    def views(self):
        """Yield each name, type string and foreign name, and 16 elements of the type."""
        for name, (letters, other) in DTYPES.items():
            with self.subTest(name):
                yield name, letters, other, self.memory.view(name, (4,))

    def touched(self, argument):
        """Return whether a kernel can access the argument."""
        self.memory.fill(0, stream=self.stream)
        launch(self.stream, LaunchConfig(grid=1, block=1), kernel(TOUCH, "touch"), argument)
        return self.read(self.memory, "B")[0] == 7

    def test_the_list_has_all_dtypes(self):
        named = set(cucore.raw.NAMES["dtype"].values())
        self.assertEqual(named - set(DTYPES), {"unknown", "tf32"})  # tf32 is a compute type only

    def test_each_dtype_is_exchanged_by_dlpack(self):
        for name, _, _, view in self.views():
            for given in (view, exchanging()(view), exchanging(version=2)(view)):
                self.assertEqual(as_tensor(given).dtype, name)
                self.assertTrue(self.touched(given))

    def test_each_dtype_is_exchanged_by_the_interface(self):
        for name, letters, other, view in self.views():
            self.assertEqual(view.__cuda_array_interface__["typestr"], letters)
            for dtype in (other, "torch." + other, view.dtype):
                given = Foreign(view.owner, typestr=letters)
                given.dtype = dtype
                self.assertEqual(as_tensor(given).dtype, name)
                self.assertTrue(self.touched(given))
            if letters != "<V1":
                self.assertEqual(as_tensor(Foreign(view.owner, typestr=letters)).dtype, name)

    def test_ambiguous_type_strings_need_the_arrays_own_dtype(self):
        for letters, dtype in (("<V1", None), ("<V1", "bfloat16"), ("|V12", None), ("|V12", "record")):
            given = Foreign(self.memory, typestr=letters)
            given.dtype = dtype
            with self.subTest(letters, dtype=dtype), self.assertRaisesRegex(TypeError, "are not known"):
                as_tensor(given)

    def test_an_interface_that_raises_for_a_dtype_is_not_used(self):
        """PyTorch's interface raises KeyError for dtypes that it does not cover."""
        class Torch(exchanging()):
            __cuda_array_interface__ = property(lambda array: {}["float8_e4m3fn"])

        for name, _, _, view in self.views():
            self.assertEqual(as_tensor(Torch(view)).dtype, name)
            self.assertTrue(self.touched(Torch(view)))

    def test_the_interface_covers_dtypes_that_dlpack_refuses(self):
        class Array(Foreign):
            __cuda_array_interface__ = None
            dtype = "float8_e5m2"

            def __dlpack__(self, **how):
                raise BufferError("not by DLPack")

            def __dlpack_device__(self):
                return 2, 0

        given = Array(self.memory, typestr="<f1")
        self.assertEqual(as_tensor(given).dtype, "e5m2")
        self.assertTrue(self.touched(given))
        self.assertEqual(StridedMemoryView.from_any_interface(given, -1).shape, (4,))

    def test_a_view_names_dtypes_like_numpy(self):
        for name, letters, other, view in self.views():
            said = StridedMemoryView.from_any_interface(view, -1).dtype
            self.assertEqual(getattr(said, "name", said), other if type(said) is not str else name)
            self.assertEqual(StridedMemoryView.from_buffer(self.memory, (4,), dtype=other).dtype, said)

    def test_tile_kernels_accept_each_dtype(self):
        import cucore.tile as ct

        @ct.kernel
        def copy(x, y):
            ct.store(y, index=(0,), tile=ct.load(x, index=(0,), shape=(4,)))

        out = self.floats([0] * 64)
        for name, _, other, view in self.views():
            if name[0] == "c":
                continue
            self.memory.copy_from(bytes(range(1, 129)) * 2, stream=self.stream)
            ct.launch(self.stream, (1,), copy, (view, out.view(name, (4,))))
            size = view.nbytes
            expected = [1] * size if name == "bool" else list(range(1, size + 1))
            self.assertEqual(self.read(out, "B")[:size], expected)

    def test_scalars_of_ml_dtypes_are_passed_as_bits(self):
        for name, bits in (("bfloat16", b"\x80\x3f"), ("float8_e4m3fn", b"\x38"), ("float8_e5m2", b"\x3c")):
            kind = type(name, (), {"__module__": "ml_dtypes", "tobytes": lambda scalar: bits})
            c = "unsigned short" if len(bits) == 2 else "unsigned char"
            with self.subTest(name):
                self.memory.fill(0, stream=self.stream)
                launch(self.stream, LaunchConfig(grid=1, block=1), kernel(STORE % (c, c), "store"), self.memory, kind())
                self.assertEqual(bytes(self.read(self.memory, "B")[:len(bits)]), bits)


class Views(DeviceTest):
    def test_arrays_of_any_library_can_be_viewed(self):
        buffer = self.floats(range(8))
        foreign = Foreign(buffer, shape=(2, 2), strides=(16, 8), stream=self.stream.handle)
        for view in (StridedMemoryView.from_any_interface(foreign, -1),
                     StridedMemoryView.from_cuda_array_interface(foreign, self.device.default_stream.handle)):
            self.assertEqual((view.ptr, view.shape, view.strides, view.size),
                             (buffer.handle, (2, 2), (4, 2), 4))
            self.assertTrue(view.is_device_accessible)
            self.assertFalse(view.readonly)
            self.assertEqual(view.device_id, 0)
            self.assertIs(view.exporting_obj, foreign)
        tensor = buffer.view("f32", (4, 2))
        view = StridedMemoryView.from_any_interface(tensor, self.stream.handle)
        self.assertEqual((view.ptr, view.shape), (tensor.ptr, (4, 2)))
        self.assertEqual(view.__dlpack_device__(), tensor.__dlpack_device__())
        self.assertEqual(Tensor.from_dlpack(view).shape, (4, 2))
        y = self.floats([0] * 8)
        launch(self.stream, LaunchConfig(grid=1, block=32), kernel(SAXPY, "saxpy"), 2.0, view, y, 8)
        self.assertEqual(self.read(y), [2 * i for i in range(8)])
        for make in (StridedMemoryView.from_dlpack, StridedMemoryView.from_any_interface):
            with self.assertRaisesRegex(BufferError, "None is ambiguous"):
                make(tensor)

    def test_a_view_refuses_a_foreign_kind_of_device_before_it_exports(self):
        class Vulkan:
            def __dlpack_device__(self):
                return 7, 0

            def __dlpack__(self, **_how):
                raise AssertionError("exported")

        for stream in (0, -1, self.stream.handle):
            with self.subTest(stream), self.assertRaisesRegex(BufferError, "type 7"):
                StridedMemoryView.from_dlpack(Vulkan(), stream)
        with self.assertRaisesRegex(BufferError, "not int"):
            StridedMemoryView.from_any_interface(1, -1)

    def test_an_old_producer_is_called_twice(self):
        class Old:
            def __init__(self, array):
                self.array, self.asked = array, []

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()

            def __dlpack__(self, **how):
                self.asked.append(how)
                if "max_version" in how:
                    raise TypeError("unexpected keyword: max_version")
                return self.array.__dlpack__(**how)

        class Memory(bytearray):
            pass

        for on_host, order in ((True, {}), (False, {"stream": -1})):
            for take in (lambda old: StridedMemoryView.from_dlpack(old, -1), Tensor.from_dlpack):
                owner = Memory(16)
                memory = (ctypes.c_char * 16).from_buffer(owner) if on_host else self.floats(range(4))
                address = ctypes.addressof(memory) if on_host else memory.handle
                producer = Old(Buffer.from_handle(address, 16, owner=owner).view("f32"))
                view, alive = take(producer), weakref.ref(owner)
                with self.subTest(on_host=on_host, take=take):
                    self.assertEqual((view.ptr, view.shape), (address, (4,)))
                    self.assertEqual(producer.asked, [{"max_version": (1, 1), **order}, order])
                    del producer, owner, memory
                    gc.collect()
                    self.assertIsNotNone(alive())  # the view keeps the memory alive
                    del view
                    gc.collect()
                    self.assertIsNone(alive())

    def test_a_buffer_can_be_viewed_as_an_array(self):
        buffer = self.device.allocate(48, stream=self.stream)
        view = StridedMemoryView.from_buffer(buffer, (3, 4), dtype="float32", is_readonly=True)
        self.assertEqual((view.shape, view.strides, view.readonly), ((3, 4), (4, 1), True))
        view = StridedMemoryView.from_buffer(buffer, (4, 3), (1, 4), itemsize=4)
        self.assertEqual((view.shape, view.strides, view.size), ((4, 3), (1, 4), 12))
        self.assertEqual(StridedMemoryView.from_any_interface(buffer, -1).shape, (48,))
        for given in ({}, {"dtype": "f32", "itemsize": 4}, {"itemsize": 4, "strides": (5, 1)},
                      {"itemsize": 4, "strides": (1,)}):
            with self.subTest(given), self.assertRaises(ValueError):
                StridedMemoryView.from_buffer(buffer, (3, 4), **given)

    def test_arguments_are_viewable(self):
        @args_viewable_as_strided_memory((0, 2))
        def shapes(a, b, c, *, stream):
            return a.view(stream.handle).shape, b, c.view(-1).shape

        given = self.floats(range(4)).view("f32")
        self.assertEqual(shapes(given, 5, given, stream=self.stream), ((4,), 5, (4,)))
        self.assertEqual(shapes.__name__, "shapes")

    def test_records_are_elements_of_their_size(self):
        buffer = self.floats(range(24))
        said = {"typestr": "|V12", "descr": [("a", "<i4"), ("b", "<f8")], "shape": (2, 3)}
        for strides, steps in ((None, (3, 1)), ((48, 12), (4, 1))):
            foreign = Foreign(buffer, **said, strides=strides)
            view = StridedMemoryView.from_any_interface(foreign, -1)
            self.assertEqual((view.ptr, view.shape, view.strides, view.size), (buffer.handle, (2, 3), steps, 6))
            self.assertEqual((str(view.dtype).lstrip("|"), view.device_id), ("V12", 0))
            self.assertIs(view.exporting_obj, foreign)
            with self.assertRaisesRegex(BufferError, "Structured dtypes"):
                view.__dlpack__()
        with self.assertRaisesRegex(ValueError, "stride of 16 bytes is not a multiple of the 12"):
            StridedMemoryView.from_any_interface(Foreign(buffer, **said, strides=(48, 16)), -1)

    @unittest.skipUnless(numpy, "no NumPy")
    def test_numpys_records_can_be_viewed(self):
        given = numpy.array([(1, 2.0), (3, 4.0)], dtype=[("a", "i4"), ("b", "f8")])
        view = StridedMemoryView.from_any_interface(given, -1)
        self.assertEqual((view.ptr, view.shape, view.dtype), (given.ctypes.data, (2,), numpy.dtype("V12")))

    @unittest.skipUnless(numpy, "no NumPy")
    def test_host_arrays_can_be_viewed(self):
        given = numpy.arange(12, dtype=numpy.float32).reshape(3, 4).T
        given.flags.writeable = False
        for view in (StridedMemoryView.from_array_interface(given),
                     StridedMemoryView.from_any_interface(numpy.array(given), -1)):
            self.assertEqual((view.shape, view.device_id, view.dtype), ((4, 3), -1, numpy.float32))
            self.assertFalse(view.is_device_accessible)
        for make in (StridedMemoryView.from_dlpack, StridedMemoryView.from_any_interface):
            with self.assertRaisesRegex(BufferError, "None is ambiguous"):
                make(numpy.array(given))
        view = StridedMemoryView.from_array_interface(given)
        self.assertEqual((view.strides, view.readonly, view.ptr), ((1, 4), True, given.ctypes.data))
        view = StridedMemoryView.from_any_interface(self.floats([1]).view("bf16"), -1)
        self.assertIn(str(view.dtype), ("bf16", "bfloat16"))


@unittest.skipUnless(numpy, "no NumPy")
class NumPy(DeviceTest):
    def test_pinned_memory_is_an_array_of_it(self):
        memory = cucore.LegacyPinnedMemoryResource().allocate(32)
        memory.host_view()[:] = bytes(32)
        array = numpy.frombuffer(memory.host_view(), dtype=numpy.float32)
        array[:] = range(8)
        y = self.floats([1] * 8)
        launch(self.stream, LaunchConfig(grid=1, block=32), kernel(SAXPY, "saxpy"), 2.0, memory, y, 8)
        self.assertEqual(self.read(y), [2 * i + 1 for i in range(8)])

    def test_numpy_arrays_are_imported(self):
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

    def test_numpy_arrays_are_copied_in_both_directions(self):
        buffer = self.device.allocate(64, stream=self.stream)
        buffer.copy_from(numpy.arange(16, dtype=numpy.float32), stream=self.stream)
        out = numpy.empty(16, dtype=numpy.float32)
        buffer.copy_to(out, stream=self.stream)
        self.stream.sync()
        self.assertTrue((out == numpy.arange(16)).all())


if __name__ == "__main__":
    unittest.main()
