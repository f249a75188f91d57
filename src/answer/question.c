// SPDX-License-Identifier: Apache-2.0
#include "answer/question.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

#define QUESTION(name) extern const struct question question_##name;
#include "answer/questions.def"
#undef QUESTION

const struct question *const questions[] = {
#define QUESTION(name) &question_##name,
#include "answer/questions.def"
#undef QUESTION
};
const size_t question_count = sizeof questions / sizeof *questions;

const struct question *question_find(const char *name)
{
    for (size_t i = 0; i < question_count; i++)
        if (!strcmp(questions[i]->name, name)) return questions[i];
    return NULL;
}

const struct question *question_of(const struct record *record)
{
    for (size_t i = 0; i < question_count; i++)
        if (questions[i]->record == record) return questions[i];
    return NULL;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

static const struct input_info *find_info(const struct question *question, const char *name)
{
    for (size_t i = 0; i < question->input_count; i++)
        if (!strcmp(question->inputs[i].name, name)) return &question->inputs[i];
    return NULL;
}

static ws_status unknown_input(const struct asked *asked, const char *name)
{
    const struct question *question = asked->question;
    struct arena *arena = &asked->answer->arena;
    const char **names = ARENA_ARRAY(arena, const char *, question->input_count + 1);
    for (size_t i = 0; i < question->input_count; i++)
        names[i] = question->inputs[i].name;
    const char *near = text_hint(arena, name, names, question->input_count);
    return diag_error(asked->diag, WS_ERR_ARGUMENT, "unknown input '%s' of the question '%s'%s",
                      name, question->name, near);
}

static ws_status check_inputs(const struct asked *asked)
{
    for (size_t i = 0; i < asked->input_count; i++) {
        const ws_input *input = &asked->inputs[i];
        const struct input_info *info = find_info(asked->question, input->name ? input->name : "");
        if (!info) return unknown_input(asked, input->name ? input->name : "");
        bool wants_word = info->kind == INPUT_WORD;
        if (wants_word != (input->word != NULL))
            return diag_error(asked->diag, WS_ERR_ARGUMENT, "input '%s' of '%s' must be a %s",
                              info->name, asked->question->name, wants_word ? "word" : "number");
        if (!wants_word && isnan(input->value))
            return diag_error(asked->diag, WS_ERR_ARGUMENT, "input '%s' of '%s' must be a number",
                              info->name, asked->question->name);
    }
    return WS_OK;
}

/* The last one of that name: what is said later wins. */
static const ws_input *find_input(const struct asked *asked, const char *name)
{
    for (size_t i = asked->input_count; i-- > 0;)
        if (!strcmp(asked->inputs[i].name, name)) return &asked->inputs[i];
    return NULL;
}

bool asked_has(const struct asked *asked, const char *name)
{
    return find_input(asked, name) != NULL;
}

double asked_number(const struct asked *asked, const char *name, double otherwise)
{
    const ws_input *input = find_input(asked, name);
    return input ? input->value : otherwise;
}

ws_status asked_count(const struct asked *asked, const char *name, uint64_t least, uint64_t most,
                      uint64_t otherwise, uint64_t *out)
{
    const ws_input *input = find_input(asked, name);
    *out = otherwise;
    if (!input) return WS_OK;
    if (!(input->value >= (double)least && input->value <= (double)most) ||
        floor(input->value) != input->value)
        return diag_error(asked->diag, WS_ERR_ARGUMENT,
                          "input '%s' must be a whole number from %llu to %llu (got %g)", name,
                          (unsigned long long)least, (unsigned long long)most, input->value);
    *out = (uint64_t)input->value;
    return WS_OK;
}

bool asked_flag(const struct asked *asked, const char *name)
{
    const ws_input *input = find_input(asked, name);
    return input && input->value != 0;
}

const char *asked_word(const struct asked *asked, const char *name)
{
    const ws_input *input = find_input(asked, name);
    return input ? input->word : NULL;
}

const double *asked_numbers(const struct asked *asked, const char *name, size_t *out_count)
{
    double *out = ARENA_ARRAY(&asked->answer->arena, double, asked->input_count + 1);
    *out_count = 0;
    for (size_t i = 0; i < asked->input_count; i++)
        if (!strcmp(asked->inputs[i].name, name)) out[(*out_count)++] = asked->inputs[i].value;
    return out;
}

const char *const *asked_words(const struct asked *asked, const char *name, size_t *out_count)
{
    const char **out = ARENA_ARRAY(&asked->answer->arena, const char *, asked->input_count + 1);
    *out_count = 0;
    for (size_t i = 0; i < asked->input_count; i++)
        if (!strcmp(asked->inputs[i].name, name)) out[(*out_count)++] = asked->inputs[i].word;
    return out;
}

const char *const *asked_copies(const struct asked *asked, const char *name, size_t *out_count)
{
    struct arena *arena = &asked->answer->arena;
    const char *const *words = asked_words(asked, name, out_count);
    const char **copies = ARENA_ARRAY(arena, const char *, *out_count + 1);
    for (size_t i = 0; i < *out_count; i++)
        copies[i] = arena_copy(arena, words[i]);
    return copies;
}

ws_status asked_choice(const struct asked *asked, const char *name, const char *const *words,
                       int *out)
{
    const char *word = asked_word(asked, name);
    size_t count = 0;
    *out = -1;
    for (; words[count]; count++)
        if (word && !strcmp(words[count], word)) *out = (int)count;
    if (!word || *out >= 0) return WS_OK;
    const char *near = text_hint(&asked->answer->arena, word, words, count);
    return diag_error(asked->diag, WS_ERR_ARGUMENT, "unknown value '%s' of input '%s'%s", word,
                      name, near);
}

/* ---- asking ---------------------------------------------------------------------------------- */

static void release_profile(void *what)
{
    profile_destroy(what);
}

static void release_machine(void *what)
{
    machine_destroy(what);
}

/* The answer points into what it was asked about: it shares that, as the last step, after which nothing
 * fails. */
static void keep_objects(const struct asked *asked, struct answer *answer)
{
    for (size_t i = 0; i < asked->profile_count; i++)
        answer_own(answer, release_profile, asked->profiles[i]);
    for (size_t i = 0; i < asked->machine_count; i++)
        answer_own(answer, release_machine, asked->machines[i]);
    for (size_t i = 0; i < asked->profile_count; i++)
        profile_keep(asked->profiles[i]);
    for (size_t i = 0; i < asked->machine_count; i++)
        machine_keep(asked->machines[i]);
}

ws_status asked_check(const struct asked *asked)
{
    const struct question *question = asked->question;
    TRY(check_inputs(asked));
    if (!question->takes_profiles || asked->profile_count) return WS_OK;
    return diag_error(asked->diag, WS_ERR_ARGUMENT, "the question '%s' requires a profile",
                      question->name);
}

ws_status question_ask(struct asked *asked, struct answer **out)
{
    const struct question *question = asked->question;
    const void *found = NULL;
    *out = NULL;
    struct answer *answer = asked->answer = answer_create(question);
    ws_status status = asked_check(asked);
    if (status == WS_OK) status = question->ask(asked, &found);
    if (!found) {
        answer_destroy(answer);
        return status;
    }
    answer_complete(answer, question->record, found);
    keep_objects(asked, answer);
    *out = answer;
    return status;
}
