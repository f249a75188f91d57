// SPDX-License-Identifier: Apache-2.0
/* .nv.info and .nv.info.KERNEL: attributes of functions, one after the other:
 *
 *     u8 format, u8 attribute, u16 value         formats 1 (none), 2 (a byte), 3 (a half word)
 *     u8 format, u8 attribute, u16 bytes, ...    format 4
 *
 * Names and layouts: what cuobjdump -elf prints of files made for PTX that asks for the feature. Attributes
 * without a row here tell the driver of things that execution does not depend on (offsets of the
 * instructions that a debugger or the loader patches, masks of tensor instructions, versions). */
#include <string.h>

#include "decode/native/cubin_reader.h"

enum { FORMAT_NONE = 1, FORMAT_BYTE, FORMAT_HALF, FORMAT_SIZED };
enum attribute {
    MAX_THREADS = 0x05,    /* u32 x, y, z */
    PARAM_CBANK = 0x0a,    /* u32 symbol, u16 offset, u16 bytes */
    REQNTID = 0x10,        /* u32 x, y, z */
    FRAME_SIZE = 0x11,     /* u32 symbol, u32 bytes */
    MIN_STACK_SIZE = 0x12, /* u32 symbol, u32 bytes */
    KPARAM_INFO = 0x17,    /* u32, u16 ordinal, u16 offset, u32: bytes from bit 18 on */
    CBANK_PARAM_SIZE = 0x19,
    MAXREG_COUNT = 0x1b,
    EXIT_INSTR_OFFSETS = 0x1c,      /* u32 each */
    MAX_STACK_SIZE = 0x23,          /* u32 symbol, u32 bytes */
    REGCOUNT = 0x2f,                /* u32 symbol, u32 registers */
    INDIRECT_BRANCH_TARGETS = 0x34, /* u32 offset, u32, u32 count, u32 targets; again and again */
    CTA_PER_CLUSTER = 0x3d,         /* u32 x, y, z */
    EXPLICIT_CLUSTER = 0x3e,
    MAX_CLUSTER_RANK = 0x3f, /* u32 */
    KPARAM_INFO_V2 = 0x45,   /* u32, u16 ordinal, u16 offset, u16 bytes, u16; more than 4 KiB */
    NUM_BARRIERS = 0x4c,
};

struct attribute_value {
    unsigned code;
    uint64_t value; /* formats 2 and 3 */
    const uint8_t *bytes;
    uint64_t size; /* format 4 */
    const char *section;
};

typedef ws_status visit_fn(struct cubin_reader *r, struct cubin_function *function,
                           const struct attribute_value *one);

static ws_status short_value(struct cubin_reader *r, const struct attribute_value *one)
{
    return cubin_damaged(r, "section %s: attribute 0x%x has %llu bytes", one->section, one->code,
                         (unsigned long long)one->size);
}

static ws_status visit(struct cubin_reader *r, const struct elf_part *part,
                       struct cubin_function *function, visit_fn *fn)
{
    const uint8_t *at = part->bytes, *end = at ? at + part->size : NULL;
    while (end - at >= 4) {
        struct attribute_value one = {.code = at[1], .section = part->name};
        unsigned format = at[0];
        uint64_t value = cubin_number(at + 2, 2);
        if (format < FORMAT_NONE || format > FORMAT_SIZED)
            return cubin_damaged(r, "section %s: format %u of attribute 0x%x", part->name, format,
                                 one.code);
        at += 4;
        if (format == FORMAT_SIZED) {
            if ((uint64_t)(end - at) < value)
                return cubin_damaged(r, "section %s: attribute 0x%x ends beyond the section",
                                     part->name, one.code);
            one.bytes = at;
            one.size = value;
            at += value;
        } else {
            one.value = format == FORMAT_BYTE ? value & 0xff : value;
        }
        TRY(fn(r, function, &one));
    }
    return WS_OK;
}

/* ---- of the module --------------------------------------------------------------------------- */

/* The function that a number belongs to; NULL: of no interest. */
static ws_status read_pair(struct cubin_reader *r, const struct attribute_value *one,
                           struct cubin_function **out, uint64_t *out_value)
{
    if (one->size < 8) return short_value(r, one);
    uint64_t symbol = cubin_number(one->bytes, 4);
    if (symbol >= r->cubin->symbol_count)
        return cubin_damaged(r, "section %s: attribute 0x%x names symbol %llu of %u", one->section,
                             one->code, (unsigned long long)symbol, r->cubin->symbol_count);
    int32_t function = r->function_of[symbol];
    *out = function >= 0 ? &r->cubin->functions[function] : NULL;
    *out_value = cubin_number(one->bytes + 4, 4);
    return WS_OK;
}

