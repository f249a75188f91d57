// SPDX-License-Identifier: Apache-2.0
/* Progress on standard error, from the first second on: what is done, how much of it, and the time left. */
#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

static double now_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool wants_progress(const struct cli *cli)
{
    return !cli->quiet && isatty(STDERR_FILENO) && !cli_is_dumb_terminal();
}

/* "12 s", "3 min 20 s", "2 h 5 min" */
static void format_time_left(double seconds, char *out, size_t size)
{
    double whole = ceil(seconds), minutes = floor(whole / 60), hours = floor(minutes / 60);
    if (whole < 60)
        snprintf(out, size, "%.0f s", whole);
    else if (hours < 1)
        snprintf(out, size, "%.0f min %.0f s", minutes, whole - 60 * minutes);
    else
        snprintf(out, size, "%.0f h %.0f min", hours, minutes - 60 * hours);
}

static unsigned line_columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

static void draw(struct cli *cli, const char *what, double fraction)
{
    enum { SHOWN_FROM = 1, FIGURES = 40 };
    struct cli_progress *progress = &cli->progress;
    double now = now_seconds();
    if (!progress->is_begun) progress->begun_seconds = now;
    progress->is_begun = true;
    double elapsed = now - progress->begun_seconds;
    if (elapsed < SHOWN_FROM) return;
    char left[64] = "";
    if (fraction > 0 && fraction < 1)
        format_time_left(elapsed * (1 - fraction) / fraction, left, sizeof left);
    unsigned columns = line_columns();
    fprintf(stderr, "\r\033[K%.*s %3.0f %%%s%s%s",
            (int)(columns > 2 * FIGURES ? columns - FIGURES : FIGURES), what,
            100 * fmin(fmax(fraction, 0), 1), *left ? ", " : "", left, *left ? " left" : "");
    fflush(stderr);
    cli->progress_shown = true;
}

/* A ws_progress_fn: within a step, the part of it. */
void cli_launch_progress(void *user, const char *what, double fraction)
{
    struct cli *cli = user;
    const struct cli_progress *progress = &cli->progress;
    if (progress->steps)
        draw(cli, progress->what,
             ((double)progress->step + fmin(fmax(fraction, 0), 1)) / (double)progress->steps);
    else
        draw(cli, what, fraction);
}

void cli_show_progress(struct cli *cli, const char *what, double fraction)
{
    if (wants_progress(cli)) draw(cli, what, fraction);
}

void cli_begin_step(struct cli *cli, const char *what, size_t step, size_t steps)
{
    cli->progress.what = what;
    cli->progress.step = step;
    cli->progress.steps = steps;
    if (steps) cli_show_progress(cli, what, (double)step / (double)steps);
}

void cli_end_steps(struct cli *cli)
{
    cli->progress.steps = 0;
    cli_clear_progress(cli);
}

void cli_hide_progress(struct cli *cli)
{
    if (!cli->progress_shown) return;
    fputs("\r\033[K", stderr);
    cli->progress_shown = false;
}

void cli_clear_progress(struct cli *cli)
{
    cli_hide_progress(cli);
    if (!cli->progress.steps) cli->progress.is_begun = false;
}

void cli_attach_progress(struct cli *cli)
{
    if (wants_progress(cli)) ws_context_set_progress(cli->context, cli_launch_progress, cli);
}
