// SPDX-License-Identifier: Apache-2.0
/* The tool race: accesses to the same memory that nothing orders. Shared by race_*.c only;
 * race_tool.h is for others.
 *
 * Shadow. Every 4-byte word of global and shared memory has a cell: its last write and its last read (the first of
 * several readers that nothing orders), 8 bytes each:
 *
 *     63        36 35      20 19  15 14  11 10   0
 *     segment      place      lane   bytes  flags
 *
 * A place is a static instruction. A segment is a stretch of what one warp executes within which it is not ordered
 * with others: its number leads to {block, warp, time}. A block has one clock, which all events of its warps that may
 * order something advance. Numbers of segments ascend, so that one comparison tells what lies before this launch, or,
 * in the shared memory of a block, before its last full barrier.
 *
 * Order, in two relations. `strict` is what the PTX memory model promises, `known` also what hardware does: lanes that
 * execute together are ordered, and so is who sees the value of a strong write, without a fence of its own.
 *     inside a warp    lanes that run together; else a matrix of times by lane (`known`), one for bar.warp.sync (strict)
 *     inside a block   the time of the last full barrier
 *     all else         clocks: persistent trees from blocks to the times up to which their warps are known, held by
 *                      lanes and by the objects through which they synchronise (race_objects.c) */
#ifndef CHECK_RACE_H
#define CHECK_RACE_H

#include "base/hash_table.h"
#include "check/findings.h"
#include "check/race_tool.h"

enum { LANES = 32, BLOCK_WARPS = 32, BLOCK_BARRIERS = 16, CELL_SHIFT = 2 };

