// SPDX-License-Identifier: Apache-2.0
/* Long form, one metric a line: kernel,metric,value,unit,lo,hi,from. A metric is a counter id, or
 * MACHINE/MODEL/term for a prediction. A missing value is an empty field. */
#include <math.h>
#include <string.h>

#include "base/quantity.h"
#include "model/power/power_estimate.h"
#include "render/writers.h"

/* RFC 4180: quoted when it must be. */
static void field(struct strbuf *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        strbuf_puts(out, text);
        return;
    }
    strbuf_putc(out, '"');
    for (; *text; text++) {
        if (*text == '"') strbuf_putc(out, '"');
        strbuf_putc(out, *text);
    }
    strbuf_putc(out, '"');
}

static void number(struct strbuf *out, double value)
{
    char text[NUMBER_TEXT];
    if (!isfinite(value)) return;
    number_exact(text, value);
    strbuf_puts(out, text);
}

static void counter_row(const struct profile *profile, size_t i, struct strbuf *out)
{
    const struct counter_value *value = &profile->counters[i];
    field(out, profile->kernel ? profile->kernel : "");
    strbuf_printf(out, ",%s,", counter_infos[i].id);
    if (value->origin != ORIGIN_NONE) number(out, value->value);
    strbuf_printf(out, ",%s,", counter_infos[i].unit);
    if (value->origin != ORIGIN_NONE) number(out, value->lo);
    strbuf_putc(out, ',');
    if (value->origin != ORIGIN_NONE) number(out, value->hi);
    strbuf_printf(out, ",%s\n", origin_infos[value->origin].id);
}

static void modelled_row(struct strbuf *out, const struct profile *profile, const char *machine,
                         const char *metric, double value, const char *unit)
{
    field(out, profile->kernel ? profile->kernel : "");
    strbuf_putc(out, ',');
    field(out, machine);
    strbuf_putc(out, '/');
    field(out, metric);
    strbuf_putc(out, ',');
    number(out, value);
    strbuf_printf(out, ",%s,,,modelled\n", unit);
}

static void estimate_rows(const struct report_machine *machine, const struct profile *profile,
                          const struct estimate *estimate, struct strbuf *out)
{
    const char *id = machine->prediction->machine->id;
    struct strbuf metric = {0};
    strbuf_printf(&metric, "%s/time", estimate->model);
    modelled_row(out, profile, id, metric.data, estimate->time_seconds, "s");
    metric.length = 0;
    strbuf_printf(&metric, "%s/cycles", estimate->model);
    modelled_row(out, profile, id, metric.data, estimate->cycles, "cycle");
    for (size_t i = 0; i < estimate->term_count; i++) {
        metric.length = 0;
        strbuf_printf(&metric, "%s/%s", estimate->model, estimate->terms[i].id);
        modelled_row(out, profile, id, metric.data, estimate->terms[i].value,
                     estimate->terms[i].unit);
    }
    for (size_t i = 0; i < EFFECT_COUNT; i++) {
        if (!estimate->without[i].modelled) continue;
        metric.length = 0;
        strbuf_printf(&metric, "%s/without/%s", estimate->model, effect_infos[i].id);
        modelled_row(out, profile, id, metric.data, estimate->without[i].time_seconds, "s");
    }
    strbuf_clear(&metric);
}

static void power_rows(const struct report_machine *machine, const struct profile *profile,
                       const struct power_estimate *power, struct strbuf *out)
{
    const char *id = machine->prediction->machine->id;
    struct strbuf metric = {0};
    for (size_t i = 0; i < power->answer.term_count; i++) {
        const struct term *term = &power->answer.terms[i];
        metric.length = 0;
        strbuf_printf(&metric, "%s/%s", power->answer.model, term->id);
        modelled_row(out, profile, id, metric.data, term->value, term->unit);
    }
    metric.length = 0;
    strbuf_printf(&metric, "%s/energy", power->answer.model);
    modelled_row(out, profile, id, metric.data, power->watts.gpu_watts * power->answer.time_seconds,
                 "J");
    strbuf_clear(&metric);
}

void write_csv(const struct report_view *view, struct strbuf *out)
{
    strbuf_puts(out, "kernel,metric,value,unit,lo,hi,from\n");
    for (size_t k = 0; k < view->kernel_count; k++) {
        const struct report_kernel *kernel = &view->kernels[k];
        for (size_t i = 0; i < COUNTER_COUNT; i++)
            counter_row(kernel->profile, i, out);
        for (size_t m = 0; m < kernel->machine_count; m++) {
            const struct report_machine *machine = &kernel->machines[m];
            const struct prediction *prediction = machine->prediction;
            if (prediction->machine->kind == MACHINE_IS_GPU)
                modelled_row(out, kernel->profile, prediction->machine->id, "occupancy",
                             prediction->occupancy.fraction, "1");
            for (size_t i = 0; i < prediction->estimate_count; i++)
                estimate_rows(machine, kernel->profile, &prediction->estimates[i], out);
            if (prediction->power) power_rows(machine, kernel->profile, prediction->power, out);
        }
    }
}
