// SPDX-License-Identifier: Apache-2.0
/* Options of predictions as words, as every question that predicts takes them. */
#include <string.h>

#include "answer/question.h"
#include "base/text.h"
#include "measure/cache_section.h"

/* Cuts "a=b,c=d" at its commas, in the arena. */
static size_t split_list(struct arena *arena, const char *list, const char *const **out)
{
    char *copy = arena_copy(arena, list);
    const char **items = ARENA_ARRAY(arena, const char *, strlen(list) / 2 + 2);
    size_t count = 0;
    for (char *rest = copy, *item; (item = strsep(&rest, ",")) != NULL;)
        if (*item) items[count++] = item;
    *out = items;
    return count;
}

static ws_status parse_effects(struct diag *diag, struct arena *arena, const char *list,
                               uint32_t *out)
{
    const char *const *items, *names[EFFECT_COUNT];
    size_t count = split_list(arena, list, &items);
    for (size_t i = 0; i < EFFECT_COUNT; i++)
        names[i] = effect_infos[i].id;
    for (size_t i = 0; i < count; i++) {
        int effect = effect_find(items[i]);
        if (effect < 0) {
            const char *near = text_hint(arena, items[i], names, EFFECT_COUNT);
            return diag_error(diag, WS_ERR_ARGUMENT,
                              "unknown effect '%s'%s; `warpsage explain` lists them", items[i],
                              near);
        }
        *out |= UINT32_C(1) << effect;
    }
    return WS_OK;
}

static ws_status parse_model_options(struct diag *diag, struct arena *arena, const char *list,
                                     struct predict_options *out)
{
    const char *const *items;
    size_t count = split_list(arena, list, &items);
    struct model_option *options = ARENA_ARRAY(arena, struct model_option, count + 1);
    for (size_t i = 0; i < count; i++) {
        char *key = arena_copy(arena, items[i]), *equals = strchr(key, '=');
        if (!equals || equals == key || !equals[1])
            return diag_error(diag, WS_ERR_ARGUMENT,
                              "invalid model option '%s': expected KEY=VALUE", key);
        *equals = '\0';
        options[i] = (struct model_option){.key = key, .value = equals + 1};
    }
    out->options = options;
    out->option_count = count;
    return WS_OK;
}

static ws_status parse_spills(struct diag *diag, const char *word, bool *out_without)
{
    *out_without = !strcmp(word, "none");
    if (*out_without || !strcmp(word, "auto")) return WS_OK;
    return diag_error(diag, WS_ERR_ARGUMENT, "invalid value '%s' for spills: expected auto or none",
                      word);
}

ws_status predict_words_parse(struct diag *diag, struct arena *arena,
                              const struct predict_words *words, struct predict_options *out)
{
    if (words->without) TRY(parse_effects(diag, arena, words->without, &out->effects_off));
    if (words->l2) TRY(l2_start_parse(diag, words->l2, &out->l2));
    if (words->spills) TRY(parse_spills(diag, words->spills, &out->without_spills));
    if (!words->model_options) return WS_OK;
    return parse_model_options(diag, arena, words->model_options, out);
}

ws_status asked_predict_options(const struct asked *asked, struct predict_options *out)
{
    const struct predict_words words = {.model_options = asked_word(asked, "model_options"),
                                        .without = asked_word(asked, "without"),
                                        .l2 = asked_word(asked, "l2"),
                                        .spills = asked_word(asked, "spills")};
    *out = (struct predict_options){.evidence = asked->evidence};
    return predict_words_parse(asked->diag, &asked->answer->arena, &words, out);
}

static void release_prediction(void *what)
{
    prediction_destroy(what);
}

ws_status asked_predict(const struct asked *asked, const struct profile *profile,
                        const struct machine *machine, const struct predict_options *options,
                        const struct prediction **out)
{
    struct prediction *prediction;
    *out = NULL;
    TRY(model_predict(asked->diag, profile, machine, options, &prediction));
    if (prediction->caches) profile_add_caches(profile, prediction->caches);
    answer_own(asked->answer, release_prediction, prediction);
    *out = prediction;
    return WS_OK;
}
