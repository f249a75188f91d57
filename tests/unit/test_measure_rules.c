// SPDX-License-Identifier: Apache-2.0
/* Coalescing and bank rules: the golden cases of the papers, and every memory counter against plain
 * reference implementations on random requests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "emulate/emulate.h"
#include "measure/access_cost.h"
#include "measure/memory_rules.h"
#include "measure/pattern_table.h"

/* ---- golden cases ---------------------------------------------------------------------------- */

static unsigned get(const json_t *object, const char *key, unsigned otherwise)
{
    const json_t *value = json_object_get(object, key);
    return value ? (unsigned)json_number_value(value) : otherwise;
}

static uint32_t read_lanes(const json_t *inputs, uint64_t addresses[32])
{
    uint32_t mask = 0;
    const json_t *list = json_object_get(inputs, "addrs");
    assert_true(json_array_size(list) <= 16);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        if (!json_is_integer(item)) continue;
        addresses[i] = (uint64_t)json_integer_value(item);
        mask |= UINT32_C(1) << i;
    }
    return mask;
}

static void check(const char *id, const json_t *expected, const char *key, unsigned got)
{
    const json_t *want = json_object_get(expected, key);
    if (!want || json_number_value(want) == got) return;
    fail_msg("%s: %s is %u, expected %g", id, key, got, json_number_value(want));
}

static void check_coalesce(const char *id, const json_t *inputs, const json_t *expected)
{
    uint64_t addresses[32] = {0};
    uint32_t mask = read_lanes(inputs, addresses);
    unsigned bytes = get(inputs, "size", 4);
    unsigned initial = get(inputs, "initial_segment", coalesce_cc12_initial_segment(bytes));
    struct transactions got =
        coalesce_cc12(addresses, mask, bytes, initial, get(inputs, "min_seg", 32));
    check(id, expected, "transactions", got.count);
    check(id, expected, "bytes", got.bytes);
}

static void check_legacy(const char *id, const json_t *inputs, const json_t *expected)
{
    uint64_t addresses[32] = {0};
    uint32_t mask = read_lanes(inputs, addresses);
    struct transactions got = coalesce_cc10(addresses, mask, get(inputs, "size", 4));
    check(id, expected, "transactions", got.count);
    check(id, expected, "bytes", got.bytes);
}

static void check_banks(const char *id, const json_t *inputs, const json_t *expected)
{
    uint64_t addresses[32] = {0};
    uint32_t mask = read_lanes(inputs, addresses);
    unsigned banks = get(inputs, "banks", 16);
    check(id, expected, "degree", bank_wavefronts(addresses, mask, 4, banks));
    check(id, expected, "degree", bank_steps(addresses, mask, 4, banks));
}

/* Cyclic reduction (Zhang and Owens, 5.2): n/2^s threads with stride 2^s, padding 1 word per 16. */
static void check_cyclic_reduction(const char *id, const json_t *inputs, const json_t *expected)
{
    unsigned n = get(inputs, "n", 512), step = get(inputs, "step", 1);
    unsigned banks = get(inputs, "banks", 16), threads = n >> step, total = 0, degree = 0;
    bool pad = json_is_true(json_object_get(inputs, "pad"));
    for (unsigned first = 0; first < threads; first += 16) {
        uint64_t addresses[32] = {0};
        uint32_t mask = 0;
        for (unsigned i = first; i < threads && i < first + 16; i++) {
            unsigned index = i << step;
            addresses[i - first] = 4 * (uint64_t)(index + (pad ? index / 16 : 0));
            mask |= UINT32_C(1) << (i - first);
        }
        unsigned passes = bank_wavefronts(addresses, mask, 4, banks);
        assert_int_equal(passes, bank_steps(addresses, mask, 4, banks));
        total += passes;
        if (passes > degree) degree = passes;
    }
    check(id, expected, "threads", threads);
    check(id, expected, "degree", degree);
    check(id, expected, "transactions", total);
}

/* Place of a vector entry: as it is, or with the entries of a residue modulo `block` together. */
static uint64_t vector_address(const json_t *inputs, uint64_t column)
{
    uint64_t block = get(inputs, "block", 1), entries = get(inputs, "nvec", 0);
    bool interleaved = json_is_true(json_object_get(inputs, "iv"));
    return 4 * (interleaved ? column % block * (entries / block) + column / block : column);
}

