// SPDX-License-Identifier: Apache-2.0
// One step of n bodies that attract one another, n a multiple of THREADS: all pairs, one body a
// thread. A block stages THREADS bodies at a time in shared memory, where all lanes read the same
// word at once, which costs one access. Softened by eps2; gravity's constant is in the masses.
//
//     body      position x, y, z and mass
//     velocity  x, y, z and nothing, changed in place
//     moved     the bodies after the step

#define THREADS 128

extern "C" __global__ void nbody(int n, float dt, float eps2, const float4 *__restrict__ body,
                                 float4 *__restrict__ velocity, float4 *__restrict__ moved)
{
    __shared__ float4 tile[THREADS];

    int i = blockIdx.x * THREADS + threadIdx.x;
    float4 own = body[i];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int first = 0; first < n; first += THREADS) {
        tile[threadIdx.x] = body[first + threadIdx.x];
        __syncthreads(); // the tile is complete
#pragma unroll 4
        for (int j = 0; j < THREADS; j++) {
            float4 other = tile[j];
            float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
            float inverse = rsqrtf(fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, eps2))));
            float s = other.w * inverse * (inverse * inverse);
            ax = fmaf(dx, s, ax);
            ay = fmaf(dy, s, ay);
            az = fmaf(dz, s, az);
        }
        __syncthreads(); // nobody reads it any more
    }
    float4 v = velocity[i];
    v = make_float4(fmaf(ax, dt, v.x), fmaf(ay, dt, v.y), fmaf(az, dt, v.z), v.w);
    velocity[i] = v;
    moved[i] = make_float4(fmaf(v.x, dt, own.x), fmaf(v.y, dt, own.y), fmaf(v.z, dt, own.z), own.w);
}
