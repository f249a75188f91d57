// SPDX-License-Identifier: Apache-2.0
#include "measure/access_cost.h"

#include <string.h>

#include "measure/bits.h"
#include "measure/memory_rules.h"

const enum counter memory_kind_counters[MEMORY_KIND_COUNT] = {
#define KIND(name, first, fields) first,
    MEMORY_KINDS(KIND)
#undef KIND
};
const unsigned memory_kind_fields[MEMORY_KIND_COUNT] = {
#define KIND(name, first, fields) fields,
    MEMORY_KINDS(KIND)
#undef KIND
};
_Static_assert(COUNTER_MEM_GLOBAL_LOAD_REQUESTS + (int)COST_GLOBAL_FIELDS ==
                   (int)COUNTER_MEM_GLOBAL_STORE_REQUESTS,
               "cost fields follow counters.def");
_Static_assert(COUNTER_MEM_GLOBAL_LOAD_REQUESTS + (int)COST_TRANSACTIONS_CC12 ==
                   (int)COUNTER_MEM_GLOBAL_LOAD_TRANSACTIONS_CC12,
               "cost fields follow counters.def");
_Static_assert(COUNTER_MEM_SHARED_LOAD_REQUESTS + (int)COST_SHARED_FIELDS ==
                   (int)COUNTER_MEM_SHARED_STORE_REQUESTS,
               "cost fields follow counters.def");

enum memory_kind memory_kind(enum mem_space space, enum memory_operation operation)
{
    int at = (int)operation;
    switch (space) {
    case SPACE_GLOBAL:
        return (enum memory_kind)(KIND_GLOBAL_LOAD + at);
    case SPACE_SHARED:
        return (enum memory_kind)(KIND_SHARED_LOAD + at);
    case SPACE_LOCAL:
        return operation == MEMORY_ATOMIC ? MEMORY_KIND_NONE
                                          : (enum memory_kind)(KIND_LOCAL_LOAD + at);
    default:
        return MEMORY_KIND_NONE;
    }
}

unsigned counter_rule(enum counter counter)
{
    for (int kind = 0; kind < MEMORY_KIND_COUNT; kind++) {
        int field = (int)counter - (int)memory_kind_counters[kind];
        if (field < 0 || field >= (int)memory_kind_fields[kind]) continue;
        if (kind >= KIND_SHARED_LOAD)
            return field == COST_WAVEFRONTS16 || field == COST_CONFLICTS16 ? RULE_BANK16 : 0;
        if (field >= COST_COALESCED_SECTOR || field < COST_TRANSACTIONS_CC10) return 0;
        return field >= COST_TRANSACTIONS_CC12 ? RULE_CC12 : RULE_CC10;
    }
    return 0;
}

/* ---- rules of cc 1.x ----------------------------------------------------------------------- */

enum { INITIAL_DEFAULT = 128, LEAST_DEFAULT = 32, BANKS_DEFAULT = 16 };

bool segments_valid(struct segments segments)
{
    unsigned initial = segments.initial, least = segments.least;
    bool powers = (initial & (initial - 1)) == 0 && (least & (least - 1)) == 0;
    return powers && initial <= 256 && least >= 4 && least <= initial;
}

struct counting_rules counting_rules_of(unsigned set)
{
    return (struct counting_rules){set, BANKS_DEFAULT, {INITIAL_DEFAULT, LEAST_DEFAULT}, false};
}

/* ---- global and local memory ----------------------------------------------------------------- */

/* A request. Naturally aligned words of up to 16 bytes lie within one sector. */
struct request {
    const struct lane_math *math;
    const uint64_t *addresses;
    uint32_t mask;
    uint32_t line_of[32]; /* by lane of mask: the lanes on its line */
    unsigned bytes;
    struct lane_counts counts;
};

static void count_groups(struct request *request)
{
    request->math->count(request->addresses, request->mask, bits_lowest(request->bytes),
                         request->line_of, &request->counts);
}

