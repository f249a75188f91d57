// SPDX-License-Identifier: Apache-2.0
/* The numbers and words of a JSON object whose members a table of figures describes (report_read.h). */
#ifndef ANSWER_REPORT_FIGURES_H
#define ANSWER_REPORT_FIGURES_H

#include <jansson.h>
#include <stdarg.h>

#include "answer/report_read.h"
#include "base/figure.h"

struct report_reader {
    struct diag *diag;
    struct arena *arena;
    const char *name; /* of the file */
};

/* "FILE: error: PATH: ..." */
ws_status report_fail(const struct report_reader *r, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A member that must be an object, a list or a text; the last may be missing or null: NULL. `path` names
 * the object in messages, "" at the top. */
ws_status report_object(const struct report_reader *r, const json_t *of, const char *path,
                        const char *key, json_t **out);
ws_status report_list(const struct report_reader *r, const json_t *of, const char *path,
                      const char *key, json_t **out);
ws_status report_text(const struct report_reader *r, const json_t *of, const char *path,
                      const char *key, const char **out);
/* A number; missing or null: NAN. */
ws_status report_number(const struct report_reader *r, const json_t *of, const char *path,
                        const char *key, double *out);

/* Every number of `record` in `json`, and of the sections and keyed lists below it, unless `skips` says so of
 * its id. `prefix` is what ids begin with. */
typedef bool report_skip_fn(const char *id);
ws_status report_walk(const struct report_reader *r, const struct record *record,
                      const json_t *json, const char *path, const char *prefix,
                      report_skip_fn *skips, struct report_figures *out);

/* The value at `id`, ids with '/' between them, as a word: a text, number, or list of numbers. Nothing if
 * it is not there. */
ws_status report_add_word(const struct report_reader *r, const json_t *json, const char *path,
                          const char *id, struct report_words *out);
void report_put_word(const struct report_reader *r, struct report_words *out, const char *id,
                     const char *text);

#endif