/* ELLPACK (Zhang and Owens, 5.3): a thread a row of blocks; each block needs `block` entries of the
 * vector, one access each, served by half-warp in segments of one size. */
static void check_vector_bytes(const char *id, const json_t *inputs, const json_t *expected)
{
    const json_t *rows = json_object_get(inputs, "cols");
    unsigned block = get(inputs, "block", 1);
    double bytes = 0, loads = 0;
    size_t longest = 0;
    for (size_t row = 0; row < json_array_size(rows); row++)
        if (json_array_size(json_array_get(rows, row)) > longest)
            longest = json_array_size(json_array_get(rows, row));
    for (size_t first = 0; first < json_array_size(rows); first += 16)
        for (size_t access = 0; access < longest * block; access++) {
            uint64_t addresses[32] = {0};
            uint32_t mask = 0;
            for (unsigned lane = 0; lane < 16; lane++) {
                const json_t *row = json_array_get(rows, first + lane);
                if (json_array_size(row) <= access / block) continue;
                uint64_t column = (uint64_t)json_integer_value(json_array_get(row, access / block));
                addresses[lane] = vector_address(inputs, column + access % block);
                mask |= UINT32_C(1) << lane;
                loads++;
            }
            bytes += coalesce_cc12(addresses, mask, 4, get(inputs, "seg", 128),
                                   get(inputs, "min_seg", 32))
                         .bytes;
        }
    const struct {
        const char *key;
        double got;
    } answers[] = {{"bytes_per_vector_load", bytes / loads},
                   {"bytes_per_entry", bytes / loads / block}};
    for (size_t i = 0; i < 2; i++) {
        const json_t *want = json_object_get(expected, answers[i].key);
        if (want && fabs(json_number_value(want) - answers[i].got) > 1e-9 * answers[i].got)
            fail_msg("%s: %s is %.12g, expected %.12g", id, answers[i].key, answers[i].got,
                     json_number_value(want));
    }
    assert_non_null(json_object_get(expected, "bytes_per_vector_load"));
}

static void golden_cases(void **state)
{
    (void)state;
    static const struct {
        const char *model;
        void (*run)(const char *, const json_t *, const json_t *);
        unsigned cases; /* at least, so that none is lost */
    } models[] = {{"coalesce", check_coalesce, 16},
                  {"coalesce_legacy", check_legacy, 3},
                  {"bank_conflict", check_banks, 3},
                  {"cr_step", check_cyclic_reduction, 25},
                  {"spmv_vector_bytes", check_vector_bytes, 6}};
    json_t *cases = json_load_file(TESTS_DIR "/golden/golden.json", 0, NULL);
    assert_true(json_is_array(cases));
    for (size_t m = 0; m < sizeof models / sizeof models[0]; m++) {
        unsigned found = 0;
        for (size_t i = 0; i < json_array_size(cases); i++) {
            const json_t *item = json_array_get(cases, i);
            const char *model = json_string_value(json_object_get(item, "model"));
            if (strcmp(model, models[m].model)) continue;
            found++;
            models[m].run(json_string_value(json_object_get(item, "id")),
                          json_object_get(item, "inputs"), json_object_get(item, "expected"));
        }
        assert_true(found >= models[m].cases);
    }
    json_decref(cases);
}

/* ---- reference: straight from the definitions, byte by byte ---------------------------------- */

static uint64_t seed = 1;

