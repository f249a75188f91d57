// SPDX-License-Identifier: Apache-2.0
/* Launches with clocks: what a kernel reads, that memory changes once, which launches may be repeated. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// cmocka.h needs these
#include <cmocka.h>
#include <warpsage/warpsage.h>

/* `timed`: each thread writes the cycles of 16 dependent additions and adds 1 to a word of its own and to one of
 * all. `scale`: to = 2 from. `fetch`: to = texture. */
static const char text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry timed(.param .u64 at, .param .u64 unused) {\n"
    ".reg .u64 %d<8>; .reg .u32 %r<16>; .reg .f32 %f<4>;\n"
    "ld.param.u64 %d1, [at];\nmov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.u32 %r4, %r1, %r2, %r3; mul.wide.u32 %d2, %r4, 8; add.u64 %d3, %d1, %d2;\n"
    "mov.f32 %f1, 0f3f800000;\nmov.u32 %r5, %clock;\n"
#define ADD "add.f32 %f1, %f1, %f1;\n"
#define ADDS ADD ADD ADD ADD
    ADDS ADDS ADDS ADDS "mov.u32 %r6, %clock;\nsub.u32 %r7, %r6, %r5;\n"
    "st.global.u32 [%d3+8], %r7;\nld.global.u32 %r8, [%d3+12]; add.u32 %r8, %r8, 1;\n"
    "st.global.u32 [%d3+12], %r8;\nred.global.add.u32 [%d1], 1;\nst.global.f32 [%d1+4], %f1;\n"
    "ret;\n}\n"
    ".visible .entry scale(.param .u64 from, .param .u64 to) {\n"
    ".reg .u64 %d<8>; .reg .u32 %r<8>;\n"
    "ld.param.u64 %d1, [from]; ld.param.u64 %d2, [to];\nmov.u32 %r1, %tid.x;\n"
    "mul.wide.u32 %d3, %r1, 4; add.u64 %d1, %d1, %d3; add.u64 %d2, %d2, %d3;\n"
    "ld.global.u32 %r2, [%d1]; add.u32 %r2, %r2, %r2; st.global.u32 [%d2], %r2;\nret;\n}\n"
    ".visible .entry fetch(.param .u64 from, .param .u64 to) {\n"
    ".reg .u64 %d<8>; .reg .u32 %r<8>;\n"
    "ld.param.u64 %d1, [from]; ld.param.u64 %d2, [to];\nmov.u32 %r1, %tid.x;\n"
    "mul.wide.u32 %d3, %r1, 4; add.u64 %d2, %d2, %d3;\n"
    "tex.1d.v4.s32.s32 {%r2, %r3, %r4, %r5}, [%d1, {%r1}]; st.global.u32 [%d2], %r2;\nret;\n}\n";
enum { TIMED, SCALE, FETCH };
enum { BLOCKS = 12, THREADS = 64, ALL = BLOCKS * THREADS, WORDS = 2 * (ALL + 1) };

struct fixture {
    ws_context *context;
    ws_module *module;
    ws_machine *machine;
    ws_device *device;
};

static void begin(struct fixture *f, unsigned threads)
{
    ws_device_options options = {
        .size = sizeof options, .threads = threads, .max_bytes = 1 << 20, .l2_history = true};
    assert_int_equal(ws_context_create(&f->context), WS_OK);
    assert_int_equal(ws_context_set_machine_dir(f->context, SOURCE_DIR "/data/machines"), WS_OK);
    assert_int_equal(ws_module_load_memory(f->context, "test", text, sizeof text - 1, &f->module),
                     WS_OK);
    assert_int_equal(ws_machine_load(f->context, "v100", &f->machine), WS_OK);
    assert_int_equal(ws_device_create(f->context, &options, &f->device), WS_OK);
}

static void end(struct fixture *f)
{
    ws_device_destroy(f->device);
    ws_machine_destroy(f->machine);
    ws_module_destroy(f->module);
    ws_context_destroy(f->context);
}

static uint64_t zeros(struct fixture *f)
{
    uint64_t address;
    assert_int_equal(ws_device_alloc(f->device, WORDS * 4, &address), WS_OK);
    assert_int_equal(ws_device_fill(f->device, address, 0, WORDS * 4), WS_OK);
    return address;
}

static ws_launch_result launch(struct fixture *f, size_t kernel, const uint64_t parameters[2],
                               ws_launch_clock *clock)
{
    ws_launch_result result = {.size = sizeof result};
    ws_launch given = {.size = sizeof given};
    ws_profile *profile;
    assert_int_equal(ws_machine_prepare_launch(f->machine, &given), WS_OK);
    given.kernel = kernel;
    given.grid[0] = kernel == TIMED ? BLOCKS : 1;
    given.block[0] = THREADS;
    given.grid[1] = given.grid[2] = given.block[1] = given.block[2] = 1;
    given.parameters = parameters;
    given.parameter_bytes = 16;
    given.counters = true;
    given.clock = clock;
    given.result = &result;
    assert_int_equal(ws_device_launch(f->device, f->module, &given, &profile), WS_OK);
    ws_profile_destroy(profile);
    return result;
}

static void time_once(unsigned threads, double jitter, uint32_t *out, double *out_seconds)
{
    struct fixture f;
    begin(&f, threads);
    const uint64_t parameters[2] = {zeros(&f), 0};
    ws_launch_clock clock = {.size = sizeof clock,
                             .machine = f.machine,
                             .model = "teg",
                             .l2 = "cold",
                             .begin_seconds = 1,
                             .jitter = jitter,
                             .seed = 5};
    (void)launch(&f, TIMED, parameters, &clock);
    assert_int_equal(ws_device_copy_out(f.device, out, parameters[0], WORDS * 4), WS_OK);
    *out_seconds = clock.seconds;
    end(&f);
}

/* Additions take 4 cycles on a V100, and each block has an SM of its own. The first addition issues a cycle behind the
 * first read, the second read a cycle behind the last. */
static void test_clocks(void **state)
{
    static uint32_t one[WORDS], four[WORDS], off[WORDS];
    double seconds, again;
    (void)state;
    time_once(1, 0, one, &seconds);
    assert_true(seconds > 16 * 4 / 1.53e9 && seconds < 1e-5);
    assert_int_equal(one[0], ALL);
    for (unsigned i = 0; i < ALL; i++) {
        uint32_t cycles = one[2 * i + 2];
        /* Cold fetches of the code may come between. */
        assert_true(cycles >= 15 * 4 + 2 && cycles < 2000);
        assert_int_equal(one[2 * i + 3], 1);
    }
    time_once(4, 0, four, &again);
    assert_memory_equal(one, four, sizeof one);
    assert_true(seconds == again);
    time_once(4, 0.02, off, &again);
    for (unsigned i = 0; i < ALL; i++)
        assert_true(fabs((double)off[2 * i + 2] - one[2 * i + 2]) <= 0.02 * one[2 * i + 2] + 1);
    assert_true(seconds == again);
    assert_memory_not_equal(one, off, sizeof one);
}

static void test_repeatable(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f, 2);
    const uint64_t from = zeros(&f), to = zeros(&f);
    const uint64_t apart[2] = {from, to}, same[2] = {from, from}, within[2] = {from, from + 64};
    assert_true(launch(&f, SCALE, apart, NULL).is_repeatable);
    assert_false(launch(&f, SCALE, same, NULL).is_repeatable);
    assert_false(launch(&f, SCALE, within, NULL).is_repeatable);
    assert_false(launch(&f, TIMED, apart, NULL).is_repeatable);
    uint64_t changes = ws_device_changes(f.device);
    assert_int_equal(ws_device_changes(f.device), changes);
    assert_int_equal(ws_device_fill(f.device, from, 1, 4), WS_OK);
    assert_int_not_equal(ws_device_changes(f.device), changes);
    end(&f);
}

