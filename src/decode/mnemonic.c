// SPDX-License-Identifier: Apache-2.0
/* `ld.global.nc.v4.f32` to opcode, types and modifiers. Decoded once for each spelling. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "decode/parser.h"
#include "isa/modifiers.h"

enum modifier_slot {
    SLOT_IGNORE,
    SLOT_FLAG,
    SLOT_ROUNDING,
    SLOT_COMPARE,
    SLOT_COMBINE,
    SLOT_PART,
    SLOT_ATOM,
    SLOT_SUB,
    SLOT_CACHE,
    SLOT_SEMANTICS,
    SLOT_SCOPE,
    SLOT_SPACE,
    SLOT_VECTOR,
    SLOT_CHOICE,
    SLOT_BAR_SYNC,
    SLOT_CLUSTER_SPACE,
    SLOT_POLICY, /* one more operand */
};
struct modifier {
    uint64_t group;
    const char *text;
    uint8_t slot;
    uint32_t value;
};
static const struct modifier modifiers[] = {
#define MODIFIER(group, text, slot, value) {MG_##group, text, SLOT_##slot, value},
#include "isa/modifiers.def"
#undef MODIFIER
};
enum { MODIFIER_COUNT = sizeof modifiers / sizeof *modifiers };

static const char *const foreign_opcodes[] = {
#define OPCODE(name) name,
#define SUFFIX(name)
#define SPECIAL(name)
#include "decode/foreign.def"
#undef OPCODE
#undef SUFFIX
};
static const char *const foreign_suffixes[] = {
#define OPCODE(name)
#define SUFFIX(name) name,
#include "decode/foreign.def"
#undef OPCODE
#undef SUFFIX
#undef SPECIAL
};
enum {
    FOREIGN_OPCODES = sizeof foreign_opcodes / sizeof *foreign_opcodes,
    FOREIGN_SUFFIXES = sizeof foreign_suffixes / sizeof *foreign_suffixes,
};

/* One mnemonic while it is decoded. */
struct builder {
    struct parser *parser;
    struct mnemonic *mnemonic;
    struct token token;  /* all of it */
    struct token part;   /* the suffix in question, without its dot */
    unsigned type_count; /* types seen */
    uint32_t slots;      /* set of slots that are taken */
};

static bool text_is(const struct token *token, const char *text)
{
    return token->length == strlen(text) && !memcmp(token->start, text, token->length);
}

static bool is_one_of(const struct token *token, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (text_is(token, names[i])) return true;
    return false;
}

/* The row with the longest name that the mnemonic begins with: one word, or several as in mbarrier.init. */
static int find_op(const struct token *token)
{
    size_t longest = 0;
    int found = -1;
    for (int i = 0; i < OP_PTX_COUNT; i++) {
        size_t length = strlen(op_infos[i].mnemonic);
        bool begins = length > longest && length <= token->length &&
                      !memcmp(token->start, op_infos[i].mnemonic, length) &&
                      (length == token->length || token->start[length] == '.');
        if (!begins) continue;
        longest = length;
        found = i;
    }
    return found;
}

/* Is the word the first of a row's name, as in mbarrier.init? */
static bool has_other_forms(const struct token *word)
{
    for (int i = 0; i < OP_PTX_COUNT; i++)
        if (!strncmp(op_infos[i].mnemonic, word->start, word->length) &&
            op_infos[i].mnemonic[word->length] == '.')
            return true;
    return false;
}

static ws_status unknown_opcode(struct builder *builder)
{
    const char *names[OP_PTX_COUNT + FOREIGN_OPCODES];
    for (unsigned i = 0; i < OP_PTX_COUNT; i++)
        names[i] = op_infos[i].mnemonic;
    memcpy(names + OP_PTX_COUNT, foreign_opcodes, sizeof foreign_opcodes);
    struct parser *parser = builder->parser;
    const char *near = text_hint(parser->arena, parser_copy(parser, &builder->part), names,
                                 OP_PTX_COUNT + FOREIGN_OPCODES);
    return parser_error(parser, WS_ERR_INPUT, &builder->part, "unknown instruction %s%s",
                        parser_token_text(parser, &builder->part), near);
}

