// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: issue: memory inside a program's own allocator counts as one allocation; its blocks are aligned to 256 bytes
#include "../array.h"

class arena {
public:
    explicit arena(size_t size) : memory(size), used(0) {}
    template <class T> T *take(size_t n)
    {
        T *p = (T *)((char *)memory + used);
        used += (n * sizeof(T) + 255) / 256 * 256;
        return p;
    }
    void reset() { used = 0; }

private:
    array<char> memory;
    size_t used;
};

__global__ void axpy(float a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}

int main()
{
    arena pool(1 << 16);
    bool ok = true;
    for (int n = 100; n < 400; n += 90) {
        pool.reset();
        float *x = pool.take<float>(n), *y = pool.take<float>(n);
        std::vector<float> host(n, 2.0f);
        CHECK(cudaMemcpy(x, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
        CHECK(cudaMemset(y, 0, n * sizeof(float)));
        axpy<<<(n + 127) / 128, 128>>>(3.0f, x, y, n);
        CHECK(cudaMemcpy(host.data(), y, n * sizeof(float), cudaMemcpyDeviceToHost));
        for (float one : host) ok &= one == 6.0f;
    }
    return verdict(ok);
}
