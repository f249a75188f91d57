// SPDX-License-Identifier: Apache-2.0
/* Sets too many to go through: many starts, each made better by exchanges as long as any helps. A set is
 * judged at a few places of the die, the hottest of each unit; where the whole die says that another
 * cell is hotter, that cell joins them. The same numbers on every run: the generator starts at a
 * constant. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/thermal/thermal_search.h"

enum { FIRST_STARTS = 24, LATER_STARTS = 4, MOST_NEW_PLACES = 64, MOST_ROUNDS = 24 };

struct large {
    const struct thermal_search *search;
    struct thermal_units units;
    unsigned dropped; /* SMs of the chosen TPCs that are one too many */
    uint64_t random;
    bool *in;        /* by unit */
    double *celsius; /* by place, of the set at hand */
    bool *best_in;
    double best;
};

static bool is_by_tpc(const struct thermal_search *search)
{
    return search->load.watts_per_tpc > 0;
}

/* ---- units ----------------------------------------------------------------------------------- */

/* Rise of a cell by a whole unit. */
static double unit_rise(const struct thermal_search *search, size_t unit, size_t cell)
{
    if (!is_by_tpc(search)) return search->sm_rise[unit * search->cells + cell];
    double rise = search->tpc_rise[unit * search->cells + cell];
    for (unsigned sm = 0; sm < search->sm_count; sm++)
        if (search->tpc_of[sm] == unit) rise += search->sm_rise[sm * search->cells + cell];
    return rise;
}

static void add_place(struct large *large, size_t cell)
{
    struct thermal_units *units = &large->units;
    size_t at = units->place_count++;
    units->places[at] = cell;
    units->base[at] = large->search->base[cell];
    for (size_t u = 0; u < units->count; u++)
        units->rise[u * units->place_capacity + at] = unit_rise(large->search, u, cell);
}

static void open_units(struct large *large, struct arena *arena)
{
    const struct thermal_search *search = large->search;
    struct thermal_units *units = &large->units;
    bool by_tpc = is_by_tpc(search);
    units->count = by_tpc ? search->tpc_count : search->sm_count;
    units->chosen = by_tpc ? search->tpc_limit : search->wanted;
    units->place_capacity = units->count + MOST_NEW_PLACES;
    units->places = ARENA_ARRAY(arena, size_t, units->place_capacity);
    units->base = ARENA_ARRAY(arena, double, units->place_capacity);
    units->rise = ARENA_ARRAY(arena, double, units->count * units->place_capacity);
    large->in = ARENA_ARRAY(arena, bool, units->count);
    large->best_in = ARENA_ARRAY(arena, bool, units->count);
    large->celsius = ARENA_ARRAY(arena, double, units->place_capacity);
    for (size_t u = 0; u < units->count; u++) {
        size_t hottest = 0;
        double most = -INFINITY;
        for (size_t cell = 0; cell < search->cells; cell++) {
            double celsius = search->base[cell] + unit_rise(search, u, cell);
            if (celsius > most) hottest = cell;
            most = fmax(most, celsius);
        }
        add_place(large, hottest);
    }
}

/* ---- exchanges ------------------------------------------------------------------------------- */

static const double *rise_of(const struct large *large, size_t unit)
{
    return large->units.rise + unit * large->units.place_capacity;
}

static double judge(struct large *large)
{
    const struct thermal_units *units = &large->units;
    double most = -INFINITY;
    memcpy(large->celsius, units->base, units->place_count * sizeof *large->celsius);
    for (size_t u = 0; u < units->count; u++)
        for (size_t p = 0; large->in[u] && p < units->place_count; p++)
            large->celsius[p] += rise_of(large, u)[p];
    for (size_t p = 0; p < units->place_count; p++)
        most = fmax(most, large->celsius[p]);
    return most;
}

/* Peak at the places with `out` exchanged for `in`; stops early once it is above `limit`. */
static double judge_exchange(const struct large *large, size_t out, size_t in, double limit)
{
    const double *less = rise_of(large, out), *more = rise_of(large, in);
    double most = -INFINITY;
    for (size_t p = 0; p < large->units.place_count && most < limit; p++)
        most = fmax(most, large->celsius[p] - less[p] + more[p]);
    return most;
}

/* Do the TPCs have as many SMs as are wanted after the exchange? */
static bool keeps_size(const struct large *large, size_t out, size_t in)
{
    const struct thermal_search *search = large->search;
    if (!is_by_tpc(search)) return true;
    unsigned sms = 0;
    for (unsigned tpc = 0; tpc < search->tpc_count; tpc++)
        if ((large->in[tpc] || tpc == in) && tpc != out) sms += search->tpc_size[tpc];
    return sms >= search->wanted;
}

static bool exchange(struct large *large, double *peak)
{
    size_t units = large->units.count, best_out = 0, best_in = 0;
    double best = *peak - SAME_KELVIN;
    bool found = false;
    for (size_t out = 0; out < units; out++)
        for (size_t in = 0; large->in[out] && in < units; in++) {
            if (large->in[in]) continue;
            double value = judge_exchange(large, out, in, best);
            if (value >= best || !keeps_size(large, out, in)) continue;
            best = value;
            best_out = out;
            best_in = in;
            found = true;
        }
    if (!found) return false;
    large->in[best_out] = false;
    large->in[best_in] = true;
    *peak = judge(large);
    return true;
}

