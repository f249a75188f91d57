// SPDX-License-Identifier: Apache-2.0
/* What an access of a trace asks of a machine: passes through the banks of shared memory, segments
 * (cc 1.x) or sectors by line. Worked out once per pattern and alignment. */
#ifndef MODEL_TEG_ACCESS_H
#define MODEL_TEG_ACCESS_H

#include "base/hash_table.h"
#include "measure/trace.h"
#include "model/teg/teg_machine.h"

enum { TEG_LINE = 128, TEG_SECTOR = 32, TEG_WORD = 4, TEG_ALIGNMENT = 256 };

/* A transaction: `bytes` at `delta` from the access's base rounded down to 256. */
struct teg_piece {
    int64_t delta;
    uint16_t bytes;
    uint8_t sectors; /* of a line, bit 0 the first; cached machines */
    uint32_t words;  /* that the lanes cover, one bit for 4 bytes of the line */
    bool is_moved;   /* `uncoalesced` is switched off: the place means nothing */
};

struct teg_request {
    uint32_t first, count; /* pieces: teg_access.pieces */
    uint32_t passes,
        least_passes;   /* through the banks, of shared memory or L1; least: without conflict */
    uint32_t same_word; /* lanes on one word of shared memory: atomics take turns */
    bool is_scattered;  /* fewer transactions would do */
};

struct teg_access_entry {
    uint64_t key; /* pattern and alignment, plus 1 */
    struct teg_request request;
};

struct teg_access_table {
    const struct trace *trace;
    const struct teg_machine *machine;
    struct hash_table requests; /* struct teg_access_entry */
    struct teg_piece *pieces;
    uint32_t piece_count, piece_capacity;
};

void teg_access_init(struct teg_access_table *table, const struct trace *trace,
                     const struct teg_machine *machine);
void teg_access_clear(struct teg_access_table *table);
/* Behind teg_access_find: what is not in the table yet. */
const struct teg_request *teg_access_add(struct teg_access_table *table,
                                         const struct trace_access *access, uint64_t key);

/* Valid until the next call, as its pieces. */
static inline const struct teg_request *teg_access_find(struct teg_access_table *table,
                                                        const struct trace_access *access)
{
    uint64_t key = ((uint64_t)access->pattern << 8 | (access->base & (TEG_ALIGNMENT - 1))) + 1;
    const struct teg_access_entry *entry = hash_table_find(&table->requests, key, sizeof *entry);
    return entry ? &entry->request : teg_access_add(table, access, key);
}

#endif
