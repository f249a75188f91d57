// SPDX-License-Identifier: Apache-2.0
// The n-body programs that H. Kim's slides compare: the acceleration of every body by the first
// `sources` bodies. The slides give names and counts, not the programs. Read with the counts:
//
//     (cuda)   x of all bodies, then y, z, m: four loads a source, at one address for all lanes;
//              with the number of bodies known to the compiler, one pointer serves all four
//     vecpack  one array of (x, y, z, m): one load of 16 bytes a source
//     shmem    a thread's own body goes through shared memory, 4 words after one another a thread
//              (the slides' loads of the sources stay as many as without, so the sources are not
//              tiled)
//     trans    ... transposed: word c of all threads, then word c + 1
//     ujam     the loop is unrolled by 4, the loads of the four sources first
//     rsqr     rsqrt instead of 1 / sqrt
//     tight    ... the four of a round in a loop of their own that is not unrolled
//
// Dynamic shared memory with shmem: 16 bytes a thread. One thread a body; threads beyond the last
// one do its work again.

#define BODIES (585 * 256) // the slides' grid

struct Plain { // four arrays, one after the other
    const float *__restrict__ x;
    __device__ __forceinline__ float4 operator[](int i) const
    {
        return make_float4(x[i], x[BODIES + i], x[2 * BODIES + i], x[3 * BODIES + i]);
    }
};

struct Packed { // one array
    const float4 *__restrict__ body;
    __device__ __forceinline__ float4 operator[](int i) const
    {
        return body[i];
    }
};

enum { SHMEM = 1, TRANS = 2, UJAM = 4, RSQR = 8, TIGHT = 16 };

template <int FORM>
static __device__ __forceinline__ float3 attract(float4 own, float4 other, float eps2, float3 sum)
{
    float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
    float r2 = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, eps2)));
    float inverse = FORM & RSQR ? rsqrtf(r2) : 1.0f / sqrtf(r2);
    float s = other.w * inverse * (inverse * inverse);
    return make_float3(fmaf(dx, s, sum.x), fmaf(dy, s, sum.y), fmaf(dz, s, sum.z));
}

template <int FORM> static __device__ __forceinline__ float4 through_shared(float4 own)
{
    extern __shared__ float words[];
    if (!(FORM & SHMEM)) return own;
    int thread = FORM & TRANS ? 1 : 4, word = FORM & TRANS ? blockDim.x : 1;
    volatile float *mine = words + threadIdx.x * thread;
    mine[0] = own.x;
    mine[word] = own.y;
    mine[2 * word] = own.z;
    mine[3 * word] = own.w;
    __syncthreads();
    return make_float4(mine[0], mine[word], mine[2 * word], mine[3 * word]);
}

template <int FORM, class Bodies>
static __device__ __forceinline__ float3 acceleration(int sources, float eps2, Bodies bodies, int i)
{
    float4 own = through_shared<FORM>(bodies[i]);
    float3 sum = make_float3(0.0f, 0.0f, 0.0f);
    int j = 0;
    if (FORM & UJAM) {
#pragma unroll 1
        for (; j + 4 <= sources; j += 4) {
            if (FORM & TIGHT) {
#pragma unroll 1
                for (int k = j; k < j + 4; k++)
                    sum = attract<FORM>(own, bodies[k], eps2, sum);
            } else {
                float4 a = bodies[j], b = bodies[j + 1], c = bodies[j + 2], d = bodies[j + 3];
                sum = attract<FORM>(own, a, eps2, sum);
                sum = attract<FORM>(own, b, eps2, sum);
                sum = attract<FORM>(own, c, eps2, sum);
                sum = attract<FORM>(own, d, eps2, sum);
            }
        }
    }
#pragma unroll 1
    for (; j < sources; j++)
        sum = attract<FORM>(own, bodies[j], eps2, sum);
    return sum;
}

#define NBODY(NAME, FORM)                                                                          \
    extern "C" __global__ void NAME(int sources, float eps2, const float *__restrict__ x,          \
                                    float *__restrict__ a)                                         \
    {                                                                                              \
        int i = min(blockIdx.x * blockDim.x + threadIdx.x, BODIES - 1);                            \
        float3 sum = acceleration<FORM>(sources, eps2, Plain{x}, i);                               \
        a[i] = sum.x;                                                                              \
        a[BODIES + i] = sum.y;                                                                     \
        a[2 * BODIES + i] = sum.z;                                                                 \
    }

#define NBODY_PACKED(NAME, FORM)                                                                   \
    extern "C" __global__ void NAME(int sources, float eps2, const float4 *__restrict__ body,      \
                                    float4 *__restrict__ a)                                        \
    {                                                                                              \
        int i = min(blockIdx.x * blockDim.x + threadIdx.x, BODIES - 1);                            \
        float3 sum = acceleration<FORM>(sources, eps2, Packed{body}, i);                           \
        a[i] = make_float4(sum.x, sum.y, sum.z, 0.0f);                                             \
    }

NBODY(cuda, 0)
NBODY(cuda_shmem, SHMEM)
NBODY(cuda_shmem_trans, SHMEM | TRANS)
NBODY_PACKED(cuda_vecpack, 0)
NBODY_PACKED(cuda_vecpack_ujam, UJAM)
NBODY_PACKED(cuda_vecpack_rsqr, RSQR)
// The slides' count of cuda_vecpack_shmem is that of cuda_vecpack_rsqr + 78: it has rsqrt, too.
NBODY_PACKED(cuda_vecpack_shmem, SHMEM | RSQR)
NBODY_PACKED(cuda_vecpack_ujam_rsqr, UJAM | RSQR)
NBODY(cuda_shmem_ujam_rsqr_tight, SHMEM | UJAM | RSQR | TIGHT)
NBODY(cuda_shmem_trans_ujam_rsqr, SHMEM | TRANS | UJAM | RSQR)
NBODY(cuda_shmem_trans_ujam_rsqr_tight, SHMEM | TRANS | UJAM | RSQR | TIGHT)
