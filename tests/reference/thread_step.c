// SPDX-License-Identifier: Apache-2.0
/* One instruction of one thread. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "reference/scalar.h"
#include "reference/thread.h"

/* A program that does not end is one that the generator must not make. */
enum { STEPS_MAX = 20000000 };

/* ---- frames ---------------------------------------------------------------------------------- */

static void place_locals(struct thread *thread, struct frame *frame, int32_t function)
{
    const struct module *module = thread->block->state->launch->module;
    for (uint32_t v = 0; v < module->variable_count; v++) {
        const struct variable *variable = &module->variables[v];
        if (variable->function != function ||
            (variable->space != SPACE_PARAM && variable->space != SPACE_LOCAL))
            continue;
        uint64_t end = (thread->stack_used + 15u) / 16 * 16 + variable->bytes;
        if (end > STACK_BYTES) {
            thread_fault(thread, NULL, "the stack is full");
            return;
        }
        frame->places[v] = end - variable->bytes;
        thread->stack_used = (uint32_t)end;
        memset(thread->stack + frame->places[v], 0, variable->bytes);
    }
}

void thread_enter(struct thread *thread, uint32_t function, const struct call_info *call)
{
    const struct module *module = thread->block->state->launch->module;
    struct frame *frame = mem_zalloc(1, sizeof *frame);
    *frame = (struct frame){.caller = thread->frame,
                            .function = &module->functions[function],
                            .call = call,
                            .stack_before = thread->stack_used};
    frame->registers = mem_zalloc(frame->function->vreg_count + 1, sizeof *frame->registers);
    frame->upper = mem_zalloc(frame->function->vreg_count + 1, sizeof *frame->upper);
    frame->places = mem_zalloc(module->variable_count + 1, sizeof *frame->places);
    place_locals(thread, frame, (int32_t)function);
    thread->frame = frame;
}

/* Parameters are copied by value, one variable to another. */
static void copy_values(struct thread *thread, const struct frame *from, const int32_t *sources,
                        const struct frame *to, const int32_t *targets, unsigned count)
{
    const struct variable *variables = thread->block->state->launch->module->variables;
    for (unsigned i = 0; i < count; i++)
        memcpy(thread->stack + to->places[targets[i]], thread->stack + from->places[sources[i]],
               variables[targets[i]].bytes);
}

static void call(struct thread *thread, const struct insn *insn)
{
    const struct call_info *info = insn->call;
    struct frame *caller = thread->frame;
    int64_t callee = info->function;
    if (callee < 0) callee = (int64_t)thread_read(thread, &insn->operands[0], TYPE_U64) - 1;
    thread_enter(thread, (uint32_t)callee, info);
    const struct function *function = thread->frame->function;
    copy_values(thread, caller, info->arguments, thread->frame, function->parameters,
                info->argument_count);
}

static void leave(struct thread *thread)
{
    struct frame *frame = thread->frame, *caller = frame->caller;
    if (!caller) {
        thread->state = THREAD_DONE;
        return;
    }
    copy_values(thread, frame, frame->function->returns, caller, frame->call->returns,
                frame->call->return_count);
    thread->stack_used = frame->stack_before;
    thread->frame = caller;
    mem_free(frame->registers);
    mem_free(frame->upper);
    mem_free(frame->places);
    mem_free(frame);
}

/* ---- operands -------------------------------------------------------------------------------- */

static uint32_t lane_of(const struct thread *thread)
{
    return thread->index % REFERENCE_WARP;
}

