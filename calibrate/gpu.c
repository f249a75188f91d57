// SPDX-License-Identifier: Apache-2.0
#include "calibrate/gpu.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/gpu_state.h"

bool gpu_failed(const struct gpu *gpu, int error, const char *what)
{
    const char *name = NULL, *text = NULL;
    if (!error) return false;
    gpu->api.error_name(error, &name);
    gpu->api.error_text(error, &text);
    calibrate_tell(gpu->calibration, "%s: %s (%s, error %d)", what,
                   text ? text : "the driver failed", name ? name : "unknown", error);
    return true;
}

static bool find_functions(struct gpu *gpu)
{
    static const struct {
        const char *symbol;
        size_t place;
    } rows[] = {
#define DRIVER(field, symbol, parameters) {symbol, offsetof(struct driver_api, field)},
        DRIVER_FUNCTIONS(DRIVER)
#undef DRIVER
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        void *function = dlsym(gpu->library, rows[i].symbol);
        if (!function) {
            calibrate_tell(gpu->calibration,
                           "libcuda.so.1 has no %s: its driver is too old; update it",
                           rows[i].symbol);
            return false;
        }
        memcpy((char *)&gpu->api + rows[i].place, &function, sizeof function);
    }
    return true;
}

static uint64_t attribute(const struct gpu *gpu, int device, int number)
{
    int value = 0;
    return gpu->api.device_attribute(&value, number, device) == 0 && value > 0 ? (uint64_t)value
                                                                               : 0;
}

static void read_facts(struct gpu *gpu, int device)
{
    struct gpu_facts *facts = &gpu->facts;
    unsigned char uuid[16] = {0};
    size_t memory = 0;
    int version = 0;
#define ASK(number) attribute(gpu, device, number)
    gpu->api.device_name(facts->name, sizeof facts->name, device);
    if (gpu->api.device_uuid(uuid, device) == 0)
        for (unsigned i = 0; i < sizeof uuid; i++)
            snprintf(facts->uuid + 2 * i, 3, "%02x", uuid[i]);
    gpu->api.version(&version);
    snprintf(facts->driver, sizeof facts->driver, "CUDA %d.%d", version / 1000,
             version % 1000 / 10);
    facts->cc = (unsigned)(10 * ASK(DEVICE_CC_MAJOR) + ASK(DEVICE_CC_MINOR));
    facts->sms = (unsigned)ASK(DEVICE_SMS);
    facts->warp = (unsigned)ASK(DEVICE_WARP);
    facts->max_threads_sm = (unsigned)ASK(DEVICE_THREADS_SM);
    facts->max_blocks_sm = (unsigned)ASK(DEVICE_BLOCKS_SM);
    facts->max_threads = (unsigned)ASK(DEVICE_MAX_THREADS);
    facts->max_registers_sm = (unsigned)ASK(DEVICE_REGISTERS_SM);
    facts->max_registers_block = (unsigned)ASK(DEVICE_REGISTERS_BLOCK);
    for (int i = 0; i < 3; i++) {
        facts->max_block[i] = (unsigned)ASK(DEVICE_MAX_BLOCK_X + i);
        facts->max_grid[i] = (unsigned)ASK(DEVICE_MAX_GRID_X + i);
    }
    facts->shared_sm = ASK(DEVICE_SHARED_SM);
    facts->shared_block = ASK(DEVICE_SHARED_OPTIN);
    if (!facts->shared_block) facts->shared_block = ASK(DEVICE_SHARED_BLOCK);
    facts->shared_reserved = ASK(DEVICE_SHARED_RESERVED);
    facts->l2_bytes = ASK(DEVICE_L2_BYTES);
    facts->clock = 1e3 * (double)ASK(DEVICE_CLOCK_KHZ);
    facts->memory_clock = 1e3 * (double)ASK(DEVICE_MEMORY_CLOCK_KHZ);
    facts->bus_bits = (unsigned)ASK(DEVICE_BUS_BITS);
    if (gpu->api.device_memory(&memory, device) == 0) facts->memory_bytes = memory;
#undef ASK
}

static bool open_device(struct gpu *gpu)
{
    int count = 0, device, error = gpu->api.init(0);
    if (error || gpu->api.device_count(&count) || !count) {
        gpu_failed(gpu, error ? error : 100,
                   "no GPU can be used: is one there, does `nvidia-smi` list it, and may this "
                   "user open /dev/nvidia*");
        return false;
    }
    if ((int)gpu->calibration->gpu >= count) {
        calibrate_tell(gpu->calibration, "there is no GPU %u: the driver has %d, numbered from 0",
                       gpu->calibration->gpu, count);
        return false;
    }
    if (gpu_failed(gpu, gpu->api.device_get(&device, (int)gpu->calibration->gpu), "the GPU"))
        return false;
    read_facts(gpu, device);
    if (gpu_failed(gpu, gpu->api.context_create(&gpu->context, 0, device),
                   "the GPU cannot be used now (another program may have it alone)"))
        return false;
    return !gpu_failed(gpu, gpu->api.event_create(&gpu->begin, 0), "an event") &&
           !gpu_failed(gpu, gpu->api.event_create(&gpu->end, 0), "an event");
}

