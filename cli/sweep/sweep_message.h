// SPDX-License-Identifier: Apache-2.0
/* Results of a job as bytes, between the process that computes and the one that stores. Both are of one program on
 * computers of one kind. */
#ifndef CLI_SWEEP_MESSAGE_H
#define CLI_SWEEP_MESSAGE_H

#include "cli/sweep/sweep_store.h"

struct sweep_message {
    uint8_t *bytes; /* freed by message_clear */
    size_t size, room;
    size_t at;    /* of the reader */
    bool is_lost; /* memory did not suffice, or the bytes are no message */
};

void message_clear(struct sweep_message *message);
/* Room for so many bytes more behind the end; NULL: out of memory. */
uint8_t *message_room(struct sweep_message *message, size_t size);
void message_put_job(struct sweep_message *message, uint64_t job);
void message_put_launch(struct sweep_message *message, const struct launch_result *result);
void message_put_point(struct sweep_message *message, const struct point_result *result);
/* Into the store, in a transaction of its own; *out_job: whose results they are. */
int message_store(struct cli *cli, struct sweep_message *message, struct sweep_store *store,
                  uint64_t *out_job);

#endif
