// SPDX-License-Identifier: Apache-2.0
/* One kernel a rule of the tool race. What each must be told follows from the CUDA C++ Programming Guide and the chapter
 * "Memory Consistency Model" of the PTX ISA, and from the grades in doc/checks.md.
 *
 *     //! KERNEL GRID BLOCK [CODE ...] [MARK ...]     the kernel's launch and the codes that are told, and no others;
 *                                                     marks are for reference/test_schedules.c
 *
 * tools/regen-ptx.sh compiles it. */
// arch: sm_80
#include <cuda_pipeline.h>

#define KERNEL(name) extern "C" __global__ void name(int *data, int *flag)
#define TID threadIdx.x
#define BID blockIdx.x

/* ---- a block --------------------------------------------------------------------------------- */

//! barrier_between 2 128
KERNEL(barrier_between)
{
    __shared__ int s[128];
    s[TID] = TID;
    __syncthreads();
    data[BID * 128 + TID] = s[127 - TID];
}

//! no_barrier 1 128 R01
KERNEL(no_barrier)
{
    __shared__ int s[128];
    s[TID] = TID + 1;
    data[TID] = s[(TID + 32) % 128];
}

//! read_then_write 1 128 R01
KERNEL(read_then_write)
{
    __shared__ int s[128];
    s[TID] = TID + 1;
    __syncthreads();
    int next = s[(TID + 32) % 128];
    s[TID] = next + 1;
    data[TID] = next;
}

//! loop_two_barriers 1 128
KERNEL(loop_two_barriers)
{
    __shared__ int s[128];
    for (int i = 0; i < 4; i++) {
        s[TID] = i + TID;
        __syncthreads();
        data[TID] += s[(TID + 40) % 128];
        __syncthreads();
    }
}

//! loop_one_barrier 1 128 R01
KERNEL(loop_one_barrier)
{
    __shared__ int s[128];
    for (int i = 0; i < 4; i++) {
        s[TID] = i + TID;
        __syncthreads();
        data[TID] += s[(TID + 40) % 128];
    }
}

//! double_buffer 1 128
KERNEL(double_buffer)
{
    __shared__ int s[2][128];
    for (int i = 0; i < 6; i++) {
        s[i & 1][TID] = i + TID;
        __syncthreads();
        data[TID] += s[i & 1][(TID + 40) % 128];
    }
}

//! reduction 4 256
KERNEL(reduction)
{
    __shared__ int s[256];
    s[TID] = data[BID * 256 + TID] + TID;
    __syncthreads();
    for (int k = 128; k > 0; k /= 2) {
        if (TID < k) s[TID] += s[TID + k];
        __syncthreads();
    }
    if (TID == 0) flag[BID] = s[0];
}

//! early_exit 1 128
KERNEL(early_exit)
{
    __shared__ int s[128];
    s[TID] = TID;
    if (TID >= 100) return;
    __syncthreads();
    data[TID] = s[127 - TID];
}

//! bytes 1 128
KERNEL(bytes)
{
    __shared__ unsigned char s[256];
    __shared__ unsigned short h[128];
    s[TID] = TID + 1;
    s[128 + (TID * 37) % 128] = TID + 1;
    h[(TID * 5) % 128] = TID + 1;
    __syncthreads();
    data[TID] = s[255 - TID] + h[TID] + s[TID];
}

//! same_byte 1 128 R01
KERNEL(same_byte)
{
    __shared__ unsigned char s[128];
    s[TID] = TID + 1;
    if (TID == 64) s[1] = 77;
    __syncthreads();
    data[TID] = s[TID];
}

//! bytes_of_one_word 1 128
KERNEL(bytes_of_one_word)
{
    unsigned char *bytes = (unsigned char *)data;
    if (TID % 32 == 0) bytes[TID / 32] = TID + 1;
    __syncthreads();
    if (TID == 0) flag[0] = data[0];
}

//! byte_beside_word 1 128 R01 R05
KERNEL(byte_beside_word)
{
    unsigned char *bytes = (unsigned char *)data;
    if (TID % 32 == 0) bytes[TID / 32] = TID + 1;
    if (TID == 97) flag[0] = data[0];
}

/* ---- a warp ---------------------------------------------------------------------------------- */

//! warp_synchronous 1 32 R05
KERNEL(warp_synchronous)
{
    __shared__ int s[64];
    s[TID] = TID + 1;
    s[TID + 32] = TID;
    s[TID] += s[TID + 16];
    s[TID] += s[TID + 8];
    data[TID] = s[TID];
}

