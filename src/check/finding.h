// SPDX-License-Identifier: Apache-2.0
/* Findings of the checks (doc/checks.md) in words: what is left of them when modules, launches and the program are
 * gone. A process of the program writes its findings to a file (JSON, schema warpsage.findings/1); the question
 * `check` reads those of all processes. Words that are unknown are NULL, counts 0. */
#ifndef CHECK_FINDING_H
#define CHECK_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"

/* A place in the source, and the function that it is in. */
struct finding_frame {
    uint64_t number; /* in its list, from 1 */
    const char *function, *file;
    uint64_t line, column;
};

struct finding_frames {
    struct finding_frame *items; /* innermost first */
    size_t count;
};

/* Who did something, and where: an access, an arrival at a barrier. */
struct finding_side {
    const char *action; /* "write of 4 bytes", "__syncthreads()" */
    const char *kernel; /* demangled */
    uint64_t launch;    /* of its kernel's process, from 1 */
    const char *file;   /* the place to look at: one of the frames */
    uint64_t line;
    struct finding_frames frames; /* functions that were inlined, the kernel last */
    const char *instruction;      /* PTX, or machine code */
    uint64_t ptx_line;
    bool has_thread;
    uint64_t block[3], thread[3], warp, lane;
    const char *value;          /* what was read or written: "0x2a" */
    struct finding_frames host; /* the call that launched the kernel */
};

/* The allocation or variable that an address is in, or nearest to. */
struct finding_memory {
    const char *name;  /* "cudaMalloc", "tile", "malloc" */
    const char *space; /* global, shared, local, heap, constant, host */
    const char *where; /* "12 bytes after its end" */
    uint64_t bytes;
    struct finding_frames created, freed; /* host */
};

struct finding_words {
    const char *code, *tool, *grade; /* "M01"; memory, init, race, sync; error, warning, note */
    const char *title, *message, *advice;
    uint64_t count; /* how often, at least 1 */
    const char *address, *space;
    uint64_t bytes;
    bool has_here, has_other, has_memory;
    struct finding_side here, other;
    struct finding_memory memory;
    struct finding_frames host; /* the API call, if it is about one, or the launch */
};

/* What one process found, or all of them. */
struct finding_list {
    struct finding_words *items;
    size_t count, room;
    const char *tools;              /* that were on: "memory,race" */
    uint64_t launches;              /* that were checked */
    uint64_t unchecked_launches;    /* that could not be executed: `notes` say why */
    const char **unchecked_kernels; /* of those */
    size_t unchecked_count, unchecked_room;
    uint64_t left_out;    /* findings at further places, for which there was no room */
    const char **kernels; /* that were launched */
    size_t kernel_count, kernel_room;
    const char **notes; /* what was not covered; what was forgotten to stay in bounds */
    size_t note_count, note_room;
};

enum {
    FINDINGS_MOST = 10000 /* of a grade, in a process */,
    FINDING_NOTES_MOST = 1000,
    FINDING_FRAMES_MOST = 64
};

struct findings;
/* Those of this process (findings.h), with words in the arena or theirs; to be freed. */
void finding_list_of(struct arena *arena, const struct findings *findings,
                     struct finding_list *out);
/* Writes the file; the old one stays until the new one is whole. */
ws_status finding_list_save(struct diag *diag, const char *path,
                            const struct finding_list *findings);
/* Appends those of a file, or of several one after the other in it, words in the arena. Strict: WS_ERR_INPUT names the key that is wrong. finding_list_free what
 * was read so far, in any case. */
ws_status finding_list_load(struct diag *diag, struct arena *arena, const char *path,
                            struct finding_list *into);
/* Adds a note or a kernel unless it is there. The text is the caller's. */
void finding_list_kernel(struct finding_list *findings, const char *name);
void finding_list_unchecked(struct finding_list *findings, const char *kernel);
void finding_list_note(struct finding_list *findings, const char *text);
/* The arrays, not what they point to. */
void finding_list_free(struct finding_list *findings);

#endif
