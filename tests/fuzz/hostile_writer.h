// SPDX-License-Identifier: Apache-2.0
/* What the files that write hostile programs share. */
#ifndef FUZZ_HOSTILE_WRITER_H
#define FUZZ_HOSTILE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WORDS = 12, LONGS = 12, PREDICATES = 6, HALVES = 4, FUNCTIONS_MAX = 4, PARAMETERS_MAX = 4 };

/* Parameters of a function: scalars of 1 to 8 bytes, or blocks. */
struct parameter {
    unsigned bytes, alignment;
    bool is_block;
};
struct signature {
    struct parameter result, parameters[PARAMETERS_MAX];
    unsigned count;
    bool has_result;
};

struct writer {
    const uint8_t *data;
    size_t left, length;
    char *text;
    unsigned labels, depth, many, function_count;
    unsigned shared_bytes, local_bytes, global_bytes, const_bytes; /* of s0, l0, g0, c0 */
    struct signature functions[FUNCTIONS_MAX];
    int inside; /* function that is being written; -1: the kernel */
};

/* hostile_accesses.c: bytes in, text out. */
unsigned take(struct writer *w);
unsigned below(struct writer *w, unsigned count);
uint64_t take_word(struct writer *w);
void put(struct writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Numbers near which checks go wrong. */
uint64_t odd_number(struct writer *w);
unsigned label(struct writer *w);
/* A predicate in front of an instruction, or none. */
void guard(struct writer *w);

enum space { GLOBAL, SHARED, LOCAL, CONST, GENERIC, SPACES };
extern const char *const hostile_spaces[SPACES];

struct place {
    enum space space;
    unsigned bytes; /* of the variable */
};
/* %a0 = where a variable begins; generic addresses of any space. */
struct place base_address(struct writer *w, bool reads);

/* One statement each. */
void arithmetic(struct writer *w);
void load_or_store(struct writer *w);
void atomic(struct writer *w);
/* The lanes together: shuffles, votes, barriers, matrices, copies. */
void together(struct writer *w);

#endif
