// SPDX-License-Identifier: Apache-2.0
/* What is measured of power and temperature: kernels, their warps and SMs. */
#include <math.h>

#include "calibrate/power.h"
#include "calibrate/tensor.h"

/* bench->parameter: an atom, and what is done with it. */
enum {
    KIND_SHIFT = 8,
    IDLE = POWER_IDLE << KIND_SHIFT,
    HEAT = POWER_HEAT << KIND_SHIFT,
    REST = POWER_REST << KIND_SHIFT,
    RUN = POWER_RUN << KIND_SHIFT

};

enum power_kind power_kind_of(const struct bench *bench)
{
    return (enum power_kind)(bench->parameter >> KIND_SHIFT & 0xff);
}

static enum power_atom atom_of(const struct bench *bench)
{
    return (enum power_atom)(bench->parameter & 0xff);
}

/* Heating: few instructions that take long, so that launches are long; loads among multiply-adds, as memory's share
 * of the instructions counts; and what draws much. */
struct power_mix power_mix_of(const struct bench *bench, unsigned index)
{
    static const unsigned slots[] = {64, 32, 4}, fp[] = {0, 32, 60};
    static const struct power_mix heaters[] = {
        {ATOM_BANKS, 64, 0}, {ATOM_DRAM, 16, 48}, {ATOM_FP, 0, 64}};
    enum power_atom atom = atom_of(bench);
    if (power_kind_of(bench) == POWER_HEAT) return heaters[index % 3];
    if (atom == ATOM_FP) return (struct power_mix){ATOM_FP, 0, POWER_SLOTS};
    return (struct power_mix){atom, slots[index % 3], fp[index % 3]};
}

struct power_levels power_levels_of(const struct bench *bench, const struct gpu_facts *gpu)
{
    if (power_kind_of(bench) == POWER_HEAT) return (struct power_levels){0, 1, 1};
    switch (atom_of(bench)) {
    case ATOM_L1:
        return (struct power_levels){1, 0, 0};
    case ATOM_L2:
        return (struct power_levels){0, 1, 0};
    case ATOM_MISS:
        /* A line of cc 2.x is one look-up and four sectors. */
        return (struct power_levels){1, gpu->cc < 30 ? 4 : 1, 0};
    case ATOM_LOCAL:
        return (struct power_levels){1, 1, 1};
    default:
        return (struct power_levels){0, 1, 1};
    }
}

/* ---- how long ---------------------------------------------------------------------------------- */

/* Guesses by generation, for the length of kernels alone: cycles of an SM an instruction of a warp, and until the
 * next of its chain. */
static void guess_cycles(const struct gpu_facts *gpu, enum power_atom atom, double *issue,
                         double *latency)
{
    *issue = gpu->cc < 20 ? 4 : gpu->cc < 30 ? 1 : 0.25;
    *latency = atom == ATOM_TEXTURE ? 400 : gpu->cc < 20 ? 24 : gpu->cc < 70 ? 16 : 5;
}

enum { SHORT_INSTRUCTIONS = 3000000, SHORT_LOADS = 250000, SHORT_MATRICES = 50000 };
static const double short_seconds = 30e-6, long_seconds = 10e-3;

static unsigned bounded(double rounds, double most)
{
    return (unsigned)fmax(1, fmin(most, rounds));
}

static unsigned rounds_of(const struct plan *plan, const struct power_mix *mix, unsigned warps,
                          unsigned sms, double seconds)
{
    double issue, latency, atoms = mix->slots + mix->fp;
    guess_cycles(plan->gpu, mix->atom, &issue, &latency);
    double cycles = atoms * fmax(latency / 4, warps * issue);
    double rounds = seconds * plan->gpu->clock / cycles;
    double most = mix->atom < ATOM_L1 ? SHORT_INSTRUCTIONS : SHORT_LOADS;
    if (mix->atom == ATOM_TENSOR) most = SHORT_MATRICES;
    if (plan->is_short) rounds = fmin(rounds, most / (atoms * warps * sms));
    return bounded(rounds, 1e9);
}

