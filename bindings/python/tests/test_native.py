"""Tests that native methods behave like the Python definitions that they replace: same results,
errors and lifetimes."""
import gc
import os
import sys
import threading
import time
import tracemalloc
import unittest
import weakref

import cucore
from cucore import (
    LEGACY_DEFAULT_STREAM, Buffer, Device, DeviceMemoryResource, DeviceMemoryResourceOptions, Event, EventOptions,
    InvalidArgumentError, LaunchConfig, LegacyPinnedMemoryResource, ManagedBuffer, MemoryResource, Stream,
)
from cucore import _native
from cucore.utils import StridedMemoryView
from support import DeviceTest, child

PROGRAM = """
import gc, sys, threading
from cucore import *
device = Device(0)
stream, other = device.create_stream(), device.create_stream()
"""


class Replaced(unittest.TestCase):
    def test_methods_are_the_librarys_or_pythons(self):
        native = os.environ.get("CUCORE_PYTHON_NATIVE") != "0" and "free-threading" not in sys.version
        self.assertEqual(_native.is_there, native)
        kind = "method_descriptor" if native else "function"
        for cls, names in ((Stream, ("wait", "record", "sync", "close")), (Buffer, ("fill", "copy_to", "close")),
                           (Event, ("record", "sync")), (MemoryResource, ("allocate",)), (Device, ("allocate",)),
                           (Buffer, ("__dlpack__", "__dlpack_device__")),
                           (StridedMemoryView, ("view", "__dlpack__", "__dlpack_device__"))):
            for name in names:
                self.assertEqual(type(cls.__dict__[name]).__name__, kind, f"{cls.__name__}.{name}")

    def test_classes_have_what_they_inherit(self):
        for cls, names in ((Event, ("close", "is_closed")), (Buffer, ("is_closed",)),
                           (DeviceMemoryResource, ("allocate", "device_id", "is_device_accessible", "handle")),
                           (LegacyPinnedMemoryResource, ("allocate", "device_id")), (ManagedBuffer, ("fill", "size")),
                           (type(LEGACY_DEFAULT_STREAM), ("sync", "record", "device"))):
            for name in names:
                self.assertEqual(name in cls.__dict__, _native.is_there, f"{cls.__name__}.{name}")
        self.assertNotIn("close", type("Mine", (Event,), {}).__dict__)

    def test_slots_are_the_librarys_or_pythons(self):
        kind = "wrapper_descriptor" if _native.is_there else "function"
        for cls, names in ((Stream, ("__hash__", "__eq__")), (Event, ("__hash__", "__eq__", "__sub__")),
                           (Buffer, ("__hash__", "__eq__")), (LaunchConfig, ("__init__", "__hash__", "__eq__"))):
            for name in names:
                self.assertEqual(type(getattr(cls, name)).__name__, kind, f"{cls.__name__}.{name}")

    def test_python_alone_does_the_same(self):
        said = child(PROGRAM + """
from cucore import _native
event = stream.record()
other.wait(event)
stream.wait(other)
with device.allocate(64, stream=stream) as buffer:
    buffer.fill(1, stream=stream)
    view = buffer.view("f32")
    print(_native.is_there, buffer.size, view.shape, Tensor.from_dlpack(view).shape)
stream.sync()
print(event.is_done, Device(0) is device, stream.device is device, buffer.is_closed, stream == other)
""", CUCORE_PYTHON_NATIVE="0")
        self.assertEqual(said, "False 64 (16,) (16,)\nTrue True True True False\n")


