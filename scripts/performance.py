#!/usr/bin/env python3
"""Make docs/performance.md from the most important rows of bench/results/: performance.py [--cucore
PROGRAM]

With --check nothing is written: the script names what differs, and the exit status is 1. With
--all FOLDER it writes every row and plot, as FOLDER/performance.md and FOLDER/performance/*.svg,
for the site. `cucore bench show --md` makes the tables, and `cucore bench plot`, which needs
matplotlib, makes the plots. A plot names the results and the script from which it was drawn, so
a second run draws only the plots that have changed.
"""
import argparse
import hashlib
import json
import pathlib
import re
import subprocess
import sys

import goals

CHECKOUT = pathlib.Path(__file__).resolve().parents[1]
PLOT_SCRIPT = CHECKOUT / "tools" / "cucore" / "bench_plot.py"

HEAD = """# Performance

`bench/results/` has every measured figure as JSON, with its machine, commit and command. `scripts/performance.py` makes
this page from those files, with {rows}: do not edit it. [Testing](testing.md#on-a-gpu) explains
how to measure on a GPU, and [Benchmarking](benchmarking.md) explains the figures.
"""

SOME = "the most important rows"
EVERY = "every row"
MORE = """
The site (`ninja -C build docs`) and the page that this command makes have every row and plot:

    scripts/performance.py --all FOLDER
"""

WORDS = """
Times are medians, with the half width of their 95 % confidence interval. `time / peer's` is the ratio of paired
samples: below 1 is faster than the peer. `cucore bench --help` explains each word of the tables.

A share of `copy` is relative to the speed of a copy of random data on that card, bytes read plus bytes written.
Kernels that read more than they write can be faster than a copy, with a share above 100 %. A share of `memory` is
relative to the datasheet.
"""

NO_GPU = """
**There are no results of a GPU here yet.** The figures below were measured without one and do not
show how fast kernels, copies or launches are on a GPU.
"""

GOALS = """
## Goals of tile programs

A goal, from `scripts/goals.py`, is a share of the speed of other libraries, or of a copy of as many bytes, in the same
run.

"""

FASTEST = """
## Tile programs beside other libraries

The largest measured problem of each kernel, and the fastest other kernel in the same run. `cuda` is CUDA C++ written by
hand.

| kernel | case | cucore | fastest other | its speed | speed / other's |
| --- | --- | ---: | --- | ---: | ---: |
"""

CALLS = """
## Calls of the runtime

Medians of a call's time on the host, on an {machine}, through cucore and with a direct driver call. Command:

    {command}

| call | cucore | driver alone | time / driver's |
| --- | ---: | ---: | ---: |
"""

CACHE = """
## Compiling with the cache

Medians on an {machine}: compiling without a [cache](cache.md), with a cache that does not have the result yet (miss),
and with a cache that has the result (hit), in a process that has a context. Command:

    {command}

| work | no cache | miss | hit |
| --- | ---: | ---: | ---: |
"""

WORKS = {"cuda": "CUDA C++ to PTX", "tile": "tile program to PTX", "tile_cubin": "tile program to a cubin",
         "link": "link of two PTX files", "plan": "plan of a matrix product"}

FIRST_KERNEL = """
From the start of a process to the right result of its first kernel, on an {machine}, with a cache that has the kernel.
Command:

    {command}

| program | median | 10 to 90 % | time / cuda.core's |
| --- | ---: | ---: | ---: |
"""

PROGRAMS = {"cucore-c": "C", "cucore": "Python, cucore", "cuda.core": "Python, cuda.core"}

INSTRUCTIONS = """
## Instructions that a call adds

CPU instructions that cucore executes before the driver call, counted by callgrind with a driver that does nothing. Each
run of a binary, on any machine, gives the same count.
Compiler: {compiler}; commit {commit}. Command:

    bench/count.sh build bench/results/instructions.json

| call | cucore | raw driver call | added |
| --- | ---: | ---: | ---: |
"""

BINDINGS = """
## What the bindings add: {name}

`bench/bindings.py` on {machine}, Python {python}, commit {commit}. Medians of a call's time on the
host; all Python subjects take turns. Command:

    {command}

{kept} of {count} goals are met.
"""

