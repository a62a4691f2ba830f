"""Tests virtual memory: buffers that grow."""
import array
import os
import unittest

import cucore
from cucore import VirtualMemoryBuffer, VirtualMemoryDescriptor, VirtualMemoryResource, VirtualMemoryResourceOptions
from support import DeviceTest


class Virtual(DeviceTest):
    def setUp(self):
        super().setUp()
        if not self.device.properties.virtual_memory_management_supported:
            self.skipTest("the device has no virtual memory management")

    def test_a_buffer_grows_at_its_address(self):
        config = VirtualMemoryResourceOptions(reserve_size=64 << 20)
        resource = VirtualMemoryResource(self.device, config)
        grain = resource.granularity
        first = resource.allocate(8, stream=self.stream)
        first.copy_from(array.array("i", [1, 2]), stream=self.stream)
        second = resource.modify_allocation(first, 2 * grain)
        self.assertEqual((second.handle, second.size), (first.handle, 2 * grain))
        first.close()
        self.assertEqual(self.read(second, "i")[:2], [1, 2])
        self.assertEqual(second.device_id, self.device.device_id)
        second.fill(7, stream=self.stream)
        self.assertEqual(self.read(second, "i")[-1], 0x07070707)

    def test_a_buffer_moves_if_there_is_no_room(self):
        resource = VirtualMemoryResource(self.device)
        first = resource.allocate(resource.granularity)
        second = resource.modify_allocation(first, 3 * resource.granularity)
        self.assertNotEqual(second.handle, first.handle)
        first.fill(b"\x05", stream=self.stream)
        self.assertEqual(self.read(second, "B")[0], 5)
        del resource

    def test_memory_of_the_host(self):
        resource = VirtualMemoryResource(self.device, VirtualMemoryResourceOptions(location_type="host_numa"))
        self.assertTrue(resource.is_host_accessible)
        buffer = resource.allocate(16, stream=self.stream)
        memoryview(buffer.host_view()).cast("B")[3] = 9
        self.assertEqual(self.read(buffer, "B")[3], 9)

    def test_memory_can_be_imported_by_another_resource(self):
        config = VirtualMemoryResourceOptions(handle_type="posix_fd")
        resource, other = (VirtualMemoryResource(self.device, config) for _ in range(2))
        first = resource.allocate(8, stream=self.stream)
        second = resource.modify_allocation(first, 3 * resource.granularity)
        second.fill(3, stream=self.stream)
        self.stream.sync()
        self.assertIsInstance(second, VirtualMemoryBuffer)
        with self.assertRaisesRegex(cucore.CUDAError, "CUC_MEMORY_VIRTUAL_IPC"):
            VirtualMemoryResource(self.device).allocate(8).ipc_descriptor
        descriptor = second.ipc_descriptor
        self.assertEqual([size for _, size in descriptor.pieces], [resource.granularity, 2 * resource.granularity])
        there = VirtualMemoryBuffer.from_ipc_descriptor(other, descriptor, stream=self.stream)
        fd = descriptor.pieces[0][0]
        descriptor.close()
        descriptor.close()
        with self.assertRaises(OSError):
            os.fstat(fd)
        for buffer in (first, second):
            buffer.close()
        self.assertEqual(there.size, 3 * resource.granularity)
        self.assertEqual(set(self.read(there, "B")), {3})
        with self.assertRaisesRegex(cucore.InvalidArgumentError, "bytes is 6291456"):
            VirtualMemoryBuffer.from_ipc_descriptor(other, VirtualMemoryDescriptor([], 3 << 21), stream=self.stream)

    def test_misuse_is_reported(self):
        for error, says, given in (
                (ValueError, "location_type is 'moon'", {"location_type": "moon"}),
                (ValueError, "self_access is 'w'", {"self_access": "w"}),
                (cucore.NotSupportedError, "there are 'pinned', and None", {"handle_type": "fabric"}),
                (cucore.InvalidArgumentError, "which owns the memory", {"peers": (self.device,)}),
                (cucore.InvalidArgumentError, "power of two", {"addr_align": 3})):
            with self.subTest(says=says), self.assertRaisesRegex(error, says):
                VirtualMemoryResource(self.device, VirtualMemoryResourceOptions(**given))
        plain = self.floats([1])
        with self.assertRaisesRegex(cucore.InvalidArgumentError, "of another resource"):
            VirtualMemoryResource(self.device).modify_allocation(plain, 100)


if __name__ == "__main__":
    unittest.main()
