// SPDX-License-Identifier: Apache-2.0
/* What a kernel reaches that cannot be executed, in one error: every instruction once, with all its
 * lines. */
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/strbuf.h"
#include "decode/module.h"
#include "decode/parser.h"

struct place {
    const char *what, *why;
    uint32_t line;
};

/* Places that name the same thing, by line. */
struct group {
    const struct place *places;
    uint32_t count;
};

struct refusal {
    const struct module *module;
    executes_fn *executes;
    bool serves_calls;
    struct place *places;
    uint32_t count, room;
};

static void refuse(struct refusal *refusal, uint32_t line, const char *what, const char *why)
{
    GROW(refusal->places, refusal->count, refusal->room);
    refusal->places[refusal->count++] = (struct place){what, why, line};
}

static void refuse_symbols(struct refusal *refusal, const struct insn *insn)
{
    for (unsigned k = 0; k < (unsigned)insn->ndst + insn->nsrc; k++) {
        const struct operand *operand = insn_operand(insn, k);
        bool names = operand->kind == OPERAND_SYMBOL || operand->kind == OPERAND_ADDRESS;
        if (!names || operand->symbol < 0) continue;
        const struct variable *variable = &refusal->module->variables[operand->symbol];
        if (variable->is_extern && variable->space != SPACE_SHARED)
            refuse(refusal, insn->line, variable->name, "used, but not defined in this file");
    }
}

static const char why_unserved[] =
    "launches by kernels (dynamic parallelism) are executed under warpsage run only";

static bool is_device_runtime(const char *name)
{
    static const char *const begins[] = {BUILTIN_DEVICE_PREFIX, "cudaGraph", "cudaCG"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (!strncmp(name, begins[i], strlen(begins[i]))) return true;
    return false;
}

/* NULL: the engine has the function, or it is defined. */
static const char *why_missing(const struct refusal *refusal, const struct function *callee)
{
    bool is_old = !strncmp(callee->name, "cudaLaunchDevice", 16) ||
                  !strncmp(callee->name, "cudaGetParameterBuffer", 22) ||
                  !strcmp(callee->name, "cudaDeviceSynchronize");
    if (builtin_is_of(callee->builtin, BUILTINS_OF_DEVICE) && !refusal->serves_calls)
        return why_unserved;
    if (callee->is_defined || callee->builtin) return NULL;
    if (is_device_runtime(callee->name))
        return "this function of the device runtime (libcudadevrt) is not supported";
    return is_old ? "launches by kernels in the form before CUDA 12 (CDP1) are not supported"
                  : "called, but not defined in this file";
}

static void refuse_in(struct refusal *refusal, const struct function *function)
{
    if (function->grid_of_clusters)
        refuse(refusal, function->line, ".blocksareclusters",
               "launches whose grid counts clusters (__block_size__) are not supported");
    for (uint32_t i = 0; i < function->unsupported_count; i++)
        refuse(refusal, function->unsupported[i].line, function->unsupported[i].what,
               "not supported");
    if (native_calls(function->native_code, BUILTINS_OF_DEVICE) && !refusal->serves_calls)
        refuse(refusal, function->line, BUILTIN_DEVICE_PREFIX, why_unserved);
    for (uint32_t i = 0; i < function->insn_count; i++) {
        const struct insn *insn = &function->insns[i];
        if (insn->op == OP_CALL && insn->call->function >= 0) {
            const struct function *callee = &refusal->module->functions[insn->call->function];
            const char *why = why_missing(refusal, callee);
            if (why) refuse(refusal, insn->line, callee->name, why);
        }
        refuse_symbols(refusal, insn);
        if (!refusal->executes(insn, function))
            refuse(refusal, insn->line, insn->text, "this form is not supported");
    }
}

static int compare_text(const struct place *a, const struct place *b)
{
    int order = strcmp(a->what, b->what);
    return order ? order : strcmp(a->why, b->why);
}

static int by_text(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    int order = compare_text(a, b);
    return order ? order : (a->line > b->line) - (a->line < b->line);
}

static int by_first_line(const void *left, const void *right)
{
    const struct group *a = left, *b = right;
    if (a->places->line != b->places->line) return a->places->line < b->places->line ? -1 : 1;
    return strcmp(a->places->what, b->places->what);
}

static uint32_t group_places(struct refusal *refusal, struct group *groups)
{
    uint32_t count = 0;
    qsort(refusal->places, refusal->count, sizeof *refusal->places, by_text);
    for (uint32_t i = 0; i < refusal->count; i++) {
        const struct place *place = &refusal->places[i];
        bool same = count && compare_text(groups[count - 1].places, place) == 0;
        if (!same) groups[count++] = (struct group){place, 0};
        groups[count - 1].count++;
    }
    qsort(groups, count, sizeof *groups, by_first_line);
    return count;
}

/* "  lines 12, 40-42: instruction 'cp.async.wait_all': not supported" */
static void describe_group(struct strbuf *text, const struct group *group)
{
    const struct place *places = group->places;
    strbuf_printf(text, "\n  line%s ", group->count > 1 ? "s" : "");
    for (uint32_t i = 0, last; i < group->count; i = last + 1) {
        last = i;
        while (last + 1 < group->count && places[last + 1].line - places[last].line <= 1)
            last++;
        strbuf_printf(text, "%s%u", i ? ", " : "", places[i].line);
        if (places[last].line > places[i].line) strbuf_printf(text, "-%u", places[last].line);
    }
    strbuf_printf(text, ": %s: %s", places->what, places->why);
}

static ws_status report(struct diag *diag, struct refusal *refusal, uint32_t entry)
{
    struct group *groups = mem_zalloc(refusal->count, sizeof *groups);
    uint32_t count = group_places(refusal, groups);
    struct strbuf text = {0};
    for (uint32_t i = 0; i < count; i++)
        describe_group(&text, &groups[i]);
    diag_error(diag, WS_ERR_UNSUPPORTED,
               "%s: kernel '%s' cannot be executed: %s; nothing was executed%s",
               refusal->module->path, refusal->module->functions[entry].display_name,
               quantity_of(refusal->count, "place").text, text.data);
    strbuf_clear(&text);
    mem_free(groups);
    return WS_ERR_UNSUPPORTED;
}

ws_status module_check_supported(struct diag *diag, const struct module *module, uint32_t entry,
                                 executes_fn *executes, bool serves_calls)
{
    bool *reached = mem_zalloc(module->function_count, sizeof *reached);
    struct refusal refusal = {.module = module, .executes = executes, .serves_calls = serves_calls};
    module_reachable(module, entry, reached);
    for (uint32_t f = 0; f < module->function_count; f++)
        if (reached[f]) refuse_in(&refusal, &module->functions[f]);
    mem_free(reached);
    ws_status status = refusal.count ? report(diag, &refusal, entry) : WS_OK;
    mem_free(refusal.places);
    return status;
}
