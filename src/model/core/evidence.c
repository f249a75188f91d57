// SPDX-License-Identifier: Apache-2.0
/* Reads data/evidence.yaml, strictly: what is unknown, missing or out of range is an error. */
#include "model/core/evidence.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "machine/yaml_tree.h"
#include "model/core/estimate.h"

struct reading {
    struct diag *diag;
    struct yaml_tree *tree;
    struct arena *arena;
    const yaml_node_t *row; /* the mapping being read */
};

#define FAIL(reading, node, ...)                                                                   \
    do {                                                                                           \
        struct source_place place_ = yaml_tree_place((reading)->tree, node);                       \
        return diag_error_at((reading)->diag, WS_ERR_MACHINE, &place_, __VA_ARGS__);               \
    } while (0)

/* ---- keys ------------------------------------------------------------------------------------ */

#define KEYS(KEY)                                                                                  \
    KEY(MODEL, "model")                                                                            \
    KEY(CAPABILITY, "compute_capability")                                                          \
    KEY(SET, "set")                                                                                \
    KEY(PREDICTED_BY, "predicted_by")                                                              \
    KEY(SOURCE, "source")                                                                          \
    KEY(HOW, "how")                                                                                \
    KEY(RATIOS, "ratios")                                                                          \
    KEY(HELD_OUT, "held_out")                                                                      \
    KEY(KERNELS, "kernels")                                                                        \
    KEY(MEDIAN, "median_error")                                                                    \
    KEY(P90, "p90_error")                                                                          \
    KEY(MEAN, "mean_error")                                                                        \
    KEY(REASON, "reason")
enum key {
#define KEY(name, text) KEY_##name,
    KEYS(KEY)
#undef KEY
        KEY_COUNT
};
static const char *const keys[KEY_COUNT] = {
#define KEY(name, text) [KEY_##name] = text,
    KEYS(KEY)
#undef KEY
};

static ws_status check_keys(struct reading *reading)
{
    const yaml_node_pair_t *pair = reading->row->data.mapping.pairs.start;
    for (; pair < reading->row->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = yaml_tree_node(reading->tree, pair->key);
        size_t k = 0;
        while (k < KEY_COUNT && strcmp(keys[k], yaml_text(key)) != 0)
            k++;
        if (k < KEY_COUNT) continue;
        const char *near = text_hint(reading->arena, yaml_text(key), keys, KEY_COUNT);
        FAIL(reading, key, "unknown key '%s' in a row of evidence%s: rename or remove it",
             yaml_text(key), near);
    }
    return WS_OK;
}

static yaml_node_t *find(struct reading *reading, enum key key)
{
    return yaml_tree_find(reading->tree, reading->row, keys[key]);
}

/* Is the key there, with a value that is not null? */
static bool is_given(struct reading *reading, enum key key)
{
    const yaml_node_t *node = find(reading, key);
    return node && !yaml_is_null(node);
}

/* *out is "" if an optional key is missing. */
static ws_status read_text(struct reading *reading, enum key key, bool is_required,
                           const char **out)
{
    const yaml_node_t *node = find(reading, key);
    *out = "";
    if (!node && !is_required) return WS_OK;
    if (!node)
        FAIL(reading, reading->row, "a row of evidence has no '%s': add it (doc/evidence.md)",
             keys[key]);
    if (!yaml_text(node) || yaml_is_null(node) || !*yaml_text(node))
        FAIL(reading, node, "'%s' must be a string, not %s", keys[key],
             yaml_is_null(node) ? "empty" : yaml_kind(node));
    *out = arena_copy(reading->arena, yaml_text(node));
    return WS_OK;
}

static ws_status read_number(struct reading *reading, const yaml_node_t *node, const char *what,
                             double least, double most, double *out)
{
    if (!yaml_text(node) || yaml_is_quoted(node) || !text_to_double(yaml_text(node), out) ||
        !isfinite(*out))
        FAIL(reading, node, "'%s' must be a number, not %s", what,
             yaml_text(node) ? yaml_text(node) : yaml_kind(node));
    if (*out < least || *out > most)
        FAIL(reading, node, "'%s' is %s, out of range: expected %g to %g", what, yaml_text(node),
             least, most);
    return WS_OK;
}

