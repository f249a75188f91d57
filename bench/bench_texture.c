// SPDX-License-Identifier: Apache-2.0
/* Speed of texture fetches and surface accesses on one thread of the interpreter, in millions of lanes a second, without
 * and with counters; issue 24 asks for at least 40. Seconds are those that the CPU worked for this process.
 *
 *     bench_texture [ROW]      rows whose title begins with ROW */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <warpsage/warpsage.h>

/* Of the kernels (texture_kernels.cu). */
enum { FETCHES = 64, KEPT = 127, SIDE = 256, DEPTH = 8, BLOCK = 128, GRID = 128, REPETITIONS = 3 };
enum { THREADS = BLOCK * GRID };

struct row {
    const char *title, *kernel;
    ws_texture_kind kind;
    bool is_filtered, has_bytes;
};
static const struct row rows[] = {
    {"linear memory", "memory_1d", WS_TEXTURE_LINEAR_MEMORY, false, false},
    {"point 1D", "any_1d", WS_TEXTURE_1D, false, false},
    {"linear 1D", "any_1d", WS_TEXTURE_1D, true, false},
    {"point 2D", "any_2d", WS_TEXTURE_2D, false, false},
    {"linear 2D", "any_2d", WS_TEXTURE_2D, true, false},
    {"point 2D uchar4", "bytes_2d", WS_TEXTURE_2D, false, true},
    {"linear 2D uchar4", "bytes_2d", WS_TEXTURE_2D, true, true},
    {"point 3D", "any_3d", WS_TEXTURE_3D, false, false},
    {"linear 3D", "any_3d", WS_TEXTURE_3D, true, false},
    {"surface read", "surface_read", WS_TEXTURE_2D, false, false},
    {"surface write", "surface_write", WS_TEXTURE_2D, false, false},
};

struct session {
    ws_context *context;
    ws_module *module;
    ws_device *device;
    uint64_t texels, out;
};

static void must(const struct session *s, ws_status status)
{
    if (status == WS_OK) return;
    fprintf(stderr, "bench_texture: %s\n", ws_context_error(s->context));
    exit(ws_status_exit_code(status));
}

static void open_session(struct session *s)
{
    ws_device_options options = {.size = sizeof options, .threads = 1, .engine = "interpreter"};
    if (ws_context_create(&s->context) != WS_OK) abort();
    must(s, ws_module_load_file(s->context, SOURCE_DIR "/bench/texture_kernels.ptx", &s->module));
    must(s, ws_device_create(s->context, &options, &s->device));
    must(s, ws_device_alloc(s->device, 4 * SIDE * SIDE * DEPTH, &s->texels));
    must(s, ws_device_alloc(s->device, 4 * THREADS, &s->out));
}

static void close_session(struct session *s)
{
    ws_device_destroy(s->device);
    ws_module_destroy(s->module);
    ws_context_destroy(s->context);
}

/* x + y + z in each texel, as a float or as four bytes. */
static void fill_texels(const struct session *s, const struct row *row)
{
    uint32_t *texels = malloc(4 * SIDE * SIDE * DEPTH);
    if (!texels) abort();
    for (uint32_t i = 0; i < SIDE * SIDE * DEPTH; i++) {
        uint32_t number = i % SIDE + i / SIDE % SIDE + i / SIDE / SIDE;
        float value = (float)number;
        if (row->has_bytes)
            texels[i] = (number & 255) * 0x01010101;
        else
            memcpy(&texels[i], &value, sizeof value);
    }
    must(s, ws_device_copy_in(s->device, s->texels, texels, 4 * SIDE * SIDE * DEPTH));
    free(texels);
}

static uint64_t create_texture(const struct session *s, const struct row *row)
{
    uint64_t handle;
    const ws_texture texture = {
        .size = sizeof texture,
        .kind = row->kind,
        .address = s->texels,
        .width = SIDE,
        .height = SIDE,
        .depth = DEPTH,
        .pitch_bytes = 4 * SIDE,
        .slice_bytes = 4 * SIDE * SIDE,
        .channels = row->has_bytes ? 4 : 1,
        .channel_bits = row->has_bytes ? 8 : 32,
        .channel_kind = row->has_bytes ? WS_CHANNEL_UNSIGNED : WS_CHANNEL_FLOAT,
        .address_modes = {WS_ADDRESS_CLAMP, WS_ADDRESS_CLAMP, WS_ADDRESS_CLAMP},
        .linear_filter = row->is_filtered,
        .normalized_read = row->has_bytes};
    must(s, ws_device_texture_create(s->device, &texture, &handle));
    return handle;
}

/* What a thread must have: kernels fetch at x + 3/4, a quarter behind the middle of the texel. */
static double expected(const struct row *row, unsigned thread)
{
    double sum = 0;
    bool writes = strcmp(row->kernel, "surface_write") == 0;
    for (unsigned k = 0; k < FETCHES && !writes; k++) {
        sum += (thread % BLOCK + k) & KEPT;
        if (row->is_filtered) sum += 0.25;
        if (row->kind >= WS_TEXTURE_2D) sum += (thread / BLOCK + k) & KEPT;
        if (row->kind == WS_TEXTURE_3D) sum += k & 7;
    }
    return sum;
}

/* A fast wrong answer is no answer. */
static void check(const struct session *s, const struct row *row)
{
    for (unsigned thread = 0; thread < THREADS; thread += 61) {
        float got;
        double wanted = expected(row, thread);
        must(s, ws_device_copy_out(s->device, &got, s->out + 4 * thread, sizeof got));
        if (fabs((double)got - wanted) <= 1e-6 * wanted) continue;
        fprintf(stderr, "bench_texture: %s: thread %u has %g, not %g\n", row->title, thread,
                (double)got, wanted);
        exit(1);
    }
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Millions of lanes a second, of the best launch. */
static double rate(const struct session *s, const struct row *row, uint64_t handle, bool counters)
{
    double best = INFINITY;
    const uint64_t parameters[2] = {handle, s->out};
    ws_launch launch = {.size = sizeof launch,
                        .grid = {GRID, 1, 1},
                        .block = {BLOCK, 1, 1},
                        .parameters = parameters,
                        .parameter_bytes = sizeof parameters,
                        .counters = counters};
    must(s, ws_module_find_kernel(s->module, row->kernel, &launch.kernel));
    for (int i = 0; i < REPETITIONS; i++) {
        ws_profile *profile = NULL;
        double start = seconds();
        must(s, ws_device_launch(s->device, s->module, &launch, counters ? &profile : NULL));
        best = fmin(best, seconds() - start);
        ws_profile_destroy(profile);
        check(s, row);
    }
    return (double)THREADS * FETCHES / best / 1e6;
}

int main(int count, char **arguments)
{
    const char *only = count > 1 ? arguments[1] : "";
    struct session s;
    open_session(&s);
    printf("%-20s %12s %14s   M lanes/s\n", "", "no counters", "with counters");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strncmp(rows[i].title, only, strlen(only)) != 0) continue;
        fill_texels(&s, &rows[i]);
        uint64_t handle = create_texture(&s, &rows[i]);
        double off = rate(&s, &rows[i], handle, false), on = rate(&s, &rows[i], handle, true);
        printf("%-20s %12.1f %14.1f\n", rows[i].title, off, on);
        must(&s, ws_device_texture_destroy(s.device, handle));
    }
    close_session(&s);
    return 0;
}
