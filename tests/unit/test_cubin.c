// SPDX-License-Identifier: Apache-2.0
/* Cubins of tests/native: what nvcc put into them, as their sources beside them say, is there; and
 * whatever is cut off or changed is refused, or can be walked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "decode/native/cubin.h"
#include "decode/native/fat_binary.h"
#include "decode/native/listing.h"

struct file {
    struct arena arena;
    char *bytes;
    size_t size;
    char path[200];
};

static void open_file(struct file *file, const char *name)
{
    struct diag diag = {0};
    *file = (struct file){0};
    snprintf(file->path, sizeof file->path, TESTS_DIR "/native/%s", name);
    assert_int_equal(text_read_file(&diag, &file->arena, file->path, &file->bytes, &file->size),
                     WS_OK);
}

static struct cubin *read_cubin(const char *name)
{
    struct file file;
    struct diag diag = {0};
    struct cubin *cubin;
    open_file(&file, name);
    ws_status status = cubin_read(&diag, file.path, file.bytes, file.size, &cubin);
    if (status != WS_OK) fail_msg("%s", diag_text(&diag));
    arena_clear(&file.arena); /* the cubin has a copy */
    return cubin;
}

static const struct cubin_function *find(const struct cubin *cubin, const char *name)
{
    for (uint32_t i = 0; i < cubin->function_count; i++)
        if (!strcmp(cubin->functions[i].name, name)) return &cubin->functions[i];
    fail_msg("no function %s", name);
    return NULL;
}

static const struct cubin_section *section_of(const struct cubin *cubin, const char *name)
{
    for (uint32_t i = 0; i < cubin->section_count; i++)
        if (!strcmp(cubin->sections[i].name, name)) return &cubin->sections[i];
    fail_msg("no section %s", name);
    return NULL;
}

static const struct cubin_symbol *symbol_of(const struct cubin *cubin, const char *name)
{
    for (uint32_t i = 0; i < cubin->symbol_count; i++)
        if (!strcmp(cubin->symbols[i].name, name)) return &cubin->symbols[i];
    fail_msg("no symbol %s", name);
    return NULL;
}

static uint32_t word_at(const struct cubin *cubin, const struct cubin_symbol *symbol,
                        unsigned index)
{
    uint32_t value;
    memcpy(&value, cubin->sections[symbol->section].bytes + symbol->offset + 4 * index, 4);
    return value;
}

/* choose(int *, short, long long) */
static void check_parameters(const struct cubin_function *f, unsigned offset)
{
    static const struct cubin_parameter expected[] = {{0, 0, 8}, {1, 8, 2}, {2, 16, 8}};
    assert_int_equal(f->parameter_offset, offset);
    assert_int_equal(f->parameter_bytes, 24);
    assert_int_equal(f->parameter_count, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(f->parameters[i].ordinal, expected[i].ordinal);
        assert_int_equal(f->parameters[i].offset, expected[i].offset);
        assert_int_equal(f->parameters[i].size, expected[i].size);
    }
}

static void functions_and_limits(void **state)
{
    (void)state;
    struct cubin *cubin = read_cubin("basic.sm_80.cubin");
    assert_int_equal(cubin->target, 80);
    assert_true(cubin->is_linked);
    assert_int_equal(cubin->entry_count, 3);
    const struct cubin_function *choose = find(cubin, "choose"), *tell = find(cubin, "tell");
    const struct cubin_function *exchange = find(cubin, "exchange");
    check_parameters(choose, 0x160);
    assert_int_equal(choose->max_threads[0], 256);
    assert_int_equal(choose->shared_bytes, 0);
    assert_int_equal(exchange->shared_bytes, 64 * 4);
    assert_int_equal(exchange->barriers, 1);
    assert_int_equal(tell->frame_bytes, 8); /* the arguments of printf */
    for (uint32_t i = 0; i < cubin->entry_count; i++) {
        assert_true(cubin->functions[i].is_entry);
        assert_true(cubin->functions[i].registers > 0 && cubin->functions[i].registers < 64);
        assert_true(cubin->functions[i].exit_count > 0);
    }
    const struct cubin_function *inner = find(cubin, "$choose$_Z8trianglei");
    assert_string_equal(inner->display_name, "triangle");
    assert_false(inner->is_entry);
    assert_ptr_equal(&cubin->functions[inner->entry], choose);
    assert_int_equal(inner->section, choose->section);
    assert_true(inner->offset > 0 && inner->offset + inner->size <= choose->size);
    cubin_destroy(cubin);
}

