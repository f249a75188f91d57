// SPDX-License-Identifier: Apache-2.0
/* The driver API alone: PTX as text in the program, its variable, arguments both ways, errors. */
#include <cstring>
#include <string>
#include <cuda.h>

#include "check.h"

#define CHECK_DRIVER(call)                                                                         \
    do {                                                                                           \
        CUresult check_result = (call);                                                            \
        const char *check_words = "?";                                                             \
        if (check_result != CUDA_SUCCESS) {                                                        \
            cuGetErrorString(check_result, &check_words);                                          \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, check_words);                     \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* c[i] = (a[i] + b[i]) * factor */
static const char ptx[] = R"(
.version 6.0
.target sm_50
.address_size 64
.visible .global .align 4 .f32 factor = 0f40000000;
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .f32 %f<6>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<11>;
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b];
    ld.param.u64 %rd3, [c];
    ld.param.u32 %r2, [n];
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ntid.x;
    mov.u32 %r5, %tid.x;
    mad.lo.s32 %r1, %r3, %r4, %r5;
    setp.ge.s32 %p1, %r1, %r2;
    @%p1 bra DONE;
    mul.wide.s32 %rd4, %r1, 4;
    add.s64 %rd5, %rd1, %rd4;
    add.s64 %rd6, %rd2, %rd4;
    add.s64 %rd7, %rd3, %rd4;
    ld.global.f32 %f1, [%rd5];
    ld.global.f32 %f2, [%rd6];
    ld.global.f32 %f4, [factor];
    add.f32 %f3, %f1, %f2;
    mul.f32 %f5, %f3, %f4;
    st.global.f32 [%rd7], %f5;
DONE:
    ret;
}
)";

enum { N = 50000, BLOCK = 256 };

struct buffers {
    CUdeviceptr a, b, c;
};

static bool result_is(CUdeviceptr c, float wanted)
{
    std::vector<float> got(N);
    CHECK_DRIVER(cuMemcpyDtoH(got.data(), c, N * sizeof(float)));
    bool ok = true;
    for (int i = 0; i < N; i++)
        ok &= got[i] == (i + 1.0f) * wanted;
    return ok;
}

/* By pointers to arguments, then all of them packed, with another factor. */
static bool launches(CUmodule module, CUfunction add, buffers m)
{
    int n = N;
    CUdeviceptr factor;
    CUstream stream;
    size_t bytes;
    void *arguments[] = {&m.a, &m.b, &m.c, &n};
    CHECK_DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK_DRIVER(cuLaunchKernel(add, (N + BLOCK - 1) / BLOCK, 1, 1, BLOCK, 1, 1, 0, stream,
                                arguments, NULL));
    CHECK_DRIVER(cuStreamSynchronize(stream));
    bool ok = result_is(m.c, 2);
    struct {
        CUdeviceptr a, b, c;
        int n;
    } packed = {m.a, m.b, m.c, N};
    size_t packed_bytes = 28;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE,
                     &packed_bytes, CU_LAUNCH_PARAM_END};
    CHECK_DRIVER(cuModuleGetGlobal(&factor, &bytes, module, "factor"));
    CHECK_DRIVER(cuMemsetD32(factor, 0x41200000, 1)); /* 10.0f */
    CHECK_DRIVER(
        cuLaunchKernel(add, (N + BLOCK - 1) / BLOCK, 1, 1, BLOCK, 1, 1, 0, stream, NULL, extra));
    CHECK_DRIVER(cuStreamDestroy(stream));
    return ok && bytes == 4 && result_is(m.c, 10);
}

/* Its wall time takes the place of the option's value (driver API, CUjit_option). */
static CUresult loads(const char *kernel)
{
    CUmodule module;
    CUjit_option keys[] = {CU_JIT_WALL_TIME};
    void *values[] = {NULL};
    float milliseconds = -1;
    std::string text = std::string(".version 7.0\n.target sm_70\n.address_size 64\n") + kernel;
    CUresult result = cuModuleLoadDataEx(&module, text.c_str(), 1, keys, values);
    memcpy(&milliseconds, values, sizeof milliseconds);
    if (!(milliseconds > 0 && milliseconds < 60000)) return CUDA_ERROR_UNKNOWN;
    return result == CUDA_SUCCESS ? cuModuleUnload(module) : result;
}

