"""Exceptions for library failures, with everything that the library reports."""
from __future__ import annotations

import os
import re
import sys
from typing import Any, NoReturn

from . import raw

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


class CUDAError(RuntimeError):
    """A library call failed.

    `str()` gives the whole message: the value passed, the value expected, the remedy and, if
    there is one, the compiler or search log.
    """

    status: int = 0
    name: str = ""  #: name of the status, such as "CUC_ERROR_NOT_FOUND"
    function: str = ""  #: the C function that failed
    library: str = "cucore"  #: the reporting library: "cucore", "CUDA driver", "NVRTC", ...
    library_code: int = 0
    symbol: str = ""  #: symbolic name of that library's code, such as "CUDA_ERROR_OUT_OF_MEMORY"
    call: str = ""  #: the function of that library that failed
    explanation: str = ""
    log: str = ""
    notes: tuple[str, ...] = ()


class InvalidArgumentError(CUDAError, ValueError):
    """An argument is not valid."""


class OutOfMemoryError(CUDAError, MemoryError):
    """The host or the device has too little free memory."""


class NotFoundError(CUDAError, LookupError):
    """The name, file or library does not exist."""


class NotSupportedError(CUDAError):
    """The device, driver or toolkit does not support the operation."""


class NoDriverError(CUDAError):
    """No usable driver: it is missing, too old, or sees no device."""


class CompileError(CUDAError):
    """The source does not compile; `log` holds the compiler's log."""


class LinkError(CUDAError):
    """The inputs do not link; `log` holds the linker's log."""


class ContextLostError(CUDAError):
    """An earlier failure destroyed the context."""


class ForkedError(CUDAError):
    """The process forked after it had initialized the driver."""


class BusyError(CUDAError):
    """The operation is not allowed in the present state, such as during a capture."""


class FileError(CUDAError, OSError):
    """A file could not be read or written."""


NVRTCError = CompileError  # cuda.core's name


class CUDAWarning(RuntimeWarning):
    """A failure that no call can raise, such as one in the release of a collected object; resources
    may leak."""


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
    """Decode a `const char *` of the library."""
    return value.decode("utf-8", "replace") if value else ""


# Driver codes that a wrong argument causes; the status for them is only CUC_ERROR_DRIVER.
_SYMBOLS = {"CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE": InvalidArgumentError}

# Messages use the names of C functions. This table has the Python names that differ.
_NAMES = {
    "cuc_copy_peer": "Buffer.copy_to", "cuc_device_get_sms": "Device.resources",
    "cuc_device_set_current": "Device.set_current", "cuc_event_export": "Event.ipc_descriptor",
    "cuc_event_record": "Event.record", "cuc_graph_exec_launch": "GraphExec.launch",
    "cuc_kernel_from_handle": "Kernel.from_handle", "cuc_launch": "launch",
    "cuc_linker_add": "Linker.add", "cuc_linker_link": "Linker.link",
    "cuc_memory_pool_from_fd": "DeviceMemoryResource.from_allocation_handle",
    "cuc_object_get_library": "ObjectCode.handle", "cuc_program_compile": "Program.compile",
    "cuc_sms_split": "SMResource.split", "cuc_stream_begin_capture": "Stream.capture",
    "cuc_stream_begin_capture_to": "Stream.capture", "cuc_stream_cancel_capture": "GraphBuilder.close",
    "cuc_stream_create": "Device.create_stream", "cuc_stream_condition_create": "create_condition",
    "cuc_stream_embed_graph": "embed", "cuc_stream_get_default": "Device.default_stream",
    "cuc_stream_is_capturing": "Stream.is_capturing", "cuc_stream_wait_event": "Stream.wait",
    "cuc_context_synchronize": "Context.sync", "cuc_tensor_from_buffer": "Buffer.view",
    "cuc_stream_synchronize": "Stream.sync", "cuc_stream_query": "Stream.is_done", "cuc_event_synchronize": "Event.sync",
    "cuc_event_query": "Event.is_done", "cuc_device_synchronize": "Device.sync",
    "cuc_context_enable_peer_access": "Context.enable_peer_access", "cuc_tensor_to_dlpack": "__dlpack__",
    "cuc_buffer_read_async": "Buffer.copy_to", "cuc_buffer_write_async": "Buffer.copy_from", "cuc_buffer": "Buffer",
    "cuc_object": "ObjectCode", "cuc_memory_resource_is_pool": "MemoryPool", "cuc_gemm_plan_workspace_bytes": "Gemm.workspace_bytes",
    "cuc_algorithm_run": "Algorithm", "cuc_algorithm_workspace_bytes": "Algorithm.workspace_bytes",
    "cuc_attention_plan_workspace_bytes": "Attention.workspace_bytes", "cuc_attention_backward": "Attention.backward", "cuc_attention_append": "Attention.append",
    "cuc_memory_pool_create": "DeviceMemoryResource", "cuc_memory_pool_set_access": "peer_accessible_by",
    "cuc_memory_synchronous_create": "SynchronousMemoryResource", "cuc_memory_virtual_create": "VirtualMemoryResource",
}
_PROPERTIES = {"Device.default_stream", "Device.resources", "Event.ipc_descriptor", "Event.is_done",
               "ObjectCode.handle", "Stream.is_capturing", "Stream.is_done", "peer_accessible_by"}
