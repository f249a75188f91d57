// SPDX-License-Identifier: Apache-2.0
/* The body of a code block, or of a path of them, as it is translated: which values are in vector registers, which
 * accesses were seen, and the code so far. Private to compile/.
 *
 *   body_values.c    places of values: registers for as long as there are some, else the slots of the interpreter
 *   templates_*.c    operations that have code of their own
 *   body_accesses.c  loads and stores
 *   body_tell.c      what the observer hears of them
 *   body_path.c      from one code block of a path to the next, and out of it
 *   body_fork.c      branches whose arms are both on the path
 *   body.c           what is around them, and the operations of the interpreter in between
 *
 * While a body runs, rbx holds the struct exec, r12 to r15 its four bases, rbp the constants of below, rsp a
 * frame of struct body_frame. zmm0 to zmm27 hold values; zmm28 to zmm31 and all masks are scratch. */
#ifndef COMPILE_BODY_H
#define COMPILE_BODY_H

#include "compile/code_debug.h"
#include "compile/path_plan.h"
#include "compile/run_accesses.h"
#include "compile/x86.h"
#include "emulate/exec.h"
#include "emulate/powers.h"

enum {
    VECTOR_BYTES = 64,
    VALUE_REGISTERS = 28,
    SCRATCH = 28, /* the first of four */
    CHUNKS_MAX = 4,
    VALUES_MAX = VALUE_REGISTERS,
};

/* A register of the kernel whose 32 lanes lie in vector registers. */
struct value {
    operand_ref ref;
    uint8_t chunks;     /* vector registers: 1, 2 or 4; 0: the entry is free */
    bool is_dirty;      /* the slot holds an older value */
    bool is_raw;        /* f32, f32x2: a NaN is still to become 0x7fffffff */
    uint32_t pinned_at; /* the operation that needs it: its ordinal plus 1 */
    int32_t vreg;       /* of the kernel; -1: no register */
    uint8_t regs[CHUNKS_MAX];
};

struct values {
    struct value entries[VALUES_MAX];
    uint32_t used_registers; /* bit set */
};

/* Addresses in a register of the kernel whose shape is in the frame. */
#define SHAPE_KEPT (REF_NONE - 1) /* no register: the place is not free */
struct known_shape {
    operand_ref ref;
    bool is_known;    /* the register still has these addresses */
    uint32_t used_by; /* accesses that were there when it was used last */
    uint32_t checked; /* accesses that are still to come of those that were checked together */
};

/* Registers of a result. */
struct result {
    uint8_t regs[CHUNKS_MAX];
};

/* A load or store whose fast check failed: the operation of the interpreter, with all values in their slots. */
struct slow_path {
    const struct uop *uop;
    uint32_t access;
    uint32_t jumps[SLOW_JUMPS_MAX], jump_count;
    uint32_t back;
    struct values values;                    /* as they are before the operation ... */
    struct result results[UOP_DESTINATIONS]; /* ... which a load adds */
    uint8_t result_count, result_chunks;
    bool is_part;
};

/* A place of a path where the observer is told of accesses while values stay in registers, and what follows if that
 * cannot be. */
struct slow_tell {
    const struct body_segment *segment;
    uint32_t jump, back;
    bool is_part;
    struct values values;
};

/* A branch that leaves the path behind the body of a code block: values that are in registers then. */
struct path_exit {
    uint32_t step, jumps[3], jump_count;
    struct values values;
};

/* A fork whose lanes part: what is behind the path then. */
struct parting {
    uint32_t jump, back;
    uint32_t told;         /* where the arms meet */
    struct values values;  /* at the branch */
    struct values meeting; /* those of them that they have in registers where the arms meet */
    struct known_shape shapes[SHAPES_MAX]; /* where they meet */
};

/* A register of the kernel that a loop finds in its slot: better in vector registers all the time. */
struct carried {
    operand_ref ref;
    uint8_t chunks;
    bool is_written; /* in the loop */
};
enum { CARRIED_MAX = 16, CARRIED_REGISTERS = 22 };

