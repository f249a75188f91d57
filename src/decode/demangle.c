// SPDX-License-Identifier: Apache-2.0
/* Names of kernels as in the source: `_Z4scalIfLi16EEvPT_` is "scal<float, 16>". The part of the
 * Itanium C++ ABI (5.1) that names of kernels use; whatever is not understood stays as it is. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "decode/parser.h"

enum { SUBSTITUTIONS_MAX = 64, DEPTH_MAX = 48, TEXT_MAX = 2000 };

struct demangler {
    struct arena *arena;
    const char *at;
    const char *known[SUBSTITUTIONS_MAX]; /* S_, S0_, S1_ ... */
    unsigned known_count, depth;
    bool failed;
};

static const char *read_type(struct demangler *d);
static const char *read_name(struct demangler *d, bool is_substitution_for_all);

static const char *fail(struct demangler *d)
{
    d->failed = true;
    return "";
}

static bool take(struct demangler *d, char c)
{
    if (*d->at != c) return false;
    d->at++;
    return true;
}

static const char *join(struct demangler *d, const char *a, const char *b, const char *c)
{
    if (d->failed || strlen(a) + strlen(b) + strlen(c) > TEXT_MAX) return fail(d);
    return arena_format(d->arena, "%s%s%s", a, b, c);
}

static const char *remember(struct demangler *d, const char *text)
{
    if (d->known_count == SUBSTITUTIONS_MAX) return fail(d);
    d->known[d->known_count++] = text;
    return text;
}

/* 3foo */
static const char *read_source_name(struct demangler *d)
{
    size_t length = 0;
    if (!isdigit((unsigned char)*d->at)) return fail(d);
    while (isdigit((unsigned char)*d->at) && length < TEXT_MAX)
        length = length * 10 + (size_t)(*d->at++ - '0');
    if (length == 0 || strnlen(d->at, length) < length) return fail(d);
    const char *name = arena_copy_n(d->arena, d->at, length);
    d->at += length;
    return !strncmp(name, "_GLOBAL__N_", 11) ? "(anonymous namespace)" : name;
}

/* S_, S0_, ..., St */
static const char *read_substitution(struct demangler *d)
{
    unsigned index = 0;
    if (take(d, 't')) return "std";
    if (take(d, '_')) return d->known_count > 0 ? d->known[0] : fail(d);
    while (isdigit((unsigned char)*d->at) || isupper((unsigned char)*d->at)) {
        char c = *d->at++;
        index = index * 36 + (unsigned)(isdigit((unsigned char)c) ? c - '0' : c - 'A' + 10);
        if (index > SUBSTITUTIONS_MAX) return fail(d);
    }
    if (!take(d, '_') || index + 1 >= d->known_count) return fail(d);
    return d->known[index + 1];
}

/* Li16E, Lj16E, Lb1E, Lin5E */
static const char *read_literal(struct demangler *d)
{
    static const struct {
        char type;
        const char *suffix;
    } suffixes[] = {{'i', ""}, {'j', "u"}, {'l', "l"}, {'m', "ul"}, {'x', "ll"}, {'y', "ull"}};
    char type = *d->at;
    const char *prefix = "", *suffix = NULL;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (suffixes[i].type == type) suffix = suffixes[i].suffix;
    if (suffix || type == 'b')
        d->at++;
    else
        prefix = join(d, "(", read_type(d), ")");
    const char *sign = take(d, 'n') ? "-" : "", *digits = d->at;
    while (isalnum((unsigned char)*d->at) && *d->at != 'E')
        d->at++;
    const char *value = arena_copy_n(d->arena, digits, (size_t)(d->at - digits));
    if (!*value || !take(d, 'E')) return fail(d);
    if (type == 'b') return *value == '0' ? "false" : "true";
    return join(d, prefix, join(d, sign, value, suffix ? suffix : ""), "");
}

static const char *read_template_arguments(struct demangler *d)
{
    struct strbuf text = {0};
    bool first = true;
    unsigned packs = 0;
    strbuf_putc(&text, '<');
    while (!d->failed && *d->at && text.length < TEXT_MAX) {
        if (take(d, 'E')) {
            if (packs == 0) break;
            packs--;
            continue;
        }
        if (take(d, 'J')) {
            packs++;
            continue;
        }
        if (!first) strbuf_puts(&text, ", ");
        first = false;
        strbuf_puts(&text, take(d, 'L') ? read_literal(d) : read_type(d));
    }
    if (text.length >= TEXT_MAX || d->at[-1] != 'E') fail(d);
    if (text.length && text.data[text.length - 1] == '>') strbuf_putc(&text, ' ');
    strbuf_putc(&text, '>');
    const char *copy = arena_copy_n(d->arena, text.data, text.length);
    strbuf_clear(&text);
    return copy;
}

/* N [K] part... E. Each prefix may be meant by a later substitution; the whole only if it is a type
 * or takes template arguments. nvcc puts static kernels into a namespace _INTERNAL_..., left out. */
static const char *read_nested(struct demangler *d, bool is_type)
{
    const char *whole = "";
    while (*d->at == 'K' || *d->at == 'V' || *d->at == 'r')
        d->at++;
    while (!d->failed && !take(d, 'E')) {
        bool last_is_name = false;
        take(d, 'L');
        if (take(d, 'S')) {
            whole = read_substitution(d);
            continue;
        }
        if (take(d, 'I')) {
            whole = join(d, whole, read_template_arguments(d), "");
        } else {
            const char *part = read_source_name(d);
            bool is_internal = !strncmp(part, "_INTERNAL_", 10);
            whole = is_internal ? whole : join(d, whole, *whole ? "::" : "", part);
            last_is_name = true;
        }
        if (!d->failed && (*d->at != 'E' || is_type)) remember(d, whole);
        if (last_is_name && !*d->at) return fail(d);
    }
    return whole;
}

