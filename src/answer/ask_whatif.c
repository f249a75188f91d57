// SPDX-License-Identifier: Apache-2.0
/* whatif: a launch as it is against changes of it, model by model. */
#include <math.h>
#include <string.h>

#include "answer/question.h"
#include "answer/whatif_words.h"
#include "model/power/power_estimate.h"

struct whatif_cell {
    const char *model, *reason; /* why there is no time; NULL: there is one */
    bool is_best;
    double seconds, gain;
    enum component bottleneck;
};

/* Of the launch at the time of one model. */
struct whatif_power {
    const char *model, *time_model, *reason; /* why there are no watts; NULL: there are */
    bool is_measured;                        /* the time was given */
    bool exceeds_tdp;
    double seconds, watts, gain;
};

struct whatif_change {
    const char *name, *launch, *impossible, *surprise;
    const char *key; /* of the machine's figure that is all that it changes; NULL: not so */
    bool executed;
    int effect; /* that is all it switches off; -1: not so */
    uint32_t effects_off;
    const struct profile *profile;
    struct machine *const *machines;
};

struct whatif_row {
    const struct whatif_change *change;
    struct whatif_cell *cells; /* by model of the answer */
    size_t count;
    struct whatif_power power;
};

struct whatif_machine {
    const struct machine *machine;
    struct whatif_row *rows;
    size_t row_count, best;
};

struct whatif_answer {
    const char *kernel;
    struct whatif_machine *machines;
    struct whatif_change *changes; /* the first is the launch as it is */
    size_t machine_count, change_count, model_count;
    enum model_id models[MODEL_COUNT]; /* in the order in which they first answered */
};

/* ---- figures --------------------------------------------------------------------------------- */

static const char *note_of(const struct whatif_change *change)
{
    return change->impossible ? change->impossible
           : change->launch   ? change->launch
                              : change->surprise;
}

static double joules_of(const struct whatif_power *power)
{
    return power->watts * power->seconds;
}

#define FIGURE_FILE "answer/figures/whatif.def"
#include "base/figure_tables.h"

/* ---- what is asked --------------------------------------------------------------------------- */

static const struct input_info inputs[] = {
    {"change", INPUT_WORD, "", "description of the change, one per profile after the first"},
    {"effects", INPUT_WORD, "", "effects that the change switches off: ID[,ID...], or empty"},
    {"machine_key", INPUT_WORD, "", "the only machine figure that the change sets, or empty"},
    {"launch", INPUT_WORD, "", "how the kernel was executed again, or empty"},
    {"impossible", INPUT_WORD, "", "why the change is impossible, or empty"},
    {"executed_again", INPUT_FLAG, "", "the kernel was executed again for the change"},
    {"each", INPUT_FLAG, "",
     "add a row without each effect that a model covers; an impossible change becomes a row with "
     "the reason"},
    {"model_options", INPUT_WORD, "", "model options: KEY=VALUE[,KEY=VALUE...]"},
    {"l2", INPUT_WORD, "", "what launches find in the L2, as in analyze"},
    {"spills", INPUT_WORD, "", "registers that ptxas spills, as in analyze"},
};

struct reading {
    const struct asked *asked;
    struct arena *arena;
    struct predict_options options; /* of the launch as it is */
    struct whatif_answer *answer;
};

static ws_status read_options(const struct reading *reading, const char *effects,
                              struct predict_options *out)
{
    *out = (struct predict_options){
        .evidence = reading->asked->evidence, .without_gains = true, .without_details = true};
    const struct predict_words words = {.model_options =
                                            asked_word(reading->asked, "model_options"),
                                        .without = effects,
                                        .l2 = asked_word(reading->asked, "l2"),
                                        .spills = asked_word(reading->asked, "spills")};
    return predict_words_parse(reading->asked->diag, reading->arena, &words, out);
}

/* Of an input that is given once for each change, or not at all. */
static ws_status check_count(const struct asked *asked, const char *name, size_t count)
{
    size_t changes = asked->profile_count - 1;
    if (!count || count == changes) return WS_OK;
    return diag_error(asked->diag, WS_ERR_ARGUMENT,
                      "input '%s' of 'whatif': got %zu values for %zu changes", name, count,
                      changes);
}

