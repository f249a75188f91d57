// SPDX-License-Identifier: Apache-2.0
#include "render/sarif.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "warpsage/warpsage.h"

/* ---- URIs ------------------------------------------------------------------------------------ */

/* What follows the root in the path; NULL: it is not below it. */
static const char *below(const char *path, const char *root)
{
    size_t length = root ? strlen(root) : 0;
    while (length && root[length - 1] == '/')
        length--;
    if (!root || *root != '/' || strncmp(path, root, length) != 0 || path[length] != '/')
        return NULL;
    path += length + strspn(path + length, "/");
    return *path ? path : NULL;
}

/* Unreserved characters and the slash stay (RFC 3986, 2.3); of bytes that are not ASCII each by itself. */
static void put_encoded(struct strbuf *out, const char *path)
{
    for (const unsigned char *at = (const unsigned char *)path; *at; at++)
        if ((*at < 0x80 && isalnum(*at)) || strchr("-._~/", *at))
            strbuf_putc(out, (char)*at);
        else
            strbuf_printf(out, "%%%02X", *at);
}

void sarif_put_uri(struct strbuf *out, const char *path, const char *root)
{
    const char *relative = below(path, root);
    while (!relative && !strncmp(path, "./", 2))
        path += 2 + strspn(path + 2, "/");
    if (!relative && *path == '/') strbuf_puts(out, "file://");
    put_encoded(out, relative ? relative : path);
}

/* ---- the document ---------------------------------------------------------------------------- */

static void put_message(struct json_out *json, const char *key, const char *text)
{
    json_out_open(json, key, '{');
    json_out_string(json, "text", text);
    json_out_close(json, '}');
}

static const char *const levels[] = {"note", "warning", "error"};

/* reportingDescriptor (3.49) */
static void put_rule(struct json_out *json, const struct sarif_rule *rule)
{
    json_out_open(json, NULL, '{');
    json_out_string(json, "id", rule->id);
    put_message(json, "shortDescription", rule->title);
    if (rule->help) put_message(json, "fullDescription", rule->help);
    if (rule->help) put_message(json, "help", rule->help);
    if (rule->has_level) {
        json_out_open(json, "defaultConfiguration", '{');
        json_out_string(json, "level", levels[rule->level]);
        json_out_close(json, '}');
    }
    json_out_open(json, "properties", '{');
    json_out_open(json, "tags", '[');
    json_out_string(json, NULL, rule->tag ? rule->tag : "performance");
    json_out_close(json, ']');
    json_out_close(json, '}');
    json_out_close(json, '}');
}

void sarif_begin(struct sarif *sarif, struct strbuf *out, const struct sarif_rule *rules,
                 size_t rule_count)
{
    struct json_out *json = &sarif->json;
    *json = (struct json_out){.out = out};
    sarif->rules = rules;
    json_out_open(json, NULL, '{');
    json_out_string(json, "$schema",
                    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
                    "sarif-schema-2.1.0.json");
    json_out_string(json, "version", "2.1.0");
    json_out_open(json, "runs", '[');
    json_out_open(json, NULL, '{');
    json_out_open(json, "tool", '{');
    json_out_open(json, "driver", '{');
    json_out_string(json, "name", "warpsage");
    json_out_string(json, "semanticVersion", ws_version());
    json_out_open(json, "rules", '[');
    for (size_t i = 0; i < rule_count; i++)
        put_rule(json, &rules[i]);
    json_out_close(json, ']');
    json_out_close(json, '}');
    json_out_close(json, '}');
    json_out_string(json, "columnKind", "utf16CodeUnits");
    json_out_open(json, "results", '[');
}

/* physicalLocation (3.29) */
static void put_place(const struct sarif *sarif, struct json_out *json, const char *file,
                      uint32_t line, uint32_t column)
{
    struct strbuf uri = {0};
    sarif_put_uri(&uri, file, sarif->root);
    json_out_open(json, "physicalLocation", '{');
    json_out_open(json, "artifactLocation", '{');
    json_out_string(json, "uri", uri.data);
    json_out_close(json, '}');
    if (line) {
        json_out_open(json, "region", '{');
        json_out_count(json, "startLine", line);
        if (column) json_out_count(json, "startColumn", column);
        json_out_close(json, '}');
    }
    json_out_close(json, '}');
    strbuf_clear(&uri);
}

