// SPDX-License-Identifier: Apache-2.0
/* Memory that the program allocated, and the last that it freed. */
#include <stdlib.h>

#include "host_check.h"
#include "host_stack.h"

enum { BUCKETS = 1 << 12, FREED_MOST = 1 << 14 };

static struct memory_record *live[BUCKETS]; /* by their first byte */
static struct {
    struct memory_record *records; /* a ring */
    size_t count, next;
} freed;

static struct memory_record **find(uint64_t address)
{
    struct memory_record **place = &live[(address >> 9 ^ address >> 21) % BUCKETS];
    while (*place && (*place)->address != address)
        place = &(*place)->next;
    return place;
}

void check_memory_add(uint64_t address, uint64_t bytes, enum memory_kind kind)
{
    if (!check_is_on()) return;
    struct memory_record **place = find(address), *record = *place;
    if (!record) {
        record = calloc(1, sizeof *record);
        if (!record) out_of_memory(sizeof *record);
        *place = record;
    }
    *record = (struct memory_record){.address = address,
                                     .bytes = bytes,
                                     .kind = kind,
                                     .call = api_current(),
                                     .made = host_stack_take(),
                                     .next = record->next};
}

void check_memory_set(uint64_t address, enum memory_kind kind, bool is_kept)
{
    struct memory_record *record = check_is_on() ? *find(address) : NULL;
    if (!record) return;
    record->kind = kind;
    record->is_kept |= is_kept;
}

void check_memory_drop(uint64_t address)
{
    struct memory_record **place = check_is_on() ? find(address) : NULL;
    struct memory_record *record = place ? *place : NULL;
    if (!record) return;
    *place = record->next;
    if (!freed.records) freed.records = calloc(FREED_MOST, sizeof *freed.records);
    if (!freed.records) out_of_memory(FREED_MOST * sizeof *freed.records);
    record->freed = host_stack_take();
    freed.records[freed.next] = *record;
    freed.next = (freed.next + 1) % FREED_MOST;
    if (freed.count < FREED_MOST) freed.count++;
    free(record);
}

const struct memory_record *check_memory_live(uint64_t address)
{
    ws_device_range range;
    if (!check_is_on() || !ws_device_find(runtime.device, address, &range)) return NULL;
    return *find(range.address);
}

/* The last one that was there, unless something else is. */
const struct memory_record *check_memory_freed(uint64_t address)
{
    ws_device_range range;
    if (!check_is_on() || ws_device_find(runtime.device, address, &range)) return NULL;
    for (size_t i = 1; i <= freed.count; i++) {
        const struct memory_record *one =
            &freed.records[(freed.next + FREED_MOST - i) % FREED_MOST];
        if (address - one->address < one->bytes) return one;
    }
    return NULL;
}

void check_memory_each(check_memory_fn *visit, void *user)
{
    for (size_t i = 0; i < BUCKETS; i++)
        for (const struct memory_record *one = live[i]; one; one = one->next)
            visit(user, one);
}

void check_memory_keep_all(void)
{
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct memory_record *one = live[i]; one; one = one->next)
            one->is_kept = true;
}

/* ---- frees that fail ------------------------------------------------------------------------- */

static void tell_found(const char *call, uint64_t address, const ws_device_range *range,
                       bool call_host)
{
    if (range->name)
        check_found_at("M23", address, 0, "%s: 0x%llx is in the variable %s of a module", call,
                       (unsigned long long)address, range->name);
    else if (range->address != address)
        check_found_at("M23", address, 0,
                       "%s: 0x%llx is %llu bytes behind the begin of an allocation of %llu bytes",
                       call, (unsigned long long)address,
                       (unsigned long long)(address - range->address),
                       (unsigned long long)range->bytes);
    else
        check_found_at("M23", address, 0, "%s: 0x%llx is %s memory: free it by %s", call,
                       (unsigned long long)address, range->is_host ? "pinned host" : "device",
                       call_host ? "cudaFree" : "cudaFreeHost");
}

void check_bad_free(const void *pointer, bool call_host)
{
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    const char *call = api_current();
    ws_device_range range;
    if (!check_is_on()) return;
    if (ws_device_find(runtime.device, address, &range)) {
        tell_found(call, address, &range, call_host);
        return;
    }
    const struct memory_record *one = check_memory_freed(address);
    if (one)
        check_found_at(one->address == address ? "M24" : "M23", address, 0,
                       "%s: 0x%llx is in an allocation of %llu bytes that was freed before", call,
                       (unsigned long long)address, (unsigned long long)one->bytes);
    else
        check_found("M23", "%s: the pointer is not memory that CUDA allocated", call);
}
