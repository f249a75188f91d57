// SPDX-License-Identifier: Apache-2.0
/* The thermal answer for programs: JSON (schemas/thermal.schema.json) and CSV. */
#include <math.h>
#include <string.h>

#include "cli/commands/thermal_report.h"

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_load(FILE *out, const struct thermal_answer *answer)
{
    const ws_thermal_load *load = &answer->load;
    fputs("{\"active_sms\": [", out);
    for (size_t i = 0; i < load->active_count; i++)
        fprintf(out, "%s%u", i ? ", " : "", load->active_sms[i]);
    fprintf(out,
            "], \"watts_per_sm\": %.17g, \"watts_per_tpc\": %.17g, \"idle_watts\": %.17g, "
            "\"block_watts\": {",
            load->watts_per_sm, load->watts_per_tpc, load->idle_watts);
    const char *comma = "";
    for (size_t i = 0; load->block_watts && i < answer->plan.block_count; i++) {
        if (load->block_watts[i] == 0) continue;
        fputs(comma, out);
        cli_put_json(out, answer->blocks[i].name);
        fprintf(out, ": %.17g", load->block_watts[i]);
        comma = ", ";
    }
    fputs("}}", out);
}

static void put_kernel(FILE *out, const struct thermal_answer *answer)
{
    const ws_core_point *point = &answer->point;
    if (!answer->kernel) {
        fputs("null", out);
        return;
    }
    fputs("{\"name\": ", out);
    cli_put_json(out, answer->kernel);
    fprintf(out,
            ", \"time_model\": \"%s\", \"time_seconds\": %.17g, \"active_sms\": %.17g, "
            "\"runtime_watts\": ",
            answer->time_model, point->time_seconds, point->active_sms);
    if (answer->watts_are_given)
        fputs("null, \"sms_watts\": null, \"memory_watts\": null}", out);
    else
        fprintf(out, "%.17g, \"sms_watts\": %.17g, \"memory_watts\": %.17g}", point->runtime_watts,
                point->sms_watts, point->memory_watts);
}

static void put_state(FILE *out, const ws_thermal_state *state)
{
    fprintf(out,
            "{\"active_tpcs\": %u, \"idle_watts\": %.17g, \"dynamic_watts\": %.17g, "
            "\"static_watts\": %.17g, \"sink_watts\": %.17g,\n    \"peak_celsius\": %.17g, "
            "\"peak_x_metres\": %.17g, \"peak_y_metres\": %.17g, \"mean_celsius\": %.17g, "
            "\"least_celsius\": %.17g,\n    \"rest_celsius\": %.17g, \"spreader_celsius\": "
            "%.17g, \"sink_celsius\": %.17g, \"ambient_celsius\": %.17g}",
            state->active_tpcs, state->idle_watts, state->dynamic_watts, state->static_watts,
            state->sink_watts, state->peak_celsius, state->peak_x_metres, state->peak_y_metres,
            state->mean_celsius, state->least_celsius, state->rest_celsius, state->spreader_celsius,
            state->sink_celsius, state->ambient_celsius);
}

static void put_blocks(FILE *out, const struct thermal_answer *answer)
{
    fputs("[", out);
    for (size_t i = 0; i < answer->plan.block_count; i++) {
        const ws_thermal_block *block = &answer->blocks[i];
        bool is_sm = !strcmp(block->kind, "sm"), has_tpc = is_sm || !strcmp(block->kind, "tpc");
        fprintf(out, "%s\n    {\"name\": ", i ? "," : "");
        cli_put_json(out, block->name);
        fprintf(out, ", \"kind\": \"%s\", \"sm\": ", block->kind);
        if (is_sm)
            fprintf(out, "%u, \"tpc\": ", block->sm);
        else
            fputs("null, \"tpc\": ", out);
        if (has_tpc)
            fprintf(out, "%u", block->tpc);
        else
            fputs("null", out);
        fprintf(out,
                ", \"is_active\": %s, \"x_metres\": %.17g, \"y_metres\": %.17g, "
                "\"width_metres\": %.17g, \"height_metres\": %.17g, \"watts\": %.17g, "
                "\"mean_celsius\": %.17g, \"peak_celsius\": %.17g}",
                answer->is_active[i] ? "true" : "false", block->x_metres, block->y_metres,
                block->width_metres, block->height_metres, answer->heat[i].watts,
                answer->heat[i].mean_celsius, answer->heat[i].peak_celsius);
    }
    fputs("]", out);
}

static void put_cells(FILE *out, const struct thermal_answer *answer)
{
    unsigned n = answer->plan.cells;
    fputs("[", out);
    for (unsigned y = 0; y < n; y++) {
        fprintf(out, "%s\n    [", y ? "," : "");
        for (unsigned x = 0; x < n; x++)
            fprintf(out, "%s%.10g", x ? ", " : "", answer->cells[(size_t)y * n + x]);
        fputs("]", out);
    }
    fputs("]", out);
}

static void put_choice(FILE *out, const ws_thermal_choice *choice)
{
    if (!choice->size) {
        fputs("null", out);
        return;
    }
    fprintf(out,
            "{\"exact\": %s, \"sets\": %.17g, \"active_tpcs\": %u, \"dynamic_watts\": %.17g, "
            "\"peak_celsius\": %.17g, \"bound_celsius\": %.17g, \"distance_metres\": %.17g}",
            choice->exact ? "true" : "false", choice->sets, choice->active_tpcs,
            choice->dynamic_watts, choice->peak_celsius, choice->bound_celsius,
            choice->distance_metres);
}

