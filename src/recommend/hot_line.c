// SPDX-License-Identifier: Apache-2.0
#include "recommend/hot_line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *hot_line_place(struct arena *arena, const struct instruction_profile *instruction)
{
    if (!instruction) return "";
    char place[256];
    instruction_place(place, sizeof place, instruction);
    return arena_copy(arena, place);
}

double access_per_request(const struct accesses *accesses)
{
    double requests = accesses->parts[ACCESS_REQUESTS];
    return requests > 0 ? accesses->parts[ACCESS_TRANSACTIONS] / requests : 0;
}

/* Sectors: the bytes packed. Half-warp rules: one per half-warp with active lanes, two for 16-byte
 * words (doc/definitions.md#global-and-local-memory). */
double access_ideal_per_request(const struct instruction_profile *instruction,
                                const struct accesses *accesses, enum coalescing_rule rule)
{
    double requests = accesses->parts[ACCESS_REQUESTS];
    double bytes = accesses->parts[ACCESS_BYTES_REQUESTED];
    if (!(requests > 0)) return 0;
    if (rule == RULE_IS_SECTOR) return fmax(1, ceil(bytes / requests / 32 - 1e-9));
    double lanes = instruction_counter(instruction, COUNTER_INST_THREAD);
    double halves = lanes / requests > WARP_LANES / 2 ? 2 : 1;
    return lanes > 0 && bytes / lanes > 8 ? 2 * halves : halves;
}

bool hot_same_line(const struct instruction_profile *a, const struct instruction_profile *b)
{
    if (!a->source_line || !b->source_line) return a == b;
    return a->source_line == b->source_line &&
           !strcmp(a->file ? a->file : "", b->file ? b->file : "");
}

/* ---- sums by line ---------------------------------------------------------------------------- */

struct group {
    struct hot_line line;
    double heaviest; /* weight of line.instruction */
};

static bool belongs(const struct group *group, const struct instruction_profile *instruction,
                    bool by_class)
{
    const struct instruction_profile *first = group->line.instruction;
    return hot_same_line(first, instruction) &&
           (!by_class || first->class_id == instruction->class_id);
}

static void add_to_groups(struct group *groups, size_t *count,
                          const struct instruction_profile *instruction, double weight,
                          bool by_class)
{
    size_t i = *count; /* lines of a loop follow each other: the last group first */
    while (i > 0 && instruction->source_line && !belongs(&groups[i - 1], instruction, by_class))
        i--;
    if (!i || !instruction->source_line) {
        groups[*count] = (struct group){{.instruction = instruction, .weight = weight}, weight};
        ++*count;
        return;
    }
    struct group *group = &groups[i - 1];
    group->line.weight += weight;
    if (weight <= group->heaviest) return;
    group->heaviest = weight;
    group->line.instruction = instruction;
}

static void keep_hottest(struct hot_line *lines, size_t capacity, size_t *count,
                         struct hot_line line)
{
    size_t at = *count;
    while (at > 0 && lines[at - 1].weight < line.weight)
        at--;
    if (at == capacity) return;
    size_t kept = *count < capacity ? *count : capacity - 1;
    memmove(lines + at + 1, lines + at, (kept - at) * sizeof *lines);
    lines[at] = line;
    *count = kept + 1;
}

/* The heaviest lines, heaviest first; `by_class`: one line's classes of instructions apart. */
static size_t find_lines(const struct profile *profile, hot_weight_fn *weight, const void *context,
                         bool by_class, struct hot_line *out, size_t capacity)
{
    struct group *groups = mem_alloc((profile->instruction_count + 1) * sizeof *groups);
    size_t group_count = 0, count = 0;
    double total = 0;
    for (uint32_t i = 0; i < profile->instruction_count; i++) {
        double one = weight(&profile->instructions[i], context);
        if (!(one > 0)) continue;
        total += one;
        add_to_groups(groups, &group_count, &profile->instructions[i], one, by_class);
    }
    for (size_t i = 0; i < group_count; i++)
        keep_hottest(out, capacity, &count, groups[i].line);
    for (size_t i = 0; i < count; i++)
        out[i].total = total;
    mem_free(groups);
    return count;
}

struct hot_line hot_find(const struct profile *profile, hot_weight_fn *weight, const void *context)
{
    struct hot_line hot = {0};
    (void)find_lines(profile, weight, context, false, &hot, 1);
    return hot;
}

/* ---- weights --------------------------------------------------------------------------------- */

static double extra_transactions(const struct instruction_profile *instruction, const void *context)
{
    const enum coalescing_rule *rule = context;
    enum access_op op;
    struct accesses accesses;
    if (!accesses_of_instruction(instruction, *rule, &op, &accesses)) return 0;
    return accesses.parts[ACCESS_UNCOALESCED_TRANSACTIONS] -
           accesses.parts[ACCESS_UNCOALESCED] *
               access_ideal_per_request(instruction, &accesses, *rule);
}

size_t hot_uncoalesced(const struct profile *profile, enum coalescing_rule rule,
                       struct hot_line out[HOT_LINES_MAX])
{
    return find_lines(profile, extra_transactions, &rule, true, out, HOT_LINES_MAX);
}

struct counter_list {
    const enum counter *counters;
    size_t count;
};

static double counter_sum(const struct instruction_profile *instruction, const void *context)
{
    const struct counter_list *list = context;
    double sum = 0;
    for (size_t i = 0; i < list->count; i++)
        sum += instruction_counter(instruction, list->counters[i]);
    return sum;
}

struct hot_line hot_counter(const struct profile *profile, const enum counter *counters,
                            size_t count)
{
    const struct counter_list list = {counters, count};
    return hot_find(profile, counter_sum, &list);
}

static double extra_slots(const struct instruction_profile *instruction, const void *context)
{
    const struct machine *machine = context;
    double add, lanes;
    if (instruction->class_id >= CLASS_COUNT ||
        !machine_throughput(machine, CLASS_FP32_ADD, &add) ||
        !machine_throughput(machine, instruction->class_id, &lanes) || !(lanes > 0))
        return 0;
    return instruction_counter(instruction, COUNTER_INST_WARP) * (add / lanes - 1);
}

struct hot_line hot_expensive(const struct profile *profile, const struct machine *machine)
{
    struct hot_line hot = {0};
    (void)find_lines(profile, extra_slots, machine, true, &hot, 1);
    return hot;
}
