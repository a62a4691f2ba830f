// The tables, and the instances that their rows expand to.
#include "base/array.h"
#include "opcodes.h"
#include "oracles.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// Groups of types to choose from.
#define UNSIGNED "(u16|u32|u64)"
#define SIGNED "(s16|s32|s64)"
#define INTEGERS "(u16|s16|u32|s32|u64|s64)"
#define LONGS "(u32|s32|u64|s64)"
#define BITS "(b16|b32|b64)"
#define LONG_BITS "(b32|b64)"
#define ROUNDINGS "(rn|rz|rm|rp)"

#define ROW(text, operands, oracle, how, arch) { FAMILY, text, operands, oracle, how, arch },
const struct row opcode_rows[] = {
#include "rows.def"
};
const size_t opcode_row_count = CUC_LENGTH(opcode_rows);

static void wrong(const struct row *row, const char *what)
{
    fprintf(stderr, "%s.def: %s: %s\n", row->family, row->text, what);
    abort();
}

bool has(const struct instance *x, const char *word)
{
    const size_t length = strlen(word);

    for (const char *at = x->main;
         (at = strchr(at, '.')) && at < x->main + strcspn(x->main, " ;");) {
        at++;
        if (strncmp(at, word, length) == 0 && !isalnum((unsigned char)at[length]) &&
            at[length] != ':')
            return true;
    }
    return false;
}

bool shape_of(const struct instance *x, uint32_t *m, uint32_t *n, uint32_t *k)
{
    for (const char *at = x->main; (at = strstr(at, ".m")); at++)
        if (sscanf(at, ".m%un%uk%u", m, n, k) == 3)
            return true;
    return false;
}

// Reads the instruction's words: its types and its flags.
static void read_words(struct instance *x)
{
    static const struct {
        const char *word;
        uint32_t bit;
    } words[] = {
#define PAIR(name, word) { word, WORD_##name },
        INSTANCE_WORDS(PAIR)
#undef PAIR
    };
    const char *end = x->main + strcspn(x->main, " ;");

    snprintf(x->name, sizeof(x->name), "%.*s", (int)strcspn(x->main, ". ;"), x->main);
    for (const char *at = x->main; at < end;) {
        size_t length = strcspn(at, ". ;");
        const struct kind *kind = kind_find(at, length);
        if (kind && x->types < MAX_TYPES)
            x->type[x->types++] = kind;
        at += length + 1;
    }
    for (size_t i = 0; i < CUC_LENGTH(words); i++)
        x->words |= has(x, words[i].word) ? words[i].bit : 0;
    x->mode = has(x, "rz") || has(x, "rzi")   ? SOFT_RZ
              : has(x, "rm") || has(x, "rmi") ? SOFT_RM
              : has(x, "rp") || has(x, "rpi") ? SOFT_RP
              : has(x, "rna")                 ? SOFT_RNA
                                              : SOFT_RN;
}

static const struct kind *twice(const struct kind *kind)
{
    char name[8];
    snprintf(name, sizeof(name), "%c%u", kind->name[0], 2 * kind->bits);
    return kind_find(name, strlen(name));
}

static const struct kind *operand_kind(const struct instance *x, const char *name, size_t length)
{
    if (length == 1 && name[0] == 'W')
        return x->types ? twice(x->type[0]) : NULL;
    if (length == 1 && strchr("TSU", name[0])) {
        uint32_t which = name[0] == 'T' ? 0 : name[0] == 'S' ? 1 : 2;
        return which < x->types ? x->type[which] : NULL;
    }
    return kind_find(name, length);
}

