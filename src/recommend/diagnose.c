// SPDX-License-Identifier: Apache-2.0
/* LIMIT, WHY and the ranked list, from the estimate that fits the machine best. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "recommend/advice.h"
#include "recommend/causes.h"

/* ---- LIMIT ----------------------------------------------------------------------------------- */

/* Share of the time that the component of this name is busy; NaN if the model has no term for it.
 */
static double component_share(const struct estimate *estimate, const char *name)
{
    for (size_t i = 0; i < estimate->term_count; i++) {
        const struct term *term = &estimate->terms[i];
        if (!strncmp(term->id, "t_", 2) && !strcmp(term->text, name))
            return term->value / estimate->time_seconds;
    }
    return NAN;
}

/* What is used to its peak, and what is waited for. */
static const char *share_of(const char *name)
{
    static const char *const waits[] = {"memory latency",       "barriers",
                                        "uncoalesced accesses", "memory port of the SM",
                                        "instruction pipeline", "shared memory access",
                                        "global memory access"};
    for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++)
        if (!strcmp(name, waits[i])) return "of the time";
    return "of peak";
}

static const char *share_text(struct arena *arena, const struct estimate *estimate,
                              const char *name)
{
    double share = component_share(estimate, name);
    return isfinite(share) ? arena_format(arena, " %.0f %%", 100 * share) : "";
}

static const char *limit_line(struct arena *arena, const struct estimate *best)
{
    if (!*best->bottleneck) return "the model names none";
    const char *share = share_text(arena, best, best->bottleneck);
    const char *of = *share ? share_of(best->bottleneck) : "";
    if (!*best->next) return arena_format(arena, "%s%s %s", best->bottleneck, share, of);
    return arena_format(arena, "%s%s %s  (next: %s%s)", best->bottleneck, share, of, best->next,
                        share_text(arena, best, best->next));
}

/* ---- ranking --------------------------------------------------------------------------------- */

static int by_gain(const void *a, const void *b)
{
    const struct advice *x = a, *y = b;
    bool x_known = isfinite(x->gain), y_known = isfinite(y->gain);
    if (x_known != y_known) return x_known ? -1 : 1;
    if (x_known && x->gain != y->gain) return x->gain > y->gain ? -1 : 1;
    int code = strcmp(x->code, y->code);
    return code ? code : strcmp(x->where, y->where);
}

ws_status recommend_derive(struct diag *diag, const struct prediction *prediction,
                           struct diagnosis **out)
{
    *out = NULL;
    if (!prediction->estimate_count)
        return diag_error(diag, WS_ERR_NO_MODEL, "no estimate to explain: no model could answer");
    struct diagnosis *diagnosis = mem_zalloc(1, sizeof *diagnosis);
    const struct estimate *best = &prediction->estimates[prediction->best];
    diagnosis->limit = limit_line(&diagnosis->arena, best);
    if (prediction->machine->kind == MACHINE_IS_CPU) {
        causes_find_on_cpu(prediction, diagnosis);
        causes_explain_on_cpu(prediction, diagnosis);
    } else {
        causes_find(prediction, diagnosis);
        causes_explain(prediction, diagnosis);
    }
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
