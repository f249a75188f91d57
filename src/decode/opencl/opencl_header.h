// SPDX-License-Identifier: Apache-2.0
#ifndef DECODE_OPENCL_OPENCL_HEADER_H
#define DECODE_OPENCL_OPENCL_HEADER_H

/* What clang needs to know of OpenCL beyond libclc. */
extern const char *const opencl_header;

#endif
