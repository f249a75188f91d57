// SPDX-License-Identifier: Apache-2.0
/* The compiled engine as a part of launches: when it runs, what it leaves behind. That it computes and counts what the
 * interpreter does is what test_random_programs, test_vectors and test_kernels_* show. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "compile/compile.h"
#include "emulate/emulate.h"
#include "support/code_mappings.h"

/* Thread i writes 3 i + 7 plus 3 in each of 64 turns of a loop. */
static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                           ".visible .entry k(.param .u64 out)\n{\n"
                           ".reg .b32 %r<8>; .reg .b64 %d<4>; .reg .pred %p<2>;\n"
                           "ld.param.u64 %d1, [out];\n"
                           "mov.u32 %r1, %tid.x;\n"
                           "mul.wide.u32 %d2, %r1, 4;\n"
                           "add.u64 %d3, %d1, %d2;\n"
                           "mul.lo.u32 %r2, %r1, 3;\n"
                           "add.u32 %r2, %r2, 7;\n"
                           "mov.u32 %r3, 0;\n"
                           "LOOP: add.u32 %r2, %r2, 3;\n"
                           "add.u32 %r3, %r3, 1;\n"
                           "setp.lt.u32 %p1, %r3, 64;\n"
                           "@%p1 bra LOOP;\n"
                           "st.global.u32 [%d3], %r2;\n"
                           "ret;\n}\n";
enum { THREADS = 64, WARPS = 2, BEFORE = 7, LOOP = 4, TURNS = 64 };
enum { INSTRUCTIONS = WARPS * (BEFORE + LOOP * TURNS + 2) };

struct seen {
    struct launch_result result;
    uint32_t out[THREADS];
};

static void run(const struct device_options *options, struct seen *seen)
{
    struct diag diag = {0};
    struct module *module;
    struct device *device;
    uint64_t address;
    struct launch_options launch = {
        .grid = {1, 1, 1}, .block = {THREADS, 1, 1}, .parameters = &address, .parameter_bytes = 8};
    assert_int_equal(module_load_memory(&diag, "k.ptx", text, strlen(text), &module), WS_OK);
    assert_int_equal(device_create(&diag, options, &device), WS_OK);
    assert_int_equal(device_alloc(&diag, device, sizeof seen->out, &address), WS_OK);
    assert_int_equal(module_find_entry(&diag, module, "k", &launch.entry), WS_OK);
    assert_int_equal(device_launch(&diag, device, module, &launch, &seen->result), WS_OK);
    assert_int_equal(device_copy_out(&diag, device, seen->out, address, sizeof seen->out), WS_OK);
    device_destroy(device);
    module_destroy(module);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(seen->out[i], 3 * i + 7 + 3 * TURNS);
    assert_int_equal(seen->result.warp_instructions, INSTRUCTIONS);
}

static bool has_v4(void)
{
    return device_isa_levels() == 3;
}

static void test_interpreter(void **state)
{
    (void)state;
    struct seen seen;
    run(&(struct device_options){.threads = 1, .isa_level = -1}, &seen);
    assert_int_equal(seen.result.compiled_instructions, 0);
}

/* All but branches, ret, and the store of the first warp: the interpreter finds the allocation for it. */
static void test_from_the_first(void **state)
{
    (void)state;
    struct seen seen;
    run(&(struct device_options){.threads = 1, .isa_level = -1, .engine = compile_engine()}, &seen);
    uint64_t compiled = has_v4() ? WARPS * (BEFORE + (LOOP - 1) * TURNS + 1) - 1 : 0;
    assert_int_equal(seen.result.compiled_instructions, compiled);
    assert_false(seen.result.code_is_refused);
}

/* The first look after 300 instructions is when the second warp begins. */
static void test_later(void **state)
{
    (void)state;
    struct seen seen;
    struct device_options options = {
        .threads = 1, .isa_level = -1, .engine = compile_engine(), .compile_after = 250};
    run(&options, &seen);
    uint64_t compiled = has_v4() ? BEFORE + (LOOP - 1) * TURNS + 1 : 0;
    assert_int_equal(seen.result.compiled_instructions, compiled);
    options.compile_after = INSTRUCTIONS;
    run(&options, &seen);
    assert_int_equal(seen.result.compiled_instructions, 0);
}

static void test_other_levels(void **state)
{
    (void)state;
    for (int level = 0; level < 2 && level < device_isa_levels(); level++) {
        struct seen seen;
        run(&(struct device_options){.threads = 1, .isa_level = level, .engine = compile_engine()},
            &seen);
        assert_int_equal(seen.result.compiled_instructions, 0);
    }
}