static inline uint32_t race_later(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* ---- clocks (race_clock.c) ------------------------------------------------------------------- */

enum { FANOUT_BITS = 4, FANOUT = 1 << FANOUT_BITS };

/* Of a tree from the blocks of a launch, by the order in which they began, to what is known of them. NULL: nothing.
 * Never changes once it is made. Where a kernel has what goes on by itself, or another proxy, the root leads to a tree
 * of blocks for each kind. */
enum clock_kind {
    CLOCK_THREADS,
    CLOCK_COPIES, /* cp.async that a warp has tied to mbarrier objects have ended up to this time */
    CLOCK_BULK,   /* copies whose bytes an object of the block counts: by object, not by warp */
    CLOCK_PRODUCTS, /* groups of wgmma: by four warps */
    CLOCK_FENCED    /* plus THREADS or COPIES: what the asynchronous proxy sees of them */
};
struct clock {
    uint32_t references;
    uint32_t base; /* leaf: of all warps of the block */
    union {
        struct clock *child[FANOUT];
        uint32_t times[BLOCK_WARPS]; /* leaf */
    } u;
};
struct clocks {
    struct clock *free;
    void **slabs;
    size_t slab_count, slab_room;
    unsigned depth, kind_shift; /* of inner nodes; bits of numbers of blocks */
    bool has_kinds;
};
/* For a launch of so many blocks: all clocks of earlier ones are gone. */
void clocks_begin(struct clocks *clocks, uint64_t blocks, bool has_kinds);
/* What clocks know of a block's, in place of the number of the block. */
static inline uint64_t clock_key(const struct clocks *clocks, unsigned kind, uint32_t block)
{
    return (uint64_t)kind << clocks->kind_shift | block;
}
void clocks_clear(struct clocks *clocks);
static inline struct clock *clock_hold(struct clock *clock)
{
    if (clock) clock->references++;
    return clock;
}
void clock_drop(struct clocks *clocks, struct clock *clock);
void clock_drop_at(struct clocks *clocks, struct clock *clock, unsigned depth);
/* What either knows, as a new reference. */
struct clock *clock_join(struct clocks *clocks, struct clock *a, struct clock *b);
/* *into knows what `more` knows, too. */
void clock_add(struct clocks *clocks, struct clock **into, struct clock *more);
/* `clock`, and of one block all up to time `base` and of one of its warps all up to `time`: a new reference. */
struct clock *clock_with(struct clocks *clocks, struct clock *clock, uint64_t block, uint32_t base,
                         uint32_t warp, uint32_t time);
/* `clock`, and that the asynchronous proxy sees what it knows: a new reference. */
struct clock *clock_fence(struct clocks *clocks, struct clock *clock);
/* Is it known of the block's warp up to `time`? */
bool clock_knows(const struct clocks *clocks, const struct clock *clock, uint64_t block,
                 uint32_t warp, uint32_t time);

/* ---- shadow (race_shadow.c) ------------------------------------------------------------------ */

typedef uint64_t entry;
#define ENTRY_SEGMENT_SHIFT 36
#define ENTRY_SEGMENT_MAX ((UINT64_C(1) << 28) - 1)
#define ENTRY_PLACE_SHIFT 20
#define ENTRY_PLACE_MAX 0xffffu
#define ENTRY_LANE_SHIFT 15
#define ENTRY_BYTES_SHIFT 11
#define ENTRY_MANY UINT64_C(1)  /* a read by several lanes of the warp */
#define ENTRY_RAMP1 UINT64_C(2) /* byte k is of lane + k */
#define ENTRY_RAMP2 UINT64_C(4) /* byte k is of lane + k / 2 */
#define ENTRY_RAMPS (ENTRY_RAMP1 | ENTRY_RAMP2)
#define ENTRY_MORE UINT64_C(8) /* of cell.write: the cell has more entries (struct extra) */
#define ENTRY_ASYNC UINT64_C(16)
#define ENTRY_QUIET UINT64_C(32) /* a write of what memory held already */
#define ENTRY_WRITE UINT64_C(64) /* of an extra: it is a write */

static inline uint64_t entry_segment(entry e)
{
    return e >> ENTRY_SEGMENT_SHIFT;
}
static inline unsigned entry_place(entry e)
{
    return (unsigned)(e >> ENTRY_PLACE_SHIFT) & ENTRY_PLACE_MAX;
}
static inline unsigned entry_lane(entry e)
{
    return (unsigned)(e >> ENTRY_LANE_SHIFT) & 31;
}
static inline unsigned entry_bytes(entry e)
{
    return (unsigned)(e >> ENTRY_BYTES_SHIFT) & 15;
}
static inline entry entry_make(uint64_t segment, unsigned place, unsigned lane, unsigned bytes)
{
    return segment << ENTRY_SEGMENT_SHIFT | (uint64_t)place << ENTRY_PLACE_SHIFT |
           (uint64_t)lane << ENTRY_LANE_SHIFT | (uint64_t)bytes << ENTRY_BYTES_SHIFT;
}

struct cell {
    entry write, read;
};

enum { PAGE_SHIFT = 12, PAGE_CELLS = 1 << (PAGE_SHIFT - CELL_SHIFT), PAGE_CACHE = 64 };
struct shadow_page {
    uint64_t key; /* number of the page, plus 1 */
    struct cell *cells;
};
struct shadow {
    struct hash_table pages;
    struct shadow_page cache[PAGE_CACHE];
    struct hash_table extras; /* more entries, by cell */
};
/* The cells of the page that holds an address; made if there are none yet. */
struct cell *cells_of_page(struct shadow *shadow, uint64_t address);
void cells_forget(struct shadow *shadow, uint64_t address, uint64_t bytes);
void cells_clear(struct shadow *shadow);

static inline struct cell *cells_at(struct shadow *shadow, uint64_t address)
{
    uint64_t page = address >> PAGE_SHIFT;
    const struct shadow_page *cached = &shadow->cache[page % PAGE_CACHE];
    struct cell *cells = cached->key == page + 1 ? cached->cells : cells_of_page(shadow, address);
    return cells + ((address >> CELL_SHIFT) & (PAGE_CELLS - 1));
}

/* Entries of a cell that its two have no room for: of other bytes of the word. */
enum { EXTRAS = 6 };
struct extra {
    uint64_t key; /* address of the cell, plus 1 */
    entry entries[EXTRAS];
};

/* ---- state ----------------------------------------------------------------------------------- */

struct segment {
    uint64_t block;    /* in the grid */
    uint32_t owner;    /* block by the order in which it began, over all launches */
    uint32_t time;     /* asynchronous: at the first wait */
    uint32_t launch;   /* the how many-th */
    uint32_t done;     /* asynchronous: lanes that have waited for it */
    uint32_t tied;     /* asynchronous: lanes whose part has ended for who knows this: */
    uint32_t tied_at;  /* a time */
    uint64_t tied_key; /* of a clock_key */
    uint8_t tied_slot; /* and of a warp or what stands for it */
    uint8_t warp;
    bool is_async;
    bool is_proxy; /* its accesses go through the asynchronous proxy */
};

/* What a lane knows of others. */
struct lane_clocks {
    struct clock *known, *strict;
    struct clock *fenced[2]; /* known at its last fence: of any scope, of device scope */
    struct clock *seen; /* of reads only: executed before a strong store whose value it has read */
};
enum { FENCED_CTA, FENCED_GPU };

/* Copies that some lanes have not waited for: cp.async; what copies in bulk read, and write. */
enum copy_kind { COPY_PLAIN, COPY_BULK_READS, COPY_BULK_WRITES };
struct copies {
    uint64_t segment;
    enum copy_kind kind;
    uint32_t lanes, committed;
    uint32_t later[LANES]; /* groups committed after it */
};
enum { COPIES = 32 };

struct race_warp {
    uint32_t threads;    /* lanes that exist */
    uint32_t lanes;      /* that run */
    uint32_t time;       /* of its segment */
    uint64_t segment;    /* 0: made by the next access */
    uint32_t strict_all; /* what lanes did up to here all other lanes are ordered with */
    bool is_apart;       /* lanes have run apart: `known` counts */
    bool is_uneven;      /* bar.warp.sync has named some lanes only: `strict` counts */
    bool is_uniform;     /* the clocks of all lanes are those of lane 0 */
    uint32_t (*known)[LANES], (*strict)[LANES]; /* [who][of whom]: up to this time */
    struct lane_clocks clocks[LANES];
    struct copies copies[COPIES];
    unsigned copy_count;
    uint64_t product_segment; /* of its group of wgmma; 0: made by the next */
    uint32_t product_groups;  /* committed */
};

/* A named barrier: what those who came know. */
struct race_barrier {
    struct lane_clocks joint;
    uint32_t waiting[BLOCK_WARPS];
    bool is_passed; /* some only arrive */
};

/* The last of its kind by a warp in the shared memory of a block: of another one, or by copies in bulk. */
struct visit {
    uint64_t segment; /* 0: none */
    struct place *place;
    uint64_t address;
    uint32_t bytes, lane;
};
enum { CLUSTER_RANKS = 16 };
struct visits {
    struct visit last[CLUSTER_RANKS][BLOCK_WARPS][3]; /* by threads, reads and writes of copies */
};

/* What arrivals publish in the current phase, and in earlier ones. */
struct phases {
    struct clock *arrived, *ended;
};

struct race_block {
    struct race_block *next;
    struct race_block *leader;     /* the first of the cluster; itself without */
    struct phases cluster_barrier; /* of the leader */
    struct phases cluster_reads;   /* the same of reads alone, before arrivals without release */
    struct visits *visits;         /* NULL: not made yet */
    uint32_t rank;                 /* in the cluster */
    bool has_visits, has_left;
    uint32_t mbarrier_count;          /* objects that were seen */
    uint32_t bulk_times[BLOCK_WARPS]; /* of clocks of copies, by object */
    uint64_t index;
    uint32_t owner, ordinal; /* over all launches, within this one; by when it began */
    uint32_t now;
    uint32_t barrier_time;                   /* of the last full barrier */
    uint64_t first_segment, barrier_segment; /* the next at its begin, at the last full barrier */
    uint64_t alone_segment;                  /* since then only this block has made any */
    unsigned warp_count;
    bool has_clocks;
    struct race_warp warps[BLOCK_WARPS];
    struct race_barrier barriers[BLOCK_BARRIERS];
    struct cell *shared;
    uint64_t shared_bytes;
    struct hash_table objects; /* of its shared memory */
    struct hash_table mbarriers;
};

/* Of a store: does what it writes come from data in memory, so that other inputs have it write something else? Of a load:
 * is what it reads stored again? */
enum moves_data { MOVES_UNKNOWN, MOVES_NO, MOVES_YES };

/* A static instruction. */
struct place {
    const struct insn *insn;
    uint32_t launch;
    uint8_t scope; /* of a strong one: enum mem_scope */
    bool is_strong, is_atomic, is_mbarrier, acquires, releases;
    bool returns;       /* an atomic whose old value is read */
    uint32_t index;     /* launch instruction index */
    uint8_t moves_data; /* enum moves_data */
};

struct race {
    struct findings *findings;
    struct shadow shadow;
    struct clocks clocks;
    struct segment *segments; /* by number, in a ring */
    uint64_t segment_room;
    uint64_t next_segment, oldest_segment; /* numbers; 0 is none */
    struct place *places;
    uint32_t place_count, place_room;
    uint16_t *place_of; /* by launch instruction index: 0 none */
    const struct function *data_function;
    bool *data; /* of its registers: function_data_registers; NULL: not looked up */
    const struct launch_view *view;
    uint32_t launches, owners, launch_owners; /* so far; before this launch */
    struct check_bulk bulk;                   /* the copy that began last: */
    uint64_t bulk_segments[2];                /* of its reads and writes; 0: none yet */
    uint64_t bulk_key; /* who knows that time there knows that it has ended */
    uint32_t bulk_time;
    uint8_t bulk_slot;
    bool is_lockstep;          /* before sm_70 lanes run together by definition */
    struct hash_table objects; /* of global memory */
    struct clock *overflow;    /* what was published to objects that had no room */
    struct race_block *blocks, *free_blocks, *current;
    const struct check_access *access; /* that is examined */
    struct hash_table told;            /* pairs of places */
};

static inline struct segment *segment_at(const struct race *race, uint64_t number)
{
    return &race->segments[number & (race->segment_room - 1)];
}

/* Does the scope cover threads of other blocks? That of the cluster is taken to cover all where there are clusters. */
static inline bool race_is_wide(const struct race *race, unsigned scope)
{
    return scope >= (race->view->cluster_blocks ? SCOPE_CLUSTER : SCOPE_GPU);
}

/* ---- order (race_order.c) -------------------------------------------------------------------- */

/* UNFENCED: ordered, but the asynchronous proxy need not see it. */
enum relation { ORDERED, WARNED, UNORDERED, UNFENCED };

/* Number of the segment in which the warp now is. */
uint64_t order_segment(struct race *race, struct race_block *block, unsigned warp);
/* A new one. */
uint64_t order_new_segment(struct race *race, struct race_block *block, unsigned warp);
/* The same of copies that the lanes begin now. */
uint64_t order_copy_segment(struct race *race, struct race_block *block, unsigned warp,
                            uint32_t lanes, enum copy_kind kind);
/* The lanes tell an mbarrier object of the copies that they have begun: when. */
uint32_t order_tie_copies(struct race *race, struct race_block *block, unsigned warp,
                          uint32_t lanes);
/* A new stretch of the warp begins. */
void order_advance(struct race_block *block, unsigned warp);
/* Is what lane `of` of the segment did ordered before what lane `lane` of a warp does now? many: not only that lane,
 * but any of its warp. */
enum relation order_between(const struct race *race, const struct race_block *block, unsigned warp,
                            unsigned lane, const struct segment *segment, unsigned of, bool many,
                            bool is_write);
/* Does the asynchronous proxy see what the segment wrote, as the lane knows? */
bool order_is_fenced(const struct race *race, const struct race_block *block, unsigned warp,
                     unsigned lane, const struct segment *segment);
/* The lanes publish what they know, themselves included; without releases, what they knew at their last fence. */
void order_publish(struct race *race, struct race_block *block, unsigned warp, uint32_t lanes,
                   bool releases, struct clock **into);
/* The lanes learn a clock; acquires: also strictly. */
void order_learn(struct race *race, struct race_block *block, unsigned warp, uint32_t lanes,
                 struct clock *clock, bool acquires);
/* The clocks of one lane, to change them. */
struct lane_clocks *order_lane(struct race *race, struct race_block *block, unsigned warp,
                               unsigned lane);
static inline const struct lane_clocks *order_see(const struct race_warp *warp, unsigned lane)
{
    return &warp->clocks[warp->is_uniform ? 0 : lane];
}
void order_drop_clocks(struct race *race, struct lane_clocks *clocks);

void race_runs(void *self, void *block, uint32_t warp, uint32_t lanes);
void race_meets(void *self, void *block, uint32_t warp, uint32_t lanes, bool is_barrier);
void race_arrive(void *self, void *block, uint32_t warp, uint32_t lanes, uint32_t id, bool waits,
                 bool counted);
void race_barrier_done(void *self, void *block, uint32_t id, bool is_whole);
void race_fence(void *self, void *block, uint32_t warp, uint32_t lanes, unsigned scope);
void race_fence_proxy(void *self, void *block, uint32_t warp, uint32_t lanes);

/* ---- objects through which lanes synchronise (race_objects.c) --------------------------------- */

void objects_clear(struct race *race, struct hash_table *objects);
/* A lane has read what strong writes left there. */
void objects_acquire(struct race *race, struct race_block *block, unsigned warp, unsigned lane,
                     const struct place *place, unsigned space, uint64_t address, unsigned bytes);
/* A lane writes strongly: who reads it learns what the lane knew at its fence, or knows. */
/* A strong store to global memory, without a fence: the reads before it were done, as its value depends on them. */
void objects_publish_seen(struct race *race, struct race_block *block, unsigned warp, unsigned lane,
                          uint64_t address, unsigned bytes);
void objects_publish(struct race *race, struct race_block *block, unsigned warp, unsigned lane,
                     const struct place *place, unsigned space, uint64_t address, unsigned bytes);

/* ---- mbarrier objects (race_mbarrier.c) ------------------------------------------------------- */

void mbarriers_clear(struct race *race, struct hash_table *objects);
/* The initialisation of the object at an address; 0: none, or it was invalidated. */
entry *mbarrier_begin(struct race_block *block, uint64_t address);
/* Segments have new numbers: nobody initialised any. */
void mbarriers_forget(struct race_block *block);
/* Which of the block's objects it is, of as many as clocks tell apart. */
unsigned mbarrier_slot(struct race_block *block, uint64_t address);
void phases_clear(struct race *race, struct phases *phases);
void phases_end(struct race *race, struct phases *phases);
void race_mbarrier(void *self, const struct check_mbarrier *event);

/* ---- what goes on by itself (race_async.c) ---------------------------------------------------- */

/* Has the launch any, or fences of the asynchronous proxy? */
bool async_is_used(const struct launch_view *view);
void race_commit(void *self, void *block, uint32_t warp, uint32_t lanes, enum check_group what);
void race_wait(void *self, void *block, uint32_t warp, uint32_t lanes,
               const struct check_wait *wait);
void race_bulk(void *self, const struct check_bulk *bulk);
/* The segment of an access of the last copy in bulk. */
uint64_t async_bulk_segment(struct race *race, bool writes);
/* Of a product by wgmma. */
uint64_t async_product_segment(struct race *race, struct race_block *block, unsigned warp);

/* ---- clusters (race_cluster.c) ----------------------------------------------------------------- */

void race_cluster_arrive(void *self, void *block, uint32_t warp, uint32_t lanes, bool releases);
void race_cluster_done(void *self, void *leader);
void race_cluster_pass(void *self, void *block, uint32_t warp, uint32_t lanes);
/* An access to shared memory that the block must be there for. */
void cluster_visit(struct race *race, const struct check_access *access, uint64_t segment,
                   struct place *place);
void race_block_leaves(void *self, void *block);

/* ---- places (race_places.c) ------------------------------------------------------------------- */

/* Number of the access's instruction. */
unsigned place_of(struct race *race, const struct check_access *told);
/* Of a plain store or load: see enum moves_data. */
bool place_moves_data(struct race *race, struct place *place);

/* ---- accesses and reports (race_access.c, race_report.c) --------------------------------------- */

void race_access(void *self, const struct check_access *access);

/* An earlier access that is not ordered with that of a lane. */
struct conflict {
    struct race_block *block;
    unsigned lane;
    struct place *mine, *place; /* of the later one, of the earlier one */
    uint64_t address;           /* of the word */
    unsigned bytes;             /* of the word: those both touch */
    entry entry;
    bool is_write;     /* the earlier one */
    bool is_quiet;     /* the later one writes what memory holds */
    bool is_by_chance; /* the later one would write something else with other inputs */
    bool is_same_instruction;
    enum relation relation;
};
void race_report(struct race *race, const struct conflict *conflict);

#endif
