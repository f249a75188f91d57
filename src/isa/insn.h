// SPDX-License-Identifier: Apache-2.0
/* What an instruction IS: types, spaces, modifiers, operands, classes. No parsing, no execution. */
#ifndef ISA_INSN_H
#define ISA_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- types ----------------------------------------------------------------------------------- */

/* TYPE(ENUM, "suffix", bits, kind) */
#define PTX_TYPES(TYPE)                                                                            \
    TYPE(NONE, "", 0, NONE)                                                                        \
    TYPE(PRED, "pred", 1, PRED)                                                                    \
    TYPE(B8, "b8", 8, BITS)                                                                        \
    TYPE(B16, "b16", 16, BITS)                                                                     \
    TYPE(B32, "b32", 32, BITS)                                                                     \
    TYPE(B64, "b64", 64, BITS)                                                                     \
    TYPE(B128, "b128", 128, BITS)                                                                  \
    TYPE(U8, "u8", 8, UNSIGNED)                                                                    \
    TYPE(U16, "u16", 16, UNSIGNED)                                                                 \
    TYPE(U32, "u32", 32, UNSIGNED)                                                                 \
    TYPE(U64, "u64", 64, UNSIGNED)                                                                 \
    TYPE(S8, "s8", 8, SIGNED)                                                                      \
    TYPE(S16, "s16", 16, SIGNED)                                                                   \
    TYPE(S32, "s32", 32, SIGNED)                                                                   \
    TYPE(S64, "s64", 64, SIGNED)                                                                   \
    TYPE(F16, "f16", 16, FLOAT)                                                                    \
    TYPE(F16X2, "f16x2", 32, FLOAT)                                                                \
    TYPE(BF16, "bf16", 16, FLOAT)                                                                  \
    TYPE(BF16X2, "bf16x2", 32, FLOAT)                                                              \
    TYPE(F32, "f32", 32, FLOAT)                                                                    \
    TYPE(F32X2, "f32x2", 64, FLOAT)                                                                \
    TYPE(F64, "f64", 64, FLOAT)                                                                    \
    TYPE(U16X2, "u16x2", 32, UNSIGNED)                                                             \
    TYPE(S16X2, "s16x2", 32, SIGNED)                                                               \
    /* formats that only conversions know; their registers are bits */                             \
    TYPE(TF32, "tf32", 32, BITS)                                                                   \
    TYPE(E4M3X2, "e4m3x2", 16, BITS)                                                               \
    TYPE(E5M2X2, "e5m2x2", 16, BITS)                                                               \
    TYPE(E2M3X2, "e2m3x2", 16, BITS)                                                               \
    TYPE(E3M2X2, "e3m2x2", 16, BITS)                                                               \
    TYPE(E2M1X2, "e2m1x2", 8, BITS)                                                                \
    TYPE(UE8M0X2, "ue8m0x2", 16, BITS)                                                             \
    TYPE(S2F6X2, "s2f6x2", 16, BITS)                                                               \
    TYPE(E4M3X4, "e4m3x4", 32, BITS)                                                               \
    TYPE(E5M2X4, "e5m2x4", 32, BITS)                                                               \
    TYPE(E2M3X4, "e2m3x4", 32, BITS)                                                               \
    TYPE(E3M2X4, "e3m2x4", 32, BITS)                                                               \
    TYPE(E2M1X4, "e2m1x4", 16, BITS)                                                               \
    /* factors of matrices; a register holds several */                                            \
    TYPE(B1, "b1", 1, BITS)                                                                        \
    TYPE(E4M3, "e4m3", 8, BITS)                                                                    \
    TYPE(E5M2, "e5m2", 8, BITS)                                                                    \
    TYPE(E2M3, "e2m3", 8, BITS)                                                                    \
    TYPE(E3M2, "e3m2", 8, BITS)                                                                    \
    TYPE(E2M1, "e2m1", 4, BITS)                                                                    \
    TYPE(UE8M0, "ue8m0", 8, BITS)                                                                  \
    TYPE(UE4M3, "ue4m3", 8, BITS)                                                                  \
    /* cvt.pack */                                                                                 \
    TYPE(U4, "u4", 4, UNSIGNED)                                                                    \
    TYPE(S4, "s4", 4, SIGNED)                                                                      \
    TYPE(U2, "u2", 2, UNSIGNED)                                                                    \
    TYPE(S2, "s2", 2, SIGNED)

