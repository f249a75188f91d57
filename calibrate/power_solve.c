// SPDX-License-Identifier: Apache-2.0
/* The coefficients of the model ipp-power out of the watts of many kernels: least squares with no coefficient below
 * 0. Given how the power grows with the SMs and which units are spec-linear it is a linear problem; these choices
 * are those with the least residual. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/power.h"

const char *const power_unit_ids[POWER_UNITS] = {"int",   "fp",     "sfu", "alu",  "texture",
                                                 "const", "shared", "reg", "fds",  "global",
                                                 "local", "l1",     "l2",  "fp64", "tensor"};
bool power_unit_is_shared(unsigned unit)
{
    return !strcmp(power_unit_ids[unit], "global") || !strcmp(power_unit_ids[unit], "local") ||
           !strcmp(power_unit_ids[unit], "l2");
}

/* Columns of the linear problem. */
enum { IDLE, ACTIVATION, CONST_SM, STATIC, UNITS, BETA = UNITS + POWER_UNITS, COLUMNS };

struct problem {
    ws_context *context;
    const struct power_row *rows;
    unsigned count;
    double sms;
    /* Of each row and unit: what its MaxPower is multiplied by, before the SMs. [linear in the SMs or
     * logarithmic][linear or spec-linear]: what exists once a GPU is shared by the SMs in the former. */
    double (*share[2][2])[POWER_UNITS];
    double (*matrix)[COLUMNS]; /* rows times their weights */
};

/* A row counts less that is known less well than to a twentieth of a watt. */
static double weight_of(const struct power_row *row)
{
    return fmin(1, 0.05 / fmax(row->spread, 1e-9));
}

/* What is chosen besides the coefficients. */
struct form {
    bool log_scales, spec[POWER_UNITS];
    double beta;
};

struct answer {
    double values[COLUMNS];
    double squares; /* sum of squared residuals */
};

/* ---- the model's functions --------------------------------------------------------------------- */

static double evaluate(ws_context *context, const char *function, const ws_input *inputs,
                       size_t count, const char *wanted)
{
    ws_term terms[4];
    size_t found = 0;
    if (ws_model_evaluate(context, function, inputs, count, terms, 4, &found) != WS_OK) return NAN;
    for (size_t i = 0; i < found && i < 4; i++)
        if (!strcmp(terms[i].name, wanted)) return terms[i].value;
    return NAN;
}

static double spec_of(ws_context *context, double rate)
{
    const ws_input input = {.name = "x", .value = rate};
    return rate > 0 ? evaluate(context, "spec_linear", &input, 1, "y") : 0;
}

/* Of the power of all SMs, what `active` draw. */
static double scale_of(const struct problem *problem, const struct form *form, double active)
{
    if (!form->log_scales) return active / problem->sms;
    const ws_input inputs[] = {{.name = "num_sms", .value = problem->sms},
                               {.name = "active_sms", .value = active},
                               {.name = "beta", .value = form->beta}};
    return evaluate(problem->context, "sm_scale", inputs, 3, "scale");
}

static void find_shares(struct problem *problem)
{
    for (unsigned i = 0; i < problem->count; i++)
        for (unsigned unit = 0; unit < POWER_UNITS; unit++) {
            const struct power_row *row = &problem->rows[i];
            double rate = row->rates[unit], part = row->sms / problem->sms;
            double linear = power_unit_is_shared(unit) ? rate * part : rate;
            problem->share[0][0][i][unit] = linear;
            problem->share[0][1][i][unit] = spec_of(problem->context, linear);
            problem->share[1][0][i][unit] = rate;
            problem->share[1][1][i][unit] = spec_of(problem->context, rate);
        }
}

/* ---- one linear problem ------------------------------------------------------------------------ */

static void fill_row(struct problem *problem, const struct form *form, unsigned i)
{
    const struct power_row *row = &problem->rows[i];
    double *out = problem->matrix[i];
    memset(out, 0, sizeof problem->matrix[i]);
    double weight = weight_of(row), share = weight * row->share;
    out[IDLE] = weight;
    out[STATIC] = weight * row->rise;
    if (!(share > 0) || !(row->sms > 0)) return;
    double scale = share * scale_of(problem, form, row->sms);
    out[ACTIVATION] = share;
    out[CONST_SM] = problem->sms * scale;
    for (unsigned unit = 0; unit < POWER_UNITS; unit++) {
        double of_gpu = form->log_scales ? scale : share;
        double of_unit = power_unit_is_shared(unit) ? of_gpu : problem->sms * scale;
        out[UNITS + unit] = of_unit * problem->share[form->log_scales][form->spec[unit]][i][unit];
    }
}

