// SPDX-License-Identifier: Apache-2.0
/* What a GPU or CPU IS: figures with unit and source, read from data/machines/NAME.yaml; occupancy. */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "isa/insn.h"

enum machine_key {
#define KEY(name, path, dimension, text) MACHINE_##name,
#include "machine/machine_keys.def"
#undef KEY
#define CLASS(name, id) MACHINE_THROUGHPUT_##name,
#include "isa/classes.def"
#undef CLASS
#define CLASS(name, id) MACHINE_LATENCY_##name,
#include "isa/classes.def"
#undef CLASS
#define CLASS(name, id) MACHINE_ISSUE_LATENCY_##name,
#include "isa/classes.def"
#undef CLASS
    MACHINE_KEY_COUNT,
    MACHINE_THROUGHPUT_FIRST = MACHINE_THROUGHPUT_FP32_ADD, /* + enum insn_class, thread/cycle */
    MACHINE_LATENCY_FIRST = MACHINE_LATENCY_FP32_ADD,       /* + enum insn_class, cycle */
    MACHINE_ISSUE_LATENCY_FIRST = MACHINE_ISSUE_LATENCY_FP32_ADD
};

/* Figures are of one of them or of both (machine_key_is_for). */
#define MACHINE_KINDS(KIND)                                                                        \
    KIND(GPU, "gpu")                                                                               \
    KIND(CPU, "cpu")
enum machine_kind {
#define KIND(name, word) MACHINE_IS_##name,
    MACHINE_KINDS(KIND)
#undef KIND
        MACHINE_KIND_COUNT
};
extern const char *const machine_kind_words[MACHINE_KIND_COUNT];

enum dimension {
    DIM_COUNT,
    DIM_NUMBER, /* as a count without unit, but need not be whole */
    DIM_BYTES,
    DIM_BIT,
    DIM_CYCLE,
    DIM_HERTZ,
    DIM_BYTES_PER_SECOND,
    DIM_BYTES_PER_CYCLE,
    DIM_THREAD_PER_CYCLE,
    DIM_INSTRUCTION_PER_SECOND,
    DIM_WATT,
    DIM_VOLT,
    DIM_JOULE,
    DIM_JOULE_PER_BYTE,
    DIM_METRE,
    DIM_SECOND,
    DIM_CELSIUS,
    DIM_KELVIN,
    DIM_KELVIN_PER_WATT,
    DIM_WATT_PER_KELVIN,
    DIM_AREA,
    DIM_CONDUCTIVITY,
    DIM_HEAT_CAPACITY,
    DIM_VOLUME_HEAT_CAPACITY,
    DIM_AREA_RESISTANCE,
    DIMENSION_COUNT
};

struct machine_key_info {
    const char *path, *text;
    uint8_t dimension;
};
extern const struct machine_key_info machine_key_infos[MACHINE_KEY_COUNT];
/* SI unit of a dimension as written in reports: "B/s"; "" for counts. */
const char *dimension_unit(enum dimension dimension);
/* -1 if none. */
int machine_key_find(const char *path);
bool machine_key_is_for(enum machine_key key, enum machine_kind kind);

/* The source of a figure that machine_set has put there. */
#define MACHINE_WHAT_IF "what-if"
struct machine;
/* `machine` without its what-ifs: a copy that shares all texts, and goes by mem_free, not destroyed. */
struct machine *machine_as_loaded(const struct machine *machine);

struct machine_value {
    double value; /* in the SI unit of the key's dimension */
    bool known;
    const char *source; /* key of SOURCES.yaml, "assumed", or "measured DATE, benchmark NAME" */
    bool assumed;       /* from: assumed */
    bool measured;      /* from: measured */
    double low, high;   /* interval of what was measured; 0: none given */
    uint32_t line;      /* in the machine's own file; 0: inherited or set by a what-if */
    double loaded;      /* of a what-if: the file's figure; NAN: it has none */
};

/* What was measured with 1, 2, 3 ... resident warps per SM, or for launches of differing shape
 * (machine_curves.def). */