//! warp_sync 1 32
KERNEL(warp_sync)
{
    __shared__ int s[64];
    s[TID] = TID + 1;
    __syncwarp();
    int other = s[(TID + 1) % 32];
    __syncwarp();
    s[TID] = other;
    data[TID] = s[TID];
}

//! warp_sync_half 1 32
KERNEL(warp_sync_half)
{
    __shared__ int s[32];
    unsigned mask = TID < 16 ? 0xffffu : 0xffff0000u;
    s[TID] = TID + 1;
    __syncwarp(mask);
    data[TID] = s[TID ^ 5];
}

//! warp_sync_wrong_half 1 32 R05
KERNEL(warp_sync_wrong_half)
{
    __shared__ int s[32];
    unsigned mask = TID < 16 ? 0xffffu : 0xffff0000u;
    s[TID] = TID + 1;
    __syncwarp(mask);
    data[TID] = s[TID ^ 17];
}

//! shuffle_as_fence 1 32 R05 weak
KERNEL(shuffle_as_fence)
{
    __shared__ int s[32];
    s[TID] = TID + 1;
    int x = __shfl_sync(0xffffffffu, (int)TID, 3);
    data[TID] = s[(TID + x) % 32];
}

//! apart 1 32 R01
KERNEL(apart)
{
    if (TID < 16)
        data[TID] = TID + 1;
    else
        flag[TID] = data[TID - 16];
}

//! apart_then_together 1 32 R05
KERNEL(apart_then_together)
{
    if (TID < 16) data[TID] = TID + 1;
    flag[TID] = data[TID ^ 16];
}

//! apart_then_sync 1 32
KERNEL(apart_then_sync)
{
    if (TID < 16) data[TID] = TID + 1;
    __syncwarp();
    flag[TID] = data[TID ^ 16];
}

//! lanes_collide 1 32 R02
KERNEL(lanes_collide)
{
    data[TID / 2] = TID + 1;
}

//! lanes_agree 1 32 R07
KERNEL(lanes_agree)
{
    data[0] = 7;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

//! own_words 4 128
KERNEL(own_words)
{
    data[BID * 128 + TID] += 1;
}

//! common_input 4 128
KERNEL(common_input)
{
    data[1024 + BID * 128 + TID] = data[TID] + data[0];
}

//! blocks_collide 2 32 R01
KERNEL(blocks_collide)
{
    data[TID] = BID * 32 + TID + 1;
}

//! blocks_read_written 2 32 R01
KERNEL(blocks_read_written)
{
    if (BID == 0) data[TID] = TID + 1;
    if (BID == 1) flag[TID] = data[TID];
}

//! blocks_agree 4 32 R07
KERNEL(blocks_agree)
{
    if (TID == 3) flag[0] = 1;
}

//! histogram 4 128
KERNEL(histogram)
{
    atomicAdd(&data[(TID * 7 + BID) % 16], 1);
}

//! histogram_plain 4 128 R01
KERNEL(histogram_plain)
{
    data[(TID * 7) % 16 + TID % 32 * 16] += 1;
}

//! read_beside_atomic 2 32 R09 orders
KERNEL(read_beside_atomic)
{
    if (TID == 0 && BID == 0) atomicAdd(&data[0], 1);
    if (TID == 1 && BID == 1) flag[0] = data[0];
}

//! write_beside_atomic 2 32 R01
KERNEL(write_beside_atomic)
{
    if (BID == 0 && TID == 0) data[0] = 5;
    if (BID == 1 && TID == 1) atomicAdd(&data[0], 1);
}

/* ---- messages between blocks ------------------------------------------------------------------ */

//! message 2 32
KERNEL(message)
{
    volatile int *f = flag;
    if (TID) return;
    if (BID == 0) {
        data[0] = 42;
        __threadfence();
        *f = 1;
    } else {
        while (*f == 0) {}
        __threadfence();
        data[1] = data[0];
    }
}

//! message_without_fence 2 32 R01 weak
KERNEL(message_without_fence)
{
    volatile int *f = flag;
    if (TID) return;
    if (BID == 0) {
        data[0] = 42;
        *f = 1;
    } else {
        while (*f == 0) {}
        __threadfence();
        data[1] = data[0];
    }
}

//! message_reader_without_fence 2 32 R06
KERNEL(message_reader_without_fence)
{
    volatile int *f = flag;
    if (TID) return;
    if (BID == 0) {
        data[0] = 42;
        __threadfence();
        *f = 1;
    } else {
        while (*f == 0) {}
        data[1] = data[0];
    }
}

//! message_block_fence 2 32 R01 weak
KERNEL(message_block_fence)
{
    volatile int *f = flag;
    if (TID) return;
    if (BID == 0) {
        data[0] = 42;
        __threadfence_block();
        *f = 1;
    } else {
        while (*f == 0) {}
        __threadfence();
        data[1] = data[0];
    }
}

//! message_block_scope 2 32 R01 R03 weak
KERNEL(message_block_scope)
{
    if (TID) return;
    if (BID == 0) {
        data[0] = 42;
        __threadfence();
        atomicExch_block(&flag[0], 1);
    } else {
        while (atomicAdd_block(&flag[0], 0) == 0) {}
        __threadfence();
        data[1] = data[0];
    }
}

//! message_plain_flag 2 32 R01
KERNEL(message_plain_flag)
{
    if (TID) return;
    if (BID == 0) {
        data[0] = 42;
        __threadfence();
        flag[0] = 1;
    } else if (*(volatile int *)flag) {
        __threadfence();
        data[1] = 1;
    }
}

//! release_acquire 2 32
KERNEL(release_acquire)
{
    int seen = 0;
    if (TID) return;
    if (BID == 0) {
        data[0] = 42;
        asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(flag) : "memory");
    } else {
        while (!seen)
            asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        data[1] = data[0];
    }
}

