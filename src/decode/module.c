// SPDX-License-Identifier: Apache-2.0
/* Modules: loading, finding kernels, the layout of shared memory. */
#include "decode/module.h"

#include <stdlib.h>
#include <string.h>

#include "base/memo.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "decode/input.h"
#include "decode/native/cubin.h"
#include "decode/native/fat_binary.h"
#include "decode/native/native_module.h"
#include "decode/parser.h"
#include "decode/tool.h"

/* ---- loading --------------------------------------------------------------------------------- */

static void *move_array(struct arena *arena, const void *items, size_t bytes)
{
    void *copy = arena_alloc(arena, bytes);
    if (bytes) memcpy(copy, items, bytes);
    return copy;
}

static const struct {
    const char *name;
    uint32_t parameters, results;
} builtins[] = {
    [BUILTIN_NONE] = {"", 0, 0},
#define BUILTIN(name, text, parameters, results, bytes)                                            \
    [BUILTIN_##name] = {text, parameters, results},
#include "decode/builtins.def"
#undef BUILTIN
};

enum builtin builtin_find(const char *name)
{
    for (unsigned i = 1; i < BUILTIN_COUNT; i++) {
        size_t length = strlen(builtins[i].name);
        if (strncmp(name, builtins[i].name, length) != 0) continue;
        bool is_variant = i >= BUILTIN_DEVICE_CALLS && !strcmp(name + length, "_ptsz");
        if (!name[length] || is_variant) return (enum builtin)i;
    }
    return BUILTIN_NONE;
}

static enum builtin builtin_of(const struct function *function)
{
    enum builtin found = builtin_find(function->name);
    bool fits = function->parameter_count == builtins[found].parameters &&
                function->return_count == builtins[found].results;
    return fits && (!function->is_defined || builtin_replaces(found)) ? found : BUILTIN_NONE;
}

static void settle(struct parser *parser, struct module *module)
{
    parser_settle_sources(parser);
    module->files =
        move_array(&module->arena, parser->files, parser->file_count * sizeof *parser->files);
    module->file_count = parser->file_count;
    module->place_count = parser->place_count;
    module->places =
        move_array(&module->arena, parser->places, parser->place_count * sizeof *parser->places);
    for (uint32_t f = 0; f < parser->function_count; f++)
        parser->functions[f].builtin = (uint8_t)builtin_of(&parser->functions[f]);
    module->variable_count = parser->variable_count;
    module->variables = move_array(&module->arena, parser->variables,
                                   parser->variable_count * sizeof *parser->variables);
    module->function_count = parser->function_count;
    module->functions = move_array(&module->arena, parser->functions,
                                   parser->function_count * sizeof *parser->functions);
    order_classify(module);
}

/* Takes the module with its text over; destroys it on failure. */
static ws_status decode_text(struct diag *diag, struct module *module, struct module **out)
{
    struct parser parser = {.diag = diag, .module = module, .arena = &module->arena};
    parser.body.function = -1;
    parser_declare_specials(&parser);
    parser.special_mark = parser.names.symbol_count;
    lexer_init(&parser.lexer, module->ptx, module->ptx_size);
    ws_status status = parser_file(&parser);
    if (status == WS_OK) {
        settle(&parser, module);
        *out = module;
    }
    parser_clear(&parser);
    if (status != WS_OK) module_destroy(module);
    return status;
}

/* The newest PTX of each fat binary of the file, one after the other; false: there is none. */
static ws_status gather_ptx(struct diag *diag, struct module *module, const struct fat_file *file,
                            bool *out_found)
{
    struct strbuf text = {0};
    *out_found = false;
    for (size_t i = 0; i < file->count; i++) {
        const struct fat_image *image = &file->images[i];
        bool is_newest = image->is_ptx;
        for (size_t k = 0; k < file->count; k++)
            if (file->images[k].is_ptx && file->images[k].binary == image->binary &&
                file->images[k].target > image->target)
                is_newest = false;
        if (!is_newest) continue;
        void *bytes;
        ws_status status = fat_image_unpack(diag, file, image, &bytes);
        if (status != WS_OK) {
            strbuf_clear(&text);
            return status;
        }
        strbuf_puts(&text, bytes);
        strbuf_puts(&text, "\n");
        mem_free(bytes);
        *out_found = true;
    }
    if (*out_found) {
        module->ptx_size = text.length;
        module->ptx = arena_copy_n(&module->arena, text.data, text.length);
    }
    strbuf_clear(&text);
    return WS_OK;
}

struct cubins {
    struct cubin **items;
    size_t count, capacity;
};

static ws_status read_cubin(struct diag *diag, const struct fat_file *file,
                            const struct fat_image *image, struct cubins *out)
{
    void *bytes;
    TRY(fat_image_unpack(diag, file, image, &bytes));
    GROW(out->items, out->count, out->capacity);
    ws_status status = cubin_read(diag, file->path, bytes, image->size, &out->items[out->count]);
    out->count += status == WS_OK;
    mem_free(bytes);
    return status;
}

/* The cubins for the newest target that is read, one of each fat binary. */
static ws_status fill_from_cubins(struct diag *diag, struct module *module,
                                  const struct fat_file *file)
{
    struct cubins cubins = {0};
    unsigned target;
    TRY(fat_file_pick(diag, file, 0, &target));
    ws_status status = WS_OK;
    for (size_t i = 0; i < file->count && status == WS_OK; i++)
        if (!file->images[i].is_ptx && file->images[i].target == target)
            status = read_cubin(diag, file, &file->images[i], &cubins);
    if (status == WS_OK) status = native_module_fill(diag, cubins.items, cubins.count, module);
    for (size_t i = 0; i < cubins.count; i++)
        cubin_destroy(cubins.items[i]);
    mem_free(cubins.items);
    return status;
}

/* A file of machine code, which may hold PTX, too: that is taken then. */
static ws_status decode_fat(struct diag *diag, struct module *module, struct module **out)
{
    struct fat_file file;
    bool has_ptx = false;
    ws_status status =
        fat_file_read(diag, &module->arena, module->path, module->ptx, module->ptx_size, &file);
    if (status == WS_OK) status = gather_ptx(diag, module, &file, &has_ptx);
    if (status == WS_OK && has_ptx) return decode_text(diag, module, out);
    if (status == WS_OK) status = fill_from_cubins(diag, module, &file);
    if (status == WS_OK)
        *out = module;
    else
        module_destroy(module);
    return status;
}

static ws_status decode_bytes(struct diag *diag, struct module *module, struct module **out)
{
    if (fat_file_recognises(module->ptx, module->ptx_size)) return decode_fat(diag, module, out);
    return decode_text(diag, module, out);
}

static struct module *module_create(const char *path)
{
    static uint64_t created;
    struct module *module = mem_zalloc(1, sizeof *module);
    module->id = __atomic_add_fetch(&created, 1, __ATOMIC_RELAXED);
    module->path = arena_copy(&module->arena, path);
    module->target_name = "";
    module->address_bits = 32; /* until .address_size; the default since PTX 2.3 */
    return module;
}

void module_destroy(struct module *module)
{
    if (!module) return;
    if (module->texts) memo_clear(module->texts);
    mem_free(module->texts);
    arena_clear(&module->arena);
    mem_free(module->ptxas);
    mem_free(module);
}

ws_status module_load_memory(struct diag *diag, const char *name, const void *bytes, size_t size,
                             struct module **out)
{
    *out = NULL;
    struct module *module = module_create(name);
    module->ptx = arena_copy_n(&module->arena, bytes, size);
    module->ptx_size = size;
    return decode_bytes(diag, module, out);
}

ws_status module_load_file(struct diag *diag, const char *path, const char *tool_path,
                           struct module **out)
{
    *out = NULL;
    struct module *module = module_create(path);
    char *text = NULL;
    size_t size = 0;
    const struct input_format *format = input_find(path);
    ws_status status = format->read(diag, &module->arena, path, tool_path, &text, &size);
    if (status != WS_OK) {
        module_destroy(module);
        return status;
    }
    module->language = format->language;
    module->ptx = text;
    module->ptx_size = size;
    module->ptxas = tool_find(tool_path, "ptxas");
    return decode_bytes(diag, module, out);
}

/* ---- finding a kernel ------------------------------------------------------------------------ */

/* "sgemm" of "ns::sgemm<float, 16>" */
static bool is_base_name(const char *display, const char *name)
{
    size_t length = strcspn(display, "<(");
    size_t start = length;
    while (start > 0 && display[start - 1] != ':')
        start--;
    return strlen(name) == length - start && !strncmp(display + start, name, length - start);
}

static ws_status no_kernels(struct diag *diag, const struct module *module)
{
    return diag_error(diag, WS_ERR_ARGUMENT,
                      "%s: the file contains no kernel (a __global__ function)", module->path);
}

static ws_status unknown_kernel(struct diag *diag, const struct module *module, const char *name)
{
    struct arena arena = {0};
    const char **names = ARENA_ARRAY(&arena, const char *, module->function_count);
    size_t count = 0;
    for (uint32_t f = 0; f < module->function_count; f++)
        if (module->functions[f].is_entry && module->functions[f].is_defined)
            names[count++] = module->functions[f].display_name;
    if (count == 0) {
        arena_clear(&arena);
        return no_kernels(diag, module);
    }
    const char *near = text_hint(&arena, name, names, count);
    diag_error(diag, WS_ERR_ARGUMENT, "%s: unknown kernel '%s'%s", module->path, name, near);
    if (!*near) {
        struct strbuf list = {0};
        for (size_t i = 0; i < count && i < 20; i++)
            strbuf_printf(&list, "%s%s", i ? ", " : "", names[i]);
        diag_add(diag, "  available kernels: %s%s", list.data, count > 20 ? ", ..." : "");
        strbuf_clear(&list);
    }
    arena_clear(&arena);
    return WS_ERR_ARGUMENT;
}

static uint32_t count_entries(const struct module *module, const char *name)
{
    uint32_t count = 0;
    for (uint32_t f = 0; f < module->function_count; f++)
        count += module->functions[f].is_entry && module->functions[f].is_defined &&
                 !strcmp(module->functions[f].name, name);
    return count;
}

/* Of several cubins in one file. */
static ws_status several_kernels(struct diag *diag, const struct module *module, const char *name,
                                 uint32_t count)
{
    return diag_error(
        diag, WS_ERR_ARGUMENT,
        "%s: %u kernels are named '%s', each in a cubin of its own: extract the wanted "
        "cubin (cuobjdump -xelf all) and analyze that",
        module->path, count, name);
}

ws_status module_find_entry(struct diag *diag, const struct module *module, const char *name,
                            uint32_t *out_function)
{
    uint32_t found = 0, matches = 0, by_display = 0, by_name = 0;
    *out_function = 0;
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct function *function = &module->functions[f];
        if (!function->is_entry || !function->is_defined) continue;
        if (!strcmp(function->name, name) && by_name++ == 0) *out_function = f;
        bool is_display = !strcmp(function->display_name, name);
        if (is_display && by_display++ == 0) found = f, matches = 0;
        if (!is_display && !by_display && is_base_name(function->display_name, name))
            found = f, matches++;
    }
    if (by_name == 1) return WS_OK;
    if (by_name) return several_kernels(diag, module, name, by_name);
    if (by_display == 1 || (by_display == 0 && matches == 1)) {
        *out_function = found;
        return WS_OK;
    }
    if (by_display == 0 && matches == 0) return unknown_kernel(diag, module, name);
    const char *first = module->functions[found].name;
    uint32_t equal = count_entries(module, first);
    if (equal == by_display + (by_display ? 0 : matches))
        return several_kernels(diag, module, first, equal);
    diag_error(diag, WS_ERR_ARGUMENT, "%s: '%s' is ambiguous: use the full kernel name",
               module->path, name);
    for (uint32_t f = 0, shown = 0; f < module->function_count && shown < 10; f++) {
        const struct function *function = &module->functions[f];
        if (!function->is_entry || !function->is_defined) continue;
        if (strcmp(function->display_name, name) != 0 &&
            !is_base_name(function->display_name, name))
            continue;
        diag_add(diag, "  %s  (%s)", function->name, function->display_name);
        shown++;
    }
    return WS_ERR_ARGUMENT;
}

