// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: structs with padding go through shared memory, registers and back to the host
#include "../array.h"
struct record {
    char kind;
    double value;
    short rank;
};

__global__ void reverse(const record *in, record *out)
{
    __shared__ record tile[64];
    int i = threadIdx.x;
    record mine = in[i];
    mine.rank += 1;
    tile[i] = mine;
    __syncthreads();
    record other = tile[63 - i];
    if (other.kind == 'x') other.value *= 2;
    out[i] = other;
}

int main()
{
    record host[64];
    for (int i = 0; i < 64; i++) {
        host[i].kind = i % 2 ? 'x' : 'y';
        host[i].value = i;
        host[i].rank = (short)i;
    }
    array<record> in(64), out(64);
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    reverse<<<1, 64>>>(in, out);
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < 64; i++) {
        int k = 63 - i;
        ok = ok && host[i].rank == k + 1 && host[i].value == (k % 2 ? 2.0 * k : 1.0 * k);
    }
    return verdict(ok);
}
