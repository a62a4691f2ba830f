#!/usr/bin/env python3
"""Tests that the API tool detects the mistakes that it exists to detect."""
import copy
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "api"))
sys.dont_write_bytecode = True
import abi  # noqa: E402
import cdef  # noqa: E402
import man  # noqa: E402

import api as tool  # noqa: E402

CC = os.environ.get("CC", "cc").split()
TYPES = tool.load("cucore")["types"]


def function(api, name):
    return next(f for f in api["functions"] if f["name"] == name)


def struct(api, name):
    return next(s for s in api["structs"] if s["name"] == name)


class Layouts(unittest.TestCase):
    def wrong(self, change):
        api = tool.load("cucore")
        change(api)
        return abi.check_layout(api, CC, "c")

    def test_an_offset_that_is_not_the_compilers_is_told(self):
        def change(api):
            struct(api, "cuc_tensor")["fields"][2]["offset"] += 4
        self.assertIn("cuc_tensor, rank", self.wrong(change)[0])

    def test_a_size_that_is_not_the_compilers_is_told(self):
        def change(api):
            struct(api, "cuc_arg")["bytes"] = 24
        self.assertIn("sizeof(cuc_arg) == 24", self.wrong(change)[0])

    def test_a_value_that_is_not_the_compilers_is_told(self):
        def change(api):
            api["enums"][0]["values"][0]["value"] = 7
        self.assertIn("CUC_OK == 7", self.wrong(change)[0])


class Changes(unittest.TestCase):
    """Makes each kind of interface change, and checks whether the tool says that it breaks compiled
    programs."""

    def told(self, change):
        old = tool.load("cucore")
        new = copy.deepcopy(old)
        change(new)
        return abi.changes(old, new)

    def test_nothing_is_told_of_an_equal_one(self):
        self.assertEqual(self.told(lambda api: None), [])

    def test_a_function_that_goes_breaks(self):
        def change(api):
            api["functions"].remove(function(api, "cuc_copy"))
        self.assertEqual(self.told(change), ["cuc_copy() is gone"])

    def test_a_function_more_does_not(self):
        def change(api):
            api["functions"].append(dict(function(api, "cuc_copy"), name="cuc_copy_more"))
        self.assertEqual(self.told(change), [])

    def test_a_parameter_of_another_type_breaks(self):
        def change(api):
            function(api, "cuc_copy")["parameters"][3]["type"] = "uint32_t"
        self.assertIn("cuc_copy(): parameters", self.told(change)[0])

    def test_another_release_breaks(self):
        def change(api):
            function(api, "cuc_copy")["since"] = "0.2"
        self.assertIn("cuc_copy(): since 0.1, now 0.2", self.told(change))

    def test_a_struct_that_grows_may_grow_at_its_end_only(self):
        def behind(api):
            options = struct(api, "cuc_stream_options")
            options["fields"].append({"name": "more", "type": "uint64_t", "offset": 16, "bytes": 8})
            options["bytes"] = 24
        self.assertEqual(self.told(behind), [])

        def between(api):
            struct(api, "cuc_stream_options")["fields"][2]["offset"] += 4
        self.assertIn("cuc_stream_options.flags was at 12", self.told(between)[0])

    def test_a_final_struct_may_not_grow(self):
        def change(api):
            struct(api, "cuc_tensor")["bytes"] += 8
        self.assertIn("cuc_tensor had 152 bytes", self.told(change)[0])

    def test_a_value_that_changes_breaks(self):
        def change(api):
            api["enums"][1]["values"][3]["value"] = 99
        self.assertIn("CUC_I16 was 3, now 99", self.told(change))


class Streams(unittest.TestCase):
    """Checks that the stream is the first input of every function and callback."""

    MOVES = [  # a function or a callback, the stream's new place, the mistake
        ("cuc_launch", 1, "after config"),
        ("cuc_event_record", 1, "after event"),
        ("cuc_buffer_create", 3, "after resource, bytes"),
        ("cuc_buffer_create", 0, "before out"),
        ("cuc_graph_exec_launch", 1, "after exec"),
        ("cuc_memory_free", 3, "after resource, ptr, bytes"),
        ("cuc_copy_to_host", 2, "after src"),
        ("cuc_memory_callbacks.allocate", 3, "after bytes"),
        ("cuc_memory_callbacks.allocate", 1, "before out"),
        ("cuc_memory_callbacks.deallocate", 3, "after ptr, bytes"),
    ]

    def test_they_are_in_their_place(self):
        for library in tool.LIBRARIES:
            self.assertEqual(abi.misplaced_streams(tool.load(library)), [])

    def test_one_elsewhere_is_told(self):
        for name, place, mistake in self.MOVES:
            with self.subTest(name=name, place=place):
                api = tool.load("cucore")
                parameters = next(p for n, p, _ in abi.signatures(api) if n == name)
                stream = next(p for p in parameters if abi.is_stream(p))
                parameters.remove(stream)
                parameters.insert(place, stream)
                self.assertEqual(abi.misplaced_streams(api),
                                 [f"{name}(): the stream comes {mistake}, and has to be the first input"])


