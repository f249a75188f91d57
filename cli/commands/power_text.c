// SPDX-License-Identifier: Apache-2.0
/* Power for people: the answer in three lines, units, temperature, a table of active SMs. */
#include "cli/commands/power_text.h"

#include <math.h>
#include <string.h>

const char *const power_metric_ids[WS_POWER_METRICS] = {"runtime", "total", "powergate"};
const char *const power_metric_texts[WS_POWER_METRICS] = {
    "runtime power", "total power, idle included", "SMs at rest gated"};

static double watts_of(const ws_core_point *point, ws_power_metric metric)
{
    if (metric == WS_POWER_RUNTIME) return point->runtime_watts;
    return metric == WS_POWER_TOTAL ? point->gpu_watts : point->gated_watts;
}

double power_joules(const ws_core_point *point, ws_power_metric metric)
{
    return watts_of(point, metric) * point->time_seconds;
}

static const ws_core_point *find_point(const struct power_answer *answer, unsigned cores)
{
    for (size_t i = 0; i < answer->point_count; i++)
        if (answer->points[i].cores == cores) return &answer->points[i];
    return &answer->cores.all;
}

/* ---- sentences ------------------------------------------------------------------------------- */

const char *power_advice(struct cli *cli, const struct power_answer *answer)
{
    const ws_core_summary *cores = &answer->cores;
    unsigned best = cores->best[WS_POWER_TOTAL], all = cores->all.cores;
    const ws_core_point *point = find_point(answer, best);
    double longer = point->time_seconds / cores->all.time_seconds - 1;
    unsigned busy = (unsigned)answer->power.active_sms; /* no other has a block */
    if (best >= busy && busy < all)
        return cli_format(
            cli,
            "the %u of %u SMs that have a block: with fewer the rest of the GPU idles for longer",
            busy, all);
    if (best == all)
        return cli_format(
            cli,
            "all %u SMs: no smaller number takes less energy; idle power of %.0f W is "
            "paid as long as the kernel runs",
            all, answer->power.idle_watts);
    return cli_format(cli, "%u of %u SMs: %.1f %% less energy, time %+.1f %%; limited there by %s",
                      best, all, 100 * cores->saving[WS_POWER_TOTAL], 100 * longer,
                      *point->bottleneck ? point->bottleneck : "what the model does not name");
}

static const char *add_jump(struct cli *cli, const char *text, const char *step,
                            const ws_core_point *before, const ws_core_point *after)
{
    if (!before->case_number || before->case_number == after->case_number) return text;
    return cli_format(cli, "%s%sfrom %s mwp-cwp passes from case %u to case %u: time %+.1f %%",
                      text, *text ? "; " : "", step, before->case_number, after->case_number,
                      100 * (after->time_seconds / before->time_seconds - 1));
}

const char *power_jumps(struct cli *cli, const struct power_answer *answer)
{
    const char *text = "";
    for (size_t i = 1; i < answer->point_count; i++) {
        const ws_core_point *before = &answer->points[i - 1], *after = &answer->points[i];
        const char *step = cli_format(cli, "%u to %u SMs", before->cores, after->cores);
        text = add_jump(cli, text, step, before, after);
    }
    for (size_t i = 1; i < answer->clock_count; i++) {
        const ws_clock_point *before = &answer->clocks[i - 1], *after = &answer->clocks[i];
        const char *step = cli_format(cli, "%.4g to %.4g GHz with all SMs", before->clock_hz / 1e9,
                                      after->clock_hz / 1e9);
        text = add_jump(cli, text, step, &before->all, &after->all);
    }
    return text;
}

static const char *closed_text(struct cli *cli, const ws_core_summary *cores)
{
    if (cores->no_closed_form) return cli_format(cli, "not known: %s", cores->no_closed_form);
    return cli_format(cli, "%s (%s; MWP %s, CWP %s, N %s, MWP_peak_BW %s): %s",
                      cli_count(cli, cores->closed_cores, "SM"),
                      cli_quantity(cli, cores->closed_exact, ""), cli_quantity(cli, cores->mwp, ""),
                      cli_quantity(cli, cores->cwp, ""), cli_quantity(cli, cores->n, ""),
                      cli_quantity(cli, cores->mwp_peak_bw, ""), cores->closed_reason);
}

/* ---- sections -------------------------------------------------------------------------------- */

static void put_head(FILE *out, struct cli *cli, const struct power_answer *answer)
{
    const ws_power *power = &answer->power;
    fprintf(out, "%s\n", answer->kernel);
    fprintf(out, "machine   %s  %s  %.0f of %u SMs at work\n", ws_machine_id(answer->machine),
            ws_machine_name(answer->machine), power->active_sms, answer->cores.all.cores);
    fprintf(out, "TIME      %s  %s\n", cli_quantity(cli, power->time_seconds, "s"),
            power->time_is_measured ? "measured" : cli_format(cli, "by %s", power->time_model));
    fprintf(out, "POWER     %s = %s runtime + %s idle\n", cli_quantity(cli, power->gpu_watts, "W"),
            cli_quantity(cli, power->runtime_watts, "W"),
            cli_quantity(cli, power->idle_watts, "W"));
    fprintf(out, "ENERGY    %s  (%s runtime, %s idle)\n", cli_quantity(cli, power->joules, "J"),
            cli_quantity(cli, power->runtime_joules, "J"),
            cli_quantity(cli, power->idle_joules, "J"));
    if (power->no_temperature)
        fprintf(out, "WARMTH    not known: %s\n", power->no_temperature);
    else
        fprintf(out,
                "WARMTH    %.1f degC in the long run, %.1f K above rest; then %s more (static)\n",
                power->idle_celsius + power->rise_kelvin, power->rise_kelvin,
                cli_quantity(cli, power->static_watts, "W"));
    cli_wrap(out, "CORES     ", power_advice(cli, answer));
    cli_wrap(out, "CLOCK     ", power_clock_advice(cli, answer));
    cli_wrap(out, "PLACE     ", placement_text(cli, &answer->placement));
}

