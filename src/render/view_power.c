// SPDX-License-Identifier: Apache-2.0
/* Power: the answer in a few lines, units, temperature, tables of SMs and clocks. */
#include <math.h>
#include <stdio.h>

#include "base/quantity.h"
#include "render/views.h"

static struct quantity quantity_in(const struct node *node, const char *id, const char *unit)
{
    return quantity_format(node_number(node, id), unit);
}

/* ---- head ------------------------------------------------------------------------------------ */

static void put_warmth(struct page *page, const struct node *temperature)
{
    const char *reason = node_word(temperature, "reason");
    if (reason)
        page_line(page, "TEMP      unknown: %s", reason);
    else
        page_line(page,
                  "TEMP      %.1f degC in steady state, %.1f K above idle; then %s more (static)",
                  node_number(temperature, "long_run_degc"), node_number(temperature, "rise_k"),
                  quantity_in(temperature, "static_w", "W").text);
}

/* "0-2, 5; 61.0 degC at the hottest under the machine's floorplan, no set is cooler" */
static void put_place(struct page *page, const struct node *place)
{
    const struct node *sms = node_child(place, "sms");
    const char *reason = node_word(place, "reason");
    bool made_up = node_flag(place, "made_up");
    struct strbuf text = {0};
    bool has_all = sms->value.item_count == node_count(place, "sms_of_plan");
    if (reason)
        strbuf_printf(&text, "unknown: %s", reason);
    else if (has_all)
        strbuf_puts(&text, "all SMs");
    else
        page_put_ranges(&text, sms->value.items, sms->value.item_count);
    if (!reason)
        strbuf_printf(&text, "; %.1f degC at the hottest under %s", node_number(place, "peak_degc"),
                      made_up ? "a generic floorplan" : "the machine's floorplan");
    if (!reason && !has_all && node_flag(place, "exact"))
        strbuf_puts(&text, ", the coolest set");
    else if (!reason && !has_all)
        strbuf_printf(&text, ", no set is below %.1f", node_number(place, "bound_degc"));
    page_fill(page, "PLACE     ", text.data);
    strbuf_clear(&text);
}

static void add_choice(struct strbuf *text, const char *lead, const struct node *choice)
{
    strbuf_printf(text, "%s at %.4g GHz: %s", lead, node_number(choice, "clock_hz") / 1e9,
                  quantity_in(choice, "time_s", "s").text);
    strbuf_printf(text, ", %s", quantity_in(choice, "gpu_w", "W").text);
}

/* What the power limit does to the clock, and the clocks of the energy-delay products. */
static void put_limits(struct page *page, const struct node *clocks)
{
    const struct node *limit = node_child(clocks, "at_limit");
    struct strbuf text = {0};
    if (!node_is_known(limit)) {
        strbuf_puts(&text, "exceeded at every clock");
    } else if (node_flag(clocks, "is_limited")) {
        add_choice(&text, "holds the clock", limit);
    } else {
        strbuf_puts(&text, "not exceeded");
    }
    add_choice(&text, "; least energy x time", node_child(clocks, "best_edp"));
    add_choice(&text, "; least energy x time^2", node_child(clocks, "best_ed2p"));
    page_fill(page, "TDP       ", text.data);
    strbuf_clear(&text);
}

static void put_head(struct page *page, const struct node *root, const struct node *machine)
{
    const struct node *power = node_child(machine, "power"), *cores = node_child(machine, "cores"),
                      *clocks = node_child(machine, "clocks");
    bool is_measured = node_flag(power, "time_is_measured");
    page_line(page, "%s", node_word(root, "kernel"));
    page_line(page, "machine   %s  %s  %.0f of %llu SMs active", machine->id,
              node_word(machine, "name"), node_number(power, "active_sms"),
              (unsigned long long)node_count(cores, "sms"));
    page_line(page, "TIME      %s  %s%s", quantity_in(power, "time_s", "s").text,
              is_measured ? "" : "by ", node_word(power, "time_model"));
    const char *band = ", error unknown";
    double low = node_number(power, "gpu_lo_w");
    struct strbuf text = {0};
    if (!isnan(low)) {
        strbuf_printf(&text, ", %.0f to %s", low, quantity_in(power, "gpu_hi_w", "W").text);
        band = text.data;
    }
    page_line(page, "POWER     %s = %s runtime + %s idle%s  by %s",
              quantity_in(power, "gpu_w", "W").text, quantity_in(power, "runtime_w", "W").text,
              quantity_in(power, "idle_w", "W").text, band, node_word(power, "model"));
    strbuf_clear(&text);
    page_line(page, "ENERGY    %s  (%s runtime, %s idle)", quantity_in(power, "energy_j", "J").text,
              quantity_in(power, "runtime_j", "J").text, quantity_in(power, "idle_j", "J").text);
    put_warmth(page, node_child(machine, "temperature"));
    page_fill(page, "CORES     ", node_word(cores, "advice"));
    if (!node_is_known(clocks)) return;
    page_fill(page, "CLOCK     ", node_word(clocks, "advice"));
    put_limits(page, clocks);
    put_place(page, node_child(machine, "placement"));
}

