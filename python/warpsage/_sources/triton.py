# SPDX-License-Identifier: Apache-2.0
"""Triton's kernels: kernel[grid] of a function with @triton.jit. Triton's own run-time system specialises, compiles and
launches; in place of a GPU's driver stands one that keeps what is launched."""
import contextlib
import inspect
import math
from types import SimpleNamespace

import numpy

from .._buffers import is_array, memory_of
from .._launch import Launch
from .._library import ERRORS, ArgumentError, lib

LaunchError = ERRORS[lib.WS_ERR_LAUNCH]


def _jit_function(source):
    """The kernel of kernel[grid], a function of Triton's that calls the kernel's `run`; None: something else."""
    if not inspect.isfunction(source) or not source.__module__.startswith("triton."):
        return None
    return inspect.getclosurevars(source).nonlocals.get("self")


def recognises(source):
    return _jit_function(source) is not None or type(source).__module__.startswith("triton.runtime.")


class _Pointer:
    """An array as Triton looks at tensors. Its address tells the alignment that it would have on a GPU, where arrays of
    their own are aligned and views are as far from the beginning as here."""

    def __init__(self, value):
        self.memory = memory_of(value)
        self.dtype = self.memory.dtype
        self._value = value

    def data_ptr(self):
        root = self._value
        while isinstance(root, numpy.ndarray) and isinstance(root.base, numpy.ndarray):
            root = root.base
        return self.memory.address - (root.__array_interface__["data"][0] if isinstance(root, numpy.ndarray) else 0)


    # What the autotuner does to tensors around a measurement; predictions leave arrays as they are.

    def zero_(self):
        self._value[...] = 0

    def clone(self):
        return self

    def copy_(self, _copy):
        return self


class _Driver:
    """A GPU of `target` on which nothing runs; `time_of` predicts the seconds of a Launch, for the autotuner."""

    def __init__(self, target, time_of):
        from triton.backends.compiler import GPUTarget
        self._time_of = time_of
        self._target = GPUTarget("cuda", target, 32)
        self.launches = []
        self.launcher_cls = self._launcher
        unlimited = {"max_shared_mem": 1 << 30, "multiprocessor_count": 1, "warpSize": 32}
        self.utils = SimpleNamespace(
            load_binary=lambda name, code, shared, device: (None, None, 0, 0, 1024),
            unload_module=lambda module: None, get_device_properties=lambda device: unlimited)

    def _launcher(self, source, metadata):
        def launch(x, y, z, _stream, _function, _packed, _launch_metadata, _enter, _leave, *arguments):
            self.launches.append(((x, y, z), source, metadata, arguments))
        return launch

    def get_current_device(self):
        return f"warpsage sm_{self._target.arch}"  # what Triton keeps compiled kernels by

    def get_current_stream(self, _device):
        return 0

    def get_current_target(self):
        return self._target

    def get_benchmarker(self):
        """Milliseconds of a call, which is predicted instead of measured: one number for every quantile."""
        def predict(call, quantiles=(0.5,), **_options):
            call()
            try:
                milliseconds = 1e3 * self._time_of(self.last_launch())
            except LaunchError:  # too much shared memory ...: Triton's own loader would say so
                milliseconds = math.inf
            return [milliseconds] * len(quantiles)
        return predict

    def last_launch(self):
        """The Launch of the last call."""
        grid, source, metadata, arguments = self.launches[-1]
        kernels = source.fn.device_caches[self.get_current_device()][0].values()
        compiled = next(kernel for kernel in kernels if kernel.src is source)
        return _as_launch(grid, source, metadata, arguments, compiled.asm)


def _bfloat16(value):
    bits = int(numpy.float32(value).view(numpy.uint32))
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).to_bytes(2, "little")


_SCALARS = {"fp16": numpy.float16, "fp32": numpy.float32, "fp64": numpy.float64, "i1": numpy.int8,
            **{f"i{bits}": getattr(numpy, f"int{bits}") for bits in (8, 16, 32, 64)},
            **{f"u{bits}": getattr(numpy, f"uint{bits}") for bits in (8, 16, 32, 64)}}


def _flatten(kind, name, value, out, names):
    """What is passed of an argument: nothing of constants, the elements of tuples."""
    if kind == "constexpr" or value is None:
        return
    if isinstance(kind, tuple):
        for index, (one, element) in enumerate(zip(kind, value)):
            _flatten(one, f"{name}[{index}]", element, out, names)
        return
    names.append(name)
    if kind.startswith("*"):
        out.append(value.memory)
    elif kind == "bf16":
        out.append(_bfloat16(value))
    elif kind in _SCALARS:
        out.append(_SCALARS[kind](value).tobytes())
    else:
        raise ArgumentError(f"argument {name}: Triton's type {kind} is unsupported")


def _autotuners(kernel):
    """Those among what decorates a kernel."""
    while kernel is not None:
        if hasattr(kernel, "configs") and hasattr(kernel, "cache"):
            yield kernel
        kernel = getattr(kernel, "fn", None) if type(kernel).__module__.startswith("triton.") else None


@contextlib.contextmanager
def _without_measurements(kernel):
    """What autotuners chose by measuring is left aside, and predictions are not kept in its place."""
    kept = [(tuner, tuner.cache, getattr(tuner, "cache_results", False)) for tuner in _autotuners(kernel)]
    for tuner, _, _ in kept:
        tuner.cache, tuner.cache_results = {}, False
    try:
        yield
    finally:
        for tuner, cache, cache_results in kept:
            tuner.cache, tuner.cache_results = cache, cache_results


@contextlib.contextmanager
def _active(driver):
    """The driver in place of a GPU's."""
    from triton.runtime import driver as drivers
    before = drivers.__dict__.get("_active")
    drivers.set_active(driver)
    try:
        yield
    finally:
        drivers.set_active(before)


def _as_launch(grid, source, metadata, arguments, asm):
    values, names = [], []
    for (name, kind), value in zip(source.signature.items(), arguments):
        _flatten(kind, name if isinstance(name, str) else source.fn.arg_names[name], value, values, names)
    clusters = getattr(metadata, "num_ctas", 1)
    scratch = [numpy.zeros(max(1, math.prod(grid) * clusters * getattr(metadata, size, 0)), numpy.uint8)
               for size in ("global_scratch_size", "profile_scratch_size")]
    return Launch(code=asm["ptx"].encode(), name=f"{metadata.name}.ptx", kernel=metadata.name, values=values,
                  names=[*names, "scratch", "scratch"], scratch=scratch, grid=(grid[0] * clusters, grid[1], grid[2]),
                  block=(32 * metadata.num_warps, 1, 1), cluster=(clusters, 1, 1) if clusters > 1 else (0, 0, 0),
                  shared=metadata.shared, takes_strides=True, cubin=asm.get("cubin"), is_compiled=True)


def launch_of(source, given):
    kernel = _jit_function(source)
    if kernel is None:
        raise ArgumentError("a Triton kernel needs its grid: analyze(kernel[grid], ...)")
    given.refuse("grid", "block", "kernel", "shared", why="a Triton kernel: kernel[grid](arguments, num_warps=...)")
    driver = _Driver(given.one_target("Triton"), given.time_of)
    wrapped = [_Pointer(value) if is_array(value) else value for value in given.arguments]
    keywords = {name: _Pointer(value) if is_array(value) else value for name, value in given.keywords.items()}
    with _active(driver), _without_measurements(kernel):
        source(*wrapped, **keywords)
        return driver.last_launch()
