// SPDX-License-Identifier: Apache-2.0
#include "tally.h"

#include <fcntl.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device_runtime.h"
#include "event_log.h"
#include "row_number.h"
#include "virtual_time.h"

/* What the row of a kernel counts, and its seconds: the places of these fields in the line. */
enum { COUNTS = 8, SECONDS = 5 };
static const unsigned char count_fields[COUNTS] = {1, 2, 3, 4, 5, 6, 15, 19};
static const unsigned char seconds_fields[SECONDS] = {7, 8, 9, 10, 17};
enum { RUNNING_FIELD = 18 };

struct tally {
    struct row *row;
    bool wanted;
    uint64_t launches, measured, reused, scaled, uncounted, failed;
    double total, least, most, heaviest;
    char bottleneck[80], profile[64];
    uint32_t grid[3], block[3];
    uint64_t warp_instructions; /* of all launches */
    uint64_t by_kernels;        /* launches that a kernel made, and the first that did */
    char parent[80];
    double host_seconds;                               /* that they took here to execute */
    char *counts[COUNTS], *seconds[SECONDS], *running; /* in the row */
    uint64_t written_counts[COUNTS];                   /* what stands there */
    double written_seconds[SECONDS];
    struct launch_classes classes;
};

/* ---- its row ---------------------------------------------------------------------------------- */

static const char *display_name(const struct kernel *kernel)
{
    const char *name = kernel->binary->module && !kernel->failure
                           ? ws_module_kernel_display_name(kernel->binary->module, kernel->index)
                           : NULL;
    return name ? name : kernel->name;
}

static void write_numbers(struct tally *t)
{
    const uint64_t counts[COUNTS] = {
        t->launches, t->measured,          t->reused,    t->scaled, t->uncounted,
        t->failed,   t->warp_instructions, t->by_kernels};
    const double seconds[SECONDS] = {t->total, t->least, t->most, t->heaviest, t->host_seconds};
    for (unsigned i = 0; i < COUNTS; i++)
        if (counts[i] != t->written_counts[i]) row_set_count(t->counts[i], counts[i]);
    for (unsigned i = 0; i < SECONDS; i++)
        if (seconds[i] != t->written_seconds[i]) row_set_seconds(t->seconds[i], seconds[i]);
    memcpy(t->written_counts, counts, sizeof counts);
    memcpy(t->written_seconds, seconds, sizeof seconds);
}

/* All of it; what does not change with every launch, too. */
static void write_row(const struct kernel *kernel)
{
#define COUNT ROW_COUNT "\t"
#define TIME ROW_SECONDS "\t"
    struct tally *t = kernel->tally;
    row_set(t->row,
            "kernel\t" COUNT COUNT COUNT COUNT COUNT COUNT TIME TIME TIME TIME
            "%u,%u,%u\t%u,%u,%u\t%s\t%s\t" COUNT "%s\t" TIME "0\t" COUNT "%s\t",
            t->grid[0], t->grid[1], t->grid[2], t->block[0], t->block[1], t->block[2], t->profile,
            t->bottleneck, display_name(kernel), t->parent);
    for (unsigned i = 0; i < COUNTS; i++)
        t->counts[i] = row_field(t->row, count_fields[i], strlen(ROW_COUNT));
    for (unsigned i = 0; i < SECONDS; i++)
        t->seconds[i] = row_field(t->row, seconds_fields[i], strlen(ROW_SECONDS));
    t->running = row_field(t->row, RUNNING_FIELD, 1);
    memset(t->written_counts, 0, sizeof t->written_counts);
    memset(t->written_seconds, 0, sizeof t->written_seconds);
    write_numbers(t);
#undef COUNT
#undef TIME
}

/* ---- which launches count -------------------------------------------------------------------- */

static bool name_matches(const struct kernel *kernel)
{
    static regex_t only;
    static bool compiled;
    if (!runtime.options.only) return true;
    if (!compiled && regcomp(&only, runtime.options.only, REG_EXTENDED | REG_NOSUB) != 0)
        return true; /* `warpsage run` has checked it */
    compiled = true;
    return regexec(&only, display_name(kernel), 0, NULL, 0) == 0;
}

static struct tally *tally_of(struct kernel *kernel)
{
    if (kernel->tally) return kernel->tally;
    struct tally *tally = calloc(1, sizeof *tally);
    if (!tally) out_of_memory(sizeof *tally);
    tally->row = row_create("kernel");
    tally->wanted = name_matches(kernel);
    kernel->tally = tally;
    write_row(kernel);
    return tally;
}

