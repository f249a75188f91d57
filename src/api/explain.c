// SPDX-License-Identifier: Apache-2.0
/* What the words of a report mean: every table of the library that has ids and sentences. */
#include <ctype.h>
#include <string.h>

#include "answer/question.h"
#include "api/handles.h"
#include "base/float_state.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "render/page.h"

enum { WIDTH = 96 };

/* One paragraph, wrapped; what comes ready in lines is not touched. */
static void paragraph(struct strbuf *out, const char *lead, const char *text)
{
    struct page page = {.out = out, .width = WIDTH};
    page_wrap(&page, lead, text, 100);
}

/* Those of recommend/, then those of models. */
static const struct advice_info *advice_of(size_t i)
{
    if (i < ADVICE_COUNT) return &advice_infos[i];
    i -= ADVICE_COUNT;
    for (size_t k = 0; k < MODEL_COUNT; i -= models[k++]->finding_count)
        if (i < models[k]->finding_count) return &models[k]->findings[i];
    return NULL;
}

static size_t advice_count(void)
{
    size_t count = 0;
    while (advice_of(count))
        count++;
    return count;
}

static void explain_advice(size_t i, struct strbuf *out)
{
    const struct advice_info *info = advice_of(i);
    strbuf_printf(out, "%s  %s\n\n%s", info->code, info->title, info->text);
}

static void explain_counter(size_t i, struct strbuf *out)
{
    const struct counter_info *info = &counter_infos[i];
    strbuf_printf(out, "%s  a counter of the profile, unit %s\n\n", info->id, info->unit);
    paragraph(out, "", info->text);
    strbuf_printf(out, "Recorded per launch%s.\n",
                  info->staged ? ", stage between barriers and, where it applies, "
                                 "instruction"
                               : "");
    if (info->ncu)
        strbuf_printf(out, "Nsight Compute: %s (counted there on native code, here on PTX).\n",
                      info->ncu);
    else
        strbuf_puts(out, "No equivalent Nsight Compute metric.\n");
}

static void explain_effect(size_t i, struct strbuf *out)
{
    const struct effect_info *info = &effect_infos[i];
    strbuf_printf(out, "%s  an effect that models can switch off\n\n", info->id);
    strbuf_printf(out, "--without %s predicts with %s.\n", info->id, info->words);
    strbuf_puts(out, "gain = time / time without it. Modelled by:");
    size_t known = 0;
    for (size_t k = 0; k < MODEL_COUNT; k++)
        if (models[k]->effects >> i & 1)
            strbuf_printf(out, "%s %s", known++ ? "," : "", models[k]->name);
    strbuf_puts(out, known ? ".\n" : " no model yet.\n");
}

static void explain_model(size_t i, struct strbuf *out)
{
    const struct model *model = models[i];
    struct strbuf list = {0};
    strbuf_printf(out, "%s  a model\n\n", model->name);
    paragraph(out, "", model->about);
    paragraph(out, "Source: ", model->reference);
    for (const enum machine_key *key = model->needs_machine; *key != MACHINE_KEY_COUNT; key++)
        strbuf_printf(&list, " %s", machine_key_infos[*key].path);
    paragraph(out, "Machine requirements:", list.length ? list.data : " nothing");
    list.length = 0;
    const struct model *cpu = model_for((enum model_id)i, MACHINE_IS_CPU);
    const enum machine_key *key = cpu ? cpu->needs_machine : NULL;
    for (; key && *key != MACHINE_KEY_COUNT; key++)
        strbuf_printf(&list, " %s", machine_key_infos[*key].path);
    if (cpu) paragraph(out, "CPU requirements:", list.data);
    list.length = 0;
    for (const enum counter *counter = model->needs_counters; *counter != COUNTER_COUNT; counter++)
        strbuf_printf(&list, " %s", counter_infos[*counter].id);
    paragraph(out, "Profile requirements:", list.length ? list.data : " nothing");
    list.length = 0;
    for (size_t k = 0; k < EFFECT_COUNT; k++)
        if (model->effects >> k & 1) strbuf_printf(&list, " %s", effect_infos[k].id);
    paragraph(out, "Switches off:", list.length ? list.data : " nothing");
    strbuf_clear(&list);
}

static void explain_machine_key(size_t i, struct strbuf *out)
{
    const struct machine_key_info *info = &machine_key_infos[i];
    const char *unit = dimension_unit((enum dimension)info->dimension);
    strbuf_printf(out, "machine.%s  a figure of the machine files%s%s\n\n", info->path,
                  *unit ? ", in " : "", unit);
    paragraph(out, "", info->text);
}

