# SPDX-License-Identifier: Apache-2.0
"""Tensors of other packages through DLPack (https://dmlc.github.io/dlpack): numpy lacks some of their types, as
bfloat16, and older versions of it read them only."""
import ctypes

import cffi

_ffi = cffi.FFI()
_ffi.cdef("""
typedef struct {
    void *data;
    int32_t device_type, device_id, ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} DLTensor;
typedef struct {
    uint32_t major, minor;
    void *context, *deleter;
    uint64_t flags;
    DLTensor tensor;
} DLManagedTensorVersioned;
""")

_HOST_DEVICES = {1, 3}  # kDLCPU, kDLCUDAHost
_READ_ONLY = 1  # DLPACK_FLAG_BITMASK_READ_ONLY
_KINDS = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 5: "complex", 6: "bool"}

_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype, _get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]


def is_tensor(value):
    return hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__")


def _capsule(value):
    try:
        return value.__dlpack__(max_version=(1, 0))
    except TypeError:  # from before DLPack 1.0
        return value.__dlpack__()


def _dtype(tensor):
    kind = _KINDS.get(tensor.code, f"dlpack{tensor.code}_")
    if tensor.lanes != 1 or tensor.bits % 8:
        raise ValueError(f"elements of {tensor.lanes} x {tensor.bits} bits are unsupported")
    return "bool" if kind == "bool" else f"{kind}{tensor.bits}"


def read(value):
    """(capsule, address, shape, strides in bytes, item size, dtype, is read-only) of a tensor in host memory; the memory
    lives as long as the capsule. ValueError says what is unsupported."""
    device, _ = value.__dlpack_device__()
    if int(device) not in _HOST_DEVICES:
        raise ValueError("the tensor is not in host memory: copy it to the CPU first")
    try:
        capsule = _capsule(value)
    except (BufferError, RuntimeError) as error:
        raise ValueError(str(error)) from None
    is_read_only = False
    if _is_valid(capsule, b"dltensor_versioned"):
        managed = _ffi.cast("DLManagedTensorVersioned *", _get_pointer(capsule, b"dltensor_versioned"))
        tensor, is_read_only = managed.tensor, bool(managed.flags & _READ_ONLY)
    else:
        tensor = _ffi.cast("DLTensor *", _get_pointer(capsule, b"dltensor"))[0]
    item = tensor.bits // 8
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    if tensor.strides == _ffi.NULL:
        strides, step = [], item
        for size in reversed(shape):
            strides.insert(0, step)
            step *= size
    else:
        strides = [tensor.strides[i] * item for i in range(tensor.ndim)]
    address = int(_ffi.cast("uintptr_t", tensor.data)) + tensor.byte_offset
    return capsule, address, shape, tuple(strides), item, _dtype(tensor), is_read_only
