// SPDX-License-Identifier: Apache-2.0
/* The first reading of a trace: its header and code, and whether it is whole. */
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "replay/replay_state.h"

ws_status replay_watch(struct diag *diag, struct replay *replay, const struct traceg *t,
                       const char *what)
{
    const struct replay_options *options = &replay->options;
    if (options->cancel && options->cancel(options->cancel_user))
        return diag_error(diag, WS_ERR_CANCELLED, "interrupted");
    double fraction = options->progress ? line_source_fraction(&t->source) : 0;
    if (fraction < replay->told) replay->told = 0; /* the second reading */
    if (fraction > replay->told + 0.01) {
        options->progress(options->progress_user, what, fraction);
        replay->told = fraction;
    }
    return WS_OK;
}

/* ---- first reading --------------------------------------------------------------------------- */

/* What tells whether a block's warps can all have come to their end. */
struct warp_end {
    uint64_t waits; /* barriers it waited at */
    bool exits;     /* its last instruction leaves */
    uint32_t line;
};

/* Instructions since lanes could last part or meet; the lanes of all of them are active. */
struct segment {
    struct {
        uint32_t insn, mask;
    } * items;
    uint32_t count, capacity, active;
    bool is_mixed; /* not all masks are equal */
};

struct scan {
    struct replay *replay;
    struct segment segment;
    struct traceg t;
    struct warp_end ends[WARPS_MAX];
    uint32_t warp;
    struct last_insn last;
};

/* Instructions that not all active lanes execute have a guard: its register is not recorded. */
static void end_segment(struct scan *scan)
{
    struct segment *segment = &scan->segment;
    for (uint32_t i = 0; segment->is_mixed && i < segment->count; i++)
        if (segment->items[i].mask != segment->active)
            scan->replay->code.insns[segment->items[i].insn].insn.guard = 0;
    segment->count = segment->active = 0;
    segment->is_mixed = false;
}

static void add_to_segment(struct scan *scan, uint32_t insn, uint32_t mask)
{
    struct segment *segment = &scan->segment;
    GROW(segment->items, segment->count, segment->capacity);
    segment->is_mixed |= segment->count && mask != segment->active;
    segment->active |= mask;
    segment->items[segment->count].insn = insn;
    segment->items[segment->count++].mask = mask;
    if (scan->replay->code.insns[insn].flow != SASS_FLOW_STRAIGHT) end_segment(scan);
}

static void end_warp(struct scan *scan)
{
    end_segment(scan);
    struct sass_code *code = &scan->replay->code;
    if (scan->last.insn >= code->count) return;
    sass_code_follow(code, scan->last.insn, CODE_OUTSIDE);
    const struct code_insn *insn = &code->insns[scan->last.insn];
    scan->ends[scan->warp].exits = insn->flow == SASS_FLOW_EXIT && scan->last.mask;
    scan->last = WARP_START;
}

static ws_status scan_insn(struct diag *diag, struct scan *scan)
{
    struct sass_code *code = &scan->replay->code;
    struct last_insn *last = &scan->last;
    uint32_t mask = scan->t.insn.mask, at;
    const char *tail;
    TRY(sass_code_find(diag, code, &scan->t, guess_next(code, last), true, &at, &tail));
    if (is_second_line(last, at, mask)) {
        last->is_copy_open = false;
        return WS_OK;
    }
    struct code_insn *insn = &code->insns[at];
    insn->executions++;
    scan->replay->instructions++;
    sass_code_follow(code, last->insn, at);
    add_to_segment(scan, at, mask);
    if (insn->opcode != CODE_NONE) code->opcodes[insn->opcode].executions++;
    if (insn->flow == SASS_FLOW_BARRIER && mask && !insn->is_arrival) {
        scan->ends[scan->warp].waits++;
        scan->ends[scan->warp].line = scan->t.source.line;
    }
    *last = (struct last_insn){at, mask, insn->route == ROUTE_COPY};
    return WS_OK;
}

/* A warp that has left lets the others pass; one that is still there must come to each barrier. */
static ws_status check_barriers(struct diag *diag, const struct scan *scan)
{
    const struct warp_end *most = &scan->ends[0];
    for (uint32_t i = 1; i < scan->replay->warps_per_block; i++)
        if (scan->ends[i].waits > most->waits) most = &scan->ends[i];
    for (uint32_t i = 0; i < scan->replay->warps_per_block; i++) {
        const struct warp_end *end = &scan->ends[i];
        if (end->exits || end->waits == most->waits || !(scan->t.warps_seen >> i & 1)) continue;
        return diag_error(
            diag, WS_ERR_DEADLOCK,
            "%s:%u: error: block %llu: warp %u waits here at its barrier number %llu, but warp %u "
            "ends without EXIT after %llu: deadlock; the trace is incomplete",
            scan->t.source.path, most->line, (unsigned long long)scan->t.block,
            (unsigned)(most - scan->ends), (unsigned long long)most->waits, i,
            (unsigned long long)end->waits);
    }
    return WS_OK;
}

