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

/* ---- segments of cc 1.2 ----------------------------------------------------------------------- */

/* log2 of initial and least segment in bits 8 to 11 and 12 to 15 of the rules. */
enum { SEGMENT_SHIFT = 8, SEGMENT_MASK = 0xff00, INITIAL_DEFAULT = 128, LEAST_DEFAULT = 32 };

bool segments_valid(struct segments segments)
{
    unsigned initial = segments.initial, least = segments.least;
    bool powers = (initial & (initial - 1)) == 0 && (least & (least - 1)) == 0;
    return powers && initial >= 32 && initial <= 256 && least >= 4 && least <= initial;
}

unsigned rules_with_segments(unsigned rules, struct segments segments)
{
    unsigned initial = bits_lowest(segments.initial), least = bits_lowest(segments.least);
    return (rules & ~(unsigned)SEGMENT_MASK) | (initial | least << 4) << SEGMENT_SHIFT;
}

struct segments rules_segments(unsigned rules)
{
    unsigned both = (rules & SEGMENT_MASK) >> SEGMENT_SHIFT;
    if (!both) return (struct segments){INITIAL_DEFAULT, LEAST_DEFAULT};
    return (struct segments){1u << (both & 15), 1u << (both >> 4)};
}

/* ---- global and local memory ----------------------------------------------------------------- */

/* The distinct 128-byte lines of a request, found through a small open hash. Which of their four
 * sectors each half-warp touches answers sectors, lines and the cc 1.2 protocol at once: naturally
 * aligned words of up to 16 bytes lie within one sector. */
struct lines {
    unsigned count;
    uint64_t numbers[128];
    uint8_t halves[128];    /* sectors of lanes 0-15 in bits 0-3, of lanes 16-31 in bits 4-7 */
    uint64_t words[128][2]; /* bit k: word k of the access width was touched */
    uint8_t slots[256];     /* index + 1, 0: free */
};

static void lines_clear(struct lines *lines)
{
    lines->count = 0;
    memset(lines->slots, 0, sizeof lines->slots);
}

static unsigned lines_find(struct lines *lines, uint64_t number)
{
    /* Fibonacci hashing: the multiplier is 2^64 / golden ratio. */
    unsigned slot = (unsigned)(number * UINT64_C(0x9e3779b97f4a7c15) >> 56);
    while (lines->slots[slot]) {
        unsigned found = lines->slots[slot] - 1u;
        if (lines->numbers[found] == number) return found;
        slot = (slot + 1) & 255;
    }
    unsigned added = lines->count++;
    lines->slots[slot] = (uint8_t)(added + 1);
    lines->numbers[added] = number;
    lines->halves[added] = 0;
    lines->words[added][0] = lines->words[added][1] = 0;
    return added;
}