/* ---- units ----------------------------------------------------------------------------------- */

static void put_part(struct page *page, const char *name, const struct node *sum)
{
    page_line(page, "  %-34s %10s %10s %10s %9.3f W %6.1f %%", name, "-", "-", "-",
              node_number(sum, "w"), 100 * node_number(sum, "share"));
}

static void put_unit(struct page *page, const struct node *unit)
{
    const char *reason = node_word(unit, "reason");
    if (reason && node_flag(unit, "exists"))
        page_line(page, "  %-34s %s", node_word(unit, "text"), reason);
    if (reason || !(node_number(unit, "max_w") > 0)) return;
    page_line(page, "  %-34s %10.4f %10.4f %10.3g %9.3f W %6.1f %%", node_word(unit, "text"),
              node_number(unit, "access_rate"), node_number(unit, "effective_rate"),
              node_number(unit, "max_w"), node_number(unit, "w"), 100 * node_number(unit, "share"));
}

static void put_units(struct page *page, const struct node *power)
{
    const struct node *units = node_child(power, "units"), *sums = node_child(power, "sums");
    page_blank(page);
    page_line(page, "%-36s %10s %10s %10s %11s %8s", "Power per unit", "rate", "counts as",
              "MaxPower W", "watts", "share");
    for (size_t i = 0; i < units->child_count; i++)
        put_unit(page, &units->children[i]);
    if (node_number(power, "const_sm_w") > 0)
        put_part(page, "constant part of the SMs", node_child(sums, "const_sm"));
    if (node_number(power, "activation_w") > 0)
        put_part(page, "activation", node_child(sums, "activation"));
    put_part(page, "idle", node_child(sums, "idle"));
}

/* ---- temperature ----------------------------------------------------------------------------- */

static void put_curve(struct page *page, const struct node *curve)
{
    enum { ROWS = 31 };
    size_t count = curve->value.item_count, step = (count + ROWS - 1) / ROWS;
    struct arena arena = {0};
    page_blank(page);
    page_line(page, "%12s %10s %10s %14s", "seconds", "degC", "watts", "joules");
    for (size_t i = 0; i < count; i += step) {
        if (i && i + step >= count) i = count - 1;
        struct node row = node_row(curve, i, &arena);
        page_line(page, "%12.4g %10.2f %10.2f %14.6g", node_number(&row, "time_s"),
                  node_number(&row, "degc"), node_number(&row, "w"), node_number(&row, "energy_j"));
        arena_clear(&arena);
    }
}

/* ---- number of SMs --------------------------------------------------------------------------- */

static void put_best(struct page *page, const struct node *best)
{
    static const char *const rows[][2] = {{"runtime", "runtime power"},
                                          {"total", "total power, idle included"},
                                          {"powergate", "idle SMs gated"}};
    page_blank(page);
    page_line(page, "Best performance per watt          SMs   energy saved vs. all SMs   time");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct node *one = node_child(best, rows[i][0]);
        page_line(page, "  %-30s %5llu %21.2f %% %+9.1f %%", rows[i][1],
                  (unsigned long long)node_count(one, "cores"), 100 * node_number(one, "saving"),
                  100 * node_number(one, "time_change"));
    }
}

