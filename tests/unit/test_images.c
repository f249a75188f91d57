// SPDX-License-Identifier: Apache-2.0
/* Images of fat binaries: programs/fatbin/MODE.bin are what nvcc 13 makes of vector_add.cu with --compress-mode
 * MODE. The PTX must be the one that lies there unpacked; the register count is what `nvcc -Xptxas -v` says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// cmocka.h needs the four above
#include <cmocka.h>
#include <warpsage/warpsage.h>

enum { BYTES_MAX = 8192, REGISTERS = 12 };
#define KERNEL "_Z3addPKfS0_Pfi"

static ws_context *context;

static size_t read_file(const char *name, unsigned char *out)
{
    char path[512];
    snprintf(path, sizeof path, TESTS_DIR "/%s", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(out, 1, BYTES_MAX, file);
    fclose(file);
    return size;
}

static ws_images *read_mode(const char *mode, unsigned char *bytes)
{
    char name[64];
    ws_images *images;
    snprintf(name, sizeof name, "programs/fatbin/%s.bin", mode);
    size_t size = read_file(name, bytes);
    assert_int_equal(ws_images_read(context, name, bytes, size, &images), WS_OK);
    return images;
}

/* The one PTX image. */
static char *read_ptx(const char *mode)
{
    static unsigned char bytes[BYTES_MAX];
    ws_images *images = read_mode(mode, bytes);
    ws_image code = {.size = sizeof code}, ptx = code;
    void *text;
    size_t index, size;
    assert_int_equal(ws_images_count(images), 2);
    assert_int_equal(ws_images_get(images, 0, &code), WS_OK);
    assert_int_equal(ws_images_get(images, 1, &ptx), WS_OK);
    assert_int_equal(ws_images_get(images, 2, &ptx), WS_ERR_ARGUMENT);
    assert_false(code.is_ptx);
    assert_true(code.is_readable);
    assert_true(ptx.is_ptx);
    assert_int_equal(ptx.target, 75);
    assert_int_equal(ptx.group, code.group);
    assert_true(ws_images_find_ptx(images, 90, &index) && index == 1);
    assert_false(ws_images_find_ptx(images, 74, &index));
    assert_true(ws_images_find_code(images, code.target, &index) && index == 0);
    assert_int_equal(ws_images_unpack(images, 1, &text, &size), WS_OK);
    assert_int_equal(strlen(text) <= size, 1);
    ws_images_destroy(images);
    return text;
}

static void packed_like_plain(void **state)
{
    static const char *const modes[] = {"speed", "balance", "size"};
    (void)state;
    char *plain = read_ptx("none");
    assert_non_null(strstr(plain, ".visible .entry " KERNEL));
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        char *text = read_ptx(modes[i]);
        assert_string_equal(text, plain);
        ws_free(text);
    }
    ws_free(plain);
}

static void described(void **state)
{
    static unsigned char bytes[BYTES_MAX];
    (void)state;
    ws_images *images = read_mode("none", bytes);
    char *text = ws_images_describe(images);
    assert_string_equal(text, "machine code of sm_75, PTX of sm_75");
    ws_free(text);
    ws_images_destroy(images);
}

/* Of a cubin, too, whose architecture is not read: its header is made to say sm_120. */
static void registers(void **state)
{
    static unsigned char bytes[BYTES_MAX];
    static const char ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                              ".entry other() { ret; }\n.entry " KERNEL "() { ret; }\n";
    ws_module *module;
    (void)state;
    assert_int_equal(ws_module_load_memory(context, "x.ptx", ptx, strlen(ptx), &module), WS_OK);
    ws_images *images = read_mode("size", bytes);
    unsigned found[2] = {1, 1};
    assert_int_equal(ws_images_registers(images, 0, module, found), WS_OK);
    assert_int_equal(found[0], 0);
    assert_int_equal(found[1], REGISTERS);
    assert_int_equal(ws_images_registers(images, 1, module, found), WS_ERR_INPUT); /* PTX */
    void *cubin;
    size_t size, index;
    assert_int_equal(ws_images_unpack(images, 0, &cubin, &size), WS_OK);
    ws_images_destroy(images);
    ((unsigned char *)cubin)[0x31] = 120; /* e_flags, bits 8 to 15 */
    assert_int_equal(ws_images_read(context, "x", cubin, SIZE_MAX, &images), WS_OK);
    ws_image image = {.size = sizeof image};
    assert_int_equal(ws_images_get(images, 0, &image), WS_OK);
    assert_int_equal(image.target, 120);
    assert_false(image.is_readable);
    assert_false(ws_images_find_code(images, 120, &index));
    assert_int_equal(ws_images_registers(images, 0, module, found), WS_OK);
    assert_int_equal(found[1], REGISTERS);
    ws_images_destroy(images);
    ws_free(cubin);
    ws_module_destroy(module);
}

