"""Tests that the package's layers reach every C function, or that docs/python.md says why not. This
file calls each function once that nothing else calls."""
import ast
import ctypes
import fnmatch
import os
import pathlib
import re
import tempfile
import types
import unittest

import cucore
from cucore import raw, system, tuning, utils
from support import ROOT, DeviceTest

try:
    import numpy as np
except ModuleNotFoundError:
    np = None

PACKAGE = ROOT / "bindings/python/cucore"
VADD = """
kernel vadd(a: f32[N], b: f32[N], c: f32[N]) const B = auto(64, 128) grid cdiv(N, B) {
    i = block(0)
    store(c, [i], load(a, [i], [B]) + load(b, [i], [B]))
}
kernel scaled(x: f32[N], s: i32, w: i64) grid 1 { store(x, [0], load(x, [0], [4]) * cast(s, f32) + cast(w, f32)) }
"""


def named():
    """Return the functions that the package calls: through raw.NAME, or by name through
    Builder.call() and similar."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        if path.name in ("_api.py", "raw.py"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute):
                found.add(node.attr)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)  # raw.prototype("cuc_...")
                if path.parent.name == "tile":
                    found |= {f"cuc_tile_{node.value}", f"cuc_tile_{node.value}_round", f"cuc_tile_{node.value}_nan",
                              f"cuc_tile_atomic_{node.value}", f"cuc_tile_store_{node.value}"}
    return found


class Reach(unittest.TestCase):
    def test_every_function_is_called_or_listed_with_a_reason(self):
        page = (ROOT / "docs/python.md").read_text().partition("| functions | because |")[2].partition("\n\n")[0]
        patterns = re.findall(r"`(cuc_[\w*]+|\*_\w+)`", re.sub(r"\| [^|]*\|$", "|", page, flags=re.M))
        there, used = named(), set()
        for name in raw.FUNCTIONS:
            said = [each for each in patterns if fnmatch.fnmatch(name, each)]
            used.update(said)
            self.assertTrue(name in there or said, f"{name} is neither reached nor listed in docs/python.md")
        self.assertEqual(set(patterns) - used, set())


class Machine(unittest.TestCase):
    def test_versions_and_locations(self):
        self.assertGreaterEqual(system.driver_version(), (12, 0))
        self.assertIn(".so", system.driver_path())
        self.assertEqual(system.is_simulated(), bool(raw.cuc_driver_is_simulated()))
        self.assertIn("nvrtc", system.library_names())
        self.assertIn("cuda", " ".join(system.header_names()))
        for ask in (system.nvrtc_version, system.nvjitlink_version, system.nvfatbin_version, system.runtime_version,
                    system.nvml_driver_version, lambda: system.find_library("nvrtc"),
                    lambda: system.find_headers(system.header_names()[0])):
            try:
                self.assertTrue(ask())
            except cucore.CUDAError:  # not on this machine: the message lists the locations searched
                pass
        try:
            self.assertIn(90, system.nvrtc_archs())
        except cucore.NotFoundError:
            pass
        with self.assertRaisesRegex(cucore.CUDAError, "nothing"):
            system.find_library("nothing")
        with tempfile.TemporaryDirectory() as folder:
            for path in (os.path.join(folder, "x.so"), pathlib.Path(folder) / "x.so",
                         os.fsdecode(os.fsencode(folder) + b"/\xff.so")):  # a name need not be UTF-8
                with self.subTest(path), self.assertRaises(cucore.CUDAError):
                    system.set_library_path("no such library", path)

    def test_codes_are_explained(self):
        one = system.explain(700)
        self.assertEqual((one.library, one.code, one.symbol), ("CUDA driver", 700, "CUDA_ERROR_ILLEGAL_ADDRESS"))
        self.assertEqual(system.explain("illegal_address"), one)
        self.assertTrue(one.sticky and one.meaning and one.remedy)
        self.assertIn(one, system.explanations())
        with self.assertRaisesRegex(ValueError, "no library"):
            system.explain(1, "nobody's")

    def test_failures_that_no_call_raises_are_reported(self):
        told = []
        system.on_failure(told.append)
        system.on_failure(None)
        self.assertEqual(told, [])

    def test_records_are_kept_and_found(self):
        program = cucore.Program(VADD, "tile", cucore.ProgramOptions(arch="sm_90a", dimensions={"N": 4096}))
        memory = (ctypes.c_float * 100)()
        a = types.SimpleNamespace(__array_interface__={
            "shape": (100,), "typestr": "<f4", "data": (ctypes.addressof(memory), False), "version": 3})
        self.assertEqual(tuning.dimensions(program, [a, a, a], "vadd"), ["N=100"])
        self.assertEqual(tuning.dimensions(program, [a, -3, ctypes.c_int64(5)], "scaled"), ["N=100", "s=-3", "w=5"])
        with self.assertRaisesRegex(cucore.InvalidArgumentError, "expected 3 arguments, got 1"):
            tuning.dimensions(program, [a], "vadd")
        self.assertEqual([c.choice for c in tuning.candidates(program, "vadd")], ["B=64", "B=128"])
        record = tuning.record_of(program, "vadd")
        self.assertEqual(record.program, tuning.program_key(VADD))
        self.assertEqual(record.dimensions, "N=4096")
        record.gpu, record.toolkit, record.choice, record.seconds = "NVIDIA H200", "13.0", "B=128", 1e-6
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "tuned.tsv")
            tuning.add(path, record)
            self.assertEqual(tuning.find(path, record), "B=128")
            record.kernel = "another"
            self.assertIsNone(tuning.find(path, record))


class Devices(DeviceTest):
    def test_contexts(self):
        context = self.device.context
        with context.create_stream() as stream:
            self.assertEqual(stream.context, context)
            context.create_event()
        self.assertGreater(context.id, 0)
        self.assertFalse(context.is_lost)
        least, greatest = context.priority_range
        self.assertLessEqual(greatest, least)
        self.assertGreater(context.get_limit(raw.CUC_LIMIT_STACK_BYTES), 0)
        context.set_limit(raw.CUC_LIMIT_STACK_BYTES, 2048)
        before = self.device.set_current()
        self.assertEqual(cucore.Context.current(), context)
        if before is not None:
            self.device.set_current(before)

    def test_devices_report_their_sensors(self):
        try:
            self.assertIsInstance(self.device.sensors, dict)
        except cucore.CUDAError:  # no NVML
            pass
        with self.assertRaises(cucore.CUDAError):
            self.device.get_peer_attribute(self.device, 99)

    def test_streams_wait_for_numbers(self):
        flag = cucore.SynchronousMemoryResource(self.device).allocate(16, stream=self.stream)
        flag.fill(0, stream=self.stream)
        self.stream.write_value(flag, 7, offset=4)
        self.stream.wait_value(flag, 7, offset=4, compare="==")
        self.assertEqual(self.read(flag, "I")[:2], [0, 7])
        self.assertEqual(self.stream.capture_id, 0)
        with self.stream.capture() as capture:
            self.assertGreater(self.stream.capture_id, 0)
        self.assertEqual(capture.graph.node_count, 0)
        self.assertEqual(flag[4:8].parent.handle, flag.handle)
        self.assertIsNone(flag.parent)

    def test_pools_count(self):
        pool = cucore.MemoryPool.current(self.device)
        with pool.allocate(1 << 20, stream=self.stream):
            self.assertGreaterEqual(pool.statistics["used_high"], 1 << 20)
        self.stream.sync()
        pool.reset_high_watermarks()
        pool.make_current()
        self.assertEqual(cucore.MemoryPool.current(self.device).handle, pool.handle)

    def test_rectangles_are_copied(self):
        x, y = self.floats(range(16)), self.floats([0] * 16)
        utils.copy_2d(y, x, stream=self.stream, row_bytes=8, rows=2, dst_pitch=16, src_pitch=16, src_x_bytes=4)
        utils.copy_3d(y, x, stream=self.stream, row_bytes=4, rows=1, slices=2, dst_pitch=16, src_pitch=16,
                      dst_slice_rows=2, src_slice_rows=2, dst_x_bytes=12)
        self.assertEqual(self.read(y)[:12], [1, 2, 0, 0, 5, 6, 0, 0, 0, 0, 0, 8][:3] + [0] + [5, 6] + [0] * 5 + [8])
        utils.copy_peer(y, 0, x, 0, 64, stream=self.stream)
        self.assertEqual(self.read(y), list(range(16)))
        with self.assertRaisesRegex(TypeError, "no heights"):
            utils.copy_2d(y, x, stream=self.stream, heights=1)

    @unittest.skipUnless(np is not None, "no NumPy")
    def test_the_hosts_memory_is_registered(self):
        host = np.arange(1024, dtype=np.float32)
        with utils.HostRegistration(host) as there:
            self.assertGreater(there.device_pointer, 0)
        with self.assertRaisesRegex(ValueError, "closed"):
            there.device_pointer

    def test_code_describes_itself(self):
        code = cucore.Program(VADD, "tile", cucore.ProgramOptions(arch=f"sm_{self.device.arch}")).compile("ptx")
        self.assertIn(".entry", code.ptx)
        entries = code.tile_entries("vadd")
        self.assertIn("idx64", [e.variant for e in entries])
        kernel = code.get_kernel("vadd")
        self.assertEqual(kernel.tile_parameters[2], ("c", "f32", 1, True))
        size, made = (256,), []
        for _ in range(3):
            made.append(self.device.allocate(1024, stream=self.stream).view("f32", size))
        launch = cucore.PreparedLaunch(self.stream, None, kernel, *made)
        self.assertEqual(launch.tile_entry, "idx32+aligned")
        launch.replace(made[0], made[0], made[0])
        self.assertEqual(launch.tile_entry, "idx32+overlap")
        self.assertIn("vadd", kernel.symbol)
        self.assertEqual(kernel.object_code.code, code.code)
        self.assertGreater(kernel.get_function(), 0)
        kernel.set_cache_config("shared")
        self.assertIsInstance(code.load_log, str)
        with self.assertRaises(cucore.NotFoundError):
            code.get_managed("nothing")

    def test_programs_and_linkers_describe_themselves(self):
        program = cucore.Program(VADD, "tile", cucore.ProgramOptions(arch="sm_90a"))
        code = program.compile("ptx")
        self.assertGreater(program.compile_time, 0)
        self.assertIsInstance(program.flags(), list)
        self.assertTrue(program.tile_machine.startswith("tile 1 machine"), program.tile_machine[:40])
        linker = cucore.Linker.empty()
        linker.add_data(code.code, "ptx", "vadd")
        self.assertIsInstance(linker.flags, list)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "vadd.ptx")
            code.save(path)
            linker.add_file(path, "ptx")

    @unittest.skipUnless(np is not None, "no NumPy")
    def test_tile_programs_run_on_the_cpu(self):
        program = cucore.Program(VADD, "tile")
        a, b, c = np.arange(300, dtype=np.float32), np.ones(300, np.float32), np.zeros(300, np.float32)
        program.interpret("vadd", a, b, c)
        np.testing.assert_array_equal(c, a + b)
        program.interpret("scaled", a, 3, np.int64(5))
        np.testing.assert_array_equal(a[:4], [5, 8, 11, 14])
        said = []
        cucore.Program('kernel k(x: f32[N]) { print("sum {}", sum(load(x, [block(0)], [4]))) }', "tile").interpret(
            None, b, grid=2, print=said.append)
        self.assertEqual("".join(said).split(), ["sum", "4", "sum", "4"])
        with self.assertRaisesRegex(cucore.CUDAError, "argument"):
            program.interpret("vadd", a, b)
        with self.assertRaisesRegex(TypeError, "host's memory"):
            program.interpret("vadd", a, b, "c")

    @unittest.skipUnless(np is not None, "no NumPy")
    def test_attention_is_ready_to_call(self):
        rng = np.random.default_rng(4)
        q, k, v = (rng.standard_normal(s).astype(np.float16) for s in ((1, 70, 4, 32), (1, 90, 2, 32), (1, 90, 2, 16)))
        there = []
        for x in (q, k, v):
            buffer = cucore.Device(0).allocate(x.nbytes, stream=self.stream)
            buffer.copy_from(x, stream=self.stream)
            there.append(buffer.view("f16", x.shape))
        o = cucore.Device(0).allocate(70 * 4 * 16 * 2, stream=self.stream).view("f16", (1, 70, 4, 16))
        lse = self.floats([0] * 4 * 70).view("f32", (1, 4, 70))
        plan = cucore.Attention("f16", 32, value_width=16, mask="causal", align="bottom_right", order="sequence",
                                window_left=40, lse=True, queries=70)
        plan(self.stream, *there, o, lse=lse, scale=0.25)
        out, sums = np.zeros((1, 70, 4, 16), np.float16), np.zeros((1, 4, 70), np.float32)
        o.copy_to(out, stream=self.stream)
        lse.copy_to(sums, stream=self.stream)
        self.stream.sync()
        keys, values = (np.repeat(x, 2, axis=2).astype(np.float64) for x in (k, v))
        scores = 0.25 * np.einsum("bihd,bjhd->bhij", q.astype(np.float64), keys)
        diagonal, at = np.arange(70)[:, None] + 20, np.arange(90)
        scores[..., (at > diagonal) | (at < diagonal - 40)] = -np.inf
        np.testing.assert_allclose(sums, np.log(np.exp(scores).sum(-1)), rtol=1e-4, atol=1e-4)
        weights = np.exp(scores - sums[..., None])
        np.testing.assert_allclose(out, np.einsum("bhij,bjhd->bihd", weights, values), rtol=5e-3, atol=5e-3)
        self.assertEqual(plan.choice["by"], "rules")
        slopes, sinks = np.float32([0.5, 0.25, 0.125, 0]), np.float32([1, -2, 0, 3])
        biased = cucore.Attention("f16", 32, value_width=16, order="sequence", lse=True, sinks=True,
                                  score="score - slopes[head] * cast(abs(row - column), f32)",
                                  sides={"slopes": ("f32", 1)})
        biased(self.stream, *there, o, lse=lse, slopes=self.floats(slopes).view("f32", (4,)),
               sinks=self.floats(sinks).view("f32", (4,)), scale=0.25)
        lse.copy_to(sums, stream=self.stream)
        self.stream.sync()
        scores = 0.25 * np.einsum("bihd,bjhd->bhij", q.astype(np.float64), keys)
        scores -= slopes[:, None, None] * abs(np.arange(70)[:, None] - at)
        np.testing.assert_allclose(sums, np.log(np.exp(scores).sum(-1) + np.exp(sinks)[:, None]), rtol=1e-4, atol=1e-4)
        with self.assertRaisesRegex(TypeError, "none: expected slopes"):
            biased(self.stream, *there, o, lse=lse)
        self.assertIn("kernel attention", plan.source)
        trained = cucore.Attention("f16", 32, value_width=16, order="sequence", backward=True, mask="causal",
                                   align="bottom_right")
        trained(self.stream, *there, o, lse=lse)
        grads = [cucore.Device(0).allocate(x.nbytes, stream=self.stream).view("f16", x.shape) for x in (q, k, v)]
        trained.backward(self.stream, *there, o, lse, o, *grads, workspace=cucore.Device(0).allocate(
            trained.workspace_bytes(1, 4, 70), stream=self.stream))
        outs = [np.zeros(x.shape, np.float16) for x in (q, k, v)]
        for out_of, grad in zip(outs, grads):
            grad.copy_to(out_of, stream=self.stream)
        self.stream.sync()
        scores = np.einsum("bihd,bjhd->bhij", q.astype(np.float64), keys) / np.sqrt(32)
        scores[..., at > diagonal] = -np.inf
        weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
        result = np.einsum("bhij,bjhd->bihd", weights, values)  # is d_o, too
        dp = np.einsum("bihd,bjhd->bhij", result, values)
        ds = weights * (dp - (weights * dp).sum(-1, keepdims=True)) / np.sqrt(32)
        shared = (1, 90, 2, 2, -1)
        for found, expected in zip(outs, (np.einsum("bhij,bjhd->bihd", ds, keys),
                                          np.einsum("bhij,bihd->bjhd", ds, q).reshape(shared).sum(3),
                                          np.einsum("bhij,bihd->bjhd", weights, result).reshape(shared).sum(3))):
            np.testing.assert_allclose(found, expected, rtol=1e-2, atol=5e-3)
        learned = cucore.Attention("f16", 32, value_width=16, order="sequence", backward=True, sinks=True,
                                   score="score - slopes[head] * cast(abs(row - column), f32)",
                                   sides={"slopes": ("f32", 1, "head")})
        given = {"slopes": self.floats(slopes).view("f32", (4,)), "sinks": self.floats(sinks).view("f32", (4,))}
        workspace = cucore.Device(0).allocate(learned.workspace_bytes(1, 4, 70), stream=self.stream)
        learned(self.stream, *there, o, lse=lse, **given)
        with self.assertRaisesRegex(TypeError, "slopes: expected slopes, d_slopes"):
            learned.backward(self.stream, *there, o, lse, o, *grads, workspace=workspace, **given)
        sums_of = [self.floats([0] * 4).view("f32", (4,)) for _ in range(2)]
        learned.backward(self.stream, *there, o, lse, o, *grads, workspace=workspace, **given, d_slopes=sums_of[0],
                         d_sinks=sums_of[1])
        found = [np.zeros(4, np.float32) for _ in range(2)]
        for out_of, grad in zip(found, sums_of):
            grad.copy_to(out_of, stream=self.stream)
        self.stream.sync()
        far = abs(np.arange(70)[:, None] - at)
        scores = np.einsum("bihd,bjhd->bhij", q.astype(np.float64), keys) / np.sqrt(32) - slopes[:, None, None] * far
        total = np.exp(scores).sum(-1, keepdims=True) + np.exp(sinks)[:, None, None]
        weights = np.exp(scores) / total
        dp = np.einsum("bihd,bjhd->bhij", np.einsum("bhij,bjhd->bihd", weights, values), values)
        e = (weights * dp).sum(-1, keepdims=True)
        for x, expected in zip(found, (-(weights * (dp - e) * far).sum((0, 2, 3)),
                                       -(np.exp(sinks)[:, None, None] / total * e).sum((0, 2, 3)))):
            np.testing.assert_allclose(x, expected, rtol=1e-2, atol=2e-2)
        # One query in sequences of 60 and 5 keys, and one new key of each, in pages of 16 that lie in reverse.
        paged = cucore.Attention("f16", 32, value_width=16, order="sequence", page_size=16, parts=2, queries=1,
                                 heads=4, key_heads=2)
        pages = []
        for x in (k, v):
            buffer = cucore.Device(0).allocate(x[:, :80].nbytes, stream=self.stream)
            buffer.copy_from(np.ascontiguousarray(x[0, :80].reshape(5, 16, 2, -1)[::-1]), stream=self.stream)
            pages.append(buffer.view("f16", (5, 16, 2, x.shape[3])))
        ints = []
        for numbers in ([[4, 3, 2, 1], [0, 0, 0, 0]], [61, 6]):
            x = np.int32(numbers)
            ints.append(cucore.Device(0).allocate(x.nbytes, stream=self.stream))
            ints[-1].copy_from(x, stream=self.stream)
        buffer = cucore.Device(0).allocate(q[0, :2].nbytes, stream=self.stream)
        buffer.copy_from(np.ascontiguousarray(q[0, :2]), stream=self.stream)
        first = buffer.view("f16", (2, 1, 4, 32))
        needed = paged.workspace_bytes(2, 4, 1)
        self.assertEqual(needed, 2 * 4 * 2 * 17 * 4)
        table, lengths = ints[0].view("i32", (2, 4)), ints[1].view("i32", (2,))
        news = []
        for x in (k, v):
            buffer = cucore.Device(0).allocate(x[0, 80:82].nbytes, stream=self.stream)
            buffer.copy_from(np.ascontiguousarray(x[0, 80:82]), stream=self.stream)
            news.append(buffer.view("f16", (2, 1, 2, x.shape[3])))
        paged.append(self.stream, *news, *pages, page_table=table, key_lengths=lengths)
        two = cucore.Device(0).allocate(2 * 4 * 16 * 2, stream=self.stream).view("f16", (2, 1, 4, 16))
        paged(self.stream, first, *pages,
              two, page_table=table, key_lengths=lengths,
              workspace=cucore.Device(0).allocate(needed, stream=self.stream))
        out = np.zeros((2, 1, 4, 16), np.float16)
        two.copy_to(out, stream=self.stream)
        self.stream.sync()
        for row, (begin, end) in enumerate(((0, 60), (64, 69))):
            seen = [*range(begin, end), 80 + row]
            scores = np.einsum("hd,jhd->hj", q[0, row].astype(np.float64), keys[0, seen]) / np.sqrt(32)
            weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
            np.testing.assert_allclose(out[row, 0], np.einsum("hj,jhd->hd", weights, values[0, seen]), rtol=5e-3,
                                       atol=5e-3)
        # Elements of 8 bits below 2: their bits are a number's.
        bits = rng.integers(0, 0x40, (1, 40, 2, 32)).astype(np.uint8)
        eighths = np.where(bits >> 3, 2.0 ** ((bits >> 3) - 7.0) * (1 + bits % 8 / 8), bits * 2.0 ** -9)
        buffer = cucore.Device(0).allocate(bits.nbytes, stream=self.stream)
        buffer.copy_from(bits, stream=self.stream)
        x, scales = buffer.view("e4m3", bits.shape), self.floats([0.5, 0.25]).view("f32", (1, 2))
        small = cucore.Attention("e4m3", 32, o_dtype="f16", order="sequence")
        y = cucore.Device(0).allocate(bits.nbytes * 2, stream=self.stream).view("f16", bits.shape)
        small(self.stream, x, x, x, y, q_scale=scales, k_scale=scales, v_scale=scales, scale=1,
              workspace=cucore.Device(0).allocate(small.workspace_bytes(1, 2, 40), stream=self.stream))
        out = np.zeros(bits.shape, np.float16)
        y.copy_to(out, stream=self.stream)
        self.stream.sync()
        by = np.array([0.5, 0.25]).reshape(1, 2, 1, 1)
        weights = np.exp(by * by * np.einsum("bihd,bjhd->bhij", eighths, eighths))
        weights /= weights.sum(-1, keepdims=True)
        np.testing.assert_allclose(out, np.einsum("bhij,bjhd->bihd", by * weights, eighths), rtol=0.05)
        with self.assertRaisesRegex(TypeError, "no option heights"):
            cucore.Attention("f16", 32, heights=1)
        with self.assertRaisesRegex(ValueError, "'triangle': expected"):
            cucore.Attention("f16", 32, mask="triangle")
        with self.assertRaisesRegex(cucore.CUDAError, "lse is NULL"):
            plan(self.stream, *there, o)

    @unittest.skipUnless(np is not None, "no NumPy")
    def test_products_are_ready_to_call(self):
        rng = np.random.default_rng(3)
        a, b, bias = (rng.standard_normal(s).astype(np.float32) for s in ((40, 24), (24, 56), 56))
        there = [self.floats(x.reshape(-1)).view("f32", x.shape) for x in (a, b, bias)]
        d = self.floats([0] * 40 * 56).view("f32", (40, 56))
        product = cucore.Gemm("f32", m=40, n=56, k=24, bias="columns", activation="relu",
                              arch=None if not system.is_simulated() else "sm_90a")
        product(self.stream, there[0], there[1], d, bias=there[2], alpha=0.5)
        out = np.zeros((40, 56), np.float32)
        d.copy_to(out, stream=self.stream)
        self.stream.sync()
        np.testing.assert_allclose(out, np.maximum(0.5 * (a @ b) + bias, 0), rtol=1e-5, atol=1e-5)
        self.assertIn(product.choice["by"], ("model", "tuned"))
        self.assertEqual(product.record.program, "cuc_gemm")
        self.assertIn("kernel", product.sources[0])
        self.assertEqual(product.workspace_bytes(40, 56, 24) % 256, 0)
        best = cucore.Gemm.candidates("f32", m=40, n=56, k=24)[0]
        self.assertIn("=", best.choice)
        by_hand = cucore.Gemm("f32", m=40, n=56, k=24, choice=best.choice)
        self.assertEqual(by_hand.choice["by"], "options")
        with self.assertRaisesRegex(TypeError, "no option heights"):
            cucore.Gemm("f32", heights=1)
        with self.assertRaisesRegex(ValueError, "'selu': expected"):
            cucore.Gemm("f32", activation="selu")
        with self.assertRaisesRegex(cucore.CUDAError, "bias"):
            product(self.stream, there[0], there[1], d)

    @unittest.skipUnless(np is not None, "no NumPy")
    def test_products_return_gradients_and_magnitudes(self):
        rng = np.random.default_rng(4)
        a, b, aux = (rng.standard_normal(s).astype(np.float32) for s in ((40, 24), (24, 56), (40, 56)))
        there = [self.floats(x.reshape(-1)).view("f32", x.shape) for x in (a, b, aux)]
        d = self.floats([0] * 40 * 56).view("f32", (40, 56))
        gradient, amax = self.floats([0] * 56).view("f32", (56,)), self.floats([0]).view("f32", (1,))
        product = cucore.Gemm("f32", activation="relu_derivative", bias_gradient="columns", amax=True)
        workspace = self.device.allocate(product.workspace_bytes(40, 56, 24), stream=self.stream)
        product(self.stream, there[0], there[1], d, aux=there[2], bias_gradient=gradient, amax=amax,
                workspace=workspace)
        expected = np.where(aux > 0, a @ b, 0)
        for array, wanted in ((d, expected), (gradient, expected.sum(0)), (amax, abs(expected).max(keepdims=True)[0])):
            out = np.zeros(wanted.shape, np.float32)
            array.copy_to(out, stream=self.stream)
            self.stream.sync()
            np.testing.assert_allclose(out, wanted, rtol=1e-5, atol=1e-5)


if __name__ == "__main__":
    unittest.main()
