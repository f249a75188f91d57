// SPDX-License-Identifier: Apache-2.0
/* Checks of `warpsage check` on the host's side: misuse of the API and leaks. Without the option `check` of the session
 * nothing is kept, and all of these return at once. All with the lock.
 *
 *   host_check.c         start, the file of findings, what they say
 *   host_memory.c  allocations, live and freed
 *   host_copies.c  copies and fills
 *   host_leaks.c   what lives at the end
 *   host_stack.c      where the program called; host_lines.c: source lines */
#ifndef RUNTIME_HOST_CHECK_H
#define RUNTIME_HOST_CHECK_H

#include "work.h"

/* Before the device is created. */
ws_status check_start(void);
static inline bool check_is_on(void)
{
    return runtime.check != NULL;
}

/* A finding at the call that goes on, by its code ("M20"). */
void check_found(const char *code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same about an address of `bytes` bytes. */
void check_found_at(const char *code, uint64_t address, uint64_t bytes, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The end of a call: findings since the last one are written, and what the error may say. */
void check_call_end(cudaError_t error);
/* The same for calls of the driver API, which the runtime's have told what else they know. */
void check_scope_end(cudaError_t error);
/* A launch that cannot be executed here; why: in words. */
void check_unchecked(const char *kernel, const char *why);
/* The launch or copy that follows was asked for here: findings of kernels name it. */
void check_enter_work(void);

/* ---- memory ---------------------------------------------------------------------------------- */

enum memory_kind {
    MEMORY_KIND_DEVICE,
    MEMORY_KIND_MANAGED,
    MEMORY_KIND_PINNED,
    MEMORY_KIND_REGISTERED
};

struct memory_record {
    uint64_t address, bytes;
    enum memory_kind kind;
    const char *call;     /* that allocated it */
    uint32_t made, freed; /* host_stack.h */
    bool is_kept;         /* by the runtime until the program ends: no leak */
    struct memory_record *next;
};

void check_memory_add(uint64_t address, uint64_t bytes, enum memory_kind kind);
/* It became managed, or is the runtime's. */
void check_memory_set(uint64_t address, enum memory_kind kind, bool is_kept);
void check_memory_drop(uint64_t address);
/* Live or freed memory that holds the address; NULL: unknown. */
const struct memory_record *check_memory_live(uint64_t address);
const struct memory_record *check_memory_freed(uint64_t address);
typedef void check_memory_fn(void *user, const struct memory_record *record);
void check_memory_each(check_memory_fn *visit, void *user);
/* A free that failed; `call_host`: by a function for memory of the host. */
void check_bad_free(const void *pointer, bool call_host);

/* ---- copies and fills ------------------------------------------------------------------------ */

/* What is wrong with it is told; the copy itself fails or not as ever. */
void check_copy(const struct copy_work *copy);
void check_fill(const struct fill_work *fill);

/* ---- leaks ----------------------------------------------------------------------------------- */

/* What the program has not freed becomes findings, once. */
void check_leaks(void);
void check_memory_keep_all(void);
/* The context goes, and all that lives in it. */
void check_context_end(void);

#endif