/* What the bodies of a program number through. */
struct body_counts {
    uint32_t groups; /* of accesses that are told together */
    uint32_t shapes; /* records of them */
};

struct body {
    struct assembler *a;
    const struct program *program;
    const struct path_plan *path;
    bool
        is_path; /* leaves it to the caller to tell which code blocks were executed; else a body of one */
    uint32_t step; /* of the path, and its code: */
    const struct code *code;
    const struct basic_block *block;
    bool is_part; /* for warps of whose living lanes some do not take part; else for all others */
    const int32_t *crossing; /* by register: its bit in live_out, -1: lives within its block */
    uint32_t at;             /* the operation that is translated */
    uint32_t ordinal;        /* the same, counted over the path */
    struct values values;
    struct known_shape shapes[SHAPES_MAX];
    bool is_guarded;                    /* the operation at hand, and then: */
    uint32_t guard;                     /* of the frame: lanes whose guard holds */
    uint32_t guard_used_by[GUARDS_MAX]; /* accesses that were there when it was used last */
    uint32_t shape_stub, known_stub;    /* places of the code that finds a shape */
    struct body_access *accesses;       /* room for one by operation */
    uint32_t access_count;
    struct body_counts *counts; /* of the program */
    struct arena *arena;        /* for what the code refers to */
    uint32_t told;              /* accesses that the observer knows of at this place */
    struct slow_path *slow;
    uint32_t slow_count, slow_room;
    struct slow_tell *slow_tells;
    uint32_t slow_tell_count, slow_tell_room;
    uint32_t *exits, exit_count, exit_room;  /* jumps to the end */
    struct code_extent range;                /* of the function, when it is written */
    uint32_t templates;                      /* operations that have one */
    uint32_t step_templates[PATH_STEPS_MAX]; /* of each step */
    struct path_exit path_exits[2 * PATH_STEPS_MAX];
    uint32_t path_exit_count;
    struct parting partings[PATH_FORKS_MAX];
    struct carried
        carried[CARRIED_MAX]; /* what is read before it is written; filled by the first pass */
    uint32_t carried_count, carried_registers;
    bool carries;       /* the second pass */
    struct values head; /* as every turn of the loop finds them */
    uint32_t head_place;
};

/* Constants that templates use: at rbp. */
struct body_constants {
    uint64_t lanes[WARP_LANES]; /* 0 to 31 */
    uint32_t numbers[16];       /* 0 to 15 */
    /* Of elements in vectors one behind the other, and of lanes to be joined to such (access_data.c). */
    uint32_t pairs[16], fours[16], join_pairs[16], join_fours[16];
    uint64_t pairs_64[8], join_pairs_64[8];
    uint32_t nan, sign, no_sign, float_one, shift_max, words_32, byte_max;
    uint32_t two_126, largest;                         /* of f32 */
    uint32_t rsqrt_classes, lg2_classes;               /* as vfixupimm takes them */
    uint32_t one, half_nan, low_halves, least_f16;     /* the least normal number of f16 as f32 */
    uint32_t signs_16, no_signs_16, least_normals_f16; /* of both halves */
    uint32_t odd_bits, odd_pairs, low_nibbles, ones;   /* of every byte */
    uint32_t odd_lanes;                                /* a mask */
    uint32_t two_31, two_31_64[2];                     /* as f32, as f64 */
    uint8_t reversed_bytes[64];                        /* of 32-bit lanes */
    uint32_t words_of_bytes[16];    /* of each byte where in 16 bytes its word begins */
    uint32_t even_bytes, low_pairs; /* of every byte the lower two bits */
    uint32_t all_ones;
    uint64_t sign_64, no_sign_64, high_words, low_words, bits_64, quiet_64, half_64, float_one_64;
    double exp2[EXP2_DEGREE + 1], log2[LOG2_DEGREE + 1]; /* coefficients (emulate/powers.h) */
    double exp2_least, exp2_most, rounding_shift, log2_e_high, log2_e_low;
    uint64_t log2_least;
};
extern const struct body_constants body_constants;
#define CONSTANT(field) x86_element(RBP, (int32_t)offsetof(struct body_constants, field))

