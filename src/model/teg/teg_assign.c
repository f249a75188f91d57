// SPDX-License-Identifier: Apache-2.0
#include "model/teg/teg_assign.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/teg/teg_memo.h"

/* ---- dealing by work ------------------------------------------------------------------------- */

/* A cluster that executes its resident blocks at equal speed, which is its own divided by their number
 * (guess: they share a resource that bounds them). `served` is what each block that has been resident all the
 * time has executed so far. */
struct executor {
    double now, served;
    double *ends; /* [room]: what `served` is when they end */
    unsigned count;
    uint64_t dealt;
};

struct dealer {
    struct teg_assignment *out;
    struct executor *executors;
    uint32_t *heap; /* executors that have blocks, whose next block ends first in front */
    unsigned heap_count, room;
    uint64_t next;
};

static unsigned first_to_end(const struct executor *x)
{
    unsigned first = 0;
    for (unsigned i = 1; i < x->count; i++)
        if (x->ends[i] < x->ends[first]) first = i;
    return first;
}

static double next_end(const struct executor *x)
{
    return x->now + (x->ends[first_to_end(x)] - x->served) * x->count;
}

/* Of two that have room at the same time, the one that had fewer blocks; then the first. */
static bool is_before(const struct dealer *d, uint32_t a, uint32_t b)
{
    const struct executor *x = &d->executors[a], *y = &d->executors[b];
    double of_x = next_end(x), of_y = next_end(y);
    if (of_x < of_y || of_x > of_y) return of_x < of_y;
    if (x->dealt != y->dealt) return x->dealt < y->dealt;
    return a < b;
}

static void sink(struct dealer *d, unsigned at)
{
    uint32_t moved = d->heap[at];
    for (unsigned child; (child = 2 * at + 1) < d->heap_count; at = child) {
        if (child + 1 < d->heap_count && is_before(d, d->heap[child + 1], d->heap[child])) child++;
        if (is_before(d, moved, d->heap[child])) break;
        d->heap[at] = d->heap[child];
    }
    d->heap[at] = moved;
}

static void deal_to(struct dealer *d, uint32_t cluster)
{
    struct executor *x = &d->executors[cluster];
    double work = (double)d->out->trace->work[d->next];
    x->ends[x->count++] = x->served + work;
    x->dealt++;
    d->out->works[cluster] += work;
    d->out->counts[cluster]++;
    d->out->owners[d->next++] = cluster;
}

/* The first waves, in turn. */
static void fill(struct dealer *d)
{
    for (unsigned round = 0; round < d->room; round++)
        for (uint32_t i = 0; i < d->out->clusters && d->next < d->out->blocks; i++)
            deal_to(d, i);
    for (uint32_t i = 0; i < d->out->clusters; i++)
        if (d->executors[i].count) d->heap[d->heap_count++] = i;
    for (unsigned i = d->heap_count; i-- > 0;)
        sink(d, i);
}

/* The block ends that is the first to; `retired` remembers whose it was. */
static void retire(struct dealer *d, uint32_t *retired)
{
    uint32_t cluster = d->heap[0];
    struct executor *x = &d->executors[cluster];
    unsigned first = first_to_end(x);
    x->now = next_end(x);
    x->served = x->ends[first];
    x->ends[first] = x->ends[--x->count];
    *retired = cluster;
    if (d->next < d->out->blocks) deal_to(d, cluster);
    if (!x->count) d->heap[0] = d->heap[--d->heap_count];
    if (d->heap_count) sink(d, 0);
}

/* The cluster that ends last. */
static void find_longest(const struct dealer *d)
{
    struct teg_assignment *out = d->out;
    for (unsigned i = 1; i < out->clusters; i++)
        if (d->executors[i].now > d->executors[out->longest].now) out->longest = i;
}

