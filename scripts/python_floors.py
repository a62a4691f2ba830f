#!/usr/bin/env python3
"""Check that imports between the modules of the Python package go down only.

    scripts/python_floors.py     prints each import that climbs; exits 1 if there is one

FLOORS lists the modules from the bottom up. A module may import only those before it, even
inside functions; imports that only type checkers see are exempt. A lower module that needs a
class from above declares a variable, which the upper module sets.
"""
import ast
import os
import sys

FLOORS = """
    _api _library raw _errors _native _pending _handle _sets typing _condition _ipc
    _stream _device _callback _green
    _memory _managed _memory_pool _memory_resource _virtual
    _tensor _tensor_map _object _cache _program_cache _launch _interpret _program library tuning _gemm
    _attention algorithm
    _graph_node _graph _capture _graph_builder _host_launch graph
    system utils __init__ _command
    tile._errors tile._syntax tile._context tile._docs tile._promote tile._values tile._registry
    tile._trees tile._text tile._value_ops tile._memory_ops tile._ops tile._host tile._constant
    tile._join tile._expression tile._statement tile._compile tile._kernel tile.tune tile.__init__
""".split()
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PACKAGE = os.path.join(ROOT, 'bindings/python/cucore')


def modules():
    """Yield (module, path) for every source of the package."""
    for folder, _, names in os.walk(PACKAGE):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if name.endswith('.py'):
                yield os.path.relpath(path, PACKAGE)[:-3].replace(os.sep, '.'), path


def imports(tree, module, known):
    """Yield (imported module, line) for every import that runs."""
    if isinstance(tree, ast.If) and 'TYPE_CHECKING' in ast.unparse(tree.test):
        children = tree.orelse
    else:
        children = ast.iter_child_nodes(tree)
    names = []
    if isinstance(tree, ast.Import):
        names = [(alias.name.split('.'), '__init__') for alias in tree.names]
    elif isinstance(tree, ast.ImportFrom):
        package = ['cucore', *module.split('.')][:-tree.level] if tree.level else []
        names = [(package + (tree.module or '').split('.'), alias.name) for alias in tree.names]
    for parts, name in names:
        if parts[0] == 'cucore':
            parts = [part for part in parts[1:] if part]
            base = '.'.join(parts)
            for target in '.'.join([*parts, name]), '.'.join([*parts, name, '__init__']), base:
                if target in known:
                    yield target, tree.lineno
                    break
            else:
                yield '.'.join([*parts, '__init__']), tree.lineno
    for child in children:
        yield from imports(child, module, known)


def main():
    known, wrong = dict(modules()), 0
    for module in sorted(known.keys() ^ set(FLOORS)):
        print(f'{module}: a module that FLOORS lacks, or that does not exist')
        wrong += 1
    floors = {module: number for number, module in enumerate(FLOORS)}
    for module, path in known.items():
        with open(path, encoding='utf-8') as file:
            tree = ast.parse(file.read())
        for target, line in imports(tree, module, known):
            if module in floors and floors.get(target, -1) >= floors[module]:
                print(f'{os.path.relpath(path, ROOT)}:{line}: {module} climbs to {target}')
                wrong += 1
    print(f'{wrong} imports climb or modules have no floor' if wrong else 'every import goes down')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
