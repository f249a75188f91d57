// SPDX-License-Identifier: Apache-2.0
/* Calls and returns: parameters travel between the frames of caller and callee. */
#include <stdlib.h>
#include <string.h>

#include "emulate/splits.h"

void frame_zero_registers(unsigned char *registers, const struct program_function *function)
{
    for (uint32_t i = 0; i < function->zero_count; i++)
        memset(registers + function->zero_offsets[i], 0, function->zero_bytes[i]);
}

static void copy_lanes(unsigned char *to, uint32_t to_stride, const unsigned char *from,
                       uint32_t from_stride, uint32_t bytes, uint32_t mask)
{
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        memcpy(to + (size_t)lane * to_stride, from + (size_t)lane * from_stride, bytes);
    }
}

static bool has_alloca(const struct program *program)
{
    return program->stack_end > program->stack_begin;
}

static bool stack_fits(const struct exec *x, const struct frame *caller,
                       const struct call_site *site)
{
    const struct program *program = x->launch->program;
    const struct program_function *from = &program->functions[caller->function];
    const struct program_function *to = &program->functions[site->callee];
    return caller->stacked + from->frame_bytes + to->frame_bytes <= program->frame_bytes_max &&
           caller->parameters + from->parameter_bytes + to->parameter_bytes <=
               program->parameter_bytes_max &&
           caller->locals + from->local_bytes + to->local_bytes <= program->locals_end;
}

/* Where registers of `function` may lie from `at` on. Lanes that stand in another function at the same
 * time must not share bytes with them: a lane of 4 bytes lies where another one of 8 does. */
static uint32_t register_place(const struct warp *warp, const struct program *program,
                               uint32_t function, uint32_t at)
{
    uint32_t bytes = program->functions[function].frame_bytes;
    const struct frame *frame = warp->made_frames;
    while (frame) {
        uint32_t end = frame->registers + program->functions[frame->function].frame_bytes;
        bool alike = frame->function == function && frame->registers == at;
        bool overlaps = frame->registers < at + bytes && at < end;
        if (frame->references && overlaps && !alike) {
            at = end;
            frame = warp->made_frames; /* all once more */
        } else {
            frame = frame->next_made;
        }
    }
    return at;
}

static void reserve_registers(struct warp *warp, uint32_t bytes)
{
    if (bytes <= warp->register_bytes) return;
    uint32_t room = (2 * bytes + 63) & ~63u;
    unsigned char *grown = aligned_alloc(64, room);
    if (!grown) abort();
    memcpy(grown, warp->registers, warp->register_bytes);
    memset(grown + warp->register_bytes, 0, room - warp->register_bytes);
    free(warp->registers);
    warp->registers = grown;
    warp->register_bytes = room;
}

static struct frame *push_frame(struct exec *x, struct warp *warp, struct frame *caller,
                                const struct call_site *site, uint32_t back, uint32_t mask)
{
    const struct program *program = x->launch->program;
    const struct program_function *from = &program->functions[caller->function];
    uint32_t registers =
        register_place(warp, program, site->callee, caller->registers + from->frame_bytes);
    reserve_registers(warp, registers + program->functions[site->callee].frame_bytes + 64);
    struct frame *frame = frame_alloc(warp);
    *frame = (struct frame){.next_made = frame->next_made,
                            .parent = caller,
                            .function = site->callee,
                            .return_block = back,
                            .site = site,
                            .registers = registers,
                            .stacked = caller->stacked + from->frame_bytes,
                            .parameters = caller->parameters + from->parameter_bytes,
                            .locals = caller->locals + from->local_bytes};
    if (has_alloca(program)) memcpy(frame->stack, warp->stack, sizeof frame->stack);
    caller->references++;
    const struct program_function *callee = &program->functions[frame->function];
    if (callee->zero_count) frame_zero_registers(warp->registers + frame->registers, callee);
    for (uint32_t i = 0; i < site->argument_count; i++) {
        const struct call_copy *copy = &site->arguments[i];
        copy_lanes(warp->parameters + frame->parameters + copy->to, x->parameter_stride,
                   warp->parameters + caller->parameters + copy->from, x->parameter_stride,
                   copy->bytes, mask);
    }
    return frame;
}

