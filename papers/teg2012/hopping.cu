// SPDX-License-Identifier: Apache-2.0
// The part of a lattice QCD Hopping_Matrix that makes half spinors (Lai and Seznec, section 5.2; the
// paper prints no code): a thread reads the spinor of a site (4 x 3 complex numbers), and for each of
// four directions projects it forwards to a half spinor (2 x 3), multiplies that by the link (3 x 3),
// stores it, projects backwards and stores that. Double precision; a complex number is one access
// of 16 bytes. Fields lie as arrays of structures or as structures of arrays. `steps` counts
// directions: four are a site; the next site of a thread is `stride` sites on.

struct fields {
    const double2 *spinor, *gauge;
    double2 *half;
};

__device__ double2 plus(double2 a, double2 b) { return make_double2(a.x + b.x, a.y + b.y); }
__device__ double2 minus(double2 a, double2 b) { return make_double2(a.x - b.x, a.y - b.y); }
__device__ double2 plus_i(double2 a, double2 b) { return make_double2(a.x - b.y, a.y + b.x); }
__device__ double2 minus_i(double2 a, double2 b) { return make_double2(a.x + b.y, a.y - b.x); }

__device__ void add_product(double2 &sum, double2 u, double2 v)
{
    sum.x = fma(u.x, v.x, sum.x);
    sum.x = fma(-u.y, v.y, sum.x);
    sum.y = fma(u.x, v.y, sum.y);
    sum.y = fma(u.y, v.x, sum.y);
}

// Element e of a structure of `size`.
template <bool ARRAYS> __device__ int place(int site, int e, int size, int sites)
{
    return ARRAYS ? e * sites + site : site * size + e;
}

// Rows 0 and 1 of the half spinor, forwards (sign 1) or backwards, in direction mu.
template <int SIGN>
__device__ void project(int mu, const double2 s[4][3], double2 h[2][3])
{
    for (int c = 0; c < 3; c++) {
        double2 a = mu == 0 || mu == 3 ? s[2][c] : s[3][c];
        double2 b = mu == 0 || mu == 3 ? s[3][c] : s[2][c];
        bool imaginary = mu & 1;
        bool flip = mu >= 2;
        h[0][c] = imaginary ? (SIGN > 0 ? plus_i(s[0][c], a) : minus_i(s[0][c], a))
                            : (SIGN > 0 ? plus(s[0][c], a) : minus(s[0][c], a));
        bool forwards = (SIGN > 0) != flip;
        h[1][c] = imaginary ? (forwards ? plus_i(s[1][c], b) : minus_i(s[1][c], b))
                            : (forwards ? plus(s[1][c], b) : minus(s[1][c], b));
    }
}

template <bool ARRAYS>
__device__ void direction(const fields &f, int mu, int site, int sites, const double2 s[4][3])
{
    double2 h[2][3];
    project<1>(mu, s, h);
    for (int r = 0; r < 3; r++) {
        double2 sum[2] = {};
        for (int c = 0; c < 3; c++) {
            double2 u = f.gauge[place<ARRAYS>(site, 9 * mu + 3 * r + c, 36, sites)];
            for (int k = 0; k < 2; k++)
                add_product(sum[k], u, h[k][c]);
        }
        for (int k = 0; k < 2; k++)
            f.half[place<ARRAYS>(site, 12 * mu + 3 * k + r, 48, sites)] = sum[k];
    }
    project<-1>(mu, s, h);
    for (int k = 0; k < 2; k++)
        for (int c = 0; c < 3; c++)
            f.half[place<ARRAYS>(site, 12 * mu + 6 + 3 * k + c, 48, sites)] = h[k][c];
}

template <bool ARRAYS>
__device__ void hop(int steps, int stride, int sites, const fields &f)
{
    int site = blockIdx.x * blockDim.x + threadIdx.x;
    for (int step = 0; step < steps; step += 4, site += stride) {
        double2 s[4][3];
#pragma unroll
        for (int k = 0; k < 4; k++)
#pragma unroll
            for (int c = 0; c < 3; c++)
                s[k][c] = f.spinor[place<ARRAYS>(site, 3 * k + c, 12, sites)];
#pragma unroll
        for (int mu = 0; mu < 4; mu++) {
            if (step + mu >= steps) return;
            direction<ARRAYS>(f, mu, site, sites, s);
        }
    }
}

extern "C" __global__ void hopping_aos(int steps, int stride, int sites, const double2 *spinor,
                                       const double2 *gauge, double2 *half)
{
    hop<false>(steps, stride, sites, {spinor, gauge, half});
}

extern "C" __global__ void hopping_soa(int steps, int stride, int sites, const double2 *spinor,
                                       const double2 *gauge, double2 *half)
{
    hop<true>(steps, stride, sites, {spinor, gauge, half});
}
