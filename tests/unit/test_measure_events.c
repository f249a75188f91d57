// SPDX-License-Identifier: Apache-2.0
/* The counting observer against a plain second implementation: random programs, random events. The
 * reference walks every instruction of every execution and keeps no tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/access_cost.h"
#include "measure/dependence.h"
#include "measure/isa_view.h"
#include "measure/profile.h"

enum {
    FUNCTIONS = 2,
    BLOCKS = 14,
    FIRST_OF_SECOND = 10, /* code blocks from here on belong to the second function */
    INSNS_MAX = 60,
    STAGES_MAX = 1025,
    WARPS = 3,
    THREADS = 80, /* the last warp has 16 */
};

static const uint32_t vreg_counts[FUNCTIONS] = {100, 6}; /* loads fill more than one word of bits */

struct program {
    struct module module;
    struct function functions[FUNCTIONS];
    struct basic_block basic_blocks[BLOCKS];
    struct code_block code_blocks[BLOCKS];
    struct insn insns[BLOCKS * INSNS_MAX];
    const struct insn *pointers[BLOCKS * INSNS_MAX];
    struct launch_view launch;
};

static uint64_t random_state;

static uint32_t next_random(uint32_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((random_state >> 33) % below);
}

/* ---- a random program ------------------------------------------------------------------------ */

static struct operand reg(uint32_t count)
{
    return (struct operand){
        .kind = OPERAND_REGISTER, .reg = (int32_t)next_random(count), .symbol = -1};
}

static struct operand address(uint32_t count)
{
    struct operand operand = reg(count);
    operand.kind = OPERAND_ADDRESS;
    return operand;
}

static struct insn base_insn(enum ptx_op op, enum ptx_type type, enum mem_space space)
{
    struct insn insn = {.op = (uint16_t)op,
                        .type = (uint8_t)type,
                        .space = (uint8_t)space,
                        .vector = 1,
                        .guard = -1,
                        .text = "made.by.hand"};
    return insn;
}

static struct insn arithmetic(uint32_t count)
{
    struct insn insn = base_insn(next_random(2) ? OP_ADD : OP_FMA, TYPE_F32, SPACE_NONE);
    insn.ndst = 1;
    insn.nsrc = (uint8_t)(insn.op == OP_ADD ? 2 : 3);
    for (int i = 0; i < 4; i++)
        insn.operands[i] = reg(count);
    if (next_random(4) == 0) insn.operands[2].kind = OPERAND_IMMEDIATE;
    if (next_random(8) == 0) insn.operands[0] = insn.operands[1];
    return insn;
}

static struct insn memory_insn(uint32_t count)
{
    static const enum mem_space spaces[] = {SPACE_GLOBAL, SPACE_GLOBAL,  SPACE_LOCAL,
                                            SPACE_SHARED, SPACE_GENERIC, SPACE_PARAM};
    enum mem_space space = spaces[next_random(6)];
    uint32_t what = next_random(space == SPACE_LOCAL || space == SPACE_PARAM ? 3 : 4);
    struct insn insn = base_insn(what < 2 ? OP_LD : what == 2 ? OP_ST : OP_ATOM, TYPE_U32, space);
    if (what < 2 && next_random(4) == 0) insn.vector = 4;
    insn.ndst = what < 2 ? insn.vector : what == 3;
    insn.nsrc = what < 2 ? 1 : 2;
    for (unsigned i = 0; i < insn.ndst; i++)
        insn.operands[i] = reg(count);
    insn.operands[insn.ndst] = address(count);
    insn.operands[insn.ndst + 1] = reg(count);
    return insn;
}

static struct insn last_insn(uint32_t count, uint32_t kind)
{
    struct insn insn = base_insn(OP_BAR, TYPE_NONE, SPACE_NONE);
    insn.sub_op = SUB_SYNC;
    if (kind == 1) insn.sub_op = SUB_ARRIVE;
    if (kind == 2) insn.sub_op = SUB_WARP_SYNC;
    if (kind >= 3) insn = base_insn(OP_BRA, TYPE_NONE, SPACE_NONE);
    if (kind >= 6) insn = base_insn(kind == 6 ? OP_EXIT : OP_RET, TYPE_NONE, SPACE_NONE);
    if (kind >= 4 && next_random(3)) insn.guard = (int32_t)next_random(count);
    return insn;
}

