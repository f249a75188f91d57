// SPDX-License-Identifier: Apache-2.0
/* Relocatable code linked by NVIDIA's nvlink, which takes files and knows them by the ends of their names. */
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "decode/module.h"
#include "decode/native/cubin.h"
#include "decode/native/fat_binary.h"
#include "decode/tool.h"

struct linking {
    struct diag *diag;
    const char *tool_path;
    unsigned target;
    struct arena arena;
    char *folder;
    const char **files; /* [count + 1]: inputs, then the output; PTX is also there as a cubin */
    size_t count;
};

static const char *ending_of(const struct link_input *input)
{
    static const char archive[] = "!<arch>";
    const char *bytes = input->bytes;
    if (cubin_recognises(bytes, input->size)) return "cubin";
    if (input->size >= strlen(archive) && !memcmp(bytes, archive, strlen(archive))) return "a";
    if (input->size >= 4 && !memcmp(bytes, "\177ELF", 4)) return "o";
    return fat_file_recognises(bytes, input->size) ? "fatbin" : "ptx";
}

static ws_status run_tool(const struct linking *l, const char *const *arguments, const char *what)
{
    char *said = NULL;
    ws_status status = WS_OK;
    if (!tool_run(arguments, l->tool_path, TOOL_PTXAS_SECONDS, &said))
        status = diag_error(l->diag, WS_ERR_COMPARE, "%s fails for sm_%u:\n%s", what, l->target,
                            said ? said : "");
    mem_free(said);
    return status;
}

static ws_status find_tool(struct linking *l, const char *name, const char **out)
{
    char *found = tool_find(l->tool_path, name);
    if (!found)
        return diag_error(l->diag, WS_ERR_COMPARE,
                          "linking machine code requires %s of the CUDA toolkit in PATH", name);
    *out = arena_copy(&l->arena, found);
    mem_free(found);
    return WS_OK;
}

static ws_status compile_relocatable(struct linking *l, const char *ptx, const char *cubin,
                                     const char *option)
{
    const char *ptxas = NULL;
    TRY(find_tool(l, "ptxas", &ptxas));
    const char *const arguments[] = {ptxas, "-c", option, "-o", cubin, ptx, NULL};
    return run_tool(l, arguments, "ptxas");
}

static ws_status write_input(struct linking *l, const struct link_input *input, size_t index,
                             const char *option)
{
    const char *ending = ending_of(input);
    const char *name = arena_format(&l->arena, "%s/input-%zu.%s", l->folder, index, ending);
    l->files[index] = name;
    TRY(text_write_file(l->diag, name, input->bytes, input->size));
    if (strcmp(ending, "ptx") != 0) return WS_OK;
    const char *cubin = arena_format(&l->arena, "%s/input-%zu.cubin", l->folder, index);
    ws_status status = compile_relocatable(l, name, cubin, option);
    remove(name);
    l->files[index] = cubin;
    return status;
}

static ws_status link_all(struct linking *l, const struct link_input *inputs, void **out,
                          size_t *out_size)
{
    enum { WORDS = 5 };
    const char *nvlink = NULL, *option = arena_format(&l->arena, "-arch=sm_%u", l->target);
    const char **arguments = ARENA_ARRAY(&l->arena, const char *, l->count + WORDS);
    char *bytes;
    TRY(find_tool(l, "nvlink", &nvlink));
    for (size_t i = 0; i < l->count; i++)
        TRY(write_input(l, &inputs[i], i, option));
    l->files[l->count] = arena_format(&l->arena, "%s/linked.cubin", l->folder);
    arguments[0] = nvlink;
    arguments[1] = option;
    arguments[2] = "-o";
    arguments[3] = l->files[l->count];
    memcpy(arguments + 4, l->files, l->count * sizeof *arguments);
    TRY(run_tool(l, arguments, "nvlink"));
    TRY(text_read_file(l->diag, &l->arena, l->files[l->count], &bytes, out_size));
    *out = mem_alloc(*out_size + 1);
    memcpy(*out, bytes, *out_size);
    return WS_OK;
}

ws_status native_link(struct diag *diag, const char *tool_path, unsigned target,
                      const struct link_input *inputs, size_t count, void **out, size_t *out_size)
{
    struct linking l = {.diag = diag, .tool_path = tool_path, .target = target, .count = count};
    *out = NULL;
    l.folder = tool_make_folder();
    if (!l.folder) return diag_error(diag, WS_ERR_COMPARE, "cannot create a temporary directory");
    l.files = ARENA_ARRAY(&l.arena, const char *, count + 1);
    ws_status status = link_all(&l, inputs, out, out_size);
    for (size_t i = 0; i <= count; i++)
        if (l.files[i]) remove(l.files[i]);
    tool_remove_folder(l.folder, NULL, 0);
    arena_clear(&l.arena);
    return status;
}
