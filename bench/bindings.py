#!/usr/bin/env python3
"""Measures the call overhead of the bindings against other packages, and checks the goals.

    bench/bindings.py [--json FILE] [--rust PROGRAM] [--seconds N] [--filter TEXT]

The Python subjects run in this process and alternate in each round, so that all see the same
machine state. bindings_calls.py compares the calls that programs make in loops with cuda.core;
launches are also compared with raw driver calls, and DLPack exchange with PyTorch's own. Subjects
that are not installed are left out. --rust names the crate's launch benchmark (`cargo bench
--no-run` prints its path). To time the bindings alone, use a simulated driver or the do-nothing
driver bench/libnull_driver.so: CUCORE_DRIVER selects it for cucore, and a link libcuda.so.1 in a
folder of LD_LIBRARY_PATH for the other packages.
"""
import argparse
import ctypes
import itertools
import platform
import re
import shlex
import subprocess
import sys
import time

import cucore
from bindings_calls import BATCH, Uses, calls
from cucore import Device, LaunchConfig, ObjectCode, PreparedLaunch, Tensor, raw
from write_results import write

PTX = b"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry k0() { ret; }
.visible .entry k3(.param .u64 x, .param .u64 y, .param .u32 n) { ret; }
.visible .entry k10(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d, .param .u32 e, .param .u32 f,
                    .param .u32 g, .param .f32 h, .param .f32 i, .param .f32 j) { ret; }
"""

# Case, subject, peer and the limit of their ratio; without a peer, a limit in seconds. The case
# None stands for every case that has both the subject and the peer.
GOALS = [
    (None, "cucore", "cuda.core", 1.0),
    ("launch_3", "prepared", "cuda.bindings", 1.15),
    ("launch_3", "prepared", "raw", 1.15),
    ("tensor_export", "cucore", None, 1e-6),
    ("tensor_export_versioned", "cucore", None, 1e-6),
    ("dlpack_import", "cucore", None, 1e-6),
    ("dlpack_import_array", "cucore", None, 1e-6),
]


def launches(device, stream):
    """Yield (case, subject, function) for each launch."""
    code = ObjectCode.from_ptx(PTX)
    config = LaunchConfig(grid=1, block=32)
    buffer = device.allocate(256, stream=stream)
    arguments = {"k0": (), "k3": (buffer, buffer, 5),
                 "k10": (buffer, buffer, buffer, buffer, 1, 2, 3, 1.0, 2.0, 3.0)}
    for name, given in arguments.items():
        kernel = code.get_kernel(name)
        case = f"launch_{name[1:]}"
        yield case, "prepared", PreparedLaunch(stream, config, kernel, *given)
        yield from raw_launches(case, kernel, given, stream)


def shared():
    """Yield every loop call for cucore and cuda.core."""
    cores = [("cucore", cucore)]
    try:
        import cuda.core
        cuda.core.Device(0)
        cores.append(("cuda.core", cuda.core))
    except ImportError:
        pass
    except RuntimeError as error:  # cuda.core supports only the system's driver, and there is none
        print(f"without cuda.core: {error}", file=sys.stderr)
    for name, core in cores:
        core.Device(0).set_current()
        code = core.ObjectCode.from_ptx(PTX)
        kernels = {each: code.get_kernel(each) for each in ("k0", "k3", "k10")}
        try:
            for case, function in calls(core, kernels):
                yield case, name, function
        except Exception as error:  # the do-nothing driver has no graphs for cuda.core
            print(f"{name}: {error!r}", file=sys.stderr)


def raw_launches(case, kernel, given, stream):
    """Call the driver through ctypes and cuda.bindings, with prepared arguments."""
    values = [ctypes.c_uint64(g.handle) if hasattr(g, "handle") else
              ctypes.c_float(g) if isinstance(g, float) else ctypes.c_int(g) for g in given]
    addresses = (ctypes.c_void_p * (len(values) or 1))(*[ctypes.addressof(v) for v in values])
    handle, queue = raw.cuc_kernel_handle(kernel._h), stream.handle
    out = ctypes.c_char_p()
    function = None
    if raw.cuc_driver_get_path(ctypes.byref(out)) == raw.CUC_OK:
        function = getattr(ctypes.CDLL(out.value.decode()), "cuLaunchKernel", None)
    if function is not None:
        fixed = (ctypes.c_void_p(handle), *[ctypes.c_uint(v) for v in (1, 1, 1, 32, 1, 1, 0)],
                 ctypes.c_void_p(queue), addresses, ctypes.c_void_p(0), values)[:-1]
        kept = (values, addresses)
        yield case, "raw", lambda kept=kept: function(*fixed)
    try:
        from cuda.bindings import driver
    except ImportError:
        return
    at = ctypes.addressof(addresses)
    yield (case, "cuda.bindings",
           lambda kept=(values, addresses): driver.cuLaunchKernel(handle, 1, 1, 1, 32, 1, 1, 0, queue, at, 0))


def arrays(device, stream):
    """Exchange arrays through DLPack, releasing each at once."""
    view = device.allocate(256, stream=stream).view("f32")
    take = Tensor.from_capsule
    yield "tensor_export", "cucore", lambda: view.__dlpack__(stream=-1)
    yield "tensor_export_versioned", "cucore", lambda: view.__dlpack__(stream=-1, max_version=(1, 1))
    yield "dlpack_import", "cucore", Uses(lambda: view.__dlpack__(stream=-1, max_version=(1, 1)), take)
    yield "dlpack_both", "cucore", lambda: take(view.__dlpack__(stream=-1, max_version=(1, 1)))
    try:
        import torch
        theirs = torch.zeros(64, device="cuda")
    except Exception:  # not installed, or built for another driver
        return
    yield "tensor_export", "torch", lambda: theirs.__dlpack__(stream=-1)
    yield "tensor_export_versioned", "torch", lambda: theirs.__dlpack__(stream=-1, max_version=(1, 1))
    yield "dlpack_import_array", "cucore", lambda: Tensor.from_dlpack(theirs)
    yield "dlpack_import_array_ordered", "cucore", lambda: Tensor.from_dlpack(theirs, stream=stream)
    yield "dlpack_import_array", "torch", lambda: torch.from_dlpack(theirs)
    yield "dlpack_import_ours", "torch", lambda: torch.from_dlpack(view)


def sample(function):
    prepare = getattr(function, "prepare", None)
    if prepare:
        prepare()
    start = time.perf_counter_ns()
    for _ in range(BATCH):
        function()
    return (time.perf_counter_ns() - start) * 1e-9 / BATCH


def measure(rows, wait, seconds):
    """Return the sorted times of each row; leave out rows that fail."""
    good = []
    for row in rows:
        try:
            sample(row[2])  # triggers one-time setup
            good.append((row, []))
        except Exception as error:
            print(f"{row[0]} {row[1]}: {error!r}", file=sys.stderr)
    # Reverse the order of a case's subjects after each round, because work that one leaves behind
    # may slow the next.
    cases = [list(group) for _, group in itertools.groupby(good, lambda row: row[0][0])]
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for case in cases:
            for (_, _, function), times in case:
                wait()
                times.append(sample(function))
            case.reverse()
    wait()
    return [(case, subject, sorted(times)) for (case, subject, _), times in good]


def rust_rows(program):
    """Return the medians of the Rust crate's benchmark."""
    said = subprocess.run([program], capture_output=True, text=True, timeout=120, check=True).stdout
    found = re.findall(r"^(.+?)\s+([\d.]+) ns \(([\d.]+) to ([\d.]+)\)$", said, re.M)
    return [{"case": "rust_launch_4", "subject": name, "median_s": float(median) * 1e-9,
             "q1_s": float(low) * 1e-9, "q3_s": float(high) * 1e-9} for name, median, low, high in found]


