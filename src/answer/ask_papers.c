// SPDX-License-Identifier: Apache-2.0
/* papers: published results beside what came out here, and the curves that papers draw. The caller computes
 * numbers; whether they agree, and what rows about other rows say, is answered here. */
#include <math.h>
#include <string.h>

#include "answer/input_parts.h"
#include "answer/papers_answer.h"

/* ---- figures --------------------------------------------------------------------------------- */

static bool has_tolerance(const struct paper_row *row)
{
    return !isnan(row->tolerance.abs) || !isnan(row->tolerance.rel);
}

static bool has_rows(const struct papers_answer *answer)
{
    return answer->paper_count || answer->row_count;
}

static const char *series_name(const struct curve_series *series, struct arena *arena)
{
    if (series->blocks_per_sm > 0)
        return arena_format(arena, "%s@%s/%.0f", series->kernel, series->machine,
                            series->blocks_per_sm);
    return arena_format(arena, "%s@%s", series->kernel, series->machine);
}

#define FIGURE_FILE "answer/figures/papers.def"
#include "base/figure_tables.h"

/* ---- what is asked --------------------------------------------------------------------------- */

/* What the inputs describe one after the other (input_parts.h). */
enum part { PAPER, ROW, CHECKED, REFERENCE, CURVE, COLUMN, SERIES, POINT, VALUE, PART_COUNT };

