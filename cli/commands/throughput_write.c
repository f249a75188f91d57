// SPDX-License-Identifier: Apache-2.0
/* The throughput model for programs: JSON (schemas/throughput.schema.json). */
#include <jansson.h>
#include <math.h>

#include "cli/commands/throughput_report.h"

static void set_number(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key, isfinite(value) ? json_real(value) : json_null());
}

static void set_category(json_t *object, unsigned category)
{
    json_object_set_new(object, "category", category ? json_integer(category) : json_null());
}

static json_t *inputs_json(const ws_throughput *t)
{
    json_t *out = json_object();
    for (size_t i = 0; i < t->input_count; i++)
        json_object_set_new(
            out, t->inputs[i].name,
            json_pack("{s:f,s:b}", "value", t->inputs[i].value, "given", (int)t->inputs[i].given));
    return out;
}

static json_t *bounds_json(const ws_throughput *t)
{
    json_t *list = json_array();
    for (size_t i = 0; i < t->bound_count; i++) {
        json_t *one = json_object();
        json_object_set_new(one, "cache", json_string(t->bounds[i].name));
        set_number(one, "perf_flop_per_s", t->has_flops ? t->bounds[i].perf_flops : NAN);
        set_number(one, "warps_per_s", t->bounds[i].warp_rate);
        set_category(one, t->bounds[i].category);
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *memory_json(const ws_throughput *t)
{
    json_t *out = json_object();
    if (!t->has_memory) {
        json_decref(out);
        return json_null();
    }
    set_number(out, "eff_mem_cycles", t->eff_mem_cycles);
    set_number(out, "eff_comp_cycles", t->eff_comp_cycles);
    set_number(out, "idle_cycles", t->idle_cycles);
    set_number(out, "hidden", t->hidden);
    set_number(out, "mwp_app_infin", t->mwp_app_infin);
    set_number(out, "mwp_app", t->mwp_app);
    set_number(out, "mwp_bw", t->mwp_bw);
    set_number(out, "mwp_proc", t->mwp_proc > 0 ? t->mwp_proc : NAN);
    set_number(out, "mwp", t->mwp);
    set_category(out, t->category);
    json_object_set_new(out, "rank", t->rank ? json_integer(t->rank) : json_null());
    json_object_set_new(out, "meaning", json_string(t->meaning));
    json_object_set_new(out, "advice", json_string(t->advice));
    set_number(out, "cores_exact", t->cores_exact);
    json_object_set_new(out, "cores", json_integer(t->cores_suggested));
    set_number(out, "n_exact", t->n_exact);
    json_object_set_new(out, "n", json_integer(t->n_suggested));
    set_number(out, "bandwidth_factor", t->bandwidth_factor);
    set_number(out, "frequency_divisor", t->frequency_divisor);
    return out;
}

static json_t *gains_json(const ws_throughput *t)
{
    return json_pack("{s:f,s:f,s:f,s:f,s:f,s:f}", "one_more_sm", t->gain_core, "one_more_warp",
                     t->gain_warp, "sms_10_percent", t->gain_cores, "bandwidth_10_percent",
                     t->gain_bandwidth, "fewer_accesses_10_percent", t->gain_memory,
                     "fewer_other_instructions_10_percent", t->gain_computation);
}

static json_t *sweep_json(const struct throughput_answer *answer)
{
    json_t *list = json_array();
    for (size_t i = 0; i < answer->point_count; i++) {
        const ws_throughput_point *p = &answer->points[i];
        json_t *one = json_object();
        set_number(one, "sms", p->cores);
        set_number(one, "n", p->n);
        set_number(one, "perf_flop_per_s", answer->throughput.has_flops ? p->perf_flops : NAN);
        set_number(one, "warps_per_s", p->warp_rate);
        set_category(one, p->category);
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *machine_json(const struct throughput_answer *answer)
{
    const ws_throughput *t = &answer->throughput;
    json_t *out = json_object(), *assumptions = json_array();
    json_object_set_new(out, "id", json_string(ws_machine_id(answer->machine)));
    json_object_set_new(out, "name", json_string(ws_machine_name(answer->machine)));
    set_number(out, "time_s", t->time_seconds);
    set_number(out, "active_sms", t->cores);
    set_number(out, "n", t->n);
    set_number(out, "perf_flop_per_s", t->has_flops ? t->perf_flops : NAN);
    set_number(out, "peak_flop_per_s", t->has_flops ? t->peak_flops : NAN);
    set_number(out, "warps_per_s", t->warp_rate);
    set_number(out, "eff_ratio", t->eff_ratio);
    set_number(out, "eff_ratio_comp", t->eff_ratio_comp);
    set_number(out, "dep_effect", t->dep_effect);
    json_object_set_new(out, "inputs", inputs_json(t));
    json_object_set_new(out, "bounds", bounds_json(t));
    json_object_set_new(out, "memory", memory_json(t));
    json_object_set_new(out, "gains", gains_json(t));
    json_object_set_new(out, "sweep", sweep_json(answer));
    for (size_t i = 0; i < t->assumption_count; i++)
        json_array_append_new(assumptions, json_string(t->assumptions[i]));
    json_object_set_new(out, "assumptions", assumptions);
    return out;
}

static void write_json(FILE *out, const struct throughput_answer *answers, size_t count)
{
    json_t *all = json_object(), *machines = json_array();
    json_object_set_new(all, "schema", json_string("warpsage.throughput/1"));
    json_object_set_new(all, "tool",
                        json_pack("{s:s,s:s}", "name", "warpsage", "version", ws_version()));
    json_object_set_new(all, "kernel",
                        answers[0].kernel ? json_string(answers[0].kernel) : json_null());
    for (size_t i = 0; i < count; i++)
        json_array_append_new(machines, machine_json(&answers[i]));
    json_object_set_new(all, "machines", machines);
    json_dumpf(all, out, JSON_INDENT(2));
    fputc('\n', out);
    json_decref(all);
}

int throughput_write(struct cli *cli, const struct throughput_request *request,
                     const struct throughput_answer *answers, size_t count)
{
    struct cli_text text;
    if (request->format == WS_FORMAT_CSV)
        return cli_error(cli, EXIT_USAGE, "--format: throughput writes text or json");
    CLI_TRY(cli_text_open(cli, &text));
    if (request->format == WS_FORMAT_JSON)
        write_json(text.out, answers, count);
    else
        throughput_write_text(text.out, cli, request, answers, count);
    return cli_text_close(cli, &text, request->output);
}