static void make_code_block(struct program *p, uint32_t index, uint32_t first, uint32_t count)
{
    unsigned f = index >= FIRST_OF_SECOND;
    uint32_t registers = vreg_counts[f];
    for (uint32_t i = 0; i < count; i++) {
        struct insn *insn = &p->insns[first + i];
        *insn = i + 1 == count && index % 3 ? last_insn(registers, next_random(8))
                : next_random(10) < 4       ? memory_insn(registers)
                                            : arithmetic(registers);
        if (insn->guard < 0 && insn->op != OP_BRA && next_random(6) == 0)
            insn->guard = (int32_t)next_random(registers);
        insn->line = first + i + 1;
        insn->column = 1;
        insn->class_id = (uint8_t)insn_classify(insn);
        insn->units = insn_units(insn);
        p->pointers[first + i] = insn;
    }
    p->basic_blocks[index].critical_path = 1 + next_random(count);
    p->code_blocks[index] = (struct code_block){first, count, &p->functions[f],
                                                &p->basic_blocks[index], f ? vreg_counts[0] : 0};
}

static struct program *make_program(uint64_t seed)
{
    struct program *p = calloc(1, sizeof *p);
    random_state = seed;
    for (int i = 0; i < FUNCTIONS; i++) {
        p->functions[i].name = p->functions[i].display_name = i ? "helper" : "kernel";
        p->functions[i].vreg_count = vreg_counts[i];
        p->functions[i].max_live_registers = 10 + (uint32_t)i;
        p->functions[i].local_bytes = 8;
    }
    uint32_t insn_count = 0;
    for (uint32_t i = 0; i < BLOCKS; i++) {
        uint32_t count = 1 + next_random(next_random(3) ? 8 : INSNS_MAX - 1);
        make_code_block(p, i, insn_count, count);
        insn_count += count;
    }
    p->module.functions = p->functions;
    p->module.function_count = FUNCTIONS;
    p->module.target = 80;
    p->module.target_name = "sm_80";
    p->launch = (struct launch_view){.module = &p->module,
                                     .grid = {5, 2, 1},
                                     .block = {THREADS, 1, 1},
                                     .warps_per_block = WARPS,
                                     .block_count = 10,
                                     .insn_count = insn_count,
                                     .insns = p->pointers,
                                     .code_block_count = BLOCKS,
                                     .code_blocks = p->code_blocks};
    return p;
}

/* ---- the reference --------------------------------------------------------------------------- */

struct reference_warp {
    uint64_t now, written[256];
    bool open, result[256];
    uint32_t stage;
    bool passed[32]; /* lanes that have passed a barrier that others have not */
};

struct reference {
    uint64_t launch[COUNTER_COUNT];
    uint64_t stages[STAGES_MAX][COUNTER_COUNT];
    uint64_t insns[BLOCKS * INSNS_MAX][COUNTER_COUNT];
    uint64_t distance, consumers, loads, groups, paths, block_insns;
    long double warps_working[STAGES_MAX], threads_working[STAGES_MAX];
    uint64_t stage_blocks[STAGES_MAX];
    uint64_t *sectors[2]; /* of global memory, each time one is read, written */
    size_t sector_count[2], sector_room[2];
    /* of the block that runs */
    struct reference_warp warps[WARPS];
    uint64_t by_warp[STAGES_MAX][WARPS], by_thread[STAGES_MAX][THREADS];
};

static void count(struct reference *r, uint32_t stage, uint32_t pc, int counter, uint64_t n)
{
    r->launch[counter] += n;
    r->stages[stage][counter] += n;
    if (counter < COUNTER_INST_WARP_FIRST) r->insns[pc][counter] += n;
}

static unsigned lanes_in(uint32_t mask)
{
    unsigned lanes = 0;
    for (int i = 0; i < 32; i++)
        lanes += mask >> i & 1;
    return lanes;
}

static bool is_group_load(const struct insn *insn)
{
    return insn->op == OP_LD && (insn->space == SPACE_GLOBAL || insn->space == SPACE_LOCAL ||
                                 insn->space == SPACE_GENERIC);
}

