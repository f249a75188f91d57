// SPDX-License-Identifier: Apache-2.0
/* Registers per thread as the native compiler would assign them: `ptxas -v`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "decode/module.h"
#include "decode/tool.h"

/* The targets of `ptxas --help`: "... 'sm_75','sm_80' ..."; its prose names others, unquoted. */
static unsigned nearest_target(const char *help, unsigned wanted)
{
    unsigned best = 0, distance = UINT32_MAX;
    for (const char *at = strstr(help, "sm_"); at; at = strstr(at + 1, "sm_")) {
        char *end;
        unsigned long target = strtoul(at + 3, &end, 10);
        bool is_listed = at > help && at[-1] == '\'' && end > at + 3 && *end == '\'';
        if (!is_listed || target > 200) continue;
        unsigned d = target > wanted ? (unsigned)target - wanted : wanted - (unsigned)target;
        if (d < distance) {
            distance = d;
            best = (unsigned)target;
        }
    }
    return best;
}

/* The text with its .target replaced. A version that is too old for the new target is raised: PTX
 * of an old version means the same in a new one. */
static void retarget(const struct module *module, unsigned target, struct strbuf *out)
{
    bool changes = target != module->target;
    const char *at = module->ptx, *end = module->ptx + module->ptx_size;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *next = newline ? newline + 1 : end;
        const char *word = at + strspn(at, " \t");
        if (!strncmp(word, ".target", 7))
            strbuf_printf(out, ".target sm_%u\n", target);
        else if (changes && !strncmp(word, ".version", 8) && module->version_major < 8)
            strbuf_puts(out, ".version 8.0\n");
        else
            strbuf_append(out, at, (size_t)(next - at));
        at = next;
    }
}

/* "Function properties for NAME" "16 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads"; functions that are
 * not inlined have their own, which are left out. */
static void find_spills(const char *said, const char *end, const char *name,
                        struct ptxas_registers *out)
{
    struct strbuf header = {0};
    strbuf_printf(&header, "Function properties for %s\n", name);
    const char *at = strstr(said, header.data);
    const char *line = at ? at + header.length : NULL;
    strbuf_clear(&header);
    unsigned stack, stores, loads;
    if (!line || (end && line >= end) ||
        sscanf(line, "%9u bytes stack frame, %9u bytes spill stores, %9u bytes spill loads", &stack,
               &stores, &loads) != 3)
        return;
    out->spill_store_bytes = stores;
    out->spill_load_bytes = loads;
}

/* "Compiling entry function 'NAME' for 'sm_75'" ... "Used 12 registers" */
static bool find_registers(const char *said, const char *name, struct ptxas_registers *out)
{
    struct strbuf header = {0};
    strbuf_printf(&header, "entry function '%s'", name);
    const char *at = strstr(said, header.data);
    strbuf_clear(&header);
    const char *next = at ? strstr(at + 1, "Compiling entry function") : NULL;
    const char *used = at ? strstr(at, "Used ") : NULL;
    *out = (struct ptxas_registers){0};
    if (at) find_spills(at, next, name, out);
    return used && (!next || used < next) && sscanf(used, "Used %9u registers", &out->count) == 1;
}

static ws_status ask(struct diag *diag, const struct module *module, uint32_t entry,
                     unsigned target, const char *folder, struct ptxas_registers *out)
{
    struct strbuf text = {0}, file = {0}, cubin = {0};
    char option[32], *said = NULL;
    snprintf(option, sizeof option, "-arch=sm_%u", target);
    strbuf_printf(&file, "%s/kernel.ptx", folder);
    strbuf_printf(&cubin, "%s/kernel.cubin", folder);
    retarget(module, target, &text);
    const char *const arguments[] = {module->ptxas, "-v",      option, "-o",
                                     cubin.data,    file.data, NULL};
    ws_status status = text_write_file(diag, file.data, text.data, text.length);
    if (status == WS_OK && (!tool_run(arguments, NULL, TOOL_PTXAS_SECONDS, &said) ||
                            !find_registers(said, module->functions[entry].name, out)))
        status = diag_error(diag, WS_ERR_COMPARE,
                            "%s: ptxas gave no register count for '%s' on sm_%u:\n%s", module->path,
                            module->functions[entry].name, target, said ? said : "");
    unlink(file.data);
    unlink(cubin.data);
    strbuf_clear(&text);
    strbuf_clear(&file);
    strbuf_clear(&cubin);
    mem_free(said);
    return status;
}

ws_status module_ptxas_registers(struct diag *diag, const struct module *module, uint32_t entry,
                                 unsigned wanted, unsigned *out_target, struct ptxas_registers *out)
{
    char *help = NULL;
    *out_target = 0;
    *out = (struct ptxas_registers){0};
    if (!module->ptxas)
        return diag_error(diag, WS_ERR_COMPARE, "%s: ptxas not found: registers are estimated",
                          module->path);
    const char *const arguments[] = {module->ptxas, "--help", NULL};
    bool answered = tool_run(arguments, NULL, TOOL_QUESTION_SECONDS, &help);
    unsigned target = answered ? nearest_target(help, wanted) : 0;
    mem_free(help);
    if (!target)
        return diag_error(diag, WS_ERR_COMPARE, "%s: '%s' does not list its targets", module->path,
                          module->ptxas);
    char *folder = tool_make_folder();
    if (!folder)
        return diag_error(diag, WS_ERR_COMPARE, "%s: cannot create a temporary directory",
                          module->path);
    ws_status status = ask(diag, module, entry, target, folder, out);
    tool_remove_folder(folder, NULL, 0);
    *out_target = target;
    return status;
}
