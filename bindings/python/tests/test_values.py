"""Tests values from users: whatever C would truncate or misinterpret must be refused."""
import array
import ctypes
import pathlib
import pickle
import sys
import tempfile
import unittest

import cucore
from cucore import (
    Buffer,
    Context,
    Event,
    EventOptions,
    Gemm,
    Kernel,
    LaunchConfig,
    Linker,
    LinkerOptions,
    ObjectCode,
    PreparedLaunch,
    Program,
    ProgramOptions,
    Stream,
    StreamOptions,
    Tensor,
    launch,
    system,
    tuning,
    utils,
)
from support import SAXPY, DeviceTest, compiled, kernel

try:
    import numpy
except ModuleNotFoundError:
    numpy = None
COMPILED = "arch std name time create_pch use_pch fdevice_time_trace optimization_info ofast_compile frandom_seed " \
           "pch_dir tuned".split()
LISTS = "include_path extra_options ptxas_options pre_include undefine_macro define_macro".split()
LINKED = "arch name kernels_used variables_used ptxas_options extra_options".split()
PTX = b".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry f() { ret; }\n"


class Interface:
    """An array that an array interface describes."""

    def __init__(self, shape, strides=None, typestr="|u1", address=4096):
        self.__array_interface__ = {"shape": shape, "strides": strides, "typestr": typestr, "data": (address, False),
                                    "version": 3}
        self.__cuda_array_interface__ = {**self.__array_interface__, "data": (0, False)}


class Foreign:
    """A stream of another library, given through the protocol."""

    def __init__(self, handle):
        self.handle = handle

    def __cuda_stream__(self):
        return 0, self.handle


