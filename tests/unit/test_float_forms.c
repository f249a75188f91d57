// SPDX-License-Identifier: Apache-2.0
/* Which floating-point forms are PTX: every product of operation, type, precision and up to three
 * modifiers is accepted exactly if tests/ptx/float_forms.txt lists it, which ptxas decided. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "decode/module.h"

static const struct {
    const char *name;
    unsigned sources;
} operations[] = {{"add", 2}, {"sub", 2}, {"mul", 2},  {"fma", 3},   {"mad", 3},
                  {"div", 2}, {"rcp", 1}, {"sqrt", 1}, {"rsqrt", 1}, {"sin", 1},
                  {"cos", 1}, {"lg2", 1}, {"ex2", 1},  {"tanh", 1},  {"abs", 1},
                  {"neg", 1}, {"min", 2}, {"max", 2},  {"min3", 3},  {"max3", 3}};
static const struct {
    const char *name;
    char registers, narrow; /* of the last source and the result; of the other sources */
} types[] = {{"f16", 'h', 'h'},    {"f16x2", 'w', 'w'},   {"bf16", 'h', 'h'},
             {"bf16x2", 'w', 'w'}, {"f32", 's', 's'},     {"f32x2", 'l', 'l'},
             {"f64", 'd', 'd'},    {"f32.f16", 's', 'h'}, {"f32.bf16", 's', 'h'}};
static const char *const precisions[] = {"", ".rn", ".rz", ".rm", ".rp", ".approx", ".full"};
static const char *const modifiers[] = {".ftz", ".sat",     ".relu", ".oob",
                                        ".NaN", ".xorsign", ".abs"};
#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool accepts(const char *form, size_t operation, size_t type)
{
    static const char head[] = ".version 8.8\n.target sm_100\n.address_size 64\n"
                               ".visible .entry k()\n{\n.reg .b16 %h<4>; .reg .b32 %w<4>; "
                               ".reg .f32 %s<4>; .reg .b64 %l<4>; .reg .f64 %d<4>;\n";
    char text[512];
    bool three = strchr(form, '3') == form + 3; /* min3 is written min */
    int length = snprintf(text, sizeof text, "%s%.3s%s %%%c0", head, form, form + (three ? 4 : 3),
                          types[type].registers);
    for (unsigned k = 0; k < operations[operation].sources; k++) {
        bool last = k + 1 == operations[operation].sources;
        char kind = last ? types[type].registers : types[type].narrow;
        length += snprintf(text + length, sizeof text - (size_t)length, ", %%%c1", kind);
    }
    length += snprintf(text + length, sizeof text - (size_t)length, ";\nret;\n}\n");
    struct diag diag = {0};
    struct module *module = NULL;
    ws_status status = module_load_memory(&diag, "form.ptx", text, (size_t)length, &module);
    bool accepted = status == WS_OK && module->functions[0].unsupported_count == 0;
    module_destroy(module);
    diag_clear(&diag);
    return accepted;
}

static bool is_listed(const char *list, const char *form)
{
    char line[256];
    snprintf(line, sizeof line, "\n%s\n", form);
    return strstr(list, line) != NULL;
}

/* Sets of at most three modifiers, as bits. */
static void check_sets(const char *list, size_t operation, size_t type, size_t precision,
                       unsigned *listed)
{
    for (unsigned set = 0; set < 1u << COUNT(modifiers); set++) {
        if (__builtin_popcount(set) > 3) continue;
        char form[64];
        int length =
            snprintf(form, sizeof form, "%s%s", operations[operation].name, precisions[precision]);
        for (size_t m = 0; m < COUNT(modifiers); m++)
            if (set >> m & 1)
                length += snprintf(form + length, sizeof form - (size_t)length, "%s", modifiers[m]);
        snprintf(form + length, sizeof form - (size_t)length, ".%s", types[type].name);
        bool legal = is_listed(list, form);
        *listed += legal;
        if (accepts(form, operation, type) != legal)
            fail_msg("%s is %s", form, legal ? "PTX but refused" : "not PTX but accepted");
    }
}

static void forms(void **state)
{
    (void)state;
    struct diag diag = {0};
    struct arena arena = {0};
    char *list;
    size_t size;
    unsigned listed = 0, lines = 0;
    assert_int_equal(text_read_file(&diag, &arena, TESTS_DIR "/ptx/float_forms.txt", &list, &size),
                     WS_OK);
    for (size_t i = 0; i < size; i++)
        lines += list[i] == '\n';
    for (size_t operation = 0; operation < COUNT(operations); operation++)
        for (size_t type = 0; type < COUNT(types); type++)
            for (size_t precision = 0; precision < COUNT(precisions); precision++)
                check_sets(list, operation, type, precision, &listed);
    enum { COMMENTS = 3 };
    assert_int_equal(listed + COMMENTS, lines); /* all of the list has been met */
    arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(forms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
