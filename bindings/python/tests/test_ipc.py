"""Tests sharing memory and events between processes."""
import array
import gc
import multiprocessing
import os
import pickle
import socket
import threading
import traceback
import unittest

import cucore
from cucore import (
    Buffer,
    Device,
    DeviceMemoryResource,
    DeviceMemoryResourceOptions,
    Event,
    EventOptions,
    InvalidArgumentError,
    VirtualMemoryBuffer,
    VirtualMemoryResource,
    VirtualMemoryResourceOptions,
)
from support import DeviceTest


def read(stream, buffer):
    out = array.array("f", bytes(buffer.size))
    buffer.copy_to(out, stream=stream)
    stream.sync()
    return list(out)


def write(stream, buffer, values):
    buffer.copy_from(array.array("f", values), stream=stream)
    stream.sync()


# Functions that run in the other process, which has its own driver state.

def doubles(handle, connection):
    """Double the elements of every buffer that arrives."""
    device = Device(0)
    stream = device.create_stream()
    pool = DeviceMemoryResource.from_allocation_handle(device, handle)
    handle.close()
    said = [pool.is_mapped, pool.is_ipc_enabled]
    try:
        pool.allocate(16, stream=stream)
    except cucore.CUDAError:
        said.append("no allocation")
    connection.send(said)
    while (descriptor := connection.recv()) is not None:
        with Buffer.from_ipc_descriptor(pool, descriptor, stream=stream) as buffer:
            seen = read(stream, buffer)
            write(stream, buffer, [2 * v for v in seen])
        stream.sync()
        connection.send(seen)


def follows(buffer, event, connection):
    """Wait, in stream order, for work that the other process recorded."""
    stream = Device(0).create_stream()
    connection.send((buffer.is_mapped, event.is_ipc_enabled))
    connection.recv()
    stream.wait(event)
    connection.send(read(stream, buffer))
    event.sync()
    connection.send(event.is_done)
    connection.recv()
    buffer.close()


def by_pickles(pool, buffers, connection):
    stream = Device(0).create_stream()
    connection.send([read(stream, b) for b in buffers] + [all(b.is_mapped for b in buffers)])
    for b in buffers:
        write(stream, b, [7, 8])
    connection.send("written")


def takes(connection):
    """Receive objects through a pipe after the start, and pass them on to a third process."""
    pool, buffer, handle, event = connection.recv()
    stream = Device(0).create_stream()
    again = DeviceMemoryResource.from_allocation_handle(0, handle)
    stream.wait(event)
    said = [buffer.is_mapped, again is pool, buffer.memory_resource is pool, read(stream, buffer)]
    context = multiprocessing.get_context("spawn")
    queue, done = context.Queue(), context.Queue()
    third = context.Process(target=told, args=(last, queue, done))
    third.start()
    queue.put((buffer, event))
    said.append(done.get(timeout=60))
    third.join(60)
    connection.send([*said, read(stream, buffer)])


def last(queue, done):
    buffer, event = queue.get(timeout=60)
    stream = Device(0).create_stream()
    stream.wait(event)
    done.put((buffer.is_mapped, read(stream, buffer)))
    write(stream, buffer, [9, 9])


def grows(connection):
    """Grow memory that the other process has released."""
    descriptor = connection.recv()
    device = Device(0)
    stream = device.create_stream()
    resource = VirtualMemoryResource(device, VirtualMemoryResourceOptions(handle_type="posix_fd"))
    buffer = VirtualMemoryBuffer.from_ipc_descriptor(resource, descriptor, stream=stream)
    descriptor.close()
    connection.send("there")
    connection.recv()
    more = resource.modify_allocation(buffer, 2 * buffer.size)
    buffer.close()
    connection.send((more.size, read(stream, more[0:8])))


def imports(descriptor, connection):
    """Import an event of a device that this process does not see."""
    event = Event.from_ipc_descriptor(descriptor)
    connection.send((event.device.device_id, event.is_done, event.ipc_descriptor.device_id))


def told(function, *args):
    try:
        function(*args)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


