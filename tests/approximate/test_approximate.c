// SPDX-License-Identifier: Apache-2.0
/* Approximate instructions against MPFR: inside the bounds that the PTX ISA prints, on arguments of
 * every exponent, and equal on every instruction-set level and in compiled code. Special values are the vectors' business.
 *
 *     test_approximate [--count N]         arguments a form; 200,000 if not given */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <mpfr.h>

#include "emulate/emulate.h"
#include "support/instruction_run.h"
#include "support/kernel_run.h"

enum { PRECISION = 160, BATCH = 1 << 18, LEVELS_MAX = 3 };

static size_t wanted = 200000;

/* ---- formats --------------------------------------------------------------------------------- */

struct format {
    unsigned bits, mantissa; /* bits of the whole; of the stored fraction */
    int least;               /* exponent of the least normal number */
};
static const struct format f32 = {32, 23, -126}, f16 = {16, 10, -14}, bf16 = {16, 7, -126};

static unsigned exponent_bits(const struct format *format)
{
    return format->bits - 1 - format->mantissa;
}

static uint32_t fraction_of(const struct format *format, uint32_t bits)
{
    return bits & ((1u << format->mantissa) - 1);
}

static uint32_t exponent_of(const struct format *format, uint32_t bits)
{
    return bits >> format->mantissa & ((1u << exponent_bits(format)) - 1);
}

static bool is_finite(const struct format *format, uint32_t bits)
{
    return exponent_of(format, bits) != (1u << exponent_bits(format)) - 1;
}

static bool is_subnormal(const struct format *format, uint32_t bits)
{
    return !exponent_of(format, bits) && fraction_of(format, bits);
}

/* Exact. */
static void to_mpfr(mpfr_t out, const struct format *format, uint32_t bits)
{
    uint32_t exponent = exponent_of(format, bits), fraction = fraction_of(format, bits);
    bool normal = exponent != 0;
    int power = format->least + (normal ? (int)exponent - 1 : 0) - (int)format->mantissa;
    mpfr_set_ui_2exp(out, fraction | (normal ? 1u << format->mantissa : 0), power, MPFR_RNDN);
    if (bits >> (format->bits - 1)) mpfr_neg(out, out, MPFR_RNDN);
}

/* The distance of neighbours of the format at |x|. */
static void ulp_at(mpfr_t out, const struct format *format, const mpfr_t x)
{
    long exponent = mpfr_zero_p(x) ? format->least : mpfr_get_exp(x) - 1;
    if (exponent < format->least) exponent = format->least;
    mpfr_set_ui_2exp(out, 1, exponent - (long)format->mantissa, MPFR_RNDN);
}

/* ---- forms and their bounds ------------------------------------------------------------------ */

enum measure { ULP, RELATIVE, ABSOLUTE };

/* A bound that holds for low <= |argument| <= high (the last one, for div: the divisor). */
struct bound {
    enum measure measure;
    double most, low, high;
};

typedef void exact_fn(mpfr_t out, mpfr_t a, mpfr_t b);

struct form {
    const char *text;
    const struct format *format;
    exact_fn *exact;
    unsigned sources;
    bool flushes;
    struct bound bounds[2];
};

static void reciprocal(mpfr_t out, mpfr_t a, mpfr_t b)
{
    (void)b;
    mpfr_ui_div(out, 1, a, MPFR_RNDN);
}
static void divide(mpfr_t out, mpfr_t a, mpfr_t b)
{
    mpfr_div(out, a, b, MPFR_RNDN);
}
#define UNARY(name, function)                                                                      \
    static void name(mpfr_t out, mpfr_t a, mpfr_t b)                                               \
    {                                                                                              \
        (void)b;                                                                                   \
        function(out, a, MPFR_RNDN);                                                               \
    }
UNARY(square_root, mpfr_sqrt)
UNARY(reciprocal_root, mpfr_rec_sqrt)
UNARY(sine, mpfr_sin)
UNARY(cosine, mpfr_cos)
UNARY(logarithm, mpfr_log2)
UNARY(power, mpfr_exp2)
UNARY(tangent, mpfr_tanh)

