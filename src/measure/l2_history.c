// SPDX-License-Identifier: Apache-2.0
#include "measure/l2_history.h"

#include <string.h>

#include "base/memory.h"
#include "measure/footprint.h"

/* Parts of memory are known by the time of their last touch. A touch takes several times: in each, every sweep
 * moves on by the same share of its sectors. Between two times the order is unknown. */
enum {
    SECTOR_BYTES = 32,
    TIMES_OF_TOUCH = 64,
    SECTORS_OF_TIME = 512, /* at least: 16 KiB, little beside any L2 */
    TIMES_MAX = 1 << 14,
    PARTS_MAX = 1 << 14,
};
/* Beyond what any L2 holds. */
static const uint64_t KEPT_SECTORS = (UINT64_C(256) << 20) / SECTOR_BYTES;

struct part {
    struct l2_range range;
    uint32_t time;
};

struct l2_history {
    struct part *parts; /* by address, apart */
    uint32_t count, room;
    uint32_t now;             /* the time that comes next */
    uint64_t total;           /* sectors in parts */
    uint64_t at[TIMES_MAX];   /* sectors by time of their last touch */
    uint64_t tree[TIMES_MAX]; /* sums of these: Fenwick's */
};

struct l2_history *l2_history_create(void)
{
    struct l2_history *history = mem_zalloc(1, sizeof *history);
    history->room = 64;
    history->parts = mem_zalloc(history->room, sizeof *history->parts);
    return history;
}

void l2_history_destroy(struct l2_history *history)
{
    if (!history) return;
    mem_free(history->parts);
    mem_free(history);
}

/* ---- ranges ---------------------------------------------------------------------------------- */

static uint64_t length_of(const struct l2_range *range)
{
    return range->end - range->first;
}

/* a * b / c of a <= c, without overflow. */
static uint64_t share(uint64_t a, uint64_t b, uint64_t c)
{
    __extension__ typedef unsigned __int128 wide;
    uint64_t product;
    if (!__builtin_mul_overflow(a, b, &product)) return c ? product / c : 0;
    return c ? (uint64_t)((wide)a * b / c) : 0;
}

struct l2_range l2_range_within(const struct l2_range *range, uint64_t first, uint64_t end)
{
    if (first < range->first) first = range->first;
    if (end > range->end) end = range->end;
    if (end <= first) return (struct l2_range){first, first, 0};
    uint64_t before = share(first - range->first, range->touched, length_of(range));
    uint64_t until = share(end - range->first, range->touched, length_of(range));
    return (struct l2_range){first, end, until - before};
}

/* Joins the neighbours that are closest until few are left. */
static void join_ranges(struct l2_ranges *ranges)
{
    for (uint64_t gap = 1; ranges->count > L2_RANGES_MAX / 2; gap *= 2) {
        uint32_t to = 0;
        for (uint32_t i = 1; i < ranges->count; i++) {
            const struct l2_range next = ranges->items[i];
            struct l2_range *last = &ranges->items[to];
            if (next.first - last->end > gap) {
                ranges->items[++to] = next;
                continue;
            }
            last->end = next.end;
            last->touched += next.touched;
        }
        ranges->count = to + 1;
    }
}

void l2_ranges_add(struct l2_ranges *ranges, uint64_t first, uint64_t end)
{
    struct l2_range *last = ranges->count ? &ranges->items[ranges->count - 1] : NULL;
    if (last && last->end == first) {
        last->end = end;
        last->touched += end - first;
        return;
    }
    if (ranges->count == L2_RANGES_MAX) join_ranges(ranges);
    GROW(ranges->items, ranges->count, ranges->room);
    ranges->items[ranges->count++] = (struct l2_range){first, end, end - first};
}

static void add_run(void *ranges, uint64_t first, uint64_t end)
{
    l2_ranges_add(ranges, first, end);
}

void l2_ranges_take(struct l2_ranges *ranges, const struct footprint *footprint)
{
    footprint_each_run(footprint, add_run, ranges);
}

void l2_ranges_clear(struct l2_ranges *ranges)
{
    mem_free(ranges->items);
    *ranges = (struct l2_ranges){0};
}

/* ---- times ----------------------------------------------------------------------------------- */

