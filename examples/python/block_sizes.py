# SPDX-License-Identifier: Apache-2.0
"""Which size of blocks is fastest? Executed for each, predicted for one GPU, compared as a table."""
from pathlib import Path

import numpy
import warpsage

KERNEL = Path(__file__).resolve().parents[1] / "kernels/saxpy/saxpy.ptx"
N = 1 << 17

x, y = numpy.ones(N, numpy.float32), numpy.zeros(N, numpy.float32)
times = {}
for block in (32, 64, 128, 256, 512, 1024):
    answer = warpsage.analyze(KERNEL, N, 2.0, x, y, grid=N // block, block=block, gpu="a100")
    times[block] = answer.time
    print(f"{block:5} threads: {1e6 * answer.time:5.2f} us, occupancy {100 * answer.occupancy:3.0f} %, {answer.limit}")
print("fastest:", min(times, key=times.get))
