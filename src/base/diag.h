// SPDX-License-Identifier: Apache-2.0
/* Messages of failures. Every fallible function of the library takes a struct diag, fills it and
 * returns its status: `return diag_error(d, WS_ERR_INPUT, "..." )`. These functions never raise
 * (base/memory.h): a text that there is no memory for is cut short.
 * Form: doc/definitions.md#messages. The text is kept until the next error. */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <warpsage/warpsage.h>

struct diag {
    char *text; /* owned; NULL when nothing failed yet, or there was no memory for it */
    ws_status status;
    bool outlives_calls; /* a context's: its text is kept when memory runs out */
    char reserve[200];   /* the text that took no memory; "": none */
};

/* A text input and a place in it. line and column count from 1; 0: unknown. */
struct source_place {
    const char *file;
    const char *text; /* whole input, for the quoted line; may be NULL */
    size_t size;
    uint32_t line, column, length; /* length of the caret mark, at least 1 */
};

void diag_clear(struct diag *diag);
/* "" when nothing failed yet. */
const char *diag_text(const struct diag *diag);
/* WS_ERR_MEMORY; takes no memory. 0 bytes: who needed it does not say how much. */
ws_status diag_out_of_memory(struct diag *diag, size_t bytes);
ws_status diag_error(struct diag *diag, ws_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "file:line:col: error: what" with the source line and a caret beneath. */
ws_status diag_error_at(struct diag *diag, ws_status status, const struct source_place *place,
                        const char *format, ...) __attribute__((format(printf, 4, 5)));
/* The same from a list. subject: what it is about, quoted in front, "'kernel': what"; NULL: nothing. */
ws_status diag_verror_at(struct diag *diag, ws_status status, const struct source_place *place,
                         const char *subject, const char *format, va_list list)
    __attribute__((format(printf, 5, 0)));
/* Appends a further line to the message of the error just made. */
void diag_add(struct diag *diag, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define TRY(expression)                                                                            \
    do {                                                                                           \
        ws_status try_status_ = (expression);                                                      \
        if (try_status_ != WS_OK) return try_status_;                                              \
    } while (0)

#endif
