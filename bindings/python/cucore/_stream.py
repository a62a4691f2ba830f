"""Streams and events, with asyncio support."""
from __future__ import annotations

import ctypes
import os
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generator

from . import raw
from ._errors import InvalidArgumentError, check, last_error
from ._native import EventBase, StreamBase, methods
from ._handle import Handle, c_handle, call, create, get, given_as, handle_of, kept, not_copied, options, word
from ._ipc import IPCEventDescriptor, exported, imported
from ._pending import prune

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._capture import Capture
    from ._device import Context, Device
    from ._graph_builder import GraphBuilder

# Classes of modules that import this one; those modules set them.
_Device: type[Device]
_Context: type[Context]
_Capture: type[Capture]
_GraphBuilder: type[GraphBuilder]

_COMPARE = {">=": raw.CUC_WAIT_GEQ, "==": raw.CUC_WAIT_EQ, "&": raw.CUC_WAIT_AND,
            "~|": raw.CUC_WAIT_NOR}


def _number(value: int, bits: int) -> tuple[int, int]:
    """Return a signed or unsigned number as raw bits, and its size in bytes."""
    if bits not in (32, 64):
        raise ValueError(f"bits is {bits!r}: expected 32 or 64")
    if not -(1 << (bits - 1)) <= value < 1 << bits:
        raise OverflowError(f"value is {value}, which does not fit into {bits} bits")
    return value & ((1 << bits) - 1), bits // 8


@methods
@dataclass
class StreamOptions:
    """Options of stream creation."""

    #: False: synchronizes with the legacy default stream
    nonblocking: bool = True
    #: lower runs first; None is the lowest priority
    priority: int | None = None

    def _check(self, context: Context) -> None:
        """Reject a priority that the driver would clamp."""
        if self.priority:
            least, greatest = context.priority_range
            if not greatest <= self.priority <= least:
                raise ValueError(f"priority is {self.priority}: expected {greatest} (first) to {least} (last)")


@methods
@dataclass
class EventOptions:
    """Options of event creation."""

    timing_enabled: bool = False  #: if true, `later - earlier` gives milliseconds
    blocking_sync: bool = False  #: waiting threads sleep instead of spinning
    ipc_enabled: bool = False  #: other processes can import it; not with timing_enabled


