// SPDX-License-Identifier: Apache-2.0
/* Kernels as PTX and as the native code that ptxas makes of them: both must leave the same
 * memory. Without ptxas in PATH the test is skipped. A kernel has the parameters (out, in, n): thread t < n of
 * one dimension reads in[3 t .. 3 t + 2], 64 bits each (or what its table's maker says), and writes words t,
 * t + n, .. of out, at most OUT_WORDS. WARPSAGE_FILE=integer runs only files whose path holds that,
 * WARPSAGE_HOST_ISA=base (v3, v4) at that level. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/kernel_run.h"

enum { BLOCKS = 8, BLOCK = 96, THREADS = BLOCKS * BLOCK, OPERANDS = 3, OUT_WORDS = 512 };

/* ---- inputs ---------------------------------------------------------------------------------- */

typedef void maker(uint64_t *in);

static const uint64_t integer_edges[] = {
    0,
    1,
    2,
    3,
    7,
    8,
    15,
    16,
    31,
    32,
    33,
    63,
    64,
    65,
    127,
    128,
    255,
    256,
    32767,
    32768,
    65535,
    65536,
    0x7fffffff,
    0x80000000,
    0x80000001,
    0xfffffffe,
    0xffffffff,
    0x100000000,
    0x123456789abcdef0,
    0x7fffffffffffffff,
    0x8000000000000000,
    0x80000000ffffffff,
    0x7fffffff00000000,
    0xffffffff00000000,
    0xfffffffffffffffe,
    0xffffffffffffffff,
    0x80007fff7fff8000,
    0xff80017f7f0180ff,
};

