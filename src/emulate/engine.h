// SPDX-License-Identifier: Apache-2.0
/* What another engine gives the interpreter: functions for the bodies of code blocks, which do just what the
 * operations of the body do. Whatever they lack, they leave to those operations. */
#ifndef EMULATE_ENGINE_H
#define EMULATE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emulate/observer.h"

struct exec;
struct program;

typedef void body_fn(struct exec *x);

/* A branch of a path whose lanes meet again on it. The steps that follow it are those of its two arms, either of which may
 * be empty: first the one that lanes go along that do not take the branch. */
struct path_fork {
    uint32_t step, steps[2];
};
enum { PATH_FORKS_MAX = 3 };

/* How one turn round a path went at its forks. */
struct path_turn {
    uint64_t times; /* one after the other */
    uint32_t ways;  /* by fork: bit set: all lanes took the branch; PATH_PARTED << fork: some did */
    uint32_t taken[PATH_FORKS_MAX]; /* lanes, of those that parted */
};
#define PATH_PARTED (UINT32_C(1) << 16)
/* Turns that are noted before a path is left; the first of them is none. */
enum { PATH_TURNS_MAX = 16 };

/* Executes a path for all active lanes, until a branch leaves it or parts them, exec.returns_left returns to its
 * first step have been made, or an operation records a fault. Returns the step whose body it executed last; what ends
 * that code block is left to the caller. */
typedef uint32_t path_fn(struct exec *x);

/* Steps that are passed one after the other, as a path of its own. */
struct path_variant {
    struct code_path path;
    const uint32_t *compiled_counts; /* by step: of it and those before it */
};

struct engine_path {
    path_fn *run;
    const struct path_step *steps; /* arms of forks among them */
    uint32_t count;
    uint32_t insn_count;   /* of all steps */
    bool returns;          /* the last leads to the first */
    const uint32_t *turns; /* by step: ends of loops that were passed before it */
    uint32_t most_turns;   /* before the last */
    const struct path_fork *forks;
    uint32_t fork_count;
    bool needs_turn; /* no other split may have a turn on the way, and no limit may be reached */
    const struct path_variant *variants; /* by the ways of a turn in which no lanes part */
    const struct path_variant *pieces;   /* what lies between forks, and their arms, in order */
};

struct engine_code {
    /* Two by code block, NULL: interpreted. The first is for warps all of whose living lanes take part. */
    body_fn *const *bodies;
    /* The same: paths that begin with the code block. */
    const struct engine_path *const *paths;
    size_t worker_bytes; /* memory that a worker lends the code: exec.engine_memory */
};

struct engine {
    /* At an instruction-set level (struct semantics). NULL: not on this level, or the system refuses memory for
     * code; *is_refused tells them apart. */
    struct engine_code *(*compile)(const struct program *program, int level, bool *is_refused);
    void (*destroy)(struct engine_code *code);
};

#endif
