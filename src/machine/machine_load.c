// SPDX-License-Identifier: Apache-2.0
/* From a name to a machine: the folder of machine files, aliases, inheritance. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "machine/machine_read.h"

static bool ends_with_yaml(const char *name)
{
    size_t length = strlen(name);
    return length > 5 && !strcmp(name + length - 5, ".yaml");
}

/* ---- the folder ------------------------------------------------------------------------------ */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void close_folder(void *folder)
{
    closedir(folder);
}

ws_status machine_list(struct diag *diag, struct arena *arena, const char *dir,
                       const char *const **out_ids, size_t *out_count)
{
    const char **names = NULL;
    size_t count = 0, capacity = 0;
    struct mem_guard guard;
    *out_ids = NULL;
    *out_count = 0;
    DIR *folder = opendir(dir);
    if (!folder) {
        mem_check_errno();
        return diag_error(diag, WS_ERR_IO, "%s: cannot open the folder of machine files: %s", dir,
                          strerror(errno));
    }
    mem_guard_begin(&guard, close_folder, folder);
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        const char *name = entry->d_name;
        if (name[0] == '.' || !ends_with_yaml(name) || !strcmp(name, "SOURCES.yaml")) continue;
        GROW(names, count, capacity);
        names[count++] = arena_copy_n(arena, name, strlen(name) - 5);
    }
    mem_guard_end(&guard);
    closedir(folder);
    if (count) qsort(names, count, sizeof *names, compare_names);
    const char **ids = ARENA_ARRAY(arena, const char *, count + 1);
    if (count) memcpy(ids, names, count * sizeof *names);
    mem_free(names);
    *out_ids = ids;
    *out_count = count;
    return WS_OK;
}

static void add_name(struct machine_names *names, const char *name, const char *id)
{
    GROW(names->items, names->count, names->capacity);
    names->items[names->count++] = (struct machine_name){name, id};
}

static const char *line_after(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline + 1 : end;
}

/* The lines of the one top-level key `aliases`, which are YAML by themselves: every command asks all files
 * for them. The whole text if it has the word elsewhere, too, or the lines refer to others; empty without
 * the word. */
static void find_aliases(const char **text, size_t *size)
{
    static const char word[] = "aliases";
    const char *start = memmem(*text, *size, word, sizeof word - 1), *end = *text + *size;
    if (!start) {
        *size = 0;
        return;
    }
    const char *behind = start + sizeof word - 1, *last = line_after(start, end);
    while (last < end && strchr(" #-]\r\n", *last))
        last = line_after(last, end);
    bool is_key = (start == *text || start[-1] == '\n') && behind < end && *behind == ':';
    bool is_only = !memmem(behind, (size_t)(end - behind), word, sizeof word - 1);
    for (const char *at = behind; at < last; at++)
        is_only = is_only && *at != '*' && *at != '&' && *at != '\0';
    if (!is_key || !is_only) return;
    *text = start;
    *size = (size_t)(last - start);
}

/* A file that cannot be read gives its id only: it must not stand in the way of the others, and
 * says what is wrong with it when it is asked for. */
static void add_aliases(struct arena *arena, struct machine_names *names, const char *dir,
                        const char *id)
{
    struct diag silent = {0};
    struct arena texts = {0};
    struct yaml_tree tree;
    char *read;
    size_t size;
    const char *path = arena_format(&texts, "%s/%s.yaml", dir, id);
    if (text_read_at_most(&silent, &texts, path, TEXT_MOST_YAML, &read, &size) == WS_OK) {
        const char *text = read;
        find_aliases(&text, &size);
        if (size && yaml_tree_parse(&silent, &tree, path, text, size) == WS_OK) {
            const char **aliases;
            size_t count = machine_read_aliases(arena, &tree, &aliases);
            for (size_t i = 0; i < count; i++)
                add_name(names, aliases[i], id);
            yaml_tree_clear(&tree);
        }
    }
    arena_clear(&texts);
    diag_clear(&silent);
}

static ws_status list_names(struct diag *diag, struct arena *arena, const char *dir,
                            struct machine_names *names)
{
    const char *const *ids;
    size_t count;
    TRY(machine_list(diag, arena, dir, &ids, &count));
    for (size_t i = 0; i < count; i++)
        add_name(names, ids[i], ids[i]); /* ids first: they win over aliases */
    for (size_t i = 0; i < count; i++)
        add_aliases(arena, names, dir, ids[i]);
    return WS_OK;
}