static uint32_t next_random(uint32_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((seed >> 33) % below);
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Number of distinct values of list[i] / unit. */
static unsigned distinct(const uint64_t *list, size_t count, uint64_t unit)
{
    uint64_t *copy = malloc((count + 1) * sizeof *copy);
    unsigned result = 0;
    for (size_t i = 0; i < count; i++)
        copy[i] = list[i] / unit;
    qsort(copy, count, sizeof *copy, compare);
    for (size_t i = 0; i < count; i++)
        result += i == 0 || copy[i] != copy[i - 1];
    free(copy);
    return result;
}

static struct transactions reference_cc12(const uint64_t *a, uint32_t mask, unsigned bytes)
{
    struct transactions total = {0, 0};
    uint64_t segment = bytes == 1 ? 32 : bytes == 2 ? 64 : 128;
    bool done[16] = {false};
    for (unsigned lane = 0; lane < 16; lane++) {
        if (done[lane] || !(mask >> lane & 1)) continue;
        uint64_t number = a[lane] / segment, low = UINT64_MAX, high = 0;
        for (unsigned other = lane; other < 16; other++) {
            if (!(mask >> other & 1) || a[other] / segment != number) continue;
            done[other] = true;
            if (a[other] < low) low = a[other];
            if (a[other] + bytes - 1 > high) high = a[other] + bytes - 1;
        }
        /* The least aligned segment from 32 bytes on that holds all bytes used. */
        uint64_t size = 32;
        while (low / size != high / size)
            size *= 2;
        total.count++;
        total.bytes += (uint32_t)size;
    }
    return total;
}

static struct transactions reference_cc10(const uint64_t *a, uint32_t mask, unsigned bytes)
{
    unsigned lanes = 0, good = 0;
    uint64_t segment = 16 * (uint64_t)bytes, start = 0;
    for (unsigned lane = 0; lane < 16; lane++) {
        if (!(mask >> lane & 1)) continue;
        if (!lanes++) start = a[lane] / segment * segment;
        good += bytes >= 4 && a[lane] == start + lane * (uint64_t)bytes;
    }
    if (!lanes) return (struct transactions){0, 0};
    if (good < lanes) return (struct transactions){lanes, 32 * lanes};
    if (bytes == 16) return (struct transactions){2, 256};
    return (struct transactions){1, bytes == 8 ? 128 : 64};
}

static struct transactions both_halves(struct transactions rule(const uint64_t *, uint32_t,
                                                                unsigned),
                                       const uint64_t *a, uint32_t mask, unsigned bytes)
{
    struct transactions x = rule(a, mask & 0xffff, bytes), y = rule(a + 16, mask >> 16, bytes);
    return (struct transactions){x.count + y.count, x.bytes + y.bytes};
}

static void want_rule(unsigned *want, struct transactions t, unsigned fewest)
{
    want[0] = t.count;
    want[1] = t.bytes;
    want[2] = t.count <= fewest;
    want[3] = t.count > fewest;
    want[4] = t.count > fewest ? t.count : 0;
}

static unsigned halves_of(uint32_t mask)
{
    return (mask & 0xffff ? 1u : 0u) + (mask >> 16 ? 1u : 0u);
}

static void reference_global(unsigned *want, const uint64_t *a, uint32_t mask, unsigned bytes)
{
    uint64_t touched[32 * 16];
    size_t count = 0;
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned k = 0; k < bytes && (mask >> lane & 1); k++)
            touched[count++] = a[lane] + k;
    unsigned sectors = distinct(touched, count, 32);
    unsigned least = (distinct(touched, count, 1) + 31) / 32;
    unsigned fewest = halves_of(mask) * (bytes == 16 ? 2 : 1);
    want[0] = 1;
    want[1] = (unsigned)count;
    want[2] = sectors;
    want[3] = distinct(touched, count, 128);
    want_rule(want + 4, both_halves(reference_cc10, a, mask, bytes), fewest);
    want_rule(want + 9, both_halves(reference_cc12, a, mask, bytes), fewest);
    want[14] = sectors == least;
    want[15] = sectors != least;
    want[16] = sectors == least ? 0 : sectors;
}

/* A word of local memory at a time; whole words move. */
static void reference_local(unsigned *want, const uint64_t *a, uint32_t mask, unsigned bytes)
{
    uint64_t touched[32 * 16];
    size_t count = 0;
    unsigned lanes = 0, words = bytes < 4 ? 1 : bytes / 4;
    struct transactions cc10 = {0, 0}, cc12 = {0, 0};
    for (unsigned k = 0; k < words; k++) {
        uint64_t physical[32] = {0};
        for (unsigned lane = 0; lane < 32; lane++) {
            if (!(mask >> lane & 1)) continue;
            lanes += k == 0;
            physical[lane] = (a[lane] / 4 + k) * 128 + lane * 4;
            for (unsigned i = 0; i < 4; i++)
                touched[count++] = physical[lane] + i;
        }
        struct transactions t = both_halves(reference_cc10, physical, mask, 4);
        cc10 = (struct transactions){cc10.count + t.count, cc10.bytes + t.bytes};
        t = both_halves(reference_cc12, physical, mask, 4);
        cc12 = (struct transactions){cc12.count + t.count, cc12.bytes + t.bytes};
    }
    unsigned sectors = distinct(touched, count, 32);
    unsigned least = (distinct(touched, count, 1) + 31) / 32;
    want[0] = 1;
    want[1] = lanes * bytes;
    want[2] = sectors;
    want[3] = distinct(touched, count, 128);
    want_rule(want + 4, cc10, halves_of(mask) * words);
    want_rule(want + 9, cc12, halves_of(mask) * words);
    want[14] = sectors == least;
    want[15] = sectors != least;
    want[16] = sectors == least ? 0 : sectors;
}

