// SPDX-License-Identifier: Apache-2.0
/* gdb's interface: "GDB documentation, JIT Compilation Interface". gdb reads an object file in memory, here of symbols
 * and call frame information (DWARF 4, section 6.4; System V ABI AMD64, figure 3.36 for register numbers). */
#include "compile/code_debug.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "compile/run_accesses.h"

/* ---- gdb's names ----------------------------------------------------------------------------- */

enum { JIT_NOACTION, JIT_REGISTER_FN, JIT_UNREGISTER_FN };
struct jit_code_entry {
    struct jit_code_entry *next_entry, *prev_entry;
    const char *symfile_addr;
    uint64_t symfile_size;
};
struct jit_descriptor {
    uint32_t version, action_flag;
    struct jit_code_entry *relevant_entry, *first_entry;
};
extern struct jit_descriptor __jit_debug_descriptor;
void __jit_debug_register_code(void);

struct jit_descriptor __jit_debug_descriptor = {.version = 1};
/* gdb stops here and looks at the descriptor. */
__attribute__((noinline)) void __jit_debug_register_code(void)
{
    __asm__ volatile("" ::: "memory");
}

/* Devices of several threads share the list. */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;

struct code_debug {
    struct jit_code_entry entry;
    struct strbuf image;
};

static void tell(struct jit_code_entry *entry, uint32_t action)
{
    __jit_debug_descriptor.relevant_entry = entry;
    __jit_debug_descriptor.action_flag = action;
    __jit_debug_register_code();
    __jit_debug_descriptor.action_flag = JIT_NOACTION;
    __jit_debug_descriptor.relevant_entry = NULL;
}

static void add_entry(struct jit_code_entry *entry)
{
    pthread_mutex_lock(&list_lock);
    entry->next_entry = __jit_debug_descriptor.first_entry;
    if (entry->next_entry) entry->next_entry->prev_entry = entry;
    __jit_debug_descriptor.first_entry = entry;
    tell(entry, JIT_REGISTER_FN);
    pthread_mutex_unlock(&list_lock);
}

static void remove_entry(struct jit_code_entry *entry)
{
    pthread_mutex_lock(&list_lock);
    if (entry->prev_entry)
        entry->prev_entry->next_entry = entry->next_entry;
    else
        __jit_debug_descriptor.first_entry = entry->next_entry;
    if (entry->next_entry) entry->next_entry->prev_entry = entry->prev_entry;
    tell(entry, JIT_UNREGISTER_FN);
    pthread_mutex_unlock(&list_lock);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* kernel.path3.line17.part: of the code block and the line of PTX with which it begins, of warps some of whose lanes do not
 * take part. */
static void put_name(struct strbuf *out, const struct program *program,
                     const struct code_extent *range)
{
    if (range->stub) {
        strbuf_puts(out, range->stub);
        return;
    }
    const struct code *code = &program->code[range->block];
    const struct insn *first = code->uop_count ? code->uops[0].insn : code->last;
    strbuf_printf(out, "%s.%s%u.line%u%s", program->functions[code->function].function->name,
                  range->is_path ? "path" : "body", range->block, first ? first->line : 0,
                  range->is_part ? ".part" : "");
}

/* ---- perf ------------------------------------------------------------------------------------ */

static void write_map(const struct program *program, const unsigned char *code,
                      const struct code_extent *ranges, uint32_t count)
{
    struct strbuf lines = {0};
    char path[64];
    for (uint32_t i = 0; i < count; i++) {
        strbuf_printf(&lines, "%llx %x ", (unsigned long long)(uintptr_t)(code + ranges[i].begin),
                      ranges[i].end - ranges[i].begin);
        put_name(&lines, program, &ranges[i]);
        strbuf_putc(&lines, '\n');
    }
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file >= 0) {
        ssize_t written = write(file, lines.data, lines.length);
        (void)written; /* perf shows addresses then */
        close(file);
    }
    strbuf_clear(&lines);
}

/* ---- call frames ----------------------------------------------------------------------------- */

enum {
    CFA_ADVANCE_4 = 0x04,
    CFA_DEF_CFA = 0x0c,
    CFA_DEF_CFA_OFFSET = 0x0e,
    CFA_DEF_CFA_EXPRESSION = 0x0f,
    CFA_OFFSET = 0x80,
    DWARF_RAX = 0,
    DWARF_RSP = 7,
    DWARF_RETURN = 16,
    PUSHED = 6,
    WORD = 8,
    BYTES_OF_PUSH = 2,
    FRAME_BYTES = (PUSHED + 1) * WORD, /* registers and the return address */
};

