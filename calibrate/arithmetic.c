// SPDX-License-Identifier: Apache-2.0
/* The instructions that are measured, how the driver's compiler is kept from changing them, and what they compute.
 *
 * Operands differ by lane as far as the compiler knows (they do not: %c is 0), so that nothing is computed once for
 * the warp; chains begin with other expressions, so that none is computed once for all. Sums and products of
 * one operand and logic of three inputs would be joined: there a result is read twice. */
#include "calibrate/arithmetic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what they compute ------------------------------------------------------------------------- */

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint32_t least(uint32_t one, uint32_t other)
{
    return one < other ? one : other;
}

static uint32_t most(uint32_t one, uint32_t other)
{
    return one > other ? one : other;
}

#define STEP(name, ...)                                                                            \
    static void name(struct chain_values *v, bool is_odd)                                          \
    {                                                                                              \
        (void)v, (void)is_odd;                                                                     \
        __VA_ARGS__;                                                                               \
    }
#define FLOAT_STEP(name, value)                                                                    \
    static void name(struct chain_values *v, bool is_odd)                                          \
    {                                                                                              \
        float x = float_of(v->x), a = float_of(v->a), b = float_of(v->b);                          \
        (void)a, (void)b, (void)is_odd;                                                            \
        v->x = bits_of(value);                                                                     \
    }
#define PAIR_STEP(name, value)                                                                     \
    static void name(struct chain_values *v, bool is_odd)                                          \
    {                                                                                              \
        uint32_t x = is_odd ? v->y : v->x, y = is_odd ? v->x : v->y, a = is_odd ? v->b : v->a;     \
        (void)a;                                                                                   \
        *(is_odd ? &v->y : &v->x) = value;                                                         \
    }

STEP(same, )
FLOAT_STEP(add_f32, x + a)
FLOAT_STEP(mul_f32, x *a)
FLOAT_STEP(fma_f32, fmaf(x, a, b))
FLOAT_STEP(minmax_f32, is_odd ? fmaxf(x, b) : fminf(x, a))
FLOAT_STEP(div_f32, x / a)
STEP(add_f64, v->g = v->g + v->ga)
STEP(mul_f64, v->g = v->g * v->ga)
STEP(fma_f64, v->g = fma(v->g, v->ga, v->gb))
PAIR_STEP(add_two, x + y)
PAIR_STEP(add_three, x + y + a)
PAIR_STEP(multiply, x *y)
PAIR_STEP(and_or, is_odd ? x &y : x ^ y)
PAIR_STEP(parity, x ^ y ^ a)
STEP(multiply_add, v->x = v->x * v->a + v->b)
STEP(multiply_24, v->x = (v->x & 0xffffffu) * (v->a & 0xffffffu))
STEP(divide, v->x = v->x / v->a | v->b)
STEP(minmax, v->x = is_odd ? most(v->x, v->b) : least(v->x, v->a))
STEP(shift, v->x = is_odd ? v->x >> v->a : v->x << v->a)
STEP(compare, v->x = (is_odd ? v->b < v->a : v->a < v->b) != (v->x != 0))
STEP(negate, v->x = is_odd ? !v->x : v->x)
STEP(count_bits, v->x = (uint32_t)__builtin_popcount(v->x) + 0 * v->a)
STEP(to_float, v->x = bits_of((float)v->x))
FLOAT_STEP(round_f32, is_odd ? ceilf(x) : floorf(x))
FLOAT_STEP(reciprocal, 1 / (x * a))
FLOAT_STEP(root, sqrtf(x))
FLOAT_STEP(inverse_root, 1 / sqrtf(x))
FLOAT_STEP(sine, sinf(x))
FLOAT_STEP(cosine, cosf(x))
FLOAT_STEP(multiply_exponent, is_odd ? exp2f(x) : x *a)

/* ---- the table --------------------------------------------------------------------------------- */

