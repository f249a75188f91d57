// SPDX-License-Identifier: Apache-2.0
/* The tool memory: what becomes of a faulty access. The checker is told; the lane takes no part in the access (a load
 * gives it zeros) unless hardware lets the access pass; and the launch goes on. Where hardware would have ended the
 * launch, it fails when the kernel has run. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "emulate/check_heap.h"

/* Loops on what bad loads gave may never end: after so many bad accesses the next ends the launch, as it does without
 * checks. Words are made for the first of each instruction only. Both are guesses. */
enum { BAD_ACCESSES_MAX = 1 << 20, WORDS_MAX = 256 };

/* ---- words ----------------------------------------------------------------------------------- */

/* What a report says of the memory at an address. */
struct words {
    struct strbuf memory, detail;
    uint64_t allocation; /* first byte of an allocation of the host; 0: none */
    bool is_freed;
};

static void tell_distance(struct strbuf *out, uint64_t address, uint64_t bytes, uint64_t begin,
                          uint64_t end)
{
    unsigned long long distance;
    if (address >= end) {
        distance = address - end;
        strbuf_printf(out, distance ? "%llu bytes past its end" : "right past its end", distance);
    } else if (address < begin) {
        distance = begin - address;
        strbuf_printf(out, "%llu %s before it", distance, distance == 1 ? "byte" : "bytes");
    } else {
        strbuf_printf(out, "at byte %llu of it", (unsigned long long)(address - begin));
        if (bytes > end - address)
            strbuf_printf(out, ", and reaches %llu bytes past its end",
                          (unsigned long long)(bytes - (end - address)));
    }
}

static void name_allocation(struct words *out, const struct fault *fault,
                            const struct allocation *near)
{
    struct arena names = {0};
    uint64_t begin = near->address, end = begin + near->bytes;
    if (near->heap && fault->address - begin < near->bytes) {
        if (!check_heap_describe(near->heap, fault->address, &out->memory, &begin, &end)) return;
        strbuf_puts(&out->detail, "the access is ");
        tell_distance(&out->detail, fault->address, fault->bytes, begin, end);
        return;
    }
    if (near->name)
        strbuf_printf(&out->memory, "variable '%s'", demangle_variable(&names, near->name));
    else if (near->number)
        strbuf_printf(&out->memory, "allocation %llu", (unsigned long long)near->number);
    else
        strbuf_puts(&out->memory, "a variable of a module that was unloaded");
    strbuf_printf(&out->memory, " of %llu bytes", (unsigned long long)near->bytes);
    strbuf_puts(&out->detail, "the access is ");
    tell_distance(&out->detail, fault->address, fault->bytes, near->address,
                  near->address + near->bytes);
    if (near->number) out->allocation = near->address;
    out->is_freed = near->freed != 0;
    arena_clear(&names);
}

static void name_array(struct words *out, const struct fault *fault, const struct guarded *array,
                       uint64_t base)
{
    strbuf_printf(&out->memory, "%s '%s' of %llu bytes",
                  fault->space == SPACE_SHARED ? "shared array" : "local variable", array->name,
                  (unsigned long long)(array->end - array->begin));
    strbuf_puts(&out->detail, "the access is ");
    tell_distance(&out->detail, fault->address, fault->bytes, base + array->begin,
                  base + array->end);
}

/* Does the process have a page there? */
static bool is_mapped(uint64_t address)
{
    unsigned char resident;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    return mincore((void *)(uintptr_t)(address & ~(page - 1)), 1, &resident) == 0;
}

/* A generic address before shared memory, which begins with an array. */
static bool is_below_shared(const struct launch *launch, const struct fault *fault)
{
    enum { NEAR_BYTES = 65536 };
    return launch->shared_end && fault->address < SHARED_WINDOW &&
           fault->address >= SHARED_WINDOW - NEAR_BYTES;
}

