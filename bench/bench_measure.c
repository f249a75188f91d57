// SPDX-License-Identifier: Apache-2.0
/* What counting costs: nanoseconds of the observer's callbacks by themselves. Prints, judges
 * nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "emulate/emulate.h"
#include "measure/profile.h"

enum { CODE_BLOCKS = 3, INSNS = 64, RANDOM_PATTERNS = 1 << 14, REPEATED_PATTERNS = 64 };

struct bench {
    struct module module;
    struct function function;
    struct basic_block basic;
    struct insn insns[INSNS];
    const struct insn *pointers[INSNS];
    struct code_block code_blocks[CODE_BLOCKS];
    struct launch_view launch;
    const struct observer_ops *ops;
    void *worker;
    struct warp_ref ref;
};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now); /* one thread: others do not disturb it */
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static uint32_t next_random(uint32_t below)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 33) % below);
}

static struct insn make_insn(enum ptx_op op, enum mem_space space, int d, int a, int b)
{
    struct insn insn = {.op = (uint16_t)op,
                        .type = TYPE_U32,
                        .space = (uint8_t)space,
                        .vector = 1,
                        .guard = -1,
                        .ndst = op != OP_ST,
                        .nsrc = op == OP_LD ? 1 : 2};
    int registers[3] = {d, a, b};
    for (unsigned i = 0; i < insn.ndst + (unsigned)insn.nsrc; i++) {
        int reg = registers[op == OP_ST ? i + 1 : i];
        insn.operands[i] = (struct operand){.kind = OPERAND_REGISTER, .reg = reg, .symbol = -1};
    }
    insn.class_id = (uint8_t)insn_classify(&insn);
    return insn;
}

/* Code block 0: a chain of 20 additions on three registers from before. 1: a loop body with two
 * loads that are stored to shared memory. 2: 30 additions of registers from before. */
static void make_program(struct bench *b)
{
    uint32_t n = 0;
    for (int i = 0; i < 20; i++)
        b->insns[n++] = make_insn(OP_ADD, SPACE_NONE, 3, i < 3 ? i : 3, 3 + i % 2);
    b->insns[n++] = make_insn(OP_LD, SPACE_GLOBAL, 10, 0, 0);
    b->insns[n++] = make_insn(OP_LD, SPACE_GLOBAL, 11, 1, 0);
    b->insns[n++] = make_insn(OP_ST, SPACE_SHARED, 0, 2, 10);
    b->insns[n++] = make_insn(OP_ST, SPACE_SHARED, 0, 2, 11);
    for (int i = 0; i < 30; i++)
        b->insns[n++] = make_insn(OP_ADD, SPACE_NONE, 20 + i, i % 5, i % 7);
    static const uint32_t firsts[] = {0, 20, 24}, counts[] = {20, 4, 30};
    for (uint32_t i = 0; i < CODE_BLOCKS; i++)
        b->code_blocks[i] = (struct code_block){firsts[i], counts[i], &b->function, &b->basic, 0};
    for (uint32_t i = 0; i < n; i++)
        b->pointers[i] = &b->insns[i];
    b->function = (struct function){.name = "bench", .vreg_count = 64};
    b->module.functions = &b->function;
    b->basic.critical_path = 1;
    b->launch = (struct launch_view){.module = &b->module,
                                     .grid = {1, 1, 1},
                                     .block = {256, 1, 1},
                                     .warps_per_block = 8,
                                     .block_count = 1,
                                     .insn_count = n,
                                     .insns = b->pointers,
                                     .code_block_count = CODE_BLOCKS,
                                     .code_blocks = b->code_blocks};
}

static void time_runs(struct bench *b, const char *what, uint32_t code_block, uint32_t active)
{
    enum { TIMES = 20000000 };
    double start = seconds();
    for (uint32_t i = 0; i < TIMES; i++) {
        b->ref.index = i & 7;
        b->ops->run(b->worker, &b->ref, code_block, active);
    }
    printf("run     %-44s %6.2f ns\n", what, (seconds() - start) * 1e9 / TIMES);
}

static void time_accesses(struct bench *b, const char *what, const struct access *list,
                          uint32_t count, uint32_t times)
{
    uint32_t insn = list->space == SPACE_SHARED ? 22 : 20;
    for (uint32_t i = 0; i < count && count < 100; i++)
        b->ops->memory(b->worker, &b->ref, insn, &list[i]);
    double start = seconds();
    for (uint32_t i = 0, at = 0; i < times; i++) {
        b->ops->memory(b->worker, &b->ref, insn, &list[at]);
        if (++at == count) at = 0;
    }
    double ns = (seconds() - start) * 1e9 / times;
    printf("memory  %-44s %6.2f ns  %7.1f M/s\n", what, ns, 1e3 / ns);
}

