# SPDX-License-Identifier: Apache-2.0
"""Contexts and the handles that live in them: an object of the library is destroyed before its context."""
import sys
import weakref

from . import _tools
from ._library import DATA, ERRORS, Error, ffi, lib, pointer_or_null, text


class Handle:
    """Owns an object of the library. It keeps `owner` (a Handle, or None) alive for longer than itself, whatever the
    order in which Python collects them."""

    def __init__(self, pointer, destroy, owner=None):
        self.pointer = pointer
        self._release = weakref.finalize(self, Handle._destroy, destroy, pointer, owner)

    @staticmethod
    def _destroy(destroy, pointer, _owner):
        destroy(pointer)


class _Watch:
    """What callbacks share: the caller's progress function, and the exception that one of them raised."""

    def __init__(self, progress):
        self.progress = progress
        self.error = None

    def keep(self, _kind, error, _traceback):
        self.error = self.error or error

    def is_cancelled(self, _user):
        # In the main thread, Ctrl-C raises KeyboardInterrupt here.
        return self.error is not None

    def show_progress(self, _user, what, fraction):
        self.progress(text(what), fraction)

    def write_out(self, _user, data, size):
        sys.stdout.write(ffi.buffer(data, size)[:].decode("utf-8", "replace"))
        return True


class Context(Handle):
    """A context of its own for each call of the package: calls of several threads do not disturb each other."""

    def __init__(self, progress=None):
        out = ffi.new("ws_context **")
        if lib.ws_context_create(out) != lib.WS_OK:
            raise MemoryError("warpsage: out of memory")
        super().__init__(out[0], lib.ws_context_destroy)
        self._watch = _Watch(progress)
        self._callbacks = []
        self._listen(lib.ws_context_set_cancel, "ws_cancel_fn", self._watch.is_cancelled, True)
        self._listen(lib.ws_context_set_print, "ws_write_fn", self._watch.write_out, False)
        if progress:
            self._listen(lib.ws_context_set_progress, "ws_progress_fn", self._watch.show_progress, None)
        self.check(lib.ws_context_set_machine_dir(self.pointer, pointer_or_null(DATA / "machines")))
        self.check(lib.ws_context_set_evidence(self.pointer, pointer_or_null(DATA / "evidence.yaml")))
        self.check(lib.ws_context_set_tool_path(self.pointer, pointer_or_null(_tools.search_path())))

    def _listen(self, setter, kind, function, on_error):
        callback = ffi.callback(kind, function, error=on_error, onerror=self._watch.keep)
        self._callbacks.append(callback)
        setter(self.pointer, callback, ffi.NULL)

    def check(self, status):
        """Raises what a callback raised, else what the status says."""
        error, self._watch.error = self._watch.error, None
        if error is not None:
            raise error
        if status != lib.WS_OK:
            said = text(lib.ws_context_error(self.pointer)) or text(lib.ws_status_text(status))
            raise ERRORS.get(status, Error)(said)

    def make(self, function, kind, destroy, *arguments):
        """Calls a function that hands a new object through its last pointer: a Handle of it."""
        out = ffi.new(f"{kind} **")
        status = function(*arguments, out)
        handle = Handle(out[0], destroy, self) if out[0] != ffi.NULL else None
        self.check(status)
        return handle
