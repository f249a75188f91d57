// SPDX-License-Identifier: Apache-2.0
/* The link to `warpsage run`: options come in a file, results go out in a table.
 *
 * WARPSAGE_RUN names a folder. Its file `options` has lines KEY=VALUE. Each process that uses the stand-in
 * keeps `PID.table` there: rows of ROW_BYTES characters, padded with spaces and ended by a newline,
 * mapped into memory, so that what ran can be reported however the program ends:
 *
 *     kernel TAB launches TAB measured TAB ...     tally.c writes it, src/answer/run_session.c reads it
 *     missing TAB count TAB name
 *     used                                         by a process that called CUDA
 *     note TAB text                                newlines in it are \x01 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "runtime.h"

enum { ROW_BYTES = 4096, ROWS = 2048 }; /* names of C++ are long */
struct row {
    char text[ROW_BYTES];
};

static struct {
    struct row *rows;
    unsigned used;
    pid_t owner; /* a child after fork keeps a table of its own */
} table;

static struct option_key {
    const char *key;
    size_t offset;
} const texts[] = {
    {"gpu", offsetof(struct options, gpu)},
    {"machines", offsetof(struct options, machines)},
    {"tools", offsetof(struct options, tools)},
    {"only", offsetof(struct options, only)},
    {"report-dir", offsetof(struct options, report_dir)},
    {"host-isa", offsetof(struct options, host_isa)},
    {"engine", offsetof(struct options, engine)},
    {"l2", offsetof(struct options, l2)},
    {"clock", offsetof(struct options, model)},
    {"check", offsetof(struct options, check)},
};

static void set_option(struct options *options, const char *key, const char *value)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!strcmp(key, texts[i].key)) {
            char **place = (char **)(void *)((char *)options + texts[i].offset);
            free(*place);
            *place = strdup(value);
        }
    if (!strcmp(key, "skip")) options->skip = strtoull(value, NULL, 10);
    if (!strcmp(key, "max-instructions")) options->max_instructions = strtoull(value, NULL, 10);
    if (!strcmp(key, "count")) options->count = strtoull(value, NULL, 10);
    if (!strcmp(key, "threads")) options->threads = (unsigned)strtoul(value, NULL, 10);
    if (!strcmp(key, "every-launch")) options->every_launch = strcmp(value, "1") == 0;
    if (!strcmp(key, "leaks")) options->leaks = strcmp(value, "0") != 0;
    if (!strcmp(key, "timeline")) options->timeline = strcmp(value, "1") == 0;
    if (!strcmp(key, "virtual-time")) options->virtual_time = strcmp(value, "1") == 0;
    if (!strcmp(key, "traces")) options->traces = strcmp(value, "1") == 0;
    if (!strcmp(key, "clock"))
        options->clock = !strcmp(value, "host")        ? CLOCK_HOST
                         : !strcmp(value, "predicted") ? CLOCK_PREDICTED
                                                       : CLOCK_MODEL;
    if (!strcmp(key, "isa"))
        options->isa = !strcmp(value, "native") ? ISA_NATIVE
                       : !strcmp(value, "ptx")  ? ISA_PTX
                                                : ISA_AUTO;
    if (!strcmp(key, "clock-jitter")) options->jitter = strtod(value, NULL) / 100;
}

void session_start(struct options *options)
{
    const char *folder = getenv("WARPSAGE_RUN");
    *options = (struct options){.count = UINT64_MAX, .leaks = true};
    if (!folder || !*folder) return;
    options->folder = strdup(folder);
    char *path = session_path("options"), *line = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "re");
    free(path);
    while (file && getline(&line, &room, file) >= 0) {
        line[strcspn(line, "\n")] = '\0';
        char *equals = strchr(line, '=');
        if (!equals) continue;
        *equals = '\0';
        set_option(options, line, equals + 1);
    }
    free(line);
    if (file) fclose(file);
}

char *session_path(const char *name)
{
    char *path = NULL;
    const char *folder = runtime.options.folder;
    if (!folder || asprintf(&path, "%s/%s", folder, name) < 0) return NULL;
    return path;
}

