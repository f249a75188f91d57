// SPDX-License-Identifier: Apache-2.0
/* Device memory: one flat address space in a reserved host mapping. Every allocation is known, so
 * that any access outside one is a fault that can name the nearest. (With host_addresses the heap
 * lies where the host has mapped it instead.)
 *
 *   address   0x0100_0000  shared window   generic address of a block's shared memory
 *             0x0200_0000  param window    generic address of the parameter block
 *             0x0800_0000  local window    generic address of a thread's local memory
 *             0x1000_0000  heap            global and constant memory, cudaMalloc-like
 *
 * The windows lie low so that modules with 32-bit addresses work as long as the heap stays small.
 * Initialised bytes are tracked by one bit a byte for allocations that the host has not filled
 * whole; `shadow` is NULL once every byte is known to be written. What the host fills by a rule is made
 * by the page when it is first touched. */
#ifndef EMULATE_DEVMEM_H
#define EMULATE_DEVMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

#define SHARED_WINDOW UINT64_C(0x01000000)
#define SHARED_WINDOW_BYTES UINT64_C(0x01000000)
#define PARAM_WINDOW UINT64_C(0x02000000)
#define PARAM_WINDOW_BYTES UINT64_C(0x00100000)
#define LOCAL_WINDOW UINT64_C(0x08000000)
#define LOCAL_WINDOW_BYTES UINT64_C(0x08000000)
#define HEAP_BASE UINT64_C(0x10000000)

#define DEVMEM_ALIGNMENT UINT64_C(512)

/* Makes `bytes` bytes from byte `first` of an allocation on; from several threads at once. Both are multiples of
 * DEVMEM_PAGE, but for the end of the allocation. */
typedef void devmem_make_fn(void *user, uint64_t first, size_t bytes, void *to);

enum { DEVMEM_PAGE_SHIFT = 12, DEVMEM_PAGE = 1 << DEVMEM_PAGE_SHIFT };
enum page_state { PAGE_UNTOUCHED, PAGE_IN_THE_MAKING, PAGE_MADE }; /* compiled code tests one bit */

struct page_rule {
    devmem_make_fn *make;
    void *user;
    uint64_t unmade;  /* pages; atomic */
    uint8_t states[]; /* by page from the allocation's first byte on: enum page_state; atomic */
};

struct heap;

struct allocation {
    uint64_t address, bytes;
    uint64_t *shadow;       /* bit set = byte written; NULL: all are */
    struct page_rule *rule; /* of its contents; NULL: every page is what it is */
    uint64_t freed;         /* the how many-th that was freed; 0: it lives */
    bool read_only;         /* .const variables */
    bool uncounted;         /* memory of the host: not part of the limit */
    bool is_open;           /* the host may write it by pointers of its own, which is not seen */
    uint64_t counted;       /* bytes that are part of the limit */
    bool adopted;           /* the caller's own memory: never given back */
    const char *name;       /* of a variable, else NULL */
    struct heap
        *heap; /* it is the heap of kernels, and its blocks are known (check_heap.c); else NULL */
    uint64_t number; /* the how many-th of the host, from 1; 0: of another kind, or not counted */
};

struct devmem {
    unsigned char *host; /* of base */
    unsigned char *zero; /* what address 0 would be: host - base */
    uint64_t base;       /* address of the heap's first byte */
    uint64_t capacity;   /* of the address space */
    uint64_t used;       /* bytes from base beyond which nothing was handed out yet */
    uint64_t limit;      /* of bytes in live allocations */
    uint64_t live;
    uint64_t frees;                    /* so far */
    uint64_t freed_bytes, freed_count; /* of freed allocations in the list */
    uint64_t numbered;                 /* allocations of the host so far */
    uint64_t forgotten;                /* freed ones that the list has lost */
    bool as_hardware;                  /* see device_options */
    bool red_zones;                    /* allocations lie far apart */
    bool has_thin_zones;               /* they did, but space became short */
    bool tracks;                       /* initialised bytes, also as_hardware (defined.h) */
    struct allocation *allocations;    /* sorted by address */
    uint32_t count, room;
};

