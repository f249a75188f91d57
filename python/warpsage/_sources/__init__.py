# SPDX-License-Identifier: Apache-2.0
"""What can be analysed: files, text, and kernels of other packages, which are recognised without importing those."""
import os
from dataclasses import dataclass

from .._launch import Launch, dimensions
from .._library import ArgumentError
from . import cuda, cupy, numba, triton


@dataclass
class Given:
    """What the caller of `analyze` said of a launch."""
    arguments: tuple
    keywords: dict
    grid: object
    block: object
    shared: int
    cluster: object
    kernel: str
    targets: list  # of the GPUs, or the one that the caller wants: 80 for cc 8.0
    time_of: object  # predicts the seconds of a Launch on the only GPU; arrays stay as they are

    def refuse(self, *names, why):
        for name in names:
            if getattr(self, name):
                raise ArgumentError(f"{name} is not taken with {why}")

    def one_target(self, package):
        """The target that a compiler is asked for: code of another would run on none of the GPUs, or say less."""
        if not self.targets:
            return 80
        if len(set(self.targets)) > 1:
            raise ArgumentError(f"{package} compiles a kernel for one GPU: analyze it for each by itself, or for one "
                                "compute capability, as target=80")
        return self.targets[0]


def _of_code(source, given):
    if given.keywords:
        raise ArgumentError(f"unexpected keyword '{next(iter(given.keywords))}'")
    if given.grid is None or given.block is None:
        raise ArgumentError("grid and block are required, as in grid=4096, block=256")
    launch = Launch(code=source, values=list(given.arguments), grid=dimensions(given.grid, "grid"),
                    block=dimensions(given.block, "block"), shared=given.shared, kernel=given.kernel,
                    cluster=dimensions(given.cluster, "cluster") if given.cluster else (0, 0, 0))
    if isinstance(source, str) and "__global__" in source:
        cuda.compile_text(launch, source, (), given.targets)
    elif isinstance(source, str) and (".entry" in source or "\n" in source):
        launch.code = source.encode()
    elif isinstance(source, (bytearray, memoryview)):
        launch.code = bytes(source)
    return launch


def launch_of(source, given):
    """The Launch that a source and what was given with it describe."""
    for package in (triton, numba, cupy):
        if package.recognises(source):
            return package.launch_of(source, given)
    if isinstance(source, (str, bytes, bytearray, memoryview, os.PathLike)):
        return _of_code(source, given)
    raise ArgumentError(f"cannot analyze {type(source).__name__}: expected a path, PTX, CUDA C++, a Triton or Numba kernel "
                        "with its launch configuration (kernel[grid]), or a cupy.RawKernel")
