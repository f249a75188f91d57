// SPDX-License-Identifier: Apache-2.0
/* What overlaps in predicted time, by the rules of the CUDA programming guide (streams, default stream, events): copies in
 * both directions and kernels of different streams; what one stream, an event or the default stream orders does not. */
#include "check.h"

enum { N = 1 << 20, BYTES = N * sizeof(float) };

__global__ void work(float *x, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = x[i];
    for (int k = 0; k < rounds; k++)
        value = value * 0.999f + 1.0f;
    x[i] = value;
}

static cudaStream_t streams[2];
static float *device[2], *host[2];
static cudaEvent_t begin, end;
static bool ok = true;

static void expect(const char *what, bool is_so, double first, double second)
{
    if (!is_so) printf("%s: %g, %g ms\n", what, first, second);
    ok &= is_so;
}

/* Milliseconds between two records in the default stream, which waits for all others. */
template <typename Work> static double time_of(Work run)
{
    float milliseconds;
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(begin));
    run();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    return milliseconds;
}

static void copy_in(int i, cudaStream_t stream)
{
    CHECK(cudaMemcpyAsync(device[i], host[i], BYTES, cudaMemcpyHostToDevice, stream));
}

static void copy_out(int i, cudaStream_t stream)
{
    CHECK(cudaMemcpyAsync(host[i], device[i], BYTES, cudaMemcpyDeviceToHost, stream));
}

/* One block: the other SMs are free for others. */
static void compute(int i, cudaStream_t stream)
{
    work<<<1, 256, 0, stream>>>(device[i], 20000);
    CHECK(cudaGetLastError());
}

static bool about(double value, double wanted)
{
    return std::fabs(value - wanted) < 0.05 * wanted;
}

static void check_copies()
{
    double in = time_of([] { copy_in(0, streams[0]); });
    double out = time_of([] { copy_out(0, streams[0]); });
    double both = time_of([] { copy_in(0, streams[0]), copy_out(1, streams[1]); });
    expect("both directions", about(both, std::fmax(in, out)), both, in);
    double twice = time_of([] { copy_in(0, streams[0]), copy_in(1, streams[1]); });
    expect("one direction", about(twice, 2 * in), twice, in);
    double chained = time_of([] { copy_in(0, streams[0]), copy_out(0, streams[0]); });
    expect("one stream", about(chained, in + out), chained, in);
}

static void check_kernels()
{
    compute(0, streams[0]); /* the L2 has what it reads */
    double one = time_of([] { compute(0, streams[0]); });
    double two = time_of([] { compute(0, streams[0]), compute(1, streams[1]); });
    expect("small kernels of two streams", two < 1.5 * one, two, one);
    double same = time_of([] { compute(0, streams[0]), compute(0, streams[0]); });
    expect("of one stream", about(same, 2 * one), same, one);
    double ordered = time_of([] {
        cudaEvent_t event;
        CHECK(cudaEventCreate(&event));
        compute(0, streams[0]);
        CHECK(cudaEventRecord(event, streams[0]));
        CHECK(cudaStreamWaitEvent(streams[1], event, 0));
        compute(0, streams[1]);
        CHECK(cudaEventDestroy(event));
    });
    expect("behind an event", about(ordered, 2 * one), ordered, one);
    double barred = time_of([] { compute(0, streams[0]), compute(0, 0), compute(0, streams[1]); });
    expect("around the default stream", about(barred, 3 * one), barred, one);
    double beside = time_of([] { compute(0, streams[0]), copy_in(1, streams[1]); });
    expect("beside a copy", beside < 0.9 * (one + time_of([] { copy_in(1, streams[1]); })), beside, one);
}

int main()
{
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    for (int i = 0; i < 2; i++) {
        CHECK(cudaStreamCreate(&streams[i]));
        CHECK(cudaMalloc(&device[i], BYTES));
        CHECK(cudaMemset(device[i], 0, BYTES));
        CHECK(cudaMallocHost(&host[i], BYTES));
        for (int k = 0; k < N; k++)
            host[i][k] = 1;
    }
    check_copies();
    check_kernels();
    return verdict(ok);
}
