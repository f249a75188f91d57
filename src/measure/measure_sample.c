// SPDX-License-Identifier: Apache-2.0
#include "measure/measure_sample.h"

#include <math.h>
#include <string.h>

#include "measure/measure_state.h"

_Static_assert((int)SAMPLE_TOUCHES == (int)TOUCH_COUNT, "one sum for each kind of touch");

/* ---- counting -------------------------------------------------------------------------------- */

void sample_begin(struct measure *m)
{
    const struct block_sample *drawn = m->launch.sample;
    struct sample_sums *s = &m->sample;
    *s = (struct sample_sums){.run_count = drawn->run_count,
                              .run_blocks = drawn->run_blocks,
                              .stratum_runs = drawn->stratum_runs,
                              .strata = drawn->strata,
                              .grid_runs = drawn->grid_runs};
    s->sums = mem_zalloc((size_t)s->run_count * SAMPLE_SUMS, sizeof *s->sums);
    for (unsigned i = 0; i < SAMPLE_TOUCHES; i++)
        reach_init(&s->reaches[i], drawn->executed);
    struct address_range *buffers = mem_zalloc(m->launch.buffer_count + 1u, sizeof *buffers);
    if (m->launch.buffer_count)
        memcpy(buffers, m->launch.buffers, m->launch.buffer_count * sizeof *buffers);
    m->launch.buffers = s->view.buffers = buffers;
    s->view.buffer_count = m->launch.buffer_count;
}

void sample_clear(struct sample_sums *s)
{
    for (unsigned i = 0; i < SAMPLE_TOUCHES; i++)
        reach_clear(&s->reaches[i]);
    mem_free((void *)(uintptr_t)s->view.buffers);
    mem_free(s->sums);
}

void sample_worker_begin(struct worker *w)
{
    w->sample.all = stage_sums_create(w->measure);
    w->sample.before = mem_zalloc(SAMPLE_SUMS, sizeof *w->sample.before);
    w->sample.now = mem_zalloc(SAMPLE_SUMS, sizeof *w->sample.now);
    for (unsigned i = 0; i < SAMPLE_TOUCHES; i++)
        reach_init(&w->sample.reaches[i], w->measure->launch.sample->executed);
}

void sample_worker_clear(struct sample_worker *worker)
{
    stage_sums_destroy(worker->all);
    mem_free(worker->before);
    mem_free(worker->now);
    for (unsigned i = 0; i < SAMPLE_TOUCHES; i++)
        reach_clear(&worker->reaches[i]);
}

void sample_merge(struct measure *m, const struct sample_worker *worker)
{
    for (unsigned i = 0; i < SAMPLE_TOUCHES; i++)
        reach_merge(&m->sample.reaches[i], &worker->reaches[i]);
}

static void add_past_l1(const struct worker *w, uint64_t *sums)
{
    const struct measure *m = w->measure;
    for (uint32_t site = 0; site < m->site_count; site++) {
        if (!measure_is_past_l1(m, site)) continue;
        struct stage_sums *site_sums = w->sample.all; /* its kinds are spent */
        memset(site_sums->kinds, 0, sizeof site_sums->kinds);
        stage_sums_add_tally(site_sums, &w->patterns, &w->site_tallies[site]);
        const uint64_t *kind = site_sums->kinds[KIND_GLOBAL_LOAD];
        const uint64_t *unlisted = w->unlisted ? w->unlisted[site].spaces[SITE_GLOBAL] : NULL;
        sums[COUNTER_MEM_GLOBAL_PAST_L1_SECTORS32] +=
            kind[COST_SECTORS32] + (unlisted ? unlisted[COST_SECTORS32] : 0);
        sums[COUNTER_MEM_GLOBAL_PAST_L1_LINES128] +=
            kind[COST_LINES128] + (unlisted ? unlisted[COST_LINES128] : 0);
    }
}

/* All that the worker has counted so far. */
static void sum_worker(const struct worker *w, uint64_t *sums)
{
    const struct measure *m = w->measure;
    struct stage_sums *all = w->sample.all;
    struct cell *cells = all->cells;
    memset(cells, 0, m->launch.code_block_count * sizeof *cells);
    *all = (struct stage_sums){.cells = cells};
    memset(sums, 0, SAMPLE_SUMS * sizeof *sums);
    for (uint32_t i = 0; i < STAGE_COUNT; i++) {
        if (!w->stages[i]) continue;
        stage_sums_add(all, &w->stages[i]->sums, m->launch.code_block_count);
        stage_sums_add_tally(all, &w->patterns, &w->stages[i]->tally);
    }
    measure_expand(m, all, w->blocks, w->sums.groups, sums);
    sums[SAMPLE_DISTANCE] = w->sums.distance;
    sums[SAMPLE_CONSUMERS] = w->sums.consumers;
    for (uint32_t i = 0; i < m->launch.code_block_count; i++) {
        sums[SAMPLE_DISTANCE] += cells[i].executions * m->dep.blocks[i].distance;
        sums[SAMPLE_CONSUMERS] += cells[i].executions * m->dep.blocks[i].consumers;
        sums[SAMPLE_INSNS] += cells[i].executions * m->launch.code_blocks[i].count;
        sums[SAMPLE_PATHS] += cells[i].executions * m->launch.code_blocks[i].block->critical_path;
    }
    for (unsigned i = 0; i < SAMPLE_TOUCHES; i++)
        sums[SAMPLE_TOUCH_FIRST + i] = w->sample.reaches[i].touched;
    add_past_l1(w, sums);
}