/* Below the windows of generic addresses nothing lies: it is null with an index. */
static enum check_code global_code(const struct launch *launch, const struct fault *fault)
{
    const struct devmem *memory = launch->memory;
    enum { NEAR_BYTES = 4096 };
    const struct allocation *near = devmem_nearest(memory, fault->address);
    uint64_t address = fault->address;
    if (fault->kind != FAULT_OUT_OF_BOUNDS || is_below_shared(launch, fault))
        return fault_code(fault);
    if (address < SHARED_WINDOW) return CHECK_CODE_NULL_POINTER;
    bool is_near = near && address + NEAR_BYTES >= near->address &&
                   address < near->address + near->bytes + near->bytes / 2 + NEAR_BYTES;
    bool in_heap = address - memory->base < memory->capacity;
    bool is_host = memory->base != HEAP_BASE && !in_heap && !is_near && is_mapped(address);
    return is_host ? CHECK_CODE_HOST_POINTER : CHECK_CODE_OUT_OF_BOUNDS;
}

/* An address so far off is of none of them. A guess. */
#define FAR_BYTES (UINT64_C(1) << 30)

static uint64_t distance_of(const struct allocation *one, uint64_t address)
{
    if (address < one->address) return one->address - address;
    uint64_t end = one->address + one->bytes;
    return address < end ? 0 : address - end;
}

static void tell_global(struct words *out, const struct launch *launch, const struct fault *fault,
                        enum check_code code)
{
    const struct allocation *near = devmem_nearest(launch->memory, fault->address);
    if (code == CHECK_CODE_NULL_POINTER || code == CHECK_CODE_HOST_POINTER) return;
    if (near && distance_of(near, fault->address) < FAR_BYTES)
        name_allocation(out, fault, near);
    else
        strbuf_puts(&out->detail, "no allocation is near this address");
}

/* The array that is nearest to an offset in what holds them. Addresses of 32 bits before the first one are very large
 * offsets. */
static const struct guarded *nearest_array(const struct guarded *arrays, uint32_t count,
                                           uint64_t offset)
{
    const struct guarded *best = NULL;
    uint64_t least = UINT64_MAX;
    for (uint32_t k = 0; k < count; k++) {
        uint64_t before = arrays[k].begin - offset, past = offset - arrays[k].end;
        uint64_t distance = offset < arrays[k].begin ? before : past;
        if (offset >= arrays[k].begin && offset < arrays[k].end) distance = 0;
        if (best && distance >= least) continue;
        best = &arrays[k];
        least = distance;
    }
    return best;
}

static struct guarded dynamic_array(const struct launch *launch)
{
    const struct program *program = launch->program;
    uint64_t dynamic = launch->options->dynamic_shared_bytes, end = launch->shared_end;
    return (struct guarded){.begin = end - dynamic,
                            .end = end,
                            .shift = program->dynamic_shift,
                            .name = "dynamic shared memory"};
}

/* Also of those whose size the launch gives. */
static struct guarded nearest_shared(const struct launch *launch, uint64_t offset)
{
    const struct program *program = launch->program;
    struct guarded both[2];
    uint32_t count = 0;
    const struct guarded *near =
        nearest_array(program->shared_arrays, program->shared_count, offset);
    if (near) both[count++] = *near;
    if (launch->options->dynamic_shared_bytes) both[count++] = dynamic_array(launch);
    return count ? *nearest_array(both, count, offset) : (struct guarded){0};
}

/* The function of the call chain at hand in whose local memory an address lies; NULL: none. */
static const struct frame *frame_at(const struct exec *x, uint64_t address)
{
    const struct program_function *functions = x->launch->program->functions;
    const struct frame *frame = x->frame;
    while (frame && address - frame->locals >= functions[frame->function].local_bytes)
        frame = frame->parent;
    return frame;
}

/* Local memory of no function at hand. */
static bool tell_local(struct words *out, const struct exec *x, const struct fault *fault)
{
    const struct program *program = x->launch->program;
    if (fault->address >= program->stack_begin && fault->address < program->stack_end)
        strbuf_puts(&out->detail, "the access is past what alloca has given this thread");
    else
        strbuf_puts(&out->detail, "no function that the thread is in has a variable there");
    return true;
}

