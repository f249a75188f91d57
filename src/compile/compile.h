// SPDX-License-Identifier: Apache-2.0
/* The compiled engine: what emulate's device_options.engine may name. */
#ifndef COMPILE_COMPILE_H
#define COMPILE_COMPILE_H

#include "emulate/engine.h"

/* NULL where this build has none. */
const struct engine *compile_engine(void);

#endif
