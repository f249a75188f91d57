// SPDX-License-Identifier: Apache-2.0
/* Reads the tables that the processes of the program left (runtime/session.c has their form). */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/run.h"

/* Cuts a line at its tabs. */
static size_t cut(char *line, const char **fields, size_t capacity)
{
    size_t count = 0;
    for (char *rest = line, *field; count < capacity && (field = strsep(&rest, "\t")) != NULL;)
        fields[count++] = field;
    return count;
}

static uint64_t number(const char *text)
{
    return strtoull(text, NULL, 10);
}

static void read_shape(const char *text, uint32_t out[3])
{
    for (unsigned i = 0; i < 3; i++) {
        char *end;
        out[i] = (uint32_t)strtoul(text, &end, 10);
        text = *end ? end + 1 : end;
    }
}

static void merge(struct cli *cli, struct run_table *table, const struct run_kernel *row)
{
    for (size_t i = 0; i < table->kernel_count; i++) {
        struct run_kernel *there = &table->kernels[i];
        if (strcmp(there->name, row->name) != 0) continue;
        struct run_kernel sum = row->heaviest_seconds > there->heaviest_seconds ? *row : *there;
        sum.launches = there->launches + row->launches;
        sum.measured = there->measured + row->measured;
        sum.reused = there->reused + row->reused;
        sum.scaled = there->scaled + row->scaled;
        sum.uncounted = there->uncounted + row->uncounted;
        sum.warp_instructions = there->warp_instructions + row->warp_instructions;
        sum.failed = there->failed + row->failed;
        sum.total_seconds = there->total_seconds + row->total_seconds;
        if (there->least_seconds < sum.least_seconds) sum.least_seconds = there->least_seconds;
        if (row->least_seconds < sum.least_seconds) sum.least_seconds = row->least_seconds;
        if (there->most_seconds > sum.most_seconds) sum.most_seconds = there->most_seconds;
        if (row->most_seconds > sum.most_seconds) sum.most_seconds = row->most_seconds;
        *there = sum;
        return;
    }
    CLI_APPEND(cli, table->kernels, table->kernel_count, *row);
}

static void read_kernel(struct cli *cli, struct run_table *table, const char *folder,
                        const char *const *f)
{
    struct run_kernel row = {
        .launches = number(f[1]),
        .measured = number(f[2]),
        .reused = number(f[3]),
        .scaled = number(f[4]),
        .uncounted = number(f[5]),
        .failed = number(f[6]),
        .total_seconds = strtod(f[7], NULL),
        .least_seconds = strtod(f[8], NULL),
        .most_seconds = strtod(f[9], NULL),
        .heaviest_seconds = strtod(f[10], NULL),
        .profile = *f[13] ? cli_format(cli, "%s/%s", folder, f[13]) : "",
        .bottleneck = cli_copy(cli, f[14]),
        .warp_instructions = number(f[15]),
        .name = cli_copy(cli, f[16]),
    };
    read_shape(f[11], row.grid);
    read_shape(f[12], row.block);
    if (row.launches) merge(cli, table, &row);
}

static void add_missing(struct cli *cli, struct run_table *table, const char *name, uint64_t count)
{
    for (size_t i = 0; i < table->missing_count; i++)
        if (!strcmp(table->missing[i].name, name)) {
            table->missing[i].count += count;
            return;
        }
    struct run_missing one = {cli_copy(cli, name), count};
    CLI_APPEND(cli, table->missing, table->missing_count, one);
}

static void add_note(struct cli *cli, struct run_table *table, const char *text)
{
    char *copy = cli_copy(cli, text);
    for (char *c = copy; *c; c++)
        if (*c == '\x01') *c = '\n';
    for (size_t i = 0; i < table->note_count; i++)
        if (!strcmp(table->notes[i], copy)) return;
    CLI_APPEND(cli, table->notes, table->note_count, copy);
}

