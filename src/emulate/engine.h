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

/* Executes a path for all active lanes, until a branch leaves it or parts them, exec.returns_left returns to its
 * first step have been made, or an operation records a fault. Returns the step whose body it executed last; what ends
 * that code block is left to the caller. */
typedef uint32_t path_fn(struct exec *x);

struct engine_path {
    path_fn *run;
    struct code_path path;
    bool returns;                    /* its last step leads to its first */
    const uint32_t *compiled_counts; /* by step: of it and those before it */
    const uint32_t *turns;           /* by step: ends of loops that were passed before it */
    uint32_t most_turns;             /* before the last */
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
