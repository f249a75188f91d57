# SPDX-License-Identifier: Apache-2.0
"""Executing a launch on the CPU."""
import os
import warnings
from dataclasses import dataclass, field
from pathlib import Path

from . import _elements
from ._arguments import check_count, check_elements, describe, pack, parameters_of, read_arguments
from ._buffers import Buffers, Memory
from ._library import ArgumentError, Error, ffi, lib, pointer_or_null, text


@dataclass
class Launch:
    """A kernel with its geometry and arguments, wherever they come from."""
    code: object  # bytes of PTX or of a cubin, or the path of a file
    values: list  # one for each parameter
    grid: tuple
    block: tuple
    kernel: str = None  # None: the only one
    name: str = "kernel.ptx"  # in messages, of code that is in memory
    shared: int = 0
    cluster: tuple = (0, 0, 0)
    names: list = field(default_factory=list)  # of the arguments, for messages; else those of the parameters
    is_compiled: bool = False  # for the GPU, by the package that the kernel is of
    takes_strides: bool = False  # the kernel is told of gaps in arrays
    scratch: list = field(default_factory=list)  # values of parameters that a compiler may add behind the others
    source: str = None  # CUDA C++ that the code was compiled from
    cubin: bytes = None  # native code that the package's own ptxas made
    keep: list = field(default_factory=list)  # what must live as long as the answer, as folders of sources


@dataclass
class Run:
    """How it is executed."""
    effort: float = 1
    isa: str = None
    registers: int = 0
    threads: int = 0
    engine: str = "auto"
    max_instructions: int = 0


def dimensions(value, what):
    """1, (1,) or (1, 2, 3) as three numbers."""
    parts = tuple(value) if hasattr(value, "__iter__") else (value,)
    try:
        parts = tuple(int(part) for part in parts)
    except (TypeError, ValueError):
        raise ArgumentError(f"{what}: expected a number or up to three, got {value!r}") from None
    if not 1 <= len(parts) <= 3 or any(not 0 < part < 1 << 32 for part in parts):
        raise ArgumentError(f"{what}: expected one to three positive numbers, got {value!r}")
    return parts + (1,) * (3 - len(parts))


def load_module(context, launch):
    """The module of a launch, and the index of its kernel."""
    if isinstance(launch.code, bytes):
        module = context.make(lib.ws_module_load_memory, "ws_module", lib.ws_module_destroy, context.pointer,
                              pointer_or_null(launch.name), launch.code, len(launch.code))
    else:
        module = context.make(lib.ws_module_load_file, "ws_module", lib.ws_module_destroy, context.pointer,
                              pointer_or_null(launch.code))
    return module, find_kernel(context, module, launch.kernel)


def find_kernel(context, module, name):
    count = lib.ws_module_kernel_count(module.pointer)
    if name is None and count == 1:
        return 0
    if name is None:
        names = [text(lib.ws_module_kernel_display_name(module.pointer, index)) for index in range(count)]
        raise ArgumentError(f"{count} kernels: choose one with kernel=NAME: {', '.join(names)}" if names else
                            "the file contains no kernel (.entry)")
    out = ffi.new("size_t *")
    context.check(lib.ws_module_find_kernel(module.pointer, name.encode(), out))
    return out[0]


