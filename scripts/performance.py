#!/usr/bin/env python3
"""Generate docs/performance.md and its plots from bench/results/: performance.py [--cucore PROGRAM]

Tables come from `cucore bench show --md`, plots from `cucore bench plot`. With --check nothing is written; it lists
what is out of date and exits 1 if anything is. A plot is verified by the origin recorded in it, so --check needs no
matplotlib.
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

Every figure here is in `bench/results/` as JSON, with the machine, the commit and the command that
measured it. `scripts/performance.py` makes this page from those files, and a test holds it to
them: do not edit it by hand. [Testing](testing.md) says how to measure on a GPU; `cucore bench --help` says
what can be measured, and what each word of the tables means.

Times are medians, with the half width of their 95 % confidence interval. `time / peer's` is the ratio of
paired samples, taken in turns, to those of the peer: below 1 is faster.

A share of `copy` is of what a copy of random data reached on that card, read and written. What reads more
than it writes is faster than a copy can be, so that its share may be above 100 %; a share of `memory` is of
the datasheet.
"""

NO_GPU = """
**There are no results of a GPU here yet.** What follows was measured without one: it says nothing
about how fast kernels, copies or launches are on a GPU.
"""

GOALS = """
## What tile programs should reach

By the speeds that were measured beside them in the same run; `scripts/goals.py` has the goals. A copy reads and
writes as many bytes as the kernel does.

"""

INSTRUCTIONS = """
## Instructions that a call adds

What cucore executes on the way to the driver, in instructions of the CPU, counted by callgrind on a
driver that does nothing: the same on every run of the same binary, whatever the machine does.
Compiler: {compiler}; commit {commit}. Command:

    bench/count.sh build bench/results/instructions.json

| call | cucore | raw driver call | added |
| --- | ---: | ---: | ---: |
"""

BINDINGS = """
## What the bindings add: {name}

`bench/bindings.py` on {machine}, Python {python}, commit {commit}. Medians of the time of a call on the host; all ways of Python take turns.
Command:

    {command}

{kept} of {count} goals are kept.

| what | by | median | quarter to three quarters | goal |
| --- | --- | ---: | ---: | --- |
"""


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def of_a_gpu(root):
    return bool(root["machine"].get("gpu")) and not root["machine"].get("simulated")


class Performance:
    """The page of a checkout, its plots, and their source results."""

    def __init__(self, root, cucore):
        self.root = root
        self.cucore = cucore
        self.results = root / "bench" / "results"
        self.page = root / "docs" / "performance.md"
        self.plots = root / "docs" / "performance"
        found = [(path, json.loads(path.read_text())) for path in sorted(self.results.glob("*.json"))]
        self.documents = [(p, d) for p, d in found if d.get("schema") == "cucore-bench/1"]
        # GPU results come first.
        self.documents.sort(key=lambda item: (not of_a_gpu(item[1]), item[0]))

    def show(self, path):
        run = subprocess.run([self.cucore, "bench", "show", "--md", path], stdout=subprocess.PIPE,
                             encoding="utf-8", check=False)
        if run.returncode:
            sys.exit(f"performance.py: {self.cucore} bench show cannot read {path}")
        return run.stdout

    def plots_of(self, path):
        """Return the existing plots of a file by name. One file name may be a prefix of another: memory, memory-2."""
        others = [p.stem for p, _ in self.documents if p.stem.startswith(path.stem + "-")]
        return [svg for svg in sorted(self.plots.glob(f"{path.stem}-*.svg"))
                if not any(svg.stem.startswith(other + "-") for other in others)]

    def draw(self):
        for old in self.plots.glob("*.svg"):
            old.unlink()
        for path, _ in self.documents:
            command = [self.cucore, "bench", "plot", "--format", "svg", "--out", self.plots, path]
            if subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode:
                sys.exit(f"performance.py: no plots of {path}")

    def wrong_plots(self):
        """Describe the problems of existing plots, a sentence each."""
        script = digest(PLOT_SCRIPT)
        known = []
        for path, _ in self.documents:
            source = f"results sha256:{digest(path)}, bench_plot.py sha256:{script}"
            for svg in self.plots_of(path):
                known.append(svg)
                if source not in svg.read_text():
                    yield f"docs/performance/{svg.name} is of older results, or an older script"
        for svg in sorted(self.plots.glob("*")):
            if svg not in known:
                yield f"docs/performance/{svg.name} is of no results"

    def instructions(self):
        path = self.results / "instructions.json"
        if not path.exists():
            return ""
        root = json.loads(path.read_text())
        rows = "".join(f"| {r['name']} | {r['cucore']} | {r['raw']} | {r['added']} |\n"
                       for r in root["results"])
        return INSTRUCTIONS.format(**root) + rows

    def bindings(self):
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
            for r in root["results"]:
                text += (f"| {r['case']} | {r['subject']} | {r['median_s'] * 1e9:.0f} ns | "
                         f"{r['q1_s'] * 1e9:.0f} to {r['q3_s'] * 1e9:.0f} ns | "
                         f"{'; '.join(goals.get((r['case'], r['subject']), []))} |\n")
        return text

    def goals(self):
        table, count, missed = goals.table([d for _, d in self.documents if of_a_gpu(d)])
        return f"{GOALS}{count - missed} of {count} are kept.\n\n{table}" if table else ""

    def section(self, path, document):
        text = f"\n## {path.stem}\n\n"
        if document.get("command"):
            text += f"Command:\n\n    {document['command']}\n\n"
        text += self.show(path)
        for svg in self.plots_of(path):
            what = svg.stem[len(path.stem) + 1:].replace("-", " ")
            text += f"\n![{what}](performance/{svg.name})\n"
        return text

    def text(self):
        text = HEAD
        if not any(of_a_gpu(document) for _, document in self.documents):
            text += NO_GPU
        text += self.goals()
        text += "".join(self.section(path, document) for path, document in self.documents)
        return re.sub(r"[ \t]+$", "", text + self.bindings() + self.instructions(), flags=re.M)

    def make(self):
        self.draw()
        self.page.write_text(self.text(), encoding="utf-8")

    def problems(self):
        yield from self.wrong_plots()
        if not self.page.exists() or self.page.read_text(encoding="utf-8") != self.text():
            yield "docs/performance.md is not what bench/results/ makes"


def main():
    parser = argparse.ArgumentParser(description="Make docs/performance.md from bench/results/.")
    parser.add_argument("--cucore", default=CHECKOUT / "build" / "tools" / "cucore" / "cucore",
                        help="the program; build/tools/cucore/cucore")
    parser.add_argument("--root", default=CHECKOUT, type=pathlib.Path,
                        help="whose bench/results/ and docs/; this checkout's")
    parser.add_argument("--check", action="store_true", help="write nothing, and say what is wrong")
    args = parser.parse_args()
    performance = Performance(args.root, args.cucore)
    if not args.check:
        performance.make()
    problems = list(performance.problems())
    if problems:
        print(*problems, "scripts/performance.py makes them anew", sep="\n")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
