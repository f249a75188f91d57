// SPDX-License-Identifier: Apache-2.0
/* Statements of clusters. A phase stands between two barriers of the cluster. In it every thread has one row of shared
 * memory for itself, in most cases of another block: what it does there has one result. Or all rows are read only. The
 * words of atomics may be those of any block in any phase. */
#include "reference/generate_state.h"

enum { ACCESSES_MAX = 4 };

bool has_cluster(const struct generator *g)
{
    return program_cluster_blocks(g->program) > 1;
}

/* Every spelling of an arrival and a wait; statements may stand between them. */
static void add_cluster_barrier(struct generator *g, uint32_t group)
{
    switch (pick(g, 4)) {
    case 0:
        add_line(g, group, "fence.acq_rel.cluster;");
        add_line(g, group, "barrier.cluster.arrive.relaxed;");
        break;
    case 1: { /* some lanes before others */
        uint32_t predicate = pick(g, PREDICATES);
        add_line(g, group, "@%%p%u barrier.cluster.arrive;", predicate);
        add_line(g, group, "@!%%p%u barrier.cluster.arrive.release;", predicate);
        break;
    }
    default:
        add_template(g, group, "", "barrier.cluster.arrive<|.release><|.aligned>");
        break;
    }
    for (uint32_t left = pick(g, 3); left; left--)
        add_arithmetic(g);
    add_template(g, group, "", "barrier.cluster.wait<|.acquire><|.aligned>");
}

/* Of the block at hand to that of rank %rk: %x0 becomes %pr and, generic, %pg. */
static void add_mapping(struct generator *g, uint32_t group)
{
    static const char *const questions[] = {"getctarank.shared::cluster.u32 $X, %pr",
                                            "getctarank.u64 $X, %pg",
                                            "isspacep.shared::cluster $p, %pg"};
    if (chance(g, 50))
        add_template(g, group, "",
                     "mapa.shared::cluster.u32 %%pr, %%x0, %%rk;cvt.u64.u32 %%pg, %%pr;"
                     "cvta.shared::cluster.u64 %%pg, %%pg");
    else
        add_template(g, group, "",
                     "cvt.u64.u32 %%pg, %%x0;cvta<.shared|.shared::cta>.u64 %%pg, %%pg;"
                     "mapa.u64 %%pg, %%pg, %%rk;cvta.to.shared::cluster.u64 %%y0, %%pg;"
                     "cvt.u32.u64 %%pr, %%y0");
    add_template(g, group, "", "%s", questions[pick(g, sizeof questions / sizeof *questions)]);
}

/* A row of its own for every thread of the cluster: that of thread %pi in the block of rank %rk. */
static void add_partner(struct generator *g, uint32_t group)
{
    uint32_t threads = program_block_threads(g->program);
    add_line(g, group, "mov.u32 %%rk, %%cluster_ctarank;");
    add_line(g, group, "add.u32 %%rk, %%rk, %u;", pick(g, program_cluster_blocks(g->program)));
    add_line(g, group, "rem.u32 %%rk, %%rk, %u;", program_cluster_blocks(g->program));
    add_line(g, group, "add.u32 %%pi, %%lin, %u;", pick(g, threads));
    add_line(g, group, "rem.u32 %%pi, %%pi, %u;", threads);
    add_line(g, group, "mad.lo.u32 %%x0, %%pi, %d, %%sbase;", ROW_BYTES);
    add_mapping(g, group);
}

/* Any row of the cluster. */
static void add_any_row(struct generator *g, uint32_t group)
{
    add_template(g, group, "",
                 "rem.u32 %%rk, $x, %u;rem.u32 %%x0, $x, %u;mad.lo.u32 %%x0, %%x0, %d, %%sbase",
                 program_cluster_blocks(g->program), program_block_threads(g->program), ROW_BYTES);
    add_mapping(g, group);
}

/* The words of any block. */
static void add_cluster_words(struct generator *g, uint32_t group)
{
    static const struct words words = {".shared::cluster", "%pw"};
    add_template(g, group, "",
                 "rem.u32 %%rk, $x, %u;mapa.shared::cluster.u32 %%pw, <shared_words|%%sw>, %%rk",
                 program_cluster_blocks(g->program));
    add_word_atomic(g, group, &words, 1);
}

static void add_accesses(struct generator *g, uint32_t group)
{
    bool reads = chance(g, 40);
    reads ? add_any_row(g, group) : add_partner(g, group);
    for (uint32_t left = 1 + pick(g, ACCESSES_MAX); left; left--) {
        bool generic = chance(g, 40);
        const char *space = generic ? "" : ".shared::cluster", *row = generic ? "%pg" : "%pr";
        if (chance(g, 30))
            add_cluster_words(g, group);
        else if (!reads && chance(g, 40))
            add_row_atomic(g, group, space, row);
        else
            add_row_access(g, group, space, row, reads || chance(g, 50));
    }
}

