// SPDX-License-Identifier: Apache-2.0
/* Every GPU of data/machines: it loads, occupancy and models find what they need, and its figures
 * fit each other where two sources say the same thing in different words. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine/machine.h"
#include "model/core/estimate.h"

#define MACHINES SOURCE_DIR "/data/machines"

struct all {
    struct arena arena;
    const char **ids;
    size_t count;
    struct machine **machines;
};

static int setup(void **state)
{
    struct all *all = calloc(1, sizeof *all);
    struct diag diag = {0};
    const char *const *ids;
    size_t count;
    if (machine_list(&diag, &all->arena, MACHINES, &ids, &count) != WS_OK) return -1;
    all->machines = calloc(count, sizeof(struct machine *));
    all->ids = calloc(count, sizeof *all->ids);
    for (size_t i = 0; i < count; i++) {
        struct machine *machine;
        if (machine_load(&diag, MACHINES, ids[i], &machine) != WS_OK) fail_msg("%s", diag.text);
        if (machine->kind != MACHINE_IS_GPU) {
            machine_destroy(machine);
            continue;
        }
        all->ids[all->count] = ids[i];
        all->machines[all->count++] = machine;
    }
    diag_clear(&diag);
    *state = all;
    return 0;
}

static int teardown(void **state)
{
    struct all *all = *state;
    for (size_t i = 0; i < all->count; i++)
        machine_destroy(all->machines[i]);
    free(all->machines);
    free(all->ids);
    arena_clear(&all->arena);
    free(all);
    return 0;
}

static double get(const struct machine *machine, enum machine_key key)
{
    if (!machine_has(machine, key))
        fail_msg("%s does not define %s", machine->id, machine_key_infos[key].path);
    return machine_get(machine, key, 0);
}

static void must_be_near(const struct machine *machine, const char *what, double got, double wanted,
                         double tolerance)
{
    if (fabs(got - wanted) > tolerance * wanted)
        fail_msg("%s: %s is %g, not %g", machine->id, what, got, wanted);
}

/* ---- all of them ------------------------------------------------------------------------------- */

static void test_all_gpus_are_there(void **state)
{
    const struct all *all = *state;
    assert_true(all->count >= 33); /* one more is one file */
    for (size_t i = 0; i < all->count; i++)
        assert_non_null(all->machines[i]->chip);
}

static void test_occupancy_finds_what_it_needs(void **state)
{
    const struct all *all = *state;
    const struct occupancy_query query = {
        .threads_per_block = 64, .registers_per_thread = 16, .shared_bytes = 1000};
    for (size_t i = 0; i < all->count; i++) {
        const struct machine *machine = all->machines[i];
        struct diag diag = {0};
        struct occupancy out;
        if (machine_occupancy(&diag, machine, &query, &out) != WS_OK) fail_msg("%s", diag.text);
        /* 64 threads of few registers: the blocks of an SM or its shared memory are the limit. */
        assert_int_equal(out.warps_per_block, 2);
        assert_true(out.blocks_per_sm >= 8 && out.fraction > 0.3);
        assert_true(get(machine, MACHINE_SM_MAX_THREADS) ==
                    32 * get(machine, MACHINE_SM_MAX_WARPS));
        diag_clear(&diag);
    }
}

static void test_models_find_what_they_need(void **state)
{
    const struct all *all = *state;
    static const char *const names[] = {"speed-of-light", "mwp-cwp"};
    for (size_t i = 0; i < all->count; i++)
        for (size_t k = 0; k < 2; k++) {
            const struct model *model = model_find(names[k]);
            assert_non_null(model);
            for (size_t n = 0; model->needs_machine[n] != MACHINE_KEY_COUNT; n++)
                (void)get(all->machines[i], model->needs_machine[n]);
        }
}

/* Programs under `warpsage run` ask for it. From 512 MiB, the 8800 GT's, to 192 GiB. */
static void test_every_gpu_has_memory(void **state)
{
    const struct all *all = *state;
    for (size_t i = 0; i < all->count; i++) {
        double bytes = machine_get(all->machines[i], MACHINE_DRAM_SIZE, 0);
        if (bytes < 512.0 * 1048576 || bytes > 192.0 * 1073741824)
            fail_msg("%s: dram.size is %g", all->ids[i], bytes);
    }
}

