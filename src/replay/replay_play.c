// SPDX-License-Identifier: Apache-2.0
/* The second reading of a trace: its events. */
#include <stdlib.h>
#include <string.h>

#include "replay/addresses.h"
#include "replay/replay_state.h"

/* One execution of a basic block is held back until its last instruction is known: the lanes that
 * are active are those that any of its instructions shows. */
struct held_insn {
    uint32_t insn, mask;
    bool has_access;
};

struct player {
    struct replay *replay;
    struct traceg t;
    const struct observer_ops *ops;
    void *worker;
    struct warp_ref warp;
    struct held_insn *held;
    struct lane_addresses *addresses; /* by held instruction */
    uint32_t held_count, held_capacity, address_capacity;
    struct last_insn last;
    bool in_block;
};

static void play_access(struct player *player, const struct held_insn *held,
                        struct lane_addresses *addresses)
{
    struct access accesses[3];
    const struct code_insn *insn = &player->replay->code.insns[held->insn];
    unsigned count =
        addresses_to_accesses(&player->replay->header, insn, held->mask, addresses, accesses);
    for (unsigned i = 0; i < count; i++)
        player->ops->memory(player->worker, &player->warp, insn->index, &accesses[i]);
}

static void play_insn(struct player *player, const struct held_insn *held, uint32_t active,
                      struct lane_addresses *addresses)
{
    const struct code_insn *insn = &player->replay->code.insns[held->insn];
    const struct observer_ops *ops = player->ops;
    uint32_t mask = held->mask;
    if (insn->flow == SASS_FLOW_BRANCH) {
        ops->branch(player->worker, &player->warp, insn->index, active, mask,
                    mask && mask != active ? 2 : 1);
        return;
    }
    if (mask != active || insn->flow == SASS_FLOW_EXIT)
        ops->guard(player->worker, &player->warp, insn->index, active, mask);
    if (held->has_access) play_access(player, held, addresses);
    if (insn->flow == SASS_FLOW_BARRIER && mask)
        ops->barrier(player->worker, &player->warp, insn->index, !insn->is_arrival);
}

static void play_held(struct player *player)
{
    if (!player->held_count) return;
    uint32_t active = 0;
    for (uint32_t i = 0; i < player->held_count; i++)
        active |= player->held[i].mask;
    const struct code_insn *first = &player->replay->code.insns[player->held[0].insn];
    player->ops->run(player->worker, &player->warp, first->block, active);
    for (uint32_t i = 0; i < player->held_count; i++)
        play_insn(player, &player->held[i], active, &player->addresses[i]);
    player->held_count = 0;
}

static ws_status check_alignment(struct diag *diag, const struct traceg *t,
                                 const struct code_insn *insn, uint32_t mask,
                                 const struct lane_addresses *addresses)
{
    uint64_t bits = addresses->is_run && (mask & (mask - 1)) ? (uint64_t)addresses->stride : 0;
    if (addresses->is_run && mask) mask &= -mask;
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        bits |= addresses->lanes[__builtin_ctz(rest)];
    if (!(bits & (insn->bytes - 1u)) || insn->route == ROUTE_NONE) return WS_OK;
    return traceg_fail(diag, t, NULL,
                       "misaligned address: it must be a multiple of the access size of %u bytes",
                       insn->bytes);
}

static ws_status read_access(struct diag *diag, struct player *player, const struct code_insn *insn,
                             const char *tail, struct lane_addresses *out)
{
    uint32_t mask = player->t.insn.mask;
    TRY(addresses_read(diag, &player->t, tail, mask, out));
    return check_alignment(diag, &player->t, insn, mask & insn->lanes, out);
}

/* Of both addresses of LDGSTS the global one counts. */
static ws_status play_second_line(struct diag *diag, struct player *player, const char *tail)
{
    struct lane_addresses addresses;
    const struct code_insn *insn = &player->replay->code.insns[player->last.insn];
    uint32_t mask = player->last.mask;
    player->last.is_copy_open = false;
    if (!insn->has_addresses || !mask) return WS_OK;
    TRY(read_access(diag, player, insn, tail, &addresses));
    const struct replay_header *header = &player->replay->header;
    if (!address_is_shared_side(header, addresses.lanes[__builtin_ctz(mask)]))
        player->addresses[player->held_count - 1] = addresses;
    return WS_OK;
}

