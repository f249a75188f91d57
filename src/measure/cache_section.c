// SPDX-License-Identifier: Apache-2.0
#include "measure/cache_section.h"

#include <math.h>
#include <string.h>

#include "measure/cache.h"

const struct cache_count_info cache_count_infos[CACHE_COUNT_COUNT] = {
#define FIELD(name, id, text) {id, "Sectors " text "."},
    CACHE_COUNTS(FIELD)
#undef FIELD
};

const struct cache_geometry_number cache_geometry_numbers[CACHE_GEOMETRY_COUNT] = {
#define NUMBER(name, least, most) {#name, least, most},
    CACHE_GEOMETRY(NUMBER)
#undef NUMBER
};

uint64_t cache_geometry_get(const struct cache_geometry *geometry, unsigned number)
{
    uint64_t values[CACHE_GEOMETRY_COUNT];
    memcpy(values, geometry, sizeof values);
    return values[number];
}

void cache_geometry_set(struct cache_geometry *geometry, unsigned number, uint64_t value)
{
    uint64_t values[CACHE_GEOMETRY_COUNT];
    memcpy(values, geometry, sizeof values);
    values[number] = value;
    memcpy(geometry, values, sizeof values);
}

/* A guess, where a machine file is silent: GPGPU-Sim's configurations have 4 to 256, and 8 to 24. */
enum { L1_WAYS = 4, L2_WAYS = 16, LINE_BYTES = 128 };

/* ---- geometry -------------------------------------------------------------------------------- */

/* From cc 7.0 on shared memory is part of the L1 (CUDA C++ programming guide, section 20). */
static uint64_t l1_left(const struct machine *machine, const struct profile *profile,
                        unsigned blocks_per_sm)
{
    uint64_t bytes = (uint64_t)machine_get(machine, MACHINE_L1_SIZE, 0);
    if (machine->cc_major < 7) return bytes;
    uint64_t reserved = (uint64_t)machine_get(machine, MACHINE_SHARED_RESERVED, 0);
    uint64_t of_block = profile_shared_bytes(profile);
    uint64_t taken = of_block ? (of_block + reserved) * blocks_per_sm : 0;
    return bytes > taken ? bytes - taken : 0;
}

bool cache_geometry_read(const struct machine *machine, const struct profile *profile,
                         unsigned blocks_per_sm, struct cache_geometry *out)
{
    unsigned target = machine->cc_major * 10 + machine->cc_minor;
    uint64_t line = (uint64_t)machine_get(machine, MACHINE_L1_LINE, LINE_BYTES);
    *out = (struct cache_geometry){
        .l1_bytes = l1_left(machine, profile, blocks_per_sm),
        .l2_bytes = (uint64_t)machine_get(machine, MACHINE_L2_SIZE, 0),
        .line_bytes = line >= CACHE_SECTOR_BYTES && line <= 1024 ? line : LINE_BYTES,
        .l1_ways = (uint64_t)machine_get(machine, MACHINE_L1_WAYS, L1_WAYS),
        .l2_ways = (uint64_t)machine_get(machine, MACHINE_L2_WAYS, L2_WAYS),
        .fill_bytes =
            (uint64_t)machine_get(machine, MACHINE_GLOBAL_CACHED_LOAD, CACHE_SECTOR_BYTES),
        /* Kepler and the first Maxwell keep plain global loads out of the L1 (CUDA programming
         * guides of these). */
        .l1_loads = target < 30 || target >= 60,
        .blocks_per_sm = blocks_per_sm ? blocks_per_sm : 1,
        .sm_count = (uint64_t)machine_get(machine, MACHINE_SM_COUNT, 1),
    };
    return machine_has(machine, MACHINE_L2_SIZE) && out->l2_bytes && out->sm_count;
}

struct cache_geometry *cache_geometry_find(struct cache_geometry *geometry, double share)
{
    geometry->l2_found = (uint64_t)llround(1000 * share);
    return geometry;
}

static double rate(uint64_t hits, uint64_t lookups)
{
    return lookups ? (double)hits / (double)lookups : -1;
}

double cache_l1_hit_rate(const struct cache_section *section)
{
    return rate(section->counts[CACHE_COUNT_L1_HITS], section->counts[CACHE_COUNT_LOADS]);
}

double cache_l2_hit_rate(const struct cache_section *section)
{
    const uint64_t *c = section->counts;
    return rate(c[CACHE_COUNT_L2_LOAD_HITS] + c[CACHE_COUNT_L2_STORE_HITS] +
                    c[CACHE_COUNT_L2_ATOMIC_HITS],
                c[CACHE_COUNT_L2_LOADS] + c[CACHE_COUNT_STORES] + c[CACHE_COUNT_ATOMICS]);
}