/* The most distinct words in one bank, lanes first .. first + lanes - 1. */
static unsigned reference_phase(const uint64_t *a, uint32_t mask, unsigned bytes, unsigned first,
                                unsigned lanes)
{
    unsigned most = 0;
    for (unsigned bank = 0; bank < 32; bank++) {
        uint64_t words[32 * 4];
        size_t count = 0;
        for (unsigned lane = first; lane < first + lanes; lane++) {
            if (!(mask >> lane & 1)) continue;
            for (uint64_t word = a[lane] / 4; word <= (a[lane] + bytes - 1) / 4; word++)
                if (word % 32 == bank) words[count++] = word;
        }
        unsigned here = distinct(words, count, 1);
        if (here > most) most = here;
    }
    return most;
}

/* cc 1.x, one half-warp: queues of lanes by bank, in lane order. */
static unsigned reference_steps(const uint64_t *a, uint32_t mask, unsigned bytes)
{
    unsigned steps = 0, words = bytes < 4 ? 1 : bytes / 4;
    for (unsigned k = 0; k < words; k++) {
        bool pending[16];
        unsigned left = 0;
        for (unsigned lane = 0; lane < 16; lane++)
            left += pending[lane] = mask >> lane & 1;
        while (left) {
            unsigned lowest = 0;
            while (!pending[lowest])
                lowest++;
            uint64_t word = a[lowest] / 4 + k;
            steps++;
            for (unsigned bank = 0; bank < 16; bank++) {
                for (unsigned lane = 0; lane < 16; lane++) {
                    uint64_t mine = a[lane] / 4 + k;
                    if (!pending[lane] || mine % 16 != bank) continue;
                    if (bank == word % 16 && mine != word) continue;
                    pending[lane] = false;
                    left--;
                    if (bank != word % 16) break;
                }
            }
        }
    }
    return steps;
}

static void reference_shared(unsigned *want, const uint64_t *a, uint32_t mask, unsigned bytes,
                             bool atomic)
{
    unsigned words = bytes < 4 ? 1 : bytes / 4, lanes = 32 / words, same = 0;
    memset(want, 0, COST_FIELDS * sizeof *want);
    want[0] = 1;
    for (unsigned lane = 0; lane < 32; lane++)
        want[1] += (mask >> lane & 1) * bytes;
    for (unsigned lane = 0; atomic && lane < 32; lane++) {
        unsigned others = 0;
        for (unsigned i = lane + 1; i < 32; i++)
            others += (mask >> lane & 1) && (mask >> i & 1) && a[i] / 4 == a[lane] / 4;
        if (others > same) same = others;
    }
    unsigned phases = 0;
    for (unsigned first = 0; first < 32; first += lanes) {
        unsigned cost = reference_phase(a, mask, bytes, first, lanes);
        phases += cost > 0;
        want[2] += cost;
    }
    want[2] += same;
    want[3] = want[2] - phases;
    want[4] = reference_steps(a, mask & 0xffff, bytes) +
              reference_steps(a + 16, mask >> 16, bytes) + same;
    want[5] = want[4] - halves_of(mask) * words;
}

/* ---- random requests ------------------------------------------------------------------------- */

static uint32_t random_mask(void)
{
    uint32_t bits = (next_random(65536) << 16) | next_random(65536);
    switch (next_random(5)) {
    case 0:
        return bits ? bits : 1;
    case 1:
        return UINT32_C(1) << next_random(32);
    case 2:
        return (bits & 0xffff) | 1;
    case 3:
        return bits & (bits << 5) ? bits & (bits << 5) : 8;
    default:
        return UINT32_MAX;
    }
}

