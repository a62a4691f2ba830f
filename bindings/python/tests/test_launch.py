"""Tests that arguments of every type arrive as the kernel declares them, or are refused."""
import ctypes
import inspect
import struct
import sys
import unittest

from cucore import (
    InvalidArgumentError,
    LaunchConfig,
    LegacyPinnedMemoryResource,
    PreparedLaunch,
    Tensor,
    launch,
)
from support import SAXPY, DeviceTest, compiled, kernel

ECHO = r"""
struct pair { int a; double b; };
struct __align__(8) c64 { float real, imag; };
struct __align__(16) c128 { double real, imag; };
#define ECHO(name, type) extern "C" __global__ void echo_##name(type x, type *out) { *out = x; }
ECHO(i8, signed char) ECHO(i16, short) ECHO(i32, int) ECHO(i64, long long)
ECHO(u8, unsigned char) ECHO(u16, unsigned short) ECHO(u32, unsigned) ECHO(u64, unsigned long long)
ECHO(f32, float) ECHO(f64, double) ECHO(bool, bool) ECHO(pair, pair)
ECHO(c64, c64) ECHO(c128, c128)
"""
FORMATS = {"i8": "b", "i16": "h", "i32": "i", "i64": "q", "u8": "B", "u16": "H", "u32": "I",
           "u64": "Q", "f32": "f", "f64": "d", "bool": "?"}


class Pair(ctypes.Structure):
    _fields_ = [("a", ctypes.c_int), ("b", ctypes.c_double)]


