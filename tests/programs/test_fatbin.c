// SPDX-License-Identifier: Apache-2.0
/* Fat binaries: fatbin/MODE.bin are what nvcc 13 makes of vector_add.cu with --compress-mode MODE. The
 * PTX must be the one that lies there unpacked; the register count is what `nvcc -Xptxas -v` says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// cmocka.h needs the four above
#include <cmocka.h>

#include "runtime/fatbin.h"

enum { BYTES_MAX = 8192, IMAGES = 4, REGISTERS = 12 };
#define KERNEL "_Z3addPKfS0_Pfi"

static size_t read_file(const char *mode, unsigned char *out)
{
    char path[512];
    snprintf(path, sizeof path, TESTS_DIR "/programs/fatbin/%s.bin", mode);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(out, 1, BYTES_MAX, file);
    fclose(file);
    return size;
}

/* The one PTX image. */
static char *read_ptx(const char *mode, enum fatbin_packing packing, size_t *out_size)
{
    static unsigned char bytes[BYTES_MAX];
    struct fatbin_image images[IMAGES];
    size_t size = read_file(mode, bytes);
    size_t count = fatbin_list(bytes, size, images, IMAGES);
    assert_int_equal(count, 2);
    assert_false(images[0].is_ptx);
    assert_true(images[1].is_ptx);
    assert_int_equal(images[1].target, 75);
    assert_int_equal(images[1].packing, packing);
    *out_size = images[1].size;
    return fatbin_unpack(&images[1]);
}

static void test_packed_like_plain(void **state)
{
    static const struct {
        const char *mode;
        enum fatbin_packing packing;
    } cases[] = {{"speed", FATBIN_LZ4}, {"balance", FATBIN_ZSTD}, {"size", FATBIN_ZSTD}};
    (void)state;
    size_t plain_size, size;
    char *plain = read_ptx("none", FATBIN_PLAIN, &plain_size);
    assert_non_null(strstr(plain, ".visible .entry " KERNEL));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = read_ptx(cases[i].mode, cases[i].packing, &size);
        assert_non_null(text);
        assert_string_equal(text, plain);
        free(text);
    }
    free(plain);
}

static void test_registers(void **state)
{
    static unsigned char bytes[BYTES_MAX];
    static const char *const modes[] = {"none", "size"};
    struct fatbin_image images[IMAGES];
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        size_t size = read_file(modes[i], bytes);
        assert_int_equal(fatbin_list(bytes, size, images, IMAGES), 2);
        char *elf = fatbin_unpack(&images[0]);
        assert_non_null(elf);
        assert_int_equal(fatbin_registers(elf, images[0].size, KERNEL), REGISTERS);
        assert_int_equal(fatbin_registers(elf, images[0].size, "other"), 0);
        free(elf);
    }
}

/* Damaged ones are refused, or give other bytes; under the sanitizers nothing is read beyond. */
static void try_all(const unsigned char *bytes, size_t size)
{
    struct fatbin_image images[IMAGES];
    unsigned char *copy = malloc(size ? size : 1); /* so that what lies behind is not ours */
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    size_t count = fatbin_list(copy, size, images, IMAGES);
    for (size_t i = 0; i < count && i < IMAGES; i++) {
        if (images[i].size > 1 << 20) continue;
        char *unpacked = fatbin_unpack(&images[i]);
        if (unpacked && !images[i].is_ptx) fatbin_registers(unpacked, images[i].size, KERNEL);
        free(unpacked);
    }
    free(copy);
}

static void test_damage(void **state)
{
    static const char *const modes[] = {"none", "speed", "balance", "size"};
    static unsigned char bytes[BYTES_MAX];
    unsigned random = 1;
    (void)state;
    for (size_t m = 0; m < 4; m++) {
        size_t size = read_file(modes[m], bytes);
        for (size_t cut = 0; cut < size; cut += cut < 200 ? 1 : 61)
            try_all(bytes, cut);
        for (unsigned round = 0; round < 2000; round++) {
            random = random * 1664525u + 1013904223u;
            size_t at = (random >> 8) % size;
            unsigned char before = bytes[at];
            bytes[at] ^= (unsigned char)(1u << (random >> 29));
            try_all(bytes, size);
            if (round % 4) bytes[at] = before;
        }
    }
    static const unsigned char other[64] = "no fat binary at all";
    struct fatbin_image images[IMAGES];
    assert_int_equal(fatbin_list(other, sizeof other, images, IMAGES), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packed_like_plain),
        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