//! release_relaxed 2 32 R06
KERNEL(release_relaxed)
{
    int seen = 0;
    if (TID) return;
    if (BID == 0) {
        data[0] = 42;
        asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(flag) : "memory");
    } else {
        while (!seen)
            asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        data[1] = data[0];
    }
}

/* Block 1 hands on what block 0 published. */
//! cumulative 3 32
KERNEL(cumulative)
{
    volatile int *f = flag;
    if (TID) return;
    if (BID == 0) {
        data[0] = 42;
        __threadfence();
        f[0] = 1;
    } else if (BID == 1) {
        while (f[0] == 0) {}
        __threadfence();
        f[1] = 1;
    } else {
        while (f[1] == 0) {}
        __threadfence();
        data[1] = data[0];
    }
}

/* Fence and flag by one thread after a barrier cover the whole block. */
//! barrier_then_fence 2 128
KERNEL(barrier_then_fence)
{
    volatile int *f = flag;
    if (BID == 0) {
        data[TID] = TID + 1;
        __syncthreads();
        if (TID == 0) {
            __threadfence();
            *f = 1;
        }
    } else {
        if (TID == 0) {
            while (*f == 0) {}
            __threadfence();
        }
        __syncthreads();
        data[128 + TID] = data[127 - TID];
    }
}

//! fence_without_barrier 2 128 R01
KERNEL(fence_without_barrier)
{
    volatile int *f = flag;
    if (BID == 0) {
        data[127 - TID] = TID + 1;
        if (TID == 127) {
            __threadfence();
            *f = 1;
        }
    } else {
        if (TID == 0) {
            while (*f == 0) {}
            __threadfence();
        }
        __syncthreads();
        data[128 + TID] = data[127 - TID];
    }
}

/* The pattern of NVIDIA's threadFenceReduction: each thread fences, one counts, and the last block reads without a
 * fence of its own. */
//! last_block 4 64 R06
KERNEL(last_block)
{
    __shared__ bool is_last;
    data[BID * 64 + TID] = TID + BID;
    __threadfence();
    __syncthreads();
    if (TID == 0) is_last = atomicAdd(&flag[0], 1) == gridDim.x - 1;
    __syncthreads();
    if (!is_last) return;
    int sum = 0;
    for (int b = 0; b < gridDim.x; b++)
        sum += data[b * 64 + TID];
    data[1024 + TID] = sum;
}

//! last_block_fenced 4 64
KERNEL(last_block_fenced)
{
    __shared__ bool is_last;
    data[BID * 64 + TID] = TID + BID;
    __syncthreads();
    if (TID == 0) {
        __threadfence();
        is_last = atomicAdd(&flag[0], 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!is_last) return;
    int sum = 0;
    for (int b = 0; b < gridDim.x; b++)
        sum += data[b * 64 + TID];
    data[1024 + TID] = sum;
    if (TID == 0) flag[0] = 0;
}

//! spin_lock 4 64
KERNEL(spin_lock)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(&flag[0], 0, 1) == 0) {
            __threadfence();
            data[0] += 1;
            __threadfence();
            atomicExch(&flag[0], 0);
            done = true;
        }
    }
}

