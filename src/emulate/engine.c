// SPDX-License-Identifier: Apache-2.0
/* When a program is compiled: once it has run for some time, by the worker that notices. The others go on
 * interpreting until the code is there, and every warp takes it up at its next look. */
#include "emulate/exec.h"

enum compiling_state { COMPILING_NOT_YET, COMPILING_NOW, COMPILING_DONE, COMPILING_FAILED };

struct compiling {
    const struct engine *engine;
    uint64_t after;
    int level;
    uint32_t state;        /* atomic */
    uint64_t instructions; /* warp instructions of earlier launches */
    struct engine_code *code;
    bool is_refused; /* by the system */
};

struct compiling *compiling_create(struct arena *arena, const struct device *device)
{
    if (!device->engine) return NULL;
    struct compiling *compiling = ARENA_ARRAY(arena, struct compiling, 1);
    compiling->engine = device->engine;
    compiling->after = device->compile_after;
    compiling->level = device->semantics->level;
    return compiling;
}

void compiling_clear(struct compiling *compiling)
{
    if (compiling && compiling->code) compiling->engine->destroy(compiling->code);
}

void compiling_begin(struct exec *x, const struct launch *launch)
{
    bool is_plain = !x->checks && !x->tracks && !launch->options->undo;
    x->compiling = is_plain ? launch->program->compiling : NULL;
}

/* The code is there: the worker takes it up. */
static void take_up(struct exec *x, const struct engine_code *code)
{
    x->engine_memory = mem_zalloc_aligned(64, code->worker_bytes + 64);
    x->engine_code = code;
}

void compiling_leave(struct exec *x)
{
    mem_free(x->engine_memory);
}

/* Memory ran out: the next launch tries again. */
static void give_up(void *what)
{
    struct compiling *compiling = what;
    __atomic_store_n(&compiling->state, COMPILING_NOT_YET, __ATOMIC_RELEASE);
}

/* Returns the state that follows. */
static uint32_t compile_now(struct compiling *compiling, const struct program *program)
{
    struct mem_guard guard;
    mem_guard_begin(&guard, give_up, compiling);
    compiling->code = compiling->engine->compile(program, compiling->level, &compiling->is_refused);
    mem_guard_end(&guard);
    uint32_t state = compiling->code ? COMPILING_DONE : COMPILING_FAILED;
    __atomic_store_n(&compiling->state, state, __ATOMIC_RELEASE);
    return state;
}

void compiling_look(struct exec *x)
{
    struct compiling *compiling = x->compiling;
    if (x->engine_code || !compiling) return;
    uint32_t state = __atomic_load_n(&compiling->state, __ATOMIC_ACQUIRE);
    uint64_t run = x->block->worker->instructions + x->block->instructions;
    if (state == COMPILING_NOT_YET && compiling->instructions + run >= compiling->after &&
        __atomic_compare_exchange_n(&compiling->state, &state, COMPILING_NOW, false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        state = compile_now(compiling, x->launch->program);
    if (state == COMPILING_DONE) take_up(x, compiling->code);
    if (state == COMPILING_FAILED) x->compiling = NULL;
}

bool compiling_end(const struct program *program, uint64_t instructions)
{
    if (!program->compiling) return false;
    program->compiling->instructions += instructions;
    return program->compiling->is_refused;
}