static ws_status set_slot(struct builder *builder, const struct modifier *modifier)
{
    struct insn *insn = &builder->mnemonic->insn;
    uint8_t value = (uint8_t)modifier->value;
    unsigned slot = modifier->slot;
    if (slot == SLOT_IGNORE) return WS_OK;
    if (slot == SLOT_FLAG) {
        insn->flags |= modifier->value;
        return WS_OK;
    }
    if (slot == SLOT_POLICY) {
        builder->mnemonic->has_cache_policy = true;
        return WS_OK;
    }
    if (slot == SLOT_BAR_SYNC) { /* bar.warp.sync is another operation than bar.sync */
        if (insn->sub_op == SUB_NONE) insn->sub_op = SUB_SYNC;
        return WS_OK;
    }
    if (slot == SLOT_CLUSTER_SPACE) {
        insn->flags |= INSN_CLUSTER;
        slot = SLOT_SPACE;
    }
    if (builder->slots >> slot & 1)
        return parser_error(builder->parser, WS_ERR_INPUT, &builder->part,
                            "'.%s' contradicts an earlier suffix of the instruction",
                            parser_copy(builder->parser, &builder->part));
    builder->slots |= 1u << slot;
    switch (slot) {
    case SLOT_ROUNDING:
        insn->rounding = value;
        break;
    case SLOT_COMPARE:
        insn->compare = value;
        break;
    case SLOT_COMBINE:
        insn->combine = value;
        break;
    case SLOT_PART:
        insn->mul_part = value;
        break;
    case SLOT_ATOM:
        insn->atom_op = value;
        break;
    case SLOT_SUB:
        insn->sub_op = value;
        break;
    case SLOT_CACHE:
        insn->cache_op = value;
        break;
    case SLOT_SEMANTICS:
        insn->semantics = value;
        break;
    case SLOT_CHOICE:
        insn->choice = value;
        break;
    case SLOT_SCOPE:
        insn->scope = value;
        break;
    case SLOT_SPACE:
        insn->space = value;
        break;
    default:
        insn->vector = value;
        break;
    }
    return WS_OK;
}

static const char *op_name(const struct builder *builder)
{
    return op_infos[builder->mnemonic->insn.op].mnemonic;
}

static ws_status wrong_suffix(struct builder *builder, bool is_known)
{
    const char *names[MODIFIER_COUNT + TYPE_COUNT];
    size_t count = 0;
    struct parser *parser = builder->parser;
    uint64_t groups = op_infos[builder->mnemonic->insn.op].modifiers;
    for (unsigned i = 0; i < MODIFIER_COUNT; i++)
        if (modifiers[i].group & groups) names[count++] = modifiers[i].text;
    for (unsigned i = TYPE_PRED; i < TYPE_COUNT; i++)
        if (op_infos[builder->mnemonic->insn.op].types >> i & 1)
            names[count++] = type_infos[i].suffix;
    const char *near = text_hint(parser->arena, parser_copy(parser, &builder->part), names, count);
    const char *part = parser_copy(parser, &builder->part);
    if (is_known)
        return parser_error(parser, WS_ERR_INPUT, &builder->part, "'%s' does not take '.%s'",
                            op_name(builder), part);
    return parser_error(parser, WS_ERR_INPUT, &builder->part, "unknown suffix '.%s' of '%s'%s",
                        part, op_name(builder), near);
}

/* add.f32.f16: mixed precision. */
static bool may_mix(const struct insn *insn)
{
    bool has_form = insn->op == OP_ADD || insn->op == OP_SUB || insn->op == OP_FMA;
    return has_form && insn->type == TYPE_F32;
}

/* How many types it must have: of the destination, of sources that differ. */
static unsigned type_places(const struct insn *insn)
{
    switch (op_infos[insn->op].form) {
    case FORM_VIDEO:
        return video_types(insn);
    case FORM_CVT:
        return insn->sub_op == SUB_PACK ? 3 : 2;
    case FORM_SET:
    case FORM_D_ABC_SLCT:
    case FORM_TEX:
        return 2;
    default:
        return insn->op == OP_DP4A || insn->op == OP_DP2A ? 2 : 1;
    }
}

