// SPDX-License-Identifier: Apache-2.0
// Barriers in shared memory: cuda::barrier with tokens, parities, threads that drop out and copies that it waits for;
// cuda::pipeline of one group, of producers and consumers, and of one thread. The host computes the same integers.
#include "check.h"

#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;

enum { THREADS = 128, BLOCKS = 6, TILES = 9 };

/* Each round every thread takes the value of another: work between arrival and wait. */
__global__ void rotate(int *data, int rounds)
{
    __shared__ int s[2][THREADS];
    __shared__ barrier met;
    auto block = cg::this_thread_block();
    int t = threadIdx.x, value = data[blockIdx.x * THREADS + t];
    if (t == 0) init(&met, THREADS);
    block.sync();
    for (int r = 0; r < rounds; r++) {
        s[r % 2][t] = value;
        barrier::arrival_token token = met.arrive();
        int more = r * t;
        met.wait(std::move(token));
        value = s[r % 2][(t + 5) % THREADS] + more;
    }
    data[blockIdx.x * THREADS + t] = value;
}

/* Threads leave one warp after the other, and the others do not wait for them any more. */
__global__ void drop_out(int *rounds_of)
{
    __shared__ int sum;
    __shared__ barrier met;
    int t = threadIdx.x, warp = t / 32;
    if (t == 0) init(&met, THREADS), sum = 0;
    __syncthreads();
    for (int r = 0; r <= warp; r++) {
        atomicAdd(&sum, 1);
        if (r == warp) {
            rounds_of[t] = r;
            met.arrive_and_drop();
            return;
        }
        met.arrive_and_wait();
        if (t == THREADS - 1) rounds_of[THREADS + r] = sum;
        met.arrive_and_wait();
    }
}

/* A warp writes what three others read, four stages deep, by parities. */
__global__ void ring(const int *in, int *out, int steps)
{
    constexpr int stages = 4, readers = THREADS - 32;
    __shared__ int buffer[stages][32];
    __shared__ barrier full[stages], empty[stages];
    int t = threadIdx.x, sum = 0;
    if (t < stages) init(&full[t], 32), init(&empty[t], readers);
    __syncthreads();
    for (int i = 0; i < steps; i++) {
        int stage = i % stages;
        bool odd = i / stages % 2;
        if (t < 32) {
            empty[stage].wait_parity(!odd);
            buffer[stage][t] = in[i * 32 + t];
            (void)full[stage].arrive();
        } else {
            full[stage].wait_parity(odd);
            sum += buffer[stage][(t * 7 + i) % 32];
            (void)empty[stage].arrive();
        }
    }
    if (t >= 32) out[t - 32] = sum;
}