static ws_status check_shape(const struct asked *asked, size_t changes)
{
    if (changes + 1 != asked->profile_count)
        return diag_error(
            asked->diag, WS_ERR_ARGUMENT,
            "'whatif' requires one profile and one more per change: got %zu for %zu changes",
            asked->profile_count, changes);
    if (asked->machine_count && asked->machine_count % asked->profile_count == 0) return WS_OK;
    return diag_error(asked->diag, WS_ERR_ARGUMENT,
                      "'whatif' requires the same number of machines for each profile, at least "
                      "one: got %zu for %zu profiles",
                      asked->machine_count, asked->profile_count);
}

/* The words of an input, one a change; "": NULL. */
static ws_status read_words(const struct reading *reading, const char *name, const char **out)
{
    size_t count, wanted = reading->asked->profile_count - 1;
    const char *const *words = asked_words(reading->asked, name, &count);
    TRY(check_count(reading->asked, name, count));
    for (size_t i = 0; i < wanted; i++)
        out[i] = count && *words[i] ? words[i] : NULL;
    return WS_OK;
}

static bool is_unchanged(const struct whatif_answer *answer, const struct whatif_change *change)
{
    const struct whatif_change *base = &answer->changes[0];
    size_t bytes = answer->machine_count * sizeof *base->machines;
    return change->profile == base->profile && !memcmp(change->machines, base->machines, bytes);
}

static void note_effect(const struct whatif_answer *answer, struct whatif_change *change)
{
    uint32_t off = change->effects_off;
    bool is_one = off && !(off & (off - 1)) && is_unchanged(answer, change);
    change->effect = is_one ? __builtin_ctz(off) : -1;
}

/* Leaves room for the effects that `each` adds. */
static void start_changes(const struct reading *reading)
{
    const struct asked *asked = reading->asked;
    struct whatif_answer *answer = reading->answer;
    answer->change_count = asked->profile_count;
    answer->changes =
        ARENA_ARRAY(reading->arena, struct whatif_change, answer->change_count + EFFECT_COUNT);
    for (size_t i = 0; i < answer->change_count; i++)
        answer->changes[i] =
            (struct whatif_change){.name = "baseline",
                                   .effect = -1,
                                   .profile = asked->profiles[i],
                                   .machines = &asked->machines[i * answer->machine_count]};
}

static ws_status read_changes(const struct reading *reading)
{
    const struct asked *asked = reading->asked;
    struct whatif_answer *answer = reading->answer;
    size_t count, flags, given = asked->profile_count;
    const char *const *names = asked_words(asked, "change", &count);
    const double *executed = asked_numbers(asked, "executed_again", &flags);
    const char **effects = ARENA_ARRAY(reading->arena, const char *, 4 * given);
    const char **keys = effects + given, **launches = keys + given, **reasons = launches + given;
    TRY(check_shape(asked, count));
    TRY(check_count(asked, "executed_again", flags));
    TRY(read_words(reading, "effects", effects));
    TRY(read_words(reading, "machine_key", keys));
    TRY(read_words(reading, "launch", launches));
    TRY(read_words(reading, "impossible", reasons));
    start_changes(reading);
    for (size_t i = 1; i < given; i++) {
        struct whatif_change *change = &answer->changes[i];
        change->name = arena_copy(reading->arena, names[i - 1]);
        change->key = keys[i - 1];
        change->launch = launches[i - 1] ? arena_copy(reading->arena, launches[i - 1]) : NULL;
        change->impossible = reasons[i - 1] ? arena_copy(reading->arena, reasons[i - 1]) : NULL;
        change->executed = flags && executed[i - 1] != 0;
        struct predict_options options;
        TRY(read_options(reading, effects[i - 1], &options));
        change->effects_off = options.effects_off;
        note_effect(answer, change);
    }
    return WS_OK;
}

/* ---- predictions ----------------------------------------------------------------------------- */

