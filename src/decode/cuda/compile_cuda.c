// SPDX-License-Identifier: Apache-2.0
/* .cu to PTX: nvcc, else clang with the header of cuda_header.c. */
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "decode/cuda/cuda_header.h"
#include "decode/input.h"
#include "decode/tool.h"

static ws_status run_nvcc(const struct tool_job *job, const char *nvcc, char **out,
                          size_t *out_size)
{
    const char *const arguments[] = {nvcc, "-ptx",   "-lineinfo", "-arch=sm_75",
                                     "-o", job->ptx, job->path,   NULL};
    return tool_compile(job, arguments, "nvcc", out, out_size);
}

static ws_status run_clang(const struct tool_job *job, const char *clang, char **out,
                           size_t *out_size)
{
    const char *const arguments[] = {clang,
                                     "-x",
                                     "cuda",
                                     "--cuda-device-only",
                                     "--cuda-gpu-arch=sm_70",
                                     "-nocudainc",
                                     "-nocudalib",
                                     "-Xclang",
                                     "-target-feature",
                                     "-Xclang",
                                     "+ptx63", /* the .sync instructions */
                                     "-O3",
                                     "-std=c++17",
                                     "-gline-tables-only",
                                     "-Wno-unknown-cuda-version",
                                     "-fno-crash-diagnostics",
                                     "-S",
                                     "-include",
                                     job->header,
                                     "-o",
                                     job->ptx,
                                     job->path,
                                     NULL};
    struct strbuf header = {0};
    for (const char *const *part = cuda_header; *part; part++)
        strbuf_puts(&header, *part);
    ws_status status = text_write_file(job->diag, job->header, header.data, header.length);
    strbuf_clear(&header);
    if (status != WS_OK) return status;
    return tool_compile(job, arguments, "clang (nvcc not found)", out, out_size);
}

static ws_status compile_cuda(struct diag *diag, struct arena *arena, const char *path,
                              const char *tool_path, char **out, size_t *out_size)
{
    TRY(text_read_file(diag, arena, path, out, out_size)); /* a plain word if it is not there */
    char *nvcc = tool_find(tool_path, "nvcc");
    char *clang = nvcc ? NULL : tool_find(tool_path, "clang");
    if (!nvcc && !clang)
        return diag_error(diag, WS_ERR_INPUT,
                          "%s: cannot compile CUDA to PTX: neither nvcc nor clang found: install "
                          "the CUDA toolkit or clang, or use a .ptx file",
                          path);
    char *folder = tool_make_folder();
    ws_status status;
    if (folder) {
        struct tool_job job = {.diag = diag,
                               .arena = arena,
                               .path = path,
                               .tool_path = tool_path,
                               .ptx = arena_format(arena, "%s/kernel.ptx", folder),
                               .header = arena_format(arena, "%s/cuda.h", folder)};
        status = nvcc ? run_nvcc(&job, nvcc, out, out_size) : run_clang(&job, clang, out, out_size);
        const char *const files[] = {job.ptx, job.header};
        tool_remove_folder(folder, files, 2);
    } else {
        status = diag_error(diag, WS_ERR_IO, "%s: cannot create a temporary directory", path);
    }
    mem_free(nvcc);
    mem_free(clang);
    return status;
}

static bool is_cuda(const char *path)
{
    return input_ends_with(path, ".cu");
}

const struct input_format input_cuda = {.recognises = is_cuda, .read = compile_cuda};
