// SPDX-License-Identifier: Apache-2.0
/* The state of the interpreter: a launch, a block, its threads. Shared by the files of reference/. */
#ifndef REFERENCE_THREAD_H
#define REFERENCE_THREAD_H

#include "reference/interpreter.h"

/* Addresses of the interpreter's own: what a program makes of them must not reach its results. */
#define SHARED_GENERIC (UINT64_C(1) << 40)
#define LOCAL_GENERIC (UINT64_C(1) << 41)
#define VARIABLES_GENERIC (UINT64_C(1) << 42)

enum { STACK_BYTES = 4096, BARRIER_COUNT = 16, REFERENCE_WARP = 32 };

struct frame {
    struct frame *caller;
    const struct function *function;
    const struct call_info *call; /* that made it */
    uint32_t next;                /* instruction */
    uint32_t stack_before;
    uint64_t *registers; /* bits, zero-extended; predicates are 0 or 1 */
    uint64_t *upper;     /* the upper halves of 128-bit registers */
    uint64_t *places;    /* of parameters and local variables in the stack, by module variable */
};

/* cp.async has read its source; what it writes may come later, up to its wait. */
enum { COPIES_MAX = 64, COPY_BYTES_MAX = 16 };
struct copy {
    unsigned char *to, bytes[COPY_BYTES_MAX];
    uint32_t size, group;
    bool arrives; /* no copy, but an arrival on the object at `to` behind those before it */
};

enum thread_state {
    THREAD_RUNS,
    THREAD_AT_BARRIER,
    THREAD_AT_WARP,
    THREAD_AT_CLUSTER,
    THREAD_DONE
};

struct thread {
    struct block *block;
    uint32_t index, id[3];
    enum thread_state state;
    const struct insn *waits; /* at a barrier or for its warp */
    bool carry;               /* CC.CF */
    bool yields;              /* it waits for others, and goes on once they had a turn */
    struct frame *frame;
    struct copy copies[COPIES_MAX];   /* of cp.async, that are not done; oldest first */
    uint32_t copy_count, copy_groups; /* groups: committed so far */
    uint32_t cluster_arrivals,
        cluster_waits; /* at the barrier of the cluster; waits that have ended */
    uint32_t stack_used;
    unsigned char stack[STACK_BYTES]; /* local variables and parameters of all frames */
};

struct block {
    struct state *state;
    struct block *cluster; /* the blocks of its cluster, by rank */
    uint32_t id[3];
    uint32_t thread_count;
    struct thread *threads;
    unsigned char *shared;
    uint32_t arrived[BARRIER_COUNT]; /* threads that did not wait: bar.arrive */
};

struct state {
    const struct reference_launch *launch;
    uint64_t *places;         /* of module variables: address, or offset in shared memory */
    unsigned char *variables; /* .global and .const variables, from VARIABLES_GENERIC on */
    uint64_t variable_bytes, shared_bytes;
    uint64_t steps;
    const char *fault; /* NULL: none */
    const struct insn *fault_insn;
};

void thread_fault(struct thread *thread, const struct insn *insn, const char *what);

/* interpreter.c. Threads go on whose barrier or operation of the warp is complete; false: none. */
bool block_release(struct block *block);

/* schedule.c: executes blocks that have begun. */
void schedule_run(struct state *state, struct block *blocks, uint32_t count);

/* thread_copy.c: cp.async. */
void thread_copy_later(struct thread *thread, const struct insn *insn, unsigned char *to,
                       const unsigned char *bytes, uint32_t size);
void thread_copies_arrive(struct thread *thread, const struct insn *insn, unsigned char *object);
/* The oldest `count` of them are done. */
void thread_copies_do(struct thread *thread, uint32_t count);
void thread_copy_group(struct thread *thread, const struct insn *insn);

/* thread_step.c: operands and instructions. */
uint64_t thread_read(struct thread *thread, const struct operand *operand, unsigned type);
void thread_write(struct thread *thread, const struct operand *operand, uint64_t value);
/* The upper half of a 128-bit register. */
uint64_t thread_read_upper(struct thread *thread, const struct operand *operand);
void thread_write_upper(struct thread *thread, const struct operand *operand, uint64_t value);
void thread_step(struct thread *thread);
void thread_enter(struct thread *thread, uint32_t function, const struct call_info *call);

/* thread_memory.c: ld, st, atom, red, and where variables lie. */
uint64_t thread_symbol_address(struct thread *thread, int32_t symbol);
void thread_access(struct thread *thread, const struct insn *insn);
/* `count` bytes at the address of its first source; NULL: none are there, which is a fault. */
unsigned char *thread_accessed(struct thread *thread, const struct insn *insn, uint64_t count);

/* `count` bytes at an address of a space; NULL: none are there, or it is not aligned. */
unsigned char *thread_place(struct thread *thread, unsigned space, uint64_t address, uint64_t count,
                            uint64_t alignment);

/* thread_cluster.c */
uint64_t reference_cluster_blocks(const struct reference_launch *launch); /* of one cluster */
/* Where in the grid the block with that rank of a cluster is. */
void block_place(const struct reference_launch *launch, uint64_t number, uint32_t rank,
                 uint32_t id[3]);
uint32_t block_rank(const struct block *block);
/* The block of the cluster that a shared address means, and the address there; NULL: there is none. */
struct block *block_at(struct block *block, uint64_t *address);
/* The same place in the block of that rank. */
uint64_t address_in_rank(uint64_t address, uint64_t rank);
void thread_map_shared(struct thread *thread, const struct insn *insn);
void thread_shared_rank(struct thread *thread, const struct insn *insn);
void thread_cluster_arrive(struct thread *thread, const struct insn *insn);
void thread_cluster_wait(struct thread *thread, const struct insn *insn);
/* Threads of the block go on whose barrier of the cluster is complete; false: none. */
bool block_release_cluster(struct block *block);

/* thread_bulk.c: copies in bulk, and stores that an mbarrier object is told of. */
void thread_bulk(struct thread *thread, const struct insn *insn);
void thread_send(struct thread *thread, const struct insn *insn);

/* thread_matrix.c: of a whole warp. */
bool thread_moves_matrices(const struct insn *insn);
void threads_move_matrices(struct thread *warp, const struct insn *insn);

/* thread_mbarrier.c */
void thread_mbarrier(struct thread *thread, const struct insn *insn);
uint64_t thread_pending_count(uint64_t state);
/* One arrival on the object. */
void object_arrive(unsigned char *place);
/* So many bytes have come. */
void object_complete(unsigned char *place, uint64_t bytes);

/* thread_warp.c: the collective operations, once all lanes of the member mask are there. */
bool thread_is_collective(const struct insn *insn);
/* The lanes that must be there. */
uint32_t thread_members(struct thread *thread);
void threads_together(struct thread *warp, uint32_t members, const struct insn *insn);

#endif
