#!/usr/bin/env python3
"""own.py CUCORE SIMULATOR: follows the section of docs/benchmarking.md about your own kernels:
takes the files from the text and runs the commands one by one."""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

CUCORE, SIMULATOR = (os.path.abspath(word) for word in sys.argv[1:3])
TEXT = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "benchmarking.md").read_text()
SECTION = re.search(r"^## Your own$(.*?)^## ", TEXT, re.M | re.S).group(1)

if subprocess.run([CUCORE, "find", "nvrtc"], capture_output=True, check=False).returncode:
    print("skipped: there is no NVRTC")
    sys.exit(77)
files = re.findall(r"`([\w.]+)` is\n\n```\w+\n(.*?)```", SECTION, re.S)
commands = re.findall(r"^    cucore (bench .*)$", SECTION, re.M)
assert len(files) == 2 and len(commands) == 3, (files, commands)
with tempfile.TemporaryDirectory() as folder:
    for name, source in files:
        (pathlib.Path(folder) / name).write_text(source)
    for command in commands:
        done = subprocess.run([CUCORE, *shlex.split(command), "--quick"], cwd=folder, check=False,
                              env={**os.environ, "CUCORE_DRIVER": SIMULATOR}, text=True,
                              capture_output=True, timeout=120)
        print(done.stdout, done.stderr, sep="")
        if done.returncode or " 0 skipped, 0 failed" not in done.stdout:
            sys.exit(f"exit status {done.returncode}: cucore {command}")