/* Reads come before writes; distance to the latest of all writers. */
static void reference_registers(struct reference *r, struct reference_warp *warp,
                                const struct insn *insn, uint32_t base)
{
    uint64_t newest = 0;
    bool reads_group = false;
    warp->now++;
    for (int i = -1; i < insn->nsrc; i++) {
        const struct operand *source = i < 0 ? NULL : insn_source(insn, (unsigned)i);
        if (source && source->kind != OPERAND_REGISTER && source->kind != OPERAND_ADDRESS) continue;
        int32_t number = source ? source->reg : insn->guard;
        if (number < 0) continue;
        uint32_t at = (uint32_t)number + base;
        if (warp->written[at] > newest) newest = warp->written[at];
        if (warp->result[at]) reads_group = true;
    }
    if (newest) {
        uint64_t distance = warp->now - newest;
        r->distance += distance > 32 ? 32 : distance;
        r->consumers++;
    }
    if (warp->open && reads_group) warp->open = false;
    bool load = is_group_load(insn);
    if (load && !warp->open) {
        memset(warp->result, 0, sizeof warp->result);
        warp->open = true;
        r->groups++;
    }
    r->loads += load;
    for (unsigned i = 0; i < insn->ndst; i++) {
        uint32_t at = (uint32_t)insn->operands[i].reg + base;
        warp->written[at] = warp->now;
        warp->result[at] = load;
    }
    if (!warp->open) memset(warp->result, 0, sizeof warp->result);
}

