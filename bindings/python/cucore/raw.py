"""The C functions of libcucore unchanged: constants, structs and functions under their C names.

Functions are created when they are first accessed. They return the status as a number, raise no
exceptions and own nothing. The C headers document them. Every call releases the GIL.
"""
import ctypes as _c

from . import _library
from ._api import *  # noqa: F401,F403
from ._api import FUNCTIONS, LAYOUT, NAMES, UNITS, VERSION  # noqa: F401

_TYPES = {"v": None, "b": _c.c_int8, "B": _c.c_uint8, "h": _c.c_int16, "H": _c.c_uint16,
          "i": _c.c_int32, "I": _c.c_uint32, "q": _c.c_int64, "Q": _c.c_uint64, "z": _c.c_size_t,
          "f": _c.c_float, "d": _c.c_double, "p": _c.c_void_p, "s": _c.c_char_p}

#: Minimum and maximum of each integer type; ctypes does not check ranges.
RANGES = {_c.c_int8: (-2**7, 2**7 - 1), _c.c_int16: (-2**15, 2**15 - 1), _c.c_int32: (-2**31, 2**31 - 1),
          _c.c_int64: (-2**63, 2**63 - 1), _c.c_uint8: (0, 2**8 - 1), _c.c_uint16: (0, 2**16 - 1),
          _c.c_uint32: (0, 2**32 - 1), _c.c_uint64: (0, 2**64 - 1), _c.c_size_t: (0, 2**64 - 1)}

LIBRARY, _dll = _library.load()
_holding = _c.PyDLL(LIBRARY)


def prototype(name, *, release_gil=True):
    """Create a separate function object with its types. The function may keep the GIL if it never
    blocks."""
    types = [_TYPES[letter] for letter in FUNCTIONS[name]]
    function = (_dll if release_gil else _holding)[name]
    function.restype, function.argtypes = types[0], types[1:]
    # For each integer parameter: position, minimum and maximum.
    function.numbers = tuple((i, *RANGES[kind]) for i, kind in enumerate(types[1:]) if kind in RANGES)
    return function


def __getattr__(name):
    if name not in FUNCTIONS:
        raise AttributeError(f"libcucore {VERSION} has no {name}")
    function = globals()[name] = prototype(name)
    return function


def __dir__():
    return sorted({*globals(), *FUNCTIONS})
