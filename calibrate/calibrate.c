// SPDX-License-Identifier: Apache-2.0
#include "calibrate/calibrate.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/campaign.h"
#include "calibrate/fit.h"

/* Something is chosen. */
static int check_choice(const struct calibration *calibration)
{
    regex_t only;
    if (calibration->only) {
        int error = regcomp(&only, calibration->only, REG_EXTENDED | REG_NOSUB);
        if (error) {
            char words[128];
            regerror(error, &only, words, sizeof words);
            calibrate_tell(calibration, "--only '%s': %s", calibration->only, words);
            return CALIBRATE_USAGE;
        }
        regfree(&only);
    }
    for (unsigned i = 0; bench_at(i); i++)
        if (bench_is_chosen(calibration, bench_at(i))) return CALIBRATE_DONE;
    calibrate_tell(calibration, "no benchmark is chosen: `warpsage calibrate --list` names them; "
                                "those of power need --power");
    return CALIBRATE_USAGE;
}

/* With those of power, which run only if asked for. */
int calibrate_list(const struct calibration *calibration, FILE *out)
{
    struct calibration all = *calibration;
    all.with_power = true;
    int exit_code = check_choice(&all);
    for (unsigned i = 0; exit_code == CALIBRATE_DONE && bench_at(i); i++) {
        const struct bench *bench = bench_at(i);
        if (!bench_is_chosen(&all, bench)) continue;
        fprintf(out, "%s\n    %s\n    figures: %s\n    source:  %s\n", bench->id, bench->text,
                *bench->figures ? bench->figures : "none (compared with others)",
                *bench->paper ? bench->paper : "none of the papers");
    }
    return exit_code;
}

/* mygpu.yaml -> mygpu.raw.jsonl */
static char *raw_path(const char *output)
{
    size_t length = strlen(output);
    if (length > 5 && !strcmp(output + length - 5, ".yaml")) length -= 5;
    return calibrate_format("%.*s.raw.jsonl", (int)length, output);
}

/* What came of it, for people. */
static void summarise(const struct fit *fit)
{
    unsigned known = 0, unknown = 0;
    for (unsigned i = 0; i < fit->figure_count; i++) {
        known += !fit->figures[i].unknown && !fit->figures[i].is_second;
        unknown += fit->figures[i].unknown != NULL;
    }
    calibrate_tell(fit->calibration,
                   "%s: %u figures and %u curves measured, %u not determined (the file says why)",
                   fit->calibration->output, known, fit->curve_count, unknown);
}

static int write_results(const struct calibration *calibration, const struct raw *raw)
{
    struct fit fit = {.raw = raw, .calibration = calibration};
    fit_all(&fit);
    bool is_written = machine_file_write(&fit, calibration->output) &&
                      (!calibration->plots || plot_all(&fit, calibration->plots));
    if (is_written && !calibration->is_quiet) summarise(&fit);
    fit_clear(&fit);
    return is_written ? CALIBRATE_DONE : CALIBRATE_INPUT;
}

int calibrate_measure(const struct calibration *calibration)
{
    struct raw raw = {0};
    int exit_code = check_choice(calibration);
    if (exit_code != CALIBRATE_DONE) return exit_code;
    struct gpu *gpu = gpu_open(calibration);
    if (!gpu) return CALIBRATE_DEVICE;
    char *path = raw_path(calibration->output);
    exit_code =
        raw_open(&raw, calibration, gpu_facts(gpu), path) ? CALIBRATE_DONE : CALIBRATE_INPUT;
    if (exit_code == CALIBRATE_DONE) exit_code = campaign_run(calibration, gpu, &raw);
    if (exit_code == CALIBRATE_DONE) exit_code = write_results(calibration, &raw);
    raw_clear(&raw);
    gpu_close(gpu);
    free(path);
    return exit_code;
}

int calibrate_fit(const struct calibration *calibration, const char *path)
{
    struct raw raw;
    int exit_code = raw_read(&raw, calibration, path) ? CALIBRATE_DONE : CALIBRATE_INPUT;
    if (exit_code == CALIBRATE_DONE) exit_code = write_results(calibration, &raw);
    raw_clear(&raw);
    return exit_code;
}
