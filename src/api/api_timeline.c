// SPDX-License-Identifier: Apache-2.0
/* profile and machine -> the execution of the model teg -> what one SM does. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/question.h"
#include "api/handles.h"
#include "api/pipeline.h"
#include "base/float_state.h"
#include "render/timeline_json.h"

/* A file of about 20 MB, which every viewer takes (a guess at an acceptable size), and bounds on what
 * may be asked for: below, not one instant of a full SM fits; above, memory is a GB. */
enum { EVENTS_LEAST = 1000, EVENTS_DEFAULT = 100000, EVENTS_MOST = 10000000 };

static ws_status read_query(struct diag *diag, const ws_timeline_options *options,
                            struct timeline_query *out)
{
    const double cycle = (double)TEG_CYCLE, most = 0x1p62 / cycle;
    double first = options->first_cycle, last = options->last_cycle;
    uint64_t events = options->max_events ? options->max_events : EVENTS_DEFAULT;
    if (!(first >= 0) || !(last >= 0) || first > most || last > most)
        return diag_error(diag, WS_ERR_ARGUMENT, "invalid cycle range %g to %g: cycles start at 0",
                          first, last);
    if (last > 0 && last <= first)
        return diag_error(diag, WS_ERR_ARGUMENT,
                          "invalid cycle range %.15g to %.15g: it must be ascending", first, last);
    if (events < EVENTS_LEAST || events > EVENTS_MOST)
        return diag_error(diag, WS_ERR_ARGUMENT, "%llu events are out of range: expected %d to %d",
                          (unsigned long long)events, EVENTS_LEAST, EVENTS_MOST);
    *out = (struct timeline_query){.sm = options->sm,
                                   .first = (teg_time)(first * cycle),
                                   .last = last > 0 ? (teg_time)(last * cycle) : TEG_NEVER,
                                   .most = (size_t)events};
    return WS_OK;
}

static ws_status complete_options(struct diag *diag, const ws_timeline_options *given,
                                  ws_timeline_options *out)
{
    *out = (ws_timeline_options){.size = sizeof *out};
    if (!given) return WS_OK;
    TRY(handle_check_size(diag, "ws_timeline_options", given->size, sizeof *given));
    *out = *given;
    return WS_OK;
}

/* Runs the model teg, watched; *out_end: of what was simulated. */
static ws_status execute(ws_context *context, const ws_profile *profile, const ws_machine *machine,
                         const ws_timeline_options *options, struct timeline *timeline,
                         teg_time *out_end)
{
    struct predict_options inner = {.only = models[MODEL_TEG]->name};
    struct arena arena = {0};
    struct prediction *prediction = NULL;
    const struct predict_words words = {options->model_options, options->without, options->l2,
                                        options->spills};
    ws_status status = predict_words_parse(&context->diag, &arena, &words, &inner);
    inner.without_gains = true;
    inner.observer = &timeline->observer;
    if (status == WS_OK)
        status =
            model_predict(&context->diag, profile->profile, machine->machine, &inner, &prediction);
    if (status == WS_OK) {
        const struct estimate *estimate = prediction_of(prediction, MODEL_TEG);
        const struct term *cycles = estimate_term(estimate, "simulated_cycles");
        *out_end = (teg_time)llround(cycles->value * (double)TEG_CYCLE);
    }
    prediction_destroy(prediction);
    arena_clear(&arena);
    return status;
}

static ws_status check_window(struct diag *diag, const struct timeline *timeline, teg_time end)
{
    const struct timeline_query *query = &timeline->query;
    if (query->sm >= timeline->sms)
        return diag_error(diag, WS_ERR_ARGUMENT,
                          "SM %u is out of range: %u simulated SM%s, counted from 0", query->sm,
                          timeline->sms, timeline->sms == 1 ? "" : "s");
    if (query->first < end) return WS_OK;
    return diag_error(diag, WS_ERR_ARGUMENT,
                      "cycle %.0f is out of range: %.0f cycles are simulated",
                      (double)query->first / (double)TEG_CYCLE, (double)end / (double)TEG_CYCLE);
}

static void tell(const struct timeline_view *view, uint64_t events, ws_timeline_info *out)
{
    struct arena arena = {0};
    const double cycle = (double)TEG_CYCLE;
    *out = (ws_timeline_info){.size = sizeof *out,
                              .events = events,
                              .simulated_sms = view->timeline->sms,
                              .cycles = (double)view->end / cycle,
                              .first_cycle = (double)view->timeline->query.first / cycle,
                              .last_cycle = (double)timeline_last(view) / cycle};
    snprintf(out->note, sizeof out->note, "%s", timeline_cut_note(&arena, view));
    arena_clear(&arena);
}

ws_status ws_timeline_write(ws_context *context, const ws_profile *profile,
                            const ws_machine *machine, const ws_timeline_options *given,
                            ws_write_fn *write, void *user, ws_timeline_info *out)
{
    STANDARD_FLOATS;
    API_CALL(context)
    struct diag *diag = &context->diag;
    ws_timeline_options options;
    struct timeline_query query;
    struct timeline timeline;
    uint64_t events = 0;
    TRY(complete_options(diag, given, &options));
    if (out) TRY(handle_check_size(diag, "ws_timeline_info", out->size, sizeof *out));
    TRY(read_query(diag, &options, &query));
    timeline_init(&timeline, &query);
    struct timeline_view view = {&timeline, profile->profile, machine->machine, 0};
    ws_status status = execute(context, profile, machine, &options, &timeline, &view.end);
    if (status == WS_OK) status = check_window(diag, &timeline, view.end);
    timeline_finish(&timeline);
    if (status == WS_OK) status = timeline_write_json(diag, &view, write, user, &events);
    if (status == WS_OK && out) tell(&view, events, out);
    timeline_clear(&timeline);
    return status;
}
