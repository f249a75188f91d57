// SPDX-License-Identifier: Apache-2.0
/* The models' closed forms by name: named numbers in, named terms out (ws_model_evaluate). No
 * profile and no machine, so that a published table can be put in as it is printed. Names of inputs
 * and terms are those of models and reports. */
#include "model/closed_form/closed_form.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/text.h"

static size_t find_row(const struct input_row *rows, const char *name)
{
    size_t i = 0;
    while (rows[i].name && strcmp(rows[i].name, name))
        i++;
    return i;
}

double evaluation_get(const struct evaluation *e, const char *name)
{
    return e->values[find_row(e->rows, name)];
}

ws_status evaluation_check_positive(const struct evaluation *e, const char *const *names)
{
    for (; *names; names++)
        if (!(evaluation_get(e, *names) > 0))
            return diag_error(e->diag, WS_ERR_ARGUMENT, "%s: %s must be greater than 0 (got %g)",
                              e->function, *names, evaluation_get(e, *names));
    return WS_OK;
}

void evaluation_put(struct evaluation *e, const char *name, double value)
{
    if (!isfinite(value)) return;
    if (e->count < e->capacity) e->out[e->count] = (ws_term){name, value};
    e->count++;
}

static ws_status unknown(struct diag *diag, const char *what, const char *name,
                         const char *const *names, size_t count)
{
    struct arena arena = {0};
    const char *near = text_hint(&arena, name, names, count);
    diag_error(diag, WS_ERR_ARGUMENT, "unknown %s '%s'%s", what, name, near);
    if (!*near)
        for (size_t i = 0; i < count; i++)
            diag_add(diag, "  %s", names[i]);
    arena_clear(&arena);
    return WS_ERR_ARGUMENT;
}

static const struct closed_form *const tables[] = {
#define CLOSED_FORMS(table) table,
#include "model/closed_form/closed_forms.def"
#undef CLOSED_FORMS
};
enum { TABLE_COUNT = sizeof tables / sizeof tables[0], FUNCTIONS_MAX = 128 };

const char *model_function(size_t index)
{
    for (size_t t = 0; t < TABLE_COUNT; t++)
        for (const struct closed_form *form = tables[t]; form->name; form++)
            if (!index--) return form->name;
    return NULL;
}

static ws_status find_function(struct diag *diag, const char *name, const struct closed_form **out)
{
    const char *names[FUNCTIONS_MAX];
    size_t count = 0;
    for (size_t t = 0; t < TABLE_COUNT; t++) {
        for (*out = tables[t]; (*out)->name; ++*out) {
            if (!strcmp((*out)->name, name)) return WS_OK;
            if (count < FUNCTIONS_MAX) names[count++] = (*out)->name;
        }
    }
    return unknown(diag, "closed form", name, names, count);
}

static ws_status read_input(struct evaluation *e, const ws_input *input)
{
    const char *names[CLOSED_FORM_INPUTS_MAX];
    size_t row = find_row(e->rows, input->name);
    if (!e->rows[row].name) {
        for (size_t i = 0; i < row; i++)
            names[i] = e->rows[i].name;
        return unknown(e->diag, "input", input->name, names, row);
    }
    const char *const *words = e->rows[row].words;
    if (!words != !input->word)
        return diag_error(e->diag, WS_ERR_ARGUMENT, "input %s must be %s", input->name,
                          words ? "a word: it selects a reading" : "a number, not a word");
    if (!words && !isfinite(input->value))
        return diag_error(e->diag, WS_ERR_ARGUMENT, "input %s is not a finite number", input->name);
    e->values[row] = input->value;
    for (size_t i = 0; words; i++) {
        if (!words[i]) return unknown(e->diag, "reading", input->word, words, i);
        e->values[row] = (double)i;
        if (!strcmp(words[i], input->word)) break;
    }
    return WS_OK;
}

ws_status model_evaluate(struct diag *diag, const char *function, const ws_input *inputs,
                         size_t input_count, ws_term *out, size_t capacity, size_t *out_count)
{
    const struct closed_form *form;
    *out_count = 0;
    TRY(find_function(diag, function, &form));
    struct evaluation e = {
        .diag = diag, .function = form->name, .rows = form->rows, .out = out, .capacity = capacity};
    for (size_t i = 0; form->rows[i].name; i++)
        e.values[i] = form->rows[i].otherwise;
    for (size_t i = 0; i < input_count; i++)
        TRY(read_input(&e, &inputs[i]));
    for (size_t i = 0; form->rows[i].name; i++)
        if (isnan(e.values[i]))
            return diag_error(diag, WS_ERR_ARGUMENT, "%s requires the input %s", function,
                              form->rows[i].name);
    TRY(form->run(&e));
    *out_count = e.count;
    return WS_OK;
}
