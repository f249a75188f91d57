// SPDX-License-Identifier: Apache-2.0
/* With --virtual-time the host's clocks take predicted time for CUDA calls: the host waits as long as the GPU works by its
 * events, and launches return before that. Between calls clocks go on as ever, so a busy computer makes single tries
 * longer: the shortest counts. While it takes the processor away, the GPU goes on, and processor time is less then. */
#include <sys/time.h>
#include <time.h>

#include <chrono>

#include "check.h"

enum { TRIES = 20, LAUNCHES = 10 };

__global__ void work(float *x, int rounds)
{
    float value = x[threadIdx.x];
    for (int k = 0; k < rounds; k++)
        value = value * 0.999f + 1.0f;
    x[threadIdx.x] = value;
}

/* Seconds, by the ways in which programs ask. */
static double by_chrono()
{
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

static double by_gettimeofday()
{
    timeval now;
    gettimeofday(&now, nullptr);
    return now.tv_sec + 1e-6 * now.tv_usec;
}

static double by_clock_gettime()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

static double by_processor()
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static bool check_clock(const char *name, double (*read)(), float *x, cudaEvent_t begin, cudaEvent_t end)
{
    double least_all = INFINITY, most_all = 0, least_launches = INFINITY, gpu = INFINITY;
    float milliseconds;
    for (int k = 0; k < TRIES; k++) {
        CHECK(cudaDeviceSynchronize());
        double start = read();
        CHECK(cudaEventRecord(begin));
        for (int launch = 0; launch < LAUNCHES; launch++)
            work<<<1, 32>>>(x, 20000 + launch % 2); /* not the launch before: each is executed */
        CHECK(cudaEventRecord(end));
        double launched = read();
        CHECK(cudaDeviceSynchronize());
        double all = read() - start;
        least_all = std::fmin(least_all, 1e3 * all);
        most_all = std::fmax(most_all, 1e3 * all);
        least_launches = std::fmin(least_launches, 1e3 * (launched - start));
        CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
        gpu = std::fmin(gpu, (double)milliseconds);
    }
    double waited = read == by_processor ? most_all : least_all;
    bool ok = waited > 0.99 * gpu && least_all < 1.5 * gpu && least_launches < 0.5 * gpu;
    if (!ok) printf("%s: %g to %g ms, of which launches %g; by events %g\n", name, least_all, most_all, least_launches, gpu);
    return ok;
}

int main()
{
    float *x;
    cudaEvent_t begin, end;
    CHECK(cudaMalloc(&x, 4096));
    CHECK(cudaMemset(x, 0, 4096));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    bool ok = check_clock("std::chrono", by_chrono, x, begin, end);
    ok &= check_clock("gettimeofday", by_gettimeofday, x, begin, end);
    ok &= check_clock("clock_gettime", by_clock_gettime, x, begin, end);
    ok &= check_clock("clock", by_processor, x, begin, end);
    /* Time that the host takes for itself is there, too. */
    double start = by_chrono();
    timespec nap = {0, 20000000};
    nanosleep(&nap, nullptr);
    ok &= by_chrono() - start > 0.0199;
    return verdict(ok);
}
