# SPDX-License-Identifier: Apache-2.0
"""Instructions between the lanes of a warp: a row is a lane, 32 rows are a warp. With some lanes
missing, the others see each other only."""
from .exact import F32
from .form import Form, Numbers
from .integers import number, wrap

SOURCE = "PTX ISA, Parallel Synchronization and Communication Instructions, data movement by shfl"
ALL = 0xFFFFFFFF
MASKS = [ALL, 0x0000FFFF, 0xAAAAAAAA, 0x80000001, 0x00000010]
LANES = range(32)


def lanes_of(mask):
    return [i for i in LANES if mask >> i & 1]


def collective(mnemonic, name, ins, outs, statements, make_row, warp, mask, decl=(), **extra):
    """`warp` lists the operands of 32 lanes; make_row(lane, warp, active) the lane's results."""
    active = lanes_of(mask)
    rows = [(warp[i], make_row(i, warp, active) if i in active else ("-",) * len(outs))
            for i in LANES]
    lines = [("decl", d) for d in decl] + [("do", s) for s in statements]
    full = name if mask == ALL else f"{name} in {mask:08x}"
    return mnemonic, Form(full, ins, outs, lines, rows, lanes=f"{mask:08x}", **extra)


# ---- shfl ------------------------------------------------------------------------------------

def source_lane(mode, lane, b, c):
    """The lane that is read, and whether it lies in range: the pseudocode of shfl."""
    segment, b, clamp = c >> 8 & 31, b & 31, c & 31
    maximum = lane & segment | clamp & ~segment & 31
    minimum = lane & segment
    source = {"up": lane - b, "down": lane + b, "bfly": lane ^ b,
              "idx": minimum | b & ~segment & 31}[mode]
    in_range = source >= maximum if mode == "up" else source <= maximum
    return (source, 1) if in_range else (lane, 0)


def shuffles():
    controls = {"up": [0, 0x1800, 0x1001], "down": [0x1F, 0x181F, 0x0007],
                "bfly": [0x1F, 0x181F, 0x1C03], "idx": [0x1F, 0x181F, 0x1007]}
    for mode, values in controls.items():
        for c in values:
            for b in (0, 1, 5, 16, 31, 33):
                numbers = Numbers("shfl", mode, b, c)
                yield shuffle(f"shfl.sync.{mode}.b32 with {b}, {c:#x}", mode,
                              [(numbers.bits(32), b, c) for _ in LANES], ALL)
        numbers = Numbers("shfl", mode)
        mixed = [(numbers.bits(32), numbers.below(32), values[numbers.below(3)]) for _ in LANES]
        for mask in MASKS[:4]:
            yield shuffle(f"shfl.sync.{mode}.b32", mode, mixed, mask)


def shuffle(name, mode, warp, mask):
    def row(lane, warp, active):
        source, p = source_lane(mode, lane, warp[lane][1], warp[lane][2])
        # What a lane reads of one that takes no part is undefined.
        return (warp[source][0] if source in active else "-", p)
    return collective("shfl", name, [("%a", "b32"), ("%b", "b32"), ("%c", "b32")],
                      [("%x", "b32"), ("%p", "pred")],
                      [f"shfl.sync.{mode}.b32 %x|%p, %a, %b, %c, {mask:#x};"], row, warp, mask)


# ---- vote, match, redux, activemask, elect ---------------------------------------------------

def votes():
    numbers = Numbers("vote")
    patterns = [0, ALL, 0x0000FFFF, 0x00000001, numbers.bits(32), ALL ^ 1 << 31]
    for pattern in patterns:
        warp = [(pattern >> i & 1,) for i in LANES]
        for mask in MASKS:
            def row(lane, warp, active):
                votes_ = [warp[i][0] for i in active]
                ballot = sum(1 << i for i in active if warp[i][0])
                complement = sum(1 << i for i in active if not warp[i][0])
                return (int(all(votes_)), int(any(votes_)), int(len(set(votes_)) == 1), ballot,
                        int(not any(votes_)), complement)
            m = f"{mask:#x}"
            yield collective(
                "vote", f"vote.sync.(all,any,uni,ballot) of {pattern:08x}", [("%a", "pred")],
                [("%all", "pred"), ("%any", "pred"), ("%uni", "pred"), ("%x", "b32"),
                 ("%none", "pred"), ("%y", "b32")],
                [f"vote.sync.all.pred %all, %a, {m};", f"vote.sync.any.pred %any, %a, {m};",
                 f"vote.sync.uni.pred %uni, %a, {m};", f"vote.sync.ballot.b32 %x, %a, {m};",
                 f"vote.sync.all.pred %none, !%a, {m};", f"vote.sync.ballot.b32 %y, !%a, {m};"],
                row, warp, mask)


