// SPDX-License-Identifier: Apache-2.0
/* A program whose shared libraries are missing ends in the loader, which names the first. Those of CUDA get a line of
 * their own: installing them would not help. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/commands/run.h"

/* The loader that the program names; NULL: none, it is a script or linked statically. */
static const char *loader_of(struct cli *cli, const char *program)
{
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    const char *found = NULL;
    FILE *file = fopen(program, "rbe");
    if (!file) return NULL;
    bool is_elf = fread(&header, sizeof header, 1, file) == 1 &&
                  !memcmp(header.e_ident, ELFMAG, SELFMAG) &&
                  header.e_ident[EI_CLASS] == ELFCLASS64;
    for (unsigned i = 0; is_elf && !found && i < header.e_phnum; i++) {
        char path[256] = "";
        if (fseek(file, (long)(header.e_phoff + i * sizeof segment), SEEK_SET) != 0 ||
            fread(&segment, sizeof segment, 1, file) != 1)
            break;
        if (segment.p_type == PT_INTERP && segment.p_filesz < sizeof path &&
            fseek(file, (long)segment.p_offset, SEEK_SET) == 0 &&
            fread(path, segment.p_filesz, 1, file) == 1)
            found = cli_copy(cli, path);
    }
    fclose(file);
    return found;
}

/* Asked this way, the loader lists libraries, also those that it does not find, and runs no code of the program (as ldd
 * does). Its output; NULL: none. */
static FILE *list_libraries(struct cli *cli, const char *loader, const char *program,
                            pid_t *out_child)
{
    int ends[2];
    if (pipe(ends) != 0) return NULL;
    *out_child = fork();
    if (*out_child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        run_use_libraries(cli, run_libraries(cli));
        setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
        execl(loader, loader, program, (char *)NULL);
        _exit(EXIT_RUN_CANNOT);
    }
    close(ends[1]);
    FILE *list = *out_child > 0 ? fdopen(ends[0], "r") : NULL;
    if (!list) close(ends[0]);
    return list;
}

static bool is_nvidia(const char *name)
{
    static const char *const beginnings[] = {"libcu", "libnv", "libnccl", "libnpp"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (!strncmp(name, beginnings[i], strlen(beginnings[i]))) return true;
    return false;
}

/* Lines are `\tNAME => not found`. */
static const char *read_missing(struct cli *cli, FILE *list)
{
    char line[1024];
    const char *names = NULL;
    while (fgets(line, sizeof line, list)) {
        char *name = line + strspn(line, " \t"), *end = strstr(name, " => not found");
        if (!end || !is_nvidia(name)) continue;
        *end = '\0';
        names = names ? cli_format(cli, "%s, %s", names, name) : cli_copy(cli, name);
    }
    return names;
}

void run_tell_missing_libraries(struct cli *cli, const char *program)
{
    pid_t lister;
    const char *loader = loader_of(cli, program);
    FILE *list = loader ? list_libraries(cli, loader, program, &lister) : NULL;
    if (!list) return;
    const char *names = read_missing(cli, list);
    fclose(list);
    waitpid(lister, NULL, 0);
    if (names)
        fprintf(
            stderr,
            "warpsage: not found: %s. warpsage stands in for the CUDA runtime and driver only, and "
            "executes no kernels of NVIDIA's other libraries: build the program without them\n",
            names);
}
