// SPDX-License-Identifier: Apache-2.0
#include "decode/native/cubin.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "decode/native/cubin_reader.h"

enum { EM_NVIDIA_CUDA = 190 };
/* EI_OSABI. The version beside it tells whether calls follow a convention; execution does not care. */
enum { ABI_CUDA_11 = 0x33, ABI_CUDA_13 = 0x41 };
/* Guesses, above what hardware addresses: a damaged size is an error here, not an allocation. */
enum { NAME_MOST = 1 << 16 };
#define SHARED_MOST (UINT64_C(1) << 24)
#define DATA_MOST (UINT64_C(1) << 40)
#define EXTENT_MOST (UINT64_C(1) << 32)

uint64_t cubin_number(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = bytes; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

bool cubin_name_begins(const char *name, const char *prefix)
{
    return !strncmp(name, prefix, strlen(prefix));
}

ws_status cubin_damaged(struct cubin_reader *r, const char *format, ...)
{
    struct strbuf what = {0};
    va_list list;
    mem_check_errno(); /* libelf may have given up for that reason */
    va_start(list, format);
    strbuf_vprintf(&what, format, list);
    va_end(list);
    ws_status status =
        diag_error(r->diag, WS_ERR_INPUT,
                   "%s: error: %s: the file is damaged or truncated; compile or copy it again",
                   r->cubin->path, what.data);
    strbuf_clear(&what);
    return status;
}

static ws_status elf_failed(struct cubin_reader *r, const char *what)
{
    int error = elf_errno();
    return error ? cubin_damaged(r, "%s: %s", what, elf_errmsg(error))
                 : cubin_damaged(r, "%s", what);
}

const struct elf_part *cubin_part(const struct cubin_reader *r, const char *name)
{
    for (size_t i = 1; i < r->part_count; i++)
        if (!strcmp(r->parts[i].name, name)) return &r->parts[i];
    return NULL;
}

const char *cubin_text(struct cubin_reader *r, size_t part, size_t at)
{
    const char *text = elf_strptr(r->elf, part, at);
    if (!text) return NULL;
    const char *image = (const char *)r->image, *end = image + r->size;
    bool is_in_image = text >= image && text < end;
    size_t length = strnlen(text, NAME_MOST);
    if (length == NAME_MOST) return NULL;
    return is_in_image ? text : arena_copy_n(&r->cubin->arena, text, length);
}

/* ---- header ---------------------------------------------------------------------------------- */

bool cubin_recognises(const void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    return size >= 20 && !memcmp(b, ELFMAG, SELFMAG) && b[EI_DATA] == ELFDATA2LSB &&
           cubin_number(b + 18, 2) == EM_NVIDIA_CUDA;
}

static const unsigned read_targets[] = {75, 80, 86, 89, 90};
enum { READ_TARGETS = sizeof read_targets / sizeof *read_targets };

bool cubin_reads_target(unsigned target)
{
    for (size_t i = 0; i < READ_TARGETS; i++)
        if (target == read_targets[i]) return true;
    return false;
}

unsigned cubin_target_for(unsigned gpu)
{
    unsigned target = read_targets[0];
    for (size_t i = 0; i < READ_TARGETS && read_targets[i] <= gpu; i++)
        target = read_targets[i];
    return target;
}

bool cubin_is_mapped(const void *bytes, uint64_t size)
{
    enum { PAGES = 4096 };
    unsigned char states[PAGES];
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)bytes / page * page;
    if (size > EXTENT_MOST) return false;
    for (uintptr_t end = (uintptr_t)bytes + size; at < end; at += PAGES * page) {
        uintptr_t rest = end - at;
        if (mincore((void *)at, rest < PAGES * page ? rest : PAGES * page, states)) return false;
    }
    return true;
}

