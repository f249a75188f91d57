// SPDX-License-Identifier: Apache-2.0
/* The headline by evidence, its band, and whether the models agree: doc/evidence.md. */
#include "model/core/choose_best.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"

static const struct estimate *bound_of(const struct prediction *out)
{
    return prediction_of(out, MODEL_SPEED_OF_LIGHT);
}

/* Less than the hardware allows: the estimate was raised to the bound. */
static bool is_below(const struct estimate *estimate, const struct estimate *bound)
{
    return bound && estimate != bound && estimate->model_seconds < bound->time_seconds * (1 - 1e-9);
}

/* ---- the choice ------------------------------------------------------------------------------ */

struct choice {
    const struct estimate *estimate;
    const struct evidence_row *row; /* NULL: no model's error is known for such machines */
    unsigned distance;
};

static unsigned capability(const struct machine *machine)
{
    return machine->cc_major * 10 + machine->cc_minor;
}

static struct choice choice_of(const struct prediction *out, const struct estimate *estimate)
{
    struct choice choice = {.estimate = estimate};
    if (out->machine->kind == MACHINE_IS_GPU)
        choice.row = evidence_find(out->options.evidence, estimate->model, capability(out->machine),
                                   &choice.distance);
    return choice;
}

/* The smallest distance first, then the smallest error. */
static struct choice choose_by_evidence(const struct prediction *out)
{
    struct choice best = {0};
    for (size_t i = 0; i < out->estimate_count; i++) {
        struct choice choice = choice_of(out, &out->estimates[i]);
        if (!choice.row) continue;
        if (!best.row || choice.distance < best.distance ||
            (choice.distance == best.distance &&
             evidence_error(choice.row) < evidence_error(best.row)))
            best = choice;
    }
    return best;
}

