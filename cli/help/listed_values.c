// SPDX-License-Identifier: Apache-2.0
/* `warpsage completion values SOURCE`: what an option takes. Completion asks it, with the words of the command
 * line for what depends on them. */
#include <stdlib.h>
#include <string.h>

#include "cli/help/help.h"

static int list_machines(struct cli *cli, FILE *out, bool has_gpus, bool has_cpus)
{
    char *ids;
    ws_status status = ws_machine_list(cli->context, &ids);
    if (status != WS_OK) return cli_failed(cli, status);
    char *rest = ids;
    for (char *id; (id = strsep(&rest, "\n")) != NULL;) {
        ws_machine *machine;
        if (!*id || ws_machine_load(cli->context, id, &machine) != WS_OK) continue;
        if (ws_machine_is_cpu(machine) ? has_cpus : has_gpus) fprintf(out, "%s\n", id);
        ws_machine_destroy(machine);
    }
    ws_free(ids);
    return EXIT_DONE;
}

/* The words that `warpsage explain` lists under headings that start with `title`; NULL: all. Words with blanks
 * are one, as two blanks separate words. */
static int list_words(struct cli *cli, FILE *out, const char *title)
{
    char *text;
    ws_status status = ws_explain(cli->context, NULL, &text);
    if (status != WS_OK) return cli_failed(cli, status);
    bool is_wanted = false;
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        if (*line && *line != ' ') is_wanted = !title || !strncmp(line, title, strlen(title));
        if (*line != ' ' || !is_wanted) continue;
        for (char *word = line + strspn(line, " "); *word;) {
            char *end = strstr(word, "  ");
            size_t length = end ? (size_t)(end - word) : strlen(word);
            fprintf(out, "%.*s\n", (int)length, word);
            word += length;
            word += strspn(word, " ");
        }
    }
    ws_free(text);
    return EXIT_DONE;
}

/* Source is not compiled for it: that would take a second or more. */
static bool is_source(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (!strcmp(dot, ".cu") || !strcmp(dot, ".cl"));
}

static bool is_plain(const char *name)
{
    return name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_:")] ==
           '\0';
}

/* Of the first word that is a file with kernels: as people name them if shells need no quotes for that. */
static int list_kernels(struct cli *cli, const char *const *words, size_t count, FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        ws_module *module;
        if (is_source(words[i]) || !ws_module_recognises(words[i])) continue;
        if (ws_module_load_file(cli->context, words[i], &module) != WS_OK) continue;
        for (size_t k = 0; k < ws_module_kernel_count(module); k++) {
            const char *name = ws_module_kernel_display_name(module, k);
            fprintf(out, "%s\n", is_plain(name) ? name : ws_module_kernel_name(module, k));
        }
        ws_module_destroy(module);
        break;
    }
    return EXIT_DONE;
}

static int list_questions(FILE *out)
{
    for (size_t i = 0; ws_question_name(i); i++)
        fprintf(out, "%s\n", ws_question_name(i));
    return EXIT_DONE;
}

static int list_commands(FILE *out)
{
    for (size_t i = 0; commands[i]; i++)
        fprintf(out, "%s\n", commands[i]->name);
    return EXIT_DONE;
}

int values_list(struct cli *cli, const char *source, const char *const *words, size_t count,
                FILE *out)
{
    static const char *const sources[] = {"gpu",    "cpu",    "machine", "model",    "effect",
                                          "metric", "kernel", "command", "question", "word"};
    if (!strcmp(source, "gpu")) return list_machines(cli, out, true, false);
    if (!strcmp(source, "cpu")) return list_machines(cli, out, false, true);
    if (!strcmp(source, "machine")) return list_machines(cli, out, true, true);
    if (!strcmp(source, "model")) return list_words(cli, out, "models");
    if (!strcmp(source, "effect")) return list_words(cli, out, "effects");
    if (!strcmp(source, "metric")) return list_words(cli, out, "counters");
    if (!strcmp(source, "word")) return list_words(cli, out, NULL);
    if (!strcmp(source, "kernel")) return list_kernels(cli, words, count, out);
    if (!strcmp(source, "question")) return list_questions(out);
    if (!strcmp(source, "command")) return list_commands(out);
    return cli_error(cli, EXIT_USAGE, "unknown source of values '%s'%s", source,
                     cli_hint(cli, source, sources, sizeof sources / sizeof *sources));
}