static void lines_add(struct lines *lines, uint64_t address, unsigned lane, unsigned shift)
{
    unsigned at = lines_find(lines, address >> 7);
    unsigned word = (unsigned)(address & 127) >> shift;
    lines->halves[at] |= (uint8_t)(1u << ((address >> 5 & 3) + (lane & 16) / 4));
    lines->words[at][word >> 6] |= UINT64_C(1) << (word & 63);
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

static struct transactions lines_cc12(const struct lines *lines, unsigned bytes)
{
    unsigned row = bytes == 1 ? 2 : bytes == 2 ? 1 : 0;
    struct transactions total = {0, 0};
    for (unsigned i = 0; i < lines->count; i++) {
        unsigned low = lines->halves[i] & 15u, high = lines->halves[i] >> 4;
        total.count += (uint32_t)(cc12_count[row][low] + cc12_count[row][high]);
        total.bytes += 32u * (uint32_t)(cc12_sectors[row][low] + cc12_sectors[row][high]);
    }
    return total;
}

/* Both half-warps under RULE_CC12: by the table where the segments are those of cc 1.2. */
static struct transactions halves_cc12(const struct lines *lines, const uint64_t *addresses,
                                       uint32_t mask, unsigned bytes, unsigned rules)
{
    struct segments segments = rules_segments(rules);
    if (segments.initial == INITIAL_DEFAULT && segments.least == LEAST_DEFAULT)
        return lines_cc12(lines, bytes);
    unsigned initial = coalesce_cc12_initial_segment(bytes);
    if (initial == INITIAL_DEFAULT || segments.initial < initial) initial = segments.initial;
    struct transactions low =
        coalesce_cc12(addresses, mask & 0xffff, bytes, initial, segments.least);
    struct transactions high =
        coalesce_cc12(addresses + 16, mask >> 16, bytes, initial, segments.least);
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

static void set_sectors(struct cost *out, const struct lines *lines, unsigned shift)
{
    unsigned sectors = 0, words = 0;
    for (unsigned i = 0; i < lines->count; i++) {
        sectors += cc12_count[2][(lines->halves[i] | lines->halves[i] >> 4) & 15];
        words += bits_count64(lines->words[i][0]) + bits_count64(lines->words[i][1]);
    }
    unsigned fewest = ((words << shift) + 31) / 32;
    out->fields[COST_SECTORS32] = (uint16_t)sectors;
    out->fields[COST_LINES128] = (uint16_t)lines->count;
    out->fields[COST_COALESCED_SECTOR] = sectors <= fewest;
    out->fields[COST_UNCOALESCED_SECTOR] = sectors > fewest;
    out->fields[COST_UNCOALESCED_TRANSACTIONS_SECTOR] = (uint16_t)(sectors > fewest ? sectors : 0);
}

static void global_cost(struct cost *out, unsigned bytes, uint32_t mask, const uint64_t *addresses,
                        unsigned rules)
{
    struct lines lines;
    unsigned shift = bits_lowest(bytes);
    unsigned fewest = half_warps(mask) * (bytes == 16 ? 2 : 1);
    lines_clear(&lines);
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = bits_lowest(rest);
        lines_add(&lines, addresses[lane], lane, shift);
    }
    set_sectors(out, &lines, shift);
    if (rules & RULE_CC10)
        set_rule(&out->fields[COST_TRANSACTIONS_CC10], halves_cc10(addresses, mask, bytes), fewest);
    if (rules & RULE_CC12)
        set_rule(&out->fields[COST_TRANSACTIONS_CC12],
                 halves_cc12(&lines, addresses, mask, bytes, rules), fewest);
}

/* Local memory is interleaved by 4-byte words: word w of lane l lies at w * 128 + l * 4. So an
 * access moves whole words, and a wide one is several word accesses in sequence. */
static void local_cost(struct cost *out, unsigned bytes, uint32_t mask, const uint64_t *offsets,
                       unsigned rules)
{
    struct lines all, step;
    struct transactions cc10 = {0, 0}, cc12 = {0, 0};
    unsigned words = bytes > 4 ? bytes / 4 : 1;
    lines_clear(&all);
    for (unsigned k = 0; k < words; k++) {
        uint64_t physical[32];
        lines_clear(&step);
        for (uint32_t rest = mask; rest; rest &= rest - 1) {
            unsigned lane = bits_lowest(rest);
            physical[lane] = (offsets[lane] / 4 + k) * 128 + lane * 4;
            lines_add(&all, physical[lane], lane, 2);
            lines_add(&step, physical[lane], lane, 2);
        }
        struct transactions t = halves_cc10(physical, mask, 4);
        cc10 = (struct transactions){cc10.count + t.count, cc10.bytes + t.bytes};
        t = halves_cc12(&step, physical, mask, 4, rules);
        cc12 = (struct transactions){cc12.count + t.count, cc12.bytes + t.bytes};
    }
    set_sectors(out, &all, 2);
    unsigned fewest = half_warps(mask) * words;
    if (rules & RULE_CC10) set_rule(&out->fields[COST_TRANSACTIONS_CC10], cc10, fewest);
    if (rules & RULE_CC12) set_rule(&out->fields[COST_TRANSACTIONS_CC12], cc12, fewest);
}

/* ---- shared memory --------------------------------------------------------------------------- */

enum { WORD_SLOTS = 256 };

/* Distinct words of a phase, by an open hash; the number of lanes on each for atomics. */
struct words {
    uint64_t numbers[WORD_SLOTS];
    uint8_t lanes[WORD_SLOTS]; /* 0: free */
};

/* Returns how many lanes are on the word now. */
static unsigned words_add(struct words *words, uint64_t number)
{
    unsigned slot = (unsigned)(number * UINT64_C(0x9e3779b97f4a7c15) >> 56);
    while (words->lanes[slot] && words->numbers[slot] != number)
        slot = (slot + 1) & 255;
    words->numbers[slot] = number;
    return ++words->lanes[slot];
}

/* Passes of one phase through 32 banks: the most distinct words in one bank. */
static unsigned phase32(const uint64_t *addresses, uint32_t mask, unsigned words_per_lane)
{
    struct words words;
    uint8_t banks[32] = {0};
    unsigned most = 0;
    memset(words.lanes, 0, sizeof words.lanes);
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        uint64_t word = addresses[bits_lowest(rest)] / 4;
        for (unsigned k = 0; k < words_per_lane; k++, word++) {
            if (words_add(&words, word) > 1) continue;
            unsigned count = ++banks[word & 31];
            if (count > most) most = count;
        }
    }
    return most;
}