/* Of files in memory, what lies behind them not being theirs. */
static void extents(void **state)
{
    static const char *const names[] = {"programs/fatbin/none.bin", "native/basic.sm_80.cubin",
                                        "native/packed.fatbin"};
    static unsigned char all[4 * BYTES_MAX];
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        memset(all, 0xff, sizeof all);
        char path[512];
        snprintf(path, sizeof path, TESTS_DIR "/%s", names[i]);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        size_t size = fread(all, 1, sizeof all, file);
        fclose(file);
        ws_images *images, *whole;
        assert_int_equal(ws_images_read(context, names[i], all, SIZE_MAX, &images), WS_OK);
        assert_int_equal(ws_images_read(context, names[i], all, size, &whole), WS_OK);
        assert_int_equal(ws_images_count(images), ws_images_count(whole));
        assert_true(ws_images_count(images) > 0);
        ws_images_destroy(images);
        ws_images_destroy(whole);
    }
}

static void targets(void **state)
{
    static const unsigned pairs[][2] = {{20, 75}, {70, 75}, {75, 75}, {80, 80}, {86, 86},
                                        {87, 86}, {89, 89}, {90, 90}, {120, 90}};
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_int_equal(ws_native_target(pairs[i][0]), pairs[i][1]);
}

/* Damaged ones are refused, or give other bytes; under the sanitizers nothing is read beyond. */
static void try_all(const unsigned char *bytes, size_t size, const ws_module *module)
{
    ws_images *images;
    unsigned char *copy = malloc(size ? size : 1); /* so that what lies behind is not ours */
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    ws_status status = ws_images_read(context, "damaged", copy, size, &images);
    if (status != WS_OK) assert_non_null(strstr(ws_context_error(context), "damaged: error: "));
    for (size_t i = 0; status == WS_OK && i < ws_images_count(images); i++) {
        void *unpacked;
        size_t unpacked_size;
        unsigned found;
        if (ws_images_unpack(images, i, &unpacked, &unpacked_size) != WS_OK) continue;
        ws_free(unpacked);
        if (ws_images_registers(images, i, module, &found) != WS_OK) continue;
    }
    ws_images_destroy(images);
    free(copy);
}

static void damage(void **state)
{
    static const char *const modes[] = {"none", "speed", "balance", "size"};
    static const char ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                              ".entry " KERNEL "() { ret; }\n";
    static unsigned char bytes[BYTES_MAX];
    unsigned random = 1;
    ws_module *module;
    (void)state;
    assert_int_equal(ws_module_load_memory(context, "x.ptx", ptx, strlen(ptx), &module), WS_OK);
    for (size_t m = 0; m < 4; m++) {
        char name[64];
        snprintf(name, sizeof name, "programs/fatbin/%s.bin", modes[m]);
        size_t size = read_file(name, bytes);
        for (size_t cut = 0; cut < size; cut += cut < 200 ? 1 : 61)
            try_all(bytes, cut, module);
        for (unsigned round = 0; round < 2000; round++) {
            random = random * 1664525u + 1013904223u;
            size_t at = (random >> 8) % size;
            unsigned char before = bytes[at];
            bytes[at] ^= (unsigned char)(1u << (random >> 29));
            try_all(bytes, size, module);
            if (round % 4) bytes[at] = before;
        }
    }
    ws_module_destroy(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_like_plain), cmocka_unit_test(described),
        cmocka_unit_test(registers),         cmocka_unit_test(extents),
        cmocka_unit_test(targets),           cmocka_unit_test(damage),
    };
    if (ws_context_create(&context) != WS_OK) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ws_context_destroy(context);
    return failed;
}
