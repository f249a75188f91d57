// SPDX-License-Identifier: Apache-2.0
/* Which bits of registers and which bytes of memory have been initialised, for the checks (CHECK_INIT), as Valgrind's
 * memcheck tracks it (Seward and Nethercote, "Using Valgrind to detect undefined value errors with bit-precision",
 * USENIX 2005). exec.tracks says whether a launch does.
 *
 *   registers   a shadow as large as the warp's registers, a set bit for an undefined one; while a warp holds none
 *               (defined_warp.is_dirty), its operations run as without checks
 *   memory      a bit a byte, set where it is defined: struct allocation.shadow, and the same for shared and local
 *               memory and for parameters of functions. Bytes of which some bits are defined are in a table
 *               (struct partial_bytes).
 *
 * Values are moved and computed with freely; an error is told where a decision needs one. The value counts as defined
 * afterwards, so that one cause is told once. */
#ifndef EMULATE_DEFINED_H
#define EMULATE_DEFINED_H

#include "emulate/exec.h"

/* Where an undefined value came from: 0, or one of these; ORIGIN_COMPUTED is set once it went through arithmetic. */
#define ORIGIN_COMPUTED UINT32_C(0x80000000)
#define ORIGIN_REGISTER                                                                            \
    UINT32_C(0x40000000) /* never written: function << 14 | place in zero_offsets */
enum { ORIGIN_FUNCTION_AT = 14, ORIGIN_ZERO_MASK = (1 << ORIGIN_FUNCTION_AT) - 1 };
/* else: index of the loading instruction, plus 1 */

struct defined_warp {
    unsigned char *registers; /* as warp.registers; bit set: undefined */
    uint32_t *origins;        /* by 4 bytes of them, at the first of a register */
    size_t register_bytes;
    bool is_dirty;        /* some bit of registers or carry may be set */
    uint32_t bodies;      /* since it was looked whether it still is */
    uint32_t carry;       /* undefined condition codes, by lane */
    uint64_t *locals;     /* a bit a byte, lane after lane; set: defined */
    uint64_t *parameters; /* the same of parameter frames */
    size_t local_words, parameter_words;
};

/* The first lane that an instruction gave an undefined value. */
struct origin_place {
    uint64_t address, block;
    uint32_t warp, lane;
    uint8_t space;
    bool is_set;
};

/* Of a worker. */
struct defined {
    struct partial_bytes *partial; /* the device's */
    struct origin_place *places;   /* by launch instruction */
};

/* Bytes of which some bits are defined, in an open hash table; their bit in the shadow says undefined. Beyond PARTIAL_MAX
 * they count as defined. */
struct partial_byte {
    uint64_t key; /* of its bit in the shadow; 0: none */
    uint8_t undefined;
};
struct partial_bytes {
    struct partial_byte *slots;
    uint32_t count, room;
};

/* ---- life ------------------------------------------------------------------------------------ */

struct defined *defined_create(const struct launch *launch);
void defined_destroy(struct defined *defined);
struct defined_warp *defined_warp_create(const struct program *program);
void defined_warp_destroy(struct defined_warp *defined);
void defined_block_start(struct exec *x, struct block *block);
void defined_warp_start(struct exec *x, struct warp *warp);
/* Lanes of the mask enter a function: its locals, parameters and registers without a value are undefined. */
void defined_frame_begin(struct exec *x, struct warp *warp, const struct frame *frame,
                         uint32_t mask);
/* Copies what is known of a parameter that call.c copies. */
void defined_copy_value(const struct exec *x, const struct warp *warp, const struct frame *to,
                        const struct call_value *to_value, const struct frame *from,
                        const struct call_value *from_value, uint32_t lane);
/* A function of the device runtime gave its result. */
void defined_result(const struct exec *x, const struct call_value *value, uint32_t lane);
/* What lanes fetch from a texture is undefined: for the first, the memory at the address was never written. */
void defined_fetched(struct exec *x, const struct uop *u, uint32_t lanes, uint64_t address);
/* Bytes of one allocation in device memory. */
void defined_forget(const struct exec *x, uint64_t address, uint64_t bytes);
/* A function of the device runtime has written them, at a generic address of a lane. */
void defined_written(const struct exec *x, unsigned lane, uint64_t address, unsigned bytes);
/* Are bytes at a generic address of a lane defined, up to 32 of them? */
bool defined_bytes_at(const struct exec *x, unsigned lane, uint64_t address, unsigned bytes);

/* The host copies. From device memory to device memory: carries over what is known; false: it has not, and the bytes
 * count as defined. To the host: tells of undefined bytes. */
bool defined_copy(struct device *device, uint64_t to, const void *from, uint64_t bytes);
void defined_copy_out(const struct device *device, uint64_t from, uint64_t bytes);
/* A kernel stored a computed value with undefined bits within [low, high) of device memory. */
void defined_note_computed(const struct exec *x, const struct insn *insn, uint64_t low,
                           uint64_t high);
