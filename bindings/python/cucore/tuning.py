"""Tuning of tile programs and matrix multiplications: candidate configurations, and files of tuning records."""
from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from . import raw
from ._errors import check, text
from ._handle import c_text, handle_of, options
from ._interpret import argument
from ._program import Program

_ROOM = 512  # buffer size for a choice as text


class Candidate(NamedTuple):
    """A choice in the notation of records, and the model's time estimate in seconds."""

    choice: str
    seconds: float


@dataclass
class Record:
    """One line of a file of tuning records: a key and its choice."""

    gpu: str | None = None  #: the device's name
    toolkit: str | None = None  #: the driver's CUDA version, "13.0"
    program: str | None = None  #: `program_key()` of the tile program's text, or "cuc_gemm"
    kernel: str | None = None
    constants: str | None = None  #: constants that were set explicitly, "T=bf16"
    dimensions: str | None = None  #: "M=4096 N=4096"
    choice: str | None = None  #: "BM=128 BN=256 :cluster=2"
    seconds: float = 0.0  #: the measured time

    def _struct(self) -> Any:
        return options(raw.cuc_tuned_record, seconds=self.seconds, **{
            each.name: value for each in fields(self)
            if (value := getattr(self, each.name)) is not None and each.name != "seconds"})

    @classmethod
    def _of(cls, struct: Any) -> Record:
        given = {each.name: getattr(struct, each.name) for each in fields(cls) if each.name != "seconds"}
        return cls(**{name: text(value) if value is not None else None for name, value in given.items()},
                   seconds=struct.seconds)


def visited(call: Callable[[Any], int]) -> list[Candidate]:
    """Collect the candidates that a library function visits."""
    found: list[Candidate] = []

    def visit(_user: Any, choice: bytes, seconds: float) -> None:
        found.append(Candidate(text(choice), seconds))

    check(call(raw.cuc_tuned_visit(visit)))
    return found


def candidates(program: Program, kernel: str | None = None) -> list[Candidate]:
    """List all choices of a kernel's auto() constants for the program's dimensions."""
    name = c_text("kernel", kernel) if kernel is not None else None
    handle = handle_of(Program, program, "program")
    return visited(lambda visit: raw.cuc_tile_visit_candidates(handle, name, visit, None))


def dimensions(program: Program, args: Sequence[Any], kernel: str | None = None) -> list[str]:
    """Derive a kernel's dimensions from its arguments, as Program's option `dimensions` takes them:
    ["M=64", "N=100"].

    The arguments are the same as for `Program.interpret()`; only dtypes, shapes and integers are
    read."""
    told: list[str] = []
    kept: list[Any] = []

    def visit(_user: Any, dimension: bytes) -> None:
        told.append(text(dimension))

    given = (raw.cuc_arg * max(len(args), 1))(*[argument(i, a, kept) for i, a in enumerate(args)])
    name = c_text("kernel", kernel) if kernel is not None else None
    check(raw.cuc_tile_visit_dimensions(handle_of(Program, program, "program"), name, given, len(args),
                                        raw.cuc_tile_dimension_fn(visit), None))
    return told


def record_of(program: Program, kernel: str | None = None) -> Record:
    """Return the record key of a kernel: program, name, constants and dimensions."""
    out = options(raw.cuc_tuned_record)
    name = c_text("kernel", kernel) if kernel is not None else None
    handle = handle_of(Program, program, "program")
    check(raw.cuc_tile_get_record(ctypes.byref(out), handle, name))
    made = Record._of(out)
    made.kernel = made.kernel or kernel
    return made


def program_key(source: str | bytes) -> str:
    """Return the key of a tile program in records, which depends on its text."""
    code = source.encode() if isinstance(source, str) else bytes(memoryview(source))
    room = ctypes.create_string_buffer(_ROOM)
    check(raw.cuc_tuned_program(room, code, len(code)))
    return text(room.value)


def add(path: str | os.PathLike[str], record: Record) -> None:
    """Add a record to a file, replacing a record with the same key."""
    check(raw.cuc_tuned_add(c_text("path", os.fsencode(path)), ctypes.byref(record._struct())))


def find(path: str | os.PathLike[str] | None, key: Record) -> str | None:
    """Find the choice for a key or for nearby dimensions; None if there is none. Without a path,
    search the default file."""
    room = ctypes.create_string_buffer(_ROOM)
    file = c_text("path", os.fsencode(path)) if path is not None else None
    status = raw.cuc_tuned_find(room, len(room), file, ctypes.byref(key._struct()))
    if status == raw.CUC_ERROR_NOT_FOUND:
        return None
    check(status)
    return text(room.value)


__all__ = ["Candidate", "Record", "add", "candidates", "dimensions", "find", "program_key", "record_of"]
