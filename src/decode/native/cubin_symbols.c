// SPDX-License-Identifier: Apache-2.0
/* Symbols of a cubin, and the functions among them. */
#include <string.h>

#include "decode/module.h"
#include "decode/native/cubin_reader.h"

enum {
    STT_CUDA_OBJECT = 13,
    STO_CUDA_MANAGED = 4,
    STO_CUDA_ENTRY = 0x10,
    STO_CUDA_SPACE = 0xe0, /* 0x20: of global memory, 0x40: of shared memory */
    STO_CUDA_SHARED = 0x40
};

/* ---- symbols --------------------------------------------------------------------------------- */

/* Shared memory of relocatable files is laid out by the linker. */
static bool is_placed(const struct cubin_reader *r, const struct cubin_symbol *symbol)
{
    return symbol->section >= 0 && symbol->kind != CUBIN_SYMBOL_OTHER &&
           (r->cubin->is_linked || r->cubin->sections[symbol->section].kind != CUBIN_SHARED);
}

static ws_status check_symbol(struct cubin_reader *r, const struct cubin_symbol *symbol)
{
    if (!is_placed(r, symbol)) return WS_OK;
    const struct cubin_section *section = &r->cubin->sections[symbol->section];
    if (symbol->offset > section->size || symbol->size > section->size - symbol->offset)
        return cubin_damaged(r, "symbol %s lies beyond the end of section %s", symbol->name,
                             section->name);
    if (symbol->kind != CUBIN_SYMBOL_FUNCTION || section->kind != CUBIN_CODE) return WS_OK;
    if (symbol->offset % NATIVE_WORD_BYTES || symbol->size % NATIVE_WORD_BYTES)
        return cubin_damaged(r, "function %s begins or ends within an instruction", symbol->name);
    return WS_OK;
}

static enum cubin_symbol_kind kind_of(unsigned type)
{
    switch (type) {
    case STT_FUNC:
        return CUBIN_SYMBOL_FUNCTION;
    case STT_OBJECT:
    case STT_CUDA_OBJECT:
        return CUBIN_SYMBOL_DATA;
    default:
        return CUBIN_SYMBOL_OTHER;
    }
}

static ws_status read_symbol(struct cubin_reader *r, Elf_Data *data, uint32_t index)
{
    struct cubin_symbol *out = &r->cubin->symbols[index];
    GElf_Sym symbol;
    if (!gelf_getsym(data, (int)index, &symbol))
        return cubin_damaged(r, "symbol %u: %s", index, elf_errmsg(-1));
    const char *name = cubin_text(r, r->symbols->header.sh_link, symbol.st_name);
    size_t part = symbol.st_shndx < SHN_LORESERVE ? symbol.st_shndx : 0;
    unsigned type = GELF_ST_TYPE(symbol.st_info), binding = GELF_ST_BIND(symbol.st_info);
    if (!name) return cubin_damaged(r, "symbol %u has no name", index);
    if (part >= r->part_count)
        return cubin_damaged(r, "symbol %s lies in section %zu of %zu", name, part, r->part_count);
    if (type == STT_SECTION) name = r->parts[part].name;
    *out = (struct cubin_symbol){
        .name = name,
        .kind = kind_of(type),
        .is_global = binding == STB_GLOBAL,
        .is_weak = binding == STB_WEAK,
        .is_managed = symbol.st_other & STO_CUDA_MANAGED,
        .is_undefined = symbol.st_shndx == SHN_UNDEF,
        .is_shared = (symbol.st_other & STO_CUDA_SPACE) == STO_CUDA_SHARED,
        .section = part ? r->parts[part].item : -1,
        .offset = symbol.st_value,
        .size = symbol.st_size,
    };
    return check_symbol(r, out);
}

/* ---- functions ------------------------------------------------------------------------------- */

/* "$_Z3calli$_Z3reci" is the function rec, copied for the kernel call; "_Z3reci$1" a variant of it. */
static const char *display_name(struct cubin *cubin, const char *name)
{
    enum { DEMANGLED_MOST = 4096 };
    const char *inner = *name == '$' ? strchr(name + 1, '$') : NULL;
    const char *own = inner && inner[1] ? inner + 1 : name, *variant = strrchr(own, '$');
    if (strlen(name) > DEMANGLED_MOST) return name;
    if (variant && variant > own && variant[1] && !variant[1 + strspn(variant + 1, "0123456789")])
        own = arena_copy_n(&cubin->arena, own, (size_t)(variant - own));
    return demangle_kernel(&cubin->arena, own);
}

static bool is_code(const struct cubin *cubin, uint32_t symbol)
{
    const struct cubin_symbol *one = &cubin->symbols[symbol];
    return one->kind == CUBIN_SYMBOL_FUNCTION && one->section >= 0 &&
           cubin->sections[one->section].kind == CUBIN_CODE;
}

