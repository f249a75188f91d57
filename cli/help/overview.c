// SPDX-License-Identifier: Apache-2.0
/* What is said of the program as a whole. */
#include <string.h>

#include "cli/help/help.h"

const char help_summary[] = "predict the time of a GPU kernel, and what bounds it, without a GPU";

const struct help_section help_sections[] = {
    {"Files",
     "  `-` is standard input, or standard output for -o. Inputs may be pipes. Output files are\n"
     "  replaced atomically and must not be one of the inputs.\n",
     true},
    {"Exit status",
     "  0 success   1 a check failed   3 unreadable input   70 internal error\n"
     "  2 invalid option, name or launch; out of host memory\n"
     "  4 kernel fault, instruction or time limit reached, no model applies\n"
     "  5 no device or no permission\n"
     "  130 interrupted, 143 terminated: analyze reports the counts so far\n",
     true},
    {"Environment",
     "  PATH               where nvcc, clang and ptxas are looked for, then /usr/local/cuda/bin;\n"
     "                     PTX needs none of them\n"
     "  WARPSAGE_MACHINES  folder of machine files, instead of the installed one\n"
     "  WARPSAGE_EVIDENCE  file of the models' errors on measured kernels, likewise\n"
     "  WARPSAGE_ISA       what is executed by default: ptx, native or auto (--isa)\n"
     "  COLUMNS            width of text that does not go to a terminal, from 40 to 200\n"
     "  NO_COLOR           not empty: no colour, unless --color=always\n"
     "  CLICOLOR_FORCE     neither empty nor 0: colour also where text goes to a file\n"
     "  TERM               dumb: neither colour nor progress\n"
     "  TMPDIR             where `warpsage run` keeps what it needs while a program runs\n",
     false},
    {NULL, NULL, false},
};

void help_overview(FILE *out)
{
    fprintf(out, "warpsage: %s\n\nUsage\n  warpsage COMMAND [OPTIONS]\n\nCommands\n", help_summary);
    for (size_t i = 0; commands[i]; i++)
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fputs("  help       show the options of a command\n\n"
          "  --version  print the version\n  --help     print this text\n",
          out);
    for (const struct help_section *section = help_sections; section->title; section++)
        if (section->is_in_overview) fprintf(out, "\n%s\n%s", section->title, section->text);
}
