// SPDX-License-Identifier: Apache-2.0
/* Kernels of chains (arithmetic.h). */
#include <math.h>
#include <string.h>

#include "calibrate/arithmetic.h"

/* Registers: operands in 80 to 83 (those of the next group from 84 on), chains from 0 on. */
enum { OPERANDS = 80, SCRATCH = 92, TRUE_PREDICATE = 8, WARP_BYTES = 128 };

static void put_operand(struct kernel_writer *writer, const struct operation *operation,
                        unsigned base, char letter)
{
    if (letter == 'P' || letter == 'Q')
        put(writer, "%%p%u", TRUE_PREDICATE + (letter == 'Q'));
    else
        put(writer, "%%%c%u", operation->state == STATE_LONG ? 'g' : 'r', base + (letter == 'B'));
}

static void put_state(struct kernel_writer *writer, const struct operation *operation,
                      unsigned chain, unsigned which)
{
    if (operation->state == STATE_BIT)
        put(writer, "%%p%u", chain);
    else
        put(writer, "%%%c%u", operation->state == STATE_LONG ? 'g' : 'r', 2 * chain + which);
}

static void put_step(struct kernel_writer *writer, const struct operation *operation,
                     unsigned chain, unsigned base, bool is_odd)
{
    put(writer, "    ");
    for (const char *at = is_odd && operation->odd ? operation->odd : operation->even; *at; at++) {
        if (*at != '$')
            fputc(*at, writer->out);
        else if (*++at == '0' || *at == '1')
            put_state(writer, operation, chain, (unsigned)(*at - '0'));
        else
            put_operand(writer, operation, base, *at);
    }
    put(writer, "\n");
}

/* A word that is `value` in all lanes, which the compiler does not know; `salt` makes the expression another. */
static void put_word(struct kernel_writer *writer, unsigned to, unsigned salt, const char *value)
{
    put(writer, "    add.u32 %%r%u, %%lane, %u;\n    mad.lo.u32 %%r%u, %%r%u, %%c, %s;\n", SCRATCH,
        salt, to, SCRATCH, value);
}

static void put_start(struct kernel_writer *writer, const struct operation *operation,
                      unsigned chain, const char *start)
{
    put_word(writer, 2 * chain, chain, start);
    put_word(writer, 2 * chain + 1, chain + 64, start);
    if (operation->state == STATE_LONG)
        put(writer, "    mov.b64 %%g%u, {%%r%u, %%r%u};\n", 2 * chain, OPERANDS + 2, 2 * chain);
    if (operation->state == STATE_BIT)
        put(writer, "    setp.ne.u32 %%p%u, %%r%u, 0;\n", chain, 2 * chain);
}

