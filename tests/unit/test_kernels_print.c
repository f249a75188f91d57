// SPDX-License-Identifier: Apache-2.0
/* printf and assert of kernels (tests/kernels/print.cu). The text is what the C library of the host
 * prints for the same arguments; the results are what the CUDA C++ Programming Guide says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/kernel_run.h"

#define PRINT "tests/kernels/print.ptx"
#define LIMIT ((size_t)16 << 20)

/* What a launch printed. */
struct text {
    char *data;
    size_t length;
    size_t calls;
};

static bool collect(void *user, const char *bytes, size_t size)
{
    struct text *text = user;
    text->data = realloc(text->data, text->length + size + 1);
    assert_non_null(text->data);
    memcpy(text->data + text->length, bytes, size);
    text->length += size;
    text->data[text->length] = '\0';
    text->calls++;
    return true;
}

static void begin(struct run *run, const char *kernel, unsigned threads, struct text *text)
{
    *text = (struct text){0};
    run_begin(run, PRINT, kernel, threads);
    ws_context_set_print(run->context, collect, text);
}

/* ---- conversions ----------------------------------------------------------------------------- */

static const double numbers[6] = {1.5, -2.0 / 3, 1e10, 12345.678, 1e-9, 0.15625};
static const long long big = -1234567890123;

static void expected_text(char *out, size_t size)
{
    const double *x = numbers;
    int n = snprintf(out, size,
                     "plain\n-7|7|4294967295|10|beef|BEEF|c|%%\n"
                     "%lld|%llu|%llx|-1|3\n"
                     "%f|%.3f|%10.2f|%-10.1e|%G|%a\n"
                     "%5d|%-5d|%05d|%+d|% d|%#x|%*d|%.*f\n",
                     big, (unsigned long long)big, (unsigned long long)big, x[0], x[1], x[2], x[3],
                     x[4], x[5], 42, 42, 42, 42, 42, 42, 6, 42, 2, x[1]);
    snprintf(out + n, size - (size_t)n,
             "global|cu|     right|left  |shared\n1 two %f %lld 2\n"
             "4464|44|4464\n" /* 70000 and 300 modulo 2^16 and 2^8 */
             "1.000000 3 2.500000\n%p\n",
             x[0], big, (void *)0x1234);
}

static void check_conversions(unsigned threads)
{
    /* Arguments printed, a `*` counts; no argument: 0; no format: -1. */
    static const int32_t expected[11] = {0, 7, 5, 6, 10, 5, 5, 3, 3, 1, -1};
    char want[2048];
    struct text text;
    struct run run;
    begin(&run, "print_conversions", threads, &text);
    run_input(&run, numbers, sizeof numbers);
    run_value(&run, &big, sizeof big);
    run_output(&run, sizeof expected);
    run_launch(&run);
    expected_text(want, sizeof want);
    assert_string_equal(text.data, want);
    int32_t *results = run_read(&run, 1);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(results[i], expected[i]);
    free(results);
    free(text.data);
    run_end(&run);
}

static void test_conversions(void **state)
{
    (void)state;
    check_conversions(1);
    check_conversions(2);
}

/* ---- order ----------------------------------------------------------------------------------- */

static void check_order(unsigned threads)
{
    enum { BLOCKS = 100, THREADS = 70, N = BLOCKS * THREADS - 40 };
    struct text text, want = {0};
    struct run run;
    char line[64];
    begin(&run, "print_threads", threads, &text);
    run_shape(&run, BLOCKS, THREADS);
    run_int(&run, N);
    run_launch(&run);
    for (int i = 0; i < N; i++)
        if (i % 3 == 0)
            collect(&want, line,
                    (size_t)snprintf(line, sizeof line, "block %d thread %d\n", i / THREADS,
                                     i % THREADS));
    assert_string_equal(text.data, want.data);
    free(text.data);
    free(want.data);
    run_end(&run);
}

static void test_order(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 3; threads++)
        check_order(threads);
}

/* ---- the limit ------------------------------------------------------------------------------- */