/* Types of PTX that a row lacks are refused where they are reached, not for the whole file. */
static bool is_late_type(enum ptx_type type)
{
    uint64_t old = TS_NONE | TS_PRED | TS_BITS8 | TS_INT8 | TS_FLOAT;
    return !(old >> type & 1);
}

static ws_status set_type(struct builder *builder, enum ptx_type type)
{
    struct insn *insn = &builder->mnemonic->insn;
    uint64_t legal = op_infos[insn->op].types;
    bool mixes = builder->type_count == 1 && may_mix(insn);
    if (builder->type_count == type_places(insn) && !mixes) return wrong_suffix(builder, true);
    bool is_selector = op_infos[insn->op].form == FORM_D_ABC_SLCT && builder->type_count == 1;
    if (is_selector) legal = TS_F32 | TS(S32);
    if (insn->op == OP_SET && builder->type_count == 1)
        legal = TS_BITS | TS_INT | TS_FLOAT | TS_F16;
    if (mixes) legal = TS(F16) | TS(BF16);
    if (op_infos[insn->op].form == FORM_TEX && builder->type_count == 1) legal = TS_F32 | TS(S32);
    if (insn->op == OP_CVT && builder->type_count == 2) legal = TS_B32;
    if (!(legal >> type & 1) && !is_late_type(type)) return wrong_suffix(builder, true);
    if (!(legal >> type & 1)) builder->mnemonic->unsupported = true;
    uint8_t *const places[] = {&insn->type, &insn->type2, &insn->type3};
    *places[builder->type_count++] = (uint8_t)type;
    return WS_OK;
}

static ws_status decode_suffix(struct builder *builder)
{
    uint64_t groups = op_infos[builder->mnemonic->insn.op].modifiers;
    bool known = false;
    for (unsigned i = 0; i < MODIFIER_COUNT; i++) {
        if (!text_is(&builder->part, modifiers[i].text)) continue;
        if (modifiers[i].group & groups) return set_slot(builder, &modifiers[i]);
        known = true;
    }
    for (unsigned i = TYPE_PRED; i < TYPE_COUNT; i++)
        if (text_is(&builder->part, type_infos[i].suffix))
            return set_type(builder, (enum ptx_type)i);
    if (is_one_of(&builder->part, foreign_suffixes, FOREIGN_SUFFIXES)) {
        builder->mnemonic->unsupported = true;
        return WS_OK;
    }
    /* barrier.cluster.arrive and the like: PTX, but not ours */
    if (text_is(&builder->part, "cluster")) {
        builder->mnemonic->unsupported = true;
        return WS_OK;
    }
    return wrong_suffix(builder, known);
}

/* ---- what a complete mnemonic must have ------------------------------------------------------ */

static ws_status lacks(struct builder *builder, const char *what)
{
    return parser_error(builder->parser, WS_ERR_INPUT, &builder->token, "%s lacks %s",
                        parser_token_text(builder->parser, &builder->token), what);
}

static ws_status wrong_with(struct builder *builder, const char *what)
{
    return parser_error(builder->parser, WS_ERR_INPUT, &builder->token, "%s: %s",
                        parser_token_text(builder->parser, &builder->token), what);
}

static bool is_old(const struct builder *builder)
{
    const struct module *module = builder->parser->module;
    return module->version_major == 1 && module->version_minor < 4;
}

/* mad.f64 since PTX 1.4; mad.f32 of sm_20 and later since PTX 3.2, as ptxas has it (ISA 9.7.3.7). */
static bool needs_rounding(const struct builder *builder)
{
    const struct insn *insn = &builder->mnemonic->insn;
    const struct module *module = builder->parser->module;
    if (insn->op != OP_MAD) return insn->op == OP_FMA;
    if (insn->type == TYPE_F64) return !is_old(builder);
    bool enforced =
        module->version_major > 3 || (module->version_major == 3 && module->version_minor >= 2);
    return enforced && module->target >= 20;
}

