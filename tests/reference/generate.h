// SPDX-License-Identifier: Apache-2.0
/* Random valid PTX programs. A program is the same for the same seed on every host.
 *
 * Every thread begins with registers from the buffer `in`, works on memory of its own (a row of shared, local
 * and global memory) and on words that all share by atomics whose order does not matter, and at the
 * end writes all its registers and its shared and local rows to the buffer `out`. Values that PTX leaves
 * open never reach a result: addresses stay in registers of their own. */
#ifndef REFERENCE_GENERATE_H
#define REFERENCE_GENERATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct program_line {
    char *text;
    uint32_t group; /* lines that come and go together; 0: always there */
    bool fills;     /* gives a register or memory its first value: without it that is undefined */
};

struct program {
    uint64_t seed;
    uint32_t grid[3], block[3];
    uint32_t cluster[3];   /* blocks of one; zeros: no clusters */
    bool requires_cluster; /* the kernel says so itself, and the launch need not */
    struct program_line *lines;
    uint32_t line_count, line_capacity;
    uint32_t group_count; /* groups are 1 .. group_count */
};

void program_generate(struct program *program, uint64_t seed);
void program_clear(struct program *program);
/* The PTX text without the groups g with removed[g]; malloc'ed. removed may be NULL. */
char *program_text(const struct program *program, const bool *removed);
uint32_t program_threads(const struct program *program); /* of the whole grid */
uint32_t program_block_threads(const struct program *program);
uint32_t program_cluster_blocks(const struct program *program);

/* ---- what lies in the buffers ---------------------------------------------------------------- */

/* Kernel k(.param .u64 in, out, rows, words): four addresses. */
enum {
    SLOT_BYTES = 8,
    HALF_REGISTERS = 6,
    WORD_REGISTERS = 10,
    LONG_REGISTERS = 6,
    SINGLE_REGISTERS = 6,
    DOUBLE_REGISTERS = 6,
    PREDICATES = 4,
    SLOTS = HALF_REGISTERS + WORD_REGISTERS + LONG_REGISTERS + SINGLE_REGISTERS + DOUBLE_REGISTERS +
            PREDICATES,
    ROW_BYTES = 64,    /* of a thread's own shared, local and global memory */
    WORDS_BYTES = 128, /* shared and global words for atomics */
    IN_BYTES = (SLOTS * SLOT_BYTES + ROW_BYTES - 1) / ROW_BYTES * ROW_BYTES,
    OUT_BYTES = IN_BYTES + 2 * ROW_BYTES + WORDS_BYTES,
};

/* A random operand: special values often. */
uint64_t program_random_bits(uint64_t *state);

#endif
