// SPDX-License-Identifier: Apache-2.0
#include "model/teg/teg_fetch.h"

#include "base/memory.h"

static inline teg_time later(teg_time a, teg_time b)
{
    return a > b ? a : b;
}

/* ---- caches ---------------------------------------------------------------------------------- */

static void init_cache(struct teg_fetch_cache *cache, uint32_t lines, uint64_t bytes)
{
    cache->places = mem_zalloc((size_t)lines + 1, sizeof *cache->places);
    cache->capacity = (uint32_t)(bytes / FETCH_LINE_BYTES);
    for (uint32_t i = 0; i < lines; i++)
        cache->places[i].arrives = TEG_NEVER;
    cache->places[lines].before = cache->places[lines].after = lines;
}

static void unlink_place(struct teg_fetch_cache *cache, uint32_t line)
{
    const struct teg_fetch_place *place = &cache->places[line];
    cache->places[place->before].after = place->after;
    cache->places[place->after].before = place->before;
}

/* The line is the last one used; it comes at `arrives` if it is not there, and then the least recently used
 * one goes if there is no room. `end` is the number of lines. */
static void use(struct teg_fetch_cache *cache, uint32_t line, uint32_t end, teg_time arrives)
{
    struct teg_fetch_place *place = &cache->places[line], *order = &cache->places[end];
    bool is_there = place->arrives != TEG_NEVER;
    if (!is_there) place->arrives = arrives;
    place->was_there = true;
    if (end <= cache->capacity) return; /* all have room */
    if (is_there) {
        unlink_place(cache, line);
    } else if (cache->used < cache->capacity) {
        cache->used++;
    } else {
        cache->places[order->after].arrives = TEG_NEVER;
        unlink_place(cache, order->after);
    }
    place->before = order->before;
    place->after = end;
    cache->places[order->before].after = line;
    order->before = line;
}

/* ---- all of an SM ---------------------------------------------------------------------------- */

void teg_fetch_init(struct teg_fetch *fetch, const struct teg_machine *machine,
                    uint32_t instructions, bool has_l2_code)
{
    const struct teg_fetch_machine *from = &machine->fetch;
    *fetch = (struct teg_fetch){
        .lines = (instructions + FETCH_LINE_INSNS - 1) / FETCH_LINE_INSNS,
        .parts = machine->parts,
        .hop = from->hop,
        .first = (has_l2_code ? machine->l2.latency : machine->dram.latency) - machine->l1.latency,
        .next = machine->l2.latency - machine->l1.latency,
    };
    fetch->l0 = mem_zalloc(fetch->parts, sizeof *fetch->l0);
    fetch->streams = mem_zalloc(fetch->parts, sizeof *fetch->streams);
    fetch->part_constants =
        mem_zalloc((size_t)fetch->parts * TEG_CONSTANTS_COUNT, sizeof *fetch->part_constants);
    init_cache(&fetch->l1, fetch->lines, from->l1_bytes);
    for (unsigned i = 0; i < fetch->parts; i++)
        init_cache(&fetch->l0[i], fetch->lines, from->l0_bytes);
    for (unsigned i = 0; i < TEG_CONSTANTS_COUNT; i++)
        fetch->constants[i] = TEG_NEVER;
    for (unsigned i = 0; i < fetch->parts * TEG_CONSTANTS_COUNT; i++)
        fetch->part_constants[i] = TEG_NEVER;
}

void teg_fetch_clear(struct teg_fetch *fetch)
{
    for (unsigned i = 0; i < fetch->parts; i++)
        mem_free(fetch->l0[i].places);
    mem_free(fetch->l1.places);
    mem_free(fetch->l0);
    mem_free(fetch->streams);
    mem_free(fetch->part_constants);
    *fetch = (struct teg_fetch){0};
}

/* When a line that is asked for at `now` reaches the part. */
static teg_time request(struct teg_fetch *fetch, uint32_t line, teg_time now)
{
    const struct teg_fetch_place *place = &fetch->l1.places[line];
    teg_time asked = now + fetch->hop;
    use(&fetch->l1, line, fetch->lines, asked + (place->was_there ? fetch->next : fetch->first));
    return later(asked, place->arrives) + fetch->hop;
}

/* The line comes out of the stream, or from a miss that begins another; then the stream goes on behind it. */
static teg_time follow_stream(struct teg_fetch *fetch, struct teg_fetch_stream *stream,
                              uint32_t line, teg_time now)
{
    bool is_hit = line - stream->first < stream->count;
    uint32_t behind = line + 1, end = is_hit ? stream->first + stream->count : behind;
    teg_time arrives =
        is_hit ? stream->arrives[line % FETCH_STREAM_LINES] : request(fetch, line, now);
    for (; end < fetch->lines && end - behind < FETCH_STREAM_LINES; end++)
        stream->arrives[end % FETCH_STREAM_LINES] = request(fetch, end, now);
    stream->first = behind;
    stream->count = end - behind;
    return arrives;
}

teg_time teg_fetch_line(struct teg_fetch *fetch, unsigned part, uint32_t line, teg_time now)
{
    struct teg_fetch_cache *l0 = &fetch->l0[part];
    teg_time arrives = l0->places[line].arrives;
    if (arrives == TEG_NEVER) arrives = follow_stream(fetch, &fetch->streams[part], line, now);
    use(l0, line, fetch->lines, arrives);
    return arrives;
}

teg_time teg_fetch_constants(struct teg_fetch *fetch, unsigned part, enum teg_constants which,
                             teg_time now)
{
    teg_time *arrives = &fetch->part_constants[part * TEG_CONSTANTS_COUNT + which];
    teg_time *behind = &fetch->constants[which], asked = now + fetch->hop;
    if (*arrives != TEG_NEVER) return *arrives;
    if (*behind == TEG_NEVER) *behind = asked + fetch->first;
    return *arrives = later(asked, *behind) + fetch->hop;
}