static size_t model_index(struct whatif_answer *answer, enum model_id model)
{
    size_t i = 0;
    while (i < answer->model_count && answer->models[i] != model)
        i++;
    if (i == answer->model_count) answer->models[answer->model_count++] = model;
    return i;
}

static void read_power(const struct reading *reading, const struct prediction *prediction,
                       struct whatif_power *out)
{
    double tdp = machine_get(prediction->machine, MACHINE_POWER_TDP, INFINITY);
    const struct power_estimate *power = prediction->power;
    const char *why = prediction->no_power;
    if (power)
        *out = (struct whatif_power){.model = models[power->answer.id]->name,
                                     .time_model = power->time_model,
                                     .is_measured = power->measured,
                                     .seconds = power->answer.time_seconds,
                                     .watts = power->watts.gpu_watts,
                                     .exceeds_tdp = power->watts.gpu_watts > tdp,
                                     .gain = 1};
    else
        out->reason = arena_copy(reading->arena, why ? why : "no prediction");
}

/* Watts before and after a change rest on the time of the same model. */
static void keep_time_model(const struct reading *reading, const struct whatif_power *before,
                            struct predict_options *options)
{
    if (before->reason) return;
    struct model_option *copies =
        ARENA_ARRAY(reading->arena, struct model_option, options->option_count + 1);
    for (size_t i = 0; i < options->option_count; i++)
        copies[i] = options->options[i];
    copies[options->option_count++] = (struct model_option){"power_time", before->time_model};
    options->options = copies;
}

/* The best suited comes first, the others keep their order. */
static ws_status predict(const struct reading *reading, const struct whatif_change *change,
                         size_t machine)
{
    struct whatif_machine *of = &reading->answer->machines[machine];
    struct whatif_row *row = &of->rows[of->row_count];
    const struct prediction *prediction;
    struct predict_options options = reading->options;
    options.effects_off = change->effects_off;
    if (of->row_count) keep_time_model(reading, &of->rows[0].power, &options);
    TRY(asked_predict(reading->asked, change->profile, change->machines[machine], &options,
                      &prediction));
    for (size_t i = 0; i < prediction->estimate_count; i++) {
        size_t from = i == 0 ? prediction->best : i <= prediction->best ? i - 1 : i;
        const struct estimate *estimate = &prediction->estimates[from];
        size_t at = model_index(reading->answer, estimate->id);
        row->cells[at] = (struct whatif_cell){
            .seconds = estimate->time_seconds, .gain = 1, .bottleneck = estimate->bottleneck};
        if (i == 0 && !of->row_count) of->best = at;
    }
    read_power(reading, prediction, &row->power);
    return WS_OK;
}

static void start_rows(const struct reading *reading, const struct whatif_change *change,
                       const char *reason)
{
    struct whatif_answer *answer = reading->answer;
    for (size_t m = 0; m < answer->machine_count; m++) {
        struct whatif_row *row = &answer->machines[m].rows[answer->machines[m].row_count];
        row->change = change;
        row->power = (struct whatif_power){.reason = reason};
        row->cells = ARENA_ARRAY(reading->arena, struct whatif_cell, MODEL_COUNT);
        for (size_t i = 0; i < MODEL_COUNT; i++)
            row->cells[i].reason = reason;
    }
}

/* Gains over the first row; an effect that a model does not know is no change to it. */
static void find_gains(const struct whatif_answer *answer, const struct whatif_machine *of)
{
    const struct whatif_row *row = &of->rows[of->row_count];
    int effect = row->change->effect;
    for (size_t i = 0; i < answer->model_count; i++) {
        const struct whatif_cell *before = &of->rows[0].cells[i];
        struct whatif_cell *cell = &row->cells[i];
        bool is_known = effect < 0 || models[answer->models[i]]->effects >> effect & 1;
        if (!is_known) cell->reason = "not modelled";
        if (!cell->reason && before->reason) cell->reason = "no baseline prediction";
        /* Cases of a model that do not meet: no gain, as in the report. */
        if (!cell->reason && effect >= 0 && cell->seconds > before->seconds)
            cell->seconds = before->seconds;
        if (!cell->reason) cell->gain = before->seconds / cell->seconds;
    }
}

