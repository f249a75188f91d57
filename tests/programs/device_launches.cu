// SPDX-License-Identifier: Apache-2.0
/* Launches by kernels (dynamic parallelism): order in streams, events, fire-and-forget and tail launches, copies and
 * fills, errors, and what kernels ask about the device. What must hold is in the CUDA C++ Programming Guide, dynamic
 * parallelism; numbers of the device are those that the host is told. */
#include <cstring>

#include "check.h"

struct step {
    int factor, addend;
    double unused[9];
};

/* x = x * factor + addend for each of n: the order of two such steps shows in the result. */
__global__ void apply(int *x, int n, step s)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * s.factor + s.addend;
}

__device__ step make(int factor, int addend)
{
    step s = {factor, addend, {0}};
    return s;
}

/* Launches in turn: what follows it in a stream sees what it launched. */
__global__ void nested(int *x, int n, int depth)
{
    if (depth)
        nested<<<1, 1>>>(x, n, depth - 1);
    else
        apply<<<(n + 63) / 64, 64>>>(x, n, make(2, 0));
}

/* Each thread writes before it launches: the child sees that. */
__global__ void streams(int *x, int n)
{
    x[threadIdx.x] = (int)threadIdx.x;
    __syncthreads();
    if (threadIdx.x) return;
    cudaStream_t first, second;
    cudaEvent_t event;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    apply<<<1, n>>>(x, n, make(3, 1)); /* 3i + 1 */
    nested<<<1, 1>>>(x, n, 3);         /* 6i + 2 */
    apply<<<1, n>>>(x, n, make(1, 5)); /* 6i + 7 */
    apply<<<1, n, 0, first>>>(x + n, n, make(0, 4));
    cudaEventRecord(event, first);
    cudaStreamWaitEvent(second, event, 0);
    apply<<<1, n, 0, second>>>(x + n, n, make(7, 2)); /* 30 */
    cudaEventDestroy(event);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    apply<<<1, n, 0, cudaStreamTailLaunch>>>(x, n, make(10, 0)); /* 60i + 70 */
    apply<<<1, n, 0, cudaStreamTailLaunch>>>(x, n, make(1, 1));  /* 60i + 71 */
    apply<<<1, n, 0, cudaStreamFireAndForget>>>(x + 2 * n, n, make(0, 9));
}

/* A grid that goes on as another one, until the count is reached. */
__global__ void again(int *count, int most)
{
    if (++*count < most) again<<<1, 1, 0, cudaStreamTailLaunch>>>(count, most);
}

/* Every thread of every block launches. */
__global__ void many(int *sum)
{
    apply<<<1, 1>>>(sum + blockIdx.x * blockDim.x + threadIdx.x, 1,
                    make(1, (int)(threadIdx.x + 1)));
}

__global__ void sum_shared(const int *in, int n, int *out)
{
    extern __shared__ int part[];
    part[threadIdx.x] = threadIdx.x < n ? in[threadIdx.x] : 0;
    __syncthreads();
    if (threadIdx.x) return;
    int sum = 0;
    for (int i = 0; i < (int)blockDim.x; i++)
        sum += part[i];
    *out = sum;
}

__device__ void (*const chosen)(const int *, int, int *) = sum_shared;

__global__ void free_it(int *memory)
{
    cudaFree(memory);
}

__global__ void memory(int *x, int n)
{
    int *own;
    if (cudaMalloc(&own, n * sizeof *own) != cudaSuccess) return;
    for (int i = 0; i < n; i++)
        own[i] = i;
    cudaMemsetAsync(x, 0, n * sizeof *x, 0);
    cudaMemcpyAsync(x + n, own, n * sizeof *own, cudaMemcpyDeviceToDevice, 0);
    chosen<<<1, 128, 128 * sizeof(int)>>>(x + n, n, x);
    cudaMemset2DAsync(x + 2 * n, 4 * sizeof *x, 1, 4, 3, 0); /* one word of four, three times */
    cudaMemcpy2DAsync(x + 3 * n, 8, x + 2 * n, 16, 4, 3, cudaMemcpyDeviceToDevice, 0);
    free_it<<<1, 1>>>(own);
}

__device__ bool same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

struct answers {
    cudaError_t empty, large, none, peeked, stream, destroyed;
    bool texts;
    int device, count, threads, registers, blocks, version;
    size_t pending, shared;
};

