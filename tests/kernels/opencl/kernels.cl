// SPDX-License-Identifier: Apache-2.0
/* Kernels that tests/unit/test_opencl.c runs beside plain C. */

__kernel void saxpy(const int n, const float a, __global const float *x, __global float *y)
{
    size_t i = get_global_id(0);
    if (i < n) y[i] = a * x[i] + y[i];
}

#define TILE 16

__kernel void matmul(const int n, __global const float *a, __global const float *b,
                     __global float *c)
{
    __local float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int x = get_local_id(0), y = get_local_id(1);
    int column = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        tile_a[y][x] = a[row * n + k + x];
        tile_b[y][x] = b[(k + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < TILE; i++)
            sum = fma(tile_a[y][i], tile_b[i][x], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

/* Local memory by the host's size, a sum by halves. */
__kernel void reduce(__global const int *values, __global int *sums, __local int *scratch)
{
    uint local_id = get_local_id(0);
    scratch[local_id] = values[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        if (local_id < half_size) scratch[local_id] += scratch[local_id + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (local_id == 0) sums[get_group_id(0)] = scratch[0];
}

__kernel void nbody(const int n, __global const float4 *body, __global float4 *force)
{
    int i = get_global_id(0);
    float4 own = body[i], sum = (float4)(0.0f);
    for (int k = 0; k < n; k++) {
        float4 d = body[k] - own;
        float square = d.x * d.x + d.y * d.y + d.z * d.z + 0.01f;
        float inverse = native_rsqrt(square);
        sum.xyz += d.xyz * (body[k].w * inverse * inverse * inverse);
    }
    force[i] = sum;
}

__constant float weight[3] = {0.25f, 0.5f, 0.25f};

__kernel void convolve(const int width, const int height, __global const float *in,
                       __global float *out)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int cx = clamp(x + dx, 0, width - 1), cy = clamp(y + dy, 0, height - 1);
            sum += weight[dx + 1] * weight[dy + 1] * in[cy * width + cx];
        }
    out[y * width + x] = sum;
}

/* Where am I? All functions of the index space, in two dimensions. */
__kernel void indices(__global uint *out)
{
    size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    __global uint *to = out + i * 12;
    to[0] = get_global_id(0);
    to[1] = get_global_id(1);
    to[2] = get_local_id(0);
    to[3] = get_local_id(1);
    to[4] = get_group_id(0);
    to[5] = get_group_id(1);
    to[6] = get_global_size(0);
    to[7] = get_local_size(1);
    to[8] = get_num_groups(0);
    to[9] = get_num_groups(1);
    to[10] = get_work_dim();
    to[11] = get_global_offset(0);
}

__kernel void functions(__global const float *x, __global float *out)
{
    int i = get_global_id(0);
    float v = x[i];
    __global float *to = out + i * 24;
    to[0] = sin(v);
    to[1] = cos(v);
    to[2] = tan(v);
    to[3] = exp(v);
    to[4] = log(v);
    to[5] = pow(v, 1.7f);
    to[6] = sqrt(v);
    to[7] = rsqrt(v);
    to[8] = tanh(v);
    to[9] = atan2(v, 2.0f);
    to[10] = fmod(v, 0.3f);
    to[11] = floor(v * 10);
    to[12] = erf(v);
    to[13] = cbrt(v);
    to[14] = native_sin(v);
    to[15] = native_cos(v);
    to[16] = native_exp(v);
    to[17] = native_log(v);
    to[18] = native_powr(v, 1.7f);
    to[19] = native_exp10(v);
    to[20] = native_log10(v);
    to[21] = native_tan(v);
    to[22] = length((float4)(v, 1, 2, 3));
    to[23] = native_sqrt((float2)(v, 4.0f)).y + native_exp2((float4)(v)).w;
}

__kernel void histogram(__global const uchar *pixel, __global int *bins, const int n)
{
    __local int own[16];
    uint local_id = get_local_id(0);
    if (local_id < 16) own[local_id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&own[pixel[i] >> 4]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (local_id < 16) atomic_add(&bins[local_id], own[local_id]);
}

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

/* Half as a storage type, double, and a copy into local memory by the whole group. */
__kernel void formats(__global const half *in, __global half *out, __global double *wide)
{
    __local double scratch[32];
    int i = get_global_id(0), l = get_local_id(0);
    float v = vload_half(i, in);
    vstore_half(v * 3, i, out);
    wide[i] = sqrt((double)v) + exp((double)v);
    barrier(CLK_GLOBAL_MEM_FENCE);
    event_t copied = async_work_group_copy(scratch, wide + 32 * get_group_id(0), 32, 0);
    wait_group_events(1, &copied);
    wide[i] = scratch[31 - l];
}
