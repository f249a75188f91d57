// SPDX-License-Identifier: Apache-2.0
/* A second implementation of PTX: one thread at a time, one instruction at a time, as plainly as the
 * ISA says it. It shares the decoder with the engine and nothing else. A thread runs until it ends,
 * reaches a barrier or an operation of its warp; then the next one runs: one of the possible orders. A schedule is
 * another: threads of all blocks run by turns, lanes of a warp apart from each other. Memory is sequentially
 * consistent in all of them. */
#ifndef REFERENCE_INTERPRETER_H
#define REFERENCE_INTERPRETER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/module.h"

/* Global memory that the kernel may use. */
struct reference_buffer {
    uint64_t address;
    unsigned char *bytes;
    size_t size;
};

struct reference_launch {
    const struct module *module;
    uint32_t entry;
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; /* blocks of one; zeros: those that the kernel requires, if any */
    const unsigned char
        *parameters; /* as variable.offset of the kernel's parameters lays them out */
    const struct reference_buffer *buffers;
    unsigned buffer_count;
    uint64_t schedule; /* seed of an order in which threads run; 0: one after the other */
};

/* False if the kernel does what it must not (or what the interpreter does not know): `message` says
 * what and on which line. */
bool reference_run(const struct reference_launch *launch, char *message, size_t message_size);

#endif
