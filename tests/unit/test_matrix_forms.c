// SPDX-License-Identifier: Apache-2.0
/* Which matrix instructions are PTX: a mnemonic of tests/ptx/matrix_forms.txt is accepted exactly if ptxas accepts it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "decode/module.h"

/* Without operands each is an error: of those that are no PTX at the mnemonic, where the line begins. */
static bool accepts(const char *mnemonic)
{
    char text[512];
    int length = snprintf(text, sizeof text,
                          ".version 9.0\n.target sm_90a\n.address_size 64\n"
                          ".visible .entry k() {\n%s;\nret; }\n",
                          mnemonic);
    struct diag diag = {0};
    struct module *module = NULL;
    ws_status status = module_load_memory(&diag, "form.ptx", text, (size_t)length, &module);
    bool accepted = status == WS_ERR_INPUT && !strstr(diag.text, "form.ptx:5:1:");
    module_destroy(module);
    diag_clear(&diag);
    return accepted;
}

static void accepts_what_ptxas_accepts(void **state)
{
    (void)state;
    struct diag diag = {0};
    struct arena arena = {0};
    char *list, *rest = NULL;
    size_t size, wrong = 0, accepted = 0, refused = 0;
    assert_int_equal(text_read_file(&diag, &arena, TESTS_DIR "/ptx/matrix_forms.txt", &list, &size),
                     WS_OK);
    for (char *line = strtok_r(list, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (*line == '#') continue;
        bool expected = *line == '+';
        if (expected)
            accepted++;
        else
            refused++;
        if (accepts(line + 2) == expected) continue;
        fprintf(stderr, "%s: %s here\n", line + 2, expected ? "refused" : "accepted");
        wrong++;
    }
    assert_int_equal(wrong, 0);
    assert_true(accepted > 300 && refused > 800);
    arena_clear(&arena);
    diag_clear(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(accepts_what_ptxas_accepts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
