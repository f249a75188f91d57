// SPDX-License-Identifier: Apache-2.0
/* What the types of a floating-point instruction allow beside it. */
#include "isa/insn.h"

enum { NO_ROUNDING = 0, NEAREST = 1 << ROUND_RN };
enum { ANY_ROUNDING = NEAREST | 1 << ROUND_RZ | 1 << ROUND_RM | 1 << ROUND_RP };

struct float_form {
    uint64_t types, second;
    uint32_t roundings, flags;
    uint16_t op;
};
static const struct float_form forms[] = {
#define FORM(op, types, second, roundings, flags) {types, second, roundings, flags, OP_##op},
#include "isa/float_forms.def"
#undef FORM
};
enum { FORM_COUNT = sizeof forms / sizeof *forms };

static const struct {
    uint32_t flag;
    const char *fault;
} flags[] = {
    {INSN_FTZ, "'.ftz' is incompatible with its type"},
    {INSN_SAT, "'.sat' is incompatible with its type"},
    {INSN_RELU, "'.relu' is incompatible with its type"},
    {INSN_OOB, "'.oob' is incompatible with its type"},
    {INSN_APPROX, "'.approx' is incompatible with its type"},
    {INSN_FULL, "'.full' is incompatible with its type"},
    {INSN_NAN, "'.NaN' is incompatible with its type"},
    {INSN_XORSIGN, "'.xorsign' is incompatible with its type"},
    {INSN_ABS, "'.abs' is incompatible with its type"},
};

/* Flags that exclude or need each other. */
static const char *combination_fault(const struct insn *insn)
{
    uint32_t set = insn->flags;
    bool approximate = set & INSN_APPROX, flushes = set & INSN_FTZ;
    bool bf16 = insn->type == TYPE_BF16 || insn->type == TYPE_BF16X2;
    int precisions = (insn->rounding != 0) + approximate + ((set & INSN_FULL) != 0);
    if (precisions > 1) return "a rounding, '.approx' and '.full' are mutually exclusive";
    if (set & INSN_SAT && set & INSN_RELU) return "'.sat' and '.relu' are mutually exclusive";
    if (set & INSN_OOB && flushes) return "'.oob' and '.ftz' are mutually exclusive";
    if (set & INSN_XORSIGN && !(set & INSN_ABS)) return "'.xorsign' requires '.abs'";
    if (insn->op == OP_EX2 && bf16 && !flushes) return "'.ftz' is required";
    if (insn->op == OP_RCP && insn->type == TYPE_F64 && approximate != flushes)
        return "'.approx' and '.ftz' of .f64 must be used together";
    return NULL;
}

/* The type that the table goes by. */
static unsigned subject_type(const struct insn *insn)
{
    return insn->op == OP_SET || insn->op == OP_SLCT ? insn->type2 : insn->type;
}

/* NULL: the instruction does not have this form. *known: it has others. */
static const struct float_form *find_form(const struct insn *insn, bool *known)
{
    bool by_source = insn->op == OP_SET || insn->op == OP_SLCT;
    unsigned type = subject_type(insn), second = by_source ? (unsigned)TYPE_NONE : insn->type2;
    *known = false;
    for (unsigned i = 0; i < FORM_COUNT; i++) {
        if (forms[i].op != insn->op) continue;
        *known = true;
        if (forms[i].types >> type & 1 && forms[i].second >> second & 1) return &forms[i];
    }
    return NULL;
}

bool insn_may_flush(const struct insn *insn)
{
    bool known;
    const struct float_form *form = find_form(insn, &known);
    return form && form->flags & INSN_FTZ && subject_type(insn) == TYPE_F32;
}

const char *insn_float_fault(const struct insn *insn)
{
    bool known;
    const struct float_form *form = find_form(insn, &known);
    if (!form) {
        bool is_float = type_infos[subject_type(insn)].kind == KIND_FLOAT;
        if (known && is_float) return "incompatible types";
        return known && insn->flags & INSN_FTZ ? "'.ftz' requires a float type" : NULL;
    }
    for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
        if (insn->flags & flags[k].flag & ~form->flags) return flags[k].fault;
    if (insn->rounding && !(form->roundings >> insn->rounding & 1))
        return "rounding mode incompatible with the type";
    return combination_fault(insn);
}
