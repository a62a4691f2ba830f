"""The base of all objects, which owns one reference to a library handle."""
from __future__ import annotations

import ctypes
import itertools
import os
import re
import sys
import threading
import types
from collections.abc import Iterable, Mapping
from operator import index
from threading import get_ident
from typing import TYPE_CHECKING, Any, Callable, ClassVar, NoReturn, TypeVar

from . import _native, _pending, raw
from ._errors import called, check, fail, last_error

if TYPE_CHECKING:
    from typing_extensions import Self  # in typing since Python 3.11; type checkers always know it

# The garbage collector may run on a driver thread that is calling a Python function, where CUDA
# calls are forbidden. If a reference is dropped on a thread that Python did not start, the next
# call that creates something releases it.
_threads = threading._active  # type: ignore[attr-defined]
_called_back: set[int] = set()  # driver threads seen in callbacks; they may also appear among Python's own
_left: list[tuple[Any, int]] = []


def may_call() -> int:
    """Return whether this thread may call CUDA: 2 always, 1 at present, 0 no."""
    ident = get_ident()
    thread = _threads.get(ident)
    if isinstance(thread, threading._DummyThread):
        return int(ident not in _called_back)
    return 2 if thread is not None else 0


def release_left() -> None:
    """Release deferred references on a thread that may call CUDA. Defer again those that still
    cannot be released."""
    if not may_call():
        return
    for _ in range(len(_left)):
        try:
            release, handle = _left.pop(0)
        except IndexError:  # another thread took it
            return
        release(handle)


def not_copied(value: Any) -> NoReturn:
    """Raise the error for copying or pickling objects that stand for something outside Python."""
    raise TypeError(f"a {type(value).__name__} is neither copied nor pickled")


def not_made(what: str, made_by: str) -> NoReturn:
    """Raise the error for instantiating a class whose objects are created in other ways."""
    raise RuntimeError(f"{what} cannot be instantiated directly. They are made by {made_by}.")


class Reference(int):
    """A handle as an int. It releases its reference when no object and no call in progress uses it
    any longer; another thread may close the object during a call.
    """

    __slots__ = ()
    _release: ClassVar[Any]

    def __del__(self) -> None:
        if may_call():
            self._release(self)
        else:
            _left.append((self._release, int(self)))


