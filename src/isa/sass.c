// SPDX-License-Identifier: Apache-2.0
#include "isa/sass.h"

#include <string.h>

static const struct sass_op ops[] = {
#define SASS(text, class, kin, words, flow)                                                        \
    {text, CLASS_##class, SASS_WORDS_##words, SASS_FLOW_##flow, OP_##kin},
#define SASS_FORM(text, modifier, class)
#include "isa/sass_ops.def"
#undef SASS
#undef SASS_FORM
};

static const struct {
    const char *name, *modifier;
    uint8_t class_id;
} forms[] = {
#define SASS(text, class, kin, words, flow)
#define SASS_FORM(text, modifier, class) {text, modifier, CLASS_##class},
#include "isa/sass_ops.def"
#undef SASS
#undef SASS_FORM
};

enum { OP_ROWS = sizeof ops / sizeof *ops, FORM_ROWS = sizeof forms / sizeof *forms };

const struct sass_op *sass_find(const char *opcode)
{
    size_t length = strcspn(opcode, ".");
    for (size_t i = 0; i < OP_ROWS; i++)
        if (*ops[i].name == *opcode && !strncmp(ops[i].name, opcode, length) &&
            !ops[i].name[length])
            return &ops[i];
    return NULL;
}

bool sass_has_modifier(const char *opcode, const char *modifier)
{
    size_t length = strlen(modifier);
    for (const char *at = strchr(opcode, '.'); at; at = strchr(at + 1, '.'))
        if (!strncmp(at + 1, modifier, length) && (!at[length + 1] || at[length + 1] == '.'))
            return true;
    return false;
}

enum insn_class sass_class(const struct sass_op *op, const char *opcode)
{
    for (size_t i = 0; i < FORM_ROWS; i++)
        if (!strcmp(forms[i].name, op->name) && sass_has_modifier(opcode, forms[i].modifier))
            return (enum insn_class)forms[i].class_id;
    return (enum insn_class)op->class_id;
}

const char *sass_name(enum insn_class class_id)
{
    static const char *const names[CLASS_COUNT] = {
#define SASS_NAME(class, text) [CLASS_##class] = text,
#include "isa/sass_names.def"
#undef SASS_NAME
    };
    return names[class_id];
}

int class_find(const char *id)
{
    for (int i = 0; i < CLASS_COUNT; i++)
        if (!strcmp(class_ids[i], id)) return i;
    return -1;
}

unsigned sass_access_bytes(const struct sass_op *op, const char *opcode, unsigned recorded)
{
    static const struct {
        const char *modifier;
        unsigned bytes;
    } widths[] = {{"U8", 1}, {"S8", 1}, {"8", 1},  {"U16", 2}, {"S16", 2},
                  {"16", 2}, {"32", 4}, {"64", 8}, {"128", 16}};
    if (op && (!strcmp(op->name, "LDSM") || !strcmp(op->name, "STSM"))) return 16;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        if (sass_has_modifier(opcode, widths[i].modifier)) return widths[i].bytes;
    bool is_width = recorded && recorded <= 16 && !(recorded & (recorded - 1));
    return is_width ? recorded : 4;
}

/* ---- operands -------------------------------------------------------------------------------- */

/* 32-bit registers of the destination and of each source. */
struct word_counts {
    unsigned destination, sources[SASS_SOURCES_MAX];
};

static bool is_wide_type(const char *word)
{
    return !strncmp(word, "F64", 3) || !strncmp(word, "S64", 3) || !strncmp(word, "U64", 3);
}

/* F2F.F64.F32: destination first. F2I.F64 and I2F.F64 name one side only: the floating-point one.
 * FRND.F64 has both of that type. */
static void count_conversion(const struct sass_op *op, const char *opcode, struct word_counts *out)
{
    const char *first = strchr(opcode, '.');
    const char *second = first ? strchr(first + 1, '.') : NULL;
    bool first_wide = first && is_wide_type(first + 1);
    bool second_wide = second && is_wide_type(second + 1);
    bool from_float = !strcmp(op->name, "F2I"), both = !strcmp(op->name, "FRND");
    bool first_is_source = from_float ? first && first[1] == 'F' : first && first[1] != 'F';
    if (first_wide && (both || !first_is_source)) out->destination = 2;
    if ((first_wide && (both || first_is_source)) || second_wide) out->sources[0] = 2;
}

/* Shapes of mma of the PTX ISA: A is m x k, B k x n, C and D m x n over 32 lanes. An upper bound of
 * four registers does for all of them but Volta's .884 and the newest sparse ones. */
static void count_matrix(const char *opcode, struct word_counts *out)
{
    bool is_small = sass_has_modifier(opcode, "884") || sass_has_modifier(opcode, "8816") ||
                    sass_has_modifier(opcode, "8832");
    out->destination = sass_has_modifier(opcode, "F16") || is_small ? 2 : 4;
    out->sources[0] = is_small ? 1 : sass_has_modifier(opcode, "1688") ? 2 : 4;
    out->sources[1] = is_small || sass_has_modifier(opcode, "1688") ? 1 : 2;
    out->sources[2] = out->destination;
}

static void count_data(const struct sass_op *op, const struct sass_text *text, unsigned bytes,
                       struct word_counts *out)
{
    unsigned data = (bytes + 3) / 4;
    bool is_wide_address = sass_has_modifier(text->opcode, "E") || !strcmp(op->name, "ATOM") ||
                           !strcmp(op->name, "RED");
    if (!strcmp(op->name, "LDSM") || !strcmp(op->name, "STSM")) data = 1;
    if (sass_has_modifier(text->opcode, "4")) data = 4; /* LDSM.16.M88.4 */
    out->destination = data;
    out->sources[0] = is_wide_address ? 2 : 1;
    for (unsigned i = 1; i < text->source_count; i++)
        out->sources[i] = data;
}

static void count_words(const struct sass_op *op, const struct sass_text *text, unsigned bytes,
                        struct word_counts *out)
{
    bool is_pair = op && op->words == SASS_WORDS_PAIR && !sass_has_modifier(text->opcode, "32");
    unsigned words = is_pair ? 2 : 1; /* CS2R.32 */
    out->destination = words;
    for (unsigned i = 0; i < SASS_SOURCES_MAX; i++)
        out->sources[i] = words;
    if (!op) return;
    bool is_wide = sass_has_modifier(text->opcode, "WIDE");
    switch (op->words) {
    case SASS_WORDS_MATRIX:
        count_matrix(text->opcode, out);
        break;
    case SASS_WORDS_DATA:
        count_data(op, text, bytes, out);
        break;
    case SASS_WORDS_CONVERSION:
        count_conversion(op, text->opcode, out);
        break;
    case SASS_WORDS_MULTIPLY: /* the addend is as wide as the result */
        out->destination = is_wide ? 2 : 1;
        out->sources[2] = out->destination;
        break;
    default:
        break;
    }
}

static unsigned add_words(struct operand *operands, unsigned at, unsigned reg, unsigned words)
{
    for (unsigned i = 0; i < words && at < OPERANDS_USUAL; i++) {
        if (reg == SASS_ZERO || reg + i >= SASS_ZERO) break;
        operands[at++] =
            (struct operand){.kind = OPERAND_REGISTER, .reg = (int32_t)(1 + reg + i), .symbol = -1};
    }
    return at;
}

/* ---- instructions ---------------------------------------------------------------------------- */

static bool is_memory_class(enum insn_class id)
{
    return id >= CLASS_MEM_GLOBAL_LOAD && id <= CLASS_MEM_SURFACE_ATOMIC;
}

static enum mem_space space_of(const struct sass_op *op, enum insn_class id)
{
    static const uint8_t spaces[] = {SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_CONST,
                                     SPACE_PARAM,  SPACE_NONE,   SPACE_NONE};
    if (!is_memory_class(id)) return SPACE_NONE;
    if (op && (!strcmp(op->name, "LD") || !strcmp(op->name, "ST") || !strcmp(op->name, "ATOM")))
        return SPACE_GENERIC;
    return (enum mem_space)spaces[(id - CLASS_MEM_GLOBAL_LOAD) / 3];
}

static enum ptx_type type_of(enum insn_class id, unsigned bytes)
{
    static const uint8_t by_bytes[] = {
        [1] = TYPE_B8, [2] = TYPE_B16, [4] = TYPE_B32, [8] = TYPE_B64, [16] = TYPE_B128};
    if (is_memory_class(id)) return (enum ptx_type)by_bytes[bytes];
    if (id >= CLASS_FP64_ADD && id <= CLASS_FP64_DIV) return TYPE_F64;
    if (id <= CLASS_FP32_DIV) return TYPE_F32;
    if (id == CLASS_FP16) return TYPE_F16X2;
    return id == CLASS_BF16 ? TYPE_BF16X2 : TYPE_B32;
}

/* .STRONG must see what others wrote; the older sets write .CG and .CV as PTX does. */
static void set_cache(const char *opcode, struct insn *out)
{
    if (sass_has_modifier(opcode, "CG")) out->cache_op = CACHE_CG;
    if (sass_has_modifier(opcode, "CV")) out->cache_op = CACHE_CV;
    if (sass_has_modifier(opcode, "STRONG")) out->semantics = MEM_RELAXED;
    if (sass_has_modifier(opcode, "CONSTANT")) out->flags |= INSN_NC;
}

static uint8_t barrier_kind(const char *opcode)
{
    if (sass_has_modifier(opcode, "ARV")) return SUB_ARRIVE;
    return sass_has_modifier(opcode, "RED") ? SUB_RED_POPC : SUB_SYNC;
}

/* What an unknown opcode of this class is like. */
static uint16_t kin_of_class(enum insn_class id)
{
    if (id == CLASS_CONTROL || id == CLASS_BARRIER || id == CLASS_FENCE) return OP_NANOSLEEP;
    if (!is_memory_class(id)) return OP_PMEVENT;
    static const uint16_t kin[] = {OP_LD, OP_ST, OP_ATOM};
    return kin[(id - CLASS_MEM_GLOBAL_LOAD) % 3];
}

void sass_decode(const struct sass_op *op, enum insn_class class_id, const struct sass_text *text,
                 struct insn *out)
{
    struct word_counts words = {0};
    unsigned bytes = sass_access_bytes(op, text->opcode, text->access_bytes), at = 0;
    *out = (struct insn){.op = op ? op->kin : kin_of_class(class_id),
                         .class_id = (uint8_t)class_id,
                         .type = (uint8_t)type_of(class_id, bytes),
                         .space = (uint8_t)space_of(op, class_id),
                         .vector = 1,
                         .guard = -1,
                         .text = text->opcode};
    count_words(op, text, bytes, &words);
    if (text->destination_count)
        at = add_words(out->operands, at, text->destinations[0], words.destination);
    out->ndst = (uint8_t)at;
    for (unsigned i = 0; i < text->source_count; i++)
        at = add_words(out->operands, at, text->sources[i], words.sources[i]);
    out->nsrc = (uint8_t)(at - out->ndst);
    if (is_memory_class(class_id)) set_cache(text->opcode, out);
    if (op && op->flow == SASS_FLOW_BARRIER) out->sub_op = barrier_kind(text->opcode);
    /* Whether there is a guard is not recorded: it may be false in some lanes. */
    if (op && (op->flow == SASS_FLOW_BRANCH || op->flow == SASS_FLOW_EXIT)) out->guard = 0;
    out->units = insn_units(out);
}