//! spin_lock_no_fence 4 1 R01 weak
KERNEL(spin_lock_no_fence)
{
    while (atomicCAS(&flag[0], 0, 1) != 0) {}
    data[0] += 1;
    atomicExch(&flag[0], 0);
}

//! ticket_lock 4 1
KERNEL(ticket_lock)
{
    int mine = atomicAdd(&flag[0], 1);
    while (*(volatile int *)&flag[1] != mine) {}
    __threadfence();
    data[0] += mine;
    __threadfence();
    *(volatile int *)&flag[1] = mine + 1;
}

//! grid_barrier 3 64
KERNEL(grid_barrier)
{
    data[BID * 64 + TID] = TID + BID;
    __syncthreads();
    if (TID == 0) {
        __threadfence();
        atomicAdd(&flag[0], 1);
        while (*(volatile int *)flag < gridDim.x) {}
        __threadfence();
    }
    __syncthreads();
    data[1024 + BID * 64 + TID] = data[(BID + 1) % 3 * 64 + 63 - TID];
}

/* Each block waits for the one before it and adds up (decoupled look-back). */
//! look_back 6 32
KERNEL(look_back)
{
    if (TID) return;
    int before = 0;
    if (BID) {
        volatile int *f = flag + BID - 1;
        while (*f == 0) {}
        __threadfence();
        before = data[BID - 1];
    }
    data[BID] = before + 1;
    __threadfence();
    *(volatile int *)(flag + BID) = 1;
}

/* ---- named barriers, copies ------------------------------------------------------------------- */

//! named_barrier 1 96
KERNEL(named_barrier)
{
    __shared__ int s[64];
    if (TID < 64) {
        s[TID] = TID + 1;
        asm volatile("bar.sync 1, 64;" ::: "memory");
        data[TID] = s[63 - TID];
    }
}

//! named_barrier_misses 1 96 R01
KERNEL(named_barrier_misses)
{
    __shared__ int s[96];
    s[TID] = TID + 1;
    if (TID < 64) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        data[TID] = s[TID + 32];
    }
}

//! producer_consumer 1 64
KERNEL(producer_consumer)
{
    __shared__ int s[32];
    for (int i = 0; i < 3; i++) {
        if (TID < 32) {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            s[TID] = i + TID;
            asm volatile("bar.arrive 2, 64;" ::: "memory");
        } else {
            asm volatile("bar.arrive 1, 64;" ::: "memory");
            asm volatile("bar.sync 2, 64;" ::: "memory");
            data[TID] += s[63 - TID];
        }
    }
}

//! producer_overwrites 1 64 R01
KERNEL(producer_overwrites)
{
    __shared__ int s[32];
    for (int i = 0; i < 3; i++) {
        if (TID < 32) {
            s[TID] = i + TID;
            asm volatile("bar.arrive 2, 64;" ::: "memory");
            asm volatile("bar.sync 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.arrive 1, 64;" ::: "memory");
            asm volatile("bar.sync 2, 64;" ::: "memory");
            data[TID] += s[63 - TID];
        }
    }
}

