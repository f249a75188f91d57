// SPDX-License-Identifier: Apache-2.0
/* Options of Nsight Compute and compute-sanitizer that people type by habit, and what does the same here. */
#include <string.h>

#include "cli/options/options.h"

struct profiler_option {
    char letter;         /* 0: none */
    const char *name;    /* without dashes */
    const char *command; /* for this command only; NULL: for all others */
    const char *instead;
};

static const char
    all_tables[] = "every table is computed: --details all shows them",
    json_metrics[] = "-f json has all metrics; `warpsage explain` gives their Nsight Compute names",
    no_clocks[] = "clocks are those of the machine file: see `warpsage machines show`";

/* The first row that applies is taken. */
static const struct profiler_option options[] = {
    {0, "set", NULL, all_tables},
    {0, "section", NULL, all_tables},
    {0, "section-folder", NULL, all_tables},
    {0, "section-folder-recursive", NULL, all_tables},
    {0, "list-sets", NULL, all_tables},
    {0, "list-sections", NULL, all_tables},
    {0, "rule", NULL, "all findings are in the report; `warpsage explain CODE` explains one"},
    {0, "list-rules", NULL, "`warpsage explain` lists the codes of all findings"},
    {0, "apply-rules", NULL, "findings are always in the report"},
    {0, "metrics", NULL, json_metrics},
    {0, "query-metrics", NULL, json_metrics},
    {0, "query-metrics-mode", NULL, json_metrics},
    {0, "list-metrics", NULL, json_metrics},
    {'i', "import", NULL,
     ".ncu-rep files cannot be read; --profile FILE reads what --save-profile wrote"},
    {0, "import-source", NULL, "--code lists the source beside PTX and native code"},
    {0, "source-folders", NULL, "sources are found by the paths in the line information"},
    {0, "resolve-source-file", NULL, "sources are found by the paths in the line information"},
    {0, "export", "run", "-o FILE writes the report, --report-dir DIR one for each launch"},
    {0, "export", "analyze", "-o FILE writes the report, --save-profile FILE the counts"},
    {0, "export", NULL, "-o FILE writes the report"},
    {0, "force-overwrite", NULL, "-o replaces the file"},
    {'k', "kernel-name", "run", "--only REGEX (a regular expression without 'regex:')"},
    {0, "kernel-name", NULL, "-k NAME, -k 'sgemm*' or -k regex:EXPRESSION"},
    {0, "kernel-name-base", NULL, "-k takes names with and without arguments, and mangled ones"},
    {0, "kernel-regex", "run", "--only REGEX"},
    {0, "kernel-regex", NULL, "-k regex:EXPRESSION"},
    {0, "kernel-id", "run", "--only REGEX with --skip N and --count N"},
    {0, "kernel-id", NULL, "-k NAME; of a recorded trace --kernel-index N"},
    {'s', "launch-skip", "run", "--skip N"},
    {'c', "launch-count", "run", "--count N"},
    {0, "launch-skip", NULL,
     "one launch is analysed; `warpsage run --skip N -- ./APP` has several"},
    {'c', "launch-count", NULL,
     "one launch is analysed; `warpsage run --count N -- ./APP` has several"},
    {0, "launch-skip-before-match", "run", "--skip N counts the launches that --only selects"},
    {0, "page", "analyze",
     "--details all for all tables, -f csv for the metrics, --code for the source page"},
    {0, "page", NULL, "--details all for all tables, -f csv for the metrics"},
    {0, "csv", NULL, "-f csv"},
    {0, "print-summary", NULL, "`warpsage run` sums launches by kernel"},
    {0, "print-details", NULL, "--details all"},
    {0, "details-all", NULL, "--details all"},
    {0, "print-units", NULL, "-f json and -f csv have base units (s, B, J, W, Hz)"},
    {0, "print-metric-name", NULL, "`warpsage explain NAME` gives Nsight Compute's name"},
    {0, "print-source", NULL, "--code"},
    {0, "log-file", NULL, "-o FILE writes the report"},
    {'o', "output-file", NULL, "-o FILE writes the report"},
    {0, "target-processes", NULL, "`warpsage run` follows the program and what it starts"},
    {0, "devices", NULL, "--gpu ID; `warpsage machines` lists them"},
    {0, "chips", NULL, "--gpu ID; `warpsage machines` lists them"},
    {0, "list-chips", NULL, "`warpsage machines` lists them"},
    {0, "clock-control", NULL, no_clocks},
    {0, "cache-control", "run", "--l2 cold empties the L2 before each launch (default: kept)"},
    {0, "cache-control", NULL, "--l2 cold (default) or warm"},
    {0, "replay-mode", NULL, "one execution counts everything: there is nothing to replay"},
    {0, "nvtx", NULL, "ranges are not read: select kernels by name"},
    {0, "nvtx-include", NULL, "ranges are not read: select kernels by name"},
    {0, "nvtx-exclude", NULL, "ranges are not read: select kernels by name"},
    {0, "graph-profiling", NULL, "kernels of graphs are reported one by one"},
    {0, "open-in-ui", NULL, "-f json or -f csv -o FILE for other programs"},
    {0, "verbose", NULL, "--details all"},
};

static const char every_launch[] =
    "every launch is checked; --suppress FILE, with kernel=PATTERN, chooses what counts";
