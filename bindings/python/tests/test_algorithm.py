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

    def test_search(self):
        x = np.sort(self.x)
        values = np.concatenate([self.y, [np.nan, np.inf, -np.inf]]).astype(np.float32)
        at = self.send(np.zeros(len(values), np.int64))
        for x in x[:1], x, np.concatenate([x, [np.nan] * 3]).astype(np.float32):
            for upper in False, True:
                algorithm.search(self.stream, self.send(x), self.send(values), at, upper=upper)
                np.testing.assert_array_equal(self.receive(at, np.zeros(len(values), np.int64)),
                                              np.searchsorted(x, values, "right" if upper else "left"))

    def test_set_operations(self):
        rng = np.random.default_rng(7)
        a, b = (np.unique(rng.integers(0, 4000, 2000)).astype(np.int32) for _ in range(2))
        for kind, expected in (("union", np.union1d(a, b)), ("intersection", np.intersect1d(a, b)),
                               ("difference", np.setdiff1d(a, b)), ("symmetric_difference", np.setxor1d(a, b))):
            out, count = self.send(np.zeros(len(a) + len(b), np.int32)), self.send(np.zeros(1, np.int64))
            algorithm.Algorithm(kind, ["a: i32", "b: i32"], ["y: i32", "c: i64"])(
                self.stream, [self.send(a), self.send(b)], [out, count])
            kept = self.receive(count, np.zeros(1, np.int64))[0]
            np.testing.assert_array_equal(self.receive(out, np.zeros(len(a) + len(b), np.int32))[:kept], expected)

    def test_shuffle(self):
        orders = []
        for seed in 7, 7, 8:
            shuffled = algorithm.Algorithm("transform", ["x: f32", f"x[shuffle(i, n, {seed})]"], ["y: f32"])
            there = self.send(np.arange(5000, dtype=np.float32))
            out = self.send(self.x)
            shuffled(self.stream, [there], [out])
            orders.append(self.receive(out, self.x))
            np.testing.assert_array_equal(np.sort(orders[-1]), np.arange(5000))
        np.testing.assert_array_equal(orders[0], orders[1])
        self.assertLess((orders[0] == orders[2]).sum(), 20)

    def test_merge(self):
        first, second = np.sort(self.x), np.sort(self.y)
        out = self.send(np.zeros(10000, np.float32))
        algorithm.merge(self.stream, self.send(first), self.send(second), out)
        expected = np.sort(np.concatenate([first, second]))
        np.testing.assert_array_equal(self.receive(out, expected), expected)

    def test_merge_of_expressions(self):
        rng = np.random.default_rng(3)
        merge = algorithm.Algorithm("merge", ["a: f32", "abs(a)", "i", "a", "b: f32", "abs(b)", "-1 - i", "b"],
                                    ["_: f32", "at: i64", "x: f32"])
        for na, nb in ((1, 1), (3000, 5000), (2047, 1), (5, 9999)):
            parts = [rng.integers(-40, 40, n).astype(np.float32) for n in (na, nb)]
            parts = [part[np.argsort(abs(part), kind="stable")] for part in parts]
            both = np.concatenate(parts)
            order = np.argsort(abs(both), kind="stable")
            at, x = self.send(np.zeros(na + nb, np.int64)), self.send(np.zeros_like(both))
            merge(self.stream, [self.send(part) for part in parts], [at, x])
            places = np.concatenate([np.arange(na), -1 - np.arange(nb)])[order]
            np.testing.assert_array_equal(self.receive(at, np.zeros(na + nb, np.int64)), places)
            np.testing.assert_array_equal(self.receive(x, both), both[order])

    def test_merge_with_counts_on_the_device(self):
        rng = np.random.default_rng(4)
        merge = algorithm.Algorithm("merge", ["a: f32", "p: i32[]", "a", "p[i]", "b: f32", "q: i32[]", "b",
                                              "q[n - 1 - i]"], ["z: f32", "w: i32"], device_count=True)
        a, b = (np.sort(rng.integers(-40, 40, n)).astype(np.float32) for n in (3000, 5000))
        p, q = (rng.integers(0, 99, n).astype(np.int32) for n in (3000, 5000))
        for na, nb in ((3000, 5000), (1500, 1667), (0, 5000), (3000, 0), (0, 0), (3005, 5009), (-3, 17)):
            z, w = np.full(8000, 77, np.float32), np.full(8000, 55, np.int32)
            to, values = self.send(z), self.send(w)
            merge(self.stream, [self.send(x) for x in (a, p, b, q)], [to, values],
                  device_count=self.send(np.array([na, nb], np.int64)))
            first, second = a[:max(na, 0)], b[:max(nb, 0)]
            both = np.concatenate([first, second])
            order = np.argsort(both, kind="stable")
            z[:len(both)] = both[order]
            w[:len(both)] = np.concatenate([p[:len(first)], q[:len(second)][::-1]])[order]
            np.testing.assert_array_equal(self.receive(to, z), z)
            np.testing.assert_array_equal(self.receive(values, w), w)

    def test_reductions_of_parts_are_combined(self):
        larger = """
            fn larger(x, i, y, j) {
                keep = (x > y) | ((x == y) & (i < j))
                return where(keep, x, y), where(keep, i, j)
            }"""
        identity = "-inf, 0x7fffffffffffffff"
        of_part = algorithm.Algorithm("reduce", ["first: i64[]", "x: f32", "x", "i + first[0]"],
                                      ["most: f32", "at: i64"], larger, identity=identity)
        of_results = algorithm.Algorithm("reduce", ["most: f32", "at: i64"], ["y: f32", "place: i64"], larger,
                                         identity=identity)
        most, at, first = [], [], 0
        for part in np.split(self.x, [700, 700, 4321]):
            if len(part):
                y, place = self.send(np.zeros(1, np.float32)), self.send(np.zeros(1, np.int64))
                of_part(self.stream, [self.send(np.array([first], np.int64)), self.send(part)], [y, place])
                most.append(self.receive(y, np.zeros(1, np.float32)))
                at.append(self.receive(place, np.zeros(1, np.int64)))
            first += len(part)
        y, place = self.send(np.zeros(1, np.float32)), self.send(np.zeros(1, np.int64))
        of_results(self.stream, [self.send(np.concatenate(most)), self.send(np.concatenate(at))], [y, place])
        self.assertEqual(self.receive(y, np.zeros(1, np.float32))[0], self.x.max())
        self.assertEqual(self.receive(place, np.zeros(1, np.int64))[0], self.x.argmax())

    def test_sorts_of_parts_are_combined(self):
        devices, size, x = 3, 2000, np.concatenate([self.x, self.y])[:6000]
        sort = algorithm.Algorithm("sort", ["x: f32", "first: i64[]", "x", "i + first[0]"], ["y: f32", "at: i64"])
        merge = algorithm.Algorithm("merge", ["a: f32", "p: i64", "b: f32", "q: i64"], ["y: f32", "at: i64"],
                                    device_count=True)
        splitters = np.quantile(x, [1 / 3, 2 / 3]).astype(np.float32)
        pieces = [[] for _ in range(devices)]  # of each range, in the order of the devices
        for device in range(devices):
            part = x[device * size:(device + 1) * size]
            keys, at = self.send(part), self.send(np.zeros(size, np.int64))
            sort(self.stream, [self.send(part), self.send(np.array([device * size], np.int64))], [keys, at])
            bounds = self.send(np.zeros(2, np.int64))
            algorithm.search(self.stream, keys, self.send(splitters), bounds)
            ends = [0, *self.receive(bounds, np.zeros(2, np.int64)), size]
            keys, at = self.receive(keys, part), self.receive(at, np.zeros(size, np.int64))
            for target in range(devices):
                pieces[target].append((keys[ends[target]:ends[target + 1]], at[ends[target]:ends[target + 1]]))
        found = []
        for received in pieces:
            keys, at = received[0]
            for piece, places in received[1:]:
                padded = [self.send(np.resize(each, size * devices)) for each in (keys, at, piece, places)]
                y, place = np.zeros(2 * size * devices, np.float32), np.zeros(2 * size * devices, np.int64)
                to = self.send(y), self.send(place)
                merge(self.stream, padded, to, device_count=self.send(np.array([len(keys), len(piece)], np.int64)))
                count = len(keys) + len(piece)
                keys, at = self.receive(to[0], y)[:count], self.receive(to[1], place)[:count]
            found.append(at)
        np.testing.assert_array_equal(np.concatenate(found), np.argsort(x, kind="stable"))

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

    def test_parts_and_unique_elements(self):
        out, count = self.send(np.zeros_like(self.x)), self.send(np.zeros(1, np.int64))
        algorithm.select(self.stream, "fn positive(x) { return x > 0 }", self.there, out, count)
        kept = self.x[self.x > 0]
        self.assertEqual(self.receive(count, np.zeros(1, np.int64))[0], len(kept))
        np.testing.assert_array_equal(self.receive(out, self.x)[:len(kept)], kept)
        ordered = np.sort(self.x)
        algorithm.unique(self.stream, self.send(ordered), out, count)
        once = np.unique(ordered)
        self.assertEqual(self.receive(count, np.zeros(1, np.int64))[0], len(once))
        np.testing.assert_array_equal(self.receive(out, self.x)[:len(once)], once)
        parts, sizes = [self.send(np.zeros_like(self.x)) for _ in range(3)], self.send(np.zeros(3, np.int64))
        by_sign = algorithm.Algorithm("partition3", ["x: f32"], ["a: f32", "b: f32", "c: f32", "sizes: i64"],
                                      "fn sign(x) { return where(x < 0.0, 0, where(x > 0.0, 2, 1)) }")
        by_sign(self.stream, [self.there], [*parts, sizes])
        there = self.receive(sizes, np.zeros(3, np.int64))
        for part, size, expected in zip(parts, there, (self.x[self.x < 0], self.x[self.x == 0], kept), strict=True):
            np.testing.assert_array_equal(self.receive(part, self.x)[:size], expected)

    def test_determinism(self):
        out = self.send(self.x)
        for determinism in ("run_to_run", "any_order", "every_gpu"):
            plan = algorithm.Algorithm("scan", ["x: f32"], ["y: f32"], "sum", determinism=determinism)
            plan(self.stream, [self.there], [out])
            np.testing.assert_array_equal(self.receive(out, self.x), np.cumsum(self.x))
        with self.assertRaisesRegex(ValueError, "determinism is"):
            algorithm.Algorithm("scan", ["x: f32"], ["y: f32"], "sum", determinism="sometimes")

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

    def test_largest(self):
        x = np.random.default_rng(7).standard_normal((3, 5000)).astype(np.float32)
        x[0, 70] = np.nan
        most, at = self.send(np.zeros((3, 8), np.float32)), self.send(np.zeros((3, 8), np.int64))
        texts = ["x: f32", "x", "i"], ["most: f32", "at: i64"]
        algorithm.Algorithm("topk_rows", *texts, k=8)(self.stream, [self.send(x)], [most, at])
        expected = np.argsort(np.where(np.isnan(x), -np.inf, -x), axis=1, kind="stable")[:, :8]
        np.testing.assert_array_equal(self.receive(at, expected), expected)
        np.testing.assert_array_equal(self.receive(most, x[:, :8]), np.take_along_axis(x, expected, 1))
        most, at = self.send(np.zeros(8, np.float32)), self.send(np.zeros(8, np.int64))
        algorithm.Algorithm("topk", *texts, k=8, smallest=True)(self.stream, [self.there], [most, at])
        expected = np.argsort(self.x, kind="stable")[:8]
        np.testing.assert_array_equal(self.receive(at, expected), expected)
        algorithm.topk(self.stream, 8, self.there, indices=at)
        expected = np.argsort(-self.x, kind="stable")[:8]
        np.testing.assert_array_equal(self.receive(at, expected), expected)
        algorithm.topk(self.stream, 8, self.there, most, smallest=True)
        np.testing.assert_array_equal(self.receive(most, self.x[:8]), np.sort(self.x)[:8])

    def test_histogram(self):
        pixels = np.random.default_rng(8).integers(0, 256, (900, 4)).astype(np.uint8)
        channels = self.send(np.zeros((4, 256), np.int32))
        algorithm.Algorithm("histogram", ["x: u8", "cast(cast(x, i64) + i % 4 * 256, i32)"], ["counts: i32"],
                            bins=1024)(self.stream, [self.send(pixels)], [channels])
        expected = np.array([np.bincount(pixels[:, c], minlength=256) for c in range(4)])
        np.testing.assert_array_equal(self.receive(channels, expected.astype(np.int32)), expected)
        pair = algorithm.Algorithm("histogram", ["x: u8", "y: u8", "cast(cast(x, i32) // 16 * 16 + "
                                                 "cast(y, i32) // 16, i32)"], ["counts: i64"], bins=256)
        joint, (x, y) = self.send(np.zeros((16, 16), np.int64)), (self.send(pixels[:, c].copy()) for c in (0, 1))
        pair(self.stream, [x, y], [joint])
        expected = np.histogram2d(pixels[:, 0], pixels[:, 1], 16, ((0, 256), (0, 256)))[0].astype(np.int64)
        np.testing.assert_array_equal(self.receive(joint, expected), expected)
        counts = self.send(np.zeros(6, np.int32))
        algorithm.histogram(self.stream, -9, 9, self.there, counts)
        np.testing.assert_array_equal(self.receive(counts, np.zeros(6, np.int32)), np.histogram(self.x, 6, (-9, 9))[0])

    def test_sort(self):
        x = np.random.default_rng(7).integers(-50, 50, 9001).astype(np.int32)
        keys, out, at = self.send(x), self.send(x), self.send(np.zeros(9001, np.int64))
        algorithm.sort(self.stream, keys, out, None, at)
        np.testing.assert_array_equal(self.receive(out, x), np.sort(x))
        order = np.argsort(x, kind="stable")
        np.testing.assert_array_equal(self.receive(at, np.zeros(9001, np.int64)), order)
        values = np.arange(9001, dtype=np.float32)
        moved = self.send(values)
        algorithm.sort(self.stream, keys, None, moved, moved, descending=True)
        np.testing.assert_array_equal(self.receive(moved, values), np.argsort(-x, kind="stable"))
        pairs = algorithm.Algorithm("sort", ["x: i32", "x >> 4", "x"], ["_: i32", "y: i32"], descending=True)
        pairs(self.stream, [keys], [out])
        np.testing.assert_array_equal(self.receive(out, x), x[np.argsort(-(x >> 4), kind="stable")])
        bits = algorithm.Algorithm("sort", ["x: i32"], ["y: i32"], bit_begin=2, bit_end=6)
        bits(self.stream, [keys], [out])
        np.testing.assert_array_equal(self.receive(out, x), x[np.argsort(x >> 2 & 15, kind="stable")])

    def test_mistakes(self):
        total = algorithm.Algorithm("reduce", ["x: f32"], ["y: f32"], "sum")
        x, y, stream = self.there, self.send(np.zeros(1, np.float32)), self.stream
        for message, call in (
                ("inputs: expected a list of texts, not 'x: f32'", lambda: algorithm.Algorithm("reduce", "x: f32", [])),
                ("inputs: expected a list of texts, not 3", lambda: algorithm.Algorithm("reduce", 3, ["y: f32"])),
                ("outputs: expected a text, not 3", lambda: algorithm.Algorithm("reduce", ["x: f32"], [3], "sum")),
                ("fn: expected a text, not 3", lambda: algorithm.reduce(stream, 3, x, y)),
                ("identity: expected a text, not 0", lambda: algorithm.reduce(stream, "f", x, y, identity=0)),
                ("x: expected an array with __dlpack__", lambda: algorithm.reduce(stream, "sum", 3, y)),
                ("values: expected an array with", lambda: algorithm.search(stream, x, [1.0], y)),
                ("expected a stream: a Stream or an", lambda: algorithm.reduce("x", "sum", x, y)),
                ("inputs: expected a list of arrays, not a Tensor", lambda: total(stream, x, [y])),
                (r"inputs\[0\]: expected an array with", lambda: total(stream, [3], [y])),
                ("count: expected an integer, not 2.0", lambda: total(stream, [x], [y], count=2.0)),
                ("device_count: expected an array with", lambda: total(stream, [x], [y], device_count=3)),
                ("workspace: expected a Buffer, not a int", lambda: total(stream, [x], [y], workspace=3)),
                ("count: expected an integer, not 'x'", lambda: total.workspace_bytes("x"))):
            with self.subTest(message), self.assertRaisesRegex(TypeError, message):
                call()
        with self.assertRaisesRegex(TypeError, "no option bin: there are arch"):
            algorithm.Algorithm("histogram", ["x: f32"], ["y: i32"], bin=4)
        with self.assertRaisesRegex(ValueError, "kind"):
            algorithm.Algorithm("reduction", ["x: f32"], ["y: f32"], "sum")
        with self.assertRaisesRegex(cucore.InvalidArgumentError, "fn is mean"):
            algorithm.Algorithm("reduce", ["x: f32"], ["y: f32"], "mean")


if __name__ == "__main__":
    unittest.main()