/* Each byte once, and more of them than the L2 holds. */
static void plan_stream(const struct plan *plan, const struct power_mix *mix, struct point *point)
{
    unsigned bytes = mix->atom == ATOM_DRAM ? 128 : 32;
    uint64_t once = (uint64_t)point->grid * (point->block / 32) * bytes;
    double wanted = plan->is_short ? fmax(4e6, 4 * (double)plan->gpu->l2_bytes)
                                   : fmax(256e6, 8 * (double)plan->gpu->l2_bytes);
    double most = fmin(1e9, (double)plan->gpu->memory_bytes / 4);
    double loads = fmin(wanted, most) / (double)once;
    point->args[0] = bounded(loads / mix->slots, 1e6);
    point->args[2] = (uint32_t)once;
    point->data_bytes = once * mix->slots * point->args[0];
}

/* All blocks read the same, each line of an SM once, and no more than half of the L2. */
static void plan_window(const struct plan *plan, const struct power_mix *mix, struct point *point)
{
    uint64_t once = (uint64_t)(point->block / 32) * 128;
    double most = (double)plan->gpu->l2_bytes / 2 / ((double)once * mix->slots);
    point->args[0] = bounded(fmin(most, 64), 64);
    point->args[2] = (uint32_t)once;
    point->data_bytes = once * mix->slots * point->args[0];
}

/* Launches of a millisecond: guesses of the cycles of a load, and of a conflict of all banks. */
static void plan_heater(const struct plan *plan, const struct power_mix *mix, struct point *point)
{
    double cycles = (plan->is_short ? 1e-3 : long_seconds) * plan->gpu->clock;
    if (mix->atom == ATOM_BANKS) point->args[0] = bounded(cycles / (100 * mix->slots), 1e9);
    if (mix->atom == ATOM_FP && plan->is_short) point->args[0] *= 5;
    if (mix->atom != ATOM_DRAM || !plan->is_short) return;
    point->args[0] = bounded(cycles / (600 * mix->slots), 1e9);
    point->data_bytes = (uint64_t)point->args[0] * mix->slots * point->args[2];
}

/* Each texel leads to itself. */
static void plan_texels(struct point *point)
{
    point->is_texture = true;
    point->fill = FILL_TEXELS;
    point->stride = sizeof(uint32_t);
    point->jump = TEXELS;
    point->data_bytes = TEXELS * point->stride;
}

static void plan_power_point(const struct bench *bench, struct plan *plan, unsigned index,
                             unsigned kernel, unsigned warps, unsigned sms)
{
    struct power_mix mix = power_mix_of(bench, index);
    bool heats = power_kind_of(bench) == POWER_HEAT;
    unsigned most = plan->gpu->max_threads / 32;
    if (most && warps > most) warps = most;
    if (sms < 1) sms = 1;
    struct point point = {.kernel = kernel,
                          .grid = sms,
                          .block = 32 * warps,
                          .args = {1, 3, 0, 0x7fffffff},
                          .x = {index, warps, sms},
                          .data_bytes = 16 * 512 + 256};
    point.args[0] =
        rounds_of(plan, &mix, warps, sms, plan->is_short ? short_seconds : long_seconds);
    if (mix.atom == ATOM_DRAM || mix.atom == ATOM_SECTOR) plan_stream(plan, &mix, &point);
    if (mix.atom == ATOM_MISS) plan_window(plan, &mix, &point);
    if (mix.atom == ATOM_LOCAL) point.args[0] = LOCAL_BYTES / 256;
    if (mix.atom == ATOM_TEXTURE) plan_texels(&point);
    if (heats) plan_heater(plan, &mix, &point);
    plan_point(plan, &point);
}

/* ---- which points ------------------------------------------------------------------------------ */

static unsigned add_kernel(const struct bench *bench, struct plan *plan, unsigned index)
{
    static const char *const names[] = {"pure", "half", "thin"};
    struct power_mix mix = power_mix_of(bench, index);
    return plan_kernel(plan, names[index], power_kernel(plan->gpu, names[index], &mix));
}

