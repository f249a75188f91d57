// SPDX-License-Identifier: Apache-2.0
/* A micro-benchmark on the driver API, for clocks.py, which runs it under `warpsage run --clock teg`. It generates its PTX and
 * prints lines NAME VALUE. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TEXT = 1 << 16, RESULTS = 4096, ELEMENTS = 1024, BLOCKS = 6 };

static void *cuda;
static uint64_t results;

static void *find(const char *name)
{
    void *function = dlsym(cuda, name);
    if (!function) printf("missing %s\n", name), exit(1);
    return function;
}

/* All arguments are 64 bits wide or come in such registers. */
static void call(const char *name, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    int (*function)(uint64_t, uint64_t, uint64_t, uint64_t) =
        (int (*)(uint64_t, uint64_t, uint64_t, uint64_t))(uintptr_t)find(name);
    int error = function(a, b, c, d);
    if (error) printf("%s fails: %d\n", name, error), exit(1);
}

static uint64_t place(void *at)
{
    return (uint64_t)(uintptr_t)at;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static char text[TEXT];

static void put(const char *words)
{
    if (strlen(text) + strlen(words) + 1 > TEXT) exit(2);
    strcat(text, words);
}

/* kernel(out, p, n): the time of `count` copies of `body` in the third round of a loop, whose code is then in the
 * caches. */
static void put_timed(const char *name, const char *before, const char *body, int count)
{
    char head[512];
    snprintf(head, sizeof head,
             ".visible .entry %s(.param .u64 a, .param .u64 b, .param .u64 c)\n{\n"
             ".reg .pred %%p<4>; .reg .b32 %%r<16>; .reg .b64 %%d<16>; .reg .f32 %%f<8>;\n"
             "ld.param.u64 %%d1, [a]; ld.param.u64 %%d2, [b]; ld.param.u64 %%d3, [c];\n"
             "mov.f32 %%f1, 0f3f800000; cvt.rn.f32.u64 %%f2, %%d3; mov.u32 %%r4, 0;\n",
             name);
    put(head);
    put(before);
    put("AGAIN:\nmov.u32 %r1, %clock;\n");
    for (int i = 0; i < count; i++)
        put(body);
    put("mov.u32 %r2, %clock;\nsub.u32 %r3, %r2, %r1;\nadd.u32 %r4, %r4, 1;\n"
        "setp.lt.u32 %p1, %r4, 3;\n@%p1 bra AGAIN;\n"
        "st.global.u32 [%d1], %r3; st.global.f32 [%d1+8], %f1; st.global.u64 [%d1+16], "
        "%d2;\nret;\n}\n");
}

/* Two dependent loads an iteration, d3 iterations; the counter is done before the first has come. */
static void put_chase(void)
{
    put(".visible .entry chase(.param .u64 a, .param .u64 b, .param .u64 c)\n{\n"
        ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %d<16>;\n"
        "ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b]; ld.param.u64 %d3, [c];\n"
        "cvt.u32.u64 %r5, %d3; mov.u32 %r4, 0; mov.u32 %r1, %clock;\n"
        "NEXT:\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, %r5;\n"
        "ld.global.u64 %d2, [%d2];\nld.global.u64 %d2, [%d2];\n@%p1 bra NEXT;\n"
        "setp.eq.u64 %p2, %d2, 0;\n@%p2 exit;\n"
        "mov.u32 %r2, %clock;\nsub.u32 %r3, %r2, %r1;\nst.global.u32 [%d1], %r3;\nret;\n}\n");
}

/* Every block: clock and globaltimer at both ends of d3 dependent additions, and its SM; it updates b in place. */
static void put_blocks(void)
{
    put(".visible .entry blocks(.param .u64 a, .param .u64 b, .param .u64 c)\n{\n"
        ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %d<24>; .reg .f32 %f<8>;\n"
        "mov.u64 %d10, %clock64; mov.u64 %d11, %globaltimer;\n"
        "ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b]; ld.param.u64 %d3, [c];\n"
        "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mov.u32 %r3, %ntid.x;\n"
        "mad.lo.u32 %r4, %r1, %r3, %r2; mul.wide.u32 %d4, %r4, 4; add.u64 %d4, %d4, %d2;\n"
        "ld.global.u32 %r5, [%d4]; mad.lo.u32 %r5, %r5, 3, 1; st.global.u32 [%d4], %r5;\n"
        "red.global.add.u32 [%d1+2048], 1;\n"
        "cvt.rn.f32.u64 %f1, %d3; mov.u64 %d5, 0;\n"
        "MORE:\nadd.f32 %f1, %f1, %f1;\nadd.u64 %d5, %d5, 1;\nsetp.lt.u64 %p1, %d5, %d3;\n"
        "@%p1 bra MORE;\n"
        "mov.u64 %d12, %clock64; mov.u64 %d13, %globaltimer; mov.u32 %r6, %smid; mov.u32 %r7, "
        "%nsmid;\n"
        "mul.wide.u32 %d6, %r1, 64; add.u64 %d6, %d6, %d1;\n"
        "setp.ne.u32 %p2, %r2, 0;\n@%p2 bra OUT;\n"
        "st.global.u64 [%d6], %d10; st.global.u64 [%d6+8], %d11; st.global.u64 [%d6+16], %d12;\n"
        "st.global.u64 [%d6+24], %d13; st.global.u32 [%d6+32], %r6; st.global.u32 [%d6+36], %r7;\n"
        "st.global.f32 [%d6+40], %f1;\nOUT:\nret;\n}\n");
}

static void put_spin(void)
{
    put(".visible .entry spin(.param .u64 a, .param .u64 b, .param .u64 c)\n{\n"
        ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %d<16>;\n"
        "ld.param.u64 %d1, [a]; ld.param.u64 %d3, [c];\nmov.u64 %d4, %clock64;\n"
        "WAIT:\nmov.u64 %d5, %clock64;\nsub.u64 %d6, %d5, %d4;\nsetp.lt.u64 %p1, %d6, %d3;\n"
        "@%p1 bra WAIT;\nst.global.u64 [%d1], %d6;\nret;\n}\n");
}

static void put_kernels(void)
{
    put(".version 6.0\n.target sm_30\n.address_size 64\n");
    put_timed("short_chain", "", "fma.rn.f32 %f1, %f1, %f2, %f1;\n", 32);
    put_timed("long_chain", "", "fma.rn.f32 %f1, %f1, %f2, %f1;\n", 96);
    put_chase();
    put_blocks();
    put_spin();
}

/* ---- measurements ---------------------------------------------------------------------------- */

static uint64_t module;

/* Milliseconds by events. */
static float launch(const char *name, unsigned blocks, unsigned threads, uint64_t b, uint64_t c)
{
    static void *begin, *end;
    void *function;
    float milliseconds;
    void *arguments[] = {&results, &b, &c};
    int (*start)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                 void *, void **, void **) =
        (int (*)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                 void *, void **, void **))(uintptr_t)find("cuLaunchKernel");
    if (!begin) call("cuEventCreate", place(&begin), 0, 0, 0);
    if (!end) call("cuEventCreate", place(&end), 0, 0, 0);
    call("cuModuleGetFunction", place(&function), module, place((void *)(uintptr_t)name), 0);
    call("cuEventRecord", place(begin), 0, 0, 0);
    int error = start(function, blocks, 1, 1, threads, 1, 1, 0, NULL, arguments, NULL);
    if (error) printf("%s fails: %d\n", name, error), exit(1);
    call("cuEventRecord", place(end), 0, 0, 0);
    call("cuEventSynchronize", place(end), 0, 0, 0);
    call("cuEventElapsedTime_v2", place(&milliseconds), place(begin), place(end), 0);
    return milliseconds;
}