static ws_status scan_part(struct diag *diag, struct scan *scan, enum traceg_part part)
{
    switch (part) {
    case TRACEG_BLOCK:
        scan->replay->blocks++;
        memset(scan->ends, 0, sizeof scan->ends);
        return replay_watch(diag, scan->replay, &scan->t, "reading the trace");
    case TRACEG_WARP:
        end_warp(scan);
        scan->warp = scan->t.warp;
        return WS_OK;
    case TRACEG_INSN:
        return scan_insn(diag, scan);
    case TRACEG_BLOCK_ENDS:
        end_warp(scan);
        return check_barriers(diag, scan);
    default:
        return WS_OK;
    }
}

static ws_status scan_trace(struct diag *diag, struct scan *scan)
{
    enum traceg_part part;
    scan->last = WARP_START;
    do {
        TRY(traceg_next(diag, &scan->t, &part));
        TRY(scan_part(diag, scan, part));
    } while (part != TRACEG_END);
    return WS_OK;
}

static ws_status check_content(struct diag *diag, const struct replay *replay)
{
    const uint32_t *grid = replay->header.grid;
    uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    if (!replay->instructions)
        return diag_error(
            diag, WS_ERR_INPUT,
            "%s: error: no warp executes any instruction: the header is followed by %s; "
            "record the kernel again",
            replay->path, replay->blocks ? "empty blocks" : "no thread block");
    if (replay->blocks <= blocks) return WS_OK;
    return diag_error(diag, WS_ERR_INPUT,
                      "%s: error: %llu thread blocks, but the grid (%u,%u,%u) has %llu",
                      replay->path, (unsigned long long)replay->blocks, grid[0], grid[1], grid[2],
                      (unsigned long long)blocks);
}

static ws_status check_opcodes(struct diag *diag, const struct replay *replay)
{
    const struct sass_code *code = &replay->code;
    struct strbuf names = {0};
    uint64_t unknown = 0;
    const char *example = NULL;
    for (uint32_t i = 0; i < code->opcode_count; i++) {
        const struct replay_opcode *opcode = &code->opcodes[i];
        if (opcode->is_mapped) continue;
        unknown += opcode->executions;
        strbuf_printf(&names, "%s%s (%llu)", example ? ", " : "", opcode->opcode,
                      (unsigned long long)opcode->executions);
        if (!example) example = opcode->opcode;
    }
    ws_status status = WS_OK;
    double share = (double)unknown / (double)replay->instructions;
    if (share > replay->options.unknown_share)
        status = diag_error(
            diag, WS_ERR_UNSUPPORTED,
            "%s: error: %.3g %% of the warp instructions have unknown opcodes (limit %.3g %%): %s. "
            "Map them to classes with --opcode-map FILE, lines 'OPCODE class', e.g. '%s int.add'; "
            "`warpsage explain` lists the classes (inst.warp.CLASS)",
            replay->path, 100 * share, 100 * replay->options.unknown_share, names.data, example);
    strbuf_clear(&names);
    return status;
}

static void keep_header(struct replay *replay, const struct traceg *t)
{
    replay->header = t->header;
    replay->header.name = arena_copy(&replay->arena, t->header.name);
    replay->header.display_name = arena_copy(&replay->arena, t->header.display_name);
    replay->warps_per_block = t->warps_per_block;
}

static ws_status learn(struct diag *diag, struct replay *replay)
{
    struct scan scan = {.replay = replay};
    TRY(traceg_open(diag, replay->path, &scan.t));
    keep_header(replay, &scan.t);
    ws_status status = scan_trace(diag, &scan);
    traceg_close(&scan.t);
    mem_free(scan.segment.items);
    if (status == WS_OK) status = check_content(diag, replay);
    if (status == WS_OK) status = check_opcodes(diag, replay);
    if (status == WS_OK) sass_code_layout(&replay->code, replay->path, &replay->header);
    return status;
}

ws_status replay_open(struct diag *diag, const char *path, const struct replay_options *options,
                      struct replay **out)
{
    struct replay *replay = mem_zalloc(1, sizeof *replay);
    *out = NULL;
    replay->path = arena_copy(&replay->arena, path);
    replay->options = *options;
    sass_code_init(&replay->code, options->map);
    ws_status status = learn(diag, replay);
    if (status == WS_OK)
        *out = replay;
    else
        replay_destroy(replay);
    return status;
}

void replay_destroy(struct replay *replay)
{
    if (!replay) return;
    sass_code_clear(&replay->code);
    arena_clear(&replay->arena);
    mem_free(replay);
}

const struct replay_header *replay_header(const struct replay *replay)
{
    return &replay->header;
}

const struct module *replay_module(const struct replay *replay)
{
    return &replay->code.module;
}

uint64_t replay_blocks(const struct replay *replay)
{
    return replay->blocks;
}

size_t replay_opcodes(const struct replay *replay, const struct replay_opcode **out)
{
    *out = replay->code.opcodes;
    return replay->code.opcode_count;
}
