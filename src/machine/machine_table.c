// SPDX-License-Identifier: Apache-2.0
/* The keys of a machine file as a table, and the values of a machine by key. */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/name_index.h"
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

const char *const machine_kind_words[MACHINE_KIND_COUNT] = {
#define KIND(name, word) [MACHINE_IS_##name] = word,
    MACHINE_KINDS(KIND)
#undef KIND
};

static bool begins_with(const char *path, const char *start)
{
    return !strncmp(path, start, strlen(start));
}

/* A CPU has its own section and what is no matter of SMs. */
bool machine_key_is_for(enum machine_key key, enum machine_kind kind)
{
    static const char *const shared[] = {
        "clock.",       "dram.bandwidth", "dram.sustained_bandwidth",
        "dram.latency", "dram.size",      "dram.channels",
        "power.tdp",    "power.idle",     "process"};
    const char *path = machine_key_infos[key].path;
    bool is_cpu = begins_with(path, "cpu.");
    if (kind == MACHINE_IS_GPU) return !is_cpu;
    for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++)
        if (begins_with(path, shared[i])) return true;
    return is_cpu;
}

static struct name_index paths;

static void fill_paths(void)
{
    name_index_fill(&paths, &machine_key_infos[0].path, sizeof *machine_key_infos,
                    MACHINE_KEY_COUNT);
}

int machine_key_find(const char *path)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill_paths);
    return name_index_find(&paths, path);
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