static void explain_floorplan(size_t i, struct strbuf *out)
{
    (void)i;
    strbuf_puts(out, "machine.floorplan  a section of the machine files, in metres\n\n");
    paragraph(out, "",
              "Position and size of the blocks of the die: SMs, the shared parts of TPCs, memory "
              "controllers, others. They cover the die without gaps or overlaps. `from: assumed` "
              "marks an estimate. `warpsage thermal` and the choice of SMs of `warpsage power` use "
              "it; `warpsage machines show` lists it, doc/machines.md describes the format.");
}
/* What no other table has: lines, headings, limits, terms. */
static const struct report_word {
    const char *kind, *word, *text;
} report_words[] = {
#define WORD(kind, word, text) {kind, word, text},
#include "api/words.def"
#undef WORD
};

static void explain_report_word(size_t i, struct strbuf *out)
{
    const struct report_word *word = &report_words[i];
    size_t length = strlen(word->text);
    struct strbuf text = {0};
    strbuf_printf(&text, "%c%s%s", toupper((unsigned char)*word->text), word->text + 1,
                  word->text[length - 1] == '.' ? "" : ".");
    strbuf_printf(out, "%s  %s\n\n", word->word, word->kind);
    paragraph(out, "", text.data);
    strbuf_clear(&text);
}

static const char *report_word(size_t i)
{
    return report_words[i].word;
}

static const char *floorplan_word(size_t i)
{
    (void)i;
    return "floorplan";
}

static void explain_check(size_t i, struct strbuf *out)
{
    static const char *const tools[] = {
        "memory: accesses to memory, use of the API, leaks",
        "init: values that nothing has written",
        "race: accesses to the same memory that nothing orders",
        "sync: barriers, masks, waiting",
    };
    static const char *const grades[] = {
        [GRADE_ERROR] = "An error: it fails the run.",
        [GRADE_WARNING] = "A warning: it fails the run only with --strict.",
        [GRADE_NOTE] = "A note: it never fails the run.",
    };
    const struct check_code_info *info = &check_codes[i];
    unsigned tool = 0;
    struct strbuf text = {0};
    while (1u << tool < (unsigned)info->tool)
        tool++;
    strbuf_printf(out, "%s  %s\n\n", info->id, info->title);
    strbuf_printf(&text, "A finding of `warpsage check` (%s). %s What to do: %s.", tools[tool],
                  grades[info->grade], info->advice);
    paragraph(out, "", text.data);
    text.length = 0;
    strbuf_printf(&text,
                  "A comment `warpsage: ignore %s REASON` on the line or the line above "
                  "suppresses it; doc/checks.md says what else does.",
                  info->id);
    paragraph(out, "", text.data);
    strbuf_clear(&text);
}

static const char *check_word(size_t i)
{
    return check_codes[i].id;
}

static const char *advice_word(size_t i)
{
    return advice_of(i)->code;
}
static const char *counter_word(size_t i)
{
    return counter_infos[i].id;
}
static const char *effect_word(size_t i)
{
    return effect_infos[i].id;
}
static const char *model_word(size_t i)
{
    return models[i]->name;
}
static const char *machine_word(size_t i)
{
    return machine_key_infos[i].path;
}

/* A vocabulary: `count` words, each with its page. */
struct vocabulary {
    const char *title, *prefix;
    size_t count;
    const char *(*word)(size_t i);
    void (*page)(size_t i, struct strbuf *out);
};

enum { VOCABULARIES = 8 };

static void list_vocabularies(struct vocabulary out[VOCABULARIES])
{
    const struct vocabulary all[VOCABULARIES] = {
        {"advice codes", "", advice_count(), advice_word, explain_advice},
        {"codes of checks", "", CHECK_CODE_COUNT, check_word, explain_check},
        {"models", "", MODEL_COUNT, model_word, explain_model},
        {"effects (--without)", "", EFFECT_COUNT, effect_word, explain_effect},
        {"counters", "", COUNTER_COUNT, counter_word, explain_counter},
        {"report terms", "", sizeof report_words / sizeof *report_words, report_word,
         explain_report_word},
        {"machine keys", "machine.", MACHINE_KEY_COUNT, machine_word, explain_machine_key},
        {"sections of machine files", "machine.", 1, floorplan_word, explain_floorplan},
    };
    memcpy(out, all, sizeof all);
}