/* Limits and rules that a whole generation shares. */
/* Speeds of light of GPUs with tensor cores count the same resources. */
static void test_modern_gpus_have_comparable_bounds(void **state)
{
    static const enum machine_key keys[] = {MACHINE_L1_BANDWIDTH, MACHINE_L2_BANDWIDTH,
                                            MACHINE_DRAM_BANDWIDTH, MACHINE_TENSOR_FMA};
    const struct all *all = *state;
    for (size_t i = 0; i < all->count; i++)
        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
            if (all->machines[i]->cc_major >= 7 && !(machine_get(all->machines[i], keys[k], 0) > 0))
                fail_msg("%s: no %s", all->machines[i]->id, machine_key_infos[keys[k]].path);
}

static void test_generations(void **state)
{
    const struct all *all = *state;
    for (size_t i = 0; i < all->count; i++) {
        const struct machine *machine = all->machines[i];
        bool old = machine->cc_major == 1;
        double rule = !old ? 32 : machine->cc_minor < 2 ? 10 : 12;
        assert_true(get(machine, MACHINE_GLOBAL_RULE) == rule);
        assert_true(get(machine, MACHINE_SHARED_BANKS) == (old ? 16 : 32));
        assert_true(get(machine, MACHINE_BLOCK_MAX_THREADS) == (old ? 512 : 1024));
        assert_true(get(machine, MACHINE_GRID_MAX_X) ==
                    (machine->cc_major < 3 ? 65535 : 2147483647));
        assert_true(machine_has(machine, MACHINE_L2_SIZE) || !strcmp(machine->id, "l40s"));
        assert_true((machine_get(machine, MACHINE_L1_SIZE, -1) == 0) == old);
        assert_true(machine_get(machine, MACHINE_GLOBAL_CACHED_LOAD, 32) ==
                    (machine->cc_major == 2 ? 128 : 32));
    }
}

/* ---- figures that two sources have --------------------------------------------------------------- */

/* GPUDB has bandwidth, bus and memory clock each for itself. */
static void test_bandwidth_is_bus_times_clock(void **state)
{
    const struct all *all = *state;
    for (size_t i = 0; i < all->count; i++) {
        const struct machine *machine = all->machines[i];
        double bandwidth = get(machine, MACHINE_DRAM_CLOCK) *
                           get(machine, MACHINE_DRAM_TRANSFERS_PER_CLOCK) *
                           get(machine, MACHINE_DRAM_BUS_WIDTH) / 8;
        must_be_near(machine, "bus width x clock", bandwidth, get(machine, MACHINE_DRAM_BANDWIDTH),
                     0.03);
        double sustained = machine_get(machine, MACHINE_DRAM_SUSTAINED_BANDWIDTH, bandwidth * 0.9);
        if (sustained > bandwidth || sustained < 0.5 * bandwidth)
            fail_msg("%s: %g B/s sustained of %g", machine->id, sustained, bandwidth);
    }
}

/* Peaks in Gflop/s as printed: Hong's table 2, DevPeakFusedFP of the GTX 580 (his chapter V), and
 * what NVIDIA advertises for the rest (from memory, not looked up). Table 2's 384 for the FX 5600 and
 * 933 for the GTX 280 do not follow from the clocks beside them: 345.6 and 936 do. */