static void note_sectors(struct reference *r, int side, const struct access *access)
{
    if (r->sector_room[side] < r->sector_count[side] + 64) {
        r->sector_room[side] = 2 * r->sector_room[side] + 1024;
        r->sectors[side] = realloc(r->sectors[side], r->sector_room[side] * sizeof(uint64_t));
    }
    for (int lane = 0; lane < 32; lane++) {
        if (!(access->mask >> lane & 1)) continue;
        uint64_t first = access->addresses[lane], last = first + access->bytes - 1;
        r->sectors[side][r->sector_count[side]++] = first / 32;
        r->sectors[side][r->sector_count[side]++] = last / 32;
    }
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t distinct_sectors(struct reference *r, int side)
{
    uint64_t distinct = 0;
    qsort(r->sectors[side], r->sector_count[side], sizeof(uint64_t), by_number);
    for (size_t i = 0; i < r->sector_count[side]; i++)
        distinct += i == 0 || r->sectors[side][i] != r->sectors[side][i - 1];
    free(r->sectors[side]);
    r->sectors[side] = NULL;
    r->sector_count[side] = r->sector_room[side] = 0;
    return distinct;
}

static void reference_memory(struct reference *r, uint32_t stage, uint32_t pc,
                             const struct insn *insn, const struct access *access)
{
    enum memory_operation operation = insn->op == OP_LD   ? MEMORY_LOAD
                                      : insn->op == OP_ST ? MEMORY_STORE
                                                          : MEMORY_ATOMIC;
    enum memory_kind kind = memory_kind((enum mem_space)access->space, operation);
    struct cost cost;
    if (access->space == SPACE_GLOBAL && operation != MEMORY_STORE) note_sectors(r, 0, access);
    if (access->space == SPACE_GLOBAL && operation != MEMORY_LOAD) note_sectors(r, 1, access);
    if (kind == MEMORY_KIND_NONE) return;
    const struct lane_access lanes = {access->bytes, access->mask, access->addresses};
    access_cost(&cost, kind, &lanes, lane_math_at(0), RULES_ALL);
    for (unsigned i = 0; i < memory_kind_fields[kind]; i++)
        count(r, stage, pc, (int)(memory_kind_counters[kind] + i), cost.fields[i]);
}

static void reference_end_block(struct reference *r)
{
    for (int stage = 0; stage < STAGES_MAX; stage++) {
        uint64_t sum = 0, most = 0, thread_sum = 0, thread_most = 0;
        for (int i = 0; i < WARPS; i++) {
            sum += r->by_warp[stage][i];
            if (r->by_warp[stage][i] > most) most = r->by_warp[stage][i];
        }
        for (int i = 0; i < THREADS; i++) {
            thread_sum += r->by_thread[stage][i];
            if (r->by_thread[stage][i] > thread_most) thread_most = r->by_thread[stage][i];
        }
        if (!most) continue;
        r->stage_blocks[stage]++;
        r->warps_working[stage] += (long double)sum / (long double)most;
        if (thread_most)
            r->threads_working[stage] += (long double)thread_sum / (long double)thread_most;
    }
    memset(r->by_warp, 0, sizeof r->by_warp);
    memset(r->by_thread, 0, sizeof r->by_thread);
    memset(r->warps, 0, sizeof r->warps);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Who hears of a block: a worker of the observer, and the reference if there is one. */
struct listener {
    const struct program *program;
    const struct observer_ops *ops;
    void *worker;
    struct reference *reference;
    uint32_t alive[WARPS];
};

static void make_access(struct access *access, uint64_t addresses[32], const struct insn *insn,
                        uint32_t mask)
{
    unsigned bytes = insn_access_bytes(insn);
    static const uint8_t generic[] = {SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL};
    uint8_t space = insn->space;
    if (space == SPACE_GENERIC) space = generic[next_random(insn->op == OP_ATOM ? 2 : 3)];
    *access = (struct access){.space = space,
                              .shape = (uint8_t)next_random(4),
                              .bytes = (uint8_t)bytes,
                              .mask = mask,
                              .addresses = addresses,
                              .base = (uint64_t)next_random(4) * 64,
                              .base2 = 4096 + bytes,
                              .stride = (int64_t)bytes * (next_random(3) ? 1 : 3)};
    for (unsigned i = 0; i < 32; i++) {
        uint64_t general = (uint64_t)next_random(2000) * bytes;
        addresses[i] = access->shape == ACCESS_UNIFORM ? access->base
                       : access->shape == ACCESS_STRIDED
                           ? access->base + i * (uint64_t)access->stride
                       : access->shape == ACCESS_GENERAL ? general
                       : i < 16 ? access->base + i * (uint64_t)access->stride
                                : access->base2 + (i - 16) * (uint64_t)access->stride;
    }
}

static uint32_t random_subset(uint32_t mask)
{
    switch (next_random(5)) {
    case 0:
        return 0;
    case 1:
        return mask & (mask << 1);
    case 2:
        return mask & (next_random(65536) | next_random(65536) << 16);
    default:
        return mask;
    }
}

/* The stage ends when every lane that is left has passed, or one comes again. */
static void reference_pass(struct reference_warp *warp, uint32_t lanes, uint32_t alive)
{
    bool again = false, all = true;
    for (int i = 0; i < 32; i++)
        again = again || (warp->passed[i] && (lanes >> i & 1));
    if (again) {
        memset(warp->passed, 0, sizeof warp->passed);
        if (warp->stage < 1024) warp->stage++;
    }
    for (int i = 0; i < 32; i++) {
        warp->passed[i] = warp->passed[i] || (lanes >> i & 1);
        all = all && (warp->passed[i] || !(alive >> i & 1));
    }
    if (!all) return;
    memset(warp->passed, 0, sizeof warp->passed);
    if (warp->stage < 1024) warp->stage++;
}

/* Lanes that leave here; ret leaves in the entry only. */
static bool leaves(const struct program *p, uint32_t pc)
{
    const struct insn *insn = p->pointers[pc];
    return insn->op == OP_EXIT ||
           (insn->op == OP_RET && pc < p->code_blocks[FIRST_OF_SECOND].first);
}

static void play_insn(struct listener *l, const struct warp_ref *ref, uint32_t pc, uint32_t base,
                      uint32_t active)
{
    const struct insn *insn = l->program->pointers[pc];
    struct reference *r = l->reference;
    struct reference_warp *warp = r ? &r->warps[ref->index] : NULL;
    bool is_bra = insn->op == OP_BRA;
    uint32_t on = insn->guard >= 0 ? random_subset(active) : active, targets = 1;
    uint64_t addresses[32];
    struct access access;
    if (leaves(l->program, pc)) {
        if (insn->guard >= 0 && next_random(30)) on = 0;
        l->alive[ref->index] &= ~on;
    }
    if (is_bra && on && on != active) targets = 2;
    if (insn->guard >= 0 && !is_bra) l->ops->guard(l->worker, ref, pc, active, on);
    if (is_bra) l->ops->branch(l->worker, ref, pc, active, on, targets);
    bool is_memory = insn->op == OP_LD || insn->op == OP_ST || insn->op == OP_ATOM;
    if (is_memory && on) {
        make_access(&access, addresses, insn, on);
        l->ops->memory(l->worker, ref, pc, &access);
    }
    bool is_barrier = insn->op == OP_BAR && insn->sub_op != SUB_WARP_SYNC;
    if (is_barrier && on) l->ops->barrier(l->worker, ref, pc, insn->sub_op != SUB_ARRIVE);
    if (!r) return;
    uint32_t stage = warp->stage;
    count(r, stage, pc, COUNTER_INST_WARP, 1);
    count(r, stage, pc, COUNTER_INST_THREAD, lanes_in(on));
    count(r, stage, pc, COUNTER_INST_THREAD_ACTIVE, lanes_in(active));
    count(r, stage, pc, COUNTER_INST_WARP_FIRST + insn->class_id, 1);
    for (int unit = 0; unit < UNIT_COUNT; unit++)
        if (insn->units & 1 << unit) count(r, stage, pc, COUNTER_INST_UNIT_FIRST + unit, 1);
    if (is_bra) count(r, stage, pc, COUNTER_BRANCH_WARP, 1);
    if (targets > 1) count(r, stage, pc, COUNTER_BRANCH_DIVERGENT, 1);
    r->by_warp[stage][ref->index]++;
    for (unsigned lane = 0; lane < 32; lane++)
        if (on >> lane & 1) r->by_thread[stage][ref->index * 32 + lane]++;
    if (is_memory && on) reference_memory(r, stage, pc, insn, &access);
    reference_registers(r, warp, insn, base);
    if (!is_barrier) return;
    count(r, stage, pc, COUNTER_BARRIER_WARP, 1);
    if (!on) return;
    warp->open = false;
    memset(warp->result, 0, sizeof warp->result);
    if (insn->sub_op != SUB_ARRIVE) reference_pass(warp, on, l->alive[ref->index]);
}

static void play_block(struct listener *l, void *block, uint32_t warp, uint32_t code_block)
{
    uint32_t threads = warp == WARPS - 1 ? 0xffff : UINT32_MAX;
    struct warp_ref ref = {block, warp, threads};
    uint32_t alive = l->alive[warp], active = next_random(3) ? alive : random_subset(alive);
    const struct code_block *code = &l->program->code_blocks[code_block];
    uint32_t last = code->first + code->count - 1;
    if (leaves(l->program, last) && l->program->pointers[last]->guard < 0 && next_random(50))
        return;
    if (!active) active = alive & (0 - alive);
    if (!active) return;
    l->ops->run(l->worker, &ref, code_block, active);
    if (l->reference) {
        l->reference->paths += code->block->critical_path;
        l->reference->block_insns += code->count;
    }
    for (uint32_t i = 0; i < code->count; i++)
        play_insn(l, &ref, code->first + i, code->vreg_base, active);
}

/* All events of one thread block: a function of the seed and its index. */
static void play_thread_block(struct listener *l, uint64_t seed, uint64_t index, unsigned steps)
{
    random_state = seed * 1000 + index;
    void *block = l->ops->block_begin(l->worker, index);
    for (uint32_t i = 0; i < WARPS; i++)
        l->alive[i] = i == WARPS - 1 ? 0xffff : UINT32_MAX;
    for (unsigned i = 0; i < steps; i++)
        play_block(l, block, next_random(WARPS), next_random(BLOCKS));
    for (uint32_t i = 0; i < WARPS; i++) {
        struct warp_ref ref = {block, i, i == WARPS - 1 ? 0xffff : UINT32_MAX};
        l->ops->warp_end(l->worker, &ref);
    }
    l->ops->block_end(l->worker, block);
    if (l->reference) reference_end_block(l->reference);
}

/* Blocks are dealt out to the workers in turn, from either end. */
static struct profile *play(const struct program *program, uint64_t seed, unsigned workers,
                            unsigned steps, bool backwards, unsigned rules,
                            struct reference *reference)
{
    struct measure *measure = measure_begin(rules);
    struct observer *observer = measure_observer(measure);
    struct listener listeners[4];
    observer->ops->launch_begin(observer->self, &program->launch);
    for (unsigned i = 0; i < workers; i++) {
        void *worker = observer->ops->worker_begin(observer->self);
        listeners[i] = (struct listener){program, observer->ops, worker, reference, {0}};
    }
    uint64_t blocks = program->launch.block_count;
    for (uint64_t i = 0; i < blocks; i++)
        play_thread_block(&listeners[i % workers], seed, backwards ? blocks - 1 - i : i, steps);
    for (unsigned i = 0; i < workers; i++)
        observer->ops->worker_end(observer->self, listeners[i].worker);
    observer->ops->launch_end(observer->self);
    return measure_end(measure, 1);
}

/* ---- comparison ------------------------------------------------------------------------------ */

static void assert_count(const char *what, unsigned index, int counter, double got, uint64_t want)
{
    if (got == (double)want) return;
    fail_msg("%s %u, %s: %.17g, expected %llu", what, index, counter_infos[counter].id, got,
             (unsigned long long)want);
}

static void assert_close(const char *what, double got, long double want)
{
    if (fabsl((long double)got - want) <= 1e-14L * (want + 1)) return;
    fail_msg("%s: %.17g, expected %.17Lg", what, got, want);
}

static void compare_launch(const struct profile *profile, struct reference *r)
{
    r->launch[COUNTER_WARPS_EXECUTED] = 10 * WARPS;
    r->launch[COUNTER_BLOCKS_EXECUTED] = 10;
    r->launch[COUNTER_MEM_GLOBAL_READ_FOOTPRINT] = distinct_sectors(r, 0);
    r->launch[COUNTER_MEM_GLOBAL_WRITTEN_FOOTPRINT] = distinct_sectors(r, 1);
    r->launch[COUNTER_MEM_LOADS] = r->loads;
    r->launch[COUNTER_MEM_GROUPS] = r->groups;
    r->launch[COUNTER_MEM_INDEPENDENT] = r->loads - r->groups;
    for (int i = 0; i < COUNTER_COUNT; i++) {
        if (isa_view_has((enum counter)i)) continue;
        assert_int_equal(profile->counters[i].origin, ORIGIN_EMULATED);
        if (i == COUNTER_DEP_DISTANCE || i == COUNTER_DEP_ILP || i == COUNTER_MEM_MSTR) continue;
        assert_count("launch", 0, i, profile_get(profile, (enum counter)i), r->launch[i]);
    }
    assert_close("dep.distance", profile_get(profile, COUNTER_DEP_DISTANCE),
                 (long double)r->distance / (long double)r->consumers);
    assert_close("dep.ilp", profile_get(profile, COUNTER_DEP_ILP),
                 (long double)r->block_insns / (long double)r->paths);
    assert_close("mem.mstr", profile_get(profile, COUNTER_MEM_MSTR),
                 (long double)r->loads / (long double)r->groups);
}

static void compare_instructions(const struct profile *profile, struct reference *r)
{
    for (uint32_t pc = 0; pc < profile->instruction_count; pc++) {
        const struct instruction_profile *insn = &profile->instructions[pc];
        assert_int_equal(insn->pc, pc);
        assert_int_equal(insn->line, pc + 1);
        for (uint32_t i = 0; i < insn->counter_count; i++) {
            assert_true(insn->values[i] != 0);
            assert_count("instruction", pc, insn->counters[i], insn->values[i],
                         r->insns[pc][insn->counters[i]]);
            r->insns[pc][insn->counters[i]] = 0;
        }
        for (int i = 0; i < COUNTER_COUNT; i++)
            assert_count("missing", pc, i, 0, r->insns[pc][i]);
    }
}

static void compare_stages(const struct profile *profile, const struct reference *r)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < STAGES_MAX; i++)
        found += r->stage_blocks[i] > 0;
    assert_int_equal(profile->stage_count, found);
    for (uint32_t s = 0; s < profile->stage_count; s++) {
        const struct stage_profile *stage = &profile->stages[s];
        uint32_t at = stage->index;
        for (int i = 0; i < COUNTER_COUNT; i++)
            if (counter_infos[i].staged)
                assert_count("stage", at, i, stage->counters[i], r->stages[at][i]);
        long double blocks = (long double)r->stage_blocks[at];
        assert_close("warps_working", stage->warps_working, r->warps_working[at] / blocks);
        assert_close("threads_working", stage->threads_working, r->threads_working[at] / blocks);
    }
}

