"""Python functions that the driver calls."""
from __future__ import annotations

import atexit
import contextlib
import ctypes
import weakref
from collections.abc import Callable
from threading import get_ident
from typing import TYPE_CHECKING, Any

from ._device import Device
from ._errors import CUDAError
from ._handle import _called_back

if TYPE_CHECKING:
    from ._capture import _Building

HostFunction = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
C_FUNCTION: Any = HostFunction.__base__  # the class of all functions of ctypes
_called_from: set[Device] = set()
under_way: weakref.WeakValueDictionary[int, _Building] = weakref.WeakValueDictionary()  # by their streams


def _let_functions_end() -> None:
    """While the interpreter ends, a thread that wants to call Python is stopped for good, and with it the work
    behind the function: whatever then waits for that work would never return."""
    for building in list(under_way.values()):  # nothing waits for a device that captures
        with contextlib.suppress(CUDAError):
            building.cancel()
    for device in list(_called_from):
        with contextlib.suppress(CUDAError):
            device.sync()


def will_call(device: Device, function: Callable[..., Any]) -> None:
    """A function is about to be put on a device, where nobody would hear that it is none."""
    if not callable(function):
        raise TypeError(f"expected a function, not {function!r}")
    if not _called_from:
        atexit.register(_let_functions_end)
    _called_from.add(device)


def host_function(device: Device, function: Callable[..., Any], user_data: Any = None) -> tuple[Any, Any]:
    """A function as the driver calls one, and what it is given. It may call neither CUDA nor cucore.

    One of Python's is called with `user_data` if given; one of C's, of ctypes, with an address, which a number is and
    which bytes are copied to.
    """
    will_call(device, function)
    if isinstance(function, C_FUNCTION):
        if user_data is None or hasattr(user_data, "__index__"):
            return function, user_data
        data = bytes(user_data)
        return function, ctypes.create_string_buffer(data, len(data)) if data else None

    def run(_user: int | None) -> None:
        _called_back.add(get_ident())
        if user_data is None:
            function()
        else:
            function(user_data)

    return HostFunction(run), None