// Reads "T*4 = T S": the kinds of the operands, and the text that replaces $.
static void read_operands(struct instance *x, char *dollar, size_t room)
{
    bool inputs = false;
    size_t used = 0;

    for (const char *at = x->row->operands; *at;) {
        size_t length = strcspn(at, " *");
        uint32_t vector = 1, *count = inputs ? &x->ins : &x->outs;
        if (*at == '=') {
            inputs = true;
            at += strspn(at, "= ");
            continue;
        }
        const struct kind *kind = operand_kind(x, at, length);
        if (!kind)
            wrong(x->row, "an operand is of no kind that there is");
        at += length;
        bool is_vector = *at == '*';
        if (is_vector)
            vector = (uint32_t)strtoul(at + 1, (char **)(uintptr_t)&at, 10);
        at += strspn(at, " ");
        if (*count + vector > (inputs ? (uint32_t)MAX_IN : (uint32_t)MAX_OUT))
            wrong(x->row, "too many operands");
        if (used < room)
            used += (size_t)snprintf(dollar + used, room - used, "%s%s", used ? ", " : "",
                                     is_vector ? "{" : "");
        for (uint32_t i = 0; i < vector; i++) {
            if (used < room)
                used += (size_t)snprintf(dollar + used, room - used, "%s%%%c%u", i ? ", " : "",
                                         inputs ? 'i' : 'd', *count);
            *(inputs ? &x->in[x->ins++] : &x->out[x->outs++]) = kind;
        }
        if (used < room)
            used += (size_t)snprintf(dollar + used, room - used, "%s", is_vector ? "}" : "");
    }
    x->elements = x->outs ? x->out[0]->elements : 1;
    for (uint32_t i = 0; i < x->outs; i++)
        if (x->out[i]->elements != x->elements)
            x->elements = 1;
    for (uint32_t i = 0; i < x->ins; i++)
        if (x->in[i]->elements != x->elements || x->in[i]->pattern == PATTERN_MATRIX)
            x->elements = 1;
    const bool all = x->ins == 1 && x->in[0]->reg == 'h' && x->in[0]->format.exponent;
    x->cases = x->row->how == COMPARE_DOT            ? CASES_DOT
               : all && x->row->how == COMPARE_EXACT ? CASES_ALL
                                                     : CASES;
}

static void finish(struct instance *x, const struct row *row, const char *text)
{
    char dollar[512] = "", written[2048] = "";
    size_t used = 0, at_main = 0;
    const char *star = strchr(text, '*');

    *x = (struct instance){ .row = row, .main = star ? star + 1 : text };
    read_words(x);
    read_operands(x, dollar, sizeof(dollar));
    for (const char *at = text; *at && used < sizeof(written); at++) {
        if (*at == '*')
            at_main = used;
        else
            used += (size_t)snprintf(written + used, sizeof(written) - used, "%.*s",
                                     *at == '$' ? 512 : 1, *at == '$' ? dollar : at);
    }
    if (!strpbrk(text, "$%") && *dollar)
        used += (size_t)snprintf(written + used, sizeof(written) - used, " %s", dollar);
    if (used + 2 > sizeof(written))
        wrong(row, "too long");
    if (written[used - 1] != ';')
        written[used++] = ';';
    written[used] = 0;
    x->text = strdup(written);
    x->main = x->text + at_main;
}

struct list {
    struct instance *at;
    size_t count, room;
};

// Returns `text` with every #number replaced by the choice.
static char *recall(const char *text, uint32_t number, const char *chosen, size_t width)
{
    const char mark[] = { '#', (char)('0' + number), 0 };
    char *out = NULL;
    size_t room;
    FILE *file = open_memstream(&out, &room);

    if (!file)
        abort();
    for (const char *at; (at = strstr(text, mark)); text = at + 2)
        fprintf(file, "%.*s%.*s", (int)(at - text), text, (int)width, chosen);
    fputs(text, file);
    fclose(file);
    return out;
}

// Expands the choices of a text one after another. `done` is the part already expanded, with
// `number` choices made.
static void choose(struct list *list, const struct row *row, const char *done, const char *rest,
                   uint32_t number)
{
    size_t plain = strcspn(rest, "("), length = strlen(done) + strlen(rest) + 1;
    char *text = malloc(length);

    if (!text)
        abort();
    if (!rest[plain]) {
        snprintf(text, length, "%s%s", done, rest);
        if (list->count == list->room) {
            list->room = list->room ? 2 * list->room : 256;
            list->at = realloc(list->at, list->room * sizeof(*list->at));
            if (!list->at)
                abort();
        }
        finish(&list->at[list->count++], row, text);
    } else {
        const char *end = strchr(rest, ')');
        if (!end)
            wrong(row, "a choice has no end");
        for (const char *at = rest + plain + 1; at <= end; at++) {
            size_t width = strcspn(at, "|)");
            char *after = recall(end + 1, number + 1, at, width);
            snprintf(text, length, "%s%.*s%.*s", done, (int)plain, rest, (int)width, at);
            choose(list, row, text, after, number + 1);
            free(after);
            at += width;
        }
    }
    free(text);
}

struct instance *instances(size_t *count)
{
    struct list list = { 0 };

    for (size_t i = 0; i < opcode_row_count; i++)
        choose(&list, &opcode_rows[i], "", opcode_rows[i].text, 0);
    *count = list.count;
    return list.at;
}

void instances_free(struct instance *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(list[i].text);
    free(list);
}
