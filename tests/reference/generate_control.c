// SPDX-License-Identifier: Apache-2.0
/* Control flow: branches, loops, tables of branches, calls, and jumps out of all of them. */
#include "reference/generate_state.h"

static const char *predicate_sign(struct generator *g)
{
    return chance(g, 50) ? "!" : "";
}

/* Statements that not all threads reach together. Those inside may jump to the label behind. */
static void add_divergent(struct generator *g, uint32_t count, struct way_out way_out)
{
    bool uniform = g->uniform;
    g->uniform = false;
    g->ways_out[g->depth++] = way_out;
    add_statements(g, count);
    g->depth--;
    g->uniform = uniform;
}

/* Out of the construct around, or out of several at once. */
static void add_jump_out(struct generator *g)
{
    const struct way_out *way_out = &g->ways_out[pick(g, g->depth)];
    if (!way_out->prefix) return; /* all threads are together there */
    add_line(g, new_group(g), "@%s%%p%u bra %s%u;", predicate_sign(g), pick(g, PREDICATES),
             way_out->prefix, way_out->label);
}

static void add_if(struct generator *g)
{
    uint32_t group = new_group(g), label = g->labels++;
    bool has_else = chance(g, 60);
    struct way_out behind = {"END", label};
    add_line(g, group, "@%s%%p%u bra %s%u;", predicate_sign(g), pick(g, PREDICATES),
             has_else ? "ELSE" : "END", label);
    add_divergent(g, 1 + pick(g, 6), behind);
    if (has_else) {
        add_line(g, group, "bra END%u;", label);
        add_line(g, group, "ELSE%u:", label);
        add_divergent(g, 1 + pick(g, 6), behind);
    }
    add_line(g, group, "END%u:", label);
}

/* Up to four rounds; as many for each thread if the loop is uniform. */
static void add_loop(struct generator *g)
{
    uint32_t group = new_group(g), label = g->labels++, counter = g->counters++ % COUNTERS_MAX;
    bool same_for_all = chance(g, 50);
    if (same_for_all)
        add_line(g, group, "mov.u32 %%c%u, %u;", counter, pick(g, 3));
    else
        add_template(g, group, "", "and.b32 %%c%u, $x, 3", counter);
    add_line(g, group, "LOOP%u:", label);
    g->loops++;
    if (same_for_all && g->uniform) {
        g->ways_out[g->depth++] = (struct way_out){NULL, 0};
        add_statements(g, 1 + pick(g, 6));
        g->depth--;
    } else {
        /* break or continue */
        add_divergent(g, 1 + pick(g, 6), (struct way_out){chance(g, 50) ? "END" : "NEXT", label});
    }
    g->loops--;
    add_line(g, group, "NEXT%u:", label);
    add_line(g, group, "add.u32 %%c%u, %%c%u, 1;", counter, counter);
    add_line(g, group, "setp.lt.u32 %%q0, %%c%u, 4;", counter);
    add_line(g, group, "@%%q0 bra LOOP%u;", label);
    add_line(g, group, "END%u:", label);
}

static void add_indexed_branch(struct generator *g)
{
    uint32_t group = new_group(g), label = g->labels++, count = 2 + 2 * pick(g, 2);
    add_template(g, group, "", "and.b32 %%x0, $x, %u", count - 1);
    add_line(g, group, "TABLE%u: .branchtargets CASE%u_0, CASE%u_1%s", label, label, label,
             count == 2 ? ";" : ",");
    if (count == 4) add_line(g, group, "CASE%u_2, CASE%u_3;", label, label);
    add_line(g, group, "brx.idx %%x0, TABLE%u;", label);
    for (uint32_t i = 0; i < count; i++) {
        add_line(g, group, "CASE%u_%u:", label, i);
        add_divergent(g, 1 + pick(g, 3), (struct way_out){"END", label});
        if (i + 1 < count) add_line(g, group, "bra END%u;", label);
    }
    add_line(g, group, "END%u:", label);
}

static void add_call(struct generator *g)
{
    uint32_t callee = pick(g, g->functions);
    if (g->meeting_functions >> callee & 1 && !g->uniform) return;
    uint32_t group = new_group(g), label = g->labels++;
    bool indirect = chance(g, 30);
    add_line(g, group, "{ .param .b32 word; .param .b64 longer; .param .b32 result;");
    add_template(g, group, "", "st.param.b32 [word], $x;st.param.b64 [longer], $l");
    if (indirect) {
        add_line(g, group,
                 "PROTOTYPE%u: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);",
                 label);
        add_line(g, group, "mov.u64 %%y0, f%u;", callee);
        add_line(g, group, "call (result), %%y0, (word, longer), PROTOTYPE%u;", label);
    } else {
        add_line(g, group, "call (result), f%u, (word, longer);", callee);
    }
    add_template(g, group, "", "ld.param.b32 $X, [result]");
    add_line(g, group, "}");
}

/* Some threads leave; what needs a known number of threads, or every lane, is over then. */
static void add_exit(struct generator *g)
{
    add_template(g, new_group(g), "", "@$q <exit|ret>");
    g->full_warps = false;
    g->has_exits = true;
}

static void add_control(struct generator *g)
{
    switch (pick(g, 4)) {
    case 0:
        add_loop(g);
        break;
    case 1:
        add_indexed_branch(g);
        break;
    default:
        add_if(g);
        break;
    }
}

static void add_statement(struct generator *g)
{
    uint32_t kind = pick(g, 100);
    bool in_kernel = !g->in_function;
    if (in_kernel && g->uniform && has_cluster(g) && chance(g, 4))
        add_cluster_phase(g);
    else if (kind < 8 && g->depth < DEPTH_MAX)
        add_control(g);
    else if (kind < 9 && g->depth && !g->uniform)
        add_jump_out(g);
    else if (kind < 12 && g->functions)
        add_call(g);
    else if (kind < 14 && in_kernel)
        add_gather(g);
    else if (kind < 28)
        add_memory(g);
    else if (kind < 33 && in_kernel)
        add_atomic(g);
    else if (kind < 36 && in_kernel && g->uniform)
        add_exchange(g);
    else if (kind < 38 && in_kernel && g->uniform)
        add_barrier(g);
    else if (kind < 46 && in_kernel && g->uniform)
        add_collective(g);
    else if (kind < 47 && in_kernel && g->uniform && g->depth == 0)
        add_exit(g);
    else if (kind < 48)
        chance(g, 50) ? add_division_step(g) : add_wide_arithmetic(g);
    else
        add_arithmetic(g);
}

void add_statements(struct generator *g, uint32_t count)
{
    while (count--)
        add_statement(g);
}
