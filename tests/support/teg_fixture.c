// SPDX-License-Identifier: Apache-2.0
#include "teg_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MACHINES SOURCE_DIR "/data/machines"

static void check(ws_status status, struct diag *diag)
{
    if (status != WS_OK) fail_msg("%s", diag->text);
}

struct machine *fixture_machine(const char *name, const char *const *changes)
{
    struct diag diag = {0};
    struct machine *machine;
    check(machine_load(&diag, MACHINES, name, &machine), &diag);
    for (; changes && *changes; changes++) {
        char key[64];
        size_t length = strcspn(*changes, "=");
        assert_true(length < sizeof key);
        memcpy(key, *changes, length);
        key[length] = '\0';
        check(machine_set(&diag, machine, key, *changes + length), &diag);
    }
    diag_clear(&diag);
    return machine;
}

void fixture_begin(struct fixture *fixture, uint32_t blocks, uint32_t threads)
{
    struct trace_head head = {.kernel = "by_hand",
                              .isa = "hand-written",
                              .grid = {blocks, 1, 1},
                              .block = {threads, 1, 1}};
    *fixture = (struct fixture){.builder = trace_builder_create(&head)};
}

static uint32_t add(struct fixture *fixture, struct trace_insn insn, int dst, int a, int b)
{
    uint32_t reads[2] = {0}, writes[1] = {0};
    unsigned read_count = 0, write_count = 0;
    insn.pc = insn.access_pc = TRACE_NO_PC;
    insn.op = class_ids[insn.class_id];
    if (a >= 0) reads[read_count++] = (uint32_t)a;
    if (b >= 0) reads[read_count++] = (uint32_t)b;
    if (dst >= 0) writes[write_count++] = (uint32_t)dst;
    return trace_builder_add_insn(fixture->builder, &insn, reads, read_count, writes, write_count);
}

uint32_t fixture_plain(struct fixture *fixture, enum insn_class id, int dst, int a, int b)
{
    return add(fixture, (struct trace_insn){.class_id = (uint8_t)id}, dst, a, b);
}

uint32_t fixture_guarded(struct fixture *fixture, enum insn_class id, int dst, int guard)
{
    return add(fixture, (struct trace_insn){.class_id = (uint8_t)id, .guarded = true}, dst, guard,
               -1);
}

uint32_t fixture_operand(struct fixture *fixture, enum insn_class id, int dst, int a)
{
    struct trace_insn insn = {.class_id = (uint8_t)id,
                              .operation = TRACE_LOAD,
                              .space = SPACE_SHARED,
                              .bytes = 4,
                              .flags = TRACE_SHARED_OPERAND};
    return add(fixture, insn, dst, a, -1);
}

uint32_t fixture_access(struct fixture *fixture, enum insn_class id, enum mem_space space,
                        unsigned bytes, int reg, int a)
{
    enum trace_operation operation =
        (enum trace_operation)(TRACE_LOAD + (id - CLASS_MEM_GLOBAL_LOAD) % 3);
    struct trace_insn insn = {.class_id = (uint8_t)id,
                              .operation = (uint8_t)operation,
                              .space = (uint8_t)space,
                              .bytes = (uint8_t)bytes};
    bool is_load = operation == TRACE_LOAD;
    return add(fixture, insn, is_load ? reg : -1, a, is_load ? -1 : reg);
}

uint32_t fixture_barrier(struct fixture *fixture, enum trace_barrier kind, unsigned id,
                         unsigned threads)
{
    struct trace_insn insn = {.class_id = CLASS_BARRIER,
                              .barrier = (uint8_t)kind,
                              .barrier_id = (uint8_t)id,
                              .barrier_threads = (uint16_t)threads};
    return add(fixture, insn, -1, -1, -1);
}

void fixture_block(struct fixture *fixture, uint64_t block)
{
    trace_builder_begin_block(fixture->builder, block);
}

void fixture_warp(struct fixture *fixture, uint32_t warp)
{
    trace_builder_begin_warp(fixture->builder, warp, UINT32_MAX);
}

void fixture_step(struct fixture *fixture, uint32_t insn)
{
    trace_builder_step(fixture->builder, insn, UINT32_MAX, UINT32_MAX, NULL, 0);
}