static void test_peak_flops(void **state)
{
    const struct all *all = *state;
    static const struct {
        const char *id;
        double gflops, tolerance;
        enum insn_class class;
        double flops; /* of one instruction */
    } peaks[] = {
        {"8800gtx", 345.6, 1e-3, CLASS_FP32_FMA, 2},
        {"8800gt", 336, 1e-3, CLASS_FP32_FMA, 2},
        {"fx5600", 345.6, 1e-3, CLASS_FP32_FMA, 2},
        {"gtx280", 936, 1e-3, CLASS_FP32_FMA, 3}, /* with the multiplication beside it */
        {"gtx580", 1581.1, 1e-3, CLASS_FP32_FMA, 2},
        {"p100-sxm2", 10600, 0.01, CLASS_FP32_FMA, 2},
        {"p100-sxm2", 5300, 0.01, CLASS_FP64_FMA, 2},
        {"v100", 15700, 0.01, CLASS_FP32_FMA, 2},
        {"v100", 7800, 0.01, CLASS_FP64_FMA, 2},
        {"v100", 31400, 0.01, CLASS_FP16, 4},
        {"t4", 8100, 0.01, CLASS_FP32_FMA, 2},
        {"a100-sxm4-40gb", 19500, 0.01, CLASS_FP32_FMA, 2},
        {"a100-sxm4-40gb", 9700, 0.01, CLASS_FP64_FMA, 2},
        {"a100-sxm4-40gb", 78000, 0.01, CLASS_FP16, 4},
        {"rtx3090", 35600, 0.01, CLASS_FP32_FMA, 2},
        {"rtx4090", 82600, 0.01, CLASS_FP32_FMA, 2},
        {"h100-sxm", 67000, 0.01, CLASS_FP32_FMA, 2},
        {"h100-sxm", 34000, 0.02, CLASS_FP64_FMA, 2},
    };
    for (size_t i = 0; i < sizeof peaks / sizeof peaks[0]; i++) {
        const struct machine *machine = NULL;
        double lanes = 0;
        for (size_t k = 0; k < all->count; k++)
            if (!strcmp(all->ids[k], peaks[i].id)) machine = all->machines[k];
        assert_non_null(machine);
        assert_true(machine_throughput(machine, peaks[i].class, &lanes));
        double flops = lanes * peaks[i].flops * get(machine, MACHINE_SM_COUNT) *
                       get(machine, MACHINE_CLOCK_CORE);
        must_be_near(machine, "the peak in Gflop/s", flops / 1e9, peaks[i].gflops,
                     peaks[i].tolerance);
    }
}

/* Hong, tables 2, 5, 10 and 14: what his models take. */
static void test_parameters_of_the_thesis(void **state)
{
    const struct all *all = *state;
    static const struct {
        const char *id;
        double sms, clock, bandwidth, latency, coalesced, uncoalesced;
    } rows[] = {{"8800gtx", 16, 1.35e9, 86.4e9, 420, 4, 10},
                {"fx5600", 16, 1.35e9, 76.8e9, 420, 4, 10},
                {"8800gt", 14, 1.5e9, 57.6e9, 420, 4, 10},
                {"gtx280", 30, 1.3e9, 141.7e9, 450, 4, 40},
                {"gtx580", 16, 1.544e9, 192.4e9, 450, 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t k = 0; k < all->count; k++) {
            const struct machine *machine = all->machines[k];
            if (strcmp(machine->id, rows[i].id) != 0) continue;
            assert_true(get(machine, MACHINE_SM_COUNT) == rows[i].sms);
            assert_true(get(machine, MACHINE_CLOCK_CORE) == rows[i].clock);
            assert_true(get(machine, MACHINE_DRAM_BANDWIDTH) == rows[i].bandwidth);
            assert_true(get(machine, MACHINE_DRAM_LATENCY) == rows[i].latency);
            if (!(rows[i].coalesced > 0)) continue;
            assert_true(get(machine, MACHINE_ISSUE_CYCLES) == 4);
            assert_true(get(machine, MACHINE_DEPARTURE_COALESCED) == rows[i].coalesced);
            assert_true(get(machine, MACHINE_DEPARTURE_UNCOALESCED) == rows[i].uncoalesced);
        }
}

/* A name that people write must mean the card that they mean. */
static void test_aliases(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"a100", "a100-sxm4-40gb"}, {"h100", "h100-sxm"}, {"p100", "p100-sxm2"},
        {"gt200", "gtx280"},        {"k40", "k40c"},      {"g80", "8800gtx"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct diag diag = {0};
        struct machine *machine;
        if (machine_load(&diag, MACHINES, pairs[i][0], &machine) != WS_OK)
            fail_msg("%s", diag.text);
        assert_string_equal(machine->id, pairs[i][1]);
        machine_destroy(machine);
        diag_clear(&diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_gpus_are_there),
        cmocka_unit_test(test_occupancy_finds_what_it_needs),
        cmocka_unit_test(test_models_find_what_they_need),
        cmocka_unit_test(test_every_gpu_has_memory),
        cmocka_unit_test(test_modern_gpus_have_comparable_bounds),
        cmocka_unit_test(test_generations),
        cmocka_unit_test(test_bandwidth_is_bus_times_clock),
        cmocka_unit_test(test_peak_flops),
        cmocka_unit_test(test_parameters_of_the_thesis),
        cmocka_unit_test(test_aliases),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