static uint64_t special(struct thread *thread, int32_t reg)
{
    const struct reference_launch *launch = thread->block->state->launch;
    uint32_t lane = lane_of(thread), at = 1u << lane;
    switch (reg) {
    case SREG_TID_X:
    case SREG_TID_Y:
    case SREG_TID_Z:
        return thread->id[reg - SREG_TID_X];
    case SREG_NTID_X:
    case SREG_NTID_Y:
    case SREG_NTID_Z:
        return launch->block[reg - SREG_NTID_X];
    case SREG_CTAID_X:
    case SREG_CTAID_Y:
    case SREG_CTAID_Z:
        return thread->block->id[reg - SREG_CTAID_X];
    case SREG_NCTAID_X:
    case SREG_NCTAID_Y:
    case SREG_NCTAID_Z:
        return launch->grid[reg - SREG_NCTAID_X];
    case SREG_CLUSTERID_X:
    case SREG_CLUSTERID_Y:
    case SREG_CLUSTERID_Z:
        return thread->block->id[reg - SREG_CLUSTERID_X] / launch->cluster[reg - SREG_CLUSTERID_X];
    case SREG_NCLUSTERID_X:
    case SREG_NCLUSTERID_Y:
    case SREG_NCLUSTERID_Z:
        return launch->grid[reg - SREG_NCLUSTERID_X] / launch->cluster[reg - SREG_NCLUSTERID_X];
    case SREG_CLUSTER_CTAID_X:
    case SREG_CLUSTER_CTAID_Y:
    case SREG_CLUSTER_CTAID_Z:
        return thread->block->id[reg - SREG_CLUSTER_CTAID_X] %
               launch->cluster[reg - SREG_CLUSTER_CTAID_X];
    case SREG_CLUSTER_NCTAID_X:
    case SREG_CLUSTER_NCTAID_Y:
    case SREG_CLUSTER_NCTAID_Z:
        return launch->cluster[reg - SREG_CLUSTER_NCTAID_X];
    case SREG_CLUSTER_CTARANK:
        return block_rank(thread->block);
    case SREG_CLUSTER_NCTARANK:
        return reference_cluster_blocks(launch);
    case SREG_LANEID:
        return lane;
    case SREG_LANEMASK_EQ:
        return at;
    case SREG_LANEMASK_LE:
        return at | (at - 1);
    case SREG_LANEMASK_LT:
        return at - 1;
    case SREG_LANEMASK_GE:
        return ~(at - 1);
    case SREG_LANEMASK_GT:
        return ~(at | (at - 1));
    default:
        thread_fault(thread, NULL, "a special register that the interpreter does not know");
        return 0;
    }
}

uint64_t thread_read(struct thread *thread, const struct operand *operand, unsigned type)
{
    unsigned width = type_infos[type].bits;
    uint64_t value = 0;
    switch (operand->kind) {
    case OPERAND_REGISTER:
        value = thread->frame->registers[operand->reg];
        break;
    case OPERAND_IMMEDIATE:
        value = (uint64_t)operand->imm;
        break;
    case OPERAND_SPECIAL:
        value = special(thread, operand->reg);
        break;
    case OPERAND_SYMBOL:
        value = thread_symbol_address(thread, operand->symbol) + (uint64_t)operand->imm;
        break;
    case OPERAND_FUNCTION:
        value = (uint64_t)operand->symbol + 1;
        break;
    default:
        break;
    }
    if (type == TYPE_PRED) return (value != 0) != operand->negate;
    return low_bits(value, width);
}

void thread_write(struct thread *thread, const struct operand *operand, uint64_t value)
{
    if (operand->kind != OPERAND_REGISTER) return; /* the sink _ */
    unsigned width = type_infos[thread->frame->function->vregs[operand->reg].type].bits;
    thread->frame->registers[operand->reg] = low_bits(value, width == 8 ? 16 : width);
}

uint64_t thread_read_upper(struct thread *thread, const struct operand *operand)
{
    return operand->kind == OPERAND_REGISTER ? thread->frame->upper[operand->reg] : 0;
}

void thread_write_upper(struct thread *thread, const struct operand *operand, uint64_t value)
{
    if (operand->kind == OPERAND_REGISTER) thread->frame->upper[operand->reg] = value;
}

static unsigned doubled(unsigned type)
{
    switch (type) {
    case TYPE_U16:
    case TYPE_S16:
        return TYPE_U32;
    default:
        return TYPE_U64;
    }
}

/* The type in which an instruction reads source k. */
static unsigned source_type(const struct insn *insn, unsigned k)
{
    if (op_infos[insn->op].form == FORM_VIDEO) return TYPE_U32;
    switch (insn->op) {
    case OP_SHL:
    case OP_SHR:
        return k == 1 ? TYPE_U32 : insn->type;
    case OP_BFE:
        return k >= 1 ? TYPE_U32 : insn->type;
    case OP_BFI:
        return k >= 2 ? TYPE_U32 : insn->type;
    case OP_MAD:
        return k == 2 && insn->mul_part == MUL_WIDE ? doubled(insn->type) : insn->type;
    case OP_SELP:
    case OP_SETP:
        return k == 2 ? TYPE_PRED : insn->type;
    case OP_SET:
        return k == 2 ? TYPE_PRED : insn->type2;
    case OP_SLCT:
        return k == 2 ? insn->type2 : insn->type;
    case OP_CVT:
        return insn->sub_op == SUB_PACK ? TYPE_B32 : insn->type2;
    case OP_LOP3:
        return k == 4 ? TYPE_PRED : insn->type;
    case OP_DP4A:
    case OP_DP2A:
        return TYPE_U32;
    case OP_ADD:
    case OP_SUB:
        return k == 0 && insn->type2 ? insn->type2 : insn->type;
    case OP_FMA:
        return k < 2 && insn->type2 ? insn->type2 : insn->type;
    default:
        return insn->type;
    }
}