/* From any thread that executes blocks. */
bool session_is_over(void *unused)
{
    enum { INTERVAL_MS = 100 };
    static const char *path;
    static int64_t next;
    static bool over;
    struct timespec now;
    (void)unused;
    if (__atomic_load_n(&over, __ATOMIC_RELAXED)) return true;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    int64_t ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    if (ms < __atomic_load_n(&next, __ATOMIC_RELAXED)) return false;
    __atomic_store_n(&next, ms + INTERVAL_MS, __ATOMIC_RELAXED);
    if (!__atomic_load_n(&path, __ATOMIC_ACQUIRE))
        __atomic_store_n(&path, session_path("stop"), __ATOMIC_RELEASE);
    if (!path || access(path, F_OK) != 0) return false;
    __atomic_store_n(&over, true, __ATOMIC_RELAXED);
    return true;
}

static struct row *map_table(void)
{
    char name[32];
    snprintf(name, sizeof name, "%ld.table", (long)getpid());
    char *path = session_path(name);
    int file = path ? open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
    free(path);
    size_t bytes = (size_t)ROWS * ROW_BYTES;
    void *map = MAP_FAILED;
    if (file >= 0 && ftruncate(file, (off_t)bytes) == 0)
        map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0) close(file);
    return map == MAP_FAILED ? NULL : map;
}

struct row *row_create(const char *kind)
{
    if (!table.rows || table.owner != getpid()) {
        /* After a fork, rows of the parent stay the parent's; this process starts with none. */
        table.rows = map_table();
        table.used = 0;
        table.owner = getpid();
    }
    if (!table.rows || table.used == ROWS) return NULL;
    struct row *row = &table.rows[table.used++];
    row_set(row, "%s", kind);
    return row;
}

void row_set(struct row *row, const char *format, ...)
{
    if (!row) return;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(row->text, ROW_BYTES - 1, format, arguments);
    va_end(arguments);
    if (length < 0 || length > ROW_BYTES - 2) length = ROW_BYTES - 2;
    memset(row->text + length, ' ', (size_t)(ROW_BYTES - 1 - length));
    row->text[ROW_BYTES - 1] = '\n';
}

char *row_field(struct row *row, unsigned index, size_t bytes)
{
    char *field = row ? row->text : NULL;
    const char *end = row ? row->text + ROW_BYTES - 1 : NULL;
    for (; field && index; index--) {
        field = memchr(field, '\t', (size_t)(end - field));
        if (field) field++;
    }
    return field && bytes <= (size_t)(end - field) ? field : NULL;
}

/* ---- notes ----------------------------------------------------------------------------------- */

struct told {
    struct told *next;
    char *text;
};

static bool told_before(const char *text)
{
    static struct told *all;
    for (const struct told *one = all; one; one = one->next)
        if (!strcmp(one->text, text)) return true;
    struct told *one = calloc(1, sizeof *one);
    if (!one) return true;
    *one = (struct told){all, strdup(text)};
    all = one;
    return !one->text;
}

static char *format_text(const char *format, va_list arguments)
{
    char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0) return NULL;
    return text;
}

_Noreturn void out_of_memory(size_t bytes)
{
    dprintf(STDERR_FILENO, "warpsage: out of host memory: cannot allocate %zu bytes\n", bytes);
    _exit(125);
}

void note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = format_text(format, arguments);
    va_end(arguments);
    if (text && !told_before(text)) {
        for (char *c = text; *c; c++)
            if (*c == '\n') *c = '\x01';
        row_set(row_create("note"), "note\t%s", text);
    }
    free(text);
}

void tell(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = format_text(format, arguments);
    va_end(arguments);
    if (text && !told_before(text)) {
        fflush(stdout); /* what the program has said so far comes first */
        fprintf(stderr, "warpsage: %s\n", text);
    }
    free(text);
}

enum { MISSING_MOST = 512 };
static struct missing {
    const char *name;
    uint64_t count;
    struct row *row;
} missing[MISSING_MOST];

bool session_has_missing(void)
{
    return missing[0].name != NULL;
}

void note_missing(const char *name)
{
    struct missing *seen = missing;
    size_t i = 0;
    while (i < MISSING_MOST && seen[i].name && strcmp(seen[i].name, name) != 0)
        i++;
    if (i == MISSING_MOST) return;
    if (!seen[i].name) seen[i].row = row_create("missing");
    seen[i].name = name;
    seen[i].count++;
    row_set(seen[i].row, "missing\t%llu\t%s", (unsigned long long)seen[i].count, name);
}
