// SPDX-License-Identifier: Apache-2.0
/* Models and what they answer. One file a model, one row in models.def. A model sees only the
 * profile, the machine and the estimates made before it. */
#ifndef MODEL_ESTIMATE_H
#define MODEL_ESTIMATE_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/figure.h"
#include "machine/machine.h"
#include "measure/cache_section.h"
#include "measure/profile.h"
#include "model/core/accesses.h"
#include "model/core/component.h"
#include "model/core/evidence.h"
#include "model/core/l2_start.h"

enum model_id {
#define MODEL(name, gpu, cpu) MODEL_##name,
#include "model/models.def"
#undef MODEL
    MODEL_COUNT
};

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
    enum component component; /* whose busy time it is; COMPONENT_NONE: none */
};

struct effect_gain {
    bool modelled;
    double time_seconds; /* without the effect */
    double gain;         /* time / time without; >= 1 in sound models */
};

/* What can be wrong with a kernel, or done about it. */
struct advice_info {
    const char *code, *title, *text; /* "G102", stable: `warpsage explain CODE`; text: that page */
};

/* A model's own advice: what it knows and the finders of recommend/ do not. */
struct finding {
    const struct advice_info *info; /* one of the model's */
    const char *where, *evidence;   /* "sgemm.cu:17" or ""; "3 of 4 loads" */
    double gain;                    /* of this model's time; NAN: unknown */
};

enum { TERMS_MAX = 64, ASSUMPTIONS_MAX = 32, FINDINGS_MAX = 4 };

/* One answer of one model. Texts live in the prediction's arena or are static. */
struct estimate {
    enum model_id id;            /* of the model ... */
    const char *model;           /* ... and its name: "mwp-cwp" */
    double time_seconds, cycles; /* core cycles of the whole kernel; launch cost not included */
    /* Of a profile of a sample of the blocks: where the time of all blocks lies (sample_time.h); 0: no
     * interval. */
    double low_seconds, high_seconds;
    double
        unseen; /* of the time, by which it may be longer for a block that the sample missed; of models that
                    * follow traces */
    double model_seconds;      /* what the model says: less than the above if that is below the
                                  * speed of light, to which every answer is raised */
    enum component bottleneck; /* COMPONENT_NONE: the model names none */
    enum component next;       /* once that is gone */
    size_t term_count;
    struct term terms[TERMS_MAX];
    size_t assumption_count;
    const char *assumptions[ASSUMPTIONS_MAX];
    struct effect_gain without[EFFECT_COUNT];
    size_t finding_count;
    struct finding findings[FINDINGS_MAX];
    const struct cache_section *traffic; /* as this model finds it; NULL: it follows no caches */
    double warp_instructions;            /* of native code in the whole launch, with traffic */
    /* What only this model knows: described by model.details, or for those who include its header:
     * struct warp_parallelism of mwp-cwp, struct stage_times of quantitative, struct warp_waits of teg, struct
     * tp_case of throughput; NULL:
     * nothing. */
    const void *details;
};

struct model_option {
    const char *key, *value; /* "mem_l_coal", "slides" */
};

struct power_estimate;
struct prediction;
struct teg_observer;
struct teg_clocks;

struct model_input {
    const struct profile *profile;
    const struct machine *machine;
    const struct machine *second;       /* a CPU beside the GPU; NULL */
    const struct trace *trace;          /* warp traces (trace.h); NULL: none */
    const struct cache_section *caches; /* hits on this machine's caches; NULL: unknown */
    const struct estimate *prior;       /* estimates of the models that ran before */
    size_t prior_count;
    struct occupancy occupancy; /* of the profile on the machine, computed once */
    size_t option_count;
    const struct model_option *options;
    uint32_t effects_off; /* bit set of enum effect */
    double whole_sms;     /* SMs of the GPU if sm.count is the number of active ones; 0: sm.count */
    bool without_details; /* estimate.details is not asked for: models may leave it NULL */
    bool only_time;       /* of an estimate: it may lack a bottleneck, too */
    bool without_texts;   /* nor are assumptions written */
    struct l2_start l2;   /* what the launch finds there */
    struct arena *arena;  /* for texts of the estimate */
    const struct teg_observer *observer; /* of the model teg's execution; NULL: none */
    struct teg_clocks *clocks; /* of the same (teg_clocks.h): to be filled; NULL: not asked for */
};

/* An option of a model: the first value is the default (doc/models). */
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
    const enum model_id *needs_prior;      /* ends with MODEL_COUNT; NULL: none */
    bool needs_occupancy;                  /* resident blocks of the launch on the machine */
    bool needs_accesses;     /* global and local accesses under the machine's coalescing rule */
    bool needs_transactions; /* bytes moved under that rule, and passes through the banks */
    bool needs_trace;        /* warp traces */
    uint32_t effects;        /* bit set of those it can switch off */
    const struct model_option_info *options; /* option_count of them */
    size_t option_count;
    /* "KEY=VALUE" that take a mechanism away, then NULL; NULL: none. */
    const char *const *ablations;
    const struct record *details; /* of estimate.details: a section of the report; NULL: none */
    const struct advice_info *findings; /* finding_count of them */
    size_t finding_count;
    /* One of the two. A model of time predicts; what rests on the times of others completes the
     * prediction once they are there. */
    ws_status (*predict)(struct diag *diag, const struct model_input *input, struct estimate *out);
    ws_status (*complete)(struct diag *diag, const struct model_input *input,
                          struct prediction *out);
    /* Does estimate.traffic say what passes the caches in the launch? One such model is asked before all
     * others, without its options and with all effects, for those that ask for hits: input->caches is not
     * there yet. */
    bool follows_caches;
};

