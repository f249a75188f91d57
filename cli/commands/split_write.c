// SPDX-License-Identifier: Apache-2.0
/* `split` as text and as JSON (schemas/split.schema.json). */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "cli/commands/split.h"

/* ---- text ------------------------------------------------------------------------------------ */

static void put_verdict(struct cli *cli, FILE *out, const struct split_answer *a)
{
    const ws_split *s = &a->found;
    double alone = fmin(s->gpu_alone.time_seconds, s->cpu_alone.time_seconds);
    const char *better = s->gpu_alone.time_seconds <= s->cpu_alone.time_seconds ? a->gpu : a->cpu;
    if (!strcmp(s->verdict, "split")) {
        fprintf(out, "SPLIT     %.2f %% on %s, %.2f %% on %s: %s, %.2fx of %s alone\n",
                100 * s->best.gpu_share, a->gpu, 100 * (1 - s->best.gpu_share), a->cpu,
                cli_quantity(cli, s->best.time_seconds, "s"), alone / s->best.time_seconds, better);
        return;
    }
    const char *only = !strcmp(s->verdict, "gpu") ? a->gpu : a->cpu;
    const char *other = !strcmp(s->verdict, "gpu") ? a->cpu : a->gpu;
    fprintf(out, "SPLIT     do not: %s alone is as good or better, %s; %s would gain %.1f %%\n",
            only, cli_quantity(cli, alone, "s"), other, 100 * (alone / s->best.time_seconds - 1));
}

static void put_row(struct cli *cli, FILE *out, const char *name, const ws_split_times *times)
{
    const char *energy = isfinite(times->joules) ? cli_quantity(cli, times->joules, "J") : "-";
    fprintf(out, "  %-28.28s %8.2f %% %10s %10s %10s %10s %10s\n", name, 100 * times->gpu_share,
            cli_quantity(cli, times->time_seconds, "s"), cli_quantity(cli, times->gpu_seconds, "s"),
            cli_quantity(cli, times->transfer_seconds, "s"),
            cli_quantity(cli, times->cpu_seconds, "s"), energy);
}

static void put_notes(struct cli *cli, FILE *out, const struct split_answer *a)
{
    const ws_split *s = &a->found;
    if (s->is_ordered)
        cli_wrap(out, "Notes     ",
                 "the result depends on the order of the blocks (atomics): it cannot simply be "
                 "shared out");
    else if (s->has_atomics)
        cli_wrap(out, "Notes     ",
                 "each device has a result of its own of the atomics: they have to be combined, "
                 "which is not counted");
    cli_wrap(out, s->is_ordered || s->has_atomics ? "          " : "Notes     ",
             "every block counts as the same work; each device is taken to reach its own time in "
             "proportion to its share");
    if (a->link)
        cli_wrap(out, "          ",
                 "the bytes that move are taken to be in proportion to the share: what every block "
                 "reads moves whole in truth");
    else
        cli_wrap(out, "          ", "transfers do not count: --transfer pcie3x16 and the like");
    if (s->no_energy[0]) cli_wrap(out, "          ", cli_format(cli, "energy: %s", s->no_energy));
}

static void put_answer(struct cli *cli, FILE *out, const struct split_answer *a)
{
    const ws_split *s = &a->found;
    fprintf(out, "%s  %s  %s (%s) and %s (%s)\n", a->kernel,
            cli_count(cli, (double)s->blocks, "block"), a->gpu, s->gpu_model, a->cpu, s->cpu_model);
    if (a->link)
        fprintf(out, "link      %s x%u  %s as programs reach it, %s a transfer; %s in, %s out\n",
                s->link_words, s->link_lanes, cli_quantity(cli, s->link_bytes_per_second, "B/s"),
                cli_quantity(cli, s->link_latency_seconds, "s"),
                cli_quantity(cli, s->bytes_in, "B"), cli_quantity(cli, s->bytes_out, "B"));
    fputc('\n', out);
    put_verdict(cli, out, a);
    fprintf(out, "BLOCKS    %llu on %s, %llu on %s\n", (unsigned long long)s->gpu_blocks, a->gpu,
            (unsigned long long)(s->blocks - s->gpu_blocks), a->cpu);
    fprintf(out, "ENERGY    %s\n\n",
            isfinite(s->best.joules) ? cli_quantity(cli, s->best.joules, "J")
                                     : "no power coefficients");
    fprintf(out, "  %-28s %10s %10s %10s %10s %10s %10s\n", "", "on GPU", "time", "GPU", "transfer",
            "CPU", "energy");
    put_row(cli, out, "split", &s->best);
    put_row(cli, out, cli_format(cli, "%s alone", a->gpu), &s->gpu_alone);
    put_row(cli, out, cli_format(cli, "%s alone", a->cpu), &s->cpu_alone);
    fprintf(out, "  by performance alone (5.9)   %8.2f %%\n\n", 100 * s->printed_gpu_share);
    put_notes(cli, out, a);
}

void split_write_text(struct cli *cli, FILE *out, const struct split_answer *answers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i) fputc('\n', out);
        put_answer(cli, out, &answers[i]);
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *times_json(const ws_split_times *times)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "gpu_share", number(times->gpu_share),
                     "time_s", number(times->time_seconds), "gpu_s", number(times->gpu_seconds),
                     "transfer_s", number(times->transfer_seconds), "cpu_s",
                     number(times->cpu_seconds), "energy_j", number(times->joules));
}

static json_t *link_json(const struct split_answer *a)
{
    const ws_split *s = &a->found;
    if (!a->link) return json_null();
    return json_pack("{s:s, s:o, s:o, s:o, s:o}", "name", a->link, "bandwidth_b_s",
                     number(s->link_bytes_per_second), "latency_s", number(s->link_latency_seconds),
                     "bytes_in", number(s->bytes_in), "bytes_out", number(s->bytes_out));
}

static json_t *answer_json(const struct split_answer *a)
{
    const ws_split *s = &a->found;
    json_t *out = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "kernel", a->kernel, "gpu", a->gpu,
                            "cpu", a->cpu, "gpu_model", s->gpu_model, "cpu_model", s->cpu_model,
                            "verdict", s->verdict);
    json_object_set_new(out, "blocks", json_integer((json_int_t)s->blocks));
    json_object_set_new(out, "gpu_blocks", json_integer((json_int_t)s->gpu_blocks));
    json_object_set_new(out, "gpu_share", number(s->best.gpu_share));
    json_object_set_new(out, "exact_gpu_share", number(s->exact_gpu_share));
    json_object_set_new(out, "printed_gpu_share", number(s->printed_gpu_share));
    json_object_set_new(out, "split", times_json(&s->best));
    json_object_set_new(out, "gpu_alone", times_json(&s->gpu_alone));
    json_object_set_new(out, "cpu_alone", times_json(&s->cpu_alone));
    json_object_set_new(out, "link", link_json(a));
    json_object_set_new(out, "energy_reason",
                        s->no_energy[0] ? json_string(s->no_energy) : json_null());
    json_object_set_new(out, "ordered", json_boolean(s->is_ordered));
    json_object_set_new(out, "atomics", json_boolean(s->has_atomics));
    return out;
}

void split_write_json(FILE *out, const struct split_answer *answers, size_t count)
{
    json_t *root = json_pack("{s:s, s:{s:s, s:s}}", "schema", "warpsage.split/1", "tool", "name",
                             "warpsage", "version", ws_version());
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, answer_json(&answers[i]));
    json_object_set_new(root, "splits", list);
    json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    fputc('\n', out);
    json_decref(root);
}
