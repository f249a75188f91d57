// SPDX-License-Identifier: Apache-2.0
/* Copies and fills before they are done. What the host allocated by other means than CUDA's is unknown. */
#include <stdlib.h>
#include <string.h>

#include "host_check.h"

/* One end of a copy, from its first to its last byte. */
struct end {
    const char *word; /* "source" */
    uint64_t address, bytes;
    bool is_device, is_host; /* as the copy's kind says; neither: any */
};

static uint64_t span(const struct rows *rows, size_t width, size_t height, size_t depth)
{
    return (depth - 1) * rows->slice + (height - 1) * rows->pitch + width;
}

static void judge_found(const struct end *end, const ws_device_range *range)
{
    const char *call = api_current();
    const struct memory_record *record = check_memory_live(end->address);
    uint64_t left = range->address + range->bytes - end->address;
    bool is_registered = record && record->kind == MEMORY_KIND_REGISTERED;
    /* What is registered may be part of what malloc returned. */
    if (end->bytes > left && !is_registered)
        check_found_at("M20", end->address, end->bytes,
                       "%s: the %s has %llu bytes from 0x%llx to the end of %s%s%llu bytes, the "
                       "operation %llu",
                       call, end->word, (unsigned long long)left, (unsigned long long)end->address,
                       range->name ? range->name : "its allocation", range->name ? ", " : " of ",
                       (unsigned long long)range->bytes, (unsigned long long)end->bytes);
    bool is_device_only = range->name ? !variable_is_managed(end->address)
                                      : record && record->kind == MEMORY_KIND_DEVICE;
    if (end->is_host && is_device_only)
        check_found_at("M22", end->address, end->bytes,
                       "%s: the %s 0x%llx is device memory, but the direction says host memory",
                       call, end->word, (unsigned long long)end->address);
}

static void judge(const struct end *end)
{
    const char *call = api_current();
    ws_device_range range;
    if (!end->address) {
        check_found("M28", "%s: the %s is a null pointer", call, end->word);
        return;
    }
    if (ws_device_find(runtime.device, end->address, &range)) {
        judge_found(end, &range);
        return;
    }
    const struct memory_record *freed = check_memory_freed(end->address);
    if (freed && (end->is_device || freed->kind != MEMORY_KIND_REGISTERED))
        check_found_at("M21", end->address, end->bytes,
                       "%s: the %s 0x%llx is in an allocation of %llu bytes that was freed", call,
                       end->word, (unsigned long long)end->address,
                       (unsigned long long)freed->bytes);
    else if (end->is_device)
        check_found("M22", "%s: the %s is not memory that CUDA allocated", call, end->word);
}

static struct end end_of(const char *word, const struct rows *rows, uint64_t bytes)
{
    return (struct end){word, (uint64_t)(uintptr_t)rows->begin, bytes, false, false};
}

/* What a refused copy or fill would have written within the memory counts as written: that it is not is one mistake, not
 * two. The bytes themselves stay. */
static void mark_written(const struct end *to)
{
    ws_device_range range;
    if (!ws_device_find(runtime.device, to->address, &range)) return;
    uint64_t left = range.address + range.bytes - to->address;
    void *same = left < to->bytes ? malloc(left) : NULL;
    if (!same) return;
    memcpy(same, (const void *)(uintptr_t)to->address, left);
    if (ws_device_copy_in(runtime.device, to->address, same, left) != WS_OK)
        tell("%s", ws_context_error(runtime.context));
    free(same);
}

void check_copy(const struct copy_work *copy)
{
    if (!check_is_on() || !copy->width || !copy->height || !copy->depth) return;
    if (copy->kind < cudaMemcpyHostToHost || copy->kind > cudaMemcpyDefault) {
        check_found("M28", "%s: %d is not a direction", api_current(), copy->kind);
        return;
    }
    if (copy->height > 1 && (copy->width > copy->to.pitch || copy->width > copy->from.pitch)) {
        check_found("M28", "%s: rows of %zu bytes, but a pitch of %zu bytes", api_current(),
                    copy->width,
                    copy->to.pitch < copy->from.pitch ? copy->to.pitch : copy->from.pitch);
        return;
    }
    struct end to =
        end_of("destination", &copy->to, span(&copy->to, copy->width, copy->height, copy->depth));
    struct end from =
        end_of("source", &copy->from, span(&copy->from, copy->width, copy->height, copy->depth));
    bool any = copy->kind == cudaMemcpyDefault;
    to.is_device = copy->kind == cudaMemcpyHostToDevice || copy->kind == cudaMemcpyDeviceToDevice;
    from.is_device = copy->kind == cudaMemcpyDeviceToHost || copy->kind == cudaMemcpyDeviceToDevice;
    to.is_host = !any && !to.is_device;
    from.is_host = !any && !from.is_device;
    judge(&to);
    judge(&from);
    mark_written(&to);
}

void check_fill(const struct fill_work *fill)
{
    if (!check_is_on() || !fill->width || !fill->height || !fill->depth) return;
    struct end to =
        end_of("memory", &fill->to, span(&fill->to, fill->width, fill->height, fill->depth));
    to.is_device = true;
    judge(&to);
    mark_written(&to);
}
