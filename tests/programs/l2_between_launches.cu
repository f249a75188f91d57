// SPDX-License-Identifier: Apache-2.0
/* Times of copies that find their data in the L2 of a V100, 6 MiB, or do not, by what was touched before. Events
 * tell the predicted time. */
#include "check.h"

__global__ void copy(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}

static float seconds_of(float *out, const float *in, int n)
{
    cudaEvent_t begin, end;
    float time;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(begin));
    copy<<<n / 256, 256>>>(out, in, n);
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&time, begin, end));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    return time;
}

int main(void)
{
    const int n = 1 << 19, many = 1 << 22; /* 2 MiB and 16 MiB */
    std::vector<float> host(n);
    float *a, *b, *big, *other;
    CHECK(cudaMalloc(&a, sizeof(float) * n));
    CHECK(cudaMalloc(&b, sizeof(float) * n));
    CHECK(cudaMalloc(&big, sizeof(float) * many));
    CHECK(cudaMalloc(&other, sizeof(float) * many));
    float never = seconds_of(b, a, n); /* nothing has touched a */
    float written = seconds_of(a, b, n);
    float both = seconds_of(b, a, n);
    CHECK(cudaMemset(big, 0, sizeof(float) * many));
    float flushed = seconds_of(b, a, n);
    CHECK(cudaMemset(big, 0, sizeof(float) * many));
    CHECK(cudaMemcpy(a, host.data(), sizeof(float) * n, cudaMemcpyHostToDevice));
    float copied = seconds_of(b, a, n);
    CHECK(cudaMemset(big, 0, sizeof(float) * many));
    CHECK(cudaMemcpy(host.data(), a, sizeof(float) * n / 2, cudaMemcpyDeviceToHost));
    float half = seconds_of(b, a, n);
    float first = seconds_of(other, big, many), second = seconds_of(big, other, many);
    printf("%g %g %g, %g %g %g, %g %g\n", never, written, both, flushed, copied, half, first,
           second);
    auto same = [](float one, float other) { return std::fabs(one / other - 1) < 0.02f; };
    bool ok = written < 0.9f * never && same(both, written) && same(flushed, never);
    ok &= same(copied, written) && same(half, (copied + flushed) / 2);
    ok &= same(first, second); /* 32 MiB were touched since */
    return verdict(ok);
}
