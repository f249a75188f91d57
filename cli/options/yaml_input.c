// SPDX-License-Identifier: Apache-2.0
#include "cli/options/yaml_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Far above what people write (doc/limits.md). */
enum { DEPTH_MAX = 64, BYTES_MAX = 16 << 20 };

struct text {
    char *bytes;
    size_t size;
};

const char *yaml_input_place(struct cli *cli, const char *path, const yaml_mark_t *mark)
{
    return cli_format(cli, "%s:%zu:%zu", path, mark->line + 1, mark->column + 1);
}

static int parse_error(struct cli *cli, const char *path, const yaml_parser_t *parser)
{
    /* Its composer gives up without saying why, which is always for want of memory. */
    if (parser->error == YAML_MEMORY_ERROR || parser->error == YAML_NO_ERROR)
        return cli_out_of_memory(cli, 0);
    return cli_error(cli, EXIT_INPUT, "%s: error: %s%s%s",
                     yaml_input_place(cli, path, &parser->problem_mark),
                     parser->problem ? parser->problem : "not YAML", parser->context ? ", " : "",
                     parser->context ? parser->context : "");
}

/* libyaml takes time with the square of the depth of brackets: event by event ends at the bound. */
static int check_depth(struct cli *cli, const char *path, yaml_parser_t *parser)
{
    int exit_code = EXIT_DONE;
    bool is_last = false;
    for (unsigned depth = 0; exit_code == EXIT_DONE && !is_last;) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event)) return parse_error(cli, path, parser);
        switch (event.type) {
        case YAML_SEQUENCE_START_EVENT:
        case YAML_MAPPING_START_EVENT:
            if (++depth > DEPTH_MAX)
                exit_code =
                    cli_error(cli, EXIT_INPUT, "%s: error: nested too deeply: at most %d levels",
                              yaml_input_place(cli, path, &event.start_mark), DEPTH_MAX);
            break;
        case YAML_SEQUENCE_END_EVENT:
        case YAML_MAPPING_END_EVENT:
            depth--;
            break;
        default:
            is_last = event.type == YAML_DOCUMENT_END_EVENT || event.type == YAML_STREAM_END_EVENT;
        }
        yaml_event_delete(&event);
    }
    return exit_code;
}

static int load_document(struct cli *cli, const char *path, yaml_parser_t *parser,
                         yaml_document_t *out)
{
    return yaml_parser_load(parser, out) ? EXIT_DONE : parse_error(cli, path, parser);
}

/* Checks the text, or makes a document of it if there is one to make. */
static int parse(struct cli *cli, const char *path, const struct text *text, yaml_document_t *out)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) return cli_out_of_memory(cli, 0);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text->bytes, text->size);
    int exit_code = out ? load_document(cli, path, &parser, out) : check_depth(cli, path, &parser);
    yaml_parser_delete(&parser);
    return exit_code;
}

static int read_text(struct cli *cli, const char *path, FILE *stream, struct text *out)
{
    enum { LEAST = 1 << 16 };
    size_t room = 0;
    do {
        room = room ? 2 * room : LEAST;
        char *bytes = realloc(out->bytes, room);
        if (!bytes) return cli_out_of_memory(cli, room);
        out->bytes = bytes;
        out->size += fread(bytes + out->size, 1, room - out->size, stream);
    } while (out->size == room && room <= BYTES_MAX);
    if (ferror(stream))
        return cli_error(cli, EXIT_INPUT, "%s: cannot read: %s", path, strerror(errno));
    if (out->size <= BYTES_MAX) return EXIT_DONE;
    return cli_error(cli, EXIT_INPUT, "%s: file too large: at most %d bytes", path, BYTES_MAX);
}

int yaml_input_load(struct cli *cli, const char *path, yaml_document_t *out)
{
    struct text text = {0};
    FILE *stream = fopen(path, "rb");
    if (!stream) return cli_error(cli, EXIT_INPUT, "%s: cannot open: %s", path, strerror(errno));
    int exit_code = read_text(cli, path, stream, &text);
    fclose(stream);
    if (exit_code == EXIT_DONE) exit_code = parse(cli, path, &text, NULL);
    if (exit_code == EXIT_DONE) exit_code = parse(cli, path, &text, out);
    free(text.bytes);
    return exit_code;
}

int yaml_input_key(struct cli *cli, const char *path, const yaml_node_t *key,
                   const char *const *names, size_t count, bool *seen, size_t *out)
{
    const char *place = yaml_input_place(cli, path, &key->start_mark);
    if (key->type != YAML_SCALAR_NODE)
        return cli_error(cli, EXIT_INPUT, "%s: error: expected the name of a key", place);
    const char *name = (const char *)key->data.scalar.value;
    *out = 0;
    while (*out < count && strcmp(names[*out], name) != 0)
        ++*out;
    if (*out == count)
        return cli_error(cli, EXIT_INPUT, "%s: error: unknown key '%s'%s", place, name,
                         cli_hint(cli, name, names, count));
    if (seen[*out]) return cli_error(cli, EXIT_INPUT, "%s: error: duplicate key '%s'", place, name);
    seen[*out] = true;
    return EXIT_DONE;
}