/* Normal equations of scaled columns, so that their pivots compare with 1. */
struct normal {
    double scale[COLUMNS]; /* 0: no row uses the column */
    double matrix[COLUMNS][COLUMNS], right[COLUMNS], watts;
};

static void find_normal(const struct problem *problem, struct normal *out)
{
    memset(out, 0, sizeof *out);
    for (unsigned i = 0; i < problem->count; i++) {
        const double *row = problem->matrix[i];
        double watts = problem->rows[i].watts * weight_of(&problem->rows[i]);
        out->watts += watts * watts;
        for (unsigned a = 0; a < COLUMNS; a++) {
            out->right[a] += row[a] * watts;
            for (unsigned b = 0; b < COLUMNS; b++)
                out->matrix[a][b] += row[a] * row[b];
        }
    }
    for (unsigned a = 0; a < COLUMNS; a++)
        out->scale[a] = out->matrix[a][a] > 0 ? 1 / sqrt(out->matrix[a][a]) : 0;
    for (unsigned a = 0; a < COLUMNS; a++) {
        out->right[a] *= out->scale[a];
        for (unsigned b = 0; b < COLUMNS; b++)
            out->matrix[a][b] *= out->scale[a] * out->scale[b];
    }
}

/* A column whose part that others do not explain is smaller is one of them. */
static const double least_pivot = 1e-9;

/* Gauss-Jordan over the columns that are `in`. A column that depends on those before it stays out. */
static void solve_for(const struct normal *normal, const bool *in, double *out)
{
    double m[COLUMNS][COLUMNS + 1];
    bool used[COLUMNS] = {false};
    for (unsigned a = 0; a < COLUMNS; a++) {
        memcpy(m[a], normal->matrix[a], sizeof normal->matrix[a]);
        m[a][COLUMNS] = normal->right[a];
    }
    for (unsigned p = 0; p < COLUMNS; p++) {
        if (!in[p] || m[p][p] < least_pivot) continue;
        used[p] = true;
        double pivot = m[p][p];
        for (unsigned b = 0; b <= COLUMNS; b++)
            m[p][b] /= pivot;
        for (unsigned a = 0; a < COLUMNS; a++) {
            double factor = m[a][p];
            if (a == p || factor == 0) continue;
            for (unsigned b = 0; b <= COLUMNS; b++)
                m[a][b] -= factor * m[p][b];
        }
    }
    for (unsigned a = 0; a < COLUMNS; a++)
        out[a] = used[a] ? m[a][COLUMNS] : 0;
}

static double slope_of(const struct normal *normal, const double *values, unsigned a)
{
    double slope = normal->right[a];
    for (unsigned b = 0; b < COLUMNS; b++)
        slope -= normal->matrix[a][b] * values[b];
    return slope;
}

/* From `values` towards `wanted`, until the first column that is `in` reaches 0; it leaves. */
static bool step_towards(double *values, const double *wanted, bool *in)
{
    double part = 1;
    unsigned first = COLUMNS;
    for (unsigned a = 0; a < COLUMNS; a++)
        if (in[a] && wanted[a] < 0 && values[a] / (values[a] - wanted[a]) < part) {
            part = values[a] / (values[a] - wanted[a]);
            first = a;
        }
    for (unsigned a = 0; a < COLUMNS; a++)
        if (in[a]) values[a] += part * (wanted[a] - values[a]);
    if (first == COLUMNS) return false;
    values[first] = 0;
    in[first] = false;
    return true;
}

/* Lawson and Hanson, Solving Least Squares Problems, 1974, chapter 23. */
static void solve_bounded(const struct normal *normal, double *values)
{
    enum { STEPS = 4 * COLUMNS };
    bool in[COLUMNS] = {false};
    double wanted[COLUMNS];
    memset(values, 0, COLUMNS * sizeof *values);
    for (unsigned i = 0; i < STEPS; i++) {
        double best = 1e-10 * sqrt(normal->watts);
        unsigned next = COLUMNS;
        for (unsigned a = 0; a < COLUMNS; a++) {
            double slope = in[a] || !(normal->scale[a] > 0) ? 0 : slope_of(normal, values, a);
            if (slope > best) {
                best = slope;
                next = a;
            }
        }
        if (next == COLUMNS) return;
        in[next] = true;
        do
            solve_for(normal, in, wanted);
        while (step_towards(values, wanted, in));
    }
}

static void solve(struct problem *problem, const struct form *form, struct answer *out)
{
    struct normal normal;
    for (unsigned i = 0; i < problem->count; i++)
        fill_row(problem, form, i);
    find_normal(problem, &normal);
    solve_bounded(&normal, out->values);
    out->squares = 0;
    for (unsigned a = 0; a < COLUMNS; a++)
        out->values[a] *= normal.scale[a];
    for (unsigned i = 0; i < problem->count; i++) {
        double error = problem->rows[i].watts * weight_of(&problem->rows[i]);
        for (unsigned a = 0; a < COLUMNS; a++)
            error -= problem->matrix[i][a] * out->values[a];
        out->squares += error * error;
    }
}

