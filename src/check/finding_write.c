// SPDX-License-Identifier: Apache-2.0
/* Findings as JSON: members that are unknown are left out. */
#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "check/finding_file.h"

/* Jansson frees what it is given in any case; if memory ran out for a part, nothing is written. */
struct writer {
    bool failed;
};

static void put(struct writer *w, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0) w->failed = true;
}

/* Names may hold any byte; what is no UTF-8 becomes '?'. */
static json_t *word(const char *text)
{
    json_t *json = json_string(text);
    if (json) return json;
    char *copy = mem_try_alloc(strlen(text) + 1);
    if (!copy) return NULL;
    size_t length = 0;
    for (; text[length]; length++)
        copy[length] = (unsigned char)text[length] < 128 ? text[length] : '?';
    copy[length] = '\0';
    json = json_string(copy);
    mem_free(copy);
    return json;
}

static json_t *count_of(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static void put_members(struct writer *w, json_t *object, const void *at,
                        const struct member *members);

static json_t *frames_of(struct writer *w, const struct finding_frames *frames)
{
    json_t *list = json_array();
    for (size_t i = 0; i < frames->count; i++) {
        json_t *frame = json_object();
        put_members(w, frame, &frames->items[i], finding_frame_members);
        if (json_array_append_new(list, frame) != 0) w->failed = true;
    }
    return list;
}

static json_t *triple_of(struct writer *w, const uint64_t values[3])
{
    json_t *list = json_array();
    for (int i = 0; i < 3; i++)
        if (json_array_append_new(list, count_of(values[i])) != 0) w->failed = true;
    return list;
}

static void put_member(struct writer *w, json_t *object, const char *at,
                       const struct member *member)
{
    const void *value = at + member->at;
    const char *text = member->kind == MEMBER_WORD ? *(const char *const *)value : NULL;
    const struct finding_frames *frames = value;
    if (member->present_at && !*(const bool *)(at + member->present_at)) return;
    if (text) put(w, object, member->key, word(text));
    if (member->kind == MEMBER_COUNT && *(const uint64_t *)value)
        put(w, object, member->key, count_of(*(const uint64_t *)value));
    if (member->kind == MEMBER_TRIPLE) put(w, object, member->key, triple_of(w, value));
    if (member->kind == MEMBER_FRAMES && frames->count)
        put(w, object, member->key, frames_of(w, frames));
    if (member->kind == MEMBER_PART) {
        json_t *part = json_object();
        put_members(w, part, value, member->members);
        put(w, object, member->key, part);
    }
}

static void put_members(struct writer *w, json_t *object, const void *at,
                        const struct member *members)
{
    for (; members->key; members++)
        put_member(w, object, at, members);
}

static json_t *words_of(struct writer *w, const char *const *words, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        if (json_array_append_new(list, word(words[i])) != 0) w->failed = true;
    return list;
}

static json_t *findings_json(struct writer *w, const struct finding_list *findings)
{
    json_t *root = json_object(), *list = json_array();
    put(w, root, "schema", json_string(FINDINGS_SCHEMA));
    if (findings->tools) put(w, root, "tools", word(findings->tools));
    put(w, root, "launches", count_of(findings->launches));
    put(w, root, "unchecked_launches", count_of(findings->unchecked_launches));
    put(w, root, "unchecked_kernels",
        words_of(w, findings->unchecked_kernels, findings->unchecked_count));
    put(w, root, "left_out", count_of(findings->left_out));
    put(w, root, "kernels", words_of(w, findings->kernels, findings->kernel_count));
    put(w, root, "notes", words_of(w, findings->notes, findings->note_count));
    for (size_t i = 0; i < findings->count; i++) {
        json_t *finding = json_object();
        put_members(w, finding, &findings->items[i], finding_members);
        if (json_array_append_new(list, finding) != 0) w->failed = true;
    }
    put(w, root, "findings", list);
    return root;
}

static int keep(const char *bytes, size_t size, void *text)
{
    return strbuf_try_append(text, bytes, size) ? 0 : -1;
}

ws_status finding_list_save(struct diag *diag, const char *path,
                            const struct finding_list *findings)
{
    struct writer w = {0};
    struct strbuf text = {0};
    errno = 0;
    json_t *root = findings_json(&w, findings);
    bool done = !w.failed && json_dump_callback(root, keep, &text, JSON_INDENT(1)) == 0;
    json_decref(root);
    mem_check_errno();
    if (!done) mem_raise(text.length);
    strbuf_putc(&text, '\n');
    ws_status status = text_write_file(diag, path, text.data, text.length);
    strbuf_clear(&text);
    return status;
}
