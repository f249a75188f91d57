# SPDX-License-Identifier: Apache-2.0
"""Triton's kernels against numpy, where Triton is installed. Its own ptxas makes the native code."""
import importlib.util
import unittest
import warnings

import numpy
import warpsage
from common import floats

HAS_TRITON = importlib.util.find_spec("triton") is not None
if HAS_TRITON:
    import triton
    import triton.language as tl

    @triton.jit
    def scaled_sum(out, x, n, scale, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.atomic_add(out, tl.sum(tl.load(x + at, mask=at < n, other=0.0)) * scale)

    @triton.jit
    def matmul(a, b, c, M, N, K, stride_b, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
        rows = tl.program_id(0) * BM + tl.arange(0, BM)
        columns = tl.program_id(1) * BN + tl.arange(0, BN)
        inner = tl.arange(0, BK)
        total = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(0, K, BK):
            left = tl.load(a + rows[:, None] * K + (k + inner)[None, :], mask=(k + inner)[None, :] < K, other=0.0)
            right = tl.load(b + (k + inner)[:, None] + columns[None, :] * stride_b, mask=(k + inner)[:, None] < K, other=0.0)
            total += tl.dot(left, right)
        tl.store(c + rows[:, None] * N + columns[None, :], total)

    @triton.jit
    def layer_norm(x, weight, eps, n, BLOCK: tl.constexpr):
        at = tl.arange(0, BLOCK)
        values = tl.load(x + tl.program_id(0) * n + at, mask=at < n, other=0.0).to(tl.float32)
        mean = tl.sum(values) / n
        off = tl.where(at < n, values - mean, 0.0)
        scaled = off * tl.rsqrt(tl.sum(off * off) / n + eps) * tl.load(weight + at, mask=at < n)
        tl.store(x + tl.program_id(0) * n + at, scaled, mask=at < n)

    tuned = triton.autotune([triton.Config({"BLOCK": 128}), triton.Config({"BLOCK": 256})], key=["n"])(scaled_sum)
    chosen = triton.heuristics({"BLOCK": lambda given: 256})(scaled_sum)


@unittest.skipUnless(HAS_TRITON, "Triton is not installed")
class Kernels(unittest.TestCase):
    def test_reduction(self):
        x = floats(10000)
        for gpu in ("v100", "rtx2080ti", "a100", "rtx4090", "h100-sxm", "b200"):
            out = numpy.zeros(1, numpy.float32)
            answer = warpsage.analyze(scaled_sum[lambda meta: (triton.cdiv(10000, meta["BLOCK"]),)], out, x, 10000, 0.5,
                                      BLOCK=1024, num_warps=8, gpu=gpu)
            numpy.testing.assert_allclose(out[0], x.sum(dtype=numpy.float64) / 2, rtol=1e-5)
            self.assertGreater(answer.time, 0)
            self.assertEqual((list(answer["kernels/0/launch/grid"]), answer["kernels/0/launch/threads_per_block"]),
                             ([10, 1, 1], 256))

    def test_matmul(self):
        """Pipelined and masked; b is given by its columns."""
        m, n, k = 128, 64, 200
        a, b = floats((m, k)).astype(numpy.float16), floats((n, k), 2).astype(numpy.float16)
        for gpu, isa, target in (("a100", "native", None), ("rtx3090", "native", None), ("a100", "ptx", None),
                                 ("h100-sxm", "auto", None), ("h100-sxm", "native", 80), ("b200", "auto", None)):
            c = numpy.zeros((m, n), numpy.float32)
            with warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                answer = warpsage.analyze(matmul[(2, 1)], a, b.T, c, m, n, k, k, BM=64, BN=64, BK=32, num_stages=3, gpu=gpu,
                                          target=target, isa=isa)
            self.assertEqual(any("compiled for cc 8.0" in str(one.message) for one in warned), gpu == "b200")
            numpy.testing.assert_allclose(c, a.astype(numpy.float32) @ b.astype(numpy.float32).T, rtol=1e-3)
            self.assertGreater(answer.counters["inst.warp.tensor"], 0)
            self.assertGreater(answer["kernels/0/launch/dynamic_shared_bytes"], 0)

    def test_in_place(self):
        x, weight = floats((40, 300)), floats(300, 2)
        off = x - x.mean(axis=1, keepdims=True)
        want = off / numpy.sqrt((off * off).mean(axis=1, keepdims=True) + 1e-5) * weight
        warpsage.analyze(layer_norm[(40,)], x, weight, 1e-5, 300, BLOCK=512, gpu="a100")
        numpy.testing.assert_allclose(x, want, rtol=1e-3, atol=1e-5)

    def test_heuristics(self):
        x, out = floats(1000), numpy.zeros(1, numpy.float32)
        warpsage.analyze(chosen[(4,)], out, x, 1000, 1.0, gpu="a100")
        numpy.testing.assert_allclose(out[0], x.sum(dtype=numpy.float64), rtol=1e-5)

    def test_autotuner(self):
        """It chooses what analyze says is fastest, and what it adds up is added once."""
        x, out = floats(5000), numpy.ones(1, numpy.float32)
        grid = lambda meta: (triton.cdiv(5000, meta["BLOCK"]),)  # noqa: E731
        answer = warpsage.analyze(tuned[grid], out, x, 5000, 1.0, gpu="a100")
        numpy.testing.assert_allclose(out[0], 1 + x.sum(dtype=numpy.float64), rtol=1e-5)
        times = {block: warpsage.analyze(scaled_sum[grid], out.copy(), x, 5000, 1.0, BLOCK=block, gpu="a100").time
                 for block in (128, 256)}
        self.assertEqual(tuned.best_config.kwargs["BLOCK"], min(times, key=times.get))
        self.assertEqual(answer.time, min(times.values()))
        self.assertEqual(tuned.cache, {})

    def test_refusals(self):
        x, out = floats(1000), numpy.zeros(1, numpy.float32)

        def refused(regex, source, *arguments, **keywords):
            with self.assertRaisesRegex(warpsage.ArgumentError, regex):
                warpsage.analyze(source, *arguments, **keywords)
        refused("needs its grid", scaled_sum, out, x, 1000, 1.0, BLOCK=128, gpu="a100")
        refused("for one GPU", scaled_sum[(1,)], out, x, 1000, 1.0, BLOCK=128, gpu="a100,h100-sxm")
        refused("for one GPU", tuned[(1,)], out, x, 1000, 1.0, gpu="a100,h100-sxm")
        refused("block is not taken", scaled_sum[(1,)], out, x, 1000, 1.0, BLOCK=128, gpu="a100", block=32)
        warpsage.analyze(scaled_sum[(1,)], out, x, 128, 1.0, BLOCK=128, gpu="a100,h100-sxm", target=80)

    def test_out_of_bounds(self):
        with self.assertRaises(warpsage.FaultError) as raised:
            warpsage.analyze(scaled_sum[(2,)], numpy.zeros(1, numpy.float32), floats(100), 200, 1.0, BLOCK=128, gpu="a100")
        self.assertIn("test_triton.py", str(raised.exception))


if __name__ == "__main__":
    unittest.main()
