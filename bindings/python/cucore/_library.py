"""Finds and loads libcucore.

Looks first for the file that CUCORE_LIBRARY names, then for the library in this package (in a
wheel), and then for libcucore.so.0 with the system's loader.
"""
from __future__ import annotations

import ctypes
import os
import pathlib
import sys

SONAME = "libcucore.so.0"


def candidates() -> list[str]:
    if named := os.environ.get("CUCORE_LIBRARY"):
        return [named]
    own = pathlib.Path(__file__).parent / "lib" / SONAME
    return ([str(own)] if own.exists() else []) + [SONAME]


def load() -> tuple[str, ctypes.CDLL]:
    # cucore looks for NVIDIA's Python packages in VIRTUAL_ENV. This variable is set only in an
    # activated environment, not if the environment's interpreter is started directly.
    if sys.prefix != sys.base_prefix:
        os.environ.setdefault("VIRTUAL_ENV", sys.prefix)
    tried = []
    for path in candidates():
        try:
            return path, ctypes.CDLL(path)
        except OSError as error:
            tried.append(f"{path}: {error}")
    raise ImportError("libcucore cannot be loaded; CUCORE_LIBRARY may name the file. Tried:\n  " +
                      "\n  ".join(tried))
