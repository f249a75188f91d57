// SPDX-License-Identifier: Apache-2.0
#include "device_memory.h"

#include <stdlib.h>
#include <string.h>

/* Buffers have powers of two of bytes, so that each size has its own that are free: from a sector on, for counts that
 * do not depend on what lies where, up to what CUDA allows for parameters (32,764 bytes). */
enum { LEAST_BITS = 7, MOST_BITS = 15, SIZES = MOST_BITS - LEAST_BITS + 1 };
enum { TEXT_BYTES = 1 << 15, BUFFER_BYTES = 1 << 26, UNIT = 1 << LEAST_BITS };

struct buffer {
    struct kernel_work launch;
    bool is_taken, is_told;
    unsigned size; /* of SIZES */
    uint32_t next; /* free one of the same size, as unit + 1; 0: none */
};

static struct {
    uint64_t texts, begin;  /* addresses; 0: nothing is placed */
    struct buffer *buffers; /* by unit, of which many are never touched */
    uint32_t units_used;
    uint32_t free[SIZES]; /* unit + 1 */
} memory;

#define CUDA_ERROR(name, number, words) {number, #name, words},
static const struct {
    int number;
    const char *name, *words;
} texts[] = {
#include "cuda_errors.def"
    {-1, "unrecognized error code", "unrecognized error code"},
};
#undef CUDA_ERROR
enum { TEXTS = sizeof texts / sizeof *texts };
static uint32_t text_offsets[TEXTS][2]; /* name, words */

static cudaError_t place_texts(void)
{
    char bytes[TEXT_BYTES];
    size_t used = 0;
    for (size_t i = 0; i < TEXTS; i++) {
        const char *const both[] = {texts[i].name, texts[i].words};
        for (unsigned k = 0; k < 2; k++) {
            size_t length = strlen(both[k]) + 1;
            if (used + length > sizeof bytes) return cudaErrorUnknown;
            text_offsets[i][k] = (uint32_t)used;
            memcpy(bytes + used, both[k], length);
            used += length;
        }
    }
    return fail(ws_device_copy_in(runtime.device, memory.texts, bytes, used));
}

cudaError_t device_memory_place(void)
{
    uint64_t made;
    if (memory.begin) return cudaSuccess;
    ws_status status = ws_device_alloc_host(runtime.device, TEXT_BYTES + BUFFER_BYTES, &made);
    if (status != WS_OK) return fail(status);
    memory.buffers = calloc(BUFFER_BYTES / UNIT, sizeof *memory.buffers);
    if (!memory.buffers) out_of_memory(BUFFER_BYTES / UNIT * sizeof *memory.buffers);
    memory.texts = made;
    memory.begin = made + TEXT_BYTES;
    return place_texts();
}

void device_memory_clear(void)
{
    for (uint32_t i = 0; i < memory.units_used; i++)
        memory.buffers[i].is_taken = false;
    memory.units_used = 0;
    memset(memory.free, 0, sizeof memory.free);
}

/* NULL: none of them is free, and there is no room for another. */
static struct buffer *find_free(unsigned size)
{
    uint32_t found = memory.free[size];
    if (found) {
        memory.free[size] = memory.buffers[found - 1].next;
        return &memory.buffers[found - 1];
    }
    uint32_t units = UINT32_C(1) << size;
    if (memory.units_used + units > BUFFER_BYTES / UNIT) return NULL;
    struct buffer *made = &memory.buffers[memory.units_used];
    memory.units_used += units;
    return made;
}

uint64_t device_memory_take(uint64_t bytes, const struct kernel_work *launch)
{
    unsigned size = 0;
    while (size < SIZES && UINT64_C(1) << (LEAST_BITS + size) < bytes)
        size++;
    struct buffer *made = size < SIZES ? find_free(size) : NULL;
    if (!made) return 0;
    *made = (struct buffer){.is_taken = true, .is_told = launch != NULL, .size = size};
    if (launch) made->launch = *launch;
    return memory.begin + (uint64_t)(made - memory.buffers) * UNIT;
}

static struct buffer *buffer_at(uint64_t address)
{
    uint64_t offset = address - memory.begin;
    if (offset / UNIT >= memory.units_used || offset % UNIT) return NULL;
    struct buffer *found = &memory.buffers[offset / UNIT];
    return found->is_taken ? found : NULL;
}

const struct kernel_work *device_memory_launch(uint64_t address)
{
    const struct buffer *found = buffer_at(address);
    return found && found->is_told ? &found->launch : NULL;
}

/* Addresses of the device are those of the host. */
bool device_memory_read(uint64_t address, void *out, size_t bytes)
{
    const struct buffer *found = buffer_at(address);
    if (!found || bytes > (size_t)UNIT << found->size) return false;
    memcpy(out, (const void *)(uintptr_t)address, bytes);
    return true;
}

void device_memory_give(uint64_t address)
{
    struct buffer *found = buffer_at(address);
    if (!found) return;
    found->is_taken = false;
    found->next = memory.free[found->size];
    memory.free[found->size] = (uint32_t)(found - memory.buffers) + 1;
}

uint64_t device_memory_text(cudaError_t error, bool is_name)
{
    size_t i = 0;
    while (i + 1 < TEXTS && texts[i].number != (int)error)
        i++;
    return memory.texts + text_offsets[i][is_name ? 0 : 1];
}
