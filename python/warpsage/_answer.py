# SPDX-License-Identifier: Apache-2.0
"""Answers: the tree, the figures that most people want of it, and its formats."""
import html
import json
import warnings

from ._context import Context, Handle
from ._library import ArgumentError, ffi, lib, pointer_or_null, text
from ._tree import Node


def _write(pointer, options):
    """What ws_answer_write writes, as str."""
    context = Context()
    parts = []

    def take(_user, data, size):
        parts.append(ffi.buffer(data, size)[:])
        return True

    callback = ffi.callback("ws_write_fn", take, error=False)
    context.check(lib.ws_answer_write(context.pointer, pointer, options, callback, ffi.NULL))
    return b"".join(parts).decode()


class Answer(Node):
    """The answer to a question. It may be read from several threads at once."""

    def __init__(self, handle, ask_again=None):
        self._at, self._path = lib.ws_answer_root(handle.pointer), ()
        self._handle = handle
        self._ask_again = ask_again  # with further inputs, those that pages need
        self._document = None

    @property
    def _answer(self):
        return self

    def write(self, format="text", details="normal", width=0, table=None):
        """The answer as "text", "json", "csv", "svg", "html", "markdown" or "sarif", as far as the question has it.
        details: "quiet", "normal", "all" or "brief"; width: columns of text, 40 to 200; table: which table, of CSV and of
        JSON Lines."""
        def choose(prefix, word):
            number = getattr(lib, prefix + str(word).upper(), None)
            if number is None:
                raise ArgumentError(f"invalid value {word!r}: {prefix}{str(word).upper()} does not exist")
            return number
        table_name = pointer_or_null(table)
        options = ffi.new("ws_report_options *", {
            "size": ffi.sizeof("ws_report_options"), "format": choose("WS_FORMAT_", format),
            "details": choose("WS_DETAILS_", details), "width": width, "utf8": True, "table": table_name})
        return _write(self._handle.pointer, options)

    def to_dict(self):
        """The JSON of the answer, read."""
        if self._document is None:
            self._document = json.loads(self.write("json"))
        return self._document

    def html(self):
        """A page that needs no network, with charts and listings."""
        complete = self._ask_again(charts=1, code=1) if self._ask_again else self
        return complete.write("html")

    def save(self, path):
        """Writes a file; its name tells the format: .html, .json, .csv, .svg, .md, .sarif, else text."""
        endings = {".html": "html", ".json": "json", ".csv": "csv", ".svg": "svg", ".md": "markdown", ".sarif": "sarif"}
        kind = next((kind for ending, kind in endings.items() if str(path).endswith(ending)), "text")
        written = self.html() if kind == "html" else self.write(kind)
        with open(path, "w", encoding="utf-8") as file:
            file.write(written)

    def __str__(self):
        return self.write()

    def _repr_html_(self):
        try:
            page = self.html()
        except ArgumentError:  # the question has no page
            return None
        return ('<iframe sandbox="allow-scripts" style="width:100%;height:48em;border:0" '
                f'srcdoc="{html.escape(page)}"></iframe>')

    def to_pandas(self):
        raise TypeError("an answer has several tables: choose one, as answer.kernels[0].machines, or see "
                        "Prediction.to_pandas")

    def __repr__(self):
        return f"<warpsage answer: {', '.join(map(str, self.keys()))}>"


def _part(node, *path):
    """What is below a node, or None if the answer does not have it."""
    for key in path:
        if node is None or key not in node:
            return None
        node = node[key]
    return node


class Result:
    """A kernel on a GPU: seconds, their interval, what limits, and `node`, the part of the answer that says more."""

    def __init__(self, kernel, node):
        self.kernel, self.gpu, self.node = kernel, node["machine"], node
        self.time = _part(node, "headline", "time_s")
        self.low, self.high = _part(node, "headline", "lo"), _part(node, "headline", "hi")
        self.model = _part(node, "headline", "model")
        self.limit = _part(node, "headline", "bottleneck")
        self.occupancy = _part(node, "occupancy", "fraction")

    def __repr__(self):
        time = "unknown time" if self.time is None else format_quantity(self.time, "s")
        return f"<{self.kernel} on {self.gpu}: {time}, limited by {self.limit}>"