enum ptx_type {
#define TYPE(name, suffix, bits, kind) TYPE_##name,
    PTX_TYPES(TYPE)
#undef TYPE
        TYPE_COUNT
};
enum type_kind { KIND_NONE, KIND_PRED, KIND_BITS, KIND_UNSIGNED, KIND_SIGNED, KIND_FLOAT };

struct type_info {
    const char *suffix;
    uint8_t bits;
    uint8_t kind;
};
extern const struct type_info type_infos[TYPE_COUNT];

/* How many values a register of this type holds. */
static inline unsigned type_elements(enum ptx_type type)
{
    if (type >= TYPE_E4M3X4 && type <= TYPE_E2M1X4) return 4;
    bool is_pair = type == TYPE_F16X2 || type == TYPE_BF16X2 || type == TYPE_F32X2 ||
                   type == TYPE_U16X2 || type == TYPE_S16X2 ||
                   (type >= TYPE_E4M3X2 && type <= TYPE_S2F6X2);
    return is_pair ? 2 : 1;
}

/* Sets of types for ptx_ops.def. */
#define TS(name) (UINT64_C(1) << TYPE_##name)
#define TS_NONE TS(NONE)
#define TS_PRED TS(PRED)
#define TS_B32 TS(B32)
#define TS_B64 TS(B64)
#define TS_B128 TS(B128)
#define TS_U32 TS(U32)
#define TS_U64 TS(U64)
#define TS_F32 TS(F32)
#define TS_BITS (TS(B16) | TS(B32) | TS(B64))
#define TS_BITS8 (TS_BITS | TS(B8))
#define TS_BITS_PRED (TS_BITS | TS(PRED))
#define TS_I32 (TS(U32) | TS(S32))
#define TS_I64 (TS(U64) | TS(S64))
#define TS_SINT (TS(S16) | TS(S32) | TS(S64))
#define TS_INT (TS_SINT | TS(U16) | TS(U32) | TS(U64))
#define TS_INT8 (TS_INT | TS(U8) | TS(S8))
#define TS_FLOAT (TS(F32) | TS(F64))
#define TS_FORMATS8 (TS(E4M3X2) | TS(E5M2X2) | TS(E4M3X4) | TS(E5M2X4) | TS(UE8M0X2) | TS(S2F6X2))
#define TS_FORMATS6 (TS(E2M3X2) | TS(E3M2X2) | TS(E2M3X4) | TS(E3M2X4) | TS(E2M1X2) | TS(E2M1X4))
#define TS_NIBBLES (TS(U4) | TS(S4) | TS(U2) | TS(S2))
#define TS_CVT                                                                                     \
    (TS_INT8 | TS_FLOAT | TS_F16 | TS(TF32) | TS_FORMATS8 | TS_FORMATS6 | TS_NIBBLES | TS_B32)
#define TS_F16 (TS(F16) | TS(F16X2) | TS(BF16) | TS(BF16X2))
#define TS_F32X2 TS(F32X2)
#define TS_I16X2 (TS(U16X2) | TS(S16X2))

/* ---- opcodes, forms, families, special registers, classes ------------------------------------ */

enum ptx_op {
#define OP(name, mnemonic, form, types, modifiers, family, semantics) OP_##name,
#include "isa/ptx_ops.def"
#undef OP
    OP_PTX_COUNT,
    OP_PTX_LAST = OP_PTX_COUNT - 1, /* so that the next has the number OP_PTX_COUNT */
#define NATIVE_OP(name, text, family, semantics) OP_N_##name,
#include "isa/native_ops.def"
#undef NATIVE_OP
    OP_COUNT
};

