"""Tests green contexts, which are partitions of a device."""
import unittest

import cucore
from cucore import ContextOptions, LaunchConfig, SMResourceOptions, StreamOptions, launch
from support import DeviceTest, kernel

SOURCE = r"""
extern "C" __global__ void affine(float *x, float a, float b)
{
    x[threadIdx.x] = a * x[threadIdx.x] + b;
}
"""


class Green(DeviceTest):
    def setUp(self):
        super().setUp()
        try:
            self.sm = self.device.resources.sm
        except cucore.NotSupportedError as error:
            self.skipTest(str(error))

    def test_multiprocessors_are_split(self):
        self.assertEqual(self.sm.sm_count, self.device.properties.multiprocessor_count)
        groups, rest = self.sm.split(SMResourceOptions(count=(16, 16)))
        self.assertEqual(len(groups), 2)
        self.assertGreaterEqual(groups[0].sm_count, 16)
        left = rest.sm_count if rest is not None else 0
        self.assertEqual(sum(g.sm_count for g in groups) + left, self.sm.sm_count)
        (found,), rest = self.sm.split(SMResourceOptions(), dry_run=True)  # the smallest group
        self.assertLessEqual(self.sm.min_partition_size, found.sm_count)
        self.assertLess(found.sm_count, groups[0].sm_count)
        self.assertEqual(found.sm_count + rest.sm_count, self.sm.sm_count)
        with self.assertRaises(cucore.InvalidArgumentError):
            self.device.create_context(ContextOptions([found]))
        self.assertTrue(groups[0].handle)

    def test_a_stream_of_a_green_context_works_like_any_other(self):
        (group,), rest = self.sm.split(SMResourceOptions(count=16))
        part, other = (self.device.create_context(ContextOptions(r)) for r in (group, [rest]))
        self.assertTrue(part.is_green)
        self.assertEqual((part.device, part.resources.sm.sm_count), (self.device, group.sm_count))
        self.assertNotEqual(part, other)
        first, second = part.create_stream(), other.create_stream(StreamOptions(priority=-1))
        part.close()  # the stream keeps it alive
        x = self.floats([1] * 4)
        first.wait(self.stream)
        launch(first, LaunchConfig(grid=1, block=4), kernel(SOURCE, "affine"), x, 2.0, 3.0)
        second.wait(first)
        launch(second, LaunchConfig(grid=1, block=4), kernel(SOURCE, "affine"), x, 10.0, 0.0)
        self.stream.wait(second)
        self.assertEqual(self.read(x), [50] * 4)
        self.assertEqual(first.device, self.device)
        self.assertFalse(first.context.is_green)
        self.assertEqual(first.context.resources.sm.sm_count, self.sm.sm_count)

    def test_misuse_is_reported(self):
        for error, says, given in ((ValueError, "is empty", ()), (ValueError, "expected 0 or more", -1),
                                   (cucore.NotSupportedError, "of one size", (8, 16)),
                                   (cucore.InvalidArgumentError, "to split", 10000)):
            with self.subTest(says=says), self.assertRaisesRegex(error, says):
                self.sm.split(SMResourceOptions(count=given))
        with self.assertRaisesRegex(ValueError, "there is room for"):
            self.sm.split(SMResourceOptions(count=[self.sm.sm_count] * 2))
        with self.assertRaisesRegex(cucore.InvalidArgumentError, "count is 0"):
            self.device.create_context(ContextOptions())
        for kind in (cucore.SMResource, cucore.DeviceResources):
            with self.subTest(kind.__name__), self.assertRaisesRegex(RuntimeError, "device.resources"):
                kind()
        for given in (None, ContextOptions(None)):
            with self.subTest(given), self.assertRaisesRegex(ValueError, "resources must be provided"):
                self.device.create_context(given)
        whole = self.device.create_context(ContextOptions(self.sm))
        with self.assertRaisesRegex(ValueError, "nonblocking"):
            whole.create_stream(StreamOptions(nonblocking=False))
        with self.assertRaisesRegex(TypeError, "never current"):
            self.device.set_current(whole)


if __name__ == "__main__":
    unittest.main()