class Prediction(Answer):
    """The answer to `analyze`. `time`, `low`, `high`, `limit`, `model`, `occupancy` and `gpu` are those of its only
    result; `results` are all; `on("v100")` is that of one GPU; `counters["inst.warp"]` what was counted."""

    def __init__(self, handle, profiles, ask_again, keep=()):
        super().__init__(handle, ask_again)
        self.profiles = profiles
        self._keep = keep  # sources, which pages list
        self._results = [Result(kernel.name, machine) for kernel in self["kernels"] for machine in kernel.machines]

    @property
    def results(self):
        return list(self._results)

    @property
    def counters(self):
        return self["kernels"][0]["profile"]

    def on(self, gpu):
        """The result for a GPU, by its id or by what begins only one id."""
        found = [one for one in self._results if one.gpu == gpu] or [
            one for one in self._results if one.gpu.startswith(gpu)]
        if len(found) != 1:
            raise KeyError(f"{len(found)} results for '{gpu}': there are {', '.join(one.gpu for one in self._results)}")
        return found[0]

    def _only(self, name):
        if len(self._results) != 1:
            raise ValueError(f"{name}: this answer has {len(self._results)} results: use `results` or on(GPU)")
        return getattr(self._results[0], name)

    time = property(lambda self: self._only("time"), doc="seconds")
    low = property(lambda self: self._only("low"))
    high = property(lambda self: self._only("high"))
    limit = property(lambda self: self._only("limit"))
    model = property(lambda self: self._only("model"))
    occupancy = property(lambda self: self._only("occupancy"))
    gpu = property(lambda self: self._only("gpu"))

    def to_pandas(self):
        """A frame with a row for each kernel and GPU."""
        import pandas
        columns = ("kernel", "gpu", "time", "low", "high", "limit", "model", "occupancy")
        return pandas.DataFrame([{name: getattr(one, name) for name in columns} for one in self._results],
                                columns=columns)

    def save_profile(self, path):
        """Keeps the counts of the first kernel, for `predict`."""
        context = Context()
        context.check(lib.ws_profile_save(self.profiles[0].pointer, pointer_or_null(path)))

    def __repr__(self):
        return "\n".join(map(repr, self._results)) or super().__repr__()


def format_quantity(value, unit):
    """0.000447, "s" as "447 us"."""
    out = ffi.new("char[]", 64)
    lib.ws_format_quantity(value, unit.encode(), out, 64)
    return ffi.string(out).decode()


def ask(context, question, profiles=(), machines=(), inputs=None):
    """The Handle of an answer; profiles and machines are Handles, inputs numbers and words by name."""
    inputs = inputs or {}
    keep = [ffi.new("char[]", question.encode())]
    rows = ffi.new("ws_input[]", len(inputs))
    for row, (name, value) in zip(rows, inputs.items()):
        keep.append(ffi.new("char[]", name.encode()))
        row.name = keep[-1]
        if isinstance(value, str):
            keep.append(ffi.new("char[]", value.encode()))
            row.word = keep[-1]
        else:
            row.value = float(value)
    profile_list = ffi.new("ws_profile *[]", [one.pointer for one in profiles])
    machine_list = ffi.new("ws_machine *[]", [one.pointer for one in machines])
    asked = ffi.new("ws_question *", {
        "size": ffi.sizeof("ws_question"), "name": keep[0], "profiles": profile_list, "profile_count": len(profiles),
        "machines": machine_list, "machine_count": len(machines), "inputs": rows, "input_count": len(inputs)})
    out = ffi.new("ws_answer **")
    status = lib.ws_ask(context.pointer, asked, out)
    if out[0] == ffi.NULL or status in (lib.WS_ERR_CANCELLED, lib.WS_ERR_MEMORY):
        lib.ws_answer_destroy(out[0])
        context.check(status)
    if status != lib.WS_OK:  # part of the answer is missing, and the tree says why
        warnings.warn(text(lib.ws_context_error(context.pointer)), stacklevel=4)
    return Handle(out[0], lib.ws_answer_destroy)
