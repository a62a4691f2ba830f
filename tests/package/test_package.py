#!/usr/bin/env python3
"""Tests that other projects can use the installation: through pkg-config, CMake's find_package()
and FetchContent, and cargo.

test_package.py BUILD CC CXX: installs the build folder to a temporary folder. Programs run on
the simulated driver next to the installed library, so that the test covers the installed
libraries.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1]).resolve()
CC, CXX = sys.argv[2].split(), sys.argv[3].split()

C_PROGRAM = r"""
#include <cucore/cucore.h>
#include <stdio.h>
int main(void)
{
    cuc_device *device = NULL;
    if (cuc_device_get(&device, 0) < 0)
        return fprintf(stderr, "%s\n", cuc_error_message()), 1;
    return printf("%s on %s\n", cuc_version_string(), cuc_device_name(device)) < 0;
}
"""
STATIC_PROGRAM = r"""
#include <cucore/cucore.h>
#include <stdio.h>
static void tell(cuc_status status)
{
    printf("%d %s | %s\n", (int)status, cuc_error_message(), cuc_error_explanation());
}
int main(void)
{
    cuc_device *device;
    cuc_program *program;
    cuc_object *object;
    static const char kernel[] =
        "kernel twice(x: f32[N]) grid cdiv(N, 32) {\n i = block(0)\n"
        "    store(x, [i], load(x, [i], [32]) * 2)\n}\n";
    const cuc_program_options *options = CUC_PROGRAM_OPTIONS(.arch = "sm_90");
    if (cuc_program_create(&program, CUC_SOURCE_TILE, kernel, 0, options) < 0 ||
        cuc_program_compile(&object, program, CUC_CODE_PTX) < 0)
        return fprintf(stderr, "%s\n%s\n", cuc_error_message(), cuc_error_log()), 1;
    puts("tile code");
    tell(cuc_device_get(&device, 0));
    cuc_status status = cuc_program_create(&program, CUC_SOURCE_CUDA, "__global__ void f() {}", 0, options);
    tell(status < 0 ? status : cuc_program_compile(&object, program, CUC_CODE_PTX));
    return 0;
}
"""
CPP_PROGRAM = r"""
#include <cucore/cucore.hpp>
#include <cstdio>
int main()
{
    const cuc::stream stream(cuc::device(0));
    const cuc::array<float> x(stream, std::vector<float>(4, 2.5f));
    return std::printf("%s %g\n", cuc_version_string(), x.read(stream)[3]) < 0;
}
"""
BENCH_PROGRAM = r"""
#include <cucore/bench.h>
#include <stdio.h>
int main(void) { return printf("%s\n", cuc_version_string()) < 0 || !cuc_bench_mode_name; }
"""


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True, **more)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, command))} gave {done.returncode}:\n"
                             f"{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="cucore-package-"))
        root = cls.folder / "root"
        run("meson", "install", "--no-rebuild", "--quiet", "-C", BUILD, "--destdir", root)
        options = {}
        for line in (BUILD / "meson-private" / "cucore.pc").read_text().splitlines():
            name, _, value = line.partition("=")
            options[name] = value
        prefix = options["prefix"]
        cls.prefix = pathlib.Path(f"{root}{prefix}")
        cls.libdir = pathlib.Path(f"{root}{options['libdir'].replace('${prefix}', prefix)}")
        cls.env = dict(os.environ, LD_LIBRARY_PATH=str(cls.libdir), CUCORE_DRIVER="sim",
                       PKG_CONFIG_PATH=str(cls.libdir / "pkgconfig"))
        cls.env.pop("CUCORE_DIR", None)
        # A pkg-config wrapper moves the prefix to the temporary folder.
        cls.pkg_config = cls.folder / "pkg-config"
        cls.pkg_config.write_text(f'#!/bin/sh\nexec pkg-config --define-variable=prefix={cls.prefix} "$@"\n')
        cls.pkg_config.chmod(0o755)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def flags(self, *asked):
        return run(self.pkg_config, *asked, env=self.env).split()

    def build(self, compiler, source, suffix, flags):
        path, program = self.folder / f"program{suffix}", self.folder / "program"
        path.write_text(source)
        run(*compiler, path, "-o", program, "-Wall", "-Werror", *flags)
        return run(program, env=self.env)

    def test_everything_public_is_installed(self):
        headers = {p.name for p in (ROOT / "include/cucore").iterdir() if p.suffix in (".h", ".hpp")}
        self.assertEqual({p.name for p in (self.prefix / "include/cucore").iterdir()}, headers)
        for path in ("bin/cucore", "share/man/man1/cucore.1", "share/cucore/tile/vadd.tile",
                     "share/bash-completion/completions/cucore"):
            self.assertTrue((self.prefix / path).exists(), path)
        for name in ("libcucore.so", "libcucore.so.0", "libcucore.a", "libcucore-sim.so",
                     "libcucore-bench.so.0", "pkgconfig/cucore.pc", "pkgconfig/cucore-bench.pc",
                     "cmake/cucore/cucore-config.cmake", "cmake/cucore/cucore-config-version.cmake"):
            self.assertTrue((self.libdir / name).exists(), name)

    def test_nothing_installed_names_the_folders_it_was_built_in(self):
        for path in self.prefix.rglob("*"):
            if path.suffix in (".pc", ".cmake", ".h", ".hpp"):
                text = path.read_text()
                self.assertNotIn(str(ROOT), text, path)
                self.assertNotIn(str(BUILD), text, path)
        needed = run("objdump", "-p", self.libdir / "libcucore.so.0")
        self.assertNotIn("RPATH", needed)
        self.assertNotIn("RUNPATH", needed)

    def test_a_c_program_by_pkg_config(self):
        flags = self.flags("--cflags", "--libs", "cucore")
        self.assertRegex(self.build(CC, C_PROGRAM, ".c", ["-std=c11", *flags]), r"^0\.1\.\d+ on .*simulated")

    def test_a_static_program_by_pkg_config(self):
        flags = self.flags("--cflags", "--libs", "--static", "cucore")
        flags = ["-l:libcucore.a" if flag == "-lcucore" else flag for flag in flags]
        said = self.build(CC, C_PROGRAM, ".c", flags)
        self.assertRegex(said, r"^0\.1\.")
        self.assertNotIn("libcucore.so", run("objdump", "-p", self.folder / "program"))
        # The simulated driver must be next to the program, whatever its name is.
        shutil.copy(self.libdir / "libcucore-sim.so", self.folder)
        env = {k: v for k, v in self.env.items() if k != "LD_LIBRARY_PATH"}
        for name in ("program", ""):
            said = subprocess.run([name], executable=self.folder / "program", env=env,
                                  capture_output=True, text=True)
            self.assertRegex(said.stdout, r"^0\.1\.\d+ on .*simulated", said.stderr)
        (self.folder / "libcucore-sim.so").unlink()

    def test_a_program_linked_with_static_compiles_tiles_and_is_refused_libraries(self):
        # Link statically without driver and compiler: with them, glibc would load a second C
        # library and crash in it.
        path, program = self.folder / "alone.c", self.folder / "alone"
        path.write_text(STATIC_PROGRAM)
        flags = self.flags("--cflags", "--libs", "--static", "cucore")
        for static in ("-static", "-static-pie"):
            run(*CC, static, *(["-fPIE"] if static == "-static-pie" else []), path, "-o", program, "-Wall", *flags)
            for driver in ("sim", str(self.libdir / "libcucore-sim.so"), ""):
                with self.subTest(static, driver=driver):
                    lines = run(program, env=dict(self.env, CUCORE_DRIVER=driver)).splitlines()
                    self.assertEqual(lines[0], "tile code")
                    self.assertEqual(len(lines), 3, lines)
                    self.assertRegex(lines[1], r"^-\d+ .*no CUDA driver: .*linked with -static cannot load.*"
                                     r"\| .*-l:libcucore.a")
                    self.assertRegex(lines[2], r"^-\d+ .*the nvrtc library .* not found.*\| .*-l:libcucore.a")

    def test_a_dynamic_program_is_known_however_it_is_started(self):
        flags = self.flags("--cflags", "--libs", "cucore")
        self.build(CC, C_PROGRAM, ".c", flags)
        loader = re.search(r"interpreter: (\S+?)\]", run("readelf", "-lW", self.folder / "program"))[1]
        self.assertRegex(run(loader, self.folder / "program", env=self.env), "simulated")

    def test_a_cpp_program_by_pkg_config(self):
        flags = self.flags("--cflags", "--libs", "cucore")
        self.assertRegex(self.build(CXX, CPP_PROGRAM, ".cpp", ["-std=c++17", *flags]), r"^0\.1\.\d+ 2\.5")

    def test_the_installed_program_compiles_an_installed_tile_kernel(self):
        said = run(self.prefix / "bin/cucore", "compile", self.prefix / "share/cucore/tile/vadd.tile",
                   "--arch", "sm_90", "--emit", "ptx", "-o", "-", env=self.env)
        self.assertIn(".visible .entry", said)

    # ---- CMake

    def cmake(self, name, text, *options, fails=None):
        folder = self.folder / name
        folder.mkdir()
        for file, source in (("a.c", C_PROGRAM), ("b.cpp", CPP_PROGRAM), ("bench.c", BENCH_PROGRAM)):
            (folder / file).write_text(source)
        (folder / "CMakeLists.txt").write_text(
            f"cmake_minimum_required(VERSION 3.16)\nproject({name} LANGUAGES C CXX)\n"
            f"set(CMAKE_CXX_STANDARD 17)\n{text}")
        compilers = [f"-DCMAKE_C_COMPILER={CC[-1]}", f"-DCMAKE_CXX_COMPILER={CXX[-1]}"]
        command = ["cmake", "-S", folder, "-B", folder / "build", "-G", "Ninja", *compilers, *options]
        if fails:
            with self.assertRaisesRegex(AssertionError, fails):
                run(*command, env=self.env)
            return
        run(*command, env=self.env)
        run("cmake", "--build", folder / "build")
        for program in re.findall(r"add_executable\((\w+)", text):
            self.assertRegex(run(folder / "build" / program, env=self.env), r"^0\.1\.")

    TARGETS = """
