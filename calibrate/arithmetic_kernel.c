// SPDX-License-Identifier: Apache-2.0
/* Kernels of chains (arithmetic.h). */
#include <math.h>
#include <string.h>

#include "calibrate/arithmetic.h"

/* Registers: operands in 80 to 83 (those of the second operation from 84 on), chains from 0 on. */
enum { OPERANDS = 80, SCRATCH = 92, TRUE_PREDICATE = 8 };

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

static void put_body(struct kernel_writer *writer, const struct chains *chains)
{
    for (unsigned step = 0; step < chains->steps; step++)
        for (unsigned i = 0; i < chains->count; i++) {
            put_step(writer, chains->first, i, OPERANDS, step % 2 != 0);
            if (chains->second)
                put_step(writer, chains->second, chains->count + i, OPERANDS + 4, step % 2 != 0);
        }
    put(writer, "    mov.b32 %%result, 0;\n");
    for (unsigned i = 0; i < chains->count; i++) {
        put_result(writer, chains->first, i, chains->steps);
        if (chains->second) put_result(writer, chains->second, chains->count + i, chains->steps);
    }
}

unsigned chains_kernel(struct plan *plan, const struct chains *chains)
{
    struct kernel_writer writer;
    const struct operation *second = chains->second;
    char name[64], words[3][16];
    snprintf(name, sizeof name, "chains_%u_%u_%u", second ? 2 : 1, chains->count, chains->steps);
    kernel_begin(&writer, plan->gpu, name, 0);
    put_operands(&writer, OPERANDS, "%b", "%d");
    if (second) {
        snprintf(words[0], sizeof *words, "%u", second->start);
        snprintf(words[1], sizeof *words, "%u", second->a);
        snprintf(words[2], sizeof *words, "%u", second->b);
        put_operands(&writer, OPERANDS + 4, words[1], words[2]);
    }
    for (unsigned i = 0; i < chains->count; i++) {
        put_start(&writer, chains->first, i, "%a");
        if (second) put_start(&writer, second, chains->count + i, words[0]);
    }
    kernel_clock(&writer);
    put_body(&writer, chains);
    return plan_kernel(plan, name, kernel_end(&writer));
}
