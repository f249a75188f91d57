// SPDX-License-Identifier: Apache-2.0
/* schemas/report.schema.json: SI base units, missing = null with a reason, never NaN. */
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "model/power/power_estimate.h"
#include "model/quantitative.h"
#include "model/teg/warp_waits.h"
#include "render/json_out.h"
#include "render/writers.h"

static void triple(struct json_out *json, const char *key, const uint32_t values[3])
{
    json_out_open(json, key, '[');
    for (unsigned i = 0; i < 3; i++)
        json_out_number(json, NULL, values[i]);
    json_out_close(json, ']');
}

static void launch(struct json_out *json, const struct profile *profile)
{
    json_out_open(json, "launch", '{');
    triple(json, "grid", profile->grid);
    triple(json, "block", profile->block);
    if (profile_is_opencl(profile)) {
        uint32_t global[3];
        for (unsigned i = 0; i < 3; i++)
            global[i] = profile->grid[i] * profile->block[i];
        triple(json, "global_size", global);
        triple(json, "local_size", profile->block);
    }
    json_out_number(json, "dynamic_shared_bytes", (double)profile->dynamic_shared_bytes);
    json_out_number(json, "static_shared_bytes", (double)profile->static_shared_bytes);
    json_out_close(json, '}');
}

static void counter(struct json_out *json, size_t i, const struct counter_value *value)
{
    json_out_open(json, counter_infos[i].id, '{');
    if (value->origin == ORIGIN_NONE || !isfinite(value->value)) {
        json_out_null(json, "value");
        json_out_string(json, "unit", counter_infos[i].unit);
        json_out_null(json, "from");
        json_out_string(json, "reason", value->reason ? value->reason : "not in this profile");
    } else {
        json_out_number(json, "value", value->value);
        json_out_string(json, "unit", counter_infos[i].unit);
        json_out_string(json, "from", origin_infos[value->origin].id);
        if (value->lo != value->value || value->hi != value->value) {
            json_out_number(json, "lo", value->lo);
            json_out_number(json, "hi", value->hi);
        }
    }
    json_out_close(json, '}');
}

static void registers(struct json_out *json, const struct profile *profile)
{
    json_out_open(json, "registers", '[');
    for (uint32_t i = 0; i < profile->register_count; i++) {
        const struct register_count *count = &profile->registers[i];
        json_out_open(json, NULL, '{');
        json_out_number(json, "target", count->target); /* 80 for sm_80; 0: any */
        json_out_number(json, "value", count->value);
        json_out_string(json, "from", count->from);
        json_out_close(json, '}');
    }
    json_out_close(json, ']');
}

static void line_or_null(struct json_out *json, const char *key, uint32_t line)
{
    if (line)
        json_out_number(json, key, line);
    else
        json_out_null(json, key);
}

static void instruction(struct json_out *json, const struct instruction_profile *insn)
{
    json_out_open(json, NULL, '{');
    json_out_number(json, "pc", insn->pc);
    line_or_null(json, "ptx_line", insn->is_native ? 0 : insn->line);
    if (insn->is_native) json_out_number(json, "address", insn->line);
    json_out_string(json, "file", insn->file);
    line_or_null(json, "line", insn->source_line);
    json_out_string(json, "op", insn->op ? insn->op : "");
    json_out_string(json, "text", insn->text);
    json_out_string(json, "class", class_ids[insn->class_id]);
    json_out_open(json, "counters", '{');
    for (uint32_t i = 0; i < insn->counter_count; i++)
        json_out_number(json, counter_infos[insn->counters[i]].id, insn->values[i]);
    json_out_close(json, '}');
    json_out_close(json, '}');
}

static void stage(struct json_out *json, const struct stage_profile *stage)
{
    json_out_open(json, NULL, '{');
    json_out_number(json, "index", stage->index);
    json_out_number(json, "warps_working", stage->warps_working);
    json_out_number(json, "threads_working", stage->threads_working);
    json_out_number(json, "shared_warps_working", stage->shared_warps_working);
    json_out_open(json, "counters", '{');
    for (size_t i = 0; i < COUNTER_COUNT; i++)
        if (stage->counters[i] != 0 && isfinite(stage->counters[i]))
            json_out_number(json, counter_infos[i].id, stage->counters[i]);
    json_out_close(json, '}');
    json_out_close(json, '}');
}

static void block_limit(struct json_out *json, const char *key, unsigned limit)
{
    if (limit == UINT_MAX)
        json_out_null(json, key); /* does not limit */
    else
        json_out_number(json, key, limit);
}

