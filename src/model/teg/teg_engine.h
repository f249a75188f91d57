// SPDX-License-Identifier: Apache-2.0
/* The timing engine: in-order warps, a scoreboard, schedulers, functional units, shared memory,
 * barriers; the SMs of one cluster, cycle by cycle but from event to event (Lai and Seznec, INRIA
 * RR-7804, section 3; doc/models/teg.md). Deterministic: integers only, one thread. */
#ifndef MODEL_TEG_ENGINE_H
#define MODEL_TEG_ENGINE_H

#include "model/teg/teg_deal.h"
#include "model/teg/teg_memory.h"
#include "model/teg/teg_observer.h"

/* Why a warp did not issue (stalls.def). */
enum teg_stall {
#define STALL(name, id, text, component) TEG_STALL_##name,
#include "model/teg/stalls.def"
#undef STALL
    TEG_STALL_COUNT
};
struct teg_stall_info {
    const char *id, *text;
    enum component component;
};
extern const struct teg_stall_info teg_stall_infos[TEG_STALL_COUNT];

struct teg_setup {
    const struct trace *trace;
    const struct teg_machine *machine;
    unsigned sms;           /* of the cluster, at most machine->cluster_sms */
    unsigned blocks_per_sm; /* resident */
    uint64_t block_count;   /* to execute: traced blocks, at other addresses each time */
    struct teg_deal deal;   /* which; its trace is that of this */
    unsigned last_sms;      /* SMs of the GPU that have a block as late as the last one; 0: all */
    const uint32_t
        *running; /* SMs of the GPU that have a block when so many of these have ended; NULL: all */
    unsigned warps_per_sm;              /* only so many warps, with a wave of blocks; 0: all */
    uint32_t dram_share, written_share; /* teg_memory.h */
    bool without_stalls; /* stall reasons are not asked for: they need not be counted */
    bool has_l2_code;    /* it holds code and constants as the launch starts */
    unsigned
        native_registers; /* of a thread, for the order of native code; 0: the order of the trace */
    uint64_t local_bytes; /* of local memory that a thread has; 0: unknown */
    const struct teg_observer *observer; /* NULL: none */
};

/* The block that executes most beyond the traced one that stands for it. */
struct teg_longer {
    uint64_t number;    /* of those executed */
    teg_time ended;     /* what stands for it */
    double times, more; /* teg_dealt.stretch; warp instructions beyond; 0: none */
};

struct teg_result {
    teg_time end;     /* the last warp has left and the memory has taken everything */
    teg_time retired; /* the last warp has left */
    teg_time begun;   /* the first warp has its first instruction */
    struct teg_longer longer;
    uint64_t block_count;
    teg_time *block_ends;               /* in the order in which they retired */
    uint64_t *block_issued;             /* warp instructions until then */
    uint64_t issued;                    /* warp instructions */
    double work;                        /* warp instructions by trace_block.work; 0: unknown */
    teg_time unit_busy[TEG_UNIT_COUNT]; /* summed over SMs and schedulers */
    teg_time warp_time;                 /* Σ of the time of each warp: the stalls add up to it */
    teg_time stalls[TEG_STALL_COUNT];
    uint64_t scattered;     /* accesses that fewer transactions would do for */
    uint64_t conflicts;     /* passes through the banks beyond the least */
    uint64_t barrier_waits; /* warps that waited at a block's barrier */
    teg_time *insn_stalls;  /* [trace.insn_count][TEG_STALL_COUNT] */
    struct teg_memory_counts memory;
    teg_time atomics_busy; /* of the address of the L2 that is busy for longest */
};

/* Does every instruction say when to issue, and does the machine follow (teg_words.c)? */
bool teg_follows_words(const struct trace *trace, const struct teg_machine *machine);
/* WS_ERR_NO_MODEL if warps wait for each other for ever, or there is nothing to execute.
 * teg_result_clear the result. */
ws_status teg_run(struct diag *diag, const struct teg_setup *setup, struct teg_result *out);
void teg_result_clear(struct teg_result *result);

#endif