/* xorshift64* (Vigna 2016). */
static size_t draw(struct large *large, size_t below)
{
    uint64_t x = large->random;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    large->random = x;
    return (size_t)((x * 0x2545f4914f6cdd1dull) >> 33) % below;
}

/* First the best so far, or units at equal distances; later any. */
static void start(struct large *large, unsigned attempt, bool has_best)
{
    size_t count = large->units.count, chosen = 0;
    memset(large->in, 0, count * sizeof *large->in);
    if (attempt == 0 && has_best) {
        memcpy(large->in, large->best_in, count * sizeof *large->in);
        return;
    }
    if (attempt == 0)
        for (size_t i = 0; i < large->units.chosen; i++)
            large->in[i * count / large->units.chosen] = true;
    while (attempt > 0 && chosen < large->units.chosen) {
        size_t u = draw(large, count);
        chosen += !large->in[u];
        large->in[u] = true;
    }
    for (size_t u = 0; is_by_tpc(large->search) && u < count; u++) { /* small TPCs for whole ones */
        if (!large->in[u] || keeps_size(large, count, count)) continue;
        for (size_t other = 0; other < count && large->in[u]; other++)
            if (!large->in[other] && large->search->tpc_size[other] > large->search->tpc_size[u]) {
                large->in[other] = true;
                large->in[u] = false;
            }
    }
}

static void find_set(struct large *large, unsigned attempts, bool has_best)
{
    large->best = INFINITY;
    for (unsigned attempt = 0; attempt < attempts; attempt++) {
        start(large, attempt, has_best);
        double peak = judge(large);
        while (exchange(large, &peak))
            continue;
        if (peak >= large->best - SAME_KELVIN) continue;
        large->best = peak;
        memcpy(large->best_in, large->in, large->units.count * sizeof *large->in);
    }
}

/* ---- from units to SMs ----------------------------------------------------------------------- */

/* Of the chosen TPCs those SMs stay idle that are one too many: each time the one whose place is the
 * hottest, but never the last of a TPC. */
static void drop_sms(const struct large *large, unsigned *sms, unsigned count, double *cells)
{
    const struct thermal_search *search = large->search;
    struct thermal_search now = *search;
    for (; count > search->wanted; count--) {
        unsigned worst = 0;
        double least = INFINITY;
        now.wanted = count - 1;
        for (unsigned i = 0; i < count; i++) {
            unsigned same = 0, dropped = sms[i];
            for (unsigned j = 0; j < count; j++)
                same += search->tpc_of[sms[j]] == search->tpc_of[dropped];
            if (same == 1) continue;
            memmove(sms + i, sms + i + 1, (count - i - 1) * sizeof *sms);
            double peak = search_peak(&now, sms, cells);
            memmove(sms + i + 1, sms + i, (count - i - 1) * sizeof *sms);
            sms[i] = dropped;
            if (peak >= least) continue;
            least = peak;
            worst = i;
        }
        memmove(sms + worst, sms + worst + 1, (count - worst - 1) * sizeof *sms);
    }
}

static double list_sms(const struct large *large, unsigned *out_sms, double *cells)
{
    const struct thermal_search *search = large->search;
    unsigned *sms = mem_zalloc(search->sm_count, sizeof *sms), count = 0;
    for (unsigned sm = 0; sm < search->sm_count; sm++)
        if (large->best_in[is_by_tpc(search) ? search->tpc_of[sm] : sm]) sms[count++] = sm;
    drop_sms(large, sms, count, cells);
    memcpy(out_sms, sms, search->wanted * sizeof *out_sms);
    mem_free(sms);
    return search_peak(search, out_sms, cells);
}

/* SMs of the chosen TPCs beyond those wanted, at most: every TPC may have one fewer than it has. */
static size_t whole_units(const struct thermal_search *search, size_t chosen)
{
    unsigned most = 0;
    size_t room = 0;
    if (!is_by_tpc(search)) return chosen;
    for (unsigned tpc = 0; tpc < search->tpc_count; tpc++)
        if (search->tpc_size[tpc] > most) most = search->tpc_size[tpc];
    room = chosen * most - search->wanted; /* each SM that is missing spoils one TPC */
    return room < chosen ? chosen - room : 0;
}

double search_large(const struct thermal_search *search, unsigned *out_sms, double *out_bound)
{
    struct arena arena = {0};
    struct large large = {.search = search, .random = 0x9e3779b97f4a7c15ull};
    double *cells = mem_alloc(search->cells * sizeof *cells), best = INFINITY;
    unsigned *sms = mem_zalloc(search->wanted, sizeof *sms);
    open_units(&large, &arena);
    for (unsigned round = 0; round < MOST_ROUNDS; round++) {
        size_t hottest = 0;
        find_set(&large, round ? LATER_STARTS : FIRST_STARTS, round > 0);
        double peak = list_sms(&large, sms, cells);
        if (peak < best - SAME_KELVIN) memcpy(out_sms, sms, search->wanted * sizeof *sms);
        best = fmin(best, peak);
        for (size_t cell = 0; cell < search->cells; cell++)
            if (cells[cell] > cells[hottest]) hottest = cell;
        bool is_known = large.units.place_count == large.units.place_capacity;
        for (size_t p = 0; p < large.units.place_count; p++)
            is_known |= large.units.places[p] == hottest;
        if (is_known) break;
        add_place(&large, hottest);
    }
    *out_bound = units_bound(&large.units, whole_units(search, large.units.chosen));
    mem_free(sms);
    mem_free(cells);
    arena_clear(&arena);
    return best;
}
