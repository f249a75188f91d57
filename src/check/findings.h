// SPDX-License-Identifier: Apache-2.0
/* What the checks of a program found, over all of its launches: a checker of the engine that keeps each finding once
 * per place, with a count. Words are copied: findings outlive modules and devices. */
#ifndef CHECK_FINDINGS_H
#define CHECK_FINDINGS_H

#include "base/arena.h"
#include "base/hash_table.h"
#include "check/finding.h"
#include "emulate/checker.h"

struct check_code_info {
    const char *name, *id;
    enum check_tool tool;
    enum check_grade grade;
    const char *title, *advice;
};
extern const struct check_code_info check_codes[CHECK_CODE_COUNT];
const char *check_tool_name(enum check_tool tool);
const char *check_grade_name(enum check_grade grade);
/* The code with an id such as "M01"; CHECK_CODE_COUNT: none has it. */
enum check_code check_code_find(const char *id);

/* One side of a finding. Texts are NULL where unknown. */
struct check_side {
    const char *kernel;      /* display name; NULL: host code */
    const char *source_file; /* as the compiler named it: the place to look at */
    uint32_t source_line;    /* 0: unknown */
    const char *module_file; /* PTX */
    uint32_t module_line;
    const char *instruction; /* mnemonic */
    const char *action;      /* "write of 4 bytes" */
    struct finding_frames
        frames;                  /* functions that were inlined, innermost first, the kernel last */
    const struct module *module; /* while it is reported */
    const struct insn *insn;
    bool has_thread;
    uint32_t block[3], thread[3], warp, lane;
    bool has_value;
    uint64_t value;
};

struct check_finding {
    enum check_code code;
    enum check_grade grade;
    struct check_side here, other;
    bool has_other, has_address;
    uint64_t launch; /* the how many-th of the program was the first to show it, from 1; 0: none */
    uint64_t address;
    uint32_t bytes;
    uint8_t space;
    const char *memory, *detail;
    uint64_t allocation;           /* the host's that it is about, by its first byte; 0: none */
    bool is_freed;                 /* the allocation */
    const char *host;              /* the stack of the call, a frame a line */
    const char *allocated, *freed; /* those of the memory, if it is the host's */
    uint64_t count;
};

struct race;
struct streams;

/* Stacks that the host knows: of the call that goes on, of the memory at an address; a frame a line, NULL: unknown. */
enum finding_host { FINDING_HOST_CALL, FINDING_HOST_ALLOCATED, FINDING_HOST_FREED };
typedef const char *finding_host_fn(void *user, enum finding_host what, uint64_t address);

struct findings {
    struct checker checker; /* for the device */
    struct arena arena;
    struct hash_table by_place;
    struct check_finding **items; /* in the order they were found, of each grade FINDINGS_MOST */
    size_t count, room, count_of[GRADE_NOTE + 1];
    uint64_t left_out;  /* places for which there was no room */
    const char **notes; /* what was not covered, or forgotten to stay within bounds; each once */
    size_t note_count, note_room;
    const char **kernels; /* that were launched, each once */
    size_t kernel_count, kernel_room;
    const char **unchecked; /* kernels of which launches were not executed, each once */
    size_t unchecked_count, unchecked_room;
    uint64_t launches, unchecked_launches;
    uint64_t changes;                 /* reports and launches so far */
    const struct launch_view *launch; /* that runs */
    struct race *race;                /* of the tool race; NULL: off */
    struct streams *streams;          /* of the tool race; NULL: off */
    finding_host_fn *host;            /* NULL: no stacks are known */
    void *host_user;
};

/* tools: set of enum check_tool. */
struct findings *findings_create(unsigned tools);
void findings_destroy(struct findings *findings);
/* Each finding asks once, when it is new. */
void findings_ask_host(struct findings *findings, finding_host_fn *host, void *user);
/* What was found and noted so far. */
void findings_forget(struct findings *findings);
/* Of the host: nothing of a kernel is known. host: its stack, a frame a line, or NULL. */
void findings_add_host(struct findings *findings, const struct check_report *report,
                       const char *host);
void findings_note(struct findings *findings, const char *text);
/* A launch that cannot be executed here, so that nothing of it was checked. why: in words. */
void findings_unchecked(struct findings *findings, const char *kernel, const char *why);

#endif