enum machine_curve_id {
#define CURVE(name, path, axes, dimension, gpu_dimension, scale, text) CURVE_##name,
#include "machine/machine_curves.def"
#undef CURVE
    CURVE_COUNT
};
enum { CURVE_AXES = 3 };
struct machine_curve_info {
    const char *path, *text;
    const char *axes[CURVE_AXES]; /* "warps", or "blocks", "threads", "transactions"; NULL: none */
    uint8_t dimension;            /* of what is kept: per SM and cycle, or a share */
    uint8_t gpu_dimension;        /* may be written instead: of the whole GPU, per second */
    double scale; /* from one to the other, beside SMs and clock; 0: a share of dram.bandwidth */
};
extern const struct machine_curve_info machine_curve_infos[CURVE_COUNT];

struct machine_curve {
    size_t count;                   /* of values, the product of axis_counts; 0: unknown */
    size_t axis_counts[CURVE_AXES]; /* 1 for an axis that the curve does not have */
    const double *axes[CURVE_AXES]; /* each increases */
    const double *values;           /* by all axes, the last fastest */
    const char *source;
    bool assumed;
    bool of_gpu;   /* while reading: values still are of the whole GPU, per second */
    double factor; /* by which a what-if has changed the peak of what was measured; 0: it has not */
    double clusters; /* that shared a memory pipeline where it was measured; 1: none known */
    uint32_t line;   /* as that of machine_value */
};

/* What a block of a floorplan is: FLOORPLAN_KIND(ENUM, "word"). */
#define FLOORPLAN_KINDS(KIND)                                                                      \
    KIND(SM, "sm")                                                                                 \
    KIND(TPC, "tpc")                                                                               \
    KIND(MEMORY_CONTROLLER, "memory_controller")                                                   \
    KIND(OTHER, "other")
enum floorplan_kind {
#define KIND(name, word) FLOORPLAN_##name,
    FLOORPLAN_KINDS(KIND)
#undef KIND
        FLOORPLAN_KIND_COUNT
};
extern const char *const floorplan_kind_words[FLOORPLAN_KIND_COUNT];

/* A rectangle of the chip; x goes right, y down, from the upper left corner of the die. */
struct floorplan_block {
    const char *name;
    enum floorplan_kind kind; /* TPC: what the SMs of one share */
    unsigned sm;              /* of an SM */
    unsigned tpc;             /* of an SM or a TPC */
    double x_metres, y_metres, width_metres, height_metres;
};

/* Blocks cover the die without gap or overlap; SMs and TPCs are numbered from 0 without a gap. */
struct floorplan {
    double width_metres, height_metres; /* of the die */
    size_t block_count;
    const struct floorplan_block *blocks;
    unsigned sm_count, tpc_count;
    const char *source; /* as that of machine_value */
    bool assumed;
    uint32_t line;
};

struct machine {
    int references;       /* beyond the first */
    struct machine *base; /* whose texts it shares (machine_own); NULL: none */
    struct arena arena;
    enum machine_kind kind;
    const char *id;   /* file name without .yaml */
    const char *name; /* "GeForce GTX 280" */
    const char *path;
    const char *inherits; /* NULL: nothing */
    uint32_t inherits_line;
    const char *vendor, *chip, *chip_source; /* NULL: not said */
    size_t note_count;
    const char *const *notes;
    size_t alias_count;
    const char *const *aliases;
    unsigned cc_major, cc_minor; /* compute capability; 0 of a CPU */
    const char *cc_source;
    struct machine_value values[MACHINE_KEY_COUNT];
    struct machine_curve curves[CURVE_COUNT];
    const struct floorplan *floorplan; /* NULL: unknown */
};

