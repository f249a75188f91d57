// SPDX-License-Identifier: Apache-2.0
/* One instruction becomes one uop: operands get places, modifiers go to imm, the lane loop is
 * chosen. Special registers of unusual width and addresses of local variables need a helper uop. */
#include "base/arena.h"
#include "emulate/program.h"
#include "isa/matrix.h"

struct uop empty_uop(void)
{
    struct uop u = {.guard = REF_NONE, .uniform = REF_NONE};
    for (unsigned k = 0; k < UOP_DESTINATIONS; k++)
        u.dst[k] = REF_NONE;
    for (unsigned k = 0; k < UOP_SOURCES; k++)
        u.src[k] = REF_NONE;
    return u;
}

struct uop *new_uop(struct builder *b)
{
    GROW(b->uops, b->uop_count, b->uop_room);
    struct uop *u = &b->uops[b->uop_count++];
    *u = empty_uop();
    return u;
}

static ws_status unsupported(const struct making *m, const char *what)
{
    struct source_place place = {m->b->module->path, m->b->module->ptx, m->b->module->ptx_size,
                                 m->insn->line,      m->insn->column,   1};
    return diag_error_at(m->diag, WS_ERR_UNSUPPORTED, &place,
                         "'%s' is not supported: %s; nothing was executed", m->insn->text, what);
}

/* ---- operand widths -------------------------------------------------------------------------- */

static unsigned lane_bytes(unsigned type)
{
    unsigned bits = type_infos[type].bits;
    return bits <= 16 ? 2 : bits / 8;
}

unsigned source_bytes(const struct insn *insn, unsigned k)
{
    unsigned bytes = insn->type == TYPE_PRED ? 1 : lane_bytes(insn->type);
    unsigned narrow_bytes = lane_bytes(insn_narrow_type(insn));
    switch (op_infos[insn->op].form) {
    case FORM_D_AB32:
        return k == 1 ? 4 : bytes;
    case FORM_D_ABC_BITFIELD:
        return k >= 1 ? 4 : bytes;
    case FORM_D_ABCD_BITFIELD:
        return k >= 2 ? 4 : bytes;
    case FORM_D_AB:
        return k == 0 && insn->type != TYPE_PRED ? narrow_bytes : bytes;
    case FORM_D_ABC:
        if (k < 2) return narrow_bytes;
        return insn->mul_part == MUL_WIDE ? 2 * bytes : bytes;
    case FORM_D_ABP:
        return k == 2 ? 1 : bytes;
    case FORM_D_ABCI:
        return k == 4 ? 1 : bytes;
    case FORM_D_ABC_SLCT:
        return k == 2 ? 4 : bytes;
    case FORM_SETP:
        return k == 2 ? 1 : bytes;
    case FORM_SET:
        return k == 2 ? 1 : lane_bytes(insn->type2);
    case FORM_CVT:
        return lane_bytes(insn->type2);
    case FORM_MOV:
        if (insn->nsrc == 1 || insn->ndst > 1) return bytes;
        return bytes / insn->nsrc < 2 ? 2 : bytes / insn->nsrc;
    case FORM_SHFL:
        return 4;
    case FORM_VOTE:
        return k == 0 ? 1 : 4;
    case FORM_MATCH:
        return k == 0 ? bytes : 4;
    case FORM_REDUX:
        return 4;
    case FORM_BAR:
        return insn->sub_op >= SUB_RED_POPC && insn->sub_op <= SUB_RED_OR && k + 1u == insn->nsrc
                   ? 1
                   : 4;
    case FORM_ISSPACEP:
        return 8;
    case FORM_TEX:
    case FORM_QUERY:
        return k == 0 ? 8 : 4;
    case FORM_SURFACE: /* values are placed by place_surface */
        return k == 0 ? 8 : 4;
    case FORM_ELECT:
    case FORM_MATRIX: /* of a stride; registers are as wide as they are */
        return 4;
    case FORM_BRX:
    case FORM_A:
        return 4;
    case FORM_BULK:
        return 8;
    case FORM_MAPA:
        return k == 1 ? 4 : bytes;
    case FORM_MBARRIER: /* a state; counts and parities are words */
        return insn_is_mbarrier_wait(insn) && k == 1 && !(insn->flags & INSN_PARITY) ? 8 : 4;
    default:
        return bytes;
    }
}

/* ---- special registers ----------------------------------------------------------------------- */

