// fuzz_replay.c: runs a fuzz target without a fuzzer: over the files of directories as they are,
// cut short at places all over, and with single bytes changed (the same ones every time).
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sprag/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_FILE = 1 << 20, CUTS = 40, CHANGES = 60 };

static void run_changed(SpragRandom *random, uint8_t *bytes, size_t size)
{
    static const char likely[] = "[]{}:,-\n #&*!\"'%|>?0123456789.eE+-/^()$x \t";
    if (size == 0)
        return;
    for (int i = 0; i < CUTS; i++)
        LLVMFuzzerTestOneInput(bytes, size * (size_t)i / CUTS);
    for (int i = 0; i < CHANGES; i++) {
        size_t at = (size_t)sprag_random_below(random, (int)size);
        uint8_t old = bytes[at];
        bytes[at] = i % 4 == 0 ? (uint8_t)sprag_random_below(random, 256)
                               : (uint8_t)likely[sprag_random_below(random, sizeof likely - 1)];
        LLVMFuzzerTestOneInput(bytes, size);
        bytes[at] = old;
    }
}

static bool run_file(SpragRandom *random, const char *path, uint8_t *bytes)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    size_t size = fread(bytes, 1, MAX_FILE, file);
    bool good = !ferror(file);
    fclose(file);
    if (!good)
        return false;
    // a block of its exact size, so that a read past its end is noticed
    uint8_t *exact = malloc(size ? size : 1);
    if (!exact)
        return false;
    memcpy(exact, bytes, size);
    LLVMFuzzerTestOneInput(exact, size);
    run_changed(random, exact, size);
    free(exact);
    return true;
}

static int run_directory(SpragRandom *random, const char *directory, uint8_t *bytes)
{
    struct dirent **entries;
    int count = scandir(directory, &entries, NULL, alphasort), runs = 0;
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", directory, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            runs += run_file(random, path, bytes);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return runs;
}

int main(int argument_count, char **arguments)
{
    SpragRandom random;
    sprag_random_init(&random, 1);
    uint8_t *bytes = malloc(MAX_FILE);
    if (!bytes)
        return 1;
    int runs = 0;
    for (int i = 1; i < argument_count; i++)
        runs += run_directory(&random, arguments[i], bytes);
    free(bytes);
    printf("%d files\n", runs);
    return runs == 0;
}
