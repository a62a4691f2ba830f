// Reads and writes golden files: a device's results as text.
//
//     cucore opcodes 1
//     device NVIDIA H200
//     ...                                      more lines "key value", then an empty one
//     exact INPUTS OUTPUTS BITS add.rn.f32 %d0, %i0, %i1;
//     near INPUTS OUTPUTS BITS COUNT ex2.approx.f32 %d0, %i0;
//     VALUES
//
// INPUTS, OUTPUTS and BITS are hexadecimal hashes (opcodes.h, struct record). VALUES are COUNT
// hexadecimal numbers, 16 per line.
#include "opcodes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char magic[] = "cucore opcodes 1\n";

struct golden {
    char *header;
    struct record *records;
    size_t count, room;
};

uint64_t hash(uint64_t state, const uint64_t *values, size_t count)
{
    state ^= UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count; i++) {
        state = (state ^ values[i]) * UINT64_C(0x9e3779b97f4a7c15);
        state ^= state >> 29;
    }
    return state;
}

struct golden *golden_new(const char *header)
{
    struct golden *g = calloc(1, sizeof(*g));

    if (!g || !(g->header = strdup(header)))
        abort();
    return g;
}

void golden_free(struct golden *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < g->count; i++) {
        free(g->records[i].text);
        free(g->records[i].values);
    }
    free(g->records);
    free(g->header);
    free(g);
}

const char *golden_header(const struct golden *g)
{
    return g->header;
}

static struct record *room_for_one(struct golden *g)
{
    if (g->count == g->room) {
        g->room = g->room ? 2 * g->room : 64;
        g->records = realloc(g->records, g->room * sizeof(*g->records));
        if (!g->records)
            abort();
    }
    g->records[g->count] = (struct record){ 0 };
    return &g->records[g->count++];
}

void golden_add(struct golden *g, const struct record *record)
{
    struct record *r = room_for_one(g);

    *r = *record;
    r->text = strdup(record->text);
    if (record->values) {
        r->values = malloc(record->count * sizeof(*r->values));
        if (!r->text || !r->values)
            abort();
        memcpy(r->values, record->values, record->count * sizeof(*r->values));
    }
}

const struct record *golden_find(const struct golden *g, const char *text)
{
    for (size_t i = 0; i < g->count; i++)
        if (strcmp(g->records[i].text, text) == 0)
            return &g->records[i];
    return NULL;
}

static FILE *open_in(const char *folder, const char *family, const char *mode)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s/%s.txt", folder, family);
    return fopen(path, mode);
}

bool golden_write(const struct golden *g, const char *folder, const char *family)
{
    FILE *file;

    if (mkdir(folder, 0777) && errno != EEXIST)
        return false;
    file = open_in(folder, family, "w");
    if (!file)
        return false;
    fprintf(file, "%s%s\n", magic, g->header);
    for (size_t i = 0; i < g->count; i++) {
        const struct record *r = &g->records[i];
        fprintf(file, "%s %016" PRIx64 " %016" PRIx64 " %016" PRIx64, r->values ? "near" : "exact",
                r->inputs, r->outputs, r->bits);
        if (r->values)
            fprintf(file, " %u", r->count);
        fprintf(file, " %s\n", r->text);
        for (uint32_t n = 0; r->values && n < r->count; n++)
            fprintf(file, "%" PRIx64 "%c", r->values[n],
                    n % 16 == 15 || n + 1 == r->count ? '\n' : ' ');
    }
    return fclose(file) == 0;
}

// Reads one record; returns false if the file is malformed.
static bool read_record(struct golden *g, FILE *file, const char *line)
{
    char word[8];
    int at = 0;
    struct record *r = room_for_one(g);
    bool near;

    if (sscanf(line, "%7s %" SCNx64 " %" SCNx64 " %" SCNx64 " %n", word, &r->inputs, &r->outputs,
               &r->bits, &at) != 4 ||
        !at)
        return false;
    near = strcmp(word, "near") == 0;
    if (!near && strcmp(word, "exact") != 0)
        return false;
    if (near) {
        char *end;
        r->count = (uint32_t)strtoul(line + at, &end, 10);
        at = (int)(end - line) + 1;
        if (!r->count || r->count > CASES_ALL * 2 || *end != ' ')
            return false;
        r->values = calloc(r->count, sizeof(*r->values));
        if (!r->values)
            return false;
    }
    r->text = strndup(line + at, strcspn(line + at, "\n"));
    for (uint32_t n = 0; n < r->count; n++)
        if (fscanf(file, "%" SCNx64, &r->values[n]) != 1)
            return false;
    if (near && fgetc(file) != '\n')
        return false;
    return r->text != NULL;
}

struct golden *golden_read(const char *folder, const char *family, const char **why)
{
    static char reason[256];
    FILE *file = open_in(folder, family, "r");
    struct golden *g;
    char line[4096], *header = NULL;
    size_t room = 0;
    int number = 1;

    *why = NULL;
    if (!file)
        return NULL;
    g = golden_new("");
    bool right = fgets(line, sizeof(line), file) && strcmp(line, magic) == 0;
    FILE *words = open_memstream(&header, &room);
    if (!words)
        abort();
    while (right && (right = fgets(line, sizeof(line), file)) && strcmp(line, "\n") != 0) {
        fputs(line, words);
        number++;
    }
    fclose(words);
    free(g->header);
    g->header = header;
    while (right && fgets(line, sizeof(line), file)) {
        right = read_record(g, file, line);
        number++;
    }
    fclose(file);
    if (right)
        return g;
    snprintf(reason, sizeof(reason), "%s/%s.txt: record %d is not understood: record it again",
             folder, family, number);
    *why = reason;
    golden_free(g);
    return NULL;
}
