// SPDX-License-Identifier: Apache-2.0
/* Answers behind warpsage.h: asking, walking, writing. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "answer/question.h"
#include "api/handles.h"
#include "base/float_state.h"
#include "base/text.h"
#include "render/render.h"

/* A ws_answer is a struct answer. */
static const struct answer *inner(const ws_answer *answer)
{
    return (const struct answer *)answer;
}

/* ---- asking ---------------------------------------------------------------------------------- */

static ws_status find_question(ws_context *context, const char *name, const struct question **out)
{
    *out = question_find(name ? name : "");
    if (*out) return WS_OK;
    struct arena arena = {0};
    const char **names = ARENA_ARRAY(&arena, const char *, question_count);
    for (size_t i = 0; i < question_count; i++)
        names[i] = questions[i]->name;
    const char *near = text_hint(&arena, name ? name : "", names, question_count);
    diag_error(&context->diag, WS_ERR_ARGUMENT,
               "unknown question '%s'%s; `warpsage schema` lists all", name ? name : "", near);
    arena_clear(&arena);
    return WS_ERR_ARGUMENT;
}

static ws_status read_question(ws_context *context, const ws_question *question,
                               struct arena *arena, struct asked *out)
{
    *out = (struct asked){
        .diag = &context->diag,
        .profile_count = question->profile_count,
        .machine_count = question->machine_count,
        .input_count = question->input_count,
        .inputs = question->inputs,
    };
    TRY(handle_check_size(&context->diag, "ws_question", question->size, sizeof *question));
    TRY(find_question(context, question->name, &out->question));
    if (question->profile_count || out->question->finds_profiles)
        TRY(context_evidence(context, &out->evidence));
    struct profile **profiles = ARENA_ARRAY(arena, struct profile *, out->profile_count + 1);
    struct machine **machines = ARENA_ARRAY(arena, struct machine *, out->machine_count + 1);
    for (size_t i = 0; i < out->profile_count; i++)
        profiles[i] = question->profiles[i]->profile;
    for (size_t i = 0; i < out->machine_count; i++)
        machines[i] = question->machines[i]->machine;
    out->profiles = profiles;
    out->machines = machines;
    return WS_OK;
}

ws_status ws_ask(ws_context *context, const ws_question *question, ws_answer **out)
{
    STANDARD_FLOATS;
    API_CALL_OUT(context, out)
    struct arena arena = {0};
    struct answer *answer = NULL;
    struct asked asked;
    ws_status status = read_question(context, question, &arena, &asked);
    if (status == WS_OK) status = question_ask(&asked, &answer);
    arena_clear(&arena);
    *out = (ws_answer *)answer;
    return status;
}

ws_status ws_ask_points(ws_context *context, const ws_question *question, const char *const *inputs,
                        size_t input_count, const double *in, const char *const *figures,
                        size_t figure_count, double *out, size_t count)
{
    STANDARD_FLOATS;
    API_CALL(context)
    struct arena arena = {0};
    struct asked asked;
    const struct points_asked points = {.inputs = inputs,
                                        .figures = figures,
                                        .input_count = input_count,
                                        .figure_count = figure_count,
                                        .count = count,
                                        .in = in,
                                        .out = out};
    ws_status status = read_question(context, question, &arena, &asked);
    if (status == WS_OK) status = question_ask_points(&asked, &points);
    arena_clear(&arena);
    return status;
}

ws_answer *ws_answer_keep(ws_answer *answer)
{
    return (ws_answer *)answer_keep((struct answer *)answer);
}

void ws_answer_destroy(ws_answer *answer)
{
    answer_destroy((struct answer *)answer);
}

const char *ws_question_name(size_t index)
{
    return index < question_count ? questions[index]->name : NULL;
}

bool ws_question_input(const char *question, size_t index, const char **out_name,
                       const char **out_text, const char **out_unit, bool *out_is_word)
{
    const struct question *found = question_find(question);
    if (!found || index >= found->input_count) return false;
    const struct input_info *info = &found->inputs[index];
    *out_name = info->name;
    *out_text = info->text;
    *out_unit = info->unit;
    *out_is_word = info->kind == INPUT_WORD;
    return true;
}

/* ---- walking --------------------------------------------------------------------------------- */

static ws_node outer(const struct node *node)
{
    return (ws_node){node};
}

ws_node ws_answer_root(const ws_answer *answer)
{
    return outer(&inner(answer)->root);
}

