// SPDX-License-Identifier: Apache-2.0
/* What the timing engine knows of a GPU: the figures of its machine file in ticks, completed by the
 * rules of doc/models/teg.md where the file is silent, with effects switched off on demand. */
#ifndef MODEL_TEG_MACHINE_H
#define MODEL_TEG_MACHINE_H

#include "model/core/estimate.h"

/* Times are integers, so that results are the same everywhere. One cycle is 3 * 5 * 1024 ticks: a
 * warp on 8, 10, 48, 160 or 192 lanes takes a whole number of them. */
typedef int64_t teg_time;
#define TEG_CYCLE INT64_C(15360)
#define TEG_NEVER INT64_MAX
/* A wait of one thing: a thousand million cycles are the most, so that sums of many stay in 63 bits. */
static inline teg_time teg_round(double ticks)
{
    const double most = 1e9 * (double)TEG_CYCLE;
    return (teg_time)(ticks < most ? ticks + 0.5 : most);
}

/* Who is busy. TEG_UNIT(ENUM, "name", of the whole SM, COMPONENT, "term": of the busy time, NULL) */
#define TEG_UNITS(TEG_UNIT)                                                                        \
    TEG_UNIT(NONE, "none", false, NONE, NULL)                                                      \
    /* before cc 7.0 also integers */                                                              \
    TEG_UNIT(MAIN, "fp32", false, PIPE_FP32, "t_pipe.fp32")                                        \
    TEG_UNIT(INTEGER, "int", false, PIPE_INTEGER, "t_pipe.int") /* from cc 7.0 on */               \
    TEG_UNIT(FP64, "fp64", false, PIPE_FP64, "t_pipe.fp64")                                        \
    TEG_UNIT(FP16, "fp16", false, PIPE_FP16, "t_pipe.fp16")                                        \
    TEG_UNIT(SPECIAL, "sfu", false, PIPE_SFU, "t_pipe.sfu")                                        \
    TEG_UNIT(BRANCH, "branch", false, NONE, NULL)                                                  \
    TEG_UNIT(ADDRESS, "address", false, LOAD_STORE, NULL) /* before shared, lsu, from cc 7.0 on */ \
    TEG_UNIT(TENSOR, "tensor", false, PIPE_TENSOR, "t_pipe.tensor")                                \
    TEG_UNIT(SHARED, "shared", true, SHARED, "t_shared") /* banks of shared memory; shuffles */    \
    TEG_UNIT(GLOBAL, "lsu", true, LOAD_STORE, "t_lsu")   /* load/store unit */
enum teg_unit {
#define TEG_UNIT(name, id, of_sm, component, term) TEG_##name,
    TEG_UNITS(TEG_UNIT)
#undef TEG_UNIT
        TEG_UNIT_COUNT
};
struct teg_unit_info {
    const char *name, *term;
    bool of_sm;
    enum component component;
};
extern const struct teg_unit_info teg_unit_infos[TEG_UNIT_COUNT];

enum teg_scoreboard {
    TEG_SCOREBOARD_REGISTERS = 1, /* what is read, and earlier writes of what is written */
    TEG_SCOREBOARD_READS,         /* what is read: loads are waited for at first use */
    TEG_SCOREBOARD_LOADS          /* registers, and every load that is under way */
};

enum teg_policy {
    TEG_ROUND_ROBIN,   /* loose: the next ready warp after the last one */
    TEG_GREEDY_OLDEST, /* the same warp while it is ready, then the oldest */
    TEG_OLDEST,
    TEG_GREEDY_YOUNGEST /* the same warp while it is ready, then the youngest */
};

/* What one class of instructions costs. */
struct teg_class {
    uint8_t unit;
    teg_time busy;      /* of its unit, of one part of the SM: issue latency with many warps */
    teg_time latency;   /* until a dependent instruction can issue */
    teg_time same_warp; /* until the same warp may issue again */
};

/* One level of memory as the simulated SMs share it. */
struct teg_level {
    teg_time latency;
    teg_time sector; /* ticks for 32 bytes; 0: no limit */
    double whole;    /* the same at the bandwidth of the whole GPU; L2 and DRAM behind caches */
    uint64_t bytes;  /* of the cache; 0: none */
    unsigned ways;
};

/* Caches of instructions and constants (teg_fetch.h). */
struct teg_fetch_machine {
    bool is_used;
    teg_time hop; /* from a part's cache to that of the SM, or back */
    uint64_t l0_bytes, l1_bytes;
};

/* The way of memory instructions from cc 7.0 on: an address unit a part, and one path of the SM. */
struct teg_path_machine {
    bool is_used;
    teg_time address, shared; /* of the unit and of the path, for each instruction */
};

