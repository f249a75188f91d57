// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "base/float_state.h"
#include "base/quantity.h"
#include "base/text.h"
#include "decode/tool.h"
#include "render/reflow.h"

ws_status ws_context_create(ws_context **out)
{
    *out = NULL;
    API_CALL_OR(*out = NULL; return WS_ERR_MEMORY)
    *out = mem_zalloc(1, sizeof **out);
    (*out)->diag.outlives_calls = true;
    (*out)->data_folder = data_folder_find();
    return WS_OK;
}

void ws_context_destroy(ws_context *context)
{
    if (!context) return;
    diag_clear(&context->diag);
    mem_free(context->machine_dir);
    mem_free(context->data_folder);
    mem_free(context->tool_path);
    mem_free(context->evidence_path);
    evidence_destroy(context->evidence);
    mem_free(context);
}

const char *ws_context_error(const ws_context *context)
{
    return diag_text(&context->diag);
}

void ws_context_set_progress(ws_context *context, ws_progress_fn *fn, void *user)
{
    context->progress = fn;
    context->progress_user = user;
}

void ws_context_set_cancel(ws_context *context, ws_cancel_fn *fn, void *user)
{
    context->cancel = fn;
    context->cancel_user = user;
}

void ws_context_set_print(ws_context *context, ws_write_fn *fn, void *user)
{
    context->print = fn;
    context->print_user = user;
}

/* Replaces *slot by a copy of text, which may be NULL. */
static ws_status set_text(ws_context *context, char **slot, const char *text)
{
    API_CALL(context)
    char *copy = text ? mem_copy(text) : NULL;
    mem_free(*slot);
    *slot = copy;
    return WS_OK;
}

ws_status ws_context_set_machine_dir(ws_context *context, const char *path)
{
    return set_text(context, &context->machine_dir, path);
}

ws_status ws_context_set_tool_path(ws_context *context, const char *path)
{
    return set_text(context, &context->tool_path, path);
}

ws_status ws_context_ask_tool(ws_context *context, const char *name, const char *option,
                              char **out_path, char **out_said)
{
    *out_path = *out_said = NULL;
    API_CALL(context)
    *out_path = tool_find(context->tool_path, name);
    const char *const arguments[] = {*out_path, option, NULL};
    if (!*out_path || tool_run(arguments, context->tool_path, TOOL_QUESTION_SECONDS, out_said))
        return WS_OK;
    mem_free(*out_said);
    *out_said = NULL;
    return WS_OK;
}

const char *context_machine_dir(const ws_context *context)
{
    return context->machine_dir ? context->machine_dir : context->data_folder;
}

const char *ws_context_machine_dir(const ws_context *context)
{
    return context_machine_dir(context);
}

ws_status ws_context_set_evidence(ws_context *context, const char *path)
{
    if (context->evidence_is_read) {
        API_CALL(context)
        return diag_error(&context->diag, WS_ERR_ARGUMENT,
                          "ws_context_set_evidence: predictions already used another file: call it "
                          "before the first prediction");
    }
    return set_text(context, &context->evidence_path, path);
}

ws_status context_evidence(ws_context *context, const struct evidence **out)
{
    struct arena arena = {0};
    ws_status status = WS_OK;
    if (!context->evidence_is_read) {
        const char *path = context->evidence_path;
        if (!path) path = arena_format(&arena, "%s/../evidence.yaml", context->data_folder);
        status = evidence_load(&context->diag, path, &context->evidence);
        if (status == WS_OK && !context->evidence && context->evidence_path)
            status = diag_error(&context->diag, WS_ERR_IO, "%s: evidence file not found", path);
        context->evidence_is_read = status == WS_OK;
        if (context->evidence) {
            mem_keep(context->evidence);
            arena_keep(&context->evidence->arena);
        }
        arena_clear(&arena);
    }
    *out = context->evidence;
    return status;
}

ws_status handle_check_size(struct diag *diag, const char *what, size_t given, size_t least)
{
    if (given >= least) return WS_OK;
    return diag_error(diag, WS_ERR_ARGUMENT,
                      "%s.size is %zu, less than the %zu bytes of this version: set it to "
                      "sizeof(%s)",
                      what, given, least, what);
}

void ws_format_quantity(double value, const char *unit, char *out, size_t size)
{
    STANDARD_FLOATS;
    snprintf(out, size, "%s", quantity_format(value, unit).text);
}

void ws_format_count(double count, const char *noun, char *out, size_t size)
{
    STANDARD_FLOATS;
    snprintf(out, size, "%s", quantity_of(count, noun).text);
}

void ws_free(void *memory)
{
    mem_free(memory);
}

char *ws_nearest(const char *wanted, const char *const *names, size_t count)
{
    API_CALL_OR(return NULL)
    struct arena arena = {0};
    char *copy = mem_copy(text_nearest(&arena, wanted, names, count));
    arena_clear(&arena);
    return copy;
}

char *ws_text_fit(const char *text, unsigned columns)
{
    API_CALL_OR(return NULL)
    struct strbuf out = {0};
    strbuf_puts(&out, text);
    reflow_text(&out, 0,
                columns < REFLOW_LEAST  ? REFLOW_LEAST
                : columns > REFLOW_MOST ? REFLOW_MOST
                                        : columns);
    return strbuf_take(&out);
}