static void occupancy(struct json_out *json, const struct prediction *prediction)
{
    const struct occupancy *occupancy = &prediction->occupancy;
    if (prediction->machine->kind == MACHINE_IS_CPU) {
        json_out_null(json, "occupancy");
        json_out_string(json, "occupancy_reason", "a matter of GPUs");
        return;
    }
    json_out_open(json, "occupancy", '{');
    json_out_number(json, "fraction", occupancy->fraction);
    json_out_number(json, "blocks_per_sm", occupancy->blocks_per_sm);
    json_out_number(json, "warps_per_sm", occupancy->warps_per_sm);
    json_out_number(json, "warps_per_block", occupancy->warps_per_block);
    block_limit(json, "block_limit_sm", occupancy->limit_sm);
    block_limit(json, "block_limit_registers", occupancy->limit_registers);
    block_limit(json, "block_limit_shared", occupancy->limit_shared);
    block_limit(json, "block_limit_warps", occupancy->limit_warps);
    json_out_string(json, "limiter", occupancy_limit_id(occupancy->limiter, NULL));
    if (prediction->registers)
        json_out_number(json, "registers", prediction->registers);
    else
        json_out_null(json, "registers");
    json_out_string(json, "registers_note", prediction->registers_note);
    json_out_close(json, '}');
}

static void finite_or_reason(struct json_out *json, const char *key, double value)
{
    json_out_number(json, key, value);
    if (!isfinite(value)) json_out_string(json, "reason", "not finite");
}

static void without(struct json_out *json, const struct estimate *estimate)
{
    json_out_open(json, "without", '{');
    for (size_t i = 0; i < EFFECT_COUNT; i++) {
        const struct effect_gain *gain = &estimate->without[i];
        bool known = gain->modelled && isfinite(gain->time_seconds) && isfinite(gain->gain);
        json_out_open(json, effect_infos[i].id, '{');
        if (known) {
            json_out_number(json, "time_s", gain->time_seconds);
            json_out_number(json, "gain", gain->gain);
        } else {
            json_out_null(json, "time_s");
            json_out_null(json, "gain");
            json_out_string(json, "reason", gain->modelled ? "not finite" : "not modelled");
        }
        json_out_close(json, '}');
    }
    json_out_close(json, '}');
}

static void stage_estimates(struct json_out *json, const struct estimate *estimate)
{
    const struct stage_times *times = estimate_details(estimate, MODEL_QUANTITATIVE);
    json_out_open(json, "stages", '[');
    for (size_t i = 0; times && i < times->count; i++) {
        const struct stage_estimate *stage = &times->stages[i];
        json_out_open(json, NULL, '{');
        json_out_number(json, "index", stage->index);
        json_out_number(json, "warps", stage->warps);
        json_out_number(json, "t_inst", stage->inst_seconds);
        json_out_number(json, "t_smem", stage->smem_seconds);
        json_out_number(json, "t_gmem", stage->gmem_seconds);
        json_out_string(json, "bottleneck", component_words(stage->bottleneck));
        json_out_string(json, "next", component_words(stage->next));
        json_out_close(json, '}');
    }
    json_out_close(json, ']');
    if (times && times->count) json_out_bool(json, "stages_overlap", times->overlap);
}

/* Of models that follow warps: where their time goes, and how it grows with their number. */
static void waits(struct json_out *json, const struct warp_waits *waits)
{
    json_out_open(json, "waits", '{');
    json_out_open(json, "causes", '{');
    for (size_t i = 0; i < waits->cause_count; i++)
        json_out_number(json, waits->causes[i].id, waits->causes[i].share);
    json_out_close(json, '}');
    json_out_open(json, "lines", '[');
    for (size_t i = 0; i < waits->line_count; i++) {
        const struct wait_line *line = &waits->lines[i];
        json_out_open(json, NULL, '{');
        json_out_string(json, "file", line->file);
        line_or_null(json, "line", line->line);
        json_out_number(json, "share", line->share);
        json_out_string(json, "cause", line->cause->id);
        json_out_number(json, "cause_share", line->cause_share);
        json_out_close(json, '}');
    }
    json_out_close(json, ']');
    json_out_open(json, "scaling", '[');
    for (size_t i = 0; i < waits->scaling_count; i++) {
        json_out_open(json, NULL, '{');
        json_out_number(json, "warps", waits->scaling[i].warps);
        json_out_number(json, "cycles", waits->scaling[i].cycles);
        json_out_number(json, "ipc", waits->scaling[i].ipc);
        json_out_close(json, '}');
    }
    json_out_close(json, ']');
    json_out_close(json, '}');
}

static void terms(struct json_out *json, const struct estimate *estimate)
{
    json_out_open(json, "terms", '{');
    for (size_t i = 0; i < estimate->term_count; i++) {
        json_out_open(json, estimate->terms[i].id, '{');
        finite_or_reason(json, "value", estimate->terms[i].value);
        json_out_string(json, "unit", estimate->terms[i].unit);
        json_out_string(json, "text", estimate->terms[i].text);
        json_out_close(json, '}');
    }
    json_out_close(json, '}');
}

