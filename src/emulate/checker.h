// SPDX-License-Identifier: Apache-2.0
/* The engine's second interface, beside the observer: what finds errors of the program (src/check/). It is NULL unless
 * checks were asked for. With checks, a launch runs on one host thread, its blocks in index order. */
#ifndef EMULATE_CHECKER_H
#define EMULATE_CHECKER_H

#include <stdbool.h>
#include <stdint.h>

#include "emulate/observer.h"

enum check_tool {
    CHECK_MEMORY = 1,
    CHECK_INIT = 2,
    CHECK_RACE = 4,
    CHECK_SYNC = 8,
    CHECK_ALL = 15
};

/* Only an error fails a run. */
enum check_grade { GRADE_DEFAULT, GRADE_ERROR, GRADE_WARNING, GRADE_NOTE };

enum check_code {
#define CODE(name, id, tool, grade, title, advice) CHECK_CODE_##name,
#include "emulate/check_codes.def"
#undef CODE
    CHECK_CODE_COUNT
};

/* An instruction that a lane executed. */
struct check_place {
    const struct insn *insn; /* NULL: unknown, or none */
    uint64_t block;
    uint32_t warp, lane;
};

/* A place in a kernel, in words: of what outlives its launch. Texts are NULL, lines 0, where unknown. */
struct check_site {
    const char *kernel, *source_file, *module_file;
    uint32_t source_line, module_line;
};

/* Valid during the call only: who keeps it copies the words. */
struct check_report {
    enum check_code code;
    uint8_t grade;                 /* GRADE_DEFAULT: that of the code */
    struct check_place here;       /* where it was seen */
    const struct check_site *site; /* instead of `here`, outside of a launch; NULL: none */
    bool has_other;                /* a race: the earlier access; a wait: another thread */
    struct check_place other;
    bool has_address, has_values;
    uint64_t address; /* of its space */
    uint32_t bytes;
    uint8_t space; /* enum mem_space */
    uint64_t value, other_value;
    const char *memory; /* the allocation or variable in words; NULL: unknown */
    uint64_t
        allocation; /* first byte of the allocation that `memory` names; 0: none of the host's */
    bool is_freed;  /* the host has freed it */
    const char *detail; /* sentences, separated by newlines; NULL: none */
};

struct checker_ops {
    /* Once a launch, before and after everything. */
    void (*launch_begin)(void *self, const struct launch_view *launch);
    void (*launch_end)(void *self);
    void (*report)(void *self, const struct check_report *report);
    /* What was not covered, or forgotten to stay within bounds; the same words only once. */
    void (*note)(void *self, const char *text);
};

/* Before the data of an access to global or shared memory moves. */
struct check_access {
    void *block; /* what block_begin returned */
    void *home;  /* the same of the block of the cluster whose shared memory it is */
    uint32_t warp;
    const struct insn *insn;
    uint32_t index;              /* launch instruction index */
    bool reads, writes;          /* an atomic: both */
    bool is_bulk;                /* by the copy of the last event `bulk` */
    const struct access *access; /* its addresses are those of the space */
    const unsigned char *memory; /* + address: what memory holds there; by integers, may be NULL */
    /* A store's lanes one behind the other, as they go to memory; NULL: ask value_of. */
    const unsigned char *stored;
    /* What a lane stores; false: unknown. */
    bool (*value_of)(const struct check_access *access, unsigned lane, unsigned char out[32]);
    /* The memory at an address, in words. */
    void (*name)(const struct check_access *access, uint64_t address, char *out, size_t size);
    struct exec *exec; /* of the engine */
    const struct uop *uop;
};

/* Lanes of a warp have operated on one mbarrier object, or have seen that a phase of it has ended. */
struct check_mbarrier {
    void *block, *home; /* home: in whose shared memory the object is */
    uint32_t warp, lanes;
    const struct insn *insn;
    uint64_t address; /* there */
    bool ends;        /* the last of the lanes ended a phase */
};

/* What goes on by itself, in groups that a thread or warp commits and waits for. */
enum check_group { GROUP_COPIES /* cp.async */, GROUP_BULK, GROUP_PRODUCTS /* wgmma */ };

/* All groups of the lanes have been done but the last `groups`; all: also what is uncommitted. */
struct check_wait {
    enum check_group what;
    uint32_t groups;
    bool all;
    bool reads_only; /* their sources have been read, what they write may be to come */
};

/* A lane's copy in bulk begins: its accesses follow, and, if it signals, the event of the mbarrier object. */
struct check_bulk {
    void *block;
    uint32_t warp, lane;
    const struct insn *insn;
    bool signals;
    void *home; /* of the object */
    uint64_t object;
};

/* Events of CHECK_RACE: accesses, and what orders them. `lanes` is never 0. */
struct order_ops {
    /* leader: what it returned for the first block of the cluster, NULL of that one itself; rank: in the cluster. */
    void *(*block_begin)(void *self, uint64_t block, uint32_t threads, uint64_t shared_bytes,
                         void *leader, uint32_t rank);
    /* All its threads have left; its memory may be there for others. */
    void (*block_leaves)(void *self, void *block);
    void (*block_end)(void *self, void *block);
    void (*access)(void *self, const struct check_access *access);
    /* These lanes run together from here. */
    void (*runs)(void *self, void *block, uint32_t warp, uint32_t lanes);
    /* They have met; is_barrier: at bar.warp.sync. */
    void (*meets)(void *self, void *block, uint32_t warp, uint32_t lanes, bool is_barrier);
    /* counted: the barrier is told how many threads come. */
    void (*arrive)(void *self, void *block, uint32_t warp, uint32_t lanes, uint32_t id, bool waits,
                   bool counted);
    /* A barrier lets those go on who wait; is_whole: all threads of the block that live have come. */
    void (*barrier_done)(void *self, void *block, uint32_t id, bool is_whole);
    void (*fence)(void *self, void *block, uint32_t warp, uint32_t lanes, unsigned scope);
    void (*fence_proxy)(void *self, void *block, uint32_t warp, uint32_t lanes);
    void (*commit)(void *self, void *block, uint32_t warp, uint32_t lanes, enum check_group what);
    void (*wait)(void *self, void *block, uint32_t warp, uint32_t lanes,
                 const struct check_wait *wait);
    void (*bulk)(void *self, const struct check_bulk *bulk);
    /* The barrier of the cluster: arrivals, the end of a phase (of the first block), lanes that have waited for it. */
    void (*cluster_arrive)(void *self, void *block, uint32_t warp, uint32_t lanes, bool releases);
    void (*cluster_done)(void *self, void *leader);
    void (*cluster_pass)(void *self, void *block, uint32_t warp, uint32_t lanes);
    void (*mbarrier)(void *self, const struct check_mbarrier *event);
    /* Memory was allocated or freed. */
    void (*cleared)(void *self, uint64_t address, uint64_t bytes);
};

struct checker {
    const struct checker_ops *ops;
    void *self;
    unsigned tools;                /* set of enum check_tool, not empty */
    const struct order_ops *order; /* with CHECK_RACE */
    void *order_self;
};

#endif
