// SPDX-License-Identifier: Apache-2.0
/* The members of a finding and their keys in JSON, for finding_write.c and finding_read.c. */
#ifndef CHECK_FINDING_FILE_H
#define CHECK_FINDING_FILE_H

#include "check/finding.h"

#define FINDINGS_SCHEMA "warpsage.findings/1"

enum member_kind {
    MEMBER_WORD,
    MEMBER_COUNT,
    MEMBER_TRIPLE, /* three counts, if the byte `present_at` is set */
    MEMBER_FRAMES,
    MEMBER_PART, /* a struct with members of its own, likewise */
};

struct member {
    const char *key;
    enum member_kind kind;
    size_t at;         /* offset in its struct */
    size_t present_at; /* of a bool; 0: always there */
    const struct member *members;
};

/* Each ends with a row without key. */
extern const struct member finding_members[], finding_frame_members[];

#endif
