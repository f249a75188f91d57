// SPDX-License-Identifier: Apache-2.0
#include "answer/run_session.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"

struct reading {
    struct diag *diag;
    struct arena *arena;
    const char *folder, *report_prefix;
    bool wants_timeline;
    struct run_session *out;
    const char *process; /* the one whose files are being read, and its number from 1 */
    uint64_t process_number;
    size_t kernel_room, missing_room, note_room, launch_room, report_room;
};

/* A file of the folder that is being read. */
struct session_file {
    const char *name, *process;
    size_t first_report; /* of this process */
    size_t most_lines;
};

/* ---- fields ---------------------------------------------------------------------------------- */

enum { TIME_DIGITS = 9, HOST_DIGITS = 3 };

/* Cuts a line at its tabs. */
static size_t cut(char *line, char **fields, size_t capacity)
{
    size_t count = 0;
    for (char *rest = line, *field; count < capacity && (field = strsep(&rest, "\t")) != NULL;)
        fields[count++] = field;
    return count;
}

/* The program may have set a locale whose decimal point is a comma. As many digits are kept as say something. */
static bool read_seconds(char *text, int digits, double *out)
{
    char *comma = strchr(text, ','), rounded[32];
    if (comma) *comma = '.';
    if (!text_to_double(text, out) || !(*out >= 0)) return false;
    snprintf(rounded, sizeof rounded, "%.*g", digits, *out);
    return text_to_double(rounded, out);
}

static bool read_shape(char *text, uint64_t out[3])
{
    char *rest = text;
    for (unsigned i = 0; i < 3; i++) {
        const char *part = strsep(&rest, ",");
        if (!part || !text_to_u64(part, &out[i])) return false;
    }
    return !rest;
}

static bool read_counts(char *const *fields, struct run_counts *out)
{
    uint64_t *const to[] = {&out->launches, &out->counted,   &out->reused,
                            &out->scaled,   &out->uncounted, &out->failed};
    for (size_t i = 0; i < sizeof to / sizeof *to; i++)
        if (!text_to_u64(fields[i], to[i])) return false;
    return true;
}

uint64_t run_timed(const struct run_counts *counts)
{
    return counts->counted + counts->reused + counts->scaled;
}

static void add_counts(struct run_counts *sum, const struct run_counts *more)
{
    sum->launches += more->launches;
    sum->counted += more->counted;
    sum->reused += more->reused;
    sum->scaled += more->scaled;
    sum->uncounted += more->uncounted;
    sum->failed += more->failed;
}

