"""Work items of peers, for bench_peers.py."""
import sys


class Skip(Exception):
    """The request cannot be measured here; not a failure."""


class Work:
    """One point: run(set) enqueues it; check() describes an error, or returns None. The mode graph captures `repeats`
    runs in `graph`; `figures` are numbers for the result."""

    def __init__(self, run, check=None, unchecked=None):
        self.run = run
        self.check = check
        self.unchecked = unchecked
        self.graph = None
        self.repeats = 0
        self.figures = None


def need(module):
    """Import a module by dotted name. An installed but broken module may raise anything."""
    try:
        __import__(module)
    except ImportError as why:
        raise Skip(f"Python has no module {module}: {why}") from None
    except Exception as why:
        raise Skip(f"{module} cannot be imported: {type(why).__name__}: {why}") from None
    return sys.modules[module]