static void assumptions(struct json_out *json, const struct estimate *estimate)
{
    json_out_open(json, "assumptions", '[');
    for (size_t i = 0; i < estimate->assumption_count; i++)
        json_out_string(json, NULL, estimate->assumptions[i]);
    json_out_close(json, ']');
}

static void estimate(struct json_out *json, const struct estimate *estimate, bool best)
{
    json_out_open(json, NULL, '{');
    json_out_string(json, "model", estimate->model);
    json_out_bool(json, "best", best);
    json_out_number(json, "time_s", estimate->time_seconds);
    json_out_number(json, "cycles", estimate->cycles);
    json_out_string(json, "bottleneck", component_words(estimate->bottleneck));
    json_out_string(json, "next", component_words(estimate->next));
    terms(json, estimate);
    stage_estimates(json, estimate);
    const struct warp_waits *warps = estimate_details(estimate, MODEL_TEG);
    if (warps) waits(json, warps);
    without(json, estimate);
    assumptions(json, estimate);
    json_out_close(json, '}');
}

static void figure(struct json_out *json, const char *key, double value, const char *unit,
                   const char *reason)
{
    json_out_open(json, key, '{');
    if (reason)
        json_out_null(json, "value");
    else
        json_out_number(json, "value", value);
    json_out_string(json, "unit", unit);
    if (reason || !isfinite(value)) json_out_string(json, "reason", reason ? reason : "not finite");
    json_out_close(json, '}');
}

/* The parts add up to `mean`. */
static void power_parts(struct json_out *json, const struct power_estimate *power)
{
    const struct ipp_watts *watts = &power->watts;
    json_out_open(json, "parts", '{');
    for (size_t i = 0; i < POWER_UNIT_COUNT; i++)
        figure(json, power_unit_infos[i].id, watts->units[i], "W", power->unit_reasons[i]);
    figure(json, "const_sm", watts->const_sm_watts, "W", NULL);
    figure(json, "activation", watts->activation_watts, "W", NULL);
    figure(json, "idle", watts->idle_watts, "W", NULL);
    json_out_close(json, '}');
}

static void power(struct json_out *json, const struct prediction *prediction)
{
    const struct power_estimate *power = prediction->power;
    const char *reason = power ? NULL : prediction->no_power;
    double watts = power ? power->watts.gpu_watts : 0;
    double seconds = power ? power->answer.time_seconds : 0;
    json_out_open(json, "power", '{');
    figure(json, "mean", watts, "W", reason);
    figure(json, "energy", watts * seconds, "J", reason);
    if (power) {
        json_out_string(json, "model", power->answer.model);
        json_out_string(json, "time_model", power->measured ? "measured" : power->time_model);
        json_out_number(json, "time_s", seconds);
        power_parts(json, power);
        terms(json, &power->answer);
        assumptions(json, &power->answer);
    }
    json_out_close(json, '}');
}

static void advice(struct json_out *json, const struct diagnosis *diagnosis)
{
    json_out_string(json, "limit", diagnosis->limit);
    json_out_string(json, "why", diagnosis->why);
    json_out_string(json, "why_where", diagnosis->why_where);
    json_out_open(json, "advice", '[');
    for (size_t i = 0; i < diagnosis->advice_count; i++) {
        const struct advice *item = &diagnosis->advice[i];
        json_out_open(json, NULL, '{');
        json_out_string(json, "code", advice_infos[item->code].code);
        json_out_string(json, "title", item->title);
        json_out_string(json, "where", item->where);
        json_out_number(json, "gain", item->gain);
        if (!isfinite(item->gain)) json_out_string(json, "reason", "the model cannot tell");
        json_out_number(json, "time_s", item->time_seconds);
        json_out_string(json, "evidence", item->evidence);
        json_out_close(json, '}');
    }
    json_out_close(json, ']');
}