static void regular(struct bench *b, const char *what, enum access_shape shape, uint32_t patterns)
{
    struct access list[64];
    for (uint32_t i = 0; i < patterns; i++)
        list[i] = (struct access){.space = SPACE_GLOBAL,
                                  .shape = (uint8_t)shape,
                                  .bytes = 4,
                                  .mask = UINT32_MAX,
                                  .base = 4096 + 4 * i,
                                  .base2 = 65536 + 4 * i,
                                  .stride = 4};
    time_accesses(b, what, list, patterns, 50000000);
}

static void irregular(struct bench *b, const char *what, enum mem_space space, uint32_t patterns,
                      uint32_t mask, uint32_t times)
{
    struct access *list = calloc(patterns, sizeof *list);
    uint64_t *addresses = calloc(patterns, 32 * sizeof *addresses);
    for (uint32_t i = 0; i < patterns; i++) {
        uint64_t *at = addresses + (size_t)i * 32;
        for (int lane = 0; lane < 32; lane++)
            at[lane] = (uint64_t)next_random(space == SPACE_SHARED ? 8192 : 1 << 24) * 4;
        list[i] = (struct access){.space = (uint8_t)space,
                                  .shape = ACCESS_GENERAL,
                                  .bytes = 4,
                                  .mask = mask,
                                  .addresses = at};
    }
    time_accesses(b, what, list, patterns, times);
    free(addresses);
    free(list);
}

/* 8 warps that execute two code blocks each: what a block costs beside its events. */
static void time_blocks(struct bench *b)
{
    enum { TIMES = 1000000 };
    struct warp_ref ref = {.threads = UINT32_MAX};
    double start = seconds();
    for (uint32_t i = 0; i < TIMES; i++) {
        ref.block = b->ops->block_begin(b->worker, i);
        for (ref.index = 0; ref.index < 8; ref.index++) {
            b->ops->run(b->worker, &ref, 0, UINT32_MAX);
            b->ops->run(b->worker, &ref, 1, UINT32_MAX);
            b->ops->warp_end(b->worker, &ref);
        }
        b->ops->block_end(b->worker, ref.block);
    }
    printf("block   %-44s %6.2f ns\n", "8 warps, 2 runs each", (seconds() - start) * 1e9 / TIMES);
}

static void bench_rules(unsigned rules, int level)
{
    struct bench *b = calloc(1, sizeof *b);
    make_program(b);
    b->launch.isa_level = level;
    struct measure *measure = measure_begin(counting_rules_of(rules));
    struct observer *observer = measure_observer(measure);
    b->ops = observer->ops;
    b->ops->launch_begin(observer->self, &b->launch);
    b->worker = b->ops->worker_begin(observer->self);
    b->ref = (struct warp_ref){.block = b->ops->block_begin(b->worker, 0), .threads = UINT32_MAX};
    time_runs(b, "20 instructions, 2 from before", 0, UINT32_MAX);
    time_runs(b, "20 instructions, same half of the lanes", 0, 0xffff);
    time_runs(b, "2 loads and 2 stores", 1, UINT32_MAX);
    time_runs(b, "30 instructions, 30 pairs from before", 2, UINT32_MAX);
    time_blocks(b);
    regular(b, "uniform", ACCESS_UNIFORM, 1);
    regular(b, "contiguous", ACCESS_STRIDED, 1);
    regular(b, "contiguous, 4 alignments in turn", ACCESS_STRIDED, 4);
    regular(b, "contiguous, 32 alignments in turn", ACCESS_STRIDED, 32);
    regular(b, "two half-warps", ACCESS_HALVES, 1);
    irregular(b, "64 irregular patterns, again and again", SPACE_GLOBAL, REPEATED_PATTERNS,
              UINT32_MAX, 10000000);
    irregular(b, "the same with half of the lanes", SPACE_GLOBAL, REPEATED_PATTERNS, 0x5555f0f1,
              10000000);
    irregular(b, "random, global", SPACE_GLOBAL, RANDOM_PATTERNS, UINT32_MAX, 1000000);
    irregular(b, "random, shared", SPACE_SHARED, RANDOM_PATTERNS, UINT32_MAX, 1000000);
    b->ops->block_end(b->worker, b->ref.block);
    b->ops->worker_end(observer->self, b->worker);
    profile_destroy(measure_end(measure, 1));
    free(b);
}

int main(void)
{
    for (int level = device_isa_levels(); level-- > 0;) {
        printf("%s; rules: none of cc 1.x\n", device_isa_name(level));
        bench_rules(0, level);
    }
    printf("%s; rules: all\n", device_isa_name(device_isa_levels() - 1));
    bench_rules(RULES_ALL, device_isa_levels() - 1);
    return 0;
}
