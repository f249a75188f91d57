// SPDX-License-Identifier: Apache-2.0
/* How grave an unordered pair of accesses is, and its words. */
#include <stdio.h>
#include <string.h>

#include "check/race.h"

static bool is_weak_write(const struct place *place, bool writes)
{
    return writes && !place->is_strong;
}

static unsigned lane_of_entry(const struct conflict *conflict)
{
    unsigned byte = (unsigned)__builtin_ctz(conflict->bytes), lane = entry_lane(conflict->entry);
    if (conflict->entry & ENTRY_RAMP1) return lane + byte;
    if (conflict->entry & ENTRY_RAMP2) return lane + byte / 2;
    bool is_own = conflict->entry & ENTRY_MANY && lane == conflict->lane;
    return is_own ? (lane + 1) % LANES : lane;
}

/* Do the lanes of one instruction store different values? */
static bool values_differ(const struct check_access *told, unsigned a, unsigned b)
{
    unsigned char of_a[32], of_b[32];
    if (!told->value_of(told, a, of_a) || !told->value_of(told, b, of_b)) return true;
    return told->access->addresses[a] != told->access->addresses[b] ||
           memcmp(of_a, of_b, told->access->bytes) != 0;
}

/* Is a result that atomics of a block gather in its shared memory read, and used as data, while they may go on? What
 * only decides whether to do an atomic may be old. */
static bool is_early_use(struct race *race, const struct conflict *conflict)
{
    struct place *read = conflict->mine->is_strong ? conflict->place : conflict->mine;
    return race->access->access->space == SPACE_SHARED && conflict->relation == UNORDERED &&
           place_moves_data(race, read);
}

/* What is found of two unordered accesses; CHECK_CODE_COUNT: nothing worth telling. */
static enum check_code code_of(struct race *race, const struct conflict *conflict)
{
    const struct check_access *told = race->access;
    bool mine_is_weak = is_weak_write(conflict->mine, told->writes);
    bool is_weak = is_weak_write(conflict->place, conflict->is_write);
    bool is_sure = conflict->relation == UNORDERED;
    bool both_strong = conflict->mine->is_strong && conflict->place->is_strong;
    const struct segment *segment = segment_at(race, entry_segment(conflict->entry));
    if (conflict->is_same_instruction)
        return values_differ(told, conflict->lane, lane_of_entry(conflict))
                   ? CHECK_CODE_RACE_LANES
                   : CHECK_CODE_RACE_SAME_VALUE;
    if (conflict->relation == UNFENCED) return CHECK_CODE_RACE_PROXY;
    /* cuda::pipeline ends its barriers in one lane of a warp, after a match. */
    if (conflict->mine->is_mbarrier && conflict->place->is_mbarrier && !is_sure)
        return CHECK_CODE_COUNT;
    bool in_warp = segment->owner == conflict->block->owner && segment->warp == told->warp;
    if (both_strong && in_warp) {
        bool matters = !is_sure && !(told->writes && conflict->is_quiet) &&
                       !(conflict->is_write && conflict->entry & ENTRY_QUIET);
        return matters ? CHECK_CODE_RACE_WARP : CHECK_CODE_COUNT;
    }
    if (both_strong) return is_sure ? CHECK_CODE_RACE_SCOPE : CHECK_CODE_COUNT;
    if (!mine_is_weak && !is_weak && !is_early_use(race, conflict))
        return is_sure || in_warp ? CHECK_CODE_RACE_PLAIN_READ : CHECK_CODE_COUNT;
    bool is_benign =
        told->writes ? conflict->is_quiet : conflict->is_write && conflict->entry & ENTRY_QUIET;
    if (is_benign && !is_sure) return CHECK_CODE_COUNT;
    if (is_benign && conflict->is_write && told->writes) return CHECK_CODE_RACE_SAME_VALUE;
    if (is_benign) return CHECK_CODE_RACE_NO_CHANGE;
    bool is_pending = segment->is_async && !((segment->done >> (lane_of_entry(conflict) & 31)) & 1);
    if (is_pending) return CHECK_CODE_RACE_COPY;
    if (is_sure) return CHECK_CODE_RACE;
    return in_warp ? CHECK_CODE_RACE_WARP : CHECK_CODE_RACE_FENCE;
}

/* ---- words ----------------------------------------------------------------------------------- */

