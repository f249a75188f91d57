// SPDX-License-Identifier: Apache-2.0
/* The .def files as tables. */
#include "isa/insn.h"
#include "isa/modifiers.h"

const struct type_info type_infos[TYPE_COUNT] = {
#define TYPE(name, suffix, bits, kind) [TYPE_##name] = {suffix, bits, KIND_##kind},
    PTX_TYPES(TYPE)
#undef TYPE
};

const struct op_info op_infos[OP_COUNT] = {
#define OP(name, mnemonic, form, types, modifiers, family, semantics)                              \
    [OP_##name] = {mnemonic, FORM_##form, FAMILY_##family, types, modifiers},
#include "isa/ptx_ops.def"
#undef OP
#define NATIVE_OP(name, text, family, semantics)                                                   \
    [OP_N_##name] = {text, FORM_NATIVE, FAMILY_##family, TS_NONE, 0},
#include "isa/native_ops.def"
#undef NATIVE_OP
};

const struct sreg_info sreg_infos[SREG_COUNT] = {
#define SREG(name, text, bits) [SREG_##name] = {text, bits},
#include "isa/sregs.def"
#undef SREG
};

const char *const class_ids[CLASS_COUNT] = {
#define CLASS(name, id) [CLASS_##name] = id,
#include "isa/classes.def"
#undef CLASS
};

const char *const unit_ids[UNIT_COUNT] = {
#define UNIT(name, id) [UNIT_##name] = id,
    PTX_UNITS(UNIT)
#undef UNIT
};

const char *const space_names[SPACE_COUNT] = {
    [SPACE_NONE] = "none",     [SPACE_GENERIC] = "generic", [SPACE_GLOBAL] = "global",
    [SPACE_SHARED] = "shared", [SPACE_LOCAL] = "local",     [SPACE_CONST] = "const",
    [SPACE_PARAM] = "param",
};
