// SPDX-License-Identifier: Apache-2.0
/* A vector that grows in place: a large range of addresses is reserved, and memory is mapped behind what is there already. */
#include <cuda.h>

#include "check.h"

#define CHECK_DRIVER(call)                                                                         \
    do {                                                                                           \
        CUresult check_error = (call);                                                             \
        if (check_error != CUDA_SUCCESS) {                                                         \
            printf("%s:%d: %s: %d\n", __FILE__, __LINE__, #call, check_error);                     \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

__global__ void fill(unsigned *x, size_t from, size_t to)
{
    for (size_t i = from + blockIdx.x * blockDim.x + threadIdx.x; i < to; i += gridDim.x * blockDim.x)
        x[i] = static_cast<unsigned>(i) * 2654435761u;
}

class growing {
    CUmemAllocationProp properties = {};
    std::vector<CUmemGenericAllocationHandle> parts;
    size_t step, reserved;

public:
    CUdeviceptr begin = 0;
    size_t bytes = 0;

    explicit growing(size_t wanted)
    {
        properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
        properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
        CHECK_DRIVER(cuMemGetAllocationGranularity(&step, &properties, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
        reserved = (wanted + step - 1) / step * step;
        CHECK_DRIVER(cuMemAddressReserve(&begin, reserved, 0, 0, 0));
    }
    void grow()
    {
        CUmemAccessDesc access = {properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
        parts.emplace_back();
        CHECK_DRIVER(cuMemCreate(&parts.back(), step, &properties, 0));
        CHECK_DRIVER(cuMemMap(begin + bytes, step, 0, parts.back(), 0));
        CHECK_DRIVER(cuMemSetAccess(begin + bytes, step, &access, 1));
        bytes += step;
    }
    ~growing()
    {
        CHECK_DRIVER(cuMemUnmap(begin, bytes));
        for (CUmemGenericAllocationHandle part : parts)
            CHECK_DRIVER(cuMemRelease(part));
        CHECK_DRIVER(cuMemAddressFree(begin, reserved));
    }
};

int main()
{
    int has_virtual_memory = 0;
    CHECK(cudaFree(0));
    CHECK_DRIVER(cuDeviceGetAttribute(&has_virtual_memory, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
    bool ok = has_virtual_memory == 1;
    {
        growing vector(16 << 20);
        const CUdeviceptr first = vector.begin;
        size_t filled = 0;
        for (int round = 0; round < 3; round++) {
            vector.grow();
            const size_t count = vector.bytes / sizeof(unsigned);
            fill<<<32, 256>>>(reinterpret_cast<unsigned *>(vector.begin), filled, count);
            CHECK(cudaGetLastError());
            filled = count;
        }
        ok &= vector.begin == first && filled >= 3u << 18;
        std::vector<unsigned> host(filled);
        CHECK(cudaMemcpy(host.data(), reinterpret_cast<void *>(vector.begin), vector.bytes, cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < filled; i++)
            ok &= host[i] == static_cast<unsigned>(i) * 2654435761u;
    }
    return verdict(ok);
}
