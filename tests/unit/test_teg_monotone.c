// SPDX-License-Identifier: Apache-2.0
/* The model teg when a resource is made better or an effect is switched off. Where one resource bounds a
 * kernel, that never costs time beyond 1 %. Random mixtures have the anomalies of all schedules that are
 * made from what is ready (Graham, 1969): these are rare, and bounded here as they were measured. The same
 * question has the same answer. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/teg_fixture.h"

static uint64_t seed;

/* splitmix64 (Steele, Lea and Flood, OOPSLA 2014). */
static unsigned any(unsigned below)
{
    uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (unsigned)((z ^ z >> 31) % below);
}

/* ---- kernels ---------------------------------------------------------------------------------- */

enum { KINDS = 9, PARTS_MAX = 8, PART_STEPS = 24, BLOCKS = 4 };

struct kernel {
    struct fixture fixture;
    uint32_t insns[KINDS][4];
    uint32_t barrier;
    unsigned warps, grid, resident;
};

struct step {
    uint8_t kind, variant;
    uint16_t stride;
};

static const enum insn_class classes[5] = {CLASS_FP32_FMA, CLASS_FP32_ADD, CLASS_INT_ADD,
                                           CLASS_FP64_FMA, CLASS_SFU_RCP};

static void add_insns(struct kernel *k)
{
    for (unsigned v = 0; v < 4; v++) {
        int a = (int)any(12), b = (int)any(12), dst = (int)any(12);
        for (unsigned i = 0; i < 5; i++)
            k->insns[i][v] = fixture_plain(&k->fixture, classes[i], dst, a, b);
        k->insns[5][v] =
            fixture_access(&k->fixture, CLASS_MEM_SHARED_LOAD, SPACE_SHARED, 4, dst, a);
        k->insns[6][v] =
            fixture_access(&k->fixture, CLASS_MEM_SHARED_STORE, SPACE_SHARED, 4, dst, a);
        k->insns[7][v] =
            fixture_access(&k->fixture, CLASS_MEM_GLOBAL_LOAD, SPACE_GLOBAL, 4, dst, a);
        k->insns[8][v] =
            fixture_access(&k->fixture, CLASS_MEM_GLOBAL_STORE, SPACE_GLOBAL, 4, dst, a);
    }
    k->barrier = fixture_barrier(&k->fixture, TRACE_BARRIER_SYNC, 0, TRACE_BARRIER_ALL);
}

static void write_step(struct kernel *k, const struct step *step, uint64_t place)
{
    uint32_t insn = k->insns[step->kind][step->variant];
    if (step->kind < 5)
        fixture_step(&k->fixture, insn);
    else if (step->kind < 7)
        fixture_step_at(&k->fixture, insn, SPACE_SHARED, 4, 0, 4 * (step->stride % 17));
    else
        fixture_step_at(&k->fixture, insn, SPACE_GLOBAL, 4, 0x10000000 + place * 4352,
                        4 * (step->stride % 33));
}

/* Parts between barriers; every warp leaves out some. */
static void make_kernel(struct kernel *k, uint64_t number)
{
    struct step steps[PARTS_MAX][PART_STEPS];
    seed = number * 77 + 5;
    k->warps = 1 + any(8);
    k->grid = 1 + any(300);
    k->resident = 1 + any(4);
    unsigned parts = 1 + any(PARTS_MAX), kinds = any(3) ? KINDS : 7, barriers = any(3);
    fixture_begin(&k->fixture, k->grid, 32 * k->warps);
    add_insns(k);
    for (unsigned p = 0; p < parts; p++)
        for (unsigned i = 0; i < PART_STEPS; i++)
            steps[p][i] =
                (struct step){(uint8_t)any(kinds), (uint8_t)any(4), (uint16_t)(any(2) + any(40))};
    for (unsigned block = 0; block < BLOCKS && block < k->grid; block++) {
        fixture_block(&k->fixture, block);
        for (unsigned w = 0; w < k->warps; w++) {
            fixture_warp(&k->fixture, w);
            for (unsigned p = 0; p < parts; p++) {
                for (unsigned i = 0; i < PART_STEPS; i++)
                    write_step(k, &steps[p][i], (block * k->warps + w) * 8 + p);
                if (barriers) fixture_step(&k->fixture, k->barrier);
            }
        }
    }
    fixture_finish(&k->fixture);
}

