"""Builds the wheel from the package and the files that meson builds.

A PEP 517 build backend without dependencies. CUCORE_BUILD names an existing meson build folder;
if it is not set, the backend builds in a temporary folder. The wheel contains

    cucore/                 the package
    cucore/lib/             libcucore.so.0, libcucore-sim.so, the program cucore and its scripts; they share
                            a folder because cucore looks for the simulated driver beside itself
    cucore/share/cucore/    data files the library locates relative to itself
"""
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sysconfig
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parents[1]
ROOT = HERE.parents[1]
VERSION = re.search(r'^VERSION = "(.+)"', (HERE / "cucore" / "_api.py").read_text(), re.M).group(1)
TAG = f"py3-none-{re.sub(r'[-.]', '_', sysconfig.get_platform())}"
INFO = f"cucore-{VERSION}.dist-info"

# File in the build folder, its name in the wheel, and whether it is executable.
BUILT = [("libcucore.so.0", "cucore/lib/libcucore.so.0", True),
         ("libcucore-sim.so", "cucore/lib/libcucore-sim.so", True),
         ("tools/cucore/cucore", "cucore/lib/cucore", True)]

METADATA = f"""Metadata-Version: 2.1
Name: cucore
Version: {VERSION}
Summary: NVIDIA GPUs from Python: devices, streams, memory, compiling and launching kernels, tiles
License: Apache-2.0
Requires-Python: >=3.10
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Classifier: Typing :: Typed
Description-Content-Type: text/markdown

"""


def built(folder):
    """Return the build folder; create one if CUCORE_BUILD names none."""
    if named := os.environ.get("CUCORE_BUILD"):
        return pathlib.Path(named)
    build = pathlib.Path(folder) / "build"
    # pip's isolation variables would hide meson's own modules, because meson is a Python program
    # that may run in this interpreter.
    env = {name: value for name, value in os.environ.items()
           if name not in ("PYTHONPATH", "PYTHONNOUSERSITE")}
    subprocess.run(["meson", "setup", build, ROOT, "-Dbuildtype=release", "-Dtests=disabled",
                    "-Dexamples=disabled", "-Ddocs=disabled"], check=True, env=env)
    subprocess.run(["ninja", "-C", build, *{name for name, _, _ in BUILT if "/" in name},
                    f"libcucore.so.{VERSION}", "libcucore-sim.so"], check=True, env=env)
    return build


def files(build, folder):
    """List all files as (name in the wheel, path, is executable)."""
    for path in sorted((HERE / "cucore").rglob("*")):
        if path.suffix in (".py", ".pyi", ".typed") or path.name == "py.typed":
            yield str(path.relative_to(HERE)), path, False
    for source, name, program in BUILT:
        path = pathlib.Path(folder) / pathlib.Path(name).name
        shutil.copy(build / source, path)
        if strip := shutil.which("strip"):
            subprocess.run([strip, "--strip-unneeded", path], check=True)
        yield name, path, program
    for script in sorted((ROOT / "tools" / "cucore").glob("bench_*.py")):
        yield f"cucore/lib/{script.name}", script, False
    share = ROOT / "share"
    for path in sorted(share.rglob("*")):  # the library finds these relative to itself
        if path.is_file():
            yield f"cucore/share/cucore/{path.relative_to(share)}", path, False
    yield f"{INFO}/licenses/LICENSE", ROOT / "LICENSE", False


def record(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def put(wheel, name, data, program=False):
    entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))  # fixed date: equal inputs give an identical wheel
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (0o100755 if program else 0o100644) << 16
    wheel.writestr(entry, data)
    return record(name, data)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    file_name = f"cucore-{VERSION}-{TAG}.whl"
    texts = {
        f"{INFO}/METADATA": METADATA + (HERE / "README.md").read_text(),
        f"{INFO}/WHEEL": f"Wheel-Version: 1.0\nGenerator: cucore_build\nRoot-Is-Purelib: false\n"
                         f"Tag: {TAG}\n",
        f"{INFO}/entry_points.txt": "[console_scripts]\ncucore = cucore._command:main\n",
    }
    with tempfile.TemporaryDirectory() as folder, \
            zipfile.ZipFile(pathlib.Path(wheel_directory) / file_name, "w") as wheel:
        lines = "".join(put(wheel, name, path.read_bytes(), program)
                        for name, path, program in files(built(folder), folder))
        lines += "".join(put(wheel, name, text.encode()) for name, text in texts.items())
        put(wheel, f"{INFO}/RECORD", (lines + f"{INFO}/RECORD,,\n").encode())
    return file_name


def get_requires_for_build_wheel(config_settings=None):
    return []


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("the source archive is that of the whole project: meson dist")
