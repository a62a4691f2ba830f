"""What every object has: one reference to a handle of the library."""
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
    from typing_extensions import Self  # of typing from Python 3.11 on; checkers have it for every one

# The collector may run on a thread of the driver's that has called a Python function, and no call of CUDA is allowed
# there: what goes on a thread that Python has not started is released by the next call that makes something.
_threads = threading._active  # type: ignore[attr-defined]
_called_back: set[int] = set()  # such threads of the driver's, which may have come to be among the former
_left: list[tuple[Any, int]] = []


def may_call() -> int:
    """Whether CUDA may be called on this thread: 2 for good, 1 for now, 0 not."""
    ident = get_ident()
    thread = _threads.get(ident)
    if isinstance(thread, threading._DummyThread):
        return int(ident not in _called_back)
    return 2 if thread is not None else 0


def release_left() -> None:
    """Release what was left, on a thread where that may be done. What still may not is left again."""
    if not may_call():
        return
    for _ in range(len(_left)):
        try:
            release, handle = _left.pop(0)
        except IndexError:  # another thread has it
            return
        release(handle)


def not_copied(value: Any) -> NoReturn:
    """What copy and pickle are told of an object that stands for something outside of Python."""
    raise TypeError(f"a {type(value).__name__} is neither copied nor pickled")


def not_made(what: str, made_by: str) -> NoReturn:
    """Refuse to call a class whose objects are made in other ways."""
    raise RuntimeError(f"{what} cannot be instantiated directly. They are made by {made_by}.")


class Reference(int):
    """A handle, as a number that gives its reference back when nobody has it any more: neither an object nor a
    call under way, which another thread may close the object during.
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
    """Holds one reference, and gives it back when closed or collected, on whatever thread.

    Handles hold what they need themselves, so the order of releases does not matter.
    """

    __slots__ = ()
    _failed, _may_call = staticmethod(fail), staticmethod(may_call)
    _held, _prune = _pending._held, staticmethod(_pending.prune)
    _left, _release_left = _left, staticmethod(release_left)
    _release: ClassVar[Any]  # the function of the library
    _reference: ClassVar[type[Reference]]
    _h: int  # a Reference, or 0: closed. Whoever has got hold of it has a handle that stays

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "_release" in cls.__dict__:
            cls._reference = type("Reference", (Reference,), {"__slots__": (), "_release": cls._release})

    _made_by: ClassVar[str]  # what makes objects of a class that is not called

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        not_made(type(self).__name__ + " objects", self._made_by)

    @classmethod
    def _own(cls, handle: int | None) -> Self:
        """An object for a reference that the caller has."""
        self = cls.__new__(cls)
        self._h = cls._reference(handle) if handle else 0
        return self

    def _take(self, handle: int) -> None:
        """Have a reference, as `create()` gives one."""
        self._h = self._reference(handle)

    @property
    def _as_parameter_(self) -> int:
        """What ctypes passes for the object, which is not to be closed meanwhile: `_h` may be."""
        return self._h

    @property
    def is_closed(self) -> bool:
        return not self._h

    def _open(self) -> int:
        """Its handle, which a closed one has not."""
        handle = self._h
        if not handle:
            raise ValueError(f"the {type(self).__name__} is closed")
        return handle

    def close(self) -> None:
        """Give the reference back now, or when the calls that other threads are in with the object have returned.
        Once more does nothing."""
        self._h = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return not_copied(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()


def handle_of(kind: type[Handle], value: Any, name: str) -> int:
    """The handle of an object that C takes as it is, and so has to be of that kind."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} is a {type(value).__name__}: expected {kind.__name__}")
    return value._h


# Of a number that does not fit, ctypes takes the lowest bits: 2**64 + 8 bytes are not to be 8.
def _fit(function: Any, first: int, arguments: tuple[Any, ...]) -> None:
    for place, least, most in function.numbers:
        value = arguments[place - first]
        if type(value) is not int:  # such as NumPy's
            try:
                value = index(value)
            except TypeError:
                raise TypeError(f"{called()} takes an integer, not {value!r}") from None
        if not least <= value <= most:
            raise OverflowError(f"{value} does not fit: {called()} takes {least} to {most}")


_RANGES = raw.RANGES


def c_number(kind: type[ctypes._SimpleCData[int]], name: str, value: Any) -> int:
    """An integer, of NumPy too, that fits a type of C's."""
    least, most = _RANGES[kind]
    try:
        number = index(value)
    except TypeError:
        raise TypeError(f"{name}: expected an integer, not {value!r}") from None
    if not least <= number <= most:
        raise OverflowError(f"{name} is {number}, which does not fit: expected {least} to {most}")
    return number


def numbers(kind: type[ctypes._SimpleCData[int]], name: str, values: Iterable[int]) -> Any:
    """An array of C's, which each of them fits."""
    least, most = _RANGES[kind]
    given = tuple(values)
    for value in given:
        if type(value) is not int or not least <= value <= most:
            given = tuple([c_number(kind, name, each) for each in given])
            break
    return (kind * max(len(given), 1))(*given)


def c_handle(value: Any) -> int:
    """A handle or an address, which others give as a number or as an object with `__int__`."""
    if isinstance(value, float) or not (hasattr(value, "__int__") or hasattr(value, "__index__")):
        raise TypeError(f"expected a handle, as an integer or an object with __int__, not {value!r}")
    return c_number(ctypes.c_size_t, "the handle", int(value))


