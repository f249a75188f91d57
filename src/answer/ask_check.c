// SPDX-License-Identifier: Apache-2.0
/* check: what was found wrong in a program, from the files that its processes left (check/finding.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/check_answer.h"
#include "answer/question.h"
#include "base/source_files.h"
#include "base/text.h"
#include "check/check_names.h"
#include "check/suppression.h"

#define FIGURE_FILE "answer/figures/check.def"
#include "base/figure_tables.h"

struct asking_check {
    const struct asked *asked;
    struct arena *arena;
    struct check_answer *answer;
    struct suppressions rules;
    struct source_files sources;
    const char *folder; /* where sources are looked for first */
    size_t note_room, kernel_room;
};

/* ---- reading --------------------------------------------------------------------------------- */

/* Is it the same place, for the same reason? Processes may find the same. */
static bool same_word(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool same_frames(const struct finding_frames *a, const struct finding_frames *b)
{
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->items[i].line != b->items[i].line ||
            !same_word(a->items[i].file, b->items[i].file) ||
            !same_word(a->items[i].function, b->items[i].function))
            return false;
    return true;
}

static bool same_side(const struct finding_side *a, const struct finding_side *b)
{
    bool has_source = a->file && a->line;
    return same_word(a->kernel, b->kernel) && same_word(a->file, b->file) && a->line == b->line &&
           (has_source || a->ptx_line == b->ptx_line) && same_frames(&a->frames, &b->frames);
}

static bool is_same(const struct finding_words *a, const struct finding_words *b)
{
    return !strcmp(a->code, b->code) && !strcmp(a->grade, b->grade) && a->has_here == b->has_here &&
           a->has_other == b->has_other && same_side(&a->here, &b->here) &&
           same_side(&a->other, &b->other) && same_frames(&a->host, &b->host) &&
           (a->has_here || same_word(a->message, b->message));
}

/* Of several processes, each finding once. */
static void merge(struct finding_list *all, size_t kept)
{
    for (size_t i = kept; i < all->count; i++) {
        size_t k = 0;
        while (k < kept && !is_same(&all->items[k], &all->items[i]))
            k++;
        if (k < kept)
            all->items[k].count += all->items[i].count;
        else
            all->items[kept++] = all->items[i];
    }
    all->count = kept;
}

static ws_status load_file(struct asking_check *a, const char *path)
{
    struct finding_list *all = &a->answer->all;
    size_t first = all->count;
    TRY(finding_list_load(a->asked->diag, a->arena, path, all));
    merge(all, first);
    return WS_OK;
}

static ws_status load_findings(struct asking_check *a)
{
    const char *session = asked_word(a->asked, "session");
    size_t count;
    const char *const *paths = asked_words(a->asked, "findings", &count);
    if (asked_flag(a->asked, "without_findings")) return WS_OK;
    if (!session && !count)
        return diag_error(a->asked->diag, WS_ERR_ARGUMENT,
                          "'check' requires the folder of a session, or files of findings");
    for (size_t i = 0; i < count; i++)
        TRY(load_file(a, paths[i]));
    if (!session) return WS_OK;
    const char **names = NULL;
    ws_status status = run_session_files(a->asked->diag, a->arena, session, ".findings", &names);
    for (size_t i = 0; status == WS_OK && names[i]; i++)
        status = load_file(a, names[i]);
    TRY(status);
    return run_session_read(a->asked->diag, a->arena, session, NULL, false, &a->answer->session);
}

