// SPDX-License-Identifier: Apache-2.0
#include "support/trace_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SPACES = 3, OPERATIONS = 3, FIELDS = 4 };
static const uint8_t counted_spaces[SPACES] = {SPACE_GLOBAL, SPACE_LOCAL, SPACE_SHARED};
static const char *const operation_names[OPERATIONS] = {"load", "store", "atomic"};
static const char *const field_names[FIELDS] = {"requests", "bytes_requested", "sectors32",
                                                "lines128"};

/* Of one instruction, or of the launch. */
struct sums {
    uint64_t warp, thread, active;
    uint64_t memory[SPACES][OPERATIONS][FIELDS];
};

static unsigned lanes(uint32_t mask)
{
    unsigned count = 0;
    for (; mask; mask &= mask - 1)
        count++;
    return count;
}

static unsigned add_distinct(uint64_t *list, unsigned count, uint64_t value)
{
    for (unsigned i = 0; i < count; i++)
        if (list[i] == value) return count;
    list[count] = value;
    return count + 1;
}

/* Local memory is interleaved: doc/definitions.md#global-and-local-memory. */
static uint64_t place(uint8_t space, uint64_t address, unsigned lane)
{
    return space == SPACE_LOCAL ? address / 4 * 128 + lane * 4 + address % 4 : address;
}

static void add_access(struct sums *sums, const struct trace *trace, const struct trace_insn *insn,
                       const struct trace_access *access)
{
    const struct trace_pattern *pattern = &trace->patterns[access->pattern];
    uint64_t addresses[32], sectors[32 * 16], lines[32 * 16];
    unsigned space = 0, sector_count = 0, line_count = 0;
    while (space < SPACES && counted_spaces[space] != pattern->space)
        space++;
    if (space == SPACES) return;
    trace_lanes(trace, access, addresses);
    for (unsigned lane = 0; lane < 32; lane++) {
        for (unsigned byte = 0; pattern->mask >> lane & 1 && byte < pattern->bytes; byte++) {
            uint64_t at = place(pattern->space, addresses[lane] + byte, lane);
            sector_count = add_distinct(sectors, sector_count, at / 32);
            line_count = add_distinct(lines, line_count, at / 128);
        }
    }
    uint64_t *fields = sums->memory[space][insn->operation - TRACE_LOAD];
    fields[0]++;
    fields[1] += (uint64_t)lanes(pattern->mask) * pattern->bytes;
    fields[2] += sector_count;
    fields[3] += line_count;
}

static void check_step(const struct trace *trace, const struct trace_step *step, uint32_t threads)
{
    assert_true(step->insn < trace->insn_count);
    const struct trace_insn *insn = &trace->insns[step->insn];
    assert_int_not_equal(step->active, 0);
    assert_int_equal(step->active & ~threads, 0);
    assert_int_equal(step->on & ~step->active, 0);
    uint32_t seen = 0;
    for (unsigned i = 0; i < step->access_count; i++) {
        const struct trace_pattern *pattern = &trace->patterns[step->accesses[i].pattern];
        assert_int_equal(pattern->mask & ~step->on, 0);
        assert_int_equal(pattern->mask & seen, 0);
        assert_int_equal(pattern->bytes, insn->bytes);
        seen |= pattern->mask;
    }
    if (insn->operation != TRACE_NO_ACCESS) assert_int_equal(seen, step->on);
}

static void add_step(struct sums *sums, const struct trace *trace, const struct trace_step *step)
{
    const struct trace_insn *insn = &trace->insns[step->insn];
    struct sums *own = &sums[1 + insn->pc];
    for (unsigned i = 0; i < 2; i++) { /* the launch and the instruction */
        struct sums *to = i ? own : sums;
        to->warp++;
        to->thread += lanes(step->on);
        to->active += lanes(step->active);
    }
    for (unsigned i = 0; i < step->access_count; i++) {
        add_access(&sums[0], trace, insn, &step->accesses[i]);
        add_access(&sums[1 + insn->access_pc], trace, insn, &step->accesses[i]);
    }
}

static double counter_of(const struct profile *profile, const struct instruction_profile *insn,
                         int counter)
{
    if (!insn) return profile->counters[counter].value;
    for (uint32_t i = 0; i < insn->counter_count; i++)
        if (insn->counters[i] == counter) return insn->values[i];
    return 0;
}