def votes_as_nvcc_writes():
    warp = [(i % 3 == 0,) for i in LANES]
    expected = sum(1 << i for i in LANES if i % 3 == 0)
    yield collective("vote", "vote.(ballot,any,all,uni).sync", [("%a", "pred")],
                     [("%x", "b32"), ("%p", "pred"), ("%q", "pred"), ("%r", "pred")],
                     ["vote.ballot.sync.b32 %x, %a, -1;", "vote.any.sync.pred %p, %a, -1;",
                      "vote.all.sync.pred %q, %a, -1;", "vote.uni.sync.pred %r, %a, -1;"],
                     lambda lane, warp, active: (expected, 1, 0, 0), warp, ALL)


def matches():
    for n in (32, 64):
        numbers = Numbers("match", n)
        values = [numbers.bits(n) for _ in range(3)]
        kinds = {"three values": [(numbers.choice(values),) for _ in LANES],
                 "one value": [(values[0],)] * 32,
                 "own values": [((i << n - 8) + 1,) for i in LANES],
                 "one apart": [(values[1] ^ (i == 4),) for i in LANES]}
        for name, warp in kinds.items():
            for mask in MASKS:
                def row(lane, warp, active):
                    same = sum(1 << i for i in active if warp[i] == warp[lane])
                    everybody = sum(1 << i for i in active)
                    agree = same == everybody
                    return same, everybody if agree else 0, int(agree)
                yield collective(
                    "match", f"match.(any,all).sync.b{n} of {name}", [("%a", f"b{n}")],
                    [("%x", "b32"), ("%y", "b32"), ("%p", "pred")],
                    [f"match.any.sync.b{n} %x, %a, {mask:#x};",
                     f"match.all.sync.b{n} %y|%p, %a, {mask:#x};"], row, warp, mask)


def reductions():
    def fold(function):
        def over(values):
            result = values[0]
            for value in values[1:]:
                result = function(result, value)
            return result
        return over
    operations = {"and.b32": fold(lambda a, b: a & b), "or.b32": fold(lambda a, b: a | b),
                  "xor.b32": fold(lambda a, b: a ^ b)}
    for kind in ("u32", "s32"):
        operations["add." + kind] = lambda values: wrap(sum(values), 32)
        for name, function in (("min", min), ("max", max)):
            operations[f"{name}.{kind}"] = lambda values, f=function, k=kind: f(
                values, key=lambda x: number(x, k))
    numbers = Numbers("redux")
    warps = [[(numbers.bits(32),) for _ in LANES],
             [(wrap(numbers.below(9) - 4, 32),) for _ in LANES]]
    for name, function in operations.items():
        for k, warp in enumerate(warps):
            for mask in MASKS:
                yield collective(
                    "redux", f"redux.sync.{name} of {('large', 'small')[k]} numbers",
                    [("%a", "b32")], [("%x", "b32")],
                    [f"redux.sync.{name} %x, %a, {mask:#x};"],
                    lambda lane, warp, active, f=function: (f([warp[i][0] for i in active]),),
                    warp, mask)


def float_reductions():
    """A NaN loses against a number unless .NaN is there."""
    numbers = Numbers("redux f32")
    pool = [0, F32.sign_bit, F32.one, F32.sign_bit | F32.one, F32.infinity, 0xFF800000, 3,
            0x80000003, 0x40490FDB, 0xC2F60000]
    warps = {"numbers": [(numbers.choice(pool),) for _ in LANES],
             "numbers and NaN": [(numbers.choice(pool + [0x7FC00001, 0xFF800009]),)
                                 for _ in LANES],
             "NaN": [(0x7FC00005,)] * 32}
    for operation, pick in (("min", min), ("max", max)):
        for absolute in ("", ".abs"):
            for nan in ("", ".NaN"):
                def reduce(values, pick=pick, absolute=absolute, nan=nan):
                    present = [x for x in values if not F32.is_nan(x)]
                    if not present or (nan and len(present) < len(values)):
                        return F32.nan
                    if absolute:
                        present = [F32.magnitude(x) for x in present]
                    return pick(present, key=lambda x: -F32.magnitude(x) - 1 if F32.negative(x)
                                else x)
                for name, warp in warps.items():
                    for mask in MASKS[:3]:
                        full = f"redux.sync.{operation}{absolute}{nan}.f32"
                        yield collective(
                            "redux", f"{full} of {name}", [("%a", "b32")], [("%x", "b32")],
                            [f"{full} %x, %a, {mask:#x};"],
                            lambda lane, warp, active, f=reduce: (f([warp[i][0]
                                                                      for i in active]),),
                            warp, mask, target="sm_100a")