static bool tell_array(struct words *out, const struct exec *x, const struct fault *fault)
{
    if (fault->space == SPACE_SHARED && x->guards_shared) {
        bool is_before = fault->address > INT32_MAX; /* of 32 bits, and negative */
        uint64_t base = is_before ? UINT64_C(1) << 32 : 0;
        struct guarded near = nearest_shared(x->launch, is_before ? 0 : fault->address);
        if (near.name) name_array(out, fault, &near, base);
        return near.name != NULL;
    }
    const struct frame *frame =
        fault->space == SPACE_LOCAL && x->guards_local ? frame_at(x, fault->address) : NULL;
    if (!frame) return fault->space == SPACE_LOCAL && x->guards_local && tell_local(out, x, fault);
    const struct program_function *function = &x->launch->program->functions[frame->function];
    const struct guarded *near =
        nearest_array(function->arrays, function->array_count, fault->address - frame->locals);
    if (near) name_array(out, fault, near, frame->locals);
    return near != NULL;
}

static void tell_space(struct words *out, const struct launch *launch, const struct fault *fault)
{
    uint64_t size = fault->space == SPACE_SHARED  ? launch->shared_bytes
                    : fault->space == SPACE_LOCAL ? launch->program->local_bytes_max
                    : fault->space == SPACE_FRAME ? fault->frame_bytes
                                                  : launch->parameter_bytes;
    strbuf_printf(&out->memory, "%s memory of this %s, %llu bytes",
                  fault->space == SPACE_FRAME ? "parameter" : space_names[fault->space],
                  fault->space == SPACE_SHARED  ? "block"
                  : fault->space == SPACE_PARAM ? "kernel"
                                                : "thread",
                  (unsigned long long)size);
}

static bool is_global(const struct fault *fault)
{
    return fault->space == SPACE_GLOBAL || fault->space == SPACE_CONST ||
           fault->space == SPACE_GENERIC || fault->space == SPACE_NONE;
}

/* ---- reports --------------------------------------------------------------------------------- */

static void tell_words(const struct exec *x, const struct fault *fault, enum check_code code,
                       struct words *out)
{
    if (fault->detail) strbuf_puts(&out->detail, fault->detail + strspn(fault->detail, " "));
    if (!fault_is_of_memory(fault) || fault->kind == FAULT_TOO_WIDE) return;
    struct fault below = *fault;
    if (is_global(fault) && is_below_shared(x->launch, fault) && x->guards_shared) {
        below.space = SPACE_SHARED;
        below.address -= SHARED_WINDOW;
        below.address &= UINT32_MAX;
        tell_array(out, x, &below);
    } else if (is_global(fault))
        tell_global(out, x->launch, fault, code);
    else if (!tell_array(out, x, fault))
        tell_space(out, x->launch, fault);
}

static void tell(struct exec *x, const struct fault *fault)
{
    struct words words = {0};
    bool is_of_memory = fault_is_of_memory(fault);
    enum check_code code =
        is_of_memory && is_global(fault) ? global_code(x->launch, fault) : fault_code(fault);
    x->bad_accesses++;
    if (fault->insn != x->last_told || x->told++ < WORDS_MAX) tell_words(x, fault, code, &words);
    if (fault->insn != x->last_told) x->told = 0;
    x->last_told = fault->insn;
    struct check_report report = {
        .code = code,
        .here = {fault->insn, fault->block, fault->warp, fault->lane},
        .has_address = is_of_memory,
        .address = fault->address,
        .bytes = fault->bytes,
        .space = fault->space,
        .memory = words.memory.data,
        .detail = words.detail.data,
        .allocation = words.allocation,
        .is_freed = words.is_freed,
    };
    x->check->ops->report(x->check->self, &report);
    strbuf_clear(&words.memory);
    strbuf_clear(&words.detail);
}

