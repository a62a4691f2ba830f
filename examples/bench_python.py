#!/usr/bin/env python3
"""Times Python functions against each other with libcucore-bench, through ctypes: bench_python.py
[libcucore-bench.so.0]. The structs come from <cucore/bench.h>; trailing fields omitted here get
the library's defaults."""
import ctypes as c
import json
import sys

lib = c.CDLL(sys.argv[1] if len(sys.argv) > 1 else "libcucore-bench.so.0")
RUN = c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_void_p, c.c_uint64)
CHECK = c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_void_p, c.c_void_p, c.c_size_t)
SETUP = c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_void_p)
KIND_CPU, PEER, NO_DEVICE = 1, 1, 1 << 3
CASE_NO_DEVICE = 1


class Options(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("device", c.c_void_p), ("seed", c.c_uint64),
                ("min_samples", c.c_uint64), ("max_samples", c.c_uint64),
                ("min_seconds", c.c_double), ("max_seconds", c.c_double), ("target", c.c_double),
                ("throttle_below", c.c_double), ("same_within", c.c_double),
                ("noise_floor", c.c_double), ("block_timeout_s", c.c_double),
                ("flush_bytes", c.c_uint64), ("max_set_bytes", c.c_uint64), ("modes", c.c_uint32),
                ("flags", c.c_uint32)]


class Case(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("suite", c.c_char_p), ("name", c.c_char_p),
                ("about", c.c_char_p), ("axes", c.c_void_p), ("axis_count", c.c_size_t),
                ("setup", SETUP), ("data", c.c_void_p), ("modes", c.c_uint32),
                ("flags", c.c_uint32)]


class Subject(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("name", c.c_char_p), ("data", c.c_void_p),
                ("run", RUN), ("check", CHECK), ("prepare", RUN), ("sample", c.c_void_p),
                ("unchecked", c.c_char_p), ("limit", c.c_double), ("batch", c.c_uint32),
                ("modes", c.c_uint32), ("kind", c.c_int32), ("flags", c.c_uint32)]


def ok(status):
    if status < 0:
        lib.cuc_error_message.restype = c.c_char_p
        sys.exit(lib.cuc_error_message().decode())


numbers, made = list(range(1000)), {}


def subject(name, function, flags=0):
    def run(_data, _stream, _set): # for GPU work, launch on cuc_stream_handle(stream)
        made[name] = function()
        return 0

    def check(_data, _stream, why, size):
        if made[name] == [x * x for x in numbers]:
            return 0
        c.memmove(why, b"these are not squares\0", min(size, 22))
        return 1

    return Subject(struct_size=c.sizeof(Subject), name=name.encode(), run=RUN(run),
                   check=CHECK(check), kind=KIND_CPU, flags=flags)


# These objects keep the callbacks alive.
subjects = [subject("map", lambda: list(map(lambda x: x * x, numbers)), PEER),
            subject("comprehension", lambda: [x * x for x in numbers])]


@SETUP
def setup(state, _data):
    for s in subjects:
        ok(lib.cuc_bench_state_add_subject(c.c_void_p(state), c.byref(s)))
    return 0


bench, text = c.c_void_p(), c.c_char_p()
ok(lib.cuc_bench_create(c.byref(bench), c.byref(Options(struct_size=c.sizeof(Options),
                                                        flags=NO_DEVICE))))
ok(lib.cuc_bench_add_case(bench, c.byref(Case(struct_size=c.sizeof(Case), suite=b"example",
                                              name=b"squares", setup=setup, flags=CASE_NO_DEVICE))))
ok(lib.cuc_bench_run(bench, None))
ok(lib.cuc_bench_get_json(c.byref(text), None, bench))
results = json.loads(text.value)["results"]
for r in results:
    print(f"{r['subject']:14} {r['median_s'] * 1e6:8.2f} us {r.get('verdict', '')}"
          if "median_s" in r else f"{r['subject']:14} {r['failed']}")
lib.cuc_bench_release(bench)
sys.exit(any("failed" in r for r in results))
