// SPDX-License-Identifier: Apache-2.0
/* Native code of mma: every shape and type that is executed, run as PTX and as the native code that ptxas makes of
 * it. The elements are small multiples of 1/8, so that all sums are exact in every order. Skipped without ptxas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/half.h"
#include "base/memory.h"
#include "support/kernel_run.h"
#include "support/native_twin.h"

enum { LANES = 32, BLOCKS = 8, WORDS = 32 /* of a lane */ };

static const struct product {
    unsigned since;
    const char *text;
    const char *type, *sum; /* of factors and sums */
    unsigned a, b, c;       /* registers */
    const char *selector;   /* of those that are sparse */
} products[] = {
    {75, "m16n8k8.row.col.f16.f16.f16.f16", "f16", "f16", 2, 1, 2, NULL},
    {75, "m16n8k8.row.col.f32.f16.f16.f32", "f16", "f32", 2, 1, 4, NULL},
    {80, "m16n8k16.row.col.f16.f16.f16.f16", "f16", "f16", 4, 2, 2, NULL},
    {80, "m16n8k16.row.col.f32.f16.f16.f32", "f16", "f32", 4, 2, 4, NULL},
    {80, "m16n8k8.row.col.f32.bf16.bf16.f32", "bf16", "f32", 2, 1, 4, NULL},
    {80, "m16n8k16.row.col.f32.bf16.bf16.f32", "bf16", "f32", 4, 2, 4, NULL},
    {80, "m16n8k4.row.col.f32.tf32.tf32.f32", "f32", "f32", 2, 1, 4, NULL},
    {80, "m16n8k8.row.col.f32.tf32.tf32.f32", "f32", "f32", 4, 2, 4, NULL},
    {80, "m8n8k4.row.col.f64.f64.f64.f64", "f64", "f64", 1, 1, 2, NULL},
    {90, "m16n8k4.row.col.f64.f64.f64.f64", "f64", "f64", 2, 1, 4, NULL},
    {90, "m16n8k8.row.col.f64.f64.f64.f64", "f64", "f64", 4, 2, 4, NULL},
    {90, "m16n8k16.row.col.f64.f64.f64.f64", "f64", "f64", 8, 4, 4, NULL},
    {75, "m8n8k16.row.col.s32.s8.s8.s32", "s8", "s32", 1, 1, 2, NULL},
    {75, "m8n8k16.row.col.satfinite.s32.u8.s8.s32", "s8", "s32", 1, 1, 2, NULL},
    {80, "m16n8k16.row.col.s32.s8.u8.s32", "s8", "s32", 2, 1, 4, NULL},
    {80, "m16n8k16.row.col.satfinite.s32.u8.u8.s32", "s8", "s32", 2, 1, 4, NULL},
    {80, "m16n8k32.row.col.s32.u8.s8.s32", "s8", "s32", 4, 2, 4, NULL},
    {80, "m16n8k32.row.col.satfinite.s32.s8.s8.s32", "s8", "s32", 4, 2, 4, NULL},
    {75, "m8n8k32.row.col.s32.s4.u4.s32", "s8", "s32", 1, 1, 2, NULL},
    {80, "m16n8k32.row.col.satfinite.s32.u4.u4.s32", "s8", "s32", 2, 1, 4, NULL},
    {80, "m16n8k64.row.col.s32.u4.s4.s32", "s8", "s32", 4, 2, 4, NULL},
    {75, "m8n8k128.row.col.s32.b1.b1.s32.xor.popc", "s8", "s32", 1, 1, 2, NULL},
    {80, "m16n8k128.row.col.s32.b1.b1.s32.and.popc", "s8", "s32", 2, 1, 4, NULL},
    {80, "m16n8k256.row.col.s32.b1.b1.s32.xor.popc", "s8", "s32", 4, 2, 4, NULL},
    {80, "m16n8k16.row.col.f32.f16.f16.f32", "f16", "f32", 2, 2, 4, "2"},
    {80, "m16n8k32.row.col.f16.f16.f16.f16", "f16", "f16", 4, 4, 2, "1"},
    {80, "m16n8k32.row.col.f32.bf16.bf16.f32", "bf16", "f32", 4, 4, 4, "0"},
    {80, "m16n8k8.row.col.f32.tf32.tf32.f32", "f32", "f32", 2, 2, 4, "3"},
    {80, "m16n8k16.row.col.f32.tf32.tf32.f32", "f32", "f32", 4, 4, 4, "1"},
    {80, "m16n8k32.row.col.s32.s8.u8.s32", "s8", "s32", 2, 2, 4, "1"},
    {80, "m16n8k64.row.col.satfinite.s32.u8.s8.s32", "s8", "s32", 4, 4, 4, "0"},
    {80, "m16n8k64.row.col.s32.s4.u4.s32", "s8", "s32", 2, 2, 4, "1"},
    {80, "m16n8k128.row.col.s32.u4.s4.s32", "s8", "s32", 4, 4, 4, "0"},
};
enum { PRODUCTS = sizeof products / sizeof *products };

static const char *register_type(const char *type)
{
    return !strcmp(type, "f64") ? "f64" : !strcmp(type, "f32") ? "f32" : "b32";
}

static void print_registers(struct strbuf *out, char letter, unsigned count)
{
    strbuf_printf(out, "{");
    for (unsigned k = 0; k < count; k++)
        strbuf_printf(out, "%s%%%c%u", k ? ", " : "", letter, k);
    strbuf_printf(out, "}");
}

