// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: buffers are kept by size and given out again; all are freed by the destructor of a static object
#include "../checks.h"
#include <map>

class cache {
public:
    void *take(size_t size)
    {
        auto found = idle.find(size);
        void *p;
        if (found != idle.end()) {
            p = found->second;
            idle.erase(found);
        } else {
            CHECK(cudaMalloc(&p, size));
        }
        sizes[p] = size;
        return p;
    }
    void give(void *p) { idle.emplace(sizes[p], p); }
    ~cache()
    {
        for (auto &one : idle) cudaFree(one.second);
    }

private:
    std::multimap<size_t, void *> idle;
    std::map<void *, size_t> sizes;
};

static cache allocator;

__global__ void fill(int *out, int value)
{
    out[threadIdx.x] = value;
}

int main()
{
    bool ok = true;
    for (int i = 0; i < 6; i++) {
        int host[64], *a = (int *)allocator.take(256), *b = (int *)allocator.take(i % 2 ? 256 : 512);
        fill<<<1, 64>>>(a, i);
        fill<<<1, 64>>>(b, -i);
        CHECK(cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost));
        ok &= host[63] == i;
        allocator.give(a);
        allocator.give(b);
    }
    return verdict(ok);
}
