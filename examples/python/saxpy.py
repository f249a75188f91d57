# SPDX-License-Identifier: Apache-2.0
"""A kernel of PTX with numpy arrays: its result, and its time on three GPUs."""
from pathlib import Path

import numpy
import warpsage

KERNEL = Path(__file__).resolve().parents[1] / "kernels/saxpy/saxpy.ptx"
N = 1 << 18

x = numpy.random.default_rng(1).random(N, numpy.float32)
y = numpy.ones(N, numpy.float32)
answer = warpsage.analyze(KERNEL, N, 2.0, x, y, grid=N // 256, block=256, gpu="v100,a100,h200")

numpy.testing.assert_allclose(y, 2 * x + 1, rtol=1e-6)
for result in answer.results:
    print(f"{result.gpu:16} {1e6 * result.time:5.1f} us ({1e6 * result.low:.1f} to {1e6 * result.high:.1f}), "
          f"limited by {result.limit}")
print("bytes loaded:", int(answer.counters["mem.global.load.bytes_requested"]))
