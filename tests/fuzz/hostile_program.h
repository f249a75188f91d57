// SPDX-License-Identifier: Apache-2.0
/* Valid PTX that means no good, written from the bytes of a fuzzer: accesses of every shape in every
 * space, callee frames, calls through pointers, divergence, atomics, the device runtime.
 *
 * The kernel is called k and takes five words of 64 bits, p0 to p4, and a block of 48 bytes. p0 and p1
 * are buffers of HOSTILE_BUFFER_BYTES and of HOSTILE_SMALL_BYTES, p2 is a texture's handle, p3 and p4
 * are any numbers. Every address is either tame, inside its variable whatever the lane, or wild. */
#ifndef FUZZ_HOSTILE_PROGRAM_H
#define FUZZ_HOSTILE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    HOSTILE_BUFFER_BYTES = 4096,
    HOSTILE_SMALL_BYTES = 100,
    HOSTILE_TEXT_BYTES = 1 << 18,
    HOSTILE_PARAMETER_BYTES = 96
};

/* How the kernel is to be launched. */
struct hostile_launch {
    uint32_t grid, block;
    uint32_t shared_bytes; /* dynamic */
    uint64_t words[2];     /* p3, p4 */
    bool as_hardware, traces;
};

/* Writes PTX to `text`; returns its length. Bytes that are missing are 0. */
size_t hostile_write(const uint8_t *data, size_t size, char text[HOSTILE_TEXT_BYTES],
                     struct hostile_launch *launch);

#endif