class Texts(DeviceTest):
    def setUp(self):
        super().setUp()
        compiled(SAXPY)  # skip the test if there is no compiler

    def test_values_that_are_not_text_are_refused(self):
        code = ObjectCode.from_ptx(PTX)
        refused = {
            **{f"{name}={value!r}": lambda name=name, value=value: Program("", "c++", ProgramOptions(**{name: value}))
               for name in COMPILED for value in (90, True, 1.5)},
            **{f"{name}={value!r}": lambda name=name, value=value: Program("", "c++", ProgramOptions(**{name: value}))
               for name in LISTS for value in (5, [1], ["a", 1], True, b"a"[0])},
            **{f"linker {name}={value!r}": lambda name=name, value=value: Linker(options={name: value})
               for name in LINKED for value in (5, True)},
            "kernels_used": lambda: Linker(options=LinkerOptions(kernels_used=["f", 1])),
            "a warning by its text": lambda: Program("", "c++", ProgramOptions(diag_error="177")),
            "a header": lambda: Program("", "c++", ProgramOptions(headers={"a.h": 5})),
            **{name: lambda name=name: Program("", "c++", ProgramOptions(**{name: [("a", 1)]}))
               for name in ("headers", "constants", "dimensions")},
            "a map of symbols": lambda: ObjectCode.from_ptx(PTX, symbol_mapping=[("a", "b")]),
            "a part of a device": lambda: self.device.create_context({"resources": [5]}),
            "a program": lambda: Program(5, "c++"),
            "tuned": lambda: Gemm("f32", tuned=5),
            "choice": lambda: Gemm("f32", choice=5),
            "symbol_mapping": lambda: ObjectCode.from_ptx(PTX, symbol_mapping={"a": 5}),
            "the name of an object": lambda: ObjectCode.from_ptx(PTX, name=5),
            "a kernel": lambda: code.get_kernel(5),
            "a global": lambda: code.get_global(5),
            "a file": lambda: ObjectCode.from_ptx(5),
            "data": lambda: Linker.empty({"arch": "sm_90"}).add_data("text", "ptx"),
            "a record": lambda: tuning.find("/no/such/file", tuning.Record(kernel=5)),
            "a library": lambda: system.find_library(5),
            "a kernel to interpret": lambda: Program("kernel f() grid 1 {}", "tile", {"arch": "sm_90"}).interpret(5),
        }
        for what, do in refused.items():
            with self.subTest(what), self.assertRaises(TypeError):
                do()

    def test_texts_are_not_truncated(self):
        code = ObjectCode.from_ptx(PTX)
        refused = {
            "a name": lambda: Program("", "c++", ProgramOptions(name="a\0b")),
            "an architecture": lambda: Program("", "c++", ProgramOptions(arch="sm_90\0x")),
            "a folder": lambda: Program("", "c++", ProgramOptions(include_path=[pathlib.Path("a\0b")])),
            "a header": lambda: Program("", "c++", ProgramOptions(headers={"a.h": "a\0b"})),
            "a kernel": lambda: code.get_kernel("f\0x"),
            "a kernel's bytes": lambda: code.get_kernel(b"f\0x"),
            "a file": lambda: ObjectCode.from_ptx("/no/such/file\0x"),
            "an attribute": lambda: cucore.Device.from_pci_bus_id(self.device.pci_bus_id + "\0x"),
            "a record": lambda: tuning.find("/no/such/file", tuning.Record(kernel="a\0b")),
        }
        for what, do in refused.items():
            with self.subTest(what), self.assertRaisesRegex(ValueError, "NUL"):
                do()

    def test_texts_and_paths_are_accepted(self):
        here = pathlib.Path(__file__)
        for options in ({"arch": "sm_90", "include_path": here.parent}, {"include_path": [here.parent, "."]},
                        {"extra_options": "-restrict"}, {"define_macro": "A"}, {"define_macro": ("A", 5)},
                        {"define_macro": [("A", 5), "B"]}, {"diag_suppress": 177}, {"diag_suppress": [177, 550]},
                        {"lineinfo": 1, "debug": 0}):
            with self.subTest(options):
                Program("", "c++", {"arch": "sm_90", **options}).compile("ptx")

    def test_unknown_words_are_reported(self):
        program, linker = Program("", "c++", {"arch": "sm_90"}), Linker.empty({"arch": "sm_90"})
        x = self.floats([1])
        refused = {
            "code_type is 'nope'": lambda: linker.add_file("a", "nope"),
            "target_type is 'zz'": lambda: program.flags("zz"),
            "debug is 'false'": lambda: Program("", "c++", ProgramOptions(debug="false")),
            "no_display_error_number is 2": lambda: Program("", "c++", ProgramOptions(no_display_error_number=2)),
            "verbose is 2": lambda: Linker(options=LinkerOptions(verbose=2)),
            "target_type is 'fatbin'": lambda: program.compile("fatbin"),
            "compare is '<'": lambda: self.stream.wait_value(x, 1, compare="<"),
            "bits is 33": lambda: self.stream.wait_value(x, 1, bits=33),
            "prefer is 'zz'": lambda: kernel(SAXPY, "saxpy").set_cache_config("zz"),
            "kind is 'zz'": lambda: cucore.DeviceMemoryResource.current(0, "zz"),
            "form is 'zz'": lambda: Gemm("f32", form="zz"),
            r"form is \['zz'\]": lambda: Gemm("f32", form=["zz"]),
            "overlap_mode is 'zz'": lambda: utils.copy_batch(self.stream, [x], [self.floats([1])],
                                                             options={"overlap_mode": "zz"}),
        }
        for said, do in refused.items():
            with self.subTest(said), self.assertRaisesRegex(ValueError, f"{said}: expected"):
                do()