/* Operand forms: what follows the mnemonic. d: destination, a b c: sources, i: immediate. */
enum op_form {
    FORM_NONE,            /* ret */
    FORM_A,               /* nanosleep.u32 a */
    FORM_D,               /* activemask.b32 d */
    FORM_D_A,             /* neg.s32 d, a */
    FORM_D32_A,           /* popc.b64 d, a      d is 32 bits */
    FORM_D_AB,            /* add.s32 d, a, b    mul.wide: d twice as wide; add.f32.f16: a is f16 */
    FORM_MINMAX,          /* min.f32 d, a, b; of f32 also d, a, b, c */
    FORM_D_AB32,          /* shl.b64 d, a, b    b is 32 bits */
    FORM_D_ABC,           /* fma.rn.f32 d, a, b, c   fma.rn.f32.f16: a, b are f16 */
    FORM_D_ABCI,          /* lop3.b32 d, a, b, c, immLut   lop3.or.b32 d|p, a, b, c, immLut, q */
    FORM_D_ABC_BITFIELD,  /* bfe.u32 d, a, b, c       b, c are 32 bits */
    FORM_D_ABCD_BITFIELD, /* bfi.b32 f, a, b, c, d    c, d are 32 bits */
    FORM_D_ABP,           /* selp.b32 d, a, b, p */
    FORM_D_ABC_SLCT,      /* slct.f32.s32 d, a, b, c */
    FORM_SETP,            /* setp.lt.and.s32 p|q, a, b, c */
    FORM_SET,             /* set.lt.u32.f32 d, a, b */
    FORM_TESTP,           /* testp.finite.f32 p, a */
    FORM_MOV,             /* mov.b64 d, a; {..} packs and unpacks; a may be a symbol */
    FORM_CVT,             /* cvt.rn.f32.s32 d, a   cvt.rs.f16x2.f32 d, a, b, r */
    FORM_VIDEO,           /* vadd.s32.u32.s32.add d.b0, a.h1, b, c */
    FORM_CVTA,            /* cvta.to.global.u64 d, a */
    FORM_ISSPACEP,        /* isspacep.shared p, a */
    FORM_LD,              /* ld.global.v4.f32 {..}, [a+16] */
    FORM_ST,              /* st.global.f32 [a+16], b */
    FORM_ATOM,            /* atom.global.add.u32 d, [a], b, c */
    FORM_RED,             /* red.global.add.u32 [a], b */
    FORM_PREFETCH,        /* prefetch.global.L2 [a]    discard.global.L2 [a], 128 */
    FORM_POLICY,          /* createpolicy.fractional.L2::evict_last.b64 d, 0.5 */
    FORM_TEX,             /* tex.2d.v4.f32.f32 {..}, [a, {b, c}]    with .level and .grad more */
    FORM_SURFACE,         /* suld.b.2d.v4.b32.trap {..}, [a, {b, c}]   sust.b.. [a, {b, c}], {..} */
    FORM_QUERY,           /* txq.width.b32 d, [a]   txq.level.width.b32 d, [a], b */
    FORM_COPY,            /* cp.async.ca.shared.global [a], [b], 16 */
    FORM_BULK,            /* cp.async.bulk.. [to], [from], size, [object] (isa/bulk.h) */
    FORM_TENSORMAP,       /* tensormap.replace.tile.rank.global.b1024.b32 [a], b */
    FORM_MBARRIER,        /* mbarrier.arrive.b64 d, [a], b   .try_wait.parity.b64 p, [a], b, c */
    FORM_MATRIX,     /* wmma.load.a.. {..}, [a], stride   mma.. {d}, {a}, {b}, {c} (isa/matrix.h) */
    FORM_MAPA,       /* mapa.shared::cluster.u32 d, a, b     a may be a symbol */
    FORM_GETCTARANK, /* getctarank.u64 d, a                  d is 32 bits */
    FORM_ALLOCA,     /* alloca.u64 d, size, 16 */
    FORM_STACKRESTORE, /* stackrestore.u64 a */
    FORM_BRA,          /* bra LABEL */
    FORM_BRX,          /* brx.idx a, TARGETS */
    FORM_CALL,         /* call.uni (r), f, (a, b) */
    FORM_BAR,          /* bar.sync a, b   bar.red.popc.u32 d, a, b, p   bar.warp.sync m */
    FORM_SHFL,         /* shfl.sync.down.b32 d|p, a, b, c, membermask */
    FORM_VOTE,         /* vote.sync.ballot.b32 d, p, membermask */
    FORM_MATCH,        /* match.any.sync.b32 d, a, membermask */
    FORM_REDUX,        /* redux.sync.add.s32 d, a, membermask */
    FORM_ELECT,        /* elect.sync d|p, membermask */
    FORM_FENCE,        /* fence.sc.gpu    fence.proxy.tensormap::generic.acquire.gpu [a], 128 */
    FORM_I,            /* setmaxnreg.inc.sync.aligned.u32 i */
    FORM_NATIVE,       /* native_ops.def: operands tell their own widths */
};