#define MEMBERS(MEMBER)                                                                            \
    MEMBER(paper, WORD, PAPER, struct paper, id, true, "begins a paper: its id")                   \
    MEMBER(paper_number, WORD, PAPER, struct paper, number, true,                                  \
           "of a paper in the list of papers")                                                     \
    MEMBER(paper_title, WORD, PAPER, struct paper, title, true, "of a paper")                      \
    MEMBER(row, WORD, ROW, struct paper_row, id, true, "begins a row: its id")                     \
    MEMBER(of_paper, WORD, ROW, struct paper_row, paper, true, "id of a row's paper")              \
    MEMBER(section, WORD, ROW, struct paper_row, section, true, "of the paper that a row is from") \
    MEMBER(item, WORD, ROW, struct paper_row, item, true, "what a row compares")                   \
    MEMBER(unit, WORD, ROW, struct paper_row, unit, true, "of a row's numbers")                    \
    MEMBER(evidence, WORD, ROW, struct paper_row, evidence, true,                                  \
           "of a row: printed, inferred, fitted, definition, none")                                \
    MEMBER(note, WORD, ROW, struct paper_row, note, false, "about a row")                          \
    MEMBER(published, NUMBER, ROW, struct paper_row, published, false, "number of a row")          \
    MEMBER(published_words, WORD, ROW, struct paper_row, published_words, false,                   \
           "statement of a row")                                                                   \
    MEMBER(ours, NUMBER, ROW, struct paper_row, ours, false,                                       \
           "number that came out for a row; infinite: none did")                                   \
    MEMBER(ours_words, WORD, ROW, struct paper_row, ours_words, false, "words that came out")      \
    MEMBER(tolerance_abs, NUMBER, ROW, struct paper_row, tolerance.abs, false,                     \
           "distance at which ours agrees")                                                        \
    MEMBER(tolerance_rel, NUMBER, ROW, struct paper_row, tolerance.rel, false,                     \
           "the same as a share of what was published")                                            \
    MEMBER(least, NUMBER, ROW, struct paper_row, least, false, "ours agrees above it")             \
    MEMBER(most, NUMBER, ROW, struct paper_row, most, false, "ours agrees below it")               \
    MEMBER(wants_words, FLAG, ROW, struct paper_row, wants_words, false,                           \
           "ours agrees if its words are those published")                                         \
    MEMBER(check, WORD, ROW, struct paper_row, check.kind, false,                                  \
           "statement of a row about a curve: rises, falls, flat, below, above, same, value, "     \
           "ratio, saturates, sum, order, linear")                                                 \
    MEMBER(check_curve, WORD, ROW, struct paper_row, check.curve, false, "id of that curve")       \
    MEMBER(check_column, WORD, ROW, struct paper_row, check.column, false, "id of its column")     \
    MEMBER(check_kernel, WORD, ROW, struct paper_row, check.kernel, false,                         \
           "pattern of the kernels that it is about")                                              \
    MEMBER(check_machine, WORD, ROW, struct paper_row, check.machine, false,                       \
           "pattern of the GPUs that it is about")                                                 \
    MEMBER(check_blocks_per_sm, NUMBER, ROW, struct paper_row, check.blocks_per_sm, false,         \
           "of the lines that it is about")                                                        \
    MEMBER(than_kernel, WORD, ROW, struct paper_row, check.than_kernel, false,                     \
           "kernel to compare with")                                                               \
    MEMBER(than_machine, WORD, ROW, struct paper_row, check.than_machine, false,                   \
           "GPU to compare with")                                                                  \
    MEMBER(than_column, WORD, ROW, struct paper_row, check.than_column, false,                     \
           "column to compare with")                                                               \
    MEMBER(than_blocks_per_sm, NUMBER, ROW, struct paper_row, check.than_blocks_per_sm, false,     \
           "blocks of an SM to compare with")                                                      \
    MEMBER(check_from, NUMBER, ROW, struct paper_row, check.from, false, "least x")                \
    MEMBER(check_to, NUMBER, ROW, struct paper_row, check.to, false, "largest x")                  \
    MEMBER(within, NUMBER, ROW, struct paper_row, check.within, false, "share that is allowed")    \
    MEMBER(factor, NUMBER, ROW, struct paper_row, check.factor, false, "of what is compared with") \
    MEMBER(check_x, NUMBER, ROW, struct paper_row, check.x, false, "the one x")                    \
    MEMBER(check_scale, NUMBER, ROW, struct paper_row, check.scale, false,                         \
           "of the number that comes out")                                                         \
    MEMBER(hidden, FLAG, ROW, struct paper_row, is_hidden, false,                                  \
           "a row that only others are about")                                                     \
    MEMBER(about, WORD, ROW, struct paper_row, about, false,                                       \
           "what a row says of others: mean_error (their mean distance from what was published, "  \
           "in percent), rank (Kendall's tau of ours against published), order (is ours of each "  \
           "group below ours of the next ones?)")                                                  \
    MEMBER(among, WORD, CHECKED, struct checked_kernel, name, true,                                \
           "one of the kernels that a check orders or fits a line to")                             \
    MEMBER(load, NUMBER, CHECKED, struct checked_kernel, load, false, "its place on that line")    \
    MEMBER(about_row, WORD, REFERENCE, struct reference, id, true, "one of these rows: its id")    \
    MEMBER(group, NUMBER, REFERENCE, struct reference, group, false, "of an order, ascending")     \
    MEMBER(curve, WORD, CURVE, struct curve, id, true, "begins a curve: its id")                   \
    MEMBER(title, WORD, CURVE, struct curve, title, true, "of a curve")                            \
    MEMBER(figure, WORD, CURVE, struct curve, figure, true, "that a curve is in the paper")        \
    MEMBER(x_name, WORD, CURVE, struct curve, x_name, true, "what a curve is drawn over")          \
    MEMBER(column, WORD, COLUMN, struct curve_column, id, true, "begins a column of a curve")      \
    MEMBER(column_unit, WORD, COLUMN, struct curve_column, unit, true, "of its values")            \
    MEMBER(series, WORD, SERIES, struct curve_series, kernel, true,                                \
           "begins a line of a curve: its kernel")                                                 \
    MEMBER(machine, WORD, SERIES, struct curve_series, machine, true, "GPU of the line")           \
    MEMBER(blocks_per_sm, NUMBER, SERIES, struct curve_series, blocks_per_sm, false,               \
           "blocks that an SM gets; not given: as many as fit")                                    \
    MEMBER(x, NUMBER, POINT, struct curve_point, x, true, "begins a point")                        \
    MEMBER(value, NUMBER, VALUE, struct value, number, true,                                       \
           "of the point in the next column; infinite: there is none")

struct value {
    double number;
};

static const struct input_info inputs[] = {MEMBERS(PART_INPUT)};
static const struct part_member members[] = {MEMBERS(PART_MEMBER)};

enum { INPUT_TOTAL = sizeof inputs / sizeof *inputs };

