// SPDX-License-Identifier: Apache-2.0
/* One word: the row that fits, and what its bits say. */
#include "decode/native/word.h"

#include <stdio.h>
#include <string.h>

#include "decode/native/picture.h"

struct native_control native_control_of(struct native_word word)
{
    return (struct native_control){
        .stall = (uint8_t)native_bits(word, 105, 4),
        .yield = native_bits(word, 109, 1),
        .write_counter = (uint8_t)native_bits(word, 110, 3),
        .read_counter = (uint8_t)native_bits(word, 113, 3),
        .awaited = (uint8_t)native_bits(word, 116, 6),
        .reuse = (uint8_t)native_bits(word, 122, 4),
    };
}

static uint64_t place_bits(struct native_word word, const struct bit_place *place)
{
    if (!place->piece_count) return native_bits(word, place->at, place->width);
    uint64_t value = 0;
    for (unsigned i = 0, at = 0; i < place->piece_count; at += place->pieces[i++].width)
        value |= native_bits(word, place->pieces[i].at, place->pieces[i].width) << at;
    return value;
}

static int64_t sign_extend(uint64_t value, unsigned width)
{
    unsigned left = 64 - width;
    return width ? (int64_t)(value << left) >> left : 0;
}

static bool flag_at(struct native_word word, uint8_t at)
{
    return at != NO_BIT && native_bits(word, at, 1);
}

/* ---- does the row fit? ----------------------------------------------------------------------- */

static const char *field_word(struct native_word word, const struct picture_field *field)
{
    if (field->field == FIELD_LITERAL) return field->text;
    return picture_field_word(field->field, (unsigned)place_bits(word, &field->place));
}

static bool fixed_fits(struct native_word word, const struct picture_fixed *fixed)
{
    uint64_t value = place_bits(word, &fixed->place);
    if (fixed->rule == FIXED_ANY) return true;
    if (fixed->rule == FIXED_POWER_OF_TWO) return value && !(value & (value - 1));
    return value == fixed->value;
}

static bool fields_fit(struct native_word word, const struct picture_field *fields, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (!field_word(word, &fields[i])) return false;
    return true;
}

static bool piece_fits(struct native_word word, const struct picture_piece *piece)
{
    for (unsigned i = 0; i < piece->part_count; i++)
        if (!fields_fit(word, piece->parts[i].fields, piece->parts[i].field_count)) return false;
    return fields_fit(word, piece->fields, piece->field_count);
}

static bool fits(unsigned target, struct native_word word, const struct picture *picture)
{
    if (target < picture->since || target > picture->until) return false;
    if ((word.low & ~picture->covered.low) | (word.high & ~picture->covered.high)) return false;
    for (unsigned i = 0; i < picture->fixed_count; i++)
        if (!fixed_fits(word, &picture->fixed[i])) return false;
    for (unsigned i = 0; i < picture->piece_count; i++)
        if (!piece_fits(word, &picture->pieces[i])) return false;
    return fields_fit(word, picture->fields, picture->field_count);
}

/* ---- what it says ---------------------------------------------------------------------------- */

static void add_text(char *out, size_t room, const char *text)
{
    size_t length = strlen(out);
    snprintf(out + length, room - length, "%s", text);
}

static void add_suffixes(struct native_word word, const struct picture_field *fields,
                         unsigned count, char *out)
{
    for (unsigned i = 0; i < count; i++)
        add_text(out, NATIVE_SUFFIX_MAX, field_word(word, &fields[i]));
}

static void read_address(struct native_word word, const struct picture_piece *piece,
                         struct native_operand *out, char *suffix)
{
    out->number = NATIVE_RZ;
    for (unsigned i = 0; i < piece->part_count; i++) {
        const struct address_part *part = &piece->parts[i];
        uint64_t value = place_bits(word, &part->place);
        if (part->letter == 'R') {
            out->number = (uint16_t)value;
            out->has_register = value != NATIVE_RZ || !part->is_hidden_default;
            if (!out->has_register) continue;
        } else if (part->letter == 'U') {
            out->uniform = (uint16_t)value;
            out->has_uniform = part->is_always_written || value != NATIVE_URZ;
        } else {
            out->value =
                part->letter == 's' ? sign_extend(value, part->place.width) : (int64_t)value;
        }
        add_suffixes(word, part->fields, part->field_count, suffix);
    }
    bool is_plain = !*suffix || suffix[1] == 'X';
    bool is_absolute = out->number == NATIVE_RZ && !out->has_uniform && is_plain;
    const struct bit_place *place =
        piece->part_count ? &piece->parts[piece->part_count - 1].place : NULL;
    if (is_absolute && place && place->width >= 24) /* written unsigned */
        out->value &= (INT64_C(1) << place->width) - 1;
    if (!piece->has_descriptor) return;
    out->has_descriptor = true;
    out->descriptor = (uint16_t)(place_bits(word, &piece->descriptor) + piece->descriptor_follows);
}

