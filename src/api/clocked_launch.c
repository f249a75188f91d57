// SPDX-License-Identifier: Apache-2.0
/* Launches with clocks: executed, timed by a model and, if the kernel reads a clock, executed again with the model's
 * times after what it wrote has been taken back. */
#include <math.h>
#include <string.h>

#include "answer/question.h"
#include "api/pipeline.h"
#include "base/float_state.h"
#include "model/teg/teg_clocks.h"

/* Launches of so many warps are traced as a whole, and each cluster of SMs is simulated if their traces have no more
 * steps than this; else one cluster stands for all. Guesses: a few seconds of simulation at most. */
enum { WHOLE_WARPS_MAX = 8192, WHOLE_STEPS_MAX = 4000000 };

static uint64_t blocks_of(const ws_launch *launch)
{
    return (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
}

static uint64_t warps_of(const ws_launch *launch)
{
    uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    return (threads + WARP_LANES - 1) / WARP_LANES;
}

static bool is_teg(const char *model)
{
    return !strcmp(model, models[MODEL_TEG]->name);
}

/* ---- the time of a model --------------------------------------------------------------------- */

static bool is_simulated_whole(const struct profile *profile)
{
    const struct trace *trace = profile->trace;
    return trace && trace->block_count == profile_blocks(profile) &&
           trace->step_count <= WHOLE_STEPS_MAX;
}

/* `clocks`: of the model teg, to be filled. */
static ws_status predict(struct diag *diag, const struct profile *profile,
                         const struct machine *machine, const char *model, const char *l2,
                         struct teg_clocks *clocks, double *out_seconds)
{
    const struct model *found = model_find(model);
    struct predict_options options = {.only = found ? found->name : NULL,
                                      .without_gains = true,
                                      .without_details = true,
                                      .without_caches = is_teg(model),
                                      .without_traces = false,
                                      .clocks = is_teg(model) ? clocks : NULL};
    const struct predict_words words = {
        .model_options = is_teg(model) && is_simulated_whole(profile) ? "sms=all" : NULL, .l2 = l2};
    struct prediction *prediction = NULL;
    struct arena arena = {0};
    if (!found) return diag_error(diag, WS_ERR_ARGUMENT, "unknown model '%s'", model);
    ws_status status = predict_words_parse(diag, &arena, &words, &options);
    if (status == WS_OK) status = model_predict(diag, profile, machine, &options, &prediction);
    for (size_t i = 0; status == WS_OK && i < prediction->estimate_count; i++)
        if (!strcmp(prediction->estimates[i].model, found->name))
            *out_seconds = prediction->estimates[i].model_seconds;
    prediction_destroy(prediction);
    arena_clear(&arena);
    return status;
}

bool ws_model_is_time(const char *model)
{
    const struct model *found = model_find(model);
    return found && found->predict;
}

ws_status ws_model_time(ws_context *context, const ws_profile *profile, const ws_machine *machine,
                        const char *model, const char *l2, double *out_seconds)
{
    STANDARD_FLOATS;
    API_CALL(context)
    struct teg_clocks clocks = {0};
    *out_seconds = NAN;
    ws_status status = predict(&context->diag, profile->profile, machine->machine, model, l2,
                               &clocks, out_seconds);
    teg_clocks_clear(&clocks);
    if (status == WS_OK && isnan(*out_seconds))
        status = diag_error(&context->diag, WS_ERR_NO_MODEL, "the model %s has no answer", model);
    return status;
}

/* ---- what the kernel reads ------------------------------------------------------------------- */

double ws_clock_error(uint64_t seed, uint64_t a, uint64_t b)
{
    return clock_error(seed, a, b);
}

static void find_clocks(void *self, uint64_t block, struct block_clocks *out)
{
    const struct teg_clocks *clocks = self;
    struct teg_clocks_found found;
    teg_clocks_find(clocks, block, &found);
    *out = (struct block_clocks){
        .sm = found.sm, .shift = found.shift, .warps = found.warps, .is_own = found.is_own};
}

static struct launch_clocks clocks_of(const ws_launch_clock *given)
{
    double hz = machine_get(given->machine->machine, MACHINE_CLOCK_CORE, 1e9);
    double ticks_per_ns = (double)TEG_CYCLE * hz / 1e9;
    return (struct launch_clocks){
        .ticks_per_cycle = (double)TEG_CYCLE,
        .ticks_per_ns = ticks_per_ns,
        .begin_cycles = (uint64_t)llround(given->begin_seconds * hz),
        .begin_ns = (uint64_t)llround(given->begin_seconds * 1e9),
        .sm_count = (uint32_t)machine_get(given->machine->machine, MACHINE_SM_COUNT, 1),
        .jitter = given->jitter,
        .seed = given->seed,
    };
}

/* What malloc has handed out is not taken back, nor is a launch. */
static bool executes_again(const ws_module *module, const ws_launch *launch)
{
    const struct module *inner = module->module;
    uint32_t entry = module->entries[launch->kernel];
    return is_teg(launch->clock->model) && module_reads_clock(inner, entry) &&
           !module_calls(inner, entry, BUILTINS_IN_ORDER);
}

/* Control flow that depends on clocks is followed so often: each time with the clocks of the last. */
enum { ROUNDS = 3 };

struct clocked {
    ws_device *device;
    const ws_module *module;
    const ws_launch *launch;
    const struct counting_rules *rules;
    enum isa_view view;
    struct launch_result *result;
    ws_profile **out;
    struct undo undo;
    struct strbuf printed;
    struct launch_clocks clocks;
    struct teg_clocks read;
};

/* What was executed before is gone. */
static void take_back(struct clocked *c)
{
    mem_free(c->result->tolerated);
    mem_free(c->result->undefined);
    *c->result = (struct launch_result){0};
    strbuf_clear(&c->printed);
    undo_restore(&c->undo, c->device->device);
}

/* Executes with counters and the clocks known so far, then asks the model for better ones. */
static ws_status count(struct clocked *c)
{
    ws_profile *before = *c->out;
    ws_launch_clock *clock = c->launch->clock;
    const struct execution how = {.clocks = &c->clocks,
                                  .undo = &c->undo,
                                  .printed = &c->printed,
                                  .again = before ? before->profile : NULL};
    struct teg_clocks read = {0};
    *c->out = NULL;
    ws_status status =
        pipeline_count(c->device, c->module, c->launch, c->rules, c->view, &how, c->result, c->out);
    ws_profile_destroy(before);
    TRY(status);
    (void)predict(&c->device->context->diag, (*c->out)->profile, clock->machine->machine,
                  clock->model, clock->l2, &read, &clock->seconds);
    teg_clocks_clear(&c->read);
    c->read = read;
    c->clocks.find = c->read.is_known ? find_clocks : NULL;
    c->clocks.self = &c->read;
    return WS_OK;
}

static ws_status execute_again(struct clocked *c)
{
    const struct execution how = {.clocks = &c->clocks, .undo = &c->undo, .printed = &c->printed};
    take_back(c);
    return pipeline_execute(c->device, c->module, c->launch, &how, NULL, c->result);
}

static ws_status follow(struct clocked *c)
{
    ws_status status = count(c);
    if (status == WS_OK) status = execute_again(c);
    for (unsigned i = 1; i < ROUNDS && status == WS_OK && c->result->clock_misses; i++) {
        take_back(c);
        status = count(c);
        if (status == WS_OK) status = execute_again(c);
    }
    return status;
}

static void print(const ws_context *context, const struct strbuf *printed)
{
    if (printed->length && context->print)
        (void)context->print(context->print_user, printed->data, printed->length);
}

static ws_status launch_twice(ws_device *device, const ws_module *module, const ws_launch *launch,
                              const struct counting_rules *rules, enum isa_view view,
                              struct launch_result *result, ws_profile **out)
{
    struct clocked c = {.device = device,
                        .module = module,
                        .launch = launch,
                        .rules = rules,
                        .view = view,
                        .result = result,
                        .out = out,
                        .clocks = clocks_of(launch->clock)};
    undo_init(&c.undo);
    ws_status status = follow(&c);
    if (status != WS_OK && status != WS_ERR_CANCELLED) {
        ws_profile_destroy(*out);
        *out = NULL;
    }
    print(device->context, &c.printed);
    strbuf_clear(&c.printed);
    teg_clocks_clear(&c.read);
    undo_clear(&c.undo);
    return status;
}

static ws_status launch_once(ws_device *device, const ws_module *module, const ws_launch *launch,
                             const struct counting_rules *rules, enum isa_view view,
                             struct launch_result *result, ws_profile **out)
{
    struct diag *diag = &device->context->diag;
    struct launch_clocks clocks = clocks_of(launch->clock);
    struct teg_clocks read = {0};
    const struct execution how = {.clocks = &clocks};
    if (!launch->counters) return pipeline_execute(device, module, launch, &how, NULL, result);
    TRY(pipeline_count(device, module, launch, rules, view, &how, result, out));
    ws_status timed =
        predict(diag, (*out)->profile, launch->clock->machine->machine, launch->clock->model,
                launch->clock->l2, &read, &launch->clock->seconds);
    teg_clocks_clear(&read);
    (void)timed; /* its text stays; seconds is NAN */
    return WS_OK;
}

static ws_status check(struct diag *diag, const ws_launch_clock *clock)
{
    TRY(handle_check_size(diag, "ws_launch_clock", clock->size, sizeof *clock));
    if (!clock->machine || clock->machine->machine->kind != MACHINE_IS_GPU || !clock->model)
        return diag_error(diag, WS_ERR_ARGUMENT, "clocks of a launch need a GPU and a model");
    if (!(clock->jitter >= 0 && clock->jitter <= 0.5) || !(clock->begin_seconds >= 0))
        return diag_error(diag, WS_ERR_ARGUMENT,
                          "clock jitter %g is out of range: expected 0 to 0.5", clock->jitter);
    return WS_OK;
}

ws_status clocked_launch(ws_device *device, const ws_module *module, ws_launch *launch,
                         const struct counting_rules *rules, enum isa_view view,
                         struct launch_result *result, ws_profile **out)
{
    TRY(check(&device->context->diag, launch->clock));
    launch->clock->seconds = NAN;
    if (is_teg(launch->clock->model) && launch->trace_blocks != WS_TRACE_NONE &&
        blocks_of(launch) * warps_of(launch) <= WHOLE_WARPS_MAX) {
        launch->trace_blocks = (uint32_t)blocks_of(launch);
        launch->trace_bytes = 0;
    }
    if (launch->counters && executes_again(module, launch))
        return launch_twice(device, module, launch, rules, view, result, out);
    return launch_once(device, module, launch, rules, view, result, out);
}
