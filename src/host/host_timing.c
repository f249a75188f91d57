// SPDX-License-Identifier: Apache-2.0
#include "host/host_timing.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"

enum { SAMPLES = 48, READS = 32, SEGMENTS = 4, LINE_BYTES = 64 };
/* Short beside a time slice, so that most samples are free of other work on the computer, and many;
 * all of them together stay below two seconds on a slow one. Guesses. */
static const double SAMPLE_SECONDS = 1e-3, COMPUTE_SECONDS = 0.25, READ_SECONDS = 0.3,
                    CHASE_SECONDS = 0.12;

struct team {
    const struct host_loops *loops;
    hwloc_topology_t topology;
    pthread_barrier_t barrier;
    float *buffer;
    size_t count; /* floats of the buffer */
    unsigned threads;
    pthread_mutex_t gate; /* held until it is known how many threads there are */
    bool is_enough;       /* as the first thread says between two barriers */
};
struct member {
    struct team *team;
    hwloc_cpuset_t core;
    unsigned index;
    bool is_bound;
    unsigned computed, reads, chased; /* samples */
    double clock_hz[SAMPLES];         /* additions a second */
    double vector_rate[SAMPLES];      /* vector instructions a second */
    double chain_seconds[SAMPLES];    /* of a multiply-add that waits for the one before */
    double load_seconds[SAMPLES];
    double start_seconds[READS], end_seconds[READS];
    volatile float sink;
};

static double now_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double time_adds(uint64_t rounds)
{
    double start = now_seconds();
    uint64_t added = host_add_chain(rounds);
    return (double)added / (now_seconds() - start);
}

static double time_loop(struct member *member, float (*loop)(uint64_t), uint64_t rounds)
{
    double start = now_seconds();
    member->sink = loop(rounds);
    return now_seconds() - start;
}

/* Rounds that take about a sample's time, or less if other work came between. */
static uint64_t find_rounds(struct member *member, float (*loop)(uint64_t))
{
    uint64_t rounds = 1000;
    for (;;) {
        double seconds = time_loop(member, loop, rounds);
        if (seconds > SAMPLE_SECONDS / 4)
            return (uint64_t)((double)rounds * SAMPLE_SECONDS / seconds) + 1;
        rounds *= 2;
    }
}

/* By turns, so that each loop sees the clock of the others' load and temperature. */
static void compute(struct member *member)
{
    const struct host_loops *loops = member->team->loops;
    uint64_t rounds = find_rounds(member, loops->vector);
    uint64_t chain = find_rounds(member, loops->chain);
    uint64_t adds = (uint64_t)(2e9 * SAMPLE_SECONDS / HOST_ADDS);
    double instructions = (loops->fma ? 1 : 2) * (double)HOST_CHAINS * (double)rounds;
    pthread_barrier_wait(&member->team->barrier);
    double until = now_seconds() + COMPUTE_SECONDS;
    for (unsigned i = 0; i < SAMPLES && (!i || now_seconds() < until); i++) {
        member->vector_rate[i] = instructions / time_loop(member, loops->vector, rounds);
        member->clock_hz[i] = time_adds(adds);
        member->chain_seconds[i] = time_loop(member, loops->chain, chain) / (double)chain;
        if (!loops->fma) member->chain_seconds[i] /= 2; /* a product and a sum */
        member->computed++;
    }
}

static size_t slice_of(const struct team *team, unsigned index)
{
    return team->count / team->threads / 128 * 128 * index;
}

/* Each time another segment: by the time that the first comes again, the others went through the
 * caches. */
static void read_memory(struct member *member)
{
    struct team *team = member->team;
    size_t first = slice_of(team, member->index);
    size_t count = slice_of(team, member->index + 1) - first;
    size_t part = count / SEGMENTS / 128 * 128;
    memset(team->buffer + first, 0, count * sizeof(float)); /* pages close to the core that reads */
    double until = now_seconds() + READ_SECONDS;
    for (unsigned i = 0; i < READS; i++) {
        pthread_barrier_wait(&team->barrier);
        if (team->is_enough) break;
        member->start_seconds[i] = now_seconds();
        member->sink = team->loops->read(team->buffer + first + i % SEGMENTS * part, part);
        member->end_seconds[i] = now_seconds();
        member->reads++;
        pthread_barrier_wait(&team->barrier);
        if (member->index == 0) team->is_enough = now_seconds() > until;
    }
}

/* Every line once, in the order of a linear congruence of full period (Knuth, volume 2, 3.2.1.2):
 * increment odd, multiplier 1 more than a multiple of 4, modulus a power of two. */
static void chase(struct member *member)
{
    struct team *team = member->team;
    char *base = (char *)team->buffer;
    size_t lines = 1;
    while (lines * 2 * LINE_BYTES <= team->count * sizeof(float))
        lines *= 2;
    for (size_t i = 0, next; i < lines; i++) {
        next = (i * 1664525 + 1013904223) & (lines - 1);
        *(const void **)(void *)(base + i * LINE_BYTES) = base + next * LINE_BYTES;
    }
    const void *at = base;
    const uint64_t steps = 10000; /* of about 100 ns: a sample's time */
    double until = now_seconds() + CHASE_SECONDS;
    for (unsigned i = 0; i < SAMPLES && (!i || now_seconds() < until); i++) {
        double start = now_seconds();
        at = host_chase(at, steps);
        member->load_seconds[i] = (now_seconds() - start) / (double)steps;
        member->chased++;
    }
    member->sink = at != NULL;
}

