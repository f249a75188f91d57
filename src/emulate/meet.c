// SPDX-License-Identifier: Apache-2.0
/* Where lanes of a warp meet: operations with .sync name the lanes that must have come.
 *
 * From sm_70 on the lanes may stand at different places of the code, as long as these hold the same
 * operation with the same member mask (PTX ISA, shfl.sync, bar.warp.sync): then the operands are
 * gathered from each place, the operation runs once, and the results go back to each. */
#include <string.h>

#include "emulate/check_sync.h"
#include "emulate/program.h"
#include "isa/native_modifiers.h"

/* The lanes that the operation waits for: its last source, read in the first active lane. */
static uint32_t member_mask(const struct exec *x, const struct uop *u, uint32_t mask)
{
    return operand_words(x, u->src[u->insn->nsrc - 1])[__builtin_ctz(mask)];
}

/* A split at a .sync operation: what it runs and for which lanes. */
struct party {
    uint32_t at; /* index of the split */
    const struct code *code;
    const struct uop *u;
    uint32_t on, members;
};

/* Makes the split's frame the current one. */
static struct party party_of(struct exec *x, struct warp *warp, uint32_t at)
{
    const struct split *split = &warp->splits[at];
    struct party party = {.at = at, .code = &x->launch->program->code[split->block]};
    warp_set_frame(x, warp, split->frame);
    party.u = &party.code->uops[party.code->uop_count];
    party.on = guard_lanes(x, party.code, split->mask);
    if (party.on) party.members = member_mask(x, party.u, party.on);
    return party;
}

/* ---- lanes at one place that name different lanes --------------------------------------------- */

/* Those of `lanes` whose member mask is that of the first of them. */
static uint32_t same_members(const struct exec *x, const struct uop *u, uint32_t lanes)
{
    operand_ref ref = u->src[u->insn->nsrc - 1];
    if (ref >> 30 == BASE_POOL) return lanes;
    const uint32_t *masks = operand_words(x, ref);
    uint32_t mask = masks[__builtin_ctz(lanes)], same = 0;
    for (uint32_t left = lanes; left; left &= left - 1)
        if (masks[__builtin_ctz(left)] == mask) same |= left & -left;
    return same;
}

/* Have the lanes that any of `on` names come? */
static bool all_have_come(const struct exec *x, const struct warp *warp, const struct uop *u,
                          uint32_t on)
{
    for (uint32_t left = on; left; left &= ~same_members(x, u, left))
        if (member_mask(x, u, left) & ~warp->dead & ~on) return false;
    return true;
}

/* A split whose lanes name different lanes becomes one a mask if not all of these have come, or WARPSYNC.EXCLUSIVE
 * asks for it: each waits for its own. The others wait where split `at` stands. */
static void part_by_members(struct exec *x, struct warp *warp, uint32_t at)
{
    struct party party = party_of(x, warp, at);
    uint32_t rest = party.on ? party.on & ~same_members(x, party.u, party.on) : 0;
    bool must_part = party.u->insn->modifiers & NM_EXCLUSIVE;
    if (!rest || (!must_part && all_have_come(x, warp, party.u, party.on))) return;
    struct split split = warp->splits[at];
    warp->splits[at].mask &= ~rest;
    while (rest) {
        uint32_t lanes = same_members(x, party.u, rest);
        uint32_t made = split_add(warp, split.block, lanes, split.node, split.frame, split.turns);
        warp->splits[made].state = SPLIT_AT_SYNC;
        rest &= ~lanes;
    }
}

/* Splits that wait at the very place of split `at` for the same lanes become part of it. */
static uint32_t join_same_place(struct exec *x, struct warp *warp, uint32_t at)
{
    for (uint32_t i = 0; i < warp->split_count; i++) {
        const struct split *other = &warp->splits[i], *split = &warp->splits[at];
        if (i == at || other->state != SPLIT_AT_SYNC || other->block != split->block ||
            other->frame != split->frame)
            continue;
        struct party waits = party_of(x, warp, i), mine = party_of(x, warp, at);
        if (!mine.on || all_have_come(x, warp, mine.u, mine.on)) break;
        if (waits.members != mine.members) continue;
        split_merge(warp, at, i);
        if (i < at) at--;
        i--;
    }
    return at;
}