static void read_index(struct native_word word, const struct picture_piece *piece,
                       struct native_operand *out)
{
    if (!piece->part_count) return;
    uint16_t number = (uint16_t)place_bits(word, &piece->parts[0].place);
    out->value = sign_extend((uint64_t)out->value, piece->place.width);
    out->has_uniform = piece->parts[0].letter == 'U';
    out->has_register = !out->has_uniform;
    *(out->has_uniform ? &out->uniform : &out->number) = number;
}

static int64_t target_of(uint64_t pc, char type, int64_t number)
{
    if (type == 'J') return 4 * number;
    return (int64_t)pc + NATIVE_WORD_BYTES + (type == 'l' ? number : 4 * number);
}

static uint8_t slot_of(const struct picture_piece *piece)
{
    bool has_one = piece->kind == NATIVE_REGISTER && piece->reuse_at >= NATIVE_REUSE_AT &&
                   piece->reuse_at < NATIVE_REUSE_AT + NATIVE_NO_SLOT;
    return has_one ? (uint8_t)(piece->reuse_at - NATIVE_REUSE_AT) : NATIVE_NO_SLOT;
}

static void read_operand(struct native_word word, uint64_t pc, const struct picture_piece *piece,
                         struct native_operand *out, char *suffix)
{
    uint64_t bits = place_bits(word, &piece->place);
    if (piece->is_complemented) bits ^= (UINT64_C(1) << piece->place.width) - 1;
    *out = (struct native_operand){.kind = piece->kind,
                                   .role = piece->role,
                                   .is_before_blank = piece->is_before_blank,
                                   .negate = flag_at(word, piece->negate_at),
                                   .absolute = flag_at(word, piece->absolute_at),
                                   .invert = flag_at(word, piece->invert_at),
                                   .reuse = flag_at(word, piece->reuse_at),
                                   .slot = slot_of(piece),
                                   .number = NATIVE_RZ};
    *suffix = '\0';
    switch (piece->kind) {
    case NATIVE_CONSTANT:
        out->value = (int64_t)(piece->place.width == 14 ? bits << 2 : bits);
        out->bank = (uint16_t)native_bits(word, 54, 5);
        read_index(word, piece, out);
        break;
    case NATIVE_ADDRESS:
        read_address(word, piece, out, suffix);
        break;
    case NATIVE_TARGET:
        out->value = target_of(pc, piece->type, sign_extend(bits, piece->place.width));
        break;
    case NATIVE_INTEGER:
        out->value = piece->type == 'D'   ? 4 * sign_extend(bits, piece->place.width)
                     : piece->type == 's' ? sign_extend(bits, piece->place.width)
                                          : (int64_t)bits;
        break;
    case NATIVE_F32:
    case NATIVE_F64:
    case NATIVE_HALVES:
    case NATIVE_BF16_HALVES:
    case NATIVE_HALF:
    case NATIVE_BF16:
    case NATIVE_SPECIAL:
    case NATIVE_SET:
        out->value = (int64_t)bits;
        break;
    default:
        out->number = (uint16_t)bits;
        break;
    }
    add_suffixes(word, piece->fields, piece->field_count, suffix);
}

static bool is_default(const struct native_operand *operand, unsigned default_value)
{
    switch (operand->kind) {
    case NATIVE_REGISTER:
        return operand->number == NATIVE_RZ;
    case NATIVE_UNIFORM:
        return operand->number == NATIVE_URZ;
    case NATIVE_PREDICATE:
    case NATIVE_UNIFORM_PREDICATE:
        return operand->number == NATIVE_PT && !operand->invert;
    case NATIVE_WORDS:
        return !*operand->suffix;
    default:
        return operand->value == default_value;
    }
}

static void read_word(unsigned target, struct native_word word, uint64_t pc,
                      const struct picture *picture, struct native_insn *out)
{
    unsigned count = 0;
    *out->opcode = '\0';
    add_text(out->opcode, sizeof out->opcode, picture->name);
    for (unsigned i = 0; i < picture->field_count; i++)
        add_text(out->opcode, sizeof out->opcode, field_word(word, &picture->fields[i]));
    out->guard = (uint8_t)native_bits(word, 12, 3);
    out->guard_inverted = native_bits(word, 15, 1);
    out->guard_uniform = picture->is_uniform;
    out->control = native_control_of(word);
    for (unsigned i = 0; i < picture->piece_count; i++) {
        const struct picture_piece *piece = &picture->pieces[i];
        read_operand(word, pc, piece, &out->operands[count], out->suffixes[count]);
        out->operands[count].suffix = out->suffixes[count];
        if (piece->kind == NATIVE_SPECIAL)
            out->operands[count].name =
                native_special_name(target, (unsigned)out->operands[count].value);
        out->operands[count].is_hidden =
            piece->is_hidden_default && is_default(&out->operands[count], piece->default_value);
        count++;
    }
    out->operand_count = (uint8_t)count;
}

bool native_decode(unsigned target, struct native_word word, uint64_t pc, struct native_insn *out)
{
    const struct pictures *all = pictures_all();
    for (uint32_t at = all->first[word.low & 0xfff]; at != PICTURE_NONE; at = all->items[at].next)
        if (fits(target, word, &all->items[at])) {
            read_word(target, word, pc, &all->items[at], out);
            return true;
        }
    return false;
}
