// SPDX-License-Identifier: Apache-2.0
/* Makes the getters and records of a list of figures (base/figure.h), which is the file FIGURE_FILE or the
 * macro FIGURE_LIST. Included once for each list. */
#include "base/figure_getters.h"
#ifdef FIGURE_FILE
#include FIGURE_FILE
#else
FIGURE_LIST
#endif

#include "base/figure_rows.h"
#ifdef FIGURE_FILE
#include FIGURE_FILE
#else
FIGURE_LIST
#endif

#include "base/figure_undef.h"
#undef FIGURE_FILE
#undef FIGURE_LIST