@_native.methods
class Handle(_native.HandleBase):
    """Owns one reference; closing or collecting the object releases it, on any thread.

    Handles keep alive the objects that they depend on, so handles may be released in any order.
    """

    __slots__ = ()
    _failed, _may_call = staticmethod(fail), staticmethod(may_call)
    _held, _prune = _pending._held, staticmethod(_pending.prune)
    _left, _release_left = _left, staticmethod(release_left)
    _release: ClassVar[Any]  # the library's release function
    _reference: ClassVar[type[Reference]]
    _h: int  # a Reference, or 0 once closed; a caller that has read it keeps the handle alive

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "_release" in cls.__dict__:
            cls._reference = type("Reference", (Reference,), {"__slots__": (), "_release": cls._release})

    _made_by: ClassVar[str]  # names the calls that create such objects, if the class itself cannot be called

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        not_made(type(self).__name__ + " objects", self._made_by)

    @classmethod
    def _own(cls, handle: int | None) -> Self:
        """Create an object that takes over the caller's reference."""
        self = cls.__new__(cls)
        self._h = cls._reference(handle) if handle else 0
        return self

    def _take(self, handle: int) -> None:
        """Take over a reference returned by `create()`."""
        self._h = self._reference(handle)

    @property
    def _as_parameter_(self) -> int:
        """The value that ctypes passes. Unlike `_h`, it gives no protection against a concurrent
        close."""
        return self._h

    @property
    def is_closed(self) -> bool:
        return not self._h

    def _open(self) -> int:
        """Return the handle; raise an error if the object is closed."""
        handle = self._h
        if not handle:
            raise ValueError(f"the {type(self).__name__} is closed")
        return handle

    def close(self) -> None:
        """Release the reference now, or when other threads' calls on this object return. Calling it
        again does nothing."""
        self._h = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return not_copied(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()


def handle_of(kind: type[Handle], value: Any, name: str) -> int:
    """Return the handle of an object. Checks the object's class, because C does not."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} is a {type(value).__name__}: expected {kind.__name__}")
    return value._h


# ctypes silently keeps only the low bits of an integer that does not fit. Refuse such an integer,
# so that 2**64 + 8 bytes do not become 8.
def _fit(function: Any, first: int, arguments: tuple[Any, ...]) -> None:
    for place, least, most in function.numbers:
        value = arguments[place - first]
        if type(value) is not int:  # NumPy integers, for example
            try:
                value = index(value)
            except TypeError:
                raise TypeError(f"{called()} takes an integer, not {value!r}") from None
        if not least <= value <= most:
            raise OverflowError(f"{value} does not fit: {called()} takes {least} to {most}")


_RANGES = raw.RANGES


def c_number(kind: type[ctypes._SimpleCData[int]], name: str, value: Any) -> int:
    """Convert an integer, possibly NumPy's, to a C type; raise an error if it does not fit."""
    least, most = _RANGES[kind]
    try:
        number = index(value)
    except TypeError:
        raise TypeError(f"{name}: expected an integer, not {value!r}") from None
    if not least <= number <= most:
        raise OverflowError(f"{name} is {number}, which does not fit: expected {least} to {most}")
    return number


def numbers(kind: type[ctypes._SimpleCData[int]], name: str, values: Iterable[int]) -> Any:
    """Build a C array; raise an error if a value does not fit."""
    least, most = _RANGES[kind]
    given = tuple(values)
    for value in given:
        if type(value) is not int or not least <= value <= most:
            given = tuple([c_number(kind, name, each) for each in given])
            break
    return (kind * max(len(given), 1))(*given)


def c_handle(value: Any) -> int:
    """Return a handle or address given as an int or as an object with `__int__`."""
    if isinstance(value, float) or not (hasattr(value, "__int__") or hasattr(value, "__index__")):
        raise TypeError(f"expected a handle, as an integer or an object with __int__, not {value!r}")
    return c_number(ctypes.c_size_t, "the handle", int(value))


def c_text(name: str, value: Any) -> bytes:
    """Encode a string or path for C. Reject an int, which ctypes would take for an address, and an
    embedded NUL, where C would stop."""
    try:
        made = value.encode() if isinstance(value, str) else os.fsencode(value)
    except TypeError:
        raise TypeError(f"{name}: expected a text, not {value!r}") from None
    if b"\0" in made:
        raise ValueError(f"{name} is {value!r}: expected a text without NUL")
    return made


def pairs(name: str, given: Any) -> list[tuple[Any, Any]]:
    """Return the items of a dict or of a sequence of pairs; none for None."""
    if given is not None and not isinstance(given, Mapping):
        raise TypeError(f"{name}: expected a dict, not {given!r}")
    return list((given or {}).items())


def word(name: str, value: Any, known: Mapping[Any, int]) -> int:
    """Translate a word to its constant."""
    try:
        return known[value]
    except (KeyError, TypeError):
        raise ValueError(f"{name} is {value!r}: expected one of {', '.join(map(repr, known))}") from None


def call(function: Callable[..., int], *arguments: Any) -> None:
    """Call a function that returns a status; reject integers that do not fit."""
    _fit(function, 0, arguments)
    check(function(*arguments))


def create(function: Callable[..., int], *arguments: Any) -> int:
    """Call a function that writes a handle to its first parameter; return the handle."""
    _fit(function, 1, arguments)
    if _left:
        release_left()
    out = ctypes.c_void_p()
    if function(ctypes.byref(out), *arguments) < 0:
        raise last_error()
    return out.value or 0


def get(kind: type, function: Callable[..., int], *arguments: Any) -> Any:
    """Call a function that writes a number to its first parameter; return the number."""
    _fit(function, 1, arguments)
    out = kind()
    if function(ctypes.byref(out), *arguments) < 0:
        raise last_error()
    return out.value


def options(struct: Any, **fields: Any) -> Any:
    """Build a struct whose first field is its size."""
    made = struct()
    for name, value in fields.items():
        if value is not None:
            assign(made, name, value)
    made.struct_size = ctypes.sizeof(struct)
    return made


def field_type(struct: Any, name: str) -> Any:
    """Return the type of a struct's field."""
    known = _field_types.get(struct)
    if known is None:
        known = _field_types[struct] = dict(struct._fields_)
    return known[name]


_field_types: dict[Any, dict[str, Any]] = {}


def assign(struct: Any, name: str, value: Any) -> None:
    """Set a struct's field; reject values that ctypes would truncate or take for an address."""
    kind = field_type(type(struct), name)
    if kind in _RANGES:
        value = c_number(kind, name, value)
    elif kind is ctypes.c_char_p and value is not None:
        value = c_text(name, value)
    elif issubclass(kind, ctypes.Array) and type(value) is tuple:
        value = tuple(c_number(kind._type_, name, each) for each in value)
    setattr(struct, name, value)


_Options = TypeVar("_Options")


def given_as(kind: type[_Options], given: _Options | dict[str, Any] | None) -> _Options:
    """Convert options to their class: a dict gives fields, None the defaults."""
    if isinstance(given, kind):
        return given
    if given is None or isinstance(given, dict):
        return kind(**(given or {}))
    raise TypeError(f"expected {kind.__name__}, or a dict of its fields, not {type(given).__name__}")


def callback(struct: Any, field: str, function: Any) -> Any:
    """Convert a function to the type of a callback field."""
    kind = field_type(struct, field)
    if isinstance(function, (types.FunctionType, types.MethodType, types.BuiltinMethodType)):
        return kind(function)
    return kind(ctypes.cast(function, ctypes.c_void_p).value)  # already a C function


class _Kept:
    """Holds Python objects that C refers to by number, until C calls back to drop them."""

    def __init__(self) -> None:
        self._objects: dict[int, Any] = {}
        self._numbers = itertools.count(1)  # atomic: no two threads get the same number
        self.drop = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._drop)

    def add(self, value: Any) -> int:
        key = next(self._numbers)
        self._objects[key] = value
        return key

    def _drop(self, key: int) -> None:
        value = self._objects.pop(key, None)
        if callable(value):
            value()

    def forget(self, key: int) -> None:
        self._objects.pop(key, None)

    def get(self, key: int) -> Any:
        return self._objects.get(key)


