#!/usr/bin/env python3
"""Check that includes and calls between the folders of src/ go down only.

    scripts/floors.py [BUILD]     prints each include or call that climbs; exits 1 if there is one

Each folder of src/ is a floor. FLOORS lists the floors from the bottom up; a file may include
and call only what is on its own floor or below. CYCLES limits the number of files in a
dependency cycle, by path prefix. Includes come from the sources, calls from the symbols of the
objects in BUILD, which is build/ by default.
"""
import collections
import json
import os
import re
import subprocess
import sys

FLOORS = """
    base cache explain find driver device memory tensor
    tile/ir tile/layout tile/signature tile/pass tile/build tile/front tile/api tile/machine
    tile/emit tile/compile tile/interpret
    ptx code graph launch program gemm attention algorithm library python
    sim/ptx sim/machine sim/check sim/exec sim/shell
""".split()
CYCLES = {'tile/': 12, 'sim/': 12, '': 5}  # most files in a cycle; the first matching prefix counts
LIBRARIES = re.compile(r'lib(cucore_internal|sim_core|sim_shell)\.a\.p/|libcucore-sim\.so\.p/')

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def floor_of(path):
    """Return the index of a source's floor; None if it is on none."""
    folder = os.path.dirname(path)
    return FLOORS.index(folder) if folder in FLOORS else None


def includes():
    """Yield (file, included file, directive) for every private include."""
    source = os.path.join(ROOT, 'src')
    for folder, _, names in os.walk(source):
        for name in names:
            if not name.endswith(('.c', '.h', '.def')):
                continue
            path = os.path.join(folder, name)
            with open(path, encoding='utf-8') as file:
                text = file.read()
            for found in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.M):
                for base in folder, source:
                    target = os.path.normpath(os.path.join(base, found))
                    if os.path.exists(target):
                        yield (os.path.relpath(path, source), os.path.relpath(target, source),
                               f'#include "{found}"')
                        break


def calls(build):
    """Yield (file, file that defines the symbol, symbol) for every symbol used across files."""
    with open(os.path.join(build, 'compile_commands.json'), encoding='utf-8') as file:
        commands = json.load(file)
    source = os.path.join(ROOT, 'src')
    defined, used, objects = {}, [], {}
    for command in commands:
        match = LIBRARIES.search(command['output'])
        path = os.path.relpath(os.path.join(command['directory'], command['file']), source)
        if match and not path.startswith('..'):
            # The simulator is a separate library, with its own copies of some files.
            objects[command['output']] = match[1] == 'cucore_internal', path
    missing = [output for output in objects if not os.path.exists(os.path.join(build, output))]
    if missing:
        sys.exit(f'{len(missing)} objects are not built, such as {missing[0]}: run ninja -C {build}')
    listing = subprocess.run(['nm', '-A', *objects], cwd=build, check=True, capture_output=True,
                             text=True).stdout
    for line in listing.splitlines():
        output, _, rest = line.partition(':')
        kind, symbol = rest.split()[-2:]
        library, path = objects[output]
        if kind == 'U':
            used.append((library, path, symbol))
        elif kind == 'W':  # a weak definition, which another file may override
            defined.setdefault((library, symbol), path)
        elif kind.isupper():
            defined[library, symbol] = path
    for library, path, symbol in used:
        target = defined.get((library, symbol), path)
        if target != path:
            yield path, target, symbol


def circles(arrows):
    """Return the sets of files that reach each other: the strongly connected components with more
    than one file."""
    index, low, stack, found = {}, {}, [], []

    def visit(file):
        index[file] = low[file] = len(index)
        stack.append(file)
        for other in arrows.get(file, ()):
            if other not in index:
                visit(other)
            if other in stack:
                low[file] = min(low[file], low[other])
        if low[file] == index[file]:
            at = stack.index(file)
            found.append(stack[at:])
            del stack[at:]

    sys.setrecursionlimit(10000)
    for file in sorted(arrows):
        if file not in index:
            visit(file)
    return [circle for circle in found if len(circle) > 1]


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, 'build')
    wrong = 0
    arrows = collections.defaultdict(set)
    called = set(calls(build))
    for path, target, _ in sorted(called):
        arrows[path].add(target)
    for path, target, how in sorted(set(includes()) | called):
        here, there = floor_of(path), floor_of(target)
        if here is None or there is None:
            print(f'{path if here is None else target}: its folder is no floor; see FLOORS')
            wrong += 1
        elif there > here:
            print(f'{path} climbs to {target}: {how}')
            wrong += 1
    for circle in sorted(circles(arrows), key=len, reverse=True):
        most = next(CYCLES[part] for part in CYCLES if circle[0].startswith(part))
        if len(circle) > most:
            print(f'{len(circle)} files in a circle, {most} are allowed:', *sorted(circle))
            wrong += 1
    print(f'{wrong} arrows climb or circles are too large' if wrong else 'every include and call goes down')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