class Processes(DeviceTest):
    def setUp(self):
        super().setUp()
        self.pool = DeviceMemoryResource(self.device, DeviceMemoryResourceOptions(ipc_enabled=True))
        self.context = multiprocessing.get_context("spawn")

    def start(self, function, *args):
        here, there = self.context.Pipe()
        process = self.context.Process(target=told, args=(function, *args, there))
        process.start()
        there.close()

        def end():
            here.close()  # makes the child end even if it waits for a message this process failed to send
            process.join(60)
            if process.is_alive():
                process.kill()
                process.join()
            self.assertEqual(process.exitcode, 0)

        self.addCleanup(end)
        return here

    def made(self, values):
        buffer = self.pool.allocate(4 * len(values), stream=self.stream)
        write(self.stream, buffer, values)
        return buffer

    def test_a_buffer_is_seen_and_written_by_another_process(self):
        buffers = [self.made(v) for v in ([1, 2, 3], [4] * 2000)]
        other = self.start(doubles, self.pool.allocation_handle)
        self.assertEqual(other.recv(), [True, True, "no allocation"])
        for buffer, values in zip(buffers, ([1, 2, 3], [4] * 2000)):
            descriptor = pickle.loads(pickle.dumps(buffer.ipc_descriptor))
            self.assertEqual(descriptor, buffer.ipc_descriptor)
            other.send(descriptor)
            self.assertEqual(other.recv(), values)
            self.assertEqual(read(self.stream, buffer), [2 * v for v in values])
            self.assertFalse(buffer.is_mapped)
        other.send(None)

    def test_an_event_orders_work_of_two_processes(self):
        event = self.device.create_event(EventOptions(ipc_enabled=True))
        self.assertTrue(event.is_ipc_enabled and event.is_done)
        buffer = self.made([0] * 8)
        other = self.start(follows, buffer, event)
        self.assertEqual(other.recv(), (True, True))
        go = threading.Event()
        cucore.host_launch(self.stream, go.wait)  # stalls the stream
        buffer.fill(b"\0\0\x80\x3f", stream=self.stream)
        self.stream.record(event)
        self.assertFalse(event.is_done)
        other.send("recorded")
        self.assertFalse(other.poll(0.3))
        go.set()
        self.assertEqual((other.recv(), other.recv()), ([1] * 8, True))
        other.send("done")

    def test_an_event_may_be_of_a_device_that_the_other_process_does_not_see(self):
        event = self.stream.record(options=EventOptions(ipc_enabled=True))
        self.stream.sync()
        descriptor = cucore.IPCEventDescriptor(bytes(event.ipc_descriptor), 99)  # as with CUDA_VISIBLE_DEVICES
        self.assertEqual(self.start(imports, descriptor).recv(), (0, True, 99))

    def test_pools_and_buffers_are_pickled(self):
        buffers = [self.made([i, i]) for i in range(3)]
        other = self.start(by_pickles, self.pool, buffers)
        self.assertEqual(other.recv(), [[0, 0], [1, 1], [2, 2], True])
        self.assertEqual(other.recv(), "written")
        self.assertEqual([read(self.stream, b) for b in buffers], [[7, 8]] * 3)

    def test_buffers_of_several_pools_are_distinguished(self):
        others = DeviceMemoryResourceOptions(ipc_enabled=True)
        pools = [self.pool, *(DeviceMemoryResource(self.device, others) for _ in range(2))]
        buffers = [pool.allocate(8, stream=self.stream) for pool in pools for _ in range(2)]
        for i, buffer in enumerate(buffers):
            write(self.stream, buffer, [i, -i])
        other = self.start(by_pickles, pools, buffers)
        self.assertEqual(other.recv(), [*([i, -i] for i in range(6)), True])
        self.assertEqual(other.recv(), "written")
        self.assertEqual([read(self.stream, b) for b in buffers], [[7, 8]] * 6)

    def test_objects_pass_through_pipes_and_queues_to_a_third_process(self):
        event = self.stream.record(options=EventOptions(ipc_enabled=True))
        buffer = self.made([1, 2])
        other = self.start(takes)
        other.send((self.pool, buffer, self.pool.allocation_handle, event))
        self.assertEqual(other.recv(), [True, True, True, [1, 2], (True, [1, 2]), [9, 9]])
        self.assertEqual(read(self.stream, buffer), [9, 9])

    def test_growing_memory_can_be_shared_with_another_process(self):
        resource = VirtualMemoryResource(self.device, VirtualMemoryResourceOptions(handle_type="posix_fd"))
        first = resource.allocate(8, stream=self.stream)
        write(self.stream, first, [5, 6])
        buffer = resource.modify_allocation(first, 2 * resource.granularity)
        descriptor, size = buffer.ipc_descriptor, buffer.size
        with self.assertRaisesRegex(RuntimeError, "spawning|inheritance"):
            pickle.dumps(descriptor)
        other = self.start(grows)
        other.send(descriptor)
        self.assertEqual(other.recv(), "there")
        for each in (first, buffer, resource, descriptor):
            each.close()
        other.send("closed")
        self.assertEqual(other.recv(), (2 * size, [5, 6]))