/* Regular, nearly regular, and random addresses in small and large ranges. */
static void random_access(struct access *access, uint64_t addresses[32], unsigned bytes)
{
    static const uint32_t ranges[] = {1, 4, 16, 64, 1000, 100000000};
    uint64_t base = UINT64_C(0x10000000) + (uint64_t)next_random(300) * bytes;
    uint32_t range = ranges[next_random(6)];
    int64_t stride = ((int64_t)next_random(9) - 4) * bytes * (next_random(4) ? 1 : 16);
    uint64_t second = base + (uint64_t)(next_random(2000)) * bytes - 1000 * bytes;
    *access = (struct access){.bytes = (uint8_t)bytes,
                              .mask = random_mask(),
                              .base = base,
                              .base2 = second,
                              .stride = stride,
                              .addresses = addresses};
    access->shape = (uint8_t)next_random(4);
    if (access->shape == ACCESS_UNIFORM) access->stride = 77; /* must not be looked at */
    for (unsigned i = 0; i < 32; i++) {
        switch (access->shape) {
        case ACCESS_UNIFORM:
            addresses[i] = base;
            break;
        case ACCESS_STRIDED:
            addresses[i] = base + i * (uint64_t)stride;
            break;
        case ACCESS_HALVES:
            addresses[i] =
                i < 16 ? base + i * (uint64_t)stride : second + (i - 16) * (uint64_t)stride;
            break;
        default:
            addresses[i] = base + (uint64_t)next_random(range) * bytes;
            break;
        }
    }
}

static void check_cost(const struct cost *cost, const unsigned *want, const struct access *access,
                       const char *what)
{
    for (unsigned i = 0; i < memory_kind_fields[cost->kind]; i++) {
        if (cost->fields[i] == want[i]) continue;
        fail_msg("%s: kind %u field %u shape %u width %u mask %#x: %u, expected %u", what,
                 cost->kind, i, access->shape, access->bytes, access->mask, cost->fields[i],
                 want[i]);
    }
}

static void reference(unsigned *want, enum memory_kind kind, const uint64_t *a, uint32_t mask,
                      unsigned bytes)
{
    if (kind >= KIND_SHARED_LOAD)
        reference_shared(want, a, mask, bytes, kind == KIND_SHARED_ATOMIC);
    else if (kind >= KIND_LOCAL_LOAD)
        reference_local(want, a, mask, bytes);
    else
        reference_global(want, a, mask, bytes);
}

/* Counters of rules that are not asked for stay 0. */
static void leave_rules(unsigned *want, enum memory_kind kind, unsigned set)
{
    for (unsigned i = 0; i < memory_kind_fields[kind]; i++) {
        unsigned rule = counter_rule((enum counter)(memory_kind_counters[kind] + i));
        if (rule && !(set & rule)) want[i] = 0;
    }
}

/* Straight, and through the pattern table, which must never confuse two patterns. */
static void random_requests_at(int level, unsigned set, unsigned rounds)
{
    const struct lane_math *math = lane_math_at(level);
    static const struct {
        enum mem_space space;
        enum memory_operation operation;
    } what[] = {{SPACE_GLOBAL, MEMORY_LOAD},   {SPACE_LOCAL, MEMORY_STORE},
                {SPACE_SHARED, MEMORY_LOAD},   {SPACE_SHARED, MEMORY_ATOMIC},
                {SPACE_GLOBAL, MEMORY_ATOMIC}, {SPACE_LOCAL, MEMORY_LOAD}};
    const struct counting_rules rules = counting_rules_of(set);
    struct pattern_table table;
    static struct access_site sites[6][5];
    pattern_table_init(&table, rules, math);
    for (unsigned i = 0; i < 6; i++)
        for (unsigned k = 0; k < 5; k++)
            access_site_init(&sites[i][k], what[i].operation, 1u << k, &rules);
    for (unsigned round = 0; round < rounds; round++) {
        unsigned i = next_random(6), k = next_random(5), bytes = 1u << k, want[COST_FIELDS];
        enum memory_kind kind = memory_kind(what[i].space, what[i].operation);
        uint64_t addresses[32];
        struct access access;
        struct cost cost;
        random_access(&access, addresses, bytes);
        access.space = (uint8_t)what[i].space;
        reference(want, kind, addresses, access.mask, bytes);
        leave_rules(want, kind, set);
        access_cost(&cost, kind, &(struct lane_access){bytes, access.mask, addresses}, math,
                    &rules);
        check_cost(&cost, want, &access, "exact");
        for (unsigned again = 0; again < 2; again++) {
            uint32_t number = pattern_cost(&table, &sites[i][k], &access);
            check_cost(number == COST_UNLISTED ? &table.unlisted : &table.costs[number], want,
                       &access, again ? "second time" : "pattern");
        }
    }
    pattern_table_clear(&table);
}

