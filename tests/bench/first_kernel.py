#!/usr/bin/env python3
"""first_kernel.py SCRIPT BUILD CUCORE: runs bench/first_kernel.py on the simulated driver and reads its document."""
import json
import pathlib
import subprocess
import sys
import tempfile

SCRIPT, BUILD, CUCORE = sys.argv[1:4]
if subprocess.run([CUCORE, "find", "nvrtc"], capture_output=True, check=False).returncode:
    print("skipped: NVRTC is not installed")
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "first.json")
    subprocess.run([SCRIPT, "--build", BUILD, "--rounds", "2", "--json", path], check=True, timeout=100)
    results = {row["subject"]: row for row in json.loads(path.read_text(encoding="utf-8"))["results"]}
for subject in "cucore-c", "cucore":
    row = results[subject]
    assert row["samples"] == 2 and 0 < row["p10_s"] <= row["median_s"] <= row["p90_s"], row
    assert not row["loads_compiler"], row
