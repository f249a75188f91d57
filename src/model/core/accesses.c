// SPDX-License-Identifier: Apache-2.0
#include "model/core/accesses.h"

#include <math.h>

static const enum counter first_counters[ACCESS_OP_COUNT] = {
    [ACCESS_GLOBAL_LOAD] = COUNTER_MEM_GLOBAL_LOAD_REQUESTS,
    [ACCESS_GLOBAL_STORE] = COUNTER_MEM_GLOBAL_STORE_REQUESTS,
    [ACCESS_GLOBAL_ATOMIC] = COUNTER_MEM_GLOBAL_ATOMIC_REQUESTS,
    [ACCESS_LOCAL_LOAD] = COUNTER_MEM_LOCAL_LOAD_REQUESTS,
    [ACCESS_LOCAL_STORE] = COUNTER_MEM_LOCAL_STORE_REQUESTS,
};

/* Every operation has the same counters in the same order (counters.def): offsets from its first.
 */
#define OFFSET(name) (COUNTER_MEM_GLOBAL_LOAD_##name - COUNTER_MEM_GLOBAL_LOAD_REQUESTS)
_Static_assert(COUNTER_MEM_LOCAL_STORE_UNCOALESCED_TRANSACTIONS_SECTOR -
                       COUNTER_MEM_LOCAL_STORE_REQUESTS ==
                   OFFSET(UNCOALESCED_TRANSACTIONS_SECTOR),
               "memory counters of all operations are laid out alike");

static const uint8_t offsets[3][ACCESS_PART_COUNT] = {
    [RULE_IS_CC10] = {[ACCESS_REQUESTS] = OFFSET(REQUESTS),
                      [ACCESS_BYTES_REQUESTED] = OFFSET(BYTES_REQUESTED),
                      [ACCESS_LINES128] = OFFSET(LINES128),
                      [ACCESS_COALESCED] = OFFSET(COALESCED_CC10),
                      [ACCESS_UNCOALESCED] = OFFSET(UNCOALESCED_CC10),
                      [ACCESS_UNCOALESCED_TRANSACTIONS] = OFFSET(UNCOALESCED_TRANSACTIONS_CC10),
                      [ACCESS_TRANSACTIONS] = OFFSET(TRANSACTIONS_CC10),
                      [ACCESS_BYTES_MOVED] = OFFSET(BYTES_CC10)},
    [RULE_IS_CC12] = {[ACCESS_REQUESTS] = OFFSET(REQUESTS),
                      [ACCESS_BYTES_REQUESTED] = OFFSET(BYTES_REQUESTED),
                      [ACCESS_LINES128] = OFFSET(LINES128),
                      [ACCESS_COALESCED] = OFFSET(COALESCED_CC12),
                      [ACCESS_UNCOALESCED] = OFFSET(UNCOALESCED_CC12),
                      [ACCESS_UNCOALESCED_TRANSACTIONS] = OFFSET(UNCOALESCED_TRANSACTIONS_CC12),
                      [ACCESS_TRANSACTIONS] = OFFSET(TRANSACTIONS_CC12),
                      [ACCESS_BYTES_MOVED] = OFFSET(BYTES_CC12)},
    [RULE_IS_SECTOR] = {[ACCESS_REQUESTS] = OFFSET(REQUESTS),
                        [ACCESS_BYTES_REQUESTED] = OFFSET(BYTES_REQUESTED),
                        [ACCESS_LINES128] = OFFSET(LINES128),
                        [ACCESS_COALESCED] = OFFSET(COALESCED_SECTOR),
                        [ACCESS_UNCOALESCED] = OFFSET(UNCOALESCED_SECTOR),
                        [ACCESS_UNCOALESCED_TRANSACTIONS] = OFFSET(UNCOALESCED_TRANSACTIONS_SECTOR),
                        [ACCESS_TRANSACTIONS] = OFFSET(SECTORS32),
                        [ACCESS_BYTES_MOVED] = OFFSET(SECTORS32)},
};

enum { SECTOR_BYTES = 32 };

enum coalescing_rule coalescing_rule_of(const struct machine *machine)
{
    double rule = machine_get(machine, MACHINE_GLOBAL_RULE, 32);
    return rule < 11 ? RULE_IS_CC10 : rule < 13 ? RULE_IS_CC12 : RULE_IS_SECTOR;
}

enum counter access_counter(enum access_op op, enum access_part part, enum coalescing_rule rule)
{
    return (enum counter)(first_counters[op] + offsets[rule][part]);
}

struct accesses accesses_read(const struct profile *profile, enum access_op op,
                              enum coalescing_rule rule)
{
    struct accesses out = {{0}};
    for (unsigned part = 0; part < ACCESS_PART_COUNT; part++)
        out.parts[part] = profile_get(profile, access_counter(op, part, rule));
    if (rule == RULE_IS_SECTOR) out.parts[ACCESS_BYTES_MOVED] *= SECTOR_BYTES;
    bool coalesced = profile_has(profile, access_counter(op, ACCESS_COALESCED, rule));
    bool uncoalesced = profile_has(profile, access_counter(op, ACCESS_UNCOALESCED, rule));
    double requests = out.parts[ACCESS_REQUESTS];
    if (uncoalesced && !coalesced)
        out.parts[ACCESS_COALESCED] = requests - out.parts[ACCESS_UNCOALESCED];
    if (coalesced && !uncoalesced)
        out.parts[ACCESS_UNCOALESCED] = requests - out.parts[ACCESS_COALESCED];
    return out;
}

