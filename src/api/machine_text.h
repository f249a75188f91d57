// SPDX-License-Identifier: Apache-2.0
/* Figures of a machine in words, for machine_text.c and machine_compare.c. */
#ifndef API_MACHINE_TEXT_H
#define API_MACHINE_TEXT_H

#include <stddef.h>

#include "base/quantity.h"
#include "base/strbuf.h"
#include "machine/machine.h"
#include "render/json_out.h"

/* SI unit of a machine key; "" for counts. */
const char *machine_key_unit(size_t key);
/* Sizes that are whole KiB, MiB or GiB are written so: "16 KiB". */
struct quantity machine_quantity(size_t key, double value);
/* "v100  Tesla V100 ...  compute capability 7.0" and a newline. */
void machine_title(const struct machine *machine, struct strbuf *out);

/* machine_floorplan.c: blocks with their places; nothing (JSON: null) if the file has no plan. */
void machine_floorplan_text(const struct machine *machine, struct strbuf *out);
void machine_floorplan_json(const struct machine *machine, struct json_out *json);
void machine_floorplan_csv(const struct machine *machine, struct strbuf *out);
void machine_floorplan_assess(const struct machine *machine, struct strbuf *out);
/* Blocks that lie elsewhere, are something else, or are in one of the two only. */
void machine_floorplan_diff_text(const struct machine *a, const struct machine *b,
                                 struct strbuf *out);
bool machine_floorplan_differs(const struct machine *a, const struct machine *b);

#endif
