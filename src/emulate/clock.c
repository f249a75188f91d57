// SPDX-License-Identifier: Apache-2.0
#include "emulate/exec.h"

/* Cycles for each warp instruction where nothing is known. A guess between the 4 that a dependent instruction of Volta
 * waits and the 20 to 30 of one on memory close by; prime, so that a program which spins for a round number of
 * cycles goes past it, as on hardware, and does not meet it. */
enum { CLOCK_CYCLES = 7 };

static uint64_t mixed(uint64_t z)
{
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

double clock_error(uint64_t seed, uint64_t a, uint64_t b)
{
    uint64_t bits = mixed(mixed(mixed(seed) ^ a) ^ b);
    return (double)(bits >> 11) * 0x1p-52 - 1;
}

/* Ticks of the read at hand, as the model has them, or as they go on behind what it has. */
static double next_ticks(const struct launch_clocks *clocks, const struct block_clocks *known,
                         struct warp_clock *clock, uint32_t warp, uint64_t instructions)
{
    const struct warp_clocks *reads = known->warps ? &known->warps[warp] : NULL;
    uint64_t number = clock->reads++;
    double ticks;
    if (reads && number < reads->count) {
        ticks = (double)(reads->ticks[number] + known->shift);
        if (!number) clock->first = ticks, clock->first_at = instructions;
        double passed = (double)(instructions - clock->first_at);
        if (passed > 0) clock->pace = (ticks - clock->first) / passed;
        clock->at = instructions;
    } else {
        double pace = clock->pace > clocks->ticks_per_cycle
                          ? clock->pace
                          : CLOCK_CYCLES * clocks->ticks_per_cycle;
        ticks = clock->last + pace * (double)(instructions - clock->at);
        clock->misses++;
        clock->at = instructions;
    }
    return ticks > clock->last ? ticks : clock->last;
}

static double with_error(const struct exec *x, struct warp_clock *clock, double ticks)
{
    const struct launch_clocks *clocks = x->launch->options->clocks;
    uint64_t warp = x->block->index * x->launch->warps_per_block + x->warp->index;
    double error = clocks->jitter * clock_error(clocks->seed, warp, clock->reads);
    clock->reported += (ticks - clock->last) * (1 + error);
    return clock->reported;
}

uint64_t clock_read(struct exec *x, bool is_timer)
{
    const struct launch_clocks *clocks = x->launch->options->clocks;
    struct warp_clock *clock = &x->warp->clock;
    if (!clocks) return CLOCK_CYCLES * x->block->instructions;
    double ticks = CLOCK_CYCLES * (double)x->block->instructions * clocks->ticks_per_cycle;
    if (clocks->find) {
        ticks = next_ticks(clocks, &x->block->clocks, clock, x->warp->index, x->warp->instructions);
        double reported = with_error(x, clock, ticks);
        clock->last = ticks;
        ticks = reported;
    }
    return is_timer ? clocks->begin_ns + (uint64_t)(ticks / clocks->ticks_per_ns)
                    : clocks->begin_cycles + (uint64_t)(ticks / clocks->ticks_per_cycle);
}

uint64_t clock_misses(const struct block *block)
{
    uint64_t misses = 0;
    if (!block->clocks.is_own) return 0;
    for (uint32_t w = 0; w < block->warp_count; w++) {
        const struct warp_clock *clock = &block->warps[w].clock;
        uint64_t known = block->clocks.warps ? block->clocks.warps[w].count : 0;
        misses += clock->misses + (known > clock->reads ? known - clock->reads : 0);
    }
    return misses;
}
