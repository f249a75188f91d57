// SPDX-License-Identifier: Apache-2.0
/* Reads findings from JSON. Strict: an unknown key or a value of another type is an error with its path. */
#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "check/check_names.h"
#include "check/finding_file.h"

struct reader {
    struct diag *diag;
    struct arena *arena;
    const char *name;
    struct finding_list *into;
};

static ws_status fail(const struct reader *r, const char *path, const char *what)
{
    return diag_error(r->diag, WS_ERR_INPUT, "%s: error: %s: %s", r->name, path, what);
}

static ws_status read_count(const struct reader *r, const json_t *json, const char *path,
                            uint64_t *out)
{
    json_int_t value = json_integer_value(json);
    if (!json_is_integer(json) || value < 0) return fail(r, path, "must be a whole number");
    *out = (uint64_t)value;
    return WS_OK;
}

static ws_status read_word(const struct reader *r, const json_t *json, const char *path,
                           const char **out)
{
    if (!json_is_string(json)) return fail(r, path, "must be a text");
    *out = arena_copy(r->arena, json_string_value(json));
    return WS_OK;
}

static ws_status read_triple(const struct reader *r, const json_t *json, const char *path,
                             uint64_t out[3])
{
    if (!json_is_array(json) || json_array_size(json) != 3)
        return fail(r, path, "must be a list of three numbers");
    for (size_t i = 0; i < 3; i++)
        TRY(read_count(r, json_array_get(json, i), path, &out[i]));
    return WS_OK;
}

static ws_status read_members(const struct reader *r, json_t *json, const char *path, void *at,
                              const struct member *members);

static ws_status read_frames(const struct reader *r, const json_t *json, const char *path,
                             struct finding_frames *out)
{
    size_t count = json_array_size(json);
    if (!json_is_array(json) || count > FINDING_FRAMES_MOST)
        return fail(r, path, "must be a list of at most 64 frames");
    out->items = ARENA_ARRAY(r->arena, struct finding_frame, count + 1);
    for (out->count = 0; out->count < count; out->count++) {
        struct finding_frame *frame = &out->items[out->count];
        const char *own = arena_format(r->arena, "%s[%zu]", path, out->count);
        TRY(read_members(r, json_array_get(json, out->count), own, frame, finding_frame_members));
        frame->number = out->count + 1;
    }
    return WS_OK;
}

static ws_status read_member(const struct reader *r, json_t *json, const char *path, char *at,
                             const struct member *member)
{
    void *value = at + member->at;
    if (member->present_at) *(bool *)(at + member->present_at) = true;
    switch (member->kind) {
    case MEMBER_WORD:
        return read_word(r, json, path, value);
    case MEMBER_COUNT:
        return read_count(r, json, path, value);
    case MEMBER_TRIPLE:
        return read_triple(r, json, path, value);
    case MEMBER_FRAMES:
        return read_frames(r, json, path, value);
    default:
        return read_members(r, json, path, value, member->members);
    }
}

static ws_status read_members(const struct reader *r, json_t *json, const char *path, void *at,
                              const struct member *members)
{
    const char *key;
    json_t *value;
    if (!json_is_object(json)) return fail(r, path, "must be an object {...}");
    json_object_foreach(json, key, value)
    {
        const struct member *member = members;
        const char *own = arena_format(r->arena, "%s.%s", path, key);
        while (member->key && strcmp(member->key, key) != 0)
            member++;
        if (!member->key) return fail(r, own, "unknown key");
        TRY(read_member(r, value, own, at, member));
    }
    return WS_OK;
}

/* What every reader of a finding relies on. */
static ws_status check_finding(const struct reader *r, const char *path,
                               struct finding_words *finding)
{
    static const char *const tools[] = {"memory", "init", "race", "sync"};
    static const char *const grades[] = {"error", "warning", "note"};
    bool has_tool = false, has_grade = false;
    if (!finding->code || !finding->title) return fail(r, path, "must have a code and a title");
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        has_tool |= finding->tool && !strcmp(finding->tool, tools[i]);
    for (size_t i = 0; i < sizeof grades / sizeof *grades; i++)
        has_grade |= finding->grade && !strcmp(finding->grade, grades[i]);
    if (!has_tool) return fail(r, path, "tool must be memory, init, race or sync");
    if (!has_grade) return fail(r, path, "grade must be error, warning or note");
    if (!finding->count) finding->count = 1;
    return WS_OK;
}

