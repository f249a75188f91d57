# SPDX-License-Identifier: Apache-2.0
"""Numba's kernels against numpy, where Numba and NVVM are installed."""
import importlib.util
import unittest
import warnings

import numpy
import warpsage
from common import floats

HAS_NUMBA = importlib.util.find_spec("numba") is not None
if HAS_NUMBA:
    from numba import cuda, float32

    @cuda.jit
    def matmul(a, b, c):
        i, j = cuda.grid(2)
        if i < c.shape[0] and j < c.shape[1]:
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            c[i, j] = total

    @cuda.jit
    def histogram(values, bins):
        counts = cuda.shared.array(16, numpy.int32)
        thread = cuda.threadIdx.x
        if thread < 16:
            counts[thread] = 0
        cuda.syncthreads()
        at = cuda.grid(1)
        if at < values.size:
            cuda.atomic.add(counts, int(values[at] * 16), 1)
        cuda.syncthreads()
        if thread < 16:
            cuda.atomic.add(bins, thread, counts[thread])

    @cuda.jit(device=True)
    def squared(value):
        return value * value

    @cuda.jit
    def squares(x):
        at = cuda.grid(1)
        if at < x.size:
            x[at] = squared(x[at])

    @cuda.jit
    def turned(x, line, is_scaled, factor):
        shared = cuda.shared.array(0, float32)
        thread = cuda.threadIdx.x
        shared[thread] = x[thread]
        cuda.syncthreads()
        value = shared[cuda.blockDim.x - 1 - thread]
        x[thread] = value * line[0] + line[1] if is_scaled else value * factor.imag


@unittest.skipUnless(HAS_NUMBA, "Numba is not installed")
class Kernels(unittest.TestCase):
    def setUp(self):
        catching = warnings.catch_warnings()
        catching.__enter__()
        self.addCleanup(catching.__exit__, None, None, None)
        warnings.simplefilter("ignore")  # Numba's, about small grids

    def test_strides(self):
        """Of rows, of columns, with gaps."""
        a, b, whole = floats((40, 30)), floats((50, 30), 2).T, numpy.zeros((80, 50))
        c = whole[::2]
        for gpu in ("v100", "a100", "h100-sxm"):
            answer = warpsage.analyze(matmul[(3, 4), (16, 16)], a, b, c, gpu=gpu)
            numpy.testing.assert_allclose(c, a.astype(float) @ b, rtol=1e-4)
            self.assertEqual(answer["kernels/0/name"], "matmul")
        self.assertEqual(numpy.abs(whole[1::2]).max(), 0)

    def test_shared_memory_and_atomics(self):
        values, bins = floats(5000), numpy.zeros(16, numpy.int32)
        answer = warpsage.analyze(histogram[20, 256], values, bins, gpu="a100")
        self.assertEqual(list(bins), list(numpy.histogram(values, 16, (0, 1))[0]))
        self.assertGreater(answer.time, 0)

    def test_dynamic_shared_memory_and_tuples(self):
        x = numpy.arange(64, dtype=numpy.float32)
        answer = warpsage.analyze(turned[1, 64, 0, 256], x, (2, 0.5), True, 1j, gpu="v100")
        numpy.testing.assert_array_equal(x, 2 * numpy.arange(64)[::-1] + 0.5)
        self.assertEqual(answer["kernels/0/launch/dynamic_shared_bytes"], 256)
        warpsage.analyze(turned[1, 64, 0, 256], x, (2, 0.5), False, numpy.complex64(3j), gpu="v100")
        numpy.testing.assert_array_equal(x, 3 * (2 * numpy.arange(64) + 0.5))

    def test_device_functions_and_forall(self):
        for gpu in ("a100", "h100-sxm"):
            x = floats(1000)
            answer = warpsage.analyze(squares.forall(1000, tpb=64), x, gpu=gpu)
            numpy.testing.assert_allclose(x, floats(1000) ** 2, rtol=1e-6)
            self.assertEqual(answer["kernels/0/launch/blocks"], 16)
        with self.assertRaisesRegex(warpsage.ArgumentError, "without tpb"):
            warpsage.analyze(squares.forall(1000), x, gpu="a100")

    def test_refusals(self):
        x = floats(64)
        for regex, source, arguments, keywords in (
                ("launch configuration", histogram, (x, x), {"gpu": "a100"}),
                ("for one GPU", histogram[1, 64], (x, x), {"gpu": "a100,v100"}),
                ("block is not taken", histogram[1, 64], (x, x), {"gpu": "a100", "block": 3})):
            with self.assertRaisesRegex(warpsage.ArgumentError, regex):
                warpsage.analyze(source, *arguments, **keywords)


if __name__ == "__main__":
    unittest.main()
