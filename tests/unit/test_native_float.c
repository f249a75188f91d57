// SPDX-License-Identifier: Apache-2.0
/* Native code of floating point: instructions of tests/native/float.txt, each in several kernels, run as PTX
 * and as the native code that ptxas makes of them, on the same operands; the results must be equal. Skipped
 * without ptxas. WARPSAGE_TARGETS="80 90" limits the targets, WARPSAGE_ONLY=text the instructions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <warpsage/warpsage.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "support/kernel_run.h"
#include "support/native_twin.h"

enum { SOURCES_MAX = 4, THREADS = 64, BLOCKS = 64, LANES_ALL = THREADS * BLOCKS };

/* One line: since, tolerance in units of the last place, instruction, type of the result, of the sources */
struct form {
    unsigned since;
    double tolerance;
    bool any_nan;       /* all NaN are equal */
    bool flushes_early; /* a subnormal number that rounding would make normal is 0 */
    bool no_signs;      /* ptxas loses the sign of a half */
    bool no_guard;      /* ptxas drops the guard of testp, and of a part of set */
    char text[80], result[8], sources[SOURCES_MAX][8];
    unsigned count;
};

enum variant {
    PLAIN,
    NEGATED, /* all sources */
    IMMEDIATE,
    CONSTANT,
    GUARDED,   /* for every other lane */
    NEGATED_1, /* of sums and products some sources, which have loops of their own */
    NEGATED_2,
    NEGATED_3,
    NEGATED_1_3,
    PART_NEGATED_1,
    PART_NEGATED_2,
    PART_NEGATED_3,
    PART_NEGATED_1_3,
    ONE_HALF, /* of pairs of halves: every source has the same half twice */
    PART_ONE_HALF,
    VARIANTS
};

static bool is_pair(const char *type)
{
    return strstr(type, "x2");
}
static unsigned bits_of(const char *type)
{
    if (!strcmp(type, "pred")) return 32;
    unsigned bits = (unsigned)atoi(type + strcspn(type, "0123456789"));
    return is_pair(type) ? 2 * bits : bits;
}
static bool is_float(const char *type)
{
    return type[0] == 'f' || !strncmp(type, "bf", 2);
}
/* Type of its register. */
static const char *holder(const char *type)
{
    if (!strcmp(type, "pred") || !strcmp(type, "f32") || !strcmp(type, "f64")) return type;
    unsigned bits = bits_of(type);
    return bits == 64 ? "b64" : bits == 32 ? "b32" : "b16";
}
static const char *suffix(const char *type)
{
    static char text[8];
    snprintf(text, sizeof text, "%s%s", type, ""); /* neg.bf16x2 */
    return text;
}

/* In a loop that every other lane leaves early; ptxas makes selections of guards. */
static bool is_looped(enum variant variant)
{
    return variant >= PART_NEGATED_1 && variant != ONE_HALF;
}

/* Sources that are negated, all others plain: a bit each. */
static unsigned signs_of(enum variant variant)
{
    static const unsigned signs[] = {1, 2, 4, 5};
    if (variant < NEGATED_1 || variant > PART_NEGATED_1_3) return 0;
    return signs[(variant - NEGATED_1) % (sizeof signs / sizeof *signs)];
}

/* Only nearest rounding: the others share what is done about signs. */
static bool is_sum_or_product(const struct form *form)
{
    return is_float(form->sources[0]) && !strstr(form->text, ".rz.") &&
           !strstr(form->text, ".rm.") && !strstr(form->text, ".rp.") &&
           (!strncmp(form->text, "add.", 4) || !strncmp(form->text, "sub.", 4) ||
            !strncmp(form->text, "mul.", 4) || !strncmp(form->text, "fma.", 4));
}

static bool applies(const struct form *form, enum variant variant)
{
    unsigned signs = signs_of(variant);
    if (variant == GUARDED && form->no_guard) return false;
    if ((signs || variant == NEGATED) && form->no_signs) return false;
    if (signs) return is_sum_or_product(form) && !(signs >> form->count);
    return is_pair(form->sources[0]) || (variant != ONE_HALF && variant != PART_ONE_HALF);
}

static void print_operand(struct strbuf *out, const struct form *form, unsigned k,
                          enum variant variant)
{
    const char *type = form->sources[k];
    bool is_last = k + 1 == form->count && k > 0, is_pred = !strcmp(type, "pred");
    if (variant == CONSTANT && is_last && !is_pred && bits_of(type) >= 32) {
        strbuf_printf(out, "%%c%u", k);
    } else if (variant == IMMEDIATE && is_last && !strcmp(type, "f32")) {
        strbuf_printf(out, "0f3F9E0419");
    } else if (variant == IMMEDIATE && is_last && !strcmp(type, "f64")) {
        strbuf_printf(out, "0dBFF3C08300000000");
    } else {
        strbuf_printf(out, "%%s%u", k);
    }
}