/* The function that a lane calls, as index into the module's functions. */
static uint64_t callee_of(const struct exec *x, const struct code *code, uint32_t lane)
{
    if (code->callee_register == REF_NONE) return code->target;
    const unsigned char *lanes = x->base[BASE_FRAME] + (code->callee_register & 0x3fffffff);
    uint64_t value = 0;
    memcpy(&value, lanes + lane * code->callee_bytes, code->callee_bytes);
    return value - 1;
}

/* Those of `lanes` that call what the first of them calls; *out_site is how. */
static uint32_t lanes_of_callee(struct exec *x, const struct frame *caller, const struct code *code,
                                uint32_t lanes, const struct call_site **out_site)
{
    uint64_t callee = callee_of(x, code, (uint32_t)__builtin_ctz(lanes));
    uint32_t same = 0;
    for (uint32_t left = lanes; left; left &= left - 1)
        if (callee_of(x, code, (uint32_t)__builtin_ctz(left)) == callee) same |= left & -left;
    bool known = callee < x->launch->program->module->function_count && code->sites[callee];
    *out_site = known ? code->sites[callee] : NULL;
    if (!known)
        fault_at(x, FAULT_CALLEE, code->last, same);
    else if (!stack_fits(x, caller, *out_site))
        fault_at(x, FAULT_STACK, code->last, same);
    return same;
}

bool split_call(struct exec *x, struct warp *warp, uint32_t at, const struct code *code,
                uint32_t lanes)
{
    struct split *split = &warp->splits[at];
    if (!lanes) {
        split->block = code->next;
        return false;
    }
    struct frame *caller = split->frame;
    struct turns turns = split->turns;
    uint32_t rest = split->mask & ~lanes;
    caller->references++; /* keep it while the split is replaced */
    int32_t node = node_add(warp, code->next, split->mask, split->node, caller);
    split_drop(warp, at);
    if (rest) {
        split_add(warp, code->next, rest, node, caller, turns);
        split_arrive(warp, warp->split_count - 1);
    }
    while (lanes && !x->fault.kind) {
        const struct call_site *site;
        uint32_t same = lanes_of_callee(x, caller, code, lanes, &site);
        if (x->fault.kind) break;
        struct frame *frame = push_frame(x, warp, caller, site, code->next, same);
        warp_set_frame(x, warp, caller); /* the registers may have moved */
        split_add(warp, x->launch->program->functions[site->callee].first_block, same, node, frame,
                  turns);
        lanes &= ~same;
    }
    frame_release(warp, caller);
    return true;
}

bool split_return(struct exec *x, struct warp *warp, uint32_t at, uint32_t lanes)
{
    struct split *split = &warp->splits[at];
    struct frame *frame = split->frame, *caller = frame->parent;
    for (uint32_t i = 0; i < frame->site->return_count; i++) {
        const struct call_copy *copy = &frame->site->returns[i];
        copy_lanes(warp->parameters + caller->parameters + copy->to, x->parameter_stride,
                   warp->parameters + frame->parameters + copy->from, x->parameter_stride,
                   copy->bytes, lanes);
    }
    if (has_alloca(x->launch->program))
        copy_lanes((unsigned char *)warp->stack, sizeof *warp->stack, (unsigned char *)frame->stack,
                   sizeof *frame->stack, sizeof *warp->stack, lanes);
    /* Nodes inside the callee are left; the call's own node is the first of the caller's frame. */
    int32_t outer = split->node;
    while (outer >= 0 && warp->nodes[outer].frame == frame)
        outer = warp->nodes[outer].parent;
    uint32_t back = frame->return_block;
    int32_t inner = split->node;
    split->mask &= ~lanes;
    bool gone = split->mask == 0;
    uint32_t made = split_add(warp, back, lanes, outer, caller, split->turns);
    if (gone) {
        split_drop(warp, at);
        made--;
    }
    split_arrive(warp, made);
    nodes_leave(warp, inner, lanes, outer);
    return gone;
}
