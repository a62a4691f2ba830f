"""What peers make of a point, for bench_peers.py."""
import sys


class Skip(Exception):
    """What was asked for cannot be measured here, which is no failure."""


class Work:
    """One point: run(set) enqueues it; check() returns what is wrong, or None."""

    def __init__(self, run, check=None, unchecked=None):
        self.run = run
        self.check = check
        self.unchecked = unchecked


def need(module):
    """Import a module, by its dotted name. One that is installed but broken may raise anything."""
    try:
        __import__(module)
    except ImportError as why:
        raise Skip(f"Python has no module {module}: {why}") from None
    except Exception as why:
        raise Skip(f"{module} cannot be imported: {type(why).__name__}: {why}") from None
    return sys.modules[module]
