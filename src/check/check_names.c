// SPDX-License-Identifier: Apache-2.0
#include "check/check_names.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/text.h"

static const struct {
    const char *name, *other;
    enum check_tool tool;
} tools[] = {
    {"memory", "memcheck", CHECK_MEMORY},
    {"init", "initcheck", CHECK_INIT},
    {"race", "racecheck", CHECK_RACE},
    {"sync", "synccheck", CHECK_SYNC},
};

unsigned check_tool_find(const char *name)
{
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (!strcmp(name, tools[i].name) || !strcmp(name, tools[i].other)) return tools[i].tool;
    return 0;
}

static ws_status unknown_tool(struct diag *diag, const char *word)
{
    static const char *const names[] = {"memory",   "init",      "race",      "sync",     "all",
                                        "memcheck", "initcheck", "racecheck", "synccheck"};
    struct arena arena = {0};
    ws_status status = diag_error(
        diag, WS_ERR_ARGUMENT,
        "unknown tool '%s'%s: expected memory, init, race, sync or all, with commas between them",
        word, text_hint(&arena, word, names, sizeof names / sizeof *names));
    arena_clear(&arena);
    return status;
}

ws_status check_tools_parse(struct diag *diag, const char *text, unsigned *out)
{
    *out = 0;
    for (const char *at = text;; at++) {
        char word[32];
        size_t length = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : 31, at);
        unsigned tool = !strcmp(word, "all") ? CHECK_ALL : check_tool_find(word);
        if (!tool) return unknown_tool(diag, word);
        *out |= tool;
        at += length;
        if (!*at) return WS_OK;
    }
}

unsigned check_code_named(const char *id)
{
    unsigned code = 0;
    while (code < CHECK_CODE_COUNT && strcasecmp(check_codes[code].id, id) != 0)
        code++;
    return code;
}
