// SPDX-License-Identifier: Apache-2.0
/* Counts of a profile as models read them: global and local accesses by a machine's coalescing rule,
 * lanes at work. Part of estimate.h. */
#ifndef MODEL_ACCESSES_H
#define MODEL_ACCESSES_H

#include "machine/machine.h"
#include "measure/profile.h"

enum access_op {
    ACCESS_GLOBAL_LOAD,
    ACCESS_GLOBAL_STORE,
    ACCESS_GLOBAL_ATOMIC,
    ACCESS_LOCAL_LOAD,
    ACCESS_LOCAL_STORE,
    ACCESS_OP_COUNT
};

/* What is counted of an operation. The last five are those of the rule (global.rule). */
enum access_part {
    ACCESS_REQUESTS,
    ACCESS_BYTES_REQUESTED,
    ACCESS_LINES128,
    ACCESS_COALESCED,
    ACCESS_UNCOALESCED,
    ACCESS_UNCOALESCED_TRANSACTIONS,
    ACCESS_TRANSACTIONS,
    ACCESS_BYTES_MOVED, /* rule 32: sectors times 32, no counter of its own */
    ACCESS_PART_COUNT
};

enum coalescing_rule { RULE_IS_CC10, RULE_IS_CC12, RULE_IS_SECTOR };

struct accesses {
    double parts[ACCESS_PART_COUNT];
};

enum coalescing_rule coalescing_rule_of(const struct machine *machine);
/* ACCESS_BYTES_MOVED of rule 32 gives the sectors' counter. */
enum counter access_counter(enum access_op op, enum access_part part, enum coalescing_rule rule);
/* Missing counters read 0; coalesced and uncoalesced complete each other to the requests. */
struct accesses accesses_read(const struct profile *profile, enum access_op op,
                              enum coalescing_rule rule);
/* Sum over the operations whose bit is set in `ops`. */
struct accesses accesses_sum(const struct profile *profile, unsigned ops,
                             enum coalescing_rule rule);
enum { ACCESS_ALL = (1 << ACCESS_OP_COUNT) - 1 };
/* Fewest transactions, and the bytes they move, that these accesses could do with: the coalesced
 * requests as they are, the uncoalesced ones as if packed. */
double accesses_ideal_bytes(const struct accesses *accesses);

/* Bytes that texture fetches of `profile`, a stage of the launch or all of it, take from DRAM if each
 * sector that the launch touches comes once: fetches share them evenly. */
double texture_bytes(const struct profile *launch, const struct profile *profile);
double texture_requests(const struct profile *profile);

/* ---- shared memory ---- */

enum { SHARED_OP_COUNT = 3 }; /* load, store, atomic */
enum shared_part { SHARED_REQUESTS, SHARED_WAVEFRONTS, SHARED_CONFLICTS, SHARED_PART_COUNT };
/* Does a pass through the banks serve a half-warp (cc 1.x), not a warp? */
bool shared_is_half_warp(const struct machine *machine);
/* The counter for passes of half-warps or of warps. */
enum counter shared_counter(unsigned op, enum shared_part part, bool half_warp);
/* Sum over the operations; missing counters read 0. */
double shared_sum(const struct profile *profile, enum shared_part part, bool half_warp);
/* An operation with requests whose passes were not counted; COUNTER_COUNT if none. */
enum counter shared_missing(const struct profile *profile, bool half_warp);

enum { WARP_LANES = 32 };
/* Share of the lanes of the active mask that work: Σ lanes / (32 Σ warp instructions), in (0,1]. */
double active_lane_share(const struct profile *profile);
/* Warps that ran; those of the grid if that was not counted. */
double executed_warps(const struct profile *profile);

/* As accesses_read, of one instruction by its own counters. False if it accesses neither space. */
bool accesses_of_instruction(const struct instruction_profile *instruction,
                             enum coalescing_rule rule, enum access_op *out_op,
                             struct accesses *out);
/* A counter of one instruction; 0 if it is not listed. */
double instruction_counter(const struct instruction_profile *instruction, enum counter counter);

#endif
