// SPDX-License-Identifier: Apache-2.0
/* Checks of the programs that devices execute. */
#include <string.h>

#include "api/handles.h"
#include "check/check_names.h"
#include "check/finding.h"
#include "check/streams.h"

static const char *host_stack(void *user, enum finding_host what, uint64_t address)
{
    static const ws_check_host kinds[] = {[FINDING_HOST_CALL] = WS_CHECK_HOST_CALL,
                                          [FINDING_HOST_ALLOCATED] = WS_CHECK_HOST_ALLOCATED,
                                          [FINDING_HOST_FREED] = WS_CHECK_HOST_FREED};
    const ws_check *check = user;
    return check->host(check->host_user, kinds[what], address);
}

ws_status ws_check_create(ws_context *context, const ws_check_options *options, ws_check **out)
{
    API_CALL_OUT(context, out)
    ws_check_options given = {.size = sizeof given};
    if (options) {
        TRY(handle_check_size(&context->diag, "ws_check_options", options->size,
                              offsetof(ws_check_options, tools) + sizeof options->tools));
        memcpy(&given, options, options->size < sizeof given ? options->size : sizeof given);
    }
    if (given.tools & ~(unsigned)WS_CHECK_ALL)
        return diag_error(&context->diag, WS_ERR_ARGUMENT, "unknown tools of checks: 0x%x",
                          given.tools);
    ws_check *check = mem_zalloc(1, sizeof *check);
    *check = (ws_check){.context = context,
                        .findings = findings_create(given.tools ? given.tools : WS_CHECK_ALL),
                        .host = given.host,
                        .host_user = given.host_user};
    if (given.host) findings_ask_host(check->findings, host_stack, check);
    *out = check;
    return WS_OK;
}

void ws_check_destroy(ws_check *check)
{
    if (!check) return;
    findings_destroy(check->findings);
    mem_free(check);
}

uint64_t ws_check_changes(const ws_check *check)
{
    return check->findings->changes;
}

uint64_t ws_check_count(const ws_check *check)
{
    return check->findings->count;
}

void ws_check_forget(ws_check *check)
{
    findings_forget(check->findings);
}

ws_status ws_check_report(ws_check *check, const ws_check_finding *finding)
{
    API_CALL(check->context)
    struct diag *diag = &check->context->diag;
    TRY(handle_check_size(diag, "ws_check_finding", finding->size, sizeof *finding));
    enum check_code code = check_code_find(finding->code);
    if (code == CHECK_CODE_COUNT)
        return diag_error(diag, WS_ERR_ARGUMENT, "unknown code of a finding: '%s'", finding->code);
    struct check_report report = {.code = code,
                                  .has_address = finding->address != 0,
                                  .address = finding->address,
                                  .bytes = (uint32_t)finding->bytes,
                                  .memory = finding->memory,
                                  .allocation = finding->allocation,
                                  .is_freed = finding->is_freed,
                                  .detail = finding->detail};
    if (!(check_codes[code].tool & check->findings->checker.tools)) return WS_OK;
    findings_add_host(check->findings, &report, finding->host);
    return WS_OK;
}

ws_status ws_check_tools(ws_context *context, const char *names, unsigned *out_tools)
{
    API_CALL(context)
    return check_tools_parse(&context->diag, names, out_tools);
}

ws_status ws_check_save(ws_check *check, const char *path)
{
    API_CALL(check->context)
    struct arena arena = {0};
    struct finding_list list;
    finding_list_of(&arena, check->findings, &list);
    ws_status status = finding_list_save(&check->context->diag, path, &list);
    finding_list_free(&list);
    arena_clear(&arena);
    return status;
}

ws_status ws_check_note(ws_check *check, const char *text)
{
    API_CALL(check->context)
    findings_note(check->findings, text);
    return WS_OK;
}

ws_status ws_check_unchecked(ws_check *check, const char *kernel, const char *why)
{
    API_CALL(check->context)
    findings_unchecked(check->findings, kernel, why);
    return WS_OK;
}

ws_status ws_check_begin(ws_check *check, const ws_check_operation *operation)
{
    API_CALL(check->context)
    TRY(handle_check_size(&check->context->diag, "ws_check_operation", operation->size,
                          sizeof *operation));
    const struct stream_order order = {
        operation->timeline, operation->index,      operation->seen, operation->seen_count,
        operation->done,     operation->done_count, operation->what};
    if (check->findings->streams) streams_begin(check->findings->streams, &order);
    return WS_OK;
}

ws_status ws_check_access(ws_check *check, uint64_t address, uint64_t bytes, bool is_write)
{
    API_CALL(check->context)
    if (streams_is_on(check->findings->streams))
        streams_host_access(check->findings->streams, address, bytes, is_write);
    return WS_OK;
}
