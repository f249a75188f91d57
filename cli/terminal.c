// SPDX-License-Identifier: Apache-2.0
/* What belongs to the terminal: interrupts, width, colour, character set. */
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli/options/options.h"

/* What a signal handler can reach. `stopped_by` is the signal that asked for the end, SIGALRM when the
 * time limit is over; `noticed`: the library has asked, and is on its way back. */
static volatile sig_atomic_t stopped_by, noticed;
static double time_limit; /* seconds; 0: none */

int cli_stop_code(void)
{
    return stopped_by == SIGALRM ? EXIT_GUEST : 128 + (stopped_by ? (int)stopped_by : SIGINT);
}

bool cli_is_interrupted(void)
{
    return stopped_by != 0;
}

static void arm(double seconds)
{
    struct itimerval timer = {.it_value = {(time_t)seconds, (suseconds_t)(fmod(seconds, 1) * 1e6)}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* Kernels and traces look whether they are to stop, models and readers do not: they end here. */
static void give_up(void)
{
    static const char words[] = "warpsage: interrupted\n",
                      late[] = "warpsage: time limit reached\n";
    bool is_late = stopped_by == SIGALRM;
    ssize_t ignored =
        write(STDERR_FILENO, is_late ? late : words, is_late ? sizeof late - 1 : sizeof words - 1);
    (void)ignored;
    _exit(cli_stop_code());
}

enum { PATIENCE_MS = 700 };

static void on_stop(int signal_number)
{
    if (signal_number == SIGALRM && stopped_by) {
        if (!noticed) give_up();
        return;
    }
    stopped_by = signal_number;
    signal(SIGINT, SIG_DFL); /* a second one ends the program at once */
    signal(SIGTERM, SIG_DFL);
    struct itimerval timer = {.it_value = {0, PATIENCE_MS * 1000}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

void cli_watch_signals(void)
{
    struct sigaction action = {.sa_handler = on_stop, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGALRM, &action, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error of writing */
    signal(SIGPIPE, SIG_DFL); /* `warpsage ... | head` ends without a word */
}

int cli_parse_timeout(struct cli *cli, const char *text, double *out_seconds)
{
    if (parse_number(text, out_seconds) && *out_seconds >= 0.001 && *out_seconds <= 1e8)
        return EXIT_DONE;
    return cli_error(cli, EXIT_USAGE,
                     "--timeout must be a number of seconds from 0.001 to 1e8 (got '%s')", text);
}

int cli_set_timeout(struct cli *cli, const char *text)
{
    double seconds;
    int code = cli_parse_timeout(cli, text, &seconds);
    if (code != EXIT_DONE) return code;
    time_limit = seconds;
    arm(seconds);
    return EXIT_DONE;
}

const char *cli_stop_words(struct cli *cli)
{
    if (stopped_by == SIGALRM)
        return cli_format(cli, "time limit of %g s reached (--timeout)", time_limit);
    return stopped_by == SIGTERM ? "terminated" : "interrupted";
}

static bool is_cancelled(void *user)
{
    (void)user;
    if (stopped_by) noticed = 1;
    return stopped_by != 0;
}

bool cli_is_dumb_terminal(void)
{
    const char *term = getenv("TERM");
    return !term || !*term || !strcmp(term, "dumb");
}

/* What kernels print goes to standard error, so that the report has standard output for itself. */
static bool write_printed(void *user, const char *bytes, size_t size)
{
    cli_hide_progress(user);
    return fwrite(bytes, 1, size, stderr) == size;
}

void cli_attach(struct cli *cli)
{
    ws_context_set_cancel(cli->context, is_cancelled, NULL);
    ws_context_set_print(cli->context, write_printed, cli);
    cli_attach_progress(cli);
}

bool cli_wants_colour(const struct cli *cli, FILE *stream)
{
    if (cli->colour != COLOUR_AUTO) return cli->colour == COLOUR_ALWAYS;
    const char *no_colour = getenv("NO_COLOR"), *force = getenv("CLICOLOR_FORCE");
    if (no_colour && *no_colour) return false;
    if (force && *force && strcmp(force, "0") != 0) return true;
    return isatty(fileno(stream)) && !cli_is_dumb_terminal();
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
