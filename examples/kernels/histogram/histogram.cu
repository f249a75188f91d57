// SPDX-License-Identifier: Apache-2.0
// Histograms by atomics in global memory. Several lanes of a warp often hit one bin, and then their
// atomics take turns. Addition of floats is not associative: the order of the atomics shows in the
// last bits of histogram_float, and does not in histogram_int.

// bins[b] += weight of every element whose key is b. The keys are taken modulo the number of bins.
extern "C" __global__ void histogram_float(int n, const unsigned *__restrict__ keys,
                                           const float *__restrict__ weights, unsigned bin_count,
                                           float *bins)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&bins[keys[i] % bin_count], weights[i]);
}

// bins[b] = how many keys are b modulo the number of bins.
extern "C" __global__ void histogram_int(int n, const unsigned *__restrict__ keys,
                                         unsigned bin_count, unsigned *bins)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&bins[keys[i] % bin_count], 1u);
}
