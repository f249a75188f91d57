// SPDX-License-Identifier: Apache-2.0
/* Topology and measurements as figures of a machine. */
#include "host/host.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "host/host_timing.h"

struct topology {
    hwloc_topology_t handle;
    unsigned sockets, core_count;
    hwloc_cpuset_t *cores;   /* one logical processor each */
    double l1, l2, l3, line; /* bytes: of a core, of a core, of all; 0: not known */
    const char *model;       /* of the processor; NULL: not told */
    struct mem_guard guard;
};

/* A core without cores in its topology (some virtual machines) is a logical processor. */
static hwloc_obj_type_t core_type(hwloc_topology_t handle)
{
    return hwloc_get_nbobjs_by_type(handle, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
}

static void read_caches(struct topology *t)
{
    hwloc_obj_t l1 = hwloc_get_obj_by_type(t->handle, HWLOC_OBJ_L1CACHE, 0);
    hwloc_obj_t l2 = hwloc_get_obj_by_type(t->handle, HWLOC_OBJ_L2CACHE, 0), l3 = NULL;
    if (l1) t->l1 = (double)l1->attr->cache.size;
    if (l2) t->l2 = (double)l2->attr->cache.size;
    if (l1) t->line = l1->attr->cache.linesize;
    while ((l3 = hwloc_get_next_obj_by_type(t->handle, HWLOC_OBJ_L3CACHE, l3)) != NULL)
        t->l3 += (double)l3->attr->cache.size;
}

static void drop_topology(void *of)
{
    struct topology *t = of;
    for (unsigned i = 0; i < t->core_count; i++)
        hwloc_bitmap_free(t->cores[i]);
    hwloc_topology_destroy(t->handle);
}

static void clear_topology(struct topology *t)
{
    mem_guard_end(&t->guard);
    drop_topology(t);
    mem_free(t->cores);
}

static ws_status read_topology(struct diag *diag, struct topology *t)
{
    *t = (struct topology){0};
    if (hwloc_topology_init(&t->handle) != 0) {
        mem_check_errno();
        return diag_error(diag, WS_ERR_DEVICE, "host: cannot initialise hwloc");
    }
    mem_guard_begin(&t->guard, drop_topology, t);
    if (hwloc_topology_load(t->handle) != 0) {
        mem_check_errno();
        clear_topology(t);
        return diag_error(diag, WS_ERR_DEVICE,
                          "host: hwloc cannot read the topology of this computer");
    }
    hwloc_obj_type_t type = core_type(t->handle);
    hwloc_obj_t package = hwloc_get_obj_by_type(t->handle, HWLOC_OBJ_PACKAGE, 0);
    int sockets = hwloc_get_nbobjs_by_type(t->handle, HWLOC_OBJ_PACKAGE);
    t->sockets = sockets > 0 ? (unsigned)sockets : 1;
    unsigned cores = (unsigned)hwloc_get_nbobjs_by_type(t->handle, type);
    t->cores = mem_zalloc(cores, sizeof(hwloc_cpuset_t));
    for (; t->core_count < cores; t->core_count++) {
        hwloc_cpuset_t core =
            hwloc_bitmap_dup(hwloc_get_obj_by_type(t->handle, type, t->core_count)->cpuset);
        if (!core) mem_raise(0);
        t->cores[t->core_count] = core;
        hwloc_bitmap_singlify(core);
    }
    if (package) t->model = hwloc_obj_get_info_by_name(package, "CPUModel");
    read_caches(t);
    return WS_OK;
}

/* ---- figures --------------------------------------------------------------------------------- */

static void set(struct machine *machine, enum machine_key key, double value, const char *source)
{
    bool assumed = !source;
    if (value > 0 || key == MACHINE_CPU_FMA)
        machine->values[key] = (struct machine_value){.value = value,
                                                      .known = true,
                                                      .source = assumed ? "assumed" : source,
                                                      .assumed = assumed};
}

/* Figures of a measurement have three digits. */
static double round_digits(double value)
{
    double unit = pow(10, floor(log10(value)) - 2);
    return value > 0 ? nearbyint(value / unit) * unit : 0;
}

static void set_topology(struct machine *machine, const struct topology *t)
{
    set(machine, MACHINE_CPU_SOCKETS, t->sockets, "HWLOC");
    set(machine, MACHINE_CPU_CORES, t->core_count, "HWLOC");
    set(machine, MACHINE_CPU_LINE, t->line, "HWLOC");
    set(machine, MACHINE_CPU_L1_SIZE, t->l1, "HWLOC");
    set(machine, MACHINE_CPU_L2_SIZE, t->l2, "HWLOC");
    set(machine, MACHINE_CPU_L3_SIZE, t->l3, "HWLOC");
}

static void set_timing(struct machine *machine, const struct host_timing *timing)
{
    double clock = timing->clock_hz.best, units = round_digits(timing->vector_rate.best / clock);
    set(machine, MACHINE_CLOCK_CORE, round_digits(clock), "HOST");
    set(machine, MACHINE_CPU_VECTOR_WIDTH, timing->loops->vector_bytes, "HOST");
    set(machine, MACHINE_CPU_VECTOR_UNITS, units, "HOST");
    set(machine, MACHINE_CPU_FMA, timing->loops->fma, "HOST");
    set(machine, MACHINE_CPU_INST_LATENCY, round_digits(timing->chain_seconds.best * clock),
        "HOST");
    set(machine, MACHINE_DRAM_BANDWIDTH, round_digits(timing->read_bytes_per_second.best), "HOST");
    set(machine, MACHINE_DRAM_LATENCY, round_digits(timing->load_seconds.best * clock), "HOST");
    set(machine, MACHINE_CPU_FP_UNITS, units, NULL); /* scalars go where vectors go */
    set(machine, MACHINE_CPU_ISSUE_WIDTH, 4, NULL);  /* as the E5645; many issue more */
}

static const char *spread(struct arena *arena, const char *what, struct host_sample sample,
                          double unit, const char *unit_name)
{
    return arena_format(arena, "%s: best %.3g %s, median %.3g, worst %.3g", what,
                        sample.best / unit, unit_name, sample.median / unit, sample.worst / unit);
}

static void add_notes(struct machine *machine, const struct topology *t,
                      const struct host_timing *timing)
{
    struct arena *arena = &machine->arena;
    const char **notes = ARENA_ARRAY(arena, const char *, 8);
    size_t count = 0;
    char day[32] = "";
    time_t now = time(NULL);
    struct tm calendar;
    if (gmtime_r(&now, &calendar)) strftime(day, sizeof day, "%Y-%m-%d", &calendar);
    notes[count++] =
        arena_format(arena, "measured %s with %u threads of %s code, %zu MiB of memory%s", day,
                     timing->threads, timing->loops->name, timing->buffer_bytes >> 20,
                     timing->is_bound ? "" : "; threads could not be pinned to cores");
    notes[count++] = spread(arena, "clock.core", timing->clock_hz, 1e9, "GHz");
    notes[count++] =
        spread(arena, "vector instructions of a core", timing->vector_rate, 1e9, "G/s");
    notes[count++] = spread(arena, "cpu.inst_latency", timing->chain_seconds, 1e-9, "ns");
    notes[count++] =
        spread(arena, "dram.bandwidth (reading)", timing->read_bytes_per_second, 1e9, "GB/s");
    notes[count++] = spread(arena, "dram.latency", timing->load_seconds, 1e-9, "ns");
    if (timing->threads < t->core_count)
        notes[count++] = "not all cores could be used: bandwidth and clock were measured on fewer";
    if ((double)timing->buffer_bytes < 2 * t->l3)
        notes[count++] = "the test buffer was smaller than twice the L3: part of the traffic may "
                         "have hit the L3";
    machine->notes = notes;
    machine->note_count = count;
}

ws_status host_measure(struct diag *diag, struct machine **out)
{
    struct topology t;
    struct host_timing timing;
    *out = NULL;
    TRY(read_topology(diag, &t));
    ws_status status = host_time(diag, t.handle, t.cores, t.core_count, (size_t)t.l3, &timing);
    if (status == WS_OK) {
        struct machine *machine = mem_zalloc(1, sizeof *machine);
        machine->kind = MACHINE_IS_CPU;
        machine->id = machine->path = "host";
        machine->name = arena_copy(&machine->arena, t.model ? t.model : "this computer");
        set_topology(machine, &t);
        set_timing(machine, &timing);
        add_notes(machine, &t, &timing);
        *out = machine;
    }
    clear_topology(&t);
    return status;
}