/* Of an access that hardware lets pass; the lane takes part. */
static void check_tell_at(struct exec *x, const struct uop *u, enum fault_kind kind, uint32_t lane,
                          unsigned space, uint64_t address)
{
    struct fault none = x->fault;
    if (lane < x->told_below) return;
    x->fault = (struct fault){0};
    fault_memory(x, u, kind, lane, address);
    x->fault.space = (uint8_t)space;
    tell(x, &x->fault);
    x->fault = none;
}

void check_tell_heap(struct exec *x, const struct uop *u, const struct heap *heap, uint32_t lane,
                     uint64_t address)
{
    enum fault_kind kind = check_heap_is_freed(heap, address) ? FAULT_FREED : FAULT_OUT_OF_BOUNDS;
    check_tell_at(x, u, kind, lane, SPACE_GLOBAL, address);
}

void check_tell_passed(struct exec *x, const struct uop *u, enum fault_kind kind, uint32_t lane,
                       uint64_t address)
{
    check_tell_at(x, u, kind, lane, u->space, address);
}

/* ---- red zones ------------------------------------------------------------------------------- */

/* Would hardware let it pass, which has the arrays side by side? */
static bool passes_shared(const struct launch *launch, uint64_t address, uint64_t bytes)
{
    uint64_t plain_end = launch->program->shared_base + launch->shared_bytes;
    uint64_t at = address - nearest_shared(launch, address).shift;
    return address + bytes <= launch->shared_end && at + bytes <= plain_end;
}

static bool in_array(const struct guarded *array, uint64_t offset, uint64_t bytes)
{
    return offset >= array->begin && offset < array->end && bytes <= array->end - offset;
}

static bool check_shared_lane(struct exec *x, const struct uop *u, unsigned lane, uint64_t a,
                              unsigned bytes)
{
    struct guarded near = nearest_shared(x->launch, a);
    bool is_inside = near.name && in_array(&near, a, bytes), is_aligned = !(a & (bytes - 1u));
    if (is_inside && is_aligned) return true;
    if (!is_inside && is_aligned && passes_shared(x->launch, a, bytes)) {
        check_tell_at(x, u, FAULT_OUT_OF_BOUNDS, lane, SPACE_SHARED, a);
        return true;
    }
    fault_memory(x, u, is_inside ? FAULT_MISALIGNED : FAULT_OUT_OF_BOUNDS, lane, a);
    x->fault.space = SPACE_SHARED;
    return false;
}

bool check_shared_arrays(struct exec *x, const struct uop *u, const struct access *s)
{
    bool is_good = true, is_one = true;
    unsigned first = (unsigned)__builtin_ctz(s->mask);
    struct guarded one = nearest_shared(x->launch, s->addresses[first]);
    for (uint32_t left = s->mask; left && is_good; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        is_good = check_shared_lane(x, u, lane, s->addresses[lane], s->bytes);
        is_one = is_one && in_array(&one, s->addresses[lane], s->bytes);
    }
    if (is_good && is_one)
        x->memos[u->index] =
            (struct memo){.low = SHARED_WINDOW + one.begin, .high = SHARED_WINDOW + one.end};
    return is_good;
}

/* The place in a thread's local memory, in a variable of a function of the call chain at hand, or on alloca's stack. */
static bool check_local_lane(struct exec *x, const struct uop *u, unsigned lane, uint64_t a,
                             unsigned bytes)
{
    const struct program *program = x->launch->program;
    const struct frame *frame = frame_at(x, a);
    bool is_inside = false, is_aligned = !(a & (bytes - 1u));
    if (a >= program->stack_begin && a < x->warp->stack[lane])
        is_inside = bytes <= x->warp->stack[lane] - a;
    if (frame) {
        const struct program_function *function = &program->functions[frame->function];
        const struct guarded *near =
            nearest_array(function->arrays, function->array_count, a - frame->locals);
        is_inside = is_inside || (near && in_array(near, a - frame->locals, bytes));
    }
    if (is_inside && is_aligned) return true;
    bool is_near = frame || a >= program->stack_begin;
    enum fault_kind kind = is_inside ? FAULT_MISALIGNED
                           : is_near ? FAULT_OUT_OF_BOUNDS
                                     : FAULT_OUT_OF_SCOPE;
    bool passes = a < x->local_stride && bytes <= x->local_stride - a;
    if (!is_inside && is_aligned && passes) { /* hardware maps a kibibyte at least */
        check_tell_at(x, u, kind, lane, SPACE_LOCAL, a);
        return true;
    }
    fault_memory(x, u, kind, lane, a);
    x->fault.space = SPACE_LOCAL;
    return false;
}