/* Every third operand is random, so that pairs meet many others. */
static void make_integers(uint64_t *in)
{
    uint64_t state = 20;
    const size_t count = sizeof integer_edges / sizeof *integer_edges;
    for (size_t i = 0; i < THREADS * OPERANDS; i++) {
        uint32_t pick = random_u32(&state), low = random_u32(&state), high = random_u32(&state);
        uint64_t edge = integer_edges[pick % count];
        in[i] = pick >> 16 & 1 ? edge : pick >> 17 & 1 ? edge << 32 | edge : low;
        if (pick % 3 == 0) in[i] = low | (uint64_t)high << 32;
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

static const struct {
    const char *file; /* of the source tree */
    maker *make;
} files[] = {
    {WRITTEN_DIR "/integer.ptx", make_integers}, /* tests/tools/native-integer.py */
    {WRITTEN_DIR "/integer_90.ptx", make_integers},   {"tests/native/memory.ptx", make_integers},
    {WRITTEN_DIR "/forms.ptx", make_integers}, /* tests/tools/native-forms.py */
    {WRITTEN_DIR "/forms_80.ptx", make_integers},     {WRITTEN_DIR "/forms_90.ptx", make_integers},
    {"tests/native/copies.ptx", make_integers},       {"tests/native/atomics.ptx", make_integers},
    {"tests/native/halves.ptx", make_integers},       {"tests/native/mbarriers.ptx", make_integers},
    {"tests/native/mbarriers_90.ptx", make_integers},
};

static const unsigned targets[] = {75, 80, 86, 89, 90};

static bool find_ptxas(void)
{
    const char *path = getenv("PATH");
    char file[4096];
    for (; path && *path; path += strcspn(path, ":"), path += *path == ':') {
        snprintf(file, sizeof file, "%.*s/ptxas", (int)strcspn(path, ":"), path);
        if (access(file, X_OK) == 0) return true;
    }
    return false;
}

struct subject {
    ws_context *context;
    ws_device *device;
    uint64_t out, in;
    size_t bytes;
};

static void must(const struct subject *s, ws_status status, const char *what)
{
    if (status != WS_OK)
        fail_msg("%s: %s: %s", what, ws_status_text(status), ws_context_error(s->context));
}

static void subject_begin(struct subject *s, maker *make)
{
    static uint64_t in[THREADS * OPERANDS];
    *s = (struct subject){.bytes = sizeof(uint32_t) * OUT_WORDS * THREADS};
    assert_int_equal(ws_context_create(&s->context), WS_OK);
    must(s, ws_context_set_tool_path(s->context, getenv("PATH")), "path");
    ws_device_options options = {
        .size = sizeof options, .threads = 1, .host_isa = getenv("WARPSAGE_HOST_ISA")};
    must(s, ws_device_create(s->context, &options, &s->device), "device");
    must(s, ws_device_alloc(s->device, s->bytes, &s->out), "out");
    must(s, ws_device_alloc(s->device, sizeof in, &s->in), "in");
    make(in);
    must(s, ws_device_copy_in(s->device, s->in, in, sizeof in), "in");
}

/* What the kernel leaves in `out`, to be freed; NULL: it did not run, which is printed. */
static uint32_t *results(const struct subject *s, const ws_module *module, const char *kernel,
                         const char *what)
{
    struct {
        uint64_t out, in;
        uint32_t n;
    } arguments = {s->out, s->in, THREADS};
    ws_launch launch = {.size = sizeof launch,
                        .grid = {BLOCKS, 1, 1},
                        .block = {BLOCK, 1, 1},
                        .parameters = &arguments};
    uint32_t *copy = malloc(s->bytes);
    assert_non_null(copy);
    must(s, ws_module_find_kernel(module, kernel, &launch.kernel), kernel);
    launch.parameter_bytes = ws_module_parameter_bytes(module, launch.kernel);
    must(s, ws_device_fill(s->device, s->out, 0xa5, s->bytes), "fill");
    if (ws_device_launch(s->device, module, &launch, NULL) != WS_OK) {
        print_error("%s: %s: %s\n", kernel, what, ws_context_error(s->context));
        free(copy);
        return NULL;
    }
    must(s, ws_device_copy_out(s->device, copy, s->out, s->bytes), "copy out");
    return copy;
}

/* 1 if they differ: the first difference of every word is printed. */
static unsigned differ(const struct subject *s, const uint32_t *ptx, const uint32_t *native,
                       const char *kernel, unsigned target)
{
    unsigned wrong = 0;
    if (memcmp(ptx, native, s->bytes) == 0) return 0;
    for (unsigned word = 0; word < OUT_WORDS; word++)
        for (unsigned t = 0; t < THREADS; t++) {
            uint32_t a = ptx[word * THREADS + t], b = native[word * THREADS + t];
            if (a == b) continue;
            if (wrong++ < 10)
                print_error("%s: sm_%u: word %u of thread %u is 0x%08x, in PTX 0x%08x\n", kernel,
                            target, word, t, b, a);
            break;
        }
    print_error("%s: sm_%u: %u words differ\n", kernel, target, wrong);
    return 1;
}

static unsigned run_file(const char *file, maker *make)
{
    char path[1024];
    unsigned wrong = 0;
    struct subject s;
    ws_module *ptx;
    subject_begin(&s, make);
    snprintf(path, sizeof path, "%s%s%s", *file == '/' ? "" : SOURCE_DIR, *file == '/' ? "" : "/",
             file);
    must(&s, ws_module_load_file(s.context, path, &ptx), file);
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        ws_module *native;
        if (targets[i] < ws_module_target(ptx)) continue;
        must(&s, ws_module_compile(ptx, targets[i], &native), file);
        for (size_t k = 0; k < ws_module_kernel_count(ptx); k++) {
            char what[16];
            const char *kernel = ws_module_kernel_name(ptx, k);
            snprintf(what, sizeof what, "sm_%u", targets[i]);
            uint32_t *expected = results(&s, ptx, kernel, "PTX");
            uint32_t *got = expected ? results(&s, native, kernel, what) : NULL;
            wrong += !got || differ(&s, expected, got, kernel, targets[i]);
            free(expected);
            free(got);
        }
        ws_module_destroy(native);
    }
    ws_module_destroy(ptx);
    ws_device_destroy(s.device);
    ws_context_destroy(s.context);
    return wrong;
}

static void test_files(void **state)
{
    (void)state;
    unsigned wrong = 0;
    const char *only = getenv("WARPSAGE_FILE");
    if (!find_ptxas()) {
        print_message("skipped: no ptxas in PATH, which makes the native code\n");
        skip();
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!only || strstr(files[i].file, only)) wrong += run_file(files[i].file, files[i].make);
    assert_int_equal(wrong, 0);
}

/* Code that is not linked; the results are what tests/native/relocatable.cu computes by hand. */
static void test_relocatable(void **state)
{
    enum { N = 3, COUNT = 64 };
    (void)state;
    struct subject s;
    ws_module *module;
    int32_t got[COUNT];
    subject_begin(&s, make_integers);
    must(
        &s,
        ws_module_load_file(s.context, SOURCE_DIR "/tests/native/relocatable.sm_80.cubin", &module),
        "load");
    struct {
        uint64_t out;
        int32_t n;
    } arguments = {s.out, N};
    ws_launch launch = {.size = sizeof launch,
                        .grid = {1, 1, 1},
                        .block = {COUNT, 1, 1},
                        .dynamic_shared_bytes = sizeof got,
                        .parameters = &arguments};
    must(&s, ws_module_find_kernel(module, "relocatable", &launch.kernel), "find");
    launch.parameter_bytes = ws_module_parameter_bytes(module, launch.kernel);
    must(&s, ws_device_launch(s.device, module, &launch, NULL), "launch");
    must(&s, ws_device_copy_out(s.device, got, s.out, sizeof got), "copy out");
    for (int t = 0; t < COUNT; t++) {
        int x = COUNT - 1 - t, own = x * x + 5 + 1 + (x & 3) + 10;
        assert_int_equal(got[t], own + (N - 3) + 100 * N);
    }
    ws_module_destroy(module);
    ws_device_destroy(s.device);
    ws_context_destroy(s.context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_files),
                                       cmocka_unit_test(test_relocatable)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
