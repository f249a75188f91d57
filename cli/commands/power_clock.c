// SPDX-License-Identifier: Apache-2.0
/* The clock of the SMs with the best performance per watt, in words and tables. */
#include <math.h>
#include <string.h>

#include "cli/commands/power.h"
#include "cli/options/options.h"

/* ---- option ---------------------------------------------------------------------------------- */

static int read_gigahertz(struct cli *cli, const char *text, double *out_hz)
{
    double value;
    if (!parse_number(text, &value) || !(value > 0) || !isfinite(value))
        return cli_error(cli, EXIT_USAGE, "--clock-ghz: '%s' is no clock in GHz", text);
    *out_hz = value * 1e9;
    return EXIT_DONE;
}

/* "all", "1.1", "0.8..1.3", "0.8..1.3:0.05": without a step ten of them. */
int power_read_clocks(struct cli *cli, const char *text, ws_clock_range *out)
{
    *out = (ws_clock_range){.size = sizeof *out};
    if (!strcmp(text, "all")) return EXIT_DONE;
    char *copy = cli_copy(cli, text), *step = strchr(copy, ':'), *dots = strstr(copy, "..");
    if (step) *step++ = '\0';
    if (dots) *dots = '\0';
    CLI_TRY(read_gigahertz(cli, copy, &out->least_hz));
    out->most_hz = out->least_hz;
    if (dots) CLI_TRY(read_gigahertz(cli, dots + 2, &out->most_hz));
    out->step_hz = (out->most_hz - out->least_hz) / 10;
    if (!(out->step_hz > 0)) out->step_hz = out->most_hz; /* one clock, or no range */
    return step ? read_gigahertz(cli, step, &out->step_hz) : EXIT_DONE;
}

/* ---- answer ---------------------------------------------------------------------------------- */

int power_find_clocks(struct cli *cli, const ws_profile *profile, const ws_predict_options *given,
                      const ws_clock_range *range, struct power_answer *answer)
{
    enum { MOST = 1001 };
    ws_clock_point *points = cli_alloc(cli, MOST * sizeof *points);
    answer->clock.size = sizeof answer->clock;
    ws_status status = ws_power_clocks(cli->context, profile, answer->machine, given, range, points,
                                       MOST, &answer->clock_count, &answer->clock);
    if (status != WS_OK) return cli_failed(cli, status);
    answer->clocks = points;
    for (size_t i = 0; i < answer->clock_count; i++) { /* texts must outlive the next GPU */
        points[i].all.bottleneck = cli_copy(cli, points[i].all.bottleneck);
        points[i].best.bottleneck = cli_copy(cli, points[i].best.bottleneck);
    }
    return placement_find(cli, answer->machine, &points[answer->clock.best].best,
                          &answer->placement);
}

static const char *gigahertz(struct cli *cli, double hz)
{
    return cli_format(cli, "%.4g GHz", hz / 1e9);
}

/* What a lower clock trades: watts of the SMs against a longer time, in which idle power is paid. */
static const char *clock_reason(struct cli *cli, const struct power_answer *answer)
{
    const ws_clock_summary *clock = &answer->clock;
    const ws_core_point *best = &answer->clocks[clock->best].best, *now = &clock->now;
    if (answer->clocks[clock->best].clock_hz >= clock->now_hz)
        return cli_format(
            cli,
            "a lower clock takes longer, and idle power of %.0f W is paid as long as it "
            "runs",
            answer->power.idle_watts);
    return cli_format(cli, "the SMs draw %.1f W less, and the time is bound by %s",
                      now->sms_watts - best->sms_watts,
                      *best->bottleneck ? best->bottleneck : "what the model does not name");
}

const char *power_clock_advice(struct cli *cli, const struct power_answer *answer)
{
    const ws_clock_summary *clock = &answer->clock;
    const ws_clock_point *point = &answer->clocks[clock->best];
    const char *others = "", *volts = "";
    if (isnan(point->volts)) volts = "; the voltage is not known, so it is the same at all clocks";
    if (isfinite(clock->divided_hz) && clock->divided_hz < clock->now_hz * (1 - 1e-9))
        others = cli_format(cli, "; (93) says %s", gigahertz(cli, clock->divided_hz));
    if (point->clock_hz == clock->now_hz && point->best.cores == clock->now.cores)
        return cli_format(cli, "%s with %s SMs, as it is: %s%s%s", gigahertz(cli, point->clock_hz),
                          answer->power.active_sms < clock->now.cores
                              ? cli_format(cli, "the %.0f busy", answer->power.active_sms)
                              : cli_format(cli, "all %u", clock->now.cores),
                          clock_reason(cli, answer), others, volts);
    return cli_format(
        cli, "%s with %u of %u SMs: %.1f %% less energy than all at %s, time %+.1f %%: %s%s%s",
        gigahertz(cli, point->clock_hz), point->best.cores, clock->now.cores, 100 * clock->saving,
        gigahertz(cli, clock->now_hz),
        100 * (point->best.time_seconds / clock->now.time_seconds - 1), clock_reason(cli, answer),
        others, volts);
}

static double efficiency(const ws_core_point *point)
{
    return point->inst_per_second / point->gpu_watts;
}

void power_put_clocks(FILE *out, struct cli *cli, const struct power_answer *answer)
{
    fprintf(out, "\n%8s %7s %10s %9s %9s   %8s %10s %9s %9s\n", "clock", "volts", "all: time",
            "total W", "GIPS/W", "best SMs", "time", "total W", "GIPS/W");
    for (size_t i = 0; i < answer->clock_count; i++) {
        const ws_clock_point *point = &answer->clocks[i];
        const char *volts = isnan(point->volts) ? "-" : cli_format(cli, "%.3f", point->volts);
        fprintf(out, "%c%7.4g %7s %10s %9.2f %9.4f", i == answer->clock.best ? '>' : ' ',
                point->clock_hz / 1e9, volts, cli_quantity(cli, point->all.time_seconds, "s"),
                point->all.gpu_watts, efficiency(&point->all) / 1e9);
        fprintf(out, "   %8u %10s %9.2f %9.4f\n", point->best.cores,
                cli_quantity(cli, point->best.time_seconds, "s"), point->best.gpu_watts,
                efficiency(&point->best) / 1e9);
    }
    if (!answer->clock.every_pair)
        fprintf(out, "  clocks are tried with all SMs and the best number at %s only: %s is slow\n",
                gigahertz(cli, answer->clock.now_hz), answer->clock.time_model);
}

void power_csv_clocks(FILE *out, const struct power_answer *answer)
{
    for (size_t i = 0; i < answer->clock_count; i++) {
        const ws_clock_point *point = &answer->clocks[i];
        fprintf(out, "%s,%.9g,", ws_machine_id(answer->machine), point->clock_hz);
        if (!isnan(point->volts)) fprintf(out, "%.9g", point->volts);
        fprintf(out, ",%.9g,%.9g,%.9g,%u,%.9g,%.9g,%.9g\n", point->all.time_seconds,
                point->all.gpu_watts, efficiency(&point->all), point->best.cores,
                point->best.time_seconds, point->best.gpu_watts, efficiency(&point->best));
    }
}
