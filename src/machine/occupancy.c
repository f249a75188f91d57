// SPDX-License-Identifier: Apache-2.0
/* How many blocks of a launch an SM holds. Compute capability 3.0 and later: the rules of NVIDIA's
 * cuda_occupancy.h with the largest shared-memory carve-out. Before: those of the occupancy
 * calculator (OCCJS in SOURCES.yaml). */
#include <limits.h>
#include <math.h>

#include "machine/machine.h"

/* How resources are handed out: the machine file's figures, else those of its compute capability.
 */
struct rules {
    double warp_size, max_threads_per_block, max_warps, max_blocks;
    double registers, register_unit, max_per_thread, max_registers_per_block;
    double parts; /* sub-partitions, or the unit in which warps are allocated */
    bool register_per_block;
    double shared, shared_unit, shared_reserved, shared_per_block;
    double barriers; /* named barriers of an SM; 0: not known, no limit */
    double halves;   /* 2: partitioned caching confines a block to half an SM */
};

struct family {
    unsigned first, last; /* major * 10 + minor */
    unsigned max_threads_per_block, max_blocks;
    unsigned register_unit, register_per_block, parts, max_per_thread;
    unsigned shared_unit, shared_reserved;
};

/* Rules that NVIDIA publishes by compute capability: cc 1.x and 2.x from the calculator, the rest
 * from cuda_occupancy.h of CUDA 13.0. What a GPU has (registers, warps, shared memory) is its
 * file's business. */
static const struct family families[] = {
    {10, 11, 512, 8, 256, 1, 2, 124, 512, 0},
    {12, 13, 512, 8, 512, 1, 2, 124, 512, 0},
    {20, 21, 1024, 8, 64, 0, 2, 63, 128, 0},
    {30, 34, 1024, 16, 256, 0, 4, 63, 256, 0},
    {35, 37, 1024, 16, 256, 0, 4, 255, 256, 0},
    {50, 53, 1024, 32, 256, 0, 4, 255, 256, 0},
    {60, 60, 1024, 32, 256, 0, 2, 255, 256, 0},
    {61, 62, 1024, 32, 256, 0, 4, 255, 256, 0},
    {70, 72, 1024, 32, 256, 0, 4, 255, 256, 0},
    {75, 75, 1024, 16, 256, 0, 4, 255, 256, 0},
    {80, 80, 1024, 32, 256, 0, 4, 255, 128, 1024},
    {86, 88, 1024, 16, 256, 0, 4, 255, 128, 1024},
    {89, 89, 1024, 24, 256, 0, 4, 255, 128, 1024},
    {90, 90, 1024, 32, 256, 0, 4, 255, 128, 1024},
    {100, 100, 1024, 32, 256, 0, 4, 255, 128, 1024},
    {101, 101, 1024, 24, 256, 0, 4, 255, 128, 1024},
    {103, 103, 1024, 32, 256, 0, 4, 255, 128, 1024},
    {110, 129, 1024, 24, 256, 0, 4, 255, 128, 1024},
};
enum { FAMILIES = sizeof families / sizeof families[0] };

static const struct family *find_family(const struct machine *machine)
{
    unsigned cc = machine->cc_major * 10 + machine->cc_minor;
    for (size_t i = 0; i < FAMILIES; i++)
        if (families[i].first <= cc && cc <= families[i].last) return &families[i];
    return NULL;
}

static double max_warps(const struct machine *machine, double warp_size)
{
    double threads = machine_get(machine, MACHINE_SM_MAX_THREADS, 0);
    return machine_get(machine, MACHINE_SM_MAX_WARPS, floor(threads / warp_size));
}

/* Named barriers that an SM has for each block it can hold. 0: no limit; NVIDIA's header knows one
 * from cc 9.0 on only. */
static double barriers_per_block_slot(const struct machine *machine)
{
    unsigned cc = machine->cc_major * 10 + machine->cc_minor;
    if (cc < 90) return 0;
    return cc == 101 || cc == 110 || cc >= 120 ? 1 : 2;
}

