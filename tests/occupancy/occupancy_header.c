// SPDX-License-Identifier: Apache-2.0
/* Random launches: machine_occupancy against NVIDIA's cuda_occupancy.h of an installed toolkit.
 *
 *     occupancy_header [CASES [SEED]]
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include <cuda_occupancy.h>

#include "machine/machine.h"

/* What SMs have, without files: the rules of each compute capability are what is compared. */
static const struct capacity {
    int major, minor, threads, registers, registers_per_block, shared, shared_optin;
} capacities[] = {
    {3, 0, 2048, 65536, 65536, 49152, 49152},    {3, 7, 2048, 131072, 65536, 114688, 49152},
    {3, 5, 2048, 65536, 65536, 49152, 49152},    {5, 0, 2048, 65536, 65536, 65536, 49152},
    {5, 2, 2048, 65536, 65536, 98304, 49152},    {5, 3, 2048, 65536, 32768, 65536, 49152},
    {6, 0, 2048, 65536, 65536, 65536, 49152},    {6, 1, 2048, 65536, 65536, 98304, 49152},
    {6, 2, 2048, 65536, 32768, 65536, 49152},    {7, 0, 2048, 65536, 65536, 98304, 98304},
    {7, 2, 2048, 65536, 65536, 98304, 98304},    {7, 5, 1024, 65536, 65536, 65536, 65536},
    {8, 0, 2048, 65536, 65536, 167936, 166912},  {8, 6, 1536, 65536, 65536, 102400, 101376},
    {8, 7, 1536, 65536, 65536, 167936, 166912},  {8, 9, 1536, 65536, 65536, 102400, 101376},
    {9, 0, 2048, 65536, 65536, 233472, 232448},  {10, 0, 2048, 65536, 65536, 233472, 232448},
    {10, 1, 1536, 65536, 65536, 233472, 232448}, {10, 3, 2048, 65536, 65536, 233472, 232448},
    {11, 0, 1536, 65536, 65536, 233472, 232448}, {12, 0, 1536, 65536, 65536, 102400, 101376},
    {12, 1, 1536, 65536, 65536, 102400, 101376},
};
enum { CAPACITIES = sizeof capacities / sizeof capacities[0] };

/* Marsaglia's xorshift64, for cases only. */
static uint64_t random_state;
static unsigned random_below(unsigned bound)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)((random_state >> 32) * bound >> 32);
}

/* Half of the launches are small, so that most of them fit. */
static struct occupancy_query random_query(const struct capacity *capacity)
{
    unsigned most_shared = (unsigned)capacity->shared_optin + 2000;
    struct occupancy_query query = {
        .threads_per_block = 1 + random_below(random_below(2) ? 1100 : 320),
        .registers_per_thread = random_below(random_below(2) ? 256 : 65), /* 0: none are used */
        .shared_bytes = random_below(random_below(4) ? most_shared / 8 : most_shared),
        .barriers = random_below(8) ? 1 : random_below(17),
        .partitioned_caching = random_below(4) == 0,
    };
    if (!random_below(16)) query.shared_bytes = 0;
    /* The header allows 255 registers on cc 3.0, whose instructions can name 63. */
    if (capacity->major == 3 && capacity->minor == 0) query.registers_per_thread %= 64;
    return query;
}

static bool ask_nvidia(const struct capacity *capacity, const struct occupancy_query *query,
                       struct cudaOccResult *out)
{
    const struct cudaOccDeviceProp device = {
        .computeMajor = capacity->major,
        .computeMinor = capacity->minor,
        .maxThreadsPerBlock = 1024,
        .maxThreadsPerMultiprocessor = capacity->threads,
        .regsPerBlock = capacity->registers_per_block,
        .regsPerMultiprocessor = capacity->registers,
        .warpSize = 32,
        .sharedMemPerBlock = 49152,
        .sharedMemPerMultiprocessor = (size_t)capacity->shared,
        .numSms = 1,
        .sharedMemPerBlockOptin = (size_t)capacity->shared_optin,
        .reservedSharedMemPerBlock = capacity->major >= 8 ? 1024 : 0,
    };
    const struct cudaOccFuncAttributes kernel = {
        .maxThreadsPerBlock = INT_MAX,
        .numRegs = (int)query->registers_per_thread,
        .partitionedGCConfig = query->partitioned_caching ? PARTITIONED_GC_ON : PARTITIONED_GC_OFF,
        .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
        .maxDynamicSharedSizeBytes = (size_t)query->shared_bytes,
        .numBlockBarriers = (int)query->barriers,
    };
    const struct cudaOccDeviceState state = {.cacheConfig = CACHE_PREFER_SHARED,
                                             .carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED};
    return cudaOccMaxActiveBlocksPerMultiprocessor(out, &device, &kernel, &state,
                                                   (int)query->threads_per_block,
                                                   (size_t)query->shared_bytes) == CUDA_OCC_SUCCESS;
}