size_t cubin_extent(const void *bytes)
{
    Elf64_Ehdr header;
    memcpy(&header, bytes, sizeof header);
    uint64_t table = (uint64_t)header.e_shnum * sizeof(Elf64_Shdr), end = header.e_shoff + table;
    if (header.e_shoff > EXTENT_MOST || header.e_shentsize != sizeof(Elf64_Shdr) ||
        !cubin_is_mapped(bytes, end))
        return 0;
    for (unsigned i = 0; i < header.e_shnum; i++) {
        Elf64_Shdr section;
        memcpy(&section, (const uint8_t *)bytes + header.e_shoff + i * sizeof section,
               sizeof section);
        if (section.sh_type == SHT_NOBITS) continue;
        if (section.sh_offset > EXTENT_MOST || section.sh_size > EXTENT_MOST) return 0;
        if (section.sh_offset + section.sh_size > end) end = section.sh_offset + section.sh_size;
    }
    return cubin_is_mapped(bytes, end) ? (size_t)end : 0;
}

unsigned cubin_target(const void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    if (size < sizeof(Elf64_Ehdr)) return 0;
    uint64_t flags = cubin_number(b + offsetof(Elf64_Ehdr, e_flags), 4);
    switch (b[EI_OSABI]) {
    case ABI_CUDA_11:
        return flags & 0xff;
    case ABI_CUDA_13:
        return flags >> 8 & 0xff;
    default:
        return 0;
    }
}

static ws_status read_header(struct cubin_reader *r)
{
    struct cubin *cubin = r->cubin;
    GElf_Ehdr header;
    if (!cubin_recognises(r->image, r->size))
        return diag_error(r->diag, WS_ERR_INPUT,
                          "%s: error: not a cubin (an ELF file of NVIDIA machine code)",
                          cubin->path);
    r->elf = elf_memory((char *)r->image, r->size);
    if (!r->elf || elf_kind(r->elf) != ELF_K_ELF || !gelf_getehdr(r->elf, &header))
        return elf_failed(r, "the ELF header");
    if (header.e_ident[EI_CLASS] != ELFCLASS64)
        return diag_error(r->diag, WS_ERR_UNSUPPORTED,
                          "%s: error: a cubin with 32-bit addresses: compile with -m64",
                          cubin->path);
    unsigned target = cubin->target = cubin_target(r->image, r->size);
    if (!target)
        return diag_error(
            r->diag, WS_ERR_UNSUPPORTED,
            "%s: error: unsupported cubin format (ABI 0x%x): compile with nvcc 11 or newer",
            cubin->path, header.e_ident[EI_OSABI]);
    if (!cubin_reads_target(target) && !r->is_outline)
        return diag_error(
            r->diag, WS_ERR_UNSUPPORTED,
            "%s: error: unsupported architecture sm_%u: native code of sm_75, 80, 86, 89 and "
            "90 is read; compile for one of them, or use the PTX",
            cubin->path, target);
    if (header.e_type != ET_EXEC && header.e_type != ET_REL)
        return cubin_damaged(r, "ELF type %u, expected an executable or a relocatable file",
                             header.e_type);
    cubin->is_linked = header.e_type == ET_EXEC;
    return WS_OK;
}

/* ---- sections -------------------------------------------------------------------------------- */

/* .nv.global and .nv.shared have no bytes; relocatable files do not say so by SHT_NOBITS. */
static bool has_no_bytes(const struct elf_part *part)
{
    return part->header.sh_type == SHT_NOBITS || part->header.sh_type == SHT_NULL ||
           !strcmp(part->name, ".nv.global") || cubin_name_begins(part->name, ".nv.shared.");
}

