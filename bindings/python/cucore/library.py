"""The kernel library: tile programs with forward passes and gradients, found by name."""
from __future__ import annotations

import ctypes
from dataclasses import replace
from typing import Any

from . import raw
from ._errors import check, text
from ._handle import c_text, given_as
from ._program import Program, ProgramOptions


def names() -> list[str]:
    """Return the names of the families, such as "rms_norm", in alphabetical order."""
    return [text(raw.cuc_library_name(i)) for i in range(raw.cuc_library_count())]


def source(name: str) -> str:
    """Return a family's tile program; raise `NotFoundError` if there is no such family."""
    out = ctypes.c_char_p()
    check(raw.cuc_library_get_source(ctypes.byref(out), c_text("name", name)))
    return text(out.value)


def program(name: str, options: ProgramOptions | dict[str, Any] | None = None, **constants: Any) -> Program:
    """Return a family's program, with constants in addition to those of the options.

    `library.program("rms_norm", T="bf16", N=4096).compile().get_kernel("rms_norm")`
    """
    given = given_as(ProgramOptions, options)
    unnamed = given.name == ProgramOptions.name
    return Program(source(name), "tile", replace(given, name=f"{name}.tile" if unnamed else given.name,
                                                 constants={**(given.constants or {}), **constants}))


__all__ = ["names", "program", "source"]
