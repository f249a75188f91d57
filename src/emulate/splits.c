// SPDX-License-Identifier: Apache-2.0
/* The table of splits, the nodes at which they meet again, the frames they run in. */
#include "emulate/splits.h"

#include "base/arena.h"
#include "emulate/check_sync.h"

/* ---- frames ---------------------------------------------------------------------------------- */

struct frame *frame_alloc(struct warp *warp)
{
    struct frame *frame = warp->free_frames;
    if (frame) {
        warp->free_frames = frame->parent;
    } else {
        frame = mem_alloc(sizeof *frame);
        frame->next_made = warp->made_frames;
        warp->made_frames = frame;
    }
    warp->live_frames++;
    return frame;
}

void frame_release(struct warp *warp, struct frame *frame)
{
    while (frame && --frame->references == 0 && frame != &warp->root) {
        struct frame *parent = frame->parent;
        frame->parent = warp->free_frames;
        warp->free_frames = frame;
        warp->live_frames--;
        frame = parent;
    }
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Of lanes that go on together. */
static struct turns join_turns(struct turns a, struct turns b)
{
    return (struct turns){a.backward > b.backward ? a.backward : b.backward,
                          a.polls > b.polls ? a.polls : b.polls,
                          a.quiet < b.quiet ? a.quiet : b.quiet,
                          a.polled || b.polled,
                          a.timed || b.timed,
                          a.waits || b.waits};
}

static void set_split(struct warp *warp, uint32_t at, uint32_t block, uint32_t mask, int32_t node,
                      struct frame *frame, struct turns turns)
{
    warp->splits[at] = (struct split){.block = block,
                                      .mask = mask,
                                      .node = node,
                                      .state = SPLIT_READY,
                                      .frame = frame,
                                      .stamp = ++warp->stamp,
                                      .turns = turns};
    frame->references++;
}

uint32_t split_add(struct warp *warp, uint32_t block, uint32_t mask, int32_t node,
                   struct frame *frame, struct turns turns)
{
    set_split(warp, warp->split_count, block, mask, node, frame, turns);
    return warp->split_count++;
}

void split_drop(struct warp *warp, uint32_t at)
{
    struct frame *frame = warp->splits[at].frame;
    warp->split_count--;
    for (uint32_t i = at; i < warp->split_count; i++) /* keep the order: last made, first run */
        warp->splits[i] = warp->splits[i + 1];
    frame_release(warp, frame);
}

int32_t node_add(struct warp *warp, uint32_t block, uint32_t live, int32_t parent,
                 struct frame *frame)
{
    uint32_t at = warp->node_hint;
    while (at < warp->nodes_used && warp->nodes[at].used)
        at++;
    warp->node_hint = at + 1;
    if (at == warp->nodes_used) {
        GROW(warp->nodes, warp->nodes_used, warp->node_capacity);
        warp->nodes_used++;
    }
    warp->nodes[at] = (struct node){.block = block,
                                    .parent = parent,
                                    .live = live,
                                    .frame = frame,
                                    .stamp = ++warp->stamp,
                                    .used = true};
    frame->references++;
    return (int32_t)at;
}

static void free_node(struct warp *warp, int32_t node)
{
    warp->nodes[node].used = false;
    if ((uint32_t)node < warp->node_hint) warp->node_hint = (uint32_t)node;
    frame_release(warp, warp->nodes[node].frame);
}

/* All lanes of the node have come: they go on together. */
static void complete_node(struct warp *warp, int32_t at)
{
    struct node *node = &warp->nodes[at];
    split_add(warp, node->block, node->arrived, node->parent, node->frame, node->turns);
    free_node(warp, at);
}

/* Lanes have left the code below these nodes. Ends before node `until` (-1: the root). */
void nodes_leave(struct warp *warp, int32_t at, uint32_t lanes, int32_t until)
{
    while (at >= 0 && at != until) {
        struct node *node = &warp->nodes[at];
        int32_t parent = node->parent;
        node->live &= ~lanes;
        if (node->live == 0)
            free_node(warp, at);
        else if (node->live == node->arrived)
            complete_node(warp, at);
        at = parent;
    }
}

/* A ready split that has reached its node's block waits there. True if it was consumed. */
bool split_arrive(struct warp *warp, uint32_t at)
{
    struct split *split = &warp->splits[at];
    if (split->node < 0) return false;
    struct node *node = &warp->nodes[split->node];
    if (node->block != split->block || node->frame != split->frame) return false;
    int32_t index = split->node;
    node->arrived |= split->mask;
    node->turns = join_turns(node->turns, split->turns);
    node->stamp = ++warp->stamp;
    split_drop(warp, at);
    if (node->arrived == node->live) complete_node(warp, index);
    return true;
}

bool warp_release(struct exec *x, struct warp *warp)
{
    int32_t oldest = -1;
    for (int32_t i = 0; i < (int32_t)warp->nodes_used; i++) {
        const struct node *node = &warp->nodes[i];
        if (node->used && node->arrived && (oldest < 0 || node->stamp < warp->nodes[oldest].stamp))
            oldest = i;
    }
    if (oldest < 0) return false;
    if (x->checks & CHECK_SYNC) sync_release(x, warp, oldest);
    struct node *node = &warp->nodes[oldest];
    split_add(warp, node->block, node->arrived, node->parent, node->frame, (struct turns){0});
    node->live &= ~node->arrived;
    node->arrived = 0;
    node->turns = (struct turns){0};
    return true;
}

/* ---- merging --------------------------------------------------------------------------------- */

static uint32_t node_depth(const struct warp *warp, int32_t node)
{
    uint32_t depth = 0;
    for (; node >= 0; node = warp->nodes[node].parent)
        depth++;
    return depth;
}

/* Nearest node that is above (or at) both. */
static int32_t common_node(const struct warp *warp, int32_t a, int32_t b)
{
    uint32_t depth_a = node_depth(warp, a), depth_b = node_depth(warp, b);
    for (; depth_a > depth_b; depth_a--)
        a = warp->nodes[a].parent;
    for (; depth_b > depth_a; depth_b--)
        b = warp->nodes[b].parent;
    for (; a != b; a = warp->nodes[a].parent)
        b = warp->nodes[b].parent;
    return a;
}

/* Puts the lanes of split `from` into split `into`, which stands at the same place. */
void split_merge(struct warp *warp, uint32_t into, uint32_t from)
{
    int32_t a = warp->splits[into].node, b = warp->splits[from].node;
    uint32_t mask_a = warp->splits[into].mask, mask_b = warp->splits[from].mask;
    int32_t both = common_node(warp, a, b);
    warp->splits[into].mask |= mask_b;
    warp->splits[into].turns = join_turns(warp->splits[into].turns, warp->splits[from].turns);
    warp->splits[into].node = both;
    split_drop(warp, from);
    nodes_leave(warp, a, mask_a, both);
    nodes_leave(warp, b, mask_b, both);
}

/* Ready splits of one node that stand at the same block go on as one. */
uint32_t split_merge_ready(struct warp *warp, uint32_t at)
{
    for (uint32_t i = 0; i < warp->split_count; i++) {
        const struct split *a = &warp->splits[at], *b = &warp->splits[i];
        if (i == at || b->state != SPLIT_READY || b->block != a->block || b->node != a->node ||
            b->frame != a->frame)
            continue;
        warp->splits[at].mask |= b->mask;
        warp->splits[at].turns = join_turns(a->turns, b->turns);
        split_drop(warp, i);
        if (i < at) at--;
        i--;
    }
    return at;
}
