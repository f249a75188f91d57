// SPDX-License-Identifier: Apache-2.0
#include "api/l2_log.h"

#include <string.h>

#include "base/hash_table.h"
#include "measure/l2_history.h"

enum { SECTOR_BYTES = 32, INSN_BYTES = 16, WORD = 8 };

/* Code lies where no data do: each kernel has a place of its own. */
static const uint64_t CODE_SECTOR = UINT64_C(1) << 58;
enum { CODE_SECTORS = 1 << 16 };

/* A sweep, and which parameter of the launch names its buffer: such a launch with another pointer there
 * touches the same part of another buffer. */
struct touch {
    struct l2_sweep sweep;
    size_t parameter; /* offset; SIZE_MAX: none names it */
    uint64_t pointer;
};

struct l2_touched {
    struct touch *items;
    size_t count, room;
};

struct class_entry {
    uint64_t key; /* ws_launch.l2_class */
    struct l2_touched touches;
};
struct code_entry {
    uint64_t key; /* address of the function */
    uint64_t sector;
};

struct l2_log {
    struct l2_history *history;
    struct hash_table classes, codes;
    struct l2_sweep *sweeps; /* of do_touch */
    size_t sweep_room;
    struct l2_found found; /* by the last launch */
    bool has_code;         /* the last launch found its code ... */
    uint64_t code_bytes;   /* ... in an L2 of so many bytes */
};

static void clear_touches(struct l2_touched *touches)
{
    for (size_t i = 0; i < touches->count; i++)
        l2_ranges_clear(&touches->items[i].sweep.ranges);
    mem_free(touches->items);
    *touches = (struct l2_touched){0};
}

/* They outlive the call. */
static void keep_touches(const struct l2_touched *touches)
{
    for (size_t i = 0; i < touches->count; i++)
        mem_keep(touches->items[i].sweep.ranges.items);
    mem_keep(touches->items);
}

struct l2_log *l2_log_create(void)
{
    struct l2_log *log = mem_zalloc(1, sizeof *log);
    log->history = l2_history_create();
    return log;
}

void l2_log_destroy(struct l2_log *log)
{
    if (!log) return;
    struct class_entry *entry = NULL;
    while ((entry = hash_table_next(&log->classes, entry, sizeof *entry)) != NULL)
        clear_touches(&entry->touches);
    hash_table_clear(&log->classes);
    hash_table_clear(&log->codes);
    l2_history_destroy(log->history);
    mem_free(log->sweeps);
    mem_free(log);
}

/* ---- buffers --------------------------------------------------------------------------------- */

static struct touch *add_touch(struct l2_touched *touches, bool is_read)
{
    GROW(touches->items, touches->count, touches->room);
    struct touch *touch = &touches->items[touches->count++];
    *touch = (struct touch){.sweep.is_read = is_read, .parameter = SIZE_MAX};
    return touch;
}

static uint64_t word_at(const ws_launch *launch, size_t offset)
{
    uint64_t word;
    memcpy(&word, (const unsigned char *)launch->parameters + offset, sizeof word);
    return word;
}

static void name_parameter(const ws_launch *launch, const struct device_range *buffer,
                           struct touch *touch)
{
    for (size_t at = 0; launch->parameters && at + WORD <= launch->parameter_bytes; at += WORD) {
        if (word_at(launch, at) - buffer->address >= buffer->bytes) continue;
        touch->parameter = at;
        touch->pointer = word_at(launch, at);
        return;
    }
}

static void add_range(struct touch *touch, const struct l2_range *range)
{
    struct l2_ranges *ranges = &touch->sweep.ranges;
    GROW(ranges->items, ranges->count, ranges->room);
    ranges->items[ranges->count++] = *range;
}

/* A sweep for each buffer: they are gone through at the same time. Memory of the host passes the L2 and does
 * not stay. */
