"""The operations of reference_torch.py on cucore's kernels, with gradients, for tensors in bf16.

Products and attention are plans; all else is in the kernel library. PyTorch allocates memory and runs the graph of
gradients.
"""
import functools

import torch
from cucore import Attention, Device, Gemm, launch, library

WORKSPACE = 64 << 20  # bytes that a product may use
CHUNK = 8192  # words of the vocabulary whose logits have a gradient in memory at a time
device = Device()


def current():
    """PyTorch's current stream."""
    return wrapped(torch.cuda.current_stream())


wrapped = functools.cache(device.create_stream)


def call(function, *args, **named):
    """Call a plan or launch() with PyTorch's tensors, in its current stream."""
    def given(value):
        return value.detach() if torch.is_tensor(value) else value
    function(current(), *map(given, args), **{name: given(value) for name, value in named.items()})


@functools.cache
def kernel(family, name, **constants):
    return library.program(family, **constants).compile().get_kernel(name)


def run(family, name, *args, **constants):
    call(launch, None, kernel(family, name, **constants), *args)


def workspace(size):
    return allocated(size, current())


@functools.cache
def allocated(size, stream):
    return device.allocate(size, stream=stream)


def rows_of(x):
    return x.reshape(-1, x.shape[-1])


class Embedding(torch.autograd.Function):
    @staticmethod
    def forward(ctx, ids, table):
        ctx.save_for_backward(ids)
        ctx.shape = table.shape
        y = table.new_empty(ids.numel(), table.shape[1])
        run("embedding", "embedding", ids.flatten(), table, y)
        return y.view(*ids.shape, -1)

    @staticmethod
    def backward(ctx, dy):
        ordered, order = ctx.saved_tensors[0].flatten().sort(stable=True)
        dtable = dy.new_zeros(ctx.shape)
        run("embedding", "embedding_backward", ordered, order, rows_of(dy), dtable)
        return None, dtable


class RmsNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, eps):
        rows = rows_of(x)
        y, rstd = torch.empty_like(rows), x.new_empty(len(rows), dtype=torch.float32)
        run("rms_norm", "rms_norm", rows, w, y, rstd, eps, N=len(w))
        ctx.save_for_backward(rows, w, rstd)
        return y.view_as(x)

    @staticmethod
    def backward(ctx, dy):
        x, w, rstd = ctx.saved_tensors
        blocks = min(len(x), device.properties.multiprocessor_count * max(1, 8192 // len(w)))
        dx, dw, part = torch.empty_like(x), torch.empty_like(w), x.new_empty(blocks, len(w), dtype=torch.float32)
        run("rms_norm", "rms_norm_backward", rows_of(dy), x, w, rstd, dx, part, N=len(w))
        run("rms_norm", "rms_norm_backward_weight", part, dw)
        return dx.view_as(dy), dw, None


@functools.cache
def plan(m, n, k, **options):
    return Gemm("bf16", m=m, n=n, k=k, workspace_bytes=WORKSPACE, **options)


def product(a, b, residual=None, **orders):
    """a b, or a b + residual."""
    d = a.new_empty(len(a), b.shape[1])
    if residual is not None:
        orders["residual_dtype"] = "bf16"
    call(plan(*a.shape[:1], *d.shape[1:], a.shape[1], **orders), a, b, d, residual=residual,
         workspace=workspace(WORKSPACE))
    return d


class Linear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, residual):
        ctx.save_for_backward(rows_of(x), w)
        y = product(rows_of(x), w.t(), None if residual is None else rows_of(residual), b_order="column")
        return y.view(*x.shape[:-1], -1)

    @staticmethod
    def backward(ctx, dy):
        (x, w), d = ctx.saved_tensors, rows_of(dy)
        dx, dw = product(d, w), product(d.t(), x, a_order="column")
        return dx.view(*dy.shape[:-1], -1), dw, dy if ctx.needs_input_grad[2] else None


class SwiGlu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, gate_up):
        ctx.save_for_backward(rows_of(gate_up))
        gate, up = rows_of(gate_up).chunk(2, 1)
        y = torch.empty_like(gate, memory_format=torch.contiguous_format)
        run("swiglu", "swiglu", gate, up, y)
        return y.view(*gate_up.shape[:-1], -1)

    @staticmethod
    def backward(ctx, dy):
        gate_up, = ctx.saved_tensors
        d = torch.empty_like(gate_up)
        run("swiglu", "swiglu_backward", rows_of(dy), *gate_up.chunk(2, 1), *d.chunk(2, 1))
        return d.view(*dy.shape[:-1], -1)


@functools.cache
def attention_plan(width, batch, heads, key_heads, length):
    return Attention("bf16", width, mask="causal", lse=True, backward=True, batch=batch, heads=heads,
                     key_heads=key_heads, queries=length, keys=length)


