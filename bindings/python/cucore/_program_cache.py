"""The program caches of `cuda.core.utils`: mappings from keys to compiled code as bytes."""
from __future__ import annotations

import abc
import ctypes
import hashlib
import os
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Callable, Union

from . import raw
from ._cache import Cache
from ._device import Device
from ._errors import NotFoundError, NotSupportedError, text
from ._handle import c_number, create, get
from ._object import ObjectCode

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._program import ProgramOptions

Key = Union[bytes, str]
Value = Union[bytes, bytearray, memoryview, ObjectCode]


def _key_bytes(key: object) -> bytes:
    if isinstance(key, (bytes, bytearray)):
        return bytes(key)
    if isinstance(key, str):
        return key.encode()
    raise TypeError(f"cache keys must be bytes or str, not {type(key).__name__}")


def _value_bytes(value: object) -> bytes:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, ObjectCode):
        return value.code
    raise TypeError(f"cache values must be bytes-like or ObjectCode, not {type(value).__name__}")


def _checked_size(size: int | None) -> int | None:
    if isinstance(size, int) and size <= 0:
        raise ValueError(f"max_size_bytes is {size}: expected a positive number, or None for no limit")
    return c_number(ctypes.c_uint64, "max_size_bytes", size) if size is not None else None


class ProgramCacheResource(abc.ABC):
    """The base of program caches, including your own: they store compiled code as bytes under keys.

    A key is bytes, or a string that stands for its UTF-8. A value is bytes or an `ObjectCode`;
    only its code is kept, without symbol mapping and name. There is no `in`: another process may
    add or remove an entry at any time, so use `get()`.
    """

    # Otherwise Python would call __getitem__() with 0, 1, 2 ...
    __contains__ = None
    __iter__ = None

    @abc.abstractmethod
    def __getitem__(self, key: Key) -> bytes:
        """Return the bytes of a key; raise `KeyError` if there are none."""

    @abc.abstractmethod
    def __setitem__(self, key: Key, value: Value) -> None:
        """Store the bytes of a key."""

    @abc.abstractmethod
    def __delitem__(self, key: Key) -> None:
        """Remove a key; raise `KeyError` if there is none."""

    @abc.abstractmethod
    def __len__(self) -> int:
        """The number of entries."""

    @abc.abstractmethod
    def clear(self) -> None:
        """Remove every entry."""

    def get(self, key: Key, default: bytes | None = None) -> bytes | None:
        """Return the bytes of a key, or the default."""
        try:
            return self[key]
        except KeyError:
            return default

    def update(self, items: Mapping[Key, Value] | Iterable[tuple[Key, Value]], /) -> None:
        """Store the pairs of a mapping, or of an iterable of pairs, one after another."""
        for key, value in items.items() if isinstance(items, Mapping) else items:
            self[key] = value

    def close(self) -> None:  # noqa: B027
        """Release the cache's resources. Does nothing by default."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()


class InMemoryProgramCache(ProgramCacheResource):
    """Keeps compiled code in the process's memory, for all of its threads.

    With `max_size_bytes`, the least recently used entries are removed until the others fit; a
    new entry that is larger is removed too.
    """

    def __init__(self, *, max_size_bytes: int | None = None) -> None:
        self._most = _checked_size(max_size_bytes)
        self._entries: OrderedDict[bytes, bytes] = OrderedDict()  # the most recently used last
        self._total_bytes = 0
        self._lock = threading.RLock()  # the collector may close a cache's user during a call

    def _drop(self, key: bytes) -> bool:
        data = self._entries.pop(key, None)
        self._total_bytes -= len(data or b"")
        return data is not None

    def __getitem__(self, key: Key) -> bytes:
        wanted = _key_bytes(key)
        with self._lock:
            if wanted not in self._entries:
                raise KeyError(key)
            self._entries.move_to_end(wanted)
            return self._entries[wanted]

    def __setitem__(self, key: Key, value: Value) -> None:
        data, wanted = _value_bytes(value), _key_bytes(key)
        with self._lock:
            self._drop(wanted)
            self._entries[wanted] = data
            self._total_bytes += len(data)
            while self._most is not None and self._total_bytes > self._most:
                self._drop(next(iter(self._entries)))

    def __delitem__(self, key: Key) -> None:
        with self._lock:
            if not self._drop(_key_bytes(key)):
                raise KeyError(key)

    def __len__(self) -> int:
        with self._lock:
            return len(self._entries)

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()
            self._total_bytes = 0


class FileStreamProgramCache(ProgramCacheResource):
    """Keeps compiled code in a folder, for all threads and processes: a `Cache` as a mapping.

    Without a path, this is the library's default cache, whose folder and limit come from
    environment variables; with `CUCORE_CACHE=0` it keeps nothing. `len()` counts all entries in
    the folder, and `clear()` removes them.

    With `max_size_bytes`, the least recently used entries are removed when the folder's files
    exceed it; without it, a folder given by a path has no limit. A file has up to 288 bytes more
    than its value.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, *, max_size_bytes: int | None = None) -> None:
        most = _checked_size(max_size_bytes)
        if path is not None:
            self._cache = Cache(path, max_bytes=most if most is not None else _UNLIMITED)
            return
        self._cache = Cache.default()
        if most is not None:
            try:
                self._cache = Cache(max_bytes=most)
            except NotFoundError:  # the default cache keeps nothing
                pass

    def __getitem__(self, key: Key) -> bytes:
        data = self._cache.read(_key_bytes(key))
        if data is None:
            raise KeyError(key)
        return data

    def __setitem__(self, key: Key, value: Value) -> None:
        label = f"{value.code_type} of {value.name}" if isinstance(value, ObjectCode) else "bytes"
        self._cache.write(_key_bytes(key), _value_bytes(value), label.replace("\0", " "))

    def __delitem__(self, key: Key) -> None:
        try:
            self._cache.remove(_key_bytes(key))
        except NotFoundError:
            raise KeyError(key) from None

    def __len__(self) -> int:
        return self._cache.info.entries

    def clear(self) -> None:
        self._cache.clear()

    def __repr__(self) -> str:
        return f"<FileStreamProgramCache {self._cache.info.dir!r}>"


