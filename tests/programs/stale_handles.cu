// SPDX-License-Identifier: Apache-2.0
/* Handles that were destroyed, or never were any: an error of CUDA, whatever is asked of them. */
#include <cstring>
#include <cuda.h>

#include "check.h"

static bool ok = true;

#define EXPECT(call, expected)                                                                     \
    do {                                                                                           \
        int got = (int)(call);                                                                     \
        if (got != (int)(expected)) {                                                              \
            printf("%d: %s: %d, not %d\n", __LINE__, #call, got, (int)(expected));                 \
            ok = false;                                                                            \
        }                                                                                          \
    } while (0)
#define STALE(call) EXPECT(call, cudaErrorInvalidResourceHandle)
#define WRONG(call) EXPECT(call, cudaErrorInvalidValue)

__global__ void fill(int *p)
{
    p[threadIdx.x] = 3;
}

static int *memory;
static void nothing(void *)
{
}

static void use_stream(cudaStream_t s, cudaEvent_t live)
{
    unsigned flags;
    int priority;
    cudaStreamCaptureStatus status;
    cudaGraph_t graph;
    void *p;
    fill<<<1, 32, 0, s>>>(memory);
    STALE(cudaGetLastError());
    STALE(cudaStreamSynchronize(s));
    STALE(cudaStreamQuery(s));
    STALE(cudaStreamDestroy(s));
    STALE(cudaEventRecord(live, s));
    STALE(cudaStreamWaitEvent(s, live, 0));
    STALE(cudaStreamGetFlags(s, &flags));
    STALE(cudaStreamGetPriority(s, &priority));
    STALE(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    STALE(cudaStreamIsCapturing(s, &status));
    STALE(cudaStreamEndCapture(s, &graph));
    STALE(cudaMemcpyAsync(memory, memory + 64, 4, cudaMemcpyDeviceToDevice, s));
    STALE(cudaMemsetAsync(memory, 0, 4, s));
    STALE(cudaMallocAsync(&p, 64, s));
    STALE(cudaFreeAsync(memory, s));
    STALE(cudaLaunchHostFunc(s, nothing, nullptr));
    cudaGetLastError();
}

static void use_event(cudaEvent_t e, cudaEvent_t live)
{
    float ms;
    STALE(cudaEventRecord(e));
    STALE(cudaEventSynchronize(e));
    STALE(cudaEventQuery(e));
    STALE(cudaEventDestroy(e));
    STALE(cudaEventElapsedTime(&ms, e, live));
    STALE(cudaEventElapsedTime(&ms, live, e));
    STALE(cudaStreamWaitEvent(0, e, 0));
}

static void use_graph(cudaGraph_t g, cudaGraphExec_t exec, cudaGraphNode_t node)
{
    cudaGraphNode_t out;
    cudaGraph_t clone;
    cudaGraphExec_t made;
    size_t count = 0;
    cudaGraphNodeType type;
    WRONG(cudaGraphAddEmptyNode(&out, g, nullptr, 0));
    WRONG(cudaGraphClone(&clone, g));
    WRONG(cudaGraphInstantiate(&made, g, 0));
    WRONG(cudaGraphGetNodes(g, nullptr, &count));
    WRONG(cudaGraphDestroy(g));
    WRONG(cudaGraphLaunch(exec, 0));
    WRONG(cudaGraphExecDestroy(exec));
    WRONG(cudaGraphNodeGetType(node, &type));
    WRONG(cudaGraphDestroyNode(node));
}

static void use_array(cudaArray_t a)
{
    cudaExtent extent;
    cudaChannelFormatDesc format;
    cudaTextureObject_t texture;
    cudaTextureDesc how = {};
    cudaResourceDesc what = {};
    int values[16] = {};
    what.resType = cudaResourceTypeArray;
    what.res.array.array = a;
    STALE(cudaArrayGetInfo(&format, &extent, nullptr, a));
    STALE(cudaGetChannelDesc(&format, a));
    STALE(cudaMemcpy2DToArray(a, 0, 0, values, 16, 16, 4, cudaMemcpyHostToDevice));
    STALE(cudaMemcpy2DFromArray(values, 16, a, 0, 0, 16, 4, cudaMemcpyDeviceToHost));
    STALE(cudaCreateTextureObject(&texture, &what, &how, nullptr));
    STALE(cudaFreeArray(a));
    cudaMemcpy3DParms copy = {};
    copy.srcArray = a;
    copy.dstPtr = make_cudaPitchedPtr(values, 16, 4, 4);
    copy.extent = make_cudaExtent(4, 4, 1);
    copy.kind = cudaMemcpyDeviceToHost;
    STALE(cudaMemcpy3D(&copy));
}

static void use_pool(cudaMemPool_t pool)
{
    void *p;
    size_t value;
    WRONG(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &value));
    WRONG(cudaMallocFromPoolAsync(&p, 64, pool, 0));
    WRONG(cudaDeviceSetMemPool(0, pool));
    WRONG(cudaMemPoolDestroy(pool));
}

/* Modules share one device: each loads its own variable, and its memory comes back. */
static const char ptx[] = ".version 7.0\n.target sm_52\n.address_size 64\n"
                          ".visible .global .u32 v[25000];\n"
                          ".visible .entry k() { .reg .u32 r; ld.global.u32 r, [v];\n"
                          "add.u32 r, r, 1; st.global.u32 [v], r; ret; }\n";

static decltype(&cuModuleLoadData) load;
static decltype(&cuModuleUnload) unload;
static decltype(&cuModuleGetFunction) get_function;
static decltype(&cuModuleGetGlobal) get_global;
static decltype(&cuLaunchKernel) launch;

template <typename T> static void find(const char *name, T *out)
{
    void *function;
    cudaDriverEntryPointQueryResult result;
    CHECK(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &result));
    memcpy(out, &function, sizeof *out);
}