/* ---- body_values.c -------------------------------------------------------------------------------- */

/* The lane of a constant of the pool that is the same in all; false: it is none. */
bool value_constant(const struct body *b, operand_ref ref, uint64_t *out);
/* Where 32 lanes of `bytes` (2, 4 or 8) of a source are, in vectors; those that are used again come into registers.
 * They stay there until the operation is translated. */
struct source {
    struct x86_place chunks[CHUNKS_MAX];
};
struct source value_source(struct body *b, operand_ref ref, unsigned bytes);
/* The same of f32 or pairs of them, but a NaN may be any. */
struct source value_raw_source(struct body *b, operand_ref ref, unsigned bytes);
/* Chunk c of a source in a register: its own, or scratch register `scratch`. */
unsigned value_in_register(struct body *b, struct x86_place chunk, unsigned scratch);
/* Registers for a result. Sources keep theirs until value_finish. */
struct result value_begin(struct body *b, unsigned bytes);
/* It becomes the value of destination `k` of the operation. */
void value_finish(struct body *b, unsigned k, const struct result *result, unsigned bytes,
                  bool is_raw);
/* Stores what later operations and blocks read of what is only in registers. */
void values_store(struct body *b);
/* The same for a copy of them, whatever is read later. */
void values_store_all(struct body *b, const struct values *values);
void values_reload(struct body *b, const struct values *values);
void values_drop(struct body *b);
/* Frees registers of results that nothing reads any more. */
void values_drop_dead(struct body *b);
/* Takes those out of `values` that their slots have, too, and that the path does not read from a step on. */
void values_leave_unread(struct body *b, struct values *values, uint32_t step);
/* Stores what others than these have. */
void values_store_others(struct body *b, const struct values *kept);
/* Loads a register of the kernel into vector registers. */
struct value *value_bring(struct body *b, operand_ref ref, unsigned chunks);
struct value *value_find(struct body *b, operand_ref ref);
void value_make_canonical(struct body *b, struct value *value);
/* The operation at hand writes this slot by other means. */
void value_forget(struct body *b, operand_ref ref);
struct x86_place value_slot(operand_ref ref, unsigned chunk);
/* A predicate, or the first word of any slot. */
struct x86_place value_word(operand_ref ref);

/* Registers for what is needed within the operation only. */
void value_release(struct body *b, const struct result *result, unsigned bytes);

/* ---- templates ------------------------------------------------------------------------------- */

/* Translates an operation; false: it has no template, and nothing was written. */
typedef bool template_fn(struct body *b, const struct uop *u);
template_fn template_integer, template_float, template_move, template_compare, template_access,
    template_carry, template_convert, template_pack, template_bits, template_select, template_half,
    template_cast, template_parts, template_classify, template_inverse, template_powers,
    template_div_approx;
/* The same bits, of as many bytes as the type has. */
template_fn template_copy;
/* A .sync operation behind a code block, for a whole warp. Where cross_test says so nobody has to wait at it. */
template_fn template_cross;
/* Lanes in k1 that do not name all lanes of the warp, or have other operands than template_cross will assume. */
void cross_test(struct body *b, const struct uop *u);
template_fn template_set;
/* An operation before an instruction: the address of a local variable in the frame of its function. */
template_fn template_local_address;

static inline void emit3(struct body *b, enum x86_form form, unsigned to, unsigned first,
                         struct x86_place second)
{
    x86_vector(b->a, form, to, first, second, 0, -1);
}
static inline void emit2(struct body *b, enum x86_form form, unsigned to, struct x86_place from)
{
    x86_vector(b->a, form, to, 0, from, 0, -1);
}
/* f32: NaN becomes 0x7fffffff. */
void emit_canonical(struct body *b, unsigned reg);
/* How the operation rounds: by the processor's default, or as the last operand says, which is a register then. */
struct x86_place emit_rounded(struct body *b, const struct uop *u, struct x86_place last,
                              unsigned scratch);