static ws_status visit_module(struct cubin_reader *r, struct cubin_function *none,
                              const struct attribute_value *one)
{
    (void)none;
    bool is_wanted = one->code == REGCOUNT || one->code == FRAME_SIZE ||
                     one->code == MIN_STACK_SIZE || one->code == MAX_STACK_SIZE;
    struct cubin_function *function = NULL;
    uint64_t value = 0;
    if (!is_wanted) return WS_OK;
    TRY(read_pair(r, one, &function, &value));
    if (!function) return WS_OK;
    if (one->code == REGCOUNT) {
        if (value > 255)
            return cubin_damaged(r, "function %s has %llu registers", function->name,
                                 (unsigned long long)value);
        function->registers = (unsigned)value;
    } else if (one->code == FRAME_SIZE) {
        function->frame_bytes = value;
    } else if (value == UINT32_MAX) { /* recursion: no bound */
        return WS_OK;
    } else if (one->code == MIN_STACK_SIZE) {
        function->stack_bytes = value;
    } else {
        function->max_stack_bytes = value;
    }
    return WS_OK;
}

/* ---- of a function --------------------------------------------------------------------------- */

static ws_status read_triple(struct cubin_reader *r, const struct attribute_value *one,
                             uint32_t out[3])
{
    if (one->size < 12) return short_value(r, one);
    for (unsigned i = 0; i < 3; i++)
        out[i] = (uint32_t)cubin_number(one->bytes + 4 * i, 4);
    return WS_OK;
}

static ws_status count_parameter(struct cubin_reader *r, struct cubin_function *function,
                                 const struct attribute_value *one)
{
    if (one->code != KPARAM_INFO && one->code != KPARAM_INFO_V2) return WS_OK;
    if (one->size < 12) return short_value(r, one);
    function->parameter_count++;
    return WS_OK;
}

/* Those of a function come from the last to the first, but each tells its ordinal. */
static ws_status read_parameter(struct cubin_reader *r, struct cubin_function *function,
                                const struct attribute_value *one)
{
    uint64_t ordinal = cubin_number(one->bytes + 4, 2);
    if (ordinal >= function->parameter_count)
        return cubin_damaged(r, "parameter %llu of %s, which has %u", (unsigned long long)ordinal,
                             function->name, function->parameter_count);
    function->parameters[ordinal] = (struct cubin_parameter){
        .ordinal = (uint32_t)ordinal,
        .offset = (uint32_t)cubin_number(one->bytes + 6, 2),
        .size = (uint32_t)(one->code == KPARAM_INFO ? cubin_number(one->bytes + 8, 4) >> 18
                                                    : cubin_number(one->bytes + 8, 2)),
    };
    return WS_OK;
}

static ws_status read_bank(struct cubin_reader *r, struct cubin_function *function,
                           const struct attribute_value *one)
{
    if (one->size < 8) return short_value(r, one);
    function->parameter_offset = (unsigned)cubin_number(one->bytes + 4, 2);
    function->parameter_bytes = (unsigned)cubin_number(one->bytes + 6, 2);
    return WS_OK;
}

static const uint32_t *copy_offsets(struct cubin_reader *r, const struct attribute_value *one,
                                    uint32_t *out_count)
{
    *out_count = (uint32_t)(one->size / 4);
    uint32_t *offsets = ARENA_ARRAY(&r->cubin->arena, uint32_t, *out_count + 1);
    for (uint32_t i = 0; i < *out_count; i++)
        offsets[i] = (uint32_t)cubin_number(one->bytes + 4 * i, 4);
    return offsets;
}

static ws_status read_branches(struct cubin_reader *r, struct cubin_function *function,
                               const struct attribute_value *one)
{
    uint32_t words, branch_count = 0, target_count = 0;
    const uint32_t *word = copy_offsets(r, one, &words);
    struct cubin_branch *branches = ARENA_ARRAY(&r->cubin->arena, struct cubin_branch, words + 1);
    uint32_t *targets = ARENA_ARRAY(&r->cubin->arena, uint32_t, words + 1);
    for (uint32_t at = 0; at < words;) {
        if (words - at < 3 || words - at - 3 < word[at + 2]) return short_value(r, one);
        branches[branch_count++] =
            (struct cubin_branch){.offset = word[at], .first = target_count, .count = word[at + 2]};
        for (uint32_t i = 0; i < word[at + 2]; i++)
            targets[target_count++] = word[at + 3 + i];
        at += 3 + word[at + 2];
    }
    function->branch_count = branch_count;
    function->branch_target_count = target_count;
    function->branches = branches;
    function->branch_targets = targets;
    return WS_OK;
}

