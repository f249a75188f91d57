// SPDX-License-Identifier: Apache-2.0
#include "reference/race_program.h"

#include "base/strbuf.h"

enum { STATEMENTS_LEAST = 2, STATEMENTS_MORE = 7, HALF_WARP = 16, QUARTER_WARP = 7 };

struct maker {
    struct strbuf text;
    uint64_t random;
    unsigned statement;
};

static unsigned draw(struct maker *maker, unsigned below)
{
    maker->random = maker->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (unsigned)(maker->random >> 33) % below;
}

/* %p: which threads do it. */
static void add_guard(struct maker *maker)
{
    struct strbuf *out = &maker->text;
    switch (draw(maker, 7)) {
    case 0:
        strbuf_printf(out, "setp.eq.u32 %%p, %%tid, %u;\n", draw(maker, 4) * 21);
        break;
    case 1:
        strbuf_printf(out, "setp.lt.u32 %%p, %%tid, 32;\n");
        break;
    case 2:
        strbuf_printf(out, "setp.ge.u32 %%p, %%tid, 32;\n");
        break;
    case 3:
        strbuf_printf(out, "setp.eq.u32 %%p, %%bid, %u;\n", draw(maker, RACE_BLOCKS));
        break;
    case 4:
        strbuf_printf(out, "and.b32 %%t, %%tid, 31;\nsetp.lt.u32 %%p, %%t, %u;\n", HALF_WARP);
        break;
    default:
        strbuf_printf(out, "setp.ge.u32 %%p, %%tid, 0;\n");
        break;
    }
}

/* %a: a word of shared memory, of the block's part of global memory, or of the part of block 0. Returns the space. */
static const char *add_address(struct maker *maker)
{
    struct strbuf *out = &maker->text;
    bool is_shared = draw(maker, 2);
    switch (draw(maker, 6)) {
    case 0:
        strbuf_printf(out, "mov.u32 %%t, %u;\n", draw(maker, RACE_THREADS));
        break;
    case 1:
        strbuf_printf(out, "add.u32 %%t, %%tid, %u;\nand.b32 %%t, %%t, %u;\n",
                      1 + draw(maker, RACE_THREADS - 1), RACE_THREADS - 1);
        break;
    case 2:
        strbuf_printf(out, "xor.b32 %%t, %%tid, %u;\n", 1 + draw(maker, RACE_THREADS - 1));
        break;
    default:
        strbuf_printf(out, "mov.u32 %%t, %%tid;\n");
        break;
    }
    if (!is_shared && draw(maker, 3))
        strbuf_printf(out, "mad.lo.u32 %%t, %%bid, %u, %%t;\n", RACE_THREADS);
    strbuf_printf(out, "mul.wide.u32 %%a, %%t, 4;\nadd.u64 %%a, %%a, %s;\n",
                  is_shared ? "%shared" : "%data");
    return is_shared ? "shared" : "global";
}

static void add_store(struct maker *maker, const char *guard)
{
    const char *space = add_address(maker);
    strbuf_printf(
        &maker->text,
        "mad.lo.u32 %%v, %%bid, %u, %%tid;\nadd.u32 %%v, %%v, %u;\n%sst.%s.u32 [%%a], %%v;\n",
        RACE_THREADS, 1000 * (maker->statement + 1), guard, space);
}

static void add_load(struct maker *maker, const char *guard)
{
    const char *space = add_address(maker);
    strbuf_printf(&maker->text,
                  "mov.u32 %%v, 5;\n%sld.%s.u32 %%v, [%%a];\nmad.lo.u32 %%sum, %%sum, 3, %%v;\n",
                  guard, space);
}

static void add_atomic(struct maker *maker)
{
    const char *space = add_address(maker);
    strbuf_printf(&maker->text, "@%%p red.%s.add.u32 [%%a], %u;\n", space, 1 + draw(maker, 9));
}

