#!/usr/bin/env python3
"""Print the performance goals of tile programs, and whether they are met: goals.py RESULT.json...

Reads results of cucore bench (suites elementwise, norms, reductions, algorithms, gemm, attention,
compile) measured on a GPU. Compares speeds only within one run. Exits with status 1 if a goal is
missed or not measured.
"""
import json
import math
import pathlib
import sys

MIB = 1 << 20


def faster_of(*speeds):
    """Return the highest measured speed; None if there is none."""
    return max((s for s in speeds if s), default=None)


def norm(speed, size):
    """Goal: the fastest of Triton; 1.4 times PyTorch, but at most 92 % of a copy; and, for large
    arrays, 85 % of a copy."""
    torch, copy = speed.get("torch"), speed.get("copy")
    return faster_of(torch and copy and min(1.4 * torch, 0.92 * copy), speed.get("triton"),
                     copy and size >= 256 * MIB and 0.85 * copy)


def vadd(speed, size):
    """Goal for 2^28 elements: 0.99 of handwritten CUDA C++."""
    return size >= 1536 * MIB and 0.99 * speed.get("cuda", 0)


def transpose(speed, size):
    """Goal from 256 MiB on: 0.9 of a copy."""
    return size >= 256 * MIB and 0.9 * speed.get("copy", 0)


def reduction(speed, size):
    """Goal from 1 GiB on: 0.8 of a copy."""
    return size >= 1024 * MIB and 0.8 * speed.get("copy", 0)


def algorithm(speed, size):
    """Goal from 64 MiB on: the faster of PyTorch and CuPy."""
    return size >= 64 * MIB and faster_of(speed.get("torch"), speed.get("cupy"))


def compilation(speed, _size):
    """Goal: a tenth of nvJitLink's time and at most 5 ms, or 1 ms for vadd."""
    return faster_of(10 * speed.get("nvjitlink", 0), speed["least"])


def attention(speed, _size):
    """Goal: 0.85 of cuDNN through PyTorch, and 1.3 times its FlashAttention-2."""
    return faster_of(0.85 * speed.get("torch_cudnn", 0), 1.3 * speed.get("torch_flash", 0))


SHARES = {"gemm/square": 1.0, "gemm/batched": 1.0, "gemm/grouped": 1.0, "gemm/after": 1.0,
          "gemm/wide": 0.97, "gemm/skinny": 0.95, "gemm/fast": 0.95}
# In these cases only the listed points have goals.
POINTS = {"gemm/skinny": {"128x4096x4096", "16x8192x8192", "4096x4096x128", "256x256x8192"},
          "gemm/batched": {"1024"}, "gemm/after": {"8192x8192x4096"}}
# Cases whose geometric mean over the shapes should reach cuBLASLt's speed, with 30 shapes per
# dtype.
MEAN = {"gemm/square": ({"1024", "2048", "4096", "8192", "16384"}, {"nn", "nt", "tn", "tt"}),
        "gemm/wide": ({"4096x12288x2560", "14336x4096x4096", "1024x8192x8192"}, {"nn", "tn"}),
        "gemm/skinny": (POINTS["gemm/skinny"], {"tn"})}
MEAN_OF = 30


ALGORITHMS = {f"algorithms/{case}" for case in (
    "sum", "scan", "sort", "argsort", "sort_rows", "select", "unique", "topk", "topk_rows", "histogram_bytes",
    "histogram", "reduce_by_key", "search")}


def product(name):
    """Return the goal function of a matrix product: a fraction of cuBLASLt's speed that depends on
    the case and, for bf16, also 1.1 times Triton's. Epilogues that cuBLASLt lacks are compared with
    PyTorch, which computes the product and then the epilogue."""
    def goal(speed, _size, axes):
        dtype, shape = axes["dtype"], axes["shape"]
        share = SHARES[name]
        if name == "gemm/square" and dtype not in ("f16", "bf16"):
            share = 0.95 if axes["layout"] == "tn" and shape in ("4096", "8192") else 0
        elif name == "gemm/square" and shape in ("512", "1024", "2048"):
            share = 0.97 if shape != "512" else 0
        if dtype not in ("f16", "bf16") and name not in ("gemm/square", "gemm/fast"):
            share = 0
        if shape not in POINTS.get(name, {shape}):
            share = 0
        if axes.get("after") == "silu":
            return share and 1.3 * speed.get("torch", 0)
        return faster_of(share * speed.get("cublaslt", 0),
                         dtype == "bf16" and share and 1.1 * speed.get("triton", 0))
    return goal


