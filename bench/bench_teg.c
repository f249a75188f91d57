// SPDX-License-Identifier: Apache-2.0
/* How fast the timing engine is: warp instructions a second, and whether twice the trace takes twice as
 * long, and how much memory. One thread. Prints, judges nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "model/teg/teg_engine.h"

#define MACHINES SOURCE_DIR "/data/machines"
enum { WARPS = 8, BLOCKS = 4, LOOP_FMAS = 16 };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static uint32_t add(struct trace_builder *builder, struct trace_insn insn, uint32_t dst, uint32_t a)
{
    insn.op = class_ids[insn.class_id];
    return trace_builder_add_insn(builder, &insn, &a, 1, &dst, dst != UINT32_MAX);
}

static void access_memory(struct trace_builder *builder, uint32_t insn, enum mem_space space,
                          uint64_t base)
{
    struct access access = {.space = (uint8_t)space,
                            .shape = ACCESS_STRIDED,
                            .bytes = 4,
                            .mask = UINT32_MAX,
                            .base = base,
                            .stride = 4};
    trace_builder_step(builder, insn, UINT32_MAX, UINT32_MAX, &access, 1);
}

/* The loop of a tiled matrix product: two loads, two stores to shared memory, a barrier, 16 rounds of
 * two loads from there and an fma. */
static struct trace *make_trace(unsigned rounds)
{
    struct trace_head head = {.kernel = "bench", .grid = {1024, 1, 1}, .block = {32 * WARPS, 1, 1}};
    struct trace_builder *b = trace_builder_create(&head);
    const struct trace_insn load = {.class_id = CLASS_MEM_GLOBAL_LOAD,
                                    .operation = TRACE_LOAD,
                                    .space = SPACE_GLOBAL,
                                    .bytes = 4};
    const struct trace_insn put = {.class_id = CLASS_MEM_SHARED_STORE,
                                   .operation = TRACE_STORE,
                                   .space = SPACE_SHARED,
                                   .bytes = 4};
    const struct trace_insn get = {.class_id = CLASS_MEM_SHARED_LOAD,
                                   .operation = TRACE_LOAD,
                                   .space = SPACE_SHARED,
                                   .bytes = 4};
    uint32_t load_a = add(b, load, 1, 0), load_b = add(b, load, 2, 0);
    uint32_t put_a = add(b, put, UINT32_MAX, 1), put_b = add(b, put, UINT32_MAX, 2);
    uint32_t get_a = add(b, get, 3, 0), get_b = add(b, get, 4, 0);
    uint32_t fma = add(b, (struct trace_insn){.class_id = CLASS_FP32_FMA}, 5, 4);
    uint32_t barrier =
        add(b, (struct trace_insn){.class_id = CLASS_BARRIER, .barrier = TRACE_BARRIER_SYNC}, 6, 6);
    for (uint64_t block = 0; block < BLOCKS; block++) {
        trace_builder_begin_block(b, block);
        for (uint32_t warp = 0; warp < WARPS; warp++) {
            trace_builder_begin_warp(b, warp, UINT32_MAX);
            for (unsigned r = 0; r < rounds; r++) {
                uint64_t at = (block * WARPS + warp) * 128 + r * 65536;
                access_memory(b, load_a, SPACE_GLOBAL, 0x10000000 + at);
                access_memory(b, load_b, SPACE_GLOBAL, 0x20000000 + at);
                access_memory(b, put_a, SPACE_SHARED, warp * 128);
                access_memory(b, put_b, SPACE_SHARED, 4096 + warp * 128);
                trace_builder_step(b, barrier, UINT32_MAX, UINT32_MAX, NULL, 0);
                for (unsigned k = 0; k < LOOP_FMAS; k++) {
                    access_memory(b, get_a, SPACE_SHARED, k * 128);
                    access_memory(b, get_b, SPACE_SHARED, 4096 + k * 128);
                    trace_builder_step(b, fma, UINT32_MAX, UINT32_MAX, NULL, 0);
                }
                trace_builder_step(b, barrier, UINT32_MAX, UINT32_MAX, NULL, 0);
            }
        }
    }
    return trace_builder_finish(b);
}

static void run(const struct machine *gpu, unsigned rounds)
{
    struct diag diag = {0};
    struct arena arena = {0};
    struct trace *trace = make_trace(rounds);
    struct profile *profile = profile_create();
    struct estimate *estimate = mem_zalloc(1, sizeof *estimate);
    struct teg_machine machine;
    struct teg_result result;
    profile->grid[0] = 1024;
    profile->grid[1] = profile->grid[2] = 1;
    struct model_input input = {.profile = profile, .machine = gpu, .arena = &arena};
    struct teg_setup setup = {.trace = trace,
                              .machine = &machine,
                              .sms = 1,
                              .blocks_per_sm = BLOCKS,
                              .block_count = 3 * BLOCKS,
                              .dram_share = TEG_DRAM_ALL};
    if (teg_machine_read(&diag, &input, estimate, &machine) == WS_OK) {
        double start = seconds();
        if (teg_run(&diag, &setup, &result) == WS_OK) {
            double took = seconds() - start;
            printf("%-8s %12llu warp instructions %8.3f s %8.1f M/s   %.3g cycles each\n", gpu->id,
                   (unsigned long long)result.issued, took, (double)result.issued / took / 1e6,
                   (double)result.retired / (double)TEG_CYCLE / (double)result.issued);
            teg_result_clear(&result);
        }
    }
    printf("%-8s %12llu warp instructions traced %8.3f MB   %.3g bytes each\n", "",
           (unsigned long long)trace->step_count, (double)trace->bytes / 1e6,
           (double)trace->bytes / (double)trace->step_count);
    mem_free(estimate);
    profile_destroy(profile);
    trace_destroy(trace);
    arena_clear(&arena);
    diag_clear(&diag);
}

/* Arguments: GPUs, instead of these. */
int main(int argc, char **argv)
{
    static char *gpus[] = {"gtx280", "gtx680", "v100", "h200"};
    char **chosen = argc > 1 ? argv + 1 : gpus;
    size_t count = argc > 1 ? (size_t)argc - 1 : sizeof gpus / sizeof gpus[0];
    for (size_t i = 0; i < count; i++) {
        struct diag diag = {0};
        struct machine *gpu;
        if (machine_load(&diag, MACHINES, chosen[i], &gpu) != WS_OK) {
            fprintf(stderr, "%s\n", diag.text);
            return 1;
        }
        for (unsigned rounds = 200; rounds <= 800; rounds *= 2)
            run(gpu, rounds);
        machine_destroy(gpu);
    }
    return 0;
}