//! copy_waited 1 64
KERNEL(copy_waited)
{
    __shared__ int s[64];
    __pipeline_memcpy_async(&s[TID], &data[2048 + TID], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    flag[TID] = s[63 - TID];
}

//! copy_own 1 64
KERNEL(copy_own)
{
    __shared__ int s[64];
    __pipeline_memcpy_async(&s[TID], &data[2048 + TID], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    flag[TID] = s[TID];
}

//! copy_not_waited 1 64 R04
KERNEL(copy_not_waited)
{
    __shared__ int s[64];
    __pipeline_memcpy_async(&s[TID], &data[2048 + TID], 4);
    __pipeline_commit();
    flag[TID] = s[TID];
}

//! copy_barrier_only 1 64 R04
KERNEL(copy_barrier_only)
{
    __shared__ int s[64];
    __pipeline_memcpy_async(&s[TID], &data[2048 + TID], 4);
    __pipeline_commit();
    __syncthreads();
    flag[TID] = s[63 - TID];
}

//! copy_wait_only 1 64 R01 R05
KERNEL(copy_wait_only)
{
    __shared__ int s[64];
    __pipeline_memcpy_async(&s[TID], &data[2048 + TID], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    flag[TID] = s[(TID + 31) % 64];
}

//! copy_stages 1 64
KERNEL(copy_stages)
{
    __shared__ int s[2][64];
    __pipeline_memcpy_async(&s[0][TID], &data[2048 + TID], 4);
    __pipeline_commit();
    for (int i = 0; i < 4; i++) {
        __pipeline_memcpy_async(&s[(i + 1) & 1][TID], &data[2112 + 64 * i + TID], 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        flag[TID] += s[i & 1][63 - TID];
        __syncthreads();
    }
    __pipeline_wait_prior(0);
}

//! copy_stages_short 1 64 R04
KERNEL(copy_stages_short)
{
    __shared__ int s[2][64];
    __pipeline_memcpy_async(&s[0][TID], &data[2048 + TID], 4);
    __pipeline_commit();
    for (int i = 0; i < 4; i++) {
        __pipeline_memcpy_async(&s[(i + 1) & 1][TID], &data[2112 + 64 * i + TID], 4);
        __pipeline_commit();
        __pipeline_wait_prior(2);
        __syncthreads();
        flag[TID] += s[i & 1][63 - TID];
        __syncthreads();
    }
    __pipeline_wait_prior(0);
}

/* ---- found in programs ------------------------------------------------------------------------ */

//! shuffle_broadcast 1 128 R05 weak
KERNEL(shuffle_broadcast)
{
    __shared__ int s[4];
    if (TID % 32 == 0) s[TID / 32] = TID + 9;
    int x = __shfl_sync(0xffffffffu, (int)TID, 0);
    data[TID] = s[TID / 32] + x;
}

//! reset_beside_atomics 4 32 R01 R05
KERNEL(reset_beside_atomics)
{
    if (BID == 0 && TID == 0) flag[0] = 5;
    if (TID > 3) atomicAdd(&flag[0], 1);
}

//! volatile_warp_code 1 32 R05
KERNEL(volatile_warp_code)
{
    __shared__ volatile int s[64];
    s[TID] = TID + 1;
    s[TID + 32] = TID;
    if (TID < 16) s[TID] += s[TID + 16];
    if (TID < 8) s[TID] += s[TID + 8];
    data[TID] = s[TID];
}

//! zeros_to_shared 1 128 R01 inputs
KERNEL(zeros_to_shared)
{
    __shared__ int s[128];
    s[TID] = data[TID];
    flag[TID] = s[127 - TID];
}

/* Block 1 writes where block 0 has read before its flag, as in-place compaction does: the flag's value depends on
 * what was read. */
//! read_before_flag 2 32 R06
KERNEL(read_before_flag)
{
    volatile int *f = flag;
    if (TID) return;
    if (BID == 0) {
        f[0] = data[2048] + 1;
    } else {
        while (f[0] == 0) {}
        data[2048] = f[0];
    }
}

//! tile8 2 64
KERNEL(tile8)
{
    __shared__ int s[64];
    unsigned m = 0xffu << ((TID % 32) / 8 * 8);
    for (int i = 0; i < 3; i++) {
        s[TID] = TID + i;
        __syncwarp(m);
        data[BID * 64 + TID] += s[TID ^ 7];
        __syncwarp(m);
    }
}

//! diverged_sync 1 32
KERNEL(diverged_sync)
{
    __shared__ int s[32];
    if (TID < 16) {
        s[TID] = TID + 1;
        __syncwarp(0xffff);
        data[TID] = s[15 - TID];
    } else {
        s[TID] = TID + 1;
        __syncwarp(0xffff0000);
        data[TID] = s[47 - TID];
    }
}

//! exited_lanes 1 32
KERNEL(exited_lanes)
{
    __shared__ int s[32];
    if (TID >= 20) return;
    s[TID] = TID + 1;
    __syncwarp(0xfffff);
    data[TID] = s[19 - TID];
}

//! rw_same 4 64
KERNEL(rw_same)
{
    for (int i = 0; i < 5; i++) {
        data[BID * 64 + TID] += i;
        if (TID & 1) data[BID * 64 + TID] *= 2;
    }
}

//! atomics_then_last 8 64
KERNEL(atomics_then_last)
{
    __shared__ int last;
    atomicAdd(&data[TID], BID + 1);
    __threadfence();
    __syncthreads();
    if (!TID) last = atomicInc((unsigned *)flag, 7) == 7;
    __syncthreads();
    if (last) {
        __threadfence();
        flag[64 + TID] = data[TID];
        data[TID] = 0;
    }
}

//! lock_lanes 1 32
KERNEL(lock_lanes)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(flag, 0, 1) == 0) {
            __threadfence();
            data[0] += TID;
            __threadfence();
            atomicExch(flag, 0);
            done = true;
        }
    }
}

//! vec 2 64
KERNEL(vec)
{
    int4 *d = (int4 *)data;
    int4 v = d[BID * 64 + TID];
    v.x += 1;
    d[BID * 64 + TID] = v;
    __syncthreads();
    int2 *e = (int2 *)data;
    e[BID * 128 + TID] = make_int2(1, 2);
}

/* ---- what inputs hide ------------------------------------------------------------------------- */

/* All numbers that are loaded are 0: other inputs make the second write change what others read. */
//! equal_inputs 1 128 R01 inputs
KERNEL(equal_inputs)
{
    __shared__ int s[128];
    for (int i = 0; i < 2; i++) {
        s[TID] = data[128 * i + TID];
        __syncthreads();
        flag[TID] += s[(TID + 32) % 128];
    }
}

/* The constant is what memory holds wherever the loop goes on. */
//! constant_again 1 64 R08
KERNEL(constant_again)
{
    __shared__ int found;
    for (int i = 0; i < 3; i++) {
        if (TID == 0) found = 0;
        __syncthreads();
        if (data[64 * i + TID] == 5) found = 1;
        __syncthreads();
        if (found) break;
    }
    flag[TID] = found;
}

/* A thread reads what it has written, as all others do. */
//! all_write_what_they_loaded 1 64 R07 R08
KERNEL(all_write_what_they_loaded)
{
    __shared__ int n;
    n = data[2048];
    asm volatile("" ::: "memory");
    if (TID == 31) flag[TID] = n;
}

/* In place, on zeros. */
//! equal_in_place 1 64 R01 inputs
KERNEL(equal_in_place)
{
    int other = data[(TID + 32) % 64];
    data[TID] = other;
}

//! sum_read_early 1 64 R01 R09
KERNEL(sum_read_early)
{
    __shared__ int sum;
    if (TID == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, TID);
    if (TID == 32) data[0] = 2 * sum;
}

/* A thread's own atomic, the last, does not hide those of others from what it reads. */
//! sum_read_after_own 1 64 R01
KERNEL(sum_read_after_own)
{
    __shared__ int sum[32];
    if (TID < 32) sum[TID] = 0;
    __syncthreads();
    atomicAdd(&sum[TID % 32], TID + 1);
    if (TID < 32) data[TID] = sum[TID];
}

/* An old value only makes an atomic that is not needed. */
//! maximum_guarded 1 64 R09
KERNEL(maximum_guarded)
{
    __shared__ int most;
    if (TID == 0) most = 0;
    __syncthreads();
    if (data[2048 + TID] > most) atomicMax(&most, data[2048 + TID]);
    __syncthreads();
    if (TID == 0) data[0] = most;
}

/* ---- mbarrier objects ------------------------------------------------------------------------ */

/* PTX ISA: mbarrier.arrive releases and a wait that sees the phase complete acquires, at block scope; copies that
 * cp.async.mbarrier.arrive tracks are visible to who waits for that phase. */
typedef unsigned long long object;

static __device__ unsigned shared_address(const void *at)
{
    return (unsigned)__cvta_generic_to_shared(at);
}
static __device__ void begin(object *o, unsigned count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(o)), "r"(count) : "memory");
}
static __device__ void end(object *o)
{
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(shared_address(o)) : "memory");
}
static __device__ void arrive(object *o)
{
    asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(shared_address(o)) : "memory");
}
static __device__ void wait(object *o, unsigned parity)
{
    asm volatile("{ .reg .pred p;\nAGAIN:\nmbarrier.test_wait.parity.shared.b64 p, [%0], %1;\n@!p bra AGAIN; }" ::"r"(
                     shared_address(o)),
                 "r"(parity)
                 : "memory");
}
static __device__ void copy(int *to, const int *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(to)), "l"(from) : "memory");
}
static __device__ void arrive_behind_copies(object *o)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(o)) : "memory");
}
#define BEGIN(o, count)                                                                            \
    if (TID == 0) begin(o, count);                                                                 \
    __syncthreads()

