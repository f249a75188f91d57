# SPDX-License-Identifier: Apache-2.0
"""A Triton kernel, launched as always but through warpsage.analyze, without a GPU."""
import numpy
import triton
import triton.language as tl
import warpsage


@triton.jit
def softmax(out, x, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + at, mask=at < columns, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * columns + at, powers / tl.sum(powers, axis=0), mask=at < columns)


ROWS, COLUMNS = 512, 1000
x = numpy.random.default_rng(1).random((ROWS, COLUMNS), numpy.float32)
out = numpy.empty_like(x)
for warps in (1, 2, 4, 8):
    answer = warpsage.analyze(softmax[(ROWS,)], out, x, COLUMNS, BLOCK=1024, num_warps=warps, gpu="a100")
    print(f"{warps} warps: {1e6 * answer.time:5.1f} us, {answer.limit}")

powers = numpy.exp(x - x.max(axis=1, keepdims=True))
numpy.testing.assert_allclose(out, powers / powers.sum(axis=1, keepdims=True), rtol=1e-5)
