// SPDX-License-Identifier: Apache-2.0
#include "check/suppression.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "check/check_names.h"

/* ---- rules of a file ------------------------------------------------------------------------- */

struct reading {
    struct diag *diag;
    struct arena *arena;
    const char *path, *text;
    size_t size;
    uint32_t line;
    const char *begin, *at; /* the line, and where it is read */
};

static ws_status fail(const struct reading *r, const char *at, size_t length, const char *format,
                      const char *what)
{
    const struct source_place place = {.file = r->path,
                                       .text = r->text,
                                       .size = r->size,
                                       .line = r->line,
                                       .column = (uint32_t)(at - r->begin) + 1,
                                       .length = length ? (uint32_t)length : 1};
    return diag_error_at(r->diag, WS_ERR_INPUT, &place, format, what);
}

static void skip_blanks(struct reading *r)
{
    r->at += strspn(r->at, " \t\r");
}

/* A value goes to the next blank, one in quotes to the next quote. */
static ws_status read_value(struct reading *r, const char **out)
{
    bool is_quoted = *r->at == '"';
    const char *begin = r->at + is_quoted;
    size_t length = is_quoted ? strcspn(begin, "\"") : strcspn(begin, " \t\r");
    if (is_quoted && begin[length] != '"') return fail(r, r->at, 1, "%s", "missing closing quote");
    if (!length) return fail(r, r->at, 1, "%s", "missing value");
    *out = arena_copy_n(r->arena, begin, length);
    r->at = begin + length + is_quoted;
    return WS_OK;
}

/* "reduce.cu:40" */
static void take_line(struct suppression *rule)
{
    char *colon = strrchr(rule->file, ':');
    if (!colon || !text_to_u64(colon + 1, &rule->line)) return;
    *colon = '\0';
}

static ws_status read_key(struct reading *r, struct suppression *rule)
{
    static const char *const keys[] = {"code", "tool", "kernel", "file", "reason"};
    const char **const values[] = {&rule->code, &rule->tool, &rule->kernel, &rule->file,
                                   &rule->reason};
    enum { KEYS = sizeof keys / sizeof *keys, REASON = KEYS - 1 };
    const char *key = r->at;
    size_t length = strcspn(key, "= \t\r"), k = 0;
    if (key[length] != '=')
        return fail(r, key, length, "'%s' is not KEY=VALUE", arena_copy_n(r->arena, key, length));
    while (k < KEYS && (strlen(keys[k]) != length || strncmp(keys[k], key, length) != 0))
        k++;
    if (k == KEYS) {
        const char *name = arena_copy_n(r->arena, key, length);
        return fail(r, key, length, "%s",
                    arena_format(r->arena,
                                 "unknown key '%s'%s: expected code, tool, kernel, file or reason",
                                 name, text_hint(r->arena, name, keys, KEYS)));
    }
    if (*values[k]) return fail(r, key, length, "%s is given twice", keys[k]);
    r->at = key + length + 1;
    const char *value = r->at;
    if (k < REASON) {
        TRY(read_value(r, values[k]));
    } else { /* the rest of the line */
        rule->reason = arena_copy(r->arena, value);
        r->at += strlen(value);
    }
    if (values[k] == &rule->code && check_code_named(rule->code) == CHECK_CODE_COUNT)
        return fail(r, value, strlen(rule->code),
                    "unknown code '%s': `warpsage explain` lists them", rule->code);
    if (values[k] == &rule->tool && !check_tool_find(rule->tool))
        return fail(r, value, strlen(rule->tool),
                    "unknown tool '%s': expected memory, init, race or sync", rule->tool);
    if (values[k] == &rule->file) take_line(rule);
    return WS_OK;
}

static ws_status read_rule(struct reading *r, struct suppressions *into)
{
    struct suppression rule = {.file_of = r->path, .line_of = r->line};
    for (skip_blanks(r); *r->at && *r->at != '#'; skip_blanks(r))
        TRY(read_key(r, &rule));
    if (!rule.code && !rule.tool && !rule.kernel && !rule.file) {
        if (rule.reason)
            return fail(r, r->begin, 1, "%s",
                        "missing code, tool, kernel or file: a rule must "
                        "name what it suppresses");
        return WS_OK;
    }
    GROW(into->items, into->count, into->room);
    into->items[into->count++] = rule;
    return WS_OK;
}

ws_status suppressions_load(struct diag *diag, struct arena *arena, const char *path,
                            struct suppressions *into)
{
    char *text, *copy;
    size_t size;
    TRY(text_read_at_most(diag, arena, path, TEXT_MOST_YAML, &text, &size));
    struct reading r = {
        .diag = diag, .arena = arena, .path = arena_copy(arena, path), .text = text, .size = size};
    copy = arena_copy_n(arena, text, size);
    for (char *line; copy && (line = strsep(&copy, "\n")) != NULL;) {
        r.begin = r.at = line;
        r.line++;
        TRY(read_rule(&r, into));
    }
    return WS_OK;
}

void suppressions_free(struct suppressions *all)
{
    mem_free(all->items);
    *all = (struct suppressions){0};
}

