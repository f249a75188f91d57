// SPDX-License-Identifier: Apache-2.0
#include "virtual_time.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "stream_order.h"

double spend_launch(const struct launch_power *power, double seconds, struct grid_demand demand)
{
    static double powered; /* kernels that overlap draw power one after the other */
    double begin = order_spend(ENGINE_KERNELS, seconds, demand), end = order_ready();
    if (end > powered) power_log_ran(power, fmax(begin, powered), end);
    powered = fmax(powered, end);
    return begin;
}

/* Of the bus, by generations of PCI Express with 16 lanes, which GPUs of a compute capability have; pageable memory goes
 * through a buffer. All guesses: no machine file has a link. */
static double link_bandwidth(bool is_pinned)
{
    enum { VOLTA = 70, AMPERE = 80, HOPPER = 90 };
    unsigned target = ws_machine_target(runtime.machine);
    double pinned = target >= HOPPER ? 50e9 : target >= AMPERE ? 25e9 : 12e9;
    return is_pinned ? pinned : pinned / 2;
}

double spend_fill(double bytes)
{
    double seconds = runtime.bandwidth > 0 ? bytes / runtime.bandwidth : 0;
    return order_spend(ENGINE_KERNELS, seconds, WHOLE_GPU);
}

double spend_copy(int kind, double bytes, bool is_pinned)
{
    const double begin_seconds = 1e-6; /* of a transfer; a guess */
    if (kind == cudaMemcpyDeviceToDevice) return spend_fill(2 * bytes);
    if (kind == cudaMemcpyHostToHost) return order_ready();
    return order_spend(kind == cudaMemcpyHostToDevice ? ENGINE_TO_DEVICE : ENGINE_FROM_DEVICE,
                       begin_seconds + bytes / link_bandwidth(is_pinned), WHOLE_GPU);
}

void spend_idle(double seconds)
{
    runtime.now += seconds;
}

/* ---- the host's clocks ----------------------------------------------------------------------- */

/* These functions replace those of the C library; std::chrono, OpenMP and others call them. */
CUDART int clock_gettime(clockid_t clock, struct timespec *out);
CUDART int gettimeofday(struct timeval *restrict out, void *restrict zone);
CUDART time_t time(time_t *out);
CUDART clock_t clock(void);
CUDART int timespec_get(struct timespec *out, int base);

static int real_clock(clockid_t clock, struct timespec *out)
{
    static int (*real)(clockid_t clock, struct timespec * out);
    if (!real) {
        void *found = dlsym(RTLD_NEXT, "clock_gettime");
        memcpy(&real, &found, sizeof real);
    }
    return real ? real(clock, out) : (int)syscall(SYS_clock_gettime, clock, out);
}

static double seconds_of(const struct timespec *time)
{
    return (double)time->tv_sec + 1e-9 * (double)time->tv_nsec;
}

static double read_seconds(clockid_t clock)
{
    struct timespec now = {0, 0};
    real_clock(clock, &now);
    return seconds_of(&now);
}

double host_now(void)
{
    return read_seconds(CLOCK_MONOTONIC);
}

/* Of wall clocks, and of those of processor time: a host that waits for the GPU spins (as CUDA does by default). */
enum { WALL, PROCESSOR, CLOCK_KINDS };
static struct {
    bool is_on;
    unsigned depth;               /* of calls that go through others */
    double begin[CLOCK_KINDS];    /* of the call that goes on */
    double in_calls[CLOCK_KINDS]; /* what the host took for calls */
    double now;                   /* virtual, as that call began */
    double simulated;             /* what calls took in virtual time */
    double origin;                /* a program's clock at virtual time 0 */
} program;

static clockid_t id_of(unsigned kind)
{
    return kind == WALL ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID;
}

/* What is added to a clock of this kind, so that the program sees what it would see beside the GPU. */
static double correction(unsigned kind)
{
    double simulated = __atomic_load_n(&program.is_on, __ATOMIC_ACQUIRE) ? program.simulated : 0;
    return simulated - program.in_calls[kind];
}

void time_enter(void)
{
    if (!runtime.options.virtual_time || program.depth++) return;
    for (unsigned kind = 0; kind < CLOCK_KINDS; kind++)
        program.begin[kind] = read_seconds(id_of(kind));
    double now = program.begin[WALL] + correction(WALL);
    if (!program.is_on) program.origin = now;
    __atomic_store_n(&program.is_on, true, __ATOMIC_RELEASE);
    runtime.now = fmax(runtime.now, now - program.origin);
    program.now = runtime.now;
}

void time_leave(void)
{
    if (!runtime.options.virtual_time) return;
    if (!program.depth) time_enter(); /* the call that started the device */
    if (--program.depth) return;
    for (unsigned kind = 0; kind < CLOCK_KINDS; kind++)
        program.in_calls[kind] += read_seconds(id_of(kind)) - program.begin[kind];
    program.simulated += runtime.now - program.now;
}

static int read_clock(clockid_t id, struct timespec *out)
{
    int failed = real_clock(id, out);
    if (failed || !__atomic_load_n(&program.is_on, __ATOMIC_ACQUIRE)) return failed;
    bool is_processor = id == CLOCK_PROCESS_CPUTIME_ID || id == CLOCK_THREAD_CPUTIME_ID;
    long long nanoseconds = (long long)out->tv_sec * 1000000000 + out->tv_nsec +
                            llround(1e9 * correction(is_processor ? PROCESSOR : WALL));
    if (nanoseconds < 0) nanoseconds = 0;
    *out = (struct timespec){(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
    return 0;
}

int clock_gettime(clockid_t id, struct timespec *out)
{
    return read_clock(id, out);
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    struct timespec now;
    if (zone) memset(zone, 0, sizeof(struct timezone));
    if (read_clock(CLOCK_REALTIME, &now) != 0) return -1;
    *out = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *out)
{
    struct timespec now = {0, 0};
    read_clock(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}

clock_t clock(void)
{
    struct timespec now = {0, 0};
    read_clock(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (clock_t)now.tv_sec * CLOCKS_PER_SEC + now.tv_nsec / (1000000000 / CLOCKS_PER_SEC);
}

int timespec_get(struct timespec *out, int base)
{
    return base == TIME_UTC && read_clock(CLOCK_REALTIME, out) == 0 ? base : 0;
}

/* ---- timers of the GPU ------------------------------------------------------------------------ */

double timer_read(double at)
{
    static double last, reported;
    static uint64_t reads;
    static bool has_read;
    double now = runtime.options.clock == CLOCK_HOST ? host_now() : at;
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
    api_unlock();
    return is_virtual;
}

/* What is left of it stays in `left` if a signal ends it. */
static int system_sleep(clockid_t clock, int flags, const struct timespec *wanted,
                        struct timespec *left)
{
    return (int)syscall(SYS_clock_nanosleep, clock, flags, wanted, left) == 0 ? 0 : errno;
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
