// SPDX-License-Identifier: Apache-2.0
/* What the native compiler makes of PTX: its code, and the registers per thread that `ptxas -v` tells. */
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

/* Runs ptxas on the module. `said`: what it printed; `code`: bytes of the cubin, in the arena; each may be
 * NULL. */
static ws_status compile(struct diag *diag, const struct module *module, unsigned target,
                         bool lines, char **said, struct arena *arena, char **code,
                         size_t *code_size)
{
    char *folder = tool_make_folder();
    if (!folder)
        return diag_error(diag, WS_ERR_COMPARE, "%s: cannot create a temporary directory",
                          module->path);
    struct strbuf text = {0}, file = {0}, cubin = {0};
    char option[32];
    snprintf(option, sizeof option, "-arch=sm_%u", target);
    strbuf_printf(&file, "%s/kernel.ptx", folder);
    strbuf_printf(&cubin, "%s/kernel.cubin", folder);
    retarget(module, target, &text);
    const char *const arguments[] = {
        module->ptxas, "-v", option, "-o", cubin.data, file.data, lines ? "-lineinfo" : NULL, NULL};
    ws_status status = text_write_file(diag, file.data, text.data, text.length);
    if (status == WS_OK && !tool_run(arguments, NULL, TOOL_PTXAS_SECONDS, said))
        status = diag_error(diag, WS_ERR_COMPARE, "%s: ptxas does not compile it for sm_%u:\n%s",
                            module->path, target, *said ? *said : "");
    if (status == WS_OK && code) status = text_read_file(diag, arena, cubin.data, code, code_size);
    unlink(file.data);
    unlink(cubin.data);
    strbuf_clear(&text);
    strbuf_clear(&file);
    strbuf_clear(&cubin);
    tool_remove_folder(folder, NULL, 0);
    return status;
}

static ws_status find_target(struct diag *diag, const struct module *module, unsigned wanted,
                             unsigned *out)
{
    char *help = NULL;
    *out = 0;
    if (!module->ptxas)
        return diag_error(diag, WS_ERR_COMPARE, "%s: ptxas not found", module->path);
    const char *const arguments[] = {module->ptxas, "--help", NULL};
    if (tool_run(arguments, NULL, TOOL_QUESTION_SECONDS, &help))
        *out = nearest_target(help, wanted);
    mem_free(help);
    if (!*out)
        return diag_error(diag, WS_ERR_COMPARE, "%s: '%s' does not list its targets", module->path,
                          module->ptxas);
    return WS_OK;
}

void module_find_ptxas(struct module *module, const char *tool_path)
{
    if (!module->ptxas) module->ptxas = tool_find(tool_path, "ptxas");
}

ws_status module_ptxas_registers(struct diag *diag, const struct module *module, uint32_t entry,
                                 unsigned wanted, unsigned *out_target, struct ptxas_registers *out)
{
    unsigned target;
    char *said = NULL;
    *out_target = 0;
    *out = (struct ptxas_registers){0};
    TRY(find_target(diag, module, wanted, &target));
    ws_status status = compile(diag, module, target, false, &said, NULL, NULL, NULL);
    if (status == WS_OK && !find_registers(said, module->functions[entry].name, out))
        status = diag_error(diag, WS_ERR_COMPARE,
                            "%s: ptxas gave no register count for '%s' on sm_%u:\n%s", module->path,
                            module->functions[entry].name, target, said ? said : "");
    mem_free(said);
    *out_target = target;
    return status;
}

ws_status module_compile_native(struct diag *diag, const struct module *module, unsigned wanted,
                                struct module **out)
{
    unsigned target;
    char *said = NULL, *code = NULL;
    size_t code_size = 0;
    struct arena arena = {0};
    *out = NULL;
    if (module->native)
        return diag_error(diag, WS_ERR_ARGUMENT, "%s: it is native code already", module->path);
    TRY(find_target(diag, module, wanted, &target));
    if (target != wanted)
        return diag_error(diag, WS_ERR_COMPARE, "%s: '%s' does not compile for sm_%u", module->path,
                          module->ptxas, wanted);
    ws_status status = compile(diag, module, target, true, &said, &arena, &code, &code_size);
    if (status == WS_OK) status = module_load_memory(diag, module->path, code, code_size, out);
    arena_clear(&arena);
    mem_free(said);
    return status;
}
