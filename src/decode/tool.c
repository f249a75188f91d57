// SPDX-License-Identifier: Apache-2.0
/* Running the compilers: found in the caller's path, started without a shell. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "decode/compile_cuda.h"

char *tool_find(const char *tool_path, const char *name)
{
    const char *at = tool_path;
    while (at && *at) {
        size_t length = strcspn(at, ":");
        struct strbuf path = {0};
        strbuf_append(&path, at, length);
        strbuf_printf(&path, "/%s", name);
        struct stat info;
        bool usable = length > 0 && access(path.data, X_OK) == 0 && stat(path.data, &info) == 0 &&
                      S_ISREG(info.st_mode);
        if (usable) return strbuf_take(&path);
        strbuf_clear(&path);
        at += length + (at[length] == ':');
    }
    return NULL;
}

/* At most a megabyte is kept: compilers can say a lot. */
static void read_all(int from, struct strbuf *text)
{
    enum { KEPT = 1 << 20 };
    char block[4096];
    for (;;) {
        ssize_t got = read(from, block, sizeof block);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return;
        if (text->length < KEPT) strbuf_append(text, block, (size_t)got);
    }
}

static bool wait_for(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool tool_run(const char *const *arguments, const char *tool_path, char **out)
{
    int ends[2];
    pid_t child;
    struct strbuf text = {0};
    posix_spawn_file_actions_t actions;
    struct strbuf path = {0};
    strbuf_printf(&path, "PATH=%s", tool_path ? tool_path : "");
    char *environment[] = {path.data, (char[]){"LC_ALL=C"}, NULL};
    *out = NULL;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        strbuf_clear(&path);
        return false;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    /* posix_spawn takes char *const *, but changes nothing */
    int error = posix_spawn(&child, arguments[0], &actions, NULL,
                            (char *const *)(uintptr_t)arguments, environment);
    strbuf_clear(&path);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error == 0) read_all(ends[0], &text);
    close(ends[0]);
    bool done = error == 0 && wait_for(child);
    strbuf_append(&text, "", 0);
    *out = strbuf_take(&text);
    return done;
}

char *tool_make_folder(void)
{
    struct strbuf path = {0};
    strbuf_puts(&path, P_tmpdir "/warpsage-XXXXXX");
    if (!mkdtemp(path.data)) {
        strbuf_clear(&path);
        return NULL;
    }
    return strbuf_take(&path);
}

void tool_remove_folder(char *folder, const char *const *files, size_t count)
{
    for (size_t i = 0; i < count; i++)
        unlink(files[i]);
    rmdir(folder);
    mem_free(folder);
}

/* The first lines of what a compiler said: errors come first, and one of its own crashes is long. */
static void keep_first_lines(char *text)
{
    enum { LINES = 24 };
    unsigned lines = 0;
    for (char *at = text; *at; at++) {
        if (*at != '\n' || ++lines < LINES) continue;
        *at = '\0';
        return;
    }
}

ws_status tool_compile(const struct tool_job *job, const char *const *arguments, const char *what,
                       char **out, size_t *out_size)
{
    char *said;
    bool done = tool_run(arguments, job->tool_path, &said);
    ws_status status = WS_ERR_INPUT;
    if (said) keep_first_lines(said);
    if (done)
        status = text_read_file(job->diag, job->arena, job->ptx, out, out_size);
    else
        diag_error(job->diag, status, "%s: %s could not compile this file:\n%s", job->path, what,
                   said ? said : "");
    mem_free(said);
    return status;
}