class SymbolMaps(unittest.TestCase):
    def test_a_later_release_builds_on_the_one_before(self):
        api = tool.load("cucore")
        function(api, "cuc_copy")["since"] = "0.10"
        function(api, "cuc_fill")["since"] = "0.9"
        text = abi.symbol_map(api)
        self.assertIn("CUCORE_0.9 {\nglobal:\n    cuc_fill;\n} CUCORE_0.1;", text)
        self.assertIn("CUCORE_0.10 {\nglobal:\n    cuc_copy;\n} CUCORE_0.9;", text)


class Declarations(unittest.TestCase):
    """Checks that the preprocessor-free declarations match the headers."""

    def test_a_compiler_finds_no_difference(self):
        for library, header in (("cucore", "cucore.h"), ("cucore-bench", "bench.h")):
            text = cdef.text(tool.load(library), TYPES)
            # Keep only declarations, which may be repeated; the definitions come from the headers.
            again = re.sub(r"^struct cuc_\w+ \{.*?^\};$|^enum .*?$", "", text, flags=re.S | re.M)
            done = subprocess.run([*CC, "-std=c11", "-fsyntax-only", f"-I{ROOT / 'include'}", "-x", "c", "-"],
                                  input=f"#include <cucore/{header}>\n{again}", capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_it_stands_alone_with_the_layouts_of_the_description(self):
        for library in tool.LIBRARIES:
            api = tool.load(library)
            facts = [f"_Static_assert(sizeof({s['name']}) == {s['bytes']}, \"{s['name']}\");"
                     for s in api["structs"]]
            done = subprocess.run([*CC, "-std=c11", "-fsyntax-only", "-x", "c", "-"], text=True,
                                  input="#include <stddef.h>\n#include <stdint.h>\n" + cdef.text(api, TYPES) +
                                  "\n".join(facts), capture_output=True)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_cffi_takes_it(self):
        try:
            import cffi
        except ModuleNotFoundError:
            self.skipTest("no cffi")
        for library in tool.LIBRARIES:
            api, ffi = tool.load(library), cffi.FFI()
            ffi.cdef(cdef.text(api, TYPES))
            for struct in api["structs"]:
                self.assertEqual(ffi.sizeof(struct["name"]), struct["bytes"])
                for field in struct["fields"]:
                    self.assertEqual(ffi.offsetof(struct["name"], field["name"]), field["offset"])


class ManPages(unittest.TestCase):
    def test_each_function_has_one_that_a_formatter_takes(self):
        formatter, text = shutil.which("groff"), ""
        for library in tool.LIBRARIES:
            api = tool.load(library)
            pages = man.pages(api)
            self.assertEqual(set(pages), {f"{f['name']}.3" for f in api["functions"]})
            for name, page in pages.items():
                for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "THREADS", "CAPTURE", "HISTORY"):
                    self.assertIn(f".SH {section}\n", page, name)
            text += "".join(pages.values())
        if not formatter:
            self.skipTest("no groff to look at them with")
        done = subprocess.run([formatter, "-man", "-Tutf8", "-ww"], input=text, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_one_says_what_the_header_says(self):
        page = man.pages(tool.load("cucore"))["cuc_stream_create.3"]
        self.assertIn('.B "cuc_status cuc_stream_create(cuc_stream **out, cuc_device *device,"\n', page)
        self.assertIn(".B CUC_ERROR_INVALID_ARGUMENT", page)
        self.assertIn("It is the caller's to release.", page)


class Comments(unittest.TestCase):
    """Checks that the report of an incomplete doc comment names the function."""

    CASES = [
        ("stream.h", " * @capture becomes a dependency in the graph", " *", "no @capture"),
        ("event.h", "@param[out] out    ", "@param[out] result ", "which the function has not"),
        ("object.h", "borrowed: valid while the object lives; not to be unloaded", "a handle",
         "says neither static, borrowed nor release"),
    ]

    def test_mistakes_in_comments_are_told(self):
        if not tool.has_libclang():
            self.skipTest("no libclang for Python")
        import headers
        include = headers.INCLUDE
        for header, right, wrong, told in self.CASES:
            with self.subTest(header=header), tempfile.TemporaryDirectory() as folder:
                shutil.copytree(include, folder, dirs_exist_ok=True)
                path = pathlib.Path(folder) / "cucore" / header
                text = path.read_text()
                self.assertIn(right, text)
                path.write_text(text.replace(right, wrong))
                headers.INCLUDE = pathlib.Path(folder)
                try:
                    mistakes = headers.describe("cucore")[1]
                finally:
                    headers.INCLUDE = include
                self.assertTrue(any(told in m for m in mistakes), mistakes)

    def test_what_c_cannot_say_is_read(self):
        api = tool.load("cucore")
        launch = {p["name"]: p for p in function(api, "cuc_launch")["parameters"]}
        self.assertEqual(launch["args"]["length"], "count")
        self.assertEqual(launch["count"]["length_of"], "args")
        self.assertTrue(launch["config"]["nullable"])
        self.assertFalse(launch["kernel"]["nullable"])
        create = function(api, "cuc_stream_create")["parameters"]
        self.assertEqual((create[0]["direction"], create[0]["ownership"]), ("out", "owned"))
        self.assertEqual(function(api, "cuc_buffer_device")["ownership"], "static")
        self.assertEqual(function(api, "cuc_tile_sum")["thread"], "one call at a time on the same program")
        self.assertEqual(api["handles"]["cuc_event"]["release"], "cuc_event_release")


if __name__ == "__main__":
    tool.hand_over()
    unittest.main()