struct devmem_options {
    uint64_t max_bytes;  /* 0: 64 GiB */
    bool host_addresses; /* device addresses are those of the host */
    bool as_hardware;
    bool
        red_zones; /* allocations lie as far apart as they are large, so that an overrun meets no neighbour */
    bool tracks;
};
ws_status devmem_init(struct diag *diag, struct devmem *memory,
                      const struct devmem_options *options);
void devmem_clear(struct devmem *memory);
ws_status devmem_alloc(struct diag *diag, struct devmem *memory, uint64_t bytes, uint64_t *out);
/* The same; only `counted` bytes of it count. */
ws_status devmem_alloc_part(struct diag *diag, struct devmem *memory, uint64_t bytes,
                            uint64_t counted, uint64_t *out);
/* The same, not counted against the limit: memory of the host that kernels reach. */
ws_status devmem_alloc_host(struct diag *diag, struct devmem *memory, uint64_t bytes,
                            uint64_t *out);
/* Lets kernels reach `bytes` of the caller from `host` on, at their own address; host_addresses only. */
ws_status devmem_adopt(struct diag *diag, struct devmem *memory, void *host, uint64_t bytes);
ws_status devmem_free(struct diag *diag, struct devmem *memory, uint64_t address);
/* The allocation that holds the address, or NULL; freed ones are not found. */
struct allocation *devmem_find(const struct devmem *memory, uint64_t address);
/* The allocation nearest to the address, freed ones included; NULL if none. */
const struct allocation *devmem_nearest(const struct devmem *memory, uint64_t address);
/* Would hardware have a page there? Its pages are larger than allocations. */
bool devmem_has_page(const struct devmem *memory, uint64_t address, uint64_t bytes);
/* The host has pointers to it: it counts as written from now on. */
void devmem_open(struct allocation *allocation);
/* Marks bytes of an allocation as written; the whole allocation drops its shadow. */
void devmem_written(struct allocation *allocation, uint64_t address, uint64_t bytes);
/* The same of all memory: a kernel that should have written some of it cannot be executed. */
void devmem_assume_written(struct devmem *memory);

static inline unsigned char *devmem_host(const struct devmem *memory, uint64_t address)
{
    return (unsigned char *)((uintptr_t)memory->zero + address); /* zero may be null */
}

/* The whole allocation counts as written, with what the rule says. `user` must live until it is freed. */
void devmem_fill_by(const struct devmem *memory, struct allocation *allocation,
                    devmem_make_fn *make, void *user);
void devmem_make_page(const struct devmem *memory, const struct allocation *allocation,
                      uint64_t page);
/* The contents no longer follow a rule: all was overwritten. */
void devmem_drop_rule(struct allocation *allocation);

/* Before bytes [at, at + count) of an allocation with a rule are read or written. */
static inline void devmem_touch(const struct devmem *memory, const struct allocation *allocation,
                                uint64_t at, uint64_t count)
{
    uint64_t last = (at + count - 1) >> DEVMEM_PAGE_SHIFT;
    for (uint64_t page = at >> DEVMEM_PAGE_SHIFT; page <= last; page++)
        if (__atomic_load_n(&allocation->rule->states[page], __ATOMIC_ACQUIRE) != PAGE_MADE)
            devmem_make_page(memory, allocation, page);
}

/* Shadow bits of `count` bytes from byte `at`. Relaxed atomics: blocks on other threads may write
 * neighbouring bytes. */
static inline void shadow_set(uint64_t *shadow, uint64_t at, uint64_t count)
{
    while (count) {
        uint64_t bit = at & 63, n = 64 - bit < count ? 64 - bit : count;
        uint64_t bits = (n == 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1) << bit;
        uint64_t *word = &shadow[at >> 6];
        if ((__atomic_load_n(word, __ATOMIC_RELAXED) & bits) != bits)
            __atomic_fetch_or(word, bits, __ATOMIC_RELAXED);
        at += n;
        count -= n;
    }
}

static inline bool shadow_all(const uint64_t *shadow, uint64_t at, uint64_t count)
{
    while (count) {
        uint64_t bit = at & 63, n = 64 - bit < count ? 64 - bit : count;
        uint64_t bits = (n == 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1) << bit;
        if ((__atomic_load_n(&shadow[at >> 6], __ATOMIC_RELAXED) & bits) != bits) return false;
        at += n;
        count -= n;
    }
    return true;
}

#endif
