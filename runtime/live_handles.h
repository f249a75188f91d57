// SPDX-License-Identifier: Apache-2.0
/* Handles that programs hold: which are live. A pointer that is none, or whose object was destroyed, is told
 * from a live one without being followed. */
#ifndef RUNTIME_LIVE_HANDLES_H
#define RUNTIME_LIVE_HANDLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum handle_kind {
    HANDLE_STREAM = 1,
    HANDLE_EVENT,
    HANDLE_GRAPH,
    HANDLE_NODE,
    HANDLE_ARRAY,
    HANDLE_POOL,
    HANDLE_MODULE,
    HANDLE_LINKER,
};

/* A live object of zeros; NULL: out of memory. */
void *handle_create(enum handle_kind kind, size_t bytes);
bool handle_is(enum handle_kind kind, const void *handle);
/* The runtime's own: no leak. */
void handle_keep(const void *handle);
void handle_keep_all(void);
/* "stream" */
const char *handle_kind_name(enum handle_kind kind);
/* Live ones that the program holds; made: the stack of the call that made it (host_stack.h). */
typedef void handle_fn(void *user, enum handle_kind kind, const void *handle, uint32_t made);
void handle_each(handle_fn *visit, void *user);

/* While checks are on: what a call of this thread was given that is no live object. */
struct handle_miss {
    const void *handle;
    enum handle_kind kind;
    bool was_live;
    uint32_t made, gone; /* host_stack.h */
};
bool handle_has_miss(void);
/* The last one, once; false: none. */
bool handle_take_miss(struct handle_miss *out);

/* Its memory is not handed out again soon, so that a stale handle is not taken for a new one. */
void handle_destroy(enum handle_kind kind, void *handle);

#endif
