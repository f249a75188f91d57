// SPDX-License-Identifier: Apache-2.0
/* Findings as SARIF 2.1.0 (OASIS, 2020), which editors and code hosts show at the lines they are about:
 *
 *     struct sarif sarif = {.root = folder};
 *     sarif_begin(&sarif, out, rules, rule_count);
 *     sarif_put(&sarif, &result);      each finding
 *     sarif_end(&sarif, &invocation);
 *
 * Numbers in brackets are sections of the standard. */
#ifndef RENDER_SARIF_H
#define RENDER_SARIF_H

#include "render/json_out.h"

enum sarif_level { SARIF_NOTE, SARIF_WARNING, SARIF_ERROR };

struct sarif_rule {
    const char *id, *title, *help; /* help: plain text; NULL: none */
    const char *tag;               /* NULL: performance */
    enum sarif_level level;        /* that results usually have, if `has_level` */
    bool has_level;
};

/* A further place, and what it has to do with the result. */
struct sarif_place {
    const char *file, *text;
    uint32_t line; /* from 1; 0: unknown */
};

/* A value in the property bag of a result. */
struct sarif_property {
    const char *name, *text; /* text NULL: the number, left out if NAN */
    double number;
};

struct sarif_result {
    size_t rule; /* index of its rule */
    enum sarif_level level;
    const char *message;
    const char *file;               /* path; NULL: unknown */
    uint32_t line;                  /* from 1; 0: unknown */
    const char *function, *mangled; /* NULL: none */
    const struct sarif_property *properties;
    size_t property_count;
    uint32_t column; /* from 1; 0: unknown */
    const struct sarif_place *related;
    size_t related_count;
    bool is_suppressed, in_source; /* by a comment there, else by a file */
    const char *justification;     /* NULL: none */
};

/* How the analysis itself went. */
struct sarif_invocation {
    bool is_successful;
    const char *const *notes;
    size_t note_count;
};

struct sarif {
    const char
        *root; /* absolute folder: paths below it are written from there; NULL: as they are */
    /* For sarif.c. */
    struct json_out json;
    const struct sarif_rule *rules;
};

void sarif_begin(struct sarif *sarif, struct strbuf *out, const struct sarif_rule *rules,
                 size_t rule_count);
void sarif_put(struct sarif *sarif, const struct sarif_result *result);
/* invocation NULL: nothing is said of it. */
void sarif_end(struct sarif *sarif, const struct sarif_invocation *invocation);

/* The URI of a path (3.4.4, RFC 3986): relative below `root`, else of an absolute path with the scheme file. */
void sarif_put_uri(struct strbuf *out, const char *path, const char *root);

#endif
