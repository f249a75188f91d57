// SPDX-License-Identifier: Apache-2.0
/* Speed of native code beside PTX: the same kernels executed both ways, on one thread. The rate of each is
 * thread-instructions a second; that of native code is to be at least 0.7 of PTX's (issue 20). How long it takes
 * differs from that, as ptxas makes another number of instructions. Seconds are those that the CPU worked for
 * this process, so that other work of the machine changes the ratios little.
 *
 *     bench_native [ROW [TARGET]]      rows whose title begins with ROW; for sm_80 unless told */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <warpsage/warpsage.h>

/* ---- loops of one kind of instruction -------------------------------------------------------- */

/* In the text of a loop $ becomes the number of the copy modulo 8, #n that number times n, & the number. Before
 * it %f0 to %f15, %d0 to %d15, %l0 to %l15, %r0 to %r15 and %h0 to %h3 have numbers that differ by thread; behind it
 * the registers 0 to 7 of the kind `result` are stored. %b: where global memory begins; %own: the thread's 128
 * bytes in it; %q, %q2, %q4: a place for 4, 8, 16 bytes, in the order of threads; %s, %s4 the same in shared
 * memory; %s1 its begin; %k: local memory. They change each turn, so that nothing is hoisted. %t:
 * the thread in its grid; %i: the turn. */
struct loop {
    const char *title;
    int copies;
    const char *result, *setup, *body;
};

#define HALVES                                                                                     \
    "and.b32 %r$, %r$, 0x03ff03ff; or.b32 %r$, %r$, 0x34003400; and.b32 %r8, %r8, 0x03ff03ff; "    \
    "or.b32 %r8, %r8, 0x34003400; mov.b32 %r9, %r8; mov.b32 {%h2, %h3}, %r8;"
#define TWO_STEPS "mad.lo.u32 %r$, %r$, %r8, %r9; xor.b32 %r$, %r$, %r10; "
#define EIGHT_STEPS TWO_STEPS TWO_STEPS TWO_STEPS TWO_STEPS
static const struct loop loops[] = {
#define LOOP(title, copies, result, setup, body) {title, copies, #result, setup, body},
#include "native_loops.def"
#undef LOOP
};
enum { LOOP_COUNT = sizeof loops / sizeof *loops, TEXT_MAX = 1 << 16 };

/* As many threads as data in shared memory have places. */
enum { LOOP_BLOCK = 128, LOOP_GRID = 2, LOOP_BYTES = 1 << 18, HALF_BYTES = LOOP_BYTES / 2 };

struct text {
    char bytes[TEXT_MAX];
    size_t length;
};

static void add(struct text *text, const char *what)
{
    size_t length = strlen(what);
    if (text->length + length >= TEXT_MAX) abort();
    memcpy(text->bytes + text->length, what, length + 1);
    text->length += length;
}

static void add_copy(struct text *text, const char *pattern, int copy)
{
    for (const char *at = pattern; *at; at++) {
        char piece[16] = {*at, 0};
        if (*at == '$') snprintf(piece, sizeof piece, "%d", copy % 8);
        if (*at == '&') snprintf(piece, sizeof piece, "%d", copy);
        if (*at == '#') {
            char *end;
            snprintf(piece, sizeof piece, "%ld", copy * strtol(at + 1, &end, 10));
            at = end - 1;
        }
        add(text, piece);
    }
    add(text, "\n");
}

