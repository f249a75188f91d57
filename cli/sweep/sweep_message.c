// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/sweep_message.h"

#include <stdlib.h>
#include <string.h>

enum { KIND_LAUNCH = 1, KIND_POINT };

void message_clear(struct sweep_message *message)
{
    free(message->bytes);
    *message = (struct sweep_message){0};
}

uint8_t *message_room(struct sweep_message *message, size_t size)
{
    if (message->room - message->size < size) {
        size_t room = 2 * message->room + size + 4096;
        uint8_t *bytes = realloc(message->bytes, room);
        if (!bytes) {
            message->is_lost = true;
            return NULL;
        }
        message->bytes = bytes;
        message->room = room;
    }
    return message->bytes + message->size;
}

static void put(struct sweep_message *message, const void *bytes, size_t size)
{
    uint8_t *to = message_room(message, size);
    if (!to) return;
    memcpy(to, bytes, size);
    message->size += size;
}

static void get(struct sweep_message *message, void *bytes, size_t size)
{
    bool is_there = message->size - message->at >= size;
    if (is_there)
        memcpy(bytes, message->bytes + message->at, size);
    else
        memset(bytes, 0, size);
    message->is_lost |= !is_there;
    message->at += is_there ? size : 0;
}

/* With its end, so that the reader need not copy it; NULL is a length of its own. */
static void put_text(struct sweep_message *message, const char *text)
{
    uint32_t bytes = text ? (uint32_t)strlen(text) + 1 : 0;
    put(message, &bytes, sizeof bytes);
    if (text) put(message, text, bytes);
}

static const char *get_text(struct sweep_message *message)
{
    uint32_t bytes;
    get(message, &bytes, sizeof bytes);
    const char *text = (const char *)message->bytes + message->at;
    if (bytes > message->size - message->at || (bytes && text[bytes - 1])) message->is_lost = true;
    if (message->is_lost || !bytes) return NULL;
    message->at += bytes;
    return text;
}

static void put_kind(struct sweep_message *message, uint8_t kind)
{
    put(message, &kind, sizeof kind);
}

void message_put_job(struct sweep_message *message, uint64_t job)
{
    put(message, &job, sizeof job);
}

/* Numbers as they lie in memory, then the texts. */
void message_put_launch(struct sweep_message *message, const struct launch_result *result)
{
    put_kind(message, KIND_LAUNCH);
    put(message, result, sizeof *result);
    put_text(message, result->kernel);
    put_text(message, result->status);
    put_text(message, result->message);
}

void message_put_point(struct sweep_message *message, const struct point_result *result)
{
    put_kind(message, KIND_POINT);
    put(message, result, sizeof *result);
    put_text(message, result->status);
    put_text(message, result->message);
    put_text(message, result->model);
    put_text(message, result->limit);
}

static int store_launch(struct sweep_message *message, struct sweep_store *store)
{
    struct launch_result result;
    get(message, &result, sizeof result);
    result.kernel = get_text(message);
    result.status = get_text(message);
    result.message = get_text(message);
    return message->is_lost ? EXIT_BUG : store_add_launch(store, &result);
}

static int store_point(struct sweep_message *message, struct sweep_store *store)
{
    struct point_result result;
    get(message, &result, sizeof result);
    result.status = get_text(message);
    result.message = get_text(message);
    result.model = get_text(message);
    result.limit = get_text(message);
    return message->is_lost ? EXIT_BUG : store_add_point(store, &result);
}

static int store_rows(struct sweep_message *message, struct sweep_store *store)
{
    while (message->at < message->size) {
        uint8_t kind;
        get(message, &kind, sizeof kind);
        CLI_TRY(kind == KIND_LAUNCH  ? store_launch(message, store)
                : kind == KIND_POINT ? store_point(message, store)
                                     : EXIT_BUG);
    }
    return EXIT_DONE;
}

int message_store(struct cli *cli, struct sweep_message *message, struct sweep_store *store,
                  uint64_t *out_job)
{
    get(message, out_job, sizeof *out_job);
    CLI_TRY(store_begin(store));
    int exit_code = store_rows(message, store);
    if (exit_code == EXIT_BUG) cli_error(cli, EXIT_BUG, "the results of a job cannot be read");
    if (exit_code == EXIT_DONE) return store_commit(store);
    sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return exit_code;
}
