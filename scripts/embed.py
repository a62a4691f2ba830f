#!/usr/bin/env python3
"""embed.py OUT NAME=FILE...: writes a C header with each file as a zero-terminated character array,
and a macro EMBEDDED(X) that expands to X(NAME) for each file.

The output uses arrays, because C only guarantees string literals of up to 4095 characters.
"""
import pathlib
import sys

out, names = ["// Written by embed.py."], []
for pair in sys.argv[2:]:
    name, _, file = pair.partition("=")
    names.append(name)
    numbers = [str(byte) for byte in pathlib.Path(file).read_bytes()] + ["0"]
    out.append(f"static const char {name}[] = {{")
    out += ["    " + ", ".join(numbers[i:i + 24]) + "," for i in range(0, len(numbers), 24)]
    out.append("};")
out.append("#define EMBEDDED(X) " + " ".join(f"X({name})" for name in names))
pathlib.Path(sys.argv[1]).write_text("\n".join(out) + "\n")
