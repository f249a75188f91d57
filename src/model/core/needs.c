// SPDX-License-Identifier: Apache-2.0
#include "model/core/needs.h"

#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "model/core/accesses.h"

struct missing {
    struct strbuf text;
    unsigned count;
};

static void lacks(struct missing *missing, const char *format, const char *a, const char *b)
{
    strbuf_puts(&missing->text, missing->count++ ? "; " : "requires ");
    strbuf_printf(&missing->text, format, a, b);
}

static const char *machine_file(const struct machine *machine)
{
    return machine->path ? machine->path : machine->id ? machine->id : "the machine";
}

static void lacks_counter(struct missing *missing, const struct profile *profile,
                          enum counter counter)
{
    const char *reason = profile->counters[counter].reason;
    lacks(missing, "counter %s (%s)", counter_infos[counter].id,
          reason ? reason : "not in this profile");
}

static void check_machine(const struct model *model, const struct machine *machine,
                          struct missing *missing)
{
    const enum machine_key *key = model->needs_machine;
    for (; key && *key != MACHINE_KEY_COUNT; key++)
        if (!machine_has(machine, *key))
            lacks(missing, "machine %s, which %s does not define", machine_key_infos[*key].path,
                  machine_file(machine));
}

/* Operations that the profile does not mention count as absent, but at least one of the global
 * loads and stores must be told, be it as 0; what was requested must be told completely. */
static void check_accesses(const struct model_input *input, struct missing *missing)
{
    const struct profile *profile = input->profile;
    enum coalescing_rule rule = coalescing_rule_of(input->machine);
    if (!profile_has(profile, COUNTER_MEM_GLOBAL_LOAD_REQUESTS) &&
        !profile_has(profile, COUNTER_MEM_GLOBAL_STORE_REQUESTS))
        lacks_counter(missing, profile, COUNTER_MEM_GLOBAL_LOAD_REQUESTS);
    for (unsigned op = 0; op < ACCESS_OP_COUNT; op++) {
        enum counter bytes = access_counter(op, ACCESS_BYTES_REQUESTED, rule);
        enum counter coalesced = access_counter(op, ACCESS_COALESCED, rule);
        enum counter uncoalesced = access_counter(op, ACCESS_UNCOALESCED, rule);
        enum counter transactions = access_counter(op, ACCESS_UNCOALESCED_TRANSACTIONS, rule);
        if (!(accesses_read(profile, op, rule).parts[ACCESS_REQUESTS] > 0)) continue;
        if (!profile_has(profile, bytes)) lacks_counter(missing, profile, bytes);
        if (!profile_has(profile, uncoalesced) && !profile_has(profile, coalesced))
            lacks_counter(missing, profile, uncoalesced);
        else if (accesses_read(profile, op, rule).parts[ACCESS_UNCOALESCED] > 0 &&
                 !profile_has(profile, transactions))
            lacks_counter(missing, profile, transactions);
    }
}

static void check_transactions(const struct model_input *input, struct missing *missing)
{
    const struct profile *profile = input->profile;
    enum coalescing_rule rule = coalescing_rule_of(input->machine);
    for (unsigned op = 0; op < ACCESS_OP_COUNT; op++) {
        enum counter bytes = access_counter(op, ACCESS_BYTES_MOVED, rule);
        if (accesses_read(profile, op, rule).parts[ACCESS_REQUESTS] > 0 &&
            !profile_has(profile, bytes))
            lacks_counter(missing, profile, bytes);
    }
    enum counter passes = shared_missing(profile, shared_is_half_warp(input->machine));
    if (passes != COUNTER_COUNT) lacks_counter(missing, profile, passes);
}

static void check_prior(const struct model *model, const struct model_input *input,
                        struct missing *missing)
{
    for (const enum model_id *id = model->needs_prior; id && *id != MODEL_COUNT; id++)
        if (!estimate_of(input->prior, input->prior_count, *id))
            lacks(missing, "the estimate of model %s%s", models[*id]->name,
                  ", which is not available");
}

const char *needs_check(const struct model *model, const struct model_input *input,
                        const char *no_occupancy)
{
    struct missing missing = {0};
    check_machine(model, input->machine, &missing);
    const enum counter *counter = model->needs_counters;
    for (; counter && *counter != COUNTER_COUNT; counter++)
        if (!profile_has(input->profile, *counter))
            lacks_counter(&missing, input->profile, *counter);
    if (model->needs_accesses) check_accesses(input, &missing);
    if (model->needs_transactions) check_transactions(input, &missing);
    if (model->needs_occupancy && no_occupancy)
        lacks(&missing, "the occupancy%s%s", ", which is unknown: ", no_occupancy);
    if (model->needs_trace && !input->trace)
        lacks(&missing, "warp traces (%s%s)",
              input->profile->trace_reason ? input->profile->trace_reason : "not in this profile",
              "");
    check_prior(model, input, &missing);
    const char *text = missing.count ? arena_copy(input->arena, missing.text.data) : NULL;
    strbuf_clear(&missing.text);
    return text;
}