/* Before PTX 1.4, f32 division and roots were approximate unless said otherwise, f64 rounded to
 * nearest; since then the precision must be written out. */
static ws_status check_precision(struct builder *builder)
{
    struct insn *insn = &builder->mnemonic->insn;
    bool takes_one = insn->op == OP_DIV || insn->op == OP_RCP || insn->op == OP_SQRT ||
                     insn->op == OP_RSQRT || insn->op == OP_SIN || insn->op == OP_COS ||
                     insn->op == OP_LG2 || insn->op == OP_EX2 || insn->op == OP_TANH;
    bool has_one = insn->rounding || insn->flags & (INSN_APPROX | INSN_FULL);
    if (type_infos[insn->type].kind != KIND_FLOAT) {
        bool bad =
            (insn->rounding && insn->op != OP_CVT) || insn->flags & (INSN_APPROX | INSN_FULL);
        return bad ? wrong_with(builder, "rounding requires a float type") : WS_OK;
    }
    if (needs_rounding(builder) && !insn->rounding) return lacks(builder, "a rounding such as .rn");
    if (!takes_one || has_one) return WS_OK;
    if (!is_old(builder)) return lacks(builder, "its precision: .rn, .approx or another rounding");
    if (insn->type == TYPE_F32)
        insn->flags |= INSN_APPROX;
    else
        insn->rounding = ROUND_RN;
    return WS_OK;
}

/* Targets before sm_20 flush subnormal numbers of f32 in any case (ISA 9.7.3). */
static ws_status check_float(struct builder *builder)
{
    struct insn *insn = &builder->mnemonic->insn;
    const char *fault = insn_float_fault(insn);
    if (builder->parser->module->target < 20 && insn_may_flush(insn)) insn->flags |= INSN_FTZ;
    return fault ? wrong_with(builder, fault) : WS_OK;
}

/* Halves give a half or an integer, packed ones one as wide; the other types 32 bits or a half. */
static ws_status check_set_types(struct builder *builder)
{
    const struct insn *insn = &builder->mnemonic->insn;
    uint64_t legal = TS_I32 | TS_F32 | TS(F16) | TS(BF16);
    switch (insn->type2) {
    case TYPE_F16:
        legal = TS_I32 | TS(U16) | TS(S16) | TS(F16) | TS(BF16);
        break;
    case TYPE_BF16:
        legal = TS_I32 | TS(U16) | TS(S16) | TS(BF16);
        break;
    case TYPE_F16X2:
        legal = TS_I32 | TS(F16X2);
        break;
    case TYPE_BF16X2:
        legal = TS_I32 | TS(BF16X2);
        break;
    default:
        break;
    }
    return legal >> insn->type & 1 ? WS_OK : wrong_with(builder, "incompatible types");
}

static ws_status check_compare(struct builder *builder)
{
    const struct insn *insn = &builder->mnemonic->insn;
    bool is_set = insn->op == OP_SET;
    if (insn->op != OP_SETP && !is_set) return WS_OK;
    unsigned kind = type_infos[is_set ? insn->type2 : insn->type].kind;
    unsigned compare = insn->compare;
    if (!compare) return lacks(builder, "a comparison such as .lt");
    if (is_set) TRY(check_set_types(builder));
    bool legal = compare <= CMP_NE || (compare <= CMP_GE && kind != KIND_BITS) ||
                 (compare >= CMP_LO && compare <= CMP_HS && kind == KIND_UNSIGNED) ||
                 (compare >= CMP_EQU && kind == KIND_FLOAT);
    return legal ? WS_OK : wrong_with(builder, "comparison incompatible with the type");
}

