# SPDX-License-Identifier: Apache-2.0
"""mbarrier: a thread operates on an object of its own, by a model of what the ISA says such an object
keeps track of. Seen are the results of waits and the pending counts of states."""
from .form import Form, crossed

SOURCE = ("PTX ISA, mbarrier: contents of the object, phase completion, arrive-on, expect-tx and "
          "complete-tx operations")
LIMIT = 2 ** 20 - 1
PREPARE = [("decl", ".shared .align 8 .b64 objects[32];"),
           ("decl", ".reg .b32 %object; .reg .b64 %generic;"), ("do", "mov.u32 %object, objects;"),
           ("do", "mad.lo.u32 %object, %lane, 8, %object;"),
           ("do", "cvt.u64.u32 %generic, %object;"), ("do", "cvta.shared.u64 %generic, %generic;")]
SHARED = (".shared", ".shared::cta", "")


class Object:
    """The phase is a number, of which a wait sees the parity."""

    def init(self, count):
        assert 1 <= count <= LIMIT
        self.pending = self.expected = count
        self.bytes = self.phase = 0

    def settle(self):
        if self.pending == 0 and self.bytes == 0:
            self.phase += 1
            self.pending = self.expected

    def arrive(self, count=1, drops=False, completes=True):
        state = (self.phase, self.pending)
        assert count <= self.pending
        self.pending -= count
        if drops:
            self.expected -= count
        self.settle()
        assert completes or self.phase == state[0]
        return state

    def expect(self, count):
        self.bytes += count
        assert abs(self.bytes) <= LIMIT

    def complete(self, count):
        self.bytes -= count
        assert abs(self.bytes) <= LIMIT
        self.settle()

    def has_ended(self, state):
        assert self.phase - state[0] in (0, 1)  # else undefined
        return self.phase > state[0]

    def parity_has_ended(self, parity):
        """Of the current phase, or of the one before it."""
        return self.phase % 2 != parity


class Run:
    """Writes a snippet and executes it for one row at the same time."""

    def __init__(self, values):
        self.object, self.values = Object(), values
        self.lines, self.outs, self.results, self.states = [], [], [], []

    def value(self, operand):
        return self.values.get(operand, operand)

    def do(self, text):
        self.lines.append(("do", text + ";"))

    def see(self, kind, value):
        name = f"%x{len(self.outs)}"
        self.outs.append((name, kind))
        self.results.append(int(value))
        return name

    def init(self, count, name="mbarrier.init.shared.b64", at="%object"):
        self.do(f"{name} [{at}], {count}")
        self.object.init(self.value(count))

    def inval(self, name="mbarrier.inval.shared.b64", at="%object"):
        self.do(f"{name} [{at}]")

    def arrive(self, count=None, name="mbarrier.arrive.shared.b64", at="%object", sinks=False):
        """A number of the state for `ended` and `pending`."""
        drops, expects = "arrive_drop" in name, "expect_tx" in name
        state = "_" if sinks else f"%state{len(self.states)}"
        if not sinks:
            self.lines.append(("decl", f".reg .b64 {state};"))
        self.do(f"{name} {state}, [{at}]" + ("" if count is None else f", {count}"))
        if expects:
            self.object.expect(self.value(count))
        arrivals = 1 if expects or count is None else self.value(count)
        self.states.append(self.object.arrive(arrivals, drops, "noComplete" not in name))
        return len(self.states) - 1

    def count_bytes(self, name, count, at="%object"):
        self.do(f"{name} [{at}], {count}")
        if "expect_tx" in name:
            self.object.expect(self.value(count))
        else:
            self.object.complete(self.value(count))

    def copies(self, name, at="%object"):
        self.do(f"{name} [{at}]")
        if ".noinc" in name:
            self.object.arrive()

    def pending(self, state, name="mbarrier.pending_count.b64"):
        out = self.see("b32", self.states[state][1])
        self.do(f"{name} {out}, %state{state}")

    def ended(self, state, name="mbarrier.test_wait.shared.b64", at="%object", hint=None):
        out = self.see("pred", self.object.has_ended(self.states[state]))
        self.do(f"{name} {out}, [{at}], %state{state}" + ("" if hint is None else f", {hint}"))

    def parity(self, parity, name="mbarrier.test_wait.parity.shared.b64", at="%object", hint=None):
        out = self.see("pred", self.object.parity_has_ended(self.value(parity)))
        self.do(f"{name} {out}, [{at}], {parity}" + ("" if hint is None else f", {hint}"))

    def parities(self):
        self.parity(0)
        self.parity(1)

    def rest(self):
        """How many arrivals are pending, two at least: all but one of them arrive."""
        state = self.arrive(1, "mbarrier.arrive.noComplete.shared.b64")
        self.pending(state)
        self.parities()