/* Those without a place of their own read as zero: environment, performance counters, where reserved
 * shared memory begins. */
static operand_ref special_place(int32_t sreg)
{
    enum { UNPLACED = BASE_FRAME };
    static const struct {
        uint8_t base, index;
    } places[SREG_COUNT] = {
        [SREG_TID_X] = {BASE_WARP, WARP_TID_X},
        [SREG_TID_Y] = {BASE_WARP, WARP_TID_Y},
        [SREG_TID_Z] = {BASE_WARP, WARP_TID_Z},
        [SREG_LANEID] = {BASE_WARP, WARP_LANEID},
        [SREG_WARPID] = {BASE_WARP, WARP_WARPID},
        [SREG_LANEMASK_EQ] = {BASE_WARP, WARP_MASK_EQ},
        [SREG_LANEMASK_LE] = {BASE_WARP, WARP_MASK_LE},
        [SREG_LANEMASK_LT] = {BASE_WARP, WARP_MASK_LT},
        [SREG_LANEMASK_GE] = {BASE_WARP, WARP_MASK_GE},
        [SREG_LANEMASK_GT] = {BASE_WARP, WARP_MASK_GT},
        [SREG_CTAID_X] = {BASE_BLOCK, BLOCK_CTAID_X},
        [SREG_CTAID_Y] = {BASE_BLOCK, BLOCK_CTAID_Y},
        [SREG_CTAID_Z] = {BASE_BLOCK, BLOCK_CTAID_Z},
        [SREG_NTID_X] = {BASE_BLOCK, BLOCK_NTID_X},
        [SREG_NTID_Y] = {BASE_BLOCK, BLOCK_NTID_Y},
        [SREG_NTID_Z] = {BASE_BLOCK, BLOCK_NTID_Z},
        [SREG_NCTAID_X] = {BASE_BLOCK, BLOCK_NCTAID_X},
        [SREG_NCTAID_Y] = {BASE_BLOCK, BLOCK_NCTAID_Y},
        [SREG_NCTAID_Z] = {BASE_BLOCK, BLOCK_NCTAID_Z},
        [SREG_NWARPID] = {BASE_BLOCK, BLOCK_NWARPID},
        [SREG_SMID] = {BASE_BLOCK, BLOCK_SMID},
        [SREG_ENVREG1] = {BASE_BLOCK, BLOCK_WORKSPACE_HIGH},
        [SREG_ENVREG2] = {BASE_BLOCK, BLOCK_WORKSPACE_LOW},
        [SREG_NSMID] = {BASE_BLOCK, BLOCK_NSMID},
        [SREG_GRIDID] = {BASE_BLOCK, BLOCK_ONE},
        [SREG_DYNAMIC_SMEM_SIZE] = {BASE_BLOCK, BLOCK_DYNAMIC_SMEM},
        [SREG_TOTAL_SMEM_SIZE] = {BASE_BLOCK, BLOCK_TOTAL_SMEM},
        [SREG_AGGR_SMEM_SIZE] = {BASE_BLOCK, BLOCK_AGGR_SMEM},
        [SREG_CLUSTERID_X] = {BASE_BLOCK, BLOCK_CLUSTERID_X},
        [SREG_CLUSTERID_Y] = {BASE_BLOCK, BLOCK_CLUSTERID_Y},
        [SREG_CLUSTERID_Z] = {BASE_BLOCK, BLOCK_CLUSTERID_Z},
        [SREG_NCLUSTERID_X] = {BASE_BLOCK, BLOCK_NCLUSTERID_X},
        [SREG_NCLUSTERID_Y] = {BASE_BLOCK, BLOCK_NCLUSTERID_Y},
        [SREG_NCLUSTERID_Z] = {BASE_BLOCK, BLOCK_NCLUSTERID_Z},
        [SREG_CLUSTER_CTAID_X] = {BASE_BLOCK, BLOCK_CLUSTER_CTAID_X},
        [SREG_CLUSTER_CTAID_Y] = {BASE_BLOCK, BLOCK_CLUSTER_CTAID_Y},
        [SREG_CLUSTER_CTAID_Z] = {BASE_BLOCK, BLOCK_CLUSTER_CTAID_Z},
        [SREG_CLUSTER_NCTAID_X] = {BASE_BLOCK, BLOCK_CLUSTER_NCTAID_X},
        [SREG_CLUSTER_NCTAID_Y] = {BASE_BLOCK, BLOCK_CLUSTER_NCTAID_Y},
        [SREG_CLUSTER_NCTAID_Z] = {BASE_BLOCK, BLOCK_CLUSTER_NCTAID_Z},
        [SREG_CLUSTER_CTARANK] = {BASE_BLOCK, BLOCK_CLUSTER_CTARANK},
        [SREG_CLUSTER_NCTARANK] = {BASE_BLOCK, BLOCK_CLUSTER_NCTARANK},
        [SREG_IS_EXPLICIT_CLUSTER] = {BASE_BLOCK, BLOCK_IS_CLUSTER},
    };
    if (places[sreg].base == UNPLACED) return REF(BASE_BLOCK, BLOCK_ZERO * 4u * WARP_LANES);
    return REF(places[sreg].base, places[sreg].index * 4u * WARP_LANES);
}