class Arguments(DeviceTest):
    def echo(self, name, value, size):
        """Return the value that the kernel receives, from a first launch and through the plan that
        it creates."""
        echo, seen = kernel(ECHO, f"echo_{name}"), set()
        for _ in range(2):
            out = self.device.allocate(size, stream=self.stream)
            launch(self.stream, LaunchConfig(grid=1, block=1), echo, value, out)
            data = bytearray(size)
            out.copy_to(data, stream=self.stream)
            self.stream.sync()
            seen.add(bytes(data))
        self.assertEqual(len(seen), 1)
        return seen.pop()

    def arrives(self, name, value, expected):
        form = FORMATS[name]
        self.assertEqual(struct.unpack(form, self.echo(name, value, struct.calcsize(form)))[0], expected)

    def test_python_numbers_take_the_kernels_size(self):
        for name, value in [("i8", -128), ("i16", -5), ("i32", 2**31 - 1), ("i64", -2**63),
                            ("u8", 255), ("u16", 65535), ("u32", 2**32 - 1), ("u64", 2**64 - 1),
                            ("f32", 0.5), ("f64", 0.1), ("f32", 3), ("f64", -7), ("bool", True)]:
            with self.subTest(name=name, value=value):
                self.arrives(name, value, value)

    def test_numbers_that_do_not_fit_are_refused(self):
        for name, value in [("i8", 256), ("i32", 2**32), ("i32", -2**31 - 1), ("u64", 2**64)]:
            with self.subTest(name=name, value=value), \
                    self.assertRaisesRegex(OverflowError, f"argument 0 is {value}"):
                self.echo(name, value, 8)
        with self.assertRaisesRegex(InvalidArgumentError, "echo_i32: argument 0: expected an integer or pointer of 4 bytes, got f32"):
            self.echo("i32", 1.5, 4)

    def test_numbers_that_do_not_fit_a_tile_kernel_are_named(self):
        half = compiled("kernel half(out: f32[N], n: i32, a: f32) grid 1 { store(out, [0], a + cast(n, f32)) }",
                        "tile").get_kernel("half")
        out = self.device.allocate(16, stream=self.stream).view("f32", (4,))
        for n, a, message in ((2.5, 1.0, "argument 1, n, is the float 2.5: half.* takes i32"),
                              (2**40, 1.0, f"argument 1, n, is the int {2**40}: half.* takes i32"),
                              (1, 1e300, "argument 2, a, is the float 1e.300: half.* takes f32")):
            with self.subTest(message), self.assertRaisesRegex(TypeError, message):
                launch(self.stream, None, half, out, n, a)
            with self.subTest(message), self.assertRaisesRegex(TypeError, message):
                PreparedLaunch(self.stream, None, half, out, n, a)

    def test_ctypes_scalars_are_passed_unchanged(self):
        for name, value in [("i8", ctypes.c_int8(-1)), ("u16", ctypes.c_uint16(9)),
                            ("i64", ctypes.c_int64(-9)), ("f32", ctypes.c_float(2.5)),
                            ("f64", ctypes.c_double(2.5)), ("bool", ctypes.c_bool(True))]:
            with self.subTest(name):
                self.arrives(name, value, value.value)
        with self.assertRaises(InvalidArgumentError):
            self.echo("i32", ctypes.c_int64(1), 4)

    def test_complex_numbers_take_the_kernels_size(self):
        for name, form, size in (("c64", "ff", 8), ("c128", "dd", 16)):
            with self.subTest(name):
                self.assertEqual(struct.unpack(form, self.echo(name, 1.5 - 2j, size)), (1.5, -2))
        try:
            import numpy
        except ModuleNotFoundError:
            return
        self.assertEqual(struct.unpack("ff", self.echo("c64", numpy.complex64(3 + 4j), 8)), (3, 4))
        self.assertEqual(struct.unpack("dd", self.echo("c128", numpy.complex128(0.1j), 16)), (0, 0.1))
        with self.assertRaisesRegex(InvalidArgumentError, "echo_c64: argument 0: "):
            self.echo("c64", numpy.complex128(1), 8)
        with self.assertRaisesRegex(InvalidArgumentError, "echo_f32: argument 0: "):
            self.echo("f32", 1j, 4)

    def test_numpy_scalars_are_passed_unchanged(self):
        try:
            import numpy
        except ModuleNotFoundError:
            self.skipTest("no NumPy")
        for name, value in [("i8", numpy.int8(-1)), ("u16", numpy.uint16(9)),
                            ("i64", numpy.int64(-9)), ("f32", numpy.float32(2.5)),
                            ("f64", numpy.float64(2.5)), ("bool", numpy.bool_(True))]:
            with self.subTest(name):
                self.arrives(name, value, value.item())
        with self.assertRaises(InvalidArgumentError):
            self.echo("f32", numpy.float64(1), 4)

    def test_structs_are_passed_by_value(self):
        data = self.echo("pair", Pair(3, 0.25), 16)
        self.assertEqual(struct.unpack("i4xd", data), (3, 0.25))

    def test_addresses_are_passed_as_numbers(self):
        out = self.device.allocate(4, stream=self.stream)
        for address in (out.handle, ctypes.c_void_p(out.handle), out, out.view("i32")):
            out.fill(0, stream=self.stream)
            launch(self.stream, LaunchConfig(grid=1, block=1), kernel(ECHO, "echo_i32"), 42, address)
            self.assertEqual(self.read(out, "i"), [42])

    def test_host_arrays_are_refused(self):
        try:
            import numpy
        except ModuleNotFoundError:
            self.skipTest("no NumPy")
        if self.device.properties.pageable_memory_access:
            self.skipTest("the device reaches all of the host's memory")

        class Described:
            def __init__(self, array):
                self.__cuda_array_interface__ = array.__array_interface__

        array, echo = numpy.zeros(4, numpy.int32), kernel(ECHO, "echo_i32")
        for given in (array, Described(array), Tensor.from_host(array)):
            for run in (launch, lambda *args: PreparedLaunch(*args)()):
                with self.assertRaisesRegex(InvalidArgumentError, "argument 1 is a tensor of host memory"):
                    run(self.stream, LaunchConfig(grid=1, block=1), echo, 1, given)
        self.stream.sync()  # the context still works
        pinned = LegacyPinnedMemoryResource().allocate(4, stream=self.stream)
        for given in (pinned, pinned.view("i32")):
            launch(self.stream, LaunchConfig(grid=1, block=1), echo, 42, given)
            self.assertEqual(self.read(pinned, "i"), [42])

    def test_values_of_other_types_may_follow(self):
        echo, out = kernel(ECHO, "echo_i32"), self.device.allocate(4, stream=self.stream)
        for value in (1, 2, True, ctypes.c_int(3), 4, 2**32 - 1, -5, 2**40, 6, 1.5, 7, "8", 9):
            try:
                launch(self.stream, LaunchConfig(grid=1, block=1), echo, value, out)
            except (OverflowError, InvalidArgumentError, TypeError):
                self.assertIn(value, (2**40, 1.5, "8"))
                continue
            number = value.value if isinstance(value, ctypes.c_int) else int(value)
            self.assertEqual(self.read(out, "i"), [number - 2**32 if number >= 2**31 else number])

    def test_errors_after_a_good_launch_are_reported(self):
        echo, out = kernel(ECHO, "echo_i32"), self.device.allocate(4, stream=self.stream)
        config = LaunchConfig(grid=1, block=1)
        launch(self.stream, config, echo, 1, out)
        for wrong, error in (((self.stream, config, echo, 1), TypeError),
                             ((self.stream, config, echo), TypeError),
                             ((self.stream, 3, echo, 1, out), (TypeError, AttributeError)),
                             ((None, config, echo, 1, out), TypeError),
                             ((self.stream, LaunchConfig(grid=1, block=2000), echo, 1, out), InvalidArgumentError)):
            with self.subTest(wrong), self.assertRaises(error):
                launch(*wrong)
        out.close()
        with self.assertRaises(InvalidArgumentError):
            launch(self.stream, config, echo, 1, out)

    def test_errors_name_the_function_that_was_called(self):
        echo, out = kernel(ECHO, "echo_i32"), self.device.allocate(4, stream=self.stream)
        wrong = self.stream, LaunchConfig(grid=1, block=2000), echo, 1, out
        prepared = PreparedLaunch(*wrong)
        for run, name in (lambda: launch(*wrong), "launch"), (prepared, "PreparedLaunch.__call__"):
            with self.assertRaisesRegex(InvalidArgumentError, rf"^{name}\(\): block.x is 2000"):
                run()

    def test_arguments_may_be_named(self):
        simple = kernel('extern "C" __global__ void nothing() {}', "nothing")
        echo, out = kernel(ECHO, "echo_i32"), self.device.allocate(4, stream=self.stream)
        config = LaunchConfig(grid=1, block=1)
        for _ in range(2):
            launch(stream=self.stream, config=config, kernel=simple)
            launch(self.stream, config, kernel=simple)
        launch(self.stream, config, echo, 7, out)
        with self.assertRaisesRegex(TypeError, r"^launch\(\) got an unexpected keyword argument 'grid'"):
            launch(self.stream, config, echo, 7, out, grid=1)
        with self.assertRaisesRegex(TypeError, r"^launch\(\) missing 1 required positional argument: 'kernel'"):
            launch(self.stream, config)
        with self.assertRaisesRegex(TypeError, "takes 2 arguments, 0 were given"):
            launch(config=config, stream=self.stream, kernel=echo)
        self.assertEqual(self.read(out, "i"), [7])

    def test_references_are_released(self):
        echo, out = kernel(ECHO, "echo_i32"), self.device.allocate(4, stream=self.stream)
        config = LaunchConfig(grid=1, block=1)
        objects = [self.stream, config, echo, out, launch, type(out), int]
        for value in (7, "7"):
            def once(value=value):
                try:
                    launch(self.stream, config, echo, value, out)
                except TypeError:
                    pass
            once()
            before = list(map(sys.getrefcount, objects))
            for _ in range(100):
                once()
            self.assertEqual(list(map(sys.getrefcount, objects)), before)

    def test_invalid_arguments_are_refused(self):
        with self.assertRaisesRegex(TypeError, "argument 0 is a str"):
            self.echo("i32", "1", 4)
        with self.assertRaisesRegex(TypeError, r"echo_i32\(\) takes 2 arguments, 1 were given"):
            launch(self.stream, LaunchConfig(grid=1, block=1), kernel(ECHO, "echo_i32"), 1)


