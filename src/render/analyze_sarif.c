// SPDX-License-Identifier: Apache-2.0
#include "render/analyze_sarif.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/quantity.h"
#include "model/core/estimate.h"
#include "recommend/advice.h"
#include "render/sarif.h"

/* The rules that results have, each once. */
struct rules {
    struct sarif_rule *items;
    size_t count, capacity;
};

static size_t find_rule(const struct rules *rules, const char *code)
{
    size_t i = 0;
    while (i < rules->count && strcmp(rules->items[i].id, code) != 0)
        i++;
    return i;
}

static struct sarif_rule rule_with(const char *id, const char *title, const char *help)
{
    return (struct sarif_rule){.id = id, .title = title, .help = help};
}

static struct sarif_rule rule_of(const char *code)
{
    for (size_t i = 0; i < ADVICE_COUNT; i++)
        if (!strcmp(advice_infos[i].code, code))
            return rule_with(code, advice_infos[i].title, advice_infos[i].text);
    for (size_t i = 0; i < MODEL_COUNT; i++)
        for (size_t k = 0; k < models[i]->finding_count; k++)
            if (!strcmp(models[i]->findings[k].code, code))
                return rule_with(code, models[i]->findings[k].title, models[i]->findings[k].text);
    return rule_with(code, code, NULL);
}

typedef void advice_fn(void *user, const struct node *kernel, const struct node *machine,
                       const struct node *advice);

static void each_advice(const struct node *report, advice_fn *take, void *user)
{
    const struct node *kernels = node_child(report, "kernels");
    for (size_t i = 0; kernels && i < kernels->child_count; i++) {
        const struct node *kernel = &kernels->children[i],
                          *machines = node_child(kernel, "machines");
        for (size_t m = 0; m < machines->child_count; m++) {
            const struct node *machine = &machines->children[m],
                              *list = node_child(machine, "advice");
            for (size_t k = 0; k < list->child_count; k++)
                take(user, kernel, machine, &list->children[k]);
        }
    }
}

static void take_rule(void *user, const struct node *kernel, const struct node *machine,
                      const struct node *advice)
{
    struct rules *rules = user;
    const char *code = node_word(advice, "code");
    (void)kernel, (void)machine;
    if (find_rule(rules, code) < rules->count) return;
    GROW(rules->items, rules->count, rules->capacity);
    rules->items[rules->count++] = rule_of(code);
}

struct writing {
    struct sarif sarif;
    struct rules rules;
};

/* "coalesce the loads: 12 sectors/request; 3.4x on v100" */
static void put_message(struct strbuf *out, const struct node *machine, const struct node *advice)
{
    double gain = node_number(advice, "gain");
    const char *evidence = node_word(advice, "evidence");
    strbuf_puts(out, node_word(advice, "title"));
    if (evidence && *evidence) strbuf_printf(out, ": %s", evidence);
    if (isnan(gain))
        strbuf_printf(out, "; gain on %s unknown", node_word(machine, "machine"));
    else
        strbuf_printf(out, "; predicted gain on %s %s", node_word(machine, "machine"),
                      quantity_ratio(gain).text);
}

static void take_result(void *user, const struct node *kernel, const struct node *machine,
                        const struct node *advice)
{
    struct writing *w = user;
    struct strbuf message = {0};
    double gain = node_number(advice, "gain");
    const struct sarif_property properties[] = {
        {"machine", node_word(machine, "machine"), NAN},
        {"gain", NULL, gain},
        {"time_s", NULL, node_number(advice, "time_s")},
        {"where", node_word(advice, "where"), NAN},
    };
    put_message(&message, machine, advice);
    sarif_put(&w->sarif, &(struct sarif_result){
                             .rule = find_rule(&w->rules, node_word(advice, "code")),
                             .level = isnan(gain) ? SARIF_NOTE : SARIF_WARNING,
                             .message = message.data,
                             .file = node_word(advice, "file"),
                             .line = (uint32_t)node_count(advice, "line"),
                             .function = node_word(kernel, "name"),
                             .mangled = node_word(kernel, "mangled"),
                             .properties = properties,
                             .property_count = sizeof properties / sizeof *properties,
                         });
    strbuf_clear(&message);
}

/* `report`: NULL, or an answer of `analyze`. */
static void put_report(const struct node *report, const struct render_options *options,
                       struct strbuf *out)
{
    struct writing w = {.sarif.root = options->source_root};
    each_advice(report, take_rule, &w.rules);
    sarif_begin(&w.sarif, out, w.rules.items, w.rules.count);
    each_advice(report, take_result, &w);
    sarif_end(&w.sarif, NULL);
    mem_free(w.rules.items);
}

void render_analyze_sarif(const struct answer *answer, const struct render_options *options,
                          struct strbuf *out)
{
    put_report(&answer->root, options, out);
}

void render_run_sarif(const struct answer *answer, const struct render_options *options,
                      struct strbuf *out)
{
    const struct node *heaviest = node_child(&answer->root, "heaviest");
    put_report(heaviest && node_is_known(heaviest) ? heaviest : NULL, options, out);
}