static ws_status unknown_machine(struct diag *diag, struct arena *arena, const char *dir,
                                 const struct machine_names *names, const char *name)
{
    const char **candidates = ARENA_ARRAY(arena, const char *, names->count + 1);
    struct strbuf known = {0};
    for (size_t i = 0; i < names->count; i++) {
        candidates[i] = names->items[i].name;
        if (names->items[i].name == names->items[i].id)
            strbuf_printf(&known, "%s%s", known.length ? ", " : "", names->items[i].id);
    }
    const char *near = text_hint(arena, name, candidates, names->count);
    diag_error(diag, WS_ERR_ARGUMENT, "unknown machine '%s'%s; %s has %s; a path must end in .yaml",
               name, near, dir, known.length ? known.data : "no machine file");
    strbuf_clear(&known);
    return WS_ERR_ARGUMENT;
}

/* ---- one file -------------------------------------------------------------------------------- */

static ws_status read_sources(struct diag *diag, struct arena *arena, const char *dir,
                              struct source_list *sources)
{
    const char *path = arena_format(arena, "%s/SOURCES.yaml", dir);
    char *text;
    size_t size;
    TRY(text_read_at_most(diag, arena, path, TEXT_MOST_YAML, &text, &size));
    return source_list_read(diag, arena, path, text, size, sources);
}

static ws_status read_file(const struct machine_reader *reader, struct arena *arena, const char *id,
                           const char *path, struct machine **out)
{
    char *text;
    size_t size;
    *out = NULL;
    TRY(text_read_at_most(reader->diag, arena, path, TEXT_MOST_YAML, &text, &size));
    return machine_read(reader, id, path, text, size, out);
}

/* ---- inheritance ----------------------------------------------------------------------------- */

/* An error at a line of a file that was read before, with its text. */
static ws_status line_error(struct diag *diag, struct arena *arena, const struct machine *machine,
                            uint32_t line, uint32_t length, const char *message)
{
    struct diag silent = {0};
    struct source_place place = {.file = machine->path, .line = line, .column = 1};
    char *text;
    place.length = length;
    if (text_read_at_most(&silent, arena, machine->path, TEXT_MOST_YAML, &text, &place.size) ==
        WS_OK)
        place.text = text;
    diag_clear(&silent);
    return diag_error_at(diag, WS_ERR_MACHINE, &place, "%s", message);
}

static ws_status inherits_error(struct diag *diag, struct arena *arena,
                                const struct machine *machine, const char *message)
{
    uint32_t length = (uint32_t)strlen("inherits");
    return line_error(diag, arena, machine, machine->inherits_line, length, message);
}

/* What one unit of a measured value is in that of the curve: from the whole GPU to one SM and cycle,
 * or to a share of the bandwidth; 0: the machine file lacks a figure for it. */
static double curve_factor(const struct machine *machine, const struct machine_curve_info *info)
{
    double sms = machine_get(machine, MACHINE_SM_COUNT, 0);
    double clock = machine_get(machine, MACHINE_CLOCK_CORE, 0);
    double peak = machine_get(machine, MACHINE_DRAM_BANDWIDTH, 0);
    if (!(info->scale > 0)) return peak > 0 ? 1 / peak : 0;
    return sms > 0 && clock > 0 ? info->scale / sms / clock : 0;
}

static ws_status finish_curve(struct diag *diag, struct arena *arena, struct machine *machine,
                              enum machine_curve_id id)
{
    struct machine_curve *curve = &machine->curves[id];
    const struct machine_curve_info *info = &machine_curve_infos[id];
    double factor = curve_factor(machine, info);
    double *values = ARENA_ARRAY(&machine->arena, double, curve->count);
    if (!(factor > 0))
        return line_error(
            diag, arena, machine, curve->line, 1,
            arena_format(arena, "%s of the whole GPU requires %s", info->path,
                         info->scale > 0
                             ? "sm.count and clock.core: add them, or specify it per SM and cycle"
                             : "dram.bandwidth"));
    for (size_t i = 0; i < curve->count; i++) {
        values[i] = curve->values[i] * factor;
        if (!(info->scale > 0) && values[i] > 1)
            return line_error(diag, arena, machine, curve->line, 1,
                              arena_format(arena, "%s of %.6g B/s exceeds dram.bandwidth",
                                           info->path, curve->values[i]));
    }
    curve->values = values;
    curve->clusters = machine_clusters(machine);
    curve->of_gpu = false;
    return WS_OK;
}

static ws_status finish_curves(struct diag *diag, struct arena *arena, struct machine *machine)
{
    for (unsigned id = 0; id < CURVE_COUNT; id++)
        if (machine->curves[id].of_gpu)
            TRY(finish_curve(diag, arena, machine, (enum machine_curve_id)id));
    return WS_OK;
}

