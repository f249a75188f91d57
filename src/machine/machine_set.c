// SPDX-License-Identifier: Apache-2.0
/* What-ifs on a machine: "sm.count" "=*2" (doc/definitions.md#what-ifs). */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "machine/machine_units.h"

struct change {
    char operation; /* '=' '*' '+' '-' */
    bool percent;
    double number;
    double factor; /* of the unit, 1 without */
};

static ws_status unknown_key(struct diag *diag, const char *path)
{
    const char *names[MACHINE_KEY_COUNT];
    struct arena arena = {0};
    for (size_t i = 0; i < MACHINE_KEY_COUNT; i++)
        names[i] = machine_key_infos[i].path;
    const char *near = text_hint(&arena, path, names, MACHINE_KEY_COUNT);
    diag_error(diag, WS_ERR_ARGUMENT, "unknown machine key '%s'%s", path, near);
    arena_clear(&arena);
    return WS_ERR_ARGUMENT;
}

static ws_status form_error(struct diag *diag, const char *path, const char *change)
{
    return diag_error(diag, WS_ERR_ARGUMENT,
                      "machine.%s: invalid change '%s': expected =V, =*V, =+V, =-V, =+P%% or =-P%%",
                      path, change);
}

/* What stands behind the number: nothing, '%' or a unit of the key's dimension. */
static ws_status parse_suffix(struct diag *diag, enum machine_key key, const char *change,
                              const char *suffix, struct change *out)
{
    const char *path = machine_key_infos[key].path;
    enum dimension wanted = machine_key_infos[key].dimension, given;
    bool relative = out->operation == '+' || out->operation == '-';
    if (!*suffix) return WS_OK;
    if (!strcmp(suffix, "%")) {
        out->percent = true;
        return relative ? WS_OK : form_error(diag, path, change);
    }
    if (out->operation == '*')
        return diag_error(diag, WS_ERR_ARGUMENT,
                          "machine.%s: the factor in '%s' must be a plain number: remove '%s'",
                          path, change, suffix);
    if (unit_find(suffix, &given, &out->factor) && given == wanted) return WS_OK;
    struct arena arena = {0};
    if (dimension_is_bare(wanted))
        diag_error(diag, WS_ERR_ARGUMENT, "machine.%s is %s: remove '%s'", path,
                   dimension_words(wanted), suffix);
    else
        diag_error(diag, WS_ERR_ARGUMENT, "machine.%s is %s: unknown unit '%s', expected one of %s",
                   path, dimension_words(wanted), suffix, unit_names(&arena, wanted));
    arena_clear(&arena);
    return WS_ERR_ARGUMENT;
}

static ws_status parse_change(struct diag *diag, enum machine_key key, const char *text,
                              struct change *out)
{
    const char *path = machine_key_infos[key].path, *at = text;
    *out = (struct change){.operation = '=', .factor = 1};
    if (*at++ != '=') return form_error(diag, path, text);
    if (*at && strchr("*+-", *at)) out->operation = *at++;
    size_t length = strspn(at, "0123456789.");
    if (length && (at[length] == 'e' || at[length] == 'E')) {
        size_t sign = at[length + 1] == '-' || at[length + 1] == '+';
        size_t digits = strspn(at + length + 1 + sign, "0123456789");
        if (digits) length += 1 + sign + digits;
    }
    struct arena arena = {0};
    bool number = text_to_double(arena_copy_n(&arena, at, length), &out->number);
    arena_clear(&arena);
    if (!number) return form_error(diag, path, text);
    at += length;
    return parse_suffix(diag, key, text, at + strspn(at, " "), out);
}

static double apply(const struct change *change, double old)
{
    double amount = change->percent ? old * change->number / 100 : change->number * change->factor;
    switch (change->operation) {
    case '*':
        return old * amount;
    case '+':
        return old + amount;
    case '-':
        return old - amount;
    default:
        return amount;
    }
}

static bool is_what_if(const struct machine_value *value)
{
    return value->source && !strcmp(value->source, MACHINE_WHAT_IF);
}

static void put(struct machine *machine, enum machine_key key, double value)
{
    const struct machine_value *now = &machine->values[key];
    double loaded = is_what_if(now) ? now->loaded : now->known ? now->value : (double)NAN;
    machine->values[key] = (struct machine_value){
        .value = value, .known = true, .source = MACHINE_WHAT_IF, .loaded = loaded};
}

struct machine *machine_as_loaded(const struct machine *machine)
{
    struct machine *loaded = mem_alloc(sizeof *loaded);
    machine_copy_fields(loaded, machine);
    for (unsigned i = 0; i < MACHINE_KEY_COUNT; i++) {
        struct machine_value *value = &loaded->values[i];
        if (!is_what_if(value)) continue;
        value->known = !isnan(value->loaded);
        value->value = value->known ? value->loaded : 0;
    }
    return loaded;
}

/* Peaks that the curves by warps belong to: multiply-adds, and shared memory, which is never faster than
 * they ask for words (Zhang and Owens, HPCA 2011). */
