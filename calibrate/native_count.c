// SPDX-License-Identifier: Apache-2.0
#include "calibrate/native_count.h"

#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PATHS = 4096, OPCODE = 64 };

struct native {
    char folder[PATHS];
    char *ptx, *cubin, *sass; /* files in it */
};

static bool open_folder(struct native *native)
{
    const char *temporary = getenv("TMPDIR");
    int length = snprintf(native->folder, sizeof native->folder, "%s/warpsage-native-XXXXXX",
                          temporary && *temporary ? temporary : "/tmp");
    if (length < 0 || length >= PATHS || !mkdtemp(native->folder)) return false;
    native->ptx = calibrate_format("%s/kernel.ptx", native->folder);
    native->cubin = calibrate_format("%s/kernel.cubin", native->folder);
    native->sass = calibrate_format("%s/kernel.sass", native->folder);
    return true;
}

static void close_folder(struct native *native)
{
    unlink(native->ptx);
    unlink(native->cubin);
    unlink(native->sass);
    rmdir(native->folder);
    free(native->ptx);
    free(native->cubin);
    free(native->sass);
}

/* Runs a program of PATH; what it prints goes to the file. */
static bool run(const char *const *arguments, const char *out)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;
    if (posix_spawn_file_actions_init(&actions) != 0) return false;
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out, O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    bool is_started = posix_spawnp(&child, arguments[0], &actions, NULL,
                                   (char *const *)(uintptr_t)arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    while (is_started && waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return false;
    return is_started && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool compile(const struct native *native, const struct gpu_facts *gpu, const char *ptx)
{
    char target[16];
    snprintf(target, sizeof target, "-arch=sm_%u", gpu->cc);
    FILE *out = fopen(native->ptx, "we");
    bool is_written = out && fputs(ptx, out) >= 0;
    if (out) is_written = fclose(out) == 0 && is_written;
    if (!is_written ||
        !run((const char *[]){"ptxas", target, native->ptx, "-o", native->cubin, NULL},
             native->sass))
        return false;
    return run((const char *[]){"nvdisasm", "-c", native->cubin, NULL}, native->sass) ||
           run((const char *[]){"cuobjdump", "-sass", native->cubin, NULL}, native->sass);
}

/* "  /\*0010*\/  @!P0 IMAD.X R1, ... ;" -> IMAD.X; false: no instruction. */
static bool opcode_of(const char *line, char out[OPCODE])
{
    const char *at = strstr(line, "*/");
    if (!at || !strchr(at, ';')) return false;
    at += 2 + strspn(at + 2, " \t");
    if (*at == '@') {
        at += strcspn(at, " \t");
        at += strspn(at, " \t");
    }
    size_t length = strcspn(at, " \t;");
    if (!length || length >= OPCODE) return false;
    memcpy(out, at, length);
    out[length] = '\0';
    return true;
}

/* Matching instructions between the first two reads of the clock; -1: there are none. */
static int count_between(const char *path, const regex_t *meant)
{
    FILE *file = fopen(path, "re");
    char *line = NULL, opcode[OPCODE];
    size_t room = 0;
    int clocks = 0, count = 0;
    while (file && clocks < 2 && getline(&line, &room, file) > 0) {
        if (!opcode_of(line, opcode)) continue;
        if (strstr(line, "SR_CLOCK"))
            clocks++;
        else if (clocks == 1 && regexec(meant, opcode, 0, NULL, 0) == 0)
            count++;
    }
    free(line);
    if (file) fclose(file);
    return clocks == 2 ? count : -1;
}

/* A few more of the same kind may compute the result. */
enum { MORE = 40 };

static bool compare(const struct native *native, const struct plan *plan,
                    struct kernel_text *kernel)
{
    regex_t meant;
    char *pattern = calibrate_format("^(%s)", kernel->native);
    int error = regcomp(&meant, pattern, REG_EXTENDED | REG_NOSUB), count = -1;
    free(pattern);
    if (error) return false;
    if (compile(native, plan->gpu, kernel->ptx)) count = count_between(native->sass, &meant);
    regfree(&meant);
    if (count >= 0 &&
        ((unsigned)count < kernel->native_count || (unsigned)count > kernel->native_count + MORE))
        kernel->remark = calibrate_format("native code has %d of %s, meant were %u", count,
                                          kernel->native, kernel->native_count);
    return count >= 0;
}

unsigned native_count(const struct calibration *calibration, const struct bench *bench,
                      struct plan *plan)
{
    struct native native;
    unsigned compared = 0;
    bool works = true;
    if (!open_folder(&native)) return 0;
    for (unsigned i = 0; works && i < plan->kernel_count; i++) {
        struct kernel_text *kernel = &plan->kernels[i];
        if (!kernel->native) continue;
        works = compare(&native, plan, kernel);
        compared += works;
        if (!kernel->remark) continue;
        calibrate_tell(calibration, "%s, %s: %s", bench->id, kernel->name, kernel->remark);
    }
    close_folder(&native);
    return compared;
}
