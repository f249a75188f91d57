// SPDX-License-Identifier: Apache-2.0
/* The JSON Schema of a question, from the tables of its figures: one definition a record. */
#include <string.h>

#include "render/json_out.h"
#include "render/render.h"

enum { RECORDS_MAX = 256 };

struct schema {
    struct json_out json;
    const struct record *records[RECORDS_MAX]; /* to define, each once */
    size_t count;
};

static void refer(struct schema *schema, const struct record *record)
{
    struct strbuf path = {0};
    size_t i = 0;
    while (i < schema->count && schema->records[i] != record)
        i++;
    if (i == schema->count && schema->count < RECORDS_MAX)
        schema->records[schema->count++] = record;
    strbuf_printf(&path, "#/$defs/%s", record->id);
    json_out_string(&schema->json, "$ref", path.data);
    strbuf_clear(&path);
}

/* `or_type` NULL: only the one. */
static void types_of(struct schema *schema, const char *type, const char *or_type, bool may_be_null)
{
    json_out_open(&schema->json, "type", '[');
    json_out_string(&schema->json, NULL, type);
    if (or_type) json_out_string(&schema->json, NULL, or_type);
    if (may_be_null) json_out_string(&schema->json, NULL, "null");
    json_out_close(&schema->json, ']');
}

static void type_of(struct schema *schema, const char *type, bool may_be_null)
{
    if (may_be_null)
        types_of(schema, type, NULL, true);
    else
        json_out_string(&schema->json, "type", type);
}

static void typed(struct schema *schema, const char *key, const char *type, bool may_be_null)
{
    json_out_open(&schema->json, key, '{');
    type_of(schema, type, may_be_null);
    json_out_close(&schema->json, '}');
}

static void reference(struct schema *schema, const char *key, const struct record *record)
{
    json_out_open(&schema->json, key, '{');
    refer(schema, record);
    json_out_close(&schema->json, '}');
}

/* The object of a struct measured, or its plain number. */
static void measured(struct schema *schema, enum measured_parts parts)
{
    struct json_out *json = &schema->json;
    if (!parts) {
        type_of(schema, "number", true);
        return;
    }
    json_out_string(json, "type", "object");
    json_out_bool(json, "additionalProperties", false);
    json_out_open(json, "required", '[');
    json_out_string(json, NULL, "value");
    if (parts & WITH_UNIT) json_out_string(json, NULL, "unit");
    if (parts & WITH_TEXT) json_out_string(json, NULL, "text");
    if (parts & WITH_ORIGIN) json_out_string(json, NULL, "from");
    json_out_close(json, ']');
    json_out_open(json, "properties", '{');
    typed(schema, "value", "number", true);
    if (parts & WITH_UNIT) typed(schema, "unit", "string", false);
    if (parts & WITH_TEXT) typed(schema, "text", "string", true);
    if (parts & WITH_ORIGIN) {
        json_out_open(json, "from", '{');
        json_out_open(json, "enum", '[');
        for (size_t i = 1; i < ORIGIN_COUNT; i++)
            json_out_string(json, NULL, origin_infos[i].id);
        json_out_null(json, NULL);
        json_out_close(json, ']');
        json_out_close(json, '}');
        typed(schema, "lo", "number", false);
        typed(schema, "hi", "number", false);
    }
    if (parts & WITH_SOURCE) typed(schema, "source", "string", true);
    typed(schema, "reason", "string", false);
    json_out_close(json, '}');
}

static void array_of(struct schema *schema, const char *type, bool may_be_null)
{
    json_out_string(&schema->json, "type", "array");
    typed(schema, "items", type, may_be_null);
}

static void matrix(struct schema *schema)
{
    struct json_out *json = &schema->json;
    json_out_string(json, "type", "array");
    json_out_open(json, "items", '{');
    array_of(schema, "number", false);
    json_out_close(json, '}');
}

static void section(struct schema *schema, const struct figure *figure)
{
    struct json_out *json = &schema->json;
    json_out_open(json, "oneOf", '[');
    if (figure->of) reference(schema, NULL, figure->of);
    for (size_t i = 0; figure->choice && figure->choice(i); i++)
        reference(schema, NULL, figure->choice(i));
    typed(schema, NULL, "null", false);
    json_out_close(json, ']');
}

