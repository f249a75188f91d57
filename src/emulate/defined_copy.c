// SPDX-License-Identifier: Apache-2.0
/* Definedness of what the host copies (defined.h). */
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "emulate/defined.h"

/* Stores of computed values with undefined bits, by their text: what they wrote lies in [low, high). */
struct computed {
    struct computed *next;
    uint64_t low, high;
    char text[]; /* "kernel at file:line" */
};

/* ---- between allocations --------------------------------------------------------------------- */

static struct allocation *range_at(const struct device *device, uint64_t address, uint64_t bytes)
{
    struct allocation *found = devmem_find(&device->memory, address);
    return found && bytes <= found->address + found->bytes - address ? found : NULL;
}

static bool has_shadow(struct allocation *allocation)
{
    if (allocation->shadow) return true;
    if (allocation->is_open) return false;
    allocation->shadow = mem_zalloc((allocation->bytes + 63) / 64, sizeof *allocation->shadow);
    mem_keep(allocation->shadow);
    shadow_set(allocation->shadow, 0, allocation->bytes);
    return true;
}

static void copy_bits(struct partial_bytes *partial, uint64_t *to, uint64_t to_at,
                      const uint64_t *from, uint64_t from_at, uint64_t count)
{
    uint8_t *bytes = mem_zalloc(count, 1);
    for (uint64_t i = 0; i < count; i++)
        if (shadow_missing(from, from_at + i, 1))
            bytes[i] = partial ? partial_get(partial, from, from_at + i) : 0xff;
    if (partial) partial_drop(partial, to, to_at, count);
    for (uint64_t i = 0; i < count; i++) {
        bool is_kept = bytes[i] == 0xff ||
                       (bytes[i] && partial && partial_set(partial, to, to_at + i, bytes[i]));
        if (is_kept)
            shadow_clear(to, to_at + i, 1);
        else
            shadow_set(to, to_at + i, 1);
    }
    mem_free(bytes);
}

bool defined_copy(struct device *device, uint64_t to, const void *from, uint64_t bytes)
{
    bool is_mapped = device->memory.base != HEAP_BASE; /* device addresses are the host's */
    uint64_t at = (uint64_t)(uintptr_t)from;
    const struct allocation *source = is_mapped ? range_at(device, at, bytes) : NULL;
    struct allocation *target = range_at(device, to, bytes);
    if (!source || !source->shadow || !target) return false;
    if (shadow_all(source->shadow, at - source->address, bytes) || !has_shadow(target))
        return false;
    copy_bits(device->partial, target->shadow, to - target->address, source->shadow,
              at - source->address, bytes);
    return true;
}

/* ---- to the host ----------------------------------------------------------------------------- */

void defined_note_computed(const struct exec *x, const struct insn *insn, uint64_t low,
                           uint64_t high)
{
    enum { ENTRIES_MAX = 256 };
    struct device *device = x->launch->device;
    const struct launch_view *view = &x->launch->view;
    const struct module *module = view->module;
    struct strbuf text = {0};
    bool has_source = insn->source_line && insn->source_file < module->file_count;
    strbuf_printf(&text, "%s at %s:%u", module->functions[view->entry].display_name,
                  has_source ? module->files[insn->source_file] : module->path,
                  has_source ? insn->source_line : insn->line);
    struct computed **place = &device->computed;
    unsigned count = 0;
    while (*place && strcmp((*place)->text, text.data) != 0) {
        place = &(*place)->next;
        count++;
    }
    if (!*place && count < ENTRIES_MAX) {
        *place = mem_zalloc(1, sizeof **place + text.length + 1);
        mem_keep(*place);
        **place = (struct computed){.low = low, .high = high};
        memcpy((*place)->text, text.data, text.length + 1);
    } else if (*place) {
        if (low < (*place)->low) (*place)->low = low;
        if (high > (*place)->high) (*place)->high = high;
    }
    strbuf_clear(&text);
}

void defined_computed_clear(struct device *device)
{
    for (struct computed *next, *one = device->computed; one; one = next) {
        next = one->next;
        mem_free(one);
    }
    device->computed = NULL;
}

/* The first undefined byte of [from, from + bytes), and how many there are. */
static uint64_t count_missing(const struct allocation *found, uint64_t from, uint64_t bytes,
                              uint64_t *first)
{
    uint64_t at = from - found->address, count = 0;
    *first = 0;
    for (uint64_t done = 0; done < bytes; done += 32) {
        unsigned part = bytes - done < 32 ? (unsigned)(bytes - done) : 32u;
        uint32_t missing = shadow_missing(found->shadow, at + done, part);
        if (missing && !count) *first = from + done + (unsigned)__builtin_ctz(missing);
        count += (unsigned)__builtin_popcount(missing);
    }
    return count;
}

static const struct computed *computed_of(const struct device *device,
                                          const struct allocation *found, uint64_t from,
                                          uint64_t bytes)
{
    for (const struct computed *one = device->computed; one; one = one->next) {
        uint64_t low = one->low > from ? one->low : from, first;
        uint64_t high = one->high < from + bytes ? one->high : from + bytes;
        if (low < high && count_missing(found, low, high - low, &first)) return one;
    }
    return NULL;
}

void defined_copy_out(const struct device *device, uint64_t from, uint64_t bytes)
{
    const struct allocation *found = range_at(device, from, bytes);
    uint64_t first;
    if (!found || !found->shadow || shadow_all(found->shadow, from - found->address, bytes)) return;
    uint64_t count = count_missing(found, from, bytes, &first);
    const struct computed *computed = computed_of(device, found, from, bytes);
    struct strbuf text = {0}, memory = {0};
    strbuf_printf(&text, "%llu of the %llu bytes copied are not initialised, from byte %llu on",
                  (unsigned long long)count, (unsigned long long)bytes,
                  (unsigned long long)(first - from));
    if (computed) strbuf_printf(&text, "\nsome were computed by %s", computed->text);
    if (found->name)
        strbuf_printf(&memory, "'%s'", found->name);
    else
        strbuf_printf(&memory, "an allocation of %llu bytes", (unsigned long long)found->bytes);
    struct check_report report = {.code = computed ? CHECK_CODE_UNDEFINED_RESULT
                                                   : CHECK_CODE_UNDEFINED_COPY,
                                  .has_address = true,
                                  .address = first,
                                  .bytes = (uint32_t)count,
                                  .space = SPACE_GLOBAL,
                                  .memory = memory.data,
                                  .detail = text.data};
    device->check->ops->report(device->check->self, &report);
    strbuf_clear(&text);
    strbuf_clear(&memory);
}
