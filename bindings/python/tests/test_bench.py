"""Tests the package as a peer of cucore bench, like the other peers, and the script that measures
the bindings."""
import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from support import ROOT

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


class Bindings(unittest.TestCase):
    def test_the_script_measures_and_judges(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "out.json"
            subprocess.run([sys.executable, ROOT / "bench" / "bindings.py", "--seconds", "0.2", "--json", path],
                           check=True, capture_output=True, timeout=120)
            said = json.loads(path.read_text())
        rows = {(r["case"], r["subject"]): r for r in said["results"]}
        for case in ("launch_0", "launch_3", "launch_10"):
            for subject in ("cucore", "prepared", "raw"):
                self.assertGreater(rows[case, subject]["median_s"], 0)
        for case in ("allocate", "record", "wait_event", "copy_to", "fill", "event_is_done", "device_lookup",
                     "stream_create", "buffer.handle", "dlpack_export", "graph_launch"):
            self.assertGreater(rows[case, "cucore"]["median_s"], 0)
        self.assertGreater(rows["dlpack_import", "cucore"]["median_s"], 0)
        goals = {(g["case"], g["subject"], g["peer"]): g for g in said["goals"]}
        goal = goals["tensor_export", "cucore", None]
        self.assertEqual(goal["kept"], goal["value"] <= 1e-6)
        self.assertIn(("launch_3", "prepared", "raw"), goals)


if __name__ == "__main__":
    unittest.main()
