// SPDX-License-Identifier: Apache-2.0
#include "measure/reach.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum { SECTOR_BYTES = 32, LANES = 32 };

static struct reach_entry *find(struct reach *reach, uint64_t key)
{
    return hash_table_add(&reach->entries, key, sizeof(struct reach_entry));
}

/* NULL: the first. */
static const struct reach_entry *next_entry(const struct reach *reach,
                                            const struct reach_entry *after)
{
    return hash_table_next(&reach->entries, after, sizeof *after);
}

void reach_init(struct reach *reach, uint64_t blocks)
{
    *reach = (struct reach){.one_of = blocks > REACH_ALL_BLOCKS ? REACH_ONE_OF : 1};
}

static inline bool is_kept(const struct reach *reach, uint64_t sector)
{
    _Static_assert(REACH_ONE_OF == 8, "three bits of the hash");
    return reach->one_of == 1 || !((sector * UINT64_C(0xd6e8feb86659fd93)) >> 61);
}

static inline void add_sectors(struct reach *reach, uint64_t address, uint64_t bytes,
                               const struct reach_block *block)
{
    uint64_t last = (address + bytes - 1) / SECTOR_BYTES;
    for (uint64_t sector = address / SECTOR_BYTES; sector <= last; sector++) {
        if (!is_kept(reach, sector)) continue;
        struct reach_entry *entry = find(reach, sector + 1);
        bool is_new = !entry->runs || entry->last_run != block->run;
        if (!is_new && entry->last_block == block->number) continue;
        entry->last_block = block->number;
        entry->blocks++;
        entry->later_blocks += !block->is_run_begin;
        if (!is_new) continue;
        entry->last_run = block->run;
        entry->runs++;
        entry->later_new += !block->is_run_begin;
        reach->touched++;
    }
}

void reach_add(struct reach *reach, const struct access *access, const struct reach_block *block)
{
    bool whole = access->mask == UINT32_MAX;
    uint64_t bytes = access->bytes;
    if (access->shape == ACCESS_UNIFORM) {
        add_sectors(reach, access->base, bytes, block);
    } else if (whole && access->shape == ACCESS_STRIDED && access->stride == access->bytes) {
        add_sectors(reach, access->base, bytes * LANES, block);
    } else {
        uint64_t before = UINT64_MAX;
        for (uint32_t left = access->mask; left; left &= left - 1) {
            uint64_t address = access->addresses[__builtin_ctz(left)];
            if (address / SECTOR_BYTES != before) add_sectors(reach, address, 1, block);
            before = address / SECTOR_BYTES;
        }
    }
}

void reach_merge(struct reach *to, const struct reach *from)
{
    for (const struct reach_entry *other = NULL; (other = next_entry(from, other));) {
        struct reach_entry *entry = find(to, other->key);
        entry->runs += other->runs;
        entry->blocks += other->blocks;
        entry->later_blocks += other->later_blocks;
        entry->later_new += other->later_new;
    }
    to->touched += from->touched;
}

void reach_clear(struct reach *reach)
{
    hash_table_clear(&reach->entries);
    *reach = (struct reach){0};
}

/* ---- estimate -------------------------------------------------------------------------------- */

/* Of one buffer: distinct sectors that were seen; sums over these of the fields of reach_entry; sectors
 * that the buffer has. */
struct part {
    double seen, runs, blocks, later_blocks, later_new, room;
    double once, twice; /* sectors that one run touches, and that two do */
    double pairs;       /* of runs that touch the same sector, summed over sectors */
};

static uint32_t find_buffer(const struct launch_view *launch, uint64_t address)
{
    const struct address_range *buffers = launch->buffers;
    uint32_t low = 0, high = launch->buffer_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (buffers[middle].first <= address)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_inside = low && address - buffers[low - 1].first < buffers[low - 1].bytes;
    return is_inside ? low - 1 : launch->buffer_count;
}

/* Those that were seen, and those that were not, by how many were seen once and twice: exact in the mean if
 * as many runs touch each sector, which D * (1 - fraction)^runs then escape, else too few (Chao and Lin, Biometrics
 * 68, 2012, for samples without replacement). */
