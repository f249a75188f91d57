// SPDX-License-Identifier: Apache-2.0
/* Bytes of which some bits are defined (defined.h), such as those that hold bit-fields: a table by the place of their bit
 * in the shadow. */
#include "emulate/defined.h"

enum { PARTIAL_MAX = 1 << 14 };

static uint64_t key_of(const uint64_t *shadow, uint64_t at)
{
    return (uint64_t)(uintptr_t)shadow * 8 + at + 1; /* shadows are as far apart as their bits */
}

static struct partial_byte *slot_of(const struct partial_bytes *partial, uint64_t key)
{
    uint32_t at = (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (partial->room - 1);
    while (partial->slots[at].key && partial->slots[at].key != key)
        at = (at + 1) & (partial->room - 1);
    return &partial->slots[at];
}

uint8_t partial_get(const struct partial_bytes *partial, const uint64_t *shadow, uint64_t at)
{
    if (!partial->count) return 0xff;
    const struct partial_byte *slot = slot_of(partial, key_of(shadow, at));
    return slot->key ? slot->undefined : 0xff;
}

/* A table of `room` slots with what is in it now, but for `count` bits from key `first` on. */
static void rebuild(struct partial_bytes *partial, uint32_t room, uint64_t first, uint64_t count)
{
    struct partial_bytes old = *partial;
    *partial = (struct partial_bytes){.slots = mem_zalloc(room, sizeof *old.slots), .room = room};
    mem_keep(partial->slots);
    for (uint32_t i = 0; i < old.room; i++) {
        if (!old.slots[i].key || old.slots[i].key - first < count) continue;
        *slot_of(partial, old.slots[i].key) = old.slots[i];
        partial->count++;
    }
    mem_free(old.slots);
}

bool partial_set(struct partial_bytes *partial, const uint64_t *shadow, uint64_t at,
                 uint8_t undefined)
{
    if (2 * partial->count >= partial->room)
        rebuild(partial, partial->room ? 2 * partial->room : 64, 0, 0);
    uint64_t key = key_of(shadow, at);
    struct partial_byte *slot = slot_of(partial, key);
    if (!slot->key && partial->count == PARTIAL_MAX) return false;
    partial->count += !slot->key;
    *slot = (struct partial_byte){key, undefined};
    return true;
}

/* What follows in the table moves up, so that it is found. */
static void drop_key(struct partial_bytes *partial, uint64_t key)
{
    struct partial_byte *slot = slot_of(partial, key);
    if (!slot->key) return;
    slot->key = 0;
    partial->count--;
    uint32_t at = (uint32_t)(slot - partial->slots);
    for (;;) {
        at = (at + 1) & (partial->room - 1);
        struct partial_byte moved = partial->slots[at];
        if (!moved.key) return;
        partial->slots[at].key = 0;
        *slot_of(partial, moved.key) = moved;
    }
}

void partial_drop(struct partial_bytes *partial, const uint64_t *shadow, uint64_t at,
                  uint64_t count)
{
    uint64_t first = key_of(shadow, at);
    if (!partial->count) return;
    if (count < partial->room / 64) {
        for (uint64_t i = 0; i < count; i++)
            drop_key(partial, first + i);
        return;
    }
    rebuild(partial, partial->room, first, count);
}

void partial_clear(struct partial_bytes *partial)
{
    if (!partial) return;
    mem_free(partial->slots);
    mem_free(partial);
}

void shadow_clear(uint64_t *shadow, uint64_t at, uint64_t count)
{
    while (count) {
        uint64_t bit = at & 63, n = 64 - bit < count ? 64 - bit : count;
        uint64_t bits = (n == 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1) << bit;
        shadow[at >> 6] &= ~bits;
        at += n;
        count -= n;
    }
}