# Prints lines "name: result" for arrays of every origin. Both implementations must print the same.
ARRAYS = PROGRAM + """
import ctypes
from cucore import raw
from cucore.utils import StridedMemoryView as View
buffer = device.allocate(256, stream=stream)
start = buffer.handle
closed = device.allocate(64, stream=stream)
pinned = LegacyPinnedMemoryResource().allocate(64, stream=stream)
capsule_name = ctypes.pythonapi.PyCapsule_GetName
capsule_name.restype, capsule_name.argtypes = ctypes.c_char_p, [ctypes.py_object]

class Said:
    def __init__(self, on_device=False, **said):
        said = {"shape": (2, 3), "typestr": "<f4", "data": (start, False), "version": 3, **said}
        setattr(self, "__cuda_array_interface__" if on_device else "__array_interface__", said)

class Producer:
    def __init__(self, given):
        self.given = given
    def __dlpack_device__(self):
        return self.given.__dlpack_device__()
    def __dlpack__(self, **how):
        return self.given.__dlpack__(**how)

def show(what, do):
    try:
        made = do()
    except Exception as error:
        print(what, type(error).__name__, str(error).splitlines()[0])
        return
    if isinstance(made, View):
        offset = made.ptr - start  # unpredictable for memory of another buffer
        made = (offset if 0 <= offset < buffer.size else None, made.shape, made.strides, made.size, str(made.dtype),
                made.device_id, made.readonly, made.is_device_accessible, type(made.exporting_obj).__name__)
    elif type(made).__name__ == "PyCapsule":
        made = capsule_name(made)
    print(what, made)

part = View.from_buffer(buffer, (4, 8), dtype="f32")
fixed = View.from_buffer(buffer, (4, 8), dtype="i32", is_readonly=True)
gone = View.from_buffer(closed, (8,), dtype="f32")
closed.close()
for what, do in {
        "part": lambda: part, "fixed": lambda: fixed, "of a closed one": lambda: gone,
        "scalar": lambda: View.from_buffer(buffer, (), dtype="f32"),
        "empty": lambda: View.from_buffer(buffer, (0, 4), dtype="f32"),
        "pinned": lambda: View.from_buffer(pinned, (8,), dtype="f64"),
        "bytes": lambda: View.from_buffer(buffer, (256,), itemsize=1),
        "strides": lambda: View.from_buffer(buffer, (4, 4), (1, 4), dtype="f32"),
        "list": lambda: View.from_buffer(buffer, [4, 4], dtype="f32"),
        "too large": lambda: View.from_buffer(buffer, (4, 17), dtype="f32"),
        "too many axes": lambda: View.from_buffer(buffer, (1,) * 40, dtype="f32"),
        "negative": lambda: View.from_buffer(buffer, (-1,), dtype="f32"),
        "huge": lambda: View.from_buffer(buffer, (1 << 70,), dtype="f32"),
        "no dtype": lambda: View.from_buffer(buffer, (4,)),
        "two dtypes": lambda: View.from_buffer(buffer, (4,), dtype="f32", itemsize=4),
        "unknown dtype": lambda: View.from_buffer(buffer, (4,), dtype="f33"),
        "dtype 5": lambda: View.from_buffer(buffer, (4,), dtype=raw.CUC_F32),
        "dtype 5.0": lambda: View.from_buffer(buffer, (4,), dtype=float(raw.CUC_F32)),
        "closed": lambda: View.from_buffer(closed, (4,), dtype="f32"),
        "no buffer": lambda: View.from_buffer(3, (4,), dtype="f32"),
        "as i32": lambda: part.view(dtype="i32"), "as i64": lambda: part.view(dtype="i64"),
        "laid": lambda: part.view((2, 16)), "as it is": lambda: part.view(),
        "export": lambda: part.__dlpack__(stream=-1), "export new": lambda: part.__dlpack__(max_version=(1, 1)),
        "export old": lambda: part.__dlpack__(max_version=(0, 8)),
        "export to a stream": lambda: part.__dlpack__(stream=other.handle),
        "export to its own": lambda: part.__dlpack__(stream=stream.handle),
        "export to 0": lambda: part.__dlpack__(stream=0), "export to 2": lambda: part.__dlpack__(stream=2),
        "export a copy": lambda: part.__dlpack__(copy=True), "export no copy": lambda: part.__dlpack__(copy=False),
        "export elsewhere": lambda: part.__dlpack__(dl_device=(1, 0)),
        "export there": lambda: part.__dlpack__(dl_device=(2, 0)),
        "export version 3": lambda: part.__dlpack__(max_version=3),
        "export unknown": lambda: part.__dlpack__(color=1), "export by place": lambda: part.__dlpack__(1),
        "export fixed": lambda: fixed.__dlpack__(), "export fixed new": lambda: fixed.__dlpack__(max_version=(1, 0)),
        "export of a closed one": lambda: gone.__dlpack__(stream=-1),
        "device": part.__dlpack_device__, "device of pinned": pinned.__dlpack_device__,
        "buffer": lambda: buffer.__dlpack__(stream=-1), "buffer new": lambda: buffer.__dlpack__(max_version=(1, 0)),
        "buffer device": buffer.__dlpack_device__, "closed buffer": closed.__dlpack__,
        "closed buffer device": closed.__dlpack_device__, "buffer to 0": lambda: buffer.__dlpack__(stream=0),
        "producer": lambda: View.from_dlpack(Producer(part), -1),
        "producer on the host": lambda: View.from_dlpack(Producer(pinned), -1),
        "producer in order": lambda: View.from_dlpack(Producer(part), stream.handle),
        "producer of a closed one": lambda: View.from_dlpack(Producer(closed), -1),
        "producer of none": lambda: View.from_dlpack(Producer(3), -1),
        "buffer by any": lambda: View.from_any_interface(buffer, -1),
        "producer by any": lambda: View.from_any_interface(Producer(part), -1),
        "no order said": lambda: View.from_dlpack(Producer(part)),
        "host": lambda: View.from_array_interface(Said()),
        "host strides": lambda: View.from_array_interface(Said(strides=(4, 8))),
        "host cut strides": lambda: View.from_array_interface(Said(strides=(4, 6))),
        "host fewer strides": lambda: View.from_array_interface(Said(strides=(4,))),
        "host fixed": lambda: View.from_array_interface(Said(data=(start, True))),
        "host empty": lambda: View.from_array_interface(Said(shape=(0, 3), data=(0, False))),
        "host other order": lambda: View.from_array_interface(Said(typestr=">f4")),
        "host unknown": lambda: View.from_array_interface(Said(typestr="<M8")),
        "host records": lambda: View.from_array_interface(Said(typestr="|V12")),
        "host mask": lambda: View.from_array_interface(Said(mask=Said())),
        "host list": lambda: View.from_array_interface(Said(shape=[2, 3])),
        "host without data": lambda: View.from_array_interface(Said(data=(0, False))),
        "host none": lambda: View.from_array_interface(3),
        "cuda": lambda: View.from_cuda_array_interface(Said(True), -1),
        "cuda producer's stream": lambda: View.from_cuda_array_interface(Said(True, stream=other.handle), -1),
        "cuda in order": lambda: View.from_cuda_array_interface(Said(True, stream=other.handle), stream.handle),
        "cuda no order said": lambda: View.from_cuda_array_interface(Said(True)),
        "cuda empty": lambda: View.from_cuda_array_interface(Said(True, shape=(0,), data=(0, False)), -1),
        "cuda none": lambda: View.from_cuda_array_interface(3, -1)}.items():
    show(what, do)
    show(what, do)  # with what the first one has left
"""


