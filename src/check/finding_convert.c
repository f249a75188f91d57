// SPDX-License-Identifier: Apache-2.0
/* Findings of this process as words. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "check/finding.h"
#include "check/findings.h"

static const char *hexadecimal(struct arena *arena, uint64_t value)
{
    return arena_format(arena, "0x%" PRIx64, value);
}

static void copy_triple(uint64_t out[3], const uint32_t from[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = from[i];
}

static struct finding_side side_of(struct arena *arena, const struct check_finding *finding,
                                   const struct check_side *side)
{
    struct finding_side out = {
        .action = side->action,
        .kernel = side->kernel,
        .frames = side->frames,
        .launch = finding->launch,
        .file = side->source_file,
        .line = side->source_line,
        .instruction = side->instruction,
        .ptx_line = side->module_line,
        .has_thread = side->has_thread,
        .warp = side->warp,
        .lane = side->lane,
        .value = side->has_value ? hexadecimal(arena, side->value) : NULL,
    };
    copy_triple(out.block, side->block);
    copy_triple(out.thread, side->thread);
    return out;
}

/* "FUNCTION at FILE:LINE", or what of it is known. */
static struct finding_frame frame_of(struct arena *arena, char *text, uint64_t number)
{
    struct finding_frame frame = {.number = number};
    char *at = strstr(text, " at "), *colon = at ? strrchr(at, ':') : NULL;
    if (at) {
        if (colon && text_to_u64(colon + 1, &frame.line)) *colon = '\0';
        frame.file = arena_copy(arena, at + strlen(" at "));
        *at = '\0';
    }
    if (*text) frame.function = arena_copy(arena, text);
    return frame;
}

/* A frame a line. */
static struct finding_frames frames_of(struct arena *arena, const char *stack)
{
    struct finding_frames out = {NULL, 0};
    if (!stack) return out;
    char *rest = arena_copy(arena, stack);
    out.items = ARENA_ARRAY(arena, struct finding_frame, FINDING_FRAMES_MOST);
    for (char *line; out.count < FINDING_FRAMES_MOST && (line = strsep(&rest, "\n")) != NULL;) {
        if (!*line) continue;
        out.items[out.count] = frame_of(arena, line, out.count + 1);
        out.count++;
    }
    return out;
}

static struct finding_words words_of(struct arena *arena, const struct check_finding *finding)
{
    const struct check_code_info *info = &check_codes[finding->code];
    struct finding_words out = {
        .code = info->id,
        .tool = check_tool_name(info->tool),
        .grade = check_grade_name(finding->grade),
        .title = info->title,
        .message = finding->detail,
        .advice = info->advice,
        .count = finding->count,
        .bytes = finding->bytes,
        .has_here = finding->here.kernel != NULL,
        .has_other = finding->has_other,
        .has_memory = finding->memory != NULL || finding->allocated != NULL,
        .memory = {.name = finding->memory,
                   .created = frames_of(arena, finding->allocated),
                   .freed = frames_of(arena, finding->freed)},
        .host = frames_of(arena, finding->host),
    };
    /* Where the host has its memory is another place in every run. */
    bool has_address = finding->has_address && finding->code != CHECK_CODE_HOST_POINTER;
    if (has_address) out.address = hexadecimal(arena, finding->address);
    if (finding->has_address && finding->space < SPACE_COUNT && finding->space != SPACE_NONE)
        out.space = space_names[finding->space];
    if (out.has_here) out.here = side_of(arena, finding, &finding->here);
    if (out.has_other) out.other = side_of(arena, finding, &finding->other);
    return out;
}

static const char *tools_of(struct arena *arena, unsigned tools)
{
    const char *text = "";
    for (unsigned tool = CHECK_MEMORY; tool <= CHECK_SYNC; tool <<= 1)
        if (tools & tool)
            text = arena_format(arena, "%s%s%s", text, *text ? "," : "",
                                check_tool_name((enum check_tool)tool));
    return text;
}

void finding_list_of(struct arena *arena, const struct findings *findings, struct finding_list *out)
{
    size_t kept = findings->count;
    *out = (struct finding_list){.items = mem_zalloc(kept + 1, sizeof *out->items),
                                 .count = kept,
                                 .room = kept,
                                 .tools = tools_of(arena, findings->checker.tools),
                                 .launches = findings->launches,
                                 .unchecked_launches = findings->unchecked_launches,
                                 .left_out = findings->left_out};
    for (size_t i = 0; i < kept; i++)
        out->items[i] = words_of(arena, findings->items[i]);
    for (size_t i = 0; i < findings->kernel_count; i++)
        finding_list_kernel(out, findings->kernels[i]);
    for (size_t i = 0; i < findings->unchecked_count; i++)
        finding_list_unchecked(out, findings->unchecked[i]);
    for (size_t i = 0; i < findings->note_count; i++)
        finding_list_note(out, findings->notes[i]);
}
