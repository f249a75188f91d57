// SPDX-License-Identifier: Apache-2.0
/* What `warpsage run` needs of a device: addresses of the host, its limit, tolerance of what hardware lets
 * pass, memory found again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// cmocka.h needs the four above
#include <cmocka.h>
#include <warpsage/warpsage.h>

static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                           ".visible .entry store(.param .u64 at, .param .u32 value) {\n"
                           "  .reg .u64 %rd<2>; .reg .u32 %r<2>;\n"
                           "  ld.param.u64 %rd1, [at];\n"
                           "  ld.param.u32 %r1, [value];\n"
                           "  st.global.u32 [%rd1], %r1;\n"
                           "  ret;\n}\n"
                           ".visible .entry add(.param .u64 from, .param .u64 to) {\n"
                           "  .reg .u64 %rd<3>; .reg .u32 %r<3>;\n"
                           "  ld.param.u64 %rd1, [from];\n"
                           "  ld.param.u64 %rd2, [to];\n"
                           "  ld.global.u32 %r1, [%rd1];\n"
                           "  add.u32 %r2, %r1, 1;\n"
                           "  st.global.u32 [%rd2], %r2;\n"
                           "  ret;\n}\n"
                           ".visible .entry workspace(.param .u64 to) {\n"
                           "  .reg .u64 %rd<2>; .reg .u32 %r<3>;\n"
                           "  ld.param.u64 %rd1, [to];\n"
                           "  mov.u32 %r1, %envreg1;\n"
                           "  mov.u32 %r2, %envreg2;\n"
                           "  st.global.u32 [%rd1], %r2;\n"
                           "  st.global.u32 [%rd1+4], %r1;\n"
                           "  ret;\n}\n";
enum { STORE, ADD, WORKSPACE };
enum { LIMIT = 1 << 20 };

struct fixture {
    ws_context *context;
    ws_module *module;
    ws_device *device;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    ws_device_options options = {.size = sizeof options,
                                 .threads = 1,
                                 .max_bytes = LIMIT,
                                 .host_addresses = true,
                                 .as_hardware = true,
                                 .keep_programs = true};
    *state = f;
    return ws_context_create(&f->context) ||
           ws_module_load_memory(f->context, "test", text, sizeof text - 1, &f->module) ||
           ws_device_create(f->context, &options, &f->device);
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    ws_device_destroy(f->device);
    ws_module_destroy(f->module);
    ws_context_destroy(f->context);
    free(f);
    return 0;
}

static ws_status launch(struct fixture *f, size_t kernel, const void *parameters, size_t bytes,
                        ws_launch_result *result)
{
    *result = (ws_launch_result){.size = sizeof *result};
    ws_launch given = {.size = sizeof given,
                       .kernel = kernel,
                       .grid = {1, 1, 1},
                       .block = {1, 1, 1},
                       .parameters = parameters,
                       .parameter_bytes = bytes,
                       .grid_workspace = UINT64_C(0x123456789abcdef0),
                       .result = result};
    return ws_device_launch(f->device, f->module, &given, NULL);
}

static ws_status store(struct fixture *f, uint64_t at, uint32_t value, ws_launch_result *result)
{
    struct {
        uint64_t at;
        uint32_t value;
    } parameters = {at, value};
    return launch(f, STORE, &parameters, 12, result);
}

/* What a kernel writes the host sees at the same address, and the other way round. */
static void test_addresses_are_the_hosts(void **state)
{
    struct fixture *f = *state;
    ws_launch_result result;
    uint64_t a, b;
    assert_int_equal(ws_device_alloc(f->device, 64, &a), WS_OK);
    assert_int_equal(ws_device_alloc_host(f->device, 64, &b), WS_OK);
    *(uint32_t *)(uintptr_t)a = 41;
    uint64_t parameters[2] = {a, b};
    assert_int_equal(launch(f, ADD, parameters, sizeof parameters, &result), WS_OK);
    assert_int_equal(*(uint32_t *)(uintptr_t)b, 42);
    assert_int_equal(result.warp_instructions, 6); /* as the kernel has */
    assert_int_equal(result.blocks, 1);
    assert_null(result.tolerated);
    ws_device_range range;
    assert_true(ws_device_find(f->device, b + 63, &range));
    assert_true(range.is_host && range.address == b && range.bytes == 64);
    assert_false(ws_device_find(f->device, b + 64, &range));
    assert_int_equal(ws_device_used_bytes(f->device), 64);
}

