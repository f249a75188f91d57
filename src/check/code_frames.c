// SPDX-License-Identifier: Apache-2.0
#include "check/code_frames.h"

#include <string.h>

static const struct code_place *place_at(const struct module *module, uint32_t index)
{
    return index && index < module->place_count ? &module->places[index] : NULL;
}

/* What was inlined at it; NULL: nothing further. Callers come earlier, so this ends. */
static const struct code_place *next_place(const struct module *module,
                                           const struct code_place *place)
{
    return place_at(module, place->caller);
}

static const char *file_of(const struct module *module, const struct code_place *place)
{
    return place->file < module->file_count ? module->files[place->file] : "";
}

/* By its name: what compilers are not given to compile. */
static bool is_header(const char *file)
{
    static const char *const ends[] = {".h", ".hh", ".hpp", ".hxx", ".h++", ".cuh", ".inl"};
    const char *dot = strrchr(file, '.');
    for (size_t i = 0; dot && i < sizeof ends / sizeof *ends; i++)
        if (!strcmp(dot, ends[i])) return true;
    return !dot || strchr(dot, '/'); /* as <vector> */
}

void code_frames_place(const struct module *module, const struct insn *insn,
                       struct check_side *side)
{
    const struct code_place *at = place_at(module, insn->place), *first = at;
    while (at && (!at->line || is_header(file_of(module, at))))
        at = next_place(module, at);
    if (!at) at = first;
    if (at && at->line) {
        side->source_file = file_of(module, at);
        side->source_line = at->line;
    } else if (insn->source_line && insn->source_file < module->file_count) {
        side->source_file = module->files[insn->source_file];
        side->source_line = insn->source_line;
    }
}

uint64_t code_frames_hash(const struct module *module, const struct insn *insn, uint64_t hash)
{
    const struct code_place *at = place_at(module, insn->place);
    for (; at; at = next_place(module, at))
        hash = (hash ^ ((uint64_t)at->file << 32 ^ at->line)) * UINT64_C(0x100000001b3);
    return hash;
}

/* The function whose code it is. */
static const char *function_of(const struct module *module, const struct insn *insn)
{
    for (uint32_t i = 0; i < module->function_count; i++) {
        const struct function *function = &module->functions[i];
        if (insn >= function->insns && insn < function->insns + function->insn_count)
            return function->display_name;
    }
    return NULL;
}

void code_frames_list(struct arena *arena, const struct module *module, const struct insn *insn,
                      struct finding_frames *out)
{
    const struct code_place *at = place_at(module, insn->place);
    const char *whole = function_of(module, insn);
    *out = (struct finding_frames){0};
    if (!at || !at->line) return;
    out->items = ARENA_ARRAY(arena, struct finding_frame, FINDING_FRAMES_MOST);
    for (; at && out->count < FINDING_FRAMES_MOST; at = next_place(module, at)) {
        const char *function = at->function ? demangle_kernel(arena, at->function) : NULL;
        if (!at->caller && whole) function = arena_copy(arena, whole);
        out->items[out->count] =
            (struct finding_frame){.number = out->count + 1,
                                   .function = function,
                                   .file = arena_copy(arena, file_of(module, at)),
                                   .line = at->line,
                                   .column = at->column};
        out->count++;
    }
}

const char *code_action(struct arena *arena, const struct insn *insn)
{
    unsigned bytes = insn_access_bytes(insn);
    switch (op_infos[insn->op].family) {
    case FAMILY_LOAD:
        return arena_format(arena, "read of %u byte%s", bytes, bytes == 1 ? "" : "s");
    case FAMILY_STORE:
        return arena_format(arena, "write of %u byte%s", bytes, bytes == 1 ? "" : "s");
    case FAMILY_ATOMIC:
        return arena_format(arena, "atomic operation on %u byte%s", bytes, bytes == 1 ? "" : "s");
    case FAMILY_BARRIER:
        return "barrier";
    case FAMILY_SHUFFLE:
        return "shuffle";
    case FAMILY_VOTE:
        return "vote";
    default:
        return NULL;
    }
}
