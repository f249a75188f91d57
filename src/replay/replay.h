// SPDX-License-Identifier: Apache-2.0
/* Recorded traces as a second producer of the events of emulate/observer.h: kernel traces in
 * Accel-Sim's format (kernelslist.g and .traceg, tracer versions 3 to 5; doc/traces.md).
 *
 *     replay_list_read     which kernels there are
 *     replay_open          reads a trace once: header, static instructions, basic blocks
 *     replay_run           reads it again and hands its events to an observer
 *
 * A trace is read twice so that memory holds its code and one basic block, however long it is. */
#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include "base/arena.h"
#include "base/diag.h"
#include "emulate/observer.h"

/* What stands on top of a kernel's trace. */
struct replay_header {
    const char *name, *display_name; /* mangled; as in the source */
    uint64_t id;                     /* of the launch, from 1; 0: not told */
    uint32_t grid[3], block[3];
    uint64_t shared_bytes;            /* static and dynamic */
    unsigned registers;               /* per thread; 0: not told */
    unsigned target;                  /* 80 for sm_80: -binary version */
    unsigned version;                 /* of the tracer */
    uint64_t shared_base, local_base; /* of the windows of generic addresses; 0: not told */
    bool has_lines;                   /* instructions carry source lines */
    bool is_ours;                     /* written by warpsage from an execution */
};

/* A list of kernels, or one trace as a list of its own. Memcpy lines are added up. */
struct replay_item {
    const char *path;
    struct replay_header header;
};
struct replay_list {
    struct arena arena;
    const char *path;
    size_t count;
    struct replay_item *items;
    uint64_t copies, copied_bytes; /* MemcpyHtoD */
};
ws_status replay_list_read(struct diag *diag, const char *path, struct replay_list **out);
void replay_list_destroy(struct replay_list *list);
/* Is this file a kernelslist.g or a trace, judged by its first line? False also if unreadable. */
bool replay_is_trace(const char *path);

/* Classes of opcodes that this program does not know, or knows otherwise: lines `OPCODE class`, the
 * opcode with modifiers (then only that form) or without; # starts a comment. */
struct opcode_map;
ws_status opcode_map_read(struct diag *diag, const char *path, struct opcode_map **out);
void opcode_map_destroy(struct opcode_map *map);

struct replay_options {
    const struct opcode_map *map; /* may be NULL */
    double unknown_share;         /* of warp instructions that may have no known class */
    int isa_level;                /* launch_view.isa_level */
    ws_progress_fn *progress;     /* may be NULL */
    void *progress_user;
    ws_cancel_fn *cancel; /* may be NULL */
    void *cancel_user;
};

/* An opcode that sass_ops.def does not have, or the map has. */
struct replay_opcode {
    const char *opcode;
    uint64_t executions; /* of warps */
    uint8_t class_id;
    bool is_mapped;
};

struct replay;
/* The options' map and callbacks must live as long as the result. */
ws_status replay_open(struct diag *diag, const char *path, const struct replay_options *options,
                      struct replay **out);
void replay_destroy(struct replay *replay);
const struct replay_header *replay_header(const struct replay *replay);
const struct module *replay_module(const struct replay *replay); /* one function, no text */
uint64_t replay_blocks(const struct replay *replay);             /* that are in the trace */
size_t replay_opcodes(const struct replay *replay, const struct replay_opcode **out);
ws_status replay_run(struct diag *diag, struct replay *replay, struct observer *observer);

#endif