static unsigned most_lanes_on_a_word(const uint64_t *addresses, uint32_t mask)
{
    struct words words;
    unsigned most = 0;
    memset(words.lanes, 0, sizeof words.lanes);
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned count = words_add(&words, addresses[bits_lowest(rest)] / 4);
        if (count > most) most = count;
    }
    return most;
}

static void shared_cost(struct cost *out, unsigned bytes, uint32_t mask, const uint64_t *addresses,
                        unsigned rules)
{
    unsigned words = bytes > 4 ? bytes / 4 : 1;
    unsigned lanes = 32 / words, wavefronts = 0, phases = 0;
    for (unsigned first = 0; first < 32; first += lanes) {
        uint32_t phase = mask & (uint32_t)(((UINT64_C(1) << lanes) - 1) << first);
        phases += phase != 0;
        if (phase) wavefronts += phase32(addresses, phase, words);
    }
    unsigned same = out->kind == KIND_SHARED_ATOMIC ? most_lanes_on_a_word(addresses, mask) - 1 : 0;
    out->fields[COST_WAVEFRONTS32] = (uint16_t)(wavefronts + same);
    out->fields[COST_CONFLICTS32] = (uint16_t)(wavefronts + same - phases);
    if (!(rules & RULE_BANK16)) return;
    unsigned steps = bank_steps(addresses, mask & 0xffff, bytes, 16) +
                     bank_steps(addresses + 16, mask >> 16, bytes, 16);
    out->fields[COST_WAVEFRONTS16] = (uint16_t)(steps + same);
    out->fields[COST_CONFLICTS16] = (uint16_t)(steps + same - half_warps(mask) * words);
}

void access_cost(struct cost *out, enum memory_kind kind, unsigned bytes, uint32_t mask,
                 const uint64_t *addresses, unsigned rules)
{
    memset(out, 0, sizeof *out);
    out->kind = (uint16_t)kind;
    out->fields[COST_REQUESTS] = 1;
    out->fields[COST_BYTES_REQUESTED] = (uint16_t)(bits_count(mask) * bytes);
    if (kind >= KIND_SHARED_LOAD)
        shared_cost(out, bytes, mask, addresses, rules);
    else if (kind >= KIND_LOCAL_LOAD)
        local_cost(out, bytes, mask, addresses, rules);
    else
        global_cost(out, bytes, mask, addresses, rules);
}

unsigned access_alignment(enum memory_kind kind, unsigned bytes, unsigned rules)
{
    if (kind >= KIND_LOCAL_LOAD) return 4;
    bool wide = rules_segments(rules).initial > 128;
    return ((rules & RULE_CC10) && bytes == 16) || wide ? 256 : 128;
}
