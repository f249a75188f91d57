// SPDX-License-Identifier: Apache-2.0
#include "answer/comparison.h"

#include <math.h>

static double time_of(const struct prediction *prediction)
{
    return prediction->estimates[prediction->best].time_seconds;
}

/* Half the error band, relative to the time. */
static double relative_error(const struct prediction *prediction)
{
    double low = prediction->band.low_seconds, high = prediction->band.high_seconds;
    return isfinite(low) && isfinite(high) ? (high - low) / 2 / time_of(prediction) : NAN;
}

struct entry {
    const char *kernel;
    const struct prediction *prediction;
};

/* The errors of the two are taken as independent, as hyperfine does for measured times. */
static struct comparison compare_two(const struct entry *fast, const struct entry *slow)
{
    double ratio = time_of(slow->prediction) / time_of(fast->prediction);
    return (struct comparison){
        .kernel = fast->kernel,
        .machine = fast->prediction->machine->id,
        .other_kernel = slow->kernel,
        .other_machine = slow->prediction->machine->id,
        .ratio = ratio,
        .spread = ratio * hypot(relative_error(fast->prediction), relative_error(slow->prediction)),
    };
}

/* The fastest of the entries, `step` apart, against the others in their order. */
static size_t compare_group(const struct entry *entries, size_t count, size_t step,
                            struct comparison *out)
{
    size_t fastest = SIZE_MAX, made = 0;
    for (size_t i = 0; i < count; i++) {
        double time = time_of(entries[i * step].prediction);
        if (time > 0 && (fastest == SIZE_MAX || time < time_of(entries[fastest * step].prediction)))
            fastest = i;
    }
    for (size_t i = 0; fastest != SIZE_MAX && i < count; i++)
        if (i != fastest && time_of(entries[i * step].prediction) > 0)
            out[made++] = compare_two(&entries[fastest * step], &entries[i * step]);
    return made;
}

size_t compare_headlines(struct arena *arena, const struct prediction *const *predictions,
                         const char *const *kernels, size_t kernel_count, size_t count,
                         bool are_different, struct comparison **out)
{
    size_t machine_count = kernel_count ? count / kernel_count : 0, made = 0;
    struct entry *entries = ARENA_ARRAY(arena, struct entry, count + 1);
    for (size_t i = 0; i < count; i++)
        entries[i] = (struct entry){kernels[i / machine_count], predictions[i]};
    *out = ARENA_ARRAY(arena, struct comparison, 2 * count + 1);
    for (size_t k = 0; machine_count > 1 && k < kernel_count; k++)
        made += compare_group(&entries[k * machine_count], machine_count, 1, *out + made);
    for (size_t m = 0; kernel_count > 1 && !are_different && m < machine_count; m++)
        made += compare_group(&entries[m], kernel_count, machine_count, *out + made);
    return made;
}