static ws_status read_findings(const struct reader *r, const json_t *list)
{
    struct finding_list *into = r->into;
    if (!json_is_array(list)) return fail(r, "findings", "must be a list [...]");
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct finding_words one = {0};
        const char *path = arena_format(r->arena, "findings[%zu]", i);
        TRY(read_members(r, json_array_get(list, i), path, &one, finding_members));
        TRY(check_finding(r, path, &one));
        GROW(into->items, into->count, into->room);
        into->items[into->count++] = one;
    }
    return WS_OK;
}

static ws_status read_words(const struct reader *r, const json_t *list, const char *path,
                            void (*add)(struct finding_list *into, const char *text))
{
    if (!list) return WS_OK;
    if (!json_is_array(list)) return fail(r, path, "must be a list [...]");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *text = NULL;
        TRY(read_word(r, json_array_get(list, i), path, &text));
        add(r->into, text);
    }
    return WS_OK;
}

static ws_status read_sum(const struct reader *r, const json_t *root, const char *key,
                          uint64_t *sum)
{
    const json_t *json = json_object_get(root, key);
    uint64_t value = 0;
    if (json) TRY(read_count(r, json, key, &value));
    *sum += value;
    return WS_OK;
}

static ws_status read_tools(const struct reader *r, const json_t *json)
{
    struct diag why = {0};
    unsigned tools;
    if (!json) return WS_OK;
    TRY(read_word(r, json, "tools", &r->into->tools));
    ws_status status = check_tools_parse(&why, r->into->tools, &tools);
    if (status != WS_OK) status = fail(r, "tools", diag_text(&why));
    diag_clear(&why);
    return status;
}

static ws_status read_root(const struct reader *r, const json_t *root)
{
    struct finding_list *into = r->into;
    const char *schema = json_string_value(json_object_get(root, "schema"));
    if (!schema || strcmp(schema, FINDINGS_SCHEMA) != 0)
        return fail(r, "schema", "must be \"" FINDINGS_SCHEMA "\": not a file of findings");
    TRY(read_tools(r, json_object_get(root, "tools")));
    TRY(read_sum(r, root, "launches", &into->launches));
    TRY(read_sum(r, root, "unchecked_launches", &into->unchecked_launches));
    TRY(read_sum(r, root, "left_out", &into->left_out));
    TRY(read_words(r, json_object_get(root, "kernels"), "kernels", finding_list_kernel));
    TRY(read_words(r, json_object_get(root, "unchecked_kernels"), "unchecked_kernels",
                   finding_list_unchecked));
    TRY(read_words(r, json_object_get(root, "notes"), "notes", finding_list_note));
    return read_findings(r, json_object_get(root, "findings"));
}

static void drop_json(void *json)
{
    json_decref(json);
}

/* One document of the text, which is moved behind it. */
static ws_status read_document(const struct reader *r, const char **text, const char *begin,
                               size_t size)
{
    struct mem_guard guard;
    json_error_t error;
    size_t left = size - (size_t)(*text - begin);
    errno = 0;
    json_t *root = json_loadb(*text, left, JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK, &error);
    if (errno == ENOMEM) json_decref(root);
    mem_check_errno();
    if (!root) {
        size_t before = 0; /* lines of the documents before */
        for (const char *at = begin; at < *text; at++)
            before += *at == '\n';
        struct source_place place = {.file = r->name,
                                     .text = begin,
                                     .size = size,
                                     .line = (uint32_t)before +
                                             (uint32_t)(error.line > 0 ? error.line : 1),
                                     .column = error.column > 0 ? (uint32_t)error.column : 1,
                                     .length = 1};
        return diag_error_at(r->diag, WS_ERR_INPUT, &place, "not valid JSON: %s", error.text);
    }
    mem_guard_begin(&guard, drop_json, root);
    ws_status status = read_root(r, root);
    mem_guard_end(&guard);
    json_decref(root);
    *text += error.position;
    return status;
}

ws_status finding_list_load(struct diag *diag, struct arena *arena, const char *path,
                            struct finding_list *into)
{
    static const char blanks[] = " \t\r\n";
    const struct reader r = {diag, arena, path, into};
    char *begin;
    size_t size;
    TRY(text_read_file(diag, arena, path, &begin, &size));
    const char *at = begin + strspn(begin, blanks);
    do {
        TRY(read_document(&r, &at, begin, size));
        at += strspn(at, blanks);
    } while (*at);
    return WS_OK;
}
