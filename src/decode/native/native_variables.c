// SPDX-License-Identifier: Apache-2.0
/* Sections of data become variables, and relocations what they mean. Sections of code lie in an address space of
 * their own, where calls through registers find them. */
#include <stdlib.h>
#include <string.h>

#include "decode/native/native_filling.h"

enum { SECTION_GAP = 4096 };

/* ---- addresses and variables ----------------------------------------------------------------- */

void filling_place_code(struct filling *f)
{
    for (uint32_t s = 0; s < f->cubin->section_count; s++) {
        if (f->cubin->sections[s].kind != CUBIN_CODE) continue;
        f->code_address[s] = f->code_end;
        f->code_end += (f->cubin->sections[s].size / SECTION_GAP + 2) * SECTION_GAP;
    }
}

struct variable *filling_add_variable(struct filling *f, const char *name, enum mem_space space,
                                      uint64_t bytes)
{
    struct variable *variable = &f->variables[f->variable_count++];
    *variable = (struct variable){.name = arena_copy(f->arena, name),
                                  .space = (uint8_t)space,
                                  .type = TYPE_B8,
                                  .function = -1,
                                  .alignment = 256,
                                  .bytes = bytes};
    return variable;
}

static void copy_contents(struct filling *f, const struct cubin_section *section, uint64_t offset,
                          struct variable *variable)
{
    if (!section->bytes || offset > section->size || variable->bytes > section->size - offset)
        return;
    uint8_t *bytes = arena_alloc(f->arena, variable->bytes + 1);
    memcpy(bytes, section->bytes + offset, variable->bytes);
    variable->init = bytes;
}

static void add_section_variables(struct filling *f)
{
    for (uint32_t s = 0; s < f->cubin->section_count; s++) {
        const struct cubin_section *section = &f->cubin->sections[s];
        f->section_variable[s] = -1;
        if (section->kind != CUBIN_CONSTANT || section->bank == 0 || !section->size) continue;
        f->section_variable[s] = (int32_t)f->variable_count;
        copy_contents(f, section, 0,
                      filling_add_variable(f, section->name, SPACE_CONST, section->size));
    }
}

static void add_symbol_variables(struct filling *f)
{
    for (uint32_t i = 0; i < f->cubin->symbol_count; i++) {
        const struct cubin_symbol *symbol = &f->cubin->symbols[i];
        f->symbol_variable[i] = -1;
        if (symbol->kind != CUBIN_SYMBOL_DATA || symbol->section < 0 || !symbol->size) continue;
        const struct cubin_section *section = &f->cubin->sections[symbol->section];
        bool is_global = section->kind == CUBIN_GLOBAL || section->kind == CUBIN_GLOBAL_INIT;
        int32_t whole = f->section_variable[symbol->section];
        if (!is_global && whole < 0) continue;
        f->symbol_variable[i] = (int32_t)f->variable_count;
        struct variable *variable = filling_add_variable(
            f, symbol->name, is_global ? SPACE_GLOBAL : SPACE_CONST, symbol->size);
        variable->offset = symbol->offset;
        if (is_global)
            copy_contents(f, section, symbol->offset, variable);
        else
            variable->part_of = whole + 1;
    }
}

static int compare_places(const void *left, const void *right)
{
    const struct placed_symbol *a = left, *b = right;
    if (a->section != b->section) return a->section < b->section ? -1 : 1;
    if (a->offset != b->offset) return a->offset < b->offset ? -1 : 1;
    return a->symbol < b->symbol ? -1 : a->symbol > b->symbol;
}

static void place_symbols(struct filling *f)
{
    f->placed = ARENA_ARRAY(f->arena, struct placed_symbol, f->cubin->symbol_count + 1);
    f->placed_count = 0;
    for (uint32_t i = 0; i < f->cubin->symbol_count; i++) {
        const struct cubin_symbol *symbol = &f->cubin->symbols[i];
        if (f->symbol_variable[i] >= 0)
            f->placed[f->placed_count++] =
                (struct placed_symbol){symbol->section, i, symbol->offset};
    }
    qsort(f->placed, f->placed_count, sizeof *f->placed, compare_places);
}

/* The variable that holds an offset of a section, and the offset in it; -1: none. */
static int32_t find_variable(const struct filling *f, int32_t section, uint64_t offset,
                             uint64_t *out_offset)
{
    if (section < 0) return -1;
    *out_offset = offset;
    if (f->section_variable[section] >= 0) return f->section_variable[section];
    uint32_t low = 0, high = f->placed_count; /* the last that begins there or before: low - 1 */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct placed_symbol *one = &f->placed[middle];
        bool is_before =
            one->section < section || (one->section == section && one->offset <= offset);
        if (is_before)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low) return -1;
    const struct placed_symbol *one = &f->placed[low - 1];
    *out_offset = offset - one->offset;
    if (one->section != section || *out_offset >= f->cubin->symbols[one->symbol].size) return -1;
    return f->symbol_variable[one->symbol];
}