#define ALL 0.0, 1e300
#define TWO_PI 6.283185307179586
/* PTX ISA 9.0, Floating Point Instructions and Half Precision Floating Point Instructions. */
static const struct form forms[] = {
    {"rcp.approx.f32 %d, %a;", &f32, reciprocal, 1, false, {{ULP, 1, ALL}}},
    {"rcp.approx.ftz.f32 %d, %a;", &f32, reciprocal, 1, true, {{ULP, 1, ALL}}},
    {"sqrt.approx.f32 %d, %a;", &f32, square_root, 1, false, {{RELATIVE, 0x1p-23, ALL}}},
    {"sqrt.approx.ftz.f32 %d, %a;", &f32, square_root, 1, true, {{RELATIVE, 0x1p-23, ALL}}},
    {"rsqrt.approx.f32 %d, %a;", &f32, reciprocal_root, 1, false, {{RELATIVE, 1.2779e-7, ALL}}},
    {"rsqrt.approx.ftz.f32 %d, %a;", &f32, reciprocal_root, 1, true, {{RELATIVE, 1.2779e-7, ALL}}},
    {"sin.approx.f32 %d, %a;", &f32, sine, 1, false, {{ABSOLUTE, 6.7435e-7, 0.0, TWO_PI}}},
    {"sin.approx.ftz.f32 %d, %a;", &f32, sine, 1, true, {{ABSOLUTE, 6.7435e-7, 0.0, TWO_PI}}},
    {"cos.approx.f32 %d, %a;", &f32, cosine, 1, false, {{ABSOLUTE, 6.7435e-7, 0.0, TWO_PI}}},
    {"cos.approx.ftz.f32 %d, %a;", &f32, cosine, 1, true, {{ABSOLUTE, 6.7435e-7, 0.0, TWO_PI}}},
    {"lg2.approx.f32 %d, %a;",
     &f32,
     logarithm,
     1,
     false,
     {{ABSOLUTE, 0x1p-22, 0.5, 2.0}, {RELATIVE, 0x1p-22, ALL}}},
    {"lg2.approx.ftz.f32 %d, %a;",
     &f32,
     logarithm,
     1,
     true,
     {{ABSOLUTE, 0x1p-22, 0.5, 2.0}, {RELATIVE, 0x1p-22, ALL}}},
    {"ex2.approx.f32 %d, %a;", &f32, power, 1, false, {{ULP, 2, ALL}}},
    {"ex2.approx.ftz.f32 %d, %a;", &f32, power, 1, true, {{ULP, 2, ALL}}},
    {"tanh.approx.f32 %d, %a;", &f32, tangent, 1, false, {{RELATIVE, 0x1p-11, ALL}}},
    {"div.approx.f32 %d, %a, %b;", &f32, divide, 2, false, {{ULP, 2, 0x1p-126, 0x1p126}}},
    {"div.approx.ftz.f32 %d, %a, %b;", &f32, divide, 2, true, {{ULP, 2, 0x1p-126, 0x1p126}}},
    {"div.full.f32 %d, %a, %b;", &f32, divide, 2, false, {{ULP, 2, ALL}}},
    {"div.full.ftz.f32 %d, %a, %b;", &f32, divide, 2, true, {{ULP, 2, ALL}}},
    {"ex2.approx.f16 %d, %a;", &f16, power, 1, false, {{RELATIVE, 1.0467e-3, ALL}}},
    {"tanh.approx.f16 %d, %a;", &f16, tangent, 1, false, {{ABSOLUTE, 4.9272e-4, ALL}}},
    {"ex2.approx.ftz.bf16 %d, %a;", &bf16, power, 1, true, {{RELATIVE, 0x1p-7, ALL}}},
    {"tanh.approx.bf16 %d, %a;", &bf16, tangent, 1, false, {{ABSOLUTE, 0x1p-8, ALL}}},
};
enum { FORMS = sizeof forms / sizeof *forms };

/* ---- arguments ------------------------------------------------------------------------------- */

/* Signs and exponents in turn, fractions at random; the divisor's exponent at random, too. */
static uint32_t argument(const struct format *format, size_t index, unsigned source, uint64_t *seed)
{
    uint32_t fraction = random_u32(seed) & ((1u << format->mantissa) - 1);
    uint32_t strata = 1u << (1 + exponent_bits(format));
    uint32_t stratum = source ? random_u32(seed) % strata : (uint32_t)index % strata;
    return stratum << format->mantissa | fraction;
}