def judge(results):
    """Return each goal with its measurement and verdict; leave out goals without measurements."""
    by = {(r["case"], r["subject"]): r["median_s"] for r in results}
    everywhere = dict.fromkeys(r["case"] for r in results)
    for case, subject, peer, limit in [(each, *goal[1:]) for goal in GOALS
                                       for each in (everywhere if goal[0] is None else [goal[0]])]:
        ours, theirs = by.get((case, subject)), by.get((case, peer))
        if ours is None or (peer and theirs is None):
            continue
        value = ours / theirs if peer else ours
        yield {"case": case, "subject": subject, "peer": peer, "limit": limit, "value": value,
               "kept": value <= limit}
    rust = [r for r in results if r["case"] == "rust_launch_4"]
    for row in rust[1:]:
        value = row["median_s"] - rust[0]["median_s"]
        yield {"case": row["case"], "subject": row["subject"], "peer": rust[0]["subject"],
               "limit": 20e-9, "value": value, "kept": value <= 20e-9}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", help="write the results to a file")
    parser.add_argument("--rust", help="the crate's bench of launches")
    parser.add_argument("--commit", help="what is measured, for the results")
    parser.add_argument("--seconds", type=float, default=20, help="time to measure Python")
    parser.add_argument("--filter", default="", help="measure the cases whose names have this")
    options = parser.parse_args()

    device = Device(0)
    stream = device.create_stream()
    rows = [row for row in (*shared(), *launches(device, stream), *arrays(device, stream))
            if options.filter in row[0]]
    places = {case: place for place, case in enumerate(dict.fromkeys(row[0] for row in rows))}
    rows.sort(key=lambda row: places[row[0]])
    times = measure(rows, device.sync, options.seconds)
    results = [{"case": case, "subject": subject, "median_s": t[len(t) // 2], "q1_s": t[len(t) // 4],
                "q3_s": t[3 * len(t) // 4], "samples": len(t), "batch": BATCH}
               for case, subject, t in times]
    if options.rust:
        results += rust_rows(options.rust)
    goals = list(judge(results))
    for r in results:
        print(f"{r['case']:28} {r['subject']:32} {r['median_s'] * 1e9:9.0f} ns  "
              f"({r['q1_s'] * 1e9:.0f} to {r['q3_s'] * 1e9:.0f})")
    for g in goals:
        shown = f"{g['value']:.3f} x {g['peer']}, at most {g['limit']}" if g["peer"] and g["limit"] >= 1 else \
            f"{g['value'] * 1e9:.0f} ns, at most {g['limit'] * 1e9:.0f}"
        print(f"{'kept  ' if g['kept'] else 'MISSED'} {g['case']} {g['subject']}: {shown}")
    if options.json:
        machine = {"gpu": device.name, "simulated": bool(raw.cuc_driver_is_simulated()), "cpu": platform.processor(),
                   "python": platform.python_version(), "cucore": raw.VERSION}
        write(options.json, {
            "schema": "cucore-bindings/1", "command": shlex.join(["bench/bindings.py", *sys.argv[1:]]),
            "commit": options.commit, "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "machine": machine, "results": results, "goals": goals})
    return 0


if __name__ == "__main__":
    sys.exit(main())