def c_text(name: str, value: Any) -> bytes:
    """A text, or a path, for C: which takes a number for the text's address, and ends it at a NUL."""
    try:
        made = value.encode() if isinstance(value, str) else os.fsencode(value)
    except TypeError:
        raise TypeError(f"{name}: expected a text, not {value!r}") from None
    if b"\0" in made:
        raise ValueError(f"{name} is {value!r}: expected a text without NUL")
    return made


def pairs(name: str, given: Any) -> list[tuple[Any, Any]]:
    """What a dict has; of None, nothing."""
    if given is not None and not isinstance(given, Mapping):
        raise TypeError(f"{name}: expected a dict, not {given!r}")
    return list((given or {}).items())


def word(name: str, value: Any, known: Mapping[Any, int]) -> int:
    """The number of a word."""
    try:
        return known[value]
    except (KeyError, TypeError):
        raise ValueError(f"{name} is {value!r}: expected one of {', '.join(map(repr, known))}") from None


def call(function: Callable[..., int], *arguments: Any) -> None:
    """Call what gives a status, with numbers that fit."""
    _fit(function, 0, arguments)
    check(function(*arguments))


def create(function: Callable[..., int], *arguments: Any) -> int:
    """Call what writes a handle to its first parameter."""
    _fit(function, 1, arguments)
    if _left:
        release_left()
    out = ctypes.c_void_p()
    if function(ctypes.byref(out), *arguments) < 0:
        raise last_error()
    return out.value or 0


def get(kind: type, function: Callable[..., int], *arguments: Any) -> Any:
    """Call what writes a number to its first parameter."""
    _fit(function, 1, arguments)
    out = kind()
    if function(ctypes.byref(out), *arguments) < 0:
        raise last_error()
    return out.value


def options(struct: Any, **fields: Any) -> Any:
    """A struct that begins with its size."""
    made = struct()
    for name, value in fields.items():
        if value is not None:
            assign(made, name, value)
    made.struct_size = ctypes.sizeof(struct)
    return made


def field_type(struct: Any, name: str) -> Any:
    """The type of a struct's field."""
    known = _field_types.get(struct)
    if known is None:
        known = _field_types[struct] = dict(struct._fields_)
    return known[name]


_field_types: dict[Any, dict[str, Any]] = {}


def assign(struct: Any, name: str, value: Any) -> None:
    """Set a field of a struct: what ctypes would cut, or take for an address, is refused."""
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
    """Options as an object of their class, of which a dict has the fields; None is the defaults."""
    if isinstance(given, kind):
        return given
    if given is None or isinstance(given, dict):
        return kind(**(given or {}))
    raise TypeError(f"expected {kind.__name__}, or a dict of its fields, not {type(given).__name__}")


def callback(struct: Any, field: str, function: Any) -> Any:
    """A function as a field of a struct has it."""
    kind = field_type(struct, field)
    if isinstance(function, (types.FunctionType, types.MethodType, types.BuiltinMethodType)):
        return kind(function)
    return kind(ctypes.cast(function, ctypes.c_void_p).value)  # one of C's already


class _Kept:
    """Python objects that C holds by a number until it calls back to drop them."""

    def __init__(self) -> None:
        self._objects: dict[int, Any] = {}
        self._numbers = itertools.count(1)  # which gives no two threads the same
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


_WRITABLE, _FORMAT = 1, 4 | 8  # CPython's PyBUF_ constants; a memoryview gives no format without a shape
_FIELD_NAMES = re.compile(":[^:]*:")
# An element of more than one byte in the byte order that is not the machine's.
_SWAPPED = re.compile(("[>!]" if sys.byteorder == "little" else "<") + r"[\d\s]*[^\d\sbBc?xspO]")


def check_elements(value: Any, form: str) -> None:
    """Refuse memory whose elements mean nothing to a device: references to Python objects, and numbers in the other
    byte order. The form is the buffer protocol's, "" where it is not known.
    """
    dtype = getattr(value, "dtype", None)
    form = _FIELD_NAMES.sub("", form)
    if "O" in form or getattr(dtype, "hasobject", False) is True:
        raise TypeError("elements are Python objects: expected numbers, which a device can read")
    if _SWAPPED.search(form) or getattr(dtype, "isnative", True) is False:
        raise TypeError(f"elements of {dtype if dtype is not None else form} have the other byte order: expected the "
                        "machine's own")


class HostMemory:
    """The memory of a Python object with the buffer protocol, held while this lives."""

    __slots__ = ("_view", "address", "size")

    def __init__(self, value: Any, writable: bool) -> None:
        view, flags = PyBuffer(), _WRITABLE if writable else 0
        try:
            _get_buffer(value, ctypes.byref(view), flags | _FORMAT)
        except ValueError:  # NumPy has no form for some types, such as dates and those of ml_dtypes
            _get_buffer(value, ctypes.byref(view), flags)  # raises what Python raises
        self._view, self.address, self.size = view, view.buf or 0, view.len
        check_elements(value, (view.format or b"").decode("utf-8", "replace"))

    def __del__(self) -> None:
        view = getattr(self, "_view", None)
        if view is not None:
            _release_buffer(ctypes.byref(view))