static ws_kind kind_of(enum figure_kind kind)
{
    static const ws_kind kinds[] = {
        [FIGURE_IS_NUMBER] = WS_NUMBER,   [FIGURE_IS_COUNT] = WS_COUNT,
        [FIGURE_IS_FLAG] = WS_FLAG,       [FIGURE_IS_WORD] = WS_WORD,
        [FIGURE_IS_SECTION] = WS_SECTION, [FIGURE_IS_LIST] = WS_LIST,
        [FIGURE_IS_MAP] = WS_LIST,        [FIGURE_IS_TABLE] = WS_TABLE,
        [FIGURE_IS_WORDS] = WS_WORDS,     [FIGURE_IS_COUNTS] = WS_NUMBERS,
        [FIGURE_IS_MEASURED] = WS_NUMBER, [FIGURE_IS_MEASUREDS] = WS_LIST,
        [FIGURE_IS_NUMBERS] = WS_NUMBERS,
    };
    return kinds[kind];
}

ws_kind ws_node_kind(ws_node node)
{
    const struct node *at = node.at;
    if (!at) return WS_ABSENT;
    return at->measured && at->measured->is_count ? WS_COUNT : kind_of(at->kind);
}

const char *ws_node_id(ws_node node)
{
    const struct node *at = node.at;
    return at ? at->id : NULL;
}

size_t ws_node_count(ws_node node)
{
    const struct node *at = node.at;
    if (!at) return 0;
    bool is_array = at->kind == FIGURE_IS_TABLE || at->kind == FIGURE_IS_WORDS ||
                    at->kind == FIGURE_IS_COUNTS || at->kind == FIGURE_IS_NUMBERS;
    return is_array ? at->value.item_count : at->child_count;
}

ws_node ws_node_child(ws_node node, size_t index)
{
    const struct node *at = node.at;
    return outer(at && index < at->child_count ? &at->children[index] : NULL);
}

ws_node ws_node_find(ws_node node, const char *path)
{
    return outer(node_find(node.at, path));
}

bool ws_node_value(ws_node node, ws_value *out)
{
    const struct node *at = node.at;
    if (!at || out->size < sizeof *out) return false;
    const struct measured *measured = at->measured;
    bool has_interval = measured && measured->low < measured->high;
    *out = (ws_value){
        .size = out->size,
        .kind = ws_node_kind(node),
        .is_known = node_is_known(at),
        .number = node_value(at),
        .count = at->value.count,
        .low = has_interval ? measured->low : NAN,
        .high = has_interval ? measured->high : NAN,
        .origin = (ws_origin)at->origin,
        .unit = node_unit(at),
        .text = at->kind == FIGURE_IS_WORD ? at->value.text : node_text(at),
        .note = measured ? measured->reason : NULL,
    };
    return true;
}

double ws_answer_number(const ws_answer *answer, const char *path)
{
    return node_value(node_find(&inner(answer)->root, path));
}

const char *ws_answer_word(const ws_answer *answer, const char *path)
{
    const struct node *node = node_find(&inner(answer)->root, path);
    return node && node->kind == FIGURE_IS_WORD ? node->value.text : NULL;
}

/* A node of a kernel on a machine, from there by path. */
static const struct node *of_machine(const ws_answer *answer, size_t kernel, size_t machine,
                                     const char *path)
{
    char start[64];
    snprintf(start, sizeof start, "kernels/%zu/machines/%zu", kernel, machine);
    return node_find(node_find(&inner(answer)->root, start), path);
}

double ws_answer_time(const ws_answer *answer, size_t kernel, size_t machine)
{
    return node_value(of_machine(answer, kernel, machine, "headline/time_s"));
}

double ws_answer_bound(const ws_answer *answer, size_t kernel, size_t machine)
{
    return node_value(of_machine(answer, kernel, machine, "estimates/speed-of-light/time_s"));
}

const char *ws_answer_limit(const ws_answer *answer, size_t kernel, size_t machine)
{
    return node_word(of_machine(answer, kernel, machine, "headline"), "bottleneck");
}

double ws_answer_occupancy(const ws_answer *answer, size_t kernel, size_t machine)
{
    return node_value(of_machine(answer, kernel, machine, "occupancy/fraction"));
}

double ws_answer_counter(const ws_answer *answer, size_t kernel, const char *id)
{
    char start[64];
    snprintf(start, sizeof start, "kernels/%zu/profile", kernel);
    return node_number(node_find(&inner(answer)->root, start), id);
}