static bool plan_idle(const struct bench *bench, struct plan *plan, const char **why)
{
    (void)bench;
    (void)why;
    static const struct power_mix mix = {ATOM_SFU, POWER_SLOTS, 0};
    unsigned kernel = plan_kernel(plan, "pure", power_kernel(plan->gpu, "pure", &mix));
    plan_point(plan,
               &(struct point){.kernel = kernel, .grid = 1, .block = 32, .args = {1, 3, 0, 1}});
    return true;
}

static bool plan_sweep(const struct bench *bench, struct plan *plan, const char **why)
{
    static const double parts[] = {0.07, 0.125, 0.2, 0.3, 0.42, 0.58, 0.75, 1};
    unsigned sms = plan->gpu->sms, kernel = add_kernel(bench, plan, 0), last = 2;
    (void)why;
    plan_power_point(bench, plan, 0, kernel, 2, 1);
    plan_power_point(bench, plan, 0, kernel, 12, 1);
    plan_power_point(bench, plan, 0, kernel, 2, 2);
    plan_power_point(bench, plan, 0, kernel, 12, 2);
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        unsigned some = (unsigned)(parts[i] * sms);
        if (some <= last) continue;
        plan_power_point(bench, plan, 0, kernel, 2, some);
        if (some < sms) plan_power_point(bench, plan, 0, kernel, 12, some);
        last = some;
    }
    return true;
}

static bool lacks(enum power_atom atom, const struct gpu_facts *gpu, const char **why)
{
    if (gpu->l2_bytes == 0 && (atom == ATOM_L1 || atom == ATOM_L2 || atom == ATOM_MISS))
        *why = "the GPU has no caches";
    if (gpu->l2_bytes && atom == ATOM_LOCAL)
        *why = "caches serve local memory: counted with global memory (reading P-13)";
    if ((atom == ATOM_L1 || atom == ATOM_MISS) && gpu->cc >= 30 && gpu->cc < 70)
        *why = "global loads pass the L1 of this generation";
    if (atom == ATOM_FP64 && gpu->cc < 13) *why = "it has no double precision";
    if (atom == ATOM_TENSOR && !tensor_shape_of(gpu)) *why = "it has no tensor cores";
    return **why != '\0';
}

/* Loads that end at different levels are what tells the registers from other units: several rates of them. */
static void plan_registers(const struct bench *bench, struct plan *plan, unsigned pure,
                           unsigned half)
{
    for (unsigned warps = 16; warps <= 32; warps += 8) {
        plan_power_point(bench, plan, 0, pure, warps, plan->gpu->sms);
        plan_power_point(bench, plan, 1, half, warps - 4, plan->gpu->sms);
    }
}

static bool plan_unit(const struct bench *bench, struct plan *plan, const char **why)
{
    enum power_atom atom = atom_of(bench);
    unsigned sms = plan->gpu->sms;
    bool is_memory = atom >= ATOM_L1;
    *why = "";
    if (lacks(atom, plan->gpu, why)) return false;
    unsigned pure = add_kernel(bench, plan, 0);
    unsigned many = is_memory ? 8 : 16; /* warps: loads ahead of their use take registers */
    plan_power_point(bench, plan, 0, pure, many, sms);
    plan_power_point(bench, plan, 0, pure, 4, sms);
    if (!is_memory) plan_power_point(bench, plan, 0, pure, 1, sms);
    if (!is_memory) plan_power_point(bench, plan, 0, pure, many, 1); /* for power.activation */
    if (is_memory) plan_power_point(bench, plan, 0, pure, many, sms / 2);
    if (atom == ATOM_FP) return true;
    unsigned half = add_kernel(bench, plan, 1);
    plan_power_point(bench, plan, 1, half, many, sms);
    if (is_memory && plan->gpu->l2_bytes) plan_registers(bench, plan, pure, half);
    if (is_memory) return true;
    plan_power_point(bench, plan, 1, half, 3, sms);
    plan_power_point(bench, plan, 2, add_kernel(bench, plan, 2), 8, sms);
    return true;
}

