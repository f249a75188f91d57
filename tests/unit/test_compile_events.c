// SPDX-License-Identifier: Apache-2.0
/* What compiled code tells an observer of its accesses and guards is what the interpreter tells, one event after the
 * other: shapes, bases, strides, lanes and addresses, for whole warps, parts of them, and under guards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "compile/compile.h"
#include "emulate/emulate.h"

/* ---- an observer that writes down ------------------------------------------------------------ */

static void begin(void *self, const struct launch_view *launch)
{
    (void)self, (void)launch;
}
static void end(void *self)
{
    (void)self;
}
static void *worker_begin(void *self)
{
    return self;
}
static void worker_end(void *self, void *worker)
{
    (void)self, (void)worker;
}
static void *block_begin(void *worker, uint64_t block)
{
    (void)worker, (void)block;
    return NULL;
}
static void block_end(void *worker, void *block)
{
    (void)worker, (void)block;
}
static void see_run(void *worker, const struct warp_ref *warp, uint32_t block, uint32_t active)
{
    strbuf_printf(worker, "run %u %u %08x\n", warp->index, block, active);
}
static void see_guard(void *worker, const struct warp_ref *warp, uint32_t insn, uint32_t active,
                      uint32_t on)
{
    strbuf_printf(worker, "guard %u %u %08x %08x\n", warp->index, insn, active, on);
}
static void see_memory(void *worker, const struct warp_ref *warp, uint32_t insn,
                       const struct access *access)
{
    const struct access *a = access;
    strbuf_printf(worker, "memory %u %u space %u shape %u bytes %u lanes %08x", warp->index, insn,
                  a->space, a->shape, a->bytes, a->mask);
    if (a->shape != ACCESS_GENERAL)
        strbuf_printf(worker, " %llx %llx %llx", (unsigned long long)a->base,
                      (unsigned long long)a->base2, (unsigned long long)a->stride);
    for (unsigned i = 0; i < 32; i++)
        if (a->mask >> i & 1) strbuf_printf(worker, " %llx", (unsigned long long)a->addresses[i]);
    strbuf_puts(worker, "\n");
}
static void see_branch(void *worker, const struct warp_ref *warp, uint32_t insn, uint32_t active,
                       uint32_t taken, uint32_t targets)
{
    strbuf_printf(worker, "branch %u %u %08x %08x %u\n", warp->index, insn, active, taken, targets);
}
static void see_barrier(void *worker, const struct warp_ref *warp, uint32_t insn, bool waits)
{
    strbuf_printf(worker, "barrier %u %u %d\n", warp->index, insn, waits);
}
/* One by one. */
static bool is_ordered(void *worker, const struct warp_ref *warp)
{
    (void)worker, (void)warp;
    return true;
}
static const struct observer_ops ops = {
    .launch_begin = begin,
    .launch_end = end,
    .worker_begin = worker_begin,
    .worker_end = worker_end,
    .block_begin = block_begin,
    .block_end = block_end,
    .run = see_run,
    .is_ordered = is_ordered,
    .guard = see_guard,
    .memory = see_memory,
    .branch = see_branch,
    .barrier = see_barrier,
};

/* ---- one kernel for all ---------------------------------------------------------------------- */

/* %r1: the thread; %q: the lanes that take part, in turn by branch and by guard. The offset of a lane is
 * (thread * step ^ bits) within its buffer. A part of the second warp does not exist. */
static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".const .align 8 .b8 table[256];\n"
    ".visible .entry k(.param .u64 p, .param .u32 lanes, .param .u32 step, .param .u32 bits)\n{\n"
    ".shared .align 16 .b8 s[16384]; .local .align 16 .b8 l[64];\n"
    ".reg .b16 %h<8>; .reg .b32 %r<16>; .reg .b64 %d<16>; .reg .pred %q, %e; .reg .f32 %f<8>;\n"
    "ld.param.u64 %d0, [p]; ld.param.u32 %r2, [lanes]; ld.param.u32 %r3, [step];\n"
    "ld.param.u32 %r4, [bits]; mov.u32 %r1, %tid.x; mul.lo.u32 %r5, %r1, %r3;\n"
    "xor.b32 %r5, %r5, %r4; and.b32 %r5, %r5, 16320; cvt.u64.u32 %d1, %r5; add.u64 %d1, %d1, %d0;\n"
    "mov.u32 %r6, s; add.u32 %r6, %r6, %r5; and.b32 %r7, %r1, 31; shr.u32 %r7, %r2, %r7;\n"
    "and.b32 %r7, %r7, 1; setp.ne.u32 %q, %r7, 0; mov.u64 %d5, table; mov.u64 %d6, l;\n"
    "and.b32 %r8, %r1, 31; cvt.u64.u32 %d7, %r8; add.u64 %d6, %d6, %d7; add.u64 %d7, %d5, %d7;\n"
    "@!%q bra OTHERS;\n"
