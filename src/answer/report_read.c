// SPDX-License-Identifier: Apache-2.0
#include "answer/report_read.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "answer/question.h"
#include "answer/report_figures.h"
#include "base/text.h"

extern const struct record record_launch, record_kernel, record_analyzed_machine, record_run_kernel,
    record_run_launch;
extern const struct question question_analyze, question_run, question_diff;

const struct report_figure *report_find(const struct report_figures *figures, const char *id)
{
    for (size_t i = 0; i < figures->count; i++)
        if (!strcmp(figures->items[i].id, id)) return &figures->items[i];
    return NULL;
}

const struct report_word *report_find_word(const struct report_words *words, const char *id)
{
    for (size_t i = 0; i < words->count; i++)
        if (!strcmp(words->items[i].id, id)) return &words->items[i];
    return NULL;
}

static bool matches(const char *id, const char *const *patterns)
{
    for (size_t i = 0; patterns[i]; i++)
        if (!fnmatch(patterns[i], id, 0)) return true;
    return false;
}

static ws_status add_words(const struct report_reader *r, const json_t *json, const char *path,
                           const char *const *ids, struct report_words *out)
{
    for (size_t i = 0; ids[i]; i++)
        TRY(report_add_word(r, json, path, ids[i], out));
    return WS_OK;
}

static ws_status need_name(const struct report_reader *r, const json_t *json, const char *path,
                           const char *key, const char **out)
{
    TRY(report_text(r, json, path, key, out));
    if (*out && **out) return WS_OK;
    return report_fail(r, path, "has no '%s'", key);
}

/* A time that is not above 0 is none. */
static double usable(double seconds)
{
    return seconds > 0 ? seconds : NAN;
}

/* ---- reports of analyze ---------------------------------------------------------------------- */

/* Inputs of the models, their inner terms, and what other figures say as well. */
static bool skips_of_machine(const char *id)
{
    static const char *const patterns[] = {"hardware",
                                           "headline/lo",
                                           "headline/hi",
                                           "headline/evidence",
                                           "models_differ",
                                           "advice",
                                           "refusals",
                                           "hot_code",
                                           "l2_found",
                                           "caches/geometry",
                                           "caches/grid_blocks",
                                           "caches/blocks",
                                           "caches/sms",
                                           "estimates/*/terms",
                                           "estimates/*/without",
                                           "estimates/*/details",
                                           "estimates/*/cycles",
                                           "estimates/*/time_?*_s",
                                           "power/terms",
                                           "power/time_s",
                                           "occupancy/max_*",
                                           "occupancy/block_limit_sm",
                                           NULL};
    return matches(id, patterns);
}

static bool skips_of_kernel(const char *id)
{
    static const char *const patterns[] = {
        "machines",      "registers", "code", "sampled_fraction", "launch/threads_per_block",
        "launch/blocks", NULL};
    return matches(id, patterns);
}

/* A guess, far above the number of rules. */
enum { FINDINGS_MOST = 500 };

static ws_status read_findings(const struct report_reader *r, const json_t *json, const char *path,
                               struct report_machine *out)
{
    const json_t *list = json_object_get(json, "advice");
    size_t count = json_array_size(list);
    if (count > FINDINGS_MOST)
        return report_fail(r, arena_format(r->arena, "%s/advice", path),
                           "has %zu findings: at most %d", count, FINDINGS_MOST);
    out->findings = ARENA_ARRAY(r->arena, struct report_finding, count + 1);
    for (size_t i = 0; i < count; i++) {
        struct report_finding *finding = &out->findings[i];
        const json_t *item = json_array_get(list, i);
        const char *at = arena_format(r->arena, "%s/advice/%zu", path, i);
        TRY(need_name(r, item, at, "code", &finding->code));
        TRY(report_text(r, item, at, "title", &finding->title));
        TRY(report_text(r, item, at, "where", &finding->where));
        TRY(report_number(r, item, at, "gain", &finding->gain));
    }
    out->finding_count = count;
    return WS_OK;
}

