// SPDX-License-Identifier: Apache-2.0
/* Lines of source files that code names, where they are still there. */
#ifndef BASE_SOURCE_FILES_H
#define BASE_SOURCE_FILES_H

#include <stddef.h>
#include <stdint.h>

struct source_file;
/* All zeros: none was read yet. */
struct source_files {
    struct source_file *items;
    size_t count;
};

/* Line `line`, from 1, of the file `name` in `folder` (NULL: none), else of `name` as it stands; *out_size bytes,
 * valid until source_files_clear. NULL: the file or the line is not there. */
const char *source_files_line(struct source_files *files, const char *folder, const char *name,
                              uint32_t line, size_t *out_size);
void source_files_clear(struct source_files *files);

#endif