def masks():
    warp = [()] * 32
    for mask in MASKS:
        # A guard keeps lanes from executing as a branch does, so both see the same lanes.
        yield collective("activemask", "activemask.b32", [], [("%x", "b32")],
                         ["activemask.b32 %x;"], lambda lane, warp, active, m=mask: (m,), warp,
                         mask)
        # Which lane is elected is not said; it is the lowest here (QUIRKS.md).
        yield collective("elect", "elect.sync", [], [("%x", "b32"), ("%p", "pred")],
                         [f"elect.sync %x|%p, {mask:#x};"],
                         lambda lane, warp, active: (active[0], int(lane == active[0])), warp,
                         mask)


# ---- barriers --------------------------------------------------------------------------------

THREADS = 64
EXCHANGE = [("decl", f".shared .align 4 .b8 words[{4 * THREADS}];"),
            ("decl", ".reg .b32 %t, %own, %other;"), ("do", "mov.u32 %t, %tid.x;"),
            ("do", "shl.b32 %own, %t, 2;"), ("do", "mov.u32 %other, words;"),
            ("do", "add.u32 %own, %own, %other;"), ("do", "shl.b32 %other, %t, 3;"),
            ("do", "sub.u32 %other, %own, %other;"),
            ("do", f"add.u32 %other, %other, {4 * THREADS - 4};")]


def exchange(mnemonic, name, barrier, **extra):
    """Each thread writes its word, waits, reads the word of thread 63 - t."""
    numbers = Numbers("barrier", name)
    values = [numbers.bits(32) for _ in range(THREADS)]
    lines = EXCHANGE + [("do", "st.shared.b32 [%own], %a;"), ("do", barrier),
                        ("do", "ld.shared.b32 %x, [%other];")]
    return mnemonic, Form(name, [("%a", "b32")], [("%x", "b32")], lines,
                          [((values[t],), (values[THREADS - 1 - t],)) for t in range(THREADS)],
                          threads=THREADS, **extra)


def barriers():
    for name, text in (("bar", "bar"), ("bar", "bar.cta"), ("barrier", "barrier"),
                       ("barrier", "barrier.cta")):
        for aligned in ("",) if name == "bar" else ("", ".aligned"):
            yield exchange(name, f"{text}.sync{aligned} 0", f"{text}.sync{aligned} 0;")
            yield exchange(name, f"{text}.sync{aligned} 15, 64", f"{text}.sync{aligned} 15, 64;")
            yield from barrier_reductions(name, text, aligned)
            yield arrival(name, text, aligned)
    yield from warp_barriers()
    yield from cluster_barriers()


def cluster_barriers():
    """Without clusters in the launch the block is one."""
    for arrive in ("", ".release", ".relaxed"):
        for wait in ("", ".acquire"):
            for aligned in ("", ".aligned"):
                text = (f"barrier.cluster.arrive{arrive}{aligned}; "
                        f"barrier.cluster.wait{wait}{aligned};")
                name = f"barrier.cluster{arrive}{wait}{aligned}"
                for op in ("arrive", "wait"):
                    mnemonic, form = exchange(f"barrier.cluster.{op}", f"{name} by {op}", text)
                    yield mnemonic, form


def barrier_reductions(mnemonic, text, aligned):
    numbers = Numbers("bar.red")
    for pattern in (0, (1 << THREADS) - 1, numbers.bits(THREADS), 1 << 40):
        votes_ = [pattern >> t & 1 for t in range(THREADS)]
        lines = [("do", f"{text}.red.popc{aligned}.u32 %x, 1, %a;"),
                 ("do", f"{text}.red.and{aligned}.pred %p, 2, {THREADS}, %a;"),
                 ("do", f"{text}.red.or{aligned}.pred %q, 3, !%a;")]
        result = (sum(votes_), int(all(votes_)), int(not all(votes_)))
        yield mnemonic, Form(f"{text}.red{aligned} of {pattern:016x}", [("%a", "pred")],
                             [("%x", "b32"), ("%p", "pred"), ("%q", "pred")], lines,
                             [((v,), result) for v in votes_], threads=THREADS)


def arrival(mnemonic, text, aligned):
    """The first warp writes and arrives; the second waits and reads."""
    numbers = Numbers("arrive")
    values = [numbers.bits(32) for _ in range(THREADS)]
    lines = EXCHANGE + [("decl", ".reg .pred %writes;"), ("raw", "setp.lt.u32 %writes, %t, 32;"),
                        ("raw", "@%writes bra WRITE;"), ("raw", f"{text}.sync{aligned} 4, 64;"),
                        ("raw", "ld.shared.b32 %x, [%other];"), ("raw", "bra DONE;"),
                        ("raw", "WRITE:"), ("raw", "st.shared.b32 [%own], %a;"),
                        ("raw", f"{text}.arrive{aligned} 4, 64;"), ("raw", "mov.b32 %x, %a;"),
                        ("raw", "DONE:")]
    expected = values[:32] + [values[63 - t] for t in range(32, THREADS)]
    return mnemonic, Form(f"{text}.arrive{aligned} 4, 64", [("%a", "b32")], [("%x", "b32")], lines,
                          [((v,), (e,)) for v, e in zip(values, expected)], threads=THREADS)


