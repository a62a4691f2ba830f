#!/usr/bin/env python3
"""train.py [STEPS]: trains a small Llama model on cucore's kernels and with plain PyTorch, and compares the losses.

Both start from the same weights and see the same data. Parameters and moments are in f32; the network computes in bf16
on a rounded copy.
"""
import sys
import time

import cucore_ops
import reference_torch
import tiny_model
import torch

CONFIG = {
    "hidden_size": 512, "intermediate_size": 1536, "num_hidden_layers": 4, "num_attention_heads": 8,
    "num_key_value_heads": 4, "head_dim": 64, "vocab_size": 8192, "rms_norm_eps": 1e-5, "rope_theta": 10000.0,
    "tie_word_embeddings": False,
}
BATCH, LENGTH, LR = 16, 256, 1e-3
OPTIONS = {"betas": (0.9, 0.95), "eps": 1e-8, "weight_decay": 0.1}


def initial(config, device):
    """All parameters in one vector, f32."""
    torch.manual_seed(1)
    parts = [torch.ones(shape) if len(shape) == 1 else torch.randn(shape) * (1 if "embed" in name else shape[1] ** -0.5)
             for name, shape in tiny_model.shapes(config)]
    return torch.cat([part.flatten() for part in parts]).to(device).requires_grad_()


def weights_of(config, parameters):
    """The network's weights: a copy of the parameters in bf16."""
    names, shapes = zip(*tiny_model.shapes(config))
    parts = parameters.bfloat16().split([torch.Size(shape).numel() for shape in shapes])
    named = {name: part.view(shape) for name, part, shape in zip(names, parts, shapes)}

    def get(*names):
        found = [named[name + ".weight"] for name in names]
        return torch.cat(found) if len(found) > 1 else found[0]
    return reference_torch.collect(config, get)


def batches(config, batch, length, steps, device):
    """Random sequences in which most tokens determine the next one."""
    random, words = torch.Generator().manual_seed(2), config["vocab_size"]
    following = torch.randperm(words, generator=random)
    for _ in range(steps):
        ids = torch.randint(words, (batch, length + 1), generator=random)
        keep = torch.rand(batch, length, generator=random) < 0.9
        for i in range(length):
            ids[:, i + 1] = torch.where(keep[:, i], following[ids[:, i]], ids[:, i + 1])
        yield ids[:, :-1].contiguous().to(device), ids[:, 1:].contiguous().to(device)


def train(config, batch, length, steps, ops, optimizer, device):
    """Return the loss of each step, and the seconds of a step."""
    parameters = initial(config, device)
    update = optimizer(parameters)
    run = reference_torch.runner(config, reference_torch.rope_tables(config, length, device), ops)
    losses, begin = [], time.perf_counter()
    for step, (ids, targets) in enumerate([*batches(config, batch, length, steps, device)]):
        if step == 1:  # the first step compiles
            losses[0].item()
            begin = time.perf_counter()
        parameters.grad = None
        weights = weights_of(config, parameters)
        x = reference_torch.features(config, weights, ids, run, ops)
        loss = ops.loss(x, weights["head"], targets)
        loss.backward()
        update.step()
        losses.append(loss.detach())
    losses = torch.stack(losses).tolist()
    return losses, (time.perf_counter() - begin) / max(steps - 1, 1)


def compare(config, batch, length, steps, device):
    """Return both curves of losses, and the times of a step."""
    def plain(parameters):
        fused = {"fused": True} if parameters.is_cuda else {}
        return torch.optim.AdamW([parameters], LR, **OPTIONS, **fused)
    return (train(config, batch, length, steps, cucore_ops, lambda p: cucore_ops.AdamW(p, LR, **OPTIONS), device),
            train(config, batch, length, steps, reference_torch, plain, device))


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    (ours, our_time), (theirs, their_time) = compare(CONFIG, BATCH, LENGTH, steps, "cuda")
    for i in range(0, steps, 5):
        print(f"step {i:3}: loss {ours[i]:.4f}, PyTorch {theirs[i]:.4f}")
    worst = max(abs(a - b) / b for a, b in zip(ours, theirs))
    print(f"largest relative difference: {worst:.5f}; a step takes {our_time * 1e3:.2f} ms, "
          f"PyTorch's {their_time * 1e3:.2f} ms")


if __name__ == "__main__":
    main()
