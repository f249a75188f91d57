// SPDX-License-Identifier: Apache-2.0
#include "calibrate/raw.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- the GPU ----------------------------------------------------------------------------------- */

/* FACT(json name, field, type): numbers of struct gpu_facts. */
#define FACTS(FACT)                                                                                \
    FACT("compute_capability", cc, unsigned)                                                       \
    FACT("sms", sms, unsigned)                                                                     \
    FACT("warp_size", warp, unsigned)                                                              \
    FACT("max_threads_per_sm", max_threads_sm, unsigned)                                           \
    FACT("max_blocks_per_sm", max_blocks_sm, unsigned)                                             \
    FACT("max_threads_per_block", max_threads, unsigned)                                           \
    FACT("registers_per_sm", max_registers_sm, unsigned)                                           \
    FACT("registers_per_block", max_registers_block, unsigned)                                     \
    FACT("max_block_x", max_block[0], unsigned)                                                    \
    FACT("max_block_y", max_block[1], unsigned)                                                    \
    FACT("max_block_z", max_block[2], unsigned)                                                    \
    FACT("max_grid_x", max_grid[0], unsigned)                                                      \
    FACT("max_grid_y", max_grid[1], unsigned)                                                      \
    FACT("max_grid_z", max_grid[2], unsigned)                                                      \
    FACT("shared_per_sm_bytes", shared_sm, uint64_t)                                               \
    FACT("shared_per_block_bytes", shared_block, uint64_t)                                         \
    FACT("shared_reserved_bytes", shared_reserved, uint64_t)                                       \
    FACT("l2_bytes", l2_bytes, uint64_t)                                                           \
    FACT("memory_bytes", memory_bytes, uint64_t)                                                   \
    FACT("clock_hz", clock, double)                                                                \
    FACT("memory_clock_hz", memory_clock, double)                                                  \
    FACT("bus_bits", bus_bits, unsigned)

static void add_number(json_t *object, const char *name, double value)
{
    json_t *number = value == floor(value) && fabs(value) < 9e15 ? json_integer((json_int_t)value)
                                                                 : json_real(value);
    if (number) json_object_set_new(object, name, number);
}

static double number_of(const json_t *object, const char *name, double missing)
{
    const json_t *value = json_object_get(object, name);
    return json_is_number(value) ? json_number_value(value) : missing;
}

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

static json_t *head_line(const struct raw *raw)
{
    json_t *head = json_object();
    json_object_set_new(head, "schema", json_string("warpsage.calibration/1"));
    json_object_set_new(head, "date", json_string(raw->date));
    json_object_set_new(head, "version", json_string(raw->version));
    json_object_set_new(head, "short", json_boolean(raw->is_short));
    json_object_set_new(head, "gpu", json_string(raw->gpu.name));
    json_object_set_new(head, "uuid", json_string(raw->gpu.uuid));
    json_object_set_new(head, "driver", json_string(raw->gpu.driver));
#define FACT(name, field, type) add_number(head, name, (double)raw->gpu.field);
    FACTS(FACT)
#undef FACT
    return head;
}

/* It will stand in YAML. */
static void copy_text(char *to, size_t room, const char *text)
{
    snprintf(to, room, "%s", text);
    for (; *to; to++)
        if (*to == '"' || *to == '\\' || (unsigned char)*to < ' ') *to = ' ';
}

/* A value of a file is in the range of its type, or 0. */
static double bounded(double value, double most)
{
    return value >= 0 && value <= most ? value : 0;
}

static bool read_head(struct raw *raw, const json_t *head)
{
    if (strcmp(text_of(head, "schema"), "warpsage.calibration/1") != 0) return false;
    copy_text(raw->date, sizeof raw->date, text_of(head, "date"));
    copy_text(raw->version, sizeof raw->version, text_of(head, "version"));
    raw->is_short = json_is_true(json_object_get(head, "short"));
    copy_text(raw->gpu.name, sizeof raw->gpu.name, text_of(head, "gpu"));
    copy_text(raw->gpu.uuid, sizeof raw->gpu.uuid, text_of(head, "uuid"));
    copy_text(raw->gpu.driver, sizeof raw->gpu.driver, text_of(head, "driver"));
    enum { MOST_unsigned = INT32_MAX };
    const double MOST_uint64_t = 9e15, MOST_double = 1e300;
#define FACT(name, field, type)                                                                    \
    raw->gpu.field = (type)bounded(number_of(head, name, 0), (double)MOST_##type);
    FACTS(FACT)
#undef FACT
    return raw->gpu.sms && raw->gpu.cc && raw->gpu.clock > 0;
}

/* ---- points ------------------------------------------------------------------------------------ */

static json_t *list_of(const double *values, unsigned count)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < count; i++)
        json_array_append_new(list, isfinite(values[i]) ? json_real(values[i]) : json_null());
    return list;
}

static json_t *readings_of(const struct raw_point *point)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < point->reading_count; i++) {
        const struct reading *one = &point->readings[i];
        const double values[] = {one->seconds, one->watts, one->celsius, one->share};
        json_array_append_new(list, list_of(values, 4));
    }
    return list;
}

