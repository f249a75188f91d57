// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "api/handles.h"
#include "base/outfile.h"

struct ws_output {
    ws_context *context;
    struct outfile file;
};

ws_status ws_output_open(ws_context *context, const char *path, ws_output **out)
{
    struct diag *diag = &context->diag;
    ws_output *output = *out = NULL;
    output = calloc(1, sizeof *output);
    if (!output) return diag_error(diag, WS_ERR_MEMORY, "%s: out of memory", path);
    output->context = context;
    ws_status status = outfile_open(diag, path, &output->file);
    if (status == WS_OK)
        *out = output;
    else
        free(output);
    return status;
}

bool ws_output_write(void *output, const char *bytes, size_t size)
{
    return outfile_write(&((ws_output *)output)->file, bytes, size);
}

ws_status ws_output_close(ws_output *output)
{
    ws_status status = outfile_close(&output->context->diag, &output->file);
    free(output);
    return status;
}

void ws_output_discard(ws_output *output)
{
    if (!output) return;
    outfile_discard(&output->file);
    free(output);
}
