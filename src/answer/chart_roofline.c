// SPDX-License-Identifier: Apache-2.0
/* The roofline of a kernel: attained rate against operational intensity, under the peak of the units and
 * the bandwidth of each level of memory (Williams, Waterman and Patterson, CACM 2009; by level: Ilic,
 * Pratas and Sousa, CAL 2014; of instructions: Ding and Williams, PMBS 2019). Peaks and least bytes are those of
 * the model speed-of-light, so that a point lies under its roofs. */
#include <math.h>
#include <string.h>

#include "answer/charts.h"
#include "measure/cache.h"

struct roofing {
    struct arena *arena;
    const struct prediction *prediction;
    const struct profile *profile;
    const struct machine *machine;
    const struct estimate *bound;
    double sms, active_sms, clock_hz;
    struct roofline *out;
};

/* ---- bytes by level -------------------------------------------------------------------------- */

static const char *source_of(const struct machine *machine, enum machine_key key)
{
    const struct machine_value *value = &machine->values[key];
    return value->assumed ? "assumed" : value->source;
}

/* Bytes of the busy time that the speed of light has for a component. */
static double least_bytes(const struct roofing *r, enum component component, double bandwidth)
{
    const struct term *busy = estimate_busy(r->bound, component);
    return busy ? busy->value * bandwidth : 0;
}

/* Profiles by hand have only what they were written for: what is not counted is not 0. */
static bool is_counted(const struct roofing *r, struct roof_level *level, enum component component)
{
    bool is_footprint =
        component == COMPONENT_GLOBAL_BANDWIDTH && coalescing_rule_of(r->machine) == RULE_IS_SECTOR;
    enum counter counter = component == COMPONENT_SHARED ? COUNTER_MEM_SHARED_LOAD_REQUESTS
                           : is_footprint                ? COUNTER_MEM_GLOBAL_READ_FOOTPRINT
                                          : access_counter(ACCESS_GLOBAL_LOAD, ACCESS_BYTES_MOVED,
                                                           coalescing_rule_of(r->machine));
    bool is_known = profile_has(r->profile, counter) || estimate_busy(r->bound, component);
    if (!is_known)
        level->reason =
            arena_format(r->arena, "%s is not in the profile", counter_infos[counter].id);
    return is_known;
}

/* Sectors that the caches were followed to let through; negative: unknown. */
static double followed_bytes(const struct roofing *r, enum component component)
{
    if (!r->prediction->caches) return -1;
    const uint64_t *c = r->prediction->caches->counts;
    uint64_t sectors =
        component == COMPONENT_L2_BANDWIDTH
            ? c[CACHE_COUNT_L2_LOADS] + c[CACHE_COUNT_STORES] + c[CACHE_COUNT_ATOMICS]
            : c[CACHE_COUNT_DRAM_READ] + c[CACHE_COUNT_DRAM_WRITTEN];
    return (double)sectors * CACHE_SECTOR_BYTES;
}

static struct roof_level *add_level(struct roofing *r, const char *id, const char *name,
                                    enum machine_key key, double bandwidth)
{
    struct roof_level *level = &r->out->levels[r->out->level_count++];
    *level = (struct roof_level){.id = id,
                                 .name = name,
                                 .bytes = NAN,
                                 .seconds = r->out->seconds,
                                 .bandwidth = bandwidth > 0 ? bandwidth : NAN,
                                 .source = source_of(r->machine, key)};
    if (!(bandwidth > 0))
        level->reason = arena_format(r->arena, "%s does not define %s", r->machine->id,
                                     machine_key_infos[key].path);
    return level;
}

/* Of what every SM has: the peak is that of all SMs, the least time that of those with a block. */
static void add_sm_level(struct roofing *r, const char *id, const char *name, enum machine_key key,
                         double bytes_per_cycle, enum component component)
{
    double per_sm = bytes_per_cycle * r->clock_hz;
    struct roof_level *level = add_level(r, id, name, key, per_sm * r->sms);
    if (!is_counted(r, level, component)) return;
    if (level->reason && component == COMPONENT_L1_BANDWIDTH) {
        struct accesses all = accesses_sum(r->profile, ACCESS_ALL, RULE_IS_SECTOR);
        level->bytes = all.parts[ACCESS_BYTES_MOVED];
        level->basis = "counted";
    }
    if (level->reason) return;
    level->bytes = round(least_bytes(r, component, per_sm * r->active_sms));
    level->basis = "counted";
}

