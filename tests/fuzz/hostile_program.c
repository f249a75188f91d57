// SPDX-License-Identifier: Apache-2.0
#include "hostile_program.h"

#include <inttypes.h>
#include <stdio.h>

#include "hostile_writer.h"

/* ---- parameters and calls -------------------------------------------------------------------- */

/* index -1: without a name, as in prototypes. */
static void put_parameter(struct writer *w, const struct parameter *p, const char *name, int index)
{
    if (p->is_block)
        put(w, ".param .align %u .b8 ", p->alignment);
    else
        put(w, ".param .b%u ", 8 * p->bytes);
    if (index < 0)
        put(w, "_");
    else
        put(w, "%s%d", name, index);
    if (p->is_block) put(w, "[%u]", p->bytes);
}

static void make_parameter(struct writer *w, struct parameter *p)
{
    p->is_block = below(w, 3) == 0;
    p->alignment = 1u << below(w, 5);
    p->bytes = p->is_block ? 1 + take(w) + (below(w, 16) ? 0 : 60000) : 1u << below(w, 4);
}

static void make_signature(struct writer *w, struct signature *s)
{
    *s = (struct signature){.count = below(w, PARAMETERS_MAX + 1), .has_result = below(w, 2)};
    make_parameter(w, &s->result);
    for (unsigned i = 0; i < s->count; i++)
        make_parameter(w, &s->parameters[i]);
}

static void put_list(struct writer *w, const struct signature *s, const char *name, bool named)
{
    put(w, "(");
    for (unsigned i = 0; i < s->count; i++) {
        if (i) put(w, ", ");
        put_parameter(w, &s->parameters[i], name, named ? (int)i : -1);
    }
    put(w, ")");
}

/* An access to `name`, of `p`: at a whole place mostly, else at an odd one. */
static void use_parameter(struct writer *w, const struct parameter *p, const char *name, int index,
                          bool reads)
{
    unsigned width = 1u << below(w, 4), at = take(w);
    bool tame = below(w, 8) != 7;
    if (tame) {
        while (width > p->bytes || (p->is_block && width > p->alignment))
            width /= 2;
        at = at % (p->bytes - width + 1) / width * width;
    }
    char letter = width == 8 ? 'd' : width == 4 ? 'r' : 'h';
    if (reads)
        put(w, "ld.param.b%u %%%c%u, [%s%d+%u];\n", 8 * width, letter, below(w, HALVES), name,
            index, at);
    else
        put(w, "st.param.b%u [%s%d+%u], %%%c%u;\n", 8 * width, name, index, at, letter,
            below(w, HALVES));
}

static void call(struct writer *w)
{
    if (!w->function_count) return;
    unsigned callee = below(w, w->function_count), site = label(w);
    bool indirect = below(w, 3) == 0;
    struct signature made, *s = &w->functions[callee];
    if (below(w, 16) == 15) { /* another one than the callee's */
        make_signature(w, &made);
        s = &made;
    }
    put(w, "{\n");
    for (unsigned i = 0; i < s->count; i++) {
        char name[32];
        snprintf(name, sizeof name, "x%u_", site);
        put_parameter(w, &s->parameters[i], name, (int)i);
        put(w, ";\n");
        for (unsigned k = below(w, 3); k-- > 0;)
            use_parameter(w, &s->parameters[i], name, (int)i, false);
    }
    char result[32];
    snprintf(result, sizeof result, "y%u_", site);
    if (s->has_result) put_parameter(w, &s->result, result, 0), put(w, ";\n");
    if (indirect) {
        put(w, "mov.u64 %%a0, f%u;\n", callee);
        if (below(w, 8) == 7) put(w, "add.u64 %%a0, %%a0, %%d%u;\n", below(w, LONGS));
        put(w, "proto%u: .callprototype ", site);
        if (s->has_result) put(w, "("), put_parameter(w, &s->result, "", -1), put(w, ") ");
        put(w, "_ ");
        put_list(w, s, "", false);
        put(w, ";\n");
    }
    guard(w);
    put(w, "call ");
    if (s->has_result) put(w, "(%s0), ", result);
    if (indirect)
        put(w, "%%a0");
    else
        put(w, "f%u", callee);
    put(w, ", (");
    for (unsigned i = 0; i < s->count; i++)
        put(w, "%sx%u_%u", i ? ", " : "", site, i);
    put(w, ")");
    if (indirect) put(w, ", proto%u", site);
    put(w, ";\n");
    if (s->has_result) use_parameter(w, &s->result, result, 0, true);
    put(w, "}\n");
}

