#!/usr/bin/env python3
"""samples.py SCHEMA: the documents that tests read (data/) are of the schema that the library
writes. Without the jsonschema package that is a skip: exit status 77."""
import json
import pathlib
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: there is no Python package jsonschema")
    sys.exit(77)

validator = jsonschema.Draft7Validator(json.loads(pathlib.Path(sys.argv[1]).read_text()))
paths = sorted((pathlib.Path(__file__).resolve().parent / "data").glob("*.json"))
problems = [f"{path.name}: {'/'.join(map(str, e.absolute_path))}: {e.message[:200]}"
            for path in paths for e in validator.iter_errors(json.loads(path.read_text()))]
print("\n".join(problems) or f"{len(paths)} documents are of the schema")
sys.exit(bool(problems) or not paths)
