// SPDX-License-Identifier: Apache-2.0
#include "cli/options/kernel_choice.h"

#include <fnmatch.h>
#include <string.h>

enum { LISTED_MAX = 20 };

/* ---- patterns -------------------------------------------------------------------------------- */

static const char regex_prefix[] = "regex:";

static bool is_regex(const char *text)
{
    return !strncmp(text, regex_prefix, sizeof regex_prefix - 1);
}

bool kernel_is_pattern(const char *text)
{
    return is_regex(text) || strpbrk(text, "*?[");
}

int kernel_pattern_read(struct cli *cli, const char *text, struct kernel_pattern *out)
{
    *out = (struct kernel_pattern){.glob = is_regex(text) ? NULL : text};
    if (out->glob) return EXIT_DONE;
    const char *expression = text + sizeof regex_prefix - 1;
    int problem = regcomp(&out->regex, expression, REG_EXTENDED | REG_NOSUB);
    if (!problem) return EXIT_DONE;
    char why[128];
    regerror(problem, &out->regex, why, sizeof why);
    return cli_error(
        cli, EXIT_USAGE,
        "-k '%s': invalid pattern: %s: expected a POSIX extended regular expression after regex:",
        text, why);
}

void kernel_pattern_clear(struct kernel_pattern *pattern)
{
    if (!pattern->glob) regfree(&pattern->regex);
}

static bool fits(const struct kernel_pattern *pattern, const char *name)
{
    if (pattern->glob) return fnmatch(pattern->glob, name, 0) == 0;
    return regexec(&pattern->regex, name, 0, NULL, 0) == 0;
}

bool kernel_pattern_fits(const struct kernel_pattern *pattern, const char *name)
{
    const char *base = name + strcspn(name, "<(");
    while (base > name && base[-1] != ':')
        base--;
    return fits(pattern, name) || (base != name && fits(pattern, base));
}

/* ---- of a module ----------------------------------------------------------------------------- */

static const char *list_kernels(const struct analysis *a, const size_t *kernels, size_t count)
{
    const char *text = "";
    for (size_t i = 0; i < count && i < LISTED_MAX; i++)
        text = cli_format(a->cli, "%s\n  %s", text,
                          ws_module_kernel_display_name(a->module, kernels ? kernels[i] : i));
    return count > LISTED_MAX ? cli_format(a->cli, "%s\n  and %zu more", text, count - LISTED_MAX)
                              : text;
}

static bool is_name(const struct analysis *a, const char *text)
{
    for (size_t i = 0; i < ws_module_kernel_count(a->module); i++)
        if (!strcmp(text, ws_module_kernel_name(a->module, i)) ||
            !strcmp(text, ws_module_kernel_display_name(a->module, i)))
            return true;
    return false;
}

static int choose_by_pattern(struct analysis *a, const struct command *command)
{
    const struct request *request = &a->request;
    size_t count = ws_module_kernel_count(a->module);
    struct kernel_pattern pattern;
    CLI_TRY(kernel_pattern_read(a->cli, request->kernel, &pattern));
    for (size_t i = 0; i < count; i++)
        if (kernel_pattern_fits(&pattern, ws_module_kernel_display_name(a->module, i)))
            a->kernels[a->kernel_count++] = i;
    kernel_pattern_clear(&pattern);
    if (a->kernel_count == 0)
        return cli_error(a->cli, EXIT_USAGE, "%s: no kernel matches '%s'; available kernels:%s",
                         request->kernel_file, request->kernel, list_kernels(a, NULL, count));
    if (a->kernel_count > 1 && !a->takes_kernels)
        return cli_error(a->cli, EXIT_USAGE,
                         "%s takes one kernel, '%s' matches %zu of %s; choose one of:%s",
                         command->name, request->kernel, a->kernel_count, request->kernel_file,
                         list_kernels(a, a->kernels, a->kernel_count));
    a->kernel = a->kernels[0];
    return EXIT_DONE;
}

int kernel_choose(struct analysis *a, const struct command *command)
{
    const struct request *request = &a->request;
    size_t count = ws_module_kernel_count(a->module);
    a->kernels = cli_alloc(a->cli, count * sizeof *a->kernels);
    if (!request->kernel && count > 1)
        return cli_error(a->cli, EXIT_USAGE, "%s contains several kernels: select one with -k:%s",
                         request->kernel_file, list_kernels(a, NULL, count));
    if (request->has_kernel_pattern && !is_name(a, request->kernel))
        return choose_by_pattern(a, command);
    ws_status status = WS_OK;
    if (request->kernel) status = ws_module_find_kernel(a->module, request->kernel, &a->kernel);
    a->kernels[a->kernel_count++] = a->kernel;
    return status == WS_OK ? EXIT_DONE : cli_failed(a->cli, status);
}
