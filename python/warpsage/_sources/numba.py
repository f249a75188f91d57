# SPDX-License-Identifier: Apache-2.0
"""Numba's kernels: kernel[grid, block, stream, shared] of a function with @cuda.jit."""
import contextlib
import re
from types import SimpleNamespace

import numpy

from .._arguments import read_arguments
from .._buffers import is_array
from .._launch import Launch, dimensions
from .._library import ArgumentError


OLDEST_TARGET = 75  # that NVVM of CUDA 13 compiles for; PTX for it is executed for older GPUs, too


def _is_of_numba(source):
    return type(source).__module__.startswith("numba.")


def recognises(source):
    return _is_of_numba(source) and any(hasattr(source, name) for name in ("griddim", "ntasks", "py_func"))


def _geometry(source):
    """Grid and block of kernel[grid, block] or kernel.forall(count, tpb=128)."""
    if hasattr(source, "griddim"):
        return dimensions(source.griddim, "grid"), dimensions(source.blockdim, "block")
    threads = getattr(source, "thread_per_block", 0)
    if not threads:
        raise ArgumentError("a Numba kernel needs its launch configuration: analyze(kernel[grid, block], ...), or "
                            "kernel.forall(count, tpb=128): without tpb it asks a GPU for the size of blocks")
    return dimensions(-(-source.ntasks // threads), "grid"), dimensions(threads, "block")


@contextlib.contextmanager
def _as_if_on(target):
    """While Numba compiles device functions it asks which GPU it is on."""
    from numba.cuda import dispatcher
    before = dispatcher.get_current_device
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=divmod(target, 10))
    try:
        yield
    finally:
        dispatcher.get_current_device = before


def _flatten(kind, value, out, address):
    """Values as Numba's calling convention has them: an array as meminfo, parent, items, item size, data, shape and
    strides, a tuple as its elements, a complex number as two."""
    from numba.core import types
    if isinstance(kind, types.Array):
        memory = address[id(value)]
        out += [0, 0, memory.size, memory.item_bytes, memory, *memory.shape, *memory.strides]
    elif isinstance(kind, types.BaseTuple):
        for one, element in zip(kind, value):
            _flatten(one, element, out, address)
    elif isinstance(kind, types.Complex):
        part = numpy.float32 if kind == types.complex64 else numpy.float64
        out += [part(value.real), part(value.imag)]
    elif isinstance(kind, (types.Integer, types.Float, types.Boolean)):
        out.append(numpy.dtype(str(kind) if kind != types.boolean else "int8").type(value))
    else:
        raise ArgumentError(f"Numba arguments of type {kind} are unsupported: pass arrays, numbers or tuples of them")


def _as_numpy(value):
    """What Numba knows the type of: DLPack tensors as arrays over the same memory."""
    return numpy.from_dlpack(value) if is_array(value) and not isinstance(value, numpy.ndarray) else value


def _arrays_in(values):
    for value in values:
        if isinstance(value, tuple):
            yield from _arrays_in(value)
        elif isinstance(value, numpy.ndarray):
            yield value


def _with_short_name(ptx, name):
    """The kernel under the name of its function; Numba's tells types and options, too."""
    return ptx.replace(re.search(r"\.entry\s+([\w$]+)", ptx).group(1), name)


def launch_of(source, given):
    grid, block = _geometry(source)
    given.refuse("grid", "block", "kernel", "shared", "keywords", why="a Numba kernel: kernel[grid, block, stream, shared]")
    from numba import cuda
    dispatcher = source.dispatcher
    values = [_as_numpy(value) for value in given.arguments]
    kinds = tuple(dispatcher.typeof_pyval(value) for value in values)
    target = max(OLDEST_TARGET, given.one_target("Numba"))
    options = {name: dispatcher.targetoptions[name] for name in ("fastmath", "opt") if name in dispatcher.targetoptions}
    with _as_if_on(target):
        ptx, _ = cuda.compile_ptx(dispatcher.py_func, kinds, cc=divmod(target, 10), lineinfo=True, **options)
    name = dispatcher.py_func.__name__
    arrays = list(_arrays_in(values))
    memories = read_arguments(arrays, [f"array {index}" for index in range(len(arrays))], takes_strides=True)
    flat = []
    for kind, value in zip(kinds, values):
        _flatten(kind, value, flat, {id(array): memory for array, memory in zip(arrays, memories)})
    return Launch(code=_with_short_name(ptx, name).encode(), name=f"{name}.ptx", values=flat, takes_strides=True,
                  grid=grid, block=block, shared=int(source.sharedmem or 0), is_compiled=True)
