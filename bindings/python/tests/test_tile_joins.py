"""Tests the values of names where the paths of an if or a loop meet, and type promotion."""
import pathlib
import tempfile
import unittest

from test_tile import TileTest, ct, np

if np is not None:
    import tile_joins as k

X, Y = [1, 2, 3, 4], [11, 12, 13, 14]
# A kernel, its number argument, and the array that it writes.
RESULTS = [
    ("array_of_if", 1, X), ("array_of_if", 0, Y), ("array_of_if", -5, X),
    ("array_of_for", 0, X), ("array_of_for", 3, Y),
    ("array_of_while", 0, X), ("array_of_while", 1, Y), ("array_of_while", 2, X),
    ("array_of_expression", 2, X), ("array_of_expression", 3, Y),
    ("stored_to", 0, Y), ("stored_to", 1, [7] * 4), ("stored_to", 100, Y),
    ("one_constant", 0, [4] * 4), ("one_constant", 1, [4] * 4),
    ("one_constant_by_break", 0, [4] * 4), ("one_constant_by_break", 5, [4] * 4),
    ("first_bound_in_a_loop", 0, [0] * 4), ("first_bound_in_a_loop", 4, [12] * 4),
    ("bound_anew", 0, [0] * 4), ("bound_anew", 3, [13] * 4),
    ("two_numbers", 0, [7, 8, 9, 10]), ("two_numbers", 2, [5, 6, 7, 8]),
    ("conditions", 0, [4 + 16] * 4), ("conditions", 1, [1 + 8 + 32] * 4), ("conditions", 3, [1 + 2 + 4 + 8 + 32] * 4),
    ("out_of_a_loop", 3, [12] * 4), ("out_of_a_loop", 9, [-1] * 4),
    ("out_of_two_loops", 3, [3] * 4), ("out_of_two_loops", 4, [102] * 4),
    ("only_one_arm_runs", 1, [4] * 4), ("only_one_arm_runs", 2, [2] * 4),
    ("summed_windows", 0, [0, 1, 2, 2]), ("scalars_of_a_view", 2, [3, 1, 3, 3]),
    ("tuples_compared", 3, [25] * 4), ("tuples_compared", 1, [10] * 4), ("tuples_compared", 2, [18] * 4),
    ("comprehended", 0, [0, 20, 21, 22]),
    ("after_the_loop", 0, [-1] * 4), ("after_the_loop", 5, [4] * 4),
]


class Joins(TileTest):
    def test_each_path_contributes_its_value(self):
        for name, number, right in RESULTS:
            with self.subTest(name, number=number):
                out = self.put(np.zeros(4, np.float32))
                self.run_kernel((1,), getattr(k, name), self.put(X, np.float32), self.put(Y, np.float32), out, number)
                np.testing.assert_array_equal(self.get(out), np.array(right, np.float32))


    def test_a_remainder_has_the_sign_of_its_divisor(self):
        inf = np.inf
        x = np.array([-46, 46, -7, 7, 5, -5, 5, -5, -1e-30, inf, 0, -0.0, 3], np.float64)
        y = np.array([2.3, -2.3, 2.3, 2.3, inf, inf, -inf, -inf, 7, 2, -3, 3, -0.0], np.float64)  # 46 / 2.3 rounds to 20
        for dtype in np.float32, np.float64, np.float16:
            with self.subTest(dtype), np.errstate(invalid="ignore"):
                a, b = np.resize(x.astype(dtype), 16), np.resize(y.astype(dtype), 16)
                out = self.put(np.zeros(16, dtype))
                self.run_kernel((4,), k.remainders, self.put(a), self.put(b), out, 0)
                got, expected = self.get(out), np.remainder(a, b)
                np.testing.assert_array_equal(got, expected)
                np.testing.assert_array_equal(np.signbit(got[~np.isnan(got)]), np.signbit(expected[~np.isnan(got)]))


