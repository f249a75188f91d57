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
// A thread an equation, as in the paper: N threads, half of which work at step 1, then half as many at each
// step. *_256: blocks of 256 threads, all of which work at step 1. grid: the systems.

const int N = 512;

struct Plain {
    static const int words = N;
    static __device__ __forceinline__ unsigned at(unsigned i) { return i; }
};

struct Padded {
    static const int words = N + N / 16;
    static __device__ __forceinline__ unsigned at(unsigned i) { return i + i / 16; }
};

template <class Layout, int threads>
__device__ __forceinline__ void solve(const float *a, const float *b, const float *c,
                                             const float *d, float *x)
{
    // The arrays a, b, c, d and x, one behind the other: a place in one tells those in all.
    const int A = 0, B = Layout::words, C = 2 * B, D = 3 * B, X = 4 * B;
    __shared__ float shared[5 * Layout::words];
    unsigned first = blockIdx.x * N, thread = threadIdx.x;
#pragma unroll
    for (unsigned done = 0; done < N; done += threads) {
        unsigned i = done + thread;
        float *own = shared + Layout::at(i);
        float before = a[first + i], after = c[first + i];
        own[A] = i == 0 ? 0.0f : before;
        own[B] = b[first + i];
        own[C] = i == N - 1 ? 0.0f : after;
        own[D] = d[first + i];
    }
    __syncthreads();

    // The last equation of all has no right neighbour: it takes itself times c = 0.
#pragma unroll 1
    for (unsigned stride = 2, working = N / 2; working; stride *= 2, working /= 2) {
        if (thread < working) {
            unsigned i = stride * thread + stride - 1, half = stride / 2;
            float *own = shared + Layout::at(i);
            const float *left = shared + Layout::at(i - half);
            const float *right = shared + Layout::at(min(i + half, N - 1));
            float by_left = __fdividef(own[A], left[B]), by_right = __fdividef(own[C], right[B]);
            float centre = own[B] - left[C] * by_left - right[A] * by_right;
            float value = own[D] - left[D] * by_left - right[D] * by_right;
            float before = -left[A] * by_left, after = -right[C] * by_right;
            own[A] = before;
            own[B] = centre;
            own[C] = after;
            own[D] = value;
        }
        __syncthreads();
    }

    if (thread == 0) {
        float *last = shared + Layout::at(N - 1);
        last[X] = __fdividef(last[D], last[B]);
    }
    __syncthreads();

    // The first equation of all has no left neighbour: the others' x counts a = 0 times.
#pragma unroll 1
    for (unsigned stride = N, working = 1; stride > 1; stride /= 2, working *= 2) {
        if (thread < working) {
            unsigned half = stride / 2, i = stride * thread + half - 1;
            float *own = shared + Layout::at(i);
            const float *right = shared + Layout::at(i + half);
            const float *left = shared + Layout::at(thread ? i - half : i + half);
            own[X] = __fdividef(own[D] - own[A] * left[X] - own[C] * right[X], own[B]);
        }
        __syncthreads();
    }
#pragma unroll
    for (unsigned done = 0; done < N; done += threads) {
        unsigned i = done + thread;
        x[first + i] = shared[Layout::at(i) + X];
    }
}

#define SOLVER(name, Layout, threads)                                                              \
    extern "C" __global__ void name(const float *a, const float *b, const float *c,                \
                                    const float *d, float *x)                                      \
    {                                                                                              \
        solve<Layout, threads>(a, b, c, d, x);                                                     \
    }
SOLVER(cr, Plain, N)
SOLVER(cr_nbc, Padded, N)
SOLVER(cr_256, Plain, 256)
SOLVER(cr_nbc_256, Padded, 256)
