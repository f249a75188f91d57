// SPDX-License-Identifier: Apache-2.0
/* Writes JSON into a strbuf: indented, keys in the order written, never NaN. `key` is NULL inside
 * an array and at the top. (The prefix is long because jansson has the short names.) */
#ifndef RENDER_JSON_OUT_H
#define RENDER_JSON_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

struct json_out {
    struct strbuf *out; /* the only member to set; zero the others */
    unsigned depth;
    bool has_items; /* the container that is open has a member already */
    bool in_line;   /* to be set by the caller: members that follow stand in one line */
};

void json_out_open(struct json_out *json, const char *key, char bracket);
void json_out_close(struct json_out *json, char bracket);
/* text NULL writes null; bytes that are not UTF-8 become U+FFFD. */
void json_out_string(struct json_out *json, const char *key, const char *text);
/* NaN and infinities are written as null: callers give the reason beside it. */
void json_out_number(struct json_out *json, const char *key, double value);
void json_out_count(struct json_out *json, const char *key, uint64_t value);
void json_out_bool(struct json_out *json, const char *key, bool value);
void json_out_null(struct json_out *json, const char *key);

/* A text with its quotes, for JSON in another form; bytes as in json_out_string. */
void json_out_quote(struct strbuf *out, const char *text);

#endif
