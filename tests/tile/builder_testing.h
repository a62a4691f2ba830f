// Helpers that the tests of the C builder share: K, constants, and programs as comparable text.
#ifndef CUCORE_TESTS_TILE_BUILDER_TESTING_H
#define CUCORE_TESTS_TILE_BUILDER_TESTING_H

#include "tile/pass/pass.h"
#include "tile/ir/diagnostic.h"
#include "tile/front/elaborate.h"

#include <cucore/error.h>
#include <cucore/tile_builder.h>

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define K CUC_HERE(p)
#define I(number) cuc_tile_int(K, number)
#define F(number) cuc_tile_float(K, number)

static inline void forget_names(struct tile_op *op, void *data)
{
    (void)data;
    for (uint32_t i = 0; i < op->result_count; i++)
        op->result[i]->name = NULL;
    for (uint32_t i = 0; i < op->block_count; i++)
        for (uint32_t n = 0; n < op->block[i]->argument_count; n++)
            op->block[i]->argument[n]->name = NULL;
}

// Returns a module as text with numbers instead of the names of values; the caller frees it.
static inline char *numbered(struct tile_module *module, bool without_dead_code)
{
    ck_assert_msg(!module->diagnostics->errors, "%s", tile_diagnostics_text(module, false));
    ck_assert_msg(tile_verify(module, "making it"), "%s", tile_diagnostics_text(module, false));
    for (struct tile_kernel *k = module->first; k; k = k->next) {
        tile_walk(&k->body, forget_names, NULL);
        if (without_dead_code)
            tile_drop_dead(k);
    }
    return strdup(tile_print(module));
}

// Does the same for the text of a program.
static inline char *parsed(const char *text, bool without_dead_code)
{
    struct tile_module *module = tile_parse("p.tile", text, strlen(text), NULL, 0);

    ck_assert_ptr_nonnull(module);
    char *printed = numbered(module, without_dead_code);
    tile_module_free(module);
    return printed;
}

static inline cuc_tile_program *program(void)
{
    cuc_tile_program *p = NULL;

    ck_assert_int_eq(cuc_tile_program_create(&p), CUC_OK);
    return p;
}

#endif
