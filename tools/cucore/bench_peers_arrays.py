"""Measures the suites elementwise, norms and reductions with PyTorch, Triton and CuPy, for
bench_peers.py."""
import math

from bench_peers_work import Skip, Work

EPS = 1e-5  # epsilon of the norms


def wrong(got, expected, relative, absolute):
    """Compare an array with a double-precision one through NumPy's interface; return a description
    of the error, or None."""
    error = abs(got - expected)
    right = error <= relative * abs(expected) + absolute
    if bool(right.all()):
        return None
    return f"off by up to {float(error.max()):g}"


class TorchArrays:
    """PyTorch implementation; expects PyTorch in `self.torch`, and the methods of a Peer."""

    def work(self, axes, make, run_one, expected, absolute=0.0):
        """Define a point: make() creates the arrays of a set, run_one() computes the outputs from
        them, and expected() computes them in double precision, as one array or several."""
        torch = self.torch
        torch.cuda.empty_cache()
        torch.manual_seed(self.seed)
        dtype = self.dtype_of(axes)
        size = axes["rows"] * axes["columns"] * torch.empty((), dtype=dtype).element_size()
        sets = [make(dtype) for _ in range(self.sets_for(size))]

        def run(number):
            return run_one(*sets[number % len(sets)])

        def check():
            got, right = run(0), expected(*sets[0])
            if not isinstance(got, tuple):
                got, right = (got,), (right,)
            eps = torch.finfo(dtype).eps
            found = [wrong(g.double(), r, eps + 2 ** -16, absolute) for g, r in zip(got, right)]
            del got, right
            torch.cuda.empty_cache()
            return next((f for f in found if f), None)

        return Work(run, check)

    def dtype_of(self, axes):
        torch = self.torch
        return {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}[axes["dtype"]]

    def random(self, dtype, *shape):
        return (self.torch.rand(shape, device="cuda") * 2 - 1).to(dtype)

    def matrices(self, axes, number):
        """Return a function that makes `number` matrices and one for the result."""
        shape = (axes["rows"], axes["columns"])
        return lambda dtype: [*(self.random(dtype, *shape) for _ in range(number)),
                              self.torch.empty(shape, dtype=dtype, device="cuda")]

    def with_factors(self, axes, number):
        """Return a function that makes a matrix, `number` rows of factors, and a matrix for the
        result."""
        rows, columns = axes["rows"], axes["columns"]
        return lambda dtype: [self.random(dtype, rows, columns),
                              *(self.random(dtype, columns) for _ in range(number)),
                              self.torch.empty(rows, columns, dtype=dtype, device="cuda")]

    # Operations; subclasses with other implementations override these methods.

    def vadd(self, a, b, c):
        return self.torch.add(a, b, out=c)

    def transpose(self, x, y):
        return y.copy_(x.t())

    def swiglu(self, gate, up, y):
        return self.torch.mul(self.torch.nn.functional.silu(gate), up, out=y)

    def softmax(self, x, y):
        return self.torch.nn.functional.softmax(x, dim=1)

    def layer_norm(self, x, w, b, y):
        return self.torch.nn.functional.layer_norm(x, x.shape[1:], w, b, EPS)

    def rms_norm(self, x, w, y):
        return self.torch.nn.functional.rms_norm(x, x.shape[1:], w, EPS)

    def cross_entropy(self, x, target):
        return self.torch.nn.functional.cross_entropy(x, target, reduction="none")

    def reduction(self, op, of):
        torch = self.torch
        axis = {"all": None, "rows": 1, "columns": 0}[of]
        if op == "sum":
            return lambda x: torch.sum(x) if axis is None else torch.sum(x, axis)
        return lambda x: torch.amax(x) if axis is None else torch.amax(x, axis)

    def cumsum(self, of):
        if of == "all":
            return lambda x: self.torch.cumsum(x.view(-1), 0)
        return lambda x: self.torch.cumsum(x, 1)

    # The points

    def elementwise_vadd(self, axes):
        return self.work(axes, self.matrices(axes, 2), self.vadd,
                         lambda a, b, c: a.double() + b.double(), 2 ** -24)

    def elementwise_transpose(self, axes):
        rows, columns = axes["rows"], axes["columns"]
        return self.work(axes,
                         lambda dtype: [self.random(dtype, rows, columns),
                                        self.torch.empty(columns, rows, dtype=dtype,
                                                         device="cuda")],
                         self.transpose, lambda x, y: x.double().t())

    def elementwise_swiglu(self, axes):
        def expected(gate, up, y):
            gate = gate.double()
            return gate / (1 + (-gate).exp()) * up.double()

        # PyTorch rounds twice.
        eps = self.torch.finfo(self.dtype_of(axes)).eps
        return self.work(axes, self.matrices(axes, 2), self.swiglu, expected, eps)

    def norms_softmax(self, axes):
        return self.work(axes, self.matrices(axes, 1), self.softmax,
                         lambda x, y: self.torch.softmax(x.double(), 1), 2 ** -24)

    def norms_layer_norm(self, axes):
        def expected(x, w, b, y):
            return self.torch.nn.functional.layer_norm(x.double(), x.shape[1:], w.double(),
                                                       b.double(), EPS)

        return self.work(axes, self.with_factors(axes, 2), self.layer_norm, expected, 2 ** -15)

    def norms_rms_norm(self, axes):
        # An implementation that rounds before multiplying by w rounds twice.
        eps = self.torch.finfo(self.dtype_of(axes)).eps

        def expected(x, w, y):
            x = x.double()
            return x * (x.square().mean(1, keepdim=True) + EPS).rsqrt() * w.double()

        return self.work(axes, self.with_factors(axes, 1), self.rms_norm, expected, 4 * eps)

    def reductions_sum(self, axes):
        axis = {"all": (0, 1), "rows": 1, "columns": 0}[axes["of"]]
        count = axes["rows"] * axes["columns"] if axes["of"] == "all" else \
            axes["columns" if axes["of"] == "rows" else "rows"]
        return self.work(axes, self.matrices(axes, 1), self.only(self.reduction("sum", axes["of"])),
                         lambda x, y: x.double().sum(axis), 1e-5 * math.sqrt(count))

    def reductions_max(self, axes):
        axis = {"all": (0, 1), "rows": 1, "columns": 0}[axes["of"]]
        return self.work(axes, self.matrices(axes, 1), self.only(self.reduction("max", axes["of"])),
                         lambda x, y: x.double().amax(axis))

    def reductions_cumsum(self, axes):
        long = axes["of"] == "all"
        count = axes["rows"] * axes["columns"] if long else axes["columns"]
        return self.work(axes, self.matrices(axes, 1), self.only(self.cumsum(axes["of"])),
                         lambda x, y: x.double().view(-1).cumsum(0) if long else
                         x.double().cumsum(1), (1e-4 if long else 2e-5) * math.sqrt(count))

    @staticmethod
    def only(function):
        """Return a function that passes only the first array to `function`."""
        return lambda x, *_: function(x)

    def reductions_cross_entropy(self, axes):
        torch = self.torch
        rows, columns = axes["rows"], axes["columns"]

        def make(dtype):
            return [self.random(dtype, rows, columns),
                    torch.randint(0, columns, (rows,), device="cuda")]

        def expected(x, target):
            return torch.nn.functional.cross_entropy(x.double(), target, reduction="none")

        return self.work(axes, make, self.cross_entropy, expected, 2 ** -15)


