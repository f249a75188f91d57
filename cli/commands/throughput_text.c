// SPDX-License-Identifier: Apache-2.0
/* The throughput model for people: the answer in a few lines, bounds, what would help, inputs. */
#include <math.h>
#include <string.h>

#include "cli/commands/throughput_report.h"

const char *throughput_input_check(struct cli *cli, const char *name)
{
    const char *names[WS_THROUGHPUT_INPUTS + 1];
    size_t count = 0;
    for (; count < WS_THROUGHPUT_INPUTS && ws_throughput_input(count); count++) {
        names[count] = ws_throughput_input(count);
        if (!strcmp(names[count], name)) return NULL;
    }
    return cli_perhaps(cli, name, names, count);
}

/* ---- sentences ------------------------------------------------------------------------------- */

const char *throughput_cores_text(struct cli *cli, const struct throughput_answer *answer)
{
    const ws_throughput *t = &answer->throughput;
    if (!t->has_memory || t->cores_suggested >= t->cores) return "";
    return cli_format(
        cli,
        "%u of %.0f SMs (exactly %.4g): the bandwidth feeds no more; as much would come "
        "of %s times the bandwidth, or of an access moving 1/%s of its bytes",
        t->cores_suggested, t->cores, t->cores_exact, cli_quantity(cli, t->bandwidth_factor, ""),
        cli_quantity(cli, t->bandwidth_factor, ""));
}

/* What leaves room for so many warps: fewer blocks by shared memory, or smaller blocks. */
static const char *reach_warps(struct cli *cli, const struct throughput_answer *answer)
{
    double wanted = answer->throughput.n_suggested, of_a_block = answer->warps_per_block, shared;
    if (!(of_a_block > 0)) return "";
    double blocks = floor(wanted / of_a_block);
    if (blocks < 1) return cli_format(cli, ": blocks of at most %.0f threads", 32 * wanted);
    if (ws_machine_get(answer->machine, "shared.per_sm", &shared) != WS_OK)
        return cli_format(cli, ": %s of %s", cli_count(cli, blocks, "block"),
                          cli_count(cli, of_a_block, "warp"));
    return cli_format(cli, ": %s of %s, if each takes more than %s of shared memory",
                      cli_count(cli, blocks, "block"), cli_count(cli, of_a_block, "warp"),
                      cli_count(cli, floor(shared / (blocks + 1)), "byte"));
}

const char *throughput_warps_text(struct cli *cli, const struct throughput_answer *answer)
{
    const ws_throughput *t = &answer->throughput;
    if (!t->has_memory || t->n_suggested >= t->n || !t->n_suggested) return "";
    return cli_format(cli,
                      "%u of %.4g warps per SM (exactly %.4g) ask for what the bandwidth gives%s",
                      t->n_suggested, t->n, t->n_exact, reach_warps(cli, answer));
}

const char *throughput_clock_text(struct cli *cli, const struct throughput_answer *answer)
{
    const ws_throughput *t = &answer->throughput;
    if (!t->has_memory || !(t->frequency_divisor > 1)) return "";
    return cli_format(
        cli, "1/%s of the core clock (%.1f %% less) costs little: N = %.4g warps wait for memory",
        cli_quantity(cli, t->frequency_divisor, ""), 100 * (1 - 1 / t->frequency_divisor), t->n);
}

const char *throughput_buy_text(struct cli *cli, const struct throughput_answer *answer)
{
    const ws_throughput *t = &answer->throughput;
    double cores = 100 * (t->gain_cores - 1), bandwidth = 100 * (t->gain_bandwidth - 1);
    const char *better = fabs(cores - bandwidth) < 0.05 ? "either is the same"
                         : cores > bandwidth            ? "cores are the better buy"
                                                        : "bandwidth is the better buy";
    return cli_format(cli, "10 %% more SMs: %+.1f %%; 10 %% more bandwidth: %+.1f %%; %s", cores,
                      bandwidth, better);
}