static json_t *point_line(const struct raw_point *point)
{
    json_t *line = json_object();
    double args[BENCH_ARGS];
    for (unsigned i = 0; i < BENCH_ARGS; i++)
        args[i] = point->args[i];
    json_object_set_new(line, "bench", json_string(point->bench));
    json_object_set_new(line, "x", list_of(point->x, BENCH_AXES));
    json_object_set_new(line, "kernel", json_string(point->kernel));
    add_number(line, "grid", point->grid);
    add_number(line, "block", point->block);
    add_number(line, "shared_bytes", point->shared);
    json_object_set_new(line, "args", list_of(args, BENCH_ARGS));
    json_object_set_new(line, "seconds", list_of(point->seconds, point->count));
    json_object_set_new(line, "block_cycles", list_of(point->block_cycles, point->count));
    json_object_set_new(line, "sm_cycles", list_of(point->sm_cycles, point->count));
    add_number(line, "sms_used", point->first_sm_count);
    add_number(line, "blocks_per_sm", point->resident);
    add_number(line, "registers", point->registers);
    add_number(line, "clock_hz", point->clock);
    json_object_set_new(line, "checked", json_boolean(point->is_checked));
    json_object_set_new(line, "remark", json_string(point->remark));
    if (point->is_skipped) json_object_set_new(line, "skipped", json_true());
    if (point->reading_count) {
        json_object_set_new(line, "readings", readings_of(point));
        add_number(line, "launches_per_second", point->launches);
    }
    return line;
}

static unsigned read_list(const json_t *line, const char *name, double *out, unsigned room)
{
    const json_t *list = json_object_get(line, name);
    unsigned count = json_array_size(list) < room ? (unsigned)json_array_size(list) : room;
    for (unsigned i = 0; i < count; i++) {
        const json_t *value = json_array_get(list, i);
        out[i] = json_is_number(value) ? json_number_value(value) : NAN;
    }
    return count;
}

static void read_readings(const json_t *line, struct raw_point *point)
{
    const json_t *list = json_object_get(line, "readings");
    size_t count = json_array_size(list);
    if (!count) return;
    point->readings = calibrate_alloc(count * sizeof *point->readings);
    for (size_t i = 0; i < count; i++) {
        const json_t *one = json_array_get(list, i);
        struct reading *to = &point->readings[point->reading_count++];
        *to = (struct reading){json_number_value(json_array_get(one, 0)),
                               json_number_value(json_array_get(one, 1)), NAN,
                               json_number_value(json_array_get(one, 3))};
        const json_t *celsius = json_array_get(one, 2);
        if (json_is_number(celsius)) to->celsius = json_number_value(celsius);
    }
}

const char *raw_text(struct raw *raw, const char *text)
{
    raw->texts = calibrate_grow(raw->texts, raw->text_count, sizeof *raw->texts);
    return raw->texts[raw->text_count++] = calibrate_format("%s", text);
}

/* Of a benchmark that this version has; others are left alone. */
static bool read_point(struct raw *raw, const json_t *line, struct raw_point *out)
{
    double args[BENCH_ARGS] = {0};
    const struct bench *bench = bench_find(text_of(line, "bench"));
    *out = (struct raw_point){.remark = ""};
    if (!bench) return false;
    out->bench = bench->id;
    read_list(line, "x", out->x, BENCH_AXES);
    out->kernel = raw_text(raw, text_of(line, "kernel"));
    out->grid = (unsigned)bounded(number_of(line, "grid", 0), INT32_MAX);
    out->block = (unsigned)bounded(number_of(line, "block", 0), INT32_MAX);
    out->shared = (unsigned)bounded(number_of(line, "shared_bytes", 0), INT32_MAX);
    read_list(line, "args", args, BENCH_ARGS);
    for (unsigned i = 0; i < BENCH_ARGS; i++)
        out->args[i] = (uint32_t)bounded(args[i], UINT32_MAX);
    out->count = read_list(line, "seconds", out->seconds, RAW_REPEATS);
    if (read_list(line, "block_cycles", out->block_cycles, RAW_REPEATS) != out->count ||
        read_list(line, "sm_cycles", out->sm_cycles, RAW_REPEATS) != out->count)
        return false;
    out->first_sm_count = (unsigned)bounded(number_of(line, "sms_used", 0), INT32_MAX);
    out->resident = (unsigned)bounded(number_of(line, "blocks_per_sm", 0), INT32_MAX);
    out->registers = (unsigned)bounded(number_of(line, "registers", 0), INT32_MAX);
    out->clock = number_of(line, "clock_hz", 0);
    out->is_checked = json_is_true(json_object_get(line, "checked"));
    out->remark = raw_text(raw, text_of(line, "remark"));
    out->is_skipped = json_is_true(json_object_get(line, "skipped"));
    out->launches = number_of(line, "launches_per_second", 0);
    read_readings(line, out);
    return true;
}

/* ---- files ------------------------------------------------------------------------------------- */

static void keep(struct raw *raw, const struct raw_point *point)
{
    raw->points = calibrate_grow(raw->points, raw->count, sizeof *raw->points);
    raw->points[raw->count++] = *point;
}

