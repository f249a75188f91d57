// SPDX-License-Identifier: Apache-2.0
/* What was set, advised, built or mapped is told again: attributes of streams, advice about managed memory, a graph as a
 * picture, handles of mapped memory, parameters of a function. Values are those of the CUDA manuals. */
#include <cuda.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "check.h"

#define CHECK_DRIVER(call)                                                                         \
    do {                                                                                           \
        CUresult check_result = (call);                                                            \
        if (check_result != CUDA_SUCCESS) {                                                        \
            printf("%s:%d: %s: error %d\n", __FILE__, __LINE__, #call, (int)check_result);         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

__global__ void add(float *x, short by, double scale)
{
    x[threadIdx.x] += by * (float)scale;
}

static bool ok = true;

static void expect(const char *what, bool is_so)
{
    if (!is_so) printf("%s: wrong\n", what);
    ok &= is_so;
}

static void check_streams(float *memory)
{
    cudaStream_t stream, other;
    cudaStreamAttrValue window = {}, got;
    CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -2));
    CHECK(cudaStreamCreate(&other));
    window.accessPolicyWindow.base_ptr = memory;
    window.accessPolicyWindow.num_bytes = 512;
    window.accessPolicyWindow.hitRatio = 0.5f;
    CHECK(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &window));
    CHECK(cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &got));
    expect("window", got.accessPolicyWindow.base_ptr == memory && got.accessPolicyWindow.num_bytes == 512);
    CHECK(cudaStreamGetAttribute(other, cudaStreamAttributeAccessPolicyWindow, &got));
    expect("no window", got.accessPolicyWindow.num_bytes == 0);
    CHECK(cudaStreamCopyAttributes(other, stream));
    CHECK(cudaStreamGetAttribute(other, cudaStreamAttributeAccessPolicyWindow, &got));
    expect("copied window", got.accessPolicyWindow.hitRatio == 0.5f);
    CHECK(cudaStreamGetAttribute(stream, cudaStreamAttributePriority, &got));
    expect("priority", got.priority == -2);
    expect("unknown attribute", cudaStreamGetAttribute(stream, (cudaStreamAttrID)99, &got) == cudaErrorInvalidValue);
    CHECK(cudaStreamDestroy(stream));
    expect("destroyed", cudaStreamGetAttribute(stream, cudaStreamAttributePriority, &got) ==
                            cudaErrorInvalidResourceHandle);
    (void)cudaGetLastError();
}

static int advised(const void *memory, size_t bytes, CUmem_range_attribute attribute)
{
    int value = -9;
    CHECK_DRIVER(cuMemRangeGetAttribute(&value, sizeof value, attribute, (CUdeviceptr)memory, bytes));
    return value;
}

static void check_advice()
{
    enum { BYTES = 1 << 16 };
    char *memory;
    CHECK(cudaMallocManaged(&memory, BYTES));
    expect("not advised", advised(memory, BYTES, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY) == 0 &&
                              advised(memory, BYTES, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION) == CU_DEVICE_INVALID &&
                              advised(memory, BYTES, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION) == CU_DEVICE_INVALID);
#if CUDART_VERSION >= 13000
    const cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    CHECK(cudaMemPrefetchAsync(memory, BYTES, host, 0, 0));
#else
    const int device = 0;
    CHECK(cudaMemPrefetchAsync(memory, BYTES, cudaCpuDeviceId, 0));
#endif
    CHECK(cudaMemAdvise(memory, BYTES, cudaMemAdviseSetReadMostly, device));
    CHECK(cudaMemAdvise(memory, BYTES / 2, cudaMemAdviseSetPreferredLocation, device));
    expect("read mostly", advised(memory + 100, 100, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY) == 1);
    expect("preferred", advised(memory, BYTES / 2, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION) == 0);
    expect("preferred of a part", advised(memory, BYTES, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION) == CU_DEVICE_INVALID);
    expect("prefetched", advised(memory, BYTES, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION) == CU_DEVICE_CPU);
    CHECK(cudaMemAdvise(memory, BYTES, cudaMemAdviseUnsetReadMostly, device));
    expect("no more", advised(memory, BYTES, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY) == 0);
    CHECK(cudaFree(memory));
}

static void check_picture(float *memory)
{
    cudaGraph_t graph;
    cudaStream_t stream;
    char path[] = P_tmpdir "/graph-XXXXXX";
    int file = mkstemp(path);
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemsetAsync(memory, 0, 128, stream));
    add<<<1, 32, 0, stream>>>(memory, 1, 2);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphDebugDotPrint(graph, path, 0));
    std::ifstream stream_of_file(path);
    std::string text((std::istreambuf_iterator<char>(stream_of_file)), {});
    remove(path);
    expect("picture", file >= 0 && text.find("digraph") == 0 && text.find("MEMSET") != text.npos &&
                          text.find("add") != text.npos && text.find("->") == text.rfind("->") &&
                          text.find("->") != text.npos);
}

static void check_mapped()
{
    CUmemAllocationProp wanted = {}, got;
    CUmemGenericAllocationHandle memory, again;
    CUdeviceptr address;
    size_t bytes;
    wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    wanted.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    CHECK_DRIVER(cuMemGetAllocationGranularity(&bytes, &wanted, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    CHECK_DRIVER(cuMemAddressReserve(&address, bytes, 0, 0, 0));
    CHECK_DRIVER(cuMemCreate(&memory, bytes, &wanted, 0));
    expect("not mapped", cuMemRetainAllocationHandle(&again, (void *)address) == CUDA_ERROR_INVALID_VALUE);
    CHECK_DRIVER(cuMemMap(address, bytes, 0, memory, 0));
    CHECK_DRIVER(cuMemRetainAllocationHandle(&again, (void *)(address + 100)));
    expect("one allocation", again == memory);
    CHECK_DRIVER(cuMemGetAllocationPropertiesFromHandle(&got, again));
    expect("properties", got.type == wanted.type && got.location.type == wanted.location.type && !got.location.id);
    CHECK_DRIVER(cuMemRelease(memory));
    CHECK_DRIVER(cuMemRelease(again));
    expect("released", cuMemRelease(memory) == CUDA_ERROR_INVALID_VALUE);
    CHECK_DRIVER(cuMemUnmap(address, bytes));
    CHECK_DRIVER(cuMemAddressFree(address, bytes));
}

static void check_parameters()
{
    cudaFunction_t function;
    size_t offset, bytes;
    CHECK(cudaGetFuncBySymbol(&function, (const void *)add));
    CHECK_DRIVER(cuFuncGetParamInfo(function, 1, &offset, &bytes));
    expect("short", offset == 8 && bytes == 2);
    CHECK_DRIVER(cuFuncGetParamInfo(function, 2, &offset, NULL));
    expect("double", offset == 16);
    expect("no more parameters", cuFuncGetParamInfo(function, 3, &offset, &bytes) == CUDA_ERROR_INVALID_VALUE);
}

int main()
{
    float *memory;
    CHECK(cudaMalloc(&memory, 4096));
    CHECK_DRIVER(cuInit(0));
    check_streams(memory);
    check_advice();
    check_picture(memory);
    check_mapped();
    check_parameters();
    CHECK(cudaMemset(memory, 0, 4096));
    add<<<1, 32>>>(memory, 1, 2);
    CHECK(cudaDeviceSynchronize());
    return verdict(ok);
}
