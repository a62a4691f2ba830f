// A small fuzzer for machines without libFuzzer, and for reproducible runs. Feeds the given files
// to the target, and then copies of them with changes that a seed determines.
//
//     fuzz_NAME [--runs N] [--seed S] [--binary] FILE...
//
// The changes are suited to text. With --binary they change arbitrary bytes, and numbers in binary
// headers.
#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { MOST_FILES = 256, MOST_BYTES = 1 << 16 };

struct file {
    uint8_t *text;
    size_t bytes;
};

static uint64_t state;
static bool binary;

// xorshift64* (Vigna 2014)
static uint32_t random_below(uint32_t n)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (uint32_t)((state * UINT64_C(2685821657736338717)) >> 33) % n;
}

// Writes a random byte, or a number near the limits of its type, as wide as a field of a binary
// format: 1, 2, 4 or 8 bytes.
static void change_number(uint8_t *data, size_t bytes, uint32_t at)
{
    static const uint64_t ends[] = { 0,
                                     1,
                                     0x7f,
                                     0xff,
                                     0xffff,
                                     0x7fffffff,
                                     0xffffffff,
                                     UINT64_MAX,
                                     UINT64_MAX - 63,
                                     UINT64_MAX >> 1,
                                     1 << 20 };
    uint32_t width = 1u << random_below(4);
    uint64_t value = ends[random_below(CUC_LENGTH(ends))];

    if (random_below(2)) {
        data[at] = (uint8_t)random_below(256);
        return;
    }
    at &= ~(width - 1);
    for (uint32_t i = 0; i < width && at + i < bytes; i++)
        data[at + i] = (uint8_t)(value >> (8 * i));
}

static struct file read_file(const char *path)
{
    struct file f = { malloc(MOST_BYTES), 0 };
    FILE *in = fopen(path, "rb");

    if (!f.text || !in) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(2);
    }
    f.bytes = fread(f.text, 1, MOST_BYTES, in);
    fclose(in);
    return f;
}

// Makes one change: changes a byte; removes, duplicates or moves a piece; or inserts one from
// another file.
static size_t change(uint8_t *text, size_t bytes, const struct file *other)
{
    uint32_t at = random_below((uint32_t)bytes), length = 1 + random_below(12);
    uint32_t from = random_below((uint32_t)other->bytes);

    if (length > bytes - at)
        length = (uint32_t)bytes - at;
    if (binary && random_below(4)) {
        change_number(text, bytes, random_below(2) ? at : at & 127); // headers are near the start
        return bytes;
    }
    switch (random_below(5)) {
    case 0:
        text[at] = (uint8_t)(32 + random_below(96));
        return bytes;
    case 1:
        memmove(text + at, text + at + length, bytes - at - length);
        return bytes - length;
    case 2:
        if (bytes + length > MOST_BYTES)
            return bytes;
        memmove(text + at + length, text + at, bytes - at);
        return bytes + length;
    case 3:
        if (length > other->bytes - from)
            length = (uint32_t)(other->bytes - from);
        if (length > bytes - at)
            length = (uint32_t)bytes - at;
        memcpy(text + at, other->text + from, length);
        return bytes;
    default: // replaces a number
        for (uint32_t i = at; i < bytes; i++)
            if (text[i] >= '0' && text[i] <= '9') {
                text[i] = (uint8_t)('0' + random_below(10));
                break;
            }
        return bytes;
    }
}

int main(int argc, char **argv)
{
    static const struct option options[] = { { "runs", required_argument, NULL, 'r' },
                                             { "seed", required_argument, NULL, 's' },
                                             { "binary", no_argument, NULL, 'b' },
                                             { NULL, 0, NULL, 0 } };
    static struct file files[MOST_FILES];
    static uint8_t text[MOST_BYTES];
    uint32_t count = 0, runs = 2000;
    int option;

    state = 1;
    while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
        if (option == 'r')
            runs = (uint32_t)strtoul(optarg, NULL, 10);
        else if (option == 's')
            state = strtoull(optarg, NULL, 10) | 1;
        else if (option == 'b')
            binary = true;
        else
            return 2;
    }
    for (int i = optind; i < argc && count < MOST_FILES; i++) {
        files[count] = read_file(argv[i]);
        if (files[count].bytes)
            LLVMFuzzerTestOneInput(files[count].text, files[count].bytes);
        count += files[count].bytes != 0;
    }
    if (!count) {
        fprintf(stderr, "no files to begin with\n");
        return 2;
    }
    for (uint32_t run = 0; run < runs; run++) {
        const struct file *f = &files[random_below(count)];
        size_t bytes = f->bytes;
        memcpy(text, f->text, bytes);
        for (uint32_t n = 1 + random_below(6); n && bytes > 16; n--)
            bytes = change(text, bytes, &files[random_below(count)]);
        // Make a copy of exactly this size, so that a sanitizer notices a read past its end.
        uint8_t *exact = malloc(bytes);
        if (!exact)
            return 2;
        memcpy(exact, text, bytes);
        LLVMFuzzerTestOneInput(exact, bytes);
        free(exact);
    }
    for (uint32_t i = 0; i < count; i++)
        free(files[i].text);
    printf("%u files, %u changes of them\n", count, runs);
    return 0;
}
