# SPDX-License-Identifier: Apache-2.0
"""Arrays of the host as memory of the device: copied in before a launch, and back after it."""
from dataclasses import dataclass

import numpy

from . import _dlpack
from ._library import ArgumentError, ffi, lib


@dataclass(eq=False)
class Memory:
    """Elements in host memory; strides are in bytes. `owner` keeps the memory alive."""
    owner: object
    address: int
    shape: tuple
    strides: tuple
    item_bytes: int
    dtype: str
    is_read_only: bool

    @property
    def size(self):
        count = 1
        for extent in self.shape:
            count *= extent
        return count

    @property
    def is_dense(self):
        """Without gaps, in either order of its dimensions."""
        return self.size == 0 or self.end - self.begin == self.size * self.item_bytes

    @property
    def begin(self):
        return self.address + sum(min(0, (n - 1) * step) for n, step in zip(self.shape, self.strides))

    @property
    def end(self):
        if self.size == 0:
            return self.begin
        last = sum(max(0, (n - 1) * step) for n, step in zip(self.shape, self.strides))
        return self.address + last + self.item_bytes


def is_array(value):
    return isinstance(value, (numpy.ndarray, Memory)) or hasattr(value, "__cuda_array_interface__") or (
        _dlpack.is_tensor(value) and not isinstance(value, numpy.generic))


def memory_of(value):
    """The Memory of a numpy array or a DLPack tensor; ValueError says why it cannot be passed to a kernel."""
    if isinstance(value, Memory):
        return value
    if isinstance(value, numpy.ndarray):
        if value.dtype.hasobject:
            raise ValueError(f"an array of Python objects (dtype {value.dtype}) has no meaning on a GPU: "
                             "convert it, as with array.astype(numpy.float32)")
        if not value.dtype.isnative:
            raise ValueError(f"dtype {value.dtype.str} has foreign byte order: use array.astype("
                             f"'{value.dtype.newbyteorder('=').name}')")
        return Memory(value, value.__array_interface__["data"][0], value.shape, value.strides, value.itemsize,
                      value.dtype.name, not value.flags.writeable)
    if not _dlpack.is_tensor(value):
        raise ValueError("the array is in GPU memory: copy it to the host first, as with cupy.asnumpy")
    return Memory(*_dlpack.read(value))


@dataclass(eq=False)
class _Span:
    """Host memory of arrays that overlap, and where it lies on the device."""
    begin: int
    end: int
    is_read_only: bool
    argument: int  # the first that it is of
    address: int = 0


def _merge(memories):
    """Spans in the order of arguments: results must not depend on addresses of the host."""
    spans = []
    for argument, memory in sorted(enumerate(memories), key=lambda one: one[1].begin):
        last = spans[-1] if spans else None
        if last and (memory.begin < last.end or memory.begin == last.begin):
            last.end = max(last.end, memory.end)
            last.is_read_only = last.is_read_only and memory.is_read_only
            last.argument = min(last.argument, argument)
        else:
            spans.append(_Span(memory.begin, memory.end, memory.is_read_only, argument))
    return sorted(spans, key=lambda span: span.argument)


class Buffers:
    """Device memory for the arrays of one launch. Arrays that overlap on the host overlap on the device, too."""

    def __init__(self, context, device, memories):
        self._context, self._device = context, device
        self._spans = _merge(memories)
        for span in self._spans:
            self._place(span)

    def _place(self, span):
        size, out = span.end - span.begin, ffi.new("uint64_t *")
        self._context.check(lib.ws_device_alloc(self._device.pointer, max(size, 1), out))
        span.address = out[0]
        self._context.check(lib.ws_device_copy_in(self._device.pointer, out[0], ffi.cast("void *", span.begin), size))

    def address(self, memory):
        span = next(one for one in self._spans if one.begin <= memory.begin and memory.end <= one.end)
        return span.address + memory.address - span.begin

    def collect(self):
        """Writes back what the kernel wrote. ArgumentError: it wrote to an array that is read-only."""
        for span in self._spans:
            size, host = span.end - span.begin, ffi.cast("void *", span.begin)
            to = ffi.new("char[]", size) if span.is_read_only else host
            self._context.check(lib.ws_device_copy_out(self._device.pointer, to, span.address, size))
            if span.is_read_only and ffi.buffer(to, size) != ffi.buffer(host, size):
                raise ArgumentError("the kernel wrote to a read-only array: pass a writeable copy, as array.copy()")