/* A figure that neither file nor family has is 0 here; missing_figure() asks for those. */
static struct rules find_rules(const struct machine *machine)
{
    static const struct family unknown = {0};
    const struct family *family = find_family(machine);
    if (!family) family = &unknown;
    struct rules rules = {
        .warp_size = machine_get(machine, MACHINE_SM_WARP_SIZE, 32),
        .max_threads_per_block =
            machine_get(machine, MACHINE_BLOCK_MAX_THREADS, family->max_threads_per_block),
        .max_blocks = machine_get(machine, MACHINE_SM_MAX_BLOCKS, family->max_blocks),
        .registers = machine_get(machine, MACHINE_SM_REGISTERS, 0),
        .register_unit = machine_get(machine, MACHINE_SM_REGISTER_UNIT, family->register_unit),
        .max_per_thread =
            machine_get(machine, MACHINE_SM_MAX_REGISTERS_PER_THREAD, family->max_per_thread),
        .register_per_block =
            machine_get(machine, MACHINE_SM_REGISTER_PER_BLOCK, family->register_per_block) != 0,
        .shared = machine_get(machine, MACHINE_SHARED_PER_SM, 0),
        .shared_unit = machine_get(machine, MACHINE_SHARED_UNIT, family->shared_unit),
        .shared_reserved = machine_get(machine, MACHINE_SHARED_RESERVED, family->shared_reserved),
    };
    rules.max_warps = max_warps(machine, rules.warp_size);
    rules.parts = machine_get(machine, MACHINE_SM_SUBPARTITIONS,
                              machine_get(machine, MACHINE_SM_WARP_UNIT, family->parts));
    rules.max_registers_per_block =
        machine_get(machine, MACHINE_SM_MAX_REGISTERS_PER_BLOCK, rules.registers);
    rules.shared_per_block =
        machine_get(machine, MACHINE_SHARED_PER_BLOCK, rules.shared - rules.shared_reserved);
    rules.barriers = rules.max_blocks * barriers_per_block_slot(machine);
    rules.halves = 1;
    return rules;
}

/* Partitioned global caching exists on the Maxwells and Pascals whose L1 is two halves. */
static bool can_partition(const struct machine *machine)
{
    unsigned cc = machine->cc_major * 10 + machine->cc_minor;
    return cc == 52 || cc == 53 || cc == 61 || cc == 62;
}

static const char *missing_figure(const struct machine *machine, const struct rules *rules,
                                  const struct occupancy_query *query)
{
    if (!(rules->max_warps > 0)) return "sm.max_warps";
    if (!(rules->max_blocks > 0)) return "sm.max_blocks";
    if (query->registers_per_thread) {
        if (!(rules->registers > 0)) return "sm.registers";
        if (!query->no_granularity && !(rules->register_unit > 0)) return "sm.register_unit";
        if (!query->no_granularity && !(rules->parts > 0)) return "sm.subpartitions";
    }
    if (query->shared_bytes) {
        if (!machine_has(machine, MACHINE_SHARED_PER_SM)) return "shared.per_sm";
        if (!query->no_granularity && !(rules->shared_unit > 0)) return "shared.unit";
    }
    return NULL;
}

static double round_up(double value, double unit)
{
    return ceil(value / unit) * unit;
}

/* A count, whatever a file says. */
static unsigned whole_blocks(double blocks)
{
    return blocks < UINT_MAX ? (unsigned)blocks : UINT_MAX - 1;
}

/* Blocks of `warps` warps that fit where `room` warps do. */
static double blocks_of_warps(const struct rules *rules, double room, double warps)
{
    return floor(floor(room / rules->halves) / warps) * rules->halves;
}

/* cc 1.x: all registers of a block at once, for an even number of warps. */
static unsigned limit_registers_of_blocks(const struct rules *rules, double warps, double registers)
{
    double block = round_up(round_up(warps, rules->parts) * registers * rules->warp_size,
                            rules->register_unit);
    return block > rules->max_registers_per_block ? 0 : whole_blocks(rules->registers / block);
}

/* cc 2.0 and later: warp by warp, from the registers of the warp's sub-partition. A launch is
 * checked as if its warps filled all sub-partitions alike. A block that does not fit half an SM
 * switches partitioned caching off. */
