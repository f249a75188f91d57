// SPDX-License-Identifier: Apache-2.0
/* Kernels whose board power was measured over clocks (accuracy/power-v100.yaml), written anew from their descriptions. */

#define ONE(index) const unsigned index = blockIdx.x * blockDim.x + threadIdx.x

/* ---- black_scholes: European options, two a thread ---- */

/* Cumulative normal distribution by the polynomial of Abramowitz and Stegun, 26.2.17. */
static __device__ __forceinline__ float cumulative_normal(float d)
{
    const float k = __fdividef(1.0f, 1.0f + 0.2316419f * fabsf(d));
    const float tail = 0.39894228f * __expf(-0.5f * d * d) *
                       (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1.0f - tail : tail;
}

static __device__ __forceinline__ void price(float &call, float &put, float stock, float strike, float years, float rate,
                                             float volatility)
{
    const float root = __fdividef(1.0f, rsqrtf(years));
    const float d1 = __fdividef(__logf(__fdividef(stock, strike)) + (rate + 0.5f * volatility * volatility) * years,
                                volatility * root);
    const float n1 = cumulative_normal(d1), n2 = cumulative_normal(d1 - volatility * root);
    const float discounted = strike * __expf(-rate * years);
    call = stock * n1 - discounted * n2;
    put = discounted * (1.0f - n2) - stock * (1.0f - n1);
}

extern "C" __global__ void __launch_bounds__(128)
    black_scholes(float2 *__restrict__ call, float2 *__restrict__ put, const float2 *__restrict__ stock,
                  const float2 *__restrict__ strike, const float2 *__restrict__ years, float rate, float volatility, int pairs)
{
    ONE(i);
    if (i >= pairs) return;
    float call0, call1, put0, put1;
    price(call0, put0, stock[i].x, strike[i].x, years[i].x, rate, volatility);
    price(call1, put1, stock[i].y, strike[i].y, years[i].y, rate, volatility);
    call[i] = make_float2(call0, call1);
    put[i] = make_float2(put0, put1);
}

/* ---- sobol: a quasi-random sequence by Gray code, a dimension a row of blocks ---- */

extern "C" __global__ void sobol(unsigned vectors, const unsigned *directions, float *out)
{
    __shared__ unsigned direction[32];
    directions += 32 * blockIdx.y;
    out += (size_t)vectors * blockIdx.y;
    if (threadIdx.x < 32) direction[threadIdx.x] = directions[threadIdx.x];
    __syncthreads();
    const unsigned first = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    const unsigned gray = first ^ (first >> 1);
    unsigned x = 0;
    for (unsigned bit = 0; bit < __ffs(stride) - 1; bit++)
        x ^= -((gray >> bit) & 1) & direction[bit];
    if (first < vectors) out[first] = (float)x * 0x1p-32f;
    const unsigned low = direction[__ffs(stride) - 2];
    for (unsigned i = first + stride; i < vectors; i += stride) {
        /* `stride` steps of the Gray code change one low bit and one above. */
        x ^= low ^ direction[__ffs(~((i - stride) | (stride - 1))) - 1];
        out[i] = (float)x * 0x1p-32f;
    }
}

/* ---- convolution_rows: 17 weights along rows, eight points a thread, a tile with halo in shared memory ---- */

enum { RADIUS = 8, ROW_X = 16, ROW_Y = 4, STEPS = 8 };
static __constant__ float weights[2 * RADIUS + 1];

extern "C" __global__ void convolution_rows(float *out, const float *in, int width, int height, int pitch)
{
    __shared__ float tile[ROW_Y][(STEPS + 2) * ROW_X];
    const int x = (blockIdx.x * STEPS - 1) * ROW_X + threadIdx.x, y = blockIdx.y * ROW_Y + threadIdx.y;
    in += y * pitch + x;
    out += y * pitch + x;
#pragma unroll
    for (int i = 1; i <= STEPS; i++)
        tile[threadIdx.y][threadIdx.x + i * ROW_X] = in[i * ROW_X];
    tile[threadIdx.y][threadIdx.x] = x >= 0 ? in[0] : 0;
    tile[threadIdx.y][threadIdx.x + (STEPS + 1) * ROW_X] = width - x > (STEPS + 1) * ROW_X ? in[(STEPS + 1) * ROW_X] : 0;
    __syncthreads();
#pragma unroll
    for (int i = 1; i <= STEPS; i++) {
        float sum = 0;
#pragma unroll
        for (int j = -RADIUS; j <= RADIUS; j++)
            sum += weights[RADIUS - j] * tile[threadIdx.y][threadIdx.x + i * ROW_X + j];
        out[i * ROW_X] = sum;
    }
}

/* ---- walsh_pass: two stages of the fast Walsh transform in global memory, four elements a thread ---- */

extern "C" __global__ void walsh_pass(float *out, const float *in, int stride)
{
    ONE(at);
    const int size = blockDim.x * gridDim.x * 4, low = at & (stride - 1), i0 = ((at - low) << 2) + low;
    in += (size_t)blockIdx.y * size, out += (size_t)blockIdx.y * size;
    const float a = in[i0], b = in[i0 + stride], c = in[i0 + 2 * stride], d = in[i0 + 3 * stride];
    const float even = a + c, odd = a - c, sum = b + d, rest = b - d;
    out[i0] = even + sum;
    out[i0 + stride] = even - sum;
    out[i0 + 2 * stride] = odd + rest;
    out[i0 + 3 * stride] = odd - rest;
}

/* ---- histogram_warps: 256 bins for each of six warps in shared memory, four bytes a word ---- */

enum { BIN_WARPS = 6, BINS = 256 };

static __device__ __forceinline__ void count_bytes(unsigned *bins, unsigned word)
{
    atomicAdd(&bins[word & 255], 1);
    atomicAdd(&bins[word >> 8 & 255], 1);
    atomicAdd(&bins[word >> 16 & 255], 1);
    atomicAdd(&bins[word >> 24], 1);
}

extern "C" __global__ void histogram_warps(unsigned *partial, const unsigned *data, unsigned words)
{
    __shared__ unsigned bins[BIN_WARPS * BINS];
    unsigned *own = bins + threadIdx.x / 32 * BINS;
    for (int i = threadIdx.x; i < BIN_WARPS * BINS; i += BIN_WARPS * 32)
        bins[i] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += blockDim.x * gridDim.x)
        count_bytes(own, data[i]);
    __syncthreads();
    for (int bin = threadIdx.x; bin < BINS; bin += BIN_WARPS * 32) {
        unsigned sum = 0;
        for (int warp = 0; warp < BIN_WARPS; warp++)
            sum += bins[bin + warp * BINS];
        partial[blockIdx.x * BINS + bin] = sum;
    }
}

