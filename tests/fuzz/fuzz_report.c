// SPDX-License-Identifier: Apache-2.0
/* A report from anywhere, compared with itself and with a good one: an answer, or a message. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <warpsage/warpsage.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char good[] =
    "{\"schema\": \"warpsage.report/1\", \"kernels\": [{\"name\": \"k\", \"launch\": {\"grid\": "
    "[1, 1, "
    "1]}, \"profile\": {\"inst.warp\": {\"value\": 5, \"unit\": \"1\", \"from\": \"emulated\"}}, "
    "\"machines\": [{\"machine\": \"v100\", \"headline\": {\"model\": \"teg\", \"time_s\": 2e-6, "
    "\"lo\": 1e-6, \"hi\": 3e-6}, \"advice\": [{\"code\": \"G102\", \"gain\": 2}]}]}]}";

static bool ignore(void *user, const char *bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
    return true;
}

static void compare(ws_context *context, const char *a, const char *b)
{
    const ws_input inputs[] = {
        {.name = "a", .word = "a"},        {.name = "a_text", .word = a},
        {.name = "b", .word = "b"},        {.name = "b_text", .word = b},
        {.name = "fail_over", .value = 0}, {.name = "metric", .word = "time"},
    };
    const ws_question question = {.size = sizeof question,
                                  .name = "diff",
                                  .inputs = inputs,
                                  .input_count = sizeof inputs / sizeof *inputs};
    static const ws_format formats[] = {WS_FORMAT_TEXT, WS_FORMAT_JSON, WS_FORMAT_CSV,
                                        WS_FORMAT_MARKDOWN};
    ws_answer *answer;
    ws_status status = ws_ask(context, &question, &answer);
    assert((status == WS_OK) == (answer != NULL));
    assert(answer || *ws_context_error(context));
    for (size_t i = 0; answer && i < sizeof formats / sizeof *formats; i++) {
        const ws_report_options style = {
            .size = sizeof style, .format = formats[i], .details = WS_DETAILS_ALL};
        assert(ws_answer_write(context, answer, &style, ignore, NULL) == WS_OK);
    }
    ws_answer_destroy(answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ws_context *context = NULL;
    char *text = calloc(1, size + 1);
    if (!text || ws_context_create(&context) != WS_OK) return 0;
    memcpy(text, data, size);
    compare(context, text, text);
    compare(context, good, text);
    compare(context, text, good);
    ws_context_destroy(context);
    free(text);
    return 0;
}