static unsigned limit_registers_of_warps(struct rules *rules, double warps, double registers)
{
    double warp = round_up(registers * rules->warp_size, rules->register_unit);
    if (warp * round_up(warps, rules->parts) > rules->max_registers_per_block) return 0;
    double room = floor(floor(rules->registers / rules->parts) / warp) * rules->parts;
    if (blocks_of_warps(rules, room, warps) < 1) rules->halves = 1;
    return whole_blocks(blocks_of_warps(rules, room, warps));
}

static unsigned limit_registers(const struct machine *machine, struct rules *rules, double warps,
                                const struct occupancy_query *query)
{
    unsigned registers = query->registers_per_thread;
    if (!registers) return UINT_MAX;
    if (rules->max_per_thread > 0 && registers > rules->max_per_thread) return 0;
    if (query->no_granularity) {
        double block = (double)registers * query->threads_per_block;
        if (block > rules->max_registers_per_block) return 0;
        return whole_blocks(rules->registers / block);
    }
    if (rules->register_per_block) return limit_registers_of_blocks(rules, warps, registers);
    unsigned limit = limit_registers_of_warps(rules, warps, registers);
    if (machine->cc_major == 6 && machine->cc_minor == 0) {
        /* A kernel that cannot run with the four parts of cc 6.1 is refused on 6.0, too. */
        struct rules gp10x = *rules;
        gp10x.parts = 4;
        if (!limit_registers_of_warps(&gp10x, warps, registers)) return 0;
    }
    return limit;
}

static unsigned limit_shared(const struct rules *rules, const struct occupancy_query *query)
{
    uint64_t bytes = query->shared_bytes;
    double wanted = (double)bytes + (query->no_granularity ? 0 : rules->shared_reserved);
    bool by_unit = rules->shared_unit > 0 && !query->no_granularity;
    if (!(wanted > 0) || !(rules->shared > 0 || bytes)) return UINT_MAX;
    double block = by_unit ? round_up(wanted, rules->shared_unit) : wanted;
    double most = rules->shared_per_block + (query->no_granularity ? 0 : rules->shared_reserved);
    return block > most ? 0 : whole_blocks(rules->shared / block);
}

static unsigned limit_barriers(const struct rules *rules, unsigned barriers)
{
    if (barriers < 2 || !(rules->barriers > 0)) return UINT_MAX; /* one is everyone's */
    return whole_blocks(floor(rules->barriers / barriers));
}

const char *const occupancy_limit_ids[OCCUPANCY_LIMIT_COUNT] = {
#define OCCUPANCY_LIMIT(name, id) id,
#include "machine/occupancy_limits.def"
#undef OCCUPANCY_LIMIT
};

const char *occupancy_limit_id(enum occupancy_limit limit, const char *none)
{
    for (unsigned i = 0; i < OCCUPANCY_LIMIT_COUNT; i++)
        if (limit == 1u << i) return occupancy_limit_ids[i];
    return none;
}

static void find_limiter(struct occupancy *out)
{
    const struct {
        unsigned limit;
        enum occupancy_limit bit;
    } limits[] = {{out->limit_warps, OCCUPANCY_WARPS},
                  {out->limit_registers, OCCUPANCY_REGISTERS},
                  {out->limit_shared, OCCUPANCY_SHARED},
                  {out->limit_sm, OCCUPANCY_SM},
                  {out->limit_barriers, OCCUPANCY_BARRIERS}};
    out->blocks_per_sm = UINT_MAX;
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        if (limits[i].limit < out->blocks_per_sm) {
            out->blocks_per_sm = limits[i].limit;
            out->limiter = limits[i].bit;
            out->limiters = 0;
        }
        if (limits[i].limit == out->blocks_per_sm) out->limiters |= limits[i].bit;
    }
}