class Launches(DeviceTest):
    def test_it_is_documented(self):
        self.assertEqual(str(inspect.signature(launch)), "(stream, config, kernel, *args)")
        self.assertIn("stream's order", inspect.getdoc(launch))

    def test_a_kernel_computes(self):
        n = 1000
        x, y = self.floats(range(n)), self.floats([1] * n)
        launch(self.stream, LaunchConfig(grid=(4,), block=(256, 1)), kernel(SAXPY, "saxpy"), 2.0, x, y, n)
        self.assertEqual(self.read(y), [2 * i + 1 for i in range(n)])

    def test_a_prepared_launch_can_be_repeated(self):
        x, y = self.floats([1]), self.floats([0])
        prepared = PreparedLaunch(self.stream, LaunchConfig(grid=1, block=32), kernel(SAXPY, "saxpy"), 1.0, x, y, 1)
        for _ in range(3):
            prepared()
        self.assertEqual(self.read(y), [3])
        prepared.replace(10.0, x, y, 1)
        del x
        prepared()
        self.assertEqual(self.read(y), [13])

    def test_another_librarys_stream_is_taken(self):
        stream = self.stream

        class Foreign:
            def __cuda_stream__(self):
                return 0, stream.handle

        x, y = self.floats([1]), self.floats([0])
        launch(Foreign(), LaunchConfig(grid=1, block=32), kernel(SAXPY, "saxpy"), 1.0, x, y, 1)
        self.assertEqual(self.read(y), [1])

    def test_the_librarys_own_checks_are_exceptions(self):
        saxpy = kernel(SAXPY, "saxpy")
        y = self.floats([0])
        with self.assertRaisesRegex(InvalidArgumentError, "block.x is 4096"):
            launch(self.stream, LaunchConfig(grid=1, block=4096), saxpy, 1.0, y, y, 1)
        with self.assertRaisesRegex(ValueError, "expected 1 to 3"):
            LaunchConfig(grid=(1, 1, 1, 1), block=1)
        with self.assertRaisesRegex(InvalidArgumentError, "kernel is closed"):
            with compiled(SAXPY).get_kernel("saxpy") as gone:
                launch(self.stream, LaunchConfig(grid=1, block=1), gone, 1.0, y, y, 1)
            launch(self.stream, LaunchConfig(grid=1, block=1), gone, 1.0, y, y, 1)

    def test_a_cluster_counts_as_in_cuda_core(self):
        config = LaunchConfig(grid=(4, 2), block=32, cluster=2)
        self.assertEqual(tuple(config._struct.grid), (8, 2, 1))
        self.assertEqual(tuple(config._struct.cluster), (2, 1, 1))

    def test_a_kernel_reports_its_parameters_and_resources(self):
        saxpy = kernel(SAXPY, "saxpy")
        self.assertEqual(saxpy.name, "saxpy")
        self.assertEqual([tuple(p) for p in saxpy.arguments_info], [(0, 4), (8, 8), (16, 8), (24, 4)])
        self.assertEqual(saxpy.attributes.max_threads_per_block, 1024)
        saxpy.attributes.max_dynamic_shared_size_bytes = 1024
        self.assertEqual(saxpy.attributes[self.device].max_dynamic_shared_size_bytes, 1024)
        self.assertGreater(saxpy.occupancy.max_active_blocks_per_multiprocessor(256), 0)
        grid, block = saxpy.occupancy.max_potential_block_size()
        self.assertGreater(grid * block, 0)

    def test_a_graph_runs_what_was_captured(self):
        x, y = self.floats([1]), self.floats([0])
        saxpy = kernel(SAXPY, "saxpy")
        launch(self.stream, LaunchConfig(grid=1, block=32), saxpy, 0.0, x, y, 1)
        with self.stream.capture() as capture:
            self.assertTrue(self.stream.is_capturing)
            launch(self.stream, LaunchConfig(grid=1, block=32), saxpy, 1.0, x, y, 1)
        run = capture.graph.instantiate()
        self.assertEqual(capture.graph.node_types, ["kernel"])
        self.assertIn("digraph", capture.graph.dot())
        for _ in range(5):
            run.launch(self.stream)
        self.assertEqual(self.read(y), [5])

    def test_an_exception_cancels_a_capture(self):
        with self.assertRaises(KeyError):
            with self.stream.capture() as capture:
                raise KeyError
        self.assertFalse(self.stream.is_capturing)
        with self.assertRaises(RuntimeError):
            capture.graph


