"""Tests Python tile kernels: results compared with NumPy, and error messages."""
import math
import os
import tempfile
import unittest

import cucore.tile as ct
from cucore import Tensor
from support import DeviceTest, child

try:
    import numpy as np
except ModuleNotFoundError:
    np = None
else:
    import tile_kernels as k

rng = np.random.default_rng(1) if np is not None else None
NAMES = {"int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16",
         "uint32": "u32", "uint64": "u64", "float16": "f16", "float32": "f32", "float64": "f64", "bool": "bool"}


@unittest.skipUnless(np is not None, "no NumPy")
class TileTest(DeviceTest):
    def put(self, values, dtype=None):
        values = np.ascontiguousarray(values, dtype=dtype)
        buffer = self.device.allocate(values.nbytes, stream=self.stream)
        buffer.copy_from(values, stream=self.stream)
        return buffer.view(NAMES[values.dtype.name], values.shape)

    def get(self, tensor):
        kind = {v: n for n, v in NAMES.items()}[tensor.dtype]
        out = np.empty(tensor.shape, dtype=kind)
        tensor.copy_to(out, stream=self.stream)
        self.stream.sync()
        return out

    def run_kernel(self, grid, kernel, *args):
        """Run on the device and in the CPU interpreter, which must agree."""
        host = self.copied(args, {})
        ct.launch(self.stream, grid, kernel, args)
        kernel.interpret(grid, host)
        self.compare(args, host)

    def copied(self, value, made):
        """Copy arrays to host memory; an array that is passed twice stays one array."""
        if isinstance(value, (tuple, list)):
            return tuple(self.copied(each, made) for each in value)
        value = getattr(value, "tensor", value)
        if isinstance(value, Tensor) and value.ptr not in made:
            made[value.ptr] = self.get(value)
        return made[value.ptr] if isinstance(value, Tensor) else value

    def compare(self, given, host):
        for one, other in zip(given, host):
            one = getattr(one, "tensor", one)
            if isinstance(one, (tuple, list)):
                self.compare(one, other)
            elif isinstance(one, Tensor):
                there = self.get(one)
                if there.dtype.kind == "f":
                    np.testing.assert_allclose(there.astype(np.float64), other.astype(np.float64), rtol=2e-2,
                                               atol=2e-2, err_msg="the device, and the interpreter")
                else:
                    np.testing.assert_array_equal(there, other, "the device, and the interpreter")

    def random(self, *shape, dtype=np.float32 if np is not None else None):
        return rng.standard_normal(shape).astype(dtype)


