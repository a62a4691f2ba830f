// Text tables for terminals, Markdown and CSV.
#ifndef CUCORE_TOOLS_TABLE_H
#define CUCORE_TOOLS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum table_style { TABLE_PLAIN, TABLE_MARKDOWN, TABLE_CSV } table_style;

typedef struct table {
    size_t columns;
    size_t rows; // number of rows, including the head
    size_t cells;
    size_t capacity;
    char **cell; // [rows][columns]
    bool *right; // [columns], whether right-aligned
    // Returns a cell's color as an escape sequence for terminals; NULL for the default.
    const char *(*colour)(const char *text);
} table;

// Start a table. `aligned` has one letter per column; 'r' aligns right.
void table_begin(table *t, const char *const *heads, const char *aligned);
// Append the next cell, row by row; the table copies the text.
void table_add(table *t, const char *text);
// Print the table. Omits columns that are empty below the head, except in CSV. The last row must be
// complete.
void table_print(const table *t, FILE *to, table_style style);
void table_end(table *t);

#endif