static void put(struct strbuf *out, unsigned byte)
{
    strbuf_putc(out, (char)byte);
}
static void put_number(struct strbuf *out, uint64_t value, unsigned bytes)
{
    strbuf_append(out, (const char *)&value, bytes);
}
static void put_advance(struct strbuf *out, uint32_t by)
{
    put(out, CFA_ADVANCE_4);
    put_number(out, by, 4);
}
static void put_cfa(struct strbuf *out, unsigned reg, unsigned offset)
{
    put(out, CFA_DEF_CFA);
    put(out, reg);
    put(out, offset);
}

/* Begins a record whose length is filled in by end_record. Returns its place. */
static size_t begin_record(struct strbuf *out)
{
    put_number(out, 0, 4);
    return out->length;
}
static void end_record(struct strbuf *out, size_t place)
{
    while ((out->length - place) % WORD != 4)
        put(out, 0); /* DW_CFA_nop */
    uint32_t length = (uint32_t)(out->length - place);
    memcpy(out->data + place - 4, &length, sizeof length);
}

static void put_common(struct strbuf *out)
{
    static const char augmentation[] = "zR";
    size_t place = begin_record(out);
    put_number(out, 0, 4); /* it is a CIE */
    put(out, 1);           /* version */
    strbuf_append(out, augmentation, sizeof augmentation);
    put(out, 1);    /* unit of code */
    put(out, 0x78); /* unit of data: -8 */
    put(out, DWARF_RETURN);
    put(out, 1); /* bytes of augmentation: */
    put(out, 0); /* addresses are absolute */
    put_cfa(out, DWARF_RSP, WORD);
    put(out, CFA_OFFSET | DWARF_RETURN);
    put(out, 1);
    end_record(out, place);
}

/* The registers as body.c pushes them. */
static void put_pushes(struct strbuf *out)
{
    static const uint8_t pushed[PUSHED] = {3, 6, 12, 13, 14, 15}; /* rbx, rbp, r12 to r15 */
    for (unsigned k = 0; k < PUSHED; k++) {
        put_advance(out, BYTES_OF_PUSH);
        put(out, CFA_DEF_CFA_OFFSET);
        put(out, WORD * (k + 2));
        put(out, CFA_OFFSET | pushed[k]);
        put(out, k + 2);
    }
}

/* From where the registers are pushed on. */
static void put_frame(struct strbuf *out, const struct code_extent *range)
{
    static const uint8_t of_frame[] = {0x77, 0, /* rsp + 0: saved_rsp of the frame */
                                       0x06,    /* what is there */
                                       0x23, FRAME_BYTES};
    _Static_assert(offsetof(struct body_frame, saved_rsp) == 0, "of_frame says so");
    put_pushes(out);
    put_advance(out, range->saved - range->begin - PUSHED * BYTES_OF_PUSH);
    put_cfa(out, DWARF_RAX, FRAME_BYTES);
    put_advance(out, range->framed - range->saved);
    put(out, CFA_DEF_CFA_EXPRESSION);
    put(out, sizeof of_frame);
    strbuf_append(out, (const char *)of_frame, sizeof of_frame);
    put_advance(out, range->unframed - range->framed);
    put_cfa(out, DWARF_RSP, FRAME_BYTES);
    for (unsigned k = 1; k <= PUSHED; k++) {
        put_advance(out, BYTES_OF_PUSH);
        put(out, CFA_DEF_CFA_OFFSET);
        put(out, FRAME_BYTES - WORD * k);
    }
}

static void put_range(struct strbuf *out, const unsigned char *code,
                      const struct code_extent *range)
{
    size_t place = begin_record(out);
    put_number(out, place, 4); /* back to the CIE, which is at 0 */
    put_number(out, (uintptr_t)(code + range->begin), 8);
    put_number(out, range->end - range->begin, 8);
    put(out, 0); /* bytes of augmentation */
    if (!range->stub) put_frame(out, range);
    end_record(out, place);
}

/* ---- the object file ------------------------------------------------------------------------- */

enum section { NO_SECTION, TEXT, EH_FRAME, SYMBOLS, STRINGS, SECTION_NAMES, SECTIONS };
static const char section_names[] = "\0.text\0.eh_frame\0.symtab\0.strtab\0.shstrtab";

