// SPDX-License-Identifier: Apache-2.0
#include "decode/native/listing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct listing_labels {
    int32_t section;
    uint64_t words;
    uint32_t *numbers; /* [words]: from 1; 0: no label */
};

/* ---- which functions ------------------------------------------------------------------------- */

/* "sgemm" of "ns::sgemm<float, 16>" */
static bool is_base_name(const char *display, const char *name)
{
    size_t end = strcspn(display, "<("), begin = end;
    while (begin > 0 && display[begin - 1] != ':')
        begin--;
    return strlen(name) == end - begin && !strncmp(display + begin, name, end - begin);
}

static bool is_wanted(const struct cubin_function *function, const char *name, unsigned way)
{
    switch (way) {
    case 0:
        return !strcmp(function->name, name);
    case 1:
        return !strcmp(function->display_name, name);
    default:
        return is_base_name(function->display_name, name);
    }
}

/* [section_count]: is its code wanted? By the exact name if there is such a function. */
static void want_sections(const struct cubin *cubin, const char *name, bool *wanted)
{
    for (uint32_t i = 0; i < cubin->section_count && !name; i++)
        wanted[i] = true;
    bool found = !name;
    for (unsigned way = 0; way < 3 && !found; way++)
        for (uint32_t i = 0; i < cubin->function_count; i++) {
            const struct cubin_function *one = &cubin->functions[i];
            if (!is_wanted(one, name, way)) continue;
            wanted[one->section] = found = true;
        }
}

static int compare_items(const void *a, const void *b)
{
    const struct cubin_function *x = ((const struct listing_item *)a)->function;
    const struct cubin_function *y = ((const struct listing_item *)b)->function;
    if (x->section != y->section) return x->section < y->section ? -1 : 1;
    if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
    if (x->is_entry != y->is_entry) return x->is_entry ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Of functions with one beginning (aliases) the first stays. */
static void divide(struct listing *listing)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < listing->count; i++) {
        const struct cubin_function *one = listing->items[i].function;
        const struct cubin_function *last = kept ? listing->items[kept - 1].function : NULL;
        if (last && last->section == one->section && last->offset == one->offset) continue;
        listing->items[kept++] = listing->items[i];
    }
    listing->count = kept;
    for (uint32_t i = 0; i < kept; i++) {
        const struct cubin_function *one = listing->items[i].function;
        bool is_last = i + 1 == kept || listing->items[i + 1].function->section != one->section;
        listing->items[i].end = is_last ? listing->cubin->sections[one->section].size
                                        : listing->items[i + 1].function->offset;
    }
}

void listing_create(const struct cubin *cubin, const char *kernel, struct listing *out)
{
    *out = (struct listing){.cubin = cubin};
    bool *wanted = mem_zalloc(cubin->section_count + 1, sizeof *wanted);
    want_sections(cubin, kernel, wanted);
    out->items = mem_zalloc(cubin->function_count + 1, sizeof *out->items);
    for (uint32_t i = 0; i < cubin->function_count; i++)
        if (wanted[cubin->functions[i].section])
            out->items[out->count++].function = &cubin->functions[i];
    mem_free(wanted);
    if (out->count) qsort(out->items, out->count, sizeof *out->items, compare_items);
    divide(out);
    out->labels = mem_zalloc(1, sizeof *out->labels);
    out->labels->section = -1;
}

void listing_clear(struct listing *listing)
{
    if (listing->labels) mem_free(listing->labels->numbers);
    mem_free(listing->labels);
    mem_free(listing->items);
    *listing = (struct listing){0};
}

/* ---- labels ---------------------------------------------------------------------------------- */

static struct native_operand *target_of(struct native_insn *insn)
{
    for (unsigned i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == NATIVE_TARGET) return &insn->operands[i];
    return NULL;
}

/* Is it an offset in the section? Not before the loader knows where functions lie. */
static bool is_local(const struct native_insn *insn)
{
    return !strstr(insn->opcode, ".ABS");
}