static void random_programs(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 25; seed++) {
        struct program *program = make_program(seed);
        struct reference *reference = calloc(1, sizeof *reference);
        struct profile *profile = play(program, seed, 1, 150, false, RULES_ALL, reference);
        assert_true(reference->groups > 0 && reference->consumers > 0);
        compare_launch(profile, reference);
        compare_instructions(profile, reference);
        compare_stages(profile, reference);
        profile_destroy(profile);
        free(reference);
        free(program);
    }
}

/* Stages from ordinal 1024 on are one: a block of barriers that goes round 1500 times or so. */
static void many_stages(void **state)
{
    (void)state;
    struct program *program = make_program(3);
    struct reference *reference = calloc(1, sizeof *reference);
    for (uint32_t i = 0; i < BLOCKS; i++) { /* every code block ends with a barrier */
        struct insn *last =
            &program->insns[program->code_blocks[i].first + program->code_blocks[i].count - 1];
        *last = last_insn(1, 0);
        last->line = (uint32_t)(last - program->insns) + 1;
        last->class_id = (uint8_t)insn_classify(last);
        last->units = insn_units(last);
    }
    struct profile *profile = play(program, 3, 1, 4500, false, RULES_ALL, reference);
    assert_int_equal(profile->stage_count, 1025);
    assert_int_equal(profile->stages[1024].index, 1024);
    compare_launch(profile, reference);
    compare_stages(profile, reference);
    profile_destroy(profile);
    free(reference);
    free(program);
}

