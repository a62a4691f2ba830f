"""Tests kernels of neural network layers against NumPy, and the search for the fastest
configuration."""
import unittest

from test_tile import TileTest, ct, np, rng

if np is not None:
    import tile_layers as k


class Layers(TileTest):
    def test_experts(self):
        M, K, N, E, top_k, TM = 10, 20, 24, 3, 2, 16
        a, b = self.random(M, K), self.random(E, N, K)
        weights = rng.random(M * top_k).astype(np.float32)
        ids = rng.integers(0, E, M * top_k)
        tokens, blocks = [], []
        for e in range(E):
            mine = list(np.nonzero(ids == e)[0])
            while len(mine) % TM:
                mine.append(M * top_k)
            tokens += mine
            blocks += [e] * (len(mine) // TM)
        expected = np.stack([(a[t // top_k] @ b[ids[t]].T) * weights[t] for t in range(M * top_k)])
        EM = len(tokens) + TM
        tokens_there = np.full(EM, M * top_k, np.int32)
        tokens_there[:len(tokens)] = tokens
        for weighted in (0, 1):
            c = self.put(np.zeros(M * top_k * N, np.float32))
            self.run_kernel((EM // TM * 2,), k.experts, self.put(a.reshape(-1)), self.put(b), c,
                            self.put(weights), self.put(tokens_there), self.put(np.array(blocks, np.int32)),
                            self.put(np.array([len(tokens)], np.int32)), N, K, EM, M * top_k, TM, 16, 16, 2,
                            weighted, top_k)
            right = expected if weighted else expected / weights[:, None]
            np.testing.assert_allclose(self.get(c).reshape(-1, N), right, atol=2e-2, rtol=2e-2)

    def test_groups_of_products(self):
        shapes = [(33, 20, 40), (16, 50, 16), (70, 10, 30)]
        for transposed in (False, True):
            a = [self.random(m, kk) for m, kk, n in shapes]
            b = [self.random(n, kk) if transposed else self.random(kk, n) for m, kk, n in shapes]
            c = [self.put(np.zeros((m, n), np.float32)) for m, kk, n in shapes]
            self.run_kernel((3,), k.groups, tuple(map(self.put, a)), tuple(map(self.put, b)), tuple(c), 16, 16,
                            16, 3, transposed)
            for x, y, z in zip(a, b, c):
                np.testing.assert_allclose(self.get(z), x @ (y.T if transposed else y), atol=2e-2, rtol=2e-2)

    def test_a_list_of_arrays_is_indexed_at_run_time(self):
        parts = [self.random(20, 24) for _ in range(3)]
        w = self.random(24, 40)
        out = self.put(np.zeros((3 * 32, 40), np.float32))
        self.run_kernel((6, 3), k.gathered_product, [self.put(p) for p in parts], self.put(w), out, 16, 16, 16)
        got = self.get(out).reshape(3, 32, 40)
        for i, part in enumerate(parts):
            np.testing.assert_allclose(got[i, :20], part @ w, atol=2e-2, rtol=2e-2)

    def test_queries_and_accesses_of_an_array_of_a_list(self):
        sizes = (3, 8, 5)
        given = [np.arange(n, dtype=np.float32) + i for i, n in enumerate(sizes)]
        arrays = [self.put(g) for g in given]
        out = self.put(np.zeros((1, 8), np.float32))
        self.run_kernel((1,), k.list_ops, arrays, out, 8)
        total = sum(np.pad(g, (0, 8 - len(g))) for g in given)
        np.testing.assert_array_equal(self.get(out)[0], total)
        np.testing.assert_array_equal(self.get(arrays[0]), given[0] + 100 + 3000)
        np.testing.assert_array_equal(self.get(arrays[1]), given[1])

    def test_softmax_by_rows_and_chunks(self):
        x = self.random(5, 50)
        for kernel, args in ((k.softmax_rows, (5, 64)), (k.softmax_chunks, (5, 50, 16))):
            y = self.put(np.zeros_like(x))
            self.run_kernel((2,), kernel, y, self.put(x), *args)
            np.testing.assert_allclose(self.get(y), k.numpy_softmax(x), atol=1e-5)

    def test_rotations(self):
        B, H, S, half = 2, 3, 4, 8
        for batches in (1, B):
            q = self.random(B, H, S, 2 * half)
            angle = rng.random((batches, S, half)).astype(np.float32)
            there = self.put(q)
            self.run_kernel((B * S,), k.rotate, there, self.put(np.cos(angle)), self.put(np.sin(angle)), batches, S,
                            4, half)
            c, s = (np.broadcast_to(f(angle)[:, None], (B, 1, S, half)) for f in (np.cos, np.sin))
            x, y = q[..., :half], q[..., half:]
            np.testing.assert_allclose(self.get(there), np.concatenate([x * c - y * s, y * c + x * s], -1),
                                       atol=1e-5)

    def test_dropout_matches_its_hash(self):
        x = self.random(100)
        with np.errstate(over="ignore"):
            h = np.arange(100, dtype=np.int32) * np.int32(1103515245) + np.int32(-12345)
            h ^= h >> 16
            h ^= h << 8
            h ^= h >> 4
        for p, training in ((0.25, True), (1.0, True), (0.5, False)):
            y = self.put(np.zeros_like(x))
            self.run_kernel((4,), k.dropout, self.put(x), y, p, -12345, 32, training)
            share = (h & 0x7FFFFFFF).astype(np.float32) / np.float32(2147483647.0)
            right = np.where(share > p, x / (1 - p) if p < 1 else 0, 0) if training else x
            np.testing.assert_allclose(self.get(y), right, rtol=1e-6)

    def test_decoding_by_parts(self):
        B, H, QT, S, D, SPLIT, TN = 1, 2, 8, 40, 16, 32, 16
        q, key, v = self.random(B, H, QT, D), self.random(B, H, S, D), self.random(B, H, S, D)
        splits = -(-S // SPLIT)
        for per_kv in (QT, 5):
            out = self.put(np.zeros((B, H, per_kv, splits, D), np.float32))
            lse = self.put(np.zeros((B, H, per_kv, splits), np.float32))
            self.run_kernel((B, H, splits), k.decode, self.put(q[:, :, :per_kv]), self.put(key), self.put(v), out,
                            lse, 0.25, S, D, TN, SPLIT, per_kv, QT)
            got, weight = self.get(out), np.exp2(self.get(lse).astype(np.float64))
            joined = (got * weight[..., None]).sum(3) / weight.sum(3)[..., None]
            s = np.einsum("bhqd,bhkd->bhqk", q[:, :, :per_kv], key) * 0.25
            right = np.einsum("bhqk,bhkd->bhqd", k.numpy_softmax(s), v)
            # In this decoding scheme, l starts at 1 in each row of a tile, so the result is
            # approximate.
            np.testing.assert_allclose(joined, right, atol=2e-2)

    def test_tokens_are_counted_and_blocks_marked(self):
        E, numel, each, chunk = 5, 37, 10, 8
        ids = rng.integers(0, E, numel).astype(np.int32)
        counts = self.put(np.zeros(5 * E, np.int32))
        self.run_kernel((4,), k.count_experts, self.put(ids), counts, E, numel, each, chunk, 8)
        got = self.get(counts).reshape(5, E)
        for block in range(4):
            np.testing.assert_array_equal(got[block + 1], np.bincount(ids[block * each:(block + 1) * each],
                                                                      minlength=E))
        total = np.bincount(ids, minlength=E).astype(np.int32)
        ends = self.put(np.zeros(E + 1, np.int32))
        self.run_kernel((1,), k.running_totals, self.put(total), ends, E, 4)
        right = np.concatenate([[0], np.cumsum(-(-total // 4) * 4)])
        np.testing.assert_array_equal(self.get(ends), right)
        blocks = self.put(np.full(right[-1] // 4, -1, np.int32))
        self.run_kernel((E + 2,), k.stamp_blocks, ends, blocks, 4)
        np.testing.assert_array_equal(self.get(blocks), np.repeat(np.arange(E), np.diff(right) // 4))

    def test_mistakes_with_lists_are_reported_with_their_line(self):
        arrays = [self.put(self.random(4)), self.put(np.zeros(4, np.int32))]
        with self.assertRaisesRegex(SyntaxError, "one dtype and rank"):
            self.run_kernel((1,), k.list_ops, arrays, self.put(np.zeros((1, 4), np.float32)), 4)

    def test_rounding_follows_the_given_mode(self):
        x = np.concatenate([self.random(30), [np.float32(1e-10), np.float32(-1e-10)]]).astype(np.float32)
        y = self.random(32) + np.float32(2)
        out = self.put(np.zeros((11, 32), np.float32))
        self.run_kernel((1,), k.rounded, self.put(x), self.put(y), out, 32)
        got = self.get(out)
        for row, exact in ((0, x.astype(np.float64) + y), (4, x.astype(np.float64) / y)):
            near = exact.astype(np.float32)
            low = np.where(near > exact, np.nextafter(near, np.float32(-np.inf)), near)
            high = np.where(near < exact, np.nextafter(near, np.float32(np.inf)), near)
            for i, right in enumerate((near, np.where(exact > 0, low, high), low, high)):
                np.testing.assert_array_equal(got[row + i], right)
        np.testing.assert_allclose(got[8], x / y, rtol=1e-6)
        np.testing.assert_allclose(got[9], np.where(np.abs(x) < 1e-6, 0, x), rtol=1e-6)
        np.testing.assert_array_equal(got[10], np.maximum(x, y))

    def test_chunks_solved_with_a_triangle(self):
        B, H, chunks, C, D = 1, 2, 2, 16, 16
        key = self.random(B, chunks * C, H, D)
        beta = rng.random((B, chunks * C, H)).astype(np.float32)
        g = -rng.random((B, chunks * C, H)).astype(np.float32)
        for norm in (True, False):
            scaled = key * np.float32(0.2)
            out, last = (self.put(np.zeros(s, np.float32)) for s in ((B, H, chunks, C, D), (B, H, chunks)))
            self.run_kernel((B * H, chunks), k.gated, self.put(scaled), self.put(beta), self.put(g), out, last,
                            H, norm, C, D, 4)
            for h in range(H):
                for c in range(chunks):
                    part = slice(c * C, (c + 1) * C)
                    kk = scaled[0, part, h].astype(np.float64)
                    if norm:
                        kk = kk / np.sqrt((kk * kk).sum(1, keepdims=True) + 1e-6)
                    kb, gc = kk * beta[0, part, h][:, None], np.cumsum(g[0, part, h])
                    A = np.tril(-(kb @ kk.T) * np.exp(gc[:, None] - gc[None, :]), -1)
                    right = np.linalg.inv(np.eye(C) - A) @ kb
                    np.testing.assert_allclose(self.get(out)[0, h, c], right, atol=3e-2, rtol=3e-2)
                    np.testing.assert_allclose(self.get(last)[0, h, c], np.exp(g[0, c * C + C - 1, h]), rtol=1e-5)

    def test_rows_by_gathers(self):
        x, w = self.random(3, 50), self.random(50)
        out, rstd = self.put(np.zeros_like(x)), self.put(np.zeros(3, np.float32))
        self.run_kernel((3,), k.rms_rows, self.put(x), self.put(w), out, rstd, 1e-5, 16)
        r = 1 / np.sqrt((x * x).mean(1, keepdims=True) + 1e-5)
        np.testing.assert_allclose(self.get(out), x * r * w, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(self.get(rstd), r[:, 0], rtol=1e-5)

    def test_attention_to_selected_keys(self):
        B, H, S, D, group, TH, TN, turns = 1, 4, 12, 16, 2, 2, 16, 2
        q = self.random(B, H, S, D, dtype=np.float16)
        key, v = (self.random(B, H // group, 64, D, dtype=np.float16) for _ in range(2))
        indices = np.stack([rng.permutation(64)[:TN * turns] for _ in range(B * S * H // group)])
        indices[:, 0] = 0  # at least one key is not masked
        indices = indices.reshape(B, S, H // group, TN * turns).astype(np.int32)
        out = self.put(np.zeros_like(q))
        self.run_kernel((S, B * H // TH), k.sparse, self.put(q), self.put(key), self.put(v), self.put(indices),
                        out, 0.25, D, TN, turns, group, TH, H // TH)
        got = self.get(out)
        for h in range(H):
            for at in range(S):
                those = indices[0, at, h // group]
                those = those[those <= at]
                s = key[0, h // group, those].astype(np.float64) @ q[0, h, at] * 0.25
                right = k.numpy_softmax(s) @ v[0, h // group, those]
                np.testing.assert_allclose(got[0, h, at], right, atol=5e-3, rtol=5e-3)

    def test_gradients_of_a_layer_norm(self):
        M, N, groups = 6, 50, 2
        x, dy, w = self.random(M, N), self.random(M, N), self.random(N)
        mean, rstd = x.mean(1), 1 / np.sqrt(x.var(1) + 1e-5)
        dx, dw, db = (self.put(np.zeros(s, np.float32)) for s in ((M, N), (groups, N), (groups, N)))
        self.run_kernel((M,), k.norm_backward, dx, self.put(dy), dw, db, self.put(x), self.put(w), self.put(mean),
                        self.put(rstd), self.put(np.zeros(groups, np.int32)), 16)
        sums = [self.put(np.zeros(N, np.float32)) for _ in range(2)]
        self.run_kernel((4,), k.norm_backward_sums, dw, db, *sums, 4, 16)
        xhat = (x - mean[:, None]) * rstd[:, None]
        wdy = w * dy
        right = (wdy - xhat * (xhat * wdy).mean(1, keepdims=True) - wdy.mean(1, keepdims=True)) * rstd[:, None]
        np.testing.assert_allclose(self.get(dx), right, rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(self.get(sums[0]), (dy * xhat).sum(0), rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(self.get(sums[1]), dy.sum(0), rtol=1e-4, atol=1e-4)

    def test_a_fourier_transform_of_three_factors(self):
        batch, (f0, f1, f2), packed = 4, (2, 4, 8), 16
        n = f0 * f1 * f2
        x = self.random(batch, n, 2)

        def turns(rows, columns, of):
            angle = -2 * np.pi * np.outer(np.arange(rows), np.arange(columns)) / of
            return self.put(np.stack([np.cos(angle), np.sin(angle)], -1), np.float32)

        y = self.put(np.zeros((batch, n * 2 // packed, packed), np.float32))
        self.run_kernel((2,), k.fourier_of_three, self.put(x.reshape(batch, -1, packed)), y,
                        *(turns(f, f, f) for f in (f0, f1, f2)), turns(f0, f1 * f2, n), turns(f1, f2, f1 * f2),
                        n, f0, f1, f2, 2, packed)
        got = self.get(y).reshape(batch, n, 2)
        np.testing.assert_allclose(got[..., 0] + 1j * got[..., 1], np.fft.fft(x[..., 0] + 1j * x[..., 1]),
                                   atol=1e-4)

    def test_a_kernel_begins_before_its_predecessor_ends(self):
        x, middle, out = self.random(4096), self.put(np.zeros(4096, np.float32)), \
            self.put(np.zeros(4096, np.float32))
        for _ in range(3):
            ct.launch(self.stream, (64,), k.doubled_early, (self.put(x), middle, 64))
            ct.launch(self.stream, (64,), k.increased_behind, (middle, out, 64),
                      programmatic_dependent_launch=True)
        np.testing.assert_array_equal(self.get(out), 2 * x + 1)

    def test_bytes_of_tiles(self):
        for dtype in (np.int8, np.uint16, np.float16, np.int32, np.float32, np.int64, np.float64):
            with self.subTest(dtype):
                x = rng.integers(0, 256, 2 * 8 * np.dtype(dtype).itemsize, dtype=np.uint8)
                parts, out = self.put(np.zeros(x.size, np.uint8)), self.put(np.zeros(16, dtype))
                self.run_kernel((1,), k.through_bytes, self.put(x.view(dtype).reshape(2, 8)), parts, out, 8,
                                np.dtype(dtype).itemsize)
                np.testing.assert_array_equal(self.get(parts), x)
                np.testing.assert_array_equal(self.get(out).view(np.uint8), x)

    def test_batches_of_products(self):
        a, b = self.random(2, 20, 30), self.random(2, 30, 25)
        c = self.put(np.zeros((2, 20, 25), np.float32))
        self.run_kernel((2, 2, 2), k.batched, self.put(a), self.put(b), c, 16, 16, 16)
        np.testing.assert_allclose(self.get(c), a @ b, atol=2e-2, rtol=2e-2)


def _copy(x, y, n: ct.Constant[int], bad: ct.Constant[bool]):
    if bad:
        ct.static_assert(False, "not this one")
    ct.store(y, (ct.bid(0),), ct.load(x, (ct.bid(0),), (n,)))


class Search(TileTest):
    def setUp(self):
        super().setUp()
        self.x, self.y = self.put(self.random(256)), self.put(np.zeros(256, np.float32))

    def search(self, space, kernel, quiet=True, **more):
        return ct.tune.exhaustive_search(space, self.stream, lambda c: (ct.cdiv(256, c[0]),), kernel,
                                         lambda c: (self.x, self.y, *c), quiet=quiet, **more)

    def test_the_best_configuration_is_found_and_failures_are_reported(self):
        with ct.compiler_timeout(30):
            result = self.search([(64, False), (128, True), (256, False)], ct.kernel(_copy),
                                 hints_fn=lambda c: {"num_worker_warps": 4})
        self.assertEqual({m.config for m in result.successes}, {(64, False), (256, False)})
        self.assertIn(result.best, result.successes)
        self.assertEqual(result.best.mean_us, min(m.mean_us for m in result.successes))
        ((config, kind, message),) = result.failures
        self.assertEqual(config, (128, True))
        self.assertTrue(issubclass(kind, (ct.TileError, SyntaxError)), kind)
        self.assertIn("not this one", message)
        self.assertIn("2 succeeded, 1 failed", str(result))
        self.assertTrue((self.get(self.y) == self.get(self.x)).all())

    def test_a_kernel_may_be_made_of_the_configuration(self):
        kernel = ct.kernel(_copy)
        result = self.search([(64, False), (32, False)], lambda c: kernel)
        self.assertEqual(len(result.successes), 2)

    def test_a_search_space_without_a_valid_configuration_is_refused(self):
        with self.assertRaisesRegex(ValueError, "Search space is empty"):
            self.search([], ct.kernel(_copy))
        with self.assertRaisesRegex(ValueError, "No valid config(?s:.*)not this one"):
            self.search([(64, True)], ct.kernel(_copy))

    def test_long_results_are_abbreviated(self):
        rows = tuple(ct.tune.Measurement(config=i, mean_us=float(i), num_samples=5, error_margin_us=0.1)
                     for i in range(20))
        text = str(ct.tune.TuningResult(best=rows[0], successes=rows, failures=()))
        self.assertIn("* 0: 0.0", text)
        self.assertIn("... 8 more not shown", text)
        self.assertNotIn("  12:", text)


if __name__ == "__main__":
    unittest.main()