add_executable(a a.c)
target_link_libraries(a cucore::cucore)
add_executable(s a.c)
target_link_libraries(s cucore::static)
add_executable(b b.cpp)
target_link_libraries(b cucore::cucore)
"""

    def prefix_path(self):
        if not shutil.which("cmake"):
            self.skipTest("no cmake")
        return f"-DCMAKE_PREFIX_PATH={self.prefix}"

    def test_find_package_of_cmake(self):
        path = self.prefix_path()
        self.cmake("found", "find_package(cucore 0.1 REQUIRED COMPONENTS bench)\n" + self.TARGETS +
                   "add_executable(c bench.c)\ntarget_link_libraries(c cucore::bench)\n", path)

    def test_find_package_refuses_what_is_not_there(self):
        path = self.prefix_path()
        for name, asked, said in (("newer", "0.2", r"compatible\s+with requested"),
                                  ("older", "0.0.9", r"compatible\s+with requested"),
                                  ("more", "0.1.0 COMPONENTS nothing", "this cucore has no nothing")):
            with self.subTest(name):
                self.cmake(name, f"find_package(cucore {asked} REQUIRED)\n", path, fails=said)

    def test_fetch_content_of_cmake(self):
        self.prefix_path()
        self.cmake("fetched", "include(FetchContent)\n"
                   f"FetchContent_Declare(cucore SOURCE_DIR {ROOT})\n"
                   "FetchContent_MakeAvailable(cucore)\n" + self.TARGETS, f"-DCUCORE_BUILD={BUILD}")

    # ---- cargo

    def test_cargo_finds_the_library_by_pkg_config(self):
        if not shutil.which("cargo"):
            self.skipTest("no cargo")
        env = dict(self.env, PKG_CONFIG=str(self.pkg_config), CARGO_TARGET_DIR=str(self.folder / "target"))
        command = ["cargo", "test", "--quiet", "--offline", "--locked", "-p", "cucore-sys", "--test", "layout",
                   "--manifest-path", ROOT / "bindings/rust/Cargo.toml"]
        self.assertIn("4 passed", run(*command, env=env))
        env["CUCORE_DIR"] = str(self.folder)
        with self.assertRaisesRegex(AssertionError, "there is no libcucore.so in it"):
            run(*command, env=env)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
