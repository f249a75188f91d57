// SPDX-License-Identifier: Apache-2.0
/* Conformance vectors: MNEMONIC.txt, made by tests/tools/make-vectors.py.
 *
 *     source: where the expected bits come from
 *     form add.rn.f32            a form of the instruction: its name in messages
 *     in %a.b32 %b.b32           registers that hold a row's operands before the snippet
 *     out %d.b32                 registers whose bits are compared after it
 *     do add.rn.f32 %d, %a, %b;  a statement of the snippet
 *     3f800000 00000001 = 3f800000
 *
 * One row is one thread. Operands are hexadecimal, as wide as the register; predicates are 0 or 1;
 * an expected `nan` is any NaN of the register's width (16 bits: f16), `-` is not compared. Further lines of a form:
 *
 *     target sm_100a             default sm_90
 *     lanes 0000ffff             rows are the lanes of whole warps; the snippet runs in these only
 *     threads 64                 rows are the threads of whole blocks of 64
 *     fault WORDS                the launch must fail with WS_ERR_FAULT and these words
 *     deadlock WORDS             the same with WS_ERR_DEADLOCK
 *     global LINE                module scope
 *     decl LINE                  head of the kernel
 *     raw LINE                   a line of the snippet that takes no guard
 *
 * The snippet may use %lane, %thread (b32), %scratch (b64: 256 bytes of global memory of this
 * thread), %common (b64: 4096 bytes of all threads), both filled with zeros before the launch. */
#ifndef VECTORS_VECTOR_FILE_H
#define VECTORS_VECTOR_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"

enum { VECTOR_OPERANDS_MAX = 32 };

struct operand_bits {
    uint64_t low, high;
};
enum expectation { EXPECT_BITS, EXPECT_NAN, EXPECT_NOTHING };

struct vector_operand {
    const char *name; /* "%a" */
    const char *type; /* "b32" */
    unsigned bits;    /* 1: a predicate */
};

struct vector_row {
    unsigned line;
    struct operand_bits values[VECTOR_OPERANDS_MAX]; /* inputs, then outputs */
    uint8_t expectations[VECTOR_OPERANDS_MAX];       /* by output */
};

enum line_kind { LINE_GLOBAL, LINE_DECL, LINE_DO, LINE_RAW };
struct snippet_line {
    enum line_kind kind;
    const char *text;
};

struct vector_form {
    const char *name, *target;
    unsigned line;
    unsigned input_count, output_count;
    struct vector_operand operands[VECTOR_OPERANDS_MAX]; /* inputs, then outputs */
    bool whole_warps;
    uint32_t lanes;      /* of whole_warps */
    unsigned threads;    /* of a block */
    ws_status status;    /* that the launch ends with */
    const char *message; /* part of the message if it is not WS_OK */
    bool takes_guard;    /* no raw lines */
    size_t line_count, line_room;
    struct snippet_line *lines;
    size_t row_count, row_room;
    struct vector_row *rows;
};

struct vector_file {
    struct arena arena;
    const char *path;
    size_t form_count, form_room;
    struct vector_form *forms;
};

/* A file that breaks the format is an error with its line. */
ws_status vector_file_load(struct diag *diag, const char *path, struct vector_file *out);
void vector_file_clear(struct vector_file *file);

#endif
