# SPDX-License-Identifier: Apache-2.0
"""The functions of the package: analyze, predict, ask, machines, explain."""
import warnings
from dataclasses import replace

from . import _sources
from ._answer import Answer, Prediction, ask as ask_question
from ._context import Context
from ._launch import Execution, Run
from ._library import ERRORS, ffi, lib, owned_text, pointer_or_null, text

UnsupportedError = ERRORS[lib.WS_ERR_UNSUPPORTED]
FALLBACK_TARGET = 80  # the newest whose code of tensor cores runs on all later GPUs


def _words(value):
    """"v100,a100" or ["v100", "a100"] as a list; None: nothing."""
    parts = value.split(",") if isinstance(value, str) else list(value or ())
    return [str(part).strip() for part in parts]


def _load_machines(context, names):
    return [context.make(lib.ws_machine_load, "ws_machine", lib.ws_machine_destroy, context.pointer,
                         pointer_or_null(name)) for name in _words(names)]


def _predict(context, profiles, machines, inputs, keep=()):
    def asked(**more):
        return ask_question(context, "analyze", profiles, machines, {**(inputs or {}), **more})
    return Prediction(asked(), profiles, lambda **more: Answer(asked(**more)), keep)


def analyze(source, *arguments, gpu=None, grid=None, block=None, shared=0, cluster=None, kernel=None, effort=1,
            registers=0, isa=None, target=None, threads=0, engine="auto", max_instructions=0, inputs=None, progress=None, **keywords):
    """Executes a kernel on the CPU and predicts its time on GPUs. Arrays among the arguments then hold what it wrote.

    source     a path (.ptx, .cubin, .cu, .cl), PTX or CUDA C++ as text, PTX or a cubin as bytes; or a launcher:
               Triton or Numba `kernel[grid ...]`, a cupy.RawKernel followed by (grid, block, (arguments))
    arguments  one per parameter: a number, a numpy scalar of the very type, a numpy array or a DLPack tensor on the CPU,
               bytes of a struct; with a launcher as for a call of it, keywords included
    gpu        "v100", "v100,a100" or a list of them; None: counts only
    grid, block, cluster   a number or up to three; shared: bytes of dynamic shared memory (of launchers their own)
    kernel     its name, if there are several
    effort     share of the blocks to execute, 0 to 1
    registers  per thread, if known; isa: "auto", "ptx" or "native"; engine: "auto", "compiled" or "interpreter"
    target     80 for cc 8.0: what Triton, Numba and nvcc compile for; None: the GPU
    threads    of the CPU; 0: all
    inputs     of the question, as {"l2": "warm"}; progress: a function of (what, fraction)

    Returns a Prediction."""
    context = Context(progress)
    machines = _load_machines(context, gpu)
    targets = [target] if target else [lib.ws_machine_target(machine.pointer) for machine in machines]
    run = Run(effort, isa, registers, threads, engine, max_instructions)

    def time_of(launch):
        profile = Execution(context, launch, machines, run).profile(writes_back=False)
        return _predict(context, [profile], machines, {**(inputs or {}), "times_only": 1}).time
    given = _sources.Given(arguments, keywords, grid, block, shared, cluster, kernel, targets, time_of)
    launch, profile = _execute(context, source, given, machines, run)
    return _predict(context, [profile], machines, inputs, launch.keep)


def _execute(context, source, given, machines, run):
    """A launch and its profile. What a compiler makes for the newest GPUs may be more than can be executed: then it makes
    code for an older one, which runs on these, too."""
    launch = _sources.launch_of(source, given)
    try:
        return launch, Execution(context, launch, machines, run).profile()
    except UnsupportedError as error:
        if not launch.is_compiled or min(given.targets, default=0) <= FALLBACK_TARGET:
            raise
        reason = str(error).splitlines()[-1].strip()
    warnings.warn(f"{launch.name}: compiled for cc 8.0, since code for the GPU cannot be executed ({reason}): its time may "
                  "be longer than that of the GPU's own code", stacklevel=3)
    launch = _sources.launch_of(source, replace(given, targets=[FALLBACK_TARGET]))
    return launch, Execution(context, launch, machines, run).profile()


def predict(profile, gpu, inputs=None):
    """A Prediction for other GPUs without executing again: of a Prediction, or of a file that `save_profile` or
    `warpsage analyze --save-profile` wrote."""
    context = Context()
    machines = _load_machines(context, gpu)
    profiles = profile.profiles if isinstance(profile, Prediction) else [
        context.make(lib.ws_profile_load, "ws_profile", lib.ws_profile_destroy, context.pointer, pointer_or_null(profile))]
    return _predict(context, profiles, machines, inputs)


def ask(question, gpu=None, profile=None, **inputs):
    """The Answer to any question of the library: ask("occupancy", gpu="a100", threads=256). `questions()` lists them and
    their inputs; profile: a Prediction."""
    context = Context()
    machines = _load_machines(context, gpu)
    profiles = profile.profiles if profile is not None else []
    return Answer(ask_question(context, question, profiles, machines, inputs))


def questions():
    """Inputs of each question: {"occupancy": {"threads": "what it means", ...}, ...}."""
    found, index = {}, 0
    while (name := text(lib.ws_question_name(index))) is not None:
        found[name] = _inputs_of(name)
        index += 1
    return found


def _inputs_of(question):
    outs = [ffi.new("char **") for _ in range(3)]
    found, index = {}, 0
    while lib.ws_question_input(question.encode(), index, *outs, ffi.new("bool *")):
        found[text(outs[0][0])] = text(outs[1][0])
        index += 1
    return found


def machines():
    """Ids of the GPUs and CPUs that predictions can be made for."""
    context = Context()
    out = ffi.new("char **")
    context.check(lib.ws_machine_list(context.pointer, out))
    return owned_text(out[0]).split()


def explain(word):
    """What a word of a report means: a counter, a model, an effect, an advice code, a figure of a machine."""
    context = Context()
    out = ffi.new("char **")
    context.check(lib.ws_explain(context.pointer, pointer_or_null(word), out))
    return owned_text(out[0])
