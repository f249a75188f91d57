// SPDX-License-Identifier: Apache-2.0
/* The functions of a cubin as lists of decoded instructions, for those who print them. Code is divided
 * where functions begin: what a kernel's section holds behind the kernel stands under its own name. */
#ifndef DECODE_NATIVE_LISTING_H
#define DECODE_NATIVE_LISTING_H

#include "decode/native/cubin.h"

struct listing_row {
    uint64_t offset; /* in the section */
    struct native_word word;
    bool is_known;     /* false: no row of rows.def has this word; its text is "?" */
    const char *text;  /* with its guard; targets and relocated values by name */
    const char *label; /* code goes here from elsewhere; NULL */
    /* What a relocation puts here, if the text does not say it; or where an indirect branch may go. */
    const char *symbol;
    struct native_control control;
    const struct cubin_line *line, *ptx_line;  /* NULL: unknown */
    const struct cubin_relocation *relocation; /* NULL: none */
};

struct listing_item {
    const struct cubin_function *function;
    uint64_t end; /* behind its last word */
};

struct listing {
    const struct cubin *cubin;
    struct listing_item *items; /* by section and offset */
    uint32_t count;
    struct listing_labels *labels; /* of the section that was read last */
};

/* kernel: a function by its name as in the file or as in the source, with all in its section; NULL: all.
 * items is empty if the file has no such function. */
void listing_create(const struct cubin *cubin, const char *kernel, struct listing *out);
void listing_clear(struct listing *listing);
/* The rows of an item, in the arena. */
struct listing_row *listing_read(struct listing *listing, struct arena *arena, uint32_t item,
                                 size_t *out_count);

/* What a relocation puts into code: "caller+0x8", "lo(table)". */
const char *listing_symbol(const struct cubin *cubin, struct arena *arena,
                           const struct cubin_relocation *relocation);
/* The operand that a relocation replaces as a whole: a target, or the only immediate; NULL: none. */
struct native_operand *listing_relocated_operand(struct native_insn *insn);

#endif