def portable(speed, axes):
    """Goal of the sm_80 code for 16-bit floats: 0.9 of Triton's product without TMA."""
    return (axes["dtype"] in ("f16", "bf16") and axes["shape"] in ("4096", "8192")
            and 0.9 * speed.get("triton_plain", 0))


# Maps each case to its goal: the minimum speed, computed from the other subjects' speeds and the
# bytes; 0 or None: no goal. A speed is in bytes per second, or programs per second for the
# compiler.
GOALS = {
    "elementwise/vadd": vadd,
    "elementwise/transpose": transpose,
    "norms/softmax": norm,
    "norms/layer_norm": norm,
    "norms/rms_norm": norm,
    "reductions/sum": reduction,
    "reductions/max": reduction,
    "reductions/cumsum": reduction,
    "reductions/cross_entropy": reduction,
    "attention/forward": attention,
    "compile/tile": compilation,
    **{name: algorithm for name in ALGORITHMS},
    **{name: product(name) for name in SHARES},
}


NO_LIBRARY = {"copy", "sm_80", "sm_80_small"}  # subjects that are no other library's kernels
COUNTED = {*SHARES, "attention/forward"}  # cases whose speed counts operations, not bytes


def own(name, of):
    """Return the subject to judge: the library for products and algorithms, or else the tile program."""
    mine = "cuc_gemm" if name in SHARES else "cucore" if name in ALGORITHMS else "tile"
    return mine if mine in of else None


def points(documents):
    """Yield (suite/case, axes, results by subject) for points with an unmodified tile program.
    Subjects are compared only within a run, because a GPU's speed varies with its temperature."""
    found = {}
    for run, document in enumerate(documents):
        for r in document["results"]:
            name = f"{r['suite']}/{r['case']}"
            if name in GOALS and "subject" in r and r["axes"].get("tile", "default") in ("default", "cuc_gemm"):
                axes = {k: v for k, v in r["axes"].items() if k != "tile"}
                key = (run, name, json.dumps(axes), r.get("mode", "cold"))
                found.setdefault(key, {})[r["subject"]] = r
    return [(name, {**json.loads(axes), **({} if mode == "cold" else {"mode": mode})}, of)
            for (_, name, axes, mode), of in found.items() if own(name, of)]


def speeds(name, of):
    """Return the bytes or operations per second for each measured subject."""
    unit = "flop" if name in COUNTED else "bytes"
    work = {subject: r.get(unit) or 1 for subject, r in of.items()}
    return ({subject: work[subject] / r["median_s"] for subject, r in of.items() if "median_s" in r},
            max(work.values()))


def judged(documents):
    """Yield (suite/case, axes, the tile program's speed or None, goal, why it was not measured)."""
    ratios = {}
    for name, axes, of in points(documents):
        speed, size = speeds(name, of)
        speed["least"] = 1e3 if axes.get("kernel") == "vadd" else 200
        mine = own(name, of)
        goal = GOALS[name](speed, size, axes) if name in SHARES else GOALS[name](speed, size)
        why = of[mine].get("failed") or of[mine].get("skipped")
        if goal or why:
            yield name, axes, speed.get(mine), goal, why
        if name == "gemm/square" and portable(speed, axes):
            older = faster_of(speed.get("sm_80"), speed.get("sm_80_small"))
            yield name, {**axes, "arch": "sm_80"}, older, portable(speed, axes), None
        if name == "compile/tile" and axes.get("kernel") == "gemm_nn":
            for linker in ("nvjitlink", "nvjitlink-threads"):
                if linker in speed:
                    yield name, {**axes, "subject": linker}, speed[linker], 1 / 0.15, None
        shapes, layouts = MEAN.get(name, ((), ()))
        if (axes.get("shape") in shapes and axes.get("layout") in layouts and "mode" not in axes
                and mine in speed and "cublaslt" in speed):
            ratios.setdefault(axes["dtype"], {}).setdefault(  # one count for all runs
                (name, axes["shape"], axes["layout"]), speed[mine] / speed["cublaslt"])
    for dtype, of in ratios.items():
        if len(of) == MEAN_OF:
            mean = math.exp(sum(map(math.log, of.values())) / MEAN_OF)
            yield MEAN_NAME, {"dtype": dtype}, mean, 1.0, None


