// SPDX-License-Identifier: Apache-2.0
/* Radix-2 FFT with complex numbers as a struct; forth and back, and against a sum by hand. */
#include "check.h"

struct complex {
    float re, im;
};

__device__ complex operator*(complex a, complex b)
{
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

__global__ void reverse_bits(const complex *in, complex *out, int bits)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[__brev(i) >> (32 - bits)] = in[i];
}

__global__ void butterfly(complex *x, int half, float sign)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = i % half, at = i / half * 2 * half + k;
    float s, c;
    sincospif(sign * k / half, &s, &c);
    complex a = x[at], b = x[at + half] * complex{c, s};
    x[at] = {a.re + b.re, a.im + b.im};
    x[at + half] = {a.re - b.re, a.im - b.im};
}

static void transform(const complex *in, complex *out, int bits, float sign)
{
    int n = 1 << bits;
    reverse_bits<<<n / 64, 64>>>(in, out, bits);
    for (int half = 1; half < n; half *= 2)
        butterfly<<<n / 128, 64>>>(out, half, sign);
    CHECK(cudaGetLastError());
}

int main()
{
    const int bits = 10, n = 1 << bits;
    std::vector<complex> x(n), y(n), z(n);
    unsigned state = 17;
    for (complex &one : x)
        one = {next_random(&state) % 100 / 100.0f, next_random(&state) % 100 / 100.0f};
    complex *a, *b, *c;
    CHECK(cudaMalloc(&a, n * sizeof *a));
    CHECK(cudaMalloc(&b, n * sizeof *b));
    CHECK(cudaMalloc(&c, n * sizeof *c));
    CHECK(cudaMemcpy(a, x.data(), n * sizeof *a, cudaMemcpyHostToDevice));
    transform(a, b, bits, -1);
    transform(b, c, bits, 1);
    CHECK(cudaMemcpy(y.data(), b, n * sizeof *b, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(z.data(), c, n * sizeof *c, cudaMemcpyDeviceToHost));
    double worst = 0;
    for (int i = 0; i < n; i++)
        worst = fmax(worst, fmax(fabs(z[i].re / n - x[i].re), fabs(z[i].im / n - x[i].im)));
    const double pi = 3.14159265358979323846;
    for (int k = 0; k < n; k += 137) {
        double re = 0, im = 0;
        for (int i = 0; i < n; i++) {
            double angle = -2 * pi * ((long)i * k % n) / n;
            re += x[i].re * cos(angle) - x[i].im * sin(angle);
            im += x[i].re * sin(angle) + x[i].im * cos(angle);
        }
        worst = fmax(worst, fmax(fabs(re - y[k].re), fabs(im - y[k].im)) / n);
    }
    printf("largest error %.3g\n", worst);
    return verdict(worst < 1e-5);
}