static const struct part_info parts[PART_COUNT] = {
    [PAPER] = {sizeof(struct paper), PART_WHOLE, offsetof(struct papers_answer, papers),
               offsetof(struct papers_answer, paper_count)},
    [ROW] = {sizeof(struct paper_row), PART_WHOLE, offsetof(struct papers_answer, rows),
             offsetof(struct papers_answer, row_count)},
    [CHECKED] = {sizeof(struct checked_kernel), ROW, offsetof(struct paper_row, check.kernels),
                 offsetof(struct paper_row, check.kernel_count)},
    [REFERENCE] = {sizeof(struct reference), ROW, offsetof(struct paper_row, references),
                   offsetof(struct paper_row, reference_count)},
    [CURVE] = {sizeof(struct curve), PART_WHOLE, offsetof(struct papers_answer, curves),
               offsetof(struct papers_answer, curve_count)},
    [COLUMN] = {sizeof(struct curve_column), CURVE, offsetof(struct curve, columns),
                offsetof(struct curve, column_count)},
    [SERIES] = {sizeof(struct curve_series), CURVE, offsetof(struct curve, series),
                offsetof(struct curve, series_count)},
    [POINT] = {sizeof(struct curve_point), SERIES, offsetof(struct curve_series, points),
               offsetof(struct curve_series, point_count)},
    [VALUE] = {sizeof(struct value), POINT, offsetof(struct curve_point, values),
               offsetof(struct curve_point, value_count)},
};

static const struct part_list part_list = {members, parts, PART_COUNT};

struct reading {
    const struct asked *asked;
    struct arena *arena;
    struct papers_answer *answer;
};

/* A value for each column, NAN where one is missing. */
static ws_status complete_points(const struct reading *reading, const struct curve *curve)
{
    for (size_t i = 0; i < curve->series_count; i++)
        for (size_t k = 0; k < curve->series[i].point_count; k++) {
            const struct curve_point *point = &curve->series[i].points[k];
            if (point->value_count != curve->column_count)
                return diag_error(reading->asked->diag, WS_ERR_ARGUMENT,
                                  "a point of the curve '%s' has %zu values for %zu columns",
                                  curve->id, point->value_count, curve->column_count);
            for (size_t c = 0; c < point->value_count; c++)
                if (!isfinite(point->values[c])) point->values[c] = NAN;
        }
    return WS_OK;
}

/* ---- rows about rows ------------------------------------------------------------------------- */

static ws_status find_references(const struct reading *reading, struct paper_row *row)
{
    const struct papers_answer *answer = reading->answer;
    for (size_t i = 0; i < row->reference_count; i++) {
        struct reference *reference = &row->references[i];
        for (size_t k = 0; k < answer->row_count; k++)
            if (!strcmp(answer->rows[k].id, reference->id)) reference->row = &answer->rows[k];
        if (!reference->row || !isfinite(reference->row->ours))
            return diag_error(reading->asked->diag, WS_ERR_ARGUMENT,
                              "the row '%s' refers to '%s', which has no number", row->id,
                              reference->id);
    }
    return WS_OK;
}

static void find_mean_error(struct arena *arena, struct paper_row *row)
{
    double sum = 0;
    (void)arena;
    for (size_t i = 0; i < row->reference_count; i++) {
        const struct paper_row *one = row->references[i].row;
        sum += 100 * fabs(one->ours / one->published - 1);
    }
    row->ours = sum / (double)row->reference_count;
}

static int sign(double a, double b)
{
    return (a > b) - (a < b);
}

/* Kendall's tau b: concordant less discordant pairs, over the pairs that are no ties in the one, and in
 * the other (Kendall, Biometrika 33, 1945). Ours are tied if they differ by rounding alone. */
static void find_rank(struct arena *arena, struct paper_row *row)
{
    double score = 0, untied = 0, untied_ours = 0;
    (void)arena;
    for (size_t i = 0; i < row->reference_count; i++)
        for (size_t k = 0; k < i; k++) {
            const struct paper_row *a = row->references[i].row, *b = row->references[k].row;
            bool is_tie = fabs(a->ours - b->ours) <= 1e-9 * fabs(a->ours);
            int ours = is_tie ? 0 : sign(a->ours, b->ours);
            score += ours * sign(a->published, b->published);
            untied += a->published != b->published;
            untied_ours += ours != 0;
        }
    row->ours = untied * untied_ours > 0 ? score / sqrt(untied * untied_ours) : 0;
}

static void find_order(struct arena *arena, struct paper_row *row)
{
    const char *first = "";
    size_t pairs = 0, failed = 0;
    for (size_t i = 0; i < row->reference_count; i++)
        for (size_t k = 0; k < row->reference_count; k++) {
            const struct reference *a = &row->references[i], *b = &row->references[k];
            if (!(a->group < b->group)) continue;
            pairs++;
            if (a->row->ours < b->row->ours) continue;
            if (!failed++) first = arena_format(arena, "%s not below %s", a->id, b->id);
        }
    row->fails = !pairs || failed;
    row->ours_words =
        failed ? arena_format(arena, "fails at %zu of %zu pairs, first %s", failed, pairs, first)
               : arena_format(arena, "holds at all %zu pairs", pairs);
}

