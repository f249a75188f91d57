// SPDX-License-Identifier: Apache-2.0
/* LIMIT, WHY and the ranked list, from the estimate that fits the machine best. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/teg/warp_waits.h"
#include "recommend/advice.h"
#include "recommend/causes.h"

/* ---- LIMIT ----------------------------------------------------------------------------------- */

/* Share of `seconds` that a component is busy; NaN if the model has no term for it. */
static double component_share(const struct estimate *estimate, enum component component,
                              double seconds)
{
    const struct term *term = estimate ? estimate_busy(estimate, component) : NULL;
    return term ? term->value / seconds : NAN;
}

/* What a component is busy for, at most all of the time; NaN: not known. An answer that was raised to the
 * speed of light is limited by a component of that. */
static double busy_share(const struct estimate *best, const struct estimate *bound,
                         enum component component)
{
    double share = component_share(best, component, best->time_seconds);
    if (isnan(share)) share = component_share(bound, component, best->time_seconds);
    return isnan(share) ? share : fmin(share, 1); /* rounding */
}

/* Share of the warps' time for what is not busy but waited for. */
static double wait_share(const struct estimate *best, enum component component)
{
    double share = 0;
    const struct warp_waits *waits = estimate_details(best, MODEL_TEG);
    for (size_t i = 0; waits && i < waits->cause_count; i++)
        if (waits->causes[i].component == component) share += waits->causes[i].share;
    return share > 0 ? share : NAN;
}

struct share {
    double value;   /* NAN: not known */
    const char *of; /* static */
};

/* Of the peak is what the speed of light counts: if the model makes the component busy for longer, as without
 * caches or with classes that do not overlap, that is time, not use of the peak. */
static struct share share_of(const struct estimate *best, const struct estimate *bound,
                             enum component component)
{
    double share = busy_share(best, bound, component);
    double used = component_share(bound, component, best->time_seconds);
    if (isnan(share)) return (struct share){wait_share(best, component), " of the warps' time"};
    return (struct share){share, share <= used + 0.005 ? " of peak" : " of the time"};
}

/* " 91 % of peak", " 26 % of the warps' time", "" if not known. */
static const char *share_text(struct arena *arena, struct share share, bool says_of_what)
{
    if (!isfinite(share.value)) return "";
    return arena_format(arena, " %.0f %%%s", 100 * share.value, says_of_what ? share.of : "");
}

static const char *limit_line(struct arena *arena, const struct estimate *best,
                              const struct estimate *bound)
{
    if (!best->bottleneck) return "unknown: the model names no bottleneck";
    const char *name = component_words(best->bottleneck), *next = component_words(best->next);
    struct share share = share_of(best, bound, best->bottleneck);
    const char *text = share_text(arena, share, true);
    if (!best->next) return arena_format(arena, "%s%s", name, text);
    struct share of_next = share_of(best, bound, best->next);
    bool differs = !isfinite(share.value) || strcmp(share.of, of_next.of) != 0;
    return arena_format(arena, "%s%s  (next: %s%s)", name, text, next,
                        share_text(arena, of_next, differs));
}

/* ---- ranking --------------------------------------------------------------------------------- */

static int by_gain(const void *a, const void *b)
{
    const struct advice *x = a, *y = b;
    bool x_known = isfinite(x->gain), y_known = isfinite(y->gain);
    if (x_known != y_known) return x_known ? -1 : 1;
    if (x_known && x->gain != y->gain) return x->gain > y->gain ? -1 : 1;
    int code = strcmp(x->info->code, y->info->code);
    return code ? code : strcmp(x->where, y->where);
}

/* What models found themselves. The gain is that of the headline's model, which does not know what another
 * one found. */
static void add_findings(const struct prediction *prediction, struct diagnosis *diagnosis)
{
    size_t capacity = sizeof diagnosis->advice / sizeof diagnosis->advice[0];
    for (size_t i = 0; i < prediction->estimate_count; i++) {
        const struct estimate *estimate = &prediction->estimates[i];
        for (size_t k = 0; k < estimate->finding_count; k++) {
            const struct finding *finding = &estimate->findings[k];
            double gain = i == prediction->best ? finding->gain : NAN;
            if (diagnosis->advice_count == capacity) return;
            diagnosis->advice[diagnosis->advice_count++] =
                (struct advice){.code = ADVICE_COUNT,
                                .info = finding->info,
                                .title = finding->info->title,
                                .where = finding->where,
                                .evidence = finding->evidence,
                                .gain = gain,
                                .time_seconds = estimate->time_seconds / gain};
        }
    }
}

/* Causes know their line by its name. */
static void find_instructions(const struct profile *profile, struct diagnosis *diagnosis)
{
    for (size_t i = 0; i < profile->instruction_count; i++) {
        char place[256];
        instruction_place(place, sizeof place, &profile->instructions[i]);
        for (size_t k = 0; k < diagnosis->advice_count; k++) {
            struct advice *advice = &diagnosis->advice[k];
            if (!advice->instruction && !strcmp(advice->where, place))
                advice->instruction = &profile->instructions[i];
        }
    }
}

ws_status recommend_derive(struct diag *diag, const struct prediction *prediction,
                           struct diagnosis **out)
{
    *out = NULL;
    if (!prediction->estimate_count)
        return diag_error(diag, WS_ERR_NO_MODEL, "no estimate to explain: no model applies");
    struct diagnosis *diagnosis = mem_zalloc(1, sizeof *diagnosis);
    const struct estimate *best = &prediction->estimates[prediction->best];
    diagnosis->limit =
        limit_line(&diagnosis->arena, best, prediction_of(prediction, MODEL_SPEED_OF_LIGHT));
    if (prediction->machine->kind == MACHINE_IS_CPU) {
        causes_find_on_cpu(prediction, diagnosis);
        causes_explain_on_cpu(prediction, diagnosis);
    } else {
        causes_find(prediction, diagnosis);
        causes_explain(prediction, diagnosis);
    }
    add_findings(prediction, diagnosis);
    find_instructions(prediction->profile, diagnosis);
    qsort(diagnosis->advice, diagnosis->advice_count, sizeof diagnosis->advice[0], by_gain);
    *out = diagnosis;
    return WS_OK;
}

void diagnosis_destroy(struct diagnosis *diagnosis)
{
    if (!diagnosis) return;
    arena_clear(&diagnosis->arena);
    mem_free(diagnosis);
}