static ws_status read_headline(const struct report_reader *r, const json_t *json, const char *path,
                               struct report_machine *out)
{
    json_t *headline;
    const char *at = arena_format(r->arena, "%s/headline", path);
    TRY(report_object(r, json, path, "headline", &headline));
    TRY(report_text(r, headline, at, "model", &out->model));
    TRY(report_text(r, headline, at, "reason", &out->reason));
    TRY(report_number(r, headline, at, "time_s", &out->time_seconds));
    TRY(report_number(r, headline, at, "lo", &out->low_seconds));
    TRY(report_number(r, headline, at, "hi", &out->high_seconds));
    out->time_seconds = usable(out->time_seconds);
    out->low_seconds = usable(out->low_seconds);
    out->high_seconds = usable(out->high_seconds);
    return WS_OK;
}

static ws_status read_machine(const struct report_reader *r, const json_t *json, const char *path,
                              struct report_machine *out)
{
    static const char *const setup[] = {"kind",
                                        "hardware/figures",
                                        "hardware/sm_count",
                                        "hardware/core_clock",
                                        "hardware/dram_bandwidth",
                                        "l2",
                                        NULL},
                             *const words[] = {
                                 "limit", "why", "why_where", "headline/model", "occupancy/limiter",
                                 NULL};
    if (!json_is_object(json)) return report_fail(r, path, "must be an object {...}");
    out->time_id = "headline/time_s";
    TRY(need_name(r, json, path, "machine", &out->id));
    TRY(read_headline(r, json, path, out));
    TRY(add_words(r, json, path, setup, &out->setup));
    TRY(add_words(r, json, path, words, &out->words));
    TRY(report_walk(r, &record_analyzed_machine, json, path, "", skips_of_machine, &out->figures));
    return read_findings(r, json, path, out);
}

static ws_status read_machines(const struct report_reader *r, const json_t *json, const char *path,
                               struct report_kernel *out)
{
    json_t *machines;
    TRY(report_list(r, json, path, "machines", &machines));
    out->machine_count = json_array_size(machines);
    out->machines = ARENA_ARRAY(r->arena, struct report_machine, out->machine_count + 1);
    for (size_t i = 0; i < out->machine_count; i++)
        TRY(read_machine(r, json_array_get(machines, i),
                         arena_format(r->arena, "%s/machines/%zu", path, i), &out->machines[i]));
    return WS_OK;
}

static ws_status read_analyzed(const struct report_reader *r, const json_t *json, const char *path,
                               struct report_kernel *out)
{
    static const char *const setup[] = {"counts_are_of", "arguments", NULL},
                             *const shape[] = {"mangled", "launch/grid", "launch/block",
                                               "launch/dynamic_shared_bytes", NULL},
                             *const words[] = {"isa", NULL};
    json_t *profile, *launch;
    if (!json_is_object(json)) return report_fail(r, path, "must be an object {...}");
    TRY(need_name(r, json, path, "name", &out->name));
    TRY(report_text(r, json, path, "mangled", &out->mangled));
    TRY(report_object(r, json, path, "launch", &launch));
    TRY(report_object(r, json, path, "profile", &profile));
    TRY(add_words(r, json, path, setup, &out->setup));
    TRY(add_words(r, json, path, shape, &out->shape));
    TRY(add_words(r, json, path, words, &out->words));
    TRY(report_walk(r, &record_kernel, json, path, "", skips_of_kernel, &out->figures));
    return read_machines(r, json, path, out);
}

/* ---- reports of run -------------------------------------------------------------------------- */

/* A kernel of a program, or a launch, on the one GPU of the report; all its figures are that GPU's. */
static ws_status read_timed(const struct report_reader *r, const struct record *record,
                            const json_t *json, const char *path, const char *key, const char *gpu,
                            struct report_kernel *out)
{
    static const char *const words[] = {"bottleneck", NULL};
    struct report_machine *machine = ARENA_ARRAY(r->arena, struct report_machine, 1);
    if (!json_is_object(json)) return report_fail(r, path, "must be an object {...}");
    TRY(need_name(r, json, path, key, &out->name));
    out->machines = machine;
    out->machine_count = 1;
    *machine = (struct report_machine){
        .id = gpu, .time_id = "time_s", .low_seconds = NAN, .high_seconds = NAN};
    TRY(report_number(r, json, path, "time_s", &machine->time_seconds));
    machine->time_seconds = usable(machine->time_seconds);
    TRY(report_text(r, json, path, "reason", &machine->reason));
    TRY(add_words(r, json, path, words, &machine->words));
    return report_walk(r, record, json, path, "", NULL, &machine->figures);
}

