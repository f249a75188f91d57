// SPDX-License-Identifier: Apache-2.0
/* Programs that nvcc links as usual have the CUDA runtime inside. Their symbol table still names its
 * functions, so before any of their code runs the entry of each is overwritten by a jump to ours:
 *
 *     cudaMalloc:  jmp trampoline         e9 + 32-bit distance
 *     trampoline:  jmp [rip]; address     ff 25 00000000 + 64 bits, on a page close to the program
 *
 * The same for shared libraries that embed the runtime. Programs linked with -cudart shared need
 * none of this: their symbols resolve to this library, which was loaded before theirs.
 *
 * This runs first of all constructors (initfirst), so it relies on the C library only. */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cudart_names.h"
#include "nvidia_libraries.h"

enum { JUMP_BYTES = 5, TRAMPOLINE_BYTES = 16 };

/* A program or library, its file mapped. */
struct object {
    uintptr_t base; /* added to addresses of the file */
    const unsigned char *file;
    size_t size;
    const Elf64_Shdr *sections;
    unsigned section_count;
    const char *section_names;
    size_t section_names_bytes;
};

static unsigned found_version; /* of the CUDA runtime; 0: not seen yet */

unsigned runtime_version(void)
{
    return found_version ? found_version : 13;
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool lies_inside(const struct object *object, const Elf64_Shdr *section)
{
    return section->sh_offset <= object->size &&
           section->sh_size <= object->size - section->sh_offset;
}

static bool read_sections(struct object *object)
{
    const Elf64_Ehdr *header = (const void *)object->file;
    if (object->size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shentsize != sizeof(Elf64_Shdr) ||
        header->e_shoff > object->size || header->e_shoff % _Alignof(Elf64_Shdr) ||
        (object->size - header->e_shoff) / sizeof(Elf64_Shdr) < header->e_shnum ||
        header->e_shstrndx >= header->e_shnum)
        return false;
    object->sections = (const void *)(object->file + header->e_shoff);
    object->section_count = header->e_shnum;
    const Elf64_Shdr *names = &object->sections[header->e_shstrndx];
    if (!lies_inside(object, names)) return false;
    object->section_names = (const char *)object->file + names->sh_offset;
    object->section_names_bytes = names->sh_size;
    return true;
}

static bool open_object(struct object *object, const char *path)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    void *map = fstat(file, &status) == 0 && status.st_size > 0
                    ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0)
                    : MAP_FAILED;
    close(file);
    if (map == MAP_FAILED) return false;
    object->file = map;
    object->size = (size_t)status.st_size;
    if (read_sections(object)) return true;
    munmap(map, object->size);
    return false;
}

static const Elf64_Shdr *find_section(const struct object *object, uint32_t type, const char *name)
{
    for (unsigned i = 0; i < object->section_count; i++) {
        const Elf64_Shdr *section = &object->sections[i];
        if (type && section->sh_type == type && lies_inside(object, section)) return section;
        size_t length = name ? strlen(name) + 1 : 0;
        if (name && section->sh_name < object->section_names_bytes &&
            length <= object->section_names_bytes - section->sh_name &&
            !memcmp(object->section_names + section->sh_name, name, length))
            return section;
    }
    return NULL;
}

/* ---- jumps ----------------------------------------------------------------------------------- */

