// SPDX-License-Identifier: Apache-2.0
/* .cl to PTX: clang's NVPTX target with the built-in functions of libclc, and a few of our own that
 * libclc leaves to instructions which that target does not have. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "decode/input.h"
#include "decode/opencl/opencl_header.h"
#include "decode/tool.h"

/* Newest last: what Debian and Ubuntu have had. */
enum { OLDEST_CLANG = 11, NEWEST_CLANG = 24 };

static char *find_clang(const char *tool_path)
{
    char *clang = tool_find(tool_path, "clang");
    for (unsigned version = NEWEST_CLANG; !clang && version >= OLDEST_CLANG; version--) {
        struct strbuf name = {0};
        strbuf_printf(&name, "clang-%u", version);
        clang = tool_find(tool_path, name.data);
        strbuf_clear(&name);
    }
    return clang;
}

/* Beside the folders of the tools: /usr/bin has /usr/lib/clc, /opt/llvm/bin has /opt/llvm/share/clc. */
static const char *find_libclc(struct arena *arena, const char *tool_path)
{
    static const char *const folders[] = {"lib/clc", "share/clc", "lib64/clc"};
    for (const char *at = tool_path; at && *at; at += *at == ':') {
        int length = (int)strcspn(at, ":");
        for (size_t i = 0; length && i < sizeof folders / sizeof folders[0]; i++) {
            const char *path =
                arena_format(arena, "%.*s/../%s/nvptx64--nvidiacl.bc", length, at, folders[i]);
            if (access(path, R_OK) == 0) return path;
        }
        at += length;
    }
    return NULL;
}

/* "14" of clang's "14.0.6"; "" if it does not say. */
static const char *clang_version(struct arena *arena, const char *clang, const char *tool_path)
{
    const char *const arguments[] = {clang, "-dumpversion", NULL};
    char *said = NULL;
    const char *version = "";
    if (tool_run(arguments, tool_path, TOOL_QUESTION_SECONDS, &said) && said)
        version = arena_copy_n(arena, said, strspn(said, "0123456789"));
    mem_free(said);
    return version;
}

static ws_status no_libclc(struct diag *diag, struct arena *arena, const char *path,
                           const char *clang, const char *tool_path)
{
    const char *version = clang_version(arena, clang, tool_path);
    return diag_error(diag, WS_ERR_INPUT,
                      "%s: libclc not found: it provides OpenCL's built-in functions for NVPTX "
                      "(lib/clc/nvptx64--nvidiacl.bc beside the folders of PATH): install "
                      "libclc-%s, the same version as clang",
                      path, *version ? version : "N");
}

static ws_status run_clang(const struct tool_job *job, const char *clang, const char *libclc,
                           char **out, size_t *out_size)
{
    /* The temporary folder must not show in what lines are called. */
    int folder = (int)(strrchr(job->header, '/') - job->header);
    const char *map =
        arena_format(job->arena, "-fdebug-prefix-map=%.*s=warpsage", folder, job->header);
    const char *const arguments[] = {clang,
                                     map,
                                     "-x",
                                     "cl",
                                     "--target=nvptx64--nvidiacl",
                                     "-cl-std=CL1.2",
                                     "-cl-no-stdinc", /* clang's short cut lacks vload_half ... */
                                     "-Xclang",
                                     "-finclude-default-header", /* ... which the header has */
                                     "-Xclang",
                                     "-mlink-builtin-bitcode",
                                     "-Xclang",
                                     libclc,
                                     "-Xclang",
                                     "-target-cpu",
                                     "-Xclang",
                                     "sm_70",
                                     "-Xclang",
                                     "-target-feature",
                                     "-Xclang",
                                     "+ptx63",
                                     "-O3",
                                     "-gline-tables-only",
                                     "-gdwarf-2", /* .file with one name */
                                     "-fno-crash-diagnostics",
                                     "-Wno-unused-command-line-argument",
                                     "-S",
                                     "-include",
                                     job->header,
                                     "-o",
                                     job->ptx,
                                     job->path,
                                     NULL};
    TRY(text_write_file(job->diag, job->header, opencl_header, strlen(opencl_header)));
    return tool_compile(job, arguments, "clang (with libclc)", out, out_size);
}

static ws_status compile_opencl(struct diag *diag, struct arena *arena, const char *path,
                                const char *tool_path, char **out, size_t *out_size)
{
    TRY(text_read_file(diag, arena, path, out, out_size)); /* a plain word if it is not there */
    char *clang = find_clang(tool_path);
    if (!clang)
        return diag_error(
            diag, WS_ERR_INPUT,
            "%s: cannot compile OpenCL C to PTX: clang not found: install clang and the libclc of "
            "its version (clang and libclc-14 on Debian 12), or use a .ptx file",
            path);
    const char *libclc = find_libclc(arena, tool_path);
    char *folder = libclc ? tool_make_folder() : NULL;
    ws_status status;
    if (folder) {
        struct tool_job job = {.diag = diag,
                               .arena = arena,
                               .path = path,
                               .tool_path = tool_path,
                               .ptx = arena_format(arena, "%s/kernel.ptx", folder),
                               .header = arena_format(arena, "%s/warpsage_opencl.h", folder)};
        status = run_clang(&job, clang, libclc, out, out_size);
        const char *const files[] = {job.ptx, job.header};
        tool_remove_folder(folder, files, 2);
    } else if (libclc) {
        status = diag_error(diag, WS_ERR_IO, "%s: cannot create a temporary directory", path);
    } else {
        status = no_libclc(diag, arena, path, clang, tool_path);
    }
    mem_free(clang);
    return status;
}

static bool is_opencl(const char *path)
{
    return input_ends_with(path, ".cl");
}

const struct input_format input_opencl = {
    .recognises = is_opencl, .language = "OpenCL C", .read = compile_opencl};