# Expressions with a float16 x, an int8 i, a bool z, an unsigned u and an index n, and their dtypes.
DTYPES = [
    ("x + 1", "float16"), ("x + 1.5", "float16"), ("x + n", "float16"), ("x + i", "float16"), ("i + 1", "int8"),
    ("i + 1.5", "float32"), ("i + n", "int32"), ("i * ct.int16(3)", "int16"), ("z + 1", "int32"), ("z + 0.5", "float32"),
    ("i + z", "int8"), ("i / 2", "float32"), ("n / 2", "float32"), ("u + n", "uint32"), ("i + ct.int64(1)", "int64"),
    ("x + ct.float32(1)", "float32"), ("ct.where(z, i, 1)", "int8"), ("ct.where(z, i, n)", "int32"), ("-z", "int32"),
    ("ct.exp(i)", "float32"), ("ct.exp(x)", "float16"), ("ct.sqrt(n)", "float32"), ("i & 3", "int8"), ("u << 2", "uint32"),
    ("i < x", "bool_"), ("n", "int32"), ("5", "int32"), ("2**40", "int64"), ("0.5", "float32"), ("z < z", "bool_"), ("i // n", "int32"), ("ct.minimum(i, 2.0)", "float32"), ("z & True", "bool_"),
]
# Rejected expressions with these variables, the exception, and its message.
REFUSED = [
    ("i + u", "TileTypeError", "int8 and uint32 have no common dtype"),
    ("x + x.astype(ct.bfloat16)", "TileTypeError", "float16 and bfloat16 have no common dtype"),
    ("i + 128", "TileValueError", "128 is out of the range of int8"),
    ("u - (-1)", "TileValueError", "-1 is out of the range of uint32"),
    ("z + z", "TileTypeError", "add: expected numbers, got bools"),
    ("x & 1", "TileTypeError", "expected integers or bools, got float16"),
    ("i & ct.int16(1)", "TileTypeError", "expected two of one dtype, got int8 and int16"),
    ("z << 1", "TileTypeError", "expected integers, got bool_"),
    ("x >> 1", "TileTypeError", "expected integers, got float16"),
    ("ct.floor(i)", "TileTypeError", "expected floats, got int8"),
    ("~x", "TileTypeError", "expected integers or bools, got float16"),
    ("divmod(x, 2)", "TileTypeError", "expected integers, got floats"),
    ("x.astype(ct.float8_e5m2) + 1", "TileTypeError", "nothing is computed in float8_e5m2"),
    ("ct.store(bytes, (0,), i.astype(ct.int16))", "TileTypeError", "int16 does not go into an array of int8"),
    ("ct.store(bytes, (0,), ct.full((4,), 1.5, ct.float32))", "TileTypeError", "float32 does not go into an array of int8"),
    ("ct.scatter(bytes, 0, 1.5)", "TileTypeError", "1.5 does not go into an array of int8"),
    ("ct.scatter(bytes, 0, 300)", "TileValueError", "300 is out of the range of int8"),
    ("ct.add(x, x, rounding_mode=ct.RoundingMode.FULL)", "TileTypeError", "add does not round by"),
    ("ct.add(i, i, rounding_mode=ct.RoundingMode.RZ)", "TileTypeError", "not of int8"),
    ("ct.add(x, x, flush_to_zero=True)", "TileTypeError", "not of float16"),
    ("ct.astype(x, ct.int32, rounding_mode=ct.RoundingMode.RZ)", "TileTypeError", "casts between floats"),
    ("ct.atomic_add(bytes, 0, 1)", "TileTypeError", "the array is of int8"),
    ("ct.atomic_or(words, 0, ct.int64(1))", "TileTypeError", "the update is of int64: expected int32"),
    ("ct.atomic_add(words, 0, 1, memory_order=ct.MemoryOrder.WEAK)", "TileTypeError", "expected RELAXED"),
    ("ct.atomic_add(words, 0, 1, memory_scope=ct.MemoryScope.NONE)", "TileTypeError", "expected BLOCK"),
    ("1 if x else 2", "TileTypeError", "the condition is a tile of [4]: expected a scalar"),
    ("i if n else x", "TileTypeError", "another type on each path"),
    ("x @ x.astype(ct.bfloat16)", "TileTypeError", "float16 and bfloat16 have no common dtype"),
    ("ct.cat((i, i, i), 0)", "TileTypeError", "expected a tuple of two tiles"),
    ("ct.num_tiles(bytes, 1, (4,))", "TileTypeError", "axis is 1: the tile has 1"),
    ("ct.gather(bytes, i, padding_value=128)", "TileValueError", "128 is out of the range of int8"),
    ("bytes.slice(0, -1, 3)", "TileTypeError", "-1: expected an integer of 0 or more"),
    ("bytes.slice(0, 3, 2)", "TileTypeError", "stop is 2, below start, 3"),
    ("bytes.slice(0, n.astype(ct.uint32), 3)", "TileTypeError", "a bound of uint32: expected a signed integer"),
    ("ct.sum(x, axis=(0, -1))", "TileTypeError", "names one axis twice"),
    ("ct.reduce(i, 0, lambda a, b: a + ct.gather(bytes, 0), 0)", "TileSyntaxError", "gather() reads or writes memory"),
    ("ct.scan(i, 0, lambda a, b: ct.print(a) or a + b, 0)", "TileSyntaxError", "print() reads or writes memory"),
    ("ct.astile(x, dtype=ct.int32)", "TileTypeError", "a tile takes another dtype by astype()"),
    ("a, b = 1, 2, 3", "TileValueError", "3 values for 2 names"),
    ("ct.bitcast(i, ct.int32)", "TileTypeError", "from int8 to int32: expected two dtypes of as many bits"),
    ("ct.bitcast(i, ct.bool_)", "TileTypeError", "and no bool_"),
    ("ct.full((4,), 'one', ct.float32)", "TileTypeError", "fill_value is a str"),
    ("ct.scatter(bytes, 0, n)", "TileTypeError", "int32 does not go into an array of int8"),
    ("t = 2**31\n    for _ in range(2): t += 1\n    ct.scatter(words, 0, t)", "TileTypeError", "int64 does not go into an array of int32"),
    ("t = 2**64\n    for _ in range(2): t += 1", "TileValueError", "out of the range of every integer"),
    ("(1, 2) < (3, 4)", "TileTypeError", "compared by == and !="), ("(bytes,) == (words,)", "TileTypeError", "tuples of arrays"),
    ("bytes.slice(1, 0, 2)", "TileTypeError", "axis is 1: the array has 1"),
    ("ct.float32('one')", "TileTypeError", "'one' is not a number"),
    ("ct.float32(x)", "TileTypeError", "not of a tile of [4]"),
    ("ct.int8(1, 2)", "TileTypeError", "takes one number"),
    ("ct.cumsum(x, 0, rounding_mode=ct.RoundingMode.FULL)", "TileTypeError", "cumsum does not round by"),
    ("ct.cumsum(x, 0, flush_to_zero=True)", "TileTypeError", "not of float16"),
    ("words.tiled_view((4,)).atomic_store_or((0,), ct.zeros((4,), ct.int64))", "TileTypeError", "the update is of int64"),
    ("bytes.tiled_view((4,)).atomic_store_add((0,), i)", "TileTypeError", "the array is of int8"),
    ("(x, 1) == (x, 1)", "TileTypeError", "tiles with axes, are not compared"),
    ("(bytes, n) == (bytes, n)", "TileTypeError", "tuples of arrays"),
    ("(n, 1) < (n, 2)", "TileTypeError", "compared by == and !="),
    ("tuple(j for j in (1, 2) if n == j)", "TileTypeError", "not known when the kernel is compiled"),
    ("later = later + 1", "TileSyntaxError", "nothing binds later"),
    ("for i in range(bytes): pass", "TileTypeError", "expected a tile or a number, not Array"),
]
HEAD = """import operator
import cucore.tile as ct
later = 3  # hidden by a name of the kernel
@ct.kernel
def given(bytes, words):
    n = ct.bid(0)
    i = ct.load(bytes, (0,), (4,))
    x, z, u = i.astype(ct.float16), i > 2, i.astype(ct.uint32)
"""


