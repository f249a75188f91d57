// SPDX-License-Identifier: Apache-2.0
/* Gaussian elimination in double precision: two kernels a column, grids that shrink. */
#include "check.h"

__global__ void factors(double *m, const double *a, int n, int t)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n - 1 - t) return;
    m[(t + 1 + i) * n + t] = a[(t + 1 + i) * n + t] / a[t * n + t];
}

__global__ void eliminate(const double *m, double *a, double *b, int n, int t)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n - 1 - t || y >= n - t) return;
    double factor = m[(t + 1 + x) * n + t];
    a[(t + 1 + x) * n + t + y] -= factor * a[t * n + t + y];
    if (y == 0) b[t + 1 + x] -= factor * b[t];
}

int main()
{
    const int n = 48;
    std::vector<double> a(n * n), b(n), x(n), wanted(n);
    unsigned state = 13;
    for (int i = 0; i < n; i++) {
        wanted[i] = (int)(next_random(&state) % 9) - 4;
        for (int j = 0; j < n; j++)
            a[i * n + j] = i == j ? 2 * n : next_random(&state) % 7 - 3.0;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b[i] += a[i * n + j] * wanted[j];
    double *da, *db, *dm;
    CHECK(cudaMalloc(&da, n * n * 8));
    CHECK(cudaMalloc(&dm, n * n * 8));
    CHECK(cudaMalloc(&db, n * 8));
    CHECK(cudaMemcpy(da, a.data(), n * n * 8, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b.data(), n * 8, cudaMemcpyHostToDevice));
    for (int t = 0; t < n - 1; t++) {
        int rows = n - 1 - t;
        factors<<<(rows + 31) / 32, 32>>>(dm, da, n, t);
        eliminate<<<dim3((rows + 15) / 16, (rows + 16) / 16), dim3(16, 16)>>>(dm, da, db, n, t);
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaMemcpy(a.data(), da, n * n * 8, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(b.data(), db, n * 8, cudaMemcpyDeviceToHost));
    double worst = 0;
    for (int i = n - 1; i >= 0; i--) {
        x[i] = b[i];
        for (int j = i + 1; j < n; j++)
            x[i] -= a[i * n + j] * x[j];
        x[i] /= a[i * n + i];
        worst = fmax(worst, fabs(x[i] - wanted[i]));
    }
    printf("largest error %.3g\n", worst);
    return verdict(worst < 1e-10);
}