enum op_family {
    FAMILY_ADD,
    FAMILY_MUL,
    FAMILY_MAD,
    FAMILY_MUL24,
    FAMILY_DIV,
    FAMILY_MINMAX,
    FAMILY_LOGIC,
    FAMILY_SHIFT,
    FAMILY_CMP,
    FAMILY_SELECT,
    FAMILY_MOVE,
    FAMILY_CONVERT,
    FAMILY_SFU_RCP,
    FAMILY_SFU_SQRT,
    FAMILY_SFU_RSQRT,
    FAMILY_SFU_SIN,
    FAMILY_SFU_COS,
    FAMILY_SFU_LG2,
    FAMILY_SFU_EX2,
    FAMILY_SFU_TANH,
    FAMILY_LOAD,
    FAMILY_STORE,
    FAMILY_ATOMIC,
    FAMILY_TEXTURE,
    FAMILY_SURFACE_LOAD,
    FAMILY_SURFACE_STORE,
    FAMILY_SURFACE_ATOMIC,
    FAMILY_CONTROL,
    FAMILY_BARRIER,
    FAMILY_SHUFFLE,
    FAMILY_VOTE,
    FAMILY_FENCE,
    FAMILY_TENSOR,
    FAMILY_OTHER,
};

struct op_info {
    const char *mnemonic;
    uint8_t form, family;
    uint64_t types;     /* set of enum ptx_type */
    uint64_t modifiers; /* set of enum modifier_group */
};
extern const struct op_info op_infos[OP_COUNT];

enum special_register {
#define SREG(name, text, bits) SREG_##name,
#include "isa/sregs.def"
#undef SREG
    SREG_COUNT
};
struct sreg_info {
    const char *name;
    uint8_t bits;
};
extern const struct sreg_info sreg_infos[SREG_COUNT];

enum insn_class {
#define CLASS(name, id) CLASS_##name,
#include "isa/classes.def"
#undef CLASS
    CLASS_COUNT
};
extern const char *const class_ids[CLASS_COUNT];
/* Does the class compute in floating point, special functions and matrices included? */
static inline bool class_is_float(unsigned id)
{
    return id <= CLASS_BF16 || (id >= CLASS_SFU_RCP && id <= CLASS_SFU_TANH) || id == CLASS_TENSOR;
}

/* doc/definitions.md#units-of-the-power-model */
#define PTX_UNITS(UNIT)                                                                            \
    UNIT(INT, "int")                                                                               \
    UNIT(FP, "fp")                                                                                 \
    UNIT(SFU, "sfu")                                                                               \
    UNIT(ALU, "alu")                                                                               \
    UNIT(TEXTURE, "texture")                                                                       \
    UNIT(CONST, "const")                                                                           \
    UNIT(SHARED, "shared")                                                                         \
    UNIT(REG, "reg") UNIT(FDS, "fds") UNIT(GLOBAL, "global") UNIT(LOCAL, "local")
enum insn_unit {
#define UNIT(name, id) UNIT_##name,
    PTX_UNITS(UNIT)
#undef UNIT
        UNIT_COUNT
};
extern const char *const unit_ids[UNIT_COUNT];

/* ---- modifiers ------------------------------------------------------------------------------- */

enum mem_space {
    SPACE_NONE, /* registers */
    SPACE_GENERIC,
    SPACE_GLOBAL,
    SPACE_SHARED,
    SPACE_LOCAL,
    SPACE_CONST,
    SPACE_PARAM,
    SPACE_COUNT
};
extern const char *const space_names[SPACE_COUNT]; /* "global" */

