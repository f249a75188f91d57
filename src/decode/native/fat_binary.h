// SPDX-License-Identifier: Apache-2.0
/* Machine code and PTX in files: a cubin, a fat binary (nvcc -fatbin), or a program, library or object file
 * that nvcc made, whose section .nv_fatbin (of objects compiled with -rdc=true: __nv_relfatbin) holds one
 * fat binary for each .cu file:
 *
 *     header   u32 0xBA55ED50, u16 version, u16 header bytes, u64 bytes of the entries
 *     entry    u16 kind (1 PTX, 2 machine code, 8 LTO-IR), u16, u32 header bytes, u64 stored bytes, ...
 *              +16 u32 compressed bytes, +28 u32 target (75 for sm_75), +40 u64 flags
 *              (0x2000 LZ4 block, 0x8000 zstd frame), +56 u64 bytes when unpacked
 *
 * NVIDIA documents no layout; this is what nvcc 11 to 13 write. */
#ifndef DECODE_NATIVE_FAT_BINARY_H
#define DECODE_NATIVE_FAT_BINARY_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/strbuf.h"

enum fat_packing { FAT_PLAIN, FAT_LZ4, FAT_ZSTD };

struct fat_image {
    bool is_ptx; /* else a cubin */
    unsigned target;
    unsigned binary; /* which fat binary of the file, from 0: images of one are alternatives */
    enum fat_packing packing;
    const uint8_t *bytes; /* in the file */
    size_t stored, size;  /* bytes there, and unpacked */
};

struct fat_file {
    const char *path; /* for messages */
    struct fat_image *images;
    size_t count;
    unsigned lto_target; /* of its code for nvlink (-dlto); 0: it has none */
};

/* A cubin, a fat binary, or a host's ELF file? Of the last kind not all hold GPU code. */
bool fat_file_recognises(const void *bytes, size_t size);
/* Bytes of the cubin or fat binary that begins there, by its own headers: of one in memory whose size nothing tells.
 * 0: it is neither, or damaged. */
size_t fat_file_extent(const void *bytes);
/* The images, which point into the bytes; the list is in the arena, and may be empty. */
ws_status fat_file_read(struct diag *diag, struct arena *arena, const char *path, const void *bytes,
                        size_t size, struct fat_file *out);
/* What the image holds, with a zero behind it, to be freed with mem_free. */
ws_status fat_image_unpack(struct diag *diag, const struct fat_file *file,
                           const struct fat_image *image, void **out);
/* The target whose machine code a GPU of `wanted` (75 for sm_75) runs: that very one, else the newest older
 * one of its generation. wanted 0: the newest that cubin_read reads. */
ws_status fat_file_pick(struct diag *diag, const struct fat_file *file, unsigned wanted,
                        unsigned *out_target);

/* "machine code of sm_61, sm_120, PTX of sm_90, LTO-IR of sm_80" */
void fat_file_describe(const struct fat_file *file, struct strbuf *out);

#endif