/* Distances of dependent instructions beyond the latency, from the fp32 and the integer pipe. */
struct teg_distances {
    teg_time cross;   /* from one to the other */
    teg_time special; /* to special functions and conversions */
    teg_time memory;  /* to memory accesses and shuffles */
    teg_time guard;   /* from a compare to what it guards: branches, predicated instructions */
    teg_time
        control; /* from a branch or barrier to the warp's next instruction; the whole distance */
};

/* Native code with words of control (teg_words.c), from cc 7.0 on. */
struct teg_words_machine {
    bool is_used;
    bool has_banks;  /* registers lie in banks, with a cache of operands */
    teg_time asleep; /* after a stall of 0 that yields */
    /* From the turn of a memory access until its sources are read: addresses, */
    teg_time read_load, read_shared_load, read_constant, read_copy;
    teg_time read_store, read_shared_store; /* data, and for each word more: */
    teg_time read_word;
    teg_time read_other; /* of what else may take long */
};

struct teg_machine {
    const struct machine *machine;
    uint32_t effects_off;
    enum teg_policy policy;
    unsigned schedulers, width;
    unsigned parts; /* of an SM, with functional units of their own: warps belong to one */
    enum teg_scoreboard scoreboard;
    bool merges;       /* effect `divergence` switched off */
    teg_time interval; /* between two decisions of a scheduler */
    struct teg_class classes[CLASS_COUNT];
    uint64_t guessed; /* bit set of classes whose cost is by a rule, not a figure */
    uint64_t lacking; /* bit set of classes that this GPU does not have */

    bool half_warps;   /* shared memory serves half-warps (16 banks) */
    bool joins_phases; /* wide words that lanes read in pairs: bank_joins (memory_rules.h) */
    unsigned banks;
    teg_time pass, replay; /* ticks of the banks, latency of each further pass */
    teg_time shared_turn;  /* of each further lane at a word of shared memory: atomics */
    bool counts_lanes;     /* but for additions of one, which take a pass a word */
    teg_time shared_latency, operand_latency; /* of a load; of arithmetic with an operand there */

    unsigned rule; /* enum coalescing_rule */
    unsigned initial_segment, min_segment;
    teg_time request; /* load/store unit, per request */
    teg_time line;    /* and per 128-byte line; 0: not counted */
    unsigned tags;    /* lines that a load looks up in the L1 at once; 0: each takes its turn */
    struct teg_level l1, l2, dram;
    bool shares_fp64;       /* one unit of the SM */
    double write_cost;      /* of a sector written to the DRAM, in sectors read */
    teg_time atomic;        /* turn of a lane at one address of the L2; 0: not counted */
    teg_time packet;        /* ticks that a header, or 32 bytes, take on the way to the L2 */
    teg_time fill;          /* of the L1, for each piece that comes from the L2 */
    unsigned fetch_sectors; /* that a miss in the L2 fetches together */
    teg_time port;          /* ticks for 32 bytes: an SM takes no more of L2 and DRAM */
    bool fills_lines;       /* a miss in the L1 fetches its line, not the sectors asked for */
    bool l1_keeps_stores;   /* what they write stays in the L1 */
    bool l1_loads;          /* do plain loads look into the L1? */
    unsigned clusters, cluster_sms; /* memory pipelines of the GPU, simulated SMs on one */
    unsigned active_sms;
    teg_time
        in_flight; /* of the cluster's pipeline: bandwidth times this, whatever the latency is */
    unsigned channels, interleave; /* bytes */
    unsigned banks_of_channel;
    uint64_t row_bytes;
    double row_cycle; /* ticks in which a bank opens one row (tRC); 0: unknown, or switched off */
    teg_time launch;  /* fixed cost outside the SMs; 0: unknown */
    teg_time deal;    /* between two blocks that an SM is dealt */
    struct teg_fetch_machine fetch;
    struct teg_path_machine path;
    struct teg_distances distances;
    struct teg_words_machine words;
};

/* Reads input->machine. Says in `out` what was assumed. WS_ERR_NO_MODEL if figures are missing. */
ws_status teg_machine_read(struct diag *diag, const struct model_input *input, struct estimate *out,
                           struct teg_machine *teg);
/* Ticks of a sector of L2 or DRAM at a bandwidth share of own / all. */
teg_time teg_sector_ticks(const struct teg_machine *teg, const struct teg_level *level,
                          uint64_t all, uint64_t own);
/* Transactions of the memory pipeline of one cluster that may be unfinished: Cmem of the paper (001,
 * section 3.2.4), for elements of `element_bytes`. */
double teg_cmem(double bandwidth, double latency_cycles, double clusters, double element_bytes,
                double clock_hz);

#endif