/* Caches are followed by one model, the time may be another's: bytes that this time has no room for are not
 * shown, but those that must pass at least. */
static void add_gpu_level(struct roofing *r, const char *id, const char *name, enum machine_key key,
                          enum component component)
{
    double bandwidth = machine_get(r->machine, key, 0);
    struct roof_level *level = add_level(r, id, name, key, bandwidth);
    double followed = followed_bytes(r, component);
    bool is_cached = coalescing_rule_of(r->machine) == RULE_IS_SECTOR;
    bool has_room = level->reason || followed <= r->out->seconds * bandwidth * (1 + 1e-9);
    if (followed >= 0 && has_room) {
        level->bytes = followed;
        level->basis = "as the caches are followed";
    } else if (!level->reason && is_counted(r, level, component)) {
        level->bytes = round(least_bytes(r, component, bandwidth));
        level->basis = is_cached ? "the least that must pass, whatever the caches keep" : "counted";
    }
}

static void find_levels(struct roofing *r)
{
    const struct machine *machine = r->machine;
    double banks = machine_get(machine, MACHINE_SHARED_BANKS, 0);
    add_sm_level(r, "shared", "shared memory", MACHINE_SHARED_BANKS,
                 banks * machine_get(machine, MACHINE_SHARED_BANK_WIDTH, 4), COMPONENT_SHARED);
    if (coalescing_rule_of(machine) == RULE_IS_SECTOR) {
        bool has_l1 =
            !machine_has(machine, MACHINE_L1_SIZE) || machine_get(machine, MACHINE_L1_SIZE, 0) > 0;
        if (has_l1)
            add_sm_level(r, "l1", "L1 cache", MACHINE_L1_BANDWIDTH,
                         machine_get(machine, MACHINE_L1_BANDWIDTH, 0), COMPONENT_L1_BANDWIDTH);
        add_gpu_level(r, "l2", "L2 cache", MACHINE_L2_BANDWIDTH, COMPONENT_L2_BANDWIDTH);
    }
    add_gpu_level(r, "dram", "DRAM", MACHINE_DRAM_BANDWIDTH, COMPONENT_GLOBAL_BANDWIDTH);
}

/* ---- operations by kind ---------------------------------------------------------------------- */

/* Operations of a lane: those of the pipe, as Nsight Compute counts them: additions and multiplications,
 * two of a multiply-add. Of halves a native instruction has two, as has one of PTX with x2. */
static double lane_operations(const struct instruction_profile *insn)
{
    const char *op = insn->op ? insn->op : "";
    switch (insn->class_id) {
    case CLASS_FP32_ADD:
    case CLASS_FP32_MUL:
    case CLASS_FP64_ADD:
    case CLASS_FP64_MUL:
        return 1;
    case CLASS_FP32_FMA:
    case CLASS_FP64_FMA:
        return 2;
    case CLASS_FP16:
    case CLASS_BF16: {
        if (insn->text && strstr(insn->text, "-RZ, RZ,")) return 0; /* ptxas's move of a constant */
        bool is_fused = strstr(op, "fma") || strstr(op, "FMA") || strstr(op, "mad");
        bool is_packed = insn->is_native || strstr(op, "x2");
        bool is_arithmetic = is_fused || strstr(op, "add") || strstr(op, "sub") ||
                             strstr(op, "mul") || strstr(op, "ADD") || strstr(op, "MUL");
        return is_arithmetic ? (is_fused ? 2 : 1) * (is_packed ? 2 : 1) : 0;
    }
    default:
        return 0;
    }
}

/* Where instructions are not listed: of all lanes of a warp. */
static double class_operations(enum insn_class id)
{
    const struct instruction_profile insn = {
        .class_id = (uint8_t)id, .op = id == CLASS_FP16 || id == CLASS_BF16 ? "add" : NULL};
    return lane_operations(&insn);
}

