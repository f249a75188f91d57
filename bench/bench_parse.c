// SPDX-License-Identifier: Apache-2.0
/* Speed of the decoder: committed PTX of nvcc, all its kernels again and again under other names until
 * the text is long enough; and the time from nothing to the first instruction of a kernel in it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <warpsage/warpsage.h>

enum { REPETITIONS = 20 };

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now); /* one thread: others do not disturb it */
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- a long text ----------------------------------------------------------------------------- */

struct text {
    char *bytes;
    size_t size, room, lines;
};

static void add(struct text *text, const char *from, size_t size)
{
    if (text->size + size + 1 > text->room) {
        text->room = 2 * (text->size + size + 1);
        text->bytes = realloc(text->bytes, text->room);
        if (text->bytes == NULL) abort();
    }
    memcpy(text->bytes + text->size, from, size);
    text->size += size;
    text->bytes[text->size] = '\0';
    for (size_t i = 0; i < size; i++)
        text->lines += from[i] == '\n';
}

static struct text read_file(const char *path)
{
    struct text text = {0};
    char chunk[4096];
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    for (size_t got; (got = fread(chunk, 1, sizeof chunk, file)) > 0;)
        add(&text, chunk, got);
    fclose(file);
    return text;
}

/* The kernels of a file that has nothing else but its header, with names that end in `copy`. */
static void add_kernels(struct text *out, const struct text *file, unsigned copy)
{
    static const char entry[] = ".visible .entry ";
    char suffix[16];
    size_t suffix_length = (size_t)snprintf(suffix, sizeof suffix, "_%u", copy);
    const char *at = strstr(file->bytes, entry);
    while (at != NULL) {
        const char *name_end = strchr(at, '('), *next = strstr(at + 1, entry);
        size_t size = next ? (size_t)(next - at) : strlen(at);
        size_t head = (size_t)(name_end - at);
        add(out, at, head);
        add(out, suffix, suffix_length);
        add(out, name_end, size - head);
        at = next;
    }
}

static struct text long_text(size_t lines)
{
    static const char *const names[] = {"sgemm_tiled/sgemm_tiled", "transpose/transpose",
                                        "stencil2d/stencil2d",     "nbody/nbody",
                                        "reduce/reduce",           "spinlock/spinlock"};
    static const char header[] = ".version 8.8\n.target sm_75\n.address_size 64\n";
    struct text out = {0};
    add(&out, header, sizeof header - 1);
    for (unsigned copy = 0; out.lines < lines; copy++) {
        char path[1024];
        snprintf(path, sizeof path, SOURCE_DIR "/examples/kernels/%s.ptx",
                 names[copy % (sizeof names / sizeof *names)]);
        struct text file = read_file(path);
        add_kernels(&out, &file, copy);
        free(file.bytes);
    }
    return out;
}

/* ---- what is measured ------------------------------------------------------------------------ */

static void must(ws_context *context, ws_status status)
{
    if (status == WS_OK) return;
    fprintf(stderr, "bench_parse: %s\n", ws_context_error(context));
    exit(ws_status_exit_code(status));
}

static double load_seconds(const struct text *text)
{
    ws_context *context;
    ws_module *module;
    if (ws_context_create(&context) != WS_OK) abort();
    double start = seconds_now();
    must(context, ws_module_load_memory(context, "bench.ptx", text->bytes, text->size, &module));
    double seconds = seconds_now() - start;
    ws_module_destroy(module);
    ws_context_destroy(context);
    return seconds;
}

/* From nothing to a launch that ends with its first instructions, for it has a limit of one. */
static double start_seconds(const struct text *text)
{
    ws_context *context;
    ws_module *module;
    ws_device *device;
    ws_profile *profile;
    unsigned char parameters[256] = {0};
    double start = seconds_now();
    if (ws_context_create(&context) != WS_OK) abort();
    must(context, ws_module_load_memory(context, "bench.ptx", text->bytes, text->size, &module));
    ws_device_options options = {.size = sizeof options, .threads = 1};
    must(context, ws_device_create(context, &options, &device));
    ws_launch launch = {.size = sizeof launch,
                        .grid = {1, 1, 1},
                        .block = {32, 1, 1},
                        .parameters = parameters,
                        .parameter_bytes = ws_module_parameter_bytes(module, 0),
                        .max_instructions = 1,
                        .counters = true};
    if (launch.parameter_bytes > sizeof parameters) abort();
    ws_status status = ws_device_launch(device, module, &launch, &profile);
    double seconds = seconds_now() - start;
    if (status == WS_OK) ws_profile_destroy(profile);
    if (status != WS_OK && status != WS_ERR_FAULT) must(context, status);
    ws_device_destroy(device);
    ws_module_destroy(module);
    ws_context_destroy(context);
    return seconds;
}

static double best(double (*measure)(const struct text *text), const struct text *text)
{
    double least = INFINITY;
    for (int i = 0; i < REPETITIONS; i++)
        least = fmin(least, measure(text));
    return least;
}

int main(void)
{
    static const size_t lines[] = {5000, 100000};
    printf("%-14s %10s %12s %12s %24s\n", "PTX", "bytes", "decoded in", "", "to first instruction");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct text text = long_text(lines[i]);
        double load = best(load_seconds, &text), start = best(start_seconds, &text);
        printf("%6zu lines   %10zu %9.2f ms %7.1f MB/s %21.2f ms\n", text.lines, text.size,
               load * 1e3, (double)text.size / load * 1e-6, start * 1e3);
        free(text.bytes);
    }
    return 0;
}
