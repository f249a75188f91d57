// SPDX-License-Identifier: Apache-2.0
/* Does a launch leave memory as it is, if it is executed again right after itself? What it reads must not be written,
 * neither by itself nor by anybody else, and decide all that it does. */
#include "api/pipeline.h"
#include "measure/l2_history.h"

enum { SECTOR = 32 };

static bool overlap(const struct l2_ranges *a, const struct l2_ranges *b)
{
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t k = 0; k < b->count; k++)
            if (a->items[i].first < b->items[k].end && b->items[k].first < a->items[i].end)
                return true;
    return false;
}

/* The host may change its own memory, and that which it shares, unseen. */
static bool is_of_device(const struct device *device, const struct l2_ranges *ranges)
{
    struct device_range range;
    for (uint32_t i = 0; i < ranges->count; i++)
        for (uint64_t at = ranges->items[i].first * SECTOR;
             at<ranges->items[i].end * SECTOR; at = range.address + range.bytes> at
                 ? range.address + range.bytes
                 : at + SECTOR) {
            if (!device_find_from(device, at, &range)) return false;
            if (range.address >= ranges->items[i].end * SECTOR) break;
            if (range.is_host) return false;
        }
    return true;
}

bool launch_is_repeatable(const ws_device *device, const ws_module *module, const ws_launch *launch,
                          const struct measure *measure, const struct launch_result *result)
{
    struct l2_ranges read = {0}, written = {0}, texture = {0};
    if (result->tolerated || result->undefined || launch->grid_workspace || launch->effort > 0)
        return false;
    if (!module_is_repeatable(module->module, module->entries[launch->kernel])) return false;
    measure_ranges(measure, &read, &written, &texture);
    bool is_repeatable = !overlap(&read, &written) && !overlap(&texture, &written) &&
                         is_of_device(device->device, &read) &&
                         is_of_device(device->device, &texture) &&
                         is_of_device(device->device, &written);
    l2_ranges_clear(&read);
    l2_ranges_clear(&written);
    l2_ranges_clear(&texture);
    return is_repeatable;
}