static void branch_targets_are_the_table_s(void **state)
{
    (void)state;
    struct cubin *cubin = read_cubin("basic.sm_80.cubin");
    const struct cubin_function *choose = find(cubin, "choose");
    assert_true(choose->branch_count > 0 && choose->constant2_section >= 0);
    const struct cubin_section *table = &cubin->sections[choose->constant2_section];
    assert_int_equal(table->bank, 2);
    for (uint32_t i = 0; i < choose->branch_target_count; i++) {
        bool found = false;
        for (uint64_t at = 0; at + 4 <= table->size; at += 4)
            found |= !memcmp(table->bytes + at, &choose->branch_targets[i], 4);
        assert_true(found);
    }
    cubin_destroy(cubin);
}

static void data_and_relocations(void **state)
{
    (void)state;
    struct cubin *cubin = read_cubin("basic.sm_80.cubin");
    const struct cubin_symbol *table = symbol_of(cubin, "table");
    assert_int_equal(cubin->sections[table->section].bank, 3);
    assert_int_equal(table->size, 64);
    assert_int_equal(word_at(cubin, table, 5), 9);
    const struct cubin_symbol *initial = symbol_of(cubin, "initial");
    assert_int_equal(cubin->sections[initial->section].kind, CUBIN_GLOBAL_INIT);
    assert_int_equal(word_at(cubin, initial, 2), 30);
    const struct cubin_symbol *counters = symbol_of(cubin, "counters");
    assert_int_equal(cubin->sections[counters->section].kind, CUBIN_GLOBAL);
    assert_null(cubin->sections[counters->section].bytes);
    const struct cubin_symbol *pointers = symbol_of(cubin, "pointers");
    const struct cubin_relocation *first =
        cubin_find_relocation(cubin, pointers->section, pointers->offset);
    assert_non_null(first); /* &counters[3] */
    assert_string_equal(cubin->symbols[first->symbol].name, "counters");
    assert_int_equal(first->addend, 12);
    assert_string_equal(cubin_relocation_kind(first->type)->name, "R_CUDA_G64");
    const struct cubin_symbol *printf_symbol = symbol_of(cubin, "vprintf");
    assert_true(printf_symbol->is_undefined);
    const struct cubin_section *addresses = section_of(cubin, ".nv.constant4");
    assert_int_equal(addresses->relocation_count, addresses->size / 8);
    cubin_destroy(cubin);
}

/* The number of the line of basic.cu that begins so. */
static uint32_t line_of(const char *begin)
{
    struct file file;
    uint32_t line = 1;
    open_file(&file, "basic.cu");
    const char *at = strstr(file.bytes, begin);
    assert_non_null(at);
    for (const char *c = file.bytes; c < at; c++)
        line += *c == '\n';
    arena_clear(&file.arena);
    return line;
}

static void lines(void **state)
{
    (void)state;
    struct cubin *cubin = read_cubin("basic.sm_80.cubin");
    const struct cubin_function *exchange = find(cubin, "exchange");
    const struct cubin_function *inner = find(cubin, "$choose$_Z8trianglei");
    const struct cubin_line *row =
        cubin_find_line(cubin->lines, cubin->line_count, exchange->section, 0);
    assert_non_null(row);
    assert_string_equal(cubin->files[row->file].name, "basic.cu");
    assert_int_equal(row->line, line_of("extern \"C\" __global__ void exchange"));
    row = cubin_find_line(cubin->lines, cubin->line_count, exchange->section, exchange->exits[0]);
    assert_int_equal(row->line, line_of("}\n\nextern \"C\" __global__ void tell"));
    row = cubin_find_line(cubin->lines, cubin->line_count, inner->section, inner->offset);
    uint32_t first = line_of("__device__ __noinline__ int triangle");
    assert_true(row->line >= first && row->line <= first + 3);
    /* The PTX line of EXIT returns. */
    row = cubin_find_line(cubin->ptx_lines, cubin->ptx_line_count, exchange->section,
                          exchange->exits[0]);
    const char *at = cubin->ptx;
    for (uint32_t i = 1; i < row->line; i++)
        at = strchr(at, '\n') + 1;
    assert_memory_equal(at, "ret;", 4);
    assert_null(cubin_find_line(cubin->lines, cubin->line_count, exchange->section, 1u << 20));
    cubin_destroy(cubin);
    cubin = read_cubin("basic.sm_90.cubin");
    assert_int_equal(cubin->target, 90);
    assert_int_equal(cubin->line_count, 0);
    check_parameters(find(cubin, "choose"), 0x210);
    cubin_destroy(cubin);
}