static const char loop_head[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry loop(.param .u64 memory, .param .u32 turns)\n{\n"
    ".reg .f32 %f<16>; .reg .f64 %d<16>; .reg .b64 %l<16>; .reg .b32 %r<16>; .reg .b16 %h<4>;\n"
    ".reg .pred %p<4>; .reg .pred %more; .reg .b32 %t, %i, %n, %x, %step3, %s, %s1, %s4, %k, %id;\n"
    ".reg .b64 %b, %own, %q, %q2, %q4, %y, %step;\n"
    ".shared .align 16 .b8 data[32768]; .local .align 16 .b8 stack[512];\n"
    "ld.param.u64 %b, [memory]; cvta.to.global.u64 %b, %b; ld.param.u32 %n, [turns];\n"
    "mov.u32 %id, %tid.x; mov.u32 %x, %ctaid.x; mad.lo.u32 %t, %x, 128, %id;\n"
    "mul.wide.u32 %y, %t, 128; add.u64 %own, %b, %y;\n";
static const char loop_values[] =
    "ld.global.f32 %f$, [%own+#4]; cvt.f64.f32 %d$, %f$; mov.b32 %r$, %f$; "
    "mad.lo.u32 %r$, %r$, 0x9e3779b1, %t; mul.wide.u32 %l$, %r$, 0x85ebca6b;";
static const char loop_begin[] = "mov.u32 %i, 0; mov.u64 %step, 131072; mov.u32 %step3, 16384;\n";
/* Where the body reads and writes, if it names that: its first value, and what each turn adds. */
static const struct {
    const char *name, *first, *next;
} places[] = {
    {"[%own", "mul.wide.u32 %y, %t, 128; add.u64 %own, %b, %y;", "add.u64 %own, %own, %step;"},
    {"[%q+", "mul.wide.u32 %y, %t, 4; add.u64 %q, %b, %y;", "add.u64 %q, %q, %step;"},
    {"[%q2+", "mul.wide.u32 %y, %t, 8; add.u64 %q2, %b, %y;", "add.u64 %q2, %q2, %step;"},
    {"[%q4+", "mul.wide.u32 %y, %t, 16; add.u64 %q4, %b, %y;", "add.u64 %q4, %q4, %step;"},
    {"[%s", "mov.u32 %s, data; shl.b32 %x, %id, 2; add.u32 %s, %s, %x;", "add.u32 %s, %s, %step3;"},
    {"[%s4+", "mov.u32 %s4, data; shl.b32 %x, %id, 4; add.u32 %s4, %s4, %x;",
     "add.u32 %s4, %s4, %step3;"},
    {"[%s1+", "mov.u32 %s1, data;", "add.u32 %s1, %s1, %step3;"},
    {"[%k+", "mov.u32 %k, stack;", "shr.s32 %x, %step3, 7; add.u32 %k, %k, %x;"},
};
static const char loop_end[] = "neg.s64 %step, %step; neg.s32 %step3, %step3; add.u32 %i, %i, 1;\n"
                               "setp.lt.u32 %more, %i, %n; @%more bra TURN;\n"
                               "mul.wide.u32 %y, %t, 128; add.u64 %own, %b, %y;\n";

static void add_places(struct text *text, const char *body, bool is_first)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strstr(body, places[i].name))
            add_copy(text, is_first ? places[i].first : places[i].next, 0);
}

static void write_loop(const struct loop *loop, struct text *text)
{
    static const struct {
        char result;
        const char *store;
    } stores[] = {{'F', "st.global.f32 [%own+#8], %f$;"},
                  {'D', "st.global.f64 [%own+#8], %d$;"},
                  {'L', "st.global.b64 [%own+#8], %l$;"},
                  {'R', "st.global.b32 [%own+#8], %r$;"}};
    *text = (struct text){0};
    add(text, loop_head);
    for (int k = 0; k < 16; k++) { /* two digits: not $ */
        char values[512], number[8];
        size_t length = 0;
        snprintf(number, sizeof number, "%d", k);
        for (const char *at = loop_values; *at; at++)
            length += (size_t)snprintf(values + length, sizeof values - length,
                                       *at == '$' ? "%s" : "%.1s", *at == '$' ? number : at);
        add_copy(text, values, k);
    }
    add(text, "mov.b32 {%h0, %h1}, %r8; mov.b32 {%h2, %h3}, %r9;\n");
    for (int k = 0; k < 8; k++)
        add_copy(text, loop->setup, k);
    add(text, loop_begin);
    add_places(text, loop->body, true);
    add(text, "TURN:\n");
    for (int k = 0; k < loop->copies; k++)
        add_copy(text, loop->body, k);
    add_places(text, loop->body, false);
    add(text, loop_end);
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++)
        for (int k = 0; k < 8 && stores[i].result == *loop->result; k++)
            add_copy(text, stores[i].store, k);
    add(text, "ret;\n}\n");
}

