// Points the compiler's messages about a program at the texts that the caller wrote.
#include "algorithm.h"

#include <cucore/error.h>

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define PROGRAM CUC__ALGORITHM_PROGRAM

// A position in a text of the caller's.
struct place {
    enum { IN_FN, IN_INPUT, IN_IDENTITY } kind;
    const char *text;
    uint32_t number;  // of the input, or of the identity
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

static void set_position(struct place *out, const char *text, const char *at)
{
    out->text = text;
    out->line = out->column = 1;
    for (const char *c = text; c < at; c++) {
        out->line += *c == '\n';
        out->column = *c == '\n' ? 1 : out->column + 1;
    }
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
        out->number = i;
    }
    if (!at)
        return false;
    out->kind = IN_INPUT;
    set_position(out, p->inputs[out->number], at);
    return true;
}

// Reads "algorithm.tile:4:16: " and finds its place. Returns the text behind it, or NULL.
static const char *read_place(struct place *out, const struct cuc__algorithm_problem *p,
                              const char *program, const size_t *starts, const char *message)
{
    int line, column, length = 0;

    if (sscanf(message, PROGRAM ":%d:%d: %n", &line, &column, &length) != 2 || !length)
        return NULL;
    *out = (struct place){ .text = p->fn, .line = line, .column = column };
    const char *at = line_of(program, line);
    bool in_fn = p->fn && !p->named && line <= count_lines(p->fn);
    if (!at || (!in_fn &&
                !find_input(out, p, program, starts, (size_t)(at - program) + (size_t)column - 1)))
        return NULL;
    return message + length;
}

// Returns the offset of a call of fn in a line, or -1.
static int find_call(const struct cuc__algorithm_problem *p, const char *line, int length)
{
    int size = (int)strlen(p->fn_name);

    for (int i = 1; p->fn && !p->named && i + size < length; i++)
        if (line[i - 1] == ' ' && strncmp(line + i, p->fn_name, (size_t)size) == 0 &&
            line[i + size] == '(')
            return i;
    return -1;
}

// Returns the number in the first name in a line of a letter and a number, or -1.
static int find_numbered(char letter, const char *line, int length)
{
    for (int i = 1; i + 1 < length; i++)
        if (line[i] == letter && strchr(" ([,", line[i - 1]) && line[i + 1] >= '0' &&
            line[i + 1] <= '9')
            return atoi(line + i + 1);
    return -1;
}

// Finds the definition of fn: that of the last function.
static void place_fn(struct place *out, const struct cuc__algorithm_problem *p)
{
    const char *found = p->fn;

    for (const char *at = p->fn; (at = strstr(at, p->fn_name)); at++)
        if (at > p->fn + 2 && strchr(" \t\n", at[-1]) && strchr("( \t\n", at[strlen(p->fn_name)]))
            found = at;
    out->kind = IN_FN;
    set_position(out, p->fn, found);
}

// Finds the input that is a value of the elements.
static bool place_value(struct place *out, const struct cuc__algorithm_problem *p, uint32_t value)
{
    bool expressions = p->kind.inputs[p->kind.input_count - 1].form == CUC__ALGORITHM_VALUE;

    for (uint32_t i = 0; i < p->kind.input_count && !expressions; i++)
        expressions = p->kind.inputs[i].form == CUC__ALGORITHM_VALUE;
    for (uint32_t i = 0; i < p->kind.input_count; i++) {
        enum cuc__algorithm_form form = p->kind.inputs[i].form;
        if (form == CUC__ALGORITHM_WHOLE || (form == CUC__ALGORITHM_VALUE) != expressions)
            continue;
        if (value-- == 0) {
            out->kind = IN_INPUT;
            out->number = i;
            set_position(out, p->inputs[i], p->inputs[i]);
            return true;
        }
    }
    return false;
}

