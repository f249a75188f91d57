// SPDX-License-Identifier: Apache-2.0
/* The profile: the contract between execution and models (doc/definitions.md#profile). Counters of
 * one launch, by launch, by static instruction and by stage. Saved and read as JSON; may be written
 * by hand with only what one model needs. */
#ifndef MEASURE_PROFILE_H
#define MEASURE_PROFILE_H

#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/origin.h"
#include "emulate/observer.h"
#include "isa/insn.h"

enum counter {
#define COUNTER(name, id, unit, staged, text, ncu) COUNTER_##name,
#include "measure/counters.def"
#define CLASS(name, id) COUNTER_INST_WARP_##name,
#include "isa/classes.def"
#undef CLASS
#define UNIT(name, id) COUNTER_INST_UNIT_##name,
    PTX_UNITS(UNIT)
#undef UNIT
        COUNTER_COUNT,
    COUNTER_INST_WARP_FIRST = COUNTER_INST_WARP_FP32_ADD, /* + enum insn_class */
    COUNTER_INST_UNIT_FIRST = COUNTER_INST_UNIT_INT       /* + enum insn_unit */
};

struct trace;
struct cache_section;

struct counter_info {
    const char *id, *unit, *text, *ncu; /* ncu: NULL if no metric has the same meaning */
    bool staged;
};
extern const struct counter_info counter_infos[COUNTER_COUNT];
/* Is it better the larger it is? */
bool counter_more_is_better(enum counter counter);
/* -1 if none. */
int counter_find(const char *id);

struct counter_value {
    double value;       /* exact for counts below 2^53 */
    double lo, hi;      /* confidence interval; equal to value if exact or unknown */
    uint8_t origin;     /* ORIGIN_NONE: missing */
    const char *reason; /* why it is missing; static or in the profile's arena */
};

enum { SPILL_BYTES_MAX = 1 << 24 };

struct register_count {
    unsigned target;  /* 80 for sm_80; 0: any */
    unsigned value;   /* registers per thread */
    const char *from; /* "ptxas", "liveness", "user", "assumed", "trace" */
    /* Of a thread's code, as ptxas prints them: words that its instructions store and load. 0: none, or unknown. */
    uint32_t spill_store_bytes, spill_load_bytes;
};

struct instruction_profile {
    uint32_t pc;       /* launch instruction index */
    uint32_t line;     /* PTX line; of native code its address */
    uint32_t ptx_line; /* of native code: the line of PTX that it was compiled from; 0: unknown */
    bool is_native;
    const char *file;     /* source file, NULL: unknown */
    uint32_t source_line; /* 0: unknown */
    const char *op;       /* mnemonic with modifiers */
    const char *text;     /* the statement, trimmed, may be NULL */
    uint8_t class_id;
    struct insn_control control; /* of native code */
    /* Counters that are not zero: ids and values. INST_WARP, INST_THREAD, INST_THREAD_ACTIVE,
     * BRANCH_*, BARRIER_WARP and the memory counters of this instruction's space and operation. */
    uint32_t counter_count;
    const uint16_t *counters;
    const double *values;
};

/* Sectors that a launch read and an L2 of at least so many bytes had kept since they were last touched. */
struct l2_reuse {
    uint64_t bytes, sectors;
};
enum { L2_REUSE_MAX = 1024 };

struct stage_profile {
    uint32_t index; /* ordinal; 1024: this and all later ones */
    double warps_working, threads_working;
    double shared_warps_working;    /* by accesses to shared memory; 0: none, or unknown */
    double counters[COUNTER_COUNT]; /* only those with `staged`, classes and units */
};

