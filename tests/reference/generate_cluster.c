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

/* A row of its own for every thread of the cluster. */
static void add_partner(struct generator *g, uint32_t group)
{
    uint32_t threads = program_block_threads(g->program);
    add_line(g, group, "mov.u32 %%rk, %%cluster_ctarank;");
    add_line(g, group, "add.u32 %%rk, %%rk, %u;", pick(g, program_cluster_blocks(g->program)));
    add_line(g, group, "rem.u32 %%rk, %%rk, %u;", program_cluster_blocks(g->program));
    add_line(g, group, "add.u32 %%x0, %%lin, %u;", pick(g, threads));
    add_line(g, group, "rem.u32 %%x0, %%x0, %u;", threads);
    add_line(g, group, "mad.lo.u32 %%x0, %%x0, %d, %%sbase;", ROW_BYTES);
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

void add_cluster_phase(struct generator *g)
{
    uint32_t group = new_group(g);
    add_template(g, new_group(g), "",
                 "mov.u32 $X, %%<cluster_ctarank|cluster_nctarank|clusterid.x|clusterid.y|"
                 "nclusterid.x|nclusterid.y|cluster_ctaid.x|cluster_ctaid.y|cluster_ctaid.z|"
                 "cluster_nctaid.x|cluster_nctaid.y|cluster_nctaid.z>");
    add_line(g, group, "{ .reg .b32 %%rk, %%pr, %%pw;");
    add_line(g, group, ".reg .b64 %%pg;");
    add_cluster_barrier(g, group);
    if (!g->has_exits) { /* a block may have ended: its memory with it */
        add_accesses(g, group);
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
