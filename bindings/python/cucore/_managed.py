"""Managed memory: preferred locations, prefetch and discard."""
from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import index
from typing import Any, ClassVar, Union

from . import raw
from ._device import Device
from ._errors import check
from ._handle import c_number, given_as, options as struct_of, word
from ._memory import Buffer
from ._native import methods
from ._sets import LiveSet
from ._stream import StreamLike, as_stream


class Host:
    """Host memory, or the memory of one NUMA node; there is one object per location."""

    __slots__ = ("_place", "__weakref__")
    _known: ClassVar[dict[tuple[int | None, bool], Host]] = {}
    _place: tuple[int | None, bool]

    def __new__(cls, numa_id: int | None = None, *, is_numa_current: bool = False) -> Host:
        if numa_id is not None and is_numa_current:
            raise ValueError("numa_id and is_numa_current are mutually exclusive")
        if numa_id is not None and (isinstance(numa_id, bool) or not hasattr(numa_id, "__index__") or numa_id < 0):
            raise ValueError(f"numa_id must be a non-negative int, not {numa_id!r}")
        place = (index(numa_id) if numa_id is not None else None, bool(is_numa_current))
        known = cls._known.get(place)
        if known is None:
            known = super().__new__(cls)
            object.__setattr__(known, "_place", place)
            known = cls._known.setdefault(place, known)  # another thread may have been faster
        return known

    @classmethod
    def numa_current(cls) -> Host:
        """The NUMA node of the calling thread."""
        return cls(is_numa_current=True)

    @property
    def numa_id(self) -> int | None:
        return self._place[0]

    @property
    def is_numa_current(self) -> bool:
        return self._place[1]

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a Host does not change: {name} cannot be assigned")

    def __reduce__(self) -> tuple[Any, ...]:
        return (Host.numa_current, ()) if self.is_numa_current else (Host, (self.numa_id,))

    def __repr__(self) -> str:
        if self.is_numa_current:
            return "Host.numa_current()"
        return "Host()" if self.numa_id is None else f"Host(numa_id={self.numa_id})"


#: A Device, its ordinal, or a Host; None is no location.
Location = Union[Device, int, Host, None]


def located(kind: int, number: int) -> Any:
    return raw.cuc_memory_location(kind, c_number(ctypes.c_int32, "the number of a place", number))


def location(where: Location) -> Any:
    """A cuc_memory_location."""
    if where is None:
        return raw.cuc_memory_location(raw.CUC_LOCATION_NONE, 0)
    if isinstance(where, Host):
        if where.is_numa_current:
            return raw.cuc_memory_location(raw.CUC_LOCATION_HOST_NUMA_CURRENT, 0)
        if where.numa_id is not None:
            return located(raw.CUC_LOCATION_HOST_NUMA, where.numa_id)
        return raw.cuc_memory_location(raw.CUC_LOCATION_HOST, 0)
    return raw.cuc_memory_location(raw.CUC_LOCATION_DEVICE, Device(where).device_id)


def place(given: Any) -> Location:
    """Convert a cuc_memory_location."""
    kinds: dict[int, Callable[[], Location]] = {
        raw.CUC_LOCATION_DEVICE: lambda: Device(given.id), raw.CUC_LOCATION_HOST: Host,
        raw.CUC_LOCATION_HOST_NUMA: lambda: Host(given.id), raw.CUC_LOCATION_HOST_NUMA_CURRENT: Host.numa_current}
    return kinds.get(given.type, lambda: None)()


_KINDS = {raw.CUC_LOCATION_HOST_NUMA: "host_numa", raw.CUC_LOCATION_HOST_NUMA_CURRENT: "host_numa_current"}


