// SPDX-License-Identifier: Apache-2.0
#include "api/handles.h"
#include "base/outfile.h"

struct ws_output {
    ws_context *context;
    struct outfile file;
};

ws_status ws_output_open(ws_context *context, const char *path, ws_output **out)
{
    API_CALL_OUT(context, out)
    ws_output *output = mem_zalloc(1, sizeof *output);
    output->context = context;
    ws_status status = outfile_open(&context->diag, path, &output->file);
    if (status == WS_OK)
        *out = output;
    else
        mem_free(output);
    return status;
}

bool ws_output_write(void *output, const char *bytes, size_t size)
{
    return outfile_write(&((ws_output *)output)->file, bytes, size);
}

static void discard(void *output)
{
    ws_output_discard(output);
}

ws_status ws_output_close(ws_output *output)
{
    ws_context *context = output->context;
    API_CALL(context)
    struct mem_guard guard;
    mem_guard_begin(&guard, discard, output);
    ws_status status = outfile_close(&context->diag, &output->file);
    mem_guard_end(&guard);
    mem_free(output);
    return status;
}

void ws_output_discard(ws_output *output)
{
    if (!output) return;
    outfile_discard(&output->file);
    mem_free(output);
}
