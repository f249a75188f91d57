// SPDX-License-Identifier: Apache-2.0
/* Traces written in Accel-Sim's format come back through the reader: every step with its lanes and their
 * addresses, whatever pattern and space they have; and opcodes that stand for classes have these classes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/teg_fixture.h"
#include "api/handles.h"
#include "isa/sass.h"
#include "measure/traceg_write.h"

enum { STEPS_MAX = 64, THREADS = 64, WARPS = 2 };

struct expected {
    uint32_t on, known; /* lanes with addresses */
    uint8_t spaces[32];
    uint64_t addresses[32];
};

struct script {
    struct fixture f;
    struct expected steps[WARPS][STEPS_MAX];
    unsigned count[WARPS], warp;
};

static void step(struct script *s, uint32_t insn, uint32_t on, const struct access *accesses,
                 unsigned count)
{
    struct expected *e = &s->steps[s->warp][s->count[s->warp]++];
    *e = (struct expected){.on = on};
    for (unsigned i = 0; i < count; i++)
        for (unsigned lane = 0; lane < 32; lane++) {
            if (!(accesses[i].mask >> lane & 1)) continue;
            e->known |= UINT32_C(1) << lane;
            e->spaces[lane] = accesses[i].space;
            e->addresses[lane] = accesses[i].addresses[lane];
        }
    trace_builder_step(s->f.builder, insn, UINT32_MAX, on, accesses, count);
}

static struct access general(uint8_t space, uint8_t bytes, uint32_t mask, const uint64_t *addresses)
{
    return (struct access){.space = space,
                           .shape = ACCESS_GENERAL,
                           .bytes = bytes,
                           .mask = mask,
                           .addresses = addresses};
}

static uint32_t add(struct script *s, enum insn_class id, enum trace_operation operation,
                    enum mem_space space, unsigned bytes)
{
    struct trace_insn insn = {.class_id = (uint8_t)id,
                              .op = "by hand",
                              .operation = (uint8_t)operation,
                              .space = (uint8_t)space,
                              .bytes = (uint8_t)bytes,
                              .guarded = true};
    const uint32_t reads[] = {300, 2, 3, 4, 5}, writes[] = {7, 8};
    return trace_builder_add_insn(s->f.builder, &insn, reads, 5, writes, 2);
}

/* Strides, gaps, single lanes, no lane, differences beyond 32 bits, three spaces at once. */
static void play_warp(struct script *s, const uint32_t *insns)
{
    uint64_t run[32], wild[32], far[32], own[32];
    for (unsigned i = 0; i < 32; i++) {
        run[i] = 0x10000000 + 4 * i;
        wild[i] = 0x20000000 + 8 * (uint64_t)(i * i % 29);
        far[i] = 0x30000000 + ((uint64_t)(i % 3) << 36) + 4 * i;
        own[i] = 64 + 4 * (uint64_t)(i % 5);
    }
    struct access all = general(SPACE_GLOBAL, 4, UINT32_MAX, run);
    struct access gaps = general(SPACE_GLOBAL, 4, 0x5a5a00f0, run);
    struct access one = general(SPACE_GLOBAL, 4, 0x80000000, run);
    struct access wide = general(SPACE_SHARED, 8, 0x00ffff00, wild);
    struct access distant = general(SPACE_GLOBAL, 4, 0x7fffffff, far);
    struct access local = general(SPACE_LOCAL, 4, 0x0000ffff, own);
    struct access three[3] = {general(SPACE_GLOBAL, 4, 0x0000000f, run),
                              general(SPACE_SHARED, 4, 0x00000ff0, own),
                              general(SPACE_LOCAL, 4, 0xfffff000, own)};
    step(s, insns[0], UINT32_MAX, NULL, 0);
    step(s, insns[1], all.mask, &all, 1);
    step(s, insns[1], gaps.mask, &gaps, 1);
    step(s, insns[1], one.mask, &one, 1);
    step(s, insns[1], 0, NULL, 0);
    step(s, insns[1], distant.mask, &distant, 1);
    step(s, insns[2], wide.mask, &wide, 1);
    step(s, insns[3], local.mask, &local, 1);
    step(s, insns[4], UINT32_MAX, three, 3);
    step(s, insns[5], UINT32_MAX, NULL, 0);
}

static struct profile *play(struct script *s)
{
    uint32_t insns[6];
    memset(s, 0, sizeof *s);
    fixture_begin(&s->f, 2, THREADS);
    insns[0] = add(s, CLASS_FP32_FMA, TRACE_NO_ACCESS, SPACE_NONE, 0);
    insns[1] = add(s, CLASS_MEM_GLOBAL_LOAD, TRACE_LOAD, SPACE_GLOBAL, 4);
    insns[2] = add(s, CLASS_MEM_SHARED_STORE, TRACE_STORE, SPACE_SHARED, 8);
    insns[3] = add(s, CLASS_MEM_LOCAL_STORE, TRACE_STORE, SPACE_LOCAL, 4);
    insns[4] = add(s, CLASS_MEM_GLOBAL_LOAD, TRACE_LOAD, SPACE_GENERIC, 4);
    struct trace_insn end = {.class_id = CLASS_CONTROL, .op = "ret", .flags = TRACE_EXIT};
    insns[5] = trace_builder_add_insn(s->f.builder, &end, NULL, 0, NULL, 0);
    fixture_block(&s->f, 1);
    for (s->warp = 0; s->warp < WARPS; s->warp++) {
        fixture_warp(&s->f, s->warp);
        play_warp(s, insns);
    }
    fixture_finish(&s->f);
    struct profile *profile = profile_create();
    profile->kernel = arena_copy(&profile->arena, "by_hand");
    profile->isa = arena_copy(&profile->arena, "hand-written");
    profile->trace = s->f.trace;
    return profile;
}

