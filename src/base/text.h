// SPDX-License-Identifier: Apache-2.0
/* Whole files, numbers and nearest names. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"

/* What is read as a whole has a bound, so that an endless input (/dev/zero, a pipe) is an error and takes
 * no more memory than this: TEXT_MOST, unless there is a reason for another one. Guesses, far above
 * what compilers, people and recordings write (doc/limits.md). */
#define TEXT_MOST (UINT64_C(256) << 20)
#define TEXT_MOST_YAML (UINT64_C(16) << 20)
#define TEXT_MOST_PROFILE (UINT64_C(1) << 30)

/* Reads a whole file into the arena, with a NUL after its last byte. */
ws_status text_read_file(struct diag *diag, struct arena *arena, const char *path, char **out,
                         size_t *out_size);
ws_status text_read_at_most(struct diag *diag, struct arena *arena, const char *path, uint64_t most,
                            char **out, size_t *out_size);
/* The same up to the first zero in it. */
ws_status text_read_to_zero(struct diag *diag, struct arena *arena, const char *path, uint64_t most,
                            char **out);
/* The old file stays until the new one is whole (outfile.h). */
ws_status text_write_file(struct diag *diag, const char *path, const void *bytes, size_t size);

/* Is it the path of a file descriptor (/proc/self/fd/3)? It has neither a name nor a folder. */
bool text_is_descriptor(const char *path);

/* Edit distance with transpositions, ignoring case. */
unsigned text_distance(const char *a, const char *b);

/* The names nearest to `wanted`, best first: "'v100', 'v100s'" or "" if none is near: at most a third
 * of its letters may be wrong, or it is part of the name.
 * The result lives in the arena. */
const char *text_nearest(struct arena *arena, const char *wanted, const char *const *names,
                         size_t count);

/* The same as the end of a message: " (did you mean 'v100', 'v100s'?)" or "". */
const char *text_hint(struct arena *arena, const char *wanted, const char *const *names,
                      size_t count);

/* Strict numbers: the whole text must be one; no locale. */
bool text_to_double(const char *text, double *out);
bool text_to_u64(const char *text, uint64_t *out);
bool text_to_i64(const char *text, int64_t *out);

#endif
