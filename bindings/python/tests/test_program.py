"""Tests programs, linkers and object code."""
import io
import pathlib
import subprocess
import sys
import tempfile
import unittest

import cucore
from cucore import (
    CompileError,
    LaunchConfig,
    Linker,
    LinkerOptions,
    LinkError,
    ObjectCode,
    Program,
    ProgramOptions,
    launch,
    library,
)
from cucore.utils import StridedMemoryView
from support import SAXPY, DeviceTest, compiled

ARCH = ProgramOptions(arch="sm_90")


# Interrupts the first compilation in a process.
INTERRUPTED = """
import os, signal, threading, cucore
source = "".join(f'extern "C" __global__ void k{i}(float *a) {{ a[threadIdx.x] += {i}; }}' for i in range(1000))
threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    cucore.Program(source, "c++", cucore.ProgramOptions(arch="sm_90")).compile("cubin")
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted")
finally:
    print("finally")
"""


class Programs(unittest.TestCase):
    def setUp(self):
        compiled(SAXPY)  # skip the test if there is no compiler

    def test_an_interrupt_while_nvrtc_compiles_is_a_keyboard_interrupt(self):
        run = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=100)
        self.assertEqual((run.returncode, run.stdout), (0, "interrupted\nfinally\n"), run.stderr)

    def test_an_error_has_the_log(self):
        with self.assertRaises(CompileError) as caught:
            Program("__global__ void f() { undeclared = 1; }", "c++", ARCH).compile("ptx")
        self.assertIn('identifier "undeclared" is undefined', str(caught.exception))
        self.assertIn("undeclared", caught.exception.log)
        self.assertEqual(caught.exception.library, "NVRTC")

    def test_options_reach_the_compiler(self):
        source = '#if A != 5 || !defined B\n#error "no"\n#endif\n#include "mine.h"\n' \
                 '__global__ void f(int *p) { *p = MINE; }'
        options = ProgramOptions(arch="sm_90", define_macro=[("A", 5), "B"], std="c++17",
                                 headers={"mine.h": "#define MINE 1"}, lineinfo=True, fma=False,
                                 max_register_count=32, name="mine.cu")
        with Program(source, "c++", options) as program:
            code = program.compile("ptx")
        self.assertIn(b".loc", code.code)
        self.assertEqual((code.code_type, code.name), ("ptx", "mine.cu"))
        one = Program("#ifndef ONE\n#error\n#endif", "c++",
                      ProgramOptions(arch="sm_90", define_macro=("ONE", "1")))
        one.compile("ptx")

    def test_warnings_go_to_logs(self):
        log = io.StringIO()
        Program("__global__ void f() { int unused; }", "c++", ARCH).compile("ptx", logs=log)
        self.assertIn("unused", log.getvalue())

    def test_name_expressions_find_templates(self):
        source = "template <class T> __global__ void scale(T *p) { *p *= 2; }"
        code = Program(source, "c++", ARCH).compile("ptx", name_expressions=["scale<float>"])
        self.assertIn("scale<float>", code.symbol_mapping)
        code.get_kernel("scale<float>")
        again = ObjectCode.from_ptx(code.code, symbol_mapping=code.symbol_mapping)
        self.assertEqual(again.symbol_mapping, code.symbol_mapping)

    def test_unknown_names_are_refused(self):
        with self.assertRaisesRegex(RuntimeError, "Unsupported code_type='fortran': expected"):
            Program("", "fortran")
        with self.assertRaisesRegex(ValueError, "expected"):
            Program(SAXPY).compile("exe")
        with self.assertRaises(TypeError):
            ProgramOptions(no_such_option=True)
        with self.assertRaisesRegex(TypeError, "arch"):
            Program(SAXPY, "c++", ProgramOptions(arch=1.5))

    def test_code_is_saved_and_loaded(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "saxpy.ptx"
            code = Program(SAXPY, "c++", ARCH).compile("ptx")
            code.save(path)
            self.assertEqual(ObjectCode.from_ptx(path).kernel_names, ["saxpy"])
            self.assertEqual(ObjectCode.from_ptx(path.read_bytes()).code, code.code)
        with self.assertRaises(LookupError):
            ObjectCode.from_cubin("/no/such/file")


class Links(DeviceTest):
    def test_inputs_are_linked_to_one_object(self):
        compiled(SAXPY)
        options = ProgramOptions(arch=f"sm_{self.device.arch}", relocatable_device_code=True)
        half = Program("__device__ float twice(float x) { return 2 * x; }", "c++", options)
        whole = Program('__device__ float twice(float);\nextern "C" __global__ void f(float *p) '
                        "{ *p = twice(*p); }", "c++", options)
        # LTO-IR keeps its PTX beside the cubin, and the simulated driver runs that.
        pieces = [half.compile("ltoir"), whole.compile("ltoir")]
        with Linker(*pieces, options=LinkerOptions(arch=f"sm_{self.device.arch}")) as linker:
            linked = linker.link("cubin")
        value = self.floats([21])
        launch(self.stream, LaunchConfig(grid=1, block=1), linked.get_kernel("f"), value)
        self.assertEqual(self.read(value), [42])

    def test_missing_symbols_are_reported(self):
        compiled(SAXPY)
        options = ProgramOptions(arch="sm_90", relocatable_device_code=True)
        code = Program('__device__ float gone(float);\nextern "C" __global__ void f(float *p) '
                       "{ *p = gone(*p); }", "c++", options).compile("ptx")
        with self.assertRaisesRegex(LinkError, "gone"):
            Linker(code, options=LinkerOptions(arch="sm_90")).link("cubin")


class TilePrograms(unittest.TestCase):
    SOURCE = "kernel f(a: f32[N]) const B = 64 grid cdiv(N, B) { store(a, [block(0)], full(f32, [B], 1.0)) }"

    def test_0_leaves_a_number_to_the_compiler(self):
        plain = Program(self.SOURCE, "tile", ARCH).compile("ptx").code
        for name in ("warps", "stages", "cluster", "split", "raster"):
            options = ProgramOptions(arch="sm_90", **{name: 0})
            self.assertEqual(Program(self.SOURCE, "tile", options).compile("ptx").code, plain, name)

    def test_constants_are_set_from_outside(self):
        program = Program(self.SOURCE, "tile", ProgramOptions(arch="sm_90", constants={"B": 128}))
        self.assertIn("128", program.tile_ir)
        self.assertEqual(program.compile("ptx").kernel_names, ["f"])

    def test_an_error_has_its_line(self):
        with self.assertRaisesRegex(CompileError, "2"):
            Program("kernel f(a: f32[N]) {\n  store(a, [0], nothing)\n}", "tile", ARCH).compile("ptx")

    def test_code_is_ptx_for_the_driver_by_default(self):
        for options in (ARCH, ProgramOptions(arch="sm_90", constants={"B": 32})):
            self.assertEqual(Program(self.SOURCE, "tile", options).compile().code_type, "ptx")

    def test_the_version_is_that_of_the_library(self):
        self.assertEqual(cucore.__version__, cucore.raw.cuc_version_string().decode())

    def test_diagnostics_have_the_name_of_the_program(self):
        for name in ("default_program", "gemm.tile"):
            options = ProgramOptions(arch="sm_90", name=name) if name != "default_program" else ARCH
            with self.assertRaisesRegex(CompileError, rf"{name}:1:11: error T004"):
                Program("kernel f( {", "tile", options).compile("ptx")


class TileLaunches(DeviceTest):
    def test_a_view_may_have_strides(self):
        code = Program("kernel rows(x: f32[M, N], y: f32[M]) grid M {\n"
                       "  store(y, [block(0)], sum(load(x, [block(0), 0], [_, 4])), shape=[_])\n}", "tile").compile()
        buffer, sums = self.floats(range(32)), self.floats([0] * 4)
        left = StridedMemoryView.from_buffer(buffer, (4, 3), strides=(8, 1), dtype="f32")
        launch(self.stream, None, code.get_kernel("rows"), left, sums.view("f32"))
        self.assertEqual(self.read(sums), [3, 27, 51, 75])


class KernelLibrary(unittest.TestCase):
    def test_programs_have_names_and_constants(self):
        self.assertIn("rms_norm", library.names())
        self.assertIn("kernel rms_norm(", library.source("rms_norm"))
        program = library.program("rms_norm", ARCH, T="f32", N=100)
        self.assertIn("f32[M, 100]", program.tile_ir)
        self.assertIn("rms_norm_backward", program.compile("ptx").kernel_names)
        options = ProgramOptions(arch="sm_90", constants={"T": "f16"}, name="mine")
        self.assertIn("f16[M, 50]", library.program("rms_norm", options, N=50).tile_ir)
        with self.assertRaisesRegex(CompileError, "rms_norm.tile"):
            library.program("rms_norm", ARCH, N="x").compile("ptx")
        with self.assertRaisesRegex(cucore.NotFoundError, "rms_norm"):
            library.source("rms")


if __name__ == "__main__":
    unittest.main()
