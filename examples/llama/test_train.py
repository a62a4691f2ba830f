#!/usr/bin/env python3
"""test_train.py: compares gradients, and the losses of a few steps, with PyTorch's on the simulated driver."""
import functools
import sys

try:
    import torch
except ImportError:
    print("skipped: no PyTorch")
    sys.exit(77)

import cucore_ops
import reference_torch
import tiny_model
import train
from cucore import LegacyPinnedMemoryResource

TYPES = {torch.bfloat16: "<V2", torch.float32: "<f4", torch.int64: "<i8", torch.int32: "<i4"}


class Pinned:
    """A view of pinned memory with a tensor's layout."""

    def __init__(self, tensor, address):
        self.dtype, item = tensor.dtype, tensor.element_size()
        self.__cuda_array_interface__ = {
            "version": 3, "data": (address + item * tensor.storage_offset(), False), "typestr": TYPES[tensor.dtype],
            "shape": tuple(tensor.shape), "strides": tuple(item * stride for stride in tensor.stride())}


def call_simulated(function, *args, **named):
    """Call a plan or launch() with copies of the CPU's tensors in memory that the simulated driver knows."""
    copies, memory, stream = {}, LegacyPinnedMemoryResource(), cucore_ops.current()

    def given(value):
        if not torch.is_tensor(value):
            return value
        storage = bytes_of(value)
        if storage.data_ptr() not in copies:
            buffer = memory.allocate(len(storage))
            copy = torch.frombuffer(buffer.host_view(), dtype=torch.uint8)
            copies[storage.data_ptr()] = storage, copy.copy_(storage), buffer
        return Pinned(value, copies[storage.data_ptr()][2].handle)
    function(stream, *map(given, args), **{name: given(value) for name, value in named.items()})
    stream.sync()
    for storage, copy, _ in copies.values():
        storage.copy_(copy)


def bytes_of(tensor):
    """All of the memory that a tensor is a view of."""
    whole = tensor.data.as_strided((tensor.storage().size(),), (1,), 0)
    return whole.view(torch.uint8)


def poisoned(make):
    """Fill new memory with NaN, so that results that are not written show."""
    def made(*args, **named):
        return make(*args, **named).fill_(float("nan"))
    return made


def random(*shape):
    return torch.randn(shape).bfloat16()


def size(x):
    return x.double().square().mean().sqrt().item()


def check(what, name, inputs, *others):
    """The error of the result and of each gradient is at most that of PyTorch in bf16, and a quarter more."""
    def run(ops, dtype):
        given = [x.to(dtype, copy=True).requires_grad_() for x in inputs]
        y = getattr(ops, name)(*(given[:-1] + [*others] + given[-1:] if name == "embedding" else given + [*others]))
        torch.manual_seed(3)
        y.backward(torch.randn(y.shape).to(torch.bfloat16).to(y.dtype))
        return [y.detach(), *(x.grad for x in given)]
    exact, rounded, found = (run(ops, dtype) for ops, dtype in (
        (reference_torch, torch.float64), (reference_torch, torch.bfloat16), (cucore_ops, torch.bfloat16)))
    for i, (e, r, f) in enumerate(zip(exact, rounded, found)):
        allowed = 1.25 * max(size(r.double() - e), 2.0 ** -9 * size(e))
        error = size(f.double() - e)
        assert error <= allowed, f"{what}: {'result' if not i else f'gradient {i}'} of size {size(e):.4f} is off by " \
            f"{error:.3g}, expected at most {allowed:.3g}"
    print(f"{what}: right")


def test_operations():
    torch.manual_seed(0)
    check("embedding", "embedding", [random(50, 24)], torch.randint(50, (3, 20)))
    check("embedding of one token", "embedding", [random(50, 24)], torch.full((2, 9), 7))
    for rows, width in ((1, 64), (37, 64), (70, 24)):
        check(f"rms_norm {rows} x {width}", "rms_norm", [random(2, rows, width), random(width)], 1e-5)
    for m, n, k in ((1, 8, 8), (33, 72, 40), (130, 128, 64)):
        check(f"linear {m} x {n} x {k}", "linear", [random(2, m, k), random(n, k)])
        check(f"linear {m} x {n} x {k} with a residual", "linear", [random(2, m, k), random(n, k), random(2, m, n)])
    check("swiglu", "swiglu", [random(3, 17, 80)])
    for batch, length, heads, key_heads, width in ((1, 1, 1, 1, 32), (2, 40, 4, 2, 32), (1, 77, 6, 1, 64)):
        config = tiny_model.CONFIG | {"head_dim": width}
        check(f"attention {batch} x {length} x {heads} x {width}, {key_heads} key heads", "attention",
              [random(batch, length, heads + 2 * key_heads, width)], heads,
              reference_torch.rope_tables(config, length, "cpu"))
    for rows, words in ((5, 40), (33, 300)):
        check(f"loss of {rows} rows, {words} words", "loss", [random(2, rows, 64), random(words, 64) / 8],
              torch.randint(words, (2, rows)))


def test_chunks():
    """The result does not depend on the number of words whose logits have a gradient at a time."""
    whole, cucore_ops.CHUNK = cucore_ops.CHUNK, 96
    check("loss in chunks", "loss", [random(20, 64), random(300, 64) / 8], torch.randint(300, (20,)))
    cucore_ops.CHUNK = whole


def test_optimizer():
    torch.manual_seed(0)
    p = torch.randn(2048 + 77)
    ours, theirs = p.clone().requires_grad_(), p.clone().double().requires_grad_()
    update = cucore_ops.AdamW(ours, train.LR, **train.OPTIONS)
    expected = torch.optim.AdamW([theirs], train.LR, **train.OPTIONS)
    for _ in range(3):
        ours.grad = torch.randn(len(p))
        theirs.grad = ours.grad.double()
        update.step()
        expected.step()
    assert size(ours.detach() - theirs.detach()) < 1e-6 * size(p), "AdamW differs"
    print("adamw: right")


def test_steps():
    config = train.CONFIG | {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "vocab_size": 40,
                             "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 32}
    (ours, _), (theirs, _) = train.compare(config, 2, 40, 16, "cpu")
    print("losses:", *(f"{a:.4f} ({b:.4f})" for a, b in zip(ours, theirs)))
    assert all(abs(a - b) < 0.003 * b for a, b in zip(ours, theirs)), "the losses differ"
    assert ours[-1] < 0.8 * ours[0], "the losses do not fall"


cucore_ops.call = call_simulated
cucore_ops.current = functools.cache(cucore_ops.device.create_stream)
torch.Tensor.new_empty = poisoned(torch.Tensor.new_empty)
torch.empty_like = poisoned(torch.empty_like)
for test in (test_operations, test_chunks, test_optimizer, test_steps):
    test()
