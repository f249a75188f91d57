// SPDX-License-Identifier: Apache-2.0
/* Findings as JUnit XML, which Jenkins, GitLab and others read: a suite for each tool, in it a case for each kernel and
 * one for what is about no kernel. Errors are failures (warnings, too, if they fail the run); other findings are what
 * the case printed. A kernel that could not be checked is an error of its case, or skipped where that is allowed. */
#include <string.h>

#include "base/memory.h"
#include "render/check_words.h"

/* Text of XML 1.0: control characters that it does not allow, and bytes that are not UTF-8, become '?'. */
static void put_text(struct strbuf *out, const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        unsigned follow = *at >= 0xf0 ? 3 : *at >= 0xe0 ? 2 : *at >= 0xc2 ? 1 : 0, k = 1;
        while (k <= follow && (at[k] & 0xc0) == 0x80)
            k++;
        bool is_text = *at < 0x80 ? *at >= ' ' || *at == '\n' || *at == '\t'
                                  : follow && k > follow && *at <= 0xf4;
        if (!is_text) {
            strbuf_putc(out, '?');
            at++;
        } else if (strchr("<>&\"'\n\t", *at)) {
            strbuf_printf(out, "&#%u;", *at);
            at++;
        } else {
            strbuf_append(out, (const char *)at, follow + 1);
            at += follow + 1;
        }
    }
}

static void put_attribute(struct strbuf *out, const char *name, const char *text)
{
    strbuf_printf(out, " %s=\"", name);
    put_text(out, text);
    strbuf_putc(out, '"');
}

struct junit {
    const struct node *check, *findings;
    struct strbuf *out;
    const char *program; /* without folders */
    bool is_incomplete;
};

static bool is_failure(const struct junit *j, const struct node *finding)
{
    const char *grade = node_word(finding, "grade");
    return !node_word(finding, "suppressed") &&
           (*grade == 'e' || (*grade == 'w' && node_flag(j->check, "strict")));
}

/* kernel NULL: findings that are about none. */
static bool is_of(const struct node *finding, const char *tool, const char *kernel)
{
    const struct node *here = node_child(finding, "here");
    const char *own = node_is_known(here) ? node_word(here, "kernel") : NULL;
    return !strcmp(node_word(finding, "tool"), tool) && check_same_word(own, kernel);
}

/* "app.cu:12: error[M01]: title" */
static void put_head(struct strbuf *out, const struct node *finding)
{
    const char *suppressed = node_word(finding, "suppressed");
    check_put_place(out, finding);
    strbuf_printf(out, ": %s[%s]: %s", node_word(finding, "grade"), node_word(finding, "code"),
                  node_word(finding, "title"));
    if (suppressed) strbuf_printf(out, ", suppressed by %s", suppressed);
}

/* Those of a case, failures or the others, with a blank line between them. */
static struct strbuf texts_of(const struct junit *j, const char *tool, const char *kernel,
                              bool failures)
{
    struct strbuf text = {0};
    for (size_t i = 0; i < j->findings->child_count; i++) {
        const struct node *finding = &j->findings->children[i];
        if (!is_of(finding, tool, kernel) || is_failure(j, finding) != failures) continue;
        if (text.length) strbuf_puts(&text, "\n\n");
        put_head(&text, finding);
        check_put_message(&text, finding);
    }
    return text;
}

/* Readers take one failure of a case: it has all errors. Its message is the first line. */
static void put_failure(struct junit *j, const char *text)
{
    char *message = mem_copy(text);
    message[strcspn(message, "\n")] = '\0';
    strbuf_puts(j->out, "      <failure");
    put_attribute(j->out, "message", message);
    put_attribute(j->out, "type", "error");
    strbuf_putc(j->out, '>');
    put_text(j->out, text);
    strbuf_puts(j->out, "</failure>\n");
    mem_free(message);
}

static bool has_failure(const struct junit *j, const char *tool, const char *kernel)
{
    for (size_t i = 0; i < j->findings->child_count; i++)
        if (is_of(&j->findings->children[i], tool, kernel) &&
            is_failure(j, &j->findings->children[i]))
            return true;
    return false;
}

static bool is_unchecked(const struct junit *j, const char *tool, const char *kernel)
{
    const struct node *kernels = node_child(j->check, "unchecked_kernels");
    const char *const *names = kernels->value.items;
    for (size_t k = 0; kernel && k < kernels->value.item_count; k++)
        if (!strcmp(names[k], kernel)) return !has_failure(j, tool, kernel);
    return false;
}

