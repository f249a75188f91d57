// SPDX-License-Identifier: Apache-2.0
/* Bodies of a whole program, one behind the other in one piece of memory. */
#include "compile/compile.h"

#include "base/arena.h"
#include "compile/body.h"
#include "compile/code_memory.h"

enum { LEVEL_V4 = 2 };

struct compiled {
    struct engine_code code;
    struct arena arena; /* what the code refers to */
    struct code_memory memory;
};

/* By register: its bit in the sets of live registers, -1: it lives within its block. */
static int32_t *crossing_bits(const struct function *function)
{
    int32_t *bits = mem_alloc((function->vreg_count + 1) * sizeof *bits);
    for (uint32_t v = 0; v < function->vreg_count; v++)
        bits[v] = -1;
    for (uint32_t i = 0; i < function->crossing_count; i++)
        bits[function->crossing[i]] = (int32_t)i;
    return bits;
}

/* Places of the bodies in the assembler's bytes; 0: none. */
struct writing {
    const struct program *program;
    struct compiled *compiled;
    struct assembler a;
    uint32_t shape_stub, *places;
};

static void write_body(struct writing *w, uint32_t index, bool is_part, const int32_t *crossing)
{
    const struct code *code = &w->program->code[index];
    struct body *b = mem_zalloc(1, sizeof *b);
    b->a = &w->a;
    b->program = w->program;
    b->code = code;
    b->block = w->program->view.code_blocks[index].block;
    b->is_part = is_part;
    b->crossing = crossing;
    b->shape_stub = w->shape_stub;
    b->arena = &w->compiled->arena;
    b->accesses = ARENA_ARRAY(b->arena, struct body_access, code->uop_count + 1);
    uint32_t place = w->a.used;
    if (code->uop_count && body_write(b)) w->places[2 * index + is_part] = place;
    body_clear(b);
    mem_free(b);
}

static void write_function(struct writing *w, uint32_t f)
{
    const struct program_function *function = &w->program->functions[f];
    int32_t *crossing = crossing_bits(function->function);
    for (uint32_t k = 0; k < 2 * function->function->block_count; k++)
        write_body(w, function->first_block + k / 2, k % 2, crossing);
    mem_free(crossing);
}

static void destroy(struct engine_code *code)
{
    struct compiled *compiled = (struct compiled *)code;
    if (!compiled) return;
    code_memory_free(&compiled->memory);
    arena_clear(&compiled->arena);
    mem_free(compiled);
}

static struct engine_code *compile(const struct program *program, int level, bool *is_refused)
{
    *is_refused = false;
    if (level < LEVEL_V4 || program->native_code) return NULL;
    struct writing w = {.program = program, .compiled = mem_zalloc(1, sizeof *w.compiled)};
    uint32_t count = 2 * program->code_count;
    w.places = mem_zalloc(count + 1, sizeof *w.places);
    shape_stub_write(&w.a); /* at 0: no body begins there */
    for (uint32_t f = 0; f < program->function_count; f++)
        write_function(&w, f);
    body_fn **bodies = ARENA_ARRAY(&w.compiled->arena, body_fn *, count + 1);
    w.compiled->memory = code_memory_make(w.a.bytes, w.a.used);
    for (uint32_t i = 0; i < count; i++)
        if (w.places[i]) bodies[i] = (body_fn *)(uintptr_t)(w.compiled->memory.bytes + w.places[i]);
    w.compiled->code.bodies = bodies;
    mem_free(w.places);
    mem_free(w.a.bytes);
    if (!mem_is_of_call(program)) { /* the device keeps it */
        mem_keep(w.compiled);
        arena_keep(&w.compiled->arena);
    }
    if (w.compiled->memory.bytes) return &w.compiled->code;
    *is_refused = true;
    destroy(&w.compiled->code);
    return NULL;
}

const struct engine *compile_engine(void)
{
    static const struct engine engine = {compile, destroy};
    return &engine;
}