bool check_local_arrays(struct exec *x, const struct uop *u, const struct access *s)
{
    bool is_good = true;
    for (uint32_t left = s->mask; left && is_good; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        is_good = check_local_lane(x, u, lane, s->addresses[lane], s->bytes);
    }
    return is_good;
}

/* ---- what is not covered --------------------------------------------------------------------- */

static bool has_depot(const struct program *program)
{
    for (uint32_t f = 0; f < program->function_count; f++)
        for (uint32_t k = 0; k < program->functions[f].array_count; k++)
            if (!strncmp(program->functions[f].arrays[k].name, "__local_depot", 13)) return true;
    return false;
}

void check_notes(const struct launch *launch)
{
    const struct checker *check = launch->device->check;
    const struct program *program = launch->program;
    bool is_native = program->native_code;
    if (!check) return;
    const struct {
        unsigned tool;
        bool is_so;
        const char *text;
    } notes[] = {
        {CHECK_MEMORY, has_depot(program),
         "memory: the compiler has put the local variables of a function into one block; an access "
         "from one of them to another is not seen"},
        {CHECK_MEMORY, is_native,
         "memory: machine code does not say where arrays of shared memory and local variables end; "
         "an access from one of them to another is not seen"},
        {CHECK_MEMORY, launch->memory->forgotten,
         "memory: allocations that were freed long ago are forgotten; an access to them may not be "
         "seen"},
        {CHECK_MEMORY, launch->memory->has_thin_zones,
         "memory: address space became short; allocations lie close to each other, and an access "
         "far past one of them may not be seen"},
        {CHECK_INIT, is_native,
         "init: uses of uninitialised values by machine code are not seen; compile with PTX"},
        {CHECK_RACE, is_native, "race: accesses of machine code are not seen; compile with PTX"},
        {CHECK_SYNC, is_native,
         "sync: of machine code only deadlocks and the instruction limit are seen; compile with "
         "PTX"},
    };
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        if (notes[i].is_so && check->tools & notes[i].tool)
            check->ops->note(check->self, notes[i].text);
}

/* ---- faults ---------------------------------------------------------------------------------- */

static bool is_mine(enum fault_kind kind)
{
    switch (kind) {
    case FAULT_OUT_OF_BOUNDS:
    case FAULT_FREED:
    case FAULT_MISALIGNED:
    case FAULT_TOO_WIDE:
    case FAULT_OUT_OF_SCOPE:
    case FAULT_READ_ONLY:
    case FAULT_NOT_SHARED:
    case FAULT_NO_BLOCK:
    case FAULT_TEXTURE:
    case FAULT_FREE:
        return true;
    default:
        return false;
    }
}

bool check_goes_on(struct exec *x)
{
    if (!(x->checks & CHECK_MEMORY) || !is_mine(x->fault.kind)) return false;
    if (x->bad_accesses >= BAD_ACCESSES_MAX) return false;
    tell(x, &x->fault);
    if (x->kept.kind)
        mem_free(x->fault.detail);
    else
        x->kept = x->fault;
    x->fault = (struct fault){0};
    return true;
}

void check_tell_fetch(struct exec *x, const struct uop *u, uint32_t lane, const char *detail)
{
    struct strbuf text = {0};
    strbuf_puts(&text, detail);
    struct fault found = {.kind = FAULT_TEXTURE_BOUNDS,
                          .block = x->block->index,
                          .warp = x->warp->index,
                          .lane = lane,
                          .insn = u->insn,
                          .detail = text.data};
    tell(x, &found);
    strbuf_clear(&text);
}