#if defined(__x86_64__)
/* Room for `count` trampolines within reach of 32-bit jumps from both ends of the code. */
static unsigned char *map_near(uintptr_t low, uintptr_t high, size_t count)
{
    enum { STEP = 1 << 16 };
    const uintptr_t reach = UINT32_C(0x7ff00000);
    size_t bytes = (count * TRAMPOLINE_BYTES + 4095) & ~(size_t)4095;
    uintptr_t page = (high + STEP) & ~(uintptr_t)(STEP - 1);
    for (; page - low < reach; page += STEP) {
        void *map = mmap((void *)page, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (map == (void *)page) return map;
        if (map != MAP_FAILED) munmap(map, bytes); /* an old kernel, which knows no NOREPLACE */
    }
    return NULL;
}

static void write_jump(unsigned char *at, unsigned char *trampoline, void (*function)(void))
{
    static const unsigned char indirect[6] = {0xff, 0x25, 0, 0, 0, 0};
    memcpy(trampoline, indirect, sizeof indirect);
    memcpy(trampoline + sizeof indirect, &function, sizeof function);
    int32_t distance = (int32_t)(trampoline - (at + JUMP_BYTES));
    at[0] = 0xe9;
    memcpy(at + 1, &distance, sizeof distance);
}
#endif

/* ---- symbols --------------------------------------------------------------------------------- */

/* Names by their hash: index + 1, 0 for none. At most half full. */
enum { NAME_PLACES = 2 * CUDART_NAMES_MAX };
static uint16_t name_places[NAME_PLACES];

static uint16_t *find_place(const char *name)
{
    uint32_t hash = 0;
    for (const char *at = name; *at; at++)
        hash = (hash ^ (unsigned char)*at) * UINT32_C(0x01000193);
    for (hash ^= hash >> 15;; hash++) {
        uint16_t *place = &name_places[hash % NAME_PLACES];
        if (!*place || !strcmp(cudart_names[*place - 1].name, name)) return place;
    }
}

static void place_names(void)
{
    for (size_t i = 0; i < cudart_name_count; i++)
        *find_place(cudart_names[i].name) = (uint16_t)(i + 1);
}

static const struct cudart_name *find_name(const char *name)
{
    if (strncmp(name, "cuda", 4) != 0 && strncmp(name, "__cuda", 6) != 0) return NULL;
    uint16_t place = *find_place(name);
    return place ? &cudart_names[place - 1] : NULL;
}

struct entry_point {
    unsigned char *at;
    void (*function)(void);
};
enum { ENTRY_POINTS_MAX = 1024 };

static size_t find_entries(const struct object *object, struct entry_point *out)
{
    const Elf64_Shdr *table = find_section(object, SHT_SYMTAB, NULL);
    if (!table || table->sh_link >= object->section_count || table->sh_offset % 8) return 0;
    const Elf64_Shdr *strings = &object->sections[table->sh_link];
    if (!lies_inside(object, strings) || !strings->sh_size ||
        object->file[strings->sh_offset + strings->sh_size - 1])
        return 0;
    const Elf64_Sym *symbols = (const void *)(object->file + table->sh_offset);
    size_t count = 0;
    bool has_old = false, has_v2 = false;
    for (size_t i = 0; i < table->sh_size / sizeof *symbols && count < ENTRY_POINTS_MAX; i++) {
        const Elf64_Sym *symbol = &symbols[i];
        if (symbol->st_shndx == SHN_UNDEF || symbol->st_name >= strings->sh_size ||
            ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_size < JUMP_BYTES)
            continue;
        const char *text = (const char *)object->file + strings->sh_offset + symbol->st_name;
        const struct cudart_name *name = find_name(text);
        if (!name) continue;
        has_old |= !strcmp(text, "cudaThreadSynchronize");
        has_v2 |= !strcmp(text, "cudaGetDeviceProperties_v2");
        out[count++] = (struct entry_point){(unsigned char *)(object->base + symbol->st_value),
                                            name->function};
    }
    /* CUDA 13 has no cudaThreadSynchronize any more. */
    if (count && !found_version) found_version = !has_old ? 13 : has_v2 ? 12 : 11;
    return count;
}

static void divert(const struct entry_point *entries, size_t count)
{
#if defined(__x86_64__)
    uintptr_t low = UINTPTR_MAX, high = 0;
    for (size_t i = 0; i < count; i++) {
        uintptr_t at = (uintptr_t)entries[i].at;
        if (at < low) low = at;
        if (at + JUMP_BYTES > high) high = at + JUMP_BYTES;
    }
    low &= ~(uintptr_t)4095;
    high = (high + 4095) & ~(uintptr_t)4095;
    unsigned char *trampolines = map_near(low, high, count);
    if (!trampolines || mprotect((void *)low, high - low, PROT_READ | PROT_WRITE | PROT_EXEC)) {
        tell("cannot intercept the CUDA runtime inside the program: link it with -cudart shared");
        return;
    }
    for (size_t i = 0; i < count; i++)
        write_jump(entries[i].at, trampolines + i * TRAMPOLINE_BYTES, entries[i].function);
    mprotect((void *)low, high - low, PROT_READ | PROT_EXEC);
    mprotect(trampolines, count * TRAMPOLINE_BYTES, PROT_READ | PROT_EXEC);
#else
    (void)entries, (void)count;
    tell("a CUDA runtime inside the program can be intercepted on x86-64 only: link it with "
         "-cudart shared");
#endif
}

/* ---- at the start ---------------------------------------------------------------------------- */

static bool embeds_gpu_code(const struct object *object)
{
    return find_section(object, 0, ".nv_fatbin") || find_section(object, 0, "__nv_relfatbin");
}

static void divert_object(uintptr_t base, const char *path, bool *out_silent)
{
    static struct entry_point entries[ENTRY_POINTS_MAX];
    struct object object = {.base = base};
    if (!open_object(&object, path)) return;
    size_t count = find_entries(&object, entries);
    if (count)
        divert(entries, count);
    else if (embeds_gpu_code(&object) && !find_section(&object, SHT_SYMTAB, NULL))
        *out_silent = true;
    munmap((void *)(uintptr_t)object.file, object.size);
}

struct scan {
    bool first, shared, silent;
    uintptr_t own;
};

static int visit(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    struct scan *scan = user;
    const char *path = scan->first ? "/proc/self/exe" : info->dlpi_name;
    const char *name = strrchr(path, '/');
    scan->first = false;
    if (info->dlpi_addr == scan->own || !path[0]) return 0;
    if (name && !strncmp(name, "/libcudart.so.", 14)) {
        found_version = (unsigned)strtoul(name + 14, NULL, 10);
        scan->shared = true;
        return 0;
    }
    if (!name || !nvidia_library_add(name + 1)) divert_object(info->dlpi_addr, path, &scan->silent);
    return 0;
}

__attribute__((constructor)) static void divert_all(void)
{
    Dl_info own;
    struct scan scan = {.first = true};
    place_names();
    if (dladdr((const void *)(uintptr_t)divert_all, &own)) scan.own = (uintptr_t)own.dli_fbase;
    dl_iterate_phdr(visit, &scan);
    nvidia_libraries_tell();
    if (scan.silent && !scan.shared)
        tell("the program has GPU code, but its symbols are stripped: link it without -s (and do "
             "not strip it), or with nvcc -cudart shared");
}
