// SPDX-License-Identifier: Apache-2.0
/* tests/ptx/ok: files that must decode. tests/ptx/bad: their first line says
 * `// expect: words | words`, parts of the message they must fail with. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "decode/module.h"

static unsigned for_each(const char *folder, void (*check)(const char *path))
{
    struct arena arena = {0};
    struct dirent **entries;
    unsigned checked = 0;
    int count = scandir(folder, &entries, NULL, alphasort);
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        const char *dot = strrchr(entries[i]->d_name, '.');
        if (dot && !strcmp(dot, ".ptx")) {
            check(arena_format(&arena, "%s/%s", folder, entries[i]->d_name));
            checked++;
        }
        free(entries[i]);
    }
    free(entries);
    arena_clear(&arena);
    return checked;
}

/* What holds for every decoded function, whatever it does. */
static void check_function(const char *path, const struct function *function)
{
    for (uint32_t b = 0; b < function->block_count; b++) {
        const struct basic_block *block = &function->blocks[b];
        assert_true(block->count > 0);
        assert_true(block->critical_path >= 1 && block->critical_path <= block->count);
        assert_true(block->post_dominator >= -1 &&
                    block->post_dominator < (int32_t)function->block_count);
        for (uint32_t i = block->first; i < block->first + block->count; i++)
            assert_int_equal(function->block_of[i], b);
    }
    for (uint32_t i = 0; i < function->insn_count; i++) {
        const struct insn *insn = &function->insns[i];
        if (insn->op == OP_BRA &&
            (insn->target < 0 || insn->target >= (int32_t)function->insn_count))
            fail_msg("%s:%u: a branch without target", path, insn->line);
        if (!strncmp(insn->text, "cp.async", 8)) continue; /* becomes loads and a store */
        if (strncmp(insn->text, op_infos[insn->op].mnemonic, strlen(op_infos[insn->op].mnemonic)) !=
                0 &&
            insn->op != OP_TRAP)
            fail_msg("%s:%u: '%s' became '%s'", path, insn->line, insn->text,
                     op_infos[insn->op].mnemonic);
    }
}

static void check_good(const char *path)
{
    struct diag diag = {0};
    struct module *module;
    if (module_load_file(&diag, path, NULL, &module) != WS_OK) fail_msg("%s", diag.text);
    assert_true(module->function_count > 0);
    for (uint32_t f = 0; f < module->function_count; f++)
        check_function(path, &module->functions[f]);
    module_destroy(module);
    diag_clear(&diag);
}

static void check_bad(const char *path)
{
    struct diag diag = {0};
    struct arena arena = {0};
    struct module *module = NULL;
    char *text, *rest = NULL;
    size_t size;
    assert_int_equal(text_read_file(&diag, &arena, path, &text, &size), WS_OK);
    if (strncmp(text, "// expect: ", 11) != 0) fail_msg("%s: no '// expect: '", path);
    ws_status status = module_load_file(&diag, path, NULL, &module);
    if (status != WS_ERR_INPUT && status != WS_ERR_UNSUPPORTED)
        fail_msg("%s: status %d", path, (int)status);
    assert_null(module);
    text[strcspn(text, "\n")] = '\0';
    for (char *at = text + 11; at; at = rest) {
        rest = strstr(at, " | ");
        if (rest) {
            *rest = '\0';
            rest += 3;
        }
        if (!strstr(diag.text, at)) fail_msg("%s: expected '%s' in:\n%s", path, at, diag.text);
    }
    arena_clear(&arena);
    diag_clear(&diag);
}

static void good_files(void **state)
{
    (void)state;
    assert_true(for_each(TESTS_DIR "/ptx/ok", check_good) >= 6);
    assert_true(for_each(TESTS_DIR "/kernels", check_good) >= 7);
}

static void bad_files(void **state)
{
    (void)state;
    assert_true(for_each(TESTS_DIR "/ptx/bad", check_bad) >= 60);
}

/* Cut at any byte, the file is refused (or is still whole) and nothing breaks. */
static void check_cut(const char *path)
{
    struct diag diag = {0};
    struct arena arena = {0};
    char *text;
    size_t size, refused = 0, step;
    assert_int_equal(text_read_file(&diag, &arena, path, &text, &size), WS_OK);
    step = size / 2000 + 1;
    for (size_t cut = 0; cut < size; cut += step) {
        struct module *module;
        ws_status status = module_load_memory(&diag, "cut.ptx", text, cut, &module);
        if (status != WS_OK) {
            assert_null(module);
            assert_non_null(diag.text);
            refused++;
        }
        module_destroy(module);
    }
    assert_true(refused > 0);
    arena_clear(&arena);
    diag_clear(&diag);
}

static void cut_files(void **state)
{
    (void)state;
    for_each(TESTS_DIR "/ptx/ok", check_cut);
}

static void missing_file(void **state)
{
    (void)state;
    struct diag diag = {0};
    struct module *module;
    assert_int_equal(module_load_file(&diag, "no/such/file.ptx", NULL, &module), WS_ERR_IO);
    assert_non_null(strstr(diag.text, "no/such/file.ptx"));
    assert_int_equal(module_load_file(&diag, "no/such/file.cu", NULL, &module), WS_ERR_IO);
    assert_int_equal(module_load_file(&diag, TESTS_DIR "/kernels/memory.cu", "/nowhere", &module),
                     WS_ERR_INPUT);
    assert_non_null(strstr(diag.text, "nvcc"));
    assert_non_null(strstr(diag.text, "clang"));
    assert_null(module);
    diag_clear(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_files),
        cmocka_unit_test(bad_files),
        cmocka_unit_test(cut_files),
        cmocka_unit_test(missing_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