static void relocatable(void **state)
{
    (void)state;
    struct cubin *cubin = read_cubin("caller.sm_75.cubin");
    assert_int_equal(cubin->target, 75);
    assert_false(cubin->is_linked);
    const struct cubin_function *caller = find(cubin, "caller");
    const struct cubin_function *twice = find(cubin, "_Z5twiceiPi");
    assert_int_not_equal(caller->section, twice->section);
    assert_int_equal(twice->entry, -1);
    assert_true(symbol_of(cubin, "_Z6helperiPi")->is_undefined);
    int calls = 0, halves = 0, constants = 0;
    for (uint32_t i = 0; i < cubin->relocation_count; i++) {
        const struct cubin_relocation *one = &cubin->relocations[i];
        const char *name = cubin->symbols[one->symbol].name;
        const char *kind = cubin_relocation_kind(one->type)->name;
        if (one->section != caller->section) continue;
        calls += !strcmp(kind, "R_CUDA_ABS47_34");
        halves += !strcmp(kind, "R_CUDA_ABS32_LO_32") - !strcmp(kind, "R_CUDA_ABS32_HI_32");
        constants += !strcmp(name, "factors");
    }
    assert_int_equal(calls, 2); /* helper, twice */
    assert_int_equal(halves, 0);
    assert_true(constants > 0);
    cubin_destroy(cubin);
}

/* ---- listings -------------------------------------------------------------------------------- */

static void listing_divides_at_functions(void **state)
{
    (void)state;
    struct cubin *cubin = read_cubin("basic.sm_80.cubin");
    const struct cubin_function *choose = find(cubin, "choose");
    struct listing listing;
    listing_create(cubin, "triangle", &listing);
    assert_int_equal(listing.count, 2);
    uint64_t next = 0;
    for (uint32_t i = 0; i < listing.count; i++) {
        struct arena arena = {0};
        size_t count;
        const struct listing_row *rows = listing_read(&listing, &arena, i, &count);
        assert_true(count > 0);
        for (size_t k = 0; k < count; k++, next += NATIVE_WORD_BYTES)
            assert_int_equal(rows[k].offset, next);
        arena_clear(&arena);
    }
    assert_int_equal(next, choose->size);
    listing_clear(&listing);
    listing_create(cubin, "nobody", &listing);
    assert_int_equal(listing.count, 0);
    listing_clear(&listing);
    cubin_destroy(cubin);
}

/* ---- fat binaries ---------------------------------------------------------------------------- */

static void pick(const char *name, unsigned wanted, ws_status expected, unsigned target)
{
    struct file file;
    struct diag diag = {0};
    struct fat_file images;
    unsigned picked;
    open_file(&file, name);
    assert_int_equal(fat_file_read(&diag, &file.arena, name, file.bytes, file.size, &images),
                     WS_OK);
    assert_int_equal(fat_file_pick(&diag, &images, wanted, &picked), expected);
    assert_int_equal(picked, target);
    for (size_t i = 0; i < images.count && picked; i++) {
        void *bytes;
        struct cubin *cubin;
        if (images.images[i].is_ptx || images.images[i].target != picked) continue;
        assert_int_equal(fat_image_unpack(&diag, &images, &images.images[i], &bytes), WS_OK);
        assert_int_equal(cubin_read(&diag, name, bytes, images.images[i].size, &cubin), WS_OK);
        mem_free(bytes);
        find(cubin, strstr(name, "caller") ? "caller" : "zero");
        cubin_destroy(cubin);
    }
    diag_clear(&diag);
    arena_clear(&file.arena);
}

static void fat_binaries(void **state)
{
    (void)state;
    pick("empty.fatbin", 0, WS_OK, 86); /* sm_100 is not read */
    pick("empty.fatbin", 80, WS_OK, 80);
    pick("empty.fatbin", 89, WS_OK, 86);
    pick("empty.fatbin", 90, WS_ERR_INPUT, 0);
    pick("empty.fatbin", 75, WS_ERR_INPUT, 0);
    pick("packed.fatbin", 0, WS_OK, 80);
    pick("caller.sm_75.cubin", 75, WS_OK, 75);
}

/* ---- damage ---------------------------------------------------------------------------------- */

static void walk(const struct cubin *cubin)
{
    struct listing listing;
    listing_create(cubin, NULL, &listing);
    for (uint32_t i = 0; i < listing.count; i++) {
        struct arena arena = {0};
        size_t count;
        listing_read(&listing, &arena, i, &count);
        arena_clear(&arena);
    }
    listing_clear(&listing);
}