/* `name`: id, alias or a path that ends in .yaml. `dir` holds the files and SOURCES.yaml. */
ws_status machine_load(struct diag *diag, const char *dir, const char *name, struct machine **out);
/* Gives one reference back; the last one frees it. NULL: nothing. */
void machine_destroy(struct machine *machine);
/* What is left of dram.bandwidth at another clock.core, by l2.fill_bandwidth: 0 to 1. */
double machine_dram_share(const struct machine *machine, double clock_hz);
/* All but the references, which other threads may be counting: for copies that share the rest. */
static inline void machine_copy_fields(struct machine *to, const struct machine *from)
{
    const size_t start = offsetof(struct machine, base);
    memcpy((char *)to + start, (const char *)from + start, sizeof *to - start);
    to->references = 0;
}
/* One more reference, from any thread. Whoever shares a machine does not change it. */
struct machine *machine_keep(struct machine *machine);
/* For changes: the machine itself if it is not shared, else a copy that takes the place of the caller's
 * reference. */
struct machine *machine_own(struct machine *machine);
/* Writes a CPU as a file that machine_load reads. */
ws_status machine_save_cpu(struct diag *diag, const struct machine *machine, const char *path);
/* Ids of all files of `dir`, sorted; in the arena. */
ws_status machine_list(struct diag *diag, struct arena *arena, const char *dir,
                       const char *const **out_ids, size_t *out_count);

/* Of all figures and curves, to twelve digits: equal for machines that models cannot tell apart. */
uint64_t machine_digest(const struct machine *machine);

bool machine_has(const struct machine *machine, enum machine_key key);
/* The value, or `otherwise` if it is unknown. */
double machine_get(const struct machine *machine, enum machine_key key, double otherwise);
/* Groups of SMs that share a memory pipeline each (sm.per_cluster); 1: none are known. */
double machine_clusters(const struct machine *machine);
/* Throughput (thread/cycle and SM) or latency (cycle) of a class: the class's own figure, else that
 * of the class that class_price.c names for it (fp32.add has fp32.fma's, for instance). False if
 * neither is known. */
bool machine_throughput(const struct machine *machine, enum insn_class id, double *out);
/* The same without what-ifs. */
bool machine_throughput_as_loaded(const struct machine *machine, enum insn_class id, double *out);
bool machine_latency(const struct machine *machine, enum insn_class id, double *out);
/* Cycles until the same warp may issue again. */
bool machine_issue_latency(const struct machine *machine, enum insn_class id, double *out);

/* ---- curves (machine_curve.c) ---------------------------------------------------------------- */

/* -1 if none. */
int machine_curve_find(const char *path);
/* A curve by warps: linear between the points and from 0 warps to the first, level beyond the last;
 * 0 if it is unknown. */
double machine_curve_at(const struct machine_curve *curve, double warps);
/* A curve by the shape of a launch (blocks, threads per block, transactions per thread), without
 * what its blocks leave idle of the clusters: the measured value / machine_curve_sawtooth. Between
 * points the time per byte is linear in the reciprocals of the three, as that of a pipeline is; it
 * grows in proportion below the first point of an axis and is level beyond the last. */
double machine_curve_envelope(const struct machine_curve *curve, const double launch[CURVE_AXES],
                              double clusters);
/* Share of the clusters that have a block while the busiest has its last: blocks / (clusters x
 * ceil(blocks / clusters)); 1 for one cluster. */
double machine_curve_sawtooth(double blocks, double clusters);
/* Value i in the unit that machine_curve_unit names, and where on the axes it was measured. */
double machine_curve_value(const struct machine *machine, enum machine_curve_id id, size_t i);
const char *machine_curve_unit(enum machine_curve_id id);
void machine_curve_point(const struct machine_curve *curve, size_t i, double out[CURVE_AXES]);

/* A synthetic floorplan: a square die of die.area with the machine's SMs in an array of TPCs, memory
 * controllers at two edges and the rest between. In the arena. WS_ERR_NO_MODEL names the figure that
 * the machine file lacks. */
ws_status machine_floorplan_grid(struct diag *diag, struct arena *arena,
                                 const struct machine *machine, const struct floorplan **out);
/* What-if: "sm.count" "=60" "=*2" "=+1" "=+25%". */
ws_status machine_set(struct diag *diag, struct machine *machine, const char *path,
                      const char *change);
