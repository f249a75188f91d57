// SPDX-License-Identifier: Apache-2.0
/* What the tool race tells of a launch. */
#ifndef SUPPORT_RACE_FINDINGS_H
#define SUPPORT_RACE_FINDINGS_H

#include "check/findings.h"
#include "support/litmus.h"

/* To be destroyed. level: device_options.isa_level. */
struct findings *race_findings(const struct module *module, const struct litmus *litmus, int level);

#endif