class Here(DeviceTest):
    """Tests that need no second process."""

    def setUp(self):
        super().setUp()
        self.pool = DeviceMemoryResource(self.device, DeviceMemoryResourceOptions(ipc_enabled=True))

    def test_a_shareable_pool_is_a_pool(self):
        self.assertTrue(self.pool.is_ipc_enabled)
        self.assertFalse(self.pool.is_mapped)
        for _ in range(3):
            buffer = self.pool.allocate(40_000, stream=self.stream)
            buffer.fill(1, stream=self.stream)
            del buffer
        gc.collect()
        self.stream.sync()
        self.assertEqual(self.pool.attributes.used_mem_current, 0)

    def test_a_descriptor_is_sent_over_a_socket(self):
        here, there = socket.socketpair()
        socket.send_fds(here, [b"x"], [self.pool.allocation_handle.handle])
        _, (fd,), _, _ = socket.recv_fds(there, 1, 1)
        os.close(fd)
        here.close()
        there.close()
        handle = self.pool.allocation_handle
        with self.assertRaisesRegex(RuntimeError, "inheritance|spawning|sharing"):
            pickle.dumps(handle)

    def test_the_registry_has_one_object_per_pool(self):
        pool = self.pool
        self.assertIs(pool.register(pool.uuid), pool)
        self.assertIs(DeviceMemoryResource.from_registry(pool.uuid), pool)
        uuid = pool.uuid
        del pool, self.pool
        gc.collect()
        with self.assertRaisesRegex(RuntimeError, "no pool is registered"):
            DeviceMemoryResource.from_registry(uuid)

    def test_pickle_alone_finds_a_pool_by_its_registered_name(self):
        buffer = self.pool.allocate(16, stream=self.stream)
        with self.assertRaisesRegex(RuntimeError, "no pool is registered"):
            pickle.loads(pickle.dumps(self.pool))
        self.pool.register(self.pool.uuid)
        self.assertIs(pickle.loads(pickle.dumps(self.pool)), self.pool)
        with self.assertRaisesRegex(TypeError, "is a DeviceMemoryResource here, not a PinnedMemoryResource"):
            cucore.PinnedMemoryResource.from_allocation_handle(self.pool.allocation_handle)
        buffer.close()
        self.assertIsNone(buffer.memory_resource)
        with self.assertRaisesRegex(ValueError, "fd is -1"):
            cucore.IPCAllocationHandle(-1, self.pool.uuid)

    def test_objects_of_this_process_alone_cannot_be_exported(self):
        alone = DeviceMemoryResource(self.device)
        with self.assertRaisesRegex(RuntimeError, "ipc_enabled=True"):
            alone.allocation_handle
        buffer = self.device.allocate(16, stream=self.stream)
        with self.assertRaisesRegex(RuntimeError, "ipc_enabled=True"):
            buffer.ipc_descriptor
        with self.assertRaisesRegex(TypeError, "pickled"):
            pickle.dumps(buffer)
        with self.assertRaisesRegex(InvalidArgumentError, "is a slice"):
            self.pool.allocate(16, stream=self.stream)[0:8].ipc_descriptor
        with self.assertRaisesRegex(InvalidArgumentError, "not IPC-enabled"):
            self.stream.record().ipc_descriptor
        with self.assertRaisesRegex(InvalidArgumentError, "no timing"):
            self.device.create_event(EventOptions(timing_enabled=True, ipc_enabled=True))
        with self.assertRaises(cucore.CUDAError):
            Event.from_ipc_descriptor(cucore.IPCEventDescriptor(bytes(64), 0))
        with self.assertRaises(cucore.CUDAError):
            with open("/dev/null") as file:
                DeviceMemoryResource.from_allocation_handle(self.device, file.fileno())


if __name__ == "__main__":
    unittest.main()
