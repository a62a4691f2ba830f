"""Measures the suite algorithms with PyTorch and CuPy, for bench_peers.py. Unsigned integers are
sorted by PyTorch as signed ones of the same size, which it sorts by the same algorithm."""
import math

from bench_peers_work import Skip, Work

SKEWED_BELOW, SKEWED_TO = 240, 7  # as skew() in algorithms.c


def values_of(axes):
    """Return the number of different values, as values_of() in algorithms.c."""
    return max(axes["n"] // 64, 1)


def slack(axes, of_f32):
    """Return the error of a sum of n elements between -1 and 1."""
    return (of_f32 if axes["dtype"] == "f32" else of_f32 * 2 ** -29) * math.sqrt(axes["n"])


class TorchAlgorithms:
    """PyTorch implementation; expects PyTorch in `self.torch`, and the methods of a Peer."""

    def algorithm(self, axes, make, run_one, check_one, waits=False):
        """Define a point: make() creates the inputs of a set, run_one() computes the result from
        them, and check_one(result, *inputs) is true if it is right. `waits` means that run_one()
        waits for the device, to learn the size of its result."""
        torch = self.torch
        torch.cuda.empty_cache()
        torch.manual_seed(self.seed)
        first = make()
        size = sum(x.numel() * x.element_size() for x in first)
        sets = [first, *(make() for _ in range(self.sets_for(size) - 1))]

        def run(number):
            return run_one(*sets[number % len(sets)])

        def check():
            right = check_one(run(0), *sets[0])
            torch.cuda.empty_cache()
            return None if bool(right) else "the result is another one"

        work = Work(run, check)
        work.waits = waits
        return work

    def algorithm_dtype(self, axes):
        torch = self.torch
        return {"f32": torch.float32, "f64": torch.float64, "i32": torch.int32,
                "i64": torch.int64, "u32": torch.int32, "u64": torch.int64,
                "u8": torch.uint8}[axes["dtype"]]

    def elements(self, axes, *shape):
        """Make random elements: floats from -1 to 1, integers of any bits."""
        torch, dtype = self.torch, self.algorithm_dtype(axes)
        shape = shape or (axes["n"],)
        if dtype.is_floating_point:
            return torch.rand(shape, dtype=dtype, device="cuda").mul_(2).sub_(1)
        words = math.prod(shape) * torch.iinfo(dtype).bits // 32
        return torch.randint(-2 ** 31, 2 ** 31 - 1, (words,), dtype=torch.int32,
                             device="cuda").view(dtype).view(shape)

    def few(self, axes, dtype):
        return self.torch.randint(0, values_of(axes), (axes["n"],), device="cuda").to(dtype)

    def in_order(self, y):
        return (y[..., 1:] >= y[..., :-1]).all()

    def same_elements(self, y, x):
        """Compare sums of hashes of elements, in which integers wrap around."""
        def hashes(v):
            bits = v.contiguous().view(self.torch.int32 if v.element_size() == 4 else
                                       self.torch.int64)
            total = 0
            for piece in bits.view(-1).split(1 << 26):
                h = piece.long() * -7046029254386353131
                h = (h ^ (h >> 29)) * -4658895280553007687
                total += int((h ^ (h >> 32)).sum())
            return total % 2 ** 64
        return hashes(y) == hashes(x)

    def algorithms_sum(self, axes):
        whole = not self.algorithm_dtype(axes).is_floating_point
        return self.algorithm(
            axes, lambda: [self.elements(axes)], self.torch.sum,
            lambda y, x: whole or abs(y.double() - x.double().sum()) <= slack(axes, 1e-5))

    def algorithms_scan(self, axes):
        torch, dtype = self.torch, self.algorithm_dtype(axes)

        def right(y, x):
            if not dtype.is_floating_point:
                return torch.equal(y[1:] - y[:-1], x[1:])
            return ((y.double() - x.double().cumsum(0)).abs() <= slack(axes, 1e-4)).all()

        return self.algorithm(axes, lambda: [self.elements(axes)],
                              lambda x: torch.cumsum(x, 0, dtype=dtype), right)

    def algorithms_sort(self, axes):
        """torch.sort() also returns the indices: there is no sort of keys alone."""
        return self.algorithm(
            axes, lambda: [self.elements(axes)], self.torch.sort,
            lambda y, x: self.in_order(y[0]) and self.same_elements(y[0], x))

    def algorithms_argsort(self, axes):
        return self.algorithm(
            axes, lambda: [self.elements(axes)], lambda x: self.torch.sort(x, stable=True),
            lambda y, x: self.in_order(y[0]) and self.torch.equal(x[y[1]], y[0]))

    def algorithms_sort_rows(self, axes):
        return self.algorithm(
            axes, lambda: [self.elements(axes, axes["rows"], axes["n"])],
            lambda x: self.torch.sort(x, dim=1),
            lambda y, x: self.in_order(y[0]) and self.same_elements(y[0], x))

    def algorithms_select(self, axes):
        """The mask is computed too, because cucore evaluates the condition as well."""
        return self.algorithm(
            axes, lambda: [self.elements(axes)], lambda x: self.torch.masked_select(x, x > 0),
            lambda y, x: (y > 0).all() and len(y) == int((x > 0).sum()), waits=True)

    def algorithms_unique(self, axes):
        torch, dtype = self.torch, self.algorithm_dtype(axes)
        if axes["of"] == "unsorted":
            return self.algorithm(axes, lambda: [self.few(axes, dtype)], torch.unique,
                                  lambda y, x: torch.equal(y, torch.unique_consecutive(
                                      x.sort()[0])), waits=True)
        return self.algorithm(axes, lambda: [self.few(axes, dtype).sort()[0]],
                              torch.unique_consecutive,
                              lambda y, x: torch.equal(y, torch.unique(x)), waits=True)

    def algorithms_topk(self, axes):
        return self.algorithm(
            axes, lambda: [self.elements(axes)], lambda x: self.torch.topk(x, axes["k"]),
            lambda y, x: (self.torch.equal(x[y[1]], y[0]) and self.in_order(y[0].flip(0)) and
                          int((x > y[0][-1]).sum()) < axes["k"]))

    def algorithms_topk_rows(self, axes):
        return self.algorithm(
            axes, lambda: [self.elements(axes, axes["rows"], axes["n"])],
            lambda x: self.torch.topk(x, axes["k"], dim=1),
            lambda y, x: (self.torch.equal(x.gather(1, y[1]), y[0]) and
                          self.in_order(y[0].flip(1)) and
                          int((x > y[0][:, -1:]).sum(1).max()) < axes["k"]))

    def algorithms_histogram_bytes(self, axes):
        torch = self.torch

        def make():
            x = torch.randint(0, 256, (axes["n"],), dtype=torch.uint8, device="cuda")
            return [x.masked_fill_(x < SKEWED_BELOW, SKEWED_TO) if axes["of"] == "skewed" else x]

        return self.algorithm(axes, make, lambda x: torch.bincount(x, minlength=256),
                              lambda y, x: int(y.sum()) == x.numel() and
                              int(y[255]) == int((x == 255).sum()), waits=True)

    def algorithms_histogram(self, axes):
        return self.algorithm(
            axes, lambda: [self.torch.rand(axes["n"], device="cuda")],
            lambda x: self.torch.histc(x, axes["bins"], 0, 1),
            lambda y, x: abs(int(y[0]) - int((x < 1 / axes["bins"]).sum())) <= 1)

    def algorithms_reduce_by_key(self, axes):
        """The closest that PyTorch has: unique keys with inverse indices, and sums by these."""
        torch = self.torch

        def make():
            return [self.few(axes, torch.int32).sort()[0],
                    torch.randint(-4, 5, (axes["n"],), device="cuda").to(torch.float32)]

        def run(keys, x):
            kept, inverse = torch.unique_consecutive(keys, return_inverse=True)
            return kept, torch.zeros(len(kept), device="cuda").index_add_(0, inverse, x)

        return self.algorithm(axes, make, run,
                              lambda y, keys, x: torch.equal(y[0], torch.unique(keys)) and
                              float(y[1].double().sum()) == float(x.double().sum()), waits=True)

    def algorithms_search(self, axes):
        torch = self.torch
        return self.algorithm(
            axes, lambda: [self.elements(axes).sort()[0], self.elements(axes)], torch.searchsorted,
            lambda at, x, v: ((at == 0) | (x[(at - 1).clamp(min=0)] < v)).all() and
            ((at == len(x)) | (x[at.clamp(max=len(x) - 1)] >= v)).all())


class CupyAlgorithms:
    """CuPy, which uses CUB and Thrust."""

    def algorithm(self, make, run_one, check_one, waits=False):
        """As TorchAlgorithms.algorithm()."""
        cupy = self.cupy
        cupy.get_default_memory_pool().free_all_blocks()
        cupy.random.seed(self.seed % 2 ** 32)
        first = make()
        sets = [first, *(make() for _ in range(self.sets_for(sum(x.nbytes for x in first)) - 1))]

        def run(number):
            return run_one(*sets[number % len(sets)])

        def check():
            right = check_one(run(0), *sets[0])
            return None if bool(right) else "the result is another one"

        work = Work(run, check)
        work.waits = waits
        return work

    def elements(self, axes, *shape):
        cupy = self.cupy
        name = {"f32": "float32", "f64": "float64", "i32": "int32", "i64": "int64",
                "u32": "uint32", "u64": "uint64"}[axes["dtype"]]
        shape, dtype = shape or (axes["n"],), cupy.dtype(name)
        if dtype.kind == "f":
            return cupy.random.uniform(-1, 1, shape, dtype=dtype)
        count = math.prod(shape) * dtype.itemsize // 4
        words = cupy.random.randint(-2 ** 31, 2 ** 31 - 1, count, dtype=cupy.int32)
        return words.view(dtype).reshape(shape)

    def few(self, axes):
        return self.cupy.random.randint(0, values_of(axes), axes["n"], dtype=self.cupy.int32)

    @staticmethod
    def in_order(y):
        return bool((y[..., 1:] >= y[..., :-1]).all())

    def same_elements(self, y, x):
        """Compare sums of hashes of elements, in which integers wrap around."""
        cupy = self.cupy
        hashes = cupy.ReductionKernel("T bits", "uint64 sum",
                                      "(bits * 0x9E3779B97F4A7C15ull ^ bits >> 7) * "
                                      "0xBF58476D1CE4E5B9ull", "a + b", "sum = a", "0", "hashes")

        def of(v):
            unsigned = cupy.uint32 if v.itemsize == 4 else cupy.uint64
            return int(hashes(cupy.ascontiguousarray(v).view(unsigned).ravel()))
        return of(y) == of(x)

    def algorithms_sum(self, axes):
        whole = axes["dtype"][0] != "f"
        return self.algorithm(lambda: [self.elements(axes)], lambda x: x.sum(),
                              lambda y, x: whole or abs(float(y) - float(x.sum(dtype="float64")))
                              <= slack(axes, 1e-5))

    def algorithms_scan(self, axes):
        whole = axes["dtype"][0] != "f"

        def right(y, x):
            if whole:
                return (y[1:] - y[:-1] == x[1:]).all()
            return (abs(y.astype("float64") - x.astype("float64").cumsum())
                    <= slack(axes, 1e-4)).all()

        return self.algorithm(lambda: [self.elements(axes)], lambda x: x.cumsum(dtype=x.dtype),
                              right)

    def algorithms_sort(self, axes):
        return self.algorithm(lambda: [self.elements(axes)], self.cupy.sort,
                              lambda y, x: self.in_order(y) and self.same_elements(y, x))

    def algorithms_argsort(self, axes):
        return self.algorithm(lambda: [self.elements(axes)], self.cupy.argsort,
                              lambda y, x: self.in_order(x[y]) and self.same_elements(x[y], x))

    def algorithms_sort_rows(self, axes):
        return self.algorithm(lambda: [self.elements(axes, axes["rows"], axes["n"])],
                              lambda x: self.cupy.sort(x, axis=1),
                              lambda y, x: self.in_order(y) and self.same_elements(y, x))

    def algorithms_select(self, axes):
        return self.algorithm(lambda: [self.elements(axes)], lambda x: x[x > 0],
                              lambda y, x: (y > 0).all() and len(y) == int((x > 0).sum()),
                              waits=True)

    def algorithms_unique(self, axes):
        cupy = self.cupy
        if axes["of"] != "unsorted":
            raise Skip("CuPy always sorts: of=unsorted")
        return self.algorithm(lambda: [self.few(axes)], cupy.unique,
                              lambda y, x: len(y) == int((cupy.bincount(x) > 0).sum()) and
                              self.in_order(y), waits=True)

    def algorithms_histogram_bytes(self, axes):
        cupy = self.cupy

        def make():
            x = cupy.random.randint(0, 256, axes["n"], dtype=cupy.int32).astype(cupy.uint8)
            if axes["of"] == "skewed":
                x[x < SKEWED_BELOW] = SKEWED_TO
            return [x]

        return self.algorithm(make, lambda x: cupy.histogram(x, 256, (0, 256))[0],
                              lambda y, x: int(y.sum()) == x.size and
                              int(y[255]) == int((x == 255).sum()), waits=True)

    def algorithms_histogram(self, axes):
        cupy, bins = self.cupy, axes["bins"]
        return self.algorithm(lambda: [cupy.random.uniform(0, 1, axes["n"], dtype=cupy.float32)],
                              lambda x: cupy.histogram(x, bins, (0, 1))[0],
                              lambda y, x: abs(int(y[0]) - int((x < 1 / bins).sum())) <= 1,
                              waits=True)

    def algorithms_search(self, axes):
        cupy = self.cupy
        return self.algorithm(
            lambda: [cupy.sort(self.elements(axes)), self.elements(axes)],
            cupy.searchsorted,
            lambda at, x, v: ((at == 0) | (x[cupy.maximum(at - 1, 0)] < v)).all() and
            ((at == len(x)) | (x[cupy.minimum(at, len(x) - 1)] >= v)).all())