class AccessedBy(LiveSet):
    """The locations that keep a mapping of managed memory."""

    __slots__ = ("_buffer",)

    def __init__(self, buffer: ManagedBuffer) -> None:
        self._buffer = buffer

    def _member(self, value: Any) -> Any:
        return Device(value) if isinstance(value, int) else value

    @staticmethod
    def _place(value: Location) -> Location:
        """Check that memory can stay mapped at this location."""
        where = Device(value) if isinstance(value, int) else value
        kind = location(where).type
        if kind not in (raw.CUC_LOCATION_DEVICE, raw.CUC_LOCATION_HOST):
            raise ValueError(f"accessed_by does not support location_type={_KINDS.get(kind, 'none')!r}: expected a "
                             f"Device or Host(), not {where!r}")
        return where

    def _now(self) -> list[Location]:
        room = 64
        found, count = (ctypes.c_int32 * room)(), ctypes.c_size_t()
        check(raw.cuc_memory_get_accessed_by(ctypes.byref(count), found, room, self._buffer.handle,
                                             self._buffer.size))
        return [Device(number) if number >= 0 else Host() for number in found[:min(count.value, room)]]

    def __contains__(self, where: object) -> bool:
        return self._member(where) in self._now()

    def __iter__(self) -> Iterator[Location]:
        return iter(self._now())

    def __len__(self) -> int:
        return len(self._now())

    def add(self, value: Location) -> None:
        self._buffer._advise(raw.CUC_ADVISE_SET_ACCESSED_BY, self._place(value))

    def discard(self, value: Location) -> None:
        if value in self:
            self._buffer._advise(raw.CUC_ADVISE_UNSET_ACCESSED_BY, self._place(value))


@methods
class ManagedBuffer(Buffer):
    """Memory that migrates between host and devices, from `ManagedMemoryResource.allocate()` or
    `LegacyManagedMemoryResource.allocate()`. The attributes set here are advice, which the driver
    rejects for memory of a pool; the pool's options set its preferred location.
    """

    __slots__ = ()

    def _advise(self, advice: int, where: Location = None) -> None:
        _refuse_unmanaged((self,))
        check(raw.cuc_memory_advise(self.handle, self.size, advice, ctypes.byref(location(where))))

    @property
    def read_mostly(self) -> bool:
        """True if each reader gets its own copy."""
        out = ctypes.c_int32()
        check(raw.cuc_memory_get_read_mostly(ctypes.byref(out), self.handle, self.size))
        return bool(out.value)

    @read_mostly.setter
    def read_mostly(self, value: bool) -> None:
        self._advise(raw.CUC_ADVISE_SET_READ_MOSTLY if value else raw.CUC_ADVISE_UNSET_READ_MOSTLY)

    @property
    def preferred_location(self) -> Location:
        out = raw.cuc_memory_location()
        check(raw.cuc_memory_get_preferred_location(ctypes.byref(out), self.handle, self.size))
        return place(out)

    @preferred_location.setter
    def preferred_location(self, where: Location) -> None:
        if where is None:
            self._advise(raw.CUC_ADVISE_UNSET_PREFERRED_LOCATION)
        else:
            self._advise(raw.CUC_ADVISE_SET_PREFERRED_LOCATION, where)

    @property
    def last_prefetch_location(self) -> Location:
        out = raw.cuc_memory_location()
        check(raw.cuc_memory_get_last_prefetch(ctypes.byref(out), self.handle, self.size))
        return place(out)

    @property
    def accessed_by(self) -> AccessedBy:
        """A set of locations: `add()` and `discard()` change it, assigning replaces it."""
        return AccessedBy(self)

    @accessed_by.setter
    def accessed_by(self, places: Iterable[Location]) -> None:
        given = {AccessedBy._place(p) for p in places}  # check all before changing any
        now = set(AccessedBy(self))
        for where in now - given:
            AccessedBy(self).discard(where)
        for where in given - now:
            AccessedBy(self).add(where)

    def prefetch(self, location: Location, *, stream: StreamLike) -> None:
        """Migrate the memory to a location, in stream order."""
        prefetch_batch(stream, [self], location)

    def discard(self, *, stream: StreamLike) -> None:
        """Declare that the contents are no longer needed."""
        discard_batch(stream, [self])

    def discard_prefetch(self, location: Location, *, stream: StreamLike) -> None:
        """Migrate the memory to a location without preserving its contents."""
        discard_prefetch_batch(stream, [self], location)


def as_managed(made: Buffer) -> ManagedBuffer:
    """Move a buffer's reference into a new ManagedBuffer."""
    managed = ManagedBuffer._own(0)
    managed._h, managed._pool, managed._resource = made._h, made._pool, made._resource
    made._h = 0
    return managed


# ---- several at once -----------------------------------------------------------------------------

_EVERYWHERE = object()


def _refuse_unmanaged(buffers: Sequence[Buffer]) -> None:
    """Reject device-accessible memory that is not managed, because it cannot migrate."""
    for each in buffers:
        if each.is_device_accessible and not each.is_managed:
            raise ValueError(f"{each!r} is not managed memory: expected memory of a ManagedMemoryResource, "
                             "or of another that is managed")


