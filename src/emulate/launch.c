// SPDX-License-Identifier: Apache-2.0
/* A launch: checks, workers, order of the blocks.
 *
 * Independent kernels: workers take blocks in index order and run each to its end. If a block
 * fails, every block with a smaller index still runs, so that the least one is reported whatever
 * the number of threads. With clusters they take these in the same way; the blocks of one take turns (turns.c).
 * Ordered kernels: one worker; a block that seems to wait (its warps poll for longer than a quantum) lets the next
 * begin; those begun take turns. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/float_state.h"
#include "emulate/cluster.h"
#include "emulate/defined.h"
#include "emulate/launch_kit.h"
#include "emulate/worker.h"

bool launch_cancelled(const struct launch *launch)
{
    const struct launch_options *options = launch->options;
    return options->cancel && options->cancel(options->cancel_user);
}

/* ---- workers --------------------------------------------------------------------------------- */

/* The first worker has what the kit of the launch has. */
static void take_kit(struct worker *worker, bool is_first)
{
    const struct launch *launch = worker->launch;
    worker->first = is_first;
    worker->free_blocks = is_first ? kit_block(launch->kit) : NULL;
    worker->exec.memos =
        is_first ? kit_memos(launch->kit)
                 : mem_zalloc(launch->program->view.insn_count, sizeof *worker->exec.memos);
}

static void worker_init(struct worker *worker, struct launch *launch, bool concurrent)
{
    const struct observer *observer = launch->options->observer;
    const struct program *program = launch->program;
    memset(worker, 0, sizeof *worker);
    struct exec *x = &worker->exec;
    worker->launch = launch;
    x->launch = launch;
    x->concurrent = concurrent;
    x->independent = !program->functions[0].function->ordered;
    x->base[BASE_POOL] = launch->bank_pool ? launch->bank_pool : program->pool;
    x->local_stride = program->local_bytes_max;
    x->parameter_stride = program->parameter_bytes_max;
    x->check = launch->device->check;
    x->checks = x->check ? x->check->tools : 0;
    if (x->check && !x->check->order) x->checks &= ~(unsigned)CHECK_RACE;
    x->guards_shared = program->guards_shared;
    x->guards_local = program->guards_local;
    x->tracks = x->checks & CHECK_INIT && !program->native_code;
    if (x->tracks) x->defined = defined_create(launch);
    compiling_begin(x, launch);
    if (program->native_code) /* its lanes meet, and its fences order, by other rules */
        x->checks &= ~(unsigned)(CHECK_SYNC | CHECK_RACE);
    if (observer) {
        worker->observed = observer->ops->worker_begin(observer->self);
        x->observe = observer->ops;
        x->observer_worker = worker->observed;
    }
}

static void worker_clear(struct worker *worker)
{
    const struct observer *observer = worker->launch->options->observer;
    if (observer) observer->ops->worker_end(observer->self, worker->observed);
    for (struct block *next, *block = worker->free_blocks; block; block = next) {
        next = block->next;
        if (!worker->first || !kit_takes(worker->launch->kit, block)) block_destroy(block);
    }
    cluster_clear(worker);
    if (!worker->first) mem_free(worker->exec.memos);
    compiling_leave(&worker->exec);
    mem_free(worker->exec.kept.detail);
    defined_destroy(worker->exec.defined);
}