/* Of the launch by its number among those that are of interest. */
static struct launch_class *class_of(struct kernel *kernel, const ws_launch *launch,
                                     uint64_t ordinal)
{
    const struct options *options = &runtime.options;
    if (ordinal < options->skip || ordinal - options->skip >= options->count) return NULL;
    return launch_class_find(&tally_of(kernel)->classes, kernel, launch);
}

struct launch_class *tally_class(struct kernel *kernel, const ws_launch *launch)
{
    struct tally *tally = tally_of(kernel);
    return tally->wanted ? class_of(kernel, launch, runtime.launches++) : NULL;
}

bool tally_repeats(struct kernel *kernel, const ws_launch *launch, const struct launch_class *one)
{
    if (!tally_of(kernel)->wanted || class_of(kernel, launch, runtime.launches) != one)
        return false;
    runtime.launches++;
    return true;
}

/* ---- the table ------------------------------------------------------------------------------- */

void tally_running(struct kernel *kernel)
{
    static struct tally *running;
    static double begin;
    double now = host_now();
    if (running) {
        running->host_seconds += now - begin;
        if (running->running) *running->running = '0';
    }
    running = kernel ? tally_of(kernel) : NULL;
    begin = now;
    if (running && running->running) *running->running = '1';
}

void tally_failed(struct kernel *kernel)
{
    struct tally *tally = tally_of(kernel);
    tally->launches++;
    tally->failed++;
    write_row(kernel);
}

static const char *parent_name(void)
{
    const struct kernel *parent = device_runtime_parent();
    return parent ? display_name(parent) : "";
}

/* The launch at hand may be a kernel's. */
static void note_parent(struct tally *tally)
{
    const char *parent = parent_name();
    if (!*parent) return;
    if (!tally->by_kernels++) snprintf(tally->parent, sizeof tally->parent, "%s", parent);
}

/* One line a launch, for the folder of reports. */
static void log_launch(const struct kernel *kernel, const ws_launch *launch, const char *how,
                       double seconds, uint64_t instructions, uint64_t number, double l2_found)
{
    if (!runtime.options.report_dir) return;
    static int file = -1;
    static pid_t owner;
    if (file < 0 || owner != getpid()) {
        char name[32];
        owner = getpid();
        snprintf(name, sizeof name, "%ld.launches", (long)owner);
        char *path = session_path(name);
        file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
        free(path);
    }
    char line[2048];
    int length = snprintf(
        line, sizeof line, "%s\t%.9g\t%llu\t%u,%u,%u\t%u,%u,%u\t%llu\t%.600s\t%llu\t%.9g\t%.600s\n",
        how, seconds, (unsigned long long)number, launch->grid[0], launch->grid[1], launch->grid[2],
        launch->block[0], launch->block[1], launch->block[2],
        (unsigned long long)launch->dynamic_shared_bytes, display_name(kernel),
        (unsigned long long)instructions, l2_found, parent_name());
    if (file >= 0 && length > 0 && write(file, line, (size_t)length) < 0) close(file), file = -1;
}

/* With its warp traces, if it has some. */
static void save_profile(ws_profile *profile, const char *name)
{
    char *path = session_path(name);
    ws_status status = WS_OK;
    if (path && ws_profile_traced_blocks(profile))
        status = ws_profile_save_trace(profile, path);
    else if (path)
        status = ws_profile_save(profile, path);
    if (status != WS_OK) note("%s", ws_context_error(runtime.context));
    free(path);
}

static void keep_heaviest(struct tally *tally, const ws_launch *launch, ws_profile *profile,
                          double seconds, const char *bottleneck)
{
    static unsigned profiles;
    if (tally->profile[0] && seconds <= tally->heaviest) return;
    tally->heaviest = seconds;
    memcpy(tally->grid, launch->grid, sizeof tally->grid);
    memcpy(tally->block, launch->block, sizeof tally->block);
    snprintf(tally->bottleneck, sizeof tally->bottleneck, "%s", bottleneck);
    if (!tally->profile[0])
        snprintf(tally->profile, sizeof tally->profile, "%ld-%u.profile", (long)getpid(),
                 profiles++);
    save_profile(profile, tally->profile);
}

ws_status tally_ask(const ws_profile *profile, const ws_input *inputs, size_t count,
                    ws_answer **out)
{
    const ws_machine *machine = runtime.machine;
    const ws_question question = {.size = sizeof question,
                                  .name = "analyze",
                                  .profiles = &profile,
                                  .profile_count = 1,
                                  .machines = &machine,
                                  .machine_count = 1,
                                  .inputs = inputs,
                                  .input_count = count};
    return ws_ask(runtime.context, &question, out);
}