//! object_exchange 2 64
KERNEL(object_exchange)
{
    __shared__ object o;
    __shared__ int s[64];
    BEGIN(&o, 64);
    s[TID] = TID + 1;
    arrive(&o);
    wait(&o, 0);
    data[BID * 64 + TID] = s[63 - TID];
}

//! object_no_wait 1 64 R01
KERNEL(object_no_wait)
{
    __shared__ object o;
    __shared__ int s[64];
    BEGIN(&o, 64);
    s[TID] = TID + 1;
    arrive(&o);
    data[TID] = s[63 - TID];
}

//! object_no_arrival 1 64 R01
KERNEL(object_no_arrival)
{
    __shared__ object o;
    __shared__ int s[64];
    BEGIN(&o, 32);
    s[TID] = TID + 1;
    if (TID < 32) arrive(&o);
    wait(&o, 0);
    data[TID] = s[63 - TID];
}

//! object_wrong_parity 1 64 R01
KERNEL(object_wrong_parity)
{
    __shared__ object o;
    __shared__ int s[64];
    BEGIN(&o, 64);
    s[TID] = TID + 1;
    arrive(&o);
    wait(&o, TID >= 32); /* warp 1 comes first: the phase before the first counts as ended */
    data[TID] = s[63 - TID];
}