enum rounding {
    ROUND_DEFAULT,
    ROUND_RN,
    ROUND_RZ,
    ROUND_RM,
    ROUND_RP,
    ROUND_RNA,
    ROUND_RNI,
    ROUND_RZI,
    ROUND_RMI,
    ROUND_RPI,
    ROUND_RS
};
enum compare {
    CMP_NONE,
    CMP_EQ,
    CMP_NE,
    CMP_LT,
    CMP_LE,
    CMP_GT,
    CMP_GE,
    CMP_LO,
    CMP_LS,
    CMP_HI,
    CMP_HS,
    CMP_EQU,
    CMP_NEU,
    CMP_LTU,
    CMP_LEU,
    CMP_GTU,
    CMP_GEU,
    CMP_NUM,
    CMP_NAN
};
enum combine { COMBINE_NONE, COMBINE_AND, COMBINE_OR, COMBINE_XOR };
enum mul_part { MUL_NONE, MUL_LO, MUL_HI, MUL_WIDE };
enum atom_op {
    ATOM_NONE,
    ATOM_ADD,
    ATOM_MIN,
    ATOM_MAX,
    ATOM_INC,
    ATOM_DEC,
    ATOM_AND,
    ATOM_OR,
    ATOM_XOR,
    ATOM_EXCH,
    ATOM_ARRIVE, /* native: at an mbarrier object of sm_80 (emulate/mbarrier.h) */
    ATOM_CAS,
    ATOM_CAST /* native: as CAS, but the result is whether it was equal */
};
/* Sub-operation of the other instructions that have one. */
enum sub_op {
    SUB_NONE,
    SUB_UP,
    SUB_DOWN,
    SUB_BFLY,
    SUB_IDX, /* shfl */
    SUB_ALL,
    SUB_ANY,
    SUB_UNI,
    SUB_BALLOT, /* vote, match (ALL, ANY) */
    SUB_SYNC,
    SUB_ARRIVE,
    SUB_RED_POPC,
    SUB_RED_AND,
    SUB_RED_OR,
    SUB_WARP_SYNC, /* bar, barrier */
    SUB_ADD,
    SUB_MIN,
    SUB_MAX,
    SUB_AND,
    SUB_OR,
    SUB_XOR, /* redux */
    SUB_FINITE,
    SUB_INFINITE,
    SUB_NUMBER,
    SUB_NOTANUMBER,
    SUB_NORMAL,
    SUB_SUBNORMAL, /* testp */
    SUB_LEFT,
    SUB_RIGHT, /* shf */
    SUB_F4E,
    SUB_B4E,
    SUB_RC8,
    SUB_ECL,
    SUB_ECR,
    SUB_RC16,        /* prmt */
    SUB_TO,          /* cvta.to.SPACE */
    SUB_IDX_TARGETS, /* brx.idx */
    SUB_FRACTIONAL,
    SUB_RANGE,
    SUB_CVT,  /* createpolicy */
    SUB_PACK, /* cvt.pack */
    SUB_SHR7,
    SUB_SHR15, /* vmad */
    SUB_READ,  /* cp.async.bulk.wait_group.read */
    SUB_1D,
    SUB_2D,
    SUB_3D,
    SUB_1D_LAYERED,
    SUB_2D_LAYERED,
    SUB_CUBE,
    SUB_CUBE_LAYERED, /* tex, tld4, suld, sust */
    SUB_WIDTH,
    SUB_HEIGHT,
    SUB_DEPTH,
    SUB_ARRAY_SIZE,
    SUB_MEMORY_LAYOUT,
    SUB_NORMALIZED_COORDS,
    SUB_MIPMAP_LEVELS,
    SUB_SAMPLES,
    SUB_FILTER_MODE,
    SUB_ADDRESS_MODE_0,
    SUB_ADDRESS_MODE_1,
    SUB_ADDRESS_MODE_2, /* txq, suq */
};
/* tld4: which channel; suld, sust: what becomes of accesses outside of the surface. */
enum insn_choice {
    CHOICE_RED,
    CHOICE_GREEN,
    CHOICE_BLUE,
    CHOICE_ALPHA,
    CHOICE_TRAP = 0,
    CHOICE_CLAMP,
    CHOICE_ZERO
};
enum cache_op {
    CACHE_DEFAULT,
    CACHE_CA,
    CACHE_CG,
    CACHE_CS,
    CACHE_CV,
    CACHE_LU,
    CACHE_WB,
    CACHE_WT
};
/* Threads for which an access or fence is strong. */
enum mem_scope { SCOPE_NONE, SCOPE_CTA, SCOPE_CLUSTER, SCOPE_GPU, SCOPE_SYS };
enum mem_semantics { MEM_WEAK, MEM_RELAXED, MEM_ACQUIRE, MEM_RELEASE, MEM_ACQ_REL, MEM_VOLATILE };

