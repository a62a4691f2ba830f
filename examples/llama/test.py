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

# One prompt fills more than a page of the cache, and the tokens behind another one go on to the next.
PROMPTS = [[1, 15, 7, 33, 90, 2, 64, 8, 4199, 77, 20], [5], [i * 37 % 4200 for i in range(134)],
           [i * 53 % 4200 for i in range(126)]]
TOKENS = 5


def run(*arguments):
    done = subprocess.run([sys.argv[1], *map(str, arguments)], text=True, stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit(done.returncode)  # 77: there is no GPU
    return [[int(token) for token in line.split(",")] for line in done.stdout.split()]


def generate(folder, prompts, *options, tokens=TOKENS):
    """Return the tokens that follow each prompt, and the logits of each step."""
    file = folder / "logits"
    ids = [",".join(map(str, prompt)) for prompt in prompts]
    rows = run(folder, "-n", tokens, "--logits", file, *options, *ids)
    return rows, np.fromfile(file, np.float32).reshape(tokens, len(prompts), -1)


def size(x):
    return np.sqrt((x ** 2).mean())


def compare(what, config, weights, prompts, tokens, logits):
    """The logits may be off by little more than rounding to bf16 explains. Follows the program's
    tokens, so that one near tie does not hide all later steps."""
    for b, prompt in enumerate(prompts):
        ids, steps = prompt + tokens[b], slice(len(prompt) - 1, -1)
        expected = tiny_model.reference(config, weights, ids)[steps]
        rounded = tiny_model.reference(config, weights, ids, tiny_model.bf16)[steps]
        error, allowed = size(logits[:, b] - expected), 1.5 * size(rounded - expected)
        print(f"{what}, prompt {b}: tokens {tokens[b]}, logits of size {size(expected):.2f} off by {error:.4f}, "
              f"at most {allowed:.4f}")
        assert error < allowed < 0.1 * size(expected), "the logits differ"
        # If the largest logits are closer than the largest error, another of them may win.
        slack = 2 * np.abs(logits[:, b] - expected).max()
        chosen = expected[np.arange(TOKENS), tokens[b]]
        assert np.all(chosen >= expected.max(1) - slack), "wrong tokens"


def test_greedy(folder, weights):
    tokens, logits = generate(folder, PROMPTS)
    compare("greedy", tiny_model.CONFIG, weights, PROMPTS, tokens, logits)
    alone, _ = generate(folder, PROMPTS, "--temperature", 1, "--top-k", 1)
    assert alone == tokens, f"--top-k 1 chose {alone}"
    alone, _ = generate(folder, PROMPTS, "--temperature", 1, "--top-p", 0)
    assert alone == tokens, f"--top-p 0 chose {alone}"


def test_sampling(folder):
    """The choices for many equal prompts have the probabilities of the softmax."""
    prompts, temperature = [[5]] * 250, 2.0
    for options, kept in ((["--top-k", 4], 4), (["--top-p", 0.1], None), ([], None)):
        tokens, logits = generate(folder, prompts, "--temperature", temperature, *options, tokens=1)
        scores = np.sort(logits[0, 0].astype(np.float64))[::-1] / temperature
        p = np.exp(scores - scores[0])
        p /= p.sum()
        if "--top-p" in options:
            kept = int((np.cumsum(p) < options[1]).sum()) + 1
        kept = kept or len(p)
        chosen = np.array([(logits[0, 0] > logits[0, 0, row[0]]).sum() for row in tokens])
        assert chosen.max() < kept, f"{options}: chose token {chosen.max()} of {kept}"
        half = int((np.cumsum(p[:kept]) < p[:kept].sum() / 2).sum()) + 1
        expected, got = p[:half].sum() / p[:kept].sum(), (chosen < half).mean()
        print(f"{options}: {got:.3f} of the choices are of the {half} likeliest tokens of {kept}, "
              f"expected {expected:.3f}")
        assert abs(got - expected) < 3 * np.sqrt(expected * (1 - expected) / len(prompts))


def four_bits(weights):
    return {name: tiny_model.quantized(w) if "proj" in name else w for name, w in weights.items()}


def test_four_bits(folder, weights):
    tokens, logits = generate(folder, PROMPTS, "--w4")
    compare("4 bits", tiny_model.CONFIG, four_bits(weights), PROMPTS, tokens, logits)


def test_one_sequence(folder, config, weights, *options):
    """Products of one row have kernels of their own: in each step, and in the pass over a prompt of one token."""
    for prompt in ([9 * i % 96 for i in range(70)], [5]):
        tokens, logits = generate(folder, [prompt], *options)
        compare(f"one sequence {' '.join(options)}", config, weights, [prompt], tokens, logits)


def test_other_shapes(folder, weights):
    prompts = [[i * 7 % 96 for i in range(100)], [1]]
    tokens, logits = generate(folder, prompts)
    compare("other shapes", tiny_model.OTHER_CONFIG, weights, prompts, tokens, logits)


def write(folder, config):
    """Write a model and return its weights."""
    bits = tiny_model.make(config)
    tiny_model.write(folder, config, bits)
    return {name: tiny_model.from_bf16(value) for name, value in bits.items()}


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        weights = write(folder, tiny_model.CONFIG)
        test_greedy(folder, weights)
        test_sampling(folder)
        test_four_bits(folder, weights)
        test_one_sequence(folder, tiny_model.CONFIG, weights)
        test_one_sequence(folder, tiny_model.CONFIG, four_bits(weights), "--w4")
        weights = write(folder, tiny_model.OTHER_CONFIG)
        test_other_shapes(folder, weights)
        test_one_sequence(folder, tiny_model.OTHER_CONFIG, weights)


main()
