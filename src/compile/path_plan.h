// SPDX-License-Identifier: Apache-2.0
/* Which code blocks are translated together: paths that a warp probably follows. Private to compile/. */
#ifndef COMPILE_PATH_PLAN_H
#define COMPILE_PATH_PLAN_H

#include "emulate/exec.h"

enum { PATH_STEPS_MAX = 24 };

struct path_plan {
    struct path_step steps[PATH_STEPS_MAX]; /* arms of forks among them */
    uint32_t turns[PATH_STEPS_MAX];         /* by step: ends of loops that were passed before it */
    uint32_t count;
    bool returns; /* from the last to the first */
    bool meets;   /* passes .sync operations */
    struct path_fork forks[PATH_FORKS_MAX];
    uint32_t fork_count;
};

/* The fork behind a step; NULL: none. */
static inline const struct path_fork *path_fork_at(const struct path_plan *plan, uint32_t step)
{
    for (uint32_t i = 0; i < plan->fork_count; i++)
        if (plan->forks[i].step == step) return &plan->forks[i];
    return NULL;
}
/* Is the step in an arm of a fork? */
static inline bool path_is_arm(const struct path_plan *plan, uint32_t step)
{
    for (uint32_t i = 0; i < plan->fork_count; i++) {
        const struct path_fork *fork = &plan->forks[i];
        if (step > fork->step && step <= fork->step + fork->steps[0] + fork->steps[1]) return true;
    }
    return false;
}

/* What is asked of all code blocks of a program. */
struct path_facts {
    const struct program *program;
    bool *is_loop_head;
    uint32_t *meetings; /* by code block: branches whose lanes meet again here */
    bool *is_closed;    /* a loop head whose path returns to it */
    bool *is_begin;     /* execution comes here by other ways than fall-through and branches */
    bool *is_barred;    /* has operations that need what is counted block by block */
    bool *inside;       /* scratch */
};
void path_facts_init(struct path_facts *facts, const struct program *program);
void path_facts_clear(struct path_facts *facts);

/* The path from a code block; false: it is barred. */
bool path_plan(const struct path_facts *facts, uint32_t head, bool is_part, struct path_plan *out);

/* May a path pass the .sync operation that ends the code block? If all living lanes are there and it names all lanes of a
 * warp they pass it at once; it is one that only looks at registers. */
bool code_may_meet(const struct program *program, const struct code *code);

/* Code blocks to which a code block leads by itself: up to two, CODE_END for none. */
static inline void code_successors(const struct code *code, uint32_t out[2])
{
    bool branches = code->terminator == TERM_BRANCH, meets = code->terminator == TERM_SYNC;
    bool is_fixed = branches && code->guard == REF_NONE;
    bool falls = code->terminator == TERM_FALL || branches || meets;
    out[0] = falls && !is_fixed ? code->next : CODE_END;
    out[1] = branches ? code->target : CODE_END;
}

#endif