/* ---- whole kernels --------------------------------------------------------------------------- */

enum { ARGUMENTS_MAX = 6 };

struct whole {
    const char *title, *file, *kernel;
    uint32_t grid[3], block[3], shared_bytes;
    /* s: an int, f: a float, b: a buffer of so many words; 0: no more */
    struct {
        char kind;
        double value;
    } arguments[ARGUMENTS_MAX];
};
#define WORDS(count)                                                                               \
    {                                                                                              \
        'b', count                                                                                 \
    }
static const struct whole wholes[] = {
    {"sgemm naive 128^2",
     "sgemm_naive",
     "sgemm_naive",
     {8, 8, 1},
     {16, 16, 1},
     0,
     {{'s', 128}, WORDS(1 << 14), WORDS(1 << 14), WORDS(1 << 14)}},
    {"sgemm tiled 128^2",
     "sgemm_tiled",
     "sgemm_tiled",
     {8, 8, 1},
     {16, 16, 1},
     0,
     {{'s', 128}, WORDS(1 << 14), WORDS(1 << 14), WORDS(1 << 14)}},
    {"nbody 1024",
     "nbody",
     "nbody",
     {8, 1, 1},
     {128, 1, 1},
     0,
     {{'s', 1024}, {'f', 0.01}, {'f', 0.0625}, WORDS(4096), WORDS(4096), WORDS(4096)}},
    {"reduce 512 K",
     "reduce",
     "reduce",
     {1024, 1, 1},
     {256, 1, 1},
     0,
     {{'s', 1 << 19}, WORDS(1 << 19), WORDS(1024)}},
    {"saxpy 512 K",
     "saxpy",
     "saxpy",
     {1024, 1, 1},
     {512, 1, 1},
     0,
     {{'s', 1 << 19}, {'f', 2.5}, WORDS(1 << 19), WORDS(1 << 19)}},
    {"histogram",
     "histogram",
     "histogram_int",
     {32, 1, 1},
     {256, 1, 1},
     0,
     {{'s', 1 << 17}, WORDS(1 << 17), {'s', 256}, WORDS(256)}},
    {"histogram in shared memory",
     "histogram",
     "histogram_private",
     {32, 1, 1},
     {256, 1, 1},
     1024,
     {{'s', 1 << 17}, WORDS(1 << 17), {'s', 256}, WORDS(256)}},
    {"histogram of floats",
     "histogram",
     "histogram_float",
     {32, 1, 1},
     {256, 1, 1},
     0,
     {{'s', 1 << 17}, WORDS(1 << 17), WORDS(1 << 17), {'s', 256}, WORDS(256)}},
    {"stencil 512^2",
     "stencil2d",
     "stencil2d_global",
     {16, 64, 1},
     {32, 8, 1},
     0,
     {{'s', 512}, {'s', 512}, {'f', 0.5}, {'f', 0.125}, WORDS(1 << 18), WORDS(1 << 18)}},
    {"stencil in shared memory",
     "stencil2d",
     "stencil2d_shared",
     {16, 64, 1},
     {32, 8, 1},
     0,
     {{'s', 512}, {'s', 512}, {'f', 0.5}, {'f', 0.125}, WORDS(1 << 18), WORDS(1 << 18)}},
};
enum { WHOLE_COUNT = sizeof wholes / sizeof *wholes };

/* ---- a row ----------------------------------------------------------------------------------- */

struct bench {
    ws_context *context;
    ws_device *device;
    ws_module *modules[2]; /* PTX, native */
    ws_launch launches[2];
    unsigned char parameters[2][128]; /* places differ not, but a launch has its own */
    uint64_t buffers[ARGUMENTS_MAX];
    size_t buffer_count;
};
enum { PTX, NATIVE };

static void must(struct bench *b, const char *title, ws_status status)
{
    if (status == WS_OK) return;
    fprintf(stderr, "bench_native: %s: %s\n", title, ws_context_error(b->context));
    exit(ws_status_exit_code(status));
}