class Numbers(DeviceTest):
    def test_numbers_out_of_range_are_refused(self):
        b = self.device.allocate(64, stream=self.stream)
        handle = self.stream.handle
        refused = {
            "registers": lambda: Program("", "c++", ProgramOptions(max_register_count=2**40)),
            "registers of a linker": lambda: Linker(options=LinkerOptions(max_register_count=2**40)),
            "a warning": lambda: Program("", "c++", ProgramOptions(diag_error=[2**33])),
            "a tile": lambda: Gemm("f32", tile_m=2**40),
            "bytes of a row": lambda: utils.copy_2d(b, b, stream=self.stream, row_bytes=2**64 + 8, rows=1),
            "slices": lambda: utils.copy_3d(b, b, stream=self.stream, slices=2**64 + 1, rows=1, row_bytes=8),
            "bytes of a peer's": lambda: utils.copy_peer(b, 0, b, 0, 2**64 + 8, stream=self.stream),
            "an extent": lambda: utils.StridedMemoryView.from_buffer(b, (2**64 + 1,), (1,), dtype="u8"),
            "a stride": lambda: utils.StridedMemoryView.from_buffer(b, (1,), (2**64 + 1,), dtype="u8"),
            "a view's": lambda: utils.StridedMemoryView.from_buffer(b, (64,), dtype="u8").view((2**64 + 1,)),
            "an array's": lambda: Tensor.from_host(Interface((2**64 + 1,))),
            "an array's on a device": lambda: Tensor.from_cuda_array_interface(Interface((2**64 + 1,))),
            "a stream": lambda: Stream.from_handle(2**64 + handle),
            "less than none": lambda: Stream.from_handle(-1),
            "another library's stream": lambda: b.fill(0, stream=Foreign(2**70)),
            "an event": lambda: Event.from_handle(2**64 + 16),
            "a context": lambda: Context.from_handle(2**64 + self.device.context.handle),
            "a kernel": lambda: Kernel.from_handle(2**64 + 16),
            "a byte": lambda: b.fill(256, stream=self.stream),
            "a byte of a graph": lambda: cucore.Graph(self.device).memset(b, -1, 8),
            "32 bits": lambda: self.stream.wait_value(b, 2**32),
            "64 bits": lambda: self.stream.write_value(b, -2**63 - 1, bits=64),
            "a limit": lambda: self.device.context.set_limit(cucore.raw.CUC_LIMIT_STACK_BYTES, 2**64 + 1024),
            "shared memory": lambda: setattr(kernel(SAXPY, "saxpy").attributes, "max_dynamic_shared_size_bytes", 2**32),
            "rows of a product": lambda: Gemm("f32").workspace_bytes(2**64 + 1, 1, 1),
            "a NUMA node": lambda: cucore.PinnedMemoryResource({"numa_id": 2**32}),
        }
        self.device.set_current()  # now 0 is a valid stream
        for what, do in refused.items():
            with self.subTest(what), self.assertRaises(OverflowError):
                do()

    @unittest.skipIf(numpy is None, "no NumPy")
    def test_numbers_may_be_numpys(self):
        b = self.device.allocate(numpy.int64(64), stream=self.stream)
        self.assertEqual(b.size, 64)
        cucore.Graph(self.device).memcpy(b[:32], b[32:], numpy.uint8(32))
        with self.assertRaises(OverflowError):
            self.device.allocate(numpy.int64(-1), stream=self.stream)
        self.assertGreater(kernel(SAXPY, "saxpy").occupancy.max_active_blocks_per_multiprocessor(numpy.int32(64)), 0)

    def test_values_that_are_not_integers_are_refused(self):
        b = self.device.allocate(64, stream=self.stream)
        for do in (lambda: self.device.allocate(1.5, stream=self.stream),
                   lambda: cucore.Device(0.5), lambda: cucore.Graph(self.device).memcpy(b, b, "8"),
                   lambda: kernel(SAXPY, "saxpy").occupancy.max_active_blocks_per_multiprocessor(None)):
            with self.assertRaisesRegex(TypeError, r"^[A-Z]\w+(\.\w+)?\(\) takes an integer, not "):
                do()

    def test_handles_are_taken_from_objects_with_int(self):
        class Number:
            def __init__(self, value):
                self.value = value

            def __int__(self):
                return self.value

        self.assertEqual(Stream.from_handle(Number(self.stream.handle)), self.stream)

    def test_a_word_in_memory_may_have_a_sign(self):
        flag = cucore.SynchronousMemoryResource(0).allocate(8, stream=self.stream)
        self.stream.write_value(flag, -2)
        self.stream.write_value(flag, 2**32 - 1, offset=4)
        self.assertEqual(self.read(flag, "i"), [-2, -1])


