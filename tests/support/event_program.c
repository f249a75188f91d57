// SPDX-License-Identifier: Apache-2.0
#include "support/event_program.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t vreg_counts[FUNCTIONS] = {100, 6}; /* loads fill more than one word of bits */

static uint64_t random_state;

uint32_t next_random(uint32_t below)
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

struct insn last_insn(uint32_t count, uint32_t kind)
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

struct program *make_program(uint64_t seed)
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

uint64_t distinct_sectors(struct reference *r, int side)
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
    const struct counting_rules rules = counting_rules_of(RULES_ALL);
    access_cost(&cost, kind, &lanes, lane_math_at(0), &rules);
    for (unsigned i = 0; i < memory_kind_fields[kind]; i++)
        count(r, stage, pc, (int)(memory_kind_counters[kind] + i), cost.fields[i]);
}

static void reference_shared_warps(struct reference *r, int stage)
{
    uint64_t sum = 0, most = 0;
    for (int i = 0; i < WARPS; i++) {
        sum += r->shared_by_warp[stage][i];
        if (r->shared_by_warp[stage][i] > most) most = r->shared_by_warp[stage][i];
    }
    if (!most) return;
    r->shared_blocks[stage]++;
    r->shared_warps_working[stage] += (long double)sum / (long double)most;
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
        reference_shared_warps(r, stage);
        if (!most) continue;
        r->stage_blocks[stage]++;
        r->warps_working[stage] += (long double)sum / (long double)most;
        if (thread_most)
            r->threads_working[stage] += (long double)thread_sum / (long double)thread_most;
    }
    memset(r->by_warp, 0, sizeof r->by_warp);
    memset(r->shared_by_warp, 0, sizeof r->shared_by_warp);
    memset(r->by_thread, 0, sizeof r->by_thread);
    memset(r->warps, 0, sizeof r->warps);
}

/* ---- events ---------------------------------------------------------------------------------- */

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
    if (is_memory && on && access.space == SPACE_SHARED) r->shared_by_warp[stage][ref->index]++;
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
void play_thread_block(struct listener *l, uint64_t seed, uint64_t index, unsigned steps)
{
    random_state = seed * 1000 + index;
    void *block = l->ops->block_begin(l->worker, index);
    for (uint32_t i = 0; i < WARPS; i++)
        l->alive[i] = i == WARPS - 1 ? 0xffff : UINT32_MAX;
    for (unsigned i = 0; i < steps; i++)
        play_block(l, block, next_random(WARPS), next_random(BLOCKS));
    l->ops->block_end(l->worker, block);
    if (l->reference) reference_end_block(l->reference);
}

struct profile *play(const struct program *program, uint64_t seed, unsigned workers, unsigned steps,
                     bool backwards, unsigned rules, struct reference *reference)
{
    struct measure *measure = measure_begin(counting_rules_of(rules));
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
