#include "compile_log.h"

#include "base/array.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_EXCERPTS = 5,
    LINES_AROUND = 3,
    MAX_LINE = 160, // longest source line to quote; longer ones are truncated
};

// A line of a log, not NUL-terminated.
struct line {
    const char *at;
    size_t bytes;
};

// Takes the next line from a text. Returns false at its end.
static bool next_line(const char **text, struct line *line)
{
    if (!**text)
        return false;
    line->at = *text;
    line->bytes = strcspn(*text, "\n");
    *text += line->bytes;
    *text += **text == '\n';
    return true;
}

static const char *find(struct line line, const char *what)
{
    size_t bytes = strlen(what);

    for (size_t i = 0; i + bytes <= line.bytes; i++)
        if (memcmp(line.at + i, what, bytes) == 0)
            return line.at + i;
    return NULL;
}

static bool starts_with(struct line line, const char *what)
{
    return find(line, what) == line.at;
}

// Returns true for a compiler's error message. Compilers indent the source lines that they quote,
// but not their messages.
static bool is_error(struct line line)
{
    static const char *const marks[] = {
        "error:", "error #", "error :", "error   :", "fatal   :", "ERROR ", "ERROR:",
    };

    if (!line.bytes || line.at[0] == ' ' || line.at[0] == '\t')
        return false;
    for (size_t i = 0; i < CUC_LENGTH(marks); i++)
        if (find(line, marks[i]))
            return true;
    return false;
}

// Returns true for the last line of nvJitLink or ptxas, which says only that there were errors.
static bool is_closing(struct line line)
{
    return starts_with(line, "ERROR ") || find(line, "aborted due to errors");
}

// Copies a line and collapses runs of blanks, because ptxas writes "error   :".
static void copy_line(char *to, size_t size, struct line line)
{
    size_t at = 0;

    for (size_t i = 0; i < line.bytes && at + 1 < size; i++)
        if (line.at[i] != ' ' || (at && to[at - 1] != ' '))
            to[at++] = line.at[i];
    to[at] = '\0';
}

void cuc__log_read(cuc__log_summary *summary, const char *log)
{
    struct line line, first = { 0 };
    size_t closing = 0;
    bool is_first_error = false;

    summary->errors = 0;
    while (next_line(&log, &line)) {
        bool error = is_error(line);
        if (line.bytes && (!first.bytes || (error && !is_first_error))) {
            first = line;
            is_first_error = error;
        }
        if (error && is_closing(line))
            closing++;
        else
            summary->errors += error;
    }
    if (!summary->errors)
        summary->errors = closing;
    copy_line(summary->first, sizeof(summary->first), first);
}

// Returns the line number in an error line, counted from 1, and finds the source that the line
// names. Returns 0 if there is none.
static size_t place_of(struct line line, const cuc__source *sources, size_t count, size_t *source)
{
    for (size_t i = 0; i < count; i++) {
        const char *name = find(line, sources[i].name);
        if (!name)
            continue;
        const char *p = name + strlen(sources[i].name);
        if (name == line.at && *p == '(')
            p++;
        else if (strncmp(p, ", line ", 7) == 0)
            p += 7;
        else
            continue;
        *source = i;
        return strtoul(p, NULL, 10);
    }
    // ptxas has no name for PTX that it gets without a file.
    const char *nameless = "ptxas application ptx input, line ";
    if (!count || !starts_with(line, nameless))
        return 0;
    *source = 0;
    return strtoul(line.at + strlen(nameless), NULL, 10);
}

// Returns the column, counted from 1, of the caret that NVRTC prints two lines below the message.
// NVRTC indents the quotation by two. Returns 0 if there is no caret.
static size_t column_of(const char *rest)
{
    struct line quoted, mark;

    if (!next_line(&rest, &quoted) || !next_line(&rest, &mark))
        return 0;
    const char *caret = find(mark, "^");
    return caret && caret >= mark.at + 2 && caret + 1 == mark.at + mark.bytes
               ? (size_t)(caret - mark.at) - 1
               : 0;
}

static void write_excerpt(FILE *out, const cuc__source *source, size_t at)
{
    const char *text = source->text;
    struct line line;

    fprintf(out, "\n%s, line %zu:\n", source->name, at);
    for (size_t n = 1; next_line(&text, &line) && n <= at + LINES_AROUND; n++) {
        if (n + LINES_AROUND < at)
            continue;
        int bytes = line.bytes < MAX_LINE ? (int)line.bytes : MAX_LINE;
        fprintf(out, "%6zu %c %.*s\n", n, n == at ? '>' : '|', bytes, line.at);
    }
}

char *cuc__log_with_excerpts(const char *log, const cuc__source *sources, size_t source_count)
{
    struct {
        size_t source, line;
    } seen[MAX_EXCERPTS];
    size_t count = 0;
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    struct line line;

    if (!out)
        return NULL;
    fputs(log, out);
    if (*log && log[strlen(log) - 1] != '\n')
        fputc('\n', out);
    while (count < MAX_EXCERPTS && next_line(&log, &line)) {
        size_t source, i = 0;
        size_t at = is_error(line) ? place_of(line, sources, source_count, &source) : 0;
        if (!at || column_of(log)) // NVRTC has already quoted the source
            continue;
        while (i < count && (seen[i].source != source || seen[i].line != at))
            i++;
        if (i < count)
            continue;
        seen[count].source = source;
        seen[count++].line = at;
        write_excerpt(out, &sources[source], at);
    }
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

void cuc__log_add(char **log, const char *text)
{
    const char *start = *log ? *log : "";
    char *longer = *text ? malloc(strlen(start) + strlen(text) + 1) : NULL;

    if (!longer) // out of memory: the log is lost, but the code may exist
        return;
    stpcpy(stpcpy(longer, start), text);
    free(*log);
    *log = longer;
}
