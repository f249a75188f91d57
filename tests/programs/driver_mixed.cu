// SPDX-License-Identifier: Apache-2.0
/* Runtime and driver API in one program: one context, memory, streams and events; the runtime's kernel
 * launched by the driver; driver functions looked up by name; PTX linked of two texts. */
#include <cuda.h>
#include <dlfcn.h>

#include "check.h"

#define CHECK_DRIVER(call)                                                                         \
    do {                                                                                           \
        CUresult check_result = (call);                                                            \
        if (check_result != CUDA_SUCCESS) {                                                        \
            printf("%s:%d: %s: error %d\n", __FILE__, __LINE__, #call, (int)check_result);         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

enum { N = 1000 };

__global__ void triple(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 3;
}

#define HEAD ".version 6.0\n.target sm_50\n.address_size 64\n"
static char caller[] = HEAD R"(
.extern .func (.param .b32 result) plus(.param .b32 x);
.visible .entry apply(.param .u64 list)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    .param .b32 given;
    .param .b32 back;
    ld.param.u64 %rd1, [list];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    ld.global.u32 %r2, [%rd3];
    st.param.b32 [given], %r2;
    call (back), plus, (given);
    ld.param.b32 %r3, [back];
    st.global.u32 [%rd3], %r3;
    ret;
}
)";
static char called[] = HEAD R"(
.visible .func (.param .b32 result) plus(.param .b32 x)
{
    .reg .b32 %r<3>;
    ld.param.b32 %r1, [x];
    add.u32 %r2, %r1, 100;
    st.param.b32 [result], %r2;
    ret;
}
)";

static CUfunction link_apply()
{
    CUlinkState state;
    CUmodule module;
    CUfunction apply;
    void *image;
    size_t bytes;
    CHECK_DRIVER(cuLinkCreate(0, NULL, NULL, &state));
    CHECK_DRIVER(cuLinkAddData(state, CU_JIT_INPUT_PTX, caller, sizeof caller, "a", 0, NULL, NULL));
    CHECK_DRIVER(cuLinkAddData(state, CU_JIT_INPUT_PTX, called, sizeof called, "b", 0, NULL, NULL));
    CHECK_DRIVER(cuLinkComplete(state, &image, &bytes));
    CHECK_DRIVER(cuModuleLoadData(&module, image));
    CHECK_DRIVER(cuLinkDestroy(state));
    CHECK_DRIVER(cuModuleGetFunction(&apply, module, "apply"));
    return apply;
}

/* The same function in three ways. */
static bool lookups()
{
    void *by_runtime = NULL, *by_driver = NULL;
    cudaDriverEntryPointQueryResult found;
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    CHECK(cudaGetDriverEntryPointByVersion("cuMemAlloc", &by_runtime, 12000, cudaEnableDefault,
                                           &found));
    CHECK_DRIVER(cuGetProcAddress("cuMemAlloc", &by_driver, 12000, 0, NULL));
    /* A table that no driver has. */
    const void *table = library;
    CUuuid id = {};
    bool has_table = cuGetExportTable(&table, &id) == CUDA_SUCCESS || table;
    void *by_loader = library ? dlsym(library, "cuMemAlloc_v2") : NULL;
    return found == cudaDriverEntryPointSuccess && by_runtime && by_runtime == by_driver &&
           by_runtime == by_loader && !has_table &&
           cuGetProcAddress("cuNothing", &by_driver, 12000, 0, NULL) == CUDA_ERROR_NOT_FOUND;
}

int main()
{
    int *x, n = N, got[N];
    CUcontext current = NULL, primary;
    CUdevice device;
    cudaFunction_t function;
    cudaStream_t stream;
    float milliseconds = -1;
    CHECK(cudaFree(0)); /* makes the runtime's context */
    CHECK_DRIVER(cuCtxGetCurrent(&current));
    CHECK_DRIVER(cuCtxGetDevice(&device));
    CHECK_DRIVER(cuDevicePrimaryCtxRetain(&primary, device));
    bool ok = current && current == primary;
    CHECK(cudaMalloc(&x, sizeof got));
    CHECK_DRIVER(cuMemsetD32((CUdeviceptr)x, 7, N));
    CHECK(cudaStreamCreate(&stream));
    CUevent begin, end;
    CHECK_DRIVER(cuEventCreate(&begin, CU_EVENT_DEFAULT));
    CHECK_DRIVER(cuEventCreate(&end, CU_EVENT_DEFAULT));
    CHECK_DRIVER(cuEventRecord(begin, stream));
    triple<<<4, 256, 0, stream>>>(x, n);
    CHECK(cudaGetFuncBySymbol(&function, (const void *)triple));
    void *arguments[] = {&x, &n};
    CHECK_DRIVER(cuLaunchKernel(function, 4, 1, 1, 256, 1, 1, 0, stream, arguments, NULL));
    CHECK_DRIVER(cuEventRecord(end, stream));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    void *list[] = {&x};
    CHECK_DRIVER(cuLaunchKernel(link_apply(), 1, 1, 1, 32, 1, 1, 0, stream, list, NULL));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        ok &= got[i] == 7 * 3 * 3 + (i < 32 ? 100 : 0);
    /* An error of the driver is none of the runtime. */
    CUdeviceptr memory;
    ok &= cuMemAlloc(&memory, 0) == CUDA_ERROR_INVALID_VALUE && cudaGetLastError() == cudaSuccess;
    CHECK_DRIVER(cuDevicePrimaryCtxRelease(device));
    return verdict(ok && milliseconds > 0 && lookups());
}
