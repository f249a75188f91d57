// SPDX-License-Identifier: Apache-2.0
/* The record of the question `check`. */
#ifndef ANSWER_CHECK_ANSWER_H
#define ANSWER_CHECK_ANSWER_H

#include "answer/run_session.h"
#include "check/finding.h"

struct check_frame {
    uint64_t number; /* from 1, innermost first */
    const char *function, *file, *source;
    uint64_t line, column;
};

struct check_frames {
    struct check_frame *items;
    size_t count;
};

struct check_side_answer {
    const struct finding_side *side;
    const char *source; /* the line; NULL: its file is not there */
    uint64_t column;
    struct check_frames frames, host;
};

struct check_memory_answer {
    const struct finding_memory *memory;
    struct check_frames created, freed;
};

struct check_row {
    const struct finding_words *finding;
    uint64_t number;        /* in the report, from 1 */
    const char *file;       /* where it is shown: in the kernel, else in the host's code */
    uint64_t line;          /* 0: unknown */
    const char *suppressed; /* what suppresses it; NULL: nothing */
    const char *reason;     /* why, in the user's words */
    struct check_side_answer *here, *other;
    struct check_memory_answer *memory;
    struct check_frames host;
};

struct check_sum {
    const char *tool;
    bool is_on;
    uint64_t errors, warnings, notes, suppressed;
};

enum { CHECK_TOOLS = 4 };

struct check_answer {
    struct run_session session;
    struct finding_list all;
    const char *const *program;
    size_t program_count;
    uint64_t exit_code;
    struct check_row *rows;
    struct check_sum tools[CHECK_TOOLS], total;
    const char **kernels, **notes;
    size_t kernel_count, note_count;
    bool is_strict, allows_unchecked;
};

#endif
