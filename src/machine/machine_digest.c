// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "machine/machine.h"

/* FNV-1a, 64 bits (draft-eastlake-fnv). */
static void mix(uint64_t *hash, const char *text)
{
    do
        *hash = (*hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    while (*text++);
}

static void mix_number(uint64_t *hash, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.12g", value);
    mix(hash, text);
}

uint64_t machine_digest(const struct machine *machine)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t key = 0; key < MACHINE_KEY_COUNT; key++) {
        if (!machine->values[key].known) continue;
        mix(&hash, machine_key_infos[key].path);
        mix_number(&hash, machine->values[key].value);
    }
    for (unsigned id = 0; id < CURVE_COUNT; id++)
        for (size_t i = 0; i < machine->curves[id].count; i++) {
            double point[CURVE_AXES];
            machine_curve_point(&machine->curves[id], i, point);
            mix(&hash, machine_curve_infos[id].path);
            for (unsigned axis = 0; axis < CURVE_AXES; axis++)
                mix_number(&hash, point[axis]);
            mix_number(&hash, machine_curve_value(machine, (enum machine_curve_id)id, i));
        }
    return hash;
}
