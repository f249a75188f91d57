// SPDX-License-Identifier: Apache-2.0
/* Handles that programs hold: which are live. A pointer that is none, or whose object was destroyed, is told
 * from a live one without being followed. */
#ifndef RUNTIME_LIVE_HANDLES_H
#define RUNTIME_LIVE_HANDLES_H

#include <stdbool.h>
#include <stddef.h>

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
/* Its memory is not handed out again soon, so that a stale handle is not taken for a new one. */
void handle_destroy(enum handle_kind kind, void *handle);

#endif
