# SPDX-License-Identifier: Apache-2.0
"""Element types of a kernel's pointers, as far as its mangled name or its source tells them: PTX itself has only
addresses. What is not understood is unknown, and then nothing is checked."""
import re

# Itanium C++ ABI, 5.1.5.2: codes of built-in types.
_BUILTIN = {"f": "float32", "d": "float64", "a": "int8", "c": "int8", "h": "uint8", "b": "bool", "s": "int16", "t": "uint16",
            "i": "int32", "j": "uint32", "l": "int64", "m": "uint64", "x": "int64", "y": "uint64"}
_NAMED = {"float": "float32", "double": "float64", "__half": "float16", "half": "float16", "__nv_bfloat16": "bfloat16",
          "int": "int32", "unsigned": "uint32", "unsigned int": "uint32", "long long": "int64", "short": "int16",
          "unsigned long long": "uint64", "int32_t": "int32", "uint32_t": "uint32", "int64_t": "int64", "uint64_t": "uint64"}


class _Mangled:
    """Reads parameter types; a type is its pointers ("*") and the name of what they lead to."""

    def __init__(self, text):
        self.text, self.at, self.seen = text, 0, []

    def type(self):
        code = self.text[self.at]
        self.at += 1
        if code in "KVr":
            return self._keep(self.type())
        if code == "P":
            return self._keep("*" + self.type())
        if code == "S":
            end = self.text.index("_", self.at)
            digits, self.at = self.text[self.at:end], end + 1
            return self.seen[int(digits, 36) + 1 if digits else 0]
        if code.isdigit():
            length = re.match(r"\d+", self.text[self.at - 1:]).group()
            begin = self.at - 1 + len(length)
            self.at = begin + int(length)
            return self._keep(_NAMED.get(self.text[begin:self.at], "?"))
        return _BUILTIN.get(code, "?") if code != "v" else ""

    def _keep(self, kind):
        self.seen.append(kind)
        return kind


def of_mangled(name):
    """[None, "float32" ...], an entry for each parameter; []: unknown."""
    head = re.match(r"_Z(\d+)", name)
    if not head:
        return []
    reader = _Mangled(name[head.end() + int(head.group(1)):])
    kinds = []
    try:
        while reader.at < len(reader.text):
            kinds.append(reader.type())
    except (IndexError, ValueError):
        return []
    return [] if "" in kinds or any("?" == kind.lstrip("*") for kind in kinds) else [_element(kind) for kind in kinds]


def _element(kind):
    return kind[1:] if kind.startswith("*") and kind[1:] in {*_BUILTIN.values(), *_NAMED.values()} else None


def of_source(text, kernel):
    """The same of CUDA C++, where the kernel is a plain function."""
    found = re.search(rf"__global__[^;{{}}]*?\b{re.escape(kernel)}\s*\(([^()]*)\)", text)
    if not found:
        return []
    kinds = []
    for parameter in found.group(1).split(","):
        words = re.sub(r"\b(const|volatile|__restrict__|__restrict|restrict)\b", " ", parameter)
        pointer = re.fullmatch(r"\s*([\w ]*?)\s*\*\s*\w+\s*", words)
        kinds.append(_NAMED.get(" ".join(pointer.group(1).split())) if pointer else None)
    return kinds


def agrees(wanted, given):
    """Signs of integers may differ; bytes may be anything."""
    is_bytes = wanted in (None, "int8", "uint8", "bool")
    return is_bytes or wanted == given or ("int" in wanted and wanted.lstrip("u") == given.lstrip("u"))
