# SPDX-License-Identifier: Apache-2.0
"""The declarations against what a C compiler makes of the header, and the library that is found or not."""
import os
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

import warpsage
from common import SOURCE
from warpsage import _library


def run_python(code, **environment):
    return subprocess.run([sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True,
                          check=False)


def compile_c(text, folder, *options):
    path = Path(folder) / "source.c"
    path.write_text(text, encoding="utf-8")
    out = Path(folder) / "out"
    subprocess.run([os.environ["CC"], *options, "-I", str(SOURCE / "include"), str(path), "-o", str(out)], check=True)
    return out


def structures():
    """(name, fields) of every structure of the header that is not opaque."""
    for name in _library.ffi.list_types()[0]:
        if name.endswith("_fn"):
            continue
        kind = _library.ffi.typeof(name)
        if kind.kind == "struct" and kind.fields:
            yield name, [field for field, _ in kind.fields]


class Declarations(unittest.TestCase):
    def test_layouts_are_those_of_the_compiler(self):
        lines, here = [], {}
        for name, fields in structures():
            lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
            here[name] = _library.ffi.sizeof(name)
            for field in fields:
                lines.append(f'printf("{name}.{field} %zu\\n", offsetof({name}, {field}));')
                here[f"{name}.{field}"] = _library.ffi.offsetof(name, field)
        self.assertGreater(len(here), 200)
        text = ("#include <stdio.h>\n#include <warpsage/warpsage.h>\nint main(void) {\n" + "\n".join(lines) + "}\n")
        with tempfile.TemporaryDirectory() as folder:
            said = subprocess.run([compile_c(text, folder)], capture_output=True, text=True, check=True).stdout
        compiled = {name: int(value) for name, value in (line.split() for line in said.splitlines())}
        self.assertEqual(here, compiled)

    def test_functions_are_those_of_the_header(self):
        """Counted in another way: by the marks that export them."""
        header = (SOURCE / "include/warpsage/warpsage.h").read_text(encoding="utf-8")
        marked = len(re.findall(r"^WS_API ", header, re.MULTILINE))
        names = [name for name in dir(_library.lib) if name.startswith("ws_")]
        self.assertEqual(len(names), marked)
        for name in names:
            getattr(_library.lib, name)

    def test_every_status_has_an_exception(self):
        for status, error in _library.ERRORS.items():
            self.assertEqual(error.exit_code, _library.lib.ws_status_exit_code(status))
            self.assertIs(getattr(warpsage, error.__name__), error)
        self.assertTrue(issubclass(warpsage.ArgumentError, ValueError))


class Finding(unittest.TestCase):
    def test_missing_library(self):
        done = run_python("import warpsage", WARPSAGE_LIBRARY="/nonexistent/libwarpsage.so")
        self.assertIn("ImportError: warpsage: the library of WARPSAGE_LIBRARY not found (tried "
                      "/nonexistent/libwarpsage.so)", done.stderr)

    def test_no_library(self):
        done = run_python("import warpsage", WARPSAGE_LIBRARY=str(SOURCE / "README.md"))
        self.assertIn("README.md cannot be loaded", done.stderr)

    def test_another_version(self):
        with tempfile.TemporaryDirectory() as folder:
            library = compile_c('const char *ws_version(void) { return "0.0.1"; }\n', folder, "-shared", "-fPIC")
            done = run_python("import warpsage", WARPSAGE_LIBRARY=str(library))
        self.assertIn(f"is version 0.0.1, this package is for version {warpsage.__version__}", done.stderr)


class Wheel(unittest.TestCase):
    def setUp(self):
        self.path = next(Path(os.environ["WARPSAGE_WHEEL_FOLDER"]).glob("*.whl"))

    def test_it_is_used(self):
        self.assertNotIn(str(SOURCE), warpsage.__file__)
        self.assertEqual(_library.PATH.parent.parent, Path(warpsage.__file__).parent)

    def test_machines_are_those_of_the_source(self):
        machines = {path.stem for path in (SOURCE / "data/machines").glob("*.yaml")} - {"SOURCES"}
        self.assertTrue(set(warpsage.machines()) <= machines)
        self.assertIn("v100", warpsage.machines())

    def test_record(self):
        """Every file once, as installers require."""
        with zipfile.ZipFile(self.path) as wheel:
            names = wheel.namelist()
            record = next(name for name in names if name.endswith("RECORD"))
            listed = [line.split(",")[0] for line in wheel.read(record).decode().splitlines()]
        self.assertEqual(sorted(names), sorted(listed))
        self.assertEqual(len(names), len(set(names)))


if __name__ == "__main__":
    unittest.main()
