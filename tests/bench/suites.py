#!/usr/bin/env python3
"""suites.py CUCORE SIMULATOR SCHEMA [FAKE]: runs the suites of cucore bench on the simulated
driver, or without a driver. Each run must write a document that follows the schema and has the
expected results and no failures. FAKE is a library that replaces cuBLASLt and cuDNN."""
import json
import math
import os
import re
import pathlib
import subprocess
import sys
import tempfile

import schema_part

CUCORE, SIMULATOR, SCHEMA = sys.argv[1:4]
FAKE = sys.argv[4] if len(sys.argv) > 4 else None
NOWHERE = "/nowhere"
ROWS = os.path.join(os.path.dirname(__file__), "../../bench/cases/runtime_cases.h")
FAST = ["--quick", "--max-seconds", "0.02", "--min-samples", "3", "--max-samples", "12"]
CHECKS = ["none", "init", "race", "async", "barrier", "all"]
schema = json.loads(pathlib.Path(SCHEMA).read_text())
problems = []


def expect(right, text):
    if not right:
        problems.append(text)


class Run:
    """Runs cucore bench once and keeps its results."""

    def __init__(self, what, *arguments, driver=SIMULATOR, status=0, **environment):
        command = [CUCORE, "bench", *arguments, *FAST, "--json", "-"]
        done = subprocess.run(command, env={**os.environ, "CUCORE_DRIVER": driver, **environment},
                              capture_output=True, text=True, check=False, timeout=120)
        self.what = what
        self.results = []
        self.document = {}
        expect(done.returncode == status,
               f"{what}: exit status {done.returncode}: {done.stderr[-500:]} {done.stdout[-500:]}")
        if done.returncode not in (0, 1) or not done.stdout:
            return
        document = json.loads(done.stdout)
        problems.extend(f"{what}: {p}" for p in schema_part.problems(schema, document))
        expect(document["machine"]["simulated"] == (driver == SIMULATOR),
               f"{what}: it does not say whether it is simulated")
        self.document = document
        self.results = document["results"]
        expect(status or not [r for r in self.results if "failed" in r],
               f"{what}: {[r for r in self.results if 'failed' in r][:3]}")
        expect(not [r for r in self.results if "share" in r], f"{what}: a share of no peak")

    def having(self, **wanted):
        """Return the results with these values of keys or axes."""
        return [r for r in self.results
                if all(r["axes"].get(k, r.get(k)) == v for k, v in wanted.items())]

    def measured(self, **wanted):
        found = [r for r in self.having(**wanted) if "median_s" in r]
        expect(found, f"{self.what}: nothing measured with {wanted}: {self.having(**wanted)[:2]}")
        return found

    def skipped(self, word, **wanted):
        found = [r for r in self.having(**wanted) if word in r.get("skipped", "")]
        expect(found, f"{self.what}: nothing skipped for '{word}' with {wanted}: "
                      f"{self.having(**wanted)[:2]}")
        return found


def has_nvrtc():
    done = subprocess.run([CUCORE, "find", "nvrtc"], capture_output=True, check=False)
    return done.returncode == 0


def runtime():
    run = Run("runtime", "runtime")
    with open(ROWS, encoding="utf-8") as file:
        rows = re.findall(r"X\((\w+), +([\d.]+),", file.read())
    limits = {case: float(limit) or None for case, limit in rows}
    expect(len(limits) > 9, f"runtime: {ROWS} has the rows {sorted(limits)}")
    for case, limit in limits.items():
        for r in run.measured(case=case, subject="cucore"):
            expect(r.get("limit") == limit, f"runtime: the limit of {case} is {r.get('limit')}")
            expect(r.get("peer") == "raw" and r["ratio"] > 0, f"runtime: {case} has no ratio")
            expect(r["mode"] == "cpu" and r["batch"] in (200, 400), f"runtime: {case} is {r}")
            expect((r["checked"] == "passed") == (case in ("copy_4_kib", "fill_4_kib")),
                   f"runtime: {case}: {r['checked']}")
        run.measured(case=case, subject="raw")
    expect({r["case"] for r in run.results} == set(limits), "runtime: other cases")
    run = Run("runtime without a driver", "runtime", driver=NOWHERE)
    expect(len(run.skipped("no device")) == len(limits), "runtime: not skipped without a device")