_UNLIMITED = raw.RANGES[ctypes.c_uint64][1]


# ---- Keys

_CODE_TYPES = {"c++": ("ptx", "cubin", "ltoir"), "ptx": ("ptx", "cubin"), "tile": ("ptx", "cubin")}
_WRITE_FILES = ("create_pch", "time", "fdevice_time_trace")
_READ_FILES = ("include_path", "pre_include", "pch", "use_pch", "pch_dir")


def make_program_cache_key(*, code: str | bytes, code_type: str, options: ProgramOptions, target_type: str,
                           name_expressions: Sequence[str | bytes | bytearray] = (),
                           extra_digest: bytes | None = None) -> bytes:
    """Make a key of 32 bytes from everything that can change the result of compiling a program.

    Options that name CUDA C++ files (`include_path`, `pre_include`, `pch`, `use_pch`, `pch_dir`,
    and a `name` with a folder) need an `extra_digest`, which the caller makes from the contents
    of those files. So does a source whose included files the library cannot list. Raises
    `ValueError` if `extra_digest` is missing, and for options that write files (`create_pch`,
    `time`, `fdevice_time_trace`), which have no key.
    """
    code_type = code_type.lower() if isinstance(code_type, str) else code_type
    target_type = target_type.lower() if isinstance(target_type, str) else target_type
    targets = _CODE_TYPES.get(code_type)
    if targets is None:
        raise ValueError(f"code_type is {code_type!r}: expected one of {', '.join(map(repr, _CODE_TYPES))}")
    if target_type not in targets:
        raise ValueError(f"target_type={target_type!r} is not valid for code_type={code_type!r}: expected one of "
                         f"{', '.join(map(repr, targets))}")
    if not isinstance(code, (str, bytes, bytearray)):
        raise TypeError(f"code must be str or bytes, not {type(code).__name__}")
    if not isinstance(code, str) and code_type != "tile":
        raise TypeError(f"code must be str for code_type={code_type!r}, not {type(code).__name__}")
    return program_key(code.encode() if isinstance(code, str) else bytes(code), code_type, options, target_type,
                       name_expressions, extra_digest)


