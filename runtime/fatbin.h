// SPDX-License-Identifier: Apache-2.0
/* Fat binaries: what nvcc embeds in a program for each .cu file.
 *
 *     header   u32 0xBA55ED50, u16 version, u16 header bytes, u64 bytes of the entries
 *     entry    u16 kind (1 PTX, 2 machine code), u16, u32 header bytes, u64 stored bytes, ...
 *              +16 u32 compressed bytes, +28 u32 target (75 for sm_75), +40 u64 flags
 *              (0x2000 LZ4 block, 0x8000 zstd frame), +56 u64 bytes when unpacked
 *
 * The layout is not documented by NVIDIA; this is what nvcc 11 to 13 write. */
#ifndef RUNTIME_FATBIN_H
#define RUNTIME_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fatbin_packing { FATBIN_PLAIN, FATBIN_LZ4, FATBIN_ZSTD };

struct fatbin_image {
    bool is_ptx; /* else machine code: an ELF file */
    unsigned target;
    enum fatbin_packing packing;
    const unsigned char *bytes;
    size_t stored, size; /* bytes as they lie there, and unpacked */
};

/* The images of a fat binary of at most `most` bytes. At most `capacity` are stored; the result is
 * how many there are, 0 if this is no fat binary. Other kinds of entries are left out. */
size_t fatbin_list(const void *fatbin, size_t most, struct fatbin_image *out, size_t capacity);

/* Bytes of a whole fat binary with its header; 0 if it is none. */
size_t fatbin_bytes(const void *fatbin);

/* The image's own bytes, with a zero behind them, to be freed; NULL if they cannot be unpacked. */
char *fatbin_unpack(const struct fatbin_image *image);

/* Registers per thread of a kernel in machine code (an unpacked ELF file); 0 if it is not told. */
unsigned fatbin_registers(const char *elf, size_t size, const char *kernel);

#endif