/* Of each launch, whatever it does: without warp traces no model has it. Unknown of most GPUs: that of a Quadro GV100. */
static double launch_seconds(void)
{
    const double cycles_assumed = 1400;
    double cycles, clock_hz;
    if (ws_machine_get(runtime.machine, "clock.core", &clock_hz) != WS_OK || !(clock_hz > 0))
        return 0;
    bool is_known = ws_machine_get(runtime.machine, "launch.cycles", &cycles) == WS_OK;
    return (is_known ? cycles : cycles_assumed) / clock_hz;
}

/* *out_answer: what `bottleneck` is part of; NULL if nothing is predicted. */
static double predict(const ws_profile *profile, const char *l2, const char **bottleneck,
                      ws_answer **out_answer)
{
    /* Following the traces takes longer than most launches: that is for the report of the heaviest. */
    const ws_input quick[] = {{.name = "without_traces", .value = 1},
                              {.name = "times_only", .value = 1},
                              {.name = "l2", .word = l2}};
    *bottleneck = "";
    if (tally_ask(profile, quick, sizeof quick / sizeof *quick, out_answer) != WS_OK) {
        note("no time is predicted: %s", ws_context_error(runtime.context));
        return 0;
    }
    *bottleneck = ws_answer_limit(*out_answer, 0, 0);
    return launch_seconds() + ws_answer_time(*out_answer, 0, 0);
}

static double predict_alone(const ws_profile *profile, const char *l2)
{
    const char *bottleneck;
    ws_answer *answer;
    double seconds = predict(profile, l2, &bottleneck, &answer);
    ws_answer_destroy(answer);
    return seconds;
}

static bool keeps_l2(void)
{
    return runtime.options.l2 && !strcmp(runtime.options.l2, "kept");
}

/* For launches like this one that find other parts of their data in the L2. */
static void predict_range(const ws_profile *profile, double l2_found, struct class_seconds *seconds)
{
    bool is_kept = keeps_l2();
    seconds->cold = is_kept && l2_found > 0 ? predict_alone(profile, "cold") : seconds->own;
    seconds->warm = is_kept && l2_found < 1 ? predict_alone(profile, "100%") : seconds->own;
}

/* By the model whose time virtual time is; where it has no answer by the headline. */
static double model_seconds(const ws_profile *profile, const char *l2, double otherwise)
{
    double seconds;
    ws_status status = ws_model_time(runtime.context, profile, runtime.machine,
                                     runtime.options.model, l2, &seconds);
    return status == WS_OK ? seconds : otherwise;
}

static void predict_clock(const ws_profile *profile, const struct launch_class *one,
                          const ws_launch *launch, struct class_point *point)
{
    double own = launch->clock ? launch->clock->seconds : NAN;
    bool is_kept = keeps_l2() && !launch_class_is_always(one), is_known = isfinite(own);
    point->clock = point->table;
    if (runtime.options.clock != CLOCK_MODEL) return;
    if (!is_known) {
        const char *l2 = runtime.options.l2;
        (void)model_seconds(profile, l2, 0); /* once more, for its words */
        note("The model %s has no time for some launches; virtual time has that of the report: %s",
             runtime.options.model, ws_context_error(runtime.context));
        return;
    }
    bool has_cold = is_kept && point->l2_found > 0, has_warm = is_kept && point->l2_found < 1;
    point->clock =
        (struct class_seconds){.own = own,
                               .cold = has_cold ? model_seconds(profile, "cold", own) : own,
                               .warm = has_warm ? model_seconds(profile, "100%", own) : own};
}

