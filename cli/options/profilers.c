// SPDX-License-Identifier: Apache-2.0
/* Options of Nsight Compute that people type by habit, and what does the same here. */
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

const char *profiler_hint(const struct command *command, const char *option)
{
    bool is_long = !strncmp(option, "--", 2);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const struct profiler_option *row = &options[i];
        bool is_it = is_long ? !strcmp(option + 2, row->name)
                             : row->letter && option[1] == row->letter && !option[2];
        if (is_it && (!row->command || !strcmp(row->command, command->name))) return row->instead;
    }
    return NULL;
}
