// SPDX-License-Identifier: Apache-2.0
#include "answer/report_figures.h"

#include <math.h>
#include <string.h>

#include "base/quantity.h"
#include "base/strbuf.h"
#include "measure/profile.h"

ws_status report_fail(const struct report_reader *r, const char *path, const char *format, ...)
{
    struct strbuf text = {0};
    va_list list;
    va_start(list, format);
    strbuf_vprintf(&text, format, list);
    va_end(list);
    ws_status status = diag_error(r->diag, WS_ERR_INPUT, "%s: error: %s%s%s", r->name, path,
                                  *path ? ": " : "", text.data ? text.data : "");
    strbuf_clear(&text);
    return status;
}

static const char *type_name(const json_t *json)
{
    return json_is_object(json)    ? "an object"
           : json_is_array(json)   ? "a list"
           : json_is_string(json)  ? "a text"
           : json_is_number(json)  ? "a number"
           : json_is_boolean(json) ? "true or false"
                                   : "null";
}

static const char *join(const struct report_reader *r, const char *path, const char *key)
{
    return arena_format(r->arena, "%s%s%s", path, *path ? "/" : "", key);
}

static ws_status wrong_type(const struct report_reader *r, const char *path, const char *key,
                            const char *wanted, const json_t *got)
{
    if (!got) return report_fail(r, join(r, path, key), "missing: expected %s", wanted);
    return report_fail(r, join(r, path, key), "must be %s (got %s)", wanted, type_name(got));
}

ws_status report_object(const struct report_reader *r, const json_t *of, const char *path,
                        const char *key, json_t **out)
{
    *out = json_object_get(of, key);
    return json_is_object(*out) ? WS_OK : wrong_type(r, path, key, "an object {...}", *out);
}

ws_status report_list(const struct report_reader *r, const json_t *of, const char *path,
                      const char *key, json_t **out)
{
    *out = json_object_get(of, key);
    return json_is_array(*out) ? WS_OK : wrong_type(r, path, key, "a list [...]", *out);
}

/* Control characters become spaces: terminals obey them. */
static const char *printable(const struct report_reader *r, const char *text)
{
    char *copy = arena_copy(r->arena, text);
    for (char *at = copy; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f) *at = ' ';
    return copy;
}

ws_status report_text(const struct report_reader *r, const json_t *of, const char *path,
                      const char *key, const char **out)
{
    const json_t *text = json_object_get(of, key);
    *out = NULL;
    if (!text || json_is_null(text)) return WS_OK;
    if (!json_is_string(text)) return wrong_type(r, path, key, "a text", text);
    *out = printable(r, json_string_value(text));
    return WS_OK;
}

ws_status report_number(const struct report_reader *r, const json_t *of, const char *path,
                        const char *key, double *out)
{
    const json_t *number = json_object_get(of, key);
    *out = NAN;
    if (!number || json_is_null(number)) return WS_OK;
    if (!json_is_number(number)) return wrong_type(r, path, key, "a number or null", number);
    *out = json_number_value(number);
    return WS_OK;
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* The arena has no realloc: what was there is left behind. */
static void *grown(struct arena *arena, void *items, size_t count, size_t *room, size_t bytes)
{
    if (count < *room) return items;
    *room = *room ? 2 * *room : 16;
    void *larger = arena_zalloc(arena, *room, bytes);
    if (count) memcpy(larger, items, count * bytes);
    return larger;
}

static void add_figure(const struct report_reader *r, struct report_figures *out,
                       const struct report_figure *figure)
{
    out->items = grown(r->arena, out->items, out->count, &out->room, sizeof *out->items);
    out->items[out->count++] = *figure;
}

/* A guess, far above what reports have: figures of two reports are matched by looking through them. */
enum { MEMBERS_MOST = 2000 };

struct walk {
    const struct report_reader *r;
    report_skip_fn *skips;
    struct report_figures *out;
};

/* Came it from an execution? */
static bool is_counted(const char *from)
{
    return from && (!strcmp(from, "emulated") || !strcmp(from, "decoded"));
}

static ws_status add_number(const struct walk *w, const json_t *of, const char *path,
                            const struct figure *figure, const char *id)
{
    struct report_figure out = {.id = id,
                                .unit = figure->unit ? figure->unit : "",
                                .more_is_better = figure->more_is_better};
    if (!json_object_get(of, figure->id)) return WS_OK;
    if (figure->may_be_word && json_is_string(json_object_get(of, figure->id))) return WS_OK;
    TRY(report_number(w->r, of, path, figure->id, &out.value));
    if (isnan(out.value) && json_is_string(json_object_get(of, "reason")))
        TRY(report_text(w->r, of, path, "reason", &out.reason));
    add_figure(w->r, w->out, &out);
    return WS_OK;
}

/* One struct measured: a number, or an object with a value. */
static ws_status add_measured(const struct walk *w, const json_t *of, const char *path,
                              const char *key, enum measured_parts parts, const char *id)
{
    const struct report_reader *r = w->r;
    struct report_figure out = {.id = id, .unit = ""};
    const char *from = NULL;
    if (!parts) {
        TRY(report_number(r, of, path, key, &out.value));
    } else {
        json_t *value;
        const char *inner = join(r, path, key), *unit = NULL;
        TRY(report_object(r, of, path, key, &value));
        TRY(report_number(r, value, inner, "value", &out.value));
        TRY(report_text(r, value, inner, "unit", &unit));
        TRY(report_text(r, value, inner, "from", &from));
        TRY(report_text(r, value, inner, "reason", &out.reason));
        if (unit) out.unit = unit;
    }
    int counter = counter_find(key);
    out.is_counted = is_counted(from);
    out.more_is_better = counter >= 0 && counter_more_is_better((enum counter)counter);
    add_figure(r, w->out, &out);
    return WS_OK;
}

static ws_status walk_record(const struct walk *w, const struct record *record, const json_t *json,
                             const char *path, const char *prefix);

/* Elements are told apart by their first figure, a word. */
static ws_status walk_list(const struct walk *w, const struct figure *figure, const json_t *list,
                           const char *path, const char *id)
{
    const struct figure *key = figure->of->figures;
    if (key->kind != FIGURE_IS_WORD) return WS_OK;
    if (!json_is_array(list)) return report_fail(w->r, path, "must be a list [...]");
    if (json_array_size(list) > MEMBERS_MOST)
        return report_fail(w->r, path, "has %zu elements: at most %d", json_array_size(list),
                           MEMBERS_MOST);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        const char *name, *inner = arena_format(w->r->arena, "%s/%zu", path, i);
        if (!json_is_object(item))
            return report_fail(w->r, inner, "must be an object {...} (got %s)", type_name(item));
        TRY(report_text(w->r, item, inner, key->id, &name));
        if (name)
            TRY(walk_record(w, figure->of, item, inner,
                            arena_format(w->r->arena, "%s/%s/", id, name)));
    }
    return WS_OK;
}