#define FTZ(name) name ".approx.ftz.f32 $0, $0;"
enum {
    ONE = 0x3f800000,
    NEAR_ONE = 0x3f800001,
    HALF = 0x3f000001,
    INFINITE = 0x7f800000,
    LONG_ONE = 0x3ff00000,
    NEAR_LONG_ONE = 0x3ff00001,
    LONG_HALF = 0x3fe00001
};

const struct operation operations[] = {
    {.name = "fp32.add",
     .even = "add.rn.f32 $0, $0, $A;",
     .start = ONE,
     .a = NEAR_ONE,
     .step = add_f32,
     .native = "FADD"},
    {.name = "fp32.mul",
     .even = "mul.rn.f32 $0, $0, $A;",
     .start = ONE,
     .a = NEAR_ONE,
     .step = mul_f32,
     .native = "FMUL"},
    {.name = "fp32.fma",
     .even = "fma.rn.f32 $0, $0, $A, $B;",
     .start = ONE,
     .a = HALF,
     .b = ONE,
     .step = fma_f32,
     .native = "FFMA"},
    {.name = "fp32.minmax",
     .even = "min.f32 $0, $0, $A;",
     .odd = "max.f32 $0, $0, $B;",
     .start = NEAR_ONE,
     .a = ONE,
     .b = HALF,
     .step = minmax_f32,
     .native = "FMNMX"},
    {.name = "fp32.div",
     .is_routine = true,
     .even = "div.full.f32 $0, $0, $A;",
     .start = ONE,
     .a = NEAR_ONE,
     .step = div_f32,
     .is_rough = true},
    {.name = "fp64.add",
     .even = "add.rn.f64 $0, $0, $A;",
     .state = STATE_LONG,
     .start = LONG_ONE,
     .a = NEAR_LONG_ONE,
     .step = add_f64,
     .native = "DADD"},
    {.name = "fp64.mul",
     .even = "mul.rn.f64 $0, $0, $A;",
     .state = STATE_LONG,
     .start = LONG_ONE,
     .a = NEAR_LONG_ONE,
     .step = mul_f64,
     .native = "DMUL"},
    {.name = "fp64.fma",
     .even = "fma.rn.f64 $0, $0, $A, $B;",
     .state = STATE_LONG,
     .start = LONG_ONE,
     .a = LONG_HALF,
     .b = LONG_ONE,
     .step = fma_f64,
     .native = "DFMA"},
    /* Halves: 2 times 1 plus 0. */
    {.name = "fp16",
     .even = "fma.rn.f16x2 $0, $0, $A, $B;",
     .from_cc = 53,
     .why = "it does not compute with halves",
     .start = 0x40004000,
     .a = 0x3c003c00,
     .step = same,
     .native = "HFMA2"},
    {.name = "bf16",
     .even = "fma.rn.bf16x2 $0, $0, $A, $B;",
     .from_cc = 80,
     .why = "it does not compute with bf16",
     .start = 0x40004000,
     .a = 0x3f803f80,
     .step = same,
     .native = "HFMA2"},
    {.name = "int.add",
     .even = "add.u32 $0, $0, $1;",
     .odd = "add.u32 $1, $1, $0;",
     .state = STATE_PAIR,
     .before_cc = 70,
     .start = 1,
     .step = add_two},
    /* Of two operands some go to the pipe that multiplies: IADD3 has three. */
    {.name = "int.add",
     .even = "{ .reg .b32 %t; add.u32 %t, $0, $1; add.u32 $0, %t, $A; }",
     .odd = "{ .reg .b32 %t; add.u32 %t, $1, $0; add.u32 $1, %t, $B; }",
     .state = STATE_PAIR,
     .from_cc = 70,
     .start = 1,
     .a = 3,
     .b = 5,
     .step = add_three,
     .native = "IADD3"},
    {.name = "int.mul24",
     .even = "mul24.lo.u32 $0, $0, $A;",
     .before_cc = 70,
     .why = "from cc 7.0 on it is several instructions",
     .start = 3,
     .a = 5,
     .step = multiply_24},
    {.name = "int.mul",
     .even = "mul.lo.u32 $0, $0, $1;",
     .odd = "mul.lo.u32 $1, $1, $0;",
     .state = STATE_PAIR,
     .start = 3,
     .step = multiply,
     .native = "IMAD|IMUL"},
    {.name = "int.mad",
     .even = "mad.lo.u32 $0, $0, $A, $B;",
     .start = 3,
     .a = 5,
     .b = 7,
     .step = multiply_add,
     .native = "IMAD"},
    {.name = "int.div",
     .is_routine = true,
     .even = "div.u32 $0, $0, $A;",
     .start = 0x7fffffff,
     .a = 1,
     .step = divide},
    {.name = "int.minmax",
     .even = "min.u32 $0, $0, $A;",
     .odd = "max.u32 $0, $0, $B;",
     .start = 9,
     .a = 7,
     .b = 5,
     .step = minmax,
     .native = "V?IMNMX"},
    {.name = "logic",
     .even = "xor.b32 $0, $0, $1;",
     .odd = "and.b32 $1, $1, $0;",
     .state = STATE_PAIR,
     .before_cc = 50,
     .start = 9,
     .step = and_or},
    {.name = "logic",
     .even = "lop3.b32 $0, $0, $1, $A, 0x96;",
     .odd = "lop3.b32 $1, $1, $0, $B, 0x96;",
     .state = STATE_PAIR,
     .from_cc = 50,
     .start = 9,
     .a = 3,
     .b = 5,
     .step = parity,
     .native = "LOP3"},
    {.name = "shift",
     .even = "shl.b32 $0, $0, $A;",
     .odd = "shr.u32 $0, $0, $A;",
     .start = 9,
     .a = 1,
     .step = shift,
     .native = "SHF"},
    {.name = "cmp",
     .even = "setp.lt.xor.u32 $0, $A, $B, $0;",
     .odd = "setp.lt.xor.u32 $0, $B, $A, $0;",
     .state = STATE_BIT,
     .start = 1,
     .a = 3,
     .b = 5,
     .step = compare,
     .native = "ISETP"},
    {.name = "select",
     .even = "selp.b32 $0, $0, $1, $P;",
     .odd = "selp.b32 $1, $1, $0, $Q;",
     .state = STATE_PAIR,
     .start = 9,
     .a = 1,
     .b = 1,
     .step = same,
     .native = "SEL"},
    {.name = "move",
     .even = "mov.b32 $0, $1;",
     .odd = "mov.b32 $1, $0;",
     .state = STATE_PAIR,
     .start = 9,
     .step = same},
    {.name = "convert",
     .even = "cvt.rmi.f32.f32 $0, $0;",
     .odd = "cvt.rpi.f32.f32 $0, $0;",
     .start = NEAR_ONE,
     .step = round_f32,
     .native = "FRND"},
    {.name = "convert.int",
     .even = "cvt.rn.f32.u32 $0, $0;",
     .start = 3,
     .step = to_float,
     .native = "I2FP?"},
    {.name = "sfu.rcp",
     .is_parted = true,
     .even = "mul.rn.f32 $0, $0, $A; " FTZ("rcp"),
     .start = ONE,
     .a = NEAR_ONE,
     .step = reciprocal,
     .is_rough = true,
     .native = "MUFU.RCP"},
    {.name = "sfu.sqrt",
     .even = FTZ("sqrt"),
     .start = HALF,
     .step = root,
     .is_rough = true,
     .native = "MUFU.SQRT"},
    {.name = "sfu.rsqrt",
     .even = FTZ("rsqrt"),
     .start = HALF,
     .step = inverse_root,
     .is_rough = true,
     .native = "MUFU.RSQ"},
    {.name = "sfu.sin",
     .is_parted = true,
     .even = FTZ("sin"),
     .start = ONE,
     .step = sine,
     .is_rough = true,
     .native = "MUFU.SIN"},
    {.name = "sfu.cos",
     .is_parted = true,
     .even = FTZ("cos"),
     .start = ONE,
     .step = cosine,
     .is_rough = true,
     .native = "MUFU.COS"},
    {.name = "sfu.lg2", .even = FTZ("lg2"), .start = INFINITE, .step = same, .native = "MUFU.LG2"},
    {.name = "sfu.ex2", .even = FTZ("ex2"), .start = INFINITE, .step = same, .native = "MUFU.EX2"},
    {.name = "sfu.tanh",
     .even = "tanh.approx.f32 $0, $0;",
     .from_cc = 75,
     .why = "it has no instruction for it",
     .start = 0,
     .step = same,
     .native = "MUFU.TANH"},
    {.name = "multiplied",
     .even = "mul.rn.f32 $0, $0, $A;",
     .odd = FTZ("ex2"),
     .start = HALF,
     .a = HALF,
     .step = multiply_exponent,
     .is_rough = true,
     .native = "MUFU.EX2|FMUL"},
    {.name = "shuffle",
     .even = "shfl.sync.bfly.b32 $0, $0, 1, 31, 0xffffffff;",
     .from_cc = 30,
     .why = "it has no shuffles",
     .start = 9,
     .step = same,
     .native = "SHFL"},
    {.name = "vote",
     .even = "vote.sync.any.pred $0, $0, 0xffffffff;",
     .odd = "vote.sync.all.pred $0, !$0, 0xffffffff;",
     .state = STATE_BIT,
     .from_cc = 80,
     .why = "before cc 8.0 a vote on a predicate is several instructions",
     .start = 1,
     .step = negate,
     .native = "VOTE"},
    {.name = "other",
     .even = "popc.b32 $0, $0;",
     .start = 0xffff,
     .step = count_bits,
     .native = "POPC"},
    {0},
};

