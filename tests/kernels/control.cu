// SPDX-License-Identifier: Apache-2.0
// Control flow: divergent loops, nested branches, a switch, early exits, calls.

// Steps of the Collatz sequence from x to 1: every lane loops its own number of times.
extern "C" __global__ void collatz(int n, const unsigned *__restrict__ in, int *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int steps = 0;
    for (unsigned x = in[i]; x != 1; steps++)
        x = x & 1 ? 3 * x + 1 : x / 2;
    out[i] = steps;
}

// Branches within loops within branches, with break and continue and an early return.
extern "C" __global__ void nested(int n, const int *__restrict__ in, int *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = in[i], sum = 0;
    if (x < 0) {
        out[i] = -1;
        return;
    }
    for (int a = 0; a < (x & 15); a++) {
        if ((a ^ x) % 3 == 0) continue;
        for (int b = a; b < 20; b++) {
            sum += b ^ x;
            if ((sum & 63) == 7) break;
            if (sum > 5000) {
                out[i] = sum;
                return;
            }
        }
    }
    out[i] = sum;
}

// A dense switch whose cases do not look alike, so that it becomes a table of branches.
extern "C" __global__ void switches(int n, const unsigned *__restrict__ in,
                                    unsigned *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = in[i], y = 0;
    switch (x % 16) {
    case 0:
        y = x * 3;
        break;
    case 1:
        y = out[i] + x;
        break;
    case 2:
        for (unsigned k = 0; k < x % 7; k++)
            y = y * 5 + k;
        break;
    case 3:
        y = x ^ 0x55555555; // and on into case 4
    case 4:
        y += 17;
        break;
    case 5:
        out[i] = 5;
        return;
    case 6:
        y = x / 11;
        break;
    case 7:
        y = __popc(x);
        break;
    case 8:
        y = x * x;
        break;
    case 9:
        y = __brev(x);
        break;
    case 10:
        y = x / 13 + out[i];
        break;
    case 11:
        y = __clz(x);
        break;
    case 12:
        for (y = 1; y < x % 100; y *= 2)
            ;
        break;
    case 13:
        y = x - 99;
        break;
    default:
        y = ~x;
        break;
    }
    out[i] = y;
}

struct polynomial {
    int degree;
    float coefficients[4];
};

__noinline__ __device__ float evaluate(polynomial p, float x)
{
    float sum = 0.0f;
    for (int k = p.degree; k >= 0; k--)
        sum = sum * x + p.coefficients[k];
    return sum;
}

__noinline__ __device__ polynomial derivative(polynomial p)
{
    polynomial d = {p.degree - 1, {0, 0, 0, 0}};
    for (int k = 1; k < 4; k++)
        d.coefficients[k - 1] = k * p.coefficients[k];
    return d;
}

__noinline__ __device__ float newton(const polynomial &p, float x, int *steps)
{
    polynomial d = derivative(p);
    for (*steps = 0; *steps < 20; ++*steps) {
        float y = evaluate(p, x);
        if (fabsf(y) < 1e-3f) break;
        x -= __fdiv_rn(y, evaluate(d, x));
    }
    return x;
}

// A cubic's root from each start: structs by value and by reference, calls from divergent loops.
extern "C" __global__ void roots(int n, polynomial p, const float *__restrict__ start,
                                 float *__restrict__ root, int *__restrict__ steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int count;
    root[i] = newton(p, start[i], &count);
    steps[i] = count;
}

__device__ int twice(int x)
{
    return 2 * x;
}
__device__ int square(int x)
{
    return x * x;
}
__device__ int (*const functions[2])(int) = {twice, square};

// Calls through a pointer that differs from lane to lane.
extern "C" __global__ void indirect(int n, const int *__restrict__ which, int *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = functions[which[i] & 1](i + 3);
}