/* Cases of a tool of which `is` holds: what `failures` and `errors` count. */
static uint64_t count_cases(const struct junit *j, const char *tool,
                            bool (*is)(const struct junit *, const char *, const char *))
{
    const struct node *kernels = node_child(j->check, "kernels");
    const char *const *names = kernels->value.items;
    uint64_t count = is(j, tool, NULL);
    for (size_t k = 0; k < kernels->value.item_count; k++)
        count += is(j, tool, names[k]);
    return count;
}

static void put_unchecked(struct junit *j)
{
    strbuf_puts(j->out, j->is_incomplete ? "      <error" : "      <skipped");
    put_attribute(j->out, "message", "not checked: launches of this kernel could not be executed");
    strbuf_puts(j->out, "/>\n");
}

static void put_case(struct junit *j, const char *tool, const char *kernel)
{
    struct strbuf failures = texts_of(j, tool, kernel, true),
                  others = texts_of(j, tool, kernel, false), class = {0};
    bool is_left_out = is_unchecked(j, tool, kernel);
    bool is_empty = !failures.length && !others.length && !is_left_out;
    strbuf_printf(&class, "%s.%s", j->program, tool);
    strbuf_puts(j->out, "    <testcase");
    put_attribute(j->out, "classname", class.data);
    put_attribute(j->out, "name", kernel ? kernel : "host code");
    strbuf_puts(j->out, is_empty ? " time=\"0\"/>\n" : " time=\"0\">\n");
    if (is_left_out) put_unchecked(j);
    if (failures.length) put_failure(j, failures.data);
    if (others.length) {
        strbuf_puts(j->out, "      <system-out>");
        put_text(j->out, others.data);
        strbuf_puts(j->out, "</system-out>\n");
    }
    if (!is_empty) strbuf_puts(j->out, "    </testcase>\n");
    strbuf_clear(&class);
    strbuf_clear(&failures);
    strbuf_clear(&others);
}

static void put_suite(struct junit *j, const char *tool)
{
    const struct node *kernels = node_child(j->check, "kernels");
    const char *const *names = kernels->value.items;
    unsigned long long unchecked = count_cases(j, tool, is_unchecked);
    unsigned long long errors = j->is_incomplete ? unchecked : 0;
    struct strbuf name = {0};
    strbuf_printf(&name, "warpsage check %s: %s", j->program, tool);
    strbuf_puts(j->out, "  <testsuite");
    put_attribute(j->out, "name", name.data);
    strbuf_printf(
        j->out, " tests=\"%zu\" failures=\"%llu\" errors=\"%llu\" skipped=\"%llu\" time=\"0\">\n",
        kernels->value.item_count + 1, (unsigned long long)count_cases(j, tool, has_failure),
        errors, unchecked - errors);
    for (size_t k = 0; k < kernels->value.item_count; k++)
        put_case(j, tool, names[k]);
    put_case(j, tool, NULL);
    strbuf_puts(j->out, "  </testsuite>\n");
    strbuf_clear(&name);
}

void render_check_junit(const struct answer *answer, const struct render_options *options,
                        struct strbuf *out)
{
    const struct node *check = &answer->root, *program = node_child(check, "program"),
                      *tools = node_child(check, "tools");
    const char *const *words = program->value.items;
    const char *path = program->value.item_count ? words[0] : "program";
    const char *slash = strrchr(path, '/');
    struct junit j = {.check = check,
                      .findings = node_child(check, "findings"),
                      .out = out,
                      .program = slash ? slash + 1 : path,
                      .is_incomplete = node_flag(check, "incomplete")};
    uint64_t failed = 0, errors = 0, suites = 0;
    (void)options;
    for (size_t i = 0; i < tools->child_count; i++) {
        if (!node_flag(&tools->children[i], "on")) continue;
        const char *tool = node_word(&tools->children[i], "tool");
        failed += count_cases(&j, tool, has_failure);
        if (j.is_incomplete) errors += count_cases(&j, tool, is_unchecked);
        suites++;
    }
    strbuf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
    put_attribute(out, "name", "warpsage check");
    strbuf_printf(
        out, " tests=\"%llu\" failures=\"%llu\" errors=\"%llu\" time=\"0\">\n",
        (unsigned long long)(suites * (node_child(check, "kernels")->value.item_count + 1)),
        (unsigned long long)failed, (unsigned long long)errors);
    for (size_t i = 0; i < tools->child_count; i++)
        if (node_flag(&tools->children[i], "on"))
            put_suite(&j, node_word(&tools->children[i], "tool"));
    strbuf_puts(out, "</testsuites>\n");
}