# Triton kernels. They need a file, because Triton reads their source.
tl = None  # triton.language, once imported


def add_kernel(a, b, c, n, BLOCK: "tl.constexpr"):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(c + i, tl.load(a + i, mask=i < n) + tl.load(b + i, mask=i < n), mask=i < n)


def transpose_kernel(x, y, m, n, BLOCK: "tl.constexpr"):
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    j = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i[:, None] * n + j[None, :], mask=(i[:, None] < m) & (j[None, :] < n))
    tl.store(y + j[:, None] * m + i[None, :], tl.trans(v),
             mask=(j[:, None] < n) & (i[None, :] < m))


def swiglu_kernel(gate, up, y, n, BLOCK: "tl.constexpr"):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    g = tl.load(gate + i, mask=i < n).to(tl.float32)
    u = tl.load(up + i, mask=i < n).to(tl.float32)
    tl.store(y + i, (g * tl.sigmoid(g) * u).to(y.dtype.element_ty), mask=i < n)


def softmax_kernel(x, y, n, BLOCK: "tl.constexpr"):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * n + i, mask=i < n, other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(y + row * n + i, (e / tl.sum(e, axis=0)).to(y.dtype.element_ty), mask=i < n)


def layer_norm_kernel(x, w, b, y, mean, rstd, n, eps, BLOCK: "tl.constexpr"):
    row = tl.program_id(0)
    x += row * n
    y += row * n
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for at in range(0, n, BLOCK):
        i = at + tl.arange(0, BLOCK)
        total += tl.load(x + i, mask=i < n, other=0.0).to(tl.float32)
    mu = tl.sum(total, axis=0) / n
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for at in range(0, n, BLOCK):
        i = at + tl.arange(0, BLOCK)
        v = tl.load(x + i, mask=i < n, other=0.0).to(tl.float32)
        v = tl.where(i < n, v - mu, 0.0)
        squares += v * v
    r = 1 / tl.sqrt(tl.sum(squares, axis=0) / n + eps)
    tl.store(mean + row, mu)
    tl.store(rstd + row, r)
    for at in range(0, n, BLOCK):
        i = at + tl.arange(0, BLOCK)
        v = tl.load(x + i, mask=i < n, other=0.0).to(tl.float32)
        factor = tl.load(w + i, mask=i < n).to(tl.float32)
        more = tl.load(b + i, mask=i < n).to(tl.float32)
        tl.store(y + i, ((v - mu) * r * factor + more).to(y.dtype.element_ty), mask=i < n)


