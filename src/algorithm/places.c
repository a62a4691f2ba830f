// Points the compiler's messages about a program at the texts that the caller wrote.
#include "algorithm.h"

#include <cucore/error.h>

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define PROGRAM CUC__ALGORITHM_PROGRAM

// A position in fn or in an input.
struct place {
    const char *text; // of the input; NULL for fn
    uint32_t input;
    int line, column; // from 1
};

static const char *line_of(const char *text, int line)
{
    for (; text && line > 1; line--) {
        text = strchr(text, '\n');
        text += text != NULL;
    }
    return text;
}

static int count_lines(const char *text)
{
    int lines = 1;

    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

// Finds the expression at an offset of the program, or the one that ends before the token there.
static bool find_input(struct place *out, const struct cuc__algorithm_problem *p,
                       const char *program, const size_t *starts, size_t offset)
{
    const char *at = NULL;

    for (uint32_t i = 0; i < p->kind.input_count && !at; i++) {
        size_t length = 0;
        if (!starts[i] || offset < starts[i])
            continue;
        at = cuc__algorithm_find_in_expression(p, i, offset - starts[i], &length);
        if (!at && strspn(program + starts[i] + length, " \t\n") >= offset - starts[i] - length)
            at = p->kind.inputs[i].expression + strlen(p->kind.inputs[i].expression);
        out->input = i;
    }
    if (!at)
        return false;
    out->text = p->inputs[out->input];
    out->line = out->column = 1;
    for (const char *c = out->text; c < at; c++) {
        out->line += *c == '\n';
        out->column = *c == '\n' ? 1 : out->column + 1;
    }
    return true;
}

// Reads "algorithm.tile:4:16: " and finds its place. Returns the text behind it, or NULL.
static const char *read_place(struct place *out, const struct cuc__algorithm_problem *p,
                              const char *program, const size_t *starts, const char *message)
{
    int line, column, length = 0;

    if (sscanf(message, PROGRAM ":%d:%d: %n", &line, &column, &length) != 2 || !length)
        return NULL;
    *out = (struct place){ .line = line, .column = column };
    const char *at = line_of(program, line);
    bool in_fn = p->fn && !p->named && line <= count_lines(p->fn);
    if (!at || (!in_fn &&
                !find_input(out, p, program, starts, (size_t)(at - program) + (size_t)column - 1)))
        return NULL;
    return message + length;
}

// Writes a message with its line and caret. Returns the messages behind it.
static const char *put_message(struct cuc__text *t, const struct place *place, const char *message)
{
    const char *next = message + strcspn(message, "\n");

    if (place->text)
        cuc__text_put(t, "inputs[%u]:", place->input);
    else
        cuc__text_put(t, "fn:");
    cuc__text_put(t, "%d:%d: %.*s\n", place->line, place->column, (int)(next - message), message);
    next += *next == '\n';
    while (strncmp(next, "    ", 4) == 0) { // the program's line, and a caret
        size_t length = strcspn(next, "\n");
        if (!place->text)
            cuc__text_put(t, "%.*s\n", (int)length, next);
        next += length + (next[length] == '\n');
    }
    const char *line = place->text ? line_of(place->text, place->line) : NULL;
    if (line)
        cuc__text_put(t, "    %.*s\n    %*s^\n", (int)strcspn(line, "\n"), line, place->column - 1,
                      "");
    return next;
}

static bool has(const char *line, size_t length, const char *word)
{
    const char *found = strstr(line, word);

    return found && found < line + length;
}

// Translates a log. Leaves out notes about calls in the program. Returns the number of errors.
static int put_log(struct cuc__text *t, const struct cuc__algorithm_problem *p, const char *program,
                   const size_t *starts, const char *log)
{
    bool in_program = false;
    int errors = 0;

    while (*log) {
        struct place place;
        const char *message = read_place(&place, p, program, starts, log);
        size_t length = strcspn(log, "\n");
        bool note = !message && has(log, length, ": note: ");
        errors += has(log, length, ": error ");
        if (message) {
            log = put_message(t, &place, message);
            continue;
        }
        in_program |= !note;
        do { // with the lines that belong to it
            if (!note)
                cuc__text_put(t, "%.*s\n", (int)length, log);
            log += length + (log[length] == '\n');
            length = strcspn(log, "\n");
        } while (strncmp(log, "    ", 4) == 0);
    }
    if (in_program)
        cuc__text_put(t, "note: " PROGRAM " is the plan's program, which passes the values of "
                         "inputs to fn, and its results to outputs\n");
    return errors;
}

cuc_status cuc__algorithm_fail_compile(const struct cuc__algorithm_problem *p, const char *program,
                                       const size_t *starts, const char *function)
{
    struct cuc__text t = { 0 };
    char symbol[16], explanation[256], more[32] = "";
    int code = cuc_error_library_code();

    snprintf(symbol, sizeof(symbol), "%s", cuc_error_library_symbol());
    snprintf(explanation, sizeof(explanation), "%s", cuc_error_explanation());
    int errors = put_log(&t, p, program, starts, cuc_error_log());
    if (errors > 1)
        snprintf(more, sizeof(more), " (%d errors)", errors);
    if (t.at && !t.lost) // otherwise the failure stays as it is
        cuc__fail_library(CUC_ERROR_COMPILE, CUC_LIBRARY_TILE, code, symbol, function, "",
                          explanation, t.at, "%.*s%s", (int)strcspn(t.at, "\n"), t.at, more);
    free(t.at);
    return CUC_ERROR_COMPILE;
}