#if defined(WARPSAGE_STATIC)
#define NO_DRIVER                                                                                  \
    "this warpsage is linked statically and cannot load the driver (libcuda.so.1): install the "   \
    "package warpsage, or build it (doc/packages.md)"
#else
#define NO_DRIVER                                                                                  \
    "no driver: libcuda.so.1 cannot be opened. Calibration needs an NVIDIA GPU and its driver, "   \
    "or a model of one: warpsage run --gpu ID --clock teg -- warpsage calibrate ..."
#endif

struct gpu *gpu_open(const struct calibration *calibration)
{
    struct gpu *gpu = calibrate_alloc(sizeof *gpu);
    gpu->calibration = calibration;
    gpu->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!gpu->library) calibrate_tell(gpu->calibration, NO_DRIVER);
    if (gpu->library && find_functions(gpu) && open_device(gpu)) return gpu;
    gpu_close(gpu);
    return NULL;
}

const struct gpu_facts *gpu_facts(const struct gpu *gpu)
{
    return &gpu->facts;
}

const char *gpu_name(const struct gpu *gpu)
{
    return gpu->facts.name;
}

void gpu_unload(struct gpu *gpu)
{
    for (unsigned i = 0; i < gpu->loaded; i++)
        gpu->api.module_unload(gpu->modules[i]);
    gpu->loaded = 0;
}

static void drop_texture(struct gpu *gpu)
{
    if (gpu->texture) gpu->api.texture_destroy(gpu->texture);
    gpu->texture = 0;
}

void gpu_close(struct gpu *gpu)
{
    if (!gpu) return;
    if (gpu->context) {
        gpu_unload(gpu);
        drop_texture(gpu);
        if (gpu->out) gpu->api.release(gpu->out);
        if (gpu->data) gpu->api.release(gpu->data);
        if (gpu->flush) gpu->api.release(gpu->flush);
        gpu->api.event_destroy(gpu->begin);
        gpu->api.event_destroy(gpu->end);
        gpu->api.context_destroy(gpu->context);
    }
    if (gpu->library) dlclose(gpu->library);
    free(gpu);
}

bool gpu_load_text(struct gpu *gpu, const char *ptx, const char *kernel, driver_handle *module,
                   driver_handle *function)
{
    char log[LOG_BYTES] = "";
    int options[] = {OPTION_ERROR_LOG, OPTION_ERROR_LOG_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    int error = gpu->api.module_load(module, ptx, 2, options, values);
    if (error) {
        gpu_failed(gpu, error, kernel);
        if (*log) calibrate_tell(gpu->calibration, "%s", log);
        return false;
    }
    error = gpu->api.module_function(function, *module, kernel);
    if (error) gpu->api.module_unload(*module);
    return !gpu_failed(gpu, error, kernel);
}

bool gpu_load(struct gpu *gpu, const struct plan *plan)
{
    gpu_unload(gpu);
    if (plan->kernel_count > sizeof gpu->modules / sizeof *gpu->modules) {
        calibrate_tell(gpu->calibration, "a benchmark has %u kernels: too many",
                       plan->kernel_count);
        return false;
    }
    for (; gpu->loaded < plan->kernel_count; gpu->loaded++) {
        const struct kernel_text *kernel = &plan->kernels[gpu->loaded];
        if (!gpu_load_text(gpu, kernel->ptx, kernel->name, &gpu->modules[gpu->loaded],
                           &gpu->functions[gpu->loaded]))
            return false;
    }
    return true;
}

static bool reserve(struct gpu *gpu, driver_address *place, size_t *bytes, size_t wanted)
{
    if (*bytes >= wanted) return true;
    if (*place) gpu->api.release(*place);
    *place = 0;
    *bytes = 0;
    if (gpu_failed(gpu, gpu->api.allocate(place, wanted), "memory of the GPU")) return false;
    *bytes = wanted;
    return true;
}

/* What stands in the element: an address, or the number of a texel. Returns its bytes. */
static size_t chase_next(const struct gpu *gpu, const struct point *point, uint64_t i,
                         uint64_t *out)
{
    uint64_t count = point->data_bytes / point->stride;
    uint64_t place = (i + (point->jump ? point->jump : 1)) % count * point->stride;
    uint32_t texel = (uint32_t)(place / sizeof texel);
    *out = gpu->data + place;
    if (point->fill == FILL_TEXELS) memcpy(out, &texel, sizeof texel);
    return point->fill == FILL_TEXELS ? sizeof texel : sizeof *out;
}

/* Elements of pages far apart: each alone. */
static bool fill_pages(struct gpu *gpu, const struct point *point, uint64_t count)
{
    int error = 0;
    for (uint64_t i = 0; i < count && !error; i++) {
        uint64_t next;
        size_t size = chase_next(gpu, point, i, &next);
        error = gpu->api.to_device(gpu->data + i * point->stride, &next, size);
    }
    return !gpu_failed(gpu, error, "a copy to the GPU");
}

static bool fill_chase(struct gpu *gpu, const struct point *point)
{
    enum { PAGE = 1 << 16 };
    uint64_t count = point->data_bytes / point->stride;
    if (point->stride >= PAGE) return fill_pages(gpu, point, count);
    char *bytes = calibrate_alloc(point->data_bytes);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t next;
        size_t size = chase_next(gpu, point, i, &next);
        memcpy(bytes + i * point->stride, &next, size);
    }
    int error = gpu->api.to_device(gpu->data, bytes, point->data_bytes);
    free(bytes);
    return !gpu_failed(gpu, error, "a copy to the GPU");
}

