// SPDX-License-Identifier: Apache-2.0
#include "measure/traceg_write.h"

#include <string.h>

#include "base/packed_file.h"
#include "base/text.h"
#include "isa/sass.h"

enum { LANES = 32, SOURCES_MAX = 4, REGISTERS = SASS_ZERO, INSN_BYTES = 16, TRACER_VERSION = 5 };

/* Generic addresses of shared and local memory lie in windows, far from what is allocated (48 bits). */
#define SHARED_WINDOW UINT64_C(0x0001000001000000)
#define LOCAL_WINDOW UINT64_C(0x0001000003000000)

struct writer {
    const struct profile *profile;
    const struct trace *trace;
    struct packed_file file;
    struct arena arena;
    const char **opcodes; /* by instruction */
    bool is_native, has_lines;
};

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && !strcmp(text + length - tail, end);
}

bool traceg_is_name(const char *path)
{
    return ends_with(path, "kernelslist.g") || ends_with(path, ".traceg") ||
           ends_with(path, ".traceg.xz") || ends_with(path, ".traceg.zst");
}

/* ---- opcodes --------------------------------------------------------------------------------- */

static const char *width_of(const struct trace_insn *insn)
{
    static const char *const widths[] = {[1] = ".U8", [2] = ".U16", [8] = ".64", [16] = ".128"};
    return insn->bytes < sizeof widths / sizeof *widths && widths[insn->bytes] ? widths[insn->bytes]
                                                                               : "";
}

static const char *cache_of(const struct trace_insn *insn)
{
    if (insn->semantics != MEM_WEAK) return ".STRONG.GPU";
    if (insn->cache_op == CACHE_CG) return ".CG";
    if (insn->cache_op == CACHE_CV) return ".CV";
    return insn->flags & TRACE_READ_ONLY ? ".CONSTANT" : "";
}

static bool has_addresses(const struct trace_insn *insn)
{
    return insn->operation != TRACE_NO_ACCESS &&
           (insn->space == SPACE_GENERIC || insn->space == SPACE_GLOBAL ||
            insn->space == SPACE_SHARED || insn->space == SPACE_LOCAL);
}

static const char *name_access(struct arena *arena, const struct trace_insn *insn)
{
    static const char *const generic[] = {
        [TRACE_LOAD] = "LD.E", [TRACE_STORE] = "ST.E", [TRACE_ATOMIC] = "ATOM.E.ADD"};
    bool is_generic = insn->space == SPACE_GENERIC;
    const char *name =
        is_generic ? generic[insn->operation] : sass_name((enum insn_class)insn->class_id);
    if (insn->operation == TRACE_ATOMIC && !insn->write_count && insn->space == SPACE_GLOBAL)
        name = "RED.E.ADD";
    return arena_format(arena, "%s%s%s", name, width_of(insn), cache_of(insn));
}

