// SPDX-License-Identifier: Apache-2.0
/* What each line of a kernel costs: of its source, of its PTX, and each instruction of its native code. Rows of a
 * level add up to those of the level above, and each level to the launch. */
#ifndef ANSWER_CODE_TABLE_H
#define ANSWER_CODE_TABLE_H

#include "answer/access_table.h"
#include "model/teg/warp_waits.h"

enum code_level { CODE_SOURCE, CODE_PTX, CODE_NATIVE, CODE_LEVELS };
#define CODE_NO_ROW SIZE_MAX

struct code_cost {
    double warp_instructions, thread_instructions;
    struct access_sums accesses;
};

/* On one machine. */
struct code_time {
    const char *machine;
    double share;      /* of the time of all resident warps */
    const char *stall; /* the main reason that they wait for there; NULL: they do not */
    double stall_share;
};

struct code_row {
    const struct instruction_profile *insn; /* the first */
    uint32_t line;      /* number in its level, or address; 0: what has no line */
    const char *text;   /* NULL: unknown */
    size_t source, ptx; /* rows of those levels; CODE_NO_ROW: none */
    struct code_cost cost;
    struct code_time *times; /* by machine of the table */
};

/* A machine whose model followed the warps. */
struct code_machine {
    const char *id;
    const struct warp_waits *waits;
};

struct code_table {
    size_t counts[CODE_LEVELS];
    /* Source lines file by file, what has none last; PTX by line; native code by address. */
    struct code_row *rows[CODE_LEVELS];
    size_t machine_count;
    struct code_cost all; /* of the launch */
};

/* In the arena; machines may be none. Source lines have no text. */
struct code_table *code_table_make(struct arena *arena, const struct profile *profile,
                                   const struct code_machine *machines, size_t machine_count);
/* Reads the text of source lines, where the files are as the compiler named them: from the folder of the kernel's
 * file, or from the current one. */
void code_table_read_source(struct arena *arena, const struct profile *profile,
                            struct code_table *table);

/* The share of a row: of the time on a machine, or CODE_NO_ROW: the largest of its shares of warp instructions, sectors
 * and wavefronts. */
double code_share(const struct code_table *table, const struct code_row *row, size_t machine);
/* The rows with the largest shares, at most `most`; rows that cost nothing are left out. */
size_t code_hottest(const struct code_table *table, enum code_level level, size_t machine,
                    size_t most, const struct code_row **out);

#endif