static void test_own_memory(void **state)
{
    struct fixture *f = *state;
    ws_launch_result result;
    uint32_t own[4] = {0};
    uint64_t at = (uint64_t)(uintptr_t)&own[2];
    assert_int_equal(store(f, at, 7, &result), WS_ERR_FAULT);
    assert_int_equal(result.fault, WS_FAULT_ADDRESS);
    assert_int_equal(ws_device_adopt(f->device, own, sizeof own), WS_OK);
    assert_int_equal(ws_device_adopt(f->device, own + 1, 4), WS_ERR_ARGUMENT);
    assert_int_equal(store(f, at, 7, &result), WS_OK);
    assert_int_equal(own[2], 7);
    assert_int_equal(ws_device_free(f->device, (uint64_t)(uintptr_t)own), WS_OK);
    assert_int_equal(store(f, at, 8, &result), WS_ERR_FAULT);
    assert_int_equal(own[2], 7);
}

static void test_tolerance(void **state)
{
    struct fixture *f = *state;
    ws_launch_result result;
    uint64_t a;
    assert_int_equal(ws_device_alloc(f->device, 64, &a), WS_OK);
    assert_int_equal(store(f, a + 64, 7, &result), WS_OK); /* past the end, in the same page */
    assert_non_null(result.tolerated);
    assert_non_null(strstr(result.tolerated, "0 bytes past its end"));
    ws_free(result.tolerated);
    assert_int_equal(store(f, a + (64 << 20), 7, &result), WS_ERR_FAULT);
    assert_int_equal(store(f, 0, 7, &result), WS_ERR_FAULT);
    assert_int_equal(result.fault, WS_FAULT_ADDRESS);
    assert_int_equal(store(f, a + 2, 7, &result), WS_ERR_FAULT);
    assert_int_equal(result.fault, WS_FAULT_MISALIGNED);
    uint64_t parameters[2] = {a + 8, a}; /* never written: zeros */
    assert_int_equal(launch(f, ADD, parameters, sizeof parameters, &result), WS_OK);
    assert_int_equal(*(uint32_t *)(uintptr_t)a, 1);
}

static void test_workspace(void **state)
{
    struct fixture *f = *state;
    ws_launch_result result;
    uint64_t a;
    assert_int_equal(ws_device_alloc(f->device, 8, &a), WS_OK);
    assert_int_equal(launch(f, WORKSPACE, &a, sizeof a, &result), WS_OK);
    assert_true(*(uint64_t *)(uintptr_t)a == UINT64_C(0x123456789abcdef0));
}

/* Freed memory counts no more, and its address space is used again when there is no other; the host's
 * own memory does not count at all. */