enum builtin builtin_of_symbol(const struct cubin_symbol *symbol)
{
    enum builtin found = builtin_find(symbol->name);
    return symbol->is_undefined || builtin_replaces(found) ? found : BUILTIN_NONE;
}

bool filling_understand(const struct filling *f, const struct cubin_relocation *relocation,
                        struct meaning *out)
{
    const struct cubin_symbol *symbol = &f->cubin->symbols[relocation->symbol];
    int64_t at = (int64_t)symbol->offset + relocation->addend;
    enum builtin builtin = builtin_of_symbol(symbol);
    if (builtin) at = (int64_t)native_builtin_address(builtin) + relocation->addend;
    *out = (struct meaning){.variable = -1, .value = at};
    if (builtin) return true;
    if (symbol->is_undefined &&
        symbol->is_shared) { /* extern __shared__ of code that is not linked */
        out->value += (int64_t)f->dynamic_shared;
        return true;
    }
    if (symbol->section < 0) return false;
    const struct cubin_section *section = &f->cubin->sections[symbol->section];
    switch (section->kind) {
    case CUBIN_CODE:
        out->value += (int64_t)f->code_address[symbol->section];
        return true;
    case CUBIN_SHARED:
        return true;
    default: {
        uint64_t offset = 0;
        out->variable = find_variable(f, symbol->section, (uint64_t)at, &offset);
        out->value = (int64_t)offset;
        return out->variable >= 0;
    }
    }
}

ws_status filling_refuse(struct filling *f, const struct cubin_relocation *relocation)
{
    const struct cubin_relocation_kind *kind = cubin_relocation_kind(relocation->type);
    const struct cubin_symbol *symbol = &f->cubin->symbols[relocation->symbol];
    if (symbol->is_undefined)
        return diag_error(f->diag, WS_ERR_UNSUPPORTED,
                          "%s: symbol '%s', which %s+0x%llx refers to, is not defined in this "
                          "file; link it first (nvlink, or nvcc -dlink)",
                          f->cubin->path, symbol->name,
                          f->cubin->sections[relocation->section].name,
                          (unsigned long long)relocation->offset);
    return diag_error(f->diag, WS_ERR_UNSUPPORTED,
                      "%s: relocation %s (%u) of symbol '%s' at %s+0x%llx is not supported",
                      f->cubin->path, kind ? kind->name : "of unknown type", relocation->type,
                      symbol->name, f->cubin->sections[relocation->section].name,
                      (unsigned long long)relocation->offset);
}

/* ---- relocations of data --------------------------------------------------------------------- */

static ws_status relocate_data(struct filling *f, const struct cubin_section *section)
{
    for (uint32_t r = 0; r < section->relocation_count; r++) {
        const struct cubin_relocation *relocation =
            &f->cubin->relocations[section->relocation_first + r];
        const struct cubin_relocation_kind *kind = cubin_relocation_kind(relocation->type);
        struct meaning meaning;
        uint64_t offset;
        int32_t at = find_variable(f, relocation->section, relocation->offset, &offset);
        const struct cubin_relocation_part *part = kind ? kind->parts : NULL;
        if (!part || at < 0 || part->at || part->width % 8 || kind->parts[1].width ||
            !filling_understand(f, relocation, &meaning))
            return filling_refuse(f, relocation);
        struct variable *variable = &f->variables[at];
        if (!part->width) continue;
        if (meaning.variable < 0) {
            uint64_t value = (uint64_t)meaning.value >> part->shift;
            memcpy((uint8_t *)(uintptr_t)variable->init + offset, &value, part->width / 8u);
            continue;
        }
        struct relocation *list =
            ARENA_ARRAY(f->arena, struct relocation, variable->relocation_count + 1u);
        if (variable->relocation_count)
            memcpy(list, variable->relocations, variable->relocation_count * sizeof *list);
        list[variable->relocation_count++] = (struct relocation){.offset = offset,
                                                                 .symbol = meaning.variable,
                                                                 .addend = meaning.value,
                                                                 .bytes = part->width / 8u,
                                                                 .shift = part->shift};
        variable->relocations = list;
    }
    return WS_OK;
}

ws_status filling_add_data(struct filling *f)
{
    add_section_variables(f);
    add_symbol_variables(f);
    place_symbols(f);
    for (uint32_t s = 0; s < f->cubin->section_count; s++) {
        const struct cubin_section *section = &f->cubin->sections[s];
        bool is_data = section->kind == CUBIN_GLOBAL || section->kind == CUBIN_GLOBAL_INIT ||
                       (section->kind == CUBIN_CONSTANT && section->bank != 0);
        if (is_data) TRY(relocate_data(f, section));
    }
    return WS_OK;
}
