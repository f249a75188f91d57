// SPDX-License-Identifier: Apache-2.0
/* Most texts are read here, in one pass; Jansson reads what has other escapes than those of one letter, bytes
 * beyond ASCII, or numbers of many digits, and tells what is wrong with a text that is no JSON. */
#include "base/json_tree.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Beyond these Jansson reads: depth; members of an object, which are compared with each other; digits. */
enum { DEPTH_MAX = 64, MEMBERS_MAX = 4096, DIGITS_MAX = 18 };

/* Functions that return false leave the text to Jansson. */
struct pass {
    const char *at, *end;
    char *copy; /* of the text: strings lie in it, each with a zero behind it */
    const char *text;
    struct arena *arena;
    struct json_tree *open; /* the items of the arrays and objects that are not complete yet */
    uint32_t *hashes;       /* of their keys */
    size_t open_count, open_capacity;
    unsigned depth;
};

static bool read_value(struct pass *p, struct json_tree *out);

/* Zero is the end: in no text that is read here. */
static char current(const struct pass *p)
{
    return p->at < p->end ? *p->at : '\0';
}

static char next_char(struct pass *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\n' || *p->at == '\t' || *p->at == '\r'))
        p->at++;
    return current(p);
}

/* ---- strings --------------------------------------------------------------------------------- */

static bool read_escape(struct pass *p, char *out)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const char *found = p->at < p->end && *p->at ? strchr(letters, *p->at) : NULL;
    if (!found) return false;
    *out = meanings[found - letters];
    p->at++;
    return true;
}