_HOOKS = {"fail", "_failed"}  # native methods, which have no frames, call these


def called() -> str:
    """Return the public function that the user called, such as "Stream.wait()": the outermost frame
    of this package."""
    frame, name = sys._getframe(1), ""
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        code = frame.f_code
        if not code.co_name.startswith("<"):
            first = code.co_varnames[0] if code.co_argcount else ""
            own = frame.f_locals.get(first) if first in ("self", "cls") else None
            owner = own if own is None or first == "cls" else type(own)
            name = code.co_name if code.co_name != "_slowly" else "launch"
            if owner is not None:
                name = f"{owner.__name__}.{name}"
            if code.co_name in _HOOKS:
                name = ""
        frame = frame.f_back  # type: ignore[assignment]
    return name.removesuffix(".__init__").removesuffix(".__new__") + "()" if name else ""


def _told(message: str, function: str, caller: str) -> str:
    """Translate a message from C names to Python names."""
    if function and message.startswith(function + ": "):
        message = f"{caller or called() or function}: {message[len(function) + 2:]}"
    # Python checks the class of arguments first, so a NULL handle means an object that was closed.
    message = re.sub(r"\b(\w+) is NULL(, expected a cuc_\w+|(?=, but a memory pool))", r"\1 is closed", message)
    return re.sub(r"\b(cuc_[a-z_0-9]+)\b(\(\))?", _named, message)


def _named(found: re.Match[str]) -> str:
    """Return the Python name of a C function; properties get no parentheses."""
    name = _NAMES.get(found[1], found[1])
    return name + (found[2] or "" if name not in _PROPERTIES else "")


def last_error(caller: str = "") -> CUDAError:
    """Build an exception from the calling thread's last failure. If no caller is given, the stack
    provides it."""
    status = raw.cuc_error_status()
    message, log = text(raw.cuc_error_message()), text(raw.cuc_error_log())
    if log and log.strip() not in message:
        message = f"{message}\n{log.rstrip()}"
    function, symbol = text(raw.cuc_error_function()), text(raw.cuc_error_library_symbol())
    error = _CLASSES.get(status, _SYMBOLS.get(symbol, CUDAError))(_told(message, function, caller))
    error.status = status
    error.name = text(raw.cuc_status_name(status))
    error.function = function
    error.library = raw.NAMES["library"].get(raw.cuc_error_library(), "cucore")
    error.library_code = raw.cuc_error_library_code()
    error.symbol = symbol
    error.call = text(raw.cuc_error_library_call())
    error.explanation = text(raw.cuc_error_explanation())
    error.log = log
    error.notes = tuple(text(raw.cuc_error_note(i)) for i in range(raw.cuc_error_note_count()))
    return error


def fail(own: Any = None, method: str = "") -> NoReturn:
    """Raise the last failure on behalf of a native method, which has no Python frame."""
    raise last_error(f"{type(own).__name__}.{method}()" if method else "")


def check(status: int) -> int:
    """Raise an exception for a negative status; return any other."""
    if status < 0:
        raise last_error()
    return status
