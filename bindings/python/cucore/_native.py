"""Native methods: libcucore functions that the interpreter calls without ctypes. The library uses
the CPython that it finds in the process.

Every class is fully defined in Python. `methods` then replaces the hot definitions with library
functions, which handle the common case and call the Python definition for everything else. The
Python definitions stay if CUCORE_PYTHON_NATIVE is 0, or if the library cannot replace them
because another interpreter in the process already uses it, the interpreter is free-threaded, or
CPython is not found. They behave the same, but are slower.
"""
from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING, Any, TypeVar

from . import raw
from ._errors import last_error

_Class = TypeVar("_Class", bound=type)
_release = ctypes.PYFUNCTYPE(None, ctypes.py_object)(("Py_DecRef", ctypes.pythonapi))


def taken(name: str, *arguments: Any) -> Any:
    """Return the Python object that a library function writes to its first parameter; None if the
    function refuses."""
    out: ctypes.py_object[Any] = ctypes.py_object()
    if raw.prototype(name, release_gil=False)(ctypes.byref(out), *arguments) < 0:
        return None
    made = out.value
    _release(made)  # drops the first reference, held by `out`
    return made


_root = taken("cuc_python_get_base", b"Handle") if os.environ.get("CUCORE_PYTHON_NATIVE") != "0" else None
is_there: bool = _root is not None

if TYPE_CHECKING:
    class HandleBase:
        _h: int

    class BufferBase(HandleBase):
        _resource: Any
        _pool: Any
        _named: Any

    class ResourceBase(HandleBase):
        _ipc: Any

    class DeviceBase(HandleBase):
        _resource: Any
        _found: Any

    class StreamBase(HandleBase):
        _cell: Any

    class EventBase(HandleBase):
        _named: Any

    class ConfigBase:
        _address: int
        _kept: Any

    class TensorBase:
        _address: int
        _memory: Any
        _buffer: Any
        _stream: Any
        exporting_obj: Any

elif is_there:
    HandleBase = _root
    StreamBase, EventBase, BufferBase, ResourceBase, DeviceBase, TensorBase, ConfigBase = (
        taken("cuc_python_get_base", name) for name in (b"Stream", b"Event", b"Buffer", b"MemoryResource", b"Device",
                                                        b"Tensor", b"LaunchConfig"))
else:
    class HandleBase:
        __slots__ = ("_h", "__weakref__")

    class BufferBase(HandleBase):
        __slots__ = ("_resource", "_pool", "_named")

    class ResourceBase(HandleBase):
        __slots__ = ("_ipc",)

    class DeviceBase(HandleBase):
        __slots__ = ("_resource", "_found")

    class StreamBase(HandleBase):
        __slots__ = ("_cell",)

    class EventBase(HandleBase):
        __slots__ = ("_named",)

    class ConfigBase:
        __slots__ = ("_address", "_kept", "grid", "cluster", "block", "shmem_size", "is_cooperative",
                     "programmatic_stream_serialization", "__weakref__")

    class TensorBase:
        __slots__ = ("_address", "_memory", "_buffer", "_stream", "exporting_obj", "__weakref__")


def methods(cls: _Class) -> _Class:
    """Class decorator that replaces methods with their native versions, and adds inherited native
    methods to the class itself."""
    if is_there:
        add = raw.prototype("cuc_python_add_methods", release_gil=False)
        if add(id(cls), cls.__name__.encode()) < 0:
            raise last_error()
    return cls