static void shape(struct schema *schema, const struct figure *figure)
{
    struct json_out *json = &schema->json;
    bool may_be_null = figure->when == FIGURE_MAY_BE_NULL;
    switch (figure->kind) {
    case FIGURE_IS_NUMBER:
        types_of(schema, "number", figure->may_be_word ? "string" : NULL, true);
        break;
    case FIGURE_IS_COUNT:
        type_of(schema, "integer", may_be_null);
        json_out_number(json, "minimum", 0);
        break;
    case FIGURE_IS_FLAG:
        type_of(schema, "boolean", may_be_null);
        break;
    case FIGURE_IS_WORD:
        type_of(schema, "string", true);
        break;
    case FIGURE_IS_SECTION:
        section(schema, figure);
        break;
    case FIGURE_IS_LIST:
    case FIGURE_IS_TABLE:
        if (figure->is_matrix) {
            matrix(schema);
            break;
        }
        type_of(schema, "array", may_be_null);
        reference(schema, "items", figure->of);
        break;
    case FIGURE_IS_MAP:
        type_of(schema, "object", may_be_null);
        reference(schema, "additionalProperties", figure->of);
        break;
    case FIGURE_IS_WORDS:
        array_of(schema, "string", false);
        break;
    case FIGURE_IS_COUNTS:
        array_of(schema, "integer", false);
        break;
    case FIGURE_IS_NUMBERS:
        array_of(schema, "number", true);
        break;
    case FIGURE_IS_MEASURED:
        measured(schema, figure->parts);
        break;
    case FIGURE_IS_MEASUREDS:
        json_out_string(json, "type", "object");
        json_out_open(json, "additionalProperties", '{');
        measured(schema, figure->parts);
        json_out_close(json, '}');
        break;
    }
}

static void property(struct schema *schema, const struct figure *figure)
{
    struct json_out *json = &schema->json;
    json_out_open(json, figure->id, '{');
    json_out_string(json, "description", figure->text);
    if (figure->unit && *figure->unit) json_out_string(json, "x-unit", figure->unit);
    shape(schema, figure);
    json_out_close(json, '}');
}

/* The members of a record; of one that answers a question beside what every document has. */
static void members(struct schema *schema, const struct question *question,
                    const struct record *record)
{
    struct json_out *json = &schema->json;
    json_out_string(json, "type", "object");
    json_out_bool(json, "additionalProperties", false);
    json_out_open(json, "required", '[');
    if (question) json_out_string(json, NULL, "schema");
    if (question) json_out_string(json, NULL, "tool");
    for (size_t i = 0; i < record->figure_count; i++)
        if (record->figures[i].when != FIGURE_MAY_BE_OMITTED)
            json_out_string(json, NULL, record->figures[i].id);
    json_out_close(json, ']');
    json_out_open(json, "properties", '{');
    if (question) {
        json_out_open(json, "schema", '{');
        json_out_string(json, "const", question->schema);
        json_out_close(json, '}');
        json_out_open(json, "tool", '{');
        json_out_string(json, "$ref", "#/$defs/tool");
        json_out_close(json, '}');
    }
    for (size_t i = 0; i < record->figure_count; i++)
        property(schema, &record->figures[i]);
    json_out_close(json, '}');
}

static void tool(struct schema *schema)
{
    struct json_out *json = &schema->json;
    json_out_open(json, "tool", '{');
    json_out_string(json, "type", "object");
    json_out_bool(json, "additionalProperties", false);
    json_out_open(json, "required", '[');
    json_out_string(json, NULL, "name");
    json_out_string(json, NULL, "version");
    json_out_close(json, ']');
    json_out_open(json, "properties", '{');
    json_out_open(json, "name", '{');
    json_out_string(json, "const", "warpsage");
    json_out_close(json, '}');
    typed(schema, "version", "string", false);
    json_out_close(json, '}');
    json_out_close(json, '}');
}

void render_schema(const struct question *question, struct strbuf *out)
{
    struct schema schema = {.json.out = out};
    struct json_out *json = &schema.json;
    struct strbuf id = {0};
    const char *slash = strchr(question->schema, '/');
    strbuf_printf(&id, "urn:warpsage:%s:%s", question->name, slash ? slash + 1 : "1");
    json_out_open(json, NULL, '{');
    json_out_string(json, "$schema", "https://json-schema.org/draft/2020-12/schema");
    json_out_string(json, "$id", id.data);
    json_out_string(json, "title", question->record->text);
    json_out_string(json, "description",
                    "SI base units; numbers as numbers; what is missing is null.");
    members(&schema, question, question->record);
    json_out_open(json, "$defs", '{');
    tool(&schema);
    for (size_t i = 0; i < schema.count; i++) { /* grows while definitions refer to others */
        json_out_open(json, schema.records[i]->id, '{');
        json_out_string(json, "description", schema.records[i]->text);
        members(&schema, question_of(schema.records[i]), schema.records[i]);
        json_out_close(json, '}');
    }
    json_out_close(json, '}');
    json_out_close(json, '}');
    strbuf_putc(out, '\n');
    strbuf_clear(&id);
}
