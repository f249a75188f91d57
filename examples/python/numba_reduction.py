# SPDX-License-Identifier: Apache-2.0
"""A Numba kernel, launched as always but through warpsage.analyze, without a GPU."""
import numpy
import warpsage
from numba import cuda, float32


@cuda.jit
def add_up(x, total):
    shared = cuda.shared.array(128, float32)
    thread, at = cuda.threadIdx.x, cuda.grid(1)
    value = float32(0)
    while at < x.size:
        value += x[at]
        at += cuda.gridsize(1)
    shared[thread] = value
    step = 64
    while step > 0:
        cuda.syncthreads()
        if thread < step:
            shared[thread] += shared[thread + step]
        step //= 2
    if thread == 0:
        cuda.atomic.add(total, 0, shared[0])


x = numpy.random.default_rng(1).random(1 << 18, numpy.float32)
total = numpy.zeros(1, numpy.float32)
answer = warpsage.analyze(add_up[256, 128], x, total, gpu="a100")
numpy.testing.assert_allclose(total[0], x.sum(dtype=numpy.float64), rtol=1e-4)
print(f"{1e6 * answer.time:.1f} us, {answer.limit}")
