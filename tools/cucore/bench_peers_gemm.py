"""Measures matrix products with PyTorch and Triton, for bench_peers.py."""
import math
import random

from bench_peers_work import Skip, Work, need

ROWS_CHECKED = 32

# Triton kernels. They need a file, because Triton reads their source.
tl = None  # triton.language, once imported


def product_kernel(a, b, c, m, n, k, BM: "tl.constexpr", BN: "tl.constexpr", BK: "tl.constexpr",
                   GROUP: "tl.constexpr", TURNED_A: "tl.constexpr", TURNED_B: "tl.constexpr",
                   PROGRAMS: "tl.constexpr"):
    """Compute c = a b with TMA; tiles are grouped by rows, and each program computes several."""
    tiles_m = tl.cdiv(m, BM)
    tiles_n = tl.cdiv(n, BN)
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, PROGRAMS, flatten=True):
        group = tile // (GROUP * tiles_n)
        rows = min(tiles_m - group * GROUP, GROUP)
        row = (group * GROUP + tile % rows) * BM
        column = (tile % (GROUP * tiles_n)) // rows * BN
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for step in range(tl.cdiv(k, BK)):
            if TURNED_A:
                x = a.load([step * BK, row]).T
            else:
                x = a.load([row, step * BK])
            if TURNED_B:
                y = b.load([column, step * BK]).T
            else:
                y = b.load([step * BK, column])
            acc = tl.dot(x, y, acc)
        c.store([row, column], acc.to(c.dtype))


def plain_kernel(a, b, c, m, n, k, am, ak, bk, bn, BM: "tl.constexpr", BN: "tl.constexpr",
                 BK: "tl.constexpr", GROUP: "tl.constexpr"):
    """Compute c = a b with pointers, one program per tile, for GPUs without TMA."""
    tile = tl.program_id(0)
    tiles_m = tl.cdiv(m, BM)
    tiles_n = tl.cdiv(n, BN)
    group = tile // (GROUP * tiles_n)
    rows = min(tiles_m - group * GROUP, GROUP)
    row = (group * GROUP + tile % rows) * BM
    column = (tile % (GROUP * tiles_n)) // rows * BN
    # Rows and columns past the edge wrap around to existing ones.
    y = (row + tl.arange(0, BM)) % m
    x = (column + tl.arange(0, BN)) % n
    along = tl.arange(0, BK)
    left = a + y[:, None] * am + along[None, :] * ak
    right = b + along[:, None] * bk + x[None, :] * bn
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(tl.cdiv(k, BK)):
        rest = k - step * BK
        acc = tl.dot(tl.load(left, mask=along[None, :] < rest, other=0.0),
                     tl.load(right, mask=along[:, None] < rest, other=0.0), acc)
        left += BK * ak
        right += BK * bk
    y = row + tl.arange(0, BM)
    x = column + tl.arange(0, BN)
    tl.store(c + y[:, None] * n + x[None, :], acc.to(c.dtype.element_ty),
             mask=(y[:, None] < m) & (x[None, :] < n))


class TorchProducts:
    """Matrix products. They are column-major, so this computes them as transposed row-major
    products."""

    def product_dtype(self, axes):
        if axes["dtype"] in ("e4m3", "i8"):
            raise Skip(f"torch.matmul takes no {axes['dtype']}")
        return {"f16": self.torch.float16, "bf16": self.torch.bfloat16,
                "tf32": self.torch.float32}[axes["dtype"]]

    def product_sets(self, axes):
        """Make sets of a left matrix, a right matrix and a result."""
        torch, dtype = self.torch, self.product_dtype(axes)
        m, n, k, layout, batch = (axes[x] for x in ("m", "n", "k", "layout", "batch"))
        size = batch * max(m * k, k * n) * torch.empty((), dtype=dtype).element_size()

        def matrix(rows, columns, transposed):
            shape = (columns, rows) if transposed else (rows, columns)
            x = (torch.rand((batch, *shape) if batch > 1 else shape, device="cuda") * 2 - 1)
            return x.to(dtype).mT if transposed else x.to(dtype)

        return [(matrix(n, k, layout[1] == "t"), matrix(k, m, layout[0] == "t"),
                 torch.empty((batch, n, m) if batch > 1 else (n, m), dtype=dtype, device="cuda"))
                for _ in range(self.sets_for(size))]

    def check_product(self, axes, run, left, right, result, extra=None):
        """Check some rows; return a description of the error, or None."""
        torch, gelu = self.torch, self.torch.nn.functional.gelu
        result.zero_()
        run(0)
        if axes["batch"] > 1:
            left, right, result = left[-1], right[-1], result[-1]
        n = left.shape[0]
        rows = sorted({0, n - 1, *random.Random(self.seed).sample(range(n), min(n, ROWS_CHECKED))})
        x, y = left[rows].double(), right.double()
        eps = 2 ** -10 if axes["dtype"] == "tf32" else torch.finfo(torch.float32).eps * 8
        # Partial sums may be rounded to the type when they are combined.
        bound = (eps * (x.abs() @ y.abs()) +
                 torch.finfo(result.dtype).eps * ((x @ y).abs() + math.sqrt(x.shape[1])))
        expected = x @ y
        if axes["after"] == "residual":
            expected += extra[rows].double()
        elif axes["after"] == "bias_gelu":
            expected = gelu(expected + extra.double(), approximate="tanh")
        elif axes["after"] == "silu":
            expected = self.torch.nn.functional.silu(expected)
        error = (result[rows].double() - expected).abs()
        return None if bool((error <= bound).all()) else f"off by {error.max().item():g}"

    def gemm_matmul(self, axes):
        torch, axes = self.torch, {"batch": 1, "after": "nothing", **axes}
        dtype, after = self.product_dtype(axes), axes["after"]
        torch.manual_seed(self.seed)
        torch.backends.cuda.matmul.allow_tf32 = True
        sets = self.product_sets(axes)
        # The epilogue's operand: here one element per column, or a matrix.
        shape = {"bias_gelu": (axes["m"],), "residual": (axes["n"], axes["m"])}.get(after, (0,))
        extra = (torch.rand(shape, device="cuda") * 2 - 1).to(dtype)

        def run(number):
            left, right, result = sets[number % len(sets)]
            if after in ("nothing", "silu"):
                torch.matmul(left, right, out=result)
            else:
                torch.addmm(extra, left, right, out=result)
            if after == "bias_gelu":
                torch.ops.aten.gelu.out(result, approximate="tanh", out=result)
            elif after == "silu":
                torch.ops.aten.silu.out(result, out=result)

        return Work(run, lambda: self.check_product(axes, run, *sets[0], extra))


