// SPDX-License-Identifier: Apache-2.0
#include "support/kernel_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "api/handles.h"
#include "support/trace_check.h"

static void must(struct run *run, ws_status status, const char *what)
{
    if (status != WS_OK)
        fail_msg("%s: %s: %s", what, ws_status_text(status), ws_context_error(run->context));
}

static void begin(struct run *run, const char *ptx, const char *kernel, unsigned threads,
                  bool checks)
{
    char path[1024];
    *run = (struct run){.threads = threads};
    snprintf(path, sizeof path, "%s/%s", SOURCE_DIR, ptx);
    if (ws_context_create(&run->context) != WS_OK) fail_msg("no context");
    size_t length = strlen(ptx); /* OpenCL C needs its compiler */
    if ((length > 3 && !strcmp(ptx + length - 3, ".cl")) || getenv("WARPSAGE_NATIVE"))
        must(run, ws_context_set_tool_path(run->context, getenv("PATH")), ptx);
    must(run, ws_module_load_file(run->context, path, &run->module), ptx);
    ws_device_options options = {.size = sizeof options,
                                 .threads = threads,
                                 .host_isa = getenv("WARPSAGE_HOST_ISA"),
                                 .engine = getenv("WARPSAGE_ENGINE")};
    const ws_check_options tools = {.size = sizeof tools, .tools = WS_CHECK_MEMORY};
    if (checks) must(run, ws_check_create(run->context, &tools, &run->check), "check");
    options.check = run->check;
    must(run, ws_device_create(run->context, &options, &run->device), "device");
    run->launch = (ws_launch){
        .size = sizeof run->launch,
        .grid = {1, 1, 1},
        .block = {1, 1, 1},
        .parameters = run->parameters,
        .counters = true,
        .all_rules = true,
    };
    must(run, ws_module_find_kernel(run->module, kernel, &run->launch.kernel), kernel);
    run->launch.parameter_bytes = ws_module_parameter_bytes(run->module, run->launch.kernel);
    assert_true(run->launch.parameter_bytes <= RUN_PARAMETER_BYTES_MAX);
}

void run_begin(struct run *run, const char *ptx, const char *kernel, unsigned threads)
{
    begin(run, ptx, kernel, threads, false);
}

void run_begin_checked(struct run *run, const char *ptx, const char *kernel)
{
    begin(run, ptx, kernel, 1, true);
}

void run_end(struct run *run)
{
    ws_profile_destroy(run->profile);
    ws_device_destroy(run->device);
    ws_check_destroy(run->check);
    ws_module_destroy(run->module);
    ws_context_destroy(run->context);
}

void run_shape(struct run *run, uint32_t grid, uint32_t block)
{
    run_shape_2d(run, grid, 1, block, 1);
}

void run_shape_2d(struct run *run, uint32_t grid_x, uint32_t grid_y, uint32_t block_x,
                  uint32_t block_y)
{
    run->launch.grid[0] = grid_x;
    run->launch.grid[1] = grid_y;
    run->launch.block[0] = block_x;
    run->launch.block[1] = block_y;
}

void run_value(struct run *run, const void *value, size_t size)
{
    ws_parameter parameter;
    must(run, ws_module_parameter(run->module, run->launch.kernel, run->argument_count, &parameter),
         "parameter");
    assert_int_equal(parameter.size, size);
    memcpy(run->parameters + parameter.offset, value, size);
    run->argument_count++;
}

void run_int(struct run *run, int value)
{
    run_value(run, &value, sizeof value);
}

uint64_t run_output(struct run *run, size_t bytes)
{
    assert_true(run->buffer_count < RUN_BUFFERS_MAX);
    struct run_buffer *buffer = &run->buffers[run->buffer_count++];
    buffer->bytes = bytes;
    must(run, ws_device_alloc(run->device, bytes, &buffer->address), "alloc");
    run_value(run, &buffer->address, sizeof buffer->address);
    return buffer->address;
}

uint64_t run_input(struct run *run, const void *data, size_t bytes)
{
    uint64_t address = run_output(run, bytes);
    must(run, ws_device_copy_in(run->device, address, data, bytes), "copy in");
    return address;
}

ws_status run_try(struct run *run)
{
    assert_int_equal(run->argument_count,
                     ws_module_parameter_count(run->module, run->launch.kernel));
    return ws_device_launch(run->device, run->module, &run->launch, &run->profile);
}

/* With WARPSAGE_NATIVE=80 every launch runs once more, as the native code that ptxas makes for sm_80, on memory
 * as it was; what differs then is told on standard error. Needs ptxas; for who changes native code. */
struct twin {
    ws_module *module;
    unsigned char *before[RUN_BUFFERS_MAX];
};

static void copy_buffers(struct run *run, unsigned char **to)
{
    for (size_t i = 0; i < run->buffer_count; i++) {
        to[i] = malloc(run->buffers[i].bytes + 1);
        if (!to[i] || ws_device_copy_out(run->device, to[i], run->buffers[i].address,
                                         run->buffers[i].bytes) != WS_OK)
            memset(to[i], 0, run->buffers[i].bytes);
    }
}

static bool twin_begin(struct run *run, struct twin *twin)
{
    const char *target = getenv("WARPSAGE_NATIVE");
    if (!target) return false;
    *twin = (struct twin){0};
    if (ws_module_compile(run->module, (unsigned)atoi(target), &twin->module) != WS_OK) {
        fprintf(stderr, "native: not compiled: %s\n", ws_context_error(run->context));
        return false;
    }
    copy_buffers(run, twin->before);
    return true;
}