static void put(struct machine *machine, enum machine_key key, double value)
{
    machine->values[key] =
        (struct machine_value){.value = value, .known = true, .source = "a test"};
}

static void fill_machine(struct machine *machine, const struct capacity *capacity)
{
    *machine = (struct machine){.id = "random", .path = "random"};
    machine->cc_major = (unsigned)capacity->major;
    machine->cc_minor = (unsigned)capacity->minor;
    put(machine, MACHINE_SM_MAX_THREADS, capacity->threads);
    put(machine, MACHINE_SM_REGISTERS, capacity->registers);
    put(machine, MACHINE_SM_MAX_REGISTERS_PER_BLOCK, capacity->registers_per_block);
    put(machine, MACHINE_SHARED_PER_SM, capacity->shared);
    put(machine, MACHINE_SHARED_PER_BLOCK, capacity->shared_optin);
}

static bool is_limit(unsigned ours, int theirs)
{
    return theirs == INT_MAX ? ours == UINT_MAX : ours == (unsigned)theirs;
}

/* The header's bits have other places. One named barrier is everyone's: here it does not limit. */
static unsigned limiters_of(const struct cudaOccResult *result, const struct occupancy_query *query)
{
    unsigned theirs = result->limitingFactors, ours = 0;
    if (theirs & OCC_LIMIT_BLOCKS) ours |= OCCUPANCY_SM;
    if (theirs & OCC_LIMIT_REGISTERS) ours |= OCCUPANCY_REGISTERS;
    if (theirs & OCC_LIMIT_SHARED_MEMORY) ours |= OCCUPANCY_SHARED;
    if (theirs & OCC_LIMIT_WARPS) ours |= OCCUPANCY_WARPS;
    if (theirs & OCC_LIMIT_BARRIERS && query->barriers > 1) ours |= OCCUPANCY_BARRIERS;
    return ours;
}

/* Where barriers alone are the least, the header still names what was the least without them. */
static bool are_limiters(const struct occupancy *ours, const struct cudaOccResult *theirs,
                         const struct occupancy_query *query)
{
    if (query->barriers > 1 && ours->limiters == OCCUPANCY_BARRIERS)
        return theirs->limitingFactors & OCC_LIMIT_BARRIERS;
    return ours->limiters == limiters_of(theirs, query);
}

static bool agrees(const struct occupancy *ours, const struct cudaOccResult *theirs,
                   const struct occupancy_query *query)
{
    bool barriers =
        query->barriers < 2 || is_limit(ours->limit_barriers, theirs->blockLimitBarriers);
    return ours->blocks_per_sm == (unsigned)theirs->activeBlocksPerMultiprocessor &&
           is_limit(ours->limit_warps, theirs->blockLimitWarps) &&
           is_limit(ours->limit_registers, theirs->blockLimitRegs) &&
           is_limit(ours->limit_shared, theirs->blockLimitSharedMem) &&
           is_limit(ours->limit_sm, theirs->blockLimitBlocks) && barriers &&
           are_limiters(ours, theirs, query);
}

/* ---- candidates: bare capacities, then all machine files from cc 3.0 on --------------------------- */

enum { CANDIDATES_MAX = 256 };
static struct candidate {
    struct capacity capacity;
    const struct machine *machine;
} candidates[CANDIDATES_MAX];
static size_t candidate_count;

static void add_candidate(const struct capacity *capacity, const struct machine *machine)
{
    if (candidate_count == CANDIDATES_MAX) abort();
    candidates[candidate_count++] = (struct candidate){*capacity, machine};
}

