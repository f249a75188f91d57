# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel (PEP 517, PEP 660): the package, libwarpsage.so of a build folder, its header and its data. Whoever
installs the wheel needs no compiler.

The library is that of WARPSAGE_LIBRARY, seen from the source tree, else build/libwarpsage.so, which is built if it is missing. Two wheels of the
same files are the same bytes; their time is SOURCE_DATE_EPOCH, else 1980.
"""
import base64
import hashlib
import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
import time
import zipfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
PACKAGE = SOURCE / "python" / "warpsage"
METADATA = """\
Metadata-Version: 2.1
Name: warpsage
Version: {version}
Summary: How fast will this GPU kernel run, and why? Answered without a GPU
License: Apache-2.0
Requires-Python: >=3.9
Requires-Dist: cffi
Requires-Dist: numpy
Provides-Extra: pandas
Requires-Dist: pandas; extra == "pandas"
Description-Content-Type: text/markdown

"""
WHEEL = "Wheel-Version: 1.0\nGenerator: warpsage\nRoot-Is-Purelib: false\nTag: {tag}\n"


def _version():
    """"## 0.2.0 (not yet released)" comes before 0.2.0."""
    text = (SOURCE / "CHANGELOG.md").read_text(encoding="utf-8")
    number, state = re.search(r"^## ([0-9.]+) \(([^)]*)\)$", text, re.MULTILINE).groups()
    return f"{number}.dev0" if state == "not yet released" else number


def _tag():
    return "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())


def _find_library():
    named = os.environ.get("WARPSAGE_LIBRARY")
    library = SOURCE / (named or "build/libwarpsage.so")  # an absolute path stays what it is
    if named and not library.exists():
        raise RuntimeError(f"WARPSAGE_LIBRARY names {library}, which does not exist")
    if not library.exists():
        for command in (["cmake", "--preset", "release", "-DWARPSAGE_TESTS=OFF"],
                        ["cmake", "--build", "--preset", "release", "--target", "warpsage_shared"]):
            subprocess.run(command, cwd=SOURCE, check=True)
    return library


def _stripped(library):
    """Its bytes without debug information, where binutils are installed."""
    strip = shutil.which("strip")
    if not strip:
        return library.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "libwarpsage.so"
        subprocess.run([strip, "--strip-unneeded", "-o", str(copy), str(library)], check=True)
        return copy.read_bytes()


def _package_files():
    """Name in the wheel and contents."""
    for path in sorted(PACKAGE.rglob("*.py")):
        yield f"warpsage/{path.relative_to(PACKAGE)}", path.read_bytes()
    yield "warpsage/warpsage.h", (SOURCE / "include/warpsage/warpsage.h").read_bytes()
    yield "warpsage/lib/libwarpsage.so", _stripped(_find_library())
    for path in sorted((SOURCE / "data/machines").glob("*.yaml")):
        yield f"warpsage/data/machines/{path.name}", path.read_bytes()
    yield "warpsage/data/evidence.yaml", (SOURCE / "data/evidence.yaml").read_bytes()


def _info_files(tag):
    description = (SOURCE / "doc/python.md").read_text(encoding="utf-8")
    yield "METADATA", (METADATA.format(version=_version()) + description).encode()
    yield "WHEEL", WHEEL.format(tag=tag).encode()
    yield "licenses/LICENSE", (SOURCE / "LICENSE").read_bytes()
    yield "licenses/LICENSE.d3", (SOURCE / "src/render/html/d3-license.js").read_bytes()


def _write(folder, files, tag):
    info = f"warpsage-{_version()}.dist-info"
    name = f"warpsage-{_version()}-{tag}.whl"
    moment = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800))[:6]
    record = []
    with zipfile.ZipFile(Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        def add(path, data):
            entry = zipfile.ZipInfo(path, moment)
            entry.external_attr = (0o755 if path.endswith(".so") else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
        for path, data in [*files, *((f"{info}/{path}", data) for path, data in _info_files(tag))]:
            add(path, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(data)}\n")
        add(f"{info}/RECORD", "".join([*record, f"{info}/RECORD,,\n"]).encode())
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return _write(wheel_directory, _package_files(), _tag())


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The package of the checkout itself, with the library of its build folder."""
    return _write(wheel_directory, [("warpsage.pth", f"{PACKAGE.parent}\n".encode())], "py3-none-any")


def build_sdist(sdist_directory, config_settings=None):
    raise RuntimeError("warpsage has no source distribution of its Python package: build a wheel in the source tree")
