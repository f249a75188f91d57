// SPDX-License-Identifier: Apache-2.0
/* How busy a kernel keeps each unit of the power model. Part of ipp_power.c. */
#ifndef MODEL_IPP_RATES_H
#define MODEL_IPP_RATES_H

#include "model/power/power_estimate.h"

ws_status ipp_read_parameters(struct diag *diag, const struct model_input *input,
                              struct ipp_parameters *out);
/* Fills rates, unit_instructions and unit_reasons of `out`, whose time and active SMs are set; assumptions
 * go to its answer. WS_ERR_NO_MODEL if a unit that is used has no coefficient. */
ws_status ipp_read_rates(struct diag *diag, const struct model_input *input,
                         const struct ipp_parameters *parameters, struct power_estimate *out);

#endif
