// SPDX-License-Identifier: Apache-2.0
#include "model/teg/teg_state.h"

static bool is_cached_constant(const struct trace_insn *insn)
{
    return insn->space == SPACE_CONST || insn->space == SPACE_PARAM;
}

static enum op_kind kind_of(const struct trace_insn *insn)
{
    if (insn->barrier == TRACE_BARRIER_SYNC || insn->barrier == TRACE_BARRIER_ARRIVE)
        return OP_KIND_BARRIER;
    if (insn->flags & TRACE_COPY_COMMIT) return OP_KIND_COPY_COMMIT;
    if (insn->flags & TRACE_COPY_WAIT) return OP_KIND_COPY_WAIT;
    if (insn->class_id == CLASS_FENCE) return OP_KIND_FENCE;
    if (insn->async == TRACE_BULK) return OP_KIND_BULK;
    if (insn->operation == TRACE_NO_ACCESS || is_cached_constant(insn) ||
        insn->flags & TRACE_SHARED_OPERAND)
        return OP_KIND_PLAIN;
    return insn->space == SPACE_SHARED ? OP_KIND_SHARED : OP_KIND_GLOBAL;
}

static uint8_t cause_of(const struct teg_op *op, const struct teg_machine *machine)
{
    bool variable = machine->machine->cc_major >= 7 && op->unit == TEG_SPECIAL;
    if (op->kind == OP_KIND_GLOBAL || op->unit == TEG_GLOBAL) return TEG_STALL_LONG_SCOREBOARD;
    if (op->kind == OP_KIND_SHARED || op->unit == TEG_SHARED || op->flags & TRACE_SHARED_OPERAND ||
        variable)
        return TEG_STALL_SHORT_SCOREBOARD;
    return TEG_STALL_WAIT;
}

static enum teg_stall throttle_of(unsigned unit)
{
    return unit == TEG_GLOBAL   ? TEG_STALL_LG_THROTTLE
           : unit == TEG_SHARED ? TEG_STALL_MIO_THROTTLE
                                : TEG_STALL_MATH_PIPE_THROTTLE;
}

static void set_waits(struct teg_op *op, enum teg_scoreboard scoreboard)
{
    bool reads_alone = scoreboard == TEG_SCOREBOARD_READS;
    op->waited_count = (uint16_t)(op->read_count + (reads_alone ? 0 : op->write_count));
    if (op->kind == OP_KIND_FENCE) op->waits |= TEG_WAITS_ACCESSES;
    if (op->kind == OP_KIND_COPY_WAIT) op->waits |= TEG_WAITS_COPIES;
    if (scoreboard == TEG_SCOREBOARD_LOADS) op->waits |= TEG_WAITS_LOADS;
}

static enum teg_maker maker_of(const struct teg_op *op, const struct trace_insn *insn,
                               unsigned unit)
{
    if (op->kind != OP_KIND_PLAIN || op->flags & TRACE_SHARED_OPERAND) return TEG_MAKER_OTHER;
    bool multiplies = insn->class_id >= CLASS_INT_MUL24 && insn->class_id <= CLASS_INT_MAD;
    if (unit == TEG_MAIN || multiplies) return TEG_MAKER_FMA;
    if (unit != TEG_INTEGER) return TEG_MAKER_OTHER;
    return insn->class_id == CLASS_CMP ? TEG_MAKER_COMPARE : TEG_MAKER_ALU;
}

static unsigned reader_of(const struct teg_op *op, const struct trace_insn *insn, unsigned unit)
{
    unsigned guarded =
        insn->guarded || insn->class_id == CLASS_CONTROL ? TEG_READER_GUARDED : TEG_READER_OTHER;
    if (op->kind == OP_KIND_SHARED || op->kind == OP_KIND_GLOBAL || unit == TEG_SHARED)
        return TEG_READER_MEMORY | guarded;
    if (unit == TEG_SPECIAL) return TEG_READER_SPECIAL | guarded;
    enum teg_maker maker = maker_of(op, insn, unit);
    return (maker == TEG_MAKER_FMA     ? TEG_READER_FMA
            : maker != TEG_MAKER_OTHER ? TEG_READER_ALU
                                       : TEG_READER_OTHER) |
           guarded;
}

