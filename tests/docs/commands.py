#!/usr/bin/env python3
"""commands.py BUILD: runs the one-line commands for tile programs that README.md and docs/tile.md
show, with the kernels on those pages and with every value that a comment such as "# or --emit
ptx, cubin" lists. Also reproduces, in an ordinary program, the failure that docs/environment.md
shows.
"""
import array
import os
import pathlib
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
build = pathlib.Path(sys.argv[1]).resolve()
readme, tile = (ROOT / "README.md").read_text(), (ROOT / "docs" / "tile.md").read_text()
tool = str(build / "tools" / "cucore" / "cucore")
problems = []
ran = 0


def run(command, folder, **variables):
    env = {**os.environ, "CUCORE_DRIVER": str(build / "libcucore-sim.so"), "LC_ALL": "C", **variables}
    done = subprocess.run([tool, *command[1:]], cwd=folder, env=env, text=True, capture_output=True)
    return done.returncode, done.stdout + done.stderr


def forms(line):
    """Return the command, and the variants that its comment lists. Leaves out those that need a
    real driver."""
    command, _, other = line.partition(" # or ")
    words = shlex.split(command)
    option, _, values = other.partition(" ")
    at = words.index(option) + 1 if other else 0
    return [words] + [[*words[:at], v, *words[at + 1:]] for v in values.split(", ") if v not in ("", "real")]


def save(path, count):
    """Return a NumPy file with f32 numbers."""
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({count},), }}"
    text += " " * (63 - (10 + len(text)) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text.encode() +
                     array.array("f", range(count)).tobytes())


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    shutil.copy(ROOT / "examples" / "tile" / "softmax.tile", folder)
    (folder / "vadd.tile").write_text(re.search(r"^```tile\n(kernel vadd.*?)^```$", readme, re.M | re.S)[1])
    (folder / "numbers.tile").write_text(re.search(r"echo '(kernel numbers.*?)' > numbers\.tile", readme)[1])
    for array_name, count in {"x": 1024, "y": 1024}.items():
        save(folder / f"{array_name}.npy", count)
    links = run(["cucore", "find", "nvjitlink"], folder)[0] == 0
    shown = re.findall(r"^    (?:\$ )?(cucore (?:compile softmax|run numbers|run vadd)\.tile .*)", readme, re.M)
    shown += re.findall(r"^    (cucore run vadd\.tile .*)", tile, re.M)
    for line in shown:
        for command in forms(line):
            if "cubin" in command and not links:
                continue
            ran += 1
            status, said = run(command, folder)
            if status:
                problems.append(f"{shlex.join(command)} exits with {status}: {said}")
            output = re.search(rf"^    \$ {re.escape(line)}\n((?:    [^$\n].*\n)+)", readme, re.M)
            if output and said != re.sub("^    ", "", output[1], flags=re.M):
                problems.append(f"README.md has other output of {line} than {said}")

    row = re.search(r"`CUCORE_SIM_FAIL`.*?`(\w+):\d+=(\w+),", (ROOT / "docs" / "environment.md").read_text())
    status, said = run(shlex.split(shown[-1].partition(" --driver")[0]), folder,
                       CUCORE_SIM_FAIL=f"{row[1]}:1={row[2]}")
    if status != 1 or row[2] not in said:
        problems.append(f"{row[0]}: no run fails by it: {status}, {said}")

if ran < 9:
    problems.append(f"only {ran} commands are found")
print("\n".join(problems) or f"{ran} commands run")
sys.exit(bool(problems))