static void add_note(struct reading *reading, const char *text)
{
    struct run_session *out = reading->out;
    for (size_t i = 0; i < out->note_count; i++)
        if (!strcmp(out->notes[i], text)) return;
    GROW(out->notes, out->note_count, reading->note_room);
    out->notes[out->note_count++] = arena_copy(reading->arena, text);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void add_kernel(struct reading *reading, const struct run_kernel *row)
{
    struct run_session *out = reading->out;
    for (size_t i = 0; i < out->kernel_count; i++) {
        struct run_kernel *there = &out->kernels[i];
        if (strcmp(there->name, row->name) != 0) continue;
        struct run_kernel sum = row->heaviest_seconds > there->heaviest_seconds ? *row : *there;
        sum.counts = there->counts;
        add_counts(&sum.counts, &row->counts);
        sum.warp_instructions = there->warp_instructions + row->warp_instructions;
        sum.host_seconds = there->host_seconds + row->host_seconds;
        sum.by_kernels = there->by_kernels + row->by_kernels;
        sum.parent = *there->parent ? there->parent : row->parent;
        sum.total_seconds = there->total_seconds + row->total_seconds;
        sum.least_seconds = !run_timed(&there->counts) ? row->least_seconds
                            : !run_timed(&row->counts)
                                ? there->least_seconds
                                : fmin(there->least_seconds, row->least_seconds);
        sum.most_seconds = fmax(there->most_seconds, row->most_seconds);
        *there = sum;
        return;
    }
    GROW(out->kernels, out->kernel_count, reading->kernel_room);
    out->kernels[out->kernel_count++] = *row;
}

static void note_running(struct reading *reading, const char *kernel)
{
    add_note(reading, arena_format(reading->arena,
                                   "The program ended while kernel %s was executing: that launch "
                                   "is not counted.",
                                   kernel));
}

static bool read_kernel(struct reading *reading, char *const *f)
{
    struct run_kernel row = {0};
    bool is_good =
        read_counts(&f[1], &row.counts) && read_seconds(f[7], TIME_DIGITS, &row.total_seconds) &&
        read_seconds(f[8], TIME_DIGITS, &row.least_seconds) &&
        read_seconds(f[9], TIME_DIGITS, &row.most_seconds) &&
        read_seconds(f[10], TIME_DIGITS, &row.heaviest_seconds) && read_shape(f[11], row.grid) &&
        read_shape(f[12], row.block) && !strchr(f[13], '/') &&
        text_to_u64(f[15], &row.warp_instructions) &&
        read_seconds(f[17], HOST_DIGITS, &row.host_seconds) && text_to_u64(f[19], &row.by_kernels);
    if (!is_good) return false;
    if (*f[18] == '1') note_running(reading, f[16]);
    if (!row.counts.launches) return true;
    if (*f[13]) row.profile = arena_format(reading->arena, "%s/%s", reading->folder, f[13]);
    row.bottleneck = arena_copy(reading->arena, f[14]);
    row.name = arena_copy(reading->arena, f[16]);
    row.parent = arena_copy(reading->arena, f[20]);
    add_kernel(reading, &row);
    return true;
}

static bool read_missing(struct reading *reading, char *const *f)
{
    struct run_session *out = reading->out;
    uint64_t calls;
    if (!text_to_u64(f[1], &calls)) return false;
    for (size_t i = 0; i < out->missing_count; i++)
        if (!strcmp(out->missing[i].name, f[2])) {
            out->missing[i].calls += calls;
            return true;
        }
    GROW(out->missing, out->missing_count, reading->missing_room);
    out->missing[out->missing_count++] =
        (struct run_missing){arena_copy(reading->arena, f[2]), calls};
    return true;
}

static bool read_note(struct reading *reading, char *const *f)
{
    for (char *c = f[1]; *c; c++)
        if (*c == '\x01') *c = '\n';
    add_note(reading, f[1]);
    return true;
}

enum {
    KERNEL_FIELDS = 21,
    LAUNCH_FIELDS = 10,
    TABLE_ROWS = 2048 /* ROWS of runtime/session.c */,
    EVENT_ROWS = 6144 + 1 /* EVENTS of event_log.c, and a head */
};

/* A row of its kind alone has been begun, and has nothing to say yet. */
static bool read_row(struct reading *reading, const struct session_file *file, char *line)
{
    static const struct {
        const char *kind;
        size_t fields;
        bool (*read)(struct reading *reading, char *const *fields);
    } kinds[] = {
        {"kernel", KERNEL_FIELDS, read_kernel},
        {"missing", 3, read_missing},
        {"note", 2, read_note},
    };
    char *fields[KERNEL_FIELDS + 1];
    size_t length = strlen(line);
    (void)file;
    while (length && line[length - 1] == ' ')
        line[--length] = '\0';
    size_t count = cut(line, fields, KERNEL_FIELDS + 1);
    for (size_t i = 0; count > 1 && i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(fields[0], kinds[i].kind))
            return count >= kinds[i].fields && kinds[i].read(reading, fields);
    return true;
}

/* ---- launches -------------------------------------------------------------------------------- */

/* A file name: ordinal and kernel, without what file systems or shells may not like. */
static const char *report_name(const struct reading *reading, uint64_t ordinal, const char *kernel)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    char *name = arena_format(reading->arena, "%s%06llu-%.80s.json", reading->report_prefix,
                              (unsigned long long)ordinal, kernel);
    for (char *c = name; *c; c++)
        if (!strchr(plain, *c)) *c = '_';
    return name;
}

static const char *add_report(struct reading *reading, const struct session_file *file,
                              const struct run_launch *launch, uint64_t number)
{
    struct run_session *out = reading->out;
    const struct run_report report = {
        .file = report_name(reading, launch->ordinal, launch->kernel),
        .profile = arena_format(reading->arena, "%s/%s-launch-%llu.profile", reading->folder,
                                file->process, (unsigned long long)number),
        .number = number};
    GROW(out->reports, out->report_count, reading->report_room);
    out->reports[out->report_count++] = report;
    return report.file;
}