class RotatedAttention(torch.autograd.Function):
    """Rotary embedding and causal attention of qkv, [batch, position, heads and key heads, width]."""

    @staticmethod
    def forward(ctx, qkv, heads, cosine, sine):
        batch, length, count, width = qkv.shape
        key_heads = (count - heads) // 2
        turned = qkv.new_empty(batch, length, heads + key_heads, width)
        run("rope", "rope", qkv[:, :, :heads + key_heads].transpose(1, 2), cosine, sine, turned.transpose(1, 2),
            D=width)
        o, lse = qkv.new_empty(batch, length, heads, width), qkv.new_empty(batch, heads, length, dtype=torch.float32)
        ctx.plan = attention_plan(width, batch, heads, key_heads, length)
        ctx.heads, ctx.key_heads = heads, key_heads
        parts = (*turned.split([heads, key_heads], 2), qkv[:, :, heads + key_heads:], o)
        call(ctx.plan, *(x.transpose(1, 2) for x in parts), lse=lse)
        ctx.save_for_backward(*parts, lse, cosine, sine)
        return o

    @staticmethod
    def backward(ctx, d_o):
        *parts, lse, cosine, sine = ctx.saved_tensors
        batch, length, heads, width = d_o.shape
        turned = heads + ctx.key_heads
        d = d_o.new_empty(batch, length, turned + ctx.key_heads, width)
        gradients = d.split([heads, ctx.key_heads, ctx.key_heads], 2)
        call(ctx.plan.backward, *(x.transpose(1, 2) for x in parts), lse, d_o.transpose(1, 2),
             *(x.transpose(1, 2) for x in gradients),
             workspace=workspace(ctx.plan.workspace_bytes(batch, heads, length)))
        turn = d[:, :, :turned].transpose(1, 2)
        run("rope", "rope_backward", turn, cosine, sine, turn, D=width)
        return d, None, None, None


class Loss(torch.autograd.Function):
    """Mean cross entropy of the logits x w', which are never all in memory."""

    @staticmethod
    def forward(ctx, x, w, targets):
        ctx.shape = x.shape
        x, targets = rows_of(x), targets.flatten()
        tiles = x.new_empty(2, (len(w) + 255) // 256, len(x), dtype=torch.float32)
        picked, loss, lse = x.new_empty(3, len(x), dtype=torch.float32)
        run("linear_cross_entropy", "linear_cross_entropy", x, w, targets, *tiles, picked)
        run("linear_cross_entropy", "linear_cross_entropy_loss", targets, *tiles, picked, loss, lse, len(w))
        ctx.save_for_backward(x, w, targets, lse)
        return loss.mean()

    @staticmethod
    def backward(ctx, dmean):
        x, w, targets, lse = ctx.saved_tensors
        dx, dw = torch.empty_like(x, dtype=torch.float32), torch.empty_like(w)
        dloss = (dmean / len(x)).expand(len(x))
        for first in range(0, len(w), CHUNK):
            part = slice(first, first + CHUNK)
            dz = x.new_empty(len(x), len(w[part]))
            run("linear_cross_entropy", "linear_cross_entropy_backward", x, w[part], targets, lse, dloss, dz, first,
                len(w))
            run("linear_cross_entropy", "linear_cross_entropy_backward_input", dz, w[part], dx, ADD=first > 0)
            run("linear_cross_entropy", "linear_cross_entropy_backward_weight", dz, x, dw[part])
        return dx.to(x.dtype).view(ctx.shape), dw, None


def embedding(ids, table):
    return Embedding.apply(ids, table)


def rms_norm(x, w, eps):
    return RmsNorm.apply(x, w, eps)


def linear(x, w, residual=None):
    return Linear.apply(x, w, residual)


def swiglu(gate_up):
    return SwiGlu.apply(gate_up)


def attention(qkv, heads, tables):
    return RotatedAttention.apply(qkv, heads, *tables)


def loss(x, w, targets):
    return Loss.apply(x, w, targets)


class AdamW:
    """AdamW on one vector of parameters in f32."""

    def __init__(self, p, lr, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1):
        self.p, self.options = p, (lr, *betas, eps, weight_decay)
        self.m, self.v, self.steps = torch.zeros_like(p), torch.zeros_like(p), 0
        # Places of the parameters in p, its gradient and the moments, and their number.
        self.table = torch.tensor([[0, 0, 0, 0, p.numel()]], device=p.device)
        self.first = torch.zeros(1, device=p.device, dtype=torch.int32)

    def step(self):
        self.steps += 1
        corrections = (1 - beta ** self.steps for beta in self.options[1:3])
        chunks = (self.p.numel() + 2047) // 2048
        run("adamw", "adamw", self.p, self.p.grad, self.m, self.v, self.table, self.first, chunks, *self.options,
            *corrections)
