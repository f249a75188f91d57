// SPDX-License-Identifier: Apache-2.0
// Dense matrix multiply as Zhang & Owens describe the procedure of Volkov and Demmel (section 5.1):
// 64 threads make a piece of C; of the two operands only sub-matrices of B are in shared memory, T x
// T at a time. C = A B, n x n, column-major; n is a multiple of 64. grid: n / 64, n / T.
//
//               T columns          A thread has one row of the piece: T sums in registers. For each
//            +-----------+         k it loads one element of A, next to its neighbours', and
//            |  B tile   | T rows  multiplies it with the T elements of row k of the tile, which all
//            +-----------+         threads read at once.
//    +--+    +-----------+
//    |A |    | C piece   | 64 rows
//    +--+    +-----------+
//    T columns

// Table 2's 1088 bytes for 16 x 16 are a column more than the sub-matrix has: 16 x 17 words. So
// lanes that store down a column hit different banks.
template <int T>
__device__ __forceinline__ void multiply(int n, const float *a, const float *b, float *c)
{
    __shared__ float tile[T][T + 1]; // [k][column]
    const int rows = 64, at_once = rows / T; // columns of the tile that one round of loads fills
    int k_loaded = threadIdx.x % T, column_loaded = threadIdx.x / T;
    int first_column = blockIdx.y * T;
    float sum[T] = {};

    a += blockIdx.x * rows + threadIdx.x;
    b += (first_column + column_loaded) * n + k_loaded;
    c += first_column * n + blockIdx.x * rows + threadIdx.x;
#pragma unroll 1
    for (const float *end = b + n; b < end; b += T) {
#pragma unroll
        for (int column = 0; column < T; column += at_once)
            tile[k_loaded][column + column_loaded] = b[column * n];
        __syncthreads(); // the tile is complete
#pragma unroll
        for (int k = 0; k < T; k++, a += n) {
            float element = *a;
#pragma unroll
            for (int column = 0; column < T; column++)
                sum[column] = fmaf(element, tile[k][column], sum[column]);
        }
        __syncthreads(); // nobody reads it any more
    }
#pragma unroll
    for (int column = 0; column < T; column++, c += n)
        *c = sum[column];
}

extern "C" __global__ void matmul_8(int n, const float *a, const float *b, float *c)
{
    multiply<8>(n, a, b, c);
}

extern "C" __global__ void matmul_16(int n, const float *a, const float *b, float *c)
{
    multiply<16>(n, a, b, c);
}

extern "C" __global__ void matmul_32(int n, const float *a, const float *b, float *c)
{
    multiply<32>(n, a, b, c);
}