def program_key(code: bytes, code_type: str, options: ProgramOptions, target_type: str,
                name_expressions: Sequence[str | bytes | bytearray] = (), extra_digest: bytes | None = None) -> bytes:
    """Make the key of a source that is already encoded."""
    _refuse(options, code_type, extra_digest)
    made = hashlib.sha256()

    def add(*fields: Any) -> None:
        for field in fields:
            data = field if isinstance(field, bytes) else str(field).encode("utf-8", "surrogateescape")
            made.update(len(data).to_bytes(8, "little"))
            made.update(data)

    add("cucore program 1", code_type, target_type, code, options.name)
    if code_type == "c++":
        add(*options.as_bytes("nvrtc", target_type))
        add("names", *sorted(map(_tagged, name_expressions)))
    if code_type == "ptx":
        flags, backend = options._linker_flags(code, target_type)
        add(options.arch or f"sm_{Device().arch}", backend, *flags)
        add(*(_library("nvjitlink") if backend == "nvJitLink" else (get(ctypes.c_int32, raw.cuc_driver_get_version),)))
    elif code_type == "tile" or extra_digest is None:
        try:
            add(options._program_key(code, code_type, target_type))
        except NotSupportedError as error:
            raise ValueError(f"{error}. Compile it without a cache" + (
                "" if code_type == "tile" else ", or pass extra_digest, made from the files that it includes")) from None
    else:  # the caller vouches for the files
        add("headers", *(part for pair in (options.headers or {}).items() for part in pair))
        add("compiler", *_library("nvrtc"))
    if extra_digest is not None:
        add("extra_digest", bytes(extra_digest))
    return made.digest()


def _is_set(options: ProgramOptions, name: str) -> bool:
    """Return whether cuda.core would pass an option to NVRTC. It passes `pch` only if true, include
    folders and headers only if they are strings, paths or nonempty sequences, and other options
    unless they are None."""
    value = getattr(options, name)
    if name == "pch":
        return bool(value)
    if name in ("include_path", "pre_include"):
        return isinstance(value, (str, os.PathLike)) or isinstance(value, Sequence) and len(value) > 0
    return value is not None


def _refuse(options: ProgramOptions, code_type: str, extra_digest: bytes | None) -> None:
    """Raise an error for options that write files, or whose files a key does not cover."""
    if options.extra_sources is not None:
        raise ValueError(f"extra_sources is for NVVM IR alone: a program of code_type={code_type!r} has none")
    if code_type != "c++":
        return
    if writes := [name for name in _WRITE_FILES if getattr(options, name) is not None]:
        raise ValueError(f"no key: {', '.join(writes)} has side effects, files that a hit would not write. Compile "
                         "without a cache, or without the option")
    if extra_digest is not None:
        return
    if reads := [name for name in _READ_FILES if _is_set(options, name)]:
        raise ValueError(f"no key: {', '.join(reads)} names files that it does not cover. Pass extra_digest, made "
                         "from their contents, to make_program_cache_key()")
    if options.name and ("/" in options.name or "\\" in options.name):
        raise ValueError(f"no key: the name {options.name!r} has a directory component, where an #include looks for "
                         "files. Pass extra_digest, made from their contents, to make_program_cache_key()")


def _tagged(name: Any) -> bytes:
    if isinstance(name, str):
        return b"s" + name.encode()
    if isinstance(name, bytes):
        return b"b" + name
    raise TypeError(f"name_expressions: expected str or bytes, not {type(name).__name__}")


def _library(name: str) -> tuple[Any, ...]:
    """Identify the library file that would be loaded, without loading it."""
    try:
        found = create(raw.cuc_find_library, name.encode())
    except NotFoundError:
        return ("none",)
    try:
        path = text(raw.cuc_found_path(found))
    finally:
        raw.cuc_found_release(found)
    try:
        about = os.stat(path)
    except OSError:
        return (path,)
    return path, about.st_size, about.st_mtime_ns


def through(cache: Any, key: Callable[[], bytes], kind: int, name: str,
            compile: Callable[[], ObjectCode]) -> ObjectCode:
    """Return the code of a key from a cache; if there is none, compile it and store it there."""
    if not isinstance(cache, ProgramCacheResource):
        raise TypeError(f"cache is a {type(cache).__name__}: expected a ProgramCacheResource, such as "
                        "FileStreamProgramCache; ProgramOptions(cache=) takes a Cache")
    made = key()
    data = cache.get(made)
    if data is not None:
        try:
            return ObjectCode._from(kind, bytes(data), name, None)
        except ValueError:  # the cache holds no code of this kind
            pass
    code = compile()
    if key() == made:  # no file changed while the compiler may have been reading it
        cache[made] = code
    return code
