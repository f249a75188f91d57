// SPDX-License-Identifier: Apache-2.0
/* closed_form: an equation of a model or a paper with numbers put in. */
#include <string.h>

#include "answer/question.h"
#include "model/closed_form/closed_form.h"

struct closed_form_answer {
    const char *function;
    struct measured *terms;
    size_t term_count;
};

#define FIGURE_FILE "answer/figures/closed_form.def"
#include "base/figure_tables.h"

static const struct input_info inputs[] = {
    {"function", INPUT_WORD, "",
     "name of the closed form; doc/papers.md has them with their inputs"},
    {"input", INPUT_WORD, "", "begins an input of the closed form: its name"},
    {"number", INPUT_NUMBER, "", "value of that input"},
    {"word", INPUT_WORD, "", "reading of that input"},
};

/* The inputs of the closed form, each with the value that follows it. */
static ws_status read_inputs(const struct asked *asked, ws_input *out, size_t *out_count)
{
    *out_count = 0;
    for (size_t i = 0; i < asked->input_count; i++) {
        const ws_input *input = &asked->inputs[i];
        if (!strcmp(input->name, "function")) continue;
        if (!strcmp(input->name, "input")) {
            out[(*out_count)++] = (ws_input){.name = input->word};
            continue;
        }
        if (!*out_count)
            return diag_error(asked->diag, WS_ERR_ARGUMENT,
                              "'%s' of 'closed_form' belongs to no 'input' before it", input->name);
        out[*out_count - 1].value = input->value;
        out[*out_count - 1].word = input->word;
    }
    return WS_OK;
}

static ws_status ask(struct asked *asked, const void **out)
{
    struct arena *arena = &asked->answer->arena;
    struct closed_form_answer *answer = ARENA_ARRAY(arena, struct closed_form_answer, 1);
    ws_input *given = ARENA_ARRAY(arena, ws_input, asked->input_count + 1);
    const char *function = asked_word(asked, "function");
    ws_term terms[TERMS_MAX];
    size_t count;
    if (!function)
        return diag_error(asked->diag, WS_ERR_ARGUMENT, "'closed_form' needs the input 'function'");
    TRY(read_inputs(asked, given, &count));
    TRY(model_evaluate(asked->diag, function, given, count, terms, TERMS_MAX, &count));
    answer->function = arena_copy(arena, function);
    answer->term_count = count < TERMS_MAX ? count : TERMS_MAX;
    answer->terms = ARENA_ARRAY(arena, struct measured, answer->term_count + 1);
    for (size_t i = 0; i < answer->term_count; i++)
        answer->terms[i] = (struct measured){.id = arena_copy(arena, terms[i].name),
                                             .value = terms[i].value,
                                             .low = terms[i].value,
                                             .high = terms[i].value,
                                             .origin = ORIGIN_MODELLED};
    *out = answer;
    return WS_OK;
}

const struct question question_closed_form = {
    .name = "closed_form",
    .schema = "warpsage.closed_form/1",
    .text = "What are the terms of a closed form with these inputs?",
    .record = &record_closed_form,
    .inputs = inputs,
    .input_count = sizeof inputs / sizeof *inputs,
    .ask = ask,
};