/* The profile must not depend on who executed which block, or in which order. */
static void any_number_of_workers(void **state)
{
    (void)state;
    struct program *program = make_program(7);
    struct profile *one = play(program, 7, 1, 200, false, RULES_ALL, NULL);
    char *expected = profile_to_json(one);
    for (unsigned workers = 1; workers <= 4; workers++) {
        struct profile *many = play(program, 7, workers, 200, workers % 2 == 1, RULES_ALL, NULL);
        char *text = profile_to_json(many);
        assert_string_equal(text, expected);
        free(text);
        profile_destroy(many);
    }
    free(expected);
    profile_destroy(one);
    free(program);
}

/* More costs than have numbers: the rest is added up at once, and nothing is lost. */
static void more_costs_than_numbers(void **state)
{
    (void)state;
    struct program *program = make_program(11);
    struct reference *reference = calloc(1, sizeof *reference);
    struct profile *profile = play(program, 11, 2, 9000, false, RULES_ALL, reference);
    compare_launch(profile, reference);
    compare_instructions(profile, reference);
    compare_stages(profile, reference);
    profile_destroy(profile);
    free(reference);
    free(program);
}

static void rules_are_null_unless_requested(void **state)
{
    (void)state;
    struct program *program = make_program(5);
    struct profile *profile = play(program, 5, 1, 50, false, RULE_CC12, NULL);
    const struct counter_value *value = &profile->counters[COUNTER_MEM_GLOBAL_LOAD_BYTES_CC10];
    assert_int_equal(value->origin, ORIGIN_NONE);
    assert_string_equal(value->reason, "rule not requested");
    assert_false(profile_has(profile, COUNTER_MEM_SHARED_LOAD_WAVEFRONTS16));
    assert_true(profile_has(profile, COUNTER_MEM_GLOBAL_LOAD_BYTES_CC12));
    assert_true(profile_has(profile, COUNTER_MEM_SHARED_LOAD_WAVEFRONTS32));
    profile_destroy(profile);
    free(program);
}