/* A buffer of floats in [0.5, 1). */
static uint64_t make_buffer(struct bench *b, const char *title, size_t bytes)
{
    uint64_t address;
    uint32_t state = (uint32_t)b->buffer_count + 1;
    float *values = malloc(bytes);
    if (!values) abort();
    for (size_t i = 0; i < bytes / sizeof *values; i++) {
        state = state * 1664525u + 1013904223u; /* Numerical Recipes' quick generator */
        values[i] = 0.5f + (float)(state >> 8) * 0x1p-25f;
    }
    must(b, title, ws_device_alloc(b->device, bytes, &address));
    must(b, title, ws_device_copy_in(b->device, address, values, bytes));
    free(values);
    b->buffers[b->buffer_count++] = address;
    return address;
}

static void put_parameter(struct bench *b, const char *title, size_t index, const void *value,
                          size_t bytes)
{
    for (int way = PTX; way <= NATIVE; way++) {
        ws_parameter parameter;
        must(b, title,
             ws_module_parameter(b->modules[way], b->launches[way].kernel, index, &parameter));
        if (parameter.size != bytes || parameter.offset + bytes > sizeof b->parameters[way])
            abort();
        memcpy(b->parameters[way] + parameter.offset, value, bytes);
    }
}

static void prepare(struct bench *b, const char *title, const char *kernel, unsigned target)
{
    must(b, title, ws_module_compile(b->modules[PTX], target, &b->modules[NATIVE]));
    for (int way = PTX; way <= NATIVE; way++) {
        ws_launch *launch = &b->launches[way];
        *launch = (ws_launch){.size = sizeof *launch, .parameters = b->parameters[way]};
        must(b, title, ws_module_find_kernel(b->modules[way], kernel, &launch->kernel));
        launch->parameter_bytes = ws_module_parameter_bytes(b->modules[way], launch->kernel);
    }
}

