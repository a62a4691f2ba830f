#include "table.h"

#include "cli.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void table_begin(table *t, const char *const *heads, const char *aligned)
{
    *t = (table){ .columns = strlen(aligned) };
    t->right = cli_allocate(t->columns * sizeof(*t->right));
    for (size_t i = 0; i < t->columns; i++)
        t->right[i] = aligned[i] == 'r';
    for (size_t i = 0; i < t->columns; i++)
        table_add(t, heads[i]);
}

void table_add(table *t, const char *text)
{
    if (t->cells == t->capacity) {
        size_t capacity = 2 * t->capacity + 4 * t->columns;
        char **cell = cli_allocate(capacity * sizeof(*cell));
        if (t->cells)
            memcpy(cell, t->cell, t->cells * sizeof(*cell));
        free(t->cell);
        t->cell = cell;
        t->capacity = capacity;
    }
    t->cell[t->cells++] = cli_copy_text(text, strlen(text));
    t->rows = t->cells / t->columns;
}

static const char *cell_at(const table *t, size_t row, size_t column)
{
    return t->cell[row * t->columns + column];
}

// Count the characters in UTF-8 text.
static size_t width_of(const char *text)
{
    size_t n = 0;

    for (; *text; text++)
        n += ((unsigned char)*text & 0xC0) != 0x80;
    return n;
}

// Returns the column's width; 0 if the column is empty below its head.
static size_t column_width(const table *t, size_t column)
{
    size_t most = 0;

    for (size_t row = 1; row < t->rows; row++) {
        size_t n = width_of(cell_at(t, row, column));
        if (n > most)
            most = n;
    }
    size_t head = width_of(cell_at(t, 0, column));
    return most && head > most ? head : most;
}

static void put_spaces(FILE *to, size_t n)
{
    fprintf(to, "%*s", (int)n, "");
}

// Print a cell on one line: newlines in its text become spaces.
static void put_line(FILE *to, const char *text)
{
    for (; *text; text++)
        fputc(*text == '\n' || *text == '\r' ? ' ' : *text, to);
}

// Print a cell; the last one in a line has no trailing padding.
static void put_cell(const table *t, FILE *to, size_t row, size_t column, size_t width, bool last)
{
    const char *text = cell_at(t, row, column);
    const char *colour = row && t->colour && cli_colour(to) ? t->colour(text) : NULL;
    size_t space = width - width_of(text);

    if (t->right[column])
        put_spaces(to, space);
    fputs(colour ? colour : "", to);
    put_line(to, text);
    fputs(colour ? "\033[0m" : "", to);
    if (!t->right[column] && !last)
        put_spaces(to, space);
}

static void print_plain(const table *t, FILE *to, const size_t *widths)
{
    size_t last = t->columns;

    for (size_t i = 0; i < t->columns; i++)
        if (widths[i])
            last = i;
    for (size_t row = 0; row < t->rows; row++) {
        bool first = true;
        size_t behind = last; // no padding after the last text
        while (behind && (!widths[behind] || !*cell_at(t, row, behind)))
            behind--;
        for (size_t i = 0; i <= behind && i < t->columns; i++) {
            if (!widths[i])
                continue;
            fputs(first ? "" : "  ", to);
            put_cell(t, to, row, i, widths[i], i == behind);
            first = false;
        }
        fputc('\n', to);
    }
}

static void put_markdown(FILE *to, const char *text)
{
    for (; *text; text++) {
        if (*text == '|')
            fputc('\\', to);
        fputc(*text == '\n' || *text == '\r' ? ' ' : *text, to);
    }
}

static void print_markdown(const table *t, FILE *to, const size_t *widths)
{
    for (size_t row = 0; row < t->rows; row++) {
        for (size_t i = 0; i < t->columns; i++)
            if (widths[i]) {
                fputs("| ", to);
                put_markdown(to, cell_at(t, row, i));
                fputc(' ', to);
            }
        fputs("|\n", to);
        for (size_t i = 0; !row && i < t->columns; i++)
            if (widths[i])
                fputs(t->right[i] ? "| ---: " : "| --- ", to);
        fputs(row ? "" : "|\n", to);
    }
}

// Quote as RFC 4180 says: quote a cell with a comma, quote or line break, and double the quotes in
// it.
static void put_csv(FILE *to, const char *text)
{
    bool quoted = strpbrk(text, ",\"\r\n") != NULL;

    fputs(quoted ? "\"" : "", to);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', to);
        fputc(*text, to);
    }
    fputs(quoted ? "\"" : "", to);
}

static void print_csv(const table *t, FILE *to)
{
    for (size_t row = 0; row < t->rows; row++)
        for (size_t i = 0; i < t->columns; i++) {
            put_csv(to, cell_at(t, row, i));
            fputs(i + 1 == t->columns ? "\n" : ",", to);
        }
}

void table_print(const table *t, FILE *to, table_style style)
{
    size_t *widths = cli_allocate(t->columns * sizeof(*widths));

    assert(t->cells % t->columns == 0);
    for (size_t i = 0; i < t->columns; i++)
        widths[i] = column_width(t, i);
    if (style == TABLE_PLAIN)
        print_plain(t, to, widths);
    else if (style == TABLE_MARKDOWN)
        print_markdown(t, to, widths);
    else
        print_csv(t, to);
    free(widths);
}

void table_end(table *t)
{
    for (size_t i = 0; i < t->cells; i++)
        free(t->cell[i]);
    free(t->cell);
    free(t->right);
    *t = (table){ 0 };
}