static void put(void *values, const struct format *format, size_t i, uint32_t value)
{
    if (format->bits == 16)
        ((uint16_t *)values)[i] = (uint16_t)value;
    else
        ((uint32_t *)values)[i] = value;
}

static uint32_t get(const void *values, const struct format *format, size_t i)
{
    return format->bits == 16 ? ((const uint16_t *)values)[i] : ((const uint32_t *)values)[i];
}

/* ---- judging --------------------------------------------------------------------------------- */

struct judge {
    const struct form *form;
    mpfr_t a, b, exact, got, error, scale;
    double most_ulp,
        most[2]; /* the largest error in units of the last place; of each bound's kind */
    size_t judged;
};

static void judge_begin(struct judge *judge, const struct form *form)
{
    *judge = (struct judge){.form = form};
    mpfr_inits2(PRECISION, judge->a, judge->b, judge->exact, judge->got, judge->error, judge->scale,
                (mpfr_ptr)NULL);
}

static void judge_end(struct judge *judge)
{
    mpfr_clears(judge->a, judge->b, judge->exact, judge->got, judge->error, judge->scale,
                (mpfr_ptr)NULL);
}

/* Results beyond the greatest number, and below the least where the form flushes, are special. */
static bool is_ordinary(struct judge *judge)
{
    const struct format *format = judge->form->format;
    long greatest = -(long)format->least + 2; /* the exponent of overflow, as MPFR counts it */
    if (mpfr_nan_p(judge->exact) || mpfr_inf_p(judge->exact)) return false;
    if (mpfr_zero_p(judge->exact)) return true;
    if (mpfr_get_exp(judge->exact) >= greatest) return false;
    return !judge->form->flushes || mpfr_get_exp(judge->exact) > format->least + 1;
}

static double error_in(struct judge *judge, enum measure measure)
{
    mpfr_sub(judge->error, judge->got, judge->exact, MPFR_RNDN);
    mpfr_abs(judge->error, judge->error, MPFR_RNDN);
    if (measure == ULP)
        ulp_at(judge->scale, judge->form->format, judge->exact);
    else if (measure == RELATIVE && !mpfr_zero_p(judge->exact))
        mpfr_abs(judge->scale, judge->exact, MPFR_RNDN);
    else
        mpfr_set_ui(judge->scale, 1, MPFR_RNDN);
    mpfr_div(judge->error, judge->error, judge->scale, MPFR_RNDN);
    return mpfr_get_d(judge->error, MPFR_RNDU);
}

/* A relative bound says nothing of subnormal results: their spacing is absolute. */
static double allowed(struct judge *judge, const struct bound *bound)
{
    if (bound->measure != RELATIVE) return bound->most;
    ulp_at(judge->scale, judge->form->format, judge->exact);
    mpfr_div_2ui(judge->scale, judge->scale, 1, MPFR_RNDN);
    mpfr_div(judge->scale, judge->scale, judge->exact, MPFR_RNDN);
    double half_ulp = fabs(mpfr_get_d(judge->scale, MPFR_RNDU));
    bool subnormal =
        !mpfr_zero_p(judge->exact) && mpfr_get_exp(judge->exact) <= judge->form->format->least;
    return subnormal && half_ulp > bound->most ? half_ulp : bound->most;
}

static void judge_result(struct judge *judge, const uint32_t arguments[2], uint32_t result)
{
    const struct form *form = judge->form;
    for (unsigned k = 0; k < form->sources; k++)
        if (!is_finite(form->format, arguments[k]) ||
            (form->flushes && is_subnormal(form->format, arguments[k])))
            return;
    to_mpfr(judge->a, form->format, arguments[0]);
    if (form->sources > 1) to_mpfr(judge->b, form->format, arguments[1]);
    form->exact(judge->exact, judge->a, judge->b);
    if (!is_ordinary(judge) || mpfr_zero_p(form->sources > 1 ? judge->b : judge->a)) return;
    double x = fabs(mpfr_get_d(form->sources > 1 ? judge->b : judge->a, MPFR_RNDN));
    if (!is_finite(form->format, result))
        fail_msg("%s of %#x, %#x gives %#x", form->text, arguments[0], arguments[1], result);
    to_mpfr(judge->got, form->format, result);
    for (unsigned k = 0; k < 2; k++) {
        const struct bound *bound = &form->bounds[k];
        if (bound->most == 0.0 || x < bound->low || x > bound->high) continue;
        double error = error_in(judge, bound->measure), ulp = error_in(judge, ULP);
        double most = allowed(judge, bound);
        if (error > most)
            fail_msg("%s of %#x, %#x gives %#x: error %g, but %g is allowed", form->text,
                     arguments[0], arguments[1], result, error, most);
        if (most == bound->most && error > judge->most[k]) judge->most[k] = error;
        if (ulp > judge->most_ulp) judge->most_ulp = ulp;
        judge->judged++;
        break;
    }
}