MADE = PROGRAM + """
import weakref

class Theirs:
    def __init__(self, *said):
        self.said = said
    def __cuda_stream__(self):
        return self.said

class Mine(Stream):
    __slots__ = ()

class Kept:
    pass

device.set_current()
context = stream.context
address = device.allocate(64, stream=stream).handle

def stream_of(*given, **options):
    made = device.create_stream(*given, **options)
    return made is stream, made == other, type(made).__name__, made.priority, made.is_nonblocking

def event_of(*given, **options):
    made = device.create_event(*given, **options)
    return made.is_timing_enabled, made.is_blocking_sync, made.is_ipc_enabled, made.context == context

def kept(make, read=lambda made, owner: None):
    owner = Kept()
    owner.__cuda_stream__ = lambda: (0, other.handle)
    ended = weakref.ref(owner)
    made = make(owner)
    seen = read(made, owner)
    del owner
    stays = ended() is not None
    made.close()
    return seen, stays, ended() is None

def buffer_of(*given, **options):
    made = Buffer.from_handle(*given, **options)
    return made.handle == address, made.size, made.memory_resource, made.owner, made.device_id

def wrong(kind, name, value):
    made = kind()
    setattr(made, name, value)
    return made

Bad = type("Bad", (), {"__bool__": lambda self: 1 // 0})
for what, do in {
        "stream": stream_of, "stream itself": lambda: stream_of(stream), "mine": lambda: stream_of(Mine.from_handle(other.handle)),
        "default": lambda: stream_of(LEGACY_DEFAULT_STREAM),
        "options": lambda: stream_of(options=StreamOptions(nonblocking=False, priority=-1)),
        "no priority": lambda: stream_of(options=StreamOptions(priority=None)),
        "large priority": lambda: stream_of(options=StreamOptions(priority=1 << 40)),
        "true priority": lambda: stream_of(options=StreamOptions(priority=True)),
        "text priority": lambda: stream_of(options=StreamOptions(priority="1")),
        "bad flag": lambda: stream_of(options=StreamOptions(nonblocking=Bad())),
        "dict": lambda: stream_of(options={"nonblocking": False}), "wrong dict": lambda: stream_of(options={"color": 1}),
        "wrong options": lambda: stream_of(options=EventOptions()), "both": lambda: stream_of(stream, StreamOptions()),
        "theirs": lambda: stream_of(Theirs(0, other.handle)), "version 1": lambda: stream_of(Theirs(1, other.handle)),
        "long": lambda: stream_of(Theirs(0, 1, 2)), "text": lambda: stream_of(Theirs(0, "1")), "none": lambda: stream_of(3),
        "huge": lambda: stream_of(Theirs(0, 1 << 70)), "owner": lambda: kept(device.create_stream),
        "event": event_of, "event options": lambda: event_of(EventOptions(timing_enabled=True, blocking_sync=True)),
        "event ipc": lambda: event_of(EventOptions(ipc_enabled=True)),
        "event both": lambda: event_of(EventOptions(ipc_enabled=True, timing_enabled=True)),
        "event bad flag": lambda: event_of(EventOptions(blocking_sync=Bad())),
        "event dict": lambda: event_of({"timing_enabled": True}), "event of stream's": lambda: event_of(StreamOptions()),
        "handle": lambda: buffer_of(address, 64), "handle and resource": lambda: buffer_of(address, 64, stream),
        "keyword": lambda: buffer_of(size=64, ptr=address), "with stream": lambda: buffer_of(address, 64, stream=stream),
        "kept": lambda: kept(lambda owner: Buffer.from_handle(address, 64, owner=owner), lambda made, owner: made.owner is owner),
        "kept by a part": lambda: kept(lambda owner: Buffer.from_handle(address, 64, owner=owner)[8:16]),
        "text address": lambda: buffer_of("1", 64), "negative": lambda: buffer_of(address, -1),
        "no address": lambda: buffer_of(0, 64), "large": lambda: buffer_of(1 << 70, 64),
        "context": lambda: (context == other.context, stream.record().context == context, type(context).__name__),
        "current": lambda: device.set_current() == context, "current one": lambda: device.set_current(context) == context,
        "wrong context": lambda: device.set_current(stream)}.items():
    for _ in range(2):
        try:
            print(what, do())
        except Exception as error:
            print(what, type(error).__name__, str(error).splitlines()[0])
"""