/* Of the counted launch whose counts another one of its process took over; numbers ascend. */
static const char *find_report(const struct reading *reading, const struct session_file *file,
                               uint64_t number)
{
    const struct run_report *reports = reading->out->reports;
    size_t low = file->first_report, high = reading->out->report_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (reports[middle].number == number) return reports[middle].file;
        if (reports[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return "";
}

static bool read_launch(struct reading *reading, const struct session_file *file, char *line)
{
    struct run_session *out = reading->out;
    static const char *const ways[] = {"counted", "reused", "scaled"};
    struct run_launch one = {.ordinal = out->launch_count + 1};
    char *f[LAUNCH_FIELDS];
    uint64_t number;
    if (cut(line, f, LAUNCH_FIELDS) < LAUNCH_FIELDS) return false;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (!strcmp(f[0], ways[i])) one.how = ways[i];
    if (!one.how || !read_seconds(f[1], TIME_DIGITS, &one.seconds) || !text_to_u64(f[2], &number) ||
        !read_shape(f[3], one.grid) || !read_shape(f[4], one.block) ||
        !text_to_u64(f[5], &one.dynamic_shared_bytes) ||
        !text_to_u64(f[7], &one.warp_instructions) ||
        !read_seconds(f[8], TIME_DIGITS, &one.l2_found) || one.l2_found > 1)
        return false;
    one.kernel = arena_copy(reading->arena, f[6]);
    one.parent = arena_copy(reading->arena, f[9]);
    one.report = one.how == ways[0] ? add_report(reading, file, &one, number)
                                    : find_report(reading, file, number);
    GROW(out->launches, out->launch_count, reading->launch_room);
    out->launches[out->launch_count++] = one;
    return true;
}

/* ---- timeline -------------------------------------------------------------------------------- */

static bool read_timeline(struct reading *reading, const struct session_file *file, char *line)
{
    (void)file;
    return run_timeline_read(&reading->out->timeline, reading->arena, reading->process_number,
                             line);
}

/* ---- the folder ------------------------------------------------------------------------------ */

static ws_status read_lines(struct reading *reading, const struct session_file *file,
                            bool (*read)(struct reading *reading, const struct session_file *file,
                                         char *line))
{
    struct arena scratch = {0};
    char *text, *line;
    size_t lines = 0, bad = 0;
    const char *path = arena_format(&scratch, "%s/%s", reading->folder, file->name);
    ws_status status = text_read_to_zero(reading->diag, &scratch, path, TEXT_MOST_PROFILE, &text);
    /* Behind the last row of a table are zeros. */
    while (status == WS_OK && text && *text && (line = strsep(&text, "\n")) != NULL)
        bad += lines++ >= file->most_lines || !read(reading, file, line);
    if (bad)
        add_note(reading, arena_format(&scratch,
                                       "%zu of the lines that a process of the program left cannot "
                                       "be read (%s): launches may be missing here.",
                                       bad, file->name));
    arena_clear(&scratch);
    return status;
}

/* A kind of file of a process: its end, and how many lines it may have. */
static const struct file_kind {
    const char *suffix;
    size_t most_lines;
    bool (*read)(struct reading *reading, const struct session_file *file, char *line);
} file_kinds[] = {
    {".table", TABLE_ROWS, read_row},
    {".launches", SIZE_MAX, read_launch},
    {".calls", EVENT_ROWS, read_timeline},
    {".work", EVENT_ROWS, read_timeline},
};

static const struct file_kind *kind_of(const struct reading *reading, const char *name)
{
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof file_kinds / sizeof *file_kinds; i++) {
        const struct file_kind *kind = &file_kinds[i];
        bool is_wanted = kind->read == read_launch     ? reading->report_prefix != NULL
                         : kind->read == read_timeline ? reading->wants_timeline
                                                       : true;
        if (is_wanted && !strcmp(dot, kind->suffix)) return kind;
    }
    return NULL;
}

static void begin_process(struct reading *reading, const char *process)
{
    if (!reading->process || strcmp(reading->process, process) != 0) reading->process_number++;
    reading->process = process;
}

static ws_status read_file(struct reading *reading, const char *name)
{
    struct stat status;
    const struct file_kind *kind = kind_of(reading, name);
    const char *path = arena_format(reading->arena, "%s/%s", reading->folder, name);
    if (!kind || (stat(path, &status) == 0 && !S_ISREG(status.st_mode))) return WS_OK;
    const struct session_file file = {
        .name = name,
        .process = arena_copy_n(reading->arena, name, strlen(name) - strlen(kind->suffix)),
        .first_report = reading->out->report_count,
        .most_lines = kind->most_lines,
    };
    begin_process(reading, file.process);
    reading->out->processes += kind->read == read_row;
    return read_lines(reading, &file, kind->read);
}

static int by_process(const void *a, const void *b)
{
    return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

static void close_folder(void *folder)
{
    closedir(folder);
}

static ws_status list_files(const struct reading *reading, const char ***out, size_t *out_count)
{
    const char **names = NULL;
    size_t count = 0, capacity = 0;
    struct mem_guard guard;
    const struct dirent *entry;
    DIR *folder = opendir(reading->folder);
    if (!folder) {
        mem_check_errno();
        return diag_error(reading->diag, WS_ERR_IO, "%s: cannot open the folder of the session: %s",
                          reading->folder, strerror(errno));
    }
    mem_guard_begin(&guard, close_folder, folder);
    while ((entry = readdir(folder)) != NULL) {
        GROW(names, count, capacity);
        names[count++] = arena_copy(reading->arena, entry->d_name);
    }
    mem_guard_end(&guard);
    closedir(folder);
    if (count) qsort(names, count, sizeof *names, by_process);
    *out = names;
    *out_count = count;
    return WS_OK;
}

ws_status run_session_files(struct diag *diag, struct arena *arena, const char *folder,
                            const char *suffix, const char ***out)
{
    const struct reading reading = {.diag = diag, .arena = arena, .folder = folder};
    const char **names = NULL;
    size_t count = 0, kept = 0;
    *out = NULL;
    TRY(list_files(&reading, &names, &count));
    *out = ARENA_ARRAY(arena, const char *, count + 1);
    for (size_t i = 0; i < count; i++) {
        const char *dot = strrchr(names[i], '.');
        if (dot && !strcmp(dot, suffix))
            (*out)[kept++] = arena_format(arena, "%s/%s", folder, names[i]);
    }
    mem_free(names);
    return WS_OK;
}

static int heaviest_first(const void *left, const void *right)
{
    const struct run_kernel *a = left, *b = right;
    if (a->total_seconds != b->total_seconds) return a->total_seconds > b->total_seconds ? -1 : 1;
    return strcmp(a->name, b->name);
}

static void *move(struct arena *arena, void *items, size_t count, size_t bytes)
{
    void *kept = arena_zalloc(arena, count + 1, bytes);
    if (count) memcpy(kept, items, count * bytes);
    mem_free(items);
    return kept;
}

/* The lists grew outside the arena. */
static void end_reading(const struct reading *reading)
{
    struct run_session *out = reading->out;
#define MOVE(list, count) ((list) = move(reading->arena, (list), (count), sizeof *(list)))
    MOVE(out->kernels, out->kernel_count);
    MOVE(out->missing, out->missing_count);
    MOVE(out->notes, out->note_count);
    MOVE(out->launches, out->launch_count);
    MOVE(out->reports, out->report_count);
#undef MOVE
    run_timeline_end(&out->timeline, reading->arena);
    qsort(out->kernels, out->kernel_count, sizeof *out->kernels, heaviest_first);
    for (size_t i = 0; i < out->kernel_count; i++) {
        add_counts(&out->totals, &out->kernels[i].counts);
        out->total_seconds += out->kernels[i].total_seconds;
    }
    for (size_t i = 0; out->total_seconds > 0 && i < out->kernel_count; i++)
        out->kernels[i].share = out->kernels[i].total_seconds / out->total_seconds;
}

ws_status run_session_read(struct diag *diag, struct arena *arena, const char *folder,
                           const char *report_prefix, bool wants_timeline, struct run_session *out)
{
    struct reading reading = {.diag = diag,
                              .arena = arena,
                              .folder = folder,
                              .report_prefix = report_prefix,
                              .wants_timeline = wants_timeline,
                              .out = out};
    const char **names = NULL;
    size_t count = 0;
    *out = (struct run_session){0};
    TRY(list_files(&reading, &names, &count));
    ws_status status = WS_OK;
    for (size_t i = 0; i < count && status == WS_OK; i++)
        status = read_file(&reading, names[i]);
    mem_free(names);
    end_reading(&reading);
    return status;
}
