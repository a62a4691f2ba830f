"""Compares cucore.algorithm with NumPy."""
import unittest

import cucore
from cucore import algorithm
from support import DeviceTest

try:
    import numpy as np
except ModuleNotFoundError:
    np = None


@unittest.skipUnless(np is not None, "no NumPy")
class AlgorithmTest(DeviceTest):
    def send(self, x):
        buffer = cucore.Device(0).allocate(max(x.nbytes, 1), stream=self.stream)
        buffer.copy_from(x, stream=self.stream)
        names = {"float32": "f32", "int32": "i32", "int64": "i64", "uint8": "u8"}
        return buffer.view(names[x.dtype.name], x.shape)

    def receive(self, there, like):
        out = np.zeros_like(like)
        there.copy_to(out, stream=self.stream)
        self.stream.sync()
        return out

    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(5)
        self.x, self.y = (rng.integers(-9, 9, 5000).astype(np.float32) for _ in range(2))
        self.there, self.other = self.send(self.x), self.send(self.y)

    def test_reduce(self):
        one, at = self.send(np.zeros(1, np.float32)), self.send(np.zeros(1, np.int64))
        dot = algorithm.Algorithm("reduce", ["x: f32", "y: f32", "x * y"], ["dot: f32"], "sum")
        dot(self.stream, [self.there, self.other], [one])
        self.assertEqual(self.receive(one, np.zeros(1, np.float32))[0], self.x @ self.y)
        workspace = cucore.Device(0).allocate(dot.workspace_bytes(1 << 20), stream=self.stream)
        dot(self.stream, [self.there, self.other], [one], count=4000, workspace=workspace)
        self.assertEqual(self.receive(one, np.zeros(1, np.float32))[0], self.x[:4000] @ self.y[:4000])
        larger = algorithm.Algorithm("reduce", ["x: f32", "x", "i"], ["_: f32", "at: i64"], """
            fn larger(x, i, y, j) {
                keep = (x > y) | ((x == y) & (i < j))
                return where(keep, x, y), where(keep, i, j)
            }""", identity="-inf, 0x7fffffffffffffff")
        larger(self.stream, [self.there], [at])
        self.assertEqual(self.receive(at, np.zeros(1, np.int64))[0], self.x.argmax())
        algorithm.reduce(self.stream, "min", self.there, one)
        self.assertEqual(self.receive(one, np.zeros(1, np.float32))[0], self.x.min())
        algorithm.reduce(self.stream, "fn larger(a, b) { return maximum(a, b) }", self.there, one, identity="-inf")
        self.assertEqual(self.receive(one, np.zeros(1, np.float32))[0], self.x.max())

    def test_merge(self):
        first, second = np.sort(self.x), np.sort(self.y)
        out = self.send(np.zeros(10000, np.float32))
        algorithm.merge(self.stream, self.send(first), self.send(second), out)
        expected = np.sort(np.concatenate([first, second]))
        np.testing.assert_array_equal(self.receive(out, expected), expected)

    def test_sorts(self):
        out, place = self.send(self.x), self.send(np.zeros(5000, np.int32))
        sort = algorithm.Algorithm("merge_sort", ["x: f32", "x", "i"], ["y: f32", "place: i32"],
                                   "fn more(a, i, b, j) { return a > b }")
        sort(self.stream, [self.there], [out, place])
        order = np.argsort(-self.x, kind="stable").astype(np.int32)
        np.testing.assert_array_equal(self.receive(out, self.x), self.x[order])
        np.testing.assert_array_equal(self.receive(place, order), order)
        rows = self.x.reshape(50, 100)
        table, sorted_rows = self.send(rows), self.send(rows)
        sort = algorithm.Algorithm("sort_segments", ["x: f32"], ["y: f32"], descending=True, count=100)
        sort(self.stream, [table], [sorted_rows])
        np.testing.assert_array_equal(self.receive(sorted_rows, rows), -np.sort(-rows, axis=1))
        offsets = np.array([0, 10, 10, 700, 5000], np.int64)
        sort = algorithm.Algorithm("sort_segments", ["x: f32"], ["y: f32"], offsets="i64")
        sort(self.stream, [self.there], [out], offsets=self.send(offsets))
        parts = [np.sort(part) for part in np.split(self.x, offsets[1:-1])]
        np.testing.assert_array_equal(self.receive(out, self.x), np.concatenate(parts))

    def test_scan(self):
        out = self.send(self.x)
        algorithm.scan(self.stream, "sum", self.there, out)
        np.testing.assert_array_equal(self.receive(out, self.x), np.cumsum(self.x))
        algorithm.scan(self.stream, "sum", self.there, out, exclusive=True)
        np.testing.assert_array_equal(self.receive(out, self.x), np.cumsum(self.x) - self.x)

    def test_transform_select_and_count(self):
        out, count = self.send(np.zeros_like(self.x)), self.send(np.zeros(1, np.int64))
        keep = algorithm.Algorithm("select", ["x: f32"], ["y: f32", "count: i64"], "fn positive(x) { return x > 0 }")
        keep(self.stream, [self.there], [out, count])
        kept = self.x[self.x > 0]
        self.assertEqual(self.receive(count, np.zeros(1, np.int64))[0], len(kept))
        np.testing.assert_array_equal(self.receive(out, self.x)[:len(kept)], kept)
        twice = algorithm.Algorithm("transform", ["x: f32"], ["y: f32"], "fn twice(x) { return 2 * x }",
                                    device_count=True)
        twice(self.stream, [out], [out], device_count=count)
        np.testing.assert_array_equal(self.receive(out, self.x)[:len(kept)], 2 * kept)
        counts = self.send(np.zeros(18, np.int32))
        bins = algorithm.Algorithm("histogram", ["x: f32", "x + 9.0"], ["counts: i32"], bins=18)
        bins(self.stream, [self.there], [counts])
        np.testing.assert_array_equal(self.receive(counts, np.zeros(18, np.int32)),
                                      np.bincount(self.x.astype(int) + 9, minlength=18))
        self.assertIn("kernel histogram_all", bins.source)

    def test_keys_and_segments(self):
        keys = np.sort(np.random.default_rng(6).integers(0, 40, 5000)).astype(np.int32)
        out, sums, count = (self.send(np.zeros(n, t)) for n, t in ((5000, np.int32), (5000, np.float32), (1, np.int64)))
        by_key = algorithm.Algorithm("reduce_by_key", ["k: i32", "x: f32"], ["keys: i32", "sums: f32", "n: i64"], "sum")
        by_key(self.stream, [self.send(keys), self.there], [out, sums, count])
        there, starts = np.unique(keys, return_index=True)
        self.assertEqual(self.receive(count, np.zeros(1, np.int64))[0], len(there))
        np.testing.assert_array_equal(self.receive(out, keys)[:len(there)], there)
        expected = np.add.reduceat(self.x, starts)
        np.testing.assert_array_equal(self.receive(sums, self.x)[:len(there)], expected)
        offsets = np.append(starts, 5000).astype(np.int32)
        totals = self.send(np.zeros(len(there), np.float32))
        segments = algorithm.Algorithm("reduce_segments", ["x: f32"], ["y: f32"], "sum", offsets="i32")
        segments(self.stream, [self.there], [totals], offsets=self.send(offsets))
        np.testing.assert_array_equal(self.receive(totals, expected), expected)

    def test_mistakes(self):
        with self.assertRaisesRegex(TypeError, "inputs is a text"):
            algorithm.Algorithm("reduce", "x: f32", ["y: f32"], "sum")
        with self.assertRaisesRegex(TypeError, "no option bin: there are arch"):
            algorithm.Algorithm("histogram", ["x: f32"], ["y: i32"], bin=4)
        with self.assertRaisesRegex(ValueError, "kind"):
            algorithm.Algorithm("reduction", ["x: f32"], ["y: f32"], "sum")
        with self.assertRaisesRegex(cucore.InvalidArgumentError, "fn is mean"):
            algorithm.Algorithm("reduce", ["x: f32"], ["y: f32"], "mean")


if __name__ == "__main__":
    unittest.main()