static bool fill(struct gpu *gpu, const struct point *point)
{
    if (point->fill != FILL_ZERO) return fill_chase(gpu, point);
    return !point->data_bytes ||
           !gpu_failed(gpu, gpu->api.fill(gpu->data, 0, point->data_bytes / 4),
                       "a fill of the GPU's memory");
}

static bool make_texture(struct gpu *gpu, const struct point *point)
{
    const struct driver_resource resource = {
        .type = RESOURCE_LINEAR,
        .linear = {gpu->data, FORMAT_INT32, 1, point->data_bytes},
    };
    const struct driver_sampling sampling = {.flags = SAMPLE_INTEGERS};
    return !gpu_failed(gpu, gpu->api.texture_create(&gpu->texture, &resource, &sampling, NULL),
                       "a texture");
}

/* A launch finds nothing of its data in the L2: the driver fills twice as much as that holds. */
static bool flush(struct gpu *gpu)
{
    size_t bytes = 2 * gpu->facts.l2_bytes;
    return !bytes || (reserve(gpu, &gpu->flush, &gpu->flush_bytes, bytes) &&
                      !gpu_failed(gpu, gpu->api.fill(gpu->flush, 0, bytes / 4),
                                  "a fill of the GPU's memory"));
}

bool gpu_prepare(struct gpu *gpu, const struct plan *plan, const struct point *point)
{
    size_t warps = (size_t)point->grid * ((point->block + 31) / 32);
    drop_texture(gpu);
    if (!reserve(gpu, &gpu->out, &gpu->out_bytes, warps * WORDS_OF_WARP * sizeof(uint32_t)))
        return false;
    if (!reserve(gpu, &gpu->data, &gpu->data_bytes, point->data_bytes ? point->data_bytes : 4))
        return false;
    if (point->shared > 48 * 1024 &&
        gpu_failed(gpu,
                   gpu->api.function_set(gpu->functions[point->kernel], FUNCTION_MAX_SHARED,
                                         (int)point->shared),
                   plan->kernels[point->kernel].name))
        return false;
    return fill(gpu, point) && (!point->is_texture || make_texture(gpu, point));
}

static bool start(struct gpu *gpu, const struct plan *plan, const struct point *point)
{
    uint32_t args[BENCH_ARGS];
    memcpy(args, point->args, sizeof args);
    uint64_t data = point->is_texture ? gpu->texture : gpu->data;
    void *arguments[] = {&gpu->out, &data, &args[0], &args[1], &args[2], &args[3]};
    int error = gpu->api.launch(gpu->functions[point->kernel], point->grid, 1, 1, point->block, 1,
                                1, point->shared, NULL, arguments, NULL);
    return !gpu_failed(gpu, error, plan->kernels[point->kernel].name);
}

bool gpu_start(struct gpu *gpu, const struct plan *plan, const struct point *point,
               unsigned launches)
{
    bool is_done = !gpu_failed(gpu, gpu->api.event_record(gpu->begin, NULL), "an event");
    for (unsigned i = 0; is_done && i < launches; i++)
        is_done = start(gpu, plan, point);
    return is_done && !gpu_failed(gpu, gpu->api.event_record(gpu->end, NULL), "an event");
}