static void split_ranges(const ws_device *device, const ws_launch *launch,
                         const struct l2_ranges *ranges, bool is_read, struct l2_touched *out)
{
    struct device_range buffer = {0};
    struct touch *touch = NULL;
    for (uint32_t i = 0; i < ranges->count; i++)
        for (uint64_t at = ranges->items[i].first; at < ranges->items[i].end;) {
            bool is_inside = touch && at * SECTOR_BYTES - buffer.address < buffer.bytes;
            if (!is_inside) {
                if (!device_find(device->device, at * SECTOR_BYTES, &buffer))
                    buffer =
                        (struct device_range){.address = at * SECTOR_BYTES, .bytes = SECTOR_BYTES};
                touch = add_touch(out, is_read);
                name_parameter(launch, &buffer, touch);
            }
            uint64_t end = (buffer.address + buffer.bytes + SECTOR_BYTES - 1) / SECTOR_BYTES;
            struct l2_range part = l2_range_within(&ranges->items[i], at, end);
            if (part.touched && !buffer.is_host) add_range(touch, &part);
            at = part.end > at ? part.end : at + 1;
        }
}

/* ---- launches -------------------------------------------------------------------------------- */

static const struct function *function_of(const ws_module *module, const ws_launch *launch)
{
    return &module->module->functions[module->entries[launch->kernel]];
}

static void add_code(struct l2_log *log, const ws_module *module, const ws_launch *launch,
                     struct l2_touched *touches)
{
    const struct function *function = function_of(module, launch);
    struct code_entry *code =
        hash_table_add(&log->codes, (uint64_t)(uintptr_t)function, sizeof *code);
    mem_keep(log->codes.entries);
    if (!code->sector) code->sector = CODE_SECTOR + log->codes.used * CODE_SECTORS;
    uint64_t sectors = (uint64_t)function->insn_count * INSN_BYTES / SECTOR_BYTES + 1;
    if (sectors > CODE_SECTORS) sectors = CODE_SECTORS;
    log->has_code = l2_history_find(log->history, code->sector, &log->code_bytes);
    l2_ranges_add(&add_touch(touches, false)->sweep.ranges, code->sector, code->sector + sectors);
}

static void do_touch(struct l2_log *log, const struct l2_touched *touches)
{
    if (touches->count > log->sweep_room) {
        log->sweeps = mem_realloc(log->sweeps, touches->count * sizeof *log->sweeps);
        mem_keep(log->sweeps);
        log->sweep_room = touches->count;
    }
    for (size_t i = 0; i < touches->count; i++)
        log->sweeps[i] = touches->items[i].sweep;
    l2_history_touch(log->history, log->sweeps, touches->count, &log->found);
}

void l2_log_bytes(ws_device *device, uint64_t address, uint64_t bytes)
{
    struct device_range buffer;
    struct l2_sweep sweep = {0};
    if (!device->l2 || !bytes || !device_find(device->device, address, &buffer) || buffer.is_host)
        return;
    l2_ranges_add(&sweep.ranges, address / SECTOR_BYTES,
                  (address + bytes + SECTOR_BYTES - 1) / SECTOR_BYTES);
    l2_history_touch(device->l2->history, &sweep, 1, NULL);
    l2_ranges_clear(&sweep.ranges);
}

struct l2_touched *l2_log_measured(ws_device *device, const ws_module *module,
                                   const ws_launch *launch, const struct measure *measure)
{
    struct l2_ranges read = {0}, written = {0}, texture = {0};
    if (!device->l2) return NULL;
    struct l2_touched *touched = mem_zalloc(1, sizeof *touched);
    add_code(device->l2, module, launch, touched);
    measure_ranges(measure, &read, &written, &texture);
    split_ranges(device, launch, &read, true, touched);
    split_ranges(device, launch, &written, false, touched);
    split_ranges(device, launch, &texture, false, touched);
    l2_ranges_clear(&read);
    l2_ranges_clear(&written);
    l2_ranges_clear(&texture);
    return touched;
}

