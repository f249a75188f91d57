// SPDX-License-Identifier: Apache-2.0
/* Speed of the emulator on this CPU: three bundled kernels in full size, through the public API.
 * Figures of one run on one machine; compare the ratios, not the seconds of two machines. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <warpsage/warpsage.h>

#ifdef __clang__
#define WS_COMPILER __VERSION__
#else
#define WS_COMPILER "gcc " __VERSION__
#endif

enum { REPETITIONS = 3, BUFFERS_MAX = 3 };

struct bench {
    const char *title, *ptx, *kernel;
    uint32_t grid[3], block[3];
    int n;
    bool has_factor;              /* a float after n */
    size_t elements[BUFFERS_MAX]; /* floats in each buffer; 0: no more */
    float (*expected)(const struct bench *bench, float *const buffers[], size_t i);
    size_t output; /* buffer that `expected` speaks of */
};

static const float factor = 2.5f;

/* ---- what plain C says of one element -------------------------------------------------------- */

static float saxpy_element(const struct bench *bench, float *const buffers[], size_t i)
{
    (void)bench;
    return fmaf(buffers[0][i], factor, buffers[1][i]);
}

static float product_element(const struct bench *bench, float *const buffers[], size_t i)
{
    size_t n = (size_t)bench->n, row = i / n, column = i % n;
    float sum = 0.0f;
    for (size_t k = 0; k < n; k++)
        sum = fmaf(buffers[0][row * n + k], buffers[1][k * n + column], sum);
    return sum;
}

static float block_sum(const struct bench *bench, float *const buffers[], size_t block)
{
    float sums[256];
    (void)bench;
    for (size_t t = 0; t < 256; t++)
        sums[t] = buffers[0][block * 512 + t] + buffers[0][block * 512 + t + 256];
    for (size_t half = 128; half > 0; half /= 2)
        for (size_t t = 0; t < half; t++)
            sums[t] += sums[t + half];
    return sums[0];
}

#define EXAMPLE(name) SOURCE_DIR "/examples/kernels/" name "/" name ".ptx"
enum { BIG = 16 << 20, SIDE = 512 };

static const struct bench benches[] = {
    {"sgemm tiled 512^2",
     EXAMPLE("sgemm_tiled"),
     "sgemm_tiled",
     {SIDE / 16, SIDE / 16, 1},
     {16, 16, 1},
     SIDE,
     false,
     {SIDE * SIDE, SIDE *SIDE, SIDE *SIDE},
     product_element,
     2},
    {"saxpy 16 M",
     EXAMPLE("saxpy"),
     "saxpy",
     {BIG / 256, 1, 1},
     {256, 1, 1},
     BIG,
     true,
     {BIG, BIG, 0},
     saxpy_element,
     1},
    {"reduce 16 M",
     EXAMPLE("reduce"),
     "reduce",
     {BIG / 512, 1, 1},
     {256, 1, 1},
     BIG,
     false,
     {BIG, BIG / 512, 0},
     block_sum,
     1},
};

/* ---- one launch ------------------------------------------------------------------------------ */

struct session {
    ws_context *context;
    ws_module *module;
    ws_device *device;
    uint64_t addresses[BUFFERS_MAX];
    unsigned char parameters[64];
    double warp_instructions, thread_instructions;
};