void defined_computed_clear(struct device *device);

/* ---- execution ------------------------------------------------------------------------------- */

/* As run_body. */
void defined_body(struct exec *x, const struct code *code, bool is_whole);
/* One operation for the lanes of exec.mask. */
void defined_run(struct exec *x, const struct uop *u, uop_fn *run);
/* Before the code block ends: what decides where the lanes go. */
void defined_end(struct exec *x, const struct code *code, uint32_t mask);
/* An access that is about to happen; what: READS, WRITES or both (sem_memory.h). */
enum { DEFINED_READS = 1, DEFINED_WRITES = 2 };
void defined_access(struct exec *x, const struct uop *u, const struct access *access,
                    struct allocation *allocation, unsigned space, unsigned what);

/* ---- inside ---------------------------------------------------------------------------------- */

/* Undefined bits of an operand, in the layout of its register. */
static inline unsigned char *undefined_bits(const struct exec *x, operand_ref ref)
{
    return x->undefined + (ref & 0x3fffffff);
}
static inline bool is_register(operand_ref ref)
{
    return ref >> 30 == BASE_FRAME;
}
static inline uint64_t get_lane(const unsigned char *lanes, unsigned bytes, unsigned lane)
{
    uint64_t value = 0;
    __builtin_memcpy(&value, lanes + (size_t)bytes * lane, bytes < 8 ? bytes : 8);
    return value;
}
static inline void set_lane(unsigned char *lanes, unsigned bytes, unsigned lane, uint64_t value)
{
    __builtin_memcpy(lanes + (size_t)bytes * lane, &value, bytes < 8 ? bytes : 8);
}

/* Lanes in which the operand has undefined bits; bytes: by lane, 1 stands for a predicate. */
uint32_t undefined_lanes(const struct exec *x, operand_ref ref, unsigned bytes);
/* These lanes of a register become defined, or undefined in all bits. */
void define_lanes(struct exec *x, operand_ref ref, unsigned bytes, uint32_t lanes);
void undefine_lanes(struct exec *x, operand_ref ref, unsigned bytes, uint32_t lanes);
static inline uint32_t *origin_of(const struct exec *x, operand_ref ref)
{
    return &x->origins[(ref & 0x3fffffff) / 4];
}

/* Undefined bits of what an operation writes, as registers of 16 bytes a lane at most. */
struct undefined_results {
    unsigned char lanes[UOP_DESTINATIONS][16 * WARP_LANES] __attribute__((aligned(64)));
};
/* defined_rules.c: what the operation makes of undefined bits in its sources, in the lanes of exec.mask. touched: lanes in
 * which any source has some. False: values were only moved. */
bool defined_rule(struct exec *x, const struct uop *u, uop_fn *run, uint32_t touched,
                  struct undefined_results *out);
/* defined_integers.c: a value of an integer type, and its undefined bits. */
struct known {
    uint64_t value, undefined;
};
static inline uint64_t low_bits(unsigned bits)
{
    return bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
}
/* The undefined bits of the result for these sources; false: the operation has no rule of its own. */
bool known_integer(const struct insn *insn, const struct known *sources, uint64_t *out);
/* Could it be either? */
bool known_comparison(unsigned compare, struct known a, struct known b, unsigned bits,
                      bool is_signed);
/* defined_matrix.c: the same of mma, whose registers are set at once. */
void defined_product(struct exec *x, const struct uop *u);

/* defined_report.c */
void defined_report(struct exec *x, enum check_code code, const struct insn *insn, uint32_t lanes,
                    uint32_t origin, const char *detail);

/* defined_partial.c: 0xff for a byte that is not in the table. */
uint8_t partial_get(const struct partial_bytes *partial, const uint64_t *shadow, uint64_t at);
/* False: the table is full. */
bool partial_set(struct partial_bytes *partial, const uint64_t *shadow, uint64_t at,
                 uint8_t undefined);
/* Forgets `count` bytes from byte `at` on. */
void partial_drop(struct partial_bytes *partial, const uint64_t *shadow, uint64_t at,
                  uint64_t count);
void partial_clear(struct partial_bytes *partial);

/* Clears `count` bits of a shadow from bit `at` on. */
void shadow_clear(uint64_t *shadow, uint64_t at, uint64_t count);
/* Bit i: byte at + i is undefined; count: up to 32. */
static inline uint32_t shadow_missing(const uint64_t *shadow, uint64_t at, unsigned count)
{
    unsigned shift = at & 63;
    uint64_t bits = shadow[at >> 6] >> shift;
    if (shift + count > 64) bits |= shadow[(at >> 6) + 1] << (64 - shift);
    return (uint32_t)(~bits & ((UINT64_C(1) << count) - 1));
}

#endif
