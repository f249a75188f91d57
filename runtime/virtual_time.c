// SPDX-License-Identifier: Apache-2.0
#include "virtual_time.h"

#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void spend_launch(const struct launch_power *power, double seconds)
{
    power_log_ran(power, runtime.now, runtime.now + seconds);
    runtime.now += seconds;
}

void spend_idle(double seconds)
{
    runtime.now += seconds;
}

double host_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double timer_read(void)
{
    static double last, reported;
    static uint64_t reads;
    static bool has_read;
    double now = runtime.options.clock == CLOCK_HOST ? host_now() : runtime.now;
    if (!(runtime.options.jitter > 0)) return now;
    if (!has_read) reported = last = runtime.options.clock == CLOCK_HOST ? now : 0;
    has_read = true;
    double error = runtime.options.jitter * ws_clock_error(0, 0, reads++);
    reported += (now - last) * (1 + error);
    last = now;
    return reported;
}

/* ---- sleeping -------------------------------------------------------------------------------- */

/* With --clock MODEL a program that uses the GPU sleeps in virtual time. These functions replace those of the C
 * library; what is no such sleep goes to the system. */
CUDART int nanosleep(const struct timespec *wanted, struct timespec *left);
CUDART int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted,
                           struct timespec *left);
CUDART int usleep(useconds_t microseconds);
CUDART unsigned sleep(unsigned seconds);

static bool is_valid(const struct timespec *time)
{
    return time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < 1000000000;
}

static bool sleep_virtually(double seconds)
{
    if (!__atomic_load_n(&runtime.started, __ATOMIC_ACQUIRE)) return false;
    api_lock();
    bool is_virtual = runtime.device && runtime.options.clock == CLOCK_MODEL;
    if (is_virtual) spend_idle(seconds);
    pthread_mutex_unlock(&runtime.lock);
    return is_virtual;
}

/* What is left of it stays in `left` if a signal ends it. */
static int system_sleep(clockid_t clock, int flags, const struct timespec *wanted,
                        struct timespec *left)
{
    return (int)syscall(SYS_clock_nanosleep, clock, flags, wanted, left) == 0 ? 0 : errno;
}

static double seconds_of(const struct timespec *time)
{
    return (double)time->tv_sec + 1e-9 * (double)time->tv_nsec;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted,
                    struct timespec *left)
{
    if (is_valid(wanted) && !(flags & TIMER_ABSTIME) && sleep_virtually(seconds_of(wanted)))
        return 0;
    int before = errno, error = system_sleep(clock, flags, wanted, left);
    errno = before;
    return error;
}

int nanosleep(const struct timespec *wanted, struct timespec *left)
{
    if (is_valid(wanted) && sleep_virtually(seconds_of(wanted))) return 0;
    int error = system_sleep(CLOCK_REALTIME, 0, wanted, left);
    if (error) errno = error;
    return error ? -1 : 0;
}

int usleep(useconds_t microseconds)
{
    struct timespec wanted = {(time_t)(microseconds / 1000000),
                              (long)(microseconds % 1000000) * 1000};
    return nanosleep(&wanted, NULL);
}

unsigned sleep(unsigned seconds)
{
    struct timespec wanted = {(time_t)seconds, 0}, left = {0, 0};
    if (nanosleep(&wanted, &left) == 0) return 0;
    return (unsigned)left.tv_sec + (left.tv_nsec >= 500000000);
}
