// SPDX-License-Identifier: Apache-2.0
/* Statements with mbarrier objects: each thread has one of its own, whose counts are known here, so that no operation is
 * undefined; through another one all threads of a block wait for each other. */
#include "reference/generate_state.h"

enum { COUNT_MAX = 12, BYTES_MASK = 4095 };

/* What an object of a thread holds; bytes are outstanding within one statement only. */
struct counts {
    uint32_t group, pending, expected;
};

static const char *const spaces[] = {".shared.b64", ".shared::cta.b64", ".b64"};

/* A spelling of the space and its address. */
static const char *space_of(uint32_t space)
{
    return spaces[space];
}
static const char *address_of(uint32_t space)
{
    return space == 2 ? "%mg" : "%mo";
}

static void come(struct counts *counts, uint32_t count)
{
    counts->pending -= count;
    if (!counts->pending) counts->pending = counts->expected;
}

static void add_init(struct generator *g, struct counts *counts)
{
    uint32_t space = pick(g, 3);
    counts->pending = counts->expected = 1 + pick(g, COUNT_MAX);
    add_line(g, counts->group, "mbarrier.init%s [%s], %u;", space_of(space), address_of(space),
             counts->expected);
}

static void add_parity(struct generator *g, const struct counts *counts)
{
    uint32_t space = pick(g, 3);
    add_template(g, counts->group, "", "mbarrier.<test_wait|try_wait>.parity%s $p, [%s], <0|1>",
                 space_of(space), address_of(space));
}

static void add_arrival(struct generator *g, struct counts *counts)
{
    uint32_t space = pick(g, 3), count = 1 + pick(g, counts->pending);
    add_template(g, counts->group, "",
                 "mbarrier.arrive<|.release.cta|.relaxed.cluster>%s %%ms, [%s], %u;"
                 "mbarrier.<test_wait|try_wait>.shared.b64 $p, [%%mo], %%ms",
                 space_of(space), address_of(space), count);
    come(counts, count);
}

static void add_counted(struct generator *g, struct counts *counts)
{
    uint32_t space = pick(g, 3), drops = counts->expected > 1 ? pick(g, 2) : 0;
    uint32_t most =
        drops && counts->expected < counts->pending ? counts->expected : counts->pending;
    if (most < 2) return;
    uint32_t count = 1 + pick(g, most - 1);
    add_template(g, counts->group, "",
                 "mbarrier.%s.noComplete%s %%ms, [%s], %u;mbarrier.pending_count.b64 $X, %%ms",
                 drops ? "arrive_drop" : "arrive", space_of(space), address_of(space), count);
    if (drops) counts->expected -= count;
    come(counts, count);
}

static void add_drop(struct generator *g, struct counts *counts)
{
    if (counts->expected < 2) return;
    add_line(g, counts->group, "mbarrier.arrive_drop.shared.b64 _, [%%mo];");
    counts->expected--;
    come(counts, 1);
}

/* All come, and whether that ends the phase depends on a register. */
static void add_bytes(struct generator *g, struct counts *counts)
{
    add_template(g, counts->group, "", "and.b32 %%mc, $x, %d", BYTES_MASK);
    if (counts->pending > 1)
        add_line(g, counts->group, "mbarrier.arrive.noComplete.shared.b64 _, [%%mo], %u;",
                 counts->pending - 1);
    if (chance(g, 50)) {
        add_line(g, counts->group, "mbarrier.arrive.expect_tx.shared.b64 %%ms, [%%mo], %%mc;");
    } else {
        add_line(g, counts->group, "mbarrier.expect_tx.relaxed.cta.shared.b64 [%%mo], %%mc;");
        add_line(g, counts->group, "mbarrier.arrive.shared.b64 %%ms, [%%mo];");
    }
    add_template(g, counts->group, "",
                 "mbarrier.test_wait.shared.b64 $p, [%%mo], %%ms;"
                 "mbarrier.complete_tx.shared.b64 [%%mo], %%mc");
    counts->pending = counts->expected;
    add_parity(g, counts);
}

static void add_copies(struct generator *g, struct counts *counts)
{
    bool counts_itself = chance(g, 50);
    add_line(g, counts->group, "cp.async.mbarrier.arrive%s.shared.b64 [%%mo];",
             counts_itself ? "" : ".noinc");
    if (!counts_itself) come(counts, 1);
}

static void add_own_object(struct generator *g)
{
    static void (*const steps[])(struct generator *, struct counts *) = {
        add_arrival, add_counted, add_drop, add_bytes, add_copies};
    struct counts counts = {.group = new_group(g)};
    add_line(g, counts.group, "mov.u32 %%mo, objects;");
    add_line(g, counts.group, "mad.lo.u32 %%mo, %%lin, 8, %%mo;");
    add_line(g, counts.group, "cvt.u64.u32 %%mg, %%mo;");
    add_line(g, counts.group, "cvta.shared.u64 %%mg, %%mg;");
    add_init(g, &counts);
    for (uint32_t left = 4 + pick(g, 12); left; left--) {
        steps[pick(g, sizeof steps / sizeof *steps)](g, &counts);
        add_parity(g, &counts);
        if (chance(g, 5)) {
            add_line(g, counts.group, "mbarrier.inval.shared.b64 [%%mo];");
            add_init(g, &counts);
        }
    }
}

/* Values go through shared memory to other threads, behind a wait instead of a barrier. */
static void add_exchange_by_object(struct generator *g, uint32_t threads)
{
    uint32_t group = new_group(g), object = 8 * threads;
    add_line(g, group, "setp.eq.u32 %%q0, %%lin, %u;", pick(g, threads));
    add_line(g, group, "@%%q0 mbarrier.init.shared.b64 [objects+%u], %u;", object, threads);
    add_line(g, group, "bar.sync 0;");
    for (uint32_t round = pick(g, 3) + 1; round; round--) {
        uint32_t label = g->labels++, offset = 4 * pick(g, 4);
        add_template(g, group, "", "st.shared.b32 [%%sh+%u], $x", offset);
        add_line(g, group, "mbarrier.arrive.shared.b64 %%ms, [objects+%u];", object);
        add_line(g, group, "WAIT%u:", label);
        add_template(g, group, "",
                     "mbarrier.<test_wait|try_wait>.shared.b64 %%q1, [objects+%u], %%ms", object);
        add_line(g, group, "@!%%q1 bra WAIT%u;", label);
        add_line(g, group, "add.u32 %%x0, %%lin, %u;", pick(g, 70));
        add_line(g, group, "rem.u32 %%x0, %%x0, %u;", threads);
        add_line(g, group, "mad.lo.u32 %%x0, %%x0, %d, %%sbase;", ROW_BYTES);
        add_template(g, group, "", "ld.shared.b32 $X, [%%x0+%u]", offset);
        add_line(g, group, "bar.sync 0;");
    }
}

void add_mbarriers(struct generator *g)
{
    const uint32_t *block = g->program->block;
    uint32_t threads = block[0] * block[1] * block[2];
    add_line(g, 0, "{ .shared .align 8 .b64 objects[%u];", threads + 1);
    add_line(g, 0, ".reg .b32 %%mo, %%mc;");
    add_line(g, 0, ".reg .b64 %%mg, %%ms;");
    add_own_object(g);
    if (!g->has_exits) add_exchange_by_object(g, threads);
    add_line(g, 0, "}");
}
