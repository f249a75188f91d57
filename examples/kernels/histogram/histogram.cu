// SPDX-License-Identifier: Apache-2.0
// Histograms by atomics, in global memory or first in shared memory. Several lanes of a warp often
// hit one bin, and then their atomics take turns. Addition of floats is not associative: the order
// of the atomics shows in the last bits of histogram_float, and does not in the others.

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

// The same, with a histogram a block in shared memory (4 * bin_count bytes, dynamic) that is added
// to `bins` at the end: one global atomic a bin and block, and not one a key.
extern "C" __global__ void histogram_private(int n, const unsigned *__restrict__ keys,
                                             unsigned bin_count, unsigned *bins)
{
    extern __shared__ unsigned counts[];
    for (unsigned bin = threadIdx.x; bin < bin_count; bin += blockDim.x)
        counts[bin] = 0;
    __syncthreads(); // the counts are zero
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&counts[keys[i] % bin_count], 1u);
    __syncthreads(); // the counts are complete
    for (unsigned bin = threadIdx.x; bin < bin_count; bin += blockDim.x)
        atomicAdd(&bins[bin], counts[bin]);
}