static bool is_clock(int32_t sreg)
{
    return sreg >= SREG_CLOCK && sreg <= SREG_GLOBALTIMER_HI;
}

operand_ref temporary(struct making *m)
{
    uint32_t at = m->build->temporaries + (m->temporaries++ % TEMPORARIES) * 8 * WARP_LANES;
    return REF(BASE_FRAME, at);
}

operand_ref place_special(struct making *m, int32_t sreg, unsigned bytes)
{
    bool as_it_is = bytes == 4 || bytes == 1; /* 1: a predicate */
    if (sreg == SREG_RESERVED_SMEM_OFFSET_END || sreg == SREG_RESERVED_SMEM_OFFSET_CAP)
        return pool_constant(m->b, RESERVED_SHARED_BYTES, bytes);
    if (sreg == SREG_RESERVED_SMEM_OFFSET_1)
        return pool_constant(m->b, RESERVED_SHARED_REGION_1, bytes);
    if (!is_clock(sreg) && as_it_is) return special_place(sreg);
    operand_ref temp = temporary(m);
    struct uop *u = new_uop(m->b);
    u->dst[0] = temp;
    u->insn = m->insn;
    if (is_clock(sreg)) {
        u->full = u->part = m->b->semantics->clock_value;
        u->imm = sreg == SREG_CLOCK_HI || sreg == SREG_GLOBALTIMER_HI ? 32 : 0;
        u->is_timer = sreg >= SREG_GLOBALTIMER;
        u->dst_bits = (uint8_t)(8 * bytes);
    } else {
        u->full = u->part = bytes == 8 ? m->b->semantics->special64 : m->b->semantics->special16;
        u->src[0] = special_place(sreg);
    }
    return temp;
}

/* ---- symbols --------------------------------------------------------------------------------- */

/* Address of a variable in its own space. *frame_relative: the frame's local base must be added. */
static uint64_t symbol_address(const struct making *m, int32_t symbol, bool *frame_relative)
{
    const struct variable *variable = &m->b->module->variables[symbol];
    *frame_relative =
        (variable->space == SPACE_LOCAL && !m->in_entry) ||
        (variable->space == SPACE_PARAM && m->b->parameter_homes[symbol] == HOME_LOCAL);
    switch (variable->space) {
    case SPACE_SHARED: {
        uint64_t offset = m->b->shared_offsets[symbol];
        const struct program *program = m->b->program;
        uint64_t end = program->shared_base + shared_dynamic_offset(program->static_shared_bytes) +
                       program->dynamic_shift;
        return variable->is_extern || offset == UINT64_MAX ? end : offset;
    }
    case SPACE_LOCAL:
        return variable->offset + m->b->local_shifts[symbol];
    case SPACE_PARAM:
        return m->b->parameter_offsets[symbol] + m->b->local_shifts[symbol];
    default:
        return m->b->addresses[symbol];
    }
}

operand_ref place_symbol(struct making *m, int32_t symbol, int64_t addend, unsigned bytes)
{
    bool frame_relative;
    uint64_t address = symbol_address(m, symbol, &frame_relative) + (uint64_t)addend;
    if (!frame_relative) return pool_constant(m->b, address, bytes);
    operand_ref temp = temporary(m);
    struct uop *u = new_uop(m->b);
    u->full = u->part = m->b->semantics->local_address;
    u->insn = m->insn;
    u->dst[0] = temp;
    u->dst_bits = (uint8_t)(8 * bytes);
    u->imm = (int64_t)address;
    return temp;
}