static void expect(const struct profile *profile, const struct instruction_profile *insn,
                   const char *id, uint64_t sum)
{
    int counter = counter_find(id);
    if (counter < 0) return; /* shared memory has no sectors */
    double counted = counter_of(profile, insn, counter);
    if (counted != (double)sum)
        fail_msg("%s of %s (line %u): %.0f counted, %llu traced", id, insn ? insn->op : "launch",
                 insn ? insn->line : 0, counted, (unsigned long long)sum);
}

static void compare_sums(const struct profile *profile, const struct instruction_profile *insn,
                         const struct sums *sums)
{
    expect(profile, insn, "inst.warp", sums->warp);
    expect(profile, insn, "inst.thread", sums->thread);
    expect(profile, insn, "inst.thread.active", sums->active);
    for (unsigned s = 0; s < SPACES; s++)
        for (unsigned o = 0; o < OPERATIONS; o++)
            for (unsigned f = 0; f < FIELDS; f++) {
                char id[80];
                strcpy(id, "mem.");
                strcat(strcat(id, space_names[counted_spaces[s]]), ".");
                strcat(strcat(id, operation_names[o]), ".");
                strcat(id, field_names[f]);
                expect(profile, insn, id, sums->memory[s][o][f]);
            }
}

static void compare_classes(const struct profile *profile, const uint64_t *classes)
{
    for (int i = 0; i < CLASS_COUNT; i++)
        if (profile->counters[COUNTER_INST_WARP_FIRST + i].value != (double)classes[i])
            fail_msg("class %s: %.0f counted, %llu traced", class_ids[i],
                     profile->counters[COUNTER_INST_WARP_FIRST + i].value,
                     (unsigned long long)classes[i]);
}

bool check_trace(const struct profile *profile)
{
    const struct trace *trace = profile->trace;
    if (!trace) return false;
    bool whole = trace->block_count == profile_blocks(profile);
    struct sums *sums = calloc(profile->instruction_count + 1u, sizeof *sums);
    uint64_t classes[CLASS_COUNT] = {0}, steps = 0;
    struct trace_cursor cursor;
    assert_non_null(sums);
    trace_cursor_init(&cursor, trace, &trace->blocks[0], 0);
    for (uint32_t b = 0; b < trace->block_count; b++)
        for (uint32_t w = 0; w < trace->head.warps_per_block; w++) {
            trace_cursor_restart(&cursor, &trace->blocks[b], w);
            for (struct trace_step step; trace_cursor_next(&cursor, &step); steps++) {
                check_step(trace, &step, trace->blocks[b].warps[w].threads);
                classes[trace->insns[step.insn].class_id]++;
                if (whole) add_step(sums, trace, &step);
            }
        }
    trace_cursor_clear(&cursor);
    assert_int_equal(steps, trace->step_count);
    if (whole) {
        compare_sums(profile, NULL, &sums[0]);
        compare_classes(profile, classes);
        for (uint32_t i = 0; i < profile->instruction_count; i++)
            compare_sums(profile, &profile->instructions[i], &sums[i + 1]);
    }
    free(sums);
    return whole;
}

static void compare_warps(const struct trace_warp *a, const struct trace_warp *b)
{
    assert_int_equal(a->run_bytes, b->run_bytes);
    assert_int_equal(a->data_bytes, b->data_bytes);
    assert_int_equal(a->threads, b->threads);
    assert_memory_equal(a->runs, b->runs, a->run_bytes);
    assert_memory_equal(a->data, b->data, a->data_bytes);
}

void compare_traces(const struct profile *one, const struct profile *other)
{
    const struct trace *a = one->trace, *b = other->trace;
    assert_int_equal(!a, !b);
    if (!a) return;
    assert_int_equal(a->block_count, b->block_count);
    assert_int_equal(a->insn_count, b->insn_count);
    assert_int_equal(a->pattern_count, b->pattern_count);
    assert_memory_equal(a->patterns, b->patterns, a->pattern_count * sizeof *a->patterns);
    assert_memory_equal(a->offsets, b->offsets, a->offset_count * sizeof *a->offsets);
    for (uint32_t i = 0; i < a->block_count; i++) {
        const struct trace_block *x = &a->blocks[i], *y = &b->blocks[i];
        assert_int_equal(x->index, y->index);
        assert_int_equal(x->pattern_count, y->pattern_count);
        assert_memory_equal(x->pattern_ids, y->pattern_ids,
                            x->pattern_count * sizeof *x->pattern_ids);
        for (uint32_t w = 0; w < a->head.warps_per_block; w++)
            compare_warps(&x->warps[w], &y->warps[w]);
    }
}
