// SPDX-License-Identifier: Apache-2.0
/* Runs one random program on both implementations and tells the first difference. */
#ifndef REFERENCE_COMPARE_H
#define REFERENCE_COMPARE_H

#include "reference/generate.h"

/* How the engine runs it. */
struct engine_choice {
    int level; /* device_options.isa_level */
    unsigned threads;
    unsigned native; /* target, 80 for sm_80, as whose native code; 0: as PTX */
    /* By the compiled engine; and the profile must be the interpreter's. */
    bool compiled;
    uint32_t interpreted; /* how much of the program comes before, in parts of 2^32 */
    bool traces;          /* of warps, too: their blocks follow no compiled paths */
};

/* Global memory before or after a launch. */
struct memory_image {
    size_t out_bytes, row_bytes;
    unsigned char *in, *out, *rows, *words;
};

/* Runs by the compiled engine on one thread (others interpret until the code is there), their warp instructions, and those of them that compiled code executed. */
struct engine_share {
    uint64_t runs, all, compiled;
    uint64_t changed_over; /* runs that were interpreted first, and went on compiled */
};
extern struct engine_share engine_share[2]; /* compiled from the first instruction, and later */

enum comparison { COMPARE_EQUAL, COMPARE_DIFFERENT, COMPARE_NOT_RUN };

/* `removed` as in program_text. The message is of the first choice that is not equal; malloc'ed,
 * NULL if all are. *failed: its index. */
enum comparison compare_program(const struct program *program, const bool *removed,
                                const struct engine_choice *choices, unsigned choice_count,
                                unsigned *failed, char **message);

#endif
