# SPDX-License-Identifier: Apache-2.0
"""The tree of an answer as Python objects: sections and lists by attribute, item or path, figures as numbers that know
their unit and origin, tables with columns."""
import numpy

from ._library import ffi, lib, text

ORIGINS = {getattr(lib, name): name.removeprefix("WS_").removeprefix("ORIGIN_").lower()
           for name in ("WS_ORIGIN_UNKNOWN", "WS_DECODED", "WS_EMULATED", "WS_SAMPLED", "WS_MODELLED", "WS_CALIBRATED",
                        "WS_MEASURED", "WS_ASSUMED", "WS_PUBLISHED")}


class _Figure:
    """unit ("s"), origin ("modelled"), low and high (an interval, or None), note (why it is unknown, or None), meaning."""

    def _describe(self, value):
        self.unit = text(value.unit) or ""
        self.origin = ORIGINS[value.origin]
        self.low = None if numpy.isnan(value.low) else value.low
        self.high = None if numpy.isnan(value.high) else value.high
        self.note = text(value.note)
        self.meaning = text(value.text) or ""
        return self


class Number(float, _Figure):
    """A figure of an answer in SI units; NaN: unknown, and `note` may say why."""

    @property
    def is_known(self):
        return self == self


class Count(int, _Figure):
    """An exact count."""

    is_known = True


class Node:
    """A section or a list. `node.name`, `node["name"]`, `node[0]` and `node["a/b/0"]` find what is below it."""

    def __init__(self, answer, at, path=()):
        # Handles are kept by all that is below them.
        self._answer, self._at, self._path = answer, at, path

    @property
    def is_list(self):
        return lib.ws_node_kind(self._at) == lib.WS_LIST

    def __len__(self):
        return lib.ws_node_count(self._at)

    def keys(self):
        """Ids of a section, keys of a list; of a list without keys its indices."""
        return [self._key(index) for index in range(len(self))]

    def _key(self, index):
        return text(lib.ws_node_id(lib.ws_node_child(self._at, index))) or index

    def _child(self, index):
        at = lib.ws_node_child(self._at, index)
        return _wrap(self._answer, at, (*self._path, (index, text(lib.ws_node_id(at)))))

    def __iter__(self):
        """Elements of a list, keys of a section."""
        return (self._child(index) for index in range(len(self))) if self.is_list else iter(self.keys())

    def values(self):
        return [self._child(index) for index in range(len(self))]

    def items(self):
        return list(zip(self.keys(), self.values()))

    def _step(self, key):
        if isinstance(key, int):
            index = key + len(self) if key < 0 else key
            if 0 <= index < len(self):
                return self._child(index)
            raise IndexError(f"index {key} of {len(self)} elements of {self._name()}")
        for index in range(len(self)):
            if self._key(index) == key:
                return self._child(index)
        if self.is_list and key.isdigit():
            return self._step(int(key))
        raise KeyError(f"{self._name()} has no '{key}': it has {', '.join(map(str, self.keys())) or 'nothing'}")

    def __getitem__(self, key):
        if isinstance(key, int):
            return self._step(key)
        found = self
        for part in key.split("/"):
            part = part.replace("~1", "/").replace("~0", "~")
            found = found._step(part) if isinstance(found, Node) else found[part]
        return found

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._step(name)
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __contains__(self, key):
        return key in self.keys()

    def __dir__(self):
        return [*super().__dir__(), *(key for key in self.keys() if isinstance(key, str) and key.isidentifier())]

    def _name(self):
        return "/".join(str(key if key is not None else index) for index, key in self._path) or "the answer"

    def __repr__(self):
        return f"<warpsage {'list' if self.is_list else 'section'} {self._name()}: {', '.join(map(str, self.keys()))}>"

    def to_dict(self):
        """As in the JSON of the answer: dictionaries, lists, numbers, words, None for what is unknown."""
        found = self._answer.to_dict()
        for index, key in self._path:
            found = found[key] if isinstance(found, dict) else found[index]
        return found

    def to_pandas(self):
        """A list of sections as a frame: a row for each, with the figures and words that are directly in it."""
        import pandas
        if not self.is_list:
            raise TypeError(f"{self._name()} is a section: a frame is made of a list or a table")
        rows = [{key: value for key, value in row.items() if not isinstance(value, (Node, Table, tuple, numpy.ndarray))}
                for row in self if isinstance(row, Node)]
        return pandas.DataFrame(rows, index=self.keys())


