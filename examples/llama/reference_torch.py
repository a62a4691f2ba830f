"""A Llama model in plain PyTorch: the reference of compare_torch.py and train.py.

Its operations are functions of this module. train.py has the same ones on cucore's kernels, and passes them as `ops`.
"""
import json
import pathlib
import struct

import tiny_model
import torch
import torch.nn.functional as F


def load(folder, device, dtype):
    """Return the configuration and the weights of a checkpoint with one file."""
    folder = pathlib.Path(folder)
    config = json.loads((folder / "config.json").read_text())
    path = folder / "model.safetensors"
    with open(path, "rb") as file:
        size, = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(size))
    data = torch.from_file(str(path), size=path.stat().st_size, dtype=torch.uint8)[8 + size:]

    def get(*names):
        parts = []
        for name in names:
            entry = header[name + ".weight"]
            begin, end = entry["data_offsets"]
            bits = data[begin:end].to(device)
            parts.append(bits.view(torch.bfloat16).reshape(entry["shape"]))
        return torch.cat(parts).to(dtype)
    return config, collect(config, get)


def collect(config, get):
    """Return the weights by layer, and those of no layer by name. Matrices with the same input are one: get() joins
    the rows of weights."""
    def layer(prefix):
        return {"attention_norm": get(prefix + "input_layernorm"),
                "qkv": get(*(f"{prefix}self_attn.{p}_proj" for p in "qkv")),
                "out": get(prefix + "self_attn.o_proj"),
                "mlp_norm": get(prefix + "post_attention_layernorm"),
                "gate_up": get(prefix + "mlp.gate_proj", prefix + "mlp.up_proj"),
                "down": get(prefix + "mlp.down_proj")}
    weights = {i: layer(f"model.layers.{i}.") for i in range(config["num_hidden_layers"])}
    weights |= {"embedding": get("model.embed_tokens"), "norm": get("model.norm")}
    tied = config["tie_word_embeddings"]
    return weights | {"head": weights["embedding"] if tied else get("lm_head")}


def rope_tables(config, count, device):
    """Cosine and sine of the angles, f32 [position, pair]."""
    angle = torch.arange(count, dtype=torch.float64)[:, None] * torch.from_numpy(tiny_model.frequencies(config))
    return angle.cos().float().to(device), angle.sin().float().to(device)


def embedding(ids, table):
    return F.embedding(ids, table)


def rms_norm(x, w, eps):
    h = x.float()
    return (h * torch.rsqrt(h.square().mean(-1, keepdim=True) + eps) * w.float()).to(x.dtype)


def linear(x, w, residual=None):
    y = F.linear(x, w)
    return y if residual is None else residual + y


def swiglu(gate_up):
    gate, up = gate_up.float().chunk(2, -1)
    return (F.silu(gate) * up).to(gate_up.dtype)


def rotate(x, cosine, sine):
    """Rotary embedding of [batch, position, head, width]."""
    u, v = x.float().chunk(2, -1)
    c, s = cosine[:, None], sine[:, None]
    return torch.cat((u * c - v * s, v * c + u * s), -1).to(x.dtype)


def attention(qkv, heads, tables):
    """Causal attention of queries and keys at positions 0 and up. qkv: [batch, position, heads and key heads, width]"""
    key_heads = (qkv.shape[2] - heads) // 2
    q, k, v = qkv.split([heads, key_heads, key_heads], 2)
    q, k, v = (x.transpose(1, 2) for x in (rotate(q, *tables), rotate(k, *tables), v))
    if hasattr(F, "scaled_dot_product_attention"):
        o = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
    else:  # before PyTorch 2
        k, v = (x.repeat_interleave(heads // key_heads, 1) for x in (k, v))
        scores = (q @ k.transpose(2, 3)).float() / qkv.shape[3] ** 0.5
        hidden = torch.ones(scores.shape[2:], dtype=torch.bool, device=q.device).triu(1)
        o = scores.masked_fill(hidden, -torch.inf).softmax(-1).to(v.dtype) @ v
    return o.transpose(1, 2)


def loss(x, w, targets):
    """Mean cross entropy of the logits x w'."""
    return F.cross_entropy(F.linear(x, w).float().flatten(0, -2), targets.flatten())


def layer(config, w, x, attend, ops):
    """A layer of the network, for x [batch, position, hidden]. attend() takes the queries, keys and values."""
    eps = config["rms_norm_eps"]
    qkv = ops.linear(ops.rms_norm(x, w["attention_norm"], eps), w["qkv"])
    o = attend(qkv.unflatten(-1, (-1, config["head_dim"])))
    x = ops.linear(o.flatten(-2), w["out"], x)
    gate_up = ops.linear(ops.rms_norm(x, w["mlp_norm"], eps), w["gate_up"])
    return ops.linear(ops.swiglu(gate_up), w["down"], x)


def runner(config, tables, ops):
    """Return the function of a layer's weights and x, for tokens at positions 0 and up."""
    def attend(qkv):
        return ops.attention(qkv, config["num_attention_heads"], tables)
    return lambda w, x: layer(config, w, x, attend, ops)


def features(config, weights, ids, run, ops):
    """Run the network on tokens [batch, position] up to the last norm."""
    x = ops.embedding(ids, weights["embedding"])
    for i in range(config["num_hidden_layers"]):
        x = run(weights[i], x)
    return ops.rms_norm(x, weights["norm"], config["rms_norm_eps"])