/* Alone: which function of the rates the model has where a GPU counts them with others, only these rates tell. */
static bool plan_alone(const struct bench *bench, struct plan *plan, const char **why)
{
    *why = "";
    if (lacks(atom_of(bench), plan->gpu, why)) return false;
    unsigned kernel = add_kernel(bench, plan, 0);
    plan_power_point(bench, plan, 0, kernel, 8, plan->gpu->sms);
    plan_power_point(bench, plan, 0, kernel, 4, plan->gpu->sms);
    plan_power_point(bench, plan, 0, kernel, 1, plan->gpu->sms);
    return true;
}

static bool plan_one(const struct bench *bench, struct plan *plan, const char **why)
{
    (void)why;
    plan_power_point(bench, plan, 0, add_kernel(bench, plan, 0), 1, 1);
    return true;
}

static bool plan_rest(const struct bench *bench, struct plan *plan, const char **why)
{
    (void)why;
    plan_power_point(bench, plan, 0, add_kernel(bench, plan, 0), 12, plan->gpu->sms);
    return true;
}

static bool plan_mixed(const struct bench *bench, struct plan *plan, const char **why)
{
    (void)why;
    plan_power_point(bench, plan, 1, add_kernel(bench, plan, 1), 6, plan->gpu->sms);
    plan_power_point(bench, plan, 2, add_kernel(bench, plan, 2), 12, plan->gpu->sms);
    return true;
}

/* Several powers without memory, and two with. */
static bool plan_heat(const struct bench *bench, struct plan *plan, const char **why)
{
    unsigned sms = plan->gpu->sms, core = add_kernel(bench, plan, 0);
    unsigned memory = add_kernel(bench, plan, 1), hot = add_kernel(bench, plan, 2);
    (void)why;
    plan_power_point(bench, plan, 0, core, 1, 1);
    plan_power_point(bench, plan, 0, core, 1, sms);
    plan_power_point(bench, plan, 1, memory, 1, sms);
    plan_power_point(bench, plan, 1, memory, 1, sms / 8);
    plan_power_point(bench, plan, 2, hot, 16, sms);
    return true;
}

void fit_power(const struct bench *bench, struct fit *fit);

#define UNIT(name, key, atom_id, section, words)                                                   \
    UNIT_BY(plan_unit, name, key, atom_id, section, words)
#define UNIT_BY(planner, name, key, atom_id, section, words)                                       \
    {                                                                                              \
        .id = "power." name, .figures = "power.max." key " power.spec_linear." key,                \
        .axes = "kernel warps sms", .paper = section, .text = words, .is_power = true,             \
        .parameter = RUN | atom_id, .plan = planner                                                \
    }