static void put_core_row(struct page *page, const struct node *row, uint64_t best)
{
    char number[24] = "-";
    if (node_is_known(node_child(row, "case")))
        snprintf(number, sizeof number, "%llu", (unsigned long long)node_count(row, "case"));
    page_line(page, "%c%4llu %10s %10s %8.4g %9.2f %9.2f %9.2f %9.4f %5s",
              node_count(row, "cores") == best ? '>' : ' ',
              (unsigned long long)node_count(row, "cores"), quantity_in(row, "time_s", "s").text,
              quantity_in(row, "bandwidth_bytes_per_s", "B/s").text,
              node_number(row, "inst_per_s") / 1e9, node_number(row, "runtime_w"),
              node_number(row, "gpu_w"), node_number(row, "gated_w"),
              node_number(row, "inst_per_s_per_w_total") / 1e9, number);
}

static void put_cores(struct page *page, const struct node *cores)
{
    const struct node *points = node_child(cores, "points");
    uint64_t best = node_count(node_find(cores, "best/total"), "cores");
    struct arena arena = {0};
    page_blank(page);
    page_line(page, "%5s %10s %10s %8s %9s %9s %9s %9s %5s", "SMs", "time", "memory", "GIPS",
              "runtime W", "total W", "gated W", "GIPS/W", "case");
    for (size_t i = 0; i < points->value.item_count; i++) {
        struct node row = node_row(points, i, &arena);
        put_core_row(page, &row, best);
        arena_clear(&arena);
    }
}

/* ---- clocks ---------------------------------------------------------------------------------- */

static void put_clock_row(struct page *page, const struct node *point, double best_hz)
{
    const struct node *all = node_child(point, "all_sms"), *best = node_child(point, "best_sms");
    double hz = node_number(point, "clock_hz");
    char volts[24] = "-";
    if (node_is_known(node_child(point, "volts")))
        snprintf(volts, sizeof volts, "%.3f", node_number(point, "volts"));
    page_line(page, "%c%7.4g %7s %10s %9.2f %9.4f   %8llu %10s %9.2f %9.4f",
              hz == best_hz ? '>' : ' ', hz / 1e9, volts, quantity_in(all, "time_s", "s").text,
              node_number(all, "gpu_w"), node_number(all, "inst_per_s_per_w_total") / 1e9,
              (unsigned long long)node_count(best, "cores"), quantity_in(best, "time_s", "s").text,
              node_number(best, "gpu_w"), node_number(best, "inst_per_s_per_w_total") / 1e9);
}

static void put_clocks(struct page *page, const struct node *clocks)
{
    const struct node *points = node_child(clocks, "points");
    double best_hz = node_number(node_child(clocks, "best"), "clock_hz");
    page_blank(page);
    page_line(page, "%8s %7s %10s %9s %9s   %8s %10s %9s %9s", "clock", "volts", "all: time",
              "total W", "GIPS/W", "best SMs", "time", "total W", "GIPS/W");
    for (size_t i = 0; i < points->child_count; i++)
        put_clock_row(page, &points->children[i], best_hz);
    if (!node_flag(clocks, "every_pair"))
        page_line(page,
                  "  clocks are tried with all SMs and the best count at %.4g GHz only: %s is "
                  "slow",
                  node_number(clocks, "now_hz") / 1e9, node_word(clocks, "time_model"));
}

/* ---- notes ----------------------------------------------------------------------------------- */

static void put_closed(struct page *page, const struct node *closed)
{
    struct strbuf text = {0};
    if (node_is_known(node_child(closed, "cores")))
        strbuf_printf(&text, "%s (%s; MWP %s, CWP %s, N %s, MWP_peak_BW %s): ",
                      quantity_of(node_number(closed, "cores"), "SM").text,
                      quantity_in(closed, "exact", "").text, quantity_in(closed, "mwp", "").text,
                      quantity_in(closed, "cwp", "").text, quantity_in(closed, "n", "").text,
                      quantity_in(closed, "mwp_peak_bw", "").text);
    else
        strbuf_puts(&text, "unknown: ");
    strbuf_puts(&text, node_word(closed, "reason"));
    page_fill(page, "Closed form (63): ", text.data);
    strbuf_clear(&text);
}

