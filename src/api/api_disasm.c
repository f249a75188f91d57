// SPDX-License-Identifier: Apache-2.0
/* A file with machine code -> its cubins -> listings. */
#include <stddef.h>

#include "api/handles.h"
#include "base/float_state.h"
#include "base/text.h"
#include "decode/native/cubin.h"
#include "decode/native/fat_binary.h"
#include "decode/native/listing.h"
#include "render/disasm.h"

/* Programs may be larger than other inputs: a guess, above the largest libraries of kernels. */
#define PROGRAM_MOST (UINT64_C(4) << 30)

struct names {
    const char **items;
    uint32_t count, capacity;
};

struct job {
    struct diag *diag;
    ws_disasm_options options;
    struct arena arena;
    struct fat_file file;
    unsigned target;
    struct disasm disasm;
    struct names names; /* of kernels, for the message if the wanted one is not there */
};

static void remember_names(struct job *job, const struct cubin *cubin)
{
    for (uint32_t i = 0; i < cubin->entry_count; i++) {
        GROW(job->names.items, job->names.count, job->names.capacity);
        job->names.items[job->names.count++] =
            arena_copy(&job->arena, cubin->functions[i].display_name);
    }
}

static void list_cubin(struct job *job, const struct cubin *cubin)
{
    struct listing listing;
    listing_create(cubin, job->options.kernel, &listing);
    if (!listing.count && job->options.kernel) remember_names(job, cubin);
    disasm_write(&job->disasm, &listing);
    listing_clear(&listing);
}

static ws_status list_image(struct job *job, const struct fat_image *image)
{
    void *bytes;
    struct cubin *cubin = NULL;
    ws_status status = fat_image_unpack(job->diag, &job->file, image, &bytes);
    if (status == WS_OK) status = cubin_read(job->diag, job->file.path, bytes, image->size, &cubin);
    mem_free(bytes);
    if (status == WS_OK) list_cubin(job, cubin);
    cubin_destroy(cubin);
    return status;
}

static ws_status no_function(struct job *job)
{
    if (!job->options.kernel)
        return diag_error(job->diag, WS_ERR_INPUT, "%s: error: the file contains no function",
                          job->file.path);
    return diag_error(
        job->diag, WS_ERR_ARGUMENT, "%s: the file contains no kernel '%s'%s", job->file.path,
        job->options.kernel,
        text_hint(&job->arena, job->options.kernel, job->names.items, job->names.count));
}

static ws_status read_file(struct job *job, const char *path)
{
    char *bytes;
    size_t size;
    TRY(text_read_at_most(job->diag, &job->arena, path, PROGRAM_MOST, &bytes, &size));
    TRY(fat_file_read(job->diag, &job->arena, path, bytes, size, &job->file));
    job->target = job->options.target;
    if (job->file.count == 1 && !job->file.images[0].is_ptx && !job->target) {
        job->target = job->file.images[0].target; /* cubin_read tells why not, if it cannot */
        return WS_OK;
    }
    return fat_file_pick(job->diag, &job->file, job->options.target, &job->target);
}

static ws_status list_file(struct job *job, const char *path)
{
    TRY(read_file(job, path));
    disasm_begin(&job->disasm, path);
    for (size_t i = 0; i < job->file.count && !job->disasm.failed; i++) {
        const struct fat_image *image = &job->file.images[i];
        if (!image->is_ptx && image->target == job->target) TRY(list_image(job, image));
    }
    if (!job->disasm.functions) return no_function(job);
    return disasm_end(&job->disasm, job->diag);
}

static ws_status tell(struct job *job, ws_disasm_info *out)
{
    const struct disasm *d = &job->disasm;
    if (out)
        *out = (ws_disasm_info){.size = sizeof *out,
                                .target = job->target,
                                .functions = d->functions,
                                .instructions = d->instructions,
                                .unknown = d->unknown};
    if (!d->unknown) return WS_OK;
    return diag_error(job->diag, WS_ERR_UNSUPPORTED,
                      "%s: %llu of %llu instructions are unknown: they are written as ? with their "
                      "bits",
                      job->file.path, (unsigned long long)d->unknown,
                      (unsigned long long)d->instructions);
}

static ws_status check_options(struct diag *diag, const ws_disasm_options *given,
                               ws_disasm_options *out)
{
    *out = (ws_disasm_options){.size = sizeof *out, .lines = WS_DISASM_SOURCE};
    if (!given) return WS_OK;
    TRY(handle_check_size(diag, "ws_disasm_options", given->size, sizeof *given));
    *out = *given;
    if (out->format == WS_FORMAT_TEXT || out->format == WS_FORMAT_JSON) return WS_OK;
    return diag_error(diag, WS_ERR_ARGUMENT, "a disassembly is written as text or JSON");
}

ws_status ws_disassemble(ws_context *context, const char *path, const ws_disasm_options *options,
                         ws_write_fn *write, void *user, ws_disasm_info *out)
{
    STANDARD_FLOATS;
    API_CALL(context)
    struct job job = {.diag = &context->diag, .disasm = {.write = write, .user = user}};
    if (out) TRY(handle_check_size(job.diag, "ws_disasm_info", out->size, sizeof *out));
    TRY(check_options(job.diag, options, &job.options));
    if (out) *out = (ws_disasm_info){.size = out->size};
    job.disasm.is_json = job.options.format == WS_FORMAT_JSON;
    job.disasm.shows_source = job.options.lines & WS_DISASM_SOURCE;
    job.disasm.shows_ptx = job.options.lines & WS_DISASM_PTX;
    ws_status status = list_file(&job, path);
    if (status == WS_OK) status = tell(&job, out);
    disasm_clear(&job.disasm);
    mem_free(job.names.items);
    arena_clear(&job.arena);
    return status;
}
