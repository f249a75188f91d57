// SPDX-License-Identifier: Apache-2.0
#include "recommend/hot_line.h"

#include <math.h>
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
 * words (models.md 1.1). */
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

static void keep_hottest(struct hot_line *lines, size_t *count, struct hot_line line)
{
    size_t at = *count;
    while (at > 0 && lines[at - 1].weight < line.weight)
        at--;
    if (at == HOT_LINES_MAX) return;
    size_t kept = *count < HOT_LINES_MAX ? *count : HOT_LINES_MAX - 1;
    memmove(lines + at + 1, lines + at, (kept - at) * sizeof *lines);
    lines[at] = line;
    *count = kept + 1;
}

size_t hot_uncoalesced(const struct profile *profile, enum coalescing_rule rule,
                       struct hot_line out[HOT_LINES_MAX])
{
    size_t count = 0;
    double total = 0;
    for (uint32_t i = 0; i < profile->instruction_count; i++) {
        const struct instruction_profile *instruction = &profile->instructions[i];
        enum access_op op;
        struct accesses accesses;
        if (!accesses_of_instruction(instruction, rule, &op, &accesses)) continue;
        double ideal = access_ideal_per_request(instruction, &accesses, rule);
        double extra = accesses.parts[ACCESS_UNCOALESCED_TRANSACTIONS] -
                       accesses.parts[ACCESS_UNCOALESCED] * ideal;
        if (!(accesses.parts[ACCESS_UNCOALESCED] > 0) || !(extra > 0)) continue;
        total += extra;
        keep_hottest(out, &count, (struct hot_line){.instruction = instruction, .weight = extra});
    }
    for (size_t i = 0; i < count; i++)
        out[i].total = total;
    return count;
}

struct hot_line hot_counter(const struct profile *profile, const enum counter *counters,
                            size_t count)
{
    struct hot_line hot = {0};
    for (uint32_t i = 0; i < profile->instruction_count; i++) {
        double weight = 0;
        for (size_t k = 0; k < count; k++)
            weight += instruction_counter(&profile->instructions[i], counters[k]);
        hot.total += weight;
        if (weight <= hot.weight) continue;
        hot.weight = weight;
        hot.instruction = &profile->instructions[i];
    }
    return hot;
}

struct hot_line hot_expensive(const struct profile *profile, const struct machine *machine)
{
    struct hot_line hot = {0};
    double add;
    if (!machine_throughput(machine, CLASS_FP32_ADD, &add) || !(add > 0)) return hot;
    for (uint32_t i = 0; i < profile->instruction_count; i++) {
        const struct instruction_profile *instruction = &profile->instructions[i];
        double lanes;
        if (instruction->class_id >= CLASS_COUNT ||
            !machine_throughput(machine, instruction->class_id, &lanes) || !(lanes > 0))
            continue;
        double slots =
            instruction_counter(instruction, COUNTER_INST_WARP) * fmax(0, add / lanes - 1);
        hot.total += slots;
        if (slots <= hot.weight) continue;
        hot.weight = slots;
        hot.instruction = instruction;
    }
    return hot;
}
