"""Failures as exceptions, each with everything that the library says of it."""
from __future__ import annotations

from typing import NoReturn

from . import raw


class CUDAError(RuntimeError):
    """A call of the library failed.

    `str()` has the whole message: what was passed, what was expected, what to do, and the log of a
    compiler or a search when there is one.
    """

    status: int = 0
    name: str = ""  #: of the status, such as "CUC_ERROR_NOT_FOUND"
    function: str = ""  #: the C function that failed
    library: str = "cucore"  #: who reported it: "cucore", "CUDA driver", "NVRTC", ...
    library_code: int = 0
    symbol: str = ""  #: that code's name, such as "CUDA_ERROR_OUT_OF_MEMORY"
    call: str = ""  #: the function of that library
    explanation: str = ""
    log: str = ""
    notes: tuple[str, ...] = ()


class InvalidArgumentError(CUDAError, ValueError):
    """An argument is not valid."""


class OutOfMemoryError(CUDAError, MemoryError):
    """The host or the device has not that much memory free."""


class NotFoundError(CUDAError, LookupError):
    """There is no such name, file or library."""


class NotSupportedError(CUDAError):
    """The device, driver or toolkit cannot do this."""


class NoDriverError(CUDAError):
    """There is no driver, it is too old, or it sees no device."""


class CompileError(CUDAError):
    """A source does not compile; `log` is the compiler's."""


class LinkError(CUDAError):
    """Inputs do not link; `log` is the linker's."""


class ContextLostError(CUDAError):
    """An earlier failure destroyed the context."""


class ForkedError(CUDAError):
    """The driver was initialised before fork()."""


class BusyError(CUDAError):
    """Refused in the present state, such as during a capture."""


class FileError(CUDAError, OSError):
    """A file could not be read or written."""


NVRTCError = CompileError  # the name that cuda.core has


class CUDAWarning(RuntimeWarning):
    """A failure that no call can raise, such as one met while an object is dropped: something may be leaked."""


_CLASSES = {
    raw.CUC_ERROR_INVALID_ARGUMENT: InvalidArgumentError,
    raw.CUC_ERROR_INVALID_HANDLE: InvalidArgumentError,
    raw.CUC_ERROR_OUT_OF_MEMORY: OutOfMemoryError,
    raw.CUC_ERROR_OUT_OF_DEVICE_MEMORY: OutOfMemoryError,
    raw.CUC_ERROR_NOT_FOUND: NotFoundError,
    raw.CUC_ERROR_NOT_SUPPORTED: NotSupportedError,
    raw.CUC_ERROR_NO_DRIVER: NoDriverError,
    raw.CUC_ERROR_DRIVER_TOO_OLD: NoDriverError,
    raw.CUC_ERROR_NO_DEVICE: NoDriverError,
    raw.CUC_ERROR_COMPILE: CompileError,
    raw.CUC_ERROR_LINK: LinkError,
    raw.CUC_ERROR_CONTEXT_LOST: ContextLostError,
    raw.CUC_ERROR_FORKED: ForkedError,
    raw.CUC_ERROR_BUSY: BusyError,
    raw.CUC_ERROR_IO: FileError,
}


def text(value: bytes | None) -> str:
    """What the library gave as `const char *`."""
    return value.decode("utf-8", "replace") if value else ""


def last_error() -> CUDAError:
    """The calling thread's last failure as an exception."""
    status = raw.cuc_error_status()
    message, log = text(raw.cuc_error_message()), text(raw.cuc_error_log())
    if log and log.strip() not in message:
        message = f"{message}\n{log.rstrip()}"
    error = _CLASSES.get(status, CUDAError)(message)
    error.status = status
    error.name = text(raw.cuc_status_name(status))
    error.function = text(raw.cuc_error_function())
    error.library = raw.NAMES["library"].get(raw.cuc_error_library(), "cucore")
    error.library_code = raw.cuc_error_library_code()
    error.symbol = text(raw.cuc_error_library_symbol())
    error.call = text(raw.cuc_error_library_call())
    error.explanation = text(raw.cuc_error_explanation())
    error.log = log
    error.notes = tuple(text(raw.cuc_error_note(i)) for i in range(raw.cuc_error_note_count()))
    return error


def fail() -> NoReturn:
    raise last_error()


def check(status: int) -> int:
    """Raise what a negative status stands for."""
    if status < 0:
        raise last_error()
    return status