/* ---- operands -------------------------------------------------------------------------------- */

static operand_ref place_source(struct making *m, unsigned k)
{
    const struct operand *operand = insn_source(m->insn, k);
    if (m->function->native_code) return native_source(m, k);
    unsigned bytes = source_bytes(m->insn, k);
    switch (operand->kind) {
    case OPERAND_REGISTER:
        return REF(BASE_FRAME, m->build->slots[operand->reg]);
    case OPERAND_IMMEDIATE:
        return bytes == 1 ? pool_constant(m->b, operand->imm ? UINT32_MAX : 0, 4)
                          : pool_constant(m->b, (uint64_t)operand->imm, bytes);
    case OPERAND_SPECIAL:
        return place_special(m, operand->reg, bytes);
    case OPERAND_SYMBOL:
        return place_symbol(m, operand->symbol, operand->imm, bytes);
    case OPERAND_FUNCTION:
        return pool_constant(m->b, (uint64_t)operand->symbol + 1, bytes);
    default:
        return REF_NONE;
    }
}

static unsigned operand_bits(const struct making *m, const struct operand *operand)
{
    if (operand->width == WIDTH_PAIR) return 64;
    if (operand->kind != OPERAND_REGISTER) return m->function->native_code ? 32 : 0;
    unsigned bits = type_infos[m->function->vregs[operand->reg].type].bits;
    return bits == 8 ? 16 : bits;
}

/* Address operand: source 0 of loads, stores, atomics and mbarrier operations. May put a helper before the operation. */
static void place_address(struct making *m, struct uop *u)
{
    const struct operand *operand = insn_source(m->insn, 0);
    if (operand->kind != OPERAND_ADDRESS && operand->kind != OPERAND_REGISTER) return;
    u->imm = operand->imm;
    if (m->function->native_code) {
        native_address(m, u);
        return;
    }
    if (operand->symbol >= 0) {
        const struct variable *variable = &m->b->module->variables[operand->symbol];
        bool frame_relative;
        uint64_t address = symbol_address(m, operand->symbol, &frame_relative);
        if (m->insn->space == SPACE_GENERIC || m->insn->space == SPACE_NONE)
            address += space_window(variable->space);
        if (frame_relative) {
            u->src[0] = place_symbol(m, operand->symbol, 0, 8);
            u->has_address = u->address64 = true;
            return;
        }
        u->imm += (int64_t)address;
    }
    if (operand->reg >= 0) {
        u->src[0] = REF(BASE_FRAME, m->build->slots[operand->reg]);
        u->has_address = true;
        u->address64 = type_infos[m->function->vregs[operand->reg].type].bits == 64;
    }
}

/* Where an access of space PARAM goes: the kernel's block, a function's frame or, by an address that
 * was taken in a function, its local memory. */
static uint8_t parameter_space(const struct making *m)
{
    static const uint8_t spaces[] = {
        [HOME_FRAME] = SPACE_FRAME, [HOME_LOCAL] = SPACE_LOCAL, [HOME_LAUNCH] = SPACE_PARAM};
    const struct operand *operand = insn_source(m->insn, 0);
    if (operand->symbol < 0) return m->in_entry ? SPACE_PARAM : SPACE_LOCAL;
    return spaces[m->b->parameter_homes[operand->symbol]];
}

static bool reads_result(const struct making *m)
{
    const struct operand *result = &m->insn->operands[0];
    return m->insn->ndst && result->kind == OPERAND_REGISTER && m->function->is_read[result->reg];
}

static bool polls(const struct making *m)
{
    const struct insn *insn = m->insn;
    bool global = insn->space == SPACE_GLOBAL || insn->space == SPACE_GENERIC ||
                  insn->space == SPACE_SHARED || insn->space == SPACE_NONE;
    if (insn->op == OP_ATOM) return reads_result(m);
    if (insn_is_mbarrier_wait(insn)) return true;
    return insn->op == OP_LD && global && insn->semantics != MEM_WEAK;
}