class TileKernels(DeviceTest):
    VADD = """kernel vadd(a: f32[N], b: f32[N], c: f32[N], s: f32) grid cdiv(N, 128) {
        i = block(0)
        store(c, [i], (load(a, [i], [128]) + load(b, [i], [128])) * s)
    }"""

    def test_a_tile_kernel_takes_tensors_and_has_its_own_grid(self):
        vadd = compiled(self.VADD, "tile").get_kernel("vadd")
        n = 1000
        a, b = self.floats(range(n)), self.floats(range(n))
        c = self.floats([0] * n)
        launch(self.stream, None, vadd, a.view("f32"), b.view("f32"), c.view("f32"), 0.5)
        self.assertEqual(self.read(c), [float(i) for i in range(n)])

    def test_the_error_for_a_buffer_explains_how_to_give_it_a_shape(self):
        vadd = compiled(self.VADD, "tile").get_kernel("vadd")
        a = self.floats(range(8))
        with self.assertRaisesRegex(TypeError, r'argument 1: expected a tensor of f32, got a Buffer, .* '
                                               r'buffer\.view\("f32", shape\)'):
            launch(self.stream, None, vadd, a.view("f32"), a, a.view("f32"), 1.0)

    def test_shapes_are_checked_by_name(self):
        vadd = compiled(self.VADD, "tile").get_kernel("vadd")
        a = self.floats(range(8))
        with self.assertRaisesRegex(InvalidArgumentError, "N"):
            launch(self.stream, None, vadd, a.view("f32"), a[0:16].view("f32"), a.view("f32"), 1.0)


if __name__ == "__main__":
    unittest.main()