/* ---- hotspot_mixed: heat flow in a tile whose border shrinks, the sums in double precision ---- */

enum { TILE = 16 };

extern "C" __global__ void hotspot_mixed(int steps, const float *power, const float *from, float *to, int columns, int rows,
                                         int border, float step_by_capacity, float by_rx, float by_ry, float by_rz)
{
    __shared__ float temperature[TILE][TILE], heat[TILE][TILE], next[TILE][TILE];
    const float ambient = 80.0f;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int top = (TILE - 2 * steps) * blockIdx.y - border, left = (TILE - 2 * steps) * blockIdx.x - border;
    const int y = top + ty, x = left + tx, at = columns * y + x;
    if (y >= 0 && y < rows && x >= 0 && x < columns) {
        temperature[ty][tx] = from[at];
        heat[ty][tx] = power[at];
    }
    __syncthreads();
    const int y_first = max(-top, 0), y_last = min(TILE - 1, rows - 1 - top);
    const int x_first = max(-left, 0), x_last = min(TILE - 1, columns - 1 - left);
    const int north = max(ty - 1, y_first), south = min(ty + 1, y_last);
    const int west = max(tx - 1, x_first), east = min(tx + 1, x_last);
    bool is_mine = false;
    for (int i = 0; i < steps; i++) {
        is_mine = tx > i && tx < TILE - i - 1 && ty > i && ty < TILE - i - 1 && tx >= x_first && tx <= x_last &&
                  ty >= y_first && ty <= y_last;
        if (is_mine)
            next[ty][tx] = temperature[ty][tx] +
                           step_by_capacity *
                               (heat[ty][tx] +
                                (temperature[south][tx] + temperature[north][tx] - 2.0 * temperature[ty][tx]) * by_ry +
                                (temperature[ty][east] + temperature[ty][west] - 2.0 * temperature[ty][tx]) * by_rx +
                                (ambient - temperature[ty][tx]) * by_rz);
        __syncthreads();
        if (i == steps - 1) break;
        if (is_mine) temperature[ty][tx] = next[ty][tx];
        __syncthreads();
    }
    if (is_mine) to[at] = next[ty][tx];
}

