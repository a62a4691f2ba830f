#!/usr/bin/env python3
"""Compile random small tile sources that are as expensive as possible within the default budget.

    stress_budget.py CUCORE [--count N] [--seed N] [--seconds S] [--megabytes M]

Each source has less than 2 kB. It must compile, or fail with one of the compiler's error codes,
within S seconds of CPU time (2 by default) and M MB of memory (512 by default). Prints the seed,
percentiles and the worst sources; exits 1 if a source exceeds a limit.
"""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

UNARY = ["sin", "exp", "log", "erf", "tanh", "sqrt", "abs", "tan", "cos", "exp2"]
TARGETS = ["sm_80", "sm_90a", "sm_100"]

# Sources that once exceeded the limits; they run first.
FOUND = ["""kernel k(a: f32[N], b: f32[N]) grid 1 {
    x = load(a, [0], [4194304])
    static for j1 in 0 .. 100 { static for j0 in 0 .. 100 { x = reshape(trans(reshape(x, [1048576, 4])), [4194304]) } }
    store(b, [0], x)
}
""", """kernel k(a: bf16[N], b: bf16[N]) grid 1 {
    x = load(a, [0], [524288])
    static for j1 in 0 .. 4096 { static for j0 in 0 .. 10 { x = x + sum(x, 0) } }
    store(b, [0], x)
}
""", """kernel k(a: f32[N], b: f32[N]) grid 1 {
    x = load(a, [0], [32768])
    static for j1 in 0 .. 4096 { static for j0 in 0 .. 10 { x = tan(x) } }
    x = x + sum(x, 0)
    store(b, [0], x)
}
""", """kernel k(a: f32[N], b: f32[N]) grid 1 {
    x = load(a, [0], [8192])
    s = sum(x, 0)
    static for j in 0 .. 40 { x = x * x + x }
    store(b, [0], x + s)
}
""", """kernel k(a: f32[N], b: f32[N]) const A0 = auto(1, 2), A1 = auto(1, 2), A2 = auto(1, 2), A3 = auto(1, 2),
        A4 = auto(1, 2), A5 = auto(1, 2), A6 = auto(1, 2), A7 = auto(1, 2), A8 = auto(1, 2) grid 1 {
    x = load(a, [0], [1024])
    for j1 in 0 .. 10 { static for j0 in 0 .. 100 { x = sort(x, 0) } }
    x = x * cast(A0 + A1 + A2 + A3 + A4 + A5 + A6 + A7 + A8, f32)
    store(b, [0], x)
}
"""]


def statement(rng, extent):
    """Return an assignment to the tile x, possibly in loops that may be unrolled."""
    op = rng.choice([
        *[f"x = {name}(x)" for name in UNARY], "x = cumsum(x, 0)", "x = sort(x, 0)", "x = -x", "x = x * x + x",
        "x = x + sum(x, 0)", "x = x / (x + 1.0)", "x = x % 3.0", "x = where(x > 0.0, x, -x)",
        f"x = x + load(a, [i], [{extent}])",
        f"x = reshape(trans(reshape(x, [{extent // 4}, 4])), [{extent}])"])
    for depth in range(rng.choice([0, 0, 1, 2])):
        loop = rng.choice(["static for", "static for", "for"])
        op = f"{loop} j{depth} in 0 .. {rng.choice([2, 10, 100, 4096])} {{ {op} }}"
    return op


def source(rng):
    dtype, extent = rng.choice(["f64", "f32", "f16", "bf16"]), 1 << rng.randint(4, 22)
    body = ["i = block(0)", f"x = load(a, [0], [{extent}])"]
    body += [statement(rng, extent) for _ in range(rng.randint(1, 6))]
    autos = [f"A{i}" for i in range(rng.choice([0, 0, 0, 3, 9]))]
    constants = " const " + ", ".join(f"{name} = auto(1, 2)" for name in autos) if autos else ""
    if autos:
        body.append(f"x = x * cast({' + '.join(autos)}, {dtype})")
    lines = "\n".join(f"    {line}" for line in [*body, "store(b, [0], x)"])
    return f"kernel k(a: {dtype}[N], b: {dtype}[N]){constants} grid 1 {{\n{lines}\n}}\n"


def compile_one(program, path, target):
    """Compile once; return (CPU seconds, MB, "ok" or the code)."""
    child = subprocess.Popen([program, "compile", path, "--arch", target, "--dim", "N=4096", "--emit", "ptx", "-o",
                              "/dev/null"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    code = re.search(r"error (T\d+)", said)
    word = "ok" if status == 0 else code[1] if code else f"status {status:#x}: {said[:200]}"
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, word


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=250)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "little"))
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--megabytes", type=float, default=512)
    given = parser.parse_args()
    rng, rows = random.Random(given.seed), []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "k.tile")
        for text in FOUND + [source(rng) for _ in range(given.count)]:
            target = rng.choice(TARGETS)
            assert len(text) < 2048
            with open(path, "w") as file:
                file.write(text)
            rows.append((*compile_one(given.program, path, target), target, text))
    print(f"seed {given.seed}: {len(rows)} sources")
    for what, at in (("CPU s", 0), ("MB", 1)):
        values = sorted(row[at] for row in rows)
        print(what, *(f"p{p} {values[(len(values) - 1) * p // 100]:.2f}" for p in (50, 95, 99, 100)))
    words = [row[2] for row in rows]
    print(*(f"{word}: {words.count(word)}" for word in sorted(set(words))), sep=", ")
    bad = [row for row in rows if row[0] > given.seconds or row[1] > given.megabytes or row[2].startswith("status")]
    for row in bad or sorted(rows, reverse=True)[:1]:
        print("{:.2f} s, {:.0f} MB, {}, {}\n{}".format(*row))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
