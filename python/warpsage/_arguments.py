# SPDX-License-Identifier: Apache-2.0
"""Python values as the parameter block of a kernel."""
import struct

import numpy

from ._buffers import Memory, is_array, memory_of
from ._elements import agrees
from ._library import ArgumentError, ffi, lib, owned_text, text

_FLOAT_CODES = {2: "<e", 4: "<f", 8: "<d"}


def parameters_of(context, module, kernel):
    """Its ws_parameter structures, in order."""
    found = []
    for index in range(lib.ws_module_parameter_count(module.pointer, kernel)):
        parameter = ffi.new("ws_parameter *")
        context.check(lib.ws_module_parameter(module.pointer, kernel, index, parameter))
        found.append(parameter)
    return found


def _bits(parameter):
    """"f32", "u64"; of a struct its size."""
    kind = text(parameter.type)
    return kind if kind != "b8" or parameter.size == 1 else f"a struct of {parameter.size} bytes"


def _wrong(parameter, value, what):
    said = type(value).__name__ if is_array(value) else f"{type(value).__name__} {value!r}"
    return ValueError(f"expected {what or _bits(parameter)}, got {said}")


def _encode_integer(parameter, value):
    bits = 8 * parameter.size
    is_signed = text(parameter.type).startswith("s")
    low, high = -(1 << (bits - 1)), (1 << bits) - 1
    if is_signed:
        high = (1 << (bits - 1)) - 1
    if not low <= value <= high or parameter.size not in (1, 2, 4, 8):
        raise _wrong(parameter, value, None)
    return (value & ((1 << bits) - 1)).to_bytes(parameter.size, "little")


def _encode_float(parameter, value):
    # .b32 may be anything, .u32 and .s32 are integers.
    if parameter.size not in _FLOAT_CODES or not (parameter.is_float or text(parameter.type).startswith("b")):
        raise _wrong(parameter, value, None)
    try:
        return struct.pack(_FLOAT_CODES[parameter.size], value)
    except OverflowError:
        raise _wrong(parameter, value, None) from None


def _encode_scalar(parameter, value):
    """A numpy scalar passes its own bytes, which must be those that the kernel takes."""
    is_float = value.dtype.kind == "f"
    is_integer = value.dtype.kind in "iub"
    declared = text(parameter.type)
    if value.nbytes != parameter.size or (parameter.is_float and not is_float) or (
            declared[0] in "us" and not is_integer):
        wanted = f"{_bits(parameter)}: pass numpy.{_numpy_name(parameter)}(value)" if _numpy_name(parameter) else None
        raise _wrong(parameter, value, wanted)
    return value.tobytes()


def _numpy_name(parameter):
    declared = text(parameter.type)
    kinds = {"f": "float", "u": "uint", "s": "int"}
    return kinds[declared[0]] + declared[1:] if declared[0] in kinds and declared[1:].isdigit() else None


def _encode(parameter, value, address_of):
    if isinstance(value, Memory):
        if parameter.is_float or parameter.size not in (4, 8):
            raise ValueError(f"expected {_bits(parameter)}, got an array of {value.dtype}")
        return address_of(value).to_bytes(parameter.size, "little")
    if value is None:
        return bytes(parameter.size)
    if isinstance(value, numpy.generic):
        return _encode_scalar(parameter, value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        if len(value) != parameter.size:
            raise _wrong(parameter, bytes(value), f"{parameter.size} bytes")
        return bytes(value)
    if isinstance(value, int):
        return (_encode_float if parameter.is_float else _encode_integer)(parameter, value)
    if isinstance(value, float):
        return _encode_float(parameter, value)
    if isinstance(value, complex):
        code = {8: "<ff", 16: "<dd"}.get(parameter.size)
        if code:
            return struct.pack(code, value.real, value.imag)
    raise _wrong(parameter, value, f"a number, a numpy array, a tensor with __dlpack__ or bytes for {_bits(parameter)}")


def _of_argument(index, name, function, *arguments):
    """What is wrong with one argument, said with its place."""
    try:
        return function(*arguments)
    except ValueError as error:
        raise ArgumentError(f"argument {index} ({name}): {error}") from None


def _dense(value):
    memory = memory_of(value)
    if not memory.is_dense:
        raise ValueError(f"the array is not contiguous (shape {memory.shape}, strides {memory.strides} bytes): the "
                         "kernel gets a pointer only; pass numpy.ascontiguousarray(array), which is a copy")
    return memory


def read_arguments(values, names, takes_strides=False):
    """Arrays become Memory, other values stay."""
    return [_of_argument(index, name, memory_of if takes_strides else _dense, value) if is_array(value) else value
            for index, (name, value) in enumerate(zip(names, values))]


def check_count(module, kernel, parameters, values):
    if len(parameters) == len(values):
        return
    listed = owned_text(lib.ws_module_describe_parameters(module.pointer, kernel)) or ""
    name = text(lib.ws_module_kernel_display_name(module.pointer, kernel))
    raise ArgumentError(f"{name} takes {len(parameters)} arguments, {len(values)} given:\n{listed}")


def check_elements(kinds, values, names):
    """Refuses arrays of other elements than the kernel's pointers lead to; kinds: [] if these are unknown."""
    for index, (kind, value) in enumerate(zip(kinds, values)):
        if isinstance(value, Memory) and not agrees(kind, value.dtype):
            raise ArgumentError(f"argument {index} ({names[index]}): expected an array of {kind}, got {value.dtype}: use "
                                f"array.astype(numpy.{kind}), which is a copy")


def pack(module, kernel, parameters, values, names, address_of):
    """The bytes of the parameter block."""
    block = bytearray(lib.ws_module_parameter_bytes(module.pointer, kernel))
    for index, (parameter, value) in enumerate(zip(parameters, values)):
        encoded = _of_argument(index, names[index], _encode, parameter, value, address_of)
        block[parameter.offset:parameter.offset + parameter.size] = encoded
    return bytes(block)


def describe(parameters, values):
    """Arguments as reports show them, and by which reports are compared."""
    def one(parameter, value):
        if isinstance(value, Memory):
            return f"{value.dtype}[{value.size}]"
        return f"bytes:{value.hex()}" if isinstance(value, bytes) else f"{text(parameter.type)}:{value}"
    return [one(parameter, value) for parameter, value in zip(parameters, values)]
