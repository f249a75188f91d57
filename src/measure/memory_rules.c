// SPDX-License-Identifier: Apache-2.0
#include "measure/memory_rules.h"

#include <stdbool.h>

#include "base/short_lists.h"
#include "measure/bits.h"

enum { LANES = 32 };

unsigned coalesce_cc12_initial_segment(unsigned bytes)
{
    return bytes == 1 ? 32 : bytes == 2 ? 64 : 128;
}

/* Lanes of `mask` whose address lies in the aligned segment that begins at `start`. */
static uint32_t lanes_inside(const uint64_t *addresses, uint32_t mask, uint64_t start,
                             unsigned size)
{
    uint32_t inside = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = bits_lowest(rest);
        if (addresses[lane] - start < size) inside |= UINT32_C(1) << lane;
    }
    return inside;
}

unsigned coalesce_cc12_segments(const uint64_t *addresses, uint32_t mask, unsigned bytes,
                                unsigned initial_segment, unsigned min_segment, struct segment *out)
{
    unsigned count = 0, least = min_segment > bytes ? min_segment : bytes;
    while (mask) {
        unsigned size = initial_segment;
        uint64_t start = addresses[bits_lowest(mask)] & ~(uint64_t)(size - 1);
        uint32_t served = lanes_inside(addresses, mask, start, size);
        while (size / 2 >= least) {
            uint32_t low = lanes_inside(addresses, served, start, size / 2);
            if (low && low != served) break;
            size /= 2;
            if (!low) start += size;
        }
        out[count++] = (struct segment){start, size};
        mask &= ~served;
    }
    return count;
}

struct transactions coalesce_cc12(const uint64_t *addresses, uint32_t mask, unsigned bytes,
                                  unsigned initial_segment, unsigned min_segment)
{
    struct segment segments[LANES];
    struct transactions total = {
        coalesce_cc12_segments(addresses, mask, bytes, initial_segment, min_segment, segments), 0};
    for (unsigned i = 0; i < total.count; i++)
        total.bytes += segments[i].bytes;
    return total;
}

/* Every active lane k on word k of a segment aligned to 16 words? */
static bool is_in_order(const uint64_t *addresses, uint32_t mask, unsigned bytes)
{
    unsigned first = bits_lowest(mask);
    uint64_t start = addresses[first] - (uint64_t)first * bytes;
    if (start & (16 * (uint64_t)bytes - 1)) return false;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = bits_lowest(rest);
        if (addresses[lane] != start + (uint64_t)lane * bytes) return false;
    }
    return true;
}

struct transactions coalesce_cc10(const uint64_t *addresses, uint32_t mask, unsigned bytes)
{
    if (!mask) return (struct transactions){0, 0};
    if (bytes >= 4 && is_in_order(addresses, mask, bytes)) {
        return bytes == 4   ? (struct transactions){1, 64}
               : bytes == 8 ? (struct transactions){1, 128}
                            : (struct transactions){2, 256};
    }
    unsigned lanes = bits_count(mask);
    return (struct transactions){lanes, lanes * 32};
}

unsigned bank_wavefronts(const uint64_t *addresses, uint32_t mask, unsigned bytes, unsigned banks)
{
    struct {
        uint64_t word, bank;
    } found[LANES * 4];
    struct short_lists lists; /* by bank */
    unsigned count = 0, most = 0, per_lane = bytes > 4 ? bytes / 4 : 1;
    bool power_of_two = (banks & (banks - 1)) == 0; /* spares the division */
    short_lists_begin(&lists);
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        for (unsigned k = 0; k < per_lane; k++) {
            uint64_t word = addresses[bits_lowest(rest)] / 4 + k;
            uint64_t bank = power_of_two ? word & (banks - 1) : word % banks;
            unsigned at = short_list(&lists, bank), same_bank = 1;
            for (; at != SHORT_LIST_END && found[at].word != word; at = lists.next[at])
                same_bank += found[at].bank == bank;
            if (at != SHORT_LIST_END) continue;
            found[count].word = word;
            found[count].bank = bank;
            short_lists_add(&lists, bank, count++);
            if (same_bank > most) most = same_bank;
        }
    return most;
}

static bool meets(const uint64_t *addresses, uint32_t mask, unsigned distance)
{
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = bits_lowest(rest), other = lane ^ distance;
        if ((mask >> other & 1) && addresses[lane] != addresses[other]) return false;
    }
    return true;
}

bool bank_joins(const uint64_t *addresses, uint32_t mask, unsigned bytes)
{
    return bytes > 4 && (meets(addresses, mask, 1) || meets(addresses, mask, 2));
}

/* One step of a word access: the lanes that remain pending. banks[lane] has the bit of its bank. */
static uint32_t bank_step(const uint64_t *words, const uint64_t *banks, uint32_t pending)
{
    uint64_t broadcast = words[bits_lowest(pending)];
    uint64_t taken = banks[bits_lowest(pending)]; /* banks that serve no one else */
    for (uint32_t rest = pending; rest; rest &= rest - 1) {
        unsigned lane = bits_lowest(rest);
        if (words[lane] != broadcast && (taken & banks[lane])) continue;
        taken |= banks[lane];
        pending &= ~(UINT32_C(1) << lane);
    }
    return pending;
}

unsigned bank_steps(const uint64_t *addresses, uint32_t mask, unsigned bytes, unsigned banks)
{
    unsigned steps = 0;
    bool power_of_two = (banks & (banks - 1)) == 0; /* spares the division */
    for (unsigned offset = 0; offset < bytes; offset += 4) {
        uint64_t words[LANES], bits[LANES];
        for (uint32_t rest = mask; rest; rest &= rest - 1) {
            unsigned lane = bits_lowest(rest);
            words[lane] = (addresses[lane] + offset) / 4;
            bits[lane] = UINT64_C(1)
                         << (power_of_two ? words[lane] & (banks - 1) : words[lane] % banks);
        }
        for (uint32_t pending = mask; pending; steps++)
            pending = bank_step(words, bits, pending);
    }
    return steps;
}