static bool errors(CUmodule module, CUfunction add)
{
    CUfunction none;
    CUmodule broken;
    CUdeviceptr memory;
    CUcontext context;
    char log[512] = "";
    CUjit_option keys[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    const char *name = NULL;
    bool ok = cuModuleGetFunction(&none, module, "subtract") == CUDA_ERROR_NOT_FOUND;
    ok &= cuModuleLoadDataEx(&broken, ".version 7.0\n.target sm_70\nnonsense", 2, keys, values) ==
              CUDA_ERROR_INVALID_PTX &&
          strstr(log, "nonsense");
    ok &= loads(".visible .entry k() { twiddle.u32 %r, 1; ret; }") == CUDA_ERROR_INVALID_PTX;
    ok &= loads(".visible .entry k() { ret; }") == CUDA_SUCCESS;
    ok &= cuMemAlloc(&memory, (size_t)1 << 50) == CUDA_ERROR_OUT_OF_MEMORY;
    ok &= cuLaunchKernel(add, 1, 1, 1, 5000, 1, 1, 0, 0, NULL, NULL) == CUDA_ERROR_INVALID_VALUE;
    ok &= cuGetErrorName(CUDA_ERROR_NOT_FOUND, &name) == CUDA_SUCCESS &&
          !strcmp(name, "CUDA_ERROR_NOT_FOUND");
    CHECK_DRIVER(cuCtxPopCurrent(&context));
    ok &= cuMemAlloc(&memory, 4) == CUDA_ERROR_INVALID_CONTEXT;
    CHECK_DRIVER(cuCtxPushCurrent(context));
    return ok;
}

int main()
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction add;
    buffers m;
    int count, major, minor, threads, blocks;
    char name[100];
    if (cuDeviceGetCount(&count) != CUDA_ERROR_NOT_INITIALIZED) return verdict(false);
    CHECK_DRIVER(cuInit(0));
    CHECK_DRIVER(cuDeviceGetCount(&count));
    CHECK_DRIVER(cuDeviceGet(&device, 0));
    CHECK_DRIVER(cuDeviceGetName(name, sizeof name, device));
    CHECK_DRIVER(
        cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    CHECK_DRIVER(
        cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
#if CUDA_VERSION >= 13000
    CHECK_DRIVER(cuCtxCreate(&context, NULL, 0, device));
#else
    CHECK_DRIVER(cuCtxCreate(&context, 0, device));
#endif
    CHECK_DRIVER(cuModuleLoadData(&module, ptx));
    CHECK_DRIVER(cuModuleGetFunction(&add, module, "add"));
    CHECK_DRIVER(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, add));
    CHECK_DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, BLOCK, 0));
    std::vector<float> a(N), b(N, 1);
    for (int i = 0; i < N; i++)
        a[i] = i;
    for (CUdeviceptr *one : {&m.a, &m.b, &m.c})
        CHECK_DRIVER(cuMemAlloc(one, N * sizeof(float)));
    CHECK_DRIVER(cuMemcpyHtoD(m.a, a.data(), N * sizeof(float)));
    CHECK_DRIVER(cuMemcpyHtoD(m.b, b.data(), N * sizeof(float)));
    bool ok = count == 1 && major == 7 && minor == 0 && strstr(name, "V100");
    ok &= threads == 1024 && blocks == 8; /* 2048 threads an SM */
    ok &= launches(module, add, m) && errors(module, add);
    for (CUdeviceptr one : {m.a, m.b, m.c})
        CHECK_DRIVER(cuMemFree(one));
    CHECK_DRIVER(cuModuleUnload(module));
    CHECK_DRIVER(cuCtxDestroy(context));
    return verdict(ok);
}