static uint64_t texture_of(struct fixture *f, uint64_t address)
{
    const ws_texture texture = {.size = sizeof texture,
                                .kind = WS_TEXTURE_LINEAR_MEMORY,
                                .address = address,
                                .width = WORDS,
                                .channels = 1,
                                .channel_bits = 32};
    uint64_t handle;
    assert_int_equal(ws_device_texture_create(f->device, &texture, &handle), WS_OK);
    return handle;
}

/* What a texture fetches is read; a handle that is given back may not be used again. */
static void test_textures(void **state)
{
    struct fixture f;
    uint64_t host;
    (void)state;
    begin(&f, 1);
    assert_int_equal(ws_device_alloc_host(f.device, WORDS * 4, &host), WS_OK);
    assert_int_equal(ws_device_fill(f.device, host, 0, WORDS * 4), WS_OK);
    const uint64_t from = zeros(&f), to = zeros(&f), texture = texture_of(&f, from);
    const uint64_t apart[2] = {texture, to}, same[2] = {texture, from};
    const uint64_t behind[2] = {texture, from + sizeof(uint32_t) * THREADS};
    const uint64_t shared[2] = {texture_of(&f, host), to};
    assert_true(launch(&f, FETCH, apart, NULL).is_repeatable);
    assert_true(launch(&f, FETCH, behind, NULL).is_repeatable);
    assert_false(launch(&f, FETCH, same, NULL).is_repeatable);
    assert_false(launch(&f, FETCH, shared, NULL).is_repeatable);
    uint64_t changes = ws_device_changes(f.device);
    assert_int_equal(ws_device_texture_destroy(f.device, texture), WS_OK);
    assert_int_not_equal(ws_device_changes(f.device), changes);
    end(&f);
}

/* Memory of the host may change unseen. */
static void test_host_memory(void **state)
{
    struct fixture f;
    uint64_t host;
    (void)state;
    begin(&f, 1);
    assert_int_equal(ws_device_alloc_host(f.device, WORDS * 4, &host), WS_OK);
    assert_int_equal(ws_device_fill(f.device, host, 0, WORDS * 4), WS_OK);
    const uint64_t read[2] = {host, zeros(&f)}, written[2] = {read[1], host};
    assert_false(launch(&f, SCALE, read, NULL).is_repeatable);
    assert_false(launch(&f, SCALE, written, NULL).is_repeatable);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_repeatable),
        cmocka_unit_test(test_textures),
        cmocka_unit_test(test_host_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