static double answer(const struct kernel *k, const struct machine *machine, uint32_t effects_off)
{
    return fixture_predict(&k->fixture, machine, k->resident, k->grid, effects_off);
}

/* ---- improvements ------------------------------------------------------------------------------ */

/* More SMs, channels or resident blocks are not among them: SMs and channels have their part of a whole that
 * stays the same, and more warps may thrash a cache. */
static const char *const changes[][2] = {
    {"machine.latency.fp32.fma", "=*0.5"},
    {"machine.latency.fp32.add", "=*0.5"},
    {"machine.latency.fp64.fma", "=*0.5"},
    {"machine.latency.int.add", "=*0.5"},
    {"machine.throughput.fp32.fma", "=*2"},
    {"machine.throughput.fp32.add", "=*1.3"},
    {"machine.throughput.fp64.fma", "=*2"},
    {"machine.throughput.int.add", "=*2"},
    {"machine.throughput.sfu.rcp", "=*2"},
    {"machine.issue.schedulers", "=*2"},
    {"machine.issue.width", "=2"},
    {"machine.issue.cycles", "=*0.5"},
    {"machine.issue.interval", "=*0.5"},
    {"machine.issue_latency.fp32.add", "=*0.5"},
    {"machine.issue_latency.mem.global.load", "=*0.5"},
    {"machine.dram.bandwidth", "=*2"},
    {"machine.dram.latency", "=*0.7"},
    {"machine.l1.latency", "=*0.7"},
    {"machine.l1.bandwidth", "=*2"},
    {"machine.l2.latency", "=*0.7"},
    {"machine.l2.bandwidth", "=*2"},
    {"machine.l1.size", "=*2"},
    {"machine.l2.size", "=*2"},
    {"machine.shared.banks", "=*2"},
    {"machine.shared.latency", "=*0.6"},
    {"machine.shared.replay_latency", "=*0.5"},
    {"machine.global.load_store_lanes", "=*2"},
    {"machine.clock.core", "=*1.25"},
};
enum { CHANGES = sizeof changes / sizeof changes[0] };

struct gpu {
    struct machine *machine, *better[CHANGES]; /* NULL: the machine file has no such figure */
};

/* A latency that no file gives is guessed from that of fp32.fma and both throughputs: a faster fma makes
 * it longer. Here it is known. */
static void load(struct gpu *gpu, const char *name)
{
    static const char *const known[] = {"machine.latency.sfu.rcp=36", "machine.latency.fp64.fma=50",
                                        NULL};
    gpu->machine = fixture_machine(name, known);
    for (unsigned i = 0; i < CHANGES; i++) {
        struct diag diag = {0};
        gpu->better[i] = fixture_machine(name, known);
        if (machine_set(&diag, gpu->better[i], changes[i][0], changes[i][1]) != WS_OK) {
            machine_destroy(gpu->better[i]);
            gpu->better[i] = NULL;
        }
        diag_clear(&diag);
    }
}

static void unload(struct gpu *gpu)
{
    machine_destroy(gpu->machine);
    for (unsigned i = 0; i < CHANGES; i++)
        machine_destroy(gpu->better[i]);
}

struct tally {
    unsigned cases, slower; /* slower: by more than 1 % */
    double worst;
    const char *what;
};

static void count(struct tally *tally, double was, double is, const char *what)
{
    tally->cases++;
    tally->slower += is > 1.01 * was;
    if (is / was <= tally->worst) return;
    tally->worst = is / was;
    tally->what = what;
}

static void compare(struct tally *tally, const struct gpu *gpu, const struct kernel *k)
{
    double was = answer(k, gpu->machine, 0);
    assert_true(was > 0 && answer(k, gpu->machine, 0) == was);
    bool has_caches = gpu->machine->cc_major >= 2;
    for (unsigned i = 0; i < CHANGES; i++) {
        /* How far channels of cc 1.x may lag unnoticed is in cycles, and shrinks with them; more schedulers
         * bring accesses to them in another order. There the rest of the model is compared. */
        bool reorders = !has_caches && (!strcmp(changes[i][0], "machine.clock.core") ||
                                        !strcmp(changes[i][0], "machine.issue.schedulers"));
        uint32_t off = reorders ? 1u << EFFECT_CHANNEL_SKEW : 0;
        if (gpu->better[i])
            count(tally, off ? answer(k, gpu->machine, off) : was, answer(k, gpu->better[i], off),
                  changes[i][0]);
    }
    for (unsigned i = 0; i < EFFECT_COUNT; i++) {
        if (i == EFFECT_DIVERGENCE || (i == EFFECT_CACHE_MISSES && !has_caches)) continue;
        count(tally, was, answer(k, gpu->machine, UINT32_C(1) << i), effect_infos[i].id);
    }
}