static void *run_member(void *given)
{
    struct member *member = given;
    struct team *team = member->team;
    pthread_mutex_lock(&team->gate);
    pthread_mutex_unlock(&team->gate);
    member->is_bound = hwloc_set_cpubind(team->topology, member->core, HWLOC_CPUBIND_THREAD) == 0;
    compute(member);
    read_memory(member);
    if (member->index == 0) chase(member);
    return NULL;
}

/* ---- samples --------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct host_sample summarise(double *values, size_t count, bool less_is_better)
{
    qsort(values, count, sizeof *values, by_size);
    double least = values[0], most = values[count - 1];
    return (struct host_sample){.best = less_is_better ? least : most,
                                .median = values[count / 2],
                                .worst = less_is_better ? most : least};
}

/* The samples of all members, one after the other. */
static struct host_sample summarise_all(const struct team *team, const struct member *members,
                                        size_t offset, bool less_is_better)
{
    double *all = mem_zalloc((size_t)team->threads * SAMPLES, sizeof *all);
    size_t count = 0;
    for (unsigned m = 0; m < team->threads; m++) {
        const double *samples = (const double *)(const void *)((const char *)&members[m] + offset);
        memcpy(all + count, samples, members[m].computed * sizeof *all);
        count += members[m].computed;
    }
    struct host_sample sample = summarise(all, count, less_is_better);
    mem_free(all);
    return sample;
}

/* From the first start to the last end of each round. */
static struct host_sample summarise_reads(const struct team *team, const struct member *members)
{
    double rates[READS];
    size_t part = (slice_of(team, 1) - slice_of(team, 0)) / SEGMENTS / 128 * 128;
    for (unsigned i = 0; i < members[0].reads; i++) {
        double start = members[0].start_seconds[i], end = members[0].end_seconds[i];
        for (unsigned m = 1; m < team->threads; m++) {
            start = fmin(start, members[m].start_seconds[i]);
            end = fmax(end, members[m].end_seconds[i]);
        }
        rates[i] = (double)part * sizeof(float) * team->threads / (end - start);
    }
    return summarise(rates, members[0].reads, false);
}

static void read_samples(const struct team *team, struct member *members, struct host_timing *out)
{
    out->clock_hz = summarise_all(team, members, offsetof(struct member, clock_hz), false);
    out->vector_rate = summarise_all(team, members, offsetof(struct member, vector_rate), false);
    out->chain_seconds = summarise_all(team, members, offsetof(struct member, chain_seconds), true);
    out->read_bytes_per_second = summarise_reads(team, members);
    out->load_seconds = summarise(members[0].load_seconds, members[0].chased, true);
    out->is_bound = true;
    for (unsigned m = 0; m < team->threads; m++)
        out->is_bound = out->is_bound && members[m].is_bound;
}

static const struct host_loops *choose_loops(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512cd"))
        return &host_loops_v4;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2"))
        return &host_loops_v3;
#endif
    return &host_loops_base;
}

/* Twice the caches, 64 MiB at least, a quarter of the free memory or 512 MiB at most. */
static size_t choose_bytes(size_t cache_bytes)
{
    const size_t least = (size_t)64 << 20, most = (size_t)512 << 20;
    size_t bytes = 2 * cache_bytes;
    long pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    size_t free_bytes = pages > 0 && page > 0 ? (size_t)pages * (size_t)page : 4 * least;
    if (bytes < least) bytes = least;
    if (bytes > most) bytes = most;
    return bytes > free_bytes / 4 ? free_bytes / 4 : bytes;
}

/* As many threads as can be had, up to team->threads. */
static void run_team(struct team *team, struct member *members)
{
    pthread_t *threads = mem_zalloc(team->threads, sizeof *threads);
    unsigned started = 0;
    pthread_mutex_init(&team->gate, NULL);
    pthread_mutex_lock(&team->gate);
    while (started < team->threads &&
           pthread_create(&threads[started], NULL, run_member, &members[started]) == 0)
        started++;
    team->threads = started;
    if (started) pthread_barrier_init(&team->barrier, NULL, started);
    pthread_mutex_unlock(&team->gate);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    if (started) pthread_barrier_destroy(&team->barrier);
    pthread_mutex_destroy(&team->gate);
    mem_free(threads);
}

struct area {
    void *memory;
    size_t bytes;
};

static void unmap(void *of)
{
    const struct area *area = of;
    munmap(area->memory, area->bytes);
}

ws_status host_time(struct diag *diag, hwloc_topology_t topology, const hwloc_cpuset_t *cores,
                    unsigned count, size_t cache_bytes, struct host_timing *out)
{
    size_t bytes = choose_bytes(cache_bytes);
    struct team team = {.loops = choose_loops(), .topology = topology, .threads = count};
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return diag_error(diag, WS_ERR_MEMORY,
                          "host: cannot allocate %zu MiB for the measurement; end other programs "
                          "or raise the limit (ulimit -v)",
                          bytes >> 20);
    struct area area = {memory, bytes};
    struct mem_guard guard;
    mem_guard_begin(&guard, unmap, &area);
    madvise(memory, bytes, MADV_HUGEPAGE); /* or pages of the usual size: more misses of the TLB */
    team.buffer = memory;
    team.count = bytes / sizeof(float);
    struct member *members = mem_zalloc(count, sizeof *members);
    for (unsigned i = 0; i < count; i++)
        members[i] = (struct member){.team = &team, .core = cores[i], .index = i};
    *out = (struct host_timing){.loops = team.loops, .buffer_bytes = bytes};
    run_team(&team, members);
    out->threads = team.threads;
    if (team.threads) read_samples(&team, members, out);
    mem_free(members);
    mem_guard_end(&guard);
    munmap(memory, bytes);
    if (team.threads) return WS_OK;
    return diag_error(diag, WS_ERR_DEVICE, "host: cannot start a thread");
}
