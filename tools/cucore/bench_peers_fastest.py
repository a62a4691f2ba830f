"""Measures attention and convolutions with the fastest of PyTorch's implementations, for
bench_peers.py."""
import gc
import math
import random

from bench_peers_work import Work

ROWS_CHECKED = 16


class Rotating:
    """Several copies of an array, together more than twice the size of L2 unless 32 copies are too
    few."""

    def __init__(self, peer, make):
        first = make()
        self.all = [first, *(make() for _ in range(peer.sets_for(first.nbytes) - 1))]

    def __getitem__(self, number):
        return self.all[number % len(self.all)]

    def changed(self, change):
        """Return the same copies with `change` applied to each."""
        other = object.__new__(Rotating)
        other.all = [change(x) for x in self.all]
        return other


class TorchFastest:
    """PyTorch implementation; expects PyTorch in `self.torch`, and random() and the other methods
    of a Peer."""

    TIMES = 3

    def begin(self, axes):
        """Prepare a point; return its dtype."""
        gc.collect()  # frees the previous point's arrays and graphs
        self.torch.cuda.empty_cache()
        self.torch.manual_seed(self.seed)
        return {"f16": self.torch.float16, "bf16": self.torch.bfloat16}[axes["dtype"]]

    def fastest(self, ways, check):
        """Return the fastest work. `ways` yields pairs of a name and run(set). Raise the last error
        if all fail; backends raise various exceptions for what they do not support."""
        best, least, why = None, math.inf, None
        for name, run in ways:
            work = Work(run)
            try:
                run(0)
                self.wait()
                seconds = min(self.sample(work, number) for number in range(self.TIMES))
            except Exception as error:
                why = error
                continue
            if seconds < least:
                work.figures = {name: 1}
                best, least = work, seconds
        if not best:
            raise why
        run = best.run
        best.check = lambda: check(run(0))
        return best

    # Attention

    def attention_ways(self, q, k, v, causal, groups, repeats=False):
        """Yield each backend; with `repeats`, also with repeated instead of shared key heads."""
        from torch.nn.attention import SDPBackend, sdpa_kernel
        attend = self.torch.nn.functional.scaled_dot_product_attention

        def by(backend, keys, values, **options):
            def run(number):
                with sdpa_kernel(backend):
                    return attend(q[number], keys[number], values[number], is_causal=causal, **options)

            return run

        backends = {"cudnn": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION}
        for name, backend in backends.items():
            yield name, by(backend, k, v, **({"enable_gqa": True} if groups > 1 else {}))
        try:
            from flash_attn_interface import flash_attn_func
        except Exception:  # FlashAttention-3 is rarely installed
            pass
        else:
            def run(number):
                out = flash_attn_func(*(x[number].transpose(1, 2) for x in (q, k, v)), causal=causal)
                return (out[0] if isinstance(out, tuple) else out).transpose(1, 2)

            yield "flash_3", run
        if repeats and groups > 1:
            repeated = [x.changed(lambda one: one.repeat_interleave(groups, 1)) for x in (k, v)]
            for name, backend in backends.items():
                yield name + "_repeated", by(backend, *repeated)

    def check_attention(self, q, k, v, got, causal):
        """Check some rows of the first and the last head."""
        torch = self.torch
        eps = torch.finfo(q.dtype).eps
        for at in 0, -1:
            queries, keys, values, out = (x[at, at].double() for x in (q, k, v, got))
            rows = sorted({0, len(queries) - 1,
                           *random.Random(self.seed).sample(range(len(queries)), min(len(queries), ROWS_CHECKED))})
            weights = queries[rows] @ keys.t() / math.sqrt(q.shape[-1])
            if causal:
                seen = torch.tensor(rows, device="cuda")[:, None]
                weights = weights.masked_fill(torch.arange(len(keys), device="cuda") > seen, -math.inf)
            expected = torch.softmax(weights, 1) @ values
            error = (out[rows] - expected).abs()
            if not bool((error <= eps * (expected.abs() + 1)).all()):
                return f"off by {error.max().item():g}"
        return None

    def attention_shapes(self, axes):
        dtype = self.begin(axes)
        batch, heads, key_heads, length, d = (axes[x] for x in ("batch", "heads", "key_heads", "sequence", "d"))
        q = Rotating(self, lambda: self.random(dtype, batch, heads, length, d))
        k, v = (Rotating(self, lambda: self.random(dtype, batch, key_heads, length, d)) for _ in range(2))
        return self.fastest(self.attention_ways(q, k, v, axes["causal"], heads // key_heads, repeats=True),
                            lambda got: self.check_attention(q[0], k[0], v[0], got, axes["causal"]))

    def decode_step(self, axes):
        """Run a decode step. A group's queries are either heads that share a key head or rows of
        one head; both give the same numbers."""
        dtype = self.begin(axes)
        batch, heads, group, keys, d = (axes[x] for x in ("batch", "heads", "group", "keys", "d"))
        rows = Rotating(self, lambda: self.random(dtype, batch, heads, group, d))
        k, v = (Rotating(self, lambda: self.random(dtype, batch, heads, keys, d)) for _ in range(2))
        one = rows.changed(lambda q: q.reshape(batch, heads * group, 1, d))

        def ways():
            for name, run in self.attention_ways(rows, k, v, False, 1):
                yield name + "_rows", run
            if group > 1:
                yield from self.attention_ways(one, k, v, False, group)

        return self.fastest(ways(), lambda got: self.check_attention(
            rows[0], k[0], v[0], got.reshape(batch, heads, group, d), False))

    # Convolutions: channels last in memory, as cuDNN prefers

    def conv_arrays(self, axes):
        torch = self.torch
        dtype = self.begin(axes)
        torch.backends.cudnn.benchmark = True
        n, h, w, c, k, r, stride = (axes[x] for x in ("n", "h", "w", "c", "k", "r", "stride"))

        def images(count, height, width, channels):
            return Rotating(self, lambda: self.random(dtype, count, height, width, channels).permute(0, 3, 1, 2))

        return (images(n, h, w, c), images(k, r, r, c),
                images(n, (h - 1) // stride + 1, (w - 1) // stride + 1, k), stride, r // 2)

    def without_search(self, compute):
        """Compute a reference, without the search for the fastest algorithm."""
        cudnn = self.torch.backends.cudnn
        cudnn.benchmark = False
        try:
            return compute()
        finally:
            cudnn.benchmark = True

    def conv_fprop(self, axes):
        conv = self.torch.nn.functional.conv2d
        x, w, _, stride, pad = self.conv_arrays(axes)

        def check(got):
            expected = self.without_search(lambda: conv(x[0][:1].double(), w[0].double(), None, stride, pad))
            return self.check_sums(got[:1], expected, axes["c"])

        return self.fastest([("cudnn", lambda i: conv(x[i], w[i], None, stride, pad))], check)

    def conv_gradient(self, arrays, wanted):
        """Return run(set) for one gradient: 0 is the gradient of the input, 1 of the weights."""
        x, w, dy, stride, pad = arrays
        backward = self.torch.ops.aten.convolution_backward
        mask = [wanted == 0, wanted == 1, False]
        return lambda i: backward(dy[i], x[i], w[i], None, [stride] * 2, [pad] * 2, [1] * 2, False, [0] * 2, 1,
                                  mask)[wanted]

    def conv_dgrad(self, axes):
        arrays = x, w, dy, stride, pad = self.conv_arrays(axes)

        def check(got):
            from torch.nn.grad import conv2d_input
            expected = self.without_search(lambda: conv2d_input((1, *x[0].shape[1:]), w[0].double(),
                                                                dy[0][:1].double(), stride, pad))
            return self.check_sums(got[:1], expected, axes["k"])

        return self.fastest([("cudnn", self.conv_gradient(arrays, 0))], check)

    def conv_wgrad(self, axes):
        arrays = x, w, dy, stride, pad = self.conv_arrays(axes)
        some = 2  # number of result channels

        def check(got):
            from torch.nn.grad import conv2d_weight
            expected = self.without_search(lambda: conv2d_weight(x[0].double(), (some, *w[0].shape[1:]),
                                                                 dy[0][:, :some].double(), stride, pad))
            return self.check_sums(got[:some], expected, dy[0][:, 0].numel())

        return self.fastest([("cudnn", self.conv_gradient(arrays, 1))], check)

    def check_sums(self, got, expected, terms):
        """Check sums of terms of either sign: errors grow with the square root of the number of
        terms, and partial sums may be rounded."""
        error = (got.double() - expected).abs()
        bound = self.torch.finfo(got.dtype).eps * (expected.abs() + math.sqrt(terms))
        return None if bool((error <= bound).all()) else f"off by {error.max().item():g}"