static const double *copy_points(struct arena *arena, const double *points, size_t count)
{
    double *copy = ARENA_ARRAY(arena, double, count);
    memcpy(copy, points, count * sizeof *copy);
    return copy;
}

static void merge_curve(struct arena *arena, struct machine_curve *curve,
                        const struct machine_curve *base)
{
    if (curve->count || !base->count) return;
    *curve = *base;
    for (unsigned axis = 0; axis < CURVE_AXES; axis++)
        if (base->axes[axis])
            curve->axes[axis] = copy_points(arena, base->axes[axis], base->axis_counts[axis]);
    curve->values = copy_points(arena, base->values, base->count);
    curve->source = arena_copy(arena, base->source);
    curve->line = 0;
}

/* The plan of another chip is none of this one. */
static void merge_floorplan(struct machine *machine, const struct machine *base)
{
    struct arena *arena = &machine->arena;
    const struct floorplan *from = base->floorplan;
    bool is_same_chip = machine->chip && base->chip && !strcmp(machine->chip, base->chip);
    if (machine->floorplan || !from || !is_same_chip ||
        machine_get(machine, MACHINE_SM_COUNT, 0) != from->sm_count)
        return;
    struct floorplan_block *blocks = ARENA_ARRAY(arena, struct floorplan_block, from->block_count);
    for (size_t i = 0; i < from->block_count; i++) {
        blocks[i] = from->blocks[i];
        blocks[i].name = arena_copy(arena, from->blocks[i].name);
    }
    struct floorplan *plan = ARENA_ARRAY(arena, struct floorplan, 1);
    *plan = *from;
    plan->blocks = blocks;
    plan->source = arena_copy(arena, from->source);
    plan->line = 0;
    machine->floorplan = plan;
}

static double ratio_of(const struct machine *machine, const struct machine *base,
                       enum machine_key key)
{
    double own = machine_get(machine, key, 0), before = machine_get(base, key, 0);
    return own > 0 && before > 0 ? own / before : 1;
}

double machine_dram_share(const struct machine *machine, double clock_hz)
{
    double bandwidth = machine_get(machine, MACHINE_DRAM_BANDWIDTH, 0);
    double fill = machine_get(machine, MACHINE_L2_FILL_BANDWIDTH, 0);
    double core = machine_get(machine, MACHINE_CLOCK_CORE, 0);
    if (!(fill > 0) || !(bandwidth > 0) || !(core > 0)) return 1;
    /* The file's own figures are not limited at its own clock. */
    return fmin(1, fmin(bandwidth, fill * clock_hz) / fmin(bandwidth, fill * core));
}

/* What goes with a figure of the machine's own file: DRAM of another bandwidth sustains the same share of it;
 * what its latency is beyond that of the L2 is time, not cycles of the core; measured bandwidths of an L2
 * follow SMs and clock (22 bytes a cycle and SM of a V100, 34 to 37 from an A100 to an H200, 16 and 17 of an
 * A40 and an L40). */
static double scale_of(const struct machine *machine, const struct machine *base,
                       enum machine_key key)
{
    if (key == MACHINE_DRAM_BANDWIDTH)
        return machine_dram_share(base, machine_get(machine, MACHINE_CLOCK_CORE, 0));
    if (key == MACHINE_DRAM_SUSTAINED_BANDWIDTH || key == MACHINE_DRAM_MIXED_BANDWIDTH)
        return ratio_of(machine, base, MACHINE_DRAM_BANDWIDTH);
    if (key == MACHINE_DRAM_LATENCY) {
        double all = machine_get(base, key, 0), l2 = machine_get(base, MACHINE_L2_LATENCY, 0);
        double beyond = all > l2 ? 1 - l2 / all : 0;
        return 1 + beyond * (ratio_of(machine, base, MACHINE_CLOCK_CORE) - 1);
    }
    if (key == MACHINE_L2_BANDWIDTH)
        return ratio_of(machine, base, MACHINE_SM_COUNT) *
               ratio_of(machine, base, MACHINE_CLOCK_CORE);
    return 1;
}

