// SPDX-License-Identifier: Apache-2.0
/* What operations make of undefined bits (defined.h). A bit of a result is undefined if some choice of the undefined bits
 * of the sources could change it; where that would cost too much to know, it is undefined as well.
 *
 *   moves      the operation itself, run on the undefined bits as if they were the values
 *   bits       and, lop3, selp ..: every result bit depends on bits of one position, so the operation is run once more for
 *              each set of sources with their undefined bits inverted
 *   integers   sums by their least and greatest value, products by their lowest undefined bit, comparisons by ranges
 *   others     a lane (of packed values: an element) with any undefined bit is undefined */
#include <string.h>

#include "emulate/defined.h"

enum { OPERAND_STEP = 16 * WARP_LANES };

/* Operands side by side, as one register frame. */
struct scratch {
    unsigned char lanes[UOP_SOURCES + UOP_DESTINATIONS][OPERAND_STEP] __attribute__((aligned(64)));
};

static const unsigned char *value_of(const struct exec *x, operand_ref ref)
{
    return x->base[ref >> 30] + (ref & 0x3fffffff);
}

static size_t operand_bytes(unsigned width)
{
    return width == 1 ? 4 : (size_t)width * WARP_LANES;
}

static void take_value(const struct exec *x, const struct uop *u, unsigned k, struct scratch *to)
{
    if (u->src[k] == REF_NONE) return;
    memcpy(to->lanes[k], value_of(x, u->src[k]), operand_bytes(u->source_width[k]));
}

static void take_undefined(const struct exec *x, const struct uop *u, unsigned k,
                           struct scratch *to)
{
    size_t bytes = operand_bytes(u->source_width[k]);
    if (u->src[k] != REF_NONE && is_register(u->src[k]))
        memcpy(to->lanes[k], undefined_bits(x, u->src[k]), bytes);
    else
        memset(to->lanes[k], 0, bytes);
}

static void invert_undefined(const struct exec *x, const struct uop *u, unsigned k,
                             struct scratch *to)
{
    if (!is_register(u->src[k])) return;
    const unsigned char *bits = undefined_bits(x, u->src[k]);
    for (size_t i = 0; i < operand_bytes(u->source_width[k]); i++)
        to->lanes[k][i] ^= bits[i];
}

static void run_on(struct exec *x, const struct uop *u, uop_fn *run, struct scratch *scratch,
                   bool as_bits)
{
    struct uop joint = *u;
    for (unsigned k = 0; k < UOP_SOURCES; k++)
        if (u->src[k] != REF_NONE) joint.src[k] = REF(BASE_FRAME, k * OPERAND_STEP);
    for (unsigned k = 0; k < UOP_DESTINATIONS; k++)
        if (u->dst[k] != REF_NONE) joint.dst[k] = REF(BASE_FRAME, (UOP_SOURCES + k) * OPERAND_STEP);
    if (as_bits) joint.negate = 0;
    unsigned char *frame = x->base[BASE_FRAME];
    x->base[BASE_FRAME] = scratch->lanes[0];
    run(x, &joint);
    x->base[BASE_FRAME] = frame;
}

static void give_results(const struct uop *u, const struct scratch *scratch,
                         struct undefined_results *out)
{
    for (unsigned k = 0; k < UOP_DESTINATIONS; k++)
        if (u->dst[k] != REF_NONE)
            memcpy(out->lanes[k], scratch->lanes[UOP_SOURCES + k],
                   operand_bytes(u->result_width[k]));
}

/* All bits of these lanes of every result. */
static void all_undefined(const struct uop *u, uint32_t lanes, struct undefined_results *out)
{
    for (unsigned k = 0; k < UOP_DESTINATIONS; k++) {
        unsigned width = u->result_width[k];
        if (u->dst[k] == REF_NONE) continue;
        if (width == 1) {
            uint32_t word;
            memcpy(&word, out->lanes[k], sizeof word);
            word |= lanes;
            memcpy(out->lanes[k], &word, sizeof word);
            continue;
        }
        for (uint32_t left = lanes; left; left &= left - 1)
            memset(out->lanes[k] + (size_t)width * (unsigned)__builtin_ctz(left), 0xff, width);
    }
}

