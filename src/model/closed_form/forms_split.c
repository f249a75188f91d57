// SPDX-License-Identifier: Apache-2.0
/* The closed forms of work on two devices, and arithmetic that several papers print. */
#include <math.h>

#include "model/closed_form/closed_form.h"
#include "model/throughput/split_plan.h"

static const struct input_row split_rows[] = {
    {"gpu_s", NAN, NULL},  {"cpu_s", NAN, NULL},    {"bytes_in", 0, NULL}, {"bytes_out", 0, NULL},
    {"link_gbs", 0, NULL}, {"latency_us", 0, NULL}, {"blocks", 0, NULL},   {0}};

static ws_status run_split(struct evaluation *e)
{
    struct split_input input = {
        .gpu_seconds = evaluation_get(e, "gpu_s"),
        .cpu_seconds = evaluation_get(e, "cpu_s"),
        .bytes_in = evaluation_get(e, "bytes_in"),
        .bytes_out = evaluation_get(e, "bytes_out"),
        .link = {.bytes_per_second = evaluation_get(e, "link_gbs") * 1e9,
                 .latency_seconds = evaluation_get(e, "latency_us") * 1e-6},
        .blocks = evaluation_get(e, "blocks"),
    };
    if (!(input.gpu_seconds > 0) || !(input.cpu_seconds > 0))
        return diag_error(e->diag, WS_ERR_ARGUMENT,
                          "split: gpu_s and cpu_s must be greater than 0");
    struct split_plan plan = split_plan(&input);
    evaluation_put(e, "printed_share", plan.printed_share);
    evaluation_put(e, "exact_share", plan.exact_share);
    evaluation_put(e, "gpu_share", plan.best.gpu_share);
    evaluation_put(e, "time_s", plan.best.seconds);
    evaluation_put(e, "transfer_s", plan.best.transfer_seconds);
    evaluation_put(e, "gpu_alone_s", plan.gpu_alone.seconds);
    evaluation_put(e, "cpu_alone_s", plan.cpu_alone.seconds);
    return WS_OK;
}

/* Lists as NAME.0, NAME.1 ...; what is not given ends them. */
#define LIST_ROWS(name)                                                                            \
    {name ".0", 0, NULL}, {name ".1", 0, NULL}, {name ".2", 0, NULL}, {name ".3", 0, NULL},        \
        {name ".4", 0, NULL}, {name ".5", 0, NULL}, {name ".6", 0, NULL}, {name ".7", 0, NULL},    \
        {name ".8", 0, NULL}, {name ".9", 0, NULL}, {name ".10", 0, NULL}, {name ".11", 0, NULL},  \
        {name ".12", 0, NULL}, {name ".13", 0, NULL}, {name ".14", 0, NULL},                       \
    {                                                                                              \
        name ".15", 0, NULL                                                                        \
    }
enum { LIST_MAX = 16 };

static const struct input_row error_rows[] = {LIST_ROWS("manual"), LIST_ROWS("model"), {0}};

static ws_status run_error(struct evaluation *e)
{
    size_t count = 0;
    while (count < LIST_MAX && e->values[count] > 0)
        count++;
    if (!count)
        return diag_error(e->diag, WS_ERR_ARGUMENT,
                          "fig147_error: manual.0 must be greater than 0");
    evaluation_put(e, "mean_rel", split_mean_error(e->values, e->values + LIST_MAX, count));
    return WS_OK;
}

static const struct input_row ratio_rows[] = {{"num", NAN, NULL}, {"den", NAN, NULL}, {0}};

static ws_status run_ratio(struct evaluation *e)
{
    if (evaluation_get(e, "den") == 0)
        return diag_error(e->diag, WS_ERR_ARGUMENT, "ratio: den must not be 0");
    evaluation_put(e, "value", evaluation_get(e, "num") / evaluation_get(e, "den"));
    return WS_OK;
}

static const struct input_row product_rows[] = {LIST_ROWS("factors"), {0}};

static ws_status run_product(struct evaluation *e)
{
    double product = e->values[0];
    for (size_t i = 1; i < LIST_MAX && e->values[i] != 0; i++)
        product *= e->values[i];
    evaluation_put(e, "value", product);
    return WS_OK;
}

const struct closed_form forms_split[] = {
    {"split", split_rows, run_split},
    {"fig147_error", error_rows, run_error},
    {"ratio", ratio_rows, run_ratio},
    {"product", product_rows, run_product},
    {0},
};
