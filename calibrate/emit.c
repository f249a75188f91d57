// SPDX-License-Identifier: Apache-2.0
/* Kernels and launch files that `warpsage analyze` runs. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "calibrate/campaign.h"
#include "calibrate/native_count.h"

static bool put_file(const struct calibration *calibration, const char *path, const char *text)
{
    FILE *out = fopen(path, "we");
    bool is_written = out && fputs(text, out) >= 0;
    is_written = out && fclose(out) == 0 && is_written;
    if (is_written) return true;
    return calibrate_tell(calibration, "%s: cannot write: %s", path, strerror(errno));
}

static char *launch_text(const struct bench *bench, const struct plan *plan,
                         const struct point *point, const char *gpu)
{
    const char *kernel = plan->kernels[point->kernel].name;
    uint64_t words = point->data_bytes > 4 ? point->data_bytes / 4 : 1;
    uint64_t warps = (uint64_t)point->grid * ((point->block + 31) / 32);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) abort();
    fprintf(out, "# SPDX-License-Identifier: Apache-2.0\n# %s: %s\n# ", bench->id, bench->text);
    const char *axis = bench->axes;
    for (unsigned i = 0; i < BENCH_AXES && *axis; i++) {
        size_t length = strcspn(axis, " ");
        fprintf(out, "%s%.*s %g", i ? ", " : "", (int)length, axis, point->x[i]);
        axis += length + strspn(axis + length, " ");
    }
    fprintf(out, "\nkernel_file: %s-%s.ptx\nkernel: %s\ngrid: [%u, 1, 1]\nblock: [%u, 1, 1]\n",
            bench->id, kernel, kernel, point->grid, point->block);
    if (point->shared) fprintf(out, "dynamic_shared_bytes: %u\n", point->shared);
    fprintf(out, "args:\n  - u32[%llu]\n", (unsigned long long)(4 * warps));
    if (point->fill == FILL_CHASE)
        fprintf(out, "  - u64[%llu]=chase:%llu:%u\n", (unsigned long long)(point->data_bytes / 8),
                (unsigned long long)point->stride, point->jump ? point->jump : 1);
    else
        fprintf(out, "  - u32[%llu]=zeros\n", (unsigned long long)words);
    for (unsigned i = 0; i < BENCH_ARGS; i++)
        fprintf(out, "  - u32:%u\n", point->args[i]);
    fprintf(out, "gpu: [%s]\n", gpu);
    fclose(out);
    return text;
}

static bool emit_bench(const struct calibration *calibration, const struct bench *bench,
                       const struct gpu_facts *facts, const char *gpu, const char *folder,
                       unsigned *counted)
{
    struct plan plan = {.gpu = facts, .is_short = calibration->is_short};
    const char *why = "";
    bool is_written = true;
    if (bench->plan(bench, &plan, &why)) {
        if (calibration->counts_native) *counted += native_count(calibration, bench, &plan);
        for (unsigned i = 0; is_written && i < plan.kernel_count; i++) {
            char *path = calibrate_format("%s/%s-%s.ptx", folder, bench->id, plan.kernels[i].name);
            is_written = put_file(calibration, path, plan.kernels[i].ptx);
            free(path);
        }
        for (unsigned i = 0; is_written && i < plan.point_count; i++) {
            if (plan.points[i].is_asked || plan.points[i].is_texture) continue;
            char *path = calibrate_format("%s/%s-%u.yaml", folder, bench->id, i);
            char *text = launch_text(bench, &plan, &plan.points[i], gpu);
            is_written = put_file(calibration, path, text);
            free(text);
            free(path);
        }
    }
    plan_clear(&plan);
    return is_written;
}

static double figure(const ws_machine *machine, const char *key)
{
    double value;
    return ws_machine_get(machine, key, &value) == WS_OK && value > 0 ? value : 0;
}

/* What its driver would tell of this machine. */
static void read_facts(const ws_machine *machine, struct gpu_facts *facts)
{
#define COUNT(key) ((unsigned)figure(machine, key))
#define BYTES(key) ((uint64_t)figure(machine, key))
    *facts = (struct gpu_facts){
        .cc = ws_machine_target(machine),
        .sms = COUNT("sm.count"),
        .warp = COUNT("sm.warp_size"),
        .max_threads_sm = COUNT("sm.max_threads"),
        .max_blocks_sm = COUNT("sm.max_blocks"),
        .max_threads = COUNT("block.max_threads"),
        .max_registers_sm = COUNT("sm.registers"),
        .max_registers_block = COUNT("sm.max_registers_per_block"),
        .shared_sm = BYTES("shared.per_sm"),
        .shared_block = BYTES("shared.per_block"),
        .shared_reserved = BYTES("shared.reserved"),
        .l2_bytes = BYTES("l2.size"),
        .memory_bytes = BYTES("dram.size"),
        .clock = figure(machine, "clock.core"),
        .memory_clock = figure(machine, "dram.clock"),
        .bus_bits = COUNT("dram.bus_width"),
    };
#undef COUNT
#undef BYTES
}

int calibrate_emit(const struct calibration *calibration, const char *gpu, const char *folder)
{
    ws_machine *machine;
    struct gpu_facts facts;
    if (ws_machine_load(calibration->context, gpu, &machine) != WS_OK) {
        calibrate_tell(calibration, "%s", ws_context_error(calibration->context));
        return CALIBRATE_USAGE;
    }
    read_facts(machine, &facts);
    ws_machine_destroy(machine);
    mkdir(folder, 0777); /* a failure shows with the first file */
    bool is_written = true;
    unsigned counted = 0;
    for (unsigned i = 0; is_written && bench_at(i); i++)
        if (bench_is_chosen(calibration, bench_at(i)))
            is_written = emit_bench(calibration, bench_at(i), &facts, gpu, folder, &counted);
    if (calibration->counts_native) {
        calibrate_tell(calibration, "native instructions of %u kernels were counted", counted);
    }
    return is_written ? CALIBRATE_DONE : CALIBRATE_INPUT;
}