static const char *read_name(struct demangler *d, bool is_type)
{
    const char *name;
    if (d->depth++ > DEPTH_MAX) return fail(d);
    if (take(d, 'N')) {
        name = read_nested(d, is_type);
    } else {
        bool in_std = d->at[0] == 'S' && d->at[1] == 't';
        if (in_std) d->at += 2;
        take(d, 'L');
        name = read_source_name(d);
        if (in_std) name = join(d, "std::", name, "");
        if (is_type || *d->at == 'I') remember(d, name);
        if (take(d, 'I')) {
            name = join(d, name, read_template_arguments(d), "");
            if (is_type) remember(d, name);
        }
    }
    d->depth--;
    return name;
}

static const char *builtin_type(char c)
{
    static const char *const names[26] = {['v' - 'a'] = "void",
                                          ['w' - 'a'] = "wchar_t",
                                          ['b' - 'a'] = "bool",
                                          ['c' - 'a'] = "char",
                                          ['a' - 'a'] = "signed char",
                                          ['h' - 'a'] = "unsigned char",
                                          ['s' - 'a'] = "short",
                                          ['t' - 'a'] = "unsigned short",
                                          ['i' - 'a'] = "int",
                                          ['j' - 'a'] = "unsigned int",
                                          ['l' - 'a'] = "long",
                                          ['m' - 'a'] = "unsigned long",
                                          ['x' - 'a'] = "long long",
                                          ['y' - 'a'] = "unsigned long long",
                                          ['f' - 'a'] = "float",
                                          ['d' - 'a'] = "double",
                                          ['e' - 'a'] = "long double",
                                          ['n' - 'a'] = "__int128",
                                          ['o' - 'a'] = "unsigned __int128"};
    return c >= 'a' && c <= 'z' ? names[c - 'a'] : NULL;
}

static const char *read_qualified(struct demangler *d, const char *suffix)
{
    d->at++;
    const char *inner = read_type(d);
    const char *whole = join(d, inner, suffix, "");
    return d->failed ? "" : remember(d, whole);
}

static const char *read_type(struct demangler *d)
{
    const char *text = builtin_type(*d->at);
    if (text) {
        d->at++;
        return text;
    }
    if (d->failed || d->depth++ > DEPTH_MAX) return fail(d);
    switch (*d->at) {
    case 'P':
        text = read_qualified(d, "*");
        break;
    case 'R':
        text = read_qualified(d, "&");
        break;
    case 'O':
        text = read_qualified(d, "&&");
        break;
    case 'K':
        text = read_qualified(d, " const");
        break;
    case 'V':
        text = read_qualified(d, " volatile");
        break;
    case 'S':
        if (d->at[1] == 't') {
            text = read_name(d, true);
            break;
        }
        d->at++;
        text = read_substitution(d);
        if (take(d, 'I')) {
            text = join(d, text, read_template_arguments(d), "");
            if (!d->failed) remember(d, text);
        }
        break;
    default:
        text = read_name(d, true);
        break;
    }
    d->depth--;
    return text;
}

/* nvcc -rdc=true calls what is static in a file __nv_static_N_ID_NAME, with N characters of ID. */
static const char *skip_static(const char *name)
{
    static const char prefix[] = "__nv_static_";
    if (strncmp(name, prefix, sizeof prefix - 1) != 0) return name;
    char *end;
    unsigned long length = strtoul(name + sizeof prefix - 1, &end, 10);
    if (*end != '_' || length >= strlen(end) || end[1 + length] != '_' || !end[2 + length])
        return name;
    return end + length + 2;
}

const char *demangle_kernel(struct arena *arena, const char *mangled)
{
    mangled = skip_static(mangled);
    struct demangler demangler = {.arena = arena, .at = mangled + 2};
    if (strncmp(mangled, "_Z", 2) != 0) return mangled;
    const char *name = read_name(&demangler, false);
    bool is_whole = !demangler.failed && *name && *demangler.at;
    return is_whole ? name : mangled;
}

/* `_ZZ4scalPfE4tile_0`: the name behind the function's, without its number; NULL: it is not of this kind. */
static const char *local_name(struct arena *arena, const char *mangled)
{
    if (strncmp(mangled, "_ZZ", 3) != 0) return NULL;
    for (const char *at = mangled + strlen(mangled); at > mangled + 3; at--) {
        if (at[-1] != 'E' || !isdigit((unsigned char)*at)) continue;
        char *name;
        unsigned long length = strtoul(at, &name, 10);
        size_t rest = strlen(name);
        if (length == 0 || length > rest) continue;
        const char *number = name + length + (name[length] == '_');
        if (number[strspn(number, "0123456789")] == 0 && (number > name + length || !*number))
            return arena_copy_n(arena, name, length);
    }
    return NULL;
}

const char *demangle_variable(struct arena *arena, const char *mangled)
{
    const char *local = local_name(arena, mangled);
    struct demangler demangler = {.arena = arena, .at = mangled + 2};
    if (local || strncmp(mangled, "_Z", 2) != 0) return local ? local : mangled;
    const char *name = read_name(&demangler, false);
    return !demangler.failed && *name && !*demangler.at ? name : mangled;
}
