// SPDX-License-Identifier: Apache-2.0
/* Every row of the instruction table on operands with known results: MNEMONIC.txt in VECTOR_DIR,
 * where the build makes them.
 *
 *     test_vectors --level baseline|x86-64-v3|x86-64-v4 [FILE...]     default: all files; the level must exist
 *     test_vectors --compiled x86-64-v4 [FILE...]   the same by the compiled engine
 *     test_vectors --ptx FILE                       the kernels of a file, for ptxas
 *
 * pending.txt lists forms that are known to fail, `FILE: FORM`; one that passes must leave it. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "emulate/emulate.h"
#include "vector_ptx.h"
#include "vector_run.h"

enum { SKIPPED = 77 };

static struct {
    int level;
    bool compiled;
    struct arena arena;
    const char *pending; /* text of pending.txt */
    size_t file_count, file_room;
    char **files; /* paths */
    size_t forms, rows, pending_forms;
} all;

/* "add" of ".../add.txt". */
static const char *mnemonic_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    return arena_copy_n(&all.arena, name, strlen(name) - strlen(".txt"));
}

static bool is_pending(const char *mnemonic, const char *form)
{
    const char *line = arena_format(&all.arena, "\n%s: %s\n", mnemonic, form);
    return strstr(all.pending, line) != NULL;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static bool check_form(const struct vector_file *file, const struct vector_form *form)
{
    bool pending = is_pending(mnemonic_of(file->path), form->name);
    char *text = NULL;
    size_t size = 0;
    FILE *report = pending ? open_memstream(&text, &size) : stderr;
    bool good = vector_run_form(file, form, all.level, all.compiled, report);
    if (pending) fclose(report);
    free(text);
    all.forms++;
    all.rows += form->row_count;
    all.pending_forms += pending;
    if (pending && good)
        fprintf(stderr, "%s:%u: %s passes: take it from pending.txt\n", file->path, form->line,
                form->name);
    return good != pending;
}

static void check_file(void **state)
{
    struct diag diag = {0};
    struct vector_file file;
    size_t failed = 0;
    if (vector_file_load(&diag, *state, &file) != WS_OK) fail_msg("%s", diag.text);
    for (size_t i = 0; i < file.form_count; i++)
        failed += !check_form(&file, &file.forms[i]);
    size_t forms = file.form_count;
    vector_file_clear(&file);
    diag_clear(&diag);
    if (failed) fail_msg("%zu of %zu forms", failed, forms);
}

static bool has_file(const char *mnemonic)
{
    bool found = false;
    for (size_t i = 0; i < all.file_count && !found; i++)
        found = !strcmp(mnemonic_of(all.files[i]), mnemonic);
    return found;
}

static void every_row_has_vectors(void **state)
{
    (void)state;
    unsigned missing = 0;
    for (unsigned op = 0; op < OP_PTX_COUNT; op++)
        if (!has_file(op_infos[op].mnemonic)) {
            fprintf(stderr, "no vectors of %s: define them in tests/tools/vectors\n",
                    op_infos[op].mnemonic);
            missing++;
        }
    if (missing) fail_msg("%u of %d instructions have no vectors", missing, OP_PTX_COUNT);
}

static void every_file_has_a_row(void **state)
{
    (void)state;
    for (size_t i = 0; i < all.file_count; i++) {
        const char *mnemonic = mnemonic_of(all.files[i]);
        bool known = false;
        for (unsigned op = 0; op < OP_PTX_COUNT && !known; op++)
            known = !strcmp(op_infos[op].mnemonic, mnemonic);
        if (!known) fail_msg("%s: no instruction of this name", all.files[i]);
    }
}

/* ---- files and options ----------------------------------------------------------------------- */

static void add_file(const char *path)
{
    GROW(all.files, all.file_count, all.file_room);
    all.files[all.file_count++] = arena_copy(&all.arena, path);
}

static int is_vector_file(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && !strcmp(dot, ".txt");
}

static void find_files(void)
{
    struct dirent **entries;
    int count = scandir(VECTOR_DIR, &entries, is_vector_file, alphasort);
    for (int i = 0; i < count; i++) {
        add_file(arena_format(&all.arena, VECTOR_DIR "/%s", entries[i]->d_name));
        free(entries[i]);
    }
    if (count >= 0) free(entries);
}

static bool read_pending(struct diag *diag)
{
    char *text;
    size_t size;
    if (text_read_file(diag, &all.arena, TESTS_DIR "/vectors/pending.txt", &text, &size) != WS_OK)
        return false;
    all.pending = arena_format(&all.arena, "\n%s", text);
    return true;
}

/* Each form is a module of its own, below a line "//// FORM". */
static int print_ptx(struct diag *diag, const char *path)
{
    struct vector_file file;
    if (vector_file_load(diag, path, &file) != WS_OK) return 1;
    for (size_t i = 0; i < file.form_count; i++) {
        const struct vector_form *form = &file.forms[i];
        printf("//// %s\n", form->name);
        ptx_write_header(stdout, form);
        ptx_write_kernel(stdout, form, form->takes_guard ? MASK_GUARD : MASK_BRANCH, "k");
    }
    vector_file_clear(&file);
    return 0;
}

/* Index of a level of this host, -1 if it has none of this name. */
static int find_level(const char *name)
{
    for (int level = 0; level < device_isa_levels(); level++)
        if (!strcmp(device_isa_name(level), name)) return level;
    return -1;
}

static int run_all(bool whole_table)
{
    struct CMUnitTest *tests = mem_zalloc(all.file_count + 2, sizeof *tests);
    size_t count = 0;
    for (; count < all.file_count; count++)
        tests[count] = (struct CMUnitTest){.name = mnemonic_of(all.files[count]),
                                           .test_func = check_file,
                                           .initial_state = all.files[count]};
    if (whole_table) {
        tests[count++] = (struct CMUnitTest)cmocka_unit_test(every_row_has_vectors);
        tests[count++] = (struct CMUnitTest)cmocka_unit_test(every_file_has_a_row);
    }
    int failed = _cmocka_run_group_tests("vectors", tests, count, NULL, NULL);
    printf("%s: %zu rows of %zu forms, %zu of them pending\n", device_isa_name(all.level), all.rows,
           all.forms, all.pending_forms);
    mem_free(tests);
    return failed;
}

int main(int argc, char **argv)
{
    struct diag diag = {0};
    int status = 1, at = 1;
    if (argc == 3 && !strcmp(argv[1], "--ptx")) {
        status = print_ptx(&diag, argv[2]);
    } else if (argc > 2 && (!strcmp(argv[1], "--level") || !strcmp(argv[1], "--compiled")) &&
               read_pending(&diag)) {
        all.compiled = argv[1][2] == 'c';
        all.level = find_level(argv[2]);
        for (at = 3; at < argc; at++)
            add_file(argv[at]);
        if (argc == 3) find_files();
        if (all.level < 0) printf("this host does not run the level %s\n", argv[2]);
        status = all.level < 0 ? SKIPPED : run_all(argc == 3);
    }
    if (diag.text) fprintf(stderr, "%s\n", diag.text);
    diag_clear(&diag);
    mem_free(all.files);
    arena_clear(&all.arena);
    return status;
}