struct accesses accesses_sum(const struct profile *profile, unsigned ops, enum coalescing_rule rule)
{
    struct accesses sum = {{0}};
    for (unsigned op = 0; op < ACCESS_OP_COUNT; op++) {
        if (!(ops & 1u << op)) continue;
        struct accesses one = accesses_read(profile, op, rule);
        for (unsigned part = 0; part < ACCESS_PART_COUNT; part++)
            sum.parts[part] += one.parts[part];
    }
    return sum;
}

double accesses_ideal_bytes(const struct accesses *accesses)
{
    const double *parts = accesses->parts;
    double transactions = parts[ACCESS_TRANSACTIONS], bytes = parts[ACCESS_BYTES_MOVED];
    if (!(parts[ACCESS_UNCOALESCED] > 0) || !(transactions > 0) || !(parts[ACCESS_REQUESTS] > 0))
        return bytes;
    /* Bytes of the uncoalesced requests: they move at least one sector each, and no more than now.
     */
    double share = fmin(1, parts[ACCESS_UNCOALESCED_TRANSACTIONS] / transactions);
    double moved = bytes * share;
    double packed =
        parts[ACCESS_BYTES_REQUESTED] * parts[ACCESS_UNCOALESCED] / parts[ACCESS_REQUESTS];
    packed = fmax(packed, SECTOR_BYTES * parts[ACCESS_UNCOALESCED]);
    return bytes - moved + fmin(moved, packed);
}

double texture_requests(const struct profile *profile)
{
    return profile_get(profile, (enum counter)(COUNTER_INST_WARP_FIRST + CLASS_MEM_TEXTURE_LOAD));
}

double texture_bytes(const struct profile *launch, const struct profile *profile)
{
    double all = texture_requests(launch);
    double bytes = SECTOR_BYTES * profile_get(launch, COUNTER_MEM_TEXTURE_READ_FOOTPRINT);
    return all > 0 ? bytes * texture_requests(profile) / all : 0;
}

/* ---- shared memory --------------------------------------------------------------------------- */

bool shared_is_half_warp(const struct machine *machine)
{
    return coalescing_rule_of(machine) != RULE_IS_SECTOR ||
           machine_get(machine, MACHINE_SHARED_BANKS, WARP_LANES) < WARP_LANES;
}

enum counter shared_counter(unsigned op, enum shared_part part, bool half_warp)
{
    static const enum counter table[SHARED_OP_COUNT][SHARED_PART_COUNT][2] = {
#define ROW(OP)                                                                                    \
    {                                                                                              \
        {COUNTER_MEM_SHARED_##OP##_REQUESTS, COUNTER_MEM_SHARED_##OP##_REQUESTS},                  \
            {COUNTER_MEM_SHARED_##OP##_WAVEFRONTS32, COUNTER_MEM_SHARED_##OP##_WAVEFRONTS16},      \
        {                                                                                          \
            COUNTER_MEM_SHARED_##OP##_CONFLICTS32, COUNTER_MEM_SHARED_##OP##_CONFLICTS16           \
        }                                                                                          \
    }
        ROW(LOAD), ROW(STORE), ROW(ATOMIC)
#undef ROW
    };
    return table[op][part][half_warp];
}

double shared_sum(const struct profile *profile, enum shared_part part, bool half_warp)
{
    double sum = 0;
    for (unsigned op = 0; op < SHARED_OP_COUNT; op++)
        sum += profile_get(profile, shared_counter(op, part, half_warp));
    return sum;
}

enum counter shared_missing(const struct profile *profile, bool half_warp)
{
    for (unsigned op = 0; op < SHARED_OP_COUNT; op++) {
        enum counter passes = shared_counter(op, SHARED_WAVEFRONTS, half_warp);
        enum counter requests = shared_counter(op, SHARED_REQUESTS, half_warp);
        if (profile_get(profile, requests) > 0 && !profile_has(profile, passes)) return passes;
    }
    return COUNTER_COUNT;
}

/* ---- lanes ----------------------------------------------------------------------------------- */

double active_lane_share(const struct profile *profile)
{
    /* A guard that is false is no divergence: the branch that closes a loop has no true lane. */
    enum counter lanes = profile_has(profile, COUNTER_INST_THREAD_ACTIVE)
                             ? COUNTER_INST_THREAD_ACTIVE
                             : COUNTER_INST_THREAD;
    double warps = profile_get(profile, COUNTER_INST_WARP);
    double share = profile_get(profile, lanes) / (WARP_LANES * warps);
    return share > 0 && share < 1 ? share : 1;
}

double instruction_counter(const struct instruction_profile *instruction, enum counter counter)
{
    for (uint32_t i = 0; i < instruction->counter_count; i++)
        if (instruction->counters[i] == counter) return instruction->values[i];
    return 0;
}

bool accesses_of_instruction(const struct instruction_profile *instruction,
                             enum coalescing_rule rule, enum access_op *out_op,
                             struct accesses *out)
{
    for (unsigned op = 0; op < ACCESS_OP_COUNT; op++) {
        if (!(instruction_counter(instruction, first_counters[op]) > 0)) continue;
        for (unsigned part = 0; part < ACCESS_PART_COUNT; part++)
            out->parts[part] = instruction_counter(instruction, access_counter(op, part, rule));
        if (rule == RULE_IS_SECTOR) out->parts[ACCESS_BYTES_MOVED] *= SECTOR_BYTES;
        *out_op = op;
        return true;
    }
    return false;
}

double executed_warps(const struct profile *profile)
{
    double warps = profile_get(profile, COUNTER_WARPS_EXECUTED);
    if (warps > 0) return warps;
    uint32_t threads = profile_threads_per_block(profile);
    return (double)profile_blocks(profile) * ceil((double)threads / WARP_LANES);
}