/* ---- what they apply to ---------------------------------------------------------------------- */

typedef bool place_fn(void *user, const char *file, uint64_t line);

static bool any_frame(const struct finding_frames *frames, place_fn *is_it, void *user)
{
    for (size_t i = 0; i < frames->count; i++)
        if (frames->items[i].file && is_it(user, frames->items[i].file, frames->items[i].line))
            return true;
    return false;
}

static bool any_side(const struct finding_side *side, place_fn *is_it, void *user)
{
    return (side->file && is_it(user, side->file, side->line)) ||
           any_frame(&side->frames, is_it, user);
}

/* Is it so of one of the places that the finding is about? */
static bool any_place(const struct finding_words *finding, place_fn *is_it, void *user)
{
    return (finding->has_here && any_side(&finding->here, is_it, user)) ||
           (finding->has_other && any_side(&finding->other, is_it, user)) ||
           (!finding->has_here && any_frame(&finding->host, is_it, user)) ||
           (!finding->has_here && any_frame(&finding->memory.created, is_it, user));
}

/* A pattern of a path, or of its end behind a slash. */
static bool path_matches(const char *pattern, const char *path)
{
    for (const char *at = path; at; at = strchr(at, '/')) {
        at += at > path || *at == '/';
        if (fnmatch(pattern, at, 0) == 0) return true;
    }
    return fnmatch(pattern, path, 0) == 0;
}

static bool is_in_file(void *user, const char *file, uint64_t line)
{
    const struct suppression *rule = user;
    return (!rule->line || rule->line == line) && path_matches(rule->file, file);
}

static bool kernel_matches(const char *pattern, const struct finding_words *finding)
{
    const char *kernel = finding->has_here ? finding->here.kernel : NULL;
    return kernel && fnmatch(pattern, kernel, 0) == 0;
}

const struct suppression *suppressions_find(struct suppressions *all,
                                            const struct finding_words *finding)
{
    for (size_t i = 0; i < all->count; i++) {
        struct suppression *rule = &all->items[i];
        if ((rule->code && strcasecmp(rule->code, finding->code) != 0) ||
            (rule->tool && check_tool_find(rule->tool) != check_tool_find(finding->tool)) ||
            (rule->kernel && !kernel_matches(rule->kernel, finding)) ||
            (rule->file && !any_place(finding, is_in_file, rule)))
            continue;
        rule->uses++;
        return rule;
    }
    return NULL;
}

/* ---- comments -------------------------------------------------------------------------------- */

struct comment_search {
    struct source_files *sources;
    const char *folder;
    struct arena *arena;
    const struct finding_words *finding;
    struct comment_suppression *out;
};

static bool is_named(const struct finding_words *finding, const char *word)
{
    return !strcasecmp(word, finding->code) ||
           (*word && check_tool_find(word) == check_tool_find(finding->tool));
}

/* Behind "ignore": codes and tools with commas, then the reason. */
static bool takes_words(const struct comment_search *search, const char *text)
{
    char *words = arena_copy_n(search->arena, text, strcspn(text, " \t*/"));
    const char *reason = text + strlen(words);
    bool is_named_here = false;
    for (char *word; (word = strsep(&words, ",")) != NULL;)
        is_named_here |= is_named(search->finding, word);
    if (!is_named_here) return false;
    reason += strspn(reason, " \t:");
    size_t length = strlen(reason);
    const char *end = strstr(reason, "*/");
    if (end) length = (size_t)(end - reason);
    while (length && isspace((unsigned char)reason[length - 1]))
        length--;
    search->out->reason = arena_copy_n(search->arena, reason, length);
    return true;
}

static bool line_suppresses(const struct comment_search *search, const char *file, uint64_t line)
{
    static const char mark[] = "warpsage:", verb[] = "ignore";
    size_t size;
    const char *text =
        line && line <= UINT32_MAX
            ? source_files_line(search->sources, search->folder, file, (uint32_t)line, &size)
            : NULL;
    if (!text || !memmem(text, size, mark, sizeof mark - 1)) return false;
    char *copy = arena_copy_n(search->arena, text, size);
    char *at = strstr(copy, mark);
    if (!at) return false;
    at += sizeof mark - 1;
    at += strspn(at, " \t");
    if (strncmp(at, verb, sizeof verb - 1) != 0 || !isblank((unsigned char)at[sizeof verb - 1]))
        return false;
    at += sizeof verb - 1;
    at += strspn(at, " \t");
    if (!takes_words(search, at)) return false;
    search->out->file = arena_copy(search->arena, file);
    search->out->line = line;
    return true;
}

static bool is_commented(void *user, const char *file, uint64_t line)
{
    const struct comment_search *search = user;
    return line_suppresses(search, file, line) ||
           (line > 1 && line_suppresses(search, file, line - 1));
}

bool comment_suppresses(struct source_files *sources, const char *folder, struct arena *arena,
                        const struct finding_words *finding, struct comment_suppression *out)
{
    struct comment_search search = {sources, folder, arena, finding, out};
    return any_place(finding, is_commented, &search);
}
