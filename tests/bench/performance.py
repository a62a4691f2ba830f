#!/usr/bin/env python3
"""performance.py CUCORE: checks that docs/performance.md equals the output of
scripts/performance.py. Then tests the script with added, changed and removed results, and tests
its page of all rows and plots."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

CUCORE = sys.argv[1]
HERE = pathlib.Path(__file__).resolve()
CHECKOUT = HERE.parents[2]
SCRIPT = CHECKOUT / "scripts" / "performance.py"
problems = []


def expect(right, text):
    if not right:
        problems.append(text)


def run(root, *arguments):
    done = subprocess.run([sys.executable, SCRIPT, "--cucore", CUCORE, "--root", root, *arguments],
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def check_this_checkout():
    status, said = run(CHECKOUT, "--check")
    expect(status == 0, said)


def check_results_come_and_go(root):
    results = root / "bench" / "results"
    page = root / "docs" / "performance.md"
    results.mkdir(parents=True)
    page.parent.mkdir()

    status, said = run(root, "--check")
    expect(status == 1 and "performance.md differs" in said, f"no page: {status} {said}")
    status, said = run(root)
    expect(status == 0 and "no results of a GPU" in page.read_text(), f"nothing: {status} {said}")

    shutil.copy(HERE.parent / "data" / "simulated.json", results / "sim.json")
    run(root)
    expect("no results of a GPU" in page.read_text(), "simulated results are no GPU's")

    shutil.copy(HERE.parent / "data" / "plots.json", results / "made-up.json")
    status, said = run(root, "--check")
    expect(status == 1, "new results are not seen")
    status, said = run(root)
    text = page.read_text()
    expect(status == 0, said)
    expect("no results of a GPU" not in text, "there are results of a GPU, and the page denies it")
    expect("| launch | 2062 ns | 2000 ns | 1.031 [" in text, "the page lacks a call")
    status, said = run(root, "--check")
    expect(status == 0, f"it is not what it was just made: {said}")


def check_all(root):
    every = root / "every"
    page = every / "performance.md"
    plots = every / "performance"
    status, said = run(root, "--all", every)
    if "no plots" in said:
        print(said, file=sys.stderr)
        return 77
    expect(status == 0, said)
    text = page.read_text()
    expect("**simulated: " in text, "the page does not say that it is simulated")
    expect(text.index("## made-up") < text.index("## sim"), "what a GPU did does not come first")
    expect("    invented by hand for the tests\n" in text, "the page lacks the command")
    expect("| 1 GiB | cucore | cold | 717.8 us |" in text, "the page lacks a table")
    for name in ("bandwidth-memory-copy", "roofline-gemm", "ratio-runtime", "times-compile"):
        expect(f"](performance/made-up-{name}.svg)" in text, f"the page lacks the plot {name}")
        expect((plots / f"made-up-{name}.svg").exists(), f"no {name}.svg")

    drawn = (plots / "made-up-roofline-gemm.svg").stat().st_mtime_ns
    run(root, "--all", every)
    expect((plots / "made-up-roofline-gemm.svg").stat().st_mtime_ns == drawn, "it draws again what is the same")
    path = root / "bench" / "results" / "made-up.json"
    document = json.loads(path.read_text())
    document["commit"] = "ccccccc"
    path.write_text(json.dumps(document))
    run(root, "--all", every)
    expect("ccccccc" in (plots / "made-up-roofline-gemm.svg").read_text(), "it does not draw other results")
    path.unlink()
    status, said = run(root, "--all", every)
    expect(status == 0 and not list(plots.glob("made-up*")), f"what is of no results is still there: {said}")
    return 0


check_this_checkout()
with tempfile.TemporaryDirectory() as folder:
    check_results_come_and_go(pathlib.Path(folder))
    skipped = check_all(pathlib.Path(folder))
print("\n".join(problems) or "docs/performance.md is what bench/results/ makes")
sys.exit(1 if problems else skipped)