static ws_status find_ours(const struct reading *reading, struct paper_row *row)
{
    static const struct {
        const char *about;
        void (*find)(struct arena *arena, struct paper_row *row);
    } kinds[] = {{"mean_error", find_mean_error}, {"rank", find_rank}, {"order", find_order}};
    if (row->check.kind)
        return papers_check(reading->asked->diag, reading->arena, reading->answer, row);
    if (!row->about) return WS_OK;
    TRY(find_references(reading, row));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].about, row->about) != 0) continue;
        kinds[i].find(reading->arena, row);
        return WS_OK;
    }
    return diag_error(reading->asked->diag, WS_ERR_ARGUMENT,
                      "the row '%s' is about others by '%s': expected mean_error, rank or order",
                      row->id, row->about);
}

/* ---- judging --------------------------------------------------------------------------------- */

static bool is_set(double flag)
{
    return !isnan(flag) && flag != 0;
}

static bool is_near(const struct paper_row *row)
{
    double relative = row->tolerance.rel * fabs(row->published);
    double most = has_tolerance(row) ? fmax(row->tolerance.abs, relative) : 0;
    return fabs(row->ours - row->published) <= most;
}

static bool agrees(const struct paper_row *row)
{
    if (row->fails) return false;
    if (row->ours_words)
        return !is_set(row->wants_words) ||
               (row->published_words && !strcmp(row->ours_words, row->published_words));
    if (!isfinite(row->ours) || (!isnan(row->published) && !is_near(row))) return false;
    if (row->check.kind) return true; /* it has looked at its bounds */
    return (isnan(row->least) || row->ours > row->least) &&
           (isnan(row->most) || row->ours < row->most);
}

/* Only numbers whose inputs were printed or inferred are evidence. */
static ws_status judge(const struct reading *reading, struct paper_row *row)
{
    struct paper_summary *summary = &reading->answer->summary;
    const struct {
        const char *evidence;
        uint64_t *count;
    } kinds[] = {{"printed", NULL},
                 {"inferred", NULL},
                 {"fitted", &summary->fitted},
                 {"definition", &summary->definitions},
                 {"none", &summary->without_inputs}};
    size_t i = 0, count = sizeof kinds / sizeof *kinds;
    while (i < count && strcmp(kinds[i].evidence, row->evidence) != 0)
        i++;
    if (i == count)
        return diag_error(reading->asked->diag, WS_ERR_ARGUMENT,
                          "the row '%s' has the evidence '%s': expected printed, inferred, fitted, "
                          "definition or none",
                          row->id, row->evidence);
    row->is_judged = !kinds[i].count && (row->ours_words || !isnan(row->ours));
    row->agrees = row->is_judged && agrees(row);
    if (!isfinite(row->ours)) row->ours = NAN;
    if (is_set(row->is_hidden)) return WS_OK;
    summary->rows++;
    summary->agree += row->agrees;
    summary->differ += row->is_judged && !row->agrees;
    if (kinds[i].count) ++*kinds[i].count;
    return WS_OK;
}

/* Rows about others are found and judged; then the hidden ones go. */
static ws_status complete_rows(const struct reading *reading)
{
    struct papers_answer *answer = reading->answer;
    size_t shown = 0;
    for (size_t i = 0; i < answer->row_count; i++)
        TRY(find_ours(reading, &answer->rows[i]));
    for (size_t i = 0; i < answer->row_count; i++)
        TRY(judge(reading, &answer->rows[i]));
    for (size_t i = 0; i < answer->row_count; i++)
        if (!is_set(answer->rows[i].is_hidden)) answer->rows[shown++] = answer->rows[i];
    answer->row_count = shown;
    return WS_OK;
}

static ws_status ask(struct asked *asked, const void **out)
{
    struct arena *arena = &asked->answer->arena;
    struct reading reading = {
        .asked = asked, .arena = arena, .answer = ARENA_ARRAY(arena, struct papers_answer, 1)};
    TRY(input_parts_read(asked, &part_list, reading.answer));
    for (size_t i = 0; i < reading.answer->curve_count; i++)
        TRY(complete_points(&reading, &reading.answer->curves[i]));
    TRY(complete_rows(&reading));
    *out = reading.answer;
    return WS_OK;
}

const struct question question_papers = {
    .name = "papers",
    .schema = "warpsage.papers/1",
    .text = "Do published results agree with what comes out here, and what curves do papers draw?",
    .record = &record_papers,
    .inputs = inputs,
    .input_count = INPUT_TOTAL,
    .ask = ask,
};
