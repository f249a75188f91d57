// SPDX-License-Identifier: Apache-2.0
/* Models and what they answer. One file a model, one row in models.def. A model sees only the
 * profile, the machine and the estimates made before it. */
#ifndef MODEL_ESTIMATE_H
#define MODEL_ESTIMATE_H

#include "base/arena.h"
#include "base/diag.h"
#include "machine/machine.h"
#include "measure/cache_replay.h"
#include "measure/profile.h"
#include "model/closed_form/energy_form.h"
#include "model/core/accesses.h"
#include "model/core/component.h"
#include "model/power/clock_sweep.h"
#include "model/power/core_sweep.h"
#include "model/power/ipp_power.h"
#include "model/throughput/split_plan.h"

enum effect {
#define EFFECT(name, id, words) EFFECT_##name,
#include "model/core/effects.def"
#undef EFFECT
    EFFECT_COUNT
};
struct effect_info {
    const char *id, *words;
};
extern const struct effect_info effect_infos[EFFECT_COUNT];
int effect_find(const char *id);

struct term {
    const char *id; /* the keys of golden.json's `expected`: mwp, cwp, exec_cycles ... */
    double value;
    const char *unit;         /* SI, "cycle", "1" ... */
    const char *text;         /* name as in the paper, with its equation */
    enum component component; /* whose busy time it is; COMPONENT_NONE: nobody's */
};

struct effect_gain {
    bool modelled;
    double time_seconds; /* without the effect */
    double gain;         /* time / time without; >= 1 in sound models */
};

/* One interval between barriers, all blocks together (models that know stages). */
struct stage_estimate {
    uint32_t index;
    double warps; /* working warps per SM */
    double inst_seconds, smem_seconds, gmem_seconds;
    enum component bottleneck, next;
};

/* Where the time of the resident warps goes, in Nsight Compute's words. */
struct wait_cause {
    const char *id, *text; /* "long_scoreboard" */
    double share;          /* of the time of all resident warps */
};
struct wait_line { /* all instructions of one source line, or one PTX line */
    const char *file;
    uint32_t line;                  /* of `file`, or of the PTX if that is NULL */
    double share;                   /* of the time of all resident warps */
    const struct wait_cause *cause; /* the greatest there, `selected` not counted */
    double cause_share;             /* of the line's own time */
};
struct scaling_point { /* so many warps alone on an SM, each with its work */
    unsigned warps;
    double cycles, ipc;
};
struct warp_waits {
    size_t cause_count, line_count, scaling_count;
    const struct wait_cause *causes;
    const struct wait_line *lines; /* greatest share first */
    const struct scaling_point *scaling;
};

enum { TERMS_MAX = 64, ASSUMPTIONS_MAX = 32 };

/* One answer of one model. Texts live in the prediction's arena or are static. */
struct estimate {
    const char *model;           /* "mwp-cwp" */
    double time_seconds, cycles; /* core cycles of the whole kernel; launch cost not included */
    double model_seconds;        /* what the model says: less than the above if that is below the
                                  * speed of light, to which every answer is raised */
    enum component bottleneck;   /* COMPONENT_NONE: the model names none */
    enum component next;         /* once that is gone */
    size_t term_count;
    struct term terms[TERMS_MAX];
    size_t assumption_count;
    const char *assumptions[ASSUMPTIONS_MAX];
    struct effect_gain without[EFFECT_COUNT];
    size_t stage_count;
    const struct stage_estimate *stages;
    bool stages_overlap;              /* the stages of several blocks run at the same time */
    const struct warp_waits *waits;   /* models that follow warps; NULL */
    const struct tp_case *throughput; /* of the throughput model, for further questions; NULL */
};

/* One answer about power (models with predict_power). Arrays by enum power_unit. */
struct power_estimate {
    struct estimate answer; /* time that it rests on, terms, assumptions */
    const char *time_model; /* whose time, or that a measured time is compared with */
    bool measured;
    double time_factor; /* time over that of time_model */
    double active_sms;
    double unit_instructions[POWER_UNIT_COUNT]; /* of the launch, by the counters */
    double counted[POWER_UNIT_COUNT];           /* the same; units without coefficient with kin */
    double rates[POWER_UNIT_COUNT], max_watts[POWER_UNIT_COUNT];
    bool spec_linear[POWER_UNIT_COUNT];
    const struct cache_section
        *caches; /* that L1, L2 and DRAM rest on; NULL: none known or none there */
    const char *unit_reasons[POWER_UNIT_COUNT]; /* why a unit has no watts; NULL: it has */
    struct ipp_watts watts;
    double gated_watts;
    double intensity;       /* (54); NAN if there are only memory instructions */
    const char *no_thermal; /* why the following is not known; NULL: it is */
    struct ipp_thermal thermal;
    double printed_rise_kelvin, rise_kelvin, static_watts;
};

struct model_option {
    const char *key, *value; /* "mem_l_coal", "slides" (models.md section 0) */
};

struct teg_observer;

struct model_input {
    const struct profile *profile;
    const struct machine *machine;
    const struct machine *second;       /* a CPU beside the GPU; NULL */
    const struct trace *trace;          /* warp traces (trace.h); NULL: there are none */
    const struct cache_section *caches; /* hits on this machine's caches; NULL: not known */
    const struct estimate *prior;       /* estimates of the models that ran before */
    size_t prior_count;
    struct occupancy occupancy; /* of the profile on the machine, computed once */
    size_t option_count;
    const struct model_option *options;
    uint32_t effects_off; /* bit set of enum effect */
    double whole_sms;     /* SMs of the GPU if sm.count is that of those at work; 0: sm.count */
    struct arena *arena;  /* for texts of the estimate */
    const struct teg_observer *observer; /* of the model teg's execution; NULL: none */
};

