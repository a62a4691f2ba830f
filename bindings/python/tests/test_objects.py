"""Tests devices, streams, events, contexts and memory, as in cuda.core."""
import array
import ctypes
import pickle
import unittest

import cucore
from cucore import (
    Buffer,
    CUDAError,
    CUDAWarning,
    Device,
    EventOptions,
    Host,
    InvalidArgumentError,
    LegacyPinnedMemoryResource,
    MemoryResource,
    Stream,
    StreamOptions,
    raw,
)
from support import DeviceTest


class Devices(DeviceTest):
    def test_there_is_one_object_per_ordinal(self):
        self.assertIs(Device(0), self.device)
        self.assertIs(Device(), self.device)
        self.assertIs(Device(self.device), self.device)
        self.assertIn(self.device, Device.get_all_devices())
        self.assertIs(pickle.loads(pickle.dumps(self.device)), self.device)

    def test_an_invalid_ordinal_is_reported(self):
        with self.assertRaisesRegex(InvalidArgumentError, "99"):
            Device(99)

    def test_a_device_reports_its_properties(self):
        major, minor = self.device.compute_capability
        self.assertTrue(self.device.arch.startswith(f"{major}{minor}"))
        self.assertEqual(self.device.properties.compute_capability_major, major)
        self.assertGreater(self.device.properties.multiprocessor_count, 0)
        self.assertRegex(self.device.uuid, "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
        self.assertIs(Device.from_pci_bus_id(self.device.pci_bus_id), self.device)
        free, total = self.device.memory_info
        self.assertLessEqual(free, total)
        with self.assertRaisesRegex(AttributeError, "no attribute warp_count"):
            self.device.properties.warp_count
        self.assertIn("warp_size", dir(self.device.properties))

    def test_each_property_is_the_attribute_of_its_name(self):
        listed = {}
        number, name, unit = ctypes.c_int32(), ctypes.c_char_p(), ctypes.c_char_p()
        for i in range(raw.cuc_device_attribute_count()):
            raw.cuc_device_attribute_at(ctypes.byref(number), ctypes.byref(name), ctypes.byref(unit), i)
            listed[name.value.decode()] = number.value, unit.value.decode()
        properties = self.device.properties
        self.assertEqual(set(dir(properties)), set(listed))
        for name, (number, unit) in listed.items():
            with self.subTest(name):
                self.assertEqual(getattr(raw, "CUC_DEVICE_" + name.upper()), number)
                self.assertEqual(raw.NAMES["device_attribute"][number], name)
                value = getattr(properties, name)
                self.assertIs(type(value), bool if unit == "flag" else int)
                self.assertEqual(value, self.device.get_attribute(number))

    def test_properties_are_made_by_their_device_alone(self):
        with self.assertRaisesRegex(RuntimeError, "Device.properties"):
            type(self.device.properties)()
        self.assertEqual(pickle.loads(pickle.dumps(self.device.properties)).warp_size, 32)

    def test_only_set_current_changes_the_context(self):
        before = self.device.set_current()
        self.assertEqual(self.device.set_current(), self.device.context)
        self.assertTrue(self.device.context.is_primary)
        if before is not None:
            self.device.set_current(before)


class Streams(DeviceTest):
    def test_options_are_taken(self):
        stream = self.device.create_stream(options=StreamOptions(nonblocking=False, priority=-1))
        self.assertFalse(stream.is_nonblocking)
        self.assertEqual(stream.priority, -1)
        self.assertTrue(self.stream.is_nonblocking)
        self.assertIs(stream.device, self.device)

    def test_another_librarys_stream_is_accepted_by_its_protocol_and_kept(self):
        class Foreign:
            def __init__(self, stream):
                self.stream = stream

            def __cuda_stream__(self):
                return 0, self.stream.handle

        wrapped = self.device.create_stream(Foreign(self.stream))
        self.assertEqual(wrapped, self.stream)
        self.assertEqual(wrapped.__cuda_stream__(), (0, self.stream.handle))
        wrapped.close()
        with self.assertRaisesRegex(ValueError, "closed"):  # must not become the legacy default stream
            wrapped.__cuda_stream__()
        self.stream.wait(Foreign(self.device.create_stream()))

    def test_other_objects_are_refused_as_streams(self):
        with self.assertRaisesRegex(ValueError, "not float"):
            self.stream.wait(1.5)

    def test_a_closed_stream_is_refused_and_closing_twice_does_nothing(self):
        with self.device.create_stream() as stream:
            pass
        stream.close()
        with self.assertRaisesRegex(InvalidArgumentError, "stream is closed"):
            stream.sync()

    def test_a_stream_is_not_created_by_its_class(self):
        with self.assertRaisesRegex(RuntimeError, r"^Stream objects cannot be instantiated directly\. They are made by"):
            Stream()


class Events(DeviceTest):
    def test_time_is_measured_between_two(self):
        timing = EventOptions(timing_enabled=True)
        first = self.stream.record(options=timing)
        second = self.stream.record(options=timing)
        second.sync()
        self.assertGreaterEqual(second - first, 0.0)
        self.assertTrue(second.is_done and second.is_timing_enabled)

    def test_an_event_without_timing_is_reported(self):
        first, second = self.stream.record(), self.stream.record()
        self.stream.sync()
        with self.assertRaisesRegex(InvalidArgumentError, "timing"):
            second - first

    def test_an_event_can_be_created_first_and_recorded_later(self):
        event = self.device.create_event()
        self.assertTrue(event.is_done)
        self.assertIs(self.stream.record(event), event)
        self.device.create_stream().wait(event)


class Memory(DeviceTest):
    def test_bytes_are_copied_there_and_back(self):
        for data in (b"0123", bytearray(b"0123"), array.array("i", [7]), memoryview(b"0123")):
            buffer = self.device.allocate(4, stream=self.stream)
            buffer.copy_from(data, stream=self.stream)
            out = bytearray(4)
            buffer.copy_to(out, stream=self.stream)
            self.stream.sync()
            self.assertEqual(bytes(out), bytes(data))

    def test_host_memory_is_kept_until_the_copy_is_done(self):
        n = 1 << 18
        for turn in range(4):
            buffer = self.floats([turn] * n)  # from an array that has no other reference
            del buffer
            buffer = self.floats([turn + 0.5] * n)
            array.array("f", [9] * n)
            self.assertEqual(set(self.read(buffer)), {turn + 0.5})
        data = bytearray(4)
        small = self.device.allocate(4, stream=self.stream)
        small.copy_from(data, stream=self.stream)
        self.stream.sync()
        data.append(1)  # allowed again, because the export was released

    def test_a_copy_makes_its_own_target(self):
        buffer = self.floats([1, 2, 3])
        self.assertEqual(self.read(buffer.copy_to(stream=self.stream)), [1, 2, 3])
        other = self.device.allocate(12, stream=self.stream)
        other.copy_from(buffer, stream=self.stream)
        self.assertEqual(self.read(other), [1, 2, 3])

    def test_sizes_that_differ_are_refused(self):
        with self.assertRaisesRegex(ValueError, "12 bytes and the destination 8"):
            self.floats([1, 2]).copy_from(self.floats([1, 2, 3]), stream=self.stream)
        with self.assertRaises((BufferError, TypeError)):
            self.floats([1]).copy_to(b"read", stream=self.stream)  # the destination is read-only

    def test_numbers_that_do_not_fit_are_refused(self):
        buffer = self.device.allocate(4096, stream=self.stream)
        graph = cucore.Graph(self.device)
        refused = {  # C would see only the low bits
            "bytes": lambda: self.device.allocate(2**64 + 8, stream=self.stream),
            "less than none": lambda: self.device.allocate(-1, stream=self.stream),
            "bytes of other memory": lambda: Buffer.from_handle(buffer.handle, 2**64 + 8),
            "bytes to keep": lambda: cucore.DeviceMemoryResource(self.device).trim(2**64),
            "bytes of a graph's memory": lambda: graph.allocate(2**64 + 8),
            "bytes of a copy": lambda: graph.memcpy(buffer, buffer, 2**64 + 8),
            "rows of a fill": lambda: graph.memset(buffer, 0, 1, 2**64 + 1),
            "an extent": lambda: buffer.view("u8", (2**64 + 5,)),
            "an extent of a box": lambda: buffer.view("f32", (16, 64)).as_tensor_map((2**32 + 8, 8)),
            "a default value": lambda: graph.create_condition(default_value=2**32),
            "shared memory": lambda: cucore.LaunchConfig(grid=1, block=1, shmem_size=2**32),
            "blocks of clusters": lambda: cucore.LaunchConfig(grid=2**31, block=1, cluster=4),
            "a priority": lambda: self.device.create_stream(options=StreamOptions(priority=2**32)),
            "an ordinal": lambda: Device(2**32),
        }
        for what, do in refused.items():
            with self.subTest(what), self.assertRaises(OverflowError):
                do()

    def test_patterns_fill_a_buffer(self):
        buffer = self.device.allocate(8, stream=self.stream)
        for value, expected in ((0xAB, [0xABABABAB] * 2), (b"\x01\x02", [0x02010201] * 2),
                                (b"\x01\x02\x03\x04", [0x04030201] * 2)):
            buffer.fill(value, stream=self.stream)
            self.assertEqual(self.read(buffer, "I"), expected)

    def test_a_slice_is_a_part_that_keeps_the_whole(self):
        buffer = self.floats(range(8))
        part = buffer[8:16]
        address = buffer.handle
        del buffer
        self.assertEqual((part.handle, part.size), (address + 8, 8))
        self.assertEqual(self.read(part), [2, 3])

    def test_the_host_can_access_pinned_and_managed_memory(self):
        for resource in (cucore.LegacyPinnedMemoryResource(), cucore.LegacyManagedMemoryResource()):
            buffer = resource.allocate(16)
            self.assertTrue(buffer.is_host_accessible and buffer.is_device_accessible)
            view = buffer.host_view()
            view[:4] = b"abcd"
            del buffer  # the view keeps it alive
            self.assertEqual(bytes(view[:4]), b"abcd")
        with self.assertRaises(CUDAError):
            self.floats([1]).host_view()

    def test_pools_have_attributes_and_give_memory(self):
        pool = cucore.DeviceMemoryResource(0, cucore.DeviceMemoryResourceOptions())
        buffer = pool.allocate(1 << 20, stream=self.stream)
        self.assertEqual(pool.attributes.used_mem_current, 1 << 20)
        self.assertEqual(buffer.device_id, 0)
        buffer.close()
        self.stream.sync()
        self.assertEqual(pool.attributes.used_mem_current, 0)
        pool.attributes.release_threshold = 4096
        self.assertEqual(pool.attributes.release_threshold, 4096)
        pool.trim()
        self.assertFalse(cucore.SynchronousMemoryResource(0).is_host_accessible)

    def test_resources_are_of_the_class_of_their_kind(self):
        self.assertIs(type(self.device.memory_resource), cucore.DeviceMemoryResource)
        pool = cucore.DeviceMemoryResource(self.device)
        self.assertEqual(self.device.memory_resource.handle, pool.handle)
        self.assertFalse(pool.is_handle_owned)
        for kind, made in (("pinned", cucore.PinnedMemoryResource), ("managed", cucore.ManagedMemoryResource)):
            current = made.current(self.device, kind)
            self.assertIs(type(current), made)
            self.assertEqual(made().handle, current.handle)
            self.assertNotEqual(made({}).handle, current.handle)
        for resource in (cucore.SynchronousMemoryResource(0), cucore.LegacyPinnedMemoryResource()):
            buffer = resource.allocate(16, stream=self.stream)
            found = Buffer._own(raw.cuc_buffer_retain(buffer._h)).memory_resource
            self.assertIs(type(found), type(resource))

    def test_attributes_of_a_pool_are_of_its_own_types_and_outlive_it(self):
        pool = cucore.DeviceMemoryResource(self.device, {})
        attributes = pool.attributes
        pool.close()
        self.assertIs(attributes.reuse_allow_opportunistic, True)
        self.assertIs(type(attributes.used_mem_high), int)
        self.assertIn("reuse_follow_event_dependencies=True", repr(attributes))
        with self.assertRaisesRegex(ValueError, "closed"):
            pool.attributes

    def test_positional_options_are_in_the_order_of_cuda_core(self):
        self.assertEqual(cucore.DeviceMemoryResourceOptions(True, 9),
                         cucore.DeviceMemoryResourceOptions(ipc_enabled=True, max_size=9))
        self.assertEqual(cucore.PinnedMemoryResourceOptions(True, 9, 0),
                         cucore.PinnedMemoryResourceOptions(ipc_enabled=True, max_size=9, numa_id=0))
        self.assertEqual(cucore.ManagedMemoryResourceOptions(0, "device").preferred_location_type, "device")

    def test_pools_of_the_host_and_of_managed_memory_say_where_they_are(self):
        node = self.device.properties.host_numa_id
        for given, place in (({}, None), ({"preferred_location": 0}, ("device", 0)),
                             ({"preferred_location": -1}, ("host", None)),
                             ({"preferred_location_type": "host"}, ("host", None)),
                             ({"preferred_location_type": "device", "preferred_location": 0}, ("device", 0)),
                             ({"preferred_location_type": "host_numa"}, ("host_numa", node)),
                             ({"preferred_location_type": "host_numa", "preferred_location": 0}, ("host_numa", 0))):
            with self.subTest(given):
                self.assertEqual(cucore.ManagedMemoryResource(given).preferred_location, place)
        for given in ({"preferred_location": -2}, {"preferred_location_type": "device"},
                      {"preferred_location_type": "host", "preferred_location": 0},
                      {"preferred_location_type": "host_numa", "preferred_location": -1},
                      {"preferred_location_type": "moon"}):
            with self.subTest(given), self.assertRaisesRegex(ValueError, "preferred_location"):
                cucore.ManagedMemoryResource(given)
        self.assertEqual([cucore.PinnedMemoryResource(given).numa_id for given in (None, {}, {"numa_id": 0})], [-1, -1, 0])
        with self.assertRaisesRegex(ValueError, "numa_id must be >= 0"):
            cucore.PinnedMemoryResource({"numa_id": -1})

    def test_a_copy_of_custom_memory_comes_from_its_resource(self):
        own = Own(cucore.SynchronousMemoryResource(self.device))
        copy = own.allocate(64).copy_to(stream=self.stream)
        self.assertIs(copy.memory_resource, own)

    def test_wrapped_memory_has_an_owner(self):
        whole = self.floats([1, 2])

        class Owner:
            pass

        owner = Owner()
        wrapped = Buffer.from_handle(whole.handle, 8, owner=owner)
        self.assertIs(wrapped.owner, owner)
        self.assertEqual(self.read(wrapped), [1, 2])
        with self.assertRaisesRegex(ValueError, "not both"):
            Buffer.from_handle(whole.handle, 8, mr=self.device.memory_resource, owner=owner)

    def test_failures_that_no_call_can_raise_are_warnings(self):
        buffer = LegacyPinnedMemoryResource().allocate(16, stream=self.stream)
        with self.assertWarnsRegex(CUDAWarning, "is being captured: .* is leaked"), self.stream.capture():
            del buffer

    def test_a_resource_can_be_written_in_python(self):
        freed = []

        class Counting(MemoryResource):
            def __init__(self, device):
                self.under = cucore.SynchronousMemoryResource(device)
                self.lent = {}

            def allocate(self, size, *, stream):
                memory = self.under.allocate(size, stream=stream)
                self.lent[memory.handle] = memory
                return Buffer.from_handle(memory.handle, size, mr=self, stream=stream)

            def deallocate(self, ptr, size, *, stream):
                freed.append(size)
                self.lent.pop(ptr).close(stream)

        self.device.memory_resource = Counting(self.device)
        try:
            buffer = self.device.allocate(64, stream=self.stream)
            part = buffer[0:8]
            del buffer
            self.assertEqual(freed, [])
            del part
            self.assertEqual(freed, [64])
        finally:
            self.device.memory_resource = None


class Own(MemoryResource):
    """A custom resource on top of one of the library's; `said` overrides what it reports about its
    memory."""

    def __init__(self, under, **said):
        self.under, self.said, self.lent, self.freed = under, said, {}, []

    def allocate(self, size, *, stream=None):
        memory = self.under.allocate(size, stream=stream or Device().default_stream)
        self.lent[memory.handle] = memory
        return Buffer.from_handle(memory.handle, size, mr=self)

    def deallocate(self, ptr, size, *, stream):
        self.freed.append((size, stream))
        self.lent.pop(ptr).close(stream)

    is_device_accessible = property(lambda self: self.said.get("device_accessible", True))
    is_host_accessible = property(lambda self: self.said.get("host_accessible", False))
    is_managed = property(lambda self: self.said.get("managed", False))

    @property
    def device_id(self):
        said = self.said.get("device_id", -1)
        if said is None:
            raise RuntimeError("this memory is of no device")
        return said


class OwnResources(DeviceTest):
    def test_buffers_are_where_their_resource_is(self):
        device, pinned = cucore.SynchronousMemoryResource(self.device), LegacyPinnedMemoryResource()
        managed = cucore.LegacyManagedMemoryResource()
        both = {"host_accessible": True}
        for said, under, number, dlpack, flags in (
            ({"device_id": 0}, device, 0, (2, 0), (True, False, False)),
            ({}, device, 0, (2, 0), (True, False, False)),  # the device number comes from the driver
            ({"device_id": None}, device, 0, (2, 0), (True, False, False)),
            ({"device_id": self.device}, device, 0, (2, 0), (True, False, False)),
            ({"device_id": None, **both}, pinned, -1, (3, 0), (True, True, False)),
            ({**both}, pinned, -1, (3, 0), (True, True, False)),
            ({**both, "device_accessible": False}, pinned, -1, (1, 0), (False, True, False)),
            ({**both, "managed": True, "device_id": 0}, managed, 0, (13, 0), (True, True, True)),
            ({**both, "managed": True}, managed, 0, (13, 0), (True, True, True)),
            ({**both}, managed, 0, (13, 0), (True, True, True)),  # the number comes from the driver
            ({**both, "device_id": 0}, managed, 0, (13, 0), (True, True, True)),
        ):
            with self.subTest(said), Own(under, **said).allocate(64) as buffer:
                self.assertEqual(buffer.device_id, number)
                self.assertEqual(buffer.__dlpack_device__(), dlpack)
                self.assertEqual((buffer.is_device_accessible, buffer.is_host_accessible, buffer.is_managed), flags)
                self.assertEqual(cucore.Tensor.from_dlpack(buffer).device_id,
                                 -1 if dlpack[0] in (1, 3) else 0)

    def test_inaccessible_memory_is_not_exported(self):
        own = Own(cucore.SynchronousMemoryResource(self.device), device_accessible=False)
        buffer = own.allocate(64)
        for export in (buffer.__dlpack__, buffer.__dlpack_device__):
            with self.assertRaisesRegex(BufferError, "neither device-accessible nor host-accessible"):
                export()

    def test_deallocate_always_receives_a_stream(self):
        own = Own(cucore.DeviceMemoryResource(self.device), device_id=0)
        own.allocate(64).close()
        own.allocate(32).close(self.stream)
        own.allocate(16)  # dropped
        (first, default), (second, given), (third, _) = own.freed
        self.assertEqual((first, second, third), (64, 32, 16))
        self.assertEqual((default, given), (self.device.default_stream, self.stream))


class Failures(DeviceTest):
    def test_an_exception_has_everything(self):
        with self.assertRaises(cucore.OutOfMemoryError) as caught:
            self.device.allocate(1 << 50, stream=self.stream)
        error = caught.exception
        self.assertIsInstance(error, MemoryError)
        self.assertEqual(error.name, "CUC_ERROR_OUT_OF_DEVICE_MEMORY")
        self.assertEqual(error.symbol, "CUDA_ERROR_OUT_OF_MEMORY")
        self.assertEqual(error.library, "CUDA driver")
        self.assertEqual(error.function, "cuc_buffer_create")
        self.assertIn(str(1 << 50), str(error))
        self.assertTrue(error.explanation)


class Managed(DeviceTest):
    def setUp(self):
        super().setUp()
        self.pool = cucore.ManagedMemoryResource()

    def test_managed_memory_reports_its_location_and_preference(self):
        of_pool = self.pool.allocate(1 << 16, stream=self.stream)
        buffer = cucore.LegacyManagedMemoryResource().allocate(1 << 16)
        self.stream.sync()
        for one in (of_pool, buffer):
            self.assertIsInstance(one, cucore.ManagedBuffer)
            self.assertTrue(one.is_managed)
            self.assertFalse(one.read_mostly)
        with self.assertRaises(cucore.NotSupportedError):
            of_pool.read_mostly = True
        buffer.read_mostly = True
        self.assertTrue(buffer.read_mostly)
        buffer.read_mostly = False
        for where in (self.device, cucore.Host(), None):
            buffer.preferred_location = where
            self.assertEqual(buffer.preferred_location, where)
        buffer.accessed_by.add(self.device)
        self.assertIn(self.device, buffer.accessed_by)
        self.assertEqual(len(buffer.accessed_by), 1)
        buffer.accessed_by = []
        self.assertEqual(set(buffer.accessed_by), set())

    def test_managed_memory_is_prefetched_and_discarded(self):
        buffers = [self.pool.allocate(1 << 16, stream=self.stream) for _ in range(2)]
        buffers[0].fill(3, stream=self.stream)
        buffers[0].prefetch(cucore.Host(), stream=self.stream)
        self.stream.sync()
        self.assertEqual(buffers[0].last_prefetch_location, cucore.Host())
        self.assertEqual(bytes(buffers[0].host_view()[:4]), bytes([3] * 4))
        cucore.utils.prefetch_batch(self.stream, buffers, [self.device, cucore.Host()])
        cucore.utils.discard_batch(self.stream, buffers)
        cucore.utils.discard_prefetch_batch(self.stream, buffers, self.device)
        buffers[1].discard(stream=self.stream)
        buffers[1].discard_prefetch(self.device, stream=self.stream)
        self.stream.sync()
        self.assertEqual([b.last_prefetch_location for b in buffers], [self.device] * 2)
        with self.assertRaisesRegex(ValueError, "length of 3, and there are 2 buffers"):
            cucore.utils.prefetch_batch(self.stream, buffers, [self.device] * 3)


class ManagedMistakes(DeviceTest):
    def setUp(self):
        super().setUp()
        self.buffer = cucore.LegacyManagedMemoryResource().allocate(1 << 16)

    def test_invalid_locations_are_refused_before_anything_changes(self):
        self.buffer.accessed_by = {self.device, Host()}
        for wrong in (Host(0), Host.numa_current(), None):
            with self.subTest(wrong), self.assertRaisesRegex(ValueError, "accessed_by does not support"):
                self.buffer.accessed_by = {wrong}
            self.assertEqual(set(self.buffer.accessed_by), {self.device, Host()})
        self.assertEqual(self.buffer.accessed_by & {Host()}, {Host()})
        self.buffer.accessed_by.discard(Host(0))  # not in the set

    def test_batches_are_sequences_with_a_location_for_each(self):
        for function in (cucore.utils.prefetch_batch, cucore.utils.discard_prefetch_batch):
            with self.assertRaisesRegex(TypeError, "sequence of Buffers"):
                function(self.stream, self.buffer, Host())
            with self.assertRaisesRegex(ValueError, "length of 1, and there are 2"):
                function(self.stream, [self.buffer] * 2, [Host()])
            with self.assertRaisesRegex(ValueError, "location is required"):
                function(self.stream, [self.buffer], None)

    def test_memory_that_cannot_migrate_is_refused(self):
        memory = self.device.allocate(64, stream=self.stream)
        fixed = cucore.ManagedBuffer.from_handle(memory.handle, 64, owner=memory)
        for change in (lambda: setattr(fixed, "read_mostly", True),
                       lambda: fixed.prefetch(self.device, stream=self.stream),
                       lambda: fixed.discard(stream=self.stream)):
            with self.assertRaisesRegex(ValueError, "is not managed memory"):
                change()


class Batches(DeviceTest):
    def test_copies_take_one_call(self):
        sources = [self.floats([i] * (i + 1)) for i in range(4)]
        for options in (None, cucore.utils.CopyOptions(src_access_order="any"),
                        [cucore.utils.CopyOptions(overlap_mode="prefer_overlap_with_compute")] * 4):
            targets = [self.floats([0] * (i + 1)) for i in range(4)]
            cucore.utils.copy_batch(self.stream, sources, targets, options=options)
            self.assertEqual([self.read(t) for t in targets], [[i] * (i + 1) for i in range(4)])
        with self.assertRaisesRegex(ValueError, "the source has 8 bytes"):
            cucore.utils.copy_batch(self.stream, sources[1:2], targets[:1])
        with self.assertRaisesRegex(ValueError, "expected one of 'stream'"):
            cucore.utils.copy_batch(self.stream, sources, targets,
                                    options=cucore.utils.CopyOptions(src_access_order="x"))


class Peers(DeviceTest):
    def test_a_pool_reports_which_devices_can_access_it(self):
        pool = cucore.DeviceMemoryResource(self.device, cucore.DeviceMemoryResourceOptions())
        self.assertEqual(set(pool.peer_accessible_by), set())
        others = [d for d in cucore.Device.get_all_devices() if self.device.can_access_peer(d) and d != self.device]
        for other in others:
            pool.peer_accessible_by.add(other)
            self.assertIn(other, pool.peer_accessible_by)
        pool.peer_accessible_by = []
        self.assertEqual(len(pool.peer_accessible_by), 0)

    def test_the_devices_with_access_are_a_set(self):
        peers = cucore.DeviceMemoryResource(self.device, {}).peer_accessible_by
        self.assertEqual(peers | {self.device}, {self.device})
        self.assertEqual((peers & {1}, peers - {1}, peers ^ {1}), (set(), set(), {1}))
        for stranger in ("no device", 99, -1, None.__class__):
            self.assertNotIn(stranger, peers)
            peers.discard(stranger)
        with self.assertRaises(KeyError):
            peers.remove(99)
        with self.assertRaises(ValueError):
            peers.add(99)
        peers.add(self.device)  # its own device always has access
        self.assertEqual(len(peers), 0)
        self.assertEqual(cucore.system.get_num_devices(), len(Device.get_all_devices()))


class DefaultStreams(DeviceTest):
    def test_default_streams_belong_to_the_current_device(self):
        buffer = self.device.allocate(16, stream=cucore.LEGACY_DEFAULT_STREAM)
        buffer.fill(1, stream=cucore.PER_THREAD_DEFAULT_STREAM)
        cucore.PER_THREAD_DEFAULT_STREAM.sync()
        self.assertEqual((cucore.LEGACY_DEFAULT_STREAM.handle, cucore.PER_THREAD_DEFAULT_STREAM.handle), (1, 2))
        self.assertEqual(cucore.LEGACY_DEFAULT_STREAM.device, self.device)


if __name__ == "__main__":
    unittest.main()
