#!/usr/bin/env python3
"""build.py BUILD FAKE CC [CXX]: tests cucore build as a child process: its output files, the input
that it refuses, and the program of examples/shipped, which runs on the simulated driver without
finding a compiler. FAKE is an nvFatbin for machines without one. Exits 77, a skip, without
nvJitLink."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD, FAKE, CC, *CXX = (pathlib.Path(argument).resolve() if i < 2 else argument
                         for i, argument in enumerate(sys.argv[1:]))
TOOL = BUILD / "tools" / "cucore" / "cucore"
SIM = BUILD / "libcucore-sim.so"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]

VADD = """kernel vadd(a: f32[N], b: f32[N], c: f32[N]) const BN = 1024 grid cdiv(N, BN) {
    i = block(0)
    store(c, [i], load(a, [i], [BN]) + load(b, [i], [BN]))
}
"""
MANY = """kernel rows(x: f32[M, N], y: f16[M + 1, 4], on: bool, int: i32, f: f32, h: f16, big: u64)
    where N % 4 == 0, noalias(x, y), int >= 0
    grid M, cdiv(N, 64), int
{
    store(y, [0, 0], cast(full(f32, [1, 4], f), f16))
    store(x, [block(0), block(1)], full(f32, [1, 64], f))
}
kernel fill(x: i32[N], v: i32) { store(x, [block(0)], full(i32, [32], v)) }
kernel nothing() grid 1 { x = 1 }
"""
FILL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry fill(.param .u64 p, .param .f32 v, .param .align 4 .b8 s[12], .param .u16 h)
{
    ret;
}
"""
FILES = {"vadd.tile": VADD, "again.tile": VADD, "many.tile": MANY, "fill.ptx": FILL,
         "bad.tile": "kernel k(x: f32[N]) {\n    y = x + z\n}\n", "9 odd-name.tile": VADD,
         "none.ptx": FILL[:FILL.index(".visible")], "empty.tile": "",
         "some.cu": "#if __CUDA_ARCH__ >= 900\nextern \"C\" __global__ void late(int *x) { *x = 1; }\n#endif\n"
                    "extern \"C\" __global__ void k(int *x) { *x = 1; }\n",
         "other.cu": "#if __CUDA_ARCH__ >= 900\n#define T float\n#else\n#define T double\n#endif\n"
                     "extern \"C\" __global__ void k(T x, T *y) { *y = x; }\n",
         "axpy.cu": "template <typename T> __global__ void axpy(T a, const T *x, T *y) { *y = a * *x; }\n"}
environment = {**os.environ, "CUCORE_DRIVER": str(SIM), "CUCORE_CACHE": "0", "LC_ALL": "C",
               "LD_LIBRARY_PATH": f"{BUILD}:{os.environ.get('LD_LIBRARY_PATH', '')}"}


def found(name):
    return subprocess.run([TOOL, "find", name], env=environment, capture_output=True).returncode == 0


if not found("nvfatbin"):
    print("nvFatbin is not found: a fake one takes its place")
    environment["CUCORE_NVFATBIN"] = str(FAKE)

# Makes the LACK-th realloc() of the program itself fail, and reports the failure.
LACK = """#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>

void *realloc(void *old, size_t bytes)
{
    static void *(*next)(void *, size_t);
    static int calls;
    Dl_info caller, program;

    if (!next)
        next = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
    if (dladdr(__builtin_return_address(0), &caller) &&
        dladdr((void *)getauxval(AT_ENTRY), &program) && caller.dli_fbase == program.dli_fbase &&
        ++calls == atoi(getenv("LACK"))) {
        dprintf(2, "lack\\n");
        return NULL;
    }
    return next(old, bytes);
}
"""


# Makes renaming to one particular name fail.
STUCK = """#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int renameat2(int from, const char *a, int to, const char *b, unsigned flags)
{
    int (*next)(int, const char *, int, const char *, unsigned) =
        (int (*)(int, const char *, int, const char *, unsigned))dlsym(RTLD_NEXT, "renameat2");

    if (strcmp(b, getenv("STUCK")) == 0) {
        errno = EIO;
        return -1;
    }
    return next(from, a, to, b, flags);
}
"""


