// SPDX-License-Identifier: Apache-2.0
/* The keys of a machine file as a table, and the values of a machine by key. */
#include <math.h>
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

double machine_clusters(const struct machine *machine)
{
    double per_cluster = machine_get(machine, MACHINE_SM_PER_CLUSTER, 0);
    return per_cluster > 1 ? ceil(machine_get(machine, MACHINE_SM_COUNT, 1) / per_cluster) : 1;
}
