"""Tests the type annotations: mypy accepts the package with default options, and infers the right
types for its users."""
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from support import ROOT

PACKAGE = ROOT / "bindings" / "python"
OLDEST = (1, 14)  # earlier versions of mypy reject NotImplemented where a bool is expected
MYPY = [sys.executable, "-m", "mypy"] if importlib.util.find_spec("mypy") else [shutil.which("mypy")]

PROGRAM = """
import cucore
from cucore import graph
device = cucore.Device(0)
stream = device.create_stream()
managed = cucore.ManagedMemoryResource()
"""
SAID = [ # an expression and its type
    ("stream", "cucore._stream.Stream"),
    ("device.allocate(64, stream=stream)", "cucore._memory.Buffer"),
    ("device.allocate(64, stream=stream)[8:16]", "cucore._memory.Buffer"),
    ("device.create_stream(options={'priority': -1})", "cucore._stream.Stream"),
    ("managed", "cucore._memory_pool.ManagedMemoryResource"),
    ("managed.allocate(64, stream=stream)", "cucore._managed.ManagedBuffer"),
    ("managed.allocate(64, stream=stream)[8:16]", "cucore._managed.ManagedBuffer"),
    ("cucore.ManagedBuffer.from_handle(4096, 64)", "cucore._managed.ManagedBuffer"),
    ("cucore.GraphMemoryResource(0)", "cucore._memory_resource.GraphMemoryResource"),
    ("cucore.DeviceMemoryResource.from_allocation_handle(0, 3)", "cucore._memory_pool.DeviceMemoryResource"),
    ("cucore.VirtualMemoryResource(0).allocate(64)", "cucore._virtual.VirtualMemoryBuffer"),
    ("graph.GraphDefinition(0).instantiate()", "cucore._graph.GraphExec"),
    ("graph.GraphDefinition(0).memset(4096, 0, 64)", "cucore._graph_node.MemsetNode"),
]
REFUSED = [ # a statement and its error code
    ("device.create_stream(nothing=1)", "call-arg"),
    ("cucore.LaunchConfig(grid='1')", "arg-type"),
    ("device.allocate(64, stream=stream).fill(1.5, stream=stream)", "arg-type"),
    ("device.allocate(64, stream=stream).nothing", "attr-defined"),
]


class Types(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if MYPY == [None]:
            raise unittest.SkipTest("no mypy")
        version = subprocess.run([*MYPY, "--version"], capture_output=True, text=True, timeout=60).stdout
        found = re.match(r"mypy (\d+)\.(\d+)", version)
        if not found or tuple(map(int, found.groups())) < OLDEST:
            raise unittest.SkipTest(f"mypy is of before version {'.'.join(map(str, OLDEST))}: {version.strip()}")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)

    def mypy(self, *arguments):
        """Return mypy's output. NumPy is optional."""
        command = [*MYPY, "--config-file=", "--ignore-missing-imports", "--cache-dir", self.folder / "cache", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=150, cwd=PACKAGE,
                              env={**os.environ, "MYPYPATH": str(PACKAGE)})
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout

    def test_the_package_type_checks(self):
        status, said = self.mypy("-p", "cucore")
        self.assertEqual(status, 0, said)

    def test_types_are_inferred_for_users(self):
        path = self.folder / "program.py"
        lines = [*PROGRAM.splitlines(), *(f"reveal_type({each})" for each, _ in SAID), *(each for each, _ in REFUSED)]
        path.write_text("\n".join(lines) + "\n")
        _, said = self.mypy(path)
        notes = dict(re.findall(r'program\.py:(\d+): note: Revealed type is "(.*)"', said))
        errors = dict(re.findall(r"program\.py:(\d+): error: .*\[(.*)\]", said))
        first = len(PROGRAM.splitlines()) + 1
        for number, (expression, kind) in enumerate(SAID, first):
            with self.subTest(expression):
                self.assertEqual(notes.get(str(number)), kind)
        for number, (statement, code) in enumerate(REFUSED, first + len(SAID)):
            with self.subTest(statement):
                self.assertEqual(errors.pop(str(number), None), code)
        self.assertEqual(errors, {}, said)


if __name__ == "__main__":
    unittest.main()
