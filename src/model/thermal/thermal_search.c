// SPDX-License-Identifier: Apache-2.0
/* The search itself: all sets where they are few. */
#include "model/thermal/thermal_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SETS = 1000000 };

static void add_rise(double *cells, const double *rise, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cells[i] += rise[i];
}

static double largest(const double *values, size_t count)
{
    double most = values[0];
    for (size_t i = 0; i < count; i++)
        most = values[i] > most ? values[i] : most;
    return most;
}

double search_peak(const struct thermal_search *search, const unsigned *sms, double *cells)
{
    bool *active = mem_zalloc(search->tpc_count, sizeof *active);
    memcpy(cells, search->base, search->cells * sizeof *cells);
    for (unsigned i = 0; i < search->wanted; i++) {
        unsigned tpc = search->tpc_of[sms[i]];
        add_rise(cells, search->sm_rise + sms[i] * search->cells, search->cells);
        if (!active[tpc]) add_rise(cells, search->tpc_rise + tpc * search->cells, search->cells);
        active[tpc] = true;
    }
    mem_free(active);
    return largest(cells, search->cells);
}

/* ---- all sets -------------------------------------------------------------------------------- */

/* Sets are judged at a few places first, the hottest cell of each SM; the whole die is looked at only
 * where these leave a set in question. */
struct walk {
    const struct thermal_search *search;
    struct arena arena;
    size_t *places;  /* cells, one by SM */
    double *celsius; /* by depth, then place */
    double *least; /* by SM `next`, then count, then place: sum of the smallest rises by so many of
                         * the SMs from `next` on */
    double *cells; /* of a whole set */
    unsigned *sms; /* chosen so far */
    unsigned *tpc_used; /* SMs of it chosen so far, by TPC */
    unsigned tpcs;      /* with an SM chosen */
    double best;
    unsigned *best_sms;
};

/* Can the set still be completed from SM `next` on within the TPCs allowed? Counts at most what there is
 * in TPCs that are open or may still be opened. */
static bool is_possible(const struct walk *walk, unsigned depth, unsigned next)
{
    const struct thermal_search *search = walk->search;
    unsigned needed = search->wanted - depth, in_open = 0, elsewhere = 0, most_size = 0;
    if (search->sm_count - next < needed) return false;
    for (unsigned sm = next; sm < search->sm_count && in_open < needed; sm++) {
        unsigned tpc = search->tpc_of[sm];
        if (walk->tpc_used[tpc])
            in_open++;
        else
            elsewhere++;
        if (search->tpc_size[tpc] > most_size) most_size = search->tpc_size[tpc];
    }
    unsigned openable = (search->tpc_limit - walk->tpcs) * most_size;
    return in_open + (openable < elsewhere ? openable : elsewhere) >= needed;
}

static const double *least_of(const struct walk *walk, unsigned next, unsigned count)
{
    const struct thermal_search *search = walk->search;
    return walk->least + ((size_t)next * (search->wanted + 1) + count) * search->sm_count;
}

/* Heat warms every cell: whatever SMs complete the set, each place gets at least the smallest rises that
 * are left. */
static bool is_hopeless(const struct walk *walk, unsigned depth, unsigned next)
{
    const struct thermal_search *search = walk->search;
    const double *celsius = walk->celsius + (size_t)depth * search->sm_count;
    const double *more = least_of(walk, next, search->wanted - depth);
    for (unsigned p = 0; p < search->sm_count; p++)
        if (celsius[p] + more[p] >= walk->best - SAME_KELVIN) return true;
    return false;
}

static void judge_set(struct walk *walk)
{
    double peak = search_peak(walk->search, walk->sms, walk->cells);
    if (peak >= walk->best - SAME_KELVIN) return;
    walk->best = peak;
    memcpy(walk->best_sms, walk->sms, walk->search->wanted * sizeof *walk->sms);
}

static void add_at_places(const struct walk *walk, unsigned depth, unsigned sm, bool is_new_tpc)
{
    const struct thermal_search *search = walk->search;
    const double *from = walk->celsius + (size_t)depth * search->sm_count;
    double *to = walk->celsius + (size_t)(depth + 1) * search->sm_count;
    const double *rise = search->sm_rise + sm * search->cells;
    const double *shared = search->tpc_rise + search->tpc_of[sm] * search->cells;
    for (unsigned p = 0; p < search->sm_count; p++)
        to[p] = from[p] + rise[walk->places[p]] + (is_new_tpc ? shared[walk->places[p]] : 0);
}

