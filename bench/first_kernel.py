#!/usr/bin/env python3
"""Measures the time from the start of a process to the result of its first kernel, which is in the
cache.

    bench/first_kernel.py [--build FOLDER] [--rounds N] [--json FILE] [--commit COMMIT]

Subjects are a C program with cucore (first_kernel.c, built with the tree), Python with cucore,
and Python with cuda.core and its FileStreamProgramCache, if cuda.core is installed and finds a
driver that it supports. Each compiles the same CUDA C++ to a cubin, or to PTX on a simulated
driver, which CUCORE_DRIVER selects. One run that is not counted fills the cache; then the
subjects alternate. The clock stops when the process reports a right result, before it ends.
"""
import argparse
import json
import os
import pathlib
import platform
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

from write_results import write

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUBJECTS = ("cucore-c", "cucore", "cuda.core")
GOAL = 0.8  # cucore's time divided by cuda.core's, both in Python
COUNT, BLOCK = 1024, 256
SOURCE = """extern "C" __global__ void saxpy(float a, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * i + 1;
}
"""


def serve(subject, folder):
    """Runs in the measured process. Uses only features that both packages have, in the same way."""
    import ctypes
    options = {}
    if subject == "cucore":
        import cucore as core
        from cucore import raw
        target = "ptx" if raw.cuc_driver_is_simulated() else "cubin"
    else:
        import cuda.core as core
        from cuda.core.utils import FileStreamProgramCache
        target = "cubin"
        options = {"cache": FileStreamProgramCache(folder)}
    device = core.Device(0)
    device.set_current()
    stream = device.create_stream()
    program = core.Program(SOURCE, "c++", core.ProgramOptions(arch=f"sm_{device.arch}"))
    kernel = program.compile(target, **options).get_kernel("saxpy")
    buffer = core.LegacyPinnedMemoryResource().allocate(4 * COUNT)
    core.launch(stream, core.LaunchConfig(grid=COUNT // BLOCK, block=BLOCK), kernel, ctypes.c_float(2), buffer,
                ctypes.c_int32(COUNT))
    stream.sync()
    result = (ctypes.c_float * COUNT).from_address(int(buffer.handle))
    print("right" if all(result[i] == 2 * i + 1 for i in range(COUNT)) else "wrong", flush=True)
    maps = pathlib.Path("/proc/self/maps").read_text(encoding="utf-8")
    print("compiler" if "libnvrtc.so" in maps or "libnvJitLink" in maps else "no compiler")


def command(subject, build, folder):
    if subject == "cucore-c":
        return [build / "bench" / "first_kernel"]
    return [sys.executable, __file__, "--serve", subject, folder]


def sample(subject, build, folder):
    """Return the seconds, and whether a compiler was loaded."""
    path = [str(ROOT / "bindings" / "python"), os.environ.get("PYTHONPATH")]
    environment = {**os.environ, "CUCORE_CACHE": "1", "CUCORE_CACHE_DIR": str(folder),
                   "CUCORE_LIBRARY": str(build / "libcucore.so"), "PYTHONPATH": ":".join(filter(None, path))}
    begin = time.perf_counter()
    with subprocess.Popen(command(subject, build, folder), env=environment, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as child:
        answer = child.stdout.readline()
        seconds = time.perf_counter() - begin
        rest, errors = child.communicate(timeout=60)
    if answer != "right\n" or child.returncode:
        raise RuntimeError(f"{answer}{errors}".strip() or f"it ended with status {child.returncode}")
    return seconds, rest == "compiler\n"


def machine(build):
    """Return the GPU and its driver."""
    tool = build / "tools" / "cucore" / "cucore"
    run = subprocess.run([tool, "info", "--json"], stdout=subprocess.PIPE, check=True)
    info = json.loads(run.stdout)
    driver = {key: info["driver"][key] for key in ("version", "kernel_driver", "simulated")}
    return {"gpu": info["devices"][0]["name"], "driver": driver, "python": platform.python_version()}


def measure(build, rounds, folder):
    """Return each subject's seconds, and the runs that loaded a compiler, both by subject."""
    times, compilers = {}, {}
    for subject in SUBJECTS:
        try:
            sample(subject, build, folder / subject)
            times[subject] = []
        except (OSError, RuntimeError) as error:
            if subject != "cuda.core":
                raise
            print(f"without cuda.core: {str(error).splitlines()[-1]}", file=sys.stderr)
    for number in range(rounds):
        order = list(times)
        for subject in order[number % len(order):] + order[:number % len(order)]:
            seconds, compiler = sample(subject, build, folder / subject)
            times[subject].append(seconds)
            compilers[subject] = compilers.get(subject, False) or compiler
            if compiler and subject != "cuda.core":
                raise RuntimeError(f"{subject} loaded a compiler, although its cache has the kernel")
    return times, compilers


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="the build folder")
    parser.add_argument("--rounds", type=int, default=20, help="samples of each subject")
    parser.add_argument("--json", type=pathlib.Path, help="write the results to this file")
    parser.add_argument("--commit", help="what is measured, for the results")
    parser.add_argument("--serve", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        return serve(*arguments.serve)
    with tempfile.TemporaryDirectory(prefix="cucore-first-") as folder:
        times, compilers = measure(arguments.build.resolve(), arguments.rounds, pathlib.Path(folder))
    rows = []
    for subject, samples in times.items():
        tenths = statistics.quantiles(samples, n=10, method="inclusive")
        row = {"subject": subject, "median_s": statistics.median(samples), "p10_s": tenths[0], "p90_s": tenths[-1],
               "samples": len(samples), "loads_compiler": compilers[subject]}
        if "cuda.core" in times:
            row["ratio"] = row["median_s"] / statistics.median(times["cuda.core"])
        if "ratio" in row and subject == "cucore":
            row["limit"] = GOAL
        rows.append({key: round(value, 6) if isinstance(value, float) else value for key, value in row.items()})
        middle, low, high = (row[key] * 1e3 for key in ("median_s", "p10_s", "p90_s"))
        ratio = f"  {row['ratio']:.3f} of cuda.core" if "ratio" in row else ""
        print(f"{subject:10} {middle:9.2f} ms  [{low:.2f}, {high:.2f}]{ratio}")
    if arguments.json:
        document = {"schema": "cucore-first-kernel/1", "command": shlex.join(["bench/first_kernel.py", *sys.argv[1:]]),
                    "commit": arguments.commit, "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                    "machine": machine(arguments.build.resolve())}
        write(arguments.json, {**document, "results": rows})
    return 0


if __name__ == "__main__":
    sys.exit(main())