/* Of a result of f32: subnormals, and what lies outside of 0 to 1; a NaN becomes 0. Uses SCRATCH. */
void emit_finished(struct body *b, const struct uop *u, unsigned reg);
/* min or max of f32 with its modifiers but for those of subnormals. Uses SCRATCH + 2; x and y, which may be scratch
 * registers, change if signs do not count. */
void emit_min_max(struct body *b, const struct insn *insn, unsigned to, unsigned x, unsigned y);
/* Part of halves as f32; and back, rounded as the instruction says. `reg` and `other` change. */
void emit_half_widened(struct body *b, unsigned type, unsigned to, const struct source *from,
                       unsigned part);
void emit_half_narrowed(struct body *b, const struct insn *insn, const struct result *result,
                        unsigned reg, unsigned other, unsigned part);
/* The same in the lower halves of lanes of 32 bits. Uses SCRATCH + 2. */
void emit_half_lanes(struct body *b, const struct insn *insn, unsigned reg, unsigned other);
/* .sat and .relu of f32 that is to become halves. `other` changes. */
void emit_limits(struct body *b, const struct insn *insn, unsigned reg, unsigned other);
/* Keeps the lower bits of lanes of `bytes`. */
void emit_kept_bits(struct body *b, unsigned reg, unsigned bytes, unsigned bits, bool is_signed);
/* How vrndscale rounds for .rni and so on, without exceptions. */
int integral_mode(const struct insn *insn);
/* Wider lanes by one of the forms that take half or a quarter of a register: chunk c of them. */
void emit_widened(struct body *b, enum x86_form form, unsigned to, const struct source *from,
                  unsigned c);
/* Chunk c of lanes of `from` bytes, in a register, as its part of lanes of `to` bytes. Uses SCRATCH + 1. */
void emit_narrowed(struct body *b, const struct result *result, unsigned reg, unsigned from,
                   unsigned to, unsigned c);
/* The upper words of products of 32 bits: of even lanes, of odd ones, and both joined. Uses all scratch registers;
 * the last may be x. */
void emit_high_32(struct body *b, bool is_signed, unsigned to, unsigned x, struct x86_place y);
/* Writes a predicate for the lanes that take part. Uses rcx. */
void emit_store_predicate(struct body *b, operand_ref ref, unsigned gpr);
/* The form of add, sub, mul, min, max or logic of an integer type. */
enum x86_form integer_form(unsigned op, unsigned type);
/* Chunk c of a quotient or remainder of lanes of 32 bits. Uses scratch registers. */
void emit_divided(struct body *b, const struct uop *u, unsigned to, const struct source *first,
                  const struct source *second, unsigned c);
/* Does the operation have the operands as wide as this, and is it without a guard? 1: a predicate. */
bool has_widths(const struct uop *u, unsigned result, unsigned a, unsigned b, unsigned c);
/* Lanes that an operation changes: of its guard, or of the warp. */
struct x86_place emit_lanes(const struct body *b);
/* A source predicate in eax (any register), negated if the operation says so. */
void emit_predicate(struct body *b, const struct uop *u, unsigned k, unsigned gpr);
/* Is there a vector register's worth of lanes this wide? */
static inline bool has_value_width(unsigned bytes)
{
    return bytes == 2 || bytes == 4 || bytes == 8;
}
/* A source of f32 in a scratch register without subnormals, if the operation flushes. */
struct x86_place emit_flushed(struct body *b, struct x86_place from, bool flushes,
                              unsigned scratch);
/* A comparison combined with the predicate in ecx as the operation says. */
void emit_combined(struct body *b, const struct uop *u, unsigned gpr);
/* The comparison of setp and set, combined with their predicate: in eax, and in edx the second result of setp; false: it has
 * no template. */