/* While the device keeps the program its code is there; with the device it goes. */
static void test_memory(void **state)
{
    (void)state;
    struct diag diag = {0};
    struct module *module;
    struct device *device;
    uint64_t address;
    struct device_options options = {
        .threads = 1, .isa_level = -1, .keep_programs = true, .engine = compile_engine()};
    struct launch_options launch = {
        .grid = {1, 1, 1}, .block = {THREADS, 1, 1}, .parameters = &address, .parameter_bytes = 8};
    unsigned before = count_code_mappings();
    assert_int_equal(module_load_memory(&diag, "k.ptx", text, strlen(text), &module), WS_OK);
    assert_int_equal(device_create(&diag, &options, &device), WS_OK);
    assert_int_equal(device_alloc(&diag, device, 4 * THREADS, &address), WS_OK);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(device_launch(&diag, device, module, &launch, NULL), WS_OK);
    assert_int_equal(count_code_mappings(), before + has_v4());
    device_forget_module(device, module);
    assert_int_equal(count_code_mappings(), before);
    device_destroy(device);
    module_destroy(module);
}

/* A child that was forked after code was compiled executes it, too. */
static void test_fork(void **state)
{
    (void)state;
    struct diag diag = {0};
    struct module *module;
    struct device *device;
    uint64_t address;
    uint32_t out[THREADS] = {0};
    struct device_options options = {
        .threads = 1, .isa_level = -1, .keep_programs = true, .engine = compile_engine()};
    struct launch_options launch = {
        .grid = {1, 1, 1}, .block = {THREADS, 1, 1}, .parameters = &address, .parameter_bytes = 8};
    assert_int_equal(module_load_memory(&diag, "k.ptx", text, strlen(text), &module), WS_OK);
    assert_int_equal(device_create(&diag, &options, &device), WS_OK);
    assert_int_equal(device_alloc(&diag, device, sizeof out, &address), WS_OK);
    assert_int_equal(device_launch(&diag, device, module, &launch, NULL), WS_OK);
    assert_int_equal(device_fill(&diag, device, address, 0, sizeof out), WS_OK);
    pid_t child = fork();
    if (child == 0) {
        struct launch_result result = {0};
        bool ok = device_launch(&diag, device, module, &launch, &result) == WS_OK &&
                  device_copy_out(&diag, device, out, address, sizeof out) == WS_OK &&
                  out[5] == 3 * 5 + 7 + 3 * TURNS && (result.compiled_instructions > 0) == has_v4();
        _exit(ok ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(device_copy_out(&diag, device, out, address, sizeof out), WS_OK);
    assert_int_equal(out[5], 0); /* the child's memory is its own */
    device_destroy(device);
    module_destroy(module);
}

/* ---- where both engines must end alike -------------------------------------------------------- */

static ws_status end_of(const char *ptx, const struct engine *engine, uint64_t max_instructions,
                        char *message, size_t size)
{
    enum { BYTES = 4096 };
    struct diag diag = {0};
    struct module *module;
    struct device *device;
    uint64_t address;
    const struct device_options options = {.threads = 1, .isa_level = -1, .engine = engine};
    struct launch_options launch = {.grid = {1, 1, 1},
                                    .block = {32, 1, 1},
                                    .parameters = &address,
                                    .parameter_bytes = 8,
                                    .max_instructions = max_instructions};
    assert_int_equal(module_load_memory(&diag, "k.ptx", ptx, strlen(ptx), &module), WS_OK);
    assert_int_equal(device_create(&diag, &options, &device), WS_OK);
    assert_int_equal(device_alloc(&diag, device, BYTES, &address), WS_OK);
    assert_int_equal(device_fill(&diag, device, address, 0, BYTES), WS_OK);
    assert_int_equal(module_find_entry(&diag, module, "k", &launch.entry), WS_OK);
    ws_status status = device_launch(&diag, device, module, &launch, NULL);
    snprintf(message, size, "%s", diag.text ? diag.text : "");
    device_destroy(device);
    module_destroy(module);
    diag_clear(&diag);
    return status;
}

static void expect_same_end(const char *ptx, uint64_t max_instructions, ws_status expected)
{
    char interpreted[1024], compiled[1024];
    assert_int_equal(end_of(ptx, NULL, max_instructions, interpreted, sizeof interpreted),
                     expected);
    assert_int_equal(end_of(ptx, compile_engine(), max_instructions, compiled, sizeof compiled),
                     expected);
    assert_string_equal(compiled, interpreted);
}

#define HEAD                                                                                       \
    ".version 7.0\n.target sm_70\n.address_size 64\n"                                              \
    ".visible .entry k(.param .u64 out)\n{\n"                                                      \
    ".reg .b32 %r<8>; .reg .b64 %d<8>; .reg .pred %p<4>;\n"                                        \
    "ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4;\n"                    \
    "add.u64 %d3, %d1, %d2;\n"

/* In the second turn the addresses of the upper half of the warp, without the offset, lie at the very end: with it,
 * at 0. Bounds that look at the ends alone would let them pass. */
static void test_addresses_wrap(void **state)
{
    (void)state;
    expect_same_end(HEAD "mov.u32 %r3, 0; setp.ge.u32 %p1, %r1, 16; sub.u64 %d4, %d2, 128;\n"
                         "LOOP: ld.global.u32 %r2, [%d3+64];\n"
                         "selp.b64 %d3, %d4, %d3, %p1;\n"
                         "add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 2;\n"
                         "@%p2 bra LOOP;\nret;\n}\n",
                    0, WS_ERR_FAULT);
}

/* In the second turn, when the memory is known: addresses of the last word of all, and misaligned ones. */
static void test_last_word(void **state)
{
    (void)state;
    expect_same_end(HEAD "mov.u32 %r3, 0; mov.u64 %d4, -4;\n"
                         "LOOP: ld.global.u32 %r2, [%d1];\n"
                         "mov.u64 %d1, %d4; add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 2;\n"
                         "@%p2 bra LOOP;\nret;\n}\n",
                    0, WS_ERR_FAULT);
}

static void test_misaligned(void **state)
{
    (void)state;
    expect_same_end(HEAD "mov.u32 %r3, 0;\n"
                         "LOOP: ld.global.u32 %r2, [%d3];\n"
                         "add.u64 %d3, %d3, 2; add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 2;\n"
                         "@%p2 bra LOOP;\nret;\n}\n",
                    0, WS_ERR_FAULT);
}

/* Vectors side by side: the second warp knows the memory. Words move to other places of their vectors. */
static void test_dense_vectors(void **state)
{
    (void)state;
    enum { LANES = 64 };
    static const char ptx[] =
        HEAD "mul.wide.u32 %d2, %r1, 32; add.u64 %d3, %d1, 0; add.u64 %d4, %d1, 2048;\n"
             "mul.wide.u32 %d5, %r1, 16; add.u64 %d3, %d3, %d5; add.u64 %d4, %d4, %d5;\n"
             "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%d3];\n"
             "st.global.v4.u32 [%d3], {%r3, %r5, %r2, %r4};\n"
             "ld.global.v2.u64 {%d6, %d7}, [%d4]; st.global.v2.u64 [%d4], {%d7, %d6};\nret;\n}\n";
    struct diag diag = {0};
    struct module *module;
    struct device *device;
    uint64_t address;
    uint32_t words[2 * 4 * LANES];
    const struct device_options options = {
        .threads = 1, .isa_level = -1, .engine = compile_engine()};
    struct launch_options launch = {
        .grid = {1, 1, 1}, .block = {LANES, 1, 1}, .parameters = &address, .parameter_bytes = 8};
    for (uint32_t i = 0; i < sizeof words / sizeof *words; i++)
        words[i] = 1000 + i;
    assert_int_equal(module_load_memory(&diag, "k.ptx", ptx, strlen(ptx), &module), WS_OK);
    assert_int_equal(device_create(&diag, &options, &device), WS_OK);
    assert_int_equal(device_alloc(&diag, device, 4096, &address), WS_OK);
    assert_int_equal(device_fill(&diag, device, address, 0, 4096), WS_OK);
    assert_int_equal(device_copy_in(&diag, device, address, words, 1024), WS_OK);
    assert_int_equal(device_copy_in(&diag, device, address + 2048, words + 256, 1024), WS_OK);
    assert_int_equal(module_find_entry(&diag, module, "k", &launch.entry), WS_OK);
    assert_int_equal(device_launch(&diag, device, module, &launch, NULL), WS_OK);
    assert_int_equal(device_copy_out(&diag, device, words, address, 1024), WS_OK);
    assert_int_equal(device_copy_out(&diag, device, words + 256, address + 2048, 1024), WS_OK);
    static const uint32_t from[2][4] = {{1, 3, 0, 2}, {2, 3, 0, 1}};
    for (uint32_t i = 0; i < 512; i++)
        assert_int_equal(words[i], 1000 + i / 4 * 4 + from[i / 256][i % 4]);
    device_destroy(device);
    module_destroy(module);
}

/* Who stores between two polls does not wait for ever: not a deadlock, but the limit. */
static void test_stores_are_changes(void **state)
{
    (void)state;
    expect_same_end(HEAD "LOOP: ld.volatile.global.u32 %r2, [%d1];\n"
                         "st.global.u32 [%d3+512], %r2;\n"
                         "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra LOOP;\nret;\n}\n",
                    6000000, WS_ERR_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interpreter),    cmocka_unit_test(test_from_the_first),
        cmocka_unit_test(test_later),          cmocka_unit_test(test_other_levels),
        cmocka_unit_test(test_memory),         cmocka_unit_test(test_fork),
        cmocka_unit_test(test_addresses_wrap), cmocka_unit_test(test_stores_are_changes),
        cmocka_unit_test(test_last_word),      cmocka_unit_test(test_misaligned),
        cmocka_unit_test(test_dense_vectors),
    };
    return cmocka_run_group_tests_name("compile", tests, NULL, NULL);
}
