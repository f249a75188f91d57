// SPDX-License-Identifier: Apache-2.0
/* Tools of the CUDA toolkit and clang, run as programs of their own. */
#ifndef DECODE_TOOL_H
#define DECODE_TOOL_H

#include "base/arena.h"
#include "base/diag.h"

/* The program `name` in the colon-separated folders; malloc'ed, NULL if none. */
char *tool_find(const char *tool_path, const char *name);

/* Runs a program without a shell, with nothing but PATH in its environment. Its standard output and
 * error go to `out`, to be freed with mem_free. False if it could not be started, did not end with 0, or
 * not within so many seconds: then it is stopped with all that it started, and `out` says so. */
bool tool_run(const char *const *arguments, const char *tool_path, unsigned seconds, char **out);
/* Guesses: about ten times what the slowest of them takes on a slow computer. */
enum { TOOL_QUESTION_SECONDS = 10, TOOL_PTXAS_SECONDS = 60, TOOL_COMPILE_SECONDS = 600 };

/* A folder of our own for temporary files, malloc'ed; NULL if none could be made. */
char *tool_make_folder(void);
/* Removes the named files of the folder and the folder, and frees its name. */
void tool_remove_folder(char *folder, const char *const *files, size_t count);

/* A file that a compiler turns into PTX, with a header of ours; ptx and header are temporary files. */
struct tool_job {
    struct diag *diag;
    struct arena *arena;
    const char *path, *tool_path;
    const char *ptx, *header;
};
/* Runs the compiler; *out is the text that it wrote to job->ptx. `what` names it in messages. */
ws_status tool_compile(const struct tool_job *job, const char *const *arguments, const char *what,
                       char **out, size_t *out_size);

#endif
