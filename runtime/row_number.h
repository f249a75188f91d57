// SPDX-License-Identifier: Apache-2.0
/* Numbers of a row of the table (session.c) that change with every launch: fields of fixed width that are written in
 * place, hexadecimal. printf of them would take longer than what else a small launch takes. */
#ifndef RUNTIME_ROW_NUMBER_H
#define RUNTIME_ROW_NUMBER_H

#include <stdint.h>

/* What row_set writes there. */
#define ROW_COUNT "0x0000000000000000"
#define ROW_SECONDS "0x0.0000000000000p+0000"

/* In the place that row_field found; nothing happens to NULL. Seconds are finite and not negative. */
void row_set_count(char *field, uint64_t count);
void row_set_seconds(char *field, double seconds);

#endif
