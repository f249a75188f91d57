// SPDX-License-Identifier: Apache-2.0
/* From times to figures of a machine file. A figure has an interval in which it lies with 95 %; one that the data
 * do not determine is told to be unknown, with the reason. */
#ifndef CALIBRATE_FIT_H
#define CALIBRATE_FIT_H

#include "calibrate/raw.h"

struct figure {
    const char *key, *unit, *bench; /* unit "": none */
    double value, low, high;
    const char *unknown; /* why; NULL: it is known */
    const char *note;    /* "" or how it was found */
    bool is_second;      /* another benchmark gives it */
};

/* A curve of the machine file (doc/machines.md): text of its axes and values. */
struct fitted_curve {
    const char *key, *bench, *unit;
    const char *axes[BENCH_AXES]; /* NULL: no more */
    double *places[BENCH_AXES];
    unsigned place_count[BENCH_AXES];
    double *values; /* axes' product; the first varies slowest */
};

/* A picture: measured points and the fitted line. */
struct picture {
    const char *name, *title, *x_label, *y_label;
    double *x, *measured, *fitted; /* fitted NAN: no line there */
    unsigned count;
    bool log_x;
};

struct fit {
    const struct raw *raw;
    const struct calibration *calibration;
    struct figure *figures;
    unsigned figure_count;
    struct fitted_curve *curves;
    unsigned curve_count;
    struct picture *pictures;
    unsigned picture_count;
    char **texts; /* fit_text */
    unsigned text_count;
};

/* Points of a benchmark, in the order of measurement; up to `room`. */
unsigned fit_points(const struct fit *fit, const char *bench, const struct raw_point **out,
                    unsigned room);
/* A copy that lives as long as the fit. */
const char *fit_text(struct fit *fit, const char *text);
void fit_figure(struct fit *fit, const struct bench *bench, const char *key, const char *unit,
                double value, double low, double high);
void fit_unknown(struct fit *fit, const struct bench *bench, const char *key, const char *format,
                 ...) __attribute__((format(printf, 4, 5)));
/* What a figure that was fitted means besides; a comment in the file, of one line. */
void fit_note(struct fit *fit, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Figures known until now do not determine it after all. */
void fit_withdraw(struct fit *fit, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* One that was fitted before; NULL: unknown. */
const struct figure *fit_known(const struct fit *fit, const char *key);
/* A figure that the driver tells, or one that was fitted; NAN: unknown. */
double fit_value(const struct fit *fit, const char *key);
void fit_curve(struct fit *fit, const struct fitted_curve *curve); /* takes its lists over */
void fit_picture(struct fit *fit, const char *name, const char *title, const char *x_label,
                 const char *y_label, const double *x, const double *measured, const double *fitted,
                 unsigned count, bool log_x);

/* Straight line through points with spreads: slope and what is added, each with half of its interval. */
struct line {
    double slope, slope_half, offset, offset_half, residual; /* residual: the largest, relative */
};
bool fit_line(const double *x, const double *y, const double *spread, unsigned count,
              struct line *out);

void fit_all(struct fit *fit);
void fit_clear(struct fit *fit);

/* machine_file.c: a file that loads, whose name ends in .yaml. false: told why. */
bool machine_file_write(const struct fit *fit, const char *path);
/* plot.c: one SVG a picture. */
bool plot_all(const struct fit *fit, const char *folder);

#endif
