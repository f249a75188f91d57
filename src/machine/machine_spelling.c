// SPDX-License-Identifier: Apache-2.0
/* GPU names as people and tools write them: "RTX 4090", "NVIDIA A100-SXM4-40GB", "geforce_rtx_4090". A
 * name that fits one machine is that machine; one that fits several, or an architecture (sm_90,
 * Hopper), is answered with what fits. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "machine/machine_read.h"

enum { WORDS_MAX = 16, WORD_BYTES = 24 };

struct words {
    char items[WORDS_MAX][WORD_BYTES];
    size_t count;
};

static bool is_filler(const char *word)
{
    static const char *const fillers[] = {"nvidia", "corporation", "geforce", "quadro",
                                          "tesla",  "gpu",         "graphics"};
    for (size_t i = 0; i < sizeof fillers / sizeof *fillers; i++)
        if (!strcmp(word, fillers[i])) return true;
    return false;
}

static void add_word(struct words *words, const char *text, size_t length)
{
    if (words->count == WORDS_MAX || length >= WORD_BYTES) return;
    char *word = words->items[words->count];
    for (size_t i = 0; i < length; i++)
        word[i] = (char)tolower((unsigned char)text[i]);
    word[length] = '\0';
    for (size_t i = 0; i < words->count; i++)
        if (!strcmp(words->items[i], word)) return;
    if (!is_filler(word)) words->count++;
}

/* In lower case, without what is between them and without vendor and brand. */
static void add_words(struct words *words, const char *text)
{
    while (*text) {
        size_t length = 0;
        while (isalnum((unsigned char)text[length]))
            length++;
        if (length) add_word(words, text, length);
        text += length + (text[length] != '\0');
    }
}

static void join(const struct words *words, char out[WORDS_MAX * WORD_BYTES])
{
    *out = '\0';
    for (size_t i = 0; i < words->count; i++)
        strcat(out, words->items[i]);
}

/* Written in one: "rtx4090", "4090", "v100sxm216gb". */
static bool is_joined(const struct words *wanted, const char *name)
{
    char a[WORDS_MAX * WORD_BYTES], b[WORDS_MAX * WORD_BYTES];
    struct words words = {0};
    add_words(&words, name);
    join(wanted, a);
    join(&words, b);
    bool has_series = !strncmp(b, "rtx", 3) || !strncmp(b, "gtx", 3);
    return *a && (!strcmp(a, b) || (has_series && !strcmp(a, b + 3)));
}

static bool has_all(const struct words *all, const struct words *wanted)
{
    for (size_t i = 0; i < wanted->count; i++) {
        size_t k = 0;
        while (k < all->count && strcmp(all->items[k], wanted->items[i]) != 0)
            k++;
        if (k == all->count) return false;
    }
    return wanted->count > 0;
}

static bool fits_name(const struct machine *machine, const struct words *wanted)
{
    struct words all = {0};
    bool joined = is_joined(wanted, machine->id) || is_joined(wanted, machine->name);
    add_words(&all, machine->id);
    add_words(&all, machine->name);
    for (size_t i = 0; i < machine->alias_count; i++) {
        joined |= is_joined(wanted, machine->aliases[i]);
        add_words(&all, machine->aliases[i]);
    }
    return joined || has_all(&all, wanted);
}

/* ---- architectures --------------------------------------------------------------------------- */

struct range {
    unsigned first, last; /* compute capabilities, 90 for 9.0; 0: none */
};

static struct range by_generation(const char *word)
{
    static const struct {
        const char *name;
        struct range range;
    } generations[] = {{"fermi", {20, 21}},  {"kepler", {30, 37}},     {"maxwell", {50, 53}},
                       {"pascal", {60, 62}}, {"volta", {70, 72}},      {"turing", {75, 75}},
                       {"ampere", {80, 87}}, {"ada", {89, 89}},        {"lovelace", {89, 89}},
                       {"hopper", {90, 90}}, {"blackwell", {100, 121}}};
    for (size_t i = 0; i < sizeof generations / sizeof *generations; i++)
        if (!strcmp(word, generations[i].name)) return generations[i].range;
    return (struct range){0, 0};
}

/* sm_90, sm90a, compute_90, cc 9.0, 9.0 */
static struct range by_capability(const char *name, const struct words *words)
{
    static const char *const starts[] = {"sm_", "sm", "compute_", "cc ", "cc", ""};
    unsigned major = 0, minor = 0;
    char rest = '\0';
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        size_t length = strlen(starts[i]);
        if (strncasecmp(name, starts[i], length) != 0) continue;
        const char *number = name + length;
        int got = sscanf(number, "%2u.%1u%c", &major, &minor, &rest);
        if (got == 2) return (struct range){10 * major + minor, 10 * major + minor};
        got = sscanf(number, "%3u%c", &major, &rest);
        bool is_whole = got == 1 || (got == 2 && (rest == 'a' || rest == 'f') &&
                                     number[strlen(number) - 1] == rest);
        if (is_whole && *starts[i] && major >= 10) return (struct range){major, major};
    }
    for (size_t i = 0; i < words->count && words->count <= 2; i++) {
        struct range range = by_generation(words->items[i]);
        if (range.first) return range;
    }
    return (struct range){0, 0};
}

static bool fits_range(const struct machine *machine, struct range range)
{
    unsigned capability = machine->cc_major * 10 + machine->cc_minor;
    return range.first && capability >= range.first && capability <= range.last;
}

/* ---- the answer ------------------------------------------------------------------------------ */

static ws_status several(struct diag *diag, const char *name, bool is_architecture,
                         const char *const *ids, size_t count)
{
    struct strbuf list = {0};
    for (size_t i = 0; i < count; i++)
        strbuf_printf(&list, "%s%s", i ? ", " : "", ids[i]);
    if (is_architecture && count)
        diag_error(diag, WS_ERR_ARGUMENT, "'%s' is an architecture, not a GPU: choose %s%s", name,
                   count > 1 ? "one of " : "", list.data);
    else if (is_architecture)
        diag_error(diag, WS_ERR_ARGUMENT,
                   "'%s' is an architecture, not a GPU, and no machine file describes a GPU of it",
                   name);
    else
        diag_error(diag, WS_ERR_ARGUMENT, "'%s' is ambiguous: choose one of %s", name, list.data);
    strbuf_clear(&list);
    return WS_ERR_ARGUMENT;
}

ws_status machine_spelled(struct diag *diag, struct arena *arena, const char *dir,
                          const struct machine_names *names, const char *name, const char **out_id)
{
    struct words wanted = {0};
    size_t count = 0;
    const char **ids = ARENA_ARRAY(arena, const char *, names->count + 1);
    add_words(&wanted, name);
    struct range range = by_capability(name, &wanted);
    *out_id = NULL;
    for (size_t i = 0; i < names->count; i++) {
        struct diag silent = {0};
        struct machine *machine;
        if (names->items[i].name != names->items[i].id) continue;
        if (machine_load_listed(&silent, arena, dir, names, names->items[i].id, &machine) ==
            WS_OK) {
            bool fits = range.first ? fits_range(machine, range) : fits_name(machine, &wanted);
            if (fits) ids[count++] = names->items[i].id;
            machine_destroy(machine);
        }
        diag_clear(&silent);
    }
    if (range.first || count > 1) return several(diag, name, range.first != 0, ids, count);
    if (count) *out_id = ids[0];
    return WS_OK;
}