const char *throughput_trade_text(struct cli *cli, const struct throughput_answer *answer)
{
    const ws_throughput *t = &answer->throughput;
    double memory = 100 * (t->gain_memory - 1), computation = 100 * (t->gain_computation - 1);
    const char *better = memory <= 0 && computation <= 0 ? "keep the mixture"
                         : memory > computation          ? "compute rather than load"
                                                         : "load rather than compute";
    return cli_format(
        cli,
        "10 %% fewer accesses and 10 %% more other instructions: %+.1f %%; the reverse: "
        "%+.1f %%; %s",
        memory, computation, better);
}

/* ---- sections -------------------------------------------------------------------------------- */

static const char *rate_text(struct cli *cli, const ws_throughput *t, double flops, double warps)
{
    return t->has_flops ? cli_quantity(cli, flops, "flop/s") : cli_quantity(cli, warps, "warp/s");
}

static void put_head(FILE *out, struct cli *cli, const struct throughput_answer *answer)
{
    const ws_throughput *t = &answer->throughput;
    fprintf(out, "%s\n", answer->kernel ? answer->kernel : "inputs by hand");
    fprintf(out, "machine   %s  %s  %.0f of %s, %s each\n", ws_machine_id(answer->machine),
            ws_machine_name(answer->machine), t->cores, cli_count(cli, answer->total_cores, "SM"),
            cli_count(cli, t->n, "warp"));
    fprintf(out, "RATE      %s", rate_text(cli, t, t->perf_flops, t->warp_rate));
    if (t->has_flops)
        fprintf(out, " = %.3g %% of %s, the peak of its instructions", 100 * t->eff_ratio,
                cli_quantity(cli, t->peak_flops, "flop/s"));
    fprintf(out, "\nTIME      %s%s\n", cli_quantity(cli, t->time_seconds, "s"),
            answer->kernel ? "" : "  of so many warps on every SM");
    if (!t->has_memory) {
        cli_wrap(out, "CATEGORY  ", "none: no access waits for memory");
        return;
    }
    cli_wrap(out, "CATEGORY  ",
             cli_format(cli, "%u of 10%s: %s", t->category,
                        t->rank ? cli_format(cli, " (rank %u)", t->rank) : "", t->meaning));
    cli_wrap(out, "DO        ", t->advice);
}

static void put_bounds(FILE *out, struct cli *cli, const ws_throughput *t)
{
    fprintf(out, "\n%-50s %14s %12s\n", "Where accesses are served", "rate", "category");
    for (size_t i = 0; i < t->bound_count; i++)
        fprintf(out, "  %-48s %14s %12s\n", t->bounds[i].text,
                rate_text(cli, t, t->bounds[i].perf_flops, t->bounds[i].warp_rate),
                t->bounds[i].category ? cli_format(cli, "%u", t->bounds[i].category) : "-");
}

static void put_suggestions(FILE *out, struct cli *cli, const struct throughput_answer *answer)
{
    const ws_throughput *t = &answer->throughput;
    const struct {
        const char *lead, *text;
    } all[] = {{"  SMs     ", throughput_cores_text(cli, answer)},
               {"  warps   ", throughput_warps_text(cli, answer)},
               {"  clock   ", throughput_clock_text(cli, answer)},
               {"  buy     ", throughput_buy_text(cli, answer)},
               {"  trade   ", t->has_memory ? throughput_trade_text(cli, answer) : ""}};
    fputs("\nWhat would help\n", out);
    fprintf(out, "  one more SM: %+.2f %%; one more warp per SM: %+.2f %%\n",
            100 * (t->gain_core - 1), 100 * (t->gain_warp - 1));
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (*all[i].text) cli_wrap(out, all[i].lead, all[i].text);
}

