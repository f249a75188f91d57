// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: one extern array is cut into three of different types, each aligned; the launch gives the sum of their sizes
#include "../array.h"

__global__ void statistics(const float *in, double *mean, int *most, int n)
{
    extern __shared__ __align__(16) unsigned char memory[];
    double *sums = (double *)memory;
    float *values = (float *)(sums + blockDim.x);
    short *places = (short *)(values + blockDim.x);
    int t = threadIdx.x;
    sums[t] = t < n ? in[t] : 0;
    values[t] = t < n ? in[t] : -1;
    places[t] = (short)t;
    for (int k = blockDim.x / 2; k > 0; k /= 2) {
        __syncthreads();
        if (t < k) {
            sums[t] += sums[t + k];
            if (values[t + k] > values[t]) values[t] = values[t + k], places[t] = places[t + k];
        }
    }
    if (t == 0) *mean = sums[0] / n, *most = places[0];
}

int main()
{
    const int n = 100;
    std::vector<float> host(n);
    for (int i = 0; i < n; i++) host[i] = (float)(i * 37 % 101);
    array<float> in(host);
    array<double> mean(1);
    array<int> most(1);
    statistics<<<1, 128, 128 * (sizeof(double) + sizeof(float) + sizeof(short))>>>(in, mean, most, n);
    double sum = 0;
    int at = 0;
    for (int i = 0; i < n; i++) sum += host[i], at = host[i] > host[at] ? i : at;
    return verdict(mean.get()[0] == sum / n && most.get()[0] == at);
}