class Samples(TileTest):
    def test_sums_of_vectors(self):
        a, b = self.random(1001), self.random(1001)
        for kernel in (k.add_tiles, k.add_elements):
            c = self.put(np.zeros_like(a))
            self.run_kernel((ct.cdiv(1001, 128), 1, 1), kernel, self.put(a), self.put(b), c, 128)
            self.assertTrue((self.get(c) == a + b).all(), kernel.__name__)

    def test_sums_of_matrices(self):
        a, b = self.random(50, 70), self.random(50, 70)
        c = self.put(np.zeros_like(a))
        self.run_kernel((4, 3), k.add_2d, self.put(a), self.put(b), c, 16, 32)
        self.assertTrue((self.get(c) == a + b).all())

    def test_transposes(self):
        x = self.random(100, 50)
        y = self.put(np.zeros((50, 100), np.float32))
        self.run_kernel((7, 2), k.transpose, self.put(x), y, 16, 32)
        self.assertTrue((self.get(y) == x.T).all())
        y = self.put(np.zeros((50, 100), np.float32))
        self.run_kernel((4, 4), k.transpose_by_order, self.put(x), y, 16, 32)
        self.assertTrue((self.get(y) == x.T).all())
        y = self.put(np.zeros((50, 100), np.float32))
        self.run_kernel((7, 2), k.store_by_order, self.put(x), y, 16, 32)
        self.assertTrue((self.get(y) == x.T).all())

    def test_products(self):
        for dtype, tolerance in ((np.float16, 2e-2), (np.float32, 2e-2)):
            a, b = self.random(70, 50, dtype=dtype), self.random(50, 90, dtype=dtype)
            c = self.put(np.zeros((70, 90), dtype))
            self.run_kernel((5 * 6, 1, 1), k.matmul, self.put(a), self.put(b), c, 16, 16, 16)
            right = a.astype(np.float32) @ b.astype(np.float32)
            np.testing.assert_allclose(self.get(c), right, atol=tolerance, rtol=tolerance)

    def test_a_persistent_product(self):
        a, b = self.random(40, 30), self.random(30, 50)
        c = self.put(np.zeros((40, 50), np.float32))
        self.run_kernel((3,), k.persistent_matmul, self.put(a), self.put(b), c, 16, 16, 16)
        np.testing.assert_allclose(self.get(c), a @ b, atol=1e-4, rtol=1e-4)

    def test_attention(self):
        batch, heads, group, seq, kv, d, dv = 1, 2, 2, 32, 40, 32, 16
        q = self.random(batch, heads, seq, d, dtype=np.float16)
        key, value = (self.random(batch, heads // group, kv, n, dtype=np.float16) for n in (d, dv))
        for causal in (False, True):
            out = self.put(np.zeros((batch, heads, seq, dv), np.float16))
            self.run_kernel((2, batch * heads, 1), k.attention, self.put(q), self.put(key),
                            self.put(value), out, 1 / math.sqrt(d), 0, d, dv, heads, 16, 16, group,
                            causal, kv % 16 == 0)
            full_k, full_v = (np.repeat(t.astype(np.float64), group, axis=1) for t in (key, value))
            scores = q.astype(np.float64) @ full_k.swapaxes(2, 3) / math.sqrt(d)
            if causal:
                scores[..., np.arange(kv)[None, :] > np.arange(seq)[:, None]] = -np.inf
            p = np.exp(scores - scores.max(-1, keepdims=True))
            right = p / p.sum(-1, keepdims=True) @ full_v
            np.testing.assert_allclose(self.get(out), right, atol=4e-3, rtol=4e-3)

    def test_a_layer_norm(self):
        x, w, b = self.random(5, 100), self.random(100), self.random(100)
        y, mean, rstd = (self.put(np.zeros(s, np.float32)) for s in ((5, 100), 5, 5))
        self.run_kernel((5,), k.layer_norm, self.put(x), self.put(w), self.put(b), y, mean, rstd, 1e-5, 32)
        right = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * w + b
        np.testing.assert_allclose(self.get(y), right, atol=1e-4, rtol=1e-4)
        np.testing.assert_allclose(self.get(mean), x.mean(1), atol=1e-5)

    def test_locks_and_atomic_operations(self):
        x = np.arange(64, dtype=np.float32)
        total, lock = self.put(np.zeros(1, np.float32)), self.put(np.zeros(1, np.int32))
        self.run_kernel((4,), k.locked_sum, self.put(x), total, lock, 16)
        self.assertEqual(self.get(total)[0], x.sum())
        ids = rng.integers(0, 8, 64).astype(np.int32)
        bins = self.put(np.zeros(8, np.int32))
        self.run_kernel((4,), k.counted, self.put(ids), bins, 16)
        self.assertTrue((self.get(bins) == np.bincount(ids, minlength=8)).all())

    def test_a_fourier_transform(self):
        batch, f0, f1 = 4, 8, 4
        n = f0 * f1
        x = self.random(batch, n, 2)

        def turns(rows, columns, of):
            angle = -2 * np.pi * np.outer(np.arange(rows), np.arange(columns)) / of
            return self.put(np.stack([np.cos(angle), np.sin(angle)], -1), np.float32)

        y = self.put(np.zeros_like(x))
        self.run_kernel((2,), k._fourier, self.put(x), y, turns(f0, f0, f0), turns(f1, f1, f1),
                        turns(f0, f1, n), n, f0, f1, 2)
        right = np.fft.fft(x[..., 0] + 1j * x[..., 1])
        out = self.get(y)
        np.testing.assert_allclose(out[..., 0] + 1j * out[..., 1], right, atol=1e-4)

    def test_a_gated_unit(self):
        x = self.random(3, 64, dtype=np.float16)
        y = self.put(np.zeros((3, 32), np.float16))
        a, b = x[:, :32].astype(np.float64), x[:, 32:].astype(np.float64)
        for approx in (False, True):
            self.run_kernel((3,), k.swiglu.with_hints(occupancy=2), self.put(x), y, 32, approx)
            np.testing.assert_allclose(self.get(y), a / (1 + np.exp(-a)) * b, atol=2e-3, rtol=2e-3)

    def test_a_softmax(self):
        x = self.random(3, 50)
        y = self.put(np.zeros_like(x))
        self.run_kernel((3,), k.softmax, self.put(x), y, 64)
        e = np.exp(x - x.max(1, keepdims=True))
        np.testing.assert_allclose(self.get(y), e / e.sum(1, keepdims=True), rtol=1e-5)


class Constructs(TileTest):
    def test_reductions(self):
        x = self.random(8, 16)
        out = self.put(np.zeros(8, np.float32))
        self.run_kernel((1,), k.reductions, self.put(x), out, 8, 16)
        right = [x.sum(), x.min(0).max(), x.argmax(1).sum(), x.argmin(), x.sum(), x.sum(), x.max(), x.argmax()]
        np.testing.assert_allclose(self.get(out), right, rtol=1e-4)

    def test_scans(self):
        x = self.random(32)
        out = self.put(np.zeros((3, 32), np.float32))
        self.run_kernel((1,), k.scans, self.put(x), out, 32)
        right = [np.cumsum(x), np.cumsum(x[::-1])[::-1], np.maximum.accumulate(x)]
        np.testing.assert_allclose(self.get(out), right, atol=1e-5)

    def test_ranks(self):
        x = rng.integers(0, 16, 64, dtype=np.int32)
        out, counts = self.put(np.zeros((2, 64), np.int32)), self.put(np.zeros(4, np.int32))
        moved = self.put(np.zeros(8, np.int32))
        self.run_kernel((1,), k.ranks, self.put(x), out, counts, moved, 64)
        small = np.sort(x[x < 8])
        np.testing.assert_array_equal(self.get(out)[0], x[np.argsort(x % 4, kind="stable")])
        np.testing.assert_array_equal(self.get(out)[1], np.concatenate([small, np.full(64 - small.size, -7)]))
        np.testing.assert_array_equal(self.get(counts), np.bincount(x % 4, minlength=4))
        np.testing.assert_array_equal(self.get(moved), x[5:13])

    def test_branches_give_names_their_values(self):
        x = self.random(8)
        for which, factor in ((0, 2.0), (1, -1.0), (5, x * 3.0), (9, None)):
            out = self.put(np.zeros(8, np.float32))
            self.run_kernel((1,), k.branches, self.put(x), out, which, 8)
            right = x * factor if factor is not None else np.zeros(8)
            np.testing.assert_allclose(self.get(out), right, rtol=1e-6, err_msg=str(which))

    def test_loops_carry_what_they_change(self):
        for n in (1, 6, 20):
            out = self.put(np.zeros(4, np.int32))
            self.run_kernel((1,), k.loops, out, n, 5)
            total = sum(i for i in range(min(n, 7)) if i % 2 == 0) + sum(range(10, n, 3)) + \
                sum(i for i in range(0, n, 2) if i % 4)
            self.assertEqual(list(self.get(out)), [total * 10, math.isqrt(n) if n > 1 else 0, 0, 8])

    def test_names_are_reused(self):
        x = rng.random(16).astype(np.float32)
        out = self.put(np.zeros(12, np.float32))
        self.run_kernel((1,), k.names, self.put(x), out, 8)
        first, second = x[:8] * 2, x[8:]
        right = first + first.sum() + second + x[:4].sum() + 1
        np.testing.assert_allclose(self.get(out)[:8], right, rtol=1e-5)
        np.testing.assert_allclose(self.get(out)[8:], x[:4]**4, rtol=1e-5)

    def test_views_slices_and_functions_in_functions(self):
        x = self.random(3, 20)
        y = self.put(np.zeros_like(x))
        self.run_kernel((3,), k.views, self.put(x), y, 8)
        np.testing.assert_allclose(self.get(y), 2 * x)

    def test_tuples_of_arrays_are_arguments(self):
        a, b = self.random(64), self.random(64)
        out = self.put(np.zeros(16, np.float32))
        self.run_kernel((4,), k.gathered, (self.put(a), self.put(b), 0.5), out, 16)
        np.testing.assert_allclose(self.get(out), ((a + b) / 2).reshape(4, 16).sum(0), atol=1e-5)

    def test_scalars_have_types(self):
        out = self.put(np.zeros(3, np.float32))
        self.run_kernel((1,), k.scalars, out, 3, 0.5, True, 5 * 2**32)
        self.assertEqual(list(self.get(out)), [6.5, 1.0, 5.0])
        self.run_kernel((1,), k.scalars, out, np.int16(3), np.float32(0.25), False, 2**33)
        self.assertEqual(list(self.get(out)), [6.25, -1.0, 2.0])

    def test_kernels_print_and_assert(self):
        here = os.path.dirname(os.path.abspath(__file__))
        out = child(f"""
import sys; sys.path.insert(0, {here!r})
import array, cucore, cucore.tile as ct, tile_kernels as k
device = cucore.Device(); stream = device.create_stream()
x = device.allocate(16, stream=stream)
x.copy_from(array.array('f', [1, 2, 3, 4]), stream=stream)
ct.launch(stream, (1,), k.speaking, (x.view('f32'), 4))
stream.sync()
""")
        self.assertIn("sum 10", out)

    def test_arrays_of_other_libraries_are_accepted(self):
        class Foreign:
            def __init__(self, tensor):
                self.tensor = tensor
                self.__cuda_array_interface__ = tensor.__cuda_array_interface__

        a = self.random(64)
        c = self.put(np.zeros_like(a))
        self.run_kernel((4,), k.add_tiles, Foreign(self.put(a)), self.put(a), Foreign(c), 16)
        self.assertTrue((self.get(c) == 2 * a).all())

    def test_a_kernel_is_compiled_once_for_each_kind_of_arguments(self):
        kernel = ct.kernel(k.add_tiles.function)
        a, c = self.put(np.ones(32, np.float32)), self.put(np.zeros(32, np.float32))
        for n in (16, 16, 8):
            self.run_kernel((32 // n,), kernel, a, a, c, n)
        h = self.put(np.ones(32, np.float16))
        self.run_kernel((2,), kernel, h, h, h, 16)
        self.assertEqual(len(kernel._compiled), 3)
        self.assertEqual(len(kernel.replace_hints(occupancy=2)._compiled), 0)
        self.assertIn("kernel add_tiles(a: f32[a_0]", kernel.source(a, a, c, 16))


MISTAKES = [
    # body, expected message, line number in the body
    ("x = ct.load(a, (0,), (8,))\ny = ct.load(a, (0,), (4,))\nct.store(a, (0,), x + y)", "broadcast", 3),
    ("ct.store(a, (0,), missing)", "nothing binds missing", 1),
    ("x = ct.load(a, (0,), (8,))\nif n > 0:\n    y = x\nct.store(a, (0,), y)", "nothing binds y", 4),
    ("x = ct.load(a, (0,), (n,))", "known when the kernel is compiled", 1),
    ("import os", "a kernel has no import", 1),
    ("try:\n    pass\nfinally:\n    pass", "a kernel has no try", 1),
    ("x = ct.load(a, (0,), (8,))\nx[0] = 1", "only a name can be assigned to", 2),
    ("return 5", "returns nothing", 1),
    ("x = ct.load(a, (0,), (8,))\ny = x[0]", "indexed by", 2),
    ("x = ct.load(a, (0,), (8,))\nfor i in range(3):\n    x = ct.load(a, (0,), (4,))\nct.store(a, (0,), x)",
     "another type on each path: float32[8], and float32[4]", 4),
    ("y = ct.exp(ct.load(a, (0,), (8,)), 1, 2)", "argument", 1),
    ("ct.static_assert(False, 'never so')", "never so", 1),
    ("ct.store(a, (0,), helper(ct.load(a, (0,), (8,))))", "called from", 1),
    ("x = ct.load(a, (0, 0), (8, 8))", "T301", 1),
    ("open(ct.load(a, (0,), (8,)))", "cannot be called with a tile", 1),
    ("x = ct.nothing", "has no nothing", 1),
]


class Stub(unittest.TestCase):
    def test_the_stub_has_every_name_and_every_parameter(self):
        import ast
        import inspect

        from cucore.tile._ops import OPS
        path = os.path.join(os.path.dirname(ct.__file__), "__init__.pyi")
        with open(path) as file:
            tree = ast.parse(file.read())
        functions = {n.name: n.args for n in tree.body if isinstance(n, ast.FunctionDef)}
        names = {*functions, *(n.name for n in tree.body if isinstance(n, ast.ClassDef)),
                 *(n.target.id for n in tree.body if isinstance(n, ast.AnnAssign)),
                 *(a.name for n in tree.body if isinstance(n, ast.ImportFrom) for a in n.names),
                 *(t.id for n in tree.body if isinstance(n, ast.Assign) for t in n.targets)}
        self.assertEqual(set(ct.__all__) - names, set())
        for name, function in OPS.items():
            given = functions[name]
            told = [a.arg for a in given.posonlyargs + given.args + given.kwonlyargs]
            there = [p.name for p in inspect.signature(function).parameters.values()
                     if p.kind != p.VAR_POSITIONAL][1:]
            self.assertEqual(told, there, name)

    def test_each_operation_has_a_text(self):
        from cucore.tile._docs import TEXTS
        from cucore.tile._ops import OPS
        self.assertEqual(set(TEXTS), set(OPS))
        for name in OPS:
            self.assertEqual(getattr(ct, name).__doc__, TEXTS[name])
            self.assertRegex(TEXTS[name], r"^.*[.]$")


class Mistakes(TileTest):
    def test_each_mistake_is_reported_with_its_line(self):
        for body, told, line in MISTAKES:
            with self.subTest(body=body), tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "mistaken.py")
                head = "import cucore.tile as ct\ndef helper(x):\n    return x + x.reshape((2, 4))\n" \
                       "@ct.kernel\ndef mistaken(a, n):\n"
                text = head + "".join(f"    {each}\n" for each in body.splitlines())
                with open(path, "w") as file:
                    file.write(text)
                scope = {"__name__": "mistaken", "__file__": path}
                exec(compile(text, path, "exec"), scope)
                a = self.put(np.zeros(8, np.float32))
                with self.assertRaises((ct.TileCompilerError, ct.TileSyntaxError)) as caught:
                    self.run_kernel((1,), scope["mistaken"], a, 1)
                error = caught.exception
                said = str(error)
                if isinstance(error, SyntaxError):
                    said = f"{error.filename}:{error.lineno}: {said}"
                self.assertIn(told, said)
                self.assertRegex(said, rf"mistaken\.py:{line + 5}\b")

    def test_missing_features_of_the_device_are_reported_with_the_kernel(self):
        x = self.put(np.zeros((8, 8), np.float32))
        with self.assertRaisesRegex(ct.TileCompilerError, r"tile_kernels\.py:\d+: transpose\(\): .*shared memory"):
            self.run_kernel((1,), k.transpose, x, x, 1024, 1024)

    def test_an_empty_grid_is_refused(self):
        """cuTile leaves an empty grid to the driver, which fails; here it raises a ValueError
        (docs/cutile.md)."""
        x = self.put(np.zeros(4, np.float32))
        for grid in ((ct.cdiv(0, 4),), (1, 0), (4, 1, 0)):
            with self.subTest(grid), self.assertRaisesRegex(ValueError, r"^grid is \(.*0.*\): expected numbers from 1"):
                ct.launch(self.stream, grid, k.add_tiles, (x, x, x, 4))

    def test_operations_are_for_kernels(self):
        with self.assertRaisesRegex(RuntimeError, r"ct\.load\(\) is for kernels"):
            ct.load(None, 0, 1)
        self.assertEqual(ct.cdiv(5, 2), 3)
        with self.assertRaisesRegex(TypeError, r"ct\.launch\("):
            k.add_tiles(1)
        with self.assertRaisesRegex(TypeError, "takes 4 arguments, 1 were given"):
            self.run_kernel((1,), k.add_tiles, self.put(np.zeros(1, np.float32)))
        with self.assertRaisesRegex(TypeError, "@ct.kernel"):
            self.run_kernel((1,), print)
        with self.assertRaisesRegex(AttributeError, "cucore.tile has no float4_e2m1fn"):
            ct.float4_e2m1fn


if __name__ == "__main__":
    unittest.main()
