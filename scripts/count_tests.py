#!/usr/bin/env python3
"""Add up meson's test logs: count_tests.py [--steps-failed N] testlog.json...

For a program that uses Check, its summary line gives the number of checks; any other program
counts as one. A failure reported only at exit, such as a leak, counts as one more. N is the
number of failed steps in the whole run, including builds; the count of failures is at least N.
The last line reads "N passed, N failed, N skipped"; exits 1 if anything failed or nothing ran.
"""
import json
import re
import sys

CLOSING = re.compile(r"^\d+%: Checks: (\d+), Failures: (\d+), Errors: (\d+)$", re.M)


def count(test):
    """Return (passed, failed, skipped) for one program."""
    result = test["result"]
    if result == "SKIP":
        return 0, 0, 1
    good = result in ("OK", "EXPECTEDFAIL")
    runs = CLOSING.findall(test.get("stdout") or "")
    bad = sum(int(failures) + int(errors) for _, failures, errors in runs)
    if not runs:
        return int(good), int(not good), 0
    passed = sum(int(checks) for checks, _, _ in runs) - bad
    return passed, bad or int(not good), 0


def main(paths):
    total = [0, 0, 0]
    steps_failed = 0
    skips = {}  # reason: names
    if paths[:1] == ["--steps-failed"]:
        steps_failed = int(paths[1])
        paths = paths[2:]
    for path in paths:
        programs = skipped = 0
        try:
            with open(path, encoding="utf-8") as log:
                tests = [json.loads(line) for line in log]
        except (OSError, ValueError) as why:
            print(f"{path}: {why}")
            total[1] += 1
            continue
        for test in tests:
            counts = count(test)
            total = [a + b for a, b in zip(total, counts)]
            programs += 1
            skipped += counts[2]
            if counts[1]:
                print(f"failed: {path}: {test['name']} ({test['result']})")
            if counts[2]:
                said = (test.get("stderr") or test.get("stdout") or "").strip().splitlines()
                reason = re.sub(r"^cuc_\w+: ", "", said[-1]) if said else "no reason given"
                skips.setdefault(reason[:80], []).append(test["name"].split(" / ")[-1].split(":")[-1])
        print(f"{path}: {programs} programs, {skipped} of them skipped")
    for reason, names in skips.items():
        print(f"skipped: {', '.join(names)}: {reason}")
    total[1] = max(total[1], steps_failed)
    print("%d passed, %d failed, %d skipped" % tuple(total))
    return 1 if total[1] or not total[0] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