/* A sample of the grid: counts are scaled, means are not, and the number that ran is the truth. */
static void sampled_blocks(void **state)
{
    (void)state;
    struct program *program = make_program(9);
    struct reference *reference = calloc(1, sizeof *reference);
    struct measure *measure = measure_begin(0);
    struct observer *observer = measure_observer(measure);
    observer->ops->launch_begin(observer->self, &program->launch);
    struct listener l = {
        program, observer->ops, observer->ops->worker_begin(observer->self), reference, {0}};
    for (uint64_t i = 0; i < 4; i++)
        play_thread_block(&l, 9, i, 40);
    observer->ops->worker_end(observer->self, l.worker);
    struct profile *profile = measure_end(measure, 0.4);
    assert_int_equal(profile->counters[COUNTER_INST_WARP].origin, ORIGIN_SAMPLED);
    double want = nearbyint((double)reference->launch[COUNTER_INST_WARP] * 10.0 / 4.0);
    assert_true(profile_get(profile, COUNTER_INST_WARP) == want);
    assert_true(profile_get(profile, COUNTER_WARPS_EXECUTED) == 30);
    assert_true(profile_get(profile, COUNTER_BLOCKS_EXECUTED) == 4);
    assert_close("dep.distance", profile_get(profile, COUNTER_DEP_DISTANCE),
                 (long double)reference->distance / (long double)reference->consumers);
    assert_true(profile->sampled_fraction == 0.4);
    assert_false(profile_has(profile, COUNTER_MEM_GLOBAL_READ_FOOTPRINT));
    assert_non_null(profile->counters[COUNTER_MEM_GLOBAL_READ_FOOTPRINT].reason);
    distinct_sectors(reference, 0);
    distinct_sectors(reference, 1);
    profile_destroy(profile);
    free(reference);
    free(program);
}