/* An option of a model: the first value is the default (models.md section 0). */
struct model_option_info {
    const char *key;           /* "mem_l_coal" */
    const char *const *values; /* ends with NULL; NULL: a number above 0; or model_names,
                               * or model_counts: a number from 0 on */
    const char *text;
};

/* As values: "best" or the name of any model of time. */
extern const char *const model_names[], *const model_counts[];

struct model {
    const char *name;                      /* "mwp-cwp" */
    const char *reference;                 /* paper */
    const char *about;                     /* one sentence: which machines and kernels it fits */
    const enum machine_key *needs_machine; /* ends with MACHINE_KEY_COUNT */
    const enum counter *needs_counters;    /* ends with COUNTER_COUNT */
    const char *const *needs_prior;        /* names of models, ends with NULL; NULL: none */
    bool needs_occupancy;                  /* resident blocks of the launch on the machine */
    bool needs_accesses;     /* global and local accesses under the machine's coalescing rule */
    bool needs_transactions; /* bytes moved under that rule, and passes through the banks */
    bool needs_trace;        /* warp traces */
    uint32_t effects;        /* bit set of those it can switch off */
    const struct model_option_info *options; /* option_count of them */
    size_t option_count;
    /* One of the two: of time, or of the power at a given time. */
    ws_status (*predict)(struct diag *diag, const struct model_input *input, struct estimate *out);
    ws_status (*predict_power)(struct diag *diag, const struct model_input *input,
                               const struct estimate *time, struct power_estimate *out);
};

/* For models: append a term (left out unless finite) or an assumption, printf-like; a text that is
 * already there is not repeated, and what is beyond the capacity is dropped. */
void estimate_add_term(struct estimate *estimate, const char *id, double value, const char *unit,
                       const char *text);
/* For models: append the time that a component is busy, with its words as text. */
void estimate_add_busy(struct estimate *estimate, const char *id, enum component component,
                       double seconds);
/* The term of a component's busy time, NULL if there is none. */
const struct term *estimate_busy(const struct estimate *estimate, enum component component);
void estimate_assume(struct estimate *estimate, struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static inline bool model_without(const struct model_input *input, enum effect effect)
{
    return input->effects_off >> effect & 1;
}
/* Index of the value that is set for option `key` of the model, 0 (the default) if none is. */
size_t model_option_get(const struct model *model, const struct model_input *input,
                        const char *key);
/* The number that is set for an option without values. */
double model_option_number(const struct model_input *input, const char *key, double otherwise);
/* The word that is set for an option that names a model. */
const char *model_option_name(const struct model_input *input, const char *key,
                              const char *otherwise);

/* All models in the order in which they run (models.def). */
extern const struct model *const models[];
extern const size_t model_count;
/* The one that answers for machines of this kind under the name of models[index]; NULL: none does. */
const struct model *model_for(size_t index, enum machine_kind kind);
const struct model *model_find(const char *name);

struct predict_options {
    size_t option_count;
    const struct model_option *options; /* unknown keys and values are errors */
    uint32_t effects_off;
    const char *only;   /* a model: no other is asked but those it rests on, and no gains are worked
                       * out; NULL: all */
    bool without_gains; /* the gains of effects are not worked out */
    bool without_traces;
    /* For a launch on some of the SMs (core_sweep.c): SMs of the whole GPU; what the time is
     * multiplied by, 0: 1. */
    double whole_sms, time_factor;
    const struct cache_section *caches;  /* those of the whole GPU; NULL: the machine's */
    const struct teg_observer *observer; /* sees the execution of the model teg; NULL: nobody */
};

/* Every model that can answer, with the gain of each effect it knows. */
struct prediction {
    struct arena arena;
    const struct profile *profile;
    const struct machine *machine;
    struct predict_options options; /* as given; the texts are copied */
    struct occupancy occupancy;
    unsigned registers;                 /* used for occupancy; 0: none known */
    const char *registers_note;         /* "31 registers by ptxas for sm_75, used for sm_13" */
    const struct cache_section *caches; /* hits on the machine's caches; NULL: not known ... */
    const char *caches_reason;          /* ... and why */
    size_t estimate_count;
    struct estimate estimates[16];
    size_t refusal_count; /* models that cannot answer */
    struct {
        const char *model, *reason; /* "needs machine dram.latency, which gtx580 does not give" */
    } refusals[16];
    const struct power_estimate *power; /* NULL: none */
    const char *no_power;               /* why there is none */
    size_t best;                        /* index of the estimate that fits this machine */
    const char *best_reason;            /* why that one */
};

/* Checks needs centrally, runs the models in order, works out the gains. WS_ERR_NO_MODEL if none
 * can answer (what each lacks is in the message), WS_ERR_LAUNCH if the launch cannot run there. */
ws_status model_predict(struct diag *diag, const struct profile *profile,
                        const struct machine *machine, const struct predict_options *options,
                        struct prediction **out);
void prediction_destroy(struct prediction *prediction);
const struct estimate *prediction_find(const struct prediction *prediction, const char *model);
const struct term *estimate_term(const struct estimate *estimate, const char *id);

/* ws_model_evaluate (closed_form.c). */
ws_status model_evaluate(struct diag *diag, const char *function, const ws_input *inputs,
                         size_t input_count, ws_term *out, size_t capacity, size_t *out_count);
/* Names of the closed forms by index; NULL beyond the last. */
const char *model_function(size_t index);

#endif