class Build(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        for name, text in FILES.items():
            (self.folder / name).write_text(text)

    def run_tool(self, *arguments, **variables):
        done = subprocess.run([TOOL, "build", *arguments], cwd=self.folder, env={**environment, **variables},
                              text=True, capture_output=True, timeout=120)
        return done.returncode, done.stdout, done.stderr

    def build(self, *arguments):
        status, out, err = self.run_tool(*arguments)
        self.assertEqual(status, 0, err)
        return out

    def made(self):
        return sorted(p.name for p in self.folder.iterdir() if p.name not in FILES)

    def compile(self, name, *options):
        """Compile a generated file as C11, and also as C++ if there is a compiler. A header is
        included by a source."""
        source = f'#include "{name}"\n' if name.endswith(".h") else (self.folder / name).read_text()
        for compiler in [[CC, "-std=c11", "-xc"], *([c, "-std=c++11", "-xc++"] for c in CXX)]:
            done = subprocess.run([*compiler, *WARNINGS, f"-I{ROOT / 'include'}", *options, "-o", os.devnull, "-c",
                                   "-I.", "-"], cwd=self.folder, input=source, text=True, capture_output=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))


class Outputs(Build):
    def test_the_fat_binary_takes_the_name_of_the_first_file(self):
        self.assertIn("vadd.fatbin: 1 kernel for sm_80, sm_90a, ", self.build("vadd.tile", "--arch", "sm_80,sm_90a"))
        self.assertEqual(self.made(), ["vadd.fatbin"])
        self.assertEqual((self.folder / "vadd.fatbin").read_bytes()[:4], b"\x50\xed\x55\xba")

    def test_three_architectures(self):
        sizes = []
        for archs in (["sm_80"], ["sm_80", "sm_90a"], ["sm_80", "sm_90a", "sm_100"]):
            document = json.loads(self.build("vadd.tile", "--arch", ",".join(archs), "--json"))
            self.assertEqual(document["archs"], archs)
            sizes.append(document["bytes"])
        self.assertEqual(sizes, sorted(set(sizes)))
        out = self.build("vadd.tile", "fill.ptx", "--arch", "sm_80,sm_90a,sm_100", "--embed", "k.c")
        self.assertIn("k.c: 2 kernels for sm_80, sm_90a, sm_100, ", out)
        self.assertIn("for sm_80, sm_90a, sm_100", (self.folder / "k.h").read_text())
        self.compile("k.c")

    def test_a_full_standard_output_is_an_error(self):
        for options in (), ("--json",):
            with self.subTest(options=options), open("/dev/full", "w") as full:
                done = subprocess.run([TOOL, "build", "vadd.tile", "--arch", "sm_80", *options], cwd=self.folder,
                                      env=environment, text=True, stdout=full, stderr=subprocess.PIPE, timeout=120)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("the output cannot be written: No space left on device", done.stderr)

    def test_header_and_array(self):
        self.build("many.tile", "--arch", "sm_80,sm_90a", "--embed", "all.c")
        self.assertEqual(self.made(), ["all.c", "all.h"])
        header, array = ((self.folder / name).read_text() for name in ("all.h", "all.c"))
        for text in ("for sm_80, sm_90a", "kernel rows(x: f32[M, N], y: f16[M + 1, 4], on: bool, int: i32, f: f32, h: "
                     "f16, big: u64) where N % 4 == 0, noalias(x, y), int >= 0 grid M, cdiv(N, 64), int; writes x, y.",
                     "all_launch_rows(cuc_stream *stream, cuc_kernel *kernel, const cuc_tensor *x, const cuc_tensor "
                     "*y, bool on, int32_t int_, float f, uint16_t h, uint64_t big)",
                     "all_launch_fill(cuc_stream *stream, const cuc_launch_config *config, cuc_kernel *kernel, const "
                     "cuc_tensor *x, int32_t v)",
                     "all_launch_nothing(cuc_stream *stream, cuc_kernel *kernel)",
                     "extern const unsigned char all_fatbin[];", "cuc_status all_load(cuc_object **out)"):
            self.assertIn(text, header)
        self.assertIn('#include "all.h"\n', array)
        self.compile("all.h")
        self.compile("all.c")
        code = bytes(int(n) for n in array[array.index("= {") + 3:array.index("\n};")].replace("\n", "").split(",")[:-1])
        self.build("many.tile", "--arch", "sm_80,sm_90a", "-o", "all.fatbin", "--header", "x.h")
        self.assertEqual(code, (self.folder / "all.fatbin").read_bytes())
        self.assertNotIn("fatbin[]", (self.folder / "x.h").read_text())
        self.compile("x.h")

    def test_kernels_without_a_tile_signature(self):
        self.build("fill.ptx", "--arch", "sm_80,sm_90", "--ptx", "--header", "f.h")
        self.assertIn("f_launch_fill(cuc_stream *stream, const cuc_launch_config *config, cuc_kernel *kernel, "
                      "uint64_t arg0, float arg1, const void *arg2, uint16_t arg3)", (self.folder / "f.h").read_text())
        self.assertIn("arg2: 12 bytes", (self.folder / "f.h").read_text())
        self.compile("f.h")

    def test_templates_have_functions_by_their_expressions(self):
        if not found("nvrtc"):
            self.skipTest("NVRTC is not found")
        self.build("axpy.cu", "--arch", "sm_80,sm_90", "--name-expression", "axpy<float>", "--name-expression",
                   "axpy<double>", "--header", "a.h")
        header = (self.folder / "a.h").read_text()
        self.assertIn("a_launch_axpy_float_(", header)
        self.assertIn("a_launch_axpy_double_(", header)
        self.assertIn('cuc_object_get_kernel(out, object, "_Z4axpyIfE', header)
        self.compile("a.h")

    def test_names_become_identifiers(self):
        self.build("9 odd-name.tile", "--arch", "sm_80", "--embed", "9 odd-name.c")
        self.assertIn("_9_odd_name_launch_vadd(", (self.folder / "9 odd-name.h").read_text())
        self.compile("9 odd-name.c")

    def test_parameters_may_have_any_name(self):
        names = "int, int_, int__, int32_t, x_arg, cuc_arg, cuc_tensor, CUC_OK, INT8_MAX, memcpy, size_t".split(", ")
        (self.folder / "names.tile").write_text(
            f"kernel k({', '.join(name + ': i32' for name in names)}, to: i32[N]) grid 1 {{\n"
            f"    store(to, [0], full(i32, [32], {' + '.join(names)}))\n}}\n")
        self.build("names.tile", "--arch", "sm_80", "-o", "names.fatbin", "--header", "x.h")
        self.compile("x.h")

    def test_an_array_in_another_folder_includes_the_header_as_named(self):
        (self.folder / "sub").mkdir()
        self.build("vadd.tile", "--arch", "sm_80", "--embed", "sub/k.c", "--header", "k.h")
        self.assertIn('#include "k.h"', (self.folder / "sub" / "k.c").read_text())
        self.compile("sub/k.c")

    def test_constants_change_the_code(self):
        document = json.loads(self.build("vadd.tile", "--arch", "sm_90a", "--set", "BN=256", "--json", "--ptx"))
        self.assertEqual(document["archs"], ["sm_90a"])
        self.assertEqual((document["output"], document["header"], document["embed"]), ("vadd.fatbin", None, None))
        self.assertTrue(document["ok"] and document["ptx"])
        self.assertEqual(document["bytes"], (self.folder / "vadd.fatbin").stat().st_size)
        self.assertEqual(document["kernels"], [{
            "symbol": "vadd", "name": "vadd", "parameters": 3,
            "declaration": "kernel vadd(a: f32[N], b: f32[N], c: f32[N]) grid cdiv(N, 256); writes c"}])

    def test_several_files_are_linked(self):
        document = json.loads(self.build("vadd.tile", "fill.ptx", "--arch", "sm_80,sm_90a", "-o", "k.fatbin", "--json"))
        self.assertEqual([k["symbol"] for k in document["kernels"]], ["vadd", "fill"])

    def test_the_code_is_the_same_each_time(self):
        for name in ("one.fatbin", "two.fatbin"):
            self.build("vadd.tile", "--arch", "sm_80,sm_90a", "--ptx", "-o", name)
        self.assertEqual(*((self.folder / name).read_bytes() for name in ("one.fatbin", "two.fatbin")))


