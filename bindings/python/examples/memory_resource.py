"""A custom memory resource that counts the memory it allocates."""
from cucore import Buffer, Device, DeviceMemoryResource, MemoryResource


class Counting(MemoryResource):
    def __init__(self, device):
        self.pool = DeviceMemoryResource(device)
        self.lent = {}
        self.most = 0

    def allocate(self, size, *, stream):
        memory = self.pool.allocate(size, stream=stream)
        self.lent[memory.handle] = memory
        self.most = max(self.most, sum(len(m) for m in self.lent.values()))
        return Buffer.from_handle(memory.handle, size, mr=self, stream=stream)

    def deallocate(self, ptr, size, *, stream):
        self.lent.pop(ptr).close(stream)


device = Device()
counting = Counting(device)
device.memory_resource = counting
with device.create_stream() as stream:
    first = device.allocate(1000, stream=stream)
    with device.allocate(500, stream=stream) as second:
        second.fill(0, stream=stream)
    third = device.allocate(200, stream=stream)
    del first, third
    stream.sync()
device.memory_resource = None
assert counting.most == 1500 and not counting.lent
print("at most 1500 bytes were lent, and all came back")
