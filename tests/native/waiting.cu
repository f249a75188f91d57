// SPDX-License-Identifier: Apache-2.0
// Warps that wait for others in shared memory, where native code has plain loads.
// nvcc -cubin -arch=sm_80 -o waiting.sm_80.cubin waiting.cu

extern "C" __global__ void by_flag(unsigned *out)
{
    __shared__ volatile unsigned turn;
    if (threadIdx.x == 0) turn = 0;
    __syncthreads();
    const unsigned warp = threadIdx.x / 32, count = blockDim.x / 32;
    if (threadIdx.x % 32) return;
    while (turn != count - 1 - warp) {
    }
    out[count - 1 - warp] = warp;
    turn = turn + 1;
}

extern "C" __global__ void by_object(unsigned *out)
{
    __shared__ unsigned long long object;
    __shared__ unsigned words[1024];
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&object));
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(blockDim.x));
    __syncthreads();
    words[threadIdx.x] = 3 * threadIdx.x;
    asm volatile("{\n"
                 ".reg .b64 state;\n"
                 ".reg .pred done;\n"
                 "mbarrier.arrive.shared.b64 state, [%0];\n"
                 "again:\n"
                 "mbarrier.test_wait.shared.b64 done, [%0], state;\n"
                 "@!done bra again;\n"
                 "}" ::"r"(at)
                 : "memory");
    out[threadIdx.x] = words[blockDim.x - 1 - threadIdx.x];
}