def compilers():
    for what, driver in ("compile", SIMULATOR), ("compile without a driver", NOWHERE):
        run = Run(what, "compile", driver=driver)
        sizes = {r["figures"]["code_bytes"] for source in ("saxpy", "template")
                 for output in ("ptx", "cubin")
                 for r in run.measured(case="nvrtc", source=source, output=output, subject="nvrtc")}
        expect(len(sizes) == 4, f"{what}: not every code is another one: {sizes}")
        for kind in "ptx", "ltoir":
            run.measured(case="link", subject="nvjitlink", **{"from": kind})
        for kernel in "vadd", "softmax":
            for r in run.measured(case="tile", kernel=kernel, subject="tile"):
                expect(r["peer"] == "nvjitlink" and r["limit"] == 0.1 and r["ratio"] < 0.1,
                       f"{what}: source to PTX of {kernel}: {r}")
            run.measured(case="tile_first", kernel=kernel, kind="foreign")
        plans = "plan", "sum", "scan", "sort"  # these need a device
        for work in "cuda", "tile", "tile_cubin", "link", *plans:
            if work in plans and driver == NOWHERE:
                run.skipped("no device", case="cache", work=work)
                continue
            for r in run.measured(case="cache", work=work, subject="miss"):
                expect(r["peer"] == "none", f"{what}: a miss of {work}: {r}")
            for r in run.measured(case="cache", work=work, subject="hit"):
                expect(r["peer"] == "none" and (work in plans or r["ratio"] < 0.5),
                       f"{what}: a hit of {work}: {r}")
        if driver == NOWHERE:
            for case in "load", "first_launch":
                expect(len(run.having(case=case)) == len(run.skipped("no device", case=case)),
                       f"{what}: {case} without a device")
            continue
        run.measured(case="load", **{"from": "ptx"})
        run.skipped("machine code", case="load", **{"from": "cubin"})
        for kind in "ptx", "source":
            run.measured(case="first_launch", kind="foreign", **{"from": kind})
    run = Run("compile without NVRTC", "compile", driver=NOWHERE, CUCORE_NVRTC=NOWHERE)
    expect(len(run.skipped("nvrtc")) == 7, "compile: not skipped without NVRTC")


def simulator():
    # The suite measures the simulated driver, whatever driver the machine has.
    run = Run("sim", "sim", driver=NOWHERE)
    for kernel in "saxpy", "reverse":
        for check in CHECKS:
            for r in run.measured(case="instructions", kernel=kernel, subject=check):
                expect(r["checked"] == "passed" and r["item"] == "lane-instructions" and
                       r["items_per_s"] > 1e6, f"sim: {r}")
                expect((r.get("peer") == "none") == (check != "none"), f"sim: peer of {check}")
    for r in run.measured(case="instructions", kernel="saxpy"):
        # An address and its bounds, two loads, a multiply-add, a store: about twenty instructions.
        expect(r["items"] % 2 ** 14 == 0 and 15 <= r["items"] / 2 ** 14 <= 30, f"sim: items of {r}")
    run.measured(case="saxpy", subject="simulator")
    run.measured(case="matmul", flop=2 * 128 ** 3)
    for check in CHECKS:
        for r in run.measured(case="memory", subject=check):
            grown = r["figures"]["resident_bytes"] / r["figures"]["allocated_bytes"]
            expect(r["figures"]["allocated_bytes"] == 2 ** 25 and 0.9 < grown < 2,
                   f"sim: memory {r['figures']}")


