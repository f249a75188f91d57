// SPDX-License-Identifier: Apache-2.0
/* Chains of one kind of instruction, for benchmarks of latency, throughput and issue. Each instruction of a chain
 * needs the result of the one before; several chains of a warp need nothing of each other. */
#ifndef CALIBRATE_ARITHMETIC_H
#define CALIBRATE_ARITHMETIC_H

#include "calibrate/fit.h"
#include "calibrate/kernel_text.h"

/* What a chain keeps in registers. */
enum chain_state {
    STATE_WORD, /* $0: b32 */
    STATE_PAIR, /* $0 and $1: b32, each in turn needs both */
    STATE_LONG, /* $0: f64 */
    STATE_BIT   /* $0: a predicate */
};

/* What a chain computes with: of 64 bits the numbers, else words. */
struct chain_values {
    uint32_t x, y, a, b;
    double g, ga, gb;
};

/* A kind of instruction. In its text $0 and $1 are the chain's state, $A and $B operands of its type that no
 * compiler knows, $P and $Q predicates that are true. */
struct operation {
    const char *name;       /* a class, or what serves to measure one */
    const char *even, *odd; /* the instruction, by turns; odd NULL: as even */
    enum chain_state state;
    unsigned from_cc, before_cc; /* GPUs that it is meant for; 0: no bound */
    const char *why;             /* what others lack */
    uint32_t start, a, b;        /* x = y, operands; of 64 bits: high words */
    void (*step)(struct chain_values *values, bool is_odd); /* what it computes */
    bool is_routine;                                        /* it becomes many instructions */
    bool is_parted;                                         /* a multiplication comes before it */
    bool is_rough;                                          /* its result is an approximation */
    const char
        *native; /* opcodes of its native code, an extended regular expression; NULL: several */
};

extern const struct operation operations[]; /* ended by a row without name */
/* The one for this GPU; NULL: `why` says what it lacks. */
const struct operation *operation_find(const char *name, const struct gpu_facts *gpu,
                                       const char **why);

/* What a chain of an operation that is_rough comes to. */
float operation_comes_to(const struct operation *operation, unsigned steps);

/* What runs between the clocks: `steps` (even) times an instruction of each chain, the groups in turns. */
enum { CHAIN_GROUPS = 3, MOST_CHAINS = 8 /* of predicates; of others, all together, 32 */ };
struct chains {
    struct chain_group {
        const struct operation *operation; /* NULL: no more */
        unsigned count;                    /* of chains */
    } groups[CHAIN_GROUPS];
    unsigned loads; /* chains of loads from shared memory */
    unsigned steps;
};
/* Its kernel; the number of it. */
unsigned chains_kernel(struct plan *plan, const struct chains *chains);
/* Sets arguments and the expected result. */
void chains_values(const struct chains *chains, struct point *point);

#endif
