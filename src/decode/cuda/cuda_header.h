// SPDX-License-Identifier: Apache-2.0
#ifndef DECODE_CUDA_CUDA_HEADER_H
#define DECODE_CUDA_CUDA_HEADER_H

/* What clang needs to know of CUDA, where there is no toolkit: parts of one text, then NULL. */
extern const char *const cuda_header[];

#endif
