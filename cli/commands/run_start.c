// SPDX-License-Identifier: Apache-2.0
/* Starting the program: the environment that loads the stand-in, waiting, the exit code. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/commands/run.h"

#if !defined(WARPSAGE_RUNTIME_DIR) || !defined(WARPSAGE_RUNTIME_FROM_BIN)
#error "define the folders of the stand-in: in the build, and seen from the installed program"
#endif
#define LIBRARY RUN_LIBRARY
#if defined(WARPSAGE_STATIC)
#define MISSING_LIBRARY                                                                            \
    "this warpsage is linked statically and has no " LIBRARY                                       \
    ", which is loaded into programs: install the package warpsage, or build it "                  \
    "(doc/packages.md)"
#else
#define MISSING_LIBRARY                                                                            \
    LIBRARY " is missing: build warpsage with liblz4-dev and libzstd-dev, or install it again"
#endif

const char *run_libraries(struct cli *cli)
{
    char path[PATH_MAX];
    char *slash = realpath("/proc/self/exe", path) ? strrchr(path, '/') : NULL;
    if (slash) {
        *slash = '\0';
        const char *folder = cli_format(cli, "%s/" WARPSAGE_RUNTIME_FROM_BIN, path);
        if (access(cli_format(cli, "%s/" LIBRARY, folder), R_OK) == 0)
            return realpath(folder, path) ? cli_copy(cli, path) : folder;
    }
    return WARPSAGE_RUNTIME_DIR;
}

/* NAME=ours:what there was */
static void prepend(struct cli *cli, const char *name, const char *value)
{
    const char *before = getenv(name);
    setenv(name, before && *before ? cli_format(cli, "%s:%s", value, before) : value, 1);
}

void run_use_libraries(struct cli *cli, const char *libraries)
{
    prepend(cli, "LD_LIBRARY_PATH", libraries);
}

/* The file of a GPU that is named by its id: the program need not look for the name in all files. */
static const char *file_of_gpu(struct cli *cli, const char *name)
{
    const char *path = cli_format(cli, "%s/%s.yaml", ws_context_machine_dir(cli->context), name);
    return access(path, R_OK) == 0 ? path : name;
}

static int write_options(struct cli *cli, const struct run_request *request, const char *folder)
{
    const char *path = cli_format(cli, "%s/options", folder);
    FILE *file = fopen(path, "we");
    if (!file) return cli_error(cli, EXIT_RUN_OURS, "%s: %s", path, strerror(errno));
    /* Models that follow warp traces are asked about single launches. */
    fprintf(file, "gpu=%s\nmachines=%s\nclock=%s\nskip=%llu\ncount=%llu\nthreads=%u\ntraces=%d\n",
            file_of_gpu(cli, request->gpus[0]), ws_context_machine_dir(cli->context),
            request->clock, (unsigned long long)request->skip, (unsigned long long)request->count,
            request->threads,
            !request->check && (request->report_dir || run_analyzes_heaviest(cli, request)));
    fprintf(file, "tools=%s\n", cli->tool_path);
    fprintf(file, "timeline=%d\n",
            !request->check && (request->timeline || run_has_charts(request)));
    fprintf(file, "virtual-time=%d\n", request->virtual_time);
    fprintf(file, "every-launch=%d\nl2=%s\nisa=%s\n", request->every_launch, request->l2,
            request->isa);
    if (request->max_instructions)
        fprintf(file, "max-instructions=%llu\n", (unsigned long long)request->max_instructions);
    if (request->clock_jitter > 0) fprintf(file, "clock-jitter=%.17g\n", request->clock_jitter);
    if (request->host_isa) fprintf(file, "host-isa=%s\n", request->host_isa);
    if (request->engine) fprintf(file, "engine=%s\n", request->engine);
    if (request->only) fprintf(file, "only=%s\n", request->only);
    if (request->check)
        fprintf(file, "check=%s\nleaks=%d\n", request->check, !request->ignores_leaks);
    if (request->report_dir) fprintf(file, "report-dir=%s\n", request->report_dir);
    if (fclose(file) == 0) return EXIT_DONE;
    return cli_error(cli, EXIT_RUN_OURS, "%s: %s", path, strerror(errno));
}

static pid_t child;
enum { RUN_PATIENCE_SECONDS = 2 }; /* between asking at the end of the time, and killing */

/* How the program is asked to end: the stand-in stops the kernel that runs when it sees the file `stop`;
 * the signal is for the program. What a terminal sends has reached it already. A second one kills. */
