# SPDX-License-Identifier: Apache-2.0
"""What tests share: paths, and a launch whose results are known."""
import os
from pathlib import Path

import numpy

import warpsage

SOURCE = Path(os.environ["WARPSAGE_SOURCE"])
PROGRAM = os.environ["WARPSAGE_PROGRAM"]
SAXPY = SOURCE / "tests/cli/data/saxpy.ptx"


def saxpy(x, y, gpu="v100", **options):
    """y = 2 x + y for as many elements as y has."""
    n = y.shape[0] if hasattr(y, "shape") else len(y)
    return warpsage.analyze(SAXPY, n, 2.0, x, y, grid=(n + 255) // 256, block=256, gpu=gpu, isa="ptx", **options)


def floats(count, seed=1):
    return numpy.random.default_rng(seed).random(count, numpy.float32)