const char *ws_node_word(ws_node node, size_t index)
{
    const struct node *at = node.at;
    if (!at || at->kind != FIGURE_IS_WORDS || index >= at->value.item_count) return NULL;
    return ((const char *const *)at->value.items)[index];
}

double ws_node_number(ws_node node, size_t index)
{
    const struct node *at = node.at;
    if (!at || index >= at->value.item_count) return NAN;
    if (at->kind == FIGURE_IS_COUNTS) return (double)((const uint64_t *)at->value.items)[index];
    return at->kind == FIGURE_IS_NUMBERS ? ((const double *)at->value.items)[index] : NAN;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static const struct record *columns_of(ws_node table)
{
    const struct node *at = table.at;
    return at && at->kind == FIGURE_IS_TABLE ? at->figure->of : NULL;
}

size_t ws_table_columns(ws_node table)
{
    const struct record *record = columns_of(table);
    return record ? record->figure_count : 0;
}

bool ws_table_column(ws_node table, size_t column, const char **out_id, const char **out_unit,
                     ws_kind *out_kind)
{
    const struct record *record = columns_of(table);
    if (!record || column >= record->figure_count) return false;
    *out_id = record->figures[column].id;
    *out_unit = record->figures[column].unit ? record->figures[column].unit : "";
    *out_kind = kind_of(record->figures[column].kind);
    return true;
}

size_t ws_table_numbers(ws_node table, size_t column, size_t first, double *out, size_t capacity)
{
    const struct record *record = columns_of(table);
    const struct node *at = table.at;
    if (!record || column >= record->figure_count || first >= at->value.item_count) return 0;
    size_t left = at->value.item_count - first, count = left < capacity ? left : capacity;
    const struct figure *figure = &record->figures[column];
    bool is_scalar = figure->kind == FIGURE_IS_NUMBER || figure->kind == FIGURE_IS_COUNT ||
                     figure->kind == FIGURE_IS_FLAG;
    for (size_t i = 0; i < count; i++) {
        struct node cell = {.kind = figure->kind, .value.number = NAN};
        const char *row = (const char *)at->value.items + (first + i) * record->size;
        if (is_scalar) figure->get(row, NULL, &cell.value);
        out[i] = is_scalar ? node_value(&cell) : NAN;
    }
    return count;
}

const char *ws_table_word(ws_node table, size_t column, size_t row)
{
    const struct record *record = columns_of(table);
    const struct node *at = table.at;
    struct figure_value cell = {0};
    if (!record || column >= record->figure_count || row >= at->value.item_count ||
        record->figures[column].kind != FIGURE_IS_WORD)
        return NULL;
    record->figures[column].get((const char *)at->value.items + row * record->size, NULL, &cell);
    return cell.text;
}

size_t ws_table_find(ws_node table, const char *id)
{
    const struct record *record = columns_of(table);
    size_t column = 0;
    while (record && column < record->figure_count && strcmp(record->figures[column].id, id) != 0)
        column++;
    return column;
}

/* ---- writing --------------------------------------------------------------------------------- */

ws_status ws_answer_write(ws_context *context, const ws_answer *answer,
                          const ws_report_options *options, ws_write_fn *write, void *user)
{
    STANDARD_FLOATS;
    API_CALL(context)
    struct strbuf text = {0};
    ws_format format = WS_FORMAT_TEXT;
    struct render_options render = {.details = WS_DETAILS_NORMAL};
    if (options) {
        TRY(handle_check_size(&context->diag, "ws_report_options", options->size,
                              offsetof(ws_report_options, table)));
        format = options->format;
        render = (struct render_options){options->details, options->width, options->utf8,
                                         options->colour,  NULL,           NULL};
        if (options->size > offsetof(ws_report_options, table)) render.table = options->table;
        if (options->size > offsetof(ws_report_options, source_root))
            render.source_root = options->source_root;
    }
    ws_status status = render_answer(&context->diag, inner(answer), format, &render, &text);
    if (status == WS_OK && text.length && !write(user, text.data, text.length))
        status = diag_error(&context->diag, WS_ERR_IO, "cannot write the output");
    strbuf_clear(&text);
    return status;
}

ws_status ws_question_schema(ws_context *context, const char *question, char **out)
{
    API_CALL_OUT(context, out)
    const struct question *found;
    struct strbuf text = {0};
    TRY(find_question(context, question, &found));
    render_schema(found, &text);
    *out = strbuf_take(&text);
    return WS_OK;
}
