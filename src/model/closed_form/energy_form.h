// SPDX-License-Identifier: Apache-2.0
/* Energy efficiency against speed-up: S. Hong, PhD thesis, Georgia Tech 2012, appendix A. A device is
 * known by relative numbers only; the units of time and power are whatever the caller's are. */
#ifndef MODEL_ENERGY_FORM_H
#define MODEL_ENERGY_FORM_H

#include <stdbool.h>

#include "base/diag.h"

struct energy_device {
    double data;      /* D: amount of data */
    double phi;       /* slowdown by the benchmark: larger is slower */
    double cores;     /* C */
    double zeta;      /* throughput of a core */
    double frequency; /* F */
    double lambda;    /* power weight ("coreweight") */
};

/* What a run took, and what that is against the baseline. */
struct energy_result {
    double seconds, watts;
    double speedup;     /* (95), (105) */
    double power_ratio; /* Po / PN (108) */
    double efficiency;  /* (96), (103), (109), (112) */
};

struct energy_readings {
    /* Share of the smaller dynamic power that adds to the larger one when both devices run: 1 as
     * (114) adds them up, below 1 as section A.4 says of measurements. */
    double combined;
    bool idle_device_off; /* a device without data draws nothing (reading A-A2) */
    double transfer;      /* time that the GPU's data takes on top, if it has any (reading A-A3) */
};

/* (104) and the dynamic part of (107). */
double energy_time(const struct energy_device *device);
double energy_dynamic_power(const struct energy_device *device);
/* WS_ERR_ARGUMENT unless cores, zeta, frequency and phi are above 0, data and lambda at least 0. */
ws_status energy_check_device(struct diag *diag, const char *name,
                              const struct energy_device *device);

/* (94)-(103): from two times and powers. */
struct energy_result energy_compare(double base_seconds, double base_watts, double seconds,
                                    double watts);
/* (104)-(109): one device before and after; idle powers of the system. */
struct energy_result energy_single(const struct energy_device *base, double base_idle,
                                   const struct energy_device *device, double idle);
/* (110)-(114): CPU and GPU running concurrently against one device alone. */
struct energy_result energy_both(const struct energy_device *base, const struct energy_device *cpu,
                                 const struct energy_device *gpu, double idle,
                                 const struct energy_readings *readings);

/* (115)-(117): the largest second divided difference of E over S, times the square of the range of S,
 * over the range of E: 0 for a straight line, 4 times the height of the arc over its chord for a
 * parabola. Points in increasing S; fewer than three, or no range: 0. */
double energy_curvature(const double *speedups, const double *efficiencies, size_t count);

#endif