/* Figures of answers, by the tables that make them. */
static void explain_figures(const char *word, struct strbuf *out)
{
    const struct glossary_entry *entries;
    struct arena arena = {0};
    size_t count = question_glossary(&arena, &entries);
    for (size_t i = 0; i < count; i++) {
        const struct glossary_entry *entry = &entries[i];
        if (strcasecmp(entry->id, word) != 0) continue;
        if (!out->length)
            strbuf_printf(out, "%s  a figure of answers (JSON: `warpsage schema %s`)\n\n",
                          entry->id, entry->question);
        paragraph(out, "",
                  arena_format(&arena, "%s%s%s (%s).", entry->text, *entry->unit ? ", in " : "",
                               entry->unit, entry->of));
    }
    arena_clear(&arena);
}

static void list_figures(struct strbuf *out)
{
    const struct glossary_entry *entries;
    struct arena arena = {0};
    struct strbuf words = {0};
    size_t count = question_glossary(&arena, &entries);
    for (size_t i = 0; i < count; i++)
        if (!i || strcmp(entries[i].id, entries[i - 1].id) != 0)
            strbuf_printf(&words, "%s%s", words.length ? "  " : "", entries[i].id);
    strbuf_puts(out, "\nfigures of answers\n");
    if (words.length) paragraph(out, "  ", words.data);
    strbuf_clear(&words);
    arena_clear(&arena);
}

static void list_words(const struct vocabulary *all, struct strbuf *out)
{
    for (size_t v = 0; v < VOCABULARIES; v++) {
        size_t column = 0;
        strbuf_printf(out, "%s%s\n", v ? "\n" : "", all[v].title);
        for (size_t i = 0; i < all[v].count; i++) {
            const char *word = all[v].word(i);
            size_t length = strlen(all[v].prefix) + strlen(word) + 2;
            if (column && column + length > WIDTH) {
                strbuf_putc(out, '\n');
                column = 0;
            }
            strbuf_printf(out, "  %s%s", all[v].prefix, word);
            column += length;
        }
        if (column) strbuf_putc(out, '\n');
    }
}

/* Without case; blanks, dashes and underscores are the same. */
static bool is_same_word(const char *a, const char *b)
{
    for (; *a && *b; a++, b++) {
        bool both_join = strchr(" -_", *a) && strchr(" -_", *b);
        if (!both_join && tolower((unsigned char)*a) != tolower((unsigned char)*b)) return false;
    }
    return *a == *b;
}

/* "machine.dram.latency" and "dram.latency" both find a machine key. */
static bool word_matches(const struct vocabulary *vocabulary, size_t i, const char *wanted)
{
    size_t prefix = strlen(vocabulary->prefix);
    const char *word = vocabulary->word(i);
    if (is_same_word(word, wanted)) return true;
    return prefix && !strncmp(wanted, vocabulary->prefix, prefix) &&
           !strcasecmp(word, wanted + prefix);
}

static ws_status unknown_word(struct diag *diag, const struct vocabulary *all, const char *word)
{
    struct arena arena = {0};
    size_t count = 0, capacity = 0;
    for (size_t v = 0; v < VOCABULARIES; v++)
        capacity += all[v].count;
    const char **names = ARENA_ARRAY(&arena, const char *, capacity);
    for (size_t v = 0; v < VOCABULARIES; v++)
        for (size_t i = 0; i < all[v].count; i++)
            names[count++] = arena_format(&arena, "%s%s", all[v].prefix, all[v].word(i));
    const char *near = text_hint(&arena, word, names, count);
    diag_error(diag, WS_ERR_ARGUMENT, "unknown topic '%s'%s; `warpsage explain` lists all", word,
               near);
    arena_clear(&arena);
    return WS_ERR_ARGUMENT;
}

ws_status ws_explain(ws_context *context, const char *word, char **out)
{
    STANDARD_FLOATS;
    API_CALL_OUT(context, out)
    struct vocabulary all[VOCABULARIES];
    struct strbuf text = {0};
    list_vocabularies(all);
    if (!word) list_words(all, &text);
    if (!word) list_figures(&text);
    for (size_t v = 0; word && !text.length && v < VOCABULARIES; v++)
        for (size_t i = 0; !text.length && i < all[v].count; i++)
            if (word_matches(&all[v], i, word)) all[v].page(i, &text);
    if (word && !text.length) explain_figures(word, &text);
    if (!text.length) return unknown_word(&context->diag, all, word);
    *out = strbuf_take(&text);
    return WS_OK;
}
