// SPDX-License-Identifier: Apache-2.0
/* The heat map for people. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/thermal_report.h"
#include "cli/options/placement.h"

static const char LEVELS[] = " .:-=+*#%@";
enum { LEVEL_COUNT = sizeof LEVELS - 1, TEXT_WIDTH = 96, BLOCKS_SHOWN = 12, POINTS_SHOWN = 11 };

static const char *block_at(const struct thermal_answer *answer, double x, double y)
{
    for (size_t i = 0; i < answer->plan.block_count; i++) {
        const ws_thermal_block *b = &answer->blocks[i];
        if (x >= b->x_metres && x <= b->x_metres + b->width_metres && y >= b->y_metres &&
            y <= b->y_metres + b->height_metres)
            return b->name;
    }
    return "?";
}

static void put_head(FILE *out, struct cli *cli, const struct thermal_answer *answer)
{
    const ws_thermal_plan *plan = &answer->plan;
    fprintf(out, "GPU         %s (%s), %s in %s, die %.1f x %.1f mm, floorplan: %s\n",
            ws_machine_id(answer->machine), ws_machine_name(answer->machine),
            cli_count(cli, plan->sm_count, "SM"), cli_count(cli, plan->tpc_count, "TPC"),
            1e3 * plan->width_metres, 1e3 * plan->height_metres, plan->source);
    cli_wrap(out, "At work     ",
             cli_format(cli, "%s in %s: %s",
                        cli_count(cli, (double)answer->load.active_count, "SM"),
                        cli_count(cli, answer->state.active_tpcs, "TPC"),
                        placement_list(cli, answer->load.active_sms, answer->load.active_count)));
}

static void put_kernel(FILE *out, struct cli *cli, const struct thermal_request *request,
                       const struct thermal_answer *answer)
{
    const ws_core_point *point = &answer->point;
    if (!answer->kernel) return;
    if (answer->watts_are_given) {
        cli_wrap(out, "KERNEL      ",
                 cli_format(cli,
                            "%s on %.0f SMs: %s by %s, over and over again; the watts of an SM "
                            "are not the kernel's: %s",
                            answer->kernel, point->active_sms,
                            cli_quantity(cli, point->time_seconds, "s"), answer->time_model,
                            request->watts_per_sm >= 0 ? "given" : "power.active_sm"));
        return;
    }
    cli_wrap(
        out, "KERNEL      ",
        cli_format(cli,
                   "%s on %.0f SMs: %s by %s, over and over again; %.2f W runtime by ipp-power = "
                   "%.2f of the SMs + %.2f all over the die + %.2f of L2 and DRAM, not on it",
                   answer->kernel, point->active_sms, cli_quantity(cli, point->time_seconds, "s"),
                   answer->time_model, point->runtime_watts, point->sms_watts,
                   placement_activation(point), point->memory_watts));
}

/* Beyond 2^53 the number is a product of doubles: a power of ten says enough. */
static const char *count_sets(struct cli *cli, double sets)
{
    return sets < 0x1p53 ? cli_count(cli, sets, "set") : cli_format(cli, "%.3g sets", sets);
}

static void put_choice(FILE *out, struct cli *cli, const struct thermal_answer *answer)
{
    const ws_thermal_choice *choice = &answer->choice;
    if (!choice->size) return;
    fprintf(out, "Chosen      of %s: ", count_sets(cli, choice->sets));
    if (choice->exact)
        fputs("no other has less power, nor as little and a lower peak\n", out);
    else
        fprintf(out,
                "proven: none has less power; of those with as little\n%12snone has a peak "
                "below %.2f degC (this one %.2f)\n",
                "", choice->bound_celsius, choice->peak_celsius);
    if (choice->distance_metres > 0)
        fprintf(out, "            the two nearest TPCs at work are %.1f mm apart\n",
                1e3 * choice->distance_metres);
}

static void put_result(FILE *out, struct cli *cli, const struct thermal_answer *answer)
{
    const ws_thermal_state *state = &answer->state;
    const ws_thermal_load *load = &answer->load;
    double extra = state->dynamic_watts - load->watts_per_sm * (double)load->active_count -
                   load->watts_per_tpc * state->active_tpcs;
    fprintf(out, "HEAT        %.2f W = %.2f at rest + %s x %s + %s x %s", state->sink_watts,
            state->idle_watts, cli_count(cli, (double)load->active_count, "SM"),
            cli_quantity(cli, load->watts_per_sm, "W"), cli_count(cli, state->active_tpcs, "TPC"),
            cli_quantity(cli, load->watts_per_tpc, "W"));
    if (load->block_watts) fprintf(out, " + %s of blocks", cli_quantity(cli, extra, "W"));
    if (state->static_watts != 0) fprintf(out, " + %.2f static", state->static_watts);
    fprintf(out, "\nPEAK        %.2f degC at [%.1f, %.1f] mm, %s\n", state->peak_celsius,
            1e3 * state->peak_x_metres, 1e3 * state->peak_y_metres,
            block_at(answer, state->peak_x_metres, state->peak_y_metres));
    fprintf(out, "DIE         %.2f degC in the mean, %.2f where it is coolest; at rest %.2f\n",
            state->mean_celsius, state->least_celsius, state->rest_celsius);
    fprintf(out, "BELOW       spreader %.2f, heat sink %.2f, air %.2f degC\n",
            state->spreader_celsius, state->sink_celsius, state->ambient_celsius);
}

/* ---- map ------------------------------------------------------------------------------------- */