def memory():
    run = Run("memory", "memory", CUCORE_PYTHON="/nowhere/python")
    for path in "d2d", "h2d_pinned", "h2d_pageable", "d2h_pinned", "d2h_pageable":
        for size in 2 ** 12, 2 ** 20:
            for mode in "cold", "hot":
                for r in run.measured(case="copy", path=path, bytes=size, mode=mode):
                    expect(r["bytes_per_s"] > 0 and r["checked"] == "passed", f"memory: {r}")
    for r in run.measured(case="copy", path="d2d"):
        expect(r["bytes"] == 2 * r["axes"]["bytes"], "memory: a copy here reads and writes")
    run.measured(case="fill", subject="cucore")
    for op, arrays in {"copy": 2, "scale": 2, "add": 3, "triad": 3}.items():
        for r in run.measured(case="stream", op=op, subject="cuda"):
            expect(r["bytes"] == arrays * r["axes"]["bytes"], f"memory: bytes of {op}")
    for peer in "torch", "triton", "cupy", "numba":
        expect(len(run.skipped("cannot be started", case="stream", subject=peer)) == 1,
               f"memory: {peer} is not told of once")
    large = Run("memory, large", "memory", "--filter", "fill", "--axis", "bytes=30")
    large.skipped("simulated", case="fill")
    # A peer that answers nonsense and keeps running gets no more requests, and nobody waits for it.
    with tempfile.TemporaryDirectory() as folder:
        babbler = pathlib.Path(folder, "python")
        babbler.write_text("#!/bin/sh\nread line\necho nonsense\nexec cat >/dev/null\n")
        babbler.chmod(0o700)
        run = Run("a babbling peer", "memory", "--filter", "stream", "--axis", "op=copy", "--axis",
                  "bytes=12,14", status=1, CUCORE_PYTHON=str(babbler))
    failed = [r for r in run.results if "failed" in r]
    expect(len(failed) == 8, f"memory: a peer of nonsense: {failed}")
    run.measured(case="stream", op="copy", subject="cuda")


def libraries():
    run = Run("gemm and norms", "gemm", "norms")
    run.skipped("simulated", suite="gemm")
    run.skipped("simulated", suite="norms", subject="cudnn")
    if not FAKE:
        return
    fake = {"CUCORE_CUBLASLT": FAKE, "CUCORE_CUDNN": FAKE, "CUCORE_PYTHON": "/nowhere/python"}
    axes = ["--axis", "shape=48x33x32,20", "--axis", "layout=nn,nt,tn,tt",
            "--axis", "dtype=f16,bf16,tf32,e4m3", "--mode", "cold"]
    run = Run("gemm by the fake", "gemm", "--filter", "square", *axes, **fake)
    for dtype in "f16", "bf16", "tf32":
        for layout in "nn", "nt", "tn", "tt":
            for shape in "48x33x32", "20":
                for r in run.measured(dtype=dtype, layout=layout, shape=shape,
                                      subject="cublaslt"):
                    # The slow algorithm and the refused one were not chosen.
                    expect(r["figures"]["algorithm"] == 1 and r["figures"]["algorithms"] == 3,
                           f"gemm: {r['figures']}")
                    expect(r["checked"] == "passed", f"gemm: {r['checked']}")
    run.measured(shape="48x33x32", flop=2 * 48 * 33 * 32)
    run.measured(dtype="e4m3", layout="tn", shape="48x33x32")
    run.skipped("no algorithm", dtype="e4m3", layout="nn")
    rows = ["--axis", "shape=5x70", "--axis", "dtype=f32,f16,bf16"]
    run = Run("softmax by the fake", "norms", "--filter", "softmax", *rows, **fake)
    expect(len(run.measured(subject="cudnn", checked="passed")) == 3, "softmax")
    run = Run("wrong softmax", "norms", "--filter", "softmax", *rows, status=1, FAKE_WRONG="1",
              **fake)
    expect(not [r for r in run.having(subject="cudnn") if "median_s" in r],
           "what is wrong was timed")
    for wrong, told in (("1", "row 47, column 32 is"), ("tile", "expected"),
                        ("nothing", "row 0, column 0 was not written"),
                        ("refused", "none of 3 algorithms")):
        run = Run(f"wrong products: {wrong}", "gemm", "--filter", "square", "--axis",
                  "shape=48x33x32", "--axis", "dtype=f16,bf16", "--axis", "layout=tn,nt", "--mode",
                  "cold", status=1, FAKE_WRONG=wrong, **fake)
        found = run.having(subject="cublaslt")
        expect(len(found) == 4 and all(told in r.get("failed", "") for r in found),
               f"gemm: {wrong} is not told: {found[:2]}")
        # The other subjects of the point are still measured.
        run.measured(subject="cuc_gemm", dtype="f16", checked="passed")