def place(space):
    return "%generic" if space == "" else "%object"


def form(mnemonic, name, script, ins=(), rows=((),), **extra):
    """`script(run)` for each row; the snippet must not depend on it."""
    made = []
    for row in rows:
        run = Run({register: value for (register, _), value in zip(ins, row)})
        script(run)
        made.append((run, (row, run.results)))
    first = made[0][0]
    assert all(run.lines == first.lines for run, _ in made), name
    return mnemonic, SOURCE, Form(name, list(ins), first.outs, PREPARE + first.lines,
                                  [row for _, row in made], **extra)


def lives():
    """Objects begin and end."""
    for space in SHARED:
        full = f"mbarrier.init{space}.b64"
        for count in ("%a", 7):
            def begin(run, full=full, space=space, count=count):
                run.init(count, full, place(space))
                run.parities()
                run.rest()
            yield form("mbarrier.init", f"{full} {count}", begin, [("%a", "b32")],
                       [(n,) for n in (2, 3, 32, 1024, LIMIT)])

        def end(run, space=space):
            run.init("%a")
            run.arrive()
            run.parities()
            run.inval(f"mbarrier.inval{space}.b64", place(space))
            run.do("st.shared.u64 [%object], %b")  # the memory is for anything now
            out = run.see("b64", run.value("%b"))
            run.do(f"ld.shared.u64 {out}, [%object]")
            run.init(2)
            run.parities()
            run.rest()
        yield form("mbarrier.inval", f"mbarrier.inval{space}.b64", end,
                   [("%a", "b32"), ("%b", "b64")], crossed((1, 2, 5), (0, 0x123456789ABCDEF)))


def semantics(kinds):
    return [""] + [f".{kind}.{scope}" for kind in kinds for scope in ("cta", "cluster")]


def arrivals_of(kind):
    """mbarrier.arrive and mbarrier.arrive_drop."""
    mnemonic = f"mbarrier.{kind}"
    for sem in semantics(("release", "relaxed")):
        for space in SHARED + (".shared::cluster",):
            sinks, at = space == ".shared::cluster", place(space)
            full = f"{mnemonic}{sem}{space}.b64"

            def one(run, full=full, at=at, sinks=sinks):
                """The first of them ends the phase where one is expected, else none or the second."""
                run.init("%a")
                states = [run.arrive(None, full, at, sinks) for _ in range(2)]
                run.parities()
                if not sinks:
                    for state in states:
                        if kind == "arrive":
                            run.ended(state)
                run.arrive("%c", "mbarrier.arrive.shared.b64")
                run.parities()
            rows = [(a, a - 2 if a > 2 else (2 if kind == "arrive" else 0)) for a in (2, 3, 9, LIMIT)]
            if kind == "arrive_drop":
                rows = [(a, a - 2) for a in (3, 4, 9, LIMIT)]
            yield form(mnemonic, full, one, [("%a", "b32"), ("%c", "b32")], rows)
            for count in ("%b", 2):
                def many(run, full=full, at=at, sinks=sinks, count=count):
                    """In two phases; what was dropped is not expected in the second."""
                    run.init("%a")
                    run.arrive(count, full, at, sinks)
                    run.parities()
                    run.arrive("%c", "mbarrier.arrive.shared.b64")
                    run.parities()
                    run.rest()
                rows = [(a, 2, a - 2) for a in (5, 7, 1000, LIMIT)] + [(9, 2, 3)]
                if count == "%b":
                    rows += [(a, b, a - b) for a, b in ((5, 1), (8, 5), (LIMIT, LIMIT - 2))]
                yield form(mnemonic, f"{full} of {count}", many,
                           [("%a", "b32"), ("%b", "b32"), ("%c", "b32")], rows)
    for sem in ("", ".release.cta"):
        for space in SHARED:
            full, at = f"{mnemonic}.noComplete{sem}{space}.b64", place(space)

            def counted(run, full=full, at=at):
                run.init("%a")
                states = [run.arrive("%b", full, at), run.arrive(2, full, at)]
                for state in states:
                    run.pending(state)
                run.parities()
                run.rest()
                run.ended(states[0])
            yield form(mnemonic, full, counted, [("%a", "b32"), ("%b", "b32")],
                       [(9, 1), (9, 5), (100, 32), (LIMIT, 1), (LIMIT, LIMIT - 4)])