ws_status needs_check_segments(struct diag *diag, const struct profile *profile,
                               const struct machine *machine)
{
    double initial = machine_get(machine, MACHINE_GLOBAL_INITIAL_SEGMENT, 128);
    double least = machine_get(machine, MACHINE_GLOBAL_MIN_SEGMENT, 32);
    double banks = machine_get(machine, MACHINE_SHARED_BANKS, 16);
    if (shared_is_half_warp(machine) && profile->half_warp_banks &&
        profile->half_warp_banks != banks)
        return diag_error(diag, WS_ERR_COMPARE,
                          "%s has %.0f banks of shared memory, but the profile was counted for %u: "
                          "rerun the kernel for this GPU",
                          machine->id ? machine->id : "the machine", banks,
                          profile->half_warp_banks);
    if (coalescing_rule_of(machine) != RULE_IS_CC12 || !profile->cc12_initial_segment) return WS_OK;
    if (profile->cc12_initial_segment == initial && profile->cc12_min_segment == least)
        return WS_OK;
    return diag_error(diag, WS_ERR_COMPARE,
                      "%s uses segments of %.0f to %.0f bytes, but the profile was counted for %u "
                      "to %u: rerun the kernel for this GPU",
                      machine->id ? machine->id : "the machine", initial, least,
                      profile->cc12_initial_segment, profile->cc12_min_segment);
}

static const struct model_option_info *find_option(const char *key)
{
    for (size_t i = 0; i < MODEL_COUNT; i++)
        for (size_t k = 0; k < models[i]->option_count; k++)
            if (!strcmp(models[i]->options[k].key, key)) return &models[i]->options[k];
    return NULL;
}

static ws_status unknown_option(struct diag *diag, struct arena *arena, const char *key)
{
    const char *names[64];
    size_t count = 0;
    struct strbuf all = {0};
    for (size_t i = 0; i < MODEL_COUNT; i++)
        for (size_t k = 0; k < models[i]->option_count && count < 64; k++) {
            strbuf_printf(&all, "%s%s", count ? ", " : "", models[i]->options[k].key);
            names[count++] = models[i]->options[k].key;
        }
    const char *nearest = text_hint(arena, key, names, count);
    ws_status status =
        diag_error(diag, WS_ERR_ARGUMENT, "unknown model option '%s'%s", key, nearest);
    diag_add(diag, "  model options: %s", all.data ? all.data : "none");
    strbuf_clear(&all);
    return status;
}

static ws_status check_model_name(struct diag *diag, struct arena *arena, const char *key,
                                  const char *value)
{
    const char *names[64] = {"best"};
    size_t count = 1;
    for (size_t i = 0; i < MODEL_COUNT && count < 64; i++)
        if (models[i]->predict) names[count++] = models[i]->name;
    for (size_t i = 0; i < count; i++)
        if (!strcmp(names[i], value)) return WS_OK;
    const char *nearest = text_hint(arena, value, names, count);
    diag_error(diag, WS_ERR_ARGUMENT, "model option %s: unknown time model '%s'%s", key, value,
               nearest);
    for (size_t i = 0; i < count; i++)
        diag_add(diag, "  %s", names[i]);
    return WS_ERR_ARGUMENT;
}

static ws_status check_value(struct diag *diag, struct arena *arena,
                             const struct model_option_info *info, const char *value)
{
    size_t count = 0;
    struct strbuf all = {0};
    ws_status status = WS_OK;
    double number;
    if (info->values == model_names) return check_model_name(diag, arena, info->key, value);
    if (!info->values || info->values == model_counts) {
        bool may_be_zero = info->values == model_counts;
        if (text_to_double(value, &number) && (number > 0 || (may_be_zero && number == 0)))
            return WS_OK;
        return diag_error(diag, WS_ERR_ARGUMENT, "model option %s must be %s 0 (got '%s')",
                          info->key, may_be_zero ? "at least" : "greater than", value);
    }
    for (; info->values[count]; count++) {
        strbuf_printf(&all, "%s%s", count ? ", " : "", info->values[count]);
        if (!strcmp(info->values[count], value)) goto done;
    }
    const char *nearest = text_hint(arena, value, info->values, count);
    status = diag_error(diag, WS_ERR_ARGUMENT, "model option %s: unknown value '%s'%s", info->key,
                        value, nearest);
    diag_add(diag, "  values (default first): %s", all.data);
done:
    strbuf_clear(&all);
    return status;
}

ws_status needs_check_options(struct diag *diag, struct arena *arena, size_t count,
                              const struct model_option *options)
{
    for (size_t i = 0; i < count; i++) {
        const struct model_option_info *info = find_option(options[i].key);
        if (!info) return unknown_option(diag, arena, options[i].key);
        TRY(check_value(diag, arena, info, options[i].value));
    }
    return WS_OK;
}