double gpu_wait(struct gpu *gpu, const struct plan *plan, const struct point *point)
{
    float milliseconds;
    if (gpu_failed(gpu, gpu->api.event_wait(gpu->end), plan->kernels[point->kernel].name) ||
        gpu_failed(gpu, gpu->api.event_elapsed(&milliseconds, gpu->begin, gpu->end), "an event"))
        return NAN;
    return 1e-3 * (double)milliseconds;
}

double gpu_repeat(struct gpu *gpu, const struct plan *plan, const struct point *point,
                  unsigned launches)
{
    return gpu_start(gpu, plan, point, launches) ? gpu_wait(gpu, plan, point) : NAN;
}

/* What the warps of one launch wrote. */
struct spans {
    uint32_t (*words)[WORDS_OF_WARP];
    size_t warps, per_block;
};

static int by_sm(const void *a, const void *b)
{
    const uint32_t *first = a, *second = b;
    return (first[2] > second[2]) - (first[2] < second[2]);
}

/* The clock wraps: all times are relative to the first warp's begin. */
static double longest(const struct spans *spans, size_t from, size_t to)
{
    int32_t begin = 0, end = INT32_MIN;
    uint32_t zero = spans->words[from][0];
    for (size_t i = from; i < to; i++) {
        int32_t b = (int32_t)(spans->words[i][0] - zero), e = (int32_t)(spans->words[i][1] - zero);
        if (b < begin) begin = b;
        if (e > end) end = e;
    }
    return (double)end - begin;
}

static void read_spans(const struct point *point, struct spans *spans, struct raw_point *out)
{
    unsigned at = out->count;
    double block = 0, sm = 0;
    for (size_t i = 0; i < spans->warps; i += spans->per_block) {
        double cycles = longest(spans, i, i + spans->per_block);
        if (cycles > block) block = cycles;
    }
    for (size_t i = 0; point->is_checked && i < spans->warps; i++)
        out->is_checked &= spans->words[i][3] == point->expected;
    qsort(spans->words, spans->warps, sizeof *spans->words, by_sm);
    out->first_sm_count = 0;
    for (size_t i = 0, next; i < spans->warps; i = next) {
        for (next = i + 1; next < spans->warps && spans->words[next][2] == spans->words[i][2];)
            next++;
        double cycles = longest(spans, i, next);
        if (cycles > sm) sm = cycles;
        out->first_sm_count++;
    }
    out->block_cycles[at] = block;
    out->sm_cycles[at] = sm;
}

static bool time_once(struct gpu *gpu, const struct plan *plan, const struct point *point,
                      struct spans *spans, struct raw_point *out)
{
    if (point->data_bytes && !flush(gpu)) return false;
    double seconds = gpu_repeat(gpu, plan, point, 1);
    if (isnan(seconds)) return false;
    int error = gpu->api.to_host(spans->words, gpu->out, spans->warps * sizeof *spans->words);
    if (gpu_failed(gpu, error, "a copy from the GPU")) return false;
    out->seconds[out->count] = seconds;
    read_spans(point, spans, out);
    out->count++;
    return true;
}

/* What the driver says of the kernel; less is known if it does not. */
static void ask(const struct gpu *gpu, const struct point *point, struct raw_point *out)
{
    driver_handle function = gpu->functions[point->kernel];
    int resident = 0, registers = 0;
    if (gpu->api.resident(&resident, function, (int)point->block, point->shared) == 0)
        out->resident = (unsigned)resident;
    if (gpu->api.function_get(&registers, FUNCTION_REGISTERS, function) == 0)
        out->registers = (unsigned)registers;
}

unsigned gpu_resident(const struct gpu *gpu, const struct point *point)
{
    struct raw_point told = {.remark = ""};
    ask(gpu, point, &told);
    return told.resident;
}

bool gpu_time(struct gpu *gpu, const struct plan *plan, const struct point *point, unsigned repeats,
              struct raw_point *out)
{
    ask(gpu, point, out);
    if (point->is_asked) return out->is_checked = true;
    if (!out->resident) {
        out->remark = "an SM has no room for such a block";
        return true;
    }
    if (!gpu_prepare(gpu, plan, point)) return false;
    struct spans spans = {.per_block = (point->block + 31) / 32};
    spans.warps = spans.per_block * point->grid;
    spans.words = calibrate_alloc(spans.warps * sizeof *spans.words);
    out->is_checked = true; /* unless a result is wrong */
    bool is_done = true;
    while (is_done && out->count < repeats)
        is_done = time_once(gpu, plan, point, &spans, out);
    free(spans.words);
    return is_done;
}