/* From a block of its own size, so that a sanitizer sees what lies behind it. */
static ws_status read_damaged(const char *bytes, size_t size)
{
    struct diag diag = {0};
    struct cubin *cubin;
    char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    ws_status status = cubin_read(&diag, "x.cubin", copy, size, &cubin);
    free(copy);
    if (status == WS_OK)
        walk(cubin);
    else
        assert_non_null(strstr(diag_text(&diag), "x.cubin: error: "));
    cubin_destroy(cubin);
    diag_clear(&diag);
    return status;
}

static void truncated_files_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"basic.sm_80.cubin", "caller.sm_75.cubin"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct file file;
        open_file(&file, names[i]);
        /* The table of sections, then that of segments, which is not needed, are last. */
        for (size_t size = 0; size + 2048 < file.size; size += 37)
            assert_int_not_equal(read_damaged(file.bytes, size), WS_OK);
        arena_clear(&file.arena);
    }
}

static void changed_files_do_no_harm(void **state)
{
    (void)state;
    static const unsigned char values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    struct file file;
    unsigned refused = 0;
    open_file(&file, "caller.sm_75.cubin");
    for (size_t at = 0; at < file.size; at++) {
        char old = file.bytes[at];
        file.bytes[at] = (char)values[at % sizeof values];
        refused += read_damaged(file.bytes, file.size) != WS_OK;
        file.bytes[at] = old;
    }
    assert_true(refused > 100);
    arena_clear(&file.arena);
}

static void expect_error(char *bytes, size_t size, ws_status expected, const char *text)
{
    struct diag diag = {0};
    struct cubin *cubin;
    assert_int_equal(cubin_read(&diag, "x.cubin", bytes, size, &cubin), expected);
    assert_non_null(strstr(diag_text(&diag), text));
    assert_null(cubin);
    diag_clear(&diag);
}

static void errors_name_what_is_wrong(void **state)
{
    (void)state;
    enum { OSABI = 7, MACHINE = 18, FLAGS = 48 };
    struct file file;
    open_file(&file, "basic.sm_80.cubin");
    file.bytes[FLAGS + 1] = 61;
    expect_error(file.bytes, file.size, WS_ERR_UNSUPPORTED,
                 "unsupported architecture sm_61: native code of sm_75, 80, 86, 89 and 90 is read");
    /* CUDA 11 and 12 have the architecture in the lowest byte. */
    file.bytes[OSABI] = 0x33;
    file.bytes[FLAGS] = 35;
    expect_error(file.bytes, file.size, WS_ERR_UNSUPPORTED, "sm_35");
    file.bytes[OSABI] = 3;
    expect_error(file.bytes, file.size, WS_ERR_UNSUPPORTED, "ABI 0x3");
    file.bytes[MACHINE] = 62;
    expect_error(file.bytes, file.size, WS_ERR_INPUT, "not a cubin");
    arena_clear(&file.arena);
    /* A relocation of a type that is unknown, in a section that is used. */
    open_file(&file, "basic.sm_80.cubin");
    struct cubin *cubin = read_cubin("basic.sm_80.cubin");
    const struct cubin_symbol *pointers = symbol_of(cubin, "pointers");
    uint64_t offset = pointers->offset;
    cubin_destroy(cubin);
    unsigned changed = 0;
    for (size_t at = 0; at + 24 <= file.size && !changed; at += 4) {
        uint64_t place, addend;
        uint32_t type;
        memcpy(&place, file.bytes + at, 8);
        memcpy(&type, file.bytes + at + 8, 4);
        memcpy(&addend, file.bytes + at + 16, 8);
        if (place != offset || type != 4 || addend != 12) continue;
        file.bytes[at + 8] = (char)200;
        changed++;
    }
    assert_int_equal(changed, 1);
    expect_error(file.bytes, file.size, WS_ERR_UNSUPPORTED, "unsupported relocation type 200");
    arena_clear(&file.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_and_limits),
        cmocka_unit_test(branch_targets_are_the_table_s),
        cmocka_unit_test(data_and_relocations),
        cmocka_unit_test(lines),
        cmocka_unit_test(relocatable),
        cmocka_unit_test(listing_divides_at_functions),
        cmocka_unit_test(fat_binaries),
        cmocka_unit_test(truncated_files_are_refused),
        cmocka_unit_test(changed_files_do_no_harm),
        cmocka_unit_test(errors_name_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
