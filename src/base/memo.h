// SPDX-License-Identifier: Apache-2.0
/* What is worked out once from something that does not change, and kept with that. Several threads may
 * look up and add at once; none waits for another. Entries stay where they are until memo_clear. */
#ifndef BASE_MEMO_H
#define BASE_MEMO_H

#include <stddef.h>
#include <stdint.h>

enum { MEMO_KEY_WORDS = 4, MEMO_BRANCHES = 4 };

/* What the result depends on; words that are not used are 0. */
struct memo_key {
    uint64_t words[MEMO_KEY_WORDS];
};

/* Begins the user's struct, which is one block of mem_alloc; all but `below` stays as it was added. */
struct memo_entry {
    struct memo_entry *below[MEMO_BRANCHES]; /* by the bits of the hash that follow */
    struct memo_key key;
    void (*release)(struct memo_entry *entry); /* what else the entry has; NULL: nothing */
};

/* All zeros: empty. One block of mem_alloc, too: entries belong to the call as long as it does. */
struct memo {
    struct memo_entry *first;
    size_t taken; /* memo_take */
};

/* NULL: it is not there. */
const struct memo_entry *memo_find(const struct memo *memo, const struct memo_key *key);
/* Takes `made`, whose key is set. Returns the entry of this key: `made`, or that of a thread that was
 * faster; then `made` is freed. Other blocks that `made` has are the caller's to keep (mem_keep) unless
 * mem_is_of_call(memo). */
const struct memo_entry *memo_add(struct memo *memo, struct memo_entry *made);
/* Bytes of large entries, for those who bound them: notes that so many more are taken; how many are. */
void memo_take(struct memo *memo, size_t bytes);
size_t memo_taken(const struct memo *memo);
/* Frees the entries. */
void memo_clear(struct memo *memo);

#endif