/* Operations of a class in the launch: those of its instructions, which may be those of a sample, a warp. */
static double operations_of_class(const struct profile *profile, enum insn_class id)
{
    double warps = profile_get(profile, (enum counter)(COUNTER_INST_WARP_FIRST + id));
    double listed = 0, operations = 0;
    if (!(warps > 0)) return 0;
    for (uint32_t i = 0; i < profile->instruction_count; i++) {
        const struct instruction_profile *insn = &profile->instructions[i];
        if (insn->class_id != id) continue;
        listed += instruction_counter(insn, COUNTER_INST_WARP);
        operations += instruction_counter(insn, COUNTER_INST_THREAD) * lane_operations(insn);
    }
    if (!(listed > 0))
        return warps * WARP_LANES * active_lane_share(profile) * class_operations(id);
    return warps * operations / listed;
}

struct kind_row {
    const char *id, *name;
    enum insn_class classes[3];
    double peak; /* operations of a lane at the peak: of a multiply-add, or of two */
};
static const struct kind_row kinds[] = {
    {"fp32", "single precision", {CLASS_FP32_ADD, CLASS_FP32_MUL, CLASS_FP32_FMA}, 2},
    {"fp64", "double precision", {CLASS_FP64_ADD, CLASS_FP64_MUL, CLASS_FP64_FMA}, 2},
    {"fp16", "half precision", {CLASS_FP16, CLASS_BF16, CLASS_COUNT}, 4},
};

static struct roof_kind *add_kind(struct roofing *r, const char *id, const char *name,
                                  double operations, double peak)
{
    struct roof_kind *kind = &r->out->kinds[r->out->kind_count++];
    *kind = (struct roof_kind){.id = id,
                               .name = name,
                               .unit = "flop",
                               .rate_unit = "flop/s",
                               .operations = operations,
                               .seconds = r->out->seconds,
                               .peak = peak > 0 ? peak : NAN};
    return kind;
}

static void lack(const struct roofing *r, struct roof_kind *kind, const char *figure)
{
    if (!isfinite(kind->peak))
        kind->reason = arena_format(r->arena, "%s does not define %s", r->machine->id, figure);
}

static void add_floats(struct roofing *r, const struct kind_row *row)
{
    double operations = 0, lanes = 0;
    enum insn_class fastest = row->classes[0];
    for (unsigned i = 0; i < 3 && row->classes[i] != CLASS_COUNT; i++) {
        double of_class = 0;
        operations += operations_of_class(r->profile, row->classes[i]);
        if (!machine_throughput(r->machine, row->classes[i], &of_class) || of_class <= lanes)
            continue;
        lanes = of_class;
        fastest = row->classes[i];
    }
    if (!(operations > 0)) return;
    struct roof_kind *kind =
        add_kind(r, row->id, row->name, operations, row->peak * lanes * r->sms * r->clock_hz);
    kind->source = source_of(r->machine, (enum machine_key)(MACHINE_THROUGHPUT_FIRST + fastest));
    lack(r, kind, "the throughput of these operations");
}

static void add_tensor(struct roofing *r)
{
    double work = profile_get(r->profile, COUNTER_TENSOR_FMA);
    double rate = machine_get(r->machine, MACHINE_TENSOR_FMA, 0);
    if (!(work > 0)) return;
    struct roof_kind *kind = add_kind(r, "tensor", "tensor cores, in fp16 equivalents", 2 * work,
                                      2 * rate * r->sms * r->clock_hz);
    kind->source = source_of(r->machine, MACHINE_TENSOR_FMA);
    lack(r, kind, machine_key_infos[MACHINE_TENSOR_FMA].path);
}

