"""Tests waiting with asyncio, through an event's file descriptor."""
import asyncio
import os
import time
import unittest

from cucore import ContextLostError, CUDAError, LaunchConfig, launch
from support import DeviceTest, child, kernel

SLOW = r"""
extern "C" __global__ void slow(int *p, int n)
{
    for (int i = 0; i < n; i++)
        *(volatile int *)p += 1;
}
"""


def descriptors():
    return len(os.listdir("/proc/self/fd"))


class Waiting(DeviceTest):
    def work(self, stream, turns=1000):
        memory = self.device.allocate(4, stream=stream)
        memory.fill(0, stream=stream)
        launch(stream, LaunchConfig(grid=1, block=1), kernel(SLOW, "slow"), memory, turns)
        return memory

    def test_an_event_and_a_stream_are_waited_for(self):
        async def main():
            memory = self.work(self.stream)
            event = self.stream.record()
            await event
            self.assertTrue(event.is_done)
            await event  # again, after completion
            self.work(self.stream)
            await self.stream
            self.assertTrue(self.stream.is_done)
            return memory

        self.assertEqual(self.read(asyncio.run(main()), "i"), [1000])

    def test_the_event_loop_continues_during_a_wait(self):
        async def main():
            turns = 0

            async def count():
                nonlocal turns
                while True:
                    turns += 1
                    await asyncio.sleep(0)

            task = asyncio.create_task(count())
            await asyncio.sleep(0)
            self.work(self.stream, 200000)
            await self.stream
            task.cancel()
            return turns

        self.assertGreater(asyncio.run(main()), 1)

    def test_many_are_waited_for_at_once(self):
        streams = [self.device.create_stream() for _ in range(8)]

        async def main():
            for stream in streams:
                self.work(stream)
            await asyncio.gather(*(stream._wait() for stream in streams))

        before = descriptors()
        asyncio.run(main())
        self.assertTrue(all(s.is_done for s in streams))
        self.assertLessEqual(descriptors(), before + 2)  # the library's own descriptors

    def test_a_wait_can_be_canceled(self):
        async def main():
            self.work(self.stream, 2000000)
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(self.stream._wait(), 0.01)

        start = time.monotonic()
        asyncio.run(main())
        self.assertLess(time.monotonic() - start, 60)
        self.stream.sync()

    def test_a_failure_of_the_work_raises_in_the_wait(self):
        program = """
import asyncio, cucore
from cucore import *
device = Device(0)
stream = device.create_stream()
code = Program('extern "C" __global__ void f(int *p) { *p = 1; }', "c++",
               ProgramOptions(arch="sm_" + device.arch)).compile("ptx")
launch(stream, LaunchConfig(grid=1, block=1), code.get_kernel("f"), 8)

async def main():
    try:
        await stream
    except CUDAError as error:
        print(error.symbol)

asyncio.run(main())
"""
        kernel(SLOW, "slow")
        self.assertIn("CUDA_ERROR_ILLEGAL_ADDRESS", child(program, CUCORE_SIM_REPORT="0"))
        self.assertTrue(issubclass(ContextLostError, CUDAError))


if __name__ == "__main__":
    unittest.main()