static void put_part(FILE *out, const char *name, double watts, double all)
{
    fprintf(out, "  %-30s %10s %10s %10s %9.3f W %6.1f %%\n", name, "-", "-", "-", watts,
            100 * watts / all);
}

static void put_units(FILE *out, const ws_power *power)
{
    fprintf(out, "\n%-32s %10s %10s %10s %11s %8s\n", "Power by unit", "rate", "counts as",
            "MaxPower W", "watts", "share");
    for (size_t i = 0; i < power->unit_count; i++) {
        const ws_power_unit *unit = &power->units[i];
        if (unit->reason || !(unit->max_watts > 0)) {
            if (unit->reason && strcmp(unit->reason, "this GPU has none") != 0)
                fprintf(out, "  %-30s %s\n", unit->text, unit->reason);
            continue;
        }
        fprintf(out, "  %-30s %10.4f %10.4f %10.3g %9.3f W %6.1f %%\n", unit->text,
                unit->access_rate, unit->effective_rate, unit->max_watts, unit->watts,
                100 * unit->watts / power->gpu_watts);
    }
    if (power->const_sm_watts > 0)
        put_part(out, "constant part of the SMs", power->const_sm_watts, power->gpu_watts);
    if (power->activation_watts > 0)
        put_part(out, "activation", power->activation_watts, power->gpu_watts);
    put_part(out, "idle", power->idle_watts, power->gpu_watts);
}

static void put_best(FILE *out, const struct power_answer *answer)
{
    const ws_core_summary *cores = &answer->cores;
    fputs("\nBest performance per watt          SMs   energy saved against all   time\n", out);
    for (size_t m = 0; m < WS_POWER_METRICS; m++) {
        const ws_core_point *point = find_point(answer, cores->best[m]);
        fprintf(out, "  %-30s %5u %21.2f %% %+9.1f %%\n", power_metric_texts[m], cores->best[m],
                100 * cores->saving[m], 100 * (point->time_seconds / cores->all.time_seconds - 1));
    }
}

static void put_cores(FILE *out, struct cli *cli, const struct power_answer *answer)
{
    const ws_core_summary *cores = &answer->cores;
    fprintf(out, "\n%5s %10s %10s %8s %9s %9s %9s %9s %5s\n", "SMs", "time", "memory", "GIPS",
            "runtime W", "total W", "gated W", "GIPS/W", "case");
    for (size_t i = 0; i < answer->point_count; i++) {
        const ws_core_point *point = &answer->points[i];
        bool is_best = point->cores == cores->best[WS_POWER_TOTAL];
        double gips = point->inst_per_second / 1e9;
        fprintf(out, "%c%4u %10s %10s %8.4g %9.2f %9.2f %9.2f %9.4f", is_best ? '>' : ' ',
                point->cores, cli_quantity(cli, point->time_seconds, "s"),
                cli_quantity(cli, point->bytes_per_second, "B/s"), gips, point->runtime_watts,
                point->gpu_watts, point->gated_watts, gips / point->gpu_watts);
        if (point->case_number)
            fprintf(out, " %5u\n", point->case_number);
        else
            fputs("     -\n", out);
    }
}

static void put_curve(FILE *out, const struct power_answer *answer)
{
    enum { ROWS = 31 };
    size_t count = answer->curve_count, step = (count + ROWS - 1) / ROWS;
    fprintf(out, "\n%12s %10s %10s %14s\n", "seconds", "degC", "watts", "joules");
    for (size_t i = 0; i < count; i += step) {
        if (i && i + step >= count) i = count - 1;
        const ws_warming_point *point = &answer->curve[i];
        fprintf(out, "%12.4g %10.2f %10.2f %14.6g\n", point->seconds, point->celsius, point->watts,
                point->joules);
    }
}

static void put_notes(FILE *out, struct cli *cli, const struct power_answer *answer)
{
    const char *jumps = power_jumps(cli, answer);
    cli_wrap(out, "Closed form (63): ", closed_text(cli, &answer->cores));
    if (*jumps) cli_wrap(out, "Jump:   ", jumps);
    for (size_t i = 0; i < answer->power.assumption_count; i++)
        cli_wrap(out, i ? "        " : "Notes   ", answer->power.assumptions[i]);
    if (answer->power.time_is_measured)
        cli_wrap(out, "        ",
                 cli_format(cli,
                            "other numbers of SMs: times of %s, times %.4g, which makes that "
                            "of all SMs the measured one",
                            answer->cores.time_model, answer->cores.time_factor));
}

void power_write_text(FILE *out, struct cli *cli, const struct power_request *request,
                      const struct power_answer *answers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i) fputc('\n', out);
        put_head(out, cli, &answers[i]);
        put_units(out, &answers[i].power);
        if (answers[i].curve) put_curve(out, &answers[i]);
        put_best(out, &answers[i]);
        if (request->wants_cores) put_cores(out, cli, &answers[i]);
        if (request->wants_clocks) power_put_clocks(out, cli, &answers[i]);
        fputc('\n', out);
        put_notes(out, cli, &answers[i]);
    }
}
