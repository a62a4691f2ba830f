#!/usr/bin/env python3
"""compare_torch.py make FOLDER MODEL    writes a random model: 1b, 8b (shapes of Llama 3) or tiny
compare_torch.py check FOLDER LLAMA   compares the program's logits with PyTorch's
compare_torch.py bench FOLDER LLAMA   times the program and PyTorch, with torch.compile and CUDA graphs"""
import json
import pathlib
import re
import subprocess
import sys
import time

import numpy as np
import reference_torch as ref
import tiny_model
import torch

LLAMA3 = {
    "model_type": "llama", "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256,
    "rms_norm_eps": 1e-5, "rope_theta": 500000.0, "max_position_embeddings": 131072,
}
SCALING = {"rope_type": "llama3", "low_freq_factor": 1.0, "high_freq_factor": 4.0,
           "original_max_position_embeddings": 8192}
MODELS = {
    "tiny": tiny_model.OTHER_CONFIG | {"hidden_size": 256, "intermediate_size": 384, "num_attention_heads": 4,
                                       "max_position_embeddings": 8192},
    "1b": LLAMA3 | {"hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 16, "head_dim": 64,
                    "tie_word_embeddings": True, "rope_scaling": SCALING | {"factor": 32.0}},
    "8b": LLAMA3 | {"hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "head_dim": 128,
                    "tie_word_embeddings": False, "rope_scaling": SCALING | {"factor": 8.0}},
}
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
GROUP = 128  # 4-bit weights that share a scale


def make(folder, name):
    torch.manual_seed(1)
    weights = {}
    for weight, shape in tiny_model.shapes(MODELS[name]):
        x = torch.randn(shape, device=DEVICE)
        x = 1 + 0.1 * x if len(shape) == 1 else x if "embed" in weight else x / shape[1] ** 0.5
        weights[weight] = x.bfloat16().view(torch.int16).cpu().numpy()
    tiny_model.write(folder, MODELS[name], weights)


def random_prompts(vocabulary, *lengths):
    random = np.random.default_rng(2)
    return [random.integers(0, vocabulary, length).tolist() for length in lengths]