def _batch(buffers: Sequence[Buffer], locations: Any = _EVERYWHERE) -> tuple[Any, Any]:
    if isinstance(buffers, Buffer):
        raise TypeError("expected a sequence of Buffers, not one")
    if locations is None:
        raise ValueError("a location is required: expected a Device or a Host")
    _refuse_unmanaged(buffers)
    count = len(buffers)
    ptrs = (ctypes.c_uint64 * max(count, 1))(*[b.handle for b in buffers])
    sizes = (ctypes.c_size_t * max(count, 1))(*[b.size for b in buffers])
    given = [None if locations is _EVERYWHERE else locations]
    if isinstance(locations, (list, tuple)):
        given = list(locations)
        if len(given) != count:
            raise ValueError(f"the locations have a length of {len(given)}, and there are {count} buffers")
    places = (raw.cuc_memory_location * max(len(given), 1))(*[location(each) for each in given])
    made = struct_of(raw.cuc_memory_batch, ptrs=ctypes.addressof(ptrs), bytes=ctypes.addressof(sizes),
                   count=count, locations=ctypes.addressof(places), location_count=len(given))
    return made, (ptrs, sizes, places)


def prefetch_batch(stream: StreamLike, buffers: Sequence[Buffer], locations: Any) -> None:
    """Migrate managed buffers: all to one location, or each to its own location from a list of
    equal length."""
    made, _kept = _batch(buffers, locations)
    check(raw.cuc_memory_prefetch_batch(as_stream(stream)._h, ctypes.byref(made)))


def discard_batch(stream: StreamLike, buffers: Sequence[Buffer]) -> None:
    """Declare that the contents of managed buffers are no longer needed."""
    made, _kept = _batch(buffers)
    check(raw.cuc_memory_discard_batch(as_stream(stream)._h, ctypes.byref(made)))


def discard_prefetch_batch(stream: StreamLike, buffers: Sequence[Buffer], locations: Any) -> None:
    """Migrate managed buffers without preserving their contents."""
    made, _kept = _batch(buffers, locations)
    check(raw.cuc_memory_discard_and_prefetch_batch(as_stream(stream)._h, ctypes.byref(made)))


@dataclass
class CopyOptions:
    """Options of one copy in a batch."""

    src_access_order: str = "stream"  #: when the source may be read: "stream", "during_api_call" or "any"
    src_location_hint: Location = None  #: where managed or pageable memory resides
    dst_location_hint: Location = None
    overlap_mode: str = "default"  #: or "prefer_overlap_with_compute"

    def _made(self) -> Any:
        orders = {"stream": raw.CUC_COPY_SOURCE_STREAM, "during_api_call": raw.CUC_COPY_SOURCE_DURING_CALL,
                  "any": raw.CUC_COPY_SOURCE_ANY}
        modes = {"default": 0, "prefer_overlap_with_compute": raw.CUC_COPY_OVERLAP_COMPUTE}
        return raw.cuc_copy_attributes(word("src_access_order", self.src_access_order, orders),
                                       word("overlap_mode", self.overlap_mode, modes),
                                       location(self.src_location_hint), location(self.dst_location_hint))


def copy_batch(stream: StreamLike, srcs: Sequence[Buffer], dsts: Sequence[Buffer], *,
               options: CopyOptions | dict[str, Any] | Sequence[CopyOptions | dict[str, Any]] | None = None) -> None:
    """Copy buffers to equally many others in one call."""
    if len(srcs) != len(dsts):
        raise ValueError(f"{len(srcs)} sources for {len(dsts)} destinations")
    for src, dst in zip(srcs, dsts):
        Buffer._same_size(dst.size, src.size)
    count = len(srcs)
    addresses = [(ctypes.c_uint64 * max(count, 1))(*[b.handle for b in each]) for each in (dsts, srcs)]
    sizes = (ctypes.c_size_t * max(count, 1))(*[b.size for b in srcs])
    given = [] if options is None else [options] if isinstance(options, (CopyOptions, dict)) else list(options)
    if given and len(given) not in (1, count):
        raise ValueError(f"{len(given)} options for {count} copies: expected one, or as many")
    how = (raw.cuc_copy_attributes * max(len(given), 1))(*[given_as(CopyOptions, each)._made() for each in given])
    made = raw.cuc_copy_batch_params(
        ctypes.sizeof(raw.cuc_copy_batch_params), ctypes.addressof(addresses[0]), ctypes.addressof(addresses[1]),
        ctypes.addressof(sizes), count, ctypes.addressof(how) if given else None, len(given))
    check(raw.cuc_copy_batch(as_stream(stream)._h, ctypes.byref(made)))