def tiles():
    """Check every kernel in the suites of tile programs at a small size."""
    cases = {"elementwise": {"vadd": ("cuda", 3), "transpose": ("copy", 2), "swiglu": ("cuda", 2)},
             "norms": {"softmax": ("copy", 2), "layer_norm": ("copy", 2), "rms_norm": ("copy", 2)},
             "reductions": {"sum": ("copy", 3), "max": ("copy", 3), "cumsum": ("copy", 2),
                            "cross_entropy": ("copy", 2)}}
    for suite, rows in cases.items():
        run = Run(suite, suite, CUCORE_PYTHON="/nowhere/python")
        expect({r["case"] for r in run.results} == set(rows), f"{suite}: other cases")
        for case, (peer, points) in rows.items():
            found = run.measured(case=case, subject="tile", mode="cold", checked="passed", peer=peer)
            expect(len(found) == points, f"{suite}/{case}: {len(found)} points of the tile program")
            expect(all(r["bytes"] > 0 and "limit" not in r for r in found),
                   f"{suite}/{case}: a limit for a small size, or no bytes")
            if case != "cumsum":
                run.measured(case=case, subject="cuda", checked="passed")
            run.measured(case=case, subject=peer)
            expect(len(run.skipped("cannot be started", case=case, subject="torch")) == 1,
                   f"{suite}/{case}: torch is not told of once")
    # Rows that are not a multiple of the vector length, a partial last tile, and other dtypes.
    odd = ["--axis", "shape=3x70,130x33"]
    run = Run("odd elementwise", "elementwise", "--filter", "transpose|swiglu", *odd, "--axis",
              "dtype=f32,f16,bf16", CUCORE_PYTHON="/nowhere/python")
    expect(len(run.measured(subject="tile")) == 12, "odd elementwise")
    run.skipped("whole vectors", case="swiglu", subject="cuda")
    run = Run("odd norms", "norms", *odd, CUCORE_PYTHON="/nowhere/python")
    expect(len(run.measured(subject="tile")) == 12, "odd norms")
    run.skipped("whole vectors", subject="cuda")
    # Settings that only the tile program takes.
    run = Run("settings", "norms", "--filter", "softmax", "--axis", "dtype=f32", "--axis",
              "tile=default,warps=1+kernel=softmax_online+BN=64,warps=3", status=1)
    expect(len(run.measured(subject="tile", checked="passed")) == 2 and
           len(run.measured(subject="cuda")) == 3, "settings")
    expect([r for r in run.having(tile="warps=3") if "warps" in r.get("failed", "")], "3 warps")
    # Kernels with the same arguments that compute something else must not be timed; one of them
    # adds whole numbers.
    for suite, case, kernel, of in (("elementwise", "swiglu", "geglu", None),
                                    ("reductions", "sum", "product_along", "rows,columns"),
                                    ("reductions", "cumsum", "cumulative_sum_rows+ACC=i32", "rows")):
        run = Run(kernel, suite, "--filter", f"/{case}$", "--axis", f"tile=kernel={kernel}",
                  *(["--axis", f"of={of}"] if of else []), status=1)
        found = run.having(subject="tile")
        expect(found and all("the check failed" in r.get("failed", "") and "expected" in r["failed"]
                             for r in found), f"{kernel} is taken for {case}: {found[:1]}")
    run = Run("large elementwise", "elementwise", "--axis", "n=28", "--filter", "vadd")
    run.skipped("simulated", case="vadd")
    run = Run("a shape that is none", "norms", "--axis", "shape=0x3", status=1)
    expect(len([r for r in run.results if "ROWSxCOLUMNS" in r.get("failed", "")]) == 6, "0x3")