static ws_status check_integer(struct builder *builder)
{
    const struct insn *insn = &builder->mnemonic->insn;
    bool is_float = type_infos[insn->type].kind == KIND_FLOAT;
    bool multiplies = insn->op == OP_MUL || insn->op == OP_MAD;
    bool needs_part = (multiplies && !is_float) || insn->op == OP_MUL24 || insn->op == OP_MAD24 ||
                      insn->op == OP_MADC;
    if (needs_part && !insn->mul_part) return lacks(builder, "one of .lo, .hi, .wide");
    if (is_float && insn->mul_part)
        return wrong_with(builder, ".lo, .hi, .wide require an integer type");
    if (is_float && insn->flags & INSN_CC)
        return wrong_with(builder, "'.cc' requires an integer type");
    if (insn->mul_part == MUL_WIDE && type_infos[insn->type].bits == 64)
        return wrong_with(builder, "'.wide' requires 16 or 32 bits");
    if (insn->mul_part == MUL_WIDE && insn->flags & INSN_CC)
        return wrong_with(builder, "'.cc' and '.wide' are mutually exclusive");
    bool saturates = insn->flags & INSN_SAT && !is_float && insn->op != OP_CVT &&
                     op_infos[insn->op].form != FORM_VIDEO;
    if (saturates && insn->type != TYPE_S32) return wrong_with(builder, "'.sat' requires .s32");
    bool clamps = insn->flags & INSN_RELU && (insn->op == OP_MIN || insn->op == OP_MAX);
    if (clamps && insn->type != TYPE_S32 && insn->type != TYPE_S16X2)
        return wrong_with(builder, "'.relu' requires .s32 or .s16x2");
    if (saturates && insn->mul_part && insn->mul_part != MUL_HI)
        return wrong_with(builder, "'.sat' requires .hi");
    bool has_mode = insn->op == OP_SHF || insn->op == OP_BMSK || insn->op == OP_SZEXT;
    if (has_mode && !(insn->flags & (INSN_CLAMP | INSN_WRAP)))
        return lacks(builder, "'.clamp' or '.wrap'");
    if (insn->flags & INSN_FTZ && insn->op != OP_CVT && insn->op != OP_SET && insn->op != OP_SLCT &&
        !is_float)
        return wrong_with(builder, "'.ftz' requires a float type");
    return WS_OK;
}

static ws_status check_cvt(struct builder *builder)
{
    const struct insn *insn = &builder->mnemonic->insn;
    if (insn->op != OP_CVT) return WS_OK;
    const char *lack = conversion_lacks(insn, is_old(builder));
    if (lack) return lacks(builder, lack);
    const char *fault = conversion_fault(insn);
    return fault ? wrong_with(builder, fault) : WS_OK;
}

static ws_status check_video(struct builder *builder)
{
    const struct insn *insn = &builder->mnemonic->insn;
    if (op_infos[insn->op].form != FORM_VIDEO) return WS_OK;
    const char *lack = video_lacks(insn);
    if (lack) return lacks(builder, lack);
    const char *fault = video_fault(insn);
    return fault ? wrong_with(builder, fault) : WS_OK;
}

static bool is_small_float(enum ptx_type type)
{
    return TS_F16 >> type & 1;
}

/* Vectors: sums of floats, sums and extremes of halves, in global memory. Halves alone: sums. */
static ws_status check_atomic_float(struct builder *builder)
{
    const struct insn *insn = &builder->mnemonic->insn;
    bool small = is_small_float(insn->type), vector = insn->vector > 1;
    bool swaps = insn->atom_op == ATOM_EXCH || insn->atom_op == ATOM_CAS;
    bool extreme = insn->atom_op == ATOM_MIN || insn->atom_op == ATOM_MAX;
    if (small && !(insn->flags & INSN_NOFTZ)) return lacks(builder, "'.noftz'");
    if (!small && insn->flags & INSN_NOFTZ)
        return wrong_with(builder, "'.noftz' requires a half type");
    if (insn->atom_op != ATOM_ADD && !(extreme && small && vector) && (small || !swaps))
        return wrong_with(builder, "floats support .add only");
    if (vector && insn->type == TYPE_F64)
        return wrong_with(builder, "vectors of .f64 are not supported");
    return WS_OK;
}

static ws_status check_atomic_vector(struct builder *builder)
{
    const struct insn *insn = &builder->mnemonic->insn;
    const struct type_info *type = &type_infos[insn->type];
    if (insn->vector <= 1) return WS_OK;
    if (type->kind != KIND_FLOAT) return wrong_with(builder, "vectors require a float type");
    if (insn->vector * type->bits > 128) return wrong_with(builder, "the vector exceeds 16 bytes");
    if (insn->space != SPACE_GLOBAL && insn->space != SPACE_GENERIC)
        return wrong_with(builder, "vectors require .global");
    return WS_OK;
}