/* 280 blocks of 1,000 lines of 64 bytes: 17,920,000 bytes, of which 16 MiB are kept. */
static void check_limit(unsigned threads)
{
    enum { BLOCKS = 280, LINES = 1000, LINE = 64 };
    struct text text;
    struct run run;
    char line[LINE + 1];
    begin(&run, "print_much", threads, &text);
    run_shape(&run, BLOCKS, 32);
    run_int(&run, LINES);
    run_launch(&run);
    for (size_t at = 0; at < LIMIT; at += LINE) {
        snprintf(line, sizeof line, "%06zu %06zu %49s\n", at / LINE / LINES, at / LINE % LINES,
                 "x");
        if (memcmp(text.data + at, line, LINE) != 0)
            fail_msg("byte %zu: %.64s", at, text.data + at);
    }
    char lost[64];
    snprintf(lost, sizeof lost, " %zu bytes were lost", (size_t)BLOCKS * LINES * LINE - LIMIT);
    assert_non_null(strstr(text.data + LIMIT, lost));
    free(text.data);
    run_end(&run);
}

static void test_limit(void **state)
{
    (void)state;
    check_limit(1);
    check_limit(3);
}

/* ---- while the kernel runs ------------------------------------------------------------------- */

static bool has_text(void *user)
{
    return __atomic_load_n(&((struct text *)user)->length, __ATOMIC_RELAXED) > 0;
}

/* 64 MB of text, and the launch is stopped as soon as there is some: had it come at the end, the launch
 * would have ended well. */
static void test_while_it_runs(void **state)
{
    enum { MANY = 1000000 };
    (void)state;
    for (unsigned threads = 1; threads <= 2; threads++) {
        struct text text;
        struct run run;
        begin(&run, "print_much", threads, &text);
        ws_context_set_cancel(run.context, has_text, &text);
        run_shape(&run, 1, 32);
        run_int(&run, MANY);
        assert_int_equal(run_try(&run), WS_ERR_CANCELLED);
        assert_true(text.length >= 1 << 20);
        assert_memory_equal(text.data, "000000 000000 ", 14);
        free(text.data);
        run_end(&run);
    }
}

static bool refuse(void *user, const char *bytes, size_t size)
{
    (void)bytes, (void)size;
    ++*(size_t *)user;
    return false;
}

/* Who does not want the text does not get more of it, and the launch is good all the same. */
static void test_refused(void **state)
{
    (void)state;
    struct text text;
    struct run run;
    size_t calls = 0;
    begin(&run, "print_much", 1, &text);
    ws_context_set_print(run.context, refuse, &calls);
    run_shape(&run, 3, 32);
    run_int(&run, 2);
    run_launch(&run);
    assert_int_equal(calls, 1);
    run_end(&run);
}

/* ---- assert ---------------------------------------------------------------------------------- */

static unsigned line_of(const char *fragment)
{
    char line[256];
    unsigned number = 0, found = 0;
    FILE *file = fopen(SOURCE_DIR "/tests/kernels/print.cu", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        number++;
        if (strstr(line, fragment)) found = number;
    }
    fclose(file);
    return found;
}

/* Thread 37 of block 2 fails; what came before it is printed. */
static void check_assert(unsigned threads)
{
    enum { BLOCKS = 4, THREADS = 64, BAD = 2 * THREADS + 37 };
    int32_t values[BLOCKS * THREADS] = {[BAD] = 10, [BAD + THREADS] = 99};
    struct text text;
    struct run run;
    char place[64], numbers_text[4096] = "";
    begin(&run, "assert_small", threads, &text);
    run_shape(&run, BLOCKS, THREADS);
    run_input(&run, values, sizeof values);
    run_int(&run, BLOCKS * THREADS);
    assert_int_equal(run_try(&run), WS_ERR_FAULT);
    const char *message = ws_context_error(run.context);
    snprintf(place, sizeof place, "print.cu:%u: ", line_of("assert(values"));
    assert_non_null(strstr(message, place));
    assert_non_null(strstr(message, "assertion 'values[i] < 10 && \"too large\"' failed"));
    assert_non_null(strstr(message, "assert_small"));
    assert_non_null(strstr(message, "block (2,0,0), thread (37,0,0)"));
    /* both warps of blocks 0 and 1, and of block 2 until the warp that fails */
    for (int i = 0; i < BAD / 32 * 32 + 32; i++)
        sprintf(numbers_text + strlen(numbers_text), "%d\n", i);
    assert_string_equal(text.data, numbers_text);
    free(text.data);
    run_end(&run);
}

static void test_assert(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 3; threads++)
        check_assert(threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conversions), cmocka_unit_test(test_order),
        cmocka_unit_test(test_limit),       cmocka_unit_test(test_while_it_runs),
        cmocka_unit_test(test_refused),     cmocka_unit_test(test_assert),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