/* The splits that can go on with the first of them, which is at parties[0]; 0 if lanes are missing. */
static unsigned find_parties(struct exec *x, struct warp *warp, struct party *parties)
{
    unsigned count = 1;
    const struct party *mine = parties;
    if (!mine->on || all_have_come(x, warp, mine->u, mine->on)) return 1;
    uint32_t missing = mine->members & ~warp->dead & ~mine->on;
    for (uint32_t i = 0; i < warp->split_count && missing; i++) {
        if (i == mine->at || warp->splits[i].state != SPLIT_AT_SYNC) continue;
        if (x->launch->program->code[warp->splits[i].block].terminator != TERM_SYNC) continue;
        struct party other = party_of(x, warp, i);
        /* equal spellings share their text (decode/mnemonic.c) */
        if (other.u->insn->text != mine->u->insn->text || other.members != mine->members) continue;
        parties[count++] = other;
        missing &= ~other.on;
    }
    return missing ? 0 : count;
}

/* ---- running --------------------------------------------------------------------------------- */

/* For `on`, all of which name the same lanes. Those that are not named take part, too: the ISA leaves that
 * undefined, and ptxas's code does so. */
static void run_operation(struct exec *x, const struct warp *warp, const struct uop *u, uint32_t on)
{
    uint32_t members = member_mask(x, u, on), outside = on & ~members;
    if (outside) fault_note_outsider(x, u->insn, (uint32_t)__builtin_ctz(outside), members);
    if (x->checks & CHECK_SYNC) sync_operate(x, warp, u, on, members);
    uint32_t active = x->mask;
    if (x->checks & CHECK_RACE) order_meets(x, warp, u->insn, on);
    warp_set_mask(x, on);
    uop_fn *run = (on | warp->dead) == UINT32_MAX ? u->full : u->part;
    if (x->tracks && warp->defined->is_dirty)
        defined_run(x, u, run);
    else
        run(x, u);
    warp_set_mask(x, active);
}

enum { OPERAND_ROOM = 8 * WARP_LANES };

/* Operands of several places side by side, as one register frame. */
struct gathered {
    unsigned char lanes[UOP_SOURCES + UOP_DESTINATIONS][OPERAND_ROOM] __attribute__((aligned(64)));
};

static void copy_lanes(unsigned char *to, const unsigned char *from, unsigned bytes, uint32_t lanes)
{
    for (uint32_t left = lanes; left; left &= left - 1) {
        size_t offset = (size_t)__builtin_ctz(left) * bytes;
        memcpy(to + offset, from + offset, bytes);
    }
}

static void copy_bits(unsigned char *to, uint32_t word, uint32_t lanes)
{
    uint32_t *words = (uint32_t *)(void *)to;
    *words = (*words & ~lanes) | (word & lanes);
}

static void gather(struct exec *x, const struct party *party, struct gathered *gathered)
{
    const struct uop *u = party->u;
    for (unsigned k = 0; k < u->insn->nsrc; k++) {
        const uint32_t *words = operand_words(x, u->src[k]);
        unsigned bytes = source_bytes(u->insn, k);
        unsigned char *to = gathered->lanes[k];
        if (bytes == 1)
            copy_bits(to, (u->negate >> k) & 1 ? ~*words : *words, party->on);
        else
            copy_lanes(to, (const unsigned char *)words, bytes, party->on);
    }
}

/* The second destination of these operations is a predicate; so is the first of some votes. */
static void scatter(struct exec *x, const struct party *party, struct gathered *gathered)
{
    const struct uop *u = party->u;
    for (unsigned k = 0; k < UOP_DESTINATIONS; k++) {
        if (u->dst[k] == REF_NONE) continue;
        unsigned char *to = (unsigned char *)operand_words(x, u->dst[k]);
        unsigned char *from = gathered->lanes[UOP_SOURCES + k];
        if (k > 0 || u->dst_bits == 1)
            copy_bits(to, *(uint32_t *)(void *)from, party->on);
        else
            copy_lanes(to, from, u->dst_bits / 8, party->on);
    }
}