static const char *kind_of(const struct place *place, bool writes)
{
    if (place->is_mbarrier) return "operation on an mbarrier object";
    if (place->insn->op == OP_WGMMA) return "read by wgmma";
    if (op_infos[place->insn->op].form == FORM_BULK)
        return writes ? "asynchronous write" : "asynchronous read";
    if (place->is_atomic) return "atomic";
    if (place->insn->flags & INSN_ASYNC && writes) return "asynchronous copy";
    if (place->is_strong) return writes ? "strong write" : "strong read";
    return writes ? "write" : "read";
}

static void tell_detail(const struct race *race, const struct conflict *conflict, char *out,
                        size_t size)
{
    const struct check_access *told = race->access;
    const struct segment *segment = segment_at(race, entry_segment(conflict->entry));
    const char *mine = kind_of(conflict->mine, told->writes);
    const char *earlier = kind_of(conflict->place, conflict->is_write);
    bool in_block = segment->owner == conflict->block->owner;
    const char *where = !in_block                       ? "another block"
                        : segment->warp != told->warp   ? "another warp of the block"
                        : conflict->is_same_instruction ? "another lane, by the same instruction"
                                                        : "another lane of the warp";
    int used = snprintf(out, size, "%s after %s %s by %s", mine,
                        strchr("aeiou", *earlier) ? "an" : "a", earlier, where);
    const char *more = "";
    bool is_narrow = !in_block && conflict->mine->is_strong && conflict->place->is_strong;
    if (is_narrow) more = "; the scope .cta covers the threads of one block only";
    if (conflict->relation == UNFENCED) more = "; no fence.proxy.async lies between the two";
    if (conflict->is_by_chance)
        more = "; it writes what memory holds, but comes from memory and was something else before";
    if (used > 0 && (size_t)used < size) snprintf(out + used, size - (size_t)used, "%s", more);
}

/* Up to 8 bytes of memory at the access of a lane. */
static uint64_t memory_value(const struct check_access *told, uint64_t address, unsigned bytes)
{
    uint64_t value = 0;
    memcpy(&value, (const void *)((uintptr_t)told->memory + (uintptr_t)address), bytes);
    return value;
}

static void fill_values(const struct check_access *told, unsigned lane,
                        const struct conflict *conflict, struct check_report *out)
{
    unsigned bytes = told->access->bytes;
    unsigned char stored[32];
    if (bytes > 8) return;
    out->has_values = true;
    out->value = out->other_value = memory_value(told, told->access->addresses[lane], bytes);
    if (!told->writes || told->reads || !told->value_of(told, lane, stored)) return;
    out->value = 0;
    memcpy(&out->value, stored, bytes);
    if (!conflict->is_same_instruction) return;
    if (!told->value_of(told, lane_of_entry(conflict), stored)) return;
    out->other_value = 0;
    memcpy(&out->other_value, stored, bytes);
}

/* Of each pair of places only the first finding needs words. */
static bool is_first(struct race *race, const struct conflict *conflict, enum check_code code)
{
    uint64_t mine = (uint64_t)(conflict->mine - race->places);
    uint64_t key = (mine << 16 | entry_place(conflict->entry)) << 8 | (uint64_t)code;
    if (hash_table_find(&race->told, key + 1, sizeof key)) return false;
    hash_table_add(&race->told, key + 1, sizeof key);
    mem_keep(race->told.entries);
    return true;
}

void race_report(struct race *race, const struct conflict *conflict)
{
    const struct check_access *told = race->access;
    const struct segment *segment = segment_at(race, entry_segment(conflict->entry));
    enum check_code code = code_of(race, conflict);
    char memory[256], detail[256];
    if (code == CHECK_CODE_COUNT) return;
    unsigned lane = conflict->lane;
    struct check_report report = {
        .code = code,
        .here = {told->insn, conflict->block->index, told->warp, lane},
        .has_other = true,
        .other = {conflict->place->insn, segment->block, segment->warp, lane_of_entry(conflict)},
        .has_address = true,
        .address = told->access->addresses[lane],
        .bytes = told->access->bytes,
        .space = told->access->space,
    };
    if (is_first(race, conflict, code)) {
        told->name(told, report.address, memory, sizeof memory);
        tell_detail(race, conflict, detail, sizeof detail);
        report.memory = memory;
        report.detail = detail;
        fill_values(told, lane, conflict, &report);
    }
    race->findings->checker.ops->report(race->findings, &report);
}