/* The frame of the function itself, or the kernel's block. */
static void own_parameters(struct writer *w)
{
    if (below(w, 3) == 0) { /* by a number in a register */
        unsigned width = 8u << below(w, 4);
        char letter = width == 64 ? 'd' : width == 32 ? 'r' : 'h';
        put(w, "mov.u64 %%a0, %" PRIu64 ";\n", odd_number(w));
        if (w->inside < 0 || below(w, 2))
            put(w, "ld.param.b%u %%%c%u, [%%a0+%u];\n", width, letter, below(w, HALVES), take(w));
        else
            put(w, "st.param.b%u [%%a0+%u], %%%c%u;\n", width, take(w), letter, below(w, HALVES));
        return;
    }
    if (w->inside < 0) {
        static const struct parameter block = {48, 16, true};
        use_parameter(w, &block, "b", 0, true);
        return;
    }
    const struct signature *s = &w->functions[w->inside];
    if (s->has_result && below(w, 2))
        use_parameter(w, &s->result, "r", 0, below(w, 4) == 0);
    else if (s->count) {
        unsigned i = below(w, s->count);
        use_parameter(w, &s->parameters[i], "q", (int)i, true);
    }
}

/* malloc, free, printf and assert, with what they should not get. */
static void device_runtime(struct writer *w)
{
    struct place place;
    switch (below(w, 4)) {
    case 0:
        put(w,
            "{\n.param .b64 n; .param .b64 m;\nst.param.b64 [n], %%d%u;\n"
            "call (m), malloc, (n);\nld.param.b64 %%d%u, [m];\n}\n",
            below(w, LONGS), below(w, LONGS));
        break;
    case 1:
        put(w, "{\n.param .b64 n;\nst.param.b64 [n], %%d%u;\ncall free, (n);\n}\n",
            below(w, LONGS));
        break;
    default:
        place = base_address(w, true);
        if (place.space != GENERIC && place.space != GLOBAL)
            put(w, "cvta%s.u64 %%a0, %%a0;\n", hostile_spaces[place.space]);
        put(w, "mov.u64 %%a4, %%a0;\n");
        if (below(w, 2)) put(w, "mov.u64 %%a4, format;\ncvta.global.u64 %%a4, %%a4;\n");
        put(w, "add.u64 %%a4, %%a4, %" PRIu64 ";\n",
            odd_number(w) & (below(w, 2) ? 0 : ~UINT64_C(0)));
        guard(w);
        put(w,
            "bra T%u;\n{\n.param .b64 n; .param .b64 m; .param .b32 o;\n"
            "st.param.b64 [n], %%a4;\nst.param.b64 [m], %%a0;\n"
            "call (o), vprintf, (n, m);\n}\nT%u:\n",
            w->labels, w->labels);
        w->labels++;
        break;
    }
}

static void stack(struct writer *w)
{
    put(w, "and.b64 %%a0, %%d%u, %u;\nalloca.u64 %%a0, %%a0, %u;\n", below(w, LONGS),
        below(w, 8) ? 255 : 0x7fffffff, 1u << below(w, 6));
    if (below(w, 2)) put(w, "st.local.b32 [%%a0+%u], %%r%u;\n", 4 * below(w, 80), below(w, WORDS));
}

/* ---- control flow ---------------------------------------------------------------------------- */

static void statements(struct writer *w, unsigned count);

static void branch(struct writer *w)
{
    unsigned other = label(w), end = label(w);
    put(w, "@%%p%u bra L%u;\n", below(w, PREDICATES), other);
    statements(w, 1 + below(w, 4));
    put(w, "bra L%u;\nL%u:\n", end, other);
    statements(w, 1 + below(w, 4));
    put(w, "L%u:\n", end);
}