static void mark(struct listing_labels *labels, uint64_t offset)
{
    if (offset % NATIVE_WORD_BYTES == 0 && offset / NATIVE_WORD_BYTES < labels->words)
        labels->numbers[offset / NATIVE_WORD_BYTES] = 1;
}

static void mark_indirect(struct listing_labels *labels, const struct cubin *cubin, int32_t section)
{
    int32_t owner = cubin->sections[section].owner;
    if (owner < 0) return;
    for (uint32_t i = 0; i < cubin->functions[owner].branch_target_count; i++)
        mark(labels, cubin->functions[owner].branch_targets[i]);
}

static void find_labels(struct listing *listing, int32_t section)
{
    const struct cubin *cubin = listing->cubin;
    const struct cubin_section *code = &cubin->sections[section];
    struct listing_labels *labels = listing->labels;
    if (labels->section == section) return;
    mem_free(labels->numbers);
    *labels = (struct listing_labels){.section = section, .words = code->size / NATIVE_WORD_BYTES};
    labels->numbers = mem_zalloc(labels->words + 1, sizeof *labels->numbers);
    for (uint64_t at = 0; at < code->size; at += NATIVE_WORD_BYTES) {
        struct native_insn insn;
        if (!native_decode(cubin->target, cubin_word(code->bytes + at), at, &insn)) continue;
        const struct native_operand *target = target_of(&insn);
        if (target && is_local(&insn) && !cubin_find_relocation(cubin, section, at))
            mark(labels, (uint64_t)target->value);
    }
    mark_indirect(labels, cubin, section);
    /* Functions are their own labels. */
    for (uint32_t i = 0; i < listing->count; i++)
        if (listing->items[i].function->section == section)
            labels->numbers[listing->items[i].function->offset / NATIVE_WORD_BYTES] = 0;
    uint32_t count = 0;
    for (uint64_t i = 0; i < labels->words; i++)
        if (labels->numbers[i]) labels->numbers[i] = ++count;
}

/* The item that begins there; NULL: none. */
static const struct cubin_function *beginning(const struct listing *listing, int32_t section,
                                              uint64_t offset)
{
    struct cubin_function wanted = {.section = section, .offset = offset};
    uint32_t low = 0, high = listing->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct cubin_function *one = listing->items[middle].function;
        bool is_before = one->section < wanted.section ||
                         (one->section == wanted.section && one->offset < wanted.offset);
        if (is_before)
            low = middle + 1;
        else
            high = middle;
    }
    const struct cubin_function *found = low < listing->count ? listing->items[low].function : NULL;
    return found && found->section == section && found->offset == offset ? found : NULL;
}

static const char *label_at(const struct listing *listing, struct arena *arena, int32_t section,
                            uint64_t offset)
{
    const struct listing_labels *labels = listing->labels;
    uint64_t word = offset / NATIVE_WORD_BYTES;
    const struct cubin_function *function = beginning(listing, section, offset);
    if (function) return function->name;
    if (offset % NATIVE_WORD_BYTES || word >= labels->words || !labels->numbers[word]) return NULL;
    return arena_format(arena, ".L_%u", labels->numbers[word]);
}

/* ---- rows ------------------------------------------------------------------------------------ */

const char *listing_symbol(const struct cubin *cubin, struct arena *arena,
                           const struct cubin_relocation *relocation)
{
    const struct cubin_symbol *symbol = &cubin->symbols[relocation->symbol];
    const struct cubin_relocation_kind *kind = cubin_relocation_kind(relocation->type);
    bool is_half = kind->parts[0].width == 32 && kind->parts[0].at == 32;
    const char *before = !is_half ? "" : kind->parts[0].shift ? "hi(" : "lo(";
    const char *after = is_half ? ")" : "", *sign = relocation->addend < 0 ? "-" : "+";
    uint64_t size =
        relocation->addend < 0 ? 0 - (uint64_t)relocation->addend : (uint64_t)relocation->addend;
    if (!relocation->addend) return arena_format(arena, "%s%s%s", before, symbol->name, after);
    return arena_format(arena, "%s%s%s0x%" PRIx64 "%s", before, symbol->name, sign, size, after);
}

