"""Finds and loads libcucore.

The search order is: the file named by CUCORE_LIBRARY, the one inside this package (in a wheel), and libcucore.so.0
through the system's loader.
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
    # cucore looks for NVIDIA's Python packages in VIRTUAL_ENV. That is set only in an activated environment, not when
    # its interpreter is started directly.
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
