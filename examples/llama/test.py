#!/usr/bin/env python3
"""test.py LLAMA: compares the logits and tokens of a tiny random model with a reference in NumPy."""
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import tiny_model
except ImportError:
    print("skipped: no NumPy")
    sys.exit(77)

PROMPTS = [[1, 15, 7, 33, 90, 2, 64, 8, 41, 77, 20], [5], [60, 3, 3, 18, 95, 0]]
TOKENS = 5


def run(*arguments):
    out = subprocess.run([sys.argv[1], *map(str, arguments)], check=True, text=True,
                         stdout=subprocess.PIPE).stdout
    return [[int(token) for token in line.split(",")] for line in out.split()]


def generate(folder, prompts, *options):
    """Return the tokens that follow each prompt, and the logits of each step."""
    file = folder / "logits"
    ids = [",".join(map(str, prompt)) for prompt in prompts]
    tokens = run(folder, "-n", TOKENS, "--logits", file, *options, *ids)
    return tokens, np.fromfile(file, np.float32).reshape(TOKENS, len(prompts), -1)


def size(x):
    return np.sqrt((x ** 2).mean())


def compare(what, weights, prompts, tokens, logits, greedy=True):
    """The logits may be off by little more than rounding to bf16 explains. Follows the program's
    tokens, so that one near tie does not hide all later steps."""
    for b, prompt in enumerate(prompts):
        ids, steps = prompt + tokens[b], slice(len(prompt) - 1, -1)
        expected = tiny_model.reference(tiny_model.CONFIG, weights, ids)[steps]
        rounded = tiny_model.reference(tiny_model.CONFIG, weights, ids, tiny_model.bf16)[steps]
        error, allowed = size(logits[:, b] - expected), 1.5 * size(rounded - expected)
        print(f"{what}, prompt {b}: tokens {tokens[b]}, logits of size {size(expected):.2f} off by {error:.4f}, "
              f"at most {allowed:.4f}")
        assert error < allowed < 0.1 * size(expected), "the logits differ"
        # If the largest logits are closer than the largest error, another of them may win.
        slack = 2 * np.abs(logits[:, b] - expected).max()
        chosen = expected[np.arange(TOKENS), tokens[b]]
        assert not greedy or np.all(chosen >= expected.max(1) - slack), "wrong tokens"


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        bits = tiny_model.make(tiny_model.CONFIG)
        tiny_model.write(folder, tiny_model.CONFIG, bits)
        weights = {key: tiny_model.from_bf16(value) for key, value in bits.items()}

        tokens, logits = generate(folder, PROMPTS)
        compare("greedy", weights, PROMPTS, tokens, logits)

        greedy, _ = generate(folder, PROMPTS, "--temperature", 1, "--top-k", 1)
        assert greedy == tokens, f"top-k 1: {greedy}"
        sampled, logits = generate(folder, PROMPTS, "--temperature", 1.5, "--top-k", 4, "--seed", 7)
        compare("top-k 4", weights, PROMPTS, sampled, logits, greedy=False)
        for b, row in enumerate(sampled):
            for step, token in enumerate(row):
                assert (logits[step, b] > logits[step, b, token]).sum() < 4, "not one of the top 4"
        assert sampled != tokens, "not random"

        rounded = {key: tiny_model.quantized(value) if "proj" in key else value
                   for key, value in weights.items()}
        tokens, logits = generate(folder, PROMPTS, "--w4")
        compare("4 bits", rounded, PROMPTS, tokens, logits)


main()
