// SPDX-License-Identifier: Apache-2.0
#include "decode/input.h"

#include <string.h>

#include "base/text.h"
#include "decode/module.h"

bool input_ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && !strcmp(path + length - tail, ending);
}

/* ---- PTX and machine code as they are ---------------------------------------------------------------------------- */

static bool is_ptx(const char *path)
{
    return input_ends_with(path, ".ptx") || input_ends_with(path, ".cubin");
}

static ws_status read_ptx(struct diag *diag, struct arena *arena, const char *path,
                          const char *tool_path, char **out, size_t *out_size)
{
    (void)tool_path;
    return text_read_file(diag, arena, path, out, out_size);
}

const struct input_format input_ptx = {.recognises = is_ptx, .read = read_ptx};

/* ---- all formats ----------------------------------------------------------------------------- */

static const struct input_format *const formats[] = {
#define INPUT(format) &format,
#include "decode/input_formats.def"
#undef INPUT
};

const struct input_format *input_find(const char *path)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i]->recognises(path)) return formats[i];
    return &input_ptx;
}

bool module_recognises(const char *path)
{
    return input_find(path)->recognises(path);
}
