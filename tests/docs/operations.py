#!/usr/bin/env python3
"""operations.py CUCORE SIMULATOR: checks that docs/tile-operations.md has an example of every
operation of the tile language, and that each example gives the documented result in the
interpreter and on the simulated driver.

The list of operations comes from the compiler's own tables: the rows of src/tile/ir/ops.def and of
src/tile/front/calls_*.c.
"""
import concurrent.futures
import json
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/tile-operations.md").read_text()

# dtype: struct's format character, the type in an .npy file
DTYPES = {"bool": ("?", "|b1"), "i8": ("b", "|i1"), "i16": ("h", "<i2"), "i32": ("i", "<i4"),
          "i64": ("q", "<i8"), "u8": ("B", "|u1"), "u16": ("H", "<u2"), "u32": ("I", "<u4"),
          "u64": ("Q", "<u8"), "f16": ("e", "<f2"), "f32": ("f", "<f4"), "f64": ("d", "<f8")}

# Operations that are written as operators or keywords instead of calls.
SIGNS = {"constant": r"\b1\b", "dimension": r"M \* N", "neg": r"= *-\w|, -a\b", "bitnot": "~",
         "add": r"\+", "sub": " - ", "mul": r" \* ", "div": " / ", "floordiv": "//", "mod": "%",
         "bitand": "&", "bitor": r"\|", "bitxor": r"\^", "shl": "<<", "shr": ">>", "eq": "==",
         "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "store_reduce": r"\bstore_add\(",
         "atomic": r"\batomic_add\(", "for": r"\bfor \w+ in", "loop": r"\bwhile\b", "if": r"\bif\b",
         "yield": r"\belse\b", "continue": r"\bcontinue\b", "break": r"\bbreak\b",
         "return": r"\breturn\b"}
OWN = {"cluster_rank", "cluster_size", "convert", "funnel", "leave", "meet", "peer", "peers_read", "share", "tallied", "tally",
       "tally_start", "warp"}  # inserted only by the compiler


def operations():
    text = (ROOT / "src/tile/ir/ops.def").read_text()
    names = set(re.findall(r'^TILE_(?:OP|ELEMENT)\(\w+, *"(\w+)"', text, re.M))
    assert len(names) > 80, "ops.def is not read as it is written"
    calls = [re.findall(r'^    \{ "(\w+)", [^}]*\bmake_\w+', path.read_text(), re.M)
             for path in sorted((ROOT / "src/tile/front").glob("calls_*.c"))]
    assert calls and all(calls), "the tables of calls are not read as they are written"
    return names.union(*calls) - OWN


def parameters(source):
    """Map the kernel's parameter names to dtypes."""
    head = re.search(r"kernel \w+\((.*?)\)\s*(?:const|where|grid|\{)", source, re.S).group(1)
    return dict(re.findall(r"(\w+): (\w+)", head))


def flat(value):
    return [x for each in value for x in flat(each)] if isinstance(value, list) else [value]


def shape(value):
    return [len(value), *shape(value[0])] if isinstance(value, list) else []


def write(path, dtype, value):
    letter, kind = DTYPES[dtype]
    extents = ", ".join(map(str, shape(value))) + ("," if len(shape(value)) == 1 else "")
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({extents}), }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    numbers = [bool(x) if dtype == "bool" else x for x in flat(value)]
    path.write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode() +
                     struct.pack(f"<{len(numbers)}{letter}", *numbers))


def read(path, dtype):
    data = path.read_bytes()
    at = 10 + struct.unpack("<H", data[8:10])[0]
    letter = DTYPES[dtype][0]
    return list(struct.unpack(f"<{(len(data) - at) // struct.calcsize(letter)}{letter}", data[at:]))


def same(a, b):
    return a == b or (math.isnan(a) and math.isnan(b)) if not isinstance(a, float) or not math.isfinite(a) \
        else math.isclose(a, b, rel_tol=2e-7, abs_tol=1e-9)


def run(cucore, driver, env, folder, source, told):
    """Describe how a driver's result differs from the page; return nothing if they agree."""
    dtypes = parameters(source)
    given = {n: json.loads(v) for n, v in re.findall(r"^(\w+) = (.*)$", told, re.M)}
    left = {n: json.loads(v) for n, v in re.findall(r"^(\w+) -> (.*)$", told, re.M)}
    (folder / "x.tile").write_text(source)
    arguments = []
    for name, dtype in dtypes.items():
        if name in given and isinstance(given[name], list):
            write(folder / f"{name}.npy", dtype, given[name])
        if name in left and name in given:
            arguments.append(f"inout:{name}.npy={name}.out")
        elif name in left:
            arguments.append(f"out:{dtype}{shape(left[name])}={name}.out".replace(" ", ""))
        else:
            arguments.append(f"in:{name}.npy" if isinstance(given[name], list) else
                             f"{dtype}:{given[name]}")
    kernel = re.search(r"kernel (\w+)", source).group(1)
    done = subprocess.run([cucore, "run", "x.tile", *arguments, "--driver", driver], cwd=folder,
                          text=True, capture_output=True, env=env, timeout=60, check=False)
    if done.returncode:
        return [f"{kernel} by {driver}: {done.stdout}{done.stderr}"]
    wrong = [f"{kernel} by {driver}: {name} -> {is_}, the page has {flat(should)}" for name, should in left.items()
             for is_ in [read(folder / f"{name}.out", dtypes[name])]
             if len(is_) != len(flat(should)) or not all(map(same, map(float, is_), map(float, flat(should))))]
    wrong += [f"{kernel} by {driver}: does not print {text!r} but {done.stdout}"
              for text in re.findall(r"^prints (.*)$", told, re.M) if text not in done.stdout + done.stderr]
    return wrong


def both(cucore, simulator, source, told):
    env = {**os.environ, "CUCORE_DRIVER": simulator}
    wrong = []
    for driver in ("interp", "sim"):
        with tempfile.TemporaryDirectory() as folder:
            wrong += run(cucore, driver, env, pathlib.Path(folder), source, told)
    return wrong


def main(cucore, simulator):
    examples = re.findall(r"^```tile\n(.*?)^```\n(?:```text\n(.*?)^```)?", PAGE, re.M | re.S)
    code = "\n".join(re.sub("#.*", "", source) for source, _ in examples)
    problems = [f"{name} has no example on the page" for name in sorted(operations())
                if not re.search(SIGNS.get(name, rf"\b{name}\("), code)]
    problems += [f"nothing says what comes out of: {source}" for source, told in examples if not told]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for wrong in pool.map(lambda each: both(cucore, simulator, *each), [e for e in examples if e[1]]):
            problems += wrong
    print("\n".join(problems) or f"{len(examples)} examples are as they say")
    return bool(problems) or not examples


if __name__ == "__main__":
    sys.exit(main(*map(os.path.abspath, sys.argv[1:3])))