# Does the same for launch configs and slots.
CONFIGS = PROGRAM + """
import copy, ctypes, pickle, weakref
from cucore import raw

class Mine(LaunchConfig):
    def __init__(self, size):
        super().__init__(grid=size, block=32)
        self.size = size

class Number(int):
    pass

def said(config):
    struct = raw.cuc_launch_config.from_address(config._address)
    return (config.grid, config.cluster, config.block, config.shmem_size, config.is_cooperative,
            config.programmatic_stream_serialization, *map(tuple, (struct.grid, struct.block, struct.cluster)),
            struct.shared_bytes, struct.flags, struct.struct_size == ctypes.sizeof(struct), config)

def assigned(**fields):
    config = LaunchConfig(8, None, 64)
    address = config._address
    for name, value in fields.items():
        setattr(config, name, value)
    return said(config), config._address == address

def again():
    config = LaunchConfig(8, None, 64)
    config.__init__((3, 4), block=5)
    return said(config)

def refused_again():
    config = LaunchConfig(8, None, 64)
    try:
        config.__init__(0)
    except ValueError:
        return said(config)

MORE = {
    "none": lambda: said(LaunchConfig()), "numbers": lambda: said(LaunchConfig(2, 3, 4, 5, True, True)),
    "tuples": lambda: said(LaunchConfig((2, 3), (1, 2, 1), (4,))), "lists": lambda: said(LaunchConfig([2, 3], block=[4, 5, 6])),
    "keywords": lambda: said(LaunchConfig(block=128, grid=(8, 8), shmem_size=1024)),
    "no block": lambda: said(LaunchConfig(grid=4, block=None)), "flags": lambda: said(LaunchConfig(is_cooperative=1)),
    "subclassed": lambda: said(LaunchConfig(Number(3), block=(Number(4), 2))), "true": lambda: said(LaunchConfig(True)),
    "large": lambda: said(LaunchConfig(2**32 - 1)), "too large": lambda: LaunchConfig(2**32),
    "huge": lambda: LaunchConfig(2**70), "with clusters": lambda: LaunchConfig(2**31, 4), "zero": lambda: LaunchConfig(0),
    "negative": lambda: LaunchConfig(block=-1), "four": lambda: LaunchConfig((1, 2, 3, 4)), "empty": lambda: LaunchConfig(()),
    "text": lambda: LaunchConfig("2"), "no grid": lambda: LaunchConfig(None), "shared": lambda: LaunchConfig(shmem_size=-1),
    "much shared": lambda: LaunchConfig(shmem_size=2**32), "float": lambda: LaunchConfig(shmem_size=1.0),
    "unknown": lambda: LaunchConfig(color=1), "twice": lambda: LaunchConfig(1, grid=2), "seven": lambda: LaunchConfig(1, 2, 3, 4, 5, 6, 7),
    "mine": lambda: (said(Mine((2, 2)))[:-1], Mine(3).size), "mine refused": lambda: Mine(0),
    "assigned": lambda: assigned(grid=(2, 2), shmem_size=16), "assigned cluster": lambda: assigned(cluster=2, block=None),
    "assigned wrong": lambda: assigned(grid=0), "unknown assigned": lambda: assigned(color=1), "again": again,
    "refused again": refused_again,
    "equal": lambda: (LaunchConfig(2) == LaunchConfig((2, 1)), LaunchConfig(2) != LaunchConfig(2), LaunchConfig(2) == 2,
                      LaunchConfig(4) == LaunchConfig(2, 2), len({LaunchConfig(2), LaunchConfig((2,)), LaunchConfig(3)})),
    "ordered": lambda: LaunchConfig(2) < LaunchConfig(3),
    "copied": lambda: (said(copy.copy(LaunchConfig(2, 3, 4))), copy.deepcopy(LaunchConfig(2)) == LaunchConfig(2)),
    "pickled": lambda: said(pickle.loads(pickle.dumps(LaunchConfig(2, 3, 4, 5, True)))),
    "weak": lambda: (lambda config: weakref.ref(config)() is config)(LaunchConfig(2)),
    "kept by a field": lambda: (lambda config: (setattr(config, "is_cooperative", [config]), len(config.is_cooperative)))(LaunchConfig()),
    "not made": lambda: LaunchConfig.__new__(LaunchConfig).grid,
}

timed = EventOptions(timing_enabled=True)
first, last = stream.record(options=timed), stream.record(options=timed)
stream.sync()
buffer, same = device.allocate(64, stream=stream), None
same = Buffer.from_handle(buffer.handle, 64)
closed = device.allocate(64, stream=stream)
closed.close()
gone = stream.record()
gone.close()

class Equal(Stream):
    __slots__ = ()
    def __eq__(self, other):
        return True
    __hash__ = Stream.__hash__

class Later(Event):
    __slots__ = ()
    def __sub__(self, other):
        return "mine"

class Right:
    def __rsub__(self, other):
        return "right"

equal = Equal.from_handle(other.handle)
later = Later.from_handle(last.handle)
MORE.update({
    "streams": lambda: (stream == stream, stream != stream, stream == other, stream != other, stream == 3, stream != None),
    "stream order": lambda: stream < other, "equal": lambda: (equal == stream, equal != stream, stream == equal, stream != equal),
    "hashes": lambda: (hash(stream) == hash(stream.handle), hash(first) == hash(first.handle), hash(buffer) == hash(same),
                       hash(gone) == hash(0), hash(LEGACY_DEFAULT_STREAM) == 1, hash(closed) == hash(Buffer.from_handle(0, 0))),
    "defaults": lambda: (LEGACY_DEFAULT_STREAM == PER_THREAD_DEFAULT_STREAM, LEGACY_DEFAULT_STREAM == device.default_stream,
                         device.default_stream != LEGACY_DEFAULT_STREAM),
    "buffers": lambda: (buffer == same, buffer != same, buffer == closed, buffer != closed, closed == closed, buffer == 3),
    "events": lambda: (first == first, first == last, first != last, gone == first, first == stream),
    "elapsed": lambda: (last - first >= 0, type(last - first)), "mine elapsed": lambda: (later - first, type(first - later)),
    "right": lambda: first - Right(), "wrong": lambda: first - 3, "wrong left": lambda: 3 - first,
    "no timing": lambda: first - stream.record(), "closed event": lambda: first - gone, "closed left": lambda: gone - first,
    "never": lambda: first - device.create_event(timed),
    "copies": lambda: [(made.size, made is not buffer, made.memory_resource is buffer.memory_resource, bytes(pinned.host_view()))
                       for pinned in [LegacyPinnedMemoryResource().allocate(64)]
                       for made in [buffer.copy_to(stream=stream)]
                       for _ in [made.fill(7, stream=stream), made.copy_to(pinned, stream=stream), stream.sync()]],
    "copy of a part": lambda: buffer[8:16].copy_to(stream=stream).size, "copy of closed": lambda: closed.copy_to(stream=stream),
    "copy of foreign": lambda: same.copy_to(stream=stream).size, "copy to none": lambda: buffer.copy_to(None, stream=stream).size,
    "copy without": lambda: buffer.copy_to(),
    "pinned": lambda: [(made.size, made.is_host_accessible, type(made.memory_resource).__name__) for made in
                       (LegacyPinnedMemoryResource().allocate(8), LegacyPinnedMemoryResource().allocate(8, stream=None),
                        LegacyPinnedMemoryResource().allocate(size=8, stream=stream))],
    "pinned wrong": lambda: LegacyPinnedMemoryResource().allocate(8, stream), "pinned stream": lambda: LegacyPinnedMemoryResource().allocate(8, stream=3),
    "managed": lambda: type(LegacyManagedMemoryResource().allocate(8)).__name__,
    "protocol": lambda: (stream.__cuda_stream__() == (0, stream.handle), stream.__cuda_stream__() == (0, stream.handle)),
    "no protocol": lambda: Equal.from_handle(0).__cuda_stream__(),
    "priorities": lambda: [(made.priority, made.priority, made.is_nonblocking, made.is_nonblocking) for made in
                           (stream, device.create_stream(options=StreamOptions(nonblocking=False, priority=-1)))],
})
for what, do in MORE.items():
    for _ in range(2):
        try:
            print(what, do())
        except Exception as error:
            print(what, type(error).__name__, str(error).splitlines()[0])
"""