#define ACCESSES(guard)                                                                            \
    guard "ld.global.u32 %r9, [%d1];" guard "ld.global.u8 %h1, [%d1+3];" guard                     \
          "ld.global.s16 %r10, [%d1+2];" guard                                                     \
          "ld.global.v4.u32 {%r11, %r12, %r13, %r14}, [%d1];" guard                                \
          "ld.global.v2.u64 {%d8, %d9}, [%d1+16];" guard "ld.global.b64 %d10, [%d1+8];" guard      \
          "st.global.b32 [%d1+4], %r9;" guard "st.global.u8 [%d1+1], %h1;" guard                   \
          "st.shared.v2.b32 [%r6], {%r11, %r10};" guard "ld.shared.u32 %r9, [%r6+4];" guard        \
          "st.shared.u16 [%r6+6], %h1;" guard "ld.shared.b64 %d11, [%r6+8];" guard                 \
          "st.local.u8 [%d6], %h1;" guard "ld.local.u8 %h2, [%d6];" guard                          \
          "ld.const.u8 %h3, [%d7];" guard "ld.const.u32 %r15, [%d5+16];" guard                     \
          "ld.param.u32 %r11, [step];" guard "add.u32 %r12, %r9, %r15;" guard                      \
          "ld.b32 %r13, [%d1+12];" guard "setp.eq.u32 %e, %r12, 0;\n"
    ACCESSES("") "OTHERS:\n" ACCESSES("@%q ")
        ACCESSES("@!%q ") "bar.sync 0;\n" ACCESSES("") "ret;\n}\n";

enum { THREADS = 56, BYTES = 1 << 15 };

struct parameters {
    uint64_t address;
    uint32_t lanes, step, bits;
};

static void observe(const struct engine *engine, struct parameters parameters, struct strbuf *out)
{
    struct diag diag = {0};
    struct module *module;
    struct device *device;
    struct observer observer = {&ops, out};
    const struct device_options options = {.threads = 1, .isa_level = -1, .engine = engine};
    struct launch_options launch = {.grid = {1, 1, 1},
                                    .block = {THREADS, 1, 1},
                                    .parameters = &parameters,
                                    .parameter_bytes = offsetof(struct parameters, bits) + 4,
                                    .observer = &observer};
    if (module_load_memory(&diag, "k.ptx", ptx, strlen(ptx), &module) != WS_OK)
        fail_msg("%s", diag.text);
    assert_int_equal(device_create(&diag, &options, &device), WS_OK);
    assert_int_equal(device_alloc(&diag, device, BYTES, &parameters.address), WS_OK);
    assert_int_equal(device_fill(&diag, device, parameters.address, 7, BYTES), WS_OK);
    assert_int_equal(module_find_entry(&diag, module, "k", &launch.entry), WS_OK);
    struct launch_result result;
    if (device_launch(&diag, device, module, &launch, &result) != WS_OK) fail_msg("%s", diag.text);
    if (engine && device_isa_levels() == 3) assert_true(result.compiled_instructions > 100);
    device_destroy(device);
    module_destroy(module);
}

static void compare(uint32_t lanes, uint32_t step, uint32_t bits)
{
    struct strbuf interpreted = {0}, compiled = {0};
    const struct parameters parameters = {.lanes = lanes, .step = step, .bits = bits};
    observe(NULL, parameters, &interpreted);
    observe(compile_engine(), parameters, &compiled);
    const char *a = interpreted.data, *b = compiled.data;
    size_t line = 0;
    for (size_t i = 0; a[i] || b[i]; i++) {
        if (a[i] == '\n') line = i + 1;
        if (a[i] != b[i])
            fail_msg("lanes %08x, step %u, bits %u:\n%.400s\ncompiled:\n%.400s", lanes, step, bits,
                     a + line, b + line);
    }
    strbuf_clear(&interpreted);
    strbuf_clear(&compiled);
}

/* All, one, neighbours, every second, every third from lane 1 on, the ends, halves. */
static const uint32_t lane_sets[] = {0xffffffff, 0x00000001, 0x80000000, 0x00000300, 0x55555555,
                                     0x92492492, 0x80000001, 0xffff0000, 0x0000ffff, 0x00f000f0};
/* By the buffer and by what the kernel allows: 0 uniform; 64 and 192 strided; the others general. */
static const uint32_t steps[] = {0, 64, 128, 192, 320, 4160};
static const uint32_t bit_sets[] = {0, 64, 1024, 2112};

static void test_events(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof lane_sets / sizeof *lane_sets; i++)
        for (unsigned k = 0; k < sizeof steps / sizeof *steps; k++)
            for (unsigned n = 0; n < sizeof bit_sets / sizeof *bit_sets; n++)
                compare(lane_sets[i], steps[k], bit_sets[n]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_events)};
    return cmocka_run_group_tests_name("compile_events", tests, NULL, NULL);
}