static void put_operands(struct kernel_writer *writer, unsigned base, const char *a, const char *b)
{
    put_word(writer, base, 128, a);
    put_word(writer, base + 1, 192, b);
    put_word(writer, base + 2, 256, "0");
    put(writer,
        "    mov.b64 %%g%u, {%%r%u, %%r%u};\n    mov.b64 %%g%u, {%%r%u, %%r%u};\n"
        "    setp.ne.u32 %%p%u, %%r%u, 1;\n    setp.ne.u32 %%p%u, %%r%u, 2;\n",
        base, base + 2, base, base + 1, base + 2, base + 1, TRUE_PREDICATE, base + 2,
        TRUE_PREDICATE + 1, base + 2);
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* 1 if the value in %f0 is within a fiftieth of what it should be. */
static void put_rough(struct kernel_writer *writer, const struct operation *operation,
                      unsigned steps)
{
    float wanted = operation_comes_to(operation, steps);
    put(writer,
        "    sub.f32 %%f1, %%f0, 0f%08x;\n    abs.f32 %%f1, %%f1;\n"
        "    setp.le.f32 %%p15, %%f1, 0f%08x;\n    selp.u32 %%r%u, 1, 0, %%p15;\n",
        bits_of(wanted), bits_of(fabsf(wanted) / 50), SCRATCH);
}

static void put_result(struct kernel_writer *writer, const struct operation *operation,
                       unsigned chain, unsigned steps)
{
    if (operation->is_rough) {
        put(writer, "    mov.b32 %%f0, %%r%u;\n", 2 * chain);
        put_rough(writer, operation, steps);
    } else if (operation->state == STATE_LONG) {
        put(writer, "    mov.b64 {%%r%u, %%r%u}, %%g%u;\n    add.u32 %%r%u, %%r%u, %%r%u;\n",
            SCRATCH, SCRATCH + 1, 2 * chain, SCRATCH, SCRATCH, SCRATCH + 1);
    } else if (operation->state == STATE_BIT) {
        put(writer, "    selp.u32 %%r%u, 1, 0, %%p%u;\n", SCRATCH, chain);
    } else {
        put(writer, "    add.u32 %%result, %%result, %%r%u;\n", 2 * chain);
        if (operation->state != STATE_PAIR) return;
        put(writer, "    mov.b32 %%r%u, %%r%u;\n", SCRATCH, 2 * chain + 1);
    }
    put(writer, "    add.u32 %%result, %%result, %%r%u;\n", SCRATCH);
}

/* Words that hold their own addresses: a load leads to itself. */
static void put_address(struct kernel_writer *writer, unsigned chain)
{
    put_word(writer, 2 * chain, chain, "0");
    put(writer,
        "    mov.u32 %%r%u, smem;\n    mad.lo.u32 %%r%u, %%lane, 4, %%r%u;\n"
        "    add.u32 %%r%u, %%r%u, %%r%u;\n    st.shared.u32 [%%r%u], %%r%u;\n",
        SCRATCH, SCRATCH, SCRATCH, 2 * chain, 2 * chain, SCRATCH, 2 * chain, 2 * chain);
}

static void put_begin(struct kernel_writer *writer, const struct chains *chains)
{
    unsigned chain = 0;
    for (unsigned i = 0; i < CHAIN_GROUPS && chains->groups[i].operation; i++) {
        const struct operation *operation = chains->groups[i].operation;
        char words[3][16] = {"%a", "%b", "%d"};
        if (i > 0) {
            snprintf(words[0], sizeof *words, "%u", operation->start);
            snprintf(words[1], sizeof *words, "%u", operation->a);
            snprintf(words[2], sizeof *words, "%u", operation->b);
        }
        put_operands(writer, OPERANDS + 4 * i, words[1], words[2]);
        for (unsigned k = 0; k < chains->groups[i].count; k++)
            put_start(writer, operation, chain++, words[0]);
    }
    for (unsigned i = 0; i < chains->loads; i++)
        put_address(writer, chain++);
}

static unsigned most_chains(const struct chains *chains)
{
    unsigned most = chains->loads;
    for (unsigned i = 0; i < CHAIN_GROUPS && chains->groups[i].operation; i++)
        if (chains->groups[i].count > most) most = chains->groups[i].count;
    return most;
}

/* A step: one chain of each group, then the next of each. */
static void put_turn(struct kernel_writer *writer, const struct chains *chains, unsigned at,
                     bool is_odd)
{
    unsigned first = 0;
    for (unsigned i = 0; i < CHAIN_GROUPS && chains->groups[i].operation; i++) {
        if (at < chains->groups[i].count)
            put_step(writer, chains->groups[i].operation, first + at, OPERANDS + 4 * i, is_odd);
        first += chains->groups[i].count;
    }
    if (at < chains->loads)
        put(writer, "    ld.shared.u32 %%r%u, [%%r%u];\n", 2 * (first + at), 2 * (first + at));
}

static void put_results(struct kernel_writer *writer, const struct chains *chains)
{
    unsigned chain = 0;
    put(writer, "    mov.b32 %%result, 0;\n");
    for (unsigned i = 0; i < CHAIN_GROUPS && chains->groups[i].operation; i++)
        for (unsigned k = 0; k < chains->groups[i].count; k++)
            put_result(writer, chains->groups[i].operation, chain++, chains->steps);
    for (unsigned i = 0; i < chains->loads; i++, chain++)
        put(writer,
            "    mov.u32 %%r%u, smem;\n    mad.lo.u32 %%r%u, %%lane, 4, %%r%u;\n"
            "    sub.u32 %%r%u, %%r%u, %%r%u;\n    add.u32 %%result, %%result, %%r%u;\n",
            SCRATCH, SCRATCH, SCRATCH, SCRATCH, 2 * chain, SCRATCH, SCRATCH);
}

unsigned chains_kernel(struct plan *plan, const struct chains *chains)
{
    struct kernel_writer writer;
    char name[64];
    int length = snprintf(name, sizeof name, "chains_%u", chains->steps);
    for (unsigned i = 0; i < CHAIN_GROUPS && chains->groups[i].operation; i++)
        length +=
            snprintf(name + length, sizeof name - (size_t)length, "_%u", chains->groups[i].count);
    if (chains->loads) snprintf(name + length, sizeof name - (size_t)length, "_l%u", chains->loads);
    kernel_begin(&writer, plan->gpu, name, chains->loads ? WARP_BYTES : 0);
    put_begin(&writer, chains);
    kernel_clock(&writer);
    for (unsigned step = 0; step < chains->steps; step++)
        for (unsigned at = 0; at < most_chains(chains); at++)
            put_turn(&writer, chains, at, step % 2 != 0);
    put_results(&writer, chains);
    const struct chain_group *first = &chains->groups[0];
    return plan_native(plan, plan_kernel(plan, name, kernel_end(&writer)), first->operation->native,
                       first->count * chains->steps);
}
