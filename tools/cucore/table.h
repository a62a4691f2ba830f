// A table of text, printed for people, as Markdown or as CSV.
#ifndef CUCORE_TOOLS_TABLE_H
#define CUCORE_TOOLS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum table_style { TABLE_PLAIN, TABLE_MARKDOWN, TABLE_CSV } table_style;

typedef struct table {
    size_t columns;
    size_t rows; // the first one is the head
    size_t cells;
    size_t room;
    char **cell; // [rows][columns]
    bool *right; // [columns], set right
    // The escape sequence of a cell on a terminal; NULL for the terminal's own colour.
    const char *(*colour)(const char *text);
} table;

// Columns are set right when `aligned` has an 'r' for them, one letter each.
void table_begin(table *t, const char *const *heads, const char *aligned);
// The next cell, row by row; the text is copied.
void table_add(table *t, const char *text);
// A column that is empty but for its head is left out, save from CSV. The last row must be full.
void table_print(const table *t, FILE *to, table_style style);
void table_end(table *t);

#endif