static void test_limit_and_reuse(void **state)
{
    struct fixture *f = *state;
    uint64_t keep, a, b, host;
    assert_int_equal(ws_device_alloc(f->device, LIMIT + 1, &a), WS_ERR_MEMORY);
    assert_int_equal(ws_device_alloc(f->device, LIMIT / 2, &keep), WS_OK);
    memset((void *)(uintptr_t)keep, 5, LIMIT / 2);
    assert_int_equal(ws_device_alloc(f->device, LIMIT, &a), WS_ERR_MEMORY);
    assert_int_equal(ws_device_alloc_host(f->device, LIMIT, &host), WS_OK);
    for (int round = 0; round < 200; round++) { /* 100 times the limit in all */
        assert_int_equal(ws_device_alloc(f->device, LIMIT / 4, &a), WS_OK);
        assert_int_equal(ws_device_alloc(f->device, LIMIT / 4, &b), WS_OK);
        const unsigned char *fresh = (const unsigned char *)(uintptr_t)a;
        assert_true(fresh[0] == 0 && fresh[LIMIT / 4 - 1] == 0);
        memset((void *)(uintptr_t)a, 9, LIMIT / 4);
        memset((void *)(uintptr_t)b, 9, LIMIT / 4);
        assert_int_equal(ws_device_free(f->device, a), WS_OK); /* not the last one first */
        assert_int_equal(ws_device_free(f->device, b), WS_OK);
    }
    assert_int_equal(ws_device_used_bytes(f->device), LIMIT / 2);
    const unsigned char *kept = (const unsigned char *)(uintptr_t)keep;
    for (size_t i = 0; i < LIMIT / 2; i += 511)
        assert_int_equal(kept[i], 5);
    assert_int_equal(ws_device_free(f->device, a), WS_ERR_ARGUMENT);
}

static void test_fill_with_zeros(void **state)
{
    struct fixture *f = *state;
    enum { BYTES = 40 << 20 };
    uint64_t a;
    ws_device *large;
    ws_device_options options = {.size = sizeof options, .host_addresses = true};
    assert_int_equal(ws_device_create(f->context, &options, &large), WS_OK);
    assert_int_equal(ws_device_alloc(large, BYTES, &a), WS_OK);
    unsigned char *bytes = (unsigned char *)(uintptr_t)a;
    assert_int_equal(ws_device_fill(large, a, 7, BYTES), WS_OK);
    assert_int_equal(ws_device_fill(large, a + 100, 0, BYTES - 200), WS_OK);
    for (size_t i = 0; i < BYTES; i += 97)
        assert_int_equal(bytes[i], i < 100 || i >= BYTES - 100 ? 7 : 0);
    assert_int_equal(bytes[99], 7);
    assert_int_equal(bytes[100], 0);
    assert_int_equal(bytes[BYTES - 101], 0);
    assert_int_equal(bytes[BYTES - 100], 7);
    ws_device_destroy(large);
}

/* ---- contents by a rule ------------------------------------------------------------------------ */

enum { RULE_PAGE = 4096, RULE_PAGES = 5, RULE_BYTES = RULE_PAGES * RULE_PAGE - 100 };

struct made {
    unsigned pages[RULE_PAGES]; /* how often; atomic */
};

static uint32_t word_at(uint64_t byte)
{
    return (uint32_t)(byte / 4 * 2654435761u);
}

static void make_words(void *user, uint64_t first, size_t bytes, void *to)
{
    struct made *made = user;
    assert_int_equal(first % RULE_PAGE, 0);
    assert_true(first + bytes <= RULE_BYTES);
    for (uint64_t at = first; at < first + bytes; at += RULE_PAGE)
        __atomic_fetch_add(&made->pages[at / RULE_PAGE], 1, __ATOMIC_RELAXED);
    for (size_t i = 0; i < bytes; i += 4)
        memcpy((char *)to + i, &(uint32_t){word_at(first + i)}, 4);
}

static ws_device *with_rule(struct fixture *f, struct made *made, uint64_t *at)
{
    ws_device *device;
    ws_device_options options = {.size = sizeof options, .threads = 4};
    *made = (struct made){0};
    assert_int_equal(ws_device_create(f->context, &options, &device), WS_OK);
    assert_int_equal(ws_device_alloc(device, RULE_BYTES, at), WS_OK);
    assert_int_equal(ws_device_fill_by(device, *at, make_words, made), WS_OK);
    return device;
}

static void expect_made(const struct made *made, const unsigned *expected)
{
    assert_memory_equal(made->pages, expected, sizeof made->pages);
}