MEAN_NAME = f"gemm, geometric mean of {MEAN_OF}"


def show(name, speed):
    if speed is None:
        return "-"
    if name == "compile/tile":
        return f"{1e6 / speed:.0f} us"
    if name == MEAN_NAME:
        return f"{speed:.3f}"
    return f"{speed * 1e-12:.0f} TFLOP/s" if name in COUNTED else f"{speed * 1e-9:.0f} GB/s"


HEAD = ("| kernel | case | measured | goal | share | met |\n"
        "| --- | --- | ---: | ---: | ---: | --- |\n")


def rows(documents):
    """Yield (suite/case, axes as text, speed, goal, whether it is met, why not) for each goal."""
    for name, axes, speed, goal, why in judged(documents):
        yield (name, " ".join(str(v) for k, v in axes.items() if k != "tile"), speed, goal,
               bool(speed and (not goal or speed >= goal)), why)


def row(name, where, speed, goal, kept, why):
    share = f"{speed / goal:.3f}" if speed and goal else "-"
    return (f"| {name} | {where} | {show(name, speed)} | {show(name, goal)} | {share} | "
            f"{'yes' if kept else 'no: ' + why if why else 'no'} |\n")


def table(documents):
    """Return the goals as Markdown, their number, and the number missed; "" without goals."""
    found = list(rows(documents))
    if not found:
        return "", 0, 0
    return HEAD + "".join(row(*each) for each in found), len(found), sum(not each[4] for each in found)


def summary(documents):
    """Return Markdown: a row for each kernel, then each missed goal; "" without goals."""
    kernels, missed = {}, []
    for each in rows(documents):
        kernels.setdefault(each[0], []).append(each)
        if not each[4]:
            missed.append(row(*each))
    text = "| kernel | goals met | lowest share | mean share |\n| --- | ---: | ---: | ---: |\n"
    for name, found in kernels.items():
        shares = [speed / goal for _, _, speed, goal, _, _ in found if speed and goal]
        mean = math.exp(sum(map(math.log, shares)) / len(shares)) if shares else 0
        least = f"{min(shares):.3f} | {mean:.3f}" if shares else "- | -"
        text += f"| {name} | {sum(each[4] for each in found)} of {len(found)} | {least} |\n"
    if missed:
        text += "\nMissed:\n\n" + HEAD + "".join(missed)
    return text if kernels else ""


def largest(documents):
    """Return (suite/case, axes as text, own speed, the fastest other subject, its speed) for each
    kernel's point with the most work, sorted by name."""
    most = {}
    for name, axes, of in points(documents):
        speed, size = speeds(name, of)
        mine = own(name, of)
        others = {subject: found for subject, found in speed.items()
                  if subject != mine and subject not in NO_LIBRARY}
        if name != "compile/tile" and mine in speed and others and size > most.get(name, (0,))[0]:
            other = max(others, key=others.get)
            most[name] = (size, " ".join(map(str, axes.values())), speed[mine], other, others[other])
    return [(name, *most[name][1:]) for name in sorted(most)]


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 2 if len(sys.argv) < 2 else 0
    text, count, missed = table([json.loads(pathlib.Path(p).read_text()) for p in sys.argv[1:]])
    print(text, end="")
    print(f"{count - missed} of {count} goals met")
    return int(missed > 0 or not count)


if __name__ == "__main__":
    sys.exit(main())
