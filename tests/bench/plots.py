#!/usr/bin/env python3
"""Tests cucore bench plot: plots.py CUCORE. Checks that each file exists, is not empty, and is
valid SVG or PNG, that equal results give equal files, and that every kind of plot contains its
marks."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

CUCORE = sys.argv[1]
DATA = pathlib.Path(__file__).resolve().parent / "data"
SVG = "{http://www.w3.org/2000/svg}"

# Plots of plots.json, and strings that they contain.
EXPECTED = {
    "plots-bandwidth-memory-copy": ["memory / copy: bandwidth", "GB/s", "cucore cold",
                                    "copy (invented) ", "1 MiB", "ExampleGPU 1"],
    "plots-roofline-gemm": ["gemm: roofline", "FLOP a byte", "bf16 (invented) ", "nt cublaslt cold"],
    "plots-ratio-memory": ["copy 4 KiB cold: cucore / driver"],
    "plots-ratio-runtime": ["launch cpu: cucore / driver", "  1.031 SLOWER", "  0.950 FASTER"],
    "plots-times-compile": ["compile times", "templates arch=sm_90 nvrtc"],
}
problems = []


def expect(right, text):
    if not right:
        problems.append(text)


def plot(folder, *arguments, **environment):
    return subprocess.run([CUCORE, "bench", "plot", "--out", str(folder), *map(str, arguments)],
                          capture_output=True, text=True, env={**os.environ, **environment})


def check_missing(folder):
    """Test that without Python or matplotlib nothing is drawn and the exit status means skipped."""
    run = plot(folder, DATA / "plots.json", CUCORE_PYTHON="/nowhere/python3")
    expect(run.returncode == 77, f"no Python: exit status {run.returncode}")
    expect("there is no python3" in run.stderr, f"no Python: {run.stderr}")
    bare = pathlib.Path(folder) / "python"
    bare.write_text("#!/bin/sh\nexit 3\n")
    bare.chmod(0o755)
    run = plot(folder, DATA / "plots.json", CUCORE_PYTHON=str(bare))
    expect(run.returncode == 77, f"no matplotlib: exit status {run.returncode}")
    expect("Python has no matplotlib" in run.stderr, f"no matplotlib: {run.stderr}")
    bare.unlink()


def check_plots(folder):
    run = plot(folder, DATA / "plots.json", "--json")
    if run.returncode == 77:
        print(run.stderr, file=sys.stderr)
        sys.exit(1 if problems else 77)
    expect(run.returncode == 0, f"status {run.returncode}: {run.stderr}")
    said = json.loads(run.stdout)["plots"]
    there = sorted(str(p) for p in pathlib.Path(folder).iterdir())
    expect(sorted(said) == there, f"said {said}, drawn {there}")
    names = {pathlib.Path(p).stem for p in there}
    expect(names == set(EXPECTED), f"drawn is {sorted(names)}, expected {sorted(EXPECTED)}")
    for name in names & set(EXPECTED):
        check_svg(pathlib.Path(folder) / f"{name}.svg", EXPECTED[name])
        png = (pathlib.Path(folder) / f"{name}.png").read_bytes()
        expect(png[:8] == b"\x89PNG\r\n\x1a\n" and len(png) > 5000, f"{name}.png is not a plot")


def check_svg(path, texts):
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as why:
        problems.append(f"{path.name}: {why}")
        return
    expect(root.tag == SVG + "svg", f"{path.name} is {root.tag}")
    expect(len(root.findall(f".//{SVG}path")) > 10, f"{path.name} has next to nothing drawn")
    words = ["".join(t.itertext()) for t in root.iter(SVG + "text")]
    for text in texts:
        expect(any(text.strip() in w for w in words), f"{path.name} has no '{text}', but {words}")
    source = path.read_text()
    expect(re.search(r"results sha256:[0-9a-f]{64}, bench_plot.py sha256:[0-9a-f]{64}", source),
           f"{path.name} does not say what it was made from")
    expect("<dc:date>" not in source, f"{path.name} has a date")


def check_same(first, second):
    """Test that drawing again with another hash seed gives identical SVG."""
    ours = pathlib.Path(second) / f"{next(iter(EXPECTED))}.svg"
    ours.write_text("an older plot")
    ours.chmod(0o640)
    plot(second, DATA / "plots.json", "--format", "svg", PYTHONHASHSEED="7")
    expect(ours.stat().st_mode & 0o777 == 0o640, "a plot that is drawn again has other permissions")
    for path in sorted(pathlib.Path(second).iterdir()):
        expect(path.suffix == ".svg", f"--format svg drew {path.name}")
        expect(path.read_bytes() == (pathlib.Path(first) / path.name).read_bytes(),
               f"{path.name} differs when it is drawn again")
    expect(len(list(pathlib.Path(second).iterdir())) == len(EXPECTED), "not all are drawn again")


def check_simulated(folder):
    """Test that plots of simulated results say so."""
    root = json.loads((DATA / "plots.json").read_text())
    root["machine"]["simulated"] = True
    path = pathlib.Path(folder) / "sim.json"
    path.write_text(json.dumps(root))
    plot(folder, path, "--format", "svg")
    drawn = list(pathlib.Path(folder).glob("*.svg"))
    expect(len(drawn) == len(EXPECTED), f"simulated: {drawn}")
    for svg in drawn:
        expect("simulated, no times of a GPU" in svg.read_text(), f"{svg.name} does not say it")


def check_names(folder):
    """Test that files with the same name do not overwrite each other."""
    folder = pathlib.Path(folder)
    paths = [folder / "old" / "r.json", folder / "new" / "r.json", folder / "new" / "s t.json",
             folder / "new" / "s_t.json", folder / "new" / "s_t.json"]
    root = json.loads((DATA / "plots.json").read_text())
    root["results"] = [r for r in root["results"] if r["suite"] == "runtime"]  # leaves one plot
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(root))
    run = plot(folder / "plots", *paths, "--format", "svg")
    drawn = {p.name for p in (folder / "plots").glob("*.svg")}
    expect(run.returncode == 0 and len(run.stdout.splitlines()) == len(drawn) == 5,
           f"of five files are drawn: {sorted(drawn)} {run.stderr}")
    for name in "old-r-ratio-runtime.svg", "new-r-ratio-runtime.svg":
        expect(name in drawn, f"{name} is not drawn: {sorted(drawn)}")


with tempfile.TemporaryDirectory() as a, tempfile.TemporaryDirectory() as b, \
        tempfile.TemporaryDirectory() as c:
    check_missing(a)
    check_plots(a)
    check_same(a, b)
    check_simulated(c)
    check_names(c)
print("\n".join(problems) or f"{len(EXPECTED)} plots are as they should be")
sys.exit(bool(problems))