def training():
    """Check the kernel library's gradients at small sizes, ragged ones among them."""
    python = {"CUCORE_PYTHON": "/nowhere/python"}
    run = Run("training", "training", **python)
    cases = {"rms_norm": "copy", "layer_norm": "copy", "projection": None, "projection_backward": None,
             "adamw": "copy"}
    expect({r["case"] for r in run.results} == set(cases), "training: other cases")
    for case, peer in cases.items():
        found = run.measured(case=case, subject="library", mode="cold", checked="passed")
        expect(len(found) == 1 and found[0].get("peer") == peer and found[0]["bytes"] > 0, f"training/{case}: {found}")
        expect(len(run.skipped("cannot be started", case=case, subject="torch")) == 1, f"training/{case}: torch")
    odd = Run("odd norms backward", "training", "--filter", "norm", "--axis", "shape=3x70,130x33", "--axis",
              "dtype=f32,bf16,f16", **python)
    expect(len(odd.measured(subject="library", checked="passed")) == 12, "odd norms backward")
    # The second shape's words take more than one step of the backward pass.
    odd = Run("odd projections", "training", "--filter", "projection", "--axis", "shape=9x24x13,2x8x9000", **python)
    expect(len(odd.measured(subject="library", checked="passed")) == 4, "odd projections")
    flop = {r["case"]: r["flop"] for r in odd.measured(subject="library", shape="9x24x13")}
    expect(flop == {"projection": 2 * 9 * 24 * 13, "projection_backward": 4 * 9 * 24 * 13}, f"training: {flop}")
    Run("large norms backward", "training", "--filter", "norm", "--axis", "shape=8192x8192", **python).skipped("simulated")
    run = Run("a projection that is none", "training", "--filter", "projection$", "--axis", "shape=3x70", status=1, **python)
    expect(all("ROWSxFEATURESxWORDS" in r.get("failed", "") for r in run.results), "3x70")


def attention():
    """Test heads of each size that do not fill whole tiles, with and without a mask. A wrong result
    must have no time."""
    small = ["--axis", "sequence=70", "--axis", "tokens=70", "--mode", "cold"]
    python = {"CUCORE_PYTHON": "/nowhere/python"}
    run = Run("attention", "attention", *small, "--axis", "d=64,128,256", "--axis", "dtype=bf16,f16",
              **python)
    expect(len(run.measured(subject="cuc_attention", checked="passed")) == 12, "attention: plans")
    found = run.measured(subject="tile", checked="passed")
    expect(len(found) == 12, f"attention: {len(found)} points")
    for r in found:
        half = 2 if r["axes"]["causal"] == "yes" else 1
        expect(r["flop"] == 4 * 70 * 70 * 2048 / half, f"attention: the work of {r}")
    for peer in "torch_cudnn", "torch_flash":
        expect(len(run.skipped("cannot be started", subject=peer)) == 1,
               f"attention: {peer} is not told of once")
    Run("long attention", "attention", "--filter", "forward", **python).skipped("simulated")
    run = Run("another mask", "attention", *small, "--axis", "causal=yes", "--axis",
              "tile=CAUSAL=false", status=1, **python)
    found = run.having(subject="tile")
    expect(found and all("the check failed" in r.get("failed", "") for r in found),
           f"attention: a mask that is not there is not told: {found[:1]}")
    run = Run("a width that is none", "attention", "--filter", "forward", *small, "--axis", "d=96", status=1, **python)
    expect(all("2048 is a multiple" in r.get("failed", "") for r in run.results), "attention: d=96")


