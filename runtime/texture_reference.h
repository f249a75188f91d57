// SPDX-License-Identifier: Apache-2.0
/* Texture and surface references, of programs before CUDA 12: a variable of the module that stands for a texture. What is
 * bound to it is made a texture before the next launch; the variable then holds its handle (emulate: texture.c). */
#ifndef RUNTIME_TEXTURE_REFERENCE_H
#define RUNTIME_TEXTURE_REFERENCE_H

#include "runtime.h"

struct texture_reference {
    const void *host;      /* what the program calls it by; NULL: by this handle */
    const char *name;      /* of the variable */
    struct binary *binary; /* NULL: one of no module (cuTexRefCreate) */
    bool is_surface, reads_normalized;
    bool is_bound, is_changed;
    size_t offset; /* of what was bound to where its texture begins, bytes */
    struct cudaResourceDesc resource;
    struct cudaTextureDesc sampling;
    uint64_t handle; /* 0: none */
    struct texture_reference *next;
};

/* The one of that name in the module, made if need be; it lives as long as the process. */
struct texture_reference *texture_reference_of(struct binary *binary, const char *name,
                                               bool is_surface);
/* Of no module. False: it belongs to one, or is not a reference. */
struct texture_reference *texture_reference_create(void);
bool texture_reference_destroy(struct texture_reference *reference);
bool texture_reference_is(const struct texture_reference *reference);
/* Binds memory at any address; false: it does not begin where a texture may, and there is no `offset` to say so. */
bool texture_reference_bind(struct texture_reference *reference, uint64_t address,
                            const struct cudaResourceDesc *resource, size_t *offset);
/* Before a launch: what was bound since the last. */
cudaError_t texture_references_settle(void);

#endif