def warp_barriers():
    """Lanes of the mask exchange words through memory."""
    numbers = Numbers("bar.warp")
    values = [numbers.bits(32) for _ in LANES]
    for mask in MASKS:
        active = lanes_of(mask)
        following = {lane: active[(i + 1) % len(active)] for i, lane in enumerate(active)}
        rows = [((values[i], following.get(i, 0)), (values[following[i]] if i in following else
                                                    "-",)) for i in LANES]
        lines = [("decl", ".shared .align 4 .b8 words[128];"), ("decl", ".reg .b32 %own;"),
                 ("do", "mov.u32 %own, words;"), ("do", "mad.lo.u32 %own, %lane, 4, %own;"),
                 ("do", "st.shared.b32 [%own], %a;"), ("do", f"bar.warp.sync {mask:#x};"),
                 ("do", "mov.u32 %own, words;"), ("do", "mad.lo.u32 %own, %b, 4, %own;"),
                 ("do", "ld.shared.b32 %x, [%own];")]
        full = "bar.warp.sync" + ("" if mask == ALL else f" in {mask:08x}")
        yield "bar", Form(full, [("%a", "b32"), ("%b", "b32")], [("%x", "b32")], lines, rows,
                          lanes=f"{mask:08x}")


def fences():
    """A thread sees its own accesses in order, other threads those before fence and flag."""
    names = [("membar", f"membar.{level}") for level in ("cta", "gl", "sys")]
    names += [("fence", f"fence{order}.{scope}") for order in ("", ".sc", ".acq_rel")
              for scope in ("cta", "cluster", "gpu", "sys")]
    names += [("fence", f"fence.{order}.{scope}") for order in ("acquire", "release")
              for scope in ("cta", "cluster", "gpu", "sys")]
    names += [("fence", "fence." + rest) for rest in (
        "mbarrier_init.release.cluster", "acquire.sync_restrict::shared::cluster.cluster",
        "release.sync_restrict::shared::cta.cluster", "proxy.alias", "proxy.async",
        "proxy.async.global", "proxy.async.shared::cta", "proxy.async.shared::cluster",
        "proxy.tensormap::generic.release.gpu",
        "proxy.tensormap::generic.acquire.gpu [%scratch], 128")]
    names += [("membar", "membar.proxy.alias")]
    numbers = Numbers("fence")
    for mnemonic, full in names:
        values = [numbers.bits(32) for _ in range(4)]
        yield mnemonic, Form(full, [("%a", "b32")], [("%x", "b32")],
                             [("do", "st.global.b32 [%scratch], %a;"), ("do", full + ";"),
                              ("do", "ld.global.b32 %x, [%scratch];")],
                             [((v,), (v,)) for v in values])
    passing = [("decl", ".reg .b32 %flag; .reg .b64 %own; .reg .pred %first, %wait;"),
               ("raw", "setp.lt.u32 %first, %thread, 32;"), ("raw", "@%first bra WRITE;"),
               ("raw", "WAIT: ld.volatile.global.b32 %flag, [%common];"),
               ("raw", "setp.lt.u32 %wait, %flag, 32;"), ("raw", "@%wait bra WAIT;"),
               ("raw", "membar.gl;"), ("raw", "mad.wide.u32 %own, %lane, 4, %common;"),
               ("raw", "ld.volatile.global.b32 %x, [%own+128];"), ("raw", "bra DONE;"),
               ("raw", "WRITE: mad.wide.u32 %own, %lane, 4, %common;"),
               ("raw", "st.volatile.global.b32 [%own+128], %a;"), ("raw", "membar.gl;"),
               ("raw", "red.global.add.u32 [%common], 1;"), ("raw", "mov.b32 %x, %a;"),
               ("raw", "DONE:")]
    values = [numbers.bits(32) for _ in range(THREADS)]
    for mnemonic in ("membar", "fence"):
        lines = [(k, t.replace("membar.gl", "fence.acq_rel.gpu") if mnemonic == "fence" else t)
                 for k, t in passing]
        yield mnemonic, Form("membar.gl between warps" if mnemonic == "membar" else
                             "fence.acq_rel.gpu between warps", [("%a", "b32")], [("%x", "b32")],
                             lines, [((v,), (values[t % 32],)) for t, v in enumerate(values)],
                             threads=THREADS)


def forms():
    for group in (shuffles, votes, votes_as_nvcc_writes, matches, reductions, float_reductions,
                  masks, barriers, fences):
        for mnemonic, form in group():
            yield mnemonic, SOURCE, form
