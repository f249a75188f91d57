// SPDX-License-Identifier: Apache-2.0
/* Jacobi's iteration as a graph whose kernel nodes get other parameters before each launch, by nodes and by an update from a
 * graph that was captured anew; and a graph with memory of its own. */
#include "check.h"

enum { N = 64 };

__global__ void jacobi(const float *a, const float *b, const float *x, float *next)
{
    int row = threadIdx.x;
    float sum = b[row];
    for (int k = 0; k < N; k++)
        if (k != row) sum -= a[row * N + k] * x[k];
    next[row] = sum / a[row * N + row];
}

__global__ void difference(const float *x, const float *y, float *most)
{
    atomicMax(reinterpret_cast<int *>(most), __float_as_int(fabsf(x[threadIdx.x] - y[threadIdx.x])));
}

static float *a, *b, *x[2], *most;

static void capture(cudaStream_t stream, int from, cudaGraph_t *out)
{
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemsetAsync(most, 0, sizeof(float), stream));
    jacobi<<<1, N, 0, stream>>>(a, b, x[from], x[1 - from]);
    difference<<<1, N, 0, stream>>>(x[0], x[1], most);
    CHECK(cudaStreamEndCapture(stream, out));
}

/* Iterations until the numbers hardly change. */
template <typename Update> static int solve(cudaStream_t stream, Update update)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaMemset(x[0], 0, N * sizeof(float)));
    capture(stream, 0, &graph);
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    int count = 0;
    do {
        if (count) update(exec, graph, count % 2);
        CHECK(cudaGraphLaunch(exec, stream));
        CHECK(cudaStreamSynchronize(stream));
    } while (*most > 1e-7f && ++count < 200);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    return count;
}

static bool is_solution(int count)
{
    bool ok = count > 3 && count < 100;
    for (int row = 0; row < N; row++) {
        float sum = 0;
        for (int k = 0; k < N; k++)
            sum += a[row * N + k] * x[(count + 1) % 2][k];
        ok &= std::fabs(sum - b[row]) < 1e-3f;
    }
    return ok;
}

static void update_node(cudaGraphExec_t exec, cudaGraph_t graph, int from)
{
    cudaGraphNode_t nodes[3];
    size_t count = 3;
    CHECK(cudaGraphGetNodes(graph, nodes, &count));
    for (size_t i = 0; i < count; i++) {
        cudaGraphNodeType type;
        cudaKernelNodeParams parameters;
        CHECK(cudaGraphNodeGetType(nodes[i], &type));
        if (type != cudaGraphNodeTypeKernel) continue;
        CHECK(cudaGraphKernelNodeGetParams(nodes[i], &parameters));
        void *arguments[] = {&a, &b, &x[from], &x[1 - from]};
        parameters.kernelParams = arguments;
        cudaFunction_t wanted;
        CHECK(cudaGetFuncBySymbol(&wanted, reinterpret_cast<const void *>(jacobi)));
        if (parameters.func == reinterpret_cast<void *>(jacobi) || parameters.func == wanted)
            CHECK(cudaGraphExecKernelNodeSetParams(exec, nodes[i], &parameters));
    }
}

static void update_whole(cudaGraphExec_t exec, cudaGraph_t, int from)
{
    cudaStream_t stream;
    cudaGraph_t other;
    cudaGraphExecUpdateResultInfo info;
    CHECK(cudaStreamCreate(&stream));
    capture(stream, from, &other);
    CHECK(cudaGraphExecUpdate(exec, other, &info));
    if (info.result != cudaGraphExecUpdateSuccess) exit(verdict(false));
    CHECK(cudaGraphDestroy(other));
    CHECK(cudaStreamDestroy(stream));
}

/* Memory that a graph allocates and frees. */
static bool check_memory_nodes(cudaStream_t stream)
{
    float *memory;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    CHECK(cudaMallocAsync(&memory, N * sizeof(float), stream));
    jacobi<<<1, N, 0, stream>>>(a, b, x[0], memory);
    CHECK(cudaMemcpyAsync(x[1], memory, N * sizeof(float), cudaMemcpyDeviceToDevice, stream));
    CHECK(cudaFreeAsync(memory, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaMemset(x[0], 0, N * sizeof(float)));
    for (int round = 0; round < 2; round++)
        CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    bool ok = true;
    for (int row = 0; row < N; row++)
        ok &= x[1][row] == b[row] / a[row * N + row];
    CHECK(cudaDeviceGraphMemTrim(0));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    return ok;
}

int main()
{
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMallocManaged(&a, N * N * sizeof(float)));
    CHECK(cudaMallocManaged(&b, N * sizeof(float)));
    CHECK(cudaMallocManaged(&x[0], N * sizeof(float)));
    CHECK(cudaMallocManaged(&x[1], N * sizeof(float)));
    CHECK(cudaMallocManaged(&most, sizeof(float)));
    unsigned state = 31;
    for (int i = 0; i < N * N; i++)
        a[i] = i % (N + 1) ? static_cast<float>(next_random(&state) % 100) / 100 : 2.0f * N;
    for (int i = 0; i < N; i++)
        b[i] = static_cast<float>(next_random(&state) % 1000);
    int count = solve(stream, update_node);
    bool ok = is_solution(count);
    ok &= solve(stream, update_whole) == count && is_solution(count);
    ok &= check_memory_nodes(stream);
    return verdict(ok);
}