class Dtypes(TileTest):
    def run_lines(self, line):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "given.py"
            path.write_text(f"{HEAD}    {line}\n")
            scope = {"__name__": "given"}
            exec(compile(path.read_text(), str(path), "exec"), scope)
            ct.launch(self.stream, (1,), scope["given"], (self.put(np.arange(4), np.int8), self.put(np.zeros(4), np.int32)))

    def test_operands_are_promoted_to_a_common_dtype(self):
        for expression, dtype in DTYPES:
            with self.subTest(expression):
                self.run_lines(f"kind = ({expression}).dtype; ct.static_assert(kind == ct.{dtype}, '{dtype} is not its dtype')")

    def test_operands_without_a_common_dtype_are_refused(self):
        for expression, kind, said in REFUSED:
            with self.subTest(expression), self.assertRaises(ct.TileError) as caught:
                self.run_lines(expression)
            self.assertIs(type(caught.exception), getattr(ct, kind), str(caught.exception))
            self.assertIn(said, str(caught.exception))

    def test_options_of_kernels_are_checked(self):
        for name, value in (("num_ctas", 3), ("num_ctas", 32), ("occupancy", 0), ("opt_level", 4), ("num_worker_warps", 5)):
            for given in (value, ct.ByTarget(sm_90=value), ct.ByTarget(default=value)):
                with self.assertRaisesRegex(ValueError, f"{name} is {value}: expected"):
                    ct.kernel(**{name: given})
        with self.assertRaisesRegex(TypeError, "no option cats"):
            ct.kernel(cats=4)
        with self.assertRaisesRegex(ValueError, "no architecture hopper"):
            ct.ByTarget(hopper=1)
        self.assertEqual(ct.ByTarget(sm_90=1, default=2), ct.ByTarget(sm_90=1, default=2))
        self.assertNotEqual(ct.ByTarget(sm_90=1), ct.ByTarget(sm_90=1, default=2))
        self.assertEqual(repr(ct.ByTarget(sm_90=1, default=2)), "ByTarget(sm_90=1, default=2)")
        self.assertIsInstance(k.conditions, ct.kernel)


if __name__ == "__main__":
    unittest.main()