def algorithms():
    """Check every case of the suite at a small size, and that a wrong axis fails."""
    cases = {"sum": 2, "scan": 2, "sort": 3, "argsort": 2, "sort_rows": 1, "select": 1, "unique": 2, "topk": 1,
             "topk_rows": 1, "histogram_bytes": 2, "histogram": 2, "reduce_by_key": 1, "merge": 1, "union": 1,
             "search": 1, "any": 2}
    python = {"CUCORE_PYTHON": "/nowhere/python"}
    run = Run("algorithms", "algorithms", **python)
    expect({r["case"] for r in run.results} == set(cases), "algorithms: other cases")
    for case, points in cases.items():
        found = run.measured(case=case, subject="cucore", checked="passed")
        expect(len(found) == points, f"algorithms/{case}: {len(found)} points")
        expect(all(r["item"] == "elements" and r["bytes"] > r["items"] > 0 for r in found), f"algorithms/{case}: work")
        expect(all(r["mode"] == ("graph" if case == "any" else "cold") for r in found), f"algorithms/{case}: mode")
        for peer in "torch", "cupy":
            run.skipped("cannot be started", case=case, subject=peer)
    Run("large sort", "algorithms", "--filter", "/sort$", "--axis", "n=27", **python).skipped("simulated")
    run = Run("random algorithms", "algorithms", "--random", "6", "--seed", "3", **python)
    expect(len(run.measured(case="any", subject="cucore", checked="passed")) == 6, "random algorithms")
    for case, axis, why in (("scan", "of=none", "run_to_run"), ("unique", "of=none", "unsorted"),
                            ("histogram_bytes", "of=none", "skewed"), ("histogram", "bins=33", "power of two"),
                            ("sort_rows", "shape=4", "ROWSxCOLUMNS"), ("any", "point=sort.u8.n9", "sort.f32.n1000")):
        run = Run(f"{case} of {axis}", "algorithms", "--filter", f"/{case}$", "--axis", axis, status=1, **python)
        expect(run.results and all(why in r.get("failed", "") for r in run.results), f"{case}: {axis} is taken")


def points_of(run):
    return sorted({(r["case"], r["axes"]["point"]) for r in run.results if "point" in r["axes"]})


def check_summary(run, summary):
    """Compare a summary with the results that it summarizes."""
    found = sorted((1 / r["ratio"], r["axes"]["point"]) for r in run.results
                   if r["case"] == summary["case"] and r.get("subject") == summary["subject"] and "ratio" in r)
    what = f"{run.what}: {summary['case']}"
    expect(summary["points"] == len(found) > 0, f"{what}: {summary['points']} points of {len(found)}")
    mean = math.exp(sum(math.log(speedup) for speedup, _ in found) / len(found))
    for key, value in ("geomean", mean), ("worst", found[0][0]):
        expect(math.isclose(summary[key], value, rel_tol=1e-6), f"{what}: {key} is {summary[key]}, not {value}")
    expect([p["axes"]["point"] for p in summary["lowest"]] == [point for _, point in found][:10],
           f"{what}: the lowest are {summary['lowest']}")
    for point in summary["lowest"]:
        expect(math.isclose(point["peer_s"] / point["median_s"], point["speedup"], rel_tol=0.9) and
               point["figures"]["tile_rows"] > 0, f"{what}: {point}")