static bool read_string(struct pass *p, const char **out)
{
    char *begin = p->copy + (p->at + 1 - p->text), *write = begin;
    for (p->at++; p->at < p->end; write++) {
        unsigned char c = (unsigned char)*p->at++;
        if (c == '"') {
            *write = '\0';
            *out = begin;
            return true;
        }
        if (c < 0x20 || c > 0x7e) return false;
        if (c == '\\' && !read_escape(p, (char *)&c)) return false;
        *write = (char)c;
    }
    return false;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits behind those that `value` has already, and how many. */
static unsigned read_digits(struct pass *p, uint64_t *value)
{
    unsigned count = 0;
    for (; is_digit(current(p)); count++)
        *value = *value * 10 + (uint64_t)(*p->at++ - '0');
    return count;
}

/* A fraction or exponent that begins here; of a locale with another point Jansson knows more. */
static bool read_real(struct pass *p, const char *start, struct json_tree *out)
{
    char digits[64], *rest;
    uint64_t unused = 0;
    if (current(p) == '.') {
        p->at++;
        if (!read_digits(p, &unused)) return false;
    }
    if (current(p) == 'e' || current(p) == 'E') {
        p->at++;
        if (current(p) == '+' || current(p) == '-') p->at++;
        if (!read_digits(p, &unused)) return false;
    }
    size_t length = (size_t)(p->at - start);
    if (length >= sizeof digits) return false;
    memcpy(digits, start, length);
    digits[length] = '\0';
    out->kind = JSON_KIND_REAL;
    out->real = strtod(digits, &rest);
    return rest == digits + length && isfinite(out->real);
}

static bool read_number(struct pass *p, struct json_tree *out)
{
    const char *start = p->at;
    bool is_negative = *start == '-';
    uint64_t value = 0;
    p->at += is_negative;
    bool has_zero = current(p) == '0';
    unsigned digits = read_digits(p, &value);
    if (!digits || digits > DIGITS_MAX || (has_zero && digits > 1)) return false;
    char c = current(p);
    if (c == '.' || c == 'e' || c == 'E') return read_real(p, start, out);
    out->kind = JSON_KIND_WHOLE;
    out->whole = is_negative ? -(int64_t)value : (int64_t)value;
    return true;
}

/* ---- arrays and objects ---------------------------------------------------------------------- */

/* FNV-1a, 32 bits (draft-eastlake-fnv). */
static uint32_t hash_key(const char *key)
{
    uint32_t hash = 2166136261u;
    for (; *key; key++)
        hash = (hash ^ (unsigned char)*key) * 16777619u;
    return hash;
}

/* False also where only the hashes of two keys are the same: Jansson compares the keys. */
static bool is_new_key(const struct pass *p, size_t first, uint32_t hash)
{
    bool is_known = false;
    for (size_t i = first; i < p->open_count; i++)
        is_known |= p->hashes[i] == hash;
    return !is_known && p->open_count - first < MEMBERS_MAX;
}

static void add_item(struct pass *p, const struct json_tree *item, uint32_t hash)
{
    size_t capacity = p->open_capacity;
    GROW(p->open, p->open_count, p->open_capacity);
    if (p->open_capacity > capacity)
        p->hashes = mem_realloc(p->hashes, p->open_capacity * sizeof *p->hashes);
    p->open[p->open_count] = *item;
    p->hashes[p->open_count++] = hash;
}

static bool read_item(struct pass *p, size_t first, bool is_object)
{
    struct json_tree item = {0};
    uint32_t hash = 0;
    if (is_object) {
        if (current(p) != '"' || !read_string(p, &item.key) || next_char(p) != ':') return false;
        hash = hash_key(item.key);
        p->at++;
        next_char(p);
        if (!is_new_key(p, first, hash)) return false;
    }
    if (!read_value(p, &item)) return false;
    add_item(p, &item, hash);
    return true;
}

static bool read_items(struct pass *p, struct json_tree *out)
{
    bool is_object = *p->at == '{';
    char close = is_object ? '}' : ']';
    size_t first = p->open_count;
    if (++p->depth > DEPTH_MAX) return false;
    p->at++;
    if (next_char(p) != close)
        for (;; p->at++) {
            next_char(p);
            if (!read_item(p, first, is_object)) return false;
            if (next_char(p) != ',') break;
        }
    if (current(p) != close) return false;
    p->at++;
    p->depth--;
    size_t count = p->open_count - first;
    struct json_tree *items = ARENA_ARRAY(p->arena, struct json_tree, count + 1);
    if (count) memcpy(items, p->open + first, count * sizeof *items);
    p->open_count = first;
    out->kind = is_object ? JSON_KIND_OBJECT : JSON_KIND_ARRAY;
    out->items = items;
    out->count = count;
    return true;
}

static bool read_word(struct pass *p, const char *word, enum json_kind kind, struct json_tree *out)
{
    size_t length = strlen(word);
    if ((size_t)(p->end - p->at) < length || memcmp(p->at, word, length) != 0) return false;
    p->at += length;
    out->kind = (uint8_t)kind;
    return true;
}

static bool read_value(struct pass *p, struct json_tree *out)
{
    switch (current(p)) {
    case '{':
    case '[':
        return read_items(p, out);
    case '"':
        out->kind = JSON_KIND_STRING;
        return read_string(p, &out->string);
    case 't':
        return read_word(p, "true", JSON_KIND_TRUE, out);
    case 'f':
        return read_word(p, "false", JSON_KIND_FALSE, out);
    case 'n':
        return read_word(p, "null", JSON_KIND_NULL, out);
    default:
        return (current(p) == '-' || is_digit(current(p))) && read_number(p, out);
    }
}

static bool read_here(struct arena *arena, const char *text, size_t size, struct json_tree *root)
{
    struct pass pass = {.at = text, .end = text + size, .text = text, .arena = arena};
    pass.copy = arena_copy_n(arena, text, size);
    char first = next_char(&pass);
    bool is_read = (first == '{' || first == '[') && read_value(&pass, root);
    next_char(&pass);
    mem_free(pass.open);
    mem_free(pass.hashes);
    return is_read && pass.at == pass.end;
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void copy_jansson(struct arena *arena, json_t *json, struct json_tree *out)
{
    static const uint8_t kinds[] = {
        [JSON_OBJECT] = JSON_KIND_OBJECT, [JSON_ARRAY] = JSON_KIND_ARRAY,
        [JSON_STRING] = JSON_KIND_STRING, [JSON_INTEGER] = JSON_KIND_WHOLE,
        [JSON_REAL] = JSON_KIND_REAL,     [JSON_TRUE] = JSON_KIND_TRUE,
        [JSON_FALSE] = JSON_KIND_FALSE,   [JSON_NULL] = JSON_KIND_NULL,
    };
    out->kind = kinds[json_typeof(json)];
    if (json_is_string(json)) out->string = arena_copy(arena, json_string_value(json));
    if (json_is_integer(json)) out->whole = json_integer_value(json);
    if (json_is_real(json)) out->real = json_real_value(json);
    if (!json_is_object(json) && !json_is_array(json)) return;
    out->count = json_is_object(json) ? json_object_size(json) : json_array_size(json);
    struct json_tree *items = ARENA_ARRAY(arena, struct json_tree, out->count + 1), *item = items;
    out->items = items;
    const char *key;
    json_t *value;
    json_object_foreach(json, key, value)
    {
        item->key = arena_copy(arena, key);
        copy_jansson(arena, value, item++);
    }
    for (size_t i = 0; i < json_array_size(json); i++)
        copy_jansson(arena, json_array_get(json, i), &items[i]);
}

static void drop_jansson(void *json)
{
    json_decref(json);
}

static ws_status read_by_jansson(struct diag *diag, struct arena *arena, const char *name,
                                 const char *text, size_t size, struct json_tree *root)
{
    json_error_t error;
    errno = 0; /* Jansson takes some failures of memory for mistakes in the text, others for none */
    json_t *json = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    if (errno == ENOMEM) json_decref(json);
    mem_check_errno();
    if (!json) {
        struct source_place place = {.file = name,
                                     .text = text,
                                     .size = size,
                                     .line = error.line > 0 ? (uint32_t)error.line : 1,
                                     .column = error.column > 0 ? (uint32_t)error.column : 1,
                                     .length = 1};
        return diag_error_at(diag, WS_ERR_INPUT, &place, "not valid JSON: %s", error.text);
    }
    struct mem_guard guard;
    mem_guard_begin(&guard, drop_jansson, json);
    copy_jansson(arena, json, root);
    mem_guard_end(&guard);
    json_decref(json);
    return WS_OK;
}

ws_status json_tree_read(struct diag *diag, struct arena *arena, const char *name, const char *text,
                         size_t size, const struct json_tree **out)
{
    struct json_tree *root = ARENA_ARRAY(arena, struct json_tree, 1);
    *out = root;
    if (read_here(arena, text, size, root)) return WS_OK;
    *root = (struct json_tree){0};
    return read_by_jansson(diag, arena, name, text, size, root);
}

/* ---- questions ------------------------------------------------------------------------------- */

const struct json_tree *json_tree_get(const struct json_tree *object, const char *key)
{
    if (!json_tree_is(object, JSON_KIND_OBJECT)) return NULL;
    for (size_t i = 0; i < object->count; i++)
        if (!strcmp(object->items[i].key, key)) return &object->items[i];
    return NULL;
}

bool json_tree_is(const struct json_tree *tree, enum json_kind kind)
{
    return tree && tree->kind == kind;
}

bool json_tree_is_number(const struct json_tree *tree)
{
    return json_tree_is(tree, JSON_KIND_WHOLE) || json_tree_is(tree, JSON_KIND_REAL);
}

double json_tree_number(const struct json_tree *tree)
{
    if (json_tree_is(tree, JSON_KIND_WHOLE)) return (double)tree->whole;
    return json_tree_is(tree, JSON_KIND_REAL) ? tree->real : 0;
}

const char *json_tree_string(const struct json_tree *tree)
{
    return json_tree_is(tree, JSON_KIND_STRING) ? tree->string : NULL;
}