def rms_norm_kernel(x, w, y, n, eps, BLOCK: "tl.constexpr"):
    row = tl.program_id(0)
    x += row * n
    y += row * n
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for at in range(0, n, BLOCK):
        i = at + tl.arange(0, BLOCK)
        v = tl.load(x + i, mask=i < n, other=0.0).to(tl.float32)
        squares += v * v
    r = 1 / tl.sqrt(tl.sum(squares, axis=0) / n + eps)
    for at in range(0, n, BLOCK):
        i = at + tl.arange(0, BLOCK)
        v = tl.load(x + i, mask=i < n, other=0.0).to(tl.float32)
        factor = tl.load(w + i, mask=i < n).to(tl.float32)
        tl.store(y + i, (v * r * factor).to(y.dtype.element_ty), mask=i < n)


def sum_rows_kernel(x, y, n, BLOCK: "tl.constexpr"):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for at in range(0, n, BLOCK):
        i = at + tl.arange(0, BLOCK)
        total += tl.load(x + row * n + i, mask=i < n, other=0.0)
    tl.store(y + row, tl.sum(total, axis=0))


def max_rows_kernel(x, y, n, BLOCK: "tl.constexpr"):
    row = tl.program_id(0)
    most = tl.full([BLOCK], -float("inf"), dtype=tl.float32)
    for at in range(0, n, BLOCK):
        i = at + tl.arange(0, BLOCK)
        most = tl.maximum(most, tl.load(x + row * n + i, mask=i < n, other=-float("inf")))
    tl.store(y + row, tl.max(most, axis=0))


def cross_entropy_kernel(x, target, loss, n, BLOCK: "tl.constexpr"):
    row = tl.program_id(0)
    x += row * n
    top = tl.full([BLOCK], -1e30, dtype=tl.float32)
    den = tl.zeros([BLOCK], dtype=tl.float32)
    for at in range(0, n, BLOCK):
        i = at + tl.arange(0, BLOCK)
        v = tl.load(x + i, mask=i < n, other=-float("inf")).to(tl.float32)
        high = tl.maximum(top, v)
        den = den * tl.exp(top - high) + tl.exp(v - high)
        top = high
    most = tl.max(top, axis=0)
    whole = most + tl.log(tl.sum(den * tl.exp(top - most), axis=0))
    tl.store(loss + row, whole - tl.load(x + tl.load(target + row)).to(tl.float32))