def _common_target(gpus):
    """The target whose native code all of them execute; 0: there is none."""
    targets = [lib.ws_machine_target(gpu.pointer) for gpu in gpus]
    least = min((lib.ws_native_target(target) for target in targets), default=0)
    fits = all(target // 10 == least // 10 and target >= least for target in targets)
    return least if fits else 0


def set_registers(context, launch, module, kernel):
    """Registers per thread, from the cubin that came with the PTX: whatever made it understands that PTX."""
    images = context.make(lib.ws_images_read, "ws_images", lib.ws_images_destroy, context.pointer,
                          pointer_or_null(launch.name), ffi.from_buffer(launch.cubin), len(launch.cubin))
    image = ffi.new("ws_image *", {"size": ffi.sizeof("ws_image")})
    context.check(lib.ws_images_get(images.pointer, 0, image))
    registers = ffi.new("unsigned[]", lib.ws_module_kernel_count(module.pointer))
    context.check(lib.ws_images_registers(images.pointer, 0, module.pointer, registers))
    if registers[kernel]:
        lib.ws_module_set_registers(module.pointer, kernel, image.target, registers[kernel])


def _native_module(context, launch, module, target):
    if launch.cubin:
        return context.make(lib.ws_module_load_memory, "ws_module", lib.ws_module_destroy, context.pointer,
                            pointer_or_null(launch.name), launch.cubin, len(launch.cubin))
    return context.make(lib.ws_module_compile, "ws_module", lib.ws_module_destroy, module.pointer, target)


def choose_native(context, launch, module, kernel, machines, isa):
    """The module and kernel of native code, or None: PTX is executed."""
    isa = isa or os.environ.get("WARPSAGE_ISA") or "auto"
    if isa not in ("auto", "ptx", "native"):
        raise ArgumentError(f"isa: invalid value '{isa}': expected 'ptx', 'native' or 'auto'")
    gpus = [one for one in machines if not lib.ws_machine_is_cpu(one.pointer)]
    is_auto = isa == "auto"
    target = _common_target(gpus)
    if isa == "ptx" or lib.ws_module_is_native(module.pointer):
        return None
    is_for_newer = target < lib.ws_module_target(module.pointer)
    if is_auto and (not target or is_for_newer or len(gpus) < len(machines) or
                    not (launch.cubin or lib.ws_module_can_compile(module.pointer))):
        return None
    try:
        if not target:
            raise ArgumentError("isa='native' requires GPUs that execute the same code: one of them, or of one generation")
        native = _native_module(context, launch, module, target)
        index = find_kernel(context, native, text(lib.ws_module_kernel_name(module.pointer, kernel)))
        context.check(lib.ws_module_check_kernel(native.pointer, index))
    except Error as error:
        if not is_auto:
            raise
        warnings.warn(f"PTX is executed instead of native code: {error}", stacklevel=4)
        return None
    return native, index


class Execution:
    """One launch, on the machines that predictions are for."""

    def __init__(self, context, launch, machines, run):
        self._context, self._launch, self._machines, self._run = context, launch, machines, run
        self._module, self._kernel = load_module(context, launch)
        if launch.cubin:
            try:
                set_registers(context, launch, self._module, self._kernel)
            except Error:  # a cubin in a form that is not read: registers are estimated
                pass
        self._parameters = parameters_of(context, self._module, self._kernel)
        values = launch.values + launch.scratch[:max(0, len(self._parameters) - len(launch.values))]
        check_count(self._module, self._kernel, self._parameters, values)
        self._names = launch.names or [text(one.name) for one in self._parameters]
        self._values = read_arguments(values, self._names, launch.takes_strides)
        check_elements(self._element_types(), self._values, self._names)

    def _element_types(self):
        """What the pointers among the parameters lead to, as far as it is known."""
        source, name = self._launch.source, text(lib.ws_module_kernel_name(self._module.pointer, self._kernel))
        is_file = not isinstance(self._launch.code, bytes)
        if source is None and is_file and str(self._launch.code).endswith(".cu"):
            source = Path(self._launch.code).read_text(encoding="utf-8", errors="replace")
        return _elements.of_mangled(name) or (_elements.of_source(source, name) if source else [])

    def profile(self, writes_back=True):
        """Executes the kernel; arrays then hold what it wrote, unless nothing is written back."""
        self._writes_back = writes_back
        native = choose_native(self._context, self._launch, self._module, self._kernel, self._machines, self._run.isa)
        if native is None:
            return self._execute(self._module, self._kernel)
        try:
            return self._execute(*native)
        except Error as error:
            if error.status not in ("WS_ERR_FAULT", "WS_ERR_DEADLOCK", "WS_ERR_UNSUPPORTED") or self._run.isa == "native":
                raise
            warnings.warn(f"PTX is executed instead of native code: {str(error).splitlines()[0]}", stacklevel=4)
            return self._execute(self._module, self._kernel)

    def _execute(self, module, kernel):
        context, launch = self._context, self._launch
        engine = ffi.new("char[]", self._run.engine.encode())
        options = ffi.new("ws_device_options *", {
            "size": ffi.sizeof("ws_device_options"), "threads": self._run.threads, "engine": engine})
        device = context.make(lib.ws_device_create, "ws_device", lib.ws_device_destroy, context.pointer, options)
        buffers = Buffers(context, device, [value for value in self._values if isinstance(value, Memory)])
        # Native code has the parameters of the PTX, without their types.
        block = pack(self._module, self._kernel, self._parameters, self._values, self._names, buffers.address)
        parameters = ffi.from_buffer(block)
        targets = ffi.new("unsigned[]", [lib.ws_machine_target(one.pointer) for one in self._machines
                                         if not lib.ws_machine_is_cpu(one.pointer)])
        counted = ffi.new("ws_launch *", {
            "size": ffi.sizeof("ws_launch"), "kernel": kernel, "grid": launch.grid, "block": launch.block,
            "cluster": launch.cluster, "dynamic_shared_bytes": launch.shared, "parameters": parameters,
            "parameter_bytes": len(block), "counters": True, "effort": self._run.effort,
            "max_instructions": self._run.max_instructions,
            "register_targets": targets if len(targets) else ffi.NULL,
            "register_target_count": 0 if self._run.registers else len(targets)})
        for machine in self._machines:
            context.check(lib.ws_machine_prepare_launch(machine.pointer, counted))
        for machine in self._machines:
            context.check(lib.ws_machine_check_launch(machine.pointer, counted))
        profile = context.make(lib.ws_device_launch, "ws_profile", lib.ws_profile_destroy, device.pointer, module.pointer,
                               counted)
        if self._run.registers:
            context.check(lib.ws_profile_set_registers(profile.pointer, self._run.registers))
        self._keep_arguments(profile)
        if self._writes_back:
            buffers.collect()
        return profile

    def _keep_arguments(self, profile):
        said = [pointer_or_null(one) for one in describe(self._parameters, self._values)]
        self._context.check(lib.ws_profile_set_arguments(profile.pointer, said, len(said)))