static double by_rare(double seen, double once, double twice, double fraction)
{
    if (fraction >= 1 || !(once > 0)) return seen;
    return seen + once * once / (2 * twice + fraction / (1 - fraction) * once);
}

/* The fewest that so many touches and pairs of touches allow: exact if each sector is touched by k or k + 1 runs
 * (Dawson and Sankoff, Proc. AMS 18, 1967). */
static double by_pairs(double touches, double pairs)
{
    double k = 1 + floor(2 * pairs / touches);
    return 2 * touches / (k + 1) - 2 * pairs / (k * (k + 1));
}

/* Runs that meet by chance meet in many sectors at once, so a few sectors seen twice say little: in truth
 * there may be so many times more or fewer. A guess. */
static const double OVERLAP_HIGH = 2, OVERLAP_LOW = 0.25;

/* With `overlap` times the sectors that were seen twice, as far as few were, and as many touches. The larger of two
 * lower bounds. */
static double estimate(const struct part *part, double fraction, double overlap)
{
    double share = 1 - part->seen / part->runs;
    double factor = (overlap - 1) * (1 - share);
    double more = fmin(part->twice * factor, part->once / 2);
    double seen = fmax(part->seen - more, 1), pairs = part->pairs * (1 + factor);
    double rare = by_rare(seen, part->once - 2 * more, part->twice + more, fraction);
    return fmax(rare, by_pairs(part->runs / fraction, pairs / (fraction * fraction)));
}

/* Sectors of a grid in which each block shares with the one before it what the later blocks of the runs
 * share with those before them. Where that is nearly everything, chance would decide: then there is no
 * such bound. */
static double chained(const struct part *part, double fraction)
{
    static const double LITTLE = 0.25; /* new sectors of a block; a guess */
    double fresh = part->later_blocks > 0 ? part->later_new / part->later_blocks : 0;
    return fresh < LITTLE ? INFINITY : fmax(part->seen, part->blocks / fraction * fresh);
}

static struct part *sum_parts(const struct reach *reach, const struct launch_view *launch)
{
    uint32_t count = launch->buffer_count;
    struct part *parts = mem_zalloc(count + 1u, sizeof *parts);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t last = launch->buffers[i].first + launch->buffers[i].bytes - 1;
        parts[i].room = (double)(last / SECTOR_BYTES - launch->buffers[i].first / SECTOR_BYTES + 1);
    }
    parts[count].room = INFINITY;
    for (const struct reach_entry *entry = NULL; (entry = next_entry(reach, entry));) {
        struct part *part = &parts[find_buffer(launch, (entry->key - 1) * SECTOR_BYTES)];
        double each = reach->one_of;
        part->seen += each;
        part->runs += each * entry->runs;
        part->once += entry->runs == 1 ? each : 0;
        part->twice += entry->runs == 2 ? each : 0;
        part->pairs += each * entry->runs * (entry->runs - 1.0) / 2;
        part->blocks += each * entry->blocks;
        part->later_blocks += each * entry->later_blocks;
        part->later_new += each * entry->later_new;
    }
    return parts;
}

double reach_estimate(const struct reach *reach, const struct launch_view *launch, double fraction,
                      double relative, double *out_low, double *out_high)
{
    struct part *parts = sum_parts(reach, launch);
    double sum = 0;
    *out_low = *out_high = 0;
    for (uint32_t i = 0; i <= launch->buffer_count; i++) {
        const struct part *part = &parts[i];
        if (!(part->seen > 0)) continue;
        double most = fmin(chained(part, fraction), part->room);
        double value = fmin(estimate(part, fraction, 1), most);
        sum += value;
        double low = fmin(estimate(part, fraction, OVERLAP_HIGH), most) * (1 - relative);
        double high = fmin(estimate(part, fraction, OVERLAP_LOW), most) * (1 + relative);
        *out_low += fmax(low, part->seen);
        *out_high += fmin(high, part->room);
    }
    mem_free(parts);
    return sum;
}