static unsigned load_registers(struct strbuf *out, char letter, const char *type, unsigned count,
                               unsigned offset)
{
    unsigned bytes = strcmp(type, "f64") ? 4 : 8;
    for (unsigned k = 0; k < count; k++, offset += bytes)
        strbuf_printf(out, " ld.global.%s %%%c%u, [%%in+%u];\n", type, letter, k, offset);
    return offset;
}

static void print_kernel(struct strbuf *out, const struct product *p, unsigned n)
{
    bool is_tf32 = strstr(p->text, "tf32");
    const char *type = is_tf32 ? "b32" : register_type(p->type), *sum = register_type(p->sum);
    unsigned bytes = strcmp(sum, "f64") ? 4 : 8;
    strbuf_printf(out,
                  ".visible .entry k%u(.param .u64 in, .param .u64 out) {\n"
                  " .reg .b32 %%t, %%n, %%m, %%e; .reg .b64 %%in, %%out; .reg .%s %%a<8>, %%b<4>;\n"
                  " .reg .%s %%c<4>, %%d<4>;\n"
                  " ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; mov.u32 %%t, %%tid.x;\n"
                  " mov.u32 %%n, %%ctaid.x; mad.lo.u32 %%t, %%n, 32, %%t;\n"
                  " mad.wide.u32 %%in, %%t, %d, %%in; mad.wide.u32 %%out, %%t, 32, %%out;\n",
                  n, type, sum, 4 * WORDS);
    unsigned offset = load_registers(out, 'a', type, p->a, 0);
    offset = load_registers(out, 'b', type, p->b, offset);
    offset = load_registers(out, 'c', sum, p->c, offset);
    if (p->selector) strbuf_printf(out, " ld.global.b32 %%e, [%%in+%u];\n", offset);
    strbuf_printf(out, " mma%s.sync.aligned.%s ", p->selector ? ".sp" : "", p->text);
    print_registers(out, 'd', p->c);
    strbuf_printf(out, ", ");
    print_registers(out, 'a', p->a);
    strbuf_printf(out, ", ");
    print_registers(out, 'b', p->b);
    strbuf_printf(out, ", ");
    print_registers(out, 'c', p->c);
    if (p->selector) strbuf_printf(out, ", %%e, %s", p->selector);
    strbuf_printf(out, ";\n");
    for (unsigned k = 0; k < p->c; k++)
        strbuf_printf(out, " st.global.%s [%%out+%u], %%d%u;\n", sum, k * bytes, k);
    strbuf_printf(out, " ret; }\n");
}

/* Words of one register of this type, at `to`. */
static unsigned fill(const char *type, uint32_t *to, uint64_t *state)
{
    float values[2];
    for (unsigned k = 0; k < 2; k++)
        values[k] = (float)(random_u32(state) % 33) / 8.0f - 2.0f;
    double wide = (double)values[0];
    if (!strcmp(type, "f64")) memcpy(to, &wide, sizeof wide);
    if (!strcmp(type, "f32")) memcpy(to, values, sizeof *to);
    if (!strcmp(type, "f16"))
        *to = half_from_float(values[0], 0) | (uint32_t)half_from_float(values[1], 0) << 16;
    if (!strcmp(type, "bf16"))
        *to = bf16_from_float(values[0]) | (uint32_t)bf16_from_float(values[1]) << 16;
    if (type[0] == 's') *to = random_u32(state) % 8 ? random_u32(state) : 0x7fffff00;
    return strcmp(type, "f64") ? 1 : 2;
}

static bool compare_product(struct native_twin *twin, unsigned target, unsigned n)
{
    static uint32_t inputs[BLOCKS * LANES][WORDS], wanted[BLOCKS * LANES][8],
        got[BLOCKS * LANES][8];
    const struct product *p = &products[n];
    uint64_t state = n;
    char name[16];
    for (unsigned i = 0; i < BLOCKS * LANES; i++) {
        unsigned at = 0;
        for (unsigned k = 0; k < p->a + p->b; k++)
            at += fill(p->type, inputs[i] + at, &state);
        for (unsigned k = 0; k < p->c; k++)
            at += fill(p->sum, inputs[i] + at, &state);
        if (p->selector) inputs[i][at] = random_u32(&state);
    }
    snprintf(name, sizeof name, "k%u", n);
    twin_input(twin, inputs, sizeof inputs);
    if (!twin_run(twin, false, name, BLOCKS, LANES, wanted)) fail_msg("%s", twin->error);
    bool runs = twin_run(twin, true, name, BLOCKS, LANES, got);
    bool same = runs && !memcmp(wanted, got, sizeof got);
    if (!same) fprintf(stderr, "sm_%u %s: %s\n", target, p->text, runs ? "differs" : twin->error);
    return same;
}

static void test_products(void **state)
{
    (void)state;
    unsigned failures = 0, target;
    if (!twin_has_ptxas()) skip();
    for (size_t t = 0; (target = twin_target(t)) != 0; t++) {
        struct strbuf text = {0};
        struct native_twin twin;
        strbuf_printf(&text, ".version 8.6\n.target sm_%u\n.address_size 64\n", target);
        for (unsigned n = 0; n < PRODUCTS; n++)
            if (products[n].since <= target) print_kernel(&text, &products[n], n);
        twin_begin(&twin, target, &text, sizeof(uint32_t[BLOCKS * LANES][WORDS]),
                   sizeof(uint32_t[BLOCKS * LANES][8]));
        for (unsigned n = 0; n < PRODUCTS; n++)
            if (products[n].since <= target) failures += !compare_product(&twin, target, n);
        twin_end(&twin);
        mem_free(strbuf_take(&text));
    }
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