static void print_sources(struct strbuf *out, const struct form *form, enum variant variant)
{
    for (unsigned k = 0; k < form->count; k++) {
        const char *type = form->sources[k], *kept = holder(type);
        if (!strcmp(type, "pred")) {
            strbuf_printf(out, " .reg .pred %%s%u; setp.ne.u32 %%s%u, %%odd, 0;\n", k, k);
            continue;
        }
        strbuf_printf(out, " .reg .%s %%s%u, %%c%u;\n", kept, k, k);
        unsigned bits = bits_of(type);
        const char *width = bits == 8 ? type : kept;
        const char *how = is_looped(variant) ? "volatile." : "";
        strbuf_printf(out, " ld.%sglobal.%s %%s%u, [%%in+%u];\n", how, width, k, 8 * k);
        if (bits >= 32) strbuf_printf(out, " ld.param.%s %%c%u, [constant];\n", kept, k);
        if (signs_of(variant) >> k & 1)
            strbuf_printf(out, " neg.%s %%s%u, %%s%u;\n", suffix(type), k, k);
        if ((variant == ONE_HALF || variant == PART_ONE_HALF) && is_pair(type))
            strbuf_printf(
                out, " { .reg .b16 %%l, %%h; mov.b32 {%%l, %%h}, %%s%u; mov.b32 %%s%u, {%s}; }\n",
                k, k, k == 1 ? "%h, %h" : "%l, %l");
        if (variant != NEGATED || !is_float(type) || bits < 16) continue;
        strbuf_printf(out, " %s.%s %%s%u, %%s%u;\n", k + 1 == form->count ? "abs" : "neg",
                      suffix(type), k, k);
        if (k + 1 == form->count && k > 0)
            strbuf_printf(out, " neg.%s %%s%u, %%s%u;\n", suffix(type), k, k);
    }
}

/* setp of one half has a single result. */
static bool has_second_result(const struct form *form)
{
    size_t length = strlen(form->text);
    bool is_half = length > 4 && !strcmp(form->text + length - 3, "f16");
    return !strncmp(form->text, "setp.", 5) && !is_half;
}

/* Entry kN_V(in, out, constant). */
static void print_kernel(struct strbuf *out, const struct form *form, size_t n,
                         enum variant variant)
{
    bool is_pred = !strcmp(form->result, "pred");
    strbuf_printf(
        out, ".visible .entry k%zu_%d(.param .u64 in, .param .u64 out, .param .b64 constant) {\n",
        n, (int)variant);
    strbuf_printf(out,
                  " .reg .b32 %%t, %%b, %%odd, %%x; .reg .b64 %%in, %%out, %%w; .reg .pred %%go;\n"
                  " mov.u32 %%t, %%tid.x; mov.u32 %%b, %%ctaid.x; mad.lo.u32 %%t, %%b, 64, %%t;\n"
                  " ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; and.b32 %%odd, %%t, 1;\n"
                  " mad.wide.u32 %%in, %%t, 32, %%in; mad.wide.u32 %%out, %%t, 8, %%out;\n");
    if (is_looped(variant)) strbuf_printf(out, "AGAIN:\n");
    print_sources(out, form, variant);
    const char *kept = holder(form->result), *text = form->text;
    if (is_pred) {
        strbuf_printf(out, " .reg .pred %%d, %%e; setp.eq.u32 %%d, %%odd, 0; mov.pred %%e, %%d;\n");
    } else {
        strbuf_printf(out, " .reg .%s %%d;\n", kept);
        if (variant == GUARDED) strbuf_printf(out, " ld.global.%s %%d, [%%in+24];\n", kept);
    }
    if (variant == GUARDED) strbuf_printf(out, " setp.ne.u32 %%go, %%odd, 0;\n @%%go");
    strbuf_printf(out, " %s %%d%s", text, has_second_result(form) ? "|%e" : "");
    for (unsigned k = 0; k < form->count; k++) {
        strbuf_printf(out, ", ");
        print_operand(out, form, k, variant);
    }
    strbuf_printf(out, ";\n");
    if (is_looped(variant))
        strbuf_printf(out, " setp.ne.u32 %%go, %%odd, 0; mov.u32 %%odd, 0;\n @%%go bra AGAIN;\n");
    if (is_pred)
        strbuf_printf(out, " .reg .b32 %%e1; selp.b32 %%x, 1, 0, %%d; selp.b32 %%e1, 2, 0, %%e; "
                           "or.b32 %%x, %%x, %%e1;\n"
                           " st.global.b32 [%%out], %%x; ret; }\n");
    else
        strbuf_printf(out, " st.global.%s [%%out], %%d; ret; }\n",
                      bits_of(form->result) == 8 ? "b8" : kept);
}