static uint64_t blocks_of(const ws_launch *launch)
{
    return (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
}

/* Of the unit of the GPU with the most work: L2 or DRAM, or, as far as its SMs have blocks, that of an SM. */
static double busy_seconds(const ws_answer *answer, const ws_launch *launch)
{
#define OF_BOUND "kernels/0/machines/0/estimates/speed-of-light/components/"
    double l2 = ws_answer_number(answer, OF_BOUND "l2_bandwidth/value");
    double dram = ws_answer_number(answer, OF_BOUND "global_bandwidth/value");
    double bound = ws_answer_bound(answer, 0, 0), sms;
#undef OF_BOUND
    if (ws_machine_get(runtime.machine, "sm.count", &sms) != WS_OK || !isfinite(bound)) return 0;
    return fmax(bound * fmin((double)blocks_of(launch) / sms, 1), fmax(l2, dram));
}

static struct class_estimate add_measured(struct tally *tally, struct launch_class *one,
                                          const ws_launch *launch, const ws_launch_result *result,
                                          ws_profile *profile, double l2_found)
{
    const char *bottleneck, *l2 = runtime.options.l2 ? runtime.options.l2 : "cold";
    ws_answer *answer;
    struct class_point point = {.instructions = result->warp_instructions,
                                .l2_found = l2_found,
                                .number = ++runtime.measured};
    point.table.own = predict(profile, l2, &bottleneck, &answer);
    if (answer && point.table.own > 0) point.busy = busy_seconds(answer, launch) / point.table.own;
    predict_range(profile, point.l2_found, &point.table);
    predict_clock(profile, one, launch, &point);
    point.power = class_power_of(profile, l2_found, answer, &point.clock);
    launch_class_learn(one, &point);
    tally->measured++;
    keep_heaviest(tally, launch, profile, point.table.own, bottleneck);
    ws_answer_destroy(answer);
    if (runtime.options.report_dir) {
        char name[64];
        snprintf(name, sizeof name, "%ld-launch-%llu.profile", (long)getpid(),
                 (unsigned long long)point.number);
        save_profile(profile, name);
    }
    return (struct class_estimate){.table = point.table.own,
                                   .clock = point.clock.own,
                                   .busy = point.busy,
                                   .is_same = true,
                                   .number = point.number};
}

/* A launch without counters. */
static struct class_estimate add_like_others(struct tally *tally, struct launch_class *one,
                                             uint64_t instructions, double l2_found)
{
    struct class_estimate out = launch_class_estimate(one, instructions, l2_found);
    tally->reused += out.is_same;
    tally->scaled += !out.is_same;
    return out;
}

static void add_seconds(struct tally *tally, double seconds)
{
    bool first = tally->launches - tally->uncounted - tally->failed == 1;
    tally->total += seconds;
    tally->least = first || seconds < tally->least ? seconds : tally->least;
    tally->most = first || seconds > tally->most ? seconds : tally->most;
}

static struct grid_demand demand_of(struct kernel *kernel, const ws_launch *launch, double busy)
{
    uint64_t blocks = blocks_of(launch);
    uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    uint64_t resident = kernel_resident_blocks(kernel, threads, launch->dynamic_shared_bytes);
    return (struct grid_demand){.waves = resident ? (double)blocks / (double)resident : 1,
                                .busy = busy};
}

void tally_add(struct kernel *kernel, struct launch_class *one, const ws_launch *launch,
               const ws_launch_result *result, ws_profile *profile)
{
    struct tally *tally = tally_of(kernel);
    struct class_estimate time = {0};
    double l2_found = 0;
    if (keeps_l2()) l2_found = ws_device_l2_found(runtime.device, (uint64_t)runtime.l2_bytes);
    tally->launches++;
    note_parent(tally);
    tally->warp_instructions += result->warp_instructions;
    if (profile)
        time = add_measured(tally, one, launch, result, profile, l2_found);
    else if (one)
        time = add_like_others(tally, one, result->warp_instructions, l2_found);
    else
        tally->uncounted++;
    if (one) {
        add_seconds(tally, time.table);
        log_launch(kernel, launch,
                   profile        ? "counted"
                   : time.is_same ? "reused"
                                  : "scaled",
                   time.table, result->warp_instructions, time.number, l2_found);
    }
    const struct launch_power power = launch_class_power(one, result->warp_instructions, l2_found);
    double begin = spend_launch(&power, time.clock, demand_of(kernel, launch, time.busy));
    event_log_work(EVENT_KERNEL, display_name(kernel), begin, 0);
    if (profile || tally->by_kernels == 1)
        write_row(kernel);
    else
        write_numbers(tally);
}

void tally_repeat(struct kernel *kernel, const ws_launch *launch, uint64_t instructions,
                  bool is_settled, struct class_estimate *time)
{
    struct tally *tally = tally_of(kernel);
    struct launch_class *one = launch_class_find(&tally->classes, kernel, launch);
    double l2_found = 0;
    if (keeps_l2()) l2_found = ws_device_l2_found(runtime.device, (uint64_t)runtime.l2_bytes);
    tally->launches++;
    note_parent(tally);
    tally->reused++;
    tally->warp_instructions += instructions;
    if (!is_settled) *time = launch_class_estimate(one, instructions, l2_found);
    add_seconds(tally, time->table);
    log_launch(kernel, launch, "reused", time->table, instructions, time->number, l2_found);
    const struct launch_power power = launch_class_power(one, instructions, l2_found);
    double begin = spend_launch(&power, time->clock, demand_of(kernel, launch, time->busy));
    event_log_work(EVENT_KERNEL, display_name(kernel), begin, 0);
    write_numbers(tally);
}
