// SPDX-License-Identifier: Apache-2.0
/* Power for programs: JSON (schemas/power.schema.json) and CSV. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "cli/commands/power_text.h"

/* ---- JSON ------------------------------------------------------------------------------------ */

static void set_number(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key, isfinite(value) ? json_real(value) : json_null());
}

static void set_text(json_t *object, const char *key, const char *text)
{
    json_object_set_new(object, key, text ? json_string(text) : json_null());
}

static json_t *units_json(const ws_power *power)
{
    json_t *list = json_array();
    for (size_t i = 0; i < power->unit_count; i++) {
        const ws_power_unit *unit = &power->units[i];
        json_t *one = json_object();
        set_text(one, "id", unit->id);
        set_number(one, "access_rate", unit->access_rate);
        set_number(one, "effective_rate", unit->effective_rate);
        set_number(one, "max_w", unit->max_watts);
        set_number(one, "w", unit->reason ? NAN : unit->watts);
        if (unit->reason) set_text(one, "reason", unit->reason);
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *power_json(const ws_power *power)
{
    json_t *out = json_object(), *assumptions = json_array();
    set_text(out, "model", "ipp-power");
    set_text(out, "time_model", power->time_is_measured ? "measured" : power->time_model);
    set_number(out, "time_s", power->time_seconds);
    set_number(out, "active_sms", power->active_sms);
    set_number(out, "gpu_w", power->gpu_watts);
    set_number(out, "runtime_w", power->runtime_watts);
    set_number(out, "idle_w", power->idle_watts);
    set_number(out, "const_sm_w", power->const_sm_watts);
    set_number(out, "activation_w", power->activation_watts);
    set_number(out, "gated_w", power->gated_watts);
    set_number(out, "energy_j", power->joules);
    set_number(out, "runtime_j", power->runtime_joules);
    set_number(out, "idle_j", power->idle_joules);
    json_object_set_new(out, "units", units_json(power));
    for (size_t i = 0; i < power->assumption_count; i++)
        json_array_append_new(assumptions, json_string(power->assumptions[i]));
    json_object_set_new(out, "assumptions", assumptions);
    return out;
}

static json_t *temperature_json(const struct power_answer *answer)
{
    const ws_power *power = &answer->power;
    json_t *out = json_object(), *curve = json_array();
    bool known = !power->no_temperature;
    set_number(out, "idle_degc", known ? power->idle_celsius : NAN);
    set_number(out, "rise_k", known ? power->rise_kelvin : NAN);
    set_number(out, "printed_rise_k", known ? power->printed_rise_kelvin : NAN);
    set_number(out, "static_w", known ? power->static_watts : NAN);
    set_number(out, "memory_intensity", power->intensity);
    if (!known) set_text(out, "reason", power->no_temperature);
    for (size_t i = 0; i < answer->curve_count; i++) {
        const ws_warming_point *point = &answer->curve[i];
        json_array_append_new(curve, json_pack("{s:f,s:f,s:f,s:f}", "time_s", point->seconds,
                                               "degc", point->celsius, "w", point->watts,
                                               "energy_j", point->joules));
    }
    json_object_set_new(out, "curve", curve);
    return out;
}

static json_t *point_json(const ws_core_point *point)
{
    json_t *out = json_object();
    json_object_set_new(out, "cores", json_integer(point->cores));
    set_number(out, "time_s", point->time_seconds);
    set_number(out, "bandwidth_bytes_per_s", point->bytes_per_second);
    set_number(out, "inst_per_s", point->inst_per_second);
    set_number(out, "runtime_w", point->runtime_watts);
    set_number(out, "gpu_w", point->gpu_watts);
    set_number(out, "gated_w", point->gated_watts);
    for (size_t m = 0; m < WS_POWER_METRICS; m++) {
        char key[64];
        double joules = power_joules(point, (ws_power_metric)m);
        snprintf(key, sizeof key, "inst_per_s_per_w_%s", power_metric_ids[m]);
        set_number(out, key, point->inst_per_second * point->time_seconds / joules);
        snprintf(key, sizeof key, "energy_j_%s", power_metric_ids[m]);
        set_number(out, key, joules);
    }
    json_object_set_new(out, "case",
                        point->case_number ? json_integer(point->case_number) : json_null());
    set_text(out, "bottleneck", point->bottleneck);
    return out;
}

static json_t *closed_json(const ws_core_summary *cores)
{
    json_t *out = json_object();
    bool known = !cores->no_closed_form;
    set_number(out, "cores", known ? cores->closed_cores : NAN);
    set_number(out, "exact", known ? cores->closed_exact : NAN);
    set_text(out, "reason", known ? cores->closed_reason : cores->no_closed_form);
    set_number(out, "mwp", known ? cores->mwp : NAN);
    set_number(out, "cwp", known ? cores->cwp : NAN);
    set_number(out, "n", known ? cores->n : NAN);
    set_number(out, "mwp_peak_bw", known ? cores->mwp_peak_bw : NAN);
    return out;
}

static json_t *clock_choice(const ws_clock_point *point, const ws_core_point *with, double saving)
{
    json_t *out = point_json(with);
    set_number(out, "clock_hz", point->clock_hz);
    set_number(out, "saving", saving);
    return out;
}

static json_t *clocks_json(struct cli *cli, const struct power_answer *answer)
{
    const ws_clock_summary *clock = &answer->clock;
    const ws_clock_point *best = &answer->clocks[clock->best];
    const ws_clock_point *best_all = &answer->clocks[clock->best_all];
    json_t *out = json_object(), *points = json_array();
    set_text(out, "time_model", clock->time_model);
    set_number(out, "now_hz", clock->now_hz);
    set_number(out, "divided_hz", clock->divided_hz);
    json_object_set_new(out, "every_pair", json_boolean(clock->every_pair));
    json_object_set_new(out, "best", clock_choice(best, &best->best, clock->saving));
    json_object_set_new(out, "best_all_sms",
                        clock_choice(best_all, &best_all->all, clock->saving_all));
    set_text(out, "advice", power_clock_advice(cli, answer));
    for (size_t i = 0; i < answer->clock_count; i++) {
        const ws_clock_point *point = &answer->clocks[i];
        json_t *one = json_object();
        set_number(one, "clock_hz", point->clock_hz);
        set_number(one, "volts", point->volts);
        json_object_set_new(one, "all_sms", point_json(&point->all));
        json_object_set_new(one, "best_sms", point_json(&point->best));
        json_array_append_new(points, one);
    }
    json_object_set_new(out, "points", points);
    return out;
}

static json_t *placement_json(const struct placement *placement)
{
    json_t *out = json_object(), *sms = json_array();
    bool is_known = !placement->reason;
    for (size_t i = 0; is_known && i < placement->count; i++)
        json_array_append_new(sms, json_integer(placement->sms[i]));
    json_object_set_new(out, "sms", sms);
    set_number(out, "peak_degc", is_known ? placement->choice.peak_celsius : NAN);
    set_number(out, "bound_degc", is_known ? placement->choice.bound_celsius : NAN);
    json_object_set_new(out, "exact", json_boolean(is_known && placement->choice.exact));
    set_text(out, "floorplan", placement->made_up ? "made up" : "machine file");
    if (!is_known) set_text(out, "reason", placement->reason);
    return out;
}

static json_t *cores_json(struct cli *cli, const struct power_answer *answer)
{
    const ws_core_summary *cores = &answer->cores;
    json_t *out = json_object(), *best = json_object(), *points = json_array();
    set_text(out, "time_model", cores->time_model);
    set_number(out, "time_factor", cores->time_factor);
    for (size_t m = 0; m < WS_POWER_METRICS; m++)
        json_object_set_new(
            best, power_metric_ids[m],
            json_pack("{s:i,s:f}", "cores", (int)cores->best[m], "saving", cores->saving[m]));
    json_object_set_new(out, "best", best);
    json_object_set_new(out, "closed_form", closed_json(cores));
    set_text(out, "advice", power_advice(cli, answer));
    set_text(out, "jumps", power_jumps(cli, answer));
    for (size_t i = 0; i < answer->point_count; i++)
        json_array_append_new(points, point_json(&answer->points[i]));
    json_object_set_new(out, "points", points);
    return out;
}

static void write_json(FILE *out, struct cli *cli, const struct power_answer *answers, size_t count)
{
    json_t *root = json_object(), *machines = json_array();
    set_text(root, "schema", "warpsage.power/1");
    json_object_set_new(root, "tool",
                        json_pack("{s:s,s:s}", "name", "warpsage", "version", ws_version()));
    set_text(root, "kernel", answers[0].kernel);
    for (size_t i = 0; i < count; i++) {
        json_t *one = json_object();
        set_text(one, "machine", ws_machine_id(answers[i].machine));
        json_object_set_new(one, "power", power_json(&answers[i].power));
        json_object_set_new(one, "temperature", temperature_json(&answers[i]));
        json_object_set_new(one, "cores", cores_json(cli, &answers[i]));
        json_object_set_new(one, "clocks", clocks_json(cli, &answers[i]));
        json_object_set_new(one, "placement", placement_json(&answers[i].placement));
        json_array_append_new(machines, one);
    }
    json_object_set_new(root, "machines", machines);
    char *text = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    fprintf(out, "%s\n", text ? text : "null");
    free(text);
    json_decref(root);
}

/* ---- CSV: one table, the one that was asked for ------------------------------------------------ */

static void csv_cores(FILE *out, const struct power_answer *answer)
{
    for (size_t i = 0; i < answer->point_count; i++) {
        const ws_core_point *point = &answer->points[i];
        fprintf(out, "%s,%u,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,", ws_machine_id(answer->machine),
                point->cores, point->time_seconds, point->bytes_per_second, point->inst_per_second,
                point->runtime_watts, point->gpu_watts, point->gated_watts);
        if (point->case_number) fprintf(out, "%u", point->case_number);
        fputc('\n', out);
    }
}

static void csv_curve(FILE *out, const struct power_answer *answer)
{
    for (size_t i = 0; i < answer->curve_count; i++)
        fprintf(out, "%s,%.9g,%.9g,%.9g,%.9g\n", ws_machine_id(answer->machine),
                answer->curve[i].seconds, answer->curve[i].celsius, answer->curve[i].watts,
                answer->curve[i].joules);
}

static void csv_units(FILE *out, const struct power_answer *answer)
{
    const ws_power *power = &answer->power;
    const char *id = ws_machine_id(answer->machine);
    for (size_t i = 0; i < power->unit_count; i++) {
        const ws_power_unit *unit = &power->units[i];
        fprintf(out, "%s,%s,%.9g,%.9g,%.9g,", id, unit->id, unit->access_rate, unit->effective_rate,
                unit->max_watts);
        if (!unit->reason) fprintf(out, "%.9g", unit->watts);
        fprintf(out, ",%s\n", unit->reason ? unit->reason : "");
    }
    fprintf(out, "%s,const_sm,,,,%.9g,\n%s,activation,,,,%.9g,\n%s,idle,,,,%.9g,\n", id,
            power->const_sm_watts, id, power->activation_watts, id, power->idle_watts);
    fprintf(out, "%s,total,,,,%.9g,\n", id, power->gpu_watts);
}

static void write_csv(FILE *out, const struct power_request *request,
                      const struct power_answer *answers, size_t count)
{
    void (*put)(FILE *, const struct power_answer *) = csv_units;
    const char *header = "machine,unit,access_rate,effective_rate,max_w,w,reason\n";
    if (request->wants_curve) {
        put = csv_curve;
        header = "machine,time_s,degc,w,energy_j\n";
    }
    if (request->wants_clocks) {
        put = power_csv_clocks;
        header = "machine,clock_hz,volts,time_s,gpu_w,inst_per_s_per_w,best_cores,best_time_s,"
                 "best_gpu_w,best_inst_per_s_per_w\n";
    }
    if (request->wants_cores) {
        put = csv_cores;
        header = "machine,cores,time_s,bandwidth_bytes_per_s,inst_per_s,runtime_w,gpu_w,gated_w,"
                 "case\n";
    }
    fputs(header, out);
    for (size_t i = 0; i < count; i++)
        put(out, &answers[i]);
}

int power_write(struct cli *cli, const struct power_request *request,
                const struct power_answer *answers, size_t count)
{
    struct cli_text text;
    CLI_TRY(cli_text_open(cli, &text));
    if (request->format == WS_FORMAT_JSON)
        write_json(text.out, cli, answers, count);
    else if (request->format == WS_FORMAT_CSV)
        write_csv(text.out, request, answers, count);
    else
        power_write_text(text.out, cli, request, answers, count);
    return cli_text_close(cli, &text, request->output);
}
