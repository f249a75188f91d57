// SPDX-License-Identifier: Apache-2.0
/* The engine's second interface, beside the observer: what finds errors of the program (src/check/). It is NULL unless
 * checks were asked for. With checks, a launch runs on one host thread, its blocks in index order. */
#ifndef EMULATE_CHECKER_H
#define EMULATE_CHECKER_H

#include <stdbool.h>
#include <stdint.h>

#include "emulate/observer.h"

enum check_tool {
    CHECK_MEMORY = 1,
    CHECK_INIT = 2,
    CHECK_RACE = 4,
    CHECK_SYNC = 8,
    CHECK_ALL = 15
};

/* Only an error fails a run. */
enum check_grade { GRADE_DEFAULT, GRADE_ERROR, GRADE_WARNING, GRADE_NOTE };

enum check_code {
#define CODE(name, id, tool, grade, title, advice) CHECK_CODE_##name,
#include "emulate/check_codes.def"
#undef CODE
    CHECK_CODE_COUNT
};

/* An instruction that a lane executed. */
struct check_place {
    const struct insn *insn; /* NULL: unknown, or none */
    uint64_t block;
    uint32_t warp, lane;
};

/* A place in a kernel, in words: of what outlives its launch. Texts are NULL, lines 0, where unknown. */
struct check_site {
    const char *kernel, *source_file, *module_file;
    uint32_t source_line, module_line;
};

/* Valid during the call only: who keeps it copies the words. */
struct check_report {
    enum check_code code;
    uint8_t grade;                 /* GRADE_DEFAULT: that of the code */
    struct check_place here;       /* where it was seen */
    const struct check_site *site; /* instead of `here`, outside of a launch; NULL: none */
    bool has_other;                /* a race: the earlier access; a wait: another thread */
    struct check_place other;
    bool has_address, has_values;
    uint64_t address; /* of its space */
    uint32_t bytes;
    uint8_t space; /* enum mem_space */
    uint64_t value, other_value;
    const char *memory; /* the allocation or variable in words; NULL: unknown */
    uint64_t
        allocation; /* first byte of the allocation that `memory` names; 0: none of the host's */
    bool is_freed;  /* the host has freed it */
    const char *detail; /* sentences, separated by newlines; NULL: none */
};

struct checker_ops {
    /* Once a launch, before and after everything. */
    void (*launch_begin)(void *self, const struct launch_view *launch);
    void (*launch_end)(void *self);
    void (*report)(void *self, const struct check_report *report);
    /* What was not covered, or forgotten to stay within bounds; the same words only once. */
    void (*note)(void *self, const char *text);
};

struct checker {
    const struct checker_ops *ops;
    void *self;
    unsigned tools; /* set of enum check_tool, not empty */
};

#endif