/* Copies that a barrier waits for. */
__global__ void copy_by_barrier(const int *in, int *out)
{
    __shared__ alignas(16) int tile[4 * THREADS];
    __shared__ barrier here;
    auto block = cg::this_thread_block();
    const int *from = in + blockIdx.x * 4 * THREADS;
    if (block.thread_rank() == 0) init(&here, block.size());
    block.sync();
    cuda::memcpy_async(block, tile, from, cuda::aligned_size_t<16>(sizeof tile), here);
    here.arrive_and_wait();
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += (i + 1) * tile[(threadIdx.x * 4 + i * 129) % (4 * THREADS)];
    out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

/* A pipeline of the whole block; the sum of tile i is taken while tiles i + 1 and i + 2 are on their way. */
__global__ void tiles(const int *in, int *out)
{
    constexpr int stages = 3;
    __shared__ alignas(16) int buffer[stages][THREADS];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    const int *from = in + blockIdx.x * TILES * THREADS;
    int sum = 0;
    for (int tile = 0, next = 0; tile < TILES; tile++) {
        for (; next < TILES && next < tile + stages; next++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, buffer[next % stages], from + next * THREADS,
                               cuda::aligned_size_t<16>(sizeof buffer[0]), pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        sum += (tile + 1) * buffer[tile % stages][THREADS - 1 - threadIdx.x];
        pipeline.consumer_release();
    }
    out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

/* One warp copies, the others compute. */
__global__ void roles(const int *in, int *out)
{
    constexpr int stages = 2;
    __shared__ int buffer[stages][THREADS];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    auto block = cg::this_thread_block();
    bool copies = threadIdx.x < 32;
    auto role = copies ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipeline = cuda::make_pipeline(block, &state, role);
    const int *from = in + blockIdx.x * TILES * THREADS;
    int sum = 0;
    for (int tile = 0; tile < TILES; tile++) {
        if (copies) {
            pipeline.producer_acquire();
            for (int i = threadIdx.x; i < THREADS; i += 32)
                cuda::memcpy_async(&buffer[tile % stages][i], from + tile * THREADS + i, sizeof(int), pipeline);
            pipeline.producer_commit();
        } else {
            pipeline.consumer_wait();
            sum = 3 * sum + buffer[tile % stages][(threadIdx.x * 5 + tile) % THREADS];
            pipeline.consumer_release();
        }
    }
    if (!copies) out[blockIdx.x * (THREADS - 32) + threadIdx.x - 32] = sum;
}

/* A pipeline of one thread has no barrier: groups of copies. */
__global__ void alone(const int *in, int *out)
{
    __shared__ int mine[2][THREADS];
    auto pipeline = cuda::make_pipeline();
    int t = threadIdx.x, sum = 0;
    for (int tile = 0, next = 0; tile < TILES; tile++) {
        for (; next < TILES && next < tile + 2; next++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(&mine[next % 2][t], in + next * THREADS + t, sizeof(int), pipeline);
            pipeline.producer_commit();
        }
        cuda::pipeline_consumer_wait_prior<1>(pipeline);
        if (tile + 1 == TILES) pipeline.consumer_wait();
        sum = 5 * sum + mine[tile % 2][t];
        pipeline.consumer_release();
    }
    out[t] = sum;
}

struct device_ints {
    int *at;
    size_t count;
    explicit device_ints(const std::vector<int> &from) : count(from.size())
    {
        CHECK(cudaMalloc(&at, count * sizeof(int)));
        CHECK(cudaMemcpy(at, from.data(), count * sizeof(int), cudaMemcpyHostToDevice));
    }
    explicit device_ints(size_t n) : device_ints(std::vector<int>(n)) {}
    ~device_ints() { cudaFree(at); }
    std::vector<int> get() const
    {
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        std::vector<int> host(count);
        CHECK(cudaMemcpy(host.data(), at, count * sizeof(int), cudaMemcpyDeviceToHost));
        return host;
    }
};

static std::vector<int> numbers(size_t count, unsigned seed)
{
    std::vector<int> made(count);
    for (int &one : made)
        one = next_random(&seed) % 1000;
    return made;
}

static bool same(const char *what, const std::vector<int> &got, const std::vector<int> &wanted)
{
    bool ok = got == wanted;
    printf("%-16s %s\n", what, ok ? "ok" : "differs");
    return ok;
}

static bool test_barriers()
{
    const int rounds = 7, steps = 21;
    std::vector<int> start = numbers(BLOCKS * THREADS, 1), wanted = start, next(THREADS);
    device_ints data(start);
    rotate<<<BLOCKS, THREADS>>>(data.at, rounds);
    for (int b = 0; b < BLOCKS; b++)
        for (int r = 0; r < rounds; r++) {
            for (int t = 0; t < THREADS; t++)
                next[t] = wanted[b * THREADS + (t + 5) % THREADS] + r * t;
            std::copy(next.begin(), next.end(), wanted.begin() + b * THREADS);
        }
    bool ok = same("rotate", data.get(), wanted);

    device_ints dropped(THREADS + 3);
    drop_out<<<1, THREADS>>>(dropped.at);
    std::vector<int> counts(THREADS + 3);
    for (int t = 0; t < THREADS; t++)
        counts[t] = t / 32;
    for (int r = 0, sum = 0; r < 3; r++)
        counts[THREADS + r] = sum += THREADS - 32 * r;
    ok &= same("drop_out", dropped.get(), counts);

    std::vector<int> values = numbers(steps * 32, 2), sums(THREADS - 32);
    device_ints in(values), out(THREADS - 32);
    ring<<<1, THREADS>>>(in.at, out.at, steps);
    for (int t = 32; t < THREADS; t++)
        for (int i = 0; i < steps; i++)
            sums[t - 32] += values[i * 32 + (t * 7 + i) % 32];
    return same("ring", out.get(), sums) && ok;
}

static bool test_copies()
{
    std::vector<int> values = numbers(BLOCKS * TILES * THREADS, 3);
    std::vector<int> by_barrier(BLOCKS * THREADS), by_tiles(BLOCKS * THREADS), single(THREADS);
    std::vector<int> by_roles(BLOCKS * (THREADS - 32));
    for (int b = 0; b < BLOCKS; b++)
        for (int t = 0; t < THREADS; t++) {
            const int *from = &values[b * TILES * THREADS];
            for (int i = 0; i < 4; i++)
                by_barrier[b * THREADS + t] +=
                    (i + 1) * values[b * 4 * THREADS + (t * 4 + i * 129) % (4 * THREADS)];
            for (int k = 0; k < TILES; k++) {
                by_tiles[b * THREADS + t] += (k + 1) * from[k * THREADS + THREADS - 1 - t];
                if (b == 0) single[t] = 5 * single[t] + from[k * THREADS + t];
                if (t < 32) continue;
                int &sum = by_roles[b * (THREADS - 32) + t - 32];
                sum = 3 * sum + from[k * THREADS + (t * 5 + k) % THREADS];
            }
        }
    device_ints in(values), a(by_barrier.size()), b(by_tiles.size()), c(by_roles.size()), d(single.size());
    copy_by_barrier<<<BLOCKS, THREADS>>>(in.at, a.at);
    tiles<<<BLOCKS, THREADS>>>(in.at, b.at);
    roles<<<BLOCKS, THREADS>>>(in.at, c.at);
    alone<<<1, THREADS>>>(in.at, d.at);
    bool ok = same("copy_by_barrier", a.get(), by_barrier);
    ok &= same("tiles", b.get(), by_tiles);
    ok &= same("roles", c.get(), by_roles);
    return same("alone", d.get(), single) && ok;
}

int main()
{
    bool ok = test_barriers();
    return verdict(test_copies() && ok);
}