/* ---- messages -------------------------------------------------------------------------------- */

/* In each round a thread sends to the row of another one and arrives at its object as often as in the others; it waits at
 * its own object until all of the round has come. The quarters of a row take one message each, or the row one copy. */
enum { QUARTER_BYTES = 16, QUARTERS = ROW_BYTES / QUARTER_BYTES, ARRIVALS_MAX = 5 };

static void add_boxes(struct generator *g, uint32_t group, uint32_t count)
{
    add_template(g, group, "",
                 "mov.u32 %%mo, boxes;mad.lo.u32 %%mo, %%lin, 8, %%mo;"
                 "mbarrier.init<.shared::cta|.shared>.b64 [%%mo], %u;"
                 "<fence.mbarrier_init.release.cluster|fence.acq_rel.cluster>",
                 count);
}

/* The object of the partner: %po and, generic, %pv. */
static void add_partner_box(struct generator *g, uint32_t group)
{
    add_template(g, group, "",
                 "mov.u32 %%po, boxes;mad.lo.u32 %%po, %%pi, 8, %%po;"
                 "mapa.shared::cluster.u32 %%po, %%po, %%rk;"
                 "cvt.u64.u32 %%pv, %%po;cvta.shared::cluster.u64 %%pv, %%pv");
}

/* Returns the bytes of which the object is told. */
static uint32_t add_send(struct generator *g, uint32_t group, uint32_t quarter)
{
    static const struct {
        const char *stores, *values;
        uint32_t bytes;
    } sends[] = {
        {"st.async<|.weak>%s.mbarrier::complete_tx::bytes{b32 u32 s32 f32}", "$s", 4},
        {"st.async<|.weak>%s.mbarrier::complete_tx::bytes{b64 u64 s64 f64}", "$s", 8},
        {"st.async%s.mbarrier::complete_tx::bytes.v2{b32 u32 s32 f32}", "{$r, $r}", 8},
        {"st.async%s.mbarrier::complete_tx::bytes.v2{b64 u64 s64 f64}", "{$r, $r}", 16},
        {"st.async%s.mbarrier::complete_tx::bytes.v4{b32 u32 s32 f32}", "{$r, $r, $r, $r}", 16},
        {"red.async.relaxed.cluster%s.mbarrier::complete_tx::bytes<.add|.min|.max>{u32 s32}", "$s",
         4},
        {"red.async.relaxed.cluster%s.mbarrier::complete_tx::bytes<.inc|.dec>{u32}", "$s", 4},
        {"red.async.relaxed.cluster%s.mbarrier::complete_tx::bytes<.and|.or|.xor>{b32}", "$s", 4},
        {"red.async.relaxed.cluster%s.mbarrier::complete_tx::bytes.add{u64}", "$s", 8},
    };
    uint32_t at = pick(g, sizeof sends / sizeof *sends), bytes = sends[at].bytes;
    bool generic = chance(g, 30);
    struct strbuf text = {0};
    strbuf_printf(&text, sends[at].stores, generic ? "" : ".shared::cluster");
    add_template(g, group, "", "%s [%s+%u], %s, [%s]", text.data, generic ? "%pg" : "%pr",
                 QUARTER_BYTES * quarter + bytes * pick(g, QUARTER_BYTES / bytes), sends[at].values,
                 generic ? "%pv" : "%po");
    strbuf_clear(&text);
    return bytes;
}

/* On the object of another thread, of its own block or not. */
static void add_arrivals(struct generator *g, uint32_t group, uint32_t count)
{
    while (count) {
        uint32_t some = 1 + pick(g, count);
        if (some == 1 && chance(g, 50))
            add_template(g, group, "",
                         "and.b32 %%x0, $x, 4095;"
                         "mbarrier.arrive.expect_tx<|.release.cluster>.shared::cluster.b64 _, "
                         "[%%po], %%x0;"
                         "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%%po], %%x0");
        else
            add_template(g, group, "",
                         "mbarrier.arrive<|.release.cluster>.shared::cluster.b64 _, [%%po], %u",
                         some);
        count -= some;
    }
}

static void add_box_wait(struct generator *g, uint32_t group, uint32_t round)
{
    uint32_t label = g->labels++;
    add_line(g, group, "BOX%u:", label);
    if (chance(g, 50))
        add_template(g, group, "",
                     "mbarrier.<test_wait|try_wait><|.acquire.cluster>.shared::cta.b64 %%q1, "
                     "[%%mo], %%ms");
    else
        add_template(g, group, "",
                     "mbarrier.<test_wait|try_wait>.parity<|.acquire.cluster>.shared::cta.b64 "
                     "%%q1, [%%mo], %u",
                     round % 2);
    add_line(g, group, "@!%%q1 bra BOX%u;", label);
}