static void count_running(const struct dealer *d, const uint32_t *retired)
{
    struct teg_assignment *out = d->out;
    uint64_t *left = mem_zalloc(out->clusters, sizeof *left), own = 0;
    uint32_t running = 0;
    for (unsigned i = 0; i < out->clusters; i++) {
        left[i] = out->counts[i];
        running += left[i] > 0;
    }
    out->running[0] = running;
    for (uint64_t i = 0; i < out->blocks; i++) {
        running -= !--left[retired[i]];
        if (retired[i] == out->longest) out->running[++own] = running;
    }
    mem_free(left);
}

static void deal_by_work(struct teg_assignment *out, unsigned room)
{
    uint32_t *retired = mem_alloc(out->blocks * sizeof *retired);
    struct dealer d = {.out = out,
                       .executors = mem_zalloc(out->clusters, sizeof *d.executors),
                       .heap = mem_zalloc(out->clusters, sizeof *d.heap),
                       .room = room};
    double *ends = mem_alloc((size_t)out->clusters * room * sizeof *ends);
    for (unsigned i = 0; i < out->clusters; i++)
        d.executors[i].ends = ends + (size_t)i * room;
    fill(&d);
    for (uint64_t i = 0; i < out->blocks; i++)
        retire(&d, &retired[i]);
    find_longest(&d);
    count_running(&d, retired);
    mem_free(retired);
    mem_free(ends);
    mem_free(d.executors);
    mem_free(d.heap);
}

/* ---- in turn --------------------------------------------------------------------------------- */

static bool is_even(const struct trace *trace)
{
    float least = trace->work[0], most = trace->work[0];
    for (uint32_t i = 1; i < trace->part_count; i++) {
        least = fminf(least, trace->work[i]);
        most = fmaxf(most, trace->work[i]);
    }
    return trace_is_work_alike((double)least, (double)most);
}

/* Of those that have the most blocks, the one that executes the most; of equal ones the one in the middle: the
 * first have the rim of grids that are as wide as the GPU has clusters. */
static void deal_in_turn(struct teg_assignment *out)
{
    uint64_t rest = out->blocks % out->clusters;
    unsigned candidates = rest ? (unsigned)rest : out->clusters;
    out->longest = candidates / 2;
    if (!out->works) return;
    for (uint64_t i = 0; i < out->blocks; i++)
        out->works[i % out->clusters] += (double)out->trace->work[i];
    for (unsigned i = 0; i < candidates; i++)
        if (out->works[i] > out->works[out->longest]) out->longest = i;
}

/* ---- the answer ------------------------------------------------------------------------------ */

/* Its arrays lie behind it: works, counts, owners and running. */
struct memo_assignment {
    struct memo_entry entry;
    struct teg_assignment dealt;
};

static struct memo_assignment *deal(const struct teg_assignment *of, unsigned resident)
{
    size_t clusters = of->clusters, blocks = (size_t)of->blocks;
    bool by_work = blocks > clusters && !is_even(of->trace);
    size_t of_clusters = clusters * (sizeof(double) + sizeof(uint64_t));
    size_t of_blocks = by_work ? (2 * blocks + 1) * sizeof(uint32_t) : 0;
    struct memo_assignment *out = mem_zalloc(1, sizeof *out + of_clusters + of_blocks);
    struct teg_assignment *dealt = &out->dealt;
    *dealt = *of;
    dealt->works = (double *)(void *)(out + 1);
    if (!by_work) {
        deal_in_turn(dealt);
        return out;
    }
    dealt->counts = (uint64_t *)(void *)(dealt->works + clusters);
    dealt->owners = (uint32_t *)(void *)(dealt->counts + clusters);
    dealt->running = dealt->owners + blocks;
    deal_by_work(dealt, resident);
    return out;
}

