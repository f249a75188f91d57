// SPDX-License-Identifier: Apache-2.0
/* What belongs to the terminal: interrupts, progress, width, colour, character set. */
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli.h"

/* The one variable that a signal handler can reach. */
static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number)
{
    interrupted = 1;
    signal(signal_number, SIG_DFL); /* a second one ends the program at once */
}

void cli_watch_signals(void)
{
    struct sigaction action = {.sa_handler = on_interrupt};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error of writing */
    signal(SIGPIPE, SIG_DFL); /* `warpsage ... | head` ends without a word */
}

bool cli_is_interrupted(void)
{
    return interrupted != 0;
}

static bool is_cancelled(void *user)
{
    (void)user;
    return interrupted != 0;
}

static void show_progress(void *user, const char *what, double fraction)
{
    struct cli *cli = user;
    fprintf(stderr, "\r\033[K%s %3.0f %%", what, 100 * fraction);
    fflush(stderr);
    cli->progress_shown = true;
}

void cli_clear_progress(struct cli *cli)
{
    if (!cli->progress_shown) return;
    fputs("\r\033[K", stderr);
    cli->progress_shown = false;
}

/* What kernels print goes to standard error, so that the report has standard output for itself. */
static bool write_printed(void *user, const char *bytes, size_t size)
{
    cli_clear_progress(user);
    return fwrite(bytes, 1, size, stderr) == size;
}

static bool is_dumb(void)
{
    const char *term = getenv("TERM");
    return !term || !*term || !strcmp(term, "dumb");
}

void cli_attach(struct cli *cli)
{
    ws_context_set_cancel(cli->context, is_cancelled, NULL);
    ws_context_set_print(cli->context, write_printed, cli);
    if (!cli->quiet && isatty(STDERR_FILENO) && !is_dumb())
        ws_context_set_progress(cli->context, show_progress, cli);
}

bool cli_wants_colour(FILE *stream)
{
    const char *no_colour = getenv("NO_COLOR"), *force = getenv("CLICOLOR_FORCE");
    if (no_colour && *no_colour) return false;
    if (force && *force && strcmp(force, "0") != 0) return true;
    return isatty(fileno(stream)) && !is_dumb();
}

bool cli_has_utf8(void)
{
    const char *codeset = setlocale(LC_CTYPE, "") ? nl_langinfo(CODESET) : "";
    return !strcasecmp(codeset, "UTF-8") || !strcasecmp(codeset, "utf8");
}

unsigned cli_columns(FILE *stream)
{
    struct winsize size;
    if (isatty(fileno(stream)) && ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col)
        return size.ws_col;
    const char *columns = getenv("COLUMNS");
    char *end;
    unsigned long value = columns ? strtoul(columns, &end, 10) : 0;
    if (columns && *columns && !*end && value >= 20 && value < 10000) return (unsigned)value;
    return 0; /* the report's own width */
}