class Refusals(Build):
    ROWS = [
        (2, ["--arch", "sm_80"], "a FILE is missing"),
        (2, ["vadd.tile"], "--arch is missing"),
        (2, ["vadd.tile", "--arch", "sm_80,"], "'' is not an architecture"),
        (2, ["vadd.tile", "--arch", "sm_80,ninety"], "'ninety' is not an architecture"),
        (2, ["vadd.tile", "--arch", "sm_080"], "'sm_080' is not an architecture"),
        (2, ["vadd.tile", "--arch", "sm_80,compute_090"], "'compute_090' is not an architecture"),
        (2, ["vadd.tile", "--arch", "compute_90"], "say sm_90, and --ptx"),
        (2, ["vadd.tile", "--arch", "sm_80,sm_80"], "--arch has sm_80 twice"),
        (1, ["vadd.tile", "--arch", "sm_80,sm_12"], "sm_12"),
        (1, ["vadd.tile", "--arch", "sm_999"], "sm_999"),
        (1, ["bad.tile", "--arch", "sm_80"], "bad.tile:2"),
        (1, ["empty.tile", "--arch", "sm_80"], "empty.tile is empty"),
        (1, ["missing.tile", "--arch", "sm_80"], "missing.tile cannot be opened"),
        (1, ["none.ptx", "--arch", "sm_80"], "none.ptx has no kernel"),
        (1, ["vadd.tile", "again.tile", "--arch", "sm_80"], "vadd is in both vadd.tile and again.tile"),
        (2, ["vadd.tile", "fill.ptx", "--arch", "sm_80", "--ptx"], "--ptx is for one FILE"),
        (2, ["vadd.tile", "fill.ptx", "--arch", "sm_80", "--option", "-v"], "--option is for one FILE"),
        (2, ["vadd.fatbin", "--arch", "sm_80"], "compiled already"),
        (2, ["vadd.tile", "--arch", "sm_80", "-o", "-"], "name a file"),
        (2, ["vadd.tile", "--arch", "sm_80", "-o", "vadd.tile"], "written over itself"),
        (2, ["vadd.tile", "--arch", "sm_80", "-o", "k", "--header", "k"], "-o and --header are both 'k'"),
        (2, ["vadd.tile", "--arch", "sm_80", "--embed", "k.h"], "--header and --embed are both 'k.h'"),
        (2, ["vadd.tile", "--arch", "sm_80", "-o", "k", "--header", "./k"], "-o and --header are both './k'"),
        (2, ["vadd.tile", "--arch", "sm_80", "-o", "k", "--header", "cuc.h"], "names that begin with cuc_"),
        (2, ["vadd.tile", "--arch", "sm_80", "--embed", 'we"ird.c'], "an #include cannot name"),
        (1, ["vadd.tile", "--arch", "sm_80", "-o", "k.fatbin", "--header", "no/k.h"], "no/k.h cannot be written"),
        (1, ["vadd.tile", "--arch", "sm_80", "-o", "no/k.fatbin"], "no/k.fatbin cannot be written"),
        (1, ["vadd.tile", "--arch", "sm_80", "--set", "BM=1"], "BM"),
    ]

    def test_each_leaves_nothing_behind(self):
        for expected, arguments, text in self.ROWS:
            with self.subTest(arguments=arguments):
                status, out, err = self.run_tool(*arguments)
                self.assertEqual(status, expected, out + err)
                self.assertIn(text, err)
                self.assertEqual(self.made(), [])

    def test_kernels_that_differ_between_architectures(self):
        if not found("nvrtc"):
            self.skipTest("NVRTC is not found")
        for name, archs, text in (
                ("some.cu", "sm_80,sm_90", "the kernel late of some.cu is for sm_90 only, and not for sm_80"),
                ("some.cu", "sm_90,sm_80", "sm_80 has 1 kernels, and sm_90 has 2"),
                ("other.cu", "sm_80,sm_90", "the kernel k has other parameters for sm_90"),
                ("axpy.cu", "sm_80", "axpy.cu has no kernel")):
            with self.subTest(name=name, archs=archs):
                status, out, err = self.run_tool(name, "--arch", archs)
                self.assertEqual(status, 1, out + err)
                self.assertIn(text, err)
                self.assertEqual(self.made(), [])

    def test_without_nvfatbin_the_remedy_is_named(self):
        (self.folder / "site").mkdir()
        bare = {"CUCORE_NVFATBIN": "/nowhere/libnvfatbin.so"}
        status, _, err = self.run_tool("vadd.tile", "--arch", "sm_80", **bare)
        self.assertEqual(status, 1)
        self.assertIn("nvfatbin library", err)
        self.assertIn("CUCORE_NVFATBIN", err)
        status, out, _ = self.run_tool("vadd.tile", "--arch", "sm_80", "--json", **bare)
        self.assertEqual(json.loads(out)["error"]["status"], "CUC_ERROR_NOT_FOUND")
        self.assertEqual(self.made(), ["site"])

    def test_files_that_are_there_stay_as_they_were(self):
        (self.folder / "k.fatbin").write_text("before")
        status, _, _ = self.run_tool("vadd.tile", "--arch", "sm_80", "-o", "k.fatbin", "--header", "no/k.h")
        self.assertEqual(status, 1)
        self.assertEqual((self.folder / "k.fatbin").read_text(), "before")

    def test_files_stay_as_they_were_if_a_later_one_cannot_be_moved(self):
        for name in ("k.fatbin", "k.h", "k.c"):
            (self.folder / name).write_text("before")
        library = self.folder.parent / (self.folder.name + ".so")
        self.addCleanup(library.unlink)
        subprocess.run([CC, "-shared", "-fPIC", "-xc", "-", "-o", library, "-ldl"], input=STUCK, text=True, check=True)
        for stuck in "k.fatbin", "k.h", "k.c":
            with self.subTest(stuck):
                status, _, err = self.run_tool("vadd.tile", "--arch", "sm_80", "-o", "k.fatbin", "--embed", "k.c",
                                               LD_PRELOAD=str(library), STUCK=stuck)
                self.assertEqual(status, 1)
                self.assertIn(f"{stuck} cannot be written: Input/output error", err)
                self.assertEqual(self.made(), ["k.c", "k.fatbin", "k.h"])
                for name in self.made():
                    self.assertEqual((self.folder / name).read_text(), "before")
                    (self.folder / name).write_text("before")

    def test_without_memory_nothing_is_written(self):
        if b"__asan_init" in TOOL.read_bytes():
            self.skipTest("the sanitizer's allocator takes the place of a failing one")
        out = "k.fatbin", "k.h"
        command = "vadd.tile", "--arch", "sm_80", "-o", out[0], "--header", out[1]
        self.build(*command)
        whole = [(self.folder / name).read_bytes() for name in out]
        library = self.folder.parent / (self.folder.name + ".so")
        self.addCleanup(library.unlink)
        subprocess.run([CC, "-shared", "-fPIC", "-xc", "-", "-o", library, "-ldl"], input=LACK, text=True, check=True)
        err, lacking = "lack", 0
        while "lack" in err:
            for name in out:
                (self.folder / name).unlink(missing_ok=True)
            lacking += 1
            status, _, err = self.run_tool(*command, LD_PRELOAD=str(library), LACK=str(lacking))
            with self.subTest(lacking):
                if status == 0:
                    self.assertEqual([(self.folder / name).read_bytes() for name in out], whole)
                else:
                    self.assertRegex(err, "no host memory|the host's memory")
                    self.assertEqual(self.made(), [])
        self.assertEqual(status, 0)
        self.assertGreater(lacking, 10)


class Example(Build):
    def test_the_program_runs_without_a_compiler(self):
        if not shutil.which("make") or not shutil.which("pkg-config"):
            self.skipTest("there is no make or no pkg-config")
        example = self.folder / "shipped"
        shutil.copytree(ROOT / "examples" / "shipped", example)
        tools = {**environment, "PKG_CONFIG_PATH": str(BUILD / "meson-uninstalled")}
        done = subprocess.run(["make", f"CUCORE={TOOL}", f"CC={CC}"], cwd=example, env=tools, text=True,
                              capture_output=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        nowhere = {f"CUCORE_{name}": "/nowhere.so" for name in ("NVRTC", "NVJITLINK", "NVFATBIN")}
        for arch in ("sm_80", "sm_90", "sm_100"):
            done = subprocess.run([example / "main"], env={**environment, **nowhere, "CUCORE_SIM_ARCH": arch}, text=True,
                                  capture_output=True, timeout=120)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"^100000 elements on .*, 0 of them wrong\n")
            self.assertIn("vadd: argument b: axis 0: expected 100000, which N is by argument a, got 50000", done.stdout)


if __name__ == "__main__":
    if not found("nvjitlink"):
        print("skipped: nvJitLink is not found")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
