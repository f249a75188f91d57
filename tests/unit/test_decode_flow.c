// SPDX-License-Identifier: Apache-2.0
/* Blocks, post-dominators, liveness, critical paths, order: expected values worked out by hand from
 * small kernels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "decode/module.h"

static struct module *load_body(const char *body)
{
    static const char open[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                               ".entry k(.param .u64 p) {\n.reg .pred %p<8>;\n.reg .b32 %r<32>;\n"
                               ".reg .b64 %rd<16>;\n.reg .f32 %f<8>;\n";
    char text[4096];
    struct diag diag = {0};
    struct module *module;
    snprintf(text, sizeof text, "%s%s\n}\n", open, body);
    if (module_load_memory(&diag, "flow.ptx", text, strlen(text), &module) != WS_OK)
        fail_msg("%s", diag.text);
    diag_clear(&diag);
    return module;
}

static void check_blocks(const struct function *function, const int32_t *post_dominators,
                         uint32_t count)
{
    assert_int_equal(function->block_count, count);
    for (uint32_t b = 0; b < count; b++)
        if (function->blocks[b].post_dominator != post_dominators[b])
            fail_msg("block %u: post-dominator %d, not %d", b, function->blocks[b].post_dominator,
                     post_dominators[b]);
}

static void check_successors(const struct basic_block *block, uint32_t count, ...)
{
    va_list list;
    assert_int_equal(block->successor_count, count);
    va_start(list, count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(block->successors[i], va_arg(list, uint32_t));
    va_end(list);
}

static int32_t find_register(const struct function *function, const char *name)
{
    for (uint32_t r = 0; r < function->vreg_count; r++)
        if (!strcmp(function->vregs[r].name, name)) return (int32_t)r;
    fail_msg("no register %s", name);
    return -1;
}

static bool is_in(const struct function *function, const uint64_t *set, const char *name)
{
    int32_t reg = find_register(function, name);
    for (uint32_t bit = 0; bit < function->crossing_count; bit++)
        if (function->crossing[bit] == (uint32_t)reg) return set[bit / 64] >> (bit % 64) & 1;
    return false; /* lives within its block */
}

/*  0 -> 1, 2 ; 1 -> 3 ; 2 -> 3 */
static void diamond(void **state)
{
    (void)state;
    struct module *module = load_body("setp.eq.u32 %p1, %r1, 0;\n@%p1 bra ELSE;\n"
                                      "add.u32 %r2, %r1, 1;\nbra JOIN;\n"
                                      "ELSE: add.u32 %r2, %r1, 2;\n"
                                      "JOIN: add.u32 %r3, %r2, 1;\nret;");
    const struct function *function = &module->functions[0];
    const int32_t expected[] = {3, 3, 3, -1};
    check_blocks(function, expected, 4);
    check_successors(&function->blocks[0], 2, 1, 2); /* fall-through first */
    check_successors(&function->blocks[1], 1, 3);
    check_successors(&function->blocks[3], 0);
    assert_true(is_in(function, function->blocks[0].live_in, "%r1"));
    assert_true(is_in(function, function->blocks[0].live_out, "%r1"));
    assert_false(is_in(function, function->blocks[0].live_in, "%r2"));
    assert_true(is_in(function, function->blocks[1].live_out, "%r2"));
    assert_false(is_in(function, function->blocks[3].live_out, "%r2"));
    assert_int_equal(function->blocks[0].critical_path, 2); /* setp, bra on its predicate */
    assert_int_equal(function->blocks[1].critical_path, 1);
    module_destroy(module);
}

static void loop_with_break(void **state)
{
    (void)state;
    /* 0: before; 1: loop head, may leave; 2: rest of the loop; 3: after */
    struct module *module = load_body("mov.u32 %r1, 0;\n"
                                      "LOOP: setp.gt.u32 %p1, %r1, 9;\n@%p1 bra OUT;\n"
                                      "add.u32 %r1, %r1, 1;\nbra.uni LOOP;\n"
                                      "OUT: ret;");
    const struct function *function = &module->functions[0];
    const int32_t expected[] = {1, 3, 1, -1};
    check_blocks(function, expected, 4);
    check_successors(&function->blocks[2], 1, 1);
    assert_true(function->insns[4].flags & INSN_UNI);
    assert_int_equal(function->insns[4].target, 1);
    module_destroy(module);
}

