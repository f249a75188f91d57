// SPDX-License-Identifier: Apache-2.0
#include "nvidia_libraries.h"

#include <stdio.h>
#include <string.h>

#include "runtime.h"

static const struct {
    const char *begin, *product;
} libraries[] = {
#define LIBRARY(begin, product) {begin, product},
#include "nvidia_libraries.def"
#undef LIBRARY
};
enum { LIBRARIES = sizeof libraries / sizeof *libraries, TEXT_BYTES = 1024 };

static bool seen[LIBRARIES];
static char text[TEXT_BYTES];

bool nvidia_library_add(const char *name)
{
    size_t i = 0;
    while (i < LIBRARIES && strncmp(name, libraries[i].begin, strlen(libraries[i].begin)) != 0)
        i++;
    if (i == LIBRARIES) return false;
    size_t length = strlen(text);
    if (!seen[i])
        snprintf(text + length, TEXT_BYTES - length, "%s%s (%s)", length ? ", " : "",
                 libraries[i].product, name);
    seen[i] = true;
    return true;
}

void nvidia_libraries_tell(void)
{
    if (*text)
        tell("the program uses %s: warpsage does not execute the kernels of NVIDIA's libraries, so "
             "their functions fail. Call kernels of the program's own instead",
             text);
}
