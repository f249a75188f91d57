// SPDX-License-Identifier: Apache-2.0
// Kernels of bench_kernels: what programs are made of beyond those of bench_engine. All take a size, two buffers of
// numbers in [0, 1), and one for results.

#define ARGUMENTS int n, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ out
#define THREADS 256

// Five points of a square of side n.
extern "C" __global__ void stencil(ARGUMENTS)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int i = y * n + x;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        out[i] = 0.2f * (a[i] + a[i - 1] + a[i + 1] + a[i - n] + a[i + n]);
}

// Counts of 256 classes by block in shared memory, and then of all.
extern "C" __global__ void histogram(ARGUMENTS)
{
    __shared__ unsigned counts[THREADS];
    counts[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < 16; k++)
        atomicAdd(&counts[(int)(a[(blockIdx.x * 16 + k) * THREADS + threadIdx.x] * 256.0f)], 1u);
    __syncthreads();
    atomicAdd((unsigned *)out + threadIdx.x, counts[threadIdx.x]);
}

extern "C" __global__ void transpose_naive(ARGUMENTS)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[x * n + y] = a[y * n + x];
}

// Tiles of 32 x 32 with one column more, by 32 x 8 threads.
extern "C" __global__ void transpose_tiled(ARGUMENTS)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        tile[threadIdx.y + k][threadIdx.x] = a[(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        out[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}

// Sums of all elements of the block before each.
extern "C" __global__ void scan(ARGUMENTS)
{
    __shared__ float sums[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    sums[t] = a[i];
    __syncthreads();
    for (int step = 1; step < THREADS; step *= 2) {
        float sum = t >= step ? sums[t - step] : 0.0f;
        __syncthreads();
        sums[t] += sum;
        __syncthreads();
    }
    out[i] = sums[t];
}

// The same, within warps by shuffles.
extern "C" __global__ void scan_shuffles(ARGUMENTS)
{
    __shared__ float totals[THREADS / 32];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t, lane = t % 32, warp = t / 32;
    float sum = a[i];
    for (int step = 1; step < 32; step *= 2) {
        float other = __shfl_up_sync(~0u, sum, step);
        if (lane >= step) sum += other;
    }
    if (lane == 31) totals[warp] = sum;
    __syncthreads();
    for (int k = 0; k < warp; k++)
        sum += totals[k];
    out[i] = sum;
}

// Sorts 512 elements a block.
extern "C" __global__ void bitonic(ARGUMENTS)
{
    __shared__ float keys[2 * THREADS];
    int t = threadIdx.x, first = blockIdx.x * 2 * THREADS;
    keys[t] = a[first + t];
    keys[t + THREADS] = a[first + t + THREADS];
    for (int size = 2; size <= 2 * THREADS; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            int low = 2 * t - (t & (stride - 1)), high = low + stride;
            bool descends = low & size;
            if (keys[low] > keys[high] != descends) {
                float key = keys[low];
                keys[low] = keys[high];
                keys[high] = key;
            }
        }
    __syncthreads();
    out[first + t] = keys[t];
    out[first + t + THREADS] = keys[t + THREADS];
}

// Solutions of n queens for each place of the first three.
extern "C" __global__ void queens(ARGUMENTS)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, found = 0, row = 3;
    unsigned columns[16], left[16], right[16], free_places[16], all = (1u << n) - 1;
    unsigned p = 1u << i % n, q = 1u << i / n % n, r = 1u << i / n / n % n;
    bool fits = !(q & (p | p << 1 | p >> 1)) && !(r & (p | q | p << 2 | p >> 2 | q << 1 | q >> 1));
    columns[3] = p | q | r;
    left[3] = p << 3 | q << 2 | r << 1;
    right[3] = p >> 3 | q >> 2 | r >> 1;
    free_places[3] = fits ? all & ~(columns[3] | left[3] | right[3]) : 0;
    while (row >= 3) {
        unsigned place = free_places[row] & -free_places[row];
        if (!place) {
            row--;
            continue;
        }
        free_places[row] ^= place;
        if (row == n - 1) {
            found++;
            continue;
        }
        columns[row + 1] = columns[row] | place;
        left[row + 1] = (left[row] | place) << 1;
        right[row + 1] = (right[row] | place) >> 1;
        row++;
        free_places[row] = all & ~(columns[row] | left[row] | right[row]);
    }
    out[i] = (float)found;
}

// A sparse matrix of rows with 1 to 32 elements times a vector.
extern "C" __global__ void spmv(ARGUMENTS)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x, count = 1 + row * 7 % 32;
    float sum = 0.0f;
    for (int k = 0; k < count; k++) {
        float element = a[row * 32 + k];
        sum += element * b[(int)(element * (float)n)];
    }
    out[row] = sum;
}

// Neighbours of those vertices that are in the front; each has eight.
extern "C" __global__ void bfs(ARGUMENTS)
{
    int vertex = blockIdx.x * blockDim.x + threadIdx.x;
    if (b[vertex] > 0.125f) return;
    for (int k = 0; k < 8; k++) {
        int to = (int)(a[vertex * 8 + k] * (float)n);
        if (b[to] > 0.125f) out[to] = 1.0f;
    }
}

// 512 complex numbers a block; their sines are in b.
extern "C" __global__ void fft(ARGUMENTS)
{
    __shared__ float re[2 * THREADS], im[2 * THREADS];
    int t = threadIdx.x, first = blockIdx.x * 2 * THREADS;
    for (int k = t; k < 2 * THREADS; k += THREADS) {
        int from = __brev(k) >> 23;
        re[k] = a[first + from];
        im[k] = 0.0f;
    }
    for (int half = 1; half < 2 * THREADS; half *= 2) {
        __syncthreads();
        int within = t & (half - 1), low = 2 * t - within, high = low + half;
        float c = b[within * (THREADS / half)], s = b[within * (THREADS / half) + THREADS];
        float x = re[high] * c - im[high] * s, y = re[high] * s + im[high] * c;
        re[high] = re[low] - x;
        im[high] = im[low] - y;
        re[low] += x;
        im[low] += y;
    }
    __syncthreads();
    for (int k = t; k < 2 * THREADS; k += THREADS)
        out[first + k] = re[k] * re[k] + im[k] * im[k];
}

__device__ float normal(float x)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(x));
    float tail = 0.39894228f * __expf(-0.5f * x * x) * k *
                 (0.31938153f + k * (-0.35656378f + k * (1.78147794f + k * (-1.82125598f + k * 1.33027443f))));
    return x > 0.0f ? 1.0f - tail : tail;
}

extern "C" __global__ void black_scholes(ARGUMENTS)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float price = 5.0f + 25.0f * a[i], strike = 1.0f + 99.0f * b[i], years = 0.25f + 9.75f * a[i];
    float root = sqrtf(years), d1 = (__logf(price / strike) + (0.02f + 0.5f * 0.09f) * years) / (0.3f * root);
    out[i] = price * normal(d1) - strike * __expf(-0.02f * years) * normal(d1 - 0.3f * root);
}

// Forces between n bodies in f64.
extern "C" __global__ void nbody_f64(ARGUMENTS)
{
    __shared__ double x[THREADS], y[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    double mx = a[i], my = b[i], fx = 0.0, fy = 0.0;
    for (int tile = 0; tile < n; tile += THREADS) {
        x[t] = a[tile + t];
        y[t] = b[tile + t];
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < THREADS; k++) {
            double dx = x[k] - mx, dy = y[k] - my, r = dx * dx + dy * dy + 1e-3;
            double w = 1.0 / (r * sqrt(r));
            fx += w * dx;
            fy += w * dy;
        }
        __syncthreads();
    }
    out[i] = (float)(fx * fx + fy * fy);
}
