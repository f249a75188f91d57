// SPDX-License-Identifier: Apache-2.0
/* Takes back what a launch writes to device memory: pieces of it are kept before they are first written.
 *
 *     struct undo undo;
 *     undo_init(&undo);
 *     ... launch_options.undo = &undo: executes
 *     undo_restore(&undo, device);
 *     undo_clear(&undo);
 *
 * Bytes that the launch initialised stay initialised. Textures and the heap of malloc are not followed. */
#ifndef EMULATE_UNDO_H
#define EMULATE_UNDO_H

#include <pthread.h>

#include "base/arena.h"
#include "base/hash_table.h"

enum { UNDO_PIECE_SHIFT = 9, UNDO_PIECE = 1 << UNDO_PIECE_SHIFT }; /* DEVMEM_ALIGNMENT */

struct undo {
    pthread_mutex_t mutex;
    struct hash_table pieces; /* struct undo_piece */
    struct arena arena;
    uint64_t saved[64]; /* pieces + 1 that are kept, to spare the mutex; atomic */
};

struct devmem;
struct device;
void undo_init(struct undo *undo);
void undo_clear(struct undo *undo);
/* Before `bytes` bytes at `address`, which are in the heap or in an allocation, are written; by any thread. */
void undo_note(struct undo *undo, const struct devmem *memory, uint64_t address, uint64_t bytes);
void undo_restore(struct undo *undo, const struct device *device);

#endif
