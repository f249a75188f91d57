// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "decode/native/cubin_reader.h"

/* ---- kinds ----------------------------------------------------------------------------------- */

static const struct cubin_relocation_kind kinds[] = {
#define RELOCATION(number, name, takes_bank, is_generic, ...)                                      \
    {number, #name, takes_bank, is_generic, {__VA_ARGS__}},
#include "decode/native/relocations.def"
#undef RELOCATION
};

const struct cubin_relocation_kind *cubin_relocation_kind(uint32_t type)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].type == type) return &kinds[i];
    return NULL;
}

/* Bytes at the place that the relocation may change. */
static uint64_t place_bytes(const struct cubin_relocation_kind *kind, bool is_code)
{
    unsigned bits = 64;
    if (is_code) return NATIVE_WORD_BYTES;
    for (unsigned i = 0; i < CUBIN_RELOCATION_PARTS; i++)
        if (kind->parts[i].width) bits = kind->parts[i].at + kind->parts[i].width;
    return (bits + 7) / 8;
}

/* What a .rel section leaves at the place. */
static int64_t addend_at(const struct cubin_relocation_kind *kind, const uint8_t *at, bool is_code)
{
    struct native_word word = {0, 0};
    uint64_t value = 0;
    if (is_code)
        word = cubin_word(at);
    else
        word.low = cubin_number(at, (unsigned)place_bytes(kind, false));
    for (unsigned i = 0; i < CUBIN_RELOCATION_PARTS; i++)
        if (kind->parts[i].width)
            value |= native_bits(word, kind->parts[i].at, kind->parts[i].width)
                     << kind->parts[i].shift;
    return (int64_t)value;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool has_relocations(const struct cubin_reader *r, const struct elf_part *part)
{
    bool is_table = part->header.sh_type == SHT_REL || part->header.sh_type == SHT_RELA;
    return is_table && part->header.sh_info < r->part_count &&
           r->parts[part->header.sh_info].item >= 0;
}

static ws_status check(struct cubin_reader *r, const struct cubin_relocation *one,
                       const struct cubin_relocation_kind **out_kind)
{
    const struct cubin_section *section = &r->cubin->sections[one->section];
    const struct cubin_relocation_kind *kind = *out_kind = cubin_relocation_kind(one->type);
    if (!kind)
        return diag_error(r->diag, WS_ERR_UNSUPPORTED,
                          "%s: error: %s+0x%llx: unsupported relocation type %u: please report it",
                          r->cubin->path, section->name, (unsigned long long)one->offset,
                          one->type);
    bool is_code = section->kind == CUBIN_CODE;
    uint64_t bytes = place_bytes(kind, is_code);
    if (!section->bytes || one->offset > section->size || bytes > section->size - one->offset ||
        (is_code && one->offset % NATIVE_WORD_BYTES))
        return cubin_damaged(r, "%s+0x%llx: a relocation outside the section", section->name,
                             (unsigned long long)one->offset);
    if (one->symbol >= r->cubin->symbol_count)
        return cubin_damaged(r, "%s+0x%llx: the relocation names symbol %u of %u", section->name,
                             (unsigned long long)one->offset, one->symbol, r->cubin->symbol_count);
    return WS_OK;
}

static ws_status read_table(struct cubin_reader *r, const struct elf_part *part)
{
    bool has_addends = part->header.sh_type == SHT_RELA;
    size_t bytes = has_addends ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    Elf_Data *data = elf_getdata(part->scn, NULL);
    if (part->header.sh_size == 0) return WS_OK;
    if (!data || part->header.sh_entsize != bytes)
        return cubin_damaged(r, "section %s", part->name);
    for (size_t i = 0; i < data->d_size / bytes; i++) {
        GElf_Rela entry = {0};
        GElf_Rel short_entry;
        if (has_addends) {
            if (!gelf_getrela(data, (int)i, &entry))
                return cubin_damaged(r, "section %s", part->name);
        } else {
            if (!gelf_getrel(data, (int)i, &short_entry))
                return cubin_damaged(r, "section %s", part->name);
            entry.r_offset = short_entry.r_offset;
            entry.r_info = short_entry.r_info;
        }
        struct cubin_relocation one = {
            .section = r->parts[part->header.sh_info].item,
            .offset = entry.r_offset,
            .type = (uint32_t)GELF_R_TYPE(entry.r_info),
            .symbol = (uint32_t)GELF_R_SYM(entry.r_info),
            .addend = entry.r_addend,
        };
        const struct cubin_relocation_kind *kind;
        TRY(check(r, &one, &kind));
        const struct cubin_section *section = &r->cubin->sections[one.section];
        if (!has_addends)
            one.addend = addend_at(kind, section->bytes + one.offset, section->kind == CUBIN_CODE);
        r->cubin->relocations[r->cubin->relocation_count++] = one;
    }
    return WS_OK;
}

static int compare(const void *a, const void *b)
{
    const struct cubin_relocation *x = a, *y = b;
    if (x->section != y->section) return x->section < y->section ? -1 : 1;
    if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
    return x->type < y->type ? -1 : x->type > y->type;
}

ws_status cubin_read_relocations(struct cubin_reader *r)
{
    struct cubin *cubin = r->cubin;
    size_t most = 0;
    for (size_t i = 1; i < r->part_count; i++)
        if (has_relocations(r, &r->parts[i])) most += r->parts[i].size / sizeof(Elf64_Rel);
    if (most > UINT32_MAX) return cubin_damaged(r, "%zu relocations", most);
    cubin->relocations = ARENA_ARRAY(&cubin->arena, struct cubin_relocation, most + 1);
    for (size_t i = 1; i < r->part_count; i++)
        if (has_relocations(r, &r->parts[i])) TRY(read_table(r, &r->parts[i]));
    qsort(cubin->relocations, cubin->relocation_count, sizeof *cubin->relocations, compare);
    for (uint32_t i = cubin->relocation_count; i-- > 0;) {
        struct cubin_section *section = &cubin->sections[cubin->relocations[i].section];
        section->relocation_first = i;
        section->relocation_count++;
    }
    return WS_OK;
}