class Patterns(DeviceTest):
    def test_memory_is_filled_by_objects_with_a_buffer(self):
        patterns = [5, True, b"\1\2", bytearray(b"\1\2\3\4"), array.array("h", [-2]), memoryview(b"\7"),
                    ctypes.c_int32(-5)]
        if numpy is not None:
            patterns += [numpy.uint8(1), numpy.int16(2), numpy.int32(4), numpy.float32(1), numpy.array([1, 2], "u1")]
        for value in patterns:
            expected = bytes([value]) if isinstance(value, int) else memoryview(value).tobytes()
            times = 8 // len(expected)
            b, c = (self.device.allocate(8, stream=self.stream) for _ in range(2))
            b.fill(value, stream=self.stream)
            graph = cucore.Graph(self.device)
            graph.memset(c, value, times)
            graph.instantiate().launch(self.stream)
            with self.subTest(value):
                self.assertEqual(bytes(self.read(b, "B")), expected * times)
                self.assertEqual(bytes(self.read(c, "B")), expected * times)

    def test_invalid_patterns_are_refused(self):
        b = self.device.allocate(8, stream=self.stream)
        for value, error in ((1.5, TypeError), ([1, 2], TypeError), ("a", TypeError), (b"", ValueError),
                             (b"123", ValueError), (array.array("q", [7]), ValueError)):
            with self.subTest(value), self.assertRaises(error):
                b.fill(value, stream=self.stream)