@methods
class Event(Handle, EventBase):
    """A point in a stream. Made by `Device.create_event()` and `Stream.record()`.

    `await event` waits on asyncio; `event.sync()` blocks the thread.
    """

    __slots__ = ()
    _named: IPCEventDescriptor | None  # set if the event was imported from another process
    _release = raw.cuc_event_release
    _made_by = "Device.create_event(), Stream.record() and Event.from_handle()"

    @classmethod
    def _create(cls, place: Device | Context, given: EventOptions | dict[str, Any] | None) -> Event:
        make = raw.cuc_context_event_create if isinstance(place, Handle) else raw.cuc_event_create
        if given is None:
            return cls._own(create(make, place._h, None))
        given = given_as(EventOptions, given)
        flags = (raw.CUC_EVENT_TIMING if given.timing_enabled else 0) | \
                (raw.CUC_EVENT_BLOCKING_SYNC if given.blocking_sync else 0) | \
                (raw.CUC_EVENT_IPC if given.ipc_enabled else 0)
        made = options(raw.cuc_event_options, flags=flags)
        return cls._own(create(make, place._h, ctypes.byref(made)))

    @classmethod
    def from_handle(cls, handle: int, *, context: Context | None = None) -> Event:
        """Wrap a CUevent, which its owner destroys after this object. If no context is given, the
        event belongs to the current context, or to the first device's context."""
        if context is None:
            context = _Context.current() or _Device().context
        return cls._own(create(raw.cuc_event_from_handle, c_handle(handle), handle_of(_Context, context, "context"), 0))

    @classmethod
    def from_ipc_descriptor(cls, ipc_descriptor: IPCEventDescriptor) -> Event:
        """Import an event of another process, to wait for the work that it recorded. It belongs to
        the same device as there or, if this process does not see that device, to the current
        one."""
        given = imported(ipc_descriptor, IPCEventDescriptor)
        number = ipc_descriptor.device_id
        device = _Device(number if number < len(_Device.get_all_devices()) else None)
        made = cls._own(create(raw.cuc_event_from_ipc_handle, device._h, ctypes.byref(given)))
        made._named = ipc_descriptor
        return made

    @property
    def ipc_descriptor(self) -> IPCEventDescriptor:
        """Identifies the event to another process; requires ipc_enabled."""
        if not self.is_ipc_enabled:
            raise InvalidArgumentError("the event is not IPC-enabled: make it with EventOptions(ipc_enabled=True)")
        known: IPCEventDescriptor | None = getattr(self, "_named", None)
        return known or IPCEventDescriptor(exported(raw.cuc_event_export, self._h), self.device.device_id)

    @property
    def is_ipc_enabled(self) -> bool:
        return bool(raw.cuc_event_flags(self._h) & raw.CUC_EVENT_IPC)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Event.from_ipc_descriptor, (self.ipc_descriptor,)) if self.is_ipc_enabled else not_copied(self)

    @property
    def handle(self) -> int:
        """The CUevent."""
        return raw.cuc_event_handle(self._h) or 0

    @property
    def device(self) -> Device:
        return _Device._of(raw.cuc_event_device(self._h))

    @property
    def context(self) -> Context:
        return _Context._own(raw.cuc_context_retain(raw.cuc_event_context(self._h)))

    @property
    def is_timing_enabled(self) -> bool:
        return bool(raw.cuc_event_flags(self._h) & raw.CUC_EVENT_TIMING)

    @property
    def is_blocking_sync(self) -> bool:
        return bool(raw.cuc_event_flags(self._h) & raw.CUC_EVENT_BLOCKING_SYNC)

    @property
    def is_done(self) -> bool:
        """True when the recorded work has completed, or if nothing was recorded."""
        return check(raw.cuc_event_query(self._h)) == raw.CUC_OK

    def record(self, stream: StreamLike) -> None:
        """Record the work that is now in the stream."""
        check(raw.cuc_event_record(as_stream(stream)._h, self._h))

    def sync(self) -> None:
        """Block until the recorded work has completed."""
        check(raw.cuc_event_synchronize(self._h))
        prune()

    def __eq__(self, other: object) -> bool:
        return self.handle == other.handle if isinstance(other, Event) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.handle)

    def fileno(self) -> int:
        """Return a file descriptor that becomes readable when the event has completed or can no
        longer complete. The caller must close it."""
        return int(get(ctypes.c_int32, raw.cuc_event_get_fd, self._h))

    def __sub__(self, earlier: Event) -> float:
        """Return the milliseconds from `earlier` to this event; both need timing_enabled."""
        if not isinstance(earlier, Event):
            return NotImplemented
        out = ctypes.c_float()
        status = raw.cuc_event_get_elapsed(ctypes.byref(out), earlier._h, self._h)
        if status == raw.CUC_NOT_READY:
            raise RuntimeError("One or both events have not completed. Wait for the later one with sync()")
        if status < 0:
            error = last_error()
            if not (self.is_timing_enabled and earlier.is_timing_enabled):
                raise InvalidArgumentError("Both Events must be created with timing enabled: "
                                           "EventOptions(timing_enabled=True)") from error
            if "never recorded" in str(error):
                raise InvalidArgumentError("Both Events must be recorded before their difference is taken: "
                                           "stream.record(event)") from error
            raise error
        return out.value

    def __repr__(self) -> str:
        return f"<Event handle={self.handle:#x}>" if self._h else "<Event, closed>"

    async def _wait(self) -> None:
        if not self.is_done:
            import asyncio  # imported only here, because without it programs start a third faster
            loop = asyncio.get_running_loop()
            descriptor = self.fileno()
            ready: asyncio.Future[None] = loop.create_future()

            def wake() -> None:
                if not ready.done():
                    ready.set_result(None)

            loop.add_reader(descriptor, wake)
            try:
                await ready
            finally:
                loop.remove_reader(descriptor)
                os.close(descriptor)
            # The descriptor also becomes readable if the event can never complete; then this raises
            # an error.
            self.sync()
        prune()

    def __await__(self) -> Generator[Any, None, None]:
        return self._wait().__await__()