static void put_curve(FILE *out, const struct thermal_request *request,
                      const struct thermal_answer *answer)
{
    if (!answer->point_count) {
        fputs("null", out);
        return;
    }
    fprintf(out, "{\"start\": \"%s\", \"points\": [", request->cold ? "cold" : "rest");
    for (size_t i = 0; i < answer->point_count; i++) {
        const ws_thermal_point *p = &answer->points[i];
        fprintf(out,
                "%s\n    {\"time_seconds\": %.17g, \"peak_celsius\": %.17g, \"mean_celsius\": "
                "%.17g, \"sink_celsius\": %.17g, \"power_watts\": %.17g, \"energy_joules\": "
                "%.17g}",
                i ? "," : "", p->seconds, p->peak_celsius, p->mean_celsius, p->sink_celsius,
                p->watts, p->joules);
    }
    fputs("]}", out);
}

static void write_json(FILE *out, const struct thermal_request *request,
                       const struct thermal_answer *answer)
{
    const ws_thermal_plan *plan = &answer->plan;
    const char *text;
    fprintf(out,
            "{\n  \"schema\": \"warpsage.thermal/1\",\n  \"tool\": {\"name\": \"warpsage\", "
            "\"version\": \"%s\"},\n  \"machine\": ",
            ws_version());
    cli_put_json(out, ws_machine_id(answer->machine));
    fputs(", \"name\": ", out);
    cli_put_json(out, ws_machine_name(answer->machine));
    fprintf(out,
            ",\n  \"floorplan\": {\"width_metres\": %.17g, \"height_metres\": %.17g, "
            "\"sm_count\": %u, \"tpc_count\": %u, \"cells\": %u, \"source\": ",
            plan->width_metres, plan->height_metres, plan->sm_count, plan->tpc_count, plan->cells);
    cli_put_json(out, plan->source);
    fputs("},\n  \"kernel\": ", out);
    put_kernel(out, answer);
    fputs(",\n  \"load\": ", out);
    put_load(out, answer);
    fputs(",\n  \"state\": ", out);
    put_state(out, &answer->state);
    fputs(",\n  \"choice\": ", out);
    put_choice(out, &answer->choice);
    fputs(",\n  \"transient\": ", out);
    put_curve(out, request, answer);
    fputs(",\n  \"blocks\": ", out);
    put_blocks(out, answer);
    fputs(",\n  \"cells_celsius\": ", out);
    put_cells(out, answer);
    fputs(",\n  \"assumptions\": [", out);
    for (size_t i = 0; (text = ws_thermal_assumption(answer->thermal, i)) != NULL; i++) {
        fputs(i ? ",\n    " : "\n    ", out);
        cli_put_json(out, text);
    }
    fputs("]\n}\n", out);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static void write_csv_blocks(FILE *out, const struct thermal_answer *answer)
{
    fputs("block,kind,active,x_metres,y_metres,width_metres,height_metres,watts,mean_celsius,"
          "peak_celsius\n",
          out);
    for (size_t i = 0; i < answer->plan.block_count; i++) {
        const ws_thermal_block *b = &answer->blocks[i];
        fprintf(out, "%s,%s,%d,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", b->name, b->kind,
                answer->is_active[i], b->x_metres, b->y_metres, b->width_metres, b->height_metres,
                answer->heat[i].watts, answer->heat[i].mean_celsius, answer->heat[i].peak_celsius);
    }
}

static void write_csv_cells(FILE *out, const struct thermal_answer *answer)
{
    unsigned n = answer->plan.cells;
    fputs("x_metres,y_metres,celsius\n", out);
    for (unsigned y = 0; y < n; y++)
        for (unsigned x = 0; x < n; x++)
            fprintf(out, "%.9g,%.9g,%.9g\n", (x + 0.5) * answer->plan.width_metres / n,
                    (y + 0.5) * answer->plan.height_metres / n, answer->cells[(size_t)y * n + x]);
}

static void write_csv_curve(FILE *out, const struct thermal_answer *answer)
{
    fputs("time_seconds,peak_celsius,mean_celsius,sink_celsius,power_watts,energy_joules\n", out);
    for (size_t i = 0; i < answer->point_count; i++) {
        const ws_thermal_point *p = &answer->points[i];
        fprintf(out, "%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", p->seconds, p->peak_celsius,
                p->mean_celsius, p->sink_celsius, p->watts, p->joules);
    }
}

static void write_csv(FILE *out, const struct thermal_request *request,
                      const struct thermal_answer *answer)
{
    enum thermal_table table = request->table;
    if (table == TABLE_DEFAULT) table = answer->point_count ? TABLE_CURVE : TABLE_BLOCKS;
    if (table == TABLE_CURVE)
        write_csv_curve(out, answer);
    else if (table == TABLE_CELLS)
        write_csv_cells(out, answer);
    else
        write_csv_blocks(out, answer);
}

/* ---- all ------------------------------------------------------------------------------------- */

int thermal_write(struct cli *cli, const struct thermal_request *request,
                  const struct thermal_answer *answer)
{
    struct cli_text whole;
    CLI_TRY(cli_text_open(cli, &whole));
    if (request->format == WS_FORMAT_JSON)
        write_json(whole.out, request, answer);
    else if (request->format == WS_FORMAT_CSV)
        write_csv(whole.out, request, answer);
    else
        thermal_write_text(whole.out, cli, request, answer, cli->quiet);
    CLI_TRY(cli_text_close(cli, &whole, request->output));
    return request->svg ? thermal_write_svg(cli, request->svg, answer) : EXIT_DONE;
}