class Arrays(DeviceTest):
    def test_shapes_and_strides_have_equal_length(self):
        for shape, strides in (((4, 4), (4,)), ((4,), (4, 1)), ((4,), ())):
            for made in (Tensor.from_host, Tensor.from_cuda_array_interface,
                         utils.StridedMemoryView.from_array_interface):
                with self.subTest((shape, strides)), self.assertRaisesRegex(ValueError, "strides for"):
                    made(Interface(shape, strides))
        with self.assertRaisesRegex(ValueError, "9 axes: expected at most 8"):
            Tensor.from_host(Interface((1,) * 9))

    def test_the_other_byte_order_is_refused(self):
        for typestr in (">f4", ">i2", ">c8"):
            with self.subTest(typestr), self.assertRaisesRegex(TypeError, "byte order"):
                Tensor.from_host(Interface((4,), typestr=typestr))
            with self.subTest(typestr), self.assertRaisesRegex(TypeError, "byte order"):
                Tensor.from_cuda_array_interface(Interface((4,), typestr=typestr))
        self.assertEqual(Tensor.from_host(Interface((4,), typestr=">u1")).dtype, "u8")  # a single byte has no order
        if numpy is None:
            return
        b = self.device.allocate(64, stream=self.stream)
        for do in (lambda: b.view(numpy.dtype(">f4")), lambda: Gemm(numpy.dtype(">f4")),
                   lambda: Tensor.from_host(numpy.arange(4, dtype=">f4"))):
            with self.assertRaisesRegex(TypeError, "byte order"):
                do()
        self.assertEqual(b.view(numpy.dtype("<f4")).shape, (16,))

    def test_host_memory_of_a_copy_must_have_device_elements(self):
        swapped = ctypes.c_float.__ctype_be__ if sys.byteorder == "little" else ctypes.c_float.__ctype_le__

        class Mixed(ctypes.BigEndianStructure if sys.byteorder == "little" else ctypes.LittleEndianStructure):
            _fields_ = [("O", ctypes.c_uint8), ("rest", ctypes.c_uint8 * 3), ("number", ctypes.c_uint32)]

        refused = [((ctypes.py_object * 8)(*range(8)), "Python objects"), ((swapped * 16)(), "byte order"),
                   (memoryview((swapped * 16)()), "byte order"), ((Mixed * 8)(), "byte order")]
        taken = [bytearray(64), array.array("d", bytes(64)), (ctypes.c_uint32 * 16)(), (ctypes.c_bool * 64)()]
        if numpy is not None:
            refused += [(numpy.array([None] * 8), "Python objects"), (numpy.arange(16, dtype=">f4"), "byte order"),
                        (numpy.zeros(8, [("a", "i4"), ("b", ">f4")]), "byte order"),
                        (numpy.zeros(8, ">M8[s]"), "byte order"), (numpy.zeros(4, [("x", "O"), ("y", "i8")]), "objects")]
            taken += [numpy.zeros(16, "f4"), numpy.zeros(64, ">u1"), numpy.zeros(8, "M8[s]"), numpy.zeros(64, "S1"),
                      numpy.zeros(8, [("O", "f4"), ("b", "u4")]), numpy.zeros(64, "?")]
        b = self.device.allocate(64, stream=self.stream)
        tensor = b.view("u8")
        for memory, said in refused:
            for do in (b.copy_from, b.copy_to, tensor.copy_from, tensor.copy_to):
                with self.subTest(repr(memory)), self.assertRaisesRegex(TypeError, said):
                    do(memory, stream=self.stream)
            with self.subTest(repr(memory)), self.assertRaisesRegex(TypeError, said):
                utils.HostRegistration(memory)
        for memory in taken:
            with self.subTest(repr(memory)):
                b.copy_from(memory, stream=self.stream)
                tensor.copy_to(memory, stream=self.stream)
        with self.assertRaisesRegex(TypeError, "byte order"):
            b.fill((swapped * 1)(1.5), stream=self.stream)

    def test_extents_are_objects_with_an_index(self):
        class Four:
            def __index__(self):
                return 4

        b = self.device.allocate(64, stream=self.stream)
        shapes = [Four(), (Four(),), [4], True + 3] + ([numpy.int64(4), numpy.uint8(4), (numpy.int32(4),),
                                                      numpy.array([4])] if numpy is not None else [])
        for shape in shapes:
            with self.subTest(repr(shape)):
                self.assertEqual(b.view("f32", shape).shape, (4,))

    def test_unknown_element_types_are_reported(self):
        b = self.device.allocate(64, stream=self.stream)
        for dtype in (0, 999, -1, "f31", None):
            with self.subTest(dtype), self.assertRaisesRegex(TypeError, "no element type"):
                b.view(dtype)

    @unittest.skipIf(numpy is None, "no NumPy")
    def test_extents_may_be_numpys(self):
        b = self.device.allocate(64, stream=self.stream)
        self.assertEqual(b.view("f32", (numpy.int64(4), numpy.uint8(4))).shape, (4, 4))
        with self.assertRaisesRegex(TypeError, "shape: expected an integer, not 1.5"):
            b.view("f32", (1.5,))