static const struct whatif_cell *cell_of(const struct whatif_answer *answer,
                                         const struct whatif_row *row, const char *model)
{
    size_t i = 0;
    while (strcmp(models[answer->models[i]]->name, model) != 0)
        i++;
    return &row->cells[i];
}

/* Why watts of a row cannot be compared with those of the first; NULL: they can. */
static const char *no_power_gain(const struct whatif_power *before,
                                 const struct whatif_power *power, const struct whatif_cell *cell)
{
    if (before->reason) return "no baseline prediction";
    if (power->is_measured) return "measured unchanged";
    return cell->reason;
}

/* Needs the gains in time: watts rest on the time of one of the models. */
static void find_power_gain(const struct whatif_answer *answer, const struct whatif_machine *of)
{
    struct whatif_row *row = &of->rows[of->row_count];
    const struct whatif_power *before = &of->rows[0].power;
    struct whatif_power *power = &row->power;
    const struct whatif_cell *cell =
        before->reason ? NULL : cell_of(answer, row, before->time_model);
    if (!power->reason) power->reason = no_power_gain(before, power, cell);
    if (power->reason) return;
    if (power->seconds > cell->seconds && row->change->effect >= 0) *power = *before;
    power->gain = joules_of(before) / joules_of(power);
}

/* ---- surprises ------------------------------------------------------------------------------- */

static bool has_part(const char *key, const char *const *parts)
{
    for (; *parts; parts++)
        if (strstr(key, *parts)) return true;
    return false;
}

/* Is the machine better (1) or worse (-1) by the change of this key? 0: that depends. */
static int direction(const char *key, double before, double after)
{
    static const char *const delays[] = {"latency", "delay", "issue.cycles", "issue.interval",
                                         NULL};
    static const char *const means[] = {"machine.sm.count", "machine.cpu.",     "clock.core",
                                        "bandwidth",        "l1.size",          "l2.size",
                                        "throughput.",      "issue.width",      "issue.schedulers",
                                        "shared.banks",     "load_store_lanes", NULL};
    int more = (after > before) - (after < before);
    if (has_part(key, delays)) return -more;
    return has_part(key, means) ? more : 0;
}

static double figure_of(const struct machine *machine, const char *key)
{
    int index = machine_key_find(!strncmp(key, "machine.", 8) ? key + 8 : key);
    return index < 0 ? NAN : machine_get(machine, (enum machine_key)index, NAN);
}

/* What must be said where a worse machine gains. */
static void find_surprises(const struct reading *reading, struct whatif_change *change, size_t m)
{
    const double ROUNDING = 1e-6;
    const struct whatif_answer *answer = reading->answer;
    const struct whatif_machine *of = &answer->machines[m];
    int better = direction(change->key, figure_of(of->machine, change->key),
                           figure_of(change->machines[m], change->key));
    for (size_t i = 0; i < answer->model_count; i++) {
        const struct whatif_cell *cell = &of->rows[of->row_count].cells[i];
        bool gains = better < 0 && cell->gain > 1 + ROUNDING;
        bool loses = better > 0 && cell->gain < 1 - ROUNDING;
        if (cell->reason || !(gains || loses)) continue;
        change->surprise = arena_format(
            reading->arena, "%s%s%s %s with a %s %s: %s", change->surprise ? change->surprise : "",
            change->surprise ? "; " : "", models[answer->models[i]]->name,
            gains ? "predicts less time" : "predicts more time", gains ? "worse" : "better",
            of->machine->id, whatif_surprise(answer->models[i], change->key));
    }
}

/* ---- asking ---------------------------------------------------------------------------------- */

static ws_status predict_rows(const struct reading *reading, struct whatif_change *change)
{
    struct whatif_answer *answer = reading->answer;
    start_rows(reading, change, change->impossible ? "impossible" : "no prediction");
    for (size_t m = 0; m < answer->machine_count && !change->impossible; m++)
        TRY(predict(reading, change, m));
    return WS_OK;
}