static void must(struct session *s, ws_status status)
{
    if (status == WS_OK) return;
    fprintf(stderr, "bench_engine: %s\n", ws_context_error(s->context));
    exit(ws_status_exit_code(status));
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void put_parameter(struct session *s, size_t kernel, size_t index, const void *value,
                          size_t bytes)
{
    ws_parameter parameter;
    must(s, ws_module_parameter(s->module, kernel, index, &parameter));
    if (parameter.size != bytes || parameter.offset + bytes > sizeof s->parameters) abort();
    memcpy(s->parameters + parameter.offset, value, bytes);
}

static void open_session(struct session *s, const struct bench *bench, float *const buffers[],
                         unsigned threads, ws_launch *launch)
{
    *s = (struct session){0};
    if (ws_context_create(&s->context) != WS_OK) abort();
    must(s, ws_module_load_file(s->context, bench->ptx, &s->module));
    ws_device_options options = {.size = sizeof options, .threads = threads};
    must(s, ws_device_create(s->context, &options, &s->device));
    *launch = (ws_launch){.size = sizeof *launch, .parameters = s->parameters};
    must(s, ws_module_find_kernel(s->module, bench->kernel, &launch->kernel));
    memcpy(launch->grid, bench->grid, sizeof launch->grid);
    memcpy(launch->block, bench->block, sizeof launch->block);
    launch->parameter_bytes = ws_module_parameter_bytes(s->module, launch->kernel);
    size_t index = 0;
    put_parameter(s, launch->kernel, index++, &bench->n, sizeof bench->n);
    if (bench->has_factor) put_parameter(s, launch->kernel, index++, &factor, sizeof factor);
    for (size_t b = 0; b < BUFFERS_MAX && bench->elements[b] > 0; b++) {
        size_t bytes = bench->elements[b] * sizeof(float);
        must(s, ws_device_alloc(s->device, bytes, &s->addresses[b]));
        must(s, ws_device_copy_in(s->device, s->addresses[b], buffers[b], bytes));
        put_parameter(s, launch->kernel, index++, &s->addresses[b], sizeof s->addresses[b]);
    }
}

static void close_session(struct session *s)
{
    ws_device_destroy(s->device);
    ws_module_destroy(s->module);
    ws_context_destroy(s->context);
}

/* A fast wrong answer is no answer: some elements are compared with plain C. */
static void check_output(struct session *s, const struct bench *bench, float *const buffers[])
{
    size_t n = bench->elements[bench->output], step = n / 61;
    for (size_t i = 0; i < n; i += step) {
        float got, expected = bench->expected(bench, buffers, i);
        must(s, ws_device_copy_out(s->device, &got, s->addresses[bench->output] + 4 * i, 4));
        if (memcmp(&got, &expected, sizeof got) != 0) {
            fprintf(stderr, "bench_engine: %s: element %zu is %a, not %a\n", bench->title, i,
                    (double)got, (double)expected);
            exit(1);
        }
    }
}

/* Best of some launches; seconds of ws_device_launch alone. */
static double measure(const struct bench *bench, float *const buffers[], unsigned threads,
                      bool counters, struct session *s)
{
    ws_launch launch;
    double best = INFINITY;
    open_session(s, bench, buffers, threads, &launch);
    launch.counters = counters;
    for (int i = 0; i < REPETITIONS; i++) {
        ws_profile *profile = NULL;
        size_t out = bench->output; /* saxpy adds to its output: start again */
        must(s, ws_device_copy_in(s->device, s->addresses[out], buffers[out],
                                  bench->elements[out] * sizeof(float)));
        double start = seconds_now();
        must(s, ws_device_launch(s->device, s->module, &launch, counters ? &profile : NULL));
        best = fmin(best, seconds_now() - start);
        if (counters) {
            must(s, ws_profile_get(profile, "inst.warp", &s->warp_instructions));
            must(s, ws_profile_get(profile, "inst.thread", &s->thread_instructions));
        }
        ws_profile_destroy(profile);
    }
    check_output(s, bench, buffers);
    close_session(s);
    return best;
}

/* ---- the table ------------------------------------------------------------------------------- */

static void print_cpu(void)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "model name", 10) == 0) {
            char *name = strchr(line, ':');
            printf("CPU      %s", name ? name + 2 : line);
            break;
        }
    if (file) fclose(file);
}

static double peak_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

static void run_bench(const struct bench *bench)
{
    float *buffers[BUFFERS_MAX] = {0};
    uint32_t state = 1;
    double bytes = 0;
    for (size_t b = 0; b < BUFFERS_MAX && bench->elements[b] > 0; b++) {
        buffers[b] = malloc(bench->elements[b] * sizeof(float));
        if (buffers[b] == NULL) abort();
        bytes += (double)bench->elements[b] * sizeof(float);
        for (size_t i = 0; i < bench->elements[b]; i++) {
            state = state * 1664525u + 1013904223u; /* Numerical Recipes' quick generator */
            buffers[b][i] = (float)(state >> 8) * 0x1p-24f;
        }
    }
    struct session s;
    double off = measure(bench, buffers, 1, false, &s);
    double two = measure(bench, buffers, 2, true, &s);
    double on = measure(bench, buffers, 1, true, &s);
    /* The process holds each buffer twice: the guest's and ours. */
    printf("%-18s %8.0f M %8.0f M %9.2f ns %8.2f x %8.2f x %8.0f MB\n", bench->title,
           s.thread_instructions / on * 1e-6, s.thread_instructions / off * 1e-6,
           on / s.warp_instructions * 1e9, on / off, on / two, (peak_bytes() - 2 * bytes) * 1e-6);
    fflush(stdout);
    for (size_t b = 0; b < BUFFERS_MAX; b++)
        free(buffers[b]);
}

int main(void)
{
    print_cpu();
    printf("warpsage %s, %s; best of %d launches\n\n", ws_version(), WS_COMPILER, REPETITIONS);
    printf("%-18s %10s %10s %12s %10s %10s %11s\n", "", "thread-", "same,", "per warp", "counters",
           "2 threads", "memory");
    printf("%-18s %10s %10s %12s %10s %10s %11s\n", "kernel", "insts/s", "no counts", "instruction",
           "cost", "gain", "beyond data");
    fflush(stdout);
    for (size_t i = 0; i < sizeof benches / sizeof *benches; i++) {
        /* A process each: the peak of its memory is its own. */
        pid_t child = fork();
        int status = 1;
        if (child == 0) {
            run_bench(&benches[i]);
            exit(0);
        }
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return 1;
    }
    printf(
        "\nthread-insts/s: lanes with true guard, counters on, 1 host thread. Memory: the peak of "
        "the\nprocess less the buffers, which it holds twice: the guest's and its own.\n");
    return 0;
}