static const char *stop_path;
static volatile sig_atomic_t asked, timed_out;

static void ask_to_end(int signal_number, siginfo_t *info, void *context)
{
    (void)context;
    int saved = errno;
    bool is_timer = signal_number == SIGALRM;
    int file = open(stop_path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    if (file >= 0) close(file);
    if (asked && (is_timer || !timed_out || info->si_code <= 0))
        kill(child, SIGKILL);
    else if (is_timer || info->si_code <= 0)
        kill(child, is_timer ? SIGTERM : signal_number);
    timed_out |= is_timer && !asked;
    asked = 1;
    struct itimerval patience = {.it_value = {RUN_PATIENCE_SECONDS, 0}};
    if (is_timer) setitimer(ITIMER_REAL, &patience, NULL);
    errno = saved;
}

static void watch(double timeout)
{
    struct sigaction action = {.sa_sigaction = ask_to_end, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct itimerval timer = {.it_value = {(time_t)timeout, (suseconds_t)(fmod(timeout, 1) * 1e6)}};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGALRM, &action, NULL);
    signal(SIGQUIT, SIG_IGN);
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* In the child: never returns. The error of a failed start goes through the pipe. */
static void become(struct cli *cli, const struct run_request *request, const char *folder,
                   const char *libraries, int pipe_end)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGALRM, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    setenv("WARPSAGE_RUN", folder, 1);
    run_use_libraries(cli, libraries);
    prepend(cli, "LD_PRELOAD", cli_format(cli, "%s/" LIBRARY, libraries));
    char *const *words = (char *const *)(void *)request->program;
    /* execvp would give to the shell what is no program at all. */
    if (strchr(words[0], '/'))
        execv(words[0], words);
    else
        execvp(words[0], words);
    int error = errno;
    if (write(pipe_end, &error, sizeof error) < 0) _exit(EXIT_RUN_CANNOT);
    _exit(error == ENOENT ? EXIT_RUN_NOT_FOUND : EXIT_RUN_CANNOT);
}

static int cannot_start(struct cli *cli, const char *program, int error, int *out_code)
{
    *out_code = error == ENOENT ? EXIT_RUN_NOT_FOUND : EXIT_RUN_CANNOT;
    const char *advice = "";
    if (error == ENOENT) advice = ": use its path, ./APP for one in this folder";
    if (error == ENOEXEC) advice = ": neither an executable nor a script with #!";
    if (error == EACCES) advice = ": not executable (chmod +x)";
    return cli_error(cli, *out_code, "%s cannot be started: %s%s", program, strerror(error),
                     advice);
}

int run_start(struct cli *cli, const struct run_request *request, const char *folder, int *out_code)
{
    int ends[2], error = 0, status = 0;
    *out_code = EXIT_RUN_OURS;
    const char *libraries = run_libraries(cli);
    if (access(cli_format(cli, "%s/" LIBRARY, libraries), R_OK) != 0)
        return cli_error(cli, EXIT_RUN_OURS, MISSING_LIBRARY " (looked for in %s)", libraries);
    stop_path = cli_format(cli, "%s/stop", folder);
    CLI_TRY(write_options(cli, request, folder));
    if (pipe2(ends, O_CLOEXEC) != 0)
        return cli_error(cli, EXIT_RUN_OURS, "cannot create a pipe: %s", strerror(errno));
    fflush(NULL);
    child = fork();
    if (child < 0) return cli_error(cli, EXIT_RUN_OURS, "cannot fork: %s", strerror(errno));
    if (child == 0) become(cli, request, folder, libraries, ends[1]);
    close(ends[1]);
    watch(request->timeout);
    ssize_t got = read(ends[0], &error, sizeof error);
    close(ends[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    struct itimerval off = {0};
    setitimer(ITIMER_REAL, &off, NULL);
    if (timed_out)
        fprintf(stderr, "warpsage: time limit of %g s reached (--timeout)\n", request->timeout);
    if (got == (ssize_t)sizeof error)
        return cannot_start(cli, request->program[0], error, out_code);
    *out_code = WIFSIGNALED(status) ? EXIT_RUN_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
    if (WIFSIGNALED(status))
        fprintf(stderr, "warpsage: the program was killed by signal %d (%s)\n", WTERMSIG(status),
                strsignal(WTERMSIG(status)));
    if (*out_code == EXIT_RUN_NOT_FOUND) run_tell_missing_libraries(cli, request->program[0]);
    return EXIT_DONE;
}