def arrivals_with_bytes(kind):
    for sem in semantics(("release", "relaxed")):
        for space in SHARED + (".shared::cluster",):
            full = f"mbarrier.{kind}.expect_tx{sem}{space}.b64"

            def expects(run, full=full, space=space):
                """The phase ends with the bytes, not with the arrivals."""
                run.init(3)
                run.arrive("%a", full, place(space), space == ".shared::cluster")
                run.arrive(2)
                run.parities()
                run.count_bytes("mbarrier.complete_tx.shared.b64", "%b")
                run.parities()
                run.count_bytes("mbarrier.complete_tx.shared.b64", "%c")
                run.parities()
                run.rest()
            rows = [(a, b, a - b) for a, b in ((16, 16), (16, 0), (4096, 1024), (LIMIT, LIMIT - 16))]
            rows = [row for row in rows if row[2]]
            yield form(f"mbarrier.{kind}", full, expects,
                       [("%a", "b32"), ("%b", "b32"), ("%c", "b32")], rows)


def bytes_alone():
    for sem in ("", ".relaxed.cta", ".relaxed.cluster"):
        for space in SHARED + (".shared::cluster",):
            expect, complete = (f"mbarrier.{kind}{sem}{space}.b64"
                                for kind in ("expect_tx", "complete_tx"))

            def before(run, expect=expect, complete=complete, space=space):
                """Expected first: bytes hold back the phase, whatever their order."""
                run.init(2)
                run.count_bytes(expect, "%a", place(space))
                run.arrive(2)
                run.parities()
                run.count_bytes(complete, "%b", place(space))
                run.parities()
                run.count_bytes(complete, "%c", place(space))
                run.parities()
                run.rest()

            def after(run, expect=expect, complete=complete, space=space):
                """Written before they are expected: the count is negative for a while."""
                run.init(2)
                run.count_bytes(complete, "%a", place(space))
                run.arrive()
                run.count_bytes(expect, "%b", place(space))
                run.count_bytes(expect, "%c", place(space))
                run.parities()
                run.arrive()
                run.parities()
                run.rest()
            ins = [("%a", "b32"), ("%b", "b32"), ("%c", "b32")]
            rows = [(a, b, a - b) for a, b in ((16, 4), (2, 1), (65536, 65535), (LIMIT, 1))]
            yield form("mbarrier.expect_tx", expect, before, ins, rows)
            yield form("mbarrier.complete_tx", complete, after, ins, rows)