static ws_status load_rules(struct asking_check *a)
{
    size_t count;
    const char *const *paths = asked_words(a->asked, "suppressions", &count);
    for (size_t i = 0; i < count; i++)
        TRY(suppressions_load(a->asked->diag, a->arena, paths[i], &a->rules));
    return WS_OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static const char *source_of(struct asking_check *a, const char *file, uint64_t line)
{
    size_t size;
    const char *text = file && line && line <= UINT32_MAX
                           ? source_files_line(&a->sources, a->folder, file, (uint32_t)line, &size)
                           : NULL;
    return text ? arena_copy_n(a->arena, text, size) : NULL;
}

static struct check_frames frames_of(struct asking_check *a, const struct finding_frames *frames)
{
    struct check_frames out = {ARENA_ARRAY(a->arena, struct check_frame, frames->count + 1),
                               frames->count};
    for (size_t i = 0; i < frames->count; i++) {
        const struct finding_frame *frame = &frames->items[i];
        out.items[i] = (struct check_frame){.number = i + 1,
                                            .function = frame->function,
                                            .file = frame->file,
                                            .source = source_of(a, frame->file, frame->line),
                                            .line = frame->line,
                                            .column = frame->column};
    }
    return out;
}

static struct check_side_answer *side_of(struct asking_check *a, const struct finding_side *side)
{
    struct check_side_answer *out = ARENA_ARRAY(a->arena, struct check_side_answer, 1);
    *out = (struct check_side_answer){.side = side,
                                      .source = source_of(a, side->file, side->line),
                                      .frames = frames_of(a, &side->frames),
                                      .host = frames_of(a, &side->host)};
    for (size_t i = 0; i < side->frames.count && !out->column; i++) {
        const struct finding_frame *frame = &side->frames.items[i];
        if (frame->line == side->line && same_word(frame->file, side->file))
            out->column = frame->column;
    }
    return out;
}

static struct check_memory_answer *memory_of(struct asking_check *a,
                                             const struct finding_memory *memory)
{
    struct check_memory_answer *out = ARENA_ARRAY(a->arena, struct check_memory_answer, 1);
    *out = (struct check_memory_answer){.memory = memory,
                                        .created = frames_of(a, &memory->created),
                                        .freed = frames_of(a, &memory->freed)};
    return out;
}

/* The first of the frames whose line is known. */
static void take_place(struct check_row *row, const struct finding_frames *frames)
{
    for (size_t i = 0; i < frames->count && !row->file; i++) {
        if (!frames->items[i].file || !frames->items[i].line) continue;
        row->file = frames->items[i].file;
        row->line = frames->items[i].line;
    }
}

static void fill_row(struct asking_check *a, struct check_row *row)
{
    const struct finding_words *finding = row->finding;
    if (finding->has_here) row->here = side_of(a, &finding->here);
    if (finding->has_other) row->other = side_of(a, &finding->other);
    if (finding->has_memory) row->memory = memory_of(a, &finding->memory);
    row->host = frames_of(a, &finding->host);
    if (finding->has_here) {
        row->file = finding->here.file;
        row->line = finding->here.line;
        return;
    }
    take_place(row, &finding->host);
    take_place(row, &finding->memory.created);
}

static void suppress_row(struct asking_check *a, struct check_row *row)
{
    struct comment_suppression comment;
    const struct suppression *rule = suppressions_find(&a->rules, row->finding);
    if (rule) {
        row->suppressed = arena_format(a->arena, "%s:%u", rule->file_of, rule->line_of);
        row->reason = rule->reason;
    } else if (comment_suppresses(&a->sources, a->folder, a->arena, row->finding, &comment)) {
        row->suppressed = arena_format(a->arena, "comment at %s:%llu", comment.file,
                                       (unsigned long long)comment.line);
        row->reason = *comment.reason ? comment.reason : NULL;
    }
}

static int grade_of(const struct finding_words *finding)
{
    return *finding->grade == 'e' ? 0 : *finding->grade == 'w' ? 1 : 2;
}

static int compare_words(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

/* By grade, then place; what was found first comes first. */
static int compare_rows(const void *left, const void *right)
{
    const struct check_row *a = left, *b = right;
    int order = grade_of(a->finding) - grade_of(b->finding);
    if (!order) order = compare_words(a->file, b->file);
    if (!order) order = (a->line > b->line) - (a->line < b->line);
    if (!order) order = strcmp(a->finding->code, b->finding->code);
    return order ? order : (a->number > b->number) - (a->number < b->number);
}

static void add_to_sum(struct check_sum *sum, const struct check_row *row)
{
    uint64_t *const counts[] = {&sum->errors, &sum->warnings, &sum->notes};
    ++*(row->suppressed ? &sum->suppressed : counts[grade_of(row->finding)]);
}

static void make_rows(struct asking_check *a)
{
    struct check_answer *answer = a->answer;
    const struct finding_list *all = &answer->all;
    answer->rows = ARENA_ARRAY(a->arena, struct check_row, all->count + 1);
    for (size_t i = 0; i < all->count; i++) {
        struct check_row *row = &answer->rows[i];
        *row = (struct check_row){.finding = &all->items[i], .number = i + 1};
        fill_row(a, row);
        suppress_row(a, row);
        add_to_sum(&answer->total, row);
        for (size_t t = 0; t < CHECK_TOOLS; t++)
            if (!strcmp(answer->tools[t].tool, row->finding->tool))
                add_to_sum(&answer->tools[t], row);
    }
    qsort(answer->rows, all->count, sizeof *answer->rows, compare_rows);
    for (size_t i = 0; i < all->count; i++)
        answer->rows[i].number = i + 1;
}

/* ---- kernels and notes ----------------------------------------------------------------------- */

static void add_note(struct asking_check *a, const char *text)
{
    struct check_answer *answer = a->answer;
    for (size_t i = 0; i < answer->note_count; i++)
        if (!strcmp(answer->notes[i], text)) return;
    GROW(answer->notes, answer->note_count, a->note_room);
    answer->notes[answer->note_count++] = text;
}

static void add_kernel(struct asking_check *a, const char *name)
{
    struct check_answer *answer = a->answer;
    if (!name) return;
    for (size_t i = 0; i < answer->kernel_count; i++)
        if (!strcmp(answer->kernels[i], name)) return;
    GROW(answer->kernels, answer->kernel_count, a->kernel_room);
    answer->kernels[answer->kernel_count++] = name;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void list_kernels(struct asking_check *a)
{
    struct check_answer *answer = a->answer;
    for (size_t i = 0; i < answer->session.kernel_count; i++)
        add_kernel(a, answer->session.kernels[i].name);
    for (size_t i = 0; i < answer->all.kernel_count; i++)
        add_kernel(a, answer->all.kernels[i]);
    for (size_t i = 0; i < answer->all.unchecked_count; i++)
        add_kernel(a, answer->all.unchecked_kernels[i]);
    for (size_t i = 0; i < answer->all.count; i++) {
        add_kernel(a, answer->all.items[i].here.kernel);
        add_kernel(a, answer->all.items[i].other.kernel);
    }
    if (answer->kernel_count)
        qsort(answer->kernels, answer->kernel_count, sizeof *answer->kernels, compare_names);
}

static void list_notes(struct asking_check *a)
{
    const struct check_answer *answer = a->answer;
    const struct run_session *session = &answer->session;
    for (size_t i = 0; i < answer->all.note_count; i++)
        add_note(a, answer->all.notes[i]);
    for (size_t i = 0; i < session->missing_count; i++)
        add_note(a, arena_format(a->arena, "%s is not supported: called %llu time%s.",
                                 session->missing[i].name,
                                 (unsigned long long)session->missing[i].calls,
                                 session->missing[i].calls == 1 ? "" : "s"));
    for (size_t i = 0; i < session->note_count; i++)
        add_note(a, session->notes[i]);
    for (size_t i = 0; i < a->rules.count; i++)
        if (!a->rules.items[i].uses)
            add_note(a, arena_format(a->arena, "%s:%u: this suppression matched no finding.",
                                     a->rules.items[i].file_of, a->rules.items[i].line_of));
}

/* ---- asking ---------------------------------------------------------------------------------- */

static ws_status take_tools(struct asking_check *a)
{
    struct check_answer *answer = a->answer;
    const char *text = answer->all.tools ? answer->all.tools : asked_word(a->asked, "tools");
    unsigned tools = CHECK_ALL;
    if (text) TRY(check_tools_parse(a->asked->diag, text, &tools));
    for (unsigned i = 0; i < CHECK_TOOLS; i++)
        answer->tools[i] = (struct check_sum){.tool = check_tool_name((enum check_tool)(1u << i)),
                                              .is_on = tools >> i & 1};
    answer->total = (struct check_sum){.tool = "all", .is_on = true};
    return WS_OK;
}

static ws_status fill_answer(struct asking_check *a)
{
    TRY(load_rules(a));
    TRY(load_findings(a));
    TRY(take_tools(a));
    make_rows(a);
    list_kernels(a);
    list_notes(a);
    return WS_OK;
}

static void *move(struct arena *arena, void *items, size_t count, size_t bytes)
{
    void *kept = arena_zalloc(arena, count + 1, bytes);
    if (count) memcpy(kept, items, count * bytes);
    mem_free(items);
    return kept;
}

/* Rows point at findings: these lists alone grew outside the arena. */
static void release_findings(void *what)
{
    struct finding_list *all = what;
    finding_list_free(all);
}

static ws_status ask(struct asked *asked, const void **out)
{
    struct arena *arena = &asked->answer->arena;
    struct check_answer *answer = ARENA_ARRAY(arena, struct check_answer, 1);
    struct asking_check a = {
        .asked = asked, .arena = arena, .answer = answer, .folder = asked_word(asked, "folder")};
    TRY(asked_count(asked, "exit_code", 0, 255, 0, &answer->exit_code));
    answer->program = asked_copies(asked, "program", &answer->program_count);
    answer->is_strict = asked_flag(asked, "strict");
    answer->allows_unchecked = asked_flag(asked, "allow_unchecked");
    ws_status status = fill_answer(&a);
    suppressions_free(&a.rules);
    source_files_clear(&a.sources);
    answer->notes = move(arena, answer->notes, answer->note_count, sizeof *answer->notes);
    answer->kernels = move(arena, answer->kernels, answer->kernel_count, sizeof *answer->kernels);
    answer_own(asked->answer, release_findings, &answer->all);
    if (status == WS_OK) *out = answer;
    return status;
}

static const struct input_info inputs[] = {
    {"session", INPUT_WORD, "", "folder with the records of the program's processes"},
    {"findings", INPUT_WORD, "", "a file of findings (ws_check_save)"},
    {"without_findings", INPUT_FLAG, "", "read the other inputs only"},
    {"tools", INPUT_WORD, "", "tools that were on, if no process says: memory,init,race,sync"},
    {"suppressions", INPUT_WORD, "", "a file of suppressions"},
    {"folder", INPUT_WORD, "", "where source files are looked for first"},
    {"strict", INPUT_FLAG, "", "warnings fail, too"},
    {"allow_unchecked", INPUT_FLAG, "", "launches that cannot be checked do not count as failures"},
    {"program", INPUT_WORD, "", "program and its arguments, one word each"},
    {"exit_code", INPUT_COUNT, "", "exit code of the program"},
};

const struct question question_check = {
    .name = "check",
    .schema = "warpsage.check/1",
    .text = "What did a CUDA program do wrong while it ran?",
    .record = &record_check,
    .inputs = inputs,
    .input_count = sizeof inputs / sizeof *inputs,
    .ask = ask,
};
