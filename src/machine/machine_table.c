// SPDX-License-Identifier: Apache-2.0
/* The keys of a machine file as a table, and the values of a machine by key. */
#include <string.h>

#include "machine/machine.h"

const struct machine_key_info machine_key_infos[MACHINE_KEY_COUNT] = {
#define KEY(name, path, dimension, text) [MACHINE_##name] = {path, text, DIM_##dimension},
#include "machine/machine_keys.def"
#undef KEY
#define CLASS(name, id)                                                                            \
    [MACHINE_THROUGHPUT_##name] = {                                                                \
        "throughput." id, "Threads per cycle and SM that " id " serves.", DIM_THREAD_PER_CYCLE},
#include "isa/classes.def"
#undef CLASS
#define CLASS(name, id)                                                                            \
    [MACHINE_LATENCY_##                                                                            \
        name] = {"latency." id, "Cycles from " id " to the use of its result.", DIM_CYCLE},
#include "isa/classes.def"
#undef CLASS
#define CLASS(name, id)                                                                            \
    [MACHINE_ISSUE_LATENCY_##name] = {                                                             \
        "issue_latency." id, "Cycles from " id " to the next issue of the same warp.", DIM_CYCLE},
#include "isa/classes.def"
#undef CLASS
};

const struct machine_curve_info machine_curve_infos[CURVE_COUNT] = {
#define CURVE(name, path, dimension, gpu_dimension, scale, text)                                   \
    [CURVE_##name] = {path, text, DIM_##dimension, DIM_##gpu_dimension, scale},
#include "machine/machine_curves.def"
#undef CURVE
};

int machine_key_find(const char *path)
{
    for (int key = 0; key < MACHINE_KEY_COUNT; key++)
        if (!strcmp(machine_key_infos[key].path, path)) return key;
    return -1;
}

bool machine_has(const struct machine *machine, enum machine_key key)
{
    return machine->values[key].known;
}

double machine_get(const struct machine *machine, enum machine_key key, double otherwise)
{
    return machine->values[key].known ? machine->values[key].value : otherwise;
}

double machine_curve_at(const struct machine_curve *curve, double warps)
{
    double from_warps = 0, from_value = 0;
    for (size_t i = 0; i < curve->count; i++) {
        double width = curve->warps[i] - from_warps, height = curve->values[i] - from_value;
        if (warps <= curve->warps[i]) return from_value + height * (warps - from_warps) / width;
        from_warps = curve->warps[i];
        from_value = curve->values[i];
    }
    return from_value;
}
