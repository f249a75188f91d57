// SPDX-License-Identifier: Apache-2.0
#include "support/code_mappings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

unsigned count_code_mappings(void)
{
    char line[512];
    unsigned count = 0;
    FILE *file = fopen("/proc/self/maps", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        char mode[5] = "";
        int end = 0;
        sscanf(line, "%*s %4s %*s %*s %*s %n", mode, &end);
        if (mode[2] != 'x') continue;
        assert_int_not_equal(mode[1], 'w');
        count += line[end] == '\0' || line[end] == '\n';
    }
    fclose(file);
    return count;
}
