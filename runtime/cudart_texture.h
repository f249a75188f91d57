// SPDX-License-Identifier: Apache-2.0
#ifndef RUNTIME_CUDART_TEXTURE_H
#define RUNTIME_CUDART_TEXTURE_H

#include "runtime.h"

/* What the engine takes: of a texture, or without `texture` of a surface. */
cudaError_t texture_describe(ws_texture *out, const struct cudaResourceDesc *resource,
                             const struct cudaTextureDesc *texture);

/* Live texture objects; made: host_stack.h. */
typedef void texture_fn(void *user, uint64_t handle, uint32_t made);
void texture_each(texture_fn *visit, void *user);
/* Those of now are the runtime's. */
void texture_keep_all(void);

#endif
