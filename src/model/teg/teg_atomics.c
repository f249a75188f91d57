// SPDX-License-Identifier: Apache-2.0
#include "model/teg/teg_atomics.h"

#include <math.h>
#include <stdlib.h>

#include "base/short_lists.h"
#include "model/teg/teg_memo.h"

/* BLOCKS: of the trace, in which addresses are counted. */
enum { LANES = 32, BLOCKS = 32 };

/* ---- the table --------------------------------------------------------------------------------- */

/* NULL: the first. */
static const struct teg_turns *next_turns(const struct teg_atomics *atomics,
                                          const struct teg_turns *after)
{
    return hash_table_next(&atomics->turns, after, sizeof *after);
}

/* Addresses of an access and how many lanes each has; returns their number. */
static unsigned meet(const struct trace *trace, const struct trace_access *access,
                     uint64_t addresses[LANES], unsigned lanes[LANES])
{
    const struct trace_pattern *pattern = &trace->patterns[access->pattern];
    uint64_t all[LANES] = {0};
    unsigned count = 0;
    struct short_lists lists;
    if (pattern->shape == ACCESS_UNIFORM && !pattern->stride) {
        addresses[0] = access->base;
        lanes[0] = (unsigned)__builtin_popcount(pattern->mask);
        return 1;
    }
    short_lists_begin(&lists);
    trace_lanes(trace, access, all);
    for (uint32_t rest = pattern->mask; rest; rest &= rest - 1) {
        uint64_t address = all[__builtin_ctz(rest)], word = address / 4;
        unsigned at = short_list(&lists, word);
        while (at != SHORT_LIST_END && addresses[at] != address)
            at = lists.next[at];
        if (at == SHORT_LIST_END) {
            at = count++;
            addresses[at] = address;
            lanes[at] = 0;
            short_lists_add(&lists, word, at);
        }
        lanes[at]++;
    }
    return count;
}

/* ---- which addresses several blocks use -------------------------------------------------------- */

/* An address and the traced blocks that use it. */
struct users {
    uint64_t key; /* address + 1 */
    uint32_t blocks;
    uint32_t last; /* of them, + 1 */
};

/* Of the first traced blocks, by address; once a trace. */
struct teg_atomic_users {
    struct memo_entry entry;
    bool has_atomics;
    uint32_t blocks; /* in which addresses were counted */
    size_t count;
    struct users users[]; /* by ascending key */
};

static void add_step(struct hash_table *table, const struct trace *trace,
                     const struct trace_step *step, uint32_t block)
{
    uint64_t addresses[LANES];
    unsigned lanes[LANES];
    for (uint32_t i = 0; i < step->access_count; i++) {
        const struct trace_access *access = &step->accesses[i];
        if (trace->patterns[access->pattern].space != SPACE_GLOBAL) continue;
        unsigned count = meet(trace, access, addresses, lanes);
        for (unsigned k = 0; k < count; k++) {
            struct users *users = hash_table_add(table, addresses[k] + 1, sizeof *users);
            if (users->last == block + 1) continue;
            users->blocks++;
            users->last = block + 1;
        }
    }
}

static bool is_atomic(const struct trace_insn *insn)
{
    return insn->operation == TRACE_ATOMIC && insn->space != SPACE_SHARED;
}

static bool has_atomics(const struct trace *trace)
{
    for (uint32_t i = 0; i < trace->insn_count; i++)
        if (is_atomic(&trace->insns[i])) return true;
    return false;
}

static void read_trace(struct hash_table *table, const struct trace *trace, uint32_t blocks)
{
    struct trace_cursor cursor = {0};
    struct trace_step step;
    for (uint32_t b = 0; b < blocks; b++)
        for (uint32_t w = 0; w < trace->head.warps_per_block; w++) {
            if (!trace->blocks[b].warps[w].step_count) continue;
            trace_cursor_begin(&cursor, trace, &trace->blocks[b], w);
            while (trace_cursor_next(&cursor, &step))
                if (is_atomic(&trace->insns[step.insn])) add_step(table, trace, &step, b);
        }
    trace_cursor_clear(&cursor);
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = ((const struct users *)a)->key, y = ((const struct users *)b)->key;
    return (x > y) - (x < y);
}

