// SPDX-License-Identifier: Apache-2.0
/* How a row of rows.def is read: the picture of the bits of one native instruction.
 *
 *     ROW(opcode, forms, since, until, "NAME", "modifiers", "operands", "fixed")
 *     ROW(0x010, F(1, 4, 5, 6), 75, 120, "IADD3", "x@74:.X", "d, P81?, P84?, -a, -bs, -cs", "..")
 *
 * opcode    bits 0 to 8. UROW: an instruction of the uniform datapath: its guard and the registers
 *           in its slots are uniform.
 * forms     values of bits 9 to 11: where the one operand lies that may be wide (bits 32 to 63)
 *             1 b and c are registers                 (b at 32, c at 64)
 *             2 c is an immediate, 3 a constant, 7 a uniform register   (b at 64)
 *             4 b is an immediate, 5 a constant, 6 a uniform register   (c at 64)
 *           F(4) for instructions that have no such operand.
 * since, until   the first and the last target (75 for sm_75)
 * modifiers  words behind the name, in the order of the text: `field@bit` for a field of fields.def,
 *           `.TEXT` for a word that is always there. `field@5+9+2`: single bits, lowest first;
 *           `L16:8+34:48`: pieces, the lowest first.
 * operands  tokens with commas between them, in the order of the text; a blank where the text has no
 *           comma. Prefixes:
 *             -  may be negated, |  may be absolute, ~  may be inverted, !  a predicate that may be negated
 *             (-80: by bit 80 instead of the bit that belongs to the place)
 *           Letters:
 *             d  register at 16         a  register at 24
 *             b c  the slots of the form, w: the wide one (register at 32 in form 1); then the type of
 *                an immediate: s signed, u unsigned, f 32-bit float, h two halves, e two
 *                bfloat16, H and E one of them, d the upper half of a 64-bit float; an immediate has
 *                no suffixes
 *             r24  a register whose place in the operand cache is not told
 *             N64  a predicate whose number stands with its bits inverted, W64: a uniform one
 *             R U P V B Q S, and the bit where its number begins: register, uniform register, predicate,
 *                uniform predicate, convergence barrier, scoreboard, special register
 *             i32:8 s40:24  unsigned and signed immediate: bit and width
 *             L34:48  target of a branch, in units of 4 bytes from the next instruction; l34:48 in
 *                bytes; J34:48 from address 0, in units of 4 bytes
 *             D34:48  signed displacement in units of 4 bytes, added to a register
 *             K  constant c[bank][offset]: offset at 38, bank at 54; K24: with an index register, KU24: with
 *                a uniform one, offset signed
 *             G  descriptor of a matrix in uniform registers, and the bit where the number begins
 *             T field@bit  one of the field's words
 *             [ .. + .. ]  address: R, U and s parts; desc[U32][ .. ], or desc[U32] alone; desc[U32^]: in
 *                the uniform register that follows. `R24?`: not written when RZ;
 *                `U32!`: written when URZ
 *             M32:6  set of the bits that are 1
 *           Suffixes: `?` is not written when it is RZ, URZ, PT or 0, `?15` when it is 15; `.field@bit` one of the field's
 *           words behind the operand.
 * fixed     bits that have one value: `91=1 72:4=15`; `32:32=pow2`: a power of two; `32:6=any`: bits that
 *           are not looked at.
 *
 * Every bit that a row does not name must be 0, and the first row that fits is taken; so a special case
 * (IMAD.MOV) stands before the general one. */
#ifndef DECODE_NATIVE_PICTURE_H
#define DECODE_NATIVE_PICTURE_H

#include "decode/native/word.h"

/* A number of `width` bits from `at` on, or in several pieces, the lowest first. */
struct bit_place {
    uint8_t at, width;
    uint8_t piece_count; /* 0: one, at `at` */
    struct {
        uint8_t at, width;
    } pieces[8];
};

enum { FIELD_LITERAL = 255 }; /* a word that is always there */
struct picture_field {
    uint8_t field; /* enum native_field */
    struct bit_place place;
    char text[20]; /* FIELD_LITERAL */
};

enum { NO_BIT = 255, PIECE_FIELDS = 4, ADDRESS_PARTS = 3, ROW_FIELDS = 14, ROW_FIXED = 8 };

struct picture_piece {
    uint8_t kind; /* enum native_kind */
    char role;    /* the letter */
    struct bit_place place;
    uint8_t negate_at, absolute_at, invert_at, reuse_at; /* NO_BIT: it cannot be */
    char type;                                           /* of an immediate */
    bool is_hidden_default;
    uint8_t default_value;
    bool is_complemented; /* the number, bit by bit */
    bool is_before_blank; /* no comma between this and the next */
    uint8_t field_count;
    struct picture_field fields[PIECE_FIELDS];
    /* NATIVE_CONSTANT: an index register; NATIVE_ADDRESS: the parts in order, and a descriptor */
    uint8_t part_count;
    struct address_part {
        char letter; /* 'R', 'U', 's', 'i' */
        struct bit_place place;
        bool is_always_written;
        bool is_hidden_default;
        uint8_t field_count;
        struct picture_field fields[PIECE_FIELDS];
    } parts[ADDRESS_PARTS];
    bool has_descriptor, descriptor_follows;
    struct bit_place descriptor;
};

enum fixed_rule { FIXED_VALUE, FIXED_POWER_OF_TWO, FIXED_ANY };
struct picture_fixed {
    struct bit_place place;
    uint8_t rule;
    uint64_t value;
};

/* One row in one of its forms. */
struct picture {
    uint16_t opcode; /* bits 0 to 11 */
    uint16_t since, until;
    bool is_uniform;
    const char *name;
    uint8_t field_count, piece_count, fixed_count;
    struct picture_field fields[ROW_FIELDS];
    struct picture_piece pieces[NATIVE_OPERANDS_MAX];
    struct picture_fixed fixed[ROW_FIXED];
    struct native_word covered; /* bits that the row names */
    uint32_t next;              /* the next with this opcode, or PICTURE_NONE */
};
#define PICTURE_NONE UINT32_MAX

struct pictures {
    struct picture *items;
    uint32_t count;
    uint32_t first[4096]; /* by bits 0 to 11 */
    char fault[256];      /* what rows.def says wrongly, "" */
};

/* All rows, read once a process. */
const struct pictures *pictures_all(void);
/* One of the words of a field; NULL: no such value. */
const char *picture_field_word(unsigned field, unsigned value);

#endif
