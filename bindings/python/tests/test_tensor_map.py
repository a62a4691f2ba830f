"""Tests tensor maps of arrays as kernel arguments, and views with another layout."""
import array
import types
import unittest

import cucore
from cucore import LaunchConfig, TensorMapDescriptorOptions, TensorMapSwizzle, launch
from cucore.utils import StridedMemoryView
from support import DeviceTest, child, kernel

TAKE = r"""
struct alignas(64) Map { char bytes[128]; };
extern "C" __global__ void take(const __grid_constant__ Map map, float *out, int x, int y)
{
    __shared__ alignas(128) float box[32];
    __shared__ alignas(8) unsigned long long bar;
    unsigned at = (unsigned)__cvta_generic_to_shared(box), done = 0;
    unsigned wait = (unsigned)__cvta_generic_to_shared(&bar);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(wait));
        asm volatile("fence.mbarrier_init.release.cluster;");
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 128;" :: "r"(wait));
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%2, %3}], [%4];" :: "r"(at), "l"(&map), "r"(x), "r"(y), "r"(wait) : "memory");
    }
    __syncthreads();
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(wait) : "memory");
    out[threadIdx.x] = box[threadIdx.x];
}
"""
ROWS, COLUMNS = 8, 32


class TensorMaps(DeviceTest):
    def setUp(self):
        super().setUp()
        if not self.device.properties.tensor_map_access_supported:
            self.skipTest("the device is of before compute capability 9.0")
        self.x = self.floats(range(ROWS * COLUMNS))
        self.view = StridedMemoryView.from_buffer(self.x, (ROWS, COLUMNS), dtype="float32")
        self.out = self.floats([0] * 32)

    def taken(self, tensor_map, x, y):
        launch(self.stream, LaunchConfig(grid=1, block=32), kernel(TAKE, "take"), tensor_map, self.out, x, y)
        return self.read(self.out)

    def test_a_kernel_takes_boxes(self):
        made = self.view.as_tensor_map((4, 8))
        self.assertEqual(made.device, self.device)
        self.assertEqual(len(bytes(made)), 128)
        self.assertEqual(self.taken(made, 8, 2), [r * COLUMNS + c for r in range(2, 6) for c in range(8, 16)])
        other = self.floats([-i for i in range(ROWS * COLUMNS)]).view("f32", (ROWS, COLUMNS))
        made.replace_address(other)
        self.assertEqual(self.taken(made, 0, 0)[:2], [0, -1])
        with self.assertRaisesRegex(ValueError, "does not lie as that does"):
            made.replace_address(self.x)

    def test_bytes_are_viewed_as_elements_of_the_map(self):
        expected = self.taken(self.view.as_tensor_map((4, 8)), 8, 2)
        rows = self.x.view("u8", (ROWS, COLUMNS * 4))
        for kind in (cucore.TensorMapDataType.FLOAT32, "f32"):
            made = rows.as_tensor_map((4, 8), data_type=kind)
            self.assertEqual(self.taken(made, 8, 2), expected)
            made.replace_address(rows)
            self.assertEqual(self.taken(made, 8, 2), expected)
        self.assertEqual(bytes(rows.as_tensor_map((4, 8), data_type="tf32")),
                         bytes(self.x.view("f32", (ROWS, COLUMNS)).as_tensor_map((4, 8), data_type="tf32")))
        with self.assertRaisesRegex(ValueError, "not an array of 8-byte elements"):
            self.x.view("u8", (10, 100)).as_tensor_map((4, 8), data_type="f64")

    def test_options_by_name_or_whole(self):
        given = TensorMapDescriptorOptions((8, 8), element_strides=(2, 1))
        every_second = self.view.as_tensor_map(options=given)
        self.assertEqual(self.taken(every_second, 0, 0), [r * COLUMNS + c for r in (0, 2, 4, 6) for c in range(8)])
        tensor = self.x.view("f32", (ROWS, COLUMNS))
        same = [bytes(tensor.as_tensor_map((4, 32), swizzle=s))
                for s in (TensorMapSwizzle.SWIZZLE_128B, "128B", "swizzle_128b", 3)]
        self.assertEqual(len(set(same)), 1)
        self.assertNotEqual(same[0], bytes(tensor.as_tensor_map((4, 32))))
        rounded = tensor.as_tensor_map((4, 8), data_type=cucore.TensorMapDataType.TFLOAT32_FTZ)
        self.assertNotEqual(bytes(rounded), bytes(tensor.as_tensor_map((4, 8), data_type="tf32")))

    def test_images(self):
        images = self.x.view("f32", (2, 2, 2, 32))
        made = cucore.TensorMapDescriptor.im2col(images, (-1, -1), (0, 0), 32, 8)
        self.assertEqual(len(bytes(made)), 128)
        with self.assertRaisesRegex(ValueError, "has 1 numbers"):
            cucore.TensorMapDescriptor.im2col(images, (-1,), (0, 0), 32, 8)

    def test_im2col_wide_needs_later_devices(self):
        images = self.x.view("f32", (2, 2, 2, 32))
        wide, given = cucore.TensorMapDescriptor.im2col_wide, TensorMapDescriptorOptions(swizzle="128B")
        with self.assertRaisesRegex(cucore.InvalidArgumentError, "swizzle is 0"):
            wide(images, 0, 0, 32, 8)
        with self.assertRaisesRegex(cucore.InvalidArgumentError, r"lower\[1\] is 5"):
            wide(images, 5, 0, 32, 8, given)
        with self.assertRaisesRegex(cucore.InvalidArgumentError, "pixels is 0"):
            wide(images, -1, 1, 32, 0, given)
        if self.device.compute_capability < (10, 0):
            for mode in ("W128", 1, cucore.TensorMapIm2ColWideMode.W128):
                with self.assertRaisesRegex(cucore.NotSupportedError, "need 10.0"):
                    wide(images, -1, 1, 32, 0, given, mode=mode)

    def test_misuse_is_reported(self):
        for error, says, given in (
                (ValueError, "box_dim has 1 numbers", {"box_dim": (4,)}),
                (TypeError, "expected box_dim", {}),
                (ValueError, "none of NONE", {"box_dim": (4, 8), "swizzle": "256B"}),
                (TypeError, "not both", {"box_dim": (4, 8), "options": TensorMapDescriptorOptions((4, 8))}),
                (cucore.InvalidArgumentError, r"box\[1\] is 300", {"box_dim": (4, 300)})):
            with self.subTest(says=says), self.assertRaisesRegex(error, says):
                self.view.as_tensor_map(**given)
        with self.assertRaisesRegex(RuntimeError, "as_tensor_map"):
            cucore.TensorMapDescriptor()
        host = StridedMemoryView.from_any_interface(cucore.PinnedMemoryResource().allocate(
            4096, stream=self.stream).view("f32", (ROWS, COLUMNS)), -1)
        host.as_tensor_map((4, 8))  # pinned memory, which a device can access

    @unittest.skipUnless(cucore.system.is_simulated(), "needs two devices")
    def test_an_array_of_another_device_is_refused_as_a_replacement(self):
        child("""
import cucore

def view(make, number):
    stream = cucore.Device(number).default_stream
    return make(number).allocate(4096, stream=stream).view("f32", (32, 32))

def on_device(number):
    return cucore.DeviceMemoryResource(number)

def managed(number):
    return cucore.ManagedMemoryResource(cucore.ManagedMemoryResourceOptions(preferred_location=number))

cucore.Device(0).set_current()
for number in 0, 1:
    made = view(on_device, number).as_tensor_map((4, 8))  # whichever device is current
    assert made.device.device_id == number, made
    made.replace_address(view(on_device, number))
    try:
        made.replace_address(view(on_device, 1 - number))
    except ValueError as error:
        assert f"on device {number}, and" in str(error), error
    else:
        raise AssertionError("accepted")
    made.replace_address(view(managed, 1 - number))
""", CUCORE_SIM_DEVICES="2")


class Views(DeviceTest):
    def test_another_layout_or_type(self):
        x = self.floats(range(12))
        view = StridedMemoryView.from_buffer(x, (3, 4), dtype="float32")
        turned = view.view(types.SimpleNamespace(shape=(4, 3), strides=(1, 4)))
        self.assertEqual((turned.shape, turned.strides, turned.ptr), ((4, 3), (1, 4), view.ptr))
        self.assertEqual(view.view((12,)).strides, (1,))
        self.assertEqual(view.view(dtype="int32")._tensor.dtype, "i32")
        self.assertEqual(view.view((3, 8), dtype="float16").shape, (3, 8))
        x.close()
        out = array.array("f", bytes(48))
        view.view((12,))._tensor.copy_to(out, stream=self.stream)  # it keeps the memory alive
        self.stream.sync()
        self.assertEqual(list(out), list(range(12)))
        with self.assertRaisesRegex(ValueError, "reaches 52 bytes"):
            view.view((13,))
        with self.assertRaisesRegex(ValueError, "without a layout"):
            view.view(dtype="float64")


if __name__ == "__main__":
    unittest.main()