static void check_warp(const struct trace *trace, const struct trace_block *block, uint32_t warp,
                       const struct script *s)
{
    struct trace_cursor cursor;
    struct trace_step got;
    unsigned count = 0;
    trace_cursor_init(&cursor, trace, block, warp);
    for (; trace_cursor_next(&cursor, &got); count++) {
        const struct expected *e = &s->steps[warp][count];
        uint32_t known = 0;
        assert_true(count < s->count[warp]);
        assert_int_equal(got.on, e->on);
        for (uint32_t i = 0; i < got.access_count; i++) {
            const struct trace_pattern *pattern = &trace->patterns[got.accesses[i].pattern];
            uint64_t addresses[32];
            trace_lanes(trace, &got.accesses[i], addresses);
            known |= pattern->mask;
            for (unsigned lane = 0; lane < 32; lane++) {
                if (!(pattern->mask >> lane & 1)) continue;
                assert_int_equal(pattern->space, e->spaces[lane]);
                assert_int_equal(addresses[lane], e->addresses[lane]);
            }
        }
        assert_int_equal(known, e->known);
    }
    assert_int_equal(count, s->count[warp]);
    trace_cursor_clear(&cursor);
}

static void test_steps_come_back(void **state)
{
    (void)state;
    static const char *const names[] = {"k.traceg", "k.traceg.xz", "k.traceg.zst", "kernelslist.g"};
    char folder[] = "/tmp/test_traceg_write_XXXXXX", path[96];
    struct script *s = calloc(1, sizeof *s);
    struct diag diag = {0};
    ws_context *context;
    assert_non_null(s);
    assert_non_null(mkdtemp(folder));
    assert_int_equal(ws_context_create(&context), WS_OK);
    struct profile *profile = play(s);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ws_trace *opened;
        ws_profile *again;
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        assert_true(traceg_is_name(path));
        assert_int_equal(traceg_write(&diag, profile, path), WS_OK);
        assert_int_equal(ws_trace_open(context, path, &opened), WS_OK);
        if (ws_trace_replay(opened, 0, NULL, &again) != WS_OK)
            fail_msg("%s", ws_context_error(context));
        const struct trace *trace = again->profile->trace;
        assert_int_equal(trace->block_count, 1);
        assert_int_equal(trace->blocks[0].index, 1);
        for (uint32_t warp = 0; warp < WARPS; warp++)
            check_warp(trace, &trace->blocks[0], warp, s);
        ws_profile_destroy(again);
        ws_trace_destroy(opened);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/kernel-1.traceg", folder);
    unlink(path);
    rmdir(folder);
    ws_context_destroy(context);
    profile_destroy(profile);
    free(s);
}

/* Those that no native instruction has: what they come back as. */
static enum insn_class comes_back_as(enum insn_class id)
{
    switch (id) {
    case CLASS_FP32_DIV:
    case CLASS_FP64_DIV:
    case CLASS_INT_DIV:
        return CLASS_SFU_RCP;
    case CLASS_INT_MUL24:
        return CLASS_INT_MUL;
    case CLASS_MEM_LOCAL_ATOMIC: /* a generic one */
        return CLASS_MEM_GLOBAL_ATOMIC;
    case CLASS_MEM_PARAM_LOAD:
        return CLASS_MEM_CONST_LOAD;
    case CLASS_MEM_PARAM_STORE:
        return CLASS_MEM_LOCAL_STORE;
    case CLASS_MEM_CONST_STORE:
    case CLASS_MEM_CONST_ATOMIC:
    case CLASS_MEM_PARAM_ATOMIC:
    case CLASS_MEM_TEXTURE_STORE:
    case CLASS_MEM_TEXTURE_ATOMIC:
        return CLASS_CONTROL;
    default:
        return id;
    }
}

static void test_classes(void **state)
{
    (void)state;
    for (unsigned id = 0; id < CLASS_COUNT; id++) {
        const char *name = sass_name((enum insn_class)id);
        assert_non_null(name);
        const struct sass_op *op = sass_find(name);
        assert_non_null(op);
        if (sass_class(op, name) != comes_back_as((enum insn_class)id))
            fail_msg("%s is %s, not %s", name, class_ids[sass_class(op, name)], class_ids[id]);
    }
}

static void test_names(void **state)
{
    (void)state;
    assert_true(traceg_is_name("kernelslist.g"));
    assert_true(traceg_is_name("a/b.traceg.xz"));
    assert_false(traceg_is_name("a.trace"));
    assert_false(traceg_is_name("traceg"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_come_back),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
