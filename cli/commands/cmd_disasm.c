// SPDX-License-Identifier: Apache-2.0
/* disasm: the machine code of a cubin, a fat binary or a program. */
#include <ctype.h>
#include <string.h>

#include "cli/options/analysis.h"

enum { OPTION_TARGET = OPTION_OWN, OPTION_LINES };

static const struct option_row options[] = {
    {OPTION_KERNEL, 'k', "kernel", "{kernel}NAME", "only this kernel and what it calls"},
    {OPTION_TARGET, 0, "target", "sm_NN",
     "which code of a fat binary (default: the newest that can be read)"},
    {OPTION_GPU, 0, "gpu", "{gpu}ID", "the code that this GPU runs, instead of --target"},
    {OPTION_LINES, 0, "lines", "none|source|ptx|all",
     "lines shown between the instructions (default: source)"},
    {OPTION_FORMAT, 'f', "format", "text|json", "output format"},
    {OPTION_OUTPUT, 'o', "output", ">FILE", "write the listing to FILE"},
    {0},
};

struct disasm_request {
    ws_disasm_options how;
    const char *output;
};

static int read_target(struct cli *cli, const char *text, unsigned *out)
{
    const char *digits = strncmp(text, "sm_", 3) ? text : text + 3;
    uint64_t target;
    if (!isdigit((unsigned char)*digits))
        return cli_error(cli, EXIT_USAGE, "invalid value '%s' for --target: expected sm_80 or 80",
                         text);
    CLI_TRY(parse_unsigned(cli, "--target", digits, 999, &target));
    *out = (unsigned)target;
    return EXIT_DONE;
}

static int read_gpu(struct cli *cli, const char *id, unsigned *out)
{
    ws_machine *machine;
    CLI_TRY(cli_load_gpu(cli, id, &machine));
    *out = ws_machine_target(machine);
    ws_machine_destroy(machine);
    return EXIT_DONE;
}

static int read_lines(struct cli *cli, const char *text, unsigned *out)
{
    static const struct {
        const char *name;
        unsigned lines;
    } choices[] = {{"none", WS_DISASM_NO_LINES},
                   {"source", WS_DISASM_SOURCE},
                   {"ptx", WS_DISASM_PTX},
                   {"all", WS_DISASM_SOURCE | WS_DISASM_PTX}};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        if (strcmp(text, choices[i].name) != 0) continue;
        *out = choices[i].lines;
        return EXIT_DONE;
    }
    return cli_error(cli, EXIT_USAGE,
                     "invalid value '%s' for --lines: expected none, source, ptx or all", text);
}

static int read_option(struct cli *cli, const struct option_use *use, struct disasm_request *out)
{
    switch (use->id) {
    case OPTION_KERNEL:
        out->how.kernel = use->value;
        return EXIT_DONE;
    case OPTION_TARGET:
        return read_target(cli, use->value, &out->how.target);
    case OPTION_GPU:
        return read_gpu(cli, use->value, &out->how.target);
    case OPTION_LINES:
        return read_lines(cli, use->value, &out->how.lines);
    case OPTION_FORMAT:
        return parse_format(cli, use->value, &out->how.format);
    case OPTION_OUTPUT:
        out->output = use->value;
        return EXIT_DONE;
    default:
        return EXIT_DONE;
    }
}

static bool write_bytes(void *user, const char *bytes, size_t size)
{
    return fwrite(bytes, 1, size, user) == size;
}

/* Unknown instructions are an error, but the listing has the others. */
static int disassemble(struct cli *cli, const char *path, const struct disasm_request *request)
{
    struct cli_text text;
    ws_disasm_info info = {.size = sizeof info};
    CLI_TRY(cli_text_open(cli, &text));
    ws_status status =
        ws_disassemble(cli->context, path, &request->how, write_bytes, text.out, &info);
    int exit_code = status == WS_OK ? EXIT_DONE : ws_status_exit_code(status);
    if (status != WS_OK && !info.instructions) {
        cli_text_drop(&text);
        return cli_failed(cli, status);
    }
    bool is_read = !request->output && request->how.format == WS_FORMAT_TEXT;
    CLI_TRY(is_read ? cli_text_close_fitted(cli, &text)
                    : cli_text_close(cli, &text, request->output));
    if (status != WS_OK) cli_failed(cli, status);
    return exit_code;
}

static int run_disasm(struct cli *cli, const struct command *command, int argc, char **argv)
{
    struct command_line line;
    struct disasm_request request = {
        .how = {.size = sizeof request.how, .lines = WS_DISASM_SOURCE}};
    const char *path;
    bool done;
    CLI_TRY(options_parse(cli, command, argc, argv, &line, &done));
    if (done) return EXIT_DONE;
    if (line.operand_count != 1)
        return cli_error(cli, EXIT_USAGE,
                         "disasm takes one FILE: a cubin, a fat binary or a program");
    for (size_t i = 0; i < line.use_count; i++)
        CLI_TRY(read_option(cli, &line.uses[i], &request));
    CLI_TRY(cli_input(cli, line.operands[0], &path));
    CLI_TRY(cli_check_outputs(cli));
    return disassemble(cli, path, &request);
}

const struct command command_disasm = {
    .name = "disasm",
    .synopsis =
        "  warpsage disasm FILE [--kernel NAME] [--target sm_NN|--gpu ID] [-f json] [-o FILE]",
    .summary = "list the machine code of a cubin, fat binary or program",
    .text = "Reads native code of sm_75, 80, 86, 89 and 90. Each instruction has the columns\n"
            "  0070  0----- r2 w1 y0  4 a--  @P0 IADD3 R2, R2.reuse, 0x1, RZ\n"
            "  0070     offset in the section, in bytes (hexadecimal)\n"
            "  0-----   counters that it waits for, 0 to 5\n"
            "  r2       counter that tells when its sources were read; r-: none\n"
            "  w1       counter that tells when its result is there; w-: none\n"
            "  y0       yield bit, bit 109 as it stands\n"
            "  4        cycles until the warp may issue its next instruction\n"
            "  a--      operands kept in the reuse cache: a, b, c\n"
            ".L_1: marks where branches go. Symbols that relocations name are written instead of "
            "the\n"
            "values that they replace, or behind //. With -lineinfo, lines `// file.cu:27` tell "
            "the\n"
            "source; --lines ptx shows the PTX that ptxas compiled.\n\n"
            "Instructions that are unknown are listed as ? with their 128 bits; their number is "
            "an\n"
            "error then, exit status 3.\n\n"
            "Examples\n"
            "  warpsage disasm saxpy.cubin\n"
            "  warpsage disasm ./program --kernel saxpy --target sm_86 -f json\n",
    .operands = "<FILE",
    .options = options,
    .run = run_disasm,
};