static Elf64_Shdr make_header(enum section section, const struct strbuf *content, size_t offset)
{
    static const uint8_t names[] = {0, 1, 7, 17, 25, 33};
    static const uint32_t types[] = {SHT_NULL,   SHT_NOBITS, SHT_PROGBITS,
                                     SHT_SYMTAB, SHT_STRTAB, SHT_STRTAB};
    return (Elf64_Shdr){.sh_name = names[section],
                        .sh_type = types[section],
                        .sh_flags = section == TEXT       ? SHF_ALLOC | SHF_EXECINSTR
                                    : section == EH_FRAME ? SHF_ALLOC
                                                          : 0,
                        .sh_offset = offset,
                        .sh_size = content[section].length,
                        .sh_link = section == SYMBOLS ? STRINGS : 0,
                        .sh_info = section == SYMBOLS ? 1 : 0,
                        .sh_addralign = section == NO_SECTION ? 0 : WORD,
                        .sh_entsize = section == SYMBOLS ? sizeof(Elf64_Sym) : 0};
}

static void put_symbols(struct strbuf *symbols, struct strbuf *names, const struct program *program,
                        const unsigned char *code, const struct code_extent *ranges, uint32_t count)
{
    const Elf64_Sym none = {0};
    strbuf_append(symbols, (const char *)&none, sizeof none);
    put(names, 0);
    for (uint32_t i = 0; i < count; i++) {
        const Elf64_Sym symbol = {.st_name = (Elf64_Word)names->length,
                                  .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                                  .st_shndx = TEXT,
                                  .st_value = (uintptr_t)(code + ranges[i].begin),
                                  .st_size = ranges[i].end - ranges[i].begin};
        strbuf_append(symbols, (const char *)&symbol, sizeof symbol);
        put_name(names, program, &ranges[i]);
        put(names, 0);
    }
}

static void put_image(struct strbuf *image, struct strbuf *content, const unsigned char *code,
                      uint32_t code_bytes)
{
    Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_shoff = sizeof header,
        .e_ehsize = sizeof header,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = SECTIONS,
        .e_shstrndx = SECTION_NAMES};
    size_t offset = sizeof header + SECTIONS * sizeof(Elf64_Shdr);
    strbuf_append(image, (const char *)&header, sizeof header);
    for (unsigned s = 0; s < SECTIONS; s++) {
        Elf64_Shdr section = make_header((enum section)s, content, offset);
        if (s == TEXT) {
            section.sh_addr = (uintptr_t)code;
            section.sh_size = code_bytes;
        }
        strbuf_append(image, (const char *)&section, sizeof section);
        while (content[s].length % WORD)
            put(&content[s], 0);
        offset += content[s].length;
    }
    for (unsigned s = 0; s < SECTIONS; s++)
        if (content[s].length) strbuf_append(image, content[s].data, content[s].length);
}

static struct code_debug *tell_gdb(const struct program *program, const unsigned char *code,
                                   const struct code_extent *ranges, uint32_t count)
{
    struct code_debug *debug = mem_zalloc(1, sizeof *debug);
    struct strbuf content[SECTIONS] = {{0}};
    put_common(&content[EH_FRAME]);
    for (uint32_t i = 0; i < count; i++)
        put_range(&content[EH_FRAME], code, &ranges[i]);
    put_number(&content[EH_FRAME], 0, 4); /* the end */
    put_symbols(&content[SYMBOLS], &content[STRINGS], program, code, ranges, count);
    strbuf_append(&content[SECTION_NAMES], section_names, sizeof section_names);
    put_image(&debug->image, content, code, ranges[count - 1].end);
    for (unsigned s = 0; s < SECTIONS; s++)
        strbuf_clear(&content[s]);
    mem_keep(debug); /* gdb's list points to it, whatever happens to the call */
    mem_keep(debug->image.data);
    debug->entry.symfile_addr = debug->image.data;
    debug->entry.symfile_size = debug->image.length;
    add_entry(&debug->entry);
    return debug;
}

/* ---- both ------------------------------------------------------------------------------------ */

static bool is_asked(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value && strcmp(value, "0") != 0;
}

struct code_debug *code_debug_create(const struct program *program, const unsigned char *code,
                                     const struct code_extent *ranges, uint32_t count)
{
    if (!count) return NULL;
    if (is_asked("WARPSAGE_PERF_MAP")) write_map(program, code, ranges, count);
    return is_asked("WARPSAGE_GDB") ? tell_gdb(program, code, ranges, count) : NULL;
}

void code_debug_destroy(struct code_debug *debug)
{
    if (!debug) return;
    remove_entry(&debug->entry);
    strbuf_clear(&debug->image);
    mem_free(debug);
}