static ws_status refuse(struct diag *diag, const struct machine *machine,
                        const struct occupancy_query *query, const struct rules *rules,
                        const struct occupancy *out)
{
    if (query->threads_per_block > rules->max_threads_per_block && rules->max_threads_per_block > 0)
        return diag_error(
            diag, WS_ERR_LAUNCH,
            "%s: a block of %u threads exceeds the limit of %.0f: use a smaller block", machine->id,
            query->threads_per_block, rules->max_threads_per_block);
    if (!out->limit_warps)
        return diag_error(
            diag, WS_ERR_LAUNCH,
            "%s: a block of %u warps exceeds the %.0f resident warps of an SM: use a smaller block",
            machine->id, out->warps_per_block, rules->max_warps);
    if (!out->limit_registers && query->registers_per_thread > rules->max_per_thread &&
        rules->max_per_thread > 0)
        return diag_error(
            diag, WS_ERR_LAUNCH,
            "%s: %u registers per thread exceed the limit of %.0f: use fewer registers",
            machine->id, query->registers_per_thread, rules->max_per_thread);
    if (!out->limit_registers)
        return diag_error(diag, WS_ERR_LAUNCH,
                          "%s: %u registers per thread and %u threads do not fit: an SM has %.0f "
                          "registers, a block can use %.0f: use fewer registers or a smaller block",
                          machine->id, query->registers_per_thread, query->threads_per_block,
                          rules->registers, rules->max_registers_per_block);
    if (!out->limit_barriers)
        return diag_error(diag, WS_ERR_LAUNCH,
                          "%s: %u named barriers per block exceed the %.0f of an SM: use fewer",
                          machine->id, query->barriers, rules->barriers);
    return diag_error(
        diag, WS_ERR_LAUNCH,
        "%s: %llu bytes of shared memory per block exceed the limit of %.0f: use less", machine->id,
        (unsigned long long)query->shared_bytes, fmin(rules->shared_per_block, rules->shared));
}

/* All limits; blocks_per_sm 0: not even one block fits. */
static void find_limits(const struct machine *machine, struct rules *rules,
                        const struct occupancy_query *query, struct occupancy *out)
{
    double warps = ceil(query->threads_per_block / rules->warp_size);
    bool too_large =
        rules->max_threads_per_block > 0 && query->threads_per_block > rules->max_threads_per_block;
    if (query->partitioned_caching && can_partition(machine)) rules->halves = 2;
    out->warps_per_block = (unsigned)warps;
    out->max_warps = whole_blocks(rules->max_warps);
    out->limit_sm = whole_blocks(rules->max_blocks);
    out->limit_registers = limit_registers(machine, rules, warps, query); /* may change halves */
    out->limit_warps =
        too_large ? 0 : whole_blocks(blocks_of_warps(rules, rules->max_warps, warps));
    out->limit_shared = limit_shared(rules, query);
    out->limit_barriers = limit_barriers(rules, query->barriers);
    find_limiter(out);
    out->warps_per_sm = out->blocks_per_sm * out->warps_per_block;
    out->fraction = out->warps_per_sm / rules->max_warps;
}

ws_status machine_occupancy(struct diag *diag, const struct machine *machine,
                            const struct occupancy_query *query, struct occupancy *out)
{
    struct rules rules = find_rules(machine);
    const char *missing = missing_figure(machine, &rules, query);
    *out = (struct occupancy){0};
    if (!query->threads_per_block)
        return diag_error(diag, WS_ERR_LAUNCH, "%s: the block size must be at least 1 thread",
                          machine->id);
    if (missing)
        return diag_error(diag, WS_ERR_NO_MODEL,
                          "%s does not define machine.%s, which occupancy requires: add it to %s",
                          machine->id, missing, machine->path);
    find_limits(machine, &rules, query, out);
    return out->blocks_per_sm ? WS_OK : refuse(diag, machine, query, &rules, out);
}

struct occupancy machine_count_blocks(const struct machine *machine,
                                      const struct occupancy_query *query)
{
    struct rules rules = find_rules(machine);
    struct occupancy out = {0};
    if (query->threads_per_block && !missing_figure(machine, &rules, query))
        find_limits(machine, &rules, query, &out);
    return out;
}

struct occupancy_query machine_largest_launch(const struct machine *machine)
{
    enum { SCAN_LIMIT = 65536 }; /* far beyond all GPUs: curves go through value by value */
    struct rules rules = find_rules(machine);
    return (struct occupancy_query){
        .threads_per_block = (unsigned)fmin(rules.max_threads_per_block, SCAN_LIMIT),
        .registers_per_thread = (unsigned)fmin(rules.max_per_thread, SCAN_LIMIT),
        .shared_bytes = whole_blocks(fmax(rules.shared_per_block, 0)),
    };
}
