// SPDX-License-Identifier: Apache-2.0
/* Collects findings: one for each code and pair of places. */
#include "check/findings.h"

#include <string.h>

#include "base/strbuf.h"
#include "check/code_frames.h"
#include "check/race_tool.h"
#include "check/streams.h"

const struct check_code_info check_codes[CHECK_CODE_COUNT] = {
#define CODE(name, id, tool, grade, title, advice)                                                 \
    {#name, id, CHECK_##tool, GRADE_##grade, title, advice},
#include "emulate/check_codes.def"
#undef CODE
};

const char *check_tool_name(enum check_tool tool)
{
    return tool == CHECK_MEMORY ? "memory"
           : tool == CHECK_INIT ? "init"
           : tool == CHECK_RACE ? "race"
                                : "sync";
}

const char *check_grade_name(enum check_grade grade)
{
    return grade == GRADE_ERROR ? "error" : grade == GRADE_WARNING ? "warning" : "note";
}

enum check_code check_code_find(const char *id)
{
    unsigned code = 0;
    while (code < CHECK_CODE_COUNT && strcmp(check_codes[code].id, id) != 0)
        code++;
    return (enum check_code)code;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* FNV-1a. */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return text ? hash_bytes(hash, text, strlen(text) + 1) : hash_bytes(hash, "", 1);
}

/* The source line says which place it is; without one the line of the module does. */
static uint64_t hash_side(uint64_t hash, const struct check_side *side)
{
    bool has_source = side->source_file && side->source_line;
    uint32_t line = has_source ? side->source_line : side->module_line;
    hash = hash_text(hash, side->kernel);
    hash = hash_text(hash, has_source ? side->source_file : side->module_file);
    if (side->insn) hash = code_frames_hash(side->module, side->insn, hash);
    return hash_bytes(hash, &line, sizeof line);
}

static uint64_t hash_finding(const struct check_finding *finding)
{
    uint32_t kind[2] = {finding->code, finding->grade};
    uint64_t hash = hash_bytes(UINT64_C(0xcbf29ce484222325), kind, sizeof kind);
    hash = hash_side(hash, &finding->here);
    if (finding->has_other) hash = hash_side(hash, &finding->other);
    hash = hash_text(hash, finding->host);
    return hash ? hash : 1;
}

static void split_index(uint64_t index, const uint32_t *sizes, uint32_t *out)
{
    out[0] = (uint32_t)(index % sizes[0]);
    out[1] = (uint32_t)(index / sizes[0] % sizes[1]);
    out[2] = (uint32_t)(index / sizes[0] / sizes[1]);
}

/* Outside of launches it is the host's. */
static struct check_side side_of(const struct launch_view *launch, const struct check_place *place)
{
    if (!launch) return (struct check_side){0};
    const struct module *module = launch->module;
    struct check_side side = {.kernel = module->functions[launch->entry].display_name,
                              .module_file = module->path,
                              .has_thread = true,
                              .warp = place->warp,
                              .lane = place->lane};
    split_index(place->block, launch->grid, side.block);
    split_index(place->warp * 32u + place->lane, launch->block, side.thread);
    if (!place->insn) return side;
    side.module_line = place->insn->line;
    side.instruction = place->insn->text;
    side.module = module;
    side.insn = place->insn;
    code_frames_place(module, place->insn, &side);
    return side;
}

static struct check_side side_of_site(const struct check_site *site)
{
    return (struct check_side){.kernel = site->kernel,
                               .source_file = site->source_file,
                               .source_line = site->source_line,
                               .module_file = site->module_file,
                               .module_line = site->module_line};
}

/* ---- keeping --------------------------------------------------------------------------------- */

static const char *keep_text(struct findings *findings, const char *text)
{
    return text ? arena_copy(&findings->arena, text) : NULL;
}

static void keep_side(struct findings *findings, struct check_side *side)
{
    side->kernel = keep_text(findings, side->kernel);
    side->source_file = keep_text(findings, side->source_file);
    side->module_file = keep_text(findings, side->module_file);
    side->instruction = keep_text(findings, side->instruction);
    if (!side->insn) return;
    side->action = code_action(&findings->arena, side->insn);
    code_frames_list(&findings->arena, side->module, side->insn, &side->frames);
    side->module = NULL;
    side->insn = NULL;
}

static const char *ask_host(struct findings *findings, enum finding_host what, uint64_t address)
{
    return findings->host ? keep_text(findings, findings->host(findings->host_user, what, address))
                          : NULL;
}

static void keep_stacks(struct findings *findings, struct check_finding *kept,
                        const struct check_finding *found)
{
    kept->host =
        found->host ? keep_text(findings, found->host) : ask_host(findings, FINDING_HOST_CALL, 0);
    if (!found->allocation) return;
    kept->allocated = ask_host(findings, FINDING_HOST_ALLOCATED, found->allocation);
    if (found->is_freed) kept->freed = ask_host(findings, FINDING_HOST_FREED, found->allocation);
}

struct place_entry {
    uint64_t key;
    struct check_finding *finding;
};

/* Findings are many times as many as their places: the first of each place is kept, and of each grade so many that
 * notes leave room for errors. */
static void add(struct findings *findings, const struct check_finding *found)
{
    uint64_t key = hash_finding(found);
    findings->changes++;
    struct place_entry *entry = hash_table_find(&findings->by_place, key, sizeof *entry);
    if (entry) {
        if (entry->finding) entry->finding->count++;
        return;
    }
    entry = hash_table_add(&findings->by_place, key, sizeof *entry);
    mem_keep(findings->by_place.entries);
    if (findings->count_of[found->grade] == FINDINGS_MOST) {
        findings->left_out++;
        return;
    }
    findings->count_of[found->grade]++;
    struct check_finding *kept = arena_zalloc(&findings->arena, 1, sizeof *kept);
    *kept = *found;
    kept->count = 1;
    keep_side(findings, &kept->here);
    keep_side(findings, &kept->other);
    kept->memory = keep_text(findings, found->memory);
    kept->detail = keep_text(findings, found->detail);
    keep_stacks(findings, kept, found);
    arena_keep(&findings->arena);
    GROW(findings->items, findings->count, findings->room);
    mem_keep(findings->items);
    entry->finding = kept;
    findings->items[findings->count++] = kept;
}

static struct check_finding finding_of(const struct findings *findings,
                                       const struct check_report *report)
{
    return (struct check_finding){
        .code = report->code,
        .grade = report->grade ? (enum check_grade)report->grade : check_codes[report->code].grade,
        .has_other = report->has_other,
        .has_address = report->has_address,
        .launch = findings->launch ? findings->launches : 0,
        .address = report->address,
        .bytes = report->bytes,
        .space = report->space,
        .memory = report->memory,
        .allocation = report->allocation,
        .is_freed = report->is_freed,
        .detail = report->detail,
    };
}

static void report(void *self, const struct check_report *report)
{
    struct findings *findings = self;
    if (!(check_codes[report->code].tool & findings->checker.tools)) return;
    struct check_finding found = finding_of(findings, report);
    found.here =
        report->site ? side_of_site(report->site) : side_of(findings->launch, &report->here);
    if (report->has_other) found.other = side_of(findings->launch, &report->other);
    found.here.has_value = found.other.has_value = report->has_values;
    found.here.value = report->value;
    found.other.value = report->other_value;
    add(findings, &found);
}

/* Each text once, in memory that outlives the call. */
static bool add_once(struct findings *findings, const char ***list, size_t *count, size_t *room,
                     const char *text)
{
    for (size_t i = 0; i < *count; i++)
        if (!strcmp((*list)[i], text)) return false;
    const char *kept = arena_copy(&findings->arena, text);
    arena_keep(&findings->arena);
    GROW(*list, *count, *room);
    mem_keep((void *)(uintptr_t)*list);
    (*list)[(*count)++] = kept;
    return true;
}

static void launch_begin(void *self, const struct launch_view *launch)
{
    struct findings *findings = self;
    add_once(findings, &findings->kernels, &findings->kernel_count, &findings->kernel_room,
             launch->module->functions[launch->entry].display_name);
    findings->launch = launch;
    findings->launches++;
    findings->changes++;
    if (findings->race) race_launch_begin(findings->race, launch);
    if (findings->streams) streams_launch_begin(findings->streams, launch);
}

static void launch_end(void *self)
{
    struct findings *findings = self;
    if (findings->race) race_launch_end(findings->race);
    findings->launch = NULL;
}

static void note(void *self, const char *text)
{
    findings_note(self, text);
}

static const struct checker_ops ops = {
    .launch_begin = launch_begin, .launch_end = launch_end, .report = report, .note = note};

void findings_add_host(struct findings *findings, const struct check_report *report,
                       const char *host)
{
    struct check_finding found = finding_of(findings, report);
    found.host = host;
    add(findings, &found);
}

void findings_note(struct findings *findings, const char *text)
{
    findings->changes +=
        add_once(findings, &findings->notes, &findings->note_count, &findings->note_room, text);
}

void findings_unchecked(struct findings *findings, const char *kernel, const char *why)
{
    struct strbuf text = {0};
    findings->unchecked_launches++;
    findings->changes++;
    if (!add_once(findings, &findings->unchecked, &findings->unchecked_count,
                  &findings->unchecked_room, kernel))
        return;
    strbuf_printf(&text, "Kernel %s was not executed, so it was not checked: %s", kernel, why);
    findings_note(findings, text.data);
    strbuf_clear(&text);
}

struct findings *findings_create(unsigned tools)
{
    struct findings *findings = mem_zalloc(1, sizeof *findings);
    findings->checker = (struct checker){.ops = &ops, .self = findings, .tools = tools};
    if (tools & CHECK_RACE) {
        findings->race = race_create(findings);
        findings->streams = streams_create(findings);
        findings->checker.order = &race_ops;
        findings->checker.order_self = findings->race;
    }
    return findings;
}

void findings_ask_host(struct findings *findings, finding_host_fn *host, void *user)
{
    findings->host = host;
    findings->host_user = user;
}

void findings_forget(struct findings *findings)
{
    hash_table_clear(&findings->by_place);
    findings->count = findings->note_count = findings->unchecked_count = 0;
    findings->left_out = 0;
    memset(findings->count_of, 0, sizeof findings->count_of);
    findings->launches = findings->unchecked_launches = 0;
    findings->changes++;
    arena_clear(&findings->arena);
}

void findings_destroy(struct findings *findings)
{
    if (!findings) return;
    race_destroy(findings->race);
    streams_destroy(findings->streams);
    hash_table_clear(&findings->by_place);
    mem_free(findings->items);
    mem_free((void *)(uintptr_t)findings->notes);
    mem_free((void *)(uintptr_t)findings->kernels);
    mem_free((void *)(uintptr_t)findings->unchecked);
    arena_clear(&findings->arena);
    mem_free(findings);
}
