// SPDX-License-Identifier: Apache-2.0
/* Formats of kernel files: each is a folder of src/decode that defines a `struct input_format`, and a row
 * of input_formats.def. */
#ifndef DECODE_INPUT_H
#define DECODE_INPUT_H

#include "base/arena.h"
#include "base/diag.h"

struct input_format {
    bool (*recognises)(const char *path);
    const char *language; /* what profiles name beside PTX, "OpenCL C"; NULL: nothing */
    /* The PTX of the file, in the arena and NUL-terminated. tool_path as of module_load_file. */
    ws_status (*read)(struct diag *diag, struct arena *arena, const char *path,
                      const char *tool_path, char **out, size_t *out_size);
};

#define INPUT(format) extern const struct input_format format;
#include "decode/input_formats.def"
#undef INPUT

/* Of the first row that recognises the file; PTX if none does. */
const struct input_format *input_find(const char *path);
bool input_ends_with(const char *path, const char *ending);

#endif
