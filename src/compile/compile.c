// SPDX-License-Identifier: Apache-2.0
/* Bodies and paths of a whole program, one behind the other in one piece of memory. */
#include "compile/compile.h"

#include <string.h>

#include "base/arena.h"
#include "compile/body.h"
#include "compile/code_memory.h"

enum { LEVEL_V4 = 2 };

struct compiled {
    struct engine_code code;
    struct arena arena; /* what the code refers to */
    struct code_memory memory;
    struct code_debug *debug; /* NULL: nobody asked for it */
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

/* Code of two kinds, both twice by code block: places in the assembler's bytes, 0: none. */
struct writing {
    const struct program *program;
    struct compiled *compiled;
    struct assembler a;
    struct path_facts facts;
    const int32_t *crossing; /* of the function at hand */
    struct body_counts counts;
    uint32_t shape_stub, known_stub, path_numbers, *bodies, *paths;
    bool *is_wanted, *is_done; /* paths */
    struct engine_path **made;
    struct code_extent *ranges; /* of all functions */
    uint32_t range_count, range_room;
};

static bool write_code(struct writing *w, struct body *b, uint32_t *place)
{
    b->a = &w->a;
    b->program = w->program;
    b->crossing = w->crossing;
    b->shape_stub = w->shape_stub;
    b->known_stub = w->known_stub;
    b->counts = &w->counts;
    b->arena = &w->compiled->arena;
    uint32_t uops = 0;
    for (uint32_t i = 0; i < b->path->count; i++)
        uops += w->program->code[b->path->steps[i].code_block].uop_count;
    if (!uops) return false;
    b->accesses = ARENA_ARRAY(b->arena, struct body_access, 2 * uops + 1); /* arms: twice */
    *place = w->a.used;
    return body_write(b);
}

static void add_range(struct writing *w, struct code_extent range)
{
    GROW(w->ranges, w->range_count, w->range_room);
    w->ranges[w->range_count++] = range;
}

static void add_body_range(struct writing *w, const struct body *b)
{
    struct code_extent range = b->range;
    range.block = b->path->steps[0].code_block;
    range.is_path = b->is_path;
    range.is_part = b->is_part;
    add_range(w, range);
}

static void write_body(struct writing *w, uint32_t index, bool is_part)
{
    const struct path_plan plan = {.steps = {{.code_block = index}}, .count = 1};
    struct body *b = mem_zalloc(1, sizeof *b);
    uint32_t place;
    b->path = &plan;
    b->is_part = is_part;
    if (write_code(w, b, &place)) {
        w->bodies[2 * index + is_part] = place;
        add_body_range(w, b);
    }
    body_clear(b);
    mem_free(b);
}

/* A loop is written twice: the first time tells what it carries. */
static bool write_twice(struct writing *w, struct body *b, uint32_t *place)
{
    const struct body first = *b;
    const struct body_counts counts = w->counts;
    if (!write_code(w, b, place)) return false;
    if (!b->carried_count) return true;
    struct body *again = mem_zalloc(1, sizeof *again);
    *again = first;
    again->carries = true;
    again->carried_count = b->carried_count;
    memcpy(again->carried, b->carried, sizeof again->carried);
    body_clear(b);
    w->a.used = *place;
    w->counts = counts;
    bool done = write_code(w, again, place);
    *b = *again;
    mem_free(again);
    return done;
}

/* A list of steps in the making. */
struct listing {
    struct path_step *steps;
    uint32_t *insns, *compiled, count;
};

static struct listing begin_listing(struct writing *w, uint32_t room)
{
    struct arena *arena = &w->compiled->arena;
    return (struct listing){ARENA_ARRAY(arena, struct path_step, room),
                            ARENA_ARRAY(arena, uint32_t, room), ARENA_ARRAY(arena, uint32_t, room),
                            0};
}

static void list_steps(const struct writing *w, const struct body *b, uint32_t first,
                       uint32_t count, struct listing *out)
{
    for (uint32_t i = first; i < first + count; i++) {
        const struct path_step *step = &b->path->steps[i];
        uint32_t at = out->count++;
        out->steps[at] = *step;
        out->insns[at] = w->program->code[step->code_block].insn_count;
        out->compiled[at] = b->step_templates[i];
        if (at) out->insns[at] += out->insns[at - 1];
        if (at) out->compiled[at] += out->compiled[at - 1];
    }
}

static struct path_variant end_listing(struct writing *w, const struct listing *list)
{
    const struct path_variant variant = {{list->steps, list->count, w->path_numbers, list->insns},
                                         list->compiled};
    w->path_numbers += list->count;
    return variant;
}

/* One for all ways that a turn may go in which no lanes part. */
static const struct path_variant *describe_variants(struct writing *w, const struct body *b)
{
    const struct path_plan *plan = b->path;
    uint32_t count = 1u << plan->fork_count;
    struct path_variant *variants = ARENA_ARRAY(&w->compiled->arena, struct path_variant, count);
    for (uint32_t ways = 0; ways < count; ways++) {
        struct listing list = begin_listing(w, plan->count);
        uint32_t first = 0;
        for (uint32_t i = 0; i < plan->fork_count; i++) {
            const struct path_fork *fork = &plan->forks[i];
            bool is_taken = ways >> i & 1;
            uint32_t arm = fork->step + 1 + (is_taken ? fork->steps[0] : 0);
            list_steps(w, b, first, fork->step + 1 - first, &list);
            list.steps[list.count - 1].is_taken = is_taken;
            list_steps(w, b, arm, fork->steps[is_taken], &list);
            first = fork->step + 1 + fork->steps[0] + fork->steps[1];
        }
        list_steps(w, b, first, plan->count - first, &list);
        variants[ways] = end_listing(w, &list);
    }
    return variants;
}

static void add_piece(struct writing *w, const struct body *b, uint32_t first, uint32_t count,
                      struct path_variant **next)
{
    struct listing list = begin_listing(w, count);
    if (!count) return;
    list_steps(w, b, first, count, &list);
    *(*next)++ = end_listing(w, &list);
}

static const struct path_variant *describe_pieces(struct writing *w, const struct body *b)
{
    const struct path_plan *plan = b->path;
    uint32_t most = 3 * plan->fork_count + 1, first = 0;
    struct path_variant *pieces = ARENA_ARRAY(&w->compiled->arena, struct path_variant, most);
    struct path_variant *next = pieces;
    for (uint32_t i = 0; i < plan->fork_count; i++) {
        const struct path_fork *fork = &plan->forks[i];
        add_piece(w, b, first, fork->step + 1 - first, &next);
        first = fork->step + 1;
        for (unsigned k = 0; k < 2; first += fork->steps[k++])
            add_piece(w, b, first, fork->steps[k], &next);
    }
    add_piece(w, b, first, plan->count - first, &next);
    return pieces;
}

static struct engine_path *describe_path(struct writing *w, const struct body *b)
{
    struct arena *arena = &w->compiled->arena;
    const struct path_plan *plan = b->path;
    struct engine_path *path = ARENA_ARRAY(arena, struct engine_path, 1);
    struct listing all = begin_listing(w, plan->count);
    list_steps(w, b, 0, plan->count, &all);
    path->steps = all.steps;
    path->count = plan->count;
    path->insn_count = all.insns[plan->count - 1];
    path->returns = plan->returns;
    path->turns = memcpy(ARENA_ARRAY(arena, uint32_t, plan->count), plan->turns,
                         plan->count * sizeof *plan->turns);
    path->most_turns = plan->turns[plan->count - 1];
    path->forks = memcpy(ARENA_ARRAY(arena, struct path_fork, PATH_FORKS_MAX), plan->forks,
                         sizeof plan->forks);
    path->fork_count = plan->fork_count;
    path->needs_turn = plan->fork_count || plan->meets;
    path->variants = describe_variants(w, b);
    path->pieces = plan->fork_count ? describe_pieces(w, b) : NULL;
    return path;
}

/* Where warps come to that leave the path, or come to its end: other paths begin there. */
static void want_successors(struct writing *w, const struct path_plan *plan)
{
    for (uint32_t i = 0; i < plan->count; i++) {
        uint32_t to[2];
        code_successors(&w->program->code[plan->steps[i].code_block], to);
        for (unsigned k = 0; k < 2; k++) {
            if (to[k] == CODE_END) continue;
            bool follows = i + 1 < plan->count && plan->steps[i + 1].code_block == to[k];
            follows = follows || path_fork_at(plan, i) || path_is_arm(plan, i);
            w->is_wanted[2 * to[k] + 1] = true;
            if (!follows) w->is_wanted[2 * to[k]] = true;
        }
    }
}

/* Returns whether there is code for it now. */
static bool write_path(struct writing *w, uint32_t index, bool is_part)
{
    struct path_plan plan;
    if (!path_plan(&w->facts, index, is_part, &plan)) return false;
    struct body *b = mem_zalloc(1, sizeof *b);
    b->path = &plan;
    b->is_path = true;
    b->is_part = is_part;
    uint32_t place;
    bool done = write_twice(w, b, &place);
    if (done) {
        w->paths[2 * index + is_part] = place;
        w->made[2 * index + is_part] = describe_path(w, b);
        add_body_range(w, b);
    }
    want_successors(w, &plan);
    body_clear(b);
    mem_free(b);
    return done;
}

static void write_paths(struct writing *w, uint32_t first, uint32_t count)
{
    for (uint32_t i = 2 * first; i < 2 * (first + count); i++)
        w->is_wanted[i] = w->facts.is_begin[i / 2] || (i % 2 && w->facts.meetings[i / 2]);
    for (bool grows = true; grows;) {
        grows = false;
        for (uint32_t i = 2 * first; i < 2 * (first + count); i++) {
            if (!w->is_wanted[i] || w->is_done[i]) continue;
            w->is_done[i] = grows = true;
            write_path(w, i / 2, i % 2);
        }
    }
}

static void write_function(struct writing *w, uint32_t f)
{
    const struct program_function *function = &w->program->functions[f];
    int32_t *crossing = crossing_bits(function->function);
    w->crossing = crossing;
    for (uint32_t k = 0; k < 2 * function->function->block_count; k++)
        write_body(w, function->first_block + k / 2, k % 2);
    write_paths(w, function->first_block, function->function->block_count);
    mem_free(crossing);
}

static void destroy(struct engine_code *code)
{
    struct compiled *compiled = (struct compiled *)code;
    if (!compiled) return;
    code_debug_destroy(compiled->debug);
    code_memory_free(&compiled->memory);
    arena_clear(&compiled->arena);
    mem_free(compiled);
}

static void writing_init(struct writing *w)
{
    uint32_t room = 2 * w->program->code_count + 1;
    w->bodies = mem_zalloc(room, sizeof *w->bodies);
    w->paths = mem_zalloc(room, sizeof *w->paths);
    w->is_wanted = mem_zalloc(room, sizeof(bool));
    w->is_done = mem_zalloc(room, sizeof(bool));
    w->made = mem_zalloc(room, sizeof *w->made);
    path_facts_init(&w->facts, w->program);
}

static void writing_clear(struct writing *w)
{
    mem_free(w->bodies);
    mem_free(w->paths);
    mem_free(w->is_wanted);
    mem_free(w->is_done);
    mem_free(w->made);
    mem_free(w->ranges);
    mem_free(w->a.bytes);
    path_facts_clear(&w->facts);
}

/* Makes the memory, when nothing else can fail any more, and addresses of places. */
static void place_code(struct writing *w)
{
    struct compiled *compiled = w->compiled;
    uint32_t count = 2 * w->program->code_count;
    body_fn **bodies = ARENA_ARRAY(&compiled->arena, body_fn *, count + 1);
    const struct engine_path **paths =
        ARENA_ARRAY(&compiled->arena, const struct engine_path *, count + 1);
    compiled->memory = code_memory_make(w->a.bytes, w->a.used);
    const unsigned char *bytes = compiled->memory.bytes;
    for (uint32_t i = 0; bytes && i < count; i++) {
        if (w->bodies[i]) bodies[i] = (body_fn *)(uintptr_t)(bytes + w->bodies[i]);
        if (w->made[i]) w->made[i]->run = (path_fn *)(uintptr_t)(bytes + w->paths[i]);
        paths[i] = w->made[i];
    }
    compiled->code.bodies = bodies;
    compiled->code.paths = paths;
    compiled->code.worker_bytes = w->counts.shapes * sizeof(struct shape_record);
}

static void free_memory(void *memory)
{
    code_memory_free(memory);
}

/* Tells others of the code, if they asked. */
static void tell_debuggers(struct writing *w)
{
    struct code_memory *memory = &w->compiled->memory;
    struct mem_guard guard;
    if (!memory->bytes) return;
    mem_guard_begin(&guard, free_memory, memory);
    w->compiled->debug = code_debug_create(w->program, memory->bytes, w->ranges, w->range_count);
    mem_guard_end(&guard);
}

static struct engine_code *compile(const struct program *program, int level, bool *is_refused)
{
    *is_refused = false;
    if (level < LEVEL_V4 || program->native_code) return NULL;
    struct writing w = {.program = program, .compiled = mem_zalloc(1, sizeof *w.compiled)};
    writing_init(&w);
    shape_stub_write(&w.a); /* at 0: no body begins there */
    w.known_stub = w.a.used;
    add_range(&w, (struct code_extent){.end = w.a.used, .stub = "warpsage.shape"});
    shape_stub_write_known(&w.a, w.shape_stub);
    add_range(&w, (struct code_extent){w.known_stub, w.a.used, .stub = "warpsage.known_shape"});
    for (uint32_t f = 0; f < program->function_count; f++)
        write_function(&w, f);
    place_code(&w);
    tell_debuggers(&w);
    writing_clear(&w);
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
