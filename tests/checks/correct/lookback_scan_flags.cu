// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: decoupled look-back (Merrill and Garland): aggregates and prefixes behind flags with fences
#include "../array.h"

enum { AGGREGATE = 1, PREFIX = 2 };

__global__ void scan(const int *in, int *out, int n, volatile int *status, int *aggregates, int *prefixes, int *ticket)
{
    __shared__ int s[128], part, exclusive;
    int t = threadIdx.x;
    if (t == 0) part = atomicAdd(ticket, 1);
    __syncthreads();
    int i = part * 128 + t, value = i < n ? in[i] : 0;
    s[t] = value;
    __syncthreads();
    for (int k = 1; k < 128; k *= 2) {
        int other = t >= k ? s[t - k] : 0;
        __syncthreads();
        s[t] += other;
        __syncthreads();
    }
    if (t == 0) {
        int sum = s[127], before = 0;
        if (part == 0) {
            prefixes[0] = sum;
            __threadfence();
            status[0] = PREFIX;
        } else {
            aggregates[part] = sum;
            __threadfence();
            status[part] = AGGREGATE;
            for (int p = part - 1; p >= 0; p--) {
                int state;
                while ((state = status[p]) == 0) continue;
                __threadfence();
                before += state == PREFIX ? prefixes[p] : aggregates[p];
                if (state == PREFIX) break;
            }
            prefixes[part] = before + sum;
            __threadfence();
            status[part] = PREFIX;
        }
        exclusive = before;
    }
    __syncthreads();
    if (i < n) out[i] = exclusive + s[t];
}

int main()
{
    const int n = 3000, parts = (n + 127) / 128;
    std::vector<int> host = random_ints(n, 9);
    array<int> in(host), out(n), status(parts), aggregates(parts), prefixes(parts), ticket(1);
    status.zero();
    ticket.zero();
    scan<<<parts, 128>>>(in, out, n, status, aggregates, prefixes, ticket);
    for (int i = 1; i < n; i++) host[i] += host[i - 1];
    return verdict(out.get() == host);
}