enum insn_flags {
    INSN_FTZ = 1 << 0,
    INSN_SAT = 1 << 1,
    INSN_APPROX = 1 << 2,
    INSN_FULL = 1 << 3, /* div.full */
    INSN_UNI = 1 << 4,  /* bra.uni, call.uni; mbarrier.init of native code: once for all lanes */
    INSN_NC = 1 << 5,   /* ld.global.nc */
    INSN_CC = 1 << 6,   /* add.cc: writes the carry */
    INSN_WRAP = 1 << 7, /* shf.wrap, bmsk.wrap */
    INSN_SHIFTAMT = 1 << 8, /* bfind.shiftamt */
    INSN_RELU = 1 << 9,
    INSN_NAN = 1 << 10,   /* min.NaN */
    INSN_NOFTZ = 1 << 11, /* atom.add.noftz.f16 */
    INSN_SYNC = 1 << 12,  /* shfl.sync, vote.sync: last source is the member mask */
    INSN_ALIGNED = 1 << 13,
    INSN_NEG_GUARD = 1 << 14, /* @!p */
    INSN_ABS = 1 << 15,       /* min.xorsign.abs, redux.abs */
    INSN_XORSIGN = 1 << 29,   /* min.xorsign.abs */
    INSN_OOB = 1 << 30,       /* fma.oob */
    INSN_B_HI = 1 << 16,      /* dp2a.hi */
    INSN_CLAMP = 1 << 17,     /* shf.clamp, bmsk.clamp */
    INSN_LEVEL = 1 << 18,     /* tex.level, txq.level */
    INSN_GRADIENTS = 1 << 19, /* tex.grad */
    INSN_NO_UNROLL = 1 << 20, /* the first behind .pragma "nounroll" */
    INSN_ASYNC = 1 << 21,     /* part of a cp.async; fence.proxy.async */
    INSN_EXPECT_TX = 1 << 22, /* mbarrier.arrive.expect_tx */
    INSN_NO_COMPLETE = 1 << 23,
    INSN_PARITY = 1 << 24,    /* mbarrier.test_wait.parity */
    INSN_NOINC = 1 << 25,     /* cp.async.mbarrier.arrive.noinc */
    INSN_CLUSTER = 1 << 26,   /* .shared::cluster: shared memory of all blocks of the cluster */
    INSN_PLUS_ONE = 1 << 27,  /* vmad.po */
    INSN_SATFINITE = 1 << 28, /* cvt.satfinite */
};

/* ---- operands -------------------------------------------------------------------------------- */

enum operand_kind {
    OPERAND_NONE,      /* '_' or absent */
    OPERAND_REGISTER,  /* reg */
    OPERAND_IMMEDIATE, /* imm: bits in the type the instruction reads it in, zero-extended;
                        * integers sign-extended to 64 bits */
    OPERAND_SPECIAL,   /* reg: enum special_register */
    OPERAND_SYMBOL,    /* symbol: variable whose address is meant, plus imm */
    OPERAND_FUNCTION,  /* symbol: function */
    OPERAND_ADDRESS,   /* [reg + imm] or [symbol + imm]; reg -1 and symbol -1: absolute imm */
    OPERAND_BANK,      /* native: c[reg][imm] */
};

/* Of an operand of a native instruction. */
enum operand_width { WIDTH_ONE, WIDTH_PREDICATE, WIDTH_PAIR /* 64 bits in two registers */ };

struct operand {
    uint8_t kind;
    bool negate; /* !p; vmad: -a */
    uint16_t
        select;  /* .b7610: see SELECT_; 0: all of the register. Native: ADDRESS_ or VALUE_ flags */
    int32_t reg; /* register index within the function, or -1 */
    int32_t symbol; /* index into module.variables / module.functions, or -1 */
    uint8_t width;  /* native: enum operand_width; of an address: of its register */
    bool absolute;  /* native: |a|; with negate -|a| */
    int16_t
        uniform; /* native, of an address: a uniform register that is added, a pair if wide_uniform */
    int64_t imm;
};