static int64_t float_modifiers(const struct insn *insn)
{
    static const struct {
        uint32_t flag;
        int64_t modifier;
    } pairs[] = {{INSN_FTZ, F_FTZ}, {INSN_SAT, F_SAT}, {INSN_RELU, F_RELU},      {INSN_NAN, F_NAN},
                 {INSN_ABS, F_ABS}, {INSN_OOB, F_OOB}, {INSN_XORSIGN, F_XORSIGN}};
    int64_t modifiers = insn->rounding == ROUND_RZ   ? F_RZ
                        : insn->rounding == ROUND_RM ? F_RM
                        : insn->rounding == ROUND_RP ? F_RP
                                                     : 0;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (insn->flags & pairs[i].flag) modifiers |= pairs[i].modifier;
    return modifiers;
}

/* What the lane loops expect in imm beside an address. */
static int64_t modifiers(const struct insn *insn)
{
    bool ftz = insn->flags & INSN_FTZ;
    switch (insn->op) {
    case OP_SETP:
    case OP_SET:
        return insn->combine | (ftz ? 4 : 0);
    case OP_ADDC:
    case OP_SUBC:
    case OP_MADC:
        return 1 | (insn->flags & INSN_CC ? 2 : 0);
    case OP_DP4A:
    case OP_DP2A:
        return (type_infos[insn->type].kind == KIND_SIGNED ? 1 : 0) |
               (type_infos[insn->type2 ? insn->type2 : insn->type].kind == KIND_SIGNED ? 2 : 0) |
               (insn->flags & INSN_B_HI ? 4 : 0);
    case OP_LOP3: /* the table, and how the predicate is combined */
        return (insn_source(insn, 3)->imm & 0xff) | insn->combine << 8;
    case OP_SHF:
        return (insn->sub_op == SUB_LEFT ? 1 : 0) | (insn->flags & INSN_WRAP ? 2 : 0);
    case OP_BMSK:
    case OP_SZEXT:
        return insn->flags & INSN_WRAP ? 1 : 0;
    case OP_PRMT:
    case OP_TESTP:
        return insn->sub_op;
    case OP_BFIND:
        return insn->flags & INSN_SHIFTAMT ? 1 : 0;
    case OP_CVTA:
        return (int64_t)space_window(insn->space);
    case OP_SLCT:
        return ftz ? 1 : 0;
    default:
        if (op_infos[insn->op].form == FORM_NATIVE) return insn->modifiers | float_modifiers(insn);
        if (insn->flags & INSN_CC) return 2; /* add.cc, sub.cc, mad.cc */
        return float_modifiers(insn);
    }
}

static void place_memory(struct making *m, struct uop *u)
{
    const struct insn *insn = m->insn;
    unsigned element = type_infos[insn->type].bits / 8;
    const struct operand *value = insn->ndst ? &insn->operands[0] : insn_source(insn, 1);
    unsigned bits = 0;
    for (unsigned k = 0; k < insn->vector && !bits; k++)
        bits = operand_bits(m, value + k);
    u->element = (uint8_t)element;
    u->vector = insn->vector;
    u->bytes = (uint8_t)(element * insn->vector);
    u->dst_bits = (uint8_t)(bits ? bits : element < 2 ? 16 : 8 * element);
    u->space = insn->space == SPACE_PARAM ? parameter_space(m) : insn->space;
    u->poll = polls(m);
}

static bool is_memory(const struct insn *insn)
{
    unsigned form = op_infos[insn->op].form;
    return form == FORM_LD || form == FORM_ST || form == FORM_ATOM || form == FORM_RED;
}

/* An operation other than those with an address in the place of its first source. */
static bool has_address(const struct insn *insn)
{
    unsigned form = op_infos[insn->op].form;
    return form == FORM_MBARRIER ||
           (form == FORM_NATIVE && insn->nsrc && insn_source(insn, 0)->kind == OPERAND_ADDRESS);
}

static operand_ref place_value(struct making *m, const struct operand *value, unsigned bytes)
{
    return value->kind == OPERAND_REGISTER ? REF(BASE_FRAME, m->build->slots[value->reg])
                                           : pool_constant(m->b, (uint64_t)value->imm, bytes);
}

/* A vector that is too long for dst and src. */
static void place_elements(struct making *m, struct uop *u)
{
    const struct insn *insn = m->insn;
    operand_ref *elements = ARENA_ARRAY(&m->b->program->arena, operand_ref, 2u * insn->vector);
    for (unsigned k = 0; k < 2u * insn->vector; k++)
        elements[k] = REF_NONE;
    for (unsigned k = 0; k < insn->ndst; k++)
        if (insn->operands[k].kind == OPERAND_REGISTER)
            elements[k] = REF(BASE_FRAME, m->build->slots[insn->operands[k].reg]);
    for (unsigned k = 1; k < insn->nsrc; k++)
        elements[insn->vector + k - 1] = place_value(m, insn_source(insn, k), u->dst_bits / 8u);
    u->elements = elements;
}