static void note_found(const struct l2_log *log, struct profile *profile)
{
    profile->has_l2_reuse = true;
    profile->l2_reuse_count = log->found.count;
    profile->l2_reuse = ARENA_ARRAY(&profile->arena, struct l2_reuse, log->found.count + 1);
    memcpy(profile->l2_reuse, log->found.items, log->found.count * sizeof *profile->l2_reuse);
    profile->has_l2_code = log->has_code;
    profile->l2_code_bytes = log->code_bytes;
}

void l2_log_note(ws_device *device, const ws_launch *launch, struct l2_touched *touched,
                 struct profile *profile)
{
    if (!touched) return;
    do_touch(device->l2, touched);
    note_found(device->l2, profile);
    if (launch->l2_class) {
        struct class_entry *one =
            hash_table_add(&device->l2->classes, launch->l2_class, sizeof *one);
        mem_keep(device->l2->classes.entries);
        clear_touches(&one->touches);
        one->touches = *touched;
        keep_touches(&one->touches);
        *touched = (struct l2_touched){0};
    }
    clear_touches(touched);
    mem_free(touched);
}

/* Where nothing is known, a launch touches all of the buffers that its parameters name. */
static void add_named(const ws_device *device, const ws_launch *launch, struct l2_touched *out)
{
    struct device_range buffer;
    for (size_t at = 0; launch->parameters && at + WORD <= launch->parameter_bytes; at += WORD) {
        uint64_t pointer = word_at(launch, at);
        if (!device_find(device->device, pointer, &buffer) || buffer.is_host) continue;
        struct touch *touch = add_touch(out, true);
        l2_ranges_add(&touch->sweep.ranges, buffer.address / SECTOR_BYTES,
                      (buffer.address + buffer.bytes + SECTOR_BYTES - 1) / SECTOR_BYTES);
    }
}

/* What the last counted launch of the class touched becomes that in the buffers of this one. */
static void move_touches(struct l2_touched *touches, const ws_launch *launch)
{
    for (size_t i = 0; i < touches->count; i++) {
        struct touch *touch = &touches->items[i];
        if (touch->parameter >= launch->parameter_bytes) continue;
        uint64_t pointer = word_at(launch, touch->parameter);
        uint64_t shift = pointer / SECTOR_BYTES - touch->pointer / SECTOR_BYTES;
        touch->pointer = pointer;
        for (uint32_t k = 0; shift && k < touch->sweep.ranges.count; k++) {
            touch->sweep.ranges.items[k].first += shift;
            touch->sweep.ranges.items[k].end += shift;
        }
    }
}

void l2_log_like(ws_device *device, const ws_module *module, const ws_launch *launch)
{
    struct l2_touched touches = {0};
    if (!device->l2) return;
    struct class_entry *one =
        launch->l2_class ? hash_table_find(&device->l2->classes, launch->l2_class, sizeof *one)
                         : NULL;
    if (one && one->touches.count) {
        move_touches(&one->touches, launch);
        do_touch(device->l2, &one->touches);
        return;
    }
    add_code(device->l2, module, launch, &touches);
    add_named(device, launch, &touches);
    do_touch(device->l2, &touches);
    clear_touches(&touches);
}

double ws_device_l2_found(const ws_device *device, uint64_t l2_bytes)
{
    const struct l2_found *found = device->l2 ? &device->l2->found : NULL;
    if (!found || !found->read) return 0;
    double sectors = 0;
    for (uint32_t i = 0; i < found->count; i++)
        sectors += (double)found->items[i].sectors *
                   l2_kept_share((double)found->items[i].bytes, (double)l2_bytes);
    return sectors / (double)found->read;
}

void ws_device_touch(ws_device *device, uint64_t address, uint64_t bytes)
{
    API_CALL_OR(return )
    device->changes++;
    l2_log_bytes(device, address, bytes);
}