struct profile {
    int references;       /* beyond the first */
    struct profile *base; /* whose arrays it shares (profile_own); NULL: none */
    struct arena arena;
    char *kernel;      /* display name */
    char *mangled;     /* may be NULL */
    char *isa;         /* "ptx 9.0 sm_80", "sass sm_80 ...", or "hand-written" */
    char *source_path; /* kernel file, may be NULL */
    uint32_t grid[3], block[3];
    uint64_t static_shared_bytes, dynamic_shared_bytes;
    uint64_t local_bytes_per_thread;
    uint32_t register_count;
    struct register_count registers[8];
    bool ordered;            /* execution order was fixed */
    bool unordered_by_user;  /* not reproducible */
    bool partial;            /* interrupted: counts up to there, not scaled */
    double sampled_fraction; /* 1: every block was executed */
    /* Of the cc12 counters; 0: not said, or these were not counted. */
    unsigned cc12_initial_segment, cc12_min_segment;
    unsigned half_warp_banks; /* of the wavefronts16; 0: likewise */
    struct counter_value counters[COUNTER_COUNT];
    uint32_t instruction_count;
    struct instruction_profile *instructions;
    uint32_t ptx_count;   /* 0: not native code, or unknown */
    struct ptx_text *ptx; /* those that instructions name, by line */
    uint32_t stage_count;
    struct stage_profile *stages;
    struct cache_memo *caches; /* hits by cache geometry (cache_section.h) */
    /* What its launch found in the L2, by the size of that (l2_history.h); in the arena. */
    bool has_l2_reuse;
    bool has_l2_code;       /* its code was there in one of at least ... */
    uint64_t l2_code_bytes; /* ... so many bytes */
    uint32_t l2_reuse_count;
    struct l2_reuse *l2_reuse;
    struct trace *trace;      /* warp traces of some blocks (trace.h), owned; NULL: none */
    const char *trace_reason; /* why it is missing; static or in the arena */
    char *trace_path;         /* the file (trace_file.h) that keeps it; NULL: none */
    /* What a reader of the figures must know of their making, a sentence each. */
    uint32_t note_count;
    const char **notes;
    const char *const *arguments; /* of the launch, as they were given; for comparisons */
    uint32_t argument_count;
};

/* An empty profile: every counter missing with the reason "not in this profile". */
struct profile *profile_create(void);
/* Gives one reference back; the last one frees it. NULL: nothing. */
void profile_destroy(struct profile *profile);
/* All but the references, which other threads may be counting: for copies that share the rest. */
static inline void profile_copy_fields(struct profile *to, const struct profile *from)
{
    const size_t start = offsetof(struct profile, base);
    memcpy((char *)to + start, (const char *)from + start, sizeof *to - start);
    to->references = 0;
}
/* One more reference, from any thread. Whoever shares a profile does not change it. */
struct profile *profile_keep(struct profile *profile);
/* For changes: the profile itself if it is not shared, else a copy that takes the place of the caller's
 * reference. */