/* Thread 0 of block 0 to thread 0 of block 1, with fences; barriers around it cover the whole blocks. */
static void add_message(struct maker *maker)
{
    struct strbuf *out = &maker->text;
    unsigned n = maker->statement;
    if (draw(maker, 4)) strbuf_printf(out, "bar.sync 0;\n");
    strbuf_printf(out, "setp.ne.u32 %%p, %%tid, 0;\n@%%p bra END%u;\nmembar.gl;\n", n);
    strbuf_printf(out, "setp.ne.u32 %%p, %%bid, 0;\n@%%p bra WAIT%u;\n", n);
    strbuf_printf(out, "st.volatile.global.u32 [%%flags+%u], 1;\nbra END%u;\n", 4 * n, n);
    strbuf_printf(out, "WAIT%u:\nld.volatile.global.u32 %%v, [%%flags+%u];\n", n, 4 * n);
    strbuf_printf(out, "setp.eq.u32 %%p, %%v, 0;\n@%%p bra WAIT%u;\nmembar.gl;\nEND%u:\n", n, n);
    if (draw(maker, 4)) strbuf_printf(out, "bar.sync 0;\n");
}

/* Some lanes write, the others read. */
static void add_branch(struct maker *maker)
{
    struct strbuf *out = &maker->text;
    unsigned n = maker->statement;
    strbuf_printf(out, "and.b32 %%t, %%tid, 31;\nsetp.lt.u32 %%p, %%t, %u;\n@%%p bra ELSE%u;\n",
                  draw(maker, 2) ? HALF_WARP : QUARTER_WARP, n);
    add_store(maker, "");
    strbuf_printf(out, "bra END%u;\nELSE%u:\n", n, n);
    add_load(maker, "");
    strbuf_printf(out, "END%u:\n", n);
}

static void add_statement(struct maker *maker)
{
    unsigned kind = draw(maker, 12);
    if (kind < 7) add_guard(maker);
    if (kind < 3)
        add_store(maker, "@%p ");
    else if (kind < 6)
        add_load(maker, "@%p ");
    else if (kind < 7)
        add_atomic(maker);
    else if (kind < 9)
        strbuf_printf(&maker->text, "bar.sync 0;\n");
    else if (kind < 10)
        strbuf_printf(&maker->text, "bar.warp.sync -1;\n");
    else if (kind < 11)
        add_message(maker);
    else
        add_branch(maker);
}

char *race_program(uint64_t seed)
{
    struct maker maker = {.random = seed};
    struct strbuf *out = &maker.text;
    strbuf_printf(out,
                  ".version 7.0\n.target sm_75\n.address_size 64\n"
                  ".visible .entry k(.param .u64 a, .param .u64 b)\n{\n"
                  ".reg .pred %%p;\n.reg .u32 %%tid, %%bid, %%t, %%v, %%sum;\n"
                  ".reg .u64 %%data, %%flags, %%shared, %%a;\n.shared .align 4 .b8 s[%u];\n"
                  "ld.param.u64 %%data, [a];\nld.param.u64 %%flags, [b];\nmov.u64 %%shared, s;\n"
                  "mov.u32 %%tid, %%tid.x;\nmov.u32 %%bid, %%ctaid.x;\nmov.u32 %%sum, 1;\n",
                  4 * RACE_THREADS);
    if (draw(&maker, 3))
        strbuf_printf(out, "mul.wide.u32 %%a, %%tid, 4;\nadd.u64 %%a, %%a, %%shared;\n"
                           "st.shared.u32 [%%a], %%tid;\nbar.sync 0;\n");
    unsigned count = STATEMENTS_LEAST + draw(&maker, STATEMENTS_MORE);
    for (; maker.statement < count; maker.statement++)
        add_statement(&maker);
    strbuf_printf(out, "bar.sync 0;\nmul.wide.u32 %%a, %%tid, 4;\nadd.u64 %%a, %%a, %%shared;\n"
                       "ld.shared.u32 %%v, [%%a];\n");
    strbuf_printf(
        out,
        "mad.lo.u32 %%t, %%bid, %u, %%tid;\nmul.wide.u32 %%a, %%t, 8;\n"
        "add.u64 %%a, %%a, %%flags;\nst.global.v2.u32 [%%a+1024], {%%sum, %%v};\nret;\n}\n",
        RACE_THREADS);
    return strbuf_take(out);
}