class Same(DeviceTest):
    def test_configs_and_slots_are_the_same_as_by_python_alone(self):
        native, python = (child(CONFIGS, CUCORE_PYTHON_NATIVE=each, PYTHONMALLOC="debug").splitlines() for each in "10")
        for ours, theirs in zip(native, python):
            self.assertEqual(ours, theirs)
        self.assertEqual(len(native), len(python))
        self.assertEqual(len(native), 136)

    def test_created_objects_are_the_same_as_by_python_alone(self):
        native, python = (child(MADE, CUCORE_PYTHON_NATIVE=each, PYTHONMALLOC="debug").splitlines() for each in "10")
        self.assertEqual(native, python)
        self.assertEqual(len(native), 84)

    def test_arrays_are_the_same_as_by_python_alone(self):
        native, python = (child(ARRAYS, CUCORE_PYTHON_NATIVE=each, PYTHONMALLOC="debug").splitlines() for each in "10")
        self.assertEqual(native, python)
        self.assertEqual(len(native), 152)

    def test_errors_name_the_call_and_the_type(self):
        buffer = self.device.allocate(64, stream=self.stream)
        closed = self.device.allocate(64, stream=self.stream)
        closed.close()
        for kind, text, do in (
                (ValueError, "expected an Event, a Stream", lambda: self.stream.wait(4)),
                (TypeError, "expected Event", lambda: self.stream.record("event")),
                (TypeError, "stream", lambda: buffer.fill(0)),
                (TypeError, "unexpected keyword", lambda: buffer.fill(0, stream=self.stream, color=1)),
                (OverflowError, "256", lambda: buffer.fill(256, stream=self.stream)),
                (ValueError, "3 bytes|1, 2 or 4", lambda: buffer.fill(b"abc", stream=self.stream)),
                (ValueError, "the Buffer is closed", lambda: buffer.copy_to(closed, stream=self.stream)),
                (OverflowError, "fit", lambda: self.device.allocate(-1, stream=self.stream)),
                (OverflowError, "fit", lambda: self.device.allocate(1 << 64, stream=self.stream)),
                (TypeError, "expected a stream", lambda: self.device.allocate(64, stream="s")),
                (ValueError, r"^Buffer\.copy_to\(\)", lambda: buffer.copy_to(buffer, stream=self.stream))):
            with self.assertRaisesRegex(kind, text):
                do()

    def test_subclasses_are_taken_and_override(self):
        made = []

        class Mine(MemoryResource):
            is_device_accessible, is_host_accessible, device_id = True, False, 0

            def allocate(self, size, *, stream):
                made.append(size)
                return Buffer.from_handle(4096, size, mr=self, stream=stream)

            def deallocate(self, ptr, size, *, stream):
                made.append(-size)

        class Pool(DeviceMemoryResource):
            def allocate(self, size, *, stream):
                made.append("pool")
                return super().allocate(size, stream=stream)

        try:
            for resource in (Mine(), Pool(0, DeviceMemoryResourceOptions())):
                self.device.memory_resource = resource
                buffer = self.device.allocate(96, stream=self.stream)
                self.assertIs(buffer.memory_resource, resource)
                buffer.close()
        finally:
            self.device.memory_resource = None
        self.assertEqual(made, [96, -96, "pool"])
        self.assertIsNot(type(self.device.memory_resource), Pool)

    def test_equality_and_hashes_are_those_of_the_handles(self):
        other = self.device.create_stream()
        again = Stream.from_handle(self.stream.handle)
        self.assertEqual(self.stream, again)
        self.assertNotEqual(self.stream, other)
        self.assertFalse(self.stream == 3 or self.stream is None)
        self.assertEqual(len({self.stream, again, other}), 2)
        self.assertEqual(hash(self.stream), hash(self.stream.handle))
        event = self.stream.record()
        self.assertEqual(hash(event), hash(event.handle))

    def test_devices_are_one_object_each(self):
        self.assertIs(Device(0), self.device)
        self.assertIs(Device(self.device), self.device)
        self.assertIs(self.stream.device, self.device)
        self.assertIs(self.stream.record().device, self.device)
        for bad in (-1, 1000, 1 << 70):
            with self.assertRaises((ValueError, OverflowError, cucore.CUDAError)):
                Device(bad)


    def test_constant_objects_are_created_once_per_device(self):
        for name in ("compute_capability", "arch", "name", "uuid", "pci_bus_id", "properties"):
            first = getattr(self.device, name)
            again = getattr(self.device, name)
            self.assertTrue(again is first if _native.is_there else again == first or name == "properties", name)
        properties = self.device.properties
        for name in dir(properties):
            value = getattr(properties, name)
            self.assertEqual((value, type(value)), (getattr(properties, name), type(getattr(properties, name))), name)
        with self.assertRaisesRegex(AttributeError, "multiprocessor_count"):
            properties.multiprocessor_count = 1
        with self.assertRaisesRegex(AttributeError, "no attribute warp_count"):
            properties.warp_count