static uint32_t read_word(ws_device *device, uint64_t address)
{
    uint32_t word = 0;
    assert_int_equal(ws_device_copy_out(device, &word, address, 4), WS_OK);
    return word;
}

/* Pages are made when the host or a kernel first touches them, each once, and then hold what is written. */
static void test_fill_by_rule(void **state)
{
    struct fixture *f = *state;
    struct made made;
    uint64_t at, to, end;
    ws_device *device = with_rule(f, &made, &at);
    expect_made(&made, (const unsigned[RULE_PAGES]){0});
    assert_int_equal(read_word(device, at + 8000), word_at(8000));
    expect_made(&made, (const unsigned[RULE_PAGES]){0, 1});
    uint64_t across = 0; /* two pages, of which one is there */
    assert_int_equal(ws_device_copy_in(device, at + 2 * RULE_PAGE - 4, &across, 8), WS_OK);
    expect_made(&made, (const unsigned[RULE_PAGES]){0, 1, 1});
    assert_int_equal(read_word(device, at + 2 * RULE_PAGE + 4), word_at(2 * RULE_PAGE + 4));
    assert_int_equal(read_word(device, at + 2 * RULE_PAGE), 0);
    assert_int_equal(ws_device_alloc(device, 4, &to), WS_OK);
    end = RULE_BYTES - 4;
    for (unsigned twice = 0; twice < 2; twice++) {
        uint64_t parameters[2] = {at + end, to};
        ws_launch_result result = {.size = sizeof result};
        ws_launch given = {.size = sizeof given,
                           .kernel = ADD,
                           .grid = {500, 1, 1},
                           .block = {32, 1, 1},
                           .parameters = parameters,
                           .parameter_bytes = sizeof parameters,
                           .result = &result};
        assert_int_equal(ws_device_launch(device, f->module, &given, NULL), WS_OK);
        assert_int_equal(read_word(device, to), word_at(end) + 1);
    }
    expect_made(&made, (const unsigned[RULE_PAGES]){0, 1, 1, 0, 1});
    for (uint64_t i = 0; i < RULE_BYTES; i += 4)
        if (i < 2 * RULE_PAGE - 4 || i > 2 * RULE_PAGE)
            assert_int_equal(read_word(device, at + i), word_at(i));
    expect_made(&made, (const unsigned[RULE_PAGES]){1, 1, 1, 1, 1});
    ws_device_destroy(device);
}

/* What is written over whole is never made, nor what is freed; where the host sees it, all is made at once. */
static void test_end_of_a_rule(void **state)
{
    struct fixture *f = *state;
    struct made made;
    uint64_t at;
    ws_device *device = with_rule(f, &made, &at);
    assert_int_equal(ws_device_fill_by(device, at + 512, make_words, &made), WS_ERR_ARGUMENT);
    assert_int_equal(ws_device_fill(device, at, 3, RULE_BYTES), WS_OK);
    assert_int_equal(read_word(device, at + RULE_PAGE), 0x03030303);
    assert_int_equal(ws_device_fill_by(device, at, make_words, &made), WS_OK);
    assert_int_equal(ws_device_free(device, at), WS_OK);
    expect_made(&made, (const unsigned[RULE_PAGES]){0});
    ws_device_destroy(device);
    assert_int_equal(ws_device_alloc(f->device, RULE_BYTES, &at), WS_OK);
    assert_int_equal(ws_device_fill_by(f->device, at, make_words, &made), WS_OK);
    expect_made(&made, (const unsigned[RULE_PAGES]){1, 1, 1, 1, 1});
    assert_int_equal(*(uint32_t *)(uintptr_t)(at + 5000), word_at(5000));
    assert_int_equal(ws_device_free(f->device, at), WS_OK);
}

/* ---- modules that are gone --------------------------------------------------------------------- */

