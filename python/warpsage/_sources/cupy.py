# SPDX-License-Identifier: Apache-2.0
"""cupy.RawKernel, called as kernel(grid, block, (arguments), shared_mem=0)."""
import numpy

from .._launch import Launch, dimensions
from .._library import ArgumentError
from . import cuda


def recognises(source):
    """By what it has, so that CuPy, which needs a GPU for most else, is not imported."""
    return callable(source) and isinstance(getattr(source, "code", None), str) and all(
        hasattr(source, name) for name in ("name", "options"))


def _as_passed(value):
    """The bytes that CuPy passes for a Python number."""
    for kind, passed in ((bool, numpy.bool_), (int, numpy.int64), (float, numpy.float64), (complex, numpy.complex128)):
        if isinstance(value, kind) and not isinstance(value, numpy.generic):
            return passed(value)
    return value


def launch_of(source, given):
    given.refuse("grid", "block", "kernel", "shared", why="a cupy.RawKernel: analyze(kernel, grid, block, (arguments), "
                 "shared_mem=0)")
    if len(given.arguments) != 3 or set(given.keywords) - {"shared_mem"}:
        raise ArgumentError("a cupy.RawKernel is analysed as it is called: analyze(kernel, grid, block, (arguments), "
                            "shared_mem=0, gpu=...)")
    grid, block, values = given.arguments
    launch = Launch(code=None, values=[_as_passed(value) for value in values], grid=dimensions(grid, "grid"),
                    block=dimensions(block, "block"), kernel=source.name, shared=given.keywords.get("shared_mem", 0))
    cuda.compile_text(launch, source.code, tuple(source.options or ()), given.targets)
    return launch