BINDINGS_ROWS = """
| call | by | median | quarter to three quarters | goal |
| --- | --- | ---: | ---: | --- |
"""


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def of_a_gpu(root):
    return bool(root["machine"].get("gpu")) and not root["machine"].get("simulated")


class Performance:
    """Makes the page of a checkout from its results."""

    def __init__(self, root, cucore):
        self.cucore = cucore
        self.results = root / "bench" / "results"
        self.page = root / "docs" / "performance.md"
        found = [(path, json.loads(path.read_text())) for path in sorted(self.results.glob("*.json"))]
        self.documents = [(p, d) for p, d in found if d.get("schema") == "cucore-bench/1"]
        # GPUs come first.
        self.documents.sort(key=lambda item: (not of_a_gpu(item[1]), item[0]))
        self.by_gpus = [document for _, document in self.documents if of_a_gpu(document)]

    def show(self, path):
        run = subprocess.run([self.cucore, "bench", "show", "--md", path], stdout=subprocess.PIPE,
                             encoding="utf-8", check=False)
        if run.returncode:
            sys.exit(f"performance.py: {self.cucore} bench show cannot read {path}")
        return run.stdout

    def plots_of(self, path, folder):
        """Return a result's plots in a folder. One result's name may be a prefix of another's:
        memory, memory-2."""
        others = [p.stem for p, _ in self.documents if p.stem.startswith(path.stem + "-")]
        return [svg for svg in sorted(folder.glob(f"{path.stem}-*.svg"))
                if not any(svg.stem.startswith(other + "-") for other in others)]

    def draw(self, folder):
        """Draw the plots that have changed, and remove the plots of results that are gone."""
        script = digest(PLOT_SCRIPT)
        known, stale = [], []
        for path, _ in self.documents:
            source = f"results sha256:{digest(path)}, bench_plot.py sha256:{script}"
            plots = self.plots_of(path, folder)
            if plots and all(source in svg.read_text() for svg in plots):
                known += plots
            else:
                stale.append(path)
        for svg in folder.glob("*.svg"):
            if svg not in known:
                svg.unlink()
        command = [self.cucore, "bench", "plot", "--format", "svg", "--out", folder, *stale]
        if stale and subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode:
            sys.exit("performance.py: no plots")

    def instructions(self):
        path = self.results / "instructions.json"
        if not path.exists():
            return ""
        root = json.loads(path.read_text())
        rows = "".join(f"| {r['name']} | {r['cucore']} | {r['raw']} | {r['added']} |\n"
                       for r in root["results"])
        return INSTRUCTIONS.format(**root) + rows

    def bindings(self, every):
        text = ""
        for path in sorted(self.results.glob("*.json")):
            root = json.loads(path.read_text())
            if root.get("schema") != "cucore-bindings/1" or root["machine"].get("simulated"):
                continue
            goals = {(g["case"], g["subject"]): [] for g in root["goals"]}
            for g in root["goals"]:
                if not g["peer"]:
                    told = f"at most {g['limit'] * 1e9:.0f} ns"
                elif g["limit"] < 1:
                    told = f"{g['value'] * 1e9:+.0f} ns beside {g['peer']}, at most {g['limit'] * 1e9:+.0f}"
                else:
                    told = f"{g['value']:.3f} x {g['peer']}, at most {g['limit']}"
                goals[g["case"], g["subject"]].append(told + ("" if g["kept"] else ": missed"))
            text += BINDINGS.format(
                name=path.stem, machine=root["machine"]["gpu"], python=root["machine"]["python"],
                commit=root.get("commit"), command=root.get("command"),
                kept=sum(g["kept"] for g in root["goals"]), count=len(root["goals"]))
            text += BINDINGS_ROWS if every else ""
            for r in root["results"] if every else ():
                text += (f"| {r['case']} | {r['subject']} | {r['median_s'] * 1e9:.0f} ns | "
                         f"{r['q1_s'] * 1e9:.0f} to {r['q3_s'] * 1e9:.0f} ns | "
                         f"{'; '.join(goals.get((r['case'], r['subject']), []))} |\n")
        return text

    def goals(self, every):
        table, count, missed = goals.table(self.by_gpus)
        if not every:
            table = goals.summary(self.by_gpus)
        return f"{GOALS}{count - missed} of {count} are met.\n\n{table}" if table else ""

    def fastest(self):
        rows = goals.largest(self.by_gpus)
        return (FASTEST + "".join(f"| {name} | {where} | {goals.show(name, speed)} | {other} | "
                                  f"{goals.show(name, others)} | {speed / others:.3f} |\n"
                                  for name, where, speed, other, others in rows)) if rows else ""

    def calls(self):
        text = ""
        for root in self.by_gpus:
            rows = [r for r in root["results"] if r["suite"] == "runtime"]
            times = {(r["case"], r.get("subject")): r.get("median_s") for r in rows}
            told = [f"| {r['case']} | {r['median_s'] * 1e9:.0f} ns | {times[r['case'], r['peer']] * 1e9:.0f} ns | "
                    f"{r['ratio']:.3f} [{r['ratio_low']:.3f}, {r['ratio_high']:.3f}] |\n" for r in rows
                    if r.get("subject") == "cucore" and "ratio_low" in r]
            if told:
                text += CALLS.format(machine=root["machine"]["gpu"], command=root.get("command", ""))
                text += "".join(told)
        return text

    def cache(self):
        text = ""
        for root in self.by_gpus:
            times = {(r["axes"]["work"], r["subject"]): r["median_s"] for r in root["results"]
                     if (r["suite"], r["case"]) == ("compile", "cache")}
            if times:
                text += CACHE.format(machine=root["machine"]["gpu"], command=root["command"])
                for work, title in WORKS.items():
                    ways = [times[work, way] * 1e3 for way in ("none", "miss", "hit")]
                    text += f"| {title} | " + " | ".join(f"{ms:.3g} ms" for ms in ways) + " |\n"
        for path in sorted(self.results.glob("first-kernel-*.json")):
            root = json.loads(path.read_text())
            text += FIRST_KERNEL.format(machine=root["machine"]["gpu"], command=root["command"])
            for r in root["results"]:
                text += (f"| {PROGRAMS[r['subject']]} | {r['median_s'] * 1e3:.0f} ms | {r['p10_s'] * 1e3:.0f} to "
                         f"{r['p90_s'] * 1e3:.0f} ms | {r['ratio']:.3f} |\n")
        return text

    def section(self, path, document, plots):
        text = f"\n## {path.stem}\n\n"
        if document.get("command"):
            text += f"Command:\n\n    {document['command']}\n\n"
        text += self.show(path)
        for svg in self.plots_of(path, plots):
            what = svg.stem[len(path.stem) + 1:].replace("-", " ")
            text += f"\n![{what}](performance/{svg.name})\n"
        return text

    def text(self, plots=None):
        """Return the page with the most important rows; with a folder of plots, the page with all
        rows and the plots."""
        text = HEAD.format(rows=EVERY if plots else SOME) + (WORDS if plots else MORE)
        if not self.by_gpus:
            text += NO_GPU
        if plots:
            text += self.goals(True)
            text += "".join(self.section(path, document, plots) for path, document in self.documents)
        else:
            text += self.fastest() + self.goals(False) + self.calls()
        text += self.cache()
        return re.sub(r"[ \t]+$", "", text + self.bindings(plots is not None) + self.instructions(), flags=re.M)

    def every(self, folder):
        """Return the page with all rows; draw its plots into folder/performance/."""
        plots = folder / "performance"
        plots.mkdir(parents=True, exist_ok=True)
        self.draw(plots)
        return self.text(plots)


def main():
    parser = argparse.ArgumentParser(description="Make docs/performance.md from bench/results/.")
    parser.add_argument("--cucore", default=CHECKOUT / "build" / "tools" / "cucore" / "cucore",
                        help="the program; build/tools/cucore/cucore")
    parser.add_argument("--root", default=CHECKOUT, type=pathlib.Path,
                        help="whose bench/results/ and docs/; this checkout's")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--check", action="store_true", help="write nothing; name what differs")
    how.add_argument("--all", type=pathlib.Path, metavar="FOLDER", help="every row and plot, into this folder")
    args = parser.parse_args()
    performance = Performance(args.root, args.cucore)
    if args.all:
        text = performance.every(args.all)
        (args.all / "performance.md").write_text(text, encoding="utf-8")
        return 0
    text = performance.text()
    page = performance.page
    if not args.check:
        page.write_text(text, encoding="utf-8")
    elif not page.exists() or page.read_text(encoding="utf-8") != text:
        print("docs/performance.md differs from bench/results/: run scripts/performance.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