static uint32_t first_result(void)
{
    uint32_t value;
    call("cuMemcpyDtoH_v2", place(&value), results, sizeof value, 0);
    return value;
}

static void show_fma(void)
{
    (void)launch("short_chain", 1, 32, results, 3);
    uint32_t less = first_result();
    (void)launch("long_chain", 1, 32, results, 3);
    printf("fma %g\n", (first_result() - less) / 64.0);
}

/* A ring of `lines` places that are `stride` bytes apart. */
static void show_chase(const char *name, uint64_t stride, uint64_t lines, uint64_t loads)
{
    uint64_t buffer, *ring = calloc(lines, stride);
    call("cuMemAlloc_v2", place(&buffer), lines * stride, 0, 0);
    for (uint64_t i = 0; i < lines; i++)
        ring[i * stride / sizeof *ring] = buffer + (i + 1) % lines * stride;
    call("cuMemcpyHtoD_v2", buffer, place(ring), lines * stride, 0);
    (void)launch("chase", 1, 1, buffer, loads / 2);
    uint32_t less = first_result();
    (void)launch("chase", 1, 1, buffer, loads);
    printf("%s %g\n", name, (first_result() - less) / (double)loads);
    call("cuMemFree_v2", buffer, 0, 0, 0);
    free(ring);
}