def waits():
    for kind, hints in (("test_wait", (None,)), ("try_wait", (None, "%c", 1000))):
        for sem in semantics(("acquire", "relaxed")):
            for space in SHARED:
                for hint in hints:
                    by_state, by_parity = (f"mbarrier.{kind}{of}{sem}{space}.b64"
                                           for of in ("", ".parity"))
                    more = "" if hint is None else f" within {hint}"

                    def states(run, full=by_state, space=space, hint=hint):
                        run.init("%a")
                        first = run.arrive("%b", "mbarrier.arrive.noComplete.shared.b64")
                        run.ended(first, full, place(space), hint)
                        last = run.arrive("%c")
                        run.ended(first, full, place(space), hint)
                        run.ended(last, full, place(space), hint)
                        run.ended(run.arrive(), full, place(space), hint)

                    def parities(run, full=by_parity, space=space, hint=hint):
                        run.init("%a")
                        for _ in range(3):
                            run.parity(0, full, place(space), hint)
                            run.parity("%b", full, place(space), hint)
                            run.arrive("%c")
                            run.parity(1, full, place(space), hint)
                    ins = [("%a", "b32"), ("%b", "b32"), ("%c", "b32")]
                    yield form(f"mbarrier.{kind}", by_state + more, states, ins,
                               [(4, 1, 3), (4, 2, 1), (32, 16, 16), (LIMIT, 1, LIMIT - 1)])
                    yield form(f"mbarrier.{kind}", by_parity + more, parities, ins,
                               [(a, b, c) for a, c in ((1, 1), (6, 2), (6, 6), (9, 3)) for b in (0, 1)])
    # Nobody else arrives.
    for kind in ("test_wait", "try_wait"):
        full = f"mbarrier.{kind}.parity.shared.b64"
        lines = PREPARE + [("decl", ".reg .pred %done;"),
                           ("do", "mbarrier.init.shared.b64 [%object], 2;"),
                           ("do", "mbarrier.arrive.shared.b64 _, [%object];"), ("raw", "$again:"),
                           ("raw", f"{full} %done, [%object], 0;"), ("raw", "@!%done bra $again;")]
        yield (f"mbarrier.{kind}", SOURCE,
               Form(f"{full} for ever", [("%a", "b32")], [("%x", "b32")], lines, [((0,), (0,))],
                    deadlock="its phase of parity 0 lacks 1 of 2 arrivals"))


def copies():
    for noinc in ("", ".noinc"):
        for space in SHARED:
            full = f"cp.async.mbarrier.arrive{noinc}{space}.b64"

            def tracked(run, full=full, space=space):
                """Without .noinc the arrival counts itself: nothing changes. Waiting for the copies
                shows that the one with .noinc has come."""
                run.init("%a")
                run.do("cp.async.ca.shared.global [%target], [%in], 4")
                run.copies(full, place(space))
                run.do("cp.async.wait_all")
                run.arrive("%b")
                run.parities()
                run.rest()
            decl = [("decl", ".shared .align 4 .b32 copied[32]; .reg .b32 %target;"),
                    ("do", "mov.u32 %target, copied;"),
                    ("do", "mad.lo.u32 %target, %lane, 4, %target;")]
            rows = [(4, 3), (5, 2), (9, 8)] if noinc else [(3, 3), (4, 2), (9, 9)]
            made = form("cp.async.mbarrier.arrive", full, tracked,
                        [("%a", "b32"), ("%b", "b32")], rows)
            made[2].lines[:0] = decl
            yield made


def pending_counts():
    def counts(run):
        run.init("%a")
        states = [run.arrive("%b", "mbarrier.arrive.noComplete.shared.b64"),
                  run.arrive(1, "mbarrier.arrive_drop.noComplete.shared.b64")]
        for state in states:
            run.pending(state)
    yield form("mbarrier.pending_count", "mbarrier.pending_count.b64", counts,
               [("%a", "b32"), ("%b", "b32")], [(3, 1), (33, 31), (LIMIT, 1), (LIMIT, LIMIT - 2)])


def forms():
    yield from lives()
    for kind in ("arrive", "arrive_drop"):
        yield from arrivals_of(kind)
        yield from arrivals_with_bytes(kind)
    yield from bytes_alone()
    yield from waits()
    yield from copies()
    yield from pending_counts()
