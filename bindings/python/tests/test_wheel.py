"""The wheel, built by pip without a network, in a virtual environment that has nothing else."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parents[1]
# What would lead to the source folder or the build.
HIDDEN = ("PYTHONPATH", "CUCORE_LIBRARY", "VIRTUAL_ENV", "PYTHONHOME", "CUCORE_DRIVER")


def run(*command, **environment):
    env = {k: v for k, v in os.environ.items() if k not in HIDDEN}
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=170,
                          cwd="/", env={**env, **environment})
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, command))}: exit status {done.returncode}\n"
                             f"{done.stdout}{done.stderr}")
    return done.stdout


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if "CUCORE_BUILD" not in os.environ:
            raise unittest.SkipTest("CUCORE_BUILD names no build folder")
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        folder = pathlib.Path(cls.folder.name)
        try:
            run(sys.executable, "-m", "venv", folder / "venv")
        except AssertionError as error:
            raise unittest.SkipTest(f"no virtual environment can be made: {error}") from None
        cls.bin = folder / "venv" / "bin"
        pip = [cls.bin / "python", "-m", "pip", "--disable-pip-version-check"]
        # From an environment of its own: the backend asks for nothing.
        run(*pip, "wheel", "--quiet", "--no-index", "--no-deps", "--wheel-dir", folder, HERE)
        cls.wheel, = folder.glob("*.whl")
        run(*pip, "install", "--quiet", "--no-index", cls.wheel)

    def python(self, program, **environment):
        return run(self.bin / "python", "-c", program, CUCORE_DRIVER="sim", **environment)

    def test_the_library_in_it_is_loaded(self):
        place = self.python("import cucore; print(cucore.raw.LIBRARY)").strip()
        self.assertTrue(place.startswith(self.folder.name), place)

    def test_its_simulated_driver_is_found(self):
        out = self.python("import cucore; print(cucore.Device(0).name, len(cucore.raw.FUNCTIONS))")
        self.assertIn("simulated", out)

    def test_an_example_runs(self):
        out = run(self.bin / "python", HERE / "examples" / "tile_text.py", CUCORE_DRIVER="sim")
        self.assertIn("sum to 1", out)

    def test_the_program_is_there(self):
        self.assertIn("CUDA_ERROR_ILLEGAL_ADDRESS", run(self.bin / "cucore", "explain", "700"))
        self.assertIn("simulated", run(self.bin / "cucore", "info", CUCORE_DRIVER="sim"))

    def test_the_librarys_data_is_where_it_looks(self):
        out = self.python("import cucore, pathlib; p = pathlib.Path(cucore.raw.LIBRARY).parent;"
                          "print((p / '..' / 'share' / 'cucore' / 'tuned.tsv').exists())")
        self.assertEqual(out, "True\n")

    def test_types_are_told_to_checkers(self):
        out = self.python("import cucore, pathlib; p = pathlib.Path(cucore.__file__).parent;"
                          "print((p / 'py.typed').exists(), (p / 'raw.pyi').exists())")
        self.assertEqual(out, "True True\n")

    def test_all_of_it_goes_again(self):
        run(self.bin / "python", "-m", "pip", "uninstall", "--quiet", "--yes", "cucore")
        left = [p for p in pathlib.Path(self.folder.name).rglob("*cucore*") if p != self.wheel]
        self.assertEqual(left, [])


def load_tests(loader, tests, _pattern):
    """In the order that they are written in."""
    order = list(vars(Wheel))
    suite = unittest.TestSuite()
    for name in sorted(loader.getTestCaseNames(Wheel), key=order.index):
        suite.addTest(Wheel(name))
    return suite


if __name__ == "__main__":
    unittest.main()