static ws_status check_atomic(struct builder *builder)
{
    const struct insn *insn = &builder->mnemonic->insn;
    const struct type_info *type = &type_infos[insn->type];
    unsigned form = op_infos[insn->op].form;
    if (form != FORM_ATOM && form != FORM_RED) return WS_OK;
    if (!insn->atom_op) return lacks(builder, "its operation, such as .add");
    bool swaps = insn->atom_op == ATOM_EXCH || insn->atom_op == ATOM_CAS;
    if (insn->op == OP_RED && swaps) return wrong_with(builder, "red returns no value: use atom");
    if (insn->op == OP_RED && (insn->semantics == MEM_ACQUIRE || insn->semantics == MEM_ACQ_REL))
        return wrong_with(builder, "red does not support acquire semantics");
    if (insn->semantics == MEM_VOLATILE)
        return wrong_with(builder, "atomics do not support .volatile");
    if (type->bits == 128 && !swaps)
        return wrong_with(builder, ".b128 supports .exch and .cas only");
    if (type->bits == 16 && type->kind != KIND_FLOAT && insn->atom_op != ATOM_CAS)
        return wrong_with(builder, "16-bit integers support .cas only");
    if ((insn->atom_op == ATOM_INC || insn->atom_op == ATOM_DEC) && insn->type != TYPE_U32)
        return wrong_with(builder, ".inc and .dec require .u32");
    bool is_numeric = insn->atom_op <= ATOM_MAX;
    if (is_numeric && type->kind == KIND_BITS)
        return wrong_with(builder, "arithmetic and ordering require a numeric type");
    TRY(check_atomic_vector(builder));
    return type->kind == KIND_FLOAT ? check_atomic_float(builder) : WS_OK;
}

/* 16 bytes; 32 in global memory, of elements of 32 or 64 bits. */
static ws_status check_vector_size(struct builder *builder)
{
    const struct insn *insn = &builder->mnemonic->insn;
    unsigned bytes = insn_access_bytes(insn);
    bool global = insn->space == SPACE_GLOBAL || insn->space == SPACE_GENERIC;
    bool wide = bytes == 32 && global && type_infos[insn->type].bits < 128;
    return insn->vector <= 1 || bytes <= 16 || wide ? WS_OK
                                                    : wrong_with(builder, "the vector is too long");
}

static ws_status check_memory(struct builder *builder)
{
    struct insn *insn = &builder->mnemonic->insn;
    unsigned form = op_infos[insn->op].form;
    bool atomic = form == FORM_ATOM || form == FORM_RED;
    if (form == FORM_CVTA || form == FORM_ISSPACEP)
        return insn->space ? WS_OK : lacks(builder, "a space such as .global");
    if (form == FORM_PREFETCH && !insn->space) insn->space = SPACE_GENERIC;
    if (form == FORM_POLICY && !insn->sub_op) return lacks(builder, "its mode");
    if (form != FORM_LD && form != FORM_ST && !atomic) return WS_OK;
    if (!insn->space) insn->space = SPACE_GENERIC;
    bool read_only = insn->space == SPACE_CONST || (atomic && insn->space == SPACE_PARAM) ||
                     (atomic && insn->space == SPACE_LOCAL);
    if (form != FORM_LD && read_only) return wrong_with(builder, "this space is not writable");
    if (insn->flags & INSN_NC && insn->space != SPACE_GLOBAL)
        return wrong_with(builder, "'.nc' requires .global");
    return atomic ? WS_OK : check_vector_size(builder);
}