/* ---- merge_sort: 1,024 keys with values a block, merged by binary search in shared memory ---- */

enum { SORTED = 1024 };

static __device__ __forceinline__ unsigned rank_of(unsigned key, const unsigned *keys, unsigned count, bool after_equal)
{
    unsigned at = 0;
    for (unsigned step = count; step > 0; step >>= 1) {
        const unsigned next = min(at + step, count);
        const unsigned other = keys[next - 1];
        if (other < key || (after_equal && other == key)) at = next;
    }
    return at;
}

extern "C" __global__ void __launch_bounds__(SORTED / 2)
    merge_sort(unsigned *out_keys, unsigned *out_values, const unsigned *in_keys, const unsigned *in_values)
{
    __shared__ unsigned keys[SORTED], values[SORTED];
    const unsigned base = blockIdx.x * SORTED + threadIdx.x, half = SORTED / 2;
    keys[threadIdx.x] = in_keys[base], values[threadIdx.x] = in_values[base];
    keys[threadIdx.x + half] = in_keys[base + half], values[threadIdx.x + half] = in_values[base + half];
    for (unsigned stride = 1; stride < SORTED; stride <<= 1) {
        const unsigned own = threadIdx.x & (stride - 1), first = 2 * (threadIdx.x - own);
        __syncthreads();
        const unsigned key_a = keys[first + own], value_a = values[first + own];
        const unsigned key_b = keys[first + own + stride], value_b = values[first + own + stride];
        const unsigned at_a = own + rank_of(key_a, keys + first + stride, stride, false);
        const unsigned at_b = own + rank_of(key_b, keys + first, stride, true);
        __syncthreads();
        keys[first + at_a] = key_a, values[first + at_a] = value_a;
        keys[first + at_b] = key_b, values[first + at_b] = value_b;
    }
    __syncthreads();
    out_keys[base] = keys[threadIdx.x], out_values[base] = values[threadIdx.x];
    out_keys[base + half] = keys[threadIdx.x + half], out_values[base + half] = values[threadIdx.x + half];
}

/* ---- reduce_tree: one element a thread, a tree in shared memory ---- */

extern "C" __global__ void reduce_tree(const float *in, float *sums, unsigned n)
{
    __shared__ float part[256];
    ONE(i);
    part[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned step = blockDim.x / 2; step > 0; step >>= 1) {
        if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

/* ---- scalar_products: pairs of vectors, a block each, 1,024 partial sums ---- */

enum { SUMS = 1024 };

extern "C" __global__ void scalar_products(float *out, const float *a, const float *b, int vectors, int elements)
{
    __shared__ float part[SUMS];
    for (int vector = blockIdx.x; vector < vectors; vector += gridDim.x) {
        const size_t begin = (size_t)vector * elements;
        for (int own = threadIdx.x; own < SUMS; own += blockDim.x) {
            float sum = 0;
            for (int i = own; i < elements; i += SUMS)
                sum += a[begin + i] * b[begin + i];
            part[own] = sum;
        }
        for (int step = SUMS / 2; step > 0; step >>= 1) {
            __syncthreads();
            for (int own = threadIdx.x; own < step; own += blockDim.x)
                part[own] += part[own + step];
        }
        if (threadIdx.x == 0) out[vector] = part[0];
        __syncthreads();
    }
}

/* ---- transpose_tile: 16 x 16 through shared memory without padding ---- */

extern "C" __global__ void transpose_tile(float *out, const float *in, int width, int height)
{
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[x + y * width];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    out[x + y * height] = tile[threadIdx.x][threadIdx.y];
}