static const char *name_insn(struct arena *arena, const struct trace_insn *insn)
{
    if (has_addresses(insn)) return name_access(arena, insn);
    if (insn->flags & TRACE_EXIT) return "EXIT";
    if (insn->flags & TRACE_BRANCH) return "BRA";
    if (insn->barrier == TRACE_BARRIER_ARRIVE) return "BAR.ARV";
    if (insn->barrier == TRACE_BARRIER_WARP) return "WARPSYNC";
    return sass_name((enum insn_class)insn->class_id);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void put_header(struct writer *w)
{
    struct strbuf *out = &w->file.pending;
    const struct profile *profile = w->profile;
    const struct trace_head *head = &w->trace->head;
    const char *from;
    unsigned registers = 0, target;
    (void)profile_registers(profile, head->target, &registers, &from, &target);
    strbuf_printf(out, "-kernel name = %s\n-kernel id = 1\n",
                  profile->mangled && *profile->mangled ? profile->mangled : head->kernel);
    strbuf_printf(out, "-grid dim = (%u,%u,%u)\n-block dim = (%u,%u,%u)\n", head->grid[0],
                  head->grid[1], head->grid[2], head->block[0], head->block[1], head->block[2]);
    strbuf_printf(out, "-shmem = %llu\n-nregs = %u\n-binary version = %u\n-cuda stream id = 0\n",
                  (unsigned long long)shared_block_bytes(head->static_shared_bytes,
                                                         head->dynamic_shared_bytes),
                  registers < REGISTERS ? registers : REGISTERS, head->target);
    strbuf_printf(out, "-shmem base_addr = 0x%016llx\n-local mem base_addr = 0x%016llx\n",
                  (unsigned long long)SHARED_WINDOW, (unsigned long long)LOCAL_WINDOW);
    /* The reader (traceg_header.c) tells traces of executions by "none". */
    strbuf_printf(out, "-nvbit version = %s\n-accelsim tracer version = %d\n",
                  w->is_native ? "not told" : "none", TRACER_VERSION);
    strbuf_printf(out, "-enable lineinfo = %d\n\n", w->has_lines);
    strbuf_puts(out, "#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num "
                     "[reg_srcs] mem_width [adrrescompress?] [mem_addresses] immediate\n\n");
}

static void put_registers(struct strbuf *out, const uint32_t *list, unsigned count, unsigned most)
{
    if (count > most) count = most;
    strbuf_printf(out, " %u", count);
    for (unsigned i = 0; i < count; i++)
        strbuf_printf(out, " R%u", list[i] % REGISTERS);
}

/* Lanes without an address of their own (matrix loads) get that of the first one. */
static void find_addresses(const struct writer *w, const struct trace_insn *insn,
                           const struct trace_step *step, uint64_t addresses[LANES])
{
    uint64_t first = 0;
    uint32_t known = 0;
    for (uint32_t i = 0; i < step->access_count; i++) {
        const struct trace_pattern *pattern = &w->trace->patterns[step->accesses[i].pattern];
        uint64_t lanes[LANES], window = 0;
        trace_lanes(w->trace, &step->accesses[i], lanes);
        if (pattern->space == SPACE_LOCAL) window = LOCAL_WINDOW;
        if (pattern->space == SPACE_SHARED && insn->space == SPACE_GENERIC) window = SHARED_WINDOW;
        for (uint32_t rest = pattern->mask; rest; rest &= rest - 1)
            addresses[__builtin_ctz(rest)] = lanes[__builtin_ctz(rest)] + window;
        known |= pattern->mask;
        first = addresses[__builtin_ctz(known)];
    }
    for (uint32_t rest = step->on & ~known; rest; rest &= rest - 1)
        addresses[__builtin_ctz(rest)] = first;
}

/* Modes of the tracer: 1 base and stride, of two lanes or more that follow each other; 2 base and the
 * difference to the lane before; 0 all of them, where a difference needs more than 32 bits. */
static unsigned choose_mode(uint32_t mask, const uint64_t addresses[LANES])
{
    uint32_t run = mask ? mask >> __builtin_ctz(mask) : 0, rest = mask & (mask - 1);
    bool is_run = !(run & (run + 1)), is_strided = true;
    if (!mask) return 1;
    if (!rest) return 2;
    int64_t stride = (int64_t)(addresses[__builtin_ctz(rest)] - addresses[__builtin_ctz(mask)]);
    uint64_t before = addresses[__builtin_ctz(mask)];
    for (; rest; rest &= rest - 1) {
        int64_t delta = (int64_t)(addresses[__builtin_ctz(rest)] - before);
        if (delta != (int32_t)delta) return 0;
        is_strided &= delta == stride;
        before = addresses[__builtin_ctz(rest)];
    }
    return is_run && is_strided ? 1 : 2;
}

static void put_addresses(struct strbuf *out, uint32_t mask, const uint64_t addresses[LANES])
{
    unsigned mode = choose_mode(mask, addresses), lane = mask ? (unsigned)__builtin_ctz(mask) : 0;
    uint64_t before = mask ? addresses[lane] : 0;
    uint32_t rest = mask & (mask - 1);
    strbuf_printf(out, " %u", mode);
    if (mode == 0) {
        for (rest = mask; rest; rest &= rest - 1)
            strbuf_printf(out, " 0x%016llx", (unsigned long long)addresses[__builtin_ctz(rest)]);
        return;
    }
    strbuf_printf(out, " 0x%llx", (unsigned long long)before);
    if (mode == 1)
        strbuf_printf(out, " %lld", rest ? (long long)(addresses[lane + 1] - before) : 0LL);
    for (; mode == 2 && rest; rest &= rest - 1) {
        uint64_t at = addresses[__builtin_ctz(rest)];
        strbuf_printf(out, " %lld", (long long)(at - before));
        before = at;
    }
}

/* The one immediate that is kept: of a barrier its threads, or its number. */
static unsigned immediate_of(const struct trace_insn *insn)
{
    bool is_barrier = insn->barrier == TRACE_BARRIER_SYNC || insn->barrier == TRACE_BARRIER_ARRIVE;
    if (!is_barrier) return 0;
    if (insn->barrier_threads != TRACE_BARRIER_ALL &&
        insn->barrier_threads != TRACE_BARRIER_UNKNOWN)
        return insn->barrier_threads;
    return insn->barrier_id == TRACE_BARRIER_ID_UNKNOWN ? 0 : insn->barrier_id;
}

static void put_step(struct writer *w, const struct trace_step *step)
{
    struct strbuf *out = &w->file.pending;
    const struct trace_insn *insn = &w->trace->insns[step->insn];
    uint32_t pc = w->is_native ? insn->line : step->insn * INSN_BYTES;
    bool is_memory = has_addresses(insn);
    uint64_t addresses[LANES] = {0};
    if (w->has_lines) strbuf_printf(out, "%u ", insn->source_line);
    strbuf_printf(out, "%04x %08x", pc, step->on);
    put_registers(out, trace_writes(w->trace, insn), insn->write_count, 1);
    strbuf_printf(out, " %s", w->opcodes[step->insn]);
    put_registers(out, trace_reads(w->trace, insn), insn->read_count, SOURCES_MAX);
    strbuf_printf(out, " %u", is_memory ? insn->bytes : 0);
    if (is_memory) {
        find_addresses(w, insn, step, addresses);
        put_addresses(out, step->on, addresses);
    }
    strbuf_printf(out, " %u\n", immediate_of(insn));
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static ws_status put_warp(struct diag *diag, struct writer *w, const struct trace_block *block,
                          uint32_t number)
{
    struct trace_cursor cursor;
    struct trace_step step;
    ws_status status = WS_OK;
    strbuf_printf(&w->file.pending, "\nwarp = %u\ninsts = %llu\n", number,
                  (unsigned long long)block->warps[number].step_count);
    trace_cursor_init(&cursor, w->trace, block, number);
    while (status == WS_OK && trace_cursor_next(&cursor, &step)) {
        put_step(w, &step);
        status = packed_file_flush(diag, &w->file);
    }
    trace_cursor_clear(&cursor);
    return status;
}

static ws_status put_block(struct diag *diag, struct writer *w, const struct trace_block *block)
{
    const uint32_t *grid = w->trace->head.grid;
    uint64_t index = block->index;
    if (!block->step_count) return WS_OK;
    strbuf_printf(&w->file.pending, "#BEGIN_TB\n\nthread block = %llu,%llu,%llu\n",
                  (unsigned long long)(index % grid[0]),
                  (unsigned long long)(index / grid[0] % grid[1]),
                  (unsigned long long)(index / grid[0] / grid[1]));
    for (uint32_t i = 0; i < w->trace->head.warps_per_block; i++)
        TRY(put_warp(diag, w, block, i));
    strbuf_puts(&w->file.pending, "\n#END_TB\n\n");
    return WS_OK;
}

static void name_opcodes(struct writer *w)
{
    const struct trace *trace = w->trace;
    w->opcodes = ARENA_ARRAY(&w->arena, const char *, trace->insn_count + 1u);
    for (uint32_t i = 0; i < trace->insn_count; i++) {
        const struct trace_insn *insn = &trace->insns[i];
        w->opcodes[i] = w->is_native ? insn->op : name_insn(&w->arena, insn);
        w->has_lines |= insn->source_line != 0;
    }
}

static ws_status write_trace(struct diag *diag, const struct profile *profile, const char *path)
{
    struct writer w = {
        .profile = profile, .trace = profile->trace, .is_native = profile_is_native(profile)};
    TRY(packed_file_open(diag, path, &w.file));
    name_opcodes(&w);
    put_header(&w);
    ws_status status = WS_OK;
    for (uint32_t i = 0; i < w.trace->block_count && status == WS_OK; i++)
        status = put_block(diag, &w, &w.trace->blocks[i]);
    if (status == WS_OK)
        status = packed_file_close(diag, &w.file);
    else
        packed_file_discard(&w.file);
    arena_clear(&w.arena);
    return status;
}

ws_status traceg_write(struct diag *diag, const struct profile *profile, const char *path)
{
    static const char name[] = "kernel-1.traceg", line[] = "kernel-1.traceg\n";
    if (profile->trace->head.view != ISA_VIEW_NONE)
        return diag_error(diag, WS_ERR_UNSUPPORTED,
                          "%s: Accel-Sim's format does not support views of instructions: "
                          "use --isa-view ptx or save under another name",
                          path);
    if (!ends_with(path, "kernelslist.g")) return write_trace(diag, profile, path);
    struct arena arena = {0};
    int folder = (int)(strlen(path) - strlen("kernelslist.g"));
    ws_status status =
        write_trace(diag, profile, arena_format(&arena, "%.*s%s", folder, path, name));
    if (status == WS_OK) status = text_write_file(diag, path, line, sizeof line - 1);
    arena_clear(&arena);
    return status;
}
