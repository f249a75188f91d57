// SPDX-License-Identifier: Apache-2.0
/* What one warp memory request costs under every rule: the memory counters of counters.def. */
#ifndef MEASURE_ACCESS_COST_H
#define MEASURE_ACCESS_COST_H

#include "measure/lane_math.h"
#include "measure/profile.h"

/* KIND(ENUM, first counter, fields) */
#define MEMORY_KINDS(KIND)                                                                         \
    KIND(GLOBAL_LOAD, COUNTER_MEM_GLOBAL_LOAD_REQUESTS, COST_GLOBAL_FIELDS)                        \
    KIND(GLOBAL_STORE, COUNTER_MEM_GLOBAL_STORE_REQUESTS, COST_GLOBAL_FIELDS)                      \
    KIND(GLOBAL_ATOMIC, COUNTER_MEM_GLOBAL_ATOMIC_REQUESTS, COST_GLOBAL_FIELDS)                    \
    KIND(LOCAL_LOAD, COUNTER_MEM_LOCAL_LOAD_REQUESTS, COST_GLOBAL_FIELDS)                          \
    KIND(LOCAL_STORE, COUNTER_MEM_LOCAL_STORE_REQUESTS, COST_GLOBAL_FIELDS)                        \
    KIND(SHARED_LOAD, COUNTER_MEM_SHARED_LOAD_REQUESTS, COST_SHARED_FIELDS)                        \
    KIND(SHARED_STORE, COUNTER_MEM_SHARED_STORE_REQUESTS, COST_SHARED_FIELDS)                      \
    KIND(SHARED_ATOMIC, COUNTER_MEM_SHARED_ATOMIC_REQUESTS, COST_SHARED_FIELDS)

enum memory_kind {
#define KIND(name, first, fields) KIND_##name,
    MEMORY_KINDS(KIND)
#undef KIND
        MEMORY_KIND_COUNT,
    MEMORY_KIND_NONE = MEMORY_KIND_COUNT /* const, param, texture: no memory counters */
};

enum memory_operation { MEMORY_LOAD, MEMORY_STORE, MEMORY_ATOMIC };
enum memory_kind memory_kind(enum mem_space space, enum memory_operation operation);

/* Fields in the order of counters.def, for global and local, and for shared memory. */
enum cost_field {
    COST_REQUESTS,
    COST_BYTES_REQUESTED,
    COST_SECTORS32,
    COST_LINES128,
    COST_TRANSACTIONS_CC10, /* and four more of this rule */
    COST_TRANSACTIONS_CC12 = COST_TRANSACTIONS_CC10 + 5,
    COST_COALESCED_SECTOR = COST_TRANSACTIONS_CC12 + 5,
    COST_UNCOALESCED_SECTOR,
    COST_UNCOALESCED_TRANSACTIONS_SECTOR,
    COST_GLOBAL_FIELDS,
    COST_WAVEFRONTS32 = 2,
    COST_CONFLICTS32,
    COST_WAVEFRONTS16,
    COST_CONFLICTS16,
    COST_SHARED_FIELDS,
    COST_FIELDS = COST_GLOBAL_FIELDS
};
extern const enum counter memory_kind_counters[MEMORY_KIND_COUNT]; /* of COST_REQUESTS */
extern const unsigned memory_kind_fields[MEMORY_KIND_COUNT];
/* The rule without which this counter is not counted (enum measure_rules); 0: always counted. */
unsigned counter_rule(enum counter counter);

struct cost {
    uint16_t fields[COST_FIELDS]; /* at most 32 KiB: 32 lanes x 4 words x 256 bytes */
    uint16_t kind;
};

/* What a cost is worked out of: `bytes` by lane; mask is not 0; addresses[0 .. 31] can be read and
 * hold for the lanes of mask, naturally aligned: device address, offset in shared memory, or offset
 * in the thread's local memory. */
struct lane_access {
    unsigned bytes;
    uint32_t mask;
    const uint64_t *addresses;
};

void access_cost(struct cost *out, enum memory_kind kind, const struct lane_access *access,
                 const struct lane_math *math, const struct counting_rules *rules);

/* A number, not 0, of which there is one for each cost under these rules: it takes less time. False: the rules ask for more. */
bool access_summary(uint64_t *out, enum memory_kind kind, const struct lane_access *access,
                    const struct lane_math *math, const struct counting_rules *rules);

/* Addresses modulo this much make no difference to the cost but for lane-to-lane differences. */
unsigned access_alignment(enum memory_kind kind, unsigned bytes,
                          const struct counting_rules *rules);

#endif