static void end_rows(const struct reading *reading, struct whatif_change *change)
{
    struct whatif_answer *answer = reading->answer;
    bool is_base = change == answer->changes;
    for (size_t m = 0; m < answer->machine_count; m++) {
        if (!is_base && !change->impossible) {
            find_gains(answer, &answer->machines[m]);
            find_power_gain(answer, &answer->machines[m]);
        }
        if (change->key && !change->impossible) find_surprises(reading, change, m);
        answer->machines[m].row_count++;
    }
}

/* With `each` a change that cannot be says why; without it ends the answer. */
static ws_status add_rows(const struct reading *reading, struct whatif_change *change)
{
    ws_status status = predict_rows(reading, change);
    if (status != WS_OK) {
        char *why = arena_copy(reading->arena, diag_text(reading->asked->diag));
        why[strcspn(why, "\n")] = '\0';
        change->impossible = why;
        start_rows(reading, change, "impossible");
    }
    end_rows(reading, change);
    bool is_refused = status > WS_ERR_CHECK && status <= WS_ERR_COMPARE;
    return is_refused && asked_flag(reading->asked, "each") ? WS_OK : status;
}

/* Without every effect that some model of the answer knows. */
static ws_status add_effects(const struct reading *reading)
{
    struct whatif_answer *answer = reading->answer;
    for (int effect = 0; effect < EFFECT_COUNT; effect++) {
        bool is_known = false;
        for (size_t i = 0; i < answer->model_count; i++)
            is_known |= models[answer->models[i]]->effects >> effect & 1;
        if (!is_known) continue;
        struct whatif_change *change = &answer->changes[answer->change_count++];
        *change = answer->changes[0];
        change->name = arena_format(reading->arena, "without %s", effect_infos[effect].id);
        change->effect = effect;
        change->effects_off = UINT32_C(1) << effect;
        TRY(add_rows(reading, change));
    }
    return WS_OK;
}

static ws_status add_all(const struct reading *reading)
{
    struct whatif_answer *answer = reading->answer;
    for (size_t i = 1; i < answer->change_count; i++)
        TRY(add_rows(reading, &answer->changes[i]));
    return asked_flag(reading->asked, "each") ? add_effects(reading) : WS_OK;
}

static void name_models(struct whatif_answer *answer)
{
    for (size_t m = 0; m < answer->machine_count; m++) {
        struct whatif_machine *of = &answer->machines[m];
        for (size_t r = 0; r < of->row_count; r++) {
            of->rows[r].count = answer->model_count;
            for (size_t i = 0; i < answer->model_count; i++) {
                of->rows[r].cells[i].model = models[answer->models[i]]->name;
                of->rows[r].cells[i].is_best = i == of->best;
            }
        }
    }
}

static ws_status ask(struct asked *asked, const void **out)
{
    struct arena *arena = &asked->answer->arena;
    struct whatif_answer *answer = ARENA_ARRAY(arena, struct whatif_answer, 1);
    struct reading reading = {.asked = asked, .arena = arena, .answer = answer};
    answer->machine_count = asked->machine_count / asked->profile_count;
    TRY(read_options(&reading, NULL, &reading.options));
    TRY(read_changes(&reading));
    const char *kernel = asked->profiles[0]->kernel;
    answer->kernel = kernel ? kernel : "";
    answer->machines = ARENA_ARRAY(arena, struct whatif_machine, answer->machine_count);
    for (size_t m = 0; m < answer->machine_count; m++) {
        answer->machines[m].machine = asked->machines[m];
        answer->machines[m].rows =
            ARENA_ARRAY(arena, struct whatif_row, answer->change_count + EFFECT_COUNT);
    }
    TRY(predict_rows(&reading, &answer->changes[0]));
    end_rows(&reading, &answer->changes[0]);
    ws_status status = add_all(&reading);
    name_models(answer);
    *out = answer;
    return status;
}

const struct question question_whatif = {
    .name = "whatif",
    .schema = "warpsage.whatif/1",
    .text = "How much would each change to a launch or a GPU gain?",
    .record = &record_whatif,
    .inputs = inputs,
    .input_count = sizeof inputs / sizeof *inputs,
    .takes_profiles = true,
    .ask = ask,
};
