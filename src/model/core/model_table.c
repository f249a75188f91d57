// SPDX-License-Identifier: Apache-2.0
/* The tables behind estimate.h and what models use to write their answer. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "model/core/estimate.h"

const struct effect_info effect_infos[EFFECT_COUNT] = {
#define EFFECT(name, id, words) {id, words},
#include "model/core/effects.def"
#undef EFFECT
};

const struct component_info component_infos[COMPONENT_COUNT] = {
    {"", ""},
#define COMPONENT(name, id, words, sentence) {id, words},
#include "model/core/components.def"
#undef COMPONENT
};

static const struct model model_gpu_only;
#define MODEL(name, gpu, cpu) extern const struct model gpu;
#include "model/models.def"
#undef MODEL
extern const struct model model_speed_of_light_cpu, model_throughput_cpu;

const struct model *const models[MODEL_COUNT] = {
#define MODEL(name, gpu, cpu) &gpu,
#include "model/models.def"
#undef MODEL
};
static const struct model *const cpu_models[MODEL_COUNT] = {
#define MODEL(name, gpu, cpu) &cpu,
#include "model/models.def"
#undef MODEL
};

const char *const model_names[] = {"best", NULL}, *const model_counts[] = {NULL};

void estimate_find(struct estimate *estimate, const struct finding *finding)
{
    if (estimate->finding_count < FINDINGS_MAX)
        estimate->findings[estimate->finding_count++] = *finding;
}

int effect_find(const char *id)
{
    for (int i = 0; i < EFFECT_COUNT; i++)
        if (!strcmp(effect_infos[i].id, id)) return i;
    return -1;
}

const struct model *model_for(enum model_id id, enum machine_kind kind)
{
    if (kind == MACHINE_IS_GPU) return models[id];
    return cpu_models[id] == &model_gpu_only ? NULL : cpu_models[id];
}

const struct model *model_find(const char *name)
{
    for (size_t i = 0; i < MODEL_COUNT; i++)
        if (!strcmp(models[i]->name, name)) return models[i];
    return NULL;
}

const struct estimate *prediction_find(const struct prediction *prediction, const char *model)
{
    for (size_t i = 0; i < prediction->estimate_count; i++)
        if (!strcmp(prediction->estimates[i].model, model)) return &prediction->estimates[i];
    if (prediction->power_terms && !strcmp(prediction->power_terms->model, model))
        return prediction->power_terms;
    return NULL;
}

const struct estimate *estimate_of(const struct estimate *estimates, size_t count, enum model_id id)
{
    for (size_t i = 0; i < count; i++)
        if (estimates[i].id == id) return &estimates[i];
    return NULL;
}

const struct estimate *prediction_of(const struct prediction *prediction, enum model_id id)
{
    return estimate_of(prediction->estimates, prediction->estimate_count, id);
}

const void *estimate_details(const struct estimate *estimate, enum model_id id)
{
    return estimate->id == id ? estimate->details : NULL;
}

const struct term *estimate_term(const struct estimate *estimate, const char *id)
{
    for (size_t i = 0; i < estimate->term_count; i++)
        if (!strcmp(estimate->terms[i].id, id)) return &estimate->terms[i];
    return NULL;
}

void estimate_add_term(struct estimate *estimate, const char *id, double value, const char *unit,
                       const char *text)
{
    if (!isfinite(value) || estimate->term_count == TERMS_MAX) return;
    estimate->terms[estimate->term_count++] =
        (struct term){.id = id, .value = value, .unit = unit, .text = text};
}

void estimate_add_busy(struct estimate *estimate, const char *id, enum component component,
                       double seconds)
{
    size_t before = estimate->term_count;
    estimate_add_term(estimate, id, seconds, "s", component_words(component));
    if (estimate->term_count > before) estimate->terms[before].component = component;
}

const struct term *estimate_busy(const struct estimate *estimate, enum component component)
{
    for (size_t i = 0; i < estimate->term_count; i++)
        if (estimate->terms[i].component == component) return &estimate->terms[i];
    return NULL;
}

void estimate_assume(struct estimate *estimate, struct arena *arena, const char *format, ...)
{
    struct strbuf text = {0};
    va_list list;
    if (estimate->assumption_count == ASSUMPTIONS_MAX) return;
    va_start(list, format);
    strbuf_vprintf(&text, format, list);
    va_end(list);
    bool known = false;
    for (size_t i = 0; i < estimate->assumption_count; i++)
        known = known || !strcmp(estimate->assumptions[i], text.data);
    if (!known) estimate->assumptions[estimate->assumption_count++] = arena_copy(arena, text.data);
    strbuf_clear(&text);
}

double model_option_number(const struct model_input *input, const char *key, double otherwise)
{
    double value = otherwise;
    for (size_t i = 0; i < input->option_count; i++)
        if (!strcmp(input->options[i].key, key))
            (void)text_to_double(input->options[i].value, &value); /* checked before */
    return value;
}

const char *model_option_name(const struct model_input *input, const char *key,
                              const char *otherwise)
{
    for (size_t i = 0; i < input->option_count; i++)
        if (!strcmp(input->options[i].key, key)) otherwise = input->options[i].value;
    return otherwise;
}

/* The last one given wins, as on a command line. */
size_t model_option_get(const struct model *model, const struct model_input *input, const char *key)
{
    size_t chosen = 0;
    for (size_t i = 0; i < input->option_count; i++) {
        if (strcmp(input->options[i].key, key)) continue;
        for (size_t k = 0; k < model->option_count; k++) {
            const char *const *values = model->options[k].values;
            if (strcmp(model->options[k].key, key) || !values) continue;
            for (size_t v = 0; values[v]; v++)
                if (!strcmp(values[v], input->options[i].value)) chosen = v;
        }
    }
    return chosen;
}