class Table:
    """Rows and columns. `table["column"]` is a column, `table[0]` a row, iteration gives rows."""

    def __init__(self, answer, at, path):
        self._answer, self._at, self._path = answer, at, path
        self.units = {}
        self._kinds = []
        for index in range(lib.ws_table_columns(at)):
            name, unit, kind = ffi.new("char **"), ffi.new("char **"), ffi.new("ws_kind *")
            lib.ws_table_column(at, index, name, unit, kind)
            self.units[text(name[0])] = text(unit[0]) or ""
            self._kinds.append(kind[0])

    @property
    def columns(self):
        return list(self.units)

    def __len__(self):
        return lib.ws_node_count(self._at)

    def _column(self, name):
        index = lib.ws_table_find(self._at, name.encode())
        if index == len(self.units):
            raise KeyError(f"no column '{name}': there are {', '.join(self.columns)}")
        if self._kinds[index] in (lib.WS_WORD, lib.WS_WORDS):
            return [text(lib.ws_table_word(self._at, index, row)) for row in range(len(self))]
        numbers = numpy.full(len(self), numpy.nan)
        if len(self):
            lib.ws_table_numbers(self._at, index, 0, ffi.from_buffer("double[]", numbers), len(self))
        return numbers.astype(bool) if self._kinds[index] == lib.WS_FLAG else numbers

    def __getitem__(self, key):
        if isinstance(key, str):
            return self._column(key)
        if not -len(self) <= key < len(self):
            raise IndexError(f"row {key} of {len(self)}")
        return {name: self._column(name)[key] for name in self.columns}

    def __iter__(self):
        columns = [self._column(name) for name in self.columns]
        return (dict(zip(self.columns, row)) for row in zip(*columns))

    def __repr__(self):
        return f"<warpsage table of {len(self)} rows: {', '.join(self.columns)}>"

    to_dict = Node.to_dict
    _name = Node._name

    def to_pandas(self):
        """The table as a frame; `frame.attrs["units"]` has the units of its columns."""
        import pandas
        frame = pandas.DataFrame({name: self._column(name) for name in self.columns})
        frame.attrs["units"] = dict(self.units)
        return frame


def _value_of(at):
    value = ffi.new("ws_value *", {"size": ffi.sizeof("ws_value")})
    lib.ws_node_value(at, value)
    return value


def _leaf(at, kind):
    if kind == lib.WS_WORDS:
        return tuple(text(lib.ws_node_word(at, index)) for index in range(lib.ws_node_count(at)))
    if kind == lib.WS_NUMBERS:
        return numpy.array([lib.ws_node_number(at, index) for index in range(lib.ws_node_count(at))])
    value = _value_of(at)
    if kind == lib.WS_WORD:
        return text(value.text) if value.is_known else None
    if kind == lib.WS_FLAG:
        return bool(value.count) if value.is_known else None
    if kind == lib.WS_COUNT and value.is_known:
        return Count(value.count)._describe(value)
    return Number(value.number if value.is_known else numpy.nan)._describe(value)


def _wrap(answer, at, path):
    """What is at a node, as Python has it; None: a part that this answer does not have."""
    kind = lib.ws_node_kind(at)
    if kind == lib.WS_TABLE:
        return Table(answer, at, path)
    if kind not in (lib.WS_SECTION, lib.WS_LIST):
        return _leaf(at, kind)
    return Node(answer, at, path) if _value_of(at).is_known else None
