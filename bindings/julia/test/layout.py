#!/usr/bin/env python3
"""Checks Julia's generated layer against the API description, without Julia: struct sizes and
offsets by C's rules, which Julia's isbits structs follow, and the types of every ccall."""
import json
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
API = json.loads((ROOT / "api" / "cucore.json").read_text())
TEXT = (ROOT / "bindings/julia/src/api.jl").read_text()
BYTES = {"Int8": 1, "UInt8": 1, "Int16": 2, "UInt16": 2, "Int32": 4, "UInt32": 4, "Int64": 8, "UInt64": 8,
         "Csize_t": 8, "Cint": 4, "Cfloat": 4, "Cdouble": 8, "Cstring": 8}
# Size of each C type that is not a pointer.
C_BYTES = {"int8_t": 1, "uint8_t": 1, "int16_t": 2, "uint16_t": 2, "int32_t": 4, "uint32_t": 4, "int64_t": 8,
           "uint64_t": 8, "size_t": 8, "float": 4, "double": 8, "int": 4, "void": 0}

CONSTS = dict(re.findall(r"^const (\w+) = (.*)$", TEXT, re.M))
STRUCTS = {name: re.findall(r"^    (\w+)::(.*)$", body, re.M)
           for name, body in re.findall(r"^struct (\w+)\n(.*?)^end$", TEXT, re.M | re.S)}


def measure(kind):
    """Return size and alignment of a Julia type."""
    if kind.startswith("Ptr{"):
        return 8, 8
    if tuple_ := re.fullmatch(r"NTuple\{(\d+), (.*)\}", kind):
        size, align = measure(tuple_.group(2))
        return int(tuple_.group(1)) * size, align
    if kind in STRUCTS:
        size, align, _ = place(kind)
        return size, align
    if kind in CONSTS:
        return measure(CONSTS[kind])
    return BYTES[kind], BYTES[kind]


def place(name):
    """Return size, alignment and offsets of a struct."""
    at, widest, fields = 0, 1, []
    for field, kind in STRUCTS[name]:
        size, align = measure(kind)
        at = -(-at // align) * align
        fields.append((field, at, size))
        at, widest = at + size, max(widest, align)
    return -(-at // widest) * widest, widest, fields


class Layer(unittest.TestCase):
    def test_structs_lie_in_memory_as_the_description_says(self):
        self.assertEqual(set(STRUCTS), {s["name"] for s in API["structs"]})
        for each in API["structs"]:
            should = [(f["name"], f["offset"], f["bytes"]) for f in each["fields"]]
            size, align, fields = place(each["name"])
            self.assertEqual((size, align), (each["bytes"], each["align"]), each["name"])
            self.assertEqual([(f.rstrip("_"), at, n) for f, at, n in fields], should, each["name"])

    def test_constants_have_their_values(self):
        for each in [v for e in API["enums"] for v in e["values"]] + API["constants"]:
            self.assertRegex(CONSTS[each["name"]], rf"^U?Int\d+\({each['value']}\)$", each["name"])

    def test_every_function_is_called_with_its_types(self):
        calls = dict((name, (returns, kinds)) for name, returns, kinds in re.findall(
            r"ccall\(\(:(\w+), libcucore\), ([\w{}]+), \((.*?)\)", TEXT))
        self.assertEqual(set(calls), {f["name"] for f in API["functions"]})
        for each in API["functions"]:
            returns, kinds = calls[each["name"]]
            there = [returns, *[k for k in kinds.rstrip(",").split(", ") if k]]
            types = [each["returns"], *[p["type"] for p in each["parameters"]]]
            self.assertEqual(len(there), len(types), each["name"])
            for is_, should in zip(there, types):
                with self.subTest(each["name"], type=should):
                    pointer = "*" in should or should == "callback" or should in API["callbacks"]
                    self.assertEqual(is_ == "Cstring" or is_.startswith("Ptr{"), pointer)
                    if is_.startswith("Ptr{"):
                        self.assertEqual(is_.count("Ptr{"), max(should.count("*"), 1))
                    if not pointer:
                        c_type = API["types"].get(should, {}).get("type", should)
                        bytes_ = 0 if is_ == "Cvoid" else measure(is_)[0]
                        self.assertEqual(bytes_, C_BYTES[c_type])


if __name__ == "__main__":
    unittest.main()