class Configs(DeviceTest):
    GIVEN = [  # a value and its defect
        ({"grid": (0,)}, ValueError, r"grid is \(0,\): expected numbers from 1"),
        ({"grid": (1, 2**32)}, OverflowError, r"grid is .*: expected numbers from 1"),
        ({"grid": ()}, ValueError, "grid has 0 numbers: expected 1 to 3"),
        ({"grid": 1.5}, TypeError, r"grid is .*1\.5.*: expected an integer"),
        ({"block": (1.5,)}, TypeError, r"block is \(1.5,\): expected an integer"),
        ({"cluster": "2"}, TypeError, "cluster is '2': expected an integer"),
        ({"cluster": 0}, ValueError, "cluster is 0: expected numbers from 1"),
        ({"shmem_size": 1.5}, TypeError, "shared_bytes: expected an integer"),
    ]

    def test_invalid_shapes_are_reported(self):
        for given, error, said in self.GIVEN:
            with self.subTest(given), self.assertRaisesRegex(error, said):
                LaunchConfig(**given)
            config = LaunchConfig(grid=2, block=32)
            (name, value), = given.items()
            with self.subTest(given), self.assertRaisesRegex(error, said):
                setattr(config, name, value)
            self.assertEqual(config, LaunchConfig(grid=2, block=32))  # unchanged

    @unittest.skipIf(numpy is None, "no NumPy")
    def test_invalid_shapes_are_reported_for_tiles(self):
        from cucore import tile as ct
        from tile_kernels import add_tiles
        x = self.floats([1, 2])
        y = x.copy_to(stream=self.stream).view("f32")
        program = Program("kernel f(a: f32[N]) { store(a, [0], full(f32, [4], 1.0)) }", "tile", {"arch": "sm_90"})
        for given, error, said in self.GIVEN:
            if "grid" in given:
                if given["grid"] != ():  # one block, as in cuTile
                    with self.subTest(given), self.assertRaisesRegex(error, said):
                        ct.launch(self.stream, given["grid"], add_tiles, (x.view("f32"), y, y, 2))
                with self.subTest(given), self.assertRaisesRegex(error, said):
                    program.interpret("f", array.array("f", [0] * 4), grid=given["grid"])

    @unittest.skipIf(numpy is None, "no NumPy")
    def test_extents_may_be_numpys(self):
        self.assertEqual(LaunchConfig(grid=numpy.int64(4), block=numpy.array([2, 3])), LaunchConfig(grid=4, block=(2, 3)))

    def test_configs_are_equal_by_value(self):
        values = {"grid": 2, "block": 3, "cluster": 4, "shmem_size": 5, "is_cooperative": True,
                  "programmatic_stream_serialization": True}
        different = [LaunchConfig(), *(LaunchConfig(**{name: value}) for name, value in values.items())]
        self.assertEqual(len(set(different)), len(different))
        self.assertEqual(len({LaunchConfig(**values), LaunchConfig(**values)}), 1)
        self.assertEqual(LaunchConfig(1), LaunchConfig((1, 1)))
        self.assertNotEqual(LaunchConfig(), 1)
        self.assertEqual(pickle.loads(pickle.dumps(LaunchConfig(**values))), LaunchConfig(**values))

    def test_assigned_fields_are_launched(self):
        n = 64
        saxpy, x, y = kernel(SAXPY, "saxpy"), self.floats([1] * n), self.floats([0] * n)
        config = LaunchConfig(grid=1, block=1)
        prepared = PreparedLaunch(self.stream, config, saxpy, 1.0, x, y, n)
        launch(self.stream, config, saxpy, 1.0, x, y, n)
        config.grid, config.block = 2, (32,)
        self.assertEqual((config.grid, config.block), ((2, 1, 1), (32, 1, 1)))
        launch(self.stream, config, saxpy, 1.0, x, y, n)
        prepared()
        self.assertEqual(self.read(y), [3.0] + [2.0] * (n - 1))
        config.cluster = 2
        self.assertEqual(tuple(config._struct.grid), (4, 1, 1))
        with self.assertRaises(AttributeError):
            config.shared = 1
        config = LaunchConfig(grid=1, block=1)
        node = cucore.Graph(self.device).launch(config, saxpy, 1.0, x, y, n)
        config.grid = 9
        self.assertEqual(node.grid, (1, 1, 1))  # its original value
        for name in ("stream", "config", "kernel", "args"):
            with self.subTest(name), self.assertRaises(AttributeError):
                setattr(prepared, name, getattr(prepared, name))


class Functions(DeviceTest):
    def test_values_that_are_not_functions_are_refused(self):
        with self.stream.capture() as capture:
            with self.assertRaisesRegex(TypeError, "expected a function, not 5"):
                capture.callback(5)
        for do in (lambda: cucore.host_launch(self.stream, 5), lambda: cucore.Graph(self.device).callback(5)):
            with self.assertRaisesRegex(TypeError, "expected a function, not 5"):
                do()