/* ---- operands -------------------------------------------------------------------------------- */

static uint64_t edge(const char *type, uint64_t *state)
{
    static const uint32_t singles[] = {
        0,          0x80000000, 1,          0x80000001, 0x7fffff,   0x800000,   0x80800000,
        0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001,
        0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f000000, 0x4b000001, 0x4f000000, 0xcf000000,
        0x5f000000, 0x40490fdb, 0x3f800001, 0x7e800000, 0x7f000000, 0x00ffffff};
    static const uint16_t halves[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x400,
                                      0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe01,
                                      0x3c00, 0xbc00, 0x3bff, 0x3800, 0x7f80, 0xff80,
                                      0x7fff, 0x7c01, 0x7ff7, 0x80,   0x3f80, 0x7f7f};
    uint32_t high = random_u32(state), low = random_u32(state);
    unsigned bits = bits_of(type), kind = random_u32(state) % 8;
    if (!is_float(type)) { /* few bits, all ones, one bit */
        uint64_t value = (uint64_t)high << 32 | low;
        return kind < 2    ? value & 3
               : kind == 2 ? ~(value & 7)
               : kind == 3 ? UINT64_C(1) << (low & 63)
               : kind == 4 ? value >> (high & 63)
                           : value;
    }
    if (bits == 64) {
        if (kind < 3) { /* an edge of f32 in this width, or a neighbour of one */
            uint64_t top = singles[low % (sizeof singles / 4)], m = top & 0x7fffff;
            if ((top & 0x7fffffff) > 0x7f800000) m |= 0x400000; /* quiet */
            uint64_t e = top >> 23 & 0xff, wide = e == 0xff ? 0x7ff : e == 0 ? 0 : e + 896;
            return (top >> 31) << 63 | wide << 52 | m << 29 |
                   (high & 1 && wide != 0x7ff ? high & 7 : 0);
        }
        if (kind < 6) /* about 1 */
            return ((uint64_t)(high & 0x800fffff) | (uint64_t)(1023 - 70 + low % 140) << 20) << 32 |
                   random_u32(state);
        return (uint64_t)high << 32 | low;
    }
    if (strcmp(type, "f32")) {
        uint32_t two[2];
        for (unsigned k = 0; k < 2; k++) {
            uint32_t r = random_u32(state);
            two[k] = kind < 3   ? halves[r % (sizeof halves / 2)]
                     : kind < 6 ? (r & 0x83ff) | (10 + (r >> 16) % 10) << 10
                                : r & 0xffff;
        }
        return two[0] | two[1] << 16;
    }
    if (kind < 3) return singles[low % (sizeof singles / 4)];
    if (kind < 6) return (high & 0x807fffff) | (127 - 24 + low % 48) << 23;
    return low;
}

/* ---- comparison ------------------------------------------------------------------------------ */

