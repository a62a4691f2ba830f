#!/usr/bin/env python3
"""Hold the binary interface still.

    abi.py map [bench]             write src/cucore.map from the headers
    abi.py golden [bench]          write tests/abi/abi.golden from the headers
    abi.py test LIBRARY [bench]    declared = listed in the map = exported by LIBRARY, and the
                                   golden file still says what the headers say; exits 1 with what
                                   differs

With "bench" it is about the library libcucore-bench, which has a header, a map and a golden file of
its own.

Symbols keep the release that they are listed under; new ones go to the newest. The golden file
has every prototype, constant, struct size and field offset for a 64-bit machine. CC is the
compiler, "cc" by default.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include"
BENCH = sys.argv[-1] == "bench"
ARGUMENTS = sys.argv[1:-1] if BENCH else sys.argv[1:]
HEADER = "bench.h" if BENCH else "cucore.h"
MAP = ROOT / ("bench/lib/cucore-bench.map" if BENCH else "src/cucore.map")
GOLDEN = ROOT / "tests" / "abi" / ("bench.golden" if BENCH else "abi.golden")
RELEASE = "CUCORE_BENCH_0.1" if BENCH else "CUCORE_0.1"
MINE = "cuc_bench" if BENCH else "cuc_"  # what names of functions and structs begin with
CC = os.environ.get("CC", "cc").split()


def preprocess(*flags, defines=()):
    command = CC + ["-std=c11", "-E", "-P", "-I", str(INCLUDE), *flags, *defines, "-x", "c", "-"]
    text = f"#include <cucore/{HEADER}>\n"
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def headers_text():
    """The declarations after macros, CUC_API left standing as a mark."""
    return re.sub(r"\s+", " ", preprocess(defines=["-DCUC_API=CUC__EXPORT"]))


def declared(text):
    prototypes = {}
    for match in re.finditer(r"CUC__EXPORT ([^;{]*?\b(cuc_\w+) ?\([^;{]*\));", text):
        if match.group(2).startswith(MINE):
            prototypes[match.group(2)] = match.group(1)
    return prototypes


def listed():
    """Symbol -> release, as the map has them."""
    symbols, release = {}, None
    for line in MAP.read_text().splitlines() if MAP.exists() else []:
        line = line.strip()
        if opened := re.fullmatch(r"(CUCORE_(?:BENCH_)?[\d.]+) \{", line):
            release = opened.group(1)
        elif name := re.fullmatch(r"(cuc_\w+);", line):
            symbols[name.group(1)] = release
    return symbols


def write_map(names):
    old = listed()
    releases = sorted({*old.values(), RELEASE}, key=lambda r: [int(n) for n in r.rpartition("_")[2].split(".")])
    out = ["# Written by tests/abi/abi.py map. A symbol never changes its release, nor goes."]
    for i, release in enumerate(releases):
        out += ["", f"{release} {{", "global:"]
        out += [f"    {n};" for n in sorted(names) if old.get(n, RELEASE) == release]
        out += ["local:", "    *;"] if i == 0 else []
        out += [f"}}{' ' + releases[i - 1] if i else ''};"]
    MAP.write_text("\n".join(out) + "\n")


def split_top(body):
    """The members of a struct body, nested braces kept together."""
    depth, start = 0, 0
    for i, c in enumerate(body):
        depth += (c in "{(") - (c in "})")
        if c == ";" and depth == 0:
            yield body[start:i].strip()
            start = i + 1


def fields(body):
    for member in split_top(body):
        if pointer := re.search(r"\(\* ?(\w+)\) ?\(", member):
            yield pointer.group(1)
            continue
        member = re.sub(r"\{.*\}", "", member)
        for part in member.split(","):
            yield re.search(r"(\w+)(?: ?\[[^]]*\])*$", part.strip()).group(1)


def structs(text):
    for match in re.finditer(rf"(?:typedef )?struct ({MINE}\w*) \{{", text):
        depth, end = 1, match.end()
        while depth:
            depth += (text[end] == "{") - (text[end] == "}")
            end += 1
        yield match.group(1), list(fields(text[match.end():end - 1]))


def constants(text):
    names = []
    for body in re.findall(r"\benum \{([^}]*)\}", text):
        names += re.findall(rf"\b({MINE.upper()}\w+) ?=", body)
    for line in preprocess("-dM").splitlines():
        if number := re.fullmatch(rf"#define ({MINE.upper()}\w+) \(?-?\d\w*\)?", line):
            names.append(number.group(1))
    return sorted(set(names))


def describe(text):
    """Ask the compiler for the sizes and values, in a program made for it."""
    lines = ["#include <stddef.h>", "#include <stdio.h>", f"#include <cucore/{HEADER}>",
             "int main(void)", "{"]
    for name, members in sorted(structs(text)):
        lines.append(f'printf("struct {name}: %zu bytes\\n", sizeof({name}));')
        lines += [f'printf("    %zu {m}\\n", offsetof({name}, {m}));' for m in members]
    lines += [f'printf("{n} = %lld\\n", (long long){n});' for n in constants(text)]
    lines.append("}")
    with tempfile.TemporaryDirectory() as folder:
        program = str(pathlib.Path(folder) / "describe")
        subprocess.run(CC + ["-std=c11", "-w", "-I", str(INCLUDE), "-x", "c", "-", "-o", program],
                       input="\n".join(lines), text=True, check=True)
        values = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    prototypes = "".join(f"{p}\n" for _, p in sorted(declared(text).items()))
    return values + prototypes


def exported(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    names = (line.split()[-1].split("@")[0] for line in lines if line.split()[-2] not in "Aa")
    return set(names) - {"_init", "_fini", "__bss_start", "_edata", "_end"}


def difference(what, left, right):
    for name in sorted(left - right):
        print(f"{name} is {what[0]}, but not {what[1]}")
    for name in sorted(right - left):
        print(f"{name} is {what[1]}, but not {what[0]}")
    return left != right


def test(library):
    text = headers_text()
    names = set(declared(text))
    bad = difference(("declared in a header", f"listed in {MAP.relative_to(ROOT)}"), names, set(listed()))
    bad |= difference(("declared in a header", "exported by the library"), names, exported(library))
    now, golden = describe(text).splitlines(), GOLDEN.read_text().splitlines()
    if now != golden:
        bad = True
        import difflib
        print("\n".join(difflib.unified_diff(golden, now, GOLDEN.name, "headers", n=2, lineterm="")))
    if bad:
        print("a wanted change: run tests/abi/abi.py map and tests/abi/abi.py golden, and add to NEWS")
        return 1
    print(f"{len(names)} functions declared, listed and exported; layouts and values as before")
    return 0


def main():
    if ARGUMENTS == ["map"]:
        write_map(declared(headers_text()))
    elif ARGUMENTS == ["golden"]:
        GOLDEN.write_text(describe(headers_text()))
    elif ARGUMENTS[:1] == ["test"] and len(ARGUMENTS) == 2:
        return test(ARGUMENTS[1])
    else:
        sys.exit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main())
