"""Green contexts, which own a share of a device's multiprocessors, and the resources from which
they are split."""
from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from . import _device, raw
from ._device import Device
from ._errors import NotSupportedError, check
from ._handle import Handle, call, create, given_as, not_made, options as struct_of
from ._stream import Event, EventOptions, Stream, StreamOptions


@dataclass
class SMResourceOptions:
    """Options for splitting multiprocessors."""

    count: int | Sequence[int] | None = None  #: group size; a sequence: several groups of one size; None: the least
    ignore_coscheduling: bool = False  #: allow smaller groups, which may not support large clusters
    max_cluster_size: bool = False  #: make groups that support the largest possible clusters


class SMResource:
    """A set of multiprocessors that belongs to a device, a green context or a split."""

    __slots__ = ("_struct", "device", "__weakref__")
    _struct: Any
    device: Device

    def __init__(self) -> None:
        not_made("SMResource objects", "device.resources.sm, context.resources.sm and split()")

    @classmethod
    def _of(cls, struct: Any, device: Device) -> SMResource:
        self = cls.__new__(cls)
        self._struct, self.device = struct, device
        return self

    @property
    def handle(self) -> int:
        """The address of the CUdevResource."""
        offset: int = raw.cuc_sms.driver.offset
        return ctypes.addressof(self._struct) + offset

    @property
    def sm_count(self) -> int:
        return int(self._struct.count)

    @property
    def min_partition_size(self) -> int:
        """The smallest group size; 0 if the driver (before CUDA 13.0) does not report it."""
        return int(self._struct.least)

    @property
    def coscheduled_alignment(self) -> int:
        """Group sizes are multiples of this number; 0 if the driver does not report it."""
        return int(self._struct.alignment)

    def split(self, options: SMResourceOptions | dict[str, Any], dry_run: bool = False
              ) -> tuple[tuple[SMResource, ...], SMResource | None]:
        """Split into groups and a remainder, which is None if nothing is left. The groups that a
        dry run returns can only be inspected.
        """
        given = given_as(SMResourceOptions, options)
        wanted = given.count
        sizes = [wanted or 0] if wanted is None or isinstance(wanted, int) else list(wanted)
        if not sizes:
            raise ValueError("count is empty: expected the size of each group")
        if len(set(sizes)) > 1:
            raise NotSupportedError(f"count is {tuple(sizes)}: groups of one split are of one size here")
        flags = (raw.CUC_SMS_ANY if given.ignore_coscheduling else 0) | \
                (raw.CUC_SMS_MAX_CLUSTER if given.max_cluster_size else 0)
        least, count = sizes[0], ctypes.c_uint32(len(sizes))
        if least < 0:
            raise ValueError(f"count is {least}: expected 0 or more")
        groups, rest = (raw.cuc_sms * len(sizes))(), raw.cuc_sms()
        call(raw.cuc_sms_split, groups, ctypes.byref(count), ctypes.byref(rest), ctypes.byref(self._struct), least,
             flags)
        if count.value < len(sizes):
            raise ValueError(f"{len(sizes)} groups of {least} multiprocessors do not go into {self.sm_count}: "
                             f"there is room for {count.value} of {groups[0].count}")
        made = tuple(SMResource._of(raw.cuc_sms.from_buffer_copy(groups[i]), self.device) for i in range(count.value))
        if dry_run:
            for each in made:
                ctypes.memset(each.handle, 0, raw.cuc_sms.driver.size)  # zero exactly the driver's struct
        return made, SMResource._of(rest, self.device) if rest.count else None

    def __repr__(self) -> str:
        return f"<SMResource of {self.sm_count} multiprocessors of {self.device!r}>"


class DeviceResources:
    """The resources of a device that can be split, as `sm`."""

    __slots__ = ("sm", "__weakref__")
    sm: SMResource

    def __init__(self) -> None:
        not_made("DeviceResources objects", "device.resources and context.resources")

    @classmethod
    def _of(cls, sm: SMResource) -> DeviceResources:
        self = cls.__new__(cls)
        self.sm = sm
        return self

    @classmethod
    def _of_device(cls, device: Device) -> DeviceResources:
        struct = raw.cuc_sms()
        check(raw.cuc_device_get_sms(ctypes.byref(struct), device._h))
        return cls._of(SMResource._of(struct, device))


@dataclass
class ContextOptions:
    """Options of a green context: which multiprocessors of one split it gets."""

    resources: Sequence[SMResource] | SMResource | None = ()


class GreenContext(Handle):
    """A share of a device. Work on its streams runs only on its multiprocessors; memory, code and
    events belong to the device.
    """

    __slots__ = ()
    _release = raw.cuc_green_context_release
    _made_by = "Device.create_context()"

    @classmethod
    def _create(cls, device: Device, options: ContextOptions | dict[str, Any] | None) -> GreenContext:
        given = given_as(ContextOptions, options)
        if options is None or given.resources is None:
            raise ValueError("resources must be provided: ContextOptions(groups), of device.resources.sm.split()")
        parts = [given.resources] if isinstance(given.resources, SMResource) else list(given.resources)
        for part in parts:
            if not isinstance(part, SMResource):
                raise TypeError(f"resources: expected SMResource, not {part!r}")
        array = (raw.cuc_sms * max(len(parts), 1))(*[p._struct for p in parts])
        return cls._own(create(raw.cuc_green_context_create, device._h, array, len(parts)))

    @property
    def handle(self) -> int:
        """The CUgreenCtx."""
        return raw.cuc_green_context_handle(self._h) or 0

    @property
    def device(self) -> Device:
        return Device._of(raw.cuc_green_context_device(self._h))

    @property
    def is_green(self) -> bool:
        return True

    @property
    def resources(self) -> DeviceResources:
        struct = raw.cuc_sms()
        check(raw.cuc_green_context_get_sms(ctypes.byref(struct), self._h))
        return DeviceResources._of(SMResource._of(struct, self.device))

    def create_stream(self, options: StreamOptions | dict[str, Any] | None = None) -> Stream:
        chosen = given_as(StreamOptions, options)
        if not chosen.nonblocking:
            raise ValueError("a stream of a green context is never in step with the legacy default stream: "
                             "nonblocking has to be True")
        made = struct_of(raw.cuc_stream_options, priority=chosen.priority or 0)
        chosen._check(self.device.context)
        return Stream._own(create(raw.cuc_green_context_stream_create, self._h, ctypes.byref(made)))

    def create_event(self, options: EventOptions | dict[str, Any] | None = None) -> Event:
        """Create an event; see `Device.create_event()`."""
        return self.device.create_event(options)

    def __eq__(self, other: object) -> bool:
        return self.handle == other.handle if isinstance(other, GreenContext) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.handle)


_device._DeviceResources, _device._GreenContext = DeviceResources, GreenContext