class Names(DeviceTest):
    """Tests options as dicts, and cuda.core's keywords."""

    def test_options_may_be_dicts(self):
        device, context, x = self.device, self.device.context, self.floats([1])
        graph, builder = cucore.Graph(device), device.create_graph_builder()
        groups, _ = device.resources.sm.split({"count": None})
        green = device.create_context({"resources": groups[:1]})
        builder.begin_building().end_building()
        self.assertEqual(device.create_stream(options={"priority": -1}).priority, -1)
        self.assertEqual(context.create_stream(options={"priority": -1}).priority, -1)
        timing = {"timing_enabled": True}
        for made in (device.create_event(timing), context.create_event(timing), green.create_event(timing),
                     self.stream.record(options=timing)):
            self.assertTrue(made.is_timing_enabled)
        green.create_stream(options={"priority": 0})
        Linker.empty(options={"arch": "sm_90"})
        graph.instantiate({"auto_free_on_launch": True})
        builder.complete(options={"auto_free_on_launch": True})
        for drawn in (graph, builder):
            drawn.debug_dot_print("/dev/null", options={"verbose": True})
        cucore.DeviceMemoryResource(0, options={"max_size": 1 << 22}).allocate(8, stream=self.stream)
        cucore.PinnedMemoryResource(options={"max_size": 1 << 22}).allocate(8, stream=self.stream)
        cucore.ManagedMemoryResource(options={"preferred_location": 0}).allocate(8, stream=self.stream)
        resource = cucore.VirtualMemoryResource(device_id=0, config={"reserve_size": 1 << 22})
        resource.modify_allocation(resource.allocate(8), 16, config={"reserve_size": 1 << 22})
        utils.copy_batch(self.stream, [x], [self.floats([2])], options={"src_access_order": "any"})
        utils.copy_batch(self.stream, [x], [self.floats([2])], options=[{"src_access_order": "any"}])
        if device.compute_capability >= (9, 0):
            floats = device.allocate(1 << 12, stream=self.stream).view("f32", (16, 64))
            floats.as_tensor_map(options={"box_dim": (8, 8)})

    def test_invalid_options_are_reported(self):
        device = self.device
        refused = {
            "StreamOptions": lambda: device.create_stream(options=EventOptions()),
            "EventOptions": lambda: device.create_event(StreamOptions()),
            "LinkerOptions": lambda: Linker(options=ProgramOptions()),
            "ProgramOptions": lambda: Program("", "c++", 5),
            "GraphCompleteOptions": lambda: cucore.Graph(device).instantiate(5),
            "DeviceMemoryResourceOptions": lambda: cucore.DeviceMemoryResource(0, 5),
            "VirtualMemoryResourceOptions": lambda: cucore.VirtualMemoryResource(0, 5),
            "CopyOptions": lambda: utils.copy_batch(self.stream, [self.floats([1])], [self.floats([1])], options=[5]),
        }
        for name, do in refused.items():
            with self.subTest(name), self.assertRaisesRegex(TypeError, f"expected {name}, or a dict"):
                do()
        with self.assertRaisesRegex(TypeError, "nothing"):
            device.create_stream(options={"nothing": 1})

    def test_keywords_are_those_of_cuda_core(self):
        before = self.device.set_current(ctx=self.device.context)
        other = self.device.create_stream()
        self.stream.wait(event_or_stream=other)
        self.stream.wait(event_or_stream=other.record())
        for make in (cucore.DeviceMemoryResource, cucore.VirtualMemoryResource, cucore.GraphMemoryResource,
                     cucore.SynchronousMemoryResource):
            make(device_id=0)
        with tempfile.TemporaryFile() as file:  # objects other than pools, buffers and events
            fd = file.fileno()
            for do in (lambda: cucore.DeviceMemoryResource.from_allocation_handle(device_id=0, alloc_handle=fd),
                       lambda: cucore.PinnedMemoryResource.from_allocation_handle(alloc_handle=fd),
                       lambda: Event.from_ipc_descriptor(ipc_descriptor=cucore.IPCEventDescriptor(bytes(64), 0)),
                       lambda: Buffer.from_ipc_descriptor(
                           mr=cucore.DeviceMemoryResource(0), stream=self.stream,
                           ipc_descriptor=cucore.IPCBufferDescriptor(bytes(64), 0))):
                with self.assertRaises(cucore.CUDAError):
                    do()
        if before is not None:
            self.device.set_current(before)


if __name__ == "__main__":
    unittest.main()
