// SPDX-License-Identifier: Apache-2.0
/* The page of `analyze`: kernels, their machines, and the parts of analyze_parts.def. */
#include <math.h>
#include <stdio.h>

#include "render/html/analyze_parts.h"

/* Pages stay below 2 MB: lines of code of all kernels together, and bytes of the parts from which on machines have
 * their verdict alone. */
enum { ROWS_OF_CODE = 3000, FULL_PARTS = 1200000 };
/* Kernels on machines from which on the contents name them without their parts. */
enum { MANY = 2 };

enum part_of { FIRST, MACHINE, KERNEL };

static const struct part {
    enum part_of of;
    const char *id, *title;
    compose_html_fn *write;
} parts[] = {
#define ANALYZE_PART(of, id, title, function) {of, id, title, function},
#include "render/html/analyze_parts.def"
#undef ANALYZE_PART
};
enum { PART_COUNT = sizeof parts / sizeof *parts };

/* A page that is full takes verdicts and notes. */
static void put_part(struct html *html, const struct part *part, const struct node *node)
{
    bool is_full = html->out->length > FULL_PARTS;
    if (!is_full || part->write == html_verdict || part->write == html_notes)
        html_part(html, part->id, part->title, !html->has_many || !html->is_of_machine, part->write,
                  node);
}

static void put_parts(struct html *html, const struct node *node, enum part_of of)
{
    for (size_t i = 0; i < PART_COUNT; i++)
        if (parts[i].of == of) put_part(html, &parts[i], node);
}

static void put_machine_line(struct html *html, const struct node *machine)
{
    struct strbuf line = {0};
    put_machine(&line, machine);
    html_facts(html, line.data);
    strbuf_clear(&line);
}

static void put_machine_section(struct html *html, const struct node *machine, size_t index)
{
    char id[24];
    snprintf(id, sizeof id, "m%zu", index + 1);
    html_open_section(html, id, machine->id, true);
    put_machine_line(html, machine);
    if (html->out->length > FULL_PARTS)
        html_p(
            html, NULL,
            "The page is full: of this machine it has the verdict. --gpu %s alone has all parts.",
            machine->id);
    html->is_of_machine = true;
    put_parts(html, machine, MACHINE);
    html->is_of_machine = false;
    html_close_section(html);
}

void html_kernel(struct html *html, const struct node *kernel)
{
    const struct node *machines = node_child(kernel, "machines");
    html->opencl = node_flag(kernel, "is_opencl");
    html->kernel = kernel;
    if (html->out->length > FULL_PARTS)
        html_p(html, NULL,
               "The page is full: of this kernel it has the verdict. A report of it alone has all "
               "parts.");
    if (machines->child_count != 1) {
        put_parts(html, kernel, FIRST);
        for (size_t i = 0; i < machines->child_count; i++)
            put_machine_section(html, &machines->children[i], i);
        put_parts(html, kernel, KERNEL);
    } else {
        put_machine_line(html, machines->children);
        for (size_t i = 0; i < PART_COUNT; i++)
            if (parts[i].of != FIRST)
                put_part(html, &parts[i], parts[i].of == MACHINE ? machines->children : kernel);
    }
    html->opencl = false;
    html->kernel = NULL;
}

static const char *name_of(const struct node *kernel)
{
    const char *name = node_word(kernel, "name");
    return *name ? name : "(unnamed)";
}

static void put_launch_lines(struct html *html, const struct node *kernel)
{
    struct strbuf launch = {0}, method = {0};
    put_launch(&launch, kernel);
    put_method(&method, kernel);
    html_facts(html, launch.data);
    html_facts(html, method.data);
    strbuf_clear(&launch);
    strbuf_clear(&method);
}

/* A row for each kernel on each machine. */
static void put_overview(struct html *html, const struct node *kernels)
{
    static const struct html_column columns[] = {
        {.title = "kernel", .is_code = true}, {.title = "machine"},
        {.title = "time", .is_number = true}, {.title = "from", .is_number = true},
        {.title = "to", .is_number = true},   {.title = "limit"}};
    html_open_section(html, "overview", "Kernels", true);
    struct html_table table = html_open_table(html, "Predicted times of all kernels", columns, 6);
    for (size_t i = 0; i < kernels->child_count; i++) {
        const struct node *machines = node_child(&kernels->children[i], "machines");
        for (size_t k = 0; k < machines->child_count; k++) {
            const struct node *machine = &machines->children[k],
                              *headline = node_child(machine, "headline");
            html_row(&table, NULL);
            html_open_cell(&table);
            strbuf_printf(html->out, "<a href=\"#k%zu\">", i + 1);
            markup_text(html->out, name_of(&kernels->children[i]));
            html_raw(html, "</a>");
            html_close_cell(&table);
            html_cell(&table, machine->id);
            html_cell_value(&table, node_child(headline, "time_s"));
            html_cell_number(&table, node_number(headline, "lo"), "s");
            html_cell_number(&table, node_number(headline, "hi"), "s");
            html_cell(&table, node_word(machine, "limit"));
        }
    }
    html_close_table(&table);
    html_close_section(html);
}

void html_kernels(struct html *html, const struct node *kernels)
{
    size_t answers = 0;
    for (size_t i = 0; i < kernels->child_count; i++)
        answers += node_child(&kernels->children[i], "machines")->child_count;
    html->has_many = answers > MANY;
    html->row_budget = ROWS_OF_CODE / (kernels->child_count ? kernels->child_count : 1);
    if (kernels->child_count == 1) {
        const struct node *kernel = kernels->children;
        struct strbuf launch = {0};
        put_launch(&launch, kernel);
        html_title(html, "%s", name_of(kernel));
        html_lead(html, "%s", launch.data);
        strbuf_clear(&launch);
        put_method(&launch, kernel);
        html_facts(html, launch.data);
        strbuf_clear(&launch);
        html_kernel(html, kernel);
        return;
    }
    html_title(html, "%zu kernels", kernels->child_count);
    html_lead(html, "Predicted times, and what limits them");
    put_overview(html, kernels);
    for (size_t i = 0; i < kernels->child_count; i++) {
        const struct node *kernel = &kernels->children[i];
        char id[24];
        snprintf(id, sizeof id, "k%zu", i + 1);
        html_open_section(html, id, name_of(kernel), true);
        put_launch_lines(html, kernel);
        html_kernel(html, kernel);
        html_close_section(html);
    }
}
