"""Inter-process sharing: descriptors of pools, buffers and events."""
from __future__ import annotations

import ctypes
import multiprocessing.context
import multiprocessing.reduction
import os
import uuid as uuids
from typing import Any

from . import raw
from ._errors import check


class IPCAllocationHandle:
    """A pool's file descriptor for another process. multiprocessing pickles it for the processes
    that it starts; for other processes, send it over a Unix socket with `socket.send_fds()`.
    """

    __slots__ = ("_fd", "uuid", "__weakref__")

    def __init__(self, fd: int, uuid: uuids.UUID) -> None:
        if fd < 0:
            raise ValueError(f"fd is {fd}: expected a file descriptor, 0 or more")
        self._fd, self.uuid = fd, uuid

    @property
    def handle(self) -> int:
        """The file descriptor; this object closes it."""
        return self._fd

    def __int__(self) -> int:
        if self._fd < 0:
            raise ValueError("the handle is closed")
        return self._fd

    @property
    def is_closed(self) -> bool:
        return self._fd < 0

    def close(self) -> None:
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def __del__(self) -> None:
        if getattr(self, "_fd", -1) >= 0:
            self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        multiprocessing.context.assert_spawning(self)  # only multiprocessing can transfer a descriptor
        return _sent(self)


def _sent(handle: IPCAllocationHandle) -> tuple[Any, ...]:
    """Reduce the handle for multiprocessing, which sends it to the processes that it starts and
    through its queues and pipes."""
    return _allocation_handle, (multiprocessing.reduction.DupFd(int(handle)), handle.uuid)


def _allocation_handle(fd: Any, uuid: uuids.UUID) -> IPCAllocationHandle:
    return IPCAllocationHandle(fd.detach(), uuid)


multiprocessing.reduction.register(IPCAllocationHandle, _sent)


class IPCBufferDescriptor:
    """Identifies a buffer to a process that has imported its pool. It can be pickled."""

    __slots__ = ("_bytes", "size", "__weakref__")

    def __init__(self, data: bytes, size: int) -> None:
        self._bytes, self.size = bytes(data), size

    def __bytes__(self) -> bytes:
        return self._bytes

    def __eq__(self, other: object) -> bool:
        return (self._bytes, self.size) == (other._bytes, other.size) \
            if isinstance(other, IPCBufferDescriptor) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._bytes)

    def __reduce__(self) -> tuple[Any, ...]:
        return IPCBufferDescriptor, (self._bytes, self.size)


class IPCEventDescriptor:
    """Identifies an event to another process. It can be pickled."""

    __slots__ = ("_bytes", "device_id", "__weakref__")

    def __init__(self, data: bytes, device_id: int) -> None:
        self._bytes, self.device_id = bytes(data), device_id

    def __bytes__(self) -> bytes:
        return self._bytes

    def __eq__(self, other: object) -> bool:
        return self._bytes == other._bytes if isinstance(other, IPCEventDescriptor) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._bytes)

    def __reduce__(self) -> tuple[Any, ...]:
        return IPCEventDescriptor, (self._bytes, self.device_id)


def exported(function: Any, handle: int) -> bytes:
    """Return the descriptor bytes of a buffer or event."""
    out = raw.cuc_ipc_handle()
    check(function(ctypes.byref(out), handle))
    return bytes(out.bytes)


def imported(descriptor: Any, kind: type[IPCBufferDescriptor | IPCEventDescriptor]) -> Any:
    """Convert a descriptor of the given kind to its C struct."""
    if not isinstance(descriptor, kind):
        raise TypeError(f"ipc_descriptor is a {type(descriptor).__name__}: expected {kind.__name__}")
    return raw.cuc_ipc_handle.from_buffer_copy(bytes(descriptor))


__all__ = ["IPCAllocationHandle", "IPCBufferDescriptor", "IPCEventDescriptor"]
