// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: only the elements that were written are read; the rest of local and shared arrays stays unwritten
#include "../array.h"

__global__ void top_three(const int *in, int *out, int n, int width)
{
    __shared__ int best[96];
    int stack[24], size = 0, r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < n) {
        for (int i = 0; i < width; i++) {
            int value = in[r * width + i], at = size;
            for (; at > 0 && stack[at - 1] < value; at--) stack[at] = stack[at - 1];
            stack[at] = value;
            size++;
        }
        for (int k = 0; k < 3; k++) best[3 * threadIdx.x + k] = k < size ? stack[k] : 0;
    }
    __syncwarp();
    if (r < n) out[r] = best[3 * threadIdx.x] + best[3 * threadIdx.x + 1] + best[3 * threadIdx.x + 2];
}

int main()
{
    const int n = 50, width = 9;
    std::vector<int> host = random_ints(n * width, 100), wanted(n);
    array<int> in(host), out(n);
    top_three<<<2, 32>>>(in, out, n, width);
    for (int r = 0; r < n; r++) {
        int a = 0, b = 0, c = 0;
        for (int i = 0; i < width; i++) {
            int v = host[r * width + i];
            if (v > a) c = b, b = a, a = v;
            else if (v > b) c = b, b = v;
            else if (v > c) c = v;
        }
        wanted[r] = a + b + c;
    }
    return verdict(out.get() == wanted);
}
