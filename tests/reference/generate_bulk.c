// SPDX-License-Identifier: Apache-2.0
/* Statements that move more than an access does: copies in bulk between rows of a thread, and matrices of a warp. They stand
 * behind all others, so that a seed's program begins as it did before there were any. */
#include "reference/generate_state.h"

enum { UNIT_BYTES = 16, HALF_ROW_BYTES = ROW_BYTES / 2 };

/* ---- copies ---------------------------------------------------------------------------------- */

struct span random_span(struct generator *g, bool within_row)
{
    uint32_t room = within_row ? HALF_ROW_BYTES : ROW_BYTES;
    struct span span = {.bytes = UNIT_BYTES * (1 + pick(g, room / UNIT_BYTES))};
    uint32_t places = (room - span.bytes) / UNIT_BYTES + 1;
    span.to = UNIT_BYTES * pick(g, places);
    span.from = UNIT_BYTES * pick(g, places);
    if (within_row) *(chance(g, 50) ? &span.to : &span.from) += HALF_ROW_BYTES;
    return span;
}

struct counted_copy random_counted_copy(struct generator *g)
{
    uint32_t form = pick(g, COPY_FORMS);
    return (struct counted_copy){.form = form, .span = random_span(g, form > COPY_OF_GLOBAL)};
}

void add_counted_copy(struct generator *g, uint32_t group, const struct counted_copy *copy,
                      const char *row, const char *object)
{
    static const char *const reductions[] = {"<.add|.min|.max>{u32 s32}", "<.inc|.dec>{u32}",
                                             "<.and|.or|.xor>{b32}", ".add{u64}"};
    const struct span *span = &copy->span;
    bool of_global = copy->form == COPY_OF_GLOBAL;
    if (copy->form == COPY_REDUCES)
        add_template(g, group, "",
                     "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
                     "%s [%s+%u], [%%sh+%u], %u, [%s]",
                     reductions[pick(g, sizeof reductions / sizeof *reductions)], row, span->to,
                     span->from, span->bytes, object);
    else
        add_line(g, group,
                 "cp.async.bulk.shared::cluster.%s.mbarrier::complete_tx::bytes [%s+%u], "
                 "[%s+%u], %u, [%s];",
                 of_global ? "global" : "shared::cta", row, span->to, of_global ? "%row" : "%sh",
                 span->from, span->bytes, object);
}

/* The thread waits for the end of the phase of its object. */
static void add_awaited_copy(struct generator *g, uint32_t group, uint32_t round)
{
    uint32_t label = g->labels++;
    struct counted_copy copy = random_counted_copy(g);
    add_line(g, group, "mbarrier.arrive.expect_tx.shared.b64 %%ms, [%%mo], %u;", copy.span.bytes);
    add_counted_copy(g, group, &copy, "%sh", "%mo");
    add_line(g, group, "COUNTED%u:", label);
    if (chance(g, 50))
        add_template(g, group, "", "mbarrier.<test_wait|try_wait>.shared.b64 %%q1, [%%mo], %%ms");
    else
        add_template(g, group, "",
                     "mbarrier.<test_wait|try_wait>.parity.shared.b64 %%q1, [%%mo], %u", round % 2);
    add_line(g, group, "@!%%q1 bra COUNTED%u;", label);
}

/* Into global memory: the thread waits for its groups. */
static void add_grouped_copy(struct generator *g, uint32_t group)
{
    static const char *const reductions[] = {
        "<.add|.min|.max>{u32 s32 u64}", "<.min|.max>{s64}", "<.inc|.dec>{u32}",
        "<.and|.or|.xor>{b32 b64}",      ".add{f64}",        "<.add|.min|.max>.noftz{f16 bf16}"};
    struct span span = random_span(g, false);
    if (chance(g, 50))
        add_line(g, group, "cp.async.bulk.global.shared::cta.bulk_group [%%row+%u], [%%sh+%u], %u;",
                 span.to, span.from, span.bytes);
    else
        add_template(
            g, group, "",
            "cp.reduce.async.bulk.global.shared::cta.bulk_group%s [%%row+%u], [%%sh+%u], %u",
            reductions[pick(g, sizeof reductions / sizeof *reductions)], span.to, span.from,
            span.bytes);
    add_line(g, group, "cp.async.bulk.commit_group;");
    add_line(g, group, "cp.async.bulk.wait_group 0;");
}

void add_bulk_copies(struct generator *g)
{
    const uint32_t *block = g->program->block;
    uint32_t group = new_group(g), round = 0;
    add_line(g, group, "{ .shared .align 8 .b64 counters[%u];", block[0] * block[1] * block[2]);
    add_line(g, group, ".reg .b32 %%mo;");
    add_line(g, group, ".reg .b64 %%ms;");
    add_line(g, group, "mov.u32 %%mo, counters;");
    add_line(g, group, "mad.lo.u32 %%mo, %%lin, 8, %%mo;");
    add_line(g, group, "mbarrier.init.shared.b64 [%%mo], 1;");
    for (uint32_t left = pick(g, 6); left; left--) {
        add_template(g, group, "", "st.shared.b32 [%%sh+%u], $x", 4 * pick(g, ROW_BYTES / 4));
        if (chance(g, 50))
            add_awaited_copy(g, group, round++);
        else
            add_grouped_copy(g, group);
    }
    add_line(g, group, "}");
}

/* ---- matrices -------------------------------------------------------------------------------- */

void add_matrix_moves(struct generator *g)
{
    static const char *const templates[] = {
        "ldmatrix.sync.aligned.m8n8.x1<|.trans>.shared.b16 {$X}, [%sh+<0|16|32|48>]",
        "ldmatrix.sync.aligned.m8n8.x2<|.trans>.shared::cta.b16 {$X, $X}, [%sh+<0|16|32|48>]",
        "ldmatrix.sync.aligned.m8n8.x4<|.trans>.b16 {$X, $X, $X, $X}, [%gsh+<0|16|32|48>]",
        "stmatrix.sync.aligned.m8n8.x1<|.trans>.b16 [%gsh+<0|16|32|48>], {$x}",
        "stmatrix.sync.aligned.m8n8.x2<|.trans>.shared.b16 [%sh+<0|16|32|48>], {$x, $x}",
        "stmatrix.sync.aligned.m8n8.x4<|.trans>.shared.b16 [%sh+<0|16|32|48>], {$x, $x, $x, $x}",
        "movmatrix.sync.aligned.m8n8.trans.b16 $X, $x",
    };
    if (!g->full_warps) return;
    for (uint32_t left = pick(g, 6); left; left--)
        add_template(g, new_group(g), "", "%s",
                     templates[pick(g, sizeof templates / sizeof *templates)]);
}
