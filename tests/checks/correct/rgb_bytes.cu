// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: pixels of 3 bytes, read and written as bytes and by words that span pixels
#include "../array.h"
__global__ void swap_channels(const uchar3 *in, uchar3 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = make_uchar3(in[i].z, in[i].y, in[i].x);
}

__global__ void invert(unsigned *words, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) words[i] = ~words[i];
}

int main()
{
    const int n = 250; /* 750 bytes, 188 words with a tail of two bytes that are never used */
    std::vector<uchar3> host(n);
    for (int i = 0; i < n; i++) host[i] = make_uchar3((unsigned char)i, 7, (unsigned char)(i / 2));
    uchar3 *in, *out;
    CHECK(cudaMalloc(&in, n * sizeof(uchar3)));
    CHECK(cudaMalloc(&out, (n * sizeof(uchar3) + 3) / 4 * 4));
    CHECK(cudaMemcpy(in, host.data(), n * sizeof(uchar3), cudaMemcpyHostToDevice));
    swap_channels<<<2, 128>>>(in, out, n);
    invert<<<2, 128>>>((unsigned *)out, (n * 3 + 3) / 4);
    std::vector<uchar3> found(n);
    CHECK(cudaMemcpy(found.data(), out, n * sizeof(uchar3), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; i++)
        ok = ok && found[i].x == (unsigned char)~host[i].z && found[i].y == (unsigned char)~7 &&
             found[i].z == (unsigned char)~host[i].x;
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return verdict(ok);
}