/* The last one fits all of them. */
const struct bench bench_power[] = {
    {.id = "power.idle",
     .figures = "power.idle power.clock temperature.idle",
     .axes = "kernel warps sms",
     .paper = "Hong 3.4.1, 3.8",
     .text = "Power and temperature while nothing runs.",
     .is_power = true,
     .parameter = IDLE,
     .plan = plan_idle},
    {.id = "power.rest",
     .figures = "",
     .axes = "kernel warps sms",
     .paper = "",
     .text = "A GPU that hardly works, for power.idle where NVML answers whole watts.",
     .is_power = true,
     .parameter = REST | ATOM_FP,
     .plan = plan_rest},
    {.id = "power.activation",
     .figures = "power.activation",
     .axes = "kernel warps sms",
     .paper = "Hong 3.8.1",
     .text = "One warp on one SM: what is drawn as soon as anything runs.",
     .is_power = true,
     .parameter = RUN | ATOM_SFU,
     .plan = plan_one},
    {.id = "power.const_sm",
     .figures = "power.const_sm power.log_scaling power.log_beta",
     .axes = "kernel warps sms",
     .paper = "Hong 3.2.5, 3.4.2, (44) to (48)",
     .text = "The same kernel on one to all SMs.",
     .is_power = true,
     .parameter = RUN | ATOM_FP,
     .plan = plan_sweep},
    {.id = "power.sms",
     .figures = "",
     .axes = "kernel warps sms",
     .paper = "Hong 3.2.5, 3.4.2, (44) to (48)",
     .text = "Another kernel, of more power, on one to all SMs, for power.activation.",
     .is_power = true,
     .parameter = RUN | ATOM_SHARED,
     .plan = plan_sweep},
    UNIT("fp", "fp", ATOM_FP, "Hong 3.2.4, tables 7, 8 and 11",
         "Multiply-adds at several access rates."),
    UNIT("int", "int", ATOM_INT, "Hong 3.2.4, tables 7, 8 and 11",
         "Integer multiply-adds, alone and among multiply-adds of floats."),
    UNIT("alu", "alu", ATOM_ALU, "Hong 3.2.4, tables 7 and 8",
         "Logic and shifts, alone and among multiply-adds."),
    UNIT("sfu", "sfu", ATOM_SFU, "Hong 3.2.4, tables 7, 8 and 11",
         "Reciprocals, alone and among multiply-adds."),
    UNIT("shared", "shared", ATOM_SHARED, "Hong 3.2.4, tables 7, 8 and 11",
         "Loads from shared memory, alone and among multiply-adds."),
    UNIT("const", "const", ATOM_CONST, "Hong 3.2.4, tables 7, 8 and 11",
         "Loads of constants, alone and among multiply-adds."),
    UNIT("fds", "fds", ATOM_BRANCH, "Hong 3.2.4, tables 7, 8 and 11",
         "Branches that are not taken: they are fetched and use no register."),
    UNIT("l1", "l1", ATOM_L1, "Hong 3.8, 3.11, table 11, figure 67", "Loads that hit in the L1."),
    UNIT("l2", "l2", ATOM_L2, "Hong 3.8, 3.11, table 11, figure 67",
         "Loads past the L1 that hit in the L2: registers without the L1."),
    {.id = "power.miss",
     .figures = "",
     .axes = "kernel warps sms",
     .paper = "Hong 3.8, 3.11, table 11, figure 67",
     .text = "Loads that miss in the L1 and hit in the L2, for power.max.l2 and power.max.reg.",
     .is_power = true,
     .parameter = RUN | ATOM_MISS,
     .plan = plan_unit},
    UNIT("global", "global", ATOM_DRAM, "Hong 3.2.4, tables 7, 8 and 11; (43)",
         "Loads from DRAM, 128 bytes of a warp."),
    {.id = "power.sector",
     .figures = "",
     .axes = "kernel warps sms",
     .paper = "Hong 3.2.4, tables 7, 8 and 11; (43)",
     .text =
         "Loads from DRAM, 32 bytes of a warp: more instructions a second, for power.max.global.",
     .is_power = true,
     .parameter = RUN | ATOM_SECTOR,
     .plan = plan_unit},
    UNIT("local", "local", ATOM_LOCAL, "Hong 3.2.4, tables 7, 8 and 11; (43)",
         "Loads from local memory, each word once."),
    UNIT_BY(plan_alone, "fp64", "fp64", ATOM_FP64, "", "Multiply-adds of double precision."),
    UNIT_BY(plan_alone, "tensor", "tensor", ATOM_TENSOR, "", "Matrix multiply-adds of fp16."),
    UNIT("texture", "texture", ATOM_TEXTURE, "Hong 3.2.4, tables 7, 8 and 11",
         "Texture fetches that hit in the texture cache."),
    {.id = "temperature.heat",
     .figures = "temperature.per_watt temperature.offset temperature.by_intensity "
                "temperature.rc_rise temperature.rc_decay power.static_per_kelvin",
     .axes = "kernel warps sms",
     .paper = "Hong 3.2.6, 3.2.7, 3.5.2, (49) to (57), table 9",
     .text = "Heating by five kernels until the temperature stays, then cooling.",
     .is_power = true,
     .parameter = HEAT | ATOM_SFU,
     .plan = plan_heat},
    {.id = "power.reg",
     .figures = "power.max.reg power.spec_linear.reg",
     .axes = "kernel warps sms",
     .paper = "Hong 3.2.4, 3.3.1, tables 8 and 11",
     .text = "Integer multiply-adds among those of floats; registers are what the fit of all "
             "kernels of "
             "power leaves for them.",
     .is_power = true,
     .parameter = RUN | ATOM_INT,
     .plan = plan_mixed,
     .fit = fit_power},
    {0},
};
