// SPDX-License-Identifier: Apache-2.0
/* What the opaque handles of warpsage.h hold. Every handle knows its context, whose diag takes the
 * message of whatever fails. */
#ifndef API_HANDLES_H
#define API_HANDLES_H

#include "base/diag.h"
#include "base/memory.h"
#include "check/findings.h"
#include "decode/module.h"
#include "emulate/emulate.h"
#include "machine/machine.h"
#include "measure/profile.h"
#include "model/core/estimate.h"
#include "recommend/advice.h"
#include "replay/replay.h"

struct ws_context {
    struct diag diag;
    struct ws_device *devices; /* all that live */
    ws_progress_fn *progress;
    void *progress_user;
    ws_cancel_fn *cancel;
    void *cancel_user;
    ws_write_fn *print;
    void *print_user;
    char *machine_dir;         /* NULL: data_folder */
    char *data_folder;         /* the machine files that were found at the start */
    char *tool_path;           /* NULL: no tools */
    char *evidence_path;       /* NULL: beside data_folder */
    struct evidence *evidence; /* read when first needed; NULL: not yet, or there is no such file */
    bool evidence_is_read;
};

/* What ptxas said, so that a kernel launched a thousand times asks it once. */
struct register_answer {
    uint32_t entry;
    unsigned wanted; /* compute capability asked for */
    bool known;
    unsigned target;
    struct ptxas_registers registers;
};
struct register_cache {
    struct register_answer *answers;
    size_t count, capacity;
};

struct ws_module {
    ws_context *context;
    struct module *module;
    uint32_t *entries; /* kernel index -> function index */
    size_t entry_count;
    struct register_cache *registers; /* behind a pointer: filled by launches of a const module */
};

struct ws_device {
    ws_context *context;
    ws_device *next; /* of the context */
    struct device *device;
    struct l2_log *l2; /* l2_log.h; NULL: none is kept */
    uint64_t changes;  /* launches and whatever else may change its memory or L2 */
};

struct ws_check {
    ws_context *context;
    struct findings *findings;
    const char *(*host)(void *user, ws_check_host what, uint64_t address); /* NULL: none */
    void *host_user;
};

struct ws_profile {
    ws_context *context;
    struct profile *profile;
};

struct ws_trace {
    ws_context *context;
    struct replay_list *list;
};

struct ws_machine {
    ws_context *context;
    struct machine *machine;
};

/* Every function of warpsage.h that may need memory begins with one of these: what it returns if memory
 * runs out (base/memory.h). API_CALL: WS_ERR_MEMORY; API_CALL_OUT also sets *out, a handle or a text,
 * to NULL. Until the function ends, `point_` is its recovery point. */
#define API_CALL_OR(on_failure)                                                                    \
    struct mem_point point_ __attribute__((cleanup(mem_point_end)));                               \
    mem_point_begin(&point_);                                                                      \
    if (setjmp(point_.jump)) {                                                                     \
        on_failure;                                                                                \
    }
#define API_CALL(context) API_CALL_OR(return diag_out_of_memory(&(context)->diag, point_.wanted))
#define API_CALL_OUT(context, out)                                                                 \
    *(out) = NULL;                                                                                 \
    API_CALL_OR(*(out) = NULL; return diag_out_of_memory(&(context)->diag, point_.wanted))

/* Checks the size member of an option struct of the caller: the first version is the smallest. */
ws_status handle_check_size(struct diag *diag, const char *what, size_t given, size_t least);
const char *context_machine_dir(const ws_context *context);
/* The errors of the models on measured kernels, which choose the headline; *out NULL if there is no such
 * file. It belongs to the context. */
ws_status context_evidence(ws_context *context, const struct evidence **out);
/* Folder of the machine files that were installed or built with the library; to be freed. NULL: out
 * of memory. */
char *data_folder_find(void);

#endif