//! object_write_behind_arrival 1 64 R01
KERNEL(object_write_behind_arrival)
{
    __shared__ object o;
    __shared__ int s[64];
    BEGIN(&o, 64);
    arrive(&o);
    s[TID] = TID + 1;
    wait(&o, 0);
    data[TID] = s[63 - TID];
}

//! object_used_at_once 1 64 R01
KERNEL(object_used_at_once)
{
    __shared__ object o;
    if (TID == 0) begin(&o, 64);
    arrive(&o);
    wait(&o, 0);
    data[TID] = 1;
}

/* Warp 0 writes what warp 1 reads, through two buffers. */
//! object_producer 1 64
KERNEL(object_producer)
{
    __shared__ object full[2], empty[2];
    __shared__ int s[2][32];
    if (TID < 2) begin(&full[TID], 32), begin(&empty[TID], 32);
    __syncthreads();
    for (int i = 0; i < 6; i++) {
        int stage = i % 2, parity = i / 2 % 2;
        if (TID < 32) {
            wait(&empty[stage], parity ^ 1);
            s[stage][TID] = i + TID;
            arrive(&full[stage]);
        } else {
            wait(&full[stage], parity);
            data[TID] += s[stage][63 - TID];
            arrive(&empty[stage]);
        }
    }
}

//! object_producer_early_release 1 64 R01
KERNEL(object_producer_early_release)
{
    __shared__ object full[2], empty[2];
    __shared__ int s[2][32];
    if (TID < 2) begin(&full[TID], 32), begin(&empty[TID], 32);
    __syncthreads();
    for (int i = 0; i < 6; i++) {
        int stage = i % 2, parity = i / 2 % 2;
        if (TID < 32) {
            wait(&empty[stage], parity ^ 1);
            s[stage][TID] = i + TID;
            arrive(&full[stage]);
        } else {
            wait(&full[stage], parity);
            arrive(&empty[stage]);
            data[TID] += s[stage][63 - TID];
        }
    }
}

//! object_producer_never_waits 1 64 R01
KERNEL(object_producer_never_waits)
{
    __shared__ object full[2];
    __shared__ int s[2][32];
    if (TID < 2) begin(&full[TID], 32);
    __syncthreads();
    for (int i = 0; i < 4; i++) {
        int stage = i % 2, parity = i / 2 % 2;
        if (TID < 32) {
            s[stage][TID] = i + TID;
            if (i < 2) arrive(&full[stage]);
        } else if (i < 2) {
            wait(&full[stage], parity);
            data[TID] += s[stage][63 - TID];
        }
    }
}

/* One lane of each warp waits for all of it. */
//! object_lane_waits 1 64
KERNEL(object_lane_waits)
{
    __shared__ object o;
    __shared__ int s[64];
    BEGIN(&o, 64);
    s[TID] = TID + 1;
    arrive(&o);
    if (TID % 32 == 0) wait(&o, 0);
    __syncwarp();
    data[TID] = s[63 - TID];
}

