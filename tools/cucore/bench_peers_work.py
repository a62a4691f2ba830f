"""Defines the work that peers measure, for bench_peers.py."""
import sys


class Skip(Exception):
    """Raised if a request cannot be measured here, which is not a failure."""


class Work:
    """One point: run(set) enqueues it; check() returns a description of an error, or None. In graph
    mode, `graph` holds `repeats` captured runs; `figures` are numbers for the result. `waits` means
    that run() waits for the device, so its time has gaps and it cannot be captured."""

    def __init__(self, run, check=None, unchecked=None):
        self.run = run
        self.check = check
        self.unchecked = unchecked
        self.graph = None
        self.repeats = 0
        self.figures = None
        self.waits = False


def need(module):
    """Import a module by its dotted name. An installed but broken module may raise anything."""
    try:
        __import__(module)
    except ImportError as why:
        raise Skip(f"Python has no module {module}: {why}") from None
    except Exception as why:
        raise Skip(f"{module} cannot be imported: {type(why).__name__}: {why}") from None
    return sys.modules[module]