static int by_model_time(const void *a, const void *b)
{
    const struct estimate *x = *(const struct estimate *const *)a,
                          *y = *(const struct estimate *const *)b;
    if (x->model_seconds != y->model_seconds) return x->model_seconds < y->model_seconds ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Without evidence: of the models of time that answer the one in the middle, the slower of two. */
static const struct estimate *choose_median(const struct prediction *out, size_t *out_count)
{
    const struct estimate *answers[sizeof out->estimates / sizeof out->estimates[0]];
    size_t count = 0;
    for (size_t i = 0; i < out->estimate_count; i++)
        if (&out->estimates[i] != bound_of(out)) answers[count++] = &out->estimates[i];
    *out_count = count;
    if (!count) return bound_of(out);
    qsort(answers, count, sizeof answers[0], by_model_time);
    return answers[count / 2];
}

/* "median 7.4 % on 21 kernels, 10 % on 9 held out (accuracy/gv100, accuracy/titanv)" */
static const char *describe_row(struct arena *arena, const struct evidence_row *row)
{
    const char *held_out = row->held_out
                               ? arena_format(arena, ", %.2g %% on %zu held out",
                                              100 * row->held_out_median_error, row->held_out)
                               : "";
    return arena_format(arena, "%s %.2g %% on %s%s (%s)",
                        isnan(row->median_error) ? "mean" : "median", 100 * evidence_error(row),
                        quantity_of((double)row->kernels, "kernel").text, held_out, row->set);
}

static const char *capabilities(struct arena *arena, const struct evidence_row *row)
{
    const char *first = arena_format(arena, "%u.%u", row->cc_first / 10, row->cc_first % 10);
    if (row->cc_last == row->cc_first) return first;
    return arena_format(arena, "%s to %u.%u", first, row->cc_last / 10, row->cc_last % 10);
}

static const char *reason_by_evidence(struct prediction *out, const struct choice *choice)
{
    struct arena *arena = &out->arena;
    const char *error = describe_row(arena, choice->row);
    const char *by = choice->row->by_authors ? ", by its authors" : "";
    if (!choice->distance)
        return arena_format(arena, "lowest error on hardware of this generation: %s%s", error, by);
    return arena_format(arena,
                        "lowest error on hardware of another generation (cc %s; none is known for "
                        "cc %u.%u): %s%s",
                        capabilities(arena, choice->row), out->machine->cc_major,
                        out->machine->cc_minor, error, by);
}

static const char *reason_without(struct prediction *out, size_t models_of_time)
{
    const char *evidence = out->machine->kind == MACHINE_IS_CPU ? "model error on CPUs unknown"
                           : out->options.evidence              ? "errors of these models unknown"
                                                                : "evidence file not found";
    if (!models_of_time) return "a bound, not an estimate: no time model applies";
    if (models_of_time == 1)
        return arena_format(&out->arena, "the only time model that applies; %s", evidence);
    return arena_format(&out->arena, "the median of %zu predictions; %s", models_of_time, evidence);
}

static struct choice choose(struct prediction *out)
{
    struct choice choice = choose_by_evidence(out);
    if (choice.row) {
        out->best_reason = reason_by_evidence(out, &choice);
    } else {
        size_t count;
        choice = (struct choice){.estimate = choose_median(out, &count)};
        out->best_reason = reason_without(out, count);
    }
    return choice;
}

/* The bound speaks where the model answers less; its own evidence still says how far off it is. */
static const struct estimate *raise_choice(struct prediction *out, const struct choice *choice)
{
    const struct estimate *bound = bound_of(out);
    if (!is_below(choice->estimate, bound)) return choice->estimate;
    out->below_bound = choice->estimate->model;
    out->best_reason = arena_format(&out->arena, "the bound: %s predicts less (%s: %s)",
                                    out->below_bound, out->below_bound, out->best_reason);
    return bound;
}

/* ---- the band -------------------------------------------------------------------------------- */

/* " on cc 7.0 to 7.2" where the errors are those of another generation. */
static const char *where(struct prediction *out, const struct choice *choice)
{
    if (!choice->distance) return "";
    return arena_format(&out->arena, " on cc %s", capabilities(&out->arena, choice->row));
}

/* Where a measurement lies if the model is off by as much as in its set. An error e is relative to the
 * measurement: that lies between predicted / (1 + e) and predicted / (1 - e), without end for e >= 1. */
static void find_band(struct prediction *out, const struct choice *choice)
{
    struct time_band *band = &out->band;
    const struct evidence_row *row = choice->row;
    const struct estimate *bound = bound_of(out);
    double time = choice->estimate->time_seconds;
    *band = (struct time_band){.low_seconds = NAN, .high_seconds = NAN};
    if (!row) return;
    double factor = row->two_thirds_factor;
    if (!isnan(factor)) {
        band->low_seconds = time / factor;
        band->high_seconds = time * factor;
        const char *which =
            row->held_out >= EVIDENCE_HELD_OUT_LEAST ? "kernels held out" : "kernels of its set";
        band->meaning = arena_format(&out->arena, "two of three %s%s", which, where(out, choice));
        band->brief = choice->distance ? arena_format(&out->arena, "errors of cc %u.%u",
                                                      row->cc_first / 10, row->cc_first % 10)
                                       : "2 of 3 kernels";
    } else {
        double error = evidence_error(row);
        band->low_seconds = time / (1 + error);
        band->high_seconds = error < 1 ? time / (1 - error) : INFINITY;
        band->meaning = band->brief =
            arena_format(&out->arena, "%s error %.2g %%",
                         isnan(row->median_error) ? "mean" : "median", 100 * error);
    }
    if (bound) band->low_seconds = fmax(band->low_seconds, bound->time_seconds);
}

/* ---- agreement ------------------------------------------------------------------------------- */

/* Models that differ by more do not tell the same story. */
static const double APART = 2;

static bool knows(const struct estimate *estimate, enum effect effect)
{
    return models[estimate->id]->effects >> effect & 1;
}

/* Share of the loads' sectors that the caches serve; NAN: not known. */
static double cached_share(const struct prediction *out)
{
    const struct cache_section *caches = out->caches;
    double l1 = caches ? cache_l1_hit_rate(caches) : -1;
    double l2 = caches ? cache_l2_hit_rate(caches) : -1;
    if (l1 < 0 && l2 < 0) return NAN;
    return 1 - (1 - fmax(l1, 0)) * (1 - fmax(l2, 0));
}

/* Share of its time that a model that follows atomics has them wait for each other; 0: none. */
static double atomics_share(const struct estimate *estimate)
{
    const struct term *term = estimate_term(estimate, "t_atomics");
    return term ? term->value / estimate->time_seconds : 0;
}

/* Why the slowest model answers so much more than the fastest, by what was counted; NULL: not known. */
static const char *spread_reason(struct prediction *out, const struct estimate *slow,
                                 const struct estimate *fast)
{
    static const double MOST = 0.5; /* a guess at what decides */
    struct arena *arena = &out->arena;
    double cached = cached_share(out), occupancy = out->occupancy.fraction;
    if (cached > MOST && !knows(slow, EFFECT_CACHE_MISSES))
        return arena_format(arena, "%s has no cache; caches serve %.0f %% of the loads",
                            slow->model, 100 * cached);
    if (atomics_share(slow) > MOST && !estimate_term(fast, "t_atomics"))
        return arena_format(arena, "atomics on one address, which %s does not model", fast->model);
    if (occupancy > 0 && occupancy < MOST && knows(slow, EFFECT_MEM_LATENCY) &&
        !knows(fast, EFFECT_MEM_LATENCY))
        return arena_format(arena, "%s has no latency; %u of %u warps are resident", fast->model,
                            out->occupancy.warps_per_sm, out->occupancy.max_warps);
    return NULL;
}

static void find_spread(struct prediction *out)
{
    const struct estimate *slow = NULL, *fast = NULL;
    for (size_t i = 0; i < out->estimate_count; i++) {
        const struct estimate *estimate = &out->estimates[i];
        if (estimate == bound_of(out)) continue;
        if (!slow || estimate->time_seconds > slow->time_seconds) slow = estimate;
        if (!fast || estimate->time_seconds < fast->time_seconds) fast = estimate;
    }
    if (!slow || !(slow->time_seconds > APART * fast->time_seconds)) return;
    out->spread = (struct model_spread){.factor = slow->time_seconds / fast->time_seconds,
                                        .slowest = slow->model,
                                        .fastest = fast->model};
    out->spread.reason = spread_reason(out, slow, fast);
}

void choose_best(struct prediction *out)
{
    struct choice choice = choose(out);
    out->best = (size_t)(raise_choice(out, &choice) - out->estimates);
    if (choice.row) out->evidence = evidence_copy(&out->arena, choice.row);
    out->evidence_distance = choice.distance;
    find_band(out, &choice);
    find_spread(out);
}
