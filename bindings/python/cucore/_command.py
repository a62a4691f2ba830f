"""The `cucore` command bundled in the wheel, which lists devices, and compiles, runs and measures
kernels."""
import os
import pathlib
import sys


def main() -> None:
    program = pathlib.Path(__file__).parent / "lib" / "cucore"
    if not program.exists():
        sys.exit(f"{program} is not there: this cucore was not installed from a wheel")
    # Make the command run its helper scripts with the Python that it is installed for.
    os.environ.setdefault("CUCORE_PYTHON", sys.executable)
    os.execv(program, [str(program), *sys.argv[1:]])
