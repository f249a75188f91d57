// SPDX-License-Identifier: Apache-2.0
/* What the parts of the reader of cubins share; cubin.h is for everyone else. */
#ifndef DECODE_NATIVE_CUBIN_READER_H
#define DECODE_NATIVE_CUBIN_READER_H

#include <gelf.h>
#include <libelf.h>

#include "decode/native/cubin.h"

/* A section of the file, checked: it lies inside the file. */
struct elf_part {
    const char *name;
    GElf_Shdr header;
    Elf_Scn *scn;
    const uint8_t *bytes; /* NULL: it has none */
    uint64_t size;        /* of the bytes */
    int32_t item;         /* of cubin.sections; -1 */
};

struct cubin_reader {
    struct diag *diag;
    struct cubin *cubin;
    Elf *elf;
    const uint8_t *image; /* of the file, in the cubin's arena */
    size_t size;
    struct elf_part *parts; /* [part_count], mem_alloc; 0 is none */
    size_t part_count;
    const struct elf_part *symbols;
    int32_t *function_of; /* [symbol_count]: by symbol; -1; mem_alloc */
    bool is_outline;      /* cubin_read_outline */
};

/* "FILE: error: what: damaged or truncated ..." with WS_ERR_INPUT. */
ws_status cubin_damaged(struct cubin_reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool cubin_name_begins(const char *name, const char *prefix);
/* A text of a string table, which lives as long as the cubin; NULL: none, or one of more than 64 KiB. */
const char *cubin_text(struct cubin_reader *r, size_t part, size_t at);
/* The first section of that name; NULL: none. */
const struct elf_part *cubin_part(const struct cubin_reader *r, const char *name);
/* A little-endian number; the bytes were checked to be there. */
uint64_t cubin_number(const uint8_t *at, unsigned bytes);

/* In this order. */
ws_status cubin_read_symbols(struct cubin_reader *r);
ws_status cubin_read_relocations(struct cubin_reader *r);
ws_status cubin_read_info(struct cubin_reader *r);
ws_status cubin_read_lines(struct cubin_reader *r);

#endif
