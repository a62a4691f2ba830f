"""Devices and contexts."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, NoReturn

from . import _stream, raw
from ._errors import check, text
from ._handle import Handle, c_handle, c_text, call, create, get, handle_of
from ._native import DeviceBase, methods
from ._pending import prune
from ._stream import Event, EventOptions, Stream, StreamLike, StreamOptions, as_stream

if TYPE_CHECKING:
    from ._graph_builder import GraphBuilder
    from ._green import ContextOptions, DeviceResources, GreenContext
    from ._memory import Buffer, MemoryResource

# Classes of modules that import this one; those modules set them.
_DeviceResources: type[DeviceResources]
_GreenContext: type[GreenContext]
_MemoryResource: type[MemoryResource]


@methods
class Context(Handle):
    """A driver context. Most programs never need one explicitly."""

    __slots__ = ()
    _release = raw.cuc_context_release
    _made_by = "Device.context, Context.current() and Context.from_handle()"

    @classmethod
    def from_handle(cls, handle: int) -> Context:
        """Wrap a CUcontext owned by other code."""
        return cls._own(create(raw.cuc_context_from_handle, c_handle(handle)))

    @property
    def handle(self) -> int:
        """The CUcontext."""
        return raw.cuc_context_handle(self._h) or 0

    @property
    def device(self) -> Device:
        return Device._of(raw.cuc_context_device(self._h))

    @property
    def is_primary(self) -> bool:
        return bool(raw.cuc_context_is_primary(self._h))

    @property
    def is_green(self) -> bool:
        """Whether this is a green context; see `Device.create_context()`."""
        return False

    @property
    def resources(self) -> DeviceResources:
        """The context's share of the device, as `resources.sm`."""
        return self.device.resources

    @property
    def id(self) -> int:
        """The context's id, which no other context of this process ever has."""
        return int(get(ctypes.c_uint64, raw.cuc_context_get_id, self._h))

    @property
    def is_lost(self) -> bool:
        """Whether an earlier failure destroyed the context."""
        return bool(raw.cuc_context_is_lost(self._h))

    @classmethod
    def current(cls) -> Context | None:
        """The current context of the calling thread, or None."""
        handle = create(raw.cuc_context_get_current)
        return cls._own(handle) if handle else None

    def get_limit(self, limit: int) -> int:
        """Return a limit, selected by a `raw.CUC_LIMIT_` constant."""
        return int(get(ctypes.c_uint64, raw.cuc_context_get_limit, self._h, limit))

    def set_limit(self, limit: int, value: int) -> None:
        """Request a limit; the driver may round the value."""
        call(raw.cuc_context_set_limit, self._h, limit, value)

    @property
    def priority_range(self) -> tuple[int, int]:
        """The (lowest, highest) stream priority; lower numbers run first."""
        least, greatest = ctypes.c_int32(), ctypes.c_int32()
        check(raw.cuc_context_get_priority_range(ctypes.byref(least), ctypes.byref(greatest), self._h))
        return least.value, greatest.value

    def enable_peer_access(self, peer: Context) -> None:
        """Allow kernels of this context to access memory of another device's context."""
        check(raw.cuc_context_enable_peer_access(self._h, handle_of(Context, peer, "peer")))

    def disable_peer_access(self, peer: Context) -> None:
        check(raw.cuc_context_disable_peer_access(self._h, handle_of(Context, peer, "peer")))

    def create_stream(self, options: StreamOptions | dict[str, Any] | None = None) -> Stream:
        return Stream._create(self, options)

    def create_event(self, options: EventOptions | dict[str, Any] | None = None) -> Event:
        return Event._create(self, options)

    def sync(self) -> None:
        check(raw.cuc_context_synchronize(self._h))

    def __repr__(self) -> str:
        return f"<Context handle={self.handle:#x} device={self.device.device_id}>" if self._h else "<Context, closed>"

    def __eq__(self, other: object) -> bool:
        return self.handle == other.handle if isinstance(other, Context) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.handle)


def current_or(device: Device | int | None) -> int | None:
    """Return the device as C expects it; NULL means the current context, if there is one."""
    return Device(device)._h if device is not None or Context.current() is None else None


class ComputeCapability(NamedTuple):
    major: int
    minor: int


_ATTRIBUTES = {name: number for number, name in raw.NAMES["device_attribute"].items()}
_UNITS = raw.UNITS["device_attribute"]