/* The same by the value in its SI unit. */
ws_status machine_set_value(struct diag *diag, struct machine *machine, enum machine_key key,
                            double value);

/* WS_ERR_LAUNCH if grid, block or shared memory exceed what the machine can launch; limits that its file
 * does not know are not checked. */
ws_status machine_check_launch(struct diag *diag, const struct machine *machine,
                               const uint32_t grid[3], const uint32_t block[3],
                               uint64_t dynamic_shared_bytes);

/* ---- occupancy: doc/occupancy.md ------------------------------------------------------------- */

struct occupancy_query {
    unsigned threads_per_block;
    unsigned registers_per_thread; /* 0: no limit by registers */
    uint64_t shared_bytes;         /* static and dynamic, per block */
    unsigned barriers;             /* named barriers of a block; 0 and 1 do not limit */
    bool partitioned_caching;      /* cc 5.2, 5.3, 6.1, 6.2: a block stays in half an SM */
    bool no_granularity;           /* plain division: no allocation units, nothing reserved */
};

enum {
#define OCCUPANCY_LIMIT(name, id) OCCUPANCY_INDEX_##name,
#include "machine/occupancy_limits.def"
#undef OCCUPANCY_LIMIT
    OCCUPANCY_LIMIT_COUNT
};
enum occupancy_limit {
    OCCUPANCY_UNLIMITED = 0,
#define OCCUPANCY_LIMIT(name, id) OCCUPANCY_##name = 1 << OCCUPANCY_INDEX_##name,
#include "machine/occupancy_limits.def"
#undef OCCUPANCY_LIMIT
};
extern const char *const occupancy_limit_ids[OCCUPANCY_LIMIT_COUNT]; /* by bit, the lowest first */
/* The id of one limit, `none` for none. */
const char *occupancy_limit_id(enum occupancy_limit limit, const char *none);

struct occupancy {
    unsigned blocks_per_sm, warps_per_sm, warps_per_block;
    double fraction; /* warps_per_sm / sm.max_warps */
    /* Blocks by each limit; UINT_MAX: does not limit. Names as in Nsight Compute:
     * Block Limit SM, Registers, Shared Mem, Warps. */
    unsigned limit_sm, limit_registers, limit_shared, limit_warps, limit_barriers;
    enum occupancy_limit
        limiter;        /* of the least the first of: warps, registers, shared, sm, barriers */
    unsigned limiters;  /* all of the least: bits of enum occupancy_limit */
    unsigned max_warps; /* of an SM */
};

/* WS_ERR_LAUNCH if not even one block fits; the message says which limit. WS_ERR_NO_MODEL if the
 * machine lacks a figure. */
ws_status machine_occupancy(struct diag *diag, const struct machine *machine,
                            const struct occupancy_query *query, struct occupancy *out);
/* The same without a message: blocks_per_sm is 0 if no block fits or a figure is unknown. */
struct occupancy machine_count_blocks(const struct machine *machine,
                                      const struct occupancy_query *query);
/* The most that a launch may ask for of each; 0: unknown. */
struct occupancy_query machine_largest_launch(const struct machine *machine);

/* What of a launch is varied. */
enum occupancy_vary { VARY_BLOCK = 1, VARY_REGISTERS = 2, VARY_SHARED = 4 };

/* The curve over all values that the machine allows. At most `capacity` points are stored;
 * *out_count is how many there are. */
ws_status machine_occupancy_curve(struct diag *diag, const struct machine *machine,
                                  const struct occupancy_query *query, enum occupancy_vary vary,
                                  ws_occupancy_point *out, size_t capacity, size_t *out_count);
/* The least change that puts more warps on an SM: the next lower registers or shared memory, or
 * both (VARY_REGISTERS | VARY_SHARED), or the nearest block of whole warps. False: none does. */
bool machine_occupancy_next(const struct machine *machine, const struct occupancy_query *query,
                            unsigned vary, struct occupancy_query *out_query,
                            struct occupancy *out);

#endif