static const char all_told[] = "each finding is told once per place, with a count";
static const char always_on[] = "always on: --tool LIST chooses what is looked for";
static const char by_files[] = "-o FILE writes the report, -f sarif or -f junit for other programs";

/* Of compute-sanitizer, for `check`. */
static const struct profiler_option sanitizer_options[] = {
    {0, "leak-check", NULL, always_on},
    {0, "check-api-memory-access", NULL, always_on},
    {0, "check-device-heap", NULL, always_on},
    {0, "check-exit-code", NULL, "the exit status is the program's if no error was found"},
    {0, "check-cache-control", NULL, "not checked"},
    {0, "check-optix", NULL, "OptiX is not supported"},
    {0, "check-bulk-copy", NULL, always_on},
    {0, "check-barrier-count", NULL, always_on},
    {0, "missing-barrier-init-is-fatal", NULL, always_on},
    {0, "track-unused-memory", NULL, "not checked"},
    {0, "unused-memory-threshold", NULL, "not checked"},
    {0, "track-stream-ordered-races", NULL, always_on},
    {0, "racecheck-report", NULL, all_told},
    {0, "racecheck-detect-level", NULL, "--strict lets warnings fail; --details all has all notes"},
    {0, "racecheck-memcpy-async", NULL, always_on},
    {0, "racecheck-indirect-barrier-dependency", NULL, always_on},
    {0, "racecheck-num-workers", NULL, "one host thread, so that findings are the same every time"},
    {0, "racecheck-deferred-threshold", NULL, "nothing is deferred"},
    {0, "num-cuda-barriers", NULL, "any number is followed"},
    {0, "initcheck-address-space", NULL, always_on},
    {0, "kernel-name", NULL, every_launch},
    {0, "kernel-name-exclude", NULL, every_launch},
    {0, "kernel-regex", NULL, every_launch},
    {0, "kernel-regex-exclude", NULL, every_launch},
    {0, "filter", NULL, every_launch},
    {0, "exclude", NULL, every_launch},
    {0, "launch-skip", NULL, every_launch},
    {0, "launch-count", NULL, every_launch},
    {0, "padding", NULL, "red zones lie around every allocation"},
    {0, "nvtx", NULL, "annotations of memory are ignored"},
    {0, "log-file", NULL, by_files},
    {0, "xml", NULL, by_files},
    {0, "sarif", NULL, "-f sarif"},
    {0, "language", NULL, "C and C++"},
    {0, "print-level", NULL, "--details quiet, normal or all; --strict lets warnings fail"},
    {0, "print-limit", NULL, all_told},
    {0, "show-backtrace", NULL, "findings have the calls of host and device that are known"},
    {0, "backtrace-short", NULL, "findings have the calls of host and device that are known"},
    {0, "num-callers-device", NULL, "findings have the calls of host and device that are known"},
    {0, "num-callers-host", NULL, "findings have the calls of host and device that are known"},
    {0, "demangle", NULL, "names are demangled"},
    {0, "strip-paths", NULL, "-f sarif names files from the working folder"},
    {0, "prefix", NULL, by_files},
    {0, "quiet", NULL, "-q"},
    {0, "suppressions", NULL, "--suppress FILE (doc/checks.md)"},
    {0, "target-processes", NULL, "the program and what it starts are followed"},
    {0, "target-processes-filter", NULL, "the program and what it starts are followed"},
    {0, "require-cuda-init", NULL, "a program that does not call CUDA is accepted"},
    {0, "destroy-on-device-error", NULL, "errors end neither launch nor program"},
    {0, "generate-coredump", NULL, "not supported"},
    {0, "coredump-name", NULL, "not supported"},
    {0, "injection-path", NULL, "nothing is injected"},
    {0, "mode", NULL, "the program is always started"},
    {0, "port", NULL, "nothing is attached to"},
    {0, "max-connections", NULL, "nothing is attached to"},
    {0, "launch-timeout", NULL, "--timeout S, --max-instructions N"},
    {0, "kill", NULL, "--timeout S"},
};

static const char *find_hint(const struct profiler_option *rows, size_t count,
                             const struct command *command, const char *option)
{
    bool is_long = !strncmp(option, "--", 2);
    for (size_t i = 0; i < count; i++) {
        bool is_it = is_long ? !strcmp(option + 2, rows[i].name)
                             : rows[i].letter && option[1] == rows[i].letter && !option[2];
        if (is_it && (!rows[i].command || !strcmp(rows[i].command, command->name)))
            return rows[i].instead;
    }
    return NULL;
}

/* Of other commands: what `check` has. */
static const struct profiler_option check_options[] = {
    {0, "tool", NULL, "`warpsage check --tool LIST -- ./APP` finds errors"},
    {0, "leak-check", NULL, "`warpsage check -- ./APP` finds leaks"},
    {0, "error-exitcode", NULL, "`warpsage check --error-exitcode N -- ./APP`"},
};

const char *sanitizer_hint(const struct command *command, const char *option)
{
    if (strcmp(command->name, "check") != 0)
        return find_hint(check_options, sizeof check_options / sizeof *check_options, command,
                         option);
    return find_hint(sanitizer_options, sizeof sanitizer_options / sizeof *sanitizer_options,
                     command, option);
}

const char *profiler_hint(const struct command *command, const char *option)
{
    bool is_check = !strcmp(command->name, "check");
    size_t count = sizeof options / sizeof *options;
    return is_check ? NULL : find_hint(options, count, command, option);
}