enum address_flags {
    ADDRESS_UNIFORM = 1,
    ADDRESS_UNIFORM_PAIR = 2,
    ADDRESS_SCALE_AT = 4 /* from this bit on: the register is shifted left so far */
};

/* What is done to a value of a native operand (operand.select) before the operation sees it: signs, then
 * halves, then the shift and the cut. */
enum value_flags {
    VALUE_SIGNED_HALVES = 1, /* the signs are those of two halves */
    VALUE_LOW_TWICE = 2,     /* the lower half in both */
    VALUE_HIGH_TWICE = 4,
    VALUE_TURNED = 8,       /* the halves change places, the upper one is negated */
    VALUE_APPLY_SIGNS = 16, /* also where the operation is of native_ops.def */
    VALUE_BYTE = 32,        /* shifted, then cut to a byte or a half and extended */
    VALUE_HALF = 64,
    VALUE_SIGNED = 128,
    VALUE_SHIFT_AT = 8 /* from this bit on: bits by which it is shifted right */
};

/* Registers of native code: all functions have them all. Behind R254, UR62, P6 and UP6 lies what takes
 * the results that RZ, URZ, PT and UPT drop. */
enum native_vreg {
    VREG_R = 0,
    VREG_RZ = 255, /* and three more behind it */
    VREG_UR = 259,
    VREG_URZ = VREG_UR + 63, /* and three more */
    VREG_P = VREG_URZ + 4,
    VREG_PT = VREG_P + 7,
    VREG_UP = VREG_PT + 1,
    VREG_UPT = VREG_UP + 7,
    VREG_B = VREG_UPT + 1,            /* convergence barriers: masks of lanes, by lane */
    VREG_BARRIER_COUNT = VREG_B + 16, /* what BAR.RED leaves for B2R.RESULT */
    VREG_BARRIER_TRUE,
    VREG_COLLECTIVE,                /* a pair: where lanes go on behind ENDCOLLECTIVE */
    VREG_RPC = VREG_COLLECTIVE + 2, /* a pair, which code keeps values in */
    NATIVE_VREGS = VREG_RPC + 2
};

/* Bytes or halves of video operands: up to four digits, the rightmost in the lowest bits. */
enum {
    SELECT_DIGIT_BITS = 3,
    SELECT_COUNT_AT = 12,
    SELECT_COUNT = 7 << 12,
    SELECT_HALVES = 1 << 15
};
static inline unsigned select_count(uint16_t select)
{
    return (select & SELECT_COUNT) >> SELECT_COUNT_AT;
}
static inline unsigned select_digit(uint16_t select, unsigned k)
{
    return (select >> (SELECT_DIGIT_BITS * k)) & 7;
}

/* wgmma..m64n256: 128 results, as many sums and four registers of A, descriptors, metadata, a predicate. Those
 * beyond the usual ones lie apart: few instructions have so many. */
enum { OPERANDS_MAX = 264, OPERANDS_USUAL = 26 };

struct matrix_form; /* isa/matrix.h */
struct bulk_form;   /* isa/bulk.h */

/* A call's parameter lists, indices into module.variables (all of space PARAM). */
struct call_info {
    int32_t function; /* index into module.functions, -1: indirect through operands[0] */
    uint16_t return_count, argument_count;
    int32_t *returns, *arguments;
};

/* What a native word tells the core about its issue (doc/native.md, doc/models/teg.md). */
enum { CONTROL_COUNTERS = 6, CONTROL_NO_COUNTER = 7, CONTROL_SLOTS = 3, CONTROL_NO_REGISTER = 255 };
struct insn_control {
    bool is_set;     /* else it is not native code, or its words are unknown */
    bool stays;      /* bit 109: the warp goes on in the next cycle if it can; else it yields */
    uint8_t stall;   /* cycles until its warp may issue again */
    uint8_t writes;  /* counter that is held until the result is there; CONTROL_NO_COUNTER */
    uint8_t reads;   /* counter that is held until the sources are read; likewise */
    uint8_t awaited; /* set of counters that must be free before it issues */
    uint8_t reuse;   /* bit i: the operand cache keeps the register of slot i */
    uint8_t slots[CONTROL_SLOTS]; /* registers read in slots a, b, c; CONTROL_NO_REGISTER */
};

