// SPDX-License-Identifier: Apache-2.0
/* Kernels of several streams share the GPU's places for blocks in predicted time: two that fill it take twice the time of one,
 * two that take half of the places the time of one, and blocks begin where a last wave leaves room. */
#include <initializer_list>

#include "check.h"

/* One warp a block, of which two fit on an SM of an A100: 80 of 164 KiB. Each operation waits for the one before, so that the
 * units are idle most of the time. */
enum { SHARED = 80 << 10, SMS = 108, PLACES = 2 * SMS, STREAMS = 4 };

__global__ void chain(float *out, int rounds)
{
    extern __shared__ float unused[];
    float value = static_cast<float>(threadIdx.x);
    for (int k = 0; k < rounds; k++)
        value = value * 0.999f + 1.0f;
    if (value < 0) *out = value;
}

static cudaStream_t streams[STREAMS];
static cudaEvent_t begin, end;
static float *out;

/* Milliseconds of grids of so many blocks, each in a stream of its own. */
static double time_of(std::initializer_list<int> grids)
{
    float milliseconds;
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(begin));
    int stream = 0;
    for (int blocks : grids)
        chain<<<blocks, 32, SHARED, streams[stream++]>>>(out, 3000);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    return milliseconds;
}

static bool same(const char *what, double value, double wanted)
{
    bool is_so = std::fabs(value - wanted) < 1e-4 * wanted;
    if (!is_so) printf("%s: %g ms, not %g\n", what, value, wanted);
    return is_so;
}

int main()
{
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaMalloc(&out, sizeof *out));
    for (cudaStream_t &stream : streams)
        CHECK(cudaStreamCreate(&stream));
    CHECK(cudaFuncSetAttribute(chain, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    time_of({PLACES}); /* the code is in the L2 from here on */
    time_of({PLACES / 2});
    time_of({PLACES + PLACES / 2});
    double half = time_of({PLACES / 2}), whole = time_of({PLACES}), more = time_of({PLACES + PLACES / 2});
    bool ok = same("two that fill the GPU", time_of({PLACES, PLACES}), 2 * whole);
    ok &= same("two halves", time_of({PLACES / 2, PLACES / 2}), half);
    ok &= same("three halves", time_of({PLACES / 2, PLACES / 2, PLACES / 2}), 2 * half);
    ok &= same("four halves", time_of({PLACES / 2, PLACES / 2, PLACES / 2, PLACES / 2}), 2 * half);
    /* The second of two waves leaves half of the places free; a half begins there. */
    ok &= same("a half in the last wave", time_of({PLACES + PLACES / 2, PLACES / 2}), std::fmax(more, more / 2 + half));
    return verdict(ok);
}
