#!/usr/bin/env python3
"""foreign.py LIBRARY: tests the bench library from Python through ctypes, without a device.
Subjects, checks and progress callbacks are Python functions."""
import ctypes
import json
import math
import sys
import time

lib = ctypes.CDLL(sys.argv[1])
status, u64, size, text = ctypes.c_int32, ctypes.c_uint64, ctypes.c_size_t, ctypes.c_char_p
RUN = ctypes.CFUNCTYPE(status, ctypes.c_void_p, ctypes.c_void_p, u64)
CHECK = ctypes.CFUNCTYPE(status, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, size)
SAMPLE = ctypes.CFUNCTYPE(status, ctypes.c_void_p, u64, ctypes.POINTER(ctypes.c_double))
SETUP = ctypes.CFUNCTYPE(status, ctypes.c_void_p, ctypes.c_void_p)
KIND_CPU, KIND_FOREIGN, PEER, NO_DEVICE, CASE_NO_DEVICE = 1, 2, 1, 8, 1


class Subject(ctypes.Structure):
    _fields_ = [("struct_size", size), ("name", text), ("data", ctypes.c_void_p), ("run", RUN),
                ("check", CHECK), ("prepare", RUN), ("sample", SAMPLE), ("unchecked", text),
                ("limit", ctypes.c_double), ("batch", ctypes.c_uint32), ("modes", ctypes.c_uint32),
                ("kind", ctypes.c_int32), ("flags", ctypes.c_uint32)]


class Case(ctypes.Structure):
    _fields_ = [("struct_size", size), ("suite", text), ("name", text), ("about", text),
                ("axes", ctypes.c_void_p), ("axis_count", size), ("setup", SETUP),
                ("data", ctypes.c_void_p), ("modes", ctypes.c_uint32), ("flags", ctypes.c_uint32)]


class Options(ctypes.Structure):
    # This struct is smaller than the library's, so the missing fields get their defaults.
    _fields_ = [("struct_size", size), ("device", ctypes.c_void_p), ("seed", u64),
                ("min_samples", u64), ("max_samples", u64), ("min_seconds", ctypes.c_double)]


def ok(got):
    if got < 0:
        sys.exit(f"status {got}")


def spinning(seconds):
    def run(data, stream, index):
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            pass
        return 0
    return RUN(run)


@SAMPLE
def sample(data, index, seconds):
    seconds[0] = 250e-6 + 1e-6 * (index % 3)
    return 0


@CHECK
def check(data, stream, why, room):
    if data == 7:
        ctypes.memmove(why, b"seven is wrong\0", min(room, 15))
        return 1
    return 0


subjects = [
    Subject(name=b"short", run=spinning(200e-6), check=check, kind=KIND_CPU, flags=PEER, batch=1),
    Subject(name=b"long", run=spinning(400e-6), check=check, kind=KIND_CPU, batch=1),
    Subject(name=b"elsewhere", sample=sample, unchecked=b"it is made up", kind=KIND_FOREIGN, modes=8),
    Subject(name=b"wrong", data=7, run=spinning(0), check=check, kind=KIND_CPU),
]


@SETUP
def setup(state, data):
    for subject in subjects:
        subject.struct_size = ctypes.sizeof(Subject)
        ok(lib.cuc_bench_state_add_subject(ctypes.c_void_p(state), ctypes.byref(subject)))
    return 0


bench, document = ctypes.c_void_p(), text()
options = Options(struct_size=ctypes.sizeof(Options), seed=1, max_samples=30)
ok(lib.cuc_bench_create(ctypes.byref(bench), ctypes.byref(options)))
case = Case(struct_size=ctypes.sizeof(Case), suite=b"python", name=b"spin", setup=setup,
            flags=CASE_NO_DEVICE)
ok(lib.cuc_bench_add_case(bench, ctypes.byref(case)))
ok(lib.cuc_bench_run(bench, None))
ok(lib.cuc_bench_get_json(ctypes.byref(document), None, bench))
results = {r["subject"]: r for r in json.loads(document.value)["results"]}
lib.cuc_bench_release(bench)

assert results["short"]["checked"] == "passed"
assert 200e-6 <= results["short"]["median_s"] < 1e-3, results["short"]
assert results["long"]["peer"] == "short" and results["long"]["verdict"] == "SLOWER"
assert math.isclose(results["long"]["ratio"], 2, rel_tol=0.3), results["long"]
assert math.isclose(results["elsewhere"]["median_s"], 251e-6, rel_tol=1e-6), results["elsewhere"]
assert results["wrong"]["failed"] == "the check failed: seven is wrong", results["wrong"]
print("subjects, checks and samples of Python's were timed")