static void put_notes(struct page *page, const struct node *machine)
{
    const struct node *power = node_child(machine, "power"), *cores = node_child(machine, "cores"),
                      *assumptions = node_child(power, "assumptions");
    const char *const *texts = assumptions->value.items;
    page_blank(page);
    put_closed(page, node_child(cores, "closed_form"));
    if (*node_word(cores, "jumps")) page_fill(page, "Jump:   ", node_word(cores, "jumps"));
    for (size_t i = 0; i < assumptions->value.item_count; i++)
        page_fill(page, i ? "        " : "Notes   ", texts[i]);
    if (!node_flag(power, "time_is_measured")) return;
    struct strbuf text = {0};
    strbuf_printf(&text,
                  "other SM counts: times of %s, scaled by %.4g so that the time on all SMs equals "
                  "the measured one",
                  node_word(cores, "time_model"), node_number(cores, "time_factor"));
    page_fill(page, "        ", text.data);
    strbuf_clear(&text);
}

/* ---- all ------------------------------------------------------------------------------------- */

static void compose_machines(struct page *page, const struct node *root)
{
    const struct node *machines = node_child(root, "machines");
    for (size_t i = 0; i < machines->child_count; i++) {
        const struct node *machine = &machines->children[i], *cores = node_child(machine, "cores"),
                          *clocks = node_child(machine, "clocks"),
                          *curve = node_find(machine, "temperature/curve");
        if (i) page_blank(page);
        put_head(page, root, machine);
        put_units(page, node_child(machine, "power"));
        if (curve->value.item_count) put_curve(page, curve);
        put_best(page, node_child(cores, "best"));
        if (node_flag(cores, "listed")) put_cores(page, cores);
        if (node_flag(clocks, "listed")) put_clocks(page, clocks);
        put_notes(page, machine);
    }
}

static const struct view_part parts[] = {{"", compose_machines}};

static const struct csv_column core_columns[] = {
    {"machine", "^/machine"},
    {"cores", "cores"},
    {"time_s", "time_s"},
    {"bandwidth_bytes_per_s", "bandwidth_bytes_per_s"},
    {"inst_per_s", "inst_per_s"},
    {"runtime_w", "runtime_w"},
    {"gpu_w", "gpu_w"},
    {"gated_w", "gated_w"},
    {"case", "case"},
};

static const struct csv_column clock_columns[] = {
    {"machine", "^/machine"},
    {"clock_hz", "clock_hz"},
    {"volts", "volts"},
    {"time_s", "all_sms/time_s"},
    {"gpu_w", "all_sms/gpu_w"},
    {"inst_per_s_per_w", "all_sms/inst_per_s_per_w_total"},
    {"best_cores", "best_sms/cores"},
    {"best_time_s", "best_sms/time_s"},
    {"best_gpu_w", "best_sms/gpu_w"},
    {"best_inst_per_s_per_w", "best_sms/inst_per_s_per_w_total"},
};

static const struct csv_column curve_columns[] = {
    {"machine", "^/machine"}, {"time_s", "time_s"}, {"degc", "degc"}, {"w", "w"},
    {"energy_j", "energy_j"},
};

static const struct csv_column unit_columns[] = {
    {"machine", "^/machine"},
    {"unit", "id"},
    {"access_rate", "access_rate"},
    {"effective_rate", "effective_rate"},
    {"max_w", "max_w"},
    {"w", "w"},
    {"reason", "reason"},
};

#define CSV_TABLE(path, columns_, condition)                                                       \
    {                                                                                              \
        .rows = (path), .columns = (columns_),                                                     \
        .column_count = sizeof(columns_) / sizeof *(columns_), .if_present = (condition)           \
    }
static const struct csv_table tables[] = {
    CSV_TABLE("machines/*/cores/points", core_columns, "machines/0/cores/listed"),
    CSV_TABLE("machines/*/clocks/points", clock_columns, "machines/0/clocks/listed"),
    CSV_TABLE("machines/*/temperature/curve", curve_columns, "machines/0/temperature/curve"),
    CSV_TABLE("machines/*/power/units+power/sums", unit_columns, NULL),
};

const struct view view_power = {
    .question = "power",
    .parts = parts,
    .part_count = sizeof parts / sizeof *parts,
    .csv = tables,
    .csv_count = sizeof tables / sizeof *tables,
};