static void descend(struct walk *walk, unsigned depth, unsigned next)
{
    const struct thermal_search *search = walk->search;
    if (depth == search->wanted) {
        if (!is_hopeless(walk, depth, next)) judge_set(walk);
        return;
    }
    for (unsigned sm = next; sm < search->sm_count && is_possible(walk, depth, sm); sm++) {
        unsigned tpc = search->tpc_of[sm];
        bool is_new = !walk->tpc_used[tpc];
        if (is_hopeless(walk, depth, sm))
            return; /* from the next SM on there are fewer to choose */
        if (is_new && walk->tpcs == search->tpc_limit) continue;
        add_at_places(walk, depth, sm, is_new);
        walk->sms[depth] = sm;
        walk->tpc_used[tpc]++;
        walk->tpcs += is_new;
        descend(walk, depth + 1, sm + 1);
        walk->tpc_used[tpc]--;
        walk->tpcs -= is_new;
    }
}

static int compare_up(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void find_least(struct walk *walk)
{
    const struct thermal_search *search = walk->search;
    unsigned n = search->sm_count;
    double *rises = ARENA_ARRAY(&walk->arena, double, n);
    for (unsigned next = 0; next <= n; next++)
        for (unsigned p = 0; p < n; p++) {
            double sum = 0;
            for (unsigned sm = next; sm < n; sm++)
                rises[sm - next] = search->sm_rise[sm * search->cells + walk->places[p]];
            qsort(rises, n - next, sizeof *rises, compare_up);
            for (unsigned count = 0; count <= search->wanted; count++) {
                walk->least[((size_t)next * (search->wanted + 1) + count) * n + p] = sum;
                sum = count < n - next ? sum + rises[count] : INFINITY;
            }
        }
}

static void find_places(struct walk *walk)
{
    const struct thermal_search *search = walk->search;
    for (unsigned sm = 0; sm < search->sm_count; sm++) {
        const double *rise = search->sm_rise + sm * search->cells;
        for (size_t cell = 0; cell < search->cells; cell++)
            if (rise[cell] > rise[walk->places[sm]]) walk->places[sm] = cell;
        walk->celsius[sm] = search->base[walk->places[sm]];
    }
}

double search_all(const struct thermal_search *search, unsigned *out_sms)
{
    struct walk walk = {.search = search, .best_sms = out_sms};
    size_t n = search->sm_count;
    double bound;
    walk.places = ARENA_ARRAY(&walk.arena, size_t, n);
    walk.celsius = ARENA_ARRAY(&walk.arena, double, (search->wanted + 1) * n);
    walk.least = ARENA_ARRAY(&walk.arena, double, (n + 1) * (search->wanted + 1) * n);
    walk.cells = ARENA_ARRAY(&walk.arena, double, search->cells);
    walk.sms = ARENA_ARRAY(&walk.arena, unsigned, search->wanted);
    walk.tpc_used = ARENA_ARRAY(&walk.arena, unsigned, search->tpc_count);
    find_places(&walk);
    find_least(&walk);
    /* No set above a good one is looked at; of equal ones the first in order is taken. */
    walk.best = search_large(search, out_sms, &bound) + 2 * SAME_KELVIN;
    descend(&walk, 0, 0);
    arena_clear(&walk.arena);
    return walk.best;
}

/* ---- what the search needs ------------------------------------------------------------------- */

static int compare_down(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x < y) - (x > y);
}

/* The fewest TPCs that have so many SMs. */
static unsigned fewest_tpcs(const struct thermal_search *search)
{
    unsigned *sizes = mem_zalloc(search->tpc_count, sizeof *sizes), count = 0;
    memcpy(sizes, search->tpc_size, search->tpc_count * sizeof *sizes);
    qsort(sizes, search->tpc_count, sizeof *sizes, compare_down);
    for (unsigned sms = 0; sms < search->wanted; count++)
        sms += sizes[count];
    mem_free(sizes);
    return count;
}

static void solve_die(struct thermal_search *search, double *heat, double *celsius, double *out)
{
    struct thermal *thermal = search->thermal;
    thermal_solve(&thermal->factor, thermal->nodes, thermal->work, heat, celsius);
    memcpy(out, celsius, search->cells * sizeof *out);
    memset(heat, 0, thermal->nodes * sizeof *heat);
}

static void find_rises(struct thermal_search *search, double *base)
{
    struct thermal *thermal = search->thermal;
    double *heat = mem_zalloc(2 * thermal->nodes, sizeof *heat), *celsius = heat + thermal->nodes;
    struct thermal_load nothing = search->load;
    nothing.active_count = 0;
    thermal_load_heat(thermal, &nothing, heat);
    solve_die(search, heat, celsius, base);
    add_rise(base, thermal->rest, search->cells);
    for (unsigned sm = 0; sm < search->sm_count; sm++) {
        thermal_sm_heat(thermal, sm, search->load.watts_per_sm, heat);
        solve_die(search, heat, celsius, search->sm_rise + sm * search->cells);
    }
    for (unsigned tpc = 0; search->load.watts_per_tpc > 0 && tpc < search->tpc_count; tpc++) {
        thermal_tpc_heat(thermal, tpc, search->load.watts_per_tpc, heat);
        solve_die(search, heat, celsius, search->tpc_rise + tpc * search->cells);
    }
    mem_free(heat);
}

