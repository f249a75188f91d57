// SPDX-License-Identifier: Apache-2.0
/* Writers: one file a writer, one row in writers.def. A report is a list of kernels, each with its
 * machines. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/strbuf.h"
#include "model/core/estimate.h"
#include "recommend/advice.h"

struct report_machine {
    const struct prediction *prediction; /* owned by the caller */
    const struct diagnosis *diagnosis;
};

struct report_kernel {
    const struct profile *profile;
    size_t machine_count;
    const struct report_machine *machines;
};

struct report_view {
    size_t kernel_count;
    const struct report_kernel *kernels;
    const ws_report_options *options;
};

/* Appends the report to `out`. */
ws_status report_write(struct diag *diag, const struct report_view *view, struct strbuf *out);

#endif