//! object_warp_waits 1 64
KERNEL(object_warp_waits)
{
    __shared__ object o;
    __shared__ int s[64];
    BEGIN(&o, 64);
    s[TID] = TID + 1;
    arrive(&o);
    if (TID < 32) wait(&o, 0);
    __syncthreads();
    data[TID] = s[(TID + 7) % 64];
}

/* The memory of the object is used for another, behind a barrier. */
//! object_again 1 64
KERNEL(object_again)
{
    __shared__ object o;
    __shared__ int s[64];
    for (int i = 0; i < 3; i++) {
        BEGIN(&o, 64);
        s[TID] = TID + i;
        arrive(&o);
        wait(&o, 0);
        data[TID] += s[63 - TID];
        __syncthreads();
        if (TID == 0) end(&o);
    }
}

//! object_ends_early 1 64 R01
KERNEL(object_ends_early)
{
    __shared__ object o;
    BEGIN(&o, 65);
    arrive(&o);
    if (TID == 63) {
        end(&o);
        o = 0;
    }
    __syncthreads();
    data[TID] = (int)(o ^ o >> 32);
}

//! object_copies 1 64
KERNEL(object_copies)
{
    __shared__ object o;
    __shared__ int s[64];
    BEGIN(&o, 64);
    copy(&s[TID], &data[2048 + TID]);
    arrive_behind_copies(&o);
    wait(&o, 0);
    data[TID] = s[63 - TID];
}

//! object_copies_untracked 1 64 R04
KERNEL(object_copies_untracked)
{
    __shared__ object o;
    __shared__ int s[64];
    BEGIN(&o, 64);
    copy(&s[TID], &data[2048 + TID]);
    arrive(&o);
    wait(&o, 0);
    data[TID] = s[63 - TID];
}

//! object_copies_not_awaited 1 64 R04
KERNEL(object_copies_not_awaited)
{
    __shared__ object o;
    __shared__ int s[64];
    BEGIN(&o, 64);
    copy(&s[TID], &data[2048 + TID]);
    arrive_behind_copies(&o);
    data[TID] = s[TID];
}

//! object_copies_of_one_warp 1 64
KERNEL(object_copies_of_one_warp)
{
    __shared__ object o;
    __shared__ int s[32];
    BEGIN(&o, 32);
    if (TID < 32) {
        copy(&s[TID], &data[2048 + TID]);
        arrive_behind_copies(&o);
    } else {
        wait(&o, 0);
    }
    __syncthreads();
    data[TID] = s[TID % 32];
}

/* Each thread of warp 0 copies for one of warp 1. */
//! object_copies_wrong_stage 1 64 R04
KERNEL(object_copies_wrong_stage)
{
    __shared__ object o[2][32];
    __shared__ int s[2][32];
    int t = TID % 32;
    if (TID < 32) begin(&o[0][t], 1), begin(&o[1][t], 1);
    __syncthreads();
    if (TID < 32) {
        for (int i = 0; i < 2; i++) {
            copy(&s[i][t], &data[2048 + 32 * i + t]);
            arrive_behind_copies(&o[i][t]);
        }
    } else {
        wait(&o[0][t], 0);
        data[t] = s[1][t];
    }
}

//! object_copies_both_stages 1 64
KERNEL(object_copies_both_stages)
{
    __shared__ object o[2];
    __shared__ int s[2][32];
    if (TID < 2) begin(&o[TID], 32);
    __syncthreads();
    if (TID < 32) {
        for (int i = 0; i < 2; i++) {
            copy(&s[i][TID], &data[2048 + 32 * i + TID]);
            arrive_behind_copies(&o[i]);
        }
    } else {
        for (int i = 0; i < 2; i++) {
            wait(&o[i], 0);
            data[TID] += s[i][63 - TID];
        }
    }
}

/* Block 0 resets for its own threads only. */
//! reset_before_own_barrier 2 64 R01
KERNEL(reset_before_own_barrier)
{
    if (BID == 0 && TID == 0) flag[0] = 0;
    __syncthreads();
    atomicAdd(&flag[0], 1);
}

/* A word is written, then one of its bytes; another block reads another byte. */
//! word_then_byte 2 64 R01
KERNEL(word_then_byte)
{
    unsigned char *bytes = (unsigned char *)data;
    if (BID == 0 && TID == 0) data[0] = 0x01020304;
    __syncthreads();
    if (BID == 0 && TID == 0) bytes[0] = 9;
    if (BID == 1 && TID == 0) flag[0] = bytes[3];
}