/* ---- shared memory --------------------------------------------------------------------------- */

static void mark_shared_use(const struct module *module, const struct function *function,
                            bool *used)
{
    for (uint32_t i = 0; i < function->insn_count; i++) {
        const struct insn *insn = &function->insns[i];
        for (unsigned k = 0; k < (unsigned)insn->ndst + insn->nsrc; k++) {
            const struct operand *operand = insn_operand(insn, k);
            bool names = operand->kind == OPERAND_SYMBOL || operand->kind == OPERAND_ADDRESS;
            if (names && operand->symbol >= 0 &&
                module->variables[operand->symbol].space == SPACE_SHARED)
                used[operand->symbol] = true;
        }
    }
}

static uint64_t align_to(uint64_t at, uint64_t alignment)
{
    return (at + alignment - 1) & ~(alignment - 1);
}

uint64_t module_shared_layout(const struct module *module, uint32_t entry, uint64_t *offsets)
{
    bool *reached = mem_zalloc(module->function_count, sizeof *reached);
    bool *used = mem_zalloc(module->variable_count, sizeof *used);
    uint64_t end = 0, alignment = 16;
    module_reachable(module, entry, reached);
    for (uint32_t f = 0; f < module->function_count; f++)
        if (reached[f]) mark_shared_use(module, &module->functions[f], used);
    for (uint32_t v = 0; v < module->variable_count; v++) {
        const struct variable *variable = &module->variables[v];
        offsets[v] = UINT64_MAX;
        if (!used[v]) continue;
        if (variable->is_extern) {
            if (variable->alignment > alignment) alignment = variable->alignment;
            continue;
        }
        offsets[v] = align_to(end, variable->alignment);
        end = offsets[v] + variable->bytes;
    }
    for (uint32_t v = 0; v < module->variable_count; v++)
        if (used[v] && module->variables[v].is_extern) offsets[v] = align_to(end, alignment);
    mem_free(used);
    mem_free(reached);
    return end;
}
