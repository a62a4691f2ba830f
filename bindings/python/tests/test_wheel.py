"""Tests the wheel, which pip builds without a network in an otherwise empty virtual environment."""
import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parents[1]
# Variables that would point to the source tree or the build.
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
        # Build in an isolated environment, because the backend has no requirements.
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

    def test_examples_run(self):
        for path in sorted((HERE / "examples").glob("*.py")):
            with self.subTest(path.name):
                done = subprocess.run([self.bin / "python", path], capture_output=True, text=True, cwd="/", timeout=60,
                                      env={**{k: v for k, v in os.environ.items() if k not in HIDDEN},
                                           "CUCORE_DRIVER": "sim"})
                # 77 means that NumPy or NVRTC is missing.
                self.assertIn(done.returncode, (0, 77), done.stdout + done.stderr)

    def test_kernels_on_tiles_run(self):
        with self.numpy() as there:
            for name in ("tile", "tile_names", "tile_layers", "reach", "objects", "launch", "graph"):
                with self.subTest(name):
                    run(self.bin / "python", HERE / "tests" / f"test_{name}.py", CUCORE_DRIVER="sim",
                        PYTHONPATH=there, PYTHONDONTWRITEBYTECODE="1")

    @contextlib.contextmanager
    def numpy(self):
        """Yield a folder that contains only this interpreter's NumPy, if there is one."""
        with tempfile.TemporaryDirectory() as folder:
            with contextlib.suppress(ModuleNotFoundError):
                import numpy
                (pathlib.Path(folder) / "numpy").symlink_to(pathlib.Path(numpy.__file__).parent)
            yield folder

    def test_the_tour_works_with_the_wheel(self):
        done = subprocess.run([self.bin / "python", HERE.parents[1] / "tests/docs/follow.py", "tour-python",
                               os.environ["CUCORE_BUILD"], "installed"], capture_output=True, text=True, timeout=170,
                              env={k: v for k, v in os.environ.items() if k not in HIDDEN})
        self.assertIn(done.returncode, (0, 77), done.stdout + done.stderr)

    def test_the_command_is_installed(self):
        self.assertIn("CUDA_ERROR_ILLEGAL_ADDRESS", run(self.bin / "cucore", "explain", "700"))
        self.assertIn("simulated", run(self.bin / "cucore", "info", CUCORE_DRIVER="sim"))

    def test_the_librarys_data_is_found(self):
        out = self.python("import cucore, pathlib; p = pathlib.Path(cucore.raw.LIBRARY).parent;"
                          "print((p / '..' / 'share' / 'cucore' / 'tuned.tsv').exists())")
        self.assertEqual(out, "True\n")

    def test_type_checkers_see_the_types(self):
        out = self.python("import cucore, pathlib; p = pathlib.Path(cucore.__file__).parent;"
                          "print((p / 'py.typed').exists(), (p / 'raw.pyi').exists())")
        self.assertEqual(out, "True True\n")

    def test_uninstalling_removes_everything(self):
        run(self.bin / "python", "-m", "pip", "uninstall", "--quiet", "--yes", "cucore")
        left = [p for p in pathlib.Path(self.folder.name).rglob("*cucore*") if p != self.wheel]
        self.assertEqual(left, [])


def load_tests(loader, tests, _pattern):
    """In source order."""
    order = list(vars(Wheel))
    suite = unittest.TestSuite()
    for name in sorted(loader.getTestCaseNames(Wheel), key=order.index):
        suite.addTest(Wheel(name))
    return suite


if __name__ == "__main__":
    unittest.main()
