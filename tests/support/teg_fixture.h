// SPDX-License-Identifier: Apache-2.0
/* Warp traces written by hand and the engine run on them, for the tests of the model teg. */
#ifndef SUPPORT_TEG_FIXTURE_H
#define SUPPORT_TEG_FIXTURE_H

#include "model/teg/teg_engine.h"

enum { FIXTURE_REGISTERS = 64 };

/* A machine file of data/machines, with figures changed by "sm.count=60"; to be destroyed. */
struct machine *fixture_machine(const char *name, const char *const *changes);

struct fixture {
    struct trace_builder *builder;
    struct trace *trace; /* once finished */
};

/* Blocks of `threads`; the builder is ready for instructions. */
void fixture_begin(struct fixture *fixture, uint32_t blocks, uint32_t threads);
/* An instruction of arithmetic: dst = op(a, b); -1: none. */
uint32_t fixture_plain(struct fixture *fixture, enum insn_class id, int dst, int a, int b);
/* With a guard predicate, true for all lanes. */
uint32_t fixture_guarded(struct fixture *fixture, enum insn_class id, int dst, int guard);
/* dst = op(a, word of shared memory). */
uint32_t fixture_operand(struct fixture *fixture, enum insn_class id, int dst, int a);
/* An access of `bytes` a lane; the address register is a. */
uint32_t fixture_access(struct fixture *fixture, enum insn_class id, enum mem_space space,
                        unsigned bytes, int reg, int a);
uint32_t fixture_barrier(struct fixture *fixture, enum trace_barrier kind, unsigned id,
                         unsigned threads);
void fixture_block(struct fixture *fixture, uint64_t block);
void fixture_warp(struct fixture *fixture, uint32_t warp);
void fixture_step(struct fixture *fixture, uint32_t insn);
/* Lane i at base + i * stride. */
void fixture_step_at(struct fixture *fixture, uint32_t insn, enum mem_space space, unsigned bytes,
                     uint64_t base, int64_t stride);
void fixture_finish(struct fixture *fixture);
void fixture_clear(struct fixture *fixture);

struct fixture_run {
    unsigned blocks_per_sm, sms, warps_per_sm;
    uint64_t blocks;
    uint32_t effects_off;
    enum teg_policy policy;
    const struct teg_observer *observer;
    bool is_cold;     /* instructions and constants are fetched, cc 7.0 and later; else at hand */
    bool has_l2_code; /* from the L2 */
    const uint64_t *places; /* blocks of the grid; NULL: the traced ones in turn */
};
/* Fails the test if the engine cannot answer. */
void fixture_run(const struct fixture *fixture, const struct machine *machine,
                 const struct fixture_run *run, struct teg_result *out);
/* The same as cycles until the last warp has left. */
double fixture_cycles(const struct fixture *fixture, const struct machine *machine,
                      const struct fixture_run *run);

/* Seconds that the model as a whole answers for `grid` blocks, `resident` of them on an SM, with instructions
 * at hand and warps that take turns. */
double fixture_predict(const struct fixture *fixture, const struct machine *machine,
                       unsigned resident, uint32_t grid, uint32_t effects_off);

#endif
