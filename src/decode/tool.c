// SPDX-License-Identifier: Apache-2.0
/* Running the compilers: found in the caller's path, started without a shell. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "decode/tool.h"

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

/* ---- a program and its end ------------------------------------------------------------------- */

/* A program that runs; on every way out it is waited for. */
struct running {
    pid_t child;
    int from; /* its standard output and error */
    double until_seconds;
    bool is_late;
};

static double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The program and all that it started: drivers of compilers start others. Stopped first, so that none is
 * started meanwhile. They stay in the terminal's group, and end with it. */
static void kill_tree(pid_t pid, unsigned depth)
{
    enum { DEEPEST = 8 };
    char path[64];
    kill(pid, SIGSTOP);
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)pid, (long)pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    char children[1024] = "";
    ssize_t got = file >= 0 ? read(file, children, sizeof children - 1) : 0;
    if (file >= 0) close(file);
    children[got > 0 ? got : 0] = '\0';
    for (char *at = children, *end; depth < DEEPEST; at = end) {
        long child = strtol(at, &end, 10);
        if (end == at || child <= 1) break;
        kill_tree((pid_t)child, depth + 1);
    }
    kill(pid, SIGKILL);
}

static void stop(void *of)
{
    struct running *running = of;
    kill_tree(running->child, 0);
    close(running->from);
    while (waitpid(running->child, NULL, 0) < 0 && errno == EINTR)
        continue;
}

/* At most a megabyte is kept: compilers can say a lot. */
static void read_all(struct running *running, struct strbuf *text)
{
    enum { KEPT = 1 << 20 };
    char block[4096];
    for (;;) {
        double left = running->until_seconds - now_seconds();
        struct pollfd ready = {.fd = running->from, .events = POLLIN};
        running->is_late = left <= 0;
        if (running->is_late) return;
        int found = poll(&ready, 1, (int)(left * 1000) + 1);
        if (found <= 0) continue; /* a signal, or the time is up */
        ssize_t got = read(running->from, block, sizeof block);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return;
        if (text->length < KEPT) strbuf_append(text, block, (size_t)got);
    }
}

/* It may have closed its output, and go on. */
static bool wait_for(struct running *running)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    int status;
    for (;;) {
        pid_t ended = waitpid(running->child, &status, WNOHANG);
        if (ended == running->child) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (ended < 0 && errno != EINTR) return false;
        running->is_late = now_seconds() > running->until_seconds;
        if (running->is_late) return false;
        nanosleep(&pause, NULL);
    }
}

static bool start(const char *const *arguments, const char *tool_path, struct running *out)
{
    int ends[2];
    posix_spawn_file_actions_t actions;
    struct strbuf path = {0};
    strbuf_printf(&path, "PATH=%s", tool_path ? tool_path : "");
    char *environment[] = {path.data, (char[]){"LC_ALL=C"}, NULL};
    if (pipe2(ends, O_CLOEXEC) != 0) {
        strbuf_clear(&path);
        return false;
    }
    /* posix_spawn takes char *const *, but changes nothing */
    int error = posix_spawn_file_actions_init(&actions);
    if (!error) {
        error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        if (!error) error = posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
        if (!error) error = posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
        if (!error)
            error = posix_spawn(&out->child, arguments[0], &actions, NULL,
                                (char *const *)(uintptr_t)arguments, environment);
        posix_spawn_file_actions_destroy(&actions);
    }
    strbuf_clear(&path);
    close(ends[1]);
    out->from = ends[0];
    if (!error) return true;
    close(ends[0]);
    if (error == ENOMEM) mem_raise(0);
    return false;
}

bool tool_run(const char *const *arguments, const char *tool_path, unsigned seconds, char **out)
{
    struct running running = {.until_seconds = now_seconds() + seconds};
    struct mem_guard guard;
    struct strbuf text = {0};
    bool done = false;
    *out = NULL;
    if (!start(arguments, tool_path, &running)) return false;
    mem_guard_begin(&guard, stop, &running);
    read_all(&running, &text);
    if (!running.is_late) done = wait_for(&running);
    if (running.is_late)
        strbuf_printf(&text, "%s'%s' timed out after %u s", text.length ? "\n" : "", arguments[0],
                      seconds);
    strbuf_append(&text, "", 0);
    mem_guard_end(&guard);
    if (running.is_late)
        stop(&running);
    else
        close(running.from);
    *out = strbuf_take(&text);
    return done;
}

/* ---- files ----------------------------------------------------------------------------------- */

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
    bool done = tool_run(arguments, job->tool_path, TOOL_COMPILE_SECONDS, &said);
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