static void loop(struct writer *w)
{
    unsigned again = label(w), counter = w->depth;
    put(w, "mov.u32 %%n%u, %u;\nL%u:\n", counter, 1 + below(w, 5), again);
    statements(w, 1 + below(w, 4));
    put(w, "sub.u32 %%n%u, %%n%u, 1;\nsetp.gt.s32 %%pn, %%n%u, 0;\n@%%pn bra L%u;\n", counter,
        counter, counter, again);
}

static void table_branch(struct writer *w)
{
    unsigned first = label(w), second = label(w), end = label(w);
    put(w, "T%u: .branchtargets L%u, L%u, L%u;\n", end, first, second, end);
    if (below(w, 8)) put(w, "and.b32 %%r0, %%r0, 1;\n");
    put(w, "brx.idx %%r0, T%u;\nL%u:\n", end, first);
    statements(w, 1 + below(w, 3));
    put(w, "L%u:\n", second);
    statements(w, 1 + below(w, 3));
    put(w, "L%u:\n", end);
}

/* As many registers as a byte says, all of them alive until they are summed up. */
static void many_registers(struct writer *w)
{
    if (w->many || w->depth > 1) return;
    w->many = 1 + take(w) * (below(w, 8) == 7 ? 8 : 1);
    put(w, "{\n.reg .b64 %%m<%u>;\nmov.u64 %%m0, %%lane;\n", w->many + 1);
    for (unsigned i = 1; i <= w->many; i++)
        put(w, "add.u64 %%m%u, %%m%u, %u;\n", i, i - 1, i);
    statements(w, 2);
    for (unsigned i = 1; i <= w->many; i++)
        put(w, "xor.b64 %%d0, %%d0, %%m%u;\n", i);
    put(w, "}\n");
}

static void statement(struct writer *w)
{
    unsigned kind = below(w, 32);
    if (w->depth > 3 && kind >= 26) kind -= 20;
    switch (kind) {
    case 26:
    case 27:
        branch(w);
        break;
    case 28:
        loop(w);
        break;
    case 29:
        table_branch(w);
        break;
    case 30:
        many_registers(w);
        break;
    case 31:
        guard(w);
        put(w, w->inside < 0 ? "exit;\n" : "ret;\n");
        break;
    case 22:
    case 23:
        atomic(w);
        break;
    case 24:
        together(w);
        break;
    case 25:
        device_runtime(w);
        break;
    case 19:
    case 20:
        call(w);
        break;
    case 21:
        own_parameters(w);
        break;
    case 18:
        stack(w);
        break;
    default:
        if (kind < 8)
            arithmetic(w);
        else
            load_or_store(w);
        break;
    }
}

/* Beyond half of the text nothing more begins, so that what has begun can end. */
static void statements(struct writer *w, unsigned count)
{
    w->depth++;
    for (; count > 0 && w->left && w->length < HOSTILE_TEXT_BYTES / 2; count--)
        statement(w);
    w->depth--;
}

/* ---- the program ----------------------------------------------------------------------------- */

static void put_registers(struct writer *w)
{
    put(w, "{\n.reg .b16 %%h<%u>;\n.reg .b32 %%r<%u>;\n.reg .b64 %%d<%u>;\n", HALVES, WORDS, LONGS);
    put(w, ".reg .pred %%p<%u>;\n.reg .pred %%pn;\n.reg .b32 %%n<8>;\n.reg .b64 %%a<6>;\n",
        PREDICATES);
    put(w, ".reg .b32 %%t;\n.reg .b64 %%lane;\n.local .align 16 .b8 l0[%u];\n", w->local_bytes);
    put(w, "mov.u32 %%t, %%tid.x;\ncvt.u64.u32 %%lane, %%t;\n");
    put(w, "setp.lt.u32 %%p0, %%t, 16;\nand.b32 %%r0, %%t, 1;\nsetp.eq.u32 %%p1, %%r0, 0;\n");
    unsigned seed = take(w);
    for (unsigned i = 0; i < WORDS; i++)
        put(w, "mad.lo.u32 %%r%u, %%t, %u, %u;\n", i, (seed >> i % 8 & 3) * i, seed * i & 0xff);
    for (unsigned i = 0; i < LONGS; i++)
        put(w, "mul.wide.u32 %%d%u, %%r%u, %u;\n", i, i % WORDS, 1 + i);
    for (unsigned i = 0; i < HALVES; i++)
        put(w, "cvt.u16.u32 %%h%u, %%r%u;\n", i, i);
    for (unsigned i = 2; i < PREDICATES; i++)
        put(w, "setp.gt.u32 %%p%u, %%t, %u;\n", i, (seed + 7 * i) & 63);
}