/* Lanes that leave by a guarded exit do not take part in the meeting. */
static void guarded_exit(void **state)
{
    (void)state;
    struct module *module = load_body("setp.eq.u32 %p1, %r1, 0;\n@%p1 exit;\n"
                                      "add.u32 %r2, %r1, 1;\nret;");
    const struct function *function = &module->functions[0];
    const int32_t expected[] = {1, -1};
    check_blocks(function, expected, 2);
    check_successors(&function->blocks[0], 1, 1);
    module_destroy(module);
}

/* Without any way out there is no post-dominator at the end, but a branch inside still has one. */
static void endless_loop(void **state)
{
    (void)state;
    struct module *module = load_body("LOOP: setp.eq.u32 %p1, %r1, 0;\n@%p1 bra B;\n"
                                      "add.u32 %r1, %r1, 1;\nB: add.u32 %r1, %r1, 2;\n"
                                      "bra LOOP;");
    const struct function *function = &module->functions[0];
    const int32_t expected[] = {2, 2, -1};
    check_blocks(function, expected, 3);
    module_destroy(module);
}

static void early_return_in_branch(void **state)
{
    (void)state;
    /* 0 -> 1, 2; 1 returns; 2 returns: they meet only at the end */
    struct module *module = load_body("setp.eq.u32 %p1, %r1, 0;\n@%p1 bra ELSE;\nret;\n"
                                      "ELSE: ret;");
    const int32_t expected[] = {-1, -1, -1};
    check_blocks(&module->functions[0], expected, 3);
    module_destroy(module);
}

static void block_ends(void **state)
{
    (void)state;
    struct module *module = load_body(
        "mov.u32 %r1, 1;\nbar.sync 0;\nshfl.sync.idx.b32 %r2, %r1, 0, 31, -1;\n"
        "vote.sync.all.pred %p1, %p2, -1;\nnanosleep.u32 20;\nbar.warp.sync -1;\nmembar.gl;\n"
        "atom.global.add.u32 %r3, [%rd1], 1;\nbrkpt;\nactivemask.b32 %r4;\nret;");
    const uint32_t counts[] = {2, 1, 1, 1, 1, 3, 2};
    const struct function *function = &module->functions[0];
    assert_int_equal(function->block_count, sizeof counts / sizeof *counts);
    for (uint32_t b = 0; b < function->block_count; b++)
        assert_int_equal(function->blocks[b].count, counts[b]);
    module_destroy(module);
}

static void indexed_branch(void **state)
{
    (void)state;
    struct module *module = load_body("T: .branchtargets A, B, A;\nbrx.idx %r1, T;\n"
                                      "A: mov.u32 %r2, 1;\nbra C;\nB: mov.u32 %r2, 2;\nC: ret;");
    const struct function *function = &module->functions[0];
    const int32_t expected[] = {3, 3, 3, -1};
    check_blocks(function, expected, 4);
    check_successors(&function->blocks[0], 0); /* but for the targets */
    assert_int_equal(function->insns[0].target_count, 3);
    assert_int_equal(function->insns[0].targets[0], 1);
    assert_int_equal(function->insns[0].targets[1], 3);
    assert_int_equal(function->insns[0].targets[2], 1);
    module_destroy(module);
}

/* A guarded definition keeps the old value alive. */
static void guarded_definition(void **state)
{
    (void)state;
    struct module *module = load_body("bar.sync 0;\n@%p1 mov.u32 %r1, 1;\nbar.sync 0;\n"
                                      "mov.u32 %r2, %r1;\nbar.sync 0;\nmov.u32 %r1, 3;\n"
                                      "st.global.u32 [%rd1], %r1;\nret;");
    const struct function *function = &module->functions[0];
    assert_true(is_in(function, function->blocks[1].live_in, "%r1"));
    assert_true(is_in(function, function->blocks[1].live_in, "%p1"));
    assert_false(is_in(function, function->blocks[3].live_in, "%r1"));
    assert_true(is_in(function, function->blocks[0].live_in, "%rd1"));
    module_destroy(module);
}

/* 4 x 32 bits + 1 x 64 bits at the last sum; predicates do not count. */
static void live_registers(void **state)
{
    (void)state;
    struct module *module =
        load_body("ld.param.u64 %rd1, [p];\nld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];\n"
                  "setp.eq.u32 %p1, %r1, 0;\nadd.u32 %r1, %r1, %r2;\nadd.u32 %r1, %r1, %r3;\n"
                  "@%p1 add.u32 %r1, %r1, %r4;\nst.global.u32 [%rd1], %r1;\nret;");
    const struct function *function = &module->functions[0];
    assert_int_equal(function->max_live_registers, 6);
    /* ld.param, ld.global, add, add, guarded add, st */
    assert_int_equal(function->blocks[0].critical_path, 6);
    module_destroy(module);
}

