// SPDX-License-Identifier: Apache-2.0
#include "support/litmus.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/module.h"

#define FOLDER TESTS_DIR "/checks/ptx_race/litmus"

enum { TEXT_MAX = 1 << 20, HALF = LITMUS_WORDS / 2 };

static char *read_text(const char *variable, const char *usual)
{
    const char *path = getenv(variable);
    FILE *file = fopen(path ? path : usual, "r");
    assert_non_null(file);
    char *text = calloc(1, TEXT_MAX);
    assert_non_null(text);
    size_t length = fread(text, 1, TEXT_MAX - 1, file);
    assert_true(length > 0 && length < TEXT_MAX - 1);
    fclose(file);
    return text;
}

char *litmus_source(void)
{
    return read_text("WARPSAGE_RACE_CU", FOLDER ".cu");
}

struct module *litmus_module(void)
{
    char *code = read_text("WARPSAGE_RACE_PTX", FOLDER ".ptx");
    struct diag diag = {0};
    struct module *module;
    if (module_load_memory(&diag, "litmus.ptx", code, strlen(code), &module) != WS_OK)
        fail_msg("%s", diag.text);
    diag_clear(&diag);
    free(code);
    return module;
}

bool litmus_next(const char **at, struct litmus *out)
{
    const char *line = strstr(*at, "\n//! ");
    int length = 0;
    if (!line) return false;
    line += strlen("\n//! ");
    if (sscanf(line, "%63s %u %u%n", out->kernel, &out->grid, &out->block, &length) != 3)
        fail_msg("cannot read '%.60s'", line);
    size_t rest = strcspn(line + length, "\n");
    assert_true(rest < sizeof out->words);
    memcpy(out->words, line + length, rest);
    out->words[rest] = 0;
    *at = line + length;
    return true;
}

bool litmus_has(const struct litmus *litmus, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = litmus->words; *at;) {
        at += strspn(at, " ");
        size_t here = strcspn(at, " ");
        if (here == length && !memcmp(at, word, length)) return true;
        at += here;
    }
    return false;
}

void litmus_fill(uint32_t data[LITMUS_WORDS], bool has_inputs)
{
    memset(data, 0, LITMUS_BYTES);
    for (uint32_t i = 0; i < HALF; i++) {
        data[HALF + i] = 100 + i;
        if (has_inputs) data[i] = 7 + 3 * i;
    }
}