/* ---- moves and bits -------------------------------------------------------------------------- */

/* controls: set of the sources that say how the others are moved. */
static void move_bits(struct exec *x, const struct uop *u, uop_fn *run, unsigned controls,
                      struct undefined_results *out)
{
    struct scratch scratch;
    uint32_t uncontrolled = 0;
    memset(&scratch, 0, sizeof scratch);
    for (unsigned k = 0; k < u->insn->nsrc && k < UOP_SOURCES; k++) {
        if (!((controls >> k) & 1)) {
            take_undefined(x, u, k, &scratch);
            continue;
        }
        take_value(x, u, k, &scratch);
        uncontrolled |= undefined_lanes(x, u->src[k], u->source_width[k]);
    }
    run_on(x, u, run, &scratch, true);
    give_results(u, &scratch, out);
    if (uncontrolled) all_undefined(u, uncontrolled, out);
}

static void change_bits(struct exec *x, const struct uop *u, uop_fn *run, unsigned count,
                        struct undefined_results *out)
{
    struct scratch base, changed;
    memset(&base, 0, sizeof base);
    memset(out, 0, sizeof *out);
    unsigned dirty = 0;
    for (unsigned k = 0; k < count; k++) {
        take_value(x, u, k, &base);
        if (undefined_lanes(x, u->src[k], u->source_width[k])) dirty |= 1u << k;
    }
    changed = base;
    run_on(x, u, run, &base, false);
    for (unsigned set = dirty; set; set = (set - 1) & dirty) {
        struct scratch one = changed;
        for (unsigned k = 0; k < count; k++)
            if ((set >> k) & 1) invert_undefined(x, u, k, &one);
        run_on(x, u, run, &one, false);
        for (size_t i = 0; i < operand_bytes(u->result_width[0]); i++)
            out->lanes[0][i] |= one.lanes[UOP_SOURCES][i] ^ base.lanes[UOP_SOURCES][i];
    }
}

/* ---- integers -------------------------------------------------------------------------------- */

static struct known known_of(const struct exec *x, const struct uop *u, unsigned k, unsigned bits,
                             unsigned lane)
{
    struct known known = {0, 0};
    if (u->src[k] == REF_NONE || k >= u->insn->nsrc) return known;
    unsigned width = u->source_width[k];
    known.value = get_lane(value_of(x, u->src[k]), width, lane) & low_bits(bits);
    if (is_register(u->src[k]))
        known.undefined = get_lane(undefined_bits(x, u->src[k]), width, lane) & low_bits(bits);
    return known;
}

static bool is_plain_integer(const struct insn *insn)
{
    unsigned kind = type_infos[insn->type].kind;
    bool has_mode = insn->flags & (INSN_SAT | INSN_CC | INSN_RELU);
    return (kind == KIND_SIGNED || kind == KIND_UNSIGNED || kind == KIND_BITS) &&
           type_elements(insn->type) == 1 && !has_mode;
}

static bool integer_rule(const struct exec *x, const struct uop *u, uint32_t touched,
                         struct undefined_results *out)
{
    const struct insn *insn = u->insn;
    unsigned bits = type_infos[insn->type].bits, width = u->result_width[0];
    if (!is_plain_integer(insn) || !width || width > 8) return false;
    memset(out->lanes[0], 0, operand_bytes(width));
    for (uint32_t left = touched; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        struct known sources[3];
        for (unsigned k = 0; k < 3; k++)
            sources[k] = known_of(x, u, k, k == 2 && insn->mul_part == MUL_WIDE ? 64 : bits, lane);
        uint64_t undefined;
        if (!known_integer(insn, sources, &undefined)) return false;
        set_lane(out->lanes[0], width, lane, undefined & low_bits(8 * width));
    }
    return true;
}

/* ---- comparisons ----------------------------------------------------------------------------- */