static ws_status visit_function(struct cubin_reader *r, struct cubin_function *function,
                                const struct attribute_value *one)
{
    switch (one->code) {
    case MAX_THREADS:
        return read_triple(r, one, function->max_threads);
    case REQNTID:
        return read_triple(r, one, function->required_threads);
    case CTA_PER_CLUSTER:
        return read_triple(r, one, function->cluster);
    case MAX_CLUSTER_RANK:
        if (one->size < 4) return short_value(r, one);
        function->max_cluster_rank = (uint32_t)cubin_number(one->bytes, 4);
        break;
    case EXPLICIT_CLUSTER:
        function->is_clustered = true;
        break;
    case PARAM_CBANK:
        return read_bank(r, function, one);
    case KPARAM_INFO:
    case KPARAM_INFO_V2:
        return read_parameter(r, function, one);
    case CBANK_PARAM_SIZE:
        function->parameter_bytes = (unsigned)one->value;
        break;
    case MAXREG_COUNT:
        function->max_registers = (unsigned)one->value;
        break;
    case NUM_BARRIERS:
        function->barriers = (unsigned)one->value;
        break;
    case EXIT_INSTR_OFFSETS:
        function->exits = copy_offsets(r, one, &function->exit_count);
        break;
    case INDIRECT_BRANCH_TARGETS:
        return read_branches(r, function, one);
    default:
        break;
    }
    return WS_OK;
}

/* ---- what attributes say must fit the sections ---------------------------------------------- */

static ws_status check_offsets(struct cubin_reader *r, const struct cubin_function *function,
                               const uint32_t *offsets, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (offsets[i] % NATIVE_WORD_BYTES ||
            offsets[i] >= r->cubin->sections[function->section].size)
            return cubin_damaged(r, "%s: attributes name an instruction at 0x%x", function->name,
                                 offsets[i]);
    return WS_OK;
}

static ws_status check_function(struct cubin_reader *r, const struct cubin_function *function)
{
    uint64_t bank =
        function->constant0_section < 0 ? 0 : r->cubin->sections[function->constant0_section].size;
    uint64_t end = (uint64_t)function->parameter_offset + function->parameter_bytes;
    if (function->parameter_bytes && end > bank)
        return cubin_damaged(r,
                             "%s: parameters end at 0x%llx of constant bank 0, which has 0x%llx "
                             "bytes",
                             function->name, (unsigned long long)end, (unsigned long long)bank);
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        const struct cubin_parameter *one = &function->parameters[i];
        if ((uint64_t)one->offset + one->size > function->parameter_bytes)
            return cubin_damaged(r, "%s: parameter %u ends at byte %u of %u", function->name, i,
                                 one->offset + one->size, function->parameter_bytes);
    }
    TRY(check_offsets(r, function, function->exits, function->exit_count));
    TRY(check_offsets(r, function, function->branch_targets, function->branch_target_count));
    for (uint32_t i = 0; i < function->branch_count; i++)
        TRY(check_offsets(r, function, &function->branches[i].offset, 1));
    return WS_OK;
}

static ws_status read_function(struct cubin_reader *r, const struct elf_part *part)
{
    uint32_t code = part->header.sh_info;
    int32_t item = code && code < r->part_count ? r->parts[code].item : -1;
    if (item < 0 || r->cubin->sections[item].kind != CUBIN_CODE)
        return cubin_damaged(r, "section %s belongs to section %u, which is not code", part->name,
                             code);
    if (r->cubin->sections[item].owner < 0) return WS_OK;
    struct cubin_function *function = &r->cubin->functions[r->cubin->sections[item].owner];
    if (function->parameters) return cubin_damaged(r, "two sections %s", part->name);
    TRY(visit(r, part, function, count_parameter));
    function->parameters =
        ARENA_ARRAY(&r->cubin->arena, struct cubin_parameter, function->parameter_count + 1);
    TRY(visit(r, part, function, visit_function));
    return check_function(r, function);
}

/* What the section says once holds for all functions in it. */
static void share(struct cubin *cubin, struct cubin_function *function)
{
    int32_t owner = cubin->sections[function->section].owner;
    if (owner < 0 || &cubin->functions[owner] == function) return;
    if (!function->registers) function->registers = cubin->functions[owner].registers;
    function->max_registers = cubin->functions[owner].max_registers;
    function->barriers = cubin->functions[owner].barriers;
}

ws_status cubin_read_info(struct cubin_reader *r)
{
    const struct elf_part *module = cubin_part(r, ".nv.info");
    if (!module && r->cubin->function_count) return cubin_damaged(r, "section .nv.info is missing");
    if (module) TRY(visit(r, module, NULL, visit_module));
    for (size_t i = 1; i < r->part_count; i++)
        if (cubin_name_begins(r->parts[i].name, ".nv.info.")) TRY(read_function(r, &r->parts[i]));
    for (uint32_t i = 0; i < r->cubin->function_count; i++)
        share(r->cubin, &r->cubin->functions[i]);
    for (uint32_t i = 0; i < r->cubin->entry_count; i++)
        if (!r->cubin->functions[i].registers)
            return cubin_damaged(r, "kernel %s: no count of registers in .nv.info",
                                 r->cubin->functions[i].name);
    return WS_OK;
}