class DeviceProperties:
    """All device attributes by name, such as `multiprocessor_count`; flags are `bool`."""

    __slots__ = ("_device", "__weakref__", "__dict__")  # caches the attributes read so far
    _device: Device

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        raise RuntimeError("DeviceProperties cannot be instantiated directly. Use Device.properties.")

    @classmethod
    def _of(cls, device: Device) -> DeviceProperties:
        self = cls.__new__(cls)
        object.__setattr__(self, "_device", device)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return DeviceProperties._of, (self._device,)

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"properties of a device are not set, such as {name} here")

    def __getattr__(self, name: str) -> int:
        number = _ATTRIBUTES.get(name)
        if number is None:
            raise AttributeError(f"a device has no attribute {name}")
        value = self._device.get_attribute(number)
        made = self.__dict__[name] = bool(value) if _UNITS[number] == "flag" else value
        return made

    def __dir__(self) -> list[str]:
        return list(_ATTRIBUTES)


_SENSORS = {"sm_mhz": raw.CUC_SENSOR_SM_CLOCK, "memory_mhz": raw.CUC_SENSOR_MEMORY_CLOCK,
            "celsius": raw.CUC_SENSOR_TEMPERATURE, "milliwatts": raw.CUC_SENSOR_POWER,
            "throttle": raw.CUC_SENSOR_THROTTLE}