static void read_line(struct cli *cli, struct run_table *table, const char *folder, char *line)
{
    enum { KERNEL_FIELDS = 17 };
    const char *fields[KERNEL_FIELDS + 1];
    size_t length = strlen(line);
    while (length && (line[length - 1] == ' ' || line[length - 1] == '\n'))
        line[--length] = '\0';
    size_t count = cut(line, fields, KERNEL_FIELDS + 1);
    if (!strcmp(fields[0], "kernel") && count >= KERNEL_FIELDS)
        read_kernel(cli, table, folder, fields);
    else if (!strcmp(fields[0], "missing") && count >= 3)
        add_missing(cli, table, fields[2], number(fields[1]));
    else if (!strcmp(fields[0], "note") && count >= 2)
        add_note(cli, table, fields[1]);
    else if (!strcmp(fields[0], "running") && count >= 2 && *fields[1])
        add_note(cli, table,
                 cli_format(cli,
                            "The program ended while kernel %s was executing: that launch is not "
                            "counted.",
                            fields[1]));
}

static void read_launch(struct cli *cli, struct run_table *table, const char *folder,
                        const char *process, char *line)
{
    enum { FIELDS = 8 };
    const char *f[FIELDS];
    line[strcspn(line, "\n")] = '\0';
    if (cut(line, f, FIELDS) < FIELDS) return;
    struct run_launch one = {
        .how = cli_copy(cli, f[0]),
        .seconds = strtod(f[1], NULL),
        .number = number(f[2]),
        .profile = cli_format(cli, "%s/%s-launch-%s.profile", folder, process, f[2]),
        .grid = cli_copy(cli, f[3]),
        .block = cli_copy(cli, f[4]),
        .dynamic_shared_bytes = number(f[5]),
        .name = cli_copy(cli, f[6]),
        .warp_instructions = number(f[7]),
    };
    CLI_APPEND(cli, table->launches, table->launch_count, one);
}

static int read_file(struct cli *cli, struct run_table *table, const char *folder, const char *name)
{
    const char *dot = strrchr(name, '.');
    bool rows = dot && !strcmp(dot, ".table"), launches = dot && !strcmp(dot, ".launches");
    if (!rows && !launches) return EXIT_DONE;
    const char *path = cli_format(cli, "%s/%s", folder, name);
    FILE *file = fopen(path, "re");
    if (!file) return cli_error(cli, EXIT_RUN_OURS, "%s: %s", path, strerror(errno));
    char *line = NULL, *process = cli_copy(cli, name);
    size_t room = 0;
    process[dot - name] = '\0';
    table->processes += rows;
    /* Behind the last row the file holds zeros. */
    while (getline(&line, &room, file) > 0 && *line)
        if (rows)
            read_line(cli, table, folder, line);
        else
            read_launch(cli, table, folder, process, line);
    free(line);
    fclose(file);
    return EXIT_DONE;
}

static int heaviest_first(const void *left, const void *right)
{
    const struct run_kernel *a = left, *b = right;
    if (a->total_seconds != b->total_seconds) return a->total_seconds > b->total_seconds ? -1 : 1;
    return strcmp(a->name, b->name);
}

int run_table_read(struct cli *cli, const char *folder, struct run_table *out)
{
    struct dirent **names = NULL;
    *out = (struct run_table){0};
    int count = scandir(folder, &names, NULL, versionsort), exit_code = EXIT_DONE;
    if (count < 0) return cli_error(cli, EXIT_RUN_OURS, "%s: %s", folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        if (exit_code == EXIT_DONE) exit_code = read_file(cli, out, folder, names[i]->d_name);
        free(names[i]);
    }
    free(names);
    if (out->kernel_count)
        qsort(out->kernels, out->kernel_count, sizeof *out->kernels, heaviest_first);
    for (size_t i = 0; i < out->kernel_count; i++) {
        const struct run_kernel *kernel = &out->kernels[i];
        out->total_seconds += kernel->total_seconds;
        out->launch_total += kernel->launches;
        out->measured += kernel->measured;
        out->reused += kernel->reused;
        out->scaled += kernel->scaled;
        out->uncounted += kernel->uncounted;
        out->failed += kernel->failed;
    }
    return exit_code;
}
