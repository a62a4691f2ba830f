"""The package as a peer of cucore bench: it does the work that others do, and is checked the same."""
import csv
import io
import os
import pathlib
import subprocess
import sys
import unittest

try:
    import numpy
except ModuleNotFoundError:
    numpy = None

PROGRAM = pathlib.Path(os.environ.get("CUCORE_BUILD", "/nowhere")) / "tools" / "cucore" / "cucore"


@unittest.skipUnless(numpy and PROGRAM.exists(), "no NumPy, or no cucore program in CUCORE_BUILD")
class Peer(unittest.TestCase):
    def test_it_launches_and_copies(self):
        done = subprocess.run(
            [PROGRAM, "bench", "runtime", "memory", "--filter", "/launch_3|/copy$", "--axis", "path=d2d",
             "--axis", "bytes=20", "--mode", "cold,cpu", "--quick", "--max-seconds", "0.1", "--csv", "-"],
            capture_output=True, text=True, timeout=120, env={**os.environ, "CUCORE_PYTHON": sys.executable})
        rows = {(r["case"], r["subject"]): r for r in csv.DictReader(io.StringIO(done.stdout))}
        for case, subject in (("launch_3_arguments", "cucore-python"),
                              ("launch_3_arguments", "cucore-prepared"), ("copy", "cucore-python")):
            row = rows.get((case, subject), {})
            self.assertTrue(float(row.get("median_s") or 0) > 0, f"{case} {subject}: {row}\n{done.stderr}")


if __name__ == "__main__":
    unittest.main()