/* Lanes whose comparison is undefined; of packed halves the upper ones in *high. */
static uint32_t compared(const struct exec *x, const struct uop *u, uint32_t touched,
                         uint32_t *high)
{
    const struct insn *insn = u->insn;
    unsigned type = insn->op == OP_SET ? insn->type2 : insn->type;
    unsigned bits = type_infos[type].bits, kind = type_infos[type].kind;
    bool is_signed = kind == KIND_SIGNED;
    uint32_t lanes = 0;
    *high = 0;
    for (uint32_t left = touched; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        struct known a = known_of(x, u, 0, bits, lane), b = known_of(x, u, 1, bits, lane);
        uint64_t any = a.undefined | b.undefined;
        bool is_undefined;
        if (type_elements((enum ptx_type)type) == 2) {
            is_undefined = any & low_bits(bits / 2);
            *high |= (uint32_t)(any >> (bits / 2) != 0) << lane;
        } else if (kind == KIND_FLOAT) {
            is_undefined = any != 0;
        } else {
            is_undefined = known_comparison(insn->compare, a, b, bits, is_signed);
        }
        lanes |= (uint32_t)is_undefined << lane;
    }
    return lanes;
}

/* Of a and b where either may be undefined. */
static uint32_t combined(unsigned how, uint32_t a, uint32_t a_undefined, uint32_t b,
                         uint32_t b_undefined)
{
    uint32_t both = a_undefined & b_undefined;
    switch (how) {
    case COMBINE_AND:
        return both | (a_undefined & b) | (b_undefined & a);
    case COMBINE_OR:
        return both | (a_undefined & ~b) | (b_undefined & ~a);
    case COMBINE_XOR:
        return a_undefined | b_undefined;
    default:
        return a_undefined;
    }
}

static uint32_t word_of(const unsigned char *lanes)
{
    uint32_t word;
    memcpy(&word, lanes, sizeof word);
    return word;
}

static void setp_rule(struct exec *x, const struct uop *u, uop_fn *run, uint32_t touched,
                      struct undefined_results *out)
{
    unsigned how = (unsigned)u->imm & 3;
    uint32_t high, lanes = compared(x, u, touched, &high);
    bool is_packed = type_elements((enum ptx_type)u->insn->type) == 2;
    struct scratch scratch;
    memset(&scratch, 0, sizeof scratch);
    uint32_t c = 0, c_undefined = 0;
    if (how) {
        c = word_of(value_of(x, u->src[2]));
        if ((u->negate >> 2) & 1) c = ~c;
        c_undefined = undefined_lanes(x, u->src[2], 1);
    }
    take_value(x, u, 0, &scratch);
    take_value(x, u, 1, &scratch);
    struct uop plain = *u; /* the comparison alone, for both results */
    plain.imm &= ~(int64_t)3;
    for (unsigned k = 0; k < 2; k++)
        if (plain.dst[k] == REF_NONE) plain.dst[k] = REF(BASE_FRAME, 0);
    run_on(x, &plain, run, &scratch, false);
    for (unsigned k = 0; k < 2; k++) {
        uint32_t value = word_of(scratch.lanes[UOP_SOURCES + k]);
        uint32_t undefined = k && is_packed ? high : lanes;
        undefined = combined(how, value, undefined, c, c_undefined);
        memcpy(out->lanes[k], &undefined, sizeof undefined);
    }
}

static void set_rule(const struct exec *x, const struct uop *u, uint32_t touched,
                     struct undefined_results *out)
{
    uint32_t high, lanes = compared(x, u, touched, &high);
    uint32_t c_undefined = u->imm & 3 ? undefined_lanes(x, u->src[2], 1) : 0;
    all_undefined(u, lanes | high | c_undefined, out);
}

/* ---- between lanes --------------------------------------------------------------------------- */

static void vote_rule(struct exec *x, const struct uop *u, struct undefined_results *out)
{
    uint32_t p = word_of(value_of(x, u->src[0])), undefined = undefined_lanes(x, u->src[0], 1);
    if (u->negate & 1) p = ~p;
    undefined &= x->mask;
    uint32_t is_true = p & x->mask & ~undefined, is_false = ~p & x->mask & ~undefined;
    if (!undefined) return;
    if (u->insn->sub_op == SUB_BALLOT) {
        for (uint32_t left = x->mask; left; left &= left - 1)
            set_lane(out->lanes[0], u->result_width[0], (unsigned)__builtin_ctz(left), undefined);
        return;
    }
    bool is_decided = u->insn->sub_op == SUB_ALL   ? is_false != 0
                      : u->insn->sub_op == SUB_ANY ? is_true != 0
                                                   : is_true && is_false;
    if (!is_decided) all_undefined(u, x->mask, out);
}