/* ---- running --------------------------------------------------------------------------------- */

struct batch {
    void *arguments[2], *results[LEVELS_MAX], *compiled;
    size_t count;
};

static void run_level(const struct form *form, const struct batch *batch, int level, void *results)
{
    unsigned bits = form->format->bits;
    const struct instruction instruction = {form->text, bits, {bits, form->sources > 1 ? bits : 0}};
    const void *const sources[INSTRUCTION_SOURCES] = {batch->arguments[0], batch->arguments[1]};
    bool is_compiled = level == INSTRUCTION_COMPILED;
    instruction_run(&instruction, level, false, sources, batch->count, results);
    if (memcmp(batch->results[0], results, batch->count * bits / 8))
        fail_msg("%s: %s and %s differ", form->text, device_isa_name(0),
                 is_compiled ? "compiled code" : device_isa_name(level));
}

static void run_batch(const struct form *form, struct batch *batch, uint64_t *seed, size_t first)
{
    for (size_t i = 0; i < batch->count; i++)
        for (unsigned k = 0; k < form->sources; k++)
            put(batch->arguments[k], form->format, i, argument(form->format, first + i, k, seed));
    for (int level = 0; level < device_isa_levels(); level++)
        run_level(form, batch, level, batch->results[level]);
    run_level(form, batch, INSTRUCTION_COMPILED, batch->compiled);
}

static void print_line(const struct judge *judge, size_t count)
{
    static const char *const names[] = {"ulp", "relative", "absolute"};
    const struct form *form = judge->form;
    printf("%-26.*s %9zu arguments, %9zu judged: at most %.3f ulp;", (int)strcspn(form->text, " "),
           form->text, count, judge->judged, judge->most_ulp);
    for (unsigned k = 0; k < 2 && form->bounds[k].most > 0.0; k++)
        printf(" %s %.3g of %.3g", names[form->bounds[k].measure], judge->most[k],
               form->bounds[k].most);
    printf("\n");
}

static void test_form(void **state)
{
    const struct form *form = *state;
    struct judge judge;
    struct batch batch = {0};
    uint64_t seed = 4;
    for (unsigned k = 0; k < 2; k++)
        batch.arguments[k] = calloc(BATCH, 4);
    for (unsigned k = 0; k < LEVELS_MAX; k++)
        batch.results[k] = calloc(BATCH, 4);
    batch.compiled = calloc(BATCH, 4);
    judge_begin(&judge, form);
    for (size_t first = 0; first < wanted; first += batch.count) {
        batch.count = wanted - first < BATCH ? wanted - first : BATCH;
        run_batch(form, &batch, &seed, first);
        for (size_t i = 0; i < batch.count; i++) {
            uint32_t arguments[2] = {get(batch.arguments[0], form->format, i),
                                     get(batch.arguments[1], form->format, i)};
            judge_result(&judge, arguments, get(batch.results[0], form->format, i));
        }
    }
    print_line(&judge, wanted);
    assert_true(judge.judged > wanted / 8);
    judge_end(&judge);
    for (unsigned k = 0; k < 2; k++)
        free(batch.arguments[k]);
    for (unsigned k = 0; k < LEVELS_MAX; k++)
        free(batch.results[k]);
    free(batch.compiled);
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[FORMS];
    if (argc == 3 && !strcmp(argv[1], "--count")) wanted = strtoull(argv[2], NULL, 10);
    if (argc == 2 || argc > 3 || wanted == 0) {
        fprintf(stderr, "usage: test_approximate [--count N]\n");
        return 2;
    }
    for (unsigned i = 0; i < FORMS; i++)
        tests[i] = (struct CMUnitTest){.name = forms[i].text,
                                       .test_func = test_form,
                                       .initial_state = (void *)(uintptr_t)&forms[i]};
    return _cmocka_run_group_tests("approximate", tests, FORMS, NULL, NULL);
}