void keep_fault(struct worker *worker, struct block *block)
{
    struct fault *fault = &worker->exec.fault;
    uint64_t least = __atomic_load_n(&worker->launch->fault_block, __ATOMIC_RELAXED);
    while (block->order < least &&
           !__atomic_compare_exchange_n(&worker->launch->fault_block, &least, block->order, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    if (!worker->fault.kind || fault->order < worker->fault.order) {
        mem_free(worker->fault.detail);
        worker->fault = *fault;
    } else {
        mem_free(fault->detail);
    }
    *fault = (struct fault){0};
}

uint64_t take_unit(struct launch *launch)
{
    if (launch->printed) return print_log_begin(launch->printed, &launch->view, &launch->next_unit);
    return __atomic_fetch_add(&launch->next_unit, 1, __ATOMIC_RELAXED);
}

void keep_printed(struct launch *launch, struct block *block, bool failed)
{
    if (launch->printed) print_log_end(launch->printed, block->order, &block->printed, failed);
}

void show_progress(struct launch *launch)
{
    const struct launch_options *options = launch->options;
    if (!options->progress) return;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t tenths = (uint64_t)now.tv_sec * 10 + (uint64_t)now.tv_nsec / 100000000;
    if (tenths == launch->shown_tenths) return;
    launch->shown_tenths = tenths;
    double done = (double)__atomic_load_n(&launch->finished, __ATOMIC_RELAXED);
    options->progress(options->progress_user, "executing", done / (double)launch->sampled);
}

/* The first ordinal of a unit, and of the one behind the last. */
static uint64_t unit_begin(const struct launch *launch, uint64_t unit)
{
    return launch->units == launch->sampled ? unit : launch->sample->units[unit];
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* False: the worker takes no other. */
static bool run_one(struct worker *worker, struct block *block, uint64_t ordinal)
{
    struct launch *launch = worker->launch;
    uint64_t index = launch_block_index(&launch->view, ordinal);
    if (index >= __atomic_load_n(&launch->fault_block, __ATOMIC_RELAXED)) return false;
    worker->exec.idle_turns = 0; /* those of the block before do not count */
    block_start(worker, block, index);
    enum block_stop stop = block_run(worker, block, 0);
    keep_printed(launch, block, stop == BLOCK_FAULT);
    if (stop == BLOCK_FAULT) {
        keep_fault(worker, block);
        return false;
    }
    __atomic_fetch_add(&launch->finished, 1, __ATOMIC_RELAXED);
    if (worker->first) show_progress(launch);
    if ((ordinal & 15) == 0 && launch_cancelled(launch)) {
        worker->exec.warp = NULL;
        fault_at(&worker->exec, FAULT_CANCELLED, NULL, 1);
        worker->exec.fault.order = block->order = 0; /* before every other */
        keep_fault(worker, block);
        return false;
    }
    return true;
}

/* Takes no unit from until_ns on; 0: as long as there are some. */
static void run_independent(struct worker *worker, uint64_t until_ns)
{
    struct launch *launch = worker->launch;
    struct block *block = block_take(worker);
    bool goes_on = true;
    worker->resident = 1;
    while (goes_on && (!until_ns || now_ns() < until_ns)) {
        uint64_t unit = take_unit(launch);
        if (unit >= launch->units) break;
        uint64_t end = unit_begin(launch, unit + 1);
        for (uint64_t ordinal = unit_begin(launch, unit); goes_on && ordinal < end; ordinal++)
            goes_on = run_one(worker, block, ordinal);
    }
    block_give(worker, block);
}

static void run_all(void *of)
{
    struct worker *worker = of;
    float_state_set_standard();
    if (worker->launch->cluster_blocks)
        run_in_turns(worker, false);
    else
        run_independent(worker, 0);
}

/* If memory runs out for one of several threads, the others take no further block; who waits for them
 * raises it anew. */
static void *run_thread(void *of)
{
    struct worker *worker = of;
    struct launch *launch = worker->launch;
    size_t wanted;
    if (!mem_attempt_in(launch->pool, run_all, worker, &wanted)) {
        __atomic_store_n(&launch->wanted, wanted, __ATOMIC_RELAXED);
        __atomic_store_n(&launch->is_without_memory, true, __ATOMIC_RELEASE);
        __atomic_store_n(&launch->fault_block, 0, __ATOMIC_RELAXED);
    }
    return NULL;
}

/* ---- set-up ---------------------------------------------------------------------------------- */

/* Blocks of a cluster by dimension; zeros: none are asked for. */
static const uint32_t *cluster_of(const struct launch_options *options,
                                  const struct function *entry)
{
    return options->cluster[0] ? options->cluster : entry->required_cluster;
}
static uint32_t cluster_blocks(const uint32_t cluster[3])
{
    return cluster[0] * cluster[1] * cluster[2];
}

static ws_status check_cluster(struct diag *diag, const struct launch_options *options,
                               const struct function *entry)
{
    const uint32_t *size = cluster_of(options, entry), *need = entry->required_cluster;
    if (!size[0]) return WS_OK;
    for (unsigned k = 0; k < 3; k++) {
        if (!size[k] || size[k] > CLUSTER_BLOCKS_MAX)
            return diag_error(diag, WS_ERR_LAUNCH, "clusters of %u x %u x %u are out of range",
                              size[0], size[1], size[2]);
        if (options->grid[k] % size[k])
            return diag_error(diag, WS_ERR_LAUNCH,
                              "the grid's %u blocks in %c are not a multiple of the cluster's %u",
                              options->grid[k], "xyz"[k], size[k]);
        if (need[0] && need[k] != size[k])
            return diag_error(
                diag, WS_ERR_LAUNCH,
                "kernel %s requires clusters of %u x %u x %u blocks (.reqnctapercluster)",
                entry->display_name, need[0], need[1], need[2]);
    }
    if (cluster_blocks(size) > CLUSTER_BLOCKS_MAX)
        return diag_error(diag, WS_ERR_LAUNCH,
                          "launch exceeds the limits: clusters of %u blocks, at most %d",
                          cluster_blocks(size), CLUSTER_BLOCKS_MAX);
    return WS_OK;
}

static ws_status check_geometry(struct diag *diag, const struct launch_options *options,
                                const struct function *entry)
{
    static const uint64_t grid_max[3] = {2147483647, 65535, 65535};
    static const uint64_t block_max[3] = {1024, 1024, 64};
    static const char axes[] = "xyz";
    for (unsigned k = 0; k < 3; k++) {
        if (options->grid[k] == 0 || options->block[k] == 0)
            return diag_error(diag, WS_ERR_LAUNCH, "grid and block must be at least 1 in %c",
                              axes[k]);
        if (options->grid[k] > grid_max[k] || options->block[k] > block_max[k])
            return diag_error(
                diag, WS_ERR_LAUNCH, "launch exceeds the limits: %s.%c is %u, at most %llu",
                options->grid[k] > grid_max[k] ? "grid" : "block", axes[k],
                options->grid[k] > grid_max[k] ? options->grid[k] : options->block[k],
                (unsigned long long)(options->grid[k] > grid_max[k] ? grid_max[k] : block_max[k]));
    }
    uint64_t threads = (uint64_t)options->block[0] * options->block[1] * options->block[2];
    if (threads > 1024)
        return diag_error(
            diag, WS_ERR_LAUNCH,
            "launch exceeds the limits: a block of %u x %u x %u has %llu threads, at most 1024",
            options->block[0], options->block[1], options->block[2], (unsigned long long)threads);
    const uint32_t *need = entry->required_threads, *most = entry->max_threads;
    if (need[0] && (need[0] != options->block[0] || (need[1] ? need[1] : 1) != options->block[1] ||
                    (need[2] ? need[2] : 1) != options->block[2]))
        return diag_error(
            diag, WS_ERR_LAUNCH, "kernel %s requires blocks of %u x %u x %u (.reqntid)",
            entry->display_name, need[0], need[1] ? need[1] : 1, need[2] ? need[2] : 1);
    TRY(check_cluster(diag, options, entry));
    uint64_t limit =
        most[0] ? (uint64_t)most[0] * (most[1] ? most[1] : 1) * (most[2] ? most[2] : 1) : 0;
    if (limit && threads > limit)
        return diag_error(
            diag, WS_ERR_LAUNCH,
            "kernel %s was compiled for at most %llu threads per block (.maxntid), got %llu",
            entry->display_name, (unsigned long long)limit, (unsigned long long)threads);
    return WS_OK;
}

static ws_status check_launch(struct diag *diag, const struct launch *launch)
{
    const struct launch_options *options = launch->options;
    const struct function *entry = launch->program->functions[0].function;
    if (options->parameter_bytes != entry->parameter_bytes)
        return diag_error(diag, WS_ERR_ARGUMENT,
                          "kernel %s requires %llu bytes of parameters (got %zu)",
                          entry->display_name, (unsigned long long)entry->parameter_bytes,
                          options->parameter_bytes);
    if (launch->shared_end > SHARED_WINDOW_BYTES)
        return diag_error(diag, WS_ERR_LAUNCH,
                          "launch exceeds the limits: %llu bytes of shared memory per block",
                          (unsigned long long)launch->shared_bytes);
    return native_check_clusters(diag, launch);
}

static void derive_sizes(struct launch *launch)
{
    const struct launch_options *options = launch->options;
    launch->shared_bytes =
        shared_block_bytes(launch->program->static_shared_bytes, options->dynamic_shared_bytes);
    launch->shared_end = launch->program->shared_base + launch->shared_bytes +
                         (options->dynamic_shared_bytes ? launch->program->dynamic_shift
                                                        : launch->program->static_shift);
    if (launch->program->native_code) native_reserve_shared(launch);
    launch->threads_per_block = options->block[0] * options->block[1] * options->block[2];
    launch->warps_per_block = (launch->threads_per_block + WARP_LANES - 1) / WARP_LANES;
    launch->block_count = (uint64_t)options->grid[0] * options->grid[1] * options->grid[2];
    const uint32_t *cluster = cluster_of(options, launch->program->functions[0].function);
    launch->cluster_blocks = cluster_blocks(cluster);
    if (launch->cluster_blocks == 1) launch->cluster_blocks = 0;
    memcpy(launch->cluster, cluster, sizeof launch->cluster);
    launch->max_instructions =
        options->max_instructions ? options->max_instructions : UINT64_C(1) << 40;
    launch->fault_block = UINT64_MAX;
}

/* What the footprint of a sample may grow to. */
static void list_buffers(struct launch *launch)
{
    const struct devmem *memory = launch->memory;
    struct address_range *ranges = mem_zalloc(memory->count + 1, sizeof *ranges);
    uint32_t count = 0;
    for (uint32_t i = 0; i < memory->count; i++) {
        const struct allocation *allocation = &memory->allocations[i];
        if (!allocation->freed)
            ranges[count++] = (struct address_range){allocation->address, allocation->bytes};
    }
    launch->view.buffers = ranges;
    launch->view.buffer_count = count;
}

/* The runs of a sample are handed out whole where several threads run them: what a run touches is
 * then seen by one of them. Clusters are all executed. */
static void choose_blocks(struct launch *launch, bool ordered)
{
    const struct launch_options *options = launch->options;
    if (launch->cluster_blocks) {
        launch->sampled = launch->block_count;
        launch->units = launch->block_count / launch->cluster_blocks;
        return;
    }
    launch->sample =
        block_sample_create(options->grid, options->effort, options->seed, options->traced_blocks);
    launch->sampled = launch->sample ? launch->sample->executed : launch->block_count;
    bool by_unit = launch->sample && !ordered && !launch->printed;
    launch->units = by_unit ? launch->sample->unit_count : launch->sampled;
}

static void fill_view(struct launch *launch)
{
    struct launch_view *view = &launch->view;
    *view = launch->program->view;
    for (unsigned k = 0; k < 3; k++) {
        view->grid[k] = launch->options->grid[k];
        view->block[k] = launch->options->block[k];
    }
    view->dynamic_shared_bytes = launch->options->dynamic_shared_bytes;
    view->warps_per_block = launch->warps_per_block;
    view->block_count = launch->block_count;
    view->cluster_blocks = launch->cluster_blocks;
    view->sample = launch->sample;
    view->seed = launch->options->seed;
    if (launch->sample) list_buffers(launch);
    view->isa_level = launch->device->semantics->level;
}

/* The first worker begins alone: many launches are done before another thread would be awake. */
static void run_threads(struct launch *launch, unsigned count, struct worker *workers)
{
    enum { HEAD_START_NS = 100000 }; /* about what starting a thread costs; a guess */
    if (count > 1 && !launch->cluster_blocks) {
        run_independent(&workers[0], now_ns() + HEAD_START_NS);
        if (launch->next_unit >= launch->units || launch->fault_block != UINT64_MAX) return;
    }
    pthread_t *threads = mem_zalloc(count, sizeof *threads);
    bool *started = mem_zalloc(count, sizeof *started);
    for (unsigned i = 1; i < count; i++)
        started[i] = pthread_create(&threads[i], NULL, run_thread, &workers[i]) == 0;
    run_thread(&workers[0]);
    for (unsigned i = 1; i < count; i++)
        if (started[i]) pthread_join(threads[i], NULL);
    if (__atomic_load_n(&launch->is_without_memory, __ATOMIC_ACQUIRE)) mem_raise(launch->wanted);
    mem_free(threads);
    mem_free(started);
}

/* Hardware would have ended the launch at the first fault that was told the checker, whatever ended it here. */
static void end_with_kept(struct worker *worker)
{
    struct fault *kept = &worker->exec.kept, *fault = &worker->fault;
    if (!kept->kind || fault->kind == FAULT_CANCELLED || fault->kind == FAULT_LIMIT) return;
    mem_free(fault->detail);
    *fault = *kept;
    *kept = (struct fault){0};
}

static void run_workers(struct launch *launch, unsigned count, bool ordered, struct worker *workers)
{
    const struct observer *observer = launch->options->observer;
    const struct checker *check = launch->device->check;
    if (observer) observer->ops->launch_begin(observer->self, &launch->view);
    if (check) check->ops->launch_begin(check->self, &launch->view);
    for (unsigned i = 0; i < count; i++) {
        worker_init(&workers[i], launch, count > 1);
        take_kit(&workers[i], i == 0);
    }
    if (ordered) {
        run_in_turns(&workers[0], true);
    } else {
        run_threads(launch, count, workers);
    }
    for (unsigned i = 0; i < count; i++)
        fault_check(launch, &workers[i].fault);
    for (unsigned i = 0; i < count; i++)
        end_with_kept(&workers[i]);
    for (unsigned i = 0; i < count; i++)
        worker_clear(&workers[i]);
    check_notes(launch);
    if (check) check->ops->launch_end(check->self);
    if (observer) observer->ops->launch_end(observer->self);
}

/* That of the least block; NULL: none. */
static const struct fault *earlier(const struct fault *least, const struct fault *one)
{
    return one->kind && (!least || one->order < least->order) ? one : least;
}

/* Each worker has its own first. */
static void collect_notes(const struct launch *launch, const struct worker *workers, unsigned count,
                          struct launch_result *out)
{
    const struct fault *tolerated = NULL, *outsider = NULL;
    for (unsigned i = 0; i < count; i++) {
        tolerated = earlier(tolerated, &workers[i].exec.tolerated);
        outsider = earlier(outsider, &workers[i].exec.outsider);
    }
    if (tolerated) out->tolerated = fault_text(launch, tolerated);
    if (outsider) out->undefined = fault_outsider_text(launch, outsider);
}

/* The fault of the least block, the total over all, the result. */
static ws_status collect_result(struct diag *diag, const struct launch *launch,
                                struct worker *workers, unsigned count, struct launch_result *out)
{
    struct fault least = {0};
    uint64_t instructions = 0;
    for (unsigned i = 0; i < count; i++) {
        struct fault *fault = &workers[i].fault;
        instructions += workers[i].instructions;
        if (fault->kind && (!least.kind || fault->order < least.order)) {
            mem_free(least.detail);
            least = *fault;
        } else {
            mem_free(fault->detail);
        }
    }
    if (least.kind) {
        ws_status status = fault_report(diag, launch, &least);
        if (out) out->fault = fault_kind_of(&least);
        if (out && least.kind == FAULT_CANCELLED) out->blocks_executed = launch->finished;
        mem_free(least.detail);
        return status;
    }
    if (instructions > launch->max_instructions)
        return diag_error(
            diag, WS_ERR_LIMIT,
            "instruction limit reached: %llu warp instructions, at most %llu; raise the limit",
            (unsigned long long)instructions, (unsigned long long)launch->max_instructions);
    bool code_is_refused = compiling_end(launch->program, instructions);
    if (!out) return WS_OK;
    *out = (struct launch_result){.blocks_executed = launch->sampled,
                                  .warp_instructions = instructions,
                                  .code_is_refused = code_is_refused};
    for (unsigned i = 0; i < count; i++) {
        out->clock_misses += workers[i].clock_misses;
        out->compiled_instructions += workers[i].exec.compiled;
    }
    collect_notes(launch, workers, count, out);
    return WS_OK;
}

/* Native code: its bank 0. NULL: the kit has the parameters. */
static unsigned char *fill_banks(struct launch *launch)
{
    if (!launch->program->native_code) return NULL;
    unsigned char *bank = native_bank_zero(launch, &launch->parameter_bytes);
    launch->parameters = bank;
    launch->bank_pool = native_fill_pool(launch);
    return bank;
}

static ws_status run_launch(struct diag *diag, struct program *program, struct launch *launch,
                            struct launch_result *out)
{
    const struct device *device = launch->device;
    bool ordered = program->functions[0].function->ordered && !launch->options->unordered;
    if (launch->options->print && program->prints)
        launch->printed = print_log_create(launch->options->print, launch->options->print_user);
    choose_blocks(launch, ordered);
    bool is_alone = ordered || device->check || (launch->sample && launch->printed);
    unsigned count = is_alone ? 1 : device->threads;
    if (count > launch->units) count = (unsigned)launch->units;
    kit_begin(program, launch);
    unsigned char *bank = fill_banks(launch);
    fill_view(launch);
    struct worker alone;
    struct worker *workers = count > 1 ? mem_zalloc_aligned(64, count * sizeof *workers) : &alone;
    run_workers(launch, count, ordered, workers);
    if (launch->printed) print_log_deliver(launch->printed, launch->fault_block);
    print_log_destroy(launch->printed);
    ws_status status = collect_result(diag, launch, workers, count, out);
    block_sample_destroy(launch->sample);
    mem_free((void *)(uintptr_t)launch->view.buffers);
    if (count > 1) mem_free(workers);
    kit_end(program, launch, status != WS_OK);
    mem_free(launch->bank_pool);
    mem_free(bank);
    return status;
}

static ws_status take_program(struct diag *diag, struct device *device, const struct module *module,
                              uint32_t entry, struct program **out)
{
    for (uint32_t i = 0; i < device->program_count; i++) {
        *out = device->programs[i];
        if ((*out)->module_id == module->id && (*out)->entry == entry) return WS_OK;
    }
    TRY(program_create(diag, device, module, entry, device->semantics, out));
    if (!device->keeps_programs) return WS_OK;
    GROW(device->programs, device->program_count, device->program_room);
    mem_keep(device->programs);
    mem_keep(*out);
    arena_keep(&(*out)->arena);
    device->programs[device->program_count++] = *out;
    return WS_OK;
}

/* Of a program that ends with its call memory is given back by itself, but not what the system gave for code. That of the
 * kit may be of earlier calls. */
static void release(void *of)
{
    struct launch *launch = of;
    if (!launch->device->keeps_programs) compiling_clear(launch->program->compiling);
    kit_destroy(launch->kit);
}

ws_status device_launch(struct diag *diag, struct device *device, const struct module *module,
                        const struct launch_options *options, struct launch_result *out)
{
    if (options->entry >= module->function_count || !module->functions[options->entry].is_entry)
        return diag_error(diag, WS_ERR_ARGUMENT, "kernel index %u is out of range in %s",
                          options->entry, module->path);
    TRY(check_geometry(diag, options, &module->functions[options->entry]));
    struct program *program;
    ws_status taken = take_program(diag, device, module, options->entry, &program);
    if (taken != WS_OK) devmem_assume_written(&device->memory);
    TRY(taken);
    struct launch launch = {.device = device,
                            .memory = &device->memory,
                            .program = program,
                            .options = options,
                            .pool = mem_pool(),
                            .parameter_bytes = program->functions[0].function->parameter_bytes};
    struct mem_guard guard;
    mem_guard_begin(&guard, release, &launch);
    derive_sizes(&launch);
    ws_status status = check_launch(diag, &launch);
    if (status == WS_OK && program->uses_heap) status = heap_place(diag, device);
    if (status == WS_OK) status = run_launch(diag, program, &launch, out);
    mem_guard_end(&guard);
    if (!device->keeps_programs) program_destroy(program);
    return status;
}