static void random_requests(void **state)
{
    (void)state;
    for (int level = 0; level < device_isa_levels(); level++)
        for (unsigned set = 0; set <= RULES_ALL; set += RULES_ALL)
            random_requests_at(level, set, 30000);
}

/* Neighbours in alignment, stride, mask and half distance: what a careless key would mix up. */
static void neighbouring_patterns(void **state)
{
    (void)state;
    const struct counting_rules all = counting_rules_of(RULES_ALL);
    struct pattern_table table;
    struct access_site site;
    pattern_table_init(&table, all, lane_math_at(0));
    access_site_init(&site, MEMORY_LOAD, 4, &all);
    for (unsigned round = 0; round < 2; round++) {
        for (uint64_t base = 0; base < 160; base += 4) {
            for (int64_t stride = -12; stride <= 140; stride += 4) {
                uint64_t addresses[32];
                unsigned want[COST_FIELDS];
                struct access access = {.space = SPACE_GLOBAL,
                                        .shape = ACCESS_STRIDED,
                                        .bytes = 4,
                                        .mask = UINT32_MAX >> (base / 4 % 3),
                                        .stride = stride,
                                        .base = 4096 + base,
                                        .addresses = addresses};
                for (unsigned i = 0; i < 32; i++)
                    addresses[i] = access.base + i * (uint64_t)stride;
                reference_global(want, addresses, access.mask, 4);
                uint32_t number = pattern_cost(&table, &site, &access);
                check_cost(&table.costs[number], want, &access, "strided");
            }
        }
    }
    pattern_table_clear(&table);
}

/* Rules that were not asked for leave their fields alone. */
static void rules_not_requested(void **state)
{
    (void)state;
    const struct counting_rules none = counting_rules_of(0);
    uint64_t addresses[32];
    struct cost cost;
    for (unsigned i = 0; i < 32; i++)
        addresses[i] = i * 4;
    access_cost(&cost, KIND_GLOBAL_LOAD, &(struct lane_access){4, UINT32_MAX, addresses},
                lane_math_at(0), &none);
    for (unsigned i = COST_TRANSACTIONS_CC10; i < COST_COALESCED_SECTOR; i++)
        assert_int_equal(cost.fields[i], 0);
    assert_int_equal(cost.fields[COST_SECTORS32], 4);
    assert_int_equal(counter_rule(COUNTER_MEM_LOCAL_STORE_BYTES_CC12), RULE_CC12);
    assert_int_equal(counter_rule(COUNTER_MEM_GLOBAL_ATOMIC_UNCOALESCED_TRANSACTIONS_CC10),
                     RULE_CC10);
    assert_int_equal(counter_rule(COUNTER_MEM_GLOBAL_ATOMIC_COALESCED_SECTOR), 0);
    assert_int_equal(counter_rule(COUNTER_MEM_SHARED_ATOMIC_CONFLICTS16), RULE_BANK16);
    assert_int_equal(counter_rule(COUNTER_MEM_SHARED_LOAD_CONFLICTS32), 0);
    assert_int_equal(counter_rule(COUNTER_INST_WARP), 0);
}

/* Lanes 16 words apart: all in one of 16 banks, each in another of 17 (Zhang & Owens, 5.2). */
static void a_prime_number_of_banks(void **state)
{
    (void)state;
    static const struct {
        unsigned rules, wavefronts, conflicts;
    } cases[] = {{RULE_BANK16, 32, 30}, {0, 0, 0}, {RULE_BANK16, 2, 0}};
    uint64_t addresses[32];
    for (unsigned i = 0; i < 32; i++)
        addresses[i] = 64 * i;
    for (unsigned i = 0; i < 3; i++) {
        struct cost cost;
        struct counting_rules rules = counting_rules_of(cases[i].rules);
        assert_int_equal(rules.banks, 16);
        if (i == 2) rules.banks = 17;
        access_cost(&cost, KIND_SHARED_LOAD, &(struct lane_access){4, UINT32_MAX, addresses},
                    lane_math_at(0), &rules);
        assert_int_equal(cost.fields[COST_WAVEFRONTS16], cases[i].wavefronts);
        assert_int_equal(cost.fields[COST_CONFLICTS16], cases[i].conflicts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_cases),
        cmocka_unit_test(random_requests),
        cmocka_unit_test(neighbouring_patterns),
        cmocka_unit_test(rules_not_requested),
        cmocka_unit_test(a_prime_number_of_banks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