// Finds the text that a line of the program outside of the caller's texts uses: the identity at the
// message's place, fn or its result, or a value.
static const char *find_used(struct place *out, const struct cuc__algorithm_problem *p,
                             const char *program, const char *message, const char **program_line)
{
    int line, column, length = 0;

    if (sscanf(message, PROGRAM ":%d:%d: %n", &line, &column, &length) != 2 || !length)
        return NULL;
    const char *text = line_of(program, line);
    if (!text)
        return NULL;
    int size = (int)strcspn(text, "\n"), value;
    *program_line = text;
    for (uint32_t i = p->kind.keys; i < p->kind.values && p->family->has_identity && !p->named; i++)
        if (column <= size &&
            strncmp(text + column - 1, p->identity[i], strlen(p->identity[i])) == 0) {
            out->kind = IN_IDENTITY;
            out->number = i - p->kind.keys;
            set_position(out, p->identity[i], p->identity[i]);
            return message + length;
        }
    bool has_fn = p->fn && !p->named;
    if (find_call(p, text, size) >= 0 || (has_fn && find_numbered('r', text, size) >= 0)) {
        place_fn(out, p);
        return message + length;
    }
    value = find_numbered('v', text, size);
    if (value < 0 && !has_fn)
        value = find_numbered('r', text, size);
    return value >= 0 && place_value(out, p, (uint32_t)value) ? message + length : NULL;
}

// Returns the messages behind the program's line, and caret, of a message.
static const char *skip_lines(const char *next)
{
    while (strncmp(next, "    ", 4) == 0) {
        size_t length = strcspn(next, "\n");
        next += length + (next[length] == '\n');
    }
    return next;
}

// Writes a message with its line and caret, and the line of the program that uses the text if
// that is not NULL. Returns the messages behind it.
static const char *put_message(struct cuc__text *t, const struct place *place, const char *message,
                               const char *used)
{
    const char *next = message + strcspn(message, "\n");
    const char *line = line_of(place->text, place->line);

    if (place->kind == IN_INPUT)
        cuc__text_put(t, "inputs[%u]:", place->number);
    else
        cuc__text_put(t, place->kind == IN_FN ? "fn:" : "identity:");
    cuc__text_put(t, "%d:%d: %.*s", place->line, place->column, (int)(next - message), message);
    if (used) {
        used += strspn(used, " ");
        cuc__text_put(t, ", where the plan has %.*s", (int)strcspn(used, "\n"), used);
    }
    cuc__text_put(t, "\n    %.*s\n    %*s^\n", (int)strcspn(line, "\n"), line, place->column - 1,
                  "");
    return skip_lines(next + (*next == '\n'));
}

static bool has(const char *line, size_t length, const char *word)
{
    const char *found = strstr(line, word);

    return found && found < line + length;
}

// Translates a log. Leaves out notes about calls in the program, and all but the first of the
// messages about one text that the program uses several times. Returns the number of errors.
static int put_log(struct cuc__text *t, const struct cuc__algorithm_problem *p, const char *program,
                   const size_t *starts, const char *log)
{
    const char *used_before[CUC__ALGORITHM_MAX];
    bool in_program = false;
    uint32_t used_count = 0;
    int errors = 0;

    while (*log) {
        struct place place = { .line = 1 };
        const char *used = NULL;
        const char *message = read_place(&place, p, program, starts, log);
        size_t length = strcspn(log, "\n");
        bool note = !message && has(log, length, ": note: ");
        if (!message && !note && (message = find_used(&place, p, program, log, &used))) {
            bool again = used_count == CUC__ALGORITHM_MAX;
            for (uint32_t i = 0; i < used_count; i++)
                again |= used_before[i] == place.text;
            if (again) {
                log = skip_lines(log + length + (log[length] == '\n'));
                continue;
            }
            used_before[used_count++] = place.text;
        }
        errors += has(log, length, ": error ");
        if (message) {
            log = put_message(t, &place, message, used);
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