struct native_operand *listing_relocated_operand(struct native_insn *insn)
{
    struct native_operand *target = target_of(insn), *immediate = NULL;
    for (unsigned i = 0; i < insn->operand_count && !target; i++) {
        struct native_operand *one = &insn->operands[i];
        if (one->kind != NATIVE_INTEGER || one->is_hidden) continue;
        if (immediate) return NULL;
        immediate = one;
    }
    return target ? target : immediate;
}

static void name_operands(const struct listing *listing, struct arena *arena, int32_t section,
                          struct native_insn *insn, struct listing_row *row)
{
    struct native_operand *operand;
    if (row->relocation) {
        const char *symbol = listing_symbol(listing->cubin, arena, row->relocation);
        operand = listing_relocated_operand(insn);
        if (operand)
            operand->label = symbol;
        else
            row->symbol = symbol;
    } else if (is_local(insn) && (operand = target_of(insn))) {
        operand->label = label_at(listing, arena, section, (uint64_t)operand->value);
    }
}

/* Where an indirect branch may go, as the file tells; NULL: it does not. */
static const char *branch_text(const struct listing *listing, struct arena *arena, int32_t section,
                               uint64_t at)
{
    int32_t owner = listing->cubin->sections[section].owner;
    const struct cubin_function *f = owner < 0 ? NULL : &listing->cubin->functions[owner];
    for (uint32_t i = 0; f && i < f->branch_count; i++) {
        struct strbuf text = {0};
        if (f->branches[i].offset != at) continue;
        strbuf_puts(&text, "to");
        for (uint32_t k = 0; k < f->branches[i].count; k++) {
            uint32_t target = f->branch_targets[f->branches[i].first + k];
            const char *label = label_at(listing, arena, section, target);
            strbuf_printf(&text, "%s %s", k ? "," : "", label ? label : "?");
        }
        const char *result = arena_copy(arena, text.data);
        strbuf_clear(&text);
        return result;
    }
    return NULL;
}

static void read_row(struct listing *listing, struct arena *arena, int32_t section, uint64_t at,
                     struct listing_row *row)
{
    const struct cubin *cubin = listing->cubin;
    struct native_insn insn;
    struct strbuf text = {0};
    *row = (struct listing_row){
        .offset = at,
        .word = cubin_word(cubin->sections[section].bytes + at),
        .relocation = cubin_find_relocation(cubin, section, at),
        .line = cubin_find_line(cubin->lines, cubin->line_count, section, at),
        .ptx_line = cubin_find_line(cubin->ptx_lines, cubin->ptx_line_count, section, at),
    };
    row->control = native_control_of(row->word);
    row->is_known = native_decode(cubin->target, row->word, at, &insn);
    if (listing->labels->numbers[at / NATIVE_WORD_BYTES])
        row->label = label_at(listing, arena, section, at);
    if (row->is_known) {
        name_operands(listing, arena, section, &insn, row);
        native_print_guard(&insn, &text);
        native_print(&insn, &text);
        if (!row->symbol && !strncmp(insn.opcode, "BRX", 3))
            row->symbol = branch_text(listing, arena, section, at);
    } else if (row->relocation) {
        row->symbol = listing_symbol(cubin, arena, row->relocation);
    }
    row->text = row->is_known ? arena_copy(arena, text.data) : "?";
    strbuf_clear(&text);
}

struct listing_row *listing_read(struct listing *listing, struct arena *arena, uint32_t item,
                                 size_t *out_count)
{
    const struct cubin_function *function = listing->items[item].function;
    uint64_t end = listing->items[item].end;
    size_t count = 0;
    find_labels(listing, function->section);
    struct listing_row *rows =
        ARENA_ARRAY(arena, struct listing_row, (end - function->offset) / NATIVE_WORD_BYTES + 1);
    for (uint64_t at = function->offset; at < end; at += NATIVE_WORD_BYTES)
        read_row(listing, arena, function->section, at, &rows[count++]);
    *out_count = count;
    return rows;
}