/* logicalLocation (3.33) */
static void put_function(struct json_out *json, const struct sarif_result *result)
{
    json_out_open(json, "logicalLocations", '[');
    json_out_open(json, NULL, '{');
    json_out_string(json, "fullyQualifiedName", result->function);
    if (result->mangled) json_out_string(json, "decoratedName", result->mangled);
    json_out_string(json, "kind", "function");
    json_out_close(json, '}');
    json_out_close(json, ']');
}

static void put_properties(struct json_out *json, const struct sarif_result *result)
{
    json_out_open(json, "properties", '{');
    for (size_t i = 0; i < result->property_count; i++) {
        const struct sarif_property *property = &result->properties[i];
        if (property->text)
            json_out_string(json, property->name, property->text);
        else if (isfinite(property->number))
            json_out_number(json, property->name, property->number);
    }
    json_out_close(json, '}');
}

/* relatedLocations (3.27.22) */
static void put_related(const struct sarif *sarif, struct json_out *json,
                        const struct sarif_result *result)
{
    if (!result->related_count) return;
    json_out_open(json, "relatedLocations", '[');
    for (size_t i = 0; i < result->related_count; i++) {
        const struct sarif_place *place = &result->related[i];
        json_out_open(json, NULL, '{');
        json_out_count(json, "id", i + 1);
        put_place(sarif, json, place->file, place->line, 0);
        put_message(json, "message", place->text);
        json_out_close(json, '}');
    }
    json_out_close(json, ']');
}

/* suppressions (3.27.23) */
static void put_suppression(struct json_out *json, const struct sarif_result *result)
{
    if (!result->is_suppressed) return;
    json_out_open(json, "suppressions", '[');
    json_out_open(json, NULL, '{');
    json_out_string(json, "kind", result->in_source ? "inSource" : "external");
    if (result->justification) json_out_string(json, "justification", result->justification);
    json_out_close(json, '}');
    json_out_close(json, ']');
}

void sarif_put(struct sarif *sarif, const struct sarif_result *result)
{
    struct json_out *json = &sarif->json;
    bool has_file = result->file && *result->file;
    json_out_open(json, NULL, '{');
    json_out_string(json, "ruleId", sarif->rules[result->rule].id);
    json_out_count(json, "ruleIndex", result->rule);
    json_out_string(json, "level", levels[result->level]);
    put_message(json, "message", result->message);
    if (has_file || result->function) {
        json_out_open(json, "locations", '[');
        json_out_open(json, NULL, '{');
        if (has_file) put_place(sarif, json, result->file, result->line, result->column);
        if (result->function) put_function(json, result);
        json_out_close(json, '}');
        json_out_close(json, ']');
    }
    put_related(sarif, json, result);
    put_suppression(json, result);
    if (result->property_count) put_properties(json, result);
    json_out_close(json, '}');
}

/* invocation (3.20) with notifications (3.58) */
static void put_invocation(struct json_out *json, const struct sarif_invocation *invocation)
{
    json_out_open(json, "invocations", '[');
    json_out_open(json, NULL, '{');
    json_out_bool(json, "executionSuccessful", invocation->is_successful);
    json_out_open(json, "toolExecutionNotifications", '[');
    for (size_t i = 0; i < invocation->note_count; i++) {
        json_out_open(json, NULL, '{');
        json_out_string(json, "level", "warning");
        json_out_open(json, "message", '{');
        json_out_string(json, "text", invocation->notes[i]);
        json_out_close(json, '}');
        json_out_close(json, '}');
    }
    json_out_close(json, ']');
    json_out_close(json, '}');
    json_out_close(json, ']');
}

void sarif_end(struct sarif *sarif, const struct sarif_invocation *invocation)
{
    struct json_out *json = &sarif->json;
    json_out_close(json, ']');
    if (invocation) put_invocation(json, invocation);
    json_out_close(json, '}');
    json_out_close(json, ']');
    json_out_close(json, '}');
    strbuf_putc(json->out, '\n');
}
