#!/usr/bin/env python3
"""schema.py SCHEMA PROGRAM: checks that PROGRAM prints a document that follows SCHEMA, and that
SCHEMA rejects corrupted documents. Without the package jsonschema the test is skipped: exit
status 77."""
import copy
import json
import pathlib
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: there is no Python package jsonschema")
    sys.exit(77)


def spoil(document, change):
    spoilt = copy.deepcopy(document)
    change(spoilt)
    return spoilt


schema = json.loads(pathlib.Path(sys.argv[1]).read_text())
text = subprocess.run(sys.argv[2:], stdout=subprocess.PIPE, text=True, check=True).stdout
document = json.loads(text, parse_constant=lambda word: sys.exit(f"{word} is no JSON"))

jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
problems = [f"{'/'.join(map(str, e.absolute_path))}: {e.message}"
            for e in validator.iter_errors(document)]

results = document["results"]
seen = {(r.get("subject"), r.get("mode"), "skipped" in r, "failed" in r) for r in results}
for wanted in [("copy", "cold", False, False), ("copy", "hot", False, False),
               ("copy", "graph", False, False), ("copy", "cpu", False, False),
               ("elsewhere", "cold", False, False), ("library", None, True, False),
               ("wrong", None, False, True), ("failing", "cpu", False, True),
               (None, None, True, False)]:
    if wanted not in seen:
        problems.append(f"there is no result {wanted} (subject, mode, skipped, failed)")
if document["machine"]["simulated"] and any("share" in r or "peak" in r for r in results):
    problems.append("a simulated device has a share of a peak")
if not any(r.get("figures") == {"registers": 32, "resident_bytes": 1e6} for r in results):
    problems.append("the figures of a subject are not there")
summaries = {s["subject"]: s for s in document.get("summaries", [])}
if summaries.get("elsewhere", {}).get("points") != 2 or summaries.get("wrong", {}).get("failed") != 2:
    problems.append(f"the summaries are others: {summaries}")
measured = next(i for i, r in enumerate(results) if "median_s" in r)
for what, change in {
    "another schema": lambda d: d.update(schema="cucore-bench/2"),
    "no machine": lambda d: d.pop("machine"),
    "a key that is not known": lambda d: d["results"][measured].update(speed=1),
    "neither a time nor a reason": lambda d: d["results"][measured].pop("median_s"),
    "a time and a reason": lambda d: d["results"][measured].update(skipped="why"),
    "a time of 0": lambda d: d["results"][measured].update(median_s=0),
    "null": lambda d: d["results"][measured].update(bytes=None),
    "a share of nothing": lambda d: d["results"][measured].update(share=0.5),
    "a summary without its subject": lambda d: d["summaries"][0].pop("subject"),
    "a speed-up of 0": lambda d: next(s for s in d["summaries"] if "worst" in s).update(worst=0),
    "unchecked": lambda d: d["results"][measured].update(checked="no"),
}.items():
    if validator.is_valid(spoil(document, change)):
        problems.append(f"the schema takes a document with {what}")

print("\n".join(problems) or f"{len(results)} results are of the schema")
sys.exit(bool(problems))