/* For models: append a term (left out unless finite) or an assumption, printf-like; a text that is
 * already there is not repeated, and what is beyond the capacity is dropped. */
void estimate_add_term(struct estimate *estimate, const char *id, double value, const char *unit,
                       const char *text);
/* For models: appends a finding; what is beyond the capacity is dropped. */
void estimate_find(struct estimate *estimate, const struct finding *finding);
/* For models: append the time that a component is busy, with its words as text. */
void estimate_add_busy(struct estimate *estimate, const char *id, enum component component,
                       double seconds);
/* The term of a component's busy time, NULL if none. */
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

/* All models in the order in which they run, by enum model_id. */
extern const struct model *const models[MODEL_COUNT];
/* The one that answers for machines of this kind under the name of models[id]; NULL: none does. */
const struct model *model_for(enum model_id id, enum machine_kind kind);
const struct model *model_find(const char *name);

struct predict_options {
    size_t option_count;
    const struct model_option *options; /* unknown keys and values are errors */
    uint32_t effects_off;
    const char *only;   /* a model: no other is asked but those it rests on, and no gains are worked
                       * out; NULL: all */
    bool without_gains; /* the gains of effects are not worked out */
    bool without_details; /* nor what a model tells beside terms and assumptions */
    bool
        only_figures; /* nor texts, the choice of a headline, intervals and power: of many points */
    bool without_traces;
    bool without_caches; /* nor hits on caches, where a model must be asked about them */
    bool without_spills; /* registers that ptxas spills are taken for kept ones */
    struct l2_start l2;  /* what the launch finds there; share: of L2_SHARE */
    /* For a launch on some of the SMs (core_sweep.c): SMs of the whole GPU; what the time is
     * multiplied by, 0: 1. */
    double whole_sms, time_factor;
    const struct cache_section *caches;  /* those of the whole GPU; NULL: the machine's */
    const struct teg_observer *observer; /* sees the execution of the model teg; NULL: none */
    struct teg_clocks *clocks;       /* of the execution of the model teg (teg_clocks.h); NULL */
    const struct evidence *evidence; /* what the headline is chosen by, not kept afterwards;
                                          * NULL: the median of the answers */
};

/* Where a measurement of the headline lies, by the evidence of its model; NAN: unknown. */
struct time_band {
    double low_seconds, high_seconds; /* low not below the speed of light; high may be INFINITY */
    const char *meaning, *brief;      /* "two of three kernels of its set", "mean error 25 %" */
};

/* Models of time that answer, if the slowest takes more than twice the fastest; else factor is 0. */
struct model_spread {
    double factor;
    const char *slowest, *fastest;
    const char *reason; /* by what was counted; NULL: unknown */
};

/* A model that cannot answer. */
struct refusal {
    const char *model, *reason; /* "needs machine dram.latency, which gtx580 does not give" */
};

/* Every model that can answer, with the gain of each effect it knows. */
struct prediction {
    struct arena arena;
    const struct profile *profile;
    const struct machine *machine;
    struct predict_options options; /* as given; the texts are copied */
    struct occupancy occupancy;
    struct l2_start l2;         /* what the launch is assumed to find there */
    unsigned registers;         /* used for occupancy; 0: none known */
    const char *registers_note; /* "31 registers by ptxas for sm_75, used for sm_13" */
    struct profile *spilled;    /* what models are asked about where registers are spilled; NULL */
    const struct cache_section *caches; /* hits on the machine's caches; NULL: unknown ... */
    const char *caches_reason;          /* ... and why */
    size_t estimate_count;
    size_t refusal_count; /* models that cannot answer */
    struct refusal refusals[16];
    const struct power_estimate *power; /* model/power/power_estimate.h; NULL: none */
    const struct estimate *power_terms; /* its terms and assumptions; NULL: none */
    const char *no_power;               /* why power is missing */
    size_t best;                        /* index of the headline: TIME, LIMIT, WHY, DO */
    const char *best_reason;            /* why that one */
    /* The model chosen, if it answers less than the speed of light, which is the best one then; NULL. */
    const char *below_bound;
    const struct evidence_row *evidence; /* of the model chosen; NULL: none ... */
    unsigned evidence_distance; /* ... in tenths of a compute capability; 0: this generation */
    struct time_band band;
    struct model_spread spread;
    struct estimate estimates[16]; /* last: what is behind estimate_count is never cleared */
};

/* Checks needs centrally, runs the models in order, works out the gains. WS_ERR_NO_MODEL if none
 * can answer (what each lacks is in the message), WS_ERR_LAUNCH if the launch cannot run there. */
ws_status model_predict(struct diag *diag, const struct profile *profile,
                        const struct machine *machine, const struct predict_options *options,
                        struct prediction **out);
/* The same in a prediction that is used again and again: zeros at first; what it held is gone. */
ws_status model_predict_again(struct diag *diag, const struct profile *profile,
                              const struct machine *machine, const struct predict_options *options,
                              struct prediction *prediction);
void prediction_clear(struct prediction *prediction); /* of one that was used so */
void prediction_destroy(struct prediction *prediction);
/* The estimate of a model, by its name if a user gave that; NULL: it did not answer. */
const struct estimate *prediction_find(const struct prediction *prediction, const char *model);
const struct estimate *prediction_of(const struct prediction *prediction, enum model_id id);
/* The one of a model among some. */
const struct estimate *estimate_of(const struct estimate *estimates, size_t count,
                                   enum model_id id);
/* Its details if the estimate is that of the model `id`, else NULL. */
const void *estimate_details(const struct estimate *estimate, enum model_id id);
const struct term *estimate_term(const struct estimate *estimate, const char *id);

#endif