kept = _Kept()


class PyBuffer(ctypes.Structure):
    """CPython's Py_buffer."""

    _fields_ = [("buf", ctypes.c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t),
                ("itemsize", ctypes.c_ssize_t), ("readonly", ctypes.c_int), ("ndim", ctypes.c_int),
                ("format", ctypes.c_char_p), ("shape", ctypes.c_void_p),
                ("strides", ctypes.c_void_p), ("suboffsets", ctypes.c_void_p),
                ("internal", ctypes.c_void_p)]


_get_buffer = ctypes.pythonapi.PyObject_GetBuffer
_get_buffer.argtypes = [ctypes.py_object, ctypes.c_void_p, ctypes.c_int]
_release_buffer = ctypes.pythonapi.PyBuffer_Release
_release_buffer.argtypes = [ctypes.c_void_p]
_release_buffer.restype = None


# CPython's PyBUF_ constants. _FORMAT also requests the shape, without which a memoryview gives no
# format.
_WRITABLE, _FORMAT = 1, 4 | 8
_FIELD_NAMES = re.compile(":[^:]*:")
# A multi-byte element in non-native byte order.
_SWAPPED = re.compile(("[>!]" if sys.byteorder == "little" else "<") + r"[\d\s]*[^\d\sbBc?xspO]")


def check_elements(value: Any, form: str) -> None:
    """Reject memory whose elements mean nothing to a device: references to Python objects, and
    numbers in non-native byte order. `form` is the format in the buffer protocol, "" if it is
    unknown.
    """
    dtype = getattr(value, "dtype", None)
    form = _FIELD_NAMES.sub("", form)
    if "O" in form or getattr(dtype, "hasobject", False) is True:
        raise TypeError("elements are Python objects: expected numbers, which a device can read")
    if _SWAPPED.search(form) or getattr(dtype, "isnative", True) is False:
        raise TypeError(f"elements of {dtype if dtype is not None else form} have non-native byte order: expected "
                        "native order")


class HostMemory:
    """The memory of an object with the buffer protocol, which stays locked while this object
    lives."""

    __slots__ = ("_view", "address", "size")

    def __init__(self, value: Any, writable: bool) -> None:
        view, flags = PyBuffer(), _WRITABLE if writable else 0
        try:
            _get_buffer(value, ctypes.byref(view), flags | _FORMAT)
        except ValueError:  # NumPy has no format for some types, such as dates and those of ml_dtypes
            _get_buffer(value, ctypes.byref(view), flags)  # raises Python's own error
        self._view, self.address, self.size = view, view.buf or 0, view.len
        check_elements(value, (view.format or b"").decode("utf-8", "replace"))

    def __del__(self) -> None:
        view = getattr(self, "_view", None)
        if view is not None:
            _release_buffer(ctypes.byref(view))
