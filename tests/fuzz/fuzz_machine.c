// SPDX-License-Identifier: Apache-2.0
/* A machine file from anywhere, in memory: it is read or refused with a message that has a place.
 * What was read answers questions and takes what-ifs. */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "machine/machine_read.h"
#include "model/thermal/thermal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The tags of most figures in data/machines, so that their files go through as seeds. */
static const char *tags[] = {"HONG",     "ZO11",   "TEG",   "WONG10",   "GPUDB",     "OCC",
                             "OCCJS",    "CPG13",  "CPG11", "CPG126",   "SO6048907", "CPG4",
                             "PPT",      "RRZE",   "MT4G",  "XENON",    "PTXAS",     "POPPUR",
                             "RAJ",      "BOOK",   "PAPER", "GPGPUSIM", "HONGFIT",   "HOTSPOT",
                             "NORDICHW", "DERIVED"};

/* Heat under a floorplan from anywhere, on few cells: finite temperatures or a message. */
static void warm(struct diag *diag, const struct machine *machine)
{
    enum { CELLS = 4, MOST_SMS = 64 };
    static const unsigned first[] = {0};
    const struct thermal_load load = {
        .active_sms = first, .active_count = 1, .watts_per_sm = 3, .watts_per_tpc = 1};
    const struct floorplan *plan = machine->floorplan;
    struct thermal_choice choice;
    struct thermal_state state;
    struct thermal *thermal;
    unsigned sms[MOST_SMS];
    if (!plan || plan->sm_count > MOST_SMS) return;
    if (thermal_create(diag, machine, plan, CELLS, true, &thermal) != WS_OK) {
        assert(diag->text && *diag->text);
        return;
    }
    if (thermal_steady(diag, thermal, &load, &state, NULL, NULL) == WS_OK)
        assert(state.peak_celsius >= state.mean_celsius - 1e-6 * fabs(state.mean_celsius));
    if (thermal_best(diag, thermal, &load, 1, &choice, sms) == WS_OK)
        assert(choice.exact && sms[0] < plan->sm_count);
    thermal_destroy(thermal);
}

static void use(struct diag *diag, struct machine *machine)
{
    static const struct occupancy_query query = {
        .threads_per_block = 256, .registers_per_thread = 32, .shared_bytes = 4096};
    struct occupancy occupancy;
    double value;
    if (machine_occupancy(diag, machine, &query, &occupancy) == WS_OK)
        assert(occupancy.blocks_per_sm > 0 && occupancy.limiter);
    for (unsigned id = 0; id < CLASS_COUNT; id++)
        if (machine_throughput(machine, (enum insn_class)id, &value)) assert(value >= 0);
    warm(diag, machine);
    (void)!machine_set(diag, machine, "sm.count", "=*2");
    (void)!machine_set(diag, machine, "dram.bandwidth", "=+10%");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct source_list sources = {sizeof tags / sizeof tags[0], tags};
    struct diag diag = {0};
    const struct machine_reader reader = {&diag, &sources, NULL};
    struct machine *machine;
    if (machine_read(&reader, "fuzz", "fuzz.yaml", (const char *)data, size, &machine) == WS_OK) {
        use(&diag, machine);
    } else {
        assert(machine == NULL);
        assert(diag.status == WS_ERR_MACHINE && !strncmp(diag.text, "fuzz.yaml:", 10));
    }
    machine_destroy(machine);
    diag_clear(&diag);
    /* As a list of aliases, and as the list of sources. */
    struct arena arena = {0};
    struct yaml_tree tree;
    struct source_list list;
    const char **aliases;
    if (yaml_tree_parse(&diag, &tree, "fuzz.yaml", (const char *)data, size) == WS_OK) {
        (void)machine_read_aliases(&arena, &tree, &aliases);
        yaml_tree_clear(&tree);
    }
    (void)!source_list_read(&diag, &arena, "fuzz.yaml", (const char *)data, size, &list);
    arena_clear(&arena);
    diag_clear(&diag);
    return 0;
}