static ws_status check_mbarrier(struct builder *builder)
{
    struct insn *insn = &builder->mnemonic->insn;
    if (op_infos[insn->op].form != FORM_MBARRIER) return WS_OK;
    if (!insn->space) insn->space = SPACE_GENERIC;
    if (insn->space != SPACE_SHARED && insn->space != SPACE_GENERIC)
        return wrong_with(builder, "mbarrier objects lie in shared memory");
    if ((insn->semantics != MEM_WEAK) != (insn->scope != SCOPE_NONE))
        return lacks(builder, insn->scope ? "its semantics, such as .release"
                                          : "its scope: .cta or .cluster");
    if (insn->scope > SCOPE_CLUSTER)
        return wrong_with(builder, "the scope must be .cta or .cluster");
    bool never_completes = insn->flags & INSN_NO_COMPLETE;
    if (never_completes && insn->flags & INSN_EXPECT_TX)
        return wrong_with(builder, "'.noComplete' and '.expect_tx' are mutually exclusive");
    if (never_completes && (insn->semantics == MEM_RELAXED || insn->scope == SCOPE_CLUSTER))
        return wrong_with(builder, "'.noComplete' supports .release.cta only");
    return WS_OK;
}

static ws_status check_texture(struct builder *builder)
{
    struct insn *insn = &builder->mnemonic->insn;
    unsigned form = op_infos[insn->op].form;
    if (form != FORM_TEX && form != FORM_SURFACE && form != FORM_QUERY) return WS_OK;
    if (form == FORM_SURFACE) insn->space = SPACE_GLOBAL;
    const char *lack = texture_lacks(insn, builder->slots >> SLOT_CHOICE & 1);
    if (lack) return lacks(builder, lack);
    const char *fault = texture_mnemonic_fault(insn);
    return fault ? wrong_with(builder, fault) : WS_OK;
}

static ws_status check_redux(struct builder *builder)
{
    const struct insn *insn = &builder->mnemonic->insn;
    bool logic = insn->sub_op >= SUB_AND && insn->sub_op <= SUB_XOR;
    if (logic != (insn->type == TYPE_B32))
        return wrong_with(
            builder, ".and, .or, .xor require .b32, the others a signed, unsigned or float type");
    if (insn->type != TYPE_F32 && insn->flags & (INSN_ABS | INSN_NAN))
        return wrong_with(builder, "'.abs' and '.NaN' require .f32");
    if (insn->type == TYPE_F32 && insn->sub_op == SUB_ADD)
        return wrong_with(builder, "floats support .min and .max only");
    return WS_OK;
}

static ws_status check_lanes(struct builder *builder)
{
    struct insn *insn = &builder->mnemonic->insn;
    switch (op_infos[insn->op].form) {
    case FORM_BAR:
        if (!insn->sub_op) return lacks(builder, "one of .sync, .arrive, .red");
        if (insn->sub_op == SUB_WARP_SYNC) insn->flags |= INSN_SYNC;
        return WS_OK;
    case FORM_SHFL:
    case FORM_VOTE:
    case FORM_MATCH:
    case FORM_REDUX:
        if (!insn->sub_op) return lacks(builder, "its mode");
        if ((insn->op == OP_MATCH || insn->op == OP_REDUX) && !(insn->flags & INSN_SYNC))
            return lacks(builder, "'.sync'");
        if (insn->op == OP_REDUX) TRY(check_redux(builder));
        if (insn->op == OP_VOTE && (insn->sub_op == SUB_BALLOT) != (insn->type == TYPE_B32))
            return wrong_with(builder, ".ballot requires .b32, the others .pred");
        return WS_OK;
    case FORM_ELECT:
        insn->type = TYPE_B32;
        return insn->flags & INSN_SYNC ? WS_OK : lacks(builder, "'.sync'");
    default:
        return WS_OK;
    }
}

static ws_status check_types(struct builder *builder)
{
    struct insn *insn = &builder->mnemonic->insn;
    unsigned places = insn->sub_op == SUB_PACK ? 2 : type_places(insn);
    bool optional = op_infos[insn->op].types & TS_NONE;
    if (builder->type_count == 0 && optional) return WS_OK;
    if (builder->type_count == 0) return lacks(builder, "a type such as .u32");
    /* dp4a and set may not leave the second out; the others have one */
    if (builder->type_count < places) return lacks(builder, "its second type");
    return WS_OK;
}