void sample_block_end(struct worker *w, uint32_t run)
{
    struct sample_worker *s = &w->sample;
    uint64_t *to = w->target->sample.sums + (size_t)run * SAMPLE_SUMS, *now = s->now;
    measure_settle(w);
    sum_worker(w, now);
    for (unsigned i = 0; i < SAMPLE_SUMS; i++)
        if (now[i] != s->before[i])
            __atomic_fetch_add(&to[i], now[i] - s->before[i], __ATOMIC_RELAXED);
    s->now = s->before;
    s->before = now;
}

/* ---- intervals ------------------------------------------------------------------------------- */

/* Of intervals that are to cover 95 %: where few blocks have most of the work, a sample without them has
 * too narrow an interval. */
static const double CONFIDENCE = 0.97;

/* Of the standard normal distribution; Abramowitz and Stegun 26.2.23, error below 4.5e-4. */
static double normal_quantile(double p)
{
    double t = sqrt(-2 * log(p));
    return (2.515517 + t * (0.802853 + t * 0.010328)) /
               (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) -
           t;
}

/* Exact for 1 and 2 degrees of freedom; else G. W. Hill, Algorithm 396, CACM 13, 1970. */
double student_t(double confidence, double n)
{
    const double tails = 1 - confidence, pi = 3.14159265358979323846;
    double one = 1 / tan(tails * pi / 2), two = sqrt(2 / (tails * (2 - tails)) - 2);
    if (n <= 2) return one + (fmax(n, 1) - 1) * (two - one);
    double a = 1 / (n - 0.5), b = 48 / (a * a);
    double c = ((20700 * a / b - 98) * a - 16) * a + 96.36;
    double d = ((94.5 / (b + c) - 3) / b + 1) * sqrt(a * pi / 2) * n;
    double y = pow(d * tails, 2 / n);
    if (y > 0.05 + a) {
        double x = normal_quantile(tails / 2);
        y = x * x;
        if (n < 5) c += 0.3 * (n - 4.5) * (x + 0.6);
        c += (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b;
        y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x;
        y = expm1(a * y * y);
    } else {
        y = ((1 / (((n + 6) / (n * y) - 0.089 * d - 0.822) * (n + 2) * 3) + 0.5 / (n + 4)) * y -
             1) *
                (n + 1) / (n + 2) +
            1 / y;
    }
    return sqrt(n * y);
}

/* Value of a run: a sum, or what a ratio leaves of it. */
struct linear {
    unsigned sum, per; /* per: SAMPLE_SUMS if it is no ratio */
    double ratio;
};

static double value_of(const struct sample_sums *s, uint32_t run, const struct linear *what)
{
    const uint64_t *sums = s->sums + (size_t)run * SAMPLE_SUMS;
    double value = (double)sums[what->sum];
    return what->per == SAMPLE_SUMS ? value : value - what->ratio * (double)sums[what->per];
}

static uint64_t stratum_size(const struct sample_sums *s, uint32_t h)
{
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)s->grid_runs * (h + 1) / s->strata) -
           (uint64_t)((wide)s->grid_runs * h / s->strata);
}

/* What runs like none that was seen may add or take away: if as few as 3 / runs of the grid are such,
 * a sample of `runs` misses them with probability 5 % (Hanley and Lippman-Hand, JAMA 249, 1983). Each is
 * taken to differ by the mean, as one that does nothing. */
static double unseen(const struct sample_sums *s, const struct linear *what)
{
    double sum = 0;
    for (uint32_t run = 0; run < s->run_count; run++)
        sum += (double)s->sums[(size_t)run * SAMPLE_SUMS + what->sum];
    return 3.0 / s->run_count * sum * (1 - (double)s->run_count / (double)s->grid_runs);
}

/* Half the width of the interval of the sum over the drawn runs: the variance within the strata with
 * the correction for a finite grid, and Satterthwaite's degrees of freedom, as strata vary unequally
 * (Cochran, Sampling Techniques, 3rd ed., 5.4). Negative: there are too few runs. */