/* Leaf by leaf: what the machine's own file does not say. */
static void merge(struct machine *machine, const struct machine *base)
{
    struct arena *arena = &machine->arena;
    if (!machine->cc_major) {
        machine->cc_major = base->cc_major;
        machine->cc_minor = base->cc_minor;
        if (base->cc_source) machine->cc_source = arena_copy(arena, base->cc_source);
    }
    if (!machine->vendor && base->vendor) machine->vendor = arena_copy(arena, base->vendor);
    if (!machine->chip && base->chip) {
        machine->chip = arena_copy(arena, base->chip);
        machine->chip_source = arena_copy(arena, base->chip_source);
    }
    for (size_t key = 0; key < MACHINE_KEY_COUNT; key++) {
        const struct machine_value *value = &base->values[key];
        double scale = scale_of(machine, base, (enum machine_key)key);
        if (machine->values[key].known || !value->known) continue;
        machine->values[key] = *value;
        machine->values[key].source = arena_copy(arena, value->source);
        machine->values[key].line = 0;
        machine->values[key].value *= scale;
        if (scale != 1) machine->values[key].assumed = true;
    }
    for (size_t id = 0; id < CURVE_COUNT; id++)
        merge_curve(arena, &machine->curves[id], &base->curves[id]);
    merge_floorplan(machine, base);
}

/* The file that the name is an alias of; NULL: none. */
static const char *find_base_by_alias(struct diag *diag, struct arena *arena, const char *dir,
                                      const char *name)
{
    struct machine_names names = {0};
    const char *path = NULL;
    if (list_names(diag, arena, dir, &names) == WS_OK)
        for (size_t i = 0; i < names.count && !path; i++)
            if (!strcmp(names.items[i].name, name))
                path = arena_format(arena, "%s/%s.yaml", dir, names.items[i].id);
    mem_free(names.items);
    return path;
}

static ws_status find_base(struct diag *diag, struct arena *arena, const char *dir,
                           const struct machine *machine, const char **out_path)
{
    const char *slash = strrchr(machine->path, '/');
    const char *beside =
        slash ? arena_copy_n(arena, machine->path, (size_t)(slash - machine->path)) : ".";
    const char *const folders[] = {beside, dir};
    struct stat status;
    for (size_t i = 0; i < 2 && !strchr(machine->inherits, '/'); i++) {
        *out_path = arena_format(arena, "%s/%s.yaml", folders[i], machine->inherits);
        if (stat(*out_path, &status) == 0) return WS_OK;
    }
    *out_path = find_base_by_alias(diag, arena, dir, machine->inherits);
    if (*out_path) return WS_OK;
    const char *const *ids;
    size_t count;
    TRY(machine_list(diag, arena, dir, &ids, &count));
    const char *near = text_hint(arena, machine->inherits, ids, count);
    return inherits_error(diag, arena, machine,
                          arena_format(arena, "inherits '%s', but %s.yaml does not exist%s",
                                       machine->inherits, machine->inherits, near));
}

static ws_status inherit(const struct machine_reader *reader, struct arena *arena, const char *dir,
                         struct machine *machine)
{
    const char *path = NULL;
    struct machine *base;
    if (!strcmp(machine->inherits, machine->id))
        return inherits_error(reader->diag, arena, machine,
                              "circular inheritance: the machine inherits from itself");
    TRY(find_base(reader->diag, arena, dir, machine, &path));
    TRY(read_file(reader, arena, machine->inherits, path, &base));
    ws_status status = finish_curves(reader->diag, arena, base);
    if (status == WS_OK && base->inherits) {
        bool cycle = !strcmp(base->inherits, machine->id);
        status = inherits_error(reader->diag, arena, machine,
                                arena_format(arena, "%s%s inherits from %s itself: one level only",
                                             cycle ? "circular inheritance: " : "", base->id,
                                             base->inherits));
    } else if (status == WS_OK && base->kind != machine->kind) {
        status = inherits_error(reader->diag, arena, machine,
                                arena_format(arena,
                                             "%s is a %s, this is a %s: a machine inherits "
                                             "from its own kind",
                                             base->id, machine_kind_words[base->kind],
                                             machine_kind_words[machine->kind]));
    } else if (status == WS_OK) {
        merge(machine, base);
    }
    machine_destroy(base);
    return status;
}

/* ---- loading --------------------------------------------------------------------------------- */

/* clock.least <= clock.core <= clock.most, as far as they are known. */
static ws_status check_clocks(struct diag *diag, struct arena *arena, const struct machine *machine)
{
    static const enum machine_key keys[] = {MACHINE_CLOCK_LEAST, MACHINE_CLOCK_CORE,
                                            MACHINE_CLOCK_MOST};
    enum machine_key below = MACHINE_KEY_COUNT;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const struct machine_value *value = &machine->values[keys[i]];
        if (!value->known) continue;
        if (below != MACHINE_KEY_COUNT && machine->values[below].value > value->value)
            return line_error(diag, arena, machine, value->line ? value->line : 1, 1,
                              arena_format(arena, "%s = %g GHz is below %s = %g GHz",
                                           machine_key_infos[keys[i]].path, value->value / 1e9,
                                           machine_key_infos[below].path,
                                           machine->values[below].value / 1e9));
        below = keys[i];
    }
    return WS_OK;
}