static void show_blocks(void)
{
    static uint32_t values[ELEMENTS];
    static uint64_t read[RESULTS / 8];
    const unsigned threads = ELEMENTS / 8;
    uint64_t buffer, before = 0;
    float shorter = 0, longer;
    call("cuMemAlloc_v2", place(&buffer), sizeof values, 0, 0);
    for (unsigned i = 0; i < ELEMENTS; i++)
        values[i] = i;
    call("cuMemcpyHtoD_v2", buffer, place(values), sizeof values, 0);
    call("cuMemsetD8_v2", results, 0, RESULTS, 0);
    for (unsigned round = 0; round < 2; round++)
        shorter = launch("blocks", BLOCKS, threads, buffer, 1000);
    call("cuMemcpyDtoH_v2", place(read), results, sizeof read, 0);
    uint64_t cycles = read[2] - read[0];
    before = read[0];
    for (unsigned round = 0; round < 2; round++)
        longer = launch("blocks", BLOCKS, threads, buffer, 3000);
    call("cuMemcpyDtoH_v2", place(read), results, sizeof read, 0);
    printf("event_us %.6g\n", 1e3 * (double)(longer - shorter));
    printf("clock_cycles %llu\n", (unsigned long long)(read[2] - read[0] - cycles));
    printf("all_cycles %llu\n", (unsigned long long)(read[2] - read[0]));
    printf("timer_ns %llu\n", (unsigned long long)(read[3] - read[1]));
    printf("ascends %d\n", read[0] > before);
    printf("nsmid %u\nsmids", (unsigned)(read[4] >> 32));
    for (unsigned i = 0; i < BLOCKS; i++)
        printf(" %u", (unsigned)read[8 * i + 4]);
    printf("\n");
    call("cuMemcpyDtoH_v2", place(values), buffer, sizeof values, 0);
    unsigned wrong = 0;
    for (unsigned i = 0; i < ELEMENTS; i++) {
        uint32_t wanted = i < BLOCKS * threads ? 81 * i + 40 : i; /* four times 3 x + 1 */
        wrong += values[i] != wanted;
    }
    printf("wrong %u\nadded %u\n", wrong, (unsigned)((uint32_t *)read)[2048 / 4]);
}

/* Of a grid that is not simulated whole, the first block. */
static void show_large_grid(void)
{
    static uint64_t read[8];
    uint64_t buffer;
    const unsigned threads = 256, blocks = 2000;
    call("cuMemAlloc_v2", place(&buffer), (uint64_t)blocks * threads * 4, 0, 0);
    call("cuMemFree_v2", results, 0, 0, 0);
    call("cuMemAlloc_v2", place(&results), (uint64_t)blocks * 64, 0, 0);
    float milliseconds = launch("blocks", blocks, threads, buffer, 100);
    call("cuMemcpyDtoH_v2", place(read), results, sizeof read, 0);
    printf("large_us %.6g\nlarge_cycles %llu\n", 1e3 * (double)milliseconds,
           (unsigned long long)(read[2] - read[0]));
}

/* Memory of the host, of which the kernel updates a part that shares its first and last words with nobody. */
static void show_host_memory(void)
{
    static uint32_t values[ELEMENTS];
    const unsigned first = 3, count = 64;
    unsigned wrong = 0;
    for (unsigned i = 0; i < ELEMENTS; i++)
        values[i] = i;
    call("cuMemHostRegister_v2", place(values + first), count * sizeof *values, 0, 0);
    (void)launch("blocks", 1, count, place(values + first), 10);
    for (unsigned i = 0; i < ELEMENTS; i++)
        wrong += values[i] != (i >= first && i < first + count ? 3 * i + 1 : i);
    printf("wrong_on_host %u\n", wrong);
}

static void show_spin(void)
{
    for (unsigned round = 0; round < 2; round++)
        printf("spin_us%u %.6g\n", round, 1e3 * (double)launch("spin", 1, 32, results, 100000));
    printf("spin_cycles %u\n", first_result());
}

static void show_sleep(void)
{
    void *begin, *end;
    float milliseconds;
    struct timespec wanted = {0, 2000000};
    call("cuEventCreate", place(&begin), 0, 0, 0);
    call("cuEventCreate", place(&end), 0, 0, 0);
    call("cuEventRecord", place(begin), 0, 0, 0);
    usleep(1000);
    nanosleep(&wanted, NULL);
    (void)sleep(100);
    call("cuEventRecord", place(end), 0, 0, 0);
    call("cuEventElapsedTime_v2", place(&milliseconds), place(begin), place(end), 0);
    printf("slept_ms %.7g\n", (double)milliseconds);
}

int main(int argc, char **argv)
{
    void *context;
    uint64_t l1_bytes = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    uint64_t l2_bytes = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    cuda = dlopen("libcuda.so.1", RTLD_NOW);
    if (!cuda) return 1;
    call("cuInit", 0, 0, 0, 0);
    call("cuDevicePrimaryCtxRetain", place(&context), 0, 0, 0);
    call("cuCtxSetCurrent", place(context), 0, 0, 0);
    put_kernels();
    call("cuModuleLoadData", place(&module), place(text), 0, 0);
    call("cuMemAlloc_v2", place(&results), RESULTS, 0, 0);
    show_fma();
    if (l1_bytes) show_chase("l1", 128, 16, 512);
    if (l2_bytes) show_chase("l2", 128, l2_bytes / 512, l2_bytes / 256);
    show_chase("dram", 4096 + 128, 2048, 1024);
    show_blocks();
    show_host_memory();
    show_spin();
    show_sleep();
    show_large_grid();
    return 0;
}