static void place_operands(struct making *m, struct uop *u)
{
    const struct insn *insn = m->insn;
    for (unsigned k = 0; k < insn->ndst && k < UOP_DESTINATIONS; k++)
        if (insn->operands[k].kind == OPERAND_REGISTER)
            u->dst[k] = REF(BASE_FRAME, m->build->slots[insn->operands[k].reg]);
    if (is_memory(insn)) {
        place_memory(m, u);
        if (insn->vector > UOP_DESTINATIONS) place_elements(m, u);
        for (unsigned k = 1; k < insn->nsrc && k < UOP_SOURCES; k++)
            u->src[k] = m->function->native_code
                            ? native_source(m, k)
                            : place_value(m, insn_source(insn, k), u->dst_bits / 8u);
        return;
    }
    u->dst_bits = (uint8_t)(insn->ndst ? operand_bits(m, &insn->operands[0]) : 0);
    u->imm = modifiers(insn);
    u->space = insn->space;
    u->poll = insn_is_mbarrier_wait(insn);
    if (op_infos[insn->op].form == FORM_CVT || op_infos[insn->op].form == FORM_ISSPACEP) {
        unsigned bits = operand_bits(m, insn_source(insn, 0));
        u->element = (uint8_t)(bits ? bits / 8 : source_bytes(insn, 0));
    }
    for (unsigned k = 0; k < insn->nsrc && k < UOP_SOURCES; k++)
        if (insn_source(insn, k)->negate) u->negate |= (uint8_t)(1u << k);
}

/* What the operation does not look at needs no place. */
static unsigned placed_sources(const struct insn *insn)
{
    switch (op_infos[insn->op].form) {
    case FORM_PREFETCH:
    case FORM_POLICY:
    case FORM_FENCE:
        return 0;
    case FORM_MBARRIER: /* a hint how long to wait changes nothing */
        return insn->nsrc < 2 ? insn->nsrc : 2;
    case FORM_TEX: /* levels and derivatives change nothing here */
        return insn->nsrc < UOP_SOURCES ? insn->nsrc : UOP_SOURCES;
    default:
        return insn->nsrc;
    }
}

/* All places, in the order of the operands; the address is as that of a load. */
static void place_all(struct making *m, struct uop *u)
{
    const struct insn *insn = m->insn;
    unsigned count = (unsigned)insn->ndst + insn->nsrc;
    operand_ref *places = ARENA_ARRAY(&m->b->program->arena, operand_ref, count);
    for (unsigned k = 0; k < insn->ndst; k++)
        places[k] = insn_operand(insn, k)->kind == OPERAND_REGISTER
                        ? REF(BASE_FRAME, m->build->slots[insn_operand(insn, k)->reg])
                        : REF_NONE;
    for (unsigned k = 0; k < insn->nsrc; k++)
        places[insn->ndst + k] = place_source(m, k);
    if (matrix_has_address(insn)) place_address(m, u);
    u->elements = places;
}

/* As a vector in memory: places of the results, then of the values, and behind them the handle and the coordinates. */
static void place_surface(struct making *m, struct uop *u)
{
    const struct insn *insn = m->insn;
    unsigned count = insn->vector, values = insn->ndst ? 0 : count, places = insn->nsrc - values;
    operand_ref *elements = ARENA_ARRAY(&m->b->program->arena, operand_ref, 2 * count + places);
    unsigned bits = 0;
    for (unsigned k = 0; k < count && !bits; k++)
        bits = operand_bits(m, insn->ndst ? &insn->operands[k] : insn_source(insn, places + k));
    u->element = (uint8_t)(type_infos[insn->type].bits / 8);
    u->vector = insn->vector;
    u->bytes = (uint8_t)(u->element * u->vector);
    u->dst_bits = (uint8_t)(bits ? bits : u->element < 2 ? 16 : 8 * u->element);
    for (unsigned k = 0; k < count; k++) {
        elements[k] = elements[count + k] = REF_NONE;
        if (k < insn->ndst && insn->operands[k].kind == OPERAND_REGISTER)
            elements[k] = REF(BASE_FRAME, m->build->slots[insn->operands[k].reg]);
        if (k < values)
            elements[count + k] = place_value(m, insn_source(insn, places + k), u->dst_bits / 8u);
    }
    for (unsigned k = 0; k < places; k++)
        elements[2 * count + k] = place_source(m, k);
    u->elements = elements;
}

