// SPDX-License-Identifier: Apache-2.0
/* What kernels print. Each block collects its own text; the texts of the blocks are delivered in the order
 * of their indices (with clusters in the order of these), so that the output is the same for any number of threads: after the launch, or as soon
 * as PRINT_FLUSH_BYTES have come together of the least block that runs, or of those before it. Beyond
 * PRINT_BYTES_MAX in that order the rest is lost and counted. */
#ifndef EMULATE_PRINT_H
#define EMULATE_PRINT_H

#include <stdint.h>
#include <warpsage/warpsage.h>

#include "base/strbuf.h"
#include "emulate/observer.h"

#define PRINT_BYTES_MAX (UINT64_C(16) << 20)
#define PRINT_FLUSH_BYTES (UINT64_C(1) << 20)

/* Text of one block. */
struct printed {
    uint64_t block;
    struct strbuf text;
    uint64_t lost; /* bytes that were not kept */
};

struct print_log;

/* `write` is called from any thread, once at a time. */
struct print_log *print_log_create(ws_write_fn *write, void *user);
void print_log_destroy(struct print_log *log);
/* Takes the next of the launch's blocks or clusters, whose ordinal is *next; it runs from now on. */
uint64_t print_log_begin(struct print_log *log, const struct launch_view *launch, uint64_t *next);
/* Adds to the text of a block that runs. */
void print_log_add(struct print_log *log, uint64_t block, struct printed *printed,
                   const char *bytes, size_t size);
/* The block has ended, or will not go on: then the blocks behind it are not delivered any more. Takes the
 * text over and leaves `printed` empty. From any thread. */
void print_log_end(struct print_log *log, uint64_t block, struct printed *printed, bool failed);
/* Hands out what is left of the texts of the blocks up to `last`. */
void print_log_deliver(struct print_log *log, uint64_t last);

#endif
