"""The program `cucore` that a wheel carries: devices, compiling, running and measuring kernels."""
import os
import pathlib
import sys


def main() -> None:
    program = pathlib.Path(__file__).parent / "lib" / "cucore"
    if not program.exists():
        sys.exit(f"{program} is not there: this cucore was not installed from a wheel")
    # Its scripts are run by the Python that it was installed for.
    os.environ.setdefault("CUCORE_PYTHON", sys.executable)
    os.execv(program, [str(program), *sys.argv[1:]])
