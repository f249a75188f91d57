// SPDX-License-Identifier: Apache-2.0
/* Watts and joules of a text report. */
#include <string.h>

#include "base/quantity.h"
#include "model/power/power_estimate.h"
#include "render/text_sections.h"

void text_energy(struct page *page, const struct report_machine *item)
{
    const struct power_estimate *power = item->prediction->power;
    if (!power) {
        const char *reason = item->prediction->no_power, *details = strstr(reason, " (");
        bool fits = strlen("ENERGY    ") + strlen(reason) <= page->width;
        page_line(page, "ENERGY    %.*s",
                  (int)(fits || !details ? (long)strlen(reason) : details - reason), reason);
        return;
    }
    const struct ipp_watts *watts = &power->watts;
    double seconds = power->answer.time_seconds, memory = 0;
    for (size_t i = 0; i < POWER_UNIT_COUNT; i++)
        if (power_unit_infos[i].once_per_gpu) memory += watts->units[i];
    double sms = watts->runtime_watts - watts->activation_watts - memory;
    struct strbuf parts = {0};
    strbuf_printf(&parts, "idle %s", quantity_format(watts->idle_watts * seconds, "J").text);
    if (watts->activation_watts > 0)
        strbuf_printf(&parts, ", activation %s",
                      quantity_format(watts->activation_watts * seconds, "J").text);
    strbuf_printf(&parts, ", SMs %s", quantity_format(sms * seconds, "J").text);
    strbuf_printf(&parts, ", memory %s", quantity_format(memory * seconds, "J").text);
    page_line(page, "ENERGY    %s   %s mean  (%s)",
              quantity_format(watts->gpu_watts * seconds, "J").text,
              quantity_format(watts->gpu_watts, "W").text, parts.data);
    strbuf_clear(&parts);
}