static void match_rule(struct exec *x, const struct uop *u, struct undefined_results *out)
{
    unsigned bits = 8u * u->source_width[0];
    struct known values[WARP_LANES];
    bool all_undecided = false, all_differ = false;
    for (unsigned i = 0; i < WARP_LANES; i++)
        values[i] = known_of(x, u, 0, bits, i);
    for (uint32_t left = x->mask; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        uint32_t undecided = 0;
        for (uint32_t rest = x->mask; rest; rest &= rest - 1) {
            unsigned k = (unsigned)__builtin_ctz(rest);
            uint64_t any = values[i].undefined | values[k].undefined;
            bool differs = (values[i].value ^ values[k].value) & ~any;
            all_differ = all_differ || differs;
            if (k != i && any && !differs) undecided |= 1u << k;
        }
        all_undecided = all_undecided || undecided;
        if (u->insn->sub_op == SUB_ANY && u->dst[0] != REF_NONE)
            set_lane(out->lanes[0], u->result_width[0], i, undecided);
    }
    if (u->insn->sub_op == SUB_ALL && all_undecided && !all_differ) all_undefined(u, x->mask, out);
}

static void redux_rule(struct exec *x, const struct uop *u, struct undefined_results *out)
{
    uint64_t any = 0, zeros = 0, ones = 0;
    for (uint32_t left = x->mask; left; left &= left - 1) {
        struct known a = known_of(x, u, 0, 32, (unsigned)__builtin_ctz(left));
        any |= a.undefined;
        ones |= a.value & ~a.undefined;
        zeros |= ~a.value & ~a.undefined;
    }
    uint64_t undefined = u->insn->sub_op == SUB_AND   ? any & ~zeros
                         : u->insn->sub_op == SUB_OR  ? any & ~ones
                         : u->insn->sub_op == SUB_XOR ? any
                         : u->insn->sub_op == SUB_ADD ? any | (0 - any)
                         : any                        ? ~UINT64_C(0)
                                                      : 0;
    for (uint32_t left = x->mask; left; left &= left - 1)
        set_lane(out->lanes[0], u->result_width[0], (unsigned)__builtin_ctz(left), undefined);
}

/* ---- others ---------------------------------------------------------------------------------- */

/* Elements of the result that any source has undefined bits in; all sources are packed alike. */
static void element_rule(const struct exec *x, const struct uop *u, uint32_t touched,
                         unsigned elements, struct undefined_results *out)
{
    unsigned width = u->result_width[0], bits = 8 * width / elements;
    for (uint32_t left = touched; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t any = 0, undefined = 0;
        for (unsigned k = 0; k < u->insn->nsrc && k < UOP_SOURCES; k++)
            any |= known_of(x, u, k, 64, lane).undefined;
        for (unsigned e = 0; e < elements; e++)
            if (any >> (e * bits) & low_bits(bits)) undefined |= low_bits(bits) << (e * bits);
        set_lane(out->lanes[0], width, lane, undefined);
    }
}

/* Packed results of a and b, the first of which goes to the upper half, or of one packed source. */
static bool packed_convert(const struct exec *x, const struct uop *u, uint32_t touched,
                           struct undefined_results *out)
{
    const struct insn *insn = u->insn;
    unsigned to = type_infos[insn->type].bits / 2, from = type_infos[insn->type2].bits;
    if (type_elements((enum ptx_type)insn->type) != 2 || insn->nsrc > 2) return false;
    for (uint32_t left = touched; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        bool low, high;
        if (insn->nsrc == 2) {
            high = known_of(x, u, 0, 64, lane).undefined;
            low = known_of(x, u, 1, 64, lane).undefined;
        } else {
            uint64_t any = known_of(x, u, 0, from, lane).undefined;
            low = any & low_bits(from / 2);
            high = any >> (from / 2);
        }
        uint64_t undefined = (low ? low_bits(to) : 0) | (high ? low_bits(to) << to : 0);
        set_lane(out->lanes[0], u->result_width[0], lane, undefined);
    }
    return true;
}