void fixture_step_at(struct fixture *fixture, uint32_t insn, enum mem_space space, unsigned bytes,
                     uint64_t base, int64_t stride)
{
    struct access access = {.space = (uint8_t)space,
                            .shape = ACCESS_STRIDED,
                            .bytes = (uint8_t)bytes,
                            .mask = UINT32_MAX,
                            .base = base,
                            .stride = stride};
    uint64_t addresses[32];
    for (unsigned i = 0; i < 32; i++)
        addresses[i] = base + (uint64_t)(stride * (int64_t)i);
    access.addresses = addresses;
    if (!stride) access.shape = ACCESS_UNIFORM;
    trace_builder_step(fixture->builder, insn, UINT32_MAX, UINT32_MAX, &access, 1);
}

void fixture_finish(struct fixture *fixture)
{
    fixture->trace = trace_builder_finish(fixture->builder);
    fixture->builder = NULL;
}

void fixture_clear(struct fixture *fixture)
{
    trace_destroy(fixture->trace);
}

void fixture_run(const struct fixture *fixture, const struct machine *machine,
                 const struct fixture_run *run, struct teg_result *out)
{
    struct diag diag = {0};
    struct arena arena = {0};
    struct profile *profile = profile_create();
    struct estimate *estimate = mem_zalloc(1, sizeof *estimate);
    struct teg_machine teg;
    memcpy(profile->grid, fixture->trace->head.grid, sizeof profile->grid);
    memcpy(profile->block, fixture->trace->head.block, sizeof profile->block);
    struct model_input input = {
        .profile = profile,
        .machine = machine,
        .effects_off = run->effects_off | (run->is_cold ? 0 : 1u << EFFECT_FETCH),
        .arena = &arena,
    };
    check(teg_machine_read(&diag, &input, estimate, &teg), &diag);
    teg.policy = run->policy;
    struct teg_setup setup = {.trace = fixture->trace,
                              .machine = &teg,
                              .has_l2_code = run->has_l2_code,
                              .sms = run->sms ? run->sms : 1,
                              .blocks_per_sm = run->blocks_per_sm ? run->blocks_per_sm : 1,
                              .block_count = run->blocks ? run->blocks : 1,
                              .deal = {.trace = fixture->trace, .blocks = run->places},
                              .warps_per_sm = run->warps_per_sm,
                              .observer = run->observer,
                              .dram_share = TEG_DRAM_ALL,
                              .written_share = TEG_DRAM_ALL};
    check(teg_run(&diag, &setup, out), &diag);
    mem_free(estimate);
    profile_destroy(profile);
    arena_clear(&arena);
    diag_clear(&diag);
}

double fixture_cycles(const struct fixture *fixture, const struct machine *machine,
                      const struct fixture_run *run)
{
    struct teg_result result;
    fixture_run(fixture, machine, run, &result);
    double cycles = (double)result.retired / (double)TEG_CYCLE;
    teg_result_clear(&result);
    return cycles;
}

extern const struct model model_teg;

double fixture_predict(const struct fixture *fixture, const struct machine *machine,
                       unsigned resident, uint32_t grid, uint32_t effects_off)
{
    struct diag diag = {0};
    struct arena arena = {0};
    struct profile *profile = profile_create();
    struct estimate *estimate = mem_zalloc(1, sizeof *estimate);
    const struct model_option in_turn = {"policy", "round-robin"};
    memcpy(profile->block, fixture->trace->head.block, sizeof profile->block);
    profile->grid[0] = grid;
    profile->grid[1] = profile->grid[2] = 1;
    struct model_input input = {.profile = profile,
                                .machine = machine,
                                .trace = fixture->trace,
                                .occupancy = {.blocks_per_sm = resident},
                                .effects_off = effects_off | 1u << EFFECT_FETCH,
                                .options = &in_turn,
                                .option_count = 1,
                                .arena = &arena};
    check(model_teg.predict(&diag, &input, estimate), &diag);
    double seconds = estimate->time_seconds;
    mem_free(estimate);
    profile_destroy(profile);
    arena_clear(&arena);
    diag_clear(&diag);
    return seconds;
}
