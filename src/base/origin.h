// SPDX-License-Identifier: Apache-2.0
/* Where a number comes from. ORIGIN(ENUM, "id", "sentence") */
#ifndef BASE_ORIGIN_H
#define BASE_ORIGIN_H

#define ORIGINS(ORIGIN)                                                                            \
    ORIGIN(NONE, "", "unknown")                                                                    \
    ORIGIN(DECODED, "decoded", "read from the kernel's code")                                      \
    ORIGIN(EMULATED, "emulated", "counted while every block was executed")                         \
    ORIGIN(SAMPLED, "sampled", "counted while some blocks were executed, and scaled")              \
    ORIGIN(MODELLED, "modelled", "computed by a model")                                            \
    ORIGIN(CALIBRATED, "calibrated", "computed by a model fitted to measurements")                 \
    ORIGIN(MEASURED, "measured", "measured on hardware")                                           \
    ORIGIN(ASSUMED, "assumed", "assumed: neither measured nor published")                          \
    ORIGIN(PUBLISHED, "published", "published: a data sheet, a manual or a paper")
enum origin {
#define ORIGIN(name, id, text) ORIGIN_##name,
    ORIGINS(ORIGIN)
#undef ORIGIN
        ORIGIN_COUNT
};
struct origin_info {
    const char *id, *text;
};
extern const struct origin_info origin_infos[ORIGIN_COUNT];

#endif