/* ---- the choices ------------------------------------------------------------------------------- */

static double squares_of(struct problem *problem, const struct form *form)
{
    struct answer answer;
    solve(problem, form, &answer);
    return answer.squares;
}

/* Golden section, within 0.01 of its place. */
static void find_beta(struct problem *problem, struct form *form)
{
    const double golden = 0.6180339887498949;
    double low = 0.02, high = 9.9;
    struct form one = *form;
    while (high - low > 0.002) {
        double a = high - golden * (high - low), b = low + golden * (high - low);
        one.beta = a;
        double of_a = squares_of(problem, &one);
        one.beta = b;
        if (of_a < squares_of(problem, &one))
            high = b;
        else
            low = a;
    }
    form->beta = (low + high) / 2;
}

static bool is_used(const struct problem *problem, unsigned unit)
{
    for (unsigned i = 0; i < problem->count; i++)
        if (problem->rows[i].rates[unit] > 0) return true;
    return false;
}

/* Each unit in turn becomes what leaves less, until none changes. */
static double choose_spec(struct problem *problem, struct form *form)
{
    double best = squares_of(problem, form);
    bool changed = true;
    for (unsigned turn = 0; changed && turn < 8; turn++) {
        changed = false;
        for (unsigned unit = 0; unit < POWER_UNITS; unit++) {
            if (!is_used(problem, unit)) continue;
            form->spec[unit] = !form->spec[unit];
            double now = squares_of(problem, form);
            if (now < best * (1 - 1e-9)) {
                best = now;
                changed = true;
            } else {
                form->spec[unit] = !form->spec[unit];
            }
        }
    }
    return best;
}

/* From both ends, as the choices of units depend on each other. */
static double choose_units(struct problem *problem, bool log_scales, struct form *out)
{
    double best = INFINITY;
    for (unsigned start = 0; start < 2; start++) {
        struct form form = {.log_scales = log_scales, .beta = 1.1};
        for (unsigned unit = 0; unit < POWER_UNITS; unit++)
            form.spec[unit] = start;
        double now = INFINITY;
        for (unsigned turn = 0; turn < 3; turn++) {
            if (log_scales) find_beta(problem, &form);
            now = choose_spec(problem, &form);
            if (!log_scales) break;
        }
        if (now < best) {
            best = now;
            *out = form;
        }
    }
    return best;
}

/* ---- intervals --------------------------------------------------------------------------------- */

/* Standard deviation of a row: what the fit leaves, or the rounding of the readings if that is more. */
static double deviation(const struct problem *problem, const struct answer *answer)
{
    double own = 0;
    unsigned free_rows = problem->count > COLUMNS ? problem->count - COLUMNS : 1;
    for (unsigned i = 0; i < problem->count; i++)
        own += pow(problem->rows[i].spread * weight_of(&problem->rows[i]), 2) / problem->count;
    return sqrt(fmax(own, answer->squares / free_rows));
}

/* Part of a (scaled) column that the others do not explain, squared: its variance is that of a row over it. */
static double own_part(const struct normal *normal, unsigned column)
{
    struct normal others = *normal;
    bool in[COLUMNS];
    double values[COLUMNS], explained = 0;
    for (unsigned a = 0; a < COLUMNS; a++) {
        in[a] = a != column && normal->scale[a] > 0;
        others.right[a] = normal->matrix[a][column];
    }
    solve_for(&others, in, values);
    for (unsigned a = 0; a < COLUMNS; a++)
        explained += values[a] * normal->matrix[a][column];
    return fmax(0, 1 - explained);
}

/* Known: if its uncertainty is a small part of it, or of no weight in the watts of any row. */
static struct power_value value_of(const struct problem *problem, const struct normal *normal,
                                   const struct answer *answer, double sigma, unsigned column)
{
    struct power_value out = {.value = answer->values[column]};
    double own = normal->scale[column] > 0 ? own_part(normal, column) : 0, most = 0;
    for (unsigned i = 0; i < problem->count; i++)
        most = fmax(most, fabs(problem->matrix[i][column]));
    double half = own > 1e-7 ? 1.96 * sigma * normal->scale[column] / sqrt(own) : INFINITY;
    out.low = fmax(0, out.value - half);
    out.high = out.value + half;
    out.is_known = half < 0.5 * out.value || half * most < 1;
    return out;
}

