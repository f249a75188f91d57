// SPDX-License-Identifier: Apache-2.0
/* Which class's figure prices a class that the machine file has none for. Guides publish one figure
 * for several classes ("compare, minimum, maximum"), and papers only a few. A chain ends where a
 * class has a figure or no substitute; what remains unknown is said to be unknown. */
#include "machine/machine.h"

#include <math.h>
#include <string.h>

#define NONE CLASS_COUNT
_Static_assert(CLASS_COUNT <= 64, "find_price keeps classes as bits");

/* Why each substitute is right, or how it errs. */
static const uint8_t substitutes[CLASS_COUNT] = {
    /* One pipe and one row of the guide: add, multiply, multiply-add. */
    [CLASS_FP32_ADD] = CLASS_FP32_FMA,
    [CLASS_FP32_MUL] = CLASS_FP32_ADD,
    [CLASS_FP32_FMA] = CLASS_FP32_MUL,
    [CLASS_FP64_ADD] = CLASS_FP64_FMA,
    [CLASS_FP64_MUL] = CLASS_FP64_ADD,
    [CLASS_FP64_FMA] = CLASS_FP64_MUL,
    /* The guide's row is "compare, minimum, maximum". */
    [CLASS_FP32_MINMAX] = CLASS_CMP,
    [CLASS_INT_MINMAX] = CLASS_CMP,
    [CLASS_FP64_MINMAX] = CLASS_FP64_ADD, /* they use the fp64 pipe */
    /* At least one reciprocal of the special function unit: the least it costs. The thesis has the
     * same figure for both on cc 1.x (Hong, table 6). */
    [CLASS_FP32_DIV] = CLASS_SFU_RCP,
    /* Routines of many instructions: no single figure is near. */
    [CLASS_FP64_DIV] = NONE,
    [CLASS_INT_DIV] = NONE,
    [CLASS_FP16] = NONE,
    [CLASS_BF16] = CLASS_FP16,
    [CLASS_INT_ADD] = CLASS_LOGIC,     /* one ALU */
    [CLASS_INT_MUL24] = CLASS_INT_MUL, /* from cc 2.0 on it is a 32-bit multiplication and more */
    [CLASS_INT_MUL] = CLASS_INT_MAD,   /* one row: multiply, multiply-add */
    [CLASS_INT_MAD] = CLASS_INT_MUL,
    [CLASS_LOGIC] = CLASS_INT_ADD,
    [CLASS_SHIFT] = CLASS_LOGIC, /* slower on some of cc 2.x and 3.x: their files have figures */
    [CLASS_CMP] = CLASS_INT_ADD, /* a subtraction without a result */
    [CLASS_SELECT] = CLASS_LOGIC,
    [CLASS_MOVE] = CLASS_LOGIC, /* one type with add on cc 1.x (Zhang & Owens, table 1) */
    [CLASS_CONVERT] = NONE,
    [CLASS_CONVERT_INT] = CLASS_CONVERT,
    /* One row for the special function unit; sqrt is a reciprocal root and more. */
    [CLASS_SFU_RCP] = CLASS_SFU_RSQRT,
    [CLASS_SFU_SQRT] = CLASS_SFU_RSQRT,
    [CLASS_SFU_RSQRT] = CLASS_SFU_SIN,
    [CLASS_SFU_SIN] = CLASS_SFU_COS,
    [CLASS_SFU_COS] = CLASS_SFU_LG2,
    [CLASS_SFU_LG2] = CLASS_SFU_EX2,
    [CLASS_SFU_EX2] = CLASS_SFU_RCP,
    [CLASS_SFU_TANH] = CLASS_SFU_EX2,
    [CLASS_CONTROL] = CLASS_INT_ADD, /* guess: a branch issues like an ALU instruction */
    [CLASS_BARRIER] = NONE,
    [CLASS_SHUFFLE] = NONE,
    /* The one figure there is (cc 12.0: 128) equals that of int.add. */
    [CLASS_VOTE] = CLASS_INT_ADD,
    [CLASS_FENCE] = NONE,
    [CLASS_TENSOR] = NONE,
    [CLASS_OTHER] = CLASS_INT_ADD, /* guess: popc and clz cost more on most GPUs */
/* Memory: the models price requests, sectors and wavefronts, not instructions. */
#define NO_SUBSTITUTE(SPACE)                                                                       \
    [CLASS_MEM_##SPACE##_LOAD] = NONE, [CLASS_MEM_##SPACE##_STORE] = NONE,                         \
    [CLASS_MEM_##SPACE##_ATOMIC] = NONE
    NO_SUBSTITUTE(GLOBAL),
    NO_SUBSTITUTE(SHARED),
    NO_SUBSTITUTE(LOCAL),
    NO_SUBSTITUTE(CONST),
    NO_SUBSTITUTE(PARAM),
    NO_SUBSTITUTE(TEXTURE),
    NO_SUBSTITUTE(SURFACE),
#undef NO_SUBSTITUTE
};

/* From cc 8.6 on ptxas makes I2FP of an integer that becomes a float: four cycles after it the result is there, as after
 * an addition. From 7.0 on the guide has the rate of special functions for popc, clz, bfind and brev; their
 * latency is not that of a sine. */
static unsigned substitute_of(const struct machine *machine, unsigned first, unsigned id)
{
    unsigned cc = machine->cc_major * 10 + machine->cc_minor;
    if (id == CLASS_CONVERT_INT && cc >= 86) return CLASS_INT_ADD;
    if (id == CLASS_OTHER && cc >= 70)
        return first == MACHINE_THROUGHPUT_FIRST ? CLASS_SFU_RCP : NONE;
    return substitutes[id];
}

/* Substitutes may form rings (add -> fma -> mul -> add): a chain ends at a class that it has passed. */
static bool find_price(const struct machine *machine, unsigned first, enum insn_class id,
                       bool as_loaded, double *out)
{
    uint64_t passed = 0;
    for (unsigned at = id; at != NONE && !(passed >> at & 1);) {
        const struct machine_value *value = &machine->values[first + at];
        bool is_changed = as_loaded && value->source && !strcmp(value->source, MACHINE_WHAT_IF);
        double figure = is_changed ? value->loaded : value->value;
        if (value->known && !isnan(figure)) {
            *out = figure;
            return true;
        }
        passed |= UINT64_C(1) << at;
        at = substitute_of(machine, first, at);
    }
    return false;
}

bool machine_throughput(const struct machine *machine, enum insn_class id, double *out)
{
    return find_price(machine, MACHINE_THROUGHPUT_FIRST, id, false, out);
}

bool machine_throughput_as_loaded(const struct machine *machine, enum insn_class id, double *out)
{
    return find_price(machine, MACHINE_THROUGHPUT_FIRST, id, true, out);
}

bool machine_latency(const struct machine *machine, enum insn_class id, double *out)
{
    return find_price(machine, MACHINE_LATENCY_FIRST, id, false, out);
}

bool machine_issue_latency(const struct machine *machine, enum insn_class id, double *out)
{
    return find_price(machine, MACHINE_ISSUE_LATENCY_FIRST, id, false, out);
}