class TritonProducts(TorchProducts):
    """Triton's tutorial kernel for matrix products with TMA, in the fastest tile configuration."""

    # Rows, columns, depth, stages and warps.
    TILES = ((128, 256, 64, 3, 8), (128, 256, 64, 4, 8), (128, 128, 64, 4, 4), (128, 128, 64, 4, 8),
             (64, 128, 64, 4, 4), (64, 64, 64, 6, 4), (64, 64, 128, 4, 4))
    TIMES = 5

    def compile_products(self, triton):
        global tl
        tl = triton.language
        self.product = triton.jit(product_kernel)
        self.plain = triton.jit(plain_kernel)

    def fastest(self, runs):
        """Return the fastest callable; raise the last error if all fail."""
        torch, best, least, why = self.torch, None, math.inf, None
        for run in runs:
            try:
                run(0)
            except Exception as error:  # compilers raise various exceptions, such as for too much shared memory
                why = error
                continue
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            for number in range(self.TIMES):
                run(number)
            end.record()
            end.synchronize()
            if start.elapsed_time(end) < least:
                best, least = run, start.elapsed_time(end)
        if not best:
            raise why
        return best

    def gemm_matmul(self, axes):
        axes = {"batch": 1, "after": "nothing", **axes}
        if axes["dtype"] not in ("f16", "bf16") or axes["batch"] > 1 or axes["after"] != "nothing":
            raise Skip("there is no such product by Triton here")
        m, n, k, layout = axes["m"], axes["n"], axes["k"], axes["layout"]
        turned = [layout[1] == "t", layout[0] == "t"]
        if any(extent * 2 % 16 for extent in ((n if turned[0] else k), (k if turned[1] else m), m)):
            raise Skip("TMA takes only lines that are multiples of 16 bytes")
        describe = need("triton.tools.tensor_descriptor").TensorDescriptor.from_tensor
        torch = self.torch
        torch.manual_seed(self.seed)
        sets = self.product_sets(axes)
        programs = torch.cuda.get_device_properties(0).multi_processor_count

        def with_tile(bm, bn, bk, stages, warps):
            boxes = ([bk, bm] if turned[0] else [bm, bk], [bn, bk] if turned[1] else [bk, bn],
                     [bm, bn])
            maps = [[describe(x.mT if i < 2 and turned[i] else x, boxes[i])
                     for i, x in enumerate(one)] for one in sets]
            grid = (min(programs, -(-n // bm) * -(-m // bn)),)

            def run(number):
                self.product[grid](*maps[number % len(maps)], n, m, k, BM=bm, BN=bn, BK=bk, GROUP=8,
                                   TURNED_A=turned[0], TURNED_B=turned[1], PROGRAMS=programs,
                                   num_stages=stages, num_warps=warps)

            return run

        run = self.fastest(with_tile(*tile) for tile in self.TILES)
        return Work(run, lambda: self.check_product(axes, run, *sets[0]))


class TritonPlainProducts(TritonProducts):
    """Triton's first tutorial kernel for matrix products, without TMA, in the fastest of several
    tile configurations."""

    TILES = ((128, 256, 64, 3, 8), (64, 256, 32, 4, 4), (128, 128, 32, 4, 4), (128, 128, 64, 3, 4),
             (128, 128, 64, 4, 8), (64, 128, 32, 4, 4), (128, 64, 32, 4, 4))

    def gemm_matmul(self, axes):
        axes = {"batch": 1, "after": "nothing", **axes}
        if axes["dtype"] not in ("f16", "bf16") or axes["batch"] > 1 or axes["after"] != "nothing":
            raise Skip("there is no such product by Triton here")
        m, n, k = axes["m"], axes["n"], axes["k"]
        self.torch.manual_seed(self.seed)
        sets = self.product_sets(axes)

        def with_tile(bm, bn, bk, stages, warps):
            grid = (-(-n // bm) * -(-m // bn),)

            def run(number):
                a, b, c = sets[number % len(sets)]
                self.plain[grid](a, b, c, n, m, k, *a.stride(), *b.stride(), BM=bm, BN=bn, BK=bk,
                                 GROUP=8, num_stages=stages, num_warps=warps)

            return run

        run = self.fastest(with_tile(*tile) for tile in self.TILES)
        return Work(run, lambda: self.check_product(axes, run, *sets[0]))
