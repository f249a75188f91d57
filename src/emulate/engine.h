// SPDX-License-Identifier: Apache-2.0
/* What another engine gives the interpreter: functions for the bodies of code blocks, which do just what the
 * operations of the body do. Whatever they lack, they leave to those operations. */
#ifndef EMULATE_ENGINE_H
#define EMULATE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

struct exec;
struct program;

typedef void body_fn(struct exec *x);

struct engine_code {
    /* Two by code block, NULL: interpreted. The first is for warps all of whose living lanes take part. */
    body_fn *const *bodies;
};

struct engine {
    /* At an instruction-set level (struct semantics). NULL: not on this level, or the system refuses memory for
     * code; *is_refused tells them apart. */
    struct engine_code *(*compile)(const struct program *program, int level, bool *is_refused);
    void (*destroy)(struct engine_code *code);
};

#endif
