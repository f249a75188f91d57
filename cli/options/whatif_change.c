// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/whatif.h"

static const struct {
    const char *key;
    enum change_kind kind;
} launch_keys[] = {{"launch.block", CHANGE_BLOCK},
                   {"launch.registers", CHANGE_REGISTERS},
                   {"launch.shared", CHANGE_SHARED}};
enum { LAUNCH_KEYS = sizeof launch_keys / sizeof launch_keys[0] };

int whatif_parse_set(struct cli *cli, const char *text, struct change *out)
{
    static const char machine[] = "machine.";
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1])
        return cli_error(cli, EXIT_USAGE, "invalid value '%s' for --set: expected KEY=VALUE", text);
    char *key = cli_copy(cli, text);
    key[equals - text] = '\0';
    *out = (struct change){CHANGE_MACHINE, text, key, equals};
    if (!strncmp(key, machine, strlen(machine))) return EXIT_DONE;
    const char *names[LAUNCH_KEYS];
    for (size_t i = 0; i < LAUNCH_KEYS; i++) {
        names[i] = launch_keys[i].key;
        out->kind = launch_keys[i].kind;
        if (!strcmp(key, launch_keys[i].key)) return EXIT_DONE;
    }
    return cli_error(cli, EXIT_USAGE,
                     "--set: unknown key '%s'%s; keys are launch.block, launch.registers, "
                     "launch.shared and machine.KEY (`warpsage machines show` lists them)",
                     key, cli_hint(cli, key, names, LAUNCH_KEYS));
}

int whatif_apply(struct cli *cli, const struct change *change, uint64_t now, uint64_t *out)
{
    const char *text = change->value + 1;
    char operation = strchr("*+-", *text) ? *text++ : '=';
    char *number = cli_copy(cli, text);
    size_t length = strlen(number);
    bool percent = length && number[length - 1] == '%';
    bool relative = operation == '+' || operation == '-';
    double value, old = (double)now;
    if (percent) number[length - 1] = '\0';
    if (!parse_number(number, &value) || value < 0 || (percent && !relative))
        return cli_error(
            cli, EXIT_USAGE,
            "--set %s: invalid change '%s': expected =V, =*V, =+V, =-V, =+P%% or =-P%%",
            change->text, change->value);
    if (operation != '=' && !now)
        return cli_error(cli, EXIT_USAGE,
                         "--set %s: relative change of a value that is not set: use =V",
                         change->text);
    if (percent) value = old * value / 100;
    double result = operation == '*'   ? old * value
                    : operation == '+' ? old + value
                    : operation == '-' ? old - value
                                       : value;
    result = floor(result * (1 + 1e-12));
    bool may_be_zero = change->kind == CHANGE_SHARED;
    if (!(result >= (may_be_zero ? 0 : 1)) || result > 4294967295.0)
        return cli_error(cli, EXIT_USAGE, "--set %s gives %.6g: out of range, expected %s to 2^32",
                         change->text, result, may_be_zero ? "0" : "1");
    *out = (uint64_t)result;
    return EXIT_DONE;
}