struct teg_assignment teg_assign(const struct trace *trace, uint64_t blocks, unsigned clusters,
                                 unsigned resident)
{
    struct teg_assignment out = {.trace = trace, .blocks = blocks, .clusters = clusters};
    bool is_known = trace->part_count && trace->part_blocks == 1 && trace->part_count == blocks;
    if (!is_known) {
        deal_in_turn(&out);
        return out;
    }
    const struct memo_key key = {
        {TEG_MEMO_ASSIGNMENT, blocks, (uint64_t)clusters << 32 | resident, 0}};
    const struct memo_entry *known = memo_find(trace->memo, &key);
    if (!known) {
        struct memo_assignment *made = deal(&out, resident);
        made->entry.key = key;
        known = memo_add(trace->memo, &made->entry);
    }
    return ((const struct memo_assignment *)(const void *)known)->dealt;
}

uint64_t teg_assigned_count(const struct teg_assignment *a, unsigned cluster)
{
    if (a->counts) return a->counts[cluster];
    return a->blocks / a->clusters + (cluster < a->blocks % a->clusters);
}

double teg_assigned_work(const struct teg_assignment *a, unsigned cluster)
{
    uint64_t count = teg_assigned_count(a, cluster);
    if (!a->works) return trace_mean_work(a->trace);
    return count ? a->works[cluster] / (double)count : 0;
}

static int compare_works(const void *a, const void *b)
{
    const float *x = a, *y = b;
    return *x < *y ? 1 : *x > *y ? -1 : 0;
}

/* Slope of the tail: of the logarithms of the longest by those of their ranks (Hill, Annals of Statistics 3,
 * 1975), of as many as the root of those that were executed. Each of these stands for 1 / fraction of the grid. */
static double tail_of(const float *works, uint32_t count, double fraction)
{
    uint32_t longest = (uint32_t)fmin(count - 1, ceil(sqrt(count * fraction)) / fraction);
    double sum = 0;
    if (!longest || !(works[longest] > 0)) return 0;
    for (uint32_t i = 0; i < longest; i++)
        sum += log((double)works[i] / (double)works[longest]);
    return sum / longest;
}

/* The longest block of all is as much longer than the longest of a part of them as such a tail goes on (Weissman,
 * JASA 73, 1978). */
double teg_assigned_unseen(const struct teg_assignment *a, double fraction, double *out_share)
{
    uint32_t count = a->trace->part_count;
    *out_share = 0;
    if (!a->works || !(fraction > 0 && fraction < 1) || !(a->works[a->longest] > 0)) return 1;
    float *works = mem_alloc(count * sizeof *works);
    memcpy(works, a->trace->work, count * sizeof *works);
    qsort(works, count, sizeof *works, compare_works);
    double times = pow(1 / fraction, tail_of(works, count, fraction));
    *out_share = (double)works[0] / a->works[a->longest];
    mem_free(works);
    return times;
}

static uint64_t hash(uint64_t z)
{
    z = (z + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    return z ^ z >> 31;
}

/* Which of `all` blocks of a cluster is the i-th of `count`. A fixed distance of waves could fall in step with the
 * grid's width. */
static uint64_t position(uint64_t i, uint64_t count, uint64_t all, uint64_t wave)
{
    uint64_t waves = count / wave, of_all = all / wave, number = i / wave;
    if (count == all) return i;
    if (number == waves || !waves) return all - (count - i);
    uint64_t first = of_all * number / waves, end = of_all * (number + 1) / waves;
    return (first + hash(number) % (end - first)) * wave + i % wave;
}

uint64_t *teg_assigned_blocks(struct arena *arena, const struct teg_assignment *a, unsigned cluster,
                              uint64_t count, uint64_t wave)
{
    uint64_t all = teg_assigned_count(a, cluster), at = 0;
    uint64_t *out = arena_alloc(arena, (count + 1) * sizeof *out), *own = NULL;
    if (a->owners) own = mem_alloc((all + 1) * sizeof *own);
    for (uint64_t i = 0; own && i < a->blocks; i++)
        if (a->owners[i] == cluster) own[at++] = i;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t place = position(i, count, all, wave);
        out[i] = own ? own[place] : cluster + place * a->clusters;
    }
    mem_free(own);
    return out;
}