static ws_status read_part(struct cubin_reader *r, size_t index, size_t names)
{
    struct elf_part *part = &r->parts[index];
    part->item = -1;
    part->scn = elf_getscn(r->elf, index);
    if (!part->scn || !gelf_getshdr(part->scn, &part->header))
        return elf_failed(r, "the table of sections");
    part->name = index ? cubin_text(r, names, part->header.sh_name) : "";
    if (!part->name) return cubin_damaged(r, "section %zu has no name", index);
    uint64_t at = part->header.sh_offset, size = part->header.sh_size;
    if (has_no_bytes(part)) return WS_OK;
    if (at > r->size || size > r->size - at)
        return cubin_damaged(r, "section %zu (%s) ends beyond the end of the file", index,
                             part->name);
    if (part->header.sh_flags & SHF_COMPRESSED)
        return diag_error(r->diag, WS_ERR_UNSUPPORTED,
                          "%s: error: section %s is compressed: decompress it (objcopy "
                          "--decompress-debug-sections)",
                          r->cubin->path, part->name);
    part->bytes = r->image + at;
    part->size = size;
    return WS_OK;
}

/* ".nv.constant3" or ".nv.constant2.NAME" */
static bool read_bank(const char *name, unsigned *out)
{
    static const char prefix[] = ".nv.constant";
    if (!cubin_name_begins(name, prefix)) return false;
    const char *at = name + strlen(prefix);
    unsigned bank = 0, digits = 0;
    for (; *at >= '0' && *at <= '9' && digits < 2; at++, digits++)
        bank = bank * 10 + (unsigned)(*at - '0');
    *out = bank;
    return digits && (*at == '\0' || *at == '.');
}

static bool wanted_kind(const char *name, struct cubin_section *out)
{
    if (cubin_name_begins(name, ".text."))
        out->kind = CUBIN_CODE;
    else if (read_bank(name, &out->bank))
        out->kind = CUBIN_CONSTANT;
    else if (!strcmp(name, ".nv.global"))
        out->kind = CUBIN_GLOBAL;
    else if (!strcmp(name, ".nv.global.init"))
        out->kind = CUBIN_GLOBAL_INIT;
    else if (cubin_name_begins(name, ".nv.shared."))
        out->kind = CUBIN_SHARED;
    else
        return false;
    return true;
}

static ws_status check_section(struct cubin_reader *r, const struct cubin_section *section)
{
    uint64_t most = section->kind == CUBIN_SHARED ? SHARED_MOST : DATA_MOST;
    if (section->size > most)
        return cubin_damaged(r, "section %s has %llu bytes", section->name,
                             (unsigned long long)section->size);
    if (section->kind == CUBIN_CODE && !section->bytes)
        return cubin_damaged(r, "section %s has no contents", section->name);
    if (section->kind == CUBIN_CODE && section->size % NATIVE_WORD_BYTES)
        return cubin_damaged(r, "section %s has %llu bytes, no multiple of 16", section->name,
                             (unsigned long long)section->size);
    return WS_OK;
}

static ws_status keep_section(struct cubin_reader *r, struct elf_part *part)
{
    struct cubin *cubin = r->cubin;
    struct cubin_section section = {
        .name = part->name,
        .owner = -1,
        .elf_index = (unsigned)(part - r->parts),
        .bytes = part->bytes,
        .size = part->header.sh_size,
        .alignment = part->header.sh_addralign ? part->header.sh_addralign : 1,
    };
    if (!wanted_kind(part->name, &section)) return WS_OK;
    TRY(check_section(r, &section));
    part->item = (int32_t)cubin->section_count;
    cubin->sections[cubin->section_count++] = section;
    return WS_OK;
}

/* Sections that share bytes could make a small file an endless one. */
static ws_status check_overlap(struct cubin_reader *r)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < r->part_count; i++) {
        sum += r->parts[i].size;
        if (sum > r->size) return cubin_damaged(r, "its sections overlap");
    }
    return WS_OK;
}