static void put_function(struct writer *w, unsigned index)
{
    const struct signature *s = &w->functions[index];
    put(w, ".func ");
    if (s->has_result) put(w, "("), put_parameter(w, &s->result, "r", 0), put(w, ") ");
    put(w, "f%u", index);
    put_list(w, s, "q", true);
    put(w, "\n");
    w->inside = (int)index;
    w->function_count = index + 1; /* of those before, and itself */
    /* What is written afterwards gets most of the bytes. */
    size_t kept = w->left - w->left / 4;
    w->left -= kept;
    put_registers(w);
    statements(w, 2 + below(w, 8));
    put(w, "ret;\n}\n");
    w->left += kept;
}

static void put_head(struct writer *w)
{
    put(w, ".version 8.7\n.target sm_90\n.address_size 64\n"
           ".extern .func (.param .b32 o) vprintf(.param .b64 a, .param .b64 b);\n"
           ".extern .func (.param .b64 o) malloc(.param .b64 a);\n"
           ".extern .func free(.param .b64 a);\n"
           ".global .align 1 .b8 format[16] = {37, 100, 32, 37, 115, 37, 108, 108, 120, 37, 42, "
           "102};\n"
           ".extern .shared .align 16 .b8 dynamic[];\n");
    put(w, ".global .align 16 .b8 g0[%u] = {1};\n", w->global_bytes);
    put(w, ".const .align 16 .b8 c0[%u] = {2};\n", w->const_bytes);
    put(w, ".shared .align 16 .b8 s0[%u];\n", w->shared_bytes);
}

size_t hostile_write(const uint8_t *data, size_t size, char text[HOSTILE_TEXT_BYTES],
                     struct hostile_launch *launch)
{
    enum { BYTES_MAX = 4096 }; /* long programs are slow to decode and find no more */
    struct writer w = {.data = data, .left = size < BYTES_MAX ? size : BYTES_MAX, .text = text};
    unsigned shape = take(&w), functions = below(&w, FUNCTIONS_MAX);
    static const unsigned blocks[4] = {32, 40, 33, 96};
    *launch = (struct hostile_launch){.grid = 1 + (shape >> 2 & 1),
                                      .block = blocks[shape & 3],
                                      .shared_bytes = shape & 8 ? take(&w) : 0,
                                      .as_hardware = shape & 16,
                                      .traces = (shape & 0xe0) == 0xe0};
    launch->words[0] = odd_number(&w);
    launch->words[1] = take_word(&w);
    w.shared_bytes = 16 + take(&w);
    w.local_bytes = 16 + take(&w);
    w.global_bytes = 16 + take(&w);
    w.const_bytes = 16 + take(&w);
    put_head(&w);
    for (unsigned i = 0; i < functions; i++)
        make_signature(&w, &w.functions[i]);
    for (unsigned i = 0; i < functions; i++)
        put_function(&w, i);
    put(&w, ".visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3,\n"
            ".param .u64 p4, .param .align 16 .b8 b0[48])\n");
    w.inside = -1;
    w.many = 0;
    put_registers(&w);
    put(&w, "ld.param.u64 %%d1, [p3];\nld.param.u64 %%d2, [p4];\n");
    statements(&w, 200);
    put(&w, "ld.param.u64 %%a0, [p0];\nmad.wide.u32 %%a0, %%t, 4, %%a0;\nst.global.b32 [%%a0], "
            "%%r0;\n");
    put(&w, "ret;\n}\n");
    return w.length;
}