@methods
class Device(DeviceBase):
    """A CUDA device: `Device(0)` by ordinal; `Device()` is the device of the current context, or device 0.

    There is one object per ordinal; closing it is unnecessary. No method needs a current
    context, and only `set_current()` changes the current context.
    """

    __slots__ = ()
    _reference = int  # a plain int: the handle is not owned
    _known: ClassVar[dict[int, Device]] = {}
    _h: int
    _resource: MemoryResource | None

    def __new__(cls, device_id: int | Device | None = None) -> Device:
        if isinstance(device_id, Device):
            return device_id
        if device_id is None:
            return cls._of(create(raw.cuc_device_get_current))
        return cls._of(create(raw.cuc_device_get, device_id))

    @classmethod
    def _of(cls, handle: int | None) -> Device:
        known = cls._known.get(handle or 0)
        if known is None:
            if not handle:
                raise ValueError("there is no device: the object is closed, or is of none")
            known = super().__new__(cls)
            known._h, known._resource, known._found = handle, None, None
            cls._known[handle] = known
        return known

    @classmethod
    def get_all_devices(cls) -> tuple[Device, ...]:
        return tuple(cls(i) for i in range(get(ctypes.c_int32, raw.cuc_device_get_count)))

    @classmethod
    def from_pci_bus_id(cls, bus_id: str) -> Device:
        return cls._of(create(raw.cuc_device_get_by_pci_bus_id, c_text("bus_id", bus_id)))

    @property
    def device_id(self) -> int:
        return raw.cuc_device_ordinal(self._h)

    def __int__(self) -> int:
        return self.device_id

    @property
    def name(self) -> str:
        return text(raw.cuc_device_name(self._h))

    @property
    def uuid(self) -> str:
        """The UUID as cuda.core formats it, without the "GPU-" or "MIG-" prefix of `nvidia-smi`."""
        return text(raw.cuc_device_uuid(self._h))[4:]

    @property
    def pci_bus_id(self) -> str:
        return text(raw.cuc_device_pci_bus_id(self._h))

    @property
    def compute_capability(self) -> ComputeCapability:
        major, minor = ctypes.c_int32(), ctypes.c_int32()
        check(raw.cuc_device_get_compute_capability(ctypes.byref(major), ctypes.byref(minor), self._h))
        return ComputeCapability(major.value, minor.value)

    @property
    def arch(self) -> str:
        """The architecture as cuda.core formats it, such as "90": `ProgramOptions(arch="sm_" + device.arch)`."""
        return text(raw.cuc_device_arch(self._h)).removeprefix("sm_")

    @property
    def properties(self) -> DeviceProperties:
        return DeviceProperties._of(self)

    @property
    def _as_parameter_(self) -> int:
        """The value that ctypes passes to functions of the raw layer."""
        return self._h

    def get_attribute(self, attribute: int) -> int:
        """Return one attribute, selected by a `raw.CUC_DEVICE_` constant or the driver's number."""
        return int(get(ctypes.c_int32, raw.cuc_device_get_attribute, self._h, attribute))

    @property
    def memory_info(self) -> tuple[int, int]:
        """(free, total) bytes."""
        free, total = ctypes.c_uint64(), ctypes.c_uint64()
        check(raw.cuc_device_get_memory_info(ctypes.byref(free), ctypes.byref(total), self._h))
        return free.value, total.value

    def can_access_peer(self, peer: Device | int) -> bool:
        return bool(get(ctypes.c_int32, raw.cuc_device_can_access_peer, self._h, Device(peer)._h))

    def get_peer_attribute(self, peer: Device | int, attribute: int) -> int:
        """Return a peer-to-peer attribute, selected by a `raw.CUC_PEER_` constant."""
        return int(get(ctypes.c_int32, raw.cuc_device_get_peer_attribute, self._h, Device(peer)._h, attribute))

    @property
    def sensors(self) -> dict[str, int]:
        """Current sensor readings: clocks (`sm_mhz`, `memory_mhz`), `milliwatts`, `celsius` and `throttle` bits.
        Readings that NVML lacks are omitted."""
        out = raw.cuc_device_sensors(struct_size=ctypes.sizeof(raw.cuc_device_sensors))
        check(raw.cuc_device_get_sensors(ctypes.byref(out), self._h, sum(_SENSORS.values())))
        return {name: getattr(out, name) for name, bit in _SENSORS.items() if out.known & bit}

    @property
    def context(self) -> Context:
        """The primary context."""
        return Context._own(raw.cuc_context_retain(create(raw.cuc_device_get_context, self._h)))

    def set_current(self, ctx: Context | None = None) -> Context | None:
        """Make the primary context, or the given one, current on this thread, for other libraries.

        Returns the context that was current before.
        """
        before = ctypes.c_void_p()
        if ctx is not None and not isinstance(ctx, Context):
            raise TypeError(f"expected a Context, not {type(ctx).__name__}, which is never current")
        if ctx is None:
            check(raw.cuc_device_set_current(self._h, ctypes.byref(before)))
        else:
            check(raw.cuc_context_set_current(ctx._h, ctypes.byref(before)))
        return Context._own(before.value) if before.value else None

    @property
    def memory_resource(self) -> MemoryResource:
        """The memory resource used by `allocate()`."""
        given = self._resource
        if given is not None and not given._h and not given._closed:
            return given
        # Other code may also set the resource. It remains the device's even if its Python object is
        # closed.
        made = _MemoryResource._found(create(raw.cuc_device_get_memory_resource, self._h))
        if given is not None and given._h == made._h:
            return given
        self._found = made
        return made

    @memory_resource.setter
    def memory_resource(self, resource: MemoryResource | None) -> None:
        handle = handle_of(_MemoryResource, resource, "memory_resource") if resource is not None else 0
        if resource is not None and resource.is_closed:
            raise ValueError(f"the {type(resource).__name__} is closed")
        if resource is None or handle:
            check(raw.cuc_device_set_memory_resource(self._h, handle or None))
        # A resource written in Python serves only allocations that Python makes.
        self._resource = resource

    def allocate(self, size: int, *, stream: StreamLike) -> Buffer:
        """Allocate device memory in stream order."""
        return self.memory_resource.allocate(size, stream=stream)

    @property
    def default_stream(self) -> Stream:
        """The legacy default stream; see also `per_thread_default_stream`."""
        return Stream._own(raw.cuc_stream_retain(
            create(raw.cuc_stream_get_default, self._h, raw.CUC_STREAM_LEGACY)))

    @property
    def per_thread_default_stream(self) -> Stream:
        return Stream._own(raw.cuc_stream_retain(
            create(raw.cuc_stream_get_default, self._h, raw.CUC_STREAM_PER_THREAD)))

    def create_stream(self, obj: Any = None, options: StreamOptions | dict[str, Any] | None = None) -> Stream:
        """Create a stream, or wrap a stream object of another library."""
        if obj is not None:
            if options is not None:
                raise ValueError("expected a stream to wrap or options for a new one, not both")
            return as_stream(obj)
        return Stream._create(self, options)

    @property
    def resources(self) -> DeviceResources:
        """Resources that can be partitioned: `resources.sm`, the multiprocessors."""
        return _DeviceResources._of_device(self)

    def create_context(self, options: ContextOptions | dict[str, Any] | None = None) -> GreenContext:
        """Create a green context: a share of the device's multiprocessors with its own streams."""
        return _GreenContext._create(self, options)

    def create_event(self, options: EventOptions | dict[str, Any] | None = None) -> Event:
        return Event._create(self, options)

    def create_graph_builder(self) -> GraphBuilder:
        """Create a graph builder on a new stream, as in cuda.core."""
        return self.create_stream().create_graph_builder()

    def sync(self) -> None:
        """Wait for all work on the device's primary context."""
        check(raw.cuc_device_synchronize(self._h))
        prune()

    def __reduce__(self) -> tuple[Any, ...]:
        return Device, (self.device_id,)

    def __repr__(self) -> str:
        return f"<Device {self.device_id} ({self.name})>"


_stream._Device, _stream._Context = Device, Context