static void add_at(struct l2_history *h, uint32_t time, uint64_t sectors, bool is_added)
{
    h->total += is_added ? sectors : 0 - sectors;
    h->at[time] += is_added ? sectors : 0 - sectors;
    for (uint32_t i = time + 1; i <= TIMES_MAX; i += i & (0 - i))
        h->tree[i - 1] += is_added ? sectors : 0 - sectors;
}

/* Sectors that were touched last at this time or later. */
static uint64_t since(const struct l2_history *h, uint32_t time)
{
    uint64_t before = 0;
    for (uint32_t i = time; i; i -= i & (0 - i))
        before += h->tree[i - 1];
    return h->total - before;
}

/* Drops parts older than what any L2 keeps, and the oldest if there are too many; times that nothing is left of
 * make room. */
static void forget(struct l2_history *h)
{
    uint32_t *renamed = mem_zalloc(TIMES_MAX, sizeof *renamed), count = 0, oldest = 0, kept = 0;
    while (oldest < h->now && since(h, oldest) > KEPT_SECTORS)
        oldest++;
    if (h->count > PARTS_MAX / 2) oldest += (h->now - oldest) / 2;
    for (uint32_t time = oldest; time < h->now; time++) {
        renamed[time] = count;
        count += h->at[time] > 0;
    }
    /* Where times are too many still, neighbours become one. */
    uint32_t of_one = 1 + count / (TIMES_MAX / 2);
    memset(h->at, 0, sizeof h->at);
    memset(h->tree, 0, sizeof h->tree);
    h->total = 0;
    for (uint32_t i = 0; i < h->count; i++) {
        struct part part = h->parts[i];
        if (part.time < oldest) continue;
        part.time = renamed[part.time] / of_one;
        add_at(h, part.time, part.range.touched, true);
        h->parts[kept++] = part;
    }
    h->count = kept;
    h->now = count / of_one + 1;
    mem_free(renamed);
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* Index of the first part that ends behind a sector. */
static uint32_t find_part(const struct l2_history *h, uint64_t sector)
{
    uint32_t low = 0, high = h->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (h->parts[middle].range.end <= sector)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Before anything changes: memory may run out. */
static void reserve(struct l2_history *h, uint32_t more)
{
    if (h->count + more <= h->room) return;
    h->parts = mem_realloc(h->parts, 2 * (size_t)h->room * sizeof *h->parts);
    h->room *= 2;
}

/* Makes `count` places at `at` for `old` ones that are there. */
static void resize_at(struct l2_history *h, uint32_t at, uint32_t old, uint32_t count)
{
    memmove(h->parts + at + count, h->parts + at + old, (h->count - at - old) * sizeof *h->parts);
    h->count += count - old;
}

/* Touches sectors now. Where only some of a stretch are touched, they are those that were before: patterns
 * repeat. So the others of an old part stay with them. */
static void put_part(struct l2_history *h, struct l2_range range)
{
    reserve(h, 2);
    uint32_t from = find_part(h, range.first), to = from, count = 0;
    struct part now = {range, h->now}, left = {0}, right = {0}, parts[3];
    for (; to < h->count && h->parts[to].range.first < range.end; to++) {
        const struct part old = h->parts[to];
        struct l2_range inside = l2_range_within(&old.range, range.first, range.end);
        struct l2_range new = l2_range_within(&range, inside.first, inside.end);
        if (old.range.first < range.first)
            left = (struct part){l2_range_within(&old.range, 0, range.first), old.time};
        if (old.range.end > range.end)
            right = (struct part){l2_range_within(&old.range, range.end, UINT64_MAX), old.time};
        add_at(h, old.time, inside.touched, false);
        if (inside.touched > new.touched) now.range.touched += inside.touched - new.touched;
    }
    if (length_of(&left.range)) parts[count++] = left;
    parts[count++] = now;
    if (length_of(&right.range)) parts[count++] = right;
    resize_at(h, from, to - from, count);
    memcpy(h->parts + from, parts, count * sizeof *parts);
    add_at(h, h->now, now.range.touched, true);
}

/* ---- what is found --------------------------------------------------------------------------- */

static void add_found(struct l2_found *out, uint64_t bytes, uint64_t sectors)
{
    uint32_t at = 0;
    if (!sectors) return;
    while (at < out->count && out->items[at].bytes < bytes)
        at++;
    bool is_there =
        at < out->count && (out->items[at].bytes == bytes || out->count == L2_REUSE_MAX);
    if (is_there || at == L2_REUSE_MAX) {
        struct l2_reuse *near = &out->items[is_there ? at : at - 1];
        near->sectors += sectors;
        if (near->bytes < bytes) near->bytes = bytes;
        return;
    }
    memmove(&out->items[at + 1], &out->items[at], (out->count - at) * sizeof *out->items);
    out->items[at] = (struct l2_reuse){bytes, sectors};
    out->count++;
}

/* Since a sector was touched, the others of its time after it and those of this time before it were, too: about
 * as many as a time has. */
static void look_up(const struct l2_history *h, const struct l2_range *range, struct l2_found *out)
{
    out->read += range->touched;
    for (uint32_t i = find_part(h, range->first);
         i < h->count && h->parts[i].range.first < range->end; i++) {
        struct l2_range old = l2_range_within(&h->parts[i].range, range->first, range->end);
        struct l2_range new = l2_range_within(range, old.first, old.end);
        uint64_t common = old.touched < new.touched ? old.touched : new.touched;
        add_found(out, since(h, h->parts[i].time) * SECTOR_BYTES, common);
    }
}

bool l2_history_find(const struct l2_history *history, uint64_t sector, uint64_t *out_bytes)
{
    uint32_t at = find_part(history, sector);
    if (at == history->count || history->parts[at].range.first > sector) return false;
    *out_bytes = since(history, history->parts[at].time) * SECTOR_BYTES;
    return true;
}

/* ---- touches --------------------------------------------------------------------------------- */

static uint64_t sectors_in(const struct l2_ranges *ranges)
{
    uint64_t sectors = 0;
    for (uint32_t i = 0; i < ranges->count; i++)
        sectors += ranges->items[i].touched;
    return sectors;
}

struct step {
    uint32_t number, count; /* of so many */
};

/* What a step touches of a range that follows `before` of all `all` sectors of its sweep. */
static struct l2_range part_of_step(const struct l2_range *range, uint64_t before, uint64_t all,
                                    struct step step)
{
    if (step.count == 1) return *range;
    uint64_t from = share(step.number, all, step.count);
    uint64_t to = share(step.number + 1, all, step.count), length = length_of(range);
    from = from > before ? from - before : 0;
    to = to > before ? to - before : 0;
    if (from > range->touched) from = range->touched;
    if (to > range->touched) to = range->touched;
    struct l2_range out = {range->first + share(from, length, range->touched),
                           range->first + share(to, length, range->touched), to - from};
    return out;
}

static void each_of_step(struct l2_history *h, const struct l2_sweep *sweep, struct step step,
                         struct l2_found *out)
{
    uint64_t all = sectors_in(&sweep->ranges), before = 0;
    for (uint32_t i = 0; i < sweep->ranges.count; i++) {
        const struct l2_range *range = &sweep->ranges.items[i];
        struct l2_range part = part_of_step(range, before, all, step);
        before += range->touched;
        if (!part.touched) continue;
        if (!out)
            put_part(h, part);
        else if (sweep->is_read)
            look_up(h, &part, out);
    }
}

void l2_history_touch(struct l2_history *history, const struct l2_sweep *sweeps, size_t count,
                      struct l2_found *out)
{
    uint64_t sectors = 0;
    for (size_t i = 0; i < count; i++)
        sectors += sectors_in(&sweeps[i].ranges);
    uint64_t times = sectors / SECTORS_OF_TIME;
    struct step step = {.count = times < 1                ? 1
                                 : times > TIMES_OF_TOUCH ? TIMES_OF_TOUCH
                                                          : (uint32_t)times};
    if (out) out->count = 0, out->read = 0;
    if (history->now + step.count >= TIMES_MAX || history->count > PARTS_MAX ||
        history->total > 2 * KEPT_SECTORS)
        forget(history);
    for (; step.number < step.count; step.number++, history->now++) {
        for (size_t i = 0; out && i < count; i++)
            each_of_step(history, &sweeps[i], step, out);
        for (size_t i = 0; i < count; i++)
            each_of_step(history, &sweeps[i], step, NULL);
    }
}
