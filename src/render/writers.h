// SPDX-License-Identifier: Apache-2.0
/* What the writers share. */
#ifndef REPORT_WRITERS_H
#define REPORT_WRITERS_H

#include "render/report.h"

typedef void report_writer(const struct report_view *view, struct strbuf *out);

#define WRITER(format, function) report_writer function;
#include "render/writers.def"
#undef WRITER

/* The estimate that fits the machine, and the speed of light; NULL if there is none. */
const struct estimate *report_best(const struct report_machine *machine);
const struct estimate *report_bound(const struct report_machine *machine);

#endif