static void add_instructions(struct roofing *r)
{
    const struct machine *machine = r->machine;
    double count = profile_get(r->profile, COUNTER_INST_WARP), peak = 0;
    double schedulers = machine_get(machine, MACHINE_ISSUE_SCHEDULERS, 1);
    if (machine_has(machine, MACHINE_ISSUE_SCHEDULERS) ||
        machine_has(machine, MACHINE_ISSUE_CYCLES))
        peak = fmax(1, machine_get(machine, MACHINE_ISSUE_WIDTH, 1)) * schedulers /
               machine_get(machine, MACHINE_ISSUE_CYCLES, 1);
    struct roof_kind *kind =
        add_kind(r, "instructions", "warp instructions", count, peak * r->sms * r->clock_hz);
    kind->unit = "inst";
    kind->rate_unit = "inst/s";
    kind->source = source_of(machine, MACHINE_ISSUE_SCHEDULERS);
    lack(r, kind, machine_key_infos[MACHINE_ISSUE_SCHEDULERS].path);
}

/* ---- points ---------------------------------------------------------------------------------- */

/* A level that nothing passes, or of unknown bytes, limits nothing. */
static void find_points(const struct roofline *roofline, struct roof_kind *kind)
{
    for (size_t i = 0; i < roofline->level_count; i++) {
        const struct roof_level *level = &roofline->levels[i];
        if (!(level->bytes > 0) || !isfinite(level->bandwidth) || !isfinite(kind->peak)) continue;
        struct roof_point *point = &kind->points[kind->point_count++];
        double intensity = kind->operations / level->bytes;
        double roof = fmin(kind->peak, intensity * level->bandwidth);
        *point = (struct roof_point){
            .level = level->id,
            .intensity = intensity,
            .roof = roof,
            .ridge = kind->peak / level->bandwidth,
            .share = kind->operations / kind->seconds / roof,
        };
    }
}

/* The roofs from a quarter of the least intensity of a point or ridge to four times the greatest. */
static void find_roofs(const struct roofline *roofline, struct roof_kind *kind)
{
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < kind->point_count; i++) {
        low = fmin(low, kind->points[i].intensity);
        high = fmax(high, kind->points[i].intensity);
    }
    for (size_t i = 0; i < roofline->level_count; i++) {
        double ridge = kind->peak / roofline->levels[i].bandwidth;
        if (!isfinite(ridge)) continue;
        low = fmin(low, ridge);
        high = fmax(high, ridge);
    }
    for (size_t i = 0; i < roofline->level_count; i++) {
        const struct roof_level *level = &roofline->levels[i];
        struct roof_corner *corner = &kind->corners[kind->corner_count];
        double ridge = kind->peak / level->bandwidth;
        if (!isfinite(ridge)) continue;
        corner[0] = (struct roof_corner){level->id, low / 4, low / 4 * level->bandwidth};
        corner[1] = (struct roof_corner){level->id, ridge, kind->peak};
        corner[2] = (struct roof_corner){level->id, 4 * high, kind->peak};
        kind->corner_count += ROOF_CORNERS;
    }
}

const struct roofline *chart_roofline(struct arena *arena, const struct prediction *prediction,
                                      const char **out_reason)
{
    const struct machine *machine = prediction->machine;
    const struct estimate *best = &prediction->estimates[prediction->best];
    struct roofing r = {
        .arena = arena,
        .prediction = prediction,
        .profile = prediction->spilled ? prediction->spilled : prediction->profile,
        .machine = machine,
        .bound = prediction_of(prediction, MODEL_SPEED_OF_LIGHT),
        .sms = machine_get(machine, MACHINE_SM_COUNT, 0),
        .clock_hz = machine_get(machine, MACHINE_CLOCK_CORE, 0),
    };
    *out_reason = machine->kind == MACHINE_IS_CPU   ? "rooflines are of GPUs only"
                  : prediction->options.effects_off ? CHART_EFFECTS_OFF
                  : r.bound                         ? NULL
                                                    : "the model speed-of-light does not answer";
    if (*out_reason) return NULL;
    r.active_sms = fmin(r.sms, (double)profile_blocks(r.profile));
    r.out = ARENA_ARRAY(arena, struct roofline, 1);
    r.out->model = best->model;
    r.out->seconds = best->time_seconds;
    find_levels(&r);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        add_floats(&r, &kinds[i]);
    add_tensor(&r);
    add_instructions(&r);
    for (size_t i = 0; i < r.out->kind_count; i++) {
        find_points(r.out, &r.out->kinds[i]);
        find_roofs(r.out, &r.out->kinds[i]);
    }
    return r.out;
}
