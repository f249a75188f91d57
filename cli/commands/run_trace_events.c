// SPDX-License-Identifier: Apache-2.0
/* --timeline FILE: calls of the API, launches, copies and fills of a run in the Trace Event Format, which Perfetto and
 * chrome://tracing read. A track for calls, one for each stream; microseconds of virtual time. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "cli/commands/run.h"

struct writer {
    FILE *file;
    bool has_some;
};

static void put_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            fprintf(file, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            fprintf(file, "\\u%04x", (unsigned char)*text);
        else
            fputc(*text, file);
    fputc('"', file);
}

static void begin_event(struct writer *w, const char *kind, double process, double track)
{
    fprintf(w->file, "%s{\"ph\": \"%s\", \"pid\": %.0f, \"tid\": %.0f", w->has_some ? ",\n" : "",
            kind, process, track);
    w->has_some = true;
}

static double number(ws_node table, const char *column, size_t row)
{
    double value = NAN;
    ws_table_numbers(table, ws_table_find(table, column), row, &value, 1);
    return value;
}

/* Track 0 has the calls, 1 the default streams, 2 and more the others. */
static void put_row(struct writer *w, ws_node table, size_t row, bool is_call)
{
    double begin = number(table, "begin_s", row), end = number(table, "end_s", row);
    double stream = is_call ? -1 : number(table, "stream", row);
    begin_event(w, is_call ? "i" : "X", number(table, "process", row), stream + 1);
    fprintf(w->file, ", \"ts\": %.6f, ", 1e6 * begin);
    if (is_call)
        fputs("\"s\": \"t\", ", w->file);
    else
        fprintf(w->file, "\"dur\": %.6f, ", 1e6 * (end - begin));
    fputs("\"cat\": ", w->file);
    put_text(w->file, ws_table_word(table, ws_table_find(table, "kind"), row));
    fputs(", \"name\": ", w->file);
    put_text(w->file, ws_table_word(table, ws_table_find(table, "name"), row));
    fprintf(w->file, ", \"args\": {\"count\": %.0f, \"bytes\": %.0f}}", number(table, "count", row),
            number(table, "bytes", row));
}

static void put_track_name(struct writer *w, double process, double track)
{
    begin_event(w, "M", process, track);
    fputs(", \"name\": \"thread_name\", \"args\": {\"name\": ", w->file);
    if (track > 1)
        fprintf(w->file, "\"stream %.0f\"}}", track - 1);
    else
        fprintf(w->file, "\"%s\"}}", track > 0 ? "default stream" : "CUDA API");
}

static void put_table(struct writer *w, ws_node table, bool is_call)
{
    for (size_t row = 0; row < ws_node_count(table); row++) {
        double process = number(table, "process", row);
        double track = is_call ? 0 : number(table, "stream", row) + 1;
        bool is_new = true; /* has no row before had it? Streams are few. */
        for (size_t before = row; before > 0 && is_new; before--)
            is_new = number(table, "process", before - 1) != process ||
                     (!is_call && number(table, "stream", before - 1) + 1 != track);
        if (is_new) put_track_name(w, process, track);
        put_row(w, table, row, is_call);
    }
}

int run_write_timeline(struct cli *cli, const ws_answer *answer, const char *path)
{
    ws_node timeline = ws_node_find(ws_answer_root(answer), "timeline");
    struct writer w = {.file = fopen(path, "we")};
    if (!w.file) return cli_error(cli, EXIT_RUN_OURS, "%s: %s", path, strerror(errno));
    fputs("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n", w.file);
    put_table(&w, ws_node_find(timeline, "calls"), true);
    put_table(&w, ws_node_find(timeline, "work"), false);
    fputs("\n]}\n", w.file);
    bool failed = ferror(w.file);
    if (fclose(w.file) == 0 && !failed) return EXIT_DONE;
    return cli_error(cli, EXIT_RUN_OURS, "%s: %s", path, strerror(errno));
}
