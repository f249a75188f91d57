// SPDX-License-Identifier: Apache-2.0
/* doctor: what was found on a computer. The caller looks; what that means for predictions is answered here. */
#include <math.h>
#include <string.h>

#include "answer/doctor_answer.h"
#include "answer/input_parts.h"

#define FIGURE_FILE "answer/figures/doctor.def"
#include "base/figure_tables.h"

enum part { CHECK, PART_COUNT };

#define MEMBERS(MEMBER)                                                                            \
    MEMBER(check, WORD, CHECK, struct doctor_check, id, true,                                      \
           "begins a check: what was looked for")                                                  \
    MEMBER(group, WORD, CHECK, struct doctor_check, group, true, "heading of the check")           \
    MEMBER(state, WORD, CHECK, struct doctor_check, state, true, "found, missing or broken")       \
    MEMBER(needed_for, WORD, CHECK, struct doctor_check, needed_for, true,                         \
           "what does not work without it")                                                        \
    MEMBER(version, WORD, CHECK, struct doctor_check, version, false, "version or content")        \
    MEMBER(where, WORD, CHECK, struct doctor_check, where, false, "file or folder")                \
    MEMBER(problem, WORD, CHECK, struct doctor_check, problem, false, "what is wrong")             \
    MEMBER(install, WORD, CHECK, struct doctor_check, install, false, "what to do then")           \
    MEMBER(core, FLAG, CHECK, struct doctor_check, is_core, false,                                 \
           "no prediction is possible without it")

static const struct input_info inputs[] = {MEMBERS(PART_INPUT)};
static const struct part_member members[] = {MEMBERS(PART_MEMBER)};
static const struct part_info parts[PART_COUNT] = {
    [CHECK] = {sizeof(struct doctor_check), PART_WHOLE, offsetof(struct doctor_answer, checks),
               offsetof(struct doctor_answer, check_count)},
};
static const struct part_list part_list = {members, parts, PART_COUNT};

static ws_status count_check(const struct asked *asked, const struct doctor_check *check,
                             struct doctor_summary *summary)
{
    const struct {
        const char *state;
        uint64_t *count;
    } states[] = {
        {"found", &summary->found}, {"missing", &summary->missing}, {"broken", &summary->broken}};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        if (strcmp(states[i].state, check->state) != 0) continue;
        ++*states[i].count;
        summary->core_failed += i > 0 && check->is_core > 0;
        return WS_OK;
    }
    return diag_error(asked->diag, WS_ERR_ARGUMENT,
                      "check '%s': unknown state '%s': expected found, missing or broken",
                      check->id, check->state);
}

static ws_status ask(struct asked *asked, const void **out)
{
    struct doctor_answer *answer = ARENA_ARRAY(&asked->answer->arena, struct doctor_answer, 1);
    TRY(input_parts_read(asked, &part_list, answer));
    for (size_t i = 0; i < answer->check_count; i++)
        TRY(count_check(asked, &answer->checks[i], &answer->summary));
    *out = answer;
    return WS_OK;
}

const struct question question_doctor = {
    .name = "doctor",
    .schema = "warpsage.doctor/1",
    .text = "What does warpsage find on this computer, and what is missing?",
    .record = &record_doctor,
    .inputs = inputs,
    .input_count = sizeof inputs / sizeof *inputs,
    .ask = ask,
};