class Theirs:
    """A stream of another library."""

    def __init__(self, handle):
        self.handle = handle

    def __cuda_stream__(self):
        return 0, self.handle


class Lifetimes(DeviceTest):
    def test_a_buffer_keeps_its_resource_and_nothing_keeps_a_buffer(self):
        pool = DeviceMemoryResource(0, DeviceMemoryResourceOptions())
        buffer, gone = pool.allocate(64, stream=self.stream), weakref.ref(pool)
        del pool
        self.assertIs(buffer.memory_resource, gone())
        ended = weakref.ref(buffer)
        del buffer
        self.assertIsNone(ended())
        self.assertIsNone(gone())

    def test_cycles_are_collected(self):
        class Pool(DeviceMemoryResource):
            pass

        pool = Pool(0, DeviceMemoryResourceOptions())
        pool.buffers = [pool.allocate(64, stream=self.stream)]
        ended = weakref.ref(pool)
        del pool
        gc.collect()
        self.assertIsNone(ended())

    def test_references_neither_leak_nor_drop_too_early(self):
        buffer, second = (self.device.allocate(64, stream=self.stream) for _ in range(2))
        event = self.stream.record()
        things = (self.stream, event, buffer, second, self.device, None, True, NotImplemented, Buffer, Event, Stream,
                  LaunchConfig)

        def work():
            for _ in range(50):
                self.stream.wait(event)
                self.stream.record(event)
                buffer.copy_to(second, stream=self.stream)
                second.copy_from(buffer, stream=self.stream)
                buffer.fill(0, stream=self.stream)
                self.device.allocate(8, stream=self.stream).close(self.stream)
                self.stream.record().close()
                view = StridedMemoryView.from_buffer(buffer, (4, 4), dtype="f32")
                view.view(dtype="i32").__dlpack__(stream=-1), view.dtype, buffer.__dlpack__(max_version=(1, 0))
                StridedMemoryView.from_any_interface(view, -1).__dlpack_device__()
                event.is_done, buffer.memory_resource, self.stream.device, Device(0), self.stream == event
                {self.stream, event, buffer}, second == buffer, event != event, event == 3, self.stream != 3
                view.shape, view.strides, self.stream.__cuda_stream__(), self.stream.priority
                buffer.copy_to(stream=self.stream).close()
                {LaunchConfig((2, 3), None, 4): LaunchConfig(grid=2, cluster=(2, 1, 1), block=None)}, LaunchConfig([1])
                self.assertRaises(InvalidArgumentError, lambda: event - event)
                self.assertRaises(ValueError, LaunchConfig, 0)
                for wrong in (lambda: self.stream.wait(3), lambda: buffer.fill("x", stream=self.stream)):
                    self.assertRaises((ValueError, TypeError), wrong)

        work()
        before = [sys.getrefcount(each) for each in things]
        work()
        for each, old in zip(things, before):
            self.assertLess(abs(sys.getrefcount(each) - old), 40, each)

    def test_nothing_stays_allocated(self):
        timed = EventOptions(timing_enabled=True)
        first, last = (self.stream.record(options=timed) for _ in range(2))
        self.stream.sync()
        buffer = self.device.allocate(64, stream=self.stream)
        view = StridedMemoryView.from_buffer(buffer, (4, 4), dtype="f32")
        kept = LaunchConfig(1000, 1000, 1000)
        for what, do in (
                ("config", lambda: LaunchConfig((300, 301), (302,), 303, 304, True, False)),
                ("config refused", lambda: self.assertRaises(ValueError, LaunchConfig, (300, 0))),
                ("config again", lambda: kept.__init__((400, 401), block=402)),
                ("config assigned", lambda: setattr(kept, "grid", (500, 501))), ("config hash", lambda: hash(kept)),
                ("elapsed", lambda: last - first), ("elapsed of what is none", lambda: self.assertRaises(TypeError, lambda: last - 3)),
                ("equal", lambda: (first == last, first != last, first == 3, buffer != buffer, kept != 3)),
                ("hashes", lambda: (hash(self.stream), hash(first), hash(buffer))),
                ("protocol", lambda: self.stream.__cuda_stream__()), ("extents", lambda: (view.shape, view.strides)),
                ("views", lambda: StridedMemoryView.from_buffer(buffer, (4, 4), dtype="f32").shape),
                ("copy", lambda: buffer.copy_to(stream=self.stream).close()),
                ("foreign stream", lambda: self.device.create_stream(Theirs(self.stream.handle)).__cuda_stream__()),
                ("foreign buffer", lambda: Buffer.from_handle(buffer.handle, 8, owner=Theirs(0)))):
            for _ in range(100):
                do()
            gc.collect()
            tracemalloc.start()
            try:
                before = tracemalloc.get_traced_memory()[0]
                for _ in range(500):
                    do()
                gc.collect()
                grown = tracemalloc.get_traced_memory()[0] - before
            finally:
                tracemalloc.stop()
            self.assertLess(grown, 4000, what)  # one leaked object per call would be at least 8000

    def test_configs_and_views_are_collected_in_cycles(self):
        class Mine(LaunchConfig):
            pass

        config = Mine(2)
        object.__setattr__(config, "own", config)
        ended = weakref.ref(config)
        del config
        gc.collect()
        self.assertIsNone(ended())

    def test_views_keep_what_they_see(self):
        buffer = self.device.allocate(64, stream=self.stream)
        view = StridedMemoryView.from_any_interface(buffer, -1)
        self.assertIs(view.exporting_obj, buffer)
        cycle = [view]
        cycle.append(cycle)
        ended = weakref.ref(view)
        del view, cycle
        gc.collect()
        self.assertIsNone(ended())

    def test_objects_closed_during_a_call_stay_until_its_end(self):
        for close_twice in (False, True):
            flag = cucore.SynchronousMemoryResource(self.device).allocate(4, stream=self.stream)
            other = self.device.create_stream()
            flag.fill(0, stream=self.stream)
            self.stream.sync()
            owner = Theirs(self.stream.handle)
            ended, theirs = weakref.ref(owner), self.device.create_stream(owner)
            del owner
            self.stream.wait_value(flag, 1)
            threads = [threading.Thread(target=theirs.sync) for _ in range(2)]
            for each in threads:
                each.start()
            time.sleep(0.1)  # both threads wait
            theirs.close()
            if close_twice:
                theirs._h = other._h
                theirs.close()
            seen = [ended() is not None, theirs.is_closed]
            other.write_value(flag, 1)
            for each in threads:
                each.join()
            gc.collect()
            seen.append(ended() is None)
            self.assertEqual(seen, [True] * 3)
            other.sync()
            flag.close()

    def test_objects_are_closed_while_others_use_them(self):
        self.assertEqual(child(PROGRAM + """
sys.setswitchinterval(1e-6)
box, ended, failures = [], threading.Event(), []
def use():
    while not ended.is_set():
        try:
            buffer, event, queue = box[0]
            queue.wait(event)
            queue.record(event)
            buffer.fill(1, stream=queue)
            event.is_done, queue.is_done, buffer.handle, queue.handle
        except (CUDAError, ValueError, IndexError):
            pass
        except BaseException as error:
            failures.append(error)
threads = [threading.Thread(target=use) for _ in range(4)]
for each in threads: each.start()
for _ in range(300):
    queue = device.create_stream()
    box[:] = [(device.allocate(64, stream=queue), queue.record(), queue)]
    stream.sync()
    for each in box[0]: each.close()
ended.set()
for each in threads: each.join()
print(failures)
""", PYTHONMALLOC="debug"), "[]\n")


if __name__ == "__main__":
    unittest.main()