/* One decoded instruction. Destinations come first in `operands`, then sources. */
struct insn {
    uint16_t op;         /* enum ptx_op */
    uint8_t type, type2; /* type2: source type of cvt, set, slct's selector */
    uint8_t type3;       /* of the second source of video instructions */
    uint8_t space;       /* memory space */
    uint8_t rounding, compare, combine, mul_part, atom_op, sub_op, cache_op, semantics;
    uint8_t choice;   /* enum insn_choice */
    uint8_t scope;    /* enum mem_scope; SCOPE_NONE: not told */
    uint8_t vector;   /* elements of ld/st/mov vectors, 1 if none */
    uint8_t class_id; /* enum insn_class */
    uint8_t ndst, nsrc;
    uint32_t flags;  /* enum insn_flags */
    int32_t guard;   /* predicate register, -1: none */
    uint16_t units;  /* bit set of enum insn_unit */
    uint32_t groups; /* cp.async.wait_group, cp.async.bulk.wait_group: those that may be pending */
    uint32_t line;   /* line in the PTX text, from 1 */
    uint32_t column;
    uint32_t source_file; /* index into module.files, 0: none */
    uint32_t source_line; /* from .loc, 0: none */
    uint32_t place;       /* index into module.places, 0: none */
    struct operand operands[OPERANDS_USUAL];
    struct operand *further; /* operands from OPERANDS_USUAL on; NULL: none */
    int32_t target;          /* bra: instruction index; brx: index of the first of targets */
    uint32_t target_count;   /* brx */
    const int32_t *targets;  /* brx: instruction indices */
    const struct call_info *call;
    const struct matrix_form *matrix; /* of FORM_MATRIX */
    const struct bulk_form *bulk;     /* of FORM_BULK */
    bool is_uniform;   /* native: of the uniform datapath: runs for the warp as a whole */
    int64_t modifiers; /* of FORM_NATIVE: what its lane loops expect in uop.imm */
    struct insn_control control;
    const char *text; /* mnemonic with modifiers as written, e.g. "ld.global.nc.v4.f32" */
};

static inline const struct operand *insn_operand(const struct insn *insn, unsigned i)
{
    return i < OPERANDS_USUAL ? &insn->operands[i] : &insn->further[i - OPERANDS_USUAL];
}

static inline const struct operand *insn_source(const struct insn *insn, unsigned i)
{
    return insn_operand(insn, insn->ndst + i);
}

/* mbarrier.test_wait and .try_wait. */
static inline bool insn_is_mbarrier_wait(const struct insn *insn)
{
    return insn->op == OP_MBARRIER_TEST_WAIT || insn->op == OP_MBARRIER_TRY_WAIT;
}

/* The space of what it accesses: mbarrier objects lie in shared memory, also at generic addresses. */
static inline unsigned insn_memory_space(const struct insn *insn)
{
    return op_infos[insn->op].form == FORM_MBARRIER ? SPACE_SHARED : insn->space;
}

/* Width in bytes of what one lane transfers: element size times vector length. */
unsigned insn_access_bytes(const struct insn *insn);

/* Class and units from opcode, types and space (doc/definitions.md).
 * Generic accesses count as global. */
enum insn_class insn_classify(const struct insn *insn);
uint16_t insn_units(const struct insn *insn);
/* What of its modifiers its floating-point types do not take, as text; NULL: nothing. */
const char *insn_float_fault(const struct insn *insn);
/* An operation on f32 that has a form with .ftz. */
bool insn_may_flush(const struct insn *insn);
/* The half type of the factors (fma) or of a (add, sub) in mixed precision; else the type. */
static inline enum ptx_type insn_narrow_type(const struct insn *insn)
{
    bool mixes = insn->op == OP_ADD || insn->op == OP_SUB || insn->op == OP_FMA;
    return (enum ptx_type)(mixes && insn->type2 ? insn->type2 : insn->type);
}

#endif