static void use_modules()
{
    size_t before, after, total, bytes;
    CUmodule module;
    CUfunction function;
    CUdeviceptr v;
    find("cuModuleLoadData", &load);
    find("cuModuleUnload", &unload);
    find("cuModuleGetFunction", &get_function);
    find("cuModuleGetGlobal", &get_global);
    find("cuLaunchKernel", &launch);
    for (int i = 0; i < 3; i++) {
        unsigned value = 0;
        CHECK(cudaMemGetInfo(&before, &total));
        EXPECT(load(&module, ptx), 0);
        EXPECT(get_function(&function, module, "k"), 0);
        EXPECT(launch(function, 1, 1, 1, 1, 1, 1, 0, 0, nullptr, nullptr), 0);
        EXPECT(get_global(&v, &bytes, module, "v"), 0);
        CHECK(cudaMemcpy(&value, (void *)v, 4, cudaMemcpyDeviceToHost));
        EXPECT(value, 1);
        EXPECT(unload(module), 0);
        CHECK(cudaMemGetInfo(&after, &total));
        ok &= before == after;
    }
    EXPECT(unload(module), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(get_global(&v, &bytes, module, "v"), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(get_function(&function, module, "k"), CUDA_ERROR_INVALID_HANDLE);
    EXPECT(launch(function, 1, 1, 1, 1, 1, 1, 0, 0, nullptr, nullptr), CUDA_ERROR_INVALID_HANDLE);
}

/* A stream that joined a capture and was joined may go before its end; so may events. */
static void destroy_while_capturing()
{
    cudaStream_t a, b;
    cudaEvent_t e, f;
    cudaGraph_t graph;
    size_t count = 0;
    CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&e));
    CHECK(cudaEventCreate(&f));
    CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    fill<<<1, 1, 0, a>>>(memory);
    CHECK(cudaEventRecord(e, a));
    CHECK(cudaStreamWaitEvent(b, e, 0));
    fill<<<1, 1, 0, b>>>(memory);
    CHECK(cudaEventRecord(f, b));
    CHECK(cudaStreamWaitEvent(a, f, 0));
    CHECK(cudaStreamDestroy(b));
    CHECK(cudaEventDestroy(e));
    CHECK(cudaEventDestroy(f));
    CHECK(cudaStreamEndCapture(a, &graph));
    CHECK(cudaGraphGetNodes(graph, nullptr, &count));
    EXPECT(count, 2);
}

int main()
{
    cudaStream_t stream;
    cudaEvent_t event, live;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    cudaArray_t array;
    cudaMemPool_t pool;
    cudaMemPoolProps of_device = {};
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    of_device.allocType = cudaMemAllocationTypePinned;
    of_device.location.type = cudaMemLocationTypeDevice;
    CHECK(cudaMalloc(&memory, 1024));
    CHECK(cudaEventCreate(&live));
    CHECK(cudaEventRecord(live));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaEventCreate(&event));
    CHECK(cudaEventDestroy(event));
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddEmptyNode(&node, graph, nullptr, 0));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    WRONG(cudaGraphDestroy((cudaGraph_t)exec));
    WRONG(cudaGraphLaunch((cudaGraphExec_t)graph, 0));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaMallocArray(&array, &format, 4, 4));
    CHECK(cudaFreeArray(array));
    CHECK(cudaMemPoolCreate(&pool, &of_device));
    CHECK(cudaMemPoolDestroy(pool));
    char garbage[512];
    memset(garbage, 0x5a, sizeof garbage);
    void *stale[] = {stream, event, graph, exec, node, array, pool, (void *)0x1234, garbage};
    for (void *one : stale) {
        use_stream((cudaStream_t)one, live);
        use_event((cudaEvent_t)one, live);
        use_graph((cudaGraph_t)one, (cudaGraphExec_t)one, (cudaGraphNode_t)one);
        use_array((cudaArray_t)one);
        use_pool((cudaMemPool_t)one);
    }
    use_modules();
    destroy_while_capturing();
    return verdict(ok);
}