static void open_search(struct thermal *thermal, const struct thermal_load *load, unsigned wanted,
                        struct arena *arena, struct thermal_search *out)
{
    const struct floorplan *plan = thermal->plan;
    size_t cells = thermal->layer_nodes;
    double *base = ARENA_ARRAY(arena, double, cells);
    *out = (struct thermal_search){
        .thermal = thermal,
        .load = *load,
        .cells = cells,
        .sm_count = plan->sm_count,
        .tpc_count = plan->tpc_count,
        .wanted = wanted,
        .base = base,
        .sm_rise = ARENA_ARRAY(arena, double, plan->sm_count *cells),
        .tpc_rise = ARENA_ARRAY(arena, double, plan->tpc_count *cells),
        .tpc_of = ARENA_ARRAY(arena, unsigned, plan->sm_count),
        .tpc_size = ARENA_ARRAY(arena, unsigned, plan->tpc_count),
    };
    for (unsigned sm = 0; sm < plan->sm_count; sm++) {
        out->tpc_of[sm] = thermal_tpc_of(thermal, sm);
        out->tpc_size[out->tpc_of[sm]]++;
    }
    out->tpc_limit = load->watts_per_tpc > 0 ? fewest_tpcs(out) : plan->tpc_count;
    thermal_find_rest(thermal, load->idle_watts);
    find_rises(out, base);
}

static double count_sets(unsigned n, unsigned k)
{
    double sets = 1;
    for (unsigned i = 1; i <= k; i++)
        sets = sets * (n - k + i) / i;
    return nearbyint(sets);
}

/* Middle of the SMs of a TPC that are in the set. */
static bool find_middle(const struct thermal *thermal, unsigned tpc, const unsigned *sms,
                        unsigned count, double out[2])
{
    double area = 0;
    out[0] = out[1] = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct floorplan_block *b = &thermal->plan->blocks[thermal->sm_block[sms[i]]];
        double a = b->width_metres * b->height_metres;
        if (b->tpc != tpc) continue;
        area += a;
        out[0] += a * (b->x_metres + b->width_metres / 2);
        out[1] += a * (b->y_metres + b->height_metres / 2);
    }
    if (area == 0) return false;
    out[0] /= area;
    out[1] /= area;
    return true;
}

static void describe_set(const struct thermal_search *search, const unsigned *sms,
                         struct thermal_choice *out)
{
    double a[2], b[2], nearest = INFINITY;
    for (unsigned i = 0; i < search->tpc_count; i++) {
        if (!find_middle(search->thermal, i, sms, search->wanted, a)) continue;
        out->active_tpcs++;
        for (unsigned j = 0; j < i; j++)
            if (find_middle(search->thermal, j, sms, search->wanted, b))
                nearest = fmin(nearest, hypot(a[0] - b[0], a[1] - b[1]));
    }
    out->distance_metres = isfinite(nearest) ? nearest : 0;
    out->dynamic_watts =
        search->wanted * search->load.watts_per_sm + out->active_tpcs * search->load.watts_per_tpc;
    for (size_t i = 0; search->load.block_watts && i < search->thermal->plan->block_count; i++)
        out->dynamic_watts += search->load.block_watts[i];
}

static ws_status check_count(struct diag *diag, const struct thermal *thermal, unsigned count)
{
    unsigned sms = thermal->plan->sm_count;
    if (count > sms)
        return diag_error(diag, WS_ERR_ARGUMENT, "'best' is %u, but %s has %u SMs", count,
                          thermal->machine->id, sms);
    if (count) return WS_OK;
    return diag_error(diag, WS_ERR_ARGUMENT, "'best' must be from 1 to %u (got 0)", sms);
}

ws_status thermal_best(struct diag *diag, struct thermal *thermal, const struct thermal_load *load,
                       unsigned count, struct thermal_choice *out, unsigned *out_sms)
{
    struct thermal_load full, given = *load;
    struct thermal_search search;
    struct arena arena = {0};
    given.active_count = 0;
    *out = (struct thermal_choice){0};
    TRY(thermal_check_load(diag, thermal, &given, &full));
    TRY(check_count(diag, thermal, count));
    open_search(thermal, &full, count, &arena, &search);
    out->sets = count_sets(search.sm_count, count);
    out->exact = out->sets <= MOST_SETS;
    if (out->exact)
        out->bound_celsius = out->peak_celsius = search_all(&search, out_sms);
    else
        out->peak_celsius = search_large(&search, out_sms, &out->bound_celsius);
    describe_set(&search, out_sms, out);
    arena_clear(&arena);
    return WS_OK;
}