/* The capacities that the file says; how they are handed out, it may say otherwise than NVIDIA. */
static void add_file(struct machine *machine)
{
    const struct capacity capacity = {
        .major = (int)machine->cc_major,
        .minor = (int)machine->cc_minor,
        .threads = (int)(32 * machine_get(machine, MACHINE_SM_MAX_WARPS, 0)),
        .registers = (int)machine_get(machine, MACHINE_SM_REGISTERS, 0),
        .registers_per_block = (int)machine_get(machine, MACHINE_SM_MAX_REGISTERS_PER_BLOCK, 0),
        .shared = (int)machine_get(machine, MACHINE_SHARED_PER_SM, 0),
        .shared_optin = (int)machine_get(machine, MACHINE_SHARED_PER_BLOCK, 0),
    };
    if (machine->cc_major >= 3)
        add_candidate(&capacity, machine);
    else
        machine_destroy(machine);
}

static bool add_files(void)
{
    struct diag diag = {0};
    static struct arena arena;
    const char *const *ids;
    size_t count;
    bool ok = machine_list(&diag, &arena, SOURCE_DIR "/data/machines", &ids, &count) == WS_OK;
    for (size_t i = 0; ok && i < count; i++) {
        struct machine *machine;
        ok = machine_load(&diag, SOURCE_DIR "/data/machines", ids[i], &machine) == WS_OK;
        if (ok) add_file(machine);
    }
    if (!ok) fprintf(stderr, "%s\n", diag.text);
    arena_clear(&arena);
    diag_clear(&diag);
    return ok;
}

static bool add_all(void)
{
    static struct machine bare[CAPACITIES];
    for (size_t i = 0; i < CAPACITIES; i++) {
        fill_machine(&bare[i], &capacities[i]);
        add_candidate(&capacities[i], &bare[i]);
    }
    return add_files();
}

static void print_difference(const struct candidate *which, const struct occupancy_query *query,
                             const struct occupancy *ours, const struct cudaOccResult *theirs)
{
    const struct capacity *capacity = &which->capacity;
    printf("%s, cc %d.%d, %u threads, %u registers, %" PRIu64 " bytes, %u barriers%s:\n",
           which->machine->id, capacity->major, capacity->minor, query->threads_per_block,
           query->registers_per_thread, query->shared_bytes, query->barriers,
           query->partitioned_caching ? ", partitioned" : "");
    printf("  here %d blocks: warps %d, registers %d, shared %d, SM %d, barriers %d\n",
           (int)ours->blocks_per_sm, (int)ours->limit_warps, (int)ours->limit_registers,
           (int)ours->limit_shared, (int)ours->limit_sm, (int)ours->limit_barriers);
    printf("  NVIDIA %d blocks: warps %d, registers %d, shared %d, SM %d, barriers %d\n",
           theirs->activeBlocksPerMultiprocessor, theirs->blockLimitWarps, theirs->blockLimitRegs,
           theirs->blockLimitSharedMem, theirs->blockLimitBlocks, theirs->blockLimitBarriers);
}

int main(int argc, char **argv)
{
    unsigned long cases = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
    unsigned long compared = 0, differ = 0, fit = 0, unanswered = 0;
    random_state = argc > 2 ? strtoull(argv[2], NULL, 10) | 1 : 88172645463325252;
    if (!add_all()) return 1;
    while (compared < cases && unanswered < cases) {
        const struct candidate *which = &candidates[random_below((unsigned)candidate_count)];
        struct occupancy_query query = random_query(&which->capacity);
        struct cudaOccResult theirs = {0};
        if (!ask_nvidia(&which->capacity, &query, &theirs)) {
            unanswered++; /* a compute capability that this version of the header does not know */
            continue;
        }
        struct occupancy ours = machine_count_blocks(which->machine, &query);
        compared++;
        fit += ours.blocks_per_sm > 0;
        if (agrees(&ours, &theirs, &query)) continue;
        if (differ++ < 5) print_difference(which, &query, &ours, &theirs);
    }
    printf("%lu launches compared with NVIDIA's header on %zu SMs, %lu fit, %lu differ; %lu on "
           "SMs that it does not know\n",
           compared, candidate_count, fit, differ, unanswered);
    return differ || compared < cases || fit < cases / 4 || fit > cases - cases / 20;
}
