// SPDX-License-Identifier: Apache-2.0
/* The images of a fat binary, and which of them is executed. */
#ifndef RUNTIME_IMAGES_H
#define RUNTIME_IMAGES_H

#include "fatbin.h"

enum { IMAGES_MAX = 64 };

struct images {
    struct fatbin_image items[IMAGES_MAX];
    size_t count;
};

/* Of a fat binary of at most `most` bytes. */
void images_list(const void *fatbin, size_t most, struct images *out);
/* PTX for the newest target up to `most`; NULL: none. */
const struct fatbin_image *images_newest_ptx(const struct images *images, unsigned most);
/* The machine code that a GPU of `target` (86 for sm_86) executes: that for its own target, else the newest
 * older one of its generation (sm_80); NULL: none. Machine code that cannot be read is left out. */
const struct fatbin_image *images_machine_code(const struct images *images, unsigned target);
/* The target whose machine code a GPU gets of a compiler (ws_module_compile): its own, else the next lower
 * one that can be read, else the lowest. */
unsigned images_compile_target(unsigned target);
/* "machine code of sm_61 and sm_120, PTX of sm_90", to be freed; NULL: out of memory. */
char *images_describe(const struct images *images);

#endif
