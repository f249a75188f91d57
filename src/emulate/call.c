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

unsigned char *call_value_place(const struct exec *x, const struct warp *warp,
                                const struct frame *frame, const struct call_value *value,
                                uint32_t lane)
{
    switch (value->home) {
    case HOME_LOCAL:
        return warp->locals + (size_t)lane * x->local_stride + frame->locals + value->offset;
    case HOME_LAUNCH: /* only read: a call cannot return there */
        return (unsigned char *)(uintptr_t)x->launch->parameters + value->offset;
    default:
        return warp->parameters + (size_t)lane * x->parameter_stride + frame->parameters +
               value->offset;
    }
}

/* Both sides have the same signature: as many values, each as large. */
static void copy_values(const struct exec *x, const struct warp *warp, uint32_t count,
                        const struct frame *to, const struct call_value *to_values,
                        const struct frame *from, const struct call_value *from_values,
                        uint32_t lanes)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t left = lanes; left; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);
            memcpy(call_value_place(x, warp, to, &to_values[i], lane),
                   call_value_place(x, warp, from, &from_values[i], lane), to_values[i].bytes);
            if (x->tracks)
                defined_copy_value(x, warp, to, &to_values[i], from, &from_values[i], lane);
        }
}

static bool stack_fits(const struct exec *x, const struct frame *caller, uint32_t callee)
{
    const struct program *program = x->launch->program;
    const struct program_function *from = &program->functions[caller->function];
    const struct program_function *to = &program->functions[callee];
    return caller->stacked + from->frame_bytes + to->frame_bytes <= program->frame_bytes_max &&
           caller->parameters + from->parameter_bytes + to->parameter_bytes <=
               program->parameter_bytes_max &&
           caller->locals + from->local_bytes + to->local_bytes <= program->locals_end;
}

/* Where registers of `function` may lie from `at` on. Lanes that stand in another function at the same
 * time must not share bytes with them: a lane of 4 bytes lies where another one of 8 does. */
static uint64_t register_place(const struct warp *warp, const struct program *program,
                               uint32_t function, const struct frame *caller)
{
    uint64_t at = (uint64_t)caller->registers + program->functions[caller->function].frame_bytes;
    uint64_t bytes = program->functions[function].frame_bytes;
    /* Frames below lie before: only those of other lanes can be in the way. */
    const struct frame *frame = warp->live_frames > caller->depth ? warp->made_frames : NULL;
    while (frame) {
        uint64_t end = (uint64_t)frame->registers + program->functions[frame->function].frame_bytes;
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

static void reserve_registers(struct warp *warp, size_t bytes)
{
    if (bytes <= warp->register_bytes) return;
    size_t room = (2 * bytes + 63) & ~(size_t)63;
    unsigned char *grown = mem_zalloc_aligned(64, room);
    memcpy(grown, warp->registers, warp->register_bytes);
    mem_free(warp->registers);
    warp->registers = grown;
    warp->register_bytes = room;
}

/* As far as lanes that stand in different functions may spread the registers of a warp. */
enum { SPREAD_BYTES_MAX = 1 << 30 };

/* NULL: there is no room for its registers. */
static struct frame *push_frame(struct exec *x, struct warp *warp, struct frame *caller,
                                const struct code *code, uint32_t function, uint32_t mask)
{
    const struct program *program = x->launch->program;
    const struct program_function *from = &program->functions[caller->function];
    const struct program_function *callee = &program->functions[function];
    uint64_t registers = register_place(warp, program, function, caller);
    if (registers + callee->frame_bytes > SPREAD_BYTES_MAX) return NULL;
    reserve_registers(warp, registers + callee->frame_bytes + 64);
    struct frame *frame = frame_alloc(warp);
    *frame = (struct frame){.next_made = frame->next_made,
                            .parent = caller,
                            .function = function,
                            .return_block = code->next,
                            .depth = caller->depth + 1,
                            .site = code->site,
                            .registers = (uint32_t)registers,
                            .stacked = caller->stacked + from->frame_bytes,
                            .parameters = caller->parameters + from->parameter_bytes,
                            .locals = caller->locals + from->local_bytes};
    if (has_alloca(program)) memcpy(frame->stack, warp->stack, sizeof frame->stack);
    caller->references++;
    if (callee->zero_count) frame_zero_registers(warp->registers + frame->registers, callee);
    if (x->tracks) defined_frame_begin(x, warp, frame, mask);
    copy_values(x, warp, code->site->argument_count, frame, callee->formals.arguments, caller,
                code->site->arguments, mask);
    return frame;
}

/* The function that a lane calls, as index into the program's functions; NO_CALLEE: its pointer is
 * not the address of a function that takes what the call gives. */
#define NO_CALLEE UINT32_MAX

static uint32_t callee_of(const struct exec *x, const struct code *code, uint32_t lane)
{
    const struct program *program = x->launch->program;
    if (code->callee_register == REF_NONE) return code->target;
    const unsigned char *lanes = x->base[BASE_FRAME] + (code->callee_register & 0x3fffffff);
    uint64_t value = 0;
    memcpy(&value, lanes + lane * code->callee_bytes, code->callee_bytes);
    if (value - 1 >= program->module->function_count || !program->function_of[value - 1])
        return NO_CALLEE;
    uint32_t index = program->function_of[value - 1] - 1;
    const struct program_function *function = &program->functions[index];
    bool fits = function->address_taken && function->formals.signature == code->site->signature;
    return fits ? index : NO_CALLEE;
}

/* Those of `lanes` that call what the first of them calls. */
static uint32_t lanes_of_callee(struct exec *x, const struct frame *caller, const struct code *code,
                                uint32_t lanes, uint32_t *out_callee)
{
    uint32_t callee = callee_of(x, code, (uint32_t)__builtin_ctz(lanes)), same = 0;
    for (uint32_t left = lanes; left; left &= left - 1)
        if (callee_of(x, code, (uint32_t)__builtin_ctz(left)) == callee) same |= left & -left;
    *out_callee = callee;
    if (callee == NO_CALLEE)
        fault_at(x, FAULT_CALLEE, code->last, same);
    else if (!stack_fits(x, caller, callee))
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
        uint32_t callee, same = lanes_of_callee(x, caller, code, lanes, &callee);
        if (x->fault.kind) break;
        struct frame *frame = push_frame(x, warp, caller, code, callee, same);
        if (!frame) {
            fault_at(x, FAULT_STACK, code->last, same);
            break;
        }
        warp_set_frame(x, warp, caller); /* the registers may have moved */
        split_add(warp, x->launch->program->functions[callee].first_block, same, node, frame,
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
    const struct program_function *function = &x->launch->program->functions[frame->function];
    copy_values(x, warp, frame->site->return_count, caller, frame->site->returns, frame,
                function->formals.returns, lanes);
    for (uint32_t left = has_alloca(x->launch->program) ? lanes : 0; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        warp->stack[lane] = frame->stack[lane];
    }
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