static bool write_line(struct raw *raw, const struct calibration *calibration, json_t *line)
{
    char *text = json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(12));
    json_decref(line);
    bool is_written = text && fprintf(raw->file, "%s\n", text) > 0 && fflush(raw->file) == 0;
    free(text);
    return is_written ||
           calibrate_tell(calibration, "%s: cannot write: %s", raw->path, strerror(errno));
}

bool raw_read(struct raw *raw, const struct calibration *calibration, const char *path)
{
    *raw = (struct raw){.path = calibrate_format("%s", path)};
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t room = 0;
    unsigned number = 0;
    if (!file) return calibrate_tell(calibration, "%s: cannot read: %s", path, strerror(errno));
    bool is_good = true;
    for (ssize_t length; is_good && (length = getline(&text, &room, file)) > 0; number++) {
        json_error_t error;
        struct raw_point point;
        json_t *line = json_loadb(text, (size_t)length, JSON_REJECT_DUPLICATES, &error);
        if (!line && text[length - 1] != '\n') break; /* cut by an interruption */
        if (!line)
            is_good = calibrate_tell(calibration, "%s:%u:%d: %s", path, number + 1, error.column,
                                     error.text);
        else if (number == 0 && !read_head(raw, line))
            is_good = calibrate_tell(
                calibration,
                "%s:1: no raw data of a calibration: expected the line that describes the GPU",
                path);
        else if (number > 0 && read_point(raw, line, &point))
            keep(raw, &point);
        json_decref(line);
    }
    free(text);
    fclose(file);
    if (is_good && !number) is_good = calibrate_tell(calibration, "%s: empty", path);
    return is_good;
}

static void set_date(struct raw *raw)
{
    time_t now = time(NULL);
    struct tm day;
    gmtime_r(&now, &day);
    strftime(raw->date, sizeof raw->date, "%Y-%m-%d", &day);
}

/* GPUs that are modelled have no number of their own. */
static bool is_same_gpu(const struct gpu_facts *a, const struct gpu_facts *b)
{
    return !strcmp(a->uuid, b->uuid) && !strcmp(a->name, b->name) && a->cc == b->cc &&
           a->sms == b->sms && a->clock == b->clock;
}

/* What is kept is written again, so that a cut line does not stay in the middle. */
bool raw_open(struct raw *raw, const struct calibration *calibration, const struct gpu_facts *gpu,
              const char *path)
{
    FILE *there = fopen(path, "re");
    *raw = (struct raw){0};
    if (there) {
        fclose(there);
        if (!raw_read(raw, calibration, path)) return false;
        if (!is_same_gpu(&raw->gpu, gpu))
            return calibrate_tell(
                calibration,
                "%s holds raw data of another GPU (%s): remove it, or name another output", path,
                raw->gpu.name);
    }
    if (there && raw->is_short != calibration->is_short)
        return calibrate_tell(calibration,
                              "%s was measured %s --short: go on with that, or name another output",
                              path, raw->is_short ? "with" : "without");
    raw->is_short = calibration->is_short;
    if (!raw->path) raw->path = calibrate_format("%s", path);
    raw->gpu = *gpu;
    set_date(raw);
    copy_text(raw->version, sizeof raw->version, ws_version());
    char *fresh = calibrate_format("%s.new", path);
    raw->file = fopen(fresh, "we");
    bool is_good =
        raw->file || calibrate_tell(calibration, "%s: cannot write: %s", fresh, strerror(errno));
    if (is_good) is_good = write_line(raw, calibration, head_line(raw));
    for (unsigned i = 0; is_good && i < raw->count; i++)
        is_good = write_line(raw, calibration, point_line(&raw->points[i]));
    if (is_good && rename(fresh, path) != 0)
        is_good = calibrate_tell(calibration, "%s: cannot write: %s", path, strerror(errno));
    free(fresh);
    return is_good;
}

bool raw_add(struct raw *raw, const struct calibration *calibration, const struct raw_point *point)
{
    keep(raw, point);
    return write_line(raw, calibration, point_line(point));
}

const struct raw_point *raw_find(const struct raw *raw, const char *bench, const double *x)
{
    for (unsigned i = 0; i < raw->count; i++)
        if (!strcmp(raw->points[i].bench, bench) &&
            !memcmp(raw->points[i].x, x, sizeof raw->points[i].x))
            return &raw->points[i];
    return NULL;
}

void raw_clear(struct raw *raw)
{
    if (raw->file) fclose(raw->file);
    for (unsigned i = 0; i < raw->count; i++)
        free(raw->points[i].readings);
    for (unsigned i = 0; i < raw->text_count; i++)
        free(raw->texts[i]);
    free(raw->texts);
    free(raw->points);
    free(raw->path);
    *raw = (struct raw){0};
}

static int by_value(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

double middle(const double *values, unsigned count, double *spread)
{
    double sorted[RAW_REPEATS];
    if (spread) *spread = NAN;
    if (!count) return NAN;
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_value);
    if (spread) *spread = (sorted[(3 * (count - 1) + 2) / 4] - sorted[(count - 1) / 4]) / 2;
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}