bool emit_compared(struct body *b, const struct uop *u, unsigned type);
/* The same of halves; of pairs of them eax has the lower ones, edx the upper ones. */
bool emit_halves_compared(struct body *b, const struct uop *u, unsigned type);
/* The number of a comparison of floats as vcmpps takes it: ordered ones are false of NaN, the others true; -1: none. */
int float_comparison(unsigned compare);
bool is_half(unsigned type);
/* Subnormals of f16, which are none of f32, become zeros. `other` changes. */
void emit_flush_f16(struct body *b, unsigned reg, unsigned other);
/* Bits of 32 lanes in eax as masks for chunks of values: k1 and the following. */
void emit_spread_masks(struct body *b, unsigned bytes);

/* Masks of chunks in k1 and the following, as bits of 32 lanes in eax. */
void emit_joined_masks(struct body *b, unsigned bytes);
/* Its masks for the chunks of values as wide as this, in k1 and the following. */
void emit_masks(struct body *b, const struct uop *u, unsigned k, unsigned bytes);

/* ---- body_accesses.c ------------------------------------------------------------------------------ */

/* shape_stub.c: the code that finds the shape of 32 addresses, called by bodies: rdi: struct body_shape with its
 * addresses, edx: the lanes that take part. Uses scratch registers and what a function may. */
void shape_stub_write(struct assembler *a);
/* The same where a record of the last shape is at rsi: rax is the address of lane 0, k1 to k4 the lanes of each quarter
 * that are not as recorded. */
void shape_stub_write_known(struct assembler *a, uint32_t shape_stub);
/* The operation at hand has a guard and no access. */
void guard_add(struct body *b, const struct uop *u);
void accesses_write_slow(struct body *b);
void shape_forget(struct body *b, operand_ref ref);

/* ---- body_tell.c ---------------------------------------------------------------------------------- */

/* No access of the body was told yet. */
void accesses_begin(struct body *b);
/* Before an operation of the interpreter that the observer may hear of. */
void accesses_tell(struct body *b);
/* One by one. */
void accesses_tell_until(struct body *b, uint32_t end);
/* The same of a path; values may stay in their registers. */
void path_tell(struct body *b);
void path_write_slow_tells(struct body *b);

/* ---- body_path.c ---------------------------------------------------------------------------------- */

#define OF_EXEC(field) x86_at(RBX, (int32_t)offsetof(struct exec, field))

/* Loads what is carried round the loop. */
void path_begin(struct body *b);
/* A source of the operation at hand that is in no register. */
void path_note_read(struct body *b, operand_ref ref, unsigned chunks);
/* Behind the body of the code block at hand. */
void path_step_end(struct body *b);
/* A way out of the path at the end of the code block at hand. */
struct path_exit *path_add_exit(struct body *b);
void path_write_exits(struct body *b);
/* Brings values to the registers where they were; others are stored. */
void values_restore(struct body *b, const struct values *to);

/* ---- body_fork.c ---------------------------------------------------------------------------------- */

/* The arms of the fork behind the code block at hand. */
void fork_write(struct body *b, const struct path_fork *fork);
/* The arms for lanes that part. */
void fork_write_parted(struct body *b);
/* Notes how the turn went at the forks. The jump, if there is no room left for another. */
uint32_t fork_note_turn(struct body *b);

/* ---- body.c ---------------------------------------------------------------------------------- */

/* Writes the function of a body or a path to the assembler; false: nothing in it has a template. */
bool body_write(struct body *b);
/* The operations of the code block of a step. */
void body_write_step(struct body *b, uint32_t step);
void body_set_step(struct body *b, uint32_t step);
/* Jumps to the end of the function, with the step in eax. */
void emit_exit(struct body *b, uint32_t step);
void body_clear(struct body *b);
/* Leaves the body if an operation has recorded a fault. */
void emit_fault_check(struct body *b);
/* Calls the operation of the interpreter. */
void emit_operation(struct body *b, const struct uop *u);

#endif