/* The program's name is its path, which may be another one: its arguments count. */
static ws_status read_program(const struct report_reader *r, const json_t *root,
                              struct report_words *setup)
{
    json_t *program, *arguments;
    TRY(report_list(r, root, "", "program", &program));
    arguments = json_deep_copy(program);
    if (!arguments) mem_raise(0);
    json_array_remove(arguments, 0);
    json_t *whole = json_pack("{s:o}", "arguments", arguments);
    if (!whole) mem_raise(0);
    ws_status status = report_add_word(r, whole, "program", "arguments", setup);
    json_decref(whole);
    return status;
}

static ws_status read_run_kernel(const struct report_reader *r, const json_t *root,
                                 const json_t *json, const char *path, struct report_kernel *out)
{
    static const char *const setup[] = {"l2", NULL};
    const char *gpu;
    TRY(need_name(r, root, "", "machine", &gpu));
    TRY(read_timed(r, &record_run_kernel, json, path, "name", gpu, out));
    TRY(read_program(r, root, &out->setup));
    return add_words(r, root, "", setup, &out->setup);
}

/* ---- launches of a run, as JSON Lines --------------------------------------------------------- */

static bool is_launch(const json_t *json)
{
    return json_is_object(json) && json_object_get(json, "launch") &&
           json_object_get(json, "kernel");
}

static ws_status read_launch(const struct report_reader *r, const json_t *json, const char *path,
                             struct report_kernel *out)
{
    static const char *const shape[] = {"grid", "block", "dynamic_shared_bytes", NULL};
    TRY(read_timed(r, &record_run_launch, json, path, "kernel", "(GPU of the run)", out));
    return add_words(r, json, path, shape, &out->shape);
}

/* ---- files ----------------------------------------------------------------------------------- */

static ws_status add_kernels(const struct report_reader *r, json_t *root, struct report *out)
{
    bool is_run = !strcmp(out->schema, question_run.schema);
    json_t *kernels, *tool;
    if (json_object_get(root, "tool")) {
        TRY(report_object(r, root, "", "tool", &tool));
        TRY(report_text(r, tool, "tool", "version", &out->version));
    }
    TRY(report_list(r, root, "", "kernels", &kernels));
    out->kernel_count = json_array_size(kernels);
    out->kernels = ARENA_ARRAY(r->arena, struct report_kernel, out->kernel_count + 1);
    for (size_t i = 0; i < out->kernel_count; i++) {
        const json_t *kernel = json_array_get(kernels, i);
        const char *path = arena_format(r->arena, "kernels/%zu", i);
        TRY(is_run ? read_run_kernel(r, root, kernel, path, &out->kernels[i])
                   : read_analyzed(r, kernel, path, &out->kernels[i]));
    }
    return WS_OK;
}

/* "warpsage.report/1" -> "warpsage.report/" */
static bool is_same_kind(const char *a, const char *b)
{
    size_t length = strcspn(b, "/") + 1;
    return !strncmp(a, b, length);
}

static ws_status refuse_schema(const struct report_reader *r, const json_t *root,
                               const char *schema)
{
    const char *known[] = {question_analyze.schema, question_run.schema};
    for (size_t i = 0; i < 2; i++)
        if (schema && is_same_kind(schema, known[i]))
            return report_fail(r, "schema",
                               "'%s' is of another version: this program reads '%s'; write the "
                               "report again with it, or compare with the program that wrote it",
                               schema, known[i]);
    if (schema && is_same_kind(schema, "warpsage.profile/"))
        return report_fail(r, "",
                           "a profile has no predictions: write a report with `warpsage analyze "
                           "--profile %s --gpu ID -f json`",
                           r->name);
    if (schema)
        return report_fail(r, "schema",
                           "'%s' has no kernels to compare: expected a report of `warpsage analyze "
                           "-f json` or `warpsage run -f json`",
                           schema);
    return report_fail(r, "",
                       "not a report of warpsage%s: expected the output of `warpsage analyze -f "
                       "json` or `warpsage run -f json`",
                       json_is_object(root) ? " (no 'schema')" : "");
}