static void run_gathered(struct exec *x, struct warp *warp, const struct party *parties,
                         unsigned count)
{
    struct gathered gathered = {0};
    struct uop joint = *parties->u;
    uint32_t on = 0;
    for (unsigned k = 0; k < UOP_SOURCES; k++)
        joint.src[k] = REF(BASE_FRAME, k * OPERAND_ROOM);
    joint.negate = 0;
    for (unsigned i = 0; i < count; i++) {
        warp_set_frame(x, warp, warp->splits[parties[i].at].frame);
        gather(x, &parties[i], &gathered);
        on |= parties[i].on;
        for (unsigned k = 0; k < UOP_DESTINATIONS; k++)
            if (parties[i].u->dst[k] != REF_NONE)
                joint.dst[k] = REF(BASE_FRAME, (UOP_SOURCES + k) * OPERAND_ROOM);
    }
    x->base[BASE_FRAME] = gathered.lanes[0];
    run_operation(x, warp, &joint, on);
    for (unsigned i = 0; i < count; i++) {
        warp_set_frame(x, warp, warp->splits[parties[i].at].frame);
        scatter(x, &parties[i], &gathered);
    }
}

/* Everybody who is needed has come: what the tool `sync` says of it. */
static void check_meeting(struct exec *x, struct warp *warp, const struct party *parties,
                          unsigned count)
{
    const struct party *first = parties;
    for (unsigned i = 0; i < count; i++) {
        const struct party *party = &parties[i];
        if (!party->on) continue;
        warp_set_frame(x, warp, warp->splits[party->at].frame);
        sync_met(x, warp, &warp->splits[party->at], party->u->insn, party->on, party->members);
        if (i)
            sync_apart(x, warp, party->u->insn, first->u->insn, (uint32_t)__builtin_ctz(party->on),
                       (uint32_t)__builtin_ctz(first->on));
        for (uint32_t same, left = party->on; left; left &= ~same) {
            same = same_members(x, party->u, left);
            if (same != party->on) sync_differ(x, warp, party->u, same, party->on & ~same);
        }
    }
    warp_set_frame(x, warp, warp->splits[first->at].frame);
}

/* Everybody who is needed has come. */
static void go_on(struct exec *x, struct warp *warp, const struct party *parties, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        observe_guard(x, warp, parties[i].code, warp->splits[parties[i].at].mask, parties[i].on);
    if (x->checks & CHECK_SYNC) check_meeting(x, warp, parties, count);
    if (count > 1)
        run_gathered(x, warp, parties, count);
    else
        for (uint32_t lanes, left = parties->on; left; left &= ~lanes) {
            lanes = same_members(x, parties->u, left);
            run_operation(x, warp, parties->u, lanes);
        }
    for (unsigned i = 0; i < count; i++) {
        struct split *split = &warp->splits[parties[i].at];
        split->state = SPLIT_READY;
        split->block = parties[i].code->next;
    }
}

static bool try_meeting(struct exec *x, struct warp *warp, uint32_t at)
{
    struct party parties[WARP_LANES + 2] = {party_of(x, warp, at)};
    unsigned count = find_parties(x, warp, parties);
    warp_set_frame(x, warp, warp->splits[at].frame);
    if (count) go_on(x, warp, parties, count);
    return count > 0;
}

uint32_t meet_members(struct exec *x, struct warp *warp, uint32_t at)
{
    const struct code *code = &x->launch->program->code[warp->splits[at].block];
    if (code->terminator == TERM_RECONVERGE || code->terminator == TERM_COLLECTIVE)
        return converge_members(x, warp, at);
    return party_of(x, warp, at).members;
}

void meet(struct exec *x, struct warp *warp, uint32_t at)
{
    part_by_members(x, warp, at);
    at = join_same_place(x, warp, at);
    if (try_meeting(x, warp, at)) return;
    warp->splits[at].state = SPLIT_AT_SYNC;
    if (x->checks & CHECK_SYNC) sync_wait(x, warp, &warp->splits[at], meet_members(x, warp, at));
}

bool meet_again(struct exec *x, struct warp *warp)
{
    for (uint32_t i = 0; i < warp->split_count; i++) {
        if (warp->splits[i].state != SPLIT_AT_SYNC) continue;
        warp_set_mask(x, warp->splits[i].mask);
        const struct code *code = &x->launch->program->code[warp->splits[i].block];
        bool has_met = code->terminator == TERM_RECONVERGE   ? converge(x, warp, i)
                       : code->terminator == TERM_COLLECTIVE ? collect(x, warp, i)
                                                             : try_meeting(x, warp, i);
        if (has_met) return true;
    }
    return false;
}