/* Which of the four sectors of a line its lanes touch. */
static unsigned sectors_of(const uint64_t *addresses, uint32_t lanes)
{
    unsigned sectors = 0;
    for (; lanes; lanes &= lanes - 1)
        sectors |= 1u << (addresses[bits_lowest(lanes)] >> 5 & 3);
    return sectors;
}

/* Transactions and bytes/32 of one 128-byte line by the sectors used, for the initial segments
 * 128, 64 and 32. */
static const uint8_t cc12_count[3][16] = {
    {0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
    {0, 1, 1, 1, 1, 2, 2, 2, 1, 2, 2, 2, 1, 2, 2, 2},
    {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4},
};
static const uint8_t cc12_sectors[3][16] = {
    {0, 1, 1, 2, 1, 4, 4, 4, 1, 4, 4, 4, 2, 4, 4, 4},
    {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4},
    {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4},
};

static struct transactions lines_cc12(const struct request *request)
{
    unsigned row = request->bytes == 1 ? 2 : request->bytes == 2 ? 1 : 0;
    struct transactions total = {0, 0};
    for (uint32_t rest = request->counts.leaders; rest; rest &= rest - 1) {
        uint32_t lanes = request->line_of[bits_lowest(rest)];
        unsigned low = sectors_of(request->addresses, lanes & 0xffff);
        unsigned high = sectors_of(request->addresses, lanes & 0xffff0000);
        total.count += (uint32_t)(cc12_count[row][low] + cc12_count[row][high]);
        total.bytes += 32u * (uint32_t)(cc12_sectors[row][low] + cc12_sectors[row][high]);
    }
    return total;
}

/* Both half-warps under RULE_CC12: by the table where the segments are those of cc 1.2. */
static struct transactions halves_cc12(const struct request *request, struct segments segments)
{
    if (segments.initial == INITIAL_DEFAULT && segments.least == LEAST_DEFAULT)
        return lines_cc12(request);
    unsigned initial = coalesce_cc12_initial_segment(request->bytes);
    if (initial == INITIAL_DEFAULT || segments.initial < initial) initial = segments.initial;
    if (initial < request->bytes) initial = request->bytes; /* a word is not split */
    const uint64_t *addresses = request->addresses;
    struct transactions low =
        coalesce_cc12(addresses, request->mask & 0xffff, request->bytes, initial, segments.least);
    struct transactions high =
        coalesce_cc12(addresses + 16, request->mask >> 16, request->bytes, initial, segments.least);
    return (struct transactions){low.count + high.count, low.bytes + high.bytes};
}

/* The five counters of one rule: coalesced means no more transactions than the fewest. */
static void set_rule(uint16_t *fields, struct transactions total, unsigned fewest)
{
    bool coalesced = total.count <= fewest;
    fields[0] = (uint16_t)total.count;
    fields[1] = (uint16_t)total.bytes;
    fields[2] = coalesced;
    fields[3] = !coalesced;
    fields[4] = (uint16_t)(coalesced ? 0 : total.count);
}

static unsigned half_warps(uint32_t mask)
{
    return (unsigned)((mask & 0xffff) != 0) + (unsigned)(mask >> 16 != 0);
}

static struct transactions halves_cc10(const uint64_t *addresses, uint32_t mask, unsigned bytes)
{
    struct transactions low = coalesce_cc10(addresses, mask & 0xffff, bytes);
    struct transactions high = coalesce_cc10(addresses + 16, mask >> 16, bytes);
    return (struct transactions){low.count + high.count, low.bytes + high.bytes};
}

static void set_sectors(struct cost *out, const struct request *request)
{
    unsigned sectors = request->counts.sectors;
    unsigned fewest = (request->counts.words * request->bytes + 31) / 32;
    out->fields[COST_SECTORS32] = (uint16_t)sectors;
    out->fields[COST_LINES128] = (uint16_t)request->counts.lines;
    out->fields[COST_COALESCED_SECTOR] = sectors <= fewest;
    out->fields[COST_UNCOALESCED_SECTOR] = sectors > fewest;
    out->fields[COST_UNCOALESCED_TRANSACTIONS_SECTOR] = (uint16_t)(sectors > fewest ? sectors : 0);
}

static void global_cost(struct cost *out, struct request *request,
                        const struct counting_rules *rules)
{
    uint32_t mask = request->mask;
    unsigned fewest = half_warps(mask) * (request->bytes == 16 ? 2 : 1);
    count_groups(request);
    set_sectors(out, request);
    if (rules->set & RULE_CC10)
        set_rule(&out->fields[COST_TRANSACTIONS_CC10],
                 halves_cc10(request->addresses, mask, request->bytes), fewest);
    if (rules->set & RULE_CC12)
        set_rule(&out->fields[COST_TRANSACTIONS_CC12], halves_cc12(request, rules->segments),
                 fewest);
}

/* Local memory is interleaved by 4-byte words: word w of lane l lies at w * 128 + l * 4. So an
 * access moves whole words, and a wide one is several word accesses in sequence, each to lines of
 * its own. */
static void local_cost(struct cost *out, const struct request *whole,
                       const struct counting_rules *rules)
{
    struct transactions cc10 = {0, 0}, cc12 = {0, 0};
    uint64_t physical[32];
    struct request step = *whole, all = *whole;
    unsigned words = whole->bytes > 4 ? whole->bytes / 4 : 1;
    step.addresses = physical;
    step.bytes = all.bytes = 4;
    all.counts = (struct lane_counts){0};
    for (unsigned k = 0; k < words; k++) {
        for (uint64_t lane = 0; lane < 32; lane++)
            physical[lane] = (whole->addresses[lane] / 4 + k) * 128 + lane * 4;
        count_groups(&step);
        all.counts.lines += step.counts.lines;
        all.counts.sectors += step.counts.sectors;
        all.counts.words += step.counts.words;
        struct transactions t = {0, 0};
        if (rules->set & RULE_CC10) t = halves_cc10(physical, step.mask, 4);
        cc10 = (struct transactions){cc10.count + t.count, cc10.bytes + t.bytes};
        if (rules->set & RULE_CC12) t = halves_cc12(&step, rules->segments);
        cc12 = (struct transactions){cc12.count + t.count, cc12.bytes + t.bytes};
    }
    set_sectors(out, &all);
    unsigned fewest = half_warps(whole->mask) * words;
    if (rules->set & RULE_CC10) set_rule(&out->fields[COST_TRANSACTIONS_CC10], cc10, fewest);
    if (rules->set & RULE_CC12) set_rule(&out->fields[COST_TRANSACTIONS_CC12], cc12, fewest);
}

/* ---- shared memory --------------------------------------------------------------------------- */

/* Passes of one phase through 32 banks: the most distinct words in one bank. firsts: the first lanes of the phase on
 * each word, or wide word. */
static unsigned phase32(const uint64_t *addresses, uint32_t firsts, unsigned words_per_lane)
{
    uint8_t banks[32] = {0};
    unsigned most = 0;
    for (uint32_t rest = firsts; rest; rest &= rest - 1) {
        unsigned bank = (unsigned)(addresses[bits_lowest(rest)] / 4) & 31;
        for (unsigned k = 0; k < words_per_lane; k++) {
            unsigned count = ++banks[bank + k];
            if (count > most) most = count;
        }
    }
    return most;
}

/* same[i]: the lanes on the word of lane i. */
static uint32_t first_lanes(const uint32_t *same, uint32_t phase)
{
    uint32_t firsts = 0;
    for (uint32_t rest = phase; rest; rest &= rest - 1) {
        uint32_t lane = rest & (0 - rest), of = same[bits_lowest(rest)] & phase;
        firsts |= of & (0 - of) & lane;
    }
    return firsts;
}

/* Through 32 banks; crowd: steps more of atomics on one word. */
struct passes {
    unsigned wavefronts, phases, crowd;
};

static struct passes count_passes(enum memory_kind kind, const struct request *request,
                                  const struct counting_rules *rules)
{
    const uint64_t *addresses = request->addresses;
    uint32_t mask = request->mask, same[32];
    unsigned words = request->bytes > 4 ? request->bytes / 4 : 1, lanes = 32 / words;
    struct passes out = {0, 0, 0};
    if (rules->joins_phases && bank_joins(addresses, mask, request->bytes)) lanes *= 2;
    uint32_t leaders = request->math->groups(addresses, mask, bits_lowest(4 * words), same);
    for (unsigned first = 0; first < 32; first += lanes) {
        uint32_t phase = mask & (uint32_t)(((UINT64_C(1) << lanes) - 1) << first);
        out.phases += phase != 0;
        if (!phase) continue;
        uint32_t firsts = phase == mask ? leaders : first_lanes(same, phase);
        out.wavefronts += phase32(addresses, firsts, words);
    }
    if (kind == KIND_SHARED_ATOMIC) out.crowd = request->math->most(same, leaders) - 1;
    return out;
}

static void shared_cost(struct cost *out, const struct request *request,
                        const struct counting_rules *rules)
{
    const uint64_t *addresses = request->addresses;
    uint32_t mask = request->mask;
    unsigned words = request->bytes > 4 ? request->bytes / 4 : 1;
    const struct passes passes = count_passes((enum memory_kind)out->kind, request, rules);
    out->fields[COST_WAVEFRONTS32] = (uint16_t)(passes.wavefronts + passes.crowd);
    out->fields[COST_CONFLICTS32] = (uint16_t)(passes.wavefronts + passes.crowd - passes.phases);
    if (!(rules->set & RULE_BANK16)) return;
    unsigned steps = bank_steps(addresses, mask & 0xffff, request->bytes, rules->banks) +
                     bank_steps(addresses + 16, mask >> 16, request->bytes, rules->banks);
    out->fields[COST_WAVEFRONTS16] = (uint16_t)(steps + passes.crowd);
    out->fields[COST_CONFLICTS16] = (uint16_t)(steps + passes.crowd - half_warps(mask) * words);
}

static struct request make_request(const struct lane_access *access, const struct lane_math *math)
{
    return (struct request){
        .math = math, .addresses = access->addresses, .mask = access->mask, .bytes = access->bytes};
}

bool access_summary(uint64_t *out, enum memory_kind kind, const struct lane_access *access,
                    const struct lane_math *math, const struct counting_rules *rules)
{
    enum { FIELD = 8 }; /* bits: no count is above 128 */
    struct request request = make_request(access, math);
    uint64_t head = (uint64_t)kind << FIELD | request.bytes;
    if (kind >= KIND_SHARED_LOAD && !(rules->set & RULE_BANK16)) {
        const struct passes passes = count_passes(kind, &request, rules);
        head = head << FIELD | bits_count(request.mask);
        *out =
            ((head << FIELD | passes.wavefronts) << FIELD | passes.phases) << FIELD | passes.crowd;
        return true;
    }
    if (kind >= KIND_LOCAL_LOAD || rules->set & (RULE_CC10 | RULE_CC12)) return false;
    count_groups(&request);
    const struct lane_counts *counts = &request.counts;
    head = (head << FIELD | counts->lanes) << FIELD | counts->lines;
    *out = (head << FIELD | counts->sectors) << FIELD | counts->words;
    return true;
}

void access_cost(struct cost *out, enum memory_kind kind, const struct lane_access *access,
                 const struct lane_math *math, const struct counting_rules *rules)
{
    struct request request = make_request(access, math);
    memset(out, 0, sizeof *out);
    out->kind = (uint16_t)kind;
    out->fields[COST_REQUESTS] = 1;
    out->fields[COST_BYTES_REQUESTED] = (uint16_t)(bits_count(access->mask) * access->bytes);
    if (kind >= KIND_SHARED_LOAD)
        shared_cost(out, &request, rules);
    else if (kind >= KIND_LOCAL_LOAD)
        local_cost(out, &request, rules);
    else
        global_cost(out, &request, rules);
}

unsigned access_alignment(enum memory_kind kind, unsigned bytes, const struct counting_rules *rules)
{
    if (kind >= KIND_LOCAL_LOAD) return 4;
    bool wide = rules->segments.initial > 128;
    return ((rules->set & RULE_CC10) && bytes == 16) || wide ? 256 : 128;
}