def run(llama, folder, prompts, *options):
    """Run the program; return the tokens behind each prompt, and its messages."""
    ids = [",".join(map(str, prompt)) for prompt in prompts]
    done = subprocess.run([llama, folder, *options, *ids], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        sys.exit(done.stderr)
    return [[int(token) for token in line.split(",")] for line in done.stdout.split()], done.stderr.strip()


def quantized(w):
    """Round a matrix as llama --w4 does."""
    rows = w.float().unflatten(1, (-1, GROUP))
    scale = (rows.abs().amax(2, keepdim=True).clamp(min=1e-10) / 7).bfloat16().float()
    return ((rows / scale).round().clamp(-8, 7) * scale).flatten(1).to(w.dtype)


def logits(config, weights, ids, count):
    """The logits behind the last `count` tokens."""
    run = ref.runner(config, ref.rope_tables(config, len(ids), DEVICE), ref)
    x = ref.features(config, weights, torch.tensor([ids], device=DEVICE), run, ref)
    return ref.linear(x[0, -count:], weights["head"]).float().cpu().numpy()


def check(folder, llama, steps=16):
    config, weights = ref.load(folder, DEVICE, torch.bfloat16)
    prompts = random_prompts(config["vocab_size"], 1, 70, 300)
    for option in ([], ["--w4"]):
        for i in range(config["num_hidden_layers"] if option else 0):
            weights[i] = {name: quantized(w) if w.ndim == 2 else w for name, w in weights[i].items()}
        wide = {key: w.float() if torch.is_tensor(w) else {name: t.float() for name, t in w.items()}
                for key, w in weights.items()}
        for given in (prompts, prompts[1:2]):  # alone, a sequence is decoded by other kernels
            file = pathlib.Path(folder) / "logits"
            tokens, _ = run(llama, folder, given, "-n", str(steps), "--logits", file, *option)
            found = np.fromfile(file, np.float32).reshape(steps, len(given), -1)
            for b, (prompt, new) in enumerate(zip(given, tokens)):
                expected, rounded = (logits(config, w, prompt + new[:-1], steps) for w in (wide, weights))
                compare(f"{' '.join(option) or 'bf16'}, prompt {b + 1} of {len(given)}, {len(prompt)} tokens",
                        found[:, b], expected, rounded, new)


def compare(what, found, expected, rounded, tokens):
    """The program's error is at most 1.5 times that of PyTorch in bf16; both are against PyTorch in f32."""
    def size(x):
        return np.sqrt((x.astype(np.float64) ** 2).mean())
    error, allowed = size(found - expected), 1.5 * size(rounded - expected)
    same = int((expected.argmax(1) == tokens).sum())
    print(f"{what}: logits of size {size(expected):.3f}, off by {error:.4f}, PyTorch in bf16 by {allowed / 1.5:.4f}; "
          f"{same} of {len(tokens)} tokens are PyTorch's")
    assert error < allowed < 0.15 * size(expected), "the logits differ"


class Decoder:
    """PyTorch's step of decoding: compiled layers over a cache of fixed size, captured in one CUDA graph."""

    def __init__(self, config, weights, batch, length, capacity):
        self.config, self.weights = config, weights
        self.heads, width = config["num_attention_heads"], config["head_dim"]
        self.tables = ref.rope_tables(config, capacity, DEVICE)
        shape = config["num_hidden_layers"], 2, batch, config["num_key_value_heads"], capacity, width
        self.cache = torch.zeros(shape, device=DEVICE, dtype=torch.bfloat16)
        self.token = torch.zeros(batch, 1, device=DEVICE, dtype=torch.int64)
        self.position = torch.full((1,), length, device=DEVICE)
        self.layer = torch.compile(self.one_layer, dynamic=False)
        self.tail = torch.compile(self.choose, dynamic=False)

    def one_layer(self, w, x, cache, position, cosine, sine):
        def attend(qkv):
            batch, _, count, width = qkv.shape
            keys = (count - self.heads) // 2
            q, k, v = qkv.split([self.heads, keys, keys], 2)
            q, k = (ref.rotate(t, cosine[position], sine[position]) for t in (q, k))
            cache[0].index_copy_(2, position, k.transpose(1, 2))
            cache[1].index_copy_(2, position, v.transpose(1, 2))
            q = q.reshape(batch, keys, self.heads // keys, width)
            scores = (q @ cache[0].transpose(2, 3)).float() / width ** 0.5
            unseen = torch.arange(cache.shape[3], device=q.device) > position
            o = scores.masked_fill(unseen, -torch.inf).softmax(-1).to(q.dtype) @ cache[1]
            return o.reshape(batch, 1, self.heads, width)
        return ref.layer(self.config, w, x, attend, ref)

    def choose(self, x, norm, head):
        return ref.linear(ref.rms_norm(x, norm, self.config["rms_norm_eps"]), head).float().argmax(-1)

    def step(self):
        x = ref.embedding(self.token, self.weights["embedding"])
        for i in range(self.config["num_hidden_layers"]):
            x = self.layer(self.weights[i], x, self.cache[i], self.position, *self.tables)
        self.token.copy_(self.tail(x, self.weights["norm"], self.weights["head"]))
        self.position += 1


def seconds(function, count):
    """Return the time of a call, of `count` in a row."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(count):
        function()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / 1e3 / count


def torch_decode(config, weights, length, steps):
    decoder = Decoder(config, weights, 1, length, length + steps)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            decoder.step()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            decoder.step()
        graph.replay()
        decoder.position.fill_(length)
        return seconds(graph.replay, steps - 1)


def torch_prefill(config, weights, ids):
    tokens, tables = torch.tensor([ids], device=DEVICE), ref.rope_tables(config, len(ids), DEVICE)
    layer = torch.compile(ref.runner(config, tables, ref), dynamic=False)

    def prefill():
        x = ref.features(config, weights, tokens, layer, ref)
        return ref.linear(x[:, -1:], weights["head"]).argmax(-1)
    for _ in range(3):
        prefill()
    return seconds(prefill, 5)


def step_bytes(config, weights, keys):
    """Return the bytes of weights and of cache that a step reads."""
    layers = range(config["num_hidden_layers"])
    matrices = [w for i in layers for w in weights[i].values() if w.ndim == 2] + [weights["head"]]
    return 2 * sum(w.numel() for w in matrices) + 4 * keys * len(layers) * config["num_key_value_heads"] * \
        config["head_dim"]


def bench(folder, llama, length=128, steps=256, longest=4096):
    config = json.loads((pathlib.Path(folder) / "config.json").read_text())
    short, long = random_prompts(config["vocab_size"], length, longest)
    for prompt, options in ((short, ["-n", str(steps)]), (short, ["-n", str(steps), "--w4"]), (long, ["-n", "2"]),
                            (long, ["-n", "2", "--w4"])):
        _, said = run(llama, folder, [prompt], "--bench", *options)
        print(f"cucore, prompt of {len(prompt)}, {' '.join(options)}: {'; '.join(said.splitlines())}", flush=True)
    config, weights = ref.load(folder, DEVICE, torch.bfloat16)
    torch._dynamo.reset()
    took = torch_prefill(config, weights, long)
    print(f"PyTorch, prompt of {longest}, torch.compile: {longest / took:.0f} tokens/s", flush=True)
    for tuned in (False, True):
        torch._inductor.config.coordinate_descent_tuning = tuned
        torch._dynamo.reset()
        begin = time.time()
        took = torch_decode(config, weights, length, steps)
        rate = step_bytes(config, weights, length + steps / 2) / took
        print(f"PyTorch, decoding behind {length}, torch.compile{', tuned' * tuned}, CUDA graph: {1 / took:.0f} "
              f"tokens/s, {took * 1e3:.3f} ms a step, {rate / 1e12:.2f} TB/s (compiled in {time.time() - begin:.0f} s)",
              flush=True)


if __name__ == "__main__":
    torch.set_grad_enabled(False)
    {"make": make, "check": check, "bench": bench}[sys.argv[1]](*sys.argv[2:])
