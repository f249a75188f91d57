// SPDX-License-Identifier: Apache-2.0
// Cyclic reduction (Zhang & Owens, section 5.2): a block solves one tridiagonal system of N equations
//     a[i] x[i-1] + b[i] x[i] + c[i] x[i+1] = d[i]
// in shared memory; a[0] and c[N-1] are taken for 0. Step s of the forward reduction takes two neighbours out of every 2^s-th
// equation, until one is left; back substitution goes the same way in reverse:
//
//     equations   0 1 2 3 4 5 6 7
//     step 1        1   3   5   7     1 takes 0 and 2, 3 takes 2 and 4 ...
//     step 2            3       7
//     step 3                    7
//
// So lanes are 2^s words apart at step s, and meet in the same bank 2^s at a time, up to all 16 lanes
// of a half-warp. Padding by a word after every 16 (CR-NBC) moves them to other banks.
//
// A thread an equation: N threads. Half of them work at step 1, then half as many at each step. Any
// smaller block will do, down to N / 2. grid: the systems.

const int N = 512;

struct Plain {
    static const int words = N;
    static __device__ __forceinline__ int at(int i) { return i; }
};

struct Padded {
    static const int words = N + N / 16;
    static __device__ __forceinline__ int at(int i) { return i + i / 16; }
};

template <class Layout>
__device__ __forceinline__ void solve(const float *a, const float *b, const float *c,
                                             const float *d, float *x)
{
    __shared__ float sa[Layout::words], sb[Layout::words], sc[Layout::words], sd[Layout::words],
        sx[Layout::words];
    unsigned first = blockIdx.x * N, thread = threadIdx.x;
#pragma unroll 1
    for (unsigned i = thread; i < N; i += blockDim.x) {
        int at = Layout::at(i);
        float before = a[first + i], after = c[first + i];
        sa[at] = i == 0 ? 0.0f : before;
        sb[at] = b[first + i];
        sc[at] = i == N - 1 ? 0.0f : after;
        sd[at] = d[first + i];
    }
    __syncthreads();

    // The last equation of all has no right neighbour: it takes itself times c = 0.
#pragma unroll 1
    for (unsigned stride = 2, working = N / 2; working; stride *= 2, working /= 2) {
        if (thread < working) {
            unsigned i = stride * thread + stride - 1, half = stride / 2;
            int at = Layout::at(i), left = Layout::at(i - half),
                right = Layout::at(min(i + half, N - 1));
            float by_left = __fdividef(sa[at], sb[left]), by_right = __fdividef(sc[at], sb[right]);
            float centre = sb[at] - sc[left] * by_left - sa[right] * by_right;
            float value = sd[at] - sd[left] * by_left - sd[right] * by_right;
            sa[at] = -sa[left] * by_left;
            sc[at] = -sc[right] * by_right;
            sb[at] = centre;
            sd[at] = value;
        }
        __syncthreads();
    }

    if (thread == 0) sx[Layout::at(N - 1)] = __fdividef(sd[Layout::at(N - 1)], sb[Layout::at(N - 1)]);
    __syncthreads();

    // The first equation of all has no left neighbour: the others' x counts a = 0 times.
#pragma unroll 1
    for (unsigned stride = N, working = 1; stride > 1; stride /= 2, working *= 2) {
        if (thread < working) {
            unsigned half = stride / 2, i = stride * thread + half - 1;
            int at = Layout::at(i), right = Layout::at(i + half),
                left = Layout::at(thread ? i - half : i + half);
            sx[at] = __fdividef(sd[at] - sa[at] * sx[left] - sc[at] * sx[right], sb[at]);
        }
        __syncthreads();
    }
#pragma unroll 1
    for (unsigned i = thread; i < N; i += blockDim.x)
        x[first + i] = sx[Layout::at(i)];
}

extern "C" __global__ void cr(const float *a, const float *b, const float *c, const float *d, float *x)
{
    solve<Plain>(a, b, c, d, x);
}

extern "C" __global__ void cr_nbc(const float *a, const float *b, const float *c, const float *d,
                                  float *x)
{
    solve<Padded>(a, b, c, d, x);
}
