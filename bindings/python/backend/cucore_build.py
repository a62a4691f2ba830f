"""Make the wheel: the package, and beside it what meson builds.

A build backend of PEP 517 without dependencies. CUCORE_BUILD names a build folder of meson that has
been built; without it one is made and built in a temporary folder. In the wheel are

    cucore/                 the package
    cucore/lib/             libcucore.so.0, libcucore-sim.so, the program cucore and its scripts: in one
                            folder, as the simulated driver is looked for beside them
    cucore/share/cucore/    data that the library looks for from there
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

# A file of the build folder, its name in the wheel, and whether it is a program.
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
    """The build folder, made when none is named."""
    if named := os.environ.get("CUCORE_BUILD"):
        return pathlib.Path(named)
    build = pathlib.Path(folder) / "build"
    # What pip isolates this backend with would hide meson's own modules from meson, which is a program
    # in Python that may be of this very interpreter.
    env = {name: value for name, value in os.environ.items()
           if name not in ("PYTHONPATH", "PYTHONNOUSERSITE")}
    subprocess.run(["meson", "setup", build, ROOT, "-Dbuildtype=release", "-Dtests=disabled",
                    "-Dexamples=disabled", "-Ddocs=disabled"], check=True, env=env)
    subprocess.run(["ninja", "-C", build, *{name for name, _, _ in BUILT if "/" in name},
                    f"libcucore.so.{VERSION}", "libcucore-sim.so"], check=True, env=env)
    return build


def files(build, folder):
    """(name in the wheel, path, whether it is a program) of everything."""
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
    for path in sorted((ROOT / "share").iterdir()):  # looked for from the library's folder
        yield f"cucore/share/cucore/{path.name}", path, False
    yield f"{INFO}/licenses/LICENSE", ROOT / "LICENSE", False


def record(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def put(wheel, name, data, program=False):
    entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))  # the same bytes from the same files
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