static struct teg_atomic_users *make_users(const struct trace *trace)
{
    struct hash_table table = {0};
    uint32_t blocks = trace->block_count < BLOCKS ? trace->block_count : BLOCKS;
    bool is_used = has_atomics(trace);
    if (is_used) read_trace(&table, trace, blocks);
    struct teg_atomic_users *out = mem_zalloc(1, sizeof *out + table.used * sizeof out->users[0]);
    out->has_atomics = is_used;
    out->blocks = blocks;
    for (const struct users *at = NULL; (at = hash_table_next(&table, at, sizeof *at));)
        out->users[out->count++] = *at;
    qsort(out->users, out->count, sizeof out->users[0], compare_keys);
    hash_table_clear(&table);
    return out;
}

static const struct teg_atomic_users *find_users(const struct trace *trace)
{
    const struct memo_key key = {{TEG_MEMO_ATOMICS}};
    const struct memo_entry *known = memo_find(trace->memo, &key);
    if (!known) {
        struct teg_atomic_users *made = make_users(trace);
        made->entry.key = key;
        known = memo_add(trace->memo, &made->entry);
    }
    return (const struct teg_atomic_users *)(const void *)known;
}

/* How many blocks of the trace use the address. */
static uint32_t blocks_at(const struct teg_atomic_users *users, uint64_t address)
{
    const struct users wanted = {.key = address + 1};
    const struct users *found =
        users->count ? bsearch(&wanted, users->users, users->count, sizeof wanted, compare_keys)
                     : NULL;
    return found ? found->blocks : 0;
}

void teg_atomics_init(struct teg_atomics *atomics, const struct trace *trace,
                      const struct teg_machine *machine)
{
    *atomics = (struct teg_atomics){.machine = machine, .trace = trace};
    teg_atomics_share(atomics, 1, machine->active_sms);
    atomics->users = find_users(trace);
    atomics->is_used = machine->atomic > 0 && atomics->users->has_atomics;
}

void teg_atomics_clear(struct teg_atomics *atomics)
{
    hash_table_clear(&atomics->turns);
    *atomics = (struct teg_atomics){0};
}

void teg_atomics_share(struct teg_atomics *atomics, uint64_t own, uint64_t all)
{
    atomics->own = (double)own;
    atomics->sms = (double)all / (double)own;
}

/* ---- the turns --------------------------------------------------------------------------------- */

/* Of how many SMs the lanes are that take turns there, for each lane of this one. An address that one block
 * of several uses is its own. Else of all blocks of the launch as many use it as of the counted ones; the
 * expected number of them on an SM tells how many SMs there are for each that uses it. */
static double sms_at(const struct teg_atomics *atomics, const struct teg_turns *turns)
{
    if (turns->blocks < 2 && atomics->users->blocks > 1) return 1;
    double here = fmin(1, atomics->own * turns->blocks / atomics->users->blocks);
    return fmax(1, atomics->sms * here);
}

static struct teg_turns *find_turns(struct teg_atomics *atomics, uint64_t address)
{
    struct teg_turns *turns = hash_table_add(&atomics->turns, address + 1, sizeof *turns);
    if (!turns->is_known) {
        turns->is_known = true;
        turns->blocks = blocks_at(atomics->users, address);
    }
    return turns;
}

struct teg_turn_times teg_atomics_serve(struct teg_atomics *atomics,
                                        const struct trace_access *access, bool is_added_up,
                                        teg_time now)
{
    uint64_t addresses[LANES];
    unsigned lanes[LANES];
    struct teg_turn_times out = {now, 0};
    unsigned count = meet(atomics->trace, access, addresses, lanes);
    for (unsigned i = 0; i < count; i++) {
        struct teg_turns *turns = find_turns(atomics, addresses[i]);
        double turn = (double)atomics->machine->atomic * sms_at(atomics, turns);
        teg_time begin = turns->free > now ? turns->free : now;
        teg_time time = teg_round(turn * (is_added_up ? 1 : lanes[i]));
        turns->free = begin + time;
        turns->busy += time;
        if (begin > out.begin) out.begin = begin;
        /* The latency of an atomic holds one turn. */
        teg_time delay = turns->free - now - atomics->machine->atomic;
        if (delay > out.delay) out.delay = delay;
    }
    return out;
}

teg_time teg_atomics_end(const struct teg_atomics *atomics)
{
    teg_time end = 0;
    for (const struct teg_turns *turns = NULL; (turns = next_turns(atomics, turns));)
        if (turns->free > end) end = turns->free;
    return end;
}

teg_time teg_atomics_busy(const struct teg_atomics *atomics)
{
    teg_time busy = 0;
    for (const struct teg_turns *turns = NULL; (turns = next_turns(atomics, turns));)
        if (turns->busy > busy) busy = turns->busy;
    return busy;
}