static ws_status check_complete(struct builder *builder)
{
    if (builder->mnemonic->unsupported) return WS_OK;
    TRY(check_types(builder));
    TRY(check_precision(builder));
    TRY(check_float(builder));
    TRY(check_compare(builder));
    TRY(check_integer(builder));
    TRY(check_cvt(builder));
    TRY(check_video(builder));
    TRY(check_memory(builder));
    TRY(check_atomic(builder));
    TRY(check_mbarrier(builder));
    TRY(check_texture(builder));
    TRY(check_lanes(builder));
    struct insn *insn = &builder->mnemonic->insn;
    bool needs_sub = op_infos[insn->op].form == FORM_TESTP || insn->op == OP_SHF;
    if (needs_sub && !insn->sub_op) return lacks(builder, "its mode");
    insn->class_id = (uint8_t)insn_classify(insn);
    insn->units = insn_units(insn);
    return WS_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Moves builder->part to the next word of the mnemonic; false at its end. */
static bool next_part(struct builder *builder)
{
    const char *end = builder->token.start + builder->token.length;
    const char *start = builder->part.start + builder->part.length + 1;
    if (start >= end) return false;
    const char *dot = memchr(start, '.', (size_t)(end - start));
    builder->part.start = start;
    builder->part.length = (uint32_t)((dot ? dot : end) - start);
    builder->part.column = builder->token.column + (uint32_t)(start - builder->token.start);
    return true;
}

static ws_status decode(struct builder *builder)
{
    const struct token *token = &builder->token;
    struct mnemonic *mnemonic = builder->mnemonic;
    const char *dot = memchr(token->start, '.', token->length);
    builder->part = *token;
    builder->part.length = dot ? (uint32_t)(dot - token->start) : token->length;
    int op = find_op(token);
    bool is_foreign = is_one_of(&builder->part, foreign_opcodes, FOREIGN_OPCODES) ||
                      has_other_forms(&builder->part);
    if (op < 0 && is_foreign) {
        mnemonic->unsupported = true;
        return WS_OK;
    }
    if (op < 0) return unknown_opcode(builder);
    if (op_infos[op].form == FORM_COPY) {
        mnemonic->unsupported = !mnemonic_copy(mnemonic);
        return WS_OK;
    }
    if (op_infos[op].form == FORM_TENSORMAP) {
        mnemonic->unsupported = !mnemonic_tensormap(mnemonic, (enum ptx_op)op);
        return WS_OK;
    }
    if (op_infos[op].form == FORM_BULK) {
        mnemonic->unsupported = !mnemonic_bulk(builder->parser, mnemonic, (enum ptx_op)op);
        return WS_OK;
    }
    if (op_infos[op].form == FORM_MATRIX) {
        bool known;
        TRY(mnemonic_matrix(builder->parser, token, &mnemonic->insn, &known));
        mnemonic->unsupported = !known;
        return WS_OK;
    }
    builder->part.length = (uint32_t)strlen(op_infos[op].mnemonic);
    mnemonic->insn.op = (uint16_t)op;
    while (!mnemonic->unsupported && next_part(builder))
        TRY(decode_suffix(builder));
    return check_complete(builder);
}

ws_status mnemonic_find(struct parser *parser, const struct token *token, struct mnemonic **out)
{
    uint32_t index = names_intern(&parser->names, token->start, token->length);
    int32_t known = parser->names.items[index].mnemonic;
    if (known >= 0) {
        *out = &parser->mnemonics[known];
        return WS_OK;
    }
    struct mnemonic mnemonic = {
        .insn = {.vector = 1, .guard = -1, .target = -1, .text = parser_copy(parser, token)}};
    struct builder builder = {.parser = parser, .mnemonic = &mnemonic, .token = *token};
    TRY(decode(&builder));
    GROW(parser->mnemonics, parser->mnemonic_count, parser->mnemonic_capacity);
    parser->names.items[index].mnemonic = (int32_t)parser->mnemonic_count;
    *out = &parser->mnemonics[parser->mnemonic_count];
    parser->mnemonics[parser->mnemonic_count++] = mnemonic;
    return WS_OK;
}