/* All sources, and behind them how many bytes a lane of each has. */
static void place_bulk(struct making *m, struct uop *u)
{
    const struct insn *insn = m->insn;
    operand_ref *places = ARENA_ARRAY(&m->b->program->arena, operand_ref, 2u * insn->nsrc + 1);
    for (unsigned k = 0; k < insn->nsrc; k++) {
        unsigned bits = operand_bits(m, insn_source(insn, k));
        places[k] = place_source(m, k);
        places[insn->nsrc + k] = bits ? bits / 8 : source_bytes(insn, k);
    }
    u->elements = places;
}

/* Sources last: they may put helper operations before this one. */
static ws_status place_sources(struct making *m, struct uop *u)
{
    if (is_memory(m->insn)) {
        place_address(m, u);
        return WS_OK;
    }
    if (op_infos[m->insn->op].form == FORM_SURFACE) {
        place_surface(m, u);
        return WS_OK;
    }
    if (m->insn->matrix || m->insn->op == OP_N_P2R || m->insn->op == OP_N_R2P) {
        place_all(m, u);
        return WS_OK;
    }
    if (m->insn->bulk) {
        place_bulk(m, u);
        return WS_OK;
    }
    unsigned sources = placed_sources(m->insn), first = has_address(m->insn) ? 1 : 0;
    if (sources > UOP_SOURCES) return unsupported(m, "too many operands");
    if (first) {
        u->bytes = (uint8_t)insn_access_bytes(m->insn);
        place_address(m, u);
    }
    for (unsigned k = first; k < sources; k++)
        if (m->insn->op != OP_LOP3 || k != 3) /* the table is in imm */
            u->src[k] = place_source(m, k);
    return WS_OK;
}

/* For the checks of what is initialised (defined.h). */
static void note_widths(const struct making *m, struct uop *u)
{
    const struct insn *insn = m->insn;
    u->is_whole_insn = !m->function->native_code;
    for (unsigned k = 0; k < insn->ndst && k < UOP_DESTINATIONS; k++) {
        unsigned bits = operand_bits(m, &insn->operands[k]);
        u->result_width[k] = (uint8_t)(bits == 1 ? 1 : bits / 8);
    }
    for (unsigned k = 0; k < insn->nsrc && k < UOP_SOURCES; k++) {
        unsigned bits = operand_bits(m, insn_source(insn, k));
        u->source_width[k] = (uint8_t)(bits == 1 ? 1 : bits ? bits / 8 : source_bytes(insn, k));
    }
}

ws_status make_uop(struct diag *diag, struct builder *b, uint32_t f, uint32_t index)
{
    const struct function_build *build = &b->functions[f];
    const struct function *function = &b->module->functions[build->module_index];
    const struct insn *insn = &function->insns[index];
    struct making m = {diag, b, build, function, insn, f == 0, 0};
    struct uop_pair pair = b->semantics->select(insn, function);
    struct uop u = empty_uop();
    u.insn = insn;
    u.index = build->first_insn + index;
    u.full = pair.full;
    u.part = pair.part;
    bool ends_block = op_infos[insn->op].form == FORM_BAR || op_infos[insn->op].form == FORM_BRX ||
                      (insn->flags & INSN_SYNC);
    if (insn->guard >= 0 && !ends_block) {
        u.guard = REF(BASE_FRAME, build->slots[insn->guard]);
        u.guard_negated = (insn->flags & INSN_NEG_GUARD) != 0;
        u.inner_full = pair.full;
        u.inner_part = pair.part;
        u.full = u.part = b->semantics->guarded;
    }
    if (insn->is_uniform) { /* whichever lanes are active: all have its registers */
        u.inner_full = pair.full;
        u.inner_part = b->semantics->uniform;
        if (u.guard == REF_NONE) u.full = u.part = b->semantics->uniform;
    }
    place_operands(&m, &u);
    TRY(place_sources(&m, &u));
    note_widths(&m, &u);
    if (function->native_code)
        native_append(&m, &u);
    else
        *new_uop(b) = u;
    return WS_OK;
}