static void add_function(struct cubin_reader *r, uint32_t index, bool is_entry)
{
    struct cubin *cubin = r->cubin;
    const struct cubin_symbol *symbol = &cubin->symbols[index];
    r->function_of[index] = (int32_t)cubin->function_count;
    cubin->functions[cubin->function_count++] = (struct cubin_function){
        .name = symbol->name,
        .display_name = display_name(cubin, symbol->name),
        .symbol = index,
        .section = symbol->section,
        .offset = symbol->offset,
        .size = symbol->size,
        .code = cubin->sections[symbol->section].bytes + symbol->offset,
        .is_entry = is_entry,
        .entry = -1,
        .shared_section = -1,
        .constant0_section = -1,
        .constant2_section = -1,
    };
}

static void add_functions(struct cubin_reader *r, Elf_Data *data)
{
    struct cubin *cubin = r->cubin;
    uint32_t count = 0;
    for (uint32_t i = 0; i < cubin->symbol_count; i++)
        count += is_code(cubin, i);
    cubin->functions = ARENA_ARRAY(&cubin->arena, struct cubin_function, count + 1);
    for (unsigned wants_entries = 2; wants_entries-- > 0;)
        for (uint32_t i = 0; i < cubin->symbol_count; i++) {
            GElf_Sym symbol;
            if (!is_code(cubin, i) || !gelf_getsym(data, (int)i, &symbol)) continue;
            bool is_entry = symbol.st_other & STO_CUDA_ENTRY;
            if (is_entry == (bool)wants_entries) add_function(r, i, is_entry);
            if (wants_entries) cubin->entry_count = cubin->function_count;
        }
}

/* A section of code belongs to its kernel, else to the function at its beginning. */
static ws_status own_code(struct cubin_reader *r)
{
    struct cubin *cubin = r->cubin;
    for (uint32_t i = 0; i < cubin->function_count; i++) {
        const struct cubin_function *function = &cubin->functions[i];
        struct cubin_section *section = &cubin->sections[function->section];
        if (function->is_entry && section->owner >= 0)
            return diag_error(r->diag, WS_ERR_UNSUPPORTED,
                              "%s: error: section %s holds the kernels %s and %s: one is expected",
                              cubin->path, section->name, cubin->functions[section->owner].name,
                              function->name);
        if (section->owner < 0 && (function->is_entry || function->offset == 0))
            section->owner = (int32_t)i;
    }
    for (uint32_t i = 0; i < cubin->function_count; i++) {
        struct cubin_function *function = &cubin->functions[i];
        int32_t owner = cubin->sections[function->section].owner;
        if (owner >= 0 && cubin->functions[owner].is_entry) function->entry = owner;
    }
    return WS_OK;
}

/* .nv.constant2.NAME and .nv.shared.NAME name the code that they belong to by sh_info. */
static ws_status own_data(struct cubin_reader *r)
{
    struct cubin *cubin = r->cubin;
    for (uint32_t i = 0; i < cubin->section_count; i++) {
        struct cubin_section *section = &cubin->sections[i];
        const struct elf_part *part = &r->parts[section->elf_index];
        uint32_t code = part->header.sh_info;
        bool is_owned =
            section->kind == CUBIN_SHARED ||
            (section->kind == CUBIN_CONSTANT && strchr(section->name + strlen(".nv."), '.'));
        if (!is_owned || !code) continue;
        int32_t item = code < r->part_count ? r->parts[code].item : -1;
        if (item < 0 || cubin->sections[item].kind != CUBIN_CODE)
            return cubin_damaged(r, "section %s belongs to section %u, which is not code",
                                 section->name, code);
        section->owner = cubin->sections[item].owner;
        if (section->owner < 0) continue;
        struct cubin_function *owner = &cubin->functions[section->owner];
        if (section->kind == CUBIN_SHARED) {
            owner->shared_section = (int32_t)i;
            owner->shared_bytes = section->size;
        } else if (section->bank == 0) {
            owner->constant0_section = (int32_t)i;
        } else if (section->bank == 2) {
            owner->constant2_section = (int32_t)i;
        }
    }
    return WS_OK;
}

ws_status cubin_read_symbols(struct cubin_reader *r)
{
    struct cubin *cubin = r->cubin;
    for (size_t i = 1; i < r->part_count && !r->symbols; i++)
        if (r->parts[i].header.sh_type == SHT_SYMTAB) r->symbols = &r->parts[i];
    if (!r->symbols) return cubin_damaged(r, "the table of symbols is missing");
    Elf_Data *data = elf_getdata(r->symbols->scn, NULL);
    if (!data || r->symbols->header.sh_entsize != sizeof(Elf64_Sym))
        return cubin_damaged(r, "the table of symbols");
    cubin->symbol_count = (uint32_t)(data->d_size / sizeof(Elf64_Sym));
    cubin->symbols = ARENA_ARRAY(&cubin->arena, struct cubin_symbol, cubin->symbol_count + 1);
    r->function_of = mem_zalloc(cubin->symbol_count + 1, sizeof *r->function_of);
    for (uint32_t i = 0; i < cubin->symbol_count; i++) {
        r->function_of[i] = -1;
        TRY(read_symbol(r, data, i));
    }
    add_functions(r, data);
    TRY(own_code(r));
    return own_data(r);
}
