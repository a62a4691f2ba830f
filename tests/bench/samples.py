#!/usr/bin/env python3
"""samples.py SCHEMA: checks that the documents that tests read (data/) and the results in
bench/results/ follow the library's schema, and that bench/results/ has one line per result.
Without the package jsonschema the test is skipped: exit status 77."""
import json
import pathlib
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: there is no Python package jsonschema")
    sys.exit(77)

validator = jsonschema.Draft7Validator(json.loads(pathlib.Path(sys.argv[1]).read_text()))
here = pathlib.Path(__file__).resolve()
paths = sorted((here.parent / "data").glob("*.json"))
problems = []
for path in sorted((here.parents[2] / "bench" / "results").glob("*.json")):
    document = json.loads(path.read_text())
    if document["schema"] == "cucore-bench/1":
        paths.append(path)
    rows = sum(line.startswith("{") for line in path.read_text().splitlines()[1:])
    if rows != sum(len(each) for each in document.values() if isinstance(each, list)):
        problems.append(f"{path.name} has no line for each result")
problems += [f"{path.name}: {'/'.join(map(str, e.absolute_path))}: {e.message[:200]}"
             for path in paths for e in validator.iter_errors(json.loads(path.read_text()))]
print("\n".join(problems) or f"{len(paths)} documents are of the schema")
sys.exit(bool(problems) or not paths)
