# SPDX-License-Identifier: Apache-2.0
"""Kernels that are not files: text, bytes, and objects like cupy.RawKernel."""
import shutil
import unittest

import numpy
import warpsage
from common import SAXPY, floats

AXPY = """
extern "C" __global__ void axpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = FACTOR * a * x[i] + y[i];
}
"""


class RawKernel:
    """What the package looks at of a cupy.RawKernel, which cannot be launched without a GPU."""

    def __init__(self, code, name, options=()):
        self.code, self.name, self.options = code, name, options

    def __call__(self, grid, block, args, *, shared_mem=0):
        raise RuntimeError("no GPU")


class Text(unittest.TestCase):
    def test_elements_by_mangled_name(self):
        """saxpy(unsigned, float, float const*, float*): the C++ ABI's own names (c++filt)."""
        source = SAXPY.read_text(encoding="utf-8").replace("saxpy", "_Z5saxpyjfPKfPf")
        x = floats(64)
        with self.assertRaisesRegex(warpsage.ArgumentError, r"argument 3 .*expected an array of float32, got float64"):
            warpsage.analyze(source, 64, 2.0, x, numpy.ones(64), grid=1, block=64, gpu="v100", isa="ptx")
        warpsage.analyze(source, 64, 2.0, x, x, grid=1, block=64, gpu="v100", isa="ptx")

    def test_ptx(self):
        for source in (SAXPY.read_text(encoding="utf-8"), SAXPY.read_bytes(), str(SAXPY)):
            x, y = floats(64), floats(64, 2)
            want = 2 * x + y
            warpsage.analyze(source, 64, 2.0, x, y, grid=1, block=64, gpu="v100", isa="ptx")
            numpy.testing.assert_allclose(y, want, rtol=1e-6)


@unittest.skipUnless(shutil.which("nvcc") or shutil.which("clang"), "neither nvcc nor clang")
class RawKernels(unittest.TestCase):
    def analyze(self, n, *options, **keywords):
        self.x, self.y = floats(500), floats(500, 2)
        kernel = RawKernel(AXPY, "axpy", options)
        return warpsage.analyze(kernel, (4,), (128,), (n, numpy.float32(2), self.x, self.y), gpu="v100", isa="ptx",
                                **keywords)

    def test_launch(self):
        answer = self.analyze(numpy.int32(500), "-DFACTOR=3", shared_mem=64)
        numpy.testing.assert_allclose(self.y, 6 * self.x + floats(500, 2), rtol=1e-6)
        self.assertEqual(answer["kernels/0/launch/threads_per_block"], 128)
        self.assertEqual(answer["kernels/0/launch/dynamic_shared_bytes"], 64)
        self.assertIn("FACTOR * a", answer.html())

    def test_python_numbers_are_those_of_cupy(self):
        with self.assertRaisesRegex(warpsage.ArgumentError, r"argument 0 .*numpy\.u?int32\(value\), got int64"):
            self.analyze(500, "-DFACTOR=3")

    def test_elements(self):
        kernel = RawKernel(AXPY, "axpy", ["-DFACTOR=1"])
        with self.assertRaisesRegex(warpsage.ArgumentError, r"argument 2 .*expected an array of float32, got float64"):
            warpsage.analyze(kernel, (4,), (128,), (numpy.int32(500), numpy.float32(2), numpy.ones(500), floats(500)),
                             gpu="v100", isa="ptx")

    def test_bad_source(self):
        with self.assertRaisesRegex(warpsage.InputError, "FACTOR"):
            self.analyze(numpy.int32(500), "-DOTHER=3")

    def test_bad_calls(self):
        kernel = RawKernel(AXPY, "axpy")
        with self.assertRaisesRegex(warpsage.ArgumentError, "analysed as it is called"):
            warpsage.analyze(kernel, 500, self, gpu="v100")
        with self.assertRaisesRegex(warpsage.ArgumentError, "grid is not taken with a cupy.RawKernel"):
            warpsage.analyze(kernel, 1, 1, (), grid=1, gpu="v100")


if __name__ == "__main__":
    unittest.main()