/* ---- order ----------------------------------------------------------------------------------- */

static void check_order(const char *body, const char *reason)
{
    struct module *module = load_body(body);
    const struct function *function = &module->functions[0];
    if (function->ordered != (reason != NULL))
        fail_msg("%s\nis %s", body, function->ordered ? function->ordered_reason : "independent");
    if (reason) assert_string_equal(function->ordered_reason, reason);
    module_destroy(module);
}

/* doc/engine.md#order-of-the-blocks. The bodies begin in line 9 of the file. */
static void order(void **state)
{
    (void)state;
    check_order("st.global.u32 [%rd1], %r1;\nret;", NULL);
    check_order("red.global.add.u32 [%rd1], 1;\nret;", NULL);
    check_order("atom.global.max.s32 %r1, [%rd1], 1;\nret;", NULL);
    check_order("atom.global.add.u32 _, [%rd1], 1;\nret;", NULL);
    check_order("atom.shared.cas.b32 %r1, [%r2], 1, 2;\nst.shared.u32 [%r2], %r1;\nret;", NULL);
    check_order("ld.volatile.shared.u32 %r1, [%r2];\nret;", NULL);
    check_order("atom.global.add.u32 %r1, [%rd1], 1;\nst.global.u32 [%rd1], %r1;\nret;",
                "atom.global.add.u32 with used result at line 9");
    check_order("ret;\nred.global.add.f32 [%rd1], 0f3F800000;\nret;",
                "red.global.add.f32 on floats at line 10");
    check_order("atom.global.exch.b32 %r1, [%rd1], 1;\nret;", "atom.global.exch.b32 at line 9");
    check_order("atom.cas.b32 %r1, [%rd1], 1, 2;\nret;", "atom.cas.b32 at line 9");
    check_order("ld.volatile.global.u32 %r1, [%rd1];\nret;", "ld.volatile.global.u32 at line 9");
    check_order("st.release.gpu.global.u32 [%rd1], 1;\nret;",
                "st.release.gpu.global.u32 at line 9");
    check_order("ld.acquire.gpu.u32 %r1, [%rd1];\nret;", "ld.acquire.gpu.u32 at line 9");
}

/* What a callee does counts for the kernel, also through a pointer, but not for other kernels. */
static void order_of_callees(void **state)
{
    (void)state;
    static const char text[] =
        ".version 7.0\n.target sm_70\n.address_size 64\n"
        ".func takes(.param .u64 a) { .reg .b64 %rd<2>; .reg .b32 %r<2>; ld.param.u64 %rd1, [a];\n"
        "atom.cas.b32 %r1, [%rd1], 0, 1; ret; }\n"
        ".func middle(.param .u64 a) { .reg .b64 %rd<2>;\n{ .param .u64 b;"
        " call takes, (b); } ret; }\n"
        ".global .u64 table = takes;\n"
        ".entry direct() { { .param .u64 b; call middle, (b); } ret; }\n"
        ".entry indirect() { .reg .b64 %rd<2>; ld.global.u64 %rd1, [table];\n"
        "proto: .callprototype _ (.param .u64 _);\n"
        "{ .param .u64 b; call %rd1, (b), proto; } ret; }\n"
        ".entry alone() { ret; }\n";
    struct diag diag = {0};
    struct module *module;
    if (module_load_memory(&diag, "calls.ptx", text, strlen(text), &module) != WS_OK)
        fail_msg("%s", diag.text);
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct function *function = &module->functions[f];
        if (function->is_entry)
            assert_int_equal(function->ordered, strcmp(function->name, "alone") != 0);
    }
    module_destroy(module);
    diag_clear(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(diamond),
        cmocka_unit_test(loop_with_break),
        cmocka_unit_test(guarded_exit),
        cmocka_unit_test(endless_loop),
        cmocka_unit_test(early_return_in_branch),
        cmocka_unit_test(block_ends),
        cmocka_unit_test(indexed_branch),
        cmocka_unit_test(guarded_definition),
        cmocka_unit_test(live_registers),
        cmocka_unit_test(order),
        cmocka_unit_test(order_of_callees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
