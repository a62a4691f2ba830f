#!/usr/bin/env python3
"""tiny_model.py FOLDER: writes a tiny random Llama model, config.json and model.safetensors in bf16.

reference() computes its logits in double precision, from the same weights.
"""
import json
import pathlib
import struct
import sys

import numpy as np

CONFIG = {
    "model_type": "llama", "hidden_size": 128, "intermediate_size": 256, "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 32, "vocab_size": 4200,
    "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "max_position_embeddings": 160,
    "tie_word_embeddings": False,
}

# Tied embeddings, other shapes, and positions as in Llama 3.1.
OTHER_CONFIG = CONFIG | {
    "hidden_size": 192, "intermediate_size": 320, "num_hidden_layers": 1, "num_attention_heads": 3,
    "num_key_value_heads": 1, "head_dim": 64, "vocab_size": 96, "tie_word_embeddings": True,
    "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
                     "high_freq_factor": 4.0, "original_max_position_embeddings": 64},
}


def to_bf16(x):
    """Round f32 to bf16 and return its bits."""
    bits = x.astype(np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def bf16(x):
    return from_bf16(to_bf16(x))


def shapes(config):
    """Name and shape of each weight."""
    hidden, inner, width = config["hidden_size"], config["intermediate_size"], config["head_dim"]
    queries, keys = (width * config[f"num_{kind}_heads"] for kind in ("attention", "key_value"))
    yield "model.embed_tokens.weight", (config["vocab_size"], hidden)
    for i in range(config["num_hidden_layers"]):
        layer = f"model.layers.{i}."
        yield layer + "input_layernorm.weight", (hidden,)
        yield layer + "self_attn.q_proj.weight", (queries, hidden)
        yield layer + "self_attn.k_proj.weight", (keys, hidden)
        yield layer + "self_attn.v_proj.weight", (keys, hidden)
        yield layer + "self_attn.o_proj.weight", (hidden, queries)
        yield layer + "post_attention_layernorm.weight", (hidden,)
        yield layer + "mlp.gate_proj.weight", (inner, hidden)
        yield layer + "mlp.up_proj.weight", (inner, hidden)
        yield layer + "mlp.down_proj.weight", (hidden, inner)
    yield "model.norm.weight", (hidden,)
    if not config["tie_word_embeddings"]:
        yield "lm_head.weight", (config["vocab_size"], hidden)


def make(config, seed=1):
    """Random weights by name, as bits of bf16."""
    random, weights = np.random.default_rng(seed), {}
    for name, shape in shapes(config):
        if len(shape) == 1:
            weights[name] = to_bf16(1 + 0.1 * random.standard_normal(shape))
        else:
            scale = 1 if "embed" in name else 2 / np.sqrt(shape[1])
            weights[name] = to_bf16(scale * random.standard_normal(shape))
    return weights


def write(folder, config, weights):
    header, offset = {}, 0
    for name, bits in weights.items():
        header[name] = {"dtype": "BF16", "shape": bits.shape,
                        "data_offsets": [offset, offset + bits.nbytes]}
        offset += bits.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    with open(folder / "model.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for bits in weights.values():
            file.write(bits.data)


def quantized(w, group=128):
    """Round a matrix to 4 bits as llama --w4 does, and return the rounded matrix."""
    rows = w.reshape(w.shape[0], -1, group)
    scale = from_bf16(to_bf16(np.maximum(np.abs(rows).max(2, keepdims=True), 1e-10) / 7))
    return bf16((np.clip(np.rint(rows / scale), -8, 7) * scale).reshape(w.shape))


def norm(x, w, eps):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * w


def frequencies(config):
    """The angle between positions, for each pair of elements."""
    half = config["head_dim"] // 2
    frequency = config["rope_theta"] ** (-np.arange(half) / half)
    scaling = config.get("rope_scaling")
    if scaling:
        turns = scaling["original_max_position_embeddings"] * frequency / (2 * np.pi)
        low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
        keep = np.clip((turns - low) / (high - low), 0, 1)
        frequency = keep * frequency + (1 - keep) * frequency / scaling["factor"]
    return frequency


def rotate(x, frequency):
    """Rotary embedding of x, [positions, heads, width]."""
    half = x.shape[-1] // 2
    angle = np.arange(len(x))[:, None] * frequency
    c, s, u, v = np.cos(angle)[:, None], np.sin(angle)[:, None], x[..., :half], x[..., half:]
    return np.concatenate([u * c - v * s, v * c + u * s], -1)


def attend(q, k, v):
    """Causal attention of [positions, heads, width]."""
    k, v = (np.repeat(x, q.shape[1] // x.shape[1], 1) for x in (k, v))
    scores = np.einsum("qhd,khd->hqk", q, k) / np.sqrt(q.shape[-1])
    scores[:, np.triu(np.ones(scores.shape[1:], bool), 1)] = -np.inf
    p = np.exp(scores - scores.max(-1, keepdims=True))
    return np.einsum("hqk,khd->qhd", p / p.sum(-1, keepdims=True), v).reshape(len(q), -1)


def reference(config, weights, ids, store=lambda x: x):
    """The logits behind each of the ids. store rounds what the program stores."""
    eps, width, turn = config["rms_norm_eps"], config["head_dim"], frequencies(config)
    table = weights["model.embed_tokens.weight"]
    head = table if config["tie_word_embeddings"] else weights["lm_head.weight"]
    x = table[ids]
    for i in range(config["num_hidden_layers"]):
        def w(name):
            return weights[f"model.layers.{i}.{name}.weight"]
        h = store(norm(x, w("input_layernorm"), eps))
        q, k, v = (store(h @ w(f"self_attn.{p}_proj").T).reshape(len(x), -1, width) for p in "qkv")
        o = store(attend(store(rotate(q, turn)), store(rotate(k, turn)), v))
        x = store(x + o @ w("self_attn.o_proj").T)
        h = store(norm(x, w("post_attention_layernorm"), eps))
        gate, up = (store(h @ w(f"mlp.{p}_proj").T) for p in ("gate", "up"))
        x = store(x + store(gate / (1 + np.exp(-gate)) * up) @ w("mlp.down_proj").T)
    return store(norm(x, weights["model.norm.weight"], eps)) @ head.T


if __name__ == "__main__":
    write(sys.argv[1], CONFIG, make(CONFIG))
