"""Tests cuTile's names and idioms, each with its result, and the list of exported names."""
import inspect
import math
import os
import pathlib
import re
import signal
import tempfile
import typing
import unittest

from cucore import InvalidArgumentError, LaunchConfig, ObjectCode, launch, raw
from support import ROOT, child
from test_tile import TileTest, ct, np, rng

if np is not None:
    import tile_names as k


class Names(TileTest):
    def zeros(self, *shape, dtype=np.float32 if np is not None else None):
        return self.put(np.zeros(shape, dtype))

    def test_products_of_one_axis(self):
        x, y, m = self.random(16), self.random(16), self.random(16, 8)
        out = self.zeros(4, 8)
        self.run_kernel((1,), k.dots, self.put(x), self.put(y), self.put(m), out, 8, 16)
        got = self.get(out)
        for row, right in enumerate((x @ y, x @ m, m.T @ y, x.astype(np.float16).astype(np.float32) @ m)):
            np.testing.assert_allclose(got[row] if row else got[0, 0], right, rtol=1e-4, atol=1e-5)

    def test_tiles_of_literals(self):
        out = self.zeros(3, 3, dtype=np.int32)
        self.run_kernel((1,), k.literals, out, 40)
        np.testing.assert_array_equal(self.get(out), [[1, 2, 3], [40, 5, 41], [7, 1, 1]])

    def test_unsigned_64_bit_numbers(self):
        out = self.zeros(2, dtype=np.uint64)
        self.run_kernel((1,), k.wide_numbers, out)
        self.assertEqual(list(map(int, self.get(out))), [2**64 - 3, 2**63 - 3])

    def test_rows_by_their_numbers(self):
        table = self.random(6, 8)
        ids = np.array([4, 1, 5, 0], np.int32)
        for start in (2, 6):
            out, back = self.zeros(12, 8), self.zeros(8, 8)
            self.run_kernel((1,), k.rows_by_number, self.put(table), self.put(ids), out, back, 8, start)
            got, wide = self.get(out), np.pad(table, ((0, 0), (0, 8)))
            np.testing.assert_array_equal(got[:4], table[ids])
            np.testing.assert_array_equal(got[4:8, :4], wide[ids, start:start + 4])
            np.testing.assert_array_equal(got[8:, :4], table[1:5][:, ids])
            right = np.zeros((8, 8), np.float32)
            right[ids] = table[ids]
            right[start + 1, :2] = 50
            np.testing.assert_array_equal(self.get(back), right)

    def test_elements_outside_an_array_are_padding(self):
        table, ids = self.random(6, 8), np.array([-1, 6, 5, 99], np.int32)
        out, back = self.zeros(12, 8), self.zeros(8, 8)
        self.run_kernel((1,), k.rows_by_number, self.put(table), self.put(ids), out, back, 8, 2)
        right = np.full((4, 8), -99, np.float32)
        right[2] = table[5]
        np.testing.assert_array_equal(self.get(out)[:4], right)

    def test_windows_overlap_or_have_gaps(self):
        x = self.random(2, 11)
        for step in (1, 2, 4, 6):
            count = -(-11 // step)
            out = self.zeros(count, 4)
            self.run_kernel((1,), k.windows, self.put(x), out, 4, step)
            wide = np.pad(x[0], (0, 8))
            np.testing.assert_array_equal(self.get(out), [wide[i * step:i * step + 4] for i in range(count)])
        out = self.zeros(20, dtype=np.int32)
        self.run_kernel((3,), k.spread, out, 4, 8)
        np.testing.assert_array_equal(self.get(out), np.repeat([1, 0, 2, 0, 3], 4))

    def test_memory_by_offsets(self):
        x = np.arange(20, dtype=np.float32).reshape(4, 5)
        there, out, counts = self.put(x), self.zeros(4), self.zeros(2, 2, dtype=np.int32)
        self.run_kernel((1,), k.flat, there, out, counts)
        np.testing.assert_array_equal(self.get(out), [0, 5, 10, -1])
        right = x.reshape(-1)
        right[[6, 11, 16]] = [5, 10, 15]
        np.testing.assert_array_equal(self.get(there).reshape(-1), right)
        np.testing.assert_array_equal(self.get(counts).reshape(-1)[:3], [6, 6, 9])

    def test_annotated_extents_are_constants(self):
        kernel = ct.kernel(k.known_extents.function)
        for width in (4, 8):
            x, out = self.random(2, width), self.zeros(4, 8)
            self.run_kernel((1,), kernel, self.put(x), self.put(self.random(3, 8)), out)
            got = self.get(out)
            np.testing.assert_array_equal(got[:2, :width], x)
            np.testing.assert_array_equal(got[2:], np.full((2, 8), width))
        self.assertEqual(len(kernel._compiled), 2)

    def test_parameter_annotations(self):
        x = self.zeros(8, dtype=np.int32)
        self.run_kernel((1,), k.annotated, x, 4, 5 * 2**33, [self.zeros(6)])
        np.testing.assert_array_equal(self.get(x), [5] * 4 + [6] * 4)

    def test_arrays_of_one_list_have_the_annotated_constants_in_common(self):
        out, wide = np.zeros(2, np.int32), np.zeros((3, 8), np.float32)
        k.widths.interpret((1,), ([wide[:, :6], wide[:2, 2:]], out))
        self.assertEqual(list(out), [14, 14])
        for other, said in ((wide[:, :5], r"shape\[1\] is 6 and 5 in arrays of one list"),
                            (np.zeros((3, 6), np.float32), r"strides\[0\] is 8 and 6 in arrays of one list")):
            with self.subTest(said), self.assertRaisesRegex(ValueError, said):
                k.widths.interpret((1,), ([wide[:, :6], other], out))

    def test_annotations_name_each_axis_once(self):
        for option in ("static_shape_dims", "static_stride_dims"):
            mark = ct.ArrayAnnotation(**{option: (0, -2)})

            def twice(x):
                pass
            twice.__annotations__["x"] = typing.Annotated[ct.Array, mark]
            with self.subTest(option), self.assertRaisesRegex(ValueError, rf"{option} is \(0, -2\), which names axis 0"):
                ct.kernel(twice).interpret((1,), (np.zeros((2, 2), np.float32),))

    def test_records_of_tiles(self):
        x, n, turns = self.random(8), 8, 3
        out = self.zeros(24)
        self.run_kernel((1,), k.records, self.put(x), out, n, turns)
        z, low, high = x + 0.5j * x, x, x
        for _ in range(turns):
            z = 0.5 * (z * (x - 1j * x) + 1)
            low, high = np.minimum(low, z.real), np.maximum(high, z.real)
        np.testing.assert_allclose(self.get(out).reshape(3, 8), [z.real, abs(z) ** 2, high - low], rtol=1e-4,
                                   atol=1e-5)

    def test_tuples_are_carried(self):
        x = self.random(4)
        for turns in (0, 1, 2, 5):
            out = self.zeros(20)
            self.run_kernel((1,), k.carried, self.put(x), out, 4, turns)
            first, count, total, low, high = x, 0, x, 0, 1
            for i in range(turns):
                if i % 2 == 0:
                    first, count, total = first + 1, count + 1, total + first
                else:
                    first = first * 2
                low, high = high, low + high
            right = [first, total, np.full(4, count), first if turns > 2 else 2 * x, np.full(4, low)]
            np.testing.assert_allclose(self.get(out).reshape(5, 4), right, rtol=1e-5, err_msg=str(turns))

    def test_functions_return_anywhere(self):
        x = self.random(4)
        for best in (9, 1):
            out = self.zeros(4, 8)
            self.run_kernel((4,), k.returning, self.put(x), out, best, 4)
            right = [x, 2 * x + 1 if best > 5 else 2 * x + 101 + x.sum(), -2 * x + 2, 2 * x + 100 + x.sum()]
            got = self.get(out)
            np.testing.assert_allclose(got[:, :4], right, rtol=1e-5)
            np.testing.assert_array_equal(got[:, 4:], [[7] * 4] * 3 + [[0] * 4])

    def test_python_runs_while_a_kernel_is_compiled(self):
        x = self.random(8)
        out = self.zeros(24)
        self.run_kernel((1,), k.of_python, self.put(x), out, 8, "high")
        right = [(x + 1) * 7, x * 10, x + np.maximum.reduce([x * i for i in range(5)]) + np.minimum(x, 0) + x]
        np.testing.assert_allclose(self.get(out).reshape(3, 8), right, rtol=1e-5)
        with self.assertRaisesRegex(ct.TileStaticEvalError, "middle"):
            self.run_kernel((1,), k.of_python, self.put(x), out, 8, "middle")

    def test_products_with_scales(self):
        m, n, K, blocks = 16, 16, 128, 4
        x, y = (rng.integers(-4, 5, shape).astype(np.float32) for shape in ((m, K), (K, n)))
        sx, sy = (rng.integers(124, 131, shape).astype(np.uint8) for shape in ((m, blocks), (blocks, n)))
        out = self.zeros(m, n)
        self.run_kernel((1,), k.scaled, self.put(x), self.put(sx), self.put(y), self.put(sy), out, m, n, K, blocks)
        a = x * np.repeat(2.0 ** (sx.astype(np.float64) - 127), K // blocks, 1)
        b = y * np.repeat(2.0 ** (sy.astype(np.float64) - 127), K // blocks, 0)
        np.testing.assert_allclose(self.get(out), a @ b + 1, rtol=1e-6)
        again, scale = self.zeros(m, n), self.put(sx)
        named = scale.owner.view("e8m0", sx.shape)  # under the name that other libraries use
        ct.launch(self.stream, (1,), k.scaled, (self.put(x), named, self.put(y), self.put(sy), again, m, n, K, blocks))
        np.testing.assert_array_equal(self.get(again), self.get(out))

    def test_constants_differ_by_type_and_bits(self):
        kernel = ct.kernel(k.reciprocal.function)
        cases = [(0.0, math.inf, 2), (-0.0, -math.inf, 2), (1, 1, 1), (1.0, 1, 2), (True, 1, 3), (math.nan, math.nan, 2),
                 ((2,), 0.5, 1), ((2.0,), 0.5, 2), ([2.0], 0.5, 2), ((True,), 1, 3), (k.Setting(1), 1, 1),
                 (k.Setting(1.0), 1, 2), (k.Setting(0.0), math.inf, 2), (k.Setting(-0.0), -math.inf, 2),
                 (k.Setting(math.nan), math.nan, 2)]
        for _ in range(2):  # the second run compiles nothing
            for constant, *right in cases:
                with self.subTest(constant):
                    out = self.zeros(2)
                    self.run_kernel((1,), kernel, out, constant)
                    np.testing.assert_array_equal(self.get(out), right)
        self.assertEqual((len(kernel._compiled), len(kernel._sources)), (len(cases) - 1, len(cases) - 1))

    def test_parameters_have_defaults(self):
        for given, right in (((), 6), ((5,), 15), ((5, 7), 35), ((5, 7, 2), 35)):
            out = self.zeros(4, dtype=np.int32)
            self.run_kernel((1,), k.by_default, out, *given)
            np.testing.assert_array_equal(self.get(out), [right] * 2 + [0 if len(given) == 3 else right] * 2)
        for given in ((), (out, 1, 2, 3, 4)):
            with self.assertRaisesRegex(TypeError, f"by_default.. takes 4 arguments, {len(given)} were given"):
                ct.launch(self.stream, (1,), k.by_default, kernel_args=given)

    def test_a_grid_without_extents_is_one_block(self):
        for grid in ((), []):
            with self.subTest(grid):
                out = self.zeros(4, dtype=np.int32)
                self.run_kernel(grid, k.by_default, out)
                np.testing.assert_array_equal(self.get(out), [6] * 4)

    @unittest.skipUnless(raw.cuc_driver_is_simulated(), "needs two devices")
    def test_streams_are_also_numbers(self):
        """A default stream given by its number belongs to the array's device."""
        here = os.path.dirname(os.path.abspath(__file__))
        self.assertEqual(child(f"import sys; sys.path.insert(0, {here!r})" + """
import array, tile_names as k, cucore.tile as ct
from cucore import Device
for device in Device.get_all_devices():
    stream = device.create_stream()
    for number in (stream.handle, 0, 1, 2):
        out = device.allocate(16, stream=stream)
        stream.sync()
        ct.launch(number, (1,), k.by_default, (out.view("i32", (4,)),))
        device.sync()
        values = array.array("i", bytes(16))
        out.copy_to(values, stream=stream)
        stream.sync()
        print(device.device_id, number in (0, 1, 2), *values)
    for number in (True, -1, 2**64):
        try:
            ct.launch(number, (1,), k.by_default, (out.view("i32", (4,)),))
        except (TypeError, OverflowError) as error:
            print(type(error).__name__)
""", CUCORE_SIM_DEVICES="2").splitlines(), [line for device in "01" for line in (
            f"{device} False 6 6 6 6", *[f"{device} True 6 6 6 6"] * 3, "TypeError", "OverflowError", "OverflowError")])

    def test_steps_of_ranges_known_at_run_time(self):
        for first, last, step in ((0, 10, 3), (2, 3, 1), (0, 10, 0), (0, 10, -1), (10, 0, -1), (10, 0, 1),
                                  (np.int64(0), np.int8(9), np.int16(-2)), (np.uint32(1), np.uint32(9), np.uint32(2))):
            with self.subTest(step=step):
                turns = range(first, last, step) if step > 0 else ()
                out = self.zeros(2, dtype=np.int32)
                self.run_kernel((1,), k.steps, out, first, last, step)
                np.testing.assert_array_equal(self.get(out), [len(turns), sum(turns)])

    def test_parts_of_functions_in_functions(self):
        x = self.random(8)
        out = self.zeros(8)
        self.run_kernel((1,), k.partly, self.put(x), out, 8)
        np.testing.assert_array_equal(self.get(out), np.clip(x, 0, 1))

    def test_scales_are_stored(self):
        for scale in (1.0, 2.0, 0.25):
            out = self.zeros(2, 2)
            self.run_kernel((1,), k.scaled_by_two, out, scale)
            np.testing.assert_array_equal(self.get(out), np.full((2, 2), 64 * scale))
        out = self.zeros(11, dtype=np.uint8)
        self.run_kernel((1,), k.scales, out)
        self.assertEqual(list(self.get(out)), [0, 0, 0, 127, 127, 127, 128, 254, 255, 255, 0])

    @unittest.skipUnless(hasattr(signal, "setitimer"), "no timer")
    def test_signals_end_an_interpreted_kernel(self):
        def handler(_number, _frame):
            raise KeyboardInterrupt

        before, said = signal.signal(signal.SIGALRM, handler), []
        try:
            for speaks in (False, True):
                out = np.zeros(1, np.int64)
                signal.setitimer(signal.ITIMER_REAL, 0.1)
                with self.assertRaises(KeyboardInterrupt):
                    k.endless.interpret((1,), (out, speaks), print=said.append)
                self.assertEqual(out[0], 1)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        self.assertTrue("".join(said[:12]).startswith("1\n1\n"))

    def test_an_exception_of_print_is_raised(self):
        with self.assertRaises(ZeroDivisionError):
            k.lines.interpret((1,), (self.random(4), 4), print=lambda text: 1 // 0)

    def test_an_assertion_has_the_line_of_python(self):
        line = inspect.getsourcelines(k.below)[1] + 1
        with self.assertRaisesRegex(InvalidArgumentError, rf"the sum is not below 0 \(tile_names\.py:{line}\)"):
            k.negative.interpret((1,), (np.ones(4, np.float32), 4))

    def test_dtypes_describe_themselves(self):
        for dtype, name, bits in ((ct.bool_, "bool_", 8), (ct.int64, "int64", 64), (ct.bfloat16, "bfloat16", 16),
                                  (ct.tfloat32, "tfloat32", 32), (ct.float8_e8m0fnu, "float8_e8m0fnu", 8)):
            self.assertEqual((repr(dtype), dtype.name, dtype.__name__, dtype.bitwidth), (name, name, name, bits))
        self.assertEqual(str(inspect.signature(ct.arange)), "(size, *, dtype=int32, start=0, step=1)")

    def test_with_blocks(self):
        out = self.zeros(4, dtype=np.int32)
        self.run_kernel((1,), k.within, out, 3)
        np.testing.assert_array_equal(self.get(out), [303, 306, 202, 20 + 10 + 30 + 10])

    def test_code_is_compiled_ahead_of_time(self):
        x = self.random(8)
        there, out = self.put(x), self.zeros(16)
        code = k.inserted.compile(there, out, 8, code_type="ptx")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "inserted.ptx")
            code.save(path)
            kernel = ObjectCode.from_ptx(path).get_kernel("inserted")
        launch(self.stream, LaunchConfig(grid=(1,), block=None), kernel, there, out)
        np.testing.assert_array_equal(self.get(out).reshape(2, 8), [np.concatenate([x[:4], x[:4]]), x])
        self.assertIn("sm_80", k.inserted.compile(there, out, 8, arch="sm_80", code_type="ptx").ptx)

    def test_parts_are_inserted(self):
        x = self.random(8)
        out = self.zeros(16)
        self.run_kernel((1,), k.inserted, self.put(x), out, 8)
        np.testing.assert_array_equal(self.get(out).reshape(2, 8), [np.concatenate([x[:4], x[:4]]), x])

    def test_printed_text(self):
        here = os.path.dirname(os.path.abspath(__file__))
        out = child(f"""
import sys; sys.path.insert(0, {here!r})
import array, cucore, tile_names as k, cucore.tile as ct
device = cucore.Device(); stream = device.create_stream()
x = device.allocate(16, stream=stream)
x.copy_from(array.array('f', [1, 2, 3, 4]), stream=stream)
ct.launch(stream, (1,), k.said, (x.view('f32'), 4))
stream.sync()
""")
        self.assertIn("0004 (0, 1) 's'|(10.000000, 4)", out)

    def test_lines_are_printed_whole(self):
        said = []
        k.lines.interpret((1,), (self.random(4) * 0 + np.arange(4, dtype=np.float32), 4), print=said.append)
        self.assertEqual("".join(said).split("\n"), [
            "{a 1} 100 % | [0.0, 1.0, 2.0, 3.0] 6.000e+00 000 "
            "[ 0.000000,  1.000000,  2.000000,  3.000000]  0    4", "0 of 3.0  % ff", "", "0", "1", " is one",
            "end", ""])

    def test_static_eval_calls_methods_and_operations(self):
        out, x = np.zeros(4, np.float32), np.arange(4, dtype=np.float32)
        k.evaluated.interpret((1,), (x, (4, x * 10), out))
        np.testing.assert_array_equal(out, 2 * np.minimum(x, 2) + 10 * x)
        for parts, said in (((4,), "annotated as a tuple of 2"), (4, "annotated as a tuple"), ((4, x, x), "one of 3")):
            with self.subTest(said), self.assertRaisesRegex(TypeError, said):
                k.evaluated.interpret((1,), (x, parts, out))
        k.notes.interpret((1,), (x,))
        self.assertEqual(k.shapes, [(2, 2)])  # the list itself, not a copy
        with self.assertRaisesRegex(ct.TileTypeError, "Loose is not frozen"):
            k.makes_loose.interpret((1,), (out,))

    def test_tiles_that_are_scanned_together_broadcast(self):
        x, out = np.arange(8, dtype=np.float32).reshape(2, 4), np.zeros((2, 4), np.float32)
        k.scanned_together.interpret((1,), (x, out))
        np.testing.assert_allclose(out, np.cumsum(x, 1) / np.arange(1, 5))

    def test_casts_to_tf32_use_the_given_rounding(self):
        one, step = np.float32(1), np.float32(2.0**-10)
        x, out = np.array([one + step / 2, one + step * 1.5, -one - step * 0.75, np.inf], np.float32), np.zeros(4, np.float32)
        for mode, steps in ((ct.RoundingMode.RN, (0, 2, 1)), (ct.RoundingMode.RA, (1, 2, 1)), (ct.RoundingMode.RZ, (0, 1, 0))):
            with self.subTest(mode):
                k.to_tf32.interpret((1,), (x, out, mode))
                np.testing.assert_array_equal(out, [one + steps[0] * step, one + steps[1] * step, -one - steps[2] * step, np.inf])

    def test_containers_of_tiles_are_printed_as_in_python(self):
        said = []
        k.shown.interpret((1,), (np.arange(4, dtype=np.float32), 4), print=said.append)
        self.assertEqual("".join(said).split("\n"), [
            "[[0, 1], [2, 3]] [[[0, 1]], [[2, 3]]] 6 [0, 0, 1, 1]",
            "[[0  , 1  ], [2  , 3  ]]| Halves(left=[0, 1, 2, 3]) (Halves(left=0),) <Nameless object> {'a': 0}",
            """worded {0} (Worded<0>,) ("it's", '0', "it's 0", '\\'0"') '0'(0,)!""",
            "[0, 0, 1, 1] [ 0.00,  1.00,  2.00,  3.00] %", ""])


class Page(unittest.TestCase):
    """Tests that docs/cutile.md lists every name correctly."""

    def test_the_page_lists_present_and_missing_names(self):
        text = (ROOT / "docs/cutile.md").read_text()
        there, lacks = (set(re.findall(r"`([a-zA-Z_]\w*)`", text.partition(f"## What is {which}")[2].partition("\n\n## ")[0]
                                       .partition("\n\nArrays have")[0])) for which in ("there", "not"))
        self.assertEqual(there ^ set(ct.__all__), {"item"})  # cuTile exposes item as a tile method only
        for name in lacks & {"float4_e2m1fn", "float8_e5m3fnu", "compilation"}:
            self.assertFalse(hasattr(ct, name), name)


class Failures(TileTest):
    def test_each_failure_has_its_class_and_line(self):
        head = "import contextlib\nimport numpy as np\nimport cucore.tile as ct\ndef again(i):\n    return again(i + 1)\n" \
               "def mixed(a, i):\n    if i > 0:\n        return i\n    ct.store(a, (0,), 0)\n" \
               "def out_of_loop(i):\n    for j in range(i):\n        if j > i: return j\n" \
               "@ct.kernel\ndef wrong(a, n: ct.Constant[int]):\n"
        for body, kind, said in k.WRONG:
            with self.subTest(body), tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "wrong.py"
                path.write_text(head + f"    {body}\n")
                scope = {"__name__": "wrong"}
                exec(compile(path.read_text(), str(path), "exec"), scope)
                with self.assertRaises(ct.TileError) as caught:
                    ct.launch(self.stream, (1,), scope["wrong"], (self.put(np.zeros(8, np.float32)), 8))
                self.assertIs(type(caught.exception), kind, caught.exception)
                self.assertIn(said, str(caught.exception))
                if caught.exception.filename:
                    self.assertEqual(caught.exception.filename, str(path))


if __name__ == "__main__":
    unittest.main()