/* Statements and source lines of instructions, as the PTX text has them. */
static void statements(void **state)
{
    (void)state;
    static const char ptx[] = "// head\n"
                              "L1: { add.f32 %f1,\t%f2; @!%p1 bra L1; }\n"
                              "  call.uni (r),\n   f,\n   (a);\n"
                              "ret";
    static const struct {
        uint32_t line, column;
        const char *text;
    } places[] = {{2, 7, "add.f32 %f1, %f2"},
                  {2, 33, "@!%p1 bra L1"},
                  {3, 3, "call.uni (r), f, (a)"},
                  {6, 1, "ret"},
                  {7, 1, NULL},
                  {0, 0, NULL}};
    static const char *const files[] = {"", "k.cu"};
    struct program *program = make_program(4);
    program->module.ptx = ptx;
    program->module.ptx_size = sizeof ptx - 1;
    program->module.files = files;
    program->module.file_count = 2;
    for (int i = 0; i < 6; i++) {
        program->insns[i].line = places[i].line;
        program->insns[i].column = places[i].column;
        program->insns[i].source_file = i == 1;
        program->insns[i].source_line = i == 1 ? 12 : 0;
    }
    struct profile *profile = play(program, 4, 1, 1, false, 0, NULL);
    for (int i = 0; i < 6; i++) {
        if (places[i].text)
            assert_string_equal(profile->instructions[i].text, places[i].text);
        else
            assert_null(profile->instructions[i].text);
    }
    assert_string_equal(profile->instructions[1].file, "k.cu");
    assert_int_equal(profile->instructions[1].source_line, 12);
    assert_null(profile->instructions[0].file);
    assert_string_equal(profile->isa, "ptx 0.0 sm_80");
    assert_int_equal(profile->registers[0].value, 10 + 11);
    assert_int_equal(profile->registers[0].target, 80);
    assert_int_equal(profile->local_bytes_per_thread, 16);
    profile_destroy(profile);
    free(program);
}

/* Indices of instructions are kept small; distances must not notice. */
static void long_runs_of_a_warp(void **state)
{
    (void)state;
    struct program *program = make_program(2);
    struct dep_plan plan;
    struct dep_warp warps[2];
    struct dep_sums sums[2] = {{0, 0}, {0, 0}};
    dep_plan_init(&plan, &program->launch);
    for (uint32_t i = 0; i < 2; i++) {
        warps[i] = (struct dep_warp){1, calloc(plan.slot_count, sizeof(uint32_t))};
        for (uint32_t k = 0; k < BLOCKS; k++)
            dep_run(&plan, &plan.blocks[k], &warps[i], &sums[i]);
    }
    uint32_t shift = UINT32_MAX / 2 - 500 - warps[1].now; /* the second has come a long way */
    warps[1].now += shift;
    for (uint32_t i = 0; i < plan.slot_count; i++)
        if (warps[1].last[i]) warps[1].last[i] += shift;
    for (uint32_t step = 0; step < 1000; step++) {
        uint32_t block = next_random(BLOCKS);
        for (uint32_t i = 0; i < 2; i++)
            dep_run(&plan, &plan.blocks[block], &warps[i], &sums[i]);
        assert_int_equal(sums[0].distance, sums[1].distance);
        assert_int_equal(sums[0].consumers, sums[1].consumers);
    }
    assert_true(warps[1].now < UINT32_MAX / 4); /* it was rebased on the way */
    for (uint32_t i = 0; i < 2; i++)
        free(warps[i].last);
    dep_plan_clear(&plan);
    free(program);
}

/* The two tables of one counter must agree, and every id must be found again. */
static void counter_table(void **state)
{
    (void)state;
    for (int i = 0; i < COUNTER_COUNT; i++) {
        assert_int_equal(counter_find(counter_infos[i].id), i);
        assert_true(strlen(counter_infos[i].text) > 10);
    }
    assert_int_equal(counter_find("inst.wrap"), -1);
    assert_string_equal(counter_infos[COUNTER_INST_WARP_FIRST + CLASS_FP32_FMA].id,
                        "inst.warp.fp32.fma");
    assert_string_equal(counter_infos[COUNTER_INST_WARP_FIRST + CLASS_FP32_FMA].text,
                        "Warp instructions of class fp32.fma.");
    assert_string_equal(counter_infos[COUNTER_INST_UNIT_FIRST + UNIT_LOCAL].id, "inst.unit.local");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs),
        cmocka_unit_test(many_stages),
        cmocka_unit_test(any_number_of_workers),
        cmocka_unit_test(more_costs_than_numbers),
        cmocka_unit_test(rules_are_null_unless_requested),
        cmocka_unit_test(sampled_blocks),
        cmocka_unit_test(long_runs_of_a_warp),
        cmocka_unit_test(statements),
        cmocka_unit_test(counter_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