static double value_of(const char *type, uint64_t bits)
{
    float single;
    double value;
    uint32_t word = (uint32_t)bits;
    if (bits_of(type) == 64) {
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    memcpy(&single, &word, sizeof single);
    return single;
}

static bool is_close(const struct form *form, unsigned variant, uint64_t a, uint64_t b)
{
    if (a == b) return true;
    /* PTX's neg and abs make one NaN of all, signs of native operands do not. */
    bool is_single = !strcmp(form->result, "f32") || !strcmp(form->result, "f64") ||
                     !strcmp(form->result, "b32");
    bool any_nan = is_single && (form->any_nan || variant == NEGATED || signs_of(variant));
    double x = value_of(form->result, a), y = value_of(form->result, b);
    if (x != x && y != y) return any_nan || form->tolerance != 0;
    bool is_least = fabs(x) == 0x1p-126 && y == 0;
    if (form->flushes_early && is_least) return true;
    if (form->tolerance == 0 || x != x || y != y) return false;
    double unit = bits_of(form->result) == 64 ? 0x1p-52 : 0x1p-23;
    double least = bits_of(form->result) == 64 ? 0x1p-1022 : 0x1p-126;
    double size = unit * (fabs(x) > least ? fabs(x) : least), bound = form->tolerance * size;
    if (form->tolerance < 0) bound = fmax(exp2(form->tolerance), size); /* an absolute bound */
    return fabs(x - y) <= bound;
}

static size_t read_forms(struct form *forms, size_t room, unsigned target)
{
    char line[256], tolerance[16];
    size_t count = 0;
    const char *only = getenv("WARPSAGE_ONLY");
    FILE *file = fopen(SOURCE_DIR "/tests/native/float.txt", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        struct form form = {0};
        int fields =
            sscanf(line, "%u %15s %79s %7s %7s %7s %7s %7s", &form.since, tolerance, form.text,
                   form.result, form.sources[0], form.sources[1], form.sources[2], form.sources[3]);
        if (fields < 5 || line[0] == '#') continue;
        form.tolerance = strtod(tolerance, NULL);
        form.any_nan = strchr(tolerance, 'n');
        form.flushes_early = strchr(tolerance, 't');
        form.no_signs = strchr(tolerance, 's');
        form.no_guard = strchr(tolerance, 'g');
        form.count = (unsigned)fields - 4;
        bool wanted = form.since <= target && (!only || strstr(form.text, only));
        if (wanted && count < room) forms[count++] = form;
    }
    fclose(file);
    return count;
}

enum { FORMS_MAX = 1200 };

/* ptxas gets so many at once. */
enum { FORMS_AT_ONCE = 60 };

static void make_inputs(const struct form *form, uint64_t inputs[LANES_ALL][SOURCES_MAX],
                        uint64_t *state)
{
    bool is_angle = !strncmp(form->text, "sin.", 4) || !strncmp(form->text, "cos.", 4);
    for (unsigned i = 0; i < LANES_ALL; i++) {
        float angle = 6.2831852f * random_float(state); /* where the ISA bounds the error */
        for (unsigned k = 0; k < SOURCES_MAX; k++)
            inputs[i][k] = edge(k < form->count ? form->sources[k] : form->result, state);
        if (is_angle) memcpy(&inputs[i][0], &angle, sizeof angle);
    }
}

/* Is kernel kN_V the same both ways? */
static bool compare_kernel(struct native_twin *twin, unsigned target, const struct form *form,
                           size_t n, unsigned v, uint64_t inputs[LANES_ALL][SOURCES_MAX])
{
    static uint64_t wanted[LANES_ALL], got[LANES_ALL];
    char name[32];
    unsigned wrong = 0, first = 0;
    snprintf(name, sizeof name, "k%zu_%u", n, v);
    if (!twin_run(twin, false, name, BLOCKS, THREADS, wanted))
        fail_msg("%s: %s", form->text, twin->error);
    if (!twin_run(twin, true, name, BLOCKS, THREADS, got)) {
        fprintf(stderr, "sm_%u %s, form %u: %s\n", target, form->text, v, twin->error);
        return false;
    }
    for (unsigned i = LANES_ALL; i-- > 0;)
        if (!is_close(form, v, wanted[i], got[i])) wrong++, first = i;
    if (wrong)
        fprintf(stderr, "sm_%u %s, form %u: %u differ, (%llx %llx %llx) PTX %llx native %llx\n",
                target, form->text, v, wrong, (unsigned long long)inputs[first][0],
                (unsigned long long)inputs[first][1], (unsigned long long)inputs[first][2],
                (unsigned long long)wanted[first], (unsigned long long)got[first]);
    return !wrong;
}

/* Number of kernels that differ. */
static unsigned compare_forms(unsigned target, const struct form *forms, size_t count)
{
    static uint64_t inputs[LANES_ALL][SOURCES_MAX];
    struct strbuf text = {0};
    struct native_twin twin;
    uint64_t state = 1;
    unsigned failures = 0;
    strbuf_printf(&text, ".version 8.6\n.target sm_%u\n.address_size 64\n", target);
    for (size_t n = 0; n < count; n++)
        for (unsigned v = 0; v < VARIANTS; v++)
            if (applies(&forms[n], v)) print_kernel(&text, &forms[n], n, v);
    twin_begin(&twin, target, &text, sizeof inputs, sizeof(uint64_t[LANES_ALL]));
    for (size_t n = 0; n < count; n++) {
        make_inputs(&forms[n], inputs, &state);
        twin_input(&twin, inputs, sizeof inputs);
        for (unsigned v = 0; v < VARIANTS; v++)
            if (applies(&forms[n], v))
                failures += !compare_kernel(&twin, target, &forms[n], n, v, inputs);
    }
    twin_end(&twin);
    mem_free(strbuf_take(&text));
    return failures;
}

enum { TARGET_BY_DAY = 80 }; /* the others at night: a target takes 20 s */

static void test_equal(void **state)
{
    (void)state;
    static struct form forms[FORMS_MAX];
    unsigned failures = 0, target;
    if (!twin_has_ptxas()) skip();
    for (size_t t = 0; (target = twin_target(t)) != 0; t++) {
        if (target != TARGET_BY_DAY && !getenv("NIGHTLY")) continue;
        size_t count = read_forms(forms, FORMS_MAX, target);
        unsigned before = failures;
        for (size_t first = 0; first < count; first += FORMS_AT_ONCE) {
            size_t rest = count - first;
            failures +=
                compare_forms(target, forms + first, rest < FORMS_AT_ONCE ? rest : FORMS_AT_ONCE);
        }
        fprintf(stderr, "sm_%u: %u kernels of %zu instructions differ or are refused\n", target,
                failures - before, count);
    }
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_equal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