/* ---- one row --------------------------------------------------------------------------------- */

static ws_status read_model(struct reading *reading, struct evidence_row *row)
{
    const char *name, *names[32];
    size_t count = 0;
    TRY(read_text(reading, KEY_MODEL, true, &name));
    for (size_t i = 0; i < MODEL_COUNT && count < sizeof names / sizeof names[0]; i++)
        names[count++] = models[i]->name;
    for (size_t i = 0; i < count; i++)
        if (!strcmp(names[i], name)) row->model = names[i];
    if (row->model) return WS_OK;
    const char *near = text_hint(reading->arena, name, names, count);
    FAIL(reading, find(reading, KEY_MODEL),
         "unknown model '%s'%s: expected a model (`warpsage explain` lists them)", name, near);
}

/* "7.5" -> 75 */
static ws_status read_capability(struct reading *reading, const yaml_node_t *node, unsigned *out)
{
    const char *text = yaml_text(node);
    uint64_t major = 0, minor = 0;
    const char *dot = text ? strchr(text, '.') : NULL;
    if (!dot || dot[1] < '0' || dot[1] > '9' || dot[2] ||
        !text_to_u64(arena_copy_n(reading->arena, text, (size_t)(dot - text)), &major) || !major ||
        major > 99)
        FAIL(reading, node,
             "'compute_capability' must be [\"FIRST\", \"LAST\"] such as [\"7.0\", \"7.2\"] (got "
             "%s)",
             text ? text : yaml_kind(node));
    minor = (uint64_t)(dot[1] - '0');
    *out = (unsigned)(major * 10 + minor);
    return WS_OK;
}

static ws_status read_range(struct reading *reading, struct evidence_row *row)
{
    const yaml_node_t *node = find(reading, KEY_CAPABILITY);
    if (!node) FAIL(reading, reading->row, "a row of evidence has no 'compute_capability': add it");
    if (node->type != YAML_SEQUENCE_NODE ||
        node->data.sequence.items.top - node->data.sequence.items.start != 2)
        FAIL(reading, node,
             "'compute_capability' must be [\"FIRST\", \"LAST\"], the range of GPUs that the row "
             "covers");
    const yaml_node_item_t *items = node->data.sequence.items.start;
    const yaml_node_t *last = yaml_tree_node(reading->tree, items[1]);
    TRY(read_capability(reading, yaml_tree_node(reading->tree, items[0]), &row->cc_first));
    TRY(read_capability(reading, last, &row->cc_last));
    if (row->cc_last < row->cc_first)
        FAIL(reading, last, "the range of 'compute_capability' is descending: swap its ends");
    return WS_OK;
}