@methods
class Stream(Handle, StreamBase):
    """A queue of work on one device. Made by `Device.create_stream()`.

    `await stream` waits on asyncio for the work enqueued so far; `stream.sync()` blocks the thread.
    """

    __slots__ = ()
    _release = raw.cuc_stream_release
    _made_by = "Device.create_stream(), Context.create_stream() and Stream.from_handle()"
    _stream_h = Handle._h  # an alias that no other class has, by which C code recognizes streams

    @property
    def _p(self) -> ctypes.c_void_p:
        """The handle, in the form that calls accept without conversion; NULL once closed."""
        made: ctypes.c_void_p | None = getattr(self, "_cell", None)
        if made is None:
            made = self._cell = ctypes.c_void_p(self._h)
        return made

    def close(self) -> None:
        if getattr(self, "_cell", None) is not None:
            self._cell.value = None  # prepared launches see this too
        super().close()

    @classmethod
    def _create(cls, place: Device | Context, given: StreamOptions | dict[str, Any] | None) -> Stream:
        make = raw.cuc_context_stream_create if isinstance(place, Handle) else raw.cuc_stream_create
        made = None
        if given is not None:
            given = given_as(StreamOptions, given)
            flags = 0 if given.nonblocking else raw.CUC_STREAM_SYNC_LEGACY
            made = ctypes.byref(options(raw.cuc_stream_options, flags=flags, priority=given.priority or 0))
            given._check(place if isinstance(place, Handle) else place.context)
        return cls._own(create(make, place._h, made))

    @classmethod
    def from_handle(cls, handle: int, *, owner: Any = None) -> Stream:
        """Wrap a CUstream, which its owner destroys. `owner` is kept alive until the last use. A
        default stream (0, 1 or 2) belongs to the current context, or to the first device's
        context."""
        number = c_handle(handle)
        if number <= 2 and _Context.current() is None:  # a default stream outlives every owner
            device = _Device()
            stream = device.per_thread_default_stream if number == 2 else device.default_stream
            return cls._own(raw.cuc_stream_retain(stream._h))
        key = kept.add(owner) if owner is not None else 0
        try:
            return cls._own(create(raw.cuc_stream_from_handle, number, key,
                                   kept.drop if key else None))
        except BaseException:
            kept.forget(key)
            raise

    @property
    def handle(self) -> int:
        """The CUstream."""
        return raw.cuc_stream_handle(self._h) or 0

    def __cuda_stream__(self) -> tuple[int, int]:
        if not self._h:  # 0 would mean the legacy default stream
            raise ValueError("the stream is closed")
        return 0, raw.cuc_stream_handle(self._h) or 0

    @property
    def device(self) -> Device:
        return _Device._of(raw.cuc_stream_device(self._h))

    @property
    def context(self) -> Context:
        return _Context._own(raw.cuc_context_retain(raw.cuc_stream_context(self._h)))

    @property
    def is_nonblocking(self) -> bool:
        return not get(ctypes.c_uint32, raw.cuc_stream_get_flags, self._h) & raw.CUC_STREAM_SYNC_LEGACY

    @property
    def priority(self) -> int:
        return int(get(ctypes.c_int32, raw.cuc_stream_get_priority, self._h))

    @property
    def id(self) -> int:
        """The stream's id, which no other stream of the process has."""
        return int(get(ctypes.c_uint64, raw.cuc_stream_get_id, self._h))

    @property
    def is_done(self) -> bool:
        """True when all enqueued work has completed."""
        return check(raw.cuc_stream_query(self._h)) == raw.CUC_OK

    @property
    def is_capturing(self) -> bool:
        return bool(get(ctypes.c_int32, raw.cuc_stream_is_capturing, self._h))

    def sync(self) -> None:
        """Block until all enqueued work has completed; raise an error if the work failed."""
        failed = raw.cuc_stream_synchronize(self._h)
        prune()
        if failed:
            raise last_error()

    def record(self, event: Event | None = None, options: EventOptions | dict[str, Any] | None = None) -> Event:
        """Record an event, or a new one if none is given."""
        if event is None:
            event = Event._create(self.device, options)
        check(raw.cuc_event_record(self._h, handle_of(Event, event, "event")))
        return event

    def wait(self, event_or_stream: Event | StreamLike) -> None:
        """Make later work wait for an event, or for the work that is now in another stream."""
        if isinstance(event_or_stream, Event):
            check(raw.cuc_stream_wait_event(self._h, event_or_stream._h))
            return
        try:
            other = as_stream(event_or_stream)
        except TypeError:
            raise ValueError(f"expected an Event, a Stream or an object with __cuda_stream__, not "
                             f"{type(event_or_stream).__name__}") from None
        check(raw.cuc_stream_wait_stream(self._h, other._h))

    def wait_value(self, buffer: Any, value: int, *, offset: int = 0, bits: int = 32, compare: str = ">=") -> None:
        """Make later work wait until a number in device memory satisfies a comparison: equal
        ("=="), at least (">=", with wraparound), any common bit ("&"), or not all bits set
        ("~|"). Only the number ends the wait. Operations that wait for the stream, such as
        releasing a buffer without a pool, block until then."""
        call(raw.cuc_stream_wait_value, self._h, int(buffer) + offset, *_number(value, bits),
             word("compare", compare, _COMPARE))

    def write_value(self, buffer: Any, value: int, *, offset: int = 0, bits: int = 32) -> None:
        """Write a number to device memory in stream order."""
        call(raw.cuc_stream_write_value, self._h, int(buffer) + offset, *_number(value, bits), 0)

    @property
    def capture_id(self) -> int:
        """The unique id of the capture in progress; 0 if there is none."""
        out = options(raw.cuc_capture_info)
        check(raw.cuc_stream_get_capture_info(ctypes.byref(out), self._h))
        return int(out.id)

    def capture(self, mode: str = "thread_local") -> Capture:
        """Capture the stream's work into a graph: `with stream.capture() as graph:`."""
        return _Capture(self, mode)

    def create_graph_builder(self) -> GraphBuilder:
        """Create a graph builder on this stream, as in cuda.core."""
        return _GraphBuilder._of(self)

    async def _wait(self) -> None:
        with self.record() as event:
            await event

    def __await__(self) -> Generator[Any, None, None]:
        return self._wait().__await__()

    def __eq__(self, other: object) -> bool:
        return self.handle == other.handle if isinstance(other, Stream) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.handle)

    def __repr__(self) -> str:
        if not self._h:
            return "<Stream, closed>"
        return f"<Stream handle={self.handle:#x} context={raw.cuc_context_handle(raw.cuc_stream_context(self._h)):#x}>"


