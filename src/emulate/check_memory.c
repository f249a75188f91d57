// SPDX-License-Identifier: Apache-2.0
/* The tool memory: what becomes of a faulty access. The checker is told; the lane takes no part in the access (a load
 * gives it zeros) unless hardware lets the access pass; and the launch goes on. Where hardware would have ended the
 * launch, it fails when the kernel has run. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "emulate/exec.h"

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
    if (near->name)
        strbuf_printf(&out->memory, "variable '%s'", near->name);
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
}

/* Does the process have a page there? */
static bool is_mapped(uint64_t address)
{
    unsigned char resident;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    return mincore((void *)(uintptr_t)(address & ~(page - 1)), 1, &resident) == 0;
}

/* Below the windows of generic addresses nothing lies: it is null with an index. */
static enum check_code global_code(const struct devmem *memory, const struct fault *fault)
{
    enum { NEAR_BYTES = 4096 };
    const struct allocation *near = devmem_nearest(memory, fault->address);
    uint64_t address = fault->address;
    if (fault->kind != FAULT_OUT_OF_BOUNDS) return fault_code(fault);
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
    if (is_global(fault))
        tell_global(out, x->launch, fault, code);
    else
        tell_space(out, x->launch, fault);
}

static void tell(struct exec *x, const struct fault *fault)
{
    struct words words = {0};
    bool is_of_memory = fault_is_of_memory(fault);
    enum check_code code = is_of_memory && is_global(fault) ? global_code(x->launch->memory, fault)
                                                            : fault_code(fault);
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

static bool is_mine(enum fault_kind kind)
{
    switch (kind) {
    case FAULT_OUT_OF_BOUNDS:
    case FAULT_FREED:
    case FAULT_MISALIGNED:
    case FAULT_TOO_WIDE:
    case FAULT_OUT_OF_SCOPE:
    case FAULT_READ_ONLY:
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

void check_tell_passed(struct exec *x, const struct uop *u, enum fault_kind kind, uint32_t lane,
                       uint64_t address)
{
    struct fault none = x->fault;
    x->fault = (struct fault){0};
    fault_memory(x, u, kind, lane, address);
    tell(x, &x->fault);
    x->fault = none;
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
