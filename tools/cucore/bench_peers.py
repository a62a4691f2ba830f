#!/usr/bin/env python3
"""Measures the work of cucore bench with Python libraries: bench_peers.py PEER

cucore bench starts one process per peer and compares its own subjects with it. PEER is torch,
triton, cupy, cuda.core or numba; cucore-python or cucore-prepared for cucore's own package;
torch_cudnn or torch_flash for attention; torch_fastest for attention and convolutions with the
fastest of PyTorch's implementations; or triton_plain for matrix products without TMA.

Requests arrive on standard input, one JSON object per line; the process answers each with one
line on standard output. Answers use the keys of a result in the schema cucore-bench/1.

  {"do": "point", "suite": "memory", "case": "stream", "axes": {"op": "add", "bytes": 4096},
   "seed": "0", "mode": "cold", "quick": false, "device": {"name": .., "ordinal": 0, ..}}
      Prepare the point and release the previous one.
      -> {}, {"figures": {"name": 1}}, {"checked": "nothing to check: why"}, {"skipped": why} or {"failed": why}. With
         "everywhere": true beside "skipped", all other points would be skipped too: the library
         or its device is missing.
  {"do": "check"}
      Run once, and compare with a reference in double precision.
      -> {"checked": "passed"} or {"failed": why}
  {"do": "sample", "set": 7}
      Take one sample with the inputs of that set.
      -> {"raw_s": [seconds]} or {"failed": why}

Modes are "cold" (device time between two events, with L2 flushed and the stream held until
everything is enqueued), "graph" (device time of a run in the replay of a captured batch, which
takes the sets in turn) and "cpu" (host time per call in a batch, without the wait after the
batch). The process exits at the end of its input.
"""
import json
import math
import os
import random
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bench_peers_algorithms import CupyAlgorithms, TorchAlgorithms  # noqa: E402
from bench_peers_arrays import CupyArrays, TorchArrays, TritonArrays  # noqa: E402
from bench_peers_fastest import TorchFastest  # noqa: E402
from bench_peers_gemm import TorchProducts, TritonPlainProducts, TritonProducts  # noqa: E402
from bench_peers_training import TorchTraining  # noqa: E402
from bench_peers_work import Skip, Work, need  # noqa: E402

HOLD_NS = 200_000  # minimum; longer if enqueueing takes longer
MAX_SETS = 32
CPU_BATCH = 100
MAX_REPEATS, GRAPH_S = 100, 1e-3  # limits of a graph: runs, and seconds
ROWS_CHECKED = 32


