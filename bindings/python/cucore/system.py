"""System queries: the driver, toolkit libraries and their locations, and explanations of error codes.

Nothing here needs a device, and most of it does not need a driver.
"""
from __future__ import annotations

import atexit
import ctypes
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import raw
from ._errors import CUDAWarning, check, text
from ._handle import c_text, call, create, get, options


def _pair(function: Any) -> tuple[int, int]:
    major, minor = ctypes.c_int32(), ctypes.c_int32()
    check(function(ctypes.byref(major), ctypes.byref(minor)))
    return major.value, minor.value


def driver_version() -> tuple[int, int]:
    """Return the driver's CUDA version, such as (13, 0)."""
    number = get(ctypes.c_int32, raw.cuc_driver_get_version)
    return number // 1000, number % 1000 // 10


def get_num_devices() -> int:
    """Return the number of devices that the driver reports."""
    return int(get(ctypes.c_int32, raw.cuc_device_get_count))


def driver_path() -> str:
    """Return the file that the driver was loaded from."""
    return text(get(ctypes.c_char_p, raw.cuc_driver_get_path))


def is_simulated() -> bool:
    """Return whether the driver simulates a device."""
    return bool(raw.cuc_driver_is_simulated())


def nvrtc_version() -> tuple[int, int]:
    return _pair(raw.cuc_nvrtc_get_version)


def nvrtc_archs() -> list[int]:
    """Return the compute capabilities that NVRTC supports; 90 means 9.0."""
    count, room = ctypes.c_size_t(), (ctypes.c_int32 * 64)()
    check(raw.cuc_nvrtc_get_archs(ctypes.byref(count), room, len(room)))
    return list(room[:count.value])


def nvjitlink_version() -> tuple[int, int]:
    return _pair(raw.cuc_nvjitlink_get_version)


def nvfatbin_version() -> tuple[int, int]:
    return _pair(raw.cuc_nvfatbin_get_version)


def runtime_version() -> tuple[int, int]:
    """Return the CUDA runtime's version: of the runtime loaded in the process or, if there is none,
    of the one found on disk."""
    number = get(ctypes.c_int32, raw.cuc_runtime_get_version)
    return number // 1000, number % 1000 // 10


def nvml_driver_version() -> str:
    """Return NVIDIA's driver version, such as "580.65.06"."""
    room = ctypes.create_string_buffer(raw.CUC_NVML_DRIVER_VERSION_BYTES)
    check(raw.cuc_nvml_get_driver_version(room, len(room)))
    return text(room.value)


@dataclass(frozen=True)
class Found:
    """Location of a library or of its headers."""

    path: str
    method: str  #: the search method that found it
    tried: tuple[str, ...]  #: locations tried before, and why each failed


def _found(function: Any, name: str) -> Found:
    handle = create(function, c_text("name", name))
    try:
        tried = tuple(text(raw.cuc_found_tried_at(handle, i)) for i in range(raw.cuc_found_tried_count(handle)))
        return Found(text(raw.cuc_found_path(handle)), text(raw.cuc_found_method(handle)), tried)
    finally:
        raw.cuc_found_release(handle)


def find_library(name: str) -> Found:
    """Locate a library from `library_names()`, such as "nvrtc"."""
    return _found(raw.cuc_find_library, name)


def find_headers(name: str) -> Found:
    """Locate the header directory for a name from `header_names()`."""
    return _found(raw.cuc_find_header_dir, name)


def library_names() -> list[str]:
    return [text(raw.cuc_find_library_name(i)) for i in range(raw.cuc_find_library_count())]


def header_names() -> list[str]:
    return [text(raw.cuc_find_header_name(i)) for i in range(raw.cuc_find_header_count())]


def set_library_path(name: str, path: str | os.PathLike[str] | None) -> None:
    """Set a library's file before its first use; None means to search for it."""
    file = c_text("path", os.fsencode(path)) if path is not None else None
    check(raw.cuc_set_library_path(c_text("name", name), file))


@dataclass(frozen=True)
class Explanation:
    """Explanation of a library's error code."""

    library: str
    code: int
    symbol: str  #: such as "CUDA_ERROR_ILLEGAL_ADDRESS"
    meaning: str
    remedy: str
    sticky: bool  #: the process must be restarted after it


def _explanation(said: Any) -> Explanation:
    return Explanation(raw.NAMES["library"].get(said.library, "cucore"), said.code, text(said.symbol),
                       text(said.meaning), text(said.remedy), bool(said.sticky))


def explain(code: int | str, library: str = "CUDA driver") -> Explanation:
    """Explain a code and suggest a remedy. Give its name, or its number and the library."""
    out = options(raw.cuc_explanation)
    if isinstance(code, str):
        check(raw.cuc_explain_text(ctypes.byref(out), c_text("code", code)))
    else:
        call(raw.cuc_explain, ctypes.byref(out), _library(library), code)
    return _explanation(out)


def explanations(library: str = "CUDA driver") -> list[Explanation]:
    """List all codes of a library that have an explanation."""
    out, found = options(raw.cuc_explanation), []
    for index in range(raw.cuc_explain_count(_library(library))):
        check(raw.cuc_explain_at(ctypes.byref(out), _library(library), index))
        found.append(_explanation(out))
    return found


def _library(name: str) -> int:
    for number, known in raw.NAMES["library"].items():
        if known == name:
            return int(number)
    raise ValueError(f"there is no library {name}: expected one of {', '.join(raw.NAMES['library'].values())}")


_handlers: list[Any] = []


def on_failure(handler: Callable[[str], Any] | None) -> None:
    """Set the handler for failures that no call can raise, such as one in the release of a
    collected object. It may run on any thread and must not call cucore. The default handler
    issues a `CUDAWarning`; None ignores such failures."""
    made = raw.cuc_failure_fn(lambda message, _user: handler(text(message))) if handler is not None else None
    raw.cuc_set_failure_handler(made if made is not None else raw.cuc_failure_fn(), None)
    # Keep the replaced handler, which may still be running.
    _handlers.append(made)


def _warn(message: str) -> None:
    warnings.warn(message, CUDAWarning, stacklevel=3)


on_failure(_warn)
atexit.register(on_failure, None)  # failures after this point cannot be reported


__all__ = ["Explanation", "Found", "driver_path", "driver_version", "explain", "explanations", "find_headers",
           "find_library", "header_names", "is_simulated", "library_names", "nvfatbin_version", "nvjitlink_version",
           "nvml_driver_version", "nvrtc_archs", "nvrtc_version", "on_failure", "runtime_version",
           "set_library_path"]