/* How the watts change with beta: only for intervals, as the other coefficients change with it. */
static void fill_beta(struct problem *problem, const struct form *form, const double *values)
{
    const double step = 1e-3;
    double *here = calibrate_alloc(problem->count * sizeof *here);
    struct form near = *form;
    near.beta += step;
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned i = 0; i < problem->count; i++) {
            double watts = 0;
            fill_row(problem, pass ? form : &near, i);
            for (unsigned a = 0; a < BETA; a++)
                watts += problem->matrix[i][a] * values[a];
            if (pass) problem->matrix[i][BETA] = (here[i] - watts) / step;
            here[i] = watts;
        }
    free(here);
}

static void fill_values(struct problem *problem, const struct form *form,
                        const struct answer *answer, struct power_solution *out)
{
    struct normal normal;
    double sigma = deviation(problem, answer);
    for (unsigned i = 0; i < problem->count; i++)
        fill_row(problem, form, i);
    if (form->log_scales) fill_beta(problem, form, answer->values);
    find_normal(problem, &normal);
#define VALUE(column) value_of(problem, &normal, answer, sigma, column)
    out->idle = VALUE(IDLE);
    out->activation = VALUE(ACTIVATION);
    out->const_sm = VALUE(CONST_SM);
    out->static_per_kelvin = VALUE(STATIC);
    for (unsigned unit = 0; unit < POWER_UNITS; unit++)
        out->max[unit] = VALUE(UNITS + unit);
    struct power_value beta = VALUE(BETA); /* around 0 */
#undef VALUE
    out->log_beta = (struct power_value){.value = form->beta,
                                         .low = fmax(0, form->beta - beta.high),
                                         .high = form->beta + beta.high,
                                         .is_known = form->log_scales && beta.high < form->beta};
}

/* Is another form so much worse that rounding does not explain it? F of one degree of freedom, 95 %: 4. */
static bool is_worse(const struct problem *problem, double squares, double other, double sigma)
{
    double unit = fmax(squares / fmax(1, problem->count - COLUMNS), sigma * sigma);
    return other - squares > 4 * unit;
}

/* A unit is linear unless the readings contradict it. */
static void prefer_linear(struct problem *problem, struct form *form)
{
    struct answer answer;
    for (unsigned unit = 0; unit < POWER_UNITS; unit++) {
        if (!form->spec[unit]) continue;
        solve(problem, form, &answer);
        double sigma = deviation(problem, &answer);
        form->spec[unit] = false;
        form->spec[unit] = is_worse(problem, answer.squares, squares_of(problem, form), sigma);
    }
}

static void judge_forms(struct problem *problem, const struct form *form,
                        const struct answer *answer, double other_scaling,
                        struct power_solution *out)
{
    double sigma = deviation(problem, answer);
    struct form changed = *form;
    for (unsigned unit = 0; unit < POWER_UNITS; unit++) {
        changed.spec[unit] = !changed.spec[unit];
        out->spec_linear[unit] = form->spec[unit];
        out->spec_is_known[unit] =
            is_worse(problem, answer->squares, squares_of(problem, &changed), sigma);
        changed.spec[unit] = form->spec[unit];
    }
    out->log_scales = form->log_scales;
    out->scaling_is_known = is_worse(problem, answer->squares, other_scaling, sigma);
}

static void allocate(struct problem *problem)
{
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < 2; k++)
            problem->share[i][k] = calibrate_alloc(problem->count * sizeof *problem->share[i][k]);
    problem->matrix = calibrate_alloc(problem->count * sizeof *problem->matrix);
}

static void release(struct problem *problem)
{
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < 2; k++)
            free(problem->share[i][k]);
    free(problem->matrix);
}

bool power_solve(ws_context *context, const struct power_row *rows, unsigned count, double sms,
                 struct power_solution *out, double *fitted)
{
    enum { FEWEST = 8 };
    struct problem problem = {.context = context, .rows = rows, .count = count, .sms = sms};
    struct form linear, logarithmic;
    struct answer answer;
    *out = (struct power_solution){.residual = NAN};
    if (count < FEWEST) return false;
    allocate(&problem);
    find_shares(&problem);
    double of_linear = choose_units(&problem, false, &linear);
    double of_log = choose_units(&problem, true, &logarithmic);
    struct form *form = of_log < of_linear ? &logarithmic : &linear;
    prefer_linear(&problem, form);
    solve(&problem, form, &answer);
    for (unsigned i = 0; i < count; i++) {
        fitted[i] = 0;
        for (unsigned a = 0; a < COLUMNS; a++)
            fitted[i] += problem.matrix[i][a] * answer.values[a] / weight_of(&rows[i]);
    }
    out->residual = sqrt(answer.squares / count);
    fill_values(&problem, form, &answer, out);
    judge_forms(&problem, form, &answer, fmax(of_log, of_linear), out);
    release(&problem);
    return true;
}
