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
C_FUNCTION: Any = HostFunction.__base__  # base class of all ctypes functions
_called_from: set[Device] = set()
under_way: weakref.WeakValueDictionary[int, _Building] = weakref.WeakValueDictionary()  # keyed by stream


def _let_functions_end() -> None:
    """Wait for running callbacks at interpreter exit.

    During shutdown, Python blocks every thread that tries to enter the interpreter forever. The
    work after such a callback would never complete, and a later wait for it would never return."""
    for building in list(under_way.values()):  # a device cannot be waited for during a capture
        with contextlib.suppress(CUDAError):
            building.cancel()
    for device in list(_called_from):
        with contextlib.suppress(CUDAError):
            device.sync()


def will_call(device: Device, function: Callable[..., Any]) -> None:
    """Reject a non-callable now, because nobody would see an error raised later on the driver's
    thread."""
    if not callable(function):
        raise TypeError(f"expected a function, not {function!r}")
    if not _called_from:
        atexit.register(_let_functions_end)
    _called_from.add(device)


def host_function(device: Device, function: Callable[..., Any], user_data: Any = None) -> tuple[Any, Any]:
    """Return the C function pointer and the user data for a host callback, which must not call CUDA or cucore.

    A Python function is called with `user_data` if given. A ctypes C function receives an address: an int is taken as
    the address, bytes are copied and their address is passed.
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
