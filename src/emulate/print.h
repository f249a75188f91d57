// SPDX-License-Identifier: Apache-2.0
/* What kernels print. Each block collects its own text; after the launch the texts of the blocks are
 * delivered in the order of their indices, so that the output is the same for any number of threads.
 * Beyond PRINT_BYTES_MAX the rest is lost and counted. */
#ifndef EMULATE_PRINT_H
#define EMULATE_PRINT_H

#include <stdint.h>
#include <warpsage/warpsage.h>

#include "base/strbuf.h"

#define PRINT_BYTES_MAX (UINT64_C(16) << 20)

/* Text of one block. */
struct printed {
    uint64_t block;
    struct strbuf text;
    uint64_t lost; /* bytes that were not kept */
};

struct print_log;

/* Adds to the text of a block. */
void print_add(struct printed *printed, const char *bytes, size_t size);
struct print_log *print_log_create(void);
void print_log_destroy(struct print_log *log);
/* Takes the text over and leaves `printed` empty. From any thread. */
void print_log_keep(struct print_log *log, uint64_t block, struct printed *printed);
/* Hands out the texts of the blocks up to `last`. */
void print_log_deliver(struct print_log *log, uint64_t last, ws_write_fn *write, void *user);

#endif