static void twin_end(struct run *run, struct twin *twin)
{
    const char *name = ws_module_kernel_name(run->module, run->launch.kernel);
    unsigned char *after[RUN_BUFFERS_MAX] = {0}, *native[RUN_BUFFERS_MAX] = {0};
    ws_launch launch = run->launch;
    ws_profile *profile = NULL;
    copy_buffers(run, after);
    for (size_t i = 0; i < run->buffer_count; i++)
        must(run,
             ws_device_copy_in(run->device, run->buffers[i].address, twin->before[i],
                               run->buffers[i].bytes),
             "copy back");
    ws_status status = ws_module_find_kernel(twin->module, name, &launch.kernel);
    if (status == WS_OK) status = ws_device_launch(run->device, twin->module, &launch, &profile);
    if (status != WS_OK)
        fprintf(stderr, "native %s: FAILED %s\n", name, ws_context_error(run->context));
    copy_buffers(run, native);
    size_t differ = 0, first = 0, buffer = 0;
    for (size_t i = 0; i < run->buffer_count && status == WS_OK; i++)
        for (size_t k = 0; k < run->buffers[i].bytes; k++)
            if (after[i][k] != native[i][k] && differ++ == 0) first = k, buffer = i;
    if (differ)
        fprintf(stderr, "native %s: DIFFERS in %zu bytes, first byte %zu of buffer %zu\n", name,
                differ, first, buffer);
    else if (status == WS_OK)
        fprintf(stderr, "native %s: same\n", name);
    for (size_t i = 0; i < run->buffer_count; i++) {
        must(run,
             ws_device_copy_in(run->device, run->buffers[i].address, after[i],
                               run->buffers[i].bytes),
             "copy back");
        free(after[i]);
        free(native[i]);
        free(twin->before[i]);
    }
    ws_profile_destroy(profile);
    ws_module_destroy(twin->module);
}

void run_launch(struct run *run)
{
    struct twin twin;
    bool has_twin = twin_begin(run, &twin);
    must(run, run_try(run), ws_module_kernel_name(run->module, run->launch.kernel));
    assert_non_null(run->profile);
    if (has_twin) twin_end(run, &twin);
}

void *run_read(struct run *run, size_t index)
{
    assert_true(index < run->buffer_count);
    void *copy = malloc(run->buffers[index].bytes);
    assert_non_null(copy);
    must(run,
         ws_device_copy_out(run->device, copy, run->buffers[index].address,
                            run->buffers[index].bytes),
         "copy out");
    return copy;
}

uint64_t run_counter(struct run *run, const char *id)
{
    double value = 0;
    must(run, ws_profile_get(run->profile, id, &value), id);
    assert_true(value >= 0);
    assert_true(value == (double)(uint64_t)value);
    return (uint64_t)value;
}

char *run_profile_text(struct run *run)
{
    char path[] = P_tmpdir "/warpsage-profile-XXXXXX.json";
    int descriptor = mkstemps(path, 5);
    assert_true(descriptor >= 0);
    close(descriptor);
    ws_status status = ws_profile_save(run->profile, path);
    FILE *file = fopen(path, "rb");
    unlink(path);
    must(run, status, "save profile");
    assert_non_null(file);
    char *text = NULL;
    size_t capacity = 0;
    ssize_t size = getdelim(&text, &capacity, '\0', file); /* no NUL in JSON: the whole file */
    fclose(file);
    assert_true(size > 0);
    return text;
}

/* The two launches must have left the same bytes and the same profile. */
static void compare_runs(struct run *one, struct run *other)
{
    assert_int_equal(one->buffer_count, other->buffer_count);
    for (size_t i = 0; i < one->buffer_count; i++) {
        assert_int_equal(one->buffers[i].bytes, other->buffers[i].bytes);
        void *a = run_read(one, i), *b = run_read(other, i);
        if (memcmp(a, b, one->buffers[i].bytes) != 0)
            fail_msg("buffer %zu differs with %u threads", i, other->threads);
        free(a);
        free(b);
    }
    char *a = run_profile_text(one), *b = run_profile_text(other);
    if (strcmp(a, b) != 0) {
        size_t at = 0;
        while (a[at] == b[at])
            at++;
        size_t from = at < 80 ? 0 : at - 80;
        fail_msg("the profile differs with %u threads: ...%.160s... and ...%.160s...",
                 other->threads, a + from, b + from);
    }
    free(a);
    free(b);
}

void run_kernel(const char *ptx, const char *kernel, run_step *setup, run_step *check)
{
    struct run one;
    run_begin(&one, ptx, kernel, 1);
    setup(&one);
    run_launch(&one);
    check(&one);
    check_trace(one.profile->profile);
    for (unsigned threads = 2; threads <= 3; threads++) {
        struct run other;
        run_begin(&other, ptx, kernel, threads);
        setup(&other);
        run_launch(&other);
        compare_runs(&one, &other);
        compare_traces(one.profile->profile, other.profile->profile);
        run_end(&other);
    }
    struct run checked;
    run_begin_checked(&checked, ptx, kernel);
    setup(&checked);
    run_launch(&checked);
    const struct findings *findings = checked.check->findings;
    if (findings->count)
        fail_msg("%s: %s", check_codes[findings->items[0]->code].title, findings->items[0]->memory);
    compare_runs(&one, &checked);
    run_end(&checked);
    run_end(&one);
}

/* SplitMix64 (Steele, Lea, Flood 2014). */
uint32_t random_u32(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ (z >> 31)) >> 32);
}

float random_float(uint64_t *state)
{
    return (float)((int32_t)(random_u32(state) >> 8) - (1 << 23)) * 0x1p-23f;
}