static double half_width(const struct sample_sums *s, const struct linear *what)
{
    double variance = 0, squares = 0, m = s->stratum_runs;
    if (s->stratum_runs < 2) return -1;
    for (uint32_t h = 0; h < s->strata; h++) {
        double mean = 0, sum = 0;
        for (uint32_t i = 0; i < s->stratum_runs; i++)
            mean += value_of(s, h * s->stratum_runs + i, what) / m;
        for (uint32_t i = 0; i < s->stratum_runs; i++) {
            double off = value_of(s, h * s->stratum_runs + i, what) - mean;
            sum += off * off;
        }
        double left = 1 - m / (double)stratum_size(s, h);
        double part = m * left * sum / (m - 1);
        variance += part;
        squares += part * part / (m - 1);
    }
    double t = squares > 0 ? student_t(CONFIDENCE, variance * variance / squares) : 0;
    return fmax(t * sqrt(variance), unseen(s, what));
}

static void set_interval(struct counter_value *value, double half, double least)
{
    static const double ROUNDING = 1e-12; /* of equal sums */
    if (!(half > ROUNDING * value->value) || value->origin == ORIGIN_NONE) return;
    value->lo = fmin(value->value, fmax(least, value->value - half));
    value->hi = value->value + half;
}

static double sample_total(const struct sample_sums *s, unsigned sum)
{
    double total = 0;
    for (uint32_t run = 0; run < s->run_count; run++)
        total += (double)s->sums[(size_t)run * SAMPLE_SUMS + sum];
    return total;
}

static void set_ratio(const struct sample_sums *s, struct counter_value *value, unsigned sum,
                      unsigned per)
{
    double divisor = sample_total(s, per);
    struct linear what = {sum, per, value->value};
    if (divisor > 0) set_interval(value, half_width(s, &what) / divisor, 0);
}

void sample_intervals(const struct measure *m, struct profile *profile)
{
    const struct sample_sums *s = &m->sample;
    double scale = (double)m->launch.block_count / (double)m->blocks;
    for (unsigned i = 0; i < COUNTER_COUNT; i++) {
        struct counter_value *value = &profile->counters[i];
        struct linear what = {i, SAMPLE_SUMS, 0};
        if (value->origin != ORIGIN_SAMPLED || !(value->value > 0)) continue;
        if (i == COUNTER_WARPS_EXECUTED) continue; /* known */
        if (i == COUNTER_MEM_GLOBAL_READ_FOOTPRINT || i == COUNTER_MEM_GLOBAL_WRITTEN_FOOTPRINT ||
            i == COUNTER_MEM_TEXTURE_READ_FOOTPRINT)
            continue;
        set_interval(value, half_width(s, &what) * scale, sample_total(s, i));
    }
    set_ratio(s, &profile->counters[COUNTER_DEP_DISTANCE], SAMPLE_DISTANCE, SAMPLE_CONSUMERS);
    set_ratio(s, &profile->counters[COUNTER_DEP_ILP], SAMPLE_INSNS, SAMPLE_PATHS);
    set_ratio(s, &profile->counters[COUNTER_MEM_MSTR], COUNTER_MEM_LOADS, COUNTER_MEM_GROUPS);
}

void sample_footprint(const struct measure *m, unsigned touch, struct counter_value *out)
{
    const struct sample_sums *s = &m->sample;
    const struct reach *reach = &s->reaches[touch];
    double fraction = (double)m->blocks / (double)m->launch.block_count;
    struct linear what = {SAMPLE_TOUCH_FIRST + touch, SAMPLE_SUMS, 0};
    double half = half_width(s, &what), touched = (double)reach->touched;
    double relative = touched > 0 && half > 0 ? half / touched : 0;
    double low, high, value = reach_estimate(reach, &s->view, fraction, relative, &low, &high);
    *out = (struct counter_value){.value = nearbyint(value),
                                  .lo = floor(fmin(low, value)),
                                  .hi = ceil(fmax(high, value)),
                                  .origin = ORIGIN_SAMPLED};
}

/* ---- instructions by place in the grid ------------------------------------------------------- */

void grid_work_init(struct grid_work *work, uint64_t block_count)
{
    uint64_t each = (block_count + GRID_WORK_ENTRIES - 1) / GRID_WORK_ENTRIES;
    if (!each) each = 1;
    *work = (struct grid_work){.blocks_per_entry = each,
                               .entry_count = (uint32_t)((block_count + each - 1) / each)};
    work->sums = mem_zalloc(work->entry_count + 1u, sizeof *work->sums);
    work->blocks = mem_zalloc(work->entry_count + 1u, sizeof *work->blocks);
}

void grid_work_add(struct grid_work *work, uint64_t block, uint64_t instructions)
{
    uint64_t entry = block / work->blocks_per_entry;
    if (entry >= work->entry_count) return;
    __atomic_fetch_add(&work->sums[entry], instructions, __ATOMIC_RELAXED);
    __atomic_fetch_add(&work->blocks[entry], 1, __ATOMIC_RELAXED);
}

void grid_work_clear(struct grid_work *work)
{
    mem_free(work->sums);
    mem_free(work->blocks);
}