static ws_status read_sections(struct cubin_reader *r)
{
    size_t names;
    if (elf_getshdrnum(r->elf, &r->part_count) || elf_getshdrstrndx(r->elf, &names))
        return elf_failed(r, "the table of sections");
    if (r->part_count < 2 || r->part_count > r->size / sizeof(Elf64_Shdr))
        return cubin_damaged(r, "%zu sections in %zu bytes", r->part_count, r->size);
    r->parts = mem_zalloc(r->part_count, sizeof *r->parts);
    r->cubin->sections = ARENA_ARRAY(&r->cubin->arena, struct cubin_section, r->part_count);
    for (size_t i = 0; i < r->part_count; i++)
        TRY(read_part(r, i, names));
    for (size_t i = 1; i < r->part_count; i++)
        TRY(keep_section(r, &r->parts[i]));
    return check_overlap(r);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static ws_status read_all(struct cubin_reader *r)
{
    TRY(read_header(r));
    TRY(read_sections(r));
    TRY(cubin_read_symbols(r));
    if (!r->is_outline) TRY(cubin_read_relocations(r));
    TRY(cubin_read_info(r));
    return r->is_outline ? WS_OK : cubin_read_lines(r);
}

static void end_elf(void *elf_handle)
{
    Elf **elf = elf_handle;
    elf_end(*elf);
    *elf = NULL;
}

static ws_status read_cubin(struct diag *diag, const char *path, const void *bytes, size_t size,
                            bool is_outline, struct cubin **out)
{
    *out = NULL;
    if (elf_version(EV_CURRENT) == EV_NONE)
        return diag_error(diag, WS_ERR_INTERNAL, "libelf is too old");
    struct cubin *cubin = mem_zalloc(1, sizeof *cubin);
    cubin->path = arena_copy(&cubin->arena, path);
    struct cubin_reader r = {.diag = diag, .cubin = cubin, .size = size, .is_outline = is_outline};
    uint8_t *image = arena_alloc_aligned(&cubin->arena, size + 1, 64);
    memcpy(image, bytes, size);
    r.image = image;
    struct mem_guard guard;
    mem_guard_begin(&guard, end_elf, &r.elf);
    errno = 0;
    ws_status status = read_all(&r);
    end_elf(&r.elf);
    mem_guard_end(&guard);
    mem_free(r.parts);
    mem_free(r.function_of);
    if (status != WS_OK) {
        cubin_destroy(cubin);
        return status;
    }
    *out = cubin;
    return WS_OK;
}

ws_status cubin_read(struct diag *diag, const char *path, const void *bytes, size_t size,
                     struct cubin **out)
{
    return read_cubin(diag, path, bytes, size, false, out);
}

ws_status cubin_read_outline(struct diag *diag, const char *path, const void *bytes, size_t size,
                             struct cubin **out)
{
    return read_cubin(diag, path, bytes, size, true, out);
}

void cubin_destroy(struct cubin *cubin)
{
    if (!cubin) return;
    arena_clear(&cubin->arena);
    mem_free(cubin);
}

/* ---- looking up ------------------------------------------------------------------------------ */

const struct cubin_line *cubin_find_line(const struct cubin_line *of, uint32_t count,
                                         int32_t section, uint64_t offset)
{
    uint32_t low = 0, high = count; /* rows before `low` are at or before the place */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct cubin_line *row = &of[middle];
        bool is_before =
            row->section < section || (row->section == section && row->offset <= offset);
        if (is_before)
            low = middle + 1;
        else
            high = middle;
    }
    const struct cubin_line *row = low ? &of[low - 1] : NULL;
    return row && row->section == section && row->line ? row : NULL;
}

const struct cubin_relocation *cubin_find_relocation(const struct cubin *cubin, int32_t section,
                                                     uint64_t offset)
{
    const struct cubin_section *in = &cubin->sections[section];
    const struct cubin_relocation *items = cubin->relocations + in->relocation_first;
    uint32_t low = 0, high = in->relocation_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (items[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < in->relocation_count && items[low].offset == offset ? &items[low] : NULL;
}

const struct cubin_function *cubin_find_function(const struct cubin *cubin, int32_t section,
                                                 uint64_t offset)
{
    const struct cubin_function *best = NULL;
    for (uint32_t i = 0; i < cubin->function_count; i++) {
        const struct cubin_function *one = &cubin->functions[i];
        if (one->section == section && one->offset <= offset && offset - one->offset < one->size &&
            (!best || one->offset > best->offset))
            best = one;
    }
    return best;
}
