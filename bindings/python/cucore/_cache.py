"""Caches of compiled code."""
from __future__ import annotations

import ctypes
import os
from typing import NamedTuple

from . import raw
from ._errors import check, text
from ._handle import Handle, c_text, create, get, options


class CacheInfo(NamedTuple):
    """The state of a cache."""

    dir: str  #: the folder, "" if there is none
    off: str  #: why the cache keeps nothing, such as "CUCORE_CACHE is 0"; "" if it works
    max_bytes: int  #: limit on the total bytes of its files
    bytes: int
    entries: int
    hits: int  #: entries found through this cache's handle in this process
    misses: int
    stored: int


class CacheEntry(NamedTuple):
    """An entry of a cache."""

    key: str  #: 64 hexadecimal digits
    label: str  #: describes the entry; "" if it is damaged
    bytes: int  #: size of its file
    used_ns: int  #: when it was last used, in nanoseconds since 1970
    damaged: bool  #: programs treat it as absent


class Cache(Handle):
    """A folder of compiled code, which threads and processes share; `ProgramOptions(cache=)`,
    `LinkerOptions(cache=)` and `Gemm(cache=)` choose it.

    Creates the folder if necessary, and refuses one that others can write to. Folder and limit
    default to those of the default cache.
    """

    __slots__ = ()
    _release = raw.cuc_cache_release

    def __init__(self, dir: str | os.PathLike[str] | None = None, *, max_bytes: int | None = None) -> None:
        self._h = 0
        folder = c_text("dir", os.fsencode(dir)) if dir is not None else None
        made = options(raw.cuc_cache_options, dir=folder, max_bytes=max_bytes)
        self._take(create(raw.cuc_cache_open, ctypes.byref(made)))

    @classmethod
    def default(cls) -> Cache:
        """Return the default cache, which is used if none is named. Environment variables set its
        folder and limit; with `CUCORE_CACHE=0` it keeps nothing."""
        return cls._own(raw.cuc_cache_default())

    @classmethod
    def none(cls) -> Cache:
        """Return a cache that keeps nothing."""
        return cls._own(raw.cuc_cache_none())

    @property
    def info(self) -> CacheInfo:
        """The cache's current state. Reading it counts the files."""
        out = options(raw.cuc_cache_info)
        check(raw.cuc_cache_get_info(ctypes.byref(out), self._h))
        return CacheInfo(text(out.dir), text(out.off), out.max_bytes, out.bytes, out.entries, out.hits, out.misses,
                         out.stored)

    def entries(self) -> list[CacheEntry]:
        """List the entries, in no particular order; each one is read and checked."""
        found: list[CacheEntry] = []

        def visit(_user: int | None, address: int) -> int:
            entry = raw.cuc_cache_entry.from_address(address)
            found.append(CacheEntry(text(entry.key), text(entry.label), entry.bytes, entry.used_ns,
                                    bool(entry.damaged)))
            return 0

        check(raw.cuc_cache_list(self._h, raw.cuc_cache_visit(visit), None))
        return found

    def clear(self) -> None:
        """Remove every entry."""
        check(raw.cuc_cache_clear(self._h))

    def verify(self) -> int:
        """Check every entry, remove the damaged ones, and return their number."""
        return int(get(ctypes.c_uint64, raw.cuc_cache_verify, self._h))

    def read(self, key: bytes) -> bytes | None:
        """Return the bytes that `write()` stored under a key; None if there are none or they are
        damaged."""
        found: list[bytes] = []

        def receive(_user: int | None, data: int, size: int) -> None:
            found.append(ctypes.string_at(data, size))

        key = bytes(memoryview(key))
        check(raw.cuc_cache_read(self._h, key, len(key), raw.cuc_cache_receive(receive), None))
        return found[0] if found else None

    def write(self, key: bytes, data: bytes, label: str = "") -> None:
        """Store bytes under a key, which is also bytes. A cache that keeps nothing, or is too
        small, ignores them."""
        key, data = bytes(memoryview(key)), bytes(memoryview(data))
        check(raw.cuc_cache_write(self._h, key, len(key), c_text("label", label), data, len(data)))

    def remove(self, key: bytes) -> None:
        """Remove the bytes that `write()` stored under a key; raise `NotFoundError` if there are
        none."""
        key = bytes(memoryview(key))
        check(raw.cuc_cache_remove(self._h, key, len(key)))

    def __repr__(self) -> str:
        return f"<Cache {self.info.dir!r}>" if self._h else "<Cache, closed>"
