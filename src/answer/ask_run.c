// SPDX-License-Identifier: Apache-2.0
/* run: what a CUDA program launched, from what its processes left (run_session.h). */
#include <math.h>
#include <string.h>

#include "answer/analyze.h"
#include "answer/run_session.h"

struct run_answer {
    struct run_session session;
    const char *const *program;
    size_t program_count;
    uint64_t exit_code;
    const struct machine *machine;
    const char *clock, *l2;
    bool gpu_given, lists_launches, has_timeline;
    const void *heaviest; /* record of `analyze`; NULL: none, and why not */
    const char *heaviest_reason;
};

/* ---- figures --------------------------------------------------------------------------------- */

static bool is_timed(const struct run_kernel *kernel)
{
    return run_timed(&kernel->counts) > 0;
}

static double mean_seconds(const struct run_kernel *kernel)
{
    return kernel->total_seconds / (double)run_timed(&kernel->counts);
}

/* What a function that is not there returned to the program. */
static const char *error_of(const struct run_missing *missing)
{
    bool is_runtime = !strncmp(missing->name, "cuda", 4) || missing->name[0] == '_';
    return is_runtime ? "cudaErrorNotSupported" : "CUDA_ERROR_NOT_SUPPORTED";
}

static const struct record *analysis(size_t index)
{
    return index ? NULL : question_analyze.record;
}

#define FIGURE_FILE "answer/figures/run.def"
#include "base/figure_tables.h"

/* ---- asking ---------------------------------------------------------------------------------- */

static void release_answer(void *what)
{
    answer_destroy(what);
}

enum { REPORTS_MOST = 64 };

/* *out: the record of `analyze` for saved profiles, owned by the answer. */
static ws_status analyze_profiles(const struct asked *asked, struct profile *const *profiles,
                                  size_t count, const char *l2, const void **out)
{
    const ws_input inputs[] = {{.name = "l2", .word = l2},
                               {.name = "different", .value = 1},
                               {.name = "charts", .value = asked_flag(asked, "charts")},
                               {.name = "code", .value = asked_flag(asked, "code")}};
    struct answer *answer;
    struct asked inner = {.diag = asked->diag,
                          .question = &question_analyze,
                          .profile_count = count,
                          .machine_count = asked->machine_count,
                          .profiles = profiles,
                          .machines = asked->machines,
                          .inputs = inputs,
                          .input_count = sizeof inputs / sizeof *inputs,
                          .evidence = asked->evidence};
    ws_status status = question_ask(&inner, &answer);
    if (!answer) return status;
    answer_own(asked->answer, release_answer, answer);
    *out = answer->root.value.items;
    return status;
}

static const char *first_line(const struct asked *asked)
{
    char *line = arena_copy(&asked->answer->arena, diag_text(asked->diag));
    line[strcspn(line, "\n")] = '\0';
    return line;
}

/* Profiles of the heaviest kernels, as many as wanted; the others say why they have no report. */
static ws_status load_heaviest(const struct asked *asked, struct run_answer *answer,
                               uint64_t wanted, struct profile **out, size_t *out_count)
{
    struct run_session *session = &answer->session;
    ws_status first = WS_OK;
    uint64_t tried = 0;
    for (size_t i = 0; i < session->kernel_count; i++) {
        struct run_kernel *kernel = &session->kernels[i];
        ws_status status = WS_OK;
        if (!kernel->profile)
            kernel->no_report = "no profile of a counted launch was saved";
        else if (tried++ >= wanted)
            kernel->no_report = wanted ? "not among the heaviest kernels" : "not requested";
        else
            status = profile_load(asked->diag, kernel->profile, &out[*out_count]);
        if (status != WS_OK) kernel->no_report = first_line(asked);
        if (status != WS_OK && first == WS_OK) first = status;
        if (!kernel->no_report) kernel->report = ++*out_count;
    }
    return first;
}