static ws_status play_line(struct diag *diag, struct player *player)
{
    struct sass_code *code = &player->replay->code;
    struct last_insn *last = &player->last;
    uint32_t mask = player->t.insn.mask, at;
    const char *tail;
    TRY(sass_code_find(diag, code, &player->t, guess_next(code, last), false, &at, &tail));
    if (is_second_line(last, at, mask)) return play_second_line(diag, player, tail);
    const struct code_insn *insn = &code->insns[at];
    if (insn->is_first) play_held(player);
    if (!insn->is_first && (!player->held_count || code->insns[last->insn].next != at))
        return traceg_fail(diag, &player->t, NULL, "the file changed while it was read");
    GROW(player->held, player->held_count, player->held_capacity);
    if (player->address_capacity < player->held_capacity) {
        player->address_capacity = player->held_capacity;
        player->addresses =
            mem_realloc(player->addresses, player->address_capacity * sizeof *player->addresses);
    }
    player->held[player->held_count] = (struct held_insn){at, mask, insn->has_addresses && mask};
    if (insn->has_addresses)
        TRY(read_access(diag, player, insn, tail, &player->addresses[player->held_count]));
    player->held_count++;
    *last = (struct last_insn){at, mask, insn->route == ROUTE_COPY};
    return WS_OK;
}

static uint32_t threads_of(const struct replay *replay, uint32_t warp)
{
    const uint32_t *block = replay->header.block;
    uint32_t left = block[0] * block[1] * block[2] - warp * LANES;
    return left >= LANES ? UINT32_MAX : (UINT32_C(1) << left) - 1;
}

static void end_played_warp(struct player *player, bool *has_warp)
{
    play_held(player);
    *has_warp = false;
    player->last = WARP_START;
}

static ws_status play_part(struct diag *diag, struct player *player, enum traceg_part part,
                           bool *has_warp)
{
    switch (part) {
    case TRACEG_BLOCK:
        player->warp.block = player->ops->block_begin(player->worker, player->t.block);
        player->in_block = true;
        return replay_watch(diag, player->replay, &player->t, "replaying the trace");
    case TRACEG_WARP:
        end_played_warp(player, has_warp);
        player->warp.index = player->t.warp;
        player->warp.threads = threads_of(player->replay, player->t.warp);
        *has_warp = true;
        return WS_OK;
    case TRACEG_INSN:
        return play_line(diag, player);
    case TRACEG_BLOCK_ENDS:
        end_played_warp(player, has_warp);
        player->ops->block_end(player->worker, player->warp.block);
        player->in_block = false;
        return WS_OK;
    default:
        return WS_OK;
    }
}

static ws_status play_trace(struct diag *diag, struct player *player)
{
    enum traceg_part part;
    bool has_warp = false;
    player->last = WARP_START;
    do {
        TRY(traceg_next(diag, &player->t, &part));
        TRY(play_part(diag, player, part, &has_warp));
    } while (part != TRACEG_END);
    return WS_OK;
}

static struct launch_view make_view(const struct replay *replay)
{
    const struct replay_header *header = &replay->header;
    struct launch_view view = {
        .module = &replay->code.module,
        .static_shared_bytes = header->shared_bytes,
        .warps_per_block = replay->warps_per_block,
        .block_count = (uint64_t)header->grid[0] * header->grid[1] * header->grid[2],
        .isa_level = replay->options.isa_level,
        .insn_count = replay->code.count,
        .insns = replay->code.order,
        .code_block_count = replay->code.block_count,
        .code_blocks = replay->code.code_blocks,
    };
    memcpy(view.grid, header->grid, sizeof view.grid);
    memcpy(view.block, header->block, sizeof view.block);
    return view;
}

ws_status replay_run(struct diag *diag, struct replay *replay, struct observer *observer)
{
    struct launch_view view = make_view(replay);
    struct player player = {.replay = replay, .ops = observer->ops};
    TRY(traceg_open(diag, replay->path, &player.t));
    observer->ops->launch_begin(observer->self, &view);
    player.worker = observer->ops->worker_begin(observer->self);
    ws_status status = play_trace(diag, &player);
    if (player.in_block) player.ops->block_end(player.worker, player.warp.block);
    observer->ops->worker_end(observer->self, player.worker);
    observer->ops->launch_end(observer->self);
    traceg_close(&player.t);
    mem_free(player.held);
    mem_free(player.addresses);
    return status;
}