static ws_status read_root(const struct report_reader *r, json_t *root, struct report *out)
{
    const char *schema = NULL;
    if (json_is_object(root)) TRY(report_text(r, root, "", "schema", &schema));
    bool is_known = schema && (!strcmp(schema, question_analyze.schema) ||
                               !strcmp(schema, question_run.schema));
    if (!is_known) return refuse_schema(r, root, schema);
    out->schema = schema;
    return add_kernels(r, root, out);
}

static void drop_json(void *what)
{
    json_decref(what);
}

/* NULL: not valid, *error says where; it is told in the message if `tells`. */
static json_t *parse(const char *bytes, size_t size, json_error_t *error)
{
    errno = 0; /* Jansson takes some failures of memory for mistakes in the text, others for none */
    json_t *root = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, error);
    if (errno == ENOMEM) json_decref(root);
    mem_check_errno();
    return root;
}

static ws_status invalid(const struct report_reader *r, const char *bytes, size_t size,
                         uint32_t line, const json_error_t *error)
{
    struct source_place place = {.file = r->name,
                                 .text = bytes,
                                 .size = size,
                                 .line = line + (error->line > 0 ? (uint32_t)error->line : 1),
                                 .column = error->column > 0 ? (uint32_t)error->column : 1,
                                 .length = 1};
    return diag_error_at(r->diag, WS_ERR_INPUT, &place, "not valid JSON: %s", error->text);
}

static ws_status read_lines(const struct report_reader *r, const char *bytes, size_t size,
                            struct report *out)
{
    size_t room = 1;
    uint32_t line = 0;
    for (const char *at = bytes; (at = memchr(at, '\n', (size_t)(bytes + size - at))) != NULL; at++)
        room++;
    out->schema = "JSON Lines of launches";
    out->kernels = ARENA_ARRAY(r->arena, struct report_kernel, room);
    for (const char *at = bytes, *end; at < bytes + size; at = end + 1, line++) {
        end = memchr(at, '\n', (size_t)(bytes + size - at));
        if (!end) end = bytes + size;
        if (strspn(at, " \t\r") >= (size_t)(end - at)) continue;
        json_error_t error;
        json_t *row = parse(at, (size_t)(end - at), &error);
        if (!row) return invalid(r, bytes, size, line, &error);
        struct mem_guard guard;
        mem_guard_begin(&guard, drop_json, row);
        const char *path = arena_format(r->arena, "line %u", line + 1);
        ws_status status = is_launch(row)
                               ? read_launch(r, row, path, &out->kernels[out->kernel_count++])
                               : report_fail(r, path, "not a launch of `warpsage run`");
        mem_guard_end(&guard);
        json_decref(row);
        TRY(status);
    }
    return WS_OK;
}

/* Is the first line a launch by itself? */
static bool has_lines(const char *bytes, size_t size)
{
    json_error_t error;
    const char *end = memchr(bytes, '\n', size);
    json_t *first = parse(bytes, end ? (size_t)(end - bytes) : size, &error);
    bool answer = is_launch(first);
    json_decref(first);
    return answer;
}

static ws_status read_text(const struct report_reader *r, const char *bytes, size_t size,
                           struct report *out)
{
    json_error_t error;
    if (!size) return report_fail(r, "", "the file is empty: expected a report in JSON");
    if (has_lines(bytes, size)) return read_lines(r, bytes, size, out);
    json_t *root = parse(bytes, size, &error);
    if (!root) return invalid(r, bytes, size, 0, &error);
    struct mem_guard guard;
    mem_guard_begin(&guard, drop_json, root);
    ws_status status = read_root(r, root, out);
    mem_guard_end(&guard);
    json_decref(root);
    return status;
}

ws_status report_read(struct diag *diag, struct arena *arena, const char *name, const char *text,
                      struct report *out)
{
    const struct report_reader r = {diag, arena, name};
    char *bytes;
    size_t size;
    *out = (struct report){.name = arena_copy(arena, name)};
    if (text) return read_text(&r, text, strlen(text), out);
    TRY(text_read_file(diag, arena, name, &bytes, &size));
    return read_text(&r, bytes, size, out);
}
