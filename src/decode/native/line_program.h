// SPDX-License-Identifier: Apache-2.0
/* Line programs of DWARF 2 to 4, as .debug_line and .nv_debug_line_sass of a cubin have them.
 *
 * Not by libdw: it leaves the relocations of these files, which say which function a sequence is of, alone
 * and sorts the rows by address, so that those of all functions, each from 0 on, are mixed; it knows
 * .debug_line only; and it ends the process where memory ends. */
#ifndef DECODE_NATIVE_LINE_PROGRAM_H
#define DECODE_NATIVE_LINE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line_row {
    uint64_t address_at; /* byte of the section where the sequence has its address */
    uint64_t base;       /* that address, as it stands there */
    uint64_t distance;   /* from there */
    uint32_t file, line; /* file: as numbered by this program, from 1; 0: unknown */
    /* Code inlined from another file counts for the line that called it: this one. Else the same. */
    uint32_t caller_file, caller_line;
    bool is_end; /* the first byte behind the sequence */
};
/* Called in order; the texts lie in the section. */
struct line_reader {
    void *user;
    void (*begin)(void *user); /* another program: folders and files are numbered anew, from 1 */
    void (*add_folder)(void *user, const char *name);
    void (*add_file)(void *user, uint64_t folder, const char *name); /* folder 0: the compiler's */
    void (*add_row)(void *user, const struct line_row *row);
};

/* All programs of a section. NULL: well; else what is wrong. Programs of other versions are skipped. */
const char *line_programs_read(const uint8_t *bytes, size_t size, const struct line_reader *reader);

#endif