/* ---- moves ----------------------------------------------------------------------------------- */

static unsigned part_type(unsigned bits)
{
    return bits == 8 ? TYPE_B8 : bits == 16 ? TYPE_B16 : bits == 32 ? TYPE_B32 : TYPE_B64;
}

/* mov, also of a vector into one register and back: the first element is the lowest. */
static void move(struct thread *thread, const struct insn *insn)
{
    unsigned bits = type_infos[insn->type].bits, from = bits / insn->nsrc, to = bits / insn->ndst;
    uint64_t whole[2] = {0};
    for (unsigned k = 0; k < insn->nsrc; k++) {
        unsigned type = insn->nsrc == 1 && bits <= 64 ? insn->type : part_type(from), at = k * from;
        whole[at / 64] |= thread_read(thread, insn_source(insn, k), type) << (at % 64);
    }
    if (from == 128) whole[1] = thread_read_upper(thread, insn_source(insn, 0));
    for (unsigned k = 0; k < insn->ndst; k++) {
        unsigned at = k * to;
        thread_write(thread, &insn->operands[k], low_bits(whole[at / 64] >> (at % 64), to));
    }
    if (to == 128) thread_write_upper(thread, &insn->operands[0], whole[1]);
}

/* cvta: between the generic space and another. */
static uint64_t converted_address(const struct insn *insn, uint64_t address)
{
    uint64_t window = insn->space == SPACE_SHARED  ? SHARED_GENERIC
                      : insn->space == SPACE_LOCAL ? LOCAL_GENERIC
                                                   : 0;
    return insn->sub_op == SUB_TO ? address - window : address + window;
}

static bool is_in_space(unsigned space, uint64_t address)
{
    switch (space) {
    case SPACE_SHARED:
        return address >= SHARED_GENERIC && address < LOCAL_GENERIC;
    case SPACE_LOCAL:
        return address >= LOCAL_GENERIC && address < VARIABLES_GENERIC;
    default:
        return address < SHARED_GENERIC;
    }
}

/* Memory of the frame, given back by the return of the function or by stackrestore. */
static void allocate(struct thread *thread, const struct insn *insn)
{
    uint64_t bytes = thread_read(thread, insn_source(insn, 0), insn->type);
    uint64_t at = (thread->stack_used + 15u) / 16 * 16;
    if (bytes > STACK_BYTES - at) {
        thread_fault(thread, insn, "the stack is full");
        return;
    }
    thread->stack_used = (uint32_t)(at + bytes);
    thread_write(thread, &insn->operands[0], at);
}

static bool is_predicate_logic(const struct insn *insn)
{
    return insn->type == TYPE_PRED;
}

static void compute(struct thread *thread, const struct insn *insn)
{
    uint64_t a[OPERANDS_MAX] = {0}, d[2] = {0};
    for (unsigned k = 0; k < insn->nsrc; k++)
        a[k] = thread_read(thread, insn_source(insn, k), source_type(insn, k));
    bool known = scalar_video(insn, a, d) || scalar_packed(insn, a, d) ||
                 scalar_integer(insn, a, &thread->carry, d) || scalar_bits(insn, a, d) ||
                 scalar_float(insn, a, d) || scalar_select(insn, a, d) ||
                 scalar_narrow(insn, a, d) || scalar_convert(insn, a, d);
    if (!known) thread_fault(thread, insn, "the interpreter does not know this instruction");
    if (is_predicate_logic(insn)) d[0] &= 1;
    for (unsigned k = 0; k < insn->ndst && k < 2; k++)
        thread_write(thread, &insn->operands[k], d[k]);
}

/* ---- control --------------------------------------------------------------------------------- */

static void jump_indexed(struct thread *thread, const struct insn *insn)
{
    uint64_t index = thread_read(thread, &insn->operands[0], TYPE_U32);
    if (index < insn->target_count)
        thread->frame->next = (uint32_t)insn->targets[index];
    else
        thread_fault(thread, insn, "the index is beyond the list");
}

