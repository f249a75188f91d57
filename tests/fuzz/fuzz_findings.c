// SPDX-License-Identifier: Apache-2.0
/* Files of `warpsage check` from anywhere: the input as findings (--read), and as suppressions of good ones. Each
 * is answered in every format, or refused with a message that names the file. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <warpsage/warpsage.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char good[] = "{\"schema\": \"warpsage.findings/1\", \"tools\": \"race\", "
                           "\"launches\": 1, \"findings\": [{\"code\": "
                           "\"R01\", \"tool\": \"race\", \"grade\": \"error\", \"title\": \"data "
                           "race\", \"here\": {\"kernel\": "
                           "\"fill\", \"file\": \"src/a.cu\", \"line\": 5}, \"other\": "
                           "{\"kernel\": \"fill\", \"file\": \"b.h\", "
                           "\"line\": 2}}]}";
static const char none[] = "# no rule\n";

/* The path of a file with this content. */
static int write_file(const void *bytes, size_t size, char path[64])
{
    int descriptor = memfd_create("fuzz", 0);
    assert(descriptor >= 0 && write(descriptor, bytes, size) == (ssize_t)size);
    snprintf(path, 64, "/proc/self/fd/%d", descriptor);
    return descriptor;
}

static bool forget(void *user, const char *bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
    return true;
}

static void write_all(ws_context *context, const ws_answer *answer)
{
    static const ws_format formats[] = {WS_FORMAT_TEXT, WS_FORMAT_JSON,  WS_FORMAT_CSV,
                                        WS_FORMAT_HTML, WS_FORMAT_SARIF, WS_FORMAT_JUNIT};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const ws_report_options style = {
            .size = sizeof style, .format = formats[i], .details = WS_DETAILS_ALL};
        assert(ws_answer_write(context, answer, &style, forget, NULL) == WS_OK);
    }
}

static void ask(const void *findings, size_t findings_size, const void *rules, size_t rules_size)
{
    char findings_path[64], rules_path[64];
    int files[] = {write_file(findings, findings_size, findings_path),
                   write_file(rules, rules_size, rules_path)};
    const ws_input inputs[] = {{.name = "findings", .word = findings_path},
                               {.name = "suppressions", .word = rules_path},
                               {.name = "strict", .value = 1}};
    const ws_question question = {.size = sizeof question,
                                  .name = "check",
                                  .inputs = inputs,
                                  .input_count = sizeof inputs / sizeof *inputs};
    ws_context *context;
    ws_answer *answer;
    if (ws_context_create(&context) == WS_OK) {
        ws_status status = ws_ask(context, &question, &answer);
        assert((status == WS_OK) == (answer != NULL));
        assert(answer || strstr(ws_context_error(context), "/proc/self/fd/"));
        if (answer) write_all(context, answer);
        ws_answer_destroy(answer);
        ws_context_destroy(context);
    }
    close(files[0]);
    close(files[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ask(data, size, none, sizeof none - 1);
    ask(good, sizeof good - 1, data, size);
    return 0;
}
