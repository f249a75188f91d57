// SPDX-License-Identifier: Apache-2.0
// Allocation in stream order: the default pool, one of the program's own, what they tell.
#include "check.h"

__global__ void add(const float *a, const float *b, float *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] = a[i] + b[i];
}

static unsigned long long figure(cudaMemPool_t pool, cudaMemPoolAttr attribute)
{
    unsigned long long value = ~0ull;
    CHECK(cudaMemPoolGetAttribute(pool, attribute, &value));
    return value;
}

int main()
{
    const int n = 1 << 16;
    const size_t bytes = n * sizeof(float);
    int supported = 0;
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
    bool ok = supported;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));

    cudaMemPool_t pool, same;
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK(cudaDeviceGetMemPool(&same, 0));
    ok &= pool == same;
    unsigned long long keep = ~0ull;
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    ok &= figure(pool, cudaMemPoolAttrReleaseThreshold) == keep;
    int reuse = 0;
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse));

    std::vector<float> x(n), y(n), sum(n);
    for (int i = 0; i < n; i++) {
        x[i] = float(i);
        y[i] = float(3 * i);
    }
    for (int turn = 0; turn < 3; turn++) {
        float *a, *b, *c;
        CHECK(cudaMallocAsync(&a, bytes, stream));
        CHECK(cudaMallocAsync(&b, bytes, stream));
        CHECK(cudaMallocAsync(&c, bytes, stream));
        ok &= figure(pool, cudaMemPoolAttrUsedMemCurrent) == 3 * bytes;
        CHECK(cudaMemcpyAsync(a, x.data(), bytes, cudaMemcpyHostToDevice, stream));
        CHECK(cudaMemcpyAsync(b, y.data(), bytes, cudaMemcpyHostToDevice, stream));
        add<<<(n + 255) / 256, 256, 0, stream>>>(a, b, c, n);
        CHECK(cudaFreeAsync(a, stream));
        CHECK(cudaFreeAsync(b, stream));
        CHECK(cudaMemcpyAsync(sum.data(), c, bytes, cudaMemcpyDeviceToHost, stream));
        CHECK(cudaFreeAsync(c, stream));
        CHECK(cudaStreamSynchronize(stream));
        for (int i = 0; i < n; i++)
            ok &= sum[i] == float(4 * i);
    }
    ok &= figure(pool, cudaMemPoolAttrUsedMemCurrent) == 0;
    ok &= figure(pool, cudaMemPoolAttrUsedMemHigh) == 3 * bytes;

    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = 0;
    cudaMemPool_t own;
    CHECK(cudaMemPoolCreate(&own, &properties));
    float *d;
    CHECK(cudaMallocFromPoolAsync(&d, bytes, own, stream));
    CHECK(cudaMemsetAsync(d, 0, bytes, stream));
    ok &= figure(own, cudaMemPoolAttrUsedMemCurrent) == bytes;
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    cudaMemAccessFlags access = cudaMemAccessFlagsProtNone;
    CHECK(cudaMemPoolGetAccess(&access, own, &here));
    ok &= access == cudaMemAccessFlagsProtReadWrite;
    unsigned long long mark = 1;
    ok &= cudaMemPoolSetAttribute(own, cudaMemPoolAttrUsedMemHigh, &mark) == cudaErrorInvalidValue;
    CHECK(cudaFree(d));
    CHECK(cudaMemPoolTrimTo(own, 0));
    ok &= figure(own, cudaMemPoolAttrUsedMemCurrent) == 0;
    CHECK(cudaMemPoolDestroy(own));
    ok &= cudaMemPoolDestroy(pool) == cudaErrorInvalidValue;
    cudaGetLastError();
    return verdict(ok);
}