static void read_peaks(const struct machine *machine, double out[CURVE_COUNT])
{
    double lanes = machine_get(machine, MACHINE_THROUGHPUT_FP32_FMA, 0);
    double banks = machine_get(machine, MACHINE_SHARED_BANKS, 32);
    double width = machine_get(machine, MACHINE_SHARED_BANK_WIDTH, 4);
    out[CURVE_INSTRUCTION] = lanes;
    out[CURVE_SHARED] = fmin(lanes * (double)sizeof(float), banks * width);
    out[CURVE_GLOBAL] = 0; /* a share of dram.bandwidth */
}

/* A wider pipe fills as the measured one did: its curve grows with it. */
static void scale_curves(struct machine *machine, const double before[CURVE_COUNT])
{
    double after[CURVE_COUNT];
    read_peaks(machine, after);
    for (unsigned id = 0; id < CURVE_COUNT; id++) {
        struct machine_curve *curve = &machine->curves[id];
        if (!(before[id] > 0) || !(after[id] > 0) || before[id] == after[id]) continue;
        curve->factor = (curve->factor > 0 ? curve->factor : 1) * after[id] / before[id];
    }
}

/* Keys that bound each other: who changes the one means the other, too. */
static void put_coupled(struct machine *machine, enum machine_key key, double value)
{
    double warp = machine_get(machine, MACHINE_SM_WARP_SIZE, 32), peaks[CURVE_COUNT];
    double bandwidth = machine_get(machine, MACHINE_DRAM_BANDWIDTH, 0);
    read_peaks(machine, peaks);
    put(machine, key, value);
    scale_curves(machine, peaks);
    /* Faster DRAM sustains the same share of its peak. */
    static const enum machine_key shares[] = {MACHINE_DRAM_SUSTAINED_BANDWIDTH,
                                              MACHINE_DRAM_MIXED_BANDWIDTH};
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
        if (key == MACHINE_DRAM_BANDWIDTH && bandwidth > 0 && machine_has(machine, shares[i]))
            put(machine, shares[i], machine_get(machine, shares[i], 0) * value / bandwidth);
    if (key == MACHINE_SM_MAX_WARPS && machine_has(machine, MACHINE_SM_MAX_THREADS))
        put(machine, MACHINE_SM_MAX_THREADS, value * warp);
    if (key == MACHINE_SM_MAX_THREADS && machine_has(machine, MACHINE_SM_MAX_WARPS))
        put(machine, MACHINE_SM_MAX_WARPS, floor(value / warp));
    /* The smallest segment is at most the first: 4 as the first means transactions of 4 bytes. */
    if (key == MACHINE_GLOBAL_INITIAL_SEGMENT &&
        machine_get(machine, MACHINE_GLOBAL_MIN_SEGMENT, 0) > value)
        put(machine, MACHINE_GLOBAL_MIN_SEGMENT, value);
    if (key == MACHINE_GLOBAL_MIN_SEGMENT &&
        machine_get(machine, MACHINE_GLOBAL_INITIAL_SEGMENT, value) < value)
        put(machine, MACHINE_GLOBAL_INITIAL_SEGMENT, value);
}

ws_status machine_set_value(struct diag *diag, struct machine *machine, enum machine_key key,
                            double value)
{
    const char *fault = figure_fault(key, value);
    if (fault)
        return diag_error(diag, WS_ERR_ARGUMENT, "machine.%s = %g, which %s",
                          machine_key_infos[key].path, value, fault);
    put_coupled(machine, key, value);
    return WS_OK;
}

ws_status machine_set(struct diag *diag, struct machine *machine, const char *path,
                      const char *change)
{
    const char *bare = strncmp(path, "machine.", 8) ? path : path + 8;
    int found = machine_key_find(bare);
    struct change parsed;
    if (found < 0) return unknown_key(diag, bare);
    enum machine_key key = (enum machine_key)found;
    TRY(parse_change(diag, key, change, &parsed));
    if (parsed.operation != '=' && !machine_has(machine, key))
        return diag_error(diag, WS_ERR_ARGUMENT,
                          "%s does not define machine.%s: use =V, not the relative change '%s'",
                          machine->id, bare, change);
    double value = apply(&parsed, machine_get(machine, key, 0));
    enum dimension dimension = machine_key_infos[key].dimension;
    /* +25 % of 30 SMs are 37: a GPU has whole ones. */
    bool whole = dimension == DIM_COUNT || dimension == DIM_BYTES || dimension == DIM_BIT;
    if (whole && (parsed.percent || parsed.operation == '*' || parsed.factor > 1))
        value = floor(value * (1 + 1e-12));
    const char *fault = figure_fault(key, value);
    if (fault)
        return diag_error(diag, WS_ERR_ARGUMENT, "machine.%s %s gives %g, which %s", bare, change,
                          value, fault);
    put_coupled(machine, key, value);
    return WS_OK;
}