/* Two rows of cells make a line: characters are about twice as high as wide. */
static void put_map(FILE *out, const struct thermal_answer *answer)
{
    unsigned n = answer->plan.cells, lines = n / 2;
    double least = answer->state.least_celsius, most = answer->state.peak_celsius;
    double range = most > least ? most - least : 1;
    char line[130];
    fputc('\n', out);
    for (unsigned i = 0; i < lines; i++) {
        for (unsigned x = 0; x < n; x++) {
            double celsius = (answer->cells[(size_t)2 * i * n + x] +
                              answer->cells[((size_t)2 * i + 1) * n + x]) /
                             2;
            int level = (int)((celsius - least) / range * LEVEL_COUNT);
            line[x] = LEVELS[level < 0 ? 0 : level >= LEVEL_COUNT ? LEVEL_COUNT - 1 : level];
        }
        line[n] = '\0';
        for (size_t b = 0; b < answer->plan.block_count; b++) {
            const ws_thermal_block *block = &answer->blocks[b];
            char name[16];
            unsigned row = (unsigned)((block->y_metres + block->height_metres / 2) /
                                      answer->plan.height_metres * lines);
            if (row != i || !answer->is_active[b] || strcmp(block->kind, "sm") != 0) continue;
            int length = snprintf(name, sizeof name, "%u", block->sm);
            int at =
                (int)((block->x_metres + block->width_metres / 2) / answer->plan.width_metres * n) -
                length / 2;
            if (at >= 0 && at + length <= (int)n) memcpy(line + at, name, (size_t)length);
        }
        fprintf(out, "            |%s|\n", line);
    }
    fprintf(out, "            '%s' from %.2f to %.2f degC, %.3g K a step; numbers: SMs at work\n",
            LEVELS, least, most, range / LEVEL_COUNT);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* The hottest block after `last`; of equally hot ones the first. */
static size_t next_block(const struct thermal_answer *answer, size_t last)
{
    size_t count = answer->plan.block_count, best = count;
    for (size_t i = 0; i < count; i++) {
        double peak = answer->heat[i].peak_celsius;
        if (last < count) {
            double before = answer->heat[last].peak_celsius;
            if (peak > before || (peak == before && i <= last)) continue;
        }
        if (best == count || peak > answer->heat[best].peak_celsius) best = i;
    }
    return best;
}

static void put_blocks(FILE *out, const struct thermal_answer *answer)
{
    size_t count = answer->plan.block_count, i = count;
    fprintf(out, "\n%-20s %-18s %9s %9s %9s\n", "Block", "", "W", "mean degC", "peak degC");
    for (size_t k = 0; k < count && k < BLOCKS_SHOWN; k++) {
        i = next_block(answer, i);
        fprintf(out, "%c %-18s %-18s %9.3f %9.2f %9.2f\n", answer->is_active[i] ? '*' : ' ',
                answer->blocks[i].name, answer->blocks[i].kind, answer->heat[i].watts,
                answer->heat[i].mean_celsius, answer->heat[i].peak_celsius);
    }
    if (count > BLOCKS_SHOWN)
        fprintf(out, "* at work; and %zu blocks that are cooler: --format csv\n",
                count - BLOCKS_SHOWN);
    else
        fputs("* at work\n", out);
}

static void put_curve(FILE *out, const struct thermal_request *request,
                      const struct thermal_answer *answer)
{
    size_t count = answer->point_count;
    if (!count) return;
    fprintf(out, "\nFrom %s on\n%12s %9s %9s %9s %9s %12s\n",
            request->cold ? "as cold as the air" : "rest", "s", "peak degC", "mean degC",
            "sink degC", "W", "J");
    size_t shown = count < POINTS_SHOWN ? count : POINTS_SHOWN;
    for (size_t k = 0; k < shown; k++) {
        const ws_thermal_point *p = &answer->points[shown > 1 ? k * (count - 1) / (shown - 1) : 0];
        fprintf(out, "%12.6g %9.2f %9.2f %9.2f %9.3f %12.6g\n", p->seconds, p->peak_celsius,
                p->mean_celsius, p->sink_celsius, p->watts, p->joules);
    }
    if (count > shown)
        fprintf(out, "%zu of %zu points; all: --format csv --table curve\n", shown, count);
}

static void put_notes(FILE *out, const struct thermal_answer *answer)
{
    const char *text;
    int column = 12;
    fputs("\nAssumed     ", out);
    for (size_t i = 0; (text = ws_thermal_assumption(answer->thermal, i)) != NULL; i++) {
        char *copy = strdup(text), *rest = copy;
        for (char *word; copy && (word = strsep(&rest, " ")) != NULL;) {
            int length = (int)strlen(word) + !rest;
            if (column + length + 1 > TEXT_WIDTH) {
                fputs("\n            ", out);
                column = 12;
            }
            column += fprintf(out, "%s%s", column > 12 ? " " : "", word);
            if (!rest) column += fprintf(out, ";");
        }
        free(copy);
    }
    fputs("\n", out);
}

void thermal_write_text(FILE *out, struct cli *cli, const struct thermal_request *request,
                        const struct thermal_answer *answer, bool quiet)
{
    put_head(out, cli, answer);
    put_kernel(out, cli, request, answer);
    put_choice(out, cli, answer);
    put_result(out, cli, answer);
    if (quiet) return;
    put_map(out, answer);
    put_blocks(out, answer);
    put_curve(out, request, answer);
    if (ws_thermal_assumption(answer->thermal, 0)) put_notes(out, answer);
}
