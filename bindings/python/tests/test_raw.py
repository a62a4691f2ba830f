"""Tests that the raw layer matches the API description and the library."""
import ctypes
import json
import re
import unittest

import cucore
from cucore import raw
from support import ROOT

API = json.loads((ROOT / "api" / "cucore.json").read_text())


class Raw(unittest.TestCase):
    def test_every_function_is_there_with_all_its_parameters(self):
        for each in API["functions"]:
            with self.subTest(each["name"]):
                function = getattr(raw, each["name"])
                self.assertEqual(len(function.argtypes), len(each["parameters"]))
                self.assertEqual(function.restype is None, each["returns"] == "void")

    def test_structs_lie_in_memory_as_the_description_says(self):
        def compare(kind, fields, path):
            for field in fields:
                with self.subTest(f"{path}.{field['name']}"):
                    there = getattr(kind, field["name"])
                    self.assertEqual((there.offset, there.size), (field["offset"], field["bytes"]))
                if "fields" in field:
                    compare(dict(kind._fields_)[field["name"]], field["fields"],
                            f"{path}.{field['name']}")

        for each in API["structs"]:
            kind = getattr(raw, each["name"])
            self.assertEqual(ctypes.sizeof(kind), each["bytes"], each["name"])
            self.assertEqual(ctypes.alignment(kind), each["align"], each["name"])
            self.assertEqual(raw.LAYOUT[each["name"]], (ctypes.sizeof(kind), {
                name: getattr(kind, name).offset for name, *_ in kind._fields_}), each["name"])
            compare(kind, each["fields"], each["name"])

    def test_constants_have_their_values(self):
        for each in [v for e in API["enums"] for v in e["values"]] + API["constants"]:
            self.assertEqual(getattr(raw, each["name"]), each["value"], each["name"])

    def test_the_stub_has_all_functions(self):
        stub = (ROOT / "bindings/python/cucore/raw.pyi").read_text()
        self.assertEqual(set(re.findall(r"^def (cuc_\w+)", stub, re.M)), set(raw.FUNCTIONS))

    def test_an_unknown_name_is_reported(self):
        with self.assertRaisesRegex(AttributeError, "has no cuc_nothing"):
            raw.cuc_nothing

    def test_calls_accept_what_ctypes_accepts(self):
        self.assertEqual(raw.cuc_dtype_from_name(b"bf16"), raw.CUC_BF16)
        self.assertEqual(raw.cuc_status_name(raw.CUC_ERROR_BUSY), b"CUC_ERROR_BUSY")
        self.assertEqual(raw.cuc_stream_handle(None), None)
        device = cucore.Device(0)
        stream = ctypes.c_void_p()
        self.assertEqual(raw.cuc_stream_create(ctypes.byref(stream), device, None), 0)  # same call as in docs/python.md
        self.assertEqual(raw.cuc_device_ordinal(device), 0)
        raw.cuc_stream_release(stream)


if __name__ == "__main__":
    unittest.main()