void teg_price_forwarding(struct teg_engine *e)
{
    const struct teg_distances *more = &e->machine->distances;
    for (unsigned reader = 0; reader < TEG_READER_VALUES; reader++) {
        teg_end *forward = e->forward[reader];
        unsigned kind = reader & ~(unsigned)TEG_READER_GUARDED;
        teg_time own = kind == TEG_READER_SPECIAL  ? more->special
                       : kind == TEG_READER_MEMORY ? more->memory
                                                   : 0;
        forward[TEG_MAKER_FMA] = (kind == TEG_READER_ALU ? more->cross : own) * TEG_END_TICK;
        forward[TEG_MAKER_ALU] = (kind == TEG_READER_FMA ? more->cross : own) * TEG_END_TICK;
        forward[TEG_MAKER_COMPARE] =
            reader & TEG_READER_GUARDED ? more->guard * TEG_END_TICK : forward[TEG_MAKER_ALU];
    }
}

void teg_price(const struct teg_engine *e, const struct trace_insn *insn, struct teg_op *op)
{
    const struct teg_machine *machine = e->machine;
    const struct teg_class *class = &machine->classes[insn->class_id];
    *op = (struct teg_op){
        .insn = insn,
        .stalls = e->out->insn_stalls + (size_t)(insn - e->trace->insns) * TEG_STALL_COUNT,
        .busy = class->busy,
        .latency = class->latency,
        .same_warp = later(class->same_warp, machine->interval),
        .kind = (uint8_t)kind_of(insn),
        .unit = class->unit,
        .read_count = insn->read_count,
        .write_count = insn->write_count,
        .flags = insn->flags,
        .open_groups = insn->barrier_id,
    };
    if (op->kind == OP_KIND_BARRIER ||
        (op->kind == OP_KIND_PLAIN && insn->class_id == CLASS_CONTROL))
        op->same_warp = later(op->same_warp, machine->distances.control);
    if (insn->flags & TRACE_SHARED_OPERAND) {
        op->latency = machine->operand_latency;
        op->also = op->unit;
        op->unit = TEG_SHARED;
    }
    if (op->kind == OP_KIND_BARRIER && machine->effects_off >> EFFECT_SYNC & 1)
        op->kind = OP_KIND_PLAIN;
    op->acts = op->flags & TRACE_EXIT || op->kind == OP_KIND_BARRIER ||
               op->kind == OP_KIND_COPY_COMMIT || (insn->async && insn->async != TRACE_BULK);
    if (op->kind == OP_KIND_BULK) op->unit = TEG_NONE;
    if (op->kind == OP_KIND_SHARED) op->unit = TEG_SHARED;
    if (op->kind == OP_KIND_GLOBAL) op->unit = TEG_GLOBAL;
    op->throttle = (uint8_t)throttle_of(op->unit);
    if (machine->path.is_used && (op->kind == OP_KIND_SHARED || op->kind == OP_KIND_GLOBAL))
        op->unit = TEG_ADDRESS;
    bool of_sm = teg_unit_infos[op->unit].of_sm || (op->unit == TEG_FP64 && machine->shares_fp64);
    op->part = of_sm ? 0 : UINT8_MAX;
    op->cause = cause_of(op, machine);
    set_waits(op, machine->scoreboard);
    op->made = (uint8_t)(op->cause + TEG_CAUSE_VALUES * maker_of(op, insn, class->unit));
    const teg_end *forward = e->forward[reader_of(op, insn, class->unit)];
    for (unsigned maker = 0; maker < TEG_MAKER_VALUES; maker++)
        if (forward[maker]) op->forward = forward;
}

/* Who reads a parameter reads it from the constant bank. */
uint32_t teg_lay_out_code(struct teg_engine *e)
{
    const struct trace *trace = e->trace;
    for (uint32_t i = 0; i < trace->insn_count; i++) {
        const struct trace_insn *insn = &trace->insns[i];
        e->ops[i].line = i / FETCH_LINE_INSNS;
        e->ops[i].reads_parameters =
            insn->reads_parameters || insn->class_id == CLASS_MEM_PARAM_LOAD;
    }
    return trace->insn_count ? trace->insn_count : 1;
}

teg_time teg_lanes_part(const struct teg_warp *warp, teg_time time)
{
    int lanes = __builtin_popcount(warp->threads);
    int active = __builtin_popcount(warp->steps.whole.on & warp->threads);
    return lanes && active ? time * active / lanes : time;
}

struct teg_op teg_price_part(const struct teg_warp *warp, const struct teg_op *op)
{
    struct teg_op part = *op;
    part.busy = teg_lanes_part(warp, op->busy);
    part.latency = teg_lanes_part(warp, op->latency);
    part.same_warp = teg_lanes_part(warp, op->same_warp);
    return part;
}