#define READS(variable)                                                                            \
    ".version 7.0\n.target sm_70\n.address_size 64\n.global .u32 " variable ";\n"                  \
    ".visible .entry k(.param .u64 out){ .reg .u64 p; .reg .u32 r; ld.param.u64 p, [out];\n"       \
    "ld.global.u32 r, [x]; st.global.u32 [p], r; ret; }\n"

/* Modules come and go on one device, at addresses that malloc hands out again: each has its own variable,
 * and its memory goes with it. */
static void test_modules_come_and_go(void **state)
{
    struct fixture *f = *state;
    static const char *const texts[] = {READS("x = 7"), READS("x[1000] = {9, 2}"), READS("x = 5")};
    static const uint32_t expected[] = {7, 9, 5};
    uint64_t to, used;
    assert_int_equal(ws_device_alloc(f->device, 4, &to), WS_OK);
    used = ws_device_used_bytes(f->device);
    for (unsigned i = 0; i < 60; i++) {
        ws_module *module;
        ws_launch_result result = {.size = sizeof result};
        ws_launch given = {.size = sizeof given,
                           .grid = {1, 1, 1},
                           .block = {1, 1, 1},
                           .parameters = &to,
                           .parameter_bytes = sizeof to,
                           .result = &result};
        ws_device_range range;
        uint64_t address;
        size_t bytes;
        uint32_t value = 0;
        const char *source = texts[i % 3];
        assert_int_equal(ws_module_load_memory(f->context, "m", source, strlen(source), &module),
                         0);
        assert_int_equal(ws_device_launch(f->device, module, &given, NULL), WS_OK);
        assert_int_equal(ws_device_copy_out(f->device, &value, to, sizeof value), WS_OK);
        assert_int_equal(value, expected[i % 3]);
        assert_int_equal(ws_device_symbol(f->device, module, "x", &address, &bytes), WS_OK);
        assert_true(ws_device_find(f->device, address, &range));
        assert_string_equal(range.name, "x");
        ws_module_destroy(module);
        assert_false(ws_device_find(f->device, address, &range));
        assert_int_equal(ws_device_used_bytes(f->device), used);
    }
}

/* Freed memory is told as such, not as its neighbour's overrun, wherever it lay. */
static void test_freed_memory(void **state)
{
    struct fixture *f = *state;
    uint64_t below, last, again;
    ws_launch_result result;
    assert_int_equal(ws_device_alloc(f->device, 1024, &below), WS_OK);
    for (unsigned i = 0; i < 20000; i++) { /* what is kept of them is bounded */
        assert_int_equal(ws_device_alloc(f->device, 1024, &last), WS_OK);
        assert_int_equal(ws_device_free(f->device, last), WS_OK);
    }
    const struct {
        uint64_t at;
        uint32_t value;
        uint32_t padding;
    } parameters = {last + 8, 3, 0};
    assert_int_equal(launch(f, STORE, &parameters, 12, &result), WS_ERR_FAULT);
    assert_int_equal(result.fault, WS_FAULT_ADDRESS);
    assert_non_null(strstr(ws_context_error(f->context), "of freed memory"));
    assert_non_null(strstr(ws_context_error(f->context), "1024 bytes, freed"));
    assert_int_equal(ws_device_alloc(f->device, 1024, &again), WS_OK);
    assert_true(again != last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_addresses_are_the_hosts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_own_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(test_tolerance, setup, teardown),
        cmocka_unit_test_setup_teardown(test_workspace, setup, teardown),
        cmocka_unit_test_setup_teardown(test_limit_and_reuse, setup, teardown),
        cmocka_unit_test_setup_teardown(test_fill_with_zeros, setup, teardown),
        cmocka_unit_test_setup_teardown(test_fill_by_rule, setup, teardown),
        cmocka_unit_test_setup_teardown(test_end_of_a_rule, setup, teardown),
        cmocka_unit_test_setup_teardown(test_modules_come_and_go, setup, teardown),
        cmocka_unit_test_setup_teardown(test_freed_memory, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
