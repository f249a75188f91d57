// SPDX-License-Identifier: Apache-2.0
#include "emulate/undo.h"

#include <string.h>

#include "emulate/exec.h"

/* Of the heap a piece of UNDO_PIECE bytes, which belongs to one allocation at most; of memory of the host, whose other
 * bytes are none of ours, what one lane can write. */
enum { HOST_PIECE_SHIFT = 4 };
static const uint64_t HOST_KEY = UINT64_C(1) << 63;

struct undo_piece {
    uint64_t key; /* number of the piece + 1; of the host with HOST_KEY */
    unsigned char *content;
};

void undo_init(struct undo *undo)
{
    *undo = (struct undo){0};
    pthread_mutex_init(&undo->mutex, NULL);
}

void undo_clear(struct undo *undo)
{
    pthread_mutex_destroy(&undo->mutex);
    hash_table_clear(&undo->pieces);
    arena_clear(&undo->arena);
    *undo = (struct undo){0};
}

static unsigned shift_of(uint64_t key)
{
    return key & HOST_KEY ? HOST_PIECE_SHIFT : UNDO_PIECE_SHIFT;
}

static uint64_t address_of(uint64_t key)
{
    return ((key & ~HOST_KEY) - 1) << shift_of(key);
}

static uint64_t key_of(const struct devmem *memory, uint64_t address)
{
    bool is_heap = address - memory->base < memory->capacity;
    return is_heap ? (address >> UNDO_PIECE_SHIFT) + 1
                   : ((address >> HOST_PIECE_SHIFT) + 1) | HOST_KEY;
}

static void keep(struct undo *undo, const struct devmem *memory, uint64_t key)
{
    pthread_mutex_lock(&undo->mutex);
    struct undo_piece *piece = hash_table_add(&undo->pieces, key, sizeof *piece);
    if (!piece->content) {
        size_t bytes = (size_t)1 << shift_of(key);
        piece->content = arena_alloc(&undo->arena, bytes);
        memcpy(piece->content, devmem_host(memory, address_of(key)), bytes);
    }
    pthread_mutex_unlock(&undo->mutex);
}

void undo_note(struct undo *undo, const struct devmem *memory, uint64_t address, uint64_t bytes)
{
    enum { RECENT = sizeof undo->saved / sizeof *undo->saved };
    uint64_t last = key_of(memory, address + bytes - 1);
    for (uint64_t key = key_of(memory, address); key <= last; key++) {
        uint64_t *recent = &undo->saved[key % RECENT];
        if (__atomic_load_n(recent, __ATOMIC_ACQUIRE) == key) continue;
        keep(undo, memory, key);
        __atomic_store_n(recent, key, __ATOMIC_RELEASE);
    }
}

void undo_restore(struct undo *undo, const struct device *device)
{
    struct undo_piece *piece = NULL;
    while ((piece = hash_table_next(&undo->pieces, piece, sizeof *piece)) != NULL)
        memcpy(devmem_host(&device->memory, address_of(piece->key)), piece->content,
               (size_t)1 << shift_of(piece->key));
}