static ws_status ask_heaviest(const struct asked *asked, struct run_answer *answer)
{
    struct run_session *session = &answer->session;
    struct profile *profiles[REPORTS_MOST] = {NULL};
    uint64_t wanted;
    size_t count = 0;
    TRY(asked_count(asked, "reports", 1, REPORTS_MOST, 1, &wanted));
    if (!asked_flag(asked, "heaviest")) wanted = 0;
    ws_status loaded = load_heaviest(asked, answer, wanted, profiles, &count), status = WS_OK;
    answer->heaviest_reason = !wanted                 ? "not requested"
                              : session->kernel_count ? session->kernels[0].no_report
                                                      : "no profile of a counted launch was saved";
    if (count) status = analyze_profiles(asked, profiles, count, answer->l2, &answer->heaviest);
    for (size_t i = 0; i < count; i++)
        profile_destroy(profiles[i]);
    if (status == WS_OK) return loaded;
    answer->heaviest_reason = first_line(asked);
    return status;
}

static ws_status ask(struct asked *asked, const void **out)
{
    const char *clocks[MODEL_COUNT + 3] = {"predicted", "host"};
    const char *folder = asked_word(asked, "session"), *prefix = asked_word(asked, "report_prefix");
    struct arena *arena = &asked->answer->arena;
    struct run_answer *answer = ARENA_ARRAY(arena, struct run_answer, 1);
    int clock;
    for (size_t i = 0, count = 2; i < MODEL_COUNT; i++)
        if (models[i]->predict) clocks[count++] = models[i]->name;
    if (!folder || !asked->machine_count)
        return diag_error(asked->diag, WS_ERR_ARGUMENT,
                          "'run' requires the folder of a session and at least one GPU");
    TRY(asked_choice(asked, "clock", clocks, &clock));
    TRY(asked_count(asked, "exit_code", 0, 255, 0, &answer->exit_code));
    answer->program = asked_copies(asked, "program", &answer->program_count);
    answer->machine = asked->machines[0];
    answer->clock = clocks[clock < 0 ? 0 : clock];
    answer->l2 = asked_word(asked, "l2") ? arena_copy(arena, asked_word(asked, "l2")) : "cold";
    answer->gpu_given = asked_flag(asked, "gpu_given");
    answer->lists_launches = prefix != NULL;
    answer->has_timeline = asked_flag(asked, "charts") || asked_flag(asked, "timeline");
    TRY(run_session_read(asked->diag, arena, folder, prefix, answer->has_timeline,
                         &answer->session));
    *out = answer;
    return ask_heaviest(asked, answer);
}

static const struct input_info inputs[] = {
    {"session", INPUT_WORD, "", "folder with the records of the program's processes"},
    {"program", INPUT_WORD, "", "program and its arguments, one word each"},
    {"exit_code", INPUT_COUNT, "", "exit code of the program"},
    {"clock", INPUT_WORD, "", "clock of CUDA events: predicted, host or a model of time"},
    {"l2", INPUT_WORD, "", "what launches find in the L2, as in analyze (default cold)"},
    {"gpu_given", INPUT_FLAG, "", "the user chose the GPU"},
    {"heaviest", INPUT_FLAG, "", "analyze the heaviest launch"},
    {"reports", INPUT_COUNT, "kernel",
     "analyze the heaviest launches of so many kernels, heaviest first (1 to 64, default 1)"},
    {"charts", INPUT_FLAG, "",
     "also the timeline of API calls, copies and kernels, and the figures of charts of `analyze`"},
    {"timeline", INPUT_FLAG, "", "also the timeline of API calls, copies and kernels"},
    {"code", INPUT_FLAG, "", "also source, PTX and native code of the analyzed kernels"},
    {"report_prefix", INPUT_WORD, "", "list all launches; prefix of the file names of reports"},
};

const struct question question_run = {
    .name = "run",
    .schema = "warpsage.run/1",
    .text = "What did a CUDA program launch, and how long do its kernels take?",
    .record = &record_run,
    .inputs = inputs,
    .input_count = sizeof inputs / sizeof *inputs,
    .finds_profiles = true,
    .ask = ask,
};
