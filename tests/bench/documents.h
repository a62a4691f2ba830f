// Makes result documents for tests.
#ifndef CUCORE_TESTS_BENCH_DOCUMENTS_H
#define CUCORE_TESTS_BENCH_DOCUMENTS_H

#include "results.h"
#include "tests.h"

#include <stdlib.h>
#include <string.h>

// Parses JSON in which ' stands for ".
static inline json_t *json_of(const char *text)
{
    char *copy = strdup(text);
    json_error_t error;

    for (char *c = copy; *c; c++)
        if (*c == '\'')
            *c = '"';
    json_t *root = json_loads(copy, JSON_DECODE_ANY, &error);
    ck_assert_msg(root != NULL, "%s: %s", error.text, copy);
    free(copy);
    return root;
}

// Makes a document from a comma-separated list of results.
static inline json_t *document_of(const char *list)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);

    fprintf(f, "{'schema': 'cucore-bench/1', 'machine': {'gpu': 'ExampleGPU 1'}, 'results': [%s]}",
            list);
    fclose(f);
    json_t *root = json_of(text);
    free(text);
    return root;
}

static inline results results_of(const char *list)
{
    results r;
    cli_why why;

    ck_assert_msg(results_take(&r, document_of(list), "x.json", &why), "%s", why.text);
    return r;
}

#endif