@methods
class DefaultStream(Stream):
    """The default stream of the device that is current at the time of use. It never closes."""

    __slots__ = ("_number",)

    def __init__(self, number: int) -> None:
        self._number = number

    def _stream(self) -> Stream:
        device = _Device()
        return device.default_stream if self._number == 1 else device.per_thread_default_stream

    @property
    def _h(self) -> int:  # type: ignore[override]
        return self._stream()._h

    _stream_h = _h

    @property
    def is_closed(self) -> bool:
        return False

    def close(self) -> None:
        """Does nothing: the stream belongs to the device."""

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self._number

    @property
    def handle(self) -> int:
        return self._number

    def __reduce__(self) -> Any:
        return repr(self)  # pickled by name: a module-level singleton

    def __repr__(self) -> str:
        return "LEGACY_DEFAULT_STREAM" if self._number == 1 else "PER_THREAD_DEFAULT_STREAM"


LEGACY_DEFAULT_STREAM, PER_THREAD_DEFAULT_STREAM = DefaultStream(1), DefaultStream(2)

#: A Stream, or an object of another library that has `__cuda_stream__`.
StreamLike = Any


def _protocol_handle(protocol: Any) -> int:
    """Return the handle from `__cuda_stream__`."""
    if not callable(protocol):
        warnings.warn("__cuda_stream__ as an attribute is deprecated, as in cuda.core: it is to be a method",
                      DeprecationWarning, stacklevel=4)
        said = protocol
    else:
        said = protocol()
    try:
        version, handle = said
    except (TypeError, ValueError):
        raise RuntimeError(f"__cuda_stream__ gave {said!r}: expected a version, 0, and a handle") from None
    if version != 0:
        raise RuntimeError(f"__cuda_stream__ of version {version!r} is not known, 0 is")
    return handle  # type: ignore[no-any-return]


def as_stream(value: StreamLike) -> Stream:
    """Convert to a Stream; accept another library's stream through its protocol."""
    if type(value) is Stream:
        return value
    if isinstance(value, Stream):
        return value._stream() if isinstance(value, DefaultStream) else value
    protocol = getattr(value, "__cuda_stream__", None)
    if protocol is not None:
        return Stream.from_handle(_protocol_handle(protocol), owner=value)
    for name in ("cuda_stream", "ptr"):  # attributes of PyTorch and CuPy, older than the protocol
        handle = getattr(value, name, None)
        if isinstance(handle, int) and not hasattr(value, "__dlpack__"):  # arrays have `ptr` too
            return Stream.from_handle(handle, owner=value)
    raise TypeError(f"expected a stream: a Stream or an object with __cuda_stream__, "
                    f"not {type(value).__name__}")
