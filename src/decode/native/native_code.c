// SPDX-License-Identifier: Apache-2.0
/* Words of code become instructions (lower.h), and each kernel gets all code that it may reach in one list. */
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "decode/native/listing.h"
#include "decode/native/native_filling.h"

/* ---- words ----------------------------------------------------------------------------------- */

static void put_bits(struct native_word *word, unsigned at, unsigned width, uint64_t value)
{
    for (unsigned i = 0; i < width; i++) {
        uint64_t *half = at + i < 64 ? &word->low : &word->high;
        uint64_t bit = UINT64_C(1) << ((at + i) % 64);
        *half = value >> i & 1 ? *half | bit : *half & ~bit;
    }
}

/* Equal texts are one, as those of PTX (decode/mnemonic.c). */
static const char *share_text(struct filling *f, const char *text)
{
    uint32_t low = 0, high = f->text_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(f->texts[middle], text);
        if (!order) return f->texts[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    GROW(f->texts, f->text_count, f->text_room);
    memmove(f->texts + low + 1, f->texts + low, (f->text_count++ - low) * sizeof *f->texts);
    return f->texts[low] = arena_copy(f->arena, text);
}

/* A word of a kernel's code: where it stands, and what becomes of it. */
struct word_place {
    const int32_t *banks;
    int32_t section;
    uint64_t offset;
    struct insn *insn;
    uint64_t *target;    /* of a branch, UINT64_MAX: none */
    const char *refused; /* out: what is not executed; NULL: nothing */
};

/* The bits that the word has after its relocation; a variable's address is for the instruction to fill in. */
static ws_status relocate_word(struct filling *f, const struct word_place *place,
                               struct lowering *l, struct native_word *word)
{
    const struct cubin_relocation *relocation =
        cubin_find_relocation(f->cubin, place->section, place->offset);
    struct meaning meaning = {.variable = -1};
    if (!relocation) return WS_OK;
    const struct cubin_relocation_kind *kind = cubin_relocation_kind(relocation->type);
    if (!kind || !filling_understand(f, relocation, &meaning)) return filling_refuse(f, relocation);
    int32_t section = f->cubin->symbols[relocation->symbol].section;
    bool is_constant = section >= 0 && f->cubin->sections[section].kind == CUBIN_CONSTANT;
    if (is_constant && !kind->is_generic) meaning.variable = -1; /* its offset in its bank */
    if (is_constant && kind->takes_bank) put_bits(word, 54, 5, f->cubin->sections[section].bank);
    l->symbol = meaning.variable;
    l->addend = meaning.value;
    l->symbol_shift = kind->parts[0].shift;
    for (unsigned p = 0; meaning.variable < 0 && p < CUBIN_RELOCATION_PARTS; p++)
        put_bits(word, kind->parts[p].at, kind->parts[p].width,
                 (uint64_t)meaning.value >> kind->parts[p].shift);
    return WS_OK;
}

static const char *refused_text(struct filling *f, const struct native_insn *in)
{
    struct strbuf text = {0};
    native_print(in, &text);
    const char *out = arena_format(f->arena, "instruction '%s'", text.data);
    strbuf_clear(&text);
    return out;
}

/* One word to an instruction. */
static ws_status read_insn(struct filling *f, struct word_place *place)
{
    struct native_word word = cubin_word(f->cubin->sections[place->section].bytes + place->offset);
    struct native_insn in;
    struct insn *out = place->insn;
    struct lowering l = {.in = &in,
                         .out = out,
                         .arena = f->arena,
                         .target = f->cubin->target,
                         .pc = f->code_address[place->section] + place->offset,
                         .symbol = -1,
                         .banks = place->banks};
    TRY(relocate_word(f, place, &l, &word));
    place->refused = NULL;
    *out = (struct insn){.vector = 1, .guard = -1, .op = OP_TRAP, .class_id = CLASS_OTHER};
    *place->target = UINT64_MAX;
    if (!native_decode(f->cubin->target, word, l.pc, &in)) {
        out->text = arena_format(f->arena, "%016llx%016llx", (unsigned long long)word.high,
                                 (unsigned long long)word.low);
        place->refused = arena_format(f->arena, "word 0x%s of sm_%u at 0x%llx", out->text,
                                      f->cubin->target, (unsigned long long)place->offset);
        return WS_OK;
    }
    out->text = share_text(f, in.opcode);
    for (unsigned i = 0; i < in.operand_count; i++)
        if (in.operands[i].kind == NATIVE_TARGET) *place->target = (uint64_t)in.operands[i].value;
    const struct sass_op *op = sass_find(in.opcode);
    if (in.guard == NATIVE_PT && in.guard_inverted) { /* never */
        out->op = OP_N_NOP;
    } else if (!native_lower(&l)) {
        place->refused = refused_text(f, &in);
        *out = (struct insn){.vector = 1, .guard = -1, .op = OP_TRAP, .text = out->text};
    }
    if (in.guard != NATIVE_PT) {
        out->guard = (in.guard_uniform ? VREG_UP : VREG_P) + in.guard;
        if (in.guard_inverted) out->flags |= INSN_NEG_GUARD;
    }
    out->control = native_insn_control(&in);
    out->class_id = op ? (uint8_t)sass_class(op, in.opcode) : (uint8_t)insn_classify(out);
    out->units = insn_units(out);
    return WS_OK;
}

/* ---- a kernel's code ------------------------------------------------------------------------- */

static void reach_section(struct kernel *k, int32_t section)
{
    for (uint32_t i = 0; i < k->section_count; i++)
        if (k->sections[i] == section) return;
    k->sections[k->section_count++] = section;
}

/* Kernels are not called, but launched. What libcudadevrt has in tables are its kernels. */
static bool is_entry(const struct filling *f, int32_t section)
{
    for (uint32_t i = 0; i < f->cubin->entry_count; i++)
        if (f->cubin->functions[i].section == section) return true;
    return false;
}

static void reach_relocated(const struct filling *f, struct kernel *k,
                            const struct cubin_section *section)
{
    for (uint32_t r = 0; r < section->relocation_count; r++) {
        uint32_t symbol = f->cubin->relocations[section->relocation_first + r].symbol;
        int32_t to = f->cubin->symbols[symbol].section;
        bool is_code = to >= 0 && f->cubin->sections[to].kind == CUBIN_CODE;
        if (is_code && !builtin_of_symbol(&f->cubin->symbols[symbol]) && !is_entry(f, to))
            reach_section(k, to);
    }
}

/* Its own section, those that code of it names, and those that tables of functions name. */
static void reach_code(const struct filling *f, struct kernel *k)
{
    k->sections = ARENA_ARRAY(f->arena, int32_t, f->cubin->section_count + 1);
    reach_section(k, k->function->section);
    for (uint32_t s = 0; s < f->cubin->section_count; s++)
        if (f->cubin->sections[s].kind != CUBIN_CODE) reach_relocated(f, k, &f->cubin->sections[s]);
    for (uint32_t i = 0; i < k->section_count; i++)
        reach_relocated(f, k, &f->cubin->sections[k->sections[i]]);
}

static void find_banks(const struct filling *f, struct kernel *k)
{
    int32_t own = (int32_t)(k->function - f->cubin->functions);
    for (unsigned b = 0; b < NATIVE_BANKS; b++)
        k->banks[b] = -1;
    for (uint32_t s = 0; s < f->cubin->section_count; s++) {
        const struct cubin_section *section = &f->cubin->sections[s];
        bool is_mine = section->owner < 0 || section->owner == own;
        if (f->section_variable[s] >= 0 && is_mine && section->bank < NATIVE_BANKS)
            k->banks[section->bank] = f->section_variable[s];
    }
}

static void set_source(const struct filling *f, int32_t section, uint64_t offset, struct insn *out)
{
    const struct cubin_line *line =
        cubin_find_line(f->cubin->lines, f->cubin->line_count, section, offset);
    if (!line || !line->line) return;
    out->source_file = f->first_file + line->file;
    out->source_line = line->line;
}

static void set_place(const struct filling *f, int32_t section, uint64_t offset,
                      struct native_place *out)
{
    const struct cubin *cubin = f->cubin;
    const struct cubin_line *line =
        cubin_find_line(cubin->ptx_lines, cubin->ptx_line_count, section, offset);
    const struct cubin_relocation *relocation = cubin_find_relocation(cubin, section, offset);
    const struct native_word word = cubin_word(cubin->sections[section].bytes + offset);
    *out = (struct native_place){
        .low = word.low,
        .high = word.high,
        .offset = (uint32_t)offset,
        .ptx_line = line ? line->line : 0,
        .symbol = relocation ? listing_symbol(cubin, f->arena, relocation) : NULL,
    };
}

static void note_unsupported(const struct filling *f, struct kernel *k, const char *what,
                             uint32_t line)
{
    if (!k->unsupported)
        k->unsupported = ARENA_ARRAY(f->arena, struct unsupported, k->insn_count + 1);
    k->unsupported[k->unsupported_count++] = (struct unsupported){what, line};
}

static int compare_ranges(const void *left, const void *right)
{
    const struct code_range *a = left, *b = right;
    return a->address < b->address ? -1 : a->address > b->address;
}

ws_status kernel_read_code(struct filling *f, struct kernel *k)
{
    reach_code(f, k);
    find_banks(f, k);
    for (uint32_t i = 0; i < k->section_count; i++)
        k->insn_count += (uint32_t)(f->cubin->sections[k->sections[i]].size / NATIVE_WORD_BYTES);
    k->insns = ARENA_ARRAY(f->arena, struct insn, k->insn_count + 1);
    k->places = ARENA_ARRAY(f->arena, struct native_place, k->insn_count + 1);
    k->targets = ARENA_ARRAY(f->arena, uint64_t, k->insn_count + 1);
    k->leads = ARENA_ARRAY(f->arena, bool, k->insn_count + 1);
    k->ranges = ARENA_ARRAY(f->arena, struct code_range, k->section_count + 1);
    uint32_t at = 0;
    for (uint32_t i = 0; i < k->section_count; i++) {
        int32_t s = k->sections[i];
        uint64_t size = f->cubin->sections[s].size / NATIVE_WORD_BYTES * NATIVE_WORD_BYTES;
        k->ranges[k->range_count++] = (struct code_range){f->code_address[s], size, at};
        k->leads[at] = true;
        for (uint64_t offset = 0; offset < size; offset += NATIVE_WORD_BYTES, at++) {
            struct insn *insn = &k->insns[at];
            struct word_place place = {.banks = k->banks,
                                       .section = s,
                                       .offset = offset,
                                       .insn = insn,
                                       .target = &k->targets[at]};
            TRY(read_insn(f, &place));
            insn->line = at * NATIVE_WORD_BYTES;
            set_source(f, s, offset, insn);
            set_place(f, s, offset, &k->places[at]);
            if (place.refused) note_unsupported(f, k, place.refused, insn->line);
        }
    }
    qsort(k->ranges, k->range_count, sizeof *k->ranges, compare_ranges);
    return WS_OK;
}
