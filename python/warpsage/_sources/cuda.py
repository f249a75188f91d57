# SPDX-License-Identifier: Apache-2.0
"""CUDA C++ that is given as text."""
import re
import shutil
import subprocess
import tempfile
import weakref
from pathlib import Path

from .._library import ERRORS, ArgumentError, lib

# What clang takes as nvcc does, for sources without more than that.
_DEFINE = re.compile(r"-D\s*(\w+)(?:=(.*))?$", re.DOTALL)


class _Folder:
    """A temporary folder that goes with its last owner."""

    def __init__(self):
        self.path = Path(tempfile.mkdtemp(prefix="warpsage-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def _run_nvcc(nvcc, path, options, targets):
    ptx = path.with_suffix(".ptx")
    target = min(targets, default=80)
    command = [nvcc, "-ptx", "-lineinfo", f"-arch=compute_{target}" if target >= 75 else "-arch=compute_75", *options,
               "-o", str(ptx), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ERRORS[lib.WS_ERR_INPUT](f"{path.name}: nvcc fails:\n{done.stderr.strip() or done.stdout.strip()}")
    return ptx


def _with_defines(text, options):
    """Options as lines of the source: what is left to do without nvcc."""
    lines = []
    for option in options:
        define = _DEFINE.match(option)
        if define:
            lines.append(f"#define {define.group(1)} {1 if define.group(2) is None else define.group(2)}")
        elif not option.startswith(("-std=", "--std=")):
            raise ArgumentError(f"option '{option}' of the kernel requires nvcc, which is not in PATH")
    return "".join(line + "\n" for line in lines) + "#line 1\n" + text if lines else text


def compile_text(launch, text, options, targets):
    """Sets the code of a launch. The source stays as long as the answer, whose pages list it."""
    launch.source = text
    folder = _Folder()
    launch.keep.append(folder)
    path = folder.path / f"{launch.kernel or 'kernel'}.cu"
    nvcc = shutil.which("nvcc") if options else None
    path.write_text(text if nvcc else _with_defines(text, options), encoding="utf-8")
    launch.code = _run_nvcc(nvcc, path, options, targets) if nvcc else path
