// SPDX-License-Identifier: Apache-2.0
// One kernel for each cause that Zhang and Owens (HPCA 2011, section 3) name for a bottleneck.
extern "C" __global__ void density(int n, const float *a, float *b)
{ // low density: index arithmetic
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    unsigned x = i;
    for (int k = 0; k < 64; k++) {
        x = (x ^ (x << 13));
        x ^= x >> 17;
        x ^= x << 5;
        s += a[x & 15] * 0.f + (float)(x & 1);
    }
    b[i] = s;
}
extern "C" __global__ void expensive(float *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = (float)i * 1e-6f + 1.0f;
#pragma unroll 8
    for (int k = 0; k < 64; k++)
        s = __sinf(s) + __logf(s + 2.0f) + __cosf(s);
    b[i] = s;
}
extern "C" __global__ void few_warps(float *b, int n)
{
    __shared__ float big[3500];
    int i = threadIdx.x;
    float s = i, t = 1.0001f;
    for (int k = i; k < 3500; k += blockDim.x)
        big[k] = k;
    __syncthreads();
#pragma unroll 16
    for (int k = 0; k < 1024; k++)
        s = s * t + 0.5f;
    b[blockIdx.x * blockDim.x + i] = s + big[i];
}
extern "C" __global__ void conflicts(float *b)
{
    __shared__ float t[16 * 64];
    int i = threadIdx.x;
    for (int k = i; k < 1024; k += blockDim.x)
        t[k] = k;
    __syncthreads();
    float s = 0;
#pragma unroll 8
    for (int k = 0; k < 64; k++)
        s += t[((i & 31) * 16 + k) & 1023];
    b[blockIdx.x * blockDim.x + i] = s;
}
extern "C" __global__ void shared_traffic(float *b)
{
    __shared__ volatile float t[256];
    int i = threadIdx.x;
    t[i] = i;
#pragma unroll 16
    for (int k = 0; k < 128; k++) {
        t[i];
        t[i];
        t[i];
        t[i] = t[i] + 1.0f;
    }
    b[blockIdx.x * blockDim.x + i] = t[i];
}
extern "C" __global__ void few_shared_warps(float *b)
{
    __shared__ volatile float t[3500];
    int i = threadIdx.x;
    t[i] = i;
#pragma unroll 16
    for (int k = 0; k < 256; k++) {
        t[i + 64] = t[i];
    }
    b[blockIdx.x * blockDim.x + i] = t[i];
}
extern "C" __global__ void little(const float *a, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, p = i;
    for (int k = 0; k < 16; k++)
        p = (int)a[p & (n - 1)];
    b[i] = (float)p;
}
extern "C" __global__ void uncoalesced(const float *a, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < 8; k++)
        s += a[(i * 33 + k * 1024) & (n - 1)];
    b[i] = s;
}
extern "C" __global__ void granularity(const float *a, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < 8; k++)
        s += a[(2 * i + k * 4096) & (n - 1)];
    b[i] = s;
}