static ws_status read_predicted_by(struct reading *reading, struct evidence_row *row)
{
    const char *word;
    TRY(read_text(reading, KEY_PREDICTED_BY, true, &word));
    row->by_authors = !strcmp(word, "authors");
    if (row->by_authors || !strcmp(word, "warpsage")) return WS_OK;
    FAIL(reading, find(reading, KEY_PREDICTED_BY),
         "invalid 'predicted_by' value '%s': expected warpsage or authors", word);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The least of the sorted values that at least `share` of them do not exceed. */
static double quantile(const double *sorted, size_t count, double share)
{
    double rank = ceil(share * (double)count - 1e-9);
    return sorted[rank < 1 ? 0 : (size_t)rank - 1];
}

/* Sorted errors |ratio - 1|, in room for as many. */
static void sort_errors(const double *ratios, size_t count, double *errors)
{
    for (size_t i = 0; i < count; i++)
        errors[i] = fabs(ratios[i] - 1);
    qsort(errors, count, sizeof *errors, compare);
}

static double median(const double *sorted, size_t count)
{
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

static double two_thirds_factor(const double *ratios, size_t count, double *factors)
{
    for (size_t i = 0; i < count; i++)
        factors[i] = fmax(ratios[i], 1 / ratios[i]);
    qsort(factors, count, sizeof *factors, compare);
    return quantile(factors, count, 2 / 3.0);
}

static void summarise(struct arena *arena, struct evidence_row *row)
{
    size_t count = row->kernels;
    double sum = 0, *sorted = ARENA_ARRAY(arena, double, count + row->held_out);
    sort_errors(row->ratios, count, sorted);
    for (size_t i = 0; i < count; i++)
        sum += sorted[i];
    row->mean_error = sum / (double)count;
    row->median_error = median(sorted, count);
    row->p90_error = quantile(sorted, count, 0.9);
    row->held_out_median_error = NAN;
    if (row->held_out) {
        sort_errors(row->held_out_ratios, row->held_out, sorted);
        row->held_out_median_error = median(sorted, row->held_out);
    }
    row->two_thirds_factor = row->held_out >= EVIDENCE_HELD_OUT_LEAST
                                 ? two_thirds_factor(row->held_out_ratios, row->held_out, sorted)
                                 : two_thirds_factor(row->ratios, count, sorted);
}

static ws_status read_list(struct reading *reading, enum key key, const double **out,
                           size_t *out_count)
{
    const yaml_node_t *node = find(reading, key);
    if (node->type != YAML_SEQUENCE_NODE ||
        node->data.sequence.items.top == node->data.sequence.items.start)
        FAIL(reading, node, "'%s' must be a list of predicted / measured, one per kernel",
             keys[key]);
    const yaml_node_item_t *items = node->data.sequence.items.start;
    *out_count = (size_t)(node->data.sequence.items.top - items);
    double *ratios = ARENA_ARRAY(reading->arena, double, *out_count);
    for (size_t i = 0; i < *out_count; i++)
        TRY(read_number(reading, yaml_tree_node(reading->tree, items[i]), keys[key], 1e-3, 1e3,
                        &ratios[i]));
    *out = ratios;
    return WS_OK;
}

/* Predicted over measured, one a kernel: every figure follows from them. */
static ws_status read_ratios(struct reading *reading, struct evidence_row *row)
{
    static const enum key computed[] = {KEY_KERNELS, KEY_MEDIAN, KEY_P90, KEY_MEAN, KEY_REASON};
    for (size_t i = 0; i < sizeof computed / sizeof computed[0]; i++)
        if (find(reading, computed[i]))
            FAIL(reading, find(reading, computed[i]),
                 "'%s' is computed from 'ratios': remove one of them", keys[computed[i]]);
    TRY(read_list(reading, KEY_RATIOS, &row->ratios, &row->kernels));
    if (!find(reading, KEY_HELD_OUT)) return WS_OK;
    return read_list(reading, KEY_HELD_OUT, &row->held_out_ratios, &row->held_out);
}

static ws_status read_error(struct reading *reading, enum key key, double *out)
{
    *out = NAN;
    if (!is_given(reading, key)) return WS_OK;
    return read_number(reading, find(reading, key), keys[key], 0, 1e3, out);
}

/* Errors that somebody else worked out. */
static ws_status read_figures(struct reading *reading, struct evidence_row *row)
{
    double kernels;
    const yaml_node_t *count = find(reading, KEY_KERNELS);
    if (!count) FAIL(reading, reading->row, "a row of evidence requires 'ratios' or 'kernels'");
    if (find(reading, KEY_HELD_OUT))
        FAIL(reading, find(reading, KEY_HELD_OUT),
             "'held_out' requires 'ratios', by which models are chosen");
    TRY(read_number(reading, count, keys[KEY_KERNELS], 1, 1e6, &kernels));
    if (kernels != floor(kernels)) FAIL(reading, count, "'kernels' must be a whole number");
    row->kernels = (size_t)kernels;
    TRY(read_error(reading, KEY_MEDIAN, &row->median_error));
    TRY(read_error(reading, KEY_P90, &row->p90_error));
    TRY(read_error(reading, KEY_MEAN, &row->mean_error));
    row->two_thirds_factor = row->held_out_median_error = NAN;
    if (isnan(row->median_error) && isnan(row->mean_error))
        FAIL(reading, reading->row,
             "a row of evidence requires 'ratios', 'median_error' or 'mean_error'");
    if (row->p90_error < row->median_error)
        FAIL(reading, find(reading, KEY_P90), "'p90_error' is below 'median_error': swap them");
    bool lacks = isnan(row->median_error) || isnan(row->p90_error);
    if (lacks && !is_given(reading, KEY_REASON))
        FAIL(reading, reading->row, "'%s' and 'reason' are both missing: add one of them",
             keys[isnan(row->median_error) ? KEY_MEDIAN : KEY_P90]);
    if (!find(reading, KEY_REASON)) return WS_OK;
    return read_text(reading, KEY_REASON, true, &row->reason);
}

static ws_status read_row(struct reading *reading, struct evidence_row *row)
{
    if (reading->row->type != YAML_MAPPING_NODE)
        FAIL(reading, reading->row, "a row of evidence must be a mapping, not %s",
             yaml_kind(reading->row));
    TRY(check_keys(reading));
    TRY(read_model(reading, row));
    TRY(read_range(reading, row));
    TRY(read_text(reading, KEY_SET, true, &row->set));
    TRY(read_predicted_by(reading, row));
    TRY(read_text(reading, KEY_SOURCE, true, &row->source));
    TRY(read_text(reading, KEY_HOW, false, &row->how));
    return find(reading, KEY_RATIOS) ? read_ratios(reading, row) : read_figures(reading, row);
}

/* ---- the file -------------------------------------------------------------------------------- */

static bool is_same_question(const struct evidence_row *a, const struct evidence_row *b)
{
    return a->ratios && b->ratios && a->by_authors == b->by_authors && a->cc_first == b->cc_first &&
           a->cc_last == b->cc_last && !strcmp(a->model, b->model);
}

static const double *join(struct arena *arena, const double *a, size_t count, const double *b,
                          size_t more)
{
    double *both = ARENA_ARRAY(arena, double, count + more + 1);
    if (count) memcpy(both, a, count * sizeof *a);
    if (more) memcpy(both + count, b, more * sizeof *b);
    return both;
}

static void add_set(struct arena *arena, struct evidence_row *row, const struct evidence_row *more)
{
    row->ratios = join(arena, row->ratios, row->kernels, more->ratios, more->kernels);
    row->held_out_ratios =
        join(arena, row->held_out_ratios, row->held_out, more->held_out_ratios, more->held_out);
    row->kernels += more->kernels;
    row->held_out += more->held_out;
    row->set = arena_format(arena, "%s, %s", row->set, more->set);
    row->source = arena_format(arena, "%s; %s", row->source, more->source);
    if (*more->how) row->how = arena_format(arena, "%s; %s", row->how, more->how);
}

/* More kernels that answer the same question make one row. */
static void pool_sets(struct evidence *evidence)
{
    size_t count = 0;
    for (size_t i = 0; i < evidence->count; i++) {
        struct evidence_row *row = &evidence->rows[i];
        size_t k = 0;
        while (k < count && !is_same_question(&evidence->rows[k], row))
            k++;
        if (k < count)
            add_set(&evidence->arena, &evidence->rows[k], row);
        else
            evidence->rows[count++] = *row;
    }
    evidence->count = count;
    for (size_t i = 0; i < count; i++)
        if (evidence->rows[i].ratios) summarise(&evidence->arena, &evidence->rows[i]);
}

static ws_status read_rows(struct reading *reading, struct evidence *out)
{
    const yaml_node_t *root = yaml_tree_root(reading->tree);
    const yaml_node_pair_t *pair = root->data.mapping.pairs.start;
    for (; pair < root->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = yaml_tree_node(reading->tree, pair->key);
        if (strcmp(yaml_text(key), "rows") != 0)
            FAIL(reading, key, "unknown key '%s': an evidence file has only 'rows'",
                 yaml_text(key));
    }
    const yaml_node_t *rows = yaml_tree_find(reading->tree, root, "rows");
    if (!rows || rows->type != YAML_SEQUENCE_NODE)
        FAIL(reading, rows ? rows : root,
             "an evidence file must be a mapping with a list 'rows', not %s",
             rows ? yaml_kind(rows) : "none");
    const yaml_node_item_t *items = rows->data.sequence.items.start;
    size_t count = (size_t)(rows->data.sequence.items.top - items);
    out->rows = ARENA_ARRAY(&out->arena, struct evidence_row, count + 1);
    for (size_t i = 0; i < count; i++) {
        reading->row = yaml_tree_node(reading->tree, items[i]);
        TRY(read_row(reading, &out->rows[i]));
        out->count++;
    }
    pool_sets(out);
    return WS_OK;
}

ws_status evidence_read(struct diag *diag, const char *path, const char *text, size_t size,
                        struct evidence **out)
{
    struct yaml_tree tree;
    *out = NULL;
    TRY(yaml_tree_parse(diag, &tree, path, text, size));
    struct evidence *evidence = mem_zalloc(1, sizeof *evidence);
    struct reading reading = {.diag = diag, .tree = &tree, .arena = &evidence->arena};
    ws_status status = read_rows(&reading, evidence);
    yaml_tree_clear(&tree);
    if (status == WS_OK)
        *out = evidence;
    else
        evidence_destroy(evidence);
    return status;
}

ws_status evidence_load(struct diag *diag, const char *path, struct evidence **out)
{
    struct arena arena = {0};
    char *text;
    size_t size;
    *out = NULL;
    if (access(path, F_OK) != 0 && errno == ENOENT) return WS_OK;
    ws_status status = text_read_at_most(diag, &arena, path, TEXT_MOST_YAML, &text, &size);
    if (status == WS_OK) status = evidence_read(diag, path, text, size, out);
    arena_clear(&arena);
    return status;
}

void evidence_destroy(struct evidence *evidence)
{
    if (!evidence) return;
    arena_clear(&evidence->arena);
    mem_free(evidence);
}

/* ---- questions ------------------------------------------------------------------------------- */

double evidence_error(const struct evidence_row *row)
{
    return isnan(row->median_error) ? row->mean_error : row->median_error;
}

static unsigned distance(const struct evidence_row *row, unsigned cc)
{
    if (cc < row->cc_first) return row->cc_first - cc;
    return cc > row->cc_last ? cc - row->cc_last : 0;
}

/* Does `a` say more than `b`, of the same model? */
static bool says_more(const struct evidence_row *a, const struct evidence_row *b, unsigned cc)
{
    if (distance(a, cc) != distance(b, cc)) return distance(a, cc) < distance(b, cc);
    if (a->by_authors != b->by_authors) return b->by_authors;
    if (a->kernels != b->kernels) return a->kernels > b->kernels;
    return evidence_error(a) > evidence_error(b);
}

const struct evidence_row *evidence_find(const struct evidence *evidence, const char *model,
                                         unsigned cc, unsigned *out_distance)
{
    const struct evidence_row *found = NULL;
    *out_distance = 0;
    for (size_t i = 0; evidence && i < evidence->count; i++) {
        const struct evidence_row *row = &evidence->rows[i];
        if (!strcmp(row->model, model) && (!found || says_more(row, found, cc))) found = row;
    }
    if (found) *out_distance = distance(found, cc);
    return found;
}

const struct evidence_row *evidence_copy(struct arena *arena, const struct evidence_row *row)
{
    struct evidence_row *copy = ARENA_ARRAY(arena, struct evidence_row, 1);
    *copy = *row;
    copy->set = arena_copy(arena, row->set);
    copy->source = arena_copy(arena, row->source);
    copy->ratios = row->ratios ? join(arena, row->ratios, row->kernels, NULL, 0) : NULL;
    copy->held_out_ratios = join(arena, row->held_out_ratios, row->held_out, NULL, 0);
    copy->how = row->how ? arena_copy(arena, row->how) : "";
    copy->reason = row->reason ? arena_copy(arena, row->reason) : NULL;
    return copy;
}