def drawn():
    """Test random points, all checked: equal seeds give equal points, and there is a summary if
    there is a peer."""
    fake = {"CUCORE_CUBLASLT": FAKE, "CUCORE_PYTHON": "/nowhere/python"}
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, name) for name in ("old.json", "new.json")]
        runs = [Run(f"random gemm {seed}", "gemm", "--random", "4", "--seed", seed, **fake)
                for seed in ("1", "1", "2")] if FAKE else []
        for run in runs:
            expect(run.document["settings"]["seed"] == run.what[-1] and len(points_of(run)) == 12,
                   f"{run.what}: {points_of(run)}")
            for r in run.measured(subject="cuc_gemm", mode="graph", checked="passed"):
                offset = r["axes"]["point"].partition(".a")[2]
                expect(offset in ("", "2", "4", "8") and (not offset or r["case"] == "any"), f"{run.what}: {r}")
                m, n, k = map(int, r["axes"]["point"].split(".")[2].split("x"))
                step = {"aligned": 8, "types": 16}.get(r["case"], 1)
                expect(16 <= min(m, n, k) and not (m % step or n % step or k % step), f"{run.what}: {r}")
            expect([s["case"] for s in run.document["summaries"]] == ["aligned", "any", "types"],
                   f"{run.what}: {run.document['summaries']}")
            for summary in run.document["summaries"]:
                expect(summary["peer"] == "cublaslt", f"{run.what}: {summary}")
                check_summary(run, summary)
        if runs:
            expect(points_of(runs[0]) == points_of(runs[1]) != points_of(runs[2]), "the seed changes nothing, or all")
            for file, run in zip(files, runs):
                pathlib.Path(file).write_text(json.dumps(run.document))
            shown = subprocess.run([CUCORE, "bench", "show", files[0]], capture_output=True, text=True, check=False)
            for text in ("\nsimulated: ", "\nseed 1\n", "\ngemm / any: the peer's time / the subject's\n",
                         "geometric mean", "\nlowest ", "tile_rows"):
                expect(text in shown.stdout, f"show lacks {text!r}: {shown.stdout}")
            told = subprocess.run([CUCORE, "bench", "compare", *files], capture_output=True, text=True, check=False)
            expect(re.search("gemm/types +cuc_gemm", told.stdout) and "fewer than 6 points" in told.stdout,
                   f"compare: {told.stdout}")
            run = Run("a random point again", "gemm", "--filter", "/any", "--axis",
                      f"point={points_of(runs[0])[5][1]}", **fake)
            expect("summaries" not in run.document, "a point of its own has a summary")
            run.measured(subject="cuc_gemm", checked="passed")
    python = {"CUCORE_PYTHON": "/nowhere/python"}
    for suite, cases in ("attention", ["shapes"]), ("decode", ["step"]), ("conv", ["fprop", "dgrad", "wgrad"]):
        run = Run(f"random {suite}", suite, "--random", "3", "--seed", "4", **python)
        for case in cases:
            expect(len(run.measured(case=case, subject="tile", checked="passed")) == 3, f"{suite}/{case}")
            run.skipped("cannot be started", case=case, subject="torch_fastest")
    if FAKE:
        run = Run("own points of gemm", "gemm", "--filter", "aligned|any|types", **fake)
        for subject in "cuc_gemm", "cublaslt":
            expect(len(run.measured(subject=subject, checked="passed")) == 5, f"own points of gemm: {subject}")
    run = Run("own points", "decode", "conv", **python)
    expect(len(run.measured(subject="tile", checked="passed")) == 9, "own points of decode and conv")
    # A kernel that computes something else must not be timed, and a malformed point must fail.
    for suite, case, point, change, why in (
            ("attention", "shapes", "bf16.b1.h2x1.s70.d64.causal", "CAUSAL=false", "the check failed"),
            ("decode", "step", "bf16.b2.h1x4.n100.d64", "G=2", "expected 2, got 4"),
            ("conv", "fprop", "bf16.n1.6x6.c8.k8.r3.s1", "kernel=other", "no kernel other"),
            ("conv", "dgrad", "bf16.n1.6x6.c8.k8.r3.s1", "kernel=conv", "the check failed"),
            ("conv", "wgrad", "bf16.n1.6x6.c8.k8.r3.s1", "STRIDE=2", "the check failed")):
        run = Run(f"another {suite}", suite, "--filter", f"/{case}", "--axis", f"point={point}", "--axis",
                  f"tile={change}", status=1, **python)
        expect([r for r in run.having(subject="tile") if why in r.get("failed", "")],
               f"{suite}: {change} is taken: {run.results}")
        run = Run(f"{suite} of nothing", suite, "--filter", f"/{case}", "--axis", "point=bf16.x", status=1, **python)
        expect([r for r in run.results if "expected" in r.get("failed", "")], f"{suite}: bf16.x is taken")


if not has_nvrtc():
    print("skipped: there is no NVRTC")
    sys.exit(77)
for part in runtime, compilers, simulator, memory, tiles, algorithms, libraries, training, attention, drawn:
    part()
print("\n".join(problems) or "every suite measures what it should")
sys.exit(bool(problems))