static void finish(struct bench *b)
{
    for (size_t i = 0; i < b->buffer_count; i++)
        if (ws_device_free(b->device, b->buffers[i]) != WS_OK) abort();
    for (int way = PTX; way <= NATIVE; way++)
        ws_module_destroy(b->modules[way]);
    b->buffer_count = 0;
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double launch_once(struct bench *b, const char *title, int way, bool counts,
                          double *out_instructions)
{
    ws_profile *profile = NULL;
    b->launches[way].counters = counts;
    double start = cpu_seconds();
    must(b, title,
         ws_device_launch(b->device, b->modules[way], &b->launches[way], counts ? &profile : NULL));
    double seconds = cpu_seconds() - start;
    if (counts) must(b, title, ws_profile_get(profile, "inst.thread", out_instructions));
    ws_profile_destroy(profile);
    return seconds;
}

/* Both ways in turn, so that what changes in the machine meets both; the best of each. */
static void print_row(struct bench *b, const char *title)
{
    enum { TURNS = 3 };
    double seconds[2] = {INFINITY, INFINITY}, counted[2] = {INFINITY, INFINITY}, count[2] = {0};
    for (int turn = 0; turn < TURNS; turn++)
        for (int way = PTX; way <= NATIVE; way++) {
            seconds[way] = fmin(seconds[way], launch_once(b, title, way, false, NULL));
            counted[way] = fmin(counted[way], launch_once(b, title, way, true, &count[way]));
        }
    double rates[2] = {count[PTX] / seconds[PTX], count[NATIVE] / seconds[NATIVE]};
    double counted_rates[2] = {count[PTX] / counted[PTX], count[NATIVE] / counted[NATIVE]};
    printf("%-28s %8.0f M %8.0f M %8.2f %8.2f %8.2f %8.2f\n", title, rates[PTX] * 1e-6,
           rates[NATIVE] * 1e-6, rates[NATIVE] / rates[PTX],
           counted_rates[NATIVE] / counted_rates[PTX], seconds[NATIVE] / seconds[PTX],
           count[NATIVE] / count[PTX]);
    fflush(stdout);
}

static void bench_loop(struct bench *b, const struct loop *loop, unsigned target)
{
    static struct text text;
    enum { SECONDS_HUNDREDTHS = 1 };
    uint32_t turns = 64;
    write_loop(loop, &text);
    must(b, loop->title,
         ws_module_load_memory(b->context, loop->title, text.bytes, text.length, &b->modules[PTX]));
    prepare(b, loop->title, "loop", target);
    uint64_t address = make_buffer(b, loop->title, LOOP_BYTES);
    put_parameter(b, loop->title, 0, &address, sizeof address);
    for (int way = PTX; way <= NATIVE; way++) {
        ws_launch *launch = &b->launches[way];
        memcpy(launch->grid, (uint32_t[]){LOOP_GRID, 1, 1}, sizeof launch->grid);
        memcpy(launch->block, (uint32_t[]){LOOP_BLOCK, 1, 1}, sizeof launch->block);
    }
    for (;; turns *= 2) {
        put_parameter(b, loop->title, 1, &turns, sizeof turns);
        if (launch_once(b, loop->title, PTX, false, NULL) > 0.01 * SECONDS_HUNDREDTHS) break;
    }
    print_row(b, loop->title);
    finish(b);
}

static void bench_whole(struct bench *b, const struct whole *whole, unsigned target)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/examples/kernels/%s/%s.ptx", SOURCE_DIR, whole->file,
             whole->file);
    must(b, whole->title, ws_module_load_file(b->context, path, &b->modules[PTX]));
    prepare(b, whole->title, whole->kernel, target);
    for (size_t i = 0; i < ARGUMENTS_MAX && whole->arguments[i].kind; i++) {
        double value = whole->arguments[i].value;
        int number = (int)value;
        float real = (float)value;
        uint64_t address;
        switch (whole->arguments[i].kind) {
        case 's':
            put_parameter(b, whole->title, i, &number, sizeof number);
            break;
        case 'f':
            put_parameter(b, whole->title, i, &real, sizeof real);
            break;
        default:
            address = make_buffer(b, whole->title, (size_t)value * sizeof(float));
            put_parameter(b, whole->title, i, &address, sizeof address);
        }
    }
    for (int way = PTX; way <= NATIVE; way++) {
        ws_launch *launch = &b->launches[way];
        memcpy(launch->grid, whole->grid, sizeof launch->grid);
        memcpy(launch->block, whole->block, sizeof launch->block);
        launch->dynamic_shared_bytes = whole->shared_bytes;
    }
    print_row(b, whole->title);
    finish(b);
}

static bool has_ptxas(void)
{
    return system("ptxas --version >/dev/null 2>&1") == 0;
}

int main(int argc, char **argv)
{
    const char *wanted = argc > 1 ? argv[1] : "";
    unsigned target = argc > 2 ? (unsigned)atoi(argv[2]) : 80;
    struct bench b = {0};
    if (!has_ptxas()) {
        printf("bench_native: skipped: ptxas is not in PATH\n");
        return 0;
    }
    ws_device_options options = {.size = sizeof options, .threads = 1};
    if (ws_context_create(&b.context) != WS_OK) return 1;
    must(&b, "tools", ws_context_set_tool_path(b.context, getenv("PATH")));
    must(&b, "device", ws_device_create(b.context, &options, &b.device));
    printf("%-28s %10s %10s %8s %8s %8s %8s\n%-28s %10s %10s %8s %8s %8s %8s\n", "",
           "PTX:", "sm:", "native:", "the same", "native:", "native:", "thread-instructions/s", "",
           "", "PTX", "counted", "time", "insts");
    for (int i = 0; i < LOOP_COUNT; i++)
        if (!strncmp(loops[i].title, wanted, strlen(wanted))) bench_loop(&b, &loops[i], target);
    for (int i = 0; i < WHOLE_COUNT; i++)
        if (!strncmp(wholes[i].title, wanted, strlen(wanted))) bench_whole(&b, &wholes[i], target);
    ws_device_destroy(b.device);
    ws_context_destroy(b.context);
    return 0;
}