static ws_status walk_measureds(const struct walk *w, const struct figure *figure, json_t *json,
                                const char *path, const char *prefix)
{
    const char *key;
    json_t *value;
    if (!json_is_object(json)) return report_fail(w->r, path, "must be an object {...}");
    if (json_object_size(json) > MEMBERS_MOST)
        return report_fail(w->r, path, "has %zu figures: at most %d", json_object_size(json),
                           MEMBERS_MOST);
    json_object_foreach(json, key, value)
    {
        const char *id = printable(w->r, arena_format(w->r->arena, "%s%s", prefix, key));
        if (w->skips && w->skips(id)) continue;
        TRY(add_measured(w, json, path, key, figure->parts, id));
    }
    return WS_OK;
}

/* Counters have ids of their own. */
static const char *prefix_of_figures(const struct walk *w, const struct figure *figure,
                                     const char *id)
{
    return !strcmp(figure->id, "profile") ? "" : arena_format(w->r->arena, "%s/", id);
}

static ws_status walk_figure(const struct walk *w, const struct figure *figure, const json_t *json,
                             const char *path, const char *id)
{
    json_t *member = json_object_get(json, figure->id);
    const char *inner = join(w->r, path, figure->id);
    switch (figure->kind) {
    case FIGURE_IS_NUMBER:
    case FIGURE_IS_COUNT:
        return add_number(w, json, path, figure, id);
    case FIGURE_IS_MEASURED:
        return member ? add_measured(w, json, path, figure->id, figure->parts, id) : WS_OK;
    case FIGURE_IS_SECTION:
        if (!figure->of || !member || json_is_null(member)) return WS_OK;
        if (!json_is_object(member))
            return wrong_type(w->r, path, figure->id, "an object {...}", member);
        return walk_record(w, figure->of, member, inner, arena_format(w->r->arena, "%s/", id));
    case FIGURE_IS_LIST:
        return member && !json_is_null(member) ? walk_list(w, figure, member, inner, id) : WS_OK;
    case FIGURE_IS_MEASUREDS:
        if (!member || json_is_null(member)) return WS_OK;
        return walk_measureds(w, figure, member, inner, prefix_of_figures(w, figure, id));
    default:
        return WS_OK; /* words are compared by name, tables not at all */
    }
}

static ws_status walk_record(const struct walk *w, const struct record *record, const json_t *json,
                             const char *path, const char *prefix)
{
    for (size_t i = 0; i < record->figure_count; i++) {
        const char *id = arena_format(w->r->arena, "%s%s", prefix, record->figures[i].id);
        if (w->skips && w->skips(id)) continue;
        TRY(walk_figure(w, &record->figures[i], json, path, id));
    }
    return WS_OK;
}

ws_status report_walk(const struct report_reader *r, const struct record *record,
                      const json_t *json, const char *path, const char *prefix,
                      report_skip_fn *skips, struct report_figures *out)
{
    return walk_record(&(struct walk){r, skips, out}, record, json, path, prefix);
}

/* ---- words ----------------------------------------------------------------------------------- */

void report_put_word(const struct report_reader *r, struct report_words *out, const char *id,
                     const char *text)
{
    out->items = grown(r->arena, out->items, out->count, &out->room, sizeof *out->items);
    out->items[out->count++] = (struct report_word){id, text};
}

static void put_scalar(struct strbuf *out, const json_t *json)
{
    char number[NUMBER_TEXT] = "null";
    if (json_is_number(json) && isfinite(json_number_value(json)))
        number_exact(number, json_number_value(json));
    strbuf_puts(out, json_is_string(json) ? json_string_value(json) : number);
}

ws_status report_add_word(const struct report_reader *r, const json_t *json, const char *path,
                          const char *id, struct report_words *out)
{
    struct strbuf text = {0};
    char *rest = arena_copy(r->arena, id);
    for (char *key; json && (key = strsep(&rest, "/")) != NULL;)
        json = json_object_get(json, key);
    if (!json) return WS_OK;
    if (json_is_object(json) || json_is_boolean(json))
        return report_fail(r, join(r, path, id), "must be a text or a number (got %s)",
                           type_name(json));
    for (size_t i = 0; i < json_array_size(json); i++) {
        if (i) strbuf_puts(&text, ", ");
        put_scalar(&text, json_array_get(json, i));
    }
    if (!json_is_array(json)) put_scalar(&text, json);
    report_put_word(r, out, id,
                    json_is_null(json) ? NULL : printable(r, text.data ? text.data : ""));
    strbuf_clear(&text);
    return WS_OK;
}