struct profile *profile_own(struct profile *profile);
void profile_set(struct profile *profile, enum counter counter, double value, enum origin origin);
bool profile_has(const struct profile *profile, enum counter counter);
/* 0 if missing: ask profile_has where that matters. */
double profile_get(const struct profile *profile, enum counter counter);
uint64_t profile_blocks(const struct profile *profile); /* of the grid */
/* Share, 0 to 1, that an L2 keeps of what was touched so many bytes ago. */
double l2_kept_share(double bytes_ago, double l2_bytes);
/* Share, 0 to 1, of the distinct sectors it reads that the launch found in an L2 of this size; NAN: unknown. */
double profile_l2_found(const struct profile *profile, double l2_bytes);
uint32_t profile_threads_per_block(const struct profile *profile);
uint64_t profile_shared_bytes(const struct profile *profile); /* of a block, static and dynamic */
/* Were native instructions counted? Else those of PTX. */
bool profile_is_native(const struct profile *profile);
/* Was it OpenCL C? Reports then speak of work-groups and work-items. */
bool profile_is_opencl(const struct profile *profile);
void profile_add_note(struct profile *profile, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The line of the PTX that it is, or was compiled from; 0: unknown. */
static inline uint32_t instruction_ptx_line(const struct instruction_profile *instruction)
{
    return instruction->is_native ? instruction->ptx_line : instruction->line;
}
/* "saxpy.cu:7"; without a source line "PTX:21" or, native, "SASS:00a0"; "all" if nothing is known. */
void instruction_place(char *out, size_t size, const struct instruction_profile *instruction);
/* The entry that profile_registers takes; NULL: none. */
const struct register_count *profile_register_entry(const struct profile *profile, unsigned target);
/* Registers for the target nearest to `target` (user > trace > ptxas > liveness); *out_from is its origin
 * text, *out_target the target it was made for. False if none is known. */
bool profile_registers(const struct profile *profile, unsigned target, unsigned *out_registers,
                       const char **out_from, unsigned *out_target);

/* Spilled registers in profiles of code that does not show them, as PTX: the profile with those of the registers that
 * it has for `target`: with another trace and other counters of the launch, the latter by what the traced
 * blocks execute. NULL: nothing is spilled, or there is no trace, or it is of native code. The first
 * one stays as it is and must live as long; profile_drop_spills the result. */
struct profile *profile_with_spills(const struct profile *profile, unsigned target);
void profile_drop_spills(struct profile *profile);

/* JSON, with the trace of the file that it names, or such a file (trace_file.h). */
ws_status profile_load(struct diag *diag, const char *path, struct profile **out);
/* The same from memory; `name` stands in messages for the file name. */
ws_status profile_load_memory(struct diag *diag, const char *name, const void *bytes, size_t size,
                              struct profile **out);
/* As JSON, which names the trace's file. */
ws_status profile_save(struct diag *diag, const struct profile *profile, const char *path);
/* The same JSON as text for programs, without that name and spaces; to be freed. */
char *profile_to_json(const struct profile *profile);
/* For people, with the name of the trace's file; NULL: without. */
char *profile_to_json_with(const struct profile *profile, const char *trace_name);

/* Rules that cost time (doc/definitions.md#counting-rules). */
enum measure_rules { RULE_CC10 = 1, RULE_CC12 = 2, RULE_BANK16 = 4, RULES_ALL = 7 };

/* The segments of RULE_CC12 in bytes. */
struct segments {
    unsigned initial; /* of words of 4 bytes and more; at most 32 for 1 byte, 64 for 2 */
    unsigned least;
};
/* Powers of two, initial 4 to 256, least 4 to initial. */
bool segments_valid(struct segments segments);

/* What is counted besides what always is. */
struct counting_rules {
    unsigned set;             /* of enum measure_rules */
    unsigned banks;           /* of RULE_BANK16: 1 to BANKS_MAX */
    struct segments segments; /* of RULE_CC12: valid ones */
    bool joins_phases;        /* of wavefronts32: bank_joins (memory_rules.h) */
};
enum { BANKS_MAX = 64 };
/* This set as cc 1.2 and 1.3 have it: 16 banks, segments of 128 and 32 bytes. */
struct counting_rules counting_rules_of(unsigned set);

/* Whose instructions are counted: those of PTX, or what native code of a GPU makes of them
 * (isa_view.def). */
enum isa_view {
    ISA_VIEW_NONE,
#define ISA_VIEW(name, id, text) ISA_VIEW_##name,
#include "measure/isa_view.def"
    ISA_VIEW_COUNT
};
enum { VIEW_UNROLL = 4 };                                /* iterations at most that become one */
extern const char *const isa_view_names[ISA_VIEW_COUNT]; /* "gt200"; "" */
/* -1 if none. */
int isa_view_find(const char *name);

/* An observer that counts one launch. measure_end makes the profile and destroys it; on failure of
 * the launch call measure_cancel. */
struct measure;
struct measure *measure_begin(struct counting_rules rules);
/* After the launch: what it read, wrote and fetched as textures of global memory; empty for a sample. */
struct l2_ranges;
void measure_ranges(const struct measure *measure, struct l2_ranges *read,
                    struct l2_ranges *written, struct l2_ranges *texture);
/* Before the launch. */
void measure_set_view(struct measure *measure, enum isa_view view);
/* Before the launch, after the view: also records the warp traces of `blocks` blocks, as far as they fit
 * in max_bytes (trace_record.h). */
void measure_record(struct measure *measure, uint32_t blocks, uint64_t max_bytes);
/* And of the first block of the grid, in any case. */
void measure_record_first(struct measure *measure);
/* Where the counts come from if not from an execution: ORIGIN_MEASURED of a trace of a real GPU. */
void measure_set_origin(struct measure *measure, enum origin origin);
struct observer *measure_observer(struct measure *measure);
struct profile *measure_end(struct measure *measure, double sampled_fraction);
/* Of a launch that was interrupted: what was counted so far, as it is, without traces. */
struct profile *measure_end_partial(struct measure *measure);
void measure_cancel(struct measure *measure);

#endif
