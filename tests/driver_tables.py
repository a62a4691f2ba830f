#!/usr/bin/env python3
"""Check that the tables beside the driver's declarations are complete.

    tests/driver_tables.py     prints each missing row; exits 1 if there is one

- cuda_abi.list has each constant, type and member of src/driver/*_abi.h and cuda_codes.h. If a
  row is missing, no test compares the declaration with the toolkit's headers.
- exports.def of the simulated driver has each function of cu.def and more.def. If a row is
  missing, a program cannot find the function by its exported name.
- Each function sim_<name>() of the simulated driver has a row of cu.def or more.def, which makes
  it reachable.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
DRIVER, SHELL = ROOT / "src/driver", ROOT / "src/sim/shell"

# Names of function types, and names that only cucore has.
OWN = re.compile(r"\((CUC__CUDA_ABI_VERSION|CUgetProcAddress_v2|\w+_fn)\)")


def code(path):
    """Return the text of a C file without its comments."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", path.read_text(), flags=re.S)


def members(body):
    """Return the names of a struct's members, except members of nested structs."""
    while "{" in body:
        body = re.sub(r"\b(struct|union)\s*\{[^{}]*\}", "", body)
    for member in filter(None, map(str.strip, body.split(";"))):
        name = re.search(r"(\w+)\s*(\[[^\]]*\]\s*)*$", member)
        yield name.group(1)


def declared(header):
    """Yield the row of cuda_abi.list that each declaration of a header needs."""
    text = code(header)
    for name in re.findall(r"^#define (\w+) ", text, re.M):
        yield f"VALUE({name})"
    for body in re.findall(r"\benum\b[^{;]*\{(.*?)\}", text, re.S):
        for constant in filter(None, map(str.strip, body.split(","))):
            yield f"VALUE({constant.split()[0]})"
    for name in re.findall(r"^typedef [^;{]*?\(\*(\w+)\)\(|^typedef [^;{(]*?(\w+);", text, re.M):
        yield f"SIZE({''.join(name)})"
    for body, name in re.findall(r"^typedef (?:struct|union) \w+ \{\n(.*?)^\} (\w+);", text, re.M | re.S):
        yield f"SIZE({name})"
        for member in members(body):
            yield f"OFFSET({name}, {member})"


def rows(path, macros):
    """Return the first argument of each row of a table."""
    return re.findall(rf"^(?:{macros})\((\w+)", code(path), re.M)


def missing():
    """Yield a line for each missing row."""
    listed = set(re.findall(r"^\w+\([^)]*\)", code(ROOT / "tests/cuda_abi.list"), re.M))
    for header in [*sorted(DRIVER.glob("*_abi.h")), DRIVER / "cuda_codes.h"]:
        for row in declared(header):
            if row not in listed and not OWN.search(row):
                yield f"tests/cuda_abi.list lacks {row}, which {header.relative_to(ROOT)} declares"
    functions = rows(DRIVER / "cu.def", "CU") + rows(SHELL / "more.def", "CU")
    exported = set(rows(SHELL / "exports.def", "EXPORT"))
    for name in functions:
        if name not in exported:
            yield f"src/sim/shell/exports.def lacks EXPORT({name}, <exported name>)"
    for source in sorted(SHELL.glob("*.c")):
        for name in re.findall(r"^CUresult sim_(cu[A-Z]\w*)\(", code(source), re.M):
            if name not in functions:
                yield f"cu.def and more.def lack {name}, which {source.relative_to(ROOT)} defines"


if __name__ == "__main__":
    lines = list(missing())
    print("\n".join(lines) or "the tables are complete")
    sys.exit(bool(lines))