static const char *const gpus[] = {"gtx280", "gtx580", "gtx680", "v100", "h200"};
enum { GPUS = sizeof gpus / sizeof gpus[0] };

/* ---- one resource ------------------------------------------------------------------------------ */

/* `kind` alone, 192 times in each of `warps` warps; chains or not, by the registers. */
static void make_uniform(struct kernel *k, unsigned kind, unsigned warps, unsigned stride,
                         bool is_chain)
{
    struct step step = {(uint8_t)kind, 0, (uint16_t)stride};
    *k = (struct kernel){.warps = warps, .grid = 200, .resident = 2};
    fixture_begin(&k->fixture, k->grid, 32 * warps);
    for (unsigned v = 0; v < 4; v++) {
        int dst = is_chain ? 1 : 2 + (int)v;
        k->insns[kind][v] =
            kind < 5 ? fixture_plain(&k->fixture, classes[kind], dst, 1, -1)
                     : fixture_access(&k->fixture,
                                      kind == 5 ? CLASS_MEM_SHARED_LOAD : CLASS_MEM_GLOBAL_LOAD,
                                      kind == 5 ? SPACE_SHARED : SPACE_GLOBAL, 4, dst, 1);
    }
    for (unsigned block = 0; block < BLOCKS; block++) {
        fixture_block(&k->fixture, block);
        for (unsigned w = 0; w < warps; w++) {
            fixture_warp(&k->fixture, w);
            for (unsigned i = 0; i < 192; i++) {
                step.variant = (uint8_t)(i % 4);
                write_step(k, &step, (block * warps + w) * 192 + i);
            }
        }
    }
    fixture_finish(&k->fixture);
}

static void test_one_resource(void **state)
{
    (void)state;
    static const unsigned kinds[] = {0, 1, 2, 3, 4, 5, 7};
    for (unsigned g = 0; g < GPUS; g++) {
        struct gpu gpu;
        load(&gpu, gpus[g]);
        for (unsigned i = 0; i < 3 * sizeof kinds / sizeof kinds[0]; i++) {
            struct kernel k;
            struct tally tally = {0};
            unsigned kind = kinds[i / 3];
            make_uniform(&k, kind, i % 3 ? 8 : 1, i % 3 == 2 ? 2 : 1, i % 3 != 2);
            compare(&tally, &gpu, &k);
            if (tally.slower)
                fail_msg("%s, kind %u, case %u: %s takes %.4g times as long", gpus[g], kind, i % 3,
                         tally.what, tally.worst);
            fixture_clear(&k.fixture);
        }
        unload(&gpu);
    }
}

/* ---- mixtures ---------------------------------------------------------------------------------- */

/* A greedy schedule is at most twice as long as the best one (Graham, Bell System Technical Journal 45, 1966). How
 * often a better machine is slower at all is a share of many kernels, which `make nightly` holds: of 40 (6,640
 * cases) 3.6 % of the cases are slower by more than 1 %, the worst by 10.5 %. A few say nothing of it. */
enum { KERNELS = 6, MANY_KERNELS = 40 };

static unsigned kernel_count(void)
{
    return getenv("NIGHTLY") ? MANY_KERNELS : KERNELS;
}

static void test_mixtures(void **state)
{
    (void)state;
    struct tally tally = {0};
    for (unsigned g = 0; g < GPUS; g++) {
        struct gpu gpu;
        load(&gpu, gpus[g]);
        for (unsigned number = 0; number < kernel_count(); number++) {
            struct kernel k;
            make_kernel(&k, number);
            compare(&tally, &gpu, &k);
            fixture_clear(&k.fixture);
        }
        unload(&gpu);
    }
    print_message("%u of %u cases slower by more than 1 %%, the worst (%s) by %.1f %%\n",
                  tally.slower, tally.cases, tally.what, 100 * (tally.worst - 1));
    if (kernel_count() == MANY_KERNELS) assert_true(tally.slower <= tally.cases * 4 / 100);
    assert_true(tally.worst <= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_resource),
        cmocka_unit_test(test_mixtures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