class Peer:
    """A library under measurement. Its methods, named SUITE_CASE, implement the points."""

    def __init__(self, ordinal):
        """Import the library and select the device; raise Skip if that is impossible."""

    def device_name(self):
        raise NotImplementedError

    def l2_bytes(self):
        raise NotImplementedError

    def flush(self):
        """Enqueue a read of a buffer three times the size of L2."""
        raise NotImplementedError

    def hold(self, ns):
        """Enqueue work that takes `ns` nanoseconds."""
        raise NotImplementedError

    def event(self):
        """Record an event that can be timed."""
        raise NotImplementedError

    def elapsed_s(self, start, stop):
        """Wait for the second event; return the seconds between the two events."""
        raise NotImplementedError

    def wait(self):
        """Wait for all enqueued work."""
        raise NotImplementedError

    def probe(self):
        """Run the smallest possible work and wait for it. A library that is installed but
        incompatible with another one, such as a too new NumPy, often fails only here."""
        self.flush()
        self.hold(1000)
        start = self.event()
        self.elapsed_s(start, self.event())

    def sets_for(self, nbytes):
        """Return how many sets are needed to exceed twice the size of L2."""
        return max(1, min(MAX_SETS, 2 * self.l2_bytes() // nbytes + 1))

    # Samples

    def sample_cold(self, work, number):
        self.flush()
        self.hold(self.hold_ns)
        before = time.perf_counter_ns()
        start = self.event()
        work.run(number)
        stop = self.event()
        enqueued = time.perf_counter_ns() - before
        seconds = self.elapsed_s(start, stop)
        if 2 * enqueued > self.hold_ns and not work.waits:  # hold the next sample longer
            self.hold_ns = min(4 * enqueued, 50_000_000)
        return seconds

    def sample_cpu(self, work, number):
        self.wait()
        before = time.perf_counter_ns()
        for i in range(CPU_BATCH):
            work.run(number + i)
        took = time.perf_counter_ns() - before
        self.wait()
        return took * 1e-9 / CPU_BATCH

    hold_ns = HOLD_NS


STREAM_SCALE = 3.0
SPIN = r"""
extern "C" __global__ void spin(unsigned long long ns)
{
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - start < ns);
}
extern "C" __global__ void flush(const uint4 *from, unsigned long long count, unsigned *never)
{
    unsigned seen = 0;
    unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
        seen |= from[i].x | from[i].w;
    if (seen == 0xFFFFFFFF && count == 0)
        *never = seen;
}
extern "C" __global__ void empty(float a, const float *x, unsigned n)
{
}
"""


class Torch(TorchAlgorithms, TorchArrays, TorchProducts, TorchTraining, Peer):
    """PyTorch on its current stream."""

    def __init__(self, ordinal):
        self.torch = torch = need("torch")
        if not torch.cuda.is_available():
            raise Skip("PyTorch sees no CUDA device")
        torch.cuda.set_device(ordinal)
        self.properties = torch.cuda.get_device_properties(ordinal)
        self.flushed = torch.zeros(3 * self.l2_bytes() // 4, dtype=torch.int32, device="cuda")
        self.sink = torch.zeros((), dtype=torch.int32, device="cuda")

    def device_name(self):
        return self.properties.name

    def l2_bytes(self):
        return getattr(self.properties, "L2_cache_size", 0) or 64 << 20

    def flush(self):
        self.torch.amax(self.flushed, dim=0, out=self.sink)

    def hold(self, ns):
        self.torch.cuda._sleep(2 * ns)  # in cycles, at 2 GHz or less

    def event(self):
        event = self.torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def elapsed_s(self, start, stop):
        stop.synchronize()
        return start.elapsed_time(stop) * 1e-3

    def wait(self):
        self.torch.cuda.synchronize()

    def sample_graph(self, work, _number):
        if work.graph is None:
            seconds = min(self.sample_cold(work, number) for number in range(3))
            work.repeats = max(1, min(MAX_REPEATS, math.ceil(GRAPH_S / seconds)))
            graph = self.torch.cuda.CUDAGraph()
            with self.torch.cuda.graph(graph):
                for number in range(work.repeats):
                    work.run(number)
            graph.replay()  # the first replay may be slower
            work.graph = graph
        self.hold(self.hold_ns)
        start = self.event()
        work.graph.replay()
        return self.elapsed_s(start, self.event()) / work.repeats

    def arrays(self, count, dtype, number):
        """Make `number` random arrays per set, with values from -1 to 1."""
        torch = self.torch
        size = count * torch.empty((), dtype=dtype).element_size()
        return [[(torch.rand(count, device="cuda") * 2 - 1).to(dtype) for _ in range(number)]
                for _ in range(self.sets_for(size))]

    def memory_copy(self, axes):
        torch = self.torch
        torch.manual_seed(self.seed)
        sets = self.arrays(axes["bytes"] // 4, torch.float32, 2)

        def check():
            source, target = sets[0]
            target.zero_()
            run(0)
            return None if torch.equal(source, target) else "the copy is another one"

        def run(number):
            source, target = sets[number % len(sets)]
            target.copy_(source)

        return Work(run, check)

    def memory_stream(self, axes):
        torch = self.torch
        torch.manual_seed(self.seed)
        sets = self.arrays(axes["bytes"] // 4, torch.float32, 3)
        run_one = {
            "copy": lambda c, a, b: c.copy_(a),
            "scale": lambda c, a, b: torch.mul(a, STREAM_SCALE, out=c),
            "add": lambda c, a, b: torch.add(a, b, out=c),
            "triad": lambda c, a, b: torch.add(a, b, alpha=STREAM_SCALE, out=c),
        }[axes["op"]]

        def run(number):
            c, a, b = sets[number % len(sets)]
            run_one(c, a, b)

        return Work(run, lambda: self.check_stream(run, axes["op"], *sets[0]))

    def check_stream(self, run, op, c, a, b):
        torch = self.torch
        c.zero_()
        run(0)
        x, y = a.double(), b.double()
        expected = {"copy": lambda: x, "scale": lambda: STREAM_SCALE * x, "add": lambda: x + y,
                    "triad": lambda: x + STREAM_SCALE * y}[op]()
        # The product in a triad may be rounded separately.
        bound = 2 * torch.finfo(torch.float32).eps * (x.abs() + STREAM_SCALE * y.abs())
        error = (c.double() - expected).abs()
        return None if bool((error <= bound).all()) else f"off by {error.max().item():g}"


class TorchAttention(Torch):
    """PyTorch's attention with a particular backend."""

    backend = None

    def attention_forward(self, axes):
        torch = self.torch
        from torch.nn.attention import SDPBackend, sdpa_kernel
        torch.manual_seed(self.seed)
        dtype = {"f16": torch.float16, "bf16": torch.bfloat16}[axes["dtype"]]
        shape = (axes["batch"], axes["heads"], axes["sequence"], axes["d"])
        causal, backend = axes["causal"], getattr(SDPBackend, self.backend)
        size = math.prod(shape) * 2
        sets = [tuple((torch.rand(shape, device="cuda") * 2 - 1).to(dtype) for _ in range(3))
                for _ in range(self.sets_for(size))]

        def run(number):
            with sdpa_kernel(backend):
                return torch.nn.functional.scaled_dot_product_attention(*sets[number % len(sets)],
                                                                        is_causal=causal)

        def check():
            q, k, v = (x[0, 0].double() for x in sets[0])
            got = run(0)[0, 0].double()
            rows = sorted({0, len(q) - 1,
                           *random.Random(self.seed).sample(range(len(q)),
                                                            min(len(q), ROWS_CHECKED))})
            weights = q[rows] @ k.t() / math.sqrt(axes["d"])
            if causal:
                seen = torch.tensor(rows, device="cuda")[:, None]
                later = torch.arange(len(k), device="cuda") > seen
                weights = weights.masked_fill(later, -math.inf)
            expected = torch.softmax(weights, 1) @ v
            error = (got[rows] - expected).abs()
            eps = torch.finfo(dtype).eps
            return None if bool((error <= eps * (expected.abs() + 1)).all()) else \
                f"off by {error.max().item():g}"

        return Work(run, check)


class TorchCudnn(TorchAttention):
    backend = "CUDNN_ATTENTION"


class TorchFlash(TorchAttention):
    backend = "FLASH_ATTENTION"


class TorchFastestPeer(TorchFastest, Torch):
    """PyTorch with the fastest of its own implementations."""


# Triton kernels. They need a file, because Triton reads their source.
tl = None  # triton.language, once imported


def stream_copy(c, a, b, s, n, BLOCK: "tl.constexpr"):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(c + i, tl.load(a + i, mask=i < n), mask=i < n)


def stream_scale(c, a, b, s, n, BLOCK: "tl.constexpr"):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(c + i, s * tl.load(a + i, mask=i < n), mask=i < n)


def stream_add(c, a, b, s, n, BLOCK: "tl.constexpr"):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(c + i, tl.load(a + i, mask=i < n) + tl.load(b + i, mask=i < n), mask=i < n)


def stream_triad(c, a, b, s, n, BLOCK: "tl.constexpr"):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(c + i, tl.load(a + i, mask=i < n) + s * tl.load(b + i, mask=i < n), mask=i < n)


def empty(a, x, n):
    pass


class Triton(TritonArrays, TritonProducts, Torch):
    """Triton kernels on PyTorch's memory and streams."""

    def __init__(self, ordinal):
        global tl
        triton = need("triton")
        super().__init__(ordinal)
        tl = need("triton.language")
        self.kernels = {name: triton.jit(kernel) for name, kernel in
                        (("copy", stream_copy), ("scale", stream_scale), ("add", stream_add),
                         ("triad", stream_triad), ("empty", empty))}
        self.compile_arrays(triton)
        self.compile_products(triton)

    def memory_copy(self, axes):
        raise Skip("a copy by Triton is memory/stream op=copy")

    def memory_stream(self, axes):
        torch = self.torch
        torch.manual_seed(self.seed)
        count = axes["bytes"] // 4
        sets = self.arrays(count, torch.float32, 3)
        kernel, block = self.kernels[axes["op"]], 1024
        grid = ((count + block - 1) // block,)

        def run(number):
            c, a, b = sets[number % len(sets)]
            kernel[grid](c, a, b, STREAM_SCALE, count, BLOCK=block)

        return Work(run, lambda: self.check_stream(run, axes["op"], *sets[0]))

    def runtime_launch_3_arguments(self, _axes):
        kernel, x = self.kernels["empty"], self.torch.zeros(1024, device="cuda")
        return Work(lambda number: kernel[(1,)](2.0, x, 1024, num_warps=1),
                    unchecked="the kernel is empty")


class TritonPlain(TritonPlainProducts, Triton):
    """Triton without TMA, as a comparison for code for older GPUs."""


class Cupy(CupyAlgorithms, CupyArrays, Peer):
    """CuPy on its current stream."""

    def __init__(self, ordinal):
        os.environ.setdefault("CUPY_ACCELERATORS", "cub")
        self.cupy = cupy = need("cupy")
        try:
            count = cupy.cuda.runtime.getDeviceCount()
        except Exception as why:  # the runtime raises various exceptions without a driver
            raise Skip(f"CuPy sees no CUDA device: {why}") from None
        if not count:
            raise Skip("CuPy sees no CUDA device")
        cupy.cuda.Device(ordinal).use()
        self.properties = cupy.cuda.runtime.getDeviceProperties(ordinal)
        self.kernel = {name: cupy.RawKernel(SPIN, name) for name in ("spin", "flush", "empty")}
        self.flushed = cupy.zeros(3 * self.l2_bytes() // 4, dtype=cupy.uint32)

    def device_name(self):
        return self.properties["name"].decode()

    def l2_bytes(self):
        return self.properties["l2CacheSize"] or 64 << 20

    def flush(self):
        numpy = self.cupy
        self.kernel["flush"]((1024,), (256,), (self.flushed, numpy.uint64(self.flushed.size // 4),
                                               self.flushed))

    def hold(self, ns):
        self.kernel["spin"]((1,), (1,), (self.cupy.uint64(ns),))

    def event(self):
        event = self.cupy.cuda.Event()
        event.record()
        return event

    def elapsed_s(self, start, stop):
        stop.synchronize()
        return self.cupy.cuda.get_elapsed_time(start, stop) * 1e-3

    def wait(self):
        self.cupy.cuda.get_current_stream().synchronize()

    def arrays(self, nbytes, number):
        cupy = self.cupy
        cupy.random.seed(self.seed % 2 ** 32)
        return [[cupy.random.uniform(-1, 1, nbytes // 4).astype(cupy.float32)
                 for _ in range(number)] for _ in range(self.sets_for(nbytes))]

    def memory_copy(self, axes):
        sets = self.arrays(axes["bytes"], 2)

        def run(number):
            source, target = sets[number % len(sets)]
            target.data.copy_from_device_async(source.data, source.nbytes,
                                               self.cupy.cuda.get_current_stream())

        def check():
            source, target = sets[0]
            target.fill(0)
            run(0)
            return None if bool((source == target).all()) else "the copy is another one"

        return Work(run, check)

    def memory_stream(self, axes):
        cupy = self.cupy
        sets = self.arrays(axes["bytes"], 3)
        scale = cupy.float32(STREAM_SCALE)
        triad = cupy.ElementwiseKernel("float32 a, float32 b, float32 s", "float32 c",
                                       "c = a + s * b", "triad")
        run_one = {
            "copy": lambda c, a, b: cupy.copyto(c, a),
            "scale": lambda c, a, b: cupy.multiply(a, scale, out=c),
            "add": lambda c, a, b: cupy.add(a, b, out=c),
            "triad": lambda c, a, b: triad(a, b, scale, c),
        }[axes["op"]]

        def run(number):
            run_one(*sets[number % len(sets)])

        def check():
            c, a, b = sets[0]
            c.fill(0)
            run(0)
            x, y = a.astype(cupy.float64), b.astype(cupy.float64)
            expected = {"copy": lambda: x, "scale": lambda: STREAM_SCALE * x, "add": lambda: x + y,
                        "triad": lambda: x + STREAM_SCALE * y}[axes["op"]]()
            error = cupy.abs(c.astype(cupy.float64) - expected)
            bound = 2 ** -22 * (cupy.abs(x) + STREAM_SCALE * cupy.abs(y))
            return None if bool((error <= bound).all()) else f"off by {float(error.max()):g}"

        return Work(run, check)

    def runtime_launch_3_arguments(self, _axes):
        cupy, kernel = self.cupy, self.kernel["empty"]
        x, grid, block = cupy.zeros(1024, dtype=cupy.float32), (1,), (32,)
        return Work(lambda number: kernel(grid, block, (cupy.float32(2), x, cupy.uint32(1024))),
                    unchecked="the kernel is empty")


class CudaCore(Peer):
    """cuda.core on its own stream."""

    module = "cuda.core"

    def __init__(self, ordinal):
        self.core = core = need(self.module)
        self.numpy = need("numpy")
        try:
            self.device = core.Device(ordinal)
            self.device.set_current()
        except Exception as why:  # from cuda.bindings: there is no driver or no device
            raise Skip(f"{self.module} has no device: {why}") from None
        self.stream = self.device.create_stream()
        # PTX works with every driver, including the simulated one.
        options = core.ProgramOptions(arch="sm_" + self.device.arch)
        code = core.Program(SPIN, code_type="c++", options=options).compile("ptx")
        self.kernel = {name: code.get_kernel(name) for name in ("spin", "flush", "empty")}
        self.one = core.LaunchConfig(grid=1, block=32)
        try:
            self.timed = core.EventOptions(timing_enabled=True)
        except TypeError:  # before 1.0
            self.timed = core.EventOptions(enable_timing=True)
        self.flushed = self.device.allocate(3 * self.l2_bytes(), stream=self.stream)
        self.flushed.fill(0, stream=self.stream)

    def device_name(self):
        return self.device.name

    def l2_bytes(self):
        if "(simulated)" in self.device.name:
            return 1 << 14  # no L2 cache
        return self.device.properties.l2_cache_size or 64 << 20

    def flush(self):
        u64 = self.numpy.uint64
        self.core.launch(self.stream, self.core.LaunchConfig(grid=1024, block=256),
                         self.kernel["flush"], self.flushed, u64(self.flushed.size // 16),
                         self.flushed)

    def hold(self, ns):
        self.core.launch(self.stream, self.core.LaunchConfig(grid=1, block=1), self.kernel["spin"],
                         self.numpy.uint64(ns))

    def event(self):
        return self.stream.record(options=self.timed)

    def elapsed_s(self, start, stop):
        stop.sync()
        return (stop - start) * 1e-3

    def wait(self):
        self.stream.sync()

    def seen_by_host(self, buffer):
        return self.numpy.from_dlpack(buffer).view(self.numpy.uint8)

    def memory_copy(self, axes):
        nbytes, numpy = axes["bytes"], self.numpy
        sets = [[self.device.allocate(nbytes, stream=self.stream) for _ in range(2)]
                for _ in range(self.sets_for(nbytes))]
        pinned = self.core.LegacyPinnedMemoryResource()
        host = pinned.allocate(nbytes, stream=self.stream)
        seen = self.seen_by_host(host)
        expected = numpy.random.default_rng(self.seed).integers(0, 256, nbytes, numpy.uint8)
        seen[:] = expected
        for source, _ in sets:
            host.copy_to(source, stream=self.stream)
        self.stream.sync()

        def run(number):
            source, target = sets[number % len(sets)]
            source.copy_to(target, stream=self.stream)

        def check():
            sets[0][1].fill(0, stream=self.stream)
            run(0)
            seen[:] = 0
            sets[0][1].copy_to(host, stream=self.stream)
            self.stream.sync()
            return None if (seen == expected).all() else "the copy is another one"

        return Work(run, check)

    def runtime_launch_3_arguments(self, _axes):
        launch, stream, config, numpy = self.core.launch, self.stream, self.one, self.numpy
        kernel = self.kernel["empty"]
        x = self.device.allocate(4096, stream=stream)
        return Work(lambda number: launch(stream, config, kernel, numpy.float32(2), x,
                                          numpy.uint32(1024)),
                    unchecked="the kernel is empty")


class CucorePython(CudaCore):
    """cucore's own Python package, with cuda.core's interface."""

    module = "cucore"

    def seen_by_host(self, buffer):  # NumPy before 2.1 treats DLPack imports as read-only
        return self.numpy.frombuffer(buffer.host_view(), dtype=self.numpy.uint8)


class CucorePrepared(CucorePython):
    """cucore's Python package with prepared launches."""

    def runtime_launch_3_arguments(self, _axes):
        numpy = self.numpy
        x = self.device.allocate(4096, stream=self.stream)
        prepared = self.core.PreparedLaunch(self.stream, self.one, self.kernel["empty"],
                                            numpy.float32(2), x, numpy.uint32(1024))
        return Work(lambda number: prepared(), unchecked="the kernel is empty")


class Numba(Peer):
    """Numba's CUDA target on its own stream."""

    def __init__(self, ordinal):
        self.cuda = cuda = need("numba.cuda")
        self.numpy = need("numpy")
        try:
            available = cuda.is_available()
        except Exception as why:
            raise Skip(f"Numba has no device: {why}") from None
        if not available:
            raise Skip("Numba sees no CUDA device")
        self.device = cuda.select_device(ordinal)
        self.stream = cuda.stream()

        @cuda.jit
        def spin(microseconds):
            for _ in range(microseconds):
                cuda.nanosleep(1000)

        @cuda.jit
        def flush(x, out):
            seen = 0
            for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
                seen |= x[i]
            if seen < 0:
                out[0] = seen

        @cuda.jit
        def empty(a, x, n):
            pass

        @cuda.jit
        def add(c, a, b):
            i = cuda.grid(1)
            if i < c.size:
                c[i] = a[i] + b[i]

        self.spin, self.flush_kernel, self.empty, self.add = spin, flush, empty, add
        self.flushed = cuda.to_device(self.numpy.zeros(3 * self.l2_bytes() // 4, self.numpy.int32))

    def device_name(self):
        name = self.device.name
        return name.decode() if isinstance(name, bytes) else name

    def l2_bytes(self):
        return getattr(self.device, "L2_CACHE_SIZE", 0) or 64 << 20

    def flush(self):
        self.flush_kernel[1024, 256, self.stream](self.flushed, self.flushed)

    def hold(self, ns):
        self.spin[1, 1, self.stream](ns // 1000)

    def event(self):
        event = self.cuda.event(timing=True)
        event.record(self.stream)
        return event

    def elapsed_s(self, start, stop):
        stop.synchronize()
        return self.cuda.event_elapsed_time(start, stop) * 1e-3

    def wait(self):
        self.stream.synchronize()

    def memory_stream(self, axes):
        if axes["op"] != "add":
            raise Skip("of the streams Numba does op=add here")
        cuda, numpy, count = self.cuda, self.numpy, axes["bytes"] // 4
        generator = numpy.random.default_rng(self.seed)
        host = [generator.uniform(-1, 1, count).astype(numpy.float32) for _ in range(2)]
        sets = [[cuda.device_array(count, numpy.float32), *(cuda.to_device(h) for h in host)]
                for _ in range(self.sets_for(axes["bytes"]))]
        grid = (count + 255) // 256

        def run(number):
            self.add[grid, 256, self.stream](*sets[number % len(sets)])

        def check():
            run(0)
            self.wait()
            error = numpy.abs(sets[0][0].copy_to_host() - (host[0] + host[1])).max()
            return None if error == 0 else f"off by {error:g}"

        return Work(run, check)

    def runtime_launch_3_arguments(self, _axes):
        numpy = self.numpy
        x = self.cuda.to_device(numpy.zeros(1024, numpy.float32))
        launch = self.empty[1, 32, self.stream]
        a, n = numpy.float32(2), numpy.uint32(1024)
        return Work(lambda number: launch(a, x, n), unchecked="the kernel is empty")


PEERS = {"torch": Torch, "torch_cudnn": TorchCudnn, "torch_flash": TorchFlash, "torch_fastest": TorchFastestPeer,
         "triton": Triton,
         "triton_plain": TritonPlain,
         "cupy": Cupy, "cuda.core": CudaCore, "cucore-python": CucorePython,
         "cucore-prepared": CucorePrepared, "numba": Numba}


class Server:
    """Answers the requests for one peer."""

    def __init__(self, name):
        self.name = name
        self.peer = None
        self.work = None
        self.sample = None

    def do_point(self, request):
        self.work = None
        device = request["device"]
        if self.peer is None:
            try:
                if self.name not in PEERS:
                    raise Skip(f"{self.name} is not known: {', '.join(PEERS)} are")
                peer = PEERS[self.name](device["ordinal"])
                peer.probe()
                self.peer = peer
            except Skip as why:
                return {"skipped": str(why), "everywhere": True}
            except Exception as why:  # unusable libraries raise various exceptions
                return {"skipped": f"{self.name} cannot be used: {type(why).__name__}: {why}",
                        "everywhere": True}
        if self.peer.device_name() != device["name"]:
            return {"skipped": f"{self.name} has another device: {self.peer.device_name()}",
                    "everywhere": True}
        self.peer.seed = int(request["seed"])
        method = f"{request['suite']}_{request['case']}"
        self.sample = getattr(self.peer, "sample_" + request["mode"], None)
        if not hasattr(self.peer, method) or self.sample is None:
            raise Skip(f"{self.name} does not do {request['suite']}/{request['case']} in the mode "
                       f"{request['mode']}")
        self.peer.sample = self.sample
        self.work = getattr(self.peer, method)(request["axes"])
        answer = {"figures": self.work.figures} if self.work.figures else {}
        if self.work.unchecked:
            answer["checked"] = f"nothing to check: {self.work.unchecked}"
        return answer

    def do_check(self, _request):
        wrong = self.work.check()
        return {"failed": wrong} if wrong else {"checked": "passed"}

    def do_sample(self, request):
        seconds = self.sample(self.work, request["set"])
        if not math.isfinite(seconds):
            return {"failed": f"a time of {seconds}"}
        return {"raw_s": [seconds]}

    def answer(self, line):
        try:
            request = json.loads(line)
            act = getattr(self, "do_" + str(request["do"]), None)
            if act is None:
                return {"failed": f"\"do\" is {request['do']}: point, check and sample are known"}
            if act != self.do_point and self.work is None:
                return {"failed": "no point was made"}
            return act(request)
        except Skip as why:
            return {"skipped": str(why)}
        except Exception as why:  # any exception is the reason
            return {"failed": f"{self.name}: {type(why).__name__}: {why}"}


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 2 if len(sys.argv) != 2 else 0
    # Keep the libraries' output out of the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    server = Server(sys.argv[1])
    for line in sys.stdin:
        print(json.dumps(server.answer(line)), file=answers, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
