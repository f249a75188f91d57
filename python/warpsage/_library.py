# SPDX-License-Identifier: Apache-2.0
"""The shared library: where it is, what its header declares, and exceptions for its statuses.

The declarations are made of warpsage.h itself, which the wheel carries: there is no second copy of them.
"""
import os
import re
from pathlib import Path

import cffi

_PACKAGE = Path(__file__).resolve().parent
_CHECKOUT = _PACKAGE.parents[1]


def _find(what, *candidates):
    for path in candidates:
        if path and Path(path).exists():
            return Path(path)
    tried = ", ".join(str(path) for path in candidates if path)
    raise ImportError(f"warpsage: {what} not found (tried {tried}): install the wheel, or set WARPSAGE_LIBRARY "
                      "to a libwarpsage.so of the same version")


def _without_preprocessor(text):
    """What is left of a header for a parser that knows neither comments nor directives."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    text = re.sub(r"//[^\n]*", " ", text)
    text = re.sub(r"#ifdef __cplusplus\b.*?#endif", " ", text, flags=re.DOTALL)
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", " ", text, flags=re.MULTILINE)
    return re.sub(r"\bWS_(?:API|CHECKED)\b", " ", text)


def read_header(text):
    """Declarations for cffi, the version, and the rows (name, exit code, words) of WS_STATUS_LIST."""
    rows = re.findall(r'\bX\((WS_\w+),\s*(\d+),\s*"([^"]*)"\)', text)
    names = ", ".join(name for name, _, _ in rows)
    declarations = _without_preprocessor(text).replace("WS_STATUS_LIST(WS_STATUS_ENUM)", names)
    version = re.search(r'#define WS_VERSION_STRING "([^"]*)"', text).group(1)
    return declarations, version, rows


def _open(ffi, path, version):
    try:
        library = ffi.dlopen(str(path))
        found = ffi.string(library.ws_version()).decode()
    except (OSError, AttributeError) as error:
        raise ImportError(f"warpsage: {path} cannot be loaded: {error}") from None
    if found != version:
        raise ImportError(f"warpsage: {path} is version {found}, this package is for version {version}")
    return library


HEADER = _find("warpsage.h", _PACKAGE / "warpsage.h", _CHECKOUT / "include/warpsage/warpsage.h")
PATH = (_find("the library of WARPSAGE_LIBRARY", os.environ["WARPSAGE_LIBRARY"])
        if os.environ.get("WARPSAGE_LIBRARY") else
        _find("libwarpsage.so", _PACKAGE / "lib/libwarpsage.so", _CHECKOUT / "build/libwarpsage.so"))
DATA = _find("data/machines", _PACKAGE / "data/machines", _CHECKOUT / "data/machines").parent

ffi = cffi.FFI()
_declarations, VERSION, STATUSES = read_header(HEADER.read_text(encoding="utf-8"))
ffi.cdef(_declarations)
lib = _open(ffi, PATH, VERSION)


class Error(Exception):
    """What the library refused or could not do. `status` is the name of its status ("WS_ERR_FAULT"), `exit_code`
    what the command line would exit with, and the text the library's own message."""

    status = "WS_ERR_INTERNAL"
    exit_code = 70


def _make_errors():
    """WS_ERR_FAULT becomes FaultError, and so on."""
    classes = {}
    for name, exit_code, words in STATUSES:
        if not name.startswith("WS_ERR_"):
            continue
        title = "".join(part.capitalize() for part in name[len("WS_ERR_"):].split("_")) + "Error"
        bases = (Error, ValueError) if exit_code == "2" else (Error,)
        members = {"__doc__": words, "__module__": "warpsage", "status": name, "exit_code": int(exit_code)}
        classes[getattr(lib, name)] = type(title, bases, members)
    return classes


ERRORS = _make_errors()
ArgumentError = ERRORS[lib.WS_ERR_ARGUMENT]


def text(pointer):
    """A C string as str; NULL as None."""
    return None if pointer == ffi.NULL else ffi.string(pointer).decode("utf-8", "replace")


def owned_text(pointer):
    """The same of a string that is to be freed."""
    said = text(pointer)
    lib.ws_free(pointer)
    return said


def pointer_or_null(value):
    """A str, bytes or path for a `const char *`."""
    return ffi.NULL if value is None else ffi.new("char[]", os.fsencode(value))