static ws_status check_complete(struct diag *diag, struct arena *arena,
                                const struct machine *machine)
{
    const struct floorplan *plan = machine->floorplan;
    if (machine->kind == MACHINE_IS_CPU) return WS_OK;
    if (!machine->cc_major)
        return line_error(diag, arena, machine, 1, 1,
                          "no compute_capability: add compute_capability: {value: \"7.0\", "
                          "source: ...}");
    TRY(check_clocks(diag, arena, machine));
    double sms = machine_get(machine, MACHINE_SM_COUNT, 0);
    if (plan && plan->line && sms != plan->sm_count)
        return line_error(diag, arena, machine, plan->line, 1,
                          arena_format(arena, "the floorplan has %u SMs, but sm.count is %.0f",
                                       plan->sm_count, sms));
    return WS_OK;
}

/* A file descriptor has a number only. */
static const char *id_of_path(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    if (text_is_descriptor(path)) return arena_format(arena, "fd%s", base);
    return arena_copy_n(arena, base, strlen(base) - (ends_with_yaml(base) ? 5 : 0));
}

/* Finds file and id that `name` means; fills `names` unless it is a path. */
static ws_status find_file(struct diag *diag, struct arena *arena, const char *dir,
                           const char *name, struct machine_names *names, const char **out_id,
                           const char **out_path)
{
    if (ends_with_yaml(name) || text_is_descriptor(name)) {
        *out_id = id_of_path(arena, name);
        *out_path = name;
        return WS_OK;
    }
    TRY(list_names(diag, arena, dir, names));
    for (size_t i = 0; i < names->count; i++) {
        if (strcmp(names->items[i].name, name) != 0) continue;
        *out_id = names->items[i].id;
        *out_path = arena_format(arena, "%s/%s.yaml", dir, *out_id);
        return WS_OK;
    }
    TRY(machine_spelled(diag, arena, dir, names, name, out_id));
    if (!*out_id) return unknown_machine(diag, arena, dir, names, name);
    *out_path = arena_format(arena, "%s/%s.yaml", dir, *out_id);
    return WS_OK;
}

static ws_status load_file(struct diag *diag, struct arena *arena, const char *dir,
                           const struct machine_names *names, const char *id, const char *path,
                           struct machine **out)
{
    struct source_list sources;
    TRY(read_sources(diag, arena, dir, &sources));
    struct machine_reader reader = {diag, &sources, names};
    TRY(read_file(&reader, arena, id, path, out));
    if ((*out)->inherits) {
        reader.taken = NULL;
        TRY(inherit(&reader, arena, dir, *out));
    }
    TRY(finish_curves(diag, arena, *out));
    return check_complete(diag, arena, *out);
}

static ws_status destroy_unless_ok(ws_status status, struct machine **machine)
{
    if (status != WS_OK) {
        machine_destroy(*machine);
        *machine = NULL;
    }
    return status;
}

ws_status machine_load_listed(struct diag *diag, struct arena *arena, const char *dir,
                              const struct machine_names *names, const char *id,
                              struct machine **out)
{
    const char *path = arena_format(arena, "%s/%s.yaml", dir, id);
    *out = NULL;
    return destroy_unless_ok(load_file(diag, arena, dir, names, id, path, out), out);
}

ws_status machine_load(struct diag *diag, const char *dir, const char *name, struct machine **out)
{
    struct arena arena = {0};
    struct machine_names names = {0};
    const char *id, *path;
    *out = NULL;
    ws_status status = find_file(diag, &arena, dir, name, &names, &id, &path);
    if (status == WS_OK) status = load_file(diag, &arena, dir, &names, id, path, out);
    mem_free(names.items);
    arena_clear(&arena);
    return destroy_unless_ok(status, out);
}

void machine_destroy(struct machine *machine)
{
    if (!machine || __atomic_fetch_sub(&machine->references, 1, __ATOMIC_ACQ_REL) > 0) return;
    machine_destroy(machine->base);
    arena_clear(&machine->arena);
    mem_free(machine);
}

struct machine *machine_keep(struct machine *machine)
{
    __atomic_fetch_add(&machine->references, 1, __ATOMIC_RELAXED);
    return machine;
}

struct machine *machine_own(struct machine *machine)
{
    if (__atomic_load_n(&machine->references, __ATOMIC_ACQUIRE) == 0) return machine;
    struct machine *copy = mem_alloc(sizeof *copy);
    machine_copy_fields(copy, machine);
    copy->arena = (struct arena){0};
    copy->base = machine; /* with the caller's reference */
    return copy;
}
