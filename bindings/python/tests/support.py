"""Helpers that the tests share: a device, kernels, arrays of numbers."""
import array
import functools
import os
import pathlib
import subprocess
import sys
import unittest

import cucore

ROOT = pathlib.Path(__file__).resolve().parents[3]


@functools.lru_cache(maxsize=None)
def compiled(source, code_type="c++"):
    """Compile to object code that all tests share; to PTX if the driver is simulated."""
    device = cucore.Device(0)
    target = "ptx" if cucore.raw.cuc_driver_is_simulated() else "cubin"
    options = cucore.ProgramOptions(arch=f"sm_{device.arch}")
    try:
        return cucore.Program(source, code_type, options).compile(target)
    except cucore.NotFoundError as error:
        raise unittest.SkipTest(f"no NVRTC: {str(error).splitlines()[0]}") from None


def kernel(source, name):
    return compiled(source).get_kernel(name)


SAXPY = r"""
extern "C" __global__ void saxpy(float a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
"""


class DeviceTest(unittest.TestCase):
    def setUp(self):
        self.device = cucore.Device(0)
        self.stream = self.device.create_stream()

    def floats(self, values):
        """Return a buffer of float32 values."""
        data = array.array("f", values)
        buffer = self.device.allocate(len(data) * 4, stream=self.stream)
        buffer.copy_from(data, stream=self.stream)
        return buffer

    def read(self, buffer, kind="f"):
        out = array.array(kind, bytes(buffer.size))
        buffer.copy_to(out, stream=self.stream)
        self.stream.sync()
        return list(out)


def child(program, **environment):
    """Run a program in a new interpreter; return its output if it exits successfully."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120,
                          env={**os.environ, **environment})
    if done.returncode:
        raise AssertionError(f"exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout
