// SPDX-License-Identifier: Apache-2.0
/* Cubins: the ELF files of NVIDIA's machine code, as ptxas and nvlink write them.
 *
 *     .text.KERNEL          code of a kernel; functions that it calls lie behind it, each with a symbol
 *     .nv.info              {u8 format, u8 attribute, u16 value or bytes}: registers and frames by symbol
 *     .nv.info.KERNEL       the same for one kernel: parameters, EXITs, limits on threads
 *     .nv.constant0.KERNEL  size of bank 0: what the launch fills in, and the parameters
 *     .nv.constant2.KERNEL  constants and jump tables of a kernel (bank 2)
 *     .nv.constant3         __constant__ variables; .nv.constant4: addresses of variables
 *     .nv.global, .nv.global.init   __device__ variables, texts of printf, tables of virtual functions
 *     .nv.shared.KERNEL     static shared memory
 *
 * All sections of interest are items of `sections`; everything else names one by its index there, -1:
 * none. A section of code or constants that belongs to a kernel has it as its owner. Functions are the
 * symbols in sections of code: kernels (is_entry), and what they call, in the section of the kernel
 * (linked by ptxas itself) or in one of its own (nvcc -dc). Relocations of a section lie together, by
 * offset. What is read was checked: offsets and sizes lie inside their sections, indices exist.
 *
 * Established from files made by ptxas 13.0 for sm_75, 80, 86, 89 and 90. */
#ifndef DECODE_NATIVE_CUBIN_H
#define DECODE_NATIVE_CUBIN_H

#include "base/arena.h"
#include "base/diag.h"
#include "decode/native/word.h"

enum cubin_section_kind {
    CUBIN_CODE,        /* .text.NAME */
    CUBIN_CONSTANT,    /* .nv.constantB, .nv.constantB.NAME: bank B */
    CUBIN_GLOBAL,      /* .nv.global: zeros */
    CUBIN_GLOBAL_INIT, /* .nv.global.init */
    CUBIN_SHARED,      /* .nv.shared.NAME: has no contents */
};

struct cubin_section {
    const char *name;
    enum cubin_section_kind kind;
    unsigned elf_index;
    unsigned bank; /* CUBIN_CONSTANT */
    int32_t owner; /* function: of constants, code and shared memory; -1: of the whole module */
    const uint8_t *bytes; /* in the arena; NULL: zeros */
    uint64_t size, alignment;
    uint32_t relocation_first, relocation_count; /* in `relocations` */
};

enum cubin_symbol_kind {
    CUBIN_SYMBOL_OTHER, /* a section, or what is not told */
    CUBIN_SYMBOL_DATA,
    CUBIN_SYMBOL_FUNCTION,
};

struct cubin_symbol {
    const char *name; /* of a section: the section's */
    enum cubin_symbol_kind kind;
    bool is_global, is_weak;
    bool is_managed;
    bool is_undefined;     /* defined elsewhere: vprintf, or in another file */
    bool is_shared;        /* lies in shared memory */
    int32_t section;       /* -1: undefined, or in a section of no interest */
    uint64_t offset, size; /* in the section */
};

/* At its place goes S + A (symbol and addend), or a part of it: relocations.def has the types. */
struct cubin_relocation {
    int32_t section;
    uint64_t offset;
    uint32_t type; /* R_CUDA_..: number */
    uint32_t symbol;
    int64_t addend; /* of .rel sections: what lies at the place, which is 0 in code */
};

/* `width` bits of S + A, from bit `shift` on, go to bit `at` and the following of the bytes at the offset: a
 * word of 128 bits in code, 64 bits in data. */
enum { CUBIN_RELOCATION_PARTS = 2 };
struct cubin_relocation_part {
    uint8_t shift, width, at;
};
struct cubin_relocation_kind {
    uint32_t type;
    const char *name; /* as NVIDIA's tools print it, "R_CUDA_ABS32_LO_32" */
    bool takes_bank;  /* bits 54 to 58 get the number of the symbol's bank */
    bool is_generic;  /* S is a generic address */
    struct cubin_relocation_part parts[CUBIN_RELOCATION_PARTS]; /* width 0: none */
};
/* NULL: unknown. */
const struct cubin_relocation_kind *cubin_relocation_kind(uint32_t type);

struct cubin_parameter {
    uint32_t ordinal, offset, size; /* bytes, from the beginning of the parameters */
};

/* Where a BRX may go. */
struct cubin_branch {
    uint32_t offset;       /* of the BRX, in its section */
    uint32_t first, count; /* in branch_targets */
};

struct cubin_function {
    const char *name, *display_name; /* display_name: demangled */
    uint32_t symbol;
    int32_t section;
    uint64_t offset,
        size; /* in the section; multiples of 16; a kernel's size includes what it calls */
    const uint8_t *code; /* of this function: section's bytes + offset */
    bool is_entry;
    int32_t
        entry; /* kernel in whose section it lies: itself if is_entry; -1: in a section of its own */

    /* Of the section, i.e. of the kernel with all it calls, or of a function that stands alone. */
    unsigned registers;       /* a thread's */
    unsigned max_registers;   /* what was allowed; 0: not told */
    unsigned barriers;        /* 1 + highest bar.sync number; 0: none */
    uint64_t frame_bytes;     /* a lane's local memory that the function itself takes */
    uint64_t stack_bytes;     /* of a kernel with all it calls; recursion: at least, or 0 */
    uint64_t max_stack_bytes; /* 0: not told */
    /* Entries only. */
    unsigned parameter_bank, parameter_offset, parameter_bytes; /* c[0x0][0x160] */
    uint32_t parameter_count;
    struct cubin_parameter *parameters;           /* by ordinal */
    uint32_t required_threads[3], max_threads[3]; /* 0: not told */
    uint32_t cluster[3], max_cluster_rank;        /* blocks; 0: not told */
    bool is_clustered;                            /* .explicitcluster */
    uint64_t
        shared_bytes; /* static; sm_90: with the 1 KiB at its beginning that the system keeps */
    int32_t shared_section, constant0_section, constant2_section; /* -1: none */
    uint32_t exit_count, branch_count, branch_target_count;
    const uint32_t *exits; /* offsets of EXIT in the section */
    const struct cubin_branch *branches;
    const uint32_t *branch_targets; /* offsets in the section */
};

/* As the compiler wrote it. */
struct cubin_file {
    const char *folder; /* NULL: none */
    const char *name;
};

/* A row of a line table: code from `offset` on, up to the next row, comes from there. */
struct cubin_line {
    int32_t section; /* rows are in the order of sections and offsets */
    uint32_t offset;
    uint32_t file; /* in `files`; of PTX lines: 0 */
    uint32_t line; /* from 1; 0: from nowhere */
    /* Of code inlined from another file, whose line that is not: where it stands. Else the same. */
    uint32_t inner_file, inner_line;
    uint32_t order; /* in the file: for the reader */
};

struct cubin {
    struct arena arena; /* all of it */
    const char *path;   /* for messages */
    unsigned target;    /* 75 for sm_75 */
    bool is_linked;     /* false: relocatable (nvcc -dc), may call what is in other files */
    uint32_t section_count, symbol_count, relocation_count, function_count;
    struct cubin_section *sections;
    struct cubin_symbol *symbols; /* with the indices of the file, from 0 */
    struct cubin_relocation *relocations;
    struct cubin_function
        *functions; /* kernels first, in the order of the file; there may be none */
    uint32_t entry_count;

    uint32_t file_count, line_count, ptx_line_count;
    const struct cubin_file *files;
    const struct cubin_line *lines;     /* -lineinfo, -G */
    const struct cubin_line *ptx_lines; /* to lines of `ptx` */
    const char *ptx;                    /* the PTX that it was made of; NULL: not in the file */
    size_t ptx_size;
};

/* A copy of what is needed is made: the bytes may be freed. path: for messages. */
ws_status cubin_read(struct diag *diag, const char *path, const void *bytes, size_t size,
                     struct cubin **out);
/* Functions with their resources (registers, frames, parameters) and no more; also of architectures whose code is
 * not read. */
ws_status cubin_read_outline(struct diag *diag, const char *path, const void *bytes, size_t size,
                             struct cubin **out);
void cubin_destroy(struct cubin *cubin);

/* An ELF file of NVIDIA's machine code? */
bool cubin_recognises(const void *bytes, size_t size);
/* 75 for sm_75, from the header of what cubin_recognises; 0: unknown. */
unsigned cubin_target(const void *bytes, size_t size);
/* Is it one of those that cubin_read reads? */
bool cubin_reads_target(unsigned target);
/* The target whose code a GPU gets of a compiler: its own, else the next lower one that is read, else the lowest. */
unsigned cubin_target_for(unsigned gpu);
/* Bytes of a cubin that begins there, by its own headers; 0: they are damaged. */
size_t cubin_extent(const void *bytes);
/* Is memory mapped so far? What a damaged header tells need not be there. */
bool cubin_is_mapped(const void *bytes, uint64_t size);
/* The row that covers an offset; NULL: none. `of` is lines or ptx_lines. */
const struct cubin_line *cubin_find_line(const struct cubin_line *of, uint32_t count,
                                         int32_t section, uint64_t offset);
/* The relocation of the word at the offset (the first, if there are several); NULL: none. */
const struct cubin_relocation *cubin_find_relocation(const struct cubin *cubin, int32_t section,
                                                     uint64_t offset);
/* The function whose code covers the offset; NULL: none. */
const struct cubin_function *cubin_find_function(const struct cubin *cubin, int32_t section,
                                                 uint64_t offset);

static inline struct native_word cubin_word(const uint8_t *at)
{
    struct native_word word = {0, 0};
    for (unsigned i = 8; i-- > 0;) {
        word.low = word.low << 8 | at[i];
        word.high = word.high << 8 | at[8 + i];
    }
    return word;
}

#endif