static void caches(struct json_out *json, const struct prediction *prediction)
{
    const struct cache_section *section = prediction->caches;
    if (!section) {
        json_out_null(json, "caches");
        json_out_string(json, "caches_reason", prediction->caches_reason);
        return;
    }
    double l1 = cache_l1_hit_rate(section), l2 = cache_l2_hit_rate(section);
    json_out_open(json, "caches", '{');
    json_out_number(json, "l1_hit_rate", l1 < 0 ? NAN : l1);
    json_out_number(json, "l2_hit_rate", l2 < 0 ? NAN : l2);
    if (l1 < 0 || l2 < 0) json_out_string(json, "reason", "nothing was asked of it");
    json_out_number(json, "blocks", section->blocks);
    json_out_number(json, "sms", section->sms);
    json_out_bool(json, "is_cut", section->is_cut);
    json_out_open(json, "geometry", '{');
    for (unsigned i = 0; i < CACHE_GEOMETRY_COUNT; i++)
        json_out_number(json, cache_geometry_numbers[i].id,
                        (double)cache_geometry_get(&section->geometry, i));
    json_out_close(json, '}');
    json_out_open(json, "sectors", '{');
    for (unsigned i = 0; i < CACHE_COUNT_COUNT; i++)
        json_out_number(json, cache_count_infos[i].id, (double)section->counts[i]);
    json_out_close(json, '}');
    json_out_close(json, '}');
}

static void machine(struct json_out *json, const struct report_machine *item)
{
    const struct prediction *prediction = item->prediction;
    const struct machine *unit = prediction->machine;
    char capability[32];
    snprintf(capability, sizeof capability, "%u.%u", unit->cc_major, unit->cc_minor);
    json_out_open(json, NULL, '{');
    json_out_string(json, "machine", unit->id);
    json_out_string(json, "name", unit->name);
    json_out_string(json, "kind", machine_kind_words[unit->kind]);
    json_out_string(json, "compute_capability", unit->kind == MACHINE_IS_CPU ? NULL : capability);
    occupancy(json, prediction);
    caches(json, prediction);
    json_out_string(json, "best", report_best(item) ? report_best(item)->model : NULL);
    json_out_string(json, "best_reason", prediction->best_reason);
    json_out_open(json, "estimates", '[');
    for (size_t i = 0; i < prediction->estimate_count; i++)
        estimate(json, &prediction->estimates[i], i == prediction->best);
    json_out_close(json, ']');
    json_out_open(json, "refusals", '[');
    for (size_t i = 0; i < prediction->refusal_count; i++) {
        json_out_open(json, NULL, '{');
        json_out_string(json, "model", prediction->refusals[i].model);
        json_out_string(json, "reason", prediction->refusals[i].reason);
        json_out_close(json, '}');
    }
    json_out_close(json, ']');
    power(json, prediction);
    advice(json, item->diagnosis);
    json_out_close(json, '}');
}

static void kernel(struct json_out *json, const struct report_kernel *item)
{
    const struct profile *profile = item->profile;
    json_out_open(json, NULL, '{');
    json_out_string(json, "name", profile->kernel ? profile->kernel : "");
    json_out_string(json, "mangled", profile->mangled);
    json_out_string(json, "isa", profile->isa ? profile->isa : "");
    json_out_string(json, "counts_are_of",
                    profile_is_native(profile) ? "native code"
                                               : "PTX instructions, not native code's");
    launch(json, profile);
    registers(json, profile);
    json_out_bool(json, "ordered", profile->ordered);
    json_out_bool(json, "reproducible", !profile->unordered_by_user);
    if (profile->partial) json_out_bool(json, "partial", true);
    json_out_number(json, "sampled_fraction", profile->sampled_fraction);
    json_out_open(json, "notes", '[');
    for (uint32_t i = 0; i < profile->note_count; i++)
        json_out_string(json, NULL, profile->notes[i]);
    json_out_close(json, ']');
    json_out_open(json, "profile", '{');
    for (size_t i = 0; i < COUNTER_COUNT; i++)
        counter(json, i, &profile->counters[i]);
    json_out_close(json, '}');
    json_out_open(json, "instructions", '[');
    for (uint32_t i = 0; i < profile->instruction_count; i++)
        instruction(json, &profile->instructions[i]);
    json_out_close(json, ']');
    json_out_open(json, "stages", '[');
    for (uint32_t i = 0; i < profile->stage_count; i++)
        stage(json, &profile->stages[i]);
    json_out_close(json, ']');
    json_out_open(json, "machines", '[');
    for (size_t i = 0; i < item->machine_count; i++)
        machine(json, &item->machines[i]);
    json_out_close(json, ']');
    json_out_close(json, '}');
}

void write_json(const struct report_view *view, struct strbuf *out)
{
    struct json_out json = {.out = out};
    json_out_open(&json, NULL, '{');
    json_out_string(&json, "schema", "warpsage.report/1");
    json_out_open(&json, "tool", '{');
    json_out_string(&json, "name", "warpsage");
    json_out_string(&json, "version", ws_version());
    json_out_close(&json, '}');
    json_out_open(&json, "kernels", '[');
    for (size_t i = 0; i < view->kernel_count; i++)
        kernel(&json, &view->kernels[i]);
    json_out_close(&json, ']');
    json_out_close(&json, '}');
    strbuf_putc(out, '\n');
}