static void expect_bytes(struct generator *g, uint32_t group, uint32_t bytes)
{
    add_line(g, group, "mov.u32 %%mx, %u;", bytes);
}

static void add_sends(struct generator *g, uint32_t group)
{
    uint32_t bytes = 0, first = pick(g, QUARTERS), sends = 1 + pick(g, QUARTERS);
    for (uint32_t i = 0; i < sends; i++)
        bytes += add_send(g, group, (first + i) % QUARTERS);
    expect_bytes(g, group, bytes);
}

static void add_partner_copy(struct generator *g, uint32_t group)
{
    struct counted_copy copy = random_counted_copy(g);
    add_counted_copy(g, group, &copy, "%pr", "%po");
    expect_bytes(g, group, copy.span.bytes);
}

/* Of one block of the cluster to some: the rows and objects of the same threads there. */
static void add_multicast(struct generator *g, uint32_t group)
{
    uint32_t blocks = program_cluster_blocks(g->program);
    uint32_t mask = 1 + pick(g, (1u << blocks) - 1);
    struct span span = random_span(g, false);
    add_line(g, group, "mov.u32 %%x0, %%cluster_ctarank;");
    add_line(g, group, "setp.eq.u32 %%q0, %%x0, %u;", pick(g, blocks));
    add_line(g, group, "shr.u32 %%x0, %u, %%x0;", mask);
    add_line(g, group, "and.b32 %%x0, %%x0, 1;");
    add_line(g, group, "mul.lo.u32 %%mx, %%x0, %u;", span.bytes);
    add_line(g, group, "mov.u16 %%mm, %u;", mask);
    add_line(g, group,
             "@%%q0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
             ".multicast::cluster [%%sh+%u], [%%row+%u], %u, [%%mo], %%mm;",
             span.to, span.from, span.bytes);
}

static void add_round(struct generator *g, uint32_t group, uint32_t round, uint32_t arrivals)
{
    static void (*const kinds[])(struct generator *, uint32_t) = {add_sends, add_sends,
                                                                  add_partner_copy, add_multicast};
    bool arrives_late = chance(g, 50);
    if (!arrives_late) add_arrivals(g, group, arrivals);
    kinds[pick(g, sizeof kinds / sizeof *kinds)](g, group);
    add_template(g, group, "",
                 "mbarrier.arrive.expect_tx<|.release.cta|.release.cluster|.relaxed.cluster>"
                 ".shared::cta.b64 %%ms, [%%mo], %%mx");
    if (arrives_late) add_arrivals(g, group, arrivals);
    add_box_wait(g, group, round);
    add_row_access(g, group, ".shared", "%sh", true);
    add_line(g, group, "fence.proxy.async;");
    add_cluster_barrier(g, group);
}

static void add_messages(struct generator *g, uint32_t group)
{
    uint32_t arrivals = pick(g, ARRIVALS_MAX), rounds = 1 + pick(g, 3);
    add_line(g, group, ".reg .b16 %%mm;");
    add_line(g, group, ".reg .b32 %%mo, %%mx, %%po;");
    add_line(g, group, ".reg .b64 %%ms, %%pv;");
    add_line(g, group, "fence.proxy.async;");
    add_boxes(g, group, 1 + arrivals);
    add_cluster_barrier(g, group);
    add_partner(g, group);
    add_partner_box(g, group);
    for (uint32_t round = 0; round < rounds; round++)
        add_round(g, group, round, arrivals);
    add_line(g, group, "mbarrier.inval.shared.b64 [%%mo];");
}

void add_cluster_phase(struct generator *g)
{
    uint32_t group = new_group(g);
    add_template(g, new_group(g), "",
                 "mov.u32 $X, %%<cluster_ctarank|cluster_nctarank|clusterid.x|clusterid.y|"
                 "nclusterid.x|nclusterid.y|cluster_ctaid.x|cluster_ctaid.y|cluster_ctaid.z|"
                 "cluster_nctaid.x|cluster_nctaid.y|cluster_nctaid.z>");
    add_line(g, group, "{ .reg .b32 %%rk, %%pi, %%pr, %%pw;");
    add_line(g, group, ".reg .b64 %%pg;");
    add_cluster_barrier(g, group);
    if (!g->has_exits) { /* a block may have ended: its memory with it */
        chance(g, 40) ? add_messages(g, group) : add_accesses(g, group);
        add_cluster_barrier(g, group);
    }
    add_line(g, group, "}");
}

void add_cluster_phases(struct generator *g)
{
    if (!has_cluster(g)) return;
    for (uint32_t left = 1 + pick(g, 4); left; left--)
        add_cluster_phase(g);
}
