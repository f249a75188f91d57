// SPDX-License-Identifier: Apache-2.0
/* The inside of the generator, shared by generate*.c. */
#ifndef REFERENCE_GENERATE_STATE_H
#define REFERENCE_GENERATE_STATE_H

#include "base/strbuf.h"
#include "reference/generate.h"

enum { WIDE_REGISTERS = 3 }; /* of 128 bits; they reach the results through others */

enum { DEPTH_MAX = 3, COUNTERS_MAX = 64 };

/* The label behind a construct: END7, or NEXT7 of a loop. */
struct way_out {
    const char *prefix; /* NULL: nobody may jump there */
    uint32_t label;
};

/* Two barriers are of add_arrival and add_part_barrier alone: a warp that has only announced itself
 * may be at the next barrier already. */
enum { ARRIVAL_BARRIER = 15, PART_BARRIER = 14, FREE_BARRIERS = 14 };

struct generator {
    struct program *program;
    uint64_t random;
    uint32_t labels, counters;
    uint32_t functions;         /* that may be called */
    uint32_t meeting_functions; /* set of those that all threads of the block must call together */
    bool full_warps;            /* every warp has 32 threads */
    bool has_exits;             /* some threads may have left */
    bool fills;                 /* program_line */
    bool uses_old_values;       /* atomics on global memory whose result is used */
    /* where the next statement stands */
    bool in_function;
    bool uniform;        /* all threads of the block come here together */
    unsigned loops;      /* around it, of at most four rounds each */
    uint32_t most_polls; /* atomics that a thread has executed, at most */
    unsigned depth;
    struct way_out ways_out[DEPTH_MAX + 2]; /* of the constructs around, by depth */
};

uint32_t pick(struct generator *g, uint32_t count); /* 0 .. count - 1 */
bool chance(struct generator *g, unsigned percent);
uint32_t new_group(struct generator *g);
void add_line(struct generator *g, uint32_t group, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* generate_forms.c: a random statement of arithmetic, or one after a template of its language. Some
 * of the former, and all of the latter that may be, stand under a guard. */
enum { GUARD_BYTES = 16 };
void random_guard(struct generator *g, char *guard);
void add_arithmetic(struct generator *g);
void add_wide_arithmetic(struct generator *g);
void add_division_step(struct generator *g);
void add_template(struct generator *g, uint32_t group, const char *guard, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* generate_control.c: any statements. */
void add_statements(struct generator *g, uint32_t count);

/* generate_memory.c */
void add_memory(struct generator *g);
void add_gather(struct generator *g);
/* Of a row that only this thread uses, or only reads: `space` ".shared" or the like and the register of its address. */
void add_row_access(struct generator *g, uint32_t group, const char *space, const char *row,
                    bool is_load);
void add_row_atomic(struct generator *g, uint32_t group, const char *space, const char *row);
/* On the words of one of the places, which all threads may use. */
struct words {
    const char *space, *address;
};
void add_word_atomic(struct generator *g, uint32_t group, const struct words *any, uint32_t count);
void add_atomic(struct generator *g);
/* generate_mbarrier.c: where the kernel's statements end. */
void add_mbarriers(struct generator *g);
/* generate_bulk.c: what a copy between rows moves; within a row from one half to the other. */
struct span {
    uint32_t to, from, bytes;
};
struct span random_span(struct generator *g, bool within_row);
/* To a row of shared memory: of the thread's global or shared row; an object counts the bytes. */
enum copy_form { COPY_OF_GLOBAL, COPY_OF_SHARED, COPY_REDUCES, COPY_FORMS };
struct counted_copy {
    enum copy_form form;
    struct span span;
};
struct counted_copy random_counted_copy(struct generator *g);
void add_counted_copy(struct generator *g, uint32_t group, const struct counted_copy *copy,
                      const char *row, const char *object);
/* Behind the objects of generate_mbarrier.c. */
void add_bulk_copies(struct generator *g);
void add_matrix_moves(struct generator *g);
/* generate_cluster.c: where all threads of the cluster come. */
bool has_cluster(const struct generator *g);
void add_cluster_phase(struct generator *g);
void add_cluster_phases(struct generator *g);
/* Only where the generator is uniform. */
void add_exchange(struct generator *g);
void add_barrier(struct generator *g);
void add_collective(struct generator *g);

#endif