const struct operation *operation_find(const char *name, const struct gpu_facts *gpu,
                                       const char **why)
{
    *why = "it has no such instruction";
    for (const struct operation *one = operations; one->name; one++) {
        if (strcmp(one->name, name) != 0) continue;
        if (gpu->cc >= one->from_cc && (!one->before_cc || gpu->cc < one->before_cc)) return one;
        if (one->why) *why = one->why;
    }
    return NULL;
}

/* ---- expected results -------------------------------------------------------------------------- */

static double long_of(uint32_t high)
{
    uint64_t bits = (uint64_t)high << 32;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static struct chain_values run(const struct operation *operation, unsigned steps)
{
    struct chain_values v = {.x = operation->start,
                             .y = operation->start,
                             .a = operation->a,
                             .b = operation->b,
                             .g = long_of(operation->start),
                             .ga = long_of(operation->a),
                             .gb = long_of(operation->b)};
    for (unsigned i = 0; i < KERNEL_PASSES * steps; i++)
        operation->step(&v, i % 2 != 0);
    return v;
}

float operation_comes_to(const struct operation *operation, unsigned steps)
{
    return float_of(run(operation, steps).x);
}

/* What a chain adds to the result of its warp. */
static uint32_t result_of(const struct operation *operation, unsigned steps)
{
    struct chain_values v = run(operation, steps);
    uint64_t bits;
    memcpy(&bits, &v.g, sizeof bits);
    if (operation->is_rough) return 1;
    return operation->state == STATE_LONG   ? (uint32_t)bits + (uint32_t)(bits >> 32)
           : operation->state == STATE_PAIR ? v.x + v.y
           : operation->state == STATE_BIT  ? v.x != 0
                                            : v.x;
}

void chains_values(const struct chains *chains, struct point *point)
{
    const struct operation *first = chains->groups[0].operation;
    point->args[0] = first->start;
    point->args[1] = first->a;
    point->args[2] = 0;
    point->args[3] = first->b;
    point->is_checked = true;
    point->expected = 0;
    for (unsigned i = 0; i < CHAIN_GROUPS && chains->groups[i].operation; i++)
        point->expected +=
            chains->groups[i].count * result_of(chains->groups[i].operation, chains->steps);
}