static void reach_barrier(struct thread *thread, const struct insn *insn)
{
    uint64_t barrier = thread_read(thread, insn_source(insn, 0), TYPE_U32);
    if (barrier >= BARRIER_COUNT) {
        thread_fault(thread, insn, "there is no such barrier");
    } else if (insn->sub_op == SUB_ARRIVE) {
        thread->block->arrived[barrier]++;
    } else {
        thread->state = THREAD_AT_BARRIER;
        thread->waits = insn;
    }
}

static void execute(struct thread *thread, const struct insn *insn)
{
    switch (insn->op) {
    case OP_BRA:
        thread->frame->next = (uint32_t)insn->target;
        break;
    case OP_BRX:
        jump_indexed(thread, insn);
        break;
    case OP_CALL:
        call(thread, insn);
        break;
    case OP_RET:
        leave(thread);
        break;
    case OP_EXIT:
        thread->state = THREAD_DONE;
        break;
    case OP_MOV:
        move(thread, insn);
        break;
    case OP_CVTA:
        thread_write(
            thread, &insn->operands[0],
            converted_address(insn, thread_read(thread, insn_source(insn, 0), insn->type)));
        break;
    case OP_ISSPACEP:
        thread_write(thread, &insn->operands[0],
                     is_in_space(insn->space, thread_read(thread, insn_source(insn, 0), TYPE_U64)));
        break;
    case OP_MAPA:
        thread_map_shared(thread, insn);
        break;
    case OP_GETCTARANK:
        thread_shared_rank(thread, insn);
        break;
    case OP_CLUSTER_ARRIVE:
        thread_cluster_arrive(thread, insn);
        break;
    case OP_CLUSTER_WAIT:
        thread_cluster_wait(thread, insn);
        break;
    case OP_ALLOCA:
        allocate(thread, insn);
        break;
    case OP_STACKSAVE:
        thread_write(thread, &insn->operands[0], thread->stack_used);
        break;
    case OP_STACKRESTORE:
        thread->stack_used = (uint32_t)thread_read(thread, insn_source(insn, 0), TYPE_U32);
        break;
    case OP_LD:
    case OP_LDU:
    case OP_ST:
    case OP_ATOM:
    case OP_RED:
        thread_access(thread, insn);
        break;
    case OP_CP:
        thread_copy_group(thread, insn);
        break;
    case OP_MBARRIER_INIT:
    case OP_MBARRIER_INVAL:
    case OP_MBARRIER_EXPECT_TX:
    case OP_MBARRIER_COMPLETE_TX:
    case OP_MBARRIER_ARRIVE:
    case OP_MBARRIER_ARRIVE_DROP:
    case OP_MBARRIER_COPIES:
    case OP_MBARRIER_TEST_WAIT:
    case OP_MBARRIER_TRY_WAIT:
        thread_mbarrier(thread, insn);
        break;
    case OP_BULK_LOAD:
    case OP_BULK_STORE:
    case OP_BULK_REDUCE:
        thread_bulk(thread, insn);
        break;
    case OP_ST_ASYNC:
    case OP_RED_ASYNC:
        thread_send(thread, insn);
        break;
    case OP_MBARRIER_PENDING_COUNT:
        thread_write(thread, &insn->operands[0],
                     thread_pending_count(thread_read(thread, insn_source(insn, 0), TYPE_U64)));
        break;
    case OP_MEMBAR:
    case OP_FENCE:
    case OP_NANOSLEEP:
    case OP_BULK_COMMIT: /* done at once */
    case OP_BULK_WAIT:
        break;
    default:
        compute(thread, insn);
        break;
    }
}

void thread_step(struct thread *thread)
{
    struct frame *frame = thread->frame;
    if (frame->next >= frame->function->insn_count) {
        leave(thread);
        return;
    }
    const struct insn *insn = &frame->function->insns[frame->next++];
    if (thread->block->state->steps++ > STEPS_MAX) thread_fault(thread, insn, "too many steps");
    if (insn->guard >= 0) {
        bool holds = frame->registers[insn->guard] != 0;
        if (holds == ((insn->flags & INSN_NEG_GUARD) != 0)) return;
    }
    if (thread_is_collective(insn)) {
        thread->state = THREAD_AT_WARP;
        thread->waits = insn;
    } else if (insn->op == OP_BAR || insn->op == OP_BARRIER) {
        reach_barrier(thread, insn);
    } else {
        execute(thread, insn);
    }
}