static bool is_resize(const struct insn *insn)
{
    bool integers = TS_INT8 >> insn->type & TS_INT8 >> insn->type2 & 1;
    return integers && insn->sub_op != SUB_PACK && !(insn->flags & INSN_SAT);
}

/* Sums with condition codes. The sum's own carry may come from any undefined bit. */
static void carry_rule(struct exec *x, const struct uop *u, uint32_t touched,
                       struct undefined_results *out)
{
    struct defined_warp *defined = x->warp->defined;
    all_undefined(u, touched, out);
    if (u->imm & 2) {
        defined->carry = (defined->carry & ~x->mask) | (touched & x->mask);
        if (defined->carry) defined->is_dirty = true;
    }
}

/* Sources that say how the others are moved; -1: the operation is no move. */
static int move_controls(const struct insn *insn)
{
    switch (insn->op) {
    case OP_MOV:
    case OP_BREV:
    case OP_MAPA:
        return 0;
    case OP_CVT:
        return is_resize(insn) ? 0 : -1;
    case OP_SHL:
    case OP_SHR:
    case OP_SZEXT:
        return 2;
    case OP_SHF:
    case OP_PRMT:
        return 4;
    case OP_BFE:
    case OP_SHFL:
        return 6 | 8;
    case OP_BFI:
        return 12;
    default:
        return -1;
    }
}

/* How many sources an operation by bits has; 0: it is none. */
static unsigned bitwise_sources(const struct insn *insn)
{
    switch (insn->op) {
    case OP_NOT:
        return 1;
    case OP_AND:
    case OP_OR:
    case OP_XOR:
    case OP_COPYSIGN:
        return 2;
    case OP_SELP:
        return 3;
    case OP_SLCT: /* by the sign of an integer */
        return insn->type2 == TYPE_F32 ? 0 : 3;
    case OP_LOP3:
        return insn->combine ? 0 : 3;
    default:
        return 0;
    }
}

bool defined_rule(struct exec *x, const struct uop *u, uop_fn *run, uint32_t touched,
                  struct undefined_results *out)
{
    const struct insn *insn = u->insn;
    int controls = move_controls(insn);
    unsigned bitwise = bitwise_sources(insn);
    if (controls >= 0) {
        move_bits(x, u, run, (unsigned)controls, out);
        if (insn->op == OP_SHFL && u->dst[1] != REF_NONE) {
            uint32_t lanes = undefined_lanes(x, u->src[1], 4) | undefined_lanes(x, u->src[2], 4);
            memcpy(out->lanes[1], &lanes, sizeof lanes);
        }
        return true;
    }
    if (bitwise) {
        change_bits(x, u, run, bitwise, out);
        return true;
    }
    memset(out, 0, sizeof *out);
    unsigned elements = type_elements((enum ptx_type)insn->type);
    switch (insn->op) {
    case OP_SETP:
        setp_rule(x, u, run, touched, out);
        return false;
    case OP_SET:
        set_rule(x, u, touched, out);
        return false;
    case OP_VOTE:
        vote_rule(x, u, out);
        return false;
    case OP_MATCH:
        match_rule(x, u, out);
        return false;
    case OP_REDUX:
        redux_rule(x, u, out);
        return false;
    case OP_ADDC:
    case OP_SUBC:
    case OP_MADC:
        carry_rule(x, u, touched, out);
        return false;
    case OP_CVT:
        if (!packed_convert(x, u, touched, out)) all_undefined(u, touched, out);
        return false;
    default:
        break;
    }
    if (insn->flags & INSN_CC)
        carry_rule(x, u, touched, out);
    else if (elements == 2 && u->result_width[0] > 1)
        element_rule(x, u, touched, elements, out);
    else if (!integer_rule(x, u, touched, out))
        all_undefined(u, touched, out);
    return false;
}