class TritonArrays(TorchArrays):
    """Triton kernels as in its tutorials: compiled functions replace PyTorch's."""

    def compile_arrays(self, triton):
        global tl
        tl = triton.language
        self.next_power = triton.next_power_of_2
        self.array_kernels = {}
        for kernel in (add_kernel, transpose_kernel, swiglu_kernel, softmax_kernel,
                       layer_norm_kernel, rms_norm_kernel, sum_rows_kernel, max_rows_kernel,
                       cross_entropy_kernel):
            kernel.__annotations__["BLOCK"] = tl.constexpr
            self.array_kernels[kernel.__name__[:-len("_kernel")]] = triton.jit(kernel)

    def vadd(self, a, b, c):
        n = a.numel()
        self.array_kernels["add"][((n + 1023) // 1024,)](a, b, c, n, BLOCK=1024)
        return c

    def transpose(self, x, y):
        m, n = x.shape
        grid = ((n + 63) // 64, (m + 63) // 64)
        self.array_kernels["transpose"][grid](x, y, m, n, BLOCK=64)
        return y

    def swiglu(self, gate, up, y):
        n = gate.numel()
        self.array_kernels["swiglu"][((n + 1023) // 1024,)](gate, up, y, n, BLOCK=1024)
        return y

    def softmax(self, x, y):
        rows, n = x.shape
        block = self.next_power(n)
        warps = 16 if block >= 4096 else 8 if block >= 2048 else 4
        self.array_kernels["softmax"][(rows,)](x, y, n, BLOCK=block, num_warps=warps)
        return y

    def row_block(self, x):
        """Return the block size and warps that the layer norm tutorial uses."""
        block = min(65536 // x.element_size(), self.next_power(x.shape[1]))
        return {"BLOCK": block, "num_warps": min(max(block // 256, 1), 8)}

    def layer_norm(self, x, w, b, y):
        rows, n = x.shape
        kept = self.torch.empty(2, rows, device="cuda")
        self.array_kernels["layer_norm"][(rows,)](x, w, b, y, kept[0], kept[1], n, EPS,
                                                  **self.row_block(x))
        return y

    def rms_norm(self, x, w, y):
        rows, n = x.shape
        self.array_kernels["rms_norm"][(rows,)](x, w, y, n, EPS, **self.row_block(x))
        return y

    def cross_entropy(self, x, target):
        rows, n = x.shape
        loss = self.torch.empty(rows, device="cuda")
        self.array_kernels["cross_entropy"][(rows,)](x, target, loss, n, BLOCK=2048, num_warps=8)
        return loss

    def reduction(self, op, of):
        if of != "rows":
            raise Skip("of the reductions Triton does those of rows here")
        kernel = self.array_kernels[op + "_rows"]

        def run(x):
            rows, n = x.shape
            y = self.torch.empty(rows, device="cuda")
            kernel[(rows,)](x, y, n, BLOCK=4096, num_warps=8)
            return y

        return run

    def cumsum(self, of):
        raise Skip("there are no running sums by Triton here")


class CupyArrays:
    """CuPy, which uses CUB."""

    def reduction_work(self, axes, run_one, expected, absolute):
        cupy = self.cupy
        if axes["dtype"] != "f32":
            raise Skip(f"CuPy does not do this of {axes['dtype']} here")
        cupy.get_default_memory_pool().free_all_blocks()
        cupy.random.seed(self.seed % 2 ** 32)
        shape = (axes["rows"], axes["columns"])
        sets = [cupy.random.uniform(-1, 1, shape, dtype=cupy.float32)
                for _ in range(self.sets_for(4 * shape[0] * shape[1]))]

        def run(number):
            return run_one(sets[number % len(sets)])

        def check():
            return wrong(run(0).astype(cupy.float64), expected(sets[0].astype(cupy.float64)),
                         2 ** -16, absolute)

        return Work(run, check)

    def reductions_sum(self, axes):
        axis = {"all": None, "rows": 1, "columns": 0}[axes["of"]]
        count = axes["rows"] * axes["columns"]
        return self.reduction_work(axes, lambda x: x.sum(axis), lambda x: x.sum(axis),
                                   1e-5 * math.sqrt(count))

    def reductions_max(self, axes):
        axis = {"all": None, "rows": 1, "columns": 0}[axes["of"]]
        return self.reduction_work(axes, lambda x: x.max(axis), lambda x: x.max(axis), 0.0)

    def reductions_cumsum(self, axes):
        if axes["of"] == "all":
            def run(x):
                return x.ravel().cumsum()
        else:
            def run(x):
                return x.cumsum(1)
        return self.reduction_work(axes, run, run,
                                   1e-4 * math.sqrt(axes["rows"] * axes["columns"]))
