// SPDX-License-Identifier: Apache-2.0
/* A fuzz target without a fuzzer: gives it the files of a folder, one after the other. So every
 * compiler, and every run of the tests, goes through the inputs that once broke something. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int give(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        return 1;
    }
    size_t size = (size_t)ftell(file);
    uint8_t *data = malloc(size + 1);
    rewind(file);
    size_t got = data ? fread(data, 1, size, file) : 0;
    fclose(file);
    int problem = got != size;
    if (problem)
        fprintf(stderr, "%s: cannot read\n", path);
    else
        (void)LLVMFuzzerTestOneInput(data, size);
    free(data);
    return problem;
}

int main(int argc, char **argv)
{
    struct dirent **entries;
    int given = 0;
    int count = argc == 2 ? scandir(argv[1], &entries, NULL, alphasort) : -1;
    if (count < 0) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    for (int i = 0; i < count; i++) {
        char path[4096];
        if (entries[i]->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s", argv[1], entries[i]->d_name);
            printf("%s\n", path); /* the last one is who broke it */
            fflush(stdout);
            if (give(path)) return 1;
            given++;
        }
        free(entries[i]);
    }
    free(entries);
    return given ? 0 : 1;
}
