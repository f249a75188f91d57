// SPDX-License-Identifier: Apache-2.0
/* Kernel arguments (doc/arguments.md): text to description, description to
 * device memory and the parameter block. */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include "cli/cli.h"
#include "cli/options/values.h"

/* An argument as written, and the folder that a relative file: in it is meant from. */
struct arg_text {
    const char *text;
    const char *folder; /* NULL: the current one */
    const char *place;  /* "--arg" or "launch.yaml:7:5", for messages */
};

struct arg {
    enum { ARG_SCALAR, ARG_BUFFER, ARG_SAME, ARG_BYTES, ARG_LOCAL } kind;
    enum {
        INIT_NONE,
        INIT_ZEROS,
        INIT_IOTA,
        INIT_CONST,
        INIT_RANDOM,
        INIT_FILE,
        INIT_MATRIX,
        INIT_CHASE
    } init;
    struct value_type type;
    uint64_t count;   /* elements of a buffer; bytes of local memory */
    uint64_t bits;    /* scalar, const: value; random: seed; same: index */
    const char *path; /* file: */
    const struct arg_matrix *matrix;
    uint64_t stride, jump, chased; /* chase: bytes, elements of the chase, their number */
    uint8_t *bytes;                /* bytes: */
    size_t byte_count;
    uint64_t address; /* of the buffer, once it is allocated */
    struct arg_text source;
};

int arg_parse(struct cli *cli, const struct arg_text *text, struct arg *out);
/* A path in an argument, relative to the folder of its text. */
const char *arg_from_folder(struct cli *cli, const struct arg_text *text, const char *path);

/* Number and kinds against the kernel's parameters; the message lists both. */
int args_check(struct cli *cli, const ws_module *module, size_t kernel, const struct arg *args,
               size_t count);
/* Dynamic shared memory that local: arguments take, each aligned to 16 bytes. */
uint64_t args_local_bytes(const struct arg *args, size_t count);
/* Allocates and fills the buffers and lays out the parameter block. */
int args_place(struct cli *cli, ws_device *device, const ws_module *module, size_t kernel,
               struct arg *args, size_t count, uint8_t **out_block, size_t *out_bytes);

/* The buffer that INDEX means, through @INDEX too; an error if it is none. */
int args_find_buffer(struct cli *cli, const struct arg *args, size_t count, size_t index,
                     const char *option, const struct arg **out);
static inline uint64_t arg_bytes(const struct arg *arg)
{
    return arg->count * (arg->type.bits / 8);
}

#endif
