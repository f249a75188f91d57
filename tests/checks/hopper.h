// SPDX-License-Identifier: Apache-2.0
/* What Hopper has beside CUDA C++: mbarrier objects, copies in bulk and of tensors, clusters, wgmma. Each function is one
 * instruction, so that a program says itself what it waits for and what it fences. */
#pragma once
#include "array.h"

#include <cstdint>

#define HERE __device__ __forceinline__

typedef unsigned long long barrier;

HERE unsigned shared_address(const void *p)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

/* ---- mbarrier objects ---- */

HERE void barrier_init(barrier *b, unsigned count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(count)
                 : "memory");
}
HERE void barrier_arrive(barrier *b)
{
    asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(shared_address(b))
                 : "memory");
}
HERE void barrier_expect(barrier *b, unsigned bytes) /* and arrive */
{
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(
                     shared_address(b)),
                 "r"(bytes)
                 : "memory");
}
HERE void barrier_wait(barrier *b, unsigned parity)
{
    asm volatile("{ .reg .pred p;\n"
                 "again: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%0], %1;\n"
                 "@!p bra again; }" ::"r"(shared_address(b)),
                 "r"(parity)
                 : "memory");
}
HERE void barrier_wait_cluster(barrier *b, unsigned parity)
{
    asm volatile("{ .reg .pred p;\n"
                 "again: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1;\n"
                 "@!p bra again; }" ::"r"(shared_address(b)),
                 "r"(parity)
                 : "memory");
}
HERE void fence_barrier_init()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/* ---- copies in bulk ---- */

HERE void fence_async()
{
    asm volatile("fence.proxy.async;" ::: "memory");
}
HERE void load_bulk(void *to, const void *from, unsigned bytes, barrier *b)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(shared_address(to)),
        "l"(from), "r"(bytes), "r"(shared_address(b))
        : "memory");
}
HERE void load_bulk_to_blocks(void *to, const void *from, unsigned bytes, barrier *b,
                              unsigned short blocks)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
        " [%0], [%1], %2, [%3], %4;" ::"r"(shared_address(to)),
        "l"(from), "r"(bytes), "r"(shared_address(b)), "h"(blocks)
        : "memory");
}
HERE void store_bulk(void *to, const void *from, unsigned bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                 "r"(shared_address(from)), "r"(bytes)
                 : "memory");
}
HERE void add_bulk(void *to, const void *from, unsigned bytes)
{
    asm volatile(
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], %2;" ::"l"(to),
        "r"(shared_address(from)), "r"(bytes)
        : "memory");
}
HERE void commit_bulk()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
template <int groups> HERE void wait_bulk()
{
    asm volatile("cp.async.bulk.wait_group %0;" ::"n"(groups) : "memory");
}
template <int groups> HERE void wait_bulk_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(groups) : "memory");
}

/* ---- clusters ---- */

HERE unsigned cluster_rank()
{
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
HERE void cluster_arrive()
{
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
HERE void cluster_arrive_relaxed()
{
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
HERE void cluster_wait()
{
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
HERE void cluster_sync()
{
    cluster_arrive();
    cluster_wait();
}
/* The same place in another block, for the functions below. */
HERE unsigned in_block(const void *p, unsigned rank)
{
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(p)), "r"(rank));
    return there;
}
HERE int remote_load(unsigned from)
{
    int value;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(from) : "memory");
    return value;
}
HERE void remote_store(unsigned to, int value)
{
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(to), "r"(value) : "memory");
}
HERE void remote_add(unsigned to, int value)
{
    asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" ::"r"(to), "r"(value)
                 : "memory");
}
HERE void remote_arrive(unsigned b)
{
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(b)
                 : "memory");
}
HERE void remote_arrive_relaxed(unsigned b)
{
    asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(b)
                 : "memory");
}
HERE void store_async(unsigned to, int value, unsigned b)
{
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.s32 [%0], %1, [%2];" ::"r"(to),
        "r"(value), "r"(b)
        : "memory");
}
HERE void add_async(unsigned to, int value, unsigned b)
{
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.s32 "
                 "[%0], %1, [%2];" ::"r"(to),
                 "r"(value), "r"(b)
                 : "memory");
}
HERE void copy_to_block(unsigned to, const void *from, unsigned bytes, unsigned b)
{
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], "
                 "[%1], %2, [%3];" ::"r"(to),
                 "r"(shared_address(from)), "r"(bytes), "r"(b)
                 : "memory");
}

/* ---- wgmma: 64 x 8 x 16 of f16, lines of 128 bytes (64 elements), swizzled ---- */

HERE uint64_t matrix(const void *p)
{
    return (__cvta_generic_to_shared(p) & 0x3ffff) >> 4 | 1ull << 16 | 64ull << 32 | 1ull << 62;
}
HERE void product_fence()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
HERE void product(float (&d)[4], const void *a, const void *b)
{
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "l"(matrix(a)), "l"(matrix(b))
        : "memory");
}
HERE void product_commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int groups> HERE void product_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(groups) : "memory");
}