static void put_terms(FILE *out, struct cli *cli, const ws_throughput *t)
{
    fputs("\nOf one warp (* given)\n", out);
    for (size_t i = 0; i < t->input_count; i++)
        fprintf(out, "%c %-24s %12.6g  %s\n", t->inputs[i].given ? '*' : ' ', t->inputs[i].name,
                t->inputs[i].value, t->inputs[i].text);
    if (!t->has_memory) return;
    fprintf(out, "\nMemory-level parallelism  MWP %s = least of MWP_App %s, MWP_BW %s, N %s\n",
            cli_quantity(cli, t->mwp, ""), cli_quantity(cli, t->mwp_app, ""),
            cli_quantity(cli, t->mwp_bw, ""), cli_quantity(cli, t->n, ""));
    if (t->mwp_proc > 0)
        fprintf(out, "                          and MWP_Proc %s\n",
                cli_quantity(cli, t->mwp_proc, ""));
    fprintf(out,
            "                          MWP_App of warps without end %s; EffMem %s, EffComp "
            "%s,\n                          idle %s; %.2f %% of the memory's time is "
            "not hidden\n",
            cli_quantity(cli, t->mwp_app_infin, ""), cli_quantity(cli, t->eff_mem_cycles, ""),
            cli_quantity(cli, t->eff_comp_cycles, ""), cli_count(cli, t->idle_cycles, "cycle"),
            100 * t->hidden);
}

static void put_sweep(FILE *out, struct cli *cli, const struct throughput_request *request,
                      const struct throughput_answer *answer)
{
    enum { ROWS = 33 };
    const ws_throughput *t = &answer->throughput;
    size_t cores = (size_t)answer->total_cores, step = (cores + ROWS - 1) / ROWS;
    fprintf(out, "\n%5s", "SMs");
    for (size_t w = 0; w < request->warp_count; w++)
        fprintf(out, " %18s", cli_format(cli, "N = %u", request->warps[w]));
    fputc('\n', out);
    for (size_t c = 0; c < cores; c += c + step >= cores && c + 1 < cores ? cores - 1 - c : step) {
        fprintf(out, "%5zu", c + 1);
        for (size_t w = 0; w < request->warp_count; w++) {
            const ws_throughput_point *p = &answer->points[w * cores + c];
            fprintf(out, " %14s %3s", rate_text(cli, t, p->perf_flops, p->warp_rate),
                    p->category ? cli_format(cli, "%u", p->category) : "-");
        }
        fputc('\n', out);
    }
}

/* Where to run it: the GPUs in the order of their rates. */
static void put_order(FILE *out, struct cli *cli, const struct throughput_answer *answers,
                      size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (answers[i].throughput.time_seconds < answers[best].throughput.time_seconds) best = i;
    cli_wrap(out, "\nRUN IT ON ",
             cli_format(cli, "%s: %s", ws_machine_id(answers[best].machine),
                        cli_quantity(cli, answers[best].throughput.time_seconds, "s")));
    for (size_t i = 0; i < count; i++)
        if (i != best)
            fprintf(out, "          %s takes %s times as long\n", ws_machine_id(answers[i].machine),
                    cli_quantity(cli,
                                 answers[i].throughput.time_seconds /
                                     answers[best].throughput.time_seconds,
                                 ""));
}

void throughput_write_text(FILE *out, struct cli *cli, const struct throughput_request *request,
                           const struct throughput_answer *answers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const ws_throughput *t = &answers[i].throughput;
        if (i) fputc('\n', out);
        put_head(out, cli, &answers[i]);
        put_bounds(out, cli, t);
        put_suggestions(out, cli, &answers[i]);
        put_terms(out, cli, t);
        if (answers[i].points) put_sweep(out, cli, request, &answers[i]);
        if (t->assumption_count) fputc('\n', out);
        for (size_t k = 0; k < t->assumption_count; k++)
            cli_wrap(out, k ? "          " : "Notes     ", t->assumptions[k]);
    }
    if (count > 1 && answers[0].kernel) put_order(out, cli, answers, count);
}