__global__ void questions(int *x, answers *out)
{
    cudaStream_t stream;
    cudaFuncAttributes attributes;
    if (threadIdx.x == 1) apply<<<0, 32>>>(x, 0, make(1, 1));
    if (threadIdx.x == 1) out->empty = cudaGetLastError();
    if (threadIdx.x) return;
    out->none = cudaGetLastError(); /* that of the other thread is not seen */
    apply<<<1, 2048>>>(x, 0, make(1, 1));
    out->peeked = cudaPeekAtLastError();
    out->large = cudaGetLastError();
    out->texts = same(cudaGetErrorName(out->large), "cudaErrorInvalidConfiguration") &&
                 same(cudaGetErrorString(cudaSuccess), "no error");
    out->stream = cudaStreamCreateWithFlags(&stream, cudaStreamDefault);
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaStreamDestroy(stream);
    out->destroyed = cudaStreamDestroy(stream);
    cudaGetDevice(&out->device);
    cudaGetDeviceCount(&out->count);
    cudaDeviceGetAttribute(&out->threads, cudaDevAttrMaxThreadsPerBlock, 0);
    cudaFuncGetAttributes(&attributes, sum_shared);
    out->registers = attributes.numRegs;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&out->blocks, sum_shared, 256, 1024);
    cudaDeviceGetLimit(&out->pending, cudaLimitDevRuntimePendingLaunchCount);
    cudaRuntimeGetVersion(&out->version);
}

static bool check_order(int *x)
{
    enum { N = 64 };
    streams<<<1, N>>>(x, N);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++)
        if (x[i] != 60 * i + 71 || x[N + i] != 30 || x[2 * N + i] != 9) return false;
    return true;
}

static bool check_many(int *x)
{
    enum { BLOCKS = 40, THREADS = 70 };
    memset(x, 0, BLOCKS * THREADS * sizeof *x);
    many<<<BLOCKS, THREADS>>>(x);
    apply<<<BLOCKS, THREADS>>>(x, BLOCKS * THREADS, step{2, 0, {0}}); /* behind all children */
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < BLOCKS * THREADS; i++)
        if (x[i] != 2 * (i % THREADS + 1)) return false;
    return true;
}

static bool check_memory(int *x)
{
    enum { N = 100, ONES = 0x01010101 };
    memset(x, 0xff, 4 * N * sizeof *x);
    memory<<<1, 1>>>(x, N);
    CHECK(cudaDeviceSynchronize());
    bool good = x[0] == N * (N - 1) / 2 && x[1] == 0;
    for (int i = 0; i < 3; i++)
        good = good && x[2 * N + 4 * i] == ONES && x[2 * N + 4 * i + 1] == -1 &&
               x[3 * N + 2 * i] == ONES && x[3 * N + 2 * i + 1] == -1;
    return good;
}

static bool check_answers(int *x)
{
    answers *got;
    cudaFuncAttributes attributes;
    int blocks, version;
    CHECK(cudaMallocManaged(&got, sizeof *got));
    CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 4096));
    questions<<<1, 2>>>(x, got);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFuncGetAttributes(&attributes, sum_shared));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sum_shared, 256, 1024));
    CHECK(cudaRuntimeGetVersion(&version));
    return got->empty == cudaErrorInvalidConfiguration && !got->none &&
           got->large == cudaErrorInvalidConfiguration && got->peeked == got->large && got->texts &&
           got->stream == cudaErrorInvalidValue &&
           got->destroyed == cudaErrorInvalidResourceHandle && got->device == 0 &&
           got->count == 1 && got->threads == 1024 && got->registers == attributes.numRegs &&
           got->blocks == blocks && got->pending == 4096 && got->version / 1000 == version / 1000;
}

int main()
{
    enum { TURNS = 500 };
    int *x;
    CHECK(cudaMallocManaged(&x, 1 << 16));
    memset(x, 0, 1 << 16);
    bool order = check_order(x), all = check_many(x);
    *x = 0;
    again<<<1, 1>>>(x, TURNS);
    CHECK(cudaDeviceSynchronize());
    bool turns = *x == TURNS, bytes = check_memory(x), told = check_answers(x);
    printf("order %d many %d turns %d memory %d answers %d\n", order, all, turns, bytes, told);
    puts(order && all && turns && bytes && told ? "PASSED" : "FAILED");
    return 0;
}
