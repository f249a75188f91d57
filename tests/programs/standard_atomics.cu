// SPDX-License-Identifier: Apache-2.0
/* libcu++: a lock-free stack, a ticket lock, atomic references, latches and semaphores between blocks, and other types of
 * cuda::std in kernels. */
#include <cuda/atomic>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>

#include "check.h"

using device_int = cuda::atomic<int, cuda::thread_scope_device>;

struct shared_state {
    device_int top, next_ticket, served;
    cuda::latch<cuda::thread_scope_device> all_pushed;
    cuda::counting_semaphore<cuda::thread_scope_device, 3> places;
    device_int inside, most_inside;
    int guarded;
};

__global__ void start(shared_state *state, int blocks)
{
    new (&state->top) device_int(-1);
    new (&state->next_ticket) device_int(0);
    new (&state->served) device_int(0);
    new (&state->all_pushed) cuda::latch<cuda::thread_scope_device>(blocks);
    new (&state->places) cuda::counting_semaphore<cuda::thread_scope_device, 3>(3);
    new (&state->inside) device_int(0);
    new (&state->most_inside) device_int(0);
    state->guarded = 0;
}

__device__ void push(shared_state *state, int *next, int item)
{
    next[item] = state->top.load(cuda::memory_order_relaxed);
    while (!state->top.compare_exchange_weak(next[item], item, cuda::memory_order_release)) {
    }
}

__global__ void work(shared_state *state, int *next, unsigned *sums, cuda::std::span<const int> values)
{
    int item = blockIdx.x * blockDim.x + threadIdx.x;
    push(state, next, item);
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> sum(sums[item % 3]);
    sum.fetch_add(values[item], cuda::memory_order_relaxed);
    __syncthreads();
    if (threadIdx.x) return;
    state->all_pushed.arrive_and_wait(); /* blocks wait for each other */
    state->places.acquire();
    state->most_inside.fetch_max(state->inside.fetch_add(1) + 1);
    state->inside.fetch_sub(1);
    state->places.release();
    int ticket = state->next_ticket.fetch_add(1);
    while (state->served.load(cuda::memory_order_acquire) != ticket) {
    }
    state->guarded = 3 * state->guarded % 1009 + 1;
    state->served.store(ticket + 1, cuda::memory_order_release);
}

__device__ cuda::std::optional<cuda::std::tuple<int, float>> find(const cuda::std::array<float, 4> &all, float wanted)
{
    for (int i = 0; i < 4; i++)
        if (all[i] == wanted) return cuda::std::make_tuple(i, all[i] / 2);
    return cuda::std::nullopt;
}

__global__ void types(cuda::std::complex<float> *out)
{
    const cuda::std::array<float, 4> all = {1, 2, 4, 8};
    auto found = find(all, static_cast<float>(threadIdx.x + 1));
    auto [place, half] = found.value_or(cuda::std::make_tuple(-1, 0.0f));
    cuda::std::complex<float> z(place, half);
    out[threadIdx.x] = z * z + cuda::std::conj(z);
}

static bool check_types()
{
    cuda::std::complex<float> *out;
    CHECK(cudaMallocManaged(&out, 8 * sizeof *out));
    types<<<1, 8>>>(out);
    CHECK(cudaDeviceSynchronize());
    const int place[8] = {0, 1, -1, 2, -1, -1, -1, 3};
    bool ok = true;
    for (int i = 0; i < 8; i++) {
        float a = place[i], b = place[i] < 0 ? 0 : (i + 1) / 2.0f;
        ok &= out[i].real() == a * a - b * b + a && out[i].imag() == 2 * a * b - b;
    }
    return ok;
}

int main()
{
    const int blocks = 12, threads = 64, n = blocks * threads;
    shared_state *state;
    int *next, *values;
    unsigned *sums, expected[3] = {};
    CHECK(cudaMallocManaged(&state, sizeof *state));
    CHECK(cudaMallocManaged(&next, n * sizeof(int)));
    CHECK(cudaMallocManaged(&values, n * sizeof(int)));
    CHECK(cudaMallocManaged(&sums, 3 * sizeof(unsigned)));
    for (int i = 0; i < n; i++)
        expected[i % 3] += values[i] = i * i;
    start<<<1, 1>>>(state, blocks);
    work<<<blocks, threads>>>(state, next, sums, {values, static_cast<size_t>(n)});
    CHECK(cudaDeviceSynchronize());
    std::vector<bool> seen(n);
    int length = 0, guarded = 0;
    for (int item = state->top.load(); item >= 0 && length <= n; item = next[item], length++)
        seen[item] = true;
    for (int i = 0; i < blocks; i++)
        guarded = 3 * guarded % 1009 + 1;
    bool ok = length == n && state->guarded == guarded && state->most_inside >= 1 && state->most_inside <= 3;
    for (int i = 0; i < n; i++)
        ok &= seen[i];
    for (int i = 0; i < 3; i++)
        ok &= sums[i] == expected[i];
    ok &= check_types();
    return verdict(ok);
}
